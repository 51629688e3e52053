/* Movers: random moves on ranks that hold data, over a network that delivers in any order it may, loses ranks, and
 * spoils chunks. */
#include "net/network_internal.h"
#include "plan_test.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "flow/moves/mover.h"

#define RANKS 6

/* --- random moves ------------------------------------------------------------------------------------------------- */

static void add_step(struct cw_moves *moves, uint32_t rank, struct cw_step step)
{
    const size_t n = moves->first_step[RANKS], at = moves->first_step[rank + 1];
    memmove(moves->steps + at + 1, moves->steps + at, (n - at) * sizeof step);
    moves->steps[at] = step;
    for (uint32_t r = rank + 1; r <= RANKS; r++) moves->first_step[r]++;
}

/* Stream of BYTES of DEMAND from byte OFFSET over the N ranks at WAY. */
static void add_stream(struct cw_moves *moves, uint32_t demand, uint64_t offset, uint64_t bytes, const uint32_t *way,
                       uint32_t n)
{
    const uint32_t stream = moves->n_streams++;
    for (uint32_t i = 0; i < n; i++)
        add_step(moves, way[i],
                 (struct cw_step){.kind = i == 0      ? CW_STEP_SEND
                                          : i + 1 < n ? CW_STEP_FORWARD
                                                      : CW_STEP_RECEIVE,
                                  .stream = stream,
                                  .demand = demand,
                                  .offset = offset,
                                  .bytes = bytes,
                                  .from = i > 0 ? way[i - 1] : CW_NONE,
                                  .to = i + 1 < n ? way[i + 1] : CW_NONE,
                                  .way = CW_NONE});
}

/* Stream of BYTES of DEMAND from byte OFFSET along a random tree from SRC to all. */
static void add_tree(struct cw_moves *moves, struct cw_random *random, uint32_t demand, uint64_t offset, uint64_t bytes,
                     uint32_t src)
{
    uint32_t order[RANKS];
    const uint32_t stream = moves->n_streams++;
    cw_random_permutation(random, RANKS, order);
    for (uint32_t i = 0; i < RANKS; i++)
        if (order[i] == src) {
            order[i] = order[0];
            order[0] = src;
        }
    for (uint32_t i = 1; i < RANKS; i++) {
        const uint32_t from = order[cw_random_below(random, i)], to = order[i];
        struct cw_step step = {.kind = CW_STEP_SEND,
                               .stream = stream,
                               .demand = demand,
                               .offset = offset,
                               .bytes = bytes,
                               .from = CW_NONE,
                               .to = to,
                               .way = CW_NONE};
        add_step(moves, from, step);
        step.kind = CW_STEP_RECEIVE;
        step.from = from;
        step.to = CW_NONE;
        add_step(moves, to, step);
    }
}

/* Stream of BYTES of DEMAND from byte OFFSET along a random tree from all to ROOT, where they are added up. */
static void add_sum(struct cw_moves *moves, struct cw_random *random, uint32_t demand, uint64_t offset, uint64_t bytes,
                    uint32_t root)
{
    uint32_t order[RANKS];
    const uint32_t stream = moves->n_streams++;
    cw_random_permutation(random, RANKS, order);
    for (uint32_t i = 0; i < RANKS; i++)
        if (order[i] == root) {
            order[i] = order[0];
            order[0] = root;
        }
    for (uint32_t i = RANKS - 1; i > 0; i--) { /* what a rank combines comes before what it sends */
        struct cw_step step = {.kind = CW_STEP_COMBINE,
                               .stream = stream,
                               .demand = demand,
                               .offset = offset,
                               .bytes = bytes,
                               .from = order[i],
                               .to = CW_NONE,
                               .way = CW_NONE};
        const uint32_t to = order[cw_random_below(random, i)];
        add_step(moves, to, step);
        step.kind = CW_STEP_SEND;
        step.from = CW_NONE;
        step.to = to;
        add_step(moves, order[i], step);
    }
}

/* As demand D, up to 3 streams of sums for one rank, or for all. */
static void add_sums(struct cw_moves *moves, struct cw_random *random, uint32_t d)
{
    const uint32_t dst = cw_random_below(random, RANKS), streams = 1 + cw_random_below(random, 3);
    const bool for_all = cw_random_below(random, 2) > 0;
    uint64_t offset = 0;
    for (uint32_t s = 0; s < streams; s++) {
        const uint64_t bytes = 8 * (1 + cw_random_below(random, 40));
        const uint32_t root = for_all ? cw_random_below(random, RANKS) : dst;
        add_sum(moves, random, d, offset, bytes, root);
        if (for_all) add_tree(moves, random, d, offset, bytes, root);
        offset += bytes;
    }
    moves->demands[d] = (struct cw_moves_demand){CW_NONE, for_all ? CW_NONE : dst, offset};
}

static struct cw_moves *blank_moves(uint32_t demands, uint32_t streams)
{
    struct cw_moves *moves = zeros(1, sizeof *moves);
    moves->demands = zeros(demands, sizeof *moves->demands);
    moves->steps = zeros((size_t)streams * 2 * RANKS, sizeof *moves->steps);
    moves->first_step = zeros(RANKS + 1, sizeof *moves->first_step);
    moves->endpoints = zeros(RANKS, sizeof *moves->endpoints);
    moves->names = zeros(RANKS, sizeof *moves->names);
    moves->n_ranks = RANKS;
    moves->n_demands = demands;
    for (uint32_t r = 0; r < RANKS; r++) {
        moves->endpoints[r] = r;
        moves->names[r] = zeros(8, 1);
        snprintf(moves->names[r], 8, "h%u", r);
    }
    return moves;
}

/* Up to 12 demands of 1 to 3 streams over up to 4 relays, or, one in three, along trees to all; or, in one case of two,
 * half of them sums. */
static struct cw_moves *random_moves(struct cw_random *random)
{
    const uint32_t n = 1 + cw_random_below(random, 12);
    const bool sums = cw_random_below(random, 2) > 0;
    struct cw_moves *moves = blank_moves(n, 6 * n);
    moves->chunk_bytes = sums ? 8 * (1 + cw_random_below(random, 5)) : 1 + cw_random_below(random, 40);
    moves->credits = 1 + cw_random_below(random, 5);
    if (cw_random_below(random, 4) == 0) moves->credits = 1000;
    for (uint32_t d = 0; d < n; d++) {
        uint32_t way[RANKS], others[RANKS];
        uint64_t offset = 0;
        if (sums && cw_random_below(random, 2) > 0) {
            add_sums(moves, random, d);
            continue;
        }
        const uint32_t streams = 1 + cw_random_below(random, 3);
        cw_random_permutation(random, RANKS, way);
        const uint32_t src = way[0], dst = cw_random_below(random, 3) > 0 ? way[RANKS - 1] : CW_NONE;
        for (uint32_t s = 0; s < streams; s++) {
            const uint64_t bytes = 1 + cw_random_below(random, 400);
            if (dst == CW_NONE) {
                add_tree(moves, random, d, offset, bytes, src);
                offset += bytes;
                continue;
            }
            cw_random_permutation(random, RANKS, others);
            uint32_t kept = 1;
            for (uint32_t i = 0; i < RANKS; i++)
                if (others[i] != src && others[i] != dst) way[kept++] = others[i];
            way[0] = src;
            kept = 1 + cw_random_below(random, kept);
            way[kept] = dst;
            add_stream(moves, d, offset, bytes, way, kept + 1);
            offset += bytes;
        }
        moves->demands[d] = (struct cw_moves_demand){src, dst, offset};
    }
    must(cw_moves_verify(moves));
    return moves;
}

static void discard_moves(struct cw_moves *moves)
{
    cw_moves_free(moves);
    free(moves);
}

/* --- a network in memory ------------------------------------------------------------------------------------------ */

struct posted {
    struct cw_job job;
    uint32_t rank;
    unsigned char *copy; /* of a send that ended before its chunk was received: sum and data */
};

struct net {
    const struct cw_moves *moves;
    struct cw_random random;
    struct cw_mover *movers[RANKS];
    void **data[RANKS]; /* by demand */
    struct posted *posted;
    size_t n, capacity;
    uint32_t *begun[RANKS], *ended[RANKS]; /* sends, by stream */
    uint32_t lost;                         /* nobody hears of this rank; CW_NONE: of none */
    uint32_t spoil, spoiled_by;            /* so many deliveries from now a chunk is changed; 0: none. Who sent it */
    uint64_t delivered;
};

/* What RANK adds to word I of DEMAND. */
static uint64_t word_of(uint32_t demand, uint32_t rank, uint64_t i)
{
    return cw_random_word(1000 + RANKS * demand + rank, i);
}

/* What arrives. */
static unsigned char byte_of(const struct cw_moves *moves, uint32_t demand, uint64_t place)
{
    uint64_t sum = 0;
    unsigned char bytes[8];
    if (moves->demands[demand].src != CW_NONE) return (unsigned char)cw_random_word(demand + 77, place);
    for (uint32_t r = 0; r < RANKS; r++) sum += word_of(demand, r, place / 8);
    memcpy(bytes, &sum, 8);
    return bytes[place % 8];
}

static struct net *net_new(const struct cw_moves *moves, uint64_t seed)
{
    struct net *net = zeros(1, sizeof *net);
    net->moves = moves;
    net->random = cw_random_of(seed, CW_STREAM_TEST, 8);
    net->lost = CW_NONE;
    net->capacity = 20000;
    net->posted = zeros(net->capacity, sizeof *net->posted);
    for (uint32_t r = 0; r < RANKS; r++) {
        net->data[r] = zeros(moves->n_demands, sizeof *net->data[r]);
        net->begun[r] = zeros(moves->n_streams, sizeof *net->begun[r]);
        net->ended[r] = zeros(moves->n_streams, sizeof *net->ended[r]);
        for (uint32_t d = 0; d < moves->n_demands; d++) {
            const struct cw_moves_demand *demand = &moves->demands[d];
            const bool adds = demand->src == CW_NONE;
            if (demand->src != r && !adds && !cw_moves_are_for(moves, d, r)) continue;
            unsigned char *bytes = net->data[r][d] = zeros((size_t)demand->bytes, 1);
            for (uint64_t i = 0; demand->src == r && i < demand->bytes; i++) bytes[i] = byte_of(moves, d, i);
            for (uint64_t i = 0; adds && i < demand->bytes; i += 8)
                memcpy(bytes + i, &(uint64_t){word_of(d, r, i / 8)}, 8);
        }
        must(cw_mover_new(moves, r, net->data[r], &net->movers[r]));
    }
    return net;
}

static void net_free(struct net *net)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        for (size_t d = 0; d < net->moves->n_demands; d++) free(net->data[r][d]);
        free(net->data[r]);
        free(net->begun[r]);
        free(net->ended[r]);
        cw_mover_free(net->movers[r]);
    }
    for (size_t i = 0; i < net->n; i++) free(net->posted[i].copy);
    free(net->posted);
    free(net);
}

/* The receive that send I fills: the first of its stream that waits there, if no earlier send does; else SIZE_MAX. */
static size_t receive_for(const struct net *net, size_t i)
{
    const struct posted *send = &net->posted[i];
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < net->n; k++) {
        const struct posted *other = &net->posted[k];
        if (other->job.stream != send->job.stream) continue;
        if (other->job.kind == CW_JOB_SEND && other->rank == send->rank && other->job.peer == send->job.peer &&
            other->job.chunk < send->job.chunk)
            return SIZE_MAX;
        if (other->job.kind == CW_JOB_RECEIVE && other->rank == send->job.peer && other->job.peer == send->rank &&
            (found == SIZE_MAX || other->job.chunk < net->posted[found].job.chunk))
            found = k;
    }
    return found;
}

static void remove_posted(struct net *net, size_t i)
{
    free(net->posted[i].copy);
    net->posted[i] = net->posted[--net->n];
}

static int end_send(struct net *net, const struct posted *send)
{
    net->ended[send->rank][send->job.stream]++;
    return cw_mover_done(net->movers[send->rank], &send->job);
}

/* Of what is for all nobody takes memory in for the sum while it still sends from there what it adds. */
static void check_memory(const struct net *net, const struct posted *receive)
{
    for (size_t i = 0; i < net->n; i++) {
        const struct posted *send = &net->posted[i];
        if (send->rank != receive->rank || send->job.kind != CW_JOB_SEND || send->copy) continue;
        assert_true(send->job.data + send->job.bytes <= receive->job.data ||
                    receive->job.data + receive->job.bytes <= send->job.data);
    }
}

static int deliver(struct net *net, size_t i, size_t k)
{
    struct posted send = net->posted[i], receive = net->posted[k];
    const unsigned char *sum = send.copy ? send.copy : send.job.sum;
    const unsigned char *data = send.copy ? send.copy + 8 : send.job.data;
    assert_true(send.job.chunk == receive.job.chunk);
    assert_int_equal(send.job.bytes, receive.job.bytes);
    memcpy(receive.job.sum, sum, 8);
    memcpy(receive.job.data, data, receive.job.bytes);
    net->delivered++;
    if (net->spoil > 0 && --net->spoil == 0) {
        receive.job.data[cw_random_below(&net->random, (uint32_t)receive.job.bytes)] ^= 16;
        net->spoiled_by = send.rank;
    }
    int rc = send.copy ? 0 : end_send(net, &send);
    if (!rc) rc = cw_mover_done(net->movers[receive.rank], &receive.job);
    remove_posted(net, i > k ? i : k);
    remove_posted(net, i > k ? k : i);
    return rc;
}

/* The sender's memory is its own again before anybody has received the chunk, as MPI may have it. */
static int buffer_send(struct net *net, struct posted *send)
{
    send->copy = malloc(8 + send->job.bytes);
    memcpy(send->copy, send->job.sum, 8);
    memcpy(send->copy + 8, send->job.data, send->job.bytes);
    return end_send(net, send);
}

/* Ends something that was posted; false: nothing can. */
static bool end_something(struct net *net, int *rc)
{
    const size_t first = net->n > 0 ? cw_random_below(&net->random, (uint32_t)net->n) : 0;
    for (size_t j = 0; j < net->n; j++) {
        const size_t i = (first + j) % net->n;
        struct posted *posted = &net->posted[i];
        if (posted->rank == net->lost || posted->job.peer == net->lost) continue;
        if (posted->job.kind == CW_JOB_ROOM) {
            *rc = cw_mover_room(net->movers[posted->job.peer], posted->rank, posted->job.stream, posted->job.chunk);
            if (!*rc) *rc = cw_mover_done(net->movers[posted->rank], &posted->job);
            remove_posted(net, i);
            return true;
        }
        if (posted->job.kind != CW_JOB_SEND) continue;
        const size_t k = receive_for(net, i);
        if (k != SIZE_MAX) {
            *rc = deliver(net, i, k);
            return true;
        }
        if (!posted->copy && !posted->job.held && cw_random_below(&net->random, 2) > 0) {
            *rc = buffer_send(net, posted);
            return true;
        }
    }
    return false;
}

/* Whoever sends to a relay has sent at most `credits` chunks of the stream that are not sent on. */
static void post(struct net *net, uint32_t rank, const struct cw_job *job)
{
    assert_true(net->n < net->capacity);
    net->posted[net->n++] = (struct posted){.job = *job, .rank = rank};
    if (job->kind == CW_JOB_RECEIVE) check_memory(net, &net->posted[net->n - 1]);
    if (job->kind != CW_JOB_SEND) return;
    const uint32_t sent = ++net->begun[rank][job->stream];
    const size_t step = cw_moves_find(net->moves, job->peer, job->stream);
    if (net->moves->steps[step].kind == CW_STEP_FORWARD)
        assert_true(sent - net->ended[job->peer][job->stream] <= net->moves->credits);
}

static void post_something(struct net *net)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        struct cw_job job;
        for (uint32_t n = cw_random_below(&net->random, 4); n > 0 && r != net->lost; n--) {
            if (!cw_mover_next(net->movers[r], &job)) break;
            post(net, r, &job);
        }
    }
}

static bool all_posted(struct net *net)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        struct cw_job job;
        if (r == net->lost || !cw_mover_next(net->movers[r], &job)) continue;
        post(net, r, &job);
        return false;
    }
    return true;
}

/* No relay waits for more chunks of a stream than it has room for, and no destination has more on their way to it than
 * may come without a receive. */
static void check_bounds(const struct net *net)
{
    for (size_t i = 0; i < net->n; i++) {
        const struct posted *send = &net->posted[i];
        if (send->job.kind != CW_JOB_SEND) continue;
        const size_t step = cw_moves_find(net->moves, send->job.peer, send->job.stream);
        const bool relayed = net->moves->steps[step].kind == CW_STEP_FORWARD;
        const bool combined = net->moves->steps[step].kind == CW_STEP_COMBINE;
        uint32_t waiting = 0, receives = 0;
        for (size_t k = 0; k < net->n; k++) {
            const struct posted *other = &net->posted[k];
            if (other->job.stream != send->job.stream) continue;
            waiting += other->job.kind == CW_JOB_SEND && other->rank == send->rank && other->job.peer == send->job.peer;
            receives +=
                other->job.kind == CW_JOB_RECEIVE && other->rank == send->job.peer && other->job.peer == send->rank;
        }
        assert_true(waiting <= CW_MOVER_AHEAD || (relayed && waiting <= net->moves->credits));
        if (relayed || combined) assert_true(receives <= net->moves->credits);
    }
}

/* Until all has arrived, or nothing moves any more. */
static int run(struct net *net)
{
    int rc = 0;
    for (bool moves = true; moves && !rc;) {
        post_something(net);
        if (net->delivered % 16 == 0) check_bounds(net);
        moves = end_something(net, &rc);
        if (!moves && !rc) moves = !all_posted(net);
    }
    return rc;
}

static void everything_arrives(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 9);
        struct cw_moves *moves = random_moves(&random);
        struct net *net = net_new(moves, seed);
        must(run(net));
        for (uint32_t r = 0; r < RANKS; r++) assert_true(cw_mover_finished(net->movers[r]));
        assert_int_equal(net->n, 0); /* nothing is told to ranks that no longer listen */
        for (uint32_t d = 0; d < moves->n_demands; d++)
            for (uint32_t r = 0; r < RANKS; r++) {
                const unsigned char *bytes = net->data[r][d];
                if (!cw_moves_are_for(moves, d, r)) continue;
                for (uint64_t i = 0; i < moves->demands[d].bytes; i++) assert_int_equal(bytes[i], byte_of(moves, d, i));
            }
        net_free(net);
        discard_moves(moves);
    }
}

/* --- bad luck ----------------------------------------------------------------------------------------------------- */

static void spoiled_chunks_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        char place[64];
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 10);
        struct cw_moves *moves = random_moves(&random);
        struct net *net = net_new(moves, seed);
        net->spoil = 1 + cw_random_below(&random, 20);
        const uint32_t spoil = net->spoil;
        const int rc = run(net);
        if (net->delivered < spoil) {
            must(rc); /* that many chunks there were not */
        } else {
            assert_int_equal(rc, CW_EIO);
            snprintf(place, sizeof place, " from h%u", net->spoiled_by);
            assert_non_null(strstr(cw_error_message(), "came corrupted to h"));
            assert_string_equal(cw_error_message() + strlen(cw_error_message()) - strlen(place), place);
        }
        net_free(net);
        discard_moves(moves);
    }
}

/* h0 sends bytes 0 to 99 of its data for h2 by way of h1, and 100 to 199 to it. */
static struct cw_moves *two_streams(void)
{
    struct cw_moves *moves = blank_moves(1, 2);
    moves->chunk_bytes = 10;
    moves->credits = 2;
    moves->demands[0] = (struct cw_moves_demand){0, 2, 200};
    add_stream(moves, 0, 0, 100, NODES(0, 1, 2));
    add_stream(moves, 0, 100, 100, NODES(0, 2));
    must(cw_moves_verify(moves));
    return moves;
}

static struct cw_job next_of(struct cw_mover *mover, enum cw_job_kind kind)
{
    struct cw_job job;
    do assert_true(cw_mover_next(mover, &job));
    while (job.kind != kind);
    return job;
}

/* A chunk that is whole, but another one, is no less wrong. */
static void mistaken_chunks_are_found(void **state)
{
    (void)state;
    struct cw_moves *moves = two_streams();
    struct net *net = net_new(moves, 1);
    memset(net->data[0][0], 0, 200); /* chunks of equal bytes, too */
    next_of(net->movers[0], CW_JOB_SEND);
    const struct cw_job wrong = next_of(net->movers[0], CW_JOB_SEND), into = next_of(net->movers[1], CW_JOB_RECEIVE);
    assert_int_equal(wrong.stream, 1);
    memcpy(into.sum, wrong.sum, 8);
    memcpy(into.data, wrong.data, 10);
    assert_int_equal(cw_mover_done(net->movers[1], &into), CW_EIO);
    assert_string_equal(cw_error_message(),
                        "chunk 0 of stream 0 (bytes 0 to 9 of demand 0, h0 to h2) came corrupted to h1 from h0");
    net_free(net);
    discard_moves(moves);
}

/* Whoever waits, waits for the lost rank or for one that waits. */
static void lost_ranks_are_named(void **state)
{
    (void)state;
    uint32_t named = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 11);
        struct cw_moves *moves = random_moves(&random);
        struct net *net = net_new(moves, seed);
        char detail[512];
        bool waits = false, unfinished = false;
        net->lost = cw_random_below(&random, RANKS);
        must(run(net));
        for (uint32_t r = 0; r < RANKS; r++) {
            uint32_t n;
            const uint32_t *peers = cw_mover_peers(net->movers[r], &n);
            bool any = false;
            if (r == net->lost) continue;
            for (uint32_t i = 0; i < n; i++) {
                const bool wants = cw_mover_waits(net->movers[r], peers[i], detail, sizeof detail);
                if (wants && peers[i] == net->lost) waits = true;
                any = any || wants;
            }
            unfinished = unfinished || !cw_mover_finished(net->movers[r]);
            assert_true(any == !cw_mover_finished(net->movers[r]));
        }
        assert_true(waits == unfinished);
        named += waits;
        net_free(net);
        discard_moves(moves);
    }
    assert_true(named > 75);
}

static void says_what_is_awaited(void **state)
{
    (void)state;
    struct cw_moves *moves = two_streams();
    struct net *net = net_new(moves, 1);
    struct cw_job job;
    char detail[512];
    while (cw_mover_next(net->movers[2], &job)) assert_int_equal(job.kind, CW_JOB_RECEIVE);
    assert_true(cw_mover_waits(net->movers[2], 1, detail, sizeof detail));
    assert_string_equal(detail, "chunk 0 of stream 0 (bytes 0 to 9 of demand 0, h0 to h2) is awaited from h1");
    assert_false(cw_mover_waits(net->movers[1], 2, detail, sizeof detail));
    for (uint32_t i = 0; i < 2; i++) { /* as much as h1 has room for */
        do assert_true(cw_mover_next(net->movers[0], &job));
        while (job.stream != 0);
        if (i == 0) {
            assert_true(cw_mover_waits(net->movers[0], 1, detail, sizeof detail));
            assert_non_null(strstr(detail, "is being sent to h1"));
        }
        must(cw_mover_done(net->movers[0], &job));
    }
    while (cw_mover_next(net->movers[0], &job)) assert_int_equal(job.stream, 1);
    assert_true(cw_mover_waits(net->movers[0], 1, detail, sizeof detail));
    assert_string_equal(detail, "chunk 2 of stream 0 (bytes 20 to 29 of demand 0, h0 to h2) waits for room at h1");
    must(cw_mover_room(net->movers[0], 1, 0, 1));
    assert_true(cw_mover_next(net->movers[0], &job));
    assert_int_equal(job.chunk, 2);
    assert_int_equal(cw_mover_room(net->movers[0], 2, 0, 1), CW_EIO);
    assert_int_equal(cw_mover_room(net->movers[0], 1, 0, 11), CW_EIO);
    assert_int_equal(cw_mover_room(net->movers[0], 1, 7, 1), CW_EIO);
    net_free(net);
    discard_moves(moves);
}

/* A rank sends on what it keeps when it has come, to each of those after it; none of them needs room. */
static void what_is_kept_is_sent_on(void **state)
{
    (void)state;
    struct cw_moves *moves = blank_moves(1, 1);
    moves->chunk_bytes = 10;
    moves->credits = 1;
    moves->demands[0] = (struct cw_moves_demand){0, CW_NONE, 100};
    const uint32_t from[] = {CW_NONE, 0, 1, 1, 2, 0};
    for (uint32_t r = 1; r < RANKS; r++) {
        struct cw_step step = {.kind = CW_STEP_SEND, .bytes = 100, .from = CW_NONE, .to = r, .way = CW_NONE};
        add_step(moves, from[r], step);
        step.kind = CW_STEP_RECEIVE;
        step.from = from[r];
        step.to = CW_NONE;
        add_step(moves, r, step);
    }
    moves->n_streams = 1;
    must(cw_moves_verify(moves));
    struct net *net = net_new(moves, 1);
    struct cw_job job, received = next_of(net->movers[1], CW_JOB_RECEIVE), sent;
    char detail[512];
    uint32_t to = 0;
    while (cw_mover_next(net->movers[1], &job)) assert_int_equal(job.kind, CW_JOB_RECEIVE); /* nothing is there yet */
    assert_true(cw_mover_waits(net->movers[1], 0, detail, sizeof detail));
    assert_string_equal(detail, "chunk 0 of stream 0 (bytes 0 to 9 of demand 0, h0 to all others) is awaited from h0");
    sent = next_of(net->movers[0], CW_JOB_SEND);
    memcpy(received.sum, sent.sum, 8);
    memcpy(received.data, sent.data, sent.bytes);
    must(cw_mover_done(net->movers[1], &received));
    while (cw_mover_next(net->movers[1], &job)) {
        if (job.kind != CW_JOB_SEND) continue;
        assert_true(job.chunk == 0 && memcmp(job.sum, sent.sum, 8) == 0);
        to = 10 * to + job.peer;
    }
    assert_true(to == 23 || to == 32);
    assert_int_equal(cw_mover_room(net->movers[1], 4, 0, 1), CW_EIO); /* it sends nothing there */
    must(cw_mover_room(net->movers[1], 3, 0, 1));
    net_free(net);
    discard_moves(moves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives),        cmocka_unit_test(spoiled_chunks_are_found),
        cmocka_unit_test(mistaken_chunks_are_found), cmocka_unit_test(lost_ranks_are_named),
        cmocka_unit_test(says_what_is_awaited),      cmocka_unit_test(what_is_kept_is_sent_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
