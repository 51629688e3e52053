/*
 * The flit-level simulator inside: its state and the functions that its files share. Not installed. The rules of the
 * model are in flit.h.
 *
 * A switch with its endpoints, or a few small ones, are a unit: one thread at a time simulates it, a window of cycles
 * in a row, while its state is in the first-level cache. Its ports, and behind them its endpoints, are places; what is
 * known of them lies in blocks of 64, so that most of what there is to do in a cycle is done for all of them at once
 * (flit_places.h), and nothing has to be remembered about who waits for what.
 *
 * Units hand each other flits and credits on delay lines, one for each channel: a byte for each cycle of arrival
 * (modulo their number), with the bit of its lane if there is a flit, or a credit of one round of allocation (of two
 * rounds, in its halves, if no channel has more than 4 lanes). A byte has one writer, which writes it at least a window
 * before it is read, so that a barrier between windows is all the synchronisation there is. At the beginning of a
 * window a unit turns its delay lines into one row of bytes a cycle, and at the end those rows that it has filled into
 * bytes of others' delay lines.
 *
 * The output queue of a lane, the flits on its channel, and the input queue at the other end are one queue, in which a
 * flit stays in its slot while it goes from one into the next: a hop copies it once, through the crossbar. Slots are
 * in chunks of the sender's unit, linked in the order in which they were begun. The sender writes a flit at least a
 * window before the receiver looks at it; and when it begins another chunk, it knows by the credits which of those
 * before have been read and can be used again, which keeps the memory that is in use small and in the caches.
 */
#ifndef CW_SIM_FLIT_FLIT_INTERNAL_H
#define CW_SIM_FLIT_FLIT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decls.h"
#include "sim/flit/flit.h"
#include "sim/flit/flit_implementation.h"
#include "sim/flit/flit_task.h"

CW_BEGIN_DECLS

#define CW_FLIT_WINDOW_MAX  16 /* cycles that a unit is simulated in a row */
#define CW_FLIT_BLOCK       64 /* places; several switches are one unit if they have no more */
#define CW_FLIT_CHUNK       32 /* slots; in the last one is which chunk follows */
#define CW_FLIT_CHUNK_FLITS 31
#define CW_FLIT_BATCH       8 /* chunks that a unit takes at once from the pool of all units, a page of memory */
#define CW_FLIT_NONE        UINT32_MAX
#define CW_FLIT_BODY        0 /* the room that the rest of a message needs: any */

struct cw_flit {
    struct cw_packet packet; /* its `flits` is 0 behind the head of the message */
    uint32_t injected;       /* cycle, modulo 2^32 */
    uint32_t info;           /* cycles from generation to injection; of a schedule: index of its message */
};

/* The chunks of a queue, the one that is being written included. */
struct cw_flit_kept {
    uint32_t oldest; /* the first of them */
    uint32_t n;      /* how many there are */
};

/* The delay line of a channel's flits, or of the first round's credits; those of the other rounds follow it. */
struct cw_flit_delay_line {
    uint32_t at;    /* in `delay_lines` */
    uint32_t delay; /* cycles until it is read */
};

struct cw_flit_in_queue {
    uint32_t head; /* slot of the flit that goes next */
    uint32_t out;  /* output queue that the message at the head goes to; CW_FLIT_NONE: the routing failed */
};

/* Of an input queue where messages have several flits. */
struct cw_flit_claim {
    uint32_t need; /* room in the output queue that lets the head go */
    uint32_t left; /* flits of the message at the head that come after those that have gone */
};

struct cw_flit_in_port {
    struct cw_flit_delay_line credits;
    uint32_t sw;      /* whose port it is */
    uint32_t channel; /* by which flits come; CW_NONE: from an endpoint */
};

struct cw_flit_out_port {
    struct cw_flit_delay_line flits;
    uint32_t port_pointer; /* round-robin pointer over input ports, whatever the lane */
    uint8_t lanes;
};

/* A channel slower than a flit a cycle, in units of CW_FLIT_CYCLE. */
struct cw_flit_pace {
    uint64_t free_at, period;
};

struct cw_flit_unit;

/* What is used for every message comes first. */
struct cw_flit_host {
    _Alignas(64) struct cw_flit_source source;
    uint64_t wake;   /* cycle in which to look for a message, not of this window; UINT64_MAX: not by itself */
    uint64_t random; /* of the message being sent */
    uint64_t ready;  /* since when it is there */
    struct cw_flit_pace pace;
    struct cw_flit_delay_line flits;
    uint32_t dst;    /* endpoint that it goes to */
    uint32_t length; /* its flits, if its head is still to be sent, else 0 */
    uint32_t left;   /* flits of it still to send; 0: there is none */
    uint32_t lane;   /* on which they go */
    uint32_t index;  /* of a schedule: the message's */
    uint32_t endpoint, channel;
    uint32_t port; /* of the switch */
    uint32_t job;  /* CW_NONE: of none */
    uint32_t rank;
    uint32_t expected;                /* flits to come of the message being taken in */
    bool exhausted;                   /* counted as having nothing to send any more */
    struct cw_flit incoming;          /* head of the message being taken in, if it has several flits */
    struct cw_flit body;              /* what follows the head of the message being sent */
    struct cw_flit_progress progress; /* of a rank of a schedule */
};

/* Arrays [place] have an entry for each place, up to a multiple of 64; arrays [queue] for each lane of these, lane by
 * lane: queue = lane · stride + place. */
struct cw_flit_unit {
    uint32_t vertex;           /* its first switch */
    uint32_t first, radix;     /* first channel and number of ports, of all its switches */
    uint32_t n_hosts;          /* endpoints at its switches; their places follow those of the ports */
    uint32_t places;           /* of ports and hosts together */
    uint32_t words, stride;    /* 64-bit words in a mask of places, and the places that so many words have */
    uint32_t lanes;            /* most that any channel has */
    uint32_t delay_lines;      /* first byte of its delay lines */
    uint32_t free;             /* list of chunks that were used before */
    uint32_t fresh, fresh_end; /* chunks of its own that were never used */
    uint32_t used;             /* how many ever were */
    bool busy;                 /* moved many flits in the window before */
    bool was_active;           /* something happened in the window before */
    bool active;               /* something may happen in the next cycle, even if nothing arrives */
    uint64_t next_wake;        /* least `wake` of its hosts */
    char *state;               /* where the arrays up to `port_pointers` lie, those that every window uses */
    size_t state_bytes;        /* length of these arrays */
    /* Flits in input queues and in output queues, and room in the input queues at the other end: [queue], bytes if all
     * queues of the simulation are short, else 16 bits */
    void *arrived, *queued, *credits;
    /* Port and bit of the lane of the output queue that the head of an input queue goes to, if all messages are single
     * flits and there is one word; [queue] */
    uint8_t *want_port, *want_lane;
    /* By place, a bit for each lane: */
    uint8_t *in_lanes;          /* the input port has flits on it */
    uint8_t *in_lane_pointers;  /* it is at or behind the round-robin pointer of the input port over its lanes */
    uint8_t *out_lane_pointers; /* likewise, of the output port */
    uint8_t *is_port;           /* all bits for an input port */
    uint8_t *spends;            /* all bits for an output port that spends credits */
    struct cw_flit_in_queue *in_queues; /* [queue]; at the place of a host: what it takes in next */
    uint32_t *ends;                     /* [queue] slot of the next flit of an output queue, or of a host's */
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    uint32_t *port_pointers; /* [queue] round-robin pointer of an output queue over input ports */
    /* The next four are NULL if all messages are single flits; [queue] */
    struct cw_flit_claim *claims;
    uint32_t *next_out;         /* slot of the flit that goes next out of an output queue */
    uint8_t *needs;             /* credits that let that flit go */
    uint8_t *owned;             /* a message is only partly in the output queue */
    struct cw_flit_kept *kept;  /* [queue] */
    struct cw_flit_pace *paces; /* of the output ports; NULL: all move a flit a cycle */
    struct cw_flit_host *hosts;
    /* Masks of places: */
    uint64_t *hosts_of;      /* hosts */
    uint64_t *active_hosts;  /* hosts that may have a flit to send */
    uint64_t *blocked_hosts; /* hosts that had no credit for their flit */
    uint64_t *transit;       /* input ports that come from switches */
    uint64_t *channel_flits;
};

/* What a worker has counted since the beginning of time; sums, so that it does not matter who counted what. */
struct cw_flit_counts {
    uint64_t injected, accepted, messages, latency, network_latency, hops;
    uint64_t injected_sum, accepted_sum; /* sums of hashes of flits: the same flits, if both are equal */
};

struct cw_flit_task_counts {
    uint64_t injected, accepted;
    uint64_t exhausted; /* ranks that have nothing to send any more */
    uint64_t last;      /* cycle in which the last flit was taken in */
};

struct cw_flit_tuned;

#define CW_FLIT_FETCHES 4 /* parts in a cycle */

/* Memory to be fetched, by so many bytes at a time. */
struct cw_flit_range {
    const char *at, *end;
    uint32_t step;
};

struct cw_flit_fetch {
    uint32_t parts;                 /* still to come */
    struct cw_flit_range ranges[3]; /* delay lines, state, hosts of the unit after the next one */
    uint32_t place, places, step;   /* of the next unit: place whose flits come next, number of places, places a part */
    uint32_t port, ports;           /* of this unit: port whose delay lines come next, ports a part */
    uint32_t late;                  /* so many of the last parts fetch delay lines */
};

struct cw_flit_worker {
    struct cw_flit_tuned *simulation;
    struct cw_flit_counts counts;
    struct cw_flit_task_counts *tasks; /* [n_tasks] */
    uint64_t *histogram;               /* [CW_FLIT_LATENCY_BINS] */
    uint8_t *rows; /* what arrives in the window: for each kind of delay line, by cycle, bytes by place; 0 once taken */
    uint8_t *sent; /* what ports send in the window, likewise; 0 once it is on the delay lines */
    uint8_t *choices;             /* by input port: bit of the lane that asks */
    uint64_t *asked;              /* mask of the output ports that are asked */
    uint8_t *asked_lanes;         /* by output port: its lanes that are asked for */
    uint64_t *requests;           /* [output port][CW_FLIT_LANES][word] mask of the input ports that ask */
    uint64_t *waking;             /* by cycle of the window: places of hosts that look for a message then */
    struct cw_packet_turn *turns; /* heads to be routed, of the queues `user`; one more than a switch has ports */
    uint32_t n_turns;
    uint64_t from, to;                       /* the window */
    struct cw_flit_unit *unit;               /* being simulated */
    uint32_t here;                           /* switch of the unit that decides, for queue views */
    const struct cw_flit_unit *next, *after; /* the two to be simulated next; NULL: not by this worker */
    struct cw_flit_fetch fetch;
    struct cw_queue_view view;
    /* The failure of the least unit, in the first window that has one: */
    int failure;
    uint32_t failed_unit;
    char *failure_text;
    unsigned number;
};

/* What simulates a unit in the worker's window; false if nothing happened (flit_switch.h). */
typedef bool cw_flit_code(struct cw_flit_worker *worker, struct cw_flit_unit *unit);

struct cw_flit_tuned {
    struct cw_flit_simulation base;
    cw_flit_code *code; /* for this processor */
    const struct cw_network *net;
    const struct cw_packet_routing *routing;
    const struct cw_packet_routing_ops *ops;
    const void *routing_state;
    struct cw_flit_hardware hardware;
    uint64_t seed;

    uint32_t n_units, window;
    uint32_t max_radix, max_words, max_delay;
    uint32_t min_latency; /* of all channels; below the window only of those to and from endpoints */
    uint64_t max_period;
    struct cw_flit_unit *units;
    struct cw_flit_unit **unit_of;       /* [vertices]; NULL: an endpoint that is not connected */
    struct cw_flit_host **host_of;       /* [endpoints] */
    uint8_t *lanes;                      /* [channels] */
    uint8_t *delay_lines;                /* place by place, of all kinds */
    uint32_t rows;                       /* bytes of a delay line, a power of two */
    uint32_t kinds;                      /* delay lines that a place has: one of flits, the others of credits */
    bool is_narrow;                      /* one of credits is for two rounds, for no channel has more than 4 lanes */
    bool by_age;                         /* the allocator is `age` */
    bool is_short;                       /* queues hold at most 255 flits */
    struct cw_flit *flits;               /* the slots of all units */
    atomic_uint batches;                 /* of chunks that units have taken; no result depends on who has which */
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

    struct cw_flit_worker **workers; /* each on pages of its own */
    unsigned n_workers;

    uint64_t cycle, windows;
    uint64_t idle_cycles; /* cycles since something moved */
    uint64_t moved;       /* hops, injections and arrivals counted by then */
    bool draining, finished;
    int failure; /* of a run before: the state is not to be trusted */
};

/* A simulation that is a tuned one. */
static inline struct cw_flit_tuned *cw_flit_tuned_of(const struct cw_flit_simulation *simulation)
{
    return (struct cw_flit_tuned *)(uintptr_t)simulation;
}

/* The functions of sim/flit/flit.h, for tuned simulations (flit_statistics.c). */
int cw_flit_tuned_run(struct cw_flit_simulation *base, uint64_t cycles, struct cw_flit_window *window);
void cw_flit_tuned_reset_counters(struct cw_flit_simulation *base);
const uint64_t *cw_flit_tuned_channel_flits(struct cw_flit_simulation *base);
const uint64_t *cw_flit_tuned_accepted_by(struct cw_flit_simulation *base);
const uint64_t *cw_flit_tuned_injected_by(struct cw_flit_simulation *base);
const uint64_t *cw_flit_tuned_latency_histogram(struct cw_flit_simulation *base);
const struct cw_flit_task *cw_flit_tuned_task(const struct cw_flit_simulation *base, size_t job);
double cw_flit_tuned_cycle_seconds(const struct cw_flit_simulation *base);
size_t cw_flit_tuned_memory(const struct cw_flit_simulation *base);
int cw_flit_tuned_drain_within(struct cw_flit_simulation *base, uint64_t most);

/* --- making (flit_layout.c, flit_setup.c) -------------------------------------------------------- */

/* Units, queues, delay lines and hosts of the network. The jobs are known. */
int cw_flit_lay_out(struct cw_flit_tuned *simulation);

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Simulates UNIT in the cycles FROM … TO - 1, at most a window (flit_switch.c). */
void cw_flit_advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t from, uint64_t to);

/* The code for any processor, and for such as have AVX2, or AVX-512 with VBMI. */
cw_flit_code cw_flit_simulate, cw_flit_simulate_avx2, cw_flit_simulate_avx512;

/* Sets CODES to those of them that this processor can run, the best one last, and returns how many (flit_switch.c). */
#define CW_FLIT_CODES 3
size_t cw_flit_codes(cw_flit_code *codes[CW_FLIT_CODES]);

/* What will be needed of the units after this one is fetched into the caches, a part each time, in so many CYCLES
 * (flit_fetch.c). */
void cw_flit_fetch_begin(struct cw_flit_worker *worker, uint32_t cycles);
void cw_flit_fetch_part(struct cw_flit_worker *worker);

/* Lets the hosts of UNIT send in cycle T; finds out which ones wake when in the window; and lets HOST take in the next
 * flit that was sent to it (flit_endpoint.c). */
void cw_flit_inject(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t t);
void cw_flit_wake_hosts(struct cw_flit_worker *worker, struct cw_flit_unit *unit);
void cw_flit_take_in(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t host, uint64_t t);

/* Simulates up to CYCLES more cycles on all threads (flit_threads.c). */
int cw_flit_run_windows(struct cw_flit_tuned *simulation, uint64_t cycles);

/* Sums over workers. */
struct cw_flit_counts cw_flit_sum(const struct cw_flit_tuned *simulation);

/* CW_EROUTE with who waits for whom (flit_statistics.c). */
int cw_flit_stall(const struct cw_flit_tuned *simulation);

/* Remembers this thread's error message as UNIT's failure. */
void cw_flit_worker_fail(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, int code);

CW_END_DECLS

#endif
