/* Memory that ends while loads are predicted: an error that says so, whichever allocation fails. */
#include "model_test.h"

#include "../starve.h"
#include "model/dragonfly_model.h"
#include "model/link_load.h"

struct predicting {
    struct setting setting;
    struct cw_packet_routing *routing;
    double most; /* when memory does not end */
};

static int bound_links(void *data)
{
    struct predicting *predicting = data;
    struct cw_link_load load = {0};
    double most;
    const struct setting *setting = &predicting->setting;
    int rc = cw_link_load_compute(predicting->routing, setting->workload, setting->endpoints, 2, &load);
    if (rc) return rc;
    rc = cw_link_load_most(&load, 0.9, 2, &most);
    if (rc == 0) predicting->most = most;
    cw_link_load_free(&load);
    return rc;
}

static int model_dragonfly(void *data)
{
    const struct setting *setting = &((struct predicting *)data)->setting;
    struct cw_dragonfly_model model;
    return cw_dragonfly_model_compute(setting->net, setting->workload, setting->endpoints, &model);
}

/* Routings that draw, that look at queues, and that keep their source. */
static void test_link_load(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"dragonfly:2,3,2", "group-shift", "valiant-any"},
                                           {"dragonfly:2,3,2", "group-shift", "ugal-l"},
                                           {"xgft:2:4,4:1,2", "permutation", "smodk"},
                                           {"torus:4x3", "hotspot:3,share=0.5", "dor"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct predicting predicting = {.setting = setting_of(cases[i][0], cases[i][1])};
        assert_int_equal(cw_packet_routing_new(predicting.setting.net, cases[i][2], 1, 1, &predicting.routing), 0);
        assert_int_equal(bound_links(&predicting), 0);
        const double most = predicting.most;
        starve(cases[i][2], bound_links, &predicting, 20);
        assert_true(predicting.most == most);
        cw_packet_routing_free(predicting.routing);
        tear_down(&predicting.setting);
    }
}

static void test_dragonfly(void **state)
{
    (void)state;
    struct predicting predicting = {.setting = setting_of("dragonfly:2,3,2", "group-shift")};
    starve("dragonfly", model_dragonfly, &predicting, 2);
    tear_down(&predicting.setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_load),
        cmocka_unit_test(test_dragonfly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
