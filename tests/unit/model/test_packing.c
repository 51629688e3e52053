/* Bounds of packing problems against the optimum that GLPK finds: of random ones, and of small networks whose shares
 * are found here by walking every packet there is. */
#include "model_test.h"

#include <glpk.h>
#include <stdio.h>

#include "model/link_load.h"
#include "model/packing.h"
#include "net/network_internal.h"

/* Dense: use[row · columns + column]. */
struct problem {
    uint32_t n_rows, n_columns;
    double *use, *worth;
};

static struct problem problem_of(uint32_t n_rows, uint32_t n_columns)
{
    struct problem out = {n_rows, n_columns, calloc((size_t)n_rows * n_columns, sizeof(double)),
                          calloc(n_rows, sizeof(double))};
    assert_non_null(out.use);
    assert_non_null(out.worth);
    return out;
}

static void problem_free(struct problem *problem)
{
    free(problem->use);
    free(problem->worth);
}

static double optimum(const struct problem *of, double limit)
{
    glp_prob *lp = glp_create_prob();
    int *index = calloc(of->n_rows + 1, sizeof *index);
    double *value = calloc(of->n_rows + 1, sizeof *value);
    assert_true(index && value);
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, (int)of->n_rows);
    for (int r = 1; r <= (int)of->n_rows; r++) {
        glp_set_col_bnds(lp, r, GLP_DB, 0, limit);
        glp_set_obj_coef(lp, r, of->worth[r - 1]);
    }
    for (uint32_t c = 0; c < of->n_columns; c++) {
        int n = 0;
        for (uint32_t r = 0; r < of->n_rows; r++) {
            if (of->use[(size_t)r * of->n_columns + c] <= 0) continue;
            index[++n] = (int)r + 1;
            value[n] = of->use[(size_t)r * of->n_columns + c];
        }
        const int row = glp_add_rows(lp, 1);
        glp_set_row_bnds(lp, row, GLP_UP, 0, 1);
        glp_set_mat_row(lp, row, n, index, value);
    }
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(lp, &how), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    const double out = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    free(index);
    free(value);
    return out;
}

/* From above, and close. */
static void check_bound(double most, double right)
{
    if (most < right * (1 - 1e-9) || most > right * (1 + 2e-5)) fail_msg("%.9g bounds %.9g", most, right);
}

/* --- random problems ---------------------------------------------------------------------------------------------- */

/* Rows of several sources are as many rows of the dense problem. */
static struct cw_packing sparse(const struct problem *of, const uint32_t *count, uint32_t n_rows)
{
    struct cw_packing out = {.n_columns = of->n_columns, .n_rows = n_rows};
    out.first = calloc(n_rows + 1, sizeof *out.first);
    out.column = calloc((size_t)n_rows * of->n_columns, sizeof *out.column);
    out.use = calloc((size_t)n_rows * of->n_columns, sizeof *out.use);
    out.worth = calloc(n_rows, sizeof *out.worth);
    out.count = calloc(n_rows, sizeof *out.count);
    assert_true(out.first && out.column && out.use && out.worth && out.count);
    for (uint32_t r = 0, at = 0; r < n_rows; at += count[r++]) {
        const double *use = of->use + (size_t)at * of->n_columns;
        out.first[r + 1] = out.first[r];
        for (uint32_t c = 0; c < of->n_columns; c++) {
            if (use[c] <= 0) continue;
            out.column[out.first[r + 1]] = c;
            out.use[out.first[r + 1]++] = use[c];
        }
        out.worth[r] = of->worth[at];
        out.count[r] = count[r];
    }
    return out;
}

static double uniform(struct cw_random *random)
{
    return (double)(cw_random_u64(random) >> 11) * 0x1p-53;
}

/* Some sources use nothing, some channels are used by nobody, some sources are there several times. */
static void check_random(uint64_t index)
{
    struct cw_random random = cw_random_of(5, CW_STREAM_TEST, index);
    const uint32_t n_rows = 1 + (uint32_t)(cw_random_u64(&random) % 20);
    const uint32_t n_columns = (uint32_t)(cw_random_u64(&random) % 20);
    const double density = uniform(&random), limit = 0.05 + 0.95 * uniform(&random);
    struct problem problem = problem_of(3 * n_rows, n_columns);
    uint32_t count[20];
    problem.n_rows = 0;
    for (uint32_t r = 0; r < n_rows; r++) {
        count[r] = 1 + (uint32_t)(cw_random_u64(&random) % 3);
        const double worth = 0.1 + uniform(&random);
        const uint32_t first = problem.n_rows;
        for (uint32_t i = 0; i < count[r]; i++) problem.worth[problem.n_rows++] = worth;
        for (uint32_t c = 0; c < n_columns; c++) {
            const double use = uniform(&random) < density ? 0.01 + 2 * uniform(&random) : 0;
            for (uint32_t i = 0; i < count[r]; i++) problem.use[(size_t)(first + i) * n_columns + c] = use;
        }
    }
    struct cw_packing packing = sparse(&problem, count, n_rows);
    struct cw_packing_bound bound;
    assert_int_equal(cw_packing_bound(&packing, limit, 1, &bound), 0);
    const double right = optimum(&problem, limit);
    check_bound(bound.most, right);
    assert_true(bound.reached <= right * (1 + 1e-9) && bound.reached >= right * (1 - 2e-5));
    cw_packing_free(&packing);
    problem_free(&problem);
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) check_random(i);
}

/* Sources that all use the busiest channels alike, and others less: no search is needed, nor leaves anything between
 * the two bounds. Together they may use less than a channel has at x = 1. */
static void check_alike(uint64_t trial)
{
    struct cw_random random = cw_random_of(6, CW_STREAM_TEST, trial);
    const uint32_t n_rows = 2 + (uint32_t)(cw_random_u64(&random) % 10);
    const uint32_t one = (uint32_t)(cw_random_u64(&random) % 6), other = (uint32_t)(cw_random_u64(&random) % 6);
    const double most = trial % 2 ? 0.5 : 0.5 / n_rows;
    uint32_t count[12];
    struct problem problem = problem_of(n_rows, 6);
    for (uint32_t r = 0; r < n_rows; r++) {
        count[r] = 1;
        problem.worth[r] = 2;
        for (uint32_t c = 0; c < 6; c++)
            problem.use[(size_t)r * 6 + c] = c == one || c == other ? most : 0.98 * most * uniform(&random);
    }
    struct cw_packing packing = sparse(&problem, count, n_rows);
    struct cw_packing_bound bound;
    assert_int_equal(cw_packing_bound(&packing, 2 / (most * n_rows), 1, &bound), 0);
    check_near(bound.most * most, 2, 1e-12); /* the busiest are full */
    check_near(bound.reached * most, 2, 1e-12);
    cw_packing_free(&packing);
    problem_free(&problem);
}

static void test_alike(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) check_alike(i);
}

/* --- networks ----------------------------------------------------------------------------------------------------- */

static struct problem problem_on(const struct setting *setting, const struct cw_packet_routing *routing)
{
    const struct cw_network *net = setting->net;
    const uint32_t n_ranks = cw_workload_ranks(setting->workload);
    struct problem out = problem_of(n_ranks, net->n_channels);
    double bandwidth = 0;
    for (uint32_t r = 0; r < n_ranks; r++) {
        const double speed = net->capacity[net->first[setting->endpoints[r]]];
        out.worth[r] = speed * walk_rank(setting, routing, r, out.use + (size_t)r * net->n_channels);
        if (out.worth[r] > 0) bandwidth += speed;
    }
    for (uint32_t r = 0; r < n_ranks; r++) out.worth[r] /= bandwidth;
    return out;
}

static void check_bounds(struct setting setting, const char *routing_spec)
{
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    assert_int_equal(cw_packet_routing_new(setting.net, routing_spec, 1, 1, &routing), 0);
    assert_int_equal(cw_link_load_compute(routing, setting.workload, setting.endpoints, 1, &load), 0);
    struct problem problem = problem_on(&setting, routing);
    const double offered[] = {1, 0.4, 0.05};
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++) {
        double most;
        assert_int_equal(cw_link_load_most(&load, offered[i], 1, &most), 0);
        check_bound(most, optimum(&problem, offered[i]));
    }
    problem_free(&problem);
    cw_link_load_free(&load);
    cw_packet_routing_free(routing);
    tear_down(&setting);
}

/* The same speed everywhere. */
static void check_network(const char *topology, const char *workload, const char *routing)
{
    check_bounds(setting_of(topology, workload), routing);
}

static void test_speeds(void **state)
{
    (void)state;
    check_bounds(setting_with_speeds("dragonfly:2,3,2", "bitcomp", 1), "valiant-any");
    check_bounds(setting_with_speeds("dragonfly:2,3,2", "hotspot:2,share=0.3", 2), "minimal");
    check_bounds(setting_with_speeds("torus:4x3", "shift:5", 3), "dor");
    check_bounds(setting_with_speeds("xgft:2:4,4:1,2", "permutation", 4), "smodk");
    check_bounds(setting_with_speeds("crossbar:20", "hotspot:3,share=0.5", 5), NULL);
}

static void test_dragonflies(void **state)
{
    (void)state;
    const char *const routings[] = {"minimal", "valiant-restricted", "valiant-any"};
    const char *const workloads[] = {"bitcomp", "group-shift", "halo:axis=z,direction=up", "hotspot:2,share=0.3",
                                     "permutation"};
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++)
        for (size_t k = 0; k < sizeof workloads / sizeof *workloads; k++)
            check_network("dragonfly:2,3,2", workloads[k], routings[i]);
    check_network("dragonfly:2,4,2,g=4", "group-adversarial:1", "valiant-restricted");
}

static void test_others(void **state)
{
    (void)state;
    check_network("torus:4x3", "shift:5", "dor");
    check_network("torus:5", "uniform", "dor");
    check_network("xgft:2:4,4:1,2", "permutation", "dmodk");
    check_network("xgft:2:4,4:1,2", "permutation", "smodk");
    check_network("crossbar:20", "hotspot:3,share=0.5", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_alike),  cmocka_unit_test(test_dragonflies),
        cmocka_unit_test(test_others), cmocka_unit_test(test_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
