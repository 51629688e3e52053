/* Fitting a transport: parameters come back from the times that they give, and files are read as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "flow/transport/transport_set.h"
#include "study/move/transport_fit.h"

/* The times that a machine with these parameters takes. */
static struct cw_fit_times times_of(const struct cw_transport *transport, double capacity, double relayed_capacity)
{
    const double chunk = (double)transport->chunk_bytes, e = transport->efficiency, o = transport->chunk_overhead;
    const double copy = transport->copy > 0 ? chunk / transport->copy : 0;
    return (struct cw_fit_times){.chunk_bytes = transport->chunk_bytes,
                                 .short_bytes = transport->chunk_bytes / 4,
                                 .capacity = capacity,
                                 .relayed_capacity = relayed_capacity,
                                 .period = o + chunk / (e * capacity),
                                 .short_period = o + chunk / 4 / (e * capacity),
                                 .relayed_period = o + copy + chunk / (e * relayed_capacity),
                                 .direct_one = 0.01 + o + transport->hop_latency,
                                 .relayed_one = 0.01 + 2 * (o + transport->hop_latency)};
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * expected) fail_msg("%g, expected %g", value, expected);
}

static void parameters_come_back(void **state)
{
    (void)state;
    const double copies[] = {0, 5e6, 5e8}; /* none, slow, fast */
    for (int i = 0; i < 3; i++) {
        const struct cw_transport machine = {
            .chunk_bytes = 65536, .efficiency = 0.9, .chunk_overhead = 30e-6, .hop_latency = 200e-6, .copy = copies[i]};
        const struct cw_fit_times times = times_of(&machine, 1e8, 5e7);
        struct cw_transport fitted = {.credits = 3};
        assert_int_equal(cw_transport_fit(&times, &fitted), 0);
        assert_int_equal(fitted.chunk_bytes, 65536);
        assert_int_equal(fitted.credits, 3);
        assert_near(fitted.efficiency, 0.9);
        assert_near(fitted.chunk_overhead, 30e-6);
        assert_near(fitted.hop_latency, 200e-6);
        assert_near(fitted.copy, copies[i]);
    }
}

/* What is measured has errors: no parameter may leave its limits by them. */
static void errors_of_measurement_are_bounded(void **state)
{
    (void)state;
    struct cw_transport machine = {.chunk_bytes = 65536, .efficiency = 1}, fitted;
    struct cw_fit_times times = times_of(&machine, 1e8, 1e8);
    times.short_period *= 0.9;    /* an overhead below 0 */
    times.relayed_period *= 1.01; /* a copy that is none */
    times.relayed_one *= 0.5;
    assert_int_equal(cw_transport_fit(&times, &fitted), 0);
    assert_true(fitted.chunk_overhead == 0 && fitted.copy == 0 && fitted.hop_latency == 0);
    assert_near(fitted.efficiency, 1);
    times.capacity = times.relayed_capacity = 0.95e8;
    assert_int_equal(cw_transport_fit(&times, &fitted), 0);
    assert_true(fitted.efficiency == 1);
    times.capacity = 0.5e8;
    assert_int_equal(cw_transport_fit(&times, &fitted), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "expected the capacities that this network has"));
    times.short_period = 2 * times.period;
    assert_int_equal(cw_transport_fit(&times, &fitted), CW_EUSAGE);
}

static void files_are_read_as_written(void **state)
{
    (void)state;
    const struct cw_transport written = {.chunk_bytes = 12345,
                                         .credits = 7,
                                         .order = CW_ORDER_FORWARD_FIRST,
                                         .cut_through = true,
                                         .chunk_overhead = 1.25e-6,
                                         .copy = 3.5e9,
                                         .node_copy = 7.5e9,
                                         .hop_latency = 2.5e-4,
                                         .list_search = 1e-9,
                                         .injection = 1e10,
                                         .reception = 2e10,
                                         .efficiency = 0.95,
                                         .messages.whole = true};
    struct cw_transport read;
    struct cw_text text = {0};
    assert_int_equal(cw_transport_write(&written, "a \"test\"", &text), 0);
    assert_int_equal(cw_transport_parse("t.json", text.data, text.length, &read), 0);
    assert_int_equal(read.chunk_bytes, 12345);
    assert_int_equal(read.credits, 7);
    assert_true(read.order == CW_ORDER_FORWARD_FIRST && read.cut_through && read.messages.whole);
    assert_true(read.chunk_overhead == 1.25e-6 && read.copy == 3.5e9 && read.hop_latency == 2.5e-4);
    assert_true(read.node_copy == 7.5e9);
    assert_true(read.list_search == 1e-9 && read.injection == 1e10 && read.reception == 2e10);
    assert_true(read.efficiency == 0.95);
    cw_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_come_back),
        cmocka_unit_test(errors_of_measurement_are_bounded),
        cmocka_unit_test(files_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
