#include "flow/paths/k_paths.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "flow/legs/leg_paths.h"
#include "flow/paths/live_arcs.h"
#include "flow/paths/yen.h"

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

int cw_k_paths_find(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *setup, unsigned n_threads,
                    struct cw_k_paths *out)
{
    if (setup->k == 0) return cw_fail(CW_EUSAGE, "0 paths a demand: expected at least 1");
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    if (problem->legs) return cw_leg_paths_find(problem, setup, out);
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
