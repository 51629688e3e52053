/*
 * The ranks of one host and what they share: communicators, their operations, and workers, one thread a communication
 * core, which carry them out for all ranks. Ranks are processes, or threads of one process. Knows nothing of MPI.
 *
 *     one rank:     cw_nbc_node_new(n_ranks, n_workers, &node), tells the others its process and node's file
 *     the others:   cw_nbc_node_attach(pid, fd, &node)
 *     all:          cw_nbc_node_join(node, rank)
 *     some:         cw_nbc_worker_start (nbc/nbc_worker.h)
 *
 * Each rank of a communicator calls cw_nbc_comm_join, and posts its part of operation 0, 1, 2, … of the communicator
 * (the same collectives in the same order), waits for nobody in doing so, and asks, helps or waits until its part is
 * done. A part's memory is the operation's until then.
 */
#ifndef CW_NBC_NODE_H
#define CW_NBC_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/decls.h"
#include "nbc/nbc_collective.h"
#include "nbc/nbc_combine.h"
#include "nbc/nbc_sharing.h"

CW_BEGIN_DECLS

struct cw_nbc_node;

/* What an operation is; the same from all ranks. */
struct cw_nbc_work {
    enum cw_collective_kind collective;
    uint32_t root;
    uint64_t bytes; /* of a rank's message: the vector, or a block */
    uint32_t chunk; /* bytes that are moved or combined at once, at most CW_NBC_CHUNK; whole elements */
    enum cw_nbc_type type;
    enum cw_nbc_op op;
    enum cw_nbc_schedule schedule; /* split trees are for 2 ranks and more */
    uint32_t radix;                /* split tree: ranks that have the data after a level, for each before it; 0: 2 */
    uint32_t steps;                /* split tree */
    double fraction;               /* slices: of each strand, at most, for workers */
    bool relayed;                  /* takes in other hosts: carried out as nbc/nbc_relay.h says */
};

/* A rank's memory: addresses in its process; contiguous, blocks in the order of ranks. What a collective does not need
 * of this rank is 0. A root that has its own block already (MPI_IN_PLACE in a scatter or gather), or a rank in an
 * allgather, is `in_place`. `send` and `recv` may be the same in reductions and, at the root, in a broadcast. `room` is
 * for what a rank passes on: cw_nbc_room bytes. Who is `absent` gives nothing to a reduction, though it may be its
 * root, and gets nothing from a broadcast. */
struct cw_nbc_part {
    uint64_t send, recv, room;
    bool in_place, absent;
    uint64_t index;            /* of the rank's call, among all collectives on the communicator (struct cw_nbc_said) */
    struct cw_nbc_asked asked; /* held against that of all others before a byte moves */
};

/* N_RANKS ≥ 1. CW_EIO, CW_ENOMEM. Free unmaps; NULL is nobody's. */
int cw_nbc_node_new(uint32_t n_ranks, uint32_t n_workers, struct cw_nbc_node **out);
int cw_nbc_node_file(const struct cw_nbc_node *node);
int cw_nbc_node_attach(pid_t pid, int fd, struct cw_nbc_node **out);
/* Nobody will attach from now on: no descriptor is kept among those of the program, which may close them all. */
void cw_nbc_node_close(struct cw_nbc_node *node);
void cw_nbc_node_free(struct cw_nbc_node *node);

/* This process is RANK, of 0 … n_ranks - 1. */
void cw_nbc_node_join(struct cw_nbc_node *node, uint32_t rank);

/* After all have joined: whether this process can reach those of all ranks; CW_EIO says why not. Then each rank starts
 * an agent (nbc/nbc_agent.h). */
int cw_nbc_node_check(const struct cw_nbc_node *node);

/* The communicator KEY, not 0, of the N ranks of the host MEMBERS; all of them give the same. The first to come makes
 * it; waits for nobody. CW_ELIMIT: too many at once. Each of the N leaves once; the last to leave makes room for
 * another. O(communicators). */
int cw_nbc_comm_join(struct cw_nbc_node *node, uint64_t key, uint32_t n, const uint32_t *members, uint32_t *out);
void cw_nbc_comm_leave(struct cw_nbc_node *node, uint32_t comm);

/* *BYTES: of the room that rank ME of N needs in WORK. CW_ENOMEM. */
int cw_nbc_room(const struct cw_nbc_node *node, const struct cw_nbc_work *work, uint32_t n, uint32_t me,
                uint64_t *bytes);

/* Whether ranks have something to do in WORK before they compute: as long as cw_nbc_advance has. */
bool cw_nbc_has_start(const struct cw_nbc_work *work);

/* Posts the part of rank ME of COMM in operation NUMBER; *POSTED: false if an older one is in its place. */
void cw_nbc_post(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, const struct cw_nbc_work *work,
                 const struct cw_nbc_part *part, bool *posted);

/* *DONE: whether ME's part of NUMBER, which it has posted, is done. CW_EIO if the operation failed (it is done, then);
 * CW_EUSAGE if ranks did not ask for the same: then nothing was moved, and cw_nbc_clash_of says what. To be asked
 * before ME posts NUMBER + 32: then the answer may be lost. */
int cw_nbc_poll(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, bool *done);

/* Of the operation NUMBER of COMM, which failed so. False: it is not known any more. */
bool cw_nbc_clash_of(const struct cw_nbc_node *node, uint32_t comm, uint64_t number, struct cw_nbc_clash_note *out);

/*
 * Calls that a rank leaves to MPI, while others may take the same call for an operation of ours and wait for it. Each
 * rank counts its calls of collectives on a communicator, posted or left, and tells the others in memory that it alone
 * writes; those that wait look there (cw_nbc_watch). A communicator on which that has happened is broken for ever: no
 * two ranks can tell which calls of theirs belong together.
 */
#define CW_NBC_SAID 2
struct cw_nbc_said {
    _Alignas(64) _Atomic uint64_t calls;   /* of the rank, so far */
    _Atomic uint64_t next;                 /* operations that it has begun: posted, or about to be */
    _Atomic uint32_t alarm;                /* others wait for a call of its that it has left to MPI */
    struct cw_nbc_asked left[CW_NBC_SAID]; /* by index: the last that were left to MPI */
};

/* What rank ME of COMM says; and 0, or the index + 1 of the first call for which the communicator broke. */
struct cw_nbc_said *cw_nbc_said_of(const struct cw_nbc_node *node, uint32_t comm, uint32_t me);
const _Atomic uint64_t *cw_nbc_broken(const struct cw_nbc_node *node, uint32_t comm);

/* The rank leaves its call INDEX to MPI, which asks for what is written where cw_nbc_place_left says. Nobody waits, and
 * no fence is needed: who looks looks again. */
static inline struct cw_nbc_asked *cw_nbc_place_left(struct cw_nbc_said *said, uint64_t index)
{
    return &said->left[index % CW_NBC_SAID];
}

static inline void cw_nbc_say_left(struct cw_nbc_said *said, uint64_t index)
{
    atomic_store_explicit(&said->calls, index + 1, memory_order_release);
}

/* It begins operation NUMBER by its call INDEX. */
static inline void cw_nbc_say_begun(struct cw_nbc_said *said, uint64_t index, uint64_t number)
{
    atomic_store_explicit(&said->next, number + 1, memory_order_relaxed);
    atomic_store_explicit(&said->calls, index + 1, memory_order_release);
}

/* The same on the communicator KEY, which rank ME of the host has not joined, and may never: its call number CALLS,
 * from 1, is of COLLECTIVE (struct cw_nbc_asked), by RANK of the communicator. Of such communicators the last is
 * remembered: that on which ME is if it waits there. A few ns. */
void cw_nbc_say_aside(struct cw_nbc_node *node, uint32_t me, uint64_t key, uint64_t calls, uint32_t rank,
                      uint8_t collective);

/* Fails the operation NUMBER, which ME has posted, if a rank that it waits for has left that call to MPI, or the
 * communicator is broken; and raises the alarm of those who left it (cw_nbc_alarm). */
void cw_nbc_watch(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number);

/* What another rank than ME asked MPI for by its call INDEX. False: none did, or it is long ago. */
bool cw_nbc_left_call(const struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t index,
                      struct cw_nbc_asked *out);

/* Not 0 while the alarm of RANK of the host was raised on any communicator. */
_Atomic uint32_t *cw_nbc_alarm(const struct cw_nbc_node *node, uint32_t rank);

/*
 * A communicator can be left to MPI from some operation on, the same for all its ranks on this host, without waiting
 * for any: each claims an operation before it begins it, and none is begun that nobody had claimed when one rank closed
 * it.
 */
bool cw_nbc_claim(struct cw_nbc_node *node, uint32_t comm, uint64_t number);
void cw_nbc_close(struct cw_nbc_node *node, uint32_t comm);

/* [s] that a rank sleeps in ROUND, from 0 on, of waiting in vain: 0 in the first thousand, or, where ranks are CROWDED
 * on their cores, in the first alone; then 50, 100, 200 and 400 us, and 1 ms from there on. */
double cw_nbc_nap(unsigned round, bool crowded);

/* To be read before looking whether it is done, or whether there is something to do; then sleeps until something has
 * happened since, or SECONDS have passed. */
uint32_t cw_nbc_bell(const struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number);
void cw_nbc_sleep(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, uint32_t bell, double seconds);

/* 0, or CW_EIO with the first rank of the host whose process has ended. */
int cw_nbc_node_alive(const struct cw_nbc_node *node);

/* Who carries operations out: a worker, or a rank that waits. */
struct cw_nbc_executor {
    struct cw_nbc_node *node;
    uint32_t core; /* worker 0, 1, …; UINT32_MAX: a rank */
    char *buffers; /* of cw_nbc_buffers */
};

#define CW_NBC_CHUNK   (128u << 10)       /* bytes that are moved or combined at once: a few of them fit a cache */
#define CW_NBC_BATCH   (1u << 20)         /* the same of a worker, at most, where agents copy */
#define CW_NBC_BUFFERS (2 * CW_NBC_BATCH) /* bytes */

/* The CW_NBC_BUFFERS bytes, of the segment, of RANK of the host as an executor, or of worker CORE. */
char *cw_nbc_rank_buffers(const struct cw_nbc_node *node, uint32_t rank);
char *cw_nbc_worker_buffers(const struct cw_nbc_node *node, uint32_t core);

/* Carries out one piece of operation NUMBER of COMM, if one is to be had, for the rank ME, which waits for it. False:
 * there was nothing to do. */
bool cw_nbc_advance(const struct cw_nbc_executor *executor, uint32_t comm, uint32_t me, uint64_t number);

/* The same of whatever operation is in slot SLOT of 32, for a worker. */
bool cw_nbc_serve(const struct cw_nbc_executor *executor, uint32_t comm, uint64_t slot);

CW_END_DECLS

#endif
