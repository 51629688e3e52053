#include "cli/split_tree/split_tree_table.h"

#include <math.h>

/* Of text; whoever has more cores looks at CSV. */
#define BEST_ROWS 128

static const struct cw_column columns[] = {
    {"cores", CW_COLUMN_INT, NULL, "cores of the machine"},
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute"},
    {"blocking", CW_COLUMN_REAL, "transfer", "a blocking collective alone"},
    {"non_blocking", CW_COLUMN_REAL, "transfer", "the split tree alone"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"best", CW_COLUMN_TEXT, NULL, "yes: the best S for this N; least: of all; no"},
    {"slices", CW_COLUMN_REAL, "transfer", "slices and the computation"},
    {"simulated", CW_COLUMN_REAL, "transfer", "the split tree alone, simulated"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, simulated"},
    {"emulated_overlapped", CW_COLUMN_REAL, "transfer", "the same by the scheduler of libcrosswind-nbc, emulated"},
};

int split_tree_table(const struct cw_split_points *points, struct cw_table **out)
{
    const size_t n_columns =
        sizeof columns / sizeof *columns - (points->about.simulated ? 0 : 2) - (points->about.unit > 0 ? 0 : 1);
    const struct cw_split_model *model = &points->about.model;
    struct cw_table *table;
    const int rc = cw_table_new("split_tree", "Every N and S", columns, n_columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        cw_table_int(table, model->cores);
        cw_table_int(table, point->n);
        cw_table_int(table, model->cores - point->n);
        cw_table_int(table, point->steps);
        cw_table_real(table, point->times.blocking);
        cw_table_real(table, point->times.non_blocking);
        cw_table_real(table, point->times.overlapped);
        cw_table_real(table, point->times.compute);
        cw_table_text(table, i == points->least ? "least" : point->best ? "yes" : "no");
        cw_table_real(table, cw_split_slices_of(model, point->n).overlapped);
        if (!points->about.simulated) continue;
        cw_table_real(table, point->simulated);
        cw_table_real(table, point->simulated_overlapped);
        if (points->about.unit > 0) cw_table_real(table, point->emulated_overlapped);
    }
    *out = table;
    return 0;
}

static const struct cw_column best_columns[] = {
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"one_after_another", CW_COLUMN_REAL, "transfer", "a blocking collective and the computation"},
    {"best_steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute, the best number"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree with this S, and the computation"},
    {"slices", CW_COLUMN_REAL, "transfer", "slices and the computation"},
    {"slices_fraction", CW_COLUMN_REAL, NULL,
     "share of the bytes that communication cores transfer with slices: F of the schedule slices:F"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, simulated"},
};

int split_tree_best_table(const struct cw_split_points *points, struct cw_table **out)
{
    const size_t n_columns = sizeof best_columns / sizeof *best_columns - (points->about.simulated ? 0 : 1);
    const struct cw_split_model *model = &points->about.model;
    struct cw_table *table;
    const int rc = cw_table_new("best", "The best S for each N", best_columns, n_columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (!point->best) continue;
        const struct cw_split_slices slices = cw_split_slices_of(model, point->n);
        cw_table_int(table, point->n);
        cw_table_int(table, model->cores - point->n);
        cw_table_real(table, point->times.compute);
        cw_table_real(table, point->times.compute + point->times.blocking);
        cw_table_int(table, point->steps);
        cw_table_real(table, point->times.overlapped);
        cw_table_real(table, slices.overlapped);
        cw_table_real(table, 1 - slices.fraction);
        if (points->about.simulated) cw_table_real(table, point->simulated_overlapped);
    }
    cw_table_cut_text(table, BEST_ROWS);
    *out = table;
    return 0;
}

static const struct cw_column executed_columns[] = {
    {"cores", CW_COLUMN_INT, NULL, "cores of the machine that is emulated"},
    {"application_cores", CW_COLUMN_INT, NULL, "N: cores that compute, a rank on each"},
    {"communication_cores", CW_COLUMN_INT, NULL, "P: the others"},
    {"steps", CW_COLUMN_INT, NULL, "S: levels of the tree that application cores execute"},
    {"compute", CW_COLUMN_REAL, "transfer", "the computation alone"},
    {"overlapped", CW_COLUMN_REAL, "transfer", "the split tree and the computation, by the model"},
    {"simulated_overlapped", CW_COLUMN_REAL, "transfer", "the same, simulated"},
    {"emulated_overlapped", CW_COLUMN_REAL, "transfer", "the same, emulated"},
};

int split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out)
{
    struct cw_table *table;
    const int rc = cw_table_new("emulation", "Split trees, emulated", executed_columns,
                                sizeof executed_columns / sizeof *executed_columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (isnan(point->emulated_overlapped)) continue;
        cw_table_int(table, points->about.model.cores);
        cw_table_int(table, point->n);
        cw_table_int(table, points->about.model.cores - point->n);
        cw_table_int(table, point->steps);
        cw_table_real(table, point->times.compute);
        cw_table_real(table, point->times.overlapped);
        cw_table_real(table, point->simulated_overlapped);
        cw_table_real(table, point->emulated_overlapped);
    }
    *out = table;
    return 0;
}
