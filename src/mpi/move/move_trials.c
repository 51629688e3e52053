#include "mpi/move/move_trials.h"

#include <limits.h>

#include "base/error.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "study/move/move_data.h"

#define PATIENT 3.  /* MPI_Alltoallv is given so many times the patience … */
#define SLOWER  50. /* … and of the time that the slowest took so far */

struct runner {
    const struct move_trials *trials;
    struct cw_move *move;
    struct cw_move_data data;
    MPI_Datatype unit;
    double slowest; /* s that any run took so far */
};

static uint32_t own_number(const struct move_trials *trials)
{
    for (uint32_t r = 0; r < trials->moves->n_ranks; r++)
        if (trials->seats[r] == trials->meeting->ranks->program.rank) return r;
    return CW_NONE;
}

static int begin(struct runner *runner)
{
    const struct move_trials *trials = runner->trials;
    const struct meeting *meeting = trials->meeting;
    const struct cw_move_setup setup = {.comm = meeting->ranks->comm,
                                        .moves = trials->moves,
                                        .ranks = trials->seats,
                                        .wait = meeting->wait,
                                        .patience = meeting->patience};
    int rc = cw_move_new(&setup, &runner->move);
    if (!rc)
        rc = cw_move_data_new(trials->moves, own_number(trials), trials->seats, meeting->ranks->program.n, INT_MAX,
                              &runner->data);
    if (rc) return rc;
    MPI_Type_contiguous((int)runner->data.unit, MPI_BYTE, &runner->unit);
    MPI_Type_commit(&runner->unit);
    return 0;
}

static int by_moves(struct runner *runner, double *seconds)
{
    const int rc = cw_move_run(runner->move, runner->data.demands, seconds);
    runner->trials->meeting->lost = rc != 0;
    runner->trials->meeting->found = rc && cw_move_found(runner->move);
    return rc;
}

/* Bounded by a time that depends on what others took. */
static int by_alltoallv(struct runner *runner, double *seconds)
{
    const struct meeting *meeting = runner->trials->meeting;
    const struct cw_move_side *sent = &runner->data.sent, *received = &runner->data.received;
    const double begin = cw_stopwatch_now();
    ranks_watch(meeting->ranks, "MPI_Alltoallv", PATIENT * meeting->patience + SLOWER * runner->slowest);
    const int code = MPI_Alltoallv(sent->buffer, sent->counts, sent->places, runner->unit, received->buffer,
                                   received->counts, received->places, runner->unit, meeting->ranks->comm);
    ranks_watch(meeting->ranks, NULL, 0);
    *seconds = cw_stopwatch_now() - begin;
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "MPI_Alltoallv has failed");
}

/* *SECONDS: those of the slowest rank. */
static int run_once(struct runner *runner, enum move_way way, uint64_t key, double *seconds)
{
    struct meeting *meeting = runner->trials->meeting;
    cw_move_data_fill(&runner->data, key);
    int rc = ranks_meet(meeting, 0, NULL);
    if (!rc) rc = way == MOVE_BY_MOVES ? by_moves(runner, seconds) : by_alltoallv(runner, seconds);
    if (meeting->lost) return rc;
    if (!rc) rc = cw_move_data_check(&runner->data, key);
    rc = ranks_meet(meeting, rc, seconds);
    if (!rc && *seconds > runner->slowest) runner->slowest = *seconds;
    return rc;
}

static int repeat(struct runner *runner, double *const times[MOVE_WAYS])
{
    const struct move_trials *trials = runner->trials;
    int rc = 0;
    for (size_t i = 0; i < trials->n + 1 && !rc; i++) {
        struct cw_random random = cw_random_of(trials->seed, CW_STREAM_PATTERN, i);
        const uint32_t first = cw_random_below(&random, MOVE_WAYS);
        for (uint32_t k = 0; k < MOVE_WAYS && !rc; k++) {
            const enum move_way way = (enum move_way)((first + k) % MOVE_WAYS);
            double seconds;
            if (way == MOVE_BY_ALLTOALLV && trials->alone) continue;
            rc = run_once(runner, way, cw_random_u64(&random), &seconds);
            if (!rc && i > 0) times[way][i - 1] = seconds;
        }
    }
    return rc;
}

int move_trials_run(const struct move_trials *trials, double *const times[MOVE_WAYS])
{
    struct runner runner = {.trials = trials, .unit = MPI_DATATYPE_NULL};
    int rc = ranks_meet(trials->meeting, begin(&runner), NULL);
    if (!rc) rc = repeat(&runner, times);
    if (trials->meeting->lost) return rc; /* what is still under way may write into the data */
    if (runner.unit != MPI_DATATYPE_NULL) MPI_Type_free(&runner.unit);
    cw_move_free(runner.move);
    cw_move_data_free(&runner.data);
    return rc;
}
