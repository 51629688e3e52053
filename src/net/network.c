#include "net/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
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
    free(net);
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
