/*
 * The machine's own routes: each demand on the one path it takes without a plan.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/method.h"
#include "net/network_internal.h"

#define BATCH 1024 /* routes walked at once */

struct walk_batch {
    uint32_t src[BATCH], dst[BATCH], hops[BATCH];
    uint32_t channels[]; /* [BATCH * max_hops] */
};

static int check_route(const struct cw_flow_problem *problem, const struct cw_routes *routes, size_t demand,
                       const uint32_t *channels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (problem->capacity[channels[i]] > 0) continue;
        char tail[CW_NAME_SIZE], head[CW_NAME_SIZE];
        return cw_fail(
            CW_EUSAGE,
            "the %s route of demand %zu takes the failed channel from %s to %s; route around it, or choose a "
            "method that finds paths",
            cw_routes_name(routes), demand,
            cw_network_name(problem->net, problem->net->tail[channels[i]], tail, sizeof tail),
            cw_network_name(problem->net, problem->net->head[channels[i]], head, sizeof head));
    }
    return 0;
}

/* Demands BEGIN … BEGIN + N - 1. */
static int add_routes(const struct cw_flow_problem *problem, const struct cw_routes *routes, size_t begin, size_t n,
                      struct walk_batch *batch, struct cw_plan *plan)
{
    for (size_t i = 0; i < n; i++) {
        batch->src[i] = problem->demands->items[begin + i].src;
        batch->dst[i] = problem->demands->items[begin + i].dst;
    }
    int rc = cw_routes_packed_paths(routes, n, batch->src, batch->dst, batch->hops, batch->channels);
    const uint32_t *channels = batch->channels;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = check_route(problem, routes, begin + i, channels, batch->hops[i]);
        if (rc == 0) rc = cw_plan_add(plan, (uint32_t)(begin + i), 1, channels, batch->hops[i]);
        channels += batch->hops[i];
    }
    return rc;
}

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    const size_t n = problem->demands->n;
    if (!setup->routes) return cw_fail(CW_EUSAGE, "method default needs the machine's routes, and got none");
    struct walk_batch *batch =
        cw_new_array(1, sizeof *batch + (size_t)BATCH * cw_routes_max_hops(setup->routes) * sizeof(uint32_t), "routes");
    int rc = batch ? 0 : CW_ENOMEM;
    for (size_t begin = 0; begin < n && rc == 0; begin += BATCH)
        rc = add_routes(problem, setup->routes, begin, n - begin < BATCH ? n - begin : BATCH, batch, out);
    free(batch);
    out->k = 1;
    out->network_routes = true;
    return rc;
}

const struct cw_method cw_method_default = {
    .name = "default", .help = "the machine's own routes, one path a pair", .solve = solve};
