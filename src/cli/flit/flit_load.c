#include "cli/flit/flit_mode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/flit/flit_details.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "sim/flit/flit_module.h"
#include "study/flit/flit_loads.h"

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth"},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"latency_mean", CW_COLUMN_REAL, "cycle", "mean latency of a message, from its generation"},
    {"latency_p99", CW_COLUMN_REAL, "cycle", "99 % of the messages arrive faster"},
    {"saturated", CW_COLUMN_TEXT, NULL,
     "whether less is accepted than offered: messages then queue at their sources, and latencies grow with the run"},
    {"cycles", CW_COLUMN_INT, "cycle", "cycles measured"},
    {"warmup_cycles", CW_COLUMN_INT, "cycle", "cycles before measuring"},
    {"steady", CW_COLUMN_TEXT, NULL, "whether the accepted load had no trend in the cycles measured"},
    {"flit_hops", CW_COLUMN_INT, NULL, "switch traversals in the cycles measured", .detail = true},
    {"flit_hops_per_second", CW_COLUMN_REAL, "1/s", "switch traversals in a second of computing", .detail = true,
     .measured = true},
    {"model_estimate", CW_COLUMN_REAL, NULL, "analytic estimate 3/(4p), where there is one (--analytic)"},
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound, which nothing passes (--analytic)"},
};

static const struct cw_column ratio_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load"},
    {"accepted", CW_COLUMN_REAL, NULL, "accepted load in the simulation"},
    {"estimate", CW_COLUMN_REAL, NULL, "analytic estimate"},
    {"accepted_to_estimate", CW_COLUMN_REAL, NULL, "accepted / estimate"},
    {"bound", CW_COLUMN_REAL, NULL, "link-load bound"},
    {"accepted_to_bound", CW_COLUMN_REAL, NULL, "accepted / bound"},
};

static const struct cw_column job_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where its messages go"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints of the job"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth"},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"network_latency", CW_COLUMN_REAL, "cycle", "mean time of a flit in the network, from its injection"},
};

static const struct cw_column saturation_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"accepted_load", CW_COLUMN_REAL, NULL, "greatest load tried that was accepted"},
    {"refused_load", CW_COLUMN_REAL, NULL, "least load tried that was not; none if load 1 is accepted"},
    {"accepted_most", CW_COLUMN_REAL, NULL, "greatest accepted load of all that were tried"},
};

/* The tables, which the result owns. */
struct report {
    const struct flit_mode *mode;
    struct cw_flit_case made;
    const struct cw_jobs *jobs; /* NULL: the one traffic of `made` */
    struct cw_table *main, *ratios, *each, *saturation;
    struct flit_details *details;
    struct cw_flit_model *models; /* [loads that were asked for]; NULL: of none */
    bool saturated;               /* some row is */
    uint64_t briefest;            /* cycles of any row; 0: there is none */
};

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void add_ratio(const struct report *report, const struct cw_steady_result *steady,
                      const struct cw_flit_model *model)
{
    struct cw_table *table = report->ratios;
    cw_table_row(table, "%s %g %g %g %g %g %g", cw_packet_routing_spec(report->made.routing), steady->offered,
                 steady->accepted, model->estimate, steady->accepted / model->estimate, model->bound,
                 steady->accepted / model->bound);
}

static void add_row(const struct report *report, const struct cw_steady_result *steady,
                    const struct cw_flit_model *model)
{
    struct cw_table *table = report->main;
    cw_table_row(table, "%s %g %g %g %g %g %s %lu %lu %s %lu %g %g %g", cw_packet_routing_spec(report->made.routing),
                 steady->offered, steady->accepted, steady->accepted_ci95, steady->latency_mean, steady->latency_p99,
                 steady->saturated ? "yes" : "no", steady->cycles, steady->warmup_cycles, steady->steady ? "yes" : "no",
                 steady->flit_hops, steady->seconds > 0 ? (double)steady->flit_hops / steady->seconds : (double)NAN,
                 model->estimate, model->bound);
    if (report->ratios) add_ratio(report, steady, model);
}

static void add_jobs(const struct report *report, const struct cw_steady_result *steady)
{
    for (size_t i = 0; report->jobs && i < report->jobs->n; i++) {
        const struct cw_job_request *job = &report->jobs->items[i];
        cw_table_row(report->each, "%s %zu %s %s %u %g %g %g %g", cw_packet_routing_spec(report->made.routing), i + 1,
                     job->what, job->placement, job->ranks, steady->jobs[i].offered, steady->jobs[i].accepted,
                     steady->jobs[i].accepted_ci95, steady->jobs[i].network_latency);
    }
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Where there is a trend, the interval is none. A load that was asked for has no answer then, unless that is accepted;
 * in a sweep it is no matter. */
static void judge(const struct report *report, struct cw_steady_result *steady)
{
    struct invocation *invocation = report->mode->invocation;
    if (steady->steady) return;
    if (!invocation->unsteady)
        cw_result_note(invocation->result,
                       "Rows that are not steady have no interval, because the accepted load had a trend.");
    invocation->unsteady = true;
    steady->accepted_ci95 = steady->accepted_ci = (double)NAN;
    for (size_t i = 0; report->jobs && i < report->jobs->n; i++) steady->jobs[i].accepted_ci95 = (double)NAN;
    if (report->mode->values->unsteady || report->mode->sweep) return;
    cw_result_note(invocation->result,
                   "%s at load %g is not steady after %llu cycles of warm-up and %llu measured: the accepted load "
                   "drifts by %.1f %%. Measure longer (--cycles, --warmup) or accept it with --unsteady.",
                   cw_packet_routing_spec(report->made.routing), steady->offered,
                   (unsigned long long)steady->warmup_cycles, (unsigned long long)steady->cycles, 100 * steady->drift);
    invocation->failed = true;
}

/* Says where --until-ci was not reached. */
static void note_precision(const struct report *report, const struct cw_steady_result *steady)
{
    const double wanted = report->mode->steady.until_ci;
    if (!report->mode->values->span.until_ci || !steady->steady || steady->accepted_ci <= wanted * steady->accepted)
        return;
    cw_result_note(report->mode->invocation->result,
                   "%s at load %g: after %llu cycles the interval's half width is %.2g %% of the mean; --until-ci "
                   "asked for %.2g %%.",
                   cw_packet_routing_spec(report->made.routing), steady->offered, (unsigned long long)steady->cycles,
                   100 * steady->accepted_ci / steady->accepted, 100 * wanted);
}

/* Reports RUN, of load number INDEX. */
static int add_run(void *context, size_t index, struct cw_flit_measurement *run)
{
    static const struct cw_flit_model none = {(double)NAN, (double)NAN};
    struct report *report = context;
    struct cw_steady_result *steady = &run->steady;
    judge(report, steady);
    report->saturated |= steady->saturated;
    if (report->briefest == 0 || steady->cycles < report->briefest) report->briefest = steady->cycles;
    add_row(report, steady, report->models ? &report->models[index] : &none);
    add_jobs(report, steady);
    note_precision(report, steady);
    return flit_details_add(report->details, &report->made, steady->offered, run);
}

/* A load at which nothing moves any more, which the error message says, has no figures. */
static void add_stuck(void *context, double load)
{
    const struct report *report = context;
    struct invocation *invocation = report->mode->invocation;
    const char *name = cw_packet_routing_spec(report->made.routing);
    cw_result_note(invocation->result, "%s at load %g: %s.", name, load, cw_error_message());
    invocation->failed = true;
    cw_table_text(report->main, name);
    cw_table_real(report->main, load);
    for (int i = 0; i < 7; i++) cw_table_none(report->main);
    cw_table_text(report->main, "no");
    for (int i = 0; i < 4; i++) cw_table_none(report->main);
}

static struct cw_progress *begin_load(void *context, double load)
{
    const struct report *report = context;
    char label[96];
    snprintf(label, sizeof label, "%s at load %.4g", cw_packet_routing_spec(report->made.routing), load);
    return invocation_progress(report->mode->invocation, label, report->mode->steady.cycles);
}

static struct cw_flit_loads loads_of(struct report *report)
{
    const struct flit_mode *mode = report->mode;
    const struct program_ranks *ranks = mode->invocation->ranks;
    return (struct cw_flit_loads){.made = &report->made,
                                  .hardware = &mode->hardware,
                                  .messages = &mode->messages,
                                  .steady = &mode->steady,
                                  .series = mode->values->series != NULL,
                                  .executor = invocation_executor(mode->invocation),
                                  .n_processes = ranks ? ranks->n : 1,
                                  .context = report,
                                  .begin = begin_load,
                                  .end = add_run,
                                  .stuck = add_stuck};
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

static int measure_loads(struct report *report)
{
    const struct cw_reals values = flit_options_loads(report->mode->values);
    const struct cw_flit_loads loads = loads_of(report);
    int rc = 0;
    if (report->mode->values->analytic) {
        report->models = cw_new_array(values.n, sizeof *report->models, "models");
        rc = report->models ? cw_flit_case_models(&report->made, values.values, values.n, report->models) : CW_ENOMEM;
    }
    if (!rc) rc = cw_flit_loads_measure(&loads, values.n, values.values);
    free(report->models);
    report->models = NULL;
    return rc;
}

static int measure_jobs(struct report *report)
{
    const struct flit_mode *mode = report->mode;
    const struct cw_flit_case *made = &report->made;
    struct cw_steady_setup steady = mode->steady;
    struct cw_flit_measurement run;
    struct cw_flit_seating seating;
    int rc = cw_flit_seating_make(report->jobs, made->net, made->selection, made->seed, 0, &mode->messages, &seating);
    if (rc) return rc;
    steady.progress = invocation_progress(mode->invocation, cw_packet_routing_spec(made->routing), steady.cycles);
    rc = cw_flit_case_measure_jobs(made, &mode->hardware, seating.jobs, seating.n, &steady, &run);
    cw_progress_free(steady.progress);
    if (!rc) rc = add_run(report, 0, &run);
    cw_flit_measurement_free(&run);
    cw_flit_seating_free(&seating);
    return rc;
}

/* Tries loads until it is known where the network saturates. */
static int sweep_loads(struct report *report)
{
    const struct cw_flit_loads loads = loads_of(report);
    struct cw_saturation search = {0};
    const int rc = cw_flit_loads_search(&loads, &search);
    if (rc) return rc;
    cw_table_row(report->saturation, "%s %g %g %g", cw_packet_routing_spec(report->made.routing), search.accepted,
                 search.refused > 0 ? search.refused : (double)NAN, search.most);
    return 0;
}

static int measure_routing(void *context, const struct flit_routing *routing)
{
    struct report *report = context;
    report->made.routing = routing->packets;
    return report->jobs ? measure_jobs(report) : report->mode->sweep ? sweep_loads(report) : measure_loads(report);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Rows to come: one for each routing and load, and of those for each job. Nobody knows how many loads are tried. */
static void expect_rows(struct report *report)
{
    const size_t loads = report->jobs ? 1 : flit_options_loads(report->mode->values).n;
    const size_t runs = report->mode->n_routings * loads;
    if (report->mode->sweep) {
        cw_table_expect(report->saturation, report->mode->n_routings);
        return;
    }
    cw_table_expect(report->main, runs);
    if (report->each) cw_table_expect(report->each, runs * report->jobs->n);
    if (report->ratios) cw_table_expect(report->ratios, runs);
}

static int make_tables(struct report *report)
{
    const struct cw_flit_case *made = &report->made;
    struct cw_result *result = report->mode->invocation->result;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    cw_text_printf(&title, "Flit-level simulation of %s on %s (%s, %s placement)", made->traffic_spec, made->net->title,
                   fabric_count(made->net, made->selection, count), made->placement_spec);
    int rc = cw_text_check(&title);
    if (!rc) rc = cw_result_new_table(result, "flit", title.data, CW_ITEMS(columns), &report->main);
    cw_text_free(&title);
    if (!rc && report->jobs)
        rc = cw_result_new_table(result, "jobs", "Jobs side by side", CW_ITEMS(job_columns), &report->each);
    if (!rc && report->mode->sweep)
        rc = cw_result_new_detail(result, "saturation", "Where the network saturates", CW_ITEMS(saturation_columns),
                                  &report->saturation);
    if (!rc && report->mode->values->analytic)
        rc = cw_result_new_detail(result, "model", "Model and simulation side by side", CW_ITEMS(ratio_columns),
                                  &report->ratios);
    if (rc) return rc;
    expect_rows(report);
    return flit_details_new(report->mode->values, &report->mode->invocation->flits, result, &report->details);
}

/* How long messages take, and what arrives; of several jobs, what each gets. */
static int declare_figures(const struct report *report)
{
    static const struct cw_figure_panel of_jobs[] = {{.y = "accepted_mean", .ci95 = "accepted_ci95"},
                                                     {.y = "network_latency"}};
    static const struct cw_figure figures[] = {{.kind = CW_FIGURE_LINES,
                                                .table = "flit",
                                                .x = "offered",
                                                .y = "latency_mean",
                                                .series = "routing",
                                                .marked = "saturated",
                                                .log_y = true},
                                               {.kind = CW_FIGURE_LINES,
                                                .table = "flit",
                                                .x = "offered",
                                                .y = "accepted_mean",
                                                .ci95 = "accepted_ci95",
                                                .series = "routing",
                                                .marked = "saturated",
                                                .equal = true},
                                               {.kind = CW_FIGURE_BARS,
                                                .table = "jobs",
                                                .rows = "routing",
                                                .series = "traffic",
                                                .panels = of_jobs,
                                                .n_panels = 2}};
    struct cw_result *result = report->mode->invocation->result;
    if (report->jobs) return cw_result_figure(result, &figures[2]);
    const int rc = cw_result_figure(result, &figures[0]);
    return rc ? rc : cw_result_figure(result, &figures[1]);
}

/* What no row says of itself. */
static int note_limits(const struct report *report)
{
    const struct flit_mode *mode = report->mode;
    struct cw_result *result = mode->invocation->result;
    double lasts;
    if (report->saturated)
        cw_result_note(result, "In saturated rows, latencies depend on how long was measured: less is accepted than "
                               "offered, so messages wait at their sources for longer and longer.");
    const int rc = cw_flit_control_lasts(&mode->hardware, &lasts);
    if (rc || report->briefest == 0 || lasts <= (double)report->briefest) return rc;
    char time[32], measured[32];
    const double cycle = cw_flit_cycle(&mode->hardware);
    cw_result_note(result,
                   "The rate control cannot have settled: its longest time constant is %.0f cycles (%s), and only %llu "
                   "(%s) were measured. Measure longer (--cycles), or shorten its times (crosswind help controls).",
                   lasts, cw_format_time(lasts * cycle, time, sizeof time), (unsigned long long)report->briefest,
                   cw_format_time((double)report->briefest * cycle, measured, sizeof measured));
    return 0;
}

static int simulate(struct report *report)
{
    int rc = make_tables(report);
    if (!rc) rc = declare_figures(report);
    if (rc) return rc;
    rc = flit_each_routing(report->mode, measure_routing, report);
    const int noted = note_limits(report);
    return flit_details_finish(report->details, rc ? rc : noted);
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static struct cw_flit_case case_of(const struct flit_mode *mode, const char *traffic)
{
    return (struct cw_flit_case){.net = mode->net,
                                 .selection = mode->selection,
                                 .traffic_spec = traffic,
                                 .placement_spec = mode->values->placement,
                                 .seed = (uint64_t)mode->invocation->common.seed,
                                 .n_threads = (unsigned)mode->invocation->common.threads,
                                 .allow_deadlock = mode->invocation->flits.allow_deadlock};
}

int flit_load(const struct flit_mode *mode)
{
    struct cw_result *result = mode->invocation->result;
    struct report report = {.mode = mode, .made = case_of(mode, mode->values->traffic)};
    int rc = cw_flit_case_make(&report.made);
    if (rc) return rc;
    cw_result_set_context(result, CW_CONTEXT_PLACEMENT, mode->values->placement);
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, mode->values->traffic);
    rc = simulate(&report);
    cw_flit_case_free(&report.made);
    if (!rc && mode->sweep)
        cw_result_note(result,
                       "The search tried loads until the least load that the network does not accept was known to 5 "
                       "%%. A load is not accepted if less than %g %% of it arrives or its mean latency is more than "
                       "%d times the least. Each load was measured for %llu cycles after %llu of warm-up. A network "
                       "may accept less after a longer time: --load measures the steady state.",
                       100 * CW_SATURATION_SHARE, CW_SATURATION_LATENCY, (unsigned long long)mode->steady.cycles,
                       (unsigned long long)mode->steady.warmup);
    return rc;
}

int flit_load_jobs(const struct flit_mode *mode, const struct cw_jobs *jobs)
{
    char title[32];
    snprintf(title, sizeof title, "%zu jobs", jobs->n);
    struct report report = {.mode = mode, .jobs = jobs, .made = case_of(mode, title)};
    return simulate(&report);
}
