/*
 * One piece of memory that is divided into arrays: those that are used together lie together, and all are freed at
 * once. A function that makes the same calls of cw_divide in the same order measures the memory, while the base is
 * NULL, and divides it.
 */
#ifndef CW_BASE_DIVISION_H
#define CW_BASE_DIVISION_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_CACHE_LINE 64 /* bytes */

struct cw_division {
    char *base; /* on a cache line; NULL: only measured */
    size_t used;
};

/* The next N items of SIZE bytes, on cache lines of their own; NULL while measuring. */
static inline void *cw_divide(struct cw_division *of, size_t n, size_t size)
{
    char *items = of->base ? of->base + of->used : NULL;
    of->used += (n * size + CW_CACHE_LINE - 1) / CW_CACHE_LINE * CW_CACHE_LINE;
    return items;
}

CW_END_DECLS

#endif
