/*
 * What the tests of packet routings share: sending packets hop by hop, with every promise of
 * route/packets/packet_routing.h checked on the way, and dragonflies with any wiring.
 */
#ifndef CW_TEST_PACKET_TEST_H
#define CW_TEST_PACKET_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "check_test.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/packets/packet_routing.h"

#define MOST_HOPS 64

static inline struct cw_packet_routing *packet_routing_of(const struct cw_network *net, const char *spec)
{
    struct cw_packet_routing *routing = NULL;
    must(cw_packet_routing_new(net, spec, 7, 1, &routing));
    assert_ptr_equal(cw_packet_routing_network(routing), net);
    return routing;
}

/* Queues that are `flits` long where that is given, else any length below 64 that depends on `salt`. */
struct queues {
    uint64_t salt;
    const uint32_t *flits;
};

static inline uint32_t occupancy_of(const void *simulator, uint32_t channel)
{
    const struct queues *queues = simulator;
    return queues->flits ? queues->flits[channel] : (uint32_t)(cw_random_hash(queues->salt, channel) & 63);
}

static inline struct cw_queue_view view_of(const struct queues *queues)
{
    return (struct cw_queue_view){.simulator = queues, .occupancy = occupancy_of};
}

/* Where a packet went: its hops between switches, and then the one into the destination. */
struct trip {
    struct cw_packet injected;
    uint32_t hops; /* between switches */
    struct cw_hop hop[MOST_HOPS];
};

static inline uint32_t switch_of(const struct cw_network *net, uint32_t endpoint)
{
    return net->head[net->first[endpoint]];
}

static inline struct cw_packet inject(const struct cw_packet_routing *routing, const struct cw_queue_view *view,
                                      uint64_t random, uint32_t src, uint32_t dst)
{
    struct cw_packet packet = cw_packet_of(src, dst);
    packet = cw_packet_inject(cw_packet_routing_operations(routing), cw_packet_routing_state(routing),
                              switch_of(cw_packet_routing_network(routing), src), view, random, packet);
    assert_int_equal(packet.dst, dst);
    return packet;
}

/* The candidates, checked; asking again gives the same. */
static inline int candidates(const struct cw_packet_routing *routing, uint32_t v, struct cw_hop in,
                             const struct cw_queue_view *view, uint64_t random, struct cw_packet *packet,
                             struct cw_hop *out, int max)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *state = cw_packet_routing_state(routing);
    struct cw_hop again[CW_PACKET_CANDIDATES];
    struct cw_packet asked = *packet;
    const int n = ops->next(state, v, in.channel, in.lane, view, random, packet, out, max);
    must(n < 0 ? n : 0);
    assert_in_range(n, 1, max);
    struct cw_packet same = *packet;
    assert_int_equal(ops->next(state, v, in.channel, in.lane, view, random, &same, again, max), n);
    assert_true(same.dst == packet->dst && same.via == packet->via && same.phase == packet->phase);
    if (ops->turn) {
        struct cw_packet_turn turn = {.packet = &asked, .sw = v, .in = in.channel};
        ops->turn(state, &turn, 1);
        assert_true(asked.dst == packet->dst && asked.via == packet->via && asked.phase == packet->phase);
        assert_true(n == 1 && turn.out.channel == out[0].channel && turn.out.lane == out[0].lane);
    }
    for (int i = 0; i < n; i++) {
        const uint32_t c = out[i].channel;
        assert_true(again[i].channel == c && again[i].lane == out[i].lane);
        assert_int_equal(net->tail[c], v);
        assert_true(net->head[c] >= net->n_endpoints || net->head[c] == packet->dst);
        assert_true(out[i].lane < cw_packet_routing_lanes(routing, c));
        for (int k = 0; k < i; k++) assert_true(out[k].channel != c);
    }
    return n;
}

/* Sends a packet, which takes a random one of its candidates at each hop. */
static inline struct trip send_packet(const struct cw_packet_routing *routing, const struct cw_queue_view *view,
                                      struct cw_random *random, uint32_t src, uint32_t dst)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    struct trip trip = {.injected = inject(routing, view, cw_random_u64(random), src, dst)};
    struct cw_packet packet = trip.injected;
    struct cw_hop in = {CW_NONE, 0}, out[CW_PACKET_CANDIDATES];
    for (uint32_t v = switch_of(net, src);; trip.hops++) {
        const int max = cw_random_below(random, 2) ? 1 : CW_PACKET_CANDIDATES;
        const int n = candidates(routing, v, in, view, cw_random_u64(random), &packet, out, max);
        in = trip.hop[trip.hops] = out[cw_random_below(random, (uint32_t)n)];
        v = net->head[in.channel];
        if (v == dst) return trip;
        assert_true(trip.hops + 1 < MOST_HOPS);
    }
}

/* The kinds of the hops of a trip between switches of a dragonfly: 'L' and 'G'. */
static inline void kinds_of(const struct cw_network *net, const struct trip *trip, char *kinds)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    for (uint32_t i = 0; i < trip->hops; i++) {
        const uint32_t c = trip->hop[i].channel;
        *kinds++ = c - net->first[net->tail[c]] < shape->p + shape->a - 1 ? 'L' : 'G';
    }
    *kinds = 0;
}

/* The group of a vertex of a dragonfly. */
static inline uint32_t group_of(const struct cw_network *net, uint32_t v)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return v < net->n_endpoints ? v / (shape->p * shape->a) : (v - net->n_endpoints) / shape->a;
}

/* --- dragonflies with any wiring ---------------------------------------------------------------------------------- */

struct free_ports {
    uint32_t *port; /* [g][a · h] global ports of each group, in random order; the first `n[group]` are free */
    uint32_t *n;
};

static inline void join_groups(struct cw_builder *builder, const struct cw_dragonfly *shape, struct free_ports *left,
                               uint32_t i, uint32_t j)
{
    const uint32_t all = shape->a * shape->h, switches = shape->g * shape->a * shape->p;
    const uint32_t q = left->port[i * all + --left->n[i]], r = left->port[j * all + --left->n[j]];
    cw_builder_cable(builder, switches + i * shape->a + q / shape->h, shape->p + shape->a + q % shape->h,
                     switches + j * shape->a + r / shape->h, shape->p + shape->a + r % shape->h, 1, 0);
}

/* A cable between each two groups, by random ports, and then between random groups until a pair has no port left. */
static inline void join_all_groups(struct cw_builder *builder, const struct cw_dragonfly *shape,
                                   struct cw_random *random)
{
    const uint32_t all = shape->a * shape->h;
    struct free_ports left = {zeros(shape->g * all, sizeof(uint32_t)), zeros(shape->g, sizeof(uint32_t))};
    for (uint32_t i = 0; i < shape->g; i++) {
        cw_random_permutation(random, all, left.port + i * all);
        left.n[i] = all;
    }
    for (uint32_t i = 0; i < shape->g; i++)
        for (uint32_t j = 0; j < i; j++) join_groups(builder, shape, &left, i, j);
    for (;;) {
        const uint32_t i = cw_random_below(random, shape->g), j = cw_random_below(random, shape->g - 1);
        const uint32_t other = j + (j >= i);
        if (left.n[i] == 0 || left.n[other] == 0) break;
        join_groups(builder, shape, &left, i, other);
    }
    free(left.port);
    free(left.n);
}

static inline struct cw_network *any_dragonfly(struct cw_dragonfly shape, uint64_t seed)
{
    const struct cw_shape whole = {.kind = &cw_shape_dragonfly, .dragonfly = shape};
    const uint32_t p = shape.p, a = shape.a, switches = shape.g * a, endpoints = switches * p;
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 5);
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(endpoints, switches, (uint64_t)switches * (p + (a - 1) + shape.h));
    cw_builder_shape(builder, &whole);
    for (uint32_t s = 0; s < switches; s++) {
        for (uint32_t i = 0; i < p; i++) cw_builder_cable(builder, s * p + i, 1, endpoints + s, i + 1, 1, 0);
        for (uint32_t t = s % a + 1; t < a; t++)
            cw_builder_cable(builder, endpoints + s, p + t, endpoints + s - s % a + t, p + s % a + 1, 1, 0);
    }
    join_all_groups(builder, &shape, &random);
    must(cw_builder_finish(builder, &net));
    must(cw_network_check_shape(net));
    return net;
}

#endif
