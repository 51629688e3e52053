/* How evenly `crosswind flit` finds endpoints served, and which of them starve. */
#ifndef CW_CLI_FLIT_FAIRNESS_H
#define CW_CLI_FLIT_FAIRNESS_H

#include "base/table.h"
#include "base/text.h"
#include "study/flit/flit_case.h"

int flit_fairness_new(struct cw_table **out);

/* Appends RUN's row to TABLE, and to STARVED a sentence that names the endpoints that starved. */
int flit_fairness_add(struct cw_table *table, const struct cw_flit_case *made, double load,
                      const struct cw_flit_measurement *run, struct cw_text *starved);

#endif
