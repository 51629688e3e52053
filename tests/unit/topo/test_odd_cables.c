/* Cables unlike their peers: generated networks have none; what is taken out or slowed down in them is found, no more.
 */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "net/builder.h"
#include "topo/odd_cables.h"

/* A copy of NET without shape. SPEED [n_channels] is by what the capacity of a cable, at its first channel, is
 * multiplied: 0 takes it out. */
static struct cw_network *copy_with(const struct cw_network *net, const double *speed)
{
    struct cw_builder *builder = cw_builder_new(net->n_endpoints, cw_network_switches(net), net->n_channels / 2);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        if (c < twin && speed[c] > 0)
            cw_builder_cable(builder, net->tail[c], cw_network_port(net, c), net->head[c], cw_network_port(net, twin),
                             speed[c] * net->capacity[c], net->latency[c]);
    }
    struct cw_network *copy = NULL;
    if (cw_builder_finish(builder, &copy)) fail_msg("%s", cw_error_message());
    return copy;
}

static double *ones(uint32_t n)
{
    double *speed = malloc(n * sizeof *speed);
    assert_non_null(speed);
    for (uint32_t i = 0; i < n; i++) speed[i] = 1;
    return speed;
}

static struct cw_odd_cables find(const struct cw_network *net)
{
    struct cw_odd_cables odd;
    if (cw_odd_cables_find(net, &odd)) fail_msg("%s", cw_error_message());
    return odd;
}

static uint32_t cables_between(const struct cw_network *net, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[a]; c < net->first[a + 1]; c++) n += net->head[c] == b;
    return n;
}

/* A random cable between switches, at its first channel. */
static uint32_t random_cable(const struct cw_network *net, struct cw_random *random)
{
    for (;;) {
        const uint32_t c = cw_random_below(random, net->n_channels);
        if (c < net->twin[c] && net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints) return c;
    }
}

static void test_complete_networks(void **state)
{
    (void)state;
    for (size_t t = 0; cw_topologies[t]; t++)
        for (size_t e = 0; cw_topologies[t]->examples[e]; e++) {
            struct cw_network *net = build(cw_topologies[t]->examples[e]);
            struct cw_odd_cables odd = find(net);
            if (odd.n > 0) fail_msg("%s: %zu odd cables", cw_topologies[t]->examples[e], odd.n);
            cw_odd_cables_free(&odd);
            cw_network_free(net);
        }
    /* nor do those of which the shape is not known, also where parallel cables do not divide evenly */
    static const char *const maps[] = {"xgft:2:8,8:1,4:1,2", "xgft:3:4,6,6:1,3,4", "xgft:2:4,6:1,3:radix=8",
                                       "torus:5x4x3",        "torus:4x4x2",        "dragonfly:2,4,2"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct cw_network *net = build(maps[i]);
        double *speed = ones(net->n_channels);
        struct cw_network *map = copy_with(net, speed);
        struct cw_odd_cables odd = find(map);
        if (odd.n > 0) fail_msg("%s: %zu odd cables", maps[i], odd.n);
        cw_odd_cables_free(&odd);
        cw_network_free(map);
        cw_network_free(net);
        free(speed);
    }
}

/* In a tree every pair of switches that lost a cable is named, with how many are left and how many there were. */
static void check_bundles(const struct cw_network *net, const struct cw_network *map)
{
    struct cw_odd_cables odd = find(map);
    size_t expected = 0;
    for (uint32_t a = net->n_endpoints; a < net->n_vertices; a++)
        for (uint32_t b = a + 1; b < net->n_vertices; b++) {
            const uint32_t had = cables_between(net, a, b), has = cables_between(map, a, b);
            if (had == has) continue;
            expected++;
            bool found = false;
            for (size_t i = 0; i < odd.n; i++) {
                const struct cw_odd_cable *item = &odd.items[i];
                if (item->a != a || item->b != b) continue;
                assert_int_equal(item->fault, CW_ODD_FEWER);
                assert_int_equal(item->cables, has);
                assert_int_equal(item->usual_cables, had);
                assert_int_equal(item->role_b, item->role_a + 1);
                found = true;
            }
            if (!found) fail_msg("%u-%u: %u of %u cables are not named", a, b, has, had);
        }
    assert_int_equal(odd.n, expected);
    cw_odd_cables_free(&odd);
}

static void test_missing_in_trees(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:8,8:1,4:1,2", "xgft:3:4,6,6:1,3,4", "xgft:2:6,9:1,6"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_network *net = build(specs[s]);
        for (uint64_t trial = 0; trial < 40; trial++) {
            struct cw_random random = cw_random_of(1, CW_STREAM_TEST, trial);
            double *speed = ones(net->n_channels);
            for (uint64_t k = 0; k < 1 + trial % 2; k++) speed[random_cable(net, &random)] = 0;
            struct cw_network *map = copy_with(net, speed);
            check_bundles(net, map);
            cw_network_free(map);
            free(speed);
        }
        cw_network_free(net);
    }
}

/* A cable that was plugged into another spine: one bundle has fewer, another more. */
static void test_moved(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(8, 8 + 4, 8 + 8 * 8);
    for (uint32_t leaf = 0; leaf < 8; leaf++) {
        cw_builder_cable(builder, leaf, 0, 8 + leaf, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
        for (uint32_t k = 0; k < 8; k++)
            cw_builder_cable(builder, 8 + leaf, 0, 16 + (leaf == 3 && k == 5 ? 2 : k % 4), 0, CW_DEFAULT_CAPACITY,
                             CW_DEFAULT_LATENCY);
    }
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    struct cw_odd_cables odd = find(net);
    assert_int_equal(odd.n, 2);
    assert_true(odd.items[0].fault == CW_ODD_FEWER && odd.items[0].a == 11 && odd.items[0].b == 17);
    assert_true(odd.items[0].cables == 1 && odd.items[0].usual_cables == 2);
    assert_true(odd.items[1].fault == CW_ODD_MORE && odd.items[1].a == 11 && odd.items[1].b == 18);
    assert_true(odd.items[1].cables == 3 && odd.items[1].usual_cables == 2);
    cw_odd_cables_free(&odd);
    cw_network_free(net);
}

/* Where bundles have no usual size, and among switches of one level, it is the switches that have fewer. */
static void test_switches_with_fewer(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t usual, named; /* cables, and switches named for one that is missing */
    } cases[] = {{"xgft:2:4,6:1,3:radix=8", 4, 1}, {"torus:5x4x3", 6, 2}, {"dragonfly:2,4,2", 5, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = build(cases[i].spec);
        for (uint64_t trial = 0; trial < 10; trial++) {
            struct cw_random random = cw_random_of(2, CW_STREAM_TEST, trial);
            double *speed = ones(net->n_channels);
            const uint32_t gone = random_cable(net, &random);
            speed[gone] = 0;
            struct cw_network *map = copy_with(net, speed);
            struct cw_odd_cables odd = find(map);
            assert_int_equal(odd.n, cases[i].named);
            for (size_t k = 0; k < odd.n; k++) {
                assert_true(odd.items[k].a == net->tail[gone] || odd.items[k].a == net->head[gone]);
                assert_int_equal(odd.items[k].fault, CW_ODD_FEWER);
                assert_int_equal(odd.items[k].b, CW_NONE);
                assert_int_equal(odd.items[k].role_b, cases[i].named == 1 ? CW_NONE : CW_ROLE_LEAF);
                assert_int_equal(odd.items[k].cables, cases[i].usual - 1);
                assert_int_equal(odd.items[k].usual_cables, cases[i].usual);
            }
            cw_odd_cables_free(&odd);
            cw_network_free(map);
            free(speed);
        }
        cw_network_free(net);
    }
}

/* Every slow cable is named with both speeds; but not those of a whole generation. */
static void test_slow(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:3:4,4,4:1,2,2", "torus:5x4", "dragonfly:2,4,2"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_network *net = build(specs[s]);
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, s);
        double *speed = ones(net->n_channels);
        uint32_t slow = 0, generation = 0;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            if (c > net->twin[c]) continue;
            const bool host = cw_network_is_endpoint(net, net->tail[c]);
            if (host && net->tail[c] % 5 < 2) /* two hosts in five */
                speed[c] = 0.5, generation++;
            else if (!host && cw_random_below(&random, 20) == 0)
                speed[c] = cw_random_below(&random, 2) ? 0.25 : 0.5, slow++;
        }
        assert_true(slow > 0 && generation > 0);
        struct cw_network *map = copy_with(net, speed);
        struct cw_odd_cables odd = find(map);
        assert_int_equal(odd.n, slow);
        for (size_t i = 0; i < odd.n; i++) {
            const struct cw_odd_cable *item = &odd.items[i];
            assert_int_equal(item->fault, CW_ODD_SLOW);
            assert_true(map->tail[item->channel] == item->a && map->head[item->channel] == item->b);
            assert_true(item->capacity == map->capacity[item->channel] && item->capacity < item->usual_capacity);
            assert_true(item->usual_capacity == CW_DEFAULT_CAPACITY);
            assert_true(i == 0 || item->channel != odd.items[i - 1].channel);
        }
        cw_odd_cables_free(&odd);
        cw_network_free(map);
        cw_network_free(net);
        free(speed);
    }
}

/* Aggregation nodes on all switches and a management host on a spine make no leaves of spines. */
static void test_roles(void **state)
{
    (void)state;
    enum { LEAVES = 4, SPINES = 2, HOSTS = 8 * LEAVES, N = HOSTS + 1 + LEAVES + SPINES, LOOSE = N + LEAVES + SPINES };
    struct cw_builder *builder = cw_builder_new(N, LEAVES + SPINES + 1, 100);
    for (uint32_t v = 0; v <= LOOSE; v++) {
        const struct cw_identity identity = {.kind = v <= HOSTS ? CW_KIND_HOST
                                                     : v < N    ? CW_KIND_AGGREGATION
                                                                : CW_KIND_SWITCH};
        cw_builder_identity(builder, v, &identity);
    }
    for (uint32_t h = 0; h < HOSTS; h++) cw_builder_cable(builder, h, 0, N + h % LEAVES, 0, 1e9, 0);
    cw_builder_cable(builder, HOSTS, 0, N + LEAVES, 0, 1e9, 0); /* on the first spine */
    for (uint32_t s = 0; s < LEAVES + SPINES; s++) cw_builder_cable(builder, HOSTS + 1 + s, 0, N + s, 0, 1e9, 0);
    for (uint32_t l = 0; l < LEAVES; l++)
        for (uint32_t s = 0; s < SPINES; s++) cw_builder_cable(builder, N + l, 0, N + LEAVES + s, 0, 1e9, 0);
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    uint32_t roles[LOOSE + 1], levels;
    char name[CW_ROLE_SIZE];
    assert_int_equal(cw_network_roles(net, roles, &levels), 0);
    assert_int_equal(levels, 2);
    for (uint32_t v = 0; v <= LOOSE; v++) {
        const uint32_t expected = v <= HOSTS       ? CW_ROLE_HOST
                                  : v < N          ? CW_ROLE_AGGREGATION
                                  : v < N + LEAVES ? CW_ROLE_LEAF
                                  : v < LOOSE      ? CW_ROLE_LEAF + 1
                                                   : CW_ROLE_LOOSE;
        assert_int_equal(roles[v], expected);
    }
    assert_string_equal(cw_role_name(CW_ROLE_LEAF + 1, 2, name), "spine");
    assert_string_equal(cw_role_name(CW_ROLE_LEAF + 1, 3, name), "level 2");
    assert_string_equal(cw_role_name(CW_ROLE_AGGREGATION, 3, name), "aggregation node");
    struct cw_odd_cables odd = find(net);
    assert_int_equal(odd.n, 0);
    cw_odd_cables_free(&odd);
    cw_odd_cables_free(NULL);
    cw_network_free(net);
}

/* No cables, no hosts, nothing: nothing to compare. */
static void test_nothing(void **state)
{
    (void)state;
    static const uint32_t counts[][2] = {{0, 0}, {0, 3}, {3, 0}, {2, 2}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct cw_network *net = NULL;
        assert_int_equal(cw_builder_finish(cw_builder_new(counts[i][0], counts[i][1], 0), &net), 0);
        struct cw_odd_cables odd = find(net);
        assert_int_equal(odd.n, 0);
        cw_odd_cables_free(&odd);
        cw_network_free(net);
    }
}

/* Of eight hosts' cables two may be called slow, a quarter; three are a generation. None is slow for others being fast,
 * however few. */
static void test_how_many_are_slow(void **state)
{
    (void)state;
    struct cw_network *net = build("crossbar:8");
    for (uint32_t n = 0; n < 8; n++) {
        double *slow = ones(net->n_channels), *fast = ones(net->n_channels);
        for (uint32_t c = 0; c < n; c++) slow[c] = 0.5, fast[c] = 4;
        struct cw_network *few = copy_with(net, slow), *many = copy_with(net, fast);
        struct cw_odd_cables odd = find(few);
        assert_int_equal(odd.n, n <= 2 ? n : 0);
        cw_odd_cables_free(&odd);
        odd = find(many);
        assert_int_equal(odd.n, n >= 6 ? 8 - n : 0);
        cw_odd_cables_free(&odd);
        cw_network_free(few);
        cw_network_free(many);
        free(slow);
        free(fast);
    }
    cw_network_free(net);
}

/* Four leaves below spines 0 to 3 and twelve below spines 3 to 6: that they share one of four does not make them peers,
 * and nothing is missing. */
static void test_two_parts_that_touch(void **state)
{
    (void)state;
    enum { LEAVES = 16, FIRST = 4, SPINES = 7 };
    struct cw_builder *builder = cw_builder_new(LEAVES, LEAVES + SPINES, 0);
    struct cw_network *net = NULL;
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        cw_builder_cable(builder, leaf, 0, LEAVES + leaf, 0, 1e9, 0);
        for (uint32_t spine = 0; spine < 4; spine++)
            cw_builder_cable(builder, LEAVES + leaf, 0, 2 * LEAVES + spine + (leaf < FIRST ? 0 : 3), 0, 1e9, 0);
    }
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    struct cw_odd_cables odd = find(net);
    assert_int_equal(odd.n, 0);
    cw_odd_cables_free(&odd);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete_networks),
        cmocka_unit_test(test_missing_in_trees),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_switches_with_fewer),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_two_parts_that_touch),
        cmocka_unit_test(test_how_many_are_slow),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
