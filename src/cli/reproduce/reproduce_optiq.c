/*
 * The experiments of Bui et al., "Improving data movement throughput by balancing network load on the Blue Gene/Q
 * supercomputer" (a manuscript), by simulation: study/papers/optiq_points.h says which. Here they are written down,
 * figure by figure.
 */
#include <stdio.h>

#include "base/progress.h"
#include "cli/reproduce/claims.h"
#include "cli/reproduce/figures.h"
#include "cli/reproduce/optiq_figures.h"
#include "cli/reproduce/optiq_table.h"
#include "cli/reproduce/reproduce.h"
#include "study/papers/optiq_findings.h"

static const struct figure_name names[] = {
    {"4", CW_OPTIQ_GROWING},         {"fixed", CW_OPTIQ_FIXED},       {"destinations", CW_OPTIQ_DESTINATIONS},
    {"distance", CW_OPTIQ_DISTANCE}, {"5", CW_OPTIQ_CHUNKS},          {"messages", CW_OPTIQ_MESSAGES},
    {"paths", CW_OPTIQ_PATHS},       {"patterns", CW_OPTIQ_PATTERNS}, {NULL, 0}};

static const enum cw_optiq_sizes scales[] = {
    [SIZES_QUICK] = CW_OPTIQ_QUICK, [SIZES_SMALL] = CW_OPTIQ_SMALL, [SIZES_ALL] = CW_OPTIQ_ALL};

struct work {
    struct invocation *invocation;
    const char *directory;
    struct cw_optiq_points points;
    struct claims claims;
    struct cw_table *gains; /* of the result, which owns it */
    struct cw_progress *progress;
};

static const char *const remarks[] = {
    "Throughput is predicted by a simulated transport with the set bgq (crosswind help transports), which was fitted "
    "to "
    "the runs on record; the guide to data movement says how well. Pictures show measured points where the record has "
    "them.",
    "z is the share of all demands that moves in the time a channel takes for the largest. It knows nothing of relays: "
    "where paths are long or messages short, a plan of greater z can be the slower one.",
    "The manuscript shows figures 4 and 5. The other experiments are those it announces; except where it says what "
    "they "
    "are to show they are held to its abstract: several times the throughput of MPI, for certain patterns.",
    "The number of ranks a node is not repeated: here a node is one endpoint.",
    "The machine has two cables in dimension E; they are taken as one, as in the manuscript's records.",
    "The heuristic, greedy and the linear program choose among 16 paths a pair. From 4,096 nodes on the optimum is an "
    "approximation within 2 %.",
    "With --sizes quick the networks are tori of 128 and 256 nodes, as no Blue Gene/Q has them, and a pair has 1 MiB, "
    "not 8: "
    "that shows how it works, not what is true of the machine.",
    NULL,
};

static void announce(void *context, size_t begun, size_t point)
{
    const struct work *work = context;
    char label[64];
    snprintf(label, sizeof label, "point %zu of %zu (figure %s)", begun, work->points.n,
             cw_optiq_figures[work->points.items[point].figure]);
    cw_progress_label(work->progress, label);
}

/* Writes a figure down; of one that ended early the points that were done. */
static int finish(void *context, size_t first, size_t n, bool complete)
{
    struct work *work = context;
    const enum cw_optiq_figure figure = work->points.items[first].figure;
    int rc = optiq_points_csv(work->invocation->result, &work->points, first, n, work->directory);
    if (rc || !complete) return rc;
    optiq_gains_add(work->gains, &work->points, figure);
    rc = cw_find_optiq(&work->points, figure, &work->claims.findings);
    if (!rc) rc = claims_tell(&work->claims);
    return rc ? rc : optiq_figure_draw(&work->points, figure, work->directory);
}

static int begin(struct work *work, const struct reproduce_options *values)
{
    bool wanted[MAX_FIGURES];
    size_t findings = 0;
    int rc = figures_choose(values->figures, names, wanted);
    if (!rc) rc = cw_optiq_points_begin(scales[values->sizes], &work->points);
    for (int figure = 0; !rc && figure < CW_OPTIQ_FIGURES; figure++) {
        if (!wanted[figure]) continue;
        rc = cw_optiq_points_add(&work->points, (enum cw_optiq_figure)figure);
        findings += cw_count_optiq_findings((enum cw_optiq_figure)figure);
    }
    if (!rc) rc = optiq_gains_table(&work->gains);
    if (!rc) rc = cw_result_add_table(work->invocation->result, work->gains);
    if (!rc) cw_table_expect(work->gains, optiq_gains_count(&work->points));
    return rc ? rc : claims_begin(&work->claims, findings);
}

static int compute(struct work *work)
{
    work->progress = invocation_progress(work->invocation, "optiq", work->points.n);
    const struct cw_figure_study study = {.n_threads = (unsigned)work->invocation->common.threads,
                                          .executor = invocation_executor(work->invocation),
                                          .progress = work->progress,
                                          .before = announce,
                                          .after = finish,
                                          .context = work};
    const int rc = cw_optiq_points_run(&study, &work->points);
    cw_progress_free(work->progress);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    struct work work = {.invocation = invocation, .directory = values->directory};
    work.claims = (struct claims){
        .invocation = invocation,
        .name = "optiq",
        .directory = values->directory,
        .source = "H. Bui, P. Malakar, E.-S. Jung, V. Vishwanath, T. S. Munson, S. Leyffer, A. Johnson, J. Leigh, M. "
                  "E. Papka: Improving data movement throughput by balancing network load on the "
                  "Blue Gene/Q supercomputer, a manuscript.",
        .remarks = remarks};
    int rc = begin(&work, values);
    if (!rc) rc = compute(&work);
    if (!rc)
        cw_result_note(invocation->result,
                       "Written to %s: optiq-README.txt with remarks, optiq-claims.csv, and for each figure a CSV file "
                       "with every measurement, pictures and their gnuplot scripts.",
                       values->directory);
    claims_free(&work.claims);
    cw_optiq_points_free(&work.points);
    return rc;
}

static const char *const takes[] = {"sizes", "figures", NULL};

const struct reproduction reproduction_optiq = {
    .name = "optiq",
    .help = "Multi-path data movement on Blue Gene/Q partitions against MPI's default routes, by simulation (Bui et "
            "al., figures 4 and 5 and those announced)",
    .takes = takes,
    .run = run,
};
