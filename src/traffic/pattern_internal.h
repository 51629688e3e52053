/* What the files of patterns share. */
#ifndef CW_TRAFFIC_PATTERN_INTERNAL_H
#define CW_TRAFFIC_PATTERN_INTERNAL_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The `rounds` of a pattern that is defined for any number of ranks and has one round. */
int cw_pattern_one_round(const void *values, uint32_t n, uint32_t *rounds);

/* Choices of a `direction` option. */
enum { CW_DIRECTION_UNI, CW_DIRECTION_BI };
extern const char *const cw_pattern_directions[];

CW_END_DECLS

#endif
