/*
 * Shortest ways between the switches of any network, for packet routings that look for them hop by hop. Not installed.
 *
 * Packets that take one lane after another, hop by hop, cannot wait for one another in a circle, whatever their ways
 * (Gopal, "Prevention of store-and-forward deadlock in computer networks", 1985; Besta and Hoefler use it for Slim
 * Fly): a hop's lane is the number of hops between switches taken before.
 */
#ifndef CW_ROUTE_SHORTEST_WAYS_H
#define CW_ROUTE_SHORTEST_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/packets/packet_routing.h"
#include "route/packets/ways.h"

CW_BEGIN_DECLS

#define CW_SHORTEST_LANES    8    /* most that packets have */
#define CW_SHORTEST_SWITCHES 4096 /* most of a network: distances are a byte for each two */

struct cw_shortest_ways {
    const struct cw_network *net;
    uint32_t n;        /* switches, here counted from 0 */
    uint32_t n_leaves; /* those with endpoints */
    uint32_t *leaf;    /* [n_leaves] owned */
    uint8_t *distance; /* [target · n + switch], owned: hops from the switch to a leaf; UINT8_MAX: no way */
    uint32_t farthest; /* of two leaves */
    uint32_t lanes;    /* of a packet routing made of it (cw_shortest_make) */
    bool any;          /* its packets may take longer ways, too */
    /* [2 · n] owned: from leaf s to all leaves, evenly, at s, and from all leaves to leaf s at n + s. NULL: they are
     * found again for each pair (cw_shortest_add_detours). */
    struct cw_ways *legs;
};

/* True if all endpoints of NET have one cable, to a switch, and these switches are at most MOST hops apart, of at most
 * CW_SHORTEST_SWITCHES. O(leaves · channels). */
bool cw_shortest_ways_accept(const struct cw_network *net, uint32_t most);

/* 0 or CW_ENOMEM, of a network that is accepted. */
int cw_shortest_ways_new(const struct cw_network *net, struct cw_shortest_ways *out);
void cw_shortest_ways_free(struct cw_shortest_ways *ways);

/* True if channel C of switch HERE leads nearer to leaf TARGET. */
static inline bool cw_shortest_leads(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target, uint32_t c)
{
    const uint8_t *distance = ways->distance + (size_t)target * ways->n;
    const uint32_t base = ways->net->n_endpoints, head = ways->net->head[c];
    return head >= base && distance[head - base] + 1 == distance[here] && !cw_network_is_closed(ways->net, c);
}

/* The hop from switch HERE towards leaf TARGET, another one: 64 RANDOM bits choose among the channels that lead nearer,
 * parallel ones each for itself. The packet came by IN with LANE, CW_NONE and 0 at its source. */
struct cw_hop cw_shortest_hop(const struct cw_shortest_ways *ways, uint32_t here, uint32_t target, uint32_t in,
                              uint8_t lane, uint64_t random);

/* Adds to OUT which share of AMOUNT each channel carries from switch FROM to leaf TARGET if packets take such hops, by
 * induction over distances: a switch divides what it has evenly among the channels that lead nearer. Time: the ports
 * of the switches on shortest ways. */
void cw_shortest_add(const struct cw_shortest_ways *ways, uint32_t from, uint32_t target, double amount,
                     struct cw_ways *out);

/* The same of packets from leaf FROM to leaf TARGET that go to a random leaf first, each as likely, and on from there.
 * The two legs do not depend on each other: the first is that from FROM to all leaves, the second that from all leaves
 * to TARGET, which is one induction. Time: the channels that have a share if the legs are kept (cw_shortest_make), else
 * that of cw_shortest_add to every leaf. */
void cw_shortest_add_detours(const struct cw_shortest_ways *ways, uint32_t from, uint32_t target, double amount,
                             struct cw_ways *out);
/* The channel into endpoint DST, and its switch. */
static inline struct cw_hop cw_shortest_last(const struct cw_shortest_ways *ways, uint32_t dst)
{
    return (struct cw_hop){ways->net->twin[ways->net->first[dst]], 0};
}
static inline uint32_t cw_shortest_switch(const struct cw_shortest_ways *ways, uint32_t dst)
{
    return ways->net->head[ways->net->first[dst]] - ways->net->n_endpoints;
}

/* OUT[n_channels]: LANES of channels between switches, 1 of those from and to endpoints. */
void cw_lanes_between_switches(const struct cw_network *net, uint32_t lanes, uint8_t *out);

/* A packet routing called NAME whose state is a struct cw_shortest_ways of NET; packets take at most LEGS shortest ways
 * one after the other, with a lane for each hop between switches (at least 1). 0: they may take any ways, which are found
 * for all messages together (route/packets/least_busy.h). OPS has the two functions below. With two legs, those to and from all leaves are found beforehand, in the time of cw_shortest_add for all pairs of leaves,
 * where they take at most 200 MB. */
int cw_shortest_make(const struct cw_network *net, const char *name, const struct cw_packet_routing_ops *ops,
                     uint32_t legs, struct cw_packet_routing **out);
int cw_shortest_state_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                                   void *context);
void cw_shortest_free_state(void *state);

/* From every channel into a switch to every channel out of it, a lane further, LANES in all. */
int cw_shortest_dependencies(const struct cw_network *net, uint32_t lanes,
                             int (*edge)(void *context, struct cw_hop from, struct cw_hop to), void *context);

CW_END_DECLS

#endif
