/*
 * The least cut between two halves of the endpoints that a local search finds.
 *
 * Vertices are put together into groups: a switch and the endpoints that hang on it alone; other endpoints by
 * themselves. A search over the groups (topo/refine.h) makes a cut whose sides are about equal, since inequality has
 * the price of a host's channels; then single endpoints change sides until they are equal. In networks that are not
 * too large a second search, over single vertices, follows.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "topo/formulas_internal.h"
#include "topo/metrics.h"
#include "topo/refine.h"

/*
 * Ways to begin the search for a bisection: halvings of the endpoints that follow the network's structure, or chance.
 */

#define SMALL 100000 /* channels */

static uint32_t shape_halvings(const struct cw_shape *shape)
{
    const struct cw_formulas *formulas = cw_formulas_of(shape);
    return formulas && formulas->halvings ? formulas->halvings(shape) : 0;
}

/* How many there are for NET. */
static uint32_t count_halvings(const struct cw_network *net)
{
    const uint32_t by_chance = net->n_channels < SMALL ? 16 : 4;
    return 1 + shape_halvings(cw_network_regular_shape(net)) + by_chance;
}

/* The endpoints nearest to START; where it reaches no more, those nearest to the lowest vertex not reached. SCRATCH
 * holds the queue, and a mark for each vertex. */
static void halve_by_distance(const struct cw_network *net, uint32_t start, uint32_t *scratch, uint8_t *side)
{
    uint32_t *queue = scratch, *seen = scratch + net->n_vertices;
    uint32_t head = 0, tail = 0, endpoints = 0, lowest = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) seen[v] = 0;
    while (head < net->n_vertices) {
        if (head == tail) {
            if (head > 0)
                for (start = lowest; seen[start]; start++) lowest = start + 1;
            seen[start] = 1;
            queue[tail++] = start;
        }
        const uint32_t v = queue[head++];
        if (cw_network_is_endpoint(net, v)) side[v] = endpoints++ >= net->n_endpoints / 2;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c];
            if (seen[u]) continue;
            seen[u] = 1;
            queue[tail++] = u;
        }
    }
}

/* Number I of them, in SIDE (0 or 1 for each endpoint); the sides need not be equal. SCRATCH has room for 2·n_vertices.
 *
 * 0: by id, the lower half first. Then by shape — XGFT: for each level, subtrees with an even number against the odd
 * ones; tori: across each dimension, coordinates that fall in the middle divided across the next longest; dragonflies:
 * in each group, switches s and a - 1 - s (which all their global channels join) on the same side. Last, some by
 * breadth-first search from a random vertex of SEED: the half of the endpoints that is nearer. O(vertices + channels).
 */
static void halve(const struct cw_network *net, uint64_t seed, uint32_t i, uint32_t *scratch, uint8_t *side)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const uint32_t n = net->n_endpoints, by_shape = shape_halvings(shape);
    if (i == 0) {
        for (uint32_t e = 0; e < n; e++) side[e] = e >= n / 2;
    } else if (i > by_shape) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, i);
        halve_by_distance(net, cw_random_below(&random, net->n_vertices), scratch, side);
    } else {
        cw_formulas_of(shape)->halve(net, shape, i - 1, side);
    }
}

#define PASSES 20
#define WORK   2e7 /* edges that all passes from one halving may look at; one pass over the groups always may */

struct groups {
    struct cw_graph graph;
    uint32_t *of;     /* [vertices] group of each */
    uint32_t *leader; /* [groups] the switch or endpoint that it is of */
    uint32_t *weight; /* [groups] endpoints; owned, as the next three */
    size_t *first;
    uint32_t *next;
    double *cost;
    double price; /* mean capacity of an endpoint's channels */
};

static void groups_free(struct groups *groups)
{
    free(groups->of);
    free(groups->leader);
    free(groups->weight);
    free(groups->first);
    free(groups->next);
    free(groups->cost);
}

/* The switch that all channels of endpoint E lead to, or CW_NONE. */
static uint32_t only_switch(const struct cw_network *net, uint32_t e)
{
    if (net->first[e] == net->first[e + 1]) return CW_NONE;
    const uint32_t s = net->head[net->first[e]];
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
        if (net->head[c] != s) return CW_NONE;
    return cw_network_is_endpoint(net, s) ? CW_NONE : s;
}

static void number_groups(const struct cw_network *net, struct groups *groups)
{
    const uint32_t n_switches = cw_network_switches(net);
    uint32_t n = n_switches;
    for (uint32_t s = 0; s < n_switches; s++) {
        groups->leader[s] = net->n_endpoints + s;
        groups->of[net->n_endpoints + s] = s;
    }
    double sum = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t s = only_switch(net, e);
        const uint32_t group = s == CW_NONE ? n : s - net->n_endpoints;
        if (s == CW_NONE) groups->leader[n++] = e;
        groups->of[e] = group;
        groups->weight[group]++;
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) sum += net->capacity[c];
    }
    groups->graph.n = n;
    groups->price = net->n_endpoints > 0 ? sum / net->n_endpoints : 0;
}

/* Joins the groups; parallel channels become one edge. AT[g] is where the edge to group g stands, if it is of this row.
 */
static void join_groups(const struct cw_network *net, size_t *at, struct groups *groups)
{
    size_t n = 0;
    for (uint32_t g = 0; g < groups->graph.n; g++) at[g] = SIZE_MAX;
    for (uint32_t g = 0; g < groups->graph.n; g++) {
        const uint32_t v = groups->leader[g];
        const size_t begin = groups->first[g] = n;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t other = groups->of[net->head[c]];
            if (other == g) continue;
            if (at[other] == SIZE_MAX || at[other] < begin) {
                at[other] = n;
                groups->next[n] = other;
                groups->cost[n++] = 0;
            }
            groups->cost[at[other]] += net->capacity[c];
        }
    }
    groups->first[groups->graph.n] = n;
}

static int groups_new(const struct cw_network *net, struct groups *groups)
{
    memset(groups, 0, sizeof *groups);
    const size_t n = net->n_vertices;
    groups->of = cw_new_array(n, sizeof *groups->of, "groups");
    groups->leader = cw_new_array(n, sizeof *groups->leader, "groups");
    groups->weight = cw_new_array(n, sizeof *groups->weight, "groups");
    groups->first = cw_new_array(n + 1, sizeof *groups->first, "groups");
    groups->next = cw_new_array(net->n_channels, sizeof *groups->next, "groups");
    groups->cost = cw_new_array(net->n_channels, sizeof *groups->cost, "groups");
    size_t *at = cw_new_array(n, sizeof *at, "groups");
    const bool complete =
        groups->of && groups->leader && groups->weight && groups->first && groups->next && groups->cost && at;
    if (complete) {
        number_groups(net, groups);
        join_groups(net, at, groups);
        groups->graph.first = groups->first;
        groups->graph.next = groups->next;
        groups->graph.cost = groups->cost;
        groups->graph.weight = groups->weight;
    } else {
        groups_free(groups);
    }
    free(at);
    return complete ? 0 : CW_ENOMEM;
}

/* Gives each group the side that most of its endpoints have; one without endpoints that of most of its neighbours that
 * have a side, and so on outwards. VOTES is scratch for the groups. */
static void choose_sides(const struct groups *groups, const struct cw_network *net, const uint8_t *endpoint_side,
                         double *votes, uint8_t *side)
{
    enum { UNDECIDED = 2 };
    const struct cw_graph *graph = &groups->graph;
    for (uint32_t g = 0; g < graph->n; g++) votes[g] = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) votes[groups->of[e]] += endpoint_side[e] ? 1 : -1;
    for (uint32_t g = 0; g < graph->n; g++) side[g] = graph->weight[g] == 0 ? UNDECIDED : votes[g] > 0;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t g = 0; g < graph->n; g++) {
            if (side[g] != UNDECIDED) continue;
            double sum = 0;
            bool any = false;
            for (size_t i = graph->first[g]; i < graph->first[g + 1]; i++) {
                if (side[graph->next[i]] == UNDECIDED) continue;
                any = true;
                sum += side[graph->next[i]] ? graph->cost[i] : -graph->cost[i];
            }
            if (!any) continue;
            side[g] = sum > 0;
            again = true;
        }
    }
    for (uint32_t g = 0; g < graph->n; g++)
        if (side[g] == UNDECIDED) side[g] = 0;
}

/* An endpoint, and by how much the cut grows if it changes sides. */
struct move {
    double growth;
    uint32_t endpoint;
};

static int compare_moves(const void *left, const void *right)
{
    const struct move *a = left, *b = right;
    if (a->growth < b->growth || a->growth > b->growth) return a->growth < b->growth ? -1 : 1;
    return a->endpoint < b->endpoint ? -1 : a->endpoint > b->endpoint;
}

/* Makes the sides equal: the endpoints of the greater side that cost the least change over. SIDE is of vertices. */
static void equalise(const struct cw_network *net, struct move *moves, uint8_t *side)
{
    uint32_t ones = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) ones += side[e];
    const uint8_t greater = ones > net->n_endpoints - ones;
    const uint32_t most = greater ? ones : net->n_endpoints - ones, half = net->n_endpoints - net->n_endpoints / 2;
    uint32_t n = 0;
    for (uint32_t e = 0; e < net->n_endpoints && most > half; e++) {
        if (side[e] != greater) continue;
        moves[n] = (struct move){0, e};
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
            moves[n].growth += side[net->head[c]] == greater ? net->capacity[c] : -net->capacity[c];
        n++;
    }
    qsort(moves, n, sizeof *moves, compare_moves);
    for (uint32_t i = 0; i + half < most; i++) side[moves[i].endpoint] ^= 1;
}

/* What the searches from all halvings use. */
struct search {
    const struct cw_network *net;
    const struct groups *groups;
    struct cw_graph vertices; /* the network, whose vertices are searched one by one at the end */
    size_t *first;            /* [vertices + 1] and */
    uint32_t *weight;         /* [vertices] of that */
    double price;             /* more than any endpoint costs to move */
    uint32_t *scratch;        /* [2 · vertices] */
    double *votes;            /* [vertices] */
    struct move *moves;       /* [endpoints] */
    uint8_t *group_side;      /* [vertices] */
    uint8_t *side;            /* [vertices] */
};

static void search_free(struct search *search)
{
    free(search->first);
    free(search->weight);
    free(search->scratch);
    free(search->votes);
    free(search->moves);
    free(search->group_side);
    free(search->side);
}

static void view_vertices(struct search *search)
{
    const struct cw_network *net = search->net;
    for (uint32_t v = 0; v <= net->n_vertices; v++) search->first[v] = net->first[v];
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        double sum = 0;
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) sum += net->capacity[c];
        if (2 * sum > search->price) search->price = 2 * sum;
        search->weight[e] = 1;
    }
    search->vertices = (struct cw_graph){.n = net->n_vertices,
                                         .first = search->first,
                                         .next = net->head,
                                         .cost = net->capacity,
                                         .weight = search->weight};
}

static int search_new(struct search *search)
{
    const size_t n = search->net->n_vertices;
    search->first = cw_new_array(n + 1, sizeof *search->first, "halves");
    search->weight = cw_new_array(n, sizeof *search->weight, "halves");
    search->scratch = cw_new_array(n, 2 * sizeof *search->scratch, "halves");
    search->votes = cw_new_array(n, sizeof *search->votes, "halves");
    search->moves = cw_new_array(search->net->n_endpoints, sizeof *search->moves, "halves");
    search->group_side = cw_new_array(n, sizeof *search->group_side, "halves");
    search->side = cw_new_array(n, sizeof *search->side, "halves");
    if (!search->first || !search->weight || !search->scratch || !search->votes || !search->moves ||
        !search->group_side || !search->side)
        return CW_ENOMEM;
    view_vertices(search);
    return 0;
}

/* Keeps the cut between the sides in *OUT if it is less than what is there. */
static void keep_less(const struct cw_network *net, const uint8_t *side, struct cw_bisection *out)
{
    double channels[2] = {0}, capacity[2] = {0}; /* from either side */
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint8_t from = side[net->tail[c]];
        if (from == side[net->head[c]]) continue;
        channels[from] += !cw_network_is_closed(net, c);
        capacity[from] += net->capacity[c];
    }
    const int less = capacity[1] < capacity[0];
    if (capacity[less] >= out->capacity) return;
    out->channels = channels[less];
    out->capacity = capacity[less];
}

/* Searches from halving I: groups first, then single vertices. */
static int search_from(struct search *search, uint64_t seed, uint32_t i, struct cw_bisection *out)
{
    const struct cw_network *net = search->net;
    const struct groups *groups = search->groups;
    const double passes = WORK / ((double)groups->first[groups->graph.n] + 1);
    halve(net, seed, i, search->scratch, search->side);
    choose_sides(groups, net, search->side, search->votes, search->group_side);
    int rc = cw_refine(&groups->graph, groups->price,
                       passes < 1        ? 1
                       : passes < PASSES ? (unsigned)passes
                                         : PASSES,
                       search->group_side);
    if (rc) return rc;
    for (uint32_t v = 0; v < net->n_vertices; v++) search->side[v] = search->group_side[groups->of[v]];
    equalise(net, search->moves, search->side);
    keep_less(net, search->side, out);
    if (net->n_channels * PASSES > WORK) return 0;
    rc = cw_refine(&search->vertices, search->price, PASSES, search->side);
    if (rc) return rc;
    equalise(net, search->moves, search->side);
    keep_less(net, search->side, out);
    return 0;
}

int cw_network_bisection_by_search(const struct cw_network *net, uint64_t seed, struct cw_bisection *out)
{
    if (net->n_endpoints < 2) {
        *out = (struct cw_bisection){.exact = true, .how = "there are fewer than two endpoints"};
        return 0;
    }
    struct groups groups;
    int rc = groups_new(net, &groups);
    if (rc) return rc;
    struct cw_bisection best = {.capacity = INFINITY, .how = "by local search from several halvings"};
    struct search search = {.net = net, .groups = &groups};
    rc = search_new(&search);
    for (uint32_t i = 0; i < count_halvings(net) && rc == 0; i++) rc = search_from(&search, seed, i, &best);
    if (rc == 0) *out = best;
    search_free(&search);
    groups_free(&groups);
    return rc;
}
