/* Runs of jobs that explain counters: those that were planted, beside load that is no job's. */
#include "study/jobs/load_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "topo/topology.h"

#define N 3

struct scene {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_jobs jobs;
    struct cw_flow_jobs_setup setup;
    double *counted, *one;
};

/* JOBS on a fat tree; counted is what they send in RUNS. */
static void make(struct scene *scene, const char *jobs, const double *runs)
{
    if (cw_topology_build("xgft:2:4,4:1,3", &scene->net)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_engine_route(scene->net, NULL, 1, 1, &scene->routes), 0);
    if (cw_jobs_parse(jobs, "contiguous", 16, scene->net, &scene->jobs)) fail_msg("%s", cw_error_message());
    scene->setup = (struct cw_flow_jobs_setup){
        .routes = scene->routes, .jobs = &scene->jobs, .trials = 1, .seed = 1, .n_threads = 1};
    scene->counted = calloc(scene->net->n_channels, sizeof *scene->counted);
    for (size_t j = 0; runs && j < scene->jobs.n; j++) {
        scene->one = calloc(scene->net->n_channels, sizeof *scene->one);
        if (cw_flow_jobs_channels_of(&scene->setup, 0, j, scene->one)) fail_msg("%s", cw_error_message());
        for (uint32_t c = 0; c < scene->net->n_channels; c++) scene->counted[c] += runs[j] * scene->one[c];
        free(scene->one);
    }
}

static void free_scene(struct scene *scene)
{
    free(scene->counted);
    cw_jobs_free(&scene->jobs);
    cw_routes_free(scene->routes);
    cw_network_free(scene->net);
}

static const char three[] =
    "alltoall ranks=6 bytes=4KiB; shift:1 ranks=4 bytes=1MiB; ring-allreduce ranks=6 bytes=64KiB";

/* The last one has not run at all, a third of the channels is unknown, and six carry more than any job's. */
static void test_planted(void **state)
{
    (void)state;
    static const double runs[N] = {4000, 17.5, 0};
    struct scene scene;
    struct cw_load_fit fit;
    make(&scene, three, runs);
    double most = 0, planted = 0;
    for (uint32_t c = 0; c < scene.net->n_channels; c++) most = fmax(most, scene.counted[c]);
    for (uint32_t c = 0; c < scene.net->n_channels; c++) {
        if (c % 3 == 2) scene.counted[c] = NAN;
        if (c % 12 != 0) continue;
        scene.counted[c] += most;
        planted += most;
    }
    if (cw_load_fit_find(&scene.setup, scene.counted, &fit)) fail_msg("%s", cw_error_message());
    assert_int_equal(fit.n, N);
    for (size_t j = 0; j < N; j++)
        if (!(fabs(fit.runs[j] - runs[j]) <= 1e-3 * (1 + runs[j]))) fail_msg("job %zu: %g runs", j, fit.runs[j]);
    if (!(fabs(fit.beyond / planted - 1) < 1e-3)) fail_msg("%g beyond, planted %g", fit.beyond, planted);
    assert_true(fit.missing < 1e-4 * fit.counted);
    cw_load_fit_free(&fit);
    free_scene(&scene);
}

/* Where nothing was counted, nothing has run. */
static void test_silence(void **state)
{
    (void)state;
    struct scene scene;
    struct cw_load_fit fit;
    make(&scene, three, NULL);
    assert_int_equal(cw_load_fit_find(&scene.setup, scene.counted, &fit), 0);
    for (size_t j = 0; j < N; j++) assert_true(fit.runs[j] == 0);
    assert_true(fit.counted == 0 && fit.beyond == 0 && fit.missing == 0);
    cw_load_fit_free(&fit);
    for (uint32_t c = 0; c < scene.net->n_channels; c++) scene.counted[c] = NAN;
    assert_int_equal(cw_load_fit_find(&scene.setup, scene.counted, &fit), CW_EUSAGE);
    free_scene(&scene);
    make(&scene, "alltoall ranks=6 bytes=4KiB; uniform", NULL);
    assert_int_equal(cw_load_fit_find(&scene.setup, scene.counted, &fit), CW_EUSAGE);
    free_scene(&scene);
}

static void test_greatest(void **state)
{
    (void)state;
    static const double values[] = {3, -1, NAN, 7, 0, 7, 5};
    static const uint32_t expected[] = {3, 5, 6, 0};
    uint32_t *greatest;
    size_t n;
    for (size_t top = 0; top < 8; top++) {
        assert_int_equal(cw_load_greatest(values, 7, top, &greatest, &n), 0);
        assert_int_equal(n, top < 4 ? top : 4);
        if (n > 0) assert_memory_equal(greatest, expected, n * sizeof *greatest);
        free(greatest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted), cmocka_unit_test(test_silence),
                                       cmocka_unit_test(test_greatest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
