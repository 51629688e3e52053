#include "mpi/bench/bench_noise_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"

static const struct cw_column columns[] = {
    {"operation", CW_COLUMN_TEXT, NULL, "what the application called"},
    {"bytes", CW_COLUMN_INT, "byte", "its size"},
    {"perturbation", CW_COLUMN_TEXT, NULL, "what the others exchanged"},
    {"perturbation_bytes", CW_COLUMN_INT, "byte", "the size of a message"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbation ratio"},
    {"state", CW_COLUMN_TEXT, NULL, "clean, perturbed or control"},
    {"blocks", CW_COLUMN_INT, NULL, "splits it was measured on"},
    {"samples", CW_COLUMN_INT, NULL, "calls that count"},
    {"late", CW_COLUMN_INT, NULL, "calls dropped because a rank was not ready"},
    {"uncovered", CW_COLUMN_INT, NULL, "calls dropped because they were not perturbed all the time"},
    {"q25", CW_COLUMN_REAL, "s", "a quarter of the calls took less", .prefixed = true},
    {"median", CW_COLUMN_REAL, "s", "half of the calls took less", .prefixed = true},
    {"q75", CW_COLUMN_REAL, "s", "three quarters of the calls took less", .prefixed = true},
    {"goodput", CW_COLUMN_REAL, "byte/s", "that a perturbing rank received, mean over blocks"},
};

static void add_row(const struct cw_bench_run *run, uint32_t c, enum cw_bench_state state, double *times,
                    struct cw_table *table)
{
    const struct cw_bench_case *one = &run->cases[c];
    size_t counts[CW_BENCH_STATUSES] = {0}, n = 0, blocks = 0;
    double goodput = 0;
    for (size_t b = 0; b < run->n_blocks; b++) {
        const struct cw_bench_block *block = &run->blocks[b];
        if (block->case_index != c || block->state != state) continue;
        blocks++;
        goodput += block->goodput;
        for (size_t i = block->first_sample; i < block->first_sample + block->n_samples; i++) {
            counts[run->samples[i].status]++;
            if (run->samples[i].status == CW_BENCH_OK) times[n++] = run->samples[i].time;
        }
    }
    struct cw_summary summary = {.q25 = NAN, .median = NAN, .q75 = NAN};
    if (blocks == 0) return;
    if (n > 0) cw_summarise(times, n, &summary);
    cw_table_text(table, one->operation);
    cw_table_int(table, (int64_t)one->bytes);
    cw_table_text(table, one->perturbation);
    cw_table_int(table, (int64_t)one->perturbation_bytes);
    cw_table_real(table, one->ratio);
    cw_table_text(table, cw_bench_state_names[state]);
    cw_table_int(table, (int64_t)blocks);
    cw_table_int(table, (int64_t)counts[CW_BENCH_OK]);
    cw_table_int(table, (int64_t)counts[CW_BENCH_LATE]);
    cw_table_int(table, (int64_t)counts[CW_BENCH_UNCOVERED]);
    cw_table_real(table, summary.q25);
    cw_table_real(table, summary.median);
    cw_table_real(table, summary.q75);
    cw_table_real(table, goodput / (double)blocks);
}

int noise_tables_add(const struct cw_bench_run *run, struct cw_result *result)
{
    struct cw_table *table;
    double *times = cw_new_array(run->n_samples, sizeof *times, "times");
    int rc = times ? cw_table_new("times", "Times of calls", columns, sizeof columns / sizeof *columns, &table) : -2;
    if (!rc) rc = cw_result_add_table(result, table);
    for (uint32_t c = 0; !rc && c < run->n_cases; c++)
        for (int state = 0; state < CW_BENCH_STATES; state++) add_row(run, c, (enum cw_bench_state)state, times, table);
    free(times);
    return rc;
}
