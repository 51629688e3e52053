/* Cuts as bounds: never below the optimum, known where they are known, and proven by their lengths. */
#include "method_test.h"

#include "flow/cuts.h"
#include "flow/pricing/pricing.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "topo/recognise.h"

/* The bound that the lengths of SCENE's cut prove; *CUT is the cut's own. */
static double proven(const struct scene *scene, double *cut)
{
    struct cw_pricing *pricing;
    double *length = zeros(scene->net->n_channels, sizeof *length);
    must(cw_cut_lengths(&scene->problem, length, cut));
    must(cw_pricing_make(&scene->problem, NULL, 1, &pricing));
    must(cw_pricing_run(pricing, length));
    const double bound = cw_pricing_bound(pricing, length);
    cw_pricing_free(pricing);
    free(length);
    return bound;
}

static void never_below_the_optimum(void **state)
{
    (void)state;
    unsigned tight = 0;
    for (uint64_t trial = 0; trial < 40; trial++) {
        struct scene *scene = scene_random(trial, 4 + (uint32_t)trial % 5, 1 + (uint32_t)trial % 7, 4);
        struct cw_plan plan = plan_by(scene, "optimum");
        double cut;
        const double bound = proven(scene, &cut);
        assert_true(bound <= cut * (1 + 1e-12));
        assert_true(bound >= plan.z * (1 - 1e-9));
        tight += bound <= plan.z * (1 + 1e-6);
        cw_plan_free(&plan);
        scene_free(scene);
    }
    assert_true(tight >= 20);
}

/* A cut of slow channels is not spoilt by fast ones elsewhere. */
static void capacities_far_apart(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        struct scene *scene = scene_random(trial, 4 + (uint32_t)trial % 5, 1 + (uint32_t)trial % 7, 4);
        struct cw_random random = cw_random_of(13, CW_STREAM_TEST, trial);
        struct cw_flow_problem *problem = &scene->problem;
        for (uint32_t c = 0; c < scene->net->n_channels; c++) {
            problem->capacity[c] *= pow(10, cw_random_below(&random, 12));
            problem->unit_capacity = fmax(problem->unit_capacity, problem->capacity[c]);
        }
        double cut;
        const double bound = proven(scene, &cut);
        if (!(bound <= cut * (1 + 1e-12))) fail_msg("trial %d: %.17g by a cut of %.17g", (int)trial, bound, cut);
        scene_free(scene);
    }
}

/* z ≤ .5 in pattern 3 of Bui et al. whatever the size, around its sources; by hand in a tree. */
static void known_cuts(void **state)
{
    (void)state;
    static const struct {
        const char *network, *pattern;
        double cut;
    } known[] = {{"bgq:512,merge2", "3", 0.5},
                 {"xgft:2:4,4:1,2", "shift:4", 0.5}, /* four endpoints of a leaf share two cables up */
                 {"xgft:2:4,4:1,4", "incast", 1. / 15},
                 /* all send: subtrees, with endpoints that have one cable or two; halves of a grid, three rows of
                  * seven, and groups */
                 {"xgft:3:4,4,4:1,4,2", "alltoall", 8. / (16 * 48)},
                 {"xgft:3:4,4,2:2,2,1", "shift:16", 4. / 16},
                 {"torus:8x8", "shift:32", 16. / 32},
                 {"torus:4x8", "shift:16", 8. / 16},
                 {"torus:7x7", "shift:21", 14. / 21},
                 {"mesh:4x4", "shift:8", 4. / 8},
                 {"hyperx:4x4,4", "shift:32", 16. / 32},
                 {"dragonfly:4,4,2", "shift:16", 8. / 16}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct scene *scene = scene_of(known[i].network, known[i].pattern, NULL, 1);
        double cut;
        const double bound = proven(scene, &cut);
        if (!(fabs(bound - known[i].cut) < 1e-9 && bound <= cut))
            fail_msg("%s, %s: %.12g by a cut of %.12g", known[i].network, known[i].pattern, bound, cut);
        scene_free(scene);
    }
}

/* A map of NETWORK in which vertices have other numbers, without its last MISSING switches. PEER of each endpoint of
 * NETWORK, counted from its own, is where it sends. */
static struct scene *scene_of_map(const char *network, uint32_t missing, uint32_t peer)
{
    struct cw_network *net = network_of(network);
    const uint32_t n = net->n_endpoints, n_switches = cw_network_switches(net) - missing;
    struct cw_builder *builder = cw_builder_new(n, n_switches, net->n_channels / 2);
    struct scene *scene = zeros(1, sizeof *scene);
    uint32_t *number = zeros(net->n_vertices, sizeof *number);
    for (uint32_t i = 0; i < n; i++) number[i] = (7 * i + 3) % n;
    for (uint32_t i = 0; i < n_switches; i++) number[n + i] = n + (17 * i + 5) % n_switches;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (net->tail[c] < net->head[c] && net->head[c] < n + n_switches)
            cw_builder_cable(builder, number[net->tail[c]], 0, number[net->head[c]], 0, net->capacity[c], 0);
    must(cw_builder_finish(builder, &scene->net));
    must(cw_network_recognise(scene->net));
    assert_non_null(scene->net->places);
    assert_int_equal(scene->net->places->missing_switches, missing);
    for (uint32_t i = 0; i < n; i++) must(cw_demands_add(&scene->demands, number[i], number[(i + peer) % n], 64));
    scene_begin(scene, "minhop", 1, CW_TIES_PLAIN, NULL, 0);
    free(number);
    cw_network_free(net);
    return scene;
}

/* A shape whose vertices have other numbers has the same parts, also where switches are missing. */
static void parts_of_maps(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        uint32_t missing, peer;
        double cut;
    } maps[] = {
        {"torus:4x8", 0, 16, 8. / 16}, {"xgft:3:4,4,4:1,4,2", 0, 16, 8. / 16}, {"xgft:3:4,4,4:1,4,2", 1, 16, 7. / 16}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct scene *scene = scene_of_map(maps[i].network, maps[i].missing, maps[i].peer);
        double cut;
        const double bound = proven(scene, &cut);
        if (!(fabs(cut - maps[i].cut) < 1e-9 && fabs(bound - cut) < 1e-9))
            fail_msg("%s: %.12g by a cut of %.12g", maps[i].network, bound, cut);
        scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_below_the_optimum),
                                       cmocka_unit_test(capacities_far_apart), cmocka_unit_test(known_cuts),
                                       cmocka_unit_test(parts_of_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
