#include "study/jobs/load_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static const char what[] = "loads of channels";

#define STEPS    100  /* of weighting */
#define SWEEPS   1000 /* of coordinates, a step */
#define STANDING 1e-9 /* relative change from which on nothing changes any more */
#define SMALL    1e-6 /* of the greatest load: what differs by less has no greater weight */

void cw_load_fit_free(struct cw_load_fit *fit)
{
    free(fit->runs);
    free(fit->explained);
    *fit = (struct cw_load_fit){0};
}

/* Unknown runs r of n jobs, of which one run sends bytes[j][c]. */
struct problem {
    size_t n;
    uint32_t channels;
    const double *counted;
    double *bytes;       /* [n][channels] */
    double *matrix, *at; /* [n][n], [n]: of the weighted squares */
};

static double explained_at(const struct problem *problem, const double *runs, uint32_t c)
{
    double sum = 0;
    for (size_t j = 0; j < problem->n; j++) sum += runs[j] * problem->bytes[j * problem->channels + c];
    return sum;
}

/* The matrix of the squares, each weighted by what differs under RUNS; NULL: alike. */
static void weigh(const struct problem *problem, const double *runs, double floor)
{
    const size_t n = problem->n;
    memset(problem->matrix, 0, n * n * sizeof *problem->matrix);
    memset(problem->at, 0, n * sizeof *problem->at);
    for (uint32_t c = 0; c < problem->channels; c++) {
        if (isnan(problem->counted[c])) continue;
        const double apart = runs ? fabs(problem->counted[c] - explained_at(problem, runs, c)) : floor;
        const double weight = 1 / fmax(apart, floor);
        for (size_t j = 0; j < n; j++) {
            const double bytes = problem->bytes[j * problem->channels + c];
            if (bytes <= 0) continue;
            problem->at[j] += weight * bytes * problem->counted[c];
            for (size_t k = 0; k < n; k++)
                problem->matrix[j * n + k] += weight * bytes * problem->bytes[k * problem->channels + c];
        }
    }
}

/* RUNS become those of the smallest sum of squares, none negative. One that nothing is known of stays 0. */
static void solve(const struct problem *problem, double *runs)
{
    const size_t n = problem->n;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0, greatest = 0;
        for (size_t j = 0; j < n; j++) {
            double rest = problem->at[j];
            if (problem->matrix[j * n + j] <= 0) continue;
            for (size_t k = 0; k < n; k++) rest -= k == j ? 0 : problem->matrix[j * n + k] * runs[k];
            const double next = fmax(0, rest / problem->matrix[j * n + j]);
            change = fmax(change, fabs(next - runs[j]));
            greatest = fmax(greatest, next);
            runs[j] = next;
        }
        if (change <= STANDING * greatest) break;
    }
}

/* Fits RUNS, which are 0. */
static void fit_runs(const struct problem *problem, double *before, double *runs)
{
    double most = 0;
    for (uint32_t c = 0; c < problem->channels; c++)
        if (problem->counted[c] > most) most = problem->counted[c];
    if (most <= 0) return;
    weigh(problem, NULL, SMALL * most);
    solve(problem, runs);
    for (int step = 0; step < STEPS; step++) {
        double change = 0, greatest = 0;
        memcpy(before, runs, problem->n * sizeof *runs);
        weigh(problem, before, SMALL * most);
        solve(problem, runs);
        for (size_t j = 0; j < problem->n; j++) {
            change = fmax(change, fabs(runs[j] - before[j]));
            greatest = fmax(greatest, runs[j]);
        }
        if (change <= STANDING * greatest) break;
    }
}

static int check(const struct cw_flow_jobs_setup *setup, const double *counted, uint32_t channels)
{
    uint32_t known = 0;
    for (uint32_t c = 0; c < channels; c++) known += isnan(counted[c]) ? 0 : 1;
    if (known == 0) return cw_fail(CW_EUSAGE, "the counters know no channel's bytes; expected some of both readings");
    for (size_t i = 0; i < setup->jobs->n; i++)
        if (!cw_job_ends(&setup->jobs->items[i]))
            return cw_fail(CW_EUSAGE,
                           "job %zu never ends; expected bytes=SIZE: how often it sends them is found by the counters",
                           i + 1);
    return 0;
}

static void sum_up(const struct problem *problem, struct cw_load_fit *fit)
{
    for (uint32_t c = 0; c < problem->channels; c++) {
        const double explained = fit->explained[c] = explained_at(problem, fit->runs, c);
        if (isnan(problem->counted[c])) continue;
        fit->counted += problem->counted[c];
        fit->beyond += fmax(0, problem->counted[c] - explained);
        fit->missing += fmax(0, explained - problem->counted[c]);
    }
}

int cw_load_fit_find(const struct cw_flow_jobs_setup *setup, const double *counted, struct cw_load_fit *out)
{
    const uint32_t channels = cw_routes_network(setup->routes)->n_channels;
    const size_t n = setup->jobs->n;
    int rc = check(setup, counted, channels);
    if (rc) return rc;
    struct problem problem = {.n = n,
                              .channels = channels,
                              .counted = counted,
                              .bytes = cw_new_array(n * channels, sizeof *problem.bytes, what),
                              .matrix = cw_new_array(n * n, sizeof *problem.matrix, what),
                              .at = cw_new_array(n, sizeof *problem.at, what)};
    struct cw_load_fit fit = {.n = n,
                              .runs = cw_new_array(n, sizeof *fit.runs, what),
                              .explained = cw_new_array(channels, sizeof *fit.explained, what)};
    double *before = cw_new_array(n, sizeof *before, what);
    rc = problem.bytes && problem.matrix && problem.at && fit.runs && fit.explained && before ? 0 : CW_ENOMEM;
    for (size_t j = 0; !rc && j < n; j++) rc = cw_flow_jobs_channels_of(setup, 0, j, problem.bytes + j * channels);
    if (!rc) {
        fit_runs(&problem, before, fit.runs);
        sum_up(&problem, &fit);
    }
    free(problem.bytes);
    free(problem.matrix);
    free(problem.at);
    free(before);
    if (rc)
        cw_load_fit_free(&fit);
    else
        *out = fit;
    return rc;
}

/* --- the greatest ------------------------------------------------------------------------------------------------- */

int cw_load_greatest(const double *values, uint32_t channels, size_t top, uint32_t **out, size_t *n)
{
    struct cw_channel_use *found = cw_new_array(channels, sizeof *found, what);
    uint32_t *greatest = cw_new_array(top < channels ? top : channels, sizeof *greatest, what);
    size_t used = 0;
    if (!found || !greatest) {
        free(found);
        free(greatest);
        return CW_ENOMEM;
    }
    for (uint32_t c = 0; c < channels; c++)
        if (values[c] > 0) found[used++] = (struct cw_channel_use){.share = values[c], .channel = c};
    cw_channel_uses_sort(found, used);
    *n = used < top ? used : top;
    for (size_t i = 0; i < *n; i++) greatest[i] = found[i].channel;
    *out = greatest;
    free(found);
    return 0;
}
