#include "mpi/overlap/overlap_emulate.h"

#include <string.h>

#include "base/error.h"
#include "cli/split_tree/split_tree_figure.h"
#include "cli/split_tree/split_tree_table.h"
#include "mpi/overlap/overlap_options.h"
#include "report/plot.h"
#include "study/split_tree_findings.h"

#define UNIT 10e-3 /* [s] that an emulated transfer takes: threads wake in time within a few per cent of it */

int overlap_emulate(struct invocation *invocation)
{
    static const char *const measuring[] = {"bytes",       "ranks", "methods", "cores",   "beside", "compute",
                                            "repetitions", "time",  "save",    "dry-run", "tuning", NULL};
    const struct overlap_options *values = invocation->values;
    const bool bcast = strcmp(values->op, "bcast") == 0;
    int rc = invocation_refuse(invocation, measuring, "is for measuring, not for --emulate");
    if (!rc && !bcast && strcmp(values->op, "reduce") != 0)
        rc = cw_fail(CW_EUSAGE, "--emulate: expected --op bcast or --op reduce");
    if (!rc && values->plot) rc = cw_plot_check();
    if (rc) return rc;
    const struct cw_split_case about = {.model = {.cores = (uint32_t)values->emulate,
                                                  .collective = bcast ? CW_SPLIT_BCAST : CW_SPLIT_REDUCE,
                                                  .ratio = 1},
                                        .simulated = true,
                                        .chunks = 1,
                                        .unit = UNIT};
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
            1e3 * UNIT, 100 * cw_split_emulation_apart(&points));
    if (!rc && values->plot) rc = split_tree_draw(&points, SPLIT_TREE_OVERLAPPED, NULL, values->plot);
    cw_split_points_free(&points);
    return rc;
}
