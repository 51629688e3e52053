#include "study/jobs/placement_advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/placement.h"

static const char what[] = "advice on placements";

/* The jobs with another placement of the last one. */
struct variant {
    struct cw_flit_jobs jobs;
    struct cw_flow_jobs_setup setup;
};

static int make_variant(const struct cw_flow_jobs_setup *setup, const char *placement, uint64_t seed,
                        struct variant *variant)
{
    int rc = 0;
    *variant = (struct variant){.setup = *setup};
    for (size_t i = 0; !rc && i < setup->jobs->n; i++) {
        const struct cw_flit_request *job = &setup->jobs->items[i];
        rc = cw_flit_jobs_add(&variant->jobs, job->what, i + 1 < setup->jobs->n ? job->placement : placement, *job);
    }
    variant->setup.jobs = &variant->jobs;
    variant->setup.seed = seed;
    variant->setup.pairs = true;
    return rc;
}

/* Runs the jobs with the last one at PLACEMENT. */
static int run_variant(const struct cw_flow_jobs_setup *setup, const char *placement, uint64_t seed,
                       struct cw_flow_jobs *out)
{
    struct variant variant;
    int rc = make_variant(setup, placement, seed, &variant);
    if (!rc) rc = cw_flow_jobs_run(&variant.setup, out);
    cw_flit_jobs_free(&variant.jobs);
    return rc;
}

/* How much longer other jobs take beside the last one, their mean in a trial. */
static double slowing(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *times, size_t trial)
{
    const size_t last = times->n - 1;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < last; i++) {
        const struct cw_flit_request *job = &setup->jobs->items[i];
        const double alone = cw_flow_jobs_alone(times, trial, i);
        if (!cw_flit_request_ends(job) || alone <= 0) continue;
        sum += cw_flow_jobs_beside(times, trial, i, last) / alone;
        n++;
    }
    return n > 0 ? sum / (double)n : 1;
}

static int summarise(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own,
                     const struct cw_flow_jobs *times, struct cw_placement_trial *out)
{
    const size_t last = times->n - 1, n = times->trials;
    double *values = cw_new_array(4 * n, sizeof *values, what);
    if (!values) return CW_ENOMEM;
    for (size_t t = 0; t < n; t++) {
        const double time = cw_flow_jobs_time(times, t, last), alone = cw_flow_jobs_alone(times, t, last);
        values[t] = time;
        values[n + t] = alone > 0 ? time / alone : 1;
        values[2 * n + t] = slowing(setup, times, t);
        values[3 * n + t] = time > 0 ? cw_flow_jobs_time(own, t, last) / time : 1;
    }
    int rc = cw_summarise(values, n, &out->time);
    if (!rc) rc = cw_summarise(values + n, n, &out->slowed);
    if (!rc) rc = cw_summarise(values + 2 * n, n, &out->slows);
    if (!rc) rc = cw_summarise(values + 3 * n, n, &out->gain);
    free(values);
    return rc;
}

/* Tries PLACEMENT; one that has no room for the job, or needs a file, is passed over. */
static int try_placement(const struct cw_flow_jobs_setup *setup, const struct cw_flow_jobs *own, const char *placement,
                         struct cw_placement_advice *advice)
{
    struct cw_flow_jobs times = {0};
    struct cw_placement_trial *made = &advice->placements[advice->n];
    const bool is_own = strcmp(placement, setup->jobs->items[setup->jobs->n - 1].placement) == 0;
    int rc = is_own ? 0 : run_variant(setup, placement, setup->seed, &times);
    if (rc == CW_EUSAGE) return 0;
    *made = (struct cw_placement_trial){.placement = placement};
    if (!rc) rc = summarise(setup, own, is_own ? own : &times, made);
    if (!rc) advice->n++;
    cw_flow_jobs_free(&times);
    return rc;
}

/* The gain of the best one once more, with draws that it was not chosen by. */
static int prove(const struct cw_flow_jobs_setup *setup, struct cw_placement_trial *best)
{
    const uint64_t seed = setup->seed + 1;
    const struct cw_flit_request *job = &setup->jobs->items[setup->jobs->n - 1];
    struct cw_flow_jobs own = {0}, times = {0};
    struct cw_placement_trial again = {0};
    int rc = run_variant(setup, job->placement, seed, &own);
    if (!rc) rc = run_variant(setup, best->placement, seed, &times);
    if (!rc) rc = summarise(setup, &own, &times, &again);
    if (!rc) best->proof = again.gain;
    cw_flow_jobs_free(&own);
    cw_flow_jobs_free(&times);
    return rc;
}

static int compare(const void *a, const void *b)
{
    const struct cw_placement_trial *x = a, *y = b;
    if (x->time.mean != y->time.mean) return x->time.mean < y->time.mean ? -1 : 1;
    return strcmp(x->placement, y->placement);
}

/* Whether a mean is more than 1, beyond its interval where it has one. Without one nothing was drawn, or all were
 * alike. */
static bool is_gain(const struct cw_summary *gain)
{
    if (gain->deviation > 0 && isnan(gain->ci95)) return false;
    return gain->mean - (isnan(gain->ci95) ? 0 : gain->ci95) > 1 + 1e-9;
}

static size_t count_placements(void)
{
    size_t n = 0;
    while (cw_placement_kinds[n]) n++;
    return n;
}

size_t cw_placement_advice_steps(const struct cw_flow_jobs_setup *setup)
{
    return cw_flow_jobs_steps(setup) * (count_placements() + 3); /* the job's own, and two for the proof */
}

static int find(const struct cw_flow_jobs_setup *setup, struct cw_placement_advice *advice)
{
    const struct cw_flit_request *job = &setup->jobs->items[setup->jobs->n - 1];
    struct cw_flow_jobs own = {0};
    int rc = run_variant(setup, job->placement, setup->seed, &own);
    for (size_t i = 0; !rc && cw_placement_kinds[i]; i++)
        rc = try_placement(setup, &own, cw_placement_kinds[i]->name, advice);
    cw_flow_jobs_free(&own);
    if (!rc && advice->n == 0)
        rc = cw_fail(CW_EUSAGE, "no placement has room for job %zu: %s", setup->jobs->n, job->what);
    if (rc) return rc;
    qsort(advice->placements, advice->n, sizeof *advice->placements, compare);
    struct cw_placement_trial *best = &advice->placements[0];
    rc = prove(setup, best);
    advice->better = is_gain(&best->gain) && is_gain(&best->proof);
    return rc;
}

int cw_placement_advice_find(const struct cw_flow_jobs_setup *setup, struct cw_placement_advice *out)
{
    struct cw_placement_advice advice = {0};
    const struct cw_flit_request *job = &setup->jobs->items[setup->jobs->n - 1];
    if (!cw_flit_request_ends(job))
        return cw_fail(CW_EUSAGE, "job %zu never ends: there is no time that a placement could shorten",
                       setup->jobs->n);
    advice.placements = cw_new_array(count_placements(), sizeof *advice.placements, what);
    const int rc = advice.placements ? find(setup, &advice) : CW_ENOMEM;
    if (rc)
        cw_placement_advice_free(&advice);
    else
        *out = advice;
    return rc;
}

void cw_placement_advice_free(struct cw_placement_advice *advice)
{
    free(advice->placements);
    *advice = (struct cw_placement_advice){0};
}

int cw_placement_advice_endpoints(const struct cw_flow_jobs_setup *setup, const char *placement, uint32_t **endpoints)
{
    static const struct cw_flit_messages messages = {.flits = 1};
    struct cw_flit_seating seating;
    struct variant variant;
    int rc = make_variant(setup, placement, setup->seed, &variant);
    if (!rc)
        rc = cw_flit_seating_make(&variant.jobs, cw_routes_network(setup->routes), setup->selection, setup->seed, 0,
                                  &messages, &seating);
    if (!rc) {
        const struct cw_flit_job *job = &seating.jobs[seating.n - 1];
        *endpoints = cw_new_array(job->n_ranks, sizeof **endpoints, what);
        if (*endpoints)
            memcpy(*endpoints, job->endpoints, job->n_ranks * sizeof **endpoints);
        else
            rc = CW_ENOMEM;
        cw_flit_seating_free(&seating);
    }
    cw_flit_jobs_free(&variant.jobs);
    return rc;
}
