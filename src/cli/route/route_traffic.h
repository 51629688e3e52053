/* Routes that `crosswind route --traffic` makes for traffic, and how much of it the busiest channel carries. */
#ifndef CW_CLI_ROUTE_TRAFFIC_H
#define CW_CLI_ROUTE_TRAFFIC_H

#include "cli/fabric.h"
#include "flow/flow_problem.h"

struct route_traffic {
    struct cw_demands demands;
    uint64_t bytes; /* on the busiest channel between switches */
    uint32_t channel;
    uint64_t bound; /* no tables of shortest routes have less */
};

/* Routes the network of FABRIC, which has no routes yet, for PATTERN among its endpoints, by --routing. TRAFFIC is
 * zeroed; its demands are the caller's to free in any case. */
int route_for_traffic(struct invocation *invocation, const char *pattern, struct fabric *fabric,
                      struct route_traffic *traffic);

int route_add_traffic(struct invocation *invocation, const struct fabric *fabric, const struct route_traffic *traffic);

#endif
