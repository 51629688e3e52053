#include "mpi/overlap/overlap_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "mpi/bench/bench_operation.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/together.h"
#include "nbc/nbc_settings.h"

#define SAMPLE   200000 /* rounds: a fraction of a millisecond, which is seldom disturbed */
#define SAMPLES  50
#define MEETING  2e-3 /* [s] in which all ranks hear of the moment */
#define SIZING   100  /* loops of collectives by which the computation is sized, at most … */
#define FEWEST   5    /* … and at least (2 where a choice need only be clear), if that takes … */
#define ENOUGH   1    /* … so many seconds, or this share of the time there is */
#define SHARE    0.2
#define LOOP     10e-3 /* [s] that a loop of computations takes, … */
#define SHORTEST 4     /* … but so many rounds at least … */
#define LONGEST  10    /* … and at most */

/* --- where ranks compute ------------------------------------------------------------------------------------------ */

void overlap_places_find(struct overlap_places *places)
{
    CPU_ZERO(&places->all);
    sched_getaffinity(0, sizeof places->all, &places->all);
    places->own = places->all;
}

/* The calling thread moves to its own cores, or to ALL. */
static void move_to_cores(const struct overlap_places *places, bool all)
{
    sched_setaffinity(0, sizeof places->all, all ? &places->all : &places->own);
}

void overlap_places_reset(struct overlap_places *places)
{
    places->own = places->all;
    move_to_cores(places, true);
}

void overlap_places_avoid(struct overlap_places *places, const cpu_set_t *cores)
{
    cpu_set_t both, left;
    CPU_AND(&both, &places->own, cores);
    CPU_XOR(&left, &places->own, &both);
    if (CPU_COUNT(&left) == 0) return;
    places->own = left;
    move_to_cores(places, false);
}

int overlap_places_avoid_given(struct overlap_places *places)
{
    cpu_set_t given;
    const char *cores = getenv("CROSSWIND_NBC_CORES");
    if (!cores || !*cores) return 0;
    int rc = cw_nbc_cores_parse("CROSSWIND_NBC_CORES", cores, &given);
    if (!rc) overlap_places_avoid(places, &given);
    return rc;
}

/* --- what they compute -------------------------------------------------------------------------------------------- */

/* Each round needs the one before, in registers alone: it takes no part of the memory's bandwidth. */
static void spin(uint64_t rounds)
{
    volatile uint64_t kept;
    uint64_t x = 88172645463325252u;
    while (rounds-- > 0) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    kept = x;
    (void)kept;
}

double overlap_calibrate(MPI_Comm comm)
{
    double least = INFINITY, rate;
    for (int i = 0; i < SAMPLES; i++) {
        const double begin = cw_stopwatch_now();
        spin(SAMPLE);
        least = fmin(least, cw_stopwatch_now() - begin);
    }
    rate = SAMPLE / least;
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MAX, comm);
    return rate;
}

/* Makes sleeps of the calling thread end within a microsecond or so of their time, instead of 50. */
static void be_punctual(void)
{
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* ns */
}

/* Computes as much as takes SECONDS with RATE rounds in a second. */
static void compute(enum cw_overlap_kind kind, double seconds, double rate)
{
    if (kind == CW_OVERLAP_CPU) {
        spin((uint64_t)(seconds * rate));
        return;
    }
    const struct timespec end = cw_stopwatch_time(cw_stopwatch_now() + seconds);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) continue;
}

/* --- carrying out ------------------------------------------------------------------------------------------------- */

/* What is under way. */
struct operation {
    MPI_Request native;
    cw_nbc_request ours;
};

/* The same call for the functions of communication cores. */
static struct cw_nbc_call call_of(const struct call *call)
{
    const enum cw_collective_kind collective = cw_collective_kind_of(call->operation);
    const bool sends = collective != CW_COLLECTIVE_BCAST;
    return (struct cw_nbc_call){.collective = collective,
                                .send = sends ? call->send : NULL,
                                .recv = call->receive,
                                .send_count = sends ? call->count : 0,
                                .recv_count = call->count,
                                .send_type = call->type,
                                .recv_type = call->type,
                                .op = call->combine,
                                .root = call->root,
                                .comm = call->comm};
}

/* Starts CALL, whose result is there after `finish`. A blocking one does all in that. 0 or an error. */
static int start(const struct cw_overlap_method *method, const struct call *call, struct operation *operation)
{
    if (method->blocking) return 0;
    if (method->of_mpi) {
        call_start(call, &operation->native);
        return 0;
    }
    nbc_job.settings.sharing = method->sharing; /* all ranks have the same turn */
    const struct cw_nbc_call ours = call_of(call);
    return cw_nbc_begin(&ours, NULL, &operation->ours);
}

static void test_and_yield(MPI_Request *request)
{
    int done;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) sched_yield();
}

static int finish(const struct cw_overlap_method *method, const struct call *call, struct operation *operation)
{
    if (method->blocking) return call_run(call);
    if (method->yields)
        test_and_yield(&operation->native);
    else if (method->of_mpi)
        MPI_Wait(&operation->native, MPI_STATUS_IGNORE);
    else
        return cw_nbc_wait(&operation->ours);
    return 0;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* What each rank tells the others after a method's turn. */
struct report {
    struct cw_overlap_times times;
    double wrong, late; /* 1 or 0: its result is wrong; its time is over, or somebody wants to end */
};

enum { REPORT = sizeof(struct report) / sizeof(double) };

struct run {
    const struct overlap_setup *setup;
    struct call call;
    size_t received;             /* bytes of the buffer into which ranks receive … */
    unsigned char *empty, *full; /* … as it is before the operation, and, once known, after it */
    bool known;
    int rounds;             /* of a loop */
    struct report *all;     /* [ranks] */
    enum cw_wait_mode mode; /* to wait for others before a measurement */
    double end;
};

/* All ranks begin together. Where they share processors, a barrier that spins would keep from coming whom it waits for:
 * there, they sleep until a moment that rank 0 names, which those of another host, with another clock, pass over.
 * *BEGUN is that moment, also for a rank that gets a processor later. */
static int meet(const struct run *run, double *begun)
{
    const MPI_Comm comm = run->setup->comm;
    if (run->mode == CW_WAIT_SPIN) {
        MPI_Barrier(comm);
        *begun = cw_stopwatch_now();
        return 0;
    }
    int rc = wait_for_others(run->mode, comm);
    double moment = cw_stopwatch_deadline(MEETING);
    MPI_Request request;
    MPI_Ibcast(&moment, 1, MPI_DOUBLE, 0, comm, &request);
    if (!rc) rc = wait_for(run->mode, &request);
    const double now = cw_stopwatch_now(), left = moment - now;
    *begun = now;
    if (rc || left <= 0 || left > MEETING) return rc;
    compute(CW_OVERLAP_ACCELERATOR, left, 0);
    *begun = moment;
    return 0;
}

/* What is in a buffer is looked at element by element once; then such pictures of it are compared, which is quick. */
static int picture(struct run *run)
{
    const struct call *call = &run->call;
    run->received = call_received(call);
    run->empty = cw_new_array(run->received, 1, "what ranks receive");
    run->full = cw_new_array(run->received, 1, "what ranks receive");
    if (!run->empty || !run->full) return CW_ENOMEM;
    call_fill(call);
    memcpy(run->empty, call->receive, run->received);
    return 0;
}

static void empty(const struct run *run)
{
    memcpy(run->call.receive, run->empty, run->received);
}

/* Whether what has arrived is right. */
static int verify(struct run *run)
{
    if (run->known && memcmp(run->call.receive, run->full, run->received) == 0) return 0;
    int rc = call_verify(&run->call);
    run->known = !rc;
    if (!rc) memcpy(run->full, run->call.receive, run->received);
    return rc;
}

static int begin(const struct overlap_setup *setup, struct run *run)
{
    *run = (struct run){.setup = setup, .end = INFINITY};
    int rc = call_new(setup->operation, setup->bytes, 0, setup->comm, CW_WAIT_SPIN, &run->call);
    if (!rc) rc = picture(run);
    run->mode = cw_wait_choose(setup->comm);
    be_punctual();
    if (rc) return rc;
    run->rounds = (int)fmax(SHORTEST, fmin(LONGEST, LOOP / fmax(setup->seconds, LOOP / LONGEST)));
    run->all = cw_new_array((size_t)run->call.n, sizeof *run->all, "times of ranks");
    return run->all ? 0 : CW_ENOMEM;
}

static void end(struct run *run)
{
    call_free(&run->call);
    free(run->empty);
    free(run->full);
    free(run->all);
}

/* What a round of a loop takes in the mean. */
struct round {
    double whole, init, within; /* of the whole: the call, the computation */
};

/* A loop of collectives, each with what takes SECONDS in its middle. The first two rounds do not count: in the first
 * the root waits for whoever begins late, in the second the others for the root. */
static int take(struct run *run, const struct cw_overlap_method *method, double seconds, struct round *out)
{
    struct operation operation;
    double calls = 0, computations = 0, begun = 0;
    empty(run);
    int rc = meet(run, &begun);
    if (rc) return rc;
    for (int i = -2; i < run->rounds && !rc; i++) {
        const double before = cw_stopwatch_now();
        if (i == 0) begun = before;
        rc = start(method, &run->call, &operation);
        const double called = cw_stopwatch_now();
        if (seconds > 0) compute(run->setup->kind, seconds, run->setup->rate);
        const double computed = cw_stopwatch_now();
        if (!rc) rc = finish(method, &run->call, &operation);
        if (i < 0) continue;
        calls += called - before;
        computations += computed - called;
    }
    const double whole = cw_stopwatch_now() - begun;
    *out = (struct round){whole / run->rounds, calls / run->rounds, computations / run->rounds};
    return rc ? rc : verify(run);
}

static int compute_alone(const struct run *run, double *seconds)
{
    double begun;
    const int rc = meet(run, &begun);
    for (int i = 0; i < run->rounds; i++) compute(run->setup->kind, run->setup->seconds, run->setup->rate);
    *seconds = (cw_stopwatch_now() - begun) / run->rounds;
    return rc;
}

/* Whoever is done must not poll while others are being measured on the same processors. */
static int tell(const struct run *run, const struct report *mine)
{
    MPI_Request request;
    MPI_Iallgather(mine, REPORT, MPI_DOUBLE, run->all, REPORT, MPI_DOUBLE, run->setup->comm, &request);
    return wait_for(run->mode, &request);
}

/* One method's turn. RC of one rank becomes that of all; *LATE: there is no other turn. */
static int take_turn(struct run *run, const struct cw_overlap_method *method, struct cw_overlap_sample *sample,
                     bool *late)
{
    struct report mine = {0};
    struct round pure = {0}, both = {0};
    move_to_cores(&run->setup->places, method->all_cores);
    const int first = take(run, method, 0, &pure);
    const int second = compute_alone(run, &mine.times.compute);
    const int third = take(run, method, run->setup->seconds, &both);
    int rc = first ? first : second ? second : third;
    if (rc == CW_EINTERNAL) cw_fail(rc, "method %s: %s", method->name, cw_error_message());
    mine.times.pure = pure.whole;
    mine.times.total = both.whole;
    mine.times.init = both.init;
    mine.times.within = both.within;
    mine.wrong = rc != 0;
    mine.late = cw_interrupted() || cw_stopwatch_now() > run->end;
    const int told = tell(run, &mine);
    bool wrong = false;
    *sample = (struct cw_overlap_sample){.imb = 0};
    for (int rank = 0; rank < run->call.n; rank++) {
        const struct report *report = &run->all[rank];
        cw_overlap_sample_add(sample, &report->times);
        *late |= report->late > 0;
        wrong |= report->wrong > 0;
    }
    return told || !wrong ? told : ranks_agree_in(run->setup->comm, rc);
}

static int take_turns(struct run *run, struct cw_overlap_sample *items, bool *late)
{
    const struct cw_overlap_methods *methods = run->setup->methods;
    int rc = 0;
    for (size_t m = 0; !rc && m < methods->n; m++) rc = take_turn(run, &methods->items[m], &items[m], late);
    return rc;
}

/* The first repetition does not count, unless there is no time for another. */
static int repeat(struct run *run, struct cw_overlap_samples *samples)
{
    const struct overlap_setup *setup = run->setup;
    bool late = false;
    run->end = cw_stopwatch_deadline(setup->time);
    int rc = take_turns(run, samples->items, &late);
    if (late) samples->n = 1;
    while (!rc && samples->n < setup->repetitions && !late) {
        rc = take_turns(run, samples->items + samples->n * setup->methods->n, &late);
        if (!rc) samples->n++;
        if (!rc && setup->enough && setup->enough(samples, setup->methods->n)) break;
    }
    return rc;
}

int overlap_run(const struct overlap_setup *setup, struct cw_overlap_samples *out)
{
    struct run run;
    struct cw_overlap_samples samples = {0};
    int rc = begin(setup, &run);
    samples.items = cw_new_array(setup->repetitions * setup->methods->n, sizeof *samples.items, "samples");
    if (!rc && !samples.items) rc = CW_ENOMEM;
    rc = ranks_agree_in(setup->comm, rc);
    if (!rc) rc = repeat(&run, &samples);
    move_to_cores(&setup->places, false);
    end(&run);
    if (rc)
        cw_overlap_samples_free(&samples);
    else
        *out = samples;
    return rc;
}

/* One loop of each method. Ranks sleep as long after it, as they do between loops that are measured: who never sleeps
 * is the first to wait where others use the processors, too. All ranks get the same TIMES, of the slowest, and the same
 * end. */
static int take_alone(struct run *run, double times[])
{
    const struct cw_overlap_methods *methods = run->setup->methods;
    double said[CW_OVERLAP_METHODS + 1] = {0};
    int rc = 0;
    for (size_t m = 0; m < methods->n; m++) {
        struct round round = {0};
        move_to_cores(&run->setup->places, methods->items[m].all_cores);
        const int taken = take(run, &methods->items[m], 0, &round);
        if (!rc) rc = taken;
        said[m] = round.whole;
        compute(CW_OVERLAP_ACCELERATOR, round.whole * run->rounds, 0);
    }
    MPI_Request request;
    said[methods->n] = rc != 0;
    MPI_Iallreduce(MPI_IN_PLACE, said, (int)methods->n + 1, MPI_DOUBLE, MPI_MAX, run->setup->comm, &request);
    const int told = wait_for(run->mode, &request);
    memcpy(times, said, methods->n * sizeof *times);
    return told || said[methods->n] == 0 ? told : ranks_agree_in(run->setup->comm, rc);
}

int overlap_alone(const struct overlap_setup *setup, double seconds[])
{
    struct run run;
    double last[CW_OVERLAP_METHODS], spent = 0;
    const size_t methods = setup->methods->n;
    int rc = ranks_agree_in(setup->comm, begin(setup, &run));
    const int fewest = setup->enough ? 2 : FEWEST;
    const double enough = setup->time > 0 ? fmin(ENOUGH, SHARE * setup->time) : ENOUGH;
    if (!rc) rc = take_alone(&run, last); /* to warm up */
    for (size_t m = 0; m < methods; m++) seconds[m] = INFINITY;
    for (int n = 0; !rc && n < SIZING && (n < fewest || spent < enough); n++) {
        rc = take_alone(&run, last);
        for (size_t m = 0; m < methods; m++) {
            seconds[m] = fmin(seconds[m], last[m]);
            spent += 2 * last[m] * run.rounds;
        }
    }
    move_to_cores(&setup->places, false);
    end(&run);
    return rc;
}
