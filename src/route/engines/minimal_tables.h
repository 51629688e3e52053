/*
 * Forwarding tables of least hops for any network: every switch sends towards a destination by one of the channels that
 * are the fewest hops away from it; which of several is a rule. Hops count along shortest paths, or along those that a
 * search of the engine's own allows. Not installed.
 */
#ifndef CW_ROUTE_MINIMAL_TABLES_H
#define CW_ROUTE_MINIMAL_TABLES_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* The channel by which V leaves towards DST: one of the N ≥ 1 CHANNELS of least hops, in order of ports. Called for
 * the destinations of each V in order: by descending number of endpoints at their switch, then by switch, as OpenSM
 * orders them (route/guid_order.h), then by port. Calls for different V come from different threads. */
typedef uint32_t cw_minimal_rule(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n);

/* The same for N_DST destinations that follow one another: CHOSEN[i] is what the rule gives for the i-th of them. */
typedef void cw_minimal_rule_several(void *context, const uint32_t *channels, uint32_t n, uint32_t *chosen,
                                     uint32_t n_dst);

/* Sets HOPS[c] to the hops from the tail of channel c by c to switch TO, for all channels between switches by which
 * there is a way; the others are CW_HOPS_NONE and stay so. Calls come from different threads. 0 or CW_ENOMEM. */
#define CW_HOPS_NONE UINT8_MAX
typedef int cw_hops_search(const void *context, uint32_t to, uint8_t *hops);

/* Makes tables called NAME. Destinations that cannot be reached are holes. Endpoints forward nothing. O(leaf switches ·
 * channels + endpoints · switches · shortest ways). */
int cw_minimal_tables(const struct cw_network *net, const char *name, cw_minimal_rule *rule, void *context,
                      unsigned n_threads, struct cw_routes **out);

/* The same with more to choose. */
struct cw_minimal_choice {
    const char *name;
    cw_minimal_rule *rule;
    cw_minimal_rule_several *several; /* may be called instead of RULE where it is a switch that leaves; NULL: none */
    void *context;
    cw_hops_search *search; /* NULL: along shortest paths. Endpoints must have one cable at most */
    const void *search_context;
    const uint32_t
        *channels;         /* [n_channels] those of each vertex in the order in which RULE gets them; NULL: of ports */
    const uint32_t *first; /* [n_first] destinations that come before all others */
    uint32_t n_first;
};

int cw_minimal_tables_by(const struct cw_network *net, const struct cw_minimal_choice *choice, unsigned n_threads,
                         struct cw_routes **out);

CW_END_DECLS

#endif
