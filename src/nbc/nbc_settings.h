/*
 * What users say of nonblocking collectives, in the environment: one table, whose help is their description.
 */
#ifndef CW_NBC_SETTINGS_H
#define CW_NBC_SETTINGS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "nbc/nbc_collective.h"

CW_BEGIN_DECLS

enum cw_nbc_schedule {
    CW_NBC_AUTO,      /* slices; ranks that wait take whatever is left */
    CW_NBC_SLICES,    /* communication cores take a fraction of every collective, ranks that wait the rest */
    CW_NBC_SPLIT_TREE /* the last S levels of a k-nomial tree are executed by the ranks */
};

/* Allgathers and alltoalls have none: split trees are CW_NBC_AUTO there. All have the other schedules. */
static inline bool cw_nbc_has_tree(enum cw_nbc_collective collective)
{
    return collective != CW_NBC_ALLGATHER && collective != CW_NBC_ALLTOALL;
}

enum cw_nbc_copy {
    CW_NBC_COPY_AUTO, /* attach where the kernel allows it, but for batches */
    CW_NBC_COPY_ATTACH,
    CW_NBC_COPY_SEGMENT /* agents, through what the ranks of the host share */
};

/* Plain data, which the first rank of a host gives to the others. */
struct cw_nbc_settings {
    bool on, verbose;
    uint64_t min;     /* bytes; what is shorter is left to MPI */
    bool cores_given; /* else: cores that no rank needs */
    cpu_set_t cores;  /* communication cores */
    enum cw_nbc_copy copy;
    enum cw_nbc_schedule schedule;
    double fraction;       /* slices: of the bytes, for communication cores */
    unsigned radix, steps; /* split tree: K, at least 2, and S */
};

/* From the environment. CW_EUSAGE names the variable. */
int cw_nbc_settings_read(struct cw_nbc_settings *out);

/* "auto", "slices:0.8", "binomial", "k-nomial:4", "split-tree:2" into the last four fields. WHAT names it in messages.
 */
int cw_nbc_schedule_parse(const char *what, const char *text, struct cw_nbc_settings *settings);

/* "2", "0-3,6". */
int cw_nbc_cores_parse(const char *what, const char *text, cpu_set_t *out);

CW_END_DECLS

#endif
