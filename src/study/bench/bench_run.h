/*
 * One run of `crosswind-mpi bench noise`, or several that were measured alike: what was measured, in memory. Who
 * measures fills it and writes it (study/bench/bench_file.h); who analyses reads it again
 * (study/bench/bench_file.h). Nothing here knows MPI.
 *
 *   split    which ranks are the application and which perturb, drawn at random
 *   case     what is measured: an operation of a size, beside a perturbation of a size, at a perturbation ratio
 *   block    calls of one case on one split in one state, one after another without interruption: clean (nobody
 *            perturbs), perturbed, or control (the same ranks perturb, but only over cables that the application
 *            does not use)
 *   sample   one call: from the first rank's start to the last rank's end, on the synchronised clock
 *
 * Cases measured on one split in several states are compared in pairs: a split is the same to the rank in all of them.
 *
 * `conditions` is a JSON object of what the times depend on beyond that; `environment` one of what else is known. Runs
 * are alike, and can be merged, if they have the same hosts and the same conditions. Members that Crosswind knows:
 *
 *     conditions.start           "window" or "barrier": how the calls of a block begin together
 *     conditions.wait            "spin", "yield" or "sleep": how ranks wait for messages
 *     conditions.oversubscribed  true: a host has more ranks than cores
 *
 * All others are free: MPI and its parameters, binding, kernel; times of day, clock errors.
 */
#ifndef CW_STUDY_BENCH_BENCH_RUN_H
#define CW_STUDY_BENCH_BENCH_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_bench_state { CW_BENCH_CLEAN, CW_BENCH_PERTURBED, CW_BENCH_CONTROL, CW_BENCH_STATES };

/* Only samples that are OK count. */
enum cw_bench_status {
    CW_BENCH_OK,
    CW_BENCH_LATE,      /* a rank was not ready when the window began */
    CW_BENCH_EXPIRED,   /* the call was not over when the window ended */
    CW_BENCH_UNCOVERED, /* somebody did not perturb during all of the call */
    CW_BENCH_STATUSES
};

enum cw_bench_role { CW_BENCH_IDLE, CW_BENCH_APPLICATION, CW_BENCH_PERTURBING, CW_BENCH_ROLES };

extern const char *const cw_bench_state_names[CW_BENCH_STATES + 1]; /* "clean", …, NULL */
extern const char *const cw_bench_status_names[CW_BENCH_STATUSES + 1];

#define CW_BENCH_NAME_SIZE 24

struct cw_bench_case {
    char operation[CW_BENCH_NAME_SIZE]; /* "allreduce"; letters, digits, '_' and '-' */
    uint64_t bytes;                     /* of the operation, as its interface counts them */
    uint32_t root;                      /* rank among the application's ranks; 0 where there is none */
    char perturbation[CW_BENCH_NAME_SIZE];
    uint64_t perturbation_bytes; /* of a message */
    double ratio;                /* as it was asked for; 0 … 1 */
};

struct cw_bench_split {
    uint8_t *roles; /* [n_ranks] enum cw_bench_role; ranks of each role keep their order */
    uint32_t n_application, n_perturbing;
};

struct cw_bench_block {
    uint32_t case_index, split;
    enum cw_bench_state state;
    uint32_t order;     /* among the blocks of this case and split that were measured together: 0 first */
    double goodput;     /* [byte/s] that a perturbing rank received, mean; NaN: nobody perturbed */
    double clock_error; /* [s] bound of the error of the synchronised clock; NaN: not known */
    size_t first_sample, n_samples;
    bool unclocked; /* the clock may be off by more than a call took: half of the calls that are OK, by the slowest
                     * rank's own clock. Such blocks do not count */
};

struct cw_bench_sample {
    double start;   /* [s] since the run began, of the first rank that started */
    double time;    /* [s] until the last rank ended */
    double slowest; /* [s] that the slowest rank took by itself */
    enum cw_bench_status status;
};

/* Starts zeroed ({0}), is filled with the functions below and freed with cw_bench_run_free. */
struct cw_bench_run {
    char *name;    /* for messages and tables: the file; NULL: none yet */
    char *version; /* of what measured it; NULL: this program */
    char *command; /* NULL: not known */
    uint64_t seed;
    bool complete; /* it ended as it was meant to */
    json_t *conditions, *environment;
    uint32_t n_ranks;
    char **hosts; /* [n_ranks] */
    struct cw_bench_case *cases;
    struct cw_bench_split *splits;
    struct cw_bench_block *blocks;
    struct cw_bench_sample *samples; /* of each block together, blocks in their order */
    size_t n_cases, n_splits, n_blocks, n_samples;
    size_t cases_capacity, splits_capacity, blocks_capacity, samples_capacity;
};

void cw_bench_run_free(struct cw_bench_run *run);

/* The functions that fill a run give 0, CW_ENOMEM, or CW_EUSAGE for what breaks a rule above. */

/* First of all: its ranks, and the HOSTS[n] they are on; all are copied. CONDITIONS and ENVIRONMENT are taken over,
 * also on failure, and must be objects. */
int cw_bench_run_begin(struct cw_bench_run *run, uint32_t n, const char *const *hosts, json_t *conditions,
                       json_t *environment);

/* Finds the case or the split (roles [n_ranks], copied), or adds it. *INDEX says which it is. */
int cw_bench_run_case(struct cw_bench_run *run, const struct cw_bench_case *one, uint32_t *index);
int cw_bench_run_split(struct cw_bench_run *run, const uint8_t *roles, uint32_t *index);

/* Adds a block, whose last three members are set here, with copies of its N samples. */
int cw_bench_run_block(struct cw_bench_run *run, const struct cw_bench_block *block,
                       const struct cw_bench_sample *samples, size_t n);

/* Adds all that FROM measured to INTO. CW_EUSAGE if they were not measured alike; the message says what differs. INTO
 * may be zeroed: it becomes a copy. */
int cw_bench_run_merge(struct cw_bench_run *into, const struct cw_bench_run *from);

/* 0, or CW_EUSAGE with what makes the case impossible. For readers. */
int cw_bench_case_check(const struct cw_bench_case *one);

/* --- when it is enough -------------------------------------------------------------------------------------------- */

/* How well RUN knows the slowdown of its cases: the relative half width of the 95 % confidence interval, of the case of
 * which it knows least; INFINITY if a case was measured clean and perturbed on fewer than CW_INTERVAL_SAMPLES splits.
 * The slowdown on a split is the ratio of the medians; splits are independent, samples of one are not, so the interval
 * is that of the geometric mean over splits (Student's t of the logarithms). O(samples · log). */
double cw_bench_precision(const struct cw_bench_run *run);

CW_END_DECLS

#endif
