/*
 * The network: an immutable graph of endpoints and switches.
 *
 * Vertices: endpoints are 0 … endpoints-1, switches follow. A cable joins two vertices and is two channels, one in each
 * direction, each the other's twin; their capacities and latencies may differ. A channel of capacity 0 is closed:
 * nothing goes over it, for its cable works in the other direction only. Such one-way cables join two switches.
 * Channels are sorted by their tail vertex, so that those leaving one follow one another, in the order of its ports.
 * Parallel cables are separate channels.
 *
 * Nothing changes once cw_builder_finish made it, so any number of threads may read it. Memory: 28 bytes a channel and
 * 4 a vertex; names and identities only where a file gave them. The library's own sources look into the structure,
 * which net/network_internal.h has.
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

struct cw_network;

CW_API void cw_network_free(struct cw_network *net);

/* How many there are. */
CW_API uint32_t cw_network_endpoints(const struct cw_network *net);
CW_API uint32_t cw_network_switches(const struct cw_network *net);
CW_API uint32_t cw_network_vertices(const struct cw_network *net); /* both */
CW_API uint32_t cw_network_channels(const struct cw_network *net);

/* All of NET's vertices and channels at once: its own arrays, there as long as it is, never to be written. */
struct cw_network_arrays {
    const uint32_t *first;       /* [vertices + 1]: channels leaving v are first[v] … first[v + 1] - 1 */
    const uint32_t *tail, *head; /* [channels] vertices */
    const uint32_t *twin;        /* [channels] */
    const double *capacity;      /* [channels] byte/s; 0: closed */
    const double *latency;       /* [channels] s */
    const uint16_t *port;        /* [channels]; NULL: numbered from 1 at each vertex, in the order of channels */
};
CW_API struct cw_network_arrays cw_network_arrays_of(const struct cw_network *net);

/* The channels that leave V, < cw_network_vertices: cw_network_degree of them from cw_network_first on. */
CW_API uint32_t cw_network_first(const struct cw_network *net, uint32_t v);
CW_API uint32_t cw_network_degree(const struct cw_network *net, uint32_t v);
CW_API bool cw_network_is_endpoint(const struct cw_network *net, uint32_t v);

/* Of CHANNEL, < cw_network_channels: the vertices that it leaves and leads to, its twin, byte/s (0: it is closed), s,
 * and the port number printed at its tail. */
CW_API uint32_t cw_network_tail(const struct cw_network *net, uint32_t channel);
CW_API uint32_t cw_network_head(const struct cw_network *net, uint32_t channel);
CW_API uint32_t cw_network_twin(const struct cw_network *net, uint32_t channel);
CW_API double cw_network_capacity(const struct cw_network *net, uint32_t channel);
CW_API double cw_network_latency(const struct cw_network *net, uint32_t channel);
CW_API uint32_t cw_network_port(const struct cw_network *net, uint32_t channel);

/* True if nothing goes over CHANNEL: its cable works in the other direction only. Searches from a destination ask this
 * of a channel's twin. */
CW_API bool cw_network_is_closed(const struct cw_network *net, uint32_t channel);

/* True if CHANNEL leaves an endpoint or leads to one, open or not. */
CW_API bool cw_network_is_host_channel(const struct cw_network *net, uint32_t channel);

/* What the user called NET, a specification or a file name; NULL: nothing. What a dump said of V; NULL: nothing. Its
 * shape, of kind NULL where it has none. All are NET's. */
CW_API const char *cw_network_title(const struct cw_network *net);
CW_API const struct cw_identity *cw_network_identity(const struct cw_network *net, uint32_t v);
CW_API const struct cw_shape *cw_network_shape(const struct cw_network *net);

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
