#include "route/repair.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/engine.h"
#include "route/routes_internal.h"

static const char what[] = "routes that were lost";

enum state { UNKNOWN, UNDER_WAY, ARRIVES, LOST };

struct repair {
    const struct cw_routes *routes;
    const struct cw_selection *selection; /* lost routes */
    const struct cw_routes *anew;         /* repair: tables */
    struct cw_lft *tables;                /* … and what becomes of them */
    uint64_t *count;                      /* [n_endpoints] by destination: routes lost, or entries changed */
    struct worker {
        uint8_t *state; /* [n_vertices] */
        uint32_t *way;  /* [n_vertices] */
    } * worker;
};

/* The vertex to which the entry of V towards DST leads, or CW_NONE. */
static uint32_t next_of(const struct cw_routes *routes, uint32_t v, uint32_t dst)
{
    const struct cw_network *net = routes->net;
    if (v < routes->tables->row_base) return cw_network_degree(net, v) > 0 ? net->head[net->first[v]] : CW_NONE;
    const uint32_t port = cw_routes_table_port(routes, v, dst);
    return port == CW_NO_PORT ? CW_NONE : net->head[net->first[v] + port];
}

/* Finds out whether V arrives at DST, and all vertices on its way. */
static enum state follow(const struct cw_routes *routes, uint32_t v, uint32_t dst, struct worker *worker)
{
    uint32_t n = 0, at = v;
    while (worker->state[at] == UNKNOWN) {
        worker->state[at] = UNDER_WAY;
        worker->way[n++] = at;
        const uint32_t next = next_of(routes, at, dst);
        if (next == CW_NONE || (next != dst && !cw_network_forwards(routes->net, next))) break;
        at = next;
    }
    const enum state end = worker->state[at] == ARRIVES ? ARRIVES : LOST; /* a hole, an endpoint or a loop else */
    while (n > 0) worker->state[worker->way[--n]] = (uint8_t)end;
    return end;
}

static void begin_destination(const struct repair *repair, uint32_t dst, struct worker *worker)
{
    for (uint32_t v = 0; v < repair->routes->net->n_vertices; v++) worker->state[v] = UNKNOWN;
    worker->state[dst] = ARRIVES;
}

/* A loop for each destination, with a worker's arrays. */
static int for_destinations(struct repair *repair, unsigned n_threads, cw_task *body)
{
    const struct cw_network *net = repair->routes->net;
    const unsigned n = cw_parallel_threads(n_threads, net->n_endpoints);
    repair->worker = cw_new_array(n, sizeof *repair->worker, what);
    int rc = repair->worker ? 0 : CW_ENOMEM;
    for (unsigned i = 0; i < n && !rc; i++) {
        repair->worker[i].state = cw_new_array(net->n_vertices, sizeof *repair->worker[i].state, what);
        repair->worker[i].way = cw_new_array(net->n_vertices, sizeof *repair->worker[i].way, what);
        if (!repair->worker[i].state || !repair->worker[i].way) rc = CW_ENOMEM;
    }
    if (!rc) rc = cw_parallel_for(n_threads, net->n_endpoints, body, repair);
    for (unsigned i = 0; repair->worker && i < n; i++) {
        free(repair->worker[i].state);
        free(repair->worker[i].way);
    }
    free(repair->worker);
    repair->worker = NULL;
    return rc;
}

static int check_tables(const struct cw_routes *routes)
{
    if (routes->kind == CW_ROUTES_TABLE) return 0;
    return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables", routes->name);
}

/* --- which are lost ----------------------------------------------------------------------------------------------- */

/* What has no way cannot have lost its route. */
static bool is_connected(const struct cw_selection *selection, uint32_t src, uint32_t dst)
{
    return !selection->parts || selection->parts[src] == selection->parts[dst];
}

static int count_lost(void *context, size_t index, unsigned thread)
{
    const struct repair *repair = context;
    const struct cw_selection *selection = repair->selection;
    const uint32_t dst = (uint32_t)index;
    if (cw_selection_index(selection, dst) == CW_NONE) return 0;
    begin_destination(repair, dst, &repair->worker[thread]);
    for (uint32_t i = 0; i < selection->n; i++)
        if (is_connected(selection, selection->endpoints[i], dst))
            repair->count[dst] += follow(repair->routes, selection->endpoints[i], dst, &repair->worker[thread]) == LOST;
    return 0;
}

/* Appends the first LISTED pairs that are lost. */
static int list_lost(struct repair *repair, size_t listed, struct cw_text *text)
{
    const struct cw_network *net = repair->routes->net;
    const struct cw_selection *selection = repair->selection;
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    struct worker worker = {.state = cw_new_array(net->n_vertices, sizeof *worker.state, what),
                            .way = cw_new_array(net->n_vertices, sizeof *worker.way, what)};
    const int rc = worker.state && worker.way ? 0 : CW_ENOMEM;
    for (uint32_t dst = 0; !rc && dst < net->n_endpoints && listed > 0; dst++) {
        if (repair->count[dst] == 0) continue;
        begin_destination(repair, dst, &worker);
        for (uint32_t i = 0; i < selection->n && listed > 0; i++) {
            if (!is_connected(selection, selection->endpoints[i], dst) ||
                follow(repair->routes, selection->endpoints[i], dst, &worker) != LOST)
                continue;
            cw_text_printf(text, "%s%s > %s", text->length > 0 ? ", " : "",
                           cw_network_name(net, selection->endpoints[i], from, sizeof from),
                           cw_network_name(net, dst, to, sizeof to));
            listed--;
        }
    }
    free(worker.state);
    free(worker.way);
    return rc ? rc : cw_text_check(text);
}

/* The same between GPUs: by the ROUTES of the fabric, between the HCAs of those that are SELECTED. */
static int find_lost_between(const struct cw_nodes *nodes, const struct cw_routes *routes,
                             const struct cw_selection *selected, size_t listed, unsigned n_threads,
                             struct cw_lost_routes *out)
{
    const uint32_t n = nodes->fabric->n_endpoints;
    struct cw_selection hcas = {.endpoints = cw_new_array(n, sizeof *hcas.endpoints, what)};
    bool *chosen = cw_new_array(n, sizeof *chosen, what);
    uint64_t cut_off;
    int rc = hcas.endpoints && chosen ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < selected->n; i++) chosen[cw_nodes_endpoint(nodes, selected->endpoints[i])] = true;
    for (uint32_t e = 0; !rc && e < n; e++)
        if (chosen[e]) hcas.endpoints[hcas.n++] = e;
    if (!rc) rc = cw_selection_find_parts(nodes->fabric, &hcas, false, &cut_off);
    if (!rc) rc = cw_routes_lost(routes, &hcas, listed, n_threads, out);
    free(chosen);
    free(hcas.endpoints);
    free(hcas.parts);
    return rc;
}

int cw_routes_lost(const struct cw_routes *routes, const struct cw_selection *selection, size_t listed,
                   unsigned n_threads, struct cw_lost_routes *out)
{
    const uint32_t n = routes->net->n_endpoints;
    struct repair repair = {.routes = routes, .selection = selection};
    struct cw_lost_routes lost = {.pairs = (uint64_t)selection->n * (selection->n > 0 ? selection->n - 1 : 0)};
    const struct cw_routes *fabric = cw_routes_of_fabric(routes);
    if (fabric) return find_lost_between(routes->net->nodes, fabric, selection, listed, n_threads, out);
    int rc = check_tables(routes);
    if (rc) return rc;
    repair.count = cw_new_array(n, sizeof *repair.count, what);
    rc = repair.count ? for_destinations(&repair, n_threads, count_lost) : CW_ENOMEM;
    for (uint32_t dst = 0; !rc && dst < n; dst++) lost.lost += repair.count[dst];
    if (!rc && lost.lost > 0) rc = list_lost(&repair, listed, &lost.first);
    free(repair.count);
    if (rc)
        cw_lost_routes_free(&lost);
    else
        *out = lost;
    return rc;
}

void cw_lost_routes_free(struct cw_lost_routes *lost)
{
    cw_text_free(&lost->first);
    *lost = (struct cw_lost_routes){0};
}

/* --- repair ------------------------------------------------------------------------------------------------------- */

static int repair_destination(void *context, size_t index, unsigned thread)
{
    const struct repair *repair = context;
    const struct cw_network *net = repair->routes->net;
    const uint32_t dst = (uint32_t)index;
    begin_destination(repair, dst, &repair->worker[thread]);
    for (uint32_t v = repair->tables->row_base; v < net->n_vertices; v++) {
        if (v == dst) continue;
        const bool lost = follow(repair->routes, v, dst, &repair->worker[thread]) == LOST;
        const uint32_t old = cw_routes_table_port(repair->routes, v, dst);
        uint32_t port = lost ? cw_routes_table_port(repair->anew, v, dst) : old;
        if (port == CW_NO_PORT) port = old; /* no way is left */
        repair->count[dst] += port != old;
        if (port != CW_NO_PORT) cw_lft_set(repair->tables, v, dst, port);
    }
    return 0;
}

/* Repairs the routes to one LID with ANEW, which are tables. */
static int repair_tables(const struct cw_routes *routes, const struct cw_routes *anew, unsigned n_threads,
                         uint64_t *changed, struct cw_routes **out)
{
    struct repair repair = {.routes = routes, .anew = anew};
    const uint32_t n = routes->net->n_endpoints;
    int rc = cw_lft_new(routes->net, &repair.tables);
    if (rc) return rc;
    repair.count = cw_new_array(n, sizeof *repair.count, what);
    rc = repair.count ? for_destinations(&repair, n_threads, repair_destination) : CW_ENOMEM;
    uint64_t sum = 0;
    for (uint32_t dst = 0; !rc && dst < n; dst++) sum += repair.count[dst];
    free(repair.count);
    if (rc)
        cw_lft_free(repair.tables);
    else
        rc = cw_lft_finish(repair.tables, routes->name, out);
    if (rc) return rc;
    (*out)->lanes_unknown = routes->lanes_unknown;
    *changed += sum;
    return 0;
}

/* Those to a LID that ANEW has not are repaired with those to its first. */
static int repair_lids(const struct cw_routes *routes, const struct cw_routes *anew, unsigned n_threads,
                       uint64_t *changed, struct cw_routes **out)
{
    struct cw_routes *repaired, *next;
    const uint32_t lids = cw_routes_lids(anew);
    uint64_t sum = 0;
    int rc = repair_tables(routes, anew, n_threads, &sum, &repaired);
    if (rc) return rc;
    for (uint32_t lid = 1; !rc && (routes = routes->next_lid); lid++) {
        rc = repair_tables(routes, cw_routes_to_lid(anew, lid < lids ? lid : 0), n_threads, &sum, &next);
        if (!rc) cw_routes_add_lid(repaired, next);
    }
    if (rc) {
        cw_routes_free(repaired);
        return rc;
    }
    *changed = sum;
    *out = repaired;
    return 0;
}

int cw_routes_repair(const struct cw_routes *routes, const struct cw_routes *anew, unsigned n_threads,
                     uint64_t *changed, struct cw_routes **out)
{
    struct cw_routes *tables = NULL;
    int rc = check_tables(routes);
    if (!rc && routes->net != anew->net) rc = cw_fail(CW_EUSAGE, "routes of two networks; expected two of the same");
    if (!rc && routes->levels)
        rc = cw_fail(CW_EUSAGE, "routes with service levels; expected levels to be set when the tables are repaired");
    if (!rc && anew->kind != CW_ROUTES_TABLE) rc = cw_routes_to_tables(anew, n_threads, &tables);
    if (!rc) rc = repair_lids(routes, tables ? tables : anew, n_threads, changed, out);
    cw_routes_free(tables);
    return rc;
}

int cw_routes_repair_by(const struct cw_routes *routes, const char *engine, uint64_t seed, unsigned n_threads,
                        uint64_t *changed, struct cw_routes **out)
{
    const struct cw_routes *fabric = cw_routes_of_fabric(routes);
    struct cw_routes *anew = NULL;
    if (fabric) {
        const int rc = cw_routes_repair_by(fabric, engine, seed, n_threads, changed, &anew);
        return rc ? rc : cw_routes_of_nodes(anew, routes->net, out);
    }
    int rc = cw_engine_route(routes->net, engine, seed, n_threads, &anew);
    if (!rc) rc = cw_routes_repair(routes, anew, n_threads, changed, out);
    cw_routes_free(anew);
    return rc;
}
