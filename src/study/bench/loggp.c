#include "study/bench/loggp.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "report/rows.h"
#include "study/bench/fits.h"

size_t cw_loggp_width(size_t n_sizes)
{
    return CW_LOGGP_LARGE + 2 * n_sizes;
}

static const double *times_of(const struct cw_loggp_rounds *rounds, size_t round)
{
    return rounds->times + round * cw_loggp_width(rounds->n_sizes);
}

/* From one message to the next, where a time is ONE and that of all of them MANY. */
static double apart(const struct cw_loggp_rounds *rounds, double one, double many)
{
    return (many - one) / (rounds->messages - 1);
}

int cw_loggp_fit(const struct cw_loggp_rounds *rounds, size_t round, double out[CW_LOGGP_PARAMETERS])
{
    const size_t n = rounds->n_sizes;
    const double *times = times_of(rounds, round), *large = times + CW_LOGGP_LARGE;
    struct cw_line line;
    double *x = cw_new_array(2 * n, sizeof *x, "round trips"), *y = x + n;
    if (!x) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)rounds->bytes[i];
        y[i] = apart(rounds, large[2 * i], large[2 * i + 1]);
    }
    const int rc = cw_line_fit(x, y, n, &line);
    free(x);
    if (rc) return rc;
    out[CW_LOGGP_O] = apart(rounds, times[CW_LOGGP_ALONE], times[CW_LOGGP_PACED]) - rounds->delay;
    out[CW_LOGGP_SMALL_G] = apart(rounds, times[CW_LOGGP_ALONE], times[CW_LOGGP_MANY]);
    out[CW_LOGGP_G] = line.slope.value;
    out[CW_LOGGP_L] = times[CW_LOGGP_ALONE] / 2 - 2 * out[CW_LOGGP_O];
    return 0;
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *unit, *help;
} parameters[] = {
    [CW_LOGGP_L] = {"L", "s", "latency"},
    [CW_LOGGP_O] = {"o", "s", "overhead, at each end"},
    [CW_LOGGP_SMALL_G] = {"g", "s", "gap between small messages"},
    [CW_LOGGP_G] = {"G", "s/byte", "gap for each byte"},
};

static const struct cw_column parameter_columns[] = {
    {"parameter", CW_COLUMN_TEXT, NULL, "L, o, g or G of the LogGP model; o is that of one end"},
    {"meaning", CW_COLUMN_TEXT, NULL, "in words"},
    {"value", CW_COLUMN_REAL, NULL, "median over rounds"},
    {"low", CW_COLUMN_REAL, NULL, "lower end of its 95 % confidence interval; empty for fewer than 6 rounds"},
    {"high", CW_COLUMN_REAL, NULL, "upper end"},
    {"unit", CW_COLUMN_TEXT, NULL, "of the three: s or s/byte"},
};

static const struct cw_column size_columns[] = {
    {"bytes", CW_COLUMN_INT, "byte", "size of a message"},
    {"one_way", CW_COLUMN_REAL, "s", "half the round trip of a message alone, median"},
    {"one_way_low", CW_COLUMN_REAL, "s", "lower end of its 95 % confidence interval"},
    {"one_way_high", CW_COLUMN_REAL, "s", "upper end"},
    {"apart", CW_COLUMN_REAL, "s", "time from one message to the next in a row, median"},
    {"rate", CW_COLUMN_REAL, "byte/s", "bytes / apart"},
    {"one_way_of_model", CW_COLUMN_REAL, "s", "L + 2o + bytes x G"},
};

/* The median of N values, which it sorts. */
static struct cw_estimate median(double *values, size_t n)
{
    cw_sort_reals(values, n);
    return cw_quantile_estimate(values, n, 0.5, 0.95);
}

/* The medians over rounds. WORK has room for a number of each round. */
static int find(const struct cw_loggp_rounds *rounds, double *work, struct cw_estimate found[CW_LOGGP_PARAMETERS])
{
    for (size_t p = 0; p < CW_LOGGP_PARAMETERS; p++) {
        for (size_t r = 0; r < rounds->n; r++) {
            double of_round[CW_LOGGP_PARAMETERS];
            const int rc = cw_loggp_fit(rounds, r, of_round);
            if (rc) return rc;
            work[r] = of_round[p];
        }
        found[p] = median(work, rounds->n);
    }
    return 0;
}

/* A row for messages of SIZE, whose times are at ONE and MANY of a round. */
static void add_size(const struct cw_loggp_rounds *rounds, uint64_t size, size_t one, size_t many,
                     const struct cw_estimate *found, double *work, struct cw_table *table)
{
    const double bytes = (double)size;
    for (size_t r = 0; r < rounds->n; r++) work[r] = times_of(rounds, r)[one] / 2;
    const struct cw_estimate way = median(work, rounds->n);
    for (size_t r = 0; r < rounds->n; r++) work[r] = apart(rounds, times_of(rounds, r)[one], times_of(rounds, r)[many]);
    const double next = median(work, rounds->n).value;
    cw_table_row(table, "%zu %g %g %g %g %g %g", (size_t)size, way.value, way.low, way.high, next, bytes / next,
                 found[CW_LOGGP_L].value + 2 * found[CW_LOGGP_O].value + bytes * found[CW_LOGGP_G].value);
}

static void add_notes(const struct cw_loggp_rounds *rounds, const char *who, const struct cw_estimate *found,
                      struct cw_result *result)
{
    const double latency = fmax(0, found[CW_LOGGP_L].value); /* L + 2o is what is sure */
    const double overhead = found[CW_LOGGP_L].value + 2 * found[CW_LOGGP_O].value - latency;
    cw_result_note(result, "For crosswind noise: --time loggp --L %.4gus --o %.4gus --G %.4gns", 1e6 * latency,
                   1e6 * overhead, 1e9 * fmax(0, found[CW_LOGGP_G].value));
    cw_result_note(result,
                   "Measured between %s, in %zu rounds of parametrised round trips (Hoefler, Lichei and Rehm 2007), %u "
                   "messages in a row.",
                   who, rounds->n, rounds->messages);
    if (found[CW_LOGGP_L].value < 0)
        cw_result_note(result, "L is negative: sending and receiving take longer alone than a message takes in all, as "
                               "where both ends share a processor. L + 2o is what a small message takes.");
}

int cw_loggp_show(const struct cw_loggp_rounds *rounds, const char *who, struct cw_result *result)
{
    struct cw_estimate found[CW_LOGGP_PARAMETERS];
    struct cw_table *table;
    double *work = cw_new_array(rounds->n, sizeof *work, "parameters");
    int rc = work ? find(rounds, work, found) : CW_ENOMEM;
    if (!rc) rc = cw_result_new_table(result, "loggp", "LogGP parameters", CW_ITEMS(parameter_columns), &table);
    for (size_t p = 0; !rc && p < CW_LOGGP_PARAMETERS; p++)
        cw_table_row(table, "%s %s %g %g %g %s", parameters[p].name, parameters[p].help, found[p].value, found[p].low,
                     found[p].high, parameters[p].unit);
    if (!rc) rc = cw_result_new_table(result, "sizes", "Messages by size", CW_ITEMS(size_columns), &table);
    if (!rc) add_size(rounds, 1, CW_LOGGP_ALONE, CW_LOGGP_MANY, found, work, table);
    for (size_t i = 0, at = CW_LOGGP_LARGE; !rc && i < rounds->n_sizes; i++, at += 2)
        add_size(rounds, rounds->bytes[i], at, at + 1, found, work, table);
    if (!rc) add_notes(rounds, who, found, result);
    free(work);
    return rc;
}
