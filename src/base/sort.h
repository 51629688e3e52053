/*
 * Lists of numbers in ascending order, as of vertices or channels.
 */
#ifndef CW_BASE_SORT_H
#define CW_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Two uint32_t, for qsort: -1, 0 or 1. */
static inline int cw_compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* VALUES [N], which may be NULL if there are none. */
static inline void cw_sort_numbers(uint32_t *values, size_t n)
{
    if (n > 0) qsort(values, n, sizeof *values, cw_compare_numbers);
}

#endif
