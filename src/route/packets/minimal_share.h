/*
 * Which share of packets should go minimally, and the others by Valiant's routing, so that the busiest channel is done
 * as early as possible: what UGAL comes to with perfect knowledge of the traffic and one share for all of it.
 *
 * A channel's time is (1 - share) · its time if all go by Valiant's routing + share · its time if all go minimally: a
 * line over the share. The greatest of lines is convex, so that its least value is where a falling and a rising one
 * meet, which is found exactly.
 */
#ifndef CW_ROUTE_MINIMAL_SHARE_H
#define CW_ROUTE_MINIMAL_SHARE_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The best share, [0, 1]; of several the greatest, as minimal packets take fewer channels. VALIANT[n] and MINIMAL[n]
 * are the times of N channels if no and if all packets go minimally. Time: N for each line on the way, of which there
 * are a few. */
double cw_minimal_share(size_t n, const double *valiant, const double *minimal);

CW_END_DECLS

#endif
