/* Pictures of what the model of split trees says, over the number of application cores. */
#ifndef CW_CLI_SPLIT_TREE_FIGURE_H
#define CW_CLI_SPLIT_TREE_FIGURE_H

#include "study/papers/split_tree_paper.h"

enum split_tree_figure {
    SPLIT_TREE_OVERLAPPED, /* with the computation: figure 3 of Denis et al. (2018) */
    SPLIT_TREE_ALONE       /* the collective alone: figure 2 */
};
extern const char *const split_tree_figure_names[]; /* "overlapped", "alone"; ended by NULL */

/* A curve for each of the first few S, for the blocking collective and for slices, and points for what was simulated.
 * TITLE: NULL: one that says what it shows. */
int split_tree_draw(const struct cw_split_points *points, enum split_tree_figure figure, const char *title,
                    const char *path);

#endif
