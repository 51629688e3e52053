/* The experiments: which points they have, that their demands are those of the manuscript, and that what is computed of
 * them is what counting by hand gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../skip.h"
#include "base/error.h"
#include "net/network_internal.h"
#include "study/papers/optiq_points.h"

static void test_which(void **state)
{
    (void)state;
    /* by size: 4, fixed, destinations, distance, 5, messages, paths, patterns */
    static const struct {
        size_t n_partitions;
        uint32_t smallest, largest, base;
        size_t points[CW_OPTIQ_FIGURES];
    } expected[] = {[CW_OPTIQ_QUICK] = {2, 128, 256, 128, {30, 10, 30, 135, 91, 15, 44, 364}},
                    [CW_OPTIQ_SMALL] = {3, 512, 2048, 512, {45, 15, 30, 135, 91, 15, 44, 364}},
                    [CW_OPTIQ_ALL] = {5, 512, 8192, 2048, {75, 25, 30, 135, 91, 15, 44, 364 + 546}}};
    for (int sizes = CW_OPTIQ_QUICK; sizes <= CW_OPTIQ_ALL; sizes++) {
        struct cw_optiq_points points;
        if (cw_optiq_points_begin((enum cw_optiq_sizes)sizes, &points)) fail_msg("%s", cw_error_message());
        assert_int_equal(points.n_partitions, expected[sizes].n_partitions);
        assert_int_equal(points.nets[0]->n_endpoints, expected[sizes].smallest);
        assert_int_equal(points.nets[points.n_partitions - 1]->n_endpoints, expected[sizes].largest);
        assert_int_equal(points.nets[points.base]->n_endpoints, expected[sizes].base);
        for (size_t i = 0; i < points.n_partitions; i++) /* 9 to other nodes, one into the node and one out of it */
            assert_true(sizes == CW_OPTIQ_QUICK || points.nets[i]->n_channels == 11 * points.nets[i]->n_endpoints);
        for (int figure = 0; figure < CW_OPTIQ_FIGURES; figure++) {
            const size_t first = points.n;
            assert_int_equal(cw_optiq_points_add(&points, (enum cw_optiq_figure)figure), 0);
            assert_int_equal(points.n - first, expected[sizes].points[figure]);
            for (size_t i = first; i < points.n; i++) assert_int_equal(points.items[i].figure, figure);
        }
        cw_optiq_points_free(&points);
    }
}

/* Chunks are 64 KiB, for subset patterns 128; in figure 5 16 KiB to 1 MiB; messages are 8 KiB to 32 MiB. */
static void test_sizes(void **state)
{
    (void)state;
    struct cw_optiq_points points;
    assert_int_equal(cw_optiq_points_begin(CW_OPTIQ_QUICK, &points), 0);
    for (int figure = 0; figure < CW_OPTIQ_FIGURES; figure++)
        assert_int_equal(cw_optiq_points_add(&points, (enum cw_optiq_figure)figure), 0);
    for (size_t i = 0; i < points.n; i++) {
        const struct cw_optiq_point *point = &points.items[i];
        const struct cw_optiq_variant *first = &point->variants[0], *last = &point->variants[point->n_variants - 1];
        if (point->figure == CW_OPTIQ_CHUNKS) {
            assert_true(first->chunk == 16 << 10 && last->chunk == 1 << 20);
        } else {
            const bool subset = point->m == 0 && strtol(point->pattern, NULL, 10) >= 64;
            assert_int_equal(last->chunk, (subset ? 128 : 64) << 10);
        }
        assert_int_equal(last->bytes, point->figure == CW_OPTIQ_MESSAGES ? 32 << 20 : 1 << 20);
        if (point->figure == CW_OPTIQ_MESSAGES) assert_int_equal(first->bytes, 8192);
        if (point->figure == CW_OPTIQ_DISTANCE) {
            assert_true(point->m == 8 && point->n == 16 && point->first >= 8 && point->first + 16 <= 128);
            assert_true(point->method > 0 || point->first % 4 == 0);
        }
        if (point->figure != CW_OPTIQ_PATHS) assert_true(point->k == 16 && point->ties == CW_TIES_PENALISED);
    }
    cw_optiq_points_free(&points);
}

/* 1 / the demands that the default routes of pattern m x n, destinations from FIRST on, put on one channel; and the
 * mean of their lengths. */
static double default_z(const struct cw_network *net, const struct cw_routes *routes, uint32_t m, uint32_t n,
                        uint32_t first, double *distance)
{
    uint32_t *load = calloc(net->n_channels, sizeof *load), most = 0, hops = 0;
    assert_non_null(load);
    for (uint32_t i = 0; i < (m > n ? m : n); i++) {
        struct cw_walk walk = {0};
        struct cw_hop hop;
        const uint32_t src = m > n ? i : i / (n / m), dst = first + (m > n ? i / (m / n) : i);
        assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
        while (cw_walk_candidates(&walk, &hop, 1) == 1) {
            cw_walk_take(&walk, hop);
            const uint32_t tail = net->tail[hop.channel], head = net->head[hop.channel];
            if (tail < net->n_endpoints || head < net->n_endpoints) continue; /* the inside of a node */
            if (++load[hop.channel] > most) most = load[hop.channel];
            hops++;
        }
        cw_walk_end(&walk);
    }
    free(load);
    *distance = (double)hops / (m > n ? m : n);
    return 1.0 / most;
}

struct seen {
    const struct cw_optiq_points *points;
    size_t begun, finished;
};

static void count(void *context, size_t begun, size_t point)
{
    struct seen *seen = context;
    assert_int_equal(begun, ++seen->begun);
    assert_false(seen->points->items[point].done);
}

static int end(void *context, size_t first, size_t n, bool complete)
{
    struct seen *seen = context;
    assert_int_equal(first, seen->finished);
    assert_true(complete);
    seen->finished += n;
    return 0;
}

static void run(struct cw_optiq_points *points, unsigned n_threads)
{
    struct seen seen = {.points = points};
    const struct cw_figure_study study = {.n_threads = n_threads, .before = count, .after = end, .context = &seen};
    assert_int_equal(cw_optiq_points_begin(CW_OPTIQ_QUICK, points), 0);
    assert_int_equal(cw_optiq_points_add(points, CW_OPTIQ_DESTINATIONS), 0);
    assert_int_equal(cw_optiq_points_add(points, CW_OPTIQ_DISTANCE), 0);
    if (cw_optiq_points_run(&study, points)) fail_msg("%s", cw_error_message());
    assert_true(seen.begun == points->n && seen.finished == points->n);
}

static void test_run(void **state)
{
    (void)state;
    struct cw_optiq_points one, two;
    run(&one, 1);
    run(&two, 2);
    for (size_t i = 0; i < one.n; i++) {
        const struct cw_optiq_point *point = &one.items[i], *other = &two.items[i];
        const struct cw_optiq_variant *variant = &point->variants[0];
        const uint32_t m = point->m > 0 ? point->m : 8, first = point->m > 0 ? point->first : 128 - point->n;
        const uint32_t pairs = m > point->n ? m : point->n;
        assert_true(point->done);
        assert_int_equal(point->pairs, pairs);
        assert_true(point->z == other->z && variant->seconds == other->variants[0].seconds);
        assert_true(fabs(variant->bytes_per_second * variant->seconds / (pairs * (double)variant->bytes) - 1) < 1e-9);
        double distance;
        const double z = default_z(point->net, point->routes, m, point->n, first, &distance);
        if (point->method == CW_OPTIQ_DEFAULT && fabs(point->z - z) > 1e-9)
            fail_msg("%s: z = %g, counted %g", point->pattern, point->z, z);
        if (fabs(point->distance - distance) > 1e-9)
            fail_msg("%s: distance %g, counted %g", point->pattern, point->distance, distance);
        if (point->method == CW_OPTIQ_OPTIMUM) assert_true(fabs(point->z - point->bound) < 1e-6);
    }
    /* No method beats the optimum; the methods of a pattern stand in a row, that one last. */
    for (size_t i = 0; i < one.n; i += CW_OPTIQ_METHODS)
        for (size_t k = i; k < i + CW_OPTIQ_METHODS; k++)
            if (one.items[k].z > one.items[i + 4].z + 1e-6)
                fail_msg("%s: %g, optimum %.9g", one.items[k].pattern, one.items[k].z, one.items[i + 4].z);
    cw_optiq_points_free(&one);
    cw_optiq_points_free(&two);
}

/* What a plan does with one of several message and chunk sizes is what it does with that alone. */
static void test_variants(void **state)
{
    (void)state;
    const struct cw_figure_study study = {.n_threads = 1};
    struct cw_optiq_points points;
    assert_int_equal(cw_optiq_points_begin(CW_OPTIQ_QUICK, &points), 0);
    assert_int_equal(cw_optiq_points_add(&points, CW_OPTIQ_CHUNKS), 0);
    assert_int_equal(cw_optiq_points_add(&points, CW_OPTIQ_MESSAGES), 0);
    const struct cw_optiq_point chunks = points.items[27], messages = points.items[91 + CW_OPTIQ_GREEDY];
    points.n = 0;
    for (int which = 0; which < 2; which++) {
        struct cw_optiq_point point = which ? messages : chunks;
        if (which) point.n_variants = 4; /* to 512 KiB */
        points.items[points.n++] = point;
        for (size_t v = 0; v < point.n_variants; v++) {
            points.items[points.n] = point;
            points.items[points.n].variants[0] = point.variants[v];
            points.items[points.n++].n_variants = 1;
        }
    }
    if (cw_optiq_points_run(&study, &points)) fail_msg("%s", cw_error_message());
    for (size_t i = 0; i < points.n;) {
        const struct cw_optiq_point *point = &points.items[i++];
        assert_true(point->n_variants > 1);
        for (size_t v = 0; v < point->n_variants; v++, i++) {
            const struct cw_optiq_variant *one = &point->variants[v], *alone = &points.items[i].variants[0];
            if (one->seconds != alone->seconds)
                fail_msg("%g s with chunks of %zu, alone %g", one->seconds, (size_t)one->chunk, alone->seconds);
            assert_true(v == 0 || one->seconds != point->variants[v - 1].seconds);
        }
    }
    cw_optiq_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_run), cmocka_unit_test(test_variants)};
    return run_cases(tests);
}
