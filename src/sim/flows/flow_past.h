/*
 * What a simulation of flows (sim/flows/flow_sim.h) writes down of each action when it is asked to: when each step of
 * it was, and what had to be done first. sim/flows/flow_path.h follows that back from the end.
 */
#ifndef CW_SIM_FLOW_PAST_H
#define CW_SIM_FLOW_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/flows/flow_sim.h"

#define CW_FLOW_NONE UINT32_MAX

/* Actions are counted through all jobs; times [s]. Of a send alone is what comes from `left` on. */
struct cw_flow_past {
    uint32_t cause;  /* the action that was done last of those that it waits for; NONE: it waits for none */
    uint32_t server; /* what its processor was busy with until it began with it; NONE: with nothing */
    uint32_t ahead;  /* the last send before it by its cable; NONE: there is none */
    double ready;    /* what it waits for is done */
    double served;   /* its processor begins with it */
    double done;
    double left;             /* its processor is done with it */
    double asked;            /* it begins as soon as its cable is free, from now on */
    double started, through; /* its first byte leaves; its last byte has left */
    bool receiver_late;      /* it had to wait until its receiver was there, beside asking for it */
    double alone;            /* byte/s if there were no other message; 0: nothing limits it, or it has no bytes */
    uint32_t narrow;         /* the channel that this rate is of */
    bool watched;            /* in: what it waits for counts; of what follows a run keeps track */
    double rate;
    uint32_t bottleneck; /* the channel that decides that */
};

/* As cw_flow_run_sized, with PAST [actions of all jobs], of which only `watched` is read; and WAITED [channels, zeroed]
 * gets the time that bytes of those sends lost at each channel to others: bytes / rate - bytes / rate alone. What a
 * limit of a host or a rank costs counts for the first cable of its endpoint. */
int cw_flow_run_noted(const struct cw_flow_setup *setup, struct cw_flow_past *past, double *waited, double *job_ends,
                      struct cw_flow_result *out);

#endif
