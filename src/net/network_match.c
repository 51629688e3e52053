#include "net/network_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/name_index.h"
#include "net/network_internal.h"

static const char what[] = "what two networks have in common";

/* What tells V from others, whatever it is called; 0: nothing. */
static uint64_t guid_of(const struct cw_network *net, uint32_t v)
{
    if (!net->identity) return 0;
    return cw_network_is_endpoint(net, v) ? net->identity[v].port_guid : net->identity[v].node_guid;
}

/* The vertex of BEFORE, which INDEX is of, that V of AFTER was, or CW_NONE. */
static uint32_t find(const struct cw_name_index *index, const struct cw_network *before, const struct cw_network *after,
                     uint32_t v)
{
    char name[CW_NAME_SIZE];
    const uint64_t guid = guid_of(after, v);
    uint32_t was =
        cw_network_is_endpoint(after, v) ? cw_name_index_port_guid(index, guid) : cw_name_index_node_guid(index, guid);
    if (was == CW_NONE) {
        was = cw_name_index_name(index, cw_network_name(after, v, name, sizeof name));
        if (was != CW_NONE && guid != 0 && guid_of(before, was) != 0) return CW_NONE;
    }
    if (was != CW_NONE && cw_network_is_endpoint(before, was) != cw_network_is_endpoint(after, v)) return CW_NONE;
    return was;
}

static int match_vertices(struct cw_network_match *match)
{
    struct cw_name_index *index;
    const int rc = cw_name_index_new(match->before, &index);
    if (rc) return rc;
    for (uint32_t v = 0; v < match->after->n_vertices; v++) {
        const uint32_t was = match->before == match->after ? v : find(index, match->before, match->after, v);
        if (was == CW_NONE || match->after_vertex[was] != CW_NONE) continue;
        match->before_vertex[v] = was;
        match->after_vertex[was] = v;
    }
    cw_name_index_free(index);
    return 0;
}

static void match_channels(struct cw_network_match *match)
{
    const struct cw_network *before = match->before, *after = match->after;
    for (uint32_t c = 0; c < after->n_channels; c++) {
        const uint32_t tail = match->before_vertex[after->tail[c]], head = match->before_vertex[after->head[c]];
        if (tail == CW_NONE || head == CW_NONE) continue;
        const uint32_t was = cw_network_channel_at(before, tail, cw_network_port(after, c));
        if (was == CW_NONE || before->head[was] != head ||
            cw_network_port(before, before->twin[was]) != cw_network_port(after, after->twin[c]))
            continue;
        match->before_channel[c] = was;
        match->after_channel[was] = c;
    }
}

/* N times CW_NONE. */
static uint32_t *new_nones(uint32_t n)
{
    uint32_t *nones = cw_new_array(n, sizeof *nones, what);
    if (nones) memset(nones, 0xff, n * sizeof *nones);
    return nones;
}

int cw_network_match_find(const struct cw_network *before, const struct cw_network *after,
                          struct cw_network_match *match)
{
    *match = (struct cw_network_match){.before = before, .after = after};
    match->before_vertex = new_nones(after->n_vertices);
    match->after_vertex = new_nones(before->n_vertices);
    match->before_channel = new_nones(after->n_channels);
    match->after_channel = new_nones(before->n_channels);
    if (!match->before_vertex || !match->after_vertex || !match->before_channel || !match->after_channel)
        return CW_ENOMEM;
    const int rc = match_vertices(match);
    if (!rc) match_channels(match);
    return rc;
}

void cw_network_match_free(struct cw_network_match *match)
{
    free(match->before_vertex);
    free(match->after_vertex);
    free(match->before_channel);
    free(match->after_channel);
    *match = (struct cw_network_match){0};
}
