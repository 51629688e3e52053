/*
 * The simulated figures of Hoefler, Schneider and Lumsdaine, "The effect of network noise on large-scale collective
 * communications" (2009): the example's time-line, the worked example, real fabrics, fat trees and tori, and the tables
 * of networks. Figures are numbered as in the journal paper. What is computed, and whether what the papers say of it
 * holds, is in src/study; here it is written down. Each figure is written as soon as it is done.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "cli/reproduce/claims.h"
#include "cli/reproduce/figures.h"
#include "cli/reproduce/noise_drawings.h"
#include "cli/reproduce/noise_fabrics.h"
#include "cli/reproduce/noise_figures.h"
#include "cli/reproduce/reproduce.h"
#include "study/papers/noise_paper.h"
#include "study/papers/published_networks.h"

enum figure { TIME_LINE, WORKED, FABRICS, TREES, RATIOS, CUBES, TABLE1, TABLE2, FIGURES };

/* 7 to 10 are the worked example, which is one computation. */
static const struct figure_name names[] = {{"1", TIME_LINE}, {"7", WORKED},      {"8", WORKED},      {"9", WORKED},
                                           {"10", WORKED},   {"11", FABRICS},    {"13", TREES},      {"15", RATIOS},
                                           {"16", CUBES},    {"table1", TABLE1}, {"table2", TABLE2}, {NULL, 0}};

/* What is simulated point by point. */
static const struct sweep {
    enum figure figure;
    int number;
    int (*find[2])(const struct cw_noise_points *points, struct cw_findings *findings);
} sweeps[] = {
    {FABRICS, 11, {cw_find_ratio, cw_find_fabric_size}},
    {TREES, 13, {cw_find_tree_size, NULL}},
    {RATIOS, 15, {cw_find_twelve_times, cw_find_dimensions_by_ratio}},
    {CUBES, 16, {cw_find_dimensions_by_size, cw_find_torus_size}},
};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

struct work {
    struct invocation *invocation;
    const struct reproduce_options *values;
    bool wanted[MAX_FIGURES];
    struct noise_fabrics fabrics;
    struct cw_noise_points points;
    struct claims claims;
    struct cw_progress *progress;
};

/* --- what is found ------------------------------------------------------------------------------------------------ */

static const char *const remarks[] = {
    "The simulation is in unit time: a message takes as long as its congestion says. That is the regime of large "
    "messages on busy channels. For a message size see crosswind noise --bytes, for queues crosswind flit.",
    "Figures are numbered as in the journal paper (Parallel Processing Letters). In the conference paper 7 and 10 are "
    "6, 9 is 7, 11 is 8, 12 is 9, and 13 is 10; it has no tori.",
    "Figure 11: the maps of the papers' machines (Thunderbird, Ranger, Atlas, CHiC, Odin) are not public. Other maps "
    "take their place; --fabrics names yours.",
    "The papers plot figures 11, 13, 15 and 16 and print no numbers of theirs; their fat trees and tori were routed by "
    "OpenSM, here they are by D-mod-k and dimension order.",
    "Growth with size is not strict: between powers of two the last level of the collective's tree fills, and the time "
    "without perturbation grows with it.",
    "Table 1 leaves out the 12 hosts of each leaf and their single cable, and fills all 24 ports: xgft(3,12,8,12,4) is "
    "XGFT(3; 12,12,8; 1,12,4). For XGFT(3,12,16,12,8) that is 1.5 cables a pair of switches; how they are laid is not "
    "said, here cable k of child c goes to parent (12c + k) mod 8.",
    "Misprints in table 2: the 9-ary 3-cube has 729 endpoints, not 728; the 17-ary 3-cube 4913, not 4912. The 100-ary "
    "2-cube of figure 15 is not in the table.",
    "Section 2 calls the perturbation ratio one \"between the size of the application communicator and the "
    "perturbation communicator\"; its examples, and the figures, are perturbing / all endpoints.",
    "The tables of the worked example are not printed; those here are one balanced choice.",
    NULL,
};

/* --- examples and tables ------------------------------------------------------------------------------------------ */

static int time_line(struct work *work)
{
    struct cw_time_line lines[CW_TIME_LINES];
    int rc = 0;
    for (int noise = 0; !rc && noise < CW_TIME_LINES; noise++)
        rc = cw_time_line_run((enum cw_time_line_noise)noise, &lines[noise]);
    if (!rc) rc = cw_find_time_lines(lines, &work->claims.findings);
    return rc ? rc : noise_draw_time_lines(lines, work->values->directory);
}

static int worked_example(struct work *work)
{
    struct cw_worked_example *balanced = NULL, *dmodk = NULL;
    int rc = cw_worked_example_run(NULL, &balanced);
    if (!rc) rc = cw_worked_example_run("dmodk", &dmodk);
    if (!rc) rc = cw_find_worked_example(balanced, dmodk, &work->claims.findings);
    if (!rc) rc = noise_draw_worked_example(balanced, work->values->directory);
    cw_worked_example_free(balanced);
    cw_worked_example_free(dmodk);
    return rc;
}

static const struct cw_column network_columns[] = {
    {"layout", CW_COLUMN_TEXT, NULL, "as printed"},
    {"network", CW_COLUMN_TEXT, NULL, "what Crosswind calls it"},
    {"printed_endpoints", CW_COLUMN_INT, NULL, "endpoints, as printed"},
    {"endpoints", CW_COLUMN_INT, NULL, "endpoints, counted"},
    {"printed_switches", CW_COLUMN_INT, NULL, "switches, as printed"},
    {"switches", CW_COLUMN_INT, NULL, "switches, counted"},
    {"parallel_cables", CW_COLUMN_TEXT, NULL, "cables between two switches that are joined"},
    {"as_printed", CW_COLUMN_TEXT, NULL, "whether all printed numbers are right"},
};

static void add_network(struct cw_table *table, const struct cw_published_network *printed,
                        const struct cw_network_size *size)
{
    const bool same =
        printed->endpoints == size->endpoints && (printed->switches == 0 || printed->switches == size->switches);
    cw_table_text(table, printed->layout);
    cw_table_text(table, printed->spec);
    cw_table_int(table, printed->endpoints);
    cw_table_int(table, size->endpoints);
    if (printed->switches > 0)
        cw_table_int(table, printed->switches);
    else
        cw_table_none(table);
    cw_table_int(table, size->switches);
    cw_table_text(table, size->cables);
    cw_table_text(table, same ? "yes" : "no");
}

static int networks(struct work *work, const char *title, const char *file, const struct cw_published_network *printed)
{
    struct cw_network_size sizes[64];
    struct cw_table *table;
    size_t n = 0;
    int rc = cw_table_new("networks", NULL, network_columns, sizeof network_columns / sizeof *network_columns, &table);
    if (rc) return rc;
    for (; !rc && printed[n].layout; n++) {
        rc = cw_published_network_size(&printed[n], &sizes[n]);
        if (!rc) add_network(table, &printed[n], &sizes[n]);
    }
    if (!rc) rc = cw_find_counts(title, printed, sizes, n, &work->claims.findings);
    if (!rc) return noise_figure_csv(table, work->values->directory, file);
    cw_table_free(table);
    return rc;
}

/* The figures that take no time. */
static int show_examples(struct work *work)
{
    int rc = 0;
    if (work->wanted[TIME_LINE]) rc = time_line(work);
    if (!rc && work->wanted[WORKED]) rc = worked_example(work);
    if (!rc && work->wanted[TABLE1]) rc = networks(work, "table 1", "noise-table1", cw_published_trees);
    if (!rc && work->wanted[TABLE2]) rc = networks(work, "table 2", "noise-table2", cw_published_cubes);
    return rc ? rc : claims_tell(&work->claims);
}

/* --- sweeps ------------------------------------------------------------------------------------------------------- */

static int add_points(struct work *work)
{
    int rc = 0;
    if (work->wanted[FABRICS])
        rc = noise_fabrics_open(work->invocation, work->values->fabrics, &work->fabrics, &work->points);
    for (size_t i = 0; !rc && i < SWEEPS; i++)
        if (work->wanted[sweeps[i].figure] && sweeps[i].figure != FABRICS)
            rc = cw_noise_points_add(&work->points, sweeps[i].number);
    return rc;
}

static void announce(void *context, size_t index, const struct cw_noise_point *point)
{
    struct work *work = context;
    char label[64];
    snprintf(label, sizeof label, "point %zu of %zu (figure %d)", index + 1, work->points.n, point->figure);
    cw_progress_label(work->progress, label);
}

/* Writes a figure once its last point has run. */
static int finish(void *context, size_t index, const struct cw_noise_point *point)
{
    struct work *work = context;
    if (index + 1 < work->points.n && work->points.items[index + 1].figure == point->figure) return 0;
    for (size_t i = 0; i < SWEEPS; i++) {
        if (sweeps[i].number != point->figure) continue;
        const int rc = noise_figure_write(&work->points, index + 1, point->figure, (size_t)work->values->trials,
                                          work->values->directory);
        if (rc) return rc;
        for (size_t k = 0; k < 2; k++) {
            const int failed = sweeps[i].find[k] ? sweeps[i].find[k](&work->points, &work->claims.findings) : 0;
            if (failed) return failed;
        }
    }
    return claims_tell(&work->claims);
}

static int run_points(struct work *work)
{
    if (work->points.n == 0) return 0;
    const size_t trials = (size_t)work->values->trials;
    work->progress = invocation_progress(work->invocation, "noise", trials * work->points.n);
    const struct cw_noise_study study = {.trials = trials,
                                         .seed = (uint64_t)work->invocation->common.seed,
                                         .n_threads = (unsigned)work->invocation->common.threads,
                                         .executor = invocation_executor(work->invocation),
                                         .progress = work->progress,
                                         .before = announce,
                                         .after = finish,
                                         .context = work};
    const int rc = cw_noise_points_run(&study, &work->points);
    cw_progress_free(work->progress);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* How many findings there will be. */
static size_t count_findings(const struct work *work)
{
    size_t n = 0;
    if (work->wanted[TIME_LINE]) n += 2;
    if (work->wanted[WORKED]) n += 5;
    n += work->wanted[TABLE1] + work->wanted[TABLE2];
    for (size_t i = 0; i < SWEEPS; i++) {
        const bool runs = sweeps[i].figure == FABRICS ? work->fabrics.n > 0 : work->wanted[sweeps[i].figure];
        for (size_t k = 0; k < 2; k++) n += runs && sweeps[i].find[k];
    }
    return n;
}

static int run(struct invocation *invocation)
{
    struct work work = {.invocation = invocation, .values = invocation->values};
    char source[256];
    snprintf(
        source, sizeof source,
        "T. Hoefler, T. Schneider, A. Lumsdaine: The effect of network noise on large-scale collective communications, "
        "2009. %lld trials a point.",
        (long long)work.values->trials);
    work.claims = (struct claims){.invocation = invocation,
                                  .name = "noise",
                                  .directory = work.values->directory,
                                  .source = source,
                                  .remarks = remarks};
    int rc = figures_choose(work.values->figures, names, work.wanted);
    if (!rc && work.values->fabrics && !work.wanted[FABRICS])
        rc = cw_fail(CW_EUSAGE, "--fabrics is for figure 11, which --figures leaves out");
    if (!rc) rc = add_points(&work);
    if (!rc) rc = claims_begin(&work.claims, count_findings(&work));
    if (!rc) rc = show_examples(&work);
    if (!rc) rc = run_points(&work);
    if (!rc) {
        cw_result_note(invocation->result, "%s", remarks[0]);
        cw_result_note(
            invocation->result,
            "Written to %s: noise-README.txt with remarks and misprints, noise-claims.csv, and for each figure its "
            "CSV, its pictures and their gnuplot scripts.",
            work.values->directory);
    }
    claims_free(&work.claims);
    cw_noise_points_free(&work.points);
    noise_fabrics_free(&work.fabrics);
    return rc;
}

static const char *const takes[] = {"trials", "figures", "fabrics", NULL};

const struct reproduction reproduction_noise = {
    .name = "noise",
    .help = "The slowdown of a collective by the traffic of others on fat trees, tori and fabrics, and the worked "
            "example of it (Hoefler, Schneider and Lumsdaine 2009; figures as in the journal paper)",
    .takes = takes,
    .run = run,
};
