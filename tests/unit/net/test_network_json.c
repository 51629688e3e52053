/* Our JSON keeps everything, and refuses what is malformed with the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "net/files/formats_internal.h"

#include "net/network_internal.h"
#include "sample_networks.h"

static void assert_round_trip(struct cw_network *net)
{
    struct cw_text text = {0}, again = {0};
    struct cw_network *read = NULL;
    assert_int_equal(cw_writer_json.write(net, &text), 0);
    assert_true(cw_reader_json.recognises(text.data, text.length));
    if (cw_reader_json.read("file", text.data, text.length, NULL, &read)) fail_msg("%s", cw_error_message());
    if (cw_network_check(read) || !cw_network_equal(net, read)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_writer_json.write(read, &again), 0);
    assert_string_equal(text.data, again.data);
    cw_text_free(&text);
    cw_text_free(&again);
    cw_network_free(read);
    cw_network_free(net);
}

static void test_round_trip(void **state)
{
    (void)state;
    assert_round_trip(sample_fabric());
    assert_round_trip(sample_xgft(3, (uint32_t[]){3, 4, 2}, (uint32_t[]){1, 2, 2}, (uint32_t[]){1, 4, 2}));
    assert_round_trip(sample_torus(&(struct cw_torus){.n = 3, .k = {3, 1, 2}, .wrap = true, .doubled = true}));
    assert_round_trip(sample_torus(&(struct cw_torus){.n = 2, .k = {3, 2}}));
    assert_round_trip(sample_crossbar(70));
    assert_round_trip(sample_finish(cw_builder_new(0, 0, 0)));
    assert_round_trip(sample_finish(cw_builder_new(1, 2, 0)));
}

/* Every capacity comes back exactly, however many digits it takes. */
static void test_exact_numbers(void **state)
{
    (void)state;
    const double values[] = {1.0 / 3, 5e9, 1e300, 1e-300, 0.1, 12345678901234567.0, 4.9406564584124654e-324};
    struct cw_builder *builder = cw_builder_new(1, 1, 7);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cw_builder_cable(builder, 0, 0, 1, 0, values[i], values[6 - i]);
    assert_round_trip(sample_finish(builder));
}

/* The directions of cables may differ, in the file's order of its two vertices. */
static void test_unequal_directions(void **state)
{
    (void)state;
    static const char content[] =
        "{\"version\": 1, \"format\": \"crosswind-network\", \"endpoints\": 1, \"switches\": 1,\n"
        "\"cables\": [[0, 0, 1, 0], [1, 0, 0, 0, 3, 0.25, 4, 0.5], [0, 0, 1, 0, 5e9, 1e-7, 9, 0]]}";
    struct cw_network *net = NULL;
    if (cw_reader_json.read("file", content, sizeof content - 1, NULL, &net)) fail_msg("%s", cw_error_message());
    assert_true(net->capacity[1] == 4 && net->latency[1] == 0.5 && net->tail[1] == 0);
    assert_true(net->capacity[4] == 3 && net->latency[4] == 0.25 && net->tail[4] == 1);
    assert_true(net->capacity[2] == 5e9 && net->capacity[5] == 9);
    assert_round_trip(net);
}

/* The formats that have one capacity for a cable refuse what they would lose. */
static void test_other_formats_refuse_unequal_directions(void **state)
{
    (void)state;
    static const char *const paths[] = {"x.net", "x.dot"};
    struct cw_network *net = sample_crossbar(2);
    net->latency[2] *= 2;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(cw_network_write(net, paths[i]), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), "expected a name that ends in .json"));
    }
    cw_network_free(net);
}

static void test_compact_and_readable(void **state)
{
    (void)state;
    struct cw_network *net = sample_crossbar(3);
    net->capacity[0] = net->capacity[net->twin[0]] = 2.5e9; /* a degraded link */
    struct cw_text text = {0};
    cw_writer_json.write(net, &text);
    assert_non_null(strstr(text.data, "\n    [0, 1, 3, 1, 2500000000, 1e-07],\n    [1, 1, 3, 2],\n    [2, 1, 3, 3]\n"));
    assert_non_null(strstr(text.data, "\"capacity\": 5000000000,"));
    cw_text_free(&text);
    cw_network_free(net);
}

static void test_names_must_be_utf8(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(1, 0, 0);
    cw_builder_name(builder, 0, "k\xf6ln");
    struct cw_network *net = sample_finish(builder);
    struct cw_text text = {0};
    assert_int_equal(cw_writer_json.write(net, &text), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "vertex 0"));
    cw_text_free(&text);
    cw_network_free(net);
}

#define HEAD      "{\"format\": \"crosswind-network\", \"version\": 1"
#define PAIR      HEAD ", \"endpoints\": 2, \"switches\": 1, "
#define ONE_WAY   HEAD ", \"endpoints\": 1, \"switches\": 2, \"cables\": [[0, 0, 1, 0], [1, 0, 2, 0, "
#define DRAGONFLY "\"shape\": {\"kind\": \"dragonfly\", \"p\": 1, \"a\": 1, \"h\": 1, \"g\": 2, "

static void test_by_hand(void **state)
{
    (void)state;
    static const char content[] =
        "\xef\xbb\xbf\n {\"version\": 1, \"format\": \"crosswind-network\",\r\n"
        "\"cables\": [[2, 0, 1, 0], [0, 0, 2, 0, 1, 0.5]], \"switches\": 1, \"endpoints\": 2}";
    struct cw_network *net = NULL;
    assert_true(cw_reader_json.recognises(content, sizeof content - 1));
    if (cw_reader_json.read("file", content, sizeof content - 1, NULL, &net)) fail_msg("%s", cw_error_message());
    assert_int_equal(net->n_endpoints, 2);
    assert_int_equal(net->head[2], 1);
    assert_true(net->capacity[2] == CW_DEFAULT_CAPACITY && net->latency[2] == CW_DEFAULT_LATENCY);
    assert_true(net->capacity[3] == 1 && net->latency[3] == 0.5);
    cw_network_free(net);
}

static void test_other_content_is_not_recognised(void **state)
{
    (void)state;
    static const char *const contents[] = {"",    "{",     "{}",           "{ CA Ports:01",
                                           "[1]", "\"x\"", "# {\"a\": 1}", "\xef\xbb{\"a\": 1}"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        assert_false(cw_reader_json.recognises(contents[i], strlen(contents[i])));
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *content, *words;
    } cases[] = {
        {"{", "file:1: "},
        {"{\n\n\"format\": x}", "file:3: "},
        {"{\"a\": 1,\n\"a\": 2}", "file:2: duplicate"},
        {"{\"capacity\": 1e999}", "file:1: "},
        {"{\"capacity\": NaN}", "file:1: "},
        {"{} {}", "file:1: "},
        {"[]", "no object"},
        {"{}", "this seems to be JSON of another tool: it has no \"format\", expected \"crosswind-network\"; "
               "ibnetdiscover prints the map of an InfiniBand fabric"},
        {"{\"format\": 7}", "\"format\" is 7, expected"},
        {"{\"format\": \"graph\"}", "\"format\" is \"graph\""},
        {"{\"format\": \"crosswind-network\", \"version\": 2}",
         "\"version\" is 2, expected a whole number from 1 to 1"},
        {HEAD ", \"cable\": []}", "unknown key \"cable\", expected one of \"format\""},
        {HEAD "}", "\"endpoints\" is missing"},
        {HEAD ", \"endpoints\": -1, \"switches\": 1}", "\"endpoints\" is -1"},
        {HEAD ", \"endpoints\": 4294967296, \"switches\": 1}", "\"endpoints\" is 4294967296"},
        {HEAD ", \"endpoints\": 1.5, \"switches\": 1}", "\"endpoints\" is 1.5"},
        {HEAD ", \"endpoints\": 4000000000, \"switches\": 0}", "in a file of"},
        {PAIR "\"cables\": 5}", "\"cables\" is 5, expected a list"},
        {PAIR "\"cables\": [[0, 0, 2, 0], [1, 0, 2]]}", "cables[1] is [1,0,2], expected [vertex"},
        {PAIR "\"cables\": [[0, 0, 3, 0]]}", "cables[0] is 3, expected a whole number from 0 to 2"},
        {PAIR "\"cables\": [[0, -1, 2, 0]]}", "cables[0] is -1"},
        {PAIR "\"cables\": [[0, 0, 0, 1]]}", "two different vertices"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 0, 0]]}", "cables[0] is 0, expected a capacity"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 1, -1]]}", "cables[0] is -1, expected a latency"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 1, null]]}", "cables[0] is null, expected a latency"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 1, 0, 1]]}", "once or for each direction"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 1, 0, 0, 0]]}", "cables[0] is 0, expected a capacity"},
        {ONE_WAY "0, 0, 0, 0]]}", "cables[1] is [1,0,2,0,0,0,0,0], expected a capacity in byte/s, more than 0 in one"},
        {ONE_WAY "-1, 0, 1, 0]]}", "cables[1] is -1, expected a capacity in byte/s, more than 0"},
        {ONE_WAY "0, 0]]}", "cables[1] is 0, expected a capacity in byte/s, more than 0"},
        {PAIR "\"capacity\": 0}", "\"capacity\" is 0, expected a capacity in byte/s, more than 0"},
        {PAIR "\"cables\": [[0, 0, 2, 0, 1, 0, 1, -1]]}", "cables[0] is -1, expected a latency"},
        {PAIR "\"capacity\": \"1GB/s\"}", "\"capacity\" is \"1GB/s\", expected a capacity in byte/s"},
        {PAIR "\"latency\": -2}", "\"latency\" is -2, expected"},
        {PAIR "\"cables\": [[0, 1, 2, 7], [1, 1, 2, 7]]}", "port 7 of s0 has two cables"},
        {PAIR "\"names\": [\"a\", \"b\"]}", "\"names\" has 2 items, expected 3"},
        {PAIR "\"names\": [\"a\", \"b\", 3]}", "names[2] is 3, expected a text"},
        {PAIR "\"names\": [\"a\", \"b\", \"a\"]}", "vertices 0 and 2 are both named 'a'"},
        {PAIR "\"identities\": [{}, {}, {}]}", "identities[0].kind is missing"},
        {PAIR "\"identities\": [[], {}, {}]}", "identities[0] is [], expected an object"},
        {PAIR "\"identities\": [{\"kind\": \"nic\"}, {}, {}]}",
         "identities[0].kind is \"nic\", expected one of \"switch\""},
        {PAIR "\"identities\": [{\"kind\": \"host\", \"lid\": -1}, {}, {}]}", "identities[0].lid is -1"},
        {PAIR "\"identities\": [{\"kind\": \"host\", \"Lid\": 1}, {}, {}]}",
         "identities[0] has the unknown key \"Lid\""},
        {PAIR "\"identities\": [{\"kind\": \"host\", \"node_guid\": 5}, {}, {}]}", "identities[0].node_guid is 5"},
        {PAIR "\"identities\": [{\"kind\": \"host\", \"node_guid\": \"0xg\"}, {}, {}]}", "identities[0].node_guid"},
        {PAIR "\"identities\": [{\"kind\": \"switch\"}, {}, {}]}", "vertex 0"},
        {PAIR "\"shape\": []}", "shape.kind"},
        {PAIR "\"shape\": {\"kind\": \"ring\"}}", "shape.kind\" is \"ring\""},
        {PAIR "\"shape\": {\"kind\": \"crossbar\", \"m\": 1}}", "unknown key \"m\""},
        {PAIR "\"shape\": {\"kind\": \"xgft\", \"m\": [], \"w\": [], \"up\": []}}",
         "\"m\" is [], expected a list of 1 to 16"},
        {PAIR "\"shape\": {\"kind\": \"xgft\", \"m\": [2], \"w\": [1, 1], \"up\": [1]}}", "\"w\" is [1,1], expected"},
        {PAIR "\"shape\": {\"kind\": \"xgft\", \"m\": [0], \"w\": [1], \"up\": [1]}}", "m[0] is 0"},
        {PAIR "\"shape\": {\"kind\": \"torus\", \"k\": [2], \"wrap\": 1, \"doubled\": false}}", "\"wrap\" is 1"},
        {PAIR "\"shape\": {\"kind\": \"dragonfly\", \"p\": 1, \"a\": 1, \"h\": 1}}", "\"g\" is missing"},
        {PAIR DRAGONFLY "\"arrangement\": \"palm\"}}", "\"arrangement\" is \"palm\", expected one of \"palmtree\""},
        {PAIR DRAGONFLY "\"seed\": -1}}", "\"seed\" is -1"},
        {PAIR DRAGONFLY "\"shuffle\": 4294967296}}", "\"shuffle\" is 4294967296"},
        {PAIR "\"shape\": {\"kind\": \"torus\", \"k\": [2], \"wrap\": true, \"doubled\": false}}", "shape"},
        {PAIR "\"shape\": {\"kind\": \"crossbar\"}}", "h0 (vertex 0) has other cables"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = NULL;
        const int rc = cw_reader_json.read("file", cases[i].content, strlen(cases[i].content), NULL, &net);
        if (!rc) fail_msg("accepted: %s", cases[i].content);
        assert_null(net);
        if (!strstr(cw_error_message(), cases[i].words))
            fail_msg("%s: '%s' does not say '%s'", cases[i].content, cw_error_message(), cases[i].words);
    }
}

/* Cut anywhere, or with any byte replaced, a file is read or refused, and never more than that. */
static void test_damaged(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_text text = {0};
    assert_int_equal(cw_writer_json.write(net, &text), 0);
    for (size_t length = 0; length + 2 < text.length; length += 7) {
        struct cw_network *read = NULL;
        assert_int_equal(cw_reader_json.read("file", text.data, length, NULL, &read), CW_EPARSE);
    }
    for (size_t i = 0; i < text.length; i += 3) {
        struct cw_network *read = NULL;
        const char saved = text.data[i];
        text.data[i] = "9\"]-"[i % 4];
        if (!cw_reader_json.read("file", text.data, text.length, NULL, &read))
            assert_int_equal(cw_network_check(read), 0);
        cw_network_free(read);
        text.data[i] = saved;
    }
    cw_text_free(&text);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_exact_numbers),
        cmocka_unit_test(test_unequal_directions),
        cmocka_unit_test(test_other_formats_refuse_unequal_directions),
        cmocka_unit_test(test_compact_and_readable),
        cmocka_unit_test(test_names_must_be_utf8),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_other_content_is_not_recognised),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
