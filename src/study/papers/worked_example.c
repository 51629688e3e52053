/* Figures 7 to 10: the worked example. */
#include "study/papers/noise_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/lft.h"
#include "topo/topology.h"
#include "traffic/schedule.h"

/* --- figures 7 to 10 ---------------------------------------------------------------------------------------------- */

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

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static unsigned bits_of(unsigned word)
{
    unsigned n = 0;
    for (; word; word &= word - 1) n++;
    return n;
}

/* "each link between level 0 and 1 … serves three endpoints and each link between level 1 and 0 serves exactly two" */
static int find_balance(const void *of, struct cw_finding *finding)
{
    const struct cw_worked_example *example = *(const struct cw_worked_example *const *)of;
    const struct cw_network *net = example->net;
    const uint32_t first_spine = net->n_vertices - 2;
    unsigned least[2] = {99, 99}, greatest[2] = {0, 0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_host_channel(net, c)) continue;
        const bool down = net->tail[c] >= first_spine;
        const unsigned n = bits_of(example->targets[c]);
        if (n < least[down]) least[down] = n;
        if (n > greatest[down]) greatest[down] = n;
    }
    const bool holds = least[0] == 3 && greatest[0] == 3 && least[1] == 2 && greatest[1] == 2;
    return cw_find(finding, cw_verdict_of(holds, 1), NAN,
                   "channels up serve %u to %u endpoints, channels down %u to %u; the tables are ours", least[0],
                   greatest[0], least[1], greatest[1]);
}

static int find_free(const void *of, struct cw_finding *finding)
{
    const struct cw_worked_example *example = *(const struct cw_worked_example *const *)of;
    const double time = example->replay.times.clean;
    uint32_t greatest = 0;
    for (uint32_t level = 0; level < CW_WORKED_LEVELS; level++)
        for (uint32_t c = 0; c < CW_WORKED_CHANNELS; c++)
            if (example->application[level][c] > greatest) greatest = example->application[level][c];
    return cw_find(finding, cw_verdict_of(greatest == 1 && time == 3, 1), time,
                   "no channel carries more than %u message of a level; the tree takes %g", greatest, time);
}

static const struct cw_worked_message *edge(const struct cw_worked_example *example, uint32_t src, uint32_t dst)
{
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++)
        if (example->messages[i].src == src && example->messages[i].dst == dst) return &example->messages[i];
    return NULL;
}

/* "the communication from process 0 to process 4 … has a maximum congestion of 2 … on the up-link between level 0 and
 * 1"
 */
static int find_level3(const void *of, struct cw_finding *finding)
{
    const struct cw_worked_example *example = *(const struct cw_worked_example *const *)of;
    const struct cw_worked_message *message = edge(example, 0, 4);
    const struct cw_network *net = example->net;
    const bool is_up = net->head[message->worst] >= net->n_vertices - 2;
    char name[2 * CW_NAME_SIZE];
    return cw_find(finding, cw_verdict_of(message->perturbed == 2 && is_up, 1), message->perturbed,
                   "its congestion is %u, on %s", message->perturbed,
                   cw_network_channel_name(net, message->worst, name, sizeof name));
}

static int find_time(const void *of, struct cw_finding *finding)
{
    static const uint32_t expected[] = {0, 1, 3, 7};
    const struct cw_worked_example *const *examples = of;
    const struct cw_noise_replay *replay = &examples[0]->replay, *dmodk = &examples[1]->replay;
    char path[64] = "";
    for (size_t i = 0, at = 0; i < replay->path_length && at < sizeof path; i++)
        at += (size_t)snprintf(path + at, sizeof path - at, "%s%u", i > 0 ? "-" : "", replay->path[i]);
    const bool same = replay->path_length == 4 && memcmp(replay->path, expected, sizeof expected) == 0;
    const double time = replay->times.perturbed;
    return cw_find(finding, cw_verdict_of(same && time == 5, 1), time,
                   "the longest path is %s and takes %g; the tables decide that: D-mod-k takes %g, %g without "
                   "perturbation",
                   path, time, dmodk->times.perturbed, dmodk->times.clean);
}

/* The time of the tree if the edge SRC → DST were not perturbed. */
static uint32_t time_without(const struct cw_worked_example *example, uint32_t src, uint32_t dst)
{
    uint32_t arrival[CW_WORKED_RANKS] = {0}, last = 0;
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++) {
        const struct cw_worked_message *message = &example->messages[i];
        const bool spared = message->src == src && message->dst == dst;
        arrival[message->dst] = arrival[message->src] + (spared ? message->clean : message->perturbed);
        if (arrival[message->dst] > last) last = arrival[message->dst];
    }
    return last;
}

static int find_absorption(const void *of, struct cw_finding *finding)
{
    const struct cw_worked_example *example = *(const struct cw_worked_example *const *)of;
    const double time = example->replay.times.perturbed;
    const uint32_t absorbed = time_without(example, 0, 4), first = time_without(example, 0, 1),
                   last = time_without(example, 3, 7);
    return cw_find(finding, cw_verdict_of(absorbed == time && first < time && last < time, 1), NAN,
                   "without the first the tree would take %u, without the others %u and %u", absorbed, first, last);
}

const struct cw_paper_claim cw_worked_claims[5] = {
    {"the routing is balanced: a link up serves three endpoints, a link down two", NULL, find_balance, .figure = "8"},
    {"the tree alone is free of congestion and takes 3", "time without perturbation", find_free, .figure = "8"},
    {"in level 3 the message from rank 0 to 4 meets a perturbing one on its way up", "congestion", find_level3,
     .figure = "9"},
    {"the longest path is 0-1-3-7 with a total congestion of 5", "time with perturbation", find_time, .figure = "10"},
    {"the congestion from rank 0 to 4 is absorbed, that from 0 to 1 and from 3 to 7 accumulates", NULL, find_absorption,
     .figure = "10"}};

int cw_noise_make_worked_example(struct cw_paper_run *run, size_t figure)
{
    struct cw_worked_example *examples[2] = {NULL, NULL};
    int rc = cw_worked_example_run(NULL, &examples[0]);
    if (!rc) rc = cw_worked_example_run("dmodk", &examples[1]);
    if (!rc) rc = cw_worked_write(run, examples[0]);
    if (!rc) rc = cw_paper_tell(run, figure, 0, sizeof cw_worked_claims / sizeof *cw_worked_claims, examples);
    if (!rc) rc = cw_worked_draw(run, examples[0]);
    cw_worked_example_free(examples[0]);
    cw_worked_example_free(examples[1]);
    return rc;
}
