/*
 * Lists of demands.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/flow_problem.h"
#include "traffic/pattern.h"

void cw_demands_free(struct cw_demands *demands)
{
    if (!demands) return;
    free(demands->items);
    *demands = (struct cw_demands){0};
}

int cw_demands_add(struct cw_demands *demands, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (bytes == 0) return cw_fail(CW_EUSAGE, "a demand of 0 bytes; expected more");
    if (src == dst) {
        if (__builtin_add_overflow(demands->self_bytes, bytes, &demands->self_bytes))
            return cw_fail(CW_EUSAGE, "the bytes of endpoints to themselves are more than 64 bits can count");
        demands->self_pairs++;
        return 0;
    }
    void *items = demands->items;
    const int rc = cw_grow_array(&items, &demands->capacity, demands->n + 1, sizeof *demands->items, "demands");
    demands->items = items;
    if (!rc) demands->items[demands->n++] = (struct cw_demand){.src = src, .dst = dst, .bytes = bytes};
    return rc;
}

/* --- pairs that occur again --------------------------------------------------------------------------------------- */

struct entry {
    struct cw_demand demand;
    size_t place; /* in the list */
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_pair(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->demand.src != y->demand.src) return x->demand.src < y->demand.src ? -1 : 1;
    if (x->demand.dst != y->demand.dst) return x->demand.dst < y->demand.dst ? -1 : 1;
    return by_place(a, b);
}

/* Adds the bytes of entries with the same pair to the first of them; *N entries become fewer. */
static int merge(struct entry *entries, size_t *n)
{
    size_t kept = 0;
    if (*n > 1) qsort(entries, *n, sizeof *entries, by_pair);
    for (size_t i = 0; i < *n; i++) {
        const struct entry *entry = &entries[i];
        struct entry *last = kept > 0 ? &entries[kept - 1] : NULL;
        if (!last || last->demand.src != entry->demand.src || last->demand.dst != entry->demand.dst)
            entries[kept++] = *entry;
        else if (__builtin_add_overflow(last->demand.bytes, entry->demand.bytes, &last->demand.bytes))
            return cw_fail(CW_EUSAGE, "the bytes from endpoint %u to endpoint %u are more than 64 bits can count",
                           last->demand.src, last->demand.dst);
    }
    *n = kept;
    if (kept > 1) qsort(entries, kept, sizeof *entries, by_place);
    return 0;
}

/* True if they are in order of pairs, of which none occurs again. */
static bool is_sorted(const struct cw_demands *demands)
{
    for (size_t i = 1; i < demands->n; i++) {
        const struct cw_demand *a = &demands->items[i - 1], *b = &demands->items[i];
        if (a->src > b->src || (a->src == b->src && a->dst >= b->dst)) return false;
    }
    return true;
}

int cw_demands_merge(struct cw_demands *demands)
{
    size_t n = demands->n;
    if (is_sorted(demands)) return 0;
    struct entry *entries = cw_new_array(n, sizeof *entries, "demands");
    if (!entries) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) entries[i] = (struct entry){.demand = demands->items[i], .place = i};
    const int rc = merge(entries, &n);
    if (!rc) {
        for (size_t i = 0; i < n; i++) demands->items[i] = entries[i].demand;
        demands->merged_pairs += demands->n - n;
        demands->n = n;
    }
    free(entries);
    return rc;
}

/* --- those of a pattern ------------------------------------------------------------------------------------------- */

static uint32_t key_of(const struct cw_flow *flow, bool by_source)
{
    return by_source ? flow->src : flow->dst;
}

/* FROM in order of their sources or destinations among N ranks, those that are equal in their order, into TO; PLACES
 * has room for N + 1. */
static void sort_pass(const struct cw_flow *from, size_t n_flows, bool by_source, uint32_t n, size_t *places,
                      struct cw_flow *to)
{
    for (uint32_t r = 0; r <= n; r++) places[r] = 0;
    for (size_t i = 0; i < n_flows; i++) places[key_of(&from[i], by_source) + 1]++;
    for (uint32_t r = 0; r < n; r++) places[r + 1] += places[r];
    for (size_t i = 0; i < n_flows; i++) to[places[key_of(&from[i], by_source)]++] = from[i];
}

/* By source, then destination. */
static int sort(struct cw_flows *flows, uint32_t n)
{
    struct cw_flow *other = cw_new_array(flows->n, sizeof *other, "demands");
    size_t *places = cw_new_array((size_t)n + 1, sizeof *places, "demands");
    const int rc = other && places ? 0 : CW_ENOMEM;
    if (!rc) {
        sort_pass(flows->items, flows->n, false, n, places, other);
        sort_pass(other, flows->n, true, n, places, flows->items);
    }
    free(other);
    free(places);
    return rc;
}

/* Adds FLOWS, rank i being the i-th endpoint of SELECTION. */
static int add_flows(const struct cw_flows *flows, const struct cw_selection *selection, struct cw_demands *demands)
{
    int rc = 0;
    demands->self_pairs = flows->self;
    demands->self_bytes = flows->self_bytes;
    for (size_t i = 0; i < flows->n && !rc; i++) {
        const struct cw_flow *flow = &flows->items[i];
        const uint32_t src = selection ? selection->endpoints[flow->src] : flow->src;
        const uint32_t dst = selection ? selection->endpoints[flow->dst] : flow->dst;
        rc = cw_demands_add(demands, src, dst, flow->bytes);
    }
    return rc ? rc : cw_demands_merge(demands);
}

int cw_demands_pattern(const struct cw_network *net, const struct cw_selection *selection, const char *spec,
                       uint64_t bytes, uint64_t seed, struct cw_demands *out)
{
    struct cw_demands demands = {0};
    struct cw_flows flows = {0};
    struct cw_pattern *pattern = NULL;
    struct cw_ranks ranks;
    uint32_t rounds;
    cw_ranks_of(net, selection ? selection->n : net->n_endpoints, &ranks);
    ranks.net = net;
    ranks.endpoints = selection ? selection->endpoints : NULL;
    if (selection && selection->asked) {
        ranks.numbers = selection->asked->endpoints;
        ranks.n_numbers = selection->asked->n;
    }
    int rc = cw_pattern_new(spec, &ranks, &pattern);
    if (!rc) rc = cw_pattern_append_all(pattern, ranks.n, bytes, seed, &flows, &rounds);
    if (!rc && rounds > 1) rc = sort(&flows, ranks.n);
    if (!rc) rc = add_flows(&flows, selection, &demands);
    if (!rc && demands.n == 0)
        rc = cw_fail(CW_EUSAGE, "under %s nobody among %u ranks sends to another", spec, ranks.n);
    cw_pattern_free(pattern);
    cw_flows_free(&flows);
    if (rc)
        cw_demands_free(&demands);
    else
        *out = demands;
    return rc;
}
