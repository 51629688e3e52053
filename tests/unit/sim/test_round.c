/* One round against a count of walks: loads, congestions, and a workspace that is clean again. */
#include "net/network_internal.h"
#include "route/paths.h"
#include "sim/round.h"
#include "sim_test.h"

static const char *const specs[] = {"xgft:2:4,4:1,2", "torus:5x4", "mesh:3x4", "dragonfly:2,4,2,g=5", "crossbar:9"};

/* N messages between random endpoints, some of them to the sender itself. */
static void fill(struct cw_round *round, const struct cw_network *net, size_t n, uint64_t index)
{
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, index);
    assert_int_equal(cw_round_begin(round, n), 0);
    for (size_t i = 0; i < n; i++) {
        round->src[i] = cw_random_below(&random, net->n_endpoints);
        round->dst[i] = cw_random_below(&random, net->n_endpoints);
    }
}

static uint32_t background_on(const struct cw_load *load, uint32_t channel)
{
    return load->background.narrow ? load->background.narrow[channel] : load->background.wide[channel];
}

static void assert_load(const struct cw_load *load, const uint32_t *own, const uint32_t *background)
{
    for (uint32_t c = 0; c < load->n_channels; c++) {
        assert_int_equal(cw_load_own(load, c), own ? own[c] : 0);
        assert_int_equal(background_on(load, c), background[c]);
    }
}

/* N_BACKGROUND messages, then N of the round; OTHER counts the former. */
static void add_background(struct cw_round *round, const struct test_fabric *fabric, size_t n_background,
                           struct cw_load *load, uint32_t *other)
{
    fill(round, fabric->net, n_background, 1000 + n_background);
    uint32_t *src = new_array(n_background, sizeof *src), *dst = new_array(n_background, sizeof *dst);
    for (size_t i = 0; i < n_background; i++) {
        src[i] = round->src[i];
        dst[i] = round->dst[i];
        count_walk(fabric->routes, src[i], dst[i], other);
    }
    assert_int_equal(cw_round_add_background(round, n_background, src, dst, load), 0);
    free(src);
    free(dst);
}

static void check_round(struct cw_round *round, const struct test_fabric *fabric, size_t n, size_t n_background,
                        struct cw_load *load)
{
    const uint32_t n_channels = fabric->net->n_channels;
    uint32_t *own = new_array(n_channels, sizeof *own), *other = new_array(n_channels, sizeof *other);
    struct cw_congestion *congestion = new_array(n, sizeof *congestion);
    add_background(round, fabric, n_background, load, other);
    fill(round, fabric->net, n, n);
    assert_int_equal(round->n, n);
    assert_int_equal(cw_round_route(round, load), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(round->hops[i], count_walk(fabric->routes, round->src[i], round->dst[i], own));
    assert_load(load, own, other);
    cw_round_congestion(round, load, congestion);
    for (size_t i = 0; i < n; i++) {
        const uint32_t from = round->src[i], to = round->dst[i];
        assert_int_equal(congestion[i].own, greatest_on_walk(fabric->routes, from, to, own, NULL));
        assert_int_equal(congestion[i].with_background, greatest_on_walk(fabric->routes, from, to, own, other));
    }
    cw_round_remove(round, load);
    assert_load(load, NULL, other);
    cw_load_clear_background(load);
    memset(other, 0, n_channels * sizeof *other);
    assert_load(load, NULL, other);
    free(own);
    free(other);
    free(congestion);
}

/* Around the block size of the routing, growing and shrinking, one workspace for all. */
static void test_agrees_with_walks(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 128, 7, 200, 130};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_fabric fabric = open_fabric(specs[s], NULL);
        struct cw_round round = {0};
        struct cw_load load;
        assert_int_equal(cw_load_init(&load, fabric.net->n_channels), 0);
        assert_int_equal(cw_round_init(&round, fabric.routes), 0);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_round(&round, &fabric, sizes[i], sizes[(i + 3) % (sizeof sizes / sizeof *sizes)], &load);
        cw_round_free(&round);
        cw_load_free(&load);
        close_fabric(&fabric);
    }
}

/* So many messages that a channel has more than a byte can count: first in the round, then in the background. */
static void test_crowds(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{10, 10}, {4000, 10}, {10, 10}, {30, 4000}, {4000, 4000}, {10, 10}};
    for (size_t first = 0; first < 2; first++) {
        struct test_fabric fabric = open_fabric("torus:3x2", NULL);
        struct cw_round round = {0};
        struct cw_load load;
        assert_int_equal(cw_load_init(&load, fabric.net->n_channels), 0);
        assert_int_equal(cw_round_init(&round, fabric.routes), 0);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_round(&round, &fabric, sizes[i][first], sizes[i][1 - first], &load);
        cw_round_free(&round);
        cw_load_free(&load);
        close_fabric(&fabric);
    }
}

static void test_free_accepts_zeroed(void **state)
{
    (void)state;
    struct cw_round round = {0};
    cw_round_free(&round);
    assert_null(round.src);
}

/* Explicit paths may lack a pair; nothing else that is small can. */
static void test_missing_route_is_named(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_paths *paths = NULL;
    assert_int_equal(cw_topology_build("crossbar:3", &net), 0);
    assert_int_equal(cw_paths_new(net, &paths), 0);
    const uint32_t way[] = {0, cw_network_channel_at(net, 3, 2)};
    assert_int_equal(cw_paths_add(paths, 0, 1, 1, way, 2), 0);
    assert_int_equal(cw_paths_finish(paths, "one path", 1, &routes), 0);
    struct cw_round round = {0};
    struct cw_load load;
    assert_int_equal(cw_load_init(&load, net->n_channels), 0);
    assert_int_equal(cw_round_init(&round, routes), 0);
    assert_int_equal(cw_round_begin(&round, 2), 0);
    round.src[0] = 0;
    round.dst[0] = 1;
    round.src[1] = 2;
    round.dst[1] = 1;
    assert_int_equal(cw_round_route(&round, &load), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "h2"));
    assert_non_null(strstr(cw_error_message(), "h1"));
    assert_int_equal(cw_round_add_background(&round, 1, round.src + 1, round.dst + 1, &load), CW_EROUTE);
    cw_round_free(&round);
    cw_load_free(&load);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_walks),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_free_accepts_zeroed),
        cmocka_unit_test(test_missing_route_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
