/*
 * How flits are simulated, as users say it: what switches and messages are like, and for how long a load is measured.
 */
#ifndef CW_STUDY_FLIT_FLIT_HOW_H
#define CW_STUDY_FLIT_FLIT_HOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/option.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"

CW_BEGIN_DECLS

/* Bytes of an input buffer for each lane of which nothing is said, unless round trips need more. */
#define CW_FLIT_INPUT_BUFFER 4096

/* The values of cw_flit_how_options, and of those that simulate loads cw_flit_load_options: a verb has them of its
 * command line, others by cw_flit_how_init. */
struct cw_flit_how {
    char *warmup; /* of loads, as the next */
    bool allow_deadlock;
    char *message;
    char *hardware; /* cw_flit_hardware_parameters; NULL: none of them */
    char *allocator, *queues, *buffers, *marking, *rate_control, *implementation;
};

extern const struct cw_option cw_flit_how_options[];
extern const struct cw_option cw_flit_load_options[];
extern const struct cw_option cw_flit_hardware_parameters[];

/* What nobody says anything of. Free with cw_flit_how_free also after an error, CW_ENOMEM. */
int cw_flit_how_init(struct cw_flit_how *how);
void cw_flit_how_free(struct cw_flit_how *how);

/* How long a load is measured. */
struct cw_flit_span {
    char *cycles, *until_ci; /* NULL or "auto", or a number; NULL, or a share of the mean */
    double time, confidence; /* [s], 0: by cycles; of the interval */
};

/* The hardware that HOW describes for NET; CW_EUSAGE where sizes are no whole flits. *MESSAGES gets how
 * long messages are. Input buffers of which nothing is said (*AUTOMATIC) cover the longest round trip. */
int cw_flit_how_hardware(const struct cw_flit_how *how, const struct cw_network *net, struct cw_flit_hardware *hardware,
                         struct cw_flit_messages *messages, bool *automatic);

/* Warm-up of HOW before a few cycles, with which jobs that never end begin. */
int cw_flit_how_warmup(const struct cw_flit_how *how, struct cw_steady_setup *steady);

/* Warm-up, cycles and confidence of the steady state at a given load; or in a sweep (SWEEP), where what is left to the
 * program is short, for no steady state is measured, but whether a load is accepted. */
int cw_flit_how_steady(const struct cw_flit_span *span, const struct cw_flit_how *how,
                       const struct cw_flit_hardware *hardware, bool sweep, struct cw_steady_setup *steady);

CW_END_DECLS

#endif
