#include "study/papers/dragonfly_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/flit/flit_case.h"
#include "study/papers/batch.h"
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

static const struct {
    size_t n;
    double share;
} scales[] = {[CW_DRAGONFLY_QUICK] = {2, 0.05}, [CW_DRAGONFLY_SMALL] = {4, 1}, [CW_DRAGONFLY_ALL] = {8, 1}};

static void name_traffic(struct cw_dragonfly_point *point)
{
    switch (point->panel / 2) {
    case 0:
        snprintf(point->traffic, sizeof point->traffic, "bitcomp");
        return;
    case 1:
        snprintf(point->traffic, sizeof point->traffic, "group-shift:%u", point->h + 1);
        return;
    default: /* the third dimension is a third of the machine away: further than h groups */
        snprintf(point->traffic, sizeof point->traffic, "halo:%ux1x3,axis=z,direction=up", point->nodes / 3);
    }
}

static struct cw_dragonfly_point point_of(int panel, enum cw_dragonfly_curve curve, size_t size, double share)
{
    struct cw_dragonfly_point point = {.panel = panel, .curve = curve, .share = share};
    point.p = sizes[size].p;
    point.a = sizes[size].a;
    point.h = sizes[size].h;
    point.switches = point.a * (point.a * point.h + 1);
    point.nodes = point.p * point.switches;
    point.estimate = 3 / (4.0 * point.p);
    snprintf(point.network, sizeof point.network, "dragonfly:%u,%u,%u", point.p, point.a, point.h);
    name_traffic(&point);
    return point;
}

int cw_dragonfly_points_add(struct cw_dragonfly_points *points, int panel, enum cw_dragonfly_sizes scale)
{
    if (panel < 0 || panel >= CW_DRAGONFLY_PANELS)
        return cw_fail(CW_EUSAGE, "there is no panel %d, expected 0 to %d", panel, CW_DRAGONFLY_PANELS - 1);
    const size_t n = scales[scale].n;
    void *items = points->items;
    const int rc =
        cw_grow_array(&items, &points->capacity, points->n + CW_DRAGONFLY_CURVES * n, sizeof *points->items, "points");
    if (rc) return rc;
    points->items = items;
    for (int curve = 0; curve < CW_DRAGONFLY_CURVES; curve++)
        for (size_t size = 0; cw_dragonfly_ways[curve].right == (panel % 2 != 0) && size < n; size++)
            points->items[points->n++] = point_of(panel, (enum cw_dragonfly_curve)curve, size, scales[scale].share);
    return 0;
}

void cw_dragonfly_points_free(struct cw_dragonfly_points *points)
{
    free(points->items);
    *points = (struct cw_dragonfly_points){0};
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

struct work {
    const struct cw_figure_study *study;
    struct cw_dragonfly_points *points;
};

static int measure(void *context, size_t index, void *outcome)
{
    const struct work *work = context;
    struct cw_dragonfly_point *point = outcome;
    *point = work->points->items[index];
    const struct cw_dragonfly_way *way = &cw_dragonfly_ways[point->curve];
    struct cw_network *net;
    struct cw_packet_routing *routing = NULL;
    int rc = cw_topology_build(point->network, &net);
    if (rc) return rc;
    struct cw_flit_case made = {.net = net,
                                .traffic_spec = point->traffic,
                                .placement_spec = way->placement,
                                .seed = work->study->seed,
                                .n_threads = 1};
    rc = cw_packet_routing_new(net, way->routing, made.seed, 1, &routing);
    made.routing = routing;
    if (!rc) rc = cw_flit_case_make(&made);
    if (!rc) rc = simulate(&made, point);
    if (!rc) point->done = true;
    cw_flit_case_free(&made);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return rc;
}

static void keep(void *context, size_t index, const void *outcome)
{
    const struct work *work = context;
    work->points->items[index] = *(const struct cw_dragonfly_point *)outcome;
}

static int panel_of(void *context, size_t index)
{
    const struct work *work = context;
    return work->points->items[index].panel;
}

static double cost_of(void *context, size_t index)
{
    const struct work *work = context;
    return work->points->items[index].nodes;
}

int cw_dragonfly_points_run(const struct cw_figure_study *study, struct cw_dragonfly_points *points)
{
    struct work work = {study, points};
    const struct cw_figure_points batches = {.n = points->n,
                                             .figure_of = panel_of,
                                             .cost_of = cost_of,
                                             .outcome_size = sizeof *points->items,
                                             .compute = measure,
                                             .keep = keep,
                                             .context = &work};
    return cw_figure_points_run(study, &batches);
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static const char *const names[CW_DRAGONFLY_PANELS] = {"3a", "3b", "3c", "3d", "3e", "3f"};

/* The next point of PANEL and CURVE that has run, from index *AT on, which moves behind it; NULL: no more. */
static const struct cw_dragonfly_point *next(const struct cw_dragonfly_points *all, int panel,
                                             enum cw_dragonfly_curve curve, size_t *at)
{
    while (*at < all->n) {
        const struct cw_dragonfly_point *item = &all->items[(*at)++];
        if (item->panel == panel && item->curve == curve && item->done) return item;
    }
    return NULL;
}

/* The point of another curve for the same network. */
static const struct cw_dragonfly_point *beside(const struct cw_dragonfly_points *all,
                                               const struct cw_dragonfly_point *one, int panel,
                                               enum cw_dragonfly_curve curve)
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

static enum cw_verdict verdict_of(size_t tested, size_t kept)
{
    if (tested == 0) return CW_NOT_TESTED;
    return kept == tested ? CW_HOLDS : kept > 0 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

static struct cw_finding finding_of(int panel, const char *claim, const char *quantity, double value,
                                    enum cw_verdict verdict)
{
    return (struct cw_finding){.figure = names[panel],
                               .claim = claim,
                               .quantity = isnan(value) ? NULL : quantity,
                               .value = value,
                               .ci95 = NAN,
                               .verdict = verdict};
}

static int add_untested(int panel, const char *claim, const char *why, struct cw_findings *findings)
{
    const struct cw_finding finding = finding_of(panel, claim, NULL, NAN, CW_NOT_TESTED);
    return cw_findings_add(findings, &finding, "%s", why);
}

#define SIZED      "%.3f ± %.3f at %u nodes"
#define SIZE_OF(p) (p)->accepted, (p)->accepted_ci99, (p)->nodes

static const char no_points[] = "there are no points", too_wide[] = "the intervals are too wide to tell";

/* --- shortest paths and ValiantRestricted ------------------------------------------------------------------------- */

static int find_adversarial(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "the traffic is adversarial: shortest path routing accepts least";
    const struct cw_dragonfly_point *last = NULL, *rival = NULL;
    size_t at = 0, tested = 0, kept = 0, open = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_MINIMAL, &at));) {
        const struct cw_dragonfly_point *other = beside(all, item, panel, CW_DRAGONFLY_RESTRICTED);
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
    if (!last) return add_untested(panel, claim, open > 0 ? too_wide : no_points, findings);
    const struct cw_finding finding = finding_of(panel, claim, "accepted under shortest paths, largest network",
                                                 last->accepted, verdict_of(tested, kept));
    return cw_findings_add(
        findings, &finding, "on %zu of %zu networks less than ValiantRestricted; " SIZED ", ValiantRestricted %.3f%s%s",
        kept, tested, SIZE_OF(last), rival->accepted, open > 0 ? "; elsewhere " : "", open > 0 ? too_wide : "");
}

static int find_falling(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantRestricted accepts ever less as the network grows";
    const struct cw_dragonfly_point *first = NULL, *last = NULL, *rise = NULL, *after_rise = NULL;
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at)); last = item) {
        if (!first) first = item;
        if (!last || rise || compare(last, item) <= 0) continue;
        rise = last;
        after_rise = item;
    }
    if (first == last) return add_untested(panel, claim, "there are not two networks", findings);
    const enum cw_verdict verdict = undecided(first, last)      ? CW_NOT_TESTED
                                    : compare(first, last) >= 0 ? CW_HOLDS_NOT
                                    : rise                      ? CW_HOLDS_IN_PART
                                                                : CW_HOLDS;
    const struct cw_finding finding =
        finding_of(panel, claim, "accepted under ValiantRestricted, largest network", last->accepted, verdict);
    if (verdict == CW_NOT_TESTED)
        return cw_findings_add(findings, &finding, "%s: " SIZED ", " SIZED, too_wide, SIZE_OF(first), SIZE_OF(last));
    if (!rise) return cw_findings_add(findings, &finding, SIZED ", " SIZED, SIZE_OF(first), SIZE_OF(last));
    return cw_findings_add(findings, &finding, SIZED ", " SIZED "; it rises from %u nodes (%.3f) to %u (%.3f)",
                           SIZE_OF(first), SIZE_OF(last), rise->nodes, rise->accepted, after_rise->nodes,
                           after_rise->accepted);
}

static int find_estimate(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantRestricted follows the estimate 3/(4p) closely";
    const struct cw_dragonfly_point *worst = NULL;
    double greatest = -1;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at)); tested++) {
        const double ratio = item->accepted / item->estimate, apart = fabs(ratio - 1);
        kept += apart <= 1.0 / 3;
        if (apart <= greatest) continue;
        greatest = apart;
        worst = item;
    }
    if (!worst) return add_untested(panel, claim, no_points, findings);
    const struct cw_finding finding = finding_of(panel, claim, "accepted / estimate, where it differs most",
                                                 worst->accepted / worst->estimate, verdict_of(tested, kept));
    return cw_findings_add(
        findings, &finding,
        "on %zu of %zu networks it is within 1/(2p) and 1/p, the limits of equation 1; furthest away " SIZED
        ", where the estimate is %.3f",
        kept, tested, SIZE_OF(worst), worst->estimate);
}

#define MANY_SWITCHES 512

static int find_low(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char fifteen[] = "ValiantRestricted drops below 15 % in networks of more than 512 switches";
    static const char twenty[] = "ValiantRestricted drops below 20 % in networks of more than 512 switches";
    const char *claim = panel == 4 ? twenty : fifteen;
    const double limit = panel == 4 ? 0.2 : 0.15;
    const struct cw_dragonfly_point *greatest = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at));) {
        if (item->switches <= MANY_SWITCHES) continue;
        tested++;
        kept += item->accepted < limit;
        if (!greatest || item->accepted > greatest->accepted) greatest = item;
    }
    if (!greatest) return add_untested(panel, claim, "no network here is so large: that takes --sizes all", findings);
    const struct cw_finding finding =
        finding_of(panel, claim, "most accepted with so many switches", greatest->accepted, verdict_of(tested, kept));
    return cw_findings_add(findings, &finding, "on %zu of %zu such networks; the most is " SIZED, kept, tested,
                           SIZE_OF(greatest));
}

/* --- ValiantAny, and random groups -------------------------------------------------------------------------------- */

static int find_any(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantAny accepts 33 to 43 %";
    const struct cw_dragonfly_point *least = NULL, *most = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_ANY, &at)); tested++) {
        const double percent = round(100 * item->accepted);
        kept += percent >= 33 && percent <= 43;
        if (!least || item->accepted < least->accepted) least = item;
        if (!most || item->accepted > most->accepted) most = item;
    }
    if (!least) return add_untested(panel, claim, no_points, findings);
    const struct cw_finding finding =
        finding_of(panel, claim, "accepted under ValiantAny, least", least->accepted, verdict_of(tested, kept));
    return cw_findings_add(findings, &finding, "on %zu of %zu networks; from " SIZED " to " SIZED, kept, tested,
                           SIZE_OF(least), SIZE_OF(most));
}

static int find_random(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] =
        "random groups give ValiantRestricted about 10 points more, in large networks above all";
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
    if (!last) return add_untested(panel, claim, "that takes the panel before it", findings);
    const double gain = last_random->accepted - last->accepted;
    const double sure = hypot(last->accepted_ci99, last_random->accepted_ci99);
    enum cw_verdict verdict = lost || gain + sure < 0.1 ? CW_HOLDS_IN_PART : CW_HOLDS;
    if (gain <= sure) verdict = undecided(last, last_random) ? CW_NOT_TESTED : CW_HOLDS_NOT;
    const struct cw_finding finding = finding_of(panel, claim, "gain in the largest network", gain, verdict);
    return cw_findings_add(findings, &finding, "%+.1f points at %u nodes, %+.1f ± %.1f at %u%s",
                           100 * (first_random->accepted - first->accepted), first->nodes, 100 * gain, 100 * sure,
                           last->nodes,
                           verdict == CW_NOT_TESTED ? ", which is too wide to tell"
                           : lost                   ? "; in some network they take away"
                                                    : "");
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef int finder(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings);
static finder *const left[] = {find_adversarial, find_falling, find_estimate, find_low};
static finder *const right[] = {find_any, find_random};

size_t cw_count_dragonfly_findings(int panel)
{
    return panel % 2 == 0 ? sizeof left / sizeof *left : sizeof right / sizeof *right;
}

int cw_find_dragonfly_panel(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    finder *const *finders = panel % 2 == 0 ? left : right;
    int rc = 0;
    for (size_t i = 0; !rc && i < cw_count_dragonfly_findings(panel); i++) rc = finders[i](all, panel, findings);
    return rc;
}
