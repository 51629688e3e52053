#include "base/sort.h"

#include <stdlib.h>

int cw_compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void cw_sort_numbers(uint32_t *values, size_t n)
{
    if (n > 0) qsort(values, n, sizeof *values, cw_compare_numbers);
}
