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
    char *roots, *compute; /* lists of GUIDs for OpenSM: of the network, whatever the routes */
};

/* Writes FILES of FABRIC's routes. Tables are read back first, with the service levels that are written beside them:
 * they are not written if packets would go round in circles, and *WRITTEN gets them, owned by the caller, so that what
 * is said of the routes is true of the files. NULL: no tables are written. */
int route_files_write(struct invocation *invocation, const struct route_files *files, const struct fabric *fabric,
                      struct cw_routes **written);

#endif
