/*
 * Heaps: sets of which the item that comes first is always at hand. The items are in an array of the owner's, whose
 * first n are the heap; items[0] comes first.
 *
 *     static bool comes_before(const struct search *search, const struct event *a, const struct event *b);
 *     CW_HEAP(event, struct event, 4, const struct search *, comes_before, CW_HEAP_PUT)
 *
 * defines for the items of one type, inline:
 *
 *     void event_push(context, items, &n, item)         adds an item; the array must have room for it
 *     struct event event_pop(context, items, &n)        takes the first one out; n must not be 0
 *     void event_rise(context, items, at, item)         ITEM takes place AT, whose item is gone, or one nearer the
 * first void event_sink(context, items, n, at, item)      ITEM takes place AT, whose item is gone, or one farther from
 * it
 *
 * Each item has ARITY below it: 2, or 4 where the heap is large and comparing is cheap. BEFORE(context, a, b) is true
 * if *A comes before *B, and never for equal ones. Of items that it holds to be equal any may come first, but always
 * the same one after the same calls: a heap is as deterministic as its owner. PUT(context, items, at, item) is how an
 * item gets to its place: CW_HEAP_PUT, or a macro or function that notes the place, too. Time: O(log n).
 */
#ifndef CW_BASE_HEAP_H
#define CW_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define CW_HEAP_PUT(context, items, at, item) ((items)[at] = (item))

#define CW_HEAP(NAME, ITEM, ARITY, CONTEXT, BEFORE, PUT)                                                               \
    __attribute__((unused)) static inline void NAME##_rise(CONTEXT context, ITEM *items, size_t at, ITEM item)         \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        for (size_t above; at > 0 && BEFORE(context, &item, &items[above = (at - 1) / (ARITY)]); at = above)           \
            PUT(context, items, at, items[above]);                                                                     \
        PUT(context, items, at, item);                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    __attribute__((unused)) static inline void NAME##_sink(CONTEXT context, ITEM *items, size_t n, size_t at,          \
                                                           ITEM item)                                                  \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        for (size_t below; (below = at * (ARITY) + 1) < n; at = below) {                                               \
            const size_t end = below + (ARITY) < n ? below + (ARITY) : n;                                              \
            for (size_t other = below + 1; other < end; other++)                                                       \
                if (BEFORE(context, &items[other], &items[below])) below = other;                                      \
            if (!BEFORE(context, &items[below], &item)) break;                                                         \
            PUT(context, items, at, items[below]);                                                                     \
        }                                                                                                              \
        PUT(context, items, at, item);                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    __attribute__((unused)) static inline void NAME##_push(CONTEXT context, ITEM *items, size_t *n, ITEM item)         \
    {                                                                                                                  \
        NAME##_rise(context, items, (*n)++, item);                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    __attribute__((unused)) static inline ITEM NAME##_pop(CONTEXT context, ITEM *items, size_t *n)                     \
    {                                                                                                                  \
        const ITEM first = items[0], last = items[--*n];                                                               \
        if (*n > 0) NAME##_sink(context, items, *n, 0, last);                                                          \
        return first;                                                                                                  \
    }

#endif
