/*
 * A mover: one rank's part in moves (flow/moves/moves.h), on data. It knows what is to be sent and received next, in
 * whose memory, and what of that must wait; it sends nothing itself. Whoever has a network carries out its jobs in any
 * order and says when each is done:
 *
 *     while (!cw_mover_finished(mover)) {
 *         while (cw_mover_next(mover, &job)) begin JOB;
 *         for each job that has ended: cw_mover_done(mover, &job);
 *         for each message of room that has come: cw_mover_room(mover, stream, chunks);
 *     }
 *
 *   send     8 bytes at `sum` and then `bytes` at `data` are one message to `peer`.
 *   receive  the same from `peer`; both ends post the chunks of a stream in their order, and one network message must
 *            fill one receive in that order. What was received is checked against its sum when it is done.
 *   room     `peer` must be told that `chunk` chunks of `stream` have been sent on from here in all (cw_mover_room
 *            there). It has no data.
 *
 * The sum is made for demand, place and data by the source, and by a rank that sends on what it has checked, or what it
 * has combined. It travels with the chunk: who takes it in checks it, so that a chunk that was changed, or mistaken for
 * another, is found where it arrives first. It is XXH3 with 64 bits (Collet): it finds accidents, not malice. Where
 * ranks combine it protects the way from one to the next, and not what they do with their data.
 *
 * Data that are added up are overwritten: where a rank combines, by what they and those that have come amount to.
 *
 * Rooms are those of the rule that moves.h states, CW_MOVER_ROOM chunks at most. A stream has at most CW_MOVER_AHEAD
 * sends at a time under way, and as many receives at its destination, or `credits`, if fewer, where it is combined;
 * `held` says that the destination may have posted no receive for a send yet, which should then be begun so that it
 * waits for one.
 */
#ifndef CW_FLOW_MOVER_H
#define CW_FLOW_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/moves/moves.h"

CW_BEGIN_DECLS

#define CW_MOVER_ROOM  64 /* chunks of a stream that a relay takes at most, whatever the moves grant */
#define CW_MOVER_AHEAD 8

enum cw_job_kind { CW_JOB_SEND, CW_JOB_RECEIVE, CW_JOB_ROOM };

struct cw_job {
    enum cw_job_kind kind;
    bool held;
    uint32_t peer; /* rank of the moves */
    uint32_t stream;
    uint32_t part;      /* the mover's own: which of the rank's steps */
    uint64_t chunk;     /* of the stream; CW_JOB_ROOM: how many have been sent on */
    unsigned char *sum; /* 8 bytes; right before `data` if that is a relay's buffer */
    unsigned char *data;
    size_t bytes;
};

struct cw_mover;

/* RANK's part in MOVES, which are verified. DATA[d] is where demand d's bytes are, at its source, or are put, at a
 * destination; of a sum at every rank what it adds, and later, at a destination, the sum. Not looked at for other
 * demands. MOVES and what DATA points to are borrowed, the latter until the mover has finished. CW_ELIMIT for chunks
 * that do not fit a size_t. Memory: rooms of the rank's forwards and combines. */
CW_API int cw_mover_new(const struct cw_moves *moves, uint32_t rank, void *const *data, struct cw_mover **out);
CW_API void cw_mover_free(struct cw_mover *mover);

/* The next job to begin; false: none until something is done. Streams take turns. O(1), and the sum of what is sent. */
CW_API bool cw_mover_next(struct cw_mover *mover, struct cw_job *out);

/* JOB has ended. CW_EIO for a chunk that does not fit its sum: "chunk 3 of stream 1 (bytes … to … of h0's data for h2)
 * came corrupted to h1 from h0". */
CW_API int cw_mover_done(struct cw_mover *mover, const struct cw_job *job);

/* PEER has sent on CHUNKS of STREAM. CW_EIO if it has no reason to say so. */
CW_API int cw_mover_room(struct cw_mover *mover, uint32_t peer, uint32_t stream, uint64_t chunks);

/* Whether this rank has done all that MOVES give it. */
CW_API bool cw_mover_finished(const struct cw_mover *mover);

/* --- who waits for whom ------------------------------------------------------------------------------------------- */

/* The ranks that this one exchanges chunks with: [*n], ascending, each once. The mover's. */
CW_API const uint32_t *cw_mover_peers(const struct cw_mover *mover, uint32_t *n);

/* True if something is wanted of PEER now; then DETAIL says what, for a message: "chunk 3 of stream 1 (…) is awaited
 * from h0". O(the rank's steps). */
CW_API bool cw_mover_waits(const struct cw_mover *mover, uint32_t peer, char *detail, size_t size);

CW_END_DECLS

#endif
