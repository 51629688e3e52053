/*
 * Messages between hosts, of the one thread of each that relays operations (nbc/nbc_relay.h), on a communicator of its
 * own. Ranks of that communicator are those of MPI_COMM_WORLD. Waits for nobody. An error of MPI ends the job, with
 * MPI's message.
 *
 * A flow is what one host sends another in one operation: segments, one after the other, of which a few are under way
 * at a time. Who receives says so first, with the tag that it has chosen for this flow; so nothing arrives that nobody
 * expects, and any number of operations of any communicators can be under way.
 */
#ifndef CW_MPI_NBC_WIRE_H
#define CW_MPI_NBC_WIRE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbc/nbc_collective.h"

#define NBC_WINDOW 4 /* segments of a flow that are under way at most, … */
#define NBC_WIDE   8 /* … of a wide one */

/* Opens the wire: collective over MPI_COMM_WORLD, as is closing it, when no flow is left. */
int nbc_wire_open(void);
void nbc_wire_close(void);

/* Takes what hosts that want to receive have said. To be called often; *ANY: something has come. */
void nbc_wire_look(bool *any);

/* What a host thinks of operation NUMBER of the communicator KEY, to PEER: what its ranks ask for (note.a), or how they
 * clash; VERDICT: what all are to think. */
void nbc_wire_tell(int peer, uint64_t key, uint64_t number, bool verdict, const struct cw_nbc_clash_note *note);

/* Takes one that has come, from whomever. False: none has. */
bool nbc_wire_hear(uint64_t key, uint64_t number, bool verdict, struct cw_nbc_clash_note *out);

/* Operation NUMBER of the communicator KEY, which ranks of PEER have begun by their call INDEX, and for which they
 * wait: `asked` is what for. */
struct nbc_question {
    uint64_t key, number, index;
    struct cw_nbc_asked asked;
    int peer;
    bool answered, by_verdict; /* whether the peer wants an answer, and which: nbc_wire_tell */
};

/* Asks PEER whether its ranks have left that call to MPI. */
void nbc_wire_ask(int peer, const struct nbc_question *question);

/* Gives each question that has come to ANSWER(STATE); the others, for which it returns false, come again the next time.
 */
void nbc_wire_answer(bool (*answer)(void *state, const struct nbc_question *question), void *state);

struct nbc_flow {
    int peer, tag; /* 0: not known yet */
    uint64_t key, number;
    bool incoming;
    bool wide; /* set before the first segment: one that is sent is done when the peer receives it, not when its memory
                  is free again, which tells nothing of what is still in the network */
    uint32_t begun, done; /* segments */
    MPI_Request requests[NBC_WIDE];
};

/* Of operation NUMBER of the communicator KEY, from or to PEER; at most one in each direction. */
void nbc_flow_receive(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number);
void nbc_flow_send(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number);

/* Whether the next segment may begin; begins it. */
bool nbc_flow_has_room(struct nbc_flow *flow);
void nbc_flow_begin(struct nbc_flow *flow, char *data, size_t bytes);

/* Counts the segments that have arrived, or were sent, in `done`; *ANY: one more. */
void nbc_flow_look(struct nbc_flow *flow, bool *any);

/* When all that have begun are done; does nothing to a zeroed one, which was never begun. */
void nbc_flow_end(struct nbc_flow *flow);

#endif
