#include "flow/legs/legs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"

#define LEG_BYTES 32 /* of a leg, about: its place and the channels of a short route */

/* --- ends --------------------------------------------------------------------------------------------------------- */

/* Adds ENDPOINT to LIST unless INDEX has it. */
static void add_end(uint32_t *list, uint32_t *n, uint32_t *index, uint32_t endpoint)
{
    if (index[endpoint] != CW_NONE) return;
    index[endpoint] = *n;
    list[(*n)++] = endpoint;
}

/* Relays come first on both sides, in one order, so that relay i is from[i] and to[i]. */
static int find_ends(const struct cw_demands *demands, struct cw_legs *legs)
{
    const uint32_t n = legs->net->n_endpoints;
    const struct cw_selection *relays = legs->setup.max_relays > 0 ? legs->setup.relays : NULL;
    legs->may_relay = cw_new_array(n, sizeof *legs->may_relay, "relays");
    legs->from = cw_new_array(n, sizeof *legs->from, "ends of legs");
    legs->to = cw_new_array(n, sizeof *legs->to, "ends of legs");
    legs->from_index = cw_new_array(n, sizeof *legs->from_index, "ends of legs");
    legs->to_index = cw_new_array(n, sizeof *legs->to_index, "ends of legs");
    if (!legs->may_relay || !legs->from || !legs->to || !legs->from_index || !legs->to_index) return CW_ENOMEM;
    for (uint32_t e = 0; e < n; e++) legs->from_index[e] = legs->to_index[e] = CW_NONE;
    for (uint32_t i = 0; relays && i < relays->n; i++) {
        legs->may_relay[relays->endpoints[i]] = true;
        add_end(legs->from, &legs->n_from, legs->from_index, relays->endpoints[i]);
        add_end(legs->to, &legs->n_to, legs->to_index, relays->endpoints[i]);
    }
    legs->n_relays = legs->n_from;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        if (demand->src >= n || demand->dst >= n)
            return cw_fail(CW_EUSAGE, "demand %zu: there is no endpoint %u; they are 0 to %u", d,
                           demand->src >= n ? demand->src : demand->dst, n - 1);
        add_end(legs->from, &legs->n_from, legs->from_index, demand->src);
        add_end(legs->to, &legs->n_to, legs->to_index, demand->dst);
    }
    return 0;
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* The legs of one beginning: their lengths are in `begin`, one place later than they will stand. */
struct row {
    uint32_t *channels;
    size_t n, capacity;
};

struct job {
    struct cw_legs *legs;
    struct row *rows; /* [n_from] */
};

/* Adds the way of ROUTES from SRC to DST to ROW; *N channels, 0 if it has none. */
static int add_way(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct row *row, uint32_t *n)
{
    int rc = cw_grow_array((void **)&row->channels, &row->capacity, row->n + cw_routes_max_hops(routes),
                           sizeof *row->channels, "legs");
    *n = 0;
    if (rc || src == dst) return rc;
    rc = cw_routes_paths(routes, 1, &src, &dst, n, row->channels + row->n, NULL);
    if (rc) *n = 0; /* a pair without a route has this way less */
    row->n += *n;
    return rc == CW_EROUTE ? 0 : rc;
}

static int walk_row(void *context, size_t f, unsigned thread)
{
    (void)thread;
    const struct job *job = context;
    struct cw_legs *legs = job->legs;
    const size_t n_routes = legs->setup.n_routes;
    struct row *row = &job->rows[f];
    int rc = 0;
    for (uint32_t t = 0; t < legs->n_to && !rc; t++)
        for (size_t r = 0; r < n_routes && !rc; r++) {
            uint32_t n;
            rc = add_way(legs->setup.routes[r], legs->from[f], legs->to[t], row, &n);
            legs->begin[(f * legs->n_to + t) * n_routes + r + 1] = n;
        }
    return rc;
}

/* Puts one row after another; what is copied is freed. */
static int gather(struct job *job)
{
    struct cw_legs *legs = job->legs;
    const size_t n_legs = (size_t)legs->n_from * legs->n_to * legs->setup.n_routes;
    for (size_t i = 0; i < n_legs; i++) legs->begin[i + 1] += legs->begin[i];
    legs->channels = cw_new_array(legs->begin[n_legs], sizeof *legs->channels, "legs");
    if (!legs->channels) return CW_ENOMEM;
    size_t at = 0;
    for (uint32_t f = 0; f < legs->n_from; f++) {
        struct row *row = &job->rows[f];
        if (row->n > 0) memcpy(legs->channels + at, row->channels, row->n * sizeof *legs->channels);
        at += row->n;
        free(row->channels);
        row->channels = NULL;
    }
    return 0;
}

static int walk(struct cw_legs *legs, unsigned n_threads)
{
    const double n_legs = (double)legs->n_from * legs->n_to * (double)legs->setup.n_routes;
    const double available = (double)cw_memory_available();
    if (n_legs * LEG_BYTES > available)
        return cw_fail(
            CW_ELIMIT,
            "%.3g legs between endpoints need %.3g bytes or more, and %.3g can be had; expected fewer relays "
            "(--relays FILE, or none)",
            n_legs, n_legs * LEG_BYTES, available);
    struct job job = {.legs = legs, .rows = cw_new_array(legs->n_from, sizeof *job.rows, "legs")};
    legs->begin = cw_new_array((size_t)n_legs + 1, sizeof *legs->begin, "legs");
    int rc = job.rows && legs->begin ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_parallel_for(n_threads, legs->n_from, walk_row, &job);
    if (!rc) rc = gather(&job);
    for (uint32_t f = 0; job.rows && f < legs->n_from; f++) free(job.rows[f].channels);
    free(job.rows);
    return rc;
}

int cw_legs_make(const struct cw_network *net, const struct cw_demands *demands, const struct cw_legs_setup *setup,
                 unsigned n_threads, struct cw_legs **out)
{
    if (setup->n_routes == 0) return cw_fail(CW_EUSAGE, "legs need routes of the network, and got none");
    for (size_t r = 0; r < setup->n_routes; r++) {
        const int rc = cw_routes_need_paths(setup->routes[r]);
        if (rc) return rc;
    }
    struct cw_legs *legs = cw_new_array(1, sizeof *legs, "legs");
    if (!legs) return CW_ENOMEM;
    *legs = (struct cw_legs){.net = net, .setup = *setup};
    int rc = find_ends(demands, legs);
    if (!rc) rc = walk(legs, n_threads);
    if (rc)
        cw_legs_free(legs);
    else
        *out = legs;
    return rc;
}

void cw_legs_free(struct cw_legs *legs)
{
    if (!legs) return;
    free(legs->may_relay);
    free(legs->from);
    free(legs->to);
    free(legs->from_index);
    free(legs->to_index);
    free(legs->begin);
    free(legs->channels);
    free(legs);
}

/* --- connection --------------------------------------------------------------------------------------------------- */

bool cw_legs_works(const struct cw_flow_problem *problem, const uint32_t *channels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!(problem->capacity[channels[i]] > 0)) return false;
    return n > 0;
}

/* What the check of connections works with. */
struct reach {
    const struct cw_flow_problem *problem;
    uint32_t *queue, *passed; /* [relays] */
    uint32_t *hops, *order;   /* [vertices] to the endpoint `to`, or NULL: nothing is adaptive */
    uint32_t to;
};

static bool leads_adaptively(struct reach *reach, uint32_t f, uint32_t t)
{
    const struct cw_legs *legs = reach->problem->legs;
    if (!reach->hops || legs->from[f] == legs->to[t]) return false;
    if (reach->to != legs->to[t]) cw_shortest_hops(reach->problem, legs->to[t], reach->hops, reach->order);
    reach->to = legs->to[t];
    return reach->hops[legs->from[f]] != CW_NONE;
}

/* True if some way from from[F] to to[T] works. */
static bool leads(struct reach *reach, uint32_t f, uint32_t t)
{
    const struct cw_flow_problem *problem = reach->problem;
    const struct cw_legs *legs = problem->legs;
    for (size_t r = 0; r < legs->setup.n_routes; r++) {
        uint32_t n;
        const uint32_t *channels = cw_legs_channels(legs, f, t, r, &n);
        if (cw_legs_works(problem, channels, n)) return true;
    }
    return leads_adaptively(reach, f, t);
}

/* True if a path of legs leads from from[F] to to[T]. */
static bool connected(struct reach *reach, uint32_t f, uint32_t t)
{
    const struct cw_legs *legs = reach->problem->legs;
    uint32_t *queue = reach->queue, *passed = reach->passed;
    if (leads(reach, f, t)) return true;
    uint32_t n = 0;
    for (uint32_t w = 0; w < legs->n_relays; w++) passed[w] = leads(reach, f, w) ? 1 : 0; /* relays up to there */
    for (uint32_t w = 0; w < legs->n_relays; w++)
        if (passed[w] > 0) queue[n++] = w;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t w = queue[i];
        if (leads(reach, w, t)) return true;
        for (uint32_t next = 0; passed[w] < legs->setup.max_relays && next < legs->n_relays; next++) {
            if (passed[next] > 0 || !leads(reach, w, next)) continue;
            passed[next] = passed[w] + 1;
            queue[n++] = next;
        }
    }
    return false;
}

static int check_demands(struct reach *reach)
{
    const struct cw_network *net = reach->problem->net;
    const struct cw_legs *legs = reach->problem->legs;
    const struct cw_demands *demands = reach->problem->demands;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
        if (connected(reach, legs->from_index[demand->src], legs->to_index[demand->dst])) continue;
        return cw_fail(CW_EUSAGE, "demand %zu: no route of the network leads from %s to %s%s", d,
                       cw_network_name(net, demand->src, src, sizeof src),
                       cw_network_name(net, demand->dst, dst, sizeof dst),
                       legs->n_relays > 0 ? ", with relays or without" : "");
    }
    return 0;
}

int cw_legs_check_connected(const struct cw_flow_problem *problem)
{
    const struct cw_legs *legs = problem->legs;
    const uint32_t n = legs->setup.adaptive ? problem->net->n_vertices : 0;
    uint32_t *items = cw_new_array(2 * ((size_t)legs->n_relays + n), sizeof *items, "a search");
    if (!items) return CW_ENOMEM;
    struct reach reach = {.problem = problem, .queue = items, .passed = items + legs->n_relays, .to = CW_NONE};
    if (n > 0) {
        reach.hops = items + 2 * (size_t)legs->n_relays;
        reach.order = reach.hops + n;
    }
    const int rc = check_demands(&reach);
    free(items);
    return rc;
}

/* --- shortest ways ------------------------------------------------------------------------------------------------ */

uint32_t cw_shortest_hops(const struct cw_flow_problem *problem, uint32_t dst, uint32_t *hops, uint32_t *order)
{
    const struct cw_network *net = problem->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) hops[v] = CW_NONE;
    hops[dst] = 0;
    order[n++] = dst;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = order[i];
        if (v != dst && !cw_network_forwards(net, v)) continue;
        for (uint32_t port = net->first[v]; port < net->first[v + 1]; port++) {
            const uint32_t from = net->head[port];
            if (hops[from] != CW_NONE || !(problem->capacity[net->twin[port]] > 0)) continue;
            hops[from] = hops[v] + 1;
            order[n++] = from;
        }
    }
    return n;
}
