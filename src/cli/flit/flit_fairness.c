#include "cli/flit/flit_fairness.h"

#include "study/flit/flit_case.h"

#define NAMED 5 /* starved endpoints that are named */

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

int flit_fairness_add(struct cw_table *table, const struct cw_flit_case *made, double load,
                      const struct cw_flit_measurement *run, struct cw_text *starved)
{
    struct cw_fairness fairness;
    const int rc = cw_fairness_of(made, run, &fairness);
    if (rc) return rc;
    name_starved(made, run, &fairness, starved);
    cw_table_text(table, cw_packet_routing_spec(made->routing));
    cw_table_real(table, load);
    cw_table_int(table, (int64_t)fairness.injected.n);
    cw_table_real(table, fairness.injected.least);
    cw_table_real(table, fairness.injected.mean);
    cw_table_real(table, fairness.injected.most);
    cw_table_real(table, fairness.injected.jain);
    cw_table_int(table, (int64_t)fairness.n_starved);
    cw_table_real(table, fairness.accepted.least);
    cw_table_real(table, fairness.accepted.mean);
    cw_table_real(table, fairness.accepted.most);
    cw_fairness_free(&fairness);
    return 0;
}
