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

int cw_network_check_shape(const struct cw_network *net)
{
    if (!cw_shape_fits(&net->shape, net->n_endpoints, cw_network_switches(net)))
        return cw_fail(CW_EUSAGE, "%u endpoints and %u switches are not those of the shape", net->n_endpoints,
                       cw_network_switches(net));
    return net->shape.kind ? net->shape.kind->check(net) : 0;
}
