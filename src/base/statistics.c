#include "base/statistics.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
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

/*
 * The normal and Student's t distribution.
 *
 * Both are symmetric about 0, so only positive quantiles are computed. Near the median the equation is set up for the
 * probability between 0 and the quantile, further out for the tail beyond it: each is then far from cancellation.
 */

static const double CENTRAL = 0.25; /* up to this distance from 1/2 a probability is near the median */

static double log_gamma(double x)
{
    int sign; /* lgamma would write the sign to a global variable */
    return lgamma_r(x, &sign);
}

/* A start within 5e-4 of the normal quantile with upper tail TAIL ≤ 1/2
 * (Hastings; Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.23). */
static double normal_start(double tail)
{
    const double t = sqrt(-2 * log(tail));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* The z > 0 with probability CENTRE between 0 and z if that is at most CENTRAL, otherwise with TAIL beyond z. */
static double normal_upper(double centre, double tail)
{
    const bool central = centre <= CENTRAL;
    const double slope = sqrt(2 * M_PI); /* 1 / density at 0 */
    const double s = centre * slope;
    double z = central ? s * (1 + s * s / 6) : normal_start(tail);
    for (unsigned step = 0; step < 3; step++) { /* Halley: each step triples the number of right digits */
        const double excess = central ? centre - 0.5 * erf(z * M_SQRT1_2) : 0.5 * erfc(z * M_SQRT1_2) - tail;
        const double newton = excess * slope * exp(0.5 * z * z);
        z += newton / (1 - 0.5 * z * newton);
    }
    return z;
}

double cw_normal_quantile(double p)
{
    if (!(p > 0 && p < 1)) return NAN;
    return p < 0.5 ? -normal_upper(0.5 - p, p) : normal_upper(p - 0.5, 1 - p);
}

/* The continued fraction of the incomplete beta function (NIST DLMF 8.17.22, evaluated by Lentz's method),
 * converging fast for x < (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x)
{
    double numerator = 1, denominator = 1 / (1 - (a + b) * x / (a + 1)), value = denominator;
    for (double m = 1; m < 100000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        denominator = 1 / (1 + even * denominator);
        numerator = 1 + even / numerator;
        value *= denominator * numerator;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        denominator = 1 / (1 + odd * denominator);
        numerator = 1 + odd / numerator;
        const double factor = denominator * numerator;
        value *= factor;
        if (fabs(factor - 1) < DBL_EPSILON) break;
    }
    return value;
}

struct student {
    double dof;
    double log_scale; /* logarithm of the density at 0 */
};

/* t · density(t) for t > 0, without overflow for any t. */
static double scaled_density(const struct student *student, double t)
{
    const double scaled = t * t / student->dof;
    const double log_sum = scaled < 1 / DBL_EPSILON ? log1p(scaled) : 2 * log(t) - log(student->dof);
    return exp(student->log_scale + log(t) - 0.5 * (student->dof + 1) * log_sum);
}

/* The probability beyond T (TAIL) or between 0 and T > 0. With a = dof/2 and x = dof/(dof + t²) the two are half of
 * the incomplete beta functions I_x(a, 1/2) and I_(1-x)(1/2, a), which add up to 1; the common factor in front of
 * both continued fractions is x^a (1-x)^(1/2) / B(a, 1/2) = t · density(t). */
static double probability(const struct student *student, double t, bool tail)
{
    const double a = 0.5 * student->dof, scaled = t * t / student->dof, x = 1 / (1 + scaled);
    const double front = scaled_density(student, t);
    const bool from_tail = x < (a + 1) / (a + 2.5);
    const double part =
        from_tail ? front / student->dof * beta_fraction(a, 0.5, x) : front * beta_fraction(0.5, a, scaled * x);
    return tail == from_tail ? part : 0.5 - part;
}

/* Newton's method without safeguards: the probability between 0 and t is a concave function of t, and the logarithm
 * of the tail a concave function of log t, so from the second step on it nears the root from one side. */
static double student_upper(const struct student *student, double centre, double tail)
{
    if (centre == 0) return 0;
    const bool central = centre <= CENTRAL;
    double t = central ? centre * exp(-student->log_scale) : normal_upper(centre, tail);
    for (unsigned step = 0; step < 50; step++) {
        const double reached = probability(student, t, !central), slope = scaled_density(student, t);
        const double change = central ? (centre - reached) / slope : expm1(log(reached / tail) * reached / slope);
        t += t * change;
        if (fabs(change) < 1e-12) break;
    }
    return t;
}

/* For many degrees of freedom: the first terms of the Cornish–Fisher expansion (Abramowitz and Stegun, 26.7.5). */
static double student_nearly_normal(double z, double dof)
{
    const double w = z * z;
    const double first = (w + 1) / 4;
    const double second = ((5 * w + 16) * w + 3) / 96;
    const double third = (((3 * w + 19) * w + 17) * w - 15) / 384;
    return z * (1 + (first + (second + third / dof) / dof) / dof);
}

static struct student student_of(double dof)
{
    return (struct student){
        .dof = dof,
        .log_scale = log_gamma(0.5 * (dof + 1)) - log_gamma(0.5 * dof) - 0.5 * log(dof * M_PI),
    };
}

double cw_student_two_sided(double t, double dof)
{
    if (isnan(t) || !(dof >= 1)) return NAN;
    const struct student student = student_of(dof);
    if (t == 0) return 1;
    return isinf(t) ? 0 : 2 * probability(&student, fabs(t), true);
}

double cw_student_quantile(double p, double dof)
{
    static const double MANY = 2e4;
    if (!(p > 0 && p < 1 && dof >= 1)) return NAN;
    if (dof > MANY) return student_nearly_normal(cw_normal_quantile(p), dof);
    const struct student student = student_of(dof);
    return p < 0.5 ? -student_upper(&student, 0.5 - p, p) : student_upper(&student, p - 0.5, 1 - p);
}
