#include "base/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/statistics.h"

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void cw_sort_reals(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
}

/* --- quantiles ---------------------------------------------------------------------------------------------------- */

static double log_binomial(double n, double k, double q)
{
    int sign;
    return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) + k * log(q) +
           (n - k) * log1p(-q);
}

/* The greatest l with P(B < l) ≤ TAIL, where B of N values are below the quantile Q: the quantile is below the l-th
 * value, counted from 1, with that probability. 0: there is none. */
static size_t lower_rank(size_t n, double q, double tail)
{
    /* What is 12 standard deviations from the mean does not count. */
    const double mean = (double)n * q, far = 12 * sqrt(mean * (1 - q)) + 30;
    const double first = fmax(0, floor(mean - far));
    double k = first, mass = exp(log_binomial((double)n, first, q)), below = 0;
    for (; k <= (double)n && below + mass <= tail; k++) {
        below += mass;
        mass *= ((double)n - k) / (k + 1) * q / (1 - q);
    }
    return (size_t)k;
}

struct cw_estimate cw_quantile_estimate(const double *sorted, size_t n, double q, double confidence)
{
    struct cw_estimate estimate = {cw_quantile(sorted, n, q), NAN, NAN};
    const double tail = (1 - confidence) / 2;
    const size_t low = lower_rank(n, q, tail), high = lower_rank(n, 1 - q, tail);
    if (low == 0 || high == 0) return estimate;
    estimate.low = sorted[low - 1];
    estimate.high = sorted[n - high];
    return estimate;
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

struct cw_box cw_box_of(const double *sorted, size_t n)
{
    struct cw_box box = {.n = n, .min = sorted[0], .max = sorted[n - 1]};
    box.q25 = cw_quantile(sorted, n, 0.25);
    box.median = cw_quantile(sorted, n, 0.5);
    box.q75 = cw_quantile(sorted, n, 0.75);
    const double range = box.q75 - box.q25, notch = 1.57 * range / sqrt((double)n);
    box.notch_low = box.median - notch;
    box.notch_high = box.median + notch;
    size_t low = 0, high = n;
    while (sorted[low] < box.q25 - 1.5 * range) low++;
    while (sorted[high - 1] > box.q75 + 1.5 * range) high--;
    box.tukey_low = sorted[low];
    box.tukey_high = sorted[high - 1];
    box.outliers = low + (n - high);
    return box;
}

/* --- bootstrap ---------------------------------------------------------------------------------------------------- */

static void draw(const struct cw_bootstrap *bootstrap, size_t resample, uint32_t *counts)
{
    struct cw_random random = cw_random_of(bootstrap->seed, CW_STREAM_BOOTSTRAP, bootstrap->index + resample);
    const size_t n = bootstrap->n, first = bootstrap->n_first;
    memset(counts, 0, n * sizeof *counts);
    for (size_t i = 0; i < first; i++) counts[cw_random_below(&random, (uint32_t)first)]++;
    for (size_t i = first; i < n; i++) counts[first + cw_random_below(&random, (uint32_t)(n - first))]++;
}

int cw_bootstrap_run(const struct cw_bootstrap *bootstrap, struct cw_estimate *out)
{
    const double tail = (1 - bootstrap->confidence) / 2;
    double *values = cw_new_array(bootstrap->resamples, sizeof *values, "resamples");
    uint32_t *counts = cw_new_array(bootstrap->n, sizeof *counts, "resamples");
    if (values && counts) {
        size_t n = 0;
        for (size_t i = 0; i < bootstrap->n; i++) counts[i] = 1;
        out->value = bootstrap->statistic(bootstrap->context, counts);
        for (size_t r = 0; r < bootstrap->resamples; r++) {
            draw(bootstrap, r, counts);
            values[n] = bootstrap->statistic(bootstrap->context, counts);
            if (!isnan(values[n])) n++;
        }
        cw_sort_reals(values, n);
        out->low = cw_quantile(values, n, tail);
        out->high = cw_quantile(values, n, 1 - tail);
    }
    const int rc = values && counts ? 0 : CW_ENOMEM;
    free(values);
    free(counts);
    return rc;
}

double cw_drawn_median(const double *sorted, size_t n, const uint32_t *counts)
{
    size_t low = 0, high, passed = counts[0];
    while (passed <= (n - 1) / 2) passed += counts[++low];
    for (high = low; passed <= n / 2;) passed += counts[++high];
    return 0.5 * (sorted[low] + sorted[high]);
}

struct sorted {
    const double *values;
    size_t n;
};

static double median_of_drawn(void *context, const uint32_t *counts)
{
    const struct sorted *sorted = context;
    return cw_drawn_median(sorted->values, sorted->n, counts);
}

int cw_bootstrap_median(const double *values, size_t n, size_t resamples, uint64_t seed, uint64_t index,
                        struct cw_estimate *out)
{
    double *copy = cw_new_array(n, sizeof *copy, "a sorted sample");
    if (!copy) return CW_ENOMEM;
    memcpy(copy, values, n * sizeof *copy);
    cw_sort_reals(copy, n);
    struct sorted sorted = {copy, n};
    const struct cw_bootstrap bootstrap = {.n = n,
                                           .statistic = median_of_drawn,
                                           .context = &sorted,
                                           .resamples = resamples,
                                           .confidence = 0.95,
                                           .seed = seed,
                                           .index = index};
    struct cw_estimate estimate = {cw_quantile(copy, n, 0.5), NAN, NAN};
    const int rc = n < CW_MEDIAN_VALUES ? 0 : cw_bootstrap_run(&bootstrap, &estimate);
    free(copy);
    if (!rc) *out = estimate;
    return rc;
}
