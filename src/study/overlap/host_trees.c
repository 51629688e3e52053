#include "study/overlap/host_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "net/network_internal.h"
#include "sim/collective.h"
#include "sim/flows/flow_sim.h"
#include "study/overlap/host_order.h"

#define BY_FABRIC(WORD, NAME, CONSTANT, RADIX, NOTE) {CW_NBC_##CONSTANT, RADIX, true},
#define BY_RANKS(WORD, NAME, CONSTANT, RADIX, NOTE)  {CW_NBC_##CONSTANT, RADIX, false},
const struct cw_nbc_between cw_host_trees[CW_HOST_TREES] = {CW_HOST_TREE_LIST(BY_FABRIC) CW_HOST_TREE_LIST(BY_RANKS)};

/* Those of which there are points: along trees or, where there are none, straight. */
static bool is_predicted(const struct cw_collective_traits *collective)
{
    return cw_nbc_between_passes(cw_collective_kind_of(collective)) || collective->straight;
}

struct prediction {
    const struct cw_host_trees_setup *setup;
    uint32_t *places;                 /* [endpoints of the network] in the order of the fabric */
    size_t per_job;                   /* points, by collective and bytes */
    struct cw_host_tree_point *items; /* [jobs][trials][per_job] */
};

/* A job of one trial. */
struct job {
    uint32_t n;
    uint32_t *all;     /* what the placement gives; the first n are the job's, in its order */
    uint32_t *ordered; /* [n] the same in the order of the fabric, the root first */
};

/* --- one time ----------------------------------------------------------------------------------------------------- */

/* Hosts in one order, the root first. */
struct hosts {
    const struct cw_host_trees_setup *setup;
    uint32_t n;
    const uint32_t *endpoints; /* [n] */
};

static int time_by_flows(const struct hosts *hosts, const struct cw_schedule *schedule, uint64_t bytes, double *out)
{
    const struct cw_timing *timing = &hosts->setup->timing;
    struct cw_program *program;
    struct cw_flow_result result;
    int rc = cw_program_of_schedule(schedule, hosts->n, bytes, &program);
    if (rc) return rc;
    const struct cw_flow_job job = {.program = program, .endpoints = hosts->endpoints, .sends = CW_FLOW_IN_ORDER};
    const struct cw_flow_setup setup = {.routes = hosts->setup->routes,
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .overhead = timing->overhead,
                                        .latency = fmax(0, timing->latency)};
    rc = cw_flow_run(&setup, out, &result);
    cw_program_free(program);
    return rc;
}

static int time_by_counts(const struct hosts *hosts, const struct cw_schedule *schedule, uint64_t bytes, double *out)
{
    const struct cw_collective_setup own = {.routes = hosts->setup->routes,
                                            .schedule = schedule,
                                            .bytes = bytes,
                                            .timing = hosts->setup->timing,
                                            .sends = CW_SENDS_IN_ORDER};
    struct cw_collective *collective = NULL;
    struct cw_times times;
    int rc = cw_collective_new(&own, &collective);
    if (!rc) rc = cw_collective_run(collective, hosts->n, hosts->endpoints, NULL, NULL, &times);
    if (!rc) *out = times.clean;
    cw_collective_free(collective);
    return rc;
}

/* Frees SCHEDULE. */
static int time_of(const struct hosts *hosts, struct cw_schedule *schedule, uint64_t bytes, double *out)
{
    const int rc = hosts->setup->by_flows ? time_by_flows(hosts, schedule, bytes, out)
                                          : time_by_counts(hosts, schedule, bytes, out);
    cw_schedule_free(schedule);
    return rc;
}

/* Along TREE, in SEGMENTS. */
static int time_along(const struct hosts *hosts, const struct cw_nbc_between *tree, enum cw_collective_kind collective,
                      uint32_t segments, uint64_t bytes, double *out)
{
    struct cw_schedule *schedule;
    const int rc = cw_nbc_between_schedule(tree, collective, segments, &schedule);
    return rc ? rc : time_of(hosts, schedule, bytes, out);
}

/* --- what channels carry ------------------------------------------------------------------------------------------ */

static int load_of(const struct hosts *hosts, const struct cw_messages *messages, struct cw_host_load *load)
{
    const size_t n = messages->n;
    uint32_t *ends = cw_new_array(2 * n, sizeof *ends, "messages between hosts");
    if (!ends) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        ends[i] = hosts->endpoints[messages->items[i].src];
        ends[n + i] = hosts->endpoints[messages->items[i].dst];
    }
    const int rc = cw_host_load_of(hosts->setup->routes, (uint32_t)n, ends, ends + n, load);
    free(ends);
    return rc;
}

/* [s/byte] that the busiest channel takes. */
static double gap_of(const struct hosts *hosts, const struct cw_host_load *load)
{
    const struct cw_timing *timing = &hosts->setup->timing;
    return timing->gap < 0 ? load->gap : timing->gap * load->crossings;
}

/* --- round by round ----------------------------------------------------------------------------------------------- */

/* Sums over all rounds of what a round takes: for each segment of a block and for each byte of it, and in any case. */
struct rounds {
    double blocks, gap, latency; /* of the longest message; [s/byte]; [s] */
};

static bool is_alike(const struct cw_messages *a, const struct cw_messages *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (i >= b->n || a->items[i].src != b->items[i].src || a->items[i].dst != b->items[i].dst) return false;
    return a->n == b->n;
}

static int measure_rounds(const struct hosts *hosts, const struct cw_schedule *schedule, uint32_t *n_blocks,
                          struct rounds *sums)
{
    struct cw_messages messages[2] = {{0}, {0}};
    struct cw_host_load load = {.gap = 0};
    uint32_t n_rounds;
    int rc = cw_schedule_plan(schedule, hosts->n, &n_rounds, n_blocks);
    *sums = (struct rounds){.blocks = 0};
    for (uint32_t r = 0; !rc && r < n_rounds; r++) {
        struct cw_messages *round = &messages[r % 2];
        uint32_t blocks = 0;
        round->n = 0;
        rc = cw_schedule_round(schedule, hosts->n, r, round);
        if (!rc && !is_alike(round, &messages[(r + 1) % 2])) rc = load_of(hosts, round, &load);
        for (size_t i = 0; i < round->n; i++)
            if (round->items[i].n_blocks > blocks) blocks = round->items[i].n_blocks;
        sums->blocks += blocks;
        sums->gap += blocks * gap_of(hosts, &load);
        sums->latency += hosts->setup->timing.latency < 0 ? load.latency : hosts->setup->timing.latency;
    }
    for (int i = 0; i < 2; i++) cw_messages_free(&messages[i]);
    return rc;
}

/* ITEMS[N] of one collective, along tree T, whose segments do not follow one another. */
static int time_rounds(const struct hosts *hosts, uint32_t t, struct cw_host_tree_point *items, size_t n)
{
    struct cw_schedule *schedule;
    struct rounds sums;
    uint32_t blocks;
    int rc = cw_nbc_between_schedule(&cw_host_trees[t], items->collective, 1, &schedule);
    if (rc) return rc;
    rc = measure_rounds(hosts, schedule, &blocks, &sums);
    for (size_t i = 0; !rc && i < n; i++) {
        const double segments = cw_nbc_cut_of(items[i].bytes, blocks).per_block;
        const double overhead = sums.blocks * hosts->setup->timing.overhead; /* of the first segments */
        if (hosts->setup->by_flows)
            rc = time_by_flows(hosts, schedule, items[i].bytes, &items[i].time[t]);
        else
            items[i].time[t] = overhead + sums.latency + (double)items[i].bytes / blocks * sums.gap;
        items[i].time[t] += (segments - 1) * overhead;
    }
    cw_schedule_free(schedule);
    return rc;
}

/* --- segments that follow one another ----------------------------------------------------------------------------- */

/* [s/byte] that the busiest channel takes for what crosses it in all messages, up and down. */
static int gap_both_ways(const struct hosts *hosts, const struct cw_nbc_between *tree, double *gap)
{
    struct cw_schedule *schedule;
    struct cw_messages edges = {0};
    struct cw_host_load load;
    uint32_t rounds, blocks;
    int rc = cw_nbc_between_schedule(tree, CW_COLLECTIVE_ALLREDUCE, 1, &schedule);
    if (rc) return rc;
    rc = cw_schedule_plan(schedule, hosts->n, &rounds, &blocks);
    for (uint32_t round = 0; !rc && round < rounds; round++) rc = cw_schedule_round(schedule, hosts->n, round, &edges);
    if (!rc) rc = load_of(hosts, &edges, &load);
    if (!rc) *gap = gap_of(hosts, &load);
    cw_messages_free(&edges);
    cw_schedule_free(schedule);
    return rc;
}

/* Of a message along a tree. */
struct tree_times {
    double down, up, both; /* [s] from the root, to it, to it and back */
};

/* As dependencies have it. A reduction is a broadcast backwards in time: where the simulation lets a host receive from
 * several at once, which it does not let it send to, the broadcast says what that takes. Both ways are done when the
 * last segment, which has come to the root, has gone down again, and not before GAP [s/byte] lets all bytes through. */
static int simulate(const struct hosts *hosts, const struct cw_nbc_between *tree, uint64_t bytes, double gap,
                    struct tree_times *times)
{
    const struct cw_nbc_cut cut = cw_nbc_cut_of(bytes, 1);
    const uint64_t last = bytes < cut.segment ? bytes : cut.segment;
    double up = 0, down = 0;
    int rc = time_along(hosts, tree, CW_COLLECTIVE_BCAST, cut.per_block, bytes, &times->down);
    if (!rc) rc = time_along(hosts, tree, CW_COLLECTIVE_REDUCE, cut.per_block, bytes, &up);
    if (!rc) rc = time_along(hosts, tree, CW_COLLECTIVE_BCAST, 1, last, &down);
    times->up = fmax(times->down, up);
    times->both = fmax(times->up + down, (double)bytes * gap);
    return rc;
}

/* Of ITEMS, all points of a job, those along tree T. */
static int time_tree(const struct prediction *prediction, const struct hosts *hosts, uint32_t t,
                     struct cw_host_tree_point *items)
{
    const struct cw_sizes *bytes = &hosts->setup->bytes;
    double gap = 0;
    int rc = gap_both_ways(hosts, &cw_host_trees[t], &gap);
    for (size_t b = 0; !rc && b < bytes->n; b++) {
        struct tree_times times;
        rc = simulate(hosts, &cw_host_trees[t], bytes->values[b], gap, &times);
        for (size_t i = b; !rc && i < prediction->per_job; i += bytes->n) {
            const struct cw_collective_traits *collective = &cw_collectives[items[i].collective];
            if (items[i].straight) continue;
            items[i].time[t] = collective->root_gives ? times.down : collective->root_takes ? times.up : times.both;
        }
    }
    return rc;
}

/* All shapes of one order; FIRST is that of its trees. */
static int time_shapes(const struct prediction *prediction, const struct hosts *hosts, uint32_t first,
                       struct cw_host_tree_point *items)
{
    const size_t n = hosts->setup->bytes.n;
    int rc = 0;
    for (uint32_t t = first; !rc && t < first + CW_HOST_SHAPES; t++) {
        bool follows = false; /* one for all collectives */
        if (cw_host_trees[t].radix > hosts->n) continue;
        for (size_t i = 0; !rc && !follows && i < prediction->per_job; i += n) {
            const struct cw_schedule_kind *kind = cw_nbc_between_kind(cw_host_trees[t].shape, items[i].collective);
            follows = kind && kind->options;
            if (kind && !follows) rc = time_rounds(hosts, t, &items[i], n);
        }
        if (!rc && follows) rc = time_tree(prediction, hosts, t, items);
    }
    return rc;
}

/* What the library takes without a prediction. */
static uint32_t started_tree(const struct cw_host_tree_point *point)
{
    const struct cw_nbc_between any = {.shape = CW_NBC_SHAPE_AUTO};
    const struct cw_nbc_between settled = cw_nbc_between_settle(&any, point->collective, point->hosts, point->bytes);
    uint32_t tree = CW_HOST_SHAPES;
    while (cw_host_trees[tree].shape != settled.shape || cw_host_trees[tree].radix != settled.radix) tree++;
    return tree;
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

static int time_all(const struct prediction *prediction, const struct job *job, struct cw_host_tree_point *items)
{
    const struct cw_host_trees_setup *setup = prediction->setup;
    const struct hosts ordered = {setup, job->n, job->ordered}, started = {setup, job->n, job->all};
    const bool same = memcmp(job->ordered, job->all, job->n * sizeof *job->all) == 0;
    struct cw_schedule *schedule;
    int rc = time_shapes(prediction, &ordered, 0, items);
    if (!rc && !same) rc = time_shapes(prediction, &started, CW_HOST_SHAPES, items);
    for (size_t i = 0; !rc && i < prediction->per_job; i++) {
        double *time = items[i].time;
        if (same) memcpy(time + CW_HOST_SHAPES, time, CW_HOST_SHAPES * sizeof *time);
        if (!items[i].straight) continue;
        rc = cw_schedule_new(cw_collectives[items[i].collective].straight, &schedule);
        if (!rc) rc = time_of(&ordered, schedule, items[i].bytes, &time[0]);
        for (uint32_t t = 1; t < CW_HOST_TREES; t++) time[t] = time[0];
    }
    return rc;
}

/* The points of a job of N hosts, without times. */
static void enter(const struct cw_host_trees_setup *setup, uint32_t n, struct cw_host_tree_point *items)
{
    for (const struct cw_collective_traits *collective = cw_collectives; collective->name; collective++)
        for (size_t b = 0; is_predicted(collective) && b < setup->bytes.n; b++, items++) {
            *items = (struct cw_host_tree_point){.collective = cw_collective_kind_of(collective),
                                                 .hosts = n,
                                                 .bytes = setup->bytes.values[b],
                                                 .straight = !cw_nbc_between_passes(cw_collective_kind_of(collective))};
            for (uint32_t t = 0; t < CW_HOST_TREES; t++) items->time[t] = NAN;
            items->started = started_tree(items);
        }
}

static int run_trial(void *context, size_t index, unsigned thread)
{
    const struct prediction *prediction = context;
    const struct cw_host_trees_setup *setup = prediction->setup;
    struct cw_host_tree_point *items = prediction->items + index * prediction->per_job;
    struct job job;
    (void)thread;
    int rc = new_job(prediction, (uint32_t)setup->jobs.values[index / setup->trials], index % setup->trials, &job);
    enter(setup, job.n, items);
    if (!rc) rc = time_all(prediction, &job, items);
    free(job.all);
    free(job.ordered);
    cw_progress_step(setup->progress, 1);
    return rc;
}

/* Means over the trials of JOB. */
static void add_job(const struct prediction *prediction, size_t job, struct cw_host_tree_points *points)
{
    const size_t trials = prediction->setup->trials;
    for (size_t i = 0; i < prediction->per_job; i++) {
        const struct cw_host_tree_point *first = &prediction->items[job * trials * prediction->per_job + i];
        struct cw_host_tree_point mean = *first;
        for (uint32_t tree = 0; tree < CW_HOST_TREES; tree++) {
            for (size_t t = 1; t < trials; t++) mean.time[tree] += first[t * prediction->per_job].time[tree];
            mean.time[tree] /= (double)trials;
            if (mean.time[tree] < mean.time[mean.best] * (1 - 1e-9)) mean.best = tree;
        }
        points->items[points->n++] = mean;
    }
}

static int check(const struct cw_host_trees_setup *setup)
{
    for (size_t i = 0; i < setup->jobs.n; i++)
        if (setup->jobs.values[i] < 2 || setup->jobs.values[i] > setup->n_order)
            return cw_fail(CW_EUSAGE, "a job of %lld hosts; expected 2 to %u, the number of hosts that take part",
                           (long long)setup->jobs.values[i], setup->n_order);
    return 0;
}

int cw_host_trees_predict(const struct cw_host_trees_setup *setup, struct cw_host_tree_points *out)
{
    const uint32_t n_endpoints = cw_routes_network(setup->routes)->n_endpoints;
    const size_t items = setup->jobs.n * setup->trials;
    size_t per_job = 0;
    for (const struct cw_collective_traits *collective = cw_collectives; collective->name; collective++)
        if (is_predicted(collective)) per_job += setup->bytes.n;
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

int cw_host_trees_keep(const struct cw_host_tree_points *points, struct cw_nbc_trees *trees)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < points->n; i++) {
        const struct cw_host_tree_point *point = &points->items[i];
        if (point->straight) continue;
        const struct cw_nbc_tree_choice choice = {.collective = point->collective,
                                                  .hosts = point->hosts,
                                                  .bytes = point->bytes,
                                                  .between = cw_host_trees[point->best],
                                                  .time = point->time[point->best]};
        rc = cw_nbc_trees_put(trees, &choice);
    }
    return rc;
}

/* --- in a few lines ----------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct cw_host_tree_point *x = a, *y = b;
    if (x->collective != y->collective) return x->collective < y->collective ? -1 : 1;
    if (x->hosts != y->hosts) return x->hosts < y->hosts ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* POINTS[n] are of one collective and number of hosts, by size. */
static int choice_of(const struct cw_host_tree_point *points, size_t n, struct cw_host_choice *out)
{
    struct cw_host_choice choice = {.collective = points->collective,
                                    .first = points->hosts,
                                    .last = points->hosts,
                                    .steps = cw_new_array(n, sizeof *choice.steps, "trees by size"),
                                    .least = INFINITY};
    if (!choice.steps) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const double gain = points[i].time[points[i].started] / points[i].time[points[i].best];
        choice.least = fmin(choice.least, gain);
        choice.most = fmax(choice.most, gain);
        if (choice.n_steps > 0 && choice.steps[choice.n_steps - 1].tree == points[i].best) continue;
        choice.steps[choice.n_steps++] = (struct cw_host_step){points[i].bytes, points[i].best};
    }
    *out = choice;
    return 0;
}

static bool is_same(const struct cw_host_choice *a, const struct cw_host_choice *b)
{
    if (a->collective != b->collective || a->n_steps != b->n_steps) return false;
    for (size_t i = 0; i < a->n_steps; i++)
        if (a->steps[i].bytes != b->steps[i].bytes || a->steps[i].tree != b->steps[i].tree) return false;
    return true;
}

/* CHOICE is taken over: as one of its own, or as part of the last, whose hosts are fewer. */
static void add(const struct cw_host_choice *choice, struct cw_host_choices *choices)
{
    struct cw_host_choice *last = choices->n > 0 ? &choices->items[choices->n - 1] : NULL;
    if (!last || !is_same(last, choice)) {
        choices->items[choices->n++] = *choice;
        return;
    }
    last->last = choice->last;
    last->least = fmin(last->least, choice->least);
    last->most = fmax(last->most, choice->most);
    free(choice->steps);
}

int cw_host_choices_of(const struct cw_host_tree_points *points, struct cw_host_choices *out)
{
    struct cw_host_tree_point *sorted = cw_new_array(points->n, sizeof *sorted, "predictions");
    struct cw_host_choices choices = {cw_new_array(points->n, sizeof *choices.items, "trees"), 0};
    int rc = sorted && choices.items ? 0 : CW_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; !rc && i < points->n; i++)
        if (!points->items[i].straight) sorted[n++] = points->items[i];
    if (!rc) qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0, end; !rc && i < n; i = end) {
        struct cw_host_choice choice;
        for (end = i + 1; end < n; end++)
            if (sorted[end].collective != sorted[i].collective || sorted[end].hosts != sorted[i].hosts) break;
        rc = choice_of(&sorted[i], end - i, &choice);
        if (!rc) add(&choice, &choices);
    }
    free(sorted);
    if (rc)
        cw_host_choices_free(&choices);
    else
        *out = choices;
    return rc;
}

void cw_host_choices_free(struct cw_host_choices *choices)
{
    for (size_t i = 0; i < choices->n; i++) free(choices->items[i].steps);
    free(choices->items);
    *choices = (struct cw_host_choices){.n = 0};
}
