/*
 * Moves: a plan as those who carry it out need it, a list of steps for each rank. The MPI transport, the flit simulator
 * and others run this list as it is; files of it (doc/formats/moves.md) need neither the network nor the plan.
 *
 * Ranks are the endpoints that take part, in the order of their numbers. Every path of a plan that has bytes is a
 * stream: bytes offset … offset + bytes - 1 of its demand, cut into chunks of chunk_bytes, of which the last is what is
 * left. Of one source those to the next rank come first, so that not all begin with the same destination. A stream goes
 * from rank to rank, source, relays, destination, each of which has one step for it:
 *
 *     send     chunk after chunk to rank `to`, from the data that the rank has from the start;
 *     forward  every chunk to rank `to` once it has come from rank `from`;
 *     receive  every chunk from rank `from` into its place, byte `offset` of the demand and following;
 *     combine  every chunk from rank `from` with its own data there, to which it is added.
 *
 * So chunk c of a forward depends on chunk c of the same stream from `from`. Data for several ranks, as a broadcast's,
 * go along a tree: a rank has a send for each rank that it sends them to, and one that receives them, too, sends on
 * each chunk once it has come. Data of all ranks that are added up go along a tree to its root: a rank combines what
 * comes with its own, and sends each chunk on once all have come that belong to it. Where the sum is for all, a rank
 * begins with sending and receiving it once it has done its part in the sum, so that the same memory holds both.
 * Nothing else depends on anything. Who relays is as the plan's problem says (flow/legs/legs.h): the endpoints between
 * legs; or, where every switch relays, the one endpoint of each switch that a path passes, its node; nobody, if the
 * plan is the network's own routes.
 *
 * The rule for who runs them: a rank is at work on all its steps at once. A relay has room for `credits` chunks of each
 * stream. Who sends to it has sent at most so many chunks of that stream that the relay has not sent on; a
 * destination has room for all; who combines takes at most `credits` chunks of each step at a time, and needs nobody
 * to do so. Chunks of a stream go in their order; which stream goes first is free. This cannot deadlock: no stream
 * waits for another one's room, of one stream the last rank that has a chunk can always send it, and no sum waits for
 * what is sent of one. No rank needs more memory than its own data and credits · chunk_bytes for each of its forwards
 * and combines.
 */
#ifndef CW_FLOW_MOVES_H
#define CW_FLOW_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "flow/plan.h"

CW_BEGIN_DECLS

/* How messages of cw_moves_verify begin; one about a file names the file instead. */
#define CW_MOVES_BREACH "moves: "

/* Bytes of a number that is added up: uint64, modulo 2^64. Chunks are of whole ones. */
#define CW_MOVES_ELEMENT 8

enum cw_step_kind { CW_STEP_SEND, CW_STEP_FORWARD, CW_STEP_RECEIVE, CW_STEP_COMBINE };

CW_API extern const char *const cw_step_names[]; /* "send", …: by enum cw_step_kind, ended by NULL */

struct cw_step {
    enum cw_step_kind kind;
    uint32_t stream;        /* the same number at all its ranks: with the other rank, a tag for messages */
    uint32_t demand;        /* index */
    uint64_t offset, bytes; /* of the demand's data; bytes > 0 */
    uint32_t from, to;      /* ranks; CW_NONE where nobody sends, or is sent to */
    uint32_t way;         /* to `to`, which of the routes of the plan's legs it takes, e.g. of which LID; CW_NONE: none
                           * of them, or nobody is sent to */
    size_t first_channel; /* the channels from this rank's endpoint to that of `to` … */
    uint32_t n_channels;  /* … in cw_moves.channels */
};

/* A demand, between ranks. */
struct cw_moves_demand {
    uint32_t src; /* CW_NONE: the sum of what all ranks have, number by number of CW_MOVES_ELEMENT bytes */
    uint32_t dst; /* CW_NONE: all others, each of which gets all bytes; of a sum, all */
    uint64_t bytes;
};

struct cw_moves {
    char *title;                     /* of the network, for people; NULL: it has none */
    char fingerprint[65];            /* of its wiring, as in plan files */
    char method[32];                 /* what made the plan */
    uint64_t chunk_bytes;            /* > 0 */
    uint32_t credits;                /* > 0 */
    double seconds;                  /* in which all is predicted to arrive; NaN: nobody said */
    double default_seconds;          /* … on the network's own routes, without a plan; NaN: nobody said */
    char model[16];                  /* that predicts: "flows" or "flits"; "": a simulated transport */
    struct cw_moves_demand *demands; /* [n_demands] */
    size_t n_demands;
    uint32_t n_ranks, n_streams;
    uint32_t *endpoints;   /* [n_ranks] of the network, ascending */
    char **names;          /* [n_ranks] of the endpoints */
    size_t *first_step;    /* [n_ranks + 1] where each rank's steps begin */
    struct cw_step *steps; /* of each rank in the order of streams; of one stream what takes it in, then sends */
    uint32_t *channels;
    size_t n_channels;
};

/* The moves of PLAN, which is rounded and verified: chunks of CHUNK_BYTES, CREDITS of them at a relay. CW_EUSAGE if one
 * of these is 0, or the plan relays at a switch that has no endpoint, or several: no rank could. Time and memory: the
 * hops of all paths. The result is verified. */
CW_API int cw_moves_make(const struct cw_flow_problem *problem, const struct cw_plan *plan, uint64_t chunk_bytes,
                         uint32_t credits, struct cw_moves *out);
CW_API void cw_moves_free(struct cw_moves *moves);

/* Carries the steps out on symbols and shares no code with what made them: who sends has the bytes, every stream goes
 * from its step to the one that expects it, steps agree on what it is, nobody waits for what nobody sends, and every
 * byte of every demand arrives at each of its destinations, once; of a sum with what every rank adds, once.
 * CW_EINTERNAL: "moves: ranks[3].steps[2]: …". Time: steps, times their logarithm. */
CW_API int cw_moves_verify(const struct cw_moves *moves);

/* 0 if the moves are of NET: its wiring, and every step's channels lead there from endpoint to endpoint, by way of
 * switches only. CW_EUSAGE if not. */
CW_API int cw_moves_check_network(const struct cw_moves *moves, const struct cw_network *net);

/* Where RANK's step for STREAM is among the steps, the first if it has several; SIZE_MAX: it has none. */
CW_API size_t cw_moves_find(const struct cw_moves *moves, uint32_t rank, uint32_t stream);

/* Where the steps of STREAM end that RANK has from step FIRST on: the last one's index, and 1. */
CW_API size_t cw_moves_end(const struct cw_moves *moves, uint32_t rank, size_t first);

/* Whether a demand is a sum. */
CW_API bool cw_moves_have_sums(const struct cw_moves *moves);

/* Whether STEP sends what is added up where it goes. */
CW_API bool cw_moves_adds(const struct cw_moves *moves, const struct cw_step *step);

/* Whether the data of DEMAND are for RANK. */
CW_API bool cw_moves_are_for(const struct cw_moves *moves, size_t demand, uint32_t rank);

/* Chunks of a stream of BYTES. */
CW_API uint64_t cw_moves_chunks(const struct cw_moves *moves, uint64_t bytes);

/* --- files: JSON, version 1, doc/formats/moves.md ----------------------------------------------------------------- */

#define CW_MOVES_FORMAT  "crosswind-moves"
#define CW_MOVES_VERSION 1

/* Appends MOVES to TEXT. 0 or CW_ENOMEM. */
CW_API int cw_moves_write(const struct cw_moves *moves, struct cw_text *text);

/* Reads what cw_moves_write wrote, and verifies it. CW_EPARSE with "FILE: ranks[3].steps[2].to is …, expected …" for a
 * file that is malformed or breaks a promise. */
CW_API int cw_moves_parse(const char *file, const char *data, size_t length, struct cw_moves *out);

CW_END_DECLS

#endif
