/*
 * How long collectives between hosts take, predicted by the dependency-based simulation (sim/collective.h), or by flows
 * (sim/flows/flow_sim.h), of the schedules that libcrosswind-nbc executes (nbc/nbc_between.h), with hosts in the order
 * of the fabric (study/overlap/host_order.h), and in that in which a job has them. Scatters and gathers go straight
 * between the root and each host: order changes nothing. Sends are in order. No allreduce is taken to be faster than
 * the busiest channel lets all bytes through, of both ways. Schedules whose segments do not follow one another, as
 * rings, take as long as their rounds, each of which takes as long as the slowest of its messages.
 *
 * A job of n hosts is the first n endpoints that a placement gives, the first of which is the root; its order is that
 * in which the placement gives them. Of random placements there are several trials, each with its own draw; times are
 * means over them, and what is best is so on average: what the library takes without a prediction is one of the trees
 * that are compared, and so nothing is chosen that is predicted to take longer. What goes on within a host, other
 * traffic, and the slow start of transports are left out.
 */
#ifndef CW_STUDY_OVERLAP_HOST_TREES_H
#define CW_STUDY_OVERLAP_HOST_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/units.h"
#include "nbc/nbc_fabric.h"
#include "route/routes.h"
#include "sim/timing.h"
#include "traffic/placement.h"

CW_BEGIN_DECLS

/* What can be chosen from: trees of hosts (nbc/nbc_between.h) in the order of the fabric; then the same in the order in
 * which the job has them. EACH(WORD, NAME, SHAPE, RADIX, NOTE) */
#define CW_HOST_TREE_LIST(EACH)                               CW_NBC_SHAPES(CW_NBC_NO_SHAPE, EACH)
#define CW_HOST_TREE_COUNT(WORD, NAME, CONSTANT, RADIX, NOTE) +1
#define CW_HOST_SHAPES                                        (0 CW_HOST_TREE_LIST(CW_HOST_TREE_COUNT))
#define CW_HOST_TREES                                         (2 * CW_HOST_SHAPES)
extern const struct cw_nbc_between cw_host_trees[CW_HOST_TREES];

struct cw_host_trees_setup {
    const struct cw_routes *routes;       /* all borrowed */
    const struct cw_placement *placement; /* whose endpoints are those of `order` */
    const uint32_t *order;                /* [n_order] endpoints in the order of the fabric */
    uint32_t n_order;
    struct cw_timing timing; /* loggp */
    struct cw_sizes bytes;
    struct cw_ints jobs; /* numbers of hosts, 2 … n_order */
    size_t trials;
    uint64_t seed;
    unsigned n_threads;
    struct cw_progress *progress; /* steps once a trial of a job; may be NULL */
    bool by_flows; /* messages share channels in time (sim/flows/flow_sim.h), with timing's o, and L if it is stated
                    * beside the channels' latencies; else rounds are counted */
};

/* One collective of a job. */
struct cw_host_tree_point {
    enum cw_collective_kind collective; /* one that hosts pass on, or with `straight` */
    uint32_t hosts;
    uint64_t bytes;             /* as MPI counts them, of one rank a host */
    bool straight;              /* between the root and each; there is no tree, and one time */
    double time[CW_HOST_TREES]; /* [s] of each of cw_host_trees; NaN: it is none here. Straight: all the same */
    uint32_t best;              /* of them: it takes least; of equal ones the first */
    uint32_t started;           /* of them: what is taken when nothing is known of the network */
};

struct cw_host_tree_points {
    struct cw_host_tree_point *items; /* by hosts, collective and bytes */
    size_t n;
};

/* Predicts all. CW_EUSAGE for a job of more hosts than there are; CW_EROUTE; CW_ENOMEM. Free with
 * cw_host_trees_free. The same for any number of threads. */
int cw_host_trees_predict(const struct cw_host_trees_setup *setup, struct cw_host_tree_points *out);
void cw_host_trees_free(struct cw_host_tree_points *points);

/* Adds the best trees to TREES, for the library. CW_ELIMIT. */
int cw_host_trees_keep(const struct cw_host_tree_points *points, struct cw_nbc_trees *trees);

/* --- in a few lines ----------------------------------------------------------------------------------------------- */

/* For each collective the numbers of hosts for which the same trees are best, from the same sizes on. */

/* A tree for messages of BYTES and more. */
struct cw_host_step {
    uint64_t bytes;
    uint32_t tree; /* of cw_host_trees */
};

/* A collective of jobs of FIRST to LAST hosts, of those that were predicted. */
struct cw_host_choice {
    enum cw_collective_kind collective;
    uint32_t first, last;
    struct cw_host_step *steps; /* [n_steps] by size; each tree differs from the one before */
    size_t n_steps;
    double least, most; /* how many times as long what is taken without a prediction takes, over hosts and sizes */
};

struct cw_host_choices {
    struct cw_host_choice *items; /* by collective, then by hosts */
    size_t n;
};

/* Of all points but those that go straight, in whatever order they are. CW_ENOMEM. Free with cw_host_choices_free. */
int cw_host_choices_of(const struct cw_host_tree_points *points, struct cw_host_choices *out);
void cw_host_choices_free(struct cw_host_choices *choices);

CW_END_DECLS

#endif
