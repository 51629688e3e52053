/*
 * What the model of split trees says for every number of ranks and every number of levels on their cores, and what the
 * simulation says beside it; as tables and pictures, and as the figures of Denis, Jaeger, Jeannot, Pérache and Taboada,
 * "Dynamic placement of progress thread for overlapping MPI non-blocking collectives on manycore processor" (2018).
 */
#ifndef CW_STUDY_PAPERS_SPLIT_TREE_POINTS_H
#define CW_STUDY_PAPERS_SPLIT_TREE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "study/overlap/overlap_runs.h"
#include "study/papers/paper.h"
#include "traffic/split_plan.h"

CW_BEGIN_DECLS

struct cw_split_case {
    struct cw_split_model model;
    bool simulated; /* the next three are of the simulation */
    enum cw_split_placement placement;
    enum cw_split_executor executor;
    uint32_t chunks;
    double unit; /* > 0: what is simulated is emulated, too (nbc/nbc_emulate.h), and a transfer takes so long [s]. With
                  * N from 3/4 of the cores on and S up to 3 */
};

struct cw_split_point {
    uint32_t n, steps;
    struct cw_split_times times;
    double simulated, simulated_overlapped; /* beside times.non_blocking and .overlapped; NaN: not simulated */
    double emulated_overlapped;             /* the same; NaN: not emulated */
    bool best;                              /* of all S for this N */
};

struct cw_split_points {
    struct cw_split_case about;
    struct cw_split_point *items; /* by N = 1 … cores - 1, then by S = 0 … H(N) */
    size_t n;
    size_t least; /* which of them has the least overlapped time */
};

/* Computes all. Simulations run on N_THREADS threads; emulations sleep, and so take one after another what they
 * emulate. Free with cw_split_points_free. */
int cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out);
void cw_split_points_free(struct cw_split_points *points);

/* The time of POINT, overlapped, as the schedule was executed: emulated if it was, else simulated; NaN: neither. */
double cw_split_executed(const struct cw_split_points *points, const struct cw_split_point *point);

/* The point of N and STEPS; NULL: there is none. */
const struct cw_split_point *cw_split_point_of(const struct cw_split_points *points, uint32_t n, uint32_t steps);

/* The largest relative difference of emulation and simulation, whose points were emulated. */
double cw_split_emulation_apart(const struct cw_split_points *points);

/* --- as tables and pictures --------------------------------------------------------------------------------------- */

/* A row for each N and S. */
int cw_split_tree_table(const struct cw_split_points *points, struct cw_table **out);

/* A row for each N and S that was emulated: model, simulation and emulation side by side. */
int cw_split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out);

/* A row for each N, with its best S and what slices take. */
int cw_split_tree_best_table(const struct cw_split_points *points, struct cw_table **out);

enum cw_split_shown {
    CW_SPLIT_OVERLAPPED, /* with the computation: figure 3 of Denis et al. (2018) */
    CW_SPLIT_ALONE       /* the collective alone: figure 2 */
};
extern const char *const cw_split_shown_names[]; /* "overlapped", "alone"; ended by NULL */

/* A curve for each of the first few S, for the blocking collective and for slices, and points for what was simulated.
 * TITLE: NULL: one that says what it shows. */
int cw_split_tree_draw(const struct cw_split_points *points, enum cw_split_shown shown, const char *title,
                       const char *path);

/* --- the publication ---------------------------------------------------------------------------------------------- */

extern const struct cw_paper cw_paper_split_tree;
enum cw_split_figure { CW_SPLIT_FIG2, CW_SPLIT_FIG3, CW_SPLIT_FIG4, CW_SPLIT_FIG5, CW_SPLIT_FIG6, CW_SPLIT_FIG7 };

/* What is asked of figure 7, which is of what was measured on the user's machine (study/overlap/overlap_runs.h). */
struct cw_split_measured {
    const struct cw_overlap_runs *runs;
    const char *operation; /* a collective */
};

/* What is MPI's own: blocking, native, native-async. */
bool cw_overlap_is_native(const struct cw_overlap_point *point);

extern const struct cw_paper_claim cw_split_measured_claims[3];
size_t cw_split_count_operations(const struct cw_overlap_runs *runs); /* of each of which they are */
int cw_split_make_measured(struct cw_paper_run *run, size_t figure);  /* whose data are runs */

CW_END_DECLS

#endif
