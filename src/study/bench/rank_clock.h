/*
 * The clock of a rank against that of rank 0, from messages that go there and back.
 *
 * An exchange: the rank notes its time, rank 0 answers with its own, the rank notes when the answer came. If the answer
 * was written in the middle, the offset is rank 0's time minus the middle of the two; wherever it was written in
 * between, that is wrong by at most half of the round trip. So the shortest round trip of several gives the best offset
 * and a bound of its error that holds however unlike the two ways are (Cristian, "Probabilistic clock synchronization",
 * 1989).
 *
 * Clocks drift. A model is the line through the offsets of several such points of time (weighted least squares). As
 * long as the drift is constant, the true offsets are on a line, too, and that passes all points within their bounds:
 * how far it can be from the model at any time follows from each two of the points. A point with a bad bound does no
 * harm.
 */
#ifndef CW_STUDY_BENCH_RANK_CLOCK_H
#define CW_STUDY_BENCH_RANK_CLOCK_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* [s]; sent and received by the rank's own clock, remote by that of rank 0. */
struct cw_clock_exchange {
    double sent, remote, received;
};

struct cw_clock_point {
    double local;  /* [s] when, by the rank's own clock */
    double offset; /* [s] clock of rank 0 minus own clock */
    double error;  /* [s] bound */
};

/* The point of the shortest round trip of N ≥ 1 exchanges. */
struct cw_clock_point cw_clock_best(const struct cw_clock_exchange *exchanges, size_t n);

#define CW_CLOCK_POINTS 8 /* of a model, at most */

/* No more than that is a clock's drift taken to be: Linux corrects clocks by at most that much. */
#define CW_CLOCK_DRIFT 500e-6

/* offset(t) = offset + drift · (t - origin). A zeroed model is that of rank 0 itself. */
struct cw_clock_model {
    double origin, offset, drift;
    struct cw_clock_point points[CW_CLOCK_POINTS];
    size_t n;
};

/* The model of N points, from 1 to CW_CLOCK_POINTS, in the order of time. Of one, the drift is taken as 0. O(n). */
struct cw_clock_model cw_clock_fit(const struct cw_clock_point *points, size_t n);

/* Adds a point, the latest, to a model, which has the last CW_CLOCK_POINTS at most; a zeroed one has none. O(points).
 */
void cw_clock_add(struct cw_clock_model *model, const struct cw_clock_point *point);

/* Time LOCAL of the own clock by that of rank 0, and the other way round. */
double cw_clock_global(const struct cw_clock_model *model, double local);
double cw_clock_local(const struct cw_clock_model *model, double global);

/* What either may be off at LOCAL [s], and the drift. Where no line passes all points, for the drift has changed, the
 * bound is the greatest distance of a point from the model plus that point's own, and the drift may be anything. O(n²).
 */
double cw_clock_error(const struct cw_clock_model *model, double local);
double cw_clock_drift_error(const struct cw_clock_model *model);

CW_END_DECLS

#endif
