/* Every registered engine on every example of every topology that it accepts: what route/engine.h and route/routes.h
 * promise, and what the engine claims of itself. */
#include "base/option.h"
#include "net/network_internal.h"
#include "route_test.h"

#include "base/text.h"
#include "net/builder.h"
#include "route/check.h"
#include "route/route_runs.h"

#define MOST_ENDPOINTS 130

static void check_walks(const struct cw_routes *routes, const struct all_routes *all)
{
    uint32_t *path = zeros(all->stride, sizeof *path);
    uint8_t *lanes = zeros(all->stride, sizeof *lanes);
    for (size_t i = 0; i < all->n; i++) {
        const uint32_t hops = walk(routes, all->src[i], all->dst[i], path, lanes);
        assert_int_equal(hops, all->hops[i]);
        assert_int_equal(hops == 0, all->src[i] == all->dst[i]);
        for (uint32_t h = 0; h < hops; h++) {
            assert_int_equal(path[h], all->channels[i * all->stride + h]);
            assert_int_equal(lanes[h], all->lanes[i * all->stride + h]);
        }
    }
    free(path);
    free(lanes);
}

static void check_count(const struct cw_routes *routes, const struct all_routes *all)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *load = zeros(net->n_channels, sizeof *load), *expected = zeros(net->n_channels, sizeof *load);
    must(cw_routes_count(routes, all->n, all->src, all->dst, load));
    for (size_t i = 0; i < all->n; i++)
        for (uint32_t h = 0; h < all->hops[i]; h++) expected[all->channels[i * all->stride + h]]++;
    assert_memory_equal(load, expected, net->n_channels * sizeof *load);
    free(load);
    free(expected);
}

/* Places are the channels, each once, and the runs of a route are its channels, each once. */
static void check_runs(const struct cw_routes *routes, const struct all_routes *all)
{
    const uint32_t most = cw_routes_most_runs(routes), n_channels = cw_routes_network(routes)->n_channels;
    if (most == 0) return;
    uint32_t *place = zeros(n_channels, sizeof *place), *n_runs = zeros(all->n, sizeof *n_runs);
    uint32_t *found = zeros(n_channels, sizeof *found), *expected = zeros(n_channels, sizeof *expected);
    struct cw_run *runs = zeros(all->n * most, sizeof *runs), *run = runs;
    cw_routes_places(routes, place);
    for (uint32_t c = 0; c < n_channels; c++) {
        assert_in_range(place[c], 0, n_channels - 1);
        assert_int_equal(expected[place[c]]++, 0);
    }
    memset(expected, 0, n_channels * sizeof *expected);
    const size_t n = cw_routes_runs(routes, all->n, all->src, all->dst, n_runs, runs);
    for (size_t i = 0; i < all->n; i++) {
        assert_in_range(n_runs[i], 0, most);
        for (uint32_t h = 0; h < all->hops[i]; h++) expected[place[all->channels[i * all->stride + h]]]++;
        for (uint32_t r = 0; r < n_runs[i]; r++, run++)
            for (uint32_t k = 0; k < run->n; k++) found[run->first + k]++;
        for (uint32_t h = 0; h < all->hops[i]; h++)
            assert_int_equal(found[place[all->channels[i * all->stride + h]]],
                             expected[place[all->channels[i * all->stride + h]]]);
    }
    assert_ptr_equal(run, runs + n);
    assert_memory_equal(found, expected, n_channels * sizeof *found);
    free(place);
    free(n_runs);
    free(found);
    free(expected);
    free(runs);
}

static void check_tables(const struct cw_routes *routes, const struct all_routes *all)
{
    struct cw_routes *tables = NULL;
    const int rc = cw_routes_to_tables(routes, 2, &tables);
    if (!cw_routes_by_destination(routes)) {
        assert_int_equal(rc, CW_EUSAGE);
        assert_null(tables);
        return;
    }
    must(rc);
    assert_int_equal(cw_routes_kind(tables), CW_ROUTES_TABLE);
    assert_true(cw_routes_max_hops(tables) <= cw_routes_max_hops(routes));
    struct all_routes same = all_routes_of(tables);
    assert_same_paths(all, &same);
    free_all_routes(&same);
    cw_routes_free(tables);
}

static void check_claims(const struct cw_engine *engine, const struct cw_routes *routes, const struct all_routes *all)
{
    struct cw_deadlock deadlock;
    if (engine->minimal) assert_shortest(cw_routes_network(routes), all);
    if (cw_routes_by_destination(routes)) assert_true(depends_on_destination(routes, all));
    if (engine->deadlock_freedom != CW_CLAIM_ACYCLIC) return;
    must(cw_routes_deadlock(routes, 0, 1, &deadlock));
    assert_true(deadlock.acyclic);
    cw_deadlock_free(&deadlock);
}

static void check_threads(const char *engine, const struct cw_network *net, const struct all_routes *all)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, engine, 7, 4, &routes));
    struct all_routes same = all_routes_of(routes);
    assert_int_equal(same.stride, all->stride);
    assert_same_paths(all, &same);
    assert_memory_equal(all->lanes, same.lanes, all->n * all->stride);
    free_all_routes(&same);
    cw_routes_free(routes);
}

static void check_engine(const struct cw_engine *engine, const struct cw_network *net)
{
    struct cw_routes *routes = routes_of(net, engine->name);
    assert_string_equal(cw_routes_name(routes), engine->name);
    assert_ptr_equal(cw_routes_network(routes), net);
    struct all_routes all = all_routes_of(routes);
    check_walks(routes, &all);
    check_count(routes, &all);
    check_runs(routes, &all);
    check_tables(routes, &all);
    check_claims(engine, routes, &all);
    check_threads(engine->name, net, &all);
    free_all_routes(&all);
    cw_routes_free(routes);
}

/* True if ENGINE accepts NET, with its options' defaults. */
static bool accepts(const struct cw_engine *engine, const struct cw_network *net)
{
    static const struct cw_option none[] = {{.name = NULL}};
    const struct cw_option *options = engine->options ? engine->options : none;
    void *values = zeros(1, engine->size + 1);
    must(cw_options_init(options, values));
    const bool result = engine->compile && cw_engine_accepts(engine, net, values);
    cw_options_free(options, values);
    free(values);
    return result;
}

static void engines_on_all_examples(void **state)
{
    (void)state;
    unsigned routed[64] = {0};
    for (size_t t = 0; cw_topologies[t]; t++)
        for (size_t x = 0; cw_topologies[t]->examples[x]; x++) {
            struct cw_network *net = network_of(cw_topologies[t]->examples[x]);
            for (size_t e = 0; cw_engines[e] && net->n_endpoints <= MOST_ENDPOINTS; e++) {
                if (!accepts(cw_engines[e], net)) continue;
                check_engine(cw_engines[e], net);
                routed[e]++;
            }
            cw_network_free(net);
        }
    for (size_t e = 0; cw_engines[e]; e++) assert_true(!cw_engines[e]->compile || routed[e] > 0);
}

/* Ties, orders of dimensions, rings of one and two, that have runs and that have none. */
static void runs_of_tori(void **state)
{
    (void)state;
    static const struct {
        const char *net, *routing;
        bool has_runs;
    } cases[] = {
        {"torus:4x3x6", "dor", true},
        {"torus:6x4", "dor:tie=minus", true},
        {"torus:6x4", "dor:tie=even-odd", true},
        {"torus:4x4x4", "dor:tie=balanced,order=2x0x1", true},
        {"torus:5x3x4", "dor:order=2x1x0", true},
        {"torus:4x2", "dor", false},
        {"mesh:4x3", "dor", false},
        {"hypercube:4", "dor", false},
        {"torus:2x3x3x3x3", "bgq", false},
        {"torus:7", "dor", true},
        {"torus:4x2,doubled", "dor", true},
        {"torus:2x4x3x2x2,doubled", "bgq", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].net);
        struct cw_routes *routes = routes_of(net, cases[i].routing);
        struct all_routes all = all_routes_of(routes);
        if ((cw_routes_most_runs(routes) > 0) != cases[i].has_runs) fail_msg("%s", cases[i].net);
        check_runs(routes, &all);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void descriptions(void **state)
{
    (void)state;
    for (size_t e = 0; cw_engines[e]; e++) {
        struct cw_text help = {0};
        assert_true(strlen(cw_engines[e]->name) > 0);
        assert_true(strlen(cw_engines[e]->help) > 10);
        assert_true(strlen(cw_engines[e]->needs) > 5);
        if (!cw_engines[e]->options) continue;
        assert_true(cw_engines[e]->size > 0);
        cw_options_help(cw_engines[e]->options, false, true, &help);
        must(cw_text_check(&help));
        for (const struct cw_option *option = cw_engines[e]->options; option->name; option++)
            assert_non_null(strstr(help.data, option->name));
        cw_text_free(&help);
    }
}

static void default_engines(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"xgft:2:3,3:1,3", "dmodk"}, {"torus:4x4", "dor"},           {"mesh:4x4", "dor"},
        {"hypercube:3", "dor"},      {"dragonfly:1,2,1", "minimal"}, {"crossbar:4", "minhop"},
        {"bgq:512,merge2", "bgq"},   {"torus:2x3x3x3x3", "bgq"},     {"torus:3x2x3x3x3", "dor"},
        {"mesh:2x2x2x2x2", "dor"},   {"torus:2x3x3x3", "dor"},       {"hypercube:5", "dor"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i][0]);
        struct cw_routes *routes = routes_of(net, NULL);
        assert_string_equal(cw_engine_default(net), cases[i][1]);
        assert_string_equal(cw_routes_name(routes), cases[i][1]);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void assert_refused(const struct cw_network *net, const char *spec, const char *message)
{
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_engine_route(net, spec, 0, 1, &routes), CW_EUSAGE);
    assert_null(routes);
    if (!strstr(cw_error_message(), message)) fail_msg("'%s' is not in '%s'", message, cw_error_message());
}

static void refusals(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    assert_refused(net, "dmodc", "did you mean 'dmodk'?");
    assert_refused(net, "telepathy", "random-minimal");
    assert_refused(net, "dmodk", "dmodk cannot route torus:4x4; it needs an XGFT");
    assert_refused(net, "dor:ties=plus", "did you mean tie?");
    assert_refused(net, "minhop:3", "minhop");
    cw_network_free(net);
}

/* A network that says it has SHAPE, with the right numbers of vertices but cables that are no such shape's. */
static struct cw_network *impostor(const struct cw_shape *shape)
{
    struct cw_network *net = NULL;
    const uint32_t n = (uint32_t)cw_shape_endpoints(shape), switches = (uint32_t)cw_shape_switches(shape);
    struct cw_builder *builder = cw_builder_new(n, switches, n + switches);
    cw_builder_shape(builder, shape);
    for (uint32_t e = 0; e < n; e++) cw_builder_cable(builder, e, 0, n + e % switches, 0, 1, 0);
    for (uint32_t s = 1; s < switches; s++) cw_builder_cable(builder, n + s - 1, 0, n + s, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

static void shapes_are_checked(void **state)
{
    (void)state;
    static const char *const specs[][3] = {
        {"xgft:2:3,3:1,3", "dmodk", "the network claims to be"},
        {"xgft:2:3,3:1,3", "smodk", "the network claims to be"},
        {"torus:4x4", "dor", "the network claims to be"},
        {"torus:4x4", "bgq", "the network claims to be"},
        {"dragonfly:2,4,2", "minimal", "has other cables than its place in the shape"}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *good = network_of(specs[i][0]), *bad = impostor(&good->shape);
        assert_refused(bad, specs[i][1], specs[i][2]);
        struct cw_routes *routes = routes_of(bad, "minhop");
        struct all_routes all = all_routes_of(routes);
        assert_shortest(bad, &all);
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(good);
        cw_network_free(bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_on_all_examples),
                                       cmocka_unit_test(descriptions),
                                       cmocka_unit_test(runs_of_tori),
                                       cmocka_unit_test(default_engines),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(shapes_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
