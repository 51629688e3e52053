/* Who waits for whom when nothing moves: from one message that cannot go to the one it waits for, until the chain
 * closes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/flit/flit_unit.h"

enum { SHOWN = 8 };

/* What the message at the head of the input queue of HOP waits for; false if there is none or it need not wait. */
static bool waits_for(const struct cw_flit_simulation *simulation, struct cw_hop hop, struct cw_hop *next)
{
    const struct cw_network *net = simulation->net;
    const uint32_t head = net->head[hop.channel];
    if (cw_network_is_endpoint(net, head)) return false;
    const struct cw_flit_unit *unit = simulation->unit_of[head];
    const uint32_t port = net->twin[hop.channel] - unit->first, q = cw_flit_queue(unit, port, hop.lane);
    const uint32_t out = unit->in_queues[q].out, need = unit->claims ? unit->claims[q].need : 1;
    if (!(unit->in_lanes[port] >> hop.lane & 1) || cw_flit_has_room(simulation, unit, out, need)) return false;
    *next = (struct cw_hop){unit->first + out % unit->stride, (uint8_t)(out / unit->stride)};
    return true;
}

/* The first channel and lane whose message waits. */
static bool find_waiting(const struct cw_flit_simulation *simulation, struct cw_hop *hop)
{
    struct cw_hop next;
    for (uint32_t c = 0; c < simulation->net->n_channels; c++)
        for (uint8_t lane = 0; lane < simulation->lanes[c]; lane++) {
            *hop = (struct cw_hop){c, lane};
            if (waits_for(simulation, *hop, &next)) return true;
        }
    return false;
}

static void append_hop(const struct cw_flit_simulation *simulation, struct cw_text *text, struct cw_hop hop)
{
    char name[2 * CW_NAME_SIZE + 32];
    cw_text_printf(text, "%s lane %u", cw_network_channel_name(simulation->net, hop.channel, name, sizeof name),
                   hop.lane);
}

/* The chain from FIRST on. SEEN has an entry for every channel and lane. */
static void append_chain(const struct cw_flit_simulation *simulation, struct cw_text *text, struct cw_hop first,
                         bool *seen)
{
    struct cw_hop hop = first, next;
    /* Walk until a hop repeats: the circle, if there is one, is what matters. */
    while (!seen[(size_t)hop.channel << 3 | hop.lane] && waits_for(simulation, hop, &next)) {
        seen[(size_t)hop.channel << 3 | hop.lane] = true;
        hop = next;
    }
    const bool circle = seen[(size_t)hop.channel << 3 | hop.lane];
    const struct cw_hop start = circle ? hop : first;
    append_hop(simulation, text, start);
    hop = start;
    for (int shown = 1; waits_for(simulation, hop, &next); shown++) {
        hop = next;
        if (shown == SHOWN) {
            cw_text_printf(text, ", which waits for more");
            return;
        }
        cw_text_printf(text, "%s waits for ", shown > 1 ? ", which" : "");
        append_hop(simulation, text, hop);
        if (hop.channel == start.channel && hop.lane == start.lane) {
            cw_text_printf(text, " again");
            return;
        }
    }
}

int cw_flit_stall(const struct cw_flit_simulation *simulation)
{
    const struct cw_flit_counts sum = cw_flit_sum(simulation);
    struct cw_text text = {0};
    struct cw_hop first;
    bool *seen = cw_new_array((size_t)simulation->net->n_channels << 3, sizeof *seen, "a search for a deadlock");
    if (!seen) return CW_ENOMEM;
    if (find_waiting(simulation, &first))
        append_chain(simulation, &text, first, seen);
    else
        cw_text_printf(&text, "no message waits for another");
    const int code = cw_text_check(&text);
    if (!code)
        cw_fail(CW_EROUTE, "deadlock: %llu flits have not moved since cycle %llu: %s",
                (unsigned long long)(sum.injected - sum.accepted),
                (unsigned long long)(simulation->cycle - simulation->idle_cycles), text.data);
    free(text.data);
    free(seen);
    return code ? code : CW_EROUTE;
}
