#include "study/papers/optiq_points.h"

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
#include "study/papers/batch.h"
#include "topo/topology.h"

#define PATTERNS 91
#define MIB      ((uint64_t)1 << 20)
#define CHUNK    ((uint64_t)64 << 10)

const char *const cw_optiq_figures[] = {"4", "fixed", "destinations", "distance", "5", "messages", "paths", "patterns"};

const char *const cw_optiq_methods[] = {"default route", "heuristic", "greedy", "linear program", "optimum"};

/* --- networks ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *networks[CW_OPTIQ_PARTITIONS + 1];
    size_t base;
    uint64_t bytes; /* of a pair, except in the experiment with message sizes */
} scales[] = {
    [CW_OPTIQ_QUICK] = {{"torus:2x4x4x2x2@2GB/s", "torus:2x4x4x4x2@2GB/s", NULL}, 0, MIB},
    [CW_OPTIQ_SMALL] = {{"bgq:512,merge2@2GB/s", "bgq:1024,merge2@2GB/s", "bgq:2048,merge2@2GB/s", NULL}, 0, 8 * MIB},
    [CW_OPTIQ_ALL] = {{"bgq:512,merge2@2GB/s", "bgq:1024,merge2@2GB/s", "bgq:2048,merge2@2GB/s",
                       "bgq:4096,merge2@2GB/s", "bgq:8192,merge2@2GB/s", NULL},
                      2,
                      8 * MIB},
};

int cw_optiq_points_begin(enum cw_optiq_sizes sizes, struct cw_optiq_points *points)
{
    int rc = 0;
    *points = (struct cw_optiq_points){.sizes = sizes, .base = scales[sizes].base};
    for (size_t i = 0; !rc && scales[sizes].networks[i]; i++) {
        rc = cw_topology_build(scales[sizes].networks[i], &points->nets[i]);
        if (!rc) rc = cw_engine_route(points->nets[i], "bgq", 1, 1, &points->routes[i]);
        points->n_partitions = i + 1;
    }
    return rc;
}

void cw_optiq_points_free(struct cw_optiq_points *points)
{
    for (size_t i = 0; i < points->n_partitions; i++) {
        cw_routes_free(points->routes[i]);
        cw_network_free(points->nets[i]);
    }
    free(points->items);
    *points = (struct cw_optiq_points){0};
}

/* --- points ------------------------------------------------------------------------------------------------------- */

/* What is being added to, and the first error. */
struct adding {
    struct cw_optiq_points *points;
    enum cw_optiq_figure figure;
    int rc;
};

static uint32_t nodes_of(const struct adding *adding, size_t partition)
{
    return adding->points->nets[partition]->n_endpoints;
}

/* Adds a point for PATTERN on a partition with the manuscript's message and chunk sizes; NULL after an error. */
static struct cw_optiq_point *add(struct adding *adding, size_t partition, enum cw_optiq_method method,
                                  const char *pattern)
{
    struct cw_optiq_points *points = adding->points;
    void *items = points->items;
    if (!adding->rc)
        adding->rc = cw_grow_array(&items, &points->capacity, points->n + 1, sizeof *points->items, "points");
    points->items = items;
    if (adding->rc) return NULL;
    struct cw_optiq_point *point = &points->items[points->n++];
    const double number = strtod(pattern, NULL);
    *point = (struct cw_optiq_point){
        .figure = adding->figure,
        .net = points->nets[partition],
        .routes = points->routes[partition],
        .method = method,
        .k = 16,
        .ties = CW_TIES_PENALISED,
        .variants = {{.bytes = scales[points->sizes].bytes, .chunk = number >= 64 ? 2 * CHUNK : CHUNK}},
        .n_variants = 1};
    snprintf(point->pattern, sizeof point->pattern, "%s", pattern);
    return point;
}

static void add_methods(struct adding *adding, size_t partition, const char *pattern)
{
    for (int method = 0; method < CW_OPTIQ_METHODS; method++)
        add(adding, partition, (enum cw_optiq_method)method, pattern);
}

static const char *const shown[] = {"3", "27", "87"}; /* disjoint, overlap, subset */
enum { SHOWN = sizeof shown / sizeof *shown };

static void add_growing(struct adding *adding)
{
    for (size_t partition = 0; partition < adding->points->n_partitions; partition++)
        for (size_t i = 0; i < SHOWN; i++) add_methods(adding, partition, shown[i]);
}

/* "disjoint:MxN", the last n nodes; N is kept. */
static void add_disjoint(struct adding *adding, size_t partition, uint32_t m, uint32_t n)
{
    char pattern[48];
    snprintf(pattern, sizeof pattern, "disjoint:%ux%u", m, n);
    for (int method = 0; method < CW_OPTIQ_METHODS; method++) {
        struct cw_optiq_point *point = add(adding, partition, (enum cw_optiq_method)method, pattern);
        if (point) point->n = n;
    }
}

static void add_fixed(struct adding *adding)
{
    const uint32_t smallest = nodes_of(adding, 0); /* 512: 128 to 256 */
    for (size_t partition = 0; partition < adding->points->n_partitions; partition++)
        add_disjoint(adding, partition, smallest / 4, smallest / 2);
}

static void add_destinations(struct adding *adding)
{
    const size_t base = adding->points->base;
    const uint32_t p = nodes_of(adding, base);
    for (uint32_t n = p / 64; n <= p / 2; n *= 2) add_disjoint(adding, base, p / 16, n);
}

static void add_distances(struct adding *adding)
{
    const size_t base = adding->points->base;
    const uint32_t p = nodes_of(adding, base), m = p / 16, n = p / 8;
    char pattern[48];
    for (uint32_t first = m; first + n <= p; first += p / 32) {
        snprintf(pattern, sizeof pattern, "%ux%u from %u", m, n, first);
        for (int method = 0; method < CW_OPTIQ_METHODS; method++) {
            struct cw_optiq_point *point = add(adding, base, (enum cw_optiq_method)method, pattern);
            if (!point) return;
            point->variants[0].chunk = CHUNK;
            point->m = m;
            point->n = n;
            point->first = first;
        }
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

static void add_chunks(struct adding *adding)
{
    static const enum cw_optiq_method greedy[] = {CW_OPTIQ_GREEDY};
    const size_t from = adding->points->n;
    add_patterns(adding, adding->points->base, greedy, 1);
    for (size_t i = from; i < adding->points->n; i++) {
        struct cw_optiq_point *point = &adding->points->items[i];
        point->n_variants = 7;
        for (size_t v = 0; v < point->n_variants; v++)
            point->variants[v] =
                (struct cw_optiq_variant){.bytes = point->variants[0].bytes, .chunk = (uint64_t)16384 << v};
    }
}

static void add_messages(struct adding *adding)
{
    const size_t from = adding->points->n;
    for (size_t i = 0; i < SHOWN; i++) add_methods(adding, adding->points->base, shown[i]);
    for (size_t i = from; i < adding->points->n; i++) {
        struct cw_optiq_point *point = &adding->points->items[i];
        const uint64_t chunk = point->variants[0].chunk;
        point->n_variants = 7;
        for (size_t v = 0; v < point->n_variants; v++)
            point->variants[v] = (struct cw_optiq_variant){.bytes = (uint64_t)8192 << (2 * v), .chunk = chunk};
    }
}

static void add_paths(struct adding *adding)
{
    static const uint32_t counts[] = {1, 2, 4, 8, 16, 32, 50};
    static const enum cw_ties ties[] = {CW_TIES_PLAIN, CW_TIES_DISJOINT, CW_TIES_PENALISED};
    static const enum cw_optiq_method methods[] = {CW_OPTIQ_LP, CW_OPTIQ_HEURISTIC};
    const size_t base = adding->points->base;
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
    if (adding->points->sizes != CW_OPTIQ_ALL) return;
    add_patterns(adding, 2, compared, 3);
    add_patterns(adding, 4, compared, 3);
}

int cw_optiq_points_add(struct cw_optiq_points *points, enum cw_optiq_figure figure)
{
    static void (*const adders[CW_OPTIQ_FIGURES])(struct adding *) = {
        add_growing, add_fixed, add_destinations, add_distances, add_chunks, add_messages, add_paths, add_all_patterns};
    struct adding adding = {.points = points, .figure = figure};
    adders[figure](&adding);
    return adding.rc;
}

/* --- what was measured on the machine ----------------------------------------------------------------------------- */

/* Recorded by Bui et al.: MB/s with 8 MiB a pair, in chunks of 64 KiB (patterns 64 to 90: 128 KiB). */
enum { MPI, LP, HEURISTIC, MEASURED };

/* By pattern; 0: not recorded. */
static const uint32_t on_512[][MEASURED] = {
    {75701, 61010, 53928},    {41978, 44229, 38557},    {34743, 72918, 36739},    {49658, 93486, 53291},
    {39106, 47863, 42293},    {146465, 86355, 108520},  {59904, 87252, 42122},    {58865, 114285, 75939},
    {38899, 46043, 52440},    {63407, 70426, 48903},    {217460, 128208, 183677}, {111762, 121557, 82623},
    {45208, 80680, 52551},    {77307, 92053, 66636},    {115235, 97130, 101496},  {434921, 248966, 240065},
    {44074, 38729, 43345},    {54433, 82767, 70291},    {54426, 57386, 60663},    {33510, 59576, 50458},
    {35623, 65657, 45759},    {36153, 75007, 63334},    {37642, 96576, 62362},    {38503, 97533, 50058},
    {35199, 99863, 45271},    {50241, 95340, 69595},    {51232, 100441, 76091},   {51758, 104239, 60295},
    {33062, 54294, 53629},    {33923, 62698, 48595},    {36466, 27184, 55519},    {75855, 93841, 95114},
    {70519, 66588, 90029},    {108277, 144428, 129554}, {61738, 94973, 54976},    {67664, 91062, 97831},
    {67108, 97616, 60663},    {67710, 139130, 81723},   {68904, 145671, 107298},  {84098, 142717, 80658},
    {47814, 60118, 56540},    {41987, 60065, 49373},    {43483, 53283, 45697},    {71540, 82005, 68504},
    {68209, 80642, 64801},    {63737, 70161, 93006},    {176463, 105480, 145661}, {217714, 158612, 208681},
    {217677, 140408, 198834}, {110226, 123903, 77152},  {113284, 121011, 94744},  {106042, 143106, 116908},
    {47294, 85572, 68821},    {46148, 89179, 67370},    {47796, 85790, 65636},    {80950, 82084, 102919},
    {76189, 97269, 85361},    {80408, 88892, 81554},    {117936, 125806, 119507}, {131491, 126162, 96340},
    {141522, 109612, 131097}, {301806, 176081, 228113}, {279251, 151289, 308898}, {432679, 185843, 311767},
    {8307, 20816, 21159},     {7992, 21123, 22127},     {8287, 20087, 21977},     {14422, 31492, 21535},
    {14804, 28710, 27435},    {14744, 26855, 27017},    {21319, 29332, 38516},    {21244, 29610, 52475},
    {20747, 31019, 36472},    {16482, 40193, 34142},    {16573, 39535, 32811},    {16505, 40552, 27105},
    {29565, 52260, 49214},    {28198, 47908, 46615},    {27933, 46959, 50947},    {45469, 52547, 49171},
    {45719, 54853, 67466},    {43739, 56509, 53062},    {26268, 64787, 53153},    {26222, 65491, 46970},
    {26311, 68570, 49630},    {47195, 87618, 66534},    {46634, 81906, 64789},    {47555, 85258, 68796},
    {76780, 91046, 87727},    {80451, 107472, 86963},   {80980, 101572, 89401},
};

/* Those of figure 4. */
static const struct {
    uint32_t nodes, pattern, rate[MEASURED];
} larger[] = {
    {2048, 3, {61582, 197079, 83062}}, {2048, 27, {59755, 308584, 140010}}, {2048, 87, {111160, 172296, 127102}},
    {8192, 3, {121169, 175097, 0}},    {8192, 27, {119166, 569491, 0}},
};

double cw_optiq_recorded(uint32_t nodes, const char *pattern, enum cw_optiq_method method)
{
    static const int columns[CW_OPTIQ_METHODS] = {[CW_OPTIQ_DEFAULT] = MPI,
                                                  [CW_OPTIQ_HEURISTIC] = HEURISTIC,
                                                  [CW_OPTIQ_GREEDY] = -1,
                                                  [CW_OPTIQ_LP] = LP,
                                                  [CW_OPTIQ_OPTIMUM] = -1};
    const int column = columns[method];
    char *end;
    const unsigned long number = strtoul(pattern, &end, 10);
    uint32_t rate = 0;
    if (column < 0 || *end) return (double)NAN;
    if (nodes == 512 && number < sizeof on_512 / sizeof *on_512) rate = on_512[number][column];
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        if (larger[i].nodes == nodes && larger[i].pattern == number) rate = larger[i].rate[column];
    return rate > 0 ? 1e6 * rate : (double)NAN;
}

/* Medians over the 91 patterns on 1,024 nodes, as shares of what chunks of 64 KiB reach. */
static const struct {
    uint64_t chunk;
    double share;
} shares[] = {{8192, .07},   {16384, .17},  {32768, .48},   {65536, 1},     {131072, .88},
              {262144, .80}, {524288, .78}, {1048576, .79}, {4194304, .62}, {8388608, .44}};

double cw_optiq_recorded_share(uint64_t chunk)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].chunk == chunk) return shares[i].share;
    return (double)NAN;
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

static int run_point(struct cw_optiq_point *point)
{
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
    if (!rc) point->done = true;
    cw_plan_run_free(&run);
    cw_plan_case_free(&made);
    return rc;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int compute(void *context, size_t index, void *outcome)
{
    const struct cw_optiq_points *points = context;
    struct cw_optiq_point *point = outcome;
    *point = points->items[index];
    return run_point(point);
}

/* Network and routes are this process's. */
static void keep(void *context, size_t index, const void *outcome)
{
    const struct cw_optiq_points *points = context;
    struct cw_optiq_point *point = &points->items[index];
    const struct cw_optiq_point own = *point;
    *point = *(const struct cw_optiq_point *)outcome;
    point->net = own.net;
    point->routes = own.routes;
}

static int figure_of(void *context, size_t index)
{
    const struct cw_optiq_points *points = context;
    return (int)points->items[index].figure;
}

static double cost_of(void *context, size_t index)
{
    const struct cw_optiq_points *points = context;
    return points->items[index].net->n_endpoints;
}

int cw_optiq_points_run(const struct cw_figure_study *study, struct cw_optiq_points *points)
{
    const struct cw_figure_points batches = {.n = points->n,
                                             .figure_of = figure_of,
                                             .cost_of = cost_of,
                                             .outcome_size = sizeof *points->items,
                                             .compute = compute,
                                             .keep = keep,
                                             .context = points};
    return cw_figure_points_run(study, &batches);
}
