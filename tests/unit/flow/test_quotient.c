/* Quotients by translations: what is alike is found, and nothing else; prices, loads and optima are the whole's; large
 * plans that are alike everywhere are files of one node's. */
#include "legs_test.h"

#include "flow/potential_reduction.h"
#include "flow/pricing/pricing.h"
#include "flow/quotient.h"

static void same(double a, double b, const char *what)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)))) fail_msg("%s: %.17g, not %.17g", what, a, b);
}

/* The N channels lead from the source of demand D to its destination; their length. */
static double walk(const struct cw_flow_problem *whole, size_t d, const uint32_t *channels, uint32_t n,
                   const double *length)
{
    uint32_t at = whole->demands->items[d].src;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(whole->net->tail[channels[i]], at);
        assert_true(whole->capacity[channels[i]] > 0);
        at = whole->net->head[channels[i]];
        sum += length[channels[i]];
    }
    assert_int_equal(at, whole->demands->items[d].dst);
    return sum;
}

/* Lengths that are alike: those of the quotient price one demand for all, and one channel has the load of each. */
static void check_prices(const struct cw_quotient *quotient, double *length)
{
    const struct cw_flow_problem *whole = quotient->whole;
    const uint32_t n_channels = whole->net->n_channels;
    double *even = zeros(n_channels, sizeof *even), *load = zeros(n_channels, sizeof *load),
           *folded = zeros(n_channels, sizeof *folded), sum = 0, total = 0;
    uint32_t unfolded[256];
    struct cw_pricing *pricing = NULL, *one = NULL;
    uint32_t limited = 0, limited_once = 0;
    for (uint32_t c = 0; c < n_channels; c++) {
        sum += length[c];
        limited += isfinite(whole->capacity[c]) && whole->capacity[c] > 0;
        limited_once += isfinite(quotient->problem.capacity[c]) && quotient->problem.capacity[c] > 0;
    }
    assert_int_equal(limited, limited_once * quotient->n);
    cw_quotient_fold(quotient, length);
    cw_quotient_unfold(quotient, length, even);
    for (uint32_t c = 0; c < n_channels; c++) total += even[c];
    same(total, sum, "sum of lengths");
    must(cw_pricing_make(whole, NULL, 2, &pricing));
    must(cw_pricing_make(&quotient->problem, NULL, 2, &one));
    must(cw_pricing_run(pricing, even));
    must(cw_pricing_run(one, length));
    same(cw_pricing_bound(pricing, even), cw_pricing_bound(one, length), "bound");
    for (size_t d = 0; d < whole->demands->n; d++) {
        const uint32_t by = quotient->stands_for[d];
        uint32_t n;
        const uint32_t *path = cw_pricing_path(one, by, 0, &n);
        const struct cw_demand *demand = &quotient->demands.items[by];
        const double amount = (double)whole->demands->items[d].bytes;
        assert_true(n <= 256);
        assert_int_equal(demand->bytes, whole->demands->items[d].bytes);
        same(cw_pricing_distance(pricing, d), cw_pricing_distance(one, by), "distance");
        memcpy(unfolded, path, n * sizeof *path);
        cw_quotient_unfold_path(quotient, whole->demands->items[d].src, unfolded, n);
        const double walked = walk(whole, d, unfolded, n, even);
        if (whole->legs) /* the cheapest may have a channel twice, and another is given */
            assert_true(walked >= cw_pricing_distance(one, by) * (1 - 1e-12));
        else
            same(walked, cw_pricing_distance(one, by), "length of a path");
        for (uint32_t i = 0; i < n; i++) {
            load[unfolded[i]] += amount;
            folded[path[i]] += demand->src == whole->demands->items[d].src ? amount : 0;
        }
        cw_quotient_fold_path(quotient, unfolded, n);
        assert_memory_equal(unfolded, path, n * sizeof *path);
    }
    cw_quotient_unfold(quotient, folded, folded);
    for (uint32_t c = 0; c < n_channels; c++) same(load[c], folded[c], "load");
    cw_pricing_free(pricing);
    cw_pricing_free(one);
    free(even);
    free(load);
    free(folded);
}

/* The optimum, found by the quotient, is between what potential reduction of the whole reaches and its bound. */
static void check_optimum(const struct scene *scene)
{
    const struct cw_termination termination = {.gap = 1e-3, .deadline = INFINITY};
    struct cw_columns columns;
    struct cw_pricing *pricing = NULL;
    struct cw_potential_reduction reduced;
    double *length = zeros(scene->net->n_channels, sizeof *length);
    struct cw_method_setup setup = scene->setup;
    struct cw_plan plan = {0};
    setup.routes = NULL; /* which might do without a search */
    must(cw_method_solve(cw_method_find("optimum"), &scene->problem, &setup, &plan));
    must(cw_columns_make(&scene->problem, &columns));
    must(cw_pricing_make(&scene->problem, NULL, 1, &pricing));
    must(cw_potential_reduction(&columns, pricing, termination.gap, &termination, length, &reduced));
    if (!(plan.z >= reduced.z * (1 - 1e-9) && plan.z <= reduced.bound * (1 + 1e-9)))
        fail_msg("optimum %.12g, of the whole %.12g to %.12g", plan.z, reduced.z, reduced.bound);
    assert_true(plan.z >= plan.bound * (1 - 1e-7));
    cw_pricing_free(pricing);
    cw_columns_free(&columns);
    cw_plan_free(&plan);
    free(length);
}

/* SCENE has N symmetries. */
static void check_scene(struct scene *scene, uint32_t n, uint64_t trial)
{
    struct cw_random random = cw_random_of(8, CW_STREAM_TEST, trial);
    double *length = zeros(scene->net->n_channels, sizeof *length);
    struct cw_quotient quotient;
    must(cw_quotient_make(&scene->problem, &quotient));
    assert_int_equal(quotient.n, n);
    assert_int_equal(quotient.problem.demands->n * n, scene->demands.n);
    for (uint32_t c = 0; c < scene->net->n_channels; c++)
        if (isfinite(scene->problem.capacity[c]) && scene->problem.capacity[c] > 0) length[c] = cw_random_unit(&random);
    if (n > 1) check_prices(&quotient, length);
    check_optimum(scene);
    cw_quotient_free(&quotient);
    free(length);
}

static const struct {
    const char *network, *pattern;
    uint32_t n;
    bool fails;    /* a channel between two switches */
    bool fail_all; /* those from each switch to the next in the first dimension */
    bool uneven;   /* a demand of more bytes */
    bool twins;    /* two demands with the same ends */
} cases[] = {{"torus:4x6", "shift:12", 24},
             {"torus:4x6", "shift:12", 1, .fails = true},
             {"torus:4x6", "alltoall", 24, .fail_all = true},
             {"torus:4x6", "shift:12", 1, .uneven = true},
             {"torus:4x6", "shift:12", 1, .twins = true},
             {"torus:4x6", "shift:1", 6},         /* the next row begins where one ends */
             {"torus:4x6", "disjoint:4x4", 4},    /* the first row sends to the last */
             {"torus:4x6", "aggregation:6", 6},   /* the first column receives, … */
             {"torus:4x6", "aggregation:12", 12}, /* … every second one */
             {"torus:5x3", "alltoall", 15},
             {"torus:2x2x3,doubled", "alltoall", 12},
             {"torus:3x4x2", "shift:7", 2},
             {"torus:4x6", "permutation", 1},
             {"mesh:4x6", "shift:12", 1}};

static struct scene *scene_of_case(size_t i)
{
    struct scene *scene = scene_of(cases[i].network, cases[i].pattern, NULL, 1);
    if (cases[i].uneven) scene->problem.unit_bytes = scene->demands.items[5].bytes *= 2;
    if (cases[i].twins)
        must(cw_demands_add(&scene->demands, scene->demands.items[0].src, scene->demands.items[0].dst, MIB));
    return scene;
}

static void on_free_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *scene = scene_of_case(i);
        const struct cw_network *net = scene->net;
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
            if (cases[i].fail_all || (cases[i].fails && v == net->n_endpoints))
                scene->problem.capacity[net->first[v] + 1] = 0;
        check_scene(scene, cases[i].n, i);
        scene_free(scene);
    }
}

/* All endpoints or, with SOME, those of even numbers may relay. */
static struct leg_scene *on_legs(struct scene *scene, const char *engine, bool adaptive, bool some, uint32_t max_relays)
{
    struct cw_selection relays = {.endpoints = zeros(scene->net->n_endpoints, sizeof(uint32_t))};
    for (uint32_t e = 0; e < scene->net->n_endpoints; e += 1 + some) relays.endpoints[relays.n++] = e;
    return leg_scene_as(scene, engine, 1, adaptive, relays, max_relays);
}

/* dor takes the same way everywhere; random ways are no symmetry, nor are relays that only some nodes are. */
static void on_legs_of_dor(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].fails || cases[i].fail_all || cases[i].network[0] == 'm') continue;
        struct leg_scene *legs = on_legs(scene_of_case(i), "dor", i % 3 == 2, false, 1 + i % 2);
        check_scene(legs->base, cases[i].n, i);
        leg_scene_free(legs);
    }
    struct leg_scene *legs = on_legs(scene_of("torus:4x6", "shift:12", NULL, 1), NULL, false, false, 1);
    check_scene(legs->base, 1, 0);
    leg_scene_free(legs);
    legs = on_legs(scene_of("torus:4x6", "shift:12", NULL, 1), "dor", false, true, 1);
    check_scene(legs->base, 12, 0);
    leg_scene_free(legs);
}

/* Three hops one way round a ring, five the other: what moves to the shorter way loads its channel three times. */
static void pruned(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:8", "shift:3", "dor", 1);
    struct cw_quotient quotient;
    struct cw_columns columns;
    double *load = zeros(scene->net->n_channels, sizeof *load);
    uint32_t path[7], switch_channel = scene->net->first[8];
    must(cw_quotient_make(&scene->problem, &quotient));
    must(cw_columns_make(&quotient.problem, &columns));
    for (uint32_t way = 0; way < 2; way++) {
        const uint32_t hops = way == 0 ? 3 : 5;
        uint32_t column;
        path[0] = scene->net->first[0];
        for (uint32_t i = 1; i <= hops; i++) path[i] = switch_channel + 1 + way;
        path[hops + 1] = switch_channel;
        must(cw_columns_add(&columns, 0, path, hops + 2, &column));
        columns.items[column].flow = .5;
    }
    same(cw_columns_load(&columns, load), 2.5, "load");
    must(cw_columns_prune(&columns));
    same(cw_columns_load(&columns, load), 2.5, "load");
    same(load[switch_channel + 1], 2.5, "load");
    same(columns.items[0].flow, 5. / 6, "flow");
    cw_columns_free(&columns);
    cw_quotient_free(&quotient);
    free(load);
    scene_free(scene);
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

static void refuses(const struct scene *scene, const char *text, const char *old, const char *new, const char *message)
{
    const char *at = strstr(text, old);
    char *changed = zeros(strlen(text) + strlen(new) + 1, 1);
    struct cw_plan plan = {0};
    assert_non_null(at);
    memcpy(changed, text, (size_t)(at - text));
    strcpy(changed + (at - text), new);
    strcat(changed, at + strlen(old));
    assert_int_equal(cw_plan_parse(&scene->problem, "plan.json", changed, strlen(changed), &plan), CW_EPARSE);
    if (!strstr(cw_error_message(), message)) fail_msg("%s", cw_error_message());
    free(changed);
}

/* The file of PLAN, and the same plan read from it. */
static struct cw_text round_trip(const struct scene *scene, const struct cw_plan *plan)
{
    struct cw_text text = {0};
    struct cw_plan again = {0};
    must(cw_plan_write(&scene->problem, plan, NULL, &text));
    must(cw_plan_parse(&scene->problem, "plan.json", text.data, text.length, &again));
    assert_same_paths(plan, &again);
    cw_plan_free(&again);
    return text;
}

/* Demands alone: what a rule without a problem must keep to. */
static void refuses_demands(const char *network, const char *step, size_t n, const char *message)
{
    struct cw_network *net = network_of(network);
    struct cw_demands demands = {0}, read = {0};
    struct cw_flow_problem problem;
    struct cw_plan plan = {.method = "by hand", .z = 1, .bound = NAN};
    struct cw_text text = {0};
    must(cw_demands_add(&demands, 0, 1, 1));
    must(cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem));
    must(cw_plan_write(&problem, &plan, NULL, &text));
    char *item = strstr(text.data, "{\"src\""), *changed = zeros(text.length + 400 * n, 1);
    sprintf(changed, "%.*s", (int)(strstr(text.data, "\"demands\"") - text.data), text.data);
    sprintf(changed + strlen(changed), "\"step\": %s, \"demands\": [", step);
    for (size_t i = 0; i < n; i++)
        sprintf(changed + strlen(changed), "%s%.*s", i > 0 ? ", " : "", (int)(strstr(item, "]}]") + 2 - item), item);
    strcat(changed, "]}");
    assert_int_equal(cw_plan_parse_demands(net, "plan.json", changed, strlen(changed), &read), CW_EPARSE);
    if (!strstr(cw_error_message(), message)) fail_msg("%s: %s", step, cw_error_message());
    free(changed);
    cw_text_free(&text);
    cw_demands_free(&demands);
    cw_flow_problem_free(&problem);
    cw_network_free(net);
}

static void senseless_rules(void **state)
{
    (void)state;
    refuses_demands("torus:3x2", "[1, 3]", 1, "step[1] is 3, expected a whole number from 1 to 2");
    refuses_demands("torus:3x2", "[2, 1]", 1, "step[0] is 2, expected a divisor");
    refuses_demands("torus:3x2", "1", 1, "step is 1, expected a list of numbers, one for each dimension");
    refuses_demands("mesh:3x2", "[1, 1]", 1, "the network is no torus");
    refuses_demands("torus:3x2", "[1, 1]", 6, "demands has 6 items, expected at most 5: one for each pair");
}

static void rules(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:16x24", "alltoall", NULL, 1);
    struct cw_plan plan = {0};
    scene->setup.routes = NULL;
    must(cw_method_solve(cw_method_find("optimum"), &scene->problem, &scene->setup, &plan));
    must(cw_plan_round(&scene->problem, &plan));
    struct cw_text text = round_trip(scene, &plan);
    assert_true(text.length < plan.n_paths); /* 383 demands in place of 147,072 */
    assert_non_null(strstr(text.data, "\"step\": [1, 1]"));

    struct cw_demands demands = {0};
    must(cw_plan_parse_demands(scene->net, "plan.json", text.data, text.length, &demands));
    assert_int_equal(demands.n, scene->demands.n);
    uint8_t *seen = zeros((size_t)scene->net->n_endpoints * scene->net->n_endpoints, 1);
    for (size_t d = 0; d < demands.n; d++) {
        assert_int_equal(demands.items[d].bytes, 8 * MIB);
        assert_int_equal(seen[demands.items[d].src * scene->net->n_endpoints + demands.items[d].dst]++, 0);
    }
    struct scene of_file = *scene;
    of_file.problem.demands = &demands;
    struct cw_plan again = {0};
    must(cw_plan_parse(&of_file.problem, "plan.json", text.data, text.length, &again));
    assert_true(again.z == plan.z);
    cw_plan_free(&again);

    refuses(scene, text.data, "\"step\": [1, 1]", "\"step\": [2, 1]", "step[0] is 2, expected 1");
    refuses(scene, text.data, "\"step\": [1, 1]", "\"step\": [1]", "step is [1], expected a list of numbers");
    refuses(scene, text.data, "\"src\": 0,", "\"src\": 1,", "demands[0].src is 1, expected 0");
    const size_t length = text.length;
    must(cw_demands_add(&demands, 3, 4, 1)); /* two of the same ends */
    assert_int_equal(cw_plan_parse(&of_file.problem, "plan.json", text.data, text.length, &again), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "these demands are not alike"));
    cw_text_free(&text);

    plan.paths[0].share = 0.5; /* as no other's */
    must(cw_plan_write(&scene->problem, &plan, NULL, &text));
    assert_null(strstr(text.data, "step"));
    assert_true(text.length > 100 * length);
    cw_text_free(&text);
    cw_demands_free(&demands);
    free(seen);
    cw_plan_free(&plan);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_free_paths), cmocka_unit_test(on_legs_of_dor),
                                       cmocka_unit_test(pruned), cmocka_unit_test(rules),
                                       cmocka_unit_test(senseless_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
