/*
 * The figures of Denis, Jaeger, Jeannot, Pérache and Taboada, "Dynamic placement of progress thread for overlapping MPI
 * non-blocking collectives on manycore processor" (2018): 2, 3 and 4 are the model's; 5 and 6 were measured on machines
 * of 64 and 48 cores, and are simulated here, edge by edge, beside the model, or emulated; 7, of MPI libraries, is
 * drawn of what was measured on the user's machine.
 */
#include <string.h>

#include "base/error.h"
#include "cli/reproduce/claims.h"
#include "cli/reproduce/figures.h"
#include "cli/reproduce/reproduce.h"
#include "cli/reproduce/split_tree_measured.h"
#include "cli/split_tree/split_tree_figure.h"
#include "cli/split_tree/split_tree_table.h"
#include "study/papers/split_tree_paper.h"

enum { KNL = 64, SKYLAKE = 48 };

#define MEASURED 5 /* figure 7 */

#define UNIT 10e-3 /* [s] that an emulated transfer takes: threads wake in time within a few per cent of it */

static const struct figure_name names[] = {{"2", 0}, {"3", 1},        {"4", 2}, {"5", 3},
                                           {"6", 4}, {"7", MEASURED}, {NULL, 0}};

static const struct panel {
    int figure;
    const char *file, *title;
    uint32_t cores;
    enum cw_collective_kind collective;
    enum split_tree_figure shows;
    bool simulated;
} panels[] = {
    {0, "split-tree-fig2", "Figure 2: the collective alone, bcast or reduce on 64 cores", KNL, CW_COLLECTIVE_BCAST,
     SPLIT_TREE_ALONE, false},
    {1, "split-tree-fig3", "Figure 3: beside computation, bcast or reduce on 64 cores", KNL, CW_COLLECTIVE_BCAST,
     SPLIT_TREE_OVERLAPPED, false},
    {2, "split-tree-fig4-left", "Figure 4, left: the collective alone, scatter or gather on 64 cores", KNL,
     CW_COLLECTIVE_SCATTER, SPLIT_TREE_ALONE, false},
    {2, "split-tree-fig4-right", "Figure 4, right: beside computation, scatter or gather on 64 cores", KNL,
     CW_COLLECTIVE_SCATTER, SPLIT_TREE_OVERLAPPED, false},
    {3, "split-tree-fig5", "Figure 5: bcast on 64 cores, executed beside the model", KNL, CW_COLLECTIVE_BCAST,
     SPLIT_TREE_OVERLAPPED, true},
    {4, "split-tree-fig6-left", "Figure 6, left: reduce on 64 cores, executed beside the model", KNL,
     CW_COLLECTIVE_REDUCE, SPLIT_TREE_OVERLAPPED, true},
    {4, "split-tree-fig6-right", "Figure 6, right: reduce on 48 cores, executed beside the model", SKYLAKE,
     CW_COLLECTIVE_REDUCE, SPLIT_TREE_OVERLAPPED, true},
};

static const char *const remarks[] = {
    "Equation 2 is printed upside down: fixed work on fewer cores takes longer. Only with C(N) = Nproc / N C(Nproc) do "
    "the claims hold.",
    "Edges of levels are counted exactly; equation 3 as printed has half an edge at the root if N is no power of two. "
    "The best S are the same (crosswind model split-tree --equation printed).",
    "Figures 5 and 6 are simulated, or emulated (--emulate), with block placement and children that execute, not "
    "measured: no cache, no memory bandwidth that cores share, no latency. Edges of a level need not wait for the "
    "level before, so that the simulation may take less than the model, never more.",
    "Figure 7 is measured on the machine that its pictures name, by libcrosswind-nbc under the MPI that they name, not "
    "by MPC: shapes can be compared, times cannot.",
    "Slices, which split the data instead of the tree, are not in the paper.",
    NULL,
};

struct work {
    struct invocation *invocation;
    const char *directory;
    struct claims claims;
    bool emulate;
};

/* What the paper says of the figure that PANEL is of. */
static int find(const struct panel *panel, const struct cw_split_points *points, struct cw_findings *findings)
{
    static const uint32_t switches[] = {52, 58, 62};
    int rc = 0;
    switch (panel->figure) {
    case 0:
        return cw_find_split_cost(points, "2", findings);
    case 1:
        rc = cw_find_split_overlap_lost(points, "3", findings);
        if (!rc)
            rc = cw_find_split_least(points, "3", "the absolute minimum is reached for S = 0 and N = 51", 51, 0,
                                     findings);
        return rc ? rc : cw_find_split_switches(points, "3", switches, 3, findings);
    case 2:
        return panel->shows == SPLIT_TREE_ALONE ? cw_find_split_cost(points, "4", findings)
                                                : cw_find_split_switches(points, "4", NULL, 0, findings);
    case 3:
        rc = cw_find_split_worst_case(points, "5", findings);
        return rc ? rc : cw_find_split_simulated(points, "5", findings);
    default:
        rc = cw_find_split_simulated(points, "6", findings);
        if (!rc && panel->cores == SKYLAKE)
            rc = cw_find_split_least(points, "7", "the best performance is obtained with 38 of 48 cores", 38, 0,
                                     findings);
        return rc;
    }
}

static int write_csv(const struct work *work, const struct panel *panel, const struct cw_split_points *points)
{
    struct cw_table *table;
    int rc = split_tree_table(points, &table);
    if (rc) return rc;
    rc = figure_csv(table, work->directory, panel->file);
    cw_table_free(table);
    return rc;
}

static int draw(const struct work *work, const struct panel *panel, const struct cw_split_points *points)
{
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/%s.svg", work->directory, panel->file);
    int rc = cw_text_check(&path);
    if (!rc) rc = split_tree_draw(points, panel->shows, panel->title, path.data);
    cw_text_free(&path);
    return rc;
}

static int show(struct work *work, const struct panel *panel)
{
    const struct cw_split_case about = {.model = {.cores = panel->cores, .collective = panel->collective, .ratio = 1},
                                        .simulated = panel->simulated,
                                        .chunks = 1,
                                        .unit = panel->simulated && work->emulate ? UNIT : 0};
    struct cw_split_points points;
    int rc = cw_split_points_new(&about, (unsigned)work->invocation->common.threads, &points);
    if (rc) return rc;
    rc = write_csv(work, panel, &points);
    if (!rc) rc = find(panel, &points, &work->claims.findings);
    if (!rc) rc = claims_tell(&work->claims);
    if (!rc && about.unit > 0)
        cw_result_note(work->invocation->result, "%s: the emulation differs from the simulation by %.1f %% at most.",
                       panel->title, 100 * cw_split_emulation_apart(&points));
    if (!rc) rc = draw(work, panel, &points);
    cw_split_points_free(&points);
    return rc;
}

/* Figure 7 needs what was measured; it is left out of all figures without. */
static int read_runs(const struct reproduce_options *values, bool wanted[MAX_FIGURES], struct cw_overlap_runs *runs)
{
    if (!wanted[MEASURED])
        return values->runs ? cw_fail(CW_EUSAGE, "--runs is for figure 7, which --figures leaves out") : 0;
    if (values->runs) return cw_overlap_runs_read(values->runs, runs);
    wanted[MEASURED] = false;
    return strcmp(values->figures, "all") == 0
               ? 0
               : cw_fail(CW_EUSAGE, "figure 7 needs --runs FILE: mpirun -n CORES crosswind-mpi overlap --op reduce "
                                    "--ranks 2..CORES --save FILE measures it, under each MPI");
}

static int show_all(struct work *work, const struct reproduce_options *values, struct cw_overlap_runs *runs)
{
    static const size_t claimed[] = {1, 3, 2, 3, 5}; /* by figure */
    bool wanted[MAX_FIGURES];
    size_t expected = 0;
    int rc = figures_choose(values->figures, names, wanted);
    if (!rc) rc = read_runs(values, wanted, runs);
    for (size_t f = 0; !rc && f < sizeof claimed / sizeof *claimed; f++) expected += wanted[f] ? claimed[f] : 0;
    if (!rc) rc = claims_begin(&work->claims, expected + split_tree_measured_claims(runs));
    for (size_t p = 0; !rc && p < sizeof panels / sizeof *panels; p++)
        if (wanted[panels[p].figure]) rc = show(work, &panels[p]);
    if (!rc && wanted[MEASURED]) rc = split_tree_measured(runs, &work->claims);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    struct work work = {.invocation = invocation, .directory = values->directory, .emulate = values->emulate};
    work.claims = (struct claims){
        .invocation = invocation,
        .name = "split-tree",
        .directory = values->directory,
        .source = "A. Denis, J. Jaeger, E. Jeannot, M. Pérache, H. Taboada: Dynamic placement of progress thread for "
                  "overlapping MPI non-blocking collectives on manycore processor, 2018.",
        .remarks = remarks};
    struct cw_overlap_runs runs = {0};
    const int rc = show_all(&work, values, &runs);
    if (!rc)
        cw_result_note(invocation->result,
                       "Written to %s: split-tree-README.txt with remarks, split-tree-claims.csv, and for each panel "
                       "of its figures its CSV, its picture and its gnuplot script.%s",
                       values->directory,
                       values->runs ? ""
                                    : " Figure 7 is drawn of what crosswind-mpi overlap --save has measured (--runs).");
    cw_overlap_runs_free(&runs);
    claims_free(&work.claims);
    return rc;
}

static const char *const takes[] = {"figures", "emulate", "runs", NULL};

const struct reproduction reproduction_split_tree = {
    .name = "split-tree",
    .help = "Nonblocking collectives whose tree is split between application and communication cores: the model, and "
            "machines of 64 and 48 cores by simulation (Denis et al. 2018, figures 2 to 7)",
    .takes = takes,
    .run = run,
};
