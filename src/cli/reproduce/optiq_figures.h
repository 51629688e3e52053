/* The pictures of `crosswind reproduce optiq`. */
#ifndef CW_CLI_OPTIQ_FIGURES_H
#define CW_CLI_OPTIQ_FIGURES_H

#include "study/papers/optiq_points.h"

/* Draws every panel of FIGURE, whose points have run: DIRECTORY/optiq-PANEL.svg. */
int optiq_figure_draw(const struct cw_optiq_points *points, enum cw_optiq_figure figure, const char *directory);

#endif
