/* What the options of flits mean: sizes in flits, mixes of messages, buffers for round trips, cycles. */
#include "cli_test.h"

#include "cli/flit/flit_options.h"
#include "sim/flit/flit_module.h"
#include "topo/topology.h"

const struct verb *const verbs[] = {NULL};

static struct cw_network *net; /* all cables 5 GB/s, 100 ns: 8 cycles of 12.8 ns */

static int build(void **state)
{
    (void)state;
    return cw_topology_build("torus:4x4", &net);
}

static int forget(void **state)
{
    (void)state;
    cw_network_free(net);
    return 0;
}

static bool is_parameter(const char *name)
{
    const struct cw_option *option = cw_flit_hardware_parameters;
    while (option->name && strcmp(option->name, name) != 0) option++;
    return option->name;
}

/* Of the verb, and of all that simulate flits. */
struct options {
    struct flit_options own;
    struct cw_flit_how how;
};

static void options_free(struct options *options)
{
    cw_options_free(flit_option_table, &options->own);
    cw_options_free(cw_flit_how_options, &options->how);
    cw_options_free(cw_flit_load_options, &options->how);
}

/* The table of all verbs that has NAME, or NULL. */
static const struct cw_option *how_table(const char *name)
{
    const struct cw_option *const tables[] = {cw_flit_how_options, cw_flit_load_options};
    for (size_t i = 0; i < 2; i++)
        for (const struct cw_option *option = tables[i]; option->name; option++)
            if (strcmp(option->name, name) == 0) return tables[i];
    return NULL;
}

/* Options and parameters of --hardware that were given: NAME VALUE ..., ended by NULL. */
static struct options given(const char *name, ...)
{
    struct options values = {0};
    struct cw_text hardware = {0};
    va_list list;
    assert_int_equal(cw_options_init(flit_option_table, &values.own), 0);
    assert_int_equal(cw_options_init(cw_flit_how_options, &values.how), 0);
    assert_int_equal(cw_options_init(cw_flit_load_options, &values.how), 0);
    va_start(list, name);
    for (; name; name = va_arg(list, const char *)) {
        const char *value = va_arg(list, const char *);
        if (is_parameter(name))
            cw_text_printf(&hardware, "%s%s=%s", hardware.data ? "," : "", name, value);
        else if (how_table(name))
            assert_int_equal(cw_options_set("flit", how_table(name), &values.how, name, value), 0);
        else
            assert_int_equal(cw_options_set("flit", flit_option_table, &values.own, name, value), 0);
    }
    va_end(list);
    if (hardware.data)
        assert_int_equal(cw_options_set("flit", cw_flit_how_options, &values.how, "hardware", hardware.data), 0);
    cw_text_free(&hardware);
    return values;
}

struct made {
    int rc;
    struct cw_flit_hardware hardware;
    struct cw_flit_messages messages;
    bool covers_round_trip;
};

static struct made hardware_of(struct options values)
{
    struct made out = {0};
    out.rc = cw_flit_how_hardware(&values.how, net, &out.hardware, &out.messages, &out.covers_round_trip);
    options_free(&values); /* names of modules are borrowed, and not looked at */
    return out;
}

static void check_refusal(struct options values, const char *part)
{
    if (hardware_of(values).rc != CW_EUSAGE || !strstr(cw_error_message(), part))
        fail_msg("'%s' does not say '%s'", cw_error_message(), part);
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    (void)state;
    const struct made made = hardware_of(given(NULL));
    const struct cw_flit_hardware usual = cw_flit_default_hardware();
    assert_int_equal(made.rc, 0);
    assert_int_equal(made.hardware.flit_bytes, 64);
    assert_int_equal(made.hardware.flit_bytes, usual.flit_bytes);
    assert_true(made.hardware.reference_capacity == 5e9);
    assert_int_equal(made.hardware.input_flits, usual.input_flits);
    assert_int_equal(made.hardware.output_flits, usual.output_flits);
    assert_int_equal(made.hardware.speedup, usual.speedup);
    assert_int_equal(made.hardware.injection_lanes, usual.injection_lanes);
    assert_int_equal(made.hardware.pipeline, usual.pipeline);
    assert_true(made.hardware.host_latency == 0 && made.hardware.local_latency == 0 &&
                made.hardware.global_latency == 0);
    assert_false(made.hardware.transit_first);
    assert_true(made.messages.flits == 1 && made.messages.n_sizes == 0);
}

/* Each to its own place. */
static void test_numbers(void **state)
{
    (void)state;
    const struct made made = hardware_of(given("flit", "32B", "reference-capacity", "1GB/s", "input-buffer", "3KiB",
                                               "output-buffer", "1KiB", "speedup", "3", "injection-lanes", "4",
                                               "pipeline", "5", "host-latency", "6", "local-latency", "7", NULL));
    assert_int_equal(made.rc, 0);
    assert_int_equal(made.hardware.flit_bytes, 32);
    assert_true(made.hardware.reference_capacity == 1e9);
    assert_int_equal(made.hardware.input_flits, 96);
    assert_int_equal(made.hardware.output_flits, 32);
    assert_int_equal(made.hardware.speedup, 3);
    assert_int_equal(made.hardware.injection_lanes, 4);
    assert_int_equal(made.hardware.pipeline, 5);
    assert_int_equal(made.hardware.host_latency, 6);
    assert_int_equal(made.hardware.local_latency, 7);
    assert_int_equal(made.messages.flits, 2); /* of 64 bytes */
    check_refusal(given("global-latency", "8", NULL), "is for networks with groups");
    struct cw_network *grid = net;
    assert_int_equal(cw_topology_build("dragonfly:2,4,2", &net), 0);
    assert_int_equal(hardware_of(given("global-latency", "8", NULL)).hardware.global_latency, 8);
    cw_network_free(net);
    net = grid;
}

/* A buffer loses what is less than a flit, a message fills its last one. */
static void test_whole_flits(void **state)
{
    (void)state;
    struct made made = hardware_of(given("input-buffer", "200B", "output-buffer", "255B", "message", "129B", NULL));
    assert_int_equal(made.rc, 0);
    assert_int_equal(made.hardware.input_flits, 3);
    assert_int_equal(made.hardware.output_flits, 3);
    assert_int_equal(made.messages.flits, 3);
    assert_int_equal(hardware_of(given("message", "128B", NULL)).messages.flits, 2);
    assert_int_equal(hardware_of(given("message", "1B", NULL)).messages.flits, 1);
    check_refusal(given("output-buffer", "63B", NULL),
                  "option 'output-buffer' of --hardware: 63 bytes are 0 flits of 64 bytes, expected 1 to");
    check_refusal(given("input-buffer", "63B", NULL),
                  "option 'input-buffer' of --hardware: 63 bytes are 0 flits of 64 bytes, expected 1 to");
    check_refusal(given("input-buffer", "128B", "message", "129B", NULL),
                  "--message: 3 flits of 64 bytes; expected at most 2, what the smaller buffer holds");
    check_refusal(given("output-buffer", "128B", "message", "129B", NULL), "expected at most 2");
    char most[32];
    snprintf(most, sizeof most, "%uB", 64 * CW_FLIT_BUFFER_MAX);
    made = hardware_of(given("output-buffer", most, "input-buffer", most, NULL));
    assert_true(made.rc == 0 && made.hardware.output_flits == CW_FLIT_BUFFER_MAX);
    assert_int_equal(made.hardware.input_flits, CW_FLIT_BUFFER_MAX);
    snprintf(most, sizeof most, "%uB", 64 * (CW_FLIT_BUFFER_MAX + 1));
    check_refusal(given("output-buffer", most, NULL), "option 'output-buffer' of --hardware");
}

/* What is under way until a credit is back, and four more; and the rest of a message. */
static void test_round_trips(void **state)
{
    (void)state;
    const uint32_t latencies[] = {8, 30, 100}, flits[] = {64, 64, 204};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t message = 1; message <= 3; message++) {
            char latency[16], size[16];
            snprintf(latency, sizeof latency, "%u", latencies[i]);
            snprintf(size, sizeof size, "%uB", 64 * message);
            const struct made made =
                hardware_of(given("local-latency", latency, "message", size, "output-buffer", "64KiB", NULL));
            assert_int_equal(made.rc, 0);
            assert_int_equal(made.hardware.input_flits, i < 1                   ? 64
                                                        : i == 1 && message < 2 ? 64
                                                                                : flits[i] + message - 1);
        }
    const struct made made = hardware_of(given("local-latency", "100", "input-buffer", "4KiB", NULL));
    assert_int_equal(made.hardware.input_flits, 64); /* as it was asked for */
}

/* --- mixes -------------------------------------------------------------------------------------------------------- */

static void test_mixes(void **state)
{
    (void)state;
    struct made made = hardware_of(given("message", "64B:0.9,1KiB:0.1,100B:2", NULL));
    assert_int_equal(made.rc, 0);
    assert_int_equal(made.messages.n_sizes, 3);
    assert_int_equal(made.messages.flits, 16);
    const uint32_t flits[] = {1, 16, 2};
    const double shares[] = {0.9, 0.1, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(made.messages.sizes[i].flits, flits[i]);
        assert_true(made.messages.sizes[i].share == shares[i]);
    }
    made = hardware_of(given("message", "128B:0.5", NULL)); /* one is no mix */
    assert_true(made.rc == 0 && made.messages.n_sizes == 0 && made.messages.flits == 2);
    static const char *const wrong[][2] = {
        {"", "expected sizes with their shares"},
        {"64B:0.9,", "expected sizes with their shares"},
        {"64B,128B:1", "64B has no share; in a mix each size has one, such as 64B:0.5"},
        {"64B:1,128B", "128B has no share"},
        {"64B:0,128B:1", "a share of 0 for 64B, expected more than 0"},
        {"64B:-1", "a share of -1 for 64B"},
        {"64B:2e9", "a share of 2e9"},
        {"64B:x", "--message"},
        {"sixty", "--message"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refusal(given("message", wrong[i][0], NULL), wrong[i][1]);
    struct cw_text many = {0};
    for (int i = 0; i < CW_FLIT_SIZES; i++) cw_text_printf(&many, "%s%dB:1", i > 0 ? "," : "", i + 1);
    made = hardware_of(given("message", many.data, NULL));
    assert_true(made.rc == 0 && made.messages.n_sizes == CW_FLIT_SIZES);
    cw_text_add(&many, ",8B:1");
    check_refusal(given("message", many.data, NULL), "more than 16 sizes");
    cw_text_free(&many);
    char text[80];
    memset(text, '0', sizeof text);
    memcpy(text + 63 - 3, "64B", 4);
    assert_int_equal(hardware_of(given("message", text, NULL)).rc, 0); /* 63 characters */
    memcpy(text + 64 - 3, "64B", 4);
    text[60] = '0';
    check_refusal(given("message", text, NULL), "expected sizes with their shares");
}

/* --- cycles ------------------------------------------------------------------------------------------------------- */

static struct cw_steady_setup steady_of(struct options values, uint32_t input_flits, bool sweep)
{
    const struct cw_flit_hardware hardware = {.flit_bytes = 64, .reference_capacity = 5e9, .input_flits = input_flits};
    struct cw_steady_setup out = {0};
    if (cw_flit_how_steady(&values.own.span, &values.how, &hardware, sweep, &out) != 0)
        fail_msg("%s", cw_error_message());
    options_free(&values);
    return out;
}

static void check_steady(struct cw_steady_setup is, bool find, uint64_t warmup, uint64_t cycles, double until)
{
    assert_int_equal(is.find_warmup, find);
    assert_int_equal(is.warmup, warmup);
    assert_int_equal(is.cycles, cycles);
    assert_true(is.until_ci == until);
}

static void test_cycles(void **state)
{
    (void)state;
    check_steady(steady_of(given(NULL), 64, false), true, 0, 200000, 0.01);
    struct options before = given("warmup", "70", NULL);
    struct cw_steady_setup warm;
    assert_int_equal(cw_flit_how_warmup(&before.how, &warm), 0); /* of jobs without end, before others begin */
    check_steady(warm, false, 70, 1000, 0);
    options_free(&before);
    check_steady(steady_of(given("cycles", "300", "warmup", "0", NULL), 64, false), false, 0, 300, 0);
    check_steady(steady_of(given("cycles", "10", "warmup", "20", NULL), 64, false), false, 20, 10, 0);
    check_steady(steady_of(given("until-ci", "2%", NULL), 64, false), true, 0, 10000000, 0.02);
    check_steady(steady_of(given("until-ci", "0.5", "cycles", "5000", NULL), 64, false), true, 0, 5000, 0.5);
    check_steady(steady_of(given("time", "12.8us", NULL), 64, false), true, 0, 1000, 0);
    check_steady(steady_of(given("time", "12.81us", NULL), 64, false), true, 0, 1001, 0); /* that much at least */
    /* A search is short, unless buffers are deep. */
    check_steady(steady_of(given(NULL), 64, true), false, 10000, 5000, 0);
    check_steady(steady_of(given(NULL), 125, true), false, 10000, 5000, 0);
    check_steady(steady_of(given(NULL), 200, true), false, 16000, 8000, 0);
    check_steady(steady_of(given("warmup", "7", NULL), 200, true), false, 7, 8000, 0);
    check_steady(steady_of(given("cycles", "70", NULL), 64, true), false, 10000, 70, 0);
    check_steady(steady_of(given("until-ci", "3%", NULL), 64, true), false, 10000, 10000000, 0.03);
    assert_true(steady_of(given("confidence", "0.99", NULL), 64, false).confidence == 0.99);
}

static void test_wrong_cycles(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"cycles", "9", "--cycles: expected auto or a number of cycles, 10 or more"},
        {"warmup", "-1", "--warmup: expected auto or a number of cycles, 0 or more"},
        {"warmup", "automatic", "--warmup"},
        {"until-ci", "0%", "--until-ci: 0% is not between 0 and 100 %"},
        {"until-ci", "100%", "--until-ci: 100% is not between"},
        {"until-ci", "1", "--until-ci: 1 is not between"},
        {"until-ci", "-1%", "is not between"},
        {"until-ci", "%", "--until-ci"},
        {"until-ci", "1%%", "--until-ci"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct options values = given(wrong[i][0], wrong[i][1], NULL);
        const struct cw_flit_hardware hardware = {.flit_bytes = 64, .reference_capacity = 5e9, .input_flits = 64};
        struct cw_steady_setup out;
        assert_int_equal(cw_flit_how_steady(&values.own.span, &values.how, &hardware, false, &out), CW_EUSAGE);
        if (!strstr(cw_error_message(), wrong[i][2])) fail_msg("%s", cw_error_message());
        options_free(&values);
    }
}

static void test_loads(void **state)
{
    (void)state;
    struct options none = given(NULL), some = given("load", "0.2,0.1..0.3:0.1", NULL);
    const struct cw_reals full = flit_options_loads(&none.own), loads = flit_options_loads(&some.own);
    assert_true(full.n == 1 && full.values[0] == 1);
    assert_true(loads.n == 4 && loads.values[0] == 0.2 && loads.values[1] == 0.1 && loads.values[2] == 0.2);
    options_free(&none);
    options_free(&some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_numbers), cmocka_unit_test(test_whole_flits),
        cmocka_unit_test(test_round_trips),  cmocka_unit_test(test_mixes),   cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_wrong_cycles), cmocka_unit_test(test_loads),
    };
    return cmocka_run_group_tests(tests, build, forget);
}
