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
#include "net/network_internal.h"
#include "paper_example.h"
#include "study/papers/optiq_paper.h"

static struct cw_paper_run begin(enum cw_paper_sizes sizes, struct cw_paper_setup *setup)
{
    *setup = (struct cw_paper_setup){.sizes = sizes};
    return begin_run(&cw_paper_optiq, setup);
}

static void test_which(void **state)
{
    (void)state;
    /* by size: 4, fixed, destinations, distance, 5, messages, paths, patterns */
    static const struct {
        size_t n_networks;
        uint32_t smallest, largest, base;
        size_t points[CW_OPTIQ_FIGURES];
    } expected[] = {[CW_SIZES_QUICK] = {2, 128, 256, 128, {30, 10, 30, 135, 91, 15, 44, 364}},
                    [CW_SIZES_SMALL] = {3, 512, 2048, 512, {45, 15, 30, 135, 91, 15, 44, 364}},
                    [CW_SIZES_ALL] = {5, 512, 8192, 2048, {75, 25, 30, 135, 91, 15, 44, 364 + 546}}};
    for (int sizes = CW_SIZES_QUICK; sizes <= CW_SIZES_ALL; sizes++) {
        struct cw_paper_setup setup;
        struct cw_paper_run run = begin((enum cw_paper_sizes)sizes, &setup);
        const struct cw_optiq_networks *made = run.data;
        assert_int_equal(made->n, expected[sizes].n_networks);
        assert_int_equal(made->nets[0]->n_endpoints, expected[sizes].smallest);
        assert_int_equal(made->nets[made->n - 1]->n_endpoints, expected[sizes].largest);
        assert_int_equal(made->nets[made->base]->n_endpoints, expected[sizes].base);
        for (size_t i = 0; i < made->n; i++) /* 9 to other nodes, one into the node and one out of it */
            assert_true(sizes == CW_SIZES_QUICK || made->nets[i]->n_channels == 11 * made->nets[i]->n_endpoints);
        for (size_t figure = 0; figure < CW_OPTIQ_FIGURES; figure++) {
            const size_t first = run.points.n;
            assert_int_equal(run.paper->add(&run, figure), 0);
            assert_int_equal(run.points.n - first, expected[sizes].points[figure]);
            const struct cw_optiq_point *items = run.points.items;
            for (size_t i = first; i < run.points.n; i++) assert_int_equal(items[i].point.figure, figure);
        }
        end_run(&run);
    }
}

/* Chunks are 64 KiB, for subset patterns 128; in figure 5 16 KiB to 1 MiB; messages are 8 KiB to 32 MiB. */
static void test_sizes(void **state)
{
    (void)state;
    struct cw_paper_setup setup;
    struct cw_paper_run run = begin(CW_SIZES_QUICK, &setup);
    for (size_t figure = 0; figure < CW_OPTIQ_FIGURES; figure++) assert_int_equal(run.paper->add(&run, figure), 0);
    const struct cw_optiq_point *items = run.points.items;
    for (size_t i = 0; i < run.points.n; i++) {
        const struct cw_optiq_point *point = &items[i];
        const struct cw_optiq_variant *first = &point->variants[0], *last = &point->variants[point->n_variants - 1];
        const size_t figure = point->point.figure;
        if (figure == CW_OPTIQ_CHUNKS) {
            assert_true(first->chunk == 16 << 10 && last->chunk == 1 << 20);
        } else {
            const bool subset = point->m == 0 && strtol(point->pattern, NULL, 10) >= 64;
            assert_int_equal(last->chunk, (subset ? 128 : 64) << 10);
        }
        assert_int_equal(last->bytes, figure == CW_OPTIQ_MESSAGES ? 32 << 20 : 1 << 20);
        if (figure == CW_OPTIQ_MESSAGES) assert_int_equal(first->bytes, 8192);
        if (figure == CW_OPTIQ_DISTANCE) {
            assert_true(point->m == 8 && point->n == 16 && point->first >= 8 && point->first + 16 <= 128);
            assert_true(point->method > 0 || point->first % 4 == 0);
        }
        if (figure != CW_OPTIQ_PATHS) assert_true(point->k == 16 && point->ties == CW_TIES_PENALISED);
    }
    end_run(&run);
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

static void test_run(void **state)
{
    (void)state;
    struct cw_paper_setup setup;
    struct cw_paper_run run = begin(CW_SIZES_QUICK, &setup);
    assert_int_equal(run.paper->add(&run, CW_OPTIQ_DESTINATIONS), 0);
    assert_int_equal(run.paper->add(&run, CW_OPTIQ_DISTANCE), 0);
    compute_points(&run, 0, run.points.n);
    const struct cw_optiq_point *items = run.points.items;
    for (size_t i = 0; i < run.points.n; i++) {
        const struct cw_optiq_point *point = &items[i];
        const struct cw_optiq_variant *variant = &point->variants[0];
        const uint32_t m = point->m > 0 ? point->m : 8, first = point->m > 0 ? point->first : 128 - point->n;
        const uint32_t pairs = m > point->n ? m : point->n;
        assert_int_equal(point->pairs, pairs);
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
    for (size_t i = 0; i < run.points.n; i += CW_OPTIQ_METHODS)
        for (size_t k = i; k < i + CW_OPTIQ_METHODS; k++)
            if (items[k].z > items[i + 4].z + 1e-6)
                fail_msg("%s: %g, optimum %.9g", items[k].pattern, items[k].z, items[i + 4].z);
    end_run(&run);
}

/* What a plan does with one of several message and chunk sizes is what it does with that alone. */
static void test_variants(void **state)
{
    (void)state;
    struct cw_paper_setup setup;
    struct cw_paper_run run = begin(CW_SIZES_QUICK, &setup);
    assert_int_equal(run.paper->add(&run, CW_OPTIQ_CHUNKS), 0);
    assert_int_equal(run.paper->add(&run, CW_OPTIQ_MESSAGES), 0);
    const struct cw_optiq_point *made = run.points.items;
    struct cw_optiq_point both[] = {made[27], made[91 + CW_OPTIQ_GREEDY]};
    both[1].n_variants = 4; /* to 512 KiB */
    for (int which = 0; which < 2; which++) {
        struct cw_optiq_point all = both[which];
        assert_true(all.n_variants > 1);
        assert_int_equal(run.paper->compute(&run, &all), 0);
        for (size_t v = 0; v < all.n_variants; v++) {
            struct cw_optiq_point alone = both[which];
            alone.variants[0] = alone.variants[v];
            alone.n_variants = 1;
            assert_int_equal(run.paper->compute(&run, &alone), 0);
            if (all.variants[v].seconds != alone.variants[0].seconds)
                fail_msg("%g s with chunks of %zu, alone %g", all.variants[v].seconds, (size_t)all.variants[v].chunk,
                         alone.variants[0].seconds);
            assert_true(v == 0 || all.variants[v].seconds != all.variants[v - 1].seconds);
        }
    }
    end_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_run), cmocka_unit_test(test_variants)};
    return run_cases(tests);
}
