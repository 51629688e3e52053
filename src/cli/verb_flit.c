/* crosswind flit: flit-level simulation of a network under a load, or of a collective. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/fabric.h"
#include "cli/flit_case.h"
#include "cli/flit_collective.h"
#include "cli/flit_completion.h"
#include "cli/flit_details.h"
#include "cli/flit_jobs.h"
#include "cli/flit_options.h"
#include "cli/output.h"
#include "route/engine.h"

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth"},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"latency_mean", CW_COLUMN_REAL, "cycle", "mean latency of a message, from its generation"},
    {"latency_p99", CW_COLUMN_REAL, "cycle", "99 % of the messages are faster"},
    {"cycles", CW_COLUMN_INT, "cycle", "measured"},
    {"warmup_cycles", CW_COLUMN_INT, "cycle", "before measuring"},
    {"steady", CW_COLUMN_TEXT, NULL, "whether the accepted load had no trend in the cycles measured"},
    {"flit_hops", CW_COLUMN_INT, NULL, "switch traversals in the cycles measured", .detail = true},
    {"flit_hops_per_second", CW_COLUMN_REAL, "1/s", "of computing; the one figure that differs from run to run",
     .detail = true},
    {"model_estimate", CW_COLUMN_REAL, NULL, "analytic estimate 3/(4p), where there is one (--model)"},
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound, which nothing passes (--model)"},
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

/* The tables, which the result owns. */
struct report {
    const struct flit_mode *mode;
    const struct flit_options *values;
    struct flit_case made;
    const struct flit_jobs *jobs; /* NULL: the one traffic of `made` */
    struct cw_table *main, *ratios, *each;
    struct flit_details *details;
};

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void add_ratio(const struct report *report, const struct cw_steady_result *steady,
                      const struct flit_model *model)
{
    struct cw_table *table = report->ratios;
    cw_table_text(table, cw_packet_routing_name(report->made.routing));
    cw_table_real(table, steady->offered);
    cw_table_real(table, steady->accepted);
    cw_table_real(table, model->estimate);
    cw_table_real(table, steady->accepted / model->estimate);
    cw_table_real(table, model->bound);
    cw_table_real(table, steady->accepted / model->bound);
}

static void add_row(const struct report *report, const struct cw_steady_result *steady, const struct flit_model *model)
{
    struct cw_table *table = report->main;
    cw_table_text(table, cw_packet_routing_name(report->made.routing));
    cw_table_real(table, steady->offered);
    cw_table_real(table, steady->accepted);
    cw_table_real(table, steady->accepted_ci95);
    cw_table_real(table, steady->latency_mean);
    cw_table_real(table, steady->latency_p99);
    cw_table_int(table, (int64_t)steady->cycles);
    cw_table_int(table, (int64_t)steady->warmup_cycles);
    cw_table_text(table, steady->steady ? "yes" : "no");
    cw_table_int(table, (int64_t)steady->flit_hops);
    cw_table_real(table, steady->seconds > 0 ? (double)steady->flit_hops / steady->seconds : (double)NAN);
    cw_table_real(table, model->estimate);
    cw_table_real(table, model->bound);
    if (report->ratios) add_ratio(report, steady, model);
}

static void add_jobs(const struct report *report, const struct cw_steady_result *steady)
{
    for (size_t i = 0; report->jobs && i < report->jobs->n; i++) {
        const struct flit_job *job = &report->jobs->items[i];
        cw_table_text(report->each, cw_packet_routing_name(report->made.routing));
        cw_table_int(report->each, (int64_t)i + 1);
        cw_table_text(report->each, job->what);
        cw_table_text(report->each, job->placement);
        cw_table_int(report->each, job->ranks);
        cw_table_real(report->each, steady->jobs[i].offered);
        cw_table_real(report->each, steady->jobs[i].accepted);
        cw_table_real(report->each, steady->jobs[i].accepted_ci95);
        cw_table_real(report->each, steady->jobs[i].network_latency);
    }
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int refuse_unsteady(const struct report *report, const struct cw_steady_result *steady)
{
    if (steady->steady || report->values->unsteady) return 0;
    return cw_fail(CW_EIO,
                   "%s at load %g is not steady after %llu cycles of warm-up and %llu measured: the accepted load "
                   "drifts by %.1f %%; measure longer (--cycles, --warmup) or accept it with --unsteady",
                   cw_packet_routing_name(report->made.routing), steady->offered,
                   (unsigned long long)steady->warmup_cycles, (unsigned long long)steady->cycles, 100 * steady->drift);
}

/* Says where --until-ci was not reached. */
static void note_precision(const struct report *report, const struct cw_steady_result *steady)
{
    const double wanted = report->mode->steady.until_ci;
    if (!report->values->until_ci || steady->accepted_ci <= wanted * steady->accepted) return;
    cw_result_note(report->mode->invocation->result,
                   "%s at load %g: the interval's half width is %.2g %% of the mean after %llu cycles, not the %.2g %% "
                   "asked for.",
                   cw_packet_routing_name(report->made.routing), steady->offered,
                   100 * steady->accepted_ci / steady->accepted, (unsigned long long)steady->cycles, 100 * wanted);
}

/* Reports RUN, which may have ended with ERROR, and ends it. */
static int finish_run(struct report *report, struct flit_run *run, const struct flit_model *model, int error)
{
    if (!error) error = refuse_unsteady(report, &run->steady);
    if (!error) {
        add_row(report, &run->steady, model);
        add_jobs(report, &run->steady);
        note_precision(report, &run->steady);
        error = flit_details_add(report->details, &report->made, run->steady.offered, run);
    }
    const int end = flit_run_end(run);
    return error ? error : end;
}

static int measure(struct report *report, const struct cw_flit_job *jobs, size_t n_jobs, double load,
                   const struct flit_model *model)
{
    const struct flit_mode *mode = report->mode;
    struct flit_run run;
    struct cw_steady_setup steady = mode->steady;
    steady.progress =
        invocation_progress(mode->invocation, cw_packet_routing_name(report->made.routing), steady.cycles);
    const int error = jobs ? flit_run_jobs(&report->made, &mode->hardware, jobs, n_jobs, &steady, &run)
                           : flit_run_begin(&report->made, &mode->hardware, mode->message_flits, load, &steady, &run);
    cw_progress_free(steady.progress);
    return finish_run(report, &run, model, error);
}

static int measure_loads(struct report *report)
{
    const struct cw_reals *loads = &report->values->loads;
    struct flit_model *models = cw_new_array(loads->n, sizeof *models, "models");
    if (!models) return CW_ENOMEM;
    for (size_t i = 0; i < loads->n; i++) models[i] = (struct flit_model){(double)NAN, (double)NAN};
    int error = report->values->model ? flit_case_models(&report->made, loads->values, loads->n, models) : 0;
    for (size_t i = 0; i < loads->n && !error; i++) error = measure(report, NULL, 0, loads->values[i], &models[i]);
    free(models);
    return error;
}

static int measure_jobs(struct report *report)
{
    const struct flit_model none = {(double)NAN, (double)NAN};
    struct flit_seating seating;
    const struct flit_case *made = &report->made;
    int error =
        flit_jobs_seat(report->jobs, made->net, made->selection, made->seed, 0, report->mode->message_flits, &seating);
    if (error) return error;
    error = measure(report, seating.jobs, seating.n, 0, &none);
    flit_seating_free(&seating);
    return error;
}

static int measure_routing(void *context, const char *spec)
{
    struct report *report = context;
    struct cw_packet_routing *routing;
    int error = cw_packet_routing_new(report->made.net, spec, report->made.seed, report->made.n_threads, &routing);
    if (error) return error;
    report->made.routing = routing;
    error = report->jobs ? measure_jobs(report) : measure_loads(report);
    cw_packet_routing_free(routing);
    return error;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Rows to come: one for each routing and load, and of those for each job. */
static void expect_rows(struct report *report)
{
    const size_t runs = report->mode->n_routings * (report->jobs ? 1 : report->values->loads.n);
    cw_table_expect(report->main, runs);
    if (report->each) cw_table_expect(report->each, runs * report->jobs->n);
    if (report->ratios) cw_table_expect(report->ratios, runs);
}

static int make_tables(struct report *report)
{
    const struct flit_case *made = &report->made;
    struct cw_result *result = report->mode->invocation->result;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    cw_text_printf(&title, "Flit-level simulation of %s on %s (%s, %s placement)", made->traffic_spec, made->net->title,
                   fabric_count(made->net, made->selection, count), made->placement_spec);
    int error = cw_text_check(&title);
    if (!error) error = cw_table_new("flit", title.data, columns, sizeof columns / sizeof *columns, &report->main);
    if (!error) error = cw_result_add_table(result, report->main);
    cw_text_free(&title);
    if (!error && report->jobs) {
        error = cw_table_new("jobs", "Jobs side by side", job_columns, sizeof job_columns / sizeof *job_columns,
                             &report->each);
        if (!error) error = cw_result_add_table(result, report->each);
    }
    if (!error && report->values->model) {
        error = cw_table_new("model", "Model and simulation side by side", ratio_columns,
                             sizeof ratio_columns / sizeof *ratio_columns, &report->ratios);
        if (!error) error = cw_result_add_detail(result, report->ratios);
    }
    if (error) return error;
    expect_rows(report);
    return flit_details_new(report->values, result, &report->details);
}

static int simulate(struct report *report)
{
    int error = make_tables(report);
    if (error) return error;
    error = flit_each_routing(report->mode->routings, measure_routing, report);
    return flit_details_finish(report->details, error);
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static int simulate_load(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->invocation->values;
    struct report report = {.mode = mode,
                            .values = values,
                            .made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .traffic_spec = values->traffic,
                                     .placement_spec = values->placement,
                                     .seed = (uint64_t)mode->invocation->common.seed,
                                     .n_threads = (unsigned)mode->invocation->common.threads}};
    int error = flit_case_make(&report.made);
    if (error) return error;
    cw_result_set_context(mode->invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
    cw_result_set_context(mode->invocation->result, CW_CONTEXT_TRAFFIC, values->traffic);
    error = simulate(&report);
    flit_case_free(&report.made);
    return error;
}

static int simulate_jobs(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->invocation->values;
    struct flit_jobs jobs;
    int error = flit_jobs_parse(values->jobs, values->placement, mode->selection->n, &jobs);
    if (error) return error;
    bool one_ends = false;
    for (size_t i = 0; i < jobs.n; i++) one_ends |= flit_job_ends(&jobs.items[i]);
    char title[32];
    snprintf(title, sizeof title, "%zu jobs", jobs.n);
    struct report report = {.mode = mode,
                            .values = values,
                            .jobs = &jobs,
                            .made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .traffic_spec = title,
                                     .placement_spec = values->placement,
                                     .seed = (uint64_t)mode->invocation->common.seed,
                                     .n_threads = (unsigned)mode->invocation->common.threads}};
    if (!one_ends && values->trials > 0)
        error = cw_fail(CW_EUSAGE, "option --trials is for jobs that end; none of these does");
    else
        error = one_ends ? flit_completion_jobs(mode, &jobs) : simulate(&report);
    flit_jobs_free(&jobs);
    return error;
}

/* Options that a mode passes over are errors. */
static int refuse_options(const struct invocation *invocation)
{
    static const char *const of_collectives[] = {"bytes", "ratio", NULL};
    static const char *const of_traffic[] = {"traffic", "finite", NULL};
    static const char *const of_steady_states[] = {"cycles",   "time",      "until-ci",   "unsteady", "model", "series",
                                                   "channels", "histogram", "confidence", "top",      NULL};
    static const char *const of_one_traffic[] = {"load", "model", "schedule", NULL};
    static const char *const trials[] = {"trials", NULL}, *const placement[] = {"placement", NULL};
    const struct flit_options *values = invocation->values;
    int error = 0;
    if (!values->schedule) error = invocation_refuse(invocation, of_collectives, "is for --schedule");
    if (!error && (values->schedule || values->jobs))
        error = invocation_refuse(invocation, of_traffic, "is not for --schedule and --jobs");
    if (!error && values->jobs) error = invocation_refuse(invocation, of_one_traffic, "is not for --jobs");
    if (!error && values->schedule) error = invocation_refuse(invocation, placement, "is not for --schedule");
    if (!error && (values->schedule || values->finite))
        error = invocation_refuse(invocation, of_steady_states, "is for loads without end");
    if (!error && !values->schedule && !values->finite && !values->jobs)
        error = invocation_refuse(invocation, trials, "is for what ends: --finite, --jobs or --schedule");
    return error;
}

/* The longest latency of a channel between switches, in cycles. */
static double longest_latency(const struct flit_mode *mode)
{
    const struct cw_network *net = mode->net;
    const double cycle = mode->hardware.flit_bytes / mode->hardware.reference_capacity;
    double longest = fmax(mode->hardware.local_latency, mode->hardware.global_latency);
    if (mode->hardware.local_latency > 0 && mode->hardware.global_latency > 0) return longest;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]))
            longest = fmax(longest, ceil(net->latency[c] / cycle));
    return longest;
}

/* A lane has no more flits under way than the input buffer has room for, until its credits are back. */
static void note_buffers(const struct flit_mode *mode)
{
    const double trip = 2 * longest_latency(mode) + mode->hardware.pipeline - 1;
    if (mode->hardware.input_flits >= trip) return;
    cw_result_note(mode->invocation->result,
                   "Input buffers of %u flits do not cover the longest round trip, %g cycles: one lane fills %.2g of "
                   "such a channel at most.",
                   mode->hardware.input_flits, trip, mode->hardware.input_flits / trip);
}

static int run(struct invocation *invocation)
{
    const struct flit_options *values = invocation->values;
    struct flit_mode mode = {.invocation = invocation};
    struct fabric fabric = {0};
    int error = refuse_options(invocation);
    if (!error) error = output_check(values->series);
    if (!error) error = output_check(values->channels);
    if (!error) error = output_check(values->histogram);
    if (!error) error = fabric_open(invocation, invocation->positional[0], &fabric);
    if (error) {
        fabric_free(&fabric);
        return error;
    }
    mode.net = fabric.net;
    mode.selection = fabric.selection;
    mode.routings = values->routings ? values->routings : cw_engine_default(fabric.net);
    error = flit_count_routings(mode.routings, &mode.n_routings);
    if (!error && !values->routings) error = fabric_note_engine(invocation, fabric.net, false);
    if (!error) error = flit_options_hardware(values, mode.net, &mode.hardware, &mode.message_flits);
    if (!error) error = flit_options_steady(values, &mode.hardware, &mode.steady);
    if (!error)
        error = values->schedule ? flit_collective(&mode)
                : values->jobs   ? simulate_jobs(&mode)
                : values->finite ? flit_completion_finite(&mode)
                                 : simulate_load(&mode);
    if (!error) note_buffers(&mode);
    fabric_free(&fabric);
    return error;
}

const struct verb verb_flit = {
    .name = "flit",
    .help = "Flit-level simulation: accepted load, latency and hot channels, or the time of a collective",
    .arguments = "NETWORK",
    .description =
        "Simulates every flit, cycle by cycle, through switches with input and output queues, virtual lanes and "
        "credits. One cycle is the time in which a channel moves a flit (64 B at 40 Gbit/s: 12.8 ns). A "
        "routing is proven deadlock-free before the run. Each load is measured after warm-up, in steady state; a "
        "window that is not steady is an error unless --unsteady accepts it.\n"
        "With --finite, --schedule or --jobs it tells how long something takes that ends. Jobs share the network: each "
        "takes, in the order of its placement, the first endpoints that no job before it has; one job may leave out "
        "ranks= and gets the rest. Jobs without end are in steady state when those that end begin. The time beside the "
        "others is compared with the time alone, and for collectives with what the congestion model says of the "
        "same.",
    .examples =
        "  crosswind flit dragonfly:4,8,4 --traffic bitcomp --routing minimal,valiant-restricted,valiant-any --model\n"
        "  crosswind flit torus:8x8 --traffic uniform --routing dor --load 0.1..1:0.1 --until-ci 1%\n"
        "  crosswind flit dragonfly:4,8,4 --traffic neighbour3d --finite 256KiB --routing minimal,valiant-any\n"
        "  crosswind flit dragonfly:2,4,2 --jobs 'allreduce ranks=40 bytes=64KiB; uniform load=0.5' --placement "
        "random\n"
        "  crosswind flit 'xgft(2,12,6)' --schedule binomial-bcast --ratio 0.5 --trials 50\n",
    .options = flit_option_table,
    .size = sizeof(struct flit_options),
    .min_positional = 1,
    .max_positional = 1,
    .network = true,
    .run = run,
};
