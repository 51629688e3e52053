#include "net/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"

/* What of a network is kept: the new number of each vertex and channel, or CW_NONE. */
struct part {
    const struct cw_network *net;
    uint32_t *vertex, *channel;
    uint32_t n_endpoints, n_vertices, n_channels, n_closed;
    bool whole; /* names and shape hold */
};

static void part_free(struct part *part)
{
    free(part->vertex);
    free(part->channel);
}

static int part_new(const struct cw_network *net, const bool *keep_vertex, const bool *keep_channel, struct part *part)
{
    *part = (struct part){.net = net};
    part->vertex = cw_new_array(net->n_vertices, sizeof *part->vertex, "the part of a network");
    part->channel = cw_new_array(net->n_channels, sizeof *part->channel, "the part of a network");
    if (!part->vertex || !part->channel) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        if (v == net->n_endpoints) part->n_endpoints = part->n_vertices;
        part->vertex[v] = !keep_vertex || keep_vertex[v] ? part->n_vertices++ : CW_NONE;
    }
    if (net->n_endpoints == net->n_vertices) part->n_endpoints = part->n_vertices;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool kept = part->vertex[net->tail[c]] != CW_NONE && part->vertex[net->head[c]] != CW_NONE &&
                          (!keep_channel || (keep_channel[c] && keep_channel[net->twin[c]]));
        part->channel[c] = kept ? part->n_channels++ : CW_NONE;
        part->n_closed += kept && !(net->capacity[c] > 0);
    }
    part->whole = part->n_vertices == net->n_vertices && part->n_channels == net->n_channels && part->n_closed == 0;
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
    out->n_closed = part->n_closed;
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

int cw_network_part(const struct cw_network *net, const bool *keep_vertex, const bool *keep_channel,
                    struct cw_network **out)
{
    struct part part;
    struct cw_network *kept = NULL;
    if (net->nodes)
        return cw_fail(CW_EUSAGE,
                       "parts of a network with the inside of hosts (--nodes) cannot be left out; expected the "
                       "fabric alone");
    int rc = part_new(net, keep_vertex, keep_channel, &part);
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

int cw_network_keep_endpoints(const struct cw_network *net, const bool *keep, struct cw_network **out)
{
    bool *keep_vertex = cw_new_array(net->n_vertices, sizeof *keep_vertex, "the part of a network");
    if (!keep_vertex) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) keep_vertex[v] = v >= net->n_endpoints || keep[v];
    const int rc = cw_network_part(net, keep_vertex, NULL, out);
    free(keep_vertex);
    return rc;
}
