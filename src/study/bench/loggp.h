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
#ifndef CW_STUDY_BENCH_LOGGP_H
#define CW_STUDY_BENCH_LOGGP_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/result.h"

CW_BEGIN_DECLS

/* The times of a round, in s: PRTT(1, 0, 1), PRTT(n, d, 1) and PRTT(n, 0, 1); from _LARGE on PRTT(1, 0, s) and
 * PRTT(n, 0, s) of each size s. */
enum { CW_LOGGP_ALONE, CW_LOGGP_PACED, CW_LOGGP_MANY, CW_LOGGP_LARGE };

/* How many these are. */
size_t cw_loggp_width(size_t n_sizes);

struct cw_loggp_rounds {
    uint32_t messages;     /* n ≥ 2 */
    double delay;          /* d, longer than g, in s */
    size_t n_sizes;        /* at least two different ones, … */
    const uint64_t *bytes; /* … [n_sizes] */
    size_t n;              /* rounds, at least 1 */
    const double *times;   /* [n][width] */
};

/* In seconds, G in s/byte. */
enum cw_loggp_parameter { CW_LOGGP_L, CW_LOGGP_O, CW_LOGGP_SMALL_G, CW_LOGGP_G, CW_LOGGP_PARAMETERS };

/* The parameters by one ROUND of ROUNDS. L may come out negative, where sending and receiving do not follow one
 * another. CW_EUSAGE if all sizes are the same; CW_ENOMEM. */
int cw_loggp_fit(const struct cw_loggp_rounds *rounds, size_t round, double out[CW_LOGGP_PARAMETERS]);

/* Adds tables of parameters and of messages by size to RESULT, medians over rounds, and sentences: what crosswind noise
 * takes, and between whom it was measured (WHO: "rank 0 on h0 and rank 1 on h1, …"). */
int cw_loggp_show(const struct cw_loggp_rounds *rounds, const char *who, struct cw_result *result);

CW_END_DECLS

#endif
