#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "net/name_index.h"
#include "net/network.h"

static int check_order(const struct cw_network *net)
{
    if (net->n_endpoints > net->n_vertices || net->n_vertices == CW_NONE || net->n_channels == CW_NONE)
        return cw_fail(CW_EINTERNAL, "%u endpoints, %u vertices, %u channels", net->n_endpoints, net->n_vertices,
                       net->n_channels);
    if (net->first[0] != 0 || net->first[net->n_vertices] != net->n_channels)
        return cw_fail(CW_EINTERNAL, "channels of the vertices are %u … %u of %u", net->first[0],
                       net->first[net->n_vertices], net->n_channels);
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->first[v] > net->first[v + 1])
            return cw_fail(CW_EINTERNAL, "channels of vertex %u end before they begin", v);
    return 0;
}

static int check_channel(const struct cw_network *net, uint32_t c)
{
    const uint32_t tail = net->tail[c], head = net->head[c], twin = net->twin[c];
    if (tail >= net->n_vertices || head >= net->n_vertices || tail == head)
        return cw_fail(CW_EINTERNAL, "channel %u leads from vertex %u to vertex %u", c, tail, head);
    if (c < net->first[tail] || c >= net->first[tail + 1])
        return cw_fail(CW_EINTERNAL, "channel %u is not among those of its tail %u", c, tail);
    if (twin >= net->n_channels || net->twin[twin] != c || net->tail[twin] != head || net->head[twin] != tail)
        return cw_fail(CW_EINTERNAL, "channels %u and %u are not each other's twin", c, twin);
    const bool closed = cw_network_is_closed(net, c);
    if (!(closed ? net->capacity[c] >= 0 && net->capacity[twin] > 0 : net->capacity[c] > 0) ||
        !isfinite(net->capacity[c]))
        return cw_fail(CW_EINTERNAL, "capacity %g byte/s of channel %u", net->capacity[c], c);
    if (closed && (cw_network_is_endpoint(net, tail) || cw_network_is_endpoint(net, head)))
        return cw_fail(CW_EINTERNAL, "channel %u of an endpoint is closed", c);
    char latency[32];
    if (!(net->latency[c] >= 0) || !isfinite(net->latency[c]))
        return cw_fail(CW_EINTERNAL, "latency %s of channel %u",
                       cw_format_time(net->latency[c], latency, sizeof latency), c);
    const uint32_t least = c == net->first[tail] ? 1 : cw_network_port(net, c - 1) + 1;
    if (cw_network_port(net, c) < least)
        return cw_fail(CW_EINTERNAL, "port %u of channel %u; expected at least %u", cw_network_port(net, c), c, least);
    return 0;
}

static int check_vertices(const struct cw_network *net)
{
    for (uint32_t v = 0; v < net->n_vertices && net->identity; v++)
        if ((net->identity[v].kind == CW_KIND_SWITCH) == cw_network_is_endpoint(net, v))
            return cw_fail(CW_EINTERNAL, "vertex %u has kind %d", v, net->identity[v].kind);
    if ((net->names == NULL) != (net->name_at == NULL)) return cw_fail(CW_EINTERNAL, "names without places");
    if (!net->names) return 0;
    struct cw_name_index *index = NULL; /* made only if names are unique */
    const int rc = cw_name_index_new(net, &index);
    cw_name_index_free(index);
    return rc;
}

int cw_network_check(const struct cw_network *net)
{
    int rc = check_order(net);
    uint32_t n_closed = 0;
    for (uint32_t c = 0; c < net->n_channels && !rc; c++) {
        rc = check_channel(net, c);
        n_closed += cw_network_is_closed(net, c);
    }
    if (!rc && n_closed != net->n_closed)
        rc = cw_fail(CW_EINTERNAL, "%u closed channels; %u were counted", n_closed, net->n_closed);
    if (!rc && n_closed > 0 && net->shape.kind) rc = cw_fail(CW_EINTERNAL, "a shape with closed channels");
    if (!rc && !cw_shape_fits(&net->shape, net->n_endpoints, cw_network_switches(net)))
        rc = cw_fail(CW_EINTERNAL, "%u endpoints and %u switches are not those of the shape", net->n_endpoints,
                     cw_network_switches(net));
    if (!rc) rc = check_vertices(net);
    return rc;
}

static bool identity_equal(const struct cw_identity *a, const struct cw_identity *b)
{
    return a->node_guid == b->node_guid && a->port_guid == b->port_guid && a->system_guid == b->system_guid &&
           a->lid == b->lid && a->lmc == b->lmc && a->kind == b->kind && a->ports == b->ports &&
           a->device == b->device && a->vendor == b->vendor;
}

/* cw_fail, as the answer "not equal". */
#define DIFFER(...) (cw_fail(CW_EUSAGE, __VA_ARGS__), false)

static bool channel_equal(const struct cw_network *a, const struct cw_network *b, uint32_t c)
{
    if (a->tail[c] == b->tail[c] && a->head[c] == b->head[c] && a->twin[c] == b->twin[c] &&
        a->capacity[c] == b->capacity[c] && a->latency[c] == b->latency[c] &&
        cw_network_port(a, c) == cw_network_port(b, c))
        return true;
    char name_a[2 * CW_NAME_SIZE], name_b[2 * CW_NAME_SIZE];
    char latency_a[32], latency_b[32];
    return DIFFER("channel %u is %s, %g byte/s, %s in one network and %s, %g byte/s, %s in the other", c,
                  cw_network_channel_name(a, c, name_a, sizeof name_a), a->capacity[c],
                  cw_format_time(a->latency[c], latency_a, sizeof latency_a),
                  cw_network_channel_name(b, c, name_b, sizeof name_b), b->capacity[c],
                  cw_format_time(b->latency[c], latency_b, sizeof latency_b));
}

static bool vertex_equal(const struct cw_network *a, const struct cw_network *b, uint32_t v)
{
    char name_a[CW_NAME_SIZE], name_b[CW_NAME_SIZE];
    cw_network_name(a, v, name_a, sizeof name_a);
    cw_network_name(b, v, name_b, sizeof name_b);
    if (strcmp(name_a, name_b) != 0) return DIFFER("vertex %u is named '%s' and '%s'", v, name_a, name_b);
    if (a->identity && !identity_equal(a->identity + v, b->identity + v))
        return DIFFER("the identity of vertex %u, '%s', differs", v, name_a);
    return true;
}

bool cw_network_equal(const struct cw_network *a, const struct cw_network *b)
{
    if (a->n_endpoints != b->n_endpoints || a->n_vertices != b->n_vertices || a->n_channels != b->n_channels)
        return DIFFER("%u endpoints, %u vertices, %u channels and %u, %u, %u", a->n_endpoints, a->n_vertices,
                      a->n_channels, b->n_endpoints, b->n_vertices, b->n_channels);
    if (!cw_shape_equal(&a->shape, &b->shape)) return DIFFER("the shapes differ");
    if ((a->identity == NULL) != (b->identity == NULL)) return DIFFER("only one network has identities");
    for (uint32_t v = 0; v < a->n_vertices; v++)
        if (!vertex_equal(a, b, v)) return false;
    for (uint32_t c = 0; c < a->n_channels; c++)
        if (!channel_equal(a, b, c)) return false;
    return true;
}
