/* Moves on ranks (mpi/move/move.h): every byte arrives, by the messages that there should be, and what goes wrong is
 * known to all in time. The ranks are those of ranks_test.h, the movers real. */
#include "ranks_test.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "mpi/move/move.h"

enum { CHUNK = 10, WORLD = 5, SOURCE = 3, RELAY = 0, TARGET = 4, RUNS = 3 };

#define PATIENCE 1.

/* h0 has 95 bytes for h2 by way of h1, and 200 that go directly; h2 has 7 for h0. */
static struct cw_step steps[] = {
    {.kind = CW_STEP_SEND, .stream = 0, .bytes = 95, .from = CW_NONE, .to = 1, .way = CW_NONE},
    {.kind = CW_STEP_SEND, .stream = 1, .offset = 95, .bytes = 200, .from = CW_NONE, .to = 2, .way = CW_NONE},
    {.kind = CW_STEP_RECEIVE, .stream = 2, .demand = 1, .bytes = 7, .from = 2, .to = CW_NONE, .way = CW_NONE},
    {.kind = CW_STEP_FORWARD, .stream = 0, .bytes = 95, .from = 0, .to = 2, .way = CW_NONE},
    {.kind = CW_STEP_RECEIVE, .stream = 0, .bytes = 95, .from = 1, .to = CW_NONE, .way = CW_NONE},
    {.kind = CW_STEP_RECEIVE, .stream = 1, .offset = 95, .bytes = 200, .from = 0, .to = CW_NONE, .way = CW_NONE},
    {.kind = CW_STEP_SEND, .stream = 2, .demand = 1, .bytes = 7, .from = CW_NONE, .to = 0, .way = CW_NONE},
};

static struct cw_moves_demand demands[] = {{0, 2, 295}, {2, 0, 7}};
static const struct cw_moves three = {.chunk_bytes = CHUNK,
                                      .credits = 2,
                                      .demands = demands,
                                      .n_demands = 2,
                                      .n_ranks = 3,
                                      .n_streams = 3,
                                      .endpoints = (uint32_t[]){0, 1, 2},
                                      .names = (char *[]){(char[]){"h0"}, (char[]){"h1"}, (char[]){"h2"}},
                                      .first_step = (size_t[]){0, 3, 4, 7},
                                      .steps = steps};

/* What ranks do, and what comes of it. */
static struct {
    struct cw_moves moves;
    const uint32_t *ranks;
    enum cw_wait_mode wait;
    double patience, late[RANKS];
    int runs;
    int made[RANKS], rc[RANKS]; /* by cw_move_new, by the last cw_move_run */
    bool found[RANKS], wrong[RANKS];
    double seconds[RANKS], end[RANKS];
    char message[RANKS][512];
} test;

static const uint32_t seats[] = {SOURCE, RELAY, TARGET};

static unsigned char byte_of(int run, uint32_t demand, size_t i)
{
    return (unsigned char)(i * 7 + demand * 100 + (size_t)run * 31 + 1);
}

static uint32_t number_of(int rank)
{
    for (uint32_t r = 0; r < test.moves.n_ranks; r++)
        if ((test.ranks ? test.ranks[r] : r) == (uint32_t)rank) return r;
    return CW_NONE;
}

static void move_once(int rank, int run, struct cw_move *move)
{
    unsigned char bytes[2][512];
    void *data[2] = {bytes[0], bytes[1]};
    const uint32_t number = number_of(rank);
    for (uint32_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof *bytes; i++) bytes[d][i] = demands[d].src == number ? byte_of(run, d, i) : 0;
    test.rc[rank] = cw_move_run(move, data, &test.seconds[rank]);
    for (uint32_t d = 0; !test.rc[rank] && d < 2; d++)
        for (size_t i = 0; demands[d].dst == number && i < sizeof *bytes; i++)
            test.wrong[rank] |= bytes[d][i] != (i < demands[d].bytes ? byte_of(run, d, i) : 0);
}

static void be_one(int rank)
{
    struct cw_move_setup setup = {.comm = MPI_COMM_WORLD,
                                  .moves = &test.moves,
                                  .ranks = test.ranks,
                                  .wait = test.wait,
                                  .patience = test.patience};
    struct cw_move *move = NULL;
    test.made[rank] = test.rc[rank] = cw_move_new(&setup, &move);
    if (!test.made[rank] && test.late[rank] > 0) pause_for(test.late[rank]);
    for (int run = 0; run < test.runs && !test.rc[rank]; run++) move_once(rank, run, move);
    if (test.rc[rank]) snprintf(test.message[rank], sizeof test.message[rank], "%s", cw_error_message());
    if (!test.made[rank]) test.found[rank] = cw_move_found(move);
    test.end[rank] = job.now - START;
    if (!test.rc[rank]) cw_move_free(move);
}

/* Moves of three ranks among five. */
static void begin(void)
{
    memset(&test, 0, sizeof test);
    test.moves = three;
    test.ranks = seats;
    test.wait = CW_WAIT_SLEEP;
    test.patience = PATIENCE;
    test.runs = 1;
    set_up(WORLD);
    job.nap = 1e-3;
}

/* All was right, and nothing is left. */
static void assert_moved(void)
{
    run_ranks(be_one);
    for (int r = 0; r < job.n; r++) {
        if (test.rc[r]) fail_msg("rank %d: %s", r, test.message[r]);
        assert_false(test.wrong[r]);
        assert_int_equal(open_comms(r), 0);
        for (int t = 0; t < TYPES; t++) assert_false(job.types[r][t].used);
    }
    assert_int_equal(tear_down(), 0);
}

/* Rank FINDER has found it, and all who still listen say so. */
static void assert_failed(int finder, int rc, const char *message)
{
    job.leaks = true;
    run_ranks(be_one);
    for (int r = 0; r < job.n; r++) {
        if (job.stops[r] > 0) continue;
        assert_string_equal(test.message[r], message);
        assert_int_equal(test.rc[r], rc);
        assert_int_equal(test.found[r], r == finder);
    }
    tear_down();
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 10 * job.nap) fail_msg("%g, expected %g", value, expected);
}

/* --- what should be ----------------------------------------------------------------------------------------------- */

/* 10 chunks of 95 bytes are relayed, and 20 sent; the relay says 8 times at most that it has room, for it has 2 from
 * the start. Who waits for nothing else takes none of the messages. More than 8 chunks under way to who may not have
 * come wait for it. */
static void every_byte_arrives(void **state)
{
    (void)state;
    for (int eager = 0; eager < 2; eager++)
        for (int wait = CW_WAIT_SPIN; wait <= CW_WAIT_SLEEP; wait++) {
            begin();
            job.eager = eager;
            test.wait = (enum cw_wait_mode)wait;
            test.runs = RUNS;
            assert_moved();
            assert_int_equal(job.sent[SOURCE][RELAY], RUNS * 10);
            assert_int_equal(job.sent[SOURCE][TARGET], RUNS * 20);
            assert_int_equal(job.sent[RELAY][TARGET], RUNS * 10);
            assert_int_equal(job.sent[TARGET][SOURCE], RUNS);
            assert_in_range(job.sent[RELAY][SOURCE], RUNS, RUNS * 8);
            assert_int_equal(job.held[SOURCE][TARGET], RUNS * 20);
            assert_int_equal(job.n_types[SOURCE],
                             RUNS * 31); /* sums are elsewhere, but for those in a relay's buffers */
            assert_int_equal(job.n_types[RELAY], 0);
            assert_int_equal(job.held[SOURCE][RELAY] + job.held[TARGET][SOURCE], 0);
        }
}

/* Ranks that were given no numbers have those of the moves, and who has no part waits for the others. */
static void ranks_have_their_numbers(void **state)
{
    (void)state;
    begin();
    test.ranks = NULL;
    assert_moved();
    assert_int_equal(job.sent[0][1], 10);
    assert_int_equal(job.sent[1][2], 10);
    assert_int_equal(job.sent[2][0], 1);
    begin();
    set_up(3);
    test.ranks = NULL;
    assert_moved();
    begin(); /* and one of the moves has nothing to do */
    test.moves.n_ranks = 4;
    test.moves.first_step = (size_t[]){0, 3, 4, 7, 7};
    test.ranks = (uint32_t[]){SOURCE, RELAY, TARGET, 2};
    assert_moved();
}

/* The time counts from a rank's own beginning until its own end. Meanwhile who waits says four times in the time of
 * patience that it is there, to those it works with. */
static void a_late_rank_is_waited_for(void **state)
{
    (void)state;
    begin();
    test.late[SOURCE] = 0.9;
    assert_moved();
    assert_near(test.seconds[SOURCE], 0);
    assert_near(test.seconds[RELAY], 0.9);
    assert_near(test.seconds[TARGET], 0.9);
    assert_near(test.seconds[1], 0);
    for (int r = 0; r < WORLD; r++) assert_near(test.end[r], 0.9);
    assert_int_equal(job.sent[TARGET][SOURCE], 1 + 3);
    assert_int_equal(job.sent[TARGET][RELAY], 3);
    assert_int_equal(job.sent[RELAY][TARGET], 10 + 3);
    assert_int_equal(job.sent[TARGET][1] + job.sent[1][TARGET] + job.sent[1][2], 0);
}

static double cost;

static void take_time(int from, int to, int tag, char *data, size_t bytes)
{
    (void)to;
    (void)tag;
    (void)data;
    if (from == SOURCE && (bytes == 8 + CHUNK || bytes == 8 + 5)) job.now += cost;
}

/* Moving takes longer than the time of patience, but nobody is silent for so long. */
static void slow_ranks_are_waited_for(void **state)
{
    (void)state;
    for (int eager = 0; eager < 2; eager++) {
        begin();
        job.eager = eager;
        job.tamper = take_time;
        cost = 0.4 * PATIENCE / 8; /* as many as are begun at once */
        assert_moved();
        assert_true(test.seconds[TARGET] > 30 * 0.99 * cost && test.seconds[TARGET] > PATIENCE);
    }
}

/* 64 messages is what there is room for at first: a relay has 8 streams with 20 chunks each in its buffers. */
static void many_messages_are_under_way(void **state)
{
    enum { STREAMS = 8, BYTES = 400 / STREAMS };
    static struct cw_step many[3 * STREAMS];
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++) {
        const struct cw_step step = {.stream = s, .offset = s * BYTES, .bytes = BYTES, .from = CW_NONE, .to = CW_NONE};
        many[s] = many[STREAMS + s] = many[2 * STREAMS + s] = step;
        many[s].to = 1;
        many[STREAMS + s].kind = CW_STEP_FORWARD;
        many[STREAMS + s].from = 0;
        many[STREAMS + s].to = 2;
        many[2 * STREAMS + s].kind = CW_STEP_RECEIVE;
        many[2 * STREAMS + s].from = 1;
    }
    for (uint32_t late = 0; late < 3; late++) {
        begin();
        demands[0].bytes = 400;
        test.moves.first_step = (size_t[]){0, STREAMS, 2 * STREAMS, 3 * STREAMS};
        test.moves.n_streams = STREAMS;
        test.moves.steps = many;
        test.moves.chunk_bytes = 1;
        test.moves.credits = 20;
        test.moves.n_demands = 1;
        demands[1].src = demands[1].dst = 3; /* of nobody */
        test.late[seats[late]] = 0.1;
        test.runs = RUNS;
        assert_moved();
        assert_int_equal(job.sent[SOURCE][RELAY], RUNS * 400);
        demands[0].bytes = 295;
        demands[1] = (struct cw_moves_demand){2, 0, 7};
    }
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void assert_refused(int rc, const char *message)
{
    run_ranks(be_one);
    for (int r = 0; r < job.n; r++) {
        assert_int_equal(test.made[r], rc);
        assert_string_equal(test.message[r], message);
        assert_int_equal(open_comms(r), 0);
    }
    assert_int_equal(tear_down(), 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    begin();
    set_up(2);
    test.ranks = NULL;
    assert_refused(CW_EUSAGE, "these moves are for 3 ranks, and there are 2");
    begin();
    test.moves.chunk_bytes = (UINT64_C(1) << 30) + 1;
    assert_refused(CW_ELIMIT, "chunks of 1073741825 bytes; expected at most 1 GiB");
    begin();
    test.moves.chunk_bytes = UINT64_C(1) << 30;
    assert_moved();
    begin();
    test.moves.n_streams = 9;
    assert_refused(CW_ELIMIT, "9 streams; this MPI has tags for 8");
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

/* Those that await something of a silent rank find out one after the other, the lowest first; the others are told. Who
 * has found it waits half a second for the silent one to listen. */
static void a_rank_that_stops_is_named(void **state)
{
    (void)state;
    begin();
    test.late[TARGET] = job.stops[TARGET] = 0.5;
    assert_failed(
        RELAY, CW_EIO,
        "h2 (rank 4) has not answered h1 for 1 s: chunk 0 of stream 0 (bytes 0 to 9 of demand 0, h0 to h2) is "
        "being sent to h2");
    assert_near(test.end[RELAY], PATIENCE + 0.5);
    assert_near(test.end[SOURCE], PATIENCE);
    assert_near(test.end[1], PATIENCE);

    begin();
    test.late[RELAY] = job.stops[RELAY] = 0.5;
    test.moves.names = (char *[]){(char[]){"a-host-with-a-name-that-is-longer-than-others"}, (char[]){"h1"},
                                  (char[]){"the-host-whose-name-is-longer-than-all-others"}};
    assert_failed(
        SOURCE, CW_EIO,
        "h1 (rank 0) has not answered a-host-with-a-name-that-is-longer-than-others for 1 s: chunk 0 of stream "
        "0 (bytes 0 to 9 of demand 0, a-host-with-a-name-that-is-longer-than-others to "
        "the-host-whose-name-is-longer-than-all-others) is being sent to h1");
    assert_near(test.end[TARGET], PATIENCE * (1 + 0.1 * SOURCE / WORLD));

    begin(); /* all has been moved, but two have not come, and another one does not wait for them */
    job.eager = true;
    test.patience = 0;
    job.nap = 2e-2;
    test.late[1] = job.stops[1] = test.late[2] = job.stops[2] = 0.5;
    job.stops[TARGET] = 0.9;
    assert_failed(RELAY, CW_EIO, "h2 (rank 4) has not answered h1 for 10 s: its end is awaited");
    assert_near(test.end[SOURCE], CW_MOVE_PATIENCE);
}

static int spoiled_tag, spoiled_from;
static size_t spoiled_byte;

static void spoil(int from, int to, int tag, char *data, size_t bytes)
{
    (void)to;
    if (from == spoiled_from && tag == spoiled_tag && bytes > spoiled_byte && bytes < 100) data[spoiled_byte] ^= 1;
}

/* Where it arrives first, in its sum or in its data. */
static void a_chunk_that_was_changed_is_found(void **state)
{
    (void)state;
    for (spoiled_byte = 0; spoiled_byte < 8 + CHUNK; spoiled_byte += 17) {
        begin();
        job.tamper = spoil;
        spoiled_tag = 1;
        spoiled_from = SOURCE;
        assert_failed(TARGET, CW_EIO,
                      "chunk 0 of stream 1 (bytes 95 to 104 of demand 0, h0 to h2) came corrupted to h2 from h0");
        for (int r = 0; r < WORLD; r++) assert_true(test.end[r] < 0.01); /* and nobody waits for anything */
    }
}

/* Whatever MPI refuses, whoever it refuses it: all have the error, but one alone has found it. */
static void what_mpi_refuses_is_an_error_of_all(void **state)
{
    static const struct {
        const char *name, *what;
    } calls[] = {{"Isend", NULL},
                 {"Issend", "send a chunk"},
                 {"Irecv", NULL},
                 {"Ibarrier", "meet others"},
                 {"Testsome", "go on with a message"},
                 {"Test", NULL},
                 {"Type_create_hindexed", "make a datatype"},
                 {"Type_commit", "make a datatype"}};
    (void)state;
    int noticed = 0;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (int rank = 0; rank < WORLD; rank++)
            for (int after = 0; after < 10; after += 5) { /* before others have left */
                begin();
                job.failing = rank;
                job.fails = calls[c].name;
                job.fails_after =
                    after + (strcmp(calls[c].name, "Irecv") == 0) + 4 * (strcmp(calls[c].name, "Test") == 0);
                job.leaks = true;
                run_ranks(be_one);
                const bool failed = job.fails_after < 0;
                noticed += failed;
                for (int r = 0; r < WORLD; r++) {
                    if (test.rc[r] != (failed ? CW_EIO : 0))
                        fail_msg("%s %d of %d: %d gets %d", job.fails, after, rank, r, test.rc[r]);
                    assert_int_equal(test.found[r], !failed || r == rank);
                    if (!failed) continue;
                    if (calls[c].what) {
                        char expected[64];
                        snprintf(expected, sizeof expected, "MPI cannot %s: as it should", calls[c].what);
                        assert_string_equal(test.message[r], expected);
                    }
                    assert_string_equal(test.message[r], test.message[rank]);
                }
                tear_down();
            }
    assert_true(noticed > 20);
}

/* What was wrong first is said, also by who cannot tell others. */
static void who_cannot_tell_others_says_what_was_wrong(void **state)
{
    (void)state;
    begin();
    job.leaks = true;
    job.tamper = spoil;
    spoiled_byte = 0;
    spoiled_tag = 1;
    spoiled_from = SOURCE;
    job.failing = TARGET;
    job.fails = "Isend";
    job.fails_after = 1;
    job.fails_ever = true;
    run_ranks(be_one);
    assert_string_equal(test.message[TARGET],
                        "chunk 0 of stream 1 (bytes 95 to 104 of demand 0, h0 to h2) came corrupted to h2 from h0");
    tear_down();
}

/* A world of one rank whose copies are refused. */
static void copies_that_mpi_refuses(void **state)
{
    (void)state;
    for (int after = 0; after < 3; after++) {
        begin();
        set_up(1);
        job.fails = after < 2 ? "Comm_dup" : "Irecv";
        job.fails_after = after % 2;
        job.leaks = true;
        run_ranks(be_one);
        assert_int_equal(test.made[0], CW_EIO);
        assert_string_equal(test.message[0], after < 2 ? "MPI cannot copy a communicator: as it should"
                                                       : "MPI cannot listen: as it should");
        tear_down();
    }
}

/* A signal ends all, though they await something of each other. */
static void stop_all(int from, int to, int tag, char *data, size_t bytes)
{
    (void)to;
    (void)tag;
    (void)data;
    if (from == TARGET && bytes != 8 + 7) cw_interrupt(); /* that it is there */
}

static void a_signal_ends_it(void **state)
{
    (void)state;
    begin();
    test.late[SOURCE] = 0.9;
    job.tamper = stop_all;
    job.leaks = true;
    run_ranks(be_one);
    cw_interrupt_clear();
    assert_int_equal(test.rc[TARGET], CW_EINTERRUPTED);
    assert_int_equal(test.rc[RELAY], CW_EINTERRUPTED);
    assert_string_equal(test.message[RELAY], "interrupted");
    assert_in_range((int)(1000 * test.end[RELAY]), 250, 800);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_arrives),
        cmocka_unit_test(ranks_have_their_numbers),
        cmocka_unit_test(a_late_rank_is_waited_for),
        cmocka_unit_test(slow_ranks_are_waited_for),
        cmocka_unit_test(many_messages_are_under_way),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_rank_that_stops_is_named),
        cmocka_unit_test(a_chunk_that_was_changed_is_found),
        cmocka_unit_test(what_mpi_refuses_is_an_error_of_all),
        cmocka_unit_test(who_cannot_tell_others_says_what_was_wrong),
        cmocka_unit_test(copies_that_mpi_refuses),
        cmocka_unit_test(a_signal_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
