/*
 * A collective simulated a second time, as plainly as can be: every message of the schedule is a node with edges to all
 * messages its sender received in earlier rounds, and its times are found by recursion over them.
 */
#ifndef CW_TESTS_NAIVE_COLLECTIVE_H
#define CW_TESTS_NAIVE_COLLECTIVE_H

#include "net/network_internal.h"
#include "sim/collective.h"
#include "sim_test.h"

enum { NAIVE_CLEAN, NAIVE_PERTURBED, NAIVE_RUNS };

#define NAIVE_NONE SIZE_MAX

struct naive_node {
    struct cw_message message;
    uint32_t level, step; /* at once all of a level are in step 0 */
    size_t *received;     /* nodes: what its sender had received in earlier rounds */
    size_t n_received;
    size_t queued; /* node: what the same rank sent before, if sends are in order; or NAIVE_NONE */
    double cost, busy[NAIVE_RUNS], start[NAIVE_RUNS];
    uint32_t congestion[NAIVE_RUNS];
    double latency, slowest[NAIVE_RUNS]; /* of the channels on its way: sum; greatest of messages / capacity */
    bool known[NAIVE_RUNS];
};

struct naive {
    const struct cw_collective_setup *setup;
    struct naive_node *nodes;
    size_t n;
    uint32_t n_ranks, n_levels, blocks;
    struct cw_level *levels;
    double *until[NAIVE_RUNS];                    /* [channels] when they are done with what was sent so far */
    double time[NAIVE_RUNS], arrived[NAIVE_RUNS]; /* the last message, at most time */
};

/* Messages between endpoints, src[i] → dst[i]: the background of one level. */
struct naive_background {
    const uint32_t *src, *dst;
    size_t n;
};

/* The capacity of the fastest cable of an endpoint. */
static inline double naive_reference(const struct naive *naive)
{
    const struct cw_network *net = cw_routes_network(naive->setup->routes);
    double fastest = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) fastest = fmax(fastest, net->capacity[c]);
    return fastest;
}

static inline double naive_start(const struct naive *naive, size_t at, int run);

/* When node AT has arrived. */
static inline double naive_arrival(const struct naive *naive, size_t at, int run)
{
    return naive_start(naive, at, run) + naive->nodes[at].cost + naive->nodes[at].busy[run];
}

static inline double naive_start(const struct naive *naive, size_t at, int run)
{
    struct naive_node *node = &naive->nodes[at];
    if (node->known[run]) return node->start[run];
    double start = 0;
    for (size_t i = 0; i < node->n_received; i++) start = fmax(start, naive_arrival(naive, node->received[i], run));
    if (node->queued != NAIVE_NONE)
        start = fmax(start, naive_start(naive, node->queued, run) + naive->nodes[node->queued].busy[run]);
    node->known[run] = true;
    return node->start[run] = start;
}

static inline void naive_list_nodes(struct naive *naive)
{
    const struct cw_schedule *schedule = naive->setup->schedule;
    assert_int_equal(cw_schedule_plan(schedule, naive->n_ranks, &naive->n_levels, &naive->blocks), 0);
    for (uint32_t level = 0; level < naive->n_levels; level++) {
        struct cw_messages messages = {0};
        assert_int_equal(cw_schedule_round(schedule, naive->n_ranks, level, &messages), 0);
        naive->nodes = realloc(naive->nodes, (naive->n + messages.n + 1) * sizeof *naive->nodes);
        assert_non_null(naive->nodes);
        for (size_t i = 0; i < messages.n; i++)
            naive->nodes[naive->n++] =
                (struct naive_node){.message = messages.items[i], .level = level, .queued = NAIVE_NONE};
        cw_messages_free(&messages);
    }
}

/* The first step of its level in which neither the sender of node AT sends nor its receiver receives, nor did before.
 */
static inline uint32_t naive_step(const struct naive *naive, size_t at)
{
    const struct naive_node *node = &naive->nodes[at];
    uint32_t step = 0;
    for (size_t i = 0; i < at; i++) {
        const struct naive_node *other = &naive->nodes[i];
        const bool shared = other->message.src == node->message.src || other->message.dst == node->message.dst;
        if (other->level == node->level && shared && other->step >= step) step = other->step + 1;
    }
    return step;
}

/* Nodes of a level by step, otherwise as they are. */
static inline void naive_sort_nodes(struct naive *naive)
{
    for (size_t i = 0; i < naive->n; i++) naive->nodes[i].step = naive_step(naive, i);
    for (size_t i = 1; i < naive->n; i++)
        for (size_t j = i; j > 0; j--) {
            const struct naive_node here = naive->nodes[j], before = naive->nodes[j - 1];
            if (before.level < here.level || before.step <= here.step) break;
            naive->nodes[j] = before;
            naive->nodes[j - 1] = here;
        }
}

static inline void naive_draw_edges(struct naive *naive)
{
    for (size_t i = 0; i < naive->n; i++) {
        struct naive_node *node = &naive->nodes[i];
        node->received = new_array(naive->n, sizeof *node->received);
        for (size_t j = 0; j < i; j++) {
            const struct naive_node *other = &naive->nodes[j];
            if (!node->message.free && other->message.dst == node->message.src && other->level < node->level)
                node->received[node->n_received++] = j;
            if (naive->setup->sends == CW_SENDS_IN_ORDER && other->message.src == node->message.src) node->queued = j;
        }
    }
}

static inline uint64_t naive_bytes(const struct naive *naive, const struct cw_message *message)
{
    uint64_t bytes = 0;
    uint64_t total = 0;
    assert_int_equal(cw_schedule_total_bytes(naive->setup->schedule, naive->n_ranks, naive->setup->bytes, &total), 0);
    const uint64_t blocks = naive->blocks;
    for (uint64_t i = 0; i < message->n_blocks; i++) {
        const uint64_t block = (message->block + i) % blocks;
        bytes += total / blocks + (block < total % blocks ? 1 : 0);
    }
    return bytes;
}

static inline void naive_set_times(struct naive *naive, struct naive_node *node)
{
    const struct cw_timing *timing = &naive->setup->timing;
    const double bytes = (double)naive_bytes(naive, &node->message);
    node->cost = !timing->loggp ? 0 : timing->latency < 0 ? node->latency : timing->latency;
    for (int run = 0; run < NAIVE_RUNS; run++) {
        const double gap = timing->gap < 0 ? node->slowest[run] : timing->gap * node->congestion[run];
        node->busy[run] = timing->loggp                ? timing->overhead + bytes * gap
                          : naive->setup->equal_speeds ? node->congestion[run]
                                                       : node->slowest[run] * naive_reference(naive);
    }
}

/* What the channels on the way of NODE, with OWN and OTHER messages on them, make of its time. */
static inline void naive_look_at_way(const struct cw_routes *routes, uint32_t src, uint32_t dst, const uint32_t *own,
                                     const uint32_t *other, struct naive_node *node)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct cw_walk walk = {0};
    struct cw_hop hop;
    assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
    while (cw_walk_candidates(&walk, &hop, 1) == 1) {
        const double capacity = net->capacity[hop.channel];
        node->latency += net->latency[hop.channel];
        node->slowest[NAIVE_CLEAN] = fmax(node->slowest[NAIVE_CLEAN], own[hop.channel] / capacity);
        node->slowest[NAIVE_PERTURBED] =
            fmax(node->slowest[NAIVE_PERTURBED], (own[hop.channel] + other[hop.channel]) / capacity);
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
}

static inline void naive_count_node(struct naive *naive, struct naive_node *node, const uint32_t *endpoints,
                                    const uint32_t *own, const uint32_t *other)
{
    const struct cw_routes *routes = naive->setup->routes;
    struct cw_level *level = &naive->levels[node->level];
    const uint32_t src = endpoints[node->message.src], dst = endpoints[node->message.dst];
    const uint32_t clean = greatest_on_walk(routes, src, dst, own, NULL);
    const uint32_t perturbed = greatest_on_walk(routes, src, dst, own, other);
    node->congestion[NAIVE_CLEAN] = clean;
    node->congestion[NAIVE_PERTURBED] = perturbed;
    naive_look_at_way(routes, src, dst, own, other, node);
    naive_set_times(naive, node);
    level->messages++;
    level->clean_sum += clean;
    level->perturbed_sum += perturbed;
    if (clean > level->clean_max) level->clean_max = clean;
    if (perturbed > level->perturbed_max) level->perturbed_max = perturbed;
}

/* Calls VISIT with every channel on the way of NODE. */
static inline void naive_each_channel(struct naive *naive, struct naive_node *node, const uint32_t *endpoints,
                                      const uint32_t *own, const uint32_t *other,
                                      void visit(struct naive *naive, struct naive_node *node, uint32_t channel,
                                                 double own, double all))
{
    struct cw_walk walk = {0};
    struct cw_hop hop;
    assert_int_equal(
        cw_walk_begin(&walk, naive->setup->routes, endpoints[node->message.src], endpoints[node->message.dst]), 0);
    while (cw_walk_candidates(&walk, &hop, 1) == 1) {
        visit(naive, node, hop.channel, own[hop.channel], own[hop.channel] + other[hop.channel]);
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
}

/* How long CHANNEL takes for what NODE carries if nobody else is there, */
static inline double naive_alone(const struct naive *naive, const struct naive_node *node, uint32_t channel)
{
    const struct cw_timing *timing = &naive->setup->timing;
    const double gap = timing->gap < 0 ? 1 / cw_routes_network(naive->setup->routes)->capacity[channel] : timing->gap;
    if (timing->loggp) return (double)naive_bytes(naive, &node->message) * gap;
    return naive->setup->equal_speeds
               ? 1
               : naive_reference(naive) / cw_routes_network(naive->setup->routes)->capacity[channel];
}

/* and when it can begin with it: at once nothing holds messages up. */
static inline double naive_begin(const struct naive *naive, const struct naive_node *node, int run)
{
    const double overhead = naive->setup->timing.loggp ? naive->setup->timing.overhead : 0;
    return naive->setup->sends == CW_SENDS_AT_ONCE ? overhead : overhead + node->start[run];
}

static inline void naive_wait(struct naive *naive, struct naive_node *node, uint32_t channel, double own, double all)
{
    for (int run = 0; run < NAIVE_RUNS; run++) {
        const double free = fmax(naive_begin(naive, node, run), naive->until[run][channel]);
        const double n = run == NAIVE_CLEAN ? own : all;
        node->busy[run] = fmax(node->busy[run], free + n * naive_alone(naive, node, channel) - node->start[run]);
    }
}

static inline void naive_occupy(struct naive *naive, struct naive_node *node, uint32_t channel, double own, double all)
{
    for (int run = 0; run < NAIVE_RUNS; run++) {
        double *until = &naive->until[run][channel];
        const double n = run == NAIVE_CLEAN ? own : all;
        *until = fmax(*until, naive_begin(naive, node, run)) + n / own * naive_alone(naive, node, channel);
    }
}

/* In order, the busy time of a node is from its start until it is through. */
static inline void naive_pass(struct naive *naive, size_t at, const uint32_t *endpoints, const uint32_t *own,
                              const uint32_t *other)
{
    struct naive_node *node = &naive->nodes[at];
    const double overhead = naive->setup->timing.loggp ? naive->setup->timing.overhead : 0;
    for (int run = 0; run < NAIVE_RUNS; run++) {
        naive_start(naive, at, run);
        node->busy[run] = overhead;
    }
    naive_each_channel(naive, node, endpoints, own, other, naive_wait);
}

/* False if LEVEL has no step STEP. */
static inline bool naive_run_step(struct naive *naive, uint32_t level, uint32_t step, const uint32_t *endpoints,
                                  struct naive_background background)
{
    const struct cw_routes *routes = naive->setup->routes;
    const uint32_t n_channels = cw_routes_network(routes)->n_channels;
    uint32_t *own = new_array(n_channels, sizeof *own), *other = new_array(n_channels, sizeof *other);
    size_t first = 0, end;
    while (first < naive->n && (naive->nodes[first].level != level || naive->nodes[first].step != step)) first++;
    for (end = first; end < naive->n && naive->nodes[end].level == level && naive->nodes[end].step == step;) end++;
    for (size_t i = 0; i < background.n; i++) count_walk(routes, background.src[i], background.dst[i], other);
    for (size_t i = first; i < end; i++)
        count_walk(routes, endpoints[naive->nodes[i].message.src], endpoints[naive->nodes[i].message.dst], own);
    for (size_t i = first; i < end; i++) naive_count_node(naive, &naive->nodes[i], endpoints, own, other);
    if (naive->setup->sends == CW_SENDS_IN_ORDER)
        for (size_t i = first; i < end; i++) naive_pass(naive, i, endpoints, own, other);
    for (size_t i = first; i < end; i++)
        naive_each_channel(naive, &naive->nodes[i], endpoints, own, other, naive_occupy);
    free(own);
    free(other);
    return end > first;
}

/* BACKGROUNDS: one for each level, or a single one for all (N_BACKGROUNDS is 1). */
static inline struct naive naive_run(const struct cw_collective_setup *setup, uint32_t n_ranks,
                                     const uint32_t *endpoints, const struct naive_background *backgrounds,
                                     size_t n_backgrounds)
{
    struct naive naive = {.setup = setup, .n_ranks = n_ranks};
    const uint32_t n_channels = cw_routes_network(setup->routes)->n_channels;
    naive_list_nodes(&naive);
    if (setup->sends == CW_SENDS_IN_ORDER) naive_sort_nodes(&naive);
    naive_draw_edges(&naive);
    naive.levels = new_array(naive.n_levels, sizeof *naive.levels);
    for (int run = 0; run < NAIVE_RUNS; run++) naive.until[run] = new_array(n_channels, sizeof **naive.until);
    for (uint32_t level = 0; level < naive.n_levels; level++)
        for (uint32_t step = 0;
             naive_run_step(&naive, level, step, endpoints, backgrounds[n_backgrounds == 1 ? 0 : level]);)
            step++;
    for (int run = 0; run < NAIVE_RUNS; run++) {
        for (size_t i = 0; i < naive.n; i++)
            naive.arrived[run] = fmax(naive.arrived[run], naive_arrival(&naive, i, run));
        naive.time[run] = naive.arrived[run];
        for (uint32_t c = 0; c < n_channels && setup->timing.loggp; c++)
            naive.time[run] = fmax(naive.time[run], naive.until[run][c]);
    }
    return naive;
}

static inline void naive_free(struct naive *naive)
{
    for (size_t i = 0; i < naive->n; i++) free(naive->nodes[i].received);
    free(naive->nodes);
    free(naive->levels);
    for (int run = 0; run < NAIVE_RUNS; run++) free(naive->until[run]);
}

/* Times are sums, which round differently in another order. */
static inline bool naive_same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* True if the last rank of PATH sends node AT when it does because of messages along PATH, and sends queued there. */
static inline bool naive_explains(const struct naive *naive, size_t at, const uint32_t *path, size_t length)
{
    const struct naive_node *node = &naive->nodes[at];
    const double start = naive_start(naive, at, NAIVE_PERTURBED);
    if (node->message.src != path[length - 1]) return false;
    if (length == 1 && start == 0) return true;
    for (size_t i = node->n_received; length > 1 && i-- > 0;)
        if (naive_same(naive_arrival(naive, node->received[i], NAIVE_PERTURBED), start) &&
            naive_explains(naive, node->received[i], path, length - 1))
            return true;
    if (node->queued == NAIVE_NONE) return false;
    const double out =
        naive_start(naive, node->queued, NAIVE_PERTURBED) + naive->nodes[node->queued].busy[NAIVE_PERTURBED];
    return naive_same(out, start) && naive_explains(naive, node->queued, path, length);
}

/* True if PATH is one of the longest: some message from its last rank but one to its last is the last to arrive, and
 * left when it did because of those before. */
static inline bool naive_is_longest(const struct naive *naive, const uint32_t *path, size_t length)
{
    if (naive->n == 0) return length == 1 && path[0] == 0;
    for (size_t i = 0; length > 1 && i < naive->n; i++)
        if (naive->nodes[i].message.dst == path[length - 1] &&
            naive_same(naive_arrival(naive, i, NAIVE_PERTURBED), naive->arrived[NAIVE_PERTURBED]) &&
            naive_explains(naive, i, path, length - 1))
            return true;
    return false;
}

#endif
