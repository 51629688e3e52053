/* Exported programs, solved by others: GLPK reads all three forms and CLP the MPS file; their optima agree, and the
 * flows they find make a plan that is worth just that. */
#include "net/network_internal.h"
#include "plan_test.h"

#include <coin/Clp_C_Interface.h>
#include <glpk.h>
#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"
#include "flow/files/flow_export.h"

#define SOLVED 1e-7

static void near(double a, double b, const char *what)
{
    if (!(fabs(a - b) <= SOLVED * fmax(1, fabs(b)))) fail_msg("%s: %.12g is not %.12g", what, a, b);
}

/* A file of the program in one of the forms. */
static void export_to(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, enum cw_export form,
                      char *path)
{
    struct cw_text text = {0};
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    must(cw_flow_export(problem, paths, form, &text));
    must(cw_file_write(path, &text));
    cw_text_free(&text);
}

static glp_prob *read_model(const char *path)
{
    glp_prob *program = glp_create_prob();
    glp_tran *translator = glp_mpl_alloc_wksp();
    assert_int_equal(glp_mpl_read_model(translator, path, 0), 0);
    assert_int_equal(glp_mpl_generate(translator, NULL), 0);
    glp_mpl_build_prob(translator, program);
    glp_mpl_free_wksp(translator);
    return program;
}

static glp_prob *read_by_glpk(const char *path, enum cw_export form)
{
    if (form == CW_EXPORT_AMPL) return read_model(path);
    glp_prob *program = glp_create_prob();
    if (form == CW_EXPORT_LP)
        assert_int_equal(glp_read_lp(program, NULL, path), 0);
    else
        assert_int_equal(glp_read_mps(program, GLP_MPS_FILE, NULL, path), 0);
    return program;
}

static double solve(glp_prob *program)
{
    glp_smcp setup;
    glp_init_smcp(&setup);
    setup.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(program, &setup), 0);
    assert_int_equal(glp_get_status(program), GLP_OPT);
    return glp_get_obj_val(program);
}

static double solve_by_clp(const char *path)
{
    Clp_Simplex *program = Clp_newModel();
    Clp_setLogLevel(program, 0);
    assert_int_equal(Clp_readMps(program, path, 1, 0), 0);
    assert_int_equal(Clp_initialSolve(program), 0);
    const double z = -Clp_objectiveValue(program);
    Clp_deleteModel(program);
    return z;
}

/* The plan of the flows GLPK found in an LP or MPS file. */
static double worth_of_flows(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, glp_prob *program)
{
    struct cw_plan plan = {.bound = NAN};
    glp_create_index(program);
    for (size_t d = 0; d < paths->n_demands; d++) {
        for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) {
            char name[32];
            snprintf(name, sizeof name, "f%zu", i);
            const int column = glp_find_col(program, name);
            assert_true(column > 0);
            must(cw_plan_add(&plan, (uint32_t)d, glp_get_col_prim(program, column), paths->channel + paths->begin[i],
                             paths->begin[i + 1] - paths->begin[i]));
        }
    }
    must(cw_plan_evaluate(problem, &plan));
    must(cw_plan_verify(problem, &plan));
    const double z = plan.z;
    cw_plan_free(&plan);
    return z;
}

/* The optimum over PATHS, on which all agree. */
static double optimum(const struct cw_flow_problem *problem, const struct cw_k_paths *paths)
{
    static const char *const names[] = {[CW_EXPORT_LP] = "LP", [CW_EXPORT_MPS] = "MPS", [CW_EXPORT_AMPL] = "AMPL"};
    double z[3];
    glp_term_out(GLP_OFF);
    for (int form = CW_EXPORT_LP; form <= CW_EXPORT_AMPL; form++) {
        char path[] = "/tmp/crosswind-export-XXXXXX";
        export_to(problem, paths, (enum cw_export)form, path);
        glp_prob *program = read_by_glpk(path, (enum cw_export)form);
        z[form] = solve(program) * (form == CW_EXPORT_MPS ? -1 : 1);
        near(z[form], z[0], names[form]);
        if (form != CW_EXPORT_AMPL) near(worth_of_flows(problem, paths, program), z[form], "the plan");
        if (form == CW_EXPORT_MPS) near(solve_by_clp(path), z[form], "CLP");
        glp_delete_prob(program);
        assert_int_equal(unlink(path), 0);
    }
    glp_free_env();
    return z[0];
}

/* The optimum over the K shortest paths of each pair. */
static double optimum_of(const struct sketch *sketch, uint32_t k)
{
    const struct cw_k_paths_setup setup = {.k = k, .ties = CW_TIES_PLAIN};
    struct cw_k_paths paths;
    must(cw_k_paths_find(&sketch->problem, &setup, 1, &paths));
    const double z = optimum(&sketch->problem, &paths);
    cw_k_paths_free(&paths);
    return z;
}

/* A ring: one way round, then both; two demands that share it. */
static void rings_by_hand(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:8@2GB/s");
    sketch_demand(sketch, 0, 4, 1000);
    sketch_begin(sketch);
    near(optimum_of(sketch, 1), 1, "one way");
    near(optimum_of(sketch, 2), 2, "both ways");
    cw_flow_problem_free(&sketch->problem);
    sketch_demand(sketch, 0, 3, 500); /* 1000 Z + 500 Z leave node 0 by two channels */
    sketch_begin(sketch);
    near(optimum_of(sketch, 2), 4.0 / 3, "two demands");
    sketch_free(sketch);
}

/* Parallel cables: over the first k of m (paths come by port) all their capacities add up, unless host cables are
 * narrower. */
static void parallel_cables_in_closed_form(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 8; trial++) {
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, trial);
        const uint32_t m = 1 + cw_random_below(&random, 6), k = 1 + cw_random_below(&random, m);
        double capacity[6], sum = 0;
        for (uint32_t i = 0; i < m; i++) capacity[i] = 1e9 * (0.1 + cw_random_unit(&random));
        for (uint32_t i = 0; i < k; i++) sum += capacity[i];
        struct sketch *sketch = sketch_new(NULL);
        sketch->net = parallel_cables(capacity, m);
        sketch_demand(sketch, 0, 1, 1000);
        sketch_begin(sketch);
        near(optimum_of(sketch, k), sum / 8e9, "the sum of capacities");
        for (uint32_t c = 0; c < sketch->net->n_channels; c++)
            if (sketch->net->head[c] == 1) sketch->problem.capacity[c] = 2e8;
        near(optimum_of(sketch, k), fmin(sum, 2e8) / 8e9, "a narrow host cable");
        sketch_free(sketch);
    }
}

/* Real patterns, large enough that lines of the files are broken. */
static void patterns_agree(void **state)
{
    (void)state;
    static const struct {
        const char *network, *pattern;
        uint32_t k;
    } cases[] = {
        {"torus:4x4x2", "disjoint:4x8", 12}, {"xgft:2:4,4:1,4", "overlap:8x4,2", 4}, {"torus:4x4", "alltoall", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sketch *sketch = sketch_new(cases[i].network);
        sketch->demands = pattern_of(sketch->net, cases[i].pattern);
        sketch->demands.items[0].bytes /= 3;
        sketch_begin(sketch);
        const double few = optimum_of(sketch, 1), more = optimum_of(sketch, cases[i].k);
        assert_true(few > 0 && more >= few - SOLVED);
        sketch_free(sketch);
    }
}

static void written_forms(void **state)
{
    (void)state;
    static const char *const expected[] = {
        [CW_EXPORT_LP] = "\\ fI: flow of path I; Z: fraction of all demands moved per unit of time\n"
                         "Maximize\n rate: Z\nSubject To\n"
                         " d0: f0 - 1 Z = 0\n d1: f1 - 0.5 Z = 0\n"
                         " c4: f0 + f1 <= 1\n c6: f0 <= 1\nEnd\n",
        [CW_EXPORT_MPS] = "* Model 1: fI: flow of path I; Z: fraction of all demands moved per unit of time.\n"
                          "* The format minimises: the optimum is -Z.\n"
                          "NAME crosswind\nROWS\n N rate\n E d0\n E d1\n L c4\n L c6\n"
                          "COLUMNS\n Z rate -1\n Z d0 -1\n Z d1 -0.5\n"
                          " f0 d0 1\n f0 c4 1\n f0 c6 1\n f1 d1 1\n f1 c4 1\n"
                          "RHS\n limit c4 1\n limit c6 1\nENDATA\n",
        [CW_EXPORT_AMPL] = "data;\nset Demands := 0 1;\nset Channels := 4 6;\n"
                           "set Paths[0] := 0;\nset Paths[1] := 1;\n"
                           "set Users[4] := (0,0) (1,1);\nset Users[6] := (0,0);\n"
                           "param demand :=\n  0 1\n  1 0.5;\nparam capacity :=\n  4 1\n  6 1;\nend;\n"};
    struct sketch *sketch = sketch_new("mesh:3");
    const struct cw_k_paths_setup setup = {.k = 5};
    struct cw_k_paths paths;
    sketch_demand(sketch, 0, 2, 8);
    sketch_demand(sketch, 0, 1, 4);
    sketch_begin(sketch);
    must(cw_k_paths_find(&sketch->problem, &setup, 1, &paths));
    for (int form = CW_EXPORT_LP; form <= CW_EXPORT_AMPL; form++) {
        struct cw_text text = {0};
        must(cw_flow_export(&sketch->problem, &paths, (enum cw_export)form, &text));
        const char *from = form == CW_EXPORT_AMPL ? strstr(text.data, "data;\n") : text.data;
        assert_string_equal(from, expected[form]);
        cw_text_free(&text);
    }
    cw_k_paths_free(&paths);
    sketch_free(sketch);
}

static void a_demand_without_paths_is_refused(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3");
    struct cw_text text = {0};
    sketch_demand(sketch, 0, 2, 8);
    sketch_begin(sketch);
    size_t none[] = {0, 0};
    const struct cw_k_paths paths = {.n_demands = 1, .first = none, .begin = none};
    assert_int_equal(cw_flow_export(&sketch->problem, &paths, CW_EXPORT_LP, &text), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 0 has no path, so the program's only solution is Z = 0");
    sketch_free(sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_by_hand),
        cmocka_unit_test(parallel_cables_in_closed_form),
        cmocka_unit_test(patterns_agree),
        cmocka_unit_test(written_forms),
        cmocka_unit_test(a_demand_without_paths_is_refused),
    };
    return cmocka_run_group_tests_name("flow export", tests, NULL, NULL);
}
