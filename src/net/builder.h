/*
 * Builds a network: vertices, then cables, then finish.
 *
 * The builder remembers its first error and ignores what follows; only cw_builder_finish reports it, and it always
 * frees the builder. Vertex ids are final from the beginning: endpoints 0 … n_endpoints-1, then switches.
 *
 *     struct cw_builder *b = cw_builder_new(n_endpoints, n_switches, expected_cables);
 *     cw_builder_cable(b, u, 0, v, 0, capacity, latency);
 *     int error = cw_builder_finish(b, &net);
 */
#ifndef CW_NET_BUILDER_H
#define CW_NET_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* What channels have unless a file or an option says otherwise: 40 Gbit/s and 100 ns. */
#define CW_DEFAULT_CAPACITY 5e9
#define CW_DEFAULT_LATENCY  100e-9

struct cw_builder;

/* Begins a network. Counts are 64 bits wide so that too large ones can be refused: more than 2^32 - 2 vertices or
 * channels, or more memory than the machine has (MemAvailable), is CW_ELIMIT with the number needed, before anything is
 * allocated. N_CABLES is the expected number; more may be added. Never NULL: a failure is remembered (a static failed
 * builder stands in when even that cannot be allocated). */
CW_API struct cw_builder *cw_builder_new(uint64_t n_endpoints, uint64_t n_switches, uint64_t n_cables);

/* Joins port PORT_A of A to port PORT_B of B, both directions with CAPACITY (byte/s) and LATENCY (s, ≥ 0). Port 0
 * means "the next": ports of a vertex without numbers follow its numbered ones, in the order of the calls. A number
 * used twice at a vertex, or a vertex joined to itself, is an error. A capacity of 0 closes a direction
 * (net/network.h): one of a cable between switches, in a network without a shape. */
CW_API void cw_builder_cable(struct cw_builder *builder, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b,
                             double capacity, double latency);

/* The cable added last has CAPACITY and LATENCY from its second vertex to its first, where they differ from those from
 * the first to the second. */
CW_API void cw_builder_back(struct cw_builder *builder, double capacity, double latency);

/* Optional, any time before finish; copied. Either all vertices are named or none; names must be unique. */
CW_API void cw_builder_name(struct cw_builder *builder, uint32_t v, const char *name);
CW_API void cw_builder_identity(struct cw_builder *builder, uint32_t v, const struct cw_identity *identity);
CW_API void cw_builder_shape(struct cw_builder *builder, const struct cw_shape *shape);
CW_API void cw_builder_title(struct cw_builder *builder, const char *title);

/* Remembers an error from outside (a parser's) so that finish reports it: CODE, with this thread's message. */
CW_API void cw_builder_fail(struct cw_builder *builder, int code);

/* True if an error is remembered: what would add a great many cables to it can stop. */
CW_API bool cw_builder_failed(const struct cw_builder *builder);

/* Makes *NET (owned by the caller) and frees BUILDER; or returns the first error, frees BUILDER and leaves *NET alone.
 * O(vertices + cables) and a sort of each vertex's ports. */
CW_API int cw_builder_finish(struct cw_builder *builder, struct cw_network **net);

CW_END_DECLS

#endif
