/*
 * All-to-all(v) over rails: how the bytes between boxes of GPUs are split over the network ports of these boxes, again
 * and again, as mixtures of experts need it.
 *
 * A box is a switch with endpoints, such as the NVLink switch of a node with its GPUs; a rail is a switch without
 * endpoints that has a cable to boxes. What a GPU sends to another box leaves by any port of its box and arrives by the
 * port on the same rail, so the pairs of two boxes can all be split alike: a plan is a share for each (box, box, rail).
 * The cables between GPUs and their switch carry what their GPU sends and receives, whatever the plan.
 *
 * The time of a plan is that of its busiest channel. No plan is faster than the bound, which lengths of channels prove
 * by weak duality: with Σ capacity · length = 1 it is Σ bytes · distance, over one rail. Tried are the cable of each
 * GPU, all ports of each box, in each direction, and the lengths that follow from the loads.
 *
 * Loads are levelled by Gauss–Seidel: one pair of boxes after another gets the shares that are best by the q-norm of
 * loads, and q doubles where that gains little more. Where all boxes have the same ports, equal shares reach the bound
 * and there is nothing to do but adding up bytes. Rails may be slower at some boxes, or missing: three boxes of which
 * each lacks another rail of three, say, need all of them.
 *
 * Deterministic. Computed on the caller's thread; a handle is one thread's at a time.
 */
#ifndef CW_FLOW_RAILS_H
#define CW_FLOW_RAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

#define CW_RAILS_MAX_BYTES ((uint64_t)1 << 48) /* of one pair */

struct cw_rails; /* opaque: boxes, rails, and the last plan */

struct cw_rails_plan {
    const double *share; /* [boxes · boxes · rails] from box a to b by rail j: share[(a · boxes + b) · rails + j]; those
                            of a pair add up to 1 */
    double seconds;      /* of the busiest channel */
    double bound;        /* s; no shares whatever are faster */
    const double *length; /* [channels] per byte, that prove it; Σ capacity · length = 1; all 0 if there are no bytes */
    double bytes;         /* that boxes have for each other */
    double moved;         /* bytes that go by another rail than by the shares of the plan before; 0 for the first */
    uint32_t sweeps;      /* of Gauss–Seidel */
};

/* The boxes and rails of NET, of whose channels CAPACITY [channels] are the byte/s (0: failed; INFINITY, only of
 * endpoints' cables: no limit; NULL: NET's own). NET must stay; CAPACITY is read here only. CW_EUSAGE says what NET has
 * that is neither: an endpoint with several cables, two cables from a box to a rail, no rail, or more than 65,536
 * endpoints. Time: channels. */
CW_API int cw_rails_new(const struct cw_network *net, const double *capacity, struct cw_rails **out);
CW_API void cw_rails_free(struct cw_rails *rails);

/* How many boxes there are. */
CW_API uint32_t cw_rails_boxes(const struct cw_rails *rails);
/* How many rails there are. */
CW_API uint32_t cw_rails_rails(const struct cw_rails *rails);
/* The box of an endpoint, from 0, in the order of switches; CW_NONE if it has no cable. */
CW_API uint32_t cw_rails_box(const struct cw_rails *rails, uint32_t endpoint);
/* The channel from BOX to RAIL, or if not UP from there to BOX; CW_NONE if there is none that works. */
CW_API uint32_t cw_rails_channel(const struct cw_rails *rails, uint32_t box, uint32_t rail, bool up);

/* Plans BYTES [endpoints · endpoints], row by sender; the diagonal does not count. From the shares of the last plan on,
 * until seconds - bound ≤ GAP · bound, GAP ≥ 0, or further sweeps gain nothing. What OUT points to is the handle's,
 * until the next plan. CW_EUSAGE for more than CW_RAILS_MAX_BYTES, or names two boxes that have bytes for each other
 * and no rail in common; the handle is then as it was. Time: endpoints² once, and boxes² · rails a sweep. */
CW_API int cw_rails_solve(struct cw_rails *rails, const uint64_t *bytes, double gap, struct cw_rails_plan *out);

CW_END_DECLS

#endif
