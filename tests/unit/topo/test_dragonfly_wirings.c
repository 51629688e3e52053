/* Global wirings of dragonflies: every arrangement, shuffled or not, with all groups and with fewer. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/files/formats.h"
#include "topo/dragonfly.h"
#include "topo/metrics.h"

static const char *const wirings[] = {"",
                                      ",shuffle=1",
                                      ",arrangement=palmtree",
                                      ",arrangement=relative",
                                      ",arrangement=relative,shuffle=4294967295",
                                      ",arrangement=consecutive",
                                      ",arrangement=consecutive,shuffle=7",
                                      ",arrangement=random",
                                      ",arrangement=random,seed=3",
                                      ",arrangement=random,seed=3,shuffle=2"};
#define N_WIRINGS (sizeof wirings / sizeof *wirings)

/* p,a,h,g and the cables between two groups. */
static const struct {
    const char *spec;
    uint32_t trunks;
} sizes[] = {
    {"dragonfly:1,1,1", 1},     {"dragonfly:2,3,2", 1},      {"dragonfly:2,4,2", 1},     {"dragonfly:1,8,4", 1},
    {"dragonfly:3,5,3", 1},     {"dragonfly:2,4,2,g=5", 2},  {"dragonfly:2,4,2,g=4", 2}, {"dragonfly:2,4,2,g=2", 8},
    {"dragonfly:4,8,4,g=7", 5}, {"dragonfly:1,4,3,g=11", 1}, {"dragonfly:2,4,2,g=1", 0}, {"dragonfly:1,4,3,g=6", 2},
};
#define N_SIZES (sizeof sizes / sizeof *sizes)

static struct cw_network *wired(const char *spec, const char *wiring)
{
    char text[128];
    snprintf(text, sizeof text, "%s%s", spec, wiring);
    return build(text);
}

/* The group of switch V. */
static uint32_t group_of(const struct cw_network *net, uint32_t v)
{
    return (v - net->n_endpoints) / net->shape.dragonfly.a;
}

/* The global channel Q of GROUP of NET, or CW_NONE. */
static uint32_t global(const struct cw_network *net, uint32_t group, uint32_t q)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return cw_network_channel_at(net, net->n_endpoints + group * shape->a + q / shape->h,
                                 shape->p + shape->a + q % shape->h);
}

/* The group that channel Q of GROUP leads to; *FAR_Q is the channel's number there. */
static uint32_t follow(const struct cw_network *net, uint32_t group, uint32_t q, uint32_t *far_q)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint32_t c = global(net, group, q);
    assert_true(c != CW_NONE);
    const uint32_t port = cw_network_port(net, net->twin[c]), far = net->head[c];
    assert_true(port >= shape->p + shape->a);
    *far_q = (far - net->n_endpoints) % shape->a * shape->h + port - shape->p - shape->a;
    return group_of(net, far);
}

/* TRUNKS cables between each two groups, on the first ports of each group; and twins. */
static void check_pairs(const struct cw_network *net, uint32_t trunks)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint32_t g = shape->g, used = trunks * (g - 1);
    uint32_t *between = calloc((size_t)g * g, sizeof *between);
    assert_non_null(between);
    for (uint32_t i = 0; i < g; i++)
        for (uint32_t q = 0; q < shape->a * shape->h; q++) {
            uint32_t far_q, back_q;
            if (q >= used) {
                assert_int_equal(global(net, i, q), CW_NONE);
                continue;
            }
            const uint32_t j = follow(net, i, q, &far_q);
            between[i * g + j]++;
            assert_int_equal(follow(net, j, far_q, &back_q), i);
            assert_int_equal(back_q, q);
        }
    for (uint32_t i = 0; i < g; i++)
        for (uint32_t j = 0; j < g; j++) assert_int_equal(between[i * g + j], i == j ? 0 : trunks);
    free(between);
}

static void test_all_wirings(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_SIZES; s++) {
        struct cw_network *plain = build(sizes[s].spec);
        for (size_t w = 0; w < N_WIRINGS; w++) {
            struct cw_network *net = wired(sizes[s].spec, wirings[w]);
            assert_int_equal(cw_network_check(net), 0);
            assert_int_equal(cw_network_check_shape(net), 0);
            assert_int_equal(cw_dragonfly_check_wiring(net), 0);
            assert_int_equal(cw_components(net), 1);
            check_pairs(net, sizes[s].trunks);
            assert_int_equal(net->n_vertices, plain->n_vertices);
            assert_int_equal(net->n_channels, plain->n_channels);
            for (uint32_t v = 0; v < net->n_vertices; v++) {
                char name[CW_NAME_SIZE], plain_name[CW_NAME_SIZE];
                assert_string_equal(cw_network_name(net, v, name, sizeof name),
                                    cw_network_name(plain, v, plain_name, sizeof plain_name));
            }
            cw_network_free(net);
        }
        cw_network_free(plain);
    }
}

/* Where channel Q of group I leads by the formulas of the header, with G groups and so blocks of G - 1 channels. */
static uint32_t palmtree(uint32_t i, uint32_t q, uint32_t g, uint32_t *far_q)
{
    *far_q = q - q % (g - 1) + (g - 2 - q % (g - 1));
    return (i + q % (g - 1) + 1) % g;
}

static uint32_t relative(uint32_t i, uint32_t q, uint32_t g, uint32_t *far_q)
{
    *far_q = q - q % (g - 1) + (g - 2 - q % (g - 1));
    return (uint32_t)(((int)i - (int)(q % (g - 1)) - 1 + (int)g) % (int)g);
}

static uint32_t consecutive(uint32_t i, uint32_t q, uint32_t g, uint32_t *far_q)
{
    const uint32_t block = q / (g - 1), r = q % (g - 1), j = r < i ? r : r + 1;
    *far_q = block * (g - 1) + (j > i ? i : i - 1);
    return j;
}

static void test_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *wiring;
        uint32_t (*formula)(uint32_t i, uint32_t q, uint32_t g, uint32_t *far_q);
    } cases[] = {{"", palmtree},
                 {",arrangement=palmtree", palmtree},
                 {",arrangement=relative", relative},
                 {",arrangement=consecutive", consecutive}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t s = 0; s < N_SIZES; s++) {
            struct cw_network *net = wired(sizes[s].spec, cases[i].wiring);
            const uint32_t g = net->shape.dragonfly.g;
            for (uint32_t group = 0; group < g; group++)
                for (uint32_t q = 0; q < sizes[s].trunks * (g - 1); q++) {
                    uint32_t far_q, expected_q;
                    const uint32_t far = follow(net, group, q, &far_q);
                    assert_int_equal(far, cases[i].formula(group, q, g, &expected_q));
                    assert_int_equal(far_q, expected_q);
                }
            cw_network_free(net);
        }
}

/* Relative is palmtree with the channels of each group counted backwards. */
static void test_mirror_images(void **state)
{
    (void)state;
    struct cw_network *a = build("dragonfly:2,6,3"), *b = build("dragonfly:2,6,3,arrangement=relative");
    const uint32_t last = 6 * 3 - 1;
    for (uint32_t i = 0; i < 19; i++)
        for (uint32_t q = 0; q <= last; q++) {
            uint32_t far_a, far_b;
            assert_int_equal(follow(a, i, q, &far_a), follow(b, i, last - q, &far_b));
            assert_int_equal(far_a, last - far_b);
        }
    cw_network_free(a);
    cw_network_free(b);
}

/* In the palmtree arrangement channel 0 leads from each group to the next: so it tells the order of shuffled groups, in
 * which all channels must follow the formula. */
static void test_shuffle(void **state)
{
    (void)state;
    enum { G = 33, Q = 32 };
    struct cw_network *net = build("dragonfly:1,8,4,shuffle=5");
    uint32_t order[G] = {0}, place[G] = {0}, far_q, moved = 0;
    for (uint32_t k = 1; k < G; k++) {
        order[k] = follow(net, order[k - 1], 0, &far_q);
        assert_true(order[k] != 0 && place[order[k]] == 0);
        place[order[k]] = k;
        moved += order[k] != (order[k - 1] + 1) % G;
    }
    assert_true(moved > G / 2);
    for (uint32_t k = 0; k < G; k++)
        for (uint32_t q = 0; q < Q; q++) {
            assert_int_equal(place[follow(net, order[k], q, &far_q)], (k + q + 1) % G);
            assert_int_equal(far_q, Q - 1 - q);
        }
    cw_network_free(net);
}

static bool same_cables(const char *a, const char *b)
{
    struct cw_network *one = build(a), *other = build(b);
    assert_int_equal(one->n_channels, other->n_channels);
    const bool same = memcmp(one->head, other->head, one->n_channels * sizeof *one->head) == 0;
    cw_network_free(one);
    cw_network_free(other);
    return same;
}

static void test_seeds(void **state)
{
    (void)state;
#define SPEC "dragonfly:1,4,2"
    assert_true(same_cables(SPEC ",arrangement=random", SPEC ",arrangement=random,seed=0"));
    assert_true(same_cables(SPEC ",arrangement=random,seed=1", SPEC ",arrangement=random,seed=1"));
    assert_false(same_cables(SPEC ",arrangement=random,seed=1", SPEC ",arrangement=random,seed=2"));
    assert_true(same_cables(SPEC ",shuffle=0", SPEC));
    assert_false(same_cables(SPEC ",shuffle=1", SPEC));
    assert_false(same_cables(SPEC ",shuffle=1", SPEC ",shuffle=2"));
    assert_false(same_cables(SPEC ",arrangement=random,shuffle=1", SPEC ",arrangement=random,shuffle=2"));
    assert_false(same_cables(SPEC, SPEC ",arrangement=relative"));
    assert_false(same_cables(SPEC, SPEC ",arrangement=consecutive"));
    assert_false(same_cables(SPEC ",arrangement=relative", SPEC ",arrangement=consecutive"));
#undef SPEC
}

/* Over many seeds every channel leads equally often to every group, and every shuffle puts the others behind a group
 * equally often. */
static void test_uniform(void **state)
{
    (void)state;
    enum { TRIALS = 400, G = 5 };
    double random[G - 1][G] = {{0}}, shuffled[G] = {0};
    for (uint32_t t = 1; t <= TRIALS; t++) {
        char spec[64];
        uint32_t far_q;
        snprintf(spec, sizeof spec, "dragonfly:1,2,2,arrangement=random,seed=%u", t);
        struct cw_network *net = build(spec);
        for (uint32_t q = 0; q < G - 1; q++) random[q][follow(net, 2, q, &far_q)]++;
        cw_network_free(net);
        snprintf(spec, sizeof spec, "dragonfly:1,2,2,shuffle=%u", t);
        net = build(spec);
        shuffled[follow(net, 2, 0, &far_q)]++;
        cw_network_free(net);
    }
    const double expected = TRIALS / (G - 1.0);
    for (uint32_t j = 0; j < G; j++) {
        if (j == 2) continue;
        assert_true(fabs(shuffled[j] - expected) < 5 * sqrt(expected));
        for (uint32_t q = 0; q < G - 1; q++) assert_true(fabs(random[q][j] - expected) < 5 * sqrt(expected));
    }
}

/* Formulas of distances hold for palmtree and relative, whatever the order of groups, and agree with the search. */
static void test_distances(void **state)
{
    (void)state;
    for (size_t w = 0; w < N_WIRINGS; w++) {
        struct cw_network *net = wired("dragonfly:2,6,3", wirings[w]);
        struct cw_distances formula, search;
        const uint32_t arrangement = net->shape.dragonfly.arrangement;
        const bool has_formula = arrangement == CW_ARRANGEMENT_PALMTREE || arrangement == CW_ARRANGEMENT_RELATIVE;
        assert_int_equal(cw_network_distances_by_search(net, 1, 1, CW_DISTANCES_STEPS, &search), 0);
        assert_int_equal(cw_network_distances_by_formula(net, &formula), has_formula ? 0 : CW_EUSAGE);
        if (has_formula) {
            assert_int_equal(formula.diameter, search.diameter);
            assert_true(fabs(formula.mean_distance - search.mean_distance) < 1e-9);
        } else {
            assert_non_null(strstr(cw_error_message(), cw_arrangement_names[arrangement]));
        }
        assert_int_equal(cw_network_distances(net, 1, 1, &formula), 0);
        assert_true(fabs(formula.mean_distance - search.mean_distance) < 1e-9);
        cw_network_free(net);
    }
}

/* A network that is wired in another way than its shape says has no formula. */
static void test_wrong_wiring(void **state)
{
    (void)state;
    struct cw_distances distances;
    struct cw_bisection bisection;
    static const struct cw_dragonfly wrong[] = {
        {.p = 2, .a = 3, .h = 1, .g = 4, .arrangement = CW_ARRANGEMENT_RELATIVE},
        {.p = 2, .a = 3, .h = 1, .g = 4, .shuffle = 2},
        {.p = 2, .a = 3, .h = 1, .g = 4, .arrangement = CW_ARRANGEMENT_CONSECUTIVE},
    };
    struct cw_network *net = build("dragonfly:2,3,1");
    assert_int_equal(cw_network_distances_by_formula(net, &distances), 0);
    assert_int_equal(cw_network_bisection_by_formula(net, &bisection), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        net->shape.dragonfly = wrong[i];
        assert_int_equal(cw_network_check_shape(net), 0);
        assert_int_equal(cw_dragonfly_check_wiring(net), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), cw_arrangement_names[wrong[i].arrangement]));
        assert_int_equal(cw_network_distances_by_formula(net, &distances), CW_EUSAGE);
        assert_int_equal(cw_network_bisection_by_formula(net, &bisection), CW_EUSAGE);
    }
    cw_network_free(net);
}

/* Written and read again, a network keeps its shape, of which the default wiring is not mentioned. */
static void test_files(void **state)
{
    (void)state;
    for (size_t w = 0; w < N_WIRINGS; w++) {
        struct cw_network *net = wired("dragonfly:1,4,2", wirings[w]);
        for (const struct cw_writer *const *writer = cw_writers; *writer; writer++) {
            struct cw_text text = {0};
            struct cw_network *read = NULL;
            if (strcmp((*writer)->name, "json") != 0 && strcmp((*writer)->name, "ibsim") != 0) continue;
            assert_int_equal((*writer)->write(net, &text), 0);
            if (cw_network_parse("file", text.data, text.length, &read)) fail_msg("%s", cw_error_message());
            assert_ptr_equal(read->shape.kind, &cw_shape_dragonfly);
            assert_memory_equal(&read->shape.dragonfly, &net->shape.dragonfly, sizeof net->shape.dragonfly);
            const bool stated = net->shape.dragonfly.arrangement != CW_ARRANGEMENT_PALMTREE;
            assert_int_equal(strstr(text.data, "arrangement") != NULL, stated);
            assert_int_equal(strstr(text.data, "shuffle") != NULL, net->shape.dragonfly.shuffle != 0);
            cw_text_free(&text);
            cw_network_free(read);
        }
        cw_network_free(net);
    }
}

/* Shapes are equal only if the wirings are. */
static void test_equality(void **state)
{
    (void)state;
    struct cw_network *a = build("dragonfly:1,4,2,g=1"), *b = build("dragonfly:1,4,2,g=1");
    assert_true(cw_network_equal(a, b));
    b->shape.dragonfly.arrangement = CW_ARRANGEMENT_RELATIVE;
    assert_false(cw_network_equal(a, b));
    b->shape.dragonfly = a->shape.dragonfly;
    b->shape.dragonfly.seed = 1;
    assert_false(cw_network_equal(a, b));
    b->shape.dragonfly = a->shape.dragonfly;
    b->shape.dragonfly.shuffle = 1;
    assert_false(cw_network_equal(a, b));
    cw_network_free(a);
    cw_network_free(b);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int code;
        const char *words;
    } cases[] = {
        {"dragonfly:2,4,2,arrangement=palmtre", CW_EUSAGE, "did you mean palmtree?"},
        {"dragonfly:2,4,2,seed=3", CW_EUSAGE, "the palmtree arrangement takes no seed"},
        {"dragonfly:2,4,2,arrangement=consecutive,seed=3", CW_EUSAGE, "the consecutive arrangement takes no seed"},
        {"dragonfly:2,4,2,shuffle=-1", CW_EUSAGE, "'shuffle'"},
        {"dragonfly:2,4,2,shuffle=4294967296", CW_EUSAGE, "'shuffle'"},
        {"dragonfly:1000,1000,1000,arrangement=random", CW_ELIMIT, "1001001001000 vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = NULL;
        assert_int_equal(cw_topology_build(cases[i].spec, &net), cases[i].code);
        assert_null(net);
        if (!strstr(cw_error_message(), cases[i].words)) fail_msg("%s: %s", cases[i].spec, cw_error_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_wirings), cmocka_unit_test(test_formulas),     cmocka_unit_test(test_mirror_images),
        cmocka_unit_test(test_shuffle),     cmocka_unit_test(test_seeds),        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_distances),   cmocka_unit_test(test_wrong_wiring), cmocka_unit_test(test_files),
        cmocka_unit_test(test_equality),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
