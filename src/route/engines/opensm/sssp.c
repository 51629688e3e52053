/*
 * SSSP routing (Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HotI 2009), and
 * DFSSSP, the same routes with virtual lanes that keep them free of deadlocks (Domke, Hoefler, Nagel, "Deadlock-free
 * oblivious routing for arbitrary topologies", IPDPS 2011), with the tables and service levels of OpenSM's engines.
 *
 * One LID after another gets a tree of cheapest ways from all switches. A link costs the square of the number of LIDs,
 * so that few hops come first, and the routes that were laid over it before. OpenSM's distances end at 2^31, so that it
 * refuses fabrics with more than some 20,000 LIDs; ours do not end.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minhop.h"
#include "route/engines/opensm/sssp_internal.h"
#include "route/guid_order.h"
#include "route/routes_internal.h"

static const char what[] = "routes of sssp";

/* --- the fabric --------------------------------------------------------------------------------------------------- */

static void add_links(struct cw_sssp *sssp)
{
    const struct cw_network *net = sssp->net;
    uint32_t n = 0;
    memset(sssp->link, 0xff, net->n_channels * sizeof *sssp->link); /* CW_NONE */
    for (uint32_t v = 0; v < sssp->n; v++) {
        sssp->first[v] = n;
        for (uint32_t c = net->first[sssp->vertex[v]]; c < net->first[sssp->vertex[v] + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c])) {
                sssp->hosts[v]++;
                continue;
            }
            sssp->tail[n] = sssp->number[net->head[c] - net->n_endpoints];
            sssp->head[n] = v;
            sssp->channel[n] = net->twin[c];
            sssp->link[net->twin[c]] = n++;
        }
    }
    sssp->first[sssp->n] = n;
}

/* `ranked` and `order`. */
static void rank(struct cw_sssp *sssp, uint32_t *places)
{
    const struct cw_network *net = sssp->net;
    for (uint32_t v = 0; v < sssp->n; v++) places[net->n_endpoints - sssp->hosts[v]]++;
    for (uint32_t i = 0, before = 0; i <= net->n_endpoints; i++) {
        const uint32_t n = places[i];
        places[i] = before;
        before += n;
    }
    for (uint32_t v = 0; v < sssp->n; v++) sssp->ranked[places[net->n_endpoints - sssp->hosts[v]]++] = v;
    for (uint32_t i = 0; i < sssp->n; i++) {
        const uint32_t v = sssp->vertex[sssp->ranked[i]];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (cw_network_is_endpoint(net, net->head[c])) sssp->order[sssp->n_order++] = net->head[c];
    }
}

static int open_fabric(const struct cw_network *net, uint32_t lids, struct cw_sssp *sssp)
{
    const uint32_t n = cw_network_switches(net);
    *sssp = (struct cw_sssp){.net = net, .n = n, .lids = lids};
    uint32_t *places = cw_new_array((size_t)net->n_endpoints + 1, sizeof *places, what);
    sssp->number = cw_new_array(n, sizeof *sssp->number, what);
    sssp->hosts = cw_new_array(n, sizeof *sssp->hosts, what);
    sssp->ranked = cw_new_array(n, sizeof *sssp->ranked, what);
    sssp->order = cw_new_array(net->n_endpoints, sizeof *sssp->order, what);
    sssp->first = cw_new_array((size_t)n + 1, sizeof *sssp->first, what);
    sssp->tail = cw_new_array(net->n_channels, sizeof *sssp->tail, what);
    sssp->head = cw_new_array(net->n_channels, sizeof *sssp->head, what);
    sssp->channel = cw_new_array(net->n_channels, sizeof *sssp->channel, what);
    sssp->link = cw_new_array(net->n_channels, sizeof *sssp->link, what);
    sssp->weight = cw_new_array(net->n_channels, sizeof *sssp->weight, what);
    int rc = places && sssp->number && sssp->hosts && sssp->ranked && sssp->order && sssp->first && sssp->tail &&
                     sssp->head && sssp->channel && sssp->link && sssp->weight
                 ? cw_guid_order(net, &sssp->vertex)
                 : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t v = 0; v < n; v++) sssp->number[sssp->vertex[v] - net->n_endpoints] = v;
        add_links(sssp);
        rank(sssp, places);
        const uint64_t all = (uint64_t)sssp->n_order * lids + n;
        for (uint32_t link = 0; link < sssp->first[n]; link++) sssp->weight[link] = all * all;
    }
    free(places);
    return rc;
}

static void close_fabric(struct cw_sssp *sssp)
{
    free(sssp->vertex);
    free(sssp->number);
    free(sssp->hosts);
    free(sssp->ranked);
    free(sssp->order);
    free(sssp->first);
    free(sssp->tail);
    free(sssp->head);
    free(sssp->channel);
    free(sssp->link);
    free(sssp->weight);
    free(sssp->ways);
}

/* --- who is next: a heap of vertices with four children each -------------------------------------------------------
 */

#define FAR UINT64_MAX

/* Of equal keys the one comes first that OpenSM's heap has there: vertices enter in order, and the last of the least
 * children moves up. */
struct entry {
    uint64_t key;
    uint32_t vertex;
};

struct search {
    struct cw_sssp *sssp;
    struct entry *heap; /* [waiting] */
    uint32_t waiting;
    uint32_t *place;    /* [n + 1] of a vertex in the heap; vertex n is the endpoint that is the destination */
    uint64_t *distance; /* [n + 1] */
    uint32_t *used;     /* [n] link to the next switch of the tree; CW_NONE: the destination is here, or out of reach */
    uint32_t *reached;  /* [n_reached] switches, the nearest first */
    uint32_t n_reached;
    uint64_t *routes; /* [n] from a switch and those behind it */
};

static void put(struct search *search, uint32_t place, struct entry entry)
{
    search->heap[place] = entry;
    search->place[entry.vertex] = place;
}

static void come_closer(struct search *search, uint32_t vertex, uint64_t distance)
{
    const struct entry entry = {distance, vertex};
    uint32_t place = search->place[vertex];
    search->distance[vertex] = distance;
    while (place > 0 && distance < search->heap[(place - 1) / 4].key) {
        put(search, place, search->heap[(place - 1) / 4]);
        place = (place - 1) / 4;
    }
    put(search, place, entry);
}

static uint32_t take_nearest(struct search *search)
{
    struct entry *heap = search->heap;
    const uint32_t nearest = heap[0].vertex, n = --search->waiting;
    const struct entry last = heap[n];
    uint32_t place = 0;
    while (4 * place + 1 < n) {
        uint32_t least = 4 * place + 1;
        const uint32_t end = least + 4 < n ? least + 4 : n;
        for (uint32_t child = least + 1; child < end; child++)
            if (heap[child].key <= heap[least].key) least = child;
        if (last.key <= heap[least].key) break;
        put(search, place, heap[least]);
        place = least;
    }
    put(search, place, last);
    return nearest;
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

static int new_search(struct cw_sssp *sssp, struct search *search)
{
    const size_t n = (size_t)sssp->n + 1;
    *search = (struct search){.sssp = sssp};
    search->heap = cw_new_array(n, sizeof *search->heap, what);
    search->place = cw_new_array(n, sizeof *search->place, what);
    search->distance = cw_new_array(n, sizeof *search->distance, what);
    search->used = cw_new_array(n, sizeof *search->used, what);
    search->reached = cw_new_array(n, sizeof *search->reached, what);
    search->routes = cw_new_array(n, sizeof *search->routes, what);
    return search->heap && search->place && search->distance && search->used && search->reached && search->routes
               ? 0
               : CW_ENOMEM;
}

static void free_search(struct search *search)
{
    free(search->heap);
    free(search->place);
    free(search->distance);
    free(search->used);
    free(search->reached);
    free(search->routes);
}

/* Looks at the links that lead to switch V, which has its place in the tree. */
static void look_around(struct search *search, uint32_t v)
{
    const struct cw_sssp *sssp = search->sssp;
    const uint64_t distance = search->distance[v];
    for (uint32_t link = sssp->first[v]; link < sssp->first[v + 1]; link++) {
        const uint32_t w = sssp->tail[link];
        if (distance + sssp->weight[link] >= search->distance[w]) continue;
        search->used[w] = link;
        come_closer(search, w, distance + sssp->weight[link]);
    }
}

/* The tree to switch ROOT, or with OF_ENDPOINT to an endpoint there. */
static void find_tree(struct search *search, uint32_t root, bool of_endpoint)
{
    const uint32_t n = search->sssp->n;
    search->waiting = n + of_endpoint;
    search->n_reached = 0;
    for (uint32_t v = 0; v < search->waiting; v++) {
        put(search, v, (struct entry){FAR, v});
        search->distance[v] = FAR;
        search->used[v] = CW_NONE;
    }
    come_closer(search, of_endpoint ? n : root, 0);
    while (search->waiting > 0 && search->heap[0].key != FAR) {
        const uint32_t v = take_nearest(search);
        if (v == n) {
            come_closer(search, root, 1);
            continue;
        }
        search->reached[search->n_reached++] = v;
        look_around(search, v);
    }
}

/* Adds the routes of the tree from all endpoints and switches to the weights. */
static void weigh(struct search *search)
{
    struct cw_sssp *sssp = search->sssp;
    for (uint32_t i = 0; i < search->n_reached; i++) {
        const uint32_t v = search->reached[i];
        search->routes[v] = (uint64_t)sssp->hosts[v] * sssp->lids + 1;
    }
    for (uint32_t i = search->n_reached; i-- > 0;) {
        const uint32_t v = search->reached[i], link = search->used[v];
        if (link == CW_NONE) continue;
        sssp->weight[link] += search->routes[v];
        search->routes[sssp->head[link]] += search->routes[v];
    }
}

/* Trees to all LIDs of endpoint E, one after another. */
static void lay_trees(struct search *search, struct cw_lft **tables, uint32_t e)
{
    const struct cw_sssp *sssp = search->sssp;
    const struct cw_network *net = sssp->net;
    const uint32_t into = net->twin[net->first[e]], root = net->tail[into];
    for (uint32_t lid = 0; lid < sssp->lids; lid++) {
        find_tree(search, sssp->number[root - net->n_endpoints], true);
        weigh(search);
        for (uint32_t i = 0; i < search->n_reached; i++) {
            const uint32_t v = search->reached[i], link = search->used[v];
            const uint32_t channel = link == CW_NONE ? into : sssp->channel[link];
            cw_lft_set(tables[lid], sssp->vertex[v], e, channel - net->first[sssp->vertex[v]]);
        }
    }
}

static int finish_tables(struct cw_sssp *sssp, const char *name, struct cw_lft **tables, unsigned n_threads)
{
    for (uint32_t lid = 0; lid < sssp->lids; lid++) {
        struct cw_routes *routes;
        const int rc = cw_lft_finish_as(tables[lid], name, 0, n_threads, &routes);
        tables[lid] = NULL;
        if (rc) return rc;
        if (sssp->routes)
            cw_routes_add_lid(sssp->routes, routes);
        else
            sssp->routes = routes;
    }
    return 0;
}

/* `routes`, called NAME. */
static int route_endpoints(struct cw_sssp *sssp, struct search *search, const char *name, unsigned n_threads)
{
    struct cw_lft **tables = cw_new_array(sssp->lids, sizeof(struct cw_lft *), what);
    int rc = tables ? 0 : CW_ENOMEM;
    for (uint32_t lid = 0; lid < sssp->lids && rc == 0; lid++) rc = cw_lft_new(sssp->net, &tables[lid]);
    for (uint32_t i = 0; i < sssp->n_order && rc == 0; i++) {
        lay_trees(search, tables, sssp->order[i]);
        rc = cw_interrupt_check();
    }
    if (rc == 0) rc = finish_tables(sssp, name, tables, n_threads);
    for (uint32_t lid = 0; tables && lid < sssp->lids; lid++) cw_lft_free(tables[lid]);
    free(tables);
    return rc;
}

/* `ways`, when the routes to endpoints have their weights. */
static int route_switches(struct cw_sssp *sssp, struct search *search)
{
    const size_t n = sssp->n;
    int rc = 0;
    sssp->ways = cw_new_array(n * n, sizeof *sssp->ways, what);
    if (!sssp->ways) return CW_ENOMEM;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        const uint32_t to = sssp->ranked[i];
        find_tree(search, to, false);
        weigh(search);
        memcpy(sssp->ways + to * n, search->used, n * sizeof *sssp->ways);
        rc = cw_interrupt_check();
    }
    return rc;
}

/* --- for lanes ---------------------------------------------------------------------------------------------------- */

uint32_t cw_sssp_destinations(const struct cw_sssp *sssp)
{
    return sssp->n_order * sssp->lids + sssp->n;
}

uint32_t cw_sssp_next(const struct cw_sssp *sssp, uint32_t t, uint32_t v)
{
    const uint32_t n_endpoints = sssp->n_order * sssp->lids;
    if (t >= n_endpoints) return sssp->ways[(size_t)sssp->ranked[t - n_endpoints] * sssp->n + v];
    const struct cw_routes *routes = sssp->routes;
    for (uint32_t lid = t % sssp->lids; lid > 0; lid--) routes = routes->next_lid;
    const uint32_t channel = cw_lft_channel(routes->tables, sssp->vertex[v], sssp->order[t / sssp->lids]);
    return channel == CW_NONE ? CW_NONE : sssp->link[channel];
}

/* --- the engines -------------------------------------------------------------------------------------------------- */

struct options {
    int64_t lanes; /* 0: no levels */
    int lmc;
};

static int route(const struct cw_network *net, const char *name, const struct options *options, uint64_t seed,
                 unsigned n_threads, struct cw_routes **out)
{
    struct cw_sssp sssp;
    struct search search = {0};
    int rc = open_fabric(net, cw_opensm_lids(net, options->lmc), &sssp);
    if (rc == 0) rc = new_search(&sssp, &search);
    if (rc == 0) rc = route_endpoints(&sssp, &search, name, n_threads);
    if (rc == 0 && options->lanes > 0) rc = route_switches(&sssp, &search);
    free_search(&search);
    if (rc == 0 && options->lanes > 0) rc = cw_sssp_layer(&sssp, (uint32_t)options->lanes, seed, n_threads);
    if (rc)
        cw_routes_free(sssp.routes);
    else
        *out = sssp.routes;
    close_fabric(&sssp);
    return rc;
}

/* Adds the routes to endpoint E, as ROUTES has them, to the weights. */
static void weigh_again(struct cw_sssp *sssp, const struct cw_routes *routes, uint32_t e)
{
    for (uint32_t v = 0; v < sssp->n; v++) {
        const uint64_t n = (uint64_t)sssp->hosts[v] * sssp->lids + 1;
        uint32_t at = v;
        for (;;) {
            const uint32_t channel = cw_lft_channel(routes->tables, sssp->vertex[at], e);
            const uint32_t link = channel == CW_NONE ? CW_NONE : sssp->link[channel];
            if (link == CW_NONE) break;
            sssp->weight[link] += n;
            at = sssp->head[link];
        }
    }
}

static int to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                       unsigned n_threads, uint8_t *ports)
{
    struct cw_sssp sssp;
    struct search search = {0};
    (void)values;
    (void)n_threads;
    int rc = open_fabric(net, cw_routes_lids(routes), &sssp);
    if (rc == 0) rc = new_search(&sssp, &search);
    for (; routes && rc == 0; routes = routes->next_lid)
        for (uint32_t i = 0; i < sssp.n_order; i++) weigh_again(&sssp, routes, sssp.order[i]);
    if (rc == 0) rc = route_switches(&sssp, &search);
    for (uint32_t to = 0; to < sssp.n && rc == 0; to++)
        for (uint32_t v = 0; v < sssp.n; v++) {
            const uint32_t link = sssp.ways[(size_t)to * sssp.n + v];
            const size_t at = (size_t)(sssp.vertex[v] - net->n_endpoints) * sssp.n + sssp.vertex[to] - net->n_endpoints;
            if (link != CW_NONE) ports[at] = (uint8_t)cw_network_port(net, sssp.channel[link]);
        }
    free_search(&search);
    close_fabric(&sssp);
    return rc;
}

static int sssp_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    return route(net, "sssp", values, seed, n_threads, out);
}

static const struct cw_option plain_options[] = {CW_OPENSM_LMC(struct options, lmc), {.name = NULL}};

const struct cw_engine cw_engine_sssp = {
    .name = "sssp",
    .opensm = "sssp",
    .help = "any network: as a rule shortest paths; each tree is laid where the routes before it are fewest; "
            "OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = plain_options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_NONE,
    .accepts = cw_opensm_accepts,
    .compile = sssp_compile,
    .to_switches = to_switches};

static int dfsssp_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    return route(net, "dfsssp", values, seed, n_threads, out);
}

static const struct cw_option options[] = {{.name = "lanes",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct options, lanes),
                                            .value_name = "N",
                                            .default_text = "8",
                                            .min = 1,
                                            .max = CW_LANE_DISCARDED,
                                            .help = "virtual lanes that there are; routes are spread over all of them"},
                                           CW_OPENSM_LMC(struct options, lmc),
                                           {.name = NULL}};

const struct cw_engine cw_engine_dfsssp = {
    .name = "dfsssp",
    .opensm = "dfsssp",
    .help = "any network: the routes of sssp; virtual lanes (service levels) keep them free of deadlocks; OpenSM's "
            "tables and levels",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .accepts = cw_opensm_accepts,
    .compile = dfsssp_compile,
    .to_switches = to_switches};
