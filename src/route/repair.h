/*
 * Forwarding tables of a fabric that has lost cables or switches: which routes they no longer give, and the least
 * change that gives them again.
 */
#ifndef CW_ROUTE_REPAIR_H
#define CW_ROUTE_REPAIR_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_lost_routes {
    uint64_t pairs;       /* ordered pairs of different endpoints looked at */
    uint64_t lost;        /* … whose route does not arrive */
    struct cw_text first; /* the first of these: "h0 > h5, h0 > h7"; owned by the caller */
};

/* Which pairs of SELECTION, but for those in two of its parts, have no route by ROUTES, which must be tables
 * (CW_EUSAGE), or routes between GPUs over tables of the fabric: then pairs are those of HCAs. At most LISTED go into
 * OUT->first, by destination and then by source. O(endpoints · switches), shared by the threads. */
CW_API int cw_routes_lost(const struct cw_routes *routes, const struct cw_selection *selection, size_t listed,
                          unsigned n_threads, struct cw_lost_routes *out);
CW_API void cw_lost_routes_free(struct cw_lost_routes *lost);

/* The tables ROUTES with new entries where the old ones do not arrive: a switch from which a destination is no longer
 * reached takes the entry that the routes ANEW of the same network have. These must depend on the destination only, and
 * all other entries stay. No loop can come of it: a switch that arrives passes only such, and the others follow ANEW
 * until they meet one. Lanes are those of ROUTES (service levels), so that freedom from deadlocks must be checked
 * again. The tables to further LIDs are repaired likewise, with those of ANEW to these LIDs or, where there are none,
 * to the first. *CHANGED gets the number of entries that are new, to all LIDs. O(endpoints · switches · LIDs). */
CW_API int cw_routes_repair(const struct cw_routes *routes, const struct cw_routes *anew, unsigned n_threads,
                            uint64_t *changed, struct cw_routes **out);

/* The same with the routes that ENGINE, with its parameters, gives the network by SEED. Of routes between GPUs, the
 * tables of the fabric are mended. */
CW_API int cw_routes_repair_by(const struct cw_routes *routes, const char *engine, uint64_t seed, unsigned n_threads,
                               uint64_t *changed, struct cw_routes **out);

CW_END_DECLS

#endif
