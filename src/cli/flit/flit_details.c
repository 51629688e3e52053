#include "cli/flit/flit_details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/flit/flit_case.h"

#define NAMED 5 /* starved endpoints that are named */

static const struct cw_column class_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"injection", CW_COLUMN_REAL, NULL, "mean utilisation of channels from endpoints"},
    {"local", CW_COLUMN_REAL, NULL, "... of channels between switches, of one group where there are groups"},
    {"global", CW_COLUMN_REAL, NULL, "... of channels between groups"},
    {"busiest", CW_COLUMN_REAL, NULL, "greatest utilisation of a channel between switches"},
};

static const struct cw_column steady_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load"},
    {"accepted_ci", CW_COLUMN_REAL, NULL, "half width of its confidence interval, of the level in the next column",
     .interval = true},
    {"confidence", CW_COLUMN_REAL, NULL, "confidence level (--confidence)"},
    {"drift", CW_COLUMN_REAL, NULL, "accepted load in the last third minus that in the first, as a share of the mean"},
    {"drift_ci99", CW_COLUMN_REAL, NULL, "half width of the drift's 99 % confidence interval", .interval = true},
    {"correlated_cycles", CW_COLUMN_INT, "cycle",
     "means over fewer cycles than this are correlated with their neighbours"},
};

static const struct cw_column fairness_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"senders", CW_COLUMN_INT, NULL, "endpoints that have something to send"},
    {"injected_min", CW_COLUMN_REAL, NULL, "least load injected by a sender"},
    {"injected_mean", CW_COLUMN_REAL, NULL, "mean load injected by the senders"},
    {"injected_max", CW_COLUMN_REAL, NULL, "greatest load injected by a sender"},
    {"fairness", CW_COLUMN_REAL, NULL, "Jain's index of the loads injected: 1 is equal shares, 1/senders all for one"},
    {"starved", CW_COLUMN_INT, NULL, "senders that could inject nothing in the cycles measured"},
    {"accepted_min", CW_COLUMN_REAL, NULL, "least load taken in by an endpoint"},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "mean load taken in by the endpoints"},
    {"accepted_max", CW_COLUMN_REAL, NULL, "greatest load taken in by an endpoint"},
};

static const struct cw_column hot_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"channel", CW_COLUMN_TEXT, NULL, "one of the hottest channels"},
    {"utilisation", CW_COLUMN_REAL, NULL, "what it moved, as a share of what it can move"},
};

static const struct cw_column latency_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"messages", CW_COLUMN_INT, NULL, "completed in the cycles measured"},
    {"p50", CW_COLUMN_REAL, "cycle", "median latency of a message, from its generation"},
    {"p99", CW_COLUMN_REAL, "cycle", "99 % are faster"},
    {"p999", CW_COLUMN_REAL, "cycle", "99.9 % are faster"},
    {"saturated", CW_COLUMN_TEXT, NULL, "whether they grow with the run, because less is accepted than offered"},
};

static const struct cw_column mark_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"messages", CW_COLUMN_INT, NULL, "completed in the cycles measured"},
    {"marked", CW_COLUMN_REAL, NULL, "share of them that a switch had marked"},
    {"notices", CW_COLUMN_INT, NULL,
     "congestion notifications that reached sources, which then slow down; 0 without --rate-control"},
};

static const struct cw_column histogram_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"latency_from", CW_COLUMN_INT, "cycle", "least latency of the bin"},
    {"messages", CW_COLUMN_INT, NULL, "messages in it"},
};

static const struct cw_column series_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"first_cycle", CW_COLUMN_INT, "cycle", "first cycle of the batch"},
    {"cycles", CW_COLUMN_INT, "cycle", "its length"},
    {"accepted", CW_COLUMN_REAL, NULL, "accepted load in it"},
    {"latency", CW_COLUMN_REAL, "cycle", "mean latency of the messages completed in it"},
};

static const struct cw_column channel_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"channel", CW_COLUMN_TEXT, NULL, "from where to where"},
    {"class", CW_COLUMN_TEXT, NULL, "injection, ejection, local or global"},
    {"flits", CW_COLUMN_INT, NULL, "flits that it moved in the cycles measured"},
    {"utilisation", CW_COLUMN_REAL, NULL, "what it moved, as a share of what it can move"},
};

struct flit_details {
    const struct flit_options *values;
    struct cw_result *result;
    struct cw_text starved;                                             /* who is, in sentences */
    struct cw_table *classes, *fairness, *steady, *hottest, *latencies; /* the result's */
    struct cw_table *marks;                                             /* likewise; NULL: switches mark nothing */
    struct cw_table *histogram, *series, *channels;                     /* of files */
};

static void details_free(struct flit_details *details)
{
    cw_table_free(details->histogram);
    cw_table_free(details->series);
    cw_table_free(details->channels);
    cw_text_free(&details->starved);
    free(details);
}

static int new_tables(struct flit_details *details, bool marks)
{
    struct cw_result *result = details->result;
    int rc = cw_result_new_detail(result, "steady", "Steady state", CW_ITEMS(steady_columns), &details->steady);
    if (!rc)
        rc = cw_result_new_detail(result, "fairness", "Fairness over endpoints", CW_ITEMS(fairness_columns),
                                  &details->fairness);
    if (!rc)
        rc = cw_result_new_detail(result, "utilisation", "Utilisation of channels", CW_ITEMS(class_columns),
                                  &details->classes);
    if (!rc)
        rc = cw_result_new_detail(result, "latency", "Latency of messages", CW_ITEMS(latency_columns),
                                  &details->latencies);
    if (!rc && marks)
        rc = cw_result_new_detail(result, "marks", "Messages marked by switches", CW_ITEMS(mark_columns),
                                  &details->marks);
    if (rc || details->values->top == 0) return rc;
    return cw_result_new_detail(result, "hottest", "The hottest channels", CW_ITEMS(hot_columns), &details->hottest);
}

int flit_details_new(const struct flit_options *values, const struct cw_flit_how *how, struct cw_result *result,
                     struct flit_details **out)
{
    struct flit_details *details = cw_new_array(1, sizeof *details, "tables");
    if (!details) return CW_ENOMEM;
    details->values = values;
    details->result = result;
    int rc = new_tables(details, strcmp(how->marking, "none") != 0);
    if (!rc) rc = cw_table_new("histogram", "Histogram of latencies", CW_ITEMS(histogram_columns), &details->histogram);
    if (!rc) rc = cw_table_new("series", "Batches over time", CW_ITEMS(series_columns), &details->series);
    if (!rc) rc = cw_table_new("channels", "Channels", CW_ITEMS(channel_columns), &details->channels);
    if (rc)
        details_free(details);
    else
        *out = details;
    return rc;
}

/* --- one run ----------------------------------------------------------------------------------------------------- */

static void add_classes(struct flit_details *details, const struct cw_flit_case *made, double load,
                        const struct cw_flit_measurement *run)
{
    struct cw_utilisation utilisation;
    cw_utilisation_by_class(made->net, run, &utilisation);
    struct cw_table *table = details->classes;
    cw_table_row(table, "%s %g %g %g %g %g", cw_packet_routing_spec(made->routing), load,
                 utilisation.mean[CW_CHANNEL_INJECTION], utilisation.mean[CW_CHANNEL_LOCAL],
                 utilisation.mean[CW_CHANNEL_GLOBAL], utilisation.busiest);
}

static void add_steady(struct flit_details *details, const struct cw_flit_case *made, double load,
                       const struct cw_flit_measurement *run)
{
    struct cw_table *table = details->steady;
    cw_table_row(table, "%s %g %g %g %g %g %g %lu", cw_packet_routing_spec(made->routing), load, run->steady.accepted,
                 run->steady.accepted_ci, details->values->span.confidence, run->steady.drift, run->steady.drift_ci,
                 run->steady.correlated_cycles);
}

/* A sentence of its own. */
static void name_starved(const struct cw_flit_case *made, const struct cw_flit_measurement *run,
                         const struct cw_fairness *fairness, struct cw_text *text)
{
    if (fairness->n_starved == 0) return;
    cw_text_printf(text, "%s%s: these endpoints starved (they injected nothing in the %llu cycles measured):",
                   text->length > 0 ? "; " : "", cw_packet_routing_spec(made->routing),
                   (unsigned long long)run->steady.cycles);
    for (size_t i = 0; i < fairness->n_starved && i < NAMED; i++) {
        char buffer[CW_NAME_SIZE];
        cw_text_printf(text, "%s %s", i > 0 ? "," : "",
                       cw_network_name(made->net, fairness->starved[i], buffer, sizeof buffer));
    }
    if (fairness->n_starved > NAMED) cw_text_printf(text, " and %zu more", fairness->n_starved - NAMED);
}

static int add_fairness(struct flit_details *details, const struct cw_flit_case *made, double load,
                        const struct cw_flit_measurement *run)
{
    struct cw_fairness fairness;
    const int rc = cw_fairness_of(made, run, &fairness);
    if (rc) return rc;
    name_starved(made, run, &fairness, &details->starved);
    cw_table_row(details->fairness, "%s %g %zu %g %g %g %g %zu %g %g %g", cw_packet_routing_spec(made->routing), load,
                 fairness.injected.n, fairness.injected.least, fairness.injected.mean, fairness.injected.most,
                 fairness.injected.jain, fairness.n_starved, fairness.accepted.least, fairness.accepted.mean,
                 fairness.accepted.most);
    cw_fairness_free(&fairness);
    return 0;
}

static int add_hottest(struct flit_details *details, const struct cw_flit_case *made, double load,
                       const struct cw_flit_measurement *run)
{
    if (!details->hottest) return 0;
    size_t n;
    struct cw_hot_channel *hot;
    const int rc = cw_utilisation_hottest(made->net, run, &n, &hot);
    if (rc) return rc;
    for (size_t i = 0; i < n && i < (size_t)details->values->top; i++) {
        char name[512];
        cw_table_row(details->hottest, "%s %g %s %g", cw_packet_routing_spec(made->routing), load,
                     cw_network_channel_name(made->net, hot[i].channel, name, sizeof name), hot[i].utilisation);
    }
    free(hot);
    return 0;
}

static void add_latencies(struct flit_details *details, const struct cw_flit_case *made, double load,
                          const struct cw_flit_measurement *run)
{
    const uint64_t *histogram = run->latencies;
    cw_table_row(details->latencies, "%s %g %lu %g %g %g %s", cw_packet_routing_spec(made->routing), load,
                 run->steady.messages, run->steady.latency_p50, run->steady.latency_p99, run->steady.latency_p999,
                 run->steady.saturated ? "yes" : "no");
    for (size_t bin = 0; bin < CW_FLIT_LATENCY_BINS; bin++) {
        if (histogram[bin] == 0) continue;
        cw_table_row(details->histogram, "%s %g %lu %lu", cw_packet_routing_spec(made->routing), load,
                     cw_flit_latency_bin_start(bin), histogram[bin]);
    }
}

static void add_marks(struct flit_details *details, const struct cw_flit_case *made, double load,
                      const struct cw_flit_measurement *run)
{
    const struct cw_steady_result *steady = &run->steady;
    if (!details->marks) return;
    cw_table_row(details->marks, "%s %g %lu %g %ld", cw_packet_routing_spec(made->routing), load, steady->messages,
                 steady->messages > 0 ? (double)steady->marked / (double)steady->messages : (double)NAN,
                 (int64_t)steady->notices);
}

static void add_series(struct flit_details *details, const struct cw_flit_case *made, double load,
                       const struct cw_flit_measurement *run)
{
    for (size_t i = 0; i < run->steady.n_batches; i++) {
        const struct cw_steady_batch *batch = &run->steady.batches[i];
        cw_table_row(details->series, "%s %g %lu %lu %g %g", cw_packet_routing_spec(made->routing), load,
                     batch->first_cycle, batch->cycles, batch->accepted, batch->latency);
    }
}

static void add_channels(struct flit_details *details, const struct cw_flit_case *made, double load,
                         const struct cw_flit_measurement *run)
{
    const struct cw_network *net = made->net;
    const uint64_t *flits = run->channel_flits;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        char name[512];
        cw_table_row(details->channels, "%s %g %s %s %lu %g", cw_packet_routing_spec(made->routing), load,
                     cw_network_channel_name(net, c, name, sizeof name),
                     cw_channel_classes[cw_channel_class_of(net, c)], flits[c], cw_utilisation_of(net, run, c));
    }
}

int flit_details_add(struct flit_details *details, const struct cw_flit_case *made, double load,
                     const struct cw_flit_measurement *run)
{
    add_classes(details, made, load, run);
    add_steady(details, made, load, run);
    add_latencies(details, made, load, run);
    add_marks(details, made, load, run);
    if (details->values->series) add_series(details, made, load, run);
    if (details->values->channels) add_channels(details, made, load, run);
    const int rc = add_hottest(details, made, load, run);
    return rc ? rc : add_fairness(details, made, load, run);
}

/* --- all runs ---------------------------------------------------------------------------------------------------- */

int flit_details_finish(struct flit_details *details, int rc)
{
    struct {
        const char *path;
        struct cw_table *table;
    } files[] = {{details->values->series, details->series},
                 {details->values->histogram, details->histogram},
                 {details->values->channels, details->channels}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i].path || cw_table_rows(files[i].table) == 0) continue;
        if (rc) cw_table_cut(files[i].table);
        const int written = cw_result_save_csv(details->result, files[i].table, files[i].path);
        if (!rc) rc = written;
    }
    if (!rc) rc = cw_text_check(&details->starved);
    if (details->starved.data) cw_result_note(details->result, "%s", details->starved.data);
    details_free(details);
    return rc;
}
