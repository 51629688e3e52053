/* Trials that ranks share out (mpi/rank_executor.h): each runs once, all ranks have what came of all, and the error of
 * the lowest that fails. The ranks are those of ranks_test.h, with the machine's clock, as their threads have. */
#include "ranks_test.h"

#include <stdatomic.h>

#include "base/buffer.h"
#include "base/error.h"
#include "mpi/rank_executor.h"

enum { MOST = 400, LARGE = 70000, LONGEST = 1 << 16 };

const char program_name[] = "a-program";

static struct {
    long nanoseconds;                       /* that a trial takes */
    size_t n, outcome_size, counts, maxima; /* of the tally */
    bool tells;
    size_t length;          /* of what is told; 0: a few bytes */
    size_t fails[2];        /* trials */
    int loops, told_fails;  /* runs; the number of what is told that fails, from 1 */
    int no_thread;          /* the rank that has none; -1: all have */
    int comes_with;         /* an error of the last rank, which then does not run */
    atomic_int ran[MOST];   /* trials, in all loops */
    int told[MOST], n_told; /* by trial */
    size_t ran_before;      /* trials, when the first is told */
    size_t steps;           /* of progress */
    char *outcomes[RANKS];  /* of the last loop */
    struct cw_tally tallies[RANKS];
    int rc[RANKS], later[RANKS];
    char message[RANKS][256];
    uint64_t own[RANKS], trials[RANKS];
    double seconds[RANKS];
    char *shared[RANKS];
    size_t shared_length;
} test;

static _Thread_local int rank_of_thread = -1; /* of threads that run trials */

/* --- threads and progress ----------------------------------------------------------------------------------------- */

struct start {
    void *(*run)(void *);
    void *context;
    int rank;
};

static void *begin_thread(void *context)
{
    const struct start start = *(struct start *)context;
    free(context);
    rank_of_thread = start.rank;
    return start.run(start.context);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);
void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    const int rank = self >= 0 ? self : rank_of_thread;
    if (self >= 0 && self < job.n && self == test.no_thread) return 11;
    struct start *start = malloc(sizeof *start);
    *start = (struct start){run, context, rank};
    return __real_pthread_create(thread, attributes, begin_thread, start);
}

/* Of rank 0; threads of others step theirs, which shows nothing. */
void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps)
{
    (void)progress;
    if (self == 0) test.steps += steps;
}

/* --- trials ------------------------------------------------------------------------------------------------------- */

struct state {
    struct cw_tally tally;
    const struct cw_executor *executor;
};

static struct rank_executor executors[RANKS];

static int make_state(const void *context, void *state)
{
    struct state *own = state;
    (void)context;
    own->executor = &executors[rank_of_thread].executor;
    return test.maxima > 0 ? cw_tally_new_maxima(&own->tally, test.maxima) : 0;
}

static void release_state(void *state)
{
    cw_tally_free(&((struct state *)state)->tally);
}

static struct cw_tally *tally_of(void *state)
{
    return &((struct state *)state)->tally;
}

static int tell(const struct state *state, size_t trial)
{
    static const char zeros[LONGEST + 2];
    struct cw_text text = {0};
    if (!test.tells || !state->executor->tell) return 0;
    cw_text_append(&text, (const char *)&trial, sizeof trial);
    if (test.length > 0) cw_text_append(&text, zeros, test.length - sizeof trial);
    const int rc = state->executor->tell(state->executor, text.data, text.length);
    cw_text_free(&text);
    return rc;
}

static int run_trial(const void *context, void *state, size_t trial, void *outcome)
{
    const struct timespec moment = {.tv_nsec = test.nanoseconds};
    struct state *own = state;
    (void)context;
    syscall(SYS_nanosleep, &moment, NULL);
    atomic_fetch_add(&test.ran[trial], 1);
    for (int i = 0; i < 2; i++)
        if (trial == test.fails[i]) return cw_fail(CW_EPARSE, "trial %zu", trial);
    memset(outcome, (int)trial % 255 + 1, test.outcome_size);
    for (size_t k = 0; test.counts > 0 && k < CW_TALLY_COUNTS; k++)
        if (cw_counts_add(&own->tally.counts[k], (trial * (k + 1) * 7919) % test.counts)) return CW_ENOMEM;
    if (test.maxima > 0) own->tally.maxima[trial * 6997 % test.maxima] = (double)trial + 1;
    return tell(own, trial);
}

static int hear_of_trial(const void *context, const char *bytes, size_t length)
{
    size_t trial;
    (void)context;
    assert_int_equal(self, 0);
    memcpy(&trial, bytes, sizeof trial);
    assert_int_equal(length, test.length > 0 ? test.length : sizeof trial);
    test.told[trial]++;
    if (test.n_told == 0) { /* long before all have run */
        size_t ran = 0;
        for (size_t i = 0; i < test.n; i++) ran += (size_t)test.ran[i];
        test.ran_before = ran;
    }
    return ++test.n_told == test.told_fails ? cw_fail(CW_EUSAGE, "heard") : 0;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static int run_loop(int rank)
{
    struct cw_trials trials = {.n = test.n,
                               .outcome_size = test.outcome_size,
                               .state_size = sizeof(struct state),
                               .make = make_state,
                               .release = release_state,
                               .run = run_trial,
                               .told = test.tells ? hear_of_trial : NULL,
                               .tally = test.counts + test.maxima > 0 ? tally_of : NULL,
                               .n_threads = 2};
    free(test.outcomes[rank]);
    cw_tally_free(&test.tallies[rank]);
    test.tallies[rank] = (struct cw_tally){.n_maxima = 0};
    test.outcomes[rank] = calloc(test.n, test.outcome_size);
    const struct cw_executor *executor = &executors[rank].executor;
    return executor->run(executor, &trials, test.outcomes[rank], &test.tallies[rank]);
}

static void be_one(int rank)
{
    struct ranks ranks;
    struct rank_executor *executor = &executors[rank];
    ranks_begin(&ranks);
    int rc = rank_executor_begin(executor, &ranks);
    if (rc) {
        test.rc[rank] = rc;
        snprintf(test.message[rank], sizeof test.message[rank], "%s", cw_error_message());
        return;
    }
    assert_ptr_equal(ranks.program.executor, executor);
    assert_int_equal(executor->executor.tell != NULL, rank > 0);
    if (test.comes_with && rank == job.n - 1) rc = ranks_agree(&ranks, cw_fail(test.comes_with, "elsewhere"));
    for (int loop = 0; loop < test.loops && !rc; loop++) rc = run_loop(rank);
    test.rc[rank] = rc;
    snprintf(test.message[rank], sizeof test.message[rank], "%s", rc ? cw_error_message() : "");
    if (test.shared_length > 0 && (!test.comes_with || rank < job.n - 1)) {
        test.shared[rank] = malloc(4 * test.shared_length);
        memset(test.shared[rank], 'a' + rank, 4 * test.shared_length);
        test.later[rank] = executor->executor.share(&executor->executor, test.shared[rank], test.shared_length);
    } else {
        test.later[rank] = ranks_agree(&ranks, 0);
    }
    ranks.program.tell(&ranks.program);
    test.own[rank] = executor->own;
    test.trials[rank] = executor->trials;
    test.seconds[rank] = executor->seconds;
    rank_executor_end(executor);
    ranks_end(&ranks, 0);
}

static void begin(int n_ranks, size_t n)
{
    memset(&test, 0, sizeof test);
    set_up(n_ranks);
    job.eager = job.real_time = true;
    test.n = n;
    test.outcome_size = 3;
    test.nanoseconds = 200000;
    test.fails[0] = test.fails[1] = SIZE_MAX;
    test.loops = 1;
    test.no_thread = -1;
}

static char said[256]; /* by all */
static void go(void)
{
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    memset(said, 0, sizeof said);
    dup2(fileno(file), STDERR_FILENO);
    run_ranks(be_one);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(pread(fileno(file), said, 255, 0) >= 0);
    fclose(file);
    assert_int_equal(tear_down(), 0);
    for (int r = 0; r < job.n; r++) assert_int_equal(open_comms(r), test.rc[r] == CW_EIO);
}

static void discard(void)
{
    for (int r = 0; r < job.n; r++) {
        free(test.outcomes[r]);
        cw_tally_free(&test.tallies[r]);
        free(test.shared[r]);
    }
}

/* Outcomes of trials below N, the same in all ranks. */
static void assert_outcomes(size_t n)
{
    for (int r = 0; r < job.n; r++)
        for (size_t i = 0; i < n * test.outcome_size; i++)
            assert_int_equal((unsigned char)test.outcomes[r][i], i / test.outcome_size % 255 + 1);
}

static void assert_tallies(void)
{
    struct cw_tally sum = {.n_maxima = 0};
    if (test.maxima > 0) assert_int_equal(cw_tally_new_maxima(&sum, test.maxima), 0);
    for (size_t trial = 0; trial < test.n; trial++) {
        for (size_t k = 0; test.counts > 0 && k < CW_TALLY_COUNTS; k++)
            cw_counts_add(&sum.counts[k], (trial * (k + 1) * 7919) % test.counts);
        if (test.maxima > 0) sum.maxima[trial * 6997 % test.maxima] = (double)trial + 1;
    }
    for (int r = 0; r < job.n; r++) {
        const struct cw_tally *own = &test.tallies[r];
        assert_int_equal(own->n_maxima, test.maxima);
        if (test.maxima > 0) assert_memory_equal(own->maxima, sum.maxima, test.maxima * sizeof *sum.maxima);
        for (size_t k = 0; k < CW_TALLY_COUNTS; k++)
            for (size_t i = 0; i < own->counts[k].n || i < sum.counts[k].n; i++)
                assert_int_equal(i < own->counts[k].n ? own->counts[k].items[i] : 0,
                                 i < sum.counts[k].n ? sum.counts[k].items[i] : 0);
    }
    cw_tally_free(&sum);
}

/* --- what should be ----------------------------------------------------------------------------------------------- */

/* Each trial runs once, somewhere; rank 0 says how many, and at which rate. */
static void each_trial_runs_once(void **state)
{
    static const size_t numbers[] = {1, 7, MOST};
    char expected[256];
    (void)state;
    for (int n_ranks = 1; n_ranks <= 3; n_ranks++)
        for (int i = 0; i < 3; i++) {
            begin(n_ranks, numbers[i]);
            test.loops = 2;
            test.counts = 5;
            test.maxima = 9;
            go();
            uint64_t ran = 0, least = MOST * 2, most = 0;
            for (int r = 0; r < n_ranks; r++) {
                assert_int_equal(test.rc[r], 0);
                assert_int_equal(test.trials[r], 2 * numbers[i]);
                assert_true(test.seconds[r] > 0 && test.seconds[r] < 50);
                ran += test.own[r];
                if (test.own[r] < least) least = test.own[r];
                if (test.own[r] > most) most = test.own[r];
            }
            assert_int_equal(ran, 2 * numbers[i]);
            const uint64_t of_others = ran - test.own[0];
            assert_true(test.steps <= of_others && (test.steps > 0 || of_others < 100));
            for (size_t trial = 0; trial < test.n; trial++) assert_int_equal(test.ran[trial], 2);
            assert_outcomes(test.n);
            assert_tallies();
            snprintf(expected, sizeof expected, "a-program: %d rank%s ran %zu trials in ", n_ranks,
                     n_ranks > 1 ? "s" : "", 2 * numbers[i]);
            assert_memory_equal(said, expected, strlen(expected));
            snprintf(expected, sizeof expected, " a second; each rank %d to %d\n", (int)least, (int)most);
            assert_string_equal(strstr(said, " a second"), expected);
            const double rate = strtod(strstr(said, ", ") + 2, NULL);
            assert_true(fabs(rate * test.seconds[0] / (double)test.trials[0] - 1) < 1e-3);
            discard();
        }
}

/* More than MPI is given at a time. */
static void much_is_put_together_in_parts(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin(2, 7);
        test.outcome_size = i ? 1 << 16 : 20001;
        test.counts = test.maxima = i ? 1 << 16 : LARGE;
        test.shared_length = i ? 1 << 16 : 150000;
        go();
        assert_outcomes(7);
        assert_tallies();
        for (int r = 0; r < 2; r++) {
            assert_int_equal(test.later[r], 0);
            for (size_t k = 0; k < test.shared_length; k++) assert_int_equal(test.shared[r][k], 'a');
            assert_int_equal(test.shared[r][test.shared_length], 'a' + r);
        }
        discard();
    }
}

/* Who talks sleeps while trials run, and looks a few times meanwhile. */
static void who_waits_sleeps(void **state)
{
    (void)state;
    for (int n = 1; n < 3; n++) {
        begin(n, (size_t)(4 * n)); /* for all threads */
        test.nanoseconds = 200000000;
        const clock_t before = clock();
        go();
        assert_true(job.looks < 2000 && clock() - before < CLOCKS_PER_SEC / 20); /* of all threads */
        discard();
    }
}

static void no_tally_and_no_trials(void **state)
{
    (void)state;
    for (int loops = 0; loops < 2; loops++) {
        begin(2, 5);
        test.loops = loops;
        go();
        assert_true(!test.tallies[0].maxima && !test.tallies[1].counts[0].items && (*said != 0) == loops);
        discard();
    }
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

/* Rank 0 hears of each trial of others before the loop ends, and soon, unless the machine does something else. */
static void what_trials_tell_is_heard(void **state)
{
    bool soon = false;
    (void)state;
    for (int i = 0; i < 5 && (i < 2 || !soon); i++) {
        begin(3, i == 1 ? 30 : MOST);
        test.tells = true;
        test.length = i == 1 ? LONGEST : 0; /* the longest there may be */
        go();
        for (int r = 0; r < 3; r++) assert_int_equal(test.rc[r], 0);
        assert_int_equal(test.n_told, test.own[1] + test.own[2]);
        for (size_t trial = 0; trial < test.n; trial++) assert_true(test.told[trial] <= 1);
        if (i != 1) soon |= test.ran_before < MOST / 2;
        assert_outcomes(test.n);
        discard();
    }
    assert_true(soon);
}

static void too_much_is_not_told(void **state)
{
    (void)state;
    begin(2, 50);
    test.tells = true;
    test.length = LONGEST + 1;
    go();
    for (int r = 0; r < 2; r++) {
        assert_int_equal(test.rc[r], CW_ELIMIT);
        assert_string_equal(test.message[r], "a trial tells rank 0 65537 bytes, which hears 65536 at most");
    }
    assert_int_equal(test.n_told, 0);
    discard();
}

/* Rank 0 goes on to hear, but does nothing more with it. */
static void an_error_of_who_hears_is_that_of_all(void **state)
{
    (void)state;
    begin(2, MOST);
    test.tells = true;
    test.told_fails = 2;
    go();
    for (int r = 0; r < 2; r++) assert_int_equal(test.rc[r], CW_EUSAGE);
    assert_true(strstr(test.message[1], "heard") != NULL);
    assert_int_equal(test.n_told, 2);
    discard();
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

/* The error is that of the lowest trial that fails, whoever has run it, and not for good. */
static void the_lowest_error_is_that_of_all(void **state)
{
    (void)state;
    for (int n_ranks = 1; n_ranks <= 3; n_ranks++)
        for (size_t first = 0; first < 40; first += 13) {
            char expected[32];
            begin(n_ranks, MOST);
            test.fails[0] = first;
            test.fails[1] = first + 3;
            test.counts = 5;
            go();
            snprintf(expected, sizeof expected, "trial %zu", first);
            for (int r = 0; r < n_ranks; r++) {
                assert_int_equal(test.rc[r], CW_EPARSE);
                assert_string_equal(test.message[r], expected);
                assert_int_equal(test.later[r], 0);
            }
            assert_outcomes(first);
            size_t ran = 0;
            for (size_t trial = 0; trial < test.n; trial++) ran += (size_t)test.ran[trial];
            assert_true(ran < MOST); /* no more are handed out */
            discard();
        }
}

/* Others run its trials; it fails in the end, and for good. */
static void a_rank_without_a_thread_fails(void **state)
{
    (void)state;
    for (int rank = 0; rank < 2; rank++) {
        char expected[64];
        begin(2, 40);
        test.no_thread = rank;
        go();
        snprintf(expected, sizeof expected, "rank %d on host0: no thread for trials", rank);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(test.rc[r], CW_ENOMEM);
            assert_int_equal(test.later[r], CW_ENOMEM);
            assert_string_equal(test.message[r], expected);
        }
        discard();
    }
}

/* Who has failed before does not come: the others hear of it where they would begin, or share. */
static void an_earlier_error_is_heard(void **state)
{
    (void)state;
    for (int loops = 0; loops < 2; loops++) {
        begin(3, 10);
        test.loops = loops;
        test.comes_with = CW_EUSAGE;
        test.shared_length = 10;
        go();
        for (int r = 0; r < 2; r++) {
            assert_int_equal(loops ? test.rc[r] : test.later[r], CW_EUSAGE);
            assert_int_equal(test.shared[r][0], 'a' + r);
        }
        for (size_t trial = 0; trial < test.n; trial++) assert_int_equal(test.ran[trial], 0);
        discard();
    }
}

static void a_world_that_cannot_be_copied(void **state)
{
    (void)state;
    begin(1, 1);
    job.fails = "Comm_dup";
    job.fails_after = 1;
    go();
    assert_int_equal(test.rc[0], CW_EIO);
    assert_string_equal(test.message[0], "MPI cannot copy its world");
    discard();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_trial_runs_once),
        cmocka_unit_test(much_is_put_together_in_parts),
        cmocka_unit_test(who_waits_sleeps),
        cmocka_unit_test(no_tally_and_no_trials),
        cmocka_unit_test(what_trials_tell_is_heard),
        cmocka_unit_test(too_much_is_not_told),
        cmocka_unit_test(an_error_of_who_hears_is_that_of_all),
        cmocka_unit_test(the_lowest_error_is_that_of_all),
        cmocka_unit_test(a_rank_without_a_thread_fails),
        cmocka_unit_test(an_earlier_error_is_heard),
        cmocka_unit_test(a_world_that_cannot_be_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
