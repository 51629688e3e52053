/*
 * Packets on given paths: each says by its random bits which one it takes, and carries that number in `via`. Where on
 * the path it is, the channel tells by which it arrived.
 *
 * Lanes: all paths begin on lane 0. While the dependencies of a lane's paths have a cycle, the paths that have the edge
 * of the cycle that the fewest have go one lane up (Domke, Hoefler, Nagel: Deadlock-free oblivious routing for
 * arbitrary topologies, IPDPS 2011).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/dependency_graph.h"
#include "route/engines/shortest_ways.h"
#include "route/packets/packet_routing.h"

#define MOST_LANES 8

struct given {
    const struct cw_network *net;
    uint32_t n;
    size_t *first; /* [n + 1] */
    uint32_t *channels;
    uint8_t *lane; /* [n] of each path */
    uint32_t lanes;
};

static void given_free(void *state)
{
    struct given *given = state;
    if (!given) return;
    free(given->first);
    free(given->channels);
    free(given->lane);
    free(given);
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

static uint32_t given_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                             struct cw_packet packet)
{
    (void)state, (void)sw, (void)view, (void)packet;
    return (uint32_t)random & CW_VIA_NONE;
}

/* The hop at place I; channels into endpoints have one lane. */
static struct cw_hop hop_at(const struct given *given, uint32_t path, size_t i)
{
    const bool last = i + 1 == given->first[path + 1];
    return (struct cw_hop){given->channels[i], last ? 0 : given->lane[path]};
}

static int given_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                      uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct given *given = state;
    const uint32_t path = packet->via;
    if (path >= given->n) return cw_fail(CW_EROUTE, "a packet on path %u, of %u that there are", path, given->n);
    size_t i = given->first[path];
    while (in != CW_NONE && i < given->first[path + 1] && given->channels[i] != in) i++;
    if (++i >= given->first[path + 1] || given->net->tail[given->channels[i]] != sw)
        return cw_fail(CW_EROUTE, "a packet has left its path, %u", path);
    *out = hop_at(given, path, i);
    return 1;
}

static int given_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                              void *context)
{
    const struct given *given = state;
    int rc = 0;
    for (uint32_t p = 0; p < given->n; p++)
        for (size_t i = given->first[p] + 1; i + 2 < given->first[p + 1] && !rc; i++)
            rc = edge(context, hop_at(given, p, i), hop_at(given, p, i + 1));
    return rc;
}

static const struct cw_packet_routing_ops given_ops = {
    .inject = given_inject, .next = given_next, .dependencies = given_dependencies, .free_state = given_free};

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* True if path P takes channel TO after FROM. */
static bool has_edge(const struct given *given, uint32_t p, uint32_t from, uint32_t to)
{
    for (size_t i = given->first[p]; i + 1 < given->first[p + 1]; i++)
        if (given->channels[i] == from && given->channels[i + 1] == to) return true;
    return false;
}

/* Of the cycle of N channels, moves the paths of LANE with the edge that the fewest have to the next lane. */
static void break_cycle(struct given *given, uint8_t lane, const uint32_t *cycle, uint32_t n)
{
    uint32_t best = 0, fewest = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t paths = 0;
        for (uint32_t p = 0; p < given->n; p++)
            paths += given->lane[p] == lane && has_edge(given, p, cycle[i], cycle[(i + 1) % n]);
        if (paths >= fewest) continue;
        fewest = paths;
        best = i;
    }
    for (uint32_t p = 0; p < given->n; p++)
        if (given->lane[p] == lane && has_edge(given, p, cycle[best], cycle[(best + 1) % n])) given->lane[p]++;
}

/* A cycle of the paths of LANE; *N is 0 if there is none. */
static int find_cycle(const struct given *given, uint8_t lane, uint32_t **cycle, uint32_t *n)
{
    struct cw_dependencies graph;
    uint8_t *lanes = NULL;
    int rc = cw_dependencies_new(given->net, 1, &graph);
    if (rc) return rc;
    for (uint32_t p = 0; p < given->n; p++)
        for (size_t i = given->first[p] + 1; i + 2 < given->first[p + 1] && given->lane[p] == lane; i++)
            cw_dependencies_add(&graph, given->channels[i], 0, given->channels[i + 1], 0);
    rc = cw_dependencies_cycle(&graph, cycle, &lanes, n);
    free(lanes);
    cw_dependencies_free(&graph);
    return rc;
}

static int choose_lanes(struct given *given)
{
    for (uint8_t lane = 0; lane < MOST_LANES; lane++) {
        uint32_t *cycle = NULL, n = 1;
        int rc = 0;
        while (!rc && n > 0) {
            rc = find_cycle(given, lane, &cycle, &n);
            if (!rc && n > 0) break_cycle(given, lane, cycle, n);
            free(cycle);
            cycle = NULL;
        }
        if (rc) return rc;
        given->lanes = lane + 1u;
        bool more = false;
        for (uint32_t p = 0; p < given->n; p++) more = more || given->lane[p] > lane;
        if (!more) return 0;
    }
    return cw_fail(CW_ELIMIT, "the paths of packets need more than %d lanes to be free of deadlock", MOST_LANES);
}

/* --- making one --------------------------------------------------------------------------------------------------- */

/* Path P leads from an endpoint over switches to another one. */
static int check_path(const struct given *given, uint32_t p)
{
    const struct cw_network *net = given->net;
    const size_t first = given->first[p], end = given->first[p + 1];
    bool good = end >= first + 2;
    for (size_t i = first; i < end && good; i++) {
        good = given->channels[i] < net->n_channels &&
               cw_network_is_endpoint(net, net->tail[given->channels[i]]) == (i == first) &&
               cw_network_is_endpoint(net, net->head[given->channels[i]]) == (i + 1 == end) &&
               (i == first || net->tail[given->channels[i]] == net->head[given->channels[i - 1]]);
    }
    return good ? 0 : cw_fail(CW_EUSAGE, "path %u does not lead from an endpoint over switches to an endpoint", p);
}

static int fill(struct given *given, const size_t *first, const uint32_t *channels)
{
    const uint32_t n = given->n;
    given->first = cw_new_array((size_t)n + 1, sizeof *given->first, "paths of packets");
    given->channels = cw_new_array(first[n], sizeof *given->channels, "paths of packets");
    given->lane = cw_new_array(n, sizeof *given->lane, "lanes of paths");
    if (!given->first || !given->channels || !given->lane) return CW_ENOMEM;
    memcpy(given->first, first, ((size_t)n + 1) * sizeof *first);
    memcpy(given->channels, channels, first[n] * sizeof *channels);
    int rc = 0;
    for (uint32_t p = 0; p < n && !rc; p++) rc = check_path(given, p);
    return rc ? rc : choose_lanes(given);
}

int cw_packet_routing_of_paths(const struct cw_network *net, const char *name, uint32_t n, const size_t *first,
                               const uint32_t *channels, struct cw_packet_routing **out)
{
    if (n == 0 || n >= CW_VIA_NONE)
        return cw_fail(CW_ELIMIT, "%u paths of packets, expected 1 to %d", n, CW_VIA_NONE - 1);
    struct given *given = cw_new_array(1, sizeof *given, "a packet routing");
    if (!given) return CW_ENOMEM;
    *given = (struct given){.net = net, .n = n};
    const int rc = fill(given, first, channels);
    uint8_t *lanes = rc ? NULL : cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    if (!lanes) {
        given_free(given);
        return rc ? rc : CW_ENOMEM;
    }
    cw_lanes_between_switches(net, given->lanes, lanes);
    return cw_packet_routing_make(net, name, &given_ops, given, lanes, out);
}
