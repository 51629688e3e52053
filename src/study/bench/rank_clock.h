/*
 * The clock of a rank against that of rank 0, from messages that go there and back.
 *
 * An exchange: the rank notes its time, rank 0 answers with its own, the rank notes when the answer came. If the answer
 * was written in the middle, the offset is rank 0's time minus the middle of the two; wherever it was written in
 * between, that is wrong by at most half of the round trip. So the shortest round trip of several gives the best offset
 * and a bound of its error that holds however unlike the two ways are (Cristian, "Probabilistic clock synchronization",
 * 1989).
 *
 * Clocks drift. A model is the line through the offsets of several such points of time (weighted least squares).
 * Between the first and the last of them, and as long as the drift is constant, its error is at most the greatest
 * distance of a point from the line plus that point's own bound; before and behind, what a line through the ends of
 * these bounds may be off.
 */
#ifndef CW_STUDY_RANK_CLOCK_H
#define CW_STUDY_RANK_CLOCK_H

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

/* offset(t) = offset + drift · (t - origin). A zeroed model is that of rank 0 itself. */
struct cw_clock_model {
    double origin, offset, drift;
    double first, last; /* [s] points from here to here, by the own clock */
    double error;       /* [s] bound between them */
    double drift_error; /* [s/s] what is to be added for each second before or behind */
};

/* No more than that is a clock's drift taken to be where it was never seen: Linux corrects clocks by at most that much.
 */
#define CW_CLOCK_DRIFT 500e-6

/* The model of N ≥ 1 points in the order of time. Of one, the drift is taken as 0 ± CW_CLOCK_DRIFT. O(n). */
struct cw_clock_model cw_clock_fit(const struct cw_clock_point *points, size_t n);

/* Time LOCAL of the own clock by that of rank 0, and the other way round; and what either may be off at LOCAL. */
double cw_clock_global(const struct cw_clock_model *model, double local);
double cw_clock_local(const struct cw_clock_model *model, double global);
double cw_clock_error(const struct cw_clock_model *model, double local);

CW_END_DECLS

#endif
