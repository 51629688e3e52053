/* Capacities, failed channels and connections of a data-movement problem. */
#include "demand_test.h"

#include <math.h>

#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "net/places.h"

static int make(const struct cw_network *net, const struct cw_demands *demands, int host_limit, const uint32_t *failed,
                size_t n_failed, struct cw_flow_problem *out)
{
    *out = (struct cw_flow_problem){0};
    const int rc = cw_flow_problem_make(net, demands, host_limit, failed, n_failed, out);
    assert_int_equal(rc == 0, out->capacity != NULL);
    return rc;
}

static struct cw_demands one_demand(uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct cw_demands demands = {0};
    must(cw_demands_add(&demands, src, dst, bytes));
    return demands;
}

static bool is_host_channel(const struct cw_network *net, uint32_t c)
{
    return net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints;
}

/* Host channels have no limit in Blue Gene's machines, unless asked for. */
static void host_channels(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool direct;
    } cases[] = {{"bgq:512", true},         {"torus:2x2x3x2x2", true}, {"torus:4x3", false},
                 {"mesh:2x2x3x2x2", false}, {"hypercube:5", false},    {"crossbar:4", false},
                 {"xgft:2:3,3:1,3", false}, {"dragonfly:2,4,2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].spec);
        struct cw_demands demands = one_demand(0, net->n_endpoints - 1, 10);
        for (int host_limit = -1; host_limit <= 1; host_limit++) {
            const bool limited = host_limit == 0 ? !cases[i].direct : host_limit > 0;
            struct cw_flow_problem problem;
            if (strcmp(cases[i].spec, "crossbar:4") == 0 && !limited) {
                assert_int_equal(make(net, &demands, host_limit, NULL, 0, &problem), CW_EUSAGE);
                assert_string_equal(cw_error_message(), "no channel has a limit: the network has none but those of "
                                                        "hosts, which were given none");
                continue;
            }
            must(make(net, &demands, host_limit, NULL, 0, &problem));
            for (uint32_t c = 0; c < net->n_channels; c++)
                assert_true(problem.capacity[c] == (is_host_channel(net, c) && !limited ? INFINITY : net->capacity[c]));
            assert_true(problem.unit_capacity == net->capacity[0]); /* a generated network's are all equal */
            assert_ptr_equal(problem.net, net);
            assert_ptr_equal(problem.demands, &demands);
            const uint32_t path[] = {net->first[0], net->first[net->n_vertices - 1] + 1};
            assert_int_equal(cw_flow_hops(&problem, path, 2), limited ? 2 : (uint32_t)!is_host_channel(net, path[1]));
            cw_flow_problem_free(&problem);
            assert_null(problem.capacity);
        }
        cw_demands_free(&demands);
        cw_network_free(net);
    }
}

/* Of one shape, a network that was generated is a machine of Blue Gene, and a map of InfiniBand is none. */
static void maps_have_hosts(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:2x2x3x2x2");
    struct cw_demands demands = one_demand(0, 1, 10);
    struct cw_flow_problem problem;
    assert_true(cw_network_node_is_switch(net));
    net->identity = zeros(net->n_vertices, sizeof *net->identity);
    assert_false(cw_network_node_is_switch(net));
    must(make(net, &demands, 0, NULL, 0, &problem));
    assert_true(problem.capacity[0] == net->capacity[0]);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* Two hosts each on two switches, which two cables of different capacity join. */
static struct cw_network *two_switches(void)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(4, 2, 6);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 1, 4 + e / 2, 1 + e % 2, 30, 0);
    cw_builder_cable(builder, 4, 3, 5, 3, 10, 0);
    cw_builder_cable(builder, 4, 4, 5, 4, 20, 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

static void units(void **state)
{
    (void)state;
    struct cw_network *net = two_switches();
    struct cw_demands demands = one_demand(0, 3, 10);
    must(cw_demands_add(&demands, 1, 2, 40));
    must(cw_demands_add(&demands, 1, 3, 20));
    struct cw_flow_problem problem;
    must(make(net, &demands, 0, NULL, 0, &problem));
    assert_true(problem.unit_capacity == 30);
    assert_int_equal(problem.unit_bytes, 40);
    cw_flow_problem_free(&problem);
    /* Not limited, the hosts' are no unit; failed channels still are. */
    const uint32_t failed = cw_network_channel_at(net, 4, 4);
    must(make(net, &demands, -1, &failed, 1, &problem));
    assert_true(problem.unit_capacity == 20);
    assert_true(problem.capacity[failed] == 0);
    assert_true(problem.capacity[net->twin[failed]] == 20);
    assert_true(problem.capacity[cw_network_channel_at(net, 4, 3)] == 10);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_network_free(net);
}

static void wrong_demands_and_channels(void **state)
{
    (void)state;
    struct cw_network *net = two_switches();
    struct cw_flow_problem problem;
    static const struct {
        struct cw_demand demand;
        const char *message;
    } cases[] = {{{0, 4, 1}, "demand 1: there is no endpoint 4; they are 0 to 3"},
                 {{7, 0, 1}, "demand 1: there is no endpoint 7; they are 0 to 3"},
                 {{2, 2, 1}, "demand 1: endpoint 2 sends to itself; expected another one"},
                 {{2, 3, 0}, "demand 1: 0 bytes; expected more"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_demand items[] = {{0, 1, 1}, cases[i].demand};
        const struct cw_demands demands = {.items = items, .n = 2};
        assert_int_equal(make(net, &demands, 0, NULL, 0, &problem), CW_EUSAGE);
        assert_string_equal(cw_error_message(), cases[i].message);
    }
    const struct cw_demands none = {0};
    assert_int_equal(make(net, &none, 0, NULL, 0, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "there are no demands: nothing is to be moved over the network");
    struct cw_demands demands = one_demand(0, 1, 1);
    assert_int_equal(make(net, &demands, 0, (const uint32_t[]){0, 12}, 2, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "there is no channel 12 that could fail; they are 0 to 11");
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* Failures of one direction cut off that direction only. */
static void unconnected_demands(void **state)
{
    (void)state;
    struct cw_network *net = two_switches();
    struct cw_demands there = one_demand(0, 3, 1), back = one_demand(3, 0, 1);
    must(cw_demands_add(&there, 1, 0, 1));
    must(cw_demands_add(&back, 3, 2, 1));
    const uint32_t up = net->first[0];
    const uint32_t failed[] = {cw_network_channel_at(net, 4, 3), cw_network_channel_at(net, 4, 4), up};
    struct cw_flow_problem problem;
    must(make(net, &there, 0, failed, 1, &problem));
    cw_flow_problem_free(&problem);
    assert_int_equal(make(net, &there, 0, failed, 2, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 0: no channels lead from h0 to h3, or all that do have failed");
    must(make(net, &back, 0, failed, 3, &problem));
    cw_flow_problem_free(&problem);
    const struct cw_demand swapped[] = {there.items[1], there.items[0]};
    memcpy(there.items, swapped, sizeof swapped);
    assert_int_equal(make(net, &there, 0, failed, 2, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 1: no channels lead from h0 to h3, or all that do have failed");
    cw_demands_free(&there);
    cw_demands_free(&back);
    cw_network_free(net);
}

/* Endpoints forward nothing: one that hangs on two switches does not join them. */
static void endpoints_join_nothing(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(3, 2, 4);
    cw_builder_cable(builder, 0, 1, 3, 1, 1, 0);
    cw_builder_cable(builder, 1, 1, 3, 2, 1, 0);
    cw_builder_cable(builder, 1, 2, 4, 2, 1, 0);
    cw_builder_cable(builder, 2, 1, 4, 1, 1, 0);
    must(cw_builder_finish(builder, &net));
    struct cw_demands demands = one_demand(0, 1, 1);
    struct cw_flow_problem problem;
    must(cw_demands_add(&demands, 1, 2, 1)); /* by the other of its channels */
    must(make(net, &demands, 0, NULL, 0, &problem));
    cw_flow_problem_free(&problem);
    must(cw_demands_add(&demands, 0, 2, 1));
    assert_int_equal(make(net, &demands, 0, NULL, 0, &problem), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "demand 2: no channels lead from h0 to h2, or all that do have failed");
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* True if V can be reached from SRC, by relaxing until nothing changes. */
static void relax(const struct cw_network *net, const bool *dead, uint32_t src, bool *reached)
{
    memset(reached, 0, net->n_vertices * sizeof *reached);
    reached[src] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t from = net->tail[c], to = net->head[c];
            if (dead[c] || !reached[from] || reached[to] || (from != src && from < net->n_endpoints)) continue;
            reached[to] = changed = true;
        }
    }
}

static void connections_by_brute_force(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x3");
    struct cw_demands demands = pattern_of(net, "alltoall");
    uint32_t *failed = zeros(net->n_channels, sizeof *failed);
    bool *dead = zeros(net->n_channels, sizeof *dead), *reached = zeros(net->n_vertices, sizeof *reached);
    unsigned refused = 0;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, trial);
        struct cw_flow_problem problem;
        size_t n = 0;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            dead[c] = cw_random_below(&random, 1000) < (is_host_channel(net, c) ? 5 : 10 * (trial % 50));
            if (dead[c]) failed[n++] = c;
        }
        size_t expected = demands.n; /* the first that is not connected */
        for (size_t i = 0; i < demands.n && expected == demands.n; i++) {
            relax(net, dead, demands.items[i].src, reached);
            if (!reached[demands.items[i].dst]) expected = i;
        }
        const int rc = make(net, &demands, 0, failed, n, &problem);
        assert_int_equal(rc, expected == demands.n ? 0 : CW_EUSAGE);
        if (rc) assert_int_equal(strtoul(cw_error_message() + strlen("demand "), NULL, 10), expected);
        refused += rc != 0;
        cw_flow_problem_free(&problem);
    }
    assert_in_range(refused, 50, 250);
    free(failed);
    free(dead);
    free(reached);
    cw_demands_free(&demands);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_channels),
        cmocka_unit_test(maps_have_hosts),
        cmocka_unit_test(units),
        cmocka_unit_test(wrong_demands_and_channels),
        cmocka_unit_test(unconnected_demands),
        cmocka_unit_test(endpoints_join_nothing),
        cmocka_unit_test(connections_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
