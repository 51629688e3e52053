#include "cli/reproduce/optiq_table.h"

#include "net/network_internal.h"
#include "study/papers/optiq_findings.h"

/* --- measurements ------------------------------------------------------------------------------------------------- */

static const char *const tie_labels[] = {"plain", "rotated", "disjoint", "penalised"};

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"pattern", CW_COLUMN_TEXT, NULL, "demands"},
    {"pairs", CW_COLUMN_INT, NULL, "demands over the network"},
    {"distance", CW_COLUMN_REAL, "hop", "mean hops by default routes"},
    {"method", CW_COLUMN_TEXT, NULL, "how the plan was made"},
    {"k", CW_COLUMN_INT, NULL, "paths a pair; missing: the default one or all there are"},
    {"ties", CW_COLUMN_TEXT, NULL, "which of equally long paths come first"},
    {"bytes", CW_COLUMN_INT, "byte", "of each pair"},
    {"chunk_bytes", CW_COLUMN_INT, "byte", "size of the chunks that are relayed"},
    {"z", CW_COLUMN_REAL, NULL, "fraction of all demands moved in the time a channel moves the largest"},
    {"z_bound", CW_COLUMN_REAL, NULL, "proven bound of z over the paths chosen among"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean over bytes"},
    {"predicted_seconds", CW_COLUMN_REAL, "s", "until all has arrived, by a simulated transport"},
    {"predicted_GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time"},
    {"search_seconds", CW_COLUMN_REAL, "s", "of searching", .measured = true},
};

static void add_row(struct cw_table *table, const struct cw_optiq_point *point, const struct cw_optiq_variant *variant)
{
    const bool listed = point->method != CW_OPTIQ_DEFAULT && point->method != CW_OPTIQ_OPTIMUM;
    cw_table_text(table, point->net->title);
    cw_table_int(table, point->net->n_endpoints);
    cw_table_text(table, point->pattern);
    cw_table_int(table, (int64_t)point->pairs);
    cw_table_real(table, point->distance);
    cw_table_text(table, point->solved_by);
    if (listed) {
        cw_table_int(table, point->k);
        cw_table_text(table, tie_labels[point->ties]);
    } else {
        cw_table_none(table);
        cw_table_none(table);
    }
    cw_table_int(table, (int64_t)variant->bytes);
    cw_table_int(table, (int64_t)variant->chunk);
    cw_table_real(table, point->z);
    cw_table_real(table, point->bound);
    cw_table_real(table, point->hops_mean);
    cw_table_real(table, variant->seconds);
    cw_table_real(table, variant->bytes_per_second * 1e-9);
    cw_table_real(table, point->search_seconds);
}

const char *optiq_figure_name(enum cw_optiq_figure figure)
{
    return figure == CW_OPTIQ_GROWING ? "fig4" : figure == CW_OPTIQ_CHUNKS ? "fig5" : cw_optiq_figures[figure];
}

int optiq_points_csv(const struct cw_result *result, const struct cw_optiq_points *points, size_t first, size_t n,
                     const char *directory)
{
    struct cw_table *table;
    struct cw_text path = {0};
    int rc = cw_table_new("optiq", NULL, columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    cw_text_printf(&path, "%s/optiq-%s.csv", directory, optiq_figure_name(points->items[first].figure));
    for (size_t i = first; i < first + n; i++)
        for (size_t v = 0; points->items[i].done && v < points->items[i].n_variants; v++)
            add_row(table, &points->items[i], &points->items[i].variants[v]);
    rc = cw_text_check(&path);
    if (!rc) rc = cw_result_save_csv(result, table, path.data);
    cw_table_free(table);
    cw_text_free(&path);
    return rc;
}

/* --- gains -------------------------------------------------------------------------------------------------------- */

static const struct cw_column gain_columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "experiment: optiq-FIGURE.csv"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"method", CW_COLUMN_TEXT, NULL, "compared with the default routes"},
    {"cases", CW_COLUMN_INT, NULL, "patterns and sizes"},
    {"z_ratio", CW_COLUMN_REAL, NULL, "z / that of the default routes, geometric mean"},
    {"speedup", CW_COLUMN_REAL, NULL, "predicted throughput / that of the default routes, geometric mean"},
    {"speedup_min", CW_COLUMN_REAL, NULL, "least of the cases"},
    {"speedup_max", CW_COLUMN_REAL, NULL, "greatest of the cases"},
    {"slower", CW_COLUMN_INT, NULL, "cases in which the default routes are faster"},
};

int optiq_gains_table(struct cw_table **out)
{
    return cw_table_new("optiq", "Multi-path plans against MPI's default routes", gain_columns,
                        sizeof gain_columns / sizeof *gain_columns, out);
}

void optiq_gains_add(struct cw_table *table, const struct cw_optiq_points *points, enum cw_optiq_figure figure)
{
    for (size_t i = 0; i < points->n_partitions; i++)
        for (int method = CW_OPTIQ_HEURISTIC; method < CW_OPTIQ_METHODS; method++) {
            const struct cw_optiq_gain gain =
                cw_optiq_gain_of(points, figure, points->nets[i], (enum cw_optiq_method)method);
            if (gain.cases == 0) continue;
            cw_table_text(table, optiq_figure_name(figure));
            cw_table_int(table, points->nets[i]->n_endpoints);
            cw_table_text(table, cw_optiq_methods[method]);
            cw_table_int(table, (int64_t)gain.cases);
            cw_table_real(table, gain.z_ratio);
            cw_table_real(table, gain.speedup);
            cw_table_real(table, gain.speedup_min);
            cw_table_real(table, gain.speedup_max);
            cw_table_int(table, (int64_t)gain.slower);
        }
}

/* Chunk sizes are compared with one another, everything else with default routes on the same network. */
size_t optiq_gains_count(const struct cw_optiq_points *points)
{
    bool seen[CW_OPTIQ_FIGURES][CW_OPTIQ_PARTITIONS][CW_OPTIQ_METHODS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_optiq_point *point = &points->items[i];
        for (size_t net = 0; net < points->n_partitions; net++) {
            bool *own = &seen[point->figure][net][point->method];
            if (point->net != points->nets[net] || *own) continue;
            *own = true;
            count += point->method != CW_OPTIQ_DEFAULT && point->figure != CW_OPTIQ_CHUNKS;
        }
    }
    return count;
}
