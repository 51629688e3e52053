/*
 * What crosswind what-if has found, as tables and sentences: the cases, ranked by what they cost or bring.
 */
#ifndef CW_CLI_WHAT_IF_REPORT_H
#define CW_CLI_WHAT_IF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cli/fabric.h"
#include "study/compare/what_if.h"

/* Cases that were asked for, of one network, and what came of them. */
struct what_if_run {
    struct invocation *invocation;
    struct fabric fabric;
    struct cw_text tables; /* of --lft */
    const char *repair;    /* engine that mends them, or routes where they do not know a cable */
    const char *engine;    /* that routes all cases; NULL: tables, or what suits each */
    struct cw_measure *measures;
    size_t n_measures, top; /* `top` cases are shown in text */
    struct cw_what_if_cases cases;
    size_t upgrades;  /* the first so many of them; the others fail */
    bool others;      /* there are tables of other cases, too, of which a note says how they are drawn */
    uint32_t unknown; /* switches that lack cables to nobody knows whom */
    struct cw_what_if found;
};

static inline const struct cw_what_if_outcome *what_if_base(const struct what_if_run *run)
{
    return cw_what_if_outcome(&run->found, 0);
}

/* Adds the tables `failures` and `upgrades` of the cases that are done, the worst or the best first, and what to think
 * of them. */
int what_if_report(const struct what_if_run *run);

/* The same, `additions`, of cases that all add cables; there may be none. */
int what_if_report_additions(const struct what_if_run *adding);

#endif
