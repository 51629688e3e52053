/* Blocks of a noise measurement (mpi/bench/bench_block.h): on the ranks of ranks_test.h, whose calls and messages take
 * times that are known. An all-to-all is measured, which nothing else here uses. */
#include "ranks_test_messages.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "mpi/bench/bench_block.h"
#include "net/network.h"

enum { N = 6, BYTES = 1000, TAG_OF_PERTURBATION = 1, SAMPLES = 10 };

#define CALL    2e-3 /* s of rank 0, if it takes part; of rank R 0.1 ms · R more */
#define MESSAGE 5e-3 /* s of perturbation */
#define A       CW_BENCH_APPLICATION
#define P       CW_BENCH_PERTURBING
#define I       CW_BENCH_IDLE

static struct {
    const uint8_t *roles;
    enum cw_bench_state state[8]; /* of each block */
    int n_blocks;
    struct bench_limits limits;
    enum bench_start start;
    enum cw_wait_mode mode;
    const char *perturbation;
    size_t bytes;   /* of a message of perturbation */
    double sending; /* s that its sender needs for one */
    double haste;   /* by which part the clock of the application's second rank is faster */
    double late;    /* s by which the first rank of the application learns a moment later than the others */
    int lates;      /* … so often */
    int interrupts; /* after so many calls there is a signal; 0: none */
    /* What comes of it. */
    int rc[N], calls, exchanged[N], received[N]; /* calls of one rank; messages of perturbation */
    double first;                                /* when a message of perturbation was sent first */
    struct cw_bench_block blocks[8];             /* as rank 0 has them */
    struct cw_bench_sample samples[8][100];
    double margins[N][CW_BENCH_STATES];
    struct bench_sides sides[N];
    size_t syncs[N];
} test;

static int last_of(enum cw_bench_role role)
{
    int last = -1;
    for (int r = 0; r < N; r++)
        if (test.roles[r] == role) last = r;
    return last;
}

static double lasts(enum kind kind, int rank)
{
    if (kind == ALLREDUCE && test.roles[rank] == A && test.lates > 0) {
        for (int r = 0; r < rank; r++)
            if (test.roles[r] == A) return 0;
        if (test.calls > 2 && test.lates-- > 0) return test.late;
    }
    if (kind == ALLREDUCE) return rank == last_of(A) ? 15e-6 : 0; /* who learns last when to begin is still in time */
    if (kind != ALLTOALL) return 0;
    test.calls += test.sides[rank].rank == 0;
    if (test.interrupts > 0 && test.calls == test.interrupts) cw_interrupt();
    return CALL + 1e-4 * rank;
}

static double takes(int from, int to, int tag, size_t bytes)
{
    if (tag != TAG_OF_PERTURBATION || bytes == 0) return 0;
    assert_int_equal(bytes, test.bytes);
    assert_true(test.roles[from] == P && test.roles[to] == P && from != to);
    test.exchanged[from]++;
    test.received[to]++;
    if (test.first == 0) test.first = job.now;
    return MESSAGE;
}

static double sends(int from, int to, size_t bytes)
{
    (void)from;
    (void)to;
    return bytes == test.bytes ? test.sending : 0;
}

static void rank(int r)
{
    struct ranks ranks;
    struct bench_crew crew;
    uint32_t of_group[N];
    const struct cw_bench_split split = {.roles = (uint8_t *)(uintptr_t)test.roles};
    struct bench_sides *sides = &test.sides[r];
    for (int i = 0; i < N; i++) of_group[i] = test.roles[i] == P ? 1 : CW_NONE;
    assert_int_equal(ranks_begin(&ranks), 0);
    assert_int_equal(bench_crew_begin(&ranks, test.mode, test.start, 100, &crew), 0);
    bench_sides_make(crew.all, &split, N, sides);
    for (int i = 0; i < test.n_blocks && !test.rc[r]; i++) {
        struct cw_bench_block block = {0};
        const struct bench_order order = {.operation = cw_registry_find(&operation_registry, "alltoall"),
                                          .perturbation =
                                              cw_registry_find(&cw_perturbation_registry, test.perturbation),
                                          .bytes = 8,
                                          .perturbation_bytes = test.bytes,
                                          .state = test.state[i],
                                          .groups = of_group,
                                          .seed = 5,
                                          .number = (uint32_t)i,
                                          .limits = test.limits};
        test.rc[r] = bench_block_run(&crew, sides, &order, &block);
        if (r > 0 || test.rc[r]) continue;
        test.blocks[i] = block;
        memcpy(test.samples[i], crew.samples, block.n_samples * sizeof *crew.samples);
    }
    memcpy(test.margins[r], crew.margins, sizeof crew.margins);
    test.syncs[r] = crew.clock.n_syncs;
    if (test.rc[r]) return;
    MPI_Comm_free(&sides->comm);
    bench_crew_end(&crew);
    MPI_Comm_free(&ranks.comm);
    assert_int_equal(open_comms(r), 0);
}

static void run(void)
{
    set_up(N);
    job.eager = true;
    job.leaks = test.interrupts > 0;
    job.leap = 1;
    job.look = 2e-6; /* who waits for a moment looks at nothing else */
    job.limit = START + 1000;
    job.message_takes = takes;
    job.send_takes = sends;
    job.drift[1] = test.haste;
    job.collective_takes = lasts;
    test.calls = 0;
    test.first = 0;
    memset(test.exchanged, 0, sizeof test.exchanged);
    memset(test.received, 0, sizeof test.received);
    memset(test.rc, 0, sizeof test.rc);
    memset(test.samples, 0, sizeof test.samples);
    run_ranks(rank);
    assert_true(tear_down() == 0 || test.rc[0]);
}

static void usual(const uint8_t *roles, enum cw_bench_state state)
{
    test.roles = roles;
    test.state[0] = state;
    test.n_blocks = 1;
    test.limits = (struct bench_limits){.samples = SAMPLES, .least = 5, .time = 1000};
    test.start = START_WINDOW;
    test.mode = CW_WAIT_SPIN;
    test.perturbation = "permutation";
    test.lates = test.interrupts = 0;
    test.bytes = BYTES;
    test.sending = test.haste = 0;
}

static const uint8_t mixed[] = {I, A, P, A, P, P}, led[] = {A, A, P, P, A, I}, other[] = {P, P, A, A, A, P};
static const uint8_t *const all_roles[] = {mixed, led, other};

static int n_of(enum cw_bench_role role)
{
    int n = 0;
    for (int r = 0; r < N; r++) n += test.roles[r] == role;
    return n;
}

static void check_samples(int block, size_t n)
{
    assert_int_equal(test.blocks[block].n_samples, n);
    for (size_t i = 0; i < n; i++) {
        const struct cw_bench_sample *sample = &test.samples[block][i];
        assert_int_equal(sample->status, CW_BENCH_OK);
        check_near(sample->time, CALL + 1e-4 * last_of(A), 8e-6); /* begun together */
        check_near(sample->slowest, sample->time, 8e-6);
        if (i > 0) assert_true(sample->start > sample[-1].start + sample[-1].time);
    }
}

/* Without perturbation there is none, and each call takes what its slowest rank does. */
static void test_clean(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        usual(all_roles[i], CW_BENCH_CLEAN);
        for (test.mode = CW_WAIT_SPIN; test.mode <= CW_WAIT_YIELD; test.mode++) {
            run();
            for (int r = 0; r < N; r++) {
                assert_int_equal(test.rc[r], 0);
                assert_int_equal(test.exchanged[r], 0);
                assert_int_equal(test.sides[r].role, test.roles[r]);
                assert_int_equal(test.sides[r].application, test.roles == mixed ? 1 : test.roles == led ? 0 : 2);
                assert_int_equal(test.sides[r].perturbing, test.roles == other ? 0 : 2);
            }
            check_samples(0, SAMPLES);
            assert_true(isnan(test.blocks[0].goodput));
            assert_int_equal(test.calls, 3 + SAMPLES);
            assert_int_equal(test.syncs[0], 2); /* at the beginning, and after the block */
        }
    }
}

/* The perturbation begins before the first call and ends after the last; each rank receives a message in each round. */
static void test_perturbed(void **state)
{
    static const char *const kinds[] = {"permutation", "shift", "neighbour", "incast"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            usual(all_roles[i], (i + k) % 2 ? CW_BENCH_PERTURBED : CW_BENCH_CONTROL);
            test.perturbation = kinds[k];
            run();
            check_samples(0, SAMPLES);
            int sent = 0, exchange = 0;
            for (int r = 0; r < N; r++) {
                assert_int_equal(test.rc[r], 0);
                sent += test.exchanged[r];
                exchange += test.exchanged[r] > 0 || test.received[r] > 0;
            }
            const double rounds = round((job.now - test.first) / MESSAGE);
            assert_true(rounds > 4 && exchange > 1);
            if (k < 2) assert_true(sent == n_of(P) * rounds && exchange == n_of(P));
            check_near(test.blocks[0].goodput, sent * BYTES / (exchange * rounds * MESSAGE),
                       (k < 2 ? 0.02 : 0.1) * BYTES / MESSAGE); /* those with nobody to wait for go on sooner */
            assert_true(test.blocks[0].clock_error == 0);
        }
}

/* Of messages so large that there is room for two at a time all are received, though three come to one rank. */
static void test_large(void **state)
{
    static const uint8_t many[] = {A, A, P, P, P, P};
    (void)state;
    usual(many, CW_BENCH_PERTURBED);
    test.perturbation = "incast";
    test.bytes = 22 << 20;
    test.limits.samples = 1;
    run();
    check_samples(0, 1);
    int sent = 0;
    for (int r = 0; r < N; r++) {
        assert_int_equal(test.rc[r], 0);
        sent += test.exchanged[r];
    }
    assert_true(sent > 0 && sent % 3 == 0);
}

/* Time ends a block when enough calls were made, at the next of those moments at which its leader looks: by its clock,
 * whatever others have. */
static void test_limits(void **state)
{
    static const struct {
        struct bench_limits limits;
        size_t n;
    } all[] = {{{.samples = 50, .least = 5, .time = 0}, 8},
               {{.samples = 50, .least = 1, .time = 0}, 1},
               {{.samples = 50, .least = 9, .time = 0}, 16},
               {{.samples = 7, .least = 5, .time = 100}, 7},
               {{.samples = 50, .least = 2, .time = 0.05}, 24}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        usual(led, CW_BENCH_CLEAN);
        test.start = START_BARRIER;
        test.haste = 0.9;
        test.limits = all[i].limits;
        run();
        assert_int_equal(test.blocks[0].n_samples, all[i].n);
    }
}

/* A rank that learns of the moment too late makes the sample late; then there is more time for it. */
static void test_late(void **state)
{
    (void)state;
    usual(mixed, CW_BENCH_CLEAN);
    test.late = 3e-3;
    test.lates = 2;
    test.n_blocks = 2;
    test.state[1] = CW_BENCH_CLEAN;
    run();
    assert_int_equal(test.samples[0][0].status, CW_BENCH_LATE);
    assert_int_equal(test.blocks[0].n_samples, SAMPLES);
    for (int i = 1; i < SAMPLES; i++) assert_int_equal(test.samples[0][i].status, CW_BENCH_OK);
    assert_true(test.samples[0][0].time > CALL + 2e-3);
    assert_true(test.margins[1][CW_BENCH_CLEAN] > 1e-3 && test.margins[1][CW_BENCH_CLEAN] < 6e-3);
    assert_true(test.margins[1][CW_BENCH_CLEAN] == test.margins[3][CW_BENCH_CLEAN]);
    assert_true(test.margins[1][CW_BENCH_PERTURBED] == 0);
    check_samples(1, SAMPLES);
}

/* A barrier lets ranks go when each learns of it. */
static void test_barrier(void **state)
{
    (void)state;
    usual(mixed, CW_BENCH_PERTURBED);
    test.start = START_BARRIER;
    for (test.mode = CW_WAIT_SPIN; test.mode <= CW_WAIT_YIELD; test.mode++) {
        run();
        check_samples(0, SAMPLES);
        assert_true(test.margins[1][CW_BENCH_PERTURBED] == 0);
    }
    assert_string_equal(bench_starts[START_WINDOW], "window");
    assert_string_equal(bench_starts[START_BARRIER], "barrier");
}

/* Buffers stay for the next block, of another state. The first messages are long on their way before any call. */
static void test_blocks(void **state)
{
    static const enum cw_bench_state states[] = {CW_BENCH_PERTURBED, CW_BENCH_CLEAN, CW_BENCH_CONTROL, CW_BENCH_CLEAN};
    (void)state;
    usual(other, CW_BENCH_CLEAN);
    test.n_blocks = 4;
    test.sending = 0.02;
    memcpy(test.state, states, sizeof states);
    run();
    for (int i = 0; i < 4; i++) {
        check_samples(i, SAMPLES);
        assert_true(isnan(test.blocks[i].goodput) == (states[i] == CW_BENCH_CLEAN));
        if (i > 0) assert_true(test.samples[i][0].start > test.samples[i - 1][SAMPLES - 1].start);
    }
    for (int r = 0; r < N; r++) assert_int_equal(test.syncs[r], 5);
}

static void test_interrupted(void **state)
{
    (void)state;
    for (int s = CW_BENCH_CLEAN; s <= CW_BENCH_PERTURBED; s++)
        for (int i = 0; i < 3; i++) {
            usual(all_roles[i], s);
            test.limits.samples = 100;
            test.interrupts = 20;
            run();
            for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], CW_EINTERRUPTED);
            assert_true(test.calls < 30);
            cw_interrupt_clear();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),  cmocka_unit_test(test_perturbed),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_large),  cmocka_unit_test(test_late),        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
