#include "mpi/move/move_trials.h"

#include <limits.h>

#include "base/error.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "mpi/move/move_watchdog.h"
#include "study/move/move_data.h"

struct runner {
    const struct move_trials *trials;
    struct cw_move *move;
    struct cw_move_data data;
    MPI_Datatype unit;
    double slowest; /* s that any run took so far */
    bool lost, found;
};

static uint32_t own_number(const struct move_trials *trials)
{
    int rank;
    MPI_Comm_rank(trials->comm, &rank);
    for (uint32_t r = 0; r < trials->moves->n_ranks; r++)
        if (trials->seats[r] == (uint32_t)rank) return r;
    return CW_NONE;
}

static int begin(struct runner *runner)
{
    const struct move_trials *trials = runner->trials;
    const struct cw_move_setup setup = {.comm = trials->comm,
                                        .moves = trials->moves,
                                        .ranks = trials->seats,
                                        .wait = trials->wait,
                                        .patience = trials->patience};
    int n, rc = cw_move_new(&setup, &runner->move);
    MPI_Comm_size(trials->comm, &n);
    if (!rc)
        rc = cw_move_data_new(trials->moves, own_number(trials), trials->seats, (uint32_t)n, INT_MAX, &runner->data);
    if (rc) return rc;
    MPI_Type_contiguous((int)runner->data.unit, MPI_BYTE, &runner->unit);
    MPI_Type_commit(&runner->unit);
    return 0;
}

static int by_alltoallv(struct runner *runner, double *seconds)
{
    const struct cw_move_side *sent = &runner->data.sent, *received = &runner->data.received;
    const double begin = cw_stopwatch_now();
    const int code = MPI_Alltoallv(sent->buffer, sent->counts, sent->places, runner->unit, received->buffer,
                                   received->counts, received->places, runner->unit, runner->trials->comm);
    *seconds = cw_stopwatch_now() - begin;
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "MPI_Alltoallv has failed");
}

/* *SECONDS: those of the slowest rank. */
static int run_once(struct runner *runner, enum move_way way, uint64_t key, double *seconds)
{
    double own = 0;
    cw_move_data_fill(&runner->data, key);
    move_watch("MPI_Alltoallv", runner->trials->comm, runner->trials->patience + 20 * runner->slowest);
    MPI_Barrier(runner->trials->comm);
    int rc = 0;
    if (way == MOVE_BY_MOVES) {
        move_watch_end();
        rc = cw_move_run(runner->move, runner->data.demands, &own);
        runner->lost = rc != 0;
        runner->found = rc && cw_move_found(runner->move);
        if (rc) return rc;
        move_watch("MPI_Allreduce", runner->trials->comm, runner->trials->patience + 20 * runner->slowest);
    } else {
        rc = by_alltoallv(runner, &own);
    }
    if (!rc) rc = cw_move_data_check(&runner->data, key);
    int failed = rc != 0, any;
    MPI_Allreduce(&own, seconds, 1, MPI_DOUBLE, MPI_MAX, runner->trials->comm);
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, runner->trials->comm);
    move_watch_end();
    if (*seconds > runner->slowest) runner->slowest = *seconds;
    return rc ? rc : any ? cw_fail(CW_EIO, "data did not arrive at another rank") : 0;
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
            rc = run_once(runner, way, cw_random_u64(&random), &seconds);
            if (!rc && i > 0) times[way][i - 1] = seconds;
        }
    }
    return rc;
}

int move_trials_run(const struct move_trials *trials, double *const times[MOVE_WAYS], bool *lost, bool *found)
{
    struct runner runner = {.trials = trials, .unit = MPI_DATATYPE_NULL};
    int rc = begin(&runner);
    if (!rc) rc = repeat(&runner, times);
    *lost = runner.lost;
    *found = runner.found;
    if (runner.lost) return rc; /* what is still under way may write into the data */
    if (runner.unit != MPI_DATATYPE_NULL) MPI_Type_free(&runner.unit);
    cw_move_free(runner.move);
    cw_move_data_free(&runner.data);
    return rc;
}
