/* Believes nothing: every promise is checked from the network, the demands and the capacities alone. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/files/plan_file.h"
#include "flow/legs/legs.h"
#include "flow/plan.h"
#include "net/network_internal.h"

#define TOLERANCE 1e-9

struct checker {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    uint32_t *seen;          /* [vertices] the last path that passed, from 1 */
    double *load;            /* [channels] in largest demands */
    uint32_t *level, *queue; /* [vertices] of a search */
};

static bool differs(double a, double b)
{
    return !(a == b || fabs(a - b) <= TOLERANCE * fmin(fabs(a), fabs(b))); /* least of both: infinity is near to none */
}

/* "plan: demands[7].paths[3], h0 to h5: PROBLEM". */
static int fail_path(const struct checker *checker, size_t index, const char *format, ...) CW_PRINTF(3, 4);
static int fail_path(const struct checker *checker, size_t index, const char *format, ...)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_plan_path *paths = checker->plan->paths;
    const struct cw_demand *demand = &checker->problem->demands->items[paths[index].demand];
    char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
    char what[3 * CW_NAME_SIZE];
    size_t before = 0; /* paths of the demand before this one */
    while (before < index && paths[index - before - 1].demand == paths[index].demand) before++;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "demands[%u].paths[%zu], %s to %s: %s", paths[index].demand, before,
                   cw_network_name(net, demand->src, src, sizeof src),
                   cw_network_name(net, demand->dst, dst, sizeof dst), what);
}

static int fail_channel(const struct checker *checker, size_t index, uint32_t channel, const char *problem)
{
    char name[2 * CW_NAME_SIZE];
    return fail_path(checker, index, "channel %s %s",
                     cw_network_channel_name(checker->problem->net, channel, name, sizeof name), problem);
}

/* One channel of path INDEX, which has come to vertex *AT. */
static int follow(const struct checker *checker, size_t index, uint32_t channel, uint32_t *at)
{
    const struct cw_network *net = checker->problem->net;
    char here[CW_NAME_SIZE];
    if (channel >= net->n_channels) return fail_path(checker, index, "there is no channel %u", channel);
    if (net->tail[channel] != *at) return fail_channel(checker, index, channel, "does not begin where the path is");
    if (!(checker->problem->capacity[channel] > 0)) return fail_channel(checker, index, channel, "has no capacity");
    *at = net->head[channel];
    if (checker->problem->legs && !cw_network_is_endpoint(net, *at)) return 0; /* legs may meet again in a switch */
    if (checker->seen[*at] == index + 1)
        return fail_path(checker, index, "it comes to %s twice", cw_network_name(net, *at, here, sizeof here));
    checker->seen[*at] = (uint32_t)index + 1;
    return 0;
}

/* --- legs --------------------------------------------------------------------------------------------------------- */

/* True if ROUTES lead from SRC to DST by the N channels at CHANNELS, step by step. */
static bool is_route(const struct cw_routes *routes, uint32_t src, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    struct cw_walk walk = {.routes = NULL};
    struct cw_hop hop;
    bool same = cw_walk_begin(&walk, routes, src, dst) == 0;
    for (uint32_t i = 0; i < n && same; i++) {
        same = cw_walk_candidates(&walk, &hop, 1) == 1 && hop.channel == channels[i];
        if (same) cw_walk_take(&walk, hop);
    }
    same = same && cw_walk_candidates(&walk, &hop, 1) == 0;
    cw_walk_end(&walk);
    return same;
}

/* True if no way from SRC to DST over channels that work has less than N hops. */
static bool is_shortest(const struct checker *checker, uint32_t src, uint32_t dst, uint32_t n)
{
    const struct cw_network *net = checker->problem->net;
    uint32_t *level = checker->level, *queue = checker->queue, count = 0; /* level: hops from SRC, from 1 */
    memset(level, 0, net->n_vertices * sizeof *level);
    level[src] = 1;
    queue[count++] = src;
    for (uint32_t i = 0; i < count && level[dst] == 0; i++) {
        if (i > 0 && !cw_network_forwards(net, queue[i])) continue;
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            if (level[net->head[c]] > 0 || !(checker->problem->capacity[c] > 0)) continue;
            level[net->head[c]] = level[queue[i]] + 1;
            queue[count++] = net->head[c];
        }
    }
    return level[dst] == n + 1;
}

/* The N channels at CHANNELS are to be one leg of path INDEX: a way of one of the routes. */
static int check_leg(const struct checker *checker, size_t index, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_legs_setup *setup = &checker->problem->legs->setup;
    const uint32_t src = net->tail[channels[0]], dst = net->head[channels[n - 1]];
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    for (size_t r = 0; r < setup->n_routes; r++)
        if (is_route(setup->routes[r], src, dst, channels, n)) return 0;
    if (setup->adaptive && is_shortest(checker, src, dst, n)) return 0;
    return fail_path(checker, index, "from %s to %s it does not follow the network's routes (%s)",
                     cw_network_name(net, src, from, sizeof from), cw_network_name(net, dst, to, sizeof to),
                     cw_routes_name(setup->routes[0]));
}

static bool may_relay(const struct cw_legs_setup *setup, uint32_t endpoint)
{
    return setup->relays && cw_selection_index(setup->relays, endpoint) != CW_NONE;
}

/* Path INDEX, which is one from source to destination, is to consist of legs between those who may relay. */
static int check_legs(const struct checker *checker, size_t index)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_legs_setup *setup = &checker->problem->legs->setup;
    const struct cw_plan_path *path = &checker->plan->paths[index];
    const uint32_t *channels = checker->plan->channels + path->first;
    char here[CW_NAME_SIZE];
    uint32_t relays = 0, begin = 0;
    int rc = 0;
    for (uint32_t hop = 0; hop < path->n && !rc; hop++) {
        const uint32_t at = net->head[channels[hop]];
        for (uint32_t before = 0; before < hop; before++)
            if (channels[before] == channels[hop]) return fail_channel(checker, index, channels[hop], "is on it twice");
        if (!cw_network_is_endpoint(net, at)) continue;
        rc = check_leg(checker, index, channels + begin, hop + 1 - begin);
        begin = hop + 1;
        if (rc || begin == path->n) return rc;
        if (!may_relay(setup, at))
            return fail_path(checker, index, "it is relayed by %s, which may not relay",
                             cw_network_name(net, at, here, sizeof here));
        if (++relays > setup->max_relays)
            return fail_path(checker, index, "it has more than %u relays", setup->max_relays);
    }
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int check_path(const struct checker *checker, size_t index)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_plan_path *path = &checker->plan->paths[index];
    const struct cw_demand *demand = &checker->problem->demands->items[path->demand];
    char here[CW_NAME_SIZE];
    uint32_t at = demand->src;
    int rc = 0;
    if ((uint64_t)path->first + path->n > checker->plan->n_channels)
        return fail_path(checker, index, "its channels are beyond those of the plan");
    checker->seen[at] = (uint32_t)index + 1;
    for (uint32_t hop = 0; hop < path->n && !rc; hop++) {
        if (hop > 0 && !cw_network_forwards(net, at) && !checker->problem->legs)
            return fail_path(checker, index, "it passes through the endpoint %s",
                             cw_network_name(net, at, here, sizeof here));
        rc = follow(checker, index, checker->plan->channels[path->first + hop], &at);
    }
    if (!rc && at != demand->dst)
        return fail_path(checker, index, "it ends at %s", cw_network_name(net, at, here, sizeof here));
    if (!rc && checker->problem->legs) rc = check_legs(checker, index);
    if (!rc && !(path->share > 0 && path->share <= 1 + TOLERANCE))
        return fail_path(checker, index, "its share is %g, expected more than 0 and at most 1", path->share);
    return rc;
}

static void add_load(const struct checker *checker, const struct cw_plan_path *path)
{
    const double bytes = (double)checker->problem->demands->items[path->demand].bytes;
    for (uint32_t hop = 0; hop < path->n; hop++)
        checker->load[checker->plan->channels[path->first + hop]] +=
            path->share * (bytes / (double)checker->problem->unit_bytes);
}

/* Each path has its share of the demand's bytes, but for the rounding to whole ones. */
static int check_bytes(const struct checker *checker, size_t index)
{
    const struct cw_plan_path *path = &checker->plan->paths[index];
    const uint64_t all = checker->problem->demands->items[path->demand].bytes;
    const double ideal = path->share * (double)all;
    if (fabs((double)path->bytes - ideal) <= 1 + TOLERANCE * (double)all) return 0;
    return fail_path(checker, index, "it has %" PRIu64 " bytes, but its share is %.12g of %" PRIu64, path->bytes,
                     path->share, all);
}

/* The sums over the paths of demand D, which begin at *INDEX; leaves *INDEX behind them. */
static int check_demand(const struct checker *checker, size_t d, bool rounded, size_t *index)
{
    const struct cw_plan *plan = checker->plan;
    const uint64_t expected = checker->problem->demands->items[d].bytes;
    double share = 0;
    uint64_t left = expected;
    bool over = false;
    int rc = 0;
    if (*index == plan->n_paths || plan->paths[*index].demand != d)
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "demands[%zu] has no path, or the paths are not sorted by demand",
                       d);
    for (; *index < plan->n_paths && plan->paths[*index].demand == d && !rc; ++*index) {
        const struct cw_plan_path *path = &plan->paths[*index];
        share += path->share;
        over = over || path->bytes > left;
        left -= path->bytes;
        if (rounded) rc = check_bytes(checker, *index);
    }
    if (!rc && differs(share, 1))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "the shares of demands[%zu] add up to %.12g, expected 1", d, share);
    if (!rc && rounded && (over || left != 0))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "the bytes of demands[%zu] add up to %s than its %" PRIu64, d,
                       over ? "more" : "less", expected);
    return rc;
}

static int check_demands(const struct checker *checker)
{
    const struct cw_plan *plan = checker->plan;
    bool rounded = false;
    size_t index = 0;
    int rc = 0;
    for (size_t i = 0; i < plan->n_paths; i++) rounded = rounded || plan->paths[i].bytes > 0;
    for (size_t d = 0; d < checker->problem->demands->n && !rc; d++) rc = check_demand(checker, d, rounded, &index);
    if (!rc && index < plan->n_paths)
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "path %zu is not where the order by demand wants it", index);
    return rc;
}

static int check_rate(const struct checker *checker)
{
    const struct cw_network *net = checker->problem->net;
    const struct cw_plan *plan = checker->plan;
    double z = INFINITY;
    char name[2 * CW_NAME_SIZE];
    if (!(plan->z > 0)) return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "z is %g, expected more than 0", plan->z);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double limit = checker->problem->capacity[c] / checker->problem->unit_capacity;
        if (!(checker->load[c] > 0) || isinf(limit)) continue;
        if (plan->z * checker->load[c] > limit * (1 + TOLERANCE))
            return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "channel %s carries %g of its capacity at rate z = %.12g",
                           cw_network_channel_name(net, c, name, sizeof name), plan->z * checker->load[c] / limit,
                           plan->z);
        if (limit / checker->load[c] < z) z = limit / checker->load[c];
    }
    if (differs(plan->z, z))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "z is %.12g, but the channels allow %.12g", plan->z, z);
    if (plan->z > plan->bound * (1 + TOLERANCE))
        return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "z is %.12g and so above its bound %.12g", plan->z, plan->bound);
    return 0;
}

static int check_all(const struct checker *checker)
{
    const struct cw_plan *plan = checker->plan;
    int rc = 0;
    for (size_t i = 0; i < plan->n_paths && !rc; i++) {
        if (plan->paths[i].demand >= checker->problem->demands->n)
            return cw_fail(CW_EINTERNAL, CW_PLAN_BREACH "path %zu is of demand %u, expected less than %zu", i,
                           plan->paths[i].demand, checker->problem->demands->n);
        rc = check_path(checker, i);
        if (!rc) add_load(checker, &plan->paths[i]);
    }
    if (!rc) rc = check_demands(checker);
    return rc ? rc : check_rate(checker);
}

int cw_plan_verify_routes(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                          const struct cw_routes *routes)
{
    const struct checker checker = {.problem = problem, .plan = plan};
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const struct cw_demand *demand = &problem->demands->items[path->demand];
        if (!is_route(routes, demand->src, demand->dst, plan->channels + path->first, path->n))
            return fail_path(&checker, i, "it is not the network's route (%s), but network_routes says so",
                             cw_routes_name(routes));
    }
    return 0;
}

int cw_plan_verify_paths(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    struct checker checker = {.problem = problem, .plan = plan};
    if (plan->n_paths >= UINT32_MAX) return cw_fail(CW_ELIMIT, "a plan of %zu paths", plan->n_paths);
    checker.seen = cw_new_array(problem->net->n_vertices, sizeof *checker.seen, "a check of paths");
    checker.load = cw_new_array(problem->net->n_channels, sizeof *checker.load, "channel loads");
    checker.level = cw_new_array(problem->net->n_vertices, sizeof *checker.level, "a check of paths");
    checker.queue = cw_new_array(problem->net->n_vertices, sizeof *checker.queue, "a check of paths");
    rc = checker.seen && checker.load && checker.level && checker.queue ? check_all(&checker) : CW_ENOMEM;
    free(checker.seen);
    free(checker.level);
    free(checker.queue);
    free(checker.load);
    return rc;
}

int cw_plan_verify(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    const int rc = cw_plan_verify_paths(problem, plan);
    return rc ? rc : cw_proof_verify(problem, &plan->proof);
}
