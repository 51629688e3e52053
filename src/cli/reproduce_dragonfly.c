/*
 * Figure 3 of Prisacari et al., "Performance optimization of load imbalanced workloads in large scale dragonfly
 * systems" (2015): three adversarial traffics, three routings, contiguous and randomised groups, on dragonflies from 42
 * to 16,512 nodes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/reproduce.h"
#include "report/plot.h"
#include "study/flit_case.h"
#include "topo/topology.h"

#define SIZES 8
#define SMALL 4

#define NODE_CYCLES  60000000.0 /* nodes times cycles of a measurement, within these limits: */
#define LEAST_CYCLES 8000
#define MOST_CYCLES  200000
#define NODE_WARMUP  90000000.0 /* … and of the most that is spent on warming up */
#define LEAST_WARMUP 12000
#define MOST_WARMUP  60000

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

#define RUNS (SIZES * TRAFFICS * CURVES)

/* One point of a curve. */
struct point {
    size_t size;
    enum traffic traffic;
    enum curve curve;
    char traffic_spec[64];
    double accepted, accepted_ci, bound;
    uint64_t cycles, warmup_cycles;
    bool steady;
};

struct figure {
    struct invocation *invocation;
    size_t n_sizes, n_points;
    struct cw_network *networks[SIZES];
    struct point points[RUNS]; /* by size, traffic and curve */
    struct cw_progress *progress;
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

/* NODE_TIMES / NODES cycles, within limits. Small networks are measured longer: what they accept swings slowly, and
 * costs little to average. */
static uint64_t cycles_for(double node_times, uint32_t nodes, double least, double most)
{
    return (uint64_t)fmin(fmax(node_times / nodes, least), most);
}

static int simulate(const struct cw_flit_case *made, struct point *point)
{
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const uint32_t nodes = made->net->n_endpoints;
    const struct cw_steady_setup steady = {.find_warmup = true,
                                           .warmup = cycles_for(NODE_WARMUP, nodes, LEAST_WARMUP, MOST_WARMUP),
                                           .cycles = cycles_for(NODE_CYCLES, nodes, LEAST_CYCLES, MOST_CYCLES),
                                           .until_ci = 0.01,
                                           .confidence = 0.99};
    struct cw_flit_model model;
    int error = cw_flit_case_model(made, &model);
    if (error) return error;
    struct cw_flit_measurement run;
    error = cw_flit_case_measure(made, &hardware, 1, 1, &steady, &run);
    if (!error) {
        point->accepted = run.steady.accepted;
        point->accepted_ci = run.steady.accepted_ci;
        point->cycles = run.steady.cycles;
        point->warmup_cycles = run.steady.warmup_cycles;
        point->steady = run.steady.steady;
        point->bound = model.bound;
    }
    const int end = cw_flit_measurement_end(&run);
    return error ? error : end;
}

/* Measures one point, on one thread: the points are independent, and the largest networks are begun first. */
static int measure(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct figure *figure = context;
    struct point *point = &figure->points[figure->n_points - 1 - index];
    const struct cw_network *net = figure->networks[point->size];
    struct cw_flit_case made = {.net = net,
                                .traffic_spec = point->traffic_spec,
                                .placement_spec = curves[point->curve].placement,
                                .seed = (uint64_t)figure->invocation->common.seed,
                                .n_threads = 1};
    struct cw_packet_routing *routing;
    int error = cw_packet_routing_new(net, curves[point->curve].routing, made.seed, 1, &routing);
    if (error) return error;
    made.routing = routing;
    error = cw_flit_case_make(&made);
    if (!error) error = simulate(&made, point);
    cw_flit_case_free(&made);
    cw_packet_routing_free(routing);
    cw_progress_step(figure->progress, 1);
    return error;
}

static int measure_all(struct figure *figure)
{
    for (size_t size = 0; size < figure->n_sizes; size++) {
        char spec[64];
        snprintf(spec, sizeof spec, "dragonfly:%u,%u,%u", sizes[size].p, sizes[size].a, sizes[size].h);
        const int error = cw_network_open(spec, &figure->networks[size]);
        if (error) return error;
        for (int traffic = 0; traffic < TRAFFICS; traffic++)
            for (int curve = 0; curve < CURVES; curve++) {
                struct point *point = &figure->points[figure->n_points++];
                *point = (struct point){.size = size, .traffic = (enum traffic)traffic, .curve = (enum curve)curve};
                traffic_spec(point->traffic, &sizes[size], figure->networks[size]->n_endpoints, point->traffic_spec,
                             sizeof point->traffic_spec);
            }
    }
    figure->progress = invocation_progress(figure->invocation, "dragonfly-fig3", figure->n_points);
    const int error = cw_parallel_for((unsigned)figure->invocation->common.threads, figure->n_points, measure, figure);
    cw_progress_free(figure->progress);
    return error;
}

static double estimate_of(size_t size)
{
    return 3.0 / (4 * sizes[size].p);
}

static int make_table(const struct figure *figure, struct cw_table **out)
{
    struct cw_table *table;
    const int error = cw_table_new("dragonfly_fig3", "Accepted load of adversarial traffic on dragonflies", columns,
                                   sizeof columns / sizeof *columns, &table);
    if (error) return error;
    for (size_t i = 0; i < figure->n_points; i++) {
        const struct point *point = &figure->points[i];
        const struct cw_network *net = figure->networks[point->size];
        cw_table_text(table, net->title);
        cw_table_int(table, net->n_endpoints);
        cw_table_text(table, point->traffic_spec);
        cw_table_text(table, curves[point->curve].routing);
        cw_table_text(table, curves[point->curve].placement);
        cw_table_real(table, 1);
        cw_table_real(table, point->accepted);
        cw_table_real(table, point->accepted_ci);
        cw_table_int(table, (int64_t)point->cycles);
        cw_table_int(table, (int64_t)point->warmup_cycles);
        cw_table_text(table, point->steady ? "yes" : "no");
        cw_table_real(table, estimate_of(point->size));
        cw_table_real(table, point->bound);
    }
    *out = table;
    return 0;
}

/* --- pictures ---------------------------------------------------------------------------------------------------- */

/* The points of a curve, in POINTS [n_sizes]. */
static void curve_points(const struct figure *figure, enum traffic traffic, enum curve curve,
                         struct cw_plot_point *points)
{
    for (size_t i = 0; i < figure->n_points; i++) {
        const struct point *point = &figure->points[i];
        if (point->traffic == traffic && point->curve == curve)
            points[point->size] =
                (struct cw_plot_point){figure->networks[point->size]->n_endpoints, point->accepted, point->accepted_ci};
    }
}

static int draw_panel(const struct figure *figure, enum traffic traffic, bool right)
{
    const char *directory = ((const struct reproduce_options *)figure->invocation->values)->directory;
    struct cw_plot_point points[CURVES + 1][SIZES];
    struct cw_plot_series series[CURVES + 1];
    size_t n = 0;
    for (int curve = 0; curve < CURVES; curve++) {
        if (curves[curve].right != right) continue;
        curve_points(figure, traffic, (enum curve)curve, points[n]);
        series[n] = (struct cw_plot_series){.label = curves[curve].label, .points = points[n]};
        series[n++].n_points = figure->n_sizes;
    }
    if (!right) {
        for (size_t size = 0; size < figure->n_sizes; size++)
            points[n][size] = (struct cw_plot_point){figure->networks[size]->n_endpoints, estimate_of(size), 0};
        series[n] = (struct cw_plot_series){
            .label = "estimate 3/(4p)", .style = CW_PLOT_LINES, .dashed = true, .points = points[n]};
        series[n++].n_points = figure->n_sizes;
    }
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

static int write_files(const struct figure *figure, const struct cw_table *table)
{
    const char *directory = ((const struct reproduce_options *)figure->invocation->values)->directory;
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/dragonfly-fig3.csv", directory);
    int error = cw_text_check(&path);
    if (!error) error = cw_table_save_csv(table, path.data);
    cw_text_free(&path);
    for (int panel = 0; !error && panel < 2 * TRAFFICS; panel++)
        error = draw_panel(figure, (enum traffic)(panel / 2), panel % 2 != 0);
    return error;
}

static int report(const struct figure *figure)
{
    struct cw_result *result = figure->invocation->result;
    struct cw_table *table;
    int error = make_table(figure, &table);
    if (error) return error;
    error = write_files(figure, table);
    if (error) {
        cw_table_free(table);
        return error;
    }
    cw_result_note(result,
                   "Written to %s: dragonfly-fig3.csv and the panels dragonfly-fig3a.svg to dragonfly-fig3f.svg, each "
                   "with its gnuplot script.",
                   ((const struct reproduce_options *)figure->invocation->values)->directory);
    return cw_result_add_table(result, table);
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    struct figure *figure = cw_new_array(1, sizeof *figure, "a figure");
    if (!figure) return CW_ENOMEM;
    figure->invocation = invocation;
    figure->n_sizes = values->sizes == SIZES_ALL ? SIZES : SMALL;
    int error = measure_all(figure);
    if (!error) error = report(figure);
    for (size_t size = 0; size < SIZES; size++) cw_network_free(figure->networks[size]);
    free(figure);
    return error;
}

static const char *const takes[] = {"sizes", NULL};

const struct reproduction reproduction_dragonfly_fig3 = {
    .name = "dragonfly-fig3",
    .help = "accepted load of adversarial traffic on dragonflies of growing size",
    .takes = takes,
    .run = run,
};
