/*
 * Routing decided packet by packet: what a flit-level simulator asks, and what adaptive and randomised routings answer.
 *
 * Where route/routes.h is data (one path a pair), a packet routing is a function of the packet's state: at its source
 * it may draw an intermediate switch or compare queues, and at every switch it names the hops that the packet may take
 * next, each with its virtual lane. The simulator knows no topology: it takes one of the candidates.
 *
 * Deadlock freedom is by lanes: the channel-dependency graph over (channel, lane) must be acyclic, which
 * cw_packet_routing_check proves before a run (Dally and Seitz 1987; for adaptive routings all candidates count).
 *
 * Which there are: route/engine.h. Any engine can be named: where it has routes only, they become a packet routing with
 * one candidate at each hop.
 */
#ifndef CW_ROUTE_PACKET_ROUTING_H
#define CW_ROUTE_PACKET_ROUTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

#define CW_VIA_NONE 0xffffff /* no intermediate switch (any more) */

/* What a packet carries for its routing. It travels in the flit, hence so small. `via` is an index among the network's
 * switches, or of a group: the routing's own affair, as `phase` is. */
struct cw_packet {
    uint32_t dst : 24;  /* endpoint */
    uint32_t flits : 8; /* of its message, in its head: the simulator's own */
    uint32_t via : 24;
    uint32_t phase : 8; /* 0 when injected */
};

/* A packet from endpoint SRC to DST, to be injected. */
static inline struct cw_packet cw_packet_of(uint32_t src, uint32_t dst)
{
    const struct cw_packet packet = {dst & 0xffffff, 0, src & CW_VIA_NONE, 0};
    return packet;
}

/* A packet at switch SW to which it came by channel IN (CW_NONE at its source), and the hop it takes. */
struct cw_packet_turn {
    struct cw_packet *packet;
    void *user; /* the caller's own */
    uint32_t sw, in;
    struct cw_hop out;
};

/* How full outputs are, for adaptive routings: flits waiting or on their way, of all lanes, behind the channel. Most
 * ask for the outputs of the packet's own switch only; UGAL-G asks for any channel's. */
struct cw_queue_view {
    const void *simulator;
    uint32_t (*occupancy)(const void *simulator, uint32_t channel);
};

/* The choice among N that 64 random bits make, and the least bits that make choice K. */
static inline uint32_t cw_choice(uint64_t random, uint32_t n)
{
    return (uint32_t)((random >> 32) * n >> 32);
}
static inline uint64_t cw_random_for_choice(uint32_t k, uint32_t n)
{
    return ((((uint64_t)k << 32) + n - 1) / n) << 32;
}

struct cw_packet_routing;

/* Vertices (SW) and channels (IN) are the network's; any number of threads may call, for different packets. */
struct cw_packet_routing_ops {
    /* How many equally likely choices `inject` draws among for a packet from switch SW to DST, by cw_choice(random, n);
     * 0: it does not only draw but looks at queues. NULL: 1. For models, which enumerate them. */
    uint32_t (*choices)(const void *state, uint32_t sw, uint32_t dst);
    /* Of routings that send a share of the packets minimally, that is with `via` CW_VIA_NONE, and draw for the others:
     * the share of those from switch SW to DST. BEST is it where that is left to the traffic. NULL: none. */
    double (*minimal)(const void *state, uint32_t sw, uint32_t dst, double best);
    bool (*by_traffic)(const void *state); /* the share is left to the traffic; NULL: it is not */
    /* Of routings whose switches draw, in `next`: adds to WAYS which share of the packets from switch SW to DST each
     * channel between switches carries, for AMOUNT of the pair's packets (cw_ways_add). MINIMAL: of those that go
     * minimally. NULL: `next` draws nothing, and models follow the choices of `inject`. */
    void (*shares)(const void *state, uint32_t sw, uint32_t dst, bool minimal, double amount, struct cw_ways *ways);
    /* For speed, of routings whose choices are many: adds to WAYS how many of them take each channel from switch SW to
     * DST, that of DST included, as following one by one by `next` would. NULL: they are followed. */
    void (*draws)(const void *state, uint32_t sw, uint32_t dst, struct cw_ways *ways);
    /* At the packet's source, of which SW is the switch: its `via`. The caller has made it by cw_packet_of: explicit
     * paths and some engines depend on the source (CW_VIA_NONE, if it does not know: any of SW's); afterwards via and
     * phase are the routing's own. RANDOM is 64 uniformly random bits of this packet's own. VIEW may be NULL unless the
     * routing looks at queues. NULL: nobody looks at `via`. */
    uint32_t (*inject)(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                       struct cw_packet packet);
    /* The hops that may be taken from switch SW, at which the packet arrived by channel IN with LANE (CW_NONE and 0 at
     * its source switch); at most MAX ≥ 1 into OUT, best first; at least one; at the destination's switch the one into
     * the destination. May change the packet's phase and via (the change is kept). May be asked again, with the packet
     * as it has become, as long as the packet has not left. VIEW and RANDOM as above. CW_EROUTE: there is no way. */
    int (*next)(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max);
    /* NULL, or, for speed, `next` for N packets at once: of routings that never look at queues and always
     * name one hop, which depends on nothing but the packet, the switch and whether that is the first. */
    void (*turn)(const void *state, struct cw_packet_turn *turns, size_t n);
    /* Calls EDGE for every dependency between channels that join switches that some packet can cause: it may hold
     * (channel, lane) `from` while it waits for `to`. Each at least once; channels from and to endpoints cannot be on a
     * cycle and are left out. Passes on what EDGE returns if not 0. NULL: derived by walking `next` from every source
     * switch to every destination switch, which is right only for routings that neither draw nor look at queues, give
     * one candidate, and treat all endpoints of a switch alike. */
    int (*dependencies)(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                        void *context);
    void (*free_state)(void *state);
};

#define CW_PACKET_CANDIDATES 32 /* most that `next` gives */

/* PACKET as it leaves its source. */
static inline struct cw_packet cw_packet_inject(const struct cw_packet_routing_ops *ops, const void *state, uint32_t sw,
                                                const struct cw_queue_view *view, uint64_t random,
                                                struct cw_packet packet)
{
    const uint32_t via = ops->inject ? ops->inject(state, sw, view, random, packet) : CW_VIA_NONE;
    const struct cw_packet injected = {packet.dst, packet.flits, via & CW_VIA_NONE, 0};
    return injected;
}

/* 0 if packets can be routed on NET: each endpoint has at most one cable, to a switch. CW_EUSAGE names one that has
 * not; CW_ELIMIT for endpoints beyond 24 bits. */
CW_API int cw_packet_routing_check_network(const struct cw_network *net);

/* Routing of NET by SPEC, "NAME" or "NAME:parameters" of an engine ("dor:lanes=2"); NULL: the default one. Errors as
 * cw_engine_route and cw_packet_routing_check_network have them. Borrows NET. */
CW_API int cw_packet_routing_new(const struct cw_network *net, const char *spec, uint64_t seed, unsigned n_threads,
                                 struct cw_packet_routing **out);

/* The same, but where endpoints have several LIDs by SPEC, each packet draws the one that it is sent to. *OVER: the
 * routes over all of them (cw_routes_over_lids), which *OUT owns; NULL: each endpoint has one. */
CW_API int cw_packet_routing_over_lids(const struct cw_network *net, const char *spec, uint64_t seed,
                                       unsigned n_threads, struct cw_packet_routing **out,
                                       const struct cw_routes **over);

/* A packet routing that follows ROUTES (tables read from files, explicit paths), which it takes over, also on failure,
 * and keeps as they are unless they are a closed form. Of routes over all LIDs (cw_routes_over_lids) each packet draws
 * one at its source, all equally likely; other routes of several ways are CW_EUSAGE, as are those over LIDs only
 * some of which have service levels. CW_ELIMIT for more than 8 lanes. */
CW_API int cw_packet_routing_of_routes(struct cw_routes *routes, struct cw_packet_routing **out);

/* A packet routing on N paths, each from an endpoint over switches to another: those of path p are CHANNELS[FIRST[p]] …
 * CHANNELS[FIRST[p + 1] - 1], which are copied. A packet takes the path that its random bits are the number of, so this
 * is for simulators that say so (CW_FLIT_STREAMS). Paths are put on as few lanes as were found to keep them free of
 * deadlock. CW_ELIMIT if these are more than 8; CW_EUSAGE for what is no path. */
CW_API int cw_packet_routing_of_paths(const struct cw_network *net, const char *name, uint32_t n, const size_t *first,
                                      const uint32_t *channels, struct cw_packet_routing **out);

CW_API void cw_packet_routing_free(struct cw_packet_routing *routing);

/* The network that it routes, borrowed, and what it is called. */
CW_API const struct cw_network *cw_packet_routing_network(const struct cw_packet_routing *routing);
CW_API const char *cw_packet_routing_name(const struct cw_packet_routing *routing);
/* What it was made of, "NAME" or "NAME:parameters": what tells it from others of the same name. Its name, if nobody has
 * said; SPEC is copied. */
CW_API const char *cw_packet_routing_spec(const struct cw_packet_routing *routing);
CW_API int cw_packet_routing_set_spec(struct cw_packet_routing *routing, const char *spec);
/* Lanes that packets use on CHANNEL: 1 … 8. Host channels have 1. */
CW_API uint32_t cw_packet_routing_lanes(const struct cw_packet_routing *routing, uint32_t channel);
CW_API const struct cw_packet_routing_ops *cw_packet_routing_operations(const struct cw_packet_routing *routing);
CW_API const void *cw_packet_routing_state(const struct cw_packet_routing *routing);

/* True if the routing needs to be told which share of the packets goes minimally (cw_ways.minimal), by who knows all of
 * the traffic: no simulator can send its packets. */
CW_API bool cw_packet_routing_by_traffic(const struct cw_packet_routing *routing);

/* 0 if the dependencies over (channel, lane) have no cycle; CW_EROUTE, with one cycle in the message, if they have. */
CW_API int cw_packet_routing_check(const struct cw_packet_routing *routing);

/* For the files that make one: takes STATE over, also on failure. LANES has n_channels entries and is taken over.
 * CW_ELIMIT for endpoints beyond 24 bits. */
CW_API int cw_packet_routing_make(const struct cw_network *net, const char *name,
                                  const struct cw_packet_routing_ops *ops, void *state, uint8_t *lanes,
                                  struct cw_packet_routing **out);

CW_END_DECLS

#endif
