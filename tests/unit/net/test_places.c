/* Who stands where in a shape: what is missing and what is too much, counted by hand on a tree of eight cables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "net/network_internal.h"
#include "net/places.h"
#include "sample_networks.h"

/* XGFT(2; 2, 2; 1, 2): hosts 0 1 on leaf 4, hosts 2 3 on leaf 5, each leaf with a cable to the spines 6 and 7. */
static struct cw_network *ideal_tree(void)
{
    return sample_xgft(2, (const uint32_t[]){2, 2}, (const uint32_t[]){1, 2}, (const uint32_t[]){1, 2});
}

/* A network of ENDPOINTS and SWITCHES, PLACES their places as digits ("-": none), CABLES pairs of vertices. */
static int stand(uint32_t endpoints, uint32_t switches, const char *places, const char *cables, struct cw_network **net,
                 struct cw_places **out)
{
    struct cw_builder *builder = cw_builder_new(endpoints, switches, 0);
    uint32_t *place = calloc(endpoints + switches, sizeof *place);
    for (uint32_t v = 0; v < endpoints + switches; v++)
        place[v] = places[v] == '-' ? CW_NONE : (uint32_t)(places[v] - '0');
    for (const char *cable = cables; *cable; cable += cable[2] ? 3 : 2)
        cw_builder_cable(builder, (uint32_t)(cable[0] - '0'), 0, (uint32_t)(cable[1] - '0'), 0, 1e9, 0);
    *net = sample_finish(builder);
    return cw_places_new(*net, ideal_tree(), place, out);
}

struct expected {
    uint32_t endpoints, switches, cables, of, extra, beside;
};

static void assert_places(uint32_t endpoints, uint32_t switches, const char *place, const char *cables,
                          const struct expected *expected)
{
    struct cw_network *net;
    struct cw_places *places;
    assert_int_equal(stand(endpoints, switches, place, cables, &net, &places), 0);
    assert_int_equal(places->missing_endpoints, expected->endpoints);
    assert_int_equal(places->missing_switches, expected->switches);
    assert_int_equal(places->missing_cables, expected->cables);
    assert_int_equal(places->cables, expected->of);
    assert_int_equal(places->extra_cables, expected->extra);
    assert_int_equal(places->beside, expected->beside);
    const bool all = expected->switches == 0 && expected->cables == 0;
    assert_int_equal(cw_places_have_all_routes(places), all);
    assert_int_equal(cw_places_are_exact(places),
                     all && expected->endpoints == 0 && expected->extra == 0 && expected->beside == 0);
    const struct cw_network *ideal = places->ideal;
    for (uint32_t c = 0; c < ideal->n_channels; c++) {
        const uint32_t own = places->channel[c];
        if (own == CW_NONE) continue;
        assert_int_equal(places->place[net->tail[own]], ideal->tail[c]);
        assert_int_equal(places->place[net->head[own]], ideal->head[c]);
    }
    cw_places_free(places);
    cw_network_free(net);
}

static void the_shape_in_another_order(void **state)
{
    (void)state;
    assert_places(4, 4, "32105476", "04 14 25 35 46 47 56 57", &(struct expected){.of = 4});
}

/* An endpoint at a spine; without the cables that lead to it nothing is too much. */
static void beside_the_shape(void **state)
{
    (void)state;
    assert_places(5, 4, "0123-4567", "05 15 26 36 57 58 67 68 48", &(struct expected){.of = 4, .beside = 1});
}

/* Leaf to leaf; one more from leaf 4 to its last spine; one more from leaf 5 to its first. */
static void too_many_cables(void **state)
{
    (void)state;
    static const char *const more[] = {"45", "47", "56"};
    for (int i = 0; i < 3; i++) {
        char cables[64];
        snprintf(cables, sizeof cables, "04 14 25 35 46 47 56 57 %s", more[i]);
        assert_places(4, 4, "01234567", cables, &(struct expected){.of = 4, .extra = 1});
    }
    assert_places(4, 4, "01234567", "04 14 25 35 46 47 56 57 45 47 56", &(struct expected){.of = 4, .extra = 3});
}

/* A cable; a host; a spine, whose cables are not missing, then; a host's only cable, which is at the wrong leaf. */
static void too_few(void **state)
{
    (void)state;
    assert_places(4, 4, "01234567", "04 14 25 35 46 56 57", &(struct expected){.cables = 1, .of = 4});
    assert_places(3, 4, "0124567", "03 13 24 35 36 45 46", &(struct expected){.endpoints = 1, .of = 4});
    assert_places(4, 3, "0123456", "04 14 25 35 46 56", &(struct expected){.switches = 1, .of = 2});
    assert_places(4, 4, "01234567", "04 14 25 34 46 47 56 57", &(struct expected){.of = 4, .extra = 1});
}

static void one_place_for_two(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_places *places = NULL;
    assert_int_equal(stand(4, 4, "01224567", "04 14 25 35 46 47 56 57", &net, &places), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "vertices 3 and 2 have one place in the shape, expected one each");
    assert_null(places);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_in_another_order),
        cmocka_unit_test(beside_the_shape),
        cmocka_unit_test(too_many_cables),
        cmocka_unit_test(too_few),
        cmocka_unit_test(one_place_for_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
