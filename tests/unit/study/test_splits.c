/* Random splits: who computes, who perturbs, and where a control is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "net/builder.h"
#include "net/network.h"
#include "study/bench/bench_run.h"
#include "study/bench/splits.h"

#define MOST 64

/* N ranks, PER_HOST on each host but perhaps the last. */
static struct cw_rank_places places_of(uint32_t n, uint32_t per_host, uint32_t *host_of)
{
    for (uint32_t rank = 0; rank < n; rank++) host_of[rank] = rank / per_host;
    return (struct cw_rank_places){.n_ranks = n, .n_hosts = (n + per_host - 1) / per_host, .host_of = host_of};
}

static uint32_t count(const uint8_t *roles, uint32_t n, enum cw_bench_role role)
{
    uint32_t found = 0;
    for (uint32_t rank = 0; rank < n; rank++) found += roles[rank] == role;
    return found;
}

/* Every number of ranks, odd ones too, and every ratio: right, or refused because a side would be too small. */
static void test_sizes(void **state)
{
    (void)state;
    uint32_t host_of[MOST];
    uint8_t roles[MOST];
    for (uint32_t n = 1; n < 40; n++)
        for (int tenth = 1; tenth < 10; tenth++) {
            const struct cw_rank_places places = places_of(n, 1, host_of);
            const struct cw_split_rule rule = {.seed = 1};
            const double wanted = 0.1 * tenth * n;
            const int rc = cw_split_draw(&places, &rule, 0.1 * tenth, 0, roles);
            if (rc) {
                assert_int_equal(rc, CW_EUSAGE);
                assert_true(n < 4 || wanted <= 1.5 || n - wanted <= 1.5);
                continue;
            }
            const uint32_t perturbing = count(roles, n, CW_BENCH_PERTURBING);
            assert_true(perturbing >= 2 && n - perturbing >= 2);
            assert_true(perturbing <= wanted + 0.5001 && perturbing >= wanted - 0.5001);
            assert_int_equal(count(roles, n, CW_BENCH_APPLICATION), n - perturbing);
        }
}

static void test_messages(void **state)
{
    (void)state;
    uint32_t host_of[MOST];
    uint8_t roles[MOST];
    const struct cw_split_rule rule = {.seed = 1}, by_node = {.by_node = true}, idle = {.idle = 5};
    struct cw_rank_places places = places_of(2, 1, host_of);
    assert_int_equal(cw_split_draw(&places, &rule, 0.5, 0, roles), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "2 ranks are too few: application and perturbation need 2 each");
    assert_int_equal(cw_split_draw(&places, &rule, 2, 0, roles), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "perturbation ratio 2, expected between 0 and 1");
    places = places_of(8, 8, host_of);
    assert_int_equal(cw_split_draw(&places, &rule, 0.1, 0, roles), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "ratio 0.1 of 8 ranks leaves 1 to perturb and 7 to the application, "
                                            "expected 2 or more each: ratios from 0.25 to 0.75");
    assert_int_equal(cw_split_draw(&places, &by_node, 0.5, 0, roles), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "1 host is too few: application and perturbation need 1 each");
    assert_int_equal(cw_split_draw(&places, &idle, 0.5, 0, roles), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "8 ranks, of which 5 are idle, are too few: application and perturbation need 2 each");
    /* One host is no obstacle as long as ranks are drawn. */
    assert_int_equal(cw_split_draw(&places, &rule, 0.5, 0, roles), 0);
}

/* The seed, the ratio and the number decide, nothing else; each of them does; every rank is drawn about equally often.
 */
static void test_random(void **state)
{
    (void)state;
    uint32_t host_of[MOST], drawn[9] = {0};
    uint8_t a[MOST], b[MOST];
    const struct cw_rank_places places = places_of(9, 1, host_of), more = places_of(32, 1, host_of);
    const struct cw_split_rule rule = {.seed = 7}, other = {.seed = 8};
    assert_int_equal(cw_split_draw(&more, &rule, 0.5, 3, a), 0);
    assert_int_equal(cw_split_draw(&more, &rule, 0.5, 3, b), 0);
    assert_memory_equal(a, b, 32);
    assert_int_equal(cw_split_draw(&more, &other, 0.5, 3, b), 0);
    assert_memory_not_equal(a, b, 32);
    assert_int_equal(cw_split_draw(&more, &rule, 0.5, 4, b), 0);
    assert_memory_not_equal(a, b, 32);
    for (uint32_t number = 0; number < 900; number++) {
        assert_int_equal(cw_split_draw(&places, &rule, 1.0 / 3, number, a), 0);
        for (uint32_t rank = 0; rank < 9; rank++) drawn[rank] += a[rank] == CW_BENCH_PERTURBING;
    }
    for (uint32_t rank = 0; rank < 9; rank++) assert_true(drawn[rank] > 230 && drawn[rank] < 370);
}

static void test_by_node(void **state)
{
    (void)state;
    uint32_t host_of[MOST];
    uint8_t roles[MOST];
    const struct cw_rank_places places = places_of(30, 4, host_of); /* the last host has 2 */
    for (uint32_t number = 0; number < 50; number++) {
        const struct cw_split_rule rule = {.by_node = true, .idle = number % 3, .seed = number};
        assert_int_equal(cw_split_draw(&places, &rule, 0.4, number, roles), 0);
        for (uint32_t rank = 1; rank < 30; rank++)
            if (host_of[rank] == host_of[rank - 1]) assert_int_equal(roles[rank], roles[rank - 1]);
        const uint32_t perturbing = count(roles, 30, CW_BENCH_PERTURBING), idle = count(roles, 30, CW_BENCH_IDLE);
        assert_true(perturbing > 0.4 * (30 - idle) - 2.01 && perturbing < 0.4 * (30 - idle) + 2.01);
        assert_true(idle <= 4 * (number % 3) && idle + 2 >= 4 * (number % 3));
    }
}

/* Two leaves of four hosts each: '.' idle, 'a' application, 'p' perturbing. */
static void check_control(const struct cw_rank_places *places, const char *split, enum cw_control control,
                          const uint32_t *expected, uint32_t n)
{
    uint8_t roles[MOST];
    uint32_t groups[MOST], exchanging = 99;
    for (uint32_t rank = 0; rank < places->n_ranks; rank++)
        roles[rank] = split[rank] == 'a' ? CW_BENCH_APPLICATION : split[rank] == 'p' ? CW_BENCH_PERTURBING : 0;
    assert_int_equal(cw_split_control(places, roles, control, groups, &exchanging), 0);
    assert_int_equal(exchanging, n);
    for (uint32_t rank = 0; rank < places->n_ranks; rank++) assert_int_equal(groups[rank], expected[rank]);
}

#define X CW_NONE

static void test_control(void **state)
{
    (void)state;
    static const uint32_t leaf_of[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    uint32_t host_of[MOST];
    struct cw_rank_places places = places_of(8, 1, host_of);
    check_control(&places, "apapapap", CW_CONTROL_NODE, (uint32_t[]){X, X, X, X, X, X, X, X}, 0);
    /* Leaves are not known: the same. */
    check_control(&places, "apapapap", CW_CONTROL_LEAF, (uint32_t[]){X, X, X, X, X, X, X, X}, 0);
    places.leaf_of = leaf_of;
    check_control(&places, "apapapap", CW_CONTROL_LEAF, (uint32_t[]){X, 1, X, 1, X, 5, X, 5}, 4);
    check_control(&places, "apppaaap", CW_CONTROL_LEAF, (uint32_t[]){X, 1, 1, 1, X, X, X, X}, 3);
    check_control(&places, "aaap.aap", CW_CONTROL_LEAF, (uint32_t[]){X, X, X, X, X, X, X, X}, 0);
    /* Two ranks a host, hosts 0 … 3 of 8 ranks: where the application shares a host, its cable is not used. */
    uint32_t two[8];
    struct cw_rank_places pairs = places_of(8, 2, two);
    check_control(&pairs, "ppapppap", CW_CONTROL_NODE, (uint32_t[]){0, 0, X, X, 4, 4, X, X}, 4);
    pairs.leaf_of = leaf_of; /* all four on leaf 0 */
    check_control(&pairs, "ppapppap", CW_CONTROL_LEAF, (uint32_t[]){0, 0, X, X, 0, 0, X, X}, 4);
    check_control(&pairs, "papapapa", CW_CONTROL_LEAF, (uint32_t[]){X, X, X, X, X, X, X, X}, 0);
    assert_true(strlen(cw_split_no_control(CW_CONTROL_NODE)) > 0);
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* One after the other, in turn, and one that comes back; the last host is that of the last rank alone. */
static void test_numbers(void **state)
{
    (void)state;
    static const char *const hosts[] = {"b", "b", "a", "c", "a", "b", "a", "a", "d"};
    static const uint32_t expected[] = {0, 0, 1, 2, 1, 0, 1, 1, 3};
    uint32_t host_of[9];
    const char *names[9] = {NULL};
    assert_int_equal(cw_rank_places_number(hosts, 9, host_of, names), 4);
    assert_memory_equal(host_of, expected, sizeof expected);
    assert_true(names[0] == hosts[0] && names[1] == hosts[2] && names[2] == hosts[3] && names[3] == hosts[8]);
    assert_null(names[4]);
    assert_int_equal(cw_rank_places_number(hosts, 1, host_of, names), 1);
}

static int read_leaves(const char *text, uint32_t leaf_of[5])
{
    static const char *const names[] = {"n1", "n2", "n3", "login", "n04"};
    char path[] = "/tmp/cw_leaves_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const int rc = cw_rank_places_read_leaves(path, names, 5, leaf_of);
    unlink(path);
    return rc;
}

static void test_leaves(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t leaf_of[5];
    } good[] = {{"n1 n2 n3 login n04\n", {0, 0, 0, 0, 0}},
                {"n04 n2\nn3,n1\tother\nlogin", {0, 1, 0, 3, 1}},
                {"# comment\n\nn[2-3],login\nn1,n[01-16]\n", {0, 1, 1, 1, 0}},
                {"login\nn3\nn2\nn1\nn04", {0, 1, 2, 3, 4}}};
    static const struct {
        const char *text, *message;
        int rc;
    } bad[] = {{"n1 n2\nn3 login n2 n04\n", ":2: host n2 is on the leaf of line 1 already", CW_EPARSE},
               {"n1 n2 login n1 n3 n04\n", ":1: host n1 is on the leaf of line 1 already", CW_EPARSE},
               {"n1 n2\n\nlogin,n3\n", "host n04 is on none of the leaves", CW_EPARSE},
               {"n2 n3 login n04\n", "host n1 is on none of the leaves", CW_EPARSE},
               {"n1 n2 n3\nlogin n04 n[1-\n", ":2: ", CW_EPARSE}};
    uint32_t leaf_of[5];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        memset(leaf_of, 0xff, sizeof leaf_of);
        assert_int_equal(read_leaves(good[i].text, leaf_of), 0);
        assert_memory_equal(leaf_of, good[i].leaf_of, sizeof leaf_of);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_leaves(bad[i].text, leaf_of), bad[i].rc);
        if (!strstr(cw_error_message(), bad[i].message)) fail_msg("%s", cw_error_message());
    }
    static const char *const nobody[] = {"x"};
    assert_int_equal(cw_rank_places_read_leaves("/nowhere/leaves", nobody, 1, leaf_of), CW_EIO);
}

/* Endpoints 0 to 5 with one cable each, to switches 8, 7, 8, 6, 7, 8; two ranks a host. */
static void test_leaves_of_network(void **state)
{
    (void)state;
    static const uint32_t switches[] = {8, 7, 8, 6, 7, 8}, host_of[] = {0, 0, 1, 1, 2, 2, 3, 4},
                          endpoints[] = {5, 5, 1, 1, 0, 0, 4, 3}, expected[] = {0, 1, 0, 1, 4};
    const struct cw_rank_places places = {.n_ranks = 8, .n_hosts = 5, .host_of = host_of};
    struct cw_builder *builder = cw_builder_new(6, 3, 8);
    struct cw_network *net;
    uint32_t leaf_of[5];
    for (uint32_t e = 0; e < 6; e++) cw_builder_cable(builder, e, 0, switches[e], e, 1, 0);
    cw_builder_cable(builder, 6, 10, 7, 10, 1, 0);
    cw_builder_cable(builder, 7, 11, 8, 11, 1, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_rank_places_find_leaves(&places, net, endpoints, leaf_of), 0);
    assert_memory_equal(leaf_of, expected, sizeof expected);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),   cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_random),  cmocka_unit_test(test_by_node),
                                       cmocka_unit_test(test_control), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_leaves),  cmocka_unit_test(test_leaves_of_network)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
