#include "mpi/overlap/overlap_emulate.h"

#include <string.h>

#include "base/error.h"
#include "cli/split_tree/split_tree_figure.h"
#include "cli/split_tree/split_tree_table.h"
#include "mpi/overlap/overlap_options.h"
#include "report/plot.h"
#include "study/split_tree_findings.h"

/* [s] that an emulated transfer of a vector takes, or of a block, of which more are one after the other: threads wake
 * in time within a few per cent of it. */
#define UNIT       10e-3
#define UNIT_BLOCK 2e-3

static int collective_of(const char *name, enum cw_split_collective *out)
{
    for (int i = 0; cw_split_collective_names[i]; i++) {
        *out = (enum cw_split_collective)i;
        if (strcmp(cw_split_collective_names[i], name) == 0) return 0;
    }
    return cw_fail(CW_EUSAGE,
                   "--emulate: expected one --op that has a tree: bcast, reduce, allreduce, scatter, gather");
}

int overlap_emulate(struct invocation *invocation)
{
    static const char *const measuring[] = {"bytes",       "ranks", "methods", "cores",   "beside", "compute",
                                            "repetitions", "time",  "save",    "dry-run", "tuning", NULL};
    const struct overlap_options *values = invocation->values;
    enum cw_split_collective collective = CW_SPLIT_BCAST;
    int rc = invocation_refuse(invocation, measuring, "is for measuring, not for --emulate");
    if (!rc) rc = collective_of(values->op, &collective);
    if (!rc && values->plot) rc = cw_plot_check();
    if (rc) return rc;
    const double unit = collective == CW_SPLIT_SCATTER || collective == CW_SPLIT_GATHER ? UNIT_BLOCK : UNIT;
    const struct cw_split_case about = {
        .model = {.cores = (uint32_t)values->emulate, .collective = collective, .ratio = 1},
        .simulated = true,
        .chunks = 1,
        .unit = unit};
    struct cw_split_points points;
    struct cw_table *table;
    rc = cw_split_points_new(&about, 1, &points);
    if (rc) return rc;
    rc = split_tree_executed_table(&points, &table);
    if (!rc) rc = cw_result_add_table(invocation->result, table);
    if (!rc)
        cw_result_note(
            invocation->result,
            "Emulated, not measured: threads of the scheduler hold a core for %g ms instead of moving data. It "
            "differs from the simulation by %.1f %% at most; memory bandwidth that cores share is in neither.",
            1e3 * unit, 100 * cw_split_emulation_apart(&points));
    if (!rc && values->plot) rc = split_tree_draw(&points, SPLIT_TREE_OVERLAPPED, NULL, values->plot);
    cw_split_points_free(&points);
    return rc;
}
