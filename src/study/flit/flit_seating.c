#include "study/flit/flit_seating.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "study/flit/flit_case.h"
#include "traffic/schedule.h"
#include "traffic/workload.h"

/* Fills ENDPOINTS with the first of ORDER [N] that are not TAKEN, and takes them: WANTED ones, or all that are left.
 * Returns how many these are. */
static uint32_t take(const uint32_t *order, uint32_t n, bool *taken, uint32_t wanted, uint32_t *endpoints)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n && found < wanted; i++) {
        if (taken[order[i]]) continue;
        taken[order[i]] = true;
        endpoints[found++] = order[i];
    }
    return found;
}

static int seat_all(const struct cw_flit_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                    uint64_t seed, uint64_t trial, uint32_t *endpoints)
{
    bool *taken = cw_new_array(net->n_endpoints, sizeof *taken, "a placement");
    int rc = taken ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < jobs->n && !rc; i++) {
        uint32_t n, *order;
        rc = cw_flit_placement_order(jobs->items[i].placement, net, selection, seed, trial, &n, &order);
        if (rc) break;
        const uint32_t wanted = jobs->items[i].ranks, found = take(order, n, taken, wanted, endpoints);
        if (found < wanted)
            rc = cw_fail(CW_EUSAGE, "job %zu has %u ranks, but only %u endpoints are left", i + 1, wanted, found);
        endpoints += wanted;
        free(order);
    }
    free(taken);
    return rc;
}

/* Job INDEX of SEATING, whose ranks run on ENDPOINTS: the first of SELECTION, or some of them if that is NULL. */
static int make_job(const struct cw_flit_request *job, const struct cw_network *net,
                    const struct cw_selection *selection, const uint32_t *endpoints, uint64_t seed,
                    const struct cw_flit_messages *messages, struct cw_flit_seating *seating, size_t index)
{
    struct cw_flit_job *made = &seating->jobs[index];
    *made = (struct cw_flit_job){.kind = job->collective  ? CW_FLIT_SCHEDULE
                                         : job->bytes > 0 ? CW_FLIT_FINITE
                                                          : CW_FLIT_CONTINUOUS,
                                 .n_ranks = job->ranks,
                                 .endpoints = endpoints,
                                 .load = job->load,
                                 .message_flits = messages->flits,
                                 .sizes = messages->sizes,
                                 .n_sizes = messages->n_sizes,
                                 .bytes = job->bytes};
    const int rc = job->collective ? cw_schedule_new(job->what, &seating->schedules[index])
                                   : cw_flit_workload_new(job->what, job->placement, net, selection, job->ranks,
                                                          endpoints, seed, &seating->workloads[index]);
    made->schedule = seating->schedules[index];
    made->workload = seating->workloads[index];
    return rc;
}

int cw_flit_seating_make(const struct cw_flit_jobs *jobs, const struct cw_network *net,
                         const struct cw_selection *selection, uint64_t seed, uint64_t trial,
                         const struct cw_flit_messages *messages, struct cw_flit_seating *out)
{
    struct cw_flit_seating made = {
        .n = jobs->n,
        .jobs = cw_new_array(jobs->n, sizeof *made.jobs, "jobs"),
        .workloads = cw_new_array(jobs->n, sizeof *made.workloads, "jobs"),
        .schedules = cw_new_array(jobs->n, sizeof *made.schedules, "jobs"),
        .endpoints = cw_new_array(net->n_endpoints, sizeof *made.endpoints, "a placement"),
    };
    int rc = made.jobs && made.workloads && made.schedules && made.endpoints ? 0 : CW_ENOMEM;
    if (!rc) rc = seat_all(jobs, net, selection, seed, trial, made.endpoints);
    const uint32_t *endpoints = made.endpoints;
    const struct cw_selection *whole = jobs->n == 1 ? selection : NULL;
    for (size_t i = 0; i < jobs->n && !rc; i++) {
        const uint64_t own = cw_random_hash(seed, trial * jobs->n + i);
        rc = make_job(&jobs->items[i], net, whole, endpoints, own, messages, &made, i);
        endpoints += jobs->items[i].ranks;
    }
    if (rc)
        cw_flit_seating_free(&made);
    else
        *out = made;
    return rc;
}

void cw_flit_seating_free(struct cw_flit_seating *seating)
{
    for (size_t i = 0; i < seating->n; i++) {
        if (seating->workloads) cw_workload_free(seating->workloads[i]);
        if (seating->schedules) cw_schedule_free(seating->schedules[i]);
    }
    free(seating->jobs);
    free(seating->workloads);
    free(seating->schedules);
    free(seating->endpoints);
    *seating = (struct cw_flit_seating){0};
}
