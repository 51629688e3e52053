#include "route/route_changes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"

#define BATCH 256 /* routes that are walked at once */

static const char what[] = "changes of routes";

struct comparison {
    const struct cw_network_match *match;
    const struct cw_selection *among;
    struct cw_route_changes changes; /* what a destination has to itself: `to` and `of` */
    struct worker {
        struct cw_tree before, after;
        bool *same;                  /* [switches of AFTER] the route from here goes over the channels it went over */
        struct cw_route_changes sum; /* but for `pairs` */
    } * workers;
};

/* True if the entries name ports of one number. */
static bool same_port(const struct cw_network_match *match, uint32_t was, uint32_t is)
{
    return was != CW_NONE && is != CW_NONE && cw_network_port(match->before, was) == cw_network_port(match->after, is);
}

/* Counts the entries of all switches towards DST: WAS and IS are the channels they lead to, or CW_NONE. */
static void compare_entries(const struct comparison *comparison, struct worker *worker, uint32_t dst, bool was_there)
{
    const struct cw_network_match *match = comparison->match;
    struct cw_route_changes *sum = &worker->sum;
    const uint32_t base = match->after->n_endpoints;
    for (uint32_t i = 0; i < cw_network_switches(match->after); i++) {
        const uint32_t v = match->before_vertex[base + i];
        const bool known = was_there && v != CW_NONE;
        const uint32_t was = known ? worker->before.channel[v - match->before->n_endpoints] : CW_NONE;
        const uint32_t is = worker->after.channel[i];
        sum->entries_after += is != CW_NONE;
        if (was == is && was == CW_NONE) continue;
        if (same_port(match, was, is)) continue;
        sum->entries_moved += was != CW_NONE && is != CW_NONE;
        sum->entries_came += was == CW_NONE;
        sum->at_switch[i]++;
        comparison->changes.to[dst]++;
    }
}

/* Whether the routes of SRC, in both networks, are the same or not. */
static void compare_pair(const struct comparison *comparison, const struct worker *worker, uint32_t src,
                         struct cw_pair_changes *pairs)
{
    const struct cw_network_match *match = comparison->match;
    const uint32_t before_src = match->before_vertex[src];
    const bool arrived = cw_tree_route(&worker->before, 0, before_src) < CW_TREE_LOOP;
    const bool arrives = cw_tree_route(&worker->after, 0, src) < CW_TREE_LOOP;
    pairs->before += arrived;
    pairs->after += arrives;
    pairs->lost += arrived && !arrives;
    pairs->gained += arrives && !arrived;
    if (!arrived || !arrives) return;
    const uint32_t start = cw_tree_start(&worker->after, 0, src), head = match->after->head[start];
    const bool same = match->before_channel[start] == cw_tree_start(&worker->before, 0, before_src) &&
                      (head == worker->after.dst[0] || worker->same[head - match->after->n_endpoints]);
    pairs->moved += !same;
}

/* Finds out from which switches the routes to the tree's destination are those they were, the nearest first. */
static void compare_trees(const struct cw_network_match *match, struct worker *worker)
{
    const struct cw_tree *after = &worker->after;
    const uint32_t base = match->after->n_endpoints;
    for (uint32_t i = after->n_order; i-- > 0;) {
        const uint32_t v = after->order[i] - base, was = match->before_vertex[after->order[i]];
        const uint32_t channel = after->channel[v];
        worker->same[v] = false;
        if (was == CW_NONE || after->hops[v] >= CW_TREE_LOOP) continue;
        const uint32_t head = match->after->head[channel];
        worker->same[v] = match->before_channel[channel] == worker->before.channel[was - match->before->n_endpoints] &&
                          (head == after->dst[0] || worker->same[head - base]);
    }
}

static int compare_destination(void *context, size_t index, unsigned thread)
{
    const struct comparison *comparison = context;
    const struct cw_network_match *match = comparison->match;
    const struct cw_selection *among = comparison->among;
    struct worker *worker = &comparison->workers[thread];
    const uint32_t dst = (uint32_t)index, was = match->before_vertex[dst];
    const int rc = cw_interrupt_check();
    if (rc) return rc;
    cw_tree_fill(&worker->after, dst);
    if (was != CW_NONE) cw_tree_fill(&worker->before, was);
    compare_entries(comparison, worker, dst, was != CW_NONE);
    if (was == CW_NONE || cw_selection_index(among, dst) == CW_NONE) return 0;
    compare_trees(match, worker);
    for (uint32_t i = 0; i < among->n; i++) {
        const uint32_t src = among->endpoints[i];
        if (src != dst && match->before_vertex[src] != CW_NONE)
            compare_pair(comparison, worker, src, &comparison->changes.of[dst]);
    }
    return 0;
}

/* Entries of the tables before are counted by themselves: some of them are of switches or endpoints that went. */
static uint64_t count_entries(const struct cw_routes *routes)
{
    const struct cw_network *net = routes->net;
    uint64_t n = 0;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
            n += cw_lft_channel(routes->tables, v, dst) != CW_NONE;
    return n;
}

static void add_pairs(const struct cw_pair_changes *some, struct cw_pair_changes *all)
{
    all->before += some->before;
    all->after += some->after;
    all->moved += some->moved;
    all->lost += some->lost;
    all->gained += some->gained;
}

static void sum_up(struct comparison *comparison, unsigned n_threads)
{
    struct cw_route_changes *all = &comparison->changes;
    for (unsigned i = 0; i < n_threads; i++) {
        const struct cw_route_changes *sum = &comparison->workers[i].sum;
        all->entries_after += sum->entries_after;
        all->entries_moved += sum->entries_moved;
        all->entries_came += sum->entries_came;
        for (uint32_t s = 0; s < cw_network_switches(comparison->match->after); s++)
            all->at_switch[s] += sum->at_switch[s];
    }
    all->entries_went = all->entries_before + all->entries_came - all->entries_after;
    for (uint32_t dst = 0; dst < comparison->match->after->n_endpoints; dst++) add_pairs(&all->of[dst], &all->pairs);
}

static int new_changes(const struct cw_network *after, struct cw_route_changes *changes)
{
    changes->at_switch = cw_new_array(cw_network_switches(after), sizeof *changes->at_switch, what);
    changes->to = cw_new_array(after->n_endpoints, sizeof *changes->to, what);
    changes->of = cw_new_array(after->n_endpoints, sizeof *changes->of, what);
    return changes->at_switch && changes->to && changes->of ? 0 : CW_ENOMEM;
}

static int new_worker(const struct cw_routes *before, const struct cw_routes *after, struct worker *worker)
{
    const uint32_t n = cw_network_switches(after->net);
    worker->same = cw_new_array(n, sizeof *worker->same, what);
    worker->sum.at_switch = cw_new_array(n, sizeof *worker->sum.at_switch, what);
    int rc = worker->same && worker->sum.at_switch ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_tree_new(before, &worker->before);
    if (!rc) rc = cw_tree_new(after, &worker->after);
    return rc;
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; workers && i < n; i++) {
        cw_tree_free(&workers[i].before);
        cw_tree_free(&workers[i].after);
        free(workers[i].same);
        cw_route_changes_free(&workers[i].sum);
    }
    free(workers);
}

/* Of the routes to one LID of each endpoint. */
static int find_changes(const struct cw_routes *before, const struct cw_routes *after,
                        const struct cw_network_match *match, const struct cw_selection *among, unsigned n_threads,
                        struct cw_route_changes *out)
{
    const uint32_t n = after->net->n_endpoints;
    const unsigned threads = cw_parallel_threads(n_threads, n);
    struct comparison comparison = {.match = match, .among = among};
    int rc = new_changes(after->net, &comparison.changes);
    comparison.workers = cw_new_array(threads, sizeof *comparison.workers, what);
    if (!comparison.workers) rc = CW_ENOMEM;
    for (unsigned i = 0; !rc && i < threads; i++) rc = new_worker(before, after, &comparison.workers[i]);
    if (!rc) rc = cw_parallel_for(n_threads, n, compare_destination, &comparison);
    if (!rc) {
        comparison.changes.entries_before = count_entries(before);
        sum_up(&comparison, threads);
        *out = comparison.changes;
    } else {
        cw_route_changes_free(&comparison.changes);
    }
    free_workers(comparison.workers, threads);
    return rc;
}

/* Adds what was found of a further LID. */
static void add_changes(const struct cw_network *after, const struct cw_route_changes *of_lid,
                        struct cw_route_changes *all)
{
    all->entries_before += of_lid->entries_before;
    all->entries_after += of_lid->entries_after;
    all->entries_moved += of_lid->entries_moved;
    all->entries_came += of_lid->entries_came;
    all->entries_went += of_lid->entries_went;
    for (uint32_t s = 0; s < cw_network_switches(after); s++) all->at_switch[s] += of_lid->at_switch[s];
    for (uint32_t dst = 0; dst < after->n_endpoints; dst++) all->to[dst] += of_lid->to[dst];
    add_pairs(&of_lid->pairs, &all->further);
}

/* --- routes between GPUs ------------------------------------------------------------------------------------------ */

/* A batch of routes to one destination, of those that arrive. */
struct walks {
    const struct cw_routes *routes;
    uint32_t *src, *dst;      /* [BATCH] */
    uint32_t *hops;           /* [BATCH]; CW_NONE: does not arrive */
    uint32_t *channels, room; /* [BATCH · room] */
};

struct walking {
    const struct cw_network_match *match;
    const struct cw_selection *among;
    struct cw_pair_changes *of;   /* [endpoints of AFTER] */
    struct walks *before, *after; /* one a thread */
};

static int new_walks(const struct cw_routes *routes, struct walks *walks)
{
    walks->routes = routes;
    walks->room = cw_routes_max_hops(routes);
    walks->src = cw_new_array(BATCH, sizeof *walks->src, what);
    walks->dst = cw_new_array(BATCH, sizeof *walks->dst, what);
    walks->hops = cw_new_array(BATCH, sizeof *walks->hops, what);
    walks->channels = cw_new_array((size_t)BATCH * walks->room, sizeof *walks->channels, what);
    return walks->src && walks->dst && walks->hops && walks->channels ? 0 : CW_ENOMEM;
}

static void free_walks(struct walks *walks, unsigned n)
{
    for (unsigned i = 0; walks && i < n; i++) {
        free(walks[i].src);
        free(walks[i].dst);
        free(walks[i].hops);
        free(walks[i].channels);
    }
    free(walks);
}

/* Walks N routes at once; one by one if some do not arrive. */
static int walk(struct walks *walks, uint32_t n)
{
    int rc = cw_routes_paths(walks->routes, n, walks->src, walks->dst, walks->hops, walks->channels, NULL);
    if (rc != CW_EROUTE) return rc;
    rc = 0;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = cw_routes_paths(walks->routes, 1, walks->src + i, walks->dst + i, walks->hops + i,
                             walks->channels + (size_t)i * walks->room, NULL);
        if (rc != CW_EROUTE) continue;
        walks->hops[i] = CW_NONE;
        rc = 0;
    }
    return rc;
}

/* Whether route I, which arrives on both sides, takes the channels that it took. */
static bool same_walk(const struct cw_network_match *match, const struct walks *before, const struct walks *after,
                      uint32_t i)
{
    const uint32_t *was = before->channels + (size_t)i * before->room, *is = after->channels + (size_t)i * after->room;
    bool same = before->hops[i] == after->hops[i];
    for (uint32_t h = 0; same && h < after->hops[i]; h++) same = match->before_channel[is[h]] == was[h];
    return same;
}

static int compare_walks(const struct walking *walking, unsigned thread, uint32_t n, struct cw_pair_changes *pairs)
{
    struct walks *before = &walking->before[thread], *after = &walking->after[thread];
    int rc = walk(before, n);
    if (!rc) rc = walk(after, n);
    for (uint32_t i = 0; i < n && !rc; i++) {
        const bool arrived = before->hops[i] != CW_NONE, arrives = after->hops[i] != CW_NONE;
        pairs->before += arrived;
        pairs->after += arrives;
        pairs->lost += arrived && !arrives;
        pairs->gained += arrives && !arrived;
        pairs->moved += arrived && arrives && !same_walk(walking->match, before, after, i);
    }
    return rc;
}

static int walk_destination(void *context, size_t index, unsigned thread)
{
    const struct walking *walking = context;
    const struct cw_selection *among = walking->among;
    const uint32_t *before_vertex = walking->match->before_vertex, dst = among->endpoints[index];
    struct walks *before = &walking->before[thread], *after = &walking->after[thread];
    uint32_t n = 0;
    int rc = cw_interrupt_check();
    for (uint32_t i = 0; i < among->n && !rc && before_vertex[dst] != CW_NONE; i++) {
        const uint32_t src = among->endpoints[i];
        if (src != dst && before_vertex[src] != CW_NONE) {
            before->src[n] = before_vertex[src];
            before->dst[n] = before_vertex[dst];
            after->src[n] = src;
            after->dst[n++] = dst;
        }
        if (n < BATCH && i + 1 < among->n) continue;
        rc = compare_walks(walking, thread, n, &walking->of[dst]);
        n = 0;
    }
    return rc;
}

/* The pairs among endpoints of the networks of MATCH, by routes of any kind. */
static int walk_pairs(const struct cw_routes *before, const struct cw_routes *after,
                      const struct cw_network_match *match, const struct cw_selection *among, unsigned n_threads,
                      struct cw_route_changes *changes)
{
    const unsigned threads = cw_parallel_threads(n_threads, among->n);
    struct walking walking = {.match = match,
                              .among = among,
                              .of = changes->of,
                              .before = cw_new_array(threads, sizeof *walking.before, what),
                              .after = cw_new_array(threads, sizeof *walking.after, what)};
    int rc = walking.before && walking.after ? 0 : CW_ENOMEM;
    for (unsigned i = 0; !rc && i < threads; i++) {
        rc = new_walks(before, &walking.before[i]);
        if (!rc) rc = new_walks(after, &walking.after[i]);
    }
    if (!rc) rc = cw_parallel_for(n_threads, among->n, walk_destination, &walking);
    for (uint32_t dst = 0; !rc && dst < after->net->n_endpoints; dst++) add_pairs(&changes->of[dst], &changes->pairs);
    free_walks(walking.before, threads);
    free_walks(walking.after, threads);
    return rc;
}

/* ENTRIES are those of the fabric of AFTER: the switches of a fabric are the first of its network. */
static void take_entries(const struct cw_network *after, const struct cw_route_changes *entries,
                         struct cw_route_changes *changes)
{
    const struct cw_nodes *nodes = after->nodes;
    changes->entries_before = entries->entries_before;
    changes->entries_after = entries->entries_after;
    changes->entries_moved = entries->entries_moved;
    changes->entries_came = entries->entries_came;
    changes->entries_went = entries->entries_went;
    for (uint32_t s = 0; s < cw_network_switches(nodes->fabric); s++) changes->at_switch[s] = entries->at_switch[s];
    for (uint32_t e = 0; e < after->n_endpoints; e++) changes->to[e] = entries->to[cw_nodes_endpoint(nodes, e)];
}

/* BEFORE and AFTER are routes between GPUs over those of their fabric, WAS and IS. */
static int find_changes_of_nodes(const struct cw_routes *before, const struct cw_routes *after,
                                 const struct cw_routes *was, const struct cw_routes *is,
                                 const struct cw_network_match *match, const struct cw_selection *among,
                                 unsigned n_threads, struct cw_route_changes *out)
{
    const struct cw_selection none = {0};
    struct cw_network_match fabrics;
    struct cw_route_changes entries, changes = {0};
    int rc = cw_network_match_find(was->net, is->net, &fabrics);
    if (!rc) rc = cw_route_changes_find(was, is, &fabrics, &none, n_threads, &entries);
    cw_network_match_free(&fabrics);
    if (rc) return rc;
    rc = new_changes(after->net, &changes);
    if (!rc) take_entries(after->net, &entries, &changes);
    if (!rc) rc = walk_pairs(before, after, match, among, n_threads, &changes);
    cw_route_changes_free(&entries);
    if (rc)
        cw_route_changes_free(&changes);
    else
        *out = changes;
    return rc;
}

int cw_route_changes_find(const struct cw_routes *before, const struct cw_routes *after,
                          const struct cw_network_match *match, const struct cw_selection *among, unsigned n_threads,
                          struct cw_route_changes *out)
{
    const struct cw_routes *was = cw_routes_of_fabric(before), *is = cw_routes_of_fabric(after);
    if (was && is) return find_changes_of_nodes(before, after, was, is, match, among, n_threads, out);
    if (before->kind != CW_ROUTES_TABLE || after->kind != CW_ROUTES_TABLE)
        return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables",
                       before->kind != CW_ROUTES_TABLE ? before->name : after->name);
    struct cw_route_changes all, of_lid;
    int rc = find_changes(before, after, match, among, n_threads, &all);
    if (rc) return rc;
    while (!rc && (before = before->next_lid) && (after = after->next_lid)) {
        rc = find_changes(before, after, match, among, n_threads, &of_lid);
        if (rc) break;
        add_changes(after->net, &of_lid, &all);
        cw_route_changes_free(&of_lid);
    }
    if (rc)
        cw_route_changes_free(&all);
    else
        *out = all;
    return rc;
}

void cw_route_changes_free(struct cw_route_changes *changes)
{
    if (!changes) return;
    free(changes->at_switch);
    free(changes->to);
    free(changes->of);
    *changes = (struct cw_route_changes){0};
}
