/* Columns, and what pruning and potential reduction do to their flows. */
#include "method_test.h"

#include "base/stopwatch.h"
#include "flow/columns.h"
#include "flow/cuts.h"
#include "flow/potential_reduction.h"
#include "net/network_internal.h"

/* All K paths of every demand as columns, the flow spread at random. */
static struct cw_columns spread(const struct scene *scene, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 0);
    struct cw_columns columns = {.problem = NULL};
    must(cw_columns_make(&scene->problem, &columns));
    for (size_t d = 0; d < scene->demands.n; d++) {
        const size_t begin = scene->paths.first[d], end = scene->paths.first[d + 1];
        double left = columns.amount[d];
        for (size_t p = begin; p < end; p++) {
            uint32_t column;
            must(cw_columns_add(&columns, (uint32_t)d, scene->paths.channel + scene->paths.begin[p],
                                (uint32_t)(scene->paths.begin[p + 1] - scene->paths.begin[p]), &column));
            const double flow = p + 1 < end ? left * cw_random_unit(&random) : left;
            columns.items[column].flow = flow;
            left -= flow;
        }
    }
    return columns;
}

static double most_loaded(const struct cw_columns *columns)
{
    double *load = zeros(columns->problem->net->n_channels, sizeof *load);
    const double most = cw_columns_load(columns, load);
    free(load);
    return most;
}

/* Flow times hops; every demand is still complete. */
static double flow_hops(const struct cw_columns *columns)
{
    double sum = 0;
    for (size_t d = 0; d < columns->problem->demands->n; d++) {
        double flow = 0;
        for (uint32_t j = columns->first[d]; j != CW_NONE; j = columns->items[j].next) {
            assert_true(columns->items[j].flow >= 0);
            flow += columns->items[j].flow;
            sum += columns->items[j].flow * columns->items[j].n;
        }
        if (!(fabs(flow - columns->amount[d]) < 1e-9))
            fail_msg("demand %zu: %.12g of %.12g", d, flow, columns->amount[d]);
    }
    return sum;
}

static size_t paths_in_use(const struct cw_columns *columns)
{
    size_t n = 0;
    for (size_t j = 0; j < columns->n; j++) n += columns->items[j].flow > 0;
    return n;
}

static void no_path_twice(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:4x4", "permutation", NULL, 6);
    struct cw_columns columns = spread(scene, 1);
    const size_t n = columns.n;
    assert_int_equal(n, scene->paths.n_paths);
    for (size_t p = 0; p < scene->paths.first[1]; p++) {
        uint32_t column;
        must(cw_columns_add(&columns, 0, scene->paths.channel + scene->paths.begin[p],
                            (uint32_t)(scene->paths.begin[p + 1] - scene->paths.begin[p]), &column));
        assert_int_equal(column, p);
    }
    assert_int_equal(columns.n, n);
    cw_columns_free(&columns);
    scene_free(scene);
}

static void pruning_costs_nothing(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 8; trial++) {
        struct scene *scene = trial % 2 ? scene_random(trial, 8, 20, 8) : scene_of("torus:4x4", "3", NULL, 8);
        struct cw_columns columns = spread(scene, trial);
        const double most = most_loaded(&columns), hops = flow_hops(&columns);
        const size_t used = paths_in_use(&columns);
        must(cw_columns_prune(&columns));
        assert_true(most_loaded(&columns) <= most * (1 + 1e-12));
        assert_true(flow_hops(&columns) < hops && paths_in_use(&columns) < used);
        cw_columns_free(&columns);
        scene_free(scene);
    }
}

/* All demands between neighbours on a ring, loaded half: everything fits on the shortest paths. */
static void pruning_takes_detours_out(void **state)
{
    (void)state;
    struct scene *scene = zeros(1, sizeof *scene);
    scene->net = network_of("torus:6");
    for (uint32_t i = 0; i < 6; i++) must(cw_demands_add(&scene->demands, i, (i + 1) % 6, 100));
    scene_begin(scene, NULL, 2, CW_TIES_PLAIN, NULL, 0);
    struct cw_columns columns = spread(scene, 1);
    for (size_t j = 0; j < columns.n; j++) columns.items[j].flow = 0.5;
    must(cw_columns_prune(&columns));
    assert_int_equal(paths_in_use(&columns), 6);
    assert_digits(flow_hops(&columns), 6 * 3, 9, "channels, those of nodes included");
    cw_columns_free(&columns);
    scene_free(scene);
}

/* Potential reduction among given paths comes as near as it says, and its lengths prove the bound again. */
static void reduction_proves_its_bound(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4; trial++) {
        struct scene *scene = scene_random(trial, 8, 20, 6);
        struct cw_columns columns = {.problem = NULL};
        struct cw_pricing *pricing = NULL;
        const struct cw_termination termination = {.gap = 0.02, .deadline = INFINITY};
        struct cw_potential_reduction result;
        double *length = zeros(scene->net->n_channels, sizeof *length);
        must(cw_columns_make(&scene->problem, &columns));
        must(cw_pricing_make(&scene->problem, &scene->paths, 1, &pricing));
        must(cw_potential_reduction(&columns, pricing, 0.02, &termination, length, &result));
        flow_hops(&columns);
        assert_digits(result.z * most_loaded(&columns), 1, 9, "z");
        assert_true(result.bound - result.z <= 0.02 * result.bound);
        must(cw_pricing_run(pricing, length));
        assert_digits(cw_pricing_bound(pricing, length) / result.bound, 1, 9, "the bound of its lengths");
        cw_pricing_free(pricing);
        cw_columns_free(&columns);
        free(length);
        scene_free(scene);
    }
}

/* In a large network demands are priced in parts. The bound of the cuts is far too high here, so it comes near only
 * because all are priced where z no longer rises. The same for any number of threads. */
static void reduction_by_parts(void **state)
{
    (void)state;
    double first = 0;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        struct scene *scene = scene_of("jellyfish:1024,3,1", "permutation", NULL, 1);
        struct cw_columns columns = {.problem = NULL};
        struct cw_pricing *pricing = NULL;
        const struct cw_termination termination = {.gap = 0.04, .deadline = INFINITY};
        struct cw_potential_reduction result;
        double *length = zeros(scene->net->n_channels, sizeof *length), cut;
        must(cw_cut_lengths(&scene->problem, length, &cut));
        must(cw_columns_make(&scene->problem, &columns));
        must(cw_pricing_make(&scene->problem, NULL, n_threads, &pricing));
        assert_true(cw_pricing_parts(pricing) > 1);
        must(cw_potential_reduction(&columns, pricing, 0.04, &termination, length, &result));
        assert_true(result.bound < 0.9 * cut && result.z <= result.bound && result.z >= 0.96 * result.bound);
        flow_hops(&columns);
        assert_digits(result.z * most_loaded(&columns), 1, 9, "z");
        must(cw_pricing_run(pricing, length));
        assert_digits(cw_pricing_bound(pricing, length) / result.bound, 1, 9, "the bound of its lengths");
        assert_true(n_threads == 1 || result.z == first);
        first = result.z;
        cw_pricing_free(pricing);
        cw_columns_free(&columns);
        free(length);
        scene_free(scene);
    }
}

/* A search ends where what comes after it would end behind the deadline, with a plan and a bound; these are the first,
 * as long as a pricing takes more than a nanosecond. */
static void reduction_leaves_time(void **state)
{
    (void)state;
    for (int after = 0; after < 2; after++) {
        struct scene *scene = scene_random(1, 8, 20, 6);
        struct cw_columns columns = {.problem = NULL};
        struct cw_pricing *pricing = NULL;
        const double now = cw_stopwatch_now();
        const struct cw_termination termination = {
            .gap = 0.02, .begin = now, .deadline = now + 1e4, .after = after * 1e13};
        struct cw_potential_reduction result;
        double *length = zeros(scene->net->n_channels, sizeof *length);
        must(cw_columns_make(&scene->problem, &columns));
        must(cw_pricing_make(&scene->problem, NULL, 1, &pricing));
        must(cw_potential_reduction(&columns, pricing, 0.02, &termination, length, &result));
        assert_int_equal(result.late, after);
        assert_int_equal(columns.n == scene->demands.n, after);
        assert_true(result.z > 0 && result.bound >= result.z && result.seconds > 0);
        assert_true(after ? result.deadline < now : result.deadline <= termination.deadline);
        cw_pricing_free(pricing);
        cw_columns_free(&columns);
        free(length);
        scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_path_twice),
                                       cmocka_unit_test(pruning_costs_nothing),
                                       cmocka_unit_test(pruning_takes_detours_out),
                                       cmocka_unit_test(reduction_proves_its_bound),
                                       cmocka_unit_test(reduction_by_parts),
                                       cmocka_unit_test(reduction_leaves_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
