/* What topo, route and diff show, against networks whose every cable is made here and routes that are walked here. */
#include "cli_test.h"

#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "topo/topology.h"

extern const struct verb verb_topo, verb_route, verb_diff;
const struct verb *const verbs[] = {&verb_topo, &verb_route, &verb_diff, NULL};

/* --- networks ----------------------------------------------------------------------------------------------------- */

/* Leaves and spines; each leaf has two hosts. What is different about it. */
struct tree {
    uint32_t leaves, spines;
    uint32_t slow_leaf, slow_spine;       /* whose cable has a quarter of the speed; UINT32_MAX: none */
    uint32_t missing_leaf, missing_spine; /* that are not joined */
    bool extra_host;                      /* of the last leaf */
    bool moved;                           /* host 0 is at the last leaf */
};

#define NO_TREE_FAULT .slow_leaf = UINT32_MAX, .missing_leaf = UINT32_MAX

static void write_tree(const char *path, struct tree is)
{
    const uint32_t hosts = 2 * is.leaves + is.extra_host, first_spine = hosts + is.leaves;
    struct cw_builder *builder = cw_builder_new(hosts, is.leaves + is.spines, hosts + is.leaves * is.spines);
    struct cw_network *net;
    char name[32];
    for (uint32_t h = 0; h < hosts; h++) {
        const uint32_t leaf = (is.moved && h == 0) || h / 2 >= is.leaves ? is.leaves - 1 : h / 2;
        snprintf(name, sizeof name, "host%u", h);
        cw_builder_name(builder, h, name);
        cw_builder_cable(builder, h, 1, hosts + leaf, h < 2 * is.leaves && !(is.moved && h == 0) ? 1 + h % 2 : 60, 5e9,
                         1e-7);
    }
    for (uint32_t leaf = 0; leaf < is.leaves; leaf++) {
        snprintf(name, sizeof name, "leaf%u", leaf);
        cw_builder_name(builder, hosts + leaf, name);
        for (uint32_t spine = 0; spine < is.spines; spine++) {
            const bool slow = leaf == is.slow_leaf && spine == is.slow_spine;
            if (leaf == is.missing_leaf && spine == is.missing_spine) continue;
            cw_builder_cable(builder, hosts + leaf, 10 + spine, first_spine + spine, 1 + leaf, slow ? 1.25e9 : 5e9,
                             2e-7);
        }
    }
    for (uint32_t spine = 0; spine < is.spines; spine++) {
        snprintf(name, sizeof name, "spine%u", spine);
        cw_builder_name(builder, first_spine + spine, name);
    }
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_network_write(net, path), 0);
    cw_network_free(net);
}

/* --- topo --------------------------------------------------------------------------------------------------------- */

/* By hand: of the 16 endpoints of four leaves, each has 3 on its own leaf, and 12 on others; rings of 4x4 switches. */
static void test_topo_figures(void **state)
{
    (void)state;
    struct ran ran = result_of("topo xgft:2:4,4:1,2");
    assert_int_equal(rows_of(&ran, "distances"), 2);
    check_int(&ran, "distances", 0, "distance", 2);
    check_int(&ran, "distances", 0, "pairs", 16 * 3);
    check_real(&ran, "distances", 0, "share", 3 / 15.0);
    check_int(&ran, "distances", 1, "distance", 4);
    check_int(&ran, "distances", 1, "pairs", 16 * 12);
    const json_t *figures = json_object_get(ran.json, "figures");
    assert_int_equal(json_array_size(figures), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(figures, 1), "table")), "levels");
    ran_free(&ran);
    ran = result_of("topo torus:4x4"); /* 4, 6, 4 and 1 of 15 switches are 1 to 4 cables away */
    static const int pairs[] = {16 * 4, 16 * 6, 16 * 4, 16};
    assert_int_equal(rows_of(&ran, "distances"), 4);
    for (size_t i = 0; i < 4; i++) {
        check_int(&ran, "distances", i, "distance", (int64_t)i + 3);
        check_int(&ran, "distances", i, "pairs", pairs[i]);
    }
    ran_free(&ran);
    ran = result_of("topo torus:4x4 --failed 's(0,0)'"); /* of who cannot be reached there is no distance */
    double share = 0;
    for (size_t i = 0; i < rows_of(&ran, "distances"); i++)
        share += json_number_value(cell(&ran, "distances", i, "share"));
    assert_true(fabs(share - 1) < 1e-9);
    ran_free(&ran);
    struct ran text = run_line("topo torus:4x4");
    assert_null(strstr(text.out, "Distances between"));
    ran_free(&text);
}

static void test_topo(void **state)
{
    (void)state;
    write_tree("tree.json", (struct tree){.leaves = 4, .spines = 3, NO_TREE_FAULT});
    struct ran ran = result_of("topo tree.json");
    check_text(&ran, "topology", 0, "network", "tree.json");
    check_int(&ran, "topology", 0, "endpoints", 8);
    check_int(&ran, "topology", 0, "switches", 7);
    check_int(&ran, "topology", 0, "cables", 8 + 12);
    check_int(&ran, "topology", 0, "channels", 40);
    check_int(&ran, "topology", 0, "diameter", 4);
    check_real(&ran, "topology", 0, "mean_distance", (2 + 6 * 4) / 7.0); /* one neighbour and six others */
    assert_int_equal(rows_of(&ran, "kinds"), 3); /* spines with 4 cables, leaves with 5, hosts */
    const char *const kinds[] = {"switch", "switch", "host"};
    const int64_t used[] = {4, 5, 1}, count[] = {3, 4, 8};
    for (size_t i = 0; i < 3; i++) {
        check_text(&ran, "kinds", i, "kind", kinds[i]);
        check_int(&ran, "kinds", i, "ports_used", used[i]);
        check_int(&ran, "kinds", i, "count", count[i]);
        check_text(&ran, "kinds", i, "ports", NULL); /* which only a fabric's own file knows */
    }
    assert_int_equal(rows_of(&ran, "cables"), 2);
    check_text(&ran, "cables", 0, "from", "endpoint");
    check_int(&ran, "cables", 0, "cables", 8);
    check_real(&ran, "cables", 0, "latency", 1e-7);
    check_text(&ran, "cables", 1, "from", "switch");
    check_int(&ran, "cables", 1, "cables", 12);
    check_real(&ran, "cables", 1, "capacity", 5e9);
    check_real(&ran, "connectivity", 0, "bisection_channels", 4); /* two leaves' hosts */
    check_real(&ran, "connectivity", 0, "bisection_capacity", 2e10);
    check_int(&ran, "connectivity", 0, "components", 1);
    check_int(&ran, "connectivity", 0, "unreachable_pairs", 0);
    assert_false(has_table(&ran, "odd_cables"));
    ran_free(&ran);
}

static void test_slow_cable(void **state)
{
    (void)state;
    write_tree("slow.json",
               (struct tree){.leaves = 5, .spines = 4, .slow_leaf = 2, .slow_spine = 1, .missing_leaf = UINT32_MAX});
    struct ran ran = result_of("topo slow.json");
    assert_int_equal(rows_of(&ran, "cables"), 3); /* endpoints; slow ones first */
    check_real(&ran, "cables", 1, "capacity", 1.25e9);
    check_int(&ran, "cables", 1, "cables", 1);
    check_int(&ran, "cables", 2, "cables", 19);
    assert_int_equal(rows_of(&ran, "odd_cables"), 1);
    check_text(&ran, "odd_cables", 0, "fault", "slow");
    check_text(&ran, "odd_cables", 0, "from", "leaf2");
    check_int(&ran, "odd_cables", 0, "from_port", 11);
    check_text(&ran, "odd_cables", 0, "to", "spine1");
    check_int(&ran, "odd_cables", 0, "to_port", 3);
    check_real(&ran, "odd_cables", 0, "capacity", 1.25e9);
    check_real(&ran, "odd_cables", 0, "usual_capacity", 5e9);
    check_note(&ran, "1 cable is slower than most.");
    ran_free(&ran);
}

/* A fabric's file knows how many ports there are: two of a switch's three are in use. */
static void test_ports(void **state)
{
    (void)state;
    write_text("map.ibnetdiscover", "switchguid=0xa0(a0)\n"
                                    "Switch 3 \"S-00000000000000a0\" # \"leaf\" base port 0 lid 1 lmc 0\n"
                                    "[1] \"H-00000000000000b0\"[1](b1) # \"one HCA-1\" lid 2 4xQDR\n"
                                    "[2] \"H-00000000000000c0\"[2](c1) # \"two HCA-1\" lid 3 4xQDR\n\n"
                                    "caguid=0xb0\nCa 1 \"H-00000000000000b0\" # \"one HCA-1\"\n"
                                    "[1](b1) \"S-00000000000000a0\"[1] # lid 2 lmc 0 \"leaf\" lid 1 4xQDR\n\n"
                                    "caguid=0xc0\nCa 2 \"H-00000000000000c0\" # \"two HCA-1\"\n"
                                    "[2](c1) \"S-00000000000000a0\"[2] # lid 3 lmc 0 \"leaf\" lid 1 4xQDR\n");
    static const int64_t used[] = {2, 1, 1}, ports[] = {3, 1, 2};
    struct ran ran = result_of("topo map.ibnetdiscover");
    assert_int_equal(rows_of(&ran, "kinds"), 3);
    for (size_t i = 0; i < 3; i++) {
        check_text(&ran, "kinds", i, "kind", i == 0 ? "switch" : "host");
        check_int(&ran, "kinds", i, "ports_used", used[i]);
        check_int(&ran, "kinds", i, "ports", ports[i]);
        check_int(&ran, "kinds", i, "count", 1);
    }
    ran_free(&ran);
}

/* Parts that nothing joins: two crossbars of three and two hosts. */
static void test_parts(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(5, 2, 5);
    struct cw_network *net;
    for (uint32_t h = 0; h < 5; h++) cw_builder_cable(builder, h, 1, 5 + h / 3, 0, 5e9, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_network_write(net, "parts.json"), 0);
    cw_network_free(net);
    struct ran ran = result_of("topo parts.json");
    check_int(&ran, "connectivity", 0, "components", 2);
    check_int(&ran, "connectivity", 0, "unreachable_pairs", 2 * 3 * 2);
    check_note(&ran, "The network has 2 parts with no cable between them.");
    ran_free(&ran);
}

/* --- route -------------------------------------------------------------------------------------------------------- */

/* Walks all pairs. */
struct counted {
    uint64_t hops, of_length[16];
    uint32_t longest;
    double *load; /* [channels] */
};

static struct counted count_routes(const struct cw_routes *routes)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct counted out = {.load = calloc(net->n_channels, sizeof(double))};
    assert_non_null(out.load);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            struct cw_walk walk = {0};
            struct cw_hop hop;
            uint32_t hops = 0;
            if (src == dst) continue;
            assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
            for (; cw_walk_candidates(&walk, &hop, 1) == 1; hops++) {
                out.load[hop.channel]++;
                cw_walk_take(&walk, hop);
            }
            assert_int_equal(walk.vertex, dst);
            cw_walk_end(&walk);
            out.hops += hops;
            out.of_length[hops]++;
            if (hops > out.longest) out.longest = hops;
        }
    return out;
}

static void check_route(const char *topology, const char *routing, const char *verdict)
{
    struct cw_network *net;
    struct cw_routes *routes;
    char line[200], name[200];
    assert_int_equal(cw_topology_build(topology, &net), 0);
    assert_int_equal(cw_engine_route(net, routing, 1, 1, &routes), 0);
    struct counted right = count_routes(routes);
    const uint64_t n = net->n_endpoints, pairs = n * (n - 1);
    double sum = 0, most = 0, squares = 0;
    uint32_t between = 0, busiest = CW_NONE;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < n || net->head[c] < n) continue;
        between++;
        sum += right.load[c];
        squares += right.load[c] * right.load[c];
        if (right.load[c] > most) busiest = c;
        most = fmax(most, right.load[c]);
    }
    snprintf(line, sizeof line, "route %s --routing %s", topology, routing);
    struct ran ran = result_of(line);
    check_int(&ran, "routes", 0, "pairs", (int64_t)pairs);
    check_int(&ran, "routes", 0, "reached", (int64_t)pairs);
    check_int(&ran, "routes", 0, "holes", 0);
    check_int(&ran, "routes", 0, "loops", 0);
    check_real(&ran, "routes", 0, "hops_mean", (double)right.hops / (double)pairs);
    check_int(&ran, "routes", 0, "hops_max", right.longest);
    check_int(&ran, "routes", 0, "lanes", cw_routes_lanes(routes));
    check_text(&ran, "routes", 0, "deadlock_free", verdict);
    check_real(&ran, "balance", 0, "routes_mean", sum / between);
    check_real(&ran, "balance", 0, "routes_max", most);
    check_real(&ran, "balance", 0, "routes_deviation", sqrt(squares / between - sum / between * (sum / between)));
    check_text(&ran, "balance", 0, "busiest", cw_network_channel_name(net, busiest, name, sizeof name));
    for (uint32_t hops = 0, row = 0; hops < 16; hops++) {
        if (right.of_length[hops] == 0) continue;
        check_int(&ran, "lengths", row, "hops", hops);
        check_int(&ran, "lengths", row++, "routes", (int64_t)right.of_length[hops]);
    }
    if (has_table(&ran, "bounds")) {
        check_real(&ran, "bounds", 0, "routes_max", most);
        assert_true(json_number_value(cell(&ran, "bounds", 0, "bound")) <= most);
        assert_true(json_number_value(cell(&ran, "bounds", 0, "multipath_bound")) <=
                    json_number_value(cell(&ran, "bounds", 0, "bound")));
    }
    ran_free(&ran);
    free(right.load);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_route(void **state)
{
    (void)state;
    check_route("torus:5x4", "dor", "yes");
    check_route("torus:6", "minhop", "no");
    check_route("xgft:2:4,4:1,2", "dmodk", "yes");
    check_route("xgft:2:3,4:1,3", "minhop", "yes");
    for (size_t some = 0; some < 2; some++) {
        struct ran ran = result_of(some ? "route torus:5 --endpoints h0,h1,h2" : "route torus:5");
        assert_int_equal(notes_with(&ran, "The deadlock check covers the routes between all endpoints"), some);
        ran_free(&ran);
    }
}

/* No way of routing a ring puts fewer than ⌈half its hops⌉ on a cable: of six hosts 0 + 1 + 2 + 3 + 2 + 1 hops each, in
 * two directions. */
static void test_bounds(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:6 --routing min-max-load");
    check_real(&ran, "bounds", 0, "routes_max", 5);
    check_real(&ran, "bounds", 0, "multipath_bound", 6 * 9 / 12.0);
    check_int(&ran, "bounds", 0, "bound", 5);
    check_note(&ran,
               "Not deadlock-free: each of these channels can wait for the next, and the last for the first:\n  ");
    ran_free(&ran);
}

/* One route, hop by hop. */
static void test_one_route(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:5 --routing dor --from h0 --to h2");
    const char *const from[] = {"h0", "s(0)", "s(1)", "s(2)"}, *const to[] = {"s(0)", "s(1)", "s(2)", "h2"};
    assert_int_equal(rows_of(&ran, "route"), 4);
    for (size_t i = 0; i < 4; i++) {
        check_int(&ran, "route", i, "hop", (int64_t)i + 1);
        check_text(&ran, "route", i, "from", from[i]);
        check_text(&ran, "route", i, "to", to[i]);
        check_int(&ran, "route", i, "port", i == 0 || i == 3 ? 1 : 2);
        check_int(&ran, "route", i, "to_port", i == 0 || i == 3 ? 1 : 3);
    }
    ran_free(&ran);
    check_refused("route torus:5 --from h0", 2, "--from and --to must be given together");
    check_refused("route torus:5 --from h0 --to 's(1)'", 2, "--to s(1) is not an endpoint of torus:5");
    check_refused("route torus:5 --from h0 --to h9", 2, "--to h9 is not an endpoint of torus:5");
    check_refused("route torus:5 --from h0 --to h1 --max-pairs 3", 2, "applies to the check of all routes");
}

/* The traffic on the busiest channel, for which routes are made: all three send through one cable whatever they do. */
static void test_traffic(void **state)
{
    (void)state;
    write_text("matrix.csv", "0 2 700\n1 2 200\n1 3 90\n");
    write_tree("two.json", (struct tree){.leaves = 2, .spines = 1, NO_TREE_FAULT});
    struct ran ran = result_of("route two.json --routing min-max-load --traffic matrix:matrix.csv");
    check_int(&ran, "traffic", 0, "bytes_max", 990);
    check_int(&ran, "traffic", 0, "bound", 990);
    check_real(&ran, "traffic", 0, "multipath_bound", 990);
    check_text(&ran, "traffic", 0, "busiest", "leaf0/10>spine0/1");
    ran_free(&ran);
    write_text("near.csv", "0 2 700\n1 2 200\n1 3 90\n1 0 5000\n"); /* hosts' own cables do not count */
    ran = result_of("route two.json --routing min-max-load --traffic matrix:near.csv");
    check_int(&ran, "traffic", 0, "bytes_max", 990);
    check_text(&ran, "traffic", 0, "busiest", "leaf0/10>spine0/1");
    ran_free(&ran);
    write_tree("three.json", (struct tree){.leaves = 2, .spines = 3, NO_TREE_FAULT});
    ran = result_of("route three.json --routing min-max-load --traffic matrix:matrix.csv");
    check_int(&ran, "traffic", 0, "bytes_max", 900); /* what one host gets goes one way from a leaf */
    check_int(&ran, "traffic", 0, "bound", 900);
    check_real(&ran, "traffic", 0, "multipath_bound", 330);
    ran_free(&ran);
    check_refused("route two.json --traffic matrix:matrix.csv", 2,
                  "--traffic is for a --routing that looks at traffic");
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

/* A spine that fails leaves nobody alone; a leaf cuts its two hosts off: 8 hosts have 56 pairs, 6 have 30. */
static void test_faults(void **state)
{
    (void)state;
    write_tree("tree.json", (struct tree){.leaves = 4, .spines = 2, NO_TREE_FAULT});
    struct ran ran = result_of("route tree.json --failed spine1");
    check_int(&ran, "routes", 0, "pairs", 56);
    check_int(&ran, "routes", 0, "reached", 56);
    check_note(&ran, "Failed: switch spine1.");
    ran_free(&ran);
    ran = run_line("route tree.json --failed leaf3 --format json --threads 1");
    assert_int_equal(ran.status, 1); /* pairs without a route are what route looks for */
    check_int(&ran, "routes", 0, "pairs", 56);
    check_int(&ran, "routes", 0, "reached", 30);
    check_int(&ran, "routes", 0, "holes", 26);
    check_note(&ran, "2 of 8 endpoints have no path to the other 6, whatever the routes: host6, host7.");
    check_note(&ran, "The routes leave 26 pairs unconnected: ");
    ran_free(&ran);
    ran = result_of("route tree.json --failed 'leaf0/10,leaf1/11'");
    check_note(&ran, "Failed: leaf0/10-spine0/1, leaf1/11-spine1/2.");
    check_int(&ran, "routes", 0, "hops_max", 6); /* leaf0 to leaf1 by another leaf */
    ran_free(&ran);
    ran = result_of("topo tree.json --degraded leaf0/10=10Gbit/s");
    check_real(&ran, "cables", 1, "capacity", 1.25e9);
    ran_free(&ran);
}

/* --- diff --------------------------------------------------------------------------------------------------------- */

static int64_t changed(const struct ran *ran, size_t row, const char *column)
{
    return json_integer_value(cell(ran, "changes", row, column));
}

static void check_changes(const struct ran *ran, size_t row, const char *what, const int64_t right[4])
{
    check_text(ran, "changes", row, "what", what);
    check_int(ran, "changes", row, "before", right[0]);
    check_int(ran, "changes", row, "after", right[1]);
    check_int(ran, "changes", row, "came", right[2]);
    check_int(ran, "changes", row, "went", right[3]);
}

static void test_same(void **state)
{
    (void)state;
    struct ran ran = result_of("diff torus:4x4");
    for (size_t row = 0; row < 5; row++) {
        assert_int_equal(changed(&ran, row, "before"), changed(&ran, row, "after"));
        assert_int_equal(changed(&ran, row, "came") + changed(&ran, row, "went") + changed(&ran, row, "changed"), 0);
    }
    assert_int_equal(rows_of(&ran, "parts") + rows_of(&ran, "switches") + rows_of(&ran, "destinations"), 0);
    assert_int_equal(rows_of(&ran, "channels"), 0);
    assert_int_equal(rows_of(&ran, "routes"), 2);
    ran_free(&ran);
}

/* A cable is gone, another slower, a host came and one moved. */
static void test_diff(void **state)
{
    (void)state;
    write_tree("before.json", (struct tree){.leaves = 4, .spines = 2, NO_TREE_FAULT});
    write_tree("after.json", (struct tree){.leaves = 4,
                                           .spines = 2,
                                           .slow_leaf = 1,
                                           .slow_spine = 0,
                                           .missing_leaf = 2,
                                           .missing_spine = 1,
                                           .extra_host = true});
    struct ran ran = result_of("diff before.json after.json --routing minhop");
    check_changes(&ran, 0, "switches", (int64_t[]){6, 6, 0, 0});
    check_changes(&ran, 1, "endpoints", (int64_t[]){8, 9, 1, 0});
    check_changes(&ran, 2, "cables", (int64_t[]){16, 16, 1, 1});
    check_int(&ran, "changes", 2, "changed", 1);
    check_changes(&ran, 4, "pairs", (int64_t[]){56, 56, 0, 0});
    assert_int_equal(rows_of(&ran, "parts"), 3);
    check_text(&ran, "parts", 0, "part", "endpoint");
    check_text(&ran, "parts", 0, "change", "came");
    check_text(&ran, "parts", 0, "name", "host8");
    check_text(&ran, "parts", 0, "before", NULL);
    check_text(&ran, "parts", 0, "after", "leaf3/60");
    check_text(&ran, "parts", 1, "part", "cable");
    check_text(&ran, "parts", 1, "change", "went");
    check_text(&ran, "parts", 1, "name", "leaf2/11>spine1/3");
    check_text(&ran, "parts", 1, "before", "40 Gbit/s");
    check_text(&ran, "parts", 1, "after", NULL);
    check_text(&ran, "parts", 2, "change", "speed");
    check_text(&ran, "parts", 2, "name", "leaf1/10>spine0/2");
    check_text(&ran, "parts", 2, "before", "40 Gbit/s");
    check_text(&ran, "parts", 2, "after", "10 Gbit/s");
    ran_free(&ran);
    ran = result_of("diff after.json before.json --routing minhop"); /* the other way round */
    check_changes(&ran, 1, "endpoints", (int64_t[]){9, 8, 0, 1});
    check_changes(&ran, 2, "cables", (int64_t[]){16, 16, 1, 1});
    check_text(&ran, "parts", 0, "change", "went");
    check_text(&ran, "parts", 0, "before", "leaf3/60");
    ran_free(&ran);
    write_tree("moved.json", (struct tree){.leaves = 4, .spines = 2, NO_TREE_FAULT, .moved = true});
    ran = result_of("diff before.json moved.json --routing minhop");
    assert_int_equal(rows_of(&ran, "parts"), 3); /* with its cable, which went and came */
    check_text(&ran, "parts", 0, "change", "moved");
    check_text(&ran, "parts", 0, "name", "host0");
    check_text(&ran, "parts", 0, "before", "leaf0/1");
    check_text(&ran, "parts", 0, "after", "leaf3/60");
    check_text(&ran, "parts", 1, "name", "host0/1>leaf0/1");
    check_text(&ran, "parts", 2, "name", "host0/1>leaf3/60");
    ran_free(&ran);
}

/* Loads of routes, walked before and after; the greatest difference first. */
static void test_more_routes(void **state)
{
    (void)state;
    struct ran ran = run_line("diff torus:4x4 --failed 's(0,0)/2' --format json --threads 1");
    assert_non_null(ran.json);
    for (size_t i = 0; i < rows_of(&ran, "channels"); i++) {
        const int64_t before = json_integer_value(cell(&ran, "channels", i, "before")),
                      after = json_integer_value(cell(&ran, "channels", i, "after")),
                      more = json_integer_value(cell(&ran, "channels", i, "more"));
        assert_true(after - before == more && more > 0);
        if (i > 0) assert_true(more <= json_integer_value(cell(&ran, "channels", i - 1, "more")));
    }
    assert_true(rows_of(&ran, "channels") > 0);
    int64_t entries = 0, moved = 0;
    for (size_t i = 0; i < rows_of(&ran, "switches"); i++)
        entries += json_integer_value(cell(&ran, "switches", i, "entries"));
    for (size_t i = 0; i < rows_of(&ran, "destinations"); i++)
        moved += json_integer_value(cell(&ran, "destinations", i, "moved"));
    assert_int_equal(changed(&ran, 0, "changed"), rows_of(&ran, "switches"));
    assert_int_equal(changed(&ran, 1, "changed"), rows_of(&ran, "destinations"));
    assert_int_equal(entries, changed(&ran, 3, "changed") + changed(&ran, 3, "came") + changed(&ran, 3, "went"));
    assert_int_equal(moved, changed(&ran, 4, "changed"));
    check_text(&ran, "routes", 0, "when", "before");
    check_text(&ran, "routes", 1, "when", "after");
    ran_free(&ran);
}

/* Each switch and each destination that has changed, by its name and once, the most first. A cable of leaf2 is gone. */
static void test_named(void **state)
{
    (void)state;
    const char *const tables[] = {"switches", "destinations"}, *const columns[] = {"switch", "destination"};
    const char *const names[][2] = {{"leaf2 ", "spine1 "}, {"host4 ", "host5 "}};
    write_tree("before.json", (struct tree){.leaves = 4, .spines = 2, NO_TREE_FAULT});
    struct ran ran = result_of("diff before.json --routing minhop --failed leaf2/11");
    for (size_t t = 0; t < 2; t++) {
        char all[400] = "";
        for (size_t i = 0; i < rows_of(&ran, tables[t]); i++) {
            const char *name = json_string_value(cell(&ran, tables[t], i, columns[t]));
            assert_true(t == 0 ? !strncmp(name, "leaf", 4) || !strncmp(name, "spine", 5) : !strncmp(name, "host", 4));
            assert_null(strstr(all, name));
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", name);
            if (t == 0 && i > 0)
                assert_true(json_integer_value(cell(&ran, tables[t], i, "entries")) <=
                            json_integer_value(cell(&ran, tables[t], i - 1, "entries")));
        }
        for (size_t i = 0; i < 2; i++)
            if (!strstr(all, names[t][i])) fail_msg("%s are without %s", all, names[t][i]);
    }
    ran_free(&ran);
}

/* Who loses its way is harm. */
static void test_harm(void **state)
{
    (void)state;
    write_tree("before.json", (struct tree){.leaves = 3, .spines = 1, NO_TREE_FAULT});
    struct ran ran = run_line("diff before.json --failed leaf2/10 --format json --threads 1");
    assert_int_equal(ran.status, 1);
    check_int(&ran, "changes", 4, "before", 30);
    check_int(&ran, "changes", 4, "after", 14);
    check_int(&ran, "changes", 4, "went", 16);
    check_note(&ran, "16 pairs lost connection, 4 of them to host4.");
    assert_int_equal(rows_of(&ran, "destinations"), 6);
    check_text(&ran, "destinations", 0, "destination", "host4");
    check_int(&ran, "destinations", 0, "lost", 4);
    check_int(&ran, "destinations", 5, "lost", 2);
    ran_free(&ran);
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static void check_missing(const struct ran *ran, size_t row, const char *what, const char *from, const char *to,
                          int64_t missing, int64_t there)
{
    check_text(ran, "missing", row, "what", what);
    check_text(ran, "missing", row, "from", from);
    check_text(ran, "missing", row, "to", to);
    check_int(ran, "missing", row, "missing", missing);
    check_int(ran, "missing", row, "there", there);
}

/* What a torus lacks, switch by switch; of two cables between a pair one, or both. */
static void test_shape(void **state)
{
    (void)state;
    struct ran ran = result_of("topo torus:4x4 --failed 's(0,0)-s(1,0),s(3,3)-s(3,0),s(2,2)'");
    assert_int_equal(rows_of(&ran, "missing"), 3);
    check_missing(&ran, 0, "cable", "s(0,0)", "s(1,0)", 1, 0);
    check_missing(&ran, 1, "cable", "s(3,0)", "s(3,3)", 1, 0);
    check_missing(&ran, 2, "switch", "s(2,2)", NULL, 5, 0); /* four neighbours and a host */
    check_note(&ran, "Unless told otherwise, it is routed by dor.");
    ran_free(&ran);
    ran = result_of("topo xgft(2,4,2) --failed s2.0/1,s1.0/19,s2.0/3,s1.3-s2.1"); /* six cables a pair */
    assert_int_equal(rows_of(&ran, "missing"), 2);
    check_missing(&ran, 0, "cable", "s1.0", "s2.0", 3, 3);
    check_missing(&ran, 1, "cable", "s1.3", "s2.1", 6, 0);
    ran_free(&ran);
    ran = result_of("topo torus:4x4 --failed h3"); /* of hosts there is no row */
    assert_int_equal(has_table(&ran, "missing") ? rows_of(&ran, "missing") : 0, 0);
    check_note(&ran, "without 1 of 16 hosts");
    ran_free(&ran);
    ran = result_of("topo torus:4x4");
    assert_false(has_table(&ran, "missing"));
    assert_int_equal(notes_with(&ran, "Shape: "), 0); /* who asked for a torus knows */
    ran_free(&ran);
    write_tree("tree.json", (struct tree){.leaves = 4, .spines = 3, NO_TREE_FAULT});
    ran = result_of("topo tree.json");
    assert_false(has_table(&ran, "missing"));
    check_note(&ran, "Unless told otherwise, it is routed by ");
    ran_free(&ran);
}

/* --- several LIDs ------------------------------------------------------------------------------------------------- */

/* A row for each LID, as its own routes reach; none if there is but one. */
static void test_lids(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_selection *all;
    assert_int_equal(cw_topology_build("xgft:2:4,4:1,4", &net), 0);
    assert_int_equal(cw_selection_new(net, "all", &all), 0);
    for (uint32_t lmc = 0; lmc < 3; lmc++) {
        char line[100], spec[20];
        struct cw_routes *routes;
        snprintf(spec, sizeof spec, "minhop:lmc=%u", lmc);
        snprintf(line, sizeof line, "route xgft:2:4,4:1,4 --routing %s", spec);
        struct ran ran = result_of(line);
        assert_int_equal(cw_engine_route(net, spec, 1, 1, &routes), 0);
        assert_int_equal(cw_routes_lids(routes), 1 << lmc);
        assert_int_equal(has_table(&ran, "lids"), lmc > 0);
        for (uint32_t i = 0; lmc > 0 && i < 1u << lmc; i++) {
            struct cw_reach reach;
            assert_int_equal(cw_routes_reach(cw_routes_to_lid(routes, i), all, 0, 1, &reach), 0);
            check_int(&ran, "lids", i, "path_bits", i);
            check_int(&ran, "lids", i, "reached", (int64_t)reach.reached);
            check_int(&ran, "lids", i, "holes", 0);
            check_int(&ran, "lids", i, "loops", 0);
            check_int(&ran, "lids", i, "minimal", 16 * 15);
            check_real(&ran, "lids", i, "hops_mean", reach.hops_mean);
            check_int(&ran, "lids", i, "hops_max", 4);
            check_real(&ran, "lids", i, "routes_max", reach.load_max);
            cw_reach_free(&reach);
        }
        if (lmc > 0) assert_int_equal(rows_of(&ran, "lids"), 1 << lmc);
        assert_int_equal(notes_with(&ran, "The deadlock check covers the routes to all LIDs together."), lmc > 0);
        cw_routes_free(routes);
        ran_free(&ran);
    }
    cw_selection_free(all);
    cw_network_free(net);
    check_refused("diff nowhere.json torus:4x4", 1, "nowhere.json");
    check_refused("diff torus:4x4 nowhere.json", 1, "nowhere.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topo),        cmocka_unit_test(test_topo_figures), cmocka_unit_test(test_slow_cable),
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_ports),        cmocka_unit_test(test_route),
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_one_route),    cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_same),         cmocka_unit_test(test_diff),
        cmocka_unit_test(test_more_routes), cmocka_unit_test(test_named),        cmocka_unit_test(test_harm),
        cmocka_unit_test(test_shape),       cmocka_unit_test(test_lids),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
