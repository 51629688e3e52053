#include "net/shape_check_internal.h"

#include "base/error.h"

int cw_shape_differs(const struct cw_shape_cursor *cursor)
{
    char name[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "%s (vertex %u) has other cables than its place in the shape, expected %s",
                   cw_network_name(cursor->net, cursor->v, name, sizeof name), cursor->v,
                   "the cables and port numbers of a generated network");
}

int cw_shape_expect(struct cw_shape_cursor *cursor, uint64_t port, uint64_t head, uint64_t port_there)
{
    const struct cw_network *net = cursor->net;
    const uint32_t c = cursor->channel;
    if (c == net->first[cursor->v + 1] || cw_network_port(net, c) != port || net->head[c] != head ||
        cw_network_port(net, net->twin[c]) != port_there)
        return cw_shape_differs(cursor);
    cursor->channel++;
    return 0;
}

int cw_shape_expect_end(struct cw_shape_cursor *cursor)
{
    if (cursor->channel != cursor->net->first[cursor->v + 1]) return cw_shape_differs(cursor);
    cursor->v++;
    return 0;
}

int cw_shape_expect_hosts(struct cw_shape_cursor *cursor, uint32_t per_switch)
{
    const uint32_t n = cursor->net->n_endpoints;
    int rc = 0;
    while (cursor->v < n && !rc) {
        rc = cw_shape_expect(cursor, 1, (uint64_t)n + cursor->v / per_switch, cursor->v % per_switch + 1);
        if (!rc) rc = cw_shape_expect_end(cursor);
    }
    return rc;
}

int cw_shape_expect_endpoints(struct cw_shape_cursor *cursor, uint64_t first, uint32_t n)
{
    int rc = 0;
    for (uint32_t i = 0; i < n && !rc; i++) rc = cw_shape_expect(cursor, (uint64_t)i + 1, first + i, 1);
    return rc;
}

int cw_network_check_shape(const struct cw_network *net)
{
    if (!cw_shape_fits(&net->shape, net->n_endpoints, cw_network_switches(net)))
        return cw_fail(CW_EUSAGE, "%u endpoints and %u switches are not those of the shape", net->n_endpoints,
                       cw_network_switches(net));
    return net->shape.kind ? net->shape.kind->check(net) : 0;
}
