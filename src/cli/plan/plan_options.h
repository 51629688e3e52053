/* Options of `crosswind plan`. */
#ifndef CW_CLI_PLAN_OPTIONS_H
#define CW_CLI_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/fabric.h"
#include "cli/verb.h"
#include "flow/files/flow_export.h"
#include "study/move/plan_case.h"

enum plan_model { PLAN_COUNTS, PLAN_FLOWS, PLAN_FLITS };

struct plan_options {
    /* what is to be moved */
    char *traffic, *anycast;
    uint64_t bytes;
    /* over what */
    char *routing, *lft, *repair;
    char *relays, *ways;
    int64_t max_relays, lmc;
    int host_limit; /* as the choices: auto, yes, no */
    /* how it is split */
    char *methods;
    int64_t k, max_hops, max_paths, maxload;
    int ties; /* enum cw_ties */
    double epsilon, budget;
    /* how it is carried */
    char *transport;
    uint64_t chunk; /* 0: that of the transport */
    int model;      /* enum plan_model: what it is priced by */
    /* files */
    char *plan, *check, *export, *channels, *moves;
    char *explain;
};

extern const struct cw_option plan_option_table[];

/* CW_EUSAGE for options that do not go together. */
int plan_options_check(const struct invocation *invocation);

/* CW_EUSAGE for options that none of the N methods looks at, or that mean nothing to plans with or without LEGS. */
int plan_options_use(const struct invocation *invocation, bool legs, const struct cw_method *const *methods, size_t n);

/* CW_EUSAGE for options that say which routes the network has: of a plan that is read, and looks at none. */
int plan_options_refuse_routes(const struct invocation *invocation);

/* Sets the paths wanted and the methods' setup (but its routes) of a case. */
void plan_options_case(const struct invocation *invocation, struct cw_plan_case *made);

/* Sets the transport of a case whose problem is made and that is solved by N methods; very many chunks are simulated in
 * groups, unless their size was given. CW_EUSAGE for parameters that mean nothing to these methods, and without a
 * transport for others than chunks and credits. */
int plan_options_transport(const struct invocation *invocation, const struct cw_method *const *methods, size_t n,
                           struct cw_plan_case *made);

/* The form of --export, which was given, and its file. */
enum cw_export plan_options_export(const struct plan_options *values, const char **path);

/* --- who relays, and by which routes data go between two who do --------------------------------------------------- */

/* True if INVOCATION's plans consist of legs on the routes of FABRIC; false: all its switches relay, and paths are
 * free.
 */
bool plan_has_legs(const struct invocation *invocation, const struct fabric *fabric);

/* CW_EUSAGE if --relays wants switches to relay, and one has not exactly one endpoint. */
int plan_check_relays(const struct invocation *invocation, const struct cw_network *net);

/* What cw_flow_problem_make is to know of the channels of endpoints. */
int plan_host_limit(const struct invocation *invocation);

/* Makes the legs of MADE, whose demands are there, of the routes of FABRIC. */
int plan_make_legs(struct invocation *invocation, const struct fabric *fabric, struct cw_plan_case *made);

/* Says in the result who relays, and over what. */
void plan_note_legs(struct invocation *invocation, const struct fabric *fabric, const struct cw_plan_case *made);

#endif
