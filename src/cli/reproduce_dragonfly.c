/*
 * Figure 3 of Prisacari et al., "Performance optimization of load imbalanced workloads in large scale dragonfly
 * systems" (2015): three adversarial traffics, three routings, contiguous and randomised groups, on dragonflies from 42
 * to 16,512 nodes.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/flit_case.h"
#include "cli/reproduce.h"
#include "report/plot.h"
#include "topo/topology.h"

#define SIZES 8
#define SMALL 4

static const struct size {
    uint32_t p, a, h;
} sizes[SIZES] = {{2, 3, 2}, {2, 4, 2}, {3, 6, 3}, {4, 8, 4}, {5, 10, 5}, {6, 12, 6}, {7, 14, 7}, {8, 16, 8}};

enum traffic { BIT_COMPLEMENT, SHIFT, NEIGHBOUR, TRAFFICS };
static const char *const traffic_titles[TRAFFICS] = {"Bit complement", "Shift by h + 1 groups",
                                                     "3-D nearest neighbour"};

/* The curves of the figure; the first two are on the left panel of each traffic, the others on the right. */
enum curve { MINIMAL, RESTRICTED, ANY, RANDOM_GROUPS, MINIMAL_RANDOM, ANY_RANDOM, CURVES };
static const struct {
    const char *routing, *placement, *label;
    bool right;
} curves[CURVES] = {
    {"minimal", "contiguous", "shortest path", false},
    {"valiant-restricted", "contiguous", "ValiantRestricted", false},
    {"valiant-any", "contiguous", "ValiantAny", true},
    {"valiant-restricted", "random-groups", "ValiantRestricted, random groups", true},
    {"minimal", "random-groups", "shortest path, random groups", false},
    {"valiant-any", "random-groups", "ValiantAny, random groups", true},
};

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where messages go"},
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"placement", CW_COLUMN_TEXT, NULL, "contiguous, or groups in random order"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load, as a share of injection bandwidth", .detail = true},
    {"accepted_mean", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"accepted_ci99", CW_COLUMN_REAL, NULL, "half width of its 99 % confidence interval, as in the paper",
     .interval = true},
    {"cycles", CW_COLUMN_INT, "cycle", "measured", .detail = true},
    {"warmup_cycles", CW_COLUMN_INT, "cycle", "before measuring", .detail = true},
    {"steady", CW_COLUMN_TEXT, NULL, "whether the accepted load had no trend in the cycles measured"},
    {"model_estimate", CW_COLUMN_REAL, NULL, "3/(4p) of equation 4"},
    {"model_bound", CW_COLUMN_REAL, NULL, "link-load bound"},
};

struct figure {
    struct invocation *invocation;
    size_t n_sizes;
    struct cw_table *table;
    struct cw_progress *progress;
    struct cw_plot_point points[TRAFFICS][CURVES][SIZES], estimates[SIZES];
};

static void traffic_spec(enum traffic traffic, const struct size *size, uint32_t nodes, char *spec, size_t room)
{
    switch (traffic) {
    case SHIFT:
        snprintf(spec, room, "shift:%u", size->h + 1);
        return;
    case NEIGHBOUR: /* the third dimension is a third of the machine away: further than h groups */
        snprintf(spec, room, "neighbour3d:%ux1x3", nodes / 3);
        return;
    default:
        snprintf(spec, room, "bitcomp");
    }
}

static void add_row(struct cw_table *table, const struct flit_case *made, const struct cw_steady_result *steady,
                    double estimate, const struct flit_model *model)
{
    cw_table_text(table, made->net->title);
    cw_table_int(table, made->net->n_endpoints);
    cw_table_text(table, made->traffic_spec);
    cw_table_text(table, cw_packet_routing_name(made->routing));
    cw_table_text(table, made->placement_spec);
    cw_table_real(table, 1);
    cw_table_real(table, steady->accepted);
    cw_table_real(table, steady->accepted_ci);
    cw_table_int(table, (int64_t)steady->cycles);
    cw_table_int(table, (int64_t)steady->warmup_cycles);
    cw_table_text(table, steady->steady ? "yes" : "no");
    cw_table_real(table, estimate);
    cw_table_real(table, model->bound);
}

/* One point of a curve. */
static int measure(struct figure *figure, const struct flit_case *made, size_t size, struct cw_plot_point *point)
{
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {
        .find_warmup = true, .warmup = 60000, .cycles = 20000, .until_ci = 0.01, .confidence = 0.99};
    struct flit_run run;
    struct flit_model model;
    int error = flit_case_model(made, &model);
    if (error) return error;
    error = flit_run_begin(made, &hardware, 1, 1, &steady, &run);
    if (!error) {
        add_row(figure->table, made, &run.steady, 3.0 / (4 * sizes[size].p), &model);
        *point = (struct cw_plot_point){made->net->n_endpoints, run.steady.accepted, run.steady.accepted_ci};
    }
    const int end = flit_run_end(&run);
    cw_progress_step(figure->progress, 1);
    return error ? error : end;
}

static int measure_curve(struct figure *figure, const struct cw_network *net, size_t size, enum traffic traffic,
                         enum curve curve)
{
    char spec[64];
    struct flit_case made = {.net = net,
                             .traffic_spec = spec,
                             .placement_spec = curves[curve].placement,
                             .seed = (uint64_t)figure->invocation->common.seed,
                             .n_threads = (unsigned)figure->invocation->common.threads};
    struct cw_packet_routing *routing;
    traffic_spec(traffic, &sizes[size], net->n_endpoints, spec, sizeof spec);
    int error = cw_packet_routing_new(net, curves[curve].routing, made.seed, made.n_threads, &routing);
    if (error) return error;
    made.routing = routing;
    error = flit_case_make(&made);
    if (!error) error = measure(figure, &made, size, &figure->points[traffic][curve][size]);
    flit_case_free(&made);
    cw_packet_routing_free(routing);
    return error;
}

static int measure_size(struct figure *figure, size_t size)
{
    char spec[64];
    struct cw_network *net;
    snprintf(spec, sizeof spec, "dragonfly:%u,%u,%u", sizes[size].p, sizes[size].a, sizes[size].h);
    int error = cw_network_open(spec, &net);
    if (error) return error;
    figure->estimates[size] = (struct cw_plot_point){net->n_endpoints, 3.0 / (4 * sizes[size].p), 0};
    for (int traffic = 0; !error && traffic < TRAFFICS; traffic++)
        for (int curve = 0; !error && curve < CURVES; curve++)
            error = measure_curve(figure, net, size, (enum traffic)traffic, (enum curve)curve);
    cw_network_free(net);
    return error;
}

/* --- pictures ---------------------------------------------------------------------------------------------------- */

static int draw_panel(const struct figure *figure, enum traffic traffic, bool right)
{
    const char *directory = ((const struct reproduce_options *)figure->invocation->values)->directory;
    struct cw_plot_series series[CURVES + 1];
    size_t n = 0;
    for (int curve = 0; curve < CURVES; curve++)
        if (curves[curve].right == right)
            series[n++] = (struct cw_plot_series){
                .label = curves[curve].label, .points = figure->points[traffic][curve], .n_points = figure->n_sizes};
    if (!right)
        series[n++] = (struct cw_plot_series){.label = "estimate 3/(4p)",
                                              .style = CW_PLOT_LINES,
                                              .dashed = true,
                                              .points = figure->estimates,
                                              .n_points = figure->n_sizes};
    const struct cw_plot_level level = {"load-oblivious limit", 0.5};
    const struct cw_plot plot = {
        .title = traffic_titles[traffic],
        .x = {.label = "nodes", .logarithmic = true},
        .y = {.label = "accepted load", .unit = "share of injection bandwidth", .min = 0, .max = 0.6},
        .series = series,
        .n_series = n,
        .levels = &level,
        .n_levels = 1};
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/dragonfly-fig3%c.svg", directory, 'a' + 2 * (int)traffic + right);
    int error = cw_text_check(&path);
    if (!error) error = cw_plot_write(&plot, path.data);
    cw_text_free(&path);
    return error;
}

static int write_csv(const struct figure *figure)
{
    const char *directory = ((const struct reproduce_options *)figure->invocation->values)->directory;
    struct cw_text path = {0}, csv = {0};
    cw_text_printf(&path, "%s/dragonfly-fig3.csv", directory);
    int error = cw_text_check(&path);
    if (!error) error = cw_table_write_csv(figure->table, &csv);
    if (!error) error = cw_file_write(path.data, &csv);
    cw_text_free(&path);
    cw_text_free(&csv);
    return error;
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    struct figure figure = {.invocation = invocation, .n_sizes = values->sizes == SIZES_ALL ? SIZES : SMALL};
    int error = cw_table_new("dragonfly_fig3", "Accepted load of adversarial traffic on dragonflies", columns,
                             sizeof columns / sizeof *columns, &figure.table);
    if (error) return error;
    figure.progress = invocation_progress(invocation, "dragonfly-fig3", figure.n_sizes * TRAFFICS * CURVES);
    for (size_t size = 0; !error && size < figure.n_sizes; size++) error = measure_size(&figure, size);
    cw_progress_free(figure.progress);
    if (!error) error = write_csv(&figure);
    for (int panel = 0; !error && panel < 2 * TRAFFICS; panel++)
        error = draw_panel(&figure, (enum traffic)(panel / 2), panel % 2 != 0);
    if (!error)
        cw_result_note(invocation->result,
                       "Written to %s: dragonfly-fig3.csv and the panels dragonfly-fig3a.svg to "
                       "dragonfly-fig3f.svg, each with its gnuplot script.",
                       values->directory);
    if (!error) return cw_result_add_table(invocation->result, figure.table);
    cw_table_free(figure.table);
    return error;
}

const struct reproduction reproduction_dragonfly_fig3 = {
    .name = "dragonfly-fig3",
    .help = "accepted load of adversarial traffic on dragonflies of growing size",
    .run = run,
};
