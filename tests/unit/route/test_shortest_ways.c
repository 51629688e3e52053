/* Ways by random shortest hops: all that lead nearer are taken alike, parallel cables each, and no other. */
#include "net/network_internal.h"
#include "route/engines/shortest_ways.h"

#include <math.h>
#include <stdlib.h>

#include "route_test.h"

enum { DRAWS = 9000 };

/* Hops from switch HERE to TARGET are one of WAYS channels, each as often but for chance (five deviations). */
static void check_hops(const char *spec, uint32_t here, uint32_t target, uint32_t n_ways)
{
    struct cw_network *net = network_of(spec);
    struct cw_shortest_ways ways;
    uint32_t *taken = calloc(net->n_channels, sizeof *taken), different = 0;
    const double p = 1.0 / n_ways, slack = 5 * sqrt(DRAWS * p * (1 - p));
    must(cw_shortest_ways_new(net, &ways));
    for (uint64_t salt = 0; salt < DRAWS; salt++) {
        const struct cw_hop hop = cw_shortest_hop(&ways, here, target, CW_NONE, 0, salt);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_alike), cmocka_unit_test(lanes_count_hops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
