/* What the tests of models share. */
#ifndef CW_TESTS_MODEL_TEST_H
#define CW_TESTS_MODEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/packets/packet_routing.h"
#include "topo/topology.h"
#include "traffic/workload.h"

/* A network and a workload on it, rank r on endpoints[r]. */
struct setting {
    struct cw_network *net;
    struct cw_workload *workload;
    uint32_t *endpoints;
};

/* One rank on each endpoint of NET, which it takes over, contiguously. */
static inline struct setting set_up(struct cw_network *net, const char *workload)
{
    struct setting out = {.net = net, .endpoints = calloc(net->n_endpoints, sizeof *out.endpoints)};
    struct cw_ranks ranks;
    assert_non_null(out.endpoints);
    for (uint32_t r = 0; r < net->n_endpoints; r++) out.endpoints[r] = r;
    cw_ranks_of(net, net->n_endpoints, &ranks);
    if (cw_workload_new(workload, &ranks, 1, &out.workload) != 0) fail_msg("%s: %s", workload, cw_error_message());
    return out;
}

static inline struct cw_network *built(const char *topology)
{
    struct cw_network *net = NULL;
    if (cw_topology_build(topology, &net) != 0) fail_msg("%s: %s", topology, cw_error_message());
    return net;
}

static inline struct setting setting_of(const char *topology, const char *workload)
{
    return set_up(built(topology), workload);
}

/* The messages of TEXT (traffic/pattern_matrix.c) on NET, which it takes over. */
static inline struct setting set_up_matrix(struct cw_network *net, const char *text)
{
    char path[] = "matrix-XXXXXX", spec[32];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    snprintf(spec, sizeof spec, "matrix:%s", path);
    const struct setting out = set_up(net, spec);
    unlink(path);
    return out;
}

/* A network like NET, which it frees, in which no cable is as fast as another, nor in one direction as in the other. */
static inline struct cw_network *with_speeds(struct cw_network *net, uint64_t trial)
{
    struct cw_random random = cw_random_of(15, CW_STREAM_TEST, trial);
    struct cw_builder *builder =
        cw_builder_new(net->n_endpoints, net->n_vertices - net->n_endpoints, net->n_channels / 2);
    struct cw_network *out = NULL;
    if (net->shape.kind) cw_builder_shape(builder, &net->shape);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t back = net->twin[c];
        if (back < c) continue;
        const double there = 1 + (double)(cw_random_u64(&random) % 1000) / 500;
        cw_builder_cable(builder, net->tail[c], cw_network_port(net, c), net->tail[back], cw_network_port(net, back),
                         1e9 * there, 1e-7);
        cw_builder_back(builder, 1e9 * (1 + (double)(cw_random_u64(&random) % 1000) / 500), 1e-7);
    }
    cw_network_free(net);
    if (cw_builder_finish(builder, &out) != 0) fail_msg("%s", cw_error_message());
    return out;
}

static inline struct setting setting_with_speeds(const char *topology, const char *workload, uint64_t trial)
{
    return set_up(with_speeds(built(topology), trial), workload);
}

/* Adds to USE[channels] what rank R puts on each if it sends all it can, in units of the channel, packet by packet:
 * every destination, every choice. Returns which share of its bandwidth it sends to others. */
static inline double walk_rank(const struct setting *setting, const struct cw_packet_routing *routing, uint32_t r,
                               double *use)
{
    const struct cw_network *net = setting->net;
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    const uint32_t source = setting->endpoints[r], sw = net->head[net->first[source]];
    const double speed = net->capacity[net->first[source]];
    double all = 0, sent = 0;
    struct cw_flows flows = {0};
    assert_int_equal(cw_workload_flows_of(setting->workload, r, &flows), 0);
    for (size_t i = 0; i < flows.n; i++) all += (double)flows.items[i].bytes;
    for (size_t i = 0; i < flows.n; i++) {
        const uint32_t dst = setting->endpoints[flows.items[i].dst],
                       n = ops->choices ? ops->choices(state, sw, dst) : 1;
        const double share = (double)flows.items[i].bytes / all;
        if (dst == source) continue;
        sent += share;
        for (uint32_t k = 0; k < n; k++) {
            struct cw_packet packet = cw_packet_of(source, dst);
            struct cw_hop hop = {CW_NONE, 0};
            packet = cw_packet_inject(ops, state, sw, NULL, cw_random_for_choice(k, n), packet);
            use[net->first[source]] += share * speed / n / net->capacity[net->first[source]];
            for (uint32_t at = sw; at != dst; at = net->head[hop.channel]) {
                assert_int_equal(ops->next(state, at, hop.channel, hop.lane, NULL, 0, &packet, &hop, 1), 1);
                use[hop.channel] += share * speed / n / net->capacity[hop.channel];
            }
        }
    }
    cw_flows_free(&flows);
    return sent;
}

static inline void tear_down(struct setting *setting)
{
    cw_workload_free(setting->workload);
    cw_network_free(setting->net);
    free(setting->endpoints);
}

/* Puts the ranks of group i on group ORDER[i]. */
static inline void place_groups(struct setting *setting, const uint32_t *order)
{
    const struct cw_dragonfly *shape = &setting->net->shape.dragonfly;
    const uint32_t size = shape->a * shape->p;
    for (uint32_t r = 0; r < setting->net->n_endpoints; r++) setting->endpoints[r] = order[r / size] * size + r % size;
}

static inline void check_near(double got, double right, double tolerance)
{
    if (!(fabs(got - right) <= tolerance)) fail_msg("%.17g instead of %.17g", got, right);
}

static inline void check_message(const char *part)
{
    if (!strstr(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
}

#endif
