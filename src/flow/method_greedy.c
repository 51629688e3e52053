/*
 * Least bottleneck, in units of bytes: where Algorithm 2 counts paths and gives them equal shares, this counts bytes
 * and capacities.
 *
 * Every demand is cut into units of 1/UNITS of the largest demand (the last one smaller). Passes over the demands; in
 * each a demand puts one unit on that of its k paths whose most loaded channel is least loaded, in seconds, with the
 * unit on it; of several the one with fewest hops, then the first.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "flow/method.h"
#include "net/network_internal.h"

#define UNITS 64
#define BLOCK 1024 /* demands between two looks up from the work */

struct spreading {
    const struct cw_flow_problem *problem;
    const struct cw_k_paths *paths;
    const struct cw_progress_part *progress;
    double *load;    /* [channels] bytes */
    uint64_t *left;  /* [demands] bytes not yet on a path */
    uint64_t *bytes; /* [paths] */
};

/* The time in which the most loaded channel of PATH moves its bytes and MORE. */
static double seconds_of(const struct spreading *s, size_t path, double more)
{
    double most = 0;
    for (size_t i = s->paths->begin[path]; i < s->paths->begin[path + 1]; i++) {
        const uint32_t c = s->paths->channel[i];
        most = fmax(most, (s->load[c] + more) / s->problem->capacity[c]);
    }
    return most;
}

static void put_unit(struct spreading *s, size_t d, uint64_t unit)
{
    const uint64_t bytes = s->left[d] < unit ? s->left[d] : unit;
    size_t best = s->paths->first[d];
    double least = seconds_of(s, best, (double)bytes);
    for (size_t path = best + 1; path < s->paths->first[d + 1]; path++) {
        const double seconds = seconds_of(s, path, (double)bytes);
        if (seconds >= least) continue;
        least = seconds;
        best = path;
    }
    for (size_t i = s->paths->begin[best]; i < s->paths->begin[best + 1]; i++)
        s->load[s->paths->channel[i]] += (double)bytes;
    s->bytes[best] += bytes;
    s->left[d] -= bytes;
}

static int spread(struct spreading *s, struct cw_plan *plan)
{
    const struct cw_demands *demands = s->problem->demands;
    const uint64_t unit = s->problem->unit_bytes / UNITS + (s->problem->unit_bytes % UNITS > 0);
    for (size_t d = 0; d < demands->n; d++) s->left[d] = demands->items[d].bytes;
    int rc = 0;
    for (unsigned pass = 0; pass < UNITS && rc == 0; pass++) {
        for (size_t d = 0; d < demands->n && rc == 0; d++) {
            if (d % BLOCK == 0) rc = cw_interrupt_check();
            if (d % BLOCK == 0) cw_progress_reach(s->progress, (pass + (double)d / (double)demands->n) / UNITS);
            if (s->left[d] > 0) put_unit(s, d, unit);
        }
    }
    for (size_t d = 0; d < demands->n; d++)
        for (size_t path = s->paths->first[d]; path < s->paths->first[d + 1] && rc == 0; path++)
            if (s->bytes[path] > 0)
                rc = cw_plan_add(plan, (uint32_t)d, (double)s->bytes[path] / (double)demands->items[d].bytes,
                                 s->paths->channel + s->paths->begin[path],
                                 s->paths->begin[path + 1] - s->paths->begin[path]);
    return rc;
}

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    struct spreading s = {.problem = problem, .paths = setup->paths, .progress = &setup->progress};
    s.load = cw_new_array(problem->net->n_channels, sizeof *s.load, "channel loads");
    s.left = cw_new_array(problem->demands->n, sizeof *s.left, "demands");
    s.bytes = cw_new_array(setup->paths->n_paths, sizeof *s.bytes, "paths");
    const int rc = s.load && s.left && s.bytes ? spread(&s, out) : CW_ENOMEM;
    free(s.load);
    free(s.left);
    free(s.bytes);
    out->k = setup->k;
    return rc;
}

const struct cw_method cw_method_greedy = {
    .name = "greedy",
    .help = "each demand in 64 units of bytes, one a pass, on the one of its k paths with the least bottleneck",
    .needs_paths = true,
    .solve = solve};
