#include "mpi/rank_executor.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "base/trials.h"
#include "base/units.h"
#include "mpi/locks.h"
#include "study/trial_queue.h"

#define AT_ONCE ((size_t)1 << 16) /* elements that MPI is given at a time */

/* --- one call of the executor ------------------------------------------------------------------------------------- */

enum { ASK, GIVE, TELL };

/* What a rank says when it wants trials. */
struct request {
    uint64_t wanted;
    uint64_t done;   /* trials it has run since it asked last */
    uint64_t failed; /* it will run no more */
};

/* One call of the executor. */
struct loop {
    struct rank_executor *executor;
    const struct cw_trials *trials;
    void *outcomes;
    struct cw_tally *tally;
    struct cw_trial_queue queue;
    size_t told; /* trials that rank 0 knows to be done */
    bool closed; /* this rank gets no more */
    pthread_t runner;
    /* Of rank 0: */
    size_t next;  /* the first that was not handed out */
    bool stopped; /* no more are handed out */
    int open;     /* other ranks that may still ask, */
    int talking;  /* … or tell */
    int rc_told;  /* of what they told */
    /* What came of this rank's share: */
    int rc;
    size_t failed; /* its trial; others than trials: a number beyond them */
    char *message;
};

/* --- handing out -------------------------------------------------------------------------------------------------- */

static struct cw_trial_block answer(struct loop *loop, const struct request *request)
{
    if (request->failed) loop->stopped = true;
    if (loop->stopped) return (struct cw_trial_block){0};
    return cw_trial_block_next(loop->trials->n, loop->executor->ranks->program.n, request->wanted, &loop->next);
}

/* Rank 0 answers one of the others. False: none has asked. */
static bool serve(struct loop *loop)
{
    const MPI_Comm comm = loop->executor->comm;
    int asked;
    MPI_Status status;
    struct request request;
    if (loop->open == 0) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, ASK, comm, &asked, &status);
    if (!asked) return false;
    MPI_Recv(&request, sizeof request, MPI_BYTE, status.MPI_SOURCE, ASK, comm, MPI_STATUS_IGNORE);
    cw_progress_step(loop->trials->progress, request.done);
    const struct cw_trial_block block = answer(loop, &request);
    if (block.first == block.end) loop->open--;
    MPI_Send(&block, sizeof block, MPI_BYTE, status.MPI_SOURCE, GIVE, comm);
    return true;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static int tell_rank_0(const struct cw_executor *base, const char *bytes, size_t length)
{
    struct rank_executor *executor = (struct rank_executor *)(uintptr_t)base;
    if (length > sizeof executor->heard)
        return cw_fail(CW_ELIMIT, "a trial tells rank 0 %zu bytes, which hears %zu at most", length,
                       sizeof executor->heard);
    lock_take(&executor->lock);
    cw_text_append(&executor->untold, (const char *)&length, sizeof length);
    cw_text_append(&executor->untold, bytes, length);
    const int rc = cw_text_check(&executor->untold);
    lock_give(&executor->lock);
    return rc;
}

/* Sends what there is to tell, and, if it is the LAST, a message of nothing. */
static void send_untold(struct loop *loop, bool last)
{
    struct rank_executor *executor = loop->executor;
    size_t at = 0, length;
    if (!loop->trials->told) return;
    lock_take(&executor->lock);
    struct cw_text text = executor->untold;
    executor->untold = (struct cw_text){0};
    lock_give(&executor->lock);
    for (; text.length - at > sizeof length; at += length) {
        memcpy(&length, text.data + at, sizeof length);
        at += sizeof length;
        if (length > text.length - at) break; /* there was no memory for it, and its trial has failed */
        MPI_Send(text.data + at, (int)length, MPI_BYTE, 0, TELL, executor->comm);
    }
    if (last) MPI_Send(NULL, 0, MPI_BYTE, 0, TELL, executor->comm);
    cw_text_free(&text);
}

/* Rank 0 hears what one of the others tells. False: none does. */
static bool hear(struct loop *loop)
{
    struct rank_executor *executor = loop->executor;
    int told, length;
    MPI_Status status;
    if (loop->talking == 0) return false;
    MPI_Iprobe(MPI_ANY_SOURCE, TELL, executor->comm, &told, &status);
    if (!told) return false;
    MPI_Recv(executor->heard, sizeof executor->heard, MPI_BYTE, status.MPI_SOURCE, TELL, executor->comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    if (length == 0)
        loop->talking--;
    else if (!loop->rc_told)
        loop->rc_told = loop->trials->told(loop->trials->context, executor->heard, (size_t)length);
    return true;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static void take_block(struct loop *loop, struct cw_trial_block block)
{
    loop->closed = block.first == block.end;
    if (loop->closed)
        cw_trial_queue_close(&loop->queue);
    else
        cw_trial_queue_put(&loop->queue, block);
}

/* What to ask for next: trials, or none because this rank's have failed. False: nothing. */
static bool make_request(struct loop *loop, struct request *request)
{
    const bool finished = cw_trial_queue_finished(&loop->queue);
    const size_t done = cw_trial_queue_done(&loop->queue);
    *request = (struct request){cw_trial_queue_wants(&loop->queue), done - loop->told, finished};
    if (loop->closed || (request->wanted == 0 && !finished)) return false;
    loop->told = done;
    return true;
}

/* --- the thread that talks ---------------------------------------------------------------------------------------- */

static const double SOON = 5e-5, LATER = 1e-3, SELDOM = 0.1; /* to look again, in seconds */

static void lead(struct loop *loop)
{
    double pause = SOON;
    while (!loop->closed || !cw_trial_queue_finished(&loop->queue) || loop->open > 0 || loop->talking > 0) {
        struct request request;
        bool busy = serve(loop);
        busy |= hear(loop);
        if (make_request(loop, &request)) {
            take_block(loop, answer(loop, &request));
            busy = true;
        }
        pause = busy ? SOON : fmin(2 * pause, LATER);
        if (!busy) cw_trial_queue_wait(&loop->queue, pause);
    }
}

/* The block that was asked for. */
static struct cw_trial_block receive(struct loop *loop)
{
    struct cw_trial_block block;
    MPI_Request receiving;
    MPI_Irecv(&block, sizeof block, MPI_BYTE, 0, GIVE, loop->executor->comm, &receiving);
    ranks_rest(&receiving);
    return block;
}

static void follow(struct loop *loop)
{
    while (!loop->closed || !cw_trial_queue_finished(&loop->queue)) {
        struct request request;
        send_untold(loop, false);
        if (make_request(loop, &request)) {
            MPI_Send(&request, sizeof request, MPI_BYTE, 0, ASK, loop->executor->comm);
            take_block(loop, receive(loop));
        } else {
            cw_trial_queue_wait(&loop->queue, SELDOM);
        }
    }
    send_untold(loop, true);
}

/* --- the threads that compute ------------------------------------------------------------------------------------- */

static void *run_share(void *context)
{
    struct loop *loop = context;
    loop->rc = cw_trials_run_here(loop->trials, &loop->queue.handout, loop->outcomes, loop->tally, &loop->failed);
    if (loop->rc) loop->message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    cw_trial_queue_finish(&loop->queue);
    return NULL;
}

/* A rank without a thread to compute leaves the trials to others, and fails in the end. */
static void run_loop(struct loop *loop)
{
    const int rank = (int)loop->executor->ranks->program.rank;
    const bool runs = pthread_create(&loop->runner, NULL, run_share, loop) == 0;
    if (!runs) {
        loop->rc = cw_fail(CW_ENOMEM, "no thread for trials");
        loop->failed = loop->trials->n;
        cw_trial_queue_finish(&loop->queue);
    }
    if (rank == 0)
        lead(loop);
    else
        follow(loop);
    if (runs) pthread_join(loop->runner, NULL);
    if (runs && loop->rc) cw_fail(loop->rc, "%s", loop->message ? loop->message : "out of memory for a message");
    free(loop->message);
}

/* --- putting together --------------------------------------------------------------------------------------------- */

/* OP of what all ranks have in the N elements of DATA, each of BYTES; in parts, as MPI counts by int. */
static void unite(const struct loop *loop, void *data, size_t n, size_t bytes, MPI_Datatype type, MPI_Op op)
{
    for (size_t at = 0; at < n; at += AT_ONCE)
        MPI_Allreduce(MPI_IN_PLACE, (char *)data + at * bytes, (int)(n - at < AT_ONCE ? n - at : AT_ONCE), type, op,
                      loop->executor->comm);
}

/* Each outcome is in one rank, and zeros in all others. */
static void share_outcomes(const struct loop *loop)
{
    unite(loop, loop->outcomes, loop->trials->n * loop->trials->outcome_size, 1, MPI_BYTE, MPI_BOR);
}

static int share_counts(struct loop *loop, struct cw_counts *counts)
{
    uint64_t n = counts->n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_MAX, loop->executor->comm);
    const int rc = ranks_agree(loop->executor->ranks, cw_counts_reserve(counts, n));
    if (!rc) unite(loop, counts->items, n, sizeof *counts->items, MPI_UINT64_T, MPI_SUM);
    return rc;
}

/* All ranks that ran trials have as many maxima, of which none is below 0. */
static int share_maxima(struct loop *loop, struct cw_tally *tally)
{
    uint64_t n = tally->n_maxima;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_MAX, loop->executor->comm);
    const int rc =
        ranks_agree(loop->executor->ranks, n > 0 && !tally->maxima ? cw_tally_new_maxima(tally, (size_t)n) : 0);
    if (!rc) unite(loop, tally->maxima, n, sizeof *tally->maxima, MPI_DOUBLE, MPI_MAX);
    return rc;
}

static int share_tally(struct loop *loop)
{
    int rc = 0;
    for (size_t k = 0; !rc && k < CW_TALLY_COUNTS; k++) rc = share_counts(loop, &loop->tally->counts[k]);
    return rc ? rc : share_maxima(loop, loop->tally);
}

/* The error of the lowest trial that failed, as its rank has it; else one that is a rank's own. */
static int share_error(struct loop *loop)
{
    struct ranks *ranks = loop->executor->ranks;
    const uint64_t n = loop->trials->n, mine = loop->rc ? loop->failed : n;
    uint64_t lowest;
    MPI_Allreduce(&mine, &lowest, 1, MPI_UINT64_T, MPI_MIN, loop->executor->comm);
    return lowest < n ? ranks_pass_on(ranks, mine == lowest ? loop->rc : 0) : ranks_agree(ranks, loop->rc);
}

static int run(const struct cw_executor *base, const struct cw_trials *trials, void *outcomes, struct cw_tally *tally)
{
    struct rank_executor *executor = (struct rank_executor *)(uintptr_t)base;
    struct ranks *ranks = executor->ranks;
    /* A rank that has failed before does not come: it is here that the others hear of it. */
    int rc = ranks_agree(ranks, 0);
    if (rc) return rc;
    const double begun = cw_stopwatch_now();
    struct loop loop = {.executor = executor,
                        .trials = trials,
                        .outcomes = outcomes,
                        .tally = tally,
                        .open = ranks->program.rank == 0 ? (int)ranks->program.n - 1 : 0};
    loop.talking = trials->told ? loop.open : 0;
    cw_trial_queue_begin(&loop.queue, cw_parallel_threads(trials->n_threads, trials->n));
    run_loop(&loop);
    MPI_Request all;
    MPI_Ibarrier(executor->comm, &all);
    ranks_rest(&all);
    share_outcomes(&loop);
    if (!loop.rc) loop.rc = loop.rc_told;
    rc = share_error(&loop);
    if (!rc && trials->tally) rc = share_tally(&loop);
    executor->own += cw_trial_queue_done(&loop.queue);
    executor->trials += trials->n;
    executor->seconds += cw_stopwatch_now() - begun;
    cw_trial_queue_end(&loop.queue);
    return rc;
}

static int share(const struct cw_executor *base, void *bytes, size_t length)
{
    const struct rank_executor *executor = (const void *)base;
    const int rc = ranks_agree(executor->ranks, 0); /* as in `run` */
    for (size_t at = 0; !rc && at < length; at += AT_ONCE)
        MPI_Bcast((char *)bytes + at, (int)(length - at < AT_ONCE ? length - at : AT_ONCE), MPI_BYTE, 0,
                  executor->comm);
    return rc;
}

static void tell(const struct program_ranks *program)
{
    const struct rank_executor *executor = (const void *)program->executor;
    uint64_t least, most;
    char time[32];
    if (executor->trials == 0) return;
    MPI_Reduce(&executor->own, &least, 1, MPI_UINT64_T, MPI_MIN, 0, executor->comm);
    MPI_Reduce(&executor->own, &most, 1, MPI_UINT64_T, MPI_MAX, 0, executor->comm);
    if (program->rank > 0) return;
    fprintf(stderr, "%s: %u rank%s ran %llu trials in %s, %.4g a second; each rank %llu to %llu\n", program_name,
            program->n, cw_plural(program->n), (unsigned long long)executor->trials,
            cw_format_time(executor->seconds, time, sizeof time), (double)executor->trials / executor->seconds,
            (unsigned long long)least, (unsigned long long)most);
}

int rank_executor_begin(struct rank_executor *executor, struct ranks *ranks)
{
    *executor = (struct rank_executor){
        .executor = {.run = run, .tell = ranks->program.rank > 0 ? tell_rank_0 : NULL, .share = share},
        .ranks = ranks,
        .lock = CW_LOCK};
    if (MPI_Comm_dup(ranks->comm, &executor->comm) != MPI_SUCCESS) return cw_fail(CW_EIO, "MPI cannot copy its world");
    ranks->program.executor = &executor->executor;
    ranks->program.tell = tell;
    return 0;
}

void rank_executor_end(struct rank_executor *executor)
{
    MPI_Comm_free(&executor->comm);
    cw_text_free(&executor->untold);
    pthread_mutex_destroy(&executor->lock);
}
