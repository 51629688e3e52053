/* sssp and dfsssp: what OpenSM gave two fabrics, and a plain reading of its rules, route by route and without anything
 * that makes it fast, on others. That further ones are OpenSM's, too, is live_engines.py's and live_levels.py's. */
#include "net/network_internal.h"
#include "route_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/files/formats.h"
#include "route/check.h"
#include "route/files/lft_file.h"
#include "route/guid_order.h"
#include "route/service_levels.h"
#include "route/switch_ways.h"

#define LEVELS CW_TEST_DATA "/golden/levels/"

/* --- OpenSM's own --------------------------------------------------------------------------------------------------
 */

/* LANE_OF has the lane of each of the levels, over which the lanes are spread at random. */
static void assert_opensms(const char *name, const uint8_t *lane_of)
{
    struct cw_network *net = NULL;
    struct cw_routes *theirs = NULL, *ours;
    struct cw_service_levels *levels = NULL;
    char map[512], tables[512], records[512], maps[512];
    (void)snprintf(map, sizeof map, LEVELS "%s.ibnetdiscover", name);
    (void)snprintf(tables, sizeof tables, LEVELS "%s-dfsssp.lfts", name);
    (void)snprintf(records, sizeof records, LEVELS "%s-dfsssp.path-records", name);
    (void)snprintf(maps, sizeof maps, LEVELS "%s-dfsssp.sl2vl", name);
    must(cw_network_read(map, &net));
    must(cw_lft_read(net, tables, NULL, &theirs));
    must(cw_service_levels_read(net, records, maps, &levels));
    must(cw_routes_set_service_levels(theirs, levels));
    ours = routes_of(net, "dfsssp");
    struct all_routes x = all_routes_of(theirs), y = all_routes_of(ours);
    assert_same_paths(&x, &y);
    for (size_t i = 0; i < x.n * x.stride; i++) assert_int_equal(lane_of[x.lanes[i]], lane_of[y.lanes[i]]);
    assert_int_equal(cw_routes_lanes(ours), 8);
    free_all_routes(&x);
    free_all_routes(&y);
    cw_routes_free(theirs);
    cw_routes_free(ours);
    cw_network_free(net);
}

/* The second lacks cables and has some twice; OpenSM logs 1093, 95 and 2 paths on its three lanes. */
static void routes_are_opensms(void **state)
{
    (void)state;
    assert_opensms("ring-6", (const uint8_t[]){0, 0, 0, 0, 0, 0, 0, 1});
    assert_opensms("torus-6x3-cut", (const uint8_t[]){0, 0, 0, 0, 0, 0, 1, 2});
}

/* --- trees by the rule -------------------------------------------------------------------------------------------- */

#define SWITCHES 96
#define CHANNELS 800
#define PORTS    16
#define TARGETS  500
#define FAR      UINT64_MAX

/* Targets are LIDs: those of endpoint after endpoint in the order in which they are routed, then the switches. */
struct rule {
    const struct cw_network *net;
    uint32_t base, n, lids, n_targets, n_pairs;
    uint32_t *opensm;                       /* switches by GUID */
    uint32_t target[TARGETS], lid[TARGETS]; /* a vertex, and which of its LIDs */
    uint32_t hosts[SWITCHES];
    uint64_t weight[CHANNELS];
    uint32_t next[TARGETS][SWITCHES]; /* channel, or CW_NONE */
};

static bool is_switch(const struct rule *rule, uint32_t v)
{
    return v >= rule->base;
}

/* A heap of four children each, as lists of keys and of vertices. */
struct heap {
    uint64_t key[SWITCHES + 1];
    uint32_t vertex[SWITCHES + 1], n;
};

static void swap(struct heap *heap, uint32_t i, uint32_t j)
{
    const uint64_t key = heap->key[i];
    const uint32_t vertex = heap->vertex[i];
    heap->key[i] = heap->key[j];
    heap->vertex[i] = heap->vertex[j];
    heap->key[j] = key;
    heap->vertex[j] = vertex;
}

static void lower(struct heap *heap, uint32_t vertex, uint64_t key)
{
    uint32_t i = 0;
    while (heap->vertex[i] != vertex) i++;
    heap->key[i] = key;
    for (; i > 0 && heap->key[i] < heap->key[(i - 1) / 4]; i = (i - 1) / 4) swap(heap, i, (i - 1) / 4);
}

static uint32_t take(struct heap *heap)
{
    swap(heap, 0, --heap->n);
    for (uint32_t i = 0, least; 4 * i + 1 < heap->n; i = least) {
        least = 4 * i + 1;
        for (uint32_t child = 4 * i + 2; child < 4 * i + 5 && child < heap->n; child++)
            if (heap->key[child] <= heap->key[least]) least = child;
        if (heap->key[least] >= heap->key[i]) break;
        swap(heap, i, least);
    }
    return heap->vertex[heap->n];
}

/* Dijkstra's search from vertex TO; endpoints are passed by none but TO. */
static void search(const struct rule *rule, uint32_t to, uint32_t *next)
{
    const struct cw_network *net = rule->net;
    static uint64_t distance[1000];
    static bool taken[1000];
    struct heap heap = {.n = 0};
    assert_true(net->n_vertices <= 1000);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        distance[v] = FAR;
        taken[v] = false;
    }
    for (uint32_t i = 0; i <= rule->n; i++) {
        if (i == rule->n && is_switch(rule, to)) break;
        heap.key[i] = FAR;
        heap.vertex[heap.n++] = i == rule->n ? to : rule->opensm[i];
    }
    for (uint32_t i = 0; i < rule->n; i++) next[i] = CW_NONE;
    distance[to] = 0;
    lower(&heap, to, 0);
    while (heap.n > 0) {
        const uint32_t v = take(&heap);
        taken[v] = true;
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && distance[v] != FAR; c++) {
            const uint32_t w = net->head[c], back = net->twin[c];
            const uint64_t cost = is_switch(rule, v) ? rule->weight[back] : 1;
            if (!is_switch(rule, w) || taken[w] || distance[v] + cost >= distance[w]) continue;
            distance[w] = distance[v] + cost;
            next[w - rule->base] = back;
            lower(&heap, w, distance[w]);
        }
    }
}

static void count(struct rule *rule, const uint32_t *next)
{
    for (uint32_t v = 0; v < rule->n; v++)
        for (uint32_t at = v; next[at] != CW_NONE && is_switch(rule, rule->net->head[next[at]]);
             at = rule->net->head[next[at]] - rule->base)
            rule->weight[next[at]] += (uint64_t)rule->hosts[v] * rule->lids + 1;
}

static void add_target(struct rule *rule, uint32_t v)
{
    for (uint32_t lid = 0; lid < (is_switch(rule, v) ? 1 : rule->lids); lid++) {
        assert_true(rule->n_targets < TARGETS);
        rule->target[rule->n_targets] = v;
        rule->lid[rule->n_targets++] = lid;
    }
}

/* Switches with the most endpoints first, then by GUID. Switches themselves are last. */
static void order_targets(struct rule *rule)
{
    const struct cw_network *net = rule->net;
    for (int round = 0; round < 2; round++)
        for (uint32_t hosts = PORTS; hosts-- > 0;)
            for (uint32_t i = 0; i < rule->n; i++) {
                const uint32_t v = rule->opensm[i];
                if (rule->hosts[v - rule->base] != hosts) continue;
                if (round == 1) add_target(rule, v);
                for (uint32_t c = net->first[v]; c < net->first[v + 1] && round == 0; c++)
                    if (!is_switch(rule, net->head[c])) add_target(rule, net->head[c]);
            }
}

static struct rule *rule_of(const struct cw_network *net, uint32_t lids)
{
    struct rule *rule = zeros(1, sizeof *rule);
    *rule = (struct rule){.net = net, .base = net->n_endpoints, .n = cw_network_switches(net), .lids = lids};
    assert_true(rule->n <= SWITCHES && net->n_channels <= CHANNELS);
    must(cw_guid_order(net, &rule->opensm));
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!is_switch(rule, net->tail[c])) rule->hosts[net->head[c] - rule->base]++;
    order_targets(rule);
    for (uint32_t c = 0; c < net->n_channels; c++) rule->weight[c] = (uint64_t)rule->n_targets * rule->n_targets;
    for (uint32_t t = 0; t < rule->n_targets; t++) {
        search(rule, rule->target[t], rule->next[t]);
        count(rule, rule->next[t]);
    }
    return rule;
}

static void free_rule(struct rule *rule)
{
    free(rule->opensm);
    free(rule);
}

/* Every entry of ROUTES and of its ways to switches is the rule's. */
static void assert_ruled(const struct rule *rule, struct cw_routes *routes, const char *spec)
{
    const struct cw_network *net = rule->net;
    uint8_t *ports;
    assert_int_equal(cw_routes_lids(routes), rule->lids);
    must(cw_engine_to_switches(routes, spec, 1));
    must(cw_switch_ways(routes, &ports));
    for (uint32_t t = 0; t < rule->n_targets; t++)
        for (uint32_t v = 0; v < rule->n; v++) {
            const uint32_t to = rule->target[t], c = rule->next[t][v];
            if (is_switch(rule, to))
                assert_int_equal(ports[v * rule->n + to - rule->base], c == CW_NONE ? 0 : cw_network_port(net, c));
            else
                assert_int_equal(cw_routes_table_port(cw_routes_to_lid(routes, rule->lid[t]), rule->base + v, to),
                                 c - net->first[rule->base + v]);
        }
    free(ports);
}

/* --- lanes by the rule -------------------------------------------------------------------------------------------- */

/* A dependency of channel TO on another: the pairs that ever had it, and how many of them have left. */
struct dependency {
    uint32_t to, n, left;
    uint32_t *pairs;
};

enum colour { WHITE, GREY, BLACK };

/* Channels of a lane are in a search tree, below each other by their numbers, as they came. */
struct lane {
    bool in[CHANNELS];
    uint32_t root, smaller[CHANNELS], larger[CHANNELS];
    uint32_t n[CHANNELS];
    struct dependency on[CHANNELS][PORTS];
    enum colour colour[CHANNELS];
    uint32_t from[CHANNELS];
};

static void put_in_tree(struct lane *lane, uint32_t c)
{
    uint32_t *at = &lane->root;
    if (lane->in[c]) return;
    lane->in[c] = true;
    lane->smaller[c] = lane->larger[c] = CW_NONE;
    while (*at != CW_NONE) at = c < *at ? &lane->smaller[*at] : &lane->larger[*at];
    *at = c;
}

static struct dependency *find(struct lane *lane, uint32_t before, uint32_t c)
{
    for (uint32_t i = 0; i < lane->n[before]; i++)
        if (lane->on[before][i].to == c) return &lane->on[before][i];
    return NULL;
}

static void put_dependency(struct lane *lane, uint32_t before, uint32_t c, uint32_t pair)
{
    struct dependency *found = find(lane, before, c);
    if (!found) {
        assert_true(lane->n[before] < PORTS);
        found = &lane->on[before][lane->n[before]++];
        *found = (struct dependency){.to = c};
    }
    found->pairs = realloc(found->pairs, (found->n + 1) * sizeof *found->pairs);
    assert_non_null(found->pairs);
    found->pairs[found->n++] = pair;
}

/* The channels between switches of a pair, source · targets + target. Switches send nothing over any. */
static uint32_t way_of(const struct rule *rule, uint32_t pair, uint32_t *channels)
{
    const uint32_t src = rule->target[pair / rule->n_targets], t = pair % rule->n_targets;
    uint32_t n = 0;
    if (is_switch(rule, src)) return 0;
    uint32_t v = rule->net->head[rule->net->first[src]];
    for (uint32_t c; (c = rule->next[t][v - rule->base]) != CW_NONE; v = rule->net->head[c]) {
        if (!is_switch(rule, rule->net->head[c])) break;
        channels[n++] = c;
    }
    return n;
}

static void put_pair(const struct rule *rule, struct lane *lane, uint32_t pair)
{
    uint32_t way[SWITCHES];
    const uint32_t n = way_of(rule, pair, way);
    for (uint32_t i = 0; i < n; i++) {
        put_in_tree(lane, way[i]);
        if (i > 0) put_dependency(lane, way[i - 1], way[i], pair);
    }
}

static void take_pair(const struct rule *rule, struct lane *lane, uint32_t pair)
{
    uint32_t way[SWITCHES];
    const uint32_t n = way_of(rule, pair, way);
    for (uint32_t i = 1; i < n; i++) {
        struct dependency *found = find(lane, way[i - 1], way[i]);
        if (found) found->left++;
    }
}

/* The first WHITE channel of the tree, each before those below it, the smaller ones first. */
static uint32_t first_white(const struct lane *lane, uint32_t at)
{
    if (at == CW_NONE || lane->colour[at] == WHITE) return at;
    const uint32_t found = first_white(lane, lane->smaller[at]);
    return found != CW_NONE ? found : first_white(lane, lane->larger[at]);
}

static uint32_t search_cycle(struct lane *lane, uint32_t at)
{
    while (at != CW_NONE) {
        uint32_t i = 0;
        lane->colour[at] = GREY;
        while (i < lane->n[at] && lane->colour[lane->on[at][i].to] == BLACK) i++;
        if (i < lane->n[at]) {
            const uint32_t to = lane->on[at][i].to;
            if (lane->colour[to] == GREY) return to;
            lane->from[to] = at;
            at = to;
            continue;
        }
        const uint32_t from = lane->from[at];
        lane->colour[at] = BLACK;
        lane->from[at] = CW_NONE;
        at = from != CW_NONE ? from : first_white(lane, lane->root);
    }
    return CW_NONE;
}

/* Takes the dependency with the fewest pairs out of the cycle and makes its channels WHITE. */
static struct dependency take_weakest(struct lane *lane, uint32_t cycle)
{
    uint32_t owner = CW_NONE, which = 0, at = cycle;
    do {
        uint32_t i = 0;
        while (lane->colour[lane->on[at][i].to] != GREY) i++;
        const struct dependency *on = &lane->on[at][i];
        if (owner == CW_NONE || on->n - on->left < lane->on[owner][which].n - lane->on[owner][which].left) {
            owner = at;
            which = i;
        }
        if (at != cycle) lane->colour[at] = WHITE;
        at = on->to;
    } while (at != cycle);
    lane->colour[cycle] = WHITE;
    const struct dependency weakest = lane->on[owner][which];
    lane->n[owner]--;
    for (uint32_t i = which; i < lane->n[owner]; i++) lane->on[owner][i] = lane->on[owner][i + 1];
    return weakest;
}

static struct lane *new_lane(void)
{
    struct lane *lane = zeros(1, sizeof *lane);
    lane->root = CW_NONE;
    for (uint32_t c = 0; c < CHANNELS; c++) lane->from[c] = CW_NONE;
    return lane;
}

static void free_lane(struct lane *lane)
{
    for (uint32_t c = 0; c < CHANNELS; c++)
        for (uint32_t i = 0; i < lane->n[c]; i++) free(lane->on[c][i].pairs);
    free(lane);
}

static void put_all(const struct rule *rule, struct lane *lane)
{
    const uint32_t n = rule->n_targets;
    for (uint32_t dst = 0; dst < n; dst++) { /* to the LIDs of a port at once, from each LID of a port */
        uint32_t end = dst + 1;
        while (end < n && rule->target[end] == rule->target[dst]) end++;
        for (uint32_t src = 0; src < n; src++)
            for (uint32_t t = dst; t < end && rule->target[src] != rule->target[dst]; t++)
                put_pair(rule, lane, src * n + t);
        dst = end - 1;
    }
}

/* The lane of every pair into LANES [n_targets²]; the number of lanes. */
static uint32_t lanes_of(const struct rule *rule, uint8_t *lanes)
{
    struct lane *now = new_lane(), *then;
    uint32_t needed = 1;
    put_all(rule, now);
    for (uint32_t number = 0; number < needed; number++) {
        then = new_lane();
        for (uint32_t at = now->root; (at = search_cycle(now, at)) != CW_NONE;) {
            const struct dependency weakest = take_weakest(now, at);
            needed = number + 2;
            for (uint32_t i = 0; i < weakest.n; i++) {
                if (lanes[weakest.pairs[i]] != number) continue;
                take_pair(rule, now, weakest.pairs[i]);
                put_pair(rule, then, weakest.pairs[i]);
                lanes[weakest.pairs[i]]++;
            }
            free(weakest.pairs);
        }
        free_lane(now);
        now = then;
    }
    free_lane(now);
    return needed;
}

/* The levels of each lane, from LEVEL[lane] to LEVEL[lane + 1] - 1: one after another goes to the lane with the most
 * pairs a level. */
static void spread(const struct rule *rule, const uint8_t *lanes, uint32_t needed, uint32_t most, uint32_t *level)
{
    uint32_t pairs[16] = {0}, n[16];
    for (uint32_t src = 0; src < rule->n_targets; src++)
        for (uint32_t t = 0; t < rule->n_targets; t++)
            pairs[lanes[src * rule->n_targets + t]] += rule->target[src] != rule->target[t];
    for (uint32_t lane = 0; lane < needed; lane++) n[lane] = 1;
    for (uint32_t more = needed; more < most; more++) {
        uint32_t fullest = 0;
        for (uint32_t lane = 1; lane < needed; lane++)
            if ((uint64_t)pairs[lane] * n[fullest] > (uint64_t)pairs[fullest] * n[lane]) fullest = lane;
        n[fullest]++;
    }
    level[0] = 0;
    for (uint32_t lane = 0; lane < needed; lane++) level[lane + 1] = level[lane] + n[lane];
}

/* The lanes of ROUTES are the rule's, each spread over its levels, all of which are drawn. */
static void assert_lanes_ruled(const struct rule *rule, const struct cw_routes *routes, uint32_t least)
{
    const uint32_t n = rule->n_targets;
    uint8_t *lanes = zeros((size_t)n * n, 1);
    uint32_t level[17], seen[16] = {0};
    const uint32_t needed = lanes_of(rule, lanes);
    assert_true(needed >= least && needed <= 8);
    spread(rule, lanes, needed, 8, level);
    assert_int_equal(level[needed], 8);
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t t = 0; t < n; t++) {
            const uint32_t from = rule->target[src], to = rule->target[t];
            uint32_t path[64];
            uint8_t on[64];
            if (from == to || is_switch(rule, from) || is_switch(rule, to)) continue;
            const uint32_t hops = walk(cw_routes_to_lid(routes, rule->lid[t]), from, to, path, on);
            const uint32_t lane = lanes[src * n + t];
            for (uint32_t h = 0; h < hops; h++) assert_int_equal(on[h], on[0]);
            assert_true(on[0] >= level[lane] && on[0] < level[lane + 1]);
            seen[on[0]]++;
        }
    for (uint32_t l = 0; l < level[1]; l++) assert_true(seen[l] > 0);
    free(lanes);
}

/* --- beside ours -------------------------------------------------------------------------------------------------- */

static struct cw_network *without(const char *network, const char *failed)
{
    struct cw_network *whole = network_of(network), *net = damaged(whole, failed, 3);
    cw_network_free(whole);
    return net;
}

static void routes_are_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *network, *failed;
        uint32_t lmc, lanes;
    } cases[] = {{"torus:5x5", NULL, 0, 4},          {"torus:4x4", "10%", 1, 2},  {"torus:3x4", NULL, 2, 2},
                 {"dragonfly:2,4,2", NULL, 0, 3},    {"hypercube:4", NULL, 1, 3}, {"jellyfish:12,4,2", "5%", 0, 2},
                 {"xgft:2:4,4:1,2:1,2", NULL, 1, 1}, {"mesh:4x3", NULL, 0, 2},    {"xgft:3:2,3,2:1,2,2", "10%", 0, 1},
                 {"jellyfish:30,4,2", NULL, 0, 4},   {"crossbar:5", NULL, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char plain[32], layered[32];
        struct cw_network *net = without(cases[i].network, cases[i].failed);
        struct rule *rule = rule_of(net, 1u << cases[i].lmc);
        (void)snprintf(plain, sizeof plain, "sssp:lmc=%u", cases[i].lmc);
        (void)snprintf(layered, sizeof layered, "dfsssp:lmc=%u", cases[i].lmc);
        struct cw_routes *sssp = routes_of(net, plain), *dfsssp = routes_of(net, layered);
        assert_ruled(rule, sssp, plain);
        assert_ruled(rule, dfsssp, layered);
        assert_int_equal(cw_routes_lanes(sssp), 1);
        assert_lanes_ruled(rule, dfsssp, cases[i].lanes);
        cw_routes_free(sssp);
        cw_routes_free(dfsssp);
        free_rule(rule);
        cw_network_free(net);
    }
}

/* --- what users rely on ------------------------------------------------------------------------------------------- */

/* The seed draws levels, and nothing else; threads change nothing. */
static void levels_are_drawn(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    struct cw_routes *a, *b, *c;
    uint32_t differ = 0;
    must(cw_engine_route(net, "dfsssp", 1, 1, &a));
    must(cw_engine_route(net, "dfsssp", 1, 3, &b));
    must(cw_engine_route(net, "dfsssp", 2, 1, &c));
    struct all_routes x = all_routes_of(a), y = all_routes_of(b), z = all_routes_of(c);
    assert_same_paths(&x, &y);
    assert_same_paths(&x, &z);
    assert_memory_equal(x.lanes, y.lanes, x.n * x.stride);
    for (size_t i = 0; i < x.n; i++) differ += x.lanes[i * x.stride] != z.lanes[i * z.stride];
    assert_true(differ > x.n / 2);
    free_all_routes(&x);
    free_all_routes(&y);
    free_all_routes(&z);
    cw_routes_free(a);
    cw_routes_free(b);
    cw_routes_free(c);
    cw_network_free(net);
}

/* A ring of six cannot do with one lane: shortest routes go round it both ways. A tree can. */
static void too_few_lanes(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:6"), *tree = network_of("xgft:2:4,4:1,4");
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_engine_route(ring, "dfsssp:lanes=1", 0, 1, &routes), CW_ELIMIT);
    assert_null(routes);
    assert_non_null(strstr(cw_error_message(), "need more than 1 virtual lane to be free of deadlocks, and so do"));
    must(cw_engine_route(ring, "dfsssp:lanes=2", 0, 1, &routes));
    assert_int_equal(cw_routes_lanes(routes), 2);
    cw_routes_free(routes);
    must(cw_engine_route(tree, "dfsssp:lanes=1", 0, 1, &routes));
    assert_int_equal(cw_routes_lanes(routes), 1);
    cw_routes_free(routes);
    cw_network_free(ring);
    cw_network_free(tree);
}

/* On two levels with as many channels up as down all channels carry the same. */
static void trees_are_even(void **state)
{
    (void)state;
    static const char *const trees[] = {"xgft:2:4,4:1,4", "xgft:2:6,8:1,6", "xgft(2,12,6)"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct cw_network *net = network_of(trees[i]);
        struct cw_routes *routes = routes_of(net, "sssp");
        struct cw_reach reach;
        must(cw_routes_reach(routes, NULL, 0, 1, &reach));
        assert_int_equal(reach.minimal, reach.pairs);
        assert_true(reach.load_max == reach.load_mean);
        cw_reach_free(&reach);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Few hops come first, but not before everything: over a chain of nine switches with 16 endpoints each, whose ends a
 * bypass of one hop more joins, the last routes take the bypass. */
static void detours_are_possible(void **state)
{
    (void)state;
    struct cw_text map = {0};
    struct cw_network *net = NULL;
    cw_text_printf(&map, "# crosswind edge list\n");
    for (int i = 0; i < 17; i++) cw_text_printf(&map, "s%d s%d\n", i, (i + 1) % 17);
    for (int h = 0; h < 9 * 16; h++) cw_text_printf(&map, "h%d s%d\n", h, h / 16);
    must(cw_network_parse("chain", map.data, map.length, &net));
    struct cw_routes *routes = routes_of(net, "sssp");
    struct all_routes all = all_routes_of(routes);
    uint32_t longest = 0;
    for (size_t i = 0; i < all.n; i++)
        if (all.hops[i] > longest) longest = all.hops[i];
    assert_int_equal(longest, 11);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
    cw_text_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routes_are_opensms), cmocka_unit_test(routes_are_the_rule),
                                       cmocka_unit_test(levels_are_drawn),   cmocka_unit_test(too_few_lanes),
                                       cmocka_unit_test(trees_are_even),     cmocka_unit_test(detours_are_possible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
