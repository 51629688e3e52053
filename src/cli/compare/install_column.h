/* How to install the routes of each row of `crosswind compare`. */
#ifndef CW_CLI_INSTALL_COLUMN_H
#define CW_CLI_INSTALL_COLUMN_H

#include "base/result.h"
#include "study/compare/install.h"
#include "study/compare/measures.h"

#define INSTALL_NAME "install"
#define INSTALL_HELP                                                                                                   \
    "what goes into opensm.conf, or how OpenSM is to be started, to have these routes; missing: they are there, or "   \
    "there are none"

/* Starts zeroed. */
struct install_column {
    struct cw_install *rows; /* [n] */
    size_t n, capacity;
};

/* The next row: the routes of OF, by the routing SPEC, or NULL, tables that are there. OF NULL: there are no routes. */
int install_add(struct install_column *column, struct cw_compared *of, const char *spec);
void install_free(struct install_column *column);

/* The cell of the row that was added last. */
void install_cell(const struct install_column *column, struct cw_table *table);

/* Says what the words of the column mean, and which rows that can be installed are the best by MEASURE, if that is
 * known: their NAMES [n], whose FIGURES [n] are overwritten. MEASURE NULL: none can say. */
int install_notes(const struct install_column *column, struct cw_result *result, const struct cw_measure *measure,
                  struct cw_measured *figures, char *const *names);

#endif
