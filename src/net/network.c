#define CW_NETWORK_INLINE /* here they are for those who cannot inline them */
#include "net/network_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/name_index.h"
#include "net/nodes.h"
#include "net/places.h"

const char *const cw_vertex_kind_names[] = {[CW_KIND_SWITCH] = "switch",
                                            [CW_KIND_HOST] = "host",
                                            [CW_KIND_AGGREGATION] = "aggregation",
                                            [CW_KIND_ROUTER] = "router",
                                            NULL};

void cw_network_free(struct cw_network *net)
{
    if (!net) return;
    free(net->first);
    free(net->tail);
    free(net->head);
    free(net->twin);
    free(net->capacity);
    free(net->latency);
    free(net->port);
    free(net->names);
    free(net->name_at);
    free(net->identity);
    free(net->title);
    cw_places_free(net->places);
    cw_nodes_free(net->nodes);
    free(net);
}

struct cw_network_arrays cw_network_arrays_of(const struct cw_network *net)
{
    return (struct cw_network_arrays){net->first,    net->tail,    net->head, net->twin,
                                      net->capacity, net->latency, net->port};
}

bool cw_network_is_global(const struct cw_network *net, uint32_t channel)
{
    const uint32_t n = net->n_endpoints, tail = net->tail[channel], head = net->head[channel];
    const uint32_t switches = cw_shape_groups(&net->shape).switches;
    return switches > 0 && tail >= n && head >= n && (tail - n) / switches != (head - n) / switches;
}

uint32_t cw_network_channel_at(const struct cw_network *net, uint32_t v, uint32_t port)
{
    if (v >= net->n_vertices) return CW_NONE;
    uint32_t low = net->first[v], high = net->first[v + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cw_network_port(net, middle) < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < net->first[v + 1] && cw_network_port(net, low) == port ? low : CW_NONE;
}

const char *cw_network_name(const struct cw_network *net, uint32_t v, char *name, size_t size)
{
    if (net->names)
        snprintf(name, size, "%s", net->names + net->name_at[v]);
    else
        cw_shape_name(&net->shape, net->n_endpoints, v, name, size);
    return name;
}

const char *cw_network_channel_name(const struct cw_network *net, uint32_t channel, char *name, size_t size)
{
    const uint32_t twin = net->twin[channel];
    char tail[CW_NAME_SIZE], head[CW_NAME_SIZE];
    snprintf(name, size, "%s/%u>%s/%u", cw_network_name(net, net->tail[channel], tail, sizeof tail),
             cw_network_port(net, channel), cw_network_name(net, net->tail[twin], head, sizeof head),
             cw_network_port(net, twin));
    return name;
}

/* The number written 0x… in TEXT, or 0, which is nobody's GUID. */
static uint64_t guid_of(const char *text)
{
    if (strncmp(text, "0x", 2) != 0 || text[2] == '\0' ||
        strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
        return 0;
    return strtoull(text, NULL, 16);
}

uint32_t cw_network_find(const struct cw_network *net, const char *name)
{
    char own[CW_NAME_SIZE];
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (strcmp(cw_network_name(net, v, own, sizeof own), name) == 0) return v;
    const uint64_t guid = guid_of(name);
    if (guid == 0 || !net->identity) return CW_NONE;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->identity[v].node_guid == guid) return v;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->identity[v].port_guid == guid) return v;
    return CW_NONE;
}

void cw_network_capacities(const struct cw_network *net, double *slowest, double *fastest)
{
    *slowest = *fastest = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_closed(net, c)) continue;
        if (*slowest <= 0 || net->capacity[c] < *slowest) *slowest = net->capacity[c];
        if (net->capacity[c] > *fastest) *fastest = net->capacity[c];
    }
}

int cw_network_set_title(struct cw_network *net, const char *title)
{
    char *copy = cw_copy_text(title, strlen(title));
    if (!copy) return CW_ENOMEM;
    free(net->title);
    net->title = copy;
    return 0;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

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

/* --- shapes in words ---------------------------------------------------------------------------------------------- */

/* One thing after another: "without A", ", B", … */
static void add_gap(struct cw_text *text, uint32_t *said, uint64_t missing, uint64_t of, const char *things)
{
    if (missing == 0) return;
    cw_text_printf(text, "%s%llu of %llu %s", *said == 0 ? ", without " : ", ", (unsigned long long)missing,
                   (unsigned long long)of, things);
    ++*said;
}

static void describe_gaps(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_places *places = net->places;
    uint32_t said = 0, beside = 0; /* those that are cut off are missing, and not said twice */
    for (uint32_t e = 0; e < net->n_endpoints && places->beside > 0; e++)
        beside += places->place[e] == CW_NONE && cw_network_degree(net, e) > 0;
    add_gap(text, &said, places->missing_switches, cw_network_switches(places->ideal), "switches");
    add_gap(text, &said, places->missing_cables, places->cables, "cables between switches");
    add_gap(text, &said, places->missing_endpoints, places->ideal->n_endpoints, "hosts");
    if (places->extra_cables > 0)
        cw_text_printf(text, ", and %u cable%s more than the shape has", places->extra_cables,
                       cw_plural(places->extra_cables));
    if (beside > 0) cw_text_printf(text, ", and %u endpoint%s beside it", beside, cw_plural(beside));
}

void cw_network_describe(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    if (!shape->kind) return;
    shape->kind->describe(shape, text);
    if (net->places) describe_gaps(net, text);
}
