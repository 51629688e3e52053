/* What the tests of plans share: small problems and plans by hand. */
#ifndef CW_TESTS_PLAN_TEST_H
#define CW_TESTS_PLAN_TEST_H

#include "demand_test.h"

#include <math.h>
#include <stdio.h>

#include "flow/plan.h"
#include "net/builder.h"
#include "net/network_internal.h"

/* For the last two parameters of sketch_path. */
#define NODES(...) (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)

/* A network, its demands, and a plan for them. `problem` is made by sketch_begin. */
struct sketch {
    struct cw_network *net;
    struct cw_demands demands;
    struct cw_flow_problem problem;
    struct cw_plan plan;
};

static inline void sketch_demand(struct sketch *sketch, uint32_t src, uint32_t dst, uint64_t bytes)
{
    must(cw_demands_add(&sketch->demands, src, dst, bytes));
}

/* A network of SPEC without demands yet; NULL: none. */
static inline struct sketch *sketch_new(const char *spec)
{
    struct sketch *sketch = zeros(1, sizeof *sketch);
    if (spec) sketch->net = network_of(spec);
    return sketch;
}

/* To be called once all demands are there. */
static inline void sketch_begin(struct sketch *sketch)
{
    must(cw_flow_problem_make(sketch->net, &sketch->demands, host_limit_of(sketch->net), NULL, 0, &sketch->problem));
    snprintf(sketch->plan.method, sizeof sketch->plan.method, "test");
    sketch->plan.bound = NAN;
}

static inline void sketch_free(struct sketch *sketch)
{
    cw_plan_free(&sketch->plan);
    cw_flow_problem_free(&sketch->problem);
    cw_demands_free(&sketch->demands);
    cw_network_free(sketch->net);
    free(sketch);
}

/* The first channel from vertex V to W. */
static inline uint32_t channel_between(const struct cw_network *net, uint32_t v, uint32_t w)
{
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (net->head[c] == w) return c;
    fail_msg("no channel from %u to %u", v, w);
    return CW_NONE;
}

/* Adds the path over the N nodes of a direct network at NODES, whose ends must be the demand's. */
static inline void sketch_path(struct sketch *sketch, uint32_t demand, double share, const uint32_t *nodes, size_t n)
{
    const struct cw_network *net = sketch->net;
    uint32_t channels[64], at = nodes[0];
    assert_true(n + 1 < sizeof channels / sizeof *channels);
    for (size_t i = 0; i <= n; i++) {
        const uint32_t next = i < n ? net->n_endpoints + nodes[i] : nodes[n - 1];
        channels[i] = channel_between(net, at, next);
        at = next;
    }
    must(cw_plan_add(&sketch->plan, demand, share, channels, n + 1));
}

/* Two endpoints, each at a switch of its own by a cable of 8 GB/s, and between the switches N parallel cables, of
 * CAPACITY byte/s. Ports of the first switch are numbered from 9 on, those of the second from 4 on. */
static inline struct cw_network *parallel_cables(const double *capacity, uint32_t n)
{
    struct cw_builder *builder = cw_builder_new(2, 2, n + 2);
    struct cw_network *net = NULL;
    cw_builder_cable(builder, 0, 3, 2, 1, 8e9, 0);
    cw_builder_cable(builder, 1, 1, 3, 1, 8e9, 0);
    for (uint32_t i = 0; i < n; i++) cw_builder_cable(builder, 2, 9 + i, 3, 4 + i, capacity[i], 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

/* A torus of 4x4 nodes: 100 bytes 0 → 1 over one hop, and 200 bytes 0 → 2 over both ways round. */
static inline struct sketch *small_sketch(void)
{
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    sketch_demand(sketch, 0, 1, 100);
    sketch_demand(sketch, 0, 2, 200);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1));
    sketch_path(sketch, 1, 0.25, NODES(0, 1, 2));
    sketch_path(sketch, 1, 0.75, NODES(0, 3, 2));
    return sketch;
}

/* What node 0 can send in small_sketch: 4 channels for demands of 1/2 and 1. */
static inline void sketch_proof(struct sketch *sketch)
{
    double *length = zeros(sketch->net->n_channels, sizeof *length);
    for (uint32_t c = sketch->net->first[16]; c < sketch->net->first[17]; c++)
        length[c] = cw_network_is_endpoint(sketch->net, sketch->net->head[c]) ? 0 : 1;
    must(cw_proof_make(&sketch->problem, length, 1, &sketch->plan.proof));
    sketch->plan.bound = sketch->plan.proof.bound;
    free(length);
}

static inline void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)))) fail_msg("%.17g is not %.17g", a, b);
}

#endif
