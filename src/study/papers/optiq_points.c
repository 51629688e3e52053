/* The points of the experiments, how one is computed, and what is claimed of them. */
#include "study/papers/optiq_paper.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/chunking.h"
#include "flow/transport/transport_set.h"
#include "route/engine.h"
#include "study/move/plan_case.h"
#include "topo/topology.h"

#define PATTERNS 91
#define MIB      ((uint64_t)1 << 20)
#define CHUNK    ((uint64_t)64 << 10)

const char *const cw_optiq_methods[] = {"default route", "heuristic", "greedy", "linear program", "optimum"};

/* --- networks ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *networks[CW_OPTIQ_PARTITIONS + 1];
    size_t base;
    uint64_t bytes; /* of a pair, except in the experiment with message sizes */
} scales[] = {
    [CW_SIZES_QUICK] = {{"torus:2x4x4x2x2@2GB/s", "torus:2x4x4x4x2@2GB/s", NULL}, 0, MIB},
    [CW_SIZES_SMALL] = {{"bgq:512,merge2@2GB/s", "bgq:1024,merge2@2GB/s", "bgq:2048,merge2@2GB/s", NULL}, 0, 8 * MIB},
    [CW_SIZES_ALL] = {{"bgq:512,merge2@2GB/s", "bgq:1024,merge2@2GB/s", "bgq:2048,merge2@2GB/s",
                       "bgq:4096,merge2@2GB/s", "bgq:8192,merge2@2GB/s", NULL},
                      2,
                      8 * MIB},
};

int cw_optiq_begin(struct cw_paper_run *run)
{
    const enum cw_paper_sizes sizes = run->setup->sizes;
    struct cw_optiq_networks *made = run->data = cw_new_array(1, sizeof *made, "networks");
    if (!made) return CW_ENOMEM;
    made->base = scales[sizes].base;
    int rc = 0;
    for (size_t i = 0; !rc && scales[sizes].networks[i]; i++) {
        rc = cw_topology_build(scales[sizes].networks[i], &made->nets[i]);
        if (!rc) rc = cw_engine_route(made->nets[i], "bgq", 1, 1, &made->routes[i]);
        made->n = i + 1;
    }
    return rc;
}

void cw_optiq_end(struct cw_paper_run *run)
{
    struct cw_optiq_networks *made = run->data;
    for (size_t i = 0; made && i < made->n; i++) {
        cw_routes_free(made->routes[i]);
        cw_network_free(made->nets[i]);
    }
    free(made);
}

/* --- points ------------------------------------------------------------------------------------------------------- */

/* What is being added to, and the first error. */
struct adding {
    struct cw_paper_run *run;
    const struct cw_optiq_networks *made;
    size_t figure;
    int rc;
};

static uint32_t nodes_of(const struct adding *adding, size_t partition)
{
    return adding->made->nets[partition]->n_endpoints;
}

/* Adds a point for PATTERN on a partition with the manuscript's message and chunk sizes; NULL after an error. */
static struct cw_optiq_point *add(struct adding *adding, size_t partition, enum cw_optiq_method method,
                                  const char *pattern)
{
    const double number = strtod(pattern, NULL);
    struct cw_optiq_point point = {
        .point = {.figure = adding->figure, .cost = nodes_of(adding, partition)},
        .net = adding->made->nets[partition],
        .routes = adding->made->routes[partition],
        .method = method,
        .k = 16,
        .ties = CW_TIES_PENALISED,
        .variants = {{.bytes = scales[adding->run->setup->sizes].bytes, .chunk = number >= 64 ? 2 * CHUNK : CHUNK}},
        .n_variants = 1};
    snprintf(point.pattern, sizeof point.pattern, "%s", pattern);
    struct cw_optiq_point *added = adding->rc ? NULL : cw_points_add(&adding->run->points, &point);
    if (!added) adding->rc = CW_ENOMEM;
    return added;
}

/* All methods; M sources from 0 on and N destinations from FIRST on, if PATTERN does not say which they are. */
static void add_methods(struct adding *adding, size_t partition, const char *pattern, uint32_t m, uint32_t n,
                        uint32_t first)
{
    for (int method = 0; method < CW_OPTIQ_METHODS; method++) {
        struct cw_optiq_point *point = add(adding, partition, (enum cw_optiq_method)method, pattern);
        if (!point) return;
        point->m = m;
        point->n = n;
        point->first = first;
        if (m > 0) point->variants[0].chunk = CHUNK;
    }
}

static const char *const shown[] = {"3", "27", "87"}; /* disjoint, overlap, subset */
enum { SHOWN = sizeof shown / sizeof *shown };

static void add_growing(struct adding *adding)
{
    for (size_t partition = 0; partition < adding->made->n; partition++)
        for (size_t i = 0; i < SHOWN; i++) add_methods(adding, partition, shown[i], 0, 0, 0);
}

/* "disjoint:MxN", the last n nodes; N is kept. */
static void add_disjoint(struct adding *adding, size_t partition, uint32_t m, uint32_t n)
{
    char pattern[48];
    snprintf(pattern, sizeof pattern, "disjoint:%ux%u", m, n);
    add_methods(adding, partition, pattern, 0, n, 0);
}

static void add_fixed(struct adding *adding)
{
    const uint32_t smallest = nodes_of(adding, 0); /* 512: 128 to 256 */
    for (size_t partition = 0; partition < adding->made->n; partition++)
        add_disjoint(adding, partition, smallest / 4, smallest / 2);
}

static void add_destinations(struct adding *adding)
{
    const size_t base = adding->made->base;
    const uint32_t p = nodes_of(adding, base);
    for (uint32_t n = p / 64; n <= p / 2; n *= 2) add_disjoint(adding, base, p / 16, n);
}

static void add_distances(struct adding *adding)
{
    const size_t base = adding->made->base;
    const uint32_t p = nodes_of(adding, base), m = p / 16, n = p / 8;
    char pattern[48];
    for (uint32_t first = m; first + n <= p; first += p / 32) {
        snprintf(pattern, sizeof pattern, "%ux%u from %u", m, n, first);
        add_methods(adding, base, pattern, m, n, first);
    }
}

static void add_patterns(struct adding *adding, size_t partition, const enum cw_optiq_method *methods, size_t n_methods)
{
    char pattern[16];
    for (unsigned i = 0; i < PATTERNS; i++) {
        snprintf(pattern, sizeof pattern, "%u", i);
        for (size_t method = 0; method < n_methods; method++) add(adding, partition, methods[method], pattern);
    }
}

/* Gives the points of the figure seven sizes of messages from BYTES on, and of chunks from CHUNK on, each so many
 * powers of two after the one before; 0: the one that they have. */
static void vary(struct adding *adding, uint64_t bytes, uint64_t chunk, unsigned powers)
{
    for (size_t i = 0; i < adding->run->points.n; i++) {
        struct cw_optiq_point *point = (struct cw_optiq_point *)adding->run->points.items + i;
        const struct cw_optiq_variant first = point->variants[0];
        if (point->point.figure != adding->figure) continue;
        point->n_variants = 7;
        for (size_t v = 0; v < point->n_variants; v++)
            point->variants[v] = (struct cw_optiq_variant){.bytes = bytes > 0 ? bytes << (powers * v) : first.bytes,
                                                           .chunk = chunk > 0 ? chunk << (powers * v) : first.chunk};
    }
}

static void add_chunks(struct adding *adding)
{
    static const enum cw_optiq_method greedy[] = {CW_OPTIQ_GREEDY};
    add_patterns(adding, adding->made->base, greedy, 1);
    vary(adding, 0, 16384, 1);
}

static void add_messages(struct adding *adding)
{
    for (size_t i = 0; i < SHOWN; i++) add_methods(adding, adding->made->base, shown[i], 0, 0, 0);
    vary(adding, 8192, 0, 2);
}

static void add_paths(struct adding *adding)
{
    static const uint32_t counts[] = {1, 2, 4, 8, 16, 32, 50};
    static const enum cw_ties ties[] = {CW_TIES_PLAIN, CW_TIES_DISJOINT, CW_TIES_PENALISED};
    static const enum cw_optiq_method methods[] = {CW_OPTIQ_LP, CW_OPTIQ_HEURISTIC};
    const size_t base = adding->made->base;
    add(adding, base, CW_OPTIQ_DEFAULT, shown[0]);
    add(adding, base, CW_OPTIQ_OPTIMUM, shown[0]);
    for (size_t method = 0; method < 2; method++)
        for (size_t order = 0; order < 3; order++)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                struct cw_optiq_point *point = add(adding, base, methods[method], shown[0]);
                if (!point) return;
                point->k = counts[i];
                point->ties = ties[order];
            }
}

/* With the optimum on the smallest network, and on 2,048 and 8,192 nodes without. */
static void add_all_patterns(struct adding *adding)
{
    static const enum cw_optiq_method compared[] = {CW_OPTIQ_DEFAULT, CW_OPTIQ_HEURISTIC, CW_OPTIQ_GREEDY,
                                                    CW_OPTIQ_OPTIMUM};
    add_patterns(adding, 0, compared, 4);
    if (adding->run->setup->sizes != CW_SIZES_ALL) return;
    add_patterns(adding, 2, compared, 3);
    add_patterns(adding, 4, compared, 3);
}

int cw_optiq_add(struct cw_paper_run *run, size_t figure)
{
    static void (*const adders[CW_OPTIQ_FIGURES])(struct adding *) = {
        add_growing, add_fixed, add_destinations, add_distances, add_chunks, add_messages, add_paths, add_all_patterns};
    struct adding adding = {.run = run, .made = run->data, .figure = figure};
    adders[figure](&adding);
    return adding.rc;
}

/* --- running one point -------------------------------------------------------------------------------------------- */

#define LARGE   4096 /* nodes from which the optimum is approximated */
#define EPSILON 0.02
#define MAXLOAD 16

/* m sources from 0 on, each with n/m destinations from `first` on. */
static int add_pairs(const struct cw_optiq_point *point, uint64_t bytes, struct cw_demands *demands)
{
    const uint32_t each = point->n / point->m;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < point->n; i++) rc = cw_demands_add(demands, i / each, point->first + i, bytes);
    return rc;
}

static int make_case(const struct cw_optiq_point *point, struct cw_plan_case *made)
{
    const uint64_t bytes = point->variants[0].bytes;
    *made = (struct cw_plan_case){
        .net = point->net,
        .wanted = {.k = point->k, .ties = point->ties},
        .setup = {.routes = point->routes, .maxload = MAXLOAD, .epsilon = EPSILON, .n_threads = 1},
        .has_transport = true,
        .transport = cw_transport_set_find("bgq")->transport};
    made->transport.chunk_bytes = point->variants[0].chunk;
    int rc = point->m > 0 ? add_pairs(point, bytes, &made->demands)
                          : cw_demands_pattern(point->net, NULL, point->pattern, bytes, 1, &made->demands);
    if (!rc) rc = cw_flow_problem_make(point->net, &made->demands, 0, NULL, 0, &made->problem);
    return rc;
}

static const char *method_of(const struct cw_optiq_point *point)
{
    static const char *const methods[CW_OPTIQ_METHODS] = {"default", "heuristic", "greedy", "lp", "optimum"};
    return point->method == CW_OPTIQ_OPTIMUM && point->net->n_endpoints >= LARGE ? "approx" : methods[point->method];
}

/* All demands are equal, so that shares hold for messages of any size. */
static int carry(struct cw_plan_case *made, struct cw_plan_run *run, struct cw_optiq_variant *variant)
{
    struct cw_transport_result moved;
    for (size_t d = 0; d < made->demands.n; d++) made->demands.items[d].bytes = variant->bytes;
    made->problem.unit_bytes = variant->bytes;
    made->transport.chunk_bytes = variant->chunk;
    cw_plan_free(&run->plan);
    int rc = cw_plan_in_chunks(&made->problem, &run->found, variant->chunk, &run->plan);
    if (!rc) rc = cw_transport_run(&made->problem, &run->plan, &made->transport, &moved);
    if (rc) return rc;
    variant->seconds = moved.seconds;
    variant->bytes_per_second = moved.bytes_per_second;
    return 0;
}

/* The mean hops by default routes. */
static int find_distance(struct cw_plan_case *made, double *out)
{
    struct cw_plan plan = {.k = 0};
    struct cw_plan_figures figures;
    int rc = cw_method_solve(cw_method_find("default"), &made->problem, &made->setup, &plan);
    if (!rc) rc = cw_plan_figures_compute(&made->problem, &plan, &figures);
    if (!rc) *out = figures.hops_mean;
    cw_plan_free(&plan);
    return rc;
}

int cw_optiq_compute(const struct cw_paper_run *of, void *space)
{
    struct cw_optiq_point *point = space;
    (void)of;
    struct cw_plan_case made;
    struct cw_plan_run run = {.predicted = false};
    int rc = make_case(point, &made);
    if (!rc) rc = find_distance(&made, &point->distance);
    if (!rc) rc = cw_plan_case_solve(&made, cw_method_find(method_of(point)), &run);
    if (!rc) rc = cw_plan_case_evaluate(&made, &run);
    if (!rc) {
        snprintf(point->solved_by, sizeof point->solved_by, "%s", run.plan.method);
        point->pairs = run.figures.pairs;
        point->z = run.z;
        point->bound = run.plan.bound;
        point->hops_mean = run.figures.hops_mean;
        point->search_seconds = run.plan.seconds;
        point->variants[0].seconds = run.moved.seconds;
        point->variants[0].bytes_per_second = run.moved.bytes_per_second;
    }
    for (size_t i = 1; !rc && i < point->n_variants; i++) rc = carry(&made, &run, &point->variants[i]);
    cw_plan_run_free(&run);
    cw_plan_case_free(&made);
    return rc;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

const struct cw_optiq_point *cw_optiq_next(const struct cw_points *points, size_t figure, enum cw_optiq_method method,
                                           size_t *at)
{
    const struct cw_optiq_point *point;
    while ((point = cw_points_next(points, figure, at)) && point->method != method)
        ;
    return point;
}

/* The point that takes the default routes where POINT does not, or NULL. */
static const struct cw_optiq_point *default_of(const struct cw_points *points, const struct cw_optiq_point *point)
{
    size_t at = 0;
    for (const struct cw_optiq_point *other;
         (other = cw_optiq_next(points, point->point.figure, CW_OPTIQ_DEFAULT, &at));)
        if (other->net == point->net && strcmp(other->pattern, point->pattern) == 0) return other;
    return NULL;
}

/* --- against the default routes ----------------------------------------------------------------------------------- */

struct cw_optiq_gain cw_optiq_gain_of(const struct cw_points *points, size_t figure, const struct cw_network *net,
                                      enum cw_optiq_method method)
{
    struct cw_optiq_gain gain = {.speedup_min = NAN, .speedup_max = NAN};
    double log_z = 0, log_speedup = 0;
    size_t at = 0;
    for (const struct cw_optiq_point *point; (point = cw_optiq_next(points, figure, method, &at));) {
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

/* The manuscript prints figures 4 and 5 and claims little of any; experiments without a claim of their own are held to
 * its abstract. */

static const char too_few[] = "there are too few points";

#define SEVERAL 2

static int find_gain(const void *points, struct cw_finding *finding)
{
    static const enum cw_optiq_method methods[] = {CW_OPTIQ_HEURISTIC, CW_OPTIQ_LP, CW_OPTIQ_OPTIMUM};
    struct cw_optiq_gain gains[3];
    for (size_t i = 0; i < 3; i++) gains[i] = cw_optiq_gain_of(points, finding->index, NULL, methods[i]);
    const double most = fmax(gains[0].speedup_max, gains[1].speedup_max); /* the manuscript's own methods */
    if (isnan(most)) return cw_find_nothing(finding, too_few);
    const enum cw_verdict verdict = most >= SEVERAL ? CW_HOLDS : most > 1 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
    const struct cw_optiq_gain *best = &gains[gains[1].cases > 0 && most == gains[1].speedup_max ? 1 : 0];
    const struct cw_optiq_gain *optimum = &gains[2];
    const char *method = best == gains ? "heuristic" : "linear program";
    if (optimum->cases == 0)
        return cw_find(finding, verdict, most, "the %s carries %.2f to %.2f times as much, less in %zu of %zu cases",
                       method, best->speedup_min, best->speedup_max, best->slower, best->cases);
    return cw_find(finding, verdict, most,
                   "the %s carries %.2f to %.2f times as much, less in %zu of %zu cases; the optimum over all "
                   "paths %.2f to %.2f times, less in %zu of %zu",
                   method, best->speedup_min, best->speedup_max, best->slower, best->cases, optimum->speedup_min,
                   optimum->speedup_max, optimum->slower, optimum->cases);
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

/* Of the claim that it rises: over all pairs of points, or over most. */
static enum cw_verdict verdict_of(size_t n, size_t rises, size_t falls)
{
    if (n < 2) return CW_NOT_TESTED;
    return rises > 0 && falls == 0 ? CW_HOLDS : rises > falls ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

/* The room that the default routes leave, z of the optimum / theirs: with more destinations it falls, with longer
 * distances it rises. */
static int find_room(const void *points, struct cw_finding *finding)
{
    const bool rises = finding->index == CW_OPTIQ_DISTANCE;
    struct trend trend = {.n = 0};
    size_t at = 0, nearest = 0, furthest = 0;
    for (const struct cw_optiq_point *point; (point = cw_optiq_next(points, finding->index, CW_OPTIQ_OPTIMUM, &at));) {
        const struct cw_optiq_point *machine = default_of(points, point);
        if (!machine) continue;
        trend_add(&trend, rises ? point->distance : point->n, point->z / machine->z);
        const size_t last = trend.n - 1;
        if (trend.points[last].x < trend.points[nearest].x) nearest = last;
        if (trend.points[last].x > trend.points[furthest].x) furthest = last;
    }
    if (trend.n < 2) return cw_find_nothing(finding, too_few);
    return cw_find(
        finding, rises ? verdict_of(trend.n, trend.rises, trend.falls) : verdict_of(trend.n, trend.falls, trend.rises),
        trend.points[furthest].y,
        "z of the optimum is %.2f times that of the default routes at %.3g %s, %.2f times at %.3g; it rises over %zu "
        "pairs of points and falls over %zu",
        trend.points[nearest].y, trend.points[nearest].x, rises ? "hops" : "destinations", trend.points[furthest].y,
        trend.points[furthest].x, trend.rises, trend.falls);
}

const char *const cw_optiq_ties[] = {"plain", "rotated", "disjoint", "penalised"};

static int find_paths(const void *points, struct cw_finding *finding)
{
    size_t rises = 0, falls = 0, n = 0, at = 0;
    const struct cw_optiq_point *least = NULL, *most = NULL;
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++) {
        struct trend trend = {.n = 0};
        at = 0;
        for (const struct cw_optiq_point *point; (point = cw_optiq_next(points, finding->index, CW_OPTIQ_LP, &at));) {
            if ((int)point->ties != ties) continue;
            trend_add(&trend, point->k, point->z);
            if (!least || point->z < least->z) least = point;
            if (!most || point->z > most->z) most = point;
        }
        rises += trend.rises;
        falls += trend.falls;
        if (trend.n > n) n = trend.n;
    }
    if (n < 2) return cw_find_nothing(finding, too_few);
    at = 0;
    const struct cw_optiq_point *optimum = cw_optiq_next(points, finding->index, CW_OPTIQ_OPTIMUM, &at);
    return cw_find(finding, verdict_of(n, rises, falls), most->z,
                   "z is %.3f with k = %u and ties %s, %.3f with k = %u and ties %s; the optimum over all paths is "
                   "%.3f; it rises over %zu pairs of points and falls over %zu",
                   least->z, least->k, cw_optiq_ties[least->ties], most->z, most->k, cw_optiq_ties[most->ties],
                   optimum ? optimum->z : NAN, rises, falls);
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

/* Over patterns, the first two numbers of the claim: chunks of so many KiB, the third, to 128 are the best in most; in
 * part: for most no other size is better. */
static int find_chunk(const void *points, struct cw_finding *finding)
{
    const uint32_t *of = finding->claim->numbers;
    size_t tested = 0, better = 0, worse = 0, at = 0;
    for (const struct cw_optiq_point *point; (point = cw_optiq_next(points, finding->index, CW_OPTIQ_GREEDY, &at));) {
        const long pattern = strtol(point->pattern, NULL, 10);
        if (pattern < of[0] || pattern > of[1]) continue;
        const double ratio = fastest(point, of[2] * KIB, true) / fastest(point, of[2] * KIB, false);
        tested++;
        better += ratio > 1 + PRECISION;
        worse += ratio < 1 / (1 + PRECISION);
    }
    if (tested == 0) return cw_find_nothing(finding, too_few);
    return cw_find(finding,
                   2 * better > tested             ? CW_HOLDS
                   : 2 * (tested - worse) > tested ? CW_HOLDS_IN_PART
                                                   : CW_HOLDS_NOT,
                   (double)better / (double)tested,
                   "for %zu of %zu patterns they are the fastest by more than 2 %%, for %zu another size is, and for "
                   "%zu others do as well",
                   better, tested, worse, tested - better - worse);
}

/* ------------------------------------------------------------------------------------------------------------------ */

#define GAIN                                                                                                           \
    {                                                                                                                  \
        "balancing the load over paths carries several times what MPI's default routes do, for certain patterns",      \
            "most by heuristic or linear program / default routes", find_gain                                          \
    }

static const char at_the_end[] = "z of the optimum / default routes, at the end",
                  for_share[] = "share of the patterns for which it is so";

static const struct cw_paper_claim
    gain[] = {GAIN},
    of_destinations[] = {GAIN, {"with more destinations there are fewer paths to explore", at_the_end, find_room}},
    of_distance[] = {GAIN, {"with longer distances there are more paths to explore", at_the_end, find_room}},
    of_chunks[] =
        {{"chunks of 64 or 128 KiB are the best for most disjoint and overlapping patterns",
          for_share,
          find_chunk,
          {0, 63, 64}},
         {"chunks of 128 KiB are clearly the best for subset patterns", for_share, find_chunk, {64, 90, 128}}},
    of_paths[] = {{"the more paths are given to the linear program, the better its plan (announced only)",
                   "most z of the linear program", find_paths}};

const struct cw_paper_figure cw_optiq_figures[] = {
    [CW_OPTIQ_GROWING] = {"4", "optiq-fig4", NULL, CW_ITEMS(gain)},
    [CW_OPTIQ_FIXED] = {"fixed", "optiq-fixed", NULL, CW_ITEMS(gain)},
    [CW_OPTIQ_DESTINATIONS] = {"destinations", "optiq-destinations", NULL, CW_ITEMS(of_destinations)},
    [CW_OPTIQ_DISTANCE] = {"distance", "optiq-distance", NULL, CW_ITEMS(of_distance)},
    [CW_OPTIQ_CHUNKS] = {"5", "optiq-fig5", NULL, CW_ITEMS(of_chunks)},
    [CW_OPTIQ_MESSAGES] = {"messages", "optiq-messages", NULL, CW_ITEMS(gain)},
    [CW_OPTIQ_PATHS] = {"paths", "optiq-paths", NULL, CW_ITEMS(of_paths)},
    [CW_OPTIQ_PATTERNS] = {"patterns", "optiq-patterns", NULL, CW_ITEMS(gain)},
    {.name = NULL}};
