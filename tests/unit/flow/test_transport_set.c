/* Sets of parameters of the simulated transport, by name and from files. */
#include "transport_test.h"

#include <string.h>

#include "base/error.h"

/* Every set can be used, and no two kinds of machine have the same. */
static void sets_run(void **state)
{
    (void)state;
    struct sketch *sketch = row(3, 8 * MIB);
    double seconds[16];
    size_t n = 0;
    for (; cw_transport_sets[n]; n++) {
        const struct cw_transport_set *set = cw_transport_sets[n];
        struct cw_transport transport = {0};
        must(cw_transport_get(set->name, &transport, NULL));
        assert_true(transport.chunk_bytes == set->transport.chunk_bytes);
        assert_ptr_equal(cw_transport_set_find(set->name), set);
        seconds[n] = run(sketch, &transport).seconds;
        for (size_t i = 0; i < n; i++) assert_true(seconds[i] != seconds[n]);
    }
    assert_true(n >= 3);
    sketch_free(sketch);
}

static void expect_set_for(const char *network, const char *name)
{
    struct sketch *sketch = sketch_new(network);
    sketch_demand(sketch, 0, 1, 1);
    sketch_begin(sketch);
    const struct cw_transport_set *set = cw_transport_set_for(&sketch->problem);
    assert_string_equal(set->name, name);
    sketch_free(sketch);
}

static void sets_know_their_networks(void **state)
{
    (void)state;
    expect_set_for("bgq:512", "bgq");
    expect_set_for("bgq:1024,merge2", "bgq");
    expect_set_for("torus:2x4x4x4x4", "bgq"); /* the same */
    expect_set_for("torus:4x4x4", "ideal");
    expect_set_for("torus:4x4x4x4x2", "ideal");
    expect_set_for("hypercube:5", "ideal");
    expect_set_for("mesh:2x4x4x4x4", "ideal");
    expect_set_for("xgft:2:4,4:1,2", "ideal");
    expect_set_for("rail:2,2,2", "gpu-host");
}

/* --- files -------------------------------------------------------------------------------------------------------- */

#define HEAD "{\"format\": \"crosswind-transport\", \"version\": 1, "

static int parse(const char *text, struct cw_transport *out)
{
    return cw_transport_parse("t.json", text, strlen(text), out);
}

static void files_say_every_parameter(void **state)
{
    (void)state;
    struct cw_transport transport;
    must(parse(HEAD
               "\"about\": \"a test\", \"chunk\": \"64KiB\", \"credits\": 3, \"order\": \"forward\", "
               "\"cut-through\": true, \"chunk-overhead\": \"2us\", \"copy\": \"10GB/s\", \"node-copy\": \"7GB/s\", "
               "\"hop-latency\": 1e-6, \"list-search\": \"12ns\", \"injection\": \"40Gbit/s\", "
               "\"reception\": \"8Gbit/s\", \"efficiency\": 0.5, "
               "\"inside-latency\": \"3us\", \"nic-latency\": \"14us\", \"inside-efficiency\": 0.75, "
               "\"whole-messages\": true, "
               "\"adaptive\": true, \"message-rate\": \"3GB/s\"}",
               &transport));
    assert_true(transport.chunk_bytes == 65536 && transport.credits == 3 && transport.order == CW_ORDER_FORWARD_FIRST);
    assert_true(transport.cut_through && transport.messages.whole);
    assert_near(transport.chunk_overhead, 2e-6);
    assert_near(transport.copy, 10e9);
    assert_near(transport.node_copy, 7e9);
    assert_near(transport.hop_latency, 1e-6);
    assert_near(transport.inside_latency, 3e-6);
    assert_near(transport.nic_latency, 14e-6);
    assert_near(transport.inside_efficiency, 0.75);
    assert_near(transport.list_search, 12e-9);
    assert_near(transport.injection, 5e9);
    assert_near(transport.reception, 1e9);
    assert_near(transport.messages.rate, 3e9);
    assert_true(transport.messages.adaptive);
    assert_near(transport.efficiency, 0.5);
}

static void what_is_not_said_costs_nothing(void **state)
{
    (void)state;
    struct cw_transport transport;
    must(parse(HEAD "\"chunk\": 1000, \"credits\": 4, \"efficiency\": 1}", &transport));
    const struct cw_transport expected = plain();
    struct sketch *sketch = row(3, 5000);
    assert_near(run(sketch, &transport).seconds, run(sketch, &expected).seconds);
    sketch_free(sketch);
}

static void refuses(const char *text, const char *message)
{
    struct cw_transport transport;
    assert_int_equal(parse(text, &transport), CW_EPARSE);
    assert_string_equal(cw_error_message(), message);
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    refuses("[]", "t.json: no transport; expected an object with \"format\": \"crosswind-transport\"");
    refuses("{\"format\": \"crosswind-transport\"}", "t.json: the version is not known; expected \"version\": 1");
    refuses(HEAD "\"chunk\": 1, \"credits\": 1}",
            "t.json: efficiency is missing; expected it: share of a channel's capacity that payload gets");
    refuses(HEAD "\"chunk\": 1, \"credits\": null, \"efficiency\": 1}",
            "t.json: credits is not a value; expected a number, true or false, or text such as \"64KiB\"");
    refuses(HEAD "\"chunk\": 1, \"credits\": -1, \"efficiency\": 1}",
            "option 'credits' of t.json: -1 is out of range; expected 1 to 1000000000");
}

/* Behind a colon exactly the parameters that are named are replaced; a file may have a colon in its name. */
static void parameters_are_replaced(void **state)
{
    (void)state;
    const struct cw_transport bgq = cw_transport_set_find("bgq")->transport;
    struct cw_transport transport = bgq;
    uint32_t given = 77;
    must(cw_transport_get("bgq:copy=2GB/s,cut-through,credits=7", &transport, NULL));
    assert_true(transport.copy == 2e9 && transport.cut_through && transport.credits == 7);
    transport.copy = bgq.copy;
    transport.cut_through = bgq.cut_through;
    transport.credits = bgq.credits;
    transport.pieces = bgq.pieces;
    assert_memory_equal(&transport, &bgq, sizeof bgq);
    must(cw_transport_get("auto:chunk=3kB", &transport, &given));
    assert_int_equal(given, 1);
    assert_true(transport.chunk_bytes == 3000 && transport.pieces == bgq.pieces);
    assert_string_equal(cw_transport_parameters("a:b/c.json:order=forward"), "order=forward");
    assert_null(cw_transport_parameters("a:b/c.json"));
    assert_string_equal(cw_transport_parameters("none:x"), "x");
    static const struct {
        const char *spec, *message;
    } bad[] = {{"bqg:copy=1GB/s", "did you mean 'bgq'?"},
               {"bgq:copies=1GB/s", "copy"},
               {"bgq:copy", "needs a value"},
               {"bgq:credits=0", "out of range"},
               {"auto:order=last", "first-come"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_transport same = bgq;
        assert_int_equal(cw_transport_get(bad[i].spec, &same, &given), CW_EUSAGE);
        if (!strstr(cw_error_message(), bad[i].message)) fail_msg("%s: %s", bad[i].spec, cw_error_message());
        assert_memory_equal(&same, &bgq, sizeof bgq);
        assert_int_equal(given, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_run),
        cmocka_unit_test(sets_know_their_networks),
        cmocka_unit_test(files_say_every_parameter),
        cmocka_unit_test(what_is_not_said_costs_nothing),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(parameters_are_replaced),
    };
    return cmocka_run_group_tests_name("transport_set", tests, NULL, NULL);
}
