#include "sim/ebb.h"

#include "base/error.h"
#include "base/setup.h"
#include "base/statistics.h"
#include "net/network_internal.h"
#include "sim/congestion.h"

/* The mean bandwidth of each trial; all have as many messages, at least one. */
static int summarise(struct cw_congestion_result *result, size_t trials, struct cw_ebb_result *out)
{
    struct cw_congestion_sample *samples = result->samples;
    for (size_t t = 0; t < trials; t++) samples[t].bandwidth /= (double)samples[t].messages;
    out->max_congestion = result->max;
    return cw_summarise_member(&samples->bandwidth, trials, sizeof *samples, &out->ebb);
}

static int run(const struct cw_ebb_setup *setup, const struct cw_pattern *bisection,
               const struct cw_placement *placement, struct cw_ebb_result *out)
{
    const struct cw_congestion_setup congestion = {.routes = setup->routes,
                                                   .pattern = bisection,
                                                   .placement = placement,
                                                   .messages_only = true,
                                                   .equal_speeds = setup->equal_speeds,
                                                   .parts = setup->selection ? setup->selection->parts : NULL,
                                                   .trials = setup->trials,
                                                   .seed = setup->seed,
                                                   .n_threads = setup->n_threads,
                                                   .progress = setup->progress,
                                                   .executor = setup->executor};
    struct cw_congestion_result result;
    struct cw_ebb_result ebb;
    int rc = cw_congestion_run(&congestion, &result);
    if (rc) return rc;
    rc = summarise(&result, setup->trials, &ebb);
    if (!rc) *out = ebb;
    cw_congestion_free(&result);
    return rc;
}

int cw_ebb_run_sized(const struct cw_ebb_setup *given, size_t size, struct cw_ebb_result *out)
{
    struct cw_ebb_setup whole;
    const struct cw_ebb_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    int rc = cw_check_given(setup->routes, "routes");
    if (rc) return rc;
    const struct cw_network *net = cw_routes_network(setup->routes);
    const uint32_t n = setup->selection ? setup->selection->n : net->n_endpoints;
    if (n < 2)
        return cw_fail(CW_EUSAGE, "a bisection needs at least 2 endpoints, but %s has %u that take part", net->title,
                       n);
    struct cw_pattern *bisection = NULL;
    struct cw_placement *placement = NULL;
    rc = cw_pattern_new(setup->both_directions ? "bisection:bi" : "bisection:uni", NULL, &bisection);
    if (!rc) rc = cw_placement_new("contiguous", net, setup->selection, &placement);
    if (!rc) rc = run(setup, bisection, placement, out);
    cw_placement_free(placement);
    cw_pattern_free(bisection);
    return rc;
}
