/*
 * Messages that nobody plans, on a torus that routes them adaptively, as Blue Gene/Q does (D. Chen et al., "The IBM
 * Blue Gene/Q interconnection network and message unit", SC'11): packets take the hops of their message's route in any
 * order of the dimensions of one size, the longest dimensions first, over whichever channel is free.
 *
 * Buffers are small, so a packet that waits holds up those behind it. Each channel leads into two queues of packets:
 * one from which any of these ways may be taken, and one in which packets keep to the order of the dimensions, and
 * enter a dimension only where room for two packets is left, so that no circle of full buffers closes (Puente et al.,
 * "The adaptive bubble router", JPDC 61, 2001). In each step, every channel moves one packet of those that want to go
 * over it, drawn at random. A node sends its messages one after another, at most at `messages.rate`.
 *
 * The real packets of 512 bytes are too many: those simulated are 1/64 of the largest message, or larger where they
 * would still be many millions. Their queues have room for two: chosen at 512 nodes of the record, where they predict
 * who wins and loses a little better than four.
 */
#ifndef CW_FLOW_ADAPTIVE_TORUS_H
#define CW_FLOW_ADAPTIVE_TORUS_H

#include <stdbool.h>

#include "base/decls.h"
#include "flow/transport/transport.h"

CW_BEGIN_DECLS

/* True if PLAN consists of the network's own routes, TRANSPORT says that the network is adaptive, and it is a torus
 * without failures: elsewhere each message keeps to its route. */
bool cw_adaptive_torus_applies(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                               const struct cw_transport *transport);

/* As cw_transport_run, where it applies. Memory: network and messages, those times the dimensions. */
int cw_adaptive_torus_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                          const struct cw_transport *transport, struct cw_transport_result *out);

CW_END_DECLS

#endif
