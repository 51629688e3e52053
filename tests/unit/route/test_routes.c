/* Routes that are tables: walking, counting, holes, loops, sizes. What holds for all kinds is in test_engines.c. */
#include "net/network_internal.h"
#include "route_test.h"

#include "net/builder.h"

/* Endpoints a, b, c at switches S, T, U in a ring; S - T has two cables. */
enum { A, B, C, S, T, U };

static struct cw_network *ring(void)
{
    static const char *const names[] = {"a", "b", "c", "S", "T", "U"};
    static const uint32_t cables[][2] = {{A, S}, {B, T}, {C, U}, {S, T}, {S, T}, {T, U}, {U, S}};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(3, 3, 7);
    for (size_t i = 0; i < sizeof cables / sizeof *cables; i++)
        cw_builder_cable(builder, cables[i][0], 0, cables[i][1], 0, 1, 0);
    for (uint32_t v = 0; v < 6; v++) cw_builder_name(builder, v, names[v]);
    must(cw_builder_finish(builder, &net));
    return net;
}

/* Port indices at S: a, T, T, U. At T: b, S, S, U. At U: c, T, S. */
static struct cw_lft *good_tables(const struct cw_network *net)
{
    static const uint32_t port[3][3] = {{0, 2, 3}, {1, 0, 3}, {2, 1, 0}}; /* [switch][destination] */
    struct cw_lft *tables = NULL;
    must(cw_lft_new(net, &tables));
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t d = 0; d < 3; d++) {
            assert_int_equal(cw_lft_get(tables, S + s, d), CW_NO_PORT);
            cw_lft_set(tables, S + s, d, port[s][d]);
            assert_int_equal(cw_lft_get(tables, S + s, d), port[s][d]);
        }
    return tables;
}

static struct cw_routes *finish(struct cw_lft *tables)
{
    struct cw_routes *routes = NULL;
    must(cw_lft_finish(tables, "by hand", &routes));
    return routes;
}

static void tables_are_walked(void **state)
{
    (void)state;
    struct cw_network *net = ring();
    struct cw_routes *routes = finish(good_tables(net));
    uint32_t path[8];
    uint8_t lanes[8];
    assert_string_equal(cw_routes_name(routes), "by hand");
    assert_int_equal(cw_routes_max_hops(routes), 3);
    assert_int_equal(cw_routes_lanes(routes), 1);
    assert_true(cw_routes_by_destination(routes));
    assert_int_equal(cw_routes_table_port(routes, S, B), 2);
    assert_int_equal(walk(routes, A, B, path, lanes), 3);
    assert_int_equal(path[0], net->first[A]);
    assert_int_equal(path[1], net->first[S] + 2); /* the second of the parallel cables */
    assert_int_equal(path[2], net->first[T]);
    assert_int_equal(walk(routes, B, B, path, lanes), 0);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* The message of the first problem on the route from SRC to DST, step by step and in a batch behind routes that arrive.
 */
static void assert_broken(const struct cw_routes *routes, uint32_t src, uint32_t dst, const char *message)
{
    struct cw_walk walk = {0};
    struct cw_hop hop;
    int n;
    must(cw_walk_begin(&walk, routes, src, dst));
    while ((n = cw_walk_candidates(&walk, &hop, 1)) == 1) cw_walk_take(&walk, hop);
    cw_walk_end(&walk);
    assert_int_equal(n, CW_EROUTE);
    assert_string_equal(cw_error_message(), message);

    enum { MANY = 500, BROKEN = 300 };
    uint32_t from[MANY], to[MANY], hops[MANY], *channels = zeros(MANY, cw_routes_max_hops(routes) * sizeof *channels);
    uint32_t *load = zeros(cw_routes_network(routes)->n_channels, sizeof *load);
    for (uint32_t i = 0; i < MANY; i++) {
        from[i] = i < BROKEN ? dst : src;
        to[i] = dst;
    }
    must(cw_routes_paths(routes, BROKEN, from, to, hops, channels, NULL));
    assert_int_equal(cw_routes_paths(routes, MANY, from, to, hops, channels, NULL), CW_EROUTE);
    assert_string_equal(cw_error_message(), message);
    assert_int_equal(cw_routes_count(routes, MANY, from, to, load), CW_EROUTE);
    free(channels);
    free(load);
}

static void holes_and_loops_have_names(void **state)
{
    (void)state;
    struct cw_network *net = ring();
    struct cw_lft *tables = good_tables(net);
    cw_lft_set(tables, T, C, CW_NO_PORT);
    cw_lft_set(tables, U, A, 1); /* U → T → S is a detour, but arrives: 4 hops */
    struct cw_routes *routes = finish(tables);
    assert_int_equal(cw_routes_max_hops(routes), 4);
    assert_broken(routes, B, C, "T has no route to c");
    cw_routes_free(routes);

    tables = good_tables(net);
    cw_lft_set(tables, S, C, 1); /* S → T → S … */
    cw_lft_set(tables, T, C, 1);
    cw_lft_set(tables, T, A, 0); /* through b */
    routes = finish(tables);
    assert_broken(routes, A, C, "the route from a to c is a loop through T");
    assert_broken(routes, B, A, "the route from b to a ends at endpoint b, which forwards nothing");
    cw_routes_free(routes);
    cw_network_free(net);
}

/* The batch reports the lowest route that fails, also where a later one fails sooner. */
static void lowest_failure_wins(void **state)
{
    (void)state;
    struct cw_network *net = ring();
    struct cw_lft *tables = good_tables(net);
    cw_lft_set(tables, U, A, 1);
    cw_lft_set(tables, S, A, CW_NO_PORT); /* c → U → T → S: found after three hops */
    cw_lft_set(tables, T, C, CW_NO_PORT); /* b → T: found after one */
    struct cw_routes *routes = finish(tables);
    const uint32_t src[] = {A, C, B}, dst[] = {B, A, C};
    uint32_t hops[3], *channels = zeros(3, cw_routes_max_hops(routes) * sizeof *channels);
    assert_int_equal(cw_routes_paths(routes, 3, src, dst, hops, channels, NULL), CW_EROUTE);
    assert_string_equal(cw_error_message(), "S has no route to a");
    free(channels);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void walks_are_reused_and_checked(void **state)
{
    (void)state;
    struct cw_network *ring_net = ring(), *torus = network_of("torus:5x3");
    struct cw_routes *tables = finish(good_tables(ring_net)), *formula = routes_of(torus, "dor");
    struct cw_walk walk = {0};
    struct cw_hop hop;
    cw_walk_end(&walk);
    must(cw_walk_begin(&walk, formula, 0, 7));
    assert_int_equal(cw_walk_candidates(&walk, &hop, 1), 1);
    cw_walk_take(&walk, hop);
    must(cw_walk_begin(&walk, formula, 3, 3));
    assert_int_equal(cw_walk_candidates(&walk, &hop, 1), 0);
    must(cw_walk_begin(&walk, tables, A, C));
    assert_int_equal(cw_walk_candidates(&walk, &hop, 1), 1);
    assert_int_equal(hop.channel, ring_net->first[A]);
    assert_int_equal(cw_walk_begin(&walk, tables, A, S), CW_EUSAGE);
    cw_walk_end(&walk);
    cw_routes_free(tables);
    cw_routes_free(formula);
    cw_network_free(ring_net);
    cw_network_free(torus);
}

/* Entries of two bytes, and rows for endpoints with several cables. */
static void wide_tables_and_rows_of_endpoints(void **state)
{
    (void)state;
    static const char *const specs[] = {"crossbar:254", "crossbar:255", "crossbar:300", "xgft:2:3,4:2,2",
                                        "xgft:2:4,3:3,2:2,1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *routes = routes_of(net, "minhop");
        struct all_routes all = all_routes_of(routes);
        assert_shortest(net, &all);
        struct cw_routes *same = NULL;
        must(cw_routes_to_tables(routes, 3, &same));
        struct all_routes other = all_routes_of(same);
        assert_same_paths(&all, &other);
        free_all_routes(&all);
        free_all_routes(&other);
        cw_routes_free(same);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* The longest route is found, whatever is broken besides, as walking every pair finds it. */
static void longest_route_of_random_tables(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x3");
    uint32_t *path = zeros(net->n_vertices, sizeof *path), hops;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct cw_routes *routes = random_tables(net, seed, seed < 20 ? 0 : 60, 20);
        uint32_t longest = 1;
        for (uint32_t s = 0; s < net->n_endpoints; s++)
            for (uint32_t d = 0; d < net->n_endpoints; d++)
                if (follow(routes, s, d, path, &hops) == ARRIVES && hops > longest) longest = hops;
        assert_int_equal(cw_routes_max_hops(routes), longest);
        cw_routes_free(routes);
    }
    free(path);
    cw_network_free(net);
}

static void too_large_tables_are_refused(void **state)
{
    (void)state;
    const uint32_t n = 3000000;
    struct cw_network net = {.n_endpoints = n, .n_vertices = 2 * n};
    struct cw_lft *tables = NULL;
    net.first = zeros(2 * (size_t)n + 1, sizeof *net.first);
    assert_int_equal(cw_lft_new(&net, &tables), CW_ELIMIT);
    assert_null(tables);
    assert_non_null(strstr(cw_error_message(), "3000000 endpoints"));
    assert_non_null(strstr(cw_error_message(), "8.185 TiB"));
    free(net.first);
}

/* The entries are the tables' own, narrow or wide. */
static void entries_are_the_tables(void **state)
{
    (void)state;
    struct cw_network *net = ring(), *star = NULL;
    struct cw_routes *routes = finish(good_tables(net)), *wide, *formula;
    struct cw_lft_entries entries;
    must(cw_routes_lft_entries(routes, &entries));
    assert_int_equal(entries.base, S);
    assert_int_equal(entries.rows, 3);
    assert_null(entries.wide);
    for (uint32_t d = A; d <= C; d++)
        for (uint32_t v = S; v <= U; v++)
            assert_int_equal(entries.narrow[d * entries.rows + (v - entries.base)], cw_routes_table_port(routes, v, d));
    must(cw_topology_build("crossbar:300", &star));
    must(cw_engine_route(star, "minhop", 1, 1, &wide));
    must(cw_routes_lft_entries(wide, &entries));
    assert_null(entries.narrow);
    assert_int_equal(entries.wide[299], cw_routes_table_port(wide, 300, 299));
    cw_routes_free(wide);
    cw_network_free(star);
    must(cw_topology_build("torus:3x3", &star));
    must(cw_engine_route(star, "dor", 1, 1, &formula));
    assert_int_equal(cw_routes_lft_entries(formula, &entries), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "routes \"dor\" are not forwarding tables, expected tables");
    cw_routes_free(formula);
    cw_network_free(star);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_walked),
                                       cmocka_unit_test(holes_and_loops_have_names),
                                       cmocka_unit_test(lowest_failure_wins),
                                       cmocka_unit_test(walks_are_reused_and_checked),
                                       cmocka_unit_test(wide_tables_and_rows_of_endpoints),
                                       cmocka_unit_test(longest_route_of_random_tables),
                                       cmocka_unit_test(entries_are_the_tables),
                                       cmocka_unit_test(too_large_tables_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
