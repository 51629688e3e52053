#include "flow/chunking.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define ROUNDING   1e-6
#define MOST_PARTS 1000000000u /* of a demand: a share below that would be none */

struct chunking {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    uint64_t chunk_bytes;
    uint64_t *bytes; /* [paths] */
    double *load;    /* [channels] bytes */
};

static void put(struct chunking *c, size_t path, uint64_t bytes)
{
    const struct cw_plan_path *p = &c->plan->paths[path];
    c->bytes[path] += bytes;
    for (uint32_t i = 0; i < p->n; i++) c->load[c->plan->channels[p->first + i]] += (double)bytes;
}

/* The time that the hottest channel of PATH takes with BYTES more. */
static double heat(const struct chunking *c, size_t path, uint64_t bytes)
{
    const struct cw_plan_path *p = &c->plan->paths[path];
    double most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t channel = c->plan->channels[p->first + i];
        most = fmax(most, (c->load[channel] + (double)bytes) / c->problem->capacity[channel]);
    }
    return most;
}

/* The bytes of a part of PATH's demand: a chunk, or of very many as many together as leave MOST_PARTS. */
static uint64_t part_of(const struct chunking *c, size_t path)
{
    const uint64_t all = c->problem->demands->items[c->plan->paths[path].demand].bytes;
    const uint64_t together = all / c->chunk_bytes / MOST_PARTS + 1;
    return together * c->chunk_bytes;
}

/* The whole chunks of every share; what is left of them, and of the demand, comes later. */
static void put_shares(struct chunking *c)
{
    for (size_t begin = 0, end; begin < c->plan->n_paths; begin = end) {
        end = cw_plan_end_of_demand(c->plan, begin);
        const uint64_t part = part_of(c, begin);
        const uint64_t parts = c->problem->demands->items[c->plan->paths[begin].demand].bytes / part;
        uint64_t left = parts;
        for (size_t i = begin; i < end; i++) {
            /* rounding errors take nothing from a share that is as good as whole */
            const double whole = floor(c->plan->paths[i].share * (double)parts + ROUNDING);
            const uint64_t mine = whole >= (double)left ? left : (uint64_t)whole;
            left -= mine;
            put(c, i, mine * part);
        }
    }
}

/* Of the paths BEGIN … END - 1, or only those with bytes, the one on which BYTES more are least in the way; of several
 * that of the greatest share. */
static size_t coolest(const struct chunking *c, size_t begin, size_t end, bool with_bytes, uint64_t bytes)
{
    size_t best = end;
    double least = INFINITY;
    for (size_t i = begin; i < end; i++) {
        if (with_bytes && c->bytes[i] == 0) continue;
        const double time = heat(c, i, bytes);
        if (best < end && !(time < least) && !(time <= least && c->plan->paths[i].share > c->plan->paths[best].share))
            continue;
        least = time;
        best = i;
    }
    return best;
}

static void put_rest(struct chunking *c)
{
    for (size_t begin = 0, end; begin < c->plan->n_paths; begin = end) {
        end = cw_plan_end_of_demand(c->plan, begin);
        uint64_t left = c->problem->demands->items[c->plan->paths[begin].demand].bytes;
        bool any = false;
        for (size_t i = begin; i < end; i++) {
            left -= c->bytes[i];
            any = any || c->bytes[i] > 0;
        }
        const uint64_t part = part_of(c, begin);
        for (; left >= part; left -= part, any = true) put(c, coolest(c, begin, end, false, part), part);
        if (left > 0) put(c, coolest(c, begin, end, any, left), left);
    }
}

static int make_plan(const struct chunking *c, struct cw_plan *out)
{
    int rc = 0;
    for (size_t i = 0; i < c->plan->n_paths && !rc; i++) {
        const struct cw_plan_path *path = &c->plan->paths[i];
        const uint64_t all = c->problem->demands->items[path->demand].bytes;
        if (c->bytes[i] == 0) continue;
        rc =
            cw_plan_add(out, path->demand, (double)c->bytes[i] / (double)all, c->plan->channels + path->first, path->n);
        if (!rc) out->paths[out->n_paths - 1].bytes = c->bytes[i];
    }
    return rc ? rc : cw_plan_evaluate(c->problem, out);
}

int cw_plan_in_chunks(const struct cw_flow_problem *problem, const struct cw_plan *plan, uint64_t chunk_bytes,
                      struct cw_plan *out)
{
    if (chunk_bytes == 0) return cw_fail(CW_EUSAGE, "chunks of 0 bytes; expected more");
    struct chunking chunking = {.problem = problem, .plan = plan, .chunk_bytes = chunk_bytes};
    struct cw_plan made;
    int rc = cw_plan_without_paths(plan, &made);
    if (rc) return rc;
    made.chunk_bytes = chunk_bytes;
    chunking.bytes = cw_new_array(plan->n_paths, sizeof *chunking.bytes, "chunks of paths");
    chunking.load = cw_new_array(problem->net->n_channels, sizeof *chunking.load, "channel loads");
    rc = chunking.bytes && chunking.load ? 0 : CW_ENOMEM;
    if (!rc) {
        put_shares(&chunking);
        put_rest(&chunking);
        rc = make_plan(&chunking, &made);
    }
    free(chunking.bytes);
    free(chunking.load);
    if (rc)
        cw_plan_free(&made);
    else
        *out = made;
    return rc;
}
