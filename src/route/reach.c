#include "net/network_internal.h"
#include "route/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/route_pairs.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"

#define CHUNK          32    /* destinations of a task */
#define BATCH_CHANNELS 65536 /* channels of a batch of paths */
#define LENGTHS        (sizeof((struct cw_reach *)0)->histogram / sizeof(uint64_t))

_Static_assert(LENGTHS == CW_SURVEY_LENGTHS, "lengths are kept alike");

/* What one thread counted. Sums of integers, so that it does not matter which thread counted what. */
struct tally {
    uint64_t pairs, reached, holes, loops, hops, minimal;
    uint64_t histogram[LENGTHS];
    uint32_t hops_max;
    uint32_t problem_dst, problem_src; /* the first pair in this order that fails; CW_NONE: none */
};

struct worker {
    struct tally tally;
    uint64_t *load;     /* [n_channels] */
    uint32_t *distance; /* [n_switches] to the destination in channels, or CW_NONE */
    uint32_t *queue;    /* [n_switches] the N_MET that have a distance, the near ones first, else by number */
    uint32_t *end;      /* [n_switches + 1] by distance, while the queue is sorted */
    uint32_t n_met;
    uint32_t measured; /* the switch of the destination that `distance` is for */

    struct cw_tree tree; /* for tables */
    uint32_t *passing;   /* [n_switches · destinations] routes */
    uint32_t *next;      /* [n_switches · destinations] places in `passing` that shortest routes come to */

    uint32_t *src, *dst, *hops, *channels; /* for other routes: a batch */
};

struct check {
    const struct cw_network *net;
    const struct cw_selection *selection; /* NULL: all */
    const struct cw_routes *routes;       /* tables in place of those GIVEN, if BY_TREE */
    const struct cw_routes *given;
    bool by_tree;
    struct cw_pairs pairs;
    uint32_t *sources_at; /* [n_switches] endpoints with no other cable */
    uint32_t *others;     /* endpoints that are not counted there */
    uint32_t n_others;
    uint32_t batch;
    struct worker *workers;
};

static void tally_routes(struct tally *tally, uint64_t n, uint32_t hops, bool minimal)
{
    tally->pairs += n;
    if (hops == CW_TREE_HOLE) {
        tally->holes += n;
    } else if (hops == CW_TREE_LOOP) {
        tally->loops += n;
    } else {
        tally->reached += n;
        tally->hops += n * hops;
        tally->histogram[hops < LENGTHS ? hops : LENGTHS - 1] += n;
        if (hops > tally->hops_max) tally->hops_max = hops;
        if (minimal) tally->minimal += n;
    }
}

static void note_problem(struct tally *tally, uint32_t src, uint32_t dst)
{
    if (dst > tally->problem_dst || (dst == tally->problem_dst && src >= tally->problem_src)) return;
    tally->problem_dst = dst;
    tally->problem_src = src;
}

/* --- distances ---------------------------------------------------------------------------------------------------- */

/* Sorts the queue: what is read in order is there in time. */
static void sort_queue(const struct cw_network *net, struct worker *worker, uint32_t farthest)
{
    memset(worker->end, 0, ((size_t)farthest + 1) * sizeof *worker->end);
    for (uint32_t m = 0; m < worker->n_met; m++) worker->end[worker->distance[worker->queue[m] - net->n_endpoints]]++;
    for (uint32_t d = 1; d <= farthest; d++) worker->end[d] += worker->end[d - 1];
    for (uint32_t i = cw_network_switches(net); i-- > 0;)
        if (worker->distance[i] != CW_NONE) worker->queue[--worker->end[worker->distance[i]]] = net->n_endpoints + i;
}

/* Breadth-first search from DST over switches. Endpoints on one switch have the same distances. */
static void measure(const struct cw_network *net, struct worker *worker, uint32_t dst)
{
    const uint32_t base = net->n_endpoints, switches = cw_network_switches(net), at = cw_pairs_switch(net, dst);
    if (at != CW_NONE && worker->measured == at) return;
    worker->measured = at;
    memset(worker->distance, 0xff, switches * sizeof *worker->distance); /* CW_NONE */
    uint32_t n = 0;
    for (uint32_t v = dst, done = 0;; v = worker->queue[done++]) {
        const uint32_t next = v == dst ? 1 : worker->distance[v - base] + 1;
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && n < switches; c++) {
            const uint32_t head = net->head[c];
            if (head < base || worker->distance[head - base] != CW_NONE) continue;
            if (cw_network_is_closed(net, net->twin[c])) continue;
            worker->distance[head - base] = next;
            worker->queue[n++] = head;
        }
        if (done == n) break;
    }
    worker->n_met = n;
    if (n > 0) sort_queue(net, worker, worker->distance[worker->queue[n - 1] - base]);
}

static uint32_t distance_of(const struct cw_network *net, const struct worker *worker, uint32_t src, uint32_t dst)
{
    uint32_t least = CW_NONE;
    for (uint32_t c = net->first[src]; c < net->first[src + 1]; c++) {
        const uint32_t head = net->head[c];
        uint32_t hops = CW_NONE;
        if (head == dst)
            hops = 1;
        else if (cw_network_forwards(net, head) && worker->distance[head - net->n_endpoints] != CW_NONE)
            hops = worker->distance[head - net->n_endpoints] + 1;
        if (hops < least) least = hops;
    }
    return least;
}

/* --- tables: all routes to some destinations at once -------------------------------------------------------------- */

/* Tallies SOURCES of each of the tree's destinations, whose routes have HOPS [tree.n], all ALIKE or not, and least have
 * DISTANCE. */
static void tally_sources(struct worker *worker, uint64_t sources, const uint32_t *hops, bool alike, uint32_t distance)
{
    const uint32_t n = worker->tree.n;
    if (sources == 0) return;
    for (uint32_t i = 0; i < (alike ? 1 : n); i++)
        tally_routes(&worker->tally, alike ? n * sources : sources, hops[i] < CW_TREE_LOOP ? hops[i] + 1 : hops[i],
                     hops[i] == distance);
}

/* Those that are not counted at switches, towards the destination at place I of the tree. */
static void enter_others(const struct check *check, struct worker *worker, uint32_t i)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t dst = tree->dst[i];
    for (uint32_t o = 0; o < check->n_others; o++) {
        const uint32_t src = check->others[o];
        if (src == dst) continue;
        const uint32_t hops = cw_tree_route(tree, i, src);
        tally_routes(&worker->tally, 1, hops, hops == distance_of(net, worker, src, dst));
        if (hops >= CW_TREE_LOOP) continue;
        const uint32_t head = net->head[cw_tree_start(tree, i, src)];
        if (cw_network_forwards(net, head)) worker->passing[(size_t)(head - net->n_endpoints) * tree->n + i]++;
    }
}

/* Tallies the sources of the tree's destinations, and sets how many routes begin at each switch and arrive. */
static void enter_sources(const struct check *check, struct worker *worker)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t at_home = cw_pairs_switch(net, tree->dst[0]), switches = cw_network_switches(net);
    for (uint32_t v = 0; v < switches; v++) {
        const uint32_t sources = check->sources_at[v] - (net->n_endpoints + v == at_home ? 1u : 0u);
        const uint32_t *hops = tree->hops + (size_t)v * tree->n;
        uint32_t *passing = worker->passing + (size_t)v * tree->n, differences = 0;
        for (uint32_t i = 0; i < tree->n; i++) {
            passing[i] = hops[i] < CW_TREE_LOOP ? sources : 0;
            differences |= hops[i] ^ hops[0];
        }
        tally_sources(worker, sources, hops, differences == 0, worker->distance[v]);
    }
    for (uint32_t i = 0; i < tree->n; i++) enter_others(check, worker, i);
}

static void add_loads(const struct check *check, struct worker *worker)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t n = tree->n, base = net->n_endpoints;
    for (uint32_t o = 0; o < tree->n_order; o++) {
        const size_t at = (size_t)(tree->order[o] - base) * n;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t channel = tree->channel[at + i], passing = worker->passing[at + i];
            if (passing == 0 || net->head[channel] < base) continue;
            worker->load[channel] += passing;
            worker->passing[(size_t)(net->head[channel] - base) * n + i] += passing;
        }
    }
}

/* --- tables: shortest routes to the endpoints of one switch ------------------------------------------------------- */

/* Finds the next hops to the N destinations DST, which are all on the switch that was measured from. False unless every
 * switch sends each of them to one that is a hop nearer. */
static bool find_shortest(const struct check *check, struct worker *worker, const struct cw_tree_columns *columns,
                          const uint32_t *dst, uint32_t n)
{
    const struct cw_network *net = check->net;
    const uint32_t base = net->n_endpoints, switches = cw_network_switches(net), *distance = worker->distance;
    bool shortest = worker->n_met == switches;
    for (uint32_t v = 0; v < switches && shortest; v++) {
        const uint32_t ports = cw_network_degree(net, base + v), *head = net->head + net->first[base + v];
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t port = cw_tree_port(columns, i, v), to = port < ports ? head[port] : CW_NONE;
            if (to == CW_NONE || to < base) {
                shortest &= to == dst[i];
                continue;
            }
            shortest &= distance[to - base] + 1 == distance[v];
            worker->next[(size_t)v * n + i] = (to - base) * n + i;
        }
    }
    return shortest;
}

/* Counts the routes to the N destinations DST by their distances. False if they are not all shortest ones. Only the
 * pass over the queue goes through memory in no order. */
static bool check_shortest(const struct check *check, struct worker *worker, const uint32_t *dst, uint32_t n)
{
    const struct cw_network *net = check->net;
    const uint32_t base = net->n_endpoints, switches = cw_network_switches(net), home = cw_pairs_switch(net, dst[0]);
    const struct cw_tree_columns columns = cw_tree_columns_of(check->routes->tables, dst, n);
    if (check->n_others > 0 || !find_shortest(check, worker, &columns, dst, n)) return false;
    for (uint32_t v = 0; v < switches; v++) {
        const uint32_t sources = check->sources_at[v] - (base + v == home ? 1u : 0u);
        for (uint32_t i = 0; i < n; i++) worker->passing[(size_t)v * n + i] = sources;
        if (sources > 0) tally_routes(&worker->tally, (uint64_t)n * sources, worker->distance[v] + 1, true);
    }
    for (uint32_t m = worker->n_met; m-- > 1;) { /* the first is the home */
        const size_t row = (size_t)(worker->queue[m] - base) * n;
        for (uint32_t i = 0; i < n; i++) worker->passing[worker->next[row + i]] += worker->passing[row + i];
    }
    for (uint32_t v = 0; v < switches; v++)
        for (uint32_t i = 0; i < n && base + v != home; i++)
            worker->load[net->first[base + v] + cw_tree_port(&columns, i, v)] += worker->passing[(size_t)v * n + i];
    return true;
}

/* The routes to the first of the LEFT destinations DST, which are on one switch; the result is to how many. */
static uint32_t check_trees(const struct check *check, struct worker *worker, const uint32_t *dst, uint32_t left)
{
    const struct cw_tree *tree = &worker->tree;
    struct tally *tally = &worker->tally;
    const uint64_t failed = tally->holes + tally->loops;
    const uint32_t alike = cw_tree_neighbours(check->net, dst, left, CW_TREES);
    if (cw_pairs_switch(check->net, dst[0]) != CW_NONE && check_shortest(check, worker, dst, alike)) return alike;
    const uint32_t n = cw_tree_fill_several(&worker->tree, dst, left);
    enter_sources(check, worker);
    add_loads(check, worker);
    for (uint32_t i = 0; i < n && tally->holes + tally->loops > failed; i++) {
        const uint32_t sources = dst[i] < tally->problem_dst ? check->pairs.n_endpoints : 0;
        for (uint32_t e = 0; e < sources; e++) {
            const uint32_t src = cw_pairs_endpoint(&check->pairs, e);
            if (cw_tree_route(tree, i, src) >= CW_TREE_LOOP) note_problem(tally, src, dst[i]);
        }
    }
    return n;
}

/* --- other routes: in batches ------------------------------------------------------------------------------------- */

/* A route that does not arrive is none of a table, so it is a pair without a path: a hole. */
static int check_one(const struct check *check, struct worker *worker, uint32_t i)
{
    const int rc = cw_routes_paths(check->routes, 1, &worker->src[i], &worker->dst[i], &worker->hops[i],
                                   worker->channels + (size_t)i * cw_routes_max_hops(check->routes), NULL);
    if (rc != CW_EROUTE) return rc;
    worker->hops[i] = CW_TREE_HOLE;
    note_problem(&worker->tally, worker->src[i], worker->dst[i]);
    return 0;
}

static int check_batch(const struct check *check, struct worker *worker, uint32_t n)
{
    const struct cw_network *net = check->net;
    const uint32_t stride = cw_routes_max_hops(check->routes);
    int rc = cw_routes_paths(check->routes, n, worker->src, worker->dst, worker->hops, worker->channels, NULL);
    if (rc == CW_EROUTE) {
        rc = 0;
        for (uint32_t i = 0; i < n && rc == 0; i++) rc = check_one(check, worker, i);
    }
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        const uint32_t hops = worker->hops[i], *path = worker->channels + (size_t)i * stride;
        tally_routes(&worker->tally, 1, hops, hops == distance_of(net, worker, worker->src[i], worker->dst[i]));
        for (uint32_t h = 0; hops < CW_TREE_LOOP && h < hops; h++) worker->load[path[h]]++;
    }
    return rc;
}

static int check_paths(const struct check *check, struct worker *worker, uint32_t dst)
{
    struct cw_pair_cursor cursor = cw_pairs_begin(&check->pairs, dst);
    int rc = 0;
    for (uint32_t i = 0; i < check->batch; i++) worker->dst[i] = dst;
    for (uint32_t n; rc == 0 && (n = cw_pairs_next(&check->pairs, &cursor, check->batch, worker->src)) > 0;)
        rc = check_batch(check, worker, n);
    return rc;
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

static int check_chunk(void *context, size_t index, unsigned thread)
{
    const struct check *check = context;
    struct worker *worker = &check->workers[thread];
    const uint32_t *dst = check->pairs.destinations + index * CHUNK;
    const size_t rest = check->pairs.n_destinations - index * CHUNK;
    const uint32_t n = rest < CHUNK ? (uint32_t)rest : CHUNK;
    int rc = 0;
    for (uint32_t i = 0, done; i < n && rc == 0; i += done) {
        rc = cw_interrupt_check();
        if (rc) break;
        measure(check->net, worker, dst[i]);
        done = check->by_tree ? check_trees(check, worker, dst + i, n - i) : 1;
        if (!check->by_tree) rc = check_paths(check, worker, dst[i]);
    }
    return rc;
}

static int new_worker(const struct check *check, struct worker *worker)
{
    static const char what[] = "a check of routes";
    const uint32_t n_switches = cw_network_switches(check->net);
    worker->tally.problem_dst = worker->tally.problem_src = worker->measured = CW_NONE;
    worker->load = cw_new_array(check->net->n_channels, sizeof *worker->load, what);
    worker->distance = cw_new_array(n_switches, sizeof *worker->distance, what);
    worker->queue = cw_new_array(n_switches, sizeof *worker->queue, what);
    worker->end = cw_new_array((size_t)n_switches + 1, sizeof *worker->end, what);
    if (!worker->load || !worker->distance || !worker->queue || !worker->end) return CW_ENOMEM;
    if (check->by_tree) {
        worker->passing = cw_new_array((size_t)n_switches * CW_TREES, sizeof *worker->passing, what);
        worker->next = cw_new_array((size_t)n_switches * CW_TREES, sizeof *worker->next, what);
        return worker->passing && worker->next ? cw_tree_new(check->routes, &worker->tree) : CW_ENOMEM;
    }
    worker->src = cw_new_array(check->batch, sizeof *worker->src, what);
    worker->dst = cw_new_array(check->batch, sizeof *worker->dst, what);
    worker->hops = cw_new_array(check->batch, sizeof *worker->hops, what);
    worker->channels =
        cw_new_array((size_t)check->batch * cw_routes_max_hops(check->routes), sizeof *worker->channels, what);
    return worker->src && worker->dst && worker->hops && worker->channels ? 0 : CW_ENOMEM;
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; workers && i < n; i++) {
        struct worker *worker = &workers[i];
        free(worker->load);
        free(worker->distance);
        free(worker->queue);
        free(worker->end);
        cw_tree_free(&worker->tree);
        free(worker->passing);
        free(worker->next);
        free(worker->src);
        free(worker->dst);
        free(worker->hops);
        free(worker->channels);
    }
    free(workers);
}

static int count_sources(struct check *check)
{
    const struct cw_network *net = check->net;
    check->sources_at = cw_new_array(cw_network_switches(net), sizeof *check->sources_at, "sources");
    check->others = cw_new_array(net->n_endpoints, sizeof *check->others, "sources");
    if (!check->sources_at || !check->others) return CW_ENOMEM;
    for (uint32_t i = 0; i < check->pairs.n_endpoints; i++) {
        const uint32_t v = cw_pairs_endpoint(&check->pairs, i);
        const uint32_t at = cw_pairs_switch(net, v);
        if (at == CW_NONE)
            check->others[check->n_others++] = v;
        else
            check->sources_at[at - net->n_endpoints]++;
    }
    return 0;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Adds what all threads counted to the first one's. */
static struct worker *merge(struct worker *workers, unsigned n, uint32_t n_channels)
{
    struct tally *sum = &workers[0].tally;
    for (unsigned i = 1; i < n; i++) {
        const struct tally *tally = &workers[i].tally;
        sum->pairs += tally->pairs;
        sum->reached += tally->reached;
        sum->holes += tally->holes;
        sum->loops += tally->loops;
        sum->hops += tally->hops;
        sum->minimal += tally->minimal;
        for (size_t h = 0; h < LENGTHS; h++) sum->histogram[h] += tally->histogram[h];
        if (tally->hops_max > sum->hops_max) sum->hops_max = tally->hops_max;
        note_problem(sum, tally->problem_src, tally->problem_dst);
        for (uint32_t c = 0; c < n_channels; c++) workers[0].load[c] += workers[i].load[c];
    }
    return &workers[0];
}

/* True if CHANNEL joins two switches, and is open. */
static bool between_switches(const struct cw_network *net, uint32_t channel)
{
    return !cw_network_is_host_channel(net, channel) && !cw_network_is_closed(net, channel);
}

/* Figures of the loads of channels between switches; each counted route stands for SCALE. */
static void sum_loads(const struct cw_network *net, const uint64_t *load, double scale, struct cw_reach *out)
{
    uint64_t n = 0, sum = 0, most = 0;
    double squares = 0;
    out->load_max_channel = CW_NONE;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!between_switches(net, c)) continue;
        n++;
        sum += load[c];
        if (out->load_max_channel != CW_NONE && load[c] <= most) continue;
        most = load[c];
        out->load_max_channel = c;
    }
    if (n == 0) return;
    const double mean = (double)sum / (double)n;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!between_switches(net, c)) continue;
        squares += ((double)load[c] - mean) * ((double)load[c] - mean);
    }
    out->load_mean = mean * scale;
    out->load_max = (double)most * scale;
    out->load_deviation = sqrt(squares / (double)n) * scale;
}

/* Asks the routes themselves what is wrong with a pair that failed. */
static int explain_problem(const struct check *check, const struct tally *tally, struct cw_text *text)
{
    const uint32_t stride = cw_routes_max_hops(check->given);
    uint32_t hops, *channels;
    if (tally->problem_dst == CW_NONE) return 0;
    channels = cw_new_array(stride, sizeof *channels, "a route");
    if (!channels) return CW_ENOMEM;
    const int rc = cw_routes_paths(check->given, 1, &tally->problem_src, &tally->problem_dst, &hops, channels, NULL);
    if (rc == CW_EROUTE) cw_text_add(text, cw_error_message());
    free(channels);
    return rc == CW_EROUTE ? cw_text_check(text)
                           : cw_fail(CW_EINTERNAL, "a route that failed arrives when walked again");
}

static int sum_up(const struct check *check, unsigned n_threads, struct cw_reach *out)
{
    struct worker *all = merge(check->workers, n_threads, check->net->n_channels);
    const struct tally *tally = &all->tally;
    struct cw_reach reach = {.pairs = tally->pairs,
                             .reached = tally->reached,
                             .holes = tally->holes,
                             .loops = tally->loops,
                             .hops_max = tally->hops_max,
                             .minimal = tally->minimal,
                             .sampled = check->pairs.sampled};
    if (tally->reached > 0) reach.hops_mean = (double)tally->hops / (double)tally->reached;
    memcpy(reach.histogram, tally->histogram, sizeof reach.histogram);
    const double scale = tally->pairs > 0 ? (double)check->pairs.total / (double)tally->pairs : 1;
    sum_loads(check->net, all->load, scale, &reach);
    const int rc = explain_problem(check, tally, &reach.first_problem);
    if (rc) {
        cw_reach_free(&reach);
        return rc;
    }
    reach.load = all->load;
    all->load = NULL;
    *out = reach;
    return 0;
}

static int run(struct check *check, uint64_t max_pairs, unsigned n_threads, struct cw_reach *out)
{
    int rc = cw_pairs_new(check->net, check->selection, check->by_tree ? 0 : max_pairs, &check->pairs);
    if (rc == 0) rc = count_sources(check);
    if (rc) return rc;
    const size_t n_chunks = (check->pairs.n_destinations + (size_t)CHUNK - 1) / CHUNK;
    const unsigned threads = cw_parallel_threads(n_threads, n_chunks);
    const uint32_t stride = cw_routes_max_hops(check->routes);
    check->batch = stride > 0 && stride < BATCH_CHANNELS ? BATCH_CHANNELS / stride : 1;
    check->workers = cw_new_array(threads, sizeof *check->workers, "a check of routes");
    if (!check->workers) return CW_ENOMEM;
    for (unsigned i = 0; i < threads && rc == 0; i++) rc = new_worker(check, &check->workers[i]);
    if (rc == 0) rc = cw_parallel_for(n_threads, n_chunks, check_chunk, check);
    if (rc == 0) rc = sum_up(check, threads, out);
    free_workers(check->workers, threads);
    return rc;
}

/* Closed forms count their routes themselves. */
static int survey_routes(const struct cw_routes *routes, struct cw_survey *survey, struct cw_reach *out)
{
    const struct cw_network *net = routes->net;
    const uint64_t n = survey->selection ? survey->selection->n : net->n_endpoints;
    survey->load = cw_new_array(net->n_channels, sizeof *survey->load, "a check of routes");
    if (!survey->load) return CW_ENOMEM;
    const int rc = routes->formula->survey(routes->state, survey);
    if (rc == 0) {
        struct cw_reach reach = {
            .pairs = n > 0 ? n * (n - 1) : 0, .hops_max = survey->hops_max, .minimal = survey->minimal};
        reach.reached = reach.pairs;
        if (reach.pairs > 0) reach.hops_mean = (double)survey->hops / (double)reach.pairs;
        memcpy(reach.histogram, survey->histogram, sizeof reach.histogram);
        sum_loads(net, survey->load, 1, &reach);
        reach.load = survey->load;
        *out = reach;
    } else {
        free(survey->load);
    }
    return rc;
}

int cw_routes_reach(const struct cw_routes *routes, const struct cw_selection *selection, uint64_t max_pairs,
                    unsigned n_threads, struct cw_reach *out)
{
    const struct cw_routes *tables;
    struct cw_routes *made;
    struct cw_survey survey = {.selection = selection};
    if (cw_routes_can_survey(routes, &survey)) return survey_routes(routes, &survey, out);
    int rc = cw_pairs_tables(routes, max_pairs, n_threads, &tables, &made);
    if (rc) return rc;
    struct check check = {.net = cw_routes_network(routes),
                          .selection = selection,
                          .routes = tables ? tables : routes,
                          .given = made ? made : routes,
                          .by_tree = tables != NULL};
    rc = run(&check, max_pairs, n_threads, out);
    cw_pairs_free(&check.pairs);
    free(check.sources_at);
    free(check.others);
    cw_routes_free(made);
    return rc;
}

void cw_reach_free(struct cw_reach *reach)
{
    if (!reach) return;
    cw_text_free(&reach->first_problem);
    free(reach->load);
    *reach = (struct cw_reach){0};
}
