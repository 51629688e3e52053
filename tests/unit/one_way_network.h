/* Networks with cables that work in one direction only, for tests on any floor above net. */
#ifndef CW_TESTS_ONE_WAY_NETWORK_H
#define CW_TESTS_ONE_WAY_NETWORK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/random.h"
#include "net/builder.h"

static inline struct cw_network *one_way_made(struct cw_builder *builder)
{
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net) || cw_network_check(net)) fail_msg("%s", cw_error_message());
    return net;
}

/* N switches with an endpoint each; those of a ring, whose cables go on only: switch s to s + 1. */
static inline struct cw_network *one_way_ring(uint32_t n)
{
    struct cw_builder *builder = cw_builder_new(n, n, 2 * n);
    for (uint32_t s = 0; s < n; s++) cw_builder_cable(builder, s, 1, n + s, 1, 5e9, 0);
    for (uint32_t s = 0; s < n; s++) {
        cw_builder_cable(builder, n + s, 2, n + (s + 1) % n, 3, 5e9, 0);
        cw_builder_back(builder, 0, 0);
    }
    return one_way_made(builder);
}

/* A tree of N switches with an endpoint each and as many cables more, capacities 1 to 4. One of the latter at least is
 * one-way, and a third of the others; if TORN of the tree's, too, so that some endpoints may not reach others. */
static inline struct cw_network *one_way_random(uint64_t trial, uint32_t n, bool torn)
{
    struct cw_random random = cw_random_of(12, CW_STREAM_TEST, trial);
    struct cw_builder *builder = cw_builder_new(n, n, 3 * n);
    for (uint32_t s = 0; s < n; s++) cw_builder_cable(builder, s, 0, n + s, 0, 4, 0);
    for (uint32_t i = 1; i < 2 * n; i++) {
        const uint32_t a = i < n ? i : cw_random_below(&random, n);
        const uint32_t b = i < n ? cw_random_below(&random, i) : (a + 1 + cw_random_below(&random, n - 1)) % n;
        const double capacity = 1 + cw_random_below(&random, 4);
        const uint32_t kind = i == n ? 0 : cw_random_below(&random, 6);
        const bool one_way = kind < 2 && (i >= n || torn);
        cw_builder_cable(builder, n + a, 0, n + b, 0, one_way && kind == 0 ? 0 : capacity, 0);
        if (one_way) cw_builder_back(builder, kind == 0 ? capacity : 0, 0);
    }
    return one_way_made(builder);
}

#endif
