/*
 * Up and down: switches have ranks, and paths obey a rule about the direction between ranks. The searches give exactly
 * the hops that OpenSM 3.3.23 finds, found by experiment: breadth first from the destination, where a switch has the
 * direction in which it was met and waits again, with a new direction, whenever it is met by a port that was not known.
 * So an entry may lead to a switch that forwards along a path of the other direction; on networks other than trees, the
 * rule and the freedom from deadlocks that follows from it hold for most paths, not for all. Not installed.
 */
#ifndef CW_ROUTE_UPDOWN_H
#define CW_ROUTE_UPDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/engines/minhop.h"

CW_BEGIN_DECLS

enum cw_updown_rule {
    /* From the destination no step towards rank 0 may follow one away from it. Of equal ranks the greater id counts as
     * further from 0; between two of rank 0 every step counts as one towards it. */
    CW_UPDOWN_UP_FIRST,
    /* No step away from rank 0 may follow one towards it; steps between equal ranks are always allowed and count as
     * away from it. */
    CW_UPDOWN_DOWN_FIRST
};

#define CW_UPDOWN_UNRANKED UINT32_MAX

struct cw_updown {
    const struct cw_network *net;
    enum cw_updown_rule rule;
    uint32_t *rank;  /* [switches] */
    uint64_t *id;    /* [switches] */
    uint32_t *first; /* [switches + 1] links of each, while tables are made */
    struct cw_updown_link *links;
};

/* Ranks are the hops from the nearest of the N switches AT. Free it in any case. */
int cw_updown_open(const struct cw_network *net, enum cw_updown_rule rule, const uint32_t *at, uint32_t n,
                   struct cw_updown *updown);
void cw_updown_free(struct cw_updown *updown);

/* Lets OPENSM choose among the paths that UPDOWN allows; once. CW_ENOMEM. */
int cw_updown_search_by(struct cw_updown *updown, struct cw_opensm *opensm);

CW_END_DECLS

#endif
