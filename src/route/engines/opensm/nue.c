/*
 * Nue routing: free of deadlocks on any network with any number of virtual lanes, one included (Domke, Hoefler,
 * Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing", HPDC 2016),
 * with the tables and service levels of OpenSM's nue, entry by entry (OpenSM 3.3.23, built without METIS, as Debian's
 * is: destinations share the lanes in turn).
 *
 * Lanes are laid one after another, and in each the ways to one destination after another, in the order of GUIDs
 * (nue_lane.c). Every way adds to the weights of its channels, which begin at the square of what all could add.
 *
 * OpenSM loses sight of dependencies where a way found by backtracking becomes a shortcut for a switch that has passed
 * others on. Its tables may wait in a circle then, as on torus:8x6x7. With `mend` such a lane is laid again without
 * this oversight.
 *
 * Each part of a network in parts is routed as if it were alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/engines/minhop.h"
#include "route/engines/opensm/nue_internal.h"
#include "route/files/lft_internal.h"
#include "route/guid_order.h"
#include "route/route_pairs.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

/* A port that has a LID: an endpoint's, or port 0 of a switch. */
struct port {
    uint32_t part; /* CW_NONE: at no switch */
    uint64_t key;  /* its GUID, reversed */
    uint32_t vertex;
};

struct nue {
    const struct cw_network *net;
    uint32_t lids, lanes;
    bool mend;
    struct port *ports; /* [n_vertices] by part, then as OpenSM sorts them */
    uint32_t *lid;      /* [n_vertices] */
    uint8_t *terminals; /* [switches] LIDs there, its own among them, as one byte counts */
    struct cw_nue_part part;
    uint32_t longest;

    struct cw_nue_lane lane;
    uint32_t *n_here;        /* [switches] destinations of the lane */
    uint64_t *weight_before; /* [n_channels] before the lane */
    uint8_t *lane_of;        /* [n_endpoints] */
    struct cw_lft **tables;  /* [lids] */

    const struct cw_routes *laid; /* for ways to switches: the routes to endpoints … */
    uint8_t *to_switches;         /* … and where they go */
};

struct parameters {
    int64_t lanes;
    int lmc;
    bool mend;
};

/* --- the fabric in OpenSM's order --------------------------------------------------------------------------------- */

static int by_part_and_key(const void *a, const void *b)
{
    const struct port *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static uint32_t lids_of(const struct nue *nue, uint32_t v)
{
    if (v < nue->net->n_endpoints) return nue->lids;
    return nue->net->identity ? UINT32_C(1) << nue->net->identity[v].lmc : 1;
}

/* Numbers the parts, and sorts the ports by them. */
static void find_ports(struct nue *nue)
{
    const struct cw_network *net = nue->net;
    uint32_t *part = nue->part.into, *queue = nue->part.order, parts = 0; /* PART: of each switch */
    for (uint32_t v = 0; v < cw_network_switches(net); v++) part[v] = CW_NONE;
    for (uint32_t start = 0, n; start < cw_network_switches(net); start++) {
        if (part[start] != CW_NONE) continue;
        part[start] = parts++;
        queue[0] = start;
        n = 1;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = cw_nue_first(net, queue[i]); c < cw_nue_first(net, queue[i] + 1); c++) {
                if (!cw_nue_leads_on(net, c) || part[cw_nue_head(net, c)] != CW_NONE) continue;
                part[cw_nue_head(net, c)] = part[start];
                queue[n++] = cw_nue_head(net, c);
            }
    }
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const bool endpoint = cw_network_is_endpoint(net, v);
        const uint32_t at = endpoint ? cw_pairs_switch(net, v) : v;
        const uint64_t guid = endpoint ? cw_lft_port_guid(net, v) : cw_lft_switch_guid(net, v);
        nue->ports[v] = (struct port){at == CW_NONE ? CW_NONE : part[at - net->n_endpoints], cw_guid_reversed(guid), v};
        if (at != CW_NONE)
            nue->terminals[at - net->n_endpoints] = (uint8_t)(nue->terminals[at - net->n_endpoints] + lids_of(nue, v));
    }
    qsort(nue->ports, net->n_vertices, sizeof *nue->ports, by_part_and_key);
}

/* The LIDs of the N ports of a part: those of the map, or those that OpenSM gives, beginning with its own port, which
 * tools/subnet lets be that of the first endpoint. */
static void find_lids(struct nue *nue, const struct port *ports, uint32_t n)
{
    const struct cw_lft_lids known = cw_lft_lids_of(nue->net, nue->lids);
    uint32_t manager = 0, next = 1;
    for (uint32_t i = 1; i < n; i++)
        if (ports[i].vertex < ports[manager].vertex) manager = i;
    for (uint32_t i = 0; i <= n; i++) {
        const uint32_t v = ports[i == 0 ? manager : i - 1].vertex, lids = lids_of(nue, v);
        if (i == manager + 1) continue;
        if (lids > 1) next = (next + nue->lids - 1) / nue->lids * nue->lids;
        nue->lid[v] = known.known ? cw_lft_base_lid(&known, v) : next;
        next += lids;
    }
}

/* OpenSM compares LIDs as they are in packets, the low byte first. */
static uint32_t swapped(uint32_t lid)
{
    return (lid & 0xff) << 8 | lid >> 8;
}

/* Makes the N ports from PORTS on the part, with weights of no routes. SORTED has room for as many. */
static void begin_part(struct nue *nue, const struct port *ports, uint32_t n, struct port *sorted)
{
    const struct cw_network *net = nue->net;
    const uint32_t base = net->n_endpoints;
    uint64_t lids = 0;
    nue->part.n = 0;
    find_lids(nue, ports, n);
    for (uint32_t i = 0; i < n; i++) {
        lids += lids_of(nue, ports[i].vertex);
        if (ports[i].vertex >= base)
            sorted[nue->part.n++] = (struct port){0, swapped(nue->lid[ports[i].vertex]), ports[i].vertex};
    }
    qsort(sorted, nue->part.n, sizeof *sorted, by_part_and_key);
    for (uint32_t i = 0; i < nue->part.n; i++) {
        const uint32_t v = nue->part.order[i] = sorted[i].vertex - base;
        for (uint32_t c = cw_nue_first(net, v); c < cw_nue_first(net, v + 1); c++) nue->part.weight[c] = lids * lids;
    }
}

/* Calls DO_PART for the ports of each part in turn. */
static int for_each_part(struct nue *nue, int (*do_part)(struct nue *nue, const struct port *ports, uint32_t n))
{
    const uint32_t n_ports = nue->net->n_vertices;
    struct port *sorted = cw_new_array(n_ports, sizeof *sorted, "switches of nue");
    int rc = sorted ? 0 : CW_ENOMEM;
    for (uint32_t i = 0, n; i < n_ports && nue->ports[i].part != CW_NONE && rc == 0; i += n) {
        for (n = 1; i + n < n_ports && nue->ports[i + n].part == nue->ports[i].part; n++) continue;
        begin_part(nue, nue->ports + i, n, sorted);
        rc = do_part(nue, nue->ports + i, n);
    }
    free(sorted);
    return rc;
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* Adds the LIDs of each switch to its way from ROOT, by INTO. False if a way goes round in circles. */
static bool add_weights(struct nue *nue, uint32_t root, const uint32_t *into)
{
    for (uint32_t i = 0; i < nue->part.n; i++) {
        const uint32_t start = nue->part.order[i];
        uint32_t v = start, hops = 0;
        while (v != root && hops++ < nue->part.n) {
            nue->part.weight[into[v]] += nue->terminals[start];
            v = cw_nue_tail(nue->net, into[v]);
        }
        if (v != root) return false;
        if (hops + 2 > nue->longest) nue->longest = hops + 2;
    }
    return true;
}

static void enter(const struct nue *nue, uint32_t dst, struct cw_lft *tables)
{
    const struct cw_network *net = nue->net;
    for (uint32_t i = 0; i < nue->part.n; i++) {
        const uint32_t v = nue->part.order[i];
        const uint32_t back = net->twin[v == nue->lane.root ? net->first[dst] : nue->lane.into[v]];
        cw_lft_set(tables, v + net->n_endpoints, dst, back - cw_nue_first(net, v));
    }
}

/* Lays the ways to DST, to all its LIDs. *ARRIVES: none goes round in circles. */
static int lay_destination(struct nue *nue, uint32_t dst, bool *arrives)
{
    int rc = cw_interrupt_check();
    for (uint32_t lid = 0; lid < nue->lids && rc == 0 && *arrives; lid++) {
        rc = cw_nue_lane_find(&nue->lane, cw_nue_head(nue->net, nue->net->first[dst]));
        if (rc) return rc;
        enter(nue, dst, nue->tables[lid]);
        *arrives = add_weights(nue, nue->lane.root, nue->lane.into);
    }
    return rc;
}

/* Lays LANE of the part, whose N ports begin with PORTS, as OpenSM does or KEEPING all dependencies. *ARRIVES:
 * none of its ways goes round in circles. */
static int lay_lane(struct nue *nue, const struct port *ports, uint32_t n, uint32_t lane, bool keeping, bool *arrives)
{
    const struct cw_network *net = nue->net;
    int rc = cw_nue_lane_begin(&nue->lane, nue->n_here, keeping);
    *arrives = true;
    for (uint32_t i = 0; i < n && rc == 0 && *arrives; i++)
        if (cw_network_is_endpoint(net, ports[i].vertex) && nue->lane_of[ports[i].vertex] == lane)
            rc = lay_destination(nue, ports[i].vertex, arrives);
    return rc;
}

/* Lays all lanes of the part. */
static int lay_part(struct nue *nue, const struct port *ports, uint32_t n)
{
    const struct cw_network *net = nue->net;
    const size_t bytes = net->n_channels * sizeof *nue->part.weight;
    uint32_t n_targets = 0;
    int rc = 0;
    for (uint32_t i = 0; i < n; i++)
        if (cw_network_is_endpoint(net, ports[i].vertex))
            nue->lane_of[ports[i].vertex] = (uint8_t)(n_targets++ % nue->lanes);
    for (uint32_t lane = 0; lane < nue->lanes && lane < n_targets && rc == 0; lane++) {
        memset(nue->n_here, 0, cw_network_switches(net) * sizeof *nue->n_here);
        for (uint32_t i = 0; i < n; i++)
            if (cw_network_is_endpoint(net, ports[i].vertex) && nue->lane_of[ports[i].vertex] == lane)
                nue->n_here[cw_nue_head(net, net->first[ports[i].vertex])]++;
        memcpy(nue->weight_before, nue->part.weight, bytes);
        bool arrives;
        rc = lay_lane(nue, ports, n, lane, false, &arrives);
        if (rc || (arrives && (!nue->mend || cw_nue_lane_is_sound(&nue->lane)))) continue;
        memcpy(nue->part.weight, nue->weight_before, bytes);
        rc = lay_lane(nue, ports, n, lane, true, &arrives);
    }
    return rc;
}

static int give_levels(const struct nue *nue, struct cw_routes *routes)
{
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new(nue->net, nue->lanes, &levels);
    if (rc) return rc;
    for (uint32_t src = 0; src < nue->net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < nue->net->n_endpoints; dst++)
            cw_service_levels_set(levels, src, dst, nue->lane_of[dst]);
    return cw_routes_set_service_levels(routes, levels);
}

static int finish(struct nue *nue, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *first = NULL;
    int rc = 0;
    for (uint32_t lid = 0; lid < nue->lids && rc == 0; lid++) {
        struct cw_routes *routes;
        rc = cw_lft_finish_as(nue->tables[lid], "nue", nue->longest, n_threads, &routes);
        nue->tables[lid] = NULL;
        if (rc == 0 && first)
            cw_routes_add_lid(first, routes);
        else if (rc == 0)
            first = routes;
    }
    for (struct cw_routes *routes = first; routes && rc == 0 && nue->lanes > 1; routes = routes->next_lid)
        rc = give_levels(nue, routes);
    if (rc)
        cw_routes_free(first);
    else
        *out = first;
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* What both the routes to endpoints and the ways to switches need. */
static int open_fabric(const struct cw_network *net, const struct parameters *parameters, struct nue *nue)
{
    static const char what[] = "the fabric of nue";
    const uint32_t most = net->n_endpoints > 0 ? net->n_endpoints : 1;
    *nue = (struct nue){.net = net, .lids = cw_opensm_lids(net, parameters->lmc), .lanes = (uint32_t)parameters->lanes};
    nue->mend = parameters->mend;
    if (nue->lanes > most) nue->lanes = most;
    nue->ports = cw_new_array(net->n_vertices, sizeof *nue->ports, what);
    nue->lid = cw_new_array(net->n_vertices, sizeof *nue->lid, what);
    nue->terminals = cw_new_array(cw_network_switches(net), sizeof *nue->terminals, what);
    int rc = nue->ports && nue->lid && nue->terminals ? cw_nue_part_new(net, &nue->part) : CW_ENOMEM;
    if (rc == 0) find_ports(nue);
    return rc;
}

static int open_lanes(struct nue *nue)
{
    static const char what[] = "the lanes of nue";
    const struct cw_network *net = nue->net;
    nue->n_here = cw_new_array(cw_network_switches(net), sizeof *nue->n_here, what);
    nue->weight_before = cw_new_array(net->n_channels, sizeof *nue->weight_before, what);
    nue->lane_of = cw_new_array(net->n_endpoints, sizeof *nue->lane_of, what);
    nue->tables = cw_new_array(nue->lids, sizeof(struct cw_lft *), what);
    int rc = nue->n_here && nue->weight_before && nue->lane_of && nue->tables ? 0 : CW_ENOMEM;
    for (uint32_t lid = 0; lid < nue->lids && rc == 0; lid++) rc = cw_lft_new(net, &nue->tables[lid]);
    return rc ? rc : cw_nue_lane_new(&nue->part, &nue->lane);
}

static void free_nue(struct nue *nue)
{
    for (uint32_t lid = 0; nue->tables && lid < nue->lids; lid++) cw_lft_free(nue->tables[lid]);
    free(nue->tables);
    free(nue->lane_of);
    free(nue->weight_before);
    free(nue->n_here);
    cw_nue_lane_free(&nue->lane);
    cw_nue_part_free(&nue->part);
    free(nue->terminals);
    free(nue->lid);
    free(nue->ports);
}

static int nue_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                       struct cw_routes **out)
{
    (void)seed;
    struct nue nue;
    int rc = open_fabric(net, values, &nue);
    if (rc == 0) rc = open_lanes(&nue);
    if (rc == 0) rc = for_each_part(&nue, lay_part);
    if (rc == 0) rc = finish(&nue, n_threads, out);
    free_nue(&nue);
    return rc;
}

/* Adds the weights of the routes to the endpoints among the N PORTS. */
static void add_laid(struct nue *nue, const struct port *ports, uint32_t n)
{
    const struct cw_network *net = nue->net;
    uint32_t *into = nue->part.into;
    for (const struct cw_routes *routes = nue->laid; routes; routes = routes->next_lid)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t dst = ports[i].vertex;
            if (!cw_network_is_endpoint(net, dst)) continue;
            for (uint32_t k = 0; k < nue->part.n; k++) {
                const uint32_t v = nue->part.order[k];
                into[v] = net->twin[cw_lft_channel(routes->tables, v + net->n_endpoints, dst)];
            }
            add_weights(nue, cw_nue_head(net, net->first[dst]), into);
        }
}

/* The ways to the switches of a part: OpenSM lays them last, over the least weights and without regard to lanes. */
static int lay_to_switches(struct nue *nue, const struct port *ports, uint32_t n)
{
    const struct cw_network *net = nue->net;
    const size_t n_switches = cw_network_switches(net);
    int rc = 0;
    add_laid(nue, ports, n);
    for (uint32_t k = 0; k < nue->part.n && rc == 0; k++) {
        const uint32_t to = nue->part.order[k];
        cw_nue_grow(&nue->part, to);
        add_weights(nue, to, nue->part.into);
        for (uint32_t i = 0; i < nue->part.n; i++) {
            const uint32_t v = nue->part.order[i];
            if (v == to) continue;
            nue->to_switches[v * n_switches + to] = (uint8_t)cw_network_port(net, net->twin[nue->part.into[v]]);
        }
        rc = cw_interrupt_check();
    }
    return rc;
}

static int nue_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                           unsigned n_threads, uint8_t *ports)
{
    (void)n_threads;
    struct nue nue;
    int rc = open_fabric(net, values, &nue);
    nue.laid = routes;
    nue.to_switches = ports;
    if (rc == 0) rc = for_each_part(&nue, lay_to_switches);
    free_nue(&nue);
    return rc;
}

static const struct cw_option options[] = {
    {.name = "lanes",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, lanes),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = CW_LANE_DISCARDED,
     .help = "virtual lanes, which destinations share in turn; as OpenSM's nue_max_num_vls, with QoS (-Q)"},
    CW_OPENSM_LMC(struct parameters, lmc),
    {.name = "mend",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct parameters, mend),
     .help = "where OpenSM's routes can deadlock, lay those of the lane again so that they cannot"},
    {.name = NULL}};

const struct cw_engine cw_engine_nue = {
    .name = "nue",
    .opensm = "nue",
    .help =
        "any network, any number of virtual lanes: paths, at times longer than the shortest, that should not wait for "
        "one another in a circle (with mend they never do); OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = false,
    .deadlock_freedom = CW_CLAIM_NONE,
    .accepts = cw_opensm_accepts,
    .compile = nue_compile,
    .to_switches = nue_to_switches};
