/*
 * What a noise measurement does, in which order, before any of it is done.
 *
 * Cases are ratios × operations × perturbations. Split number 0 of each ratio comes first, then number 1 of each, ...:
 * what is finished when time runs out has all ratios alike. On a split, cases follow each other in random order, and so
 * do the states of each case, one block a state: what drifts with time hits all alike.
 */
#ifndef CW_STUDY_BENCH_BENCH_PLAN_H
#define CW_STUDY_BENCH_BENCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/registry.h"
#include "base/result.h"
#include "study/bench/bench_run.h"
#include "study/bench/splits.h"

CW_BEGIN_DECLS

/* What is sent, and how much: "allreduce:8B". */
struct cw_bench_load {
    const void *kind; /* an item of a registry */
    uint64_t bytes;
};

/* Reads "NAME[:SIZE][,...]" of the option OPTION, names being those of KINDS; BYTES where there is no size. *OUT is the
 * caller's. CW_EUSAGE for a name or size that is none. */
int cw_bench_parse_loads(const char *option, const struct cw_registry *kinds, uint64_t bytes, const char *text,
                         struct cw_bench_load **out, size_t *n);

struct cw_bench_request {
    const struct cw_rank_places *places;
    struct cw_split_rule rule;
    const double *ratios;
    size_t n_ratios;
    const struct cw_bench_load *operations, *perturbations;
    size_t n_operations, n_perturbations;
    uint32_t n_splits; /* of each ratio */
    uint32_t root;
    bool control;          /* blocks of the control, too, on splits that have one */
    bool control_as_it_is; /* ... and it is no error if none has */
    enum cw_control control_kind;
};

struct cw_bench_step {
    uint32_t case_index, split;
    enum cw_bench_state state;
    uint32_t order; /* among the blocks of this case on this split */
};

struct cw_bench_plan {
    struct cw_bench_case *cases;   /* [n_cases] by ratio, operation, perturbation */
    struct cw_bench_split *splits; /* [n_splits] by number, ratio */
    uint32_t *load_of;             /* [n_cases] operation · n_perturbations + perturbation */
    struct cw_bench_step *steps;   /* [n_steps] as they are done */
    size_t n_cases, n_splits, n_steps;
    size_t n_controls; /* splits that have a control */
};

/* Draws all splits, and refuses what cannot be had: CW_EUSAGE as of cw_split_draw, for an application without the rank
 * `root`, or a control that no split has. */
int cw_bench_plan_make(const struct cw_bench_request *request, struct cw_bench_plan *out);
void cw_bench_plan_free(struct cw_bench_plan *plan);

/* Whether STEP is the first of a new number of splits: all splits so far were measured alike then, and may be enough.
 */
bool cw_bench_plan_may_end(const struct cw_bench_plan *plan, size_t step, size_t n_ratios);

/* Adds the splits as a table to RESULT, and says how much would be measured: blocks of up to SAMPLES calls, in TIME [s]
 * at most (0: no limit). OVERSUBSCRIBED: there are more ranks than processors. */
int cw_bench_plan_show(const struct cw_bench_request *request, const struct cw_bench_plan *plan, size_t samples,
                       double time, bool oversubscribed, struct cw_result *result);

CW_END_DECLS

#endif
