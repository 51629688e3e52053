/*
 * Lists of demands.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/flow_problem.h"

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

int cw_demands_merge(struct cw_demands *demands)
{
    size_t n = demands->n;
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
