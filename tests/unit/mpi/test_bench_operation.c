/* The operations that are measured (mpi/bench/bench_operation.h): each moves what it should by both of MPI's functions,
 * and what arrives wrong is noticed. The ranks are those of ranks_test.h. */
#include "ranks_test_messages.h"

#include <limits.h>

#include "base/error.h"
#include "mpi/bench/bench_operation.h"

enum { N = 4 };

/* Names are borrowed of literals. */
static const struct {
    const char *name;
    bool rooted, gives, takes, reduces; /* by what it does: parts for each rank, which it sends or receives */
} operations[] = {
    {"bcast", true, false, false, false},     {"reduce", true, false, false, true},
    {"allreduce", false, false, false, true}, {"scatter", true, true, false, false},
    {"gather", true, false, true, false},     {"allgather", false, false, true, false},
    {"alltoall", false, true, true, false},   {"barrier", false, false, false, false},
};

static struct {
    const struct cw_collective_traits *operation;
    size_t bytes;
    int root;
    enum cw_wait_mode mode;
    int rc[N];
    size_t received[N];
    int wrong;     /* whose data are changed before they are verified; -1: nobody's */
    size_t at;     /* at which byte */
    double end[N]; /* of a call that rank R comes to after R ms */
    char message[N][200];
} test;

static void rank(int r)
{
    struct call call = {0};
    test.rc[r] = call_new(test.operation, test.bytes, test.root, MPI_COMM_WORLD, test.mode, &call);
    if (test.rc[r]) return;
    test.received[r] = call_received(&call);
    if (test.wrong < 0) {
        pause_for(1e-3 * r);
        test.rc[r] = call_check(&call);
        test.end[r] = job.now;
    } else {
        call_fill(&call);
        call_run(&call);
        if (r == test.wrong) call.receive[test.at] ^= 64;
        test.rc[r] = call_verify(&call);
    }
    if (test.rc[r]) snprintf(test.message[r], sizeof test.message[r], "%s", cw_error_message());
    call_free(&call);
    assert_null(call.send);
}

static void run(void)
{
    set_up(N);
    job.eager = true;
    job.leap = 1;
    run_ranks(rank);
    assert_int_equal(tear_down(), 0);
}

static size_t find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0) return i;
    fail_msg("this test does not know %s", name);
    return 0;
}

static size_t parts_of(size_t i, int r)
{
    return operations[i].takes && (!operations[i].rooted || r == test.root) ? N : 1;
}

static void each(void (*check)(size_t i))
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        assert_int_equal(find(operations[i].name), i);
        test.operation = cw_registry_find(&operation_registry, operations[i].name);
        if (!test.operation) fail_msg("there is no %s", operations[i].name);
        for (int root = 0; root < N; root += N - 1) {
            test.root = root;
            check(i);
        }
    }
}

/* Sizes of doubles and of bytes, by functions that block and that do not. */
static void check_right(size_t i)
{
    static const size_t sizes[] = {0, 1, 8, 13, 800, 1001};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (test.mode = CW_WAIT_SPIN; test.mode <= CW_WAIT_YIELD; test.mode++) {
            test.bytes = sizes[s];
            run();
            for (int r = 0; r < N; r++) {
                assert_int_equal(test.rc[r], 0);
                assert_true(operations[i].rooted || test.end[r] >= START + 1e-3 * (N - 1)); /* all have come */
                assert_int_equal(test.received[r],
                                 strcmp(operations[i].name, "barrier") ? parts_of(i, r) * sizes[s] : 0);
            }
        }
}

static void test_right(void **state)
{
    (void)state;
    test.wrong = -1;
    each(check_right);
}

/* One byte is another one, the first or the last: who has it says so, if it is to have anything. */
static void check_wrong(size_t i)
{
    static const size_t sizes[] = {16, 21};
    test.mode = CW_WAIT_SPIN;
    if (strcmp(operations[i].name, "barrier") == 0) return;
    for (size_t s = 0; s < 2; s++)
        for (test.wrong = 0; test.wrong < N; test.wrong++) {
            const bool has_any =
                !operations[i].rooted || !(operations[i].takes || operations[i].reduces) || test.wrong == test.root;
            test.bytes = sizes[s];
            for (int end = 0; end < 2; end++) {
                test.at = end ? parts_of(i, test.wrong) * sizes[s] - 1 : 0;
                run();
                for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], r == test.wrong && has_any ? CW_EINTERNAL : 0);
                if (!has_any) continue;
                char said[100];
                const bool reals = operations[i].reduces && sizes[s] == 16;
                snprintf(said, sizeof said, "%s of %zu bytes delivers a wrong element %zu: ", operations[i].name,
                         sizes[s], reals ? test.at / sizeof(double) : test.at);
                assert_non_null(strstr(test.message[test.wrong], said));
            }
        }
}

static void test_wrong(void **state)
{
    (void)state;
    each(check_wrong);
}

/* Each rank's data are its own, and each part: were two of them the same, exchanging them would not be noticed. */
static int swapped;

static void rank_that_is_given_others(int r)
{
    struct call call = {0};
    const size_t half = test.bytes;
    unsigned char kept[100];
    test.rc[r] = call_new(test.operation, test.bytes, test.root, MPI_COMM_WORLD, CW_WAIT_SPIN, &call);
    if (test.rc[r]) return;
    call_fill(&call);
    call_run(&call);
    memcpy(kept, call.receive, half);
    memcpy(call.receive, call.receive + half, half);
    memcpy(call.receive + half, kept, half);
    swapped += call_verify(&call) != 0;
    call_free(&call);
}

static void test_swapped(void **state)
{
    static const char *const names[] = {"alltoall", "allgather"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        test.operation = cw_registry_find(&operation_registry, names[i]);
        test.bytes = 10;
        swapped = 0;
        set_up(N);
        run_ranks(rank_that_is_given_others);
        assert_int_equal(tear_down(), 0);
        assert_int_equal(swapped, N);
    }
}

static void test_too_much(void **state)
{
    (void)state;
    test.operation = cw_registry_find(&operation_registry, "bcast");
    test.bytes = (size_t)INT_MAX + 1;
    test.wrong = -1;
    run();
    for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], CW_ELIMIT);
    test.operation = cw_registry_find(&operation_registry, "barrier"); /* which has none of them */
    run();
    for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_swapped), cmocka_unit_test(test_too_much)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
