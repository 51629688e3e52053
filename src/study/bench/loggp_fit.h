/*
 * LogGP parameters of a network from parametrised round trips.
 *
 * PRTT(n, d, s) is the time in which a rank sends n messages of s bytes, each after a pause of d, and gets one of s
 * bytes back for the last. A message alone takes L + 2o + (s-1)G, and n of them follow each other by the larger of o +
 * d and g + (s-1)G:
 *
 *     PRTT(1, 0, s) = 2 (L + 2o + (s-1)G)
 *     PRTT(n, d, s) = PRTT(1, 0, s) + (n-1) max(o + d, g + (s-1)G)
 *
 * so that differences give each parameter alone: o with a long pause, g and G without one. Only one clock is read.
 * Source: Hoefler, Lichei and Rehm, "Low-overhead LogGP parameter assessment for modern interconnection networks",
 * IPDPS 2007, section 3. Here s, not s-1, is multiplied by G, as in crosswind noise.
 */
#ifndef CW_STUDY_LOGGP_FIT_H
#define CW_STUDY_LOGGP_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Round trips of one round of measurements; all times in seconds. */
struct cw_prtt {
    uint32_t messages;                /* n ≥ 2 */
    double delay;                     /* d, longer than g */
    double small;                     /* PRTT(1, 0, 1) */
    double small_paced;               /* PRTT(n, d, 1) */
    double small_many;                /* PRTT(n, 0, 1) */
    size_t n_sizes;                   /* at least two different ones */
    const double *bytes, *one, *many; /* [n_sizes] s, PRTT(1, 0, s), PRTT(n, 0, s) */
};

/* In seconds, G in s/byte. */
enum cw_loggp_parameter { CW_LOGGP_L, CW_LOGGP_O, CW_LOGGP_SMALL_G, CW_LOGGP_G, CW_LOGGP_PARAMETERS };

/* L may come out negative, where sending and receiving do not follow one another. CW_EUSAGE if all sizes are the same.
 */
int cw_loggp_fit(const struct cw_prtt *prtt, double out[CW_LOGGP_PARAMETERS]);

CW_END_DECLS

#endif
