/* Plans in whole chunks: by hand, and the promises of random ones. */
#include "method_test.h"

#include <string.h>

#include "base/error.h"
#include "flow/chunking.h"

static void promises(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 60; trial++) {
        struct scene *scene = scene_random(trial, 4 + (uint32_t)trial % 5, 1 + (uint32_t)trial % 9, 4);
        const uint64_t chunk = 1 + trial * trial % 500;
        struct cw_plan plan = plan_by(scene, trial % 2 ? "optimum" : "heuristic"), chunked;
        must(cw_plan_in_chunks(&scene->problem, &plan, chunk, &chunked));
        must(cw_plan_verify(&scene->problem, &chunked));
        assert_true(chunked.chunk_bytes == chunk);
        unsigned odd = 0;
        for (size_t i = 0; i < chunked.n_paths; i++) {
            const struct cw_plan_path *path = &chunked.paths[i];
            const uint64_t all = scene->demands.items[path->demand].bytes;
            if (i > 0 && chunked.paths[i - 1].demand != path->demand) odd = 0;
            assert_true(path->bytes >= (chunk < all ? chunk : all));
            odd += path->bytes % chunk > 0; /* the last chunk of a demand is on one of its paths */
            assert_true(odd <= 1);
        }
        cw_plan_free(&chunked);
        cw_plan_free(&plan);
        scene_free(scene);
    }
}

/* Ten demands of three chunks over two halves: each has one and two; the two alternate, so that no half is hot. */
static void spreads_what_is_left(void **state)
{
    (void)state;
    struct scene *scene = scene_of("xgft:2:10,2:1,2", "shift:10", NULL, 2);
    for (size_t d = 0; d < scene->demands.n; d++) scene->demands.items[d].bytes = 300;
    scene->problem.unit_bytes = 300;
    struct cw_plan plan = plan_by(scene, "optimum"), chunked;
    assert_true(fabs(plan.z - 0.2) < 1e-9);
    must(cw_plan_in_chunks(&scene->problem, &plan, 100, &chunked));
    assert_true(fabs(chunked.z - 0.2) < 1e-9);
    cw_plan_free(&chunked);
    assert_int_equal(cw_plan_in_chunks(&scene->problem, &plan, 0, &chunked), CW_EUSAGE);
    must(cw_plan_in_chunks(&scene->problem, &plan, UINT64_MAX, &chunked));
    assert_int_equal(chunked.n_paths, scene->demands.n);
    cw_plan_free(&chunked);
    cw_plan_free(&plan);
    scene_free(scene);
}

static void fewer_paths(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 20; trial++) {
        struct scene *scene = scene_random(trial, 5, 4, 6);
        struct cw_plan all = plan_by(scene, "optimum");
        for (uint32_t most = 1; most < 4; most++) {
            scene->setup.max_paths = most;
            struct cw_plan plan = plan_by(scene, "optimum");
            for (size_t i = most; i < plan.n_paths; i++)
                assert_true(plan.paths[i].demand != plan.paths[i - most].demand);
            assert_true(plan.z <= all.z * (1 + 1e-9) && plan.z > 0);
            assert_true(fabs(plan.bound - all.bound) < 1e-9 * all.bound);
            cw_plan_free(&plan);
        }
        cw_plan_free(&all);
        scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises), cmocka_unit_test(spreads_what_is_left),
                                       cmocka_unit_test(fewer_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
