#include "mpi/bench/bench_dry_run.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

#define ROWS_OF_TEXT 20

static const struct cw_column columns[] = {
    {"ratio", CW_COLUMN_REAL, NULL, "perturbation ratio"},
    {"split", CW_COLUMN_INT, NULL, "its number"},
    {"application", CW_COLUMN_INT, "rank", "how many call the operation"},
    {"perturbing", CW_COLUMN_INT, "rank", "how many exchange messages"},
    {"idle", CW_COLUMN_INT, "rank", "how many do neither"},
    {"control", CW_COLUMN_INT, "rank", "how many exchange messages in the control; 0: it is left out on this split"},
    {"application_ranks", CW_COLUMN_TEXT, NULL, "which they are"},
    {"perturbing_ranks", CW_COLUMN_TEXT, NULL, "which they are", .detail = true},
};

/* "0-3,8": the ranks of ROLE. */
static int list_ranks(const struct cw_bench_split *split, uint32_t n, enum cw_bench_role role, struct cw_table *table)
{
    struct cw_text text = {0};
    for (uint32_t rank = 0; rank < n; rank++) {
        if (split->roles[rank] != role) continue;
        uint32_t last = rank;
        while (last + 1 < n && split->roles[last + 1] == role) last++;
        cw_text_printf(&text, last > rank ? "%s%u-%u" : "%s%u", text.length > 0 ? "," : "", rank, last);
        rank = last;
    }
    const int rc = cw_text_check(&text);
    if (!rc) cw_table_text(table, text.data);
    cw_text_free(&text);
    return rc;
}

static int add_split(const struct cw_bench_request *request, const struct cw_bench_plan *plan, size_t index,
                     uint32_t *groups, struct cw_table *table)
{
    const struct cw_bench_split *split = &plan->splits[index];
    const uint32_t n = request->places->n_ranks;
    uint32_t exchanging = 0;
    int rc = 0;
    if (request->control)
        rc = cw_split_control(request->places, split->roles, request->control_kind, groups, &exchanging);
    if (rc) return rc;
    cw_table_real(table, request->ratios[index % request->n_ratios]);
    cw_table_int(table, (int64_t)(index / request->n_ratios));
    cw_table_int(table, split->n_application);
    cw_table_int(table, split->n_perturbing);
    cw_table_int(table, n - split->n_application - split->n_perturbing);
    cw_table_int(table, exchanging);
    rc = list_ranks(split, n, CW_BENCH_APPLICATION, table);
    return rc ? rc : list_ranks(split, n, CW_BENCH_PERTURBING, table);
}

static void say_how_long(const struct cw_bench_plan *plan, size_t samples, double time, struct cw_result *result)
{
    char total[32], each[32];
    if (time > 0)
        cw_result_note(result, "This takes at most %s (%s for each block), and less where %zu calls need less.",
                       cw_format_time(time, total, sizeof total),
                       cw_format_time(time / (double)plan->n_steps, each, sizeof each), samples);
    else
        cw_result_note(result, "There is no time limit: it takes as long as %zu calls do.", plan->n_steps * samples);
}

int bench_dry_run(const struct bench_sites *sites, const struct cw_bench_request *request,
                  const struct cw_bench_plan *plan, size_t samples, double time, struct cw_result *result)
{
    struct cw_table *table = NULL;
    uint32_t *groups = cw_new_array(request->places->n_ranks, sizeof *groups, "groups of the control");
    int rc = groups ? cw_table_new("splits", "Splits", columns, sizeof columns / sizeof *columns, &table) : CW_ENOMEM;
    if (!rc) rc = cw_result_add_table(result, table);
    if (!rc) cw_table_cut_text(table, ROWS_OF_TEXT);
    for (size_t i = 0; !rc && i < plan->n_splits; i++) rc = add_split(request, plan, i, groups, table);
    free(groups);
    if (rc) return rc;
    cw_result_note(result,
                   "%u ranks on %u host%s%s. %zu case%s on %u split%s of each ratio: %zu blocks of up to %zu calls.",
                   sites->places.n_ranks, sites->places.n_hosts, cw_plural(sites->places.n_hosts),
                   sites->oversubscribed ? ", more than there are processors" : "", plan->n_cases,
                   cw_plural(plan->n_cases), request->n_splits, cw_plural(request->n_splits), plan->n_steps, samples);
    say_how_long(plan, samples, time, result);
    return 0;
}
