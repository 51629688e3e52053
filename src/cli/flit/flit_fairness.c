#include "cli/flit/flit_fairness.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define MESSAGES_LEAST 30 /* that a sender must have had, on average, to be called starved */
#define NAMED          5  /* starved endpoints that are named */

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

int flit_fairness_new(struct cw_table **out)
{
    return cw_table_new("fairness", "Fairness over endpoints", fairness_columns,
                        sizeof fairness_columns / sizeof *fairness_columns, out);
}

/* What is found out about some endpoints. */
struct spread {
    uint64_t n, starved;
    double sum, squares, least, most;
};

static void add_share(struct spread *spread, double share)
{
    spread->least = spread->n > 0 ? fmin(spread->least, share) : share;
    spread->most = fmax(spread->most, share);
    spread->sum += share;
    spread->squares += share * share;
    spread->n++;
}

/* Names ENDPOINT, one of the starved. */
static void name(struct cw_text *text, const struct cw_flit_case *made, const struct cw_flit_measurement *run,
                 uint64_t number, uint32_t endpoint)
{
    char buffer[CW_NAME_SIZE];
    if (number == 0)
        cw_text_printf(
            text, "%s%s: starved, for they injected nothing in the %llu cycles measured:", text->length > 0 ? "; " : "",
            cw_packet_routing_name(made->routing), (unsigned long long)run->steady.cycles);
    if (number < NAMED)
        cw_text_printf(text, "%s %s", number > 0 ? "," : "",
                       cw_network_name(made->net, endpoint, buffer, sizeof buffer));
}

static int add_senders(const struct cw_flit_case *made, struct cw_flit_measurement *run, const struct cw_flit_job *job,
                       struct spread *spread, struct cw_text *starved)
{
    const uint64_t *injected = cw_flit_injected_by(run->simulation);
    const double cycles = (double)run->steady.cycles;
    const bool enough = job->load * cycles >= MESSAGES_LEAST * cw_flit_mean_message(job);
    bool *sends = cw_new_array(job->n_ranks, sizeof *sends, "ranks that send");
    if (!sends) return CW_ENOMEM;
    const int rc = cw_steady_senders(job, sends);
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) {
        if (!sends[r]) continue;
        const uint32_t endpoint = job->endpoints[r];
        add_share(spread, (double)injected[endpoint] / cycles);
        if (enough && injected[endpoint] == 0) name(starved, made, run, spread->starved++, endpoint);
    }
    free(sends);
    return rc;
}

int flit_fairness_add(struct cw_table *table, const struct cw_flit_case *made, double load,
                      struct cw_flit_measurement *run, struct cw_text *starved)
{
    struct spread senders = {0}, takers = {0};
    int rc = 0;
    for (size_t i = 0; i < run->setup.n_jobs && !rc; i++)
        rc = add_senders(made, run, &run->setup.jobs[i], &senders, starved);
    if (rc) return rc;
    if (senders.starved > NAMED)
        cw_text_printf(starved, " and %llu more", (unsigned long long)(senders.starved - NAMED));
    const uint64_t *accepted = cw_flit_accepted_by(run->simulation);
    for (uint32_t i = 0; i < made->selection->n; i++)
        add_share(&takers, (double)accepted[made->selection->endpoints[i]] / (double)run->steady.cycles);
    cw_table_text(table, cw_packet_routing_name(made->routing));
    cw_table_real(table, load);
    cw_table_int(table, (int64_t)senders.n);
    cw_table_real(table, senders.least);
    cw_table_real(table, senders.sum / (double)senders.n);
    cw_table_real(table, senders.most);
    cw_table_real(table, senders.sum * senders.sum / (senders.squares * (double)senders.n));
    cw_table_int(table, (int64_t)senders.starved);
    cw_table_real(table, takers.least);
    cw_table_real(table, takers.sum / (double)takers.n);
    cw_table_real(table, takers.most);
    return 0;
}
