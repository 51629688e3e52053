#include "study/papers/optiq_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next point of FIGURE and METHOD that has run, from index *AT on, which moves behind it; NULL: no more. */
static const struct cw_optiq_point *next(const struct cw_optiq_points *points, enum cw_optiq_figure figure,
                                         enum cw_optiq_method method, size_t *at)
{
    while (*at < points->n) {
        const struct cw_optiq_point *point = &points->items[(*at)++];
        if (point->figure == figure && point->method == method && point->done) return point;
    }
    return NULL;
}

/* The point that takes the default routes where POINT does not, or NULL. */
static const struct cw_optiq_point *default_of(const struct cw_optiq_points *points, const struct cw_optiq_point *point)
{
    size_t at = 0;
    for (const struct cw_optiq_point *other; (other = next(points, point->figure, CW_OPTIQ_DEFAULT, &at));)
        if (other->net == point->net && strcmp(other->pattern, point->pattern) == 0) return other;
    return NULL;
}

static struct cw_finding finding_of(enum cw_optiq_figure figure, const char *claim, const char *quantity, double value,
                                    enum cw_verdict verdict)
{
    return (struct cw_finding){.figure = cw_optiq_figures[figure],
                               .claim = claim,
                               .quantity = isnan(value) ? NULL : quantity,
                               .value = value,
                               .ci95 = NAN,
                               .verdict = verdict};
}

static int add_untested(enum cw_optiq_figure figure, const char *claim, struct cw_findings *findings)
{
    const struct cw_finding finding = finding_of(figure, claim, NULL, NAN, CW_NOT_TESTED);
    return cw_findings_add(findings, &finding, "there are too few points");
}

/* --- against the default routes ----------------------------------------------------------------------------------- */

struct cw_optiq_gain cw_optiq_gain_of(const struct cw_optiq_points *points, enum cw_optiq_figure figure,
                                      const struct cw_network *net, enum cw_optiq_method method)
{
    struct cw_optiq_gain gain = {.speedup_min = NAN, .speedup_max = NAN};
    double log_z = 0, log_speedup = 0;
    size_t at = 0;
    for (const struct cw_optiq_point *point; (point = next(points, figure, method, &at));) {
        const struct cw_optiq_point *machine = default_of(points, point);
        if (!machine || (net && point->net != net)) continue;
        for (size_t v = 0; v < point->n_variants; v++) {
            const double speedup = point->variants[v].bytes_per_second / machine->variants[v].bytes_per_second;
            gain.cases++;
            gain.slower += speedup < 1;
            log_z += log(point->z / machine->z);
            log_speedup += log(speedup);
            gain.speedup_min = fmin(gain.speedup_min, speedup);
            gain.speedup_max = fmax(gain.speedup_max, speedup);
        }
    }
    gain.z_ratio = exp(log_z / (double)gain.cases);
    gain.speedup = exp(log_speedup / (double)gain.cases);
    return gain;
}

#define SEVERAL 2

static int find_gain(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings)
{
    static const char claim[] =
        "balancing the load over paths carries several times what MPI's default routes do, for certain patterns";
    static const enum cw_optiq_method methods[] = {CW_OPTIQ_HEURISTIC, CW_OPTIQ_LP, CW_OPTIQ_OPTIMUM};
    struct cw_optiq_gain gains[3];
    for (size_t i = 0; i < 3; i++) gains[i] = cw_optiq_gain_of(points, figure, NULL, methods[i]);
    const double most = fmax(gains[0].speedup_max, gains[1].speedup_max); /* the manuscript's own methods */
    if (isnan(most)) return add_untested(figure, claim, findings);
    const enum cw_verdict verdict = most >= SEVERAL ? CW_HOLDS : most > 1 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
    const struct cw_finding finding =
        finding_of(figure, claim, "most by heuristic or linear program / default routes", most, verdict);
    const struct cw_optiq_gain *best = &gains[gains[1].cases > 0 && most == gains[1].speedup_max ? 1 : 0];
    const struct cw_optiq_gain *optimum = &gains[2];
    if (optimum->cases == 0)
        return cw_findings_add(findings, &finding,
                               "the %s carries %.2f to %.2f times as much, less in %zu of %zu cases",
                               best == gains ? "heuristic" : "linear program", best->speedup_min, best->speedup_max,
                               best->slower, best->cases);
    return cw_findings_add(findings, &finding,
                           "the %s carries %.2f to %.2f times as much, less in %zu of %zu cases; the optimum over all "
                           "paths %.2f to %.2f times, less in %zu of %zu",
                           best == gains ? "heuristic" : "linear program", best->speedup_min, best->speedup_max,
                           best->slower, best->cases, optimum->speedup_min, optimum->speedup_max, optimum->slower,
                           optimum->cases);
}

/* --- what grows with what ----------------------------------------------------------------------------------------- */

#define PRECISION 0.02 /* of an approximated optimum */

/* Over all pairs of what has been added: how often y rises with x, and how often it falls. */
struct trend {
    struct {
        double x, y;
    } points[64];
    size_t n, rises, falls;
};

static void trend_add(struct trend *trend, double x, double y)
{
    if (trend->n == sizeof trend->points / sizeof *trend->points) return;
    for (size_t i = 0; i < trend->n; i++) {
        const double dx = x - trend->points[i].x, ratio = y / trend->points[i].y;
        if (dx == 0 || (ratio <= 1 + PRECISION && ratio >= 1 / (1 + PRECISION))) continue;
        if ((dx > 0) == (ratio > 1))
            trend->rises++;
        else
            trend->falls++;
    }
    trend->points[trend->n].x = x;
    trend->points[trend->n++].y = y;
}

/* Of the claim that it rises. */
static enum cw_verdict verdict_of(size_t n, size_t rises, size_t falls)
{
    if (n < 2) return CW_NOT_TESTED;
    return rises > 0 && falls == 0 ? CW_HOLDS : rises > falls ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

/* The room that the default routes leave, by X_OF the point; RISES: the claim is that it does. */
static int find_room(const struct cw_optiq_points *points, enum cw_optiq_figure figure, const char *claim,
                     double (*x_of)(const struct cw_optiq_point *), const char *of, bool rises,
                     struct cw_findings *findings)
{
    struct trend trend = {.n = 0};
    size_t at = 0, nearest = 0, furthest = 0;
    for (const struct cw_optiq_point *point; (point = next(points, figure, CW_OPTIQ_OPTIMUM, &at));) {
        const struct cw_optiq_point *machine = default_of(points, point);
        if (!machine) continue;
        trend_add(&trend, x_of(point), point->z / machine->z);
        const size_t last = trend.n - 1;
        if (trend.points[last].x < trend.points[nearest].x) nearest = last;
        if (trend.points[last].x > trend.points[furthest].x) furthest = last;
    }
    if (trend.n < 2) return add_untested(figure, claim, findings);
    const enum cw_verdict verdict =
        rises ? verdict_of(trend.n, trend.rises, trend.falls) : verdict_of(trend.n, trend.falls, trend.rises);
    const struct cw_finding finding =
        finding_of(figure, claim, "z of the optimum / default routes, at the end", trend.points[furthest].y, verdict);
    return cw_findings_add(
        findings, &finding,
        "z of the optimum is %.2f times that of the default routes at %.3g %s, %.2f times at %.3g; it "
        "rises over %zu pairs of points and falls over %zu",
        trend.points[nearest].y, trend.points[nearest].x, of, trend.points[furthest].y, trend.points[furthest].x,
        trend.rises, trend.falls);
}

static double destinations_of(const struct cw_optiq_point *point)
{
    return point->n;
}

static double distance_of(const struct cw_optiq_point *point)
{
    return point->distance;
}

static int find_fewer(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings)
{
    return find_room(points, figure, "with more destinations there are fewer paths to explore", destinations_of,
                     "destinations", false, findings);
}

static int find_more(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings)
{
    return find_room(points, figure, "with longer distances there are more paths to explore", distance_of, "hops", true,
                     findings);
}

static int find_paths(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings)
{
    static const char claim[] = "the more paths are given to the linear program, the better its plan (announced only)";
    static const char *const orders[] = {"plain", "rotated", "disjoint", "penalised"};
    size_t rises = 0, falls = 0, n = 0, at = 0;
    const struct cw_optiq_point *least = NULL, *most = NULL;
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++) {
        struct trend trend = {.n = 0};
        at = 0;
        for (const struct cw_optiq_point *point; (point = next(points, figure, CW_OPTIQ_LP, &at));) {
            if ((int)point->ties != ties) continue;
            trend_add(&trend, point->k, point->z);
            if (!least || point->z < least->z) least = point;
            if (!most || point->z > most->z) most = point;
        }
        rises += trend.rises;
        falls += trend.falls;
        if (trend.n > n) n = trend.n;
    }
    if (n < 2) return add_untested(figure, claim, findings);
    at = 0;
    const struct cw_optiq_point *optimum = next(points, figure, CW_OPTIQ_OPTIMUM, &at);
    const struct cw_finding finding =
        finding_of(figure, claim, "most z of the linear program", most->z, verdict_of(n, rises, falls));
    return cw_findings_add(
        findings, &finding,
        "z is %.3f with k = %u and ties %s, %.3f with k = %u and ties %s; the optimum over all paths is "
        "%.3f; it rises over %zu pairs of points and falls over %zu",
        least->z, least->k, orders[least->ties], most->z, most->k, orders[most->ties], optimum ? optimum->z : NAN,
        rises, falls);
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

#define KIB 1024

/* The greatest throughput of POINT with chunks of LEAST to 128 KiB (INSIDE), or with others. */
static double fastest(const struct cw_optiq_point *point, uint64_t least, bool inside)
{
    double most = 0;
    for (size_t v = 0; v < point->n_variants; v++) {
        const uint64_t chunk = point->variants[v].chunk;
        if ((chunk >= least && chunk <= 128 * KIB) == inside) most = fmax(most, point->variants[v].bytes_per_second);
    }
    return most;
}

/* Over the patterns FIRST … LAST: chunks of LEAST to 128 KiB are the best in most. */
static int find_chunk(const struct cw_optiq_points *points, enum cw_optiq_figure figure, const char *claim, long first,
                      long last, uint64_t least, struct cw_findings *findings)
{
    size_t tested = 0, better = 0, worse = 0, at = 0;
    for (const struct cw_optiq_point *point; (point = next(points, figure, CW_OPTIQ_GREEDY, &at));) {
        const long pattern = strtol(point->pattern, NULL, 10);
        if (pattern < first || pattern > last) continue;
        const double ratio = fastest(point, least, true) / fastest(point, least, false);
        tested++;
        better += ratio > 1 + PRECISION;
        worse += ratio < 1 / (1 + PRECISION);
    }
    if (tested == 0) return add_untested(figure, claim, findings);
    const enum cw_verdict verdict = 2 * better > tested             ? CW_HOLDS
                                    : 2 * (tested - worse) > tested ? CW_HOLDS_IN_PART
                                                                    : CW_HOLDS_NOT;
    const struct cw_finding finding =
        finding_of(figure, claim, "share of the patterns for which it is so", (double)better / (double)tested, verdict);
    return cw_findings_add(
        findings, &finding,
        "for %zu of %zu patterns they are the fastest by more than 2 %%, for %zu another size is, and for "
        "%zu others do as well",
        better, tested, worse, tested - better - worse);
}

static int find_sparse_chunk(const struct cw_optiq_points *points, enum cw_optiq_figure figure,
                             struct cw_findings *findings)
{
    return find_chunk(points, figure, "chunks of 64 or 128 KiB are the best for most disjoint and overlapping patterns",
                      0, 63, 64 * KIB, findings);
}

static int find_subset_chunk(const struct cw_optiq_points *points, enum cw_optiq_figure figure,
                             struct cw_findings *findings)
{
    return find_chunk(points, figure, "chunks of 128 KiB are clearly the best for subset patterns", 64, 90, 128 * KIB,
                      findings);
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef int finder(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings);
static finder *const finders[CW_OPTIQ_FIGURES][2] = {
    [CW_OPTIQ_GROWING] = {find_gain},
    [CW_OPTIQ_FIXED] = {find_gain},
    [CW_OPTIQ_DESTINATIONS] = {find_gain, find_fewer},
    [CW_OPTIQ_DISTANCE] = {find_gain, find_more},
    [CW_OPTIQ_CHUNKS] = {find_sparse_chunk, find_subset_chunk},
    [CW_OPTIQ_MESSAGES] = {find_gain},
    [CW_OPTIQ_PATHS] = {find_paths},
    [CW_OPTIQ_PATTERNS] = {find_gain},
};

size_t cw_count_optiq_findings(enum cw_optiq_figure figure)
{
    return finders[figure][1] ? 2 : 1;
}

int cw_find_optiq(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < cw_count_optiq_findings(figure); i++)
        rc = finders[figure][i](points, figure, findings);
    return rc;
}
