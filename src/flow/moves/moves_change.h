/*
 * Moves made of others: of the same data, to be carried out otherwise. And in which order a rank sends.
 */
#ifndef CW_FLOW_MOVES_CHANGE_H
#define CW_FLOW_MOVES_CHANGE_H

#include "base/decls.h"
#include "flow/moves/moves.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Something that goes from SRC to DST. */
struct cw_turn {
    uint32_t src, dst;
    size_t index;
};

/* Puts TURNS, of which number i has index i, in turn: what has one source stays in the places that it has, but begins
 * with the next destination after the source, by number. As ranks begin with their first streams, else all with many
 * destinations would begin with the same one. */
int cw_moves_take_turns(struct cw_turn *turns, size_t n);

/* The same demands without a plan: each is one stream from its source to every destination, by whatever way messages
 * take between them; so steps have no channels. Their seconds are those predicted for default routes. CW_EUSAGE for
 * data that are added up. */
int cw_moves_direct(const struct cw_moves *moves, struct cw_moves *out);

/* The same by ROUTES, those of the network: steps have their channels. METHOD is what these moves are called. CW_EROUTE
 * if a pair has no route, CW_EUSAGE if packets of one pair take several ways, and as cw_moves_direct. */
int cw_moves_routed(const struct cw_moves *moves, const struct cw_routes *routes, const char *method,
                    struct cw_moves *out);

/* The same with N ranks in the place of each: the chunks of every stream are shared out among N streams, evenly and in
 * their order. Rank r becomes ranks r·N … r·N + N-1, called "NAME.0", … unless N is 1, and demand d the demands d·N …
 * d·N + N-1, each between ranks of the same place; its part of the data are the chunks that its streams have, one
 * stream after the other. A part may be empty. CW_ELIMIT where that are too many, CW_EUSAGE if N is not 1 and a demand
 * is for all other ranks, or of all. The endpoints are numbered as if each were N. */
int cw_moves_split(const struct cw_moves *moves, uint32_t n, struct cw_moves *out);

/* One stream of N chunks of SIZE bytes over the LENGTH ranks WAY of MOVES, and nothing else: to measure what that
 * takes. Credits are those of MOVES; steps have no channels. */
int cw_moves_line(const struct cw_moves *moves, const uint32_t *way, uint32_t length, uint64_t size, uint64_t n,
                  struct cw_moves *out);

CW_END_DECLS

#endif
