#include "flow/moves/moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/files/plan_file.h"
#include "flow/legs/legs.h"
#include "flow/moves/moves_change.h"
#include "net/network_internal.h"

const char *const cw_step_names[] = {"send", "forward", "receive", "combine", NULL};

/* A stream on its way from one endpoint to the next. */
struct hop {
    uint32_t stream, from, to, way;
    size_t first_channel;
    uint32_t n_channels;
};

struct stream {
    uint32_t demand;
    uint64_t offset, bytes;
    size_t first_hop; /* its hops follow one another */
    uint32_t n_hops;
};

struct maker {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    struct stream *streams;
    struct hop *hops;
    size_t n_hops, hops_capacity, channels_capacity;
    uint32_t *rank_of; /* [endpoints] or CW_NONE */
    struct cw_moves moves;
};

/* --- hops --------------------------------------------------------------------------------------------------------- */

/* The one channel from switch SW to an endpoint of its own, which has no other cable; CW_NONE if that is none, or there
 * are several. */
static uint32_t channel_to_node(const struct cw_network *net, uint32_t sw)
{
    uint32_t found = CW_NONE;
    for (uint32_t c = net->first[sw]; c < net->first[sw + 1]; c++) {
        if (!cw_network_is_endpoint(net, net->head[c])) continue;
        if (found != CW_NONE || cw_network_degree(net, net->head[c]) != 1) return CW_NONE;
        found = c;
    }
    return found;
}

static int add_channels(struct maker *maker, const uint32_t *channels, uint32_t n)
{
    void *all = maker->moves.channels;
    const int rc = cw_grow_array(&all, &maker->channels_capacity, maker->moves.n_channels + n,
                                 sizeof *maker->moves.channels, "channels of moves");
    maker->moves.channels = all;
    if (rc) return rc;
    memcpy(maker->moves.channels + maker->moves.n_channels, channels, n * sizeof *channels);
    maker->moves.n_channels += n;
    return 0;
}

/* Which of the routes of the problem's legs leads from FROM to TO by the N channels at CHANNELS. */
static uint32_t way_of(const struct cw_legs *legs, uint32_t from, uint32_t to, const uint32_t *channels, uint32_t n)
{
    if (!legs) return CW_NONE;
    const uint32_t f = legs->from_index[from], t = legs->to_index[to];
    for (size_t r = 0; f != CW_NONE && t != CW_NONE && r < legs->setup.n_routes; r++) {
        uint32_t length;
        const uint32_t *way = cw_legs_channels(legs, f, t, r, &length);
        if (length == n && memcmp(way, channels, n * sizeof *way) == 0) return (uint32_t)r;
    }
    return CW_NONE;
}

/* Ends the hop of STREAM that has all channels since FIRST. */
static int end_hop(struct maker *maker, uint32_t stream, size_t first)
{
    const struct cw_network *net = maker->problem->net;
    const uint32_t *channels = maker->moves.channels + first, n = (uint32_t)(maker->moves.n_channels - first);
    const uint32_t from = net->tail[channels[0]], to = net->head[channels[n - 1]];
    void *hops = maker->hops;
    const int rc = cw_grow_array(&hops, &maker->hops_capacity, maker->n_hops + 1, sizeof *maker->hops, "hops of moves");
    maker->hops = hops;
    if (rc) return rc;
    maker->hops[maker->n_hops++] = (struct hop){.stream = stream,
                                                .from = from,
                                                .to = to,
                                                .way = way_of(maker->problem->legs, from, to, channels, n),
                                                .first_channel = first,
                                                .n_channels = n};
    maker->streams[stream].n_hops++;
    maker->rank_of[from] = maker->rank_of[to] = 0; /* numbers follow */
    return 0;
}

/* The node of switch SW takes STREAM in and sends it on. */
static int pass_node(struct maker *maker, uint32_t stream, uint32_t sw, size_t *first)
{
    const struct cw_network *net = maker->problem->net;
    const double *capacity = maker->problem->capacity;
    const uint32_t in = channel_to_node(net, sw);
    char name[CW_NAME_SIZE];
    if (in == CW_NONE || !(capacity[in] > 0) || !(capacity[net->twin[in]] > 0))
        return cw_fail(
            CW_EUSAGE,
            "the plan relays at %s, but no rank can: that is not a switch with exactly one working endpoint; "
            "expected a plan with --relays FILE or none",
            cw_network_name(net, sw, name, sizeof name));
    int rc = add_channels(maker, &in, 1);
    if (!rc) rc = end_hop(maker, stream, *first);
    *first = maker->moves.n_channels;
    return rc ? rc : add_channels(maker, &net->twin[in], 1);
}

/* Cuts PATH into the hops of STREAM. */
static int cut_path(struct maker *maker, const struct cw_plan_path *path, uint32_t stream)
{
    const struct cw_network *net = maker->problem->net;
    const uint32_t *channels = maker->plan->channels + path->first;
    const bool nodes_relay = !maker->problem->legs && !maker->plan->network_routes;
    size_t first = maker->moves.n_channels;
    maker->streams[stream].first_hop = maker->n_hops;
    int rc = 0;
    for (uint32_t i = 0; i < path->n && !rc; i++) {
        const uint32_t at = net->head[channels[i]];
        /* the first switch is the source's own, the last one the destination's */
        const bool node = nodes_relay && i > 0 && i + 2 < path->n;
        rc = add_channels(maker, &channels[i], 1);
        if (!rc && node) rc = pass_node(maker, stream, at, &first);
        if (rc || !cw_network_is_endpoint(net, at)) continue;
        rc = end_hop(maker, stream, first);
        first = maker->moves.n_channels;
    }
    return rc;
}

/* Streams are numbered in turn; the bytes of a demand go over its paths, one after another. */
static int cut_paths(struct maker *maker)
{
    const struct cw_plan *plan = maker->plan;
    const struct cw_demand *demands = maker->problem->demands->items;
    uint64_t *next = cw_new_array(maker->problem->demands->n, sizeof *next, "streams");
    struct cw_turn *turns = cw_new_array(plan->n_paths, sizeof *turns, "streams");
    for (size_t i = 0; i < plan->n_paths && turns; i++)
        turns[i] = (struct cw_turn){demands[plan->paths[i].demand].src, demands[plan->paths[i].demand].dst, i};
    int rc = next && turns ? cw_moves_take_turns(turns, plan->n_paths) : CW_ENOMEM;
    for (size_t i = 0; i < plan->n_paths && !rc; i++) {
        const struct cw_plan_path *path = &plan->paths[turns[i].index];
        if (path->bytes == 0) continue;
        const uint32_t stream = maker->moves.n_streams++;
        maker->streams[stream] =
            (struct stream){.demand = path->demand, .offset = next[path->demand], .bytes = path->bytes};
        next[path->demand] += path->bytes;
        rc = cut_path(maker, path, stream);
    }
    free(next);
    free(turns);
    return rc;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static int number_ranks(struct maker *maker)
{
    const struct cw_network *net = maker->problem->net;
    struct cw_moves *moves = &maker->moves;
    char name[CW_NAME_SIZE];
    uint32_t n = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (maker->rank_of[e] != CW_NONE) maker->rank_of[e] = n++;
    moves->endpoints = cw_new_array(n, sizeof *moves->endpoints, "ranks");
    moves->names = cw_new_array(n, sizeof *moves->names, "names of ranks");
    moves->first_step = cw_new_array((size_t)n + 1, sizeof *moves->first_step, "ranks");
    if (!moves->endpoints || !moves->names || !moves->first_step) return CW_ENOMEM;
    moves->n_ranks = n;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t rank = maker->rank_of[e];
        if (rank == CW_NONE) continue;
        cw_network_name(net, e, name, sizeof name);
        moves->endpoints[rank] = e;
        moves->names[rank] = cw_copy_text(name, strlen(name));
        if (!moves->names[rank]) return CW_ENOMEM;
    }
    return 0;
}

/* Puts the step of one of STREAM's ranks, between the hops IN and OUT, of which one may be NULL, into its list. */
static void put_step(struct maker *maker, uint32_t number, const struct hop *in, const struct hop *out, size_t *next)
{
    const struct stream *stream = &maker->streams[number];
    const uint32_t rank = maker->rank_of[out ? out->from : in->to];
    maker->moves.steps[next[rank]++] = (struct cw_step){.kind = !in   ? CW_STEP_SEND
                                                                : out ? CW_STEP_FORWARD
                                                                      : CW_STEP_RECEIVE,
                                                        .stream = number,
                                                        .demand = stream->demand,
                                                        .offset = stream->offset,
                                                        .bytes = stream->bytes,
                                                        .from = in ? maker->rank_of[in->from] : CW_NONE,
                                                        .to = out ? maker->rank_of[out->to] : CW_NONE,
                                                        .way = out ? out->way : CW_NONE,
                                                        .first_channel = out ? out->first_channel : 0,
                                                        .n_channels = out ? out->n_channels : 0};
}

static int list_steps(struct maker *maker)
{
    struct cw_moves *moves = &maker->moves;
    const size_t n_steps = maker->n_hops + moves->n_streams;
    size_t *next = cw_new_array(moves->n_ranks, sizeof *next, "ranks");
    moves->steps = cw_new_array(n_steps, sizeof *moves->steps, "steps of moves");
    if (!next || !moves->steps) {
        free(next);
        return CW_ENOMEM;
    }
    for (size_t h = 0; h < maker->n_hops; h++) { /* each rank but a stream's last sends it */
        const struct hop *hop = &maker->hops[h];
        moves->first_step[maker->rank_of[hop->from] + 1]++;
        if (h + 1 == maker->n_hops || maker->hops[h + 1].stream != hop->stream)
            moves->first_step[maker->rank_of[hop->to] + 1]++;
    }
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        moves->first_step[r + 1] += moves->first_step[r];
        next[r] = moves->first_step[r];
    }
    for (uint32_t s = 0; s < moves->n_streams; s++) {
        const struct hop *hops = maker->hops + maker->streams[s].first_hop;
        const uint32_t n = maker->streams[s].n_hops;
        for (uint32_t i = 0; i <= n; i++)
            put_step(maker, s, i > 0 ? &hops[i - 1] : NULL, i < n ? &hops[i] : NULL, next);
    }
    free(next);
    return 0;
}

static int list_demands(struct maker *maker)
{
    const struct cw_demands *demands = maker->problem->demands;
    struct cw_moves *moves = &maker->moves;
    moves->demands = cw_new_array(demands->n, sizeof *moves->demands, "demands of moves");
    if (!moves->demands) return CW_ENOMEM;
    moves->n_demands = demands->n;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        moves->demands[d] =
            (struct cw_moves_demand){maker->rank_of[demand->src], maker->rank_of[demand->dst], demand->bytes};
    }
    return 0;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int name_plan(struct maker *maker)
{
    const struct cw_network *net = maker->problem->net;
    struct cw_moves *moves = &maker->moves;
    cw_plan_fingerprint(net, moves->fingerprint);
    memcpy(moves->method, maker->plan->method, sizeof moves->method);
    moves->title = net->title ? cw_copy_text(net->title, strlen(net->title)) : NULL;
    return net->title && !moves->title ? CW_ENOMEM : 0;
}

static int make(struct maker *maker)
{
    const struct cw_network *net = maker->problem->net;
    if (maker->plan->n_paths >= UINT32_MAX) return cw_fail(CW_ELIMIT, "a plan of %zu paths", maker->plan->n_paths);
    maker->streams = cw_new_array(maker->plan->n_paths, sizeof *maker->streams, "streams");
    maker->rank_of = cw_new_array(net->n_endpoints, sizeof *maker->rank_of, "ranks of endpoints");
    if (!maker->streams || !maker->rank_of) return CW_ENOMEM;
    for (uint32_t e = 0; e < net->n_endpoints; e++) maker->rank_of[e] = CW_NONE;
    int rc = name_plan(maker);
    if (!rc) rc = cut_paths(maker);
    if (!rc && maker->n_hops == 0) rc = cw_fail(CW_EUSAGE, "the plan's paths have no bytes; it must be rounded first");
    if (!rc) rc = number_ranks(maker);
    if (!rc) rc = list_steps(maker);
    if (!rc) rc = list_demands(maker);
    return rc ? rc : cw_moves_verify(&maker->moves);
}

int cw_moves_make(const struct cw_flow_problem *problem, const struct cw_plan *plan, uint64_t chunk_bytes,
                  uint32_t credits, struct cw_moves *out)
{
    struct maker maker = {.problem = problem, .plan = plan};
    int rc = cw_flow_problem_check(problem);
    if (!rc && (chunk_bytes == 0 || credits == 0))
        rc = cw_fail(CW_EUSAGE, "chunks of %llu bytes and %u credits, expected more than 0",
                     (unsigned long long)chunk_bytes, credits);
    maker.moves.chunk_bytes = chunk_bytes;
    maker.moves.credits = credits;
    maker.moves.seconds = maker.moves.default_seconds = (double)NAN;
    if (!rc) rc = make(&maker);
    free(maker.streams);
    free(maker.hops);
    free(maker.rank_of);
    if (rc)
        cw_moves_free(&maker.moves);
    else
        *out = maker.moves;
    return rc;
}

size_t cw_moves_find(const struct cw_moves *moves, uint32_t rank, uint32_t stream)
{
    size_t low = moves->first_step[rank], high = moves->first_step[rank + 1];
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (moves->steps[middle].stream < stream)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && moves->steps[low].stream == stream ? low : SIZE_MAX;
}

size_t cw_moves_end(const struct cw_moves *moves, uint32_t rank, size_t first)
{
    size_t end = first + 1;
    while (end < moves->first_step[rank + 1] && moves->steps[end].stream == moves->steps[first].stream) end++;
    return end;
}

bool cw_moves_have_sums(const struct cw_moves *moves)
{
    for (size_t d = 0; d < moves->n_demands; d++)
        if (moves->demands[d].src == CW_NONE) return true;
    return false;
}

bool cw_moves_adds(const struct cw_moves *moves, const struct cw_step *step)
{
    const size_t taken = step->kind == CW_STEP_SEND ? cw_moves_find(moves, step->to, step->stream) : SIZE_MAX;
    return taken != SIZE_MAX && moves->steps[taken].kind == CW_STEP_COMBINE;
}

bool cw_moves_are_for(const struct cw_moves *moves, size_t demand, uint32_t rank)
{
    const struct cw_moves_demand *d = &moves->demands[demand];
    return d->dst == CW_NONE ? d->src != rank : d->dst == rank;
}

uint64_t cw_moves_chunks(const struct cw_moves *moves, uint64_t bytes)
{
    return bytes / moves->chunk_bytes + (bytes % moves->chunk_bytes > 0);
}

void cw_moves_free(struct cw_moves *moves)
{
    if (!moves) return;
    for (uint32_t r = 0; moves->names && r < moves->n_ranks; r++) free(moves->names[r]);
    free(moves->title);
    free(moves->demands);
    free(moves->endpoints);
    free(moves->names);
    free(moves->first_step);
    free(moves->steps);
    free(moves->channels);
    *moves = (struct cw_moves){.n_ranks = 0};
}
