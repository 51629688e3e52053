/* Memory that ends, wherever plans are made, written, read and carried out: an error that says so, whichever allocation
 * fails, and no plan that is another one. */
#include "legs_test.h"
#include "transport_test.h"

#include "../starve.h"
#include "flow/files/flow_export.h"
#include "flow/forest/msccl.h"
#include "flow/moves/moves.h"
#include "flow/moves/moves_change.h"
#include "flow/transport/transport_set.h"

/* --- methods ------------------------------------------------------------------------------------------------------ */

struct solving {
    const struct scene *scene;
    const struct cw_method *method;
    double z; /* of the plan, when memory does not end */
};

static int solve(void *data)
{
    struct solving *solving = data;
    struct cw_plan plan = {0};
    const int rc = cw_method_solve(solving->method, &solving->scene->problem, &solving->scene->setup, &plan);
    if (rc == 0) solving->z = plan.z;
    cw_plan_free(&plan);
    return rc;
}

static void starve_method(const struct scene *scene, const char *name)
{
    struct solving solving = {.scene = scene, .method = cw_method_find(name)};
    struct cw_plan plan = plan_by(scene, name);
    starve(name, solve, &solving, 5);
    assert_true(solving.z == plan.z);
    cw_plan_free(&plan);
}

static void starve_methods(const struct scene *scene)
{
    for (size_t m = 0; cw_methods[m]; m++)
        if (accepts(scene, cw_methods[m])) starve_method(scene, cw_methods[m]->name);
}

static void methods(void **state)
{
    (void)state;
    struct cw_transport transport = cw_transport_set_ideal.transport;
    struct scene *scene = scene_random(3, 4, 4, 3);
    transport.chunk_bytes = 100;
    scene->setup.transport = &transport;
    starve_methods(scene);
    scene->setup.transport = NULL;
    scene->setup.max_paths = 2; /* all methods limit their paths by the same code */
    starve_method(scene, "optimum");
    scene_free(scene);
}

/* A problem for which several linear programs are solved, and paths are added in between. */
static void linear_programs(void **state)
{
    (void)state;
    struct scene *scene = scene_random(19, 23, 17, 3);
    starve("lp", solve, &(struct solving){.scene = scene, .method = cw_method_find("lp")}, 20);
    starve("optimum", solve, &(struct solving){.scene = scene, .method = cw_method_find("optimum")}, 20);
    scene_free(scene);
}

static void methods_on_legs(void **state)
{
    (void)state;
    struct leg_scene *scene = leg_scene_random(1, 2);
    starve_methods(scene->base);
    leg_scene_free(scene);
}

/* --- problems and paths ------------------------------------------------------------------------------------------- */

struct finding {
    const struct leg_scene *scene;
    struct cw_k_paths_setup setup;
    unsigned n_threads;
};

static int find_paths(void *data)
{
    const struct finding *finding = data;
    struct cw_k_paths paths = {0};
    const int rc = cw_k_paths_find(&finding->scene->base->problem, &finding->setup, finding->n_threads, &paths);
    cw_k_paths_free(&paths);
    return rc;
}

static int make_problem(void *data)
{
    const struct leg_scene *scene = data;
    struct cw_flow_problem problem = {0};
    const int rc = cw_flow_problem_make(scene->base->net, &scene->base->demands, 0, NULL, 0, &problem);
    if (rc == 0) cw_flow_problem_free(&problem);
    return rc;
}

static int make_legs(void *data)
{
    const struct leg_scene *scene = data;
    const struct cw_legs_setup setup = {.relays = &scene->relays,
                                        .max_relays = 2,
                                        .routes = (const struct cw_routes *const *)scene->ways,
                                        .n_routes = 1,
                                        .adaptive = scene->base->setup.k % 2 == 0};
    struct cw_legs *legs = NULL;
    struct cw_flow_problem problem = {0};
    int rc = cw_legs_make(scene->base->net, &scene->base->demands, &setup, 2, &legs);
    if (rc == 0) rc = cw_flow_problem_make_on_legs(legs, &scene->base->demands, 0, NULL, 0, &problem);
    if (rc == 0) cw_flow_problem_free(&problem);
    cw_legs_free(legs);
    return rc;
}

static void problems(void **state)
{
    (void)state;
    struct leg_scene *scene = leg_scene_random(1, 2);
    starve("problem", make_problem, scene, 3);
    starve("legs", make_legs, scene, 5);
    struct finding finding = {.scene = scene, .setup = {.k = 4, .ties = CW_TIES_DISJOINT}, .n_threads = 2};
    starve("paths on legs", find_paths, &finding, 5);
    cw_flow_problem_free(&scene->base->problem);
    must(cw_flow_problem_make(scene->base->net, &scene->base->demands, 0, NULL, 0, &scene->base->problem));
    for (enum cw_ties ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++) {
        finding.setup.ties = ties;
        starve("paths", find_paths, &finding, 10);
    }
    leg_scene_free(scene);
}

/* --- files, moves, transport -------------------------------------------------------------------------------------- */

/* A plan that is finished, and the files of it. */
struct finished {
    struct sketch *sketch;
    struct cw_routes *routes;
    struct cw_text plan, moves;
    size_t written; /* bytes, the last time */
};

static int write_plan(void *data)
{
    struct finished *finished = data;
    struct cw_text text = {0};
    int rc = cw_plan_write(&finished->sketch->problem, &finished->sketch->plan, NULL, &text);
    if (rc == 0) rc = cw_text_check(&text);
    finished->written = text.length;
    cw_text_free(&text);
    return rc;
}

static int read_plan(void *data)
{
    const struct finished *finished = data;
    const struct cw_text *text = &finished->plan;
    struct cw_plan plan = {0};
    struct cw_demands demands = {0};
    int rc = cw_plan_parse(&finished->sketch->problem, "plan.json", text->data, text->length, &plan);
    if (rc == 0) rc = cw_plan_parse_demands(finished->sketch->net, "plan.json", text->data, text->length, &demands);
    cw_plan_free(&plan);
    cw_demands_free(&demands);
    return rc;
}

static int make_moves(void *data)
{
    struct finished *finished = data;
    struct cw_moves moves = {0};
    struct cw_text text = {0};
    int rc = cw_moves_make(&finished->sketch->problem, &finished->sketch->plan, 16, 2, &moves);
    if (rc) return rc;
    rc = cw_moves_write(&moves, &text);
    if (rc == 0) rc = cw_text_check(&text);
    finished->written = text.length;
    cw_text_free(&text);
    cw_moves_free(&moves);
    return rc;
}

/* Each of these reads moves, and makes others of them. */
static int change_moves(void *data)
{
    const struct finished *finished = data;
    struct cw_moves moves = {0}, direct = {0}, routed = {0}, lanes = {0}, line = {0};
    int rc = cw_moves_parse("moves.json", finished->moves.data, finished->moves.length, &moves);
    if (rc == 0) rc = cw_moves_direct(&moves, &direct);
    if (rc == 0) rc = cw_moves_routed(&moves, finished->routes, "default", &routed);
    if (rc == 0) rc = cw_moves_split(&moves, 2, &lanes);
    if (rc == 0) rc = cw_moves_line(&moves, NODES(0, 1), 10, 3, &line);
    cw_moves_free(&moves);
    cw_moves_free(&direct);
    cw_moves_free(&routed);
    cw_moves_free(&lanes);
    cw_moves_free(&line);
    return rc;
}

static int carry_out(void *data)
{
    const struct finished *finished = data;
    const struct cw_transport transport = plain();
    struct cw_transport_result result = {0};
    return cw_transport_run(&finished->sketch->problem, &finished->sketch->plan, &transport, &result);
}

static int export(void *data)
{
    const struct scene *scene = data;
    struct cw_text text = {0};
    int rc = 0;
    for (enum cw_export form = CW_EXPORT_LP; rc == 0 && form <= CW_EXPORT_AMPL; form++)
        rc = cw_flow_export(&scene->problem, &scene->paths, form, &text);
    if (rc == 0) rc = cw_text_check(&text);
    cw_text_free(&text);
    return rc;
}

static void files(void **state)
{
    (void)state;
    struct finished finished = {.sketch = small_sketch()};
    struct cw_moves moves;
    sketch_proof(finished.sketch);
    must(cw_plan_evaluate(&finished.sketch->problem, &finished.sketch->plan));
    must(cw_plan_round(&finished.sketch->problem, &finished.sketch->plan));
    must(cw_plan_write(&finished.sketch->problem, &finished.sketch->plan, NULL, &finished.plan));
    must(cw_engine_route(finished.sketch->net, NULL, 1, 1, &finished.routes));
    must(cw_moves_make(&finished.sketch->problem, &finished.sketch->plan, 16, 2, &moves));
    must(cw_moves_write(&moves, &finished.moves));
    starve("writing a plan", write_plan, &finished, 1);
    assert_int_equal(finished.written, finished.plan.length);
    starve("reading a plan", read_plan, &finished, 3);
    starve("making moves", make_moves, &finished, 5);
    assert_int_equal(finished.written, finished.moves.length);
    starve("changing moves", change_moves, &finished, 10);
    starve("transport", carry_out, &finished, 3);
    cw_moves_free(&moves);
    cw_routes_free(finished.routes);
    cw_text_free(&finished.plan);
    cw_text_free(&finished.moves);
    sketch_free(finished.sketch);
    struct scene *scene = scene_of("torus:3x3", "permutation", NULL, 3);
    starve("exporting", export, scene, 1);
    scene_free(scene);
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

/* Wide trees and deep ones, few and as many as it takes, what ranks do, and a file that is read back. */
static int carry_allreduce(void *data)
{
    const struct cw_network *net = data;
    const uint32_t members[] = {0, 1, 2, 3};
    const struct cw_forest_setup setups[] = {{net, members, 4, CW_NONE, true, true, 1},
                                             {net, members, 4, CW_NONE, false, false, 0}};
    struct cw_forest forests[2] = {0};
    struct cw_forest_program made = {0};
    struct cw_moves moves = {0};
    struct cw_msccl_size size;
    struct cw_text text = {0};
    int rc = 0;
    for (int f = 0; f < 2 && rc == 0; f++) rc = cw_forest_find(&setups[f], &forests[f]);
    for (int f = 0; f < 2 && rc == 0; f++) rc = cw_forest_check(&setups[f], &forests[f]);
    if (rc == 0) rc = cw_forest_program_new(setups, forests, 2, 1000, 2, &made);
    if (rc == 0) rc = cw_forest_moves(&setups[1], &forests[1], 1, 1000, 2, &moves);
    if (rc == 0) rc = cw_msccl_write(setups, forests, 2, CW_COLLECTIVE_ALLREDUCE, 1, &text, &size);
    if (rc == 0) rc = cw_msccl_check("trees.xml", text.data, text.length, CW_COLLECTIVE_ALLREDUCE, 0);
    cw_text_free(&text);
    cw_moves_free(&moves);
    cw_forest_program_free(&made);
    for (int f = 0; f < 2; f++) cw_forest_free(&forests[f]);
    return rc;
}

static void collectives(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:2,2:1,2");
    starve("collectives", carry_allreduce, net, 50);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods),  cmocka_unit_test(linear_programs), cmocka_unit_test(methods_on_legs),
        cmocka_unit_test(problems), cmocka_unit_test(files),           cmocka_unit_test(collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
