#include "study/host_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "nbc/nbc_hosts.h"
#include "sim/collective.h"
#include "study/host_order.h"

const struct cw_nbc_between cw_host_trees[CW_HOST_TREES] = {{.shape = CW_NBC_CHAIN},
                                                            {.shape = CW_NBC_KNOMIAL, .radix = 2},
                                                            {.shape = CW_NBC_KNOMIAL, .radix = 4},
                                                            {.shape = CW_NBC_KNOMIAL, .radix = 8},
                                                            {.shape = CW_NBC_HOST_RING}};

static const enum cw_nbc_collective collectives[] = {CW_NBC_BCAST, CW_NBC_REDUCE, CW_NBC_ALLREDUCE, CW_NBC_SCATTER,
                                                     CW_NBC_GATHER};
#define COLLECTIVES (sizeof collectives / sizeof *collectives)

struct prediction {
    const struct cw_host_trees_setup *setup;
    uint32_t *places;                 /* [endpoints of the network] in the order of the fabric */
    size_t per_job;                   /* points */
    struct cw_host_tree_point *items; /* [jobs][trials][per_job] */
};

/* A job of one trial. */
struct job {
    uint32_t n;
    uint32_t *all;     /* what the placement gives; the first n are the job's, in its order */
    uint32_t *ordered; /* [n] the same in the order of the fabric, the root first */
};

/* --- one time ----------------------------------------------------------------------------------------------------- */

static int time_of(const struct cw_host_trees_setup *setup, const char *spec, bool serialise, uint64_t bytes,
                   uint32_t n, const uint32_t *endpoints, double *out)
{
    struct cw_collective_setup own = {
        .routes = setup->routes, .bytes = bytes, .timing = setup->timing, .serialise_sends = serialise};
    struct cw_schedule *schedule = NULL;
    struct cw_collective *collective = NULL;
    struct cw_times times;
    int rc = cw_schedule_new(spec, &schedule);
    own.schedule = schedule;
    if (!rc) rc = cw_collective_new(&own, &collective);
    if (!rc) rc = cw_collective_run(collective, n, endpoints, NULL, NULL, &times);
    if (!rc) *out = times.clean;
    cw_collective_free(collective);
    cw_schedule_free(schedule);
    return rc;
}

static void write_spec(enum cw_nbc_collective collective, const struct cw_nbc_between *tree, uint32_t segments,
                       char *spec, size_t size)
{
    snprintf(spec, size, "pipeline-%s:%u,%u", cw_nbc_collective_names[collective],
             tree->shape == CW_NBC_CHAIN ? 1 : tree->radix, segments);
}

/* All edges of a tree: what a single segment takes. */
static int edges_of(const char *spec, uint32_t n, struct cw_messages *edges)
{
    struct cw_schedule *schedule;
    uint32_t rounds, blocks;
    int rc = cw_schedule_new(spec, &schedule);
    if (rc) return rc;
    rc = cw_schedule_plan(schedule, n, &rounds, &blocks);
    for (uint32_t round = 0; !rc && round < rounds; round++) rc = cw_schedule_round(schedule, n, round, edges);
    cw_schedule_free(schedule);
    return rc;
}

/* [s/byte] that the busiest channel takes for what crosses it on all edges. */
static int gap_of_tree(const struct cw_host_trees_setup *setup, const char *spec, uint32_t n, const uint32_t *endpoints,
                       double *gap)
{
    struct cw_messages edges = {0};
    struct cw_host_load load;
    int rc = edges_of(spec, n, &edges);
    uint32_t *ends = rc ? NULL : cw_new_array(2 * edges.n, sizeof *ends, "edges of a tree");
    if (!rc && !ends) rc = CW_ENOMEM;
    for (size_t i = 0; !rc && i < edges.n; i++) {
        ends[i] = endpoints[edges.items[i].src];
        ends[edges.n + i] = endpoints[edges.items[i].dst];
    }
    if (!rc) rc = cw_host_load_of(setup->routes, (uint32_t)edges.n, ends, ends + edges.n, &load);
    if (!rc) *gap = setup->timing.gap < 0 ? load.gap : setup->timing.gap * load.crossings;
    free(ends);
    cw_messages_free(&edges);
    return rc;
}

/* Segments of a message one way. A reduction is a broadcast backwards in time: where the simulation lets a host receive
 * from several at once, which it does not let it send to, the broadcast says what that takes. */
static int simulate_once(const struct cw_host_trees_setup *setup, enum cw_nbc_collective collective, uint32_t n,
                         uint64_t bytes, const struct cw_nbc_between *tree, const uint32_t *endpoints, double *out)
{
    const uint32_t segments = cw_nbc_hosts_segments(bytes, 1);
    char spec[64];
    double up = 0;
    write_spec(CW_NBC_BCAST, tree, segments, spec, sizeof spec);
    int rc = time_of(setup, spec, true, bytes, n, endpoints, out);
    write_spec(CW_NBC_REDUCE, tree, segments, spec, sizeof spec);
    if (!rc && collective == CW_NBC_REDUCE) rc = time_of(setup, spec, true, bytes, n, endpoints, &up);
    if (!rc) *out = fmax(*out, up);
    return rc;
}

/* An allreduce is done when the last segment, which has come to the root, has gone down again. */
static int simulate(const struct cw_host_trees_setup *setup, const struct cw_host_tree_point *point,
                    const struct cw_nbc_between *tree, const uint32_t *endpoints, double *out)
{
    const bool twice = point->collective == CW_NBC_ALLREDUCE;
    const uint64_t segment = cw_nbc_hosts_segment(point->bytes);
    const uint64_t last = point->bytes < segment ? point->bytes : segment;
    double down = 0;
    int rc = simulate_once(setup, twice ? CW_NBC_REDUCE : point->collective, point->hosts, point->bytes, tree,
                           endpoints, out);
    if (!rc && twice) rc = simulate_once(setup, CW_NBC_BCAST, point->hosts, last, tree, endpoints, &down);
    if (!rc) *out += down;
    return rc;
}

static int time_of_ring(const struct cw_host_trees_setup *setup, const struct cw_host_tree_point *point,
                        const uint32_t *endpoints, double *out)
{
    const struct cw_timing *timing = &setup->timing;
    const uint32_t n = point->hosts;
    const double segments = cw_nbc_hosts_segments(point->bytes, n), block = (double)point->bytes / n;
    struct cw_host_load load;
    const int rc = cw_host_load_of_round(setup->routes, point->hosts, endpoints, &load);
    if (rc) return rc;
    const double gap = timing->gap < 0 ? load.gap : timing->gap * load.crossings;
    const double latency = timing->latency < 0 ? load.latency : timing->latency;
    *out = 2.0 * (n - 1) * (segments * timing->overhead + latency + block * gap);
    return 0;
}

static int time_of_tree(const struct cw_host_trees_setup *setup, const struct cw_host_tree_point *point,
                        const struct cw_nbc_between *tree, const uint32_t *endpoints, double *out)
{
    char spec[64];
    double gap, time = 0;
    if (tree->shape == CW_NBC_HOST_RING) return time_of_ring(setup, point, endpoints, out);
    write_spec(point->collective, tree, 1, spec, sizeof spec);
    int rc = gap_of_tree(setup, spec, point->hosts, endpoints, &gap);
    if (!rc) rc = simulate(setup, point, tree, endpoints, &time);
    if (!rc) *out = fmax(time, (double)point->bytes * gap);
    return rc;
}

static int time_straight(const struct cw_host_trees_setup *setup, struct cw_host_tree_point *point,
                         const struct job *job)
{
    char spec[64];
    snprintf(spec, sizeof spec, "linear-%s", cw_nbc_collective_names[point->collective]);
    int rc = time_of(setup, spec, false, point->bytes, job->n, job->ordered, &point->least);
    if (!rc) rc = time_of(setup, spec, false, point->bytes, job->n, job->all, &point->as_started);
    return rc;
}

/* What the library takes without a prediction. */
static struct cw_nbc_between started_tree(const struct cw_host_tree_point *point)
{
    const struct cw_nbc_between any = {.shape = CW_NBC_SHAPE_AUTO};
    if (cw_nbc_hosts_go_round(&any, point->collective, (int)point->hosts, point->bytes))
        return (struct cw_nbc_between){.shape = CW_NBC_HOST_RING};
    return (struct cw_nbc_between){
        .shape = cw_nbc_hosts_shape((int)point->hosts, cw_nbc_hosts_segments(point->bytes, 1)), .radix = 2};
}

static bool is_possible(const struct cw_nbc_between *tree, const struct cw_host_tree_point *point)
{
    return tree->radix <= point->hosts && (tree->shape != CW_NBC_HOST_RING || point->collective == CW_NBC_ALLREDUCE);
}

static int time_trees(const struct cw_host_trees_setup *setup, struct cw_host_tree_point *point, const struct job *job)
{
    int rc = 0;
    for (uint32_t t = 0; !rc && t < CW_HOST_TREES; t++) {
        point->time[t] = NAN;
        if (is_possible(&cw_host_trees[t], point))
            rc = time_of_tree(setup, point, &cw_host_trees[t], job->ordered, &point->time[t]);
    }
    point->started = started_tree(point);
    return rc ? rc : time_of_tree(setup, point, &point->started, job->all, &point->as_started);
}

/* --- trials ------------------------------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b, void *places)
{
    const uint32_t *place_of = places, x = place_of[*(const uint32_t *)a], y = place_of[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

static int new_job(const struct prediction *prediction, uint32_t n, size_t trial, struct job *job)
{
    const struct cw_host_trees_setup *setup = prediction->setup;
    const uint32_t count = cw_placement_count(setup->placement);
    struct cw_random random = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, trial);
    *job = (struct job){.n = n,
                        .all = cw_new_array(count, sizeof(uint32_t), "hosts of a job"),
                        .ordered = cw_new_array(n, sizeof(uint32_t), "hosts of a job")};
    uint32_t *sorted = cw_new_array(n, sizeof *sorted, "hosts of a job");
    int rc = job->all && job->ordered && sorted ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_placement_order(setup->placement, &random, job->all);
    if (!rc) {
        uint32_t root = 0;
        memcpy(sorted, job->all, n * sizeof *sorted);
        qsort_r(sorted, n, sizeof *sorted, compare_places, prediction->places);
        while (sorted[root] != job->all[0]) root++;
        for (uint32_t i = 0; i < n; i++) job->ordered[i] = sorted[(root + i) % n];
    }
    free(sorted);
    return rc;
}

static int run_trial(void *context, size_t index, unsigned thread)
{
    const struct prediction *prediction = context;
    const struct cw_host_trees_setup *setup = prediction->setup;
    struct cw_host_tree_point *items = prediction->items + index * prediction->per_job;
    struct job job;
    (void)thread;
    int rc = new_job(prediction, (uint32_t)setup->jobs.values[index / setup->trials], index % setup->trials, &job);
    for (size_t i = 0; !rc && i < prediction->per_job; i++) {
        struct cw_host_tree_point *point = &items[i];
        const enum cw_nbc_collective collective = collectives[i / setup->bytes.n];
        *point = (struct cw_host_tree_point){.collective = collective,
                                             .hosts = job.n,
                                             .bytes = setup->bytes.values[i % setup->bytes.n],
                                             .straight = collective > CW_NBC_ALLREDUCE};
        rc = point->straight ? time_straight(setup, point, &job) : time_trees(setup, point, &job);
    }
    free(job.all);
    free(job.ordered);
    cw_progress_step(setup->progress, 1);
    return rc;
}

/* Means over the trials of JOB; of several trees the first that takes least. */
static void add_job(const struct prediction *prediction, size_t job, struct cw_host_tree_points *points)
{
    const size_t trials = prediction->setup->trials;
    for (size_t i = 0; i < prediction->per_job; i++) {
        const struct cw_host_tree_point *first = &prediction->items[job * trials * prediction->per_job + i];
        struct cw_host_tree_point mean = *first;
        for (size_t t = 1; t < trials; t++) {
            const struct cw_host_tree_point *trial = &first[t * prediction->per_job];
            for (uint32_t tree = 0; tree < CW_HOST_TREES; tree++) mean.time[tree] += trial->time[tree];
            mean.least += trial->least;
            mean.as_started += trial->as_started;
        }
        for (uint32_t tree = 0; tree < CW_HOST_TREES; tree++) {
            mean.time[tree] /= (double)trials;
            if (mean.time[tree] < mean.time[mean.best] * (1 - 1e-9)) mean.best = tree;
        }
        mean.least = mean.straight ? mean.least / (double)trials : mean.time[mean.best];
        mean.as_started /= (double)trials;
        points->items[points->n++] = mean;
    }
}

static int check(const struct cw_host_trees_setup *setup)
{
    for (size_t i = 0; i < setup->jobs.n; i++)
        if (setup->jobs.values[i] < 2 || setup->jobs.values[i] > setup->n_order)
            return cw_fail(CW_EUSAGE, "a job of %lld hosts is not within 2 and %u, the hosts that take part",
                           (long long)setup->jobs.values[i], setup->n_order);
    return 0;
}

int cw_host_trees_predict(const struct cw_host_trees_setup *setup, struct cw_host_tree_points *out)
{
    const uint32_t n_endpoints = cw_routes_network(setup->routes)->n_endpoints;
    const size_t per_job = COLLECTIVES * setup->bytes.n, items = setup->jobs.n * setup->trials;
    struct prediction prediction = {.setup = setup, .per_job = per_job};
    struct cw_host_tree_points points = {.n = 0};
    int rc = check(setup);
    if (rc) return rc;
    prediction.places = cw_new_array(n_endpoints, sizeof *prediction.places, "places of hosts");
    prediction.items = cw_new_array(items * per_job, sizeof *prediction.items, "predictions");
    points.items = cw_new_array(setup->jobs.n * per_job, sizeof *points.items, "predictions");
    if (!prediction.places || !prediction.items || !points.items) rc = CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < setup->n_order; i++) prediction.places[setup->order[i]] = i;
    if (!rc) rc = cw_parallel_for(setup->n_threads, items, run_trial, &prediction);
    for (size_t job = 0; !rc && job < setup->jobs.n; job++) add_job(&prediction, job, &points);
    free(prediction.places);
    free(prediction.items);
    if (rc)
        cw_host_trees_free(&points);
    else
        *out = points;
    return rc;
}

void cw_host_trees_free(struct cw_host_tree_points *points)
{
    free(points->items);
    *points = (struct cw_host_tree_points){.n = 0};
}
