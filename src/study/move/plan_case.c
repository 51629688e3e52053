#include "study/move/plan_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "flow/chunking.h"
#include "flow/pricing/pricing.h"
#include "flow/transport/transport_set.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "route/files/lft_file.h"

/* --- what legs may be --------------------------------------------------------------------------------------------- */

static int fail_too_many(void)
{
    return cw_fail(CW_ELIMIT, "more than %d ways for each leg; expected fewer routes", CW_LEG_WAYS_MAX);
}

int cw_leg_ways_add(struct cw_leg_ways *ways, const struct cw_routes *routes)
{
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++) {
        if (ways->n == CW_LEG_WAYS_MAX) return fail_too_many();
        ways->routes[ways->n++] = cw_routes_to_lid(routes, lid);
    }
    return 0;
}

/* Takes ROUTES over, also on failure. */
static int add_made(struct cw_leg_ways *ways, struct cw_routes *routes)
{
    if (ways->n_made == CW_LEG_WAYS_MAX) {
        cw_routes_free(routes);
        return fail_too_many();
    }
    ways->made[ways->n_made++] = routes;
    return cw_leg_ways_add(ways, routes);
}

static int add_routing(struct cw_leg_ways *ways, const struct cw_network *net, const char *spec, uint64_t seed,
                       unsigned n_threads)
{
    struct cw_routes *routes;
    const int rc = cw_engine_route(net, spec, seed, n_threads, &routes);
    return rc ? rc : add_made(ways, routes);
}

int cw_leg_ways_add_lids(struct cw_leg_ways *ways, const struct cw_network *net, uint32_t n, uint64_t seed,
                         unsigned n_threads)
{
    int rc = 0;
    for (uint32_t lid = 1; lid <= n && !rc; lid++) {
        char spec[64];
        snprintf(spec, sizeof spec, "random-minimal:lid=%u", lid);
        rc = add_routing(ways, net, spec, seed, n_threads);
    }
    return rc;
}

static int add_tables(struct cw_leg_ways *ways, const struct cw_network *net, const char *file)
{
    struct cw_routes *routes;
    const int rc = cw_lft_read_lids(net, file, CW_LIDS_MAX, NULL, &routes);
    return rc ? rc : add_made(ways, routes);
}

static int add_item(struct cw_leg_ways *ways, const struct cw_network *net, const char *item, uint64_t seed,
                    unsigned n_threads)
{
    if (strncmp(item, "lft:", 4) == 0) return add_tables(ways, net, item + 4);
    if (strcmp(item, "adaptive") != 0) return add_routing(ways, net, item, seed, n_threads);
    ways->adaptive = true;
    return 0;
}

int cw_leg_ways_add_list(struct cw_leg_ways *ways, const struct cw_network *net, const char *list, uint64_t seed,
                         unsigned n_threads)
{
    int rc = 0;
    while (!rc && *list) {
        list += strspn(list, "; ");
        size_t length = strcspn(list, ";");
        const char *next = list + length;
        while (length > 0 && list[length - 1] == ' ') length--;
        if (length == 0) return 0;
        char *item = cw_copy_text(list, length);
        if (!item) return CW_ENOMEM;
        rc = add_item(ways, net, item, seed, n_threads);
        free(item);
        list = next;
    }
    return rc;
}

static void free_leg_ways(struct cw_leg_ways *ways)
{
    if (!ways) return;
    for (size_t i = 0; i < ways->n_made; i++) cw_routes_free(ways->made[i]);
    *ways = (struct cw_leg_ways){.n = 0};
}

/* --- the case ----------------------------------------------------------------------------------------------------- */

#define MANY_PIECES 1e6 /* hops of pieces of chunks: tenths of a second for each plan */
#define MANY_HOPS   8e6 /* of chunks that are simulated one by one: some seconds for each plan */
#define SAMPLE      64  /* demands whose distances are searched to know how many hops there are */

#define FOUND    0.3 /* of the progress of a plan: its paths are found, … */
#define SEARCHED 0.7 /* … its search is over */

#define PATH_BYTES 100 /* of a path, at least: its channels twice while it is found, its place */

void cw_plan_case_free(struct cw_plan_case *made)
{
    cw_k_paths_free(&made->paths);
    cw_flow_problem_free(&made->problem);
    cw_legs_free(made->legs);
    free_leg_ways(&made->ways);
    cw_selection_free(made->relays);
    cw_demands_free(&made->demands);
}

int cw_plan_case_find_paths(struct cw_plan_case *made)
{
    if (made->setup.paths) return 0;
    const double begin = cw_stopwatch_now();
    const double bytes = (double)made->demands.n * made->wanted.k * PATH_BYTES;
    const double available = (double)cw_memory_available();
    if (bytes > available)
        return cw_fail(
            CW_ELIMIT,
            "%zu demands with %u paths each need %.3g bytes or more, and %.3g can be had; expected a smaller "
            "--k or a method without them (optimum, approx)",
            made->demands.n, made->wanted.k, bytes, available);
    const int rc = cw_k_paths_find(&made->problem, &made->wanted, made->setup.n_threads, &made->paths);
    if (rc) return rc;
    made->setup.paths = &made->paths;
    made->setup.k = made->wanted.k;
    made->paths_seconds = cw_stopwatch_now() - begin;
    return 0;
}

/* Hops of all chunks by shortest ways, from those of a sample of demands. */
static int estimate_hops(const struct cw_plan_case *made, struct cw_demand *sample, double *length, double *hops)
{
    const size_t n = made->demands.n, n_sample = n < SAMPLE ? n : SAMPLE;
    const struct cw_demands demands = {.items = sample, .n = n_sample};
    struct cw_flow_problem problem = made->problem;
    struct cw_pricing *pricing = NULL;
    for (size_t i = 0; i < n_sample; i++) sample[i] = made->demands.items[i * n / n_sample];
    for (uint32_t c = 0; c < made->net->n_channels; c++) length[c] = !isinf(problem.capacity[c]);
    problem.demands = &demands;
    int rc = cw_pricing_make(&problem, NULL, made->setup.n_threads, &pricing);
    if (!rc) rc = cw_pricing_measure(pricing, length);
    *hops = 0;
    for (size_t i = 0; !rc && i < n_sample; i++)
        *hops += ceil((double)sample[i].bytes / (double)made->transport.chunk_bytes) * cw_pricing_distance(pricing, i);
    *hops *= (double)n / (double)n_sample;
    cw_pricing_free(pricing);
    return rc;
}

int cw_plan_case_group_chunks(struct cw_plan_case *made, bool group)
{
    struct cw_transport *transport = &made->transport;
    if (!made->has_transport || (!group && transport->pieces < 2)) return 0;
    struct cw_demand *sample = cw_new_array(SAMPLE, sizeof *sample, "demands");
    double *length = cw_new_array(made->net->n_channels, sizeof *length, "channel lengths"), hops = 0;
    const int rc = sample && length ? estimate_hops(made, sample, length, &hops) : CW_ENOMEM;
    while (transport->pieces > 1 && hops * transport->pieces > MANY_PIECES) transport->pieces /= 2;
    for (transport->together = 1; !rc && group && hops > MANY_HOPS * transport->together;) {
        if (transport->together > UINT32_MAX / 2) break;
        transport->together *= 2;
    }
    free(sample);
    free(length);
    return rc;
}

int cw_plan_case_solve(struct cw_plan_case *made, const struct cw_method *method, struct cw_plan_run *run)
{
    struct cw_plan_run result = {.predicted = false};
    const bool paths = method->needs_paths || (method->worth_paths && method->worth_paths(&made->problem));
    const double searching = paths && !made->setup.paths ? FOUND : 0;
    made->setup.transport = made->has_transport ? &made->transport : NULL;
    made->setup.moved = &result.moved;
    made->wanted.progress = cw_progress_within(&made->progress, 0, searching);
    int rc = paths ? cw_plan_case_find_paths(made) : 0;
    if (rc == CW_ELIMIT && !method->needs_paths) rc = 0; /* it has plans without them */
    made->setup.progress = cw_progress_within(&made->progress, searching, SEARCHED);
    if (!rc) rc = cw_method_solve(method, &made->problem, &made->setup, &result.found);
    made->setup.moved = NULL;
    if (rc) return rc;
    result.predicted = result.moved.seconds > 0;
    if (paths) result.found.seconds += made->paths_seconds;
    result.z = result.found.z;
    rc = cw_plan_in_chunks(&made->problem, &result.found, made->transport.chunk_bytes, &result.plan);
    if (rc)
        cw_plan_run_free(&result);
    else
        *run = result;
    return rc;
}

int cw_plan_case_evaluate(const struct cw_plan_case *made, struct cw_plan_run *run)
{
    struct cw_transport transport = made->transport;
    transport.progress = cw_progress_within(&made->progress, SEARCHED, 1);
    int rc = cw_plan_figures_compute(&made->problem, &run->plan, &run->figures);
    run->bandwidth_seconds = cw_plan_bandwidth_seconds(&made->problem, &run->plan);
    if (rc || !made->has_transport || (run->predicted && !made->arrivals)) return rc;
    struct cw_transport_result again; /* the same, where the method has predicted it */
    transport.arrivals = made->arrivals;
    rc = cw_transport_run(&made->problem, &run->plan, &transport, run->predicted ? &again : &run->moved);
    run->predicted |= !rc;
    return rc == CW_ELIMIT ? 0 : rc;
}

int cw_plan_case_default_seconds(struct cw_plan_case *made, double *out)
{
    struct cw_plan_run run;
    int rc = made->has_transport ? cw_plan_case_solve(made, cw_method_find("default"), &run) : CW_EROUTE;
    if (rc == CW_EROUTE) {
        *out = (double)NAN;
        return 0;
    }
    if (rc) return rc;
    rc = cw_plan_case_evaluate(made, &run);
    if (!rc) *out = run.predicted ? run.moved.seconds : (double)NAN;
    cw_plan_run_free(&run);
    return rc;
}

bool cw_plan_run_is_better(const struct cw_plan_run *a, const struct cw_plan_run *b)
{
    const double time_a = a->predicted ? a->moved.seconds : (double)INFINITY;
    const double time_b = b->predicted ? b->moved.seconds : (double)INFINITY;
    return cw_plan_is_better(&a->found, time_a, &b->found, time_b);
}

size_t cw_plan_runs_best(const struct cw_plan_run *runs, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (cw_plan_run_is_better(&runs[i], &runs[best])) best = i;
    return best;
}

void cw_plan_run_free(struct cw_plan_run *run)
{
    cw_plan_free(&run->found);
    cw_plan_free(&run->plan);
}

/* --- as it is made unless somebody says otherwise ----------------------------------------------------------------- */

#define USUAL_BYTES   8388608 /* of a pair */
#define USUAL_PATHS   16
#define USUAL_MAXLOAD 16
#define USUAL_EPSILON 0.01

int cw_plan_case_usual(const struct cw_routes *routes, const struct cw_selection *selection, struct cw_demands *demands,
                       uint64_t seed, unsigned n_threads, struct cw_plan_case *made)
{
    const struct cw_network *net = cw_routes_network(routes);
    *made = (struct cw_plan_case){.net = net, .demands = *demands};
    *demands = (struct cw_demands){0};
    if (cw_routes_kind(routes) == CW_ROUTES_WAYS)
        return cw_fail(CW_EUSAGE, "%s sends the packets of a message over several paths; plans need one for each pair",
                       cw_routes_name(routes));
    const bool legs = !cw_network_node_is_switch(net);
    made->wanted = (struct cw_k_paths_setup){.k = USUAL_PATHS, .ties = CW_TIES_PENALISED};
    made->setup = (struct cw_method_setup){.routes = routes,
                                           .k = USUAL_PATHS,
                                           .maxload = USUAL_MAXLOAD,
                                           .epsilon = USUAL_EPSILON,
                                           .n_threads = n_threads,
                                           .seed = seed};
    int rc = legs ? cw_leg_ways_add(&made->ways, routes) : 0;
    const struct cw_legs_setup setup = {
        .relays = selection, .max_relays = 1, .routes = made->ways.routes, .n_routes = made->ways.n};
    if (!rc && legs) rc = cw_legs_make(net, &made->demands, &setup, n_threads, &made->legs);
    if (!rc)
        rc = legs ? cw_flow_problem_make_on_legs(made->legs, &made->demands, 0, NULL, 0, &made->problem)
                  : cw_flow_problem_make(net, &made->demands, 0, NULL, 0, &made->problem);
    if (rc) return rc;
    made->has_transport = true;
    made->transport = cw_transport_set_for(&made->problem)->transport;
    made->transport.messages.adaptive = false; /* messages keep to the routes that are given */
    return cw_plan_case_group_chunks(made, true);
}

int cw_plan_usual_seconds(const struct cw_routes *routes, const struct cw_selection *selection, const char *traffic,
                          uint64_t seed, unsigned n_threads, double *out)
{
    static const char *const methods[] = {"default", "auto"};
    struct cw_plan_case made;
    struct cw_demands demands = {0};
    double best = INFINITY;
    int rc = cw_demands_pattern(cw_routes_network(routes), selection, traffic, USUAL_BYTES, seed, &demands), failed = 0;
    if (rc) return rc;
    rc = cw_plan_case_usual(routes, selection, &demands, seed, n_threads, &made);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !rc; i++) {
        struct cw_plan_run run;
        rc = cw_plan_case_solve(&made, cw_method_find(methods[i]), &run);
        if (rc == CW_EROUTE && made.legs) { /* pairs that only relays connect have no plan of the network's own */
            failed = rc;
            rc = 0;
            continue;
        }
        if (rc) break;
        rc = cw_plan_case_evaluate(&made, &run);
        if (!rc && run.predicted) best = fmin(best, run.moved.seconds);
        cw_plan_run_free(&run);
    }
    if (!rc && isinf(best))
        rc = failed ? failed : cw_fail(CW_ELIMIT, "the chunks of these data are too many to be simulated");
    if (!rc) *out = best;
    cw_plan_case_free(&made);
    return rc;
}
