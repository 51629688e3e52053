/* Ways by random shortest hops: all that lead nearer are taken alike, parallel cables each, and no other. Their shares
 * are those of all shortest paths, gone through one by one. */
#include "net/network_internal.h"
#include "route/engines/shortest_ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "route_test.h"

enum { DRAWS = 9000 };

static uint32_t switch_of(const struct cw_network *net, uint32_t endpoint)
{
    return net->head[net->first[endpoint]] - net->n_endpoints;
}

/* Hops from switch HERE to TARGET are one of WAYS channels, each as often but for chance (five deviations). */
static void check_hops(const char *spec, uint32_t here, uint32_t target, uint32_t n_ways)
{
    struct cw_network *net = network_of(spec);
    struct cw_shortest_ways ways;
    uint32_t *taken = calloc(net->n_channels, sizeof *taken), different = 0;
    const double p = 1.0 / n_ways, slack = 5 * sqrt(DRAWS * p * (1 - p));
    must(cw_shortest_ways_new(net, &ways));
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        const struct cw_hop hop = cw_shortest_hop(&ways, here, target, CW_NONE, 0, cw_random_hash(draw, 1));
        assert_int_equal(net->tail[hop.channel], net->n_endpoints + here);
        assert_int_equal(hop.lane, 0);
        different += taken[hop.channel]++ == 0;
    }
    assert_int_equal(different, n_ways);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (taken[c] > 0 && fabs(taken[c] - DRAWS * p) > slack)
            fail_msg("%s: channel %u is taken %u times of %d", spec, c, taken[c], DRAWS);
    free(taken);
    cw_shortest_ways_free(&ways);
    cw_network_free(net);
}

static void all_ways_alike(void **state)
{
    (void)state;
    check_hops("hypercube:3", 0, 7, 3);
    check_hops("hypercube:3", 0, 5, 2);
    check_hops("torus:5x5", 0, 12, 2); /* two up each dimension */
    check_hops("torus:5x5", 0, 2, 1);
    check_hops("xgft:2:2,4:1,2:1,3", 0, 3, 6); /* three cables to each of two spines */
}

/* The lane is one more than that of the hop before. */
static void lanes_count_hops(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x5");
    struct cw_shortest_ways ways;
    must(cw_shortest_ways_new(net, &ways));
    const struct cw_hop first = cw_shortest_hop(&ways, 0, 12, CW_NONE, 0, 1);
    const uint32_t next = net->head[first.channel] - net->n_endpoints;
    assert_int_equal(cw_shortest_hop(&ways, next, 12, first.channel, 2, 1).lane, 3);
    cw_shortest_ways_free(&ways);
    cw_network_free(net);
}

/* --- shares ------------------------------------------------------------------------------------------------------- */

/* Adds to SUM[channels] every path of distances from vertex V to endpoint DST, each by how likely its hops are. */
static void add_paths(const struct cw_network *net, const uint32_t *distance, uint32_t v, uint32_t dst, double amount,
                      double *sum)
{
    uint32_t n = 0;
    if (v == dst) return;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) n += distance[net->head[c]] + 1 == distance[v];
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (distance[net->head[c]] + 1 != distance[v]) continue;
        sum[c] += amount / n;
        add_paths(net, distance, net->head[c], dst, amount / n, sum);
    }
}

static void compare(const char *spec, const struct cw_ways *ways, uint32_t n_channels, double *sum)
{
    for (size_t i = 0; i < ways->n; i++) {
        assert_true(ways->shares[i] > 0);
        sum[ways->channels[i]] -= ways->shares[i];
    }
    for (uint32_t c = 0; c < n_channels; c++) {
        if (fabs(sum[c]) > 1e-12) fail_msg("%s: channel %u has %g too little", spec, c, sum[c]);
        sum[c] = 0;
    }
}

/* An endpoint of each switch that has some, and how many there are. */
static uint32_t one_of_each(const struct cw_network *net, uint32_t *endpoints)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        bool is_new = true;
        for (uint32_t i = 0; i < n; i++) is_new = is_new && switch_of(net, endpoints[i]) != switch_of(net, v);
        if (is_new) endpoints[n++] = v;
    }
    return n;
}

/* From SRC by all leaves, of which LEAVES[n] are endpoints, to DST: each leg ends at the leaf's switch. */
static void add_detours(const struct cw_network *net, uint32_t *const *distance, const uint32_t *leaves, uint32_t n,
                        uint32_t src, uint32_t dst, double *sum)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t via = leaves[i], down = net->twin[net->first[via]], sw = net->head[net->first[via]];
        const double before = sum[down];
        if (sw != net->head[net->first[src]])
            add_paths(net, distance[via], net->head[net->first[src]], via, 1.0 / n, sum);
        sum[down] = before;
        add_paths(net, distance[dst], sw, dst, 1.0 / n, sum);
    }
    sum[net->first[src]] += 1;
}

/* Parallel cables, switches without endpoints, ways of different width, and random ones. */
static const char *const shared[] = {"hypercube:3",
                                     "torus:5x3",
                                     "xgft:2:2,4:1,2:1,3",
                                     "xgft:3:2,2,3:1,2,2",
                                     "slimfly:3,1",
                                     "jellyfish:10,4,2,seed=1",
                                     "jellyfish:11,4,1,seed=2",
                                     "jellyfish:14,3,1,seed=3",
                                     "dragonfly:1,4,1",
                                     "crossbar:3"};

static void shares_are_those_of_all_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct cw_network *net = network_of(shared[i]);
        struct cw_shortest_ways bare;
        struct cw_ways ways, found;
        struct cw_packet_routing *spray, *valiant = NULL;
        uint32_t *leaves = zeros(net->n_endpoints, sizeof *leaves),
                 **distance = zeros(net->n_endpoints, sizeof *distance);
        const uint32_t n = one_of_each(net, leaves);
        double *sum = zeros(net->n_channels, sizeof *sum);
        must(cw_packet_routing_new(net, "spray", 1, 1, &spray));
        if (cw_shortest_ways_accept(net, CW_SHORTEST_LANES / 2))
            must(cw_packet_routing_new(net, "valiant", 1, 1, &valiant));
        must(cw_shortest_ways_new(net, &bare));
        must(cw_ways_init(&ways, net));
        must(cw_ways_init(&found, net));
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) distance[dst] = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
                if (src == dst) continue;
                must(cw_ways_find(spray, src, dst, &ways));
                add_paths(net, distance[dst], src, dst, 1, sum);
                compare(shared[i], &ways, net->n_channels, sum);
                if (!valiant) continue;
                must(cw_ways_find(valiant, src, dst, &ways));
                add_detours(net, distance, leaves, n, src, dst, sum);
                compare(shared[i], &ways, net->n_channels, sum);
                /* legs that are found again are those that are kept */
                cw_shortest_add_detours(&bare, switch_of(net, src), switch_of(net, dst), 1, &found);
                for (size_t k = 1; k + 1 < ways.n; k++)
                    assert_float_equal(found.amounts[ways.channels[k]], ways.shares[k], 1e-12);
                assert_int_equal(found.n + 2, ways.n);
                while (found.n > 0) found.amounts[found.channels[--found.n]] = 0;
            }
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) free(distance[dst]);
        free(distance);
        free(leaves);
        free(sum);
        cw_ways_free(&ways);
        cw_ways_free(&found);
        cw_shortest_ways_free(&bare);
        cw_packet_routing_free(spray);
        cw_packet_routing_free(valiant);
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_alike), cmocka_unit_test(lanes_count_hops),
                                       cmocka_unit_test(shares_are_those_of_all_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
