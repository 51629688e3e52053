/*
 * Forwarding tables of shortest paths for any network; which of several shortest ways is taken is a rule. Not
 * installed.
 */
#ifndef CW_ROUTE_MINIMAL_TABLES_H
#define CW_ROUTE_MINIMAL_TABLES_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* The channel by which V leaves towards DST: one of the N ≥ 1 CHANNELS on shortest paths, in order of ports. Called for
 * the destinations of each V in order: by descending number of endpoints at their switch, then by switch, then by port.
 * Calls for different V come from different threads. */
typedef uint32_t cw_minimal_rule(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n);

/* Makes tables called NAME. Destinations that cannot be reached are holes. Endpoints forward nothing. O(leaf switches ·
 * channels + endpoints · switches · shortest ways). */
int cw_minimal_tables(const struct cw_network *net, const char *name, cw_minimal_rule *rule, void *context,
                      unsigned n_threads, struct cw_routes **out);

CW_END_DECLS

#endif
