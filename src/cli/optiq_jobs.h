/*
 * The measurements that `crosswind reproduce optiq` is made of: each a data movement solved by one method, then carried
 * by the simulated transport with messages and chunks of several sizes.
 */
#ifndef CW_CLI_OPTIQ_JOBS_H
#define CW_CLI_OPTIQ_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/table.h"
#include "flow/k_paths.h"
#include "net/network.h"
#include "route/routes.h"

#define OPTIQ_VARIANTS 8 /* of sizes, at most */

/* What the figures compare. The optimum is an approximation where the exact one takes minutes. */
enum optiq_role { OPTIQ_DEFAULT, OPTIQ_HEURISTIC, OPTIQ_GREEDY, OPTIQ_LP, OPTIQ_OPTIMUM, OPTIQ_ROLES };

extern const char *const optiq_role_labels[OPTIQ_ROLES];

/* A message size with a chunk size, and how the plan does with them. */
struct optiq_variant {
    uint64_t bytes, chunk;
    double seconds, bytes_per_second;
};

struct optiq_job {
    const char *figure;
    const struct cw_network *net; /* borrowed */
    const struct cw_routes *routes;
    char pattern[48];     /* of flow/flow_problem.h; or "MxN from FIRST", M sources from 0 paired with N destinations */
    uint32_t m, n, first; /* of that, else 0 */
    enum optiq_role role;
    uint32_t k;
    enum cw_ties ties;
    struct optiq_variant variants[OPTIQ_VARIANTS];
    size_t n_variants;
    /* results */
    char method[32];
    size_t pairs;
    double distance; /* mean hops by default routes */
    double z, bound, hops_mean, search_seconds;
};

/* Computes all jobs, the largest networks first. */
int optiq_jobs_run(struct optiq_job *jobs, size_t n, unsigned n_threads, struct cw_progress *progress);

/* The rows of FIGURE's jobs; *OUT is owned by the caller. */
int optiq_jobs_table(const char *figure, const struct optiq_job *jobs, size_t n, struct cw_table **out);

#endif
