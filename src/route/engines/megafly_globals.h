/*
 * The global channels of a Megafly, by the groups that they join. Which these are is found by looking at the network,
 * so any wiring works. Not installed.
 */
#ifndef CW_ROUTE_MEGAFLY_GLOBALS_H
#define CW_ROUTE_MEGAFLY_GLOBALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"

CW_BEGIN_DECLS

/* Channels from group i to group j are at joint[i · g + j] … of `global`, in order of spine and port. The spines that
 * have any of them are at spines[i · g + j] … of `bundle`, which says where in `global` the channels of each begin. */
struct cw_megafly_globals {
    const struct cw_network *net;
    uint32_t g;
    uint32_t *joint, *spines; /* [g · g + 1] */
    uint32_t *global;         /* [joint[g · g]] */
    uint32_t *bundle;         /* [spines[g · g] + 1] */
};

/* Borrows NET, which has the shape of a Megafly. 0 or CW_ENOMEM. O(channels + g²). */
int cw_megafly_globals_new(const struct cw_network *net, struct cw_megafly_globals *out);
void cw_megafly_globals_free(struct cw_megafly_globals *globals);

/* True if no channel leads from some group to another: *FROM and *TO are the first such. */
bool cw_megafly_not_joined(const struct cw_megafly_globals *globals, uint32_t *from, uint32_t *to);

CW_END_DECLS

#endif
