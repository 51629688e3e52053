/* The methods on legs against GLPK on 60 small random cases, in a formulation that knows no paths: flows of each demand
 * on the legs between (endpoint, relays so far), which it finds itself by walking the routes. */
#include "legs_test.h"
#include "net/network_internal.h"

#include <glpk.h>

#define TRIALS  60
#define SOLVED  1e-6
#define COLUMNS 100000 /* room for so many */
#define RELAY   64     /* hops that a plan may take to do without a relay */

struct program {
    const struct leg_scene *scene;
    glp_prob *lp;
    int first_node; /* rows of the demand's nodes: (endpoint, layer), */
    uint32_t layers;
    double *cost; /* [columns + 1] */
};

static int node(const struct program *program, uint32_t endpoint, uint32_t layer)
{
    return program->first_node + (int)(endpoint * program->layers + layer);
}

/* A variable for the flow from FROM in LAYER to TO in the next, by the N channels at CHANNELS. */
static void add_way(struct program *program, uint32_t from, uint32_t to, uint32_t layer, const uint32_t *channels,
                    uint32_t n)
{
    const struct cw_network *net = program->scene->base->net;
    double *times = zeros(net->n_channels, sizeof *times);
    int row[64] = {0, node(program, from, layer), node(program, to, layer + 1)}, count = 2;
    double value[64] = {0, 1, -1};
    for (uint32_t i = 0; i < n; i++) times[channels[i]]++;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (times[c] > 0) {
            row[++count] = 1 + (int)c;
            value[count] = times[c];
        }
    const int column = glp_add_cols(program->lp, 1);
    assert_true(column < COLUMNS);
    glp_set_col_bnds(program->lp, column, GLP_LO, 0, 0);
    glp_set_mat_col(program->lp, column, count, row, value);
    program->cost[column] = n + RELAY;
    free(times);
}

/* Adds all ways of exactly LENGTH hops of which CHANNELS has the first N; their number. */
static unsigned add_longer(struct program *program, uint32_t to, uint32_t layer, uint32_t *channels, uint32_t n,
                           uint32_t length, uint32_t from)
{
    const struct cw_network *net = program->scene->base->net;
    const uint32_t at = n > 0 ? net->head[channels[n - 1]] : from;
    unsigned found = 0;
    if (n == length) {
        if (at == to) add_way(program, from, to, layer, channels, n);
        return at == to;
    }
    if (n > 0 && cw_network_is_endpoint(net, at)) return 0;
    for (uint32_t c = net->first[at]; c < net->first[at + 1]; c++) {
        if (!(net->capacity[c] > 0)) continue;
        channels[n] = c;
        found += add_longer(program, to, layer, channels, n + 1, length, from);
    }
    return found;
}

/* Variables for every way from FROM to TO. */
static void add_legs(struct program *program, uint32_t from, uint32_t to, uint32_t layer)
{
    uint32_t channels[64];
    for (size_t r = 0; r < MOST_WAYS && program->scene->ways[r]; r++) {
        const struct cw_routes *routes = program->scene->ways[r];
        uint32_t hops = 0;
        assert_true(cw_routes_max_hops(routes) < 60);
        if (cw_routes_paths(routes, 1, &from, &to, &hops, channels, NULL) == 0)
            add_way(program, from, to, layer, channels, hops);
    }
    if (!program->scene->legs->setup.adaptive) return;
    for (uint32_t length = 2; length < 10; length++)
        if (add_longer(program, to, layer, channels, 0, length, from) > 0) return;
}

static bool relays(const struct leg_scene *scene, uint32_t endpoint)
{
    for (uint32_t i = 0; i < scene->relays.n; i++)
        if (scene->relays.endpoints[i] == endpoint) return true;
    return false;
}

/* The flow that leaves the source in layer 0 comes to the destination in whichever layer. */
static void add_demand(struct program *program, size_t d, double amount)
{
    const struct cw_network *net = program->scene->base->net;
    const struct cw_demand *demand = &program->scene->base->demands.items[d];
    const uint32_t n = net->n_endpoints;
    program->first_node = glp_add_rows(program->lp, (int)(n * program->layers + 1));
    const int arrival = program->first_node + (int)(n * program->layers);
    for (int i = program->first_node; i <= arrival; i++) glp_set_row_bnds(program->lp, i, GLP_FX, 0, 0);
    /* source in layer 0: flow out = amount · z, and as much arrives */
    const int row[] = {0, node(program, demand->src, 0), arrival};
    const double value[] = {0, -amount, amount};
    int old_row[128];
    double old[128];
    int count = glp_get_mat_col(program->lp, 1, old_row, old);
    assert_true(count < 120);
    for (int i = 1; i <= 2; i++) {
        old_row[++count] = row[i];
        old[count] = value[i];
    }
    glp_set_mat_col(program->lp, 1, count, old_row, old);
    for (uint32_t layer = 0; layer + 1 < program->layers; layer++) {
        add_legs(program, demand->src, demand->dst, layer);
        for (uint32_t w = 0; w < n; w++) {
            if (!relays(program->scene, w) || w == demand->src || w == demand->dst) continue;
            if (layer == 0) add_legs(program, demand->src, w, layer);
            if (layer > 0) add_legs(program, w, demand->dst, layer);
            for (uint32_t next = 0; next < n && layer > 0; next++)
                if (next != w && relays(program->scene, next) && next != demand->src && next != demand->dst)
                    add_legs(program, w, next, layer);
        }
    }
    for (uint32_t layer = 1; layer < program->layers; layer++) {
        const int column = glp_add_cols(program->lp, 1);
        const int rows[] = {0, node(program, demand->dst, layer), arrival};
        const double values[] = {0, 1, -1};
        glp_set_col_bnds(program->lp, column, GLP_LO, 0, 0);
        glp_set_mat_col(program->lp, column, 2, rows, values);
    }
}

static double solve(glp_prob *lp)
{
    glp_smcp setup;
    glp_init_smcp(&setup);
    setup.msg_lev = GLP_MSG_OFF;
    setup.tol_bnd = setup.tol_dj = 1e-9;
    setup.presolve = GLP_ON; /* without it the second program may cycle */
    assert_int_equal(glp_simplex(lp, &setup), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    return glp_get_obj_val(lp);
}

/* The greatest z, and the least *COST of all flow at that z: of hops, and RELAY for each leg. */
static double by_glpk(const struct leg_scene *scene, uint32_t max_relays, double *cost)
{
    const struct cw_flow_problem *problem = &scene->base->problem;
    struct program program = {.scene = scene, .lp = glp_create_prob(), .layers = max_relays + 2};
    program.cost = zeros(COLUMNS, sizeof *program.cost);
    glp_set_obj_dir(program.lp, GLP_MAX);
    glp_add_cols(program.lp, 1);
    glp_set_col_bnds(program.lp, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(program.lp, 1, 1);
    glp_add_rows(program.lp, (int)problem->net->n_channels);
    for (uint32_t c = 0; c < problem->net->n_channels; c++)
        glp_set_row_bnds(program.lp, 1 + (int)c, GLP_UP, 0, problem->capacity[c] / problem->unit_capacity);
    for (size_t d = 0; d < problem->demands->n; d++)
        add_demand(&program, d, (double)problem->demands->items[d].bytes / (double)problem->unit_bytes);
    const double z = solve(program.lp);
    glp_set_obj_dir(program.lp, GLP_MIN);
    glp_set_col_bnds(program.lp, 1, GLP_FX, z * (1 - 1e-7), 0);
    for (int column = 1; column <= glp_get_num_cols(program.lp); column++)
        glp_set_obj_coef(program.lp, column, program.cost[column]);
    *cost = solve(program.lp) / z;
    free(program.cost);
    glp_delete_prob(program.lp);
    return z;
}

static double cost_of(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    double cost = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const double amount =
            path->share * (double)problem->demands->items[path->demand].bytes / (double)problem->unit_bytes;
        cost += amount * (path->n + RELAY * (1 + cw_flow_relays(problem, plan->channels + path->first, path->n)));
    }
    return cost;
}

static void compare(bool one_way)
{
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        const uint32_t max_relays = 1 + (uint32_t)trial % 3;
        struct leg_scene *scene = leg_scene_draw(trial, max_relays, one_way);
        struct cw_plan plan = plan_by(scene->base, "optimum");
        double cost;
        const double expected = by_glpk(scene, max_relays, &cost), tolerance = SOLVED * expected;
        if (!(fabs(plan.z - expected) <= tolerance && fabs(plan.bound - expected) <= tolerance))
            fail_msg("trial %llu: z is %.12g and its bound %.12g, GLPK %.12g", (unsigned long long)trial, plan.z,
                     plan.bound, expected);
        if (!(fabs(cost_of(&scene->base->problem, &plan) - cost) <= 1e-4 * cost))
            fail_msg("trial %llu: relays and hops cost %.12g, but %.12g would do", (unsigned long long)trial,
                     cost_of(&scene->base->problem, &plan), cost);
        cw_plan_free(&plan);
        leg_scene_free(scene);
    }
}

static void agree(void **state)
{
    (void)state;
    compare(false);
}

static void agree_one_way(void **state)
{
    (void)state;
    compare(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree), cmocka_unit_test(agree_one_way)};
    glp_term_out(GLP_OFF);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    glp_free_env();
    return rc;
}
