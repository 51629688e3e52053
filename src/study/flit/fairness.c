#include "study/flit/fairness.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define MESSAGES_LEAST 30 /* that a sender must have had, on average, to be called starved */

struct cw_shares cw_shares_of(const double *values, size_t n)
{
    struct cw_shares shares = {.n = n, .least = (double)INFINITY};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        shares.least = fmin(shares.least, values[i]);
        shares.most = fmax(shares.most, values[i]);
        sum += values[i];
        squares += values[i] * values[i];
    }
    shares.mean = sum / (double)n;
    shares.jain = sum * sum / (squares * (double)n);
    if (n == 0) shares.least = shares.most = (double)NAN;
    return shares;
}

/* Appends what the senders of JOB injected to SHARES [*N], and those that starve to FAIRNESS. */
static int add_senders(const struct cw_flit_measurement *run, const struct cw_flit_job *job, double *shares, size_t *n,
                       struct cw_fairness *fairness)
{
    const uint64_t *injected = run->injected_by;
    const double cycles = (double)run->steady.cycles;
    const bool enough = job->load * cycles >= MESSAGES_LEAST * cw_flit_mean_message(job);
    bool *sends = cw_new_array(job->n_ranks, sizeof *sends, "ranks that send");
    if (!sends) return CW_ENOMEM;
    const int rc = cw_steady_senders(job, sends);
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) {
        if (!sends[r]) continue;
        const uint32_t endpoint = job->endpoints[r];
        shares[(*n)++] = (double)injected[endpoint] / cycles;
        if (enough && injected[endpoint] == 0) fairness->starved[fairness->n_starved++] = endpoint;
    }
    free(sends);
    return rc;
}

static void add_takers(const struct cw_flit_case *made, const struct cw_flit_measurement *run, double *shares,
                       size_t *n)
{
    const uint64_t *accepted = run->accepted_by;
    const struct cw_selection *selection = made->selection;
    *n = selection ? selection->n : made->net->n_endpoints;
    for (size_t i = 0; i < *n; i++)
        shares[i] = (double)accepted[selection ? selection->endpoints[i] : i] / (double)run->steady.cycles;
}

int cw_fairness_of(const struct cw_flit_case *made, const struct cw_flit_measurement *run, struct cw_fairness *out)
{
    const uint32_t endpoints = made->net->n_endpoints;
    struct cw_fairness fairness = {.starved = cw_new_array(endpoints, sizeof *fairness.starved, "endpoints")};
    double *shares = cw_new_array(endpoints, sizeof *shares, "endpoints");
    size_t n = 0;
    int rc = fairness.starved && shares ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < run->setup.n_jobs && !rc; i++)
        rc = add_senders(run, &run->setup.jobs[i], shares, &n, &fairness);
    if (!rc) {
        fairness.injected = cw_shares_of(shares, n);
        add_takers(made, run, shares, &n);
        fairness.accepted = cw_shares_of(shares, n);
        *out = fairness;
    } else {
        cw_fairness_free(&fairness);
    }
    free(shares);
    return rc;
}

void cw_fairness_free(struct cw_fairness *fairness)
{
    free(fairness->starved);
    *fairness = (struct cw_fairness){0};
}
