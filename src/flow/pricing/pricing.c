#include "flow/pricing/pricing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "flow/anycast/anycast.h"
#include "flow/pricing/path_search.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

/* --- demands that belong together --------------------------------------------------------------------------------- */

struct keyed {
    uint32_t key, demand;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->demand > y->demand) - (x->demand < y->demand);
}

int cw_demand_groups_make(const uint32_t *key, size_t n, struct cw_demand_groups *out)
{
    struct cw_demand_groups groups = {.order = cw_new_array(n, sizeof *groups.order, "groups of demands"),
                                      .begin = cw_new_array(n + 1, sizeof *groups.begin, "groups of demands")};
    struct keyed *keyed = cw_new_array(n, sizeof *keyed, "groups of demands");
    if (!groups.order || !groups.begin || !keyed) {
        cw_demand_groups_free(&groups);
        free(keyed);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < n; d++) keyed[d] = (struct keyed){key[d], (uint32_t)d};
    qsort(keyed, n, sizeof *keyed, compare_keyed);
    for (size_t i = 0; i < n; i++) {
        groups.order[i] = keyed[i].demand;
        if (i == 0 || keyed[i].key != keyed[i - 1].key) groups.begin[groups.n++] = i;
    }
    groups.begin[groups.n] = n;
    free(keyed);
    *out = groups;
    return 0;
}

void cw_demand_groups_free(struct cw_demand_groups *groups)
{
    free(groups->order);
    free(groups->begin);
    *groups = (struct cw_demand_groups){0};
}

/* --- pricing ------------------------------------------------------------------------------------------------------ */

/* What a thread needs: a search, and the paths that its searches found. */
struct worker {
    struct cw_path_search search;
    uint32_t *channels;
    size_t n, capacity;
};

struct found {
    double distance;
    size_t begin; /* of the path, in the worker's channels or those of the given paths */
    uint32_t n;   /* channels */
    unsigned worker;
    uint32_t run; /* in which it was found */
};

struct cw_pricing {
    const struct cw_flow_problem *problem;
    const struct cw_k_paths *paths;     /* NULL: all */
    struct cw_leg_pricing *legs;        /* all paths of legs; NULL: paths are given, or free */
    struct cw_anycast_pricing *anycast; /* destinations are any of several; NULL */
    bool backward;                      /* searches begin at destinations */
    unsigned n_workers;
    struct worker *workers;
    struct cw_demand_groups groups; /* those of one search together */
    uint32_t n_paths;               /* of a demand */
    struct found *found;            /* [demands × n_paths] */
    uint32_t n_parts, part;         /* of how many; the one that runs, CW_NONE: all */
    uint32_t runs;                  /* so far */
    bool measures;                  /* this one finds distances only */
    double deadline;                /* of a run */
    const double *length;           /* of the run, in the whole network */
    double *unfolded;               /* [channels] such, of a quotient; NULL: it is none */
    double width;                   /* of the searches' buckets */
};

#define LARGE 1000 /* switches: where a search is long, … */
#define DRAWN 3    /* … so many paths beside the shortest are taken from it, … */
#define SLACK 0.3  /* … that are longer by that much at most: less than half of the rounds are needed then */
#define PARTS 8 /* … and demands are priced in so many parts: less than half of the searches are needed then, … */
#define WHOLE 8 /* … if each has so many searches, or threads would wait */

/* Groups demands by the root of their sources or destinations. */
static int group_by_root(const struct cw_flow_problem *problem, bool by_destination, struct cw_demand_groups *out)
{
    const struct cw_demands *demands = problem->demands;
    uint32_t *root = cw_new_array(demands->n, sizeof *root, "demands by end");
    if (!root) return CW_ENOMEM;
    for (size_t d = 0; d < demands->n; d++)
        root[d] = cw_path_search_root(problem, by_destination ? demands->items[d].dst : demands->items[d].src);
    const int rc = cw_demand_groups_make(root, demands->n, out);
    free(root);
    return rc;
}

/* Searches begin at the ends that are fewer, sources if there are as many of both. */
static int make_groups(struct cw_pricing *pricing)
{
    struct cw_demand_groups sources, destinations;
    int rc = group_by_root(pricing->problem, false, &sources);
    if (rc) return rc;
    rc = group_by_root(pricing->problem, true, &destinations);
    if (rc) {
        cw_demand_groups_free(&sources);
        return rc;
    }
    pricing->backward = sources.n > destinations.n;
    pricing->groups = pricing->backward ? destinations : sources;
    cw_demand_groups_free(pricing->backward ? &sources : &destinations);
    return 0;
}

static int make_workers(struct cw_pricing *pricing, unsigned n_threads)
{
    pricing->n_workers = cw_parallel_threads(n_threads, pricing->groups.n);
    pricing->workers = cw_new_array(pricing->n_workers, sizeof *pricing->workers, "searches");
    if (!pricing->workers) return CW_ENOMEM;
    int rc = 0;
    for (unsigned i = 0; i < pricing->n_workers && rc == 0; i++)
        rc = cw_path_search_make(pricing->problem, pricing->backward, &pricing->workers[i].search);
    return rc;
}

/* Of a quotient, the next round knows soon enough what became of this one. */
static int make_searches(struct cw_pricing *pricing, unsigned n_threads)
{
    const int rc = make_groups(pricing);
    if (pricing->n_paths > 1 && pricing->groups.n >= PARTS * WHOLE && !pricing->problem->quotient)
        pricing->n_parts = PARTS;
    return rc ? rc : make_workers(pricing, n_threads);
}

int cw_pricing_make(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, unsigned n_threads,
                    struct cw_pricing **out)
{
    const struct cw_network *net = problem->net;
    struct cw_pricing *pricing = cw_new_array(1, sizeof *pricing, "pricing");
    if (!pricing) return CW_ENOMEM;
    pricing->problem = problem;
    pricing->paths = paths;
    pricing->deadline = INFINITY;
    pricing->n_parts = 1;
    const bool is_free = !paths && !problem->legs && !problem->anycast;
    pricing->n_paths = is_free && net->n_vertices - net->n_endpoints >= LARGE ? 1 + DRAWN : 1;
    pricing->found = cw_new_array(problem->demands->n * pricing->n_paths, sizeof *pricing->found, "pricing");
    if (problem->quotient) pricing->unfolded = cw_new_array(net->n_channels, sizeof *pricing->unfolded, "lengths");
    int rc = pricing->found && (pricing->unfolded || !problem->quotient) ? 0 : CW_ENOMEM;
    if (rc == 0 && problem->anycast)
        rc = cw_anycast_pricing_make(problem, n_threads, &pricing->anycast);
    else if (rc == 0 && !paths && problem->legs)
        rc = cw_leg_pricing_make(problem, n_threads, &pricing->legs);
    else if (rc == 0 && !paths)
        rc = make_searches(pricing, n_threads);
    if (rc == 0)
        *out = pricing;
    else
        cw_pricing_free(pricing);
    return rc;
}

void cw_pricing_limit(struct cw_pricing *pricing, double deadline)
{
    pricing->deadline = deadline;
    if (pricing->anycast) cw_anycast_pricing_limit(pricing->anycast, deadline);
}

void cw_pricing_free(struct cw_pricing *pricing)
{
    if (!pricing) return;
    for (unsigned i = 0; pricing->workers && i < pricing->n_workers; i++) {
        cw_path_search_free(&pricing->workers[i].search);
        free(pricing->workers[i].channels);
    }
    cw_leg_pricing_free(pricing->legs);
    cw_anycast_pricing_free(pricing->anycast);
    free(pricing->workers);
    cw_demand_groups_free(&pricing->groups);
    free(pricing->found);
    free(pricing->unfolded);
    free(pricing);
}

static int fail_no_path(const struct cw_pricing *pricing, size_t d)
{
    const struct cw_demand *demand = &pricing->problem->demands->items[d];
    char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "there is no path from %s to %s",
                   cw_network_name(pricing->problem->net, demand->src, src, sizeof src),
                   cw_network_name(pricing->problem->net, demand->dst, dst, sizeof dst));
}

static struct found *first_found(const struct cw_pricing *pricing, size_t d)
{
    return &pricing->found[d * pricing->n_paths];
}

static int scan_paths(struct cw_pricing *pricing, size_t d, const double *length)
{
    const struct cw_k_paths *paths = pricing->paths;
    struct found found = {.distance = INFINITY, .run = pricing->runs};
    for (size_t p = paths->first[d]; p < paths->first[d + 1]; p++) {
        double distance = 0;
        for (size_t i = paths->begin[p]; i < paths->begin[p + 1]; i++) distance += length[paths->channel[i]];
        if (distance >= found.distance) continue;
        found.distance = distance;
        found.begin = paths->begin[p];
        found.n = (uint32_t)(paths->begin[p + 1] - paths->begin[p]);
    }
    *first_found(pricing, d) = found;
    return isfinite(found.distance) ? 0 : fail_no_path(pricing, d);
}

static uint32_t near_end(const struct cw_pricing *pricing, size_t d)
{
    const struct cw_demand *demand = &pricing->problem->demands->items[d];
    return pricing->backward ? demand->dst : demand->src;
}

static uint32_t far_end(const struct cw_pricing *pricing, size_t d)
{
    const struct cw_demand *demand = &pricing->problem->demands->items[d];
    return pricing->backward ? demand->src : demand->dst;
}

/* Where WORKER may put the next path. NULL after an error. */
static uint32_t *room_for_path(const struct cw_pricing *pricing, struct worker *worker)
{
    const size_t most = (size_t)pricing->problem->net->n_vertices + 1;
    const int rc = cw_grow_array((void **)&worker->channels, &worker->capacity, worker->n + most,
                                 sizeof *worker->channels, "paths");
    return rc ? NULL : worker->channels + worker->n;
}

/* Takes the paths of demand D from the tree of the worker's last search. */
static int take_paths(struct cw_pricing *pricing, unsigned index, uint32_t d)
{
    struct worker *worker = &pricing->workers[index];
    const struct cw_network *net = pricing->problem->net;
    const uint32_t near = near_end(pricing, d), port = net->first[near];
    uint32_t channel = CW_NONE;
    double distance = cw_path_search_distance(&worker->search, far_end(pricing, d), pricing->length, &channel);
    if (channel == CW_NONE) return fail_no_path(pricing, d);
    if (cw_path_search_root(pricing->problem, near) != near)
        distance += pricing->length[pricing->backward ? net->twin[port] : port];
    first_found(pricing, d)->distance = distance;
    if (pricing->measures) return 0;
    struct cw_random random = cw_random_of(pricing->runs, CW_STREAM_PATHS, d);
    const struct cw_path_draw draw = {pricing->length, SLACK * distance, &random};
    for (uint32_t i = 0; i < pricing->n_paths; i++) {
        uint32_t *path = room_for_path(pricing, worker);
        if (!path) return CW_ENOMEM;
        const uint32_t n = cw_path_search_path(&worker->search, near, channel, i > 0 ? &draw : NULL, path);
        if (pricing->unfolded) cw_quotient_fold_path(pricing->problem->quotient, path, n);
        first_found(pricing, d)[i] = (struct found){distance, worker->n, n, index, pricing->runs};
        worker->n += n;
    }
    return 0;
}

static int search_group(void *context, size_t index, unsigned thread)
{
    struct cw_pricing *pricing = context;
    struct cw_path_search *search = &pricing->workers[thread].search;
    const struct cw_demand_groups *groups = &pricing->groups;
    const size_t group = pricing->part == CW_NONE ? index : index * pricing->n_parts + pricing->part;
    const uint32_t *order = groups->order + groups->begin[group];
    const size_t n = groups->begin[group + 1] - groups->begin[group];
    if (isfinite(pricing->deadline) && cw_stopwatch_now() > pricing->deadline)
        return cw_fail(CW_ELIMIT, "the time to search for paths is over");
    cw_path_search_begin(search);
    for (size_t i = 0; i < n; i++) cw_path_search_want(search, far_end(pricing, order[i]));
    const uint32_t root = cw_path_search_root(pricing->problem, near_end(pricing, order[0]));
    cw_path_search_run(search, root, pricing->width);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) rc = take_paths(pricing, thread, order[i]);
    return rc;
}

static int run_searches(struct cw_pricing *pricing, uint32_t part)
{
    const size_t n = pricing->groups.n;
    pricing->part = part;
    pricing->width = cw_path_search_width(&pricing->workers[0].search, pricing->length);
    for (unsigned i = 0; i < pricing->n_workers; i++) {
        pricing->workers[i].n = 0;
        cw_path_search_set(&pricing->workers[i].search, pricing->length);
    }
    return cw_parallel_for(pricing->n_workers,
                           part == CW_NONE ? n : (n + pricing->n_parts - 1 - part) / pricing->n_parts, search_group,
                           pricing);
}

/* A run by LENGTH begins. */
static void begin_run(struct cw_pricing *pricing, const double *length)
{
    pricing->length = pricing->unfolded ? pricing->unfolded : length;
    if (pricing->unfolded) cw_quotient_unfold(pricing->problem->quotient, length, pricing->unfolded);
    pricing->runs++;
}

int cw_pricing_run(struct cw_pricing *pricing, const double *length)
{
    int rc = 0;
    begin_run(pricing, length);
    if (pricing->anycast) return cw_anycast_pricing_run(pricing->anycast, length);
    if (pricing->legs) return cw_leg_pricing_run(pricing->legs, pricing->length);
    if (!pricing->paths) return run_searches(pricing, CW_NONE);
    for (size_t d = 0; d < pricing->problem->demands->n && rc == 0; d++) rc = scan_paths(pricing, d, length);
    return rc;
}

int cw_pricing_measure(struct cw_pricing *pricing, const double *length)
{
    pricing->measures = true;
    const int rc = cw_pricing_run(pricing, length);
    pricing->measures = false;
    return rc;
}

uint32_t cw_pricing_parts(const struct cw_pricing *pricing)
{
    return pricing->n_parts;
}

int cw_pricing_run_part(struct cw_pricing *pricing, const double *length, uint32_t part)
{
    if (pricing->n_parts == 1) return cw_pricing_run(pricing, length);
    begin_run(pricing, length);
    return run_searches(pricing, part);
}

double cw_pricing_distance(const struct cw_pricing *pricing, size_t demand)
{
    if (pricing->anycast) return cw_anycast_pricing_distance(pricing->anycast, demand);
    return pricing->legs ? cw_leg_pricing_distance(pricing->legs, demand) : first_found(pricing, demand)->distance;
}

uint32_t cw_pricing_n_paths(const struct cw_pricing *pricing, size_t demand)
{
    const bool all = pricing->legs || pricing->anycast;
    return all || first_found(pricing, demand)->run == pricing->runs ? pricing->n_paths : 0;
}

const uint32_t *cw_pricing_path(const struct cw_pricing *pricing, size_t demand, uint32_t i, uint32_t *n)
{
    if (pricing->anycast) return cw_anycast_pricing_path(pricing->anycast, demand, n);
    if (pricing->legs) return cw_leg_pricing_path(pricing->legs, demand, n);
    const struct found *found = &first_found(pricing, demand)[i];
    *n = found->n;
    if (pricing->paths) return pricing->paths->channel + found->begin;
    return pricing->workers[found->worker].channels + found->begin;
}

double cw_pricing_bound(const struct cw_pricing *pricing, const double *length)
{
    const struct cw_flow_problem *problem = pricing->problem;
    double capacity = 0, demand = 0;
    for (uint32_t c = 0; c < problem->net->n_channels; c++)
        if (length[c] > 0) capacity += problem->capacity[c] / problem->unit_capacity * length[c];
    for (size_t d = 0; d < problem->demands->n; d++)
        demand +=
            (double)problem->demands->items[d].bytes / (double)problem->unit_bytes * cw_pricing_distance(pricing, d);
    return demand > 0 ? capacity / demand : INFINITY;
}
