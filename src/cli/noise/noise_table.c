#include "cli/noise/noise_table.h"

#include <stdio.h>

#include "base/units.h"
#include "cli/interval_note.h"
#include "report/rows.h"

#define HALF_WIDTH "half width of its 95 % confidence interval"

/* The columns of both times: what differs is the unit of times, and that messages have a size in seconds only. */
#define COLUMNS(UNIT, SECONDS)                                                                                         \
    {                                                                                                                  \
        {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},                                  \
            {"bytes", CW_COLUMN_INT, "byte", "each rank's message (--bytes); missing in unit time",                    \
             .detail = !(SECONDS)},                                                                                    \
            {"trials", CW_COLUMN_INT, NULL, "random trials", .detail = true},                                          \
            {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed time / clean time, mean over trials"},                  \
            {"slowdown_ci95", CW_COLUMN_REAL, NULL, HALF_WIDTH, .interval = true},                                     \
            {"slowdown_min", CW_COLUMN_REAL, NULL, "least slowdown of a trial"},                                       \
            {"slowdown_q25", CW_COLUMN_REAL, NULL, "first quartile of the slowdown"},                                  \
            {"slowdown_median", CW_COLUMN_REAL, NULL, "median of the slowdown"},                                       \
            {"slowdown_q75", CW_COLUMN_REAL, NULL, "third quartile of the slowdown"},                                  \
            {"slowdown_max", CW_COLUMN_REAL, NULL, "greatest slowdown of a trial"},                                    \
            {"clean_mean", CW_COLUMN_REAL, UNIT, "time without perturbation, mean over trials"},                       \
            {"clean_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                        \
            {"perturbed_mean", CW_COLUMN_REAL, UNIT, "time with perturbation, mean over trials"},                      \
            {"perturbed_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                    \
            {"overhead_mean", CW_COLUMN_REAL, UNIT, "perturbed - clean time, mean over trials"},                       \
            {"overhead_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                     \
    }

#define SAMPLE_COLUMNS(UNIT)                                                                                           \
    {                                                                                                                  \
        {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},                                  \
            {"bytes", CW_COLUMN_INT, "byte", "each rank's message (--bytes); missing in unit time"},                   \
            {"trial", CW_COLUMN_INT, NULL, "number of the trial, from 1, for --case"},                                 \
            {"clean", CW_COLUMN_REAL, UNIT, "time without perturbation"},                                              \
            {"perturbed", CW_COLUMN_REAL, UNIT, "time with perturbation"},                                             \
            {"slowdown", CW_COLUMN_REAL, NULL, "perturbed / clean"},                                                   \
    }

/* clang-format off */
static const struct cw_column unit_columns[] = COLUMNS(NULL, false);
static const struct cw_column loggp_columns[] = COLUMNS("s", true);
static const struct cw_column unit_sample_columns[] = SAMPLE_COLUMNS(NULL);
static const struct cw_column loggp_sample_columns[] = SAMPLE_COLUMNS("s");
/* clang-format on */

int noise_table_new(const struct noise_plan *plan, const char *title, struct cw_table **out)
{
    const bool loggp = plan->values->time == NOISE_LOGGP;
    return cw_table_new("noise", title, loggp ? loggp_columns : unit_columns,
                        sizeof unit_columns / sizeof *unit_columns, out);
}

static void add_bytes(struct cw_table *table, const struct noise_plan *plan)
{
    if (plan->values->time == NOISE_LOGGP)
        cw_table_int(table, (int64_t)plan->setup.collective.bytes);
    else
        cw_table_none(table);
}

void noise_table_add(struct cw_table *table, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    cw_table_real(table, plan->setup.ratio);
    add_bytes(table, plan);
    cw_table_row(table, "%zu %g %g %g %g %g %g %g", plan->setup.trials, row->slowdown.mean, row->slowdown.ci95,
                 row->slowdown.min, row->slowdown.q25, row->slowdown.median, row->slowdown.q75, row->slowdown.max);
    const struct cw_summary *times[] = {&row->clean, &row->perturbed, &row->overhead};
    for (int i = 0; i < 3; i++) {
        cw_table_real(table, times[i]->mean);
        cw_table_real(table, times[i]->ci95);
    }
}

int noise_samples_new(const struct noise_plan *plan, struct cw_table **out)
{
    const bool loggp = plan->values->time == NOISE_LOGGP;
    return cw_table_new("samples", NULL, loggp ? loggp_sample_columns : unit_sample_columns,
                        sizeof unit_sample_columns / sizeof *unit_sample_columns, out);
}

void noise_samples_add(struct cw_table *table, const struct noise_plan *plan)
{
    for (size_t i = 0; i < plan->setup.trials; i++) {
        const struct cw_times *times = &plan->setup.samples[i];
        cw_table_real(table, plan->setup.ratio);
        add_bytes(table, plan);
        cw_table_row(table, "%zu %g %g %g", i + 1, times->clean, times->perturbed, times->perturbed / times->clean);
    }
}

/* "ratio 0.5", or "ratio 0.5 and 8 B". */
static const char *row_words(const struct noise_plan *plan, char *buffer, size_t size)
{
    char bytes[32];
    const bool loggp = plan->values->time == NOISE_LOGGP;
    snprintf(buffer, size, "ratio %g%s%s", plan->setup.ratio, loggp ? " and " : "",
             loggp ? cw_format_bytes(plan->setup.collective.bytes, bytes, sizeof bytes) : "");
    return buffer;
}

void noise_note_row(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    const struct cw_summary *slowdown = &row->slowdown;
    char confidence[64], words[80], quarter[80] = "";
    /* Of small messages bandwidth is a small part of the time. */
    const int places = plan->values->time == NOISE_LOGGP && slowdown->mean < 1.01 ? 4 : 2;
    if (slowdown->n < 2) return; /* one trial says nothing of the others */
    if (slowdown->n >= CW_INTERVAL_SAMPLES)
        snprintf(quarter, sizeof quarter, " In one trial in four, it takes at least %.*f times as long.", places,
                 slowdown->q75);
    cw_result_note(result,
                   "At %s, the traffic of %u perturbing endpoints makes %s among the other %u take %.*f times as "
                   "long on average%s.%s",
                   row_words(plan, words, sizeof words), row->perturbing, cw_schedule_spec(plan->schedule),
                   row->application, places, slowdown->mean,
                   confidence_words(slowdown, 1, places, confidence, sizeof confidence), quarter);
}

void noise_note_silence(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    if (row->perturbing > 1)
        cw_result_note(result, "At ratio %g, nothing perturbs: %s among %u endpoints has no messages.",
                       plan->setup.ratio, cw_pattern_spec(plan->background), row->perturbing);
    else
        cw_result_note(result, "At ratio %g, %s of %u endpoints perturbs%s.", plan->setup.ratio,
                       row->perturbing == 1 ? "only one" : "none", row->application + row->perturbing,
                       row->perturbing == 1 ? ", and it has nobody to send to" : "");
}
