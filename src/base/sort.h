/*
 * Lists of numbers in ascending order, as of vertices or channels.
 */
#ifndef CW_BASE_SORT_H
#define CW_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Two uint32_t, for qsort: -1, 0 or 1. */
int cw_compare_numbers(const void *a, const void *b);

/* VALUES [N], which may be NULL if there are none. */
void cw_sort_numbers(uint32_t *values, size_t n);

CW_END_DECLS

#endif
