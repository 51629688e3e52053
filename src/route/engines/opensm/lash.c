/*
 * LASH, layered shortest path routing of any network (Skeie, Lysne, Theiss, "Layered shortest path (LASH) routing in
 * irregular system area networks", IPDPS workshops 2002), with the tables and service levels of OpenSM's lash: one
 * shortest path between two switches, and a virtual lane for each pair of switches so that no lane has a cycle of
 * dependencies. What OpenSM does was found by experiment and in its documentation.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minhop.h"
#include "route/engines/opensm/lash_internal.h"
#include "route/guid_order.h"
#include "route/route_pairs.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

/*
 * The fabric as OpenSM's lash sees it, and its shortest paths: a breadth-first tree from each switch, in order, gives
 * every switch on it the way to all switches behind; what an earlier tree gave stays.
 */

static const char what[] = "paths of lash";

#define TREES 64u /* that are held at a time */

/* --- the fabric --------------------------------------------------------------------------------------------------- */

/* The link from switch V (a number) to switch TO, which is added if there is none. */
static void add_link(struct cw_lash *lash, uint32_t v, uint32_t to, uint32_t channel)
{
    uint32_t link = lash->first[v];
    while (link < lash->first[v + 1] && lash->head[link] != to) link++;
    if (link < lash->first[v + 1]) return; /* a parallel cable */
    lash->tail[link] = v;
    lash->head[link] = to;
    lash->channel[link] = channel;
    lash->first[v + 1]++;
}

static void add_links(struct cw_lash *lash)
{
    const struct cw_network *net = lash->net;
    lash->first[0] = 0;
    for (uint32_t v = 0; v < lash->n; v++) {
        lash->first[v + 1] = lash->first[v];
        for (uint32_t c = net->first[lash->vertex[v]]; c < net->first[lash->vertex[v] + 1]; c++)
            if (!cw_network_is_endpoint(net, net->head[c]))
                add_link(lash, v, lash->number[net->head[c] - net->n_endpoints], c);
    }
}

int cw_lash_open(const struct cw_network *net, struct cw_lash *lash)
{
    const uint32_t n = cw_network_switches(net);
    *lash = (struct cw_lash){.net = net, .n = n};
    lash->number = cw_new_array(n, sizeof *lash->number, what);
    lash->first = cw_new_array((size_t)n + 1, sizeof *lash->first, what);
    lash->tail = cw_new_array(net->n_channels, sizeof *lash->tail, what);
    lash->head = cw_new_array(net->n_channels, sizeof *lash->head, what);
    lash->channel = cw_new_array(net->n_channels, sizeof *lash->channel, what);
    lash->next = cw_new_array((size_t)n * n, sizeof *lash->next, what);
    lash->lane = cw_new_array((size_t)n * n, sizeof *lash->lane, what);
    int rc = lash->number && lash->first && lash->tail && lash->head && lash->channel && lash->next && lash->lane
                 ? cw_guid_order(net, &lash->vertex)
                 : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t v = 0; v < n; v++) lash->number[lash->vertex[v] - net->n_endpoints] = v;
        add_links(lash);
    }
    return rc;
}

void cw_lash_free(struct cw_lash *lash)
{
    free(lash->vertex);
    free(lash->number);
    free(lash->first);
    free(lash->tail);
    free(lash->head);
    free(lash->channel);
    free(lash->next);
    free(lash->lane);
    *lash = (struct cw_lash){0};
}

/* --- shortest paths ----------------------------------------------------------------------------------------------- */

struct trees {
    struct cw_lash *lash;
    uint32_t root, n; /* those of the roots ROOT … ROOT + N - 1 */
    uint32_t *into;   /* [TREES][switches] the link by which a switch was met, or CW_NONE */
    uint32_t **queue; /* for each thread: [switches] */
};

static int grow_tree(void *context, size_t index, unsigned thread)
{
    const struct trees *trees = context;
    const struct cw_lash *lash = trees->lash;
    uint32_t *into = trees->into + index * lash->n, *queue = trees->queue[thread], n = 0;
    const uint32_t root = trees->root + (uint32_t)index;
    for (uint32_t v = 0; v < lash->n; v++) into[v] = CW_NONE;
    queue[n++] = root;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t link = lash->first[queue[i]]; link < lash->first[queue[i] + 1]; link++) {
            const uint32_t w = lash->head[link];
            if (w == root || into[w] != CW_NONE) continue;
            into[w] = link;
            queue[n++] = w;
        }
    return 0;
}

/* The ways to switch D, from the trees in order. */
static int take_ways(void *context, size_t d, unsigned thread)
{
    const struct trees *trees = context;
    const struct cw_lash *lash = trees->lash;
    uint16_t *next = lash->next + d * lash->n;
    (void)thread;
    for (uint32_t i = 0; i < trees->n; i++) {
        const uint32_t *into = trees->into + (size_t)i * lash->n;
        for (uint32_t link = into[d]; link != CW_NONE;) {
            const uint32_t v = lash->tail[link];
            if (next[v] == CW_LASH_NO_LINK) next[v] = (uint16_t)(link - lash->first[v]);
            link = into[v];
        }
    }
    return 0;
}

int cw_lash_find_paths(struct cw_lash *lash, unsigned n_threads)
{
    const unsigned threads = cw_parallel_threads(n_threads, TREES);
    struct trees trees = {.lash = lash};
    trees.into = cw_new_array((size_t)TREES * lash->n, sizeof *trees.into, what);
    trees.queue = cw_new_array(threads, sizeof *trees.queue, what);
    int rc = trees.into && trees.queue ? 0 : CW_ENOMEM;
    for (unsigned t = 0; t < threads && rc == 0; t++) {
        trees.queue[t] = cw_new_array(lash->n, sizeof **trees.queue, what);
        if (!trees.queue[t]) rc = CW_ENOMEM;
    }
    if (rc == 0) memset(lash->next, 0xff, (size_t)lash->n * lash->n * sizeof *lash->next); /* CW_LASH_NO_LINK */
    for (; rc == 0 && trees.root < lash->n; trees.root += TREES) {
        trees.n = lash->n - trees.root < TREES ? lash->n - trees.root : TREES;
        rc = cw_parallel_for(n_threads, trees.n, grow_tree, &trees);
        if (rc == 0) rc = cw_parallel_for(n_threads, lash->n, take_ways, &trees);
    }
    for (unsigned t = 0; trees.queue && t < threads; t++) free(trees.queue[t]);
    free(trees.queue);
    free(trees.into);
    return rc;
}

struct options {
    int64_t lanes, start;
    bool mesh;
};

/* --- tables and levels -------------------------------------------------------------------------------------------- */

struct result {
    const struct cw_lash *lash;
    struct cw_lft *tables;
};

/* The number of endpoint E's switch, or CW_NONE. */
static uint32_t switch_of(const struct cw_lash *lash, uint32_t e)
{
    const uint32_t v = cw_pairs_switch(lash->net, e);
    return v == CW_NONE ? CW_NONE : lash->number[v - lash->net->n_endpoints];
}

static int fill_column(void *context, size_t dst, unsigned thread)
{
    const struct result *result = context;
    const struct cw_lash *lash = result->lash;
    const struct cw_network *net = lash->net;
    const uint32_t e = (uint32_t)dst, d = switch_of(lash, e);
    (void)thread;
    for (uint32_t v = 0; v < lash->n && d != CW_NONE; v++) {
        const uint32_t link = v == d ? CW_NONE : cw_lash_link(lash, v, d);
        const uint32_t channel = v == d ? net->twin[net->first[e]] : link == CW_NONE ? CW_NONE : lash->channel[link];
        if (channel != CW_NONE) cw_lft_set(result->tables, lash->vertex[v], e, channel - net->first[lash->vertex[v]]);
    }
    return 0;
}

/* What has a LID. */
struct target {
    uint32_t vertex, lid, lids;
};

static int by_lid(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    return x->lid != y->lid ? (x->lid < y->lid ? -1 : 1) : x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* The cable behind CHANNEL of those that join the same switches, counted round. */
static uint32_t next_cable(const struct cw_lash *lash, uint32_t v, uint32_t channel)
{
    const struct cw_network *net = lash->net;
    const uint32_t first = net->first[lash->vertex[v]], n = net->first[lash->vertex[v] + 1] - first;
    uint32_t next = channel;
    do next = next + 1 == first + n ? first : next + 1;
    while (net->head[next] != net->head[channel]);
    return next;
}

/* Entries of switch V, as OpenSM makes them after a mesh analysis: in order of LIDs, switches' among them, each goes
 * through the next of parallel cables. CABLE has the next of each link, and is changed. */
static void spread_row(const struct result *result, uint32_t v, const struct target *targets, uint32_t *cable)
{
    const struct cw_lash *lash = result->lash;
    const struct cw_network *net = lash->net;
    for (uint32_t i = 0; i < net->n_vertices; i++) {
        const uint32_t to = targets[i].vertex;
        const uint32_t d = to < net->n_endpoints ? switch_of(lash, to) : lash->number[to - net->n_endpoints];
        const uint32_t link = d == CW_NONE || d == v ? CW_NONE : cw_lash_link(lash, v, d);
        if (link == CW_NONE) continue;
        if (to < net->n_endpoints)
            cw_lft_set(result->tables, lash->vertex[v], to, cable[link] - net->first[lash->vertex[v]]);
        for (uint32_t lid = 0; lid < targets[i].lids; lid++) cable[link] = next_cable(lash, v, cable[link]);
    }
}

/* A network without LIDs has its endpoints' before its switches'. */
static int spread(const struct result *result)
{
    const struct cw_lash *lash = result->lash;
    const struct cw_network *net = lash->net;
    const uint32_t n_links = lash->first[lash->n];
    struct target *targets = cw_new_array(net->n_vertices, sizeof *targets, "LIDs of lash");
    uint32_t *cable = cw_new_array(net->n_channels, sizeof *cable, "cables of lash");
    int rc = targets && cable ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; rc == 0 && i < net->n_vertices; i++) {
        const struct cw_identity *identity = net->identity ? &net->identity[i] : NULL;
        targets[i] = (struct target){i, identity ? identity->lid : 0, identity ? 1u << identity->lmc : 1};
    }
    for (uint32_t link = 0; rc == 0 && link < n_links; link++) cable[link] = lash->channel[link];
    if (rc == 0) qsort(targets, net->n_vertices, sizeof *targets, by_lid);
    for (uint32_t v = 0; rc == 0 && v < lash->n; v++) {
        rc = cw_interrupt_check();
        if (rc == 0) spread_row(result, v, targets, cable);
    }
    free(targets);
    free(cable);
    return rc;
}

static int make_tables(const struct cw_lash *lash, bool mesh, unsigned n_threads, struct cw_routes **out)
{
    struct result result = {.lash = lash};
    int rc = cw_lft_new(lash->net, &result.tables);
    if (rc) return rc;
    rc = cw_parallel_for(n_threads, lash->net->n_endpoints, fill_column, &result);
    if (rc == 0 && mesh) rc = spread(&result);
    if (rc) {
        cw_lft_free(result.tables);
        return rc;
    }
    return cw_lft_finish_as(result.tables, "lash", lash->longest + 2, n_threads, out);
}

struct levelling {
    const struct cw_lash *lash;
    const uint32_t *at; /* [endpoints] their switches */
    uint32_t start;     /* the first level, that of endpoints of one switch */
    struct cw_service_levels *levels;
};

/* The levels of the routes from an endpoint. */
static int set_levels(void *context, size_t index, unsigned thread)
{
    const struct levelling *levelling = context;
    const struct cw_lash *lash = levelling->lash;
    const uint32_t *at = levelling->at, src = (uint32_t)index;
    (void)thread;
    for (uint32_t dst = 0; dst < lash->net->n_endpoints; dst++) {
        if (at[src] == CW_NONE || at[dst] == CW_NONE || src == dst) continue;
        const uint8_t lane = lash->lane[(size_t)at[src] * lash->n + at[dst]];
        cw_service_levels_set(levelling->levels, src, dst, levelling->start + (lane == CW_LASH_NO_LANE ? 0 : lane));
    }
    return 0;
}

static int give_levels(const struct cw_lash *lash, uint32_t start, unsigned n_threads, struct cw_routes *routes)
{
    const uint32_t n = lash->net->n_endpoints;
    if (start + lash->lanes <= 1) return 0;
    uint32_t *at = cw_new_array(n, sizeof *at, "switches of endpoints");
    struct levelling levelling = {.lash = lash, .at = at, .start = start};
    int rc = at ? cw_service_levels_new(lash->net, start + lash->lanes, &levelling.levels) : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t e = 0; e < n; e++) at[e] = switch_of(lash, e);
        rc = cw_parallel_for(n_threads, n, set_levels, &levelling);
        if (rc)
            cw_service_levels_free(levelling.levels);
        else
            rc = cw_routes_set_service_levels(routes, levelling.levels);
    }
    free(at);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int lash_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    const uint32_t lanes = (uint32_t)options->lanes, start = (uint32_t)options->start;
    struct cw_routes *routes = NULL;
    struct cw_lash lash;
    if (start >= lanes)
        return cw_fail(CW_EUSAGE,
                       "lash is to start with virtual lane %u of %u, numbered from 0; expected a lower start", start,
                       lanes);
    int rc = cw_lash_open(net, &lash);
    if (rc == 0 && options->mesh) rc = cw_lash_order_as_mesh(&lash);
    if (rc == 0) rc = cw_lash_find_paths(&lash, n_threads);
    if (rc == 0) rc = cw_lash_assign_lanes(&lash, lanes - start);
    if (rc == 0) rc = make_tables(&lash, options->mesh, n_threads, &routes);
    if (rc == 0) rc = give_levels(&lash, start, n_threads, routes);
    cw_lash_free(&lash);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

static const struct cw_option options[] = {
    {.name = "lanes",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct options, lanes),
     .value_name = "N",
     .default_text = "8",
     .min = 1,
     .max = CW_LANE_DISCARDED,
     .help = "virtual lanes that there are; as few as its order of pairs allows are used"},
    {.name = "start",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct options, start),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = CW_LANE_DISCARDED - 1,
     .help = "the first virtual lane that is used, counted from 0; as OpenSM's lash_start_vl"},
    {.name = "mesh",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct options, mesh),
     .help = "look for a mesh or torus, and take switches and links in its order; as OpenSM's do_mesh_analysis"},
    {.name = NULL}};

const struct cw_engine cw_engine_lash = {
    .name = "lash",
    .opensm = "lash",
    .help = "any network: shortest paths; virtual lanes (service levels) keep them free of deadlocks; OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct options),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .accepts = cw_opensm_accepts,
    .compile = lash_compile};
