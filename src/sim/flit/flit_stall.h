/*
 * Why nothing moves any more, in words. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_STALL_H
#define CW_SIM_FLIT_FLIT_STALL_H

#include "base/decls.h"
#include "sim/flit/flit_task.h"

CW_BEGIN_DECLS

struct cw_flit_stall {
    const struct cw_network *net;
    uint64_t flits; /* in the network */
    uint64_t since; /* cycle */
    /* What a message at the head of an input queue of HOP waits for; false if there is none or it need not wait. HOP's
     * lane may be one that its channel does not have: false. */
    bool (*waits_for)(const void *simulation, struct cw_hop hop, struct cw_hop *next);
    const void *simulation;
};

/* CW_EROUTE with who waits for whom. */
int cw_flit_explain_stall(const struct cw_flit_stall *stall);

CW_END_DECLS

#endif
