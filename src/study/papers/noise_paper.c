/* Figures 11, 13, 15 and 16: sweeps of simulated points. */
#include "study/papers/noise_paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/rows.h"
#include "route/engine.h"
#include "topo/topology.h"

/* --- points ------------------------------------------------------------------------------------------------------- */

static const double ratios[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
enum { RATIOS = sizeof ratios / sizeof *ratios, RATIOS_OF_FABRICS = RATIOS - 1 };

static int add_ratios(struct cw_points *points, struct cw_noise_point point, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        point.ratio = ratios[i];
        if (!cw_points_add(points, &point)) return CW_ENOMEM;
    }
    return 0;
}

static int add_published(struct cw_points *points, size_t figure, const struct cw_published_network *networks)
{
    for (; networks->layout; networks++) {
        struct cw_noise_point point = {.point = {.figure = figure}, .network = networks->spec, .ratio = 0.5};
        point.curve = strstr(networks->layout, "2-cube") ? "2-cubes" : "3-cubes";
        if (networks->switches > 0) point.curve = "fat trees";
        if (!cw_points_add(points, &point)) return CW_ENOMEM;
    }
    return 0;
}

static int add(struct cw_paper_run *run, size_t figure)
{
    static const struct cw_noise_point square = {{CW_NOISE_RATIOS}, "100-ary 2-cube", "torus:100x100", .routes = NULL};
    static const struct cw_noise_point cube = {{CW_NOISE_RATIOS}, "20-ary 3-cube", "torus:20x20x20", .routes = NULL};
    const struct cw_paper_fabric *fabrics = run->setup->fabrics;
    if (figure == CW_NOISE_TREES) return add_published(&run->points, figure, cw_published_trees);
    if (figure == CW_NOISE_CUBES) return add_published(&run->points, figure, cw_published_cubes);
    int rc = 0;
    if (figure == CW_NOISE_RATIOS) {
        rc = add_ratios(&run->points, square, RATIOS);
        return rc ? rc : add_ratios(&run->points, cube, RATIOS);
    }
    for (size_t i = 0; !rc && i < run->setup->n_fabrics; i++) {
        const struct cw_noise_point point = {.point = {.figure = figure},
                                             .curve = fabrics[i].name,
                                             .network = fabrics[i].name,
                                             .routes = fabrics[i].routes,
                                             .selection = fabrics[i].selection};
        rc = add_ratios(&run->points, point, RATIOS_OF_FABRICS);
    }
    return rc;
}

static int simulate(const struct cw_paper_run *run, const struct cw_routes *routes, struct cw_noise_point *point)
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
                                         .trials = run->setup->trials,
                                         .seed = run->setup->seed,
                                         .n_threads = run->setup->n_threads,
                                         .progress = run->progress,
                                         .executor = run->setup->executor};
    if (!rc) rc = cw_noise_run(&setup, &point->result);
    if (!rc) point->endpoints = cw_placement_count(random);
    cw_schedule_free(schedule);
    cw_pattern_free(derangement);
    cw_placement_free(random);
    return rc;
}

static int compute(const struct cw_paper_run *run, void *space)
{
    struct cw_noise_point *point = space;
    struct cw_network *net = NULL;
    struct cw_routes *made = NULL;
    if (point->routes) return simulate(run, point->routes, point);
    int rc = cw_topology_build(point->network, &net);
    if (!rc) rc = cw_engine_route(net, NULL, run->setup->seed, run->setup->n_threads, &made);
    if (!rc) rc = simulate(run, made, point);
    cw_routes_free(made);
    cw_network_free(net);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/*
 * Two means differ if their distance is more than that of 95 % confidence: √(ci₁² + ci₂²). Trials that all found the
 * same have no interval: their mean is taken as exact.
 */

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
static const struct cw_noise_point *next(const struct cw_points *points, size_t figure, const char *curve, size_t *at)
{
    const struct cw_noise_point *point;
    while ((point = cw_points_next(points, figure, at)) && curve && strcmp(point->curve, curve) != 0)
        ;
    return point;
}

/* How a curve runs, over points in the order of what they grow with. */
struct course {
    const struct cw_noise_point *first, *last, *greatest;
    const struct cw_noise_point *fall; /* the point after which it first falls, NULL: never */
    const struct cw_noise_point *flat; /* … after which it first neither falls nor rises */
    const struct cw_noise_point *after_fall, *after_flat;
};

static struct course course_of(const struct cw_points *points, size_t figure, const char *curve)
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

/* The slowdown of POINT (NULL: none), as the number of FINDING. */
static double number_of(struct cw_finding *finding, const struct cw_noise_point *point)
{
    if (!point) finding->quantity = NULL;
    finding->ci95 = point ? point->result.slowdown.ci95 : NAN;
    return point ? mean_of(point) : NAN;
}

/* The worse of two: of what must hold for several curves. Nothing worse than what was not tested. */
static enum cw_verdict both(enum cw_verdict a, enum cw_verdict b)
{
    return a > b ? a : b;
}

/* The levels of a binomial tree over the application of POINT. */
static unsigned levels_of(const struct cw_noise_point *point)
{
    unsigned levels = 0;
    while (levels < 32 && (uint64_t)1 << levels < point->result.application) levels++;
    return levels;
}

#define SIZED      "%.2f at %u endpoints"
#define SIZE_OF(p) mean_of(p), (p)->endpoints

static const char no_points[] = "there are no points";

static int find_ratio(const void *points, struct cw_finding *finding)
{
    enum cw_verdict verdict = CW_HOLDS;
    const struct cw_noise_point *greatest = NULL, *fall = NULL;
    const char *curve = NULL;
    size_t at = 0;
    for (const struct cw_noise_point *point; (point = next(points, finding->index, NULL, &at));) {
        if (curve && strcmp(curve, point->curve) == 0) continue;
        curve = point->curve;
        const struct course course = course_of(points, finding->index, curve);
        verdict = both(verdict, verdict_of(&course));
        if (course.fall && !fall) fall = course.fall;
        if (!greatest || mean_of(course.greatest) > mean_of(greatest)) greatest = course.greatest;
    }
    if (!greatest) return cw_find_nothing(finding, "there was no fabric to simulate");
    const double most = number_of(finding, greatest);
    if (fall)
        return cw_find(finding, verdict, most, "up to %.2f at ratio %g, but it falls after ratio %g on %s", most,
                       greatest->ratio, fall->ratio, fall->network);
    return cw_find(finding, verdict, most, "it grows to %.2f at ratio %g on %s", most, greatest->ratio,
                   greatest->network);
}

/* On every fabric of two at least. */
static int find_fabric_size(const void *points, struct cw_finding *finding)
{
    const struct cw_noise_point *least = NULL, *most = NULL;
    size_t at = 0, pairs = 0, grown = 0;
    for (const struct cw_noise_point *a; (a = next(points, finding->index, NULL, &at));) {
        if (a->ratio != 0.5) continue;
        size_t from = 0;
        for (const struct cw_noise_point *b; (b = next(points, finding->index, NULL, &from));) {
            if (b->ratio != 0.5 || b->endpoints <= a->endpoints) continue;
            pairs++;
            grown += compare(a, b) > 0;
        }
        if (!least || a->endpoints < least->endpoints) least = a;
        if (!most || a->endpoints > most->endpoints) most = a;
    }
    const enum cw_verdict verdict = cw_verdict_of(grown, pairs);
    const double slowdown = number_of(finding, most);
    if (pairs == 0)
        return cw_find(finding, verdict, slowdown,
                       "this needs fabrics of different sizes; those of the papers are not public");
    return cw_find(finding, verdict, slowdown,
                   "at ratio 0.5 it is greater on the larger fabric in %zu of %zu pairs: " SIZED ", " SIZED, grown,
                   pairs, SIZE_OF(least), SIZE_OF(most));
}

static int find_tree_size(const void *points, struct cw_finding *finding)
{
    const struct course course = course_of(points, finding->index, NULL);
    const enum cw_verdict verdict = verdict_of(&course);
    if (!course.first) return cw_find_nothing(finding, no_points);
    const double last = number_of(finding, course.last);
    if (course.fall)
        return cw_find(finding, verdict, last, "from " SIZED " to " SIZED ", but it falls from " SIZED " to " SIZED,
                       SIZE_OF(course.first), SIZE_OF(course.last), SIZE_OF(course.fall), SIZE_OF(course.after_fall));
    if (course.flat)
        return cw_find(finding, verdict, last,
                       "from " SIZED " to " SIZED "; flat from %u to %u endpoints, where the collective has %u and %u "
                       "levels",
                       SIZE_OF(course.first), SIZE_OF(course.last), course.flat->endpoints,
                       course.after_flat->endpoints, levels_of(course.flat), levels_of(course.after_flat));
    return cw_find(finding, verdict, last, "from " SIZED " to " SIZED, SIZE_OF(course.first), SIZE_OF(course.last));
}

static int find_torus_size(const void *points, struct cw_finding *finding)
{
    const struct course square = course_of(points, finding->index, "2-cubes");
    const struct course cube = course_of(points, finding->index, "3-cubes");
    const struct course *falls = square.fall ? &square : &cube;
    const enum cw_verdict verdict = both(verdict_of(&square), verdict_of(&cube));
    const double last = number_of(finding, square.last);
    if (!square.first || !cube.first) return cw_find(finding, verdict, last, "%s", no_points);
    if (falls->fall)
        return cw_find(finding, verdict, last,
                       "2-cubes from " SIZED " to " SIZED ", 3-cubes from " SIZED " to " SIZED
                       ", but it falls from " SIZED " to " SIZED,
                       SIZE_OF(square.first), SIZE_OF(square.last), SIZE_OF(cube.first), SIZE_OF(cube.last),
                       SIZE_OF(falls->fall), SIZE_OF(falls->after_fall));
    return cw_find(finding, verdict, last, "2-cubes from " SIZED " to " SIZED ", 3-cubes from " SIZED " to " SIZED,
                   SIZE_OF(square.first), SIZE_OF(square.last), SIZE_OF(cube.first), SIZE_OF(cube.last));
}

static int find_twelve_times(const void *points, struct cw_finding *finding)
{
    const struct cw_noise_point *greatest = NULL, *usual = NULL;
    size_t at = 0;
    for (const struct cw_noise_point *point; (point = next(points, finding->index, NULL, &at));) {
        if (!greatest || mean_of(point) > mean_of(greatest)) greatest = point;
        if (point->ratio <= 0.9 && (!usual || mean_of(point) > mean_of(usual))) usual = point;
    }
    if (!greatest || !usual) return cw_find_nothing(finding, no_points);
    const double most = number_of(finding, greatest);
    const bool reached = most + width_of(greatest) >= 12, usually = mean_of(usual) + width_of(usual) >= 12;
    const enum cw_verdict verdict = usually ? CW_HOLDS : reached ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
    return cw_find(finding, verdict, most, "%s at ratio %g: %.2f ± %.2f on the %s; at ratios to 0.9 it is %.2f at most",
                   verdict == CW_HOLDS_IN_PART ? "only" : "the most is", greatest->ratio, most, width_of(greatest),
                   greatest->curve, mean_of(usual));
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
    if (duel->won == duel->pairs) return CW_HOLDS;
    return duel->won > duel->lost ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

static int find_dimensions_by_ratio(const void *points, struct cw_finding *finding)
{
    struct duel duel = {0};
    size_t at = 0;
    for (const struct cw_noise_point *square; (square = next(points, finding->index, "100-ary 2-cube", &at));) {
        size_t from = 0;
        for (const struct cw_noise_point *cube; (cube = next(points, finding->index, "20-ary 3-cube", &from));)
            if (cube->ratio == square->ratio) fight(&duel, square, cube, square->ratio == 0.5);
    }
    if (duel.pairs == 0) return cw_find_nothing(finding, no_points);
    return cw_find(finding, verdict_of_duel(&duel), number_of(finding, duel.cube),
                   "at %zu of %zu ratios; at %g it is %.2f against %.2f", duel.won, duel.pairs, duel.square->ratio,
                   mean_of(duel.square), mean_of(duel.cube));
}

/* The 2-cube whose size is nearest to that of CUBE, if within a fifth. */
static const struct cw_noise_point *rival_of(const struct cw_points *points, const struct cw_noise_point *cube)
{
    const struct cw_noise_point *nearest = NULL;
    double least = 1.2;
    size_t at = 0;
    for (const struct cw_noise_point *square; (square = next(points, cube->point.figure, "2-cubes", &at));) {
        const double a = square->endpoints, b = cube->endpoints, apart = a > b ? a / b : b / a;
        if (apart > least) continue;
        least = apart;
        nearest = square;
    }
    return nearest;
}

static int find_dimensions_by_size(const void *points, struct cw_finding *finding)
{
    struct duel duel = {0};
    size_t at = 0;
    for (const struct cw_noise_point *cube; (cube = next(points, finding->index, "3-cubes", &at));) {
        const struct cw_noise_point *square = rival_of(points, cube);
        if (square) fight(&duel, square, cube, square->endpoints == 1936);
    }
    if (duel.pairs == 0) return cw_find_nothing(finding, no_points);
    return cw_find(finding, verdict_of_duel(&duel), number_of(finding, duel.cube),
                   "in %zu of %zu pairs of like size; " SIZED " (2-cube) against " SIZED " (3-cube)", duel.won,
                   duel.pairs, SIZE_OF(duel.square), SIZE_OF(duel.cube));
}

/* --- rows and pictures -------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"curve", CW_COLUMN_TEXT, NULL, "curve of the figure"},
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"endpoints", CW_COLUMN_INT, NULL, "endpoints that take part"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all endpoints"},
    {"application", CW_COLUMN_INT, NULL, "endpoints that run the collective"},
    {"trials", CW_COLUMN_INT, NULL, "random trials"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed time / clean time, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_min", CW_COLUMN_REAL, NULL, "least slowdown of a trial"},
    {"slowdown_q25", CW_COLUMN_REAL, NULL, "first quartile of the slowdown"},
    {"slowdown_median", CW_COLUMN_REAL, NULL, "median of the slowdown"},
    {"slowdown_q75", CW_COLUMN_REAL, NULL, "third quartile of the slowdown"},
    {"slowdown_max", CW_COLUMN_REAL, NULL, "greatest slowdown of a trial"},
    {"clean_mean", CW_COLUMN_REAL, NULL, "time without perturbation, mean over trials"},
    {"clean_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"perturbed_mean", CW_COLUMN_REAL, NULL, "time with perturbation, mean over trials"},
    {"perturbed_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static void rows(const struct cw_paper_run *run, struct cw_table *table, const void *of)
{
    const struct cw_noise_point *point = of;
    const struct cw_noise_result *result = &point->result;
    const struct cw_summary *slowdown = &result->slowdown;
    cw_table_row(table, "%s %s %u %g %u %zu", point->curve, point->network, point->endpoints, point->ratio,
                 result->application, run->setup->trials);
    const double figures[] = {slowdown->mean,     slowdown->ci95,         slowdown->min,         slowdown->q25,
                              slowdown->median,   slowdown->q75,          slowdown->max,         result->clean.mean,
                              result->clean.ci95, result->perturbed.mean, result->perturbed.ci95};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) cw_table_real(table, figures[i]);
}

/* A curve after another, as they stand in the list. BOXES: quartiles, else means. */
static int draw_one(const struct cw_paper_run *run, size_t figure, bool boxes)
{
    const bool by_size = figure == CW_NOISE_TREES || figure == CW_NOISE_CUBES;
    const struct cw_plot_axis sizes = {.label = "endpoints", .logarithmic = true};
    const struct cw_plot_axis shares = {.label = "perturbation ratio", .min = 0, .max = 1};
    const struct cw_plot_level none = {"no slowdown", 1};
    const char *curve = NULL;
    char file[32], title[128];
    struct cw_chart chart = {0};
    size_t at = 0;
    for (const struct cw_noise_point *point; (point = next(&run->points, figure, NULL, &at));) {
        const struct cw_summary *of = &point->result.slowdown;
        const double x = by_size ? point->endpoints : point->ratio;
        if (!curve || strcmp(curve, point->curve) != 0) cw_chart_begin(&chart, "%s", point->curve);
        curve = point->curve;
        if (boxes)
            cw_chart_box(&chart, &(struct cw_plot_box){x, of->min, of->q25, of->median, of->q75, of->max, of->n});
        else
            cw_chart_point(&chart, x, of->mean, of->mean - of->ci95, of->mean + of->ci95);
    }
    snprintf(file, sizeof file, "%s%s", run->paper->figures[figure].file, boxes ? "-boxes" : "");
    snprintf(title, sizeof title, "%s%s", run->paper->figures[figure].title, boxes ? ": quartiles and range" : "");
    const struct cw_plot plot = {
        .title = title,
        .x = by_size ? sizes : shares,
        .y = {.label = boxes ? "slowdown of trials" : "mean slowdown, 95 % confidence", .unit = "perturbed / clean"},
        .levels = &none,
        .n_levels = 1};
    return cw_paper_plot(run, file, &chart, &plot);
}

static int draw(struct cw_paper_run *run, size_t figure)
{
    const int rc = draw_one(run, figure, false);
    return rc ? rc : draw_one(run, figure, true);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const char less_affected[] = "three-dimensional tori are less affected than two-dimensional ones";

static const struct cw_paper_claim
    of_fabrics[] = {{"the slowdown increases significantly with the perturbation ratio", "greatest slowdown",
                     find_ratio},
                    {"the slowdown increases significantly with the network size",
                     "slowdown of the largest fabric at ratio 0.5", find_fabric_size}},
    of_trees[] = {{"the influence of network noise on fat trees grows with the network size", "slowdown of the largest",
                   find_tree_size}},
    of_ratios[] = {{"background noise can delay the communication by up to 12 times", "greatest slowdown",
                    find_twelve_times},
                   {less_affected, "slowdown of the 20-ary 3-cube at ratio 0.5", find_dimensions_by_ratio}},
    of_cubes[] = {{less_affected, "slowdown of a 3-cube of about 1,900 endpoints", find_dimensions_by_size},
                  {"the slowdown grows with the network size", "slowdown of the largest 2-cube", find_torus_size}};

static const struct cw_paper_figure figures[] = {
    {"1", "noise-fig1", NULL, CW_ITEMS(cw_time_line_claims), cw_noise_make_time_lines},
    {"3", "noise-fig3", "Figure 3, measured here: calls with and without perturbation", CW_ITEMS(cw_noise_boxes_claims),
     cw_noise_make_measured},
    {"4", "noise-fig4", "Figure 4, measured here: slowdown by perturbation ratio", CW_ITEMS(cw_noise_by_ratio_claims),
     cw_noise_make_measured},
    {"5", "noise-fig5", "Figure 5, measured here: allocations of growing size, perturbation ratio 1/2",
     CW_ITEMS(cw_noise_scaling_claims), cw_noise_make_measured},
    {"6", "noise-fig6", "Figure 6, measured here: calls by the size of the allocation, perturbation ratio 1/2",
     CW_ITEMS(cw_noise_latencies_claims), cw_noise_make_measured},
    {"7", "noise-fig7", NULL, CW_ITEMS(cw_worked_claims), cw_noise_make_worked_example},
    {.name = "8"},
    {.name = "9"},
    {.name = "10"},
    {"11", "noise-fig11", "Figure 11: real fabrics, by perturbation ratio", CW_ITEMS(of_fabrics)},
    {"13", "noise-fig13", "Figure 13: fat trees of growing size, perturbation ratio 1/2", CW_ITEMS(of_trees)},
    {"15", "noise-fig15", "Figure 15: tori, by perturbation ratio", CW_ITEMS(of_ratios)},
    {"16", "noise-fig16", "Figure 16: tori of growing size, perturbation ratio 1/2", CW_ITEMS(of_cubes)},
    {"table1", "noise-table1", NULL, CW_ITEMS(cw_table1_claims), cw_noise_make_table},
    {"table2", "noise-table2", NULL, CW_ITEMS(cw_table2_claims), cw_noise_make_table},
    {.name = NULL}};

static const char *const remarks[] = {
    "The simulation is in unit time: a message takes as long as its congestion says. That is the regime of large "
    "messages on busy channels. For a message size see crosswind noise --bytes, for queues crosswind jobs --model "
    "flits.",
    "Figures are numbered as in the journal paper (Parallel Processing Letters). In the conference paper 7 and 10 are "
    "6, 9 is 7, 11 is 8, 12 is 9, and 13 is 10; it has no tori.",
    "Figures 3 to 6 are measured on the hosts of whoever measured, not on CHiC and BlueGene/P: trends can be compared, "
    "times cannot. Ranks on one host share its memory and its cores, too, which is no network.",
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

static const struct cw_paper_option takes[] = {
    {"trials", NULL}, {"figures", NULL}, {"fabrics", "11"}, {"runs", "3,4,5,6"}, {NULL, NULL}};

const struct cw_paper cw_paper_noise = {
    .name = "noise",
    .help = "The slowdown of a collective by the traffic of others on fat trees, tori and fabrics, and the worked "
            "example of it (Hoefler, Schneider and Lumsdaine 2009; figures as in the journal paper)",
    .source = "T. Hoefler, T. Schneider, A. Lumsdaine: The effect of network noise on large-scale collective "
              "communications, 2009.",
    .remarks = remarks,
    .n_told = 1,
    .written = "noise-README.txt with remarks and misprints, noise-claims.csv, and for each figure its CSV, its "
               "pictures and their gnuplot scripts.",
    .takes = takes,
    .runs_begin = "block,split,",
    .begin = cw_noise_measured_begin,
    .end = cw_noise_measured_end,
    .figures = figures,
    .point_size = sizeof(struct cw_noise_point),
    .results = offsetof(struct cw_noise_point, endpoints),
    .add = add,
    .compute = compute,
    .shared = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .rows = rows,
    .draw = draw,
};
