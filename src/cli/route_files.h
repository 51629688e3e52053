/*
 * The files that crosswind route writes.
 */
#ifndef CW_CLI_ROUTE_FILES_H
#define CW_CLI_ROUTE_FILES_H

#include "cli/fabric.h"
#include "cli/verb.h"

/* Where to; NULL: not. */
struct route_files {
    char *tables, *json, *records, *sl2vl;
};

int route_files_write(struct invocation *invocation, const struct route_files *files, const struct fabric *fabric);

#endif
