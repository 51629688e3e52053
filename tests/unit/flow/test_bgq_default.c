/* The routes of Blue Gene/Q: against those of all recorded runs, and against the rule walked one hop after another. */
#include "demand_test.h"

#include <stdio.h>

#include "base/text.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"

static struct cw_routes *routes_of(const struct cw_network *net)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, "bgq", 1, 1, &routes));
    return routes;
}

/* --- recorded runs ------------------------------------------------------------------------------------------------ */

/* What is recorded of an MPI run; hops and messages in the network, without the channels of hosts. */
struct record {
    unsigned nodes, pattern, jobs, hops, longest, hottest;
};

struct machine {
    unsigned nodes;
    struct cw_network *net;
    struct cw_routes *routes;
    uint32_t *path, *load;
};

static void close_machine(struct machine *machine)
{
    cw_routes_free(machine->routes);
    cw_network_free(machine->net);
    free(machine->path);
    free(machine->load);
    *machine = (struct machine){0};
}

static void open_machine(unsigned nodes, struct machine *machine)
{
    char spec[32];
    snprintf(spec, sizeof spec, "bgq:%u,merge2", nodes);
    machine->nodes = nodes;
    machine->net = network_of(spec);
    machine->routes = routes_of(machine->net);
    machine->path = zeros(cw_routes_max_hops(machine->routes), sizeof *machine->path);
    machine->load = zeros(machine->net->n_channels, sizeof *machine->load);
}

static struct record run(struct machine *machine, unsigned pattern)
{
    char spec[16];
    snprintf(spec, sizeof spec, "%u", pattern);
    struct cw_demands demands = pattern_of(machine->net, spec);
    struct record record = {.nodes = machine->nodes, .pattern = pattern};
    record.jobs = (unsigned)(demands.n + demands.self_pairs);
    memset(machine->load, 0, machine->net->n_channels * sizeof *machine->load);
    for (size_t i = 0; i < demands.n; i++) {
        uint32_t hops;
        must(cw_routes_paths(machine->routes, 1, &demands.items[i].src, &demands.items[i].dst, &hops, machine->path,
                             NULL));
        record.hops += hops - 2;
        if (hops - 2 > record.longest) record.longest = hops - 2;
        for (uint32_t h = 1; h + 1 < hops; h++)
            if (++machine->load[machine->path[h]] > record.hottest) record.hottest = machine->load[machine->path[h]];
    }
    cw_demands_free(&demands);
    return record;
}

/* Runs everything recorded in FILE; the number of its rows. */
static unsigned check_records(const char *file)
{
    struct cw_text text = {0};
    struct machine machine = {0};
    unsigned n = 0;
    must(cw_file_read(file, &text));
    struct cw_lines lines = cw_lines_of(file, text.data, text.length);
    assert_true(cw_lines_next(&lines)); /* header */
    for (; cw_lines_next(&lines); n++) {
        struct record want;
        if (sscanf(lines.line, "%u,%*[^,],%u,%u,%u,%u,%u", &want.nodes, &want.pattern, &want.jobs, &want.hops,
                   &want.longest, &want.hottest) != 6)
            fail_msg("%s:%lu is no record", file, lines.number);
        if (want.nodes != machine.nodes) {
            close_machine(&machine);
            open_machine(want.nodes, &machine);
        }
        const struct record got = run(&machine, want.pattern);
        if (memcmp(&got, &want, sizeof got) != 0)
            fail_msg("%u nodes, pattern %u: %u jobs, %u hops, longest %u, hottest %u; recorded %u, %u, %u, %u",
                     want.nodes, want.pattern, got.jobs, got.hops, got.longest, got.hottest, want.jobs, want.hops,
                     want.longest, want.hottest);
    }
    close_machine(&machine);
    cw_text_free(&text);
    return n;
}

static void recorded_runs(void **state)
{
    (void)state;
    assert_int_equal(check_records(CW_TEST_DATA "/golden/bgq/mpi-recorded.csv"), 199);
}

/* --- the rule ----------------------------------------------------------------------------------------------------- */

/* Walks from SRC by the rule; ORDER lists the dimensions, 0 the fastest. The result is the number of hops. */
static uint32_t walk(const struct cw_network *net, const uint32_t *order, uint32_t src, uint32_t dst, uint32_t *path,
                     uint8_t *lanes)
{
    const struct cw_torus *torus = &net->shape.torus;
    uint32_t v = net->n_endpoints + src, hops = 0;
    path[hops] = net->first[src];
    lanes[hops++] = 0;
    for (uint32_t i = 0; i < torus->n; i++) {
        uint32_t stride = 1;
        for (uint32_t d = 0; d < order[i]; d++) stride *= torus->k[d];
        const int k = (int)torus->k[order[i]], y = (int)(dst / stride) % k, start = (int)(src / stride) % k;
        const int span = y - start, far = abs(span), sign = span > 0 ? 1 : -1;
        int step = 2 * far < k ? sign : -sign;
        if (2 * far == k) step = start % 2 == 0 ? sign : -sign;
        uint8_t lane = 0;
        for (int x = start; x != y; x = (x + step + k) % k) {
            const bool one_cable = k == 2 && !torus->doubled;
            const uint32_t port = 2 + 2 * order[i] + (step < 0 && !one_cable);
            if (x + step < 0 || x + step == k) lane = 1;
            path[hops] = cw_network_channel_at(net, v, port);
            lanes[hops] = lane;
            v = net->head[path[hops++]];
        }
    }
    assert_int_equal(v, net->n_endpoints + dst);
    path[hops] = cw_network_channel_at(net, v, 1);
    lanes[hops++] = 0;
    return hops;
}

static void check_rule(const char *spec, const uint32_t *order)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = routes_of(net);
    const uint32_t n = net->n_endpoints, room = cw_routes_max_hops(routes);
    uint32_t *path = zeros(room, sizeof *path), *expected = zeros(room, sizeof *expected), hops, longest = 0;
    uint8_t *lanes = zeros(room, 1), *expected_lanes = zeros(room, 1);
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++) {
            if (src == dst) continue;
            must(cw_routes_paths(routes, 1, &src, &dst, &hops, path, lanes));
            assert_int_equal(hops, walk(net, order, src, dst, expected, expected_lanes));
            assert_memory_equal(path, expected, hops * sizeof *path);
            if (cw_routes_lanes(routes) > 1) assert_memory_equal(lanes, expected_lanes, hops);
            if (hops > longest) longest = hops;
        }
    assert_int_equal(longest, room);
    free(path);
    free(expected);
    free(lanes);
    free(expected_lanes);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* The sizes are written from the last letter to A. */
static void routes_follow_the_rule(void **state)
{
    (void)state;
    check_rule("torus:6", (const uint32_t[]){0});
    check_rule("torus:4x4", (const uint32_t[]){1, 0});
    check_rule("torus:4x6", (const uint32_t[]){1, 0});
    check_rule("torus:6x4", (const uint32_t[]){0, 1});
    check_rule("torus:2x5x4", (const uint32_t[]){1, 2, 0});
    check_rule("torus:2x4x2,doubled", (const uint32_t[]){1, 2, 0});
    check_rule("torus:2x3x2x4,doubled", (const uint32_t[]){3, 1, 2, 0});
    check_rule("torus:2x2x3x3x2", (const uint32_t[]){3, 2, 4, 1, 0});
    check_rule("torus:2x4x3x3", (const uint32_t[]){1, 2, 3, 0}); /* the second of equally long ones in its own place */
}

static void b_goes_first_in_small_blocks(void **state)
{
    (void)state;
    check_rule("torus:2x2x2x4x4", (const uint32_t[]){3, 4, 2, 1, 0}); /* 128 nodes, A and B the longest */
    check_rule("torus:2x2x4x4x4", (const uint32_t[]){3, 4, 2, 1, 0}); /* 256, C as long */
    check_rule("torus:2x4x2x4x2", (const uint32_t[]){3, 1, 2, 4, 0}); /* 128, A is not */
    check_rule("torus:2x4x4x2x2", (const uint32_t[]){2, 1, 3, 4, 0}); /* 128, A and B the longest of those left */
    check_rule("torus:2x2x2x3x3", (const uint32_t[]){4, 3, 2, 1, 0}); /* 72 */
}

/* Partitions as the machine has them: in E, both nodes of a pair go up, each by a cable of its own. */
static void both_cables_of_e_are_used(void **state)
{
    (void)state;
    struct cw_network *net = network_of("bgq:512");
    struct cw_routes *routes = routes_of(net);
    uint32_t there[16], back[16], hops;
    const uint32_t a = 0, b = 1;
    assert_int_equal(cw_network_degree(net, net->n_vertices - 1), 1 + 10);
    must(cw_routes_paths(routes, 1, &a, &b, &hops, there, NULL));
    assert_int_equal(hops, 3);
    must(cw_routes_paths(routes, 1, &b, &a, &hops, back, NULL));
    assert_int_equal(hops, 3);
    assert_int_equal(cw_network_port(net, there[1]), 2);
    assert_int_equal(cw_network_port(net, back[1]), 2);
    assert_int_not_equal(net->twin[there[1]], back[1]);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void partitions_are_free_of_deadlocks(void **state)
{
    (void)state;
    static const char *const specs[] = {"bgq:512", "bgq:512,merge2"};
    for (size_t i = 0; i < 2; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *routes = routes_of(net);
        struct cw_deadlock deadlock;
        assert_int_equal(cw_routes_lanes(routes), 2);
        must(cw_routes_deadlock(routes, 0, 1, &deadlock));
        assert_true(deadlock.acyclic);
        cw_deadlock_free(&deadlock);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void other_networks_are_refused(void **state)
{
    (void)state;
    struct cw_routes *routes = NULL;
    struct cw_network *mesh = network_of("mesh:4x4"), *torus = network_of("torus:4"), *liar = NULL;
    assert_int_equal(cw_engine_route(mesh, "bgq", 1, 1, &routes), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "bgq cannot route mesh:4x4; it needs a torus, generated or recognised in a map");
    struct cw_builder *builder = cw_builder_new(4, 4, 7);
    cw_builder_shape(builder, &torus->shape);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 0, 4 + e, 0, 1, 0);
    for (uint32_t s = 1; s < 4; s++) cw_builder_cable(builder, 3 + s, 0, 4 + s, 0, 1, 0);
    must(cw_builder_finish(builder, &liar));
    assert_int_equal(cw_engine_route(liar, "bgq", 1, 1, &routes), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "are not those of a torus"));
    assert_null(routes);
    cw_network_free(mesh);
    cw_network_free(torus);
    cw_network_free(liar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_runs),
        cmocka_unit_test(routes_follow_the_rule),
        cmocka_unit_test(b_goes_first_in_small_blocks),
        cmocka_unit_test(both_cables_of_e_are_used),
        cmocka_unit_test(partitions_are_free_of_deadlocks),
        cmocka_unit_test(other_networks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
