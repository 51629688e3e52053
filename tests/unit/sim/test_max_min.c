/* Max-min fair sharing: cases by hand, and random scenes in which flows come and go, each of which has one allocation.
 */
#include "sim/flows/max_min.h"
#include "sim_test.h"

#define MAX_FLOWS 60
#define MAX_LINKS 24

/* A scene as the test knows it. */
struct scene {
    uint32_t n_links;
    double capacity[MAX_LINKS];
    size_t n;
    struct {
        uint32_t number, n_links, links[MAX_LINKS];
        double weight, shares[MAX_LINKS];
    } flows[MAX_FLOWS];
};

/* By the definition: all levels rise together; whoever is on a full link stops. */
static void fill_slowly(const struct scene *scene, double *rates)
{
    bool fixed[MAX_FLOWS] = {false};
    double left[MAX_LINKS];
    for (size_t waiting = scene->n; waiting > 0;) {
        double level = INFINITY;
        for (uint32_t l = 0; l < scene->n_links; l++) {
            double load = 0;
            left[l] = scene->capacity[l];
            for (size_t f = 0; f < scene->n; f++)
                for (uint32_t i = 0; i < scene->flows[f].n_links; i++) {
                    if (scene->flows[f].links[i] != l) continue;
                    if (fixed[f])
                        left[l] -= rates[f] * scene->flows[f].shares[i];
                    else
                        load += scene->flows[f].weight * scene->flows[f].shares[i];
                }
            left[l] = load > 0 ? left[l] / load : INFINITY;
            level = fmin(level, left[l]);
        }
        for (size_t f = 0; f < scene->n; f++) {
            bool full = false;
            for (uint32_t i = 0; i < scene->flows[f].n_links; i++)
                full |= left[scene->flows[f].links[i]] <= level * (1 + 1e-10);
            if (fixed[f] || !full) continue;
            rates[f] = level * scene->flows[f].weight;
            fixed[f] = true;
            waiting--;
        }
    }
}

static void add_random(struct scene *scene, struct cw_max_min *sharing, struct cw_random *random, bool plain)
{
    uint32_t order[MAX_LINKS];
    const size_t f = scene->n++;
    cw_random_permutation(random, scene->n_links, order);
    scene->flows[f].n_links = 1 + cw_random_below(random, scene->n_links < 5 ? scene->n_links : 5);
    scene->flows[f].weight = plain ? 1 : 1 + cw_random_below(random, 4);
    for (uint32_t i = 0; i < scene->flows[f].n_links; i++) {
        scene->flows[f].links[i] = order[i];
        scene->flows[f].shares[i] = plain ? 1 : (1 + cw_random_below(random, 8)) / 8.0;
    }
    assert_int_equal(cw_max_min_add(sharing, scene->flows[f].weight, scene->flows[f].n_links, scene->flows[f].links,
                                    plain ? NULL : scene->flows[f].shares, &scene->flows[f].number),
                     0);
}

static void take_away(struct scene *scene, struct cw_max_min *sharing, size_t f)
{
    cw_max_min_remove(sharing, scene->flows[f].number);
    scene->flows[f] = scene->flows[--scene->n];
}

/* Every rate, what is said to have changed, and that bottlenecks are full. */
static void check_scene(const struct scene *scene, struct cw_max_min *sharing)
{
    double before[MAX_FLOWS], expected[MAX_FLOWS];
    const uint32_t *changed;
    size_t n;
    for (size_t f = 0; f < scene->n; f++) before[f] = cw_max_min_rate(sharing, scene->flows[f].number);
    cw_max_min_settle(sharing, &changed, &n);
    fill_slowly(scene, expected);
    for (size_t f = 0; f < scene->n; f++) {
        const double rate = cw_max_min_rate(sharing, scene->flows[f].number);
        bool said = false, own = false;
        for (size_t i = 0; i < n; i++) said |= changed[i] == scene->flows[f].number;
        if (fabs(rate - expected[f]) > 1e-9 * expected[f])
            fail_msg("flow %zu of %zu on %u links: %.12g, expected %.12g", f, scene->n, scene->n_links, rate,
                     expected[f]);
        assert_true(said == (rate != before[f]));
        for (uint32_t i = 0; i < scene->flows[f].n_links; i++)
            own |= scene->flows[f].links[i] == cw_max_min_bottleneck(sharing, scene->flows[f].number);
        assert_true(own);
    }
}

static void test_random_scenes(void **state)
{
    (void)state;
    for (uint64_t index = 0; index < 600; index++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, index);
        struct scene scene = {.n_links = 1 + cw_random_below(&random, MAX_LINKS)};
        struct cw_max_min *sharing = NULL;
        const bool plain = index % 2;
        for (uint32_t l = 0; l < scene.n_links; l++)
            scene.capacity[l] = (plain ? 1e9 : 1.0) * (1 + cw_random_below(&random, index % 3 ? 3 : 1000));
        assert_int_equal(cw_max_min_new(scene.n_links, scene.capacity, &sharing), 0);
        for (int step = 0; step < 30; step++) {
            const uint32_t come = cw_random_below(&random, step ? 3 : 20), go = step ? cw_random_below(&random, 3) : 0;
            for (uint32_t i = 0; i < come && scene.n < MAX_FLOWS; i++) add_random(&scene, sharing, &random, plain);
            for (uint32_t i = 0; i < go && scene.n > 0; i++)
                take_away(&scene, sharing, cw_random_below(&random, (uint32_t)scene.n));
            check_scene(&scene, sharing);
        }
        cw_max_min_free(sharing);
    }
}

static void test_by_hand(void **state)
{
    (void)state;
    static const uint32_t both[] = {0, 1}, second[] = {1};
    const double narrow[] = {1, 2}, wide[] = {3, 2};
    const uint32_t *changed;
    size_t n;
    for (int round = 0; round < 2; round++) {
        struct cw_max_min *sharing = NULL;
        uint32_t flows[3];
        assert_int_equal(cw_max_min_new(2, round ? wide : narrow, &sharing), 0);
        assert_int_equal(cw_max_min_add(sharing, 1, 1, both, NULL, &flows[0]), 0);
        assert_int_equal(cw_max_min_add(sharing, 1, 2, both, NULL, &flows[1]), 0);
        assert_int_equal(cw_max_min_add(sharing, 1, 1, second, NULL, &flows[2]), 0);
        cw_max_min_settle(sharing, &changed, &n);
        assert_int_equal(n, 3);
        const double expected[2][3] = {{0.5, 0.5, 1.5}, {2, 1, 1}};
        for (int f = 0; f < 3; f++) assert_true(fabs(cw_max_min_rate(sharing, flows[f]) - expected[round][f]) < 1e-12);
        cw_max_min_free(sharing);
    }
    struct cw_max_min *sharing = NULL;
    uint32_t heavy, light;
    assert_int_equal(cw_max_min_new(1, narrow, &sharing), 0);
    assert_int_equal(cw_max_min_add(sharing, 2, 1, both, NULL, &heavy), 0);
    assert_int_equal(cw_max_min_add(sharing, 1, 1, both, NULL, &light), 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_true(fabs(cw_max_min_rate(sharing, heavy) - 2.0 / 3) < 1e-12);
    assert_true(fabs(cw_max_min_rate(sharing, light) - 1.0 / 3) < 1e-12);
    cw_max_min_free(sharing);
    /* one of which 1 + weight is 1 */
    assert_int_equal(cw_max_min_new(2, narrow, &sharing), 0);
    assert_int_equal(cw_max_min_add(sharing, 1, 2, both, NULL, &heavy), 0);
    assert_int_equal(cw_max_min_add(sharing, 1e-17, 1, second, NULL, &light), 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_true(fabs(cw_max_min_rate(sharing, heavy) - 1) < 1e-12);
    assert_true(fabs(cw_max_min_rate(sharing, light) - 1) < 1e-12);
    cw_max_min_free(sharing);
}

/* Flows that are alike come and go, the first and the last and between them, beside some of another weight and with
 * other shares. Each is told of when it is new, though the others keep their rates. */
static void test_flows_alike(void **state)
{
    (void)state;
    static const uint32_t links[] = {0, 1};
    static const double capacity[] = {12, 100}, halves[] = {0.5, 1};
    struct cw_max_min *sharing = NULL;
    uint32_t flows[5], heavy, half, other;
    const uint32_t *changed;
    size_t n;
    assert_int_equal(cw_max_min_new(2, capacity, &sharing), 0);
    for (int f = 0; f < 5; f++) assert_int_equal(cw_max_min_add(sharing, 1, 2, links, NULL, &flows[f]), 0);
    assert_int_equal(cw_max_min_add(sharing, 3, 2, links, NULL, &heavy), 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_int_equal(n, 6);
    for (int f = 0; f < 5; f++) assert_true(fabs(cw_max_min_rate(sharing, flows[f]) - 12. / 8) < 1e-12);
    assert_true(fabs(cw_max_min_rate(sharing, heavy) - 36. / 8) < 1e-12);
    cw_max_min_remove(sharing, flows[0]);
    cw_max_min_remove(sharing, flows[4]);
    cw_max_min_remove(sharing, flows[2]);
    assert_int_equal(cw_max_min_add(sharing, 1, 2, links, halves, &half), 0);
    assert_true(cw_max_min_rate(sharing, half) == 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_int_equal(n, 4);
    assert_true(fabs(cw_max_min_rate(sharing, flows[1]) - 12 / 5.5) < 1e-12);
    assert_true(fabs(cw_max_min_rate(sharing, half) - 12 / 5.5) < 1e-12);
    cw_max_min_remove(sharing, flows[1]);
    assert_int_equal(cw_max_min_add(sharing, 1, 2, links, NULL, &other), 0);
    assert_true(cw_max_min_rate(sharing, other) == 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_int_equal(n, 1);
    assert_int_equal(changed[0], other);
    assert_true(fabs(cw_max_min_rate(sharing, other) - 12 / 5.5) < 1e-12);
    cw_max_min_free(sharing);
}

/* A chain: flow i is on links i and i + 1, whose capacities rise. What leaves at one end is felt at the other. */
static void test_a_change_travels(void **state)
{
    (void)state;
    enum { N = 400 };
    double capacity[N + 1];
    uint32_t flows[N], more;
    const uint32_t *changed;
    size_t n;
    struct cw_max_min *sharing = NULL;
    for (int i = 0; i <= N; i++) capacity[i] = 1 + 2.0 * ((i + 1) / 2);
    assert_int_equal(cw_max_min_new(N + 1, capacity, &sharing), 0);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(cw_max_min_add(sharing, 1, 2, (uint32_t[]){i, i + 1}, NULL, &flows[i]), 0);
    cw_max_min_settle(sharing, &changed, &n);
    const double last = cw_max_min_rate(sharing, flows[N - 1]);
    assert_int_equal(cw_max_min_add(sharing, 1, 1, (uint32_t[]){0}, NULL, &more), 0);
    cw_max_min_settle(sharing, &changed, &n);
    assert_true(fabs(cw_max_min_rate(sharing, more) - 0.5) < 1e-12);
    const size_t felt = n;
    cw_max_min_remove(sharing, more);
    cw_max_min_settle(sharing, &changed, &n);
    assert_int_equal(n, felt - 1);
    assert_true(fabs(cw_max_min_rate(sharing, flows[N - 1]) - last) < 1e-9 * last);
    cw_max_min_free(sharing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_random_scenes),
        cmocka_unit_test(test_flows_alike),
        cmocka_unit_test(test_a_change_travels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
