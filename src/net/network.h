/*
 * The network: an immutable graph of endpoints and switches.
 *
 * Vertices: endpoints are 0 … n_endpoints-1, switches follow up to n_vertices-1. A cable joins two vertices and is two
 * channels, one in each direction, each the other's `twin`; their capacities and latencies may differ. A channel of
 * capacity 0 is closed: nothing goes over it, for its cable works in the other direction only. Such one-way cables join
 * two switches. Channels are
 * sorted by their tail vertex: those leaving v are first[v] … first[v+1]-1, so that a channel's id is its position and
 * `channel - first[v]` is the index of its port. Parallel cables are separate channels. The number printed at a port
 * (an InfiniBand port number) is port[channel], or index + 1 where port is NULL.
 *
 * Nothing changes once cw_builder_finish made it, so any number of threads may read it. Arrays are borrowed; the whole
 * is freed with cw_network_free. Memory: 28 bytes a channel and 4 a vertex; names and identities only where a file
 * gave them.
 */
#ifndef CW_NET_NETWORK_H
#define CW_NET_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/shape.h"

CW_BEGIN_DECLS

#define CW_NONE      UINT32_MAX /* no vertex, no channel */
#define CW_NAME_SIZE 256        /* room for any vertex's name with its 0; the builder refuses longer ones */

enum cw_vertex_kind {
    CW_KIND_SWITCH,
    CW_KIND_HOST,        /* a port of a host channel adapter */
    CW_KIND_AGGREGATION, /* an adapter inside a switch that computes reductions (SHARP aggregation node) */
    CW_KIND_ROUTER       /* an InfiniBand router's port, or a gateway's: an endpoint that is no host */
};

CW_API extern const char *const cw_vertex_kind_names[]; /* "switch", "host", …: by enum cw_vertex_kind, ended by NULL */

/* What a fabric dump says of a vertex; zero where it says nothing. */
struct cw_identity {
    uint64_t node_guid;
    uint64_t port_guid; /* of the endpoint's port; of port 0 for a switch */
    uint64_t system_guid;
    uint32_t lid;    /* base LID */
    uint8_t lmc;     /* the port answers to lid … lid + 2^lmc - 1 */
    uint8_t kind;    /* enum cw_vertex_kind */
    uint16_t ports;  /* ports the device has, connected or not */
    uint32_t device; /* vendor and device ids as printed, 0 if none */
    uint32_t vendor;
};

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
    char *title;              /* what the user called it: a specification or a file name */
    bool generated;           /* by a topology of topo/, from the title: its routes are what Crosswind's engines say */
};

CW_API void cw_network_free(struct cw_network *net);

static inline uint32_t cw_network_switches(const struct cw_network *net)
{
    return net->n_vertices - net->n_endpoints;
}
static inline uint32_t cw_network_degree(const struct cw_network *net, uint32_t v)
{
    return net->first[v + 1] - net->first[v];
}
static inline bool cw_network_is_endpoint(const struct cw_network *net, uint32_t v)
{
    return v < net->n_endpoints;
}

/* True if nothing goes over CHANNEL: its cable works in the other direction only. Searches from a destination ask this
 * of a channel's twin. */
static inline bool cw_network_is_closed(const struct cw_network *net, uint32_t channel)
{
    return net->n_closed > 0 && !(net->capacity[channel] > 0);
}

/* The port number printed at CHANNEL's tail. */
static inline uint32_t cw_network_port(const struct cw_network *net, uint32_t channel)
{
    return net->port ? net->port[channel] : channel - net->first[net->tail[channel]] + 1;
}

/* True if CHANNEL joins two groups of NET's shape (net/shape.h). */
CW_API bool cw_network_is_global(const struct cw_network *net, uint32_t channel);

/* The channel leaving V at port number PORT, or CW_NONE. O(log degree). */
CW_API uint32_t cw_network_channel_at(const struct cw_network *net, uint32_t v, uint32_t port);

/* V's name, "h<id>" or "s<index among the switches>" where neither a file nor a shape gives one. Writes at most SIZE
 * bytes with the 0 into NAME and returns it. */
CW_API const char *cw_network_name(const struct cw_network *net, uint32_t v, char *name, size_t size);

/* CHANNEL's name: "TAIL/PORT>HEAD/PORT". Returns NAME. */
CW_API const char *cw_network_channel_name(const struct cw_network *net, uint32_t channel, char *name, size_t size);

/* The vertex called NAME (exactly; or "0x…": its node or port GUID), or CW_NONE. O(n_vertices). For many look-ups build
 * an index, net/name_index.h. */
CW_API uint32_t cw_network_find(const struct cw_network *net, const char *name);

/* The capacities of NET's slowest and fastest channel [byte/s] of those that are not closed; 0 where it has none.
 * O(channels). */
CW_API void cw_network_capacities(const struct cw_network *net, double *slowest, double *fastest);

/* Sets the title (copied). */
CW_API int cw_network_set_title(struct cw_network *net, const char *title);

/* Checks every promise of this header: order, twins, ranges, names. 0, or CW_EINTERNAL with what is wrong. O(n). */
CW_API int cw_network_check(const struct cw_network *net);

/* Checks that every cable of NET is where its shape promises it (net/shape.h), ports and order included, so that
 * closed-form routes may rely on the shape; of a dragonfly's global channels only that they join global ports of two
 * groups. 0, or CW_EUSAGE with the first difference. O(channels). */
CW_API int cw_network_check_shape(const struct cw_network *net);

/* True if A and B are the same graph with the same names, ports, capacities, latencies, identities and shape (not
 * title). If not, cw_error_message says the first difference. */
CW_API bool cw_network_equal(const struct cw_network *a, const struct cw_network *b);

CW_END_DECLS

#endif
