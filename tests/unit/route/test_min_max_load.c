/* Routes for given traffic on networks so small that all shortest routes can be tried: the bound is below the best of
 * them, and what is found hardly above. */
#include "net/network_internal.h"
#include "route_test.h"

#include "base/random.h"
#include "route/check.h"
#include "route/lft.h"
#include "route/pair_weights.h"

#define MOST_PAIRS   64
#define MOST_CHOICES 4096

/* Who has to choose for which destination, and among which ports. */
struct choice {
    uint32_t v, dst, n, at, port[8];
};

/* The weight on the busiest channel between switches, pair by pair. */
static uint64_t busiest(const struct cw_network *net, const struct cw_routes *routes,
                        const struct cw_pair_weights *pairs)
{
    uint64_t *load = zeros(net->n_channels, sizeof *load), most = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        uint32_t v = pairs->items[i].src;
        const uint32_t dst = pairs->items[i].dst;
        while (v != dst) {
            const uint32_t channel = net->first[v] + (cw_network_is_endpoint(net, v) && cw_network_degree(net, v) == 1
                                                          ? 0
                                                          : cw_routes_table_port(routes, v, dst));
            if (!cw_network_is_endpoint(net, v) && !cw_network_is_endpoint(net, net->head[channel])) {
                load[channel] += pairs->items[i].weight;
                if (load[channel] > most) most = load[channel];
            }
            v = net->head[channel];
            if (pairs->items[i].src == dst) break;
        }
    }
    free(load);
    return most;
}

static struct cw_routes *tables_by(const struct cw_network *net, const struct choice *choices, size_t n)
{
    struct cw_lft *tables;
    struct cw_routes *routes;
    must(cw_lft_new(net, &tables));
    for (size_t i = 0; i < n; i++) cw_lft_set(tables, choices[i].v, choices[i].dst, choices[i].port[choices[i].at]);
    must(cw_lft_finish(tables, "tried", &routes));
    return routes;
}

static bool counts(const struct cw_pair_weights *pairs, uint32_t src, uint32_t dst)
{
    for (size_t i = 0; i < pairs->n; i++)
        if (pairs->items[i].dst == dst && (src == CW_NONE || pairs->items[i].src == src)) return true;
    return false;
}

/* All ports on shortest ways, where there is traffic. */
static size_t find_choices(const struct cw_network *net, const struct cw_pair_weights *pairs, struct choice *choices)
{
    size_t n = 0;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t v = 0; v < net->n_vertices; v++) {
            const bool endpoint = cw_network_is_endpoint(net, v);
            if (v == dst || (endpoint && cw_network_degree(net, v) == 1)) continue;
            if (!counts(pairs, endpoint ? v : CW_NONE, dst)) continue;
            struct choice choice = {.v = v, .dst = dst};
            for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
                if (distance[net->head[c]] + 1 == distance[v]) choice.port[choice.n++] = c - net->first[v];
            assert_true(n < MOST_CHOICES && choice.n > 0);
            choices[n++] = choice;
        }
        free(distance);
    }
    return n;
}

/* The best of all tables of shortest routes. */
static uint64_t best_of_all(const struct cw_network *net, const struct cw_pair_weights *pairs)
{
    struct choice *choices = zeros(MOST_CHOICES, sizeof *choices);
    const size_t n = find_choices(net, pairs, choices);
    uint64_t best = UINT64_MAX;
    for (size_t at = 0; at < n;) {
        struct cw_routes *routes = tables_by(net, choices, n);
        const uint64_t most = busiest(net, routes, pairs);
        if (most < best) best = most;
        cw_routes_free(routes);
        for (at = 0; at < n && ++choices[at].at == choices[at].n; at++) choices[at].at = 0; /* the next of them */
    }
    free(choices);
    return best;
}

static void by_brute_force(void **state)
{
    (void)state;
    static const char *const nets[] = {"torus:4",        "mesh:2x2",    "xgft:2:2,2:1,2",
                                       "xgft:2:2,2:2,2", "hypercube:2", "torus:5"};
    uint32_t cases = 0, optimal = 0, tight = 0;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct cw_network *net = network_of(nets[i]);
        for (uint64_t seed = 0; seed < 12; seed++) {
            struct cw_random random = cw_random_of(seed, 0, i);
            struct cw_pair_weight items[MOST_PAIRS];
            struct cw_pair_weights pairs = {items, 2 + cw_random_below(&random, i == 3 ? 2 : 8)};
            for (size_t p = 0; p < pairs.n; p++)
                items[p] = (struct cw_pair_weight){cw_random_below(&random, net->n_endpoints),
                                                   cw_random_below(&random, net->n_endpoints),
                                                   1 + cw_random_below(&random, 9)};
            struct cw_routes *routes;
            uint64_t bound;
            must(cw_engine_route_for(net, "min-max-load", &pairs, 1, 1, &bound, &routes));
            const uint64_t best = best_of_all(net, &pairs), found = busiest(net, routes, &pairs);
            assert_true(bound <= best && best <= found);
            assert_true(found <= best + best / 2);
            cases++;
            optimal += found == best;
            tight += bound == best;
            cw_routes_free(routes);
        }
        cw_network_free(net);
    }
    assert_true(10 * optimal >= 9 * cases && 3 * tight >= cases);
}

/* Every pair with the same weight: the routes, the load and the bound of all pairs, that many times. */
static void all_pairs_alike(void **state)
{
    (void)state;
    static const char *const nets[] = {"torus:4x3", "dragonfly:2,4,2", "xgft:2:3,3:2,3"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct cw_network *net = network_of(nets[i]);
        const uint32_t n = net->n_endpoints;
        struct cw_pair_weight *items = zeros((size_t)n * n, sizeof *items);
        for (uint32_t p = 0; p < n * n; p++) items[p] = (struct cw_pair_weight){p / n, p % n, 3};
        const struct cw_pair_weights pairs = {items, (size_t)n * n};
        struct cw_routes *routes = routes_of(net, "min-max-load"), *weighted;
        struct cw_reach reach;
        uint64_t bound;
        must(cw_engine_route_for(net, "min-max-load", &pairs, 1, 1, &bound, &weighted));
        must(cw_routes_reach(routes, NULL, 0, 1, &reach));
        assert_int_equal(busiest(net, weighted, &pairs), 3 * (uint64_t)reach.load_max);
        assert_true(bound >= 3 * (cw_routes_load_bound(routes) - 1) && bound <= 3 * cw_routes_load_bound(routes));
        struct all_routes some = all_routes_of(routes), others = all_routes_of(weighted);
        assert_same_paths(&some, &others);
        assert_shortest(net, &others);
        free_all_routes(&some);
        free_all_routes(&others);
        cw_reach_free(&reach);
        cw_routes_free(routes);
        cw_routes_free(weighted);
        free(items);
        cw_network_free(net);
    }
}

static void others_do_not_look_at_traffic(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4");
    const struct cw_pair_weight item = {0, 1, 1};
    struct cw_routes *routes;
    uint64_t bound;
    assert_int_equal(cw_engine_route_for(net, "dor", &(struct cw_pair_weights){&item, 1}, 1, 1, &bound, &routes),
                     CW_EUSAGE);
    assert_string_equal(cw_error_message(), "dor makes the same routes for any traffic; expected min-max-load");
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_brute_force), cmocka_unit_test(all_pairs_alike),
                                       cmocka_unit_test(others_do_not_look_at_traffic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
