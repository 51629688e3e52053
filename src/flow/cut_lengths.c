#include "flow/cut_lengths.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define LEAST_DEMAND 1e-9 /* across a cut, in largest demands: less is what rounding leaves of none */

/* Cuts by depth: cut d parts the vertices of depth d and less from the others. What crosses several of them counts in
 * each, so both arrays hold differences until they are summed up. */
struct cuts {
    const struct cw_flow_problem *problem;
    uint32_t *depth, *queue; /* [vertices] */
    double *capacity;        /* [vertices + 1] */
    double *demand;          /* [vertices + 1] */
    double *unlimited;       /* [vertices + 1] channels without a limit, which spoil a cut */
    double bound;            /* the least so far */
    double *length;
};

static double capacity_of(const struct cuts *cuts, uint32_t c)
{
    return cuts->problem->capacity[c] / cuts->problem->unit_capacity;
}

static double amount_of(const struct cuts *cuts, size_t d)
{
    return (double)cuts->problem->demands->items[d].bytes / (double)cuts->problem->unit_bytes;
}

/* The depth of every vertex: hops from the sources of all demands or, BACKWARDS, to their destinations. What cannot be
 * reached is as deep as anything. */
static void find_depths(struct cuts *cuts, bool backwards)
{
    const struct cw_network *net = cuts->problem->net;
    const struct cw_demands *demands = cuts->problem->demands;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) cuts->depth[v] = net->n_vertices - 1;
    for (size_t d = 0; d < demands->n; d++) {
        const uint32_t end = backwards ? demands->items[d].dst : demands->items[d].src;
        if (cuts->depth[end] == 0) continue;
        cuts->depth[end] = 0;
        cuts->queue[n++] = end;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = cuts->queue[i];
        for (uint32_t port = net->first[v]; port < net->first[v + 1]; port++) {
            const uint32_t next = net->head[port], c = backwards ? net->twin[port] : port;
            if (!(cuts->problem->capacity[c] > 0) || cuts->depth[next] <= cuts->depth[v] + 1) continue;
            if (cuts->depth[next] == net->n_vertices - 1) cuts->queue[n++] = next;
            cuts->depth[next] = cuts->depth[v] + 1;
        }
    }
}

static void clear(struct cuts *cuts)
{
    for (uint32_t v = 0; v <= cuts->problem->net->n_vertices; v++)
        cuts->capacity[v] = cuts->demand[v] = cuts->unlimited[v] = 0;
}

/* Adds VALUE to SUMS for the cuts from depth FROM up to before TO. */
static void add(double *sums, uint32_t from, uint32_t to, double value)
{
    sums[from] += value;
    sums[to] -= value;
}

/* Takes the channels from NEAR (of depth DEPTH or less) to farther vertices as the cut, BOUND being the least. */
static void take_cut(struct cuts *cuts, bool backwards, uint32_t depth)
{
    const struct cw_network *net = cuts->problem->net;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t near = backwards ? net->head[c] : net->tail[c], far = backwards ? net->tail[c] : net->head[c];
        cuts->length[c] = cuts->depth[near] <= depth && cuts->depth[far] > depth && cuts->problem->capacity[c] > 0;
    }
}

static void try_depths(struct cuts *cuts, bool backwards)
{
    const struct cw_network *net = cuts->problem->net;
    const struct cw_demands *demands = cuts->problem->demands;
    find_depths(cuts, backwards);
    clear(cuts);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t near = cuts->depth[backwards ? net->head[c] : net->tail[c]];
        const uint32_t far = cuts->depth[backwards ? net->tail[c] : net->head[c]];
        if (near >= far) continue;
        const bool limited = !isinf(cuts->problem->capacity[c]);
        add(limited ? cuts->capacity : cuts->unlimited, near, far, limited ? capacity_of(cuts, c) : 1);
    }
    for (size_t d = 0; d < demands->n; d++) {
        const uint32_t src = cuts->depth[demands->items[d].src], dst = cuts->depth[demands->items[d].dst];
        const uint32_t near = backwards ? dst : src, far = backwards ? src : dst;
        if (near < far) add(cuts->demand, near, far, amount_of(cuts, d));
    }
    double capacity = 0, demand = 0, unlimited = 0, least = cuts->bound;
    uint32_t best = CW_NONE;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        capacity += cuts->capacity[v];
        demand += cuts->demand[v];
        unlimited += cuts->unlimited[v];
        if (unlimited > 0 || !(demand > LEAST_DEMAND) || !(capacity / demand < least)) continue;
        least = capacity / demand;
        best = v;
    }
    if (best == CW_NONE) return;
    cuts->bound = least;
    take_cut(cuts, backwards, best);
}

/* The set that V belongs to: each switch with the endpoints that have no other or, ALONE, each vertex by itself. */
static uint32_t set_of(const struct cw_network *net, bool alone, uint32_t v)
{
    if (alone || !cw_network_is_endpoint(net, v) || cw_network_degree(net, v) != 1) return v;
    return net->head[net->first[v]];
}

/* The set that channel C leaves or, BACKWARDS, enters; CW_NONE if it is within one. */
static uint32_t crossed_set(const struct cw_network *net, bool alone, bool backwards, uint32_t c)
{
    const uint32_t from = set_of(net, alone, net->tail[c]), to = set_of(net, alone, net->head[c]);
    return from == to ? CW_NONE : backwards ? to : from;
}

/* What each set sends or, BACKWARDS, receives. */
static void try_sets(struct cuts *cuts, bool alone, bool backwards)
{
    const struct cw_network *net = cuts->problem->net;
    const struct cw_demands *demands = cuts->problem->demands;
    clear(cuts);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t set = crossed_set(net, alone, backwards, c);
        if (set != CW_NONE) cuts->capacity[set] += capacity_of(cuts, c);
    }
    for (size_t d = 0; d < demands->n; d++) {
        const uint32_t src = set_of(net, alone, demands->items[d].src), dst = set_of(net, alone, demands->items[d].dst);
        if (src != dst) cuts->demand[backwards ? dst : src] += amount_of(cuts, d);
    }
    uint32_t best = CW_NONE;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        if (!(cuts->demand[v] > 0) || !(cuts->capacity[v] / cuts->demand[v] < cuts->bound)) continue;
        cuts->bound = cuts->capacity[v] / cuts->demand[v];
        best = v;
    }
    if (best == CW_NONE) return;
    for (uint32_t c = 0; c < net->n_channels; c++)
        cuts->length[c] = crossed_set(net, alone, backwards, c) == best && cuts->problem->capacity[c] > 0;
}

int cw_cut_lengths(const struct cw_flow_problem *problem, double *length, double *bound)
{
    const uint32_t n = problem->net->n_vertices;
    struct cuts cuts = {.problem = problem, .bound = INFINITY, .length = length};
    cuts.depth = cw_new_array(n, sizeof *cuts.depth, "cuts");
    cuts.queue = cw_new_array(n, sizeof *cuts.queue, "cuts");
    cuts.capacity = cw_new_array((size_t)n + 1, sizeof *cuts.capacity, "cuts");
    cuts.demand = cw_new_array((size_t)n + 1, sizeof *cuts.demand, "cuts");
    cuts.unlimited = cw_new_array((size_t)n + 1, sizeof *cuts.unlimited, "cuts");
    const int rc = cuts.depth && cuts.queue && cuts.capacity && cuts.demand && cuts.unlimited ? 0 : CW_ENOMEM;
    for (int backwards = 0; backwards < 2 && !rc; backwards++) {
        try_sets(&cuts, true, backwards);
        try_sets(&cuts, false, backwards);
        try_depths(&cuts, backwards);
    }
    free(cuts.depth);
    free(cuts.queue);
    free(cuts.capacity);
    free(cuts.demand);
    free(cuts.unlimited);
    if (!rc) *bound = cuts.bound;
    return rc;
}
