/* Layouts: who is in which box, which line has which cable, and that nothing stands on anything else; on every example
 * of every topology, and on the parts that are particular to a form. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/builder.h"
#include "net/faults.h"
#include "topo/layout.h"

static struct cw_layout *layout_of(const struct cw_network *net)
{
    struct cw_layout *layout = NULL;
    if (cw_layout_new(net, &layout)) fail_msg("%s", cw_error_message());
    return layout;
}

/* Each vertex is in one box, which lists it. */
static void check_boxes(const struct cw_network *net, const struct cw_layout *layout)
{
    uint32_t n = 0;
    for (size_t i = 0; i < layout->n_boxes; i++) {
        const struct cw_layout_box *box = &layout->boxes[i];
        uint32_t endpoints = 0;
        assert_int_equal(box->first, n);
        n += box->endpoints + box->switches;
        assert_true(box->endpoints + box->switches > 0);
        for (uint32_t k = 0; k < box->endpoints + box->switches; k++) {
            const uint32_t v = layout->vertices[box->first + k];
            assert_int_equal(layout->box_of[v], i);
            assert_true(k == 0 || v > layout->vertices[box->first + k - 1]);
            endpoints += v < net->n_endpoints;
        }
        assert_int_equal(endpoints, box->endpoints);
        assert_true(box->x - box->width / 2 > -1e-6 && box->x + box->width / 2 < layout->width + 1e-6);
        assert_true(box->y - box->height / 2 > -1e-6 && box->y + box->height / 2 < layout->height + 1e-6);
        for (size_t k = 0; k < i; k++) {
            const struct cw_layout_box *other = &layout->boxes[k];
            if (fabs(box->x - other->x) < (box->width + other->width) / 2 - 1e-6 &&
                fabs(box->y - other->y) < (box->height + other->height) / 2 - 1e-6)
                fail_msg("%s: boxes %zu and %zu overlap", net->title, k, i);
        }
    }
    assert_int_equal(n, net->n_vertices);
}

/* Each cable between two boxes is in the one line between these; lines differ. */
static void check_lines(const struct cw_network *net, const struct cw_layout *layout)
{
    uint32_t *times = calloc(net->n_channels + 1, sizeof *times), n = 0;
    assert_non_null(times);
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct cw_layout_line *line = &layout->lines[i];
        assert_true(line->a < line->b && line->b < layout->n_boxes && line->n > 0);
        assert_int_equal(line->first, n);
        n += line->n;
        if (i > 0) {
            const struct cw_layout_line *last = line - 1;
            assert_true(last->a < line->a || (last->a == line->a && last->b < line->b));
        }
        for (uint32_t k = 0; k < line->n; k++) {
            const uint32_t c = layout->cables[line->first + k];
            assert_int_equal(layout->box_of[net->tail[c]], line->a);
            assert_int_equal(layout->box_of[net->head[c]], line->b);
            times[c < net->twin[c] ? c : net->twin[c]]++;
        }
    }
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (c < net->twin[c]) assert_int_equal(times[c], layout->box_of[net->tail[c]] != layout->box_of[net->head[c]]);
    free(times);
}

/* The same network, the same layout. */
static void check_repeated(const struct cw_network *net, const struct cw_layout *layout)
{
    struct cw_layout *again = layout_of(net);
    assert_int_equal(again->n_boxes, layout->n_boxes);
    assert_int_equal(again->n_lines, layout->n_lines);
    for (size_t i = 0; i < layout->n_boxes; i++)
        assert_true(again->boxes[i].x == layout->boxes[i].x && again->boxes[i].y == layout->boxes[i].y);
    for (size_t i = 0; i < layout->n_lines; i++) assert_true(again->lines[i].bend == layout->lines[i].bend);
    cw_layout_free(again);
}

static struct cw_layout *check(const struct cw_network *net)
{
    struct cw_layout *layout = layout_of(net);
    check_boxes(net, layout);
    check_lines(net, layout);
    check_repeated(net, layout);
    return layout;
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; cw_topologies[i]; i++)
        for (size_t k = 0; cw_topologies[i]->examples[k]; k++) {
            struct cw_network *net = build(cw_topologies[i]->examples[k]);
            cw_layout_free(check(net));
            cw_network_free(net);
        }
}

/* What each is drawn as, and in how many boxes and lines at most: it must be possible to look at. */
static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        enum cw_layout_form form;
        size_t boxes, lines; /* 0: any number */
    } cases[] = {
        {"crossbar:16", CW_LAYOUT_LEVELS, 17, 16},
        {"crossbar:100", CW_LAYOUT_LEVELS, 2, 1},
        {"xgft:2:4,4:1,2", CW_LAYOUT_LEVELS, 16 + 4 + 2, 16 + 8},
        {"xgft:2:12,24:1,12", CW_LAYOUT_LEVELS, 24 + 24 + 12, 24 + 24 * 12},
        {"xgft:3:24,24,36:1,24,12", CW_LAYOUT_LEVELS, 18 + 18 + 18 + 24, 18 + 18 + 18 * 24}, /* pairs of 36 pods */
        {"xgft:2:4,100:1,4", CW_LAYOUT_LEVELS, 25 + 25 + 4, 25 + 25 * 4},                    /* fours of 100 leaves */
        {"rail:16,8,8,pods=4,spines=4", CW_LAYOUT_PLANES, 16 + 16 + 32 + 4, 16 + 16 * 8 + 32 * 4},
        {"torus:4x4", CW_LAYOUT_GRID, 16, 32},
        {"torus:4x4x4", CW_LAYOUT_GRID, 64, 192},
        {"mesh:8x8", CW_LAYOUT_GRID, 64, 112},
        {"torus:144x144", CW_LAYOUT_GRID, 24 * 24, 2 * 24 * 24},
        {"torus:8x8x8", CW_LAYOUT_GRID, 64, 128}, /* the third dimension is put together */
        {"hypercube:10", CW_LAYOUT_GRID, 128, 0},
        {"hyperx:6x6,4", CW_LAYOUT_GRID, 36, 180},
        {"hyperx:36x36,16", CW_LAYOUT_GRID, 64, 2 * 8 * 28},
        {"dragonfly:4,8,4", CW_LAYOUT_RING, 264, 33 * 28 + 528},
        {"dragonfly:12,24,12,g=72", CW_LAYOUT_RING, 24, 24 * 23 / 2},
        {"slimfly:5", CW_LAYOUT_RING, 50, 175},
        {"slimfly:13", CW_LAYOUT_RING, 26, 13 * 13},
        {"megafly:4,4,4,4,g=9", CW_LAYOUT_RING, 72, 9 * 16 + 9 * 8},
        {"jellyfish:40,5,4", CW_LAYOUT_FORCES, 40, 100},
        {"jellyfish:1000,8,4", CW_LAYOUT_FORCES, 32, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = build(cases[i].spec);
        struct cw_layout *layout = check(net);
        if (layout->form != cases[i].form || layout->n_boxes != cases[i].boxes ||
            (cases[i].lines > 0 && layout->n_lines != cases[i].lines))
            fail_msg("%s has form %d, %zu boxes and %zu lines", cases[i].spec, layout->form, layout->n_boxes,
                     layout->n_lines);
        cw_layout_free(layout);
        cw_network_free(net);
    }
}

static const struct cw_layout_box *box_of(const struct cw_layout *layout, const struct cw_network *net,
                                          const char *name)
{
    const uint32_t v = cw_network_find(net, name);
    assert_int_not_equal(v, CW_NONE);
    return &layout->boxes[layout->box_of[v]];
}

/* Endpoints below, and each level above the one before. */
static void test_levels(void **state)
{
    (void)state;
    struct cw_network *net = build("xgft:3:2,2,2:1,2,2");
    struct cw_layout *layout = check(net);
    const struct cw_layout_box *host = box_of(layout, net, "h0"), *leaf = box_of(layout, net, "s1.0"),
                               *middle = box_of(layout, net, "s2.0"), *top = box_of(layout, net, "s3.0");
    assert_true(host->y > leaf->y && leaf->y > middle->y && middle->y > top->y);
    assert_true(host->level == 0 && leaf->level == 1 && middle->level == 2 && top->level == 3);
    assert_true(box_of(layout, net, "h1")->x > host->x &&
                fabs(leaf->x - (host->x + box_of(layout, net, "h1")->x) / 2) < 1e-6);
    /* both leaves of a pod are left of those of the other, and so are its middle switches */
    assert_true(box_of(layout, net, "s1.1")->x < box_of(layout, net, "s1.2")->x);
    assert_true(box_of(layout, net, "s2.1")->x < box_of(layout, net, "s2.2")->x);
    cw_layout_free(layout);
    cw_network_free(net);
}

/* Switches of one box look alike: they have cables to the same switches of the next level. */
static void test_alike(void **state)
{
    (void)state;
    struct cw_network *net = build("xgft:2:4,100:1,4");
    struct cw_faults *faults;
    struct cw_network *broken;
    assert_int_equal(cw_faults_new(net, &faults), 0);
    assert_int_equal(cw_faults_fail(faults, "--failed", "s1.37-s2.1", 1), 0);
    assert_int_equal(cw_network_with_faults(faults, &broken), 0);
    struct cw_layout *layout = check(broken);
    assert_int_equal(box_of(layout, broken, "s1.37")->switches, 1); /* alone */
    assert_true(box_of(layout, broken, "s1.36")->switches > 2);
    assert_non_null(strstr(layout->merged.data, "100 switches of level 1 are "));
    assert_non_null(strstr(layout->merged.data, "the same cables to the next level"));
    cw_layout_free(layout);
    cw_network_free(broken);
    cw_faults_free(faults);
    cw_network_free(net);
}

/* A folded ring: neighbours are two cells apart at most, and lines that pass a box bend around it. */
static void test_folded(void **state)
{
    (void)state;
    struct cw_network *net = build("torus:9x3");
    struct cw_layout *layout = check(net);
    const double cell = box_of(layout, net, "s(8,0)")->x - box_of(layout, net, "s(0,0)")->x;
    assert_true(cell > box_of(layout, net, "s(0,0)")->width);
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct cw_layout_box *a = &layout->boxes[layout->lines[i].a], *b = &layout->boxes[layout->lines[i].b];
        assert_true(fabs(a->x - b->x) < 2 * cell + 1e-6);
        if (fabs(a->x - b->x) > 1.5 * cell) assert_true(fabs(layout->lines[i].bend) > a->height / 2);
    }
    cw_layout_free(layout);
    cw_network_free(net);
    net = build("mesh:9x3"); /* has no rings, and is not folded */
    layout = check(net);
    assert_true(box_of(layout, net, "s(8,0)")->x - box_of(layout, net, "s(0,0)")->x > 7.9 * cell);
    for (size_t i = 0; i < layout->n_lines; i++) assert_true(layout->lines[i].bend == 0);
    cw_layout_free(layout);
    cw_network_free(net);
}

/* Rails: the leaves of one stand together, on a panel with its number. */
static void test_rails(void **state)
{
    (void)state;
    struct cw_network *net = build("rail:8,4,4,pods=2,spines=2");
    struct cw_layout *layout = check(net);
    assert_int_equal(layout->n_panels, 4);
    for (uint32_t r = 0; r < 4; r++) {
        const struct cw_layout_panel *panel = &layout->panels[r];
        char name[16];
        snprintf(name, sizeof name, "rail %u", r);
        assert_string_equal(panel->label, name);
        for (uint32_t v = net->n_endpoints + 8; v < net->n_endpoints + 16; v++) { /* leaves: pod · 4 + rail */
            const struct cw_layout_box *box = &layout->boxes[layout->box_of[v]];
            const bool within =
                fabs(box->x - panel->x) < panel->width / 2 && fabs(box->y - panel->y) < panel->height / 2;
            assert_int_equal(within, (v - net->n_endpoints) % 4 == r);
        }
    }
    cw_layout_free(layout);
    cw_network_free(net);
}

/* All boxes of a ring are as far from its middle, in the order of groups; lines within a group stay outside. */
static void test_ring(void **state)
{
    (void)state;
    struct cw_network *net = build("dragonfly:2,4,2");
    struct cw_layout *layout = check(net);
    double x = 0, y = 0;
    for (size_t i = 0; i < layout->n_boxes; i++) {
        x += layout->boxes[i].x / (double)layout->n_boxes;
        y += layout->boxes[i].y / (double)layout->n_boxes;
    }
    const double radius = hypot(layout->boxes[0].x - x, layout->boxes[0].y - y);
    for (size_t i = 0; i < layout->n_boxes; i++)
        assert_true(fabs(hypot(layout->boxes[i].x - x, layout->boxes[i].y - y) - radius) < 1e-6);
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct cw_layout_line *line = &layout->lines[i];
        const struct cw_layout_box *a = &layout->boxes[line->a], *b = &layout->boxes[line->b];
        const bool within = layout->vertices[a->first + 2] / 4 == layout->vertices[b->first + 2] / 4;
        const double dx = b->x - a->x, dy = b->y - a->y, far = hypot(dx, dy);
        const double middle =
            hypot((a->x + b->x) / 2 + dy / far * line->bend - x, (a->y + b->y) / 2 - dx / far * line->bend - y);
        if (within && line->bend != 0) assert_true(middle > radius + 5);
        if (!within) assert_true(line->bend == 0);
    }
    assert_int_equal(layout->n_panels, 9);
    cw_layout_free(layout);
    cw_network_free(net);
}

/* Endpoints without a cable, switches without endpoints, and nothing at all. */
static void test_odd_networks(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(4, 3, 4);
    struct cw_network *net;
    cw_builder_cable(builder, 0, 0, 4, 0, 1e9, 0);
    cw_builder_cable(builder, 1, 0, 4, 0, 1e9, 0);
    cw_builder_cable(builder, 4, 0, 5, 0, 1e9, 0); /* 5 is above, 6 is loose, 2 and 3 are apart */
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    struct cw_layout *layout = check(net);
    assert_int_equal(layout->box_of[2], layout->box_of[3]);
    assert_int_not_equal(layout->box_of[2], layout->box_of[0]);
    cw_layout_free(layout);
    cw_network_free(net);
    builder = cw_builder_new(2, 0, 1);
    cw_builder_cable(builder, 0, 0, 1, 0, 1e9, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    cw_layout_free(check(net));
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_levels),   cmocka_unit_test(test_alike),
                                       cmocka_unit_test(test_folded),   cmocka_unit_test(test_rails),
                                       cmocka_unit_test(test_ring),     cmocka_unit_test(test_odd_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
