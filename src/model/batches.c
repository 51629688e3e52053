#include "model/batches.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* --- the ranks of switches ---------------------------------------------------------------------------------------- */

static uint32_t switch_of(const struct cw_batches *of, uint32_t rank)
{
    return of->net->head[cw_batch_host_channel(of, rank)] - of->net->n_endpoints;
}

static int check_ranks(const struct cw_batches *of)
{
    char name[CW_NAME_SIZE];
    for (uint32_t r = 0; r < of->n_ranks; r++) {
        const uint32_t v = of->endpoints[r];
        if (v >= of->net->n_endpoints)
            return cw_fail(CW_EUSAGE, "rank %u on endpoint %u of %u", r, v, of->net->n_endpoints);
        if (cw_network_degree(of->net, v) != 1)
            return cw_fail(CW_EUSAGE, "rank %u is on %s, which is not connected to one switch", r,
                           cw_network_name(of->net, v, name, sizeof name));
    }
    return 0;
}

static int sort_ranks(struct cw_batches *of)
{
    const uint32_t n_switches = cw_network_switches(of->net);
    of->first = cw_new_array((size_t)n_switches + 2, sizeof *of->first, "ranks by switch");
    of->ranks = cw_new_array(of->n_ranks, sizeof *of->ranks, "ranks by switch");
    if (!of->first || !of->ranks) return CW_ENOMEM;
    for (uint32_t r = 0; r < of->n_ranks; r++) of->first[switch_of(of, r) + 2]++;
    for (uint32_t sw = 0; sw < n_switches; sw++) of->first[sw + 2] += of->first[sw + 1];
    for (uint32_t r = 0; r < of->n_ranks; r++) of->ranks[of->first[switch_of(of, r) + 1]++] = r;
    return 0;
}

int cw_batches_new(const struct cw_packet_routing *routing, const struct cw_workload *workload,
                   const uint32_t *endpoints, struct cw_batches *out)
{
    struct cw_batches made = {.routing = routing,
                              .workload = workload,
                              .endpoints = endpoints,
                              .ops = cw_packet_routing_operations(routing),
                              .state = cw_packet_routing_state(routing),
                              .net = cw_packet_routing_network(routing),
                              .n_ranks = cw_workload_ranks(workload)};
    int rc = check_ranks(&made);
    if (!rc) rc = sort_ranks(&made);
    if (rc)
        cw_batches_free(&made);
    else
        *out = made;
    return rc;
}

void cw_batches_free(struct cw_batches *batches)
{
    if (!batches) return;
    free(batches->first);
    free(batches->ranks);
    batches->first = NULL;
    batches->ranks = NULL;
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

static uint32_t choices_of(const struct cw_batches *of, uint32_t sw, uint32_t dst)
{
    return cw_ways_choices(of->routing, sw, dst);
}

uint32_t cw_batch_choices(const struct cw_batches *of, const struct cw_batch *batch, uint32_t dst)
{
    return choices_of(of, batch->sw, dst);
}

static struct cw_packet inject(const struct cw_batches *of, uint32_t sw, uint32_t rank, uint32_t dst, uint64_t random)
{
    return cw_packet_inject(of->ops, of->state, sw, NULL, random, cw_packet_of(of->endpoints[rank], dst));
}

int cw_batch_walk(const struct cw_batches *of, uint32_t dst, struct cw_batch *batch)
{
    /* Who sends does not matter to the ways, but that it is another one than the destination. */
    const bool first = of->endpoints[batch->ranks[0]] != dst;
    const uint32_t src = of->endpoints[batch->ranks[first ? 0 : batch->n_ranks - 1]];
    if (choices_of(of, batch->sw, dst) == 0) return cw_ways_find_ends(of->routing, src, dst, &batch->ways);
    batch->ways.minimal = of->minimal;
    return cw_ways_find(of->routing, src, dst, &batch->ways);
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

int cw_batch_new(const struct cw_batches *of, bool each_rank, struct cw_batch *out)
{
    const size_t n = of->net->n_endpoints;
    struct cw_batch made = {0};
    made.towards = cw_new_array(n, sizeof *made.towards, "traffic of ranks");
    made.targets = cw_new_array(n, sizeof *made.targets, "destinations of ranks");
    if (each_rank) made.each = cw_new_array(n * CW_BATCH, sizeof *made.each, "traffic of ranks");
    int rc = made.towards && made.targets && (!each_rank || made.each) ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_ways_init(&made.ways, of->net);
    if (rc) {
        cw_batch_free(&made);
        return rc;
    }
    *out = made;
    return 0;
}

void cw_batch_free(struct cw_batch *batch)
{
    if (!batch) return;
    free(batch->towards);
    free(batch->each);
    free(batch->targets);
    cw_ways_free(&batch->ways);
    cw_flows_free(&batch->flows);
    *batch = (struct cw_batch){0};
}

/* True if packets of two ranks of a switch are not the same once they are there. */
static bool keeps_source(const struct cw_batches *of, uint32_t sw, uint32_t rank, uint32_t other)
{
    const uint32_t dst = of->net->n_endpoints - 1;
    if (choices_of(of, sw, dst) == 0) return false;
    const struct cw_packet a = inject(of, sw, rank, dst, 0), b = inject(of, sw, other, dst, 0);
    return a.via != b.via || a.phase != b.phase;
}

static void clear(struct cw_batch *batch)
{
    for (size_t k = 0; k < batch->n_targets; k++) {
        const size_t dst = batch->targets[k];
        batch->towards[dst] = 0;
        for (size_t i = 0; batch->each && i < CW_BATCH; i++) batch->each[dst * CW_BATCH + i] = 0;
    }
    batch->n_targets = 0;
}

/* The flows of rank number I of the batch as rates; what it sends to itself never reaches the network. */
static int gather(const struct cw_batches *of, uint32_t i, struct cw_batch *batch)
{
    const uint32_t rank = batch->ranks[i];
    batch->traffic[i] = 0;
    batch->flows.n = 0;
    const int rc = cw_workload_flows_of(of->workload, rank, &batch->flows);
    if (rc) return rc;
    double all = 0;
    for (size_t k = 0; k < batch->flows.n; k++) all += (double)batch->flows.items[k].bytes;
    const double capacity = of->net->capacity[cw_batch_host_channel(of, rank)];
    for (size_t k = 0; k < batch->flows.n; k++) {
        const struct cw_flow *flow = &batch->flows.items[k];
        if (flow->dst == rank || flow->bytes == 0) continue;
        const double rate = (double)flow->bytes / all * capacity;
        const uint32_t dst = of->endpoints[flow->dst];
        if (batch->towards[dst] == 0) batch->targets[batch->n_targets++] = dst;
        batch->towards[dst] += rate;
        if (batch->each) batch->each[(size_t)dst * CW_BATCH + i] += rate;
        batch->traffic[i] += rate;
    }
    return 0;
}

int cw_batch_next(const struct cw_batches *of, uint32_t sw, uint32_t *at, struct cw_batch *batch, bool *more)
{
    const uint32_t left = of->first[sw + 1] - *at;
    *more = left > 0;
    if (left == 0) return 0;
    batch->sw = of->net->n_endpoints + sw;
    batch->ranks = of->ranks + *at;
    batch->n_ranks = left < CW_BATCH ? left : CW_BATCH;
    if (left > 1 && keeps_source(of, batch->sw, batch->ranks[0], batch->ranks[1])) batch->n_ranks = 1;
    *at += batch->n_ranks;
    clear(batch);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < batch->n_ranks; i++) rc = gather(of, i, batch);
    return rc;
}
