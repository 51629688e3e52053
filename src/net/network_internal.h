/*
 * The network from within, for the library's own sources: flat arrays. Channels leaving v are first[v] … first[v+1]-1,
 * so that a channel's id is its position and `channel - first[v]` is the index of its port. The number printed at a
 * port (an InfiniBand port number) is port[channel], or index + 1 where port is NULL.
 *
 * What net/network.h says in words is inline here. Users of the library call the same functions, which net/network.c
 * has.
 */
#ifndef CW_NET_NETWORK_INTERNAL_H
#define CW_NET_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

/* Inlined wherever it is called; never defined but in the one file that defines this as nothing. */
#ifndef CW_NETWORK_INLINE
#define CW_NETWORK_INLINE extern inline __attribute__((gnu_inline))
#endif

CW_BEGIN_DECLS

struct cw_nodes;
struct cw_places;

struct cw_network {
    uint32_t n_endpoints, n_vertices, n_channels;
    uint32_t n_closed;            /* channels of capacity 0, one of a cable at most */
    uint32_t *first;              /* [n_vertices + 1] */
    uint32_t *tail, *head;        /* [n_channels] vertices */
    uint32_t *twin;               /* [n_channels] */
    double *capacity;             /* [n_channels] byte/s; 0: closed */
    double *latency;              /* [n_channels] s */
    uint16_t *port;               /* [n_channels] or NULL */
    char *names;                  /* all names one after another, or NULL: named by shape */
    size_t *name_at;              /* [n_vertices] where each begins in `names`, or NULL */
    struct cw_identity *identity; /* [n_vertices] or NULL */
    struct cw_shape shape;
    struct cw_places *places; /* what a network without a shape was recognised as (net/places.h), or NULL; owned */
    struct cw_nodes *nodes;   /* the inside of its hosts (net/nodes.h), or NULL; owned */
    char *title;              /* what the user called it: a specification or a file name */
    bool generated;           /* by a topology of topo/, from the title: its routes are what Crosswind's engines say */
};

CW_NETWORK_INLINE uint32_t cw_network_endpoints(const struct cw_network *net)
{
    return net->n_endpoints;
}

CW_NETWORK_INLINE uint32_t cw_network_switches(const struct cw_network *net)
{
    return net->n_vertices - net->n_endpoints;
}

CW_NETWORK_INLINE uint32_t cw_network_vertices(const struct cw_network *net)
{
    return net->n_vertices;
}

CW_NETWORK_INLINE uint32_t cw_network_channels(const struct cw_network *net)
{
    return net->n_channels;
}

CW_NETWORK_INLINE uint32_t cw_network_first(const struct cw_network *net, uint32_t v)
{
    return net->first[v];
}

CW_NETWORK_INLINE uint32_t cw_network_degree(const struct cw_network *net, uint32_t v)
{
    return net->first[v + 1] - net->first[v];
}

CW_NETWORK_INLINE bool cw_network_is_endpoint(const struct cw_network *net, uint32_t v)
{
    return v < net->n_endpoints;
}

/* True if a path may go on from V, which it has come to: switches forward, endpoints do not, whatever their cables. Who
 * relays receives a message and sends another one: that is the end of a path, and the beginning of the next
 * (flow/legs/legs.h). All that walks, searches or checks paths asks this. */
static inline bool cw_network_forwards(const struct cw_network *net, uint32_t v)
{
    return !cw_network_is_endpoint(net, v);
}

CW_NETWORK_INLINE uint32_t cw_network_tail(const struct cw_network *net, uint32_t channel)
{
    return net->tail[channel];
}

CW_NETWORK_INLINE uint32_t cw_network_head(const struct cw_network *net, uint32_t channel)
{
    return net->head[channel];
}

CW_NETWORK_INLINE uint32_t cw_network_twin(const struct cw_network *net, uint32_t channel)
{
    return net->twin[channel];
}

CW_NETWORK_INLINE double cw_network_capacity(const struct cw_network *net, uint32_t channel)
{
    return net->capacity[channel];
}

CW_NETWORK_INLINE double cw_network_latency(const struct cw_network *net, uint32_t channel)
{
    return net->latency[channel];
}

CW_NETWORK_INLINE uint32_t cw_network_port(const struct cw_network *net, uint32_t channel)
{
    return net->port ? net->port[channel] : channel - net->first[net->tail[channel]] + 1;
}

CW_NETWORK_INLINE bool cw_network_is_closed(const struct cw_network *net, uint32_t channel)
{
    return net->n_closed > 0 && !(net->capacity[channel] > 0);
}

CW_NETWORK_INLINE bool cw_network_is_host_channel(const struct cw_network *net, uint32_t channel)
{
    return cw_network_is_endpoint(net, net->tail[channel]) || cw_network_is_endpoint(net, net->head[channel]);
}

CW_NETWORK_INLINE const char *cw_network_title(const struct cw_network *net)
{
    return net->title;
}

CW_NETWORK_INLINE const struct cw_identity *cw_network_identity(const struct cw_network *net, uint32_t v)
{
    return net->identity ? &net->identity[v] : NULL;
}

CW_NETWORK_INLINE const struct cw_shape *cw_network_shape(const struct cw_network *net)
{
    return &net->shape;
}

CW_END_DECLS

#endif
