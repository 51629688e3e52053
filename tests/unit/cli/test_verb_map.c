/* crosswind map: loads are those of congestion and route, to the digit; what failed and what is slow is drawn. */
#include "cli_test.h"
#include "net/network_internal.h"

#include "net/files/formats.h"
#include "route/check.h"
#include "route/engine.h"
#include "sim/load.h"
#include "topo/topology.h"

extern const struct verb verb_map, verb_congestion, verb_route;
const struct verb *const verbs[] = {&verb_map, &verb_congestion, &verb_route, NULL};

static struct ran map_of(const char *line, json_t **map)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "map %s", line);
    struct ran ran = result_of(whole);
    if (map) {
        *map = json_load_file("map.json", 0, NULL);
        assert_non_null(*map);
    }
    return ran;
}

/* Of all lines of MAP, by name of a cable's channel from a to b: the line, or NULL. */
static const json_t *line_with(const json_t *map, const char *channel)
{
    const json_t *lines = json_object_get(map, "lines");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i), *channels = json_object_get(line, "channels");
        for (size_t k = 0; k < json_array_size(channels); k++)
            if (strcmp(json_string_value(json_array_get(channels, k)), channel) == 0) return line;
    }
    return NULL;
}

/* The load of a line is that of the busier direction of its busiest cable, LOAD by channel of NET; of a box, that of
 * what is within. */
static void check_loads(const json_t *map, const struct cw_network *net, const double *load)
{
    double most = 0;
    size_t cables = 0;
    const json_t *lines = json_object_get(map, "lines");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i), *channels = json_object_get(line, "channels");
        double expected = 0;
        for (size_t k = 0; k < json_array_size(channels); k++, cables++) {
            char name[1024];
            uint32_t c = 0;
            while (strcmp(cw_network_channel_name(net, c, name, sizeof name),
                          json_string_value(json_array_get(channels, k))) != 0)
                c++;
            expected = fmax(expected, fmax(load[c], load[net->twin[c]]));
        }
        assert_true(fabs(json_number_value(json_object_get(line, "load")) - expected) <= 1e-9 * expected);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) most = fmax(most, load[c]);
    assert_true(fabs(json_number_value(json_object_get(map, "greatest_load")) - most) <= 1e-9 * most);
    assert_int_not_equal(cables, 0);
}

/* --traffic: what `congestion --channels` counts in all rounds and trials. */
static void check_traffic(const char *spec, const char *traffic, unsigned trials)
{
    char line[512];
    json_t *map;
    snprintf(line, sizeof line, "%s map.json --traffic %s --trials %u --top 100000", spec, traffic, trials);
    struct ran ran = map_of(line, &map);
    snprintf(line, sizeof line, "congestion %s --traffic %s --trials %u --top 100000", spec, traffic, trials);
    struct ran counted = result_of(line);
    struct cw_network *net;
    double *slowness;
    assert_int_equal(cw_network_open(spec, &net), 0);
    assert_int_equal(cw_load_slowness(net, &slowness), 0);
    double *load = calloc(net->n_channels, sizeof *load);
    assert_non_null(load);
    for (size_t i = 0; i < rows_of(&counted, "hottest"); i++) {
        const json_int_t c = json_integer_value(cell(&counted, "hottest", i, "channel"));
        load[c] = json_number_value(cell(&counted, "hottest", i, "messages")) / trials * (slowness ? slowness[c] : 1);
    }
    assert_int_equal(rows_of(&ran, "busiest"), net->n_channels);
    for (size_t i = 0; i < rows_of(&ran, "busiest"); i++) {
        check_real(&ran, "busiest", i, "load", load[json_integer_value(cell(&ran, "busiest", i, "channel"))]);
        if (i > 0)
            assert_true(json_number_value(cell(&ran, "busiest", i, "load")) <=
                        json_number_value(cell(&ran, "busiest", i - 1, "load")));
    }
    check_loads(map, net, load);
    json_decref(map);
    free(load);
    free(slowness);
    cw_network_free(net);
    ran_free(&ran);
    ran_free(&counted);
}

static void test_traffic(void **state)
{
    (void)state;
    check_traffic("xgft:2:4,4:1,2", "shift:4", 1);
    check_traffic("torus:4x4", "permutation", 7);
    check_traffic("rail:4,4,4,pods=2,spines=2,nvlink=3600Gbit/s@400Gbit/s", "alltoall", 1); /* speeds differ */
}

/* Without: one message of each pair, which is also the pattern alltoall in all its rounds. */
static void test_all_pairs(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,4:1,2", "torus:4x4",        "dragonfly:2,4,2",
                                        "xgft:2:4,4:2,2", "jellyfish:12,3,2", "torus:4x4 --routing spray"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char line[512];
        json_t *map, *other;
        snprintf(line, sizeof line, "%s map.json --top 100000", specs[i]);
        struct ran ran = map_of(line, &map);
        snprintf(line, sizeof line, "%s map.json --top 100000 --traffic alltoall", specs[i]);
        struct ran counted = map_of(line, &other);
        assert_true(rows_of(&ran, "busiest") > 0);
        assert_int_equal(rows_of(&ran, "busiest"), rows_of(&counted, "busiest"));
        for (size_t k = 0; k < rows_of(&ran, "busiest"); k++) {
            check_int(&ran, "busiest", k, "channel", json_integer_value(cell(&counted, "busiest", k, "channel")));
            check_real(&ran, "busiest", k, "load", json_number_value(cell(&counted, "busiest", k, "load")));
        }
        assert_true(json_equal(json_object_get(map, "lines"), json_object_get(other, "lines")));
        assert_true(json_equal(json_object_get(map, "boxes"), json_object_get(other, "boxes")));
        json_decref(map);
        json_decref(other);
        ran_free(&ran);
        ran_free(&counted);
    }
}

/* Bytes: 16 of them over 5e9 byte/s. */
static void test_bytes(void **state)
{
    (void)state;
    json_t *map;
    write_text("sizes.csv", "0,2,16\n1,0,8\n");
    struct ran ran = map_of("xgft:2:2,2:1,1 map.json --traffic matrix:sizes.csv --top 1", &map);
    check_real(&ran, "busiest", 0, "bytes", 16);
    check_real(&ran, "busiest", 0, "load", 16 / 5e9);
    assert_true(fabs(json_number_value(json_object_get(map, "greatest_load")) - 16 / 5e9) < 1e-18);
    json_decref(map);
    ran_free(&ran);
}

/* What failed is drawn where it was, with the loads of what is left; a slow cable has its mark. */
static void test_faults(void **state)
{
    (void)state;
    json_t *map;
    struct ran ran = map_of("xgft:2:4,4:1,2 map.json --failed s2.1,s1.0-h1 --degraded s1.2-s2.0=8Gbit/s", &map);
    check_int(&ran, "map", 0, "switches", 6);
    check_int(&ran, "map", 0, "endpoints", 16);
    check_int(&ran, "map", 0, "cables", 24);
    check_int(&ran, "map", 0, "failed", 5);
    check_int(&ran, "map", 0, "slow", 1);
    const json_t *line = line_with(map, "h1/1>s1.0/2");
    if (!line) line = line_with(map, "s1.0/2>h1/1");
    assert_string_equal(json_string_value(json_object_get(line, "state")), "failed");
    assert_true(json_is_null(json_object_get(line, "load")));
    assert_non_null(strstr(json_string_value(json_object_get(line, "label")), "failed: "));
    line = line_with(map, "s1.2/5>s2.0/3");
    assert_string_equal(json_string_value(json_object_get(line, "state")), "slow");
    assert_true(json_number_value(json_object_get(line, "capacity")) == 1e9);
    /* four of leaf 2 send to the eleven elsewhere that are left, over a fifth of the speed */
    assert_true(fabs(json_number_value(json_object_get(line, "load")) - 4 * 11 * 5) < 1e-9);
    line = line_with(map, "s1.3/5>s2.0/4");
    assert_string_equal(json_string_value(json_object_get(line, "state")), "whole");
    const json_t *boxes = json_object_get(map, "boxes");
    size_t failed = 0;
    for (size_t i = 0; i < json_array_size(boxes); i++)
        failed += strcmp(json_string_value(json_object_get(json_array_get(boxes, i), "state")), "failed") == 0;
    assert_int_equal(failed, 1);
    json_decref(map);
    ran_free(&ran);
    /* one direction is enough */
    ran = map_of("torus:4x4 map.json --routing minhop --failed 's(0,0)>s(1,0)'", &map);
    check_int(&ran, "map", 0, "failed", 1);
    json_decref(map);
    ran_free(&ran);
}

/* Names are text, whatever they are. */
static void test_names(void **state)
{
    (void)state;
    char content[512];
    snprintf(
        content, sizeof content,
        "vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x10\nswitchguid=0x10(10)\nSwitch 4 \"S-0000000000000010\" # \"sw "
        "<1> & 'x' %s\" enhanced port 0 lid 1 lmc 0\n[1] \"H-0000000000000020\"[1](21) # \"a<b>\" lid 2 4xQDR\n[2] "
        "\"H-0000000000000030\"[1](31) # \"a&b\" lid 3 4xQDR\n",
        "]]>");
    write_text("map.ibnetdiscover", content);
    struct ran ran = map_of("map.ibnetdiscover map.svg", NULL);
    char *svg = content_of("map.svg");
    assert_non_null(strstr(svg, "sw &lt;1&gt; &amp; 'x' ]]&gt;"));
    assert_non_null(strstr(svg, "a&lt;b&gt;"));
    assert_null(strstr(svg, "<1>"));
    assert_null(strstr(svg, "<b>"));
    free(svg);
    ran_free(&ran);
}

/* What all names have in common is left out, and of several switches what their names share. */
static void test_labels(void **state)
{
    (void)state;
    json_t *map;
    struct ran ran = map_of("xgft:2:4,100:1,4 map.json", &map);
    const json_t *boxes = json_object_get(map, "boxes");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(boxes); i++) {
        const char *label = json_string_value(json_object_get(json_array_get(boxes, i), "label"));
        const char *name = json_string_value(json_object_get(json_array_get(boxes, i), "name"));
        found += strcmp(label, "s1.4…7") == 0 && strcmp(name, "4 switches: s1.4, s1.5, s1.6, s1.7") == 0;
        found += strcmp(label, "s2.3") == 0 && strcmp(name, "s2.3") == 0;
        found += strcmp(label, "16 endpoints") == 0;
    }
    assert_int_equal(found, 1 + 1 + 25);
    json_decref(map);
    ran_free(&ran);
    ran = map_of("dragonfly:2,12,8,g=60 map.json", &map); /* 720 switches: two groups are one box */
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(map, "boxes"), 1), "label")),
                        "groups 2…3");
    json_decref(map);
    ran_free(&ran);
    write_text("names.edges", "# crosswind edge list\nx.n1.y x.leaf1.y\nx.n2.y x.leaf2.y\nx.leaf1.y x.leaf2.y\n");
    ran = map_of("names.edges map.json", &map);
    boxes = json_object_get(map, "boxes");
    found = 0;
    for (size_t i = 0; i < json_array_size(boxes); i++)
        found += strcmp(json_string_value(json_object_get(json_array_get(boxes, i), "label")), "leaf1") == 0;
    assert_int_equal(found, 1);
    json_decref(map);
    ran_free(&ran);
}

/* --- --against ---------------------------------------------------------------------------------------------------- */

/* The row of TABLE for the channel of row I of OTHER's table BUSIEST or CHANGES, or -1. */
static int row_like(const struct ran *ran, const char *table, const struct ran *other, const char *theirs, size_t i)
{
    static const char *const columns[] = {"tail", "tail_port", "head", "head_port"};
    for (size_t k = 0; k < rows_of(ran, table); k++) {
        bool same = true;
        for (size_t j = 0; j < 4 && same; j++)
            same = json_equal(cell(ran, table, k, columns[j]), cell(other, theirs, i, columns[j]));
        if (same) return (int)k;
    }
    return -1;
}

static double load_in(const struct ran *ran, const char *column, int row)
{
    return row < 0 ? 0 : json_number_value(cell(ran, "busiest", (size_t)row, column));
}

static struct ran loads_of(const char *network, const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "%s map.json --top 100000 %s", network, options);
    return map_of(line, NULL);
}

/* What is drawn of RAN is the change of most size of each line's channels. */
static void check_changes_drawn(const json_t *map, const struct ran *ran)
{
    size_t drawn = 0;
    double most = 0;
    for (size_t i = 0; i < rows_of(ran, "changes"); i++) {
        char there[256], back[256];
        snprintf(there, sizeof there, "%s/%lld>%s/%lld", json_string_value(cell(ran, "changes", i, "tail")),
                 json_integer_value(cell(ran, "changes", i, "tail_port")),
                 json_string_value(cell(ran, "changes", i, "head")),
                 json_integer_value(cell(ran, "changes", i, "head_port")));
        snprintf(back, sizeof back, "%s/%lld>%s/%lld", json_string_value(cell(ran, "changes", i, "head")),
                 json_integer_value(cell(ran, "changes", i, "head_port")),
                 json_string_value(cell(ran, "changes", i, "tail")),
                 json_integer_value(cell(ran, "changes", i, "tail_port")));
        const double change = json_number_value(cell(ran, "changes", i, "change"));
        const json_t *line = line_with(map, there);
        if (!line) line = line_with(map, back);
        most = fmax(most, fabs(change));
        if (!line) continue; /* within a box */
        const double shown = json_number_value(json_object_get(line, "load"));
        assert_true(fabs(shown) >= fabs(change) * (1 - 1e-9));
        drawn += fabs(shown - change) <= 1e-9 * fabs(change);
    }
    assert_true(drawn > 0 || rows_of(ran, "changes") == 0);
    assert_true(fabs(json_number_value(json_object_get(map, "greatest_load")) - most) <= 1e-9 * most);
}

/* --against is what two maps say, one less the other. */
static void check_against(const char *network, const char *now, const char *against, const char *then)
{
    char line[512];
    json_t *map;
    struct ran is = loads_of(network, now), was = loads_of(network, then);
    snprintf(line, sizeof line, "%s map.json --top 100000 %s --against %s", network, now, against);
    struct ran ran = map_of(line, &map);
    size_t changed = 0;
    double size = INFINITY;
    for (size_t i = 0; i < rows_of(&is, "busiest"); i++)
        changed += fabs(load_in(&is, "load", (int)i) -
                        load_in(&was, "load", row_like(&was, "busiest", &is, "busiest", i))) > 1e-7;
    assert_int_equal(rows_of(&ran, "changes"), changed);
    if (changed == 0) fail_msg("%s %s --against %s changes nothing", network, now, against);
    for (size_t i = 0; i < changed; i++) {
        const int here = row_like(&is, "busiest", &ran, "changes", i),
                  there = row_like(&was, "busiest", &ran, "changes", i);
        const double load = load_in(&is, "load", here), before = load_in(&was, "load", there);
        assert_true(here >= 0);
        check_real(&ran, "changes", i, "load", load);
        check_real(&ran, "changes", i, "load_before", before);
        check_real(&ran, "changes", i, "messages", load_in(&is, "messages", here));
        const double change = json_number_value(cell(&ran, "changes", i, "change"));
        assert_true(fabs(change - (load - before)) < 1e-7);
        assert_true(fabs(change) <= size * (1 + 1e-9));
        size = fabs(change);
    }
    check_changes_drawn(map, &ran);
    assert_non_null(json_object_get(map, "against"));
    assert_false(has_table(&ran, "busiest"));
    json_decref(map);
    ran_free(&is);
    ran_free(&was);
    ran_free(&ran);
}

static void test_against(void **state)
{
    (void)state;
    check_against("xgft:2:4,4:1,2", "--failed s2.1", "whole", "");
    check_against("xgft:2:4,4:1,2", "", "failed:s2.1", "--failed s2.1");
    check_against("xgft:2:4,4:1,2", "--failed s2.1", "failed:s2.0", "--failed s2.0");
    check_against("torus:4x4", "--degraded 's(0,0)-s(1,0)=10Gbit/s'", "whole", "");
    check_against("torus:4x4", "--routing minhop --traffic transpose", "routing:updn",
                  "--routing updn --traffic transpose");
    check_against("jellyfish:12,3,2", "--traffic permutation --trials 3 --routing spray", "routing:minhop",
                  "--traffic permutation --trials 3 --routing minhop");
    struct ran ran = run_line("route xgft:2:4,4:1,2 --routing random-minimal --write was.lfts");
    assert_int_equal(ran.status, 0);
    ran_free(&ran);
    check_against("xgft:2:4,4:1,2", "--tables", "lft:was.lfts", "--lft was.lfts");
    check_against("xgft:2:4,4:1,2", "--lft was.lfts --repair minhop --failed s2.1", "whole", "--lft was.lfts");
    check_against("xgft:2:4,4:1,2", "--lft was.lfts --repair minhop --failed s1.0-s2.1", "routing:dmodk",
                  "--routing dmodk --failed s1.0-s2.1");
}

/* By hand: h0, the only one of 80 Gbit/s, has failed in the other state, whose loads count in cables of 40 by
 * themselves, and in those of 80 beside these. */
static void test_against_unit(void **state)
{
    (void)state;
    write_text("fast.edges", "# crosswind edge list\nh0 s0 80Gbit/s\nh1 s0 40Gbit/s\nh2 s0 40Gbit/s\n");
    json_t *map;
    struct ran ran = map_of("fast.edges map.json --against failed:h0 --top 100", &map);
    assert_int_equal(rows_of(&ran, "changes"), 6);
    for (size_t i = 0; i < 6; i++) {
        const bool fast = strcmp(json_string_value(cell(&ran, "changes", i, "tail")), "h0") == 0 ||
                          strcmp(json_string_value(cell(&ran, "changes", i, "head")), "h0") == 0;
        check_real(&ran, "changes", i, "load", fast ? 2 : 4);
        check_real(&ran, "changes", i, "load_before", fast ? 0 : 2);
        check_real(&ran, "changes", i, "change", 2);
    }
    check_note(&ran,
               "Of 6 channels, 6 have more load than with the network without h0, 0 less. The greatest load is 4; "
               "there, on the same channels, it is 2.");
    check_note(&ran, "The other state: Failed: ");
    json_decref(map);
    ran_free(&ran);
    write_text("sizes.csv", "0,2,16\n1,0,8\n");
    ran = map_of("fast.edges map.json --traffic matrix:sizes.csv --degraded h2-s0=8Gbit/s --against whole", &map);
    check_real(&ran, "changes", 0, "load_before", 16 / 5e9);
    check_real(&ran, "changes", 0, "change", 16 / 1e9 - 16 / 5e9);
    assert_int_equal(rows_of(&ran, "changes"), 1);
    const json_t *line = line_with(map, "h2/1>s0/3");
    if (!line) line = line_with(map, "s0/3>h2/1");
    assert_non_null(strstr(json_string_value(json_object_get(line, "label")), "s0/3>h2/1, +12.8 ns (3.2 ns → 16 ns)"));
    json_decref(map);
    ran_free(&ran);
}

static void test_against_refusals(void **state)
{
    (void)state;
    check_refused("map torus:4x4 map.svg --against whole", 2, "--against whole is for --failed and --degraded");
    check_refused("map torus:4x4 map.svg --against whle --failed 5%", 2, "did you mean 'whole'");
    check_refused("map torus:4x4 map.svg --against whole:x --failed 5%", 2, "expected whole, failed:ITEM");
    check_refused("map torus:4x4 map.svg --against failed:", 2, "expected whole, failed:ITEM");
    check_refused("map torus:4x4 map.svg --against routing", 2, "expected whole, failed:ITEM");
    check_refused("map torus:4x4 map.svg --against ''", 2, "expected whole, failed:ITEM");
    check_refused("map torus:4x4 map.svg --against routing:doro", 2, "did you mean");
    check_refused("map torus:4x4 map.svg --against 'failed:s(9,9)'", 2, "there is no 's(9,9)'");
    check_refused("map torus:4x4 map.svg --against lft:nowhere.lfts", 1, "nowhere.lfts");
    check_refused("map - map.svg --against failed:s2.1", 2, "a second look at -");
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "3"};
    char *bytes[2];
    for (int i = 0; i < 2; i++) {
        char line[128];
        snprintf(line, sizeof line,
                 "map dragonfly:2,4,2 map.svg --traffic permutation --against failed:5%% --threads %s", threads[i]);
        struct ran ran = run_line(line);
        assert_int_equal(ran.status, 0);
        bytes[i] = content_of("map.svg");
        ran_free(&ran);
    }
    assert_string_equal(bytes[0], bytes[1]);
    free(bytes[0]);
    free(bytes[1]);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refused("map torus:4x4 map.png", 2, "NAME.svg, NAME.html or NAME.json");
    check_refused("map torus:4x4", 2, "FILE");
    check_refused("map torus:4x4 map.svg --trials 3", 2, "--trials is for --traffic");
    check_refused("map torus:4x4 map.svg --placement random", 2, "--placement is for --traffic");
    check_refused("map torus:4x4 map.svg --traffic shfit:1", 2, "did you mean");
    check_refused("map - map.svg --failed s2.1", 2, "a second look at -");
    check_refused("map torus:4x4 map.svg --failed 's(9,9)'", 2, "there is no 's(9,9)'");
    check_refused("map torus:4x4 /nowhere/map.svg", 1, "/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traffic), cmocka_unit_test(test_all_pairs),    cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_faults),  cmocka_unit_test(test_names),        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_against), cmocka_unit_test(test_against_unit), cmocka_unit_test(test_against_refusals),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
