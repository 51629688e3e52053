/*
 * Jellyfish: random regular graphs, made as Singla et al. (NSDI 2012, section 3) make them. Two free ports of switches
 * that are not joined yet are joined, at random, as long as there are such; then a free pair takes a random cable apart
 * and is joined to its two ends. A graph that is not connected, or cannot be completed, is thrown away and the next one
 * drawn. Their graphs are close to uniformly distributed, not exactly.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "net/builder.h"
#include "topo/topology.h"

#define MAX_PORTS 65535
#define ATTEMPTS  200

struct parameters {
    int64_t n, r, p, seed;
};

#define COUNT(NAME, FIELD, MIN, MAX, HELP)                                                                             \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = MIN, .max = MAX,         \
    .positional = true, .required = true, .help = HELP

static const struct cw_option options[] = {{COUNT("n", n, 2, UINT32_MAX, "switches")},
                                           {COUNT("r", r, 1, MAX_PORTS, "channels of a switch to other switches")},
                                           {COUNT("p", p, 1, MAX_PORTS, "endpoints of a switch")},
                                           {.name = "seed",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, seed),
                                            .max = UINT32_MAX,
                                            .help = "random seed of the graph"},
                                           {.name = NULL}};

/* --- the graph ---------------------------------------------------------------------------------------------------- */

struct graph {
    uint32_t n, r;
    uint32_t *neighbours; /* [n · r] */
    uint32_t *degree;     /* [n] so far */
    uint32_t *stubs;      /* [n · r] switches of free ports */
    uint32_t n_stubs;
    struct cw_random random;
};

static bool joined(const struct graph *graph, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < graph->degree[a]; i++)
        if (graph->neighbours[(size_t)a * graph->r + i] == b) return true;
    return a == b;
}

static void add_half(struct graph *graph, uint32_t a, uint32_t b)
{
    graph->neighbours[(size_t)a * graph->r + graph->degree[a]++] = b;
}

static void replace_half(struct graph *graph, uint32_t a, uint32_t old, uint32_t new)
{
    uint32_t *at = graph->neighbours + (size_t)a * graph->r;
    while (*at != old) at++;
    *at = new;
}

/* Takes stub I out and returns its switch. */
static uint32_t take_stub(struct graph *graph, uint32_t i)
{
    const uint32_t v = graph->stubs[i];
    graph->stubs[i] = graph->stubs[--graph->n_stubs];
    return v;
}

/* Joins the free port of U with a random one of a switch that it is not joined with. False if there is none. */
static bool join(struct graph *graph, uint32_t u)
{
    const uint32_t start = cw_random_below(&graph->random, graph->n_stubs);
    for (uint32_t i = 0; i < graph->n_stubs; i++) {
        const uint32_t at = (start + i) % graph->n_stubs, v = graph->stubs[at];
        if (joined(graph, u, v)) continue;
        take_stub(graph, at);
        add_half(graph, u, v);
        add_half(graph, v, u);
        return true;
    }
    return false;
}

/* Takes a random cable x-y apart and joins U with x and the switch V of a free port with y. False if there is none. */
static bool insert(struct graph *graph, uint32_t u)
{
    const uint32_t v = take_stub(graph, cw_random_below(&graph->random, graph->n_stubs));
    const uint32_t ends = graph->n * graph->r, start = cw_random_below(&graph->random, ends);
    for (uint32_t i = 0; i < ends; i++) {
        const uint32_t at = (start + i) % ends, x = at / graph->r;
        if (at % graph->r >= graph->degree[x]) continue;
        const uint32_t y = graph->neighbours[at];
        if (joined(graph, u, x) || joined(graph, v, y)) continue;
        replace_half(graph, x, y, u);
        replace_half(graph, y, x, v);
        add_half(graph, u, x);
        add_half(graph, v, y);
        return true;
    }
    return false;
}

/* True if the graph is connected. Uses the stubs, of which none are left, as a queue. */
static bool is_connected(struct graph *graph)
{
    uint32_t reached = 1;
    memset(graph->degree, 0, graph->n * sizeof *graph->degree);
    graph->degree[0] = 1;
    graph->stubs[0] = 0;
    for (uint32_t head = 0; head < reached; head++)
        for (uint32_t i = 0; i < graph->r; i++) {
            const uint32_t v = graph->neighbours[(size_t)graph->stubs[head] * graph->r + i];
            if (graph->degree[v]) continue;
            graph->degree[v] = 1;
            graph->stubs[reached++] = v;
        }
    return reached == graph->n;
}

/* True if attempt number I succeeds. */
static bool draw(struct graph *graph, uint32_t seed, uint32_t i)
{
    graph->random = cw_random_of(seed, CW_STREAM_TOPOLOGY, i);
    graph->n_stubs = graph->n * graph->r;
    memset(graph->degree, 0, graph->n * sizeof *graph->degree);
    for (uint32_t s = 0; s < graph->n_stubs; s++) graph->stubs[s] = s / graph->r;
    while (graph->n_stubs > 0) {
        const uint32_t u = take_stub(graph, cw_random_below(&graph->random, graph->n_stubs));
        if (!join(graph, u) && !insert(graph, u)) return false;
    }
    return is_connected(graph);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The neighbours of each switch in ascending order, in graph->neighbours. */
static int draw_graph(struct graph *graph, uint32_t seed)
{
    const size_t ends = (size_t)graph->n * graph->r;
    graph->neighbours = cw_new_array(ends, sizeof *graph->neighbours, "a random graph");
    graph->degree = cw_new_array(graph->n, sizeof *graph->degree, "a random graph");
    graph->stubs = cw_new_array(ends > graph->n ? ends : graph->n, sizeof *graph->stubs, "a random graph");
    if (!graph->neighbours || !graph->degree || !graph->stubs) return CW_ENOMEM;
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        if (!draw(graph, seed, i)) continue;
        for (uint32_t v = 0; v < graph->n; v++)
            qsort(graph->neighbours + (size_t)v * graph->r, graph->r, sizeof *graph->neighbours, compare);
        return 0;
    }
    return cw_fail(CW_EUSAGE, "jellyfish: none of %d random graphs of %u switches with %u channels each is connected",
                   ATTEMPTS, graph->n, graph->r);
}

/* --- the generator ------------------------------------------------------------------------------------------------ */

static uint32_t port_of(const struct graph *graph, uint32_t a, uint32_t b)
{
    uint32_t i = 0;
    while (graph->neighbours[(size_t)a * graph->r + i] != b) i++;
    return i;
}

static void add_cables(struct cw_builder *builder, const struct cw_jellyfish *jellyfish, const struct graph *graph,
                       const struct cw_link *link)
{
    const uint32_t p = jellyfish->p, n = graph->n * p;
    for (uint32_t a = 0; a < graph->n && !cw_builder_failed(builder); a++) {
        for (uint32_t i = 0; i < p; i++)
            cw_builder_cable(builder, a * p + i, 1, n + a, i + 1, link->capacity, link->latency);
        for (uint32_t i = 0; i < graph->r; i++) {
            const uint32_t b = graph->neighbours[(size_t)a * graph->r + i];
            if (b > a)
                cw_builder_cable(builder, n + a, p + i + 1, n + b, p + port_of(graph, b, a) + 1, link->capacity,
                                 link->latency);
        }
    }
}

static int check(const struct parameters *parameters)
{
    const int64_t n = parameters->n, r = parameters->r, ports = r + parameters->p;
    if (r >= n)
        return cw_fail(CW_EUSAGE,
                       "jellyfish: %" PRId64 " channels to other switches need more than %" PRId64 " switches", r, n);
    if (n % 2 != 0 && r % 2 != 0)
        return cw_fail(CW_EUSAGE,
                       "jellyfish: %" PRId64 " switches with %" PRId64 " channels each leave one port free; one of the "
                       "numbers must be even",
                       n, r);
    if (ports > MAX_PORTS)
        return cw_fail(CW_EUSAGE, "jellyfish: switches of %" PRId64 " ports; at most %d are possible", ports,
                       MAX_PORTS);
    return 0;
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const struct parameters *parameters = values;
    int rc = check(parameters);
    if (rc) return rc;
    const struct cw_shape shape = {.kind = &cw_shape_jellyfish,
                                   .jellyfish = {.n = (uint32_t)parameters->n,
                                                 .r = (uint32_t)parameters->r,
                                                 .p = (uint32_t)parameters->p,
                                                 .seed = (uint32_t)parameters->seed}};
    const uint64_t switches = cw_shape_switches(&shape), endpoints = cw_shape_endpoints(&shape);
    struct cw_builder *builder = cw_builder_new(endpoints, switches, endpoints + switches * shape.jellyfish.r / 2);
    struct graph graph = {.n = shape.jellyfish.n, .r = shape.jellyfish.r};
    cw_builder_shape(builder, &shape);
    if (!cw_builder_failed(builder)) rc = draw_graph(&graph, shape.jellyfish.seed);
    if (rc) cw_builder_fail(builder, rc);
    if (!cw_builder_failed(builder)) add_cables(builder, &shape.jellyfish, &graph, link);
    free(graph.neighbours);
    free(graph.degree);
    free(graph.stubs);
    return cw_builder_finish(builder, net);
}

static const char *const examples[] = {"jellyfish:8,3,1", "jellyfish:20,4,2", "jellyfish:20,4,2,seed=3",
                                       "jellyfish:5,4,1", NULL};

const struct cw_topology cw_topology_jellyfish = {
    .name = "jellyfish",
    .help =
        "N switches with P endpoints and R channels to random other switches each: a random regular graph (Jellyfish)",
    .synopsis = "jellyfish:N,R,P[,seed=SEED]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .build = build,
};
