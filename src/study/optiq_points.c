#include "study/optiq_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "route/engine.h"
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
