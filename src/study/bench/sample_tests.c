#include "study/bench/sample_tests.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"

struct placed {
    double value;
    size_t at;
};

static int compare(const void *left, const void *right)
{
    const double a = ((const struct placed *)left)->value, b = ((const struct placed *)right)->value;
    return (a > b) - (a < b);
}

int cw_ranks_of_values(const double *values, size_t n, double *ranks, double *ties)
{
    struct placed *sorted = cw_new_array(n, sizeof *sorted, "ranks of values");
    if (!sorted) return CW_ENOMEM;
    double cubes = 0;
    for (size_t i = 0; i < n; i++) sorted[i] = (struct placed){values[i], i};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end].value == sorted[i].value;) end++;
        const double equal = (double)(end - i);
        for (size_t k = i; k < end; k++) ranks[sorted[k].at] = 0.5 * (double)(i + 1 + end);
        cubes += equal * equal * equal - equal;
    }
    free(sorted);
    if (ties) *ties = cubes;
    return 0;
}

/* --- rank sum ----------------------------------------------------------------------------------------------------- */

#define EXACT_VALUES 60 /* of both samples: counts stay below 2^57, exact in a double but for their last bits */

/* The probability that U is at most LIMIT if all ways to choose N_A of N ranks are alike: ways[k][u] counts those to
 * choose k of the ranks so far so that they exceed their least possible sum by u. */
static int exact_lower_tail(size_t n_a, size_t n_b, size_t limit, double *out)
{
    const size_t n = n_a + n_b, width = n_a * n_b + 1;
    double *ways = cw_new_array((n_a + 1) * width, sizeof *ways, "ways to choose ranks");
    if (!ways) return CW_ENOMEM;
    ways[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t k = rank < n_a ? rank : n_a; k >= 1; k--) {
            const size_t excess = rank - k; /* of this rank as the k-th chosen */
            for (size_t u = excess; u < width; u++) ways[k * width + u] += ways[(k - 1) * width + u - excess];
        }
    double lower = 0, all = 0;
    for (size_t u = 0; u < width; u++) {
        all += ways[n_a * width + u];
        if (u <= limit) lower += ways[n_a * width + u];
    }
    free(ways);
    *out = lower / all;
    return 0;
}

static double normal_p(double u, double n_a, double n_b, double ties)
{
    const double n = n_a + n_b, mean = 0.5 * n_a * n_b;
    const double variance = n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)));
    if (!(variance > 0)) return 1;
    const double apart = fmax(0, fabs(u - mean) - 0.5);
    return erfc(apart / sqrt(2 * variance));
}

static int rank_sum(const double *values, size_t n_a, size_t n_b, double *ranks, struct cw_rank_sum *out)
{
    double ties, sum = 0, tail;
    int rc = cw_ranks_of_values(values, n_a + n_b, ranks, &ties);
    if (rc) return rc;
    for (size_t i = 0; i < n_a; i++) sum += ranks[i];
    out->u = sum - 0.5 * (double)n_a * (double)(n_a + 1);
    out->exact = ties == 0 && n_a + n_b <= EXACT_VALUES;
    if (!out->exact) {
        out->p = normal_p(out->u, (double)n_a, (double)n_b, ties);
        return 0;
    }
    const double smaller = fmin(out->u, (double)n_a * (double)n_b - out->u);
    rc = exact_lower_tail(n_a, n_b, (size_t)smaller, &tail);
    if (!rc) out->p = fmin(1, 2 * tail);
    return rc;
}

int cw_rank_sum_test(const double *a, size_t n_a, const double *b, size_t n_b, struct cw_rank_sum *out)
{
    struct cw_rank_sum result = {.p = 1};
    int rc = 0;
    if (n_a > 0 && n_b > 0) {
        double *values = cw_new_array(2 * (n_a + n_b), sizeof *values, "two samples");
        if (!values) return CW_ENOMEM;
        memcpy(values, a, n_a * sizeof *a);
        memcpy(values + n_a, b, n_b * sizeof *b);
        rc = rank_sum(values, n_a, n_b, values + n_a + n_b, &result);
        free(values);
    }
    if (!rc) *out = result;
    return rc;
}

/* --- signed ranks ------------------------------------------------------------------------------------------------- */

/* The probability that the ranks 1 … N, each above 0 or not with equal chances, sum up to LIMIT at most. */
static int exact_signed_tail(size_t n, size_t limit, double *out)
{
    const size_t width = n * (n + 1) / 2 + 1;
    double *chance = cw_new_array(width, sizeof *chance, "sums of ranks"), lower = 0;
    if (!chance) return CW_ENOMEM;
    chance[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t sum = width; sum-- > 0;) chance[sum] = 0.5 * (chance[sum] + (sum >= rank ? chance[sum - rank] : 0));
    for (size_t sum = 0; sum <= limit; sum++) lower += chance[sum];
    free(chance);
    *out = lower;
    return 0;
}

static double normal_signed_p(double v, double n, double ties)
{
    const double mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    return erfc(fmax(0, fabs(v - mean) - 0.5) / sqrt(2 * variance));
}

/* SIZES [n] and RANKS [n] of the differences, of which ABOVE says which are above 0. */
static int signed_rank(const double *sizes, const bool *above, double *ranks, struct cw_signed_rank *out)
{
    const size_t n = out->n;
    double ties, tail;
    int rc = cw_ranks_of_values(sizes, n, ranks, &ties);
    if (rc) return rc;
    for (size_t i = 0; i < n; i++) out->v += above[i] ? ranks[i] : 0;
    out->exact = ties == 0 && n <= EXACT_VALUES;
    if (!out->exact) {
        out->p = normal_signed_p(out->v, (double)n, ties);
        return 0;
    }
    const double smaller = fmin(out->v, 0.5 * (double)(n * (n + 1)) - out->v);
    rc = exact_signed_tail(n, (size_t)smaller, &tail);
    if (!rc) out->p = fmin(1, 2 * tail);
    return rc;
}

int cw_signed_rank_test(const double *differences, size_t n, struct cw_signed_rank *out)
{
    struct cw_signed_rank result = {.p = 1};
    double *sizes = cw_new_array(2 * n, sizeof *sizes, "differences");
    bool *above = cw_new_array(n, sizeof *above, "differences");
    int rc = sizes && above ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) {
        if (differences[i] == 0) continue;
        above[result.n] = differences[i] > 0;
        sizes[result.n++] = fabs(differences[i]);
    }
    if (!rc && result.n > 0) rc = signed_rank(sizes, above, sizes + n, &result);
    free(sizes);
    free(above);
    if (!rc) *out = result;
    return rc;
}

/* --- Spearman ----------------------------------------------------------------------------------------------------- */

#define ALL_PERMUTATIONS 8 /* pairs: 40,320 permutations */

/* The sum of the products of what X and Y differ from MEAN. */
static double co_moment(const double *x, const double *y, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (y[i] - mean);
    return sum;
}

/* How many of all permutations of Y [n], from place AT on, are as far from independence as LEAST. */
static size_t count_as_far(const double *x, double *y, size_t n, size_t at, double mean, double least, size_t *all)
{
    size_t found = 0;
    if (at == n) {
        ++*all;
        return fabs(co_moment(x, y, n, mean)) >= least;
    }
    for (size_t i = at; i < n; i++) {
        const double here = y[at];
        y[at] = y[i];
        y[i] = here;
        found += count_as_far(x, y, n, at + 1, mean, least, all);
        y[i] = y[at];
        y[at] = here;
    }
    return found;
}

static double spearman_p(const double *x, double *y, size_t n, double r)
{
    const double mean = 0.5 * (double)(n + 1);
    if (n <= ALL_PERMUTATIONS) {
        size_t all = 0;
        const double least = fabs(co_moment(x, y, n, mean)) - 1e-9; /* equal up to rounding is equal */
        const size_t found = count_as_far(x, y, n, 0, mean, least, &all);
        return (double)found / (double)all;
    }
    const double dof = (double)n - 2;
    return r * r < 1 ? cw_student_two_sided(r * sqrt(dof / (1 - r * r)), dof) : 0;
}

static struct cw_spearman correlate(const double *x, double *y, size_t n)
{
    struct cw_spearman result = {.n = n, .r = NAN, .low = NAN, .high = NAN, .p = NAN};
    const double mean = 0.5 * (double)(n + 1);
    const double xx = co_moment(x, x, n, mean), yy = co_moment(y, y, n, mean);
    if (!(xx > 0 && yy > 0)) return result;
    result.r = fmax(-1, fmin(1, co_moment(x, y, n, mean) / sqrt(xx * yy)));
    result.p = spearman_p(x, y, n, result.r);
    if (n < CW_INTERVAL_SAMPLES) return result;
    const double half = cw_normal_quantile(0.975) * sqrt((1 + 0.5 * result.r * result.r) / ((double)n - 3));
    result.low = tanh(atanh(result.r) - half);
    result.high = tanh(atanh(result.r) + half);
    return result;
}

int cw_spearman_of(const double *x, const double *y, size_t n, struct cw_spearman *out)
{
    double *ranks = cw_new_array(2 * n, sizeof *ranks, "ranks of pairs");
    if (!ranks) return CW_ENOMEM;
    int rc = cw_ranks_of_values(x, n, ranks, NULL);
    if (!rc) rc = cw_ranks_of_values(y, n, ranks + n, NULL);
    if (!rc) *out = correlate(ranks, ranks + n, n);
    free(ranks);
    return rc;
}

/* --- normality ---------------------------------------------------------------------------------------------------- */

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
