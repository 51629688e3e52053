/* Measures Crosswind's speed and compares it with what it should reach. Usage: bench [options]; see bench/README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/result.h"
#include "base/statistics.h"
#include "figures.h"
#include "flit_bench.h"

struct options {
    int64_t repetitions;
    int format;
    bool help;
};

static const char *const formats[] = {"text", "csv", "json", NULL};

static const struct cw_option option_table[] = {
    {.name = "repetitions",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct options, repetitions),
     .value_name = "N",
     .default_text = "7",
     .min = 1,
     .max = 1000,
     .help = "how often each figure is measured"},
    {.name = "format",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct options, format),
     .default_text = "text",
     .choices = formats,
     .help = "form of the table"},
    {.name = "help", .type = CW_OPTION_FLAG, .offset = offsetof(struct options, help), .help = "show this text"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "what was measured"},
    {"median", CW_COLUMN_REAL, NULL, "median over repetitions"},
    {"min", CW_COLUMN_REAL, NULL, "least of them"},
    {"max", CW_COLUMN_REAL, NULL, "greatest of them"},
    {"unit", CW_COLUMN_TEXT, NULL, "of these and of the target"},
    {"target", CW_COLUMN_TEXT, NULL, "what the median should be"},
    {"met", CW_COLUMN_TEXT, NULL, "whether it is"},
};

static size_t count_figures(void)
{
    size_t n = 0;
    while (figures[n].what) n++;
    return n;
}

/* One repetition: each figure once, in reverse order if BACKWARDS, so that none always comes after the same other. */
static int repeat(struct lab *lab, size_t n, bool backwards, double *values)
{
    int rc = 0;
    for (size_t k = 0; k < n && !rc; k++) {
        const size_t i = backwards ? n - 1 - k : k;
        if (figures[i].sample) rc = figures[i].sample(lab, &values[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (!figures[i].sample) values[i] = values[figures[i].over] / values[figures[i].under];
    return rc;
}

/* Repetition r leaves its figures in VALUES[r · n]. The giants come first, while this process is small; a repetition
 * before the first warms up. */
static int measure(size_t repetitions, size_t n, double *values)
{
    struct lab lab = {0};
    struct giant *giants = cw_new_array(repetitions, sizeof *giants, "figures");
    int rc = giants ? 0 : CW_ENOMEM;
    for (size_t r = 0; r < repetitions && !rc; r++) rc = giant_run(&giants[r]);
    if (!rc) rc = lab_open(&lab);
    if (!rc) rc = repeat(&lab, n, false, values);
    for (size_t r = 0; r < repetitions && !rc; r++) {
        lab.giant = giants[r];
        rc = repeat(&lab, n, r % 2 == 1, values + r * n);
    }
    lab_close(&lab);
    free(giants);
    return rc;
}

static void add_target(struct cw_table *table, const struct figure *figure, double median)
{
    char text[32];
    if (figure->sense == NO_TARGET) {
        cw_table_none(table);
        cw_table_none(table);
        return;
    }
    const bool at_least = figure->sense == AT_LEAST;
    snprintf(text, sizeof text, "%s %g", at_least ? "≥" : "≤", figure->target);
    cw_table_text(table, text);
    cw_table_text(table, (at_least ? median >= figure->target : median <= figure->target) ? "yes" : "no");
}

static int add_row(struct cw_table *table, size_t i, size_t repetitions, size_t n, const double *values)
{
    struct cw_summary summary;
    double *column = cw_new_array(repetitions, sizeof *column, "figures");
    if (!column) return CW_ENOMEM;
    for (size_t r = 0; r < repetitions; r++) column[r] = values[r * n + i];
    const int rc = cw_summarise(column, repetitions, &summary);
    free(column);
    if (rc) return rc;
    cw_table_text(table, figures[i].what);
    cw_table_real(table, summary.median);
    cw_table_real(table, summary.min);
    cw_table_real(table, summary.max);
    cw_table_text(table, figures[i].unit);
    add_target(table, &figures[i], summary.median);
    return 0;
}

/* The processor's name, or "unknown processor". */
static void describe_processor(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
}

/* LOAD is the mean number of running processes in the minute before the first measurement. */
static void note_machine(struct cw_result *result, double load)
{
    char processor[128];
    describe_processor(processor, sizeof processor);
    cw_result_note(result, "%s, %u cores; load before the first measurement %.2f.", processor,
                   cw_parallel_threads(0, SIZE_MAX), load);
    if (load > 0.5) cw_result_note(result, "Others were computing: times are too long and speed-ups too low.");
}

static int write_result(const struct options *options, size_t n, const double *values, double load)
{
    const size_t repetitions = (size_t)options->repetitions;
    struct cw_result *result;
    struct cw_table *table;
    struct cw_text text = {0};
    int rc = cw_result_new(&result);
    if (rc) return rc;
    rc = cw_table_new("bench", "Speed, median of repetitions", columns, sizeof columns / sizeof *columns, &table);
    if (!rc) {
        for (size_t i = 0; i < n && !rc; i++) rc = add_row(table, i, repetitions, n, values);
        const int added = cw_result_add_table(result, table);
        if (!rc) rc = added;
    }
    if (!rc) rc = flit_bench(repetitions, result);
    note_machine(result, load);
    if (!rc) rc = cw_result_write(result, (enum cw_format)options->format, 0, &text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    cw_result_free(result);
    return rc;
}

static int show_help(void)
{
    struct cw_text text = {0};
    cw_text_add(&text, "Usage: bench [options]\n\n");
    cw_options_help(option_table, true, true, &text);
    const int rc = cw_text_check(&text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    return rc;
}

static int run(const struct options *options)
{
    if (options->help) return show_help();
    const size_t n = count_figures();
    double load = 0, *values = cw_new_array((size_t)options->repetitions * n, sizeof *values, "figures");
    if (!values) return CW_ENOMEM;
    getloadavg(&load, 1);
    int rc = measure((size_t)options->repetitions, n, values);
    if (!rc) rc = write_result(options, n, values, load);
    free(values);
    return rc;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    const struct cw_option_group group = {option_table, &options};
    struct cw_arguments arguments = {0};
    int rc = cw_options_init(option_table, &options);
    if (!rc) rc = cw_options_parse_arguments("bench", &group, 1, argc - 1, argv + 1, NULL, &arguments);
    if (!rc) rc = run(&options);
    if (rc) fprintf(stderr, "bench: %s\n", cw_error_message());
    cw_arguments_free(&arguments);
    return rc == CW_EUSAGE ? 2 : rc ? 1 : 0;
}
