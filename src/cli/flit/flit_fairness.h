/* How evenly `crosswind flit` finds endpoints served, and which of them starve. */
#ifndef CW_CLI_FLIT_FAIRNESS_H
#define CW_CLI_FLIT_FAIRNESS_H

#include "base/table.h"
#include "base/text.h"
#include "study/flit_case.h"

int flit_fairness_new(struct cw_table **out);

/* Appends RUN's row to TABLE. A sender is starved if it injected nothing in all the cycles measured, in which it had at
 * least 30 messages to send on average (so that chance leaves one in 10^13 without any). Appends a sentence to STARVED
 * that names those that are. */
int flit_fairness_add(struct cw_table *table, const struct cw_flit_case *made, double load,
                      struct cw_flit_measurement *run, struct cw_text *starved);

#endif
