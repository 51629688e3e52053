#include "study/bench/normality.h"

#include <math.h>

/* ln Φ(z), also far out, where Φ itself is 0 in a double. */
static double log_phi(double z)
{
    if (z > -30) return log(0.5 * erfc(-z * M_SQRT1_2));
    return -0.5 * z * z - log(-z) - 0.5 * log(2 * M_PI);
}

static double p_of(double a2)
{
    if (a2 > 10) return 3.7e-24; /* beyond, the fit rises again */
    if (a2 >= 0.6) return exp(1.2937 - 5.709 * a2 + 0.0186 * a2 * a2);
    if (a2 > 0.34) return exp(0.9177 - 4.279 * a2 - 1.38 * a2 * a2);
    if (a2 > 0.2) return 1 - exp(-8.318 + 42.796 * a2 - 59.938 * a2 * a2);
    return 1 - exp(-13.436 + 101.14 * a2 - 223.73 * a2 * a2);
}

struct cw_normality cw_normality_test(const double *sorted, size_t n)
{
    const double size = (double)n;
    double mean = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += sorted[i] / size;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    const double deviation = sqrt(squares / (size - 1));
    if (n < CW_NORMALITY_SAMPLES || !(deviation > 1e-12 * fabs(mean))) return (struct cw_normality){NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        const double low = (sorted[i] - mean) / deviation, high = (sorted[n - 1 - i] - mean) / deviation;
        sum += (2 * (double)i + 1) * (log_phi(low) + log_phi(-high));
    }
    const double a2 = (-size - sum / size) * (1 + 0.75 / size + 2.25 / (size * size));
    return (struct cw_normality){a2, p_of(a2)};
}
