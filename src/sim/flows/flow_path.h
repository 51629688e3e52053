/*
 * The longest path of a program that was simulated by flows (sim/flows/flow_sim.h): the chain of computations, sends
 * and ways through the network that decided its end. Each stretch of it begins when the one before it ends, and the
 * first one with the program, so that all together take as long as the program.
 *
 * It is found backwards. What was done last began when that was done which it waited for last, or when the processor or
 * the cable was free that another action had before; and so on.
 */
#ifndef CW_SIM_FLOW_PATH_H
#define CW_SIM_FLOW_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/flows/flow_sim.h"

CW_BEGIN_DECLS

enum cw_flow_part {
    CW_FLOW_COMPUTES,
    CW_FLOW_OVERHEAD, /* o, and g where that is longer than the message */
    CW_FLOW_LATENCY,  /* L and those of channels; also of what is asked before a message that waits for its receiver */
    CW_FLOW_BYTES,    /* at the rate that a message has if there is no other */
    CW_FLOW_WAITS,    /* the rest of the time that its bytes take: others share its channels */
    CW_FLOW_PARTS
};

/* A computation, the overhead of a send, the bytes of a message, or its latency. */
struct cw_flow_stretch {
    enum cw_flow_part part; /* but CW_FLOW_WAITS, which is a share of bytes */
    uint32_t rank;          /* that computes or sends */
    uint32_t peer;          /* that receives; of a computation none */
    uint64_t bytes;         /* of the message */
    double begin, end;      /* [s] */
    double waits;           /* s of these */
};

struct cw_flow_path {
    struct cw_flow_stretch *stretches; /* [n] from the beginning to the end; none takes no time */
    size_t n;
    double begin, end;           /* of the program */
    double parts[CW_FLOW_PARTS]; /* [s] of all stretches; their sum is end - begin */
    double *carried;             /* [channels] s of CW_FLOW_BYTES, each message's at the slowest channel of its way */
    double *waited;              /* [channels] s of CW_FLOW_WAITS, at the channel that was shared */
};

/* That of the program of job JOB, beside all other jobs of SETUP. CW_EUSAGE for flows without end, and as cw_flow_run.
 * Free with cw_flow_path_free. Time: two simulations; memory: 130 bytes an action, beside that of these. */
int cw_flow_path_find(const struct cw_flow_setup *setup, size_t job, struct cw_flow_path *out);
void cw_flow_path_free(struct cw_flow_path *path);

CW_END_DECLS

#endif
