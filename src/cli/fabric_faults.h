/*
 * Faults that the command line gives to a network (--failed, --degraded), and what they mean for it.
 */
#ifndef CW_CLI_FABRIC_FAULTS_H
#define CW_CLI_FABRIC_FAULTS_H

#include "cli/fabric.h"

/* Puts the network of FABRIC, just opened, into the state that --failed and --degraded describe, and says what is
 * missing. */
int fabric_add_faults(struct invocation *invocation, struct fabric *fabric);

/* Names the cables of NET that work in one direction only, each by that direction. */
int fabric_note_one_way(struct invocation *invocation, const struct cw_network *net);

/* Names the endpoints that are cut off from most others, and says how many pairs that is. They leave FABRIC's
 * selection, unless pairs without a route are the verb's result, or count in it: then the selection has its parts, and
 * the exit status is that of a check that found something. */
int fabric_leave_cut_off(struct invocation *invocation, struct fabric *fabric);

/* After the tables ROUTING->lft were read into FABRIC's routes: if there are faults, or a repair is asked for, finds
 * the pairs that have lost their routes and repairs these by the routing --repair names; without one they are an error,
 * unless the verb reports them. */
int fabric_repair(struct invocation *invocation, const struct routing *routing, struct fabric *fabric);

#endif
