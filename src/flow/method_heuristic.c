/*
 * Algorithm 2 of Bui et al.: as many of its k paths for each pair as leave every channel with at most maxload paths.
 *
 * Passes over the pairs; in each a pair takes the first path left whose channels all have less than maxload paths. A
 * path that does not fit never will, since loads only grow, so each is looked at once. Channels without a limit do not
 * count. A pair that would stay without any path in the first pass raises maxload, by one until its first path fits. A
 * demand is spread evenly over the paths of its pair.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "flow/method.h"
#include "net/network_internal.h"

#define BLOCK 1024 /* demands between two looks up from the work */

struct selection {
    const struct cw_flow_problem *problem;
    const struct cw_k_paths *paths;
    const struct cw_progress_part *progress;
    size_t looked; /* paths looked at */
    uint32_t maxload;
    uint32_t *load; /* [channels] paths taken */
    size_t *next;   /* [demands] first path not looked at */
    uint32_t *n;    /* [demands] paths taken */
    bool *taken;    /* [paths] */
};

/* Paths on the channel of PATH that has most of them. */
static uint32_t load_of(const struct selection *s, size_t path)
{
    uint32_t most = 0;
    for (size_t i = s->paths->begin[path]; i < s->paths->begin[path + 1]; i++) {
        const uint32_t c = s->paths->channel[i];
        if (!isinf(s->problem->capacity[c]) && s->load[c] > most) most = s->load[c];
    }
    return most;
}

static void take(struct selection *s, size_t d, size_t path)
{
    for (size_t i = s->paths->begin[path]; i < s->paths->begin[path + 1]; i++) s->load[s->paths->channel[i]]++;
    s->taken[path] = true;
    s->n[d]++;
}

/* True if the pair took a path. */
static bool visit(struct selection *s, size_t d)
{
    const size_t end = s->paths->first[d + 1];
    while (s->next[d] < end) {
        const size_t path = s->next[d]++;
        s->looked++;
        if (load_of(s, path) >= s->maxload) continue;
        take(s, d, path);
        return true;
    }
    if (s->n[d] > 0) return false;
    s->maxload = load_of(s, s->paths->first[d]) + 1;
    take(s, d, s->paths->first[d]);
    return true;
}

static int select_paths(struct selection *s, struct cw_plan *plan)
{
    const size_t n_demands = s->paths->n_demands;
    for (size_t d = 0; d < n_demands; d++) s->next[d] = s->paths->first[d];
    int rc = 0;
    for (bool any = true; any && rc == 0;) {
        any = false;
        for (size_t d = 0; d < n_demands && rc == 0; d++) {
            any |= visit(s, d);
            if (d % BLOCK == 0) rc = cw_interrupt_check();
            if (d % BLOCK == 0) cw_progress_reach(s->progress, (double)s->looked / (double)s->paths->n_paths);
        }
    }
    for (size_t d = 0; d < n_demands; d++)
        for (size_t path = s->paths->first[d]; path < s->paths->first[d + 1] && rc == 0; path++)
            if (s->taken[path])
                rc = cw_plan_add(plan, (uint32_t)d, 1.0 / s->n[d], s->paths->channel + s->paths->begin[path],
                                 s->paths->begin[path + 1] - s->paths->begin[path]);
    return rc;
}

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    struct selection s = {
        .problem = problem, .paths = setup->paths, .progress = &setup->progress, .maxload = setup->maxload};
    s.load = cw_new_array(problem->net->n_channels, sizeof *s.load, "channel loads");
    s.next = cw_new_array(problem->demands->n, sizeof *s.next, "a selection of paths");
    s.n = cw_new_array(problem->demands->n, sizeof *s.n, "a selection of paths");
    s.taken = cw_new_array(setup->paths->n_paths, sizeof *s.taken, "a selection of paths");
    const int rc = s.load && s.next && s.n && s.taken ? select_paths(&s, out) : CW_ENOMEM;
    free(s.load);
    free(s.next);
    free(s.n);
    free(s.taken);
    out->k = setup->k;
    return rc;
}

const struct cw_method cw_method_heuristic = {
    .name = "heuristic",
    .help = "as many of the k paths of each pair as leave at most maxload on a channel, equal shares (Bui et al., "
            "Algorithm 2)",
    .needs_paths = true,
    .solve = solve};
