/* What the files of patterns share. */
#ifndef CW_TRAFFIC_PATTERN_INTERNAL_H
#define CW_TRAFFIC_PATTERN_INTERNAL_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/pattern.h"

CW_BEGIN_DECLS

struct cw_pattern {
    const struct cw_pattern_kind *kind;
    char *spec;
    void *values;
};

/* The `rounds` of a pattern that is defined for any number of ranks and has one round. */
int cw_pattern_one_round(const void *values, uint32_t n, uint32_t *rounds);

/* Choices of a `direction` option. */
enum { CW_DIRECTION_UNI, CW_DIRECTION_BI };
extern const char *const cw_pattern_directions[];

/* Of uniform traffic, and so of all-to-all. */
uint32_t cw_pattern_uniform_destination(const void *values, uint32_t n, uint32_t rank, uint64_t random);
int cw_pattern_uniform_shares(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows);

CW_END_DECLS

#endif
