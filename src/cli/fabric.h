/*
 * The network and the routes a verb's arguments name.
 */
#ifndef CW_CLI_FABRIC_H
#define CW_CLI_FABRIC_H

#include "cli/verb.h"
#include "net/network.h"
#include "route/lft_file.h"
#include "route/routes.h"

struct fabric {
    struct cw_network *net;
    struct cw_routes *routes; /* NULL unless the verb routes */
    bool has_report;
    struct cw_lft_report report; /* of --lft */
};

/* Opens SPEC_OR_FILE as INVOCATION's options say, routes it if the verb does, and records input files in the result.
 * Free with fabric_free, also after an error. */
int fabric_open(struct invocation *invocation, const char *spec_or_file, struct fabric *fabric);
void fabric_free(struct fabric *fabric);

/* Routes the network of FABRIC, which has no routes yet, as ROUTING says. For verbs with routing options of their own.
 */
int fabric_route(struct invocation *invocation, const struct routing *routing, struct fabric *fabric);

/* Records the file PATH in the result. */
int fabric_add_file(struct invocation *invocation, const char *path);

/* Record the file in the result that SPEC, which was accepted as a pattern or a placement, reads, if it reads any. */
int fabric_add_pattern(struct invocation *invocation, const char *spec);
int fabric_add_placement(struct invocation *invocation, const char *spec);

#endif
