/* Cables that work in one direction only: what is refused, what is kept, who is connected. */
#include "../one_way_network.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/faults.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "net/part.h"
#include "net/selection.h"

/* Two endpoints on two switches, joined by a cable of these capacities. */
static struct cw_builder *pair(double there, double back)
{
    struct cw_builder *builder = cw_builder_new(2, 2, 3);
    for (uint32_t s = 0; s < 2; s++) cw_builder_cable(builder, s, 0, 2 + s, 0, 1, 0);
    cw_builder_cable(builder, 2, 0, 3, 0, there, 0);
    cw_builder_back(builder, back, 0);
    return builder;
}

static void assert_refused(struct cw_builder *builder, const char *message)
{
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
}

static void refusals(void **state)
{
    (void)state;
    assert_refused(pair(0, 0), "capacity 0 of s0/2>s1/2 and of the way back; expected more than 0 in one direction");
    assert_refused(pair(-1, 1), "capacity -1 byte/s of a cable of vertex 2; expected 0 or more");
    struct cw_builder *of_endpoint = pair(1, 1), *of_shape = pair(0, 1);
    cw_builder_cable(of_endpoint, 0, 0, 3, 0, 1, 0);
    cw_builder_back(of_endpoint, 0, 0);
    assert_refused(of_endpoint,
                   "capacity 0 of s1/3>h0/2; expected more, because cables of endpoints work in both directions");
    cw_builder_shape(of_shape, &(struct cw_shape){.kind = &cw_shape_torus, .torus = {.n = 1, .k = {2}}});
    assert_refused(of_shape,
                   "capacity 0 of s(0)/2>s(1)/2; expected more, because the cables of a shape work in both directions");
}

static void one_direction(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        struct cw_network *net = one_way_made(pair(closed == 0 ? 0 : 7, closed == 0 ? 7 : 0)), *part;
        double slowest, fastest;
        assert_int_equal(net->n_closed, 1);
        for (uint32_t c = 0; c < net->n_channels; c++)
            assert_int_equal(cw_network_is_closed(net, c),
                             net->tail[c] == 2u + (unsigned)closed && net->head[c] == 3u - (unsigned)closed);
        cw_network_capacities(net, &slowest, &fastest);
        assert_true(slowest >= 1 && slowest <= 1 && fastest >= 7 && fastest <= 7);
        assert_int_equal(cw_network_part(net, NULL, NULL, &part), 0);
        assert_int_equal(cw_network_check(part), 0);
        assert_true(cw_network_equal(net, part));
        cw_network_free(part);
        cw_network_free(net);
    }
}

static void files(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 10; trial++) {
        struct cw_network *net = one_way_random(trial, 7, true), *read = NULL;
        assert_true(net->n_closed > 0);
        assert_int_equal(cw_network_write(net, "one-way.json"), 0);
        assert_int_equal(cw_network_read("one-way.json", &read), 0);
        assert_true(cw_network_equal(net, read));
        assert_int_equal(net->n_closed, read->n_closed);
        assert_int_equal(cw_network_write(net, "one-way.net"), CW_EUSAGE); /* which knows nothing of directions */
        unlink("one-way.json");
        cw_network_free(read);
        cw_network_free(net);
    }
}

/* REACHES[a · n + b]: Warshall over open channels of networks whose endpoint s is at switch s. */
static bool *reaches(const struct cw_network *net)
{
    const uint32_t n = net->n_endpoints;
    bool *reach = calloc((size_t)n * n, sizeof *reach);
    assert_non_null(reach);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (net->tail[c] >= n && net->head[c] >= n && net->capacity[c] > 0)
            reach[(net->tail[c] - n) * n + net->head[c] - n] = true;
    for (uint32_t s = 0; s < n; s++) reach[s * n + s] = true;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) reach[a * n + b] |= reach[a * n + k] && reach[k * n + b];
    return reach;
}

/* Those who take part reach one another, in both directions, and no greater set does. */
static void connections(void **state)
{
    (void)state;
    bool any = false;
    for (uint64_t trial = 0; trial < 100; trial++) {
        struct cw_network *net = one_way_random(trial, 9, true);
        struct cw_selection *all, *connected, *cut_off;
        const uint32_t n = net->n_endpoints;
        bool *reach = reaches(net);
        uint32_t most = 0;
        for (uint32_t a = 0; a < n; a++) {
            uint32_t both = 0;
            for (uint32_t b = 0; b < n; b++) both += reach[a * n + b] && reach[b * n + a];
            if (both > most) most = both;
        }
        assert_int_equal(cw_selection_new(net, "all", &all), 0);
        assert_int_equal(cw_selection_connected(net, all, false, &connected, &cut_off), 0);
        assert_int_equal(connected->n, most);
        assert_int_equal(connected->n + cut_off->n, n);
        for (uint32_t i = 0; i < connected->n; i++)
            for (uint32_t j = 0; j < connected->n; j++)
                assert_true(reach[connected->endpoints[i] * n + connected->endpoints[j]]);
        any |= cut_off->n > 0;
        cw_selection_free(all);
        cw_selection_free(connected);
        cw_selection_free(cut_off);
        free(reach);
        cw_network_free(net);
    }
    assert_true(any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals), cmocka_unit_test(one_direction),
                                       cmocka_unit_test(files), cmocka_unit_test(connections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
