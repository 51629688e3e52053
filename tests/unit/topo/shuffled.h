/* Maps for the tests of recognition: a network without its shape, its vertices and ports in random order, and without
 * some cables, hosts or switches. */
#ifndef CW_TESTS_SHUFFLED_H
#define CW_TESTS_SHUFFLED_H

#include <stdlib.h>

#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo_test.h"

struct losses {
    uint32_t cables;   /* between switches */
    uint32_t hosts;    /* endpoints */
    uint32_t switches; /* none of which has an endpoint */
};

/* A random order of the numbers below N. */
static inline uint32_t *random_order(struct cw_random *random, uint32_t n)
{
    uint32_t *order = calloc(n + 1, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = cw_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static inline bool has_endpoint(const struct cw_network *net, uint32_t v)
{
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (cw_network_is_endpoint(net, net->head[c])) return true;
    return false;
}

/* Chooses what is lost: GONE[v] for vertices, CUT[c] for the lower channel of cables. */
static inline void lose(const struct cw_network *net, const struct losses *losses, struct cw_random *random, bool *gone,
                        bool *cut)
{
    uint32_t *vertices = random_order(random, net->n_vertices), *channels = random_order(random, net->n_channels);
    uint32_t hosts = losses->hosts, switches = losses->switches, cables = losses->cables;
    for (uint32_t i = 0; i < net->n_vertices; i++) {
        const uint32_t v = vertices[i];
        uint32_t *left = cw_network_is_endpoint(net, v) ? &hosts : &switches;
        if (*left == 0 || (!cw_network_is_endpoint(net, v) && has_endpoint(net, v))) continue;
        gone[v] = true;
        --*left;
    }
    for (uint32_t i = 0; i < net->n_channels && cables > 0; i++) {
        const uint32_t c = channels[i];
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints || net->twin[c] < c) continue;
        if (gone[net->tail[c]] || gone[net->head[c]]) continue;
        cut[c] = true;
        cables--;
    }
    free(vertices);
    free(channels);
}

/* NET as a file would bring it: no shape, no names, vertices and ports in an order of SEED (0: their own). */
static inline struct cw_network *strip(const struct cw_network *net, uint64_t seed, const struct losses *losses)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, 7);
    bool *gone = calloc(net->n_vertices, sizeof *gone), *cut = calloc(net->n_channels, sizeof *cut);
    if (losses) lose(net, losses, &random, gone, cut);
    uint32_t *id = calloc(net->n_vertices, sizeof *id);
    uint32_t *order = random_order(&random, net->n_vertices), *cables = random_order(&random, net->n_channels);
    uint32_t endpoints = 0, switches = 0;
    for (uint32_t i = 0; i < net->n_vertices; i++) {
        const uint32_t v = seed ? order[i] : i;
        if (!gone[v]) id[v] = cw_network_is_endpoint(net, v) ? endpoints++ : switches++;
    }
    struct cw_builder *builder = cw_builder_new(endpoints, switches, net->n_channels / 2);
    for (uint32_t i = 0; i < net->n_channels; i++) {
        const uint32_t c = seed ? cables[i] : i, u = net->tail[c], v = net->head[c];
        if (net->twin[c] < c || cut[c] || gone[u] || gone[v]) continue;
        const uint32_t a = id[u] + (u < net->n_endpoints ? 0 : endpoints);
        const uint32_t b = id[v] + (v < net->n_endpoints ? 0 : endpoints);
        cw_builder_cable(builder, a, seed ? 0 : cw_network_port(net, c), b,
                         seed ? 0 : cw_network_port(net, net->twin[c]), net->capacity[c], net->latency[c]);
    }
    struct cw_network *out = NULL;
    if (cw_builder_finish(builder, &out) != 0) fail_msg("%s", cw_error_message());
    free(gone);
    free(cut);
    free(id);
    free(order);
    free(cables);
    return out;
}

#endif
