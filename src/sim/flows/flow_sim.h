/*
 * Flow-level simulation: programs on a network whose channels their messages share in time, max-min fairly
 * (sim/flows/max_min.h). Between counting messages round by round (sim/collective.h) and moving every flit (sim/flit):
 * rounds may drift apart, and what one message leaves free others take at once; there are no packets, buffers or queues
 * in switches.
 *
 * A rank has one processor, which does one thing at a time in the order in which it becomes ready: computations, and o
 * seconds for each message that it sends. A message then waits for its turn: the cable it leaves by carries one message
 * of a rank after another, that which comes first in the program before others that are ready too (or all at once: enum
 * cw_flow_sends). From then on it is a flow over all channels of its route, with the shares of several ways where
 * packets are spread; its rate changes whenever other flows come or go. When its bytes are through, the cable is free,
 * and after the latencies of its channels, and L, the message is there. So it takes o + L + latencies + bytes / rate,
 * as in the other simulations. A message of a rank to itself, or to one on its own endpoint, takes o + L.
 *
 * A send is done once the processor has passed it on, a receive when the message is there. Messages longer than
 * `rendezvous` also wait for the receiver: their flow begins a latency after the receiver has heard of them and has
 * come to its receive; their send is done when their bytes are through.
 *
 * What happens at times that differ by less than 1e-12 of them happens at once. Nothing is drawn: the same setup gives
 * the same bytes.
 */
#ifndef CW_SIM_FLOW_SIM_H
#define CW_SIM_FLOW_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"
#include "traffic/flows.h"
#include "traffic/rank_program.h"

CW_BEGIN_DECLS

enum cw_flow_sends {
    CW_FLOW_IN_ORDER, /* one after another */
    CW_FLOW_AT_ONCE,  /* all that are ready share the cable alike */
    CW_FLOW_MIXED     /* … in proportion to their bytes, as if packets of all were drawn at random */
};

/* What runs on some endpoints: a program, or flows that go on for ever. Jobs may share endpoints; each rank has a
 * processor and cables' turns of its own. */
struct cw_flow_job {
    const struct cw_program *program; /* NULL: */
    const struct cw_flows *endless; /* … between ranks; of one sender they share its rate in proportion to `bytes` */
    const uint32_t *endpoints;      /* [n_ranks]; of endless flows for all ranks that these name */
    enum cw_flow_sends sends;
    double start; /* s */
    double load;  /* a rank sends no faster than this share of its first cable; 0: as fast as it can */
    double *ends; /* out: [n_actions] when each was done [s]; may be NULL */
};

/* Ways of messages instead of those of routes. */
struct cw_flow_ways {
    const size_t *first;      /* [actions of all jobs + 1] of a send the channels from … to before that of the next */
    const uint32_t *channels; /* each once, in order; the first leaves the sender's endpoint */
    const double *shares;     /* how often the message crosses each */
};

struct cw_flow_setup {
    const struct cw_routes *routes; /* all borrowed */
    const struct cw_flow_job *jobs;
    size_t n_jobs;
    double overhead;        /* o [s] */
    double gap;             /* g [s]: messages in order begin no sooner after one another */
    double latency;         /* L [s], beside those of the channels */
    double host_rate;       /* byte/s that an endpoint can send, and receive, over all its cables; 0: what these can */
    uint64_t rendezvous;    /* bytes; 0: no message waits for its receiver */
    double *channel_bytes;  /* out: [channels] bytes of all programs' messages; may be NULL */
    const double *capacity; /* [channels] byte/s instead of the network's: what if? NULL: the network's */
    const struct cw_flow_ways *ways; /* NULL: those of routes */
};

struct cw_flow_result {
    uint64_t messages;
    uint64_t settled; /* times that rates were shared out again */
};

CW_API int cw_flow_run_sized(const struct cw_flow_setup *setup, size_t size, double *job_ends,
                             struct cw_flow_result *out);

/* Runs all programs to their ends, of which JOB_ENDS [n_jobs] gets the times [s]; of endless flows infinity. CW_EUSAGE
 * for routes whose ways look at queues (adaptive), and if actions wait for each other in a circle: it names one.
 * Memory: 60 bytes an action, and 40 for each channel of each message that is under way. Time: see cw_max_min_settle;
 * for n messages beside each other with h channels n · h · log for each time at which any ends. */
static inline int cw_flow_run(const struct cw_flow_setup *setup, double *job_ends, struct cw_flow_result *out)
{
    return cw_flow_run_sized(setup, sizeof *setup, job_ends, out);
}

CW_END_DECLS

#endif
