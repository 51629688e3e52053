/*
 * The channel-dependency graph (Dally and Seitz 1987): its vertices are the pairs (channel, lane), and an edge leads
 * from one to the next if some route takes them one after the other. Not installed.
 *
 * Each vertex has a row of bits, one for every (channel, lane) that leaves the switch it leads to.
 */
#ifndef CW_ROUTE_DEPENDENCY_GRAPH_H
#define CW_ROUTE_DEPENDENCY_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"

CW_BEGIN_DECLS

struct cw_dependencies {
    const struct cw_network *net;
    uint32_t lanes;
    size_t *row;     /* [n_channels · lanes + 1] first word */
    uint64_t *words; /* rows; channels into endpoints have none */
};

int cw_dependencies_new(const struct cw_network *net, uint32_t lanes, struct cw_dependencies *graph);
void cw_dependencies_free(struct cw_dependencies *graph);

/* Adds the edge from (FROM, LANE) to (TO, TO_LANE); TO leaves the switch that FROM leads to. Any number of threads may
 * add. */
static inline void cw_dependencies_add(struct cw_dependencies *graph, uint32_t from, uint32_t lane, uint32_t to,
                                       uint32_t to_lane)
{
    const uint32_t bit = (to - graph->net->first[graph->net->head[from]]) * graph->lanes + to_lane;
    uint64_t *word = &graph->words[graph->row[(size_t)from * graph->lanes + lane] + bit / 64];
    const uint64_t mask = UINT64_C(1) << bit % 64;
    /* Nearly all were added before: looking first keeps the word shared among the caches of all threads. */
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask)) __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

/* Gives TO the edges of FROM, a channel with the same head, on lane 0, except that to WITHOUT. */
void cw_dependencies_copy(struct cw_dependencies *graph, uint32_t from, uint32_t to, uint32_t without);

uint64_t cw_dependencies_count(const struct cw_dependencies *graph);

/* A cycle, a shortest one through the first vertex on a cycle that a depth-first search meets: *LENGTH channels and
 * their lanes, owned by the caller. Without cycles *LENGTH is 0 and both are NULL. O(vertices + edges). */
int cw_dependencies_cycle(const struct cw_dependencies *graph, uint32_t **channels, uint8_t **lanes, uint32_t *length);

/* How many vertices the longest chain of edges has that ends at each, itself included: *CHAIN [n_channels · lanes] is
 * the caller's. Those on cycles, and behind them, get no more than what comes before. O(vertices + edges). */
int cw_dependencies_chains(const struct cw_dependencies *graph, uint32_t **chain);

CW_END_DECLS

#endif
