/* crosswind analyse: what runs of the noise benchmark say. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/analyse/analyse_figures.h"
#include "cli/analyse/analyse_prediction.h"
#include "cli/verb.h"
#include "report/plot.h"
#include "study/bench/bench_comparison.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_report.h"

struct analyse_options {
    char *compare, *plot;
    int figure;
    struct prediction_options prediction;
};

static const struct cw_option options[] = {
    {.name = "compare",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct analyse_options, compare),
     .value_name = "FILE[,FILE...]",
     .help = "compare with this other run, case by case; splits that both measured are compared in pairs"},
    {.name = "plot",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct analyse_options, plot),
     .value_name = "FILE.svg",
     .help = "draw a figure with gnuplot, whose script stays beside it"},
    {.name = "figure",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct analyse_options, figure),
     .default_text = "auto",
     .choices = figure_names,
     .help =
         "with --plot: calls by the application's ranks (times); slowdowns of splits by ratio, with a fitted line and "
         "its band (ratio), by the application's ranks (size), or by what is predicted, with the line y = x "
         "(prediction). From 10 splits on they are notched boxes, before that points with 95 % intervals. auto: ratio "
         "where there are three of them, else times"},
    PREDICTION_OPTIONS(struct analyse_options, prediction),
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "FILE",
     .type = CW_OPTION_INPUT,
     .required = true,
     .repeats = true,
     .help = "samples that crosswind-mpi bench noise has written (CSV, its metadata beside it); several are merged"},
    {.name = NULL},
};

/* What means nothing without other options. */
static int check_options(const struct invocation *invocation)
{
    static const char *const of_plot[] = {"figure", NULL};
    const struct analyse_options *values = invocation->values;
    int rc = prediction_check(invocation, &values->prediction);
    if (!rc && !values->plot) rc = invocation_refuse(invocation, of_plot, "is for --plot FILE.svg");
    if (!rc && values->figure == FIGURE_PREDICTION && !values->prediction.fabric)
        rc = cw_fail(CW_EUSAGE, "--figure prediction: expected --fabric NETWORK");
    return rc || !values->plot ? rc : cw_plot_check();
}

/* All that an invocation is about. */
struct job {
    struct cw_bench_run run, other; /* OTHER: to compare with */
    struct cw_bench_analysis analysis, other_analysis;
    struct prediction_site site; /* where --fabric is given */
    struct cw_bench_prediction prediction;
};

static void free_job(struct job *job)
{
    cw_bench_prediction_free(&job->prediction);
    prediction_site_free(&job->site);
    cw_bench_analysis_free(&job->analysis);
    cw_bench_analysis_free(&job->other_analysis);
    cw_bench_run_free(&job->run);
    cw_bench_run_free(&job->other);
}

/* --- reading: what is wrong with a file is said before anything is shown ------------------------------------------ */

/* The runs of LIST, "FILE,FILE", as one. */
static int read_list(const char *list, struct cw_bench_run *out)
{
    char *copy = cw_copy_text(list, strlen(list)), *rest = copy;
    const char **paths = cw_new_array(strlen(list) + 1, sizeof *paths, "names of files");
    size_t n = 0;
    if (copy && paths)
        for (char *path; (path = strsep(&rest, ","));) paths[n++] = path;
    const int rc = copy && paths ? cw_bench_read_all(paths, n, out) : CW_ENOMEM;
    free(paths);
    free(copy);
    return rc;
}

static int read_all(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    const uint64_t seed = (uint64_t)invocation->common.seed;
    int rc = cw_bench_read_all(invocation->positional, invocation->n_positional, &job->run);
    if (!rc && values->compare) rc = read_list(values->compare, &job->other);
    if (!rc && values->prediction.fabric)
        rc = prediction_site_open(invocation, &values->prediction, &job->run, &job->site);
    if (!rc) rc = cw_bench_analyse(&job->run, seed, &job->analysis);
    if (!rc && values->compare) rc = cw_bench_analyse(&job->other, seed, &job->other_analysis);
    return rc;
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int compare(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    struct cw_bench_comparison comparison;
    int rc = cw_bench_compare(&job->analysis, &job->other_analysis, (uint64_t)invocation->common.seed, &comparison);
    if (rc) return rc;
    rc = cw_bench_comparison_report(&comparison, job->run.name, values->compare, invocation->result);
    cw_bench_comparison_free(&comparison);
    return rc;
}

static int report(struct invocation *invocation, struct job *job)
{
    const struct analyse_options *values = invocation->values;
    int rc = cw_bench_report(&job->analysis, invocation->result);
    if (!rc && values->compare) rc = compare(invocation, job);
    if (!rc && values->prediction.fabric)
        rc = prediction_report(invocation, &values->prediction, &job->site, &job->analysis, &job->prediction);
    if (!rc && values->plot)
        rc = analyse_draw(&job->analysis, values->prediction.fabric ? &job->prediction : NULL,
                          (enum figure)values->figure, values->plot);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct job job = {0};
    int rc = check_options(invocation);
    if (!rc) rc = read_all(invocation, &job);
    if (!rc) rc = report(invocation, &job);
    free_job(&job);
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
        "median over splits, with an interval from resampling splits. Samples that were late, expired, or not covered "
        "by "
        "perturbation are counted and left out. With --fabric, each split is also simulated with the same ranks in the "
        "application and in the perturbation.",
    .examples = "  crosswind analyse noise.csv\n"
                "  crosswind analyse monday.csv tuesday.csv --format json\n"
                "  crosswind analyse before.csv --compare after.csv\n"
                "  crosswind analyse noise.csv --plot noise.svg --figure times\n"
                "  crosswind analyse noise.csv --fabric fabric.ibnetdiscover --lft opensm-lfts.dump --hosts map.txt\n",
    .options = options,
    .size = sizeof(struct analyse_options),
    .network = true,
    .routes = true,
    .run = run,
};
