/*
 * The k shortest loopless paths of a pair (Yen 1971, with Lawler's refinement 1972), by number of channels.
 *
 * Endpoints forward nothing, channels without capacity do not exist; parallel channels make different paths. Lengths
 * are always those of the k shortest. Which of equally long paths come first matters more than k, since it decides how
 * many channels they share, hence `ties`: each order below is total, so that the paths are the first k in it whatever
 * k.
 *
 * The use of a path is the sum over its channels with a limit of how many of the paths before have that channel.
 */
#ifndef CW_FLOW_K_PATHS_H
#define CW_FLOW_K_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress_part.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

enum cw_ties {
    CW_TIES_PLAIN,    /* by the port at which they part, ascending, as the published programs */
    CW_TIES_ROTATED,  /* the same, but the ports of a switch to switches are turned by a hash of pair and switch */
    CW_TIES_DISJOINT, /* least use first, of the pair's own paths before: those that share nothing lead; then as plain
                       */
    CW_TIES_PENALISED /* least use first, of all paths before, this pair's and those of earlier demands; then as plain
                       */
};

struct cw_k_paths_setup {
    uint32_t k;
    enum cw_ties ties;
    uint32_t max_hops; /* longest path allowed, in channels with a limit; 0: none */
    struct cw_progress_part progress;
};

/* The paths of every demand, shortest first: those of demand d are paths first[d] … first[d+1]-1; path i has the
 * channels channel[begin[i]] … channel[begin[i+1]-1]. Fewer than k where there are no more. */
struct cw_k_paths {
    size_t n_demands, n_paths;
    size_t *first, *begin;
    uint32_t *channel;
};

CW_API int cw_k_paths_find_sized(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *setup,
                                 size_t size, unsigned n_threads, struct cw_k_paths *out);

/* Deterministic for any number of threads (CW_TIES_PENALISED runs on one). Memory: paths only, nothing n × n. A pair at
 * 2048 nodes, k = 50, in about a millisecond. */
static inline int cw_k_paths_find(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *setup,
                                  unsigned n_threads, struct cw_k_paths *out)
{
    return cw_k_paths_find_sized(problem, setup, sizeof *setup, n_threads, out);
}
CW_API void cw_k_paths_free(struct cw_k_paths *paths);

CW_END_DECLS

#endif
