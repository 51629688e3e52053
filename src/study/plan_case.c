#include "study/plan_case.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "flow/chunking.h"

#define MANY_CHUNKS 2e6 /* that are simulated one by one: some seconds for each plan */
#define FOUND       0.3 /* of the progress of a plan: its paths are found, … */
#define SEARCHED    0.7 /* … its search is over */

#define PATH_BYTES 100 /* of a path, at least: its channels twice while it is found, its place */

void cw_plan_case_free(struct cw_plan_case *made)
{
    cw_k_paths_free(&made->paths);
    cw_flow_problem_free(&made->problem);
    cw_legs_free(made->legs);
    cw_leg_ways_free(&made->ways);
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
        return cw_fail(CW_ELIMIT,
                       "%zu demands with %u paths each need %.3g bytes or more, and %.3g can be had; expected fewer "
                       "--paths or a method without them (optimum, approx)",
                       made->demands.n, made->wanted.k, bytes, available);
    const int rc = cw_k_paths_find(&made->problem, &made->wanted, made->setup.n_threads, &made->paths);
    if (rc) return rc;
    made->setup.paths = &made->paths;
    made->setup.k = made->wanted.k;
    made->paths_seconds = cw_stopwatch_now() - begin;
    return 0;
}

void cw_plan_case_group_chunks(struct cw_plan_case *made)
{
    double chunks = 0;
    if (!made->has_transport) return;
    for (size_t d = 0; d < made->demands.n; d++)
        chunks += (double)made->demands.items[d].bytes / (double)made->transport.chunk_bytes;
    for (made->transport.together = 1; chunks > MANY_CHUNKS * made->transport.together;) {
        if (made->transport.together > UINT32_MAX / 2) return;
        made->transport.together *= 2;
    }
}

int cw_plan_case_evaluate(const struct cw_plan_case *made, struct cw_plan_run *run)
{
    int rc = cw_plan_figures_compute(&made->problem, &run->plan, &run->figures);
    run->bandwidth_seconds = cw_plan_bandwidth_seconds(&made->problem, &run->plan);
    if (rc || !made->has_transport) return rc;
    rc = cw_transport_run(&made->problem, &run->plan, &made->transport, &run->moved);
    run->predicted = !rc;
    return rc == CW_ELIMIT ? 0 : rc;
}

int cw_plan_case_solve(struct cw_plan_case *made, const struct cw_method *method, struct cw_plan_run *run)
{
    struct cw_plan_run result = {.predicted = false};
    const bool paths = method->needs_paths || (method->worth_paths && method->worth_paths(&made->problem));
    const double searching = paths && !made->setup.paths ? FOUND : 0;
    made->setup.transport = made->has_transport ? &made->transport : NULL;
    made->wanted.progress = cw_progress_within(&made->progress, 0, searching);
    int rc = paths ? cw_plan_case_find_paths(made) : 0;
    made->setup.progress = cw_progress_within(&made->progress, searching, SEARCHED);
    made->transport.progress = cw_progress_within(&made->progress, SEARCHED, 1);
    if (!rc) rc = cw_method_solve(method, &made->problem, &made->setup, &result.found);
    if (rc) return rc;
    if (paths) result.found.seconds += made->paths_seconds;
    result.z = result.found.z;
    rc = cw_plan_in_chunks(&made->problem, &result.found, made->transport.chunk_bytes, &result.plan);
    if (!rc) rc = cw_plan_case_evaluate(made, &result);
    if (rc)
        cw_plan_run_free(&result);
    else
        *run = result;
    return rc;
}

void cw_plan_run_free(struct cw_plan_run *run)
{
    cw_plan_free(&run->found);
    cw_plan_free(&run->plan);
}
