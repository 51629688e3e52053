#include "mpi/overlap/overlap_save.h"

#include "base/text.h"
#include "base/units.h"
#include "study/overlap_runs.h"

static void add_sample(const struct overlap_points *points, const struct overlap_point *point, size_t method,
                       size_t repetition, const struct cw_nbc_site *site, struct cw_table *table)
{
    const struct overlap_sample *sample = &point->samples.items[repetition * point->methods.n + method];
    cw_table_text(table, site->mpi);
    cw_table_int(table, site->processors);
    cw_table_text(table, point->operation->name);
    cw_table_int(table, (int64_t)points->bytes);
    cw_table_text(table, overlap_kinds[points->kind]);
    cw_table_int(table, point->ranks);
    cw_table_int(table, overlap_methods_need_cores(&point->methods) ? point->cores : 0);
    cw_table_text(table, point->methods.items[method].name);
    cw_table_int(table, (int64_t)repetition);
    for (int q = OVERLAP_PURE; q <= OVERLAP_OSU; q++)
        cw_table_real(table, overlap_quantity_of(sample, (enum overlap_quantity)q));
}

static int write(const struct overlap *overlap, const struct overlap_points *points, const char *path)
{
    const struct cw_nbc_site site = overlap_site();
    struct cw_table *table;
    int rc = cw_overlap_runs_table(&table);
    if (rc) return rc;
    for (size_t i = 0; i < points->n; i++)
        for (size_t s = 0; s < points->items[i].samples.n; s++)
            for (size_t m = 0; m < points->items[i].methods.n; m++)
                add_sample(points, &points->items[i], m, s, &site, table);
    rc = cw_result_save_described(overlap->invocation->result, table, path);
    cw_table_free(table);
    return rc;
}

int overlap_save(const struct overlap *overlap, const struct overlap_points *points, const char *path)
{
    return ranks_agree(overlap->ranks, overlap->ranks->program.rank == 0 ? write(overlap, points, path) : 0);
}

/* --- dry run ------------------------------------------------------------------------------------------------------ */

static const struct cw_column columns[] = {
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"idle", CW_COLUMN_INT, "rank", "that sleep meanwhile"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"methods", CW_COLUMN_INT, NULL, "that can be measured: without communication cores, those of MPI alone"},
};

int overlap_dry_run(struct overlap *overlap, const struct overlap_points *points)
{
    const struct overlap_options *values = overlap->values;
    struct cw_result *result = overlap->invocation->result;
    struct cw_table *table;
    int rc = cw_table_new("measurements", "What would be measured", columns, sizeof columns / sizeof *columns, &table);
    if (!rc) rc = cw_result_add_table(result, table);
    rc = ranks_agree(overlap->ranks, rc);
    for (size_t i = 0; i < overlap->numbers.n && !rc; i++) {
        struct overlap_methods methods = points->methods;
        unsigned cores;
        const int n = (int)overlap->numbers.values[i];
        rc = overlap_start_cores(overlap, n, &cores);
        if (cores == 0) overlap_methods_keep_native(&methods);
        cw_table_int(table, n);
        cw_table_int(table, (int64_t)overlap->ranks->program.n - n);
        cw_table_int(table, cores);
        cw_table_int(table, (int64_t)methods.n);
    }
    char bytes[32], time[32];
    const double limit = values->time * (double)(overlap->n_operations * overlap->numbers.n);
    if (!rc)
        cw_result_note(result, "%zu collective%s of %s, up to %lld repetitions of all methods each.",
                       overlap->n_operations, cw_plural(overlap->n_operations),
                       cw_format_bytes(points->bytes, bytes, sizeof bytes), (long long)values->repetitions);
    if (!rc && limit > 0)
        cw_result_note(result, "This takes at most little more than %s, and less where the repetitions need less.",
                       cw_format_time(limit, time, sizeof time));
    return rc;
}
