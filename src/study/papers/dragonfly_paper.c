#include "study/papers/dragonfly_paper.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "report/rows.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

#define NODE_CYCLES  60000000.0 /* nodes times cycles of a measurement, within these limits: */
#define LEAST_CYCLES 8000
#define MOST_CYCLES  200000
#define NODE_WARMUP  90000000.0 /* … and of the most that is spent on warming up */
#define LEAST_WARMUP 12000
#define MOST_WARMUP  60000

const struct cw_dragonfly_way cw_dragonfly_ways[CW_DRAGONFLY_CURVES] = {
    {"minimal", "contiguous", "shortest path", false},
    {"valiant-restricted", "contiguous", "ValiantRestricted", false},
    {"minimal", "random-groups", "shortest path, random groups", false},
    {"valiant-any", "contiguous", "ValiantAny", true},
    {"valiant-restricted", "random-groups", "ValiantRestricted, random groups", true},
    {"valiant-any", "random-groups", "ValiantAny, random groups", true},
};

/* --- which points ------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t p, a, h;
} sizes[] = {{2, 3, 2}, {2, 4, 2}, {3, 6, 3}, {4, 8, 4}, {5, 10, 5}, {6, 12, 6}, {7, 14, 7}, {8, 16, 8}};

/* How many of them, and how long each point is measured: in the usual time, or a twentieth of it. */
static const struct {
    size_t n;
    double share;
} scales[] = {[CW_SIZES_QUICK] = {2, 0.05}, [CW_SIZES_SMALL] = {4, 1}, [CW_SIZES_ALL] = {8, 1}};

static void name_traffic(size_t panel, struct cw_dragonfly_point *point)
{
    if (panel / 2 == 0)
        snprintf(point->traffic, sizeof point->traffic, "bitcomp");
    else if (panel / 2 == 1)
        snprintf(point->traffic, sizeof point->traffic, "group-shift:%u", point->h + 1);
    else /* the third dimension is a third of the machine away: further than h groups */
        snprintf(point->traffic, sizeof point->traffic, "halo:%ux1x3,axis=z,direction=up", point->nodes / 3);
}

static struct cw_dragonfly_point point_of(size_t panel, enum cw_dragonfly_curve curve, size_t size, double share)
{
    struct cw_dragonfly_point point = {
        .curve = curve, .p = sizes[size].p, .a = sizes[size].a, .h = sizes[size].h, .share = share};
    point.switches = point.a * (point.a * point.h + 1);
    point.nodes = point.p * point.switches;
    point.estimate = 3 / (4.0 * point.p);
    point.point = (struct cw_point){.figure = panel, .cost = point.nodes};
    snprintf(point.network, sizeof point.network, "dragonfly:%u,%u,%u", point.p, point.a, point.h);
    name_traffic(panel, &point);
    return point;
}

/* Curve by curve, each by growing size. */
static int add(struct cw_paper_run *run, size_t panel)
{
    const enum cw_paper_sizes scale = run->setup->sizes;
    for (int curve = 0; curve < CW_DRAGONFLY_CURVES; curve++)
        for (size_t size = 0; cw_dragonfly_ways[curve].right == (panel % 2 != 0) && size < scales[scale].n; size++) {
            const struct cw_dragonfly_point point =
                point_of(panel, (enum cw_dragonfly_curve)curve, size, scales[scale].share);
            if (!cw_points_add(&run->points, &point)) return CW_ENOMEM;
        }
    return 0;
}

/* --- running them ------------------------------------------------------------------------------------------------- */

/* NODE_TIMES / nodes cycles, within limits. Small networks are measured longer: what they accept swings slowly, and
 * costs little to average. */
static uint64_t cycles_for(const struct cw_dragonfly_point *point, double node_times, double least, double most)
{
    return (uint64_t)(point->share * floor(fmin(fmax(node_times / point->nodes, least), most)));
}

static int simulate(const struct cw_flit_case *made, struct cw_dragonfly_point *point)
{
    static const struct cw_flit_messages single = {.flits = 1};
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.find_warmup = true,
                                           .warmup = cycles_for(point, NODE_WARMUP, LEAST_WARMUP, MOST_WARMUP),
                                           .cycles = cycles_for(point, NODE_CYCLES, LEAST_CYCLES, MOST_CYCLES),
                                           .until_ci = 0.01,
                                           .confidence = 0.99};
    struct cw_flit_model model;
    int rc = cw_flit_case_model(made, &model);
    if (rc) return rc;
    struct cw_flit_measurement run;
    rc = cw_flit_case_measure(made, &hardware, &single, 1, &steady, &run);
    if (!rc) {
        point->accepted = run.steady.accepted;
        point->accepted_ci99 = run.steady.accepted_ci;
        point->cycles = run.steady.cycles;
        point->warmup_cycles = run.steady.warmup_cycles;
        point->steady = run.steady.steady;
        point->bound = model.bound;
    }
    cw_flit_measurement_free(&run);
    return rc;
}

static int compute(const struct cw_paper_run *run, void *space)
{
    struct cw_dragonfly_point *point = space;
    const struct cw_dragonfly_way *way = &cw_dragonfly_ways[point->curve];
    struct cw_network *net;
    struct cw_packet_routing *routing = NULL;
    int rc = cw_topology_build(point->network, &net);
    if (rc) return rc;
    struct cw_flit_case made = {.net = net,
                                .traffic_spec = point->traffic,
                                .placement_spec = way->placement,
                                .seed = run->setup->seed,
                                .n_threads = 1};
    rc = cw_packet_routing_new(net, way->routing, made.seed, 1, &routing);
    made.routing = routing;
    if (!rc) rc = cw_flit_case_make(&made);
    if (!rc) rc = simulate(&made, point);
    cw_flit_case_free(&made);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/*
 * Limits are compared with means, rounded as the paper prints them. Two accepted loads differ if their distance is more
 * than that of 99 % confidence, √(ci₁² + ci₂²); if they do not, and that is more than 5 % of the first, nothing is
 * decided.
 */

/* The next point of PANEL and CURVE that has run, from index *AT on, which moves behind it; NULL: no more. */
static const struct cw_dragonfly_point *next(const struct cw_points *all, size_t panel, enum cw_dragonfly_curve curve,
                                             size_t *at)
{
    const struct cw_dragonfly_point *point;
    while ((point = cw_points_next(all, panel, at)) && point->curve != curve)
        ;
    return point;
}

/* The point of another curve for the same network. */
static const struct cw_dragonfly_point *beside(const struct cw_points *all, const struct cw_dragonfly_point *one,
                                               size_t panel, enum cw_dragonfly_curve curve)
{
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, curve, &at));)
        if (item->nodes == one->nodes) return item;
    return NULL;
}

#define MARGIN 0.05 /* of what is accepted: wider intervals leave open whether two loads differ */

/* How much more B accepts than A: 1, 0 (they do not differ), -1. */
static int compare(const struct cw_dragonfly_point *a, const struct cw_dragonfly_point *b)
{
    const double distance = b->accepted - a->accepted, sure = hypot(a->accepted_ci99, b->accepted_ci99);
    return distance > sure ? 1 : distance < -sure ? -1 : 0;
}

/* Whether A and B are known too badly to tell if they differ. */
static bool undecided(const struct cw_dragonfly_point *a, const struct cw_dragonfly_point *b)
{
    return compare(a, b) == 0 && hypot(a->accepted_ci99, b->accepted_ci99) > MARGIN * a->accepted;
}

#define SIZED      "%.3f ± %.3f at %u nodes"
#define SIZE_OF(p) (p)->accepted, (p)->accepted_ci99, (p)->nodes

static const char no_points[] = "there are no points", too_wide[] = "the intervals are too wide to tell";

/* Of all routings, shortest paths accept the least. */
static int find_adversarial(const void *all, struct cw_finding *finding)
{
    const struct cw_dragonfly_point *last = NULL, *rival = NULL;
    size_t at = 0, tested = 0, kept = 0, open = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, finding->index, CW_DRAGONFLY_MINIMAL, &at));) {
        const struct cw_dragonfly_point *other = beside(all, item, finding->index, CW_DRAGONFLY_RESTRICTED);
        if (!other) continue;
        if (undecided(item, other)) {
            open++;
            continue;
        }
        tested++;
        kept += compare(item, other) > 0;
        last = item;
        rival = other;
    }
    if (!last) return cw_find_nothing(finding, open > 0 ? too_wide : no_points);
    return cw_find(finding, cw_verdict_of(kept, tested), last->accepted,
                   "on %zu of %zu networks less than ValiantRestricted; " SIZED ", ValiantRestricted %.3f%s%s", kept,
                   tested, SIZE_OF(last), rival->accepted, open > 0 ? "; elsewhere " : "", open > 0 ? too_wide : "");
}

static int find_falling(const void *all, struct cw_finding *finding)
{
    const struct cw_dragonfly_point *first = NULL, *last = NULL, *rise = NULL, *after_rise = NULL;
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, finding->index, CW_DRAGONFLY_RESTRICTED, &at));
         last = item) {
        if (!first) first = item;
        if (!last || rise || compare(last, item) <= 0) continue;
        rise = last;
        after_rise = item;
    }
    if (first == last) return cw_find_nothing(finding, "there are not two networks");
    const enum cw_verdict verdict = undecided(first, last)      ? CW_NOT_TESTED
                                    : compare(first, last) >= 0 ? CW_HOLDS_NOT
                                    : rise                      ? CW_HOLDS_IN_PART
                                                                : CW_HOLDS;
    if (verdict == CW_NOT_TESTED)
        return cw_find(finding, verdict, last->accepted, "%s: " SIZED ", " SIZED, too_wide, SIZE_OF(first),
                       SIZE_OF(last));
    if (!rise) return cw_find(finding, verdict, last->accepted, SIZED ", " SIZED, SIZE_OF(first), SIZE_OF(last));
    return cw_find(finding, verdict, last->accepted, SIZED ", " SIZED "; it rises from %u nodes (%.3f) to %u (%.3f)",
                   SIZE_OF(first), SIZE_OF(last), rise->nodes, rise->accepted, after_rise->nodes, after_rise->accepted);
}

/* Between 1/(2p) and 1/p. */
static int find_estimate(const void *all, struct cw_finding *finding)
{
    const struct cw_dragonfly_point *worst = NULL;
    double greatest = -1;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, finding->index, CW_DRAGONFLY_RESTRICTED, &at));
         tested++) {
        const double ratio = item->accepted / item->estimate, apart = fabs(ratio - 1);
        kept += apart <= 1.0 / 3;
        if (apart <= greatest) continue;
        greatest = apart;
        worst = item;
    }
    if (!worst) return cw_find_nothing(finding, no_points);
    return cw_find(finding, cw_verdict_of(kept, tested), worst->accepted / worst->estimate,
                   "on %zu of %zu networks it is within 1/(2p) and 1/p, the limits of equation 1; furthest away " SIZED
                   ", where the estimate is %.3f",
                   kept, tested, SIZE_OF(worst), worst->estimate);
}

#define MANY_SWITCHES 512

static int find_low(const void *all, struct cw_finding *finding)
{
    const double limit = finding->claim->numbers[0] / 100.0;
    const struct cw_dragonfly_point *greatest = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, finding->index, CW_DRAGONFLY_RESTRICTED, &at));) {
        if (item->switches <= MANY_SWITCHES) continue;
        tested++;
        kept += item->accepted < limit;
        if (!greatest || item->accepted > greatest->accepted) greatest = item;
    }
    if (!greatest) return cw_find_nothing(finding, "no network here is so large: that takes --sizes all");
    return cw_find(finding, cw_verdict_of(kept, tested), greatest->accepted,
                   "on %zu of %zu such networks; the most is " SIZED, kept, tested, SIZE_OF(greatest));
}

static int find_any(const void *all, struct cw_finding *finding)
{
    const struct cw_dragonfly_point *least = NULL, *most = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, finding->index, CW_DRAGONFLY_ANY, &at)); tested++) {
        const double percent = round(100 * item->accepted);
        kept += percent >= 33 && percent <= 43;
        if (!least || item->accepted < least->accepted) least = item;
        if (!most || item->accepted > most->accepted) most = item;
    }
    if (!least) return cw_find_nothing(finding, no_points);
    return cw_find(finding, cw_verdict_of(kept, tested), least->accepted,
                   "on %zu of %zu networks; from " SIZED " to " SIZED, kept, tested, SIZE_OF(least), SIZE_OF(most));
}

/* By 10 points at least in the largest network, and nowhere less than without them, which is on the panel before. */
static int find_random(const void *all, struct cw_finding *finding)
{
    const size_t panel = finding->index;
    const struct cw_dragonfly_point *first = NULL, *last = NULL, *first_random = NULL, *last_random = NULL;
    bool lost = false;
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED_RANDOM, &at));) {
        const struct cw_dragonfly_point *plain = beside(all, item, panel - 1, CW_DRAGONFLY_RESTRICTED);
        if (!plain) continue;
        lost = lost || compare(plain, item) < 0;
        if (!first) {
            first = plain;
            first_random = item;
        }
        last = plain;
        last_random = item;
    }
    if (!last) return cw_find_nothing(finding, "that takes the panel before it");
    const double gain = last_random->accepted - last->accepted;
    const double sure = hypot(last->accepted_ci99, last_random->accepted_ci99);
    enum cw_verdict verdict = lost || gain + sure < 0.1 ? CW_HOLDS_IN_PART : CW_HOLDS;
    if (gain <= sure) verdict = undecided(last, last_random) ? CW_NOT_TESTED : CW_HOLDS_NOT;
    return cw_find(finding, verdict, gain, "%+.1f points at %u nodes, %+.1f ± %.1f at %u%s",
                   100 * (first_random->accepted - first->accepted), first->nodes, 100 * gain, 100 * sure, last->nodes,
                   verdict == CW_NOT_TESTED ? ", which is too wide to tell"
                   : lost                   ? "; in some network they take away"
                                            : "");
}

/* --- rows and pictures -------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"panel", CW_COLUMN_TEXT, NULL, "panel of the figure"},
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where messages go"},
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"placement", CW_COLUMN_TEXT, NULL, "contiguous, or groups in random order"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth", .detail = true},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci99", CW_COLUMN_REAL, NULL, "half width of its 99 % confidence interval, as in the paper",
     .interval = true},
    {"cycles", CW_COLUMN_INT, "cycle", "measured", .detail = true},
    {"warmup_cycles", CW_COLUMN_INT, "cycle", "before measuring", .detail = true},
    {"steady", CW_COLUMN_TEXT, NULL, "whether the accepted load had no trend in the cycles measured"},
    {"model_estimate", CW_COLUMN_REAL, NULL, "3/(4p) of equation 4"},
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound"},
};

#define COLUMNS (sizeof columns / sizeof *columns)

static void rows(const struct cw_paper_run *run, struct cw_table *table, const void *of)
{
    const struct cw_dragonfly_point *point = of;
    cw_table_row(table, "%s %s %u %s %s %s %g %g %g %lu %lu %s %g %g", run->paper->figures[point->point.figure].name,
                 point->network, point->nodes, point->traffic, cw_dragonfly_ways[point->curve].routing,
                 cw_dragonfly_ways[point->curve].placement, (double)1, point->accepted, point->accepted_ci99,
                 point->cycles, point->warmup_cycles, point->steady ? "yes" : "no", point->estimate, point->bound);
}

static int tables(struct cw_paper_run *run)
{
    return cw_paper_table(run, "dragonfly_fig3", "Accepted load of adversarial traffic on dragonflies", columns,
                          COLUMNS, run->points.n, &run->table);
}

/* A curve for each way that the panel has, and on the left the estimate. */
static int draw(struct cw_paper_run *run, size_t panel)
{
    const struct cw_plot_level level = {"load-oblivious limit", 0.5};
    const struct cw_dragonfly_point *point;
    struct cw_chart chart = {0};
    enum cw_dragonfly_curve first = CW_DRAGONFLY_CURVES;
    double least, most;
    for (int curve = 0; curve < CW_DRAGONFLY_CURVES; curve++) {
        cw_chart_begin(&chart, "%s", cw_dragonfly_ways[curve].label);
        for (size_t at = 0; (point = next(&run->points, panel, (enum cw_dragonfly_curve)curve, &at));)
            cw_chart_point(&chart, point->nodes, point->accepted, point->accepted - point->accepted_ci99,
                           point->accepted + point->accepted_ci99);
        if (cw_chart_keep(&chart) && first == CW_DRAGONFLY_CURVES) first = (enum cw_dragonfly_curve)curve;
    }
    if (panel % 2 == 0) {
        struct cw_plot_series *estimate = cw_chart_begin(&chart, "estimate 3/(4p)");
        estimate->style = CW_PLOT_LINES;
        estimate->dashed = true;
        for (size_t at = 0; (point = next(&run->points, panel, first, &at));)
            cw_chart_point(&chart, point->nodes, point->estimate, 0, 0);
    }
    cw_chart_range(&chart, &least, &most);
    /* Between powers of ten gnuplot has nothing to write on an axis, and beyond the points it would go on to the next.
     */
    const bool wide = most >= 10 * least;
    const struct cw_plot plot = {
        .title = run->paper->figures[panel].title,
        .x = {.label = "nodes",
              .logarithmic = wide,
              .min = wide ? 0.8 * least : least - 0.1 * (most - least),
              .max = wide ? 1.25 * most : most + 0.1 * (most - least)},
        .y = {.label = "accepted load", .unit = "share of injection bandwidth", .min = 0, .max = 0.6},
        .levels = &level,
        .n_levels = 1};
    return cw_paper_plot(run, run->paper->figures[panel].file, &chart, &plot);
}

/* ------------------------------------------------------------------------------------------------------------------ */

#define LEFT(percent)                                                                                                  \
    {                                                                                                                  \
        {"the traffic is adversarial: shortest path routing accepts least",                                            \
         "accepted under shortest paths, largest network", find_adversarial},                                          \
            {"ValiantRestricted accepts ever less as the network grows",                                               \
             "accepted under ValiantRestricted, largest network", find_falling},                                       \
            {"ValiantRestricted follows the estimate 3/(4p) closely", "accepted / estimate, where it differs most",    \
             find_estimate},                                                                                           \
            {"ValiantRestricted drops below " #percent " % in networks of more than 512 switches",                     \
             "most accepted with so many switches",                                                                    \
             find_low,                                                                                                 \
             {percent}},                                                                                               \
    }

static const struct cw_paper_claim
    left[] = LEFT(15),
    neighbour[] = LEFT(20),
    right[] = {{"ValiantAny accepts 33 to 43 %", "accepted under ValiantAny, least", find_any},
               {"random groups give ValiantRestricted about 10 points more, in large networks above all",
                "gain in the largest network", find_random}};

static const struct cw_paper_figure figures[] = {
    {"3a", "dragonfly-fig3a", "Figure 3a: bit complement", CW_ITEMS(left)},
    {"3b", "dragonfly-fig3b", "Figure 3b: bit complement", CW_ITEMS(right)},
    {"3c", "dragonfly-fig3c", "Figure 3c: shift by h + 1 groups", CW_ITEMS(left)},
    {"3d", "dragonfly-fig3d", "Figure 3d: shift by h + 1 groups", CW_ITEMS(right)},
    {"3e", "dragonfly-fig3e", "Figure 3e: 3-D nearest neighbour", CW_ITEMS(neighbour)},
    {"3f", "dragonfly-fig3f", "Figure 3f: 3-D nearest neighbour", CW_ITEMS(right)},
    {.name = NULL}};

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

static const struct cw_paper_option takes[] = {{"sizes", NULL}, {"figures", NULL}, {NULL, NULL}};

const struct cw_paper cw_paper_dragonfly_fig3 = {
    .name = "dragonfly-fig3",
    .help = "What dragonflies of growing size accept of adversarial traffic under three routings, beside the analytic "
            "estimate (Prisacari et al. 2015, figure 3)",
    .source = "B. Prisacari, G. Rodriguez, M. Garcia, E. Vallejo, R. Beivide, C. Minkenberg: Performance "
              "optimization of load imbalanced workloads in large scale dragonfly systems, 2015, figure 3.",
    .remarks = remarks,
    .written = "dragonfly-fig3-README.txt with remarks, dragonfly-fig3-claims.csv, and for each panel, 3a to 3f, its "
               "CSV, its picture and its gnuplot script.",
    .takes = takes,
    .figures = figures,
    .point_size = sizeof(struct cw_dragonfly_point),
    .results = offsetof(struct cw_dragonfly_point, accepted),
    .add = add,
    .compute = compute,
    .columns = columns,
    .n_columns = COLUMNS,
    .rows = rows,
    .tables = tables,
    .draw = draw,
};
