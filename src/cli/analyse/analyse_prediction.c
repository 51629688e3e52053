#include "cli/analyse/analyse_prediction.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"

int prediction_check(const struct invocation *invocation, const struct prediction_options *options)
{
    static const char *const of_network[] = {"hosts",        "rounds",        "L",      "o",        "G",
                                             "input-format", "node-name-map", "failed", "degraded", "routing",
                                             "lft",          "repair",        "paths",  "tables",   NULL};
    static const char *const of_placement[] = {"endpoints", NULL};
    const int rc = invocation_refuse(invocation, of_placement, "is not for a measurement: its hosts are known");
    return rc || options->fabric ? rc : invocation_refuse(invocation, of_network, "is for --fabric NETWORK");
}

int prediction_site_open(struct invocation *invocation, const struct prediction_options *options,
                         const struct cw_bench_run *run, struct prediction_site *site)
{
    const int rc = fabric_open(invocation, options->fabric, &site->fabric);
    if (rc) return rc;
    site->endpoints = cw_new_array(run->n_ranks, sizeof *site->endpoints, "endpoints of ranks");
    return site->endpoints ? cw_bench_hosts(run, site->fabric.net, options->hosts, site->endpoints) : CW_ENOMEM;
}

void prediction_site_free(struct prediction_site *site)
{
    free(site->endpoints);
    fabric_free(&site->fabric);
    site->endpoints = NULL;
}

int prediction_report(struct invocation *invocation, const struct prediction_options *options,
                      const struct prediction_site *site, const struct cw_bench_analysis *analysis,
                      struct cw_bench_prediction *prediction)
{
    const size_t rounds = cw_bench_prediction_points(analysis) * (size_t)options->rounds;
    struct cw_progress *progress = invocation_progress(invocation, "prediction", rounds);
    const struct cw_bench_prediction_setup setup = {
        .routes = site->fabric.routes,
        .endpoints = site->endpoints,
        .timing = {.loggp = true,
                   .latency = invocation_has(invocation, "L") ? options->latency : CW_TIMING_OF_CHANNELS,
                   .overhead = options->overhead,
                   .gap = invocation_has(invocation, "G") ? options->gap : CW_TIMING_OF_CHANNELS},
        .rounds = (size_t)options->rounds,
        .seed = (uint64_t)invocation->common.seed,
        .n_threads = (unsigned)invocation->common.threads,
        .progress = progress,
    };
    const int rc = cw_bench_predict(analysis, &setup, prediction);
    cw_progress_free(progress);
    return rc ? rc : cw_bench_prediction_report(analysis, prediction, invocation->result);
}
