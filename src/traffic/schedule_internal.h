/* What the files of schedules share. */
#ifndef CW_TRAFFIC_SCHEDULE_INTERNAL_H
#define CW_TRAFFIC_SCHEDULE_INTERNAL_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* ⌈log2 n⌉, n ≥ 1: rounds in which the number of informed ranks can double until it is n. */
static inline uint32_t cw_schedule_levels(uint32_t n)
{
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

CW_END_DECLS

#endif
