/* The figures of an experiment: which of them are wanted, and their files. */
#ifndef CW_CLI_FIGURES_H
#define CW_CLI_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "report/plot.h"

/* A name that --figures takes; several may stand for one figure, which is computed as a whole. */
struct figure_name {
    const char *name; /* "13", "3a", "table1" */
    int figure;       /* 0 … MAX_FIGURES - 1 */
};

#define MAX_FIGURES 16

/* Which figures LIST, "NAME[,NAME…]" or "all", names among NAMES (ended by NULL). CW_EUSAGE for others. */
int figures_choose(const char *list, const struct figure_name *names, bool wanted[MAX_FIGURES]);

/* Writes TABLE to DIRECTORY/NAME.csv. */
int figure_csv(const struct cw_table *table, const char *directory, const char *name);

/* Draws DIRECTORY/NAME.svg and leaves its script beside it. */
int figure_draw(const struct cw_plot *plot, const char *directory, const char *name);

#endif
