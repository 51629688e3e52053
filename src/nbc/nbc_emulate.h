/*
 * Emulation: the engine that carries collectives out, with all its threads, locks and schedules, on more cores than
 * there are. Ranks and workers are threads; instead of moving bytes, and instead of computing, they sleep, so that 64
 * of them need no more than a fraction of a core. What is emulated is the order of things; cores do not slow each other
 * down.
 */
#ifndef CW_NBC_EMULATE_H
#define CW_NBC_EMULATE_H

#include "base/decls.h"
#include "nbc/nbc_node.h"

CW_BEGIN_DECLS

struct cw_nbc_emulation {
    enum cw_collective_kind collective; /* that has a tree */
    uint32_t n, communication;          /* ranks, one an application core; P, communication cores; both at least 1 */
    enum cw_nbc_schedule schedule;
    uint32_t radix;  /* split tree: K; 0: 2 */
    uint32_t steps;  /* split tree: S */
    double fraction; /* slices: f */
    double compute;  /* units that each rank computes, ≥ 0 */
    double unit;     /* s, > 0: what moving a whole message, or a block, between two ranks takes; 10 ms: within 2 % */
};

/* *TIME: units from the start to the last rank's end. Takes that long. CW_EUSAGE, CW_ENOMEM, CW_EIO. */
int cw_nbc_emulate(const struct cw_nbc_emulation *setup, double *time);

CW_END_DECLS

#endif
