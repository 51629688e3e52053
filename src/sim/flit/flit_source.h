/*
 * What a rank under continuous or finite load sends, one message after another. Nothing is queued: a source knows when
 * its next message is there, and where it goes is drawn when it is taken, so an unbounded queue costs nothing.
 *
 * Message n of a rank takes the words 3n, 3n + 1 and 3n + 2 of the rank's own stream: for the time until the message
 * after it, its destination, and its routing; in a mix the word 2^64 - 1 - n, for its length. Keys come from the
 * counter-based generator, so the streams of two ranks have nothing to do with each other.
 */
#ifndef CW_SIM_FLIT_FLIT_SOURCE_H
#define CW_SIM_FLIT_FLIT_SOURCE_H

#include <stdint.h>

#include "base/decls.h"
#include "sim/flit/flit.h"

CW_BEGIN_DECLS

/* How long it is from the beginning of one message to that of the next one, where every cycle begins one with the same
 * probability: a logarithm of a random number, rounded down, which most numbers' first bits tell. */
struct cw_flit_gaps {
    double log_stay;   /* logarithm of the probability that a cycle begins no message */
    uint64_t period;   /* 2^-20 cycles in which the channel of the source moves a flit */
    uint8_t sure[256]; /* by the first byte of the random number, cycles if its other bits make no difference, else 0 */
    struct cw_flit_gaps *next; /* the owner's */
    uint64_t flits;            /* of all messages of a source: FINITE; else UINT64_MAX */
    /* A mix of lengths; 0: all messages have the job's */
    uint32_t n_sizes;
    uint32_t sizes[CW_FLIT_SIZES]; /* flits, */
    uint64_t up_to[CW_FLIT_SIZES]; /* and the greatest random number that makes a message so long */
};

/* Those of the messages of JOB on channels of PERIOD, in flits of FLIT_BYTES. */
void cw_flit_gaps_fill(struct cw_flit_gaps *gaps, const struct cw_flit_job *job, uint32_t flit_bytes, uint64_t period);

/* The cycles that RANDOM makes. */
uint64_t cw_flit_gap(const struct cw_flit_gaps *gaps, uint64_t random);

struct cw_flit_source {
    const struct cw_flit_job *job;
    const struct cw_flit_gaps *gaps;
    uint32_t rank;
    uint64_t key;
    uint64_t ready;      /* cycle in which the next message is there; UINT64_MAX: there is no other */
    uint64_t number;     /* of the next message */
    uint64_t flits_left; /* FINITE: of the next message and all after it; CONTINUOUS: never 0 */
};

struct cw_flit_message {
    uint64_t ready;
    uint32_t rank; /* it goes to; the sender's own: it is not sent */
    uint32_t flits;
    uint64_t random; /* for its routing */
};

#define CW_FLIT_CYCLE (UINT64_C(1) << 20) /* a cycle, in the units of periods */

/* Flits that hold BYTES, at least 1. */
uint64_t cw_flit_flits_of(uint64_t bytes, uint32_t flit_bytes);

/* The source of RANK of JOB (not a schedule). Borrows both. */
struct cw_flit_source cw_flit_source_of(const struct cw_flit_job *job, const struct cw_flit_gaps *gaps, uint32_t rank,
                                        uint64_t seed);

/* The next message, which is there since `ready`. There must be one. */
void cw_flit_source_take(struct cw_flit_source *source, struct cw_flit_message *message);

CW_END_DECLS

#endif
