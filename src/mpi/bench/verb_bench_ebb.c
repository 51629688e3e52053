/* crosswind-mpi bench ebb: effective bisection bandwidth, measured, and as crosswind ebb predicts it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/interval_note.h"
#include "mpi/bench/bench_bisection.h"
#include "mpi/bench/bench_sites.h"
#include "mpi/together.h"
#include "report/rows.h"
#include "study/bench/bench_prediction.h"
#include "study/bench/ebb_shares.h"
#include "study/bench/sample_tests.h"

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

/* --- what was measured -------------------------------------------------------------------------------------------- */

/* What messages and trials got, as shares of a message alone; and by prediction. */
struct shares {
    double alone; /* byte/s */
    size_t n, capacity;
    double *measured, *predicted; /* [n] of each message */
    double *of_trial, *predicted_of_trial;
};

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

static int read_trial(const struct measuring *measuring, const struct bisections *bisections,
                      const struct bisection_times *times, size_t trial, struct cw_flows *flows, struct shares *shares)
{
    int rc = bisections_flows(bisections, trial, flows);
    if (rc) return rc;
    double *measured = shares->measured + shares->n, *predicted = shares->predicted + shares->n;
    for (size_t i = 0; i < flows->n; i++)
        measured[i] = (double)bisections->bytes / bisections_seconds(times, &flows->items[i], trial) / shares->alone;
    if (measuring->has_fabric) rc = cw_ebb_shares(measuring->fabric.routes, flows, measuring->endpoints, predicted);
    shares->of_trial[trial] = mean(measured, flows->n);
    shares->predicted_of_trial[trial] = mean(predicted, flows->n);
    shares->n += flows->n;
    return rc;
}

static int read_times(const struct measuring *measuring, const struct bisections *bisections,
                      struct bisection_times *times, struct shares *shares)
{
    struct cw_flows flows = {0};
    const size_t room = times->n * measuring->n_members;
    cw_sort_reals(times->alone, times->n_alone);
    shares->alone = (double)bisections->bytes / cw_quantile(times->alone, times->n_alone, 0.5);
    shares->measured = cw_new_array(room, sizeof *shares->measured, "messages");
    shares->predicted = cw_new_array(room, sizeof *shares->predicted, "messages");
    shares->of_trial = cw_new_array(times->n, sizeof *shares->of_trial, "trials");
    shares->predicted_of_trial = cw_new_array(times->n, sizeof *shares->predicted_of_trial, "trials");
    int rc = shares->measured && shares->predicted && shares->of_trial && shares->predicted_of_trial ? 0 : CW_ENOMEM;
    for (size_t t = 0; !rc && t < times->n; t++) rc = read_trial(measuring, bisections, times, t, &flows, shares);
    cw_flows_free(&flows);
    return rc;
}

static void free_shares(struct shares *shares)
{
    free(shares->measured);
    free(shares->predicted);
    free(shares->of_trial);
    free(shares->predicted_of_trial);
}

static int add_prediction(struct measuring *measuring, const char *direction, const struct shares *shares, size_t n,
                          double measured)
{
    struct cw_summary summary;
    struct cw_spearman spearman;
    int rc = cw_summarise(shares->predicted_of_trial, n, &summary);
    if (!rc) rc = cw_spearman_of(shares->measured, shares->predicted, shares->n, &spearman);
    if (rc) return rc;
    cw_table_row(measuring->prediction, "%s %g %g %g %g", direction, summary.mean, summary.ci95,
                 summary.mean / measured - 1, spearman.r);
    return 0;
}

static int add_rows(struct measuring *measuring, const char *direction, const struct shares *shares, size_t n)
{
    struct cw_summary summary;
    char rate[32], confidence[64];
    const int rc = cw_summarise(shares->of_trial, n, &summary);
    if (rc) return rc;
    cw_table_row(measuring->table, "%s %zu %g %g %g %g", direction, n, shares->alone, summary.mean * shares->alone,
                 summary.mean, summary.ci95);
    cw_result_note(
        measuring->invocation->result,
        "When random halves of the %u hosts are paired and %s, a message gets %.1f %% of the %s that it gets "
        "alone on average%s.",
        measuring->n_members, direction[0] == 'b' ? "both halves send" : "one half sends to the other",
        100 * summary.mean, cw_format_rate(shares->alone, rate, sizeof rate),
        confidence_words(&summary, 100, 1, confidence, sizeof confidence));
    return measuring->has_fabric ? add_prediction(measuring, direction, shares, n, summary.mean) : 0;
}

static int show(struct measuring *measuring, const struct bisections *bisections, const char *direction,
                struct bisection_times *times)
{
    struct shares shares = {0};
    int rc = read_times(measuring, bisections, times, &shares);
    if (!rc) rc = add_rows(measuring, direction, &shares, times->n);
    free_shares(&shares);
    return rc;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int measure_direction(struct measuring *measuring, const char *direction, MPI_Comm comm)
{
    const bool speaks = measuring->ranks->program.rank == 0;
    const struct ebb_options *values = measuring->values;
    struct cw_pattern *pattern = NULL;
    struct bisection_times times = {0};
    int rc = cw_pattern_new(direction[0] == 'b' ? "bisection:bi" : "bisection:uni", NULL, &pattern);
    rc = ranks_agree(measuring->ranks, rc);
    struct bisections bisections = {.ranks = measuring->ranks,
                                    .comm = comm,
                                    .pattern = pattern,
                                    .members = measuring->members,
                                    .n_members = measuring->n_members,
                                    .seed = (uint64_t)measuring->invocation->common.seed,
                                    .mode = wait_chosen(measuring->values->wait, measuring->ranks->comm),
                                    .bytes = values->bytes,
                                    .trials = (size_t)values->trials,
                                    .time = values->time};
    if (!rc && speaks)
        bisections.progress = invocation_progress(measuring->invocation, direction, (size_t)values->trials);
    if (!rc) rc = bisections_run(&bisections, &times);
    cw_progress_free(bisections.progress);
    if (!rc) rc = ranks_agree(measuring->ranks, speaks ? show(measuring, &bisections, direction, &times) : 0);
    bisections_free(&times);
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
