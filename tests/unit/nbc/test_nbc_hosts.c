/* Hosts of communicators, and the trees along which they pass data on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_hosts.h"

/* Ranks in the order of hosts 7, 2, 7, 5, 2, 7. */
static void test_order_of_first_ranks(void **state)
{
    (void)state;
    const int leaders[] = {7, 2, 7, 5, 2, 7}, of_rank[] = {0, 1, 0, 2, 1, 0}, among[] = {0, 0, 1, 0, 1, 2};
    const int first[] = {0, 3, 5, 6}, ranks[] = {0, 2, 5, 1, 4, 3};
    struct cw_nbc_hosts hosts;
    assert_int_equal(cw_nbc_hosts_new(6, leaders, 5, NULL, &hosts), 0);
    assert_int_equal(hosts.n, 3);
    assert_int_equal(hosts.me, 2);
    assert_memory_equal(hosts.leaders, ((int[]){7, 2, 5}), 3 * sizeof(int));
    assert_memory_equal(hosts.of_rank, of_rank, sizeof of_rank);
    assert_memory_equal(hosts.among_host, among, sizeof among);
    assert_memory_equal(hosts.first, first, sizeof first);
    assert_memory_equal(hosts.ranks, ranks, sizeof ranks);
    cw_nbc_hosts_free(&hosts);
}

/* Hosts 0 … n - 1 of a rank each; this is ME. */
static struct cw_nbc_hosts hosts_of(int n, int me)
{
    int leaders[64];
    struct cw_nbc_hosts hosts;
    for (int i = 0; i < n; i++) leaders[i] = i;
    assert_int_equal(cw_nbc_hosts_new(n, leaders, me, NULL, &hosts), 0);
    return hosts;
}

/* Parents and children know of each other, and from the root all are reached; *MOST: children of one host. */
static void check_tree(const struct cw_nbc_between *between, int n, int root, uint32_t segments, int *most)
{
    int parents[64], claimed[64], depth;
    memset(claimed, -1, sizeof claimed);
    *most = 0;
    for (int me = 0; me < n; me++) {
        struct cw_nbc_hosts hosts = hosts_of(n, me);
        struct cw_nbc_branch branch;
        assert_int_equal(cw_nbc_branch_new(&hosts, between, root, segments, &branch), 0);
        parents[me] = branch.parent;
        for (int i = 0; i < branch.n_children; i++) {
            assert_int_equal(claimed[branch.children[i]], -1);
            claimed[branch.children[i]] = me;
        }
        if (branch.n_children > *most) *most = branch.n_children;
        free(branch.children);
        cw_nbc_hosts_free(&hosts);
    }
    assert_memory_equal(parents, claimed, (size_t)n * sizeof(int));
    for (int host = 0; host < n; host++) {
        int at = host;
        for (depth = 0; at != root && depth < n; depth++) at = parents[at];
        assert_int_equal(at, root);
    }
}

static void test_trees_span_hosts(void **state)
{
    (void)state;
    static const char *const shapes[] = {"auto", "chain", "binomial", "k-nomial:3", "k-nomial:64"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int n = 1; n <= 20; n++) {
            struct cw_nbc_between between;
            int most;
            assert_int_equal(cw_nbc_between_parse("shape", shapes[i], &between), 0);
            check_tree(&between, n, n / 3, 1, &most);
            if (between.shape == CW_NBC_CHAIN) assert_true(most <= 1);
            if (i == 4) assert_int_equal(most, n - 1);
        }
}

/* Hosts 0 … 5 of which 1, 3 and 5 are near each other, and so are 2 and 4; nothing is known of 0. */
static void test_order_of_the_fabric(void **state)
{
    (void)state;
    const int leaders[] = {0, 1, 2, 3, 4, 5}, places[] = {-1, 40, 7, 41, 6, 42}, expected[] = {4, 2, 1, 3, 5, 0};
    static const char *const shapes[] = {"chain", "binomial"};
    struct cw_nbc_hosts hosts;
    struct cw_nbc_branch branch;
    for (int me = 0; me < 6; me++) {
        assert_int_equal(cw_nbc_hosts_new(6, leaders, me, places, &hosts), 0);
        assert_memory_equal(hosts.by_fabric, expected, sizeof expected);
        for (int steps = -7; steps < 8; steps++) {
            assert_int_equal(cw_nbc_hosts_next(&hosts, true, expected[me], steps), expected[(me + steps + 12) % 6]);
            assert_int_equal(cw_nbc_hosts_next(&hosts, false, me, steps), (me + steps + 12) % 6);
        }
        for (int s = 0; s < 2; s++) { /* from 1 on: 1, 3, 5, 0, 4, 2 */
            struct cw_nbc_between between;
            assert_int_equal(cw_nbc_between_parse("shape", shapes[s], &between), 0);
            between.by_fabric = true;
            const int chain[] = {5, -1, 4, 1, 0, 3}, binomial[] = {5, -1, 4, 1, 1, 1};
            assert_int_equal(cw_nbc_branch_new(&hosts, &between, 1, 1, &branch), 0);
            assert_int_equal(branch.parent, (s == 0 ? chain : binomial)[me]);
            free(branch.children);
            between.by_fabric = false; /* 1, 2, 3, 4, 5, 0 */
            assert_int_equal(cw_nbc_branch_new(&hosts, &between, 1, 1, &branch), 0);
            if (s == 0) assert_int_equal(branch.parent, me == 1 ? -1 : (me + 5) % 6);
            free(branch.children);
        }
        cw_nbc_hosts_free(&hosts);
    }
}

static void test_segments(void **state)
{
    (void)state;
    assert_int_equal(cw_nbc_hosts_segment(1), 16 << 10);
    assert_int_equal(cw_nbc_hosts_segment(2 << 20), 16 << 10);
    assert_int_equal(cw_nbc_hosts_segment((2 << 20) + 128), 32 << 10);
    assert_int_equal(cw_nbc_hosts_segment(16 << 20), 128 << 10);
    assert_int_equal(cw_nbc_hosts_segment(UINT64_C(1) << 40), 1 << 20);
}

/* A message is segments of one length; several blocks have as few as are needed, none of them longer. */
static void test_number_of_segments(void **state)
{
    (void)state;
    for (uint64_t bytes = 0; bytes <= 40 << 20; bytes = bytes * 5 / 2 + 7777)
        for (uint32_t blocks = 1; blocks <= 5; blocks++) {
            const uint64_t segment = cw_nbc_hosts_segment(bytes);
            const uint32_t n = cw_nbc_hosts_segments(bytes, blocks);
            assert_true(n * blocks * segment >= bytes);
            assert_true(n == 0 ? bytes == 0 : (n - 1) * blocks * segment < bytes);
        }
    for (uint64_t bytes = 1; bytes < 300 << 20; bytes = bytes * 3 / 2 + 1) { /* the fewest that are no more than 128 */
        const uint64_t segment = cw_nbc_hosts_segment(bytes), unit = 16 << 10;
        assert_int_equal(segment % unit, 0);
        assert_true(segment >= unit && segment <= 1 << 20);
        if (segment > unit) assert_true((segment - unit) * 128 < bytes);
        if (segment < 1 << 20) assert_true(segment * 128 + 128 > bytes);
    }
}

/* Of a chain the last host ends after all segments and a step for each host between; in a binomial tree the root sends
 * each segment to each child. */
static void test_shape(void **state)
{
    (void)state;
    for (int hosts = 2; hosts <= 70; hosts++)
        for (uint32_t segments = 1; segments < 100; segments++) {
            uint32_t children = 0;
            for (int reached = 1; reached < hosts; reached *= 2) children++;
            const bool chain = segments + (uint32_t)hosts - 2 <= segments * children;
            assert_int_equal(cw_nbc_hosts_shape(hosts, segments), chain ? CW_NBC_CHAIN : CW_NBC_KNOMIAL);
        }
}

/* Only allreduces, of 8 KiB a host at least unless a ring is asked for. */
static void test_ring(void **state)
{
    (void)state;
    const struct cw_nbc_between automatic = {.shape = CW_NBC_SHAPE_AUTO}, ring = {.shape = CW_NBC_HOST_RING},
                                chain = {.shape = CW_NBC_CHAIN};
    assert_true(cw_nbc_hosts_go_round(&automatic, CW_COLLECTIVE_ALLREDUCE, 5, 5 * 8192));
    assert_false(cw_nbc_hosts_go_round(&automatic, CW_COLLECTIVE_ALLREDUCE, 5, 5 * 8192 - 1));
    assert_false(cw_nbc_hosts_go_round(&automatic, CW_COLLECTIVE_REDUCE, 5, 1 << 30));
    assert_true(cw_nbc_hosts_go_round(&ring, CW_COLLECTIVE_ALLREDUCE, 5, 1));
    assert_false(cw_nbc_hosts_go_round(&ring, CW_COLLECTIVE_ALLREDUCE, 5, 0));
    assert_false(cw_nbc_hosts_go_round(&ring, CW_COLLECTIVE_BCAST, 5, 1 << 30));
    assert_false(cw_nbc_hosts_go_round(&chain, CW_COLLECTIVE_ALLREDUCE, 5, 1 << 30));
}

/* Who takes no part has no host of its own; children are served in the order of the schedule, the greatest subtree
 * first. */
static void test_children(void **state)
{
    (void)state;
    const int leaders[] = {3, 1, 1};
    struct cw_nbc_hosts hosts;
    struct cw_nbc_branch branch;
    assert_int_equal(cw_nbc_hosts_new(3, leaders, 2, NULL, &hosts), 0);
    assert_int_equal(hosts.me, -1);
    assert_int_equal(hosts.n, 2);
    cw_nbc_hosts_free(&hosts);
    assert_null(hosts.leaders);
    const struct cw_nbc_between binomial = {.shape = CW_NBC_KNOMIAL, .radix = 2};
    hosts = hosts_of(8, 3);
    assert_int_equal(cw_nbc_branch_new(&hosts, &binomial, 3, 1, &branch), 0);
    assert_int_equal(branch.n_children, 3);
    assert_memory_equal(branch.children, ((int[]){7, 5, 4}), 3 * sizeof(int));
    free(branch.children);
    cw_nbc_hosts_free(&hosts);
}

/* Many segments fill a chain; one goes faster down a binomial tree. */
static void test_choice_by_segments(void **state)
{
    (void)state;
    const struct cw_nbc_between between = {.shape = CW_NBC_SHAPE_AUTO};
    int most;
    check_tree(&between, 16, 0, 1, &most);
    assert_int_equal(most, 4);
    check_tree(&between, 16, 0, 16, &most);
    assert_int_equal(most, 1);
    const struct cw_nbc_between ring = {CW_NBC_HOST_RING, 0}; /* for what does not go round */
    check_tree(&ring, 16, 0, 1, &most);
    assert_int_equal(most, 4);
}

static void test_shapes_that_are_none(void **state)
{
    (void)state;
    struct cw_nbc_between between;
    assert_int_equal(cw_nbc_between_parse("X", "star", &between), CW_EUSAGE);
    assert_string_equal(
        cw_error_message(),
        "X: 'star' is not a tree of hosts; expected auto, fabric, chain, binomial, k-nomial:K, ring or native");
    assert_int_equal(cw_nbc_between_parse("X", "chain:2", &between), CW_EUSAGE);
    assert_int_equal(cw_nbc_between_parse("X", "k-nomial", &between), CW_EUSAGE);
    assert_int_equal(cw_nbc_between_parse("X", "k-nomial:1", &between), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "X: 1 is not between 2 and 1024");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_first_ranks),
        cmocka_unit_test(test_trees_span_hosts),
        cmocka_unit_test(test_order_of_the_fabric),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_choice_by_segments),
        cmocka_unit_test(test_shapes_that_are_none),
        cmocka_unit_test(test_number_of_segments),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
