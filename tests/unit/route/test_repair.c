/* Tables of networks that have lost cables: what is lost, and what a repair changes. */
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "base/random.h"
#include "net/files/formats.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/lft.h"
#include "route/repair.h"
#include "route/route_changes.h"
#include "route/routes_internal.h"
#include "route/service_levels.h"

static void check(const char *spec, const char *engine, const char *with, const char *failed, uint64_t seed)
{
    struct cw_network *whole = network_of(spec), *net = damaged(whole, failed, seed);
    struct cw_routes *closed, *routes, *left, *anew, *repaired;
    struct cw_selection *all, *connected, *cut_off;
    struct cw_lost_routes lost;
    struct cw_network_match match;
    struct cw_route_changes changes;
    uint64_t changed, brute = 0, differ = 0;
    must(cw_engine_route(whole, engine, 1, 1, &closed));
    must(cw_routes_to_tables(closed, 1, &routes));
    left = what_is_left(whole, routes, net);
    must(cw_selection_new(net, "all", &all));
    must(cw_selection_connected(net, all, false, &connected, &cut_off));
    for (uint32_t i = 0; i < connected->n; i++)
        for (uint32_t j = 0; j < connected->n; j++)
            brute += i != j && !arrives(left, connected->endpoints[i], connected->endpoints[j]);
    must(cw_routes_lost(left, connected, 3, 2, &lost));
    assert_int_equal(lost.lost, brute);
    assert_int_equal(lost.pairs, (uint64_t)connected->n * (connected->n - 1));
    assert_int_equal(brute > 0, lost.first.length > 0);
    cw_lost_routes_free(&lost);
    uint64_t cut_pairs, apart = 0; /* of all: what cannot be reached at all is not lost */
    must(cw_selection_find_parts(net, all, false, &cut_pairs));
    for (uint32_t s = 0; s < net->n_endpoints; s++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            apart += s != d && !arrives(left, s, d) && (!all->parts || all->parts[s] == all->parts[d]);
    must(cw_routes_lost(left, all, 1000, 2, &lost));
    assert_int_equal(lost.lost, apart);
    uint64_t listed = lost.lost > 0;
    for (size_t i = 0; i < lost.first.length; i++) listed += lost.first.data[i] == ',' && lost.first.data[i + 1] == ' ';
    assert_int_equal(listed, apart);
    cw_lost_routes_free(&lost);
    must(cw_engine_route(net, with, 1, 1, &anew));
    must(cw_routes_repair(left, anew, 2, &changed, &repaired));
    must(cw_routes_lost(repaired, connected, 3, 1, &lost));
    assert_int_equal(lost.lost, 0);
    must(cw_network_match_find(net, net, &match));
    must(cw_route_changes_find(left, repaired, &match, connected, 2, &changes));
    assert_int_equal(changes.pairs.gained, brute);
    assert_int_equal(changes.pairs.lost + changes.pairs.moved, 0);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint64_t here = 0;
        for (uint32_t d = 0; d < net->n_endpoints; d++) {
            const uint32_t now = cw_routes_table_port(repaired, v, d), was = cw_routes_table_port(left, v, d);
            if (now == was) continue;
            here++;
            assert_int_equal(now, cw_routes_table_port(anew, v, d));
        }
        assert_int_equal(changes.at_switch[v - net->n_endpoints], here);
        differ += here;
    }
    assert_int_equal(differ, changed);
    cw_route_changes_free(&changes);
    cw_network_match_free(&match);
    assert_int_equal(brute == 0 || changed > 0, true);
    cw_lost_routes_free(&lost);
    cw_selection_free(all);
    cw_selection_free(connected);
    cw_selection_free(cut_off);
    cw_routes_free(closed);
    cw_routes_free(routes);
    cw_routes_free(left);
    cw_routes_free(anew);
    cw_routes_free(repaired);
    cw_network_free(net);
    cw_network_free(whole);
}

static void by_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        check("xgft:2:4,4:1,3", "dmodk", "minhop", "20%", seed);
        check("xgft:3:2,3,2:1,2,2", "dmodk", "minhop", "10%", seed);
        check("torus:4x4", "dor", "minhop", "15%", seed);
        check("dragonfly:2,4,2", "minhop", "random-minimal", "5%", seed);
    }
    check("xgft:2:4,4:1,3", "dmodk", "minhop", "s1.0,h7", 1);
    check("xgft:2:4,4:1,3", "dmodk", "minhop", "s2.0,s2.1,s2.2", 1);
    check("mesh:4x3", "dor", "minhop", "s(1,0)-s(2,0),s(1,1)-s(2,1),s(1,2)-s(2,2)", 1);
    check("torus:6x2", "dor", "minhop", "s(1,0),s(1,1),s(4,0)", 1);
}

/* One cable of a ring of four: only what went over it is new, and the other way round. */
static void a_ring(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("torus:4"), *net = damaged(whole, "s(0)-s(1)", 1);
    struct cw_routes *routes, *left, *anew, *repaired;
    struct cw_selection *all;
    struct cw_lost_routes lost;
    uint64_t changed;
    struct cw_network_match match;
    struct cw_route_changes changes;
    must(cw_engine_route(whole, "dor:tie=plus", 1, 1, &anew));
    must(cw_routes_to_tables(anew, 1, &routes));
    cw_routes_free(anew);
    left = what_is_left(whole, routes, net);
    must(cw_selection_new(net, "all", &all));
    /* Ties go up, so that 0 > 2 takes the cable to 1, and 2 > 0 does not. */
    must(cw_routes_lost(left, all, 9, 1, &lost));
    assert_string_equal(lost.first.data, "h1 > h0, h0 > h1, h3 > h1, h0 > h2");
    assert_int_equal(lost.lost, 4);
    must(cw_engine_route(net, "minhop", 1, 1, &anew));
    must(cw_routes_repair(left, anew, 1, &changed, &repaired));
    assert_int_equal(changed, 4); /* towards 0 at 1; towards 1 at 0 and 3; towards 2 at 0 */
    must(cw_network_match_find(net, net, &match));
    must(cw_route_changes_find(left, repaired, &match, all, 1, &changes));
    const uint64_t *entries = changes.at_switch;
    assert_true(entries[0] == 2 && entries[1] == 1 && entries[2] == 0 && entries[3] == 1);
    cw_route_changes_free(&changes);
    cw_network_match_free(&match);
    cw_lost_routes_free(&lost);
    cw_selection_free(all);
    cw_routes_free(routes);
    cw_routes_free(left);
    cw_routes_free(anew);
    cw_routes_free(repaired);
    cw_network_free(net);
    cw_network_free(whole);
}

static uint64_t entries_that_differ(const struct cw_routes *some, const struct cw_routes *others)
{
    const struct cw_network *net = cw_routes_network(some);
    uint64_t n = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t d = 0; d < net->n_endpoints; d++)
            n += cw_routes_table_port(some, v, d) != cw_routes_table_port(others, v, d);
    return n;
}

/* With an LMC the tables to each LID are repaired, by those of the same LID, and compared. */
static void several_lids(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("xgft:2:4,4:1,4"), *net = damaged(whole, "s1.0-s2.0,s1.1-s2.1", 1);
    struct cw_routes *routes, *left, *anew, *repaired;
    struct cw_selection *all;
    struct cw_network_match match;
    struct cw_route_changes changes;
    uint64_t changed, differ = 0, lost = 0;
    must(cw_engine_route(whole, "minhop:lmc=1", 1, 1, &routes));
    must(cw_engine_route(net, "minhop:lmc=1", 1, 1, &anew));
    must(cw_selection_new(net, "all", &all));
    left = what_is_left(whole, routes, net);
    cw_routes_add_lid(left, what_is_left(whole, cw_routes_to_lid(routes, 1), net));
    must(cw_routes_repair(left, anew, 2, &changed, &repaired));
    assert_int_equal(cw_routes_lids(repaired), 2);
    for (uint32_t lid = 0; lid < 2; lid++) {
        const struct cw_routes *now = cw_routes_to_lid(repaired, lid), *was = cw_routes_to_lid(left, lid);
        for (uint32_t s = 0; s < net->n_endpoints; s++)
            for (uint32_t d = 0; d < net->n_endpoints; d++) {
                assert_true(s == d || arrives(now, s, d));
                lost += lid == 1 && s != d && !arrives(was, s, d);
            }
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
            for (uint32_t d = 0; d < net->n_endpoints; d++)
                assert_true(cw_routes_table_port(now, v, d) == cw_routes_table_port(was, v, d) ||
                            cw_routes_table_port(now, v, d) == cw_routes_table_port(cw_routes_to_lid(anew, lid), v, d));
        differ += entries_that_differ(now, was);
        assert_true(entries_that_differ(now, was) > 0);
    }
    assert_int_equal(changed, differ);
    must(cw_network_match_find(net, net, &match));
    must(cw_route_changes_find(left, repaired, &match, all, 2, &changes));
    assert_int_equal(changes.entries_moved + changes.entries_came, differ);
    assert_true(lost > 0);
    assert_int_equal(changes.further.gained, lost);
    cw_route_changes_free(&changes);
    cw_network_match_free(&match);
    cw_selection_free(all);
    cw_routes_free(routes);
    cw_routes_free(left);
    cw_routes_free(anew);
    cw_routes_free(repaired);
    cw_network_free(net);
    cw_network_free(whole);
}

/* Levels are of tables as they were: they are set anew when these are repaired. Routes of two networks do not fit. */
static void what_cannot_be_repaired(void **state)
{
    (void)state;
    static const char levels[] = CW_TEST_DATA "/golden/levels/ring-6";
    struct cw_network *net = NULL, *other = network_of("torus:6");
    struct cw_routes *tables, *anew, *of_other, *repaired = NULL;
    struct cw_service_levels *read;
    uint64_t changed = 77;
    char map[512], lfts[512], records[512], maps[512];
    (void)snprintf(map, sizeof map, "%s.ibnetdiscover", levels);
    (void)snprintf(lfts, sizeof lfts, "%s-dfsssp.lfts", levels);
    (void)snprintf(records, sizeof records, "%s-dfsssp.path-records", levels);
    (void)snprintf(maps, sizeof maps, "%s-dfsssp.sl2vl", levels);
    must(cw_network_read(map, &net));
    must(cw_lft_read(net, lfts, NULL, &tables));
    anew = routes_of(net, "minhop");
    of_other = routes_of(other, "minhop");
    must(cw_routes_repair(tables, anew, 1, &changed, &repaired)); /* without levels there is nothing against it */
    assert_int_equal(changed, 0);
    assert_false(cw_routes_lanes_known(repaired));
    cw_routes_free(repaired);
    repaired = NULL;
    assert_int_equal(cw_routes_repair(tables, of_other, 1, &changed, &repaired), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "routes of two networks; expected two of the same");
    must(cw_service_levels_read(net, records, maps, &read));
    must(cw_routes_set_service_levels(tables, read));
    assert_int_equal(cw_routes_repair(tables, anew, 1, &changed, &repaired), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "routes with service levels; expected levels to be set when the tables are repaired");
    assert_null(repaired);
    cw_routes_free(anew);
    cw_routes_free(tables);
    cw_routes_free(of_other);
    cw_network_free(net);
    cw_network_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_brute_force), cmocka_unit_test(a_ring),
                                       cmocka_unit_test(several_lids), cmocka_unit_test(what_cannot_be_repaired)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
