/* crosswind analyse: what runs of the noise benchmark say. */
#include "base/error.h"
#include "cli/verb.h"
#include "study/bench/bench_reader.h"
#include "study/bench/bench_report.h"

static const struct cw_option arguments[] = {
    {.name = "FILE",
     .type = CW_OPTION_INPUT,
     .required = true,
     .repeats = true,
     .help = "samples that crosswind-mpi bench noise has written (CSV, its metadata beside it); several are merged"},
    {.name = NULL},
};

static int run(struct invocation *invocation)
{
    struct cw_bench_run measured = {0};
    struct cw_bench_analysis analysis = {0};
    int rc = cw_bench_read_all(invocation->positional, invocation->n_positional, &measured);
    if (rc) return rc;
    rc = cw_bench_analyse(&measured, (uint64_t)invocation->common.seed, &analysis);
    if (!rc) rc = cw_bench_report(&analysis, invocation->result);
    cw_bench_analysis_free(&analysis);
    cw_bench_run_free(&measured);
    return rc;
}

const struct verb verb_analyse = {
    .name = "analyse",
    .help = "What a measurement of network noise says, from its samples",
    .arguments = arguments,
    .description =
        "Recomputes the figures of crosswind-mpi bench noise from the samples it has written. Several files are one "
        "collection if they were measured alike: on the same hosts, under the same conditions. A split of the ranks is "
        "one observation: its figure is the median of its calls, for calls of one split are not independent. The "
        "slowdown is the ratio of the medians with and without perturbation of the same split, summarised by its "
        "median "
        "over splits, with an interval from resampling splits. Samples that were late, expired, or not covered by "
        "perturbation are counted and left out.",
    .examples = "  crosswind analyse noise.csv\n"
                "  crosswind analyse monday.csv tuesday.csv --format json\n",
    .computes = true,
    .run = run,
};
