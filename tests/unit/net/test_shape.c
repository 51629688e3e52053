/* Sizes and names of shapes, and graphs against the shape they claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"

#include "net/network_internal.h"
#include "sample_networks.h"

static struct cw_shape xgft_shape(uint32_t h, const uint32_t *m, const uint32_t *w)
{
    struct cw_shape shape = {.kind = &cw_shape_xgft, .xgft = {.h = h}};
    for (uint32_t l = 1; l <= h; l++) {
        shape.xgft.m[l] = m[l - 1];
        shape.xgft.w[l] = w[l - 1];
        shape.xgft.up[l - 1] = w[l - 1];
    }
    return shape;
}

static void test_sizes(void **state)
{
    (void)state;
    const struct cw_shape xgft = xgft_shape(3, (uint32_t[]){12, 12, 8}, (uint32_t[]){1, 12, 4});
    assert_int_equal(cw_shape_endpoints(&xgft), 12 * 12 * 8);
    assert_int_equal(cw_xgft_level_size(&xgft.xgft, 1), 12 * 8);
    assert_int_equal(cw_xgft_level_size(&xgft.xgft, 2), 8 * 12);
    assert_int_equal(cw_xgft_level_size(&xgft.xgft, 3), 48);
    assert_int_equal(cw_shape_switches(&xgft), 96 + 96 + 48);
    const struct cw_shape torus = {.kind = &cw_shape_torus, .torus = {.n = 3, .k = {4, 5, 2}, .wrap = true}};
    assert_int_equal(cw_shape_endpoints(&torus), 40);
    assert_int_equal(cw_shape_switches(&torus), 40);
    const struct cw_shape dragonfly = {.kind = &cw_shape_dragonfly, .dragonfly = {8, 16, 8, 129}};
    assert_int_equal(cw_shape_endpoints(&dragonfly), 8 * 16 * 129);
    assert_int_equal(cw_shape_switches(&dragonfly), 16 * 129);
    assert_true(cw_shape_fits(&dragonfly, 8 * 16 * 129, 16 * 129));
    assert_false(cw_shape_fits(&dragonfly, 8 * 16 * 129, 16 * 128));
}

static void assert_unequal(const struct cw_shape *shape, const struct cw_shape *other)
{
    assert_false(cw_shape_equal(shape, other));
    assert_false(cw_shape_equal(other, shape));
}

/* Every number counts; what is behind the last of a list does not. */
static void test_equality(void **state)
{
    (void)state;
    const struct cw_shape xgft = xgft_shape(3, (uint32_t[]){4, 5, 6}, (uint32_t[]){1, 2, 3});
    const struct cw_shape torus = {.kind = &cw_shape_torus, .torus = {.n = 3, .k = {4, 5, 6}, .wrap = true}};
    const struct cw_shape none = {.kind = NULL};
    assert_unequal(&xgft, &torus);
    assert_unequal(&torus, &none);
    assert_true(cw_shape_equal(&none, &none));
    for (uint32_t i = 0; i < 3; i++) {
        struct cw_shape others[] = {xgft, xgft, xgft, torus};
        others[0].xgft.m[i + 1]++;
        others[1].xgft.w[i + 1]++;
        others[2].xgft.up[i]++;
        others[3].torus.k[i]++;
        for (int k = 0; k < 4; k++) assert_unequal(&others[k], k < 3 ? &xgft : &torus);
    }
    struct cw_shape other = torus;
    other.torus.k[3] = 7;
    assert_true(cw_shape_equal(&torus, &other));
    other.torus.wrap = false;
    assert_unequal(&torus, &other);
    other = torus;
    other.torus.n = 2;
    assert_unequal(&torus, &other);
}

static void test_sizes_saturate(void **state)
{
    (void)state;
    const uint32_t big[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const struct cw_shape xgft = xgft_shape(3, big, big);
    assert_true(cw_shape_endpoints(&xgft) == UINT64_MAX);
    assert_true(cw_shape_switches(&xgft) == UINT64_MAX);
    const struct cw_shape two = xgft_shape(2, big, (uint32_t[]){1, UINT32_MAX});
    assert_true(cw_shape_endpoints(&two) == (uint64_t)UINT32_MAX * UINT32_MAX);
    const struct cw_shape torus = {.kind = &cw_shape_torus, .torus = {.n = 3, .k = {UINT32_MAX, UINT32_MAX, 2}}};
    assert_true(cw_shape_endpoints(&torus) == UINT64_MAX);
    const struct cw_shape dragonfly = {.kind = &cw_shape_dragonfly,
                                       .dragonfly = {UINT32_MAX, UINT32_MAX, 1, UINT32_MAX}};
    assert_true(cw_shape_endpoints(&dragonfly) == UINT64_MAX);
    assert_true(cw_shape_switches(&dragonfly) == (uint64_t)UINT32_MAX * UINT32_MAX);
}

static void assert_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, const char *expected)
{
    char name[CW_NAME_SIZE];
    cw_shape_name(shape, n_endpoints, v, name, sizeof name);
    assert_string_equal(name, expected);
}

static void test_names(void **state)
{
    (void)state;
    const struct cw_shape none = {.kind = NULL};
    assert_name(&none, 4, 3, "h3");
    assert_name(&none, 4, 4, "s0");
    const struct cw_shape xgft = xgft_shape(3, (uint32_t[]){12, 12, 8}, (uint32_t[]){1, 12, 4});
    assert_name(&xgft, 1152, 42, "h42");
    assert_name(&xgft, 1152, 1152, "s1.0");
    assert_name(&xgft, 1152, 1152 + 96 + 17, "s2.17");
    assert_name(&xgft, 1152, 1152 + 96 + 96 + 47, "s3.47");
    const struct cw_shape torus = {.kind = &cw_shape_torus, .torus = {.n = 3, .k = {4, 1, 2}}};
    assert_name(&torus, 8, 8 + 3 + 4, "s(3,0,1)");
    const struct cw_shape dragonfly = {.kind = &cw_shape_dragonfly, .dragonfly = {2, 4, 2, 9}};
    assert_name(&dragonfly, 72, 72 + 4 * 4 + 2, "g4s2");
    const struct cw_shape crossbar = {.kind = &cw_shape_crossbar};
    assert_name(&crossbar, 16, 16, "s0");
    char small[5];
    cw_shape_name(&torus, 8, 15, small, sizeof small);
    assert_string_equal(small, "s(3,");
}

/* Any name fits into CW_NAME_SIZE: a torus of as many dimensions as there may be has the longest ones. */
static void test_longest_name(void **state)
{
    (void)state;
    struct cw_shape torus = {.kind = &cw_shape_torus, .torus = {.n = CW_TORUS_DIMENSIONS}};
    for (uint32_t d = 0; d < CW_TORUS_DIMENSIONS; d++) torus.torus.k[d] = 2;
    torus.torus.k[0] = 1;
    torus.torus.k[1] = 11;
    char name[CW_NAME_SIZE];
    cw_shape_name(&torus, 1, UINT32_MAX, name, sizeof name);
    assert_int_equal(name[strlen(name) - 1], ')');
}

static void test_names_are_in_natural_order(void **state)
{
    (void)state;
    struct cw_network *net = sample_xgft(3, (uint32_t[]){3, 4, 5}, (uint32_t[]){1, 3, 2}, (uint32_t[]){1, 3, 2});
    for (uint32_t v = 1; v < net->n_vertices; v++) {
        char before[CW_NAME_SIZE], name[CW_NAME_SIZE];
        cw_network_name(net, v - 1, before, sizeof before);
        cw_network_name(net, v, name, sizeof name);
        if (v != net->n_endpoints) assert_true(cw_natural_compare(before, name) < 0);
    }
    cw_network_free(net);
}

static void assert_shape_holds(struct cw_network *net)
{
    if (cw_network_check_shape(net)) fail_msg("%s", cw_error_message());
    cw_network_free(net);
}

static void test_graphs_have_their_shape(void **state)
{
    (void)state;
    assert_shape_holds(sample_xgft(1, (uint32_t[]){7}, (uint32_t[]){1}, (uint32_t[]){1}));
    assert_shape_holds(sample_xgft(2, (uint32_t[]){4, 3}, (uint32_t[]){2, 3}, (uint32_t[]){2, 3}));
    assert_shape_holds(sample_xgft(3, (uint32_t[]){3, 4, 2}, (uint32_t[]){1, 2, 2}, (uint32_t[]){1, 4, 2}));
    assert_shape_holds(sample_xgft(3, (uint32_t[]){4, 4, 3}, (uint32_t[]){1, 4, 2}, (uint32_t[]){1, 6, 3}));
    assert_shape_holds(sample_xgft(2, (uint32_t[]){2, 3}, (uint32_t[]){1, 5}, (uint32_t[]){1, 2}));
    assert_shape_holds(sample_torus(&(struct cw_torus){.n = 2, .k = {5, 4}, .wrap = true}));
    assert_shape_holds(sample_torus(&(struct cw_torus){.n = 3, .k = {3, 1, 2}, .wrap = true, .doubled = true}));
    assert_shape_holds(sample_torus(&(struct cw_torus){.n = 3, .k = {3, 2, 2}, .wrap = true}));
    assert_shape_holds(sample_torus(&(struct cw_torus){.n = 3, .k = {3, 2, 4}}));
    assert_shape_holds(sample_crossbar(9));
}

/* A dragonfly p=1, a=2, h=1 of 3 groups: a ring of global channels. TWISTED: two groups' switches are exchanged. */
static struct cw_network *small_dragonfly(bool twisted)
{
    const struct cw_shape shape = {.kind = &cw_shape_dragonfly, .dragonfly = {1, 2, 1, 3}};
    struct cw_builder *builder = cw_builder_new(6, 6, 12);
    cw_builder_shape(builder, &shape);
    for (uint32_t i = 0; i < 6; i++) cw_builder_cable(builder, i, 1, 6 + (twisted ? i ^ 1 : i), 1, 1, 0);
    for (uint32_t group = 0; group < 3; group++) {
        cw_builder_cable(builder, 6 + 2 * group, 2, 7 + 2 * group, 2, 1, 0);
        cw_builder_cable(builder, 7 + 2 * group, 3, 6 + 2 * ((group + 1) % 3), 3, 1, 0);
    }
    return sample_finish(builder);
}

static void test_graphs_without_their_shape(void **state)
{
    (void)state;
    assert_shape_holds(small_dragonfly(false));
    struct cw_network *net = small_dragonfly(true);
    assert_int_equal(cw_network_check_shape(net), CW_EUSAGE);
    cw_network_free(net);

    net = sample_xgft(2, (uint32_t[]){4, 3}, (uint32_t[]){1, 2}, (uint32_t[]){1, 4});
    net->shape.xgft.up[1] = 2;
    assert_int_equal(cw_network_check_shape(net), CW_EUSAGE);
    net->shape.xgft.up[1] = UINT32_MAX;
    assert_int_equal(cw_network_check_shape(net), CW_EUSAGE);
    cw_network_free(net);

    net = sample_torus(&(struct cw_torus){.n = 2, .k = {3, 4}, .wrap = true});
    net->shape.torus.k[0] = 4;
    net->shape.torus.k[1] = 3;
    assert_int_equal(cw_network_check_shape(net), CW_EUSAGE);
    net->shape.torus = (struct cw_torus){.n = 2, .k = {3, 4}};
    assert_int_equal(cw_network_check_shape(net), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "s(0,0)"));
    cw_network_free(net);
}

/* The halves of SHAPE, each a set of bits for its first N switches, are the N_WANTED of WANTED in any order; a set and
 * what it leaves are one half if WRAP. */
static void assert_halves(const struct cw_shape *shape, uint32_t n, bool wrap, const uint32_t *wanted,
                          uint32_t n_wanted)
{
    const uint32_t all = (uint32_t)(UINT64_C(1) << n) - 1;
    uint32_t found = 0;
    assert_int_equal(cw_shape_partitions(shape), n_wanted);
    for (uint32_t half = 0; half < n_wanted; half++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < n; i++) bits |= cw_shape_part(shape, half, i) << i;
        for (uint32_t i = 0; i < n_wanted; i++)
            if (bits == wanted[i] || (wrap && (all & ~bits) == wanted[i])) found |= 1u << i;
    }
    assert_int_equal(found, (1u << n_wanted) - 1);
}

static void test_halves(void **state)
{
    (void)state;
    /* Switch x + 3y of 3 x 4: single columns, and two rows of four. */
    static const uint32_t torus[] = {0x249, 0x492, 0x924, 0x03f, 0x1f8}, mesh[] = {0x249, 0x6db, 0x007, 0x03f, 0x1ff};
    const struct cw_torus sizes = {.n = 2, .k = {3, 4}, .wrap = true}, open = {.n = 2, .k = {3, 4}};
    assert_halves(&(struct cw_shape){.kind = &cw_shape_torus, .torus = sizes}, 12, true, torus, 5);
    assert_halves(&(struct cw_shape){.kind = &cw_shape_torus, .torus = open}, 12, false, mesh, 5);
    const struct cw_hyperx hyperx = {.n = 2, .s = {3, 4}, .k = {1, 1}, .t = 1};
    assert_halves(&(struct cw_shape){.kind = &cw_shape_hyperx, .hyperx = hyperx}, 12, true, torus, 5);
    const struct cw_torus flat = {.n = 3, .k = {1, 2, 1}, .wrap = true};
    assert_halves(&(struct cw_shape){.kind = &cw_shape_torus, .torus = flat}, 2, true, (uint32_t[]){1}, 1);
}

/* Switches of one level or lower are in one part if ways join them that go no higher; those above are alone. */
static void assert_subtrees(const uint32_t *m, const uint32_t *w, const uint32_t *up)
{
    struct cw_network *net = sample_xgft(3, m, w, up);
    const struct cw_shape *shape = &net->shape;
    const uint32_t n = net->n_endpoints, n_switches = cw_network_switches(net);
    assert_int_equal(cw_shape_partitions(shape), 2);
    for (uint32_t partition = 0, end = n; partition < 2; partition++) {
        uint32_t of[64]; /* the lowest vertex of the same subtree */
        end += (uint32_t)cw_xgft_level_size(&shape->xgft, partition + 1);
        assert_true(net->n_vertices <= 64);
        for (uint32_t v = 0; v < net->n_vertices; v++) of[v] = v;
        for (uint32_t round = 0; round < 4; round++)
            for (uint32_t c = 0; c < net->n_channels; c++)
                if (net->head[c] < end && net->tail[c] < end && of[net->tail[c]] < of[net->head[c]])
                    of[net->head[c]] = of[net->tail[c]];
        for (uint32_t a = 0; a < n_switches; a++) {
            assert_true(cw_shape_part(shape, partition, a) < n_switches);
            for (uint32_t b = 0; b < n_switches; b++)
                assert_int_equal(cw_shape_part(shape, partition, a) == cw_shape_part(shape, partition, b),
                                 of[n + a] == of[n + b]);
        }
    }
    cw_network_free(net);
}

static void test_subtrees(void **state)
{
    (void)state;
    assert_subtrees((uint32_t[]){2, 3, 2}, (uint32_t[]){1, 2, 3}, (uint32_t[]){1, 2, 3});
    assert_subtrees((uint32_t[]){2, 2, 4}, (uint32_t[]){2, 2, 1}, (uint32_t[]){2, 2, 1});
    /* One with groups: the parts are these, and nothing else is known. */
    const struct cw_shape dragonfly = {.kind = &cw_shape_dragonfly, .dragonfly = {.p = 2, .a = 4, .h = 1, .g = 5}};
    assert_int_equal(cw_shape_partitions(&dragonfly), 1);
    for (uint32_t i = 0; i < 20; i++) assert_int_equal(cw_shape_part(&dragonfly, 0, i), i / 4);
    assert_int_equal(cw_shape_partitions(&(struct cw_shape){0}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_sizes_saturate),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_longest_name),
        cmocka_unit_test(test_names_are_in_natural_order),
        cmocka_unit_test(test_graphs_have_their_shape),
        cmocka_unit_test(test_graphs_without_their_shape),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_subtrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
