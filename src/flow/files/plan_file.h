/*
 * What the reader and the writer of plan files (doc/formats/plan.md) have in common. Private to flow/.
 */
#ifndef CW_FLOW_PLAN_FILE_H
#define CW_FLOW_PLAN_FILE_H

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

#define CW_PLAN_FORMAT  "crosswind-plan"
#define CW_PLAN_VERSION 1

/* How messages of cw_plan_verify begin; one about a file names the file instead. */
#define CW_PLAN_BREACH "plan: "

/* Who relays in plans of PROBLEM: "switches", or where paths consist of legs "endpoints". */
const char *cw_plan_relays(const struct cw_flow_problem *problem);

#define CW_FINGERPRINT_SIZE 65 /* hexadecimal, with the 0 */

/* Tells networks apart by their wiring, so that the channels of a plan are those it was made for: the SHA-256 hash of
 * the numbers of endpoints and vertices, then of each channel's tail, port and head, all as 32 bits, least byte first.
 * Names, capacities and latencies do not count. */
void cw_plan_fingerprint(const struct cw_network *net, char fingerprint[CW_FINGERPRINT_SIZE]);

CW_END_DECLS

#endif
