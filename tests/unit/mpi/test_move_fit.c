/* What is measured to fit a transport (mpi/move/move_fit.c): the times are made up, of a machine that is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/error.h"
#include "mpi/move/move_fit.h"
#include "net/network_internal.h"

enum { CHUNK = 1000, CREDITS = 3, REPEATS = 5, SLOWER = 2 };

static double capacities[] = {4e6, 1e6, 5e5, 2e6};
static const double begin = 0.5, overhead = 1e-3, efficiency = 0.5, copy = 1e5, latency = 2e-2;

/* The machine: a chunk takes so long, and at a relay longer; whatever is sent has a beginning. */
static struct {
    struct cw_moves line; /* under way */
    void *data;
    int runs, fails_at; /* so far; the number of the run that fails, or 0 */
    int open;
} machine;

/* The slowest rank takes twice as long as this one. */
int ranks_meet(struct meeting *meeting, int rc, double *most)
{
    assert_false(meeting->lost);
    if (!rc && most) *most *= SLOWER;
    return rc;
}

int cw_move_new(const struct cw_move_setup *setup, struct cw_move **out)
{
    static const uint32_t seats[] = {5, 1, 7};
    machine.line = *setup->moves;
    for (uint32_t r = 0; r < machine.line.n_ranks; r++) assert_int_equal(setup->ranks[r], seats[r]);
    machine.open++;
    *out = (struct cw_move *)&machine;
    return 0;
}

void cw_move_free(struct cw_move *move)
{
    assert_ptr_equal(move, &machine);
    machine.open--;
}

bool cw_move_found(const struct cw_move *move)
{
    assert_ptr_equal(move, &machine);
    return true;
}

int cw_move_run(struct cw_move *move, void *const *data, double *seconds)
{
    static const double scattered[REPEATS] = {9, 0, -9, 2, -2};
    const struct cw_moves *line = &machine.line;
    const size_t n_steps = line->first_step[line->n_ranks];
    const uint64_t bytes = line->demands[0].bytes, chunk = line->chunk_bytes, n = (bytes + chunk - 1) / chunk;
    const bool relayed = n_steps == 3;
    assert_true(n == 1 ? chunk == 8 : n == 16 || n == 48);
    const double leg = relayed ? capacities[2] : capacities[1]; /* of its slowest channel */
    const int run = machine.runs++;
    (void)move;
    assert_int_equal(line->n_demands, 1);
    assert_int_equal(line->demands[0].src, 1);
    assert_int_equal(line->demands[0].dst, relayed ? 2 : 0);
    machine.data = memset(data[0], 1, bytes); /* which there must be room for */
    if (machine.runs == machine.fails_at) return cw_fail(CW_EIO, "as it should");
    const double period = overhead + (double)chunk / (efficiency * leg) + (relayed ? (double)chunk / copy : 0);
    *seconds = begin + (double)n * period + (relayed ? overhead + latency - (double)chunk / copy : 0) +
               0.1 * scattered[(run + run / REPEATS) % REPEATS];
    return 0;
}

/* Rank 1 sends rank 2 over two channels to the relay, rank 0, and over two others from there. */
static struct cw_step steps[] = {
    {.kind = CW_STEP_FORWARD, .bytes = CHUNK, .from = 1, .to = 2, .way = CW_NONE, .first_channel = 2, .n_channels = 2},
    {.kind = CW_STEP_SEND,
     .bytes = CHUNK,
     .from = CW_NONE,
     .to = 0,
     .way = CW_NONE,
     .first_channel = 0,
     .n_channels = 2},
    {.kind = CW_STEP_RECEIVE, .bytes = CHUNK, .from = 0, .to = CW_NONE, .way = CW_NONE},
};

/* With chunks of SIZE bytes. */
static int fit(uint64_t size, struct meeting *meeting, uint32_t way[3], struct cw_transport *out)
{
    static char name[] = "a rank";
    static const uint32_t seats[] = {5, 4, 1, 2, 7, 8}; /* two ranks each, of which the first measures */
    const struct cw_network net = {.capacity = capacities};
    const struct cw_moves moves = {.chunk_bytes = size,
                                   .credits = CREDITS,
                                   .demands = (struct cw_moves_demand[]){{1, 2, CHUNK}},
                                   .n_demands = 1,
                                   .n_ranks = 3,
                                   .n_streams = 1,
                                   .endpoints = (uint32_t[]){0, 1, 2},
                                   .names = (char *[]){name, name, name},
                                   .first_step = (size_t[]){0, 1, 2, 3},
                                   .steps = steps,
                                   .channels = (uint32_t[]){0, 1, 2, 3},
                                   .n_channels = 4};
    struct ranks ranks = {.program.rank = 0};
    meeting->ranks = &ranks;
    return move_fit_run(
        &(struct move_fit){.meeting = meeting, .moves = &moves, .seats = seats, .ranks_each = 2, .net = &net}, way,
        out);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-3 * expected) fail_msg("%g, expected %g", value, expected);
}

static void the_machine_is_found(void **state)
{
    struct meeting meeting = {.patience = 1};
    struct cw_transport found;
    uint32_t way[3];
    (void)state;
    memset(&machine, 0, sizeof machine);
    assert_int_equal(fit(CHUNK, &meeting, way, &found), 0);
    assert_true(way[0] == 1 && way[1] == 0 && way[2] == 2);
    assert_int_equal(found.credits, CREDITS);
    assert_int_equal(found.chunk_bytes, CHUNK);
    assert_near(found.chunk_overhead, SLOWER * overhead);
    assert_near(found.efficiency, efficiency / SLOWER);
    assert_near(found.copy, copy / SLOWER);
    assert_near(found.hop_latency, SLOWER * latency);
    assert_int_equal(machine.open, 0);
    assert_int_equal(machine.runs, 8 * REPEATS);
}

static void a_run_that_fails_ends_it(void **state)
{
    (void)state;
    for (int i = 1; i <= 8 * REPEATS; i += 13) {
        struct meeting meeting = {.patience = 1};
        struct cw_transport found;
        uint32_t way[3];
        memset(&machine, 0, sizeof machine);
        machine.fails_at = i;
        assert_int_equal(fit(CHUNK, &meeting, way, &found), CW_EIO);
        assert_true(meeting.lost && meeting.found && machine.open == 1 && machine.runs == i);
        free(machine.data);
        cw_moves_free(&machine.line);
    }
}

static void what_cannot_be_measured_is_refused(void **state)
{
    struct meeting meeting = {.patience = 1};
    struct cw_transport found;
    uint32_t way[3];
    (void)state;
    memset(&machine, 0, sizeof machine);
    assert_int_equal(fit(3, &meeting, way, &found), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "chunks of 3 bytes; expected at least 4 to measure what they cost");
    steps[0].kind = CW_STEP_SEND;
    assert_int_equal(fit(CHUNK, &meeting, way, &found), CW_EUSAGE);
    steps[0].kind = CW_STEP_FORWARD;
    assert_string_equal(cw_error_message(), "these moves relay nothing, so that nothing of it can be measured");
    assert_int_equal(machine.runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_is_found),
        cmocka_unit_test(a_run_that_fails_ends_it),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
