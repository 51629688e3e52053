/* crosswind flit: flit-level simulation of a network under a load, or of a collective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/fabric.h"
#include "cli/flit_case.h"
#include "cli/flit_collective.h"
#include "cli/flit_details.h"
#include "cli/flit_options.h"
#include "route/engine.h"

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network, as given", .detail = true},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints", .detail = true},
    {"traffic", CW_COLUMN_TEXT, NULL, "where messages go", .detail = true},
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on", .detail = true},
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
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound (--model)"},
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

/* The tables under construction. */
struct report {
    struct invocation *invocation;
    const struct flit_options *values;
    struct cw_flit_hardware hardware;
    uint32_t message_flits;
    struct cw_steady_setup steady;
    struct cw_table *main, *ratios;
    struct flit_details *details;
};

static void add_row(const struct report *report, const struct flit_case *made, double load,
                    const struct cw_steady_result *steady, const struct flit_model *model)
{
    struct cw_table *table = report->main;
    cw_table_text(table, made->net->title);
    cw_table_int(table, made->net->n_endpoints);
    cw_table_text(table, made->traffic_spec);
    cw_table_text(table, cw_packet_routing_name(made->routing));
    cw_table_text(table, made->placement_spec);
    cw_table_real(table, load);
    cw_table_real(table, steady->accepted);
    cw_table_real(table, steady->accepted_ci);
    cw_table_real(table, steady->latency_mean);
    cw_table_real(table, steady->latency_p99);
    cw_table_int(table, (int64_t)steady->cycles);
    cw_table_int(table, (int64_t)steady->warmup_cycles);
    cw_table_text(table, steady->steady ? "yes" : "no");
    cw_table_int(table, (int64_t)steady->flit_hops);
    cw_table_real(table, steady->seconds > 0 ? (double)steady->flit_hops / steady->seconds : (double)NAN);
    cw_table_real(table, model->estimate);
    cw_table_real(table, model->bound);
    if (!report->ratios) return;
    cw_table_text(report->ratios, cw_packet_routing_name(made->routing));
    cw_table_real(report->ratios, load);
    cw_table_real(report->ratios, steady->accepted);
    cw_table_real(report->ratios, model->estimate);
    cw_table_real(report->ratios, steady->accepted / model->estimate);
    cw_table_real(report->ratios, model->bound);
    cw_table_real(report->ratios, steady->accepted / model->bound);
}

static int refuse_unsteady(const struct report *report, const struct flit_case *made, double load,
                           const struct cw_steady_result *steady)
{
    if (steady->steady || report->values->unsteady) return 0;
    return cw_fail(
        CW_EIO,
        "%s at load %g is not steady after %llu cycles of warm-up and %llu measured: the accepted load drifts by "
        "%.1f %%; measure longer (--cycles, --warmup) or accept it with --unsteady",
        cw_packet_routing_name(made->routing), load, (unsigned long long)steady->warmup_cycles,
        (unsigned long long)steady->cycles, 100 * steady->drift);
}

static int measure(struct report *report, const struct flit_case *made, double load, const struct flit_model *model)
{
    struct flit_run run;
    struct cw_steady_setup steady = report->steady;
    steady.progress = invocation_progress(report->invocation, cw_packet_routing_name(made->routing), steady.cycles);
    int error = flit_run_begin(made, &report->hardware, report->message_flits, load, &steady, &run);
    cw_progress_free(steady.progress);
    if (!error) error = refuse_unsteady(report, made, load, &run.steady);
    if (!error) {
        add_row(report, made, load, &run.steady, model);
        error = flit_details_add(report->details, made, load, &run);
    }
    const int end = flit_run_end(&run);
    return error ? error : end;
}

/* All loads of one routing. */
static int measure_routing(struct report *report, struct flit_case *made, const char *spec)
{
    struct cw_packet_routing *routing;
    struct flit_model model = {(double)NAN, (double)NAN};
    int error = cw_packet_routing_new(made->net, spec, made->seed, made->n_threads, &routing);
    if (error) return error;
    made->routing = routing;
    if (report->values->model) error = flit_case_model(made, &model);
    for (size_t i = 0; !error && i < report->values->loads.n; i++)
        error = measure(report, made, report->values->loads.values[i], &model);
    cw_packet_routing_free(routing);
    return error;
}

/* Calls measure_routing for each of the comma-separated routings. A plug-in's own parameters follow ':' and are
 * separated by ',' too, so a part that has '=' belongs to the routing before it. */
static int measure_routings(struct report *report, struct flit_case *made, const char *routes)
{
    int error = 0;
    while (!error && *routes) {
        size_t length = strcspn(routes, ",");
        while (routes[length] == ',') {
            const size_t next = strcspn(routes + length + 1, ",");
            if (!memchr(routes + length + 1, '=', next)) break;
            length += 1 + next;
        }
        char *spec = cw_copy_text(routes, length);
        if (!spec) return CW_ENOMEM;
        error = length > 0 ? measure_routing(report, made, spec) : cw_fail(CW_EUSAGE, "--route: an empty name");
        free(spec);
        routes += length;
        if (*routes == ',') routes++;
    }
    return error;
}

static int make_tables(struct report *report, const struct fabric *fabric)
{
    struct cw_text title = {0};
    cw_text_printf(&title, "Flit-level simulation of %s on %s (%u endpoints, %s placement)", report->values->traffic,
                   fabric->net->title, fabric->net->n_endpoints, report->values->placement);
    int error = cw_text_check(&title);
    if (!error) error = cw_table_new("flit", title.data, columns, sizeof columns / sizeof *columns, &report->main);
    cw_text_free(&title);
    if (!error && report->values->model)
        error = cw_table_new("model", "Model and simulation side by side", ratio_columns,
                             sizeof ratio_columns / sizeof *ratio_columns, &report->ratios);
    if (!error) error = flit_details_new(report->values, &report->details);
    return error;
}

static int simulate_load(struct report *report, const struct fabric *fabric)
{
    struct invocation *invocation = report->invocation;
    struct flit_case made = {.net = fabric->net,
                             .traffic_spec = report->values->traffic,
                             .placement_spec = report->values->placement,
                             .seed = (uint64_t)invocation->common.seed,
                             .n_threads = (unsigned)invocation->common.threads};
    const char *routes = report->values->routes ? report->values->routes : cw_engine_default(fabric->net);
    int error = flit_case_make(&made);
    if (error) return error;
    error = make_tables(report, fabric);
    if (!error) error = measure_routings(report, &made, routes);
    if (!error) {
        error = cw_result_add_table(invocation->result, report->main);
        report->main = NULL;
    }
    if (!error && report->ratios) {
        error = cw_result_add_detail(invocation->result, report->ratios);
        report->ratios = NULL;
    }
    if (!error) error = flit_details_finish(report->details, invocation->result);
    flit_details_free(report->details);
    cw_table_free(report->main);
    cw_table_free(report->ratios);
    flit_case_free(&made);
    return error;
}

static int run(struct invocation *invocation)
{
    const struct flit_options *values = invocation->values;
    struct report report = {.invocation = invocation, .values = values};
    struct fabric fabric = {0};
    int error = flit_options_hardware(values, &report.hardware, &report.message_flits);
    if (!error) error = flit_options_steady(values, &report.hardware, &report.steady);
    if (!error) error = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!error)
        error = values->schedule ? flit_collective(invocation, &fabric, &report.hardware, report.message_flits)
                                 : simulate_load(&report, &fabric);
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
        "window that is not steady is an error unless --unsteady accepts it. With --schedule it runs a collective "
        "to its completion, beside perturbing endpoints if --ratio says so, and puts the congestion model's "
        "slowdown beside the simulated one.",
    .examples =
        "  crosswind flit dragonfly:4,8,4 --traffic bitcomp --route minimal,valiant-restricted,valiant-any --model\n"
        "  crosswind flit torus:8x8 --traffic uniform --route dor --load 0.1..1:0.1 --until-ci 1%\n"
        "  crosswind flit 'xgft(2,12,6)' --schedule binomial-bcast --ratio 0.5 --trials 50\n",
    .options = flit_option_table,
    .size = sizeof(struct flit_options),
    .min_positional = 1,
    .max_positional = 1,
    .network = true,
    .run = run,
};
