/*
 * Flit-level simulation: cycle by cycle, any network, any packet routing.
 *
 * One cycle is the time in which a channel of the reference capacity moves one flit (64 B at 40 Gbit/s: 12.8 ns). A
 * slower channel moves its share of a flit each cycle; a faster one is an error (raise the reference).
 *
 * Model (paper "Performance optimization of load imbalanced workloads in large scale dragonfly systems", section IV.A):
 * switches with an input queue and an output queue for every port and virtual lane, credits for the input queues of the
 * next switch, a crossbar `speedup` times as fast as a channel with separable, input-first, round-robin allocation; an
 * output channel sends one flit a cycle, its lanes round-robin. Messages of several flits are packets switched by
 * virtual cut-through with their flits together on one lane (an output lane belongs to a message from its head to its
 * tail). An endpoint has a queue of messages to be sent (unbounded for a continuous load: what matters is how fast it
 * drains), sends them one after the other on the lanes of its channel, and takes in one flit a cycle.
 *
 * Zero-load latency of a message of f flits over channels c_1 … c_k, all of the reference capacity, is exactly
 * Σ latency(c_i) + (k - 1)·pipeline + f cycles, from the cycle in which it is injected to the end of the cycle in which
 * its last flit is taken in.
 *
 * The rules, in full. Nothing crosses a channel within a cycle, so that switches can be looked at in any order. In each
 * cycle, at each switch:
 *
 *   1. Arrivals, in the order of ports. A flit sent in cycle s is put into the input queue of its lane in cycle
 *      s + latency + pipeline - 1, or is taken in by an endpoint in cycle s + latency.
 *   2. Credits that were sent `latency` cycles before.
 *   3. Outputs, in the order of ports. A channel that is free sends one flit: of the first lane, round-robin, whose
 *      head may go. The head of a message of n flits needs n credits, any other flit one; channels into endpoints need
 *      none.
 *   4. Allocation, `speedup` times. Each input port asks for the output of the first of its lanes, round-robin, whose
 *      head may go: that of a message of n flits needs an output queue that belongs to no other message and has room
 *      for n, any other flit nothing. Each output port that is asked, in the order of ports, takes one flit: for the
 *      lane that the first input port asks for, from the output port's pointer on; of the input ports that ask for this
 *      lane, that of the first from the lane's own pointer on. (With one pointer for all lanes inputs starve: lanes
 *      that send round-robin have room in a fixed rhythm, and such a pointer can stand at the same input at every
 *      beat.) The allocator `age` takes the flit of the message that was injected first (not generated: flits carry the
 *      former), of equal ones that of the lowest port. With transit_first, only ports that come from a switch count, if
 *      one of those asks. The flit goes to the output queue and a credit is sent back.
 *   5. Injection, in the order of ports. An endpoint sends the next flit of its message, or begins the next message
 *      that is there. Its head, of n flits, goes on the first lane, round-robin, that has n credits, and the others
 *      follow it.
 *
 * Round-robin: from a pointer on, cyclically. The pointer stands behind the last one that was served; being asked and
 * not served does not move it.
 *
 * The routing is asked about a message once, when its head has become the head of its input queue: at the end of 1,
 * or of the allocation in which the flit before it went, in the order in which these arrived or were taken. Of several
 * hops the first is taken whose output queue has room for it at that moment, else the first. Decision number d of
 * switch i has the random bits cw_random_word(k_i, d), k_i from the stream (seed, CW_STREAM_ROUTING, i); a message has
 * its own (flit_source.h). What it sees of queues, the occupancy of a channel: flits in its output queue and flits sent
 * for which no credit came back; at its own switch at that moment, elsewhere at the end of the window before (windows
 * begin at the multiples of the greatest power of two that no latency between switches, nor 16, falls short of, and
 * where a run begins).
 *
 * That is what both implementations do by default. The plain one has other allocators; virtual output queues, where the
 * routing is asked when a head arrives; input buffers that lanes share; switches that mark messages; and sources that
 * react to the marks. Each is a module (sim/flit/flit_module.h, sim/flit/plain/plain.h) and says in its file what it
 * does differently.
 *
 * A channel of r flits a cycle is free in cycle t if f < t + 1; having sent it sets f to max(f, t) + 1/r.
 *
 * Results depend on configuration and seed only: not on the number of threads. At its end a run can be drained, and the
 * books are checked: that flits and credits were conserved and that no flit was lost, duplicated or delivered to a
 * stranger (cw_flit_drain_and_check).
 */
#ifndef CW_SIM_FLIT_FLIT_H
#define CW_SIM_FLIT_FLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/packets/packet_routing.h"
#include "traffic/schedule.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

/* The greatest that can be simulated. */
#define CW_FLIT_BYTES_MAX   (1 << 20) /* of a flit */
#define CW_FLIT_MESSAGE_MAX 255       /* flits */
#define CW_FLIT_BUFFER_MAX  65535     /* flits of a queue */
#define CW_FLIT_SPEEDUP_MAX 8
#define CW_FLIT_LATENCY_MAX 8192 /* cycles of a channel and a pipeline together, of which neither is 0 */
#define CW_FLIT_LANES       8    /* of a channel */

/* What switches and channels are like. */
struct cw_flit_hardware {
    uint32_t flit_bytes;       /* 64 */
    double reference_capacity; /* byte/s of a channel that moves a flit a cycle; 5e9 */
    uint32_t input_flits;      /* of an input queue of one lane; 64 */
    uint32_t output_flits;     /* of an output queue of one lane; 64 */
    uint32_t speedup;          /* of the crossbar; 2 */
    uint32_t injection_lanes;  /* of channels from endpoints: a message that cannot go on does not hold up those on
                                  other lanes; 1 */
    uint32_t pipeline;         /* cycles from a switch's input to an output queue, at least 1; 1 */
    uint32_t host_latency;     /* cycles of channels to and from endpoints; 0: the network's latency, at least 1 */
    uint32_t local_latency; /* … between switches whose index differs within one group (dragonfly), or of all others */
    uint32_t global_latency; /* … between groups */
    bool transit_first;      /* allocation prefers flits in transit to those just injected */
    /* Modules, "NAME" or "NAME:parameters"; NULL: the first of each list (sim/flit/flit_module.h) */
    const char *allocator;    /* rule 4: round-robin, age, wavefront, islip */
    const char *queues;       /* of a lane at an input: fifo, voq */
    const char *buffers;      /* of an input: separate, shared */
    const char *marking;      /* of messages at switches: none, threshold, red */
    const char *rate_control; /* of sources, that react to marks: none, aimd, dcqcn */
    /* What simulates them: "tuned", "plain". NULL: tuned, unless a module needs the other one */
    const char *implementation;
};

/* The hardware that is simulated where nothing else is said. */
CW_API struct cw_flit_hardware cw_flit_default_hardware(void);

/* The implementation that simulates HARDWARE; *NEEDED_BY gets the name of a module that only the plain one has, or
 * NULL. CW_EUSAGE for a module or an implementation that there is not, and if HARDWARE asks for a tuned one that
 * cannot. */
CW_API int cw_flit_find_implementation(const struct cw_flit_hardware *hardware, const char **name,
                                       const char **needed_by);

/* The length of a cycle [s], and how many of them SECONDS are. */
CW_API double cw_flit_cycle(const struct cw_flit_hardware *hardware);
CW_API double cw_flit_cycles(const struct cw_flit_hardware *hardware, double seconds);

/* Cycles that a flit is under way on CHANNEL of NET, as HARDWARE says. */
CW_API uint32_t cw_flit_latency(const struct cw_network *net, const struct cw_flit_hardware *hardware,
                                uint32_t channel);
/* Flits that an input queue must hold so that one lane can fill any channel of NET: what a channel moves from sending a
 * flit until its credit is back, 2 · latency + pipeline - 1 cycles. More by the rest of a message where these have
 * several flits. */
CW_API uint32_t cw_flit_round_trip(const struct cw_network *net, const struct cw_flit_hardware *hardware);

/* Some endpoints that send. Jobs share the network, never endpoints. */
enum cw_flit_job_kind {
    CW_FLIT_CONTINUOUS, /* messages of `message_flits`, begun at random so that each rank offers `load` */
    CW_FLIT_FINITE, /* each rank sends `bytes` in messages to its workload's destinations, at `load`; done when all have
                       arrived */
    CW_FLIT_SCHEDULE, /* a collective: a message leaves when what it depends on has arrived; done likewise */
    CW_FLIT_STREAMS   /* data that ranks relay in chunks; done likewise */
};

/* A stream of data on its way from one rank to the next. */
struct cw_flit_hop {
    uint32_t src, dst;   /* ranks */
    uint64_t bytes;      /* > 0, the same on all hops of a stream */
    size_t before;       /* the hop by which SRC gets them; SIZE_MAX: it has them from the start */
    uint32_t path, back; /* what its messages, and the credits that DST sends back, have as their random bits: the
                          * number of a path (cw_packet_routing_of_paths) */
    bool kept;    /* DST keeps the data: it has room for all, gives no credits, and several hops may follow; else one */
    bool returns; /* of a sum: carries what has been added up; else what is to be added */
    uint32_t joined; /* so many hops behind `before` bring SRC the same bytes, too, all of them kept: it adds them up
                      * with its own, and sends a chunk on once all have brought it. 0: none */
    uint32_t sum;    /* > 0: number of a sum that all its ranks get; kept. 0: of none */
    uint32_t turn;   /* SRC begins with the least */
};

/* STREAMS: data go in chunks, and a relay sends a chunk on once all of it is there. It has room for `credits` chunks of
 * each stream; whenever it has sent one on, it says so to the rank before by a message of one flit, unless that has no
 * more chunks to send than there is room for. A rank sends credits first, then a chunk of its own data, then one that
 * it has got; streams take turns, in the order of `turn`, then of hops. Adding takes no time.
 *
 * A rank has done its part in a sum when all hops of it that do not return have brought it their data, and it has sent
 * its own. The same memory is for the sum then: the rank sends by those that return, and asks for what they bring it,
 * each by a message of one flit, before which nothing comes. */
struct cw_flit_streams {
    const struct cw_flit_hop *hops; /* [n] */
    size_t n;
    uint64_t chunk_bytes;   /* > 0; a stream's last chunk is what is left */
    uint32_t credits;       /* > 0 */
    const uint32_t *memory; /* [n_ranks] the first rank that has the same memory, all on one switch: what one keeps the
                             * others may send on, and they do their part in sums together. NULL: each has its own */
};

/* Messages of one length in a mix. */
struct cw_flit_size {
    uint32_t flits;
    double share; /* of the messages, in proportion to those of the others */
};
#define CW_FLIT_SIZES 16 /* lengths in a mix, at most */

/* How long messages are: of FLITS, or a mix of n_sizes lengths, of which FLITS is the longest. */
struct cw_flit_messages {
    uint32_t flits;
    size_t n_sizes; /* 0: no mix */
    struct cw_flit_size sizes[CW_FLIT_SIZES];
};

struct cw_flit_job {
    enum cw_flit_job_kind kind;
    uint32_t n_ranks;
    const uint32_t *endpoints;          /* [n_ranks] */
    const struct cw_workload *workload; /* CONTINUOUS, FINITE */
    double load;                        /* fraction of injection bandwidth, (0, 1]; CONTINUOUS, FINITE. At 1 messages
                                           follow each other without a pause */
    uint32_t message_flits; /* at most 255; SCHEDULE, STREAMS: messages and chunks are sent in packets of so many (0: 1)
                             */
    const struct cw_flit_size *sizes;      /* [n_sizes] a mix, each message's length drawn by itself; message_flits is
                                              passed over then. CONTINUOUS, FINITE */
    size_t n_sizes;                        /* 0: all messages have message_flits */
    const struct cw_schedule *schedule;    /* SCHEDULE */
    const struct cw_flit_streams *streams; /* STREAMS */
    uint64_t bytes; /* FINITE: of each rank; SCHEDULE: a message, as cw_schedule_total_bytes defines it */
    uint64_t start; /* cycle in which its ranks begin; what runs before may be in steady state */
};

/* Flits of a message of JOB on average. */
CW_API double cw_flit_mean_message(const struct cw_flit_job *job);

struct cw_flit_setup {
    const struct cw_packet_routing *routing; /* borrowed, as all below */
    struct cw_flit_hardware hardware;
    const struct cw_flit_job *jobs;
    size_t n_jobs;
    uint64_t seed;
    unsigned n_threads;  /* the network is divided among them; 0: as many as there are cores, and as pay for its size:
                            there is a barrier after every few cycles, so that a small network is best left to one */
    bool allow_deadlock; /* the routing may have dependencies in a circle: then nothing may move any more at some time,
                            which cw_flit_run says */
};

struct cw_flit_simulation;

CW_API int cw_flit_new_sized(const struct cw_flit_setup *setup, size_t size, struct cw_flit_simulation **out);

/* Checks the setup (loads, buffers that hold a message, endpoints that exist once, lanes, CW_EUSAGE), proves the
 * routing deadlock-free unless it need not be, and makes a simulation at cycle 0. */
static inline int cw_flit_new(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    return cw_flit_new_sized(setup, sizeof *setup, out);
}
CW_API void cw_flit_free(struct cw_flit_simulation *simulation);

/* What happened in a window of cycles. Owned by the simulation. */
struct cw_flit_window {
    uint64_t first_cycle, cycles;
    uint64_t injected_flits, accepted_flits; /* entered the network; taken in by their destination */
    uint64_t messages;                       /* completed; of a schedule: packets */
    uint64_t latency_sum;                    /* cycles, of those, from generation to completion */
    uint64_t network_latency_sum;            /* … from injection */
    uint64_t marked;                         /* messages of those completed that a switch had marked */
    uint64_t notices;                        /* of marks, that reached their sources */
    uint64_t flit_hops;                      /* crossbar traversals, the ejecting switch's included */
    bool finished;                           /* every job but the CONTINUOUS ones is done */
    bool stalled; /* flits are in the network and none moved for `cycles` or 10,000 cycles: deadlock */
};

/* Runs CYCLES more cycles, or until all jobs are done (if none is CONTINUOUS; then up to 16 cycles
 * longer than cw_flit_job_done says). CW_EROUTE if nothing moves any more, with WINDOW filled in: the message says who
 * waits for whom, a chain of channels and lanes. CW_EROUTE, too, or the routing's own error, if the routing fails. */
CW_API int cw_flit_run(struct cw_flit_simulation *simulation, uint64_t cycles, struct cw_flit_window *window);

/* Counters since the last reset (or the beginning). */
CW_API void cw_flit_reset_counters(struct cw_flit_simulation *simulation);
CW_API const uint64_t *
cw_flit_channel_flits(struct cw_flit_simulation *simulation); /* [channels] flits that left by it */
CW_API const uint64_t *cw_flit_accepted_by(struct cw_flit_simulation *simulation); /* [endpoints] flits taken in */
CW_API const uint64_t *cw_flit_injected_by(struct cw_flit_simulation *simulation); /* [endpoints] flits injected */

#define CW_FLIT_LATENCY_BINS 512

/* Latencies of messages completed since the last reset, from generation: counts in bins of 2^(1/8) (exact below 16
 * cycles). */
CW_API uint64_t cw_flit_latency_bin_start(size_t bin); /* least latency, in cycles, of a bin */
CW_API const uint64_t *cw_flit_latency_histogram(struct cw_flit_simulation *simulation);
/* The latency below which the share Q of messages lies, interpolated within a bin. NaN without messages. */
CW_API double cw_flit_latency_quantile(struct cw_flit_simulation *simulation, double q);

/* The cycle in which job JOB was done, or UINT64_MAX. */
CW_API uint64_t cw_flit_job_done(const struct cw_flit_simulation *simulation, size_t job);
/* Flits accepted for job JOB since the last reset. */
CW_API uint64_t cw_flit_job_accepted(struct cw_flit_simulation *simulation, size_t job);

/* The length of a cycle [s]. */
CW_API double cw_flit_cycle_seconds(const struct cw_flit_simulation *simulation);
/* Bytes touched so far: pools of flits count as far as they were ever full. */
CW_API size_t cw_flit_memory(const struct cw_flit_simulation *simulation);

/* Takes in what is still under way without injecting more, and checks conservation: every flit injected arrived once,
 * at its destination; every credit came back; all queues are empty. CW_EINTERNAL says what is wrong. No counter that
 * was read before means anything else for it. */
CW_API int cw_flit_drain_and_check(struct cw_flit_simulation *simulation);
/* The same, unless the network is not empty after MOST cycles (some more may be simulated): nothing is checked then. */
CW_API int cw_flit_drain_within(struct cw_flit_simulation *simulation, uint64_t most);

CW_END_DECLS

#endif
