/* Shares nothing with moves.c: whoever carries the moves out can trust them after this. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/files/plan_file.h"
#include "flow/moves/moves.h"
#include "net/network_internal.h"

/* Bytes that are at a destination. */
struct arrival {
    uint32_t demand, rank;
    uint64_t offset, bytes;
};

/* A step whose rank has its bytes. */
struct ready {
    uint32_t rank;
    size_t index;
};

struct checker {
    const struct cw_moves *moves;
    bool *fed;           /* [steps] somebody sends its stream to it; of sends: what they send is added up */
    struct ready *ready; /* [steps] */
    struct arrival *arrivals;
    size_t n_arrivals;
    struct arrival *sums; /* those of data that are added up, by demand and offset */
    size_t n_sums;
};

/* Step INDEX of RANK breaks a promise. */
static int fail_step(const struct cw_moves *moves, uint32_t rank, size_t index, const char *breach)
{
    return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "ranks[%u].steps[%zu], stream %u: %s", rank,
                   index - moves->first_step[rank], moves->steps[index].stream, breach);
}

/* --- each step by itself ------------------------------------------------------------------------------------------ */

/* True if the step names others as its kind needs it. */
static bool has_peers(const struct cw_moves *moves, uint32_t rank, const struct cw_step *step)
{
    const bool takes = step->kind != CW_STEP_SEND, gives = step->kind == CW_STEP_SEND || step->kind == CW_STEP_FORWARD;
    return (takes ? step->from < moves->n_ranks && step->from != rank : step->from == CW_NONE) &&
           (gives ? step->to < moves->n_ranks && step->to != rank : step->to == CW_NONE);
}

/* A step of a stream after STEP: a send, or, of what is combined, one more that combines. */
static bool may_follow(const struct cw_step *step, const struct cw_step *next)
{
    if (next->kind == CW_STEP_COMBINE) return step->kind == CW_STEP_COMBINE;
    return next->kind == CW_STEP_SEND && step->kind != CW_STEP_FORWARD;
}

/* What is added up is whole numbers, and combined where it comes, or, if it is the sum, for all. */
static int check_sum_step(const struct cw_moves *moves, uint32_t rank, size_t index)
{
    const struct cw_step *step = &moves->steps[index];
    const struct cw_moves_demand *demand = &moves->demands[step->demand];
    if (demand->src != CW_NONE)
        return step->kind == CW_STEP_COMBINE
                   ? fail_step(moves, rank, index, "it combines data that nobody adds up: their demand has a src")
                   : 0;
    if (step->kind == CW_STEP_FORWARD || (step->kind == CW_STEP_RECEIVE && demand->dst != CW_NONE))
        return fail_step(moves, rank, index, "it takes in what is to be added up; expected that it combines it");
    if (step->offset % CW_MOVES_ELEMENT > 0 || step->bytes % CW_MOVES_ELEMENT > 0)
        return fail_step(moves, rank, index, "its bytes are not whole numbers of 8 bytes, which can be added up");
    return 0;
}

static int check_step(const struct cw_moves *moves, uint32_t rank, size_t index)
{
    const struct cw_step *step = &moves->steps[index];
    if (step->stream >= moves->n_streams) return fail_step(moves, rank, index, "there are not so many streams");
    if (index > moves->first_step[rank] && step->stream < step[-1].stream)
        return fail_step(moves, rank, index, "the steps of a rank are not in the order of their streams");
    if (index > moves->first_step[rank] && step->stream == step[-1].stream && !may_follow(&step[-1], step))
        return fail_step(moves, rank, index,
                         "a second step of a stream; expected a send, of what the rank has or receives");
    if (step->demand >= moves->n_demands) return fail_step(moves, rank, index, "there are not so many demands");
    const uint64_t all = moves->demands[step->demand].bytes;
    if (step->bytes == 0 || step->bytes > all || step->offset > all - step->bytes)
        return fail_step(moves, rank, index, "its bytes are none, or beyond those of its demand");
    if (!has_peers(moves, rank, step))
        return fail_step(moves, rank, index, "it does not say which other rank it is from, or to, as its kind needs");
    if (step->first_channel > moves->n_channels || step->n_channels > moves->n_channels - step->first_channel)
        return fail_step(moves, rank, index, "its channels are beyond those of the moves");
    return check_sum_step(moves, rank, index);
}

static int check_head(const struct cw_moves *moves)
{
    if (moves->chunk_bytes == 0 || moves->credits == 0)
        return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "chunks of %" PRIu64 " bytes and %u credits, expected more than 0",
                       moves->chunk_bytes, moves->credits);
    for (uint32_t r = 1; r < moves->n_ranks; r++)
        if (moves->endpoints[r] <= moves->endpoints[r - 1])
            return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "ranks[%u].endpoint is %u, expected them in ascending order",
                           r, moves->endpoints[r]);
    for (size_t d = 0; d < moves->n_demands; d++) {
        const struct cw_moves_demand *demand = &moves->demands[d];
        const bool sum = demand->src == CW_NONE;
        if ((demand->src >= moves->n_ranks && !sum) || (demand->dst >= moves->n_ranks && demand->dst != CW_NONE) ||
            (demand->src == demand->dst && !sum))
            return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "demands[%zu] is not between two of the %u ranks", d,
                           moves->n_ranks);
        if (sum && moves->chunk_bytes % CW_MOVES_ELEMENT > 0)
            return cw_fail(CW_EINTERNAL,
                           CW_MOVES_BREACH "chunk_bytes is %" PRIu64 ", expected whole numbers of %d bytes, which "
                                           "demands[%zu] adds up",
                           moves->chunk_bytes, CW_MOVES_ELEMENT, d);
    }
    return 0;
}

/* --- carrying them out -------------------------------------------------------------------------------------------- */

/* READY, a send or a forward, is carried out. It becomes the step that takes the bytes in. */
static int pass_on(struct checker *checker, struct ready *ready)
{
    const struct cw_moves *moves = checker->moves;
    const struct cw_step *step = &moves->steps[ready->index];
    const size_t next = cw_moves_find(moves, step->to, step->stream);
    if (next == SIZE_MAX)
        return fail_step(moves, ready->rank, ready->index, "it is sent to a rank that has no step for it");
    const struct cw_step *taken = &moves->steps[next];
    if (taken->kind == CW_STEP_SEND || taken->kind == CW_STEP_COMBINE || taken->from != ready->rank)
        return fail_step(moves, ready->rank, ready->index,
                         "it is sent to a rank that does not expect it from this one");
    if (taken->demand != step->demand || taken->offset != step->offset || taken->bytes != step->bytes)
        return fail_step(moves, ready->rank, ready->index, "who sends and who receives do not agree on its bytes");
    if (checker->fed[next])
        return fail_step(moves, ready->rank, ready->index, "it is sent to a rank that has it already");
    checker->fed[next] = true;
    *ready = (struct ready){step->to, next};
    return 0;
}

/* READY, a receive, is carried out. */
static int arrive(struct checker *checker, struct ready ready)
{
    const struct cw_moves *moves = checker->moves;
    const struct cw_step *step = &moves->steps[ready.index];
    if (!cw_moves_are_for(moves, step->demand, ready.rank))
        return fail_step(moves, ready.rank, ready.index, "it receives what is for another rank");
    checker->arrivals[checker->n_arrivals++] = (struct arrival){step->demand, ready.rank, step->offset, step->bytes};
    return 0;
}

static int compare_sums(const void *a, const void *b)
{
    const struct arrival *one = a, *two = b;
    if (one->demand != two->demand) return one->demand < two->demand ? -1 : 1;
    return one->offset < two->offset ? -1 : one->offset > two->offset;
}

/* Whether RANK has what STEP sends from the start, or because it is where it is added up. */
static bool has_bytes(const struct checker *checker, uint32_t rank, const struct cw_step *step)
{
    const struct cw_moves_demand *demand = &checker->moves->demands[step->demand];
    size_t low = 0, high = checker->n_sums;
    if (demand->src != CW_NONE) return demand->src == rank;
    while (low < high) { /* the sum after that of the first byte */
        const size_t middle = low + (high - low) / 2;
        const struct arrival *sum = &checker->sums[middle];
        if (sum->demand < step->demand || (sum->demand == step->demand && sum->offset <= step->offset))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low - 1; i < checker->n_sums; i++) { /* of a demand they are one after another */
        const struct arrival *sum = &checker->sums[i];
        if (sum->demand != step->demand || sum->rank != rank) return false;
        if (step->offset + step->bytes <= sum->offset + sum->bytes) return true;
    }
    return false;
}

/* Follows what RANK sends in step INDEX, to wherever it is sent on. */
static int follow(struct checker *checker, uint32_t rank, size_t index)
{
    const struct cw_moves *moves = checker->moves;
    size_t n = 0;
    int rc = 0;
    if (!has_bytes(checker, rank, &moves->steps[index]))
        return fail_step(moves, rank, index, "it sends what it does not have");
    checker->ready[n++] = (struct ready){rank, index};
    while (n > 0 && !rc) {
        struct ready *top = &checker->ready[n - 1], ready = *top;
        if (moves->steps[ready.index].kind != CW_STEP_RECEIVE) {
            rc = pass_on(checker, top);
            continue;
        }
        const size_t end = cw_moves_end(moves, ready.rank, ready.index);
        rc = arrive(checker, ready);
        n--;
        for (size_t i = ready.index + 1; i < end; i++) checker->ready[n++] = (struct ready){ready.rank, i};
    }
    return rc;
}

/* --- adding up ---------------------------------------------------------------------------------------------------- */

/* Step INDEX of RANK combines what another rank sends. *FROM: that rank's first step of the stream, all of which
 * combine, but for the last, which sends. */
static int fetch(struct checker *checker, uint32_t rank, size_t index, struct ready *from)
{
    const struct cw_moves *moves = checker->moves;
    const struct cw_step *step = &moves->steps[index];
    const size_t first = cw_moves_find(moves, step->from, step->stream);
    if (first == SIZE_MAX) return fail_step(moves, rank, index, "it waits for what nobody sends");
    const size_t last = cw_moves_end(moves, step->from, first) - 1;
    const struct cw_step *send = &moves->steps[last];
    if (send->kind != CW_STEP_SEND || send->to != rank || (first < last && send[-1].kind != CW_STEP_COMBINE))
        return fail_step(moves, rank, index, "it waits for what nobody sends");
    if (checker->fed[last]) return fail_step(moves, rank, index, "it combines what has been added already");
    if (send->demand != step->demand || send->offset != step->offset || send->bytes != step->bytes)
        return fail_step(moves, rank, index, "who sends and who receives do not agree on its bytes");
    checker->fed[last] = checker->fed[index] = true;
    *from = (struct ready){step->from, first};
    return 0;
}

/* The first rank whose data are not added to those of STREAM. */
static uint32_t find_missing(const struct checker *checker, uint32_t root, uint32_t stream)
{
    const struct cw_moves *moves = checker->moves;
    uint32_t r = 0;
    for (; r < moves->n_ranks; r++) {
        const size_t first = r == root ? SIZE_MAX : cw_moves_find(moves, r, stream);
        if (r != root && (first == SIZE_MAX || !checker->fed[cw_moves_end(moves, r, first) - 1])) break;
    }
    return r;
}

/* RANK's steps from INDEX on combine all there is of their stream, and it sends nothing on: what every rank adds to it
 * comes there along a tree. */
static int add_up(struct checker *checker, uint32_t rank, size_t index)
{
    const struct cw_moves *moves = checker->moves;
    const struct cw_step *step = &moves->steps[index];
    const uint32_t dst = moves->demands[step->demand].dst;
    uint32_t n_added = 0;
    size_t n = 0;
    int rc = 0;
    if (dst != CW_NONE && dst != rank)
        return fail_step(moves, rank, index, "it combines what is for another rank, and does not send it on");
    checker->ready[n++] = (struct ready){rank, index};
    while (n > 0 && !rc) {
        const struct ready ready = checker->ready[--n];
        const size_t end = cw_moves_end(moves, ready.rank, ready.index);
        n_added++;
        for (size_t i = ready.index; i < end && moves->steps[i].kind == CW_STEP_COMBINE && !rc; i++)
            rc = fetch(checker, ready.rank, i, &checker->ready[n++]);
    }
    if (rc) return rc;
    if (n_added < moves->n_ranks) {
        char breach[64];
        snprintf(breach, sizeof breach, "the data of rank %u are never added",
                 find_missing(checker, rank, step->stream));
        return fail_step(moves, rank, index, breach);
    }
    checker->arrivals[checker->n_arrivals++] = (struct arrival){step->demand, rank, step->offset, step->bytes};
    return 0;
}

/* All that is added up. The sums of a demand are each byte of it once, wherever they are. */
static int add_up_all(struct checker *checker)
{
    const struct cw_moves *moves = checker->moves;
    int rc = 0;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r], end; i < moves->first_step[r + 1] && !rc; i = end) {
            end = cw_moves_end(moves, r, i);
            if (moves->steps[end - 1].kind == CW_STEP_COMBINE) rc = add_up(checker, r, i);
        }
    if (rc || checker->n_arrivals == 0) return rc;
    checker->n_sums = checker->n_arrivals;
    memcpy(checker->sums, checker->arrivals, checker->n_sums * sizeof *checker->sums);
    qsort(checker->sums, checker->n_sums, sizeof *checker->sums, compare_sums);
    for (size_t i = 0; i < checker->n_sums; i++) {
        const struct arrival *sum = &checker->sums[i];
        const bool more = i > 0 && sum[-1].demand == sum->demand;
        if (more && sum->offset < sum[-1].offset + sum[-1].bytes)
            return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "byte %" PRIu64 " of demands[%u] is added up twice",
                           sum->offset, sum->demand);
    }
    return 0;
}

/* --- what has arrived --------------------------------------------------------------------------------------------- */

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *one = a, *two = b;
    if (one->demand != two->demand) return one->demand < two->demand ? -1 : 1;
    if (one->rank != two->rank) return one->rank < two->rank ? -1 : 1;
    return one->offset < two->offset ? -1 : one->offset > two->offset;
}

static int fail_byte(const struct checker *checker, size_t demand, uint32_t rank, uint64_t byte, const char *breach)
{
    char where[32] = "";
    if (checker->moves->demands[demand].dst == CW_NONE) snprintf(where, sizeof where, " at rank %u", rank);
    return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "byte %" PRIu64 " of demands[%zu] %s%s", byte, demand, breach, where);
}

/* What arrived of DEMAND at RANK is all of it, once. *NEXT: the first arrival that is not looked at yet. */
static int check_arrival(const struct checker *checker, size_t demand, uint32_t rank, size_t *next)
{
    uint64_t there = 0;
    for (; *next < checker->n_arrivals; ++*next) {
        const struct arrival *arrival = &checker->arrivals[*next];
        if (arrival->demand != demand || arrival->rank != rank) break;
        if (arrival->offset < there) return fail_byte(checker, demand, rank, arrival->offset, "arrives twice");
        if (arrival->offset > there) break;
        there += arrival->bytes;
    }
    if (there == checker->moves->demands[demand].bytes) return 0;
    return fail_byte(checker, demand, rank, there, "never arrives");
}

static int check_arrivals(const struct checker *checker)
{
    const struct cw_moves *moves = checker->moves;
    size_t next = 0;
    int rc = 0;
    if (checker->n_arrivals > 0)
        qsort(checker->arrivals, checker->n_arrivals, sizeof *checker->arrivals, compare_arrivals);
    for (size_t d = 0; d < moves->n_demands && !rc; d++) {
        const uint32_t dst = moves->demands[d].dst, src = moves->demands[d].src;
        if (dst != CW_NONE) rc = check_arrival(checker, d, dst, &next);
        for (uint32_t r = 0; dst == CW_NONE && r < moves->n_ranks && !rc; r++)
            if (r != src) rc = check_arrival(checker, d, r, &next);
    }
    return rc;
}

/* Whether the first of RANK's steps of a stream is step INDEX. */
static bool is_first(const struct cw_moves *moves, uint32_t rank, size_t index)
{
    return index == moves->first_step[rank] || moves->steps[index].stream != moves->steps[index - 1].stream;
}

static int carry_out(struct checker *checker)
{
    const struct cw_moves *moves = checker->moves;
    int rc = add_up_all(checker);
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        bool taken = false; /* in by the rank, which sends it on then */
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1] && !rc; i++) {
            if (is_first(moves, r, i)) taken = moves->steps[i].kind != CW_STEP_SEND;
            if (!taken && !checker->fed[i]) rc = follow(checker, r, i);
        }
    }
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1] && !rc; i++)
            if (moves->steps[i].kind != CW_STEP_SEND && !checker->fed[i])
                rc = fail_step(moves, r, i, "it waits for what nobody sends");
    return rc ? rc : check_arrivals(checker);
}

int cw_moves_verify(const struct cw_moves *moves)
{
    if (moves->n_ranks == 0) return cw_fail(CW_EINTERNAL, CW_MOVES_BREACH "there are no ranks");
    const size_t n_steps = moves->first_step[moves->n_ranks];
    struct checker checker = {.moves = moves};
    int rc = check_head(moves);
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1] && !rc; i++) rc = check_step(moves, r, i);
    if (rc) return rc;
    checker.fed = cw_new_array(n_steps, sizeof *checker.fed, "a check of moves");
    checker.ready = cw_new_array(n_steps, sizeof *checker.ready, "a check of moves");
    checker.arrivals = cw_new_array(n_steps, sizeof *checker.arrivals, "a check of moves");
    checker.sums = cw_new_array(n_steps, sizeof *checker.sums, "a check of moves");
    rc = checker.fed && checker.ready && checker.arrivals && checker.sums ? carry_out(&checker) : CW_ENOMEM;
    free(checker.fed);
    free(checker.ready);
    free(checker.arrivals);
    free(checker.sums);
    return rc;
}

/* --- against a network -------------------------------------------------------------------------------------------- */

/* True if the N channels at CHANNELS lead from endpoint SRC to DST with only switches between them. */
static bool is_way(const struct cw_network *net, uint32_t src, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    uint32_t at = src;
    for (uint32_t i = 0; i < n; i++) {
        if (channels[i] >= net->n_channels || net->tail[channels[i]] != at) return false;
        if (i > 0 && !cw_network_forwards(net, at)) return false;
        at = net->head[channels[i]];
    }
    return n > 0 && at == dst;
}

int cw_moves_check_network(const struct cw_moves *moves, const struct cw_network *net)
{
    char fingerprint[CW_FINGERPRINT_SIZE];
    cw_plan_fingerprint(net, fingerprint);
    if (strcmp(fingerprint, moves->fingerprint) != 0)
        return cw_fail(CW_EUSAGE, "these moves are of another network%s%s", moves->title ? ", " : "",
                       moves->title ? moves->title : "");
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        if (moves->endpoints[r] >= net->n_endpoints)
            return cw_fail(CW_EUSAGE, "ranks[%u].endpoint is %u, but the network has %u endpoints", r,
                           moves->endpoints[r], net->n_endpoints);
    }
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
            const struct cw_step *step = &moves->steps[i];
            if (step->to != CW_NONE && !is_way(net, moves->endpoints[r], moves->endpoints[step->to],
                                               moves->channels + step->first_channel, step->n_channels))
                return cw_fail(CW_EUSAGE, "ranks[%u].steps[%zu].channels do not lead from endpoint %u to %u", r,
                               i - moves->first_step[r], moves->endpoints[r], moves->endpoints[step->to]);
        }
    return 0;
}
