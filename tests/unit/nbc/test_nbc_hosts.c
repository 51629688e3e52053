/* Hosts of communicators, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

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

/* Hosts 0 … 5 of which 1, 3 and 5 are near each other, and so are 2 and 4; nothing is known of 0. */
static void test_order_of_the_fabric(void **state)
{
    (void)state;
    const int leaders[] = {0, 1, 2, 3, 4, 5}, places[] = {-1, 40, 7, 41, 6, 42}, expected[] = {4, 2, 1, 3, 5, 0};
    struct cw_nbc_hosts hosts;
    for (int me = 0; me < 6; me++) {
        assert_int_equal(cw_nbc_hosts_new(6, leaders, me, places, &hosts), 0);
        assert_memory_equal(hosts.by_fabric, expected, sizeof expected);
        for (int steps = -7; steps < 8; steps++) {
            assert_int_equal(cw_nbc_hosts_next(&hosts, true, expected[me], steps), expected[(me + steps + 12) % 6]);
            assert_int_equal(cw_nbc_hosts_next(&hosts, false, me, steps), (me + steps + 12) % 6);
        }
        for (int first = 0; first < 6; first++) {
            const int by_fabric = cw_nbc_hosts_place(&hosts, true, first, me);
            assert_int_equal(cw_nbc_hosts_next(&hosts, true, first, by_fabric), me);
            assert_int_equal(cw_nbc_hosts_place(&hosts, false, first, me), (me - first + 6) % 6);
            assert_true(by_fabric >= 0 && by_fabric < 6);
        }
        cw_nbc_hosts_free(&hosts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_first_ranks),
        cmocka_unit_test(test_order_of_the_fabric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
