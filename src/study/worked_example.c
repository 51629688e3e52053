#include "study/worked_example.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/lft.h"
#include "topo/topology.h"

static const char network[] = "xgft:2:4,4:1,2:1,2";

/* As the journal paper prints them. */
static const char printed[] = "app 8  3 6 5 13 7 9 0 10\n"
                              "pert 8  1 4  2 11  4 15  8 12  11 14  12 1  14 8  15 2\n";

enum { LEAVES = 4, HOSTS = 4, SPINES = 2, CABLES = 2, ENDPOINTS = LEAVES * HOSTS };

/* up[leaf][destination mod 4]: by which of its four cables, spine 0's two first, a leaf sends. Down, a spine takes its
 * cable number (destination mod 2). Each cable then carries three destinations up and two down. */
static const unsigned char up[LEAVES][HOSTS] = {{0, 2, 1, 3}, {0, 1, 2, 3}, {2, 0, 3, 1}, {2, 3, 0, 1}};

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* The port of V that is cable number CABLE to vertex HEAD. */
static uint32_t port_to(const struct cw_network *net, uint32_t v, uint32_t head, uint32_t cable)
{
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (net->head[c] == head && cable-- == 0) return c - net->first[v];
    return CW_NO_PORT;
}

static int balanced_tables(const struct cw_network *net, struct cw_routes **out)
{
    struct cw_lft *tables;
    const int rc = cw_lft_new(net, &tables);
    if (rc) return rc;
    const uint32_t first_leaf = net->n_endpoints, first_spine = first_leaf + LEAVES;
    for (uint32_t dst = 0; dst < ENDPOINTS; dst++) {
        const uint32_t below = first_leaf + dst / HOSTS;
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
            const uint32_t v = first_leaf + leaf, way = up[leaf][dst % HOSTS];
            cw_lft_set(tables, v, dst,
                       v == below ? port_to(net, v, dst, 0)
                                  : port_to(net, v, first_spine + way / CABLES, way % CABLES));
        }
        for (uint32_t spine = first_spine; spine < first_spine + SPINES; spine++)
            cw_lft_set(tables, spine, dst, port_to(net, spine, below, dst % CABLES));
    }
    return cw_lft_finish(tables, "balanced tables", out);
}

/* --- messages and channels ---------------------------------------------------------------------------------------- */

/* The tree's messages, and how many of a level's are on each channel. */
static int count_tree(struct cw_worked_example *example)
{
    const uint32_t *runs_on = example->given.endpoints;
    struct cw_schedule *tree;
    int rc = cw_schedule_new("binomial-bcast", &tree);
    if (rc) return rc;
    size_t n = 0;
    for (uint32_t level = 0; !rc && level < CW_WORKED_LEVELS; level++) {
        struct cw_messages messages = {0};
        rc = cw_schedule_round(tree, CW_WORKED_RANKS, level, &messages);
        for (size_t i = 0; !rc && i < messages.n; i++) {
            const uint32_t src = messages.items[i].src, dst = messages.items[i].dst;
            example->messages[n++] = (struct cw_worked_message){.level = level, .src = src, .dst = dst};
            rc = cw_routes_count(example->routes, 1, &runs_on[src], &runs_on[dst], example->application[level]);
        }
        cw_messages_free(&messages);
    }
    cw_schedule_free(tree);
    return rc;
}

/* Calls with the channels of the route SRC → DST, at most 8 of them. */
static int path_of(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t *hops, uint32_t channels[8])
{
    if (cw_routes_max_hops(routes) > 8) return cw_fail(CW_EINTERNAL, "a route of the worked example is too long");
    return cw_routes_paths(routes, 1, &src, &dst, hops, channels, NULL);
}

static int annotate(struct cw_worked_example *example, struct cw_worked_message *message)
{
    const uint32_t *runs_on = example->given.endpoints;
    uint32_t hops, channels[8];
    const int rc = path_of(example->routes, runs_on[message->src], runs_on[message->dst], &hops, channels);
    for (uint32_t i = 0; !rc && i < hops; i++) {
        const uint32_t own = example->application[message->level][channels[i]];
        const uint32_t all = own + example->perturbation[channels[i]];
        if (own > message->clean) message->clean = own;
        if (all > message->perturbed) {
            message->perturbed = all;
            message->worst = channels[i];
        }
    }
    for (size_t i = 1; i < example->replay.path_length; i++)
        if (example->replay.path[i - 1] == message->src && example->replay.path[i] == message->dst)
            message->longest = true;
    return rc;
}

static int find_targets(struct cw_worked_example *example)
{
    uint32_t hops, channels[8];
    int rc = 0;
    for (uint32_t src = 0; src < ENDPOINTS; src++)
        for (uint32_t dst = 0; !rc && dst < ENDPOINTS; dst++) {
            rc = path_of(example->routes, src, dst, &hops, channels);
            for (uint32_t i = 0; !rc && i < hops; i++) example->targets[channels[i]] |= (uint16_t)(1u << dst);
        }
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int simulate(struct cw_worked_example *example)
{
    struct cw_schedule *tree;
    int rc = cw_schedule_new("binomial-bcast", &tree);
    if (rc) return rc;
    const struct cw_collective_setup setup = {.routes = example->routes, .schedule = tree, .bytes = 1};
    rc = cw_noise_case_run(&example->given, &setup, &example->replay);
    cw_schedule_free(tree);
    return rc;
}

static int run(const char *engine, struct cw_worked_example *example)
{
    int rc = cw_noise_case_parse("the worked example", printed, sizeof printed - 1, &example->given);
    if (!rc) rc = cw_topology_build(network, &example->net);
    if (rc) return rc;
    rc = engine ? cw_engine_route(example->net, engine, 1, 1, &example->routes)
                : balanced_tables(example->net, &example->routes);
    const struct cw_endpoint_pairs *pairs = &example->given.perturbation;
    if (!rc) rc = simulate(example);
    if (!rc) rc = cw_routes_count(example->routes, pairs->n, pairs->src, pairs->dst, example->perturbation);
    if (!rc) rc = count_tree(example);
    for (size_t i = 0; !rc && i < CW_WORKED_RANKS - 1; i++) rc = annotate(example, &example->messages[i]);
    if (!rc) rc = find_targets(example);
    return rc;
}

int cw_worked_example_run(const char *engine, struct cw_worked_example **out)
{
    struct cw_worked_example *example = cw_new_array(1, sizeof *example, "the worked example");
    if (!example) return CW_ENOMEM;
    const int rc = run(engine, example);
    if (rc) {
        cw_worked_example_free(example);
        return rc;
    }
    *out = example;
    return 0;
}

void cw_worked_example_free(struct cw_worked_example *example)
{
    if (!example) return;
    cw_noise_replay_free(&example->replay);
    cw_noise_case_free(&example->given);
    cw_routes_free(example->routes);
    cw_network_free(example->net);
    free(example);
}
