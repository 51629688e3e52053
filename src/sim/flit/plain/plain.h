/*
 * The plain implementation inside: the rules of sim/flit/flit.h one flit after another, one cycle after another, on one
 * thread. Slow, and easy to believe and to extend. Not installed.
 *
 * What studies of switches exchange is a module (sim/flit/flit_module.h), reached only through the functions below:
 *
 *   allocator     given which input queues may send to which outputs, a matching
 *   queues        where an arriving flit waits, and when the routing is asked
 *   buffers       whether the next switch has space for a message
 *   marking       whether a message that enters an output queue is marked
 *   rate control  how fast a flow may send, given the notices of marks
 *
 * By default these are the tuned implementation's, and both do the same in every cycle.
 */
#ifndef CW_SIM_FLIT_PLAIN_PLAIN_H
#define CW_SIM_FLIT_PLAIN_PLAIN_H

#include "base/decls.h"
#include "sim/flit/flit_implementation.h"
#include "sim/flit/flit_module.h"
#include "sim/flit/flit_task.h"

CW_BEGIN_DECLS

/* --- flits and queues (plain_step.c) ------------------------------------------------------------------------------ */

struct cw_plain_flit {
    struct cw_packet packet;
    uint32_t src;             /* endpoint */
    uint32_t length;          /* of its message, in its head; 0 in other flits */
    uint32_t number;          /* flits of the message behind it */
    uint32_t order;           /* of a schedule: index of its message */
    uint32_t travelled;       /* cycles that channels and pipelines took so far */
    uint64_t ready, injected; /* of the message */
    uint64_t arrives;         /* while it is on a channel */
    uint8_t lane;             /* while it is on a channel */
    bool marked;
    struct cw_hop hop; /* of a head in a virtual output queue */
};

/* First in, first out; items[(first + i) % capacity]. */
struct cw_plain_queue {
    struct cw_plain_flit *items;
    uint32_t first, n, capacity;
};

int cw_plain_push(struct cw_plain_queue *queue, const struct cw_plain_flit *flit); /* CW_ENOMEM */
struct cw_plain_flit cw_plain_pop(struct cw_plain_queue *queue);                   /* not empty */

/* The first flit of QUEUE, which is not empty. */
static inline struct cw_plain_flit *cw_plain_head(const struct cw_plain_queue *queue)
{
    return &queue->items[queue->first];
}

/* --- channels, switches, endpoints -------------------------------------------------------------------------------- */

/* An input queue: all flits of a lane, or those that leave by one output. */
struct cw_plain_in_queue {
    struct cw_plain_queue flits;
    bool routed; /* the message at its head knows its hop */
    struct cw_hop hop;
};

/* A channel with the queues at both ends of it. */
struct cw_plain_channel {
    struct cw_plain_queue wire;        /* flits on it */
    struct cw_plain_queue credit_wire; /* credits; only `arrives` and `lane` matter */
    /* At its head, a switch: */
    struct cw_plain_in_queue *in;   /* [lanes · queues a lane], lane by lane; NULL: an endpoint is at its head */
    uint32_t n_in, queues;          /* of all lanes, of one */
    uint32_t filing[CW_FLIT_LANES]; /* by lane: queue that the message that is arriving goes to */
    uint32_t held[CW_FLIT_LANES];   /* by lane: flits in its queues */
    /* At its tail: */
    struct cw_plain_queue out[CW_FLIT_LANES];
    struct cw_hop owner[CW_FLIT_LANES]; /* by lane: input that a message is still coming from; channel CW_NONE: none */
    uint32_t unreturned[CW_FLIT_LANES]; /* flits sent for which no credit came back */
    uint32_t promised[CW_FLIT_LANES];   /* flits still to be sent of a message that is being sent */
    uint32_t out_pointer;               /* round-robin pointer over the lanes of the output */
    uint64_t latency, period;
    uint64_t free_at; /* in units of CW_FLIT_CYCLE */
    uint32_t lanes;
};

/* Round-robin pointers of a switch, and what allocators remember. */
struct cw_plain_pointers {
    uint32_t *in_queue; /* [ports] over the queues of an input port */
    uint32_t *out_any;  /* [ports] over input ports, whatever the lane of the output */
    uint32_t *out_lane; /* [ports · CW_FLIT_LANES] over input ports, by lane */
    uint32_t *accept;   /* [ports] over the outputs of an input port */
    uint32_t diagonal;  /* of a wavefront */
};

struct cw_plain_flow;

/* A message that waits at its source, for its flow may not send yet. */
struct cw_plain_waiting {
    struct cw_flit_message message;
    uint32_t order;
};

#define CW_PLAIN_LOOKAHEAD                                                                                             \
    64 /* messages that wait at a source whose rate is controlled; others cannot pass the first */

struct cw_plain_endpoint {
    struct cw_flit_source source;
    struct cw_flit_progress progress; /* of a schedule */
    uint32_t task, rank;              /* CW_NONE: none */
    struct cw_plain_waiting *waiting; /* [CW_PLAIN_LOOKAHEAD] in the order in which they came */
    uint32_t n_waiting;
    struct cw_plain_flit flit; /* next to send */
    bool sending;
    uint32_t lane;                 /* of the last message */
    uint64_t random;               /* of the message being sent */
    struct cw_plain_flow *flow;    /* of the message being sent; NULL: no rate is controlled */
    uint32_t expected;             /* flits to come of the message being taken in */
    bool marked;                   /* that message is */
    struct cw_plain_flow **flows;  /* [endpoints] by destination; NULL where none was used */
    struct cw_plain_queue notices; /* on their way to it: `packet.dst` is the destination, and `arrives` */
};

/* What a source knows of a destination, and what the destination knows of it. */
struct cw_plain_flow {
    double rate;             /* share of the source's channel, (0, 1] */
    uint64_t free_at;        /* when it may begin its next message, in units of CW_FLIT_CYCLE */
    uint64_t no_notice_till; /* the destination sends none before */
    /* The rate control's own: */
    double target, alpha;
    uint64_t next_increase, next_alpha; /* cycles */
    uint64_t flits;                     /* sent since the byte counter last expired */
    uint32_t timer_steps, flit_steps;
};

/* --- what modules do ---------------------------------------------------------------------------------------------- */

/* An input queue whose head may cross. */
struct cw_plain_request {
    uint32_t in, out; /* ports */
    uint32_t queue;   /* of the input port */
    uint8_t in_lane, out_lane;
    bool transit;      /* it came from a switch */
    uint64_t injected; /* cycle, of the message */
};

/* A switch in a round of allocation. */
struct cw_plain_match {
    uint32_t radix;
    const struct cw_plain_request *requests; /* [n] by input port, then by queue */
    uint32_t n;
    const uint32_t *first;     /* [radix + 1] where those of an input port begin */
    const uint32_t *in_queues; /* [radix] queues of an input port */
    struct cw_plain_pointers *pointers;
    bool transit_first;
    uint32_t *winner;  /* [radix] by output port: the request that it serves; CW_NONE, as it begins */
    uint32_t *scratch; /* [3 · radix] for the module */
};

struct cw_plain_allocator {
    /* Sets `winner`: no input port and no output port more than once. Moves the pointers. */
    void (*match)(const void *values, struct cw_plain_match *match);
    bool can_prefer_transit; /* it knows transit_first */
};

struct cw_flit_plain;

struct cw_plain_queues {
    /* Queues of a lane of an input port of a switch with RADIX ports. */
    uint32_t (*count)(uint32_t radix);
    /* FLIT has arrived by channel IN on its lane. */
    int (*arrive)(struct cw_flit_plain *plain, uint32_t in, const struct cw_plain_flit *flit);
    /* The head of QUEUE of channel IN has gone: what is its next one's hop? */
    int (*advance)(struct cw_flit_plain *plain, uint32_t in, uint32_t queue);
};

struct cw_plain_buffers {
    /* True if the input buffer at the end of CHANNEL, of FLITS for each lane, has room for N more on LANE. */
    bool (*has_room)(const void *values, const struct cw_plain_channel *channel, uint32_t flits, uint32_t lane,
                     uint32_t n);
    /* The most that a lane may hold there. */
    uint32_t (*most)(const void *values, const struct cw_plain_channel *channel, uint32_t flits);
    /* CW_EUSAGE unless messages of LONGEST flits pass, whatever other lanes hold. NULL: always. */
    int (*check)(const void *values, uint32_t flits, uint32_t longest);
};

struct cw_plain_marking {
    /* True if a message is marked that enters an output queue in which QUEUED flits wait; RANDOM is its own. NULL:
     * never. */
    bool (*marks)(const void *values, uint32_t queued, uint64_t random);
    int (*check)(const void *values); /* NULL: all values can be */
};

struct cw_plain_rate_control {
    /* Sets what the values leave to the network; before all others. NULL: nothing is */
    void (*scale)(void *values, const struct cw_flit_hardware *hardware);
    double (*lasts)(const void *values); /* its longest time constant, in cycles; NULL: none */
    void (*begin)(const void *values, struct cw_plain_flow *flow, uint64_t t); /* NULL: no control */
    void (*advance)(const void *values, struct cw_plain_flow *flow,
                    uint64_t t); /* time has passed; before the others */
    void (*sent)(const void *values, struct cw_plain_flow *flow, uint32_t flits);
    void (*notice)(const void *values, struct cw_plain_flow *flow, uint64_t t); /* a mark was seen */
    uint64_t (*pause)(const void *values); /* cycles between two notices to one source */
};

/* --- the simulation ----------------------------------------------------------------------------------------------- */

struct cw_plain_counts {
    uint64_t injected, accepted, messages, latency, network_latency, hops, marked, notices;
    uint64_t injected_sum, accepted_sum; /* sums of hashes of flits */
};

struct cw_plain_task_counts {
    uint64_t injected, accepted;
    uint64_t last; /* cycle in which the last flit was taken in */
};

struct cw_flit_plain {
    struct cw_flit_simulation base;
    const struct cw_network *net;
    const struct cw_packet_routing *routing;
    const struct cw_packet_routing_ops *ops;
    const void *routing_state;
    struct cw_flit_hardware hardware;
    uint64_t seed;
    struct cw_flit_chosen modules[CW_FLIT_MODULE_KINDS];
    const struct cw_plain_allocator *allocator;
    const struct cw_plain_queues *queues;
    const struct cw_plain_buffers *buffers;
    const struct cw_plain_marking *marking;
    const struct cw_plain_rate_control *rate_control;

    struct cw_plain_channel *channels;
    struct cw_plain_endpoint *endpoints;
    struct cw_plain_pointers *pointers; /* [vertices] of switches */
    uint32_t *pointer_store;
    struct cw_flit_task *tasks;
    struct cw_plain_task_counts *task_counts;
    size_t n_tasks;
    bool endless; /* some job is continuous */

    uint64_t *keys, *draws;           /* [vertices] of routing decisions */
    uint64_t *mark_keys, *mark_draws; /* [vertices] of marks */
    uint32_t *snapshot;               /* [channels] occupancies at the end of the last window */
    uint32_t here;                    /* switch that decides, for queue views */
    struct cw_queue_view view;
    uint32_t max_radix;
    struct cw_plain_request *requests; /* room for a switch's */
    uint32_t *places;                  /* room for a round of allocation */

    struct cw_plain_counts counts;
    uint64_t *channel_flits, *accepted_by, *injected_by, *histogram; /* since the last reset */
    uint64_t cycle, window, max_delay, max_period;
    uint64_t idle_cycles, moved; /* as in the tuned implementation */
    size_t bytes;
    bool draining, finished;
    int failure;
};

static inline struct cw_flit_plain *cw_flit_plain_of(const struct cw_flit_simulation *simulation)
{
    return (struct cw_flit_plain *)(uintptr_t)simulation;
}

/* How full channel C is, as routings see it (plain_step.c). */
uint32_t cw_plain_occupancy(const struct cw_flit_plain *plain, uint32_t channel);

/* True if the message that begins with FLIT may go to HOP's output queue now; the rest of a message always may. */
bool cw_plain_may_cross(const struct cw_flit_plain *plain, const struct cw_plain_flit *flit, struct cw_hop hop);

/* Asks the routing about FLIT, a head that came by channel IN on LANE: its hop (plain_step.c). CW_EROUTE, or the
 * routing's own error. */
int cw_plain_route(struct cw_flit_plain *plain, uint32_t in, uint8_t lane, struct cw_plain_flit *flit,
                   struct cw_hop *hop);

/* One cycle (plain_step.c); what endpoints do in it (plain_endpoint.c). */
int cw_plain_step(struct cw_flit_plain *plain);
int cw_plain_inject(struct cw_flit_plain *plain, uint32_t endpoint);
int cw_plain_take_in(struct cw_flit_plain *plain, uint32_t endpoint, const struct cw_plain_flit *flit);

/* FLIT leaves by CHANNEL on LANE (plain_step.c). */
int cw_plain_send(struct cw_flit_plain *plain, uint32_t channel, uint8_t lane, struct cw_plain_flit flit);
bool cw_plain_is_free(const struct cw_flit_plain *plain, const struct cw_plain_channel *channel);

/* Running and checking, the functions of sim/flit/flit.h (plain_run.c). */
int cw_plain_run(struct cw_flit_simulation *base, uint64_t cycles, struct cw_flit_window *window);
int cw_plain_drain_within(struct cw_flit_simulation *base, uint64_t most);

/* --- what allocators share (plain_step.c) ------------------------------------------------------------------------- */

/* Of the requests of input port IN (for output OUT only, unless that is CW_NONE) the first, round-robin over its
 * queues; CW_NONE if there is none. */
uint32_t cw_plain_request_of(const struct cw_plain_match *match, uint32_t in, uint32_t out);

/* Leaves in ASKS, by input port a request for one output or CW_NONE, those in transit alone, if flits in transit are
 * preferred and one of them asks. */
void cw_plain_prefer_transit(const struct cw_plain_match *match, uint32_t *asks);

/* Of ASKS for output port OUT the request that is served round-robin: its lane is the one that the first input port
 * asks for, from the output's pointer on; its input port is the first that asks for this lane, from the lane's pointer
 * on. CW_NONE if ASKS has none. */
uint32_t cw_plain_round_robin(const struct cw_plain_match *match, uint32_t out, const uint32_t *asks);

/* REQUEST is served: moves the pointer over the queues of its input port; and those of its output port. */
void cw_plain_move_in_pointer(const struct cw_plain_match *match, uint32_t request);
void cw_plain_move_out_pointers(const struct cw_plain_match *match, uint32_t request);

CW_END_DECLS

#endif
