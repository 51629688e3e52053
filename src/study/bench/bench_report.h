/*
 * Tables and sentences of an analysed run, for whoever shows it: crosswind analyse, and crosswind-mpi at the end of a
 * run. doc/formats/results.md has the columns.
 */
#ifndef CW_STUDY_BENCH_BENCH_REPORT_H
#define CW_STUDY_BENCH_BENCH_REPORT_H

#include "base/result.h"
#include "study/bench/bench_analysis.h"

CW_BEGIN_DECLS

/* Adds to RESULT the tables "slowdown" (up to three rows a case), "times" (a row a case and state) and, where there are
 * three ratios, "fit"; then notes: what a reader may conclude, and what not. 0 or an error of the tables. */
int cw_bench_report(const struct cw_bench_analysis *analysis, struct cw_result *result);

/* Adds those notes alone. */
void cw_bench_report_notes(const struct cw_bench_analysis *analysis, struct cw_result *result);

/* "allreduce of 8 B at ratio 0.5", into TEXT. */
#define CW_BENCH_WORDS_SIZE 96
const char *cw_bench_case_words(const struct cw_bench_case *one, char text[CW_BENCH_WORDS_SIZE]);

/* The cells every table of cases begins with, and their columns. */
#define CW_BENCH_CASE_COLUMNS                                                                                          \
    {"operation", CW_COLUMN_TEXT, NULL, "Collective operation"},                                                       \
        {"bytes", CW_COLUMN_INT, "byte", "Size of the operation"},                                                     \
        {"root", CW_COLUMN_INT, NULL, "Root among the application's ranks", .detail = true},                           \
        {"perturbation", CW_COLUMN_TEXT, NULL, "Who perturbs whom"},                                                   \
        {"perturbation_bytes", CW_COLUMN_INT, "byte", "Size of a perturbing message", .detail = true},                 \
    {                                                                                                                  \
        "ratio", CW_COLUMN_REAL, NULL, "Perturbation ratio"                                                            \
    }
void cw_bench_case_cells(struct cw_table *table, const struct cw_bench_case *one);

/* Three cells: value, low, high. */
void cw_bench_estimate_cells(struct cw_table *table, const struct cw_estimate *estimate);

CW_END_DECLS

#endif
