/* OpenSM's fat-tree tables where OpenSM is not needed to know what is right: shifts of complete trees, what is
 * refused. tests/oracle/live_ftree.py compares entry by entry with the real one. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "route_test.h"

/* The most messages on one channel when every endpoint sends to the one BY after it. */
static uint32_t shift_congestion(const struct cw_network *net, const struct all_routes *all, uint32_t by)
{
    uint32_t *messages = zeros(net->n_channels, sizeof *messages), most = 0;
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        const size_t pair = (size_t)src * net->n_endpoints + (src + by) % net->n_endpoints;
        for (uint32_t h = 0; h < all->hops[pair]; h++) {
            const uint32_t n = ++messages[all->channels[pair * all->stride + h]];
            if (n > most) most = n;
        }
    }
    free(messages);
    return most;
}

/* EVERY: of how many shifts one is tried. */
static void check_shifts(const char *spec, const char *engine, uint32_t every)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = routes_of(net, engine);
    struct all_routes all = all_routes_of(routes);
    for (uint32_t by = 1; by < net->n_endpoints; by += every) assert_int_equal(shift_congestion(net, &all, by), 1);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void shifts_are_free_of_contention(void **state)
{
    (void)state;
    static const char *const engines[] = {"ftree", "dmodk"};
    for (size_t i = 0; i < 2; i++) {
        check_shifts("xgft(2,12,6)", engines[i], 1);
        check_shifts("xgft:3:4,4,6:1,4,4", engines[i], 1);
        check_shifts("xgft(3,12,8,12,4)", engines[i], 97);
    }
}

static void complete_trees_have_shortest_routes(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft(2,12,6)", "xgft:3:4,4,2:1,4,4", "xgft:4:2,3,2,3:1,2,1,2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *routes = routes_of(net, "ftree");
        struct all_routes all = all_routes_of(routes);
        assert_shortest(net, &all);
        assert_true(depends_on_destination(routes, &all));
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void refusals_say_which_switch(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *why;
    } cases[] = {
        {"crossbar:5", "there are 1 switches; expected 2 or more"},
        {"torus:4x3", "switches have ranks 0 to 0, counted from the roots; expected 0 to 1 … 7"},
        {"xgft:2:3,4:2,2", "h0 has not one cable to a switch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].spec);
        struct cw_routes *routes = NULL;
        assert_int_equal(cw_engine_route(net, "ftree", 1, 1, &routes), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].why)) fail_msg("%s", cw_error_message());
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_free_of_contention),
        cmocka_unit_test(complete_trees_have_shortest_routes),
        cmocka_unit_test(refusals_say_which_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
