/*
 * Where a network saturates: the greatest load that it accepts, found by trying.
 *
 * 0.1, 0.2, 0.4, 0.6, 0.8 and 1 are tried until one is not accepted; then loads between the greatest that was and the
 * least that was not, until these are within 5 % of each other. A load counts as accepted if
 *   - at least 98 % of it arrives, or all but three standard deviations of so many messages if that is less; and
 *   - the mean latency is at most three times the least that was seen, a custom of the field (W. J. Dally, B. Towles,
 *     "Principles and practices of interconnection networks"): latencies begin to grow without bound there. Where few
 *     channels are overloaded, as the slow cables of a fabric, it is long until so much less arrives.
 */
#ifndef CW_SIM_FLIT_SATURATION_H
#define CW_SIM_FLIT_SATURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "sim/flit/steady.h"

CW_BEGIN_DECLS

#define CW_SATURATION_SHARE   0.98 /* of a load that must arrive */
#define CW_SATURATION_LATENCY 3    /* times the least latency, which is too much */

/* A search under way; begins as {0}. */
struct cw_saturation {
    double accepted; /* greatest load tried that was accepted; 0: none was */
    double refused;  /* least that was not; 0: all were */
    double most;     /* greatest accepted load seen, whatever was offered */
    double latency;  /* least mean latency seen, in cycles; 0: none was */
};

/* The load to try next, or 0 if it is known. At most 30 are tried; none below 0.001. */
double cw_saturation_next(const struct cw_saturation *search);

/* The loads that may be tried next, so that several can be tried side by side: first the next one, then those that
 * follow if it is accepted or if it is not, and so on; each once. OUT has room for ROOM, at most CW_SATURATION_AHEAD.
 * Returns their number; 0: it is known. */
size_t cw_saturation_ahead(const struct cw_saturation *search, size_t room, double *out);
#define CW_SATURATION_AHEAD 16

/* What a try at the load that was to be tried next showed. Returns whether it was accepted. */
bool cw_saturation_add(struct cw_saturation *search, const struct cw_steady_result *result);

CW_END_DECLS

#endif
