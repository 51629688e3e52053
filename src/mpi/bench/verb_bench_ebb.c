/* crosswind-mpi bench ebb: effective bisection bandwidth, measured, and as crosswind ebb predicts it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/interval_note.h"
#include "mpi/bench/bench_clock.h"
#include "mpi/bench/bench_sites.h"
#include "mpi/together.h"
#include "report/rows.h"
#include "study/bench/bench_prediction.h"
#include "study/bench/ebb_shares.h"

#define SYNC_INTERVAL 2 /* s; clocks drift */

enum direction { DIRECTION_BOTH, DIRECTION_UNI, DIRECTION_BI };

struct ebb_options {
    int direction, wait;
    uint64_t bytes;
    int64_t trials;
    double time;
    char *hosts;
};

static const char *const directions[] = {"both", "uni", "bi", NULL};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_TEXT,
     .help = "the network on which the hosts are, a specification or a file, to predict what is measured"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "direction",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct ebb_options, direction),
     .default_text = "both",
     .choices = directions,
     .help = "one half sends to the other (uni), both halves send (bi), or a row for each (both)"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct ebb_options, bytes),
     .default_text = "4MiB",
     .min = 1,
     .max = INT_MAX,
     .help = "size of a message"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct ebb_options, trials),
     .value_name = "N",
     .default_text = "100",
     .min = 1,
     .max = 1e6,
     .help = "random bisections of each direction, at most"},
    {.name = "time",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct ebb_options, time),
     .default_text = "60s",
     .min = 0,
     .max = 1e6,
     .help = "begin no trial of a direction after that; 0: no limit"},
    {.name = "hosts",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct ebb_options, hosts),
     .help = "lines 'HOST ENDPOINT': where hosts are in NETWORK that are not called as their endpoints"},
    {.name = "wait",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct ebb_options, wait),
     .default_text = "auto",
     .choices = wait_choices,
     .help = "how ranks wait for messages; auto: sleep where ranks share processors, else spin"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"direction", CW_COLUMN_TEXT, NULL, "uni: one half sends; bi: both do"},
    {"trials", CW_COLUMN_INT, NULL, "random bisections"},
    {"bandwidth_alone", CW_COLUMN_REAL, "byte/s", "of a message alone: median"},
    {"bandwidth_mean", CW_COLUMN_REAL, "byte/s", "of a message in a bisection: mean over messages and trials"},
    {"ebb_mean", CW_COLUMN_REAL, NULL, "bandwidth_mean / bandwidth_alone: 1 is full bandwidth"},
    {"ebb_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static const struct cw_column prediction_columns[] = {
    {"direction", CW_COLUMN_TEXT, NULL, "uni: one half sends; bi: both do"},
    {"ebb_mean", CW_COLUMN_REAL, NULL, "mean over messages and the same trials of 1/congestion"},
    {"ebb_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"error", CW_COLUMN_REAL, NULL, "ebb_mean / measured ebb_mean - 1"},
    {"correlation", CW_COLUMN_REAL, NULL, "of measured and predicted bandwidth of a message, over all (Spearman)"},
};

struct measuring {
    struct invocation *invocation;
    const struct ebb_options *values;
    struct ranks *ranks;
    struct bench_sites sites;
    bool has_fabric;
    struct fabric fabric;
    uint32_t *endpoints; /* [ranks] */
    uint32_t *members;   /* [n_members] the lowest rank of each host */
    uint32_t n_members;
    struct cw_table *table, *prediction;
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int check_options(const struct measuring *measuring)
{
    static const char *const never[] = {"threads", "endpoints", NULL};
    static const char *const of_network[] = {"input-format", "node-name-map", "failed", "degraded", "routing", "lft",
                                             "repair",       "paths",         "tables", "hosts",    NULL};
    const int rc =
        invocation_refuse(measuring->invocation, never, "means nothing here: the hosts of the ranks measure");
    if (rc || measuring->has_fabric) return rc;
    return invocation_refuse(measuring->invocation, of_network, "is about NETWORK, which is missing");
}

static int find_endpoints(struct measuring *measuring)
{
    const struct cw_bench_run run = {.n_ranks = measuring->ranks->program.n,
                                     .hosts = (char **)(uintptr_t)measuring->sites.hosts};
    int rc = fabric_open(measuring->invocation, measuring->invocation->positional[0], &measuring->fabric);
    if (rc) return rc;
    measuring->endpoints = cw_new_array(run.n_ranks, sizeof *measuring->endpoints, "endpoints of ranks");
    if (!measuring->endpoints) return CW_ENOMEM;
    return cw_bench_hosts(&run, measuring->fabric.net, measuring->values->hosts, measuring->endpoints);
}

static int find_members(struct measuring *measuring)
{
    const uint32_t n = measuring->ranks->program.n;
    uint32_t *members = measuring->members = cw_new_array(n, sizeof *members, "hosts");
    if (!members) return CW_ENOMEM;
    for (uint32_t r = 0; r < n; r++) /* hosts have their numbers in the order of their lowest ranks */
        if (measuring->sites.host_of[r] == measuring->n_members) members[measuring->n_members++] = r;
    if (measuring->n_members < 2)
        return cw_fail(CW_EUSAGE, "bench ebb needs ranks on two hosts or more, but all are on %s",
                       measuring->sites.hosts[0]);
    return 0;
}

static int prepare(struct measuring *measuring)
{
    struct cw_result *result = measuring->invocation->result;
    int rc = find_members(measuring);
    if (!rc && measuring->has_fabric) rc = find_endpoints(measuring);
    if (!rc)
        rc = cw_result_new_table(result, "ebb", "Effective bisection bandwidth, measured", CW_ITEMS(columns),
                                 &measuring->table);
    if (!rc) cw_table_expect(measuring->table, measuring->values->direction == DIRECTION_BOTH ? 2 : 1);
    if (rc || !measuring->has_fabric) return rc;
    return cw_result_new_table(result, "prediction", "The same, predicted", CW_ITEMS(prediction_columns),
                               &measuring->prediction);
}

/* --- exchanging --------------------------------------------------------------------------------------------------- */

struct bisections {
    struct ranks *ranks;
    MPI_Comm comm; /* all ranks */
    struct cw_ebb_bisections of;
    enum cw_wait_mode mode;
    size_t trials;                /* at most */
    double time;                  /* [s] no trial begins after that; 0: no limit */
    struct cw_progress *progress; /* steps once a trial, on rank 0; may be NULL */
};

struct exchange {
    const struct bisections *bisections;
    struct bench_clock clock;
    unsigned char *sent, *received; /* [bytes] */
    uint32_t rank;
};

static double now(const struct exchange *exchange)
{
    return cw_clock_global(&exchange->clock.model, bench_clock_now(&exchange->clock));
}

/* Collective: the messages of ITEMS [n], of which a rank sends and receives one at most. */
static int send_all(const struct exchange *exchange, const struct cw_flow *items, size_t n, struct cw_ebb_moments *out)
{
    const struct bisections *bisections = exchange->bisections;
    const int bytes = (int)bisections->of.bytes;
    MPI_Request received = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
    *out = (struct cw_ebb_moments){-INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++)
        if (items[i].dst == exchange->rank)
            MPI_Irecv(exchange->received, bytes, MPI_BYTE, (int)items[i].src, 0, bisections->comm, &received);
    int rc = wait_for_others(bisections->mode, bisections->comm);
    const bool receives = received != MPI_REQUEST_NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        if (items[i].src != exchange->rank) continue;
        out->begun = now(exchange);
        MPI_Isend(exchange->sent, bytes, MPI_BYTE, (int)items[i].dst, 0, bisections->comm, &sent);
    }
    if (!rc) rc = wait_for(bisections->mode, &received);
    if (receives) out->ended = now(exchange);
    return rc ? rc : wait_for(bisections->mode, &sent);
}

/* Messages of a bisection one after another. Their times come to rank 0. */
static int measure_alone(const struct exchange *exchange, const struct cw_flows *flows, struct cw_ebb_times *out)
{
    const struct bisections *bisections = exchange->bisections;
    out->n_alone = flows->n < CW_EBB_ALONE ? flows->n : CW_EBB_ALONE;
    for (size_t i = 0; i < out->n_alone; i++) {
        struct cw_ebb_moments mine;
        MPI_Request request;
        int rc = send_all(exchange, &flows->items[i], 1, &mine);
        if (rc) return rc;
        const bool sends = flows->items[i].src == exchange->rank;
        const double moments[2] = {sends ? -mine.begun : -INFINITY, mine.ended};
        double all[2];
        MPI_Ireduce(moments, all, 2, MPI_DOUBLE, MPI_MAX, 0, bisections->comm, &request);
        rc = wait_for(bisections->mode, &request);
        if (rc) return rc;
        out->alone[i] = all[0] + all[1];
    }
    return 0;
}

/* What rank 0 says after a trial. */
enum next { NEXT_NONE, NEXT_TRIAL, NEXT_SYNC };

static int go_on(struct exchange *exchange, double end, bool *more)
{
    const struct bisections *bisections = exchange->bisections;
    MPI_Request request;
    int next = NEXT_TRIAL;
    if (cw_stopwatch_now() >= end)
        next = NEXT_NONE;
    else if (bench_clock_now(&exchange->clock) > exchange->clock.synchronised + SYNC_INTERVAL)
        next = NEXT_SYNC;
    MPI_Ibcast(&next, 1, MPI_INT, 0, bisections->comm, &request);
    int rc = wait_for(bisections->mode, &request);
    if (!rc) rc = ranks_agree_or_stop(bisections->ranks, bisections->mode, 0);
    *more = next != NEXT_NONE;
    return rc || next != NEXT_SYNC ? rc : bench_clock_sync(&exchange->clock);
}

static int measure_all(struct exchange *exchange, struct cw_flows *flows, struct cw_ebb_moments *mine,
                       struct cw_ebb_times *out)
{
    const struct bisections *bisections = exchange->bisections;
    const double end = cw_stopwatch_deadline(bisections->time);
    struct cw_ebb_moments ignored;
    int rc = bench_clock_sync(&exchange->clock);
    if (!rc) rc = cw_ebb_messages(&bisections->of, 0, flows);
    if (!rc) rc = send_all(exchange, flows->items, flows->n, &ignored); /* makes connections */
    if (!rc) rc = measure_alone(exchange, flows, out);
    for (bool more = true; !rc && more && out->n < bisections->trials;) {
        rc = cw_ebb_messages(&bisections->of, out->n, flows);
        if (!rc) rc = send_all(exchange, flows->items, flows->n, &mine[out->n]);
        if (rc) break;
        out->n++;
        cw_progress_step(bisections->progress, 1);
        rc = go_on(exchange, end, &more);
    }
    return rc;
}

/* Collective. On rank 0 ALL [ranks · trials] gets what each rank has in MINE [trials]. */
static int exchange_run(struct exchange *exchange, struct cw_ebb_moments *mine, struct cw_ebb_moments *all,
                        struct cw_ebb_times *times)
{
    const struct bisections *bisections = exchange->bisections;
    const int size = (int)(bisections->trials * sizeof *mine);
    struct cw_flows flows = {0};
    int rc = bench_clock_init(bisections->ranks, bisections->comm, bisections->mode, &exchange->clock);
    if (rc) return rc;
    rc = measure_all(exchange, &flows, mine, times);
    cw_flows_free(&flows);
    if (rc && !bisections->ranks->stops) return ranks_leave(bisections->ranks, rc);
    if (!rc) MPI_Gather(mine, size, MPI_BYTE, all, size, MPI_BYTE, 0, bisections->comm);
    bench_clock_free(&exchange->clock);
    return rc;
}

/* Collective. Sends messages of the first trial one after another, then all of each trial at once. On rank 0 OUT gets
 * what was measured. */
static int bisections_run(const struct bisections *bisections, struct cw_ebb_times *out)
{
    struct exchange exchange = {.bisections = bisections, .rank = bisections->ranks->program.rank};
    struct cw_ebb_times times = {.stride = bisections->trials};
    const size_t n = exchange.rank == 0 ? bisections->ranks->program.n : 1;
    struct cw_ebb_moments *mine = cw_new_array(bisections->trials, sizeof *mine, "times");
    times.all = cw_new_array(n * bisections->trials, sizeof *times.all, "times");
    exchange.sent = cw_new_array(bisections->of.bytes, 1, "a message");
    exchange.received = cw_new_array(bisections->of.bytes, 1, "a message");
    int rc = mine && times.all && exchange.sent && exchange.received ? 0 : CW_ENOMEM;
    rc = ranks_agree(bisections->ranks, rc);
    if (!rc) rc = exchange_run(&exchange, mine, times.all, &times);
    free(mine);
    free(exchange.sent);
    free(exchange.received);
    if (rc)
        free(times.all);
    else
        *out = times;
    return rc;
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static void add_rows(const struct measuring *measuring, const char *direction, size_t n,
                     const struct cw_ebb_found *found)
{
    const struct cw_summary *summary = &found->measured;
    char rate[32], confidence[64];
    cw_table_row(measuring->table, "%s %zu %g %g %g %g", direction, n, found->alone, summary->mean * found->alone,
                 summary->mean, summary->ci95);
    cw_result_note(
        measuring->invocation->result,
        "When random halves of the %u hosts are paired and %s, a message gets %.1f %% of the %s that it gets "
        "alone on average%s.",
        measuring->n_members, direction[0] == 'b' ? "both halves send" : "one half sends to the other",
        100 * summary->mean, cw_format_rate(found->alone, rate, sizeof rate),
        confidence_words(summary, 100, 1, confidence, sizeof confidence));
    if (measuring->has_fabric)
        cw_table_row(measuring->prediction, "%s %g %g %g %g", direction, found->predicted.mean, found->predicted.ci95,
                     found->predicted.mean / summary->mean - 1, found->correlation);
}

static int show(const struct measuring *measuring, const struct bisections *bisections, const char *direction,
                const struct cw_ebb_times *times)
{
    struct cw_ebb_found found;
    const int rc = cw_ebb_find(&bisections->of, times, measuring->has_fabric ? measuring->fabric.routes : NULL,
                               measuring->endpoints, &found);
    if (!rc) add_rows(measuring, direction, times->n, &found);
    return rc;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int measure_direction(struct measuring *measuring, const char *direction, MPI_Comm comm)
{
    const bool speaks = measuring->ranks->program.rank == 0;
    const struct ebb_options *values = measuring->values;
    struct cw_pattern *pattern = NULL;
    struct cw_ebb_times times = {0};
    int rc = cw_pattern_new(direction[0] == 'b' ? "bisection:bi" : "bisection:uni", NULL, &pattern);
    rc = ranks_agree(measuring->ranks, rc);
    struct bisections bisections = {.ranks = measuring->ranks,
                                    .comm = comm,
                                    .of = {.pattern = pattern,
                                           .members = measuring->members,
                                           .n_members = measuring->n_members,
                                           .seed = (uint64_t)measuring->invocation->common.seed,
                                           .bytes = values->bytes},
                                    .mode = wait_chosen(measuring->values->wait, measuring->ranks->comm),
                                    .trials = (size_t)values->trials,
                                    .time = values->time};
    if (!rc && speaks)
        bisections.progress = invocation_progress(measuring->invocation, direction, (size_t)values->trials);
    if (!rc) rc = bisections_run(&bisections, &times);
    cw_progress_free(bisections.progress);
    if (!rc) rc = ranks_agree(measuring->ranks, speaks ? show(measuring, &bisections, direction, &times) : 0);
    free(times.all);
    cw_pattern_free(pattern);
    return rc;
}

static int measure(struct measuring *measuring)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int rc = 0;
    if (measuring->values->direction != DIRECTION_BI) rc = measure_direction(measuring, "uni", comm);
    if (!rc && measuring->values->direction != DIRECTION_UNI) rc = measure_direction(measuring, "bi", comm);
    if (!measuring->ranks->alone) MPI_Comm_free(&comm);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct measuring measuring = {.invocation = invocation,
                                  .values = invocation->values,
                                  .ranks = ranks_of(invocation->ranks),
                                  .has_fabric = invocation->n_positional > 0};
    int rc = check_options(&measuring);
    if (!rc) rc = bench_sites_find(measuring.ranks, NULL, &measuring.sites);
    if (!rc) rc = prepare(&measuring);
    rc = ranks_agree(measuring.ranks, rc);
    if (!rc) rc = measure(&measuring);
    if (!rc)
        cw_result_note(invocation->result,
                       "All messages of a bisection begin at once; one that has ended leaves its bandwidth to those "
                       "that go on, which the prediction leaves out.");
    free(measuring.members);
    free(measuring.endpoints);
    fabric_free(&measuring.fabric);
    bench_sites_free(&measuring.sites);
    return rc;
}

const struct verb verb_bench_ebb = {
    .name = "bench ebb",
    .help = "Measures effective bisection bandwidth, and predicts it where the network is given",
    .arguments = arguments,
    .description =
        "In each trial, random halves of the hosts are matched at random, and each pair exchanges a large message, all "
        "at once. A message gets its size over the time until the receiver has it, and the mean over all messages and "
        "trials, as a share of what a message alone gets, is the effective bisection bandwidth (Hoefler, Schneider, "
        "Lumsdaine 2008). One rank of each host takes part, its lowest. With NETWORK, crosswind's prediction of the "
        "same matchings stands beside it: hosts are the endpoints of their own names, or those that --hosts says.",
    .examples = "  mpirun -n 64 crosswind-mpi bench ebb --bytes 16MiB\n"
                "  mpirun -n 64 crosswind-mpi bench ebb fabric.ibnetdiscover --lft opensm-lfts.dump\n",
    .options = options,
    .size = sizeof(struct ebb_options),
    .network = true,
    .routes = true,
    .one_route = true,
    .ranks = true,
    .run = run,
};
