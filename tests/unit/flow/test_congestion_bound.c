/* How low the busiest channel can be: figures found by hand, and GLPK on small networks, with flows on channels. */
#include "demand_test.h"

#include <glpk.h>
#include <math.h>

#include "base/random.h"
#include "flow/congestion_bound.h"
#include "net/builder.h"
#include "net/network_internal.h"

#define GAP 2e-3 /* the bound is no worse; the module aims at half of it */

static double bound_of(const struct cw_network *net, const struct cw_demands *demands)
{
    double one, several;
    must(cw_congestion_bound(net, demands, 1, &one));
    must(cw_congestion_bound(net, demands, 3, &several));
    assert_memory_equal(&one, &several, sizeof one);
    return one;
}

static bool between(const struct cw_network *net, uint32_t c)
{
    return !cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]);
}

/* What SRC sends to V: 1 to every other endpoint, or by DEMANDS. */
static double amount(const struct cw_network *net, const struct cw_demands *demands, uint32_t src, uint32_t v)
{
    double sum = 0;
    if (!demands) return cw_network_is_endpoint(net, v) && v != src;
    for (size_t i = 0; i < demands->n; i++)
        if (demands->items[i].src == src && demands->items[i].dst == v) sum += (double)demands->items[i].bytes;
    return sum;
}

/* The flow of SRC on each channel: what enters a vertex and does not leave it is for it. Endpoints forward nothing. */
static void add_source(glp_prob *program, const struct cw_network *net, const struct cw_demands *demands, uint32_t src)
{
    const int first = glp_add_rows(program, (int)net->n_vertices);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const double all = amount(net, demands, src, v);
        if (v != src) glp_set_row_bnds(program, first + (int)v, GLP_FX, all, all);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->tail[c]) && net->tail[c] != src) continue;
        const int row[] = {0, first + (int)net->tail[c], first + (int)net->head[c], 1 + (int)c};
        const double value[] = {0, -1, 1, 1};
        const int column = glp_add_cols(program, 1);
        glp_set_col_bnds(program, column, GLP_LO, 0, 0);
        glp_set_mat_col(program, column, between(net, c) ? 3 : 2, row, value);
    }
}

/* The least load of the busiest channel; column 1 is that load, row 1 + c says that of channel c. */
static double by_program(const struct cw_network *net, const struct cw_demands *demands)
{
    glp_prob *program = glp_create_prob();
    glp_smcp setup;
    glp_init_smcp(&setup);
    setup.msg_lev = GLP_MSG_OFF;
    glp_add_cols(program, 1);
    glp_set_col_bnds(program, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(program, 1, 1);
    glp_add_rows(program, (int)net->n_channels);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const int column[] = {0, 1};
        const double value[] = {0, -1};
        glp_set_mat_row(program, 1 + (int)c, 1, column, value);
        glp_set_row_bnds(program, 1 + (int)c, GLP_UP, 0, 0);
    }
    for (uint32_t src = 0; src < net->n_endpoints; src++) add_source(program, net, demands, src);
    assert_int_equal(glp_simplex(program, &setup), 0);
    assert_int_equal(glp_get_status(program), GLP_OPT);
    const double least = glp_get_obj_val(program);
    glp_delete_prob(program);
    return least;
}

static void check(const char *spec, const struct cw_network *net, const struct cw_demands *demands)
{
    const double bound = bound_of(net, demands), least = by_program(net, demands);
    if (!(bound <= least * (1 + 1e-9) && bound >= least * (1 - GAP)))
        fail_msg("%s: bound %.12g, by GLPK %.12g", spec, bound, least);
}

static const char *const nets[] = {"torus:5",        "torus:3x3",      "mesh:3x2",        "dragonfly:2,2,1",
                                   "xgft:2:3,2:1,2", "xgft:2:2,3:2,2", "jellyfish:8,3,2", "rail:3,2,2"};

static void all_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct cw_network *net = network_of(nets[i]);
        check(nets[i], net, NULL);
        cw_network_free(net);
    }
}

static void some_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct cw_network *net = network_of(nets[i]);
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct cw_random random = cw_random_of(seed, 0, i);
            struct cw_demands demands = {0};
            while (demands.n < 2 + 3 * seed)
                must(cw_demands_add(&demands, cw_random_below(&random, net->n_endpoints),
                                    cw_random_below(&random, net->n_endpoints), 1 + cw_random_below(&random, 99)));
            check(nets[i], net, &demands);
            cw_demands_free(&demands);
        }
        cw_network_free(net);
    }
}

/* One pair on a ring of four: two ways, the longer one too. On a tree of two leaves with two spines: half on each. */
static void by_hand(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:4"), *tree = network_of("xgft:2:4,2:1,2");
    struct cw_demands demands = {0};
    must(cw_demands_add(&demands, 0, 1, 30));
    assert_true(fabs(bound_of(ring, &demands) - 15) < 1e-9);
    must(cw_demands_add(&demands, 0, 5, 1));
    assert_true(fabs(bound_of(tree, &demands) - .5) < 1e-9); /* 0 to 1 stays at its switch */
    assert_true(fabs(bound_of(tree, NULL) - 4 * 4 / 2) < 1e-9);
    cw_demands_free(&demands);
    must(cw_demands_add(&demands, 0, 1, 30));
    assert_true(bound_of(tree, &demands) == 0);
    cw_demands_free(&demands);
    cw_network_free(ring);
    cw_network_free(tree);
}

/* Endpoint 0 has a cable to both switches, so that it reaches 1 and 2 without the cable between them. */
static void two_cables(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 2, 5);
    static const uint32_t cables[][2] = {{0, 3}, {0, 4}, {1, 3}, {2, 4}, {3, 4}};
    for (size_t i = 0; i < 5; i++) cw_builder_cable(builder, cables[i][0], 0, cables[i][1], 0, 1e9, 1e-7);
    struct cw_network *net;
    must(cw_builder_finish(builder, &net));
    assert_true(fabs(bound_of(net, NULL) - 1) < 1e-9);
    struct cw_demands demands = {0};
    must(cw_demands_add(&demands, 0, 1, 1));
    must(cw_demands_add(&demands, 0, 2, 1));
    assert_true(bound_of(net, &demands) == 0);
    check("two cables", net, NULL);
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* A ring of three switches, of which one cable works from 0 to 1 only: the way back is the long one. */
static void one_way(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 3, 6);
    struct cw_network *net;
    struct cw_demands demands = {0};
    for (uint32_t v = 0; v < 3; v++) cw_builder_cable(builder, v, 0, 3 + v, 0, 1e9, 0);
    cw_builder_cable(builder, 3, 0, 4, 0, 1e9, 0);
    cw_builder_back(builder, 0, 0);
    cw_builder_cable(builder, 4, 0, 5, 0, 1e9, 0);
    cw_builder_cable(builder, 5, 0, 3, 0, 1e9, 0);
    must(cw_builder_finish(builder, &net));
    assert_int_equal(net->n_closed, 1);
    must(cw_demands_add(&demands, 0, 1, 8));
    assert_true(fabs(bound_of(net, &demands) - 4) < 1e-9);
    cw_demands_free(&demands);
    must(cw_demands_add(&demands, 1, 0, 8));
    assert_true(fabs(bound_of(net, &demands) - 8) < 1e-9);
    cw_demands_free(&demands);
    cw_network_free(net);
}

static void says_why_not(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:318");
    double bound = -1;
    assert_int_equal(cw_congestion_bound(net, NULL, 1, &bound), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "100806 pairs of switches have traffic for each other; it is computed for "
                                            "at most 100000");
    struct cw_demands few = {0};
    must(cw_demands_add(&few, 0, 1, 1));
    must(cw_congestion_bound(net, &few, 1, &bound));
    cw_demands_free(&few);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs), cmocka_unit_test(some_pairs),
                                       cmocka_unit_test(by_hand),   cmocka_unit_test(two_cables),
                                       cmocka_unit_test(one_way),   cmocka_unit_test(says_why_not)};
    glp_term_out(GLP_OFF);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    glp_free_env();
    return rc;
}
