/*
 * Max-min fair sharing: flows over links, each flow as fast as it can be made without slowing down one that is no
 * faster (Bertsekas and Gallager, "Data networks", 6.5.2). What channels are to messages in a simulation of flows.
 *
 * A flow of weight w has the rate w·s, where s is its level, and puts a share a of its rate on each of its links
 * (1 where all of it goes that way): Σ a·w·s ≤ capacity for every link. Levels are max-min fair, so each flow has a
 * link, its bottleneck, that is full and on which no flow has a higher level. There is exactly one such allocation.
 *
 * After flows were added or removed, only what is touched by that is shared out again, in one pass from the lowest
 * level to the highest. Flows that are new wait for a level. A link is due at the level at which those that wait fill
 * it: they get that level, once members that have a higher one wait, too. A link that has lost a flow, or has one that
 * waits, is also due at the level of the members whose bottleneck it is: if it is not full by then, these wait for a
 * higher one. What the pass has left behind it stays, so each flow gets one level, and only those change that have to.
 *
 * Flows of one weight on the same links, with the same shares, always have the same level: they are shared out as one.
 */
#ifndef CW_SIM_MAX_MIN_H
#define CW_SIM_MAX_MIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_max_min;

/* N_LINKS of CAPACITY[i] ≥ 0, finite, in any unit, which is that of rates; no flows. Free with cw_max_min_free. */
int cw_max_min_new(uint32_t n_links, const double *capacity, struct cw_max_min **out);
void cw_max_min_free(struct cw_max_min *sharing);

/* A flow of WEIGHT > 0 on N > 0 links, each once, of which links[i] gets the share shares[i] > 0 of its rate (NULL: 1).
 * *FLOW becomes its number, the one given back last or the lowest that never was one; its rate is 0 until all is
 * settled. */
int cw_max_min_add(struct cw_max_min *sharing, double weight, size_t n, const uint32_t *links, const double *shares,
                   uint32_t *flow);
/* Its number may be given to another flow. O(links of the flow), as is adding it. */
void cw_max_min_remove(struct cw_max_min *sharing, uint32_t flow);

/* Shares out what the last calls have changed. *CHANGED [*N] are the flows that are new, or whose rate is another one
 * now; valid until the next call. Relative error of a rate: about 1e-12. Time: for flows that are shared out again,
 * links · log links, and for each of their links the flows on it, of those that are alike one. */
void cw_max_min_settle(struct cw_max_min *sharing, const uint32_t **changed, size_t *n);

double cw_max_min_rate(const struct cw_max_min *sharing, uint32_t flow);
/* The link that decides its rate. */
uint32_t cw_max_min_bottleneck(const struct cw_max_min *sharing, uint32_t flow);

CW_END_DECLS

#endif
