/* What messages feel of routes: what `crosswind route` prints beside its checks. */
#ifndef CW_CLI_ROUTE_QUALITY_H
#define CW_CLI_ROUTE_QUALITY_H

#include "cli/fabric.h"

/* Adds the table of measures and their bounds (sim/quality.h) of ROUTES, all of which arrive. */
int route_add_quality(struct invocation *invocation, const struct fabric *fabric, const struct cw_routes *routes);

#endif
