/*
 * What is within a recording: recording.c reads it, recording_program.c makes a program of it.
 */
#ifndef CW_TRAFFIC_RECORDING_INTERNAL_H
#define CW_TRAFFIC_RECORDING_INTERNAL_H

#include "traffic/collectives.h"
#include "traffic/recorded/recording.h"

#define CW_RECORDING_NONE       UINT32_MAX
#define CW_RECORDING_PROCESSORS 8192 /* of a machine, at most */

enum cw_recorded_kind {
    CW_RECORDED_SEND,
    CW_RECORDED_RECEIVE,
    CW_RECORDED_COLLECTIVE, /* a schedule */
    CW_RECORDED_SCAN,
    CW_RECORDED_PARTS,  /* straight messages of a collective: the parts … */
    CW_RECORDED_PART,   /* … that follow: to whom, how much */
    CW_RECORDED_DONE,   /* of what goes on beside the program */
    CW_RECORDED_DROPPED /* cancelled, or its other end is missing */
};

/* Something that a call does. */
struct cw_recorded_op {
    enum cw_recorded_kind kind;
    enum cw_collective_kind collective;
    uint32_t request; /* NONE: the call waits until it is done */
    uint32_t comm;
    uint32_t peer; /* of a message: rank in the world, NONE: not known; of a part: in COMM; of a collective: its root */
    uint32_t tag;
    uint64_t bytes;
};

struct cw_recorded_line {
    uint32_t call; /* in calls */
    uint32_t words_length;
    int64_t begin, gap, duration; /* ns */
    size_t words;                 /* where in text */
    size_t first_op;              /* up to that of the next line */
};

struct cw_recorded_rank {
    struct cw_recorded_line *lines; /* [n_lines] */
    size_t n_lines, lines_room;
    struct cw_recorded_op *ops; /* [n_ops] */
    size_t n_ops, ops_room;
    size_t *requests; /* [n_requests] the op that began it */
    size_t n_requests, requests_room;
    uint32_t *comms; /* [n_comms] its communicators, by the rank's own numbers */
    size_t n_comms, comms_room;
    uint64_t next_block;
    int64_t computed, in_mpi; /* ns */
    int64_t waited;           /* for a processor [ns]; negative: unknown */
    bool lost, ended;         /* a block is missing; MPI_Finalize was reached */
};

/* Of all ranks. The ORDINAL-th one of these members that any of them made. */
struct cw_recorded_comm {
    uint32_t members;
    uint32_t ordinal;
};

struct cw_recorded_members {
    uint32_t n;
    uint32_t *world; /* [n] by their ranks in the communicator; NULL: an intercommunicator, which needs none */
    uint64_t hash;
    char *text; /* as it was written */
};

/* A machine with ranks. */
struct cw_recorded_machine {
    uint32_t name, ranks;
    uint64_t processors[CW_RECORDING_PROCESSORS / 64]; /* a bit for each that one of them may use */
};

struct cw_recording {
    char *text;
    uint32_t n_ranks;
    struct cw_recorded_rank *ranks; /* [n_ranks] */
    struct cw_recorded_members *members;
    size_t n_members, members_room;
    struct cw_recorded_comm *comms;
    size_t n_comms, comms_room;
    struct cw_recorded_calls *calls;
    size_t n_calls, calls_room;
    struct cw_recorded_machine *machines;
    size_t n_machines, machines_room;
};

#endif
