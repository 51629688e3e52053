#include "study/papers/noise_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "study/papers/published_networks.h"
#include "topo/topology.h"

static const double ratios[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
enum { RATIOS = sizeof ratios / sizeof *ratios, RATIOS_OF_FABRICS = RATIOS - 1 };

static int add(struct cw_noise_points *points, const struct cw_noise_point *point)
{
    void *items = points->items;
    const int rc = cw_grow_array(&items, &points->capacity, points->n + 1, sizeof *points->items, "points");
    if (rc) return rc;
    points->items = items;
    points->items[points->n++] = *point;
    return 0;
}

static int add_ratios(struct cw_noise_points *points, struct cw_noise_point point, size_t n)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        point.ratio = ratios[i];
        rc = add(points, &point);
    }
    return rc;
}

static int add_published(struct cw_noise_points *points, int figure, const struct cw_published_network *networks)
{
    int rc = 0;
    for (; !rc && networks->layout; networks++) {
        struct cw_noise_point point = {.figure = figure, .network = networks->spec, .ratio = 0.5};
        point.curve = strstr(networks->layout, "2-cube") ? "2-cubes" : "3-cubes";
        if (networks->switches > 0) point.curve = "fat trees";
        rc = add(points, &point);
    }
    return rc;
}

int cw_noise_points_add(struct cw_noise_points *points, int figure)
{
    static const struct cw_noise_point square = {15, "100-ary 2-cube", "torus:100x100", .routes = NULL};
    static const struct cw_noise_point cube = {15, "20-ary 3-cube", "torus:20x20x20", .routes = NULL};
    if (figure == 13) return add_published(points, figure, cw_published_trees);
    if (figure == 16) return add_published(points, figure, cw_published_cubes);
    if (figure != 15) return cw_fail(CW_EUSAGE, "figure %d has no points, expected 13, 15 or 16", figure);
    const int rc = add_ratios(points, square, RATIOS);
    return rc ? rc : add_ratios(points, cube, RATIOS);
}

int cw_noise_points_add_fabric(struct cw_noise_points *points, const char *name, const struct cw_routes *routes,
                               const struct cw_selection *selection)
{
    const struct cw_noise_point point = {
        .figure = 11, .curve = name, .network = name, .routes = routes, .selection = selection};
    return add_ratios(points, point, RATIOS_OF_FABRICS);
}

void cw_noise_points_free(struct cw_noise_points *points)
{
    free(points->items);
    *points = (struct cw_noise_points){0};
}

/* --- running them ------------------------------------------------------------------------------------------------- */

/* A network that was made for points that bring none. */
struct made {
    const char *spec;
    struct cw_network *net;
    struct cw_routes *routes;
};

static void unmake(struct made *made)
{
    cw_routes_free(made->routes);
    cw_network_free(made->net);
    *made = (struct made){0};
}

static int make(struct made *made, const char *spec, const struct cw_noise_study *study)
{
    if (made->spec && strcmp(made->spec, spec) == 0) return 0;
    unmake(made);
    const int rc = cw_topology_build(spec, &made->net);
    if (rc) return rc;
    made->spec = spec;
    return cw_engine_route(made->net, NULL, study->seed, study->n_threads, &made->routes);
}

static int run_point(const struct cw_noise_study *study, const struct cw_routes *routes, struct cw_noise_point *point)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct cw_schedule *schedule = NULL;
    struct cw_pattern *derangement = NULL;
    struct cw_placement *random = NULL;
    int rc = cw_schedule_new("binomial-bcast", &schedule);
    if (!rc) rc = cw_pattern_new("derangement", NULL, &derangement);
    if (!rc) rc = cw_placement_new("random", net, point->selection, &random);
    const struct cw_noise_setup setup = {.collective = {.routes = routes, .schedule = schedule, .bytes = 1},
                                         .background = derangement,
                                         .placement = random,
                                         .ratio = point->ratio,
                                         .trials = study->trials,
                                         .seed = study->seed,
                                         .n_threads = study->n_threads,
                                         .progress = study->progress,
                                         .executor = study->executor};
    if (!rc) rc = cw_noise_run(&setup, &point->result);
    if (!rc) point->endpoints = cw_placement_count(random);
    cw_schedule_free(schedule);
    cw_pattern_free(derangement);
    cw_placement_free(random);
    return rc;
}

int cw_noise_points_run(const struct cw_noise_study *study, struct cw_noise_points *points)
{
    struct made made = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < points->n; i++) {
        struct cw_noise_point *point = &points->items[i];
        if (study->before) study->before(study->context, i, point);
        if (!point->routes) rc = make(&made, point->network, study);
        if (!rc) rc = run_point(study, point->routes ? point->routes : made.routes, point);
        if (!rc && study->after) rc = study->after(study->context, i, point);
    }
    unmake(&made);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/* Trials that all found the same have no interval: their mean is taken as exact. */
static double width_of(const struct cw_noise_point *point)
{
    const double width = point->result.slowdown.ci95;
    return isnan(width) ? 0 : width;
}

/* How much greater the slowdown of B is than that of A: 1, 0 (they do not differ), -1. */
static int compare(const struct cw_noise_point *a, const struct cw_noise_point *b)
{
    const double distance = b->result.slowdown.mean - a->result.slowdown.mean;
    const double sure = hypot(width_of(a), width_of(b));
    return distance > sure ? 1 : distance < -sure ? -1 : 0;
}

static double mean_of(const struct cw_noise_point *point)
{
    return point->result.slowdown.mean;
}

/* The next point of FIGURE and CURVE (NULL: any) from index *AT on, which moves behind it; NULL: no more. */
static const struct cw_noise_point *next(const struct cw_noise_points *points, int figure, const char *curve,
                                         size_t *at)
{
    while (*at < points->n) {
        const struct cw_noise_point *point = &points->items[(*at)++];
        if (point->figure == figure && (!curve || strcmp(point->curve, curve) == 0)) return point;
    }
    return NULL;
}

/* How a curve runs, over points in the order of what they grow with. */
struct course {
    const struct cw_noise_point *first, *last, *greatest;
    const struct cw_noise_point *fall; /* the point after which it first falls, NULL: never */
    const struct cw_noise_point *flat; /* … after which it first neither falls nor rises */
    const struct cw_noise_point *after_fall, *after_flat;
};

static struct course course_of(const struct cw_noise_points *points, int figure, const char *curve)
{
    struct course course = {0};
    size_t at = 0;
    for (const struct cw_noise_point *point; (point = next(points, figure, curve, &at)); course.last = point) {
        if (!course.first) course.first = course.greatest = point;
        if (mean_of(point) > mean_of(course.greatest)) course.greatest = point;
        if (!course.last) continue;
        const int growth = compare(course.last, point);
        if (growth < 0 && !course.fall) {
            course.fall = course.last;
            course.after_fall = point;
        } else if (growth == 0 && !course.flat) {
            course.flat = course.last;
            course.after_flat = point;
        }
    }
    return course;
}

/* Grows from its beginning to its end, and falls nowhere (or only in between: in part). */
static enum cw_verdict verdict_of(const struct course *course)
{
    if (!course->first || course->first == course->last) return CW_NOT_TESTED;
    if (compare(course->first, course->last) <= 0) return CW_HOLDS_NOT;
    return course->fall ? CW_HOLDS_IN_PART : CW_HOLDS;
}

static struct cw_finding finding_at(const char *figure, const char *claim, const char *quantity,
                                    const struct cw_noise_point *point, enum cw_verdict verdict)
{
    return (struct cw_finding){.figure = figure,
                               .claim = claim,
                               .quantity = point ? quantity : NULL,
                               .value = point ? mean_of(point) : NAN,
                               .ci95 = point ? point->result.slowdown.ci95 : NAN,
                               .verdict = verdict};
}

/* The worse of two: of what must hold for several curves. Nothing worse than what was tested. */
static enum cw_verdict both(enum cw_verdict a, enum cw_verdict b)
{
    return a > b ? a : b;
}

/* --- growth ------------------------------------------------------------------------------------------------------- */

/* The levels of a binomial tree over the application of POINT. */
static unsigned levels_of(const struct cw_noise_point *point)
{
    unsigned levels = 0;
    while (levels < 32 && (uint64_t)1 << levels < point->result.application) levels++;
    return levels;
}

#define SIZED      "%.2f at %u endpoints"
#define SIZE_OF(p) mean_of(p), (p)->endpoints

int cw_find_ratio(const struct cw_noise_points *points, struct cw_findings *findings)
{
    static const char text[] = "the slowdown increases significantly with the perturbation ratio";
    enum cw_verdict verdict = CW_HOLDS;
    const struct cw_noise_point *greatest = NULL, *fall = NULL;
    const char *curve = NULL;
    size_t at = 0, curves = 0;
    for (const struct cw_noise_point *point; (point = next(points, 11, NULL, &at));) {
        if (curve && strcmp(curve, point->curve) == 0) continue;
        curve = point->curve;
        curves++;
        const struct course course = course_of(points, 11, curve);
        verdict = both(verdict, verdict_of(&course));
        if (course.fall && !fall) fall = course.fall;
        if (!greatest || mean_of(course.greatest) > mean_of(greatest)) greatest = course.greatest;
    }
    if (curves == 0) verdict = CW_NOT_TESTED;
    const struct cw_finding finding = finding_at("11", text, "greatest slowdown", greatest, verdict);
    if (!greatest) return cw_findings_add(findings, &finding, "there was no fabric to simulate");
    if (fall)
        return cw_findings_add(findings, &finding, "up to %.2f at ratio %g, but it falls after ratio %g on %s",
                               mean_of(greatest), greatest->ratio, fall->ratio, fall->network);
    return cw_findings_add(findings, &finding, "it grows to %.2f at ratio %g on %s", mean_of(greatest), greatest->ratio,
                           greatest->network);
}

int cw_find_fabric_size(const struct cw_noise_points *points, struct cw_findings *findings)
{
    static const char text[] = "the slowdown increases significantly with the network size";
    const struct cw_noise_point *least = NULL, *most = NULL;
    size_t at = 0, pairs = 0, grown = 0;
    for (const struct cw_noise_point *a; (a = next(points, 11, NULL, &at));) {
        if (a->ratio != 0.5) continue;
        size_t from = 0;
        for (const struct cw_noise_point *b; (b = next(points, 11, NULL, &from));) {
            if (b->ratio != 0.5 || b->endpoints <= a->endpoints) continue;
            pairs++;
            grown += compare(a, b) > 0;
        }
        if (!least || a->endpoints < least->endpoints) least = a;
        if (!most || a->endpoints > most->endpoints) most = a;
    }
    const enum cw_verdict verdict = pairs == 0       ? CW_NOT_TESTED
                                    : grown == pairs ? CW_HOLDS
                                    : grown > 0      ? CW_HOLDS_IN_PART
                                                     : CW_HOLDS_NOT;
    const struct cw_finding finding =
        finding_at("11", text, "slowdown of the largest fabric at ratio 0.5", most, verdict);
    if (pairs == 0)
        return cw_findings_add(findings, &finding,
                               "this needs fabrics of different sizes; those of the papers are not public");
    return cw_findings_add(findings, &finding,
                           "at ratio 0.5 it is greater on the larger fabric in %zu of %zu pairs: " SIZED ", " SIZED,
                           grown, pairs, SIZE_OF(least), SIZE_OF(most));
}

int cw_find_tree_size(const struct cw_noise_points *points, struct cw_findings *findings)
{
    static const char text[] = "the influence of network noise on fat trees grows with the network size";
    const struct course course = course_of(points, 13, NULL);
    const struct cw_finding finding =
        finding_at("13", text, "slowdown of the largest", course.last, verdict_of(&course));
    if (!course.first) return cw_findings_add(findings, &finding, "there are no points");
    if (course.fall)
        return cw_findings_add(findings, &finding, "from " SIZED " to " SIZED ", but it falls from " SIZED " to " SIZED,
                               SIZE_OF(course.first), SIZE_OF(course.last), SIZE_OF(course.fall),
                               SIZE_OF(course.after_fall));
    if (course.flat)
        return cw_findings_add(findings, &finding,
                               "from " SIZED " to " SIZED
                               "; flat from %u to %u endpoints, where the collective has %u and %u "
                               "levels",
                               SIZE_OF(course.first), SIZE_OF(course.last), course.flat->endpoints,
                               course.after_flat->endpoints, levels_of(course.flat), levels_of(course.after_flat));
    return cw_findings_add(findings, &finding, "from " SIZED " to " SIZED, SIZE_OF(course.first), SIZE_OF(course.last));
}

int cw_find_torus_size(const struct cw_noise_points *points, struct cw_findings *findings)
{
    static const char text[] = "the slowdown grows with the network size";
    const struct course square = course_of(points, 16, "2-cubes"), cube = course_of(points, 16, "3-cubes");
    const struct cw_finding finding = finding_at("16", text, "slowdown of the largest 2-cube", square.last,
                                                 both(verdict_of(&square), verdict_of(&cube)));
    if (!square.first || !cube.first) return cw_findings_add(findings, &finding, "there are no points");
    const struct course *falls = square.fall ? &square : &cube;
    if (falls->fall)
        return cw_findings_add(findings, &finding,
                               "2-cubes from " SIZED " to " SIZED ", 3-cubes from " SIZED " to " SIZED
                               ", but it falls from " SIZED " to " SIZED,
                               SIZE_OF(square.first), SIZE_OF(square.last), SIZE_OF(cube.first), SIZE_OF(cube.last),
                               SIZE_OF(falls->fall), SIZE_OF(falls->after_fall));
    return cw_findings_add(findings, &finding, "2-cubes from " SIZED " to " SIZED ", 3-cubes from " SIZED " to " SIZED,
                           SIZE_OF(square.first), SIZE_OF(square.last), SIZE_OF(cube.first), SIZE_OF(cube.last));
}

/* --- how much, and where more ------------------------------------------------------------------------------------- */

int cw_find_twelve_times(const struct cw_noise_points *points, struct cw_findings *findings)
{
    static const char text[] = "background noise can delay the communication by up to 12 times";
    const struct cw_noise_point *greatest = NULL, *usual = NULL;
    size_t at = 0;
    for (const struct cw_noise_point *point; (point = next(points, 15, NULL, &at));) {
        if (!greatest || mean_of(point) > mean_of(greatest)) greatest = point;
        if (point->ratio <= 0.9 && (!usual || mean_of(point) > mean_of(usual))) usual = point;
    }
    const bool reached = greatest && mean_of(greatest) + width_of(greatest) >= 12;
    const bool usually = usual && mean_of(usual) + width_of(usual) >= 12;
    const enum cw_verdict verdict = !greatest ? CW_NOT_TESTED
                                    : usually ? CW_HOLDS
                                    : reached ? CW_HOLDS_IN_PART
                                              : CW_HOLDS_NOT;
    const struct cw_finding finding = finding_at("15", text, "greatest slowdown", greatest, verdict);
    if (!greatest || !usual) return cw_findings_add(findings, &finding, "there are no points");
    return cw_findings_add(findings, &finding,
                           "%s at ratio %g: %.2f ± %.2f on the %s; at ratios to 0.9 it is %.2f at most",
                           verdict == CW_HOLDS_IN_PART ? "only" : "the most is", greatest->ratio, mean_of(greatest),
                           width_of(greatest), greatest->curve, mean_of(usual));
}

/* How often the slowdown of the 2-cube is the greater one, over pairs of points; and the pair that speaks for all. */
struct duel {
    size_t pairs, won, lost;
    const struct cw_noise_point *square, *cube;
};

static void fight(struct duel *duel, const struct cw_noise_point *square, const struct cw_noise_point *cube, bool shown)
{
    const int order = compare(cube, square);
    duel->pairs++;
    duel->won += order > 0;
    duel->lost += order < 0;
    if (!shown && duel->square) return;
    duel->square = square;
    duel->cube = cube;
}

static enum cw_verdict verdict_of_duel(const struct duel *duel)
{
    if (duel->pairs == 0) return CW_NOT_TESTED;
    if (duel->won == duel->pairs) return CW_HOLDS;
    return duel->won > duel->lost ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

static const char less_affected[] = "three-dimensional tori are less affected than two-dimensional ones";

int cw_find_dimensions_by_ratio(const struct cw_noise_points *points, struct cw_findings *findings)
{
    struct duel duel = {0};
    size_t at = 0;
    for (const struct cw_noise_point *square; (square = next(points, 15, "100-ary 2-cube", &at));) {
        size_t from = 0;
        for (const struct cw_noise_point *cube; (cube = next(points, 15, "20-ary 3-cube", &from));)
            if (cube->ratio == square->ratio) fight(&duel, square, cube, square->ratio == 0.5);
    }
    const struct cw_finding finding = finding_at("15", less_affected, "slowdown of the 20-ary 3-cube at ratio 0.5",
                                                 duel.cube, verdict_of_duel(&duel));
    if (duel.pairs == 0) return cw_findings_add(findings, &finding, "there are no points");
    return cw_findings_add(findings, &finding, "at %zu of %zu ratios; at %g it is %.2f against %.2f", duel.won,
                           duel.pairs, duel.square->ratio, mean_of(duel.square), mean_of(duel.cube));
}

/* The 2-cube whose size is nearest to that of CUBE, if within a fifth. */
static const struct cw_noise_point *rival_of(const struct cw_noise_points *points, const struct cw_noise_point *cube)
{
    const struct cw_noise_point *nearest = NULL;
    double least = 1.2;
    size_t at = 0;
    for (const struct cw_noise_point *square; (square = next(points, 16, "2-cubes", &at));) {
        const double a = square->endpoints, b = cube->endpoints, apart = a > b ? a / b : b / a;
        if (apart > least) continue;
        least = apart;
        nearest = square;
    }
    return nearest;
}

int cw_find_dimensions_by_size(const struct cw_noise_points *points, struct cw_findings *findings)
{
    struct duel duel = {0};
    size_t at = 0;
    for (const struct cw_noise_point *cube; (cube = next(points, 16, "3-cubes", &at));) {
        const struct cw_noise_point *square = rival_of(points, cube);
        if (square) fight(&duel, square, cube, square->endpoints == 1936);
    }
    const struct cw_finding finding = finding_at("16", less_affected, "slowdown of a 3-cube of about 1,900 endpoints",
                                                 duel.cube, verdict_of_duel(&duel));
    if (duel.pairs == 0) return cw_findings_add(findings, &finding, "there are no points");
    return cw_findings_add(findings, &finding,
                           "in %zu of %zu pairs of like size; " SIZED " (2-cube) against " SIZED " (3-cube)", duel.won,
                           duel.pairs, SIZE_OF(duel.square), SIZE_OF(duel.cube));
}
