/* D-mod-k and S-mod-k on regular and irregular fat trees. */
#include "net/network_internal.h"
#include "route_test.h"

/* As many cables up from every subtree as it has endpoints, and one cable a pair below the top. */
static const char *const full[] = {"xgft:2:4,4:1,4",           "xgft:2:6,8:1,3:1,2",       "xgft:3:4,4,6:1,4,4",
                                   "xgft:3:3,3,4:1,3,1:1,1,3", "xgft:3:2,4,4:1,2,2:1,1,2", "xgft:2:6,4:2,3"};
static const char *const others[] = {"xgft:1:5:1",     "xgft:3:4,4,6:1,4,3:radix=8", "xgft:3:3,2,4:1,2,3",
                                     "xgft:2:6,3:1,2", "xgft:3:4,2,6:1,2,3:radix=8", "xgft:3:4,3,2:1,3,2:radix=8",
                                     "xgft:2:3,4:2,2", "xgft:4:2,3,2,3:1,2,1,2",     "xgft:3:5,1,4:1,3,1"};

#define EACH(SPEC, LIST) for (size_t SPEC = 0; SPEC < sizeof LIST / sizeof *LIST; SPEC++)

static void check_routes(const char *spec)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *dmodk = routes_of(net, "dmodk"), *smodk = routes_of(net, "smodk");
    struct all_routes d = all_routes_of(dmodk), s = all_routes_of(smodk);
    assert_shortest(net, &d);
    assert_shortest(net, &s);
    assert_true(depends_on_destination(dmodk, &d));
    assert_true(cw_routes_by_destination(dmodk));
    assert_false(cw_routes_by_destination(smodk));
    for (size_t i = 0; i < d.n; i++) { /* the one is the other, walked backwards */
        const size_t back = (size_t)d.dst[i] * net->n_endpoints + d.src[i];
        for (uint32_t h = 0; h < d.hops[i]; h++)
            assert_int_equal(s.channels[back * s.stride + h], net->twin[d.channels[i * d.stride + d.hops[i] - 1 - h]]);
    }
    free_all_routes(&d);
    free_all_routes(&s);
    cw_routes_free(dmodk);
    cw_routes_free(smodk);
    cw_network_free(net);
}

static void routes_are_shortest_paths(void **state)
{
    (void)state;
    EACH(i, full) check_routes(full[i]);
    EACH(i, others) check_routes(others[i]);
}

/* The paper's rule, written down directly: u_l = ⌊d / (m_1…m_{l-1})⌋ mod up[l] is the up port at level l ≥ 1. */
static void up_ports_follow_the_destination(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:3:4,4,6:1,2,4:1,2,1");
    struct cw_routes *routes = routes_of(net, "dmodk");
    struct all_routes all = all_routes_of(routes);
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t h = 1; h < all.hops[i] / 2; h++) {
            const uint32_t channel = all.channels[i * all.stride + h], v = net->tail[channel];
            const uint32_t down = h == 1 ? 4 : 8, scale = h == 1 ? 1 : 4; /* 4·4 cables to 2 parents */
            assert_int_equal(channel - net->first[v], down + all.dst[i] / scale % 4);
        }
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Which destination uses each channel; MANY: more than one. */
static void destinations_own_their_down_cables(void **state)
{
    (void)state;
    enum { NOBODY, MANY = -1 };
    EACH(i, full)
    {
        struct cw_network *net = network_of(full[i]);
        struct cw_routes *routes = routes_of(net, "dmodk");
        struct all_routes all = all_routes_of(routes);
        int64_t *owner = zeros(net->n_channels, sizeof *owner);
        for (size_t r = 0; r < all.n; r++)
            for (uint32_t h = all.hops[r] / 2; h < all.hops[r]; h++) {
                int64_t *one = &owner[all.channels[r * all.stride + h]];
                *one = *one == NOBODY || *one == all.dst[r] + 1 ? (int64_t)all.dst[r] + 1 : MANY;
            }
        for (uint32_t c = 0; c < net->n_channels; c++) assert_int_not_equal(owner[c], MANY);
        free(owner);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* All-to-all: on a regular tree all up channels of a level carry the same, n · (endpoints outside) / channels up. */
static void all_to_all_is_even(void **state)
{
    (void)state;
    static const char *const engines[] = {"dmodk", "smodk"};
    EACH(i, full) EACH(e, engines)
    {
        struct cw_network *net = network_of(full[i]);
        const struct cw_xgft *xgft = &net->shape.xgft;
        struct cw_routes *routes = routes_of(net, engines[e]);
        struct all_routes all = all_routes_of(routes);
        uint32_t *load = zeros(net->n_channels, sizeof *load), below = 1, v = 0;
        must(cw_routes_count(routes, all.n, all.src, all.dst, load));
        for (uint32_t l = 0; l < xgft->h; l++) {
            const uint32_t vertices = (uint32_t)cw_xgft_level_size(xgft, l), up = xgft->up[l], end = v + vertices;
            const uint32_t messages = net->n_endpoints * (net->n_endpoints - below);
            for (; v < end; v++)
                for (uint32_t k = 0; k < up && l > 0; k++) {
                    const uint32_t channel = net->first[v + 1] - up + k;
                    assert_int_equal(load[channel] * vertices * up, messages);
                    assert_int_equal(load[net->twin[channel]] * vertices * up, messages);
                }
            below *= xgft->m[l + 1];
        }
        free(load);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* A shift by any distance gives every channel at most one message on a full tree with one top-level group of siblings.
 */
static void shifts_do_not_congest(void **state)
{
    (void)state;
    EACH(i, full)
    {
        struct cw_network *net = network_of(full[i]);
        struct cw_routes *routes = routes_of(net, "dmodk");
        const uint32_t n = net->n_endpoints;
        uint32_t *src = zeros(n, sizeof *src), *dst = zeros(n, sizeof *dst);
        for (uint32_t shift = 1; shift < n; shift++) {
            uint32_t *load = zeros(net->n_channels, sizeof *load);
            for (uint32_t e = 0; e < n; e++) {
                src[e] = e;
                dst[e] = (e + shift) % n;
            }
            must(cw_routes_count(routes, n, src, dst, load));
            for (uint32_t c = 0; c < net->n_channels; c++) assert_true(load[c] <= 1);
            free(load);
        }
        free(src);
        free(dst);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Too large for all pairs. */
static void a_large_tree(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft(4,12,12,6,12,12,3)");
    struct cw_routes *routes = routes_of(net, "dmodk");
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    uint32_t path[8];
    uint8_t lanes[8];
    for (int i = 0; i < 2000; i++) {
        const uint32_t s = cw_random_below(&random, net->n_endpoints), d = cw_random_below(&random, net->n_endpoints);
        uint32_t levels = 0;
        for (uint32_t a = s, b = d; a != b; a /= 12, b /= 12) levels++;
        assert_int_equal(walk(routes, s, d, path, lanes), 2 * levels);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routes_are_shortest_paths),
                                       cmocka_unit_test(up_ports_follow_the_destination),
                                       cmocka_unit_test(destinations_own_their_down_cables),
                                       cmocka_unit_test(all_to_all_is_even),
                                       cmocka_unit_test(shifts_do_not_congest),
                                       cmocka_unit_test(a_large_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
