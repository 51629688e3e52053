#include "flow/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define LEAST_SHARE 1e-12 /* what carries less is no path of a plan */

void cw_plan_free(struct cw_plan *plan)
{
    if (!plan) return;
    free(plan->paths);
    free(plan->channels);
    cw_proof_free(&plan->proof);
    *plan = (struct cw_plan){0};
}

static void forget_paths(struct cw_plan *plan)
{
    plan->paths = NULL;
    plan->channels = NULL;
    plan->n_paths = plan->paths_capacity = plan->n_channels = plan->channels_capacity = 0;
}

int cw_plan_without_paths(const struct cw_plan *plan, struct cw_plan *out)
{
    struct cw_proof proof;
    const int rc = cw_proof_copy(&plan->proof, &proof);
    if (rc) return rc;
    *out = *plan;
    out->proof = proof;
    forget_paths(out);
    return 0;
}

void cw_plan_take_paths(struct cw_plan *plan, struct cw_plan *from)
{
    free(plan->paths);
    free(plan->channels);
    plan->paths = from->paths;
    plan->n_paths = from->n_paths;
    plan->paths_capacity = from->paths_capacity;
    plan->channels = from->channels;
    plan->n_channels = from->n_channels;
    plan->channels_capacity = from->channels_capacity;
    forget_paths(from);
}

int cw_plan_add(struct cw_plan *plan, uint32_t demand, double share, const uint32_t *channels, size_t n)
{
    void *items = plan->paths;
    if (n > UINT32_MAX - plan->n_channels)
        return cw_fail(CW_ELIMIT, "a plan of more than %u channels on all its paths", UINT32_MAX);
    int rc = cw_grow_array(&items, &plan->paths_capacity, plan->n_paths + 1, sizeof *plan->paths, "a plan's paths");
    plan->paths = items;
    if (rc) return rc;
    items = plan->channels;
    rc = cw_grow_array(&items, &plan->channels_capacity, plan->n_channels + n, sizeof *channels, "a plan's channels");
    plan->channels = items;
    if (rc) return rc;
    if (n > 0) memcpy(plan->channels + plan->n_channels, channels, n * sizeof *channels);
    plan->paths[plan->n_paths++] =
        (struct cw_plan_path){.demand = demand, .first = (uint32_t)plan->n_channels, .n = (uint32_t)n, .share = share};
    plan->n_channels += n;
    return 0;
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* By demand, then in the order they were added. */
static int compare_paths(const void *a, const void *b)
{
    const struct cw_plan_path *x = a, *y = b;
    if (x->demand != y->demand) return x->demand < y->demand ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Most methods add paths in order, and sorting takes longer than to see that. */
static bool is_in_order(const struct cw_plan *plan)
{
    for (size_t i = 1; i < plan->n_paths; i++)
        if (compare_paths(&plan->paths[i - 1], &plan->paths[i]) > 0) return false;
    return true;
}

/* Lays the channels down in the order of the paths, so that dropped paths leave no gaps. */
static int order_channels(struct cw_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_paths; i++) n += plan->paths[i].n;
    uint32_t *channels = cw_new_array(n, sizeof *channels, "a plan's channels");
    if (!channels) return CW_ENOMEM;
    uint32_t at = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        struct cw_plan_path *path = &plan->paths[i];
        if (path->n > 0) memcpy(channels + at, plan->channels + path->first, path->n * sizeof *channels);
        path->first = at;
        at += path->n;
    }
    free(plan->channels);
    plan->channels = channels;
    plan->n_channels = plan->channels_capacity = n;
    return 0;
}

size_t cw_plan_end_of_demand(const struct cw_plan *plan, size_t begin)
{
    size_t end = begin;
    while (end < plan->n_paths && plan->paths[end].demand == plan->paths[begin].demand) end++;
    return end;
}

/* Makes the shares of the N paths at PATHS add up to 1; false if they have nothing to share. */
static bool scale_shares(struct cw_plan_path *paths, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (!(paths[i].share < 0)) sum += paths[i].share; /* not a number stays one */
    if (!(sum > 0) || isinf(sum)) return false;
    for (size_t i = 0; i < n; i++) paths[i].share /= sum;
    return true;
}

/* Shares that add up to 1, without paths that carry as good as nothing. */
static int clean_shares(struct cw_plan *plan)
{
    size_t kept = 0;
    for (size_t begin = 0, end; begin < plan->n_paths; begin = end) {
        end = cw_plan_end_of_demand(plan, begin);
        const size_t first = kept;
        if (!scale_shares(plan->paths + begin, end - begin))
            return cw_fail(CW_EINTERNAL, "plan: the shares of demand %u are not valid", plan->paths[begin].demand);
        for (size_t i = begin; i < end; i++)
            if (plan->paths[i].share >= LEAST_SHARE) plan->paths[kept++] = plan->paths[i];
        scale_shares(plan->paths + first, kept - first);
    }
    plan->n_paths = kept;
    return 0;
}

static int check_demands(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    size_t next = 0; /* demand that has no path yet */
    for (size_t i = 0; i < plan->n_paths && plan->paths[i].demand <= next; i++)
        if (plan->paths[i].demand == next) next++;
    if (next < problem->demands->n) return cw_fail(CW_EINTERNAL, "plan: demand %zu has no path", next);
    if (plan->n_paths > 0 && plan->paths[plan->n_paths - 1].demand >= problem->demands->n)
        return cw_fail(CW_EINTERNAL, "plan: there is no demand %u", plan->paths[plan->n_paths - 1].demand);
    return 0;
}

static bool is_rounded(const struct cw_plan *plan)
{
    for (size_t i = 0; i < plan->n_paths; i++)
        if (plan->paths[i].bytes > 0) return true;
    return false;
}

static double bytes_of(const struct cw_flow_problem *problem, const struct cw_plan_path *path, bool rounded)
{
    return rounded ? (double)path->bytes : path->share * (double)problem->demands->items[path->demand].bytes;
}

/* The bytes each channel carries. NULL after an error. */
static double *channel_loads(const struct cw_flow_problem *problem, const struct cw_plan *plan, bool rounded)
{
    double *load = cw_new_array(problem->net->n_channels, sizeof *load, "channel loads");
    for (size_t i = 0; i < plan->n_paths && load; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const double bytes = bytes_of(problem, path, rounded);
        for (uint32_t hop = 0; hop < path->n; hop++) load[plan->channels[path->first + hop]] += bytes;
    }
    return load;
}

int cw_plan_evaluate(const struct cw_flow_problem *problem, struct cw_plan *plan)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    if (!is_in_order(plan)) qsort(plan->paths, plan->n_paths, sizeof *plan->paths, compare_paths);
    rc = check_demands(problem, plan);
    if (!rc) rc = clean_shares(plan);
    if (!rc) rc = order_channels(plan);
    if (rc) return rc;
    double *load = channel_loads(problem, plan, false);
    if (!load) return CW_ENOMEM;
    double z = INFINITY;
    for (uint32_t c = 0; c < problem->net->n_channels; c++) {
        if (load[c] > 0)
            z = fmin(z, problem->capacity[c] / problem->unit_capacity / (load[c] / (double)problem->unit_bytes));
    }
    plan->z = z;
    free(load);
    return 0;
}

double cw_plan_bandwidth_seconds(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    return (double)problem->unit_bytes / (problem->unit_capacity * plan->z);
}

/* --- the better one ----------------------------------------------------------------------------------------------- */

#define TIE 1e-6 /* relative */

static bool differ(double a, double b)
{
    return a != b && fabs(a - b) > TIE * fmin(a, b); /* least of both: infinity is near to none */
}

bool cw_plan_is_better(const struct cw_plan *a, double seconds_a, const struct cw_plan *b, double seconds_b)
{
    const bool timed = !isinf(seconds_a) || !isinf(seconds_b);
    const double time_a = timed ? seconds_a : 1 / a->z, time_b = timed ? seconds_b : 1 / b->z;
    if (differ(time_a, time_b)) return time_a < time_b;
    if (a->network_routes != b->network_routes) return a->network_routes;
    if (differ(a->z, b->z)) return a->z > b->z;
    if ((a->proof.n > 0) != (b->proof.n > 0)) return a->proof.n > 0;
    return a->n_paths < b->n_paths;
}

/* --- whole bytes -------------------------------------------------------------------------------------------------- */

struct remainder {
    double rest;
    size_t path;
};

/* Largest rest first; equal ones in the order of the paths. */
static int compare_remainders(const void *a, const void *b)
{
    const struct remainder *x = a, *y = b;
    if (x->rest != y->rest) return x->rest > y->rest ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

/* Splits BYTES over the N paths at PATHS. REMAINDERS has room for N. */
static void split_bytes(uint64_t bytes, struct cw_plan_path *paths, size_t n, struct remainder *remainders)
{
    uint64_t left = bytes;
    for (size_t i = 0; i < n; i++) {
        const double ideal = paths[i].share * (double)bytes, whole = floor(ideal);
        /* above 2^53 bytes a double is too coarse to trust: never more than there are */
        paths[i].bytes = whole >= (double)left ? left : (uint64_t)whole;
        left -= paths[i].bytes;
        remainders[i] = (struct remainder){.rest = ideal - whole, .path = i};
    }
    if (left == 0) return;
    qsort(remainders, n, sizeof *remainders, compare_remainders);
    for (size_t i = 0; i < n; i++) paths[remainders[i].path].bytes += left / n + (i < left % n);
}

int cw_plan_round(const struct cw_flow_problem *problem, struct cw_plan *plan)
{
    const int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    struct remainder *remainders = cw_new_array(plan->n_paths, sizeof *remainders, "remainders");
    if (!remainders) return CW_ENOMEM;
    for (size_t begin = 0, end; begin < plan->n_paths; begin = end) {
        end = cw_plan_end_of_demand(plan, begin);
        split_bytes(problem->demands->items[plan->paths[begin].demand].bytes, plan->paths + begin, end - begin,
                    remainders);
    }
    free(remainders);
    return 0;
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static void count_hops(const struct cw_flow_problem *problem, const struct cw_plan *plan, bool rounded,
                       struct cw_plan_figures *figures)
{
    double bytes = 0, byte_hops = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const double weight = bytes_of(problem, path, rounded);
        if (!(weight > 0)) continue;
        const uint32_t hops = cw_flow_hops(problem, plan->channels + path->first, path->n);
        figures->paths_used++;
        if (hops > figures->hops_max) figures->hops_max = hops;
        bytes += weight;
        byte_hops += weight * hops;
    }
    figures->hops_mean = bytes > 0 ? byte_hops / bytes : 0;
}

static int count_copies(const struct cw_flow_problem *problem, const struct cw_plan *plan, bool rounded,
                        uint32_t *copies_max)
{
    uint32_t *copies = cw_new_array(problem->net->n_vertices, sizeof *copies, "copies");
    if (!copies) return CW_ENOMEM;
    for (size_t i = 0; i < plan->n_paths; i++) {
        if (!(bytes_of(problem, &plan->paths[i], rounded) > 0)) continue;
        const uint32_t *channels = plan->channels + plan->paths[i].first;
        for (uint32_t hop = 1; hop < plan->paths[i].n; hop++) {
            if (!cw_flow_is_relay(problem, channels[hop - 1], channels[hop])) continue;
            const uint32_t count = ++copies[problem->net->tail[channels[hop]]];
            if (count > *copies_max) *copies_max = count;
        }
    }
    free(copies);
    return 0;
}

int cw_plan_figures_compute(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                            struct cw_plan_figures *out)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    struct cw_plan_figures figures = {.pairs = problem->demands->n, .hottest = CW_NONE};
    const bool rounded = is_rounded(plan);
    double *load = channel_loads(problem, plan, rounded), hottest = 0;
    if (!load) return CW_ENOMEM;
    for (uint32_t c = 0; c < problem->net->n_channels; c++) {
        if (isinf(problem->capacity[c])) continue;
        figures.max_channel_bytes = fmax(figures.max_channel_bytes, load[c]);
        if (!(load[c] / problem->capacity[c] > hottest)) continue;
        hottest = load[c] / problem->capacity[c];
        figures.hottest = c;
        figures.hottest_bytes = load[c];
    }
    free(load);
    count_hops(problem, plan, rounded, &figures);
    rc = count_copies(problem, plan, rounded, &figures.copies_max);
    if (!rc) *out = figures;
    return rc;
}
