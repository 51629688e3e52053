#include "flow/paths/k_paths.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/setup.h"
#include "flow/legs/legs.h"
#include "flow/paths/spur_search.h"
#include "flow/paths/yen.h"
#include "net/network_internal.h"

/*
 * The k shortest paths of legs for every demand: with none or one relay, fewest relays first, then fewest channels with
 * a limit, then by the order of ties (flow/paths/k_paths.h), in which "plain" is by relay and route, and "rotated"
 * begins with a relay that a hash of the pair chooses.
 */

/* A path: by relay `via` (CW_NONE: none), on way `first`, then `second`. */
struct candidate {
    uint32_t via, order; /* order: among those with as many relays and hops */
    uint32_t hops;
    uint8_t first, second;
    uint64_t use; /* when it was looked at last; uses only grow */
};

struct search {
    const struct cw_flow_problem *problem;
    const struct cw_legs *legs;
    const struct cw_k_paths_setup *setup;
    bool by_use;
    uint32_t *use; /* [channels] paths chosen so far that have it */
    struct candidate *candidates;
    size_t n, capacity;
    uint32_t *path; /* of one candidate */
    size_t path_capacity;
    struct cw_k_paths *out;
    size_t begin_capacity, channel_capacity;
};

/* --- candidates --------------------------------------------------------------------------------------------------- */

/* The channels of leg (F, T) by way R, if there is such a way and it works. */
static const uint32_t *working_leg(const struct search *s, uint32_t f, uint32_t t, size_t r, uint32_t *n)
{
    const uint32_t *channels = cw_legs_channels(s->legs, f, t, r, n);
    return cw_legs_works(s->problem, channels, *n) ? channels : NULL;
}

/* Two ways are one if they have the same channels: the tables of two LIDs often do. */
static bool is_same_as_before(const struct search *s, uint32_t f, uint32_t t, size_t r)
{
    uint32_t n, other;
    const uint32_t *channels = cw_legs_channels(s->legs, f, t, r, &n);
    for (size_t before = 0; before < r; before++) {
        const uint32_t *one = cw_legs_channels(s->legs, f, t, before, &other);
        if (n == other && memcmp(one, channels, n * sizeof *one) == 0) return true;
    }
    return false;
}

static int add_candidate(struct search *s, uint32_t via, size_t first, size_t second, uint32_t hops, uint32_t order)
{
    if (s->setup->max_hops > 0 && hops > s->setup->max_hops) return 0;
    const int rc =
        cw_grow_array((void **)&s->candidates, &s->capacity, s->n + 1, sizeof *s->candidates, "paths of legs");
    if (!rc)
        s->candidates[s->n++] = (struct candidate){
            .via = via, .order = order, .hops = hops, .first = (uint8_t)first, .second = (uint8_t)second};
    return rc;
}

static bool share_a_channel(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a; i++)
        for (uint32_t j = 0; j < n_b; j++)
            if (a[i] == b[j]) return true;
    return false;
}

/* All ways from F by the relay VIA to T. */
static int add_relayed(struct search *s, uint32_t f, uint32_t via, uint32_t t, uint32_t order)
{
    const size_t n_routes = s->legs->setup.n_routes;
    int rc = 0;
    for (size_t first = 0; first < n_routes; first++) {
        uint32_t n_one, n_two;
        const uint32_t *one = working_leg(s, f, via, first, &n_one);
        if (!one || is_same_as_before(s, f, via, first)) continue;
        for (size_t second = 0; second < n_routes && !rc; second++) {
            const uint32_t *two = working_leg(s, via, t, second, &n_two);
            if (!two || is_same_as_before(s, via, t, second) || share_a_channel(one, n_one, two, n_two)) continue;
            const uint32_t hops = cw_flow_hops(s->problem, one, n_one) + cw_flow_hops(s->problem, two, n_two);
            rc = add_candidate(s, via, first, second, hops, order);
        }
    }
    return rc;
}

static int add_direct(struct search *s, uint32_t f, uint32_t t)
{
    int rc = 0;
    for (size_t r = 0; r < s->legs->setup.n_routes && !rc; r++) {
        uint32_t n;
        const uint32_t *channels = working_leg(s, f, t, r, &n);
        if (channels && !is_same_as_before(s, f, t, r))
            rc = add_candidate(s, CW_NONE, r, 0, cw_flow_hops(s->problem, channels, n), 0);
    }
    return rc;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if ((x->via == CW_NONE) != (y->via == CW_NONE)) return x->via == CW_NONE ? -1 : 1;
    if (x->hops != y->hops) return x->hops < y->hops ? -1 : 1;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

static bool is_alike(const struct candidate *a, const struct candidate *b)
{
    return (a->via == CW_NONE) == (b->via == CW_NONE) && a->hops == b->hops;
}

/* Lists the candidates of demand D, in their order but for uses. Relayed ones only if there are not enough others. */
static int list_candidates(struct search *s, uint32_t f, uint32_t t, size_t d)
{
    const uint32_t n_relays = s->legs->n_relays;
    const uint32_t turn =
        s->setup->ties == CW_TIES_ROTATED && n_relays > 0 ? (uint32_t)(cw_random_hash(0, d) % n_relays) : 0;
    s->n = 0;
    int rc = add_direct(s, f, t);
    const bool enough = s->n >= s->setup->k;
    for (uint32_t w = 0; w < n_relays && !enough && !rc; w++)
        rc = add_relayed(s, f, w, t, (w + n_relays - turn) % n_relays);
    if (!rc && s->n > 1) qsort(s->candidates, s->n, sizeof *s->candidates, compare_candidates);
    return rc;
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* Writes the channels of CANDIDATE into s->path; their number. */
static int write_path(struct search *s, uint32_t f, uint32_t t, const struct candidate *candidate, uint32_t *n)
{
    const bool direct = candidate->via == CW_NONE;
    uint32_t n_one, n_two = 0;
    const uint32_t *one = cw_legs_channels(s->legs, f, direct ? t : candidate->via, candidate->first, &n_one);
    const uint32_t *two = direct ? NULL : cw_legs_channels(s->legs, candidate->via, t, candidate->second, &n_two);
    const int rc = cw_grow_array((void **)&s->path, &s->path_capacity, n_one + n_two, sizeof *s->path, "a path");
    if (rc) return rc;
    memcpy(s->path, one, n_one * sizeof *one);
    if (two) memcpy(s->path + n_one, two, n_two * sizeof *two);
    *n = n_one + n_two;
    return 0;
}

static int measure_use(struct search *s, uint32_t f, uint32_t t, struct candidate *candidate)
{
    uint32_t n;
    const int rc = write_path(s, f, t, candidate, &n);
    candidate->use = 0;
    for (uint32_t i = 0; i < n && !rc; i++) candidate->use += s->use[s->path[i]];
    return rc;
}

static int keep_path(struct search *s, uint32_t f, uint32_t t, const struct candidate *candidate)
{
    struct cw_k_paths *out = s->out;
    uint32_t n;
    int rc = write_path(s, f, t, candidate, &n);
    if (!rc)
        rc = cw_grow_array((void **)&out->begin, &s->begin_capacity, out->n_paths + 2, sizeof *out->begin, "paths");
    if (!rc)
        rc = cw_grow_array((void **)&out->channel, &s->channel_capacity, out->begin[out->n_paths] + n,
                           sizeof *out->channel, "paths");
    if (rc) return rc;
    memcpy(out->channel + out->begin[out->n_paths], s->path, n * sizeof *s->path);
    out->begin[out->n_paths + 1] = out->begin[out->n_paths] + n;
    out->n_paths++;
    for (uint32_t i = 0; i < n; i++) s->use[s->path[i]]++;
    return 0;
}

/* Of the candidates BEGIN … END - 1, which have all been looked at, that of least use, which goes to BEGIN. */
static int take_least_used(struct search *s, uint32_t f, uint32_t t, size_t begin, size_t end)
{
    for (;;) {
        size_t best = begin;
        for (size_t i = begin + 1; i < end; i++) {
            const struct candidate *one = &s->candidates[i], *other = &s->candidates[best];
            if (one->use < other->use || (one->use == other->use && compare_candidates(one, other) < 0)) best = i;
        }
        const uint64_t use = s->candidates[best].use;
        const int rc = measure_use(s, f, t, &s->candidates[best]);
        if (rc) return rc;
        if (s->candidates[best].use > use) continue; /* another one may be least now */
        const struct candidate chosen = s->candidates[best];
        s->candidates[best] = s->candidates[begin];
        s->candidates[begin] = chosen;
        return 0;
    }
}

static int choose(struct search *s, uint32_t f, uint32_t t)
{
    uint32_t wanted = s->setup->k;
    int rc = 0;
    for (size_t begin = 0, end; begin < s->n && wanted > 0 && !rc; begin = end) {
        for (end = begin; end < s->n && is_alike(&s->candidates[begin], &s->candidates[end]); end++)
            if (s->by_use && !rc) rc = measure_use(s, f, t, &s->candidates[end]);
        for (size_t i = begin; i < end && wanted > 0 && !rc; i++, wanted--) {
            if (s->by_use) rc = take_least_used(s, f, t, i, end);
            if (!rc) rc = keep_path(s, f, t, &s->candidates[i]);
        }
    }
    return rc;
}

/* Uses of the paths found for demand D are forgotten. */
static void forget(struct search *s, size_t d)
{
    const struct cw_k_paths *out = s->out;
    for (size_t i = out->begin[out->first[d]]; i < out->begin[out->n_paths]; i++) s->use[out->channel[i]] = 0;
}

static int find_of_legs(struct search *s, size_t d)
{
    const struct cw_demand *demand = &s->problem->demands->items[d];
    const uint32_t f = s->legs->from_index[demand->src], t = s->legs->to_index[demand->dst];
    int rc = cw_interrupt_check();
    if (!rc) rc = list_candidates(s, f, t, d);
    if (!rc) rc = choose(s, f, t);
    s->out->first[d + 1] = s->out->n_paths;
    if (!rc && s->setup->ties == CW_TIES_DISJOINT) forget(s, d);
    cw_progress_reach(&s->setup->progress, (double)(d + 1) / (double)s->problem->demands->n);
    return rc;
}

/* As cw_k_paths_find, for a problem with legs. Time: for each demand, relays · routes², and for orders by use k times
 * that at worst. */
static int find_leg_paths(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *setup,
                          struct cw_k_paths *out)
{
    struct cw_k_paths paths = {.n_demands = problem->demands->n};
    struct search s = {.problem = problem, .legs = problem->legs, .setup = setup, .out = &paths};
    s.by_use = setup->ties == CW_TIES_DISJOINT || setup->ties == CW_TIES_PENALISED;
    s.use = cw_new_array(problem->net->n_channels, sizeof *s.use, "uses of channels");
    paths.first = cw_new_array(paths.n_demands + 1, sizeof *paths.first, "paths");
    paths.begin = cw_new_array(1, sizeof *paths.begin, "paths");
    s.begin_capacity = 1;
    int rc = s.use && paths.first && paths.begin ? 0 : CW_ENOMEM;
    for (size_t d = 0; d < paths.n_demands && !rc; d++) rc = find_of_legs(&s, d);
    free(s.use);
    free(s.candidates);
    free(s.path);
    if (rc)
        cw_k_paths_free(&paths);
    else
        *out = paths;
    return rc;
}

/* The paths of one demand. */
struct batch {
    size_t n_paths, n_channels;
    uint32_t *data; /* their lengths, then all their channels */
};

struct job {
    const struct cw_flow_problem *problem;
    const struct cw_k_paths_setup *setup;
    atomic_size_t searched; /* demands */
    struct cw_live_arcs arcs;
    unsigned n_workers;
    struct cw_yen **workers; /* [n_workers] */
    uint32_t *use;           /* [n_workers][arcs], or NULL */
    struct batch *batches;   /* [demands] */
};

/* --- one demand --------------------------------------------------------------------------------------------------- */

/* Only channels of endpoints may be without a limit, and of an endpoint either all are or none. */
static uint32_t max_length(const struct job *job, const struct cw_demand *demand)
{
    const struct cw_network *net = job->problem->net;
    const double *capacity = job->problem->capacity;
    bool out = false, in = false;
    if (job->setup->max_hops == 0) return UINT32_MAX;
    for (uint32_t c = net->first[demand->src]; c < net->first[demand->src + 1]; c++) out |= isinf(capacity[c]);
    for (uint32_t c = net->first[demand->dst]; c < net->first[demand->dst + 1]; c++)
        in |= isinf(capacity[net->twin[c]]);
    const uint64_t length = (uint64_t)job->setup->max_hops + out + in;
    return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

static int keep_found(const struct cw_yen *yen, struct batch *batch)
{
    size_t n_channels = 0;
    for (size_t i = 0; i < yen->n_found; i++) n_channels += yen->found[i].length;
    uint32_t *data = cw_new_array(yen->n_found + n_channels, sizeof *data, "paths");
    if (!data) return CW_ENOMEM;
    *batch = (struct batch){yen->n_found, n_channels, data};
    uint32_t *channel = data + yen->n_found;
    for (size_t i = 0; i < yen->n_found; i++) {
        const struct cw_found_path *path = &yen->found[i];
        data[i] = path->length;
        for (uint32_t j = 0; j < path->length; j++) *channel++ = yen->arcs->channel[yen->paths[path->begin + j]];
    }
    return 0;
}

static int find_demand(void *context, size_t index, unsigned thread)
{
    struct job *job = context;
    struct cw_yen *yen = job->workers[thread];
    const struct cw_demand *demand = &job->problem->demands->items[index];
    int rc = cw_yen_run(yen, demand->src, demand->dst, max_length(job, demand));
    if (!rc) rc = keep_found(yen, &job->batches[index]);
    if (job->setup->ties == CW_TIES_DISJOINT) cw_yen_forget(yen);
    const size_t searched = atomic_fetch_add_explicit(&job->searched, 1, memory_order_relaxed) + 1;
    cw_progress_reach(&job->setup->progress, (double)searched / (double)job->problem->demands->n);
    return rc;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int open_job(unsigned n_threads, struct job *job)
{
    const size_t n_demands = job->problem->demands->n;
    const enum cw_ties ties = job->setup->ties;
    int rc = cw_live_arcs_make(job->problem, &job->arcs);
    if (rc) return rc;
    const size_t n_arcs = job->arcs.n_arcs;
    job->n_workers = ties == CW_TIES_PENALISED ? 1 : cw_parallel_threads(n_threads, n_demands);
    job->workers = cw_new_array(job->n_workers, sizeof(struct cw_yen *), "searches");
    job->batches = cw_new_array(n_demands, sizeof *job->batches, "paths");
    if (!job->workers || !job->batches) return CW_ENOMEM;
    if (ties == CW_TIES_DISJOINT || ties == CW_TIES_PENALISED) {
        job->use = cw_new_array(n_arcs * job->n_workers, sizeof *job->use, "uses of channels");
        if (!job->use) return CW_ENOMEM;
    }
    for (unsigned i = 0; !rc && i < job->n_workers; i++)
        rc = cw_yen_make(&job->arcs, job->problem->capacity, job->setup->k, ties == CW_TIES_ROTATED,
                         job->use ? job->use + i * n_arcs : NULL, &job->workers[i]);
    return rc;
}

static void close_job(struct job *job)
{
    for (unsigned i = 0; job->workers && i < job->n_workers; i++) cw_yen_free(job->workers[i]);
    for (size_t d = 0; job->batches && d < job->problem->demands->n; d++) free(job->batches[d].data);
    free(job->workers);
    free(job->use);
    free(job->batches);
    cw_live_arcs_free(&job->arcs);
}

/* Puts one demand's paths after another; what is copied is freed. */
static int gather(struct job *job, struct cw_k_paths *out)
{
    struct cw_k_paths paths = {.n_demands = job->problem->demands->n};
    size_t n_channels = 0, at = 0;
    for (size_t d = 0; d < paths.n_demands; d++) {
        paths.n_paths += job->batches[d].n_paths;
        n_channels += job->batches[d].n_channels;
    }
    paths.first = cw_new_array(paths.n_demands + 1, sizeof *paths.first, "paths");
    paths.begin = cw_new_array(paths.n_paths + 1, sizeof *paths.begin, "paths");
    paths.channel = cw_new_array(n_channels, sizeof *paths.channel, "paths");
    if (!paths.first || !paths.begin || !paths.channel) {
        cw_k_paths_free(&paths);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < paths.n_demands; d++) {
        struct batch *batch = &job->batches[d];
        paths.first[d + 1] = paths.first[d] + batch->n_paths;
        for (size_t i = 0; i < batch->n_paths; i++, at++) paths.begin[at + 1] = paths.begin[at] + batch->data[i];
        memcpy(paths.channel + paths.begin[paths.first[d]], batch->data + batch->n_paths,
               batch->n_channels * sizeof *paths.channel);
        free(batch->data);
        batch->data = NULL;
    }
    *out = paths;
    return 0;
}

int cw_k_paths_find_sized(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *given, size_t size,
                          unsigned n_threads, struct cw_k_paths *out)
{
    struct cw_k_paths_setup whole;
    const struct cw_k_paths_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    if (setup->k == 0) return cw_fail(CW_EUSAGE, "0 paths a demand: expected at least 1");
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    if (problem->legs) return find_leg_paths(problem, setup, out);
    struct job job = {.problem = problem, .setup = setup};
    rc = open_job(n_threads, &job);
    if (!rc) rc = cw_parallel_for(job.n_workers, problem->demands->n, find_demand, &job);
    if (!rc) rc = gather(&job, out);
    close_job(&job);
    return rc;
}

void cw_k_paths_free(struct cw_k_paths *paths)
{
    if (!paths) return;
    free(paths->first);
    free(paths->begin);
    free(paths->channel);
    *paths = (struct cw_k_paths){0};
}
