/*
 * What the ranks of a host share, as it lies in memory. Everything of an operation is changed under the lock of its
 * slot; words that others wait for are atomic, too.
 *
 * A communicator has a ring of slots: operation number s (from 0) is in slot s mod CW_NBC_RING, and is posted there
 * once operation s - CW_NBC_RING is complete.
 */
#ifndef CW_NBC_SEGMENT_INTERNAL_H
#define CW_NBC_SEGMENT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nbc/nbc_node.h"
#include "nbc/nbc_relay.h"

#define CW_NBC_RING   32   /* slots: bits of a word */
#define CW_NBC_COMMS  4096 /* communicators at once, for each rank of the host */
#define CW_NBC_CLOSED (1ull << 63)
#define CW_NBC_LINE   64 /* bytes that processors share as a whole */

/* Held for well under a microsecond. */
struct cw_nbc_lock {
    _Atomic uint32_t held;
};

/* A sequence of chunks: taken from the front by workers, from the back by ranks. */
struct strand {
    uint32_t front, back, finished; /* chunks */
    bool busy;                      /* trees, where chunks follow each other: somebody is at one */
};

/* A rank's part of an operation, and what has been done for it. */
struct post {
    _Alignas(CW_NBC_LINE) _Atomic uint32_t done; /* low bits of s + 1 for the last operation that is complete for it */
    _Atomic uint32_t bell;                       /* changes when that does, and when the rank has something to do */
    _Atomic uint32_t waiting;                    /* the rank sleeps until it changes */
    bool posted;
    struct cw_nbc_part part;
    int error;            /* of the last operation that is done: an errno, … */
    uint32_t error_rank;  /* … and the rank of the communicator whose memory it was */
    struct strand strand; /* collectives with a root: between it and this rank; in a tree, between its parent and it */
};

struct slot {
    _Alignas(CW_NBC_LINE) struct cw_nbc_lock lock;
    uint64_t number;               /* of the operation that is here, if n_posted > 0 */
    _Atomic uint64_t retired;      /* s + 1 of the last that is complete for all; 0: none has been here */
    uint32_t n_posted, n_finished; /* ranks; strands */
    bool told;                     /* it failed, and the relay has told other hosts */
    struct cw_nbc_work work;
    uint32_t n_chunks;    /* of each strand */
    struct strand strand; /* of collectives in which all ranks take part in every chunk */
    int error;            /* the first errno; 0: none; negative: -enum cw_nbc_clash */
    uint32_t error_rank;  /* of the communicator, whose memory it was */
};

struct comm {
    _Alignas(CW_NBC_LINE) _Atomic uint64_t active; /* a bit for each slot with an operation */
    _Atomic uint64_t latest;                       /* the highest number that was posted */
    uint64_t key;                                  /* 0: nobody's */
    uint32_t n, n_left;                            /* members; those that have not left */
    uint32_t room;                                 /* members for whom there is room … */
    size_t block;                                  /* … there, an offset: members [room], posts [CW_NBC_RING][n],
                                                      what ranks say [n] behind those of `room` */
    struct cw_nbc_note note;
    struct cw_nbc_lock lock;        /* of the clash */
    uint64_t clashed;               /* the number + 1 of the operation that failed by … */
    struct cw_nbc_clash_note clash; /* … this; of the first that broke the communicator, if one did */
    _Atomic uint64_t broken;        /* index + 1 of the call; 0: it is whole */
    _Atomic uint64_t claims;        /* operations before this one were claimed; CW_NBC_CLOSED: no more can be */
};

struct process {
    int32_t pid;
    uint64_t address; /* where it has the segment */
};

/* To copy into the segment, out of it, or to combine into what is there. */
enum errand_kind { ERRAND_FETCH, ERRAND_STORE, ERRAND_COMBINE };

/* What a process is asked to do for an executor between its own memory and the segment. */
struct errand {
    _Alignas(CW_NBC_LINE) _Atomic uint32_t asked; /* rank of the host + 1; 0: nobody; CW_NBC_BUSY: somebody is at it */
    enum errand_kind kind;
    enum cw_nbc_type type;
    enum cw_nbc_op op;
    uint64_t here, there; /* offset in the segment; address in the process */
    size_t bytes;
    int error; /* an errno */
};

#define CW_NBC_BUSY UINT32_MAX

/* Changes when a process has been asked. */
struct door {
    _Alignas(CW_NBC_LINE) _Atomic uint32_t bell;
    _Atomic uint32_t waiting; /* its agent sleeps until then */
    _Atomic uint32_t alarm;   /* the rank's, of any communicator */
    struct {                  /* the rank's last call on a communicator that it has not joined (cw_nbc_say_aside) */
        _Atomic uint32_t busy;
        _Atomic uint64_t key; /* 0 while the rest changes */
        _Atomic uint64_t calls;
        _Atomic uint32_t rank, collective;
    } aside;
};

/* After the head: doors [n_ranks]; of each executor, the n_ranks first, then the n_workers: errands, buffers; of each
 * place for a communicator, CW_NBC_COMMS for each rank: struct comm, slots [CW_NBC_RING]; and the heap, of which each
 * place has a block as large as its communicators need. Slots never move: who looks at one, and gets its lock when
 * another communicator has come there, finds nothing to do. What is in the heap is looked at with that lock, or by
 * members.
 */
struct segment {
    uint64_t magic; /* what cw_nbc_check_reach looks for */
    uint32_t n_ranks, n_workers;
    _Atomic uint32_t stop;
    _Alignas(CW_NBC_LINE) _Atomic uint32_t news;   /* changes whenever there may be something to do */
    _Atomic uint32_t sleepers;                     /* workers that wait for news */
    _Alignas(CW_NBC_LINE) struct cw_nbc_lock lock; /* of the places of communicators */
    _Atomic uint32_t n_comms;                      /* places above have never been used */
    size_t heap_used;                              /* bytes */
    struct process ranks[];                        /* [n_ranks] */
};

struct trees;

struct cw_nbc_node {
    struct segment *segment;
    struct trees *trees; /* of this process */
    bool agents;         /* processes reach each other by them … */
    bool attach;         /* … and by themselves what is no longer than a chunk */
    bool apart;          /* tests: also threads of one process do */
    struct door *doors;
    struct errand *errands;
    char *buffers;
    size_t bytes;
    struct comm *comms; /* [n_places] */
    struct slot *slots; /* [n_places][CW_NBC_RING] */
    char *heap;
    size_t heap_bytes;
    uint32_t n_places;
    int fd;
    double delay; /* s; emulation: what moving all bytes of a message to or from one rank takes; 0: bytes are moved */
};

/* Sleeps while *WORD is VALUE, at most SECONDS (0: until somebody wakes); wakes all who do. Between processes. */
void cw_nbc_futex_wait(_Atomic uint32_t *word, uint32_t value, double seconds);
void cw_nbc_futex_wake(_Atomic uint32_t *word);

/* Something has happened that the rank of POST may wait for. */
static inline void ring(struct post *post)
{
    post->bell++;
    if (post->waiting) cw_nbc_futex_wake(&post->bell);
}

/* There may be something to do for workers. */
void cw_nbc_tell(const struct cw_nbc_node *node);

void cw_nbc_acquire(struct cw_nbc_lock *lock);
void cw_nbc_release(struct cw_nbc_lock *lock);

static inline struct comm *comm_at(const struct cw_nbc_node *node, uint32_t comm)
{
    return &node->comms[comm];
}

static inline uint32_t *members_of(const struct cw_nbc_node *node, uint32_t comm)
{
    return (void *)(node->heap + comm_at(node, comm)->block);
}

static inline struct slot *slot_at(const struct cw_nbc_node *node, uint32_t comm, uint64_t number)
{
    return &node->slots[(size_t)comm * CW_NBC_RING + number % CW_NBC_RING];
}

/* Bytes of N members in a block. */
static inline size_t members_bytes(uint32_t n)
{
    return ((size_t)n * sizeof(uint32_t) + CW_NBC_LINE - 1) / CW_NBC_LINE * CW_NBC_LINE;
}

/* [n]: one for each rank of the communicator; an inner one (nbc/nbc_relay.h) has one more than there are. */
static inline struct post *posts_at(const struct cw_nbc_node *node, uint32_t comm, uint64_t number)
{
    const struct comm *here = comm_at(node, comm);
    char *posts = node->heap + here->block + members_bytes(here->room);
    return (struct post *)(void *)posts + number % CW_NBC_RING * here->n;
}

/* --- errands: how executors ask agents (nbc_agent.c) -------------------------------------------------------------- */

/* Has KIND done between HERE, in an executor's buffers, and THERE, in the process of RANK of the host; TYPE and OP are
 * those of ERRAND_COMBINE. 0, EFAULT if nothing is there, or ESRCH if that process has ended. */
int cw_nbc_ask(const struct cw_nbc_node *node, uint32_t rank, enum errand_kind kind, enum cw_nbc_type type,
               enum cw_nbc_op op, const void *here, uint64_t there, size_t bytes);

/* Copies what the process of RANK, which is this one, is asked for. False: nothing. */
bool cw_nbc_run_errands(const struct cw_nbc_node *node, uint32_t rank);

#endif
