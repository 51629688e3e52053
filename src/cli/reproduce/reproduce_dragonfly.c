/*
 * Figure 3 of Prisacari et al., "Performance optimization of load imbalanced workloads in large scale dragonfly
 * systems" (2015): three adversarial traffics, three routings, contiguous and randomised groups, on dragonflies from 42
 * to 16,512 nodes. What is computed, and whether what the paper says of it holds, is in src/study; here it is written
 * down, panel by panel.
 */
#include <stdio.h>

#include "base/progress.h"
#include "cli/reproduce/claims.h"
#include "cli/reproduce/dragonfly_figure.h"
#include "cli/reproduce/figures.h"
#include "cli/reproduce/reproduce.h"
#include "study/papers/dragonfly_paper.h"

static const struct figure_name names[] = {{"3a", 0}, {"3b", 1}, {"3c", 2}, {"3d", 3}, {"3e", 4}, {"3f", 5}, {NULL, 0}};

static const enum cw_dragonfly_sizes scales[] = {
    [SIZES_QUICK] = CW_DRAGONFLY_QUICK, [SIZES_SMALL] = CW_DRAGONFLY_SMALL, [SIZES_ALL] = CW_DRAGONFLY_ALL};

struct work {
    struct invocation *invocation;
    const char *directory;
    struct cw_dragonfly_points points;
    struct claims claims;
    struct cw_table *table; /* of the result, which owns it; a row for each point */
    struct cw_progress *progress;
};

static const char *const remarks[] = {
    "Flits of 64 B, messages of one flit, and queues of 4 KiB for each port, direction and lane are the paper's. What "
    "it leaves open is as crosswind flit has it by default.",
    "Saturated networks under Valiant routing swing between states that last for thousands of cycles. The intervals "
    "know "
    "of the swings that were seen. A point that still drifted has \"no\" in the column steady.",
    "The formula by which groups are wired links, as printed, a group to itself; here 1 is added to it.",
    "Two curves are not in the paper: shortest paths and ValiantAny with random groups.",
    "The nearest-neighbour traffic is continuous here; in the paper each pair exchanges 256 KB once.",
    "With --sizes quick a point is measured for a twentieth of the time: that shows how it works, not what is true.",
    NULL,
};

static int write_csv(const struct work *work, size_t first, size_t n)
{
    struct cw_table *table;
    char name[32];
    snprintf(name, sizeof name, "dragonfly-fig3%c", 'a' + work->points.items[first].panel);
    int rc = dragonfly_table("panel", &table);
    if (rc) return rc;
    dragonfly_rows(table, &work->points, first, n);
    rc = figure_csv(table, work->directory, name);
    cw_table_free(table);
    return rc;
}

static void announce(void *context, size_t begun, size_t point)
{
    const struct work *work = context;
    char label[64];
    snprintf(label, sizeof label, "point %zu of %zu (figure 3%c)", begun, work->points.n,
             'a' + work->points.items[point].panel);
    cw_progress_label(work->progress, label);
}

/* Writes a panel down; of one that ended early the points that were done. */
static int finish(void *context, size_t first, size_t n, bool complete)
{
    struct work *work = context;
    const int panel = work->points.items[first].panel;
    dragonfly_rows(work->table, &work->points, first, n);
    int rc = write_csv(work, first, n);
    if (rc || !complete) return rc;
    rc = cw_find_dragonfly_panel(&work->points, panel, &work->claims.findings);
    if (!rc) rc = claims_tell(&work->claims);
    return rc ? rc : dragonfly_draw(&work->points, first, n, work->directory);
}

static int begin(struct work *work, const struct reproduce_options *values)
{
    bool wanted[MAX_FIGURES];
    size_t findings = 0;
    int rc = figures_choose(values->figures, names, wanted);
    for (int panel = 0; !rc && panel < CW_DRAGONFLY_PANELS; panel++) {
        if (!wanted[panel]) continue;
        rc = cw_dragonfly_points_add(&work->points, panel, scales[values->sizes]);
        findings += cw_count_dragonfly_findings(panel);
    }
    if (!rc) rc = dragonfly_table("dragonfly_fig3", &work->table);
    if (!rc) rc = cw_result_add_table(work->invocation->result, work->table);
    if (!rc) cw_table_expect(work->table, work->points.n);
    return rc ? rc : claims_begin(&work->claims, findings);
}

static int measure(struct work *work)
{
    work->progress = invocation_progress(work->invocation, "dragonfly-fig3", work->points.n);
    const struct cw_figure_study study = {.seed = (uint64_t)work->invocation->common.seed,
                                          .n_threads = (unsigned)work->invocation->common.threads,
                                          .executor = invocation_executor(work->invocation),
                                          .progress = work->progress,
                                          .before = announce,
                                          .after = finish,
                                          .context = work};
    const int rc = cw_dragonfly_points_run(&study, &work->points);
    cw_progress_free(work->progress);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    struct work work = {.invocation = invocation, .directory = values->directory};
    work.claims = (struct claims){
        .invocation = invocation,
        .name = "dragonfly-fig3",
        .directory = values->directory,
        .source = "B. Prisacari, G. Rodriguez, M. Garcia, E. Vallejo, R. Beivide, C. Minkenberg: Performance "
                  "optimization of load imbalanced workloads in large scale dragonfly systems, 2015, figure 3.",
        .remarks = remarks};
    int rc = begin(&work, values);
    if (!rc) rc = measure(&work);
    if (!rc)
        cw_result_note(invocation->result,
                       "Written to %s: dragonfly-fig3-README.txt with remarks, dragonfly-fig3-claims.csv, and for each "
                       "panel, 3a to 3f, its CSV, its picture and its gnuplot script.",
                       values->directory);
    claims_free(&work.claims);
    cw_dragonfly_points_free(&work.points);
    return rc;
}

static const char *const takes[] = {"sizes", "figures", NULL};

const struct reproduction reproduction_dragonfly_fig3 = {
    .name = "dragonfly-fig3",
    .help = "What dragonflies of growing size accept of adversarial traffic under three routings, beside the analytic "
            "estimate (Prisacari et al. 2015, figure 3)",
    .takes = takes,
    .run = run,
};
