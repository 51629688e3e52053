#include "study/pair_traffic.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/random.h"

static const char what[] = "pairs that send";

struct pair {
    uint32_t dst, src;
    double amount;
};

struct pairs {
    struct pair *items;
    size_t n, capacity, distinct; /* of which the first are in order, none twice */
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    return (x->src > y->src) - (x->src < y->src);
}

/* Puts the pairs in order, each once. Amounts are whole numbers, whose sums do not depend on the order. */
static void merge(struct pairs *pairs)
{
    size_t n = 0;
    if (pairs->n > 0) qsort(pairs->items, pairs->n, sizeof *pairs->items, compare_pairs);
    for (size_t i = 0; i < pairs->n; i++)
        if (n > 0 && compare_pairs(&pairs->items[n - 1], &pairs->items[i]) == 0)
            pairs->items[n - 1].amount += pairs->items[i].amount;
        else
            pairs->items[n++] = pairs->items[i];
    pairs->n = pairs->distinct = n;
}

/* Adds FLOWS between ENDPOINTS; merges what there is when it has doubled. */
static int add_flows(struct pairs *pairs, const struct cw_flows *flows, const uint32_t *endpoints, bool by_bytes)
{
    const int rc =
        cw_grow_array((void **)&pairs->items, &pairs->capacity, pairs->n + flows->n, sizeof *pairs->items, what);
    if (rc) return rc;
    for (size_t i = 0; i < flows->n; i++) {
        const struct cw_flow *flow = &flows->items[i];
        pairs->items[pairs->n++] =
            (struct pair){endpoints[flow->dst], endpoints[flow->src], by_bytes ? (double)flow->bytes : 1};
    }
    if (pairs->n > 2 * pairs->distinct + 100000) merge(pairs);
    return 0;
}

static int draw(const struct cw_congestion_setup *setup, bool by_bytes, size_t most, struct pairs *pairs)
{
    const uint32_t count = cw_placement_count(setup->placement), ranks = setup->ranks ? setup->ranks : count;
    uint32_t *endpoints = cw_new_array(count, sizeof *endpoints, "a placement"), rounds;
    struct cw_flows flows = {0};
    int rc = endpoints ? cw_pattern_rounds(setup->pattern, ranks, &rounds) : CW_ENOMEM;
    for (size_t t = 0; t < setup->trials && !rc && pairs->distinct <= most; t++) {
        struct cw_random placement = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, t),
                         random = cw_random_of(setup->seed, CW_STREAM_PATTERN, t);
        rc = cw_placement_order(setup->placement, &placement, endpoints);
        for (uint32_t r = 0; r < rounds && !rc && pairs->distinct <= most; r++) {
            flows.n = 0;
            rc = cw_interrupt_check();
            if (!rc) rc = cw_pattern_append(setup->pattern, ranks, r, 1, &random, &flows);
            if (!rc) rc = add_flows(pairs, &flows, endpoints, by_bytes);
        }
    }
    cw_flows_free(&flows);
    free(endpoints);
    if (!rc) merge(pairs);
    return rc;
}

static int new_traffic(size_t n, struct cw_pair_traffic *out)
{
    *out = (struct cw_pair_traffic){.src = cw_new_array(n, sizeof *out->src, what),
                                    .dst = cw_new_array(n, sizeof *out->dst, what),
                                    .amount = cw_new_array(n, sizeof *out->amount, what),
                                    .n = n};
    if (out->src && out->dst && out->amount) return 0;
    cw_pair_traffic_free(out);
    return CW_ENOMEM;
}

int cw_pair_traffic_of(const struct cw_congestion_setup *setup, bool by_bytes, size_t most, struct cw_pair_traffic *out)
{
    struct pairs pairs = {0};
    int rc = draw(setup, by_bytes, most, &pairs);
    const bool too_many = pairs.n > most;
    if (!rc) rc = new_traffic(too_many ? 0 : pairs.n, out);
    for (size_t i = 0; !rc && i < out->n; i++) {
        out->src[i] = pairs.items[i].src;
        out->dst[i] = pairs.items[i].dst;
        out->amount[i] = pairs.items[i].amount / (double)setup->trials;
    }
    if (!rc) out->too_many = too_many;
    free(pairs.items);
    return rc;
}

int cw_pair_traffic_of_all(const uint32_t *endpoints, uint32_t n, size_t most, struct cw_pair_traffic *out)
{
    const bool too_many = n > 1 && (size_t)n * (n - 1) > most;
    const int rc = new_traffic(too_many || n < 2 ? 0 : (size_t)n * (n - 1), out);
    if (rc) return rc;
    out->too_many = too_many;
    for (size_t i = 0; i < out->n; i++) {
        const size_t d = i / (n - 1), s = i % (n - 1);
        out->dst[i] = endpoints[d];
        out->src[i] = endpoints[s < d ? s : s + 1];
        out->amount[i] = 1;
    }
    return 0;
}

void cw_pair_traffic_free(struct cw_pair_traffic *traffic)
{
    free(traffic->src);
    free(traffic->dst);
    free(traffic->amount);
    *traffic = (struct cw_pair_traffic){0};
}
