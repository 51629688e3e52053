/*
 * Figures that verbs may keep in a store, and what is in stores, as tables of a result.
 */
#ifndef CW_CLI_STORED_FIGURES_H
#define CW_CLI_STORED_FIGURES_H

#include <stddef.h>

#include "base/result.h"
#include "cli/verb.h"
#include "study/compare/store.h"
#include "study/compare/study_file.h"

/* Figures that a verb takes of several networks with their routes, and keeps in a store if it has one: those of
 * crosswind study's cases with the same values. Starts zeroed. */
struct figure_keeper {
    struct cw_result *result; /* borrowed */
    struct cw_store *store;   /* NULL: none */
    struct cw_study study;    /* what holds for all cases */
    char seed[24];
    struct cw_inputs before; /* files that change figures, whatever the case: plug-ins */
};

/* A case: what it is, and the files that its network and its routes are made of. */
struct kept_case {
    struct cw_study_case is;         /* texts are borrowed */
    const struct cw_inputs *network; /* borrowed */
    struct cw_inputs routes;         /* beside those */
    uint32_t cut_off;                /* endpoints that have no path to most others */
};

/* Opens the store PATH, NULL: none, for figures of networks that are read as INVOCATION says, and of tables mended by
 * REPAIR or NULL. Call it before anything is read but plug-ins. Ends with figure_keeper_close in any case. */
int figure_keeper_open(struct invocation *invocation, const char *path, const char *repair,
                       struct figure_keeper *keeper);
void figure_keeper_close(struct invocation *invocation, struct figure_keeper *keeper);

/* The figure of MEASURE of OF, which is KEPT: that of the store, or taken and stored. That there is none is in it, too;
 * other errors are returned. */
int figure_keeper_take(const struct figure_keeper *keeper, const struct kept_case *kept,
                       const struct cw_measure *measure, struct cw_compared *of, struct cw_study_figure *out);

/* Closes STORE, which may be NULL, after all that INVOCATION prints. If it has failed, stderr and the exit status say
 * so: that not all could be stored is no property of the result. */
void stored_figures_close(struct invocation *invocation, struct cw_store *store);

/* Adds to RESULT the table `figures` of the store PATH: the rows that all N CONDITIONS, "COLUMN=VALUE", hold for; and
 * of several cases the table `best`, with a note among which; and without conditions the table `results`. Tables
 * without a row are left out, but `figures` where both would be. CW_EUSAGE for a condition that is none, or the errors
 * of the store. */
int stored_figures_list(struct cw_result *result, const char *path, const char *const *conditions, size_t n);

/* The same of all rows, behind the table `cases`, which has a row for each case and a column for each measure, and its
 * figure: what crosswind study gave. A note says so where this release does not know a measure, and there is no such
 * table, nor `best`. */
int stored_figures_by_case(struct cw_result *result, const char *path);

#endif
