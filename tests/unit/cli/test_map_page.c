/* The map in a page: the messages in it, along the routes in it, put on each channel what the page, the result and
 * crosswind congestion say that it carries. */
#include "cli_test.h"

#include "../skip.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "report/page.h"
#include "route/engine.h"
#include "topo/topology.h"

extern const struct verb verb_map, verb_congestion, verb_topo;
const struct verb *const verbs[] = {&verb_map, &verb_congestion, &verb_topo, NULL};

/* The map that the page PATH holds. */
static json_t *map_in(const char *path)
{
    static const char tag[] = "<script type=\"application/json\" class=\"result\">";
    char *page = content_of(path), *at = strstr(page, tag);
    assert_non_null(at);
    json_t *element = json_loads(at + strlen(tag), JSON_DISABLE_EOF_CHECK, NULL);
    json_t *map = json_incref(json_object_get(element, "map"));
    json_decref(element);
    free(page);
    return map;
}

static json_t *map_of(const char *line, const char *path)
{
    struct ran ran = run_line(line);
    if (ran.status != 0) fail_msg("'%s': %s", line, ran.err);
    ran_free(&ran);
    json_t *map = map_in(path);
    if (!map) fail_msg("'%s' makes a page without a map", line);
    return map;
}

static const json_t *member(const json_t *map, const char *part, const char *name)
{
    const json_t *value = json_object_get(json_object_get(map, part), name);
    if (!value) fail_msg("there is no %s.%s", part, name);
    return value;
}

static size_t whole(const json_t *array, size_t i)
{
    assert_true(json_is_integer(json_array_get(array, i)));
    return (size_t)json_integer_value(json_array_get(array, i));
}

static double number(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i)); /* 0 for null */
}

/* --- as web/src/map/network.js reads it --------------------------------------------------------------------------- */

struct walker {
    const json_t *map, *first, *head, *others;
    size_t *row; /* [vertices] + 1; 0: none */
    size_t n;
};

static struct walker walker_of(const json_t *map)
{
    const json_t *rows = member(map, "routes", "rows");
    struct walker walker = {.map = map,
                            .first = member(map, "network", "first"),
                            .head = member(map, "network", "head"),
                            .others = member(map, "routes", "others"),
                            .n = json_array_size(member(map, "network", "names"))};
    walker.row = calloc(walker.n, sizeof *walker.row);
    assert_non_null(walker.row);
    for (size_t i = 0; i < json_array_size(rows); i++) walker.row[whole(rows, i)] = i + 1;
    return walker;
}

/* The channels from SRC to DST; returns how many. */
static size_t walk(const struct walker *walker, size_t src, size_t dst, size_t *path)
{
    const json_t *places = NULL, *table;
    char key[24];
    size_t hops = 0;
    snprintf(key, sizeof key, "%zu", dst);
    table = json_object_get(member(walker->map, "routes", "next"), key);
    for (size_t i = 0; i < json_array_size(walker->others); i++) {
        const json_t *other = json_array_get(walker->others, i);
        if (whole(other, 0) == src && whole(other, 1) == dst) places = other;
    }
    for (size_t v = src; v != dst; v = whole(walker->head, path[hops++])) {
        const size_t row = walker->row[v];
        assert_true(hops < 64);
        path[hops] = whole(walker->first, v) + (places     ? whole(places, 2 + hops)
                                                : row == 0 ? 0
                                                           : whole(table, row - 1));
        assert_true(path[hops] < whole(walker->first, v + 1));
    }
    return hops;
}

/* Adds what the message carries to CARRIED, and checks its route if NET's are known. */
static void send(const struct walker *walker, size_t src, size_t dst, double amount, double *carried,
                 const struct cw_routes *routes)
{
    size_t path[64], hops = walk(walker, src, dst, path);
    for (size_t i = 0; i < hops; i++) carried[path[i]] += amount;
    if (!routes) return;
    uint32_t expected[64], n;
    assert_true(cw_routes_max_hops(routes) <= 64);
    assert_int_equal(
        cw_routes_paths(routes, 1, &(uint32_t){(uint32_t)src}, &(uint32_t){(uint32_t)dst}, &n, expected, NULL), 0);
    assert_int_equal(n, hops);
    for (size_t i = 0; i < hops; i++) assert_int_equal(path[i], expected[i]);
}

/* Sends all messages of MAP; returns how many pairs that are. */
static size_t send_all(const struct walker *walker, double *carried, const struct cw_routes *routes)
{
    const json_t *messages = json_object_get(walker->map, "messages"), *all = json_object_get(messages, "all");
    const json_t *src = json_object_get(messages, "src");
    size_t n = 0;
    for (size_t d = 0; d < json_array_size(all); d++)
        for (size_t s = 0; s < json_array_size(all); s++)
            if (s != d) send(walker, whole(all, s), whole(all, d), 1, carried, routes);
    n = json_array_size(all);
    if (all) return n * (n - 1);
    for (size_t i = 0; i < json_array_size(src); i++)
        send(walker, whole(src, i), whole(json_object_get(messages, "dst"), i),
             number(json_object_get(messages, "amount"), i), carried, routes);
    return json_array_size(src);
}

/* Of each channel of MAP, what its messages put on it is what it says. Returns how many pairs there are. */
static size_t check_messages(const json_t *map, const struct cw_routes *routes)
{
    const json_t *carried = member(map, "network", "carried"), *load = member(map, "network", "load");
    struct walker walker = walker_of(map);
    const size_t n = json_array_size(walker.head);
    double *sum = calloc(n, sizeof *sum);
    assert_non_null(sum);
    assert_int_equal(json_array_size(carried), n);
    assert_int_equal(json_array_size(load), n);
    const size_t pairs = send_all(&walker, sum, routes);
    for (size_t c = 0; c < n; c++) {
        if (fabs(number(carried, c) - sum[c]) > 1e-9 * sum[c])
            fail_msg("channel %zu carries %g, and its messages are %g", c, number(carried, c), sum[c]);
        assert_int_equal(json_is_null(json_array_get(carried, c)), json_is_null(json_array_get(load, c)));
    }
    free(sum);
    free(walker.row);
    return pairs;
}

static struct cw_routes *routes_of(const char *spec, const char *routing, struct cw_network **net)
{
    struct cw_routes *routes;
    assert_int_equal(cw_network_open(spec, net), 0);
    assert_int_equal(cw_engine_route(*net, routing, 1, 1, &routes), 0);
    return routes;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static bool has_pages(void)
{
    if (cw_page_check() == 0) return true;
    check_refused("map torus:4x4 map.html", 1, "was built without what pages consist of");
    skip_because("the program was built without the application of pages");
    return false;
}

/* Routes as tables, by sender, over endpoints with two cables; pairs that are all there can be, and some. */
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *routing, *more;
        size_t pairs;
        bool others;
    } cases[] = {{"xgft:2:4,4:1,2", NULL, "", 16 * 15, false},
                 {"xgft:2:4,4:1,2", "smodk", "", 16 * 15, true},
                 {"dragonfly:2,4,2", NULL, "", 72 * 71, false},
                 {"torus:4x4", "minhop", "--traffic alltoall", 16 * 15, false},
                 {"torus:4x4", NULL, "--traffic shift:3", 16, false},
                 {"torus:4x4", NULL, "--traffic transpose", 12, false},
                 {"jellyfish:12,3,2", NULL, "--traffic permutation --trials 7", 0, false},
                 {"rail:4,4,4,pods=2,spines=2,nvlink=3600Gbit/s@400Gbit/s", NULL, "", 0, false}};
    if (!has_pages()) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net;
        char line[512];
        snprintf(line, sizeof line, "map %s map.html %s%s %s", cases[i].spec, cases[i].routing ? "--routing " : "",
                 cases[i].routing ? cases[i].routing : "", cases[i].more);
        json_t *map = map_of(line, "map.html");
        struct cw_routes *routes = routes_of(cases[i].spec, cases[i].routing, &net);
        const size_t pairs = check_messages(map, routes);
        if (cases[i].pairs > 0) assert_int_equal(pairs, cases[i].pairs);
        if (!cases[i].others) assert_int_equal(json_array_size(member(map, "routes", "others")), 0);
        if (cases[i].others) assert_int_not_equal(json_array_size(member(map, "routes", "others")), 0);
        assert_null(json_object_get(map, "left_out"));
        json_decref(map);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* As many messages as an all-to-all of their receivers has, but from others. */
static void test_no_all_to_all(void **state)
{
    (void)state;
    if (!has_pages()) return;
    write_text("some.csv", "3,0,8\n4,0,8\n3,1,8\n4,1,8\n3,2,8\n4,2,8\n");
    json_t *map = map_of("map torus:4x4 map.html --traffic matrix:some.csv", "map.html");
    assert_int_equal(check_messages(map, NULL), 6);
    assert_null(json_object_get(json_object_get(map, "messages"), "all"));
    json_decref(map);
}

/* Channel ids, ports, boxes and capacities are the network's; loads are those of the table. */
static void test_network(void **state)
{
    (void)state;
    const char *spec = "rail:4,4,4,pods=2,spines=2,nvlink=3600Gbit/s@400Gbit/s";
    struct cw_network *net;
    char line[256];
    if (!has_pages()) return;
    snprintf(line, sizeof line, "map %s map.svg --html map.html --traffic shift:5 --top 100000", spec);
    struct ran ran = result_of(line);
    json_t *map = map_in("map.html");
    assert_int_equal(cw_network_open(spec, &net), 0);
    assert_int_equal(json_integer_value(member(map, "network", "endpoints")), net->n_endpoints);
    assert_int_equal(rows_of(&ran, "busiest"), net->n_channels);
    for (size_t i = 0; i < rows_of(&ran, "busiest"); i++) {
        const size_t c = (size_t)json_integer_value(cell(&ran, "busiest", i, "channel"));
        const size_t tail = net->tail[c], head = whole(member(map, "network", "head"), c);
        check_text(&ran, "busiest", i, "tail",
                   json_string_value(json_array_get(member(map, "network", "names"), tail)));
        check_text(&ran, "busiest", i, "head",
                   json_string_value(json_array_get(member(map, "network", "names"), head)));
        check_int(&ran, "busiest", i, "tail_port", (int64_t)whole(member(map, "network", "port"), c));
        check_real(&ran, "busiest", i, "load", number(member(map, "network", "load"), c));
        check_real(&ran, "busiest", i, "messages", number(member(map, "network", "carried"), c));
        const size_t speed = whole(member(map, "network", "speed"), c);
        check_text(&ran, "busiest", i, "speed",
                   json_string_value(json_array_get(member(map, "network", "speeds"), speed)));
        check_real(&ran, "busiest", i, "capacity", number(member(map, "network", "capacities"), speed));
        assert_int_equal(whole(member(map, "network", "twin"), c), net->twin[c]);
    }
    for (uint32_t v = 0; v <= net->n_vertices; v++)
        assert_int_equal(whole(member(map, "network", "first"), v), net->first[v]);
    const json_t *boxes = member(map, "drawing", "boxes");
    for (size_t i = 0; i < json_array_size(boxes); i++) {
        int64_t inside = 0;
        for (uint32_t v = 0; v < net->n_vertices; v++) inside += whole(member(map, "network", "box"), v) == i;
        const json_t *box = json_array_get(boxes, i);
        assert_int_equal(inside, json_integer_value(json_object_get(box, "endpoints")) +
                                     json_integer_value(json_object_get(box, "switches")));
    }
    json_decref(map);
    cw_network_free(net);
    ran_free(&ran);
}

/* Messages of different sizes: bytes and seconds. */
static void test_bytes(void **state)
{
    (void)state;
    if (!has_pages()) return;
    write_text("sizes.csv", "0,2,16\n1,0,8\n");
    json_t *map = map_of("map xgft:2:2,2:1,1 map.html --traffic matrix:sizes.csv", "map.html");
    assert_string_equal(json_string_value(json_object_get(map, "unit")), "s");
    assert_string_equal(json_string_value(json_object_get(map, "carries")), "bytes");
    assert_int_equal(check_messages(map, NULL), 2);
    assert_true(number(member(map, "network", "carried"), 0) == 16);
    assert_true(fabs(number(member(map, "network", "load"), 0) - 16 / 5e9) < 1e-18);
    json_decref(map);
}

/* The network is the whole one; what has failed carries null, and routes go around it. */
static void test_faults(void **state)
{
    (void)state;
    struct cw_network *net;
    if (!has_pages()) return;
    json_t *map = map_of("map xgft:2:4,4:1,2 map.html --failed s2.0,s1.0-h1 --degraded s1.2-s2.1=8Gbit/s", "map.html");
    assert_int_equal(check_messages(map, NULL), 15 * 14);
    assert_int_equal(cw_network_open("xgft:2:4,4:1,2", &net), 0);
    size_t failed = 0, slow = json_array_size(member(map, "network", "slow"));
    for (uint32_t c = 0; c < net->n_channels; c++) {
        char name[256];
        cw_network_channel_name(net, c, name, sizeof name);
        const bool gone = strstr(name, "s2.0") || strncmp(name, "h1/", 3) == 0 || strstr(name, ">h1/");
        assert_int_equal(json_is_null(json_array_get(member(map, "network", "load"), c)), gone);
        failed += gone;
        assert_string_equal(json_string_value(json_array_get(member(map, "network", "speeds"),
                                                             whole(member(map, "network", "speed"), c))),
                            strstr(name, "s1.2") && strstr(name, "s2.1") ? "8 Gbit/s" : "40 Gbit/s");
    }
    assert_int_equal(failed, 2 * 5);
    assert_int_equal(slow, 2);
    json_decref(map);
    map = map_of("map torus:4x4 map.html --routing minhop --failed 's(0,0)>s(1,0)'", "map.html"); /* one direction */
    assert_int_equal(check_messages(map, NULL), 16 * 15);
    for (size_t c = failed = 0; c < json_array_size(member(map, "network", "load")); c++)
        failed += json_is_null(json_array_get(member(map, "network", "load"), c));
    assert_int_equal(failed, 1);
    json_decref(map);
    cw_network_free(net);
}

/* What the page of crosswind congestion has is what its table says, over its trials. */
static void test_congestion(void **state)
{
    (void)state;
    if (!has_pages()) return;
    struct ran ran =
        result_of("congestion torus:4x4 --traffic permutation --trials 6 --ranks 12 --top 100000 --html page.html");
    json_t *map = map_in("page.html");
    check_messages(map, NULL);
    for (size_t i = 0; i < rows_of(&ran, "hottest"); i++) {
        const size_t c = (size_t)json_integer_value(cell(&ran, "hottest", i, "channel"));
        assert_true(fabs(number(member(map, "network", "carried"), c) -
                         json_number_value(cell(&ran, "hottest", i, "messages")) / 6) < 1e-9);
    }
    json_decref(map);
    ran_free(&ran);
    map = map_of("congestion rail:4,4,4,pods=2,spines=2,nvlink=3600Gbit/s@400Gbit/s --traffic shift:1 --equal-speeds "
                 "--html page.html",
                 "page.html");
    assert_true(json_equal(member(map, "network", "load"), member(map, "network", "carried")));
    json_decref(map);
    struct ran topo = run_line("topo torus:4x4 --html page.html");
    assert_int_equal(topo.status, 0);
    assert_null(map_in("page.html"));
    ran_free(&topo);
}

/* Where messages have no one route, or are too many, a sentence says so, in the page and in the result. */
static void test_left_out(void **state)
{
    (void)state;
    static const char *const lines[][2] = {{"map torus:4x4 map.svg --html map.html --routing spray", "several ways"},
                                           {"map crossbar:2200 map.svg --html map.html", "more pairs"}};
    if (!has_pages()) return;
    for (size_t i = 0; i < 2; i++) {
        struct ran ran = result_of(lines[i][0]);
        check_note(&ran, lines[i][1]);
        json_t *map = map_in("map.html");
        assert_non_null(strstr(json_string_value(json_object_get(map, "left_out")), lines[i][1]));
        assert_null(json_object_get(map, "messages"));
        assert_null(json_object_get(map, "routes"));
        json_decref(map);
        ran_free(&ran);
    }
}

/* The page has the loads of the other state by channel of the whole network, as the table has them. */
static void test_against(void **state)
{
    (void)state;
    if (!has_pages()) return;
    struct ran ran = result_of("map xgft:2:4,4:1,2 map.svg --html map.html --failed s1.0-s2.0 --degraded "
                               "s1.2-s2.1=8Gbit/s --against failed:s2.0 --top 1000");
    json_t *map = map_in("map.html");
    const json_t *before = member(map, "network", "before"), *load = member(map, "network", "load");
    const json_t *names = member(map, "network", "names"), *first = member(map, "network", "first");
    size_t found = 0, changed = 0;
    assert_string_equal(json_string_value(member(map, "drawing", "against")), "the network without s2.0");
    for (size_t v = 0; v + 1 < json_array_size(first); v++)
        for (size_t c = whole(first, v); c < whole(first, v + 1); c++) {
            changed += fabs(number(load, c) - number(before, c)) > 1e-9;
            assert_int_equal(json_is_null(json_array_get(before, c)), json_is_null(json_array_get(load, c)));
            for (size_t i = 0; i < rows_of(&ran, "changes"); i++) {
                if (strcmp(json_string_value(cell(&ran, "changes", i, "tail")),
                           json_string_value(json_array_get(names, v))) ||
                    json_integer_value(cell(&ran, "changes", i, "tail_port")) !=
                        (json_int_t)whole(member(map, "network", "port"), c))
                    continue;
                check_real(&ran, "changes", i, "load", number(load, c));
                check_real(&ran, "changes", i, "load_before", number(before, c));
                found++;
            }
        }
    assert_int_equal(found, changed);
    assert_int_equal(found, rows_of(&ran, "changes"));
    assert_true(found > 10);
    json_decref(map);
    ran_free(&ran);
    map = map_of("congestion torus:4x4 --html page.html", "page.html");
    assert_null(json_object_get(json_object_get(map, "network"), "before"));
    assert_null(json_object_get(json_object_get(map, "drawing"), "against"));
    json_decref(map);
}

/* A page is no picture that is written twice, and comes out the same on any number of threads. */
static void test_files(void **state)
{
    (void)state;
    char *bytes[2];
    if (!has_pages()) return;
    for (int i = 0; i < 2; i++) {
        char line[128];
        snprintf(line, sizeof line, "map dragonfly:2,4,2 map.html --traffic permutation --threads %d", 1 + 2 * i);
        struct ran ran = run_line(line);
        assert_int_equal(ran.status, 0);
        bytes[i] = content_of("map.html");
        ran_free(&ran);
    }
    assert_string_equal(bytes[0], bytes[1]);
    free(bytes[0]);
    free(bytes[1]);
    check_refused("map torus:4x4 same.html --html same.html", 2, "would write the same file");
    check_refused("map torus:4x4 nowhere/map.html", 1, "nowhere");
    check_refused("map torus:4x4 none.html --traffic shfit:1", 2, "did you mean");
    assert_int_not_equal(access("none.html", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages), cmocka_unit_test(test_no_all_to_all), cmocka_unit_test(test_network),
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_faults),        cmocka_unit_test(test_congestion),
        cmocka_unit_test(test_left_out), cmocka_unit_test(test_against),       cmocka_unit_test(test_files)};
    const int failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
    return failed ? failed : case_skipped ? SKIPPED_STATUS : 0;
}
