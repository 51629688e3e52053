/* Placements on small networks built by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "net/builder.h"
#include "topo/topology.h"
#include "traffic/placement.h"
#include "traffic_test_file.h"

enum { ENDPOINTS = 10, SWITCHES = 4 };

/* Endpoints of switches 0 … 3; the last has none. */
static const uint32_t switch_of[ENDPOINTS] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};

/* A star of three switches around a fourth. NAMED: names and identities as a fabric dump gives them. */
static struct cw_network *new_network(bool named)
{
    struct cw_builder *builder = cw_builder_new(ENDPOINTS, SWITCHES, ENDPOINTS + SWITCHES - 1);
    for (uint32_t e = 0; e < ENDPOINTS; e++)
        cw_builder_cable(builder, e, 0, ENDPOINTS + switch_of[e], 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    for (uint32_t s = 0; s + 1 < SWITCHES; s++)
        cw_builder_cable(builder, ENDPOINTS + s, 0, ENDPOINTS + 3, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    for (uint32_t v = 0; named && v < ENDPOINTS + SWITCHES; v++) {
        char name[32];
        snprintf(name, sizeof name, v < ENDPOINTS ? "node%u HCA-1" : "leaf#%u", v);
        if (v == 9) snprintf(name, sizeof name, "4"); /* a name that looks like another's id */
        const struct cw_identity identity = {
            .node_guid = 0xa000 + v, .port_guid = 0xb000 + v, .kind = v < ENDPOINTS ? CW_KIND_HOST : CW_KIND_SWITCH};
        cw_builder_name(builder, v, name);
        cw_builder_identity(builder, v, &identity);
    }
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    return net;
}

static void order_of(const char *spec, const struct cw_network *net, uint64_t index, uint32_t order[ENDPOINTS])
{
    struct cw_placement *placement = NULL;
    if (cw_placement_new(spec, net, NULL, &placement)) fail_msg("%s: %s", spec, cw_error_message());
    assert_string_equal(cw_placement_spec(placement), spec);
    struct cw_random random = cw_random_of(5, CW_STREAM_TEST, index);
    for (uint32_t i = 0; i < ENDPOINTS; i++) order[i] = CW_NONE;
    assert_int_equal(cw_placement_order(placement, &random, order), 0);
    cw_placement_free(placement);
    bool seen[ENDPOINTS] = {false};
    for (uint32_t i = 0; i < ENDPOINTS; i++) {
        assert_true(order[i] < ENDPOINTS);
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
    }
}

static void test_every_placement(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    for (const struct cw_placement_kind *const *kind = cw_placement_kinds; *kind; kind++) {
        assert_non_null((*kind)->help);
        if (strcmp((*kind)->name, "file") == 0) continue;          /* has tests of its own */
        if (strcmp((*kind)->name, "random-groups") == 0) continue; /* dragonflies only */
        for (uint64_t index = 0; index < 20; index++) {
            uint32_t once[ENDPOINTS], again[ENDPOINTS];
            order_of((*kind)->name, net, index, once);
            order_of((*kind)->name, net, index, again);
            assert_memory_equal(once, again, sizeof once);
        }
    }
    cw_network_free(net);
}

/* Every endpoint is equally often in every place. */
static void test_random(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    enum { TRIALS = 5000 };
    double count[ENDPOINTS][ENDPOINTS] = {{0}};
    for (uint64_t t = 0; t < TRIALS; t++) {
        uint32_t order[ENDPOINTS];
        order_of("random", net, t, order);
        for (uint32_t i = 0; i < ENDPOINTS; i++) count[i][order[i]]++;
    }
    const double expected = (double)TRIALS / ENDPOINTS;
    for (uint32_t i = 0; i < ENDPOINTS; i++)
        for (uint32_t j = 0; j < ENDPOINTS; j++) assert_true(fabs(count[i][j] - expected) < 5 * sqrt(expected));
    cw_network_free(net);
}

static void test_contiguous(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    uint32_t order[ENDPOINTS];
    order_of("contiguous", net, 0, order);
    for (uint32_t i = 0; i < ENDPOINTS; i++) assert_int_equal(order[i], i);
    for (uint32_t start = 0; start < ENDPOINTS; start++) {
        char spec[32];
        snprintf(spec, sizeof spec, "contiguous:start=%u", start);
        order_of(spec, net, 0, order);
        for (uint32_t i = 0; i < ENDPOINTS; i++) assert_int_equal(order[i], (start + i) % ENDPOINTS);
    }
    cw_network_free(net);
}

/* Each switch's endpoints are together and in order; each of the 3! orders of switches is equally frequent. */
static void test_random_switches(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    enum { TRIALS = 3000 };
    double count[3][3] = {{0}};
    for (uint64_t t = 0; t < TRIALS; t++) {
        uint32_t order[ENDPOINTS], switches[3], n = 0;
        order_of("random-switches", net, t, order);
        for (uint32_t i = 0; i < ENDPOINTS; i++) {
            const uint32_t s = switch_of[order[i]];
            if (i > 0 && s == switch_of[order[i - 1]]) {
                assert_true(order[i] > order[i - 1]);
                continue;
            }
            assert_true(n < 3);
            switches[n++] = s;
        }
        assert_int_equal(n, 3);
        count[switches[0]][switches[1]]++;
    }
    const double expected = (double)TRIALS / 6;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++)
            assert_true(fabs(count[i][j] - (i == j ? 0 : expected)) < (i == j ? 1 : 5 * sqrt(expected)));
    cw_network_free(net);
}

/* Switch after switch, each with its endpoints in order, whatever is drawn. */
static void test_switches(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    for (uint64_t t = 0; t < 3; t++) {
        uint32_t order[ENDPOINTS];
        order_of("switches", net, t, order);
        for (uint32_t i = 1; i < ENDPOINTS; i++) {
            const uint32_t before = switch_of[order[i - 1]], here = switch_of[order[i]];
            assert_true(before < here || (before == here && order[i - 1] < order[i]));
        }
    }
    cw_network_free(net);
}

/* random-nodes is random by another name. */
static void test_random_nodes(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    for (uint64_t t = 0; t < 20; t++) {
        uint32_t one[ENDPOINTS], other[ENDPOINTS];
        order_of("random", net, t, one);
        order_of("random-nodes", net, t, other);
        assert_memory_equal(one, other, sizeof one);
    }
    cw_network_free(net);
}

/* Groups are together and in order; each of the 3! orders of groups is equally frequent. */
static void test_random_groups(void **state)
{
    (void)state;
    enum { TRIALS = 3000, GROUPS = 3, EACH = 4 };
    struct cw_network *net = NULL;
    assert_int_equal(cw_topology_build("dragonfly:2,2,1,g=3", &net), 0);
    struct cw_placement *placement = NULL;
    assert_int_equal(cw_placement_new("random-groups", net, NULL, &placement), 0);
    assert_true(cw_placement_is_random(placement));
    double count[GROUPS][GROUPS] = {{0}};
    for (uint64_t t = 0; t < TRIALS; t++) {
        uint32_t order[GROUPS * EACH];
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, t);
        assert_int_equal(cw_placement_order(placement, &random, order), 0);
        for (uint32_t i = 0; i < GROUPS * EACH; i++) {
            assert_int_equal(order[i] % EACH, i % EACH);
            assert_int_equal(order[i] / EACH, order[i - i % EACH] / EACH);
        }
        assert_int_equal(order[0] / EACH + order[EACH] / EACH + order[2 * EACH] / EACH, 0 + 1 + 2);
        count[order[0] / EACH][order[EACH] / EACH]++;
    }
    const double expected = (double)TRIALS / 6;
    for (uint32_t i = 0; i < GROUPS; i++)
        for (uint32_t j = 0; j < GROUPS; j++)
            assert_true(fabs(count[i][j] - (i == j ? 0 : expected)) < (i == j ? 1 : 5 * sqrt(expected)));
    cw_placement_free(placement);
    cw_network_free(net);
}

/* An endpoint with two rails belongs to the switch of its first, one without a cable is by itself. */
static void test_rails_and_loose_endpoints(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(ENDPOINTS, 2, ENDPOINTS);
    for (uint32_t e = 1; e < ENDPOINTS; e++)
        for (uint32_t rail = 0; rail < 2; rail++)
            cw_builder_cable(builder, e, rail + 1, ENDPOINTS + (e + rail) % 2, 0, CW_DEFAULT_CAPACITY,
                             CW_DEFAULT_LATENCY);
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    for (uint64_t t = 0; t < 20; t++) {
        uint32_t order[ENDPOINTS], changes = 0;
        order_of("random-switches", net, t, order);
        for (uint32_t i = 1; i < ENDPOINTS; i++) {
            const bool loose = order[i] == 0 || order[i - 1] == 0;
            if (loose || order[i] % 2 != order[i - 1] % 2) changes++;
        }
        assert_int_equal(changes, 2);
    }
    cw_network_free(net);
}

/* Specification of a file with this content; the caller unlinks PATH. */
static void write_file(const char *content, size_t length, char path[TEST_PATH_SIZE], char spec[TEST_PATH_SIZE + 16])
{
    write_test_file(content, length, path);
    snprintf(spec, TEST_PATH_SIZE + 16, "file:%s", path);
}

static void test_file(void **state)
{
    (void)state;
    static const struct {
        bool named;
        const char *content;
        uint32_t order[ENDPOINTS];
    } cases[] = {
        {false, "7\n2\n0\n", {7, 2, 0, 1, 3, 4, 5, 6, 8, 9}},
        {false, "# ranks\n\n  h9 # last\r\nh0\n8", {9, 0, 8, 1, 2, 3, 4, 5, 6, 7}},
        {true, "node3 HCA-1\n0xa005\n 0xb001\t\n2 # by id\n4\n", {3, 5, 1, 2, 9, 0, 4, 6, 7, 8}},
        {true, "9\n8\n7\n6\n5\n0xb004\n3\n2\n1\n0\n", {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
        {true, "node7\nnode[5-6,3] # in this order\nnode[1-2] HCA-1, 4\n", {7, 5, 6, 3, 1, 2, 9, 0, 4, 8}},
        {false, "h[9-9]\nh[4-6],h0\n", {9, 4, 5, 6, 0, 1, 2, 3, 7, 8}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = new_network(cases[i].named);
        char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
        uint32_t order[ENDPOINTS];
        write_file(cases[i].content, strlen(cases[i].content), path, spec);
        order_of(spec, net, 0, order);
        assert_memory_equal(order, cases[i].order, sizeof order);
        unlink(path);
        cw_network_free(net);
    }
}

/* A host has as many ranks as it has endpoints that take part, in their order. */
static void test_hosts_of_a_file(void **state)
{
    (void)state;
    static const char content[] = "b\na\n";
    char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
    struct cw_builder *builder = cw_builder_new(4, 1, 4);
    for (uint32_t e = 0; e < 4; e++) {
        char name[32];
        snprintf(name, sizeof name, "%c HCA-%u", e < 2 ? 'a' : 'b', e % 2 + 1);
        cw_builder_name(builder, e, name);
        cw_builder_cable(builder, e, 0, 4, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    }
    cw_builder_name(builder, 4, "leaf");
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    write_file(content, strlen(content), path, spec);
    static const struct {
        uint32_t n, endpoints[4], order[4];
    } cases[] = {{4, {0, 1, 2, 3}, {2, 3, 0, 1}}, {3, {0, 1, 3}, {3, 0, 1}}, {2, {1, 2}, {2, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_placement *placement = NULL;
        uint32_t order[4], some[4];
        memcpy(some, cases[i].endpoints, sizeof some);
        assert_int_equal(cw_placement_new(spec, net, &(struct cw_selection){cases[i].n, some}, &placement), 0);
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, 0);
        assert_int_equal(cw_placement_order(placement, &random, order), 0);
        assert_memory_equal(order, cases[i].order, cases[i].n * sizeof *order);
        cw_placement_free(placement);
    }
    struct cw_placement *placement = NULL;
    uint32_t none[] = {2, 3};
    assert_int_equal(cw_placement_new(spec, net, &(struct cw_selection){2, none}, &placement), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ":2: endpoint 'a' is not among the 2 of 4 that take part"));
    unlink(path);
    cw_network_free(net);
}

/* --- among some endpoints ----------------------------------------------------------------------------------------- */

enum { SOME = 6 };

static void order_some(const char *spec, const struct cw_network *net, const uint32_t some[SOME], uint64_t index,
                       uint32_t order[SOME])
{
    uint32_t endpoints[SOME], sorted[SOME];
    struct cw_placement *placement = NULL;
    memcpy(endpoints, some, sizeof endpoints);
    if (cw_placement_new(spec, net, &(struct cw_selection){SOME, endpoints}, &placement))
        fail_msg("%s: %s", spec, cw_error_message());
    assert_int_equal(cw_placement_count(placement), SOME);
    struct cw_random random = cw_random_of(5, CW_STREAM_TEST, index);
    assert_int_equal(cw_placement_order(placement, &random, order), 0);
    cw_placement_free(placement);
    for (uint32_t i = 0; i < SOME; i++) { /* they are the ones selected */
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > order[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = order[i];
    }
    assert_memory_equal(sorted, some, sizeof sorted);
}

/* Endpoints that do not take part are never in the order, whatever the placement. */
static void test_some_endpoints(void **state)
{
    (void)state;
    static const uint32_t some[SOME] = {1, 2, 4, 6, 8, 9};
    static const struct {
        const char *spec;
        uint32_t order[SOME];
    } contiguous[] = {
        {"contiguous", {1, 2, 4, 6, 8, 9}},
        {"contiguous:4", {4, 6, 8, 9, 1, 2}},
        {"contiguous:7", {8, 9, 1, 2, 4, 6}},
    };
    struct cw_network *net = new_network(false);
    uint32_t order[SOME], places[SOME] = {0};
    for (size_t i = 0; i < sizeof contiguous / sizeof *contiguous; i++) {
        order_some(contiguous[i].spec, net, some, 0, order);
        assert_memory_equal(order, contiguous[i].order, sizeof order);
    }
    for (uint64_t t = 0; t < 600; t++) {
        order_some("random", net, some, t, order);
        for (uint32_t i = 0; i < SOME; i++) places[i] += order[i] == 4;
        uint32_t changes = 0;
        order_some("random-switches", net, some, t, order);
        for (uint32_t i = 1; i < SOME; i++) {
            changes += switch_of[order[i]] != switch_of[order[i - 1]];
            assert_true(switch_of[order[i]] != switch_of[order[i - 1]] || order[i] > order[i - 1]);
        }
        assert_int_equal(changes, 2); /* 1, 4 | 2, 8 | 6, 9 */
    }
    for (uint32_t i = 0; i < SOME; i++) assert_true(places[i] > 60 && places[i] < 140);
    cw_network_free(net);
}

static void test_some_groups(void **state)
{
    (void)state;
    static const uint32_t some[SOME] = {0, 3, 5, 8, 10, 11}; /* of groups of four: 2, 1 and 3 */
    struct cw_network *net = NULL;
    assert_int_equal(cw_topology_build("dragonfly:2,2,1,g=3", &net), 0);
    for (uint64_t t = 0; t < 60; t++) {
        uint32_t order[SOME], changes = 0;
        order_some("random-groups", net, some, t, order);
        for (uint32_t i = 1; i < SOME; i++) changes += order[i] / 4 != order[i - 1] / 4 || order[i] < order[i - 1];
        assert_int_equal(changes, 2);
    }
    cw_network_free(net);
}

static void test_some_of_a_file(void **state)
{
    (void)state;
    static const uint32_t some[SOME] = {1, 2, 4, 6, 8, 9}, expected[SOME] = {8, 2, 1, 4, 6, 9};
    struct cw_network *net = new_network(false);
    struct cw_placement *placement = NULL;
    uint32_t order[SOME], endpoints[SOME];
    char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
    write_file("8\n2\n", 4, path, spec);
    order_some(spec, net, some, 0, order);
    assert_memory_equal(order, expected, sizeof order);
    unlink(path);
    write_file("8\n3\n", 4, path, spec); /* 3 does not take part: it cannot be the place of rank 1 */
    memcpy(endpoints, some, sizeof endpoints);
    assert_int_equal(cw_placement_new(spec, net, &(struct cw_selection){SOME, endpoints}, &placement), CW_EPARSE);
    unlink(path);
    assert_non_null(strstr(cw_error_message(), ":2: endpoint '3' is not among the 6 of 10 that take part"));
    cw_network_free(net);
}

/* What the numbers of a matrix mean while endpoint 3 is cut off: what they mean without the fault. */
static void check_numbers(const char *spec, const struct cw_network *net, const uint32_t *expected)
{
    static uint32_t all[] = {1, 2, 3, 4, 6, 8, 9}, some[SOME] = {1, 2, 4, 6, 8, 9};
    const struct cw_selection asked = {.n = SOME + 1, .endpoints = all};
    const struct cw_selection left = {.n = SOME, .endpoints = some, .asked = &asked};
    struct cw_placement *placement = NULL;
    struct cw_ranks ranks = {.n = SOME};
    uint32_t *numbers;
    assert_int_equal(cw_placement_new(spec, net, &left, &placement), 0);
    assert_int_equal(cw_placement_count(placement), SOME);
    assert_int_equal(cw_placement_numbers(placement, &ranks, &numbers), 0);
    assert_ptr_equal(ranks.numbers, numbers);
    assert_int_equal(ranks.n_numbers, expected ? SOME + 1 : 0);
    if (expected) assert_memory_equal(numbers, expected, (SOME + 1) * sizeof *numbers);
    free(numbers);
    cw_placement_free(placement);
}

static void test_numbers(void **state)
{
    (void)state;
    struct cw_network *net = new_network(false);
    char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
    check_numbers("contiguous", net, (const uint32_t[]){1, 2, 3, 4, 6, 8, 9});
    check_numbers("contiguous:2", net, (const uint32_t[]){2, 3, 4, 6, 8, 9, 1});
    check_numbers("random", net, NULL);
    write_file("8\n2\n", 4, path, spec);
    check_numbers(spec, net, (const uint32_t[]){8, 2, 1, 3, 4, 6, 9});
    unlink(path);
    cw_network_free(net);
}

static void test_malformed_file(void **state)
{
    (void)state;
#define CASE(CONTENT, LINE, MESSAGE)                                                                                   \
    {                                                                                                                  \
        CONTENT, sizeof(CONTENT) - 1, LINE, MESSAGE                                                                    \
    }
    static const struct {
        const char *content;
        size_t length;
        unsigned long line;
        const char *message;
    } bad[] = {
        CASE("", 0, "no endpoints"),
        CASE("# nothing\n \n", 0, "no endpoints"),
        CASE("node1 HCA-1\nnode77 HCA-1\n", 2, "there is no endpoint 'node77 HCA-1'"),
        CASE("HCA-1\n", 1, "there is no endpoint 'HCA-1'"),
        CASE("node0\nnode[1-\n", 2, "'node[1-': '[' without ']'; expected numbers in brackets"),
        CASE("node[7-10]\n", 1, "there is no endpoint 'node9'"),
        CASE("leaf#[12-13]\n", 1, "'leaf#12' is a switch"),
        CASE("node3\nnode[1-3]\n", 2, "endpoint 'node3 HCA-1' was given in line 1 already"),
        CASE("10\n", 1, "there is no endpoint '10'"),
        CASE("-1\n", 1, "there is no endpoint '-1'"),
        CASE("1 2 3\n", 1, "there is no endpoint '1 2 3'"),
        CASE("99999999999999999999999\n", 1, "there is no endpoint"),
        CASE("0xdead\n", 1, "there is no endpoint '0xdead'"),
        CASE("0x\n", 1, "there is no endpoint '0x'"),
        CASE("0x a005\n", 1, "there is no endpoint '0x a005'"),
        CASE("leaf#12\n", 1, "'leaf#12' is a switch"),
        CASE("0xb00b\n", 1, "'0xb00b' is a switch"),
        CASE("3\n#\n0xa003\n", 3, "endpoint '0xa003' was given in line 1 already"),
        CASE("3\0\n", 1, "a byte 0"),
    };
#undef CASE
    struct cw_network *net = new_network(true);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16], place[TEST_PATH_SIZE + 32];
        struct cw_placement *placement = NULL;
        write_file(bad[i].content, bad[i].length, path, spec);
        assert_int_equal(cw_placement_new(spec, net, NULL, &placement), CW_EPARSE);
        unlink(path);
        assert_null(placement);
        if (bad[i].line)
            snprintf(place, sizeof place, "%s:%lu: ", path, bad[i].line);
        else
            snprintf(place, sizeof place, "%s: ", path);
        if (strncmp(cw_error_message(), place, strlen(place)) != 0 || !strstr(cw_error_message(), bad[i].message))
            fail_msg("case %zu: %s", i, cw_error_message());
    }
    cw_network_free(net);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int code;
        const char *message;
    } bad[] = {
        {"contigous", CW_EUSAGE, "did you mean contiguous?"},
        {"spectral", CW_EUSAGE,
         "expected one of random, contiguous, switches, random-switches, random-groups, random-nodes, file"},
        {"contiguous:10", CW_EUSAGE, "no endpoint 10 among 10"},
        {"contiguous:-1", CW_EUSAGE, "'start'"},
        {"random:3", CW_EUSAGE, "random"},
        {"random-groups", CW_EUSAGE, "no groups"},
        {"file", CW_EUSAGE, "file"},
        {"file:/nonexistent/hosts", CW_EIO, "/nonexistent/hosts"},
    };
    struct cw_network *net = new_network(false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_placement *placement = NULL;
        assert_int_equal(cw_placement_new(bad[i].spec, net, NULL, &placement), bad[i].code);
        assert_null(placement);
        if (!strstr(cw_error_message(), bad[i].message)) fail_msg("%s: %s", bad[i].spec, cw_error_message());
    }
    cw_placement_free(NULL);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_placement),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_contiguous),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_random_switches),
        cmocka_unit_test(test_random_nodes),
        cmocka_unit_test(test_random_groups),
        cmocka_unit_test(test_rails_and_loose_endpoints),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_hosts_of_a_file),
        cmocka_unit_test(test_some_endpoints),
        cmocka_unit_test(test_some_groups),
        cmocka_unit_test(test_some_of_a_file),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_malformed_file),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
