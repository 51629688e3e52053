#include "net/network_internal.h"
#include "route/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/dependency_graph.h"
#include "route/route_pairs.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

#define CHUNK          32    /* destinations of a task */
#define BATCH_CHANNELS 65536 /* channels of a batch of paths */

/* The first place, in order of channels, where packets are discarded. */
struct discard {
    uint32_t before, channel; /* CW_NONE: none */
    uint32_t level;
};

struct worker {
    struct cw_tree tree; /* for tables */
    bool *used;          /* [n_switches · tree.n] a route passes here */
    uint16_t *arriving;  /* [n_switches · CW_SERVICE_LEVELS] for tables with service levels: the lanes, a bit each, on
                            which packets of a level leave here */
    struct discard discard;

    uint32_t *src, *dst, *hops, *channels; /* for other routes: a batch */
    uint8_t *lanes;
};

struct check {
    const struct cw_network *net;
    const struct cw_routes *routes;
    bool by_tree;
    const struct cw_service_levels *levels; /* of tables, or NULL */
    struct cw_pairs pairs;
    struct cw_dependencies graph;
    uint32_t *first_source; /* [n_switches] the channel of an endpoint there with no other cable, or CW_NONE */
    uint32_t *others;       /* endpoints that are not counted there */
    uint32_t n_others;
    uint32_t batch;
    struct worker *workers;
    struct discard discard; /* of all of them */
    bool first_lids;        /* cw_deadlock's */
};

/* --- tables: all routes to some destinations at once -------------------------------------------------------------- */

/* Endpoints on one switch go the same way but for the destination among them. So only one of them is given what all
 * depend on; spread_sources does the rest. */
static void enter_sources(struct check *check, struct worker *worker)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t switches = cw_network_switches(net), base = net->n_endpoints, n = tree->n;
    for (uint32_t v = 0; v < switches; v++)
        for (uint32_t i = 0; i < n; i++) {
            const size_t at = (size_t)v * n + i;
            worker->used[at] = check->first_source[v] != CW_NONE && tree->hops[at] < CW_TREE_LOOP;
            if (worker->used[at]) cw_dependencies_add(&check->graph, check->first_source[v], 0, tree->channel[at], 0);
        }
    for (uint32_t o = 0; o < check->n_others * n; o++) {
        const uint32_t src = check->others[o / n], i = o % n;
        if (src == tree->dst[i] || cw_tree_route(tree, i, src) >= CW_TREE_LOOP) continue;
        const uint32_t channel = cw_tree_start(tree, i, src), head = net->head[channel];
        if (!cw_network_forwards(net, head)) continue;
        const size_t at = (size_t)(head - base) * n + i;
        worker->used[at] = true;
        cw_dependencies_add(&check->graph, channel, 0, tree->channel[at], 0);
    }
}

/* To the first of the LEFT destinations DST; the result is to how many. */
static uint32_t check_trees(struct check *check, struct worker *worker, const uint32_t *dst, uint32_t left)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t base = net->n_endpoints, n = cw_tree_fill_several(&worker->tree, dst, left);
    enter_sources(check, worker);
    for (uint32_t o = 0; o < tree->n_order; o++)
        for (uint32_t i = 0; i < n; i++) {
            const size_t at = (size_t)(tree->order[o] - base) * n + i;
            if (!worker->used[at] || !cw_network_forwards(net, net->head[tree->channel[at]])) continue;
            const size_t next = (size_t)(net->head[tree->channel[at]] - base) * n + i;
            cw_dependencies_add(&check->graph, tree->channel[at], 0, tree->channel[next], 0);
            worker->used[next] = true;
        }
    return n;
}

/* Every endpoint depends on what the first one of its switch was given, but never on the channel to itself: with one
 * cable, that is used by routes to it only. */
static void spread_sources(struct check *check)
{
    const struct cw_network *net = check->net;
    for (uint32_t v = net->n_endpoints; v-- > 0;) { /* the first one comes last */
        const uint32_t at = cw_pairs_switch(net, v), channel = net->first[v];
        if (at != CW_NONE)
            cw_dependencies_copy(&check->graph, check->first_source[at - net->n_endpoints], channel,
                                 net->twin[channel]);
    }
}

/* --- tables with service levels ----------------------------------------------------------------------------------- */

static void note_discard(struct discard *discard, uint32_t before, uint32_t channel, uint32_t level)
{
    if (channel > discard->channel || (channel == discard->channel && before >= discard->before)) return;
    *discard = (struct discard){before, channel, level};
}

/* A way over two channels, on which packets of several levels go. */
struct way {
    uint32_t from, to;
    uint64_t lanes;                      /* of all levels on TO */
    uint16_t entered[CW_LANE_DISCARDED]; /* by lane on FROM: lanes on TO that depend on it, a bit each */
};

static void begin_way(const struct check *check, uint32_t from, uint32_t to, struct way *way)
{
    *way = (struct way){from, to, cw_level_lanes(check->levels, from, to), {0}};
}

/* The packets of LEVEL that came by WAY's first channel on LANE go on by the second. Gives their lane there. */
static uint32_t go_on(struct check *check, struct worker *worker, struct way *way, uint32_t lane, uint32_t level)
{
    const uint32_t next = cw_lane_in(way->lanes, level);
    if (next == CW_LANE_DISCARDED) {
        note_discard(&worker->discard, way->from, way->to, level);
    } else if (!(way->entered[lane] >> next & 1)) {
        way->entered[lane] |= (uint16_t)(1u << next);
        cw_dependencies_add(&check->graph, way->from, lane, way->to, next);
    }
    return next;
}

static uint16_t *arriving_at(const struct worker *worker, uint32_t index)
{
    return worker->arriving + (size_t)index * CW_SERVICE_LEVELS;
}

/* Every endpoint by itself: its level and its table are its own. */
static void enter_levels(struct check *check, struct worker *worker, uint32_t dst)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    memset(worker->arriving, 0, cw_network_switches(net) * CW_SERVICE_LEVELS * sizeof *worker->arriving);
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        const uint32_t level = cw_service_levels_of(check->levels, src, dst);
        if (src == dst || level >= CW_SERVICE_LEVELS || cw_tree_route(tree, 0, src) >= CW_TREE_LOOP) continue;
        const uint32_t channel = cw_tree_start(tree, 0, src), head = net->head[channel];
        const uint32_t lane = cw_service_levels_lane(check->levels, CW_NONE, channel, level);
        if (lane == CW_LANE_DISCARDED) note_discard(&worker->discard, CW_NONE, channel, level);
        if (lane == CW_LANE_DISCARDED || !cw_network_forwards(net, head)) continue;
        const uint32_t at = head - net->n_endpoints;
        struct way way;
        begin_way(check, channel, tree->channel[at], &way);
        arriving_at(worker, at)[level] |= (uint16_t)(1u << go_on(check, worker, &way, lane, level));
    }
}

/* As check_tree; packets of one level may be on several lanes, for they came by different ports. */
static void check_levels(struct check *check, struct worker *worker, uint32_t dst)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t base = net->n_endpoints;
    cw_tree_fill(&worker->tree, dst);
    enter_levels(check, worker, dst);
    for (uint32_t i = 0; i < tree->n_order; i++) {
        const uint32_t v = tree->order[i] - base, channel = tree->channel[v];
        if (tree->hops[v] >= CW_TREE_LOOP || !cw_network_forwards(net, net->head[channel])) continue;
        const uint32_t next = net->head[channel] - base;
        struct way way;
        begin_way(check, channel, tree->channel[next], &way);
        for (uint32_t level = 0; level < CW_SERVICE_LEVELS; level++) {
            /* Lane 15 stands for packets that are gone. */
            for (uint32_t lanes = arriving_at(worker, v)[level] & 0x7fffu; lanes != 0; lanes &= lanes - 1) {
                const uint32_t then = go_on(check, worker, &way, (uint32_t)__builtin_ctz(lanes), level);
                arriving_at(worker, next)[level] |= (uint16_t)(1u << then);
            }
        }
    }
}

/* --- other routes: in batches ------------------------------------------------------------------------------------- */

static int find_batch(const struct check *check, struct worker *worker, uint32_t n)
{
    const uint32_t stride = cw_routes_max_hops(check->routes);
    int rc = cw_routes_paths(check->routes, n, worker->src, worker->dst, worker->hops, worker->channels, worker->lanes);
    if (rc != CW_EROUTE) return rc;
    for (uint32_t i = 0; i < n; i++) { /* some pair has no route: one by one */
        rc = cw_routes_paths(check->routes, 1, &worker->src[i], &worker->dst[i], &worker->hops[i],
                             worker->channels + (size_t)i * stride, worker->lanes + (size_t)i * stride);
        if (rc == CW_EROUTE)
            worker->hops[i] = 0;
        else if (rc)
            return rc;
    }
    return 0;
}

static int check_paths(struct check *check, struct worker *worker, uint32_t dst)
{
    const uint32_t stride = cw_routes_max_hops(check->routes);
    struct cw_pair_cursor cursor = cw_pairs_begin(&check->pairs, dst);
    for (uint32_t i = 0; i < check->batch; i++) worker->dst[i] = dst;
    for (uint32_t n; (n = cw_pairs_next(&check->pairs, &cursor, check->batch, worker->src)) > 0;) {
        const int rc = find_batch(check, worker, n);
        if (rc) return rc;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *path = worker->channels + (size_t)i * stride;
            const uint8_t *lanes = worker->lanes + (size_t)i * stride;
            for (uint32_t h = 1; h < worker->hops[i]; h++)
                cw_dependencies_add(&check->graph, path[h - 1], lanes[h - 1], path[h], lanes[h]);
        }
    }
    return 0;
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

static int check_chunk(void *context, size_t index, unsigned thread)
{
    struct check *check = context;
    struct worker *worker = &check->workers[thread];
    const uint32_t *dst = check->pairs.destinations + index * CHUNK;
    const size_t left = check->pairs.n_destinations - index * CHUNK;
    const uint32_t n = left < CHUNK ? (uint32_t)left : CHUNK;
    int rc = 0;
    for (uint32_t i = 0, done = 1; i < n && rc == 0; i += done) {
        rc = cw_interrupt_check();
        if (rc) break;
        if (check->levels)
            check_levels(check, worker, dst[i]);
        else if (check->by_tree)
            done = check_trees(check, worker, dst + i, n - i);
        else
            rc = check_paths(check, worker, dst[i]);
    }
    return rc;
}

static int new_worker(const struct check *check, struct worker *worker)
{
    static const char what[] = "a check of routes";
    worker->discard.before = worker->discard.channel = CW_NONE;
    if (check->by_tree) {
        const size_t n = cw_network_switches(check->net);
        worker->used = cw_new_array(n * CW_TREES, sizeof *worker->used, what);
        if (check->levels) worker->arriving = cw_new_array(n * CW_SERVICE_LEVELS, sizeof *worker->arriving, what);
        const bool made = worker->used && (worker->arriving || !check->levels);
        return made ? cw_tree_new(check->routes, &worker->tree) : CW_ENOMEM;
    }
    const size_t n_channels = (size_t)check->batch * cw_routes_max_hops(check->routes);
    worker->src = cw_new_array(check->batch, sizeof *worker->src, what);
    worker->dst = cw_new_array(check->batch, sizeof *worker->dst, what);
    worker->hops = cw_new_array(check->batch, sizeof *worker->hops, what);
    worker->channels = cw_new_array(n_channels, sizeof *worker->channels, what);
    worker->lanes = cw_new_array(n_channels, sizeof *worker->lanes, what);
    return worker->src && worker->dst && worker->hops && worker->channels && worker->lanes ? 0 : CW_ENOMEM;
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; workers && i < n; i++) {
        cw_tree_free(&workers[i].tree);
        free(workers[i].used);
        free(workers[i].arriving);
        free(workers[i].src);
        free(workers[i].dst);
        free(workers[i].hops);
        free(workers[i].channels);
        free(workers[i].lanes);
    }
    free(workers);
}

static uint32_t most_lanes(const struct cw_routes *routes)
{
    uint32_t most = 1;
    for (; routes; routes = routes->next_lid) most = routes->lanes > most ? routes->lanes : most;
    return most;
}

static int find_sources(struct check *check)
{
    const struct cw_network *net = check->net;
    const uint32_t n_switches = cw_network_switches(net);
    check->first_source = cw_new_array(n_switches, sizeof *check->first_source, "sources");
    check->others = cw_new_array(net->n_endpoints, sizeof *check->others, "sources");
    if (!check->first_source || !check->others) return CW_ENOMEM;
    for (uint32_t i = 0; i < n_switches; i++) check->first_source[i] = CW_NONE;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const uint32_t at = cw_pairs_switch(net, v);
        if (at == CW_NONE)
            check->others[check->n_others++] = v;
        else if (check->first_source[at - net->n_endpoints] == CW_NONE)
            check->first_source[at - net->n_endpoints] = net->first[v];
    }
    return 0;
}

/* Adds the dependencies of check->routes. */
static int find_dependencies(struct check *check, unsigned n_threads)
{
    const size_t n_chunks = (check->pairs.n_destinations + (size_t)CHUNK - 1) / CHUNK;
    const unsigned threads = cw_parallel_threads(n_threads, n_chunks);
    const uint32_t stride = cw_routes_max_hops(check->routes);
    int rc = 0;
    check->batch = stride > 0 && stride < BATCH_CHANNELS ? BATCH_CHANNELS / stride : 1;
    check->workers = cw_new_array(threads, sizeof *check->workers, "a check of routes");
    if (!check->workers) return CW_ENOMEM;
    for (unsigned i = 0; i < threads && rc == 0; i++) rc = new_worker(check, &check->workers[i]);
    if (rc == 0) rc = cw_parallel_for(n_threads, n_chunks, check_chunk, check);
    for (unsigned i = 0; i < threads && rc == 0; i++)
        note_discard(&check->discard, check->workers[i].discard.before, check->workers[i].discard.channel,
                     check->workers[i].discard.level);
    free_workers(check->workers, threads);
    return rc;
}

/* Those of the routes to all LIDs. ROUTES are those to the first. */
static int find_all_dependencies(struct check *check, const struct cw_routes *routes, uint64_t max_pairs,
                                 unsigned n_threads)
{
    int rc = cw_pairs_new(check->net, NULL, check->by_tree ? 0 : max_pairs, &check->pairs);
    if (rc == 0) rc = cw_dependencies_new(check->net, most_lanes(routes), &check->graph);
    if (rc == 0) rc = find_sources(check);
    if (rc == 0) rc = find_dependencies(check, n_threads);
    while (rc == 0 && (routes = routes->next_lid)) {
        check->first_lids = routes->lanes_unknown != check->routes->lanes_unknown;
        if (check->first_lids) break;
        check->routes = routes;
        check->levels = routes->levels;
        rc = find_dependencies(check, n_threads);
    }
    if (rc == 0 && check->by_tree && !check->levels) spread_sources(check);
    return rc;
}

static int sum_up(const struct check *check, struct cw_deadlock *out)
{
    const struct discard *discard = &check->discard;
    struct cw_deadlock found = {.sampled = check->pairs.sampled,
                                .first_lids = check->first_lids,
                                .lanes_unknown = !cw_routes_lanes_known(check->routes),
                                .dependencies = cw_dependencies_count(&check->graph)};
    int rc = cw_dependencies_cycle(&check->graph, &found.cycle, &found.cycle_lanes, &found.cycle_length);
    found.acyclic = found.cycle_length == 0;
    if (rc == 0 && discard->channel != CW_NONE) {
        (void)cw_fail_discarded(check->net, discard->before, discard->channel, discard->level);
        cw_text_add(&found.discarded, cw_error_message());
        rc = cw_text_check(&found.discarded);
    }
    if (rc)
        cw_deadlock_free(&found);
    else
        *out = found;
    return rc;
}

/* Closed forms give their dependencies themselves. */
static int survey_dependencies(const struct cw_routes *routes, struct cw_survey *survey, struct cw_deadlock *out)
{
    struct check check = {.net = routes->net, .routes = routes, .discard = {CW_NONE, CW_NONE, 0}};
    int rc = cw_dependencies_new(check.net, routes->lanes, &check.graph);
    if (rc) return rc;
    survey->graph = &check.graph;
    rc = routes->formula->survey(routes->state, survey);
    if (rc == 0) rc = sum_up(&check, out);
    cw_dependencies_free(&check.graph);
    return rc;
}

int cw_routes_deadlock(const struct cw_routes *routes, uint64_t max_pairs, unsigned n_threads, struct cw_deadlock *out)
{
    const struct cw_routes *tables = routes->levels ? routes : NULL;
    struct cw_routes *made = NULL;
    struct cw_survey survey = {0};
    if (cw_routes_can_survey(routes, &survey)) return survey_dependencies(routes, &survey, out);
    if (routes->formula && routes->formula->lane_rule && !routes->next_lid) {
        *out = (struct cw_deadlock){.acyclic = true, .by_rule = true}; /* see struct cw_lane_rule */
        return 0;
    }
    int rc = cw_routes_lanes(routes) == 1 ? cw_pairs_tables(routes, max_pairs, n_threads, &tables, &made) : 0;
    if (rc) return rc;
    struct check check = {.net = cw_routes_network(routes),
                          .routes = tables ? tables : routes,
                          .by_tree = tables != NULL,
                          .levels = routes->levels,
                          .discard = {CW_NONE, CW_NONE, 0}};
    rc = find_all_dependencies(&check, routes, max_pairs, n_threads);
    if (rc == 0) rc = sum_up(&check, out);
    cw_pairs_free(&check.pairs);
    cw_dependencies_free(&check.graph);
    free(check.first_source);
    free(check.others);
    cw_routes_free(made);
    return rc;
}

void cw_deadlock_free(struct cw_deadlock *deadlock)
{
    if (!deadlock) return;
    free(deadlock->cycle);
    free(deadlock->cycle_lanes);
    cw_text_free(&deadlock->discarded);
    *deadlock = (struct cw_deadlock){0};
}

const char *cw_deadlock_verdict(const struct cw_deadlock *deadlock)
{
    if (!deadlock->acyclic) return deadlock->lanes_unknown ? "unknown" : "no";
    return deadlock->sampled || deadlock->first_lids ? "unproven" : "yes";
}
