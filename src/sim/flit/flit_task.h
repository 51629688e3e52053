/*
 * Jobs as both implementations know them: checked, with their endpoints, sources and schedules. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_TASK_H
#define CW_SIM_FLIT_FLIT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/flit/flit.h"
#include "sim/flit/flit_source.h"

CW_BEGIN_DECLS

/* --- checks (flit_task.c) ----------------------------------------------------------------------------------------- */

/* CW_EUSAGE with what is wrong. */
int cw_flit_check_hardware(const struct cw_flit_hardware *hardware);
int cw_flit_check_channel(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel);

/* CW_EUSAGE unless rank RANK of job number INDEX may be on ENDPOINT: it exists, has a cable, and no rank is there.
 * OTHER_JOB and OTHER_RANK are those that are, CW_NONE: none. */
int cw_flit_check_seat(const struct cw_network *net, size_t index, uint32_t rank, uint32_t endpoint, uint32_t other_job,
                       uint32_t other_rank);

/* 2^-20 cycles in which CHANNEL moves a flit (CW_FLIT_CYCLE is a cycle). */
uint64_t cw_flit_period(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel);

/* The longest message of any job, in flits, at least 1. */
uint32_t cw_flit_longest_message(const struct cw_flit_setup *setup);

/* What a routing did wrong: N hops from switch SW, of which HOP is none (n < 0: its error); or it brought PACKET to the
 * endpoint HERE. Returns the code. */
int cw_flit_fail_routing(const struct cw_packet_routing *routing, uint32_t sw, const struct cw_packet *packet, int n,
                         const struct cw_hop *hop);
int cw_flit_fail_stranger(const struct cw_packet_routing *routing, uint32_t here, const struct cw_packet *packet);

/* --- tasks -------------------------------------------------------------------------------------------------------- */

/* A message of a schedule, at its sender, */
struct cw_flit_order {
    uint32_t dst; /* rank */
    uint32_t round;
    uint32_t flits;
    bool free;
    size_t receive; /* what it counts for at the receiver */
    uint64_t ready;
};

/* and all that a rank receives in a round. */
struct cw_flit_receive {
    uint32_t round;
    uint64_t left; /* flits */
};

/* What the ranks of a memory do for a sum. */
struct cw_flit_share {
    uint64_t left; /* hops to be taken in, or to be sent */
    uint64_t done; /* cycle from which there are none */
};

/* A hop of a stream. Its sender's rank and its receiver's, which may be on different threads, write parts of their own.
 */
struct cw_flit_stage {
    struct cw_flit_hop hop;
    uint32_t next;          /* the hop by which DST sends the chunks on; CW_NONE: it is their destination */
    uint64_t chunks;        /* > 0 */
    uint32_t flits, last;   /* of a chunk, and of the last one */
    uint64_t sent, freed;   /* the sender's: chunks begun; credits that came: of these, known to have been sent on */
    uint64_t freed_at;      /* cycle from which the last of these counts */
    uint64_t came, due;     /* the receiver's: chunks that are there; credits to be sent */
    uint64_t came_at;       /* cycle from which the last of these counts */
    uint64_t flits_of_next; /* of the chunk after them */
};

/* A job with what is known of it. */
struct cw_flit_task {
    struct cw_flit_job job;
    uint32_t *endpoints;              /* [n_ranks] */
    struct cw_flit_gaps *gaps;        /* of its sources, a list with one for each speed of channels; owned */
    struct cw_flit_order *orders;     /* of a schedule: by sender, in the order of rounds */
    size_t *first_order;              /* [n_ranks + 1] */
    struct cw_flit_receive *receives; /* by receiver, in the order of rounds */
    size_t *first_receive;            /* [n_ranks + 1] where a rank's receives begin */
    size_t *end_receive;              /* [n_ranks] where they end */
    struct cw_flit_stage *stages;     /* of streams: by hop */
    uint32_t *hops_of;                /* of streams: by rank, and for each by kind (flit_streams.c) */
    size_t *first_of;                 /* [kinds · n_ranks + 1] where each list begins */
    struct cw_flit_share *shares;     /* [n_ranks · n_sums] in sums, by memory; NULL: there are none */
    uint32_t n_sums;
    uint64_t flits; /* of a schedule or of streams: flits of all messages */
    uint64_t done;  /* cycle or UINT64_MAX */
};

/* Checks JOB, number INDEX, on NET and makes TASK of it, which is zeroed. Free with cw_flit_task_free in any case. */
int cw_flit_task_make(struct cw_flit_task *task, const struct cw_network *net, const struct cw_flit_hardware *hardware,
                      const struct cw_flit_job *job, size_t index);
void cw_flit_task_free(struct cw_flit_task *task);
size_t cw_flit_task_bytes(const struct cw_flit_task *task); /* memory it has */

/* The source of RANK of TASK, whose channel has PERIOD; of a schedule only its random key matters. CW_ENOMEM. */
int cw_flit_task_source(struct cw_flit_task *task, const struct cw_flit_hardware *hardware, uint32_t rank,
                        uint64_t period, uint64_t seed, struct cw_flit_source *out);

/* --- schedules (flit_schedule.c) ---------------------------------------------------------------------------------- */

/* How far a rank has come in its schedule. */
struct cw_flit_progress {
    uint32_t rank;
    uint32_t order_left;            /* flits of the message being sent that are not in packets yet */
    size_t order;                   /* the message being sent */
    size_t free, bound, orders_end; /* next free message, next bound message, end of the rank's messages */
    size_t stamped;                 /* bound messages before it are ready */
    size_t receive, receives_end;   /* first round not received completely */
    uint64_t changed;               /* cycle in which messages became ready last */
    size_t turn[2];                 /* of streams: which of its own, and of those it gets, is first in turn */
};

/* Expands TASK's schedule into messages and what each rank receives. */
int cw_flit_task_expand(struct cw_flit_task *task, uint32_t flit_bytes);

/* Sets PROGRESS to the beginning of RANK's part. */
void cw_flit_schedule_begin(struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress);
/* The next packet of the rank, whose source draws its random bits; false if none is ready in cycle T. */
bool cw_flit_schedule_take(struct cw_flit_task *task, struct cw_flit_progress *progress, struct cw_flit_source *source,
                           uint64_t t, struct cw_flit_message *message, uint32_t *index);
/* A flit of message INDEX has been taken in, so that what waits for it is ready in cycle T. */
void cw_flit_schedule_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t);

/* --- streams (flit_streams.c), likewise --------------------------------------------------------------------------- */

int cw_flit_streams_make(struct cw_flit_task *task, const struct cw_network *net, uint32_t flit_bytes, size_t index);
void cw_flit_streams_begin(const struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress);
bool cw_flit_streams_take(struct cw_flit_task *task, struct cw_flit_progress *progress, uint64_t t,
                          struct cw_flit_message *message, uint32_t *index);
void cw_flit_streams_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t);
/* Whether two ranks of a task that waits have the same memory, so that what changes for one changes for the other. */
static inline bool cw_flit_same_memory(const struct cw_flit_task *task, uint32_t rank, uint32_t other)
{
    const uint32_t *memory = task->job.kind == CW_FLIT_STREAMS ? task->job.streams->memory : NULL;
    return memory ? memory[rank] == memory[other] : rank == other;
}

/* --- either: messages that wait for others ------------------------------------------------------------------------ */

static inline bool cw_flit_task_waits(const struct cw_flit_task *task)
{
    return task->job.kind == CW_FLIT_SCHEDULE || task->job.kind == CW_FLIT_STREAMS;
}

void cw_flit_waiting_begin(struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress);
bool cw_flit_waiting_take(struct cw_flit_task *task, struct cw_flit_progress *progress, struct cw_flit_source *source,
                          uint64_t t, struct cw_flit_message *message, uint32_t *index);
void cw_flit_waiting_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t);
/* Since when message INDEX was there; of streams, since it was INJECTED. */
static inline uint64_t cw_flit_waiting_since(const struct cw_flit_task *task, uint32_t index, uint64_t injected)
{
    return task->job.kind == CW_FLIT_SCHEDULE ? task->orders[index].ready : injected;
}

/* --- latencies (flit.c) ------------------------------------------------------------------------------------------- */

#define CW_FLIT_LATENCY_EXACT 16 /* latencies below it have bins of their own */

/* The bin of a latency, below CW_FLIT_LATENCY_BINS. */
uint32_t cw_flit_latency_bin(uint64_t latency);

CW_END_DECLS

#endif
