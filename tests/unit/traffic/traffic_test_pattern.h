/* What the tests of patterns share: making one, and its rounds from a stream of random numbers. */
#ifndef CW_TESTS_TRAFFIC_TEST_PATTERN_H
#define CW_TESTS_TRAFFIC_TEST_PATTERN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "traffic/pattern.h"

#define MAX_RANKS 40
#define BYTES     123

static inline struct cw_pattern *new_pattern(const char *spec)
{
    struct cw_pattern *pattern = NULL;
    if (cw_pattern_new(spec, NULL, &pattern)) fail_msg("%s: %s", spec, cw_error_message());
    assert_string_equal(cw_pattern_spec(pattern), spec);
    return pattern;
}

/* A specification of KIND: its name, with parameters where it needs some. */
static inline void example_of(const struct cw_pattern_kind *kind, const char *matrix, char *spec, size_t size)
{
    static const char *const needy[] = {"disjoint:2x4",  "overlap:4x2,1", "subset:4x2,1",
                                        "aggregation:2", "bui:3",         "collective:bcast"};
    snprintf(spec, size, "%s", kind->name);
    if (strcmp(kind->name, "matrix") == 0) snprintf(spec, size, "matrix:%s", matrix);
    for (size_t i = 0; i < sizeof needy / sizeof *needy; i++)
        if (cw_pattern_kind_of(needy[i]) == kind) snprintf(spec, size, "%s", needy[i]);
}

static inline struct cw_random stream(uint64_t index)
{
    return cw_random_of(20, CW_STREAM_TEST, index);
}

static inline uint32_t rounds_of(const struct cw_pattern *pattern, uint32_t n)
{
    uint32_t rounds = 0;
    if (cw_pattern_rounds(pattern, n, &rounds))
        fail_msg("%s, n = %u: %s", cw_pattern_spec(pattern), n, cw_error_message());
    return rounds;
}

/* Round ROUND alone. */
static inline struct cw_flows round_of(const struct cw_pattern *pattern, uint32_t n, uint32_t round, uint64_t index)
{
    struct cw_flows flows = {0};
    struct cw_random random = stream(index);
    if (cw_pattern_append(pattern, n, round, BYTES, &random, &flows))
        fail_msg("%s, n = %u: %s", cw_pattern_spec(pattern), n, cw_error_message());
    return flows;
}

static inline bool same_flows(const struct cw_flows *a, const struct cw_flows *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->items[i].src != b->items[i].src || a->items[i].dst != b->items[i].dst ||
            a->items[i].bytes != b->items[i].bytes)
            return false;
    return true;
}

#endif
