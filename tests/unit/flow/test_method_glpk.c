/* The exact methods against GLPK on small random networks, in two formulations: flows on paths for lp, and for the
 * optimum over all paths flows on channels, which knows no paths at all. */
#include "method_test.h"
#include "net/network_internal.h"

#include <glpk.h>

#define TRIALS 12
#define SOLVED 1e-6

/* A program with a column Z to be maximised (column 1) and a row for the capacity of each channel (row 1 + channel). */
static glp_prob *new_program(const struct cw_flow_problem *problem)
{
    glp_prob *program = glp_create_prob();
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_cols(program, 1);
    glp_set_col_bnds(program, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(program, 1, 1);
    glp_add_rows(program, (int)problem->net->n_channels);
    for (uint32_t c = 0; c < problem->net->n_channels; c++)
        glp_set_row_bnds(program, 1 + (int)c, GLP_UP, 0, problem->capacity[c] / problem->unit_capacity);
    return program;
}

/* A row for equality with RIGHT, in which Z has the coefficient Z. */
static int add_balance(glp_prob *program, double z)
{
    const int row = glp_add_rows(program, 1);
    glp_set_row_bnds(program, row, GLP_FX, 0, 0);
    const int column[] = {0, 1};
    const double value[] = {0, z};
    glp_set_mat_row(program, row, z != 0, column, value);
    return row;
}

static double solve(glp_prob *program)
{
    glp_smcp setup;
    glp_init_smcp(&setup);
    setup.msg_lev = GLP_MSG_OFF;
    setup.tol_bnd = setup.tol_dj = 1e-10;
    assert_int_equal(glp_simplex(program, &setup), 0);
    assert_int_equal(glp_get_status(program), GLP_OPT);
    const double z = glp_get_obj_val(program);
    glp_delete_prob(program);
    return z;
}

static double amount(const struct cw_flow_problem *problem, size_t d)
{
    return (double)problem->demands->items[d].bytes / (double)problem->unit_bytes;
}

/* Σ flows on the paths of a demand = its amount · Z. */
static double by_paths(const struct cw_flow_problem *problem, const struct cw_k_paths *paths)
{
    glp_prob *program = new_program(problem);
    for (size_t d = 0; d < paths->n_demands; d++) {
        const int balance = add_balance(program, -amount(problem, d));
        for (size_t p = paths->first[d]; p < paths->first[d + 1]; p++) {
            const int column = glp_add_cols(program, 1), n = (int)(paths->begin[p + 1] - paths->begin[p]);
            int row[64] = {0, balance};
            double value[64] = {0, 1};
            assert_true(n < 62);
            for (int i = 0; i < n; i++) {
                row[2 + i] = 1 + (int)paths->channel[paths->begin[p] + (size_t)i];
                value[2 + i] = 1;
            }
            glp_set_col_bnds(program, column, GLP_LO, 0, 0);
            glp_set_mat_col(program, column, n + 1, row, value);
        }
    }
    return solve(program);
}

/* Each demand has a flow on each channel; what enters a vertex leaves it, but for the amount · Z from source to
 * destination. Endpoints forward nothing. */
static double by_channels(const struct cw_flow_problem *problem)
{
    const struct cw_network *net = problem->net;
    glp_prob *program = new_program(problem);
    for (size_t d = 0; d < problem->demands->n; d++) {
        const struct cw_demand *demand = &problem->demands->items[d];
        const int first = glp_get_num_rows(program) + 1;
        for (uint32_t v = 0; v < net->n_vertices; v++)
            add_balance(program, ((v == demand->dst) - (v == demand->src)) * amount(problem, d));
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t tail = net->tail[c], head = net->head[c];
            if (cw_network_is_endpoint(net, tail) && tail != demand->src) continue;
            if (cw_network_is_endpoint(net, head) && head != demand->dst) continue;
            const int row[] = {0, 1 + (int)c, first + (int)tail, first + (int)head};
            const double value[] = {0, 1, 1, -1};
            const int column = glp_add_cols(program, 1);
            glp_set_col_bnds(program, column, GLP_LO, 0, 0);
            glp_set_mat_col(program, column, 3, row, value);
        }
    }
    return solve(program);
}

static void check(const struct scene *scene, const char *method, double expected, uint64_t trial)
{
    struct cw_plan plan = plan_by(scene, method);
    const double tolerance = SOLVED * expected;
    if (!(fabs(plan.z - expected) <= tolerance && fabs(plan.bound - expected) <= tolerance))
        fail_msg("trial %llu: %s has z %.12g and bound %.12g, GLPK %.12g", (unsigned long long)trial, method, plan.z,
                 plan.bound, expected);
    cw_plan_free(&plan);
}

static void random_networks(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct scene *scene = scene_random(trial, 4 + (uint32_t)trial % 5, 3 + 2 * (uint32_t)trial % 7, 4);
        check(scene, "lp", by_paths(&scene->problem, &scene->paths), trial);
        check(scene, "optimum", by_channels(&scene->problem), trial);
        scene_free(scene);
    }
}

/* Capacities that differ by a factor of 4 · 10^4, and demands by 10^3. */
static void uneven_networks(void **state)
{
    (void)state;
    for (uint64_t trial = TRIALS; trial < 2 * TRIALS; trial++) {
        struct scene *scene = scene_random(trial, 6, 6, 3);
        for (uint32_t c = 0; c < scene->net->n_channels; c += 3) scene->problem.capacity[c] *= 1e-4;
        check(scene, "lp", by_paths(&scene->problem, &scene->paths), trial);
        check(scene, "optimum", by_channels(&scene->problem), trial);
        scene_free(scene);
    }
}

/* Cables that work in one direction only: channels in the program have no capacity then. */
static void one_way_networks(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 2 * TRIALS; trial++) {
        struct scene *scene = scene_one_way(trial, 4 + (uint32_t)trial % 5, 3 + 2 * (uint32_t)trial % 7, 4);
        assert_true(scene->net->n_closed > 0);
        check(scene, "lp", by_paths(&scene->problem, &scene->paths), trial);
        check(scene, "optimum", by_channels(&scene->problem), trial);
        scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks), cmocka_unit_test(uneven_networks),
                                       cmocka_unit_test(one_way_networks)};
    glp_term_out(GLP_OFF);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    glp_free_env();
    return rc;
}
