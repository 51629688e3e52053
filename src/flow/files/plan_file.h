/*
 * What readers and writers of files of plans (doc/formats/plan.md) and moves have in common. Private to flow/.
 */
#ifndef CW_FLOW_PLAN_FILE_H
#define CW_FLOW_PLAN_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/plan.h"

CW_BEGIN_DECLS

#define CW_PLAN_FORMAT  "crosswind-plan"
#define CW_PLAN_VERSION 1

/* Plans of more paths that are the same everywhere (flow/quotient.h) are written as a rule. */
#define CW_PLAN_MOST_PATHS 65536

/* How messages of cw_plan_verify begin; one about a file names the file instead. */
#define CW_PLAN_BREACH "plan: "

/* Who relays in plans of PROBLEM: "switches", or where paths consist of legs "endpoints". */
const char *cw_plan_relays(const struct cw_flow_problem *problem);

/* As cw_plan_verify, but for the proof. */
int cw_plan_verify_paths(const struct cw_flow_problem *problem, const struct cw_plan *plan);

/* As cw_plan_verify, but that every path is the route of its demand by ROUTES. */
int cw_plan_verify_routes(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                          const struct cw_routes *routes);

#define CW_FINGERPRINT_SIZE 65 /* hexadecimal, with the 0 */

/* Tells networks apart by their wiring, so that the channels of a plan are those it was made for: the SHA-256 hash of
 * the numbers of endpoints and vertices, then of each channel's tail, port and head, all as 32 bits, least byte first.
 * Names, capacities and latencies do not count. */
void cw_plan_fingerprint(const struct cw_network *net, char fingerprint[CW_FINGERPRINT_SIZE]);

/* --- values, each checked where it is read ------------------------------------------------------------------------ */

#define CW_NOWHERE SIZE_MAX

/* Where in the file a value is: "demands[DEMAND].paths[PATH].KEY[INDEX]", without the parts that are CW_NOWHERE or
 * NULL. In files of moves lists have other names. */
struct cw_plan_place {
    const char *file;
    const char *demands, *paths; /* the names of the lists; NULL: as above */
    size_t demand, path;
    const char *key;
    size_t index;
};

/* Each returns 0, or CW_EPARSE with "FILE: WHERE is VALUE, expected EXPECTED". VALUE may be NULL: it is missing. */
int cw_plan_value_fail(const struct cw_plan_place *place, const json_t *value, const char *expected);
int cw_plan_value_integer(const struct cw_plan_place *place, const json_t *value, uint32_t min, uint32_t max,
                          uint32_t *out);
/* A number of bytes: whole, or above 2^63 - 1, where JSON readers have no number, a text of its digits. */
int cw_plan_value_bytes(const struct cw_plan_place *place, const json_t *value, uint64_t *out);
/* A number, 0 or more. A null stands for IF_NULL, unless that is 0. */
int cw_plan_value_real(const struct cw_plan_place *place, const json_t *value, double if_null, double *out);
/* The text EXPECTED and no other. */
int cw_plan_value_text(const struct cw_plan_place *place, const json_t *value, const char *expected);
/* OBJECT is an object without keys that KNOWN (ended by NULL) lacks: a misspelt key must not be ignored. */
int cw_plan_value_keys(const struct cw_plan_place *place, json_t *object, const char *const *known);

CW_END_DECLS

#endif
