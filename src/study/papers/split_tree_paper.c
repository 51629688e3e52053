/* Figures 2 to 4 are the model's; 5 and 6 were measured on machines of 64 and 48 cores, and are simulated here, edge by
 * edge, beside the model, or emulated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/papers/split_tree_points.h"

enum { KNL = 64, SKYLAKE = 48 };

#define UNIT 10e-3 /* [s] that an emulated transfer takes: threads wake in time within a few per cent of it */

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static uint32_t most_best(const struct cw_split_points *points)
{
    uint32_t most = 0;
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].best && points->items[i].steps > most) most = points->items[i].steps;
    return most;
}

static uint32_t cores_of(const struct cw_split_points *points)
{
    return points->about.model.cores;
}

static const char *executed_how(const struct cw_split_points *points)
{
    return points->about.unit > 0 ? "emulated" : points->about.simulated ? "simulated" : "model";
}

static const struct cw_split_point *best_at(const struct cw_split_points *points, uint32_t n)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].n == n && points->items[i].best) return &points->items[i];
    return NULL;
}

/* With one communication core S = 0 is huge, and each further S takes less, as far as it is best anywhere. */
static int find_cost(const void *of, struct cw_finding *finding)
{
    const struct cw_split_points *points = of;
    const uint32_t n = cores_of(points) - 1, most = most_best(points);
    const struct cw_split_point *none = cw_split_point_of(points, n, 0), *all = cw_split_point_of(points, n, most);
    bool falls = true;
    for (uint32_t steps = 1; steps <= most; steps++)
        falls = falls && cw_split_point_of(points, n, steps)->times.non_blocking <
                             cw_split_point_of(points, n, steps - 1)->times.non_blocking;
    const double ratio = none->times.non_blocking / none->times.blocking;
    return cw_find(finding, falls && ratio > 2 ? CW_HOLDS : CW_HOLDS_NOT, ratio,
                   "with N = %u, S = 0 takes %.0f transfers, S = %u %.0f, blocking %.0f", n, none->times.non_blocking,
                   most, all->times.non_blocking, none->times.blocking);
}

/* With half of the cores each further S takes longer. */
static int find_overlap_lost(const void *of, struct cw_finding *finding)
{
    const struct cw_split_points *points = of;
    const uint32_t n = cores_of(points) / 2, most = most_best(points);
    const double first = cw_split_point_of(points, n, 0)->times.overlapped;
    double last = first;
    bool rises = true;
    for (uint32_t steps = 1; steps <= most; steps++) {
        const double time = cw_split_point_of(points, n, steps)->times.overlapped;
        rises = rises && time > last;
        last = time;
    }
    return cw_find(finding, most > 0 && rises ? CW_HOLDS : CW_HOLDS_NOT, first,
                   "with N = %u, from %.2f transfers for S = 0 to %.2f for S = %u", n, first, last, most);
}

/* The least time of all is at N and S, the claim's numbers; in part if one core beside it. */
static int find_least(const void *of, struct cw_finding *finding)
{
    const struct cw_split_points *points = of;
    const struct cw_split_point *least = &points->items[points->least];
    const uint32_t ranks = finding->claim->numbers[0], steps = finding->claim->numbers[1];
    const uint32_t apart = least->n > ranks ? least->n - ranks : ranks - least->n;
    const enum cw_verdict verdict = least->steps != steps || apart > 1 ? CW_HOLDS_NOT
                                    : apart == 1                       ? CW_HOLDS_IN_PART
                                                                       : CW_HOLDS;
    return cw_find(finding, verdict, least->times.overlapped, "on %u cores at N = %u and S = %u: %.3f transfers",
                   cores_of(points), least->n, least->steps, least->times.overlapped);
}

/* The best S grows from 0 by one at a time as N does: from the claim's first number on it is 1, from the second on 2, …
 * (0: no more; none: wherever). */
static int find_switches(const void *of, struct cw_finding *finding)
{
    const struct cw_split_points *points = of;
    const uint32_t *at = finding->claim->numbers;
    struct cw_text found = {0};
    uint32_t steps = 0, n_at = 0;
    bool one_by_one = true, as_claimed = true;
    while (at[n_at] > 0) n_at++;
    for (uint32_t n = 1; n < cores_of(points); n++) {
        const uint32_t best = best_at(points, n)->steps;
        if (best == steps) continue;
        one_by_one = one_by_one && best == steps + 1;
        as_claimed = as_claimed && steps < n_at && at[steps] == n;
        cw_text_printf(&found, "%sS = %u from N = %u", found.length > 0 ? ", " : "", best, n);
        steps = best;
    }
    as_claimed = n_at == 0 || (as_claimed && steps == n_at);
    const int rc = cw_text_check(&found);
    if (!rc)
        cw_find(finding,
                steps == 0 || !one_by_one ? CW_HOLDS_NOT
                : as_claimed              ? CW_HOLDS
                                          : CW_HOLDS_IN_PART,
                steps, "%s", found.length > 0 ? found.data : "S = 0 everywhere");
    cw_text_free(&found);
    return rc;
}

/* S = 3 is faster than a blocking collective. */
static int find_worst_case(const void *of, struct cw_finding *finding)
{
    const struct cw_split_points *points = of;
    const uint32_t n = cores_of(points) - 1;
    const struct cw_split_point *point = cw_split_point_of(points, n, 3);
    if (!point) return cw_find_nothing(finding, "the tree has fewer than 3 levels");
    const double time = points->about.simulated ? cw_split_executed(points, point) : point->times.overlapped;
    const double blocking = point->times.blocking + point->times.compute;
    return cw_find(finding, time < blocking ? CW_HOLDS : CW_HOLDS_NOT, time / blocking,
                   "with N = %u %.2f transfers (%s), blocking %.2f", n, time, executed_how(points), blocking);
}

/* The S whose execution takes least, the smallest of several. */
static uint32_t executed_best(const struct cw_split_points *points, uint32_t n)
{
    const struct cw_split_point *best = NULL, *point;
    for (uint32_t steps = 0; (point = cw_split_point_of(points, n, steps)); steps++)
        if (!best || cw_split_executed(points, point) < cw_split_executed(points, best) - 1e-9) best = point;
    return best->steps;
}

/* How well the model says what was executed. */
struct agreement {
    const struct cw_split_point *worst; /* where they differ most */
    double apart;                       /* by so much, relative */
    uint32_t numbers, same, costly;     /* N; with the same best S; for which the model's S costs more than 5 % */
};

static struct agreement agreement_of(const struct cw_split_points *points)
{
    struct agreement found = {.apart = -1};
    for (uint32_t n = 1; n < cores_of(points); n++) {
        const struct cw_split_point *best = best_at(points, n);
        const double time = cw_split_executed(points, best);
        if (isnan(time)) continue;
        const double apart = fabs(time / best->times.overlapped - 1);
        const uint32_t rival = executed_best(points, n);
        found.numbers++;
        found.same += rival == best->steps;
        found.costly += time > 1.05 * cw_split_executed(points, cw_split_point_of(points, n, rival));
        if (apart <= found.apart) continue;
        found.apart = apart;
        found.worst = best;
    }
    return found;
}

static int find_close(const void *points, struct cw_finding *finding)
{
    const struct agreement of = agreement_of(points);
    const double time = cw_split_executed(points, of.worst), model = of.worst->times.overlapped;
    return cw_find(finding,
                   of.apart <= 0.1   ? CW_HOLDS
                   : of.apart <= 0.2 ? CW_HOLDS_IN_PART
                                     : CW_HOLDS_NOT,
                   time / model,
                   "%s on %u cores, with the best S for each N, %.2f instead of %.2f transfers at N = %u, where it "
                   "differs most",
                   executed_how(points), cores_of(points), time, model, of.worst->n);
}

static int find_same_best(const void *points, struct cw_finding *finding)
{
    const struct agreement of = agreement_of(points);
    return cw_find(finding,
                   of.same == of.numbers         ? CW_HOLDS
                   : 10 * of.costly < of.numbers ? CW_HOLDS_IN_PART
                                                 : CW_HOLDS_NOT,
                   (double)of.same / of.numbers,
                   "%s on %u cores, for %u of %u N; the model's S costs more than 5 %% for %u", executed_how(points),
                   cores_of(points), of.same, of.numbers, of.costly);
}

/* --- panels ------------------------------------------------------------------------------------------------------- */

static const struct panel {
    size_t figure;
    const char *file, *title;
    uint32_t cores;
    enum cw_collective_kind collective;
    enum cw_split_shown shows;
    bool simulated;
    size_t first_claim, n_claims; /* those of the figure that are made of it */
} panels[] = {
    {CW_SPLIT_FIG2, "split-tree-fig2", "Figure 2: the collective alone, bcast or reduce on 64 cores", KNL,
     CW_COLLECTIVE_BCAST, CW_SPLIT_ALONE, false, 0, 1},
    {CW_SPLIT_FIG3, "split-tree-fig3", "Figure 3: beside computation, bcast or reduce on 64 cores", KNL,
     CW_COLLECTIVE_BCAST, CW_SPLIT_OVERLAPPED, false, 0, 3},
    {CW_SPLIT_FIG4, "split-tree-fig4-left", "Figure 4, left: the collective alone, scatter or gather on 64 cores", KNL,
     CW_COLLECTIVE_SCATTER, CW_SPLIT_ALONE, false, 0, 1},
    {CW_SPLIT_FIG4, "split-tree-fig4-right", "Figure 4, right: beside computation, scatter or gather on 64 cores", KNL,
     CW_COLLECTIVE_SCATTER, CW_SPLIT_OVERLAPPED, false, 1, 1},
    {CW_SPLIT_FIG5, "split-tree-fig5", "Figure 5: bcast on 64 cores, executed beside the model", KNL,
     CW_COLLECTIVE_BCAST, CW_SPLIT_OVERLAPPED, true, 0, 3},
    {CW_SPLIT_FIG6, "split-tree-fig6-left", "Figure 6, left: reduce on 64 cores, executed beside the model", KNL,
     CW_COLLECTIVE_REDUCE, CW_SPLIT_OVERLAPPED, true, 0, 2},
    {CW_SPLIT_FIG6, "split-tree-fig6-right", "Figure 6, right: reduce on 48 cores, executed beside the model", SKYLAKE,
     CW_COLLECTIVE_REDUCE, CW_SPLIT_OVERLAPPED, true, 2, 3},
};

static int show(struct cw_paper_run *run, const struct panel *panel)
{
    const struct cw_split_case about = {.model = {.cores = panel->cores, .collective = panel->collective, .ratio = 1},
                                        .simulated = panel->simulated,
                                        .chunks = 1,
                                        .unit = panel->simulated && run->setup->emulate ? UNIT : 0};
    struct cw_split_points points;
    struct cw_table *table;
    struct cw_text path = {0};
    int rc = cw_split_points_new(&about, run->setup->n_threads, &points);
    if (rc) return rc;
    rc = cw_split_tree_table(&points, &table);
    if (!rc) rc = cw_paper_csv(run, panel->file, table);
    if (!rc) rc = cw_paper_tell(run, panel->figure, panel->first_claim, panel->n_claims, &points);
    if (!rc && about.unit > 0)
        cw_result_note(run->setup->result, "%s: the emulation differs from the simulation by %.1f %% at most.",
                       panel->title, 100 * cw_split_emulation_apart(&points));
    if (!rc) rc = cw_paper_path(run, panel->file, ".svg", &path);
    if (!rc) rc = cw_paper_drawn(run, cw_split_tree_draw(&points, panel->shows, panel->title, path.data), path.data);
    cw_text_free(&path);
    cw_split_points_free(&points);
    return rc;
}

static int make(struct cw_paper_run *run, size_t figure)
{
    int rc = 0;
    for (size_t p = 0; !rc && p < sizeof panels / sizeof *panels; p++)
        if (panels[p].figure == figure) rc = show(run, &panels[p]);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Figure 7 needs what was measured; it is left out of all figures without. */
static int begin(struct cw_paper_run *run)
{
    const struct cw_paper_setup *setup = run->setup;
    if (!setup->runs) run->also = " Figure 7 is drawn of what crosswind-mpi overlap --save has measured (--runs).";
    if (!run->wanted[CW_SPLIT_FIG7]) return 0;
    if (!setup->runs) {
        run->wanted[CW_SPLIT_FIG7] = false;
        return strcmp(setup->figures, "all") == 0
                   ? 0
                   : cw_fail(CW_EUSAGE, "figure 7 needs --runs FILE: mpirun -n CORES crosswind-mpi overlap --op reduce "
                                        "--ranks 2..CORES --save FILE measures it, under each MPI");
    }
    struct cw_overlap_runs *runs = run->data = cw_new_array(1, sizeof *runs, "runs");
    const int rc = runs ? cw_overlap_runs_read(setup->runs, runs) : CW_ENOMEM;
    if (!rc) run->expected_claims = (cw_split_count_operations(runs) - 1) * 3;
    return rc;
}

static void end(struct cw_paper_run *run)
{
    if (run->data) cw_overlap_runs_free(run->data);
    free(run->data);
}

#define COST                                                                                                           \
    {                                                                                                                  \
        "with few communication cores the communication is huge for S = 0, and decreases with S",                      \
            "S = 0 / blocking with one communication core", find_cost                                                  \
    }
#define UPSIDE_DOWN .correction = "equation 2 is printed upside down: C(N) = Nproc / N C(Nproc)"
#define FEWER                                                                                                          \
    "the fewer communication cores, the more levels on application cores are best", "largest best S", find_switches
#define CLOSE                                                                                                          \
    {"the model is really close to the results", "executed / model, where it differs most", find_close, UPSIDE_DOWN},  \
    {                                                                                                                  \
        "the best S is the same in prediction and measurement", "share of N with the same best S", find_same_best,     \
            UPSIDE_DOWN                                                                                                \
    }

static const struct cw_paper_claim of2[] = {COST},
                                   of3[] = {{"increasing S increases the cost for small N, where overlap is lost",
                                             "S = 0 with half of the cores", find_overlap_lost, UPSIDE_DOWN},
                                            {"the absolute minimum is reached for S = 0 and N = 51",
                                             "least overlapped time",
                                             find_least,
                                             {51, 0},
                                             UPSIDE_DOWN},
                                            {FEWER, {52, 58, 62}, UPSIDE_DOWN}},
                                   of4[] = {COST, {FEWER, UPSIDE_DOWN}},
                                   of5[] = {{"with only one communication core S = 3 is still faster than the blocking "
                                             "collective",
                                             "S = 3 / blocking", find_worst_case, UPSIDE_DOWN},
                                            CLOSE},
                                   of6[] = {CLOSE,
                                            CLOSE,
                                            {"the best performance is obtained with 38 of 48 cores",
                                             "least overlapped time",
                                             find_least,
                                             {38, 0},
                                             "7",
                                             UPSIDE_DOWN}};

static const struct cw_paper_figure figures[] = {
    [CW_SPLIT_FIG2] = {"2", "split-tree-fig2", NULL, CW_ITEMS(of2), make},
    [CW_SPLIT_FIG3] = {"3", "split-tree-fig3", NULL, CW_ITEMS(of3), make},
    [CW_SPLIT_FIG4] = {"4", "split-tree-fig4", NULL, CW_ITEMS(of4), make},
    [CW_SPLIT_FIG5] = {"5", "split-tree-fig5", NULL, CW_ITEMS(of5), make},
    [CW_SPLIT_FIG6] = {"6", "split-tree-fig6", NULL, CW_ITEMS(of6), make},
    [CW_SPLIT_FIG7] = {"7", "split-tree-fig7", NULL, CW_ITEMS(cw_split_measured_claims), cw_split_make_measured},
    {.name = NULL}};

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

static const struct cw_paper_option takes[] = {{"figures", NULL}, {"emulate", NULL}, {"runs", "7"}, {NULL, NULL}};

const struct cw_paper cw_paper_split_tree = {
    .name = "split-tree",
    .help = "Nonblocking collectives whose tree is split between application and communication cores: the model, and "
            "machines of 64 and 48 cores by simulation (Denis et al. 2018, figures 2 to 7)",
    .source = "A. Denis, J. Jaeger, E. Jeannot, M. Pérache, H. Taboada: Dynamic placement of progress thread for "
              "overlapping MPI non-blocking collectives on manycore processor, 2018.",
    .remarks = remarks,
    .written = "split-tree-README.txt with remarks, split-tree-claims.csv, and for each panel of its figures its CSV, "
               "its picture and its gnuplot script.",
    .takes = takes,
    .runs_begin = "mpi,processors,",
    .figures = figures,
    .begin = begin,
    .end = end,
};
