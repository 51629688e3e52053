/* What given messages get of a channel: by hand, and as crosswind ebb has it on average. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "route/engine.h"
#include "study/bench/ebb_shares.h"
#include "topo/topology.h"

/* Hosts 0 to 3 on one leaf, 4 to 7 on the other, one cable up: two messages across share it, one within does not, one
 * on a host takes no channel. */
static void test_tree(void **state)
{
    (void)state;
    static const uint32_t endpoints[] = {0, 1, 2, 3, 4, 5, 6, 6};
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_flows flows = {0};
    double shares[4];
    assert_int_equal(cw_topology_build("xgft:2:4,2:1,1", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    assert_int_equal(cw_flows_add(&flows, 0, 4, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 1, 5, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 2, 3, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 6, 7, 1), 0);
    assert_int_equal(cw_ebb_shares(routes, &flows, endpoints, shares), 0);
    assert_true(shares[0] == 0.5 && shares[1] == 0.5 && shares[2] == 1 && shares[3] == 1);
    cw_flows_free(&flows);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
