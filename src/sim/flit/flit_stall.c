/* Who waits for whom when nothing moves: from one message that cannot go to the one it waits for, until the chain
 * closes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/flit/flit_stall.h"

enum { SHOWN = 8 };

/* The first channel and lane whose message waits. */
static bool find_waiting(const struct cw_flit_stall *stall, struct cw_hop *hop)
{
    struct cw_hop next;
    for (uint32_t c = 0; c < stall->net->n_channels; c++)
        for (uint8_t lane = 0; lane < CW_FLIT_LANES; lane++) {
            *hop = (struct cw_hop){c, lane};
            if (stall->waits_for(stall->simulation, *hop, &next)) return true;
        }
    return false;
}

static void append_hop(const struct cw_flit_stall *stall, struct cw_text *text, struct cw_hop hop)
{
    char name[2 * CW_NAME_SIZE + 32];
    cw_text_printf(text, "%s lane %u", cw_network_channel_name(stall->net, hop.channel, name, sizeof name), hop.lane);
}

static bool is_same(struct cw_hop a, struct cw_hop b)
{
    return a.channel == b.channel && a.lane == b.lane;
}

/* How many wait for each other in the circle that START is in. */
static unsigned circle_of(const struct cw_flit_stall *stall, struct cw_hop start)
{
    struct cw_hop hop = start, next = start;
    unsigned n = 0;
    do {
        stall->waits_for(stall->simulation, hop, &next);
        hop = next;
        n++;
    } while (!is_same(hop, start));
    return n;
}

/* The chain from FIRST on. SEEN has an entry for every channel and lane. */
static void append_chain(const struct cw_flit_stall *stall, struct cw_text *text, struct cw_hop first, bool *seen)
{
    struct cw_hop hop = first, next;
    /* Walk until a hop repeats: the circle, if there is one, is what matters. */
    while (!seen[(size_t)hop.channel << 3 | hop.lane] && stall->waits_for(stall->simulation, hop, &next)) {
        seen[(size_t)hop.channel << 3 | hop.lane] = true;
        hop = next;
    }
    const bool circle = seen[(size_t)hop.channel << 3 | hop.lane];
    const struct cw_hop start = circle ? hop : first;
    append_hop(stall, text, start);
    hop = start;
    for (int shown = 1; stall->waits_for(stall->simulation, hop, &next); shown++) {
        hop = next;
        if (shown == SHOWN) {
            if (circle)
                cw_text_printf(text, ", and so on in a circle of %u", circle_of(stall, start));
            else
                cw_text_printf(text, ", which waits for more");
            return;
        }
        cw_text_printf(text, "%s waits for ", shown > 1 ? ", which" : "");
        append_hop(stall, text, hop);
        if (is_same(hop, start)) {
            cw_text_printf(text, " again");
            return;
        }
    }
}

int cw_flit_explain_stall(const struct cw_flit_stall *stall)
{
    struct cw_text text = {0};
    struct cw_hop first;
    bool *seen = cw_new_array((size_t)stall->net->n_channels << 3, sizeof *seen, "a search for a deadlock");
    if (!seen) return CW_ENOMEM;
    if (find_waiting(stall, &first))
        append_chain(stall, &text, first, seen);
    else
        cw_text_printf(&text, "no message waits for another");
    const int code = cw_text_check(&text);
    if (!code)
        cw_fail(CW_EROUTE, "deadlock: %llu flits have not moved since cycle %llu: %s", (unsigned long long)stall->flits,
                (unsigned long long)stall->since, text.data);
    free(text.data);
    free(seen);
    return code ? code : CW_EROUTE;
}
