/*
 * The experiments of Bui et al., "Improving data movement throughput by balancing network load on the Blue Gene/Q
 * supercomputer" (a manuscript), by simulation: those it shows (figures 4 and 5), and those it only names. Channels of
 * 2 GB/s, the two cables of dimension E taken as one, one rank a node, as in its records. p is the number of nodes, m
 * that of sources, n of destinations.
 *
 *     4             m/n constant, everything growing with p: patterns 3, 27 and 87
 *     fixed         m = 128 and n = 256 constant, p growing
 *     destinations  p and m constant, n growing
 *     distance      p, m and n constant, the destinations further and further away
 *     5             all 91 patterns with chunks of 16 KiB to 1 MiB
 *     messages      messages of 8 KiB to 32 MiB
 *     paths         number of paths against z and search time
 *     patterns      all 91 patterns
 *
 * The optimum of some of the 91 takes minutes beyond 512 nodes: there, and for the chunks, greedy stands in for it.
 */
#ifndef CW_STUDY_PAPERS_OPTIQ_PAPER_H
#define CW_STUDY_PAPERS_OPTIQ_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/paths/k_paths.h"
#include "net/network.h"
#include "route/routes.h"
#include "study/papers/paper.h"

CW_BEGIN_DECLS

extern const struct cw_paper cw_paper_optiq;

enum cw_optiq_figure {
    CW_OPTIQ_GROWING, /* figure 4 */
    CW_OPTIQ_FIXED,
    CW_OPTIQ_DESTINATIONS,
    CW_OPTIQ_DISTANCE,
    CW_OPTIQ_CHUNKS, /* figure 5 */
    CW_OPTIQ_MESSAGES,
    CW_OPTIQ_PATHS,
    CW_OPTIQ_PATTERNS,
    CW_OPTIQ_FIGURES
};

/* What the figures compare. From 4,096 nodes on the optimum is an approximation within 2 %. */
enum cw_optiq_method {
    CW_OPTIQ_DEFAULT,
    CW_OPTIQ_HEURISTIC,
    CW_OPTIQ_GREEDY,
    CW_OPTIQ_LP,
    CW_OPTIQ_OPTIMUM,
    CW_OPTIQ_METHODS
};

/* "default route", "heuristic", …: by method. */
extern const char *const cw_optiq_methods[];

#define CW_OPTIQ_VARIANTS 8 /* of a point, at most */

/* A message size with a chunk size, and how the plan does with them. */
struct cw_optiq_variant {
    uint64_t bytes, chunk;
    double seconds, bytes_per_second;
};

/* A data movement solved by one method, then carried by the simulated transport with messages and chunks of several
 * sizes. */
struct cw_optiq_point {
    struct cw_point point;
    const struct cw_network *net;   /* of the list, as … */
    const struct cw_routes *routes; /* … the default ones */
    char pattern[48];     /* of flow/flow_problem.h; or "MxN from FIRST": m sources from 0 paired with n … */
    uint32_t m, n, first; /* … destinations from FIRST. Else m and first are 0 */
    enum cw_optiq_method method;
    uint32_t k;
    enum cw_ties ties;
    size_t n_variants;
    /* results */
    struct cw_optiq_variant variants[CW_OPTIQ_VARIANTS];
    char solved_by[32]; /* the name of the method in flow/method.h */
    size_t pairs;
    double distance;                            /* mean hops by default routes */
    double z, bound, hops_mean, search_seconds; /* all but the last are the same each time */
};

#define CW_OPTIQ_PARTITIONS 5

/* The networks, made for a run, whose data they are: tori of 128 and 256 nodes, as no Blue Gene/Q has them, and 1 MiB a
 * pair, to see how it works; 512, 1,024 and 2,048; or to 8,192, where experiments with one size are made with 2,048. */
struct cw_optiq_networks {
    size_t n, base; /* networks by growing size; the one of experiments with one size */
    struct cw_network *nets[CW_OPTIQ_PARTITIONS];
    struct cw_routes *routes[CW_OPTIQ_PARTITIONS];
    struct cw_table *gains; /* of the result */
};

extern const struct cw_paper_figure cw_optiq_figures[]; /* by enum cw_optiq_figure, with their claims */
extern const char *const cw_optiq_ties[];               /* "plain", …: by enum cw_ties */

/* The next point of FIGURE and METHOD that has run, from index *AT on, which moves behind it; NULL: no more. */
const struct cw_optiq_point *cw_optiq_next(const struct cw_points *points, size_t figure, enum cw_optiq_method method,
                                           size_t *at);

int cw_optiq_begin(struct cw_paper_run *run);
void cw_optiq_end(struct cw_paper_run *run);
int cw_optiq_add(struct cw_paper_run *run, size_t figure);
int cw_optiq_compute(const struct cw_paper_run *run, void *point);

/* How a method does against the default routes, over the cases (patterns, message and chunk sizes) of a figure on one
 * network. */
struct cw_optiq_gain {
    size_t cases, slower;    /* … in which the default routes are faster */
    double z_ratio, speedup; /* z and predicted throughput / those of the default routes, geometric means */
    double speedup_min, speedup_max;
};

/* NET may be NULL: on all. Without cases all but `cases` and `slower` are NaN. */
struct cw_optiq_gain cw_optiq_gain_of(const struct cw_points *points, size_t figure, const struct cw_network *net,
                                      enum cw_optiq_method method);

CW_END_DECLS

#endif
