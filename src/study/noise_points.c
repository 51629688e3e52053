#include "study/noise_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "study/published_networks.h"
#include "topo/topology.h"

static const double ratios[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
enum { RATIOS = sizeof ratios / sizeof *ratios, RATIOS_OF_FABRICS = RATIOS - 1 };

static int add(struct cw_noise_points *points, const struct cw_noise_point *point)
{
    void *items = points->items;
    const int rc = cw_grow_array(&items, &points->capacity, points->n + 1, sizeof *points->items, "points");
    if (rc) return rc;
    points->items = items;
    points->items[points->n++] = *point;
    return 0;
}

static int add_ratios(struct cw_noise_points *points, struct cw_noise_point point, size_t n)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        point.ratio = ratios[i];
        rc = add(points, &point);
    }
    return rc;
}

static int add_published(struct cw_noise_points *points, int figure, const struct cw_published_network *networks)
{
    int rc = 0;
    for (; !rc && networks->layout; networks++) {
        struct cw_noise_point point = {.figure = figure, .network = networks->spec, .ratio = 0.5};
        point.curve = strstr(networks->layout, "2-cube") ? "2-cubes" : "3-cubes";
        if (networks->switches > 0) point.curve = "fat trees";
        rc = add(points, &point);
    }
    return rc;
}

int cw_noise_points_add(struct cw_noise_points *points, int figure)
{
    static const struct cw_noise_point square = {15, "100-ary 2-cube", "torus:100x100", .routes = NULL};
    static const struct cw_noise_point cube = {15, "20-ary 3-cube", "torus:20x20x20", .routes = NULL};
    if (figure == 13) return add_published(points, figure, cw_published_trees);
    if (figure == 16) return add_published(points, figure, cw_published_cubes);
    if (figure != 15) return cw_fail(CW_EUSAGE, "figure %d has no points, expected 13, 15 or 16", figure);
    const int rc = add_ratios(points, square, RATIOS);
    return rc ? rc : add_ratios(points, cube, RATIOS);
}

int cw_noise_points_add_fabric(struct cw_noise_points *points, const char *name, const struct cw_routes *routes,
                               const struct cw_selection *selection)
{
    const struct cw_noise_point point = {
        .figure = 11, .curve = name, .network = name, .routes = routes, .selection = selection};
    return add_ratios(points, point, RATIOS_OF_FABRICS);
}

void cw_noise_points_free(struct cw_noise_points *points)
{
    free(points->items);
    *points = (struct cw_noise_points){0};
}

/* --- running them ------------------------------------------------------------------------------------------------- */

/* A network that was made for points that bring none. */
struct made {
    const char *spec;
    struct cw_network *net;
    struct cw_routes *routes;
};

static void unmake(struct made *made)
{
    cw_routes_free(made->routes);
    cw_network_free(made->net);
    *made = (struct made){0};
}

static int make(struct made *made, const char *spec, const struct cw_noise_study *study)
{
    if (made->spec && strcmp(made->spec, spec) == 0) return 0;
    unmake(made);
    const int rc = cw_topology_build(spec, &made->net);
    if (rc) return rc;
    made->spec = spec;
    return cw_engine_route(made->net, NULL, study->seed, study->n_threads, &made->routes);
}

static int run_point(const struct cw_noise_study *study, const struct cw_routes *routes, struct cw_noise_point *point)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct cw_schedule *schedule = NULL;
    struct cw_pattern *derangement = NULL;
    struct cw_placement *random = NULL;
    int rc = cw_schedule_new("binomial-bcast", &schedule);
    if (!rc) rc = cw_pattern_new("derangement", NULL, &derangement);
    if (!rc) rc = cw_placement_new("random", net, point->selection, &random);
    const struct cw_noise_setup setup = {.collective = {.routes = routes, .schedule = schedule, .bytes = 1},
                                         .background = derangement,
                                         .placement = random,
                                         .ratio = point->ratio,
                                         .trials = study->trials,
                                         .seed = study->seed,
                                         .n_threads = study->n_threads,
                                         .progress = study->progress,
                                         .executor = study->executor};
    if (!rc) rc = cw_noise_run(&setup, &point->result);
    if (!rc) point->endpoints = cw_placement_count(random);
    cw_schedule_free(schedule);
    cw_pattern_free(derangement);
    cw_placement_free(random);
    return rc;
}

int cw_noise_points_run(const struct cw_noise_study *study, struct cw_noise_points *points)
{
    struct made made = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < points->n; i++) {
        struct cw_noise_point *point = &points->items[i];
        if (study->before) study->before(study->context, i, point);
        if (!point->routes) rc = make(&made, point->network, study);
        if (!rc) rc = run_point(study, point->routes ? point->routes : made.routes, point);
        if (!rc && study->after) rc = study->after(study->context, i, point);
    }
    unmake(&made);
    return rc;
}
