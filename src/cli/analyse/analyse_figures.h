/* Pictures of analysed runs, in the form of the papers' figures 3 to 5. */
#ifndef ANALYSE_FIGURES_H
#define ANALYSE_FIGURES_H

#include "study/bench/bench_analysis.h"
#include "study/bench/bench_prediction.h"

enum figure {
    FIGURE_AUTO,       /* ratio where there are three of them, else times */
    FIGURE_TIMES,      /* calls in each state, by ranks of the application: notched boxes; medians of few splits */
    FIGURE_RATIO,      /* slowdowns of splits by ratio, and the line through them with its band */
    FIGURE_SIZE,       /* slowdowns of splits by ranks of the application */
    FIGURE_PREDICTION, /* slowdowns of splits as measured, by what each model predicts */
};

extern const char *const figure_names[]; /* by enum figure, ended by NULL */

/* Draws FIGURE to PATH with gnuplot; its script stays beside it. PREDICTION may be NULL, but not for FIGURE_PREDICTION:
 * CW_EUSAGE. */
int analyse_draw(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction *prediction,
                 enum figure figure, const char *path);

#endif
