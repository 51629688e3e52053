/* crosswind-mpi move: what it says of moves that ranks of ranks_test.h carry out, and how it ends where they cannot.
 * Messages take a known time. The plan is real. */
#include "program_of_ranks.h"

#include <sys/time.h>

#include "flow/moves/moves.h"
#include "mpi/move/move_fit.h"
#include "net/network_internal.h"

extern const struct verb verb_move, verb_plan, verb_collective;
const struct verb *const verbs[] = {&verb_move, &verb_plan, &verb_collective, NULL};

enum { N = 5, BYTES = 300000, CHUNK = 20000, CHUNKS = BYTES / CHUNK };

#define BY_MOVES    1e-3  /* s that a chunk of h0 takes */
#define BY_ALLTOALL 50e-3 /* … and all of h0's data at once */

static struct {
    const char *hosts[RANKS];
    double watched[RANKS]; /* s, for the last call */
    bool watches[RANKS];
    int n_relayed;          /* chunks from h0 */
    int n_alltoalls, spoil; /* messages with data from h0; which of them loses a byte */
    struct cw_transport fitted;
    int fits, fit_rc;
    bool fit_lost;
} test;

/* --- the machine -------------------------------------------------------------------------------------------------- */

int setitimer(__itimer_which_t which, const struct itimerval *timer, struct itimerval *before)
{
    (void)which;
    (void)before;
    const double seconds = (double)timer->it_value.tv_sec + 1e-6 * (double)timer->it_value.tv_usec;
    if (self >= 0) test.watches[self] = seconds > 0;
    if (self >= 0 && seconds > 0) test.watched[self] = seconds;
    return 0;
}

static void take_time(int from, int to, int tag, char *data, size_t bytes)
{
    if (tag == TAG_ALLTOALL && bytes > 1000 && strcmp(test.hosts[from], "h0") == 0) {
        job.now += BY_ALLTOALL + 10e-3 * ((test.n_alltoalls + 1) * 7 % 10); /* scattered */
        if (++test.n_alltoalls == test.spoil) data[1000] ^= 1;
    } else if (tag != TAG_ALLTOALL && bytes == CHUNK + 8 && strcmp(test.hosts[from], "h0") == 0) {
        job.now += BY_MOVES;
        test.n_relayed += strcmp(test.hosts[to], "h4") == 0;
    }
}

int move_fit_run(const struct move_fit *fit, uint32_t way[3], struct cw_transport *out)
{
    test.fits++;
    must_be(fit->ranks_each == 1 && fit->moves->n_ranks == N && fit->net->n_endpoints == 8, "another fit");
    memcpy(way, (const uint32_t[]){0, 4, 2}, 3 * sizeof *way);
    *out = test.fitted;
    fit->meeting->lost = fit->meeting->found = test.fit_lost;
    return test.fit_rc ? cw_fail(test.fit_rc, "no fit") : 0;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static struct cw_moves moves;

/* h0 has data for h2, and h1 for h3; half of them go by way of h4. */
static void make_moves(const char *method, const char *file)
{
    char line[256];
    write_text("demand.csv", "h0,h2,0.3MB\nh1,h3,0.3MB\n");
    write_text("relays", "h4\n");
    write_text("transport.json", "{\"format\": \"crosswind-transport\", \"version\": 1, \"chunk\": \"20000B\", "
                                 "\"credits\": 3, \"efficiency\": 0.95}\n");
    snprintf(line, sizeof line,
             "plan torus:4x2@1Gbit/s --traffic matrix:demand.csv --relays relays --host-limit yes --transport "
             "transport.json --method %s --moves %s --plan plan.json",
             method, file);
    struct ran ran = run_line(line);
    if (ran.status != 0) fail_msg("%s", ran.err);
    ran_free(&ran);
    char *text = content_of(file);
    cw_moves_free(&moves);
    if (cw_moves_parse(file, text, strlen(text), &moves)) fail_msg("%s", cw_error_message());
    free(text);
}

static void begin(int n)
{
    static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4", "elsewhere", "elsewhere"};
    memset(&test, 0, sizeof test);
    set_up(n);
    job.nap = 1e-4;
    job.poll = 1e-5;
    job.eager = true;
    job.tamper = take_time;
    memcpy(test.hosts, hosts, sizeof hosts);
    job.names = test.hosts;
    job.leaks = true;
}

static struct ran result_on(const char *line)
{
    struct ran ran = run_on_ranks(line);
    check_well(&ran);
    for (int r = 0; r < job.n; r++) {
        assert_int_equal(open_comms(r), 0);
        assert_true(!test.watches[r] && job.contiguous[r] == 0);
    }
    assert_int_equal(tear_down(), 0);
    return ran;
}

static void check_fails(const char *line, int status, const char *part)
{
    struct ran ran = run_on_ranks(line);
    for (int r = 0; r < job.n; r++) assert_int_equal(line_of_ranks.statuses[r], status);
    if (!strstr(ran.err, part)) fail_msg("'%s' says '%s' instead of '%s'", line, ran.err, part);
    ran_free(&ran);
    tear_down();
}

static double real_of(const struct ran *ran, size_t row, const char *column)
{
    return json_number_value(cell(ran, "move", row, column));
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

/* Times are medians until the slowest has its data, and nothing takes time but messages. */
static void ways_are_compared(void **state)
{
    char expected[256];
    (void)state;
    make_moves("optimum", "moves.json");
    for (int idle = 0; idle < 3; idle += 2) {
        begin(N + idle);
        struct ran ran = result_on("move moves.json --follow plan --repeat 9 --timeout 2s --wait yield");
        assert_int_equal(rows_of(&ran, "move"), 2);
        check_text(&ran, "move", 0, "method", moves.method);
        check_text(&ran, "move", 1, "method", "MPI_Alltoallv");
        check_real(&ran, "move", 0, "predicted_seconds", moves.seconds);
        check_real(&ran, "move", 1, "predicted_seconds", moves.default_seconds);
        const double own = real_of(&ran, 0, "seconds"), other = real_of(&ran, 1, "seconds");
        assert_true(fabs(own - CHUNKS * BY_MOVES) < 2e-3 && fabs(other - BY_ALLTOALL - 40e-3) < 2e-3);
        for (size_t row = 0; row < 2; row++) {
            assert_true(real_of(&ran, row, "low") <= real_of(&ran, row, "seconds"));
            assert_true(real_of(&ran, row, "high") >= real_of(&ran, row, "seconds"));
            assert_true(fabs(real_of(&ran, row, "rate") * real_of(&ran, row, "seconds") - 2e-6 * BYTES) < 1e-7);
        }
        snprintf(expected, sizeof expected,
                 "%s: %.3g times as fast as MPI_Alltoallv (%.3g to %.3g by the intervals), "
                 "predicted %.3g times.",
                 moves.method, other / own, real_of(&ran, 1, "low") / real_of(&ran, 0, "high"),
                 real_of(&ran, 1, "high") / real_of(&ran, 0, "low"), moves.default_seconds / moves.seconds);
        check_note(&ran, expected);
        snprintf(
            expected, sizeof expected,
            "Every byte arrived right, each time. 5 ranks took part, 1 for each endpoint, %d had none; waiting ranks "
            "yield.",
            idle);
        check_note(&ran, expected);
        assert_int_equal(notes_with(&ran, "directly"), 0);
        assert_int_equal(test.n_alltoalls, 10);
        assert_true(fabs(test.watched[4] - (3 * 2 + 50 * (BY_ALLTOALL + 90e-3) + 4 * 0.2)) <
                    0.3); /* as long as others took */
        ran_free(&ran);
    }
}

/* Two ranks of an endpoint share its work. */
static void endpoints_have_several_ranks(void **state)
{
    (void)state;
    begin(RANKS);
    for (int r = 0; r < RANKS; r++) test.hosts[r] = "here";
    write_text("hosts", "here h0\nhere h1\nhere h2\nhere h3\nhere h4\n");
    check_fails("move moves.json --hosts hosts", 2,
                "9 ranks on here for 5 endpoints of these moves; expected 5, or a multiple");
    begin(4);
    check_fails("move moves.json", 2, "no rank runs on h4, which has a part in these moves");
    begin(N);
    for (int r = 0; r < N; r++) test.hosts[r] = "here";
    struct ran ran = result_on("move moves.json --hosts hosts --repeat 1 --alone --wait sleep");
    check_note(&ran, "5 ranks took part, 1 for each endpoint, 0 had none; waiting ranks sleep.");
    assert_int_equal(rows_of(&ran, "move"), 1);
    assert_int_equal(test.n_alltoalls, 0);
    assert_int_equal(notes_with(&ran, "as fast as"), 0);
    ran_free(&ran);
}

/* Whatever MPI has for it moves the same beside it: of a broadcast, an allgather and an all-to-all of three. */
static void collectives_have_a_function_of_mpi(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bytes, *function;
    } cases[] = {
        {"bcast", "100001", "MPI_Bcast"}, {"allgather", "3000", "MPI_Allgather"}, {"alltoall", "3000", "MPI_Alltoall"}};
    char line[128];
    write_text("three", "here h0\nhere h1\nhere h2\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "collective crossbar:3@1Gbit/s %s --bytes %sB --moves of-all.json", cases[i].name,
                 cases[i].bytes);
        struct ran ran = run_line(line);
        if (ran.status != 0) fail_msg("%s", ran.err);
        ran_free(&ran);
        for (int idle = 0; idle < 2; idle++) { /* a rank elsewhere takes no part */
            begin(3 + idle);
            for (int r = 0; r < 3 + idle; r++) test.hosts[r] = r == 1 && idle ? "elsewhere" : "here";
            ran = result_on("move of-all.json --hosts three --repeat 2");
            check_text(&ran, "move", 1, "method", idle && i == 2 ? "MPI_Alltoallv" : cases[i].function);
            assert_true(fabs(real_of(&ran, 0, "rate") * real_of(&ran, 0, "seconds") -
                             1e-6 * atof(cases[i].bytes) * (i == 2 ? 2 : 1)) < 1e-7);
            check_note(&ran, "Every byte arrived right, each time. 3 ranks took part, 1 for each endpoint");
            ran_free(&ran);
        }
        if (i == 2) continue;
        begin(6);
        for (int r = 0; r < 6; r++) test.hosts[r] = "here";
        check_fails("move of-all.json --hosts three", 2,
                    "2 ranks for each of 3 endpoints, and data of all or for all: expected one for each");
    }
}

/* Directly where the plan is predicted to take longer, or as long, and says so. */
static void data_go_as_is_predicted(void **state)
{
    (void)state;
    static const struct {
        double seconds, other;
        const char *follow, *note;
        bool directly;
    } cases[] = {
        {1, 2, "auto", NULL, false},
        {2, 2, "auto", "Nothing is predicted to be faster than the default routes, so all data go directly.", true},
        {3, 2, "auto", " is predicted to take longer than the default routes, so all data go directly.", true},
        {3, 2, "plan", NULL, false},
        {1, 2, "direct", NULL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_text text = {0};
        char line[128];
        moves.seconds = cases[i].seconds;
        moves.default_seconds = cases[i].other;
        assert_int_equal(cw_moves_write(&moves, &text), 0);
        cw_text_add(&text, "");
        write_text("predicted.json", text.data);
        cw_text_free(&text);
        begin(N);
        snprintf(line, sizeof line, "move predicted.json --repeat 2 --follow %s", cases[i].follow);
        struct ran ran = result_on(line);
        check_text(&ran, "move", 0, "method", cases[i].directly ? "direct" : moves.method);
        check_real(&ran, "move", 0, "predicted_seconds", cases[i].directly ? cases[i].other : cases[i].seconds);
        if (cases[i].note) check_note(&ran, cases[i].note);
        assert_int_equal(notes_with(&ran, "so all data go directly"), cases[i].note != NULL);
        check_note(&ran, cases[i].directly       ? "predicted 1 times."
                         : cases[i].seconds == 1 ? "predicted 2 times."
                                                 : "predicted 0.667 times.");
        assert_int_equal(notes_with(&ran, "by the intervals"), 0); /* of two */
        ran_free(&ran);
        assert_true(cases[i].directly == (test.n_relayed == 0));
    }
    make_moves("optimum", "moves.json");
}

static void a_fit_is_written(void **state)
{
    (void)state;
    begin(N);
    test.fitted = (struct cw_transport){.chunk_bytes = CHUNK,
                                        .credits = 3,
                                        .efficiency = 0.956,
                                        .chunk_overhead = 31e-6,
                                        .hop_latency = 12e-6,
                                        .copy = 5e9};
    struct ran ran = result_on("move moves.json --repeat 1 --alone --fit fit.json --network torus:4x2@1Gbit/s");
    assert_int_equal(test.fits, N);
    check_note(&ran,
               "Measured from h0 by way of h4 to h2: payload gets 95.6 % of a channel's capacity, a chunk costs 31 us; "
               "a relay knows of a chunk after 12 us and copies it at 5e+03 MB/s. Written to fit.json, ");
    ran_free(&ran);
    char *fit = content_of("fit.json");
    assert_non_null(strstr(fit, "torus:4x2@1Gbit/s, measured from h0 by way of h4 to h2"));
    free(fit);
    begin(N);
    test.fitted = (struct cw_transport){.chunk_bytes = CHUNK, .credits = 3, .efficiency = 1};
    ran = result_on("move moves.json --repeat 1 --alone --fit fit.json --network torus:4x2@1Gbit/s");
    check_note(&ran, "and does not copy it.");
    ran_free(&ran);
    begin(N);
    test.fitted = (struct cw_transport){.chunk_bytes = CHUNK, .credits = 3, .efficiency = 1, .copy = 1};
    ran = result_on("move moves.json --repeat 1 --alone --fit fit.json --network torus:4x2@1Gbit/s");
    check_note(&ran, "and copies it at 1e-06 MB/s.");
    ran_free(&ran);
    unlink("fit.json");
    for (int lost = 0; lost < 2; lost++) {
        begin(N);
        test.fit_lost = lost;
        test.fit_rc = CW_EIO;
        ran = run_on_ranks("move moves.json --repeat 1 --alone --fit fit.json --network torus:4x2@1Gbit/s");
        for (int r = 0; r < N; r++) assert_int_equal(lost ? job.statuses[r] : line_of_ranks.statuses[r], 1);
        assert_non_null(strstr(ran.err, "no fit"));
        assert_int_not_equal(access("fit.json", F_OK), 0);
        ran_free(&ran);
        tear_down();
    }
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

/* MPI sends by the first of several routes. */
static void other_routes_are_refused(void **state)
{
    (void)state;
    make_moves("optimum", "moves.json");
    char *text = content_of("moves.json"), *way = strstr(text, "\"way\": 0");
    assert_non_null(way);
    way[strlen("\"way\": ")] = '1';
    write_text("way.json", text);
    free(text);
    begin(N);
    struct ran ran = result_on("move way.json --follow direct --repeat 1 --alone");
    ran_free(&ran);
    begin(N);
    check_fails(
        "move way.json --follow plan", 2,
        "way.json: h0 sends to h4 by another route than the first (\"way\": 1), which MPI cannot choose; expected "
        "moves of a plan by one route, or --follow direct");
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *line, *part;
        int status;
    } cases[] = {
        {"moves.json --fit fit.json", "--fit needs --network, which says", 2},
        {"moves.json --network torus:4x2", "--fit needs --network, which says", 2},
        {"plan.json", "plan.json is a plan, expected moves: crosswind plan NETWORK --check plan.json --moves FILE", 1},
        {"no.json", "cannot open no.json", 1},
        {"moves.json --hosts no-hosts", "cannot open no-hosts", 1},
        {"moves.json --fit fit.json --network torus:4x4", "these moves are of another network, torus:4x2", 2},
        {"moves.json --fit fit.json --network no-such-network", "no-such-network", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];
        begin(N);
        snprintf(line, sizeof line, "move %s", cases[i].line);
        struct ran ran = run_on_ranks(line);
        if (ran.status != cases[i].status) fail_msg("'%s' ends with %d", line, ran.status);
        if (!strstr(ran.err, cases[i].part)) fail_msg("'%s' says '%s'", line, ran.err);
        ran_free(&ran);
        tear_down();
    }
}

/* Each byte is looked at, of either way; before any repetition counts, too. */
static void a_byte_that_is_wrong_is_named(void **state)
{
    (void)state;
    for (int which = 1; which < 4; which += 2) {
        begin(N);
        test.spoil = which;
        check_fails("move moves.json --repeat 3", 1,
                    "rank 2 on host0: byte 1000 of demand 0, h0 to h2, did not arrive");
        assert_int_equal(test.n_alltoalls, which);
    }
    begin(N);
    job.failing = -1;
    job.fails = "Alltoallv";
    job.fails_ever = true;
    check_fails("move moves.json --repeat 3", 1, "MPI_Alltoallv has failed");
}

/* Who is lost is named once, and all are ended. */
static void a_rank_that_is_lost_ends_all(void **state)
{
    (void)state;
    begin(N);
    job.stops[4] = 0.03;
    job.eager = false;
    struct ran ran = run_on_ranks("move moves.json --repeat 1000 --alone --timeout 2s");
    for (int r = 0; r < 4; r++) assert_int_equal(job.statuses[r], 1);
    const char *said = strstr(ran.err, "crosswind-mpi: ");
    assert_non_null(said);
    assert_null(strstr(said + 1, "crosswind-mpi: "));
    assert_non_null(strstr(said, " has not answered "));
    ran_free(&ran);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_compared),
        cmocka_unit_test(other_routes_are_refused),
        cmocka_unit_test(endpoints_have_several_ranks),
        cmocka_unit_test(collectives_have_a_function_of_mpi),
        cmocka_unit_test(data_go_as_is_predicted),
        cmocka_unit_test(a_fit_is_written),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_byte_that_is_wrong_is_named),
        cmocka_unit_test(a_rank_that_is_lost_ends_all),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
