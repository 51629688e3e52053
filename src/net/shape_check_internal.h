/*
 * What descriptors of shapes share. Private to net/.
 *
 * Comparing a network with its shape: a cursor goes over all channels, vertex by vertex and port by port, and the shape
 * says what it expects there.
 */
#ifndef CW_NET_SHAPE_CHECK_INTERNAL_H
#define CW_NET_SHAPE_CHECK_INTERNAL_H

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_shape_cursor {
    const struct cw_network *net;
    uint32_t v, channel; /* the next channel, of vertex v */
};

/* CW_EUSAGE, of a cable at the cursor that the shape does not have. */
int cw_shape_differs(const struct cw_shape_cursor *cursor);

/* The next channel leads from PORT to PORT_THERE of HEAD. */
int cw_shape_expect(struct cw_shape_cursor *cursor, uint64_t port, uint64_t head, uint64_t port_there);

/* The vertex has no channel more; the next vertex follows. */
int cw_shape_expect_end(struct cw_shape_cursor *cursor);

/* All endpoints, from the first on: endpoint e is at port e mod PER_SWITCH + 1 of switch e / PER_SWITCH. */
int cw_shape_expect_hosts(struct cw_shape_cursor *cursor, uint32_t per_switch);

/* The next N channels, ports 1 to N, lead to endpoints FIRST to FIRST + N - 1. */
int cw_shape_expect_endpoints(struct cw_shape_cursor *cursor, uint64_t first, uint32_t n);

/* Partitions of a grid of K[0] x K[1] x … points, N dimensions, the first one fastest, into two halves: in each
 * dimension k/2 coordinates in a row, beginning at any, and the others; or, if the grid does not WRAP round, the first
 * coordinates, however many, and the others. */
uint32_t cw_grid_halves(const uint32_t *k, uint32_t n, bool wrap);
uint32_t cw_grid_half(const uint32_t *k, bool wrap, uint32_t half, uint32_t index);

CW_END_DECLS

#endif
