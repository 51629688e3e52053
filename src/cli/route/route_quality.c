#include "cli/route/route_quality.h"

#include <math.h>

#include "base/error.h"
#include "report/rows.h"
#include "sim/quality.h"

static const struct cw_column columns[] = {
    {"measure", CW_COLUMN_TEXT, NULL,
     "destinations: of the routes on a channel between switches; ebb: effective bisection bandwidth, one half sending "
     "(uni) or both (bi); shift: every endpoint sends to the one K places further on, and what the slowest channel "
     "takes; alltoall: all shifts, one after another. Endpoints are in the order of the placement switches"},
    {"routes", CW_COLUMN_REAL, NULL, "of these routes; 1 is a message alone on the fastest cable of an endpoint"},
    {"ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval, where it was drawn", .interval = true},
    {"best", CW_COLUMN_REAL, NULL,
     "no forwarding tables can have less, or more bandwidth; this need not be reached. For routes that use no tables: "
     "no routes of their kind"},
};

static void add_row(struct cw_table *table, const char *name, const struct cw_quality_measure *measure)
{
    cw_table_row(table, "%s %g %g %g", name, measure->value, measure->ci95, measure->best);
}

static void note(struct cw_result *result, const struct cw_quality *quality)
{
    cw_result_note(result,
                   "Between random halves that both send, a message gets %.0f %% of an endpoint's cable. A shift takes "
                   "the time of %.3g messages there on average, of %.3g at worst%s.",
                   100 * quality->ebb_bi.value, quality->shift.value, quality->worst_shift.value,
                   quality->n_shifts + 1 < quality->endpoints ? " of a random sample" : "");
    if (!isnan(quality->ebb_bi.best))
        cw_result_note(
            result,
            "No forwarding tables can do better than the column best: %.0f %% between halves, %.3g for the mean "
            "shift. It counts what leaves and enters each switch, and distances; it may be out of reach.",
            100 * quality->ebb_bi.best, quality->shift.best);
}

int route_add_quality(struct invocation *invocation, const struct fabric *fabric, const struct cw_routes *routes)
{
    const struct cw_quality_setup setup = {.routes = routes,
                                           .selection = fabric->selection,
                                           .seed = (uint64_t)invocation->common.seed,
                                           .n_threads = (unsigned)invocation->common.threads};
    struct cw_quality quality;
    struct cw_table *table;
    if (fabric->selection->n < 2) return 0;
    int rc = cw_quality_run(&setup, &quality);
    if (!rc)
        rc = cw_result_new_detail(invocation->result, "quality", "What messages feel of the routes", CW_ITEMS(columns),
                                  &table);
    if (rc) return rc;
    add_row(table, "destinations, mean", &quality.destinations);
    add_row(table, "destinations, most", &quality.most_destinations);
    add_row(table, "ebb uni", &quality.ebb_uni);
    add_row(table, "ebb bi", &quality.ebb_bi);
    add_row(table, "shift, mean", &quality.shift);
    add_row(table, "shift, worst", &quality.worst_shift);
    add_row(table, "alltoall", &quality.alltoall);
    note(invocation->result, &quality);
    return 0;
}
