#include "flow/moves/moves_change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"

/* Moves with the head of MOVES, and room for so many ranks, demands, steps and channels. */
static int begin(const struct cw_moves *moves, uint64_t n_ranks, uint64_t n_demands, uint64_t n_steps,
                 size_t n_channels, struct cw_moves *out)
{
    if (n_ranks >= CW_NONE || n_demands >= CW_NONE || n_steps >= CW_NONE)
        return cw_fail(CW_ELIMIT, "moves of %llu ranks, %llu demands and %llu steps", (unsigned long long)n_ranks,
                       (unsigned long long)n_demands, (unsigned long long)n_steps);
    *out = *moves;
    out->title = moves->title ? cw_copy_text(moves->title, strlen(moves->title)) : NULL;
    out->n_ranks = (uint32_t)n_ranks;
    out->n_demands = (size_t)n_demands;
    out->n_channels = n_channels;
    out->n_streams = 0;
    out->demands = cw_new_array(out->n_demands, sizeof *out->demands, "demands of moves");
    out->endpoints = cw_new_array(out->n_ranks, sizeof *out->endpoints, "ranks");
    out->names = cw_new_array(out->n_ranks, sizeof *out->names, "names of ranks");
    out->first_step = cw_new_array((size_t)out->n_ranks + 1, sizeof *out->first_step, "ranks");
    out->steps = cw_new_array((size_t)n_steps + 1, sizeof *out->steps, "steps of moves");
    out->channels = cw_new_array(n_channels + 1, sizeof *out->channels, "channels of moves");
    const bool titled = out->title || !moves->title;
    return titled && out->demands && out->endpoints && out->names && out->first_step && out->steps && out->channels
               ? 0
               : CW_ENOMEM;
}

static int end(int rc, struct cw_moves *made, struct cw_moves *out)
{
    if (!rc) rc = cw_moves_verify(made);
    if (rc)
        cw_moves_free(made);
    else
        *out = *made;
    return rc;
}

static int copy_ranks(const struct cw_moves *moves, struct cw_moves *made)
{
    memcpy(made->endpoints, moves->endpoints, moves->n_ranks * sizeof *moves->endpoints);
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        made->names[r] = cw_copy_text(moves->names[r], strlen(moves->names[r]));
        if (!made->names[r]) return CW_ENOMEM;
    }
    return 0;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static int compare_sources(const void *a, const void *b)
{
    const struct cw_turn *one = a, *two = b;
    if (one->src != two->src) return one->src < two->src ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

static int compare_turns(const void *a, const void *b)
{
    const struct cw_turn *one = a, *two = b;
    /* modulo 2^32: those after the source come first */
    const uint32_t first = one->dst - one->src, second = two->dst - two->src;
    if (one->src != two->src) return one->src < two->src ? -1 : 1;
    if (first != second) return first < second ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

int cw_moves_take_turns(struct cw_turn *turns, size_t n)
{
    struct cw_turn *sorted = cw_new_array(n + 1, 2 * sizeof *sorted, "turns"), *places = sorted + n;
    if (!sorted) return CW_ENOMEM;
    memcpy(sorted, turns, n * sizeof *turns);
    memcpy(places, turns, n * sizeof *turns);
    qsort(sorted, n, sizeof *sorted, compare_turns);
    qsort(places, n, sizeof *places, compare_sources);
    for (size_t i = 0; i < n; i++) turns[places[i].index] = sorted[i];
    free(sorted);
    return 0;
}

/* --- direct ------------------------------------------------------------------------------------------------------- */

/* The step of STREAM that sends demand D to rank TO, or, if that is CW_NONE, receives it. */
static struct cw_step direct_step(const struct cw_moves *moves, uint32_t stream, size_t d, uint32_t to)
{
    const bool sends = to != CW_NONE;
    return (struct cw_step){.kind = sends ? CW_STEP_SEND : CW_STEP_RECEIVE,
                            .stream = stream,
                            .demand = (uint32_t)d,
                            .bytes = moves->demands[d].bytes,
                            .from = sends ? CW_NONE : moves->demands[d].src,
                            .to = to,
                            .way = CW_NONE};
}

/* What is for all goes first to the next rank, so that nobody gets everybody's data at once. */
static void list_direct(const struct cw_moves *moves, const struct cw_turn *turns, struct cw_moves *made)
{
    const uint32_t n_ranks = moves->n_ranks;
    size_t n = 0;
    memcpy(made->demands, moves->demands, moves->n_demands * sizeof *moves->demands);
    for (uint32_t r = 0; r < n_ranks; r++) {
        for (uint32_t s = 0; s < moves->n_demands; s++) {
            const size_t d = turns[s].index;
            const struct cw_moves_demand *demand = &moves->demands[d];
            if (demand->bytes == 0) continue;
            if (cw_moves_are_for(moves, d, r)) made->steps[n++] = direct_step(moves, s, d, CW_NONE);
            if (demand->src != r) continue;
            if (demand->dst != CW_NONE) made->steps[n++] = direct_step(moves, s, d, demand->dst);
            for (uint32_t k = 1; demand->dst == CW_NONE && k < n_ranks; k++)
                made->steps[n++] = direct_step(moves, s, d, (r + k) % n_ranks);
        }
        made->first_step[r + 1] = n;
    }
}

int cw_moves_direct(const struct cw_moves *moves, struct cw_moves *out)
{
    struct cw_moves made = {0};
    uint64_t n_sends = 0;
    if (cw_moves_have_sums(moves))
        return cw_fail(CW_EUSAGE, "data that ranks add up have no direct way: they are combined where trees meet");
    for (size_t d = 0; d < moves->n_demands; d++) n_sends += moves->demands[d].dst == CW_NONE ? moves->n_ranks - 1 : 1;
    struct cw_turn *turns = cw_new_array(moves->n_demands, sizeof *turns, "turns");
    for (size_t d = 0; d < moves->n_demands && turns; d++)
        turns[d] = (struct cw_turn){moves->demands[d].src, moves->demands[d].dst, d};
    int rc = turns ? cw_moves_take_turns(turns, moves->n_demands) : CW_ENOMEM;
    if (!rc) rc = begin(moves, moves->n_ranks, moves->n_demands, 2 * n_sends, 0, &made);
    if (!rc) rc = copy_ranks(moves, &made);
    if (!rc) list_direct(moves, turns, &made);
    free(turns);
    made.n_streams = (uint32_t)moves->n_demands;
    made.seconds = moves->default_seconds;
    memcpy(made.model, moves->model, sizeof made.model);
    snprintf(made.method, sizeof made.method, "direct");
    return end(rc, &made, out);
}

/* --- by routes ---------------------------------------------------------------------------------------------------- */

/* The routes of all N sends, one behind another: HOPS [N] and CHANNELS, which has room for all. */
static int find_routes(const struct cw_moves *moves, const struct cw_routes *routes, size_t n, uint32_t *hops,
                       uint32_t *channels)
{
    uint32_t *ends = cw_new_array(2 * n, sizeof *ends, "routes of sends");
    size_t s = 0;
    if (!ends) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
            if (moves->steps[i].kind != CW_STEP_SEND) continue;
            ends[s] = moves->endpoints[r];
            ends[n + s++] = moves->endpoints[moves->steps[i].to];
        }
    const int rc = cw_routes_packed_paths(routes, n, ends, ends + n, hops, channels);
    free(ends);
    return rc;
}

/* Gives send S the HOPS[S] channels of its route. */
static void set_routes(const uint32_t *hops, struct cw_moves *made)
{
    size_t s = 0;
    made->n_channels = 0;
    for (size_t i = 0; i < made->first_step[made->n_ranks]; i++) {
        struct cw_step *step = &made->steps[i];
        if (step->kind != CW_STEP_SEND) continue;
        step->first_channel = made->n_channels;
        step->n_channels = hops[s++];
        made->n_channels += step->n_channels;
    }
}

int cw_moves_routed(const struct cw_moves *moves, const struct cw_routes *routes, const char *method,
                    struct cw_moves *out)
{
    static const char what[] = "routes of sends";
    struct cw_moves made;
    int rc = cw_routes_need_paths(routes);
    if (!rc) rc = cw_moves_direct(moves, &made);
    if (rc) return rc;
    const size_t n = made.first_step[made.n_ranks] / 2; /* the others receive */
    snprintf(made.method, sizeof made.method, "%s", method);
    uint32_t *hops = cw_new_array(n, sizeof *hops, what);
    uint32_t *channels = cw_new_array(n * cw_routes_max_hops(routes) + 1, sizeof *channels, what);
    rc = hops && channels ? find_routes(&made, routes, n, hops, channels) : CW_ENOMEM;
    if (!rc) {
        set_routes(hops, &made);
        free(made.channels);
        made.channels = channels;
        channels = NULL;
    }
    free(hops);
    free(channels);
    return end(rc, &made, out);
}

/* --- a line ------------------------------------------------------------------------------------------------------- */

static void list_line(const struct cw_moves *moves, const uint32_t *way, uint32_t length, uint64_t bytes,
                      struct cw_moves *made)
{
    size_t n = 0;
    made->demands[0] = (struct cw_moves_demand){way[0], way[length - 1], bytes};
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        for (uint32_t i = 0; i < length; i++)
            if (way[i] == r)
                made->steps[n++] = (struct cw_step){.kind = i == 0           ? CW_STEP_SEND
                                                            : i + 1 < length ? CW_STEP_FORWARD
                                                                             : CW_STEP_RECEIVE,
                                                    .bytes = bytes,
                                                    .from = i > 0 ? way[i - 1] : CW_NONE,
                                                    .to = i + 1 < length ? way[i + 1] : CW_NONE,
                                                    .way = CW_NONE};
        made->first_step[r + 1] = n;
    }
}

int cw_moves_line(const struct cw_moves *moves, const uint32_t *way, uint32_t length, uint64_t size, uint64_t n,
                  struct cw_moves *out)
{
    struct cw_moves made = {0};
    int rc = begin(moves, moves->n_ranks, 1, length, 0, &made);
    if (!rc) rc = copy_ranks(moves, &made);
    if (!rc) list_line(moves, way, length, size * n, &made);
    made.n_streams = 1;
    made.chunk_bytes = size;
    made.seconds = made.default_seconds = (double)NAN;
    snprintf(made.method, sizeof made.method, "line");
    return end(rc, &made, out);
}

/* --- pieces --------------------------------------------------------------------------------------------------------
 */

/* Where a stream's part is in its part of the demand. */
struct piece {
    uint64_t offset, bytes;
};

/* The bytes that piece J of N has of STEP's. */
static uint64_t piece_bytes(const struct cw_moves *moves, const struct cw_step *step, uint32_t j, uint32_t n)
{
    const uint64_t chunks = cw_moves_chunks(moves, step->bytes), each = chunks / n, more = chunks % n;
    const uint64_t first = each * j + (j < more ? j : more), last = first + each + (j < more);
    if (first == last) return 0;
    return (last == chunks ? step->bytes : last * moves->chunk_bytes) - first * moves->chunk_bytes;
}

/* The first steps of streams, by demand and offset. */
static int compare_sends(const void *a, const void *b)
{
    const struct cw_step *one = *(const struct cw_step *const *)a, *two = *(const struct cw_step *const *)b;
    if (one->demand != two->demand) return one->demand < two->demand ? -1 : 1;
    return one->offset < two->offset ? -1 : one->offset > two->offset;
}

/* Rank J of the N in the place of RANK, or nobody's. */
static uint32_t place_of(uint32_t rank, uint32_t n, uint32_t j)
{
    return rank == CW_NONE ? CW_NONE : rank * n + j;
}

/* Fills PIECES, [streams · n], and the demands of MADE. */
static int share_out(const struct cw_moves *moves, uint32_t n, struct piece *pieces, struct cw_moves *made)
{
    if (n == 1) {
        memcpy(made->demands, moves->demands, moves->n_demands * sizeof *moves->demands);
        for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++)
            pieces[moves->steps[i].stream] = (struct piece){moves->steps[i].offset, moves->steps[i].bytes};
        return 0;
    }
    const struct cw_step **sends = cw_new_array((size_t)moves->n_streams + 1, sizeof *sends, "streams");
    size_t n_sends = 0;
    if (!sends) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i = cw_moves_end(moves, r, i))
            if (moves->steps[i].kind == CW_STEP_SEND) sends[n_sends++] = &moves->steps[i];
    qsort(sends, n_sends, sizeof *sends, compare_sends);
    for (size_t d = 0; d < moves->n_demands; d++)
        for (uint32_t j = 0; j < n; j++)
            made->demands[d * n + j] =
                (struct cw_moves_demand){moves->demands[d].src * n + j, place_of(moves->demands[d].dst, n, j), 0};
    for (size_t i = 0; i < n_sends; i++)
        for (uint32_t j = 0; j < n; j++) {
            struct piece *piece = &pieces[(size_t)sends[i]->stream * n + j];
            uint64_t *there = &made->demands[(size_t)sends[i]->demand * n + j].bytes;
            *piece = (struct piece){*there, piece_bytes(moves, sends[i], j, n)};
            *there += piece->bytes;
        }
    free(sends);
    return 0;
}

/* The steps of rank R's piece J. */
static void list_piece(const struct cw_moves *moves, uint32_t n, const struct piece *pieces, uint32_t r, uint32_t j,
                       struct cw_moves *made)
{
    size_t at = made->first_step[r * n + j];
    for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
        struct cw_step step = moves->steps[i];
        const struct piece *piece = &pieces[(size_t)step.stream * n + j];
        if (piece->bytes == 0) continue;
        step.stream = step.stream * n + j;
        step.demand = step.demand * n + j;
        step.offset = piece->offset;
        step.bytes = piece->bytes;
        step.from = place_of(step.from, n, j);
        step.to = place_of(step.to, n, j);
        made->steps[at++] = step;
    }
    made->first_step[r * n + j + 1] = at;
}

static int list_pieces(const struct cw_moves *moves, uint32_t n, const struct piece *pieces, struct cw_moves *made)
{
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (uint32_t j = 0; j < n; j++) {
            struct cw_text name = {0};
            cw_text_add(&name, moves->names[r]);
            if (n > 1) cw_text_printf(&name, ".%u", j);
            const int rc = cw_text_check(&name);
            made->names[r * n + j] = name.data;
            if (rc) return rc;
            made->endpoints[r * n + j] = moves->endpoints[r] * n + j;
            list_piece(moves, n, pieces, r, j, made);
        }
    if (moves->n_channels > 0) memcpy(made->channels, moves->channels, moves->n_channels * sizeof *moves->channels);
    return 0;
}

int cw_moves_split(const struct cw_moves *moves, uint32_t n, struct cw_moves *out)
{
    struct cw_moves made = {0};
    const uint64_t steps = moves->first_step[moves->n_ranks];
    if (n == 0 || (uint64_t)moves->endpoints[moves->n_ranks - 1] * n + n > CW_NONE ||
        (uint64_t)moves->n_streams * n >= CW_NONE)
        return cw_fail(CW_ELIMIT, "%u ranks in the place of each of %u", n, moves->n_ranks);
    for (size_t d = 0; d < moves->n_demands && n > 1; d++)
        if (moves->demands[d].dst == CW_NONE || moves->demands[d].src == CW_NONE)
            return cw_fail(CW_EUSAGE,
                           "%u ranks for each of %u endpoints, and data of all or for all: expected one for each", n,
                           moves->n_ranks);
    struct piece *pieces = cw_new_array((size_t)moves->n_streams * n + 1, sizeof *pieces, "streams");
    int rc = pieces ? begin(moves, (uint64_t)moves->n_ranks * n, (uint64_t)moves->n_demands * n, steps * n,
                            moves->n_channels, &made)
                    : CW_ENOMEM;
    made.n_streams = moves->n_streams * n;
    if (!rc) rc = share_out(moves, n, pieces, &made);
    if (!rc) rc = list_pieces(moves, n, pieces, &made);
    free(pieces);
    return end(rc, &made, out);
}
