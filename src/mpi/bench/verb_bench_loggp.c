/* crosswind-mpi bench loggp: the LogGP parameters of the network between two ranks, measured. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "cli/verb.h"
#include "mpi/bench/bench_sites.h"
#include "mpi/together.h"
#include "study/bench/loggp.h"

#define WARM_UP 5 /* round trips, for connections */
#define REPEATS 9 /* of small messages in a round */
#define ENOUGH  6 /* rounds of which a median has a confidence interval */

struct loggp_options {
    struct cw_ints pair;
    struct cw_sizes bytes;
    int64_t messages, rounds;
    double time;
    int wait;
};

static const struct cw_option options[] = {
    {.name = "pair",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct loggp_options, pair),
     .value_name = "A,B",
     .min = 0,
     .max = 1e9,
     .help = "the two ranks; by default 0 and the first one on another host"},
    {.name = "bytes",
     .type = CW_OPTION_SIZES,
     .offset = offsetof(struct loggp_options, bytes),
     .value_name = "SIZE,SIZE[,...]",
     .default_text = "64KiB,128KiB,256KiB,512KiB,1MiB",
     .min = 1,
     .max = 0x1p30,
     .help = "large messages, by which G is fitted"},
    {.name = "messages",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct loggp_options, messages),
     .value_name = "N",
     .default_text = "10",
     .min = 2,
     .max = 1000,
     .help = "messages in a row, n of PRTT(n, d, s)"},
    {.name = "rounds",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct loggp_options, rounds),
     .value_name = "N",
     .default_text = "100",
     .min = 1,
     .max = 1e6,
     .help = "measurements of all parameters, at most"},
    {.name = "time",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct loggp_options, time),
     .default_text = "10s",
     .min = 0,
     .max = 1e6,
     .help = "begin no round after that, but six at least; 0: no limit"},
    {.name = "wait",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct loggp_options, wait),
     .default_text = "auto",
     .choices = wait_choices,
     .help = "how ranks wait for messages; auto: sleep where ranks share processors, else spin"},
    {.name = NULL},
};

struct loggp {
    const struct loggp_options *values;
    struct ranks *ranks;
    struct bench_sites sites;
    int pair[2];
    enum cw_wait_mode mode;
    double delay;
    size_t width, n; /* times of a round; rounds */
    double *times;   /* [n][width], as struct cw_loggp_rounds has them */
};

static int choose_pair(struct loggp *loggp)
{
    const struct cw_ints *pair = &loggp->values->pair;
    const unsigned n = loggp->ranks->program.n;
    if (n < 2) return cw_fail(CW_EUSAGE, "bench loggp needs two ranks, but there is one");
    if (pair->n == 0) {
        int other = 1;
        for (int r = (int)n - 1; r > 0; r--)
            if (loggp->sites.host_of[r] != loggp->sites.host_of[0]) other = r;
        loggp->pair[0] = 0;
        loggp->pair[1] = other;
        return 0;
    }
    if (pair->n != 2 || pair->values[0] == pair->values[1])
        return cw_fail(CW_EUSAGE, "--pair: expected two different ranks, such as 0,1");
    for (int i = 0; i < 2; i++) {
        if (pair->values[i] >= n)
            return cw_fail(CW_EUSAGE, "--pair: there is no rank %lld; the last one is %u", (long long)pair->values[i],
                           n - 1);
        loggp->pair[i] = (int)pair->values[i];
    }
    return 0;
}

static int check_sizes(const struct cw_sizes *bytes)
{
    for (size_t i = 1; i < bytes->n; i++)
        if (bytes->values[i] != bytes->values[0]) return 0;
    return cw_fail(CW_EUSAGE, "--bytes: expected two different sizes or more, of which G is the slope");
}

static int prepare(struct loggp *loggp)
{
    const struct loggp_options *values = loggp->values;
    int rc = check_sizes(&values->bytes);
    if (!rc) rc = choose_pair(loggp);
    if (rc) return rc;
    loggp->mode = wait_chosen(values->wait, loggp->ranks->comm);
    loggp->width = cw_loggp_width(values->bytes.n);
    loggp->times = cw_new_array(loggp->width * (size_t)values->rounds, sizeof *loggp->times, "round trips");
    return loggp->times ? 0 : CW_ENOMEM;
}

/* --- parametrised round trips between two ranks ------------------------------------------------------------------- */

enum pingpong_tag { TAG_READY = 20, TAG_THERE, TAG_BACK };

/* One side of a pair. */
struct pingpong {
    MPI_Comm comm;
    enum cw_wait_mode mode;
    bool client; /* this rank measures; else it answers */
    int peer;
    int messages;          /* most at a time, 2 or more */
    size_t bytes;          /* of a message, at most */
    unsigned char *buffer; /* [messages · bytes] */
    MPI_Request *requests; /* [messages + 1] */
};

static int pingpong_reserve(struct pingpong *pingpong)
{
    const size_t n = (size_t)pingpong->messages;
    pingpong->buffer = cw_new_array(n, pingpong->bytes, "messages");
    pingpong->requests = cw_new_array(n + 1, sizeof *pingpong->requests, "messages");
    return pingpong->buffer && pingpong->requests ? 0 : CW_ENOMEM;
}

static void pingpong_free(struct pingpong *pingpong)
{
    free(pingpong->buffer);
    free(pingpong->requests);
    pingpong->buffer = NULL;
    pingpong->requests = NULL;
}

/* Keeps the processor: what is paced must not be late. */
static void pause_until(double moment)
{
    while (cw_stopwatch_now() < moment) {
    }
}

static int measure_once(struct pingpong *pingpong, int messages, double delay, int bytes, double *seconds)
{
    MPI_Request ready;
    MPI_Irecv(NULL, 0, MPI_BYTE, pingpong->peer, TAG_READY, pingpong->comm, &ready);
    MPI_Irecv(pingpong->buffer, bytes, MPI_BYTE, pingpong->peer, TAG_BACK, pingpong->comm, &pingpong->requests[0]);
    int rc = wait_for(pingpong->mode, &ready);
    if (rc) return rc;
    const double begin = cw_stopwatch_now(); /* the first place is for the answer */
    for (int i = 0; i < messages; i++) {
        MPI_Isend(pingpong->buffer + pingpong->bytes, bytes, MPI_BYTE, pingpong->peer, TAG_THERE, pingpong->comm,
                  &pingpong->requests[i + 1]);
        if (delay > 0 && i + 1 < messages) pause_until(cw_stopwatch_now() + delay);
    }
    rc = wait_for_all(pingpong->mode, messages + 1, pingpong->requests);
    *seconds = cw_stopwatch_now() - begin;
    return rc;
}

static int answer(struct pingpong *pingpong, int messages, int bytes)
{
    MPI_Request last[2];
    for (int i = 0; i < messages; i++)
        MPI_Irecv(pingpong->buffer + (size_t)i * pingpong->bytes, bytes, MPI_BYTE, pingpong->peer, TAG_THERE,
                  pingpong->comm, &pingpong->requests[i]);
    MPI_Isend(NULL, 0, MPI_BYTE, pingpong->peer, TAG_READY, pingpong->comm, &last[0]);
    int rc = wait_for_all(pingpong->mode, messages, pingpong->requests);
    if (rc) return rc;
    MPI_Isend(pingpong->buffer, bytes, MPI_BYTE, pingpong->peer, TAG_BACK, pingpong->comm, &last[1]);
    return wait_for_all(pingpong->mode, 2, last);
}

/* By both sides: MESSAGES of BYTES from the client, DELAY [s] between two, then one of BYTES back. All receives wait
 * for their messages, and sends are not waited for before the last one. *SECONDS, on the client: from the first send to
 * the answer. 0 or CW_EINTERRUPTED. */
static int pingpong_run(struct pingpong *pingpong, int messages, double delay, size_t bytes, double *seconds)
{
    if (!pingpong->client) return answer(pingpong, messages, (int)bytes);
    return measure_once(pingpong, messages, delay, (int)bytes, seconds);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int warm_up(struct loggp *loggp, struct pingpong *pingpong)
{
    int rc = pingpong_run(pingpong, pingpong->messages, 0, pingpong->bytes, &loggp->delay);
    for (int i = 0; !rc && i < WARM_UP; i++) rc = pingpong_run(pingpong, 1, 0, 1, &loggp->delay);
    return rc;
}

/* The median of several: small messages take less time than whatever may come between. */
static int measure_small(struct pingpong *pingpong, int messages, double delay, double *seconds)
{
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        const int rc = pingpong_run(pingpong, messages, delay, 1, &times[i]);
        if (rc) return rc;
    }
    cw_sort_reals(times, REPEATS);
    *seconds = times[REPEATS / 2];
    return 0;
}

/* The pause is as long as a whole round trip, longer than any g. */
static int measure_round(const struct loggp *loggp, struct pingpong *pingpong, double *times)
{
    const struct cw_sizes *bytes = &loggp->values->bytes;
    int rc = measure_small(pingpong, 1, 0, &times[CW_LOGGP_ALONE]);
    if (!rc) rc = measure_small(pingpong, pingpong->messages, loggp->delay, &times[CW_LOGGP_PACED]);
    if (!rc) rc = measure_small(pingpong, pingpong->messages, 0, &times[CW_LOGGP_MANY]);
    double *large = &times[CW_LOGGP_LARGE];
    for (size_t i = 0; !rc && i < bytes->n; i++, large += 2) {
        rc = pingpong_run(pingpong, 1, 0, bytes->values[i], &large[0]);
        if (!rc) rc = pingpong_run(pingpong, pingpong->messages, 0, bytes->values[i], &large[1]);
    }
    return rc;
}

/* The client says whether there is another round, and both whether they were told to stop. */
static int go_on(const struct pingpong *pingpong, bool *more)
{
    const bool mine[2] = {*more, cw_interrupted()};
    bool other[2];
    MPI_Request requests[2];
    MPI_Isend(mine, 2, MPI_C_BOOL, pingpong->peer, 0, pingpong->comm, &requests[0]);
    MPI_Irecv(other, 2, MPI_C_BOOL, pingpong->peer, 0, pingpong->comm, &requests[1]);
    const int rc = wait_for_all(pingpong->mode, 2, requests);
    if (rc) return rc;
    if (!pingpong->client) *more = other[0];
    return mine[1] || other[1] ? cw_fail(CW_EINTERRUPTED, "interrupted") : 0;
}

static int measure_rounds(struct loggp *loggp, struct pingpong *pingpong)
{
    const double end = cw_stopwatch_deadline(loggp->values->time);
    int rc = warm_up(loggp, pingpong);
    for (bool more = true; !rc && more;) {
        rc = measure_round(loggp, pingpong, loggp->times + loggp->n * loggp->width);
        if (rc) break;
        loggp->n++;
        more = loggp->n < (size_t)loggp->values->rounds && (loggp->n < ENOUGH || cw_stopwatch_now() < end);
        rc = go_on(pingpong, &more);
    }
    return rc;
}

/* Collective; afterwards rank 0 knows what the first rank of the pair has measured. */
static int measure(struct loggp *loggp)
{
    const int rank = (int)loggp->ranks->program.rank;
    const bool client = rank == loggp->pair[0], takes_part = client || rank == loggp->pair[1];
    struct pingpong pingpong = {
        .mode = loggp->mode, .client = client, .peer = loggp->pair[client], .messages = (int)loggp->values->messages};
    for (size_t i = 0; i < loggp->values->bytes.n; i++)
        if (loggp->values->bytes.values[i] > pingpong.bytes) pingpong.bytes = loggp->values->bytes.values[i];
    int rc = ranks_agree(loggp->ranks, takes_part ? pingpong_reserve(&pingpong) : 0);
    if (!rc) {
        MPI_Comm_dup(MPI_COMM_WORLD, &pingpong.comm);
        if (takes_part) rc = measure_rounds(loggp, &pingpong);
        rc = ranks_agree_or_stop(loggp->ranks, CW_WAIT_SLEEP, rc);
        if (rc && !loggp->ranks->stops) {
            ranks_leave(loggp->ranks, rc);
        } else if (!rc) {
            unsigned long long n = loggp->n;
            MPI_Bcast(&n, 1, MPI_UNSIGNED_LONG_LONG, loggp->pair[0], pingpong.comm);
            MPI_Bcast(&loggp->delay, 1, MPI_DOUBLE, loggp->pair[0], pingpong.comm);
            MPI_Bcast(loggp->times, (int)(n * loggp->width), MPI_DOUBLE, loggp->pair[0], pingpong.comm);
            loggp->n = n;
        }
        if (!loggp->ranks->alone) MPI_Comm_free(&pingpong.comm);
    }
    pingpong_free(&pingpong);
    return rc;
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static int show(const struct loggp *loggp, struct cw_result *result)
{
    const struct cw_loggp_rounds rounds = {.messages = (uint32_t)loggp->values->messages,
                                           .delay = loggp->delay,
                                           .n_sizes = loggp->values->bytes.n,
                                           .bytes = loggp->values->bytes.values,
                                           .n = loggp->n,
                                           .times = loggp->times};
    struct cw_text who = {0};
    cw_text_printf(&who, "rank %d on %s and rank %d on %s, which wait by %s", loggp->pair[0],
                   loggp->sites.hosts[loggp->pair[0]], loggp->pair[1], loggp->sites.hosts[loggp->pair[1]],
                   cw_wait_names[loggp->mode]);
    int rc = cw_text_check(&who);
    if (!rc) rc = cw_loggp_show(&rounds, who.data, result);
    cw_text_free(&who);
    return rc;
}

static int run(struct invocation *invocation)
{
    static const char *const unused[] = {"threads", "seed", NULL};
    struct loggp loggp = {.values = invocation->values, .ranks = ranks_of(invocation->ranks)};
    int rc = invocation_refuse(invocation, unused, "means nothing here: two ranks measure, and draw nothing");
    if (!rc) rc = bench_sites_find(loggp.ranks, NULL, &loggp.sites);
    if (!rc) rc = prepare(&loggp);
    rc = ranks_agree(loggp.ranks, rc);
    if (!rc) rc = measure(&loggp);
    if (!rc && loggp.ranks->program.rank == 0) rc = show(&loggp, invocation->result);
    free(loggp.times);
    bench_sites_free(&loggp.sites);
    return rc;
}

const struct verb verb_bench_loggp = {
    .name = "bench loggp",
    .help = "Measures the LogGP parameters of the network between two ranks",
    .description =
        "Two ranks measure how long messages take, alone and in a row, with and without pauses; differences of these "
        "times give latency L, overhead o, and the gaps g of messages and G of bytes (Hoefler, Lichei and Rehm, "
        "\"Low-overhead LogGP parameter assessment for modern interconnection networks\", 2007). One clock alone is "
        "read. crosswind noise --time loggp takes them: its o is that of both ends together. Other ranks sleep.",
    .examples = "  mpirun -n 2 crosswind-mpi bench loggp\n"
                "  mpirun -n 64 crosswind-mpi bench loggp --pair 0,63 --bytes 256KiB,4MiB\n",
    .options = options,
    .size = sizeof(struct loggp_options),
    .computes = true,
    .ranks = true,
    .run = run,
};
