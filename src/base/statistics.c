#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* Neumaier's sum: what each addition rounds off is collected beside the total. */
struct sum {
    double total, lost;
};

static void sum_add(struct sum *sum, double value)
{
    const double total = sum->total + value;
    sum->lost += fabs(sum->total) >= fabs(value) ? (sum->total - total) + value : (value - total) + sum->total;
    sum->total = total;
}

static double sum_value(const struct sum *sum)
{
    return sum->total + sum->lost;
}

/* MAGNITUDE is that of the greatest sample: samples that are equal up to rounding are equal. */
static double half_width95(double deviation, double n, double magnitude)
{
    if (n < CW_INTERVAL_SAMPLES || deviation <= 1e-12 * magnitude) return NAN;
    return cw_student_quantile(0.975, n - 1) * deviation / sqrt(n);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int check_sample(const double *values, size_t n)
{
    if (n == 0) return cw_fail(CW_EUSAGE, "a sample without values has no statistics");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return cw_fail(CW_EUSAGE, "value %zu of the sample is %g, not finite", i, values[i]);
    return 0;
}

static double mean_of(const double *values, size_t n)
{
    struct sum sum = {0};
    for (size_t i = 0; i < n; i++) sum_add(&sum, values[i]);
    return sum_value(&sum) / (double)n;
}

static double deviation_of(const double *values, size_t n, double mean)
{
    if (n < 2) return 0;
    struct sum squares = {0};
    for (size_t i = 0; i < n; i++) sum_add(&squares, (values[i] - mean) * (values[i] - mean));
    return sqrt(sum_value(&squares) / (double)(n - 1));
}

static void summarise_sorted(const double *sorted, size_t n, struct cw_summary *out)
{
    /* Summed in sorted order, equal samples give equal results to the last bit, whatever their order was. */
    const double mean = mean_of(sorted, n), deviation = deviation_of(sorted, n, mean);
    *out = (struct cw_summary){
        .n = n,
        .mean = mean,
        .deviation = deviation,
        .standard_error = deviation / sqrt((double)n),
        .ci95 = half_width95(deviation, (double)n, fmax(fabs(sorted[0]), fabs(sorted[n - 1]))),
        .min = sorted[0],
        .q25 = cw_quantile(sorted, n, 0.25),
        .median = cw_quantile(sorted, n, 0.5),
        .q75 = cw_quantile(sorted, n, 0.75),
        .max = sorted[n - 1],
    };
}

int cw_summarise_member(const double *first, size_t n, size_t stride, struct cw_summary *out)
{
    double *sorted = cw_new_array(n, sizeof *sorted, "a sorted sample");
    if (!sorted) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) sorted[i] = *(const double *)(const void *)((const char *)first + i * stride);
    const int rc = check_sample(sorted, n);
    if (!rc) {
        qsort(sorted, n, sizeof *sorted, compare);
        summarise_sorted(sorted, n, out);
    }
    free(sorted);
    return rc;
}

int cw_summarise(const double *values, size_t n, struct cw_summary *out)
{
    return cw_summarise_member(values, n, sizeof *values, out);
}

double cw_quantile(const double *sorted, size_t n, double q)
{
    if (n == 0 || !(q >= 0 && q <= 1)) return NAN;
    const double position = q * (double)(n - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= n) return sorted[n - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

void cw_running_add(struct cw_running *running, double value)
{
    if (running->n == 0) running->min = running->max = value;
    if (value < running->min) running->min = value;
    if (value > running->max) running->max = value;
    running->n++;
    const double before = value - running->mean;
    running->mean += before / (double)running->n;
    running->m2 += before * (value - running->mean);
}

void cw_running_merge(struct cw_running *into, const struct cw_running *other)
{
    if (other->n == 0) return;
    if (into->n == 0) {
        *into = *other;
        return;
    }
    const double n = (double)(into->n + other->n), share = (double)other->n / n;
    const double apart = other->mean - into->mean;
    into->m2 += other->m2 + apart * apart * (double)into->n * share;
    into->mean += apart * share;
    into->min = fmin(into->min, other->min);
    into->max = fmax(into->max, other->max);
    into->n += other->n;
}

double cw_running_deviation(const struct cw_running *running)
{
    return running->n > 1 ? sqrt(running->m2 / (double)(running->n - 1)) : 0;
}

double cw_running_ci95(const struct cw_running *running)
{
    return half_width95(cw_running_deviation(running), (double)running->n,
                        fmax(fabs(running->min), fabs(running->max)));
}
