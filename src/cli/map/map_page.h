/*
 * The map of a network in a page: the drawing, and what it answers who clicks on it. It becomes invocation->more.map,
 * as JSON (doc/formats/results.md) that web/src/map reads:
 *
 *     {"drawing": …, "unit": "s" or null, "carries": "messages" or "bytes", "network": …, "routes": …, "messages": …}
 *
 * The network is the whole one, in flat arrays as net/network.h has it; what a channel that has failed carries is null.
 * Routes are those of the messages: for each receiver, and each vertex with a choice, the place of the channel among
 * those that leave it. "messages" are pairs, or "all" of some endpoints. Where there are too many messages, or packets
 * of one take several ways, "left_out" says so in place of both.
 */
#ifndef CW_CLI_MAP_PAGE_H
#define CW_CLI_MAP_PAGE_H

#include "cli/fabric.h"
#include "cli/map/map_drawing.h"
#include "sim/congestion.h"

/* What the loads of a map are made of. Borrowed. */
struct map_source {
    const struct fabric *fabric;
    const struct cw_congestion_setup *setup; /* NULL: one message from each endpoint that takes part to each other */
};

/* Makes invocation->more.map of DRAWING, which is of CONTENT, if a page is to have one; a note says what is left out.
 * Time: a route for each pair that sends, up to 4 million. */
int map_page_make(struct invocation *invocation, const struct map_content *content, const struct map_drawing *drawing,
                  const struct map_source *source);

/* The same of the network of FABRIC, whose channels carry what RESULT says, found as SETUP says. */
int map_page_of_congestion(struct invocation *invocation, const struct fabric *fabric,
                           const struct cw_congestion_setup *setup, const struct cw_congestion_result *result);

#endif
