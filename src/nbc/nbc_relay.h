/*
 * Operations that take in other hosts. The ranks of a host post them as they post all others, but neither workers nor
 * ranks carry them out: one thread of the host, the relay, looks at what was posted, composes it of operations of the
 * host and of messages to relays of other hosts, and ends it.
 *
 * What the relay has to do on the host it does on an inner communicator, of the same ranks and, last, itself: there it
 * posts parts of operations for all of them. The relay is a thread of the first worker, in the process of rank 0 of
 * the host.
 */
#ifndef CW_NBC_RELAY_H
#define CW_NBC_RELAY_H

#include "nbc/nbc_node.h"

CW_BEGIN_DECLS

/* What the first rank of a communicator notes for the relay. */
struct cw_nbc_note {
    uint64_t key;     /* the same on all hosts, another for each communicator; 0: it does not take in other hosts */
    uint32_t inner;   /* the inner communicator */
    uint32_t n_about; /* bytes … */
    uint64_t about;   /* … in the memory of that rank */
};

/* Operations on COMM that were posted before are found then. */
void cw_nbc_relay_note(struct cw_nbc_node *node, uint32_t comm, const struct cw_nbc_note *note);

/* How many communicators to look at: 0, 1, …; and whether COMM takes in other hosts, and has operations: a bit for each
 * slot. */
uint32_t cw_nbc_relay_comms(const struct cw_nbc_node *node);
uint64_t cw_nbc_relay_active(const struct cw_nbc_node *node, uint32_t comm, struct cw_nbc_note *note);

/* The ranks of COMM, as numbers of the host; *MEMBERS is the node's. */
uint32_t cw_nbc_relay_members(const struct cw_nbc_node *node, uint32_t comm, const uint32_t **members);

/* The operation in SLOT of COMM: *N_POSTED of its ranks have posted it, and what they ask for: *NOTE.a, or how they
 * clash. False: there is none, or it was failed by cw_nbc_relay_fail. */
bool cw_nbc_relay_look(const struct cw_nbc_node *node, uint32_t comm, uint64_t slot, uint64_t *number,
                       struct cw_nbc_work *work, uint32_t *n_posted, struct cw_nbc_clash_note *note);

/* The ranks of this host or of all have not asked for the same in operation NUMBER, and other hosts know: it ends for
 * those that have posted it, and for others when they do. */
void cw_nbc_relay_fail(struct cw_nbc_node *node, uint32_t comm, uint64_t number, const struct cw_nbc_clash_note *note);

/* Another host waits for operation NUMBER of the communicator KEY, which its ranks have begun by their call INDEX. What
 * the ranks of this host have done instead: all have begun it, some have not come that far, or one has left that call
 * to MPI. Then NOTE.b is what it asked for, and the rest says how that differs from NOTE.a, for which the others wait;
 * the communicator is broken, and the alarm of those who left it raised. */
enum cw_nbc_turn { CW_NBC_BEGUN, CW_NBC_TO_COME, CW_NBC_LEFT_BY_US };
enum cw_nbc_turn cw_nbc_relay_turn(struct cw_nbc_node *node, uint64_t key, uint64_t number, uint64_t index,
                                   struct cw_nbc_clash_note *note);

/* What RANK of COMM has posted there; false: nothing yet. */
bool cw_nbc_relay_part(const struct cw_nbc_node *node, uint32_t comm, uint64_t slot, uint32_t rank,
                       struct cw_nbc_part *out);

/* As cw_nbc_read and cw_nbc_write, of RANK of the host; HERE is anywhere in this process. */
int cw_nbc_relay_read(const struct cw_nbc_node *node, uint32_t rank, char *here, uint64_t there, size_t bytes);
int cw_nbc_relay_write(const struct cw_nbc_node *node, uint32_t rank, const char *here, uint64_t there, size_t bytes);

/* Operation NUMBER, which all have posted, is complete for all; ERROR: an errno, with the rank whose memory it was. */
void cw_nbc_relay_end(struct cw_nbc_node *node, uint32_t comm, uint64_t number, int error, uint32_t error_rank);

CW_END_DECLS

#endif
