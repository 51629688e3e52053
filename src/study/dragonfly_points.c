#include "study/dragonfly_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/batch.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

#define NODE_CYCLES  60000000.0 /* nodes times cycles of a measurement, within these limits: */
#define LEAST_CYCLES 8000
#define MOST_CYCLES  200000
#define NODE_WARMUP  90000000.0 /* … and of the most that is spent on warming up */
#define LEAST_WARMUP 12000
#define MOST_WARMUP  60000

const struct cw_dragonfly_way cw_dragonfly_ways[CW_DRAGONFLY_CURVES] = {
    {"minimal", "contiguous", "shortest path", false},
    {"valiant-restricted", "contiguous", "ValiantRestricted", false},
    {"minimal", "random-groups", "shortest path, random groups", false},
    {"valiant-any", "contiguous", "ValiantAny", true},
    {"valiant-restricted", "random-groups", "ValiantRestricted, random groups", true},
    {"valiant-any", "random-groups", "ValiantAny, random groups", true},
};

/* --- which points ------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t p, a, h;
} sizes[] = {{2, 3, 2}, {2, 4, 2}, {3, 6, 3}, {4, 8, 4}, {5, 10, 5}, {6, 12, 6}, {7, 14, 7}, {8, 16, 8}};

static const struct {
    size_t n;
    double share;
} scales[] = {[CW_DRAGONFLY_QUICK] = {2, 0.05}, [CW_DRAGONFLY_SMALL] = {4, 1}, [CW_DRAGONFLY_ALL] = {8, 1}};

static void name_traffic(struct cw_dragonfly_point *point)
{
    switch (point->panel / 2) {
    case 0:
        snprintf(point->traffic, sizeof point->traffic, "bitcomp");
        return;
    case 1:
        snprintf(point->traffic, sizeof point->traffic, "group-shift:%u", point->h + 1);
        return;
    default: /* the third dimension is a third of the machine away: further than h groups */
        snprintf(point->traffic, sizeof point->traffic, "halo:%ux1x3,axis=z,direction=up", point->nodes / 3);
    }
}

static struct cw_dragonfly_point point_of(int panel, enum cw_dragonfly_curve curve, size_t size, double share)
{
    struct cw_dragonfly_point point = {.panel = panel, .curve = curve, .share = share};
    point.p = sizes[size].p;
    point.a = sizes[size].a;
    point.h = sizes[size].h;
    point.switches = point.a * (point.a * point.h + 1);
    point.nodes = point.p * point.switches;
    point.estimate = 3 / (4.0 * point.p);
    snprintf(point.network, sizeof point.network, "dragonfly:%u,%u,%u", point.p, point.a, point.h);
    name_traffic(&point);
    return point;
}

int cw_dragonfly_points_add(struct cw_dragonfly_points *points, int panel, enum cw_dragonfly_sizes scale)
{
    if (panel < 0 || panel >= CW_DRAGONFLY_PANELS)
        return cw_fail(CW_EUSAGE, "there is no panel %d, expected 0 to %d", panel, CW_DRAGONFLY_PANELS - 1);
    const size_t n = scales[scale].n;
    void *items = points->items;
    const int rc =
        cw_grow_array(&items, &points->capacity, points->n + CW_DRAGONFLY_CURVES * n, sizeof *points->items, "points");
    if (rc) return rc;
    points->items = items;
    for (int curve = 0; curve < CW_DRAGONFLY_CURVES; curve++)
        for (size_t size = 0; cw_dragonfly_ways[curve].right == (panel % 2 != 0) && size < n; size++)
            points->items[points->n++] = point_of(panel, (enum cw_dragonfly_curve)curve, size, scales[scale].share);
    return 0;
}

void cw_dragonfly_points_free(struct cw_dragonfly_points *points)
{
    free(points->items);
    *points = (struct cw_dragonfly_points){0};
}

/* --- running them ------------------------------------------------------------------------------------------------- */

/* NODE_TIMES / nodes cycles, within limits. Small networks are measured longer: what they accept swings slowly, and
 * costs little to average. */
static uint64_t cycles_for(const struct cw_dragonfly_point *point, double node_times, double least, double most)
{
    return (uint64_t)(point->share * floor(fmin(fmax(node_times / point->nodes, least), most)));
}

static int simulate(const struct cw_flit_case *made, struct cw_dragonfly_point *point)
{
    static const struct cw_flit_messages single = {.flits = 1};
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const struct cw_steady_setup steady = {.find_warmup = true,
                                           .warmup = cycles_for(point, NODE_WARMUP, LEAST_WARMUP, MOST_WARMUP),
                                           .cycles = cycles_for(point, NODE_CYCLES, LEAST_CYCLES, MOST_CYCLES),
                                           .until_ci = 0.01,
                                           .confidence = 0.99};
    struct cw_flit_model model;
    int rc = cw_flit_case_model(made, &model);
    if (rc) return rc;
    struct cw_flit_measurement run;
    rc = cw_flit_case_measure(made, &hardware, &single, 1, &steady, &run);
    if (!rc) {
        point->accepted = run.steady.accepted;
        point->accepted_ci99 = run.steady.accepted_ci;
        point->cycles = run.steady.cycles;
        point->warmup_cycles = run.steady.warmup_cycles;
        point->steady = run.steady.steady;
        point->bound = model.bound;
    }
    cw_flit_measurement_free(&run);
    return rc;
}

struct work {
    const struct cw_figure_study *study;
    struct cw_dragonfly_points *points;
};

static int measure(void *context, size_t index, void *outcome)
{
    const struct work *work = context;
    struct cw_dragonfly_point *point = outcome;
    *point = work->points->items[index];
    const struct cw_dragonfly_way *way = &cw_dragonfly_ways[point->curve];
    struct cw_network *net;
    struct cw_packet_routing *routing = NULL;
    int rc = cw_topology_build(point->network, &net);
    if (rc) return rc;
    struct cw_flit_case made = {.net = net,
                                .traffic_spec = point->traffic,
                                .placement_spec = way->placement,
                                .seed = work->study->seed,
                                .n_threads = 1};
    rc = cw_packet_routing_new(net, way->routing, made.seed, 1, &routing);
    made.routing = routing;
    if (!rc) rc = cw_flit_case_make(&made);
    if (!rc) rc = simulate(&made, point);
    if (!rc) point->done = true;
    cw_flit_case_free(&made);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return rc;
}

static void keep(void *context, size_t index, const void *outcome)
{
    const struct work *work = context;
    work->points->items[index] = *(const struct cw_dragonfly_point *)outcome;
}

static int panel_of(void *context, size_t index)
{
    const struct work *work = context;
    return work->points->items[index].panel;
}

static double cost_of(void *context, size_t index)
{
    const struct work *work = context;
    return work->points->items[index].nodes;
}

int cw_dragonfly_points_run(const struct cw_figure_study *study, struct cw_dragonfly_points *points)
{
    struct work work = {study, points};
    const struct cw_figure_points batches = {.n = points->n,
                                             .figure_of = panel_of,
                                             .cost_of = cost_of,
                                             .outcome_size = sizeof *points->items,
                                             .compute = measure,
                                             .keep = keep,
                                             .context = &work};
    return cw_figure_points_run(study, &batches);
}
