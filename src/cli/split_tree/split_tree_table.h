/* The tables of what the model of split trees says: of `crosswind model split-tree` and `crosswind reproduce
 * split-tree`. */
#ifndef CW_CLI_SPLIT_TREE_TABLE_H
#define CW_CLI_SPLIT_TREE_TABLE_H

#include "base/table.h"
#include "study/papers/split_tree_paper.h"

/* A row for each N and S. */
int split_tree_table(const struct cw_split_points *points, struct cw_table **out);

/* A row for each N and S that was emulated: model, simulation and emulation side by side. */
int split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out);

/* A row for each N, with its best S and what slices take. */
int split_tree_best_table(const struct cw_split_points *points, struct cw_table **out);

#endif
