/* How routes are installed: by OpenSM's engine, by a file, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "net/network.h"
#include "route/check.h"
#include "route/engine.h"
#include "study/compare/install.h"
#include "topo/topology.h"

/* By SPEC, NET (a specification) is installed by WORDS, and that can be DONE. */
static void check(const char *net, const char *spec, const char *words, bool done)
{
    struct cw_network *network;
    struct cw_routes *routes;
    struct cw_install install;
    struct cw_deadlock deadlock = {.acyclic = true};
    if (cw_topology_build(net, &network) != 0) fail_msg("%s", cw_error_message());
    if (cw_engine_route(network, spec, 1, 1, &routes) != 0) fail_msg("%s", cw_error_message());
    const bool several = cw_routes_kind(routes) == CW_ROUTES_WAYS;
    if (!several) assert_int_equal(cw_routes_deadlock(routes, 0, 1, &deadlock), 0);
    const char *verdict = several ? "unknown" : cw_deadlock_verdict(&deadlock);
    assert_int_equal(cw_install_find(routes, spec, verdict, &install), 0);
    if (strcmp(install.words.data, words) != 0)
        fail_msg("%s by %s: \"%s\", expected \"%s\"", net, spec, install.words.data, words);
    assert_int_equal(install.is_done, done);
    assert_int_equal(install.by_levels, strstr(words, "levels and") != NULL);
    assert_int_equal(install.by_file, strstr(words, "-R file") != NULL);
    cw_text_free(&install.words);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    cw_network_free(network);
}

#define TREE  "xgft:2:4,4:1,2"
#define TORUS "torus:4x4"

static void test_engines(void **state)
{
    (void)state;
    check(TREE, "minhop", "routing_engine minhop", true);
    check(TREE, "minhop:lmc=1", "routing_engine minhop, lmc 1", true);
    check(TREE, "minhop:lmc=map", "routing_engine minhop", true);
    check(TREE, "updn", "routing_engine updn", true);
    check(TREE, "ftree", "routing_engine ftree", true);
    check(TORUS, "minhop", "routing_engine minhop (can deadlock)", false);
    check(TORUS, "dor-ports", "routing_engine dor (can deadlock)", false);
    check(TORUS, "nue", "routing_engine nue", true);
    check(TORUS, "nue:lanes=2", "routing_engine nue, nue_max_num_vls 2, qos TRUE", true);
    check(TORUS, "lash:mesh", "routing_engine lash, do_mesh_analysis TRUE", true);
    check(TORUS, "dfsssp", "routing_engine dfsssp, qos TRUE", true);
    check(TORUS, "dfsssp:lanes=4", "routing_engine dfsssp, max_op_vls 3, qos TRUE", true);
    check(TORUS, "torus-2qos", "routing_engine torus-2QoS, qos TRUE", true);
}

/* What opensm.conf cannot say is left to files: a number of lanes that max_op_vls has not, and what is ours. */
static void test_files(void **state)
{
    (void)state;
    check(TREE, "dmodk", "opensm -R file -U FILE", true);
    check(TREE, "min-contention", "opensm -R file -U FILE", true);
    check(TORUS, "dfsssp:lanes=5", "opensm -R file -U FILE, levels and sl2vl", false);
    check(TORUS, "nue:lanes=2,mend", "opensm -R file -U FILE, levels and sl2vl", false);
    check(TORUS, "nue-even", "opensm -R file -U FILE", true);
}

static void test_impossible(void **state)
{
    (void)state;
    check(TREE, "smodk", "no: ways depend on the source", false);
    check(TREE, "adaptive", "no: packets take several ways", false);
    check(TORUS, "dor", "no: needs 2 lanes, not by service levels", false);
    check(TORUS, "dor:lanes=1", "no: deadlocks on one lane as written", false);
}

/* OpenSM finds no root of updn on a torus: they are those of a file. */
static void test_roots(void **state)
{
    (void)state;
    check(TORUS, "updn", "routing_engine updn, root_guid_file FILE", true);
    check(TORUS, "updn:roots=any", "routing_engine updn, root_guid_file FILE", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
