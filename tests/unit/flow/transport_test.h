/* What the tests of the simulated transport share. */
#ifndef CW_TESTS_TRANSPORT_TEST_H
#define CW_TESTS_TRANSPORT_TEST_H

#include <stdio.h>

#include "plan_test.h"

#include "flow/transport/transport_set.h"

#define T 1e-6 /* s: a chunk on a channel */

/* Chunks of 1000 B, which a channel of 1 GB/s carries in T. */
static inline struct cw_transport plain(void)
{
    return (struct cw_transport){.chunk_bytes = 1000, .credits = 4, .efficiency = 1};
}

static inline struct cw_transport_result run(const struct sketch *sketch, const struct cw_transport *transport)
{
    struct cw_transport_result result;
    must(cw_transport_run(&sketch->problem, &sketch->plan, transport, &result));
    return result;
}

/* A row of nodes; BYTES from its first to its last over HOPS hops. */
static inline struct sketch *row(uint32_t hops, uint64_t bytes)
{
    char spec[32];
    uint32_t nodes[16];
    snprintf(spec, sizeof spec, "mesh:%u@1GB/s", hops + 1);
    struct sketch *sketch = sketch_new(spec);
    sketch_demand(sketch, 0, hops, bytes);
    sketch_begin(sketch);
    for (uint32_t i = 0; i <= hops; i++) nodes[i] = i;
    sketch_path(sketch, 0, 1, nodes, hops + 1);
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    return sketch;
}

#endif
