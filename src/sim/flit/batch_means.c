#include "sim/flit/batch_means.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"

#define LEAST_GROUPS 20 /* that joining leaves for the variance, if there were so many, */
#define FEW_GROUPS   5  /* … and that it may leave where neighbours are made independent */

static const double SMALL_CORRELATION = 0.1; /* neighbours count as independent up to this lag-1 correlation */
static const double MOST_CORRELATION = 0.9;  /* what is taken for one that cannot be told from 1 */
static const double LEAST_FREEDOM = 5;       /* degrees of freedom: with fewer an interval says nothing */

/* What the scatter of a series says. */
struct scatter {
    double variance; /* of one value: that of a mean of m values is a part in m of it */
    double freedom;  /* degrees of freedom of that */
    size_t joined, groups;
};

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

/* The variance of N values and the correlation of neighbours, corrected for its bias of about -(1 + 4r)/n. */
static double correlation_of(const double *values, size_t n, double *variance)
{
    const double mean = mean_of(values, n);
    double squares = 0, products = 0;
    for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    for (size_t i = 1; i < n; i++) products += (values[i] - mean) * (values[i - 1] - mean);
    *variance = squares / (double)(n - 1);
    if (squares <= 0) return 0;
    const double correlation = products / squares;
    return correlation + (1 + 4 * correlation) / (double)n;
}

/* Joins neighbours of VALUES in place, dropping the oldest of an odd number. */
static size_t join(double *values, size_t n)
{
    const size_t odd = n % 2;
    for (size_t i = 0; i < n / 2; i++) values[i] = 0.5 * (values[odd + 2 * i] + values[odd + 2 * i + 1]);
    return n / 2;
}

/* Variance and degrees of freedom by N groups of JOINED values each. */
static void judge(double variance, double correlation, size_t n, size_t joined, unsigned parameters,
                  struct scatter *out)
{
    const double rest = fmin(fmax(correlation, 0), MOST_CORRELATION), widening = (1 + rest) / (1 - rest);
    out->variance = variance * widening * (double)joined;
    out->freedom = fmax((double)n / widening - parameters, LEAST_FREEDOM);
}

/* Of N values, which it overwrites, with PARAMETERS fitted to them. With SWINGS, joining does not stop for the variance
 * where neighbours look independent: a slow swing below much noise does not show in neighbours, and yet is what moves
 * the mean. Else it does: of a drift it is the other error that must be rare, that it passes for a swing. */
static struct scatter scatter_of(double *values, size_t n, unsigned parameters, bool swings)
{
    struct scatter out = {.joined = 0};
    for (size_t joined = 1;; joined *= 2) {
        double variance;
        const double correlation = correlation_of(values, n, &variance);
        if (swings ? joined == 1 || n >= LEAST_GROUPS : out.joined == 0)
            judge(variance, correlation, n, joined, parameters, &out);
        if (out.joined == 0 && (correlation <= SMALL_CORRELATION || n < (size_t)2 * FEW_GROUPS)) {
            out.joined = joined;
            out.groups = n;
        }
        if (out.joined > 0 && n < (size_t)2 * LEAST_GROUPS) return out;
        n = join(values, n);
    }
}

/* VALUES less their straight line by least squares. */
static void detrend(double *values, size_t n)
{
    const double mean = mean_of(values, n), middle = 0.5 * (double)(n - 1);
    double products = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        products += ((double)i - middle) * (values[i] - mean);
        squares += ((double)i - middle) * ((double)i - middle);
    }
    for (size_t i = 0; i < n; i++) values[i] -= mean + products / squares * ((double)i - middle);
}

int cw_batch_means(const double *values, size_t n, size_t from, double confidence, struct cw_batch_means *out)
{
    const size_t averaged = from < n ? n - from : 0, third = averaged / 3;
    if (averaged < CW_BATCH_MEANS_LEAST)
        return cw_fail(CW_EUSAGE, "batch means of %zu values; at least %d are needed", averaged, CW_BATCH_MEANS_LEAST);
    if (!(confidence > 0 && confidence < 1))
        return cw_fail(CW_EUSAGE, "a confidence level of %g; it must be between 0 and 1, such as 0.95", confidence);
    double *work = cw_new_array(n, sizeof *work, "batch means");
    if (!work) return CW_ENOMEM;
    memcpy(work, values, n * sizeof *work);
    const struct scatter all = scatter_of(work, n, 1, true);
    memcpy(work, values, n * sizeof *work);
    detrend(work, n);
    const struct scatter around = scatter_of(work, n, 2, false);
    free(work);

    const double p = 0.5 + 0.5 * confidence;
    *out = (struct cw_batch_means){
        .mean = mean_of(values + from, averaged),
        .half_width = cw_student_quantile(p, all.freedom) * sqrt(all.variance / (double)averaged),
        .drift = mean_of(values + n - third, third) - mean_of(values + from, third),
        .drift_half_width = cw_student_quantile(p, around.freedom) * sqrt(2 * around.variance / (double)third),
        .joined = all.joined,
        .groups = all.groups,
    };
    return 0;
}
