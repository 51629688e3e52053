#include "flow/cuts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/quotient.h"
#include "net/network_internal.h"
#include "net/places.h"

#define LEAST_DEMAND 1e-9 /* across a cut, in largest demands: less is what rounding leaves of none */

/* Cuts by depth: cut d parts the vertices of depth d and less from the others. What crosses several of them counts in
 * each, so both arrays hold differences until they are summed up. */
struct cuts {
    const struct cw_flow_problem *problem;
    uint32_t *depth, *queue; /* [vertices] */
    uint32_t *label;         /* [vertices] the set that each is in */
    uint32_t n_labels;       /* vertices, and what stands for switches that the shape has and the network lacks */
    double *capacity;        /* [2 · labels + 1] */
    double *demand;          /* [2 · labels + 1] */
    double *unlimited;       /* [2 · labels + 1] channels without a limit, which spoil a cut */
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
    for (size_t i = 0; i <= 2 * (size_t)cuts->n_labels; i++)
        cuts->capacity[i] = cuts->demand[i] = cuts->unlimited[i] = 0;
}

/* Adds VALUE to SUMS for the cuts from depth FROM up to before TO. */
static void add(double *sums, uint32_t from, uint32_t to, double value)
{
    sums[from] += value;
    sums[to] -= value;
}

/* What each set of vertices with one label sends and receives: of label v at v and at v + labels. */
static void try_sets(struct cuts *cuts)
{
    const uint32_t *label = cuts->label;
    const struct cw_network *net = cuts->problem->net;
    const struct cw_demands *demands = cuts->problem->demands;
    const uint32_t n = cuts->n_labels;
    clear(cuts);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t from = label[net->tail[c]], to = label[net->head[c]];
        if (from == to) continue;
        cuts->capacity[from] += capacity_of(cuts, c);
        cuts->capacity[n + to] += capacity_of(cuts, c);
    }
    for (size_t d = 0; d < demands->n; d++) {
        const uint32_t src = label[demands->items[d].src], dst = label[demands->items[d].dst];
        if (src == dst) continue;
        cuts->demand[src] += amount_of(cuts, d);
        cuts->demand[n + dst] += amount_of(cuts, d);
    }
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < 2 * (size_t)n; i++) {
        if (!(cuts->demand[i] > 0) || !(cuts->capacity[i] / cuts->demand[i] < cuts->bound)) continue;
        cuts->bound = cuts->capacity[i] / cuts->demand[i];
        best = i;
    }
    if (best == SIZE_MAX) return;
    const uint32_t *near = best < n ? net->tail : net->head, *far = best < n ? net->head : net->tail;
    for (uint32_t c = 0; c < net->n_channels; c++)
        cuts->length[c] = label[near[c]] == best % n && label[far[c]] != best % n && cuts->problem->capacity[c] > 0;
}

/* The best cut by depth is counted again by what crosses it alone: sums of differences keep the rounding errors of
 * capacities that are far greater. */
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
    for (uint32_t v = 0; v < net->n_vertices; v++) cuts->label[v] = cuts->depth[v] > best;
    try_sets(cuts);
}

/* Endpoints belong to the set of their switches, those whose switches are in several to none. */
static void try_sets_of_switches(struct cuts *cuts)
{
    const struct cw_network *net = cuts->problem->net;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const uint32_t *head = net->head + net->first[v], n = cw_network_degree(net, v);
        uint32_t same = 0;
        while (same < n && head[same] >= net->n_endpoints && cuts->label[head[same]] == cuts->label[*head]) same++;
        cuts->label[v] = same == n && n > 0 ? cuts->label[*head] : v;
    }
    try_sets(cuts);
}

/* The partitions that the shape knows. Their labels are switches, so that an endpoint that belongs to none has one of
 * its own. */
static void try_shape(struct cuts *cuts)
{
    const struct cw_network *net = cuts->problem->net;
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const uint32_t n = net->n_endpoints, n_partitions = cw_shape_partitions(shape);
    const uint32_t *place = net->places ? net->places->place : NULL;
    const uint32_t first = place ? net->places->ideal->n_endpoints : n; /* switch among the places */
    for (uint32_t partition = 0; partition < n_partitions; partition++) {
        for (uint32_t v = n; v < net->n_vertices; v++)
            cuts->label[v] = n + cw_shape_part(shape, partition, (place ? place[v] : v) - first);
        try_sets_of_switches(cuts);
    }
}

static void try_all(struct cuts *cuts)
{
    const uint32_t n = cuts->problem->net->n_vertices;
    for (uint32_t v = 0; v < n; v++) cuts->label[v] = v;
    try_sets(cuts);
    try_sets_of_switches(cuts);
    try_depths(cuts, false);
    try_depths(cuts, true);
    try_shape(cuts);
}

static int find_cut(const struct cw_flow_problem *problem, double *length, double *bound)
{
    const uint32_t n = problem->net->n_vertices;
    if (problem->anycast) { /* a cut would have to part a demand from all its destinations */
        *bound = INFINITY;
        return 0;
    }
    struct cuts cuts = {.problem = problem, .n_labels = n, .bound = INFINITY, .length = length};
    if (problem->net->places) cuts.n_labels += problem->net->places->missing_switches;
    const size_t n_sets = 2 * (size_t)cuts.n_labels + 1;
    cuts.depth = cw_new_array(n, sizeof *cuts.depth, "cuts");
    cuts.queue = cw_new_array(n, sizeof *cuts.queue, "cuts");
    cuts.label = cw_new_array(n, sizeof *cuts.label, "cuts");
    cuts.capacity = cw_new_array(n_sets, sizeof *cuts.capacity, "cuts");
    cuts.demand = cw_new_array(n_sets, sizeof *cuts.demand, "cuts");
    cuts.unlimited = cw_new_array(n_sets, sizeof *cuts.unlimited, "cuts");
    const int rc =
        cuts.depth && cuts.queue && cuts.label && cuts.capacity && cuts.demand && cuts.unlimited ? 0 : CW_ENOMEM;
    if (!rc) try_all(&cuts);
    free(cuts.depth);
    free(cuts.queue);
    free(cuts.label);
    free(cuts.capacity);
    free(cuts.demand);
    free(cuts.unlimited);
    if (!rc) *bound = cuts.bound;
    return rc;
}

int cw_cut_lengths(const struct cw_flow_problem *problem, double *length, double *bound)
{
    const struct cw_quotient *quotient = problem->quotient;
    const int rc = find_cut(quotient ? quotient->whole : problem, length, bound);
    if (!rc && quotient) cw_quotient_fold(quotient, length);
    return rc;
}
