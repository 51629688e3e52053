/*
 * What the tests of minimum-hop engines share: irregular networks, and the shortest ways from each vertex.
 */
#ifndef CW_TEST_MINIMAL_TEST_H
#define CW_TEST_MINIMAL_TEST_H

#include <stdio.h>

#include "net/builder.h"
#include "net/network_internal.h"
#include "route_test.h"

/* Endpoints with one to three cables and switches joined at random; not always connected. */
static inline struct cw_network *random_network(uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 1);
    const uint32_t endpoints = 3 + cw_random_below(&random, 20), switches = 2 + cw_random_below(&random, 9);
    const uint32_t cables = cw_random_below(&random, 3 * switches), most = 1 + cw_random_below(&random, 3);
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(endpoints, switches, endpoints + cables);
    for (uint32_t e = 0; e < endpoints; e++)
        for (uint32_t i = 0, n = 1 + cw_random_below(&random, most); i < n; i++)
            cw_builder_cable(builder, e, 0, endpoints + cw_random_below(&random, switches), 0, 1, 0);
    for (uint32_t i = 0; i < cables; i++) {
        const uint32_t a = cw_random_below(&random, switches), b = cw_random_below(&random, switches - 1);
        cw_builder_cable(builder, endpoints + a, 0, endpoints + b + (b >= a), 0, 1, 0);
    }
    for (uint32_t v = 0; v < endpoints + switches; v++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", v);
        cw_builder_name(builder, v, name);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* The channels of V on shortest ways to the vertex that DISTANCE leads to, into WAYS; the result is their number. */
static inline uint32_t shortest_ways(const struct cw_network *net, uint32_t v, const uint32_t *distance, uint32_t *ways)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t head = net->head[c];
        if (head < net->n_endpoints && distance[head] > 0) continue;
        if (distance[head] != CW_NONE && distance[head] + 1 == distance[v]) ways[n++] = c;
    }
    return n;
}

#endif
