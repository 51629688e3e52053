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
    *slowest = *fastest = net->n_channels > 0 ? net->capacity[0] : 0;
    for (uint32_t c = 1; c < net->n_channels; c++) {
        if (net->capacity[c] < *slowest) *slowest = net->capacity[c];
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

/* What of a network is kept: the new number of each vertex and channel, or CW_NONE. */
struct part {
    const struct cw_network *net;
    uint32_t *vertex, *channel;
    uint32_t n_endpoints, n_vertices, n_channels;
    bool whole;
};

static void part_free(struct part *part)
{
    free(part->vertex);
    free(part->channel);
}

static int part_new(const struct cw_network *net, const bool *keep, struct part *part)
{
    *part = (struct part){.net = net};
    part->vertex = cw_new_array(net->n_vertices, sizeof *part->vertex, "the part of a network");
    part->channel = cw_new_array(net->n_channels, sizeof *part->channel, "the part of a network");
    if (!part->vertex || !part->channel) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        if (v == net->n_endpoints) part->n_endpoints = part->n_vertices;
        part->vertex[v] = v >= net->n_endpoints || keep[v] ? part->n_vertices++ : CW_NONE;
    }
    if (net->n_endpoints == net->n_vertices) part->n_endpoints = part->n_vertices;
    part->whole = part->n_vertices == net->n_vertices;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool kept = part->vertex[net->tail[c]] != CW_NONE && part->vertex[net->head[c]] != CW_NONE;
        part->channel[c] = kept ? part->n_channels++ : CW_NONE;
    }
    return 0;
}

/* The channels of OUT, in the order they had; its ports are numbered where an index no longer says the number. */
static int copy_channels(const struct part *part, struct cw_network *out)
{
    const struct cw_network *net = part->net;
    bool number = false;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t to = part->channel[c];
        if (to == CW_NONE) continue;
        out->tail[to] = part->vertex[net->tail[c]];
        out->head[to] = part->vertex[net->head[c]];
        out->twin[to] = part->channel[net->twin[c]];
        out->capacity[to] = net->capacity[c];
        out->latency[to] = net->latency[c];
        out->first[out->tail[to] + 1] = to + 1;
    }
    for (uint32_t v = 0; v < out->n_vertices; v++)
        if (out->first[v + 1] == 0) out->first[v + 1] = out->first[v]; /* no channel left */
    for (uint32_t c = 0; c < net->n_channels && !number; c++)
        number = part->channel[c] != CW_NONE && cw_network_port(net, c) != cw_network_port(out, part->channel[c]);
    if (!number) return 0;
    out->port = cw_new_array(out->n_channels, sizeof *out->port, "port numbers");
    if (!out->port) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (part->channel[c] == CW_NONE) continue;
        if (cw_network_port(net, c) > UINT16_MAX)
            return cw_fail(CW_ELIMIT, "port %u is kept in part of a network; expected at most %d there",
                           cw_network_port(net, c), UINT16_MAX);
        out->port[part->channel[c]] = (uint16_t)cw_network_port(net, c);
    }
    return 0;
}

static int copy_names(const struct part *part, struct cw_network *out)
{
    const struct cw_network *net = part->net;
    struct cw_text names = {0};
    out->name_at = cw_new_array(out->n_vertices, sizeof *out->name_at, "names");
    if (!out->name_at) return CW_ENOMEM;
    cw_text_append(&names, "", 0);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        if (part->vertex[v] == CW_NONE) continue;
        char name[CW_NAME_SIZE];
        cw_network_name(net, v, name, sizeof name);
        out->name_at[part->vertex[v]] = names.length;
        cw_text_append(&names, name, strlen(name) + 1);
    }
    out->names = names.data;
    return cw_text_check(&names);
}

static int copy_part(const struct part *part, struct cw_network *out)
{
    const struct cw_network *net = part->net;
    static const char what[] = "part of a network";
    out->n_endpoints = part->n_endpoints;
    out->n_vertices = part->n_vertices;
    out->n_channels = part->n_channels;
    out->first = cw_new_array((size_t)out->n_vertices + 1, sizeof *out->first, what);
    out->tail = cw_new_array(out->n_channels, sizeof *out->tail, what);
    out->head = cw_new_array(out->n_channels, sizeof *out->head, what);
    out->twin = cw_new_array(out->n_channels, sizeof *out->twin, what);
    out->capacity = cw_new_array(out->n_channels, sizeof *out->capacity, what);
    out->latency = cw_new_array(out->n_channels, sizeof *out->latency, what);
    if (!out->first || !out->tail || !out->head || !out->twin || !out->capacity || !out->latency) return CW_ENOMEM;
    int rc = copy_channels(part, out);
    if (!rc && (net->names || !part->whole)) rc = copy_names(part, out);
    if (!rc && net->title) rc = cw_network_set_title(out, net->title);
    if (rc) return rc;
    out->generated = net->generated;
    if (part->whole) out->shape = net->shape;
    if (!net->identity) return 0;
    out->identity = cw_new_array(out->n_vertices, sizeof *out->identity, "identities");
    if (!out->identity) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (part->vertex[v] != CW_NONE) out->identity[part->vertex[v]] = net->identity[v];
    return 0;
}

int cw_network_keep_endpoints(const struct cw_network *net, const bool *keep, struct cw_network **out)
{
    struct part part;
    struct cw_network *kept = NULL;
    int rc = part_new(net, keep, &part);
    if (!rc) {
        kept = cw_new_array(1, sizeof *kept, "a network");
        rc = kept ? copy_part(&part, kept) : CW_ENOMEM;
    }
    part_free(&part);
    if (rc)
        cw_network_free(kept);
    else
        *out = kept;
    return rc;
}
