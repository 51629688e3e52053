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
#ifndef CW_STUDY_PAPERS_OPTIQ_POINTS_H
#define CW_STUDY_PAPERS_OPTIQ_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/paths/k_paths.h"
#include "net/network.h"
#include "route/routes.h"
#include "study/papers/batch.h"

CW_BEGIN_DECLS

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

/* "4", "fixed", …: by figure. */
extern const char *const cw_optiq_figures[];

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

/* Which networks. */
enum cw_optiq_sizes {
    CW_OPTIQ_QUICK, /* tori of 128 and 256 nodes, as no Blue Gene/Q has them, and 1 MiB a pair: to see how it works */
    CW_OPTIQ_SMALL, /* 512, 1,024 and 2,048 */
    CW_OPTIQ_ALL    /* to 8,192, where experiments with one size are made with 2,048 */
};

#define CW_OPTIQ_VARIANTS 8 /* of a point, at most */

/* A message size with a chunk size, and how the plan does with them. */
struct cw_optiq_variant {
    uint64_t bytes, chunk;
    double seconds, bytes_per_second;
};

/* A data movement solved by one method, then carried by the simulated transport with messages and chunks of several
 * sizes. */
struct cw_optiq_point {
    enum cw_optiq_figure figure;
    const struct cw_network *net;   /* of the list, as … */
    const struct cw_routes *routes; /* … the default ones */
    char pattern[48];     /* of flow/flow_problem.h; or "MxN from FIRST": m sources from 0 paired with n … */
    uint32_t m, n, first; /* … destinations from FIRST. Else m and first are 0 */
    enum cw_optiq_method method;
    uint32_t k;
    enum cw_ties ties;
    struct cw_optiq_variant variants[CW_OPTIQ_VARIANTS];
    size_t n_variants;
    /* results */
    bool done;
    char solved_by[32]; /* the name of the method in flow/method.h */
    size_t pairs;
    double distance; /* mean hops by default routes */
    double z, bound, hops_mean, search_seconds;
};

#define CW_OPTIQ_PARTITIONS 5

/* Owns its networks. */
struct cw_optiq_points {
    struct cw_optiq_point *items;
    size_t n, capacity;
    enum cw_optiq_sizes sizes;
    size_t n_partitions, base; /* networks by growing size; the one of experiments with one size */
    struct cw_network *nets[CW_OPTIQ_PARTITIONS];
    struct cw_routes *routes[CW_OPTIQ_PARTITIONS];
};

/* Makes the networks, and no points yet. Free it also after an error. */
int cw_optiq_points_begin(enum cw_optiq_sizes sizes, struct cw_optiq_points *points);
int cw_optiq_points_add(struct cw_optiq_points *points, enum cw_optiq_figure figure);
void cw_optiq_points_free(struct cw_optiq_points *points);

/* Runs the points figure by figure, those of a figure side by side. All but search_seconds is the same each time. */
int cw_optiq_points_run(const struct cw_figure_study *study, struct cw_optiq_points *points);

/* --- what was measured on the machine ----------------------------------------------------------------------------- */

/* For the figures of `crosswind reproduce optiq`: from the public record of the experiments of Bui et al. */

/* Throughput in byte/s of METHOD with PATTERN, "0" to "90", on NODES nodes, 8 MiB a pair; NaN where none is on record.
 * That is of the default routes, the heuristic and the linear program: all patterns on 512 nodes, those of figure 4 on
 * 2,048, and on 8,192 as far as they were run. */
double cw_optiq_recorded(uint32_t nodes, const char *pattern, enum cw_optiq_method method);

/* What chunks of CHUNK bytes reached on 1,024 nodes as a share of what those of 64 KiB did, median over the patterns;
 * NaN where none is on record. */
double cw_optiq_recorded_share(uint64_t chunk);

CW_END_DECLS

#endif
