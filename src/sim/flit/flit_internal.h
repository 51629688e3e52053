/*
 * The flit-level simulator inside: its state and the functions that its files share. Not installed. The rules of the
 * model are in flit.h.
 *
 * A switch with its endpoints, or a few small ones, are a unit: one thread at a time simulates it, a window of cycles
 * in a row, while its state is in the first-level cache. Several at once are faster than one after the other, because
 * each step of a cycle is a loop over what is to be done in it, whose end is a surprise to the processor. Units hand
 * each other flits and credits on lines, one for each channel: a byte for each cycle of arrival (modulo their number):
 * lane + 1 of a flit, or of the credits of two rounds in its halves; 0 if there is none. A byte has one writer, which
 * writes it at least a window before it is read, so that a barrier between windows is all the synchronisation there is.
 * At the beginning of a window a unit turns its lines into one mask a cycle. Those of its own endpoints come behind
 * those of the switches' ports.
 *
 * The output queue of a lane, the flits on its channel, and the input queue at the other end are one queue, in which a
 * flit stays in its slot while it goes from one into the next: a hop copies it once, through the crossbar. Slots are
 * in chunks of the sender's unit, linked in the order in which they were begun. The sender writes a flit at least a
 * window before the receiver looks at it; and when it begins another chunk, it knows by the credits which of those
 * before have been read and can be used again, which keeps the memory that is in use small and in the caches.
 *
 * Nothing that is blocked costs anything: input ports decide again what to ask for only when what they have decided may
 * have changed (`dirty`).
 */
#ifndef CW_SIM_FLIT_FLIT_INTERNAL_H
#define CW_SIM_FLIT_FLIT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decls.h"
#include "sim/flit/flit.h"
#include "sim/flit/flit_source.h"

CW_BEGIN_DECLS

#define CW_FLIT_MESSAGE_MAX 255        /* flits */
#define CW_FLIT_BUFFER_MAX  (1u << 20) /* flits of a queue */
#define CW_FLIT_LATENCY_MAX 8192       /* cycles of a channel and a pipeline together */
#define CW_FLIT_WINDOW_MAX  16         /* cycles that a unit is simulated in a row */
#define CW_FLIT_PLACES      48         /* of a unit of several switches: its state fits into 48 KiB of cache */
#define CW_FLIT_LANE_BITS   3          /* room for 8 lanes on every channel; those that are not used cost little */
#define CW_FLIT_LANES       (1u << CW_FLIT_LANE_BITS)
#define CW_FLIT_CHUNK       16 /* flits */
#define CW_FLIT_NONE        UINT32_MAX
#define CW_FLIT_TURNS       13           /* flits that an output port takes in turn before one out of turn */
#define CW_FLIT_OWNED       (1 << 24)    /* what an output queue that belongs to a message lacks in room for heads */
#define CW_FLIT_BODY        (-(1 << 25)) /* the room that the rest of a message needs: any */
#define CW_FLIT_STUCK       (1 << 25)    /* the room that a head needs whose routing failed */

struct cw_flit {
    struct cw_packet packet; /* its `flits` is 0 behind the head of the message */
    uint32_t injected;       /* cycle, modulo 2^32 */
    uint32_t info;           /* cycles from generation to injection; of a schedule: index of its message */
};

/* Where a queue is written. */
struct cw_flit_tail {
    uint32_t at;     /* slot of the next flit */
    uint32_t oldest; /* chunk that is kept, the first of */
    uint32_t kept;   /* so many */
};

/* The line of a channel's flits, or of its credits: byte r of it is of row r. */
struct cw_flit_line {
    uint32_t at; /* in `lines` */
    uint32_t delay;
    uint32_t place; /* of the receiver's lines */
};

struct cw_flit_in_queue {
    uint32_t head;     /* slot of the flit that goes next */
    uint32_t n;        /* flits */
    uint32_t out : 24; /* output queue that the message at the head goes to */
    uint32_t left : 8; /* flits of that message that come after those that have gone there */
    int32_t need;      /* room in it that lets the head go */
};

struct cw_flit_out_queue {
    struct cw_flit_tail tail;
    int32_t room;     /* less CW_FLIT_OWNED while a message is only partly in it */
    uint64_t waiting; /* input ports, modulo 64, that look again when it has more room */
    uint64_t asks;    /* input ports that ask for it, unless they need several words */
};

/* What goes next out of an output queue. */
struct cw_flit_departure {
    uint32_t slot;
    uint32_t need; /* credits that let it go */
};

struct cw_flit_in_port {
    struct cw_flit_line credits;
    uint32_t channel; /* by which flits come; CW_NONE: from an endpoint */
    uint32_t sw;      /* whose port it is */
    uint32_t asking;  /* output queue, CW_FLIT_NONE: none; */
    uint8_t choice;   /* for the flit of this lane */
    uint8_t lanes;    /* mask of those with flits */
    uint8_t next_lane;
};

struct cw_flit_out_port {
    struct cw_flit_line flits;
    /* By lane + 1: room in the input queue at the other end. What is not a credit counts as one of lane -1, so that
     * nobody need ask which are. */
    uint32_t credits[CW_FLIT_LANES + 1];
    uint8_t lanes;      /* mask of those with flits */
    uint8_t creditable; /* … with the credits that their head needs */
    uint8_t next_lane;  /* whose turn it is to send a flit */
    uint8_t credited;   /* 1; 0 if it leads into an endpoint */
    uint8_t turns;      /* flits taken in turn since one was not */
    uint32_t next_in;   /* input port whose turn it is to be served */
};

/* A channel slower than a flit a cycle, in units of CW_FLIT_CYCLE. */
struct cw_flit_pace {
    uint64_t free_at, period;
};

struct cw_flit_unit;

struct cw_flit_host {
    struct cw_flit_source source;
    struct cw_flit flit; /* next of the message being sent; its length is 0 once the head has gone */
    uint32_t left;       /* flits of that message still to send; 0: there is none */
    uint32_t lane;       /* on which they go */
    uint64_t random;     /* of that message */
    uint64_t ready;      /* since when it is there */
    uint64_t wake;       /* cycle in which to look for a message; UINT64_MAX: not by itself */
    struct cw_flit_line flits;
    struct cw_flit_pace pace;
    uint32_t endpoint, channel;
    uint32_t head;           /* slot of the flit that it takes in next */
    uint32_t port;           /* of the switch */
    uint32_t job;            /* CW_NONE: of none */
    uint32_t expected;       /* flits to come of the message being taken in */
    struct cw_flit incoming; /* its head */
    uint32_t rank;
    bool exhausted;                      /* counted as having nothing to send any more */
    uint32_t credits[CW_FLIT_LANES + 1]; /* by lane + 1, as of an output port */
    struct cw_flit_tail tails[CW_FLIT_LANES];
    /* Of a rank of a schedule: */
    uint32_t order_left;            /* flits of the message being sent that are not in packets yet */
    size_t order;                   /* that message */
    size_t free, bound, orders_end; /* messages to send next: free ones, bound ones */
    size_t stamped;                 /* bound messages before it are ready */
    size_t receive, receives_end;   /* first round not received completely */
    uint64_t changed;               /* cycle in which messages became ready last */
};

struct cw_flit_unit {
    uint32_t vertex;               /* the first of them */
    uint32_t first, radix;         /* channel and ports of all; */
    uint32_t n_hosts;              /* their endpoints */
    uint32_t places, host_place;   /* of its own lines: those of the ports, and from host_place on those of hosts */
    uint32_t words;                /* of a mask of places or ports */
    uint32_t line;                 /* first byte of its lines */
    uint32_t chunks;               /* the first */
    uint32_t free, used, n_chunks; /* list of free ones, how many were ever used, how many there are */
    bool busy;                     /* moved many flits in the window before */
    bool stirred;                  /* in the window before */
    uint64_t next_wake;            /* least of its hosts */
    struct cw_flit_in_queue *in_queues; /* port << CW_FLIT_LANE_BITS | lane */
    struct cw_flit_out_queue *out_queues;
    struct cw_flit_departure *departing; /* by output queue; NULL: all messages are of one flit */
    uint64_t *asks;                      /* by output queue: input ports that ask for it, if they need several words; */
    uint64_t *requests;                  /* by output port: those of them that it can serve */
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    struct cw_flit_pace *paces; /* of the output ports; NULL: all move a flit a cycle */
    struct cw_flit_host *hosts;
    uint64_t *dirty;    /* input ports that must decide what to ask for */
    uint64_t *asked;    /* output ports that can serve an input port */
    uint64_t *sendable; /* output ports with a lane that may send */
    uint64_t *willing;  /* hosts that may have a flit to send */
    uint64_t *several;  /* input ports with flits in several lanes; kept where all messages are of one flit */
    uint64_t *transit;  /* input ports that come from switches */
    uint64_t *channel_flits;
};

struct cw_flit_order {
    uint32_t dst; /* rank */
    uint32_t round;
    uint32_t flits;
    bool free;
    size_t receive; /* what it counts for at the receiver */
    uint64_t ready;
};

struct cw_flit_receive {
    uint32_t round;
    uint64_t left; /* flits */
};

/* A job with what is known of it. */
struct cw_flit_task {
    struct cw_flit_job job;
    uint32_t *endpoints;              /* [n_ranks] */
    struct cw_flit_gaps *gaps;        /* of its sources, a list with one for each speed of channels; owned */
    struct cw_flit_order *orders;     /* of a schedule: by sender, in the order of rounds */
    size_t *first_order;              /* [n_ranks + 1] */
    struct cw_flit_receive *receives; /* by receiver, in the order of rounds */
    size_t *first_receive;            /* [n_ranks + 1] room for them; */
    size_t *end_receive;              /* [n_ranks] where they end */
    uint64_t flits;                   /* of a schedule: all */
    uint64_t done;                    /* cycle or UINT64_MAX */
};

/* What a worker has counted since the beginning of time; sums, so that it does not matter who counted what. */
struct cw_flit_counts {
    uint64_t injected, accepted, messages, latency, network_latency, hops;
    uint64_t injected_sum, accepted_sum; /* of hashes of flits: the same flits, if both are equal */
};

struct cw_flit_task_counts {
    uint64_t injected, accepted;
    uint64_t exhausted; /* ranks that have nothing to send any more */
    uint64_t last;      /* cycle in which the last flit was taken in */
};

struct cw_flit_simulation;

struct cw_flit_worker {
    _Alignas(64) struct cw_flit_simulation *simulation;
    struct cw_flit_counts counts;
    struct cw_flit_task_counts *tasks; /* [n_tasks] */
    uint64_t *histogram;               /* [CW_FLIT_LATENCY_BINS] */
    uint64_t *arrivals, *returned;     /* by cycle of the window: places with something on their lines */
    struct cw_packet_turn *turns;      /* heads to be routed, of the queues `user`; one more than a switch has ports */
    uint32_t n_turns;
    uint64_t from, to;                       /* the window */
    struct cw_flit_unit *unit;               /* being simulated, */
    uint32_t here;                           /* switch of it that decides, for queue views */
    const struct cw_flit_unit *next, *after; /* to be simulated then; NULL: not by this worker */
    struct cw_queue_view view;
    /* Failure with the least unit in the first window that has one. */
    int failure;
    uint32_t failed_unit;
    char *failure_text;
    unsigned number;
};

struct cw_flit_simulation {
    const struct cw_network *net;
    const struct cw_packet_routing *routing;
    const struct cw_packet_routing_ops *ops;
    const void *routing_state;
    struct cw_flit_hardware hardware;
    uint64_t seed;

    uint32_t n_units, rows, window;
    uint32_t max_radix, max_words, max_delay;
    uint64_t max_period;
    struct cw_flit_unit *units;
    struct cw_flit_unit **unit_of;       /* [vertices]; NULL: an endpoint that is not connected */
    struct cw_flit_host **host_of;       /* [endpoints] */
    uint8_t *lanes;                      /* [channels] */
    uint8_t *lines;                      /* of each place one of flits and `pairs` of credits, `rows` bytes each */
    struct cw_flit *flits;               /* the slots of all units */
    uint32_t *links;                     /* by chunk of slots: the next one */
    uint32_t pairs;                      /* of rounds of allocation in a cycle */
    uint32_t longest;                    /* message, in flits */
    uint64_t *keys, *draws;              /* [switches] of routing decisions */
    uint64_t *channel_flits;             /* [channels] */
    uint64_t *accepted_by, *injected_by; /* [endpoints] */
    uint64_t *histogram;
    uint32_t *snapshot[2]; /* [channels] occupancies at the end of the last window but the parity; NULL: nobody looks */
    void *arenas[40];
    size_t n_arenas;
    size_t bytes; /* allocated, without pools */

    struct cw_flit_task *tasks;
    size_t n_tasks;
    bool endless; /* some job is continuous */

    struct cw_flit_worker *workers;
    unsigned n_workers;

    uint64_t cycle, windows;
    uint64_t quiet; /* cycles since something moved */
    uint64_t moved; /* counted when something last did */
    bool draining, finished;
    int failure; /* of a run before: the state is not to be trusted */
};

/* --- making (flit_layout.c, flit_setup.c, flit_schedule.c) -------------------------------------------------------- */

/* As cw_flit_new, without the proof that the routing cannot deadlock: for tests of what happens then. */
int cw_flit_new_unchecked(const struct cw_flit_setup *setup, struct cw_flit_simulation **out);

/* Zeroed memory that is freed with the simulation. */
void *cw_flit_allocate(struct cw_flit_simulation *simulation, size_t n, size_t size, const char *what);

/* Units, queues, lines and hosts of the network. The jobs are known. */
int cw_flit_lay_out(struct cw_flit_simulation *simulation);

/* The messages of a schedule. */
int cw_flit_plan(struct cw_flit_task *task, uint32_t flit_bytes);

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Simulates UNIT in the cycles FROM … TO - 1, at most a window (flit_switch.c). */
void cw_flit_advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t from, uint64_t to);

/* Fetches PART of PARTS of what will be needed of the units after this one into the caches (flit_fetch.c). */
void cw_flit_fetch(const struct cw_flit_worker *worker, uint32_t part, uint32_t parts);

/* Lets the hosts of UNIT send in cycle T, and HOST take in the next flit that was sent to it (flit_endpoint.c). */
void cw_flit_inject(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t t);
void cw_flit_take_in(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t host, uint64_t t);

/* Schedules (flit_schedule.c): sets HOST to the beginning of its rank's part; the next packet of HOST's rank, false if
 * none is ready in cycle T; and that a flit of message INDEX has been taken in, so that what waits for it is ready in
 * cycle T. */
void cw_flit_schedule_begin(struct cw_flit_task *task, struct cw_flit_host *host);
bool cw_flit_schedule_take(struct cw_flit_task *task, struct cw_flit_host *host, uint64_t t,
                           struct cw_flit_message *message, uint32_t *index);
void cw_flit_schedule_receive(struct cw_flit_task *task, struct cw_flit_host *host, uint32_t index, uint64_t t);

/* Simulates up to CYCLES more cycles on all threads (flit_threads.c). */
int cw_flit_run_windows(struct cw_flit_simulation *simulation, uint64_t cycles);

/* Sums over workers. */
struct cw_flit_counts cw_flit_sum(const struct cw_flit_simulation *simulation);

/* CW_EROUTE with who waits for whom (flit_stall.c). */
int cw_flit_stall(const struct cw_flit_simulation *simulation);

/* Remembers this thread's error message as UNIT's failure. */
void cw_flit_worker_fail(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, int code);

uint32_t cw_flit_latency_bin(uint64_t latency);

/* --- slots -------------------------------------------------------------------------------------------------------- */

static inline uint32_t cw_flit_next_slot(const struct cw_flit_simulation *simulation, uint32_t slot)
{
    const uint32_t next = slot + 1;
    return next % CW_FLIT_CHUNK == 0 ? simulation->links[slot / CW_FLIT_CHUNK] * CW_FLIT_CHUNK : next;
}

static inline uint32_t cw_flit_take_chunk(const struct cw_flit_simulation *simulation, struct cw_flit_unit *unit)
{
    const uint32_t chunk = unit->free;
    if (chunk == CW_FLIT_NONE) return unit->chunks + unit->used++;
    unit->free = simulation->links[chunk];
    return chunk;
}

/* Another chunk for TAIL, whose last one is full: its readers must find it. Those before of which the reader still
 * wants none, because LEFT flits at most are under way to it or wait there, are free. */
static inline void cw_flit_begin_chunk(const struct cw_flit_simulation *simulation, struct cw_flit_unit *unit,
                                       struct cw_flit_tail *tail, uint32_t left)
{
    const uint32_t full = tail->at / CW_FLIT_CHUNK - 1;
    for (; tail->kept > (left + CW_FLIT_CHUNK - 1) / CW_FLIT_CHUNK && tail->oldest != full; tail->kept--) {
        const uint32_t chunk = tail->oldest;
        tail->oldest = simulation->links[chunk];
        simulation->links[chunk] = unit->free;
        unit->free = chunk;
    }
    const uint32_t chunk = cw_flit_take_chunk(simulation, unit);
    simulation->links[full] = chunk;
    tail->at = chunk * CW_FLIT_CHUNK;
    tail->kept++;
    __builtin_prefetch(&simulation->links[tail->oldest]); /* for the next time */
}

/* Flits in the output queue QUEUE. */
static inline uint32_t cw_flit_queued(const struct cw_flit_simulation *simulation,
                                      const struct cw_flit_out_queue *queue)
{
    return simulation->hardware.output_flits - ((uint32_t)queue->room & (CW_FLIT_OWNED - 1));
}

/* Flits in queue Q of UNIT, under way from it, or at the other end, as far as is known. */
static inline uint32_t cw_flit_left(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit,
                                    uint32_t q)
{
    const uint32_t port = q >> CW_FLIT_LANE_BITS, lane = q & ((1u << CW_FLIT_LANE_BITS) - 1);
    const uint32_t queued = cw_flit_queued(simulation, &unit->out_queues[q]);
    if (!unit->out_ports[port].credited) return queued;
    return queued + simulation->hardware.input_flits - unit->out_ports[port].credits[lane + 1];
}

/* How full output PORT of UNIT is, as routings see it: flits of all lanes. */
static inline uint32_t cw_flit_occupancy(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit,
                                         uint32_t port)
{
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++)
        sum += cw_flit_left(simulation, unit, port << CW_FLIT_LANE_BITS | lane);
    return sum;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static inline bool cw_flit_may_go(const struct cw_flit_pace *pace, uint64_t t)
{
    return pace->free_at < (t + 1) * CW_FLIT_CYCLE;
}

static inline void cw_flit_go(struct cw_flit_pace *pace, uint64_t t)
{
    const uint64_t now = t * CW_FLIT_CYCLE;
    pace->free_at = (pace->free_at > now ? pace->free_at : now) + pace->period;
}

CW_END_DECLS

#endif
