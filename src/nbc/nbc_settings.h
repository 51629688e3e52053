/*
 * What users say of nonblocking collectives, in the environment: one table, whose help is their description.
 */
#ifndef CW_NBC_SETTINGS_H
#define CW_NBC_SETTINGS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "nbc/nbc_between.h"
#include "nbc/nbc_tuning.h"

CW_BEGIN_DECLS

#define CW_NBC_PATH_SIZE 1024

enum cw_nbc_copy {
    CW_NBC_COPY_AUTO, /* attach where the kernel allows it, but for batches */
    CW_NBC_COPY_ATTACH,
    CW_NBC_COPY_SEGMENT /* agents, through what the ranks of the host share */
};

enum cw_nbc_tuning_state {
    CW_NBC_TUNING_OFF,   /* not asked for */
    CW_NBC_TUNING_NONE,  /* nothing was measured */
    CW_NBC_TUNING_UNFIT, /* it was, elsewhere; the message says what differs */
    CW_NBC_TUNING_USED
};

/* Plain data, which rank 0 gives to the others. */
struct cw_nbc_settings {
    bool on, verbose;
    uint64_t min;     /* bytes; what is shorter is left to MPI, … */
    bool min_given;   /* … unless something else was measured, and the user has not said it */
    uint64_t least;   /* what is shorter is left to MPI in any case */
    bool cores_given; /* else: cores that no rank needs */
    cpu_set_t cores;  /* communication cores */
    enum cw_nbc_copy copy;
    struct cw_nbc_sharing sharing;
    enum cw_nbc_tuning_state tuning_state;
    struct cw_nbc_tuning tuning;
    struct cw_nbc_between between;
    char fabric[CW_NBC_PATH_SIZE]; /* the file of nbc/nbc_fabric.h; empty: none. Read where a job spans hosts */
    bool fabric_kept;              /* it need not be there */
};

/* From the environment, and for programs of that MPI (as its library names itself) what was measured. CW_EUSAGE names
 * the variable; others are of the file that it names. */
int cw_nbc_settings_read(const char *mpi, struct cw_nbc_settings *out);

/* Once it is known how many CORES communicate: sets `least`, and leaves what was measured with other numbers out. */
void cw_nbc_settings_fit(struct cw_nbc_settings *settings, uint32_t cores);

/* Whether a collective of BYTES of each of RANKS is ours, and in which way; else it is left to MPI. EXACT: its result
 * is the same bytes in whatever order it is computed; others do not depend on what was measured. */
bool cw_nbc_settings_choose(const struct cw_nbc_settings *settings, enum cw_collective_kind collective, bool exact,
                            uint32_t ranks, uint64_t bytes, struct cw_nbc_sharing *sharing);

/* "2", "0-3,6". */
int cw_nbc_cores_parse(const char *what, const char *text, cpu_set_t *out);

CW_END_DECLS

#endif
