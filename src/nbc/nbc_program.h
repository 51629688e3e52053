/*
 * What one host does in an exchange between hosts: a schedule (traffic/schedule.h) among them, from one host's place.
 * It is executed segment by segment: each block is cut into the same number of segments, and what the schedule says of
 * the block holds for each of them by itself. So one segment goes on while the next arrives, whatever the schedule is.
 *
 * A segment's data are those of this host, taken from its ranks if they give any (the first event), and then undergo
 * what the steps of its block say, each an event: sent, combined with what arrives, replaced by it. A step may be done
 * once the segment has had `after` events. Sends need the last change before them, and changes everything before them:
 * so what is combined with what, and in which order, is a matter of the schedule and not of who comes first.
 *
 * Between two changes hosts that are to be combined come in the order of the schedule. Where the vector is one block,
 * as in trees, it is the reverse order: that in which a broadcast serves them.
 */
#ifndef CW_NBC_PROGRAM_H
#define CW_NBC_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

struct cw_nbc_step {
    uint32_t block, after;
    bool reduces; /* what arrives is combined with what is here; else it replaces that */
};

/* All that goes to a peer, or comes from it, in order. */
struct cw_nbc_stream {
    uint32_t peer; /* its place */
    bool comes;
    uint32_t n;
    struct cw_nbc_step *steps; /* [n] of the program's */
};

/* The same for messages of any length. */
struct cw_nbc_program {
    uint32_t n_blocks, n_streams;
    struct cw_nbc_stream *streams; /* [n_streams] what comes first, then what goes */
    struct cw_nbc_step *steps;     /* of all, stream by stream */
    bool gives;                    /* the ranks of this host give something */
    uint32_t *taken;               /* [n_blocks] in the order in which they are first needed */
    uint32_t *complete;            /* [n_blocks] events after which the block is the result, … */
    uint32_t *given;               /* [n_blocks] … and blocks in the order in which they are */
};

/* Of PLACE among N; place 0 is the schedule's root. Messages without blocks are left out. CW_ENOMEM; whatever the
 * schedule fails with. O(messages of all). Free with cw_nbc_program_free, which accepts NULL. */
int cw_nbc_program_new(const struct cw_schedule *schedule, uint32_t n, uint32_t place, struct cw_nbc_program **out);
void cw_nbc_program_free(struct cw_nbc_program *program);

CW_END_DECLS

#endif
