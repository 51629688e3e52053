/* What is known of a sample: the figures that results give. */
#ifndef CW_BASE_SUMMARY_H
#define CW_BASE_SUMMARY_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Fewer samples than that, or samples that are all equal, say nothing of how far their mean may be off: the times of a
 * collective take few values, and an interval from 2 of them holds the mean in less than half of the cases. */
#define CW_INTERVAL_SAMPLES 10

struct cw_summary {
    size_t n;
    double mean;
    double deviation;      /* sample standard deviation (n-1); 0 for n = 1 */
    double standard_error; /* deviation / √n */
    double
        ci95; /* half width of the 95 % confidence interval of the mean (Student's t); NaN: there is none, see above */
    double min, q25, median, q75, max; /* quantiles by linear interpolation (Hyndman and Fan's type 7) */
};

CW_END_DECLS

#endif
