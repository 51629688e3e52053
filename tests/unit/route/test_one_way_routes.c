/* Routes of networks in which cables work in one direction only, against distances that are relaxed channel by channel:
 * none goes over a closed channel, none is missing where there is a way, and what they load is counted route by route.
 */
#include "../one_way_network.h"
#include "net/network_internal.h"
#include "route_test.h"

#include <math.h>

#include "route/check.h"
#include "route/packets/ways.h"
#include "route/repair.h"
#include "topo/metrics.h"

#define TRIALS 60

static const char *const engines[] = {"minhop", "random-minimal"};

/* Counts what arrives of all ROUTES, and holds each to DISTANCE[dst · vertices + src]. LOAD[channel] grows. */
static uint64_t count_routes(const struct cw_routes *routes, uint32_t *const *distance, uint64_t *load)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t n = net->n_endpoints;
    uint32_t *channels = zeros(cw_routes_max_hops(routes), sizeof *channels), hops;
    uint64_t arrive = 0;
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++) {
            if (src == dst) continue;
            const int rc = cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL);
            assert_int_equal(rc, distance[dst][src] == CW_NONE ? CW_EROUTE : 0);
            if (rc) continue;
            arrive++;
            assert_int_equal(hops, distance[dst][src]);
            for (uint32_t h = 0; h < hops; h++) {
                assert_true(net->capacity[channels[h]] > 0);
                load[channels[h]]++;
            }
        }
    free(channels);
    return arrive;
}

static void check_reach(const struct cw_routes *routes, uint64_t arrive, const uint64_t *load)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t n = net->n_endpoints;
    struct cw_reach reach;
    uint64_t sum = 0, channels = 0, most = 0;
    must(cw_routes_reach(routes, NULL, 0, 2, &reach));
    assert_int_equal(reach.reached, arrive);
    assert_int_equal(reach.minimal, arrive);
    assert_int_equal(reach.holes, (uint64_t)n * (n - 1) - arrive);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < n || net->head[c] < n || !(net->capacity[c] > 0)) continue;
        sum += load[c];
        channels++;
        if (load[c] > most) most = load[c];
    }
    assert_true(fabs(reach.load_mean - (double)sum / (double)channels) < 1e-9);
    assert_int_equal((uint64_t)reach.load_max, most);
    cw_reach_free(&reach);
}

static void check_distances(const struct cw_network *net, uint32_t *const *distance)
{
    const uint32_t n = net->n_endpoints;
    struct cw_distances found;
    uint64_t unreachable = 0, sum = 0, reached = 0;
    uint32_t diameter = 0;
    must(cw_network_distances(net, 2, 1, &found));
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++) {
            const uint32_t hops = distance[dst][src];
            if (src == dst) continue;
            unreachable += hops == CW_NONE;
            if (hops == CW_NONE) continue;
            if (hops > diameter) diameter = hops;
            sum += hops;
            reached++;
        }
    assert_int_equal(found.unreachable, unreachable);
    assert_int_equal(found.diameter, diameter);
    assert_true(fabs(found.mean_distance - (double)sum / (double)reached) < 1e-9);
}

static void shortest_routes(void **state)
{
    (void)state;
    bool holes = false;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct cw_network *net = one_way_random(trial, 4 + (uint32_t)trial % 9, trial % 2 == 1);
        uint32_t *distance[16];
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) distance[dst] = distances_to(net, dst);
        check_distances(net, distance);
        for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
            struct cw_routes *routes = routes_of(net, engines[i]), *filled;
            uint64_t *load = zeros(net->n_channels, sizeof *load);
            const uint64_t arrive = count_routes(routes, distance, load);
            check_reach(routes, arrive, load);
            must(cw_routes_fill_tables(routes, 1, &filled));
            for (uint32_t c = 0; c < net->n_channels; c++) load[c] = 0;
            assert_int_equal(count_routes(filled, distance, load), arrive);
            holes |= arrive < (uint64_t)net->n_endpoints * (net->n_endpoints - 1);
            free(load);
            cw_routes_free(filled);
            cw_routes_free(routes);
        }
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) free(distance[dst]);
        cw_network_free(net);
    }
    assert_true(holes);
}

/* Packets of spray take all shortest ways, at each switch as many as there are: shares by induction over distances. */
static void sprayed_packets(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 10; trial++) {
        struct cw_network *net = one_way_random(trial, 6, false);
        struct cw_packet_routing *routing;
        struct cw_ways ways;
        must(cw_packet_routing_new(net, "spray", 1, 1, &routing));
        must(cw_ways_init(&ways, net));
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t *distance = distances_to(net, dst);
            for (uint32_t src = 0; src < net->n_endpoints; src++) {
                if (src == dst) continue;
                must(cw_ways_find(routing, src, dst, &ways));
                double hops = 0;
                for (size_t i = 0; i < ways.n; i++) {
                    const uint32_t c = ways.channels[i];
                    assert_true(net->capacity[c] > 0);
                    assert_int_equal(distance[net->tail[c]], distance[net->head[c]] + 1);
                    hops += ways.shares[i];
                }
                assert_true(fabs(hops - distance[src]) < 1e-9);
            }
            free(distance);
        }
        cw_ways_free(&ways);
        cw_packet_routing_free(routing);
        cw_network_free(net);
    }
}

/* Tables that were made before a direction died: what goes there is lost, with a message, and can be repaired. */
static void tables_of_before(void **state)
{
    (void)state;
    struct cw_network *net = one_way_ring(5);
    struct cw_lft *tables;
    struct cw_routes *before, *anew, *repaired;
    struct cw_selection *all;
    struct cw_lost_routes lost;
    struct cw_reach reach;
    uint64_t changed;
    must(cw_lft_new(net, &tables));
    for (uint32_t s = 0; s < 5; s++) /* the shorter way round, on ports 2 (on) and 3 (back) */
        for (uint32_t d = 0; d < 5; d++) cw_lft_set(tables, 5 + s, d, s == d ? 0 : (d + 5 - s) % 5 <= 2 ? 1 : 2);
    must(cw_lft_finish(tables, "before", &before));
    must(cw_routes_reach(before, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, 10);
    assert_int_equal(reach.holes, 10);
    assert_string_equal(reach.first_problem.data,
                        "s1 has no route to h0, or one by a cable that works in the other direction only");
    cw_reach_free(&reach);
    must(cw_selection_new(net, "all", &all));
    must(cw_routes_lost(before, all, 1, 1, &lost));
    assert_int_equal(lost.lost, 10);
    cw_lost_routes_free(&lost);
    anew = routes_of(net, "minhop");
    must(cw_routes_repair(before, anew, 1, &changed, &repaired));
    assert_int_equal(changed, 10);
    must(cw_routes_reach(repaired, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, 20);
    assert_true(fabs(reach.load_mean - 10) < 1e-9); /* 5 · (1 + 2 + 3 + 4) hops on 5 channels */
    cw_reach_free(&reach);
    cw_selection_free(all);
    cw_routes_free(repaired);
    cw_routes_free(anew);
    cw_routes_free(before);
    cw_network_free(net);
}

static void paths_against(void **state)
{
    (void)state;
    struct cw_network *net = one_way_ring(3);
    struct cw_paths *paths;
    const uint32_t on[] = {0, net->first[3] + 1, net->twin[1]}, back[] = {1, net->first[4] + 2, net->twin[0]};
    must(cw_paths_new(net, &paths));
    must(cw_paths_add(paths, 0, 1, 1, on, 3));
    assert_int_equal(cw_paths_add(paths, 1, 0, 1, back, 3), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "it takes a cable that works in the other direction only"));
    cw_paths_free(paths);
    cw_network_free(net);
}

/* An engine that does not say that it knows closed channels must not be asked to route them. */
static void engines_refuse(void **state)
{
    (void)state;
    struct cw_network *net = one_way_ring(4);
    size_t accept = 0;
    for (size_t i = 0; cw_engines[i]; i++) {
        const bool accepts = cw_engine_accepts(cw_engines[i], net, NULL);
        assert_true(!accepts || cw_engines[i]->one_way);
        accept += accepts;
        if (accepts || cw_engines[i]->options) continue;
        struct cw_packet_routing *packets = NULL;
        assert_int_equal(cw_packet_routing_new(net, cw_engines[i]->name, 1, 1, &packets), CW_EUSAGE);
    }
    assert_true(accept >= 4);
    assert_string_equal(cw_engine_default(net), "minhop");
    struct cw_routes *routes;
    assert_int_equal(cw_engine_route(net, "hop-lanes", 1, 1, &routes), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "hop-lanes cannot route this network, in which 4 cables work one way only; "
                                            "minhop and random-minimal can");
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shortest_routes), cmocka_unit_test(sprayed_packets),
                                       cmocka_unit_test(tables_of_before), cmocka_unit_test(paths_against),
                                       cmocka_unit_test(engines_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
