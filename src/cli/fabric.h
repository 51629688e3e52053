/*
 * The network and the routes a verb's arguments name.
 */
#ifndef CW_CLI_FABRIC_H
#define CW_CLI_FABRIC_H

#include "cli/verb.h"
#include "net/faults.h"
#include "net/network.h"
#include "net/selection.h"
#include "route/check.h"
#include "route/files/lft_file.h"
#include "route/routes.h"

struct fabric {
    struct cw_network *net;         /* whole, whoever takes part */
    struct cw_routes *routes;       /* of all of it; NULL unless the verb routes */
    struct cw_selection *selection; /* the endpoints that take part: those of --endpoints that are connected */
    struct cw_selection *asked;     /* those of --endpoints, where some of them are cut off; else NULL. `selection` has
                                     * it, too */
    struct cw_channel_changes faults; /* what it is without, and what is slow, in the network that was opened */
    uint64_t *changes;                /* [switches] entries that --repair has changed; NULL without it */
    bool has_report;
    struct cw_lft_report report; /* of --lft */
};

/* Opens SPEC_OR_FILE as INVOCATION's options say, and routes it if the verb does. The result's context then has
 * network, endpoints and routes; verbs add placement and traffic. Free with fabric_free, also after an error. */
int fabric_open(struct invocation *invocation, const char *spec_or_file, struct fabric *fabric);
/* The same without routes; then the endpoints that do not take part can be cut off the network. */
int fabric_open_network(struct invocation *invocation, const char *spec_or_file, struct fabric *fabric);
int fabric_cut(struct invocation *invocation, struct fabric *fabric);
void fabric_free(struct fabric *fabric);

/* "144 endpoints", or "72 of 144 endpoints" where not all take part; BUFFER has room for FABRIC_COUNT_SIZE. */
#define FABRIC_COUNT_SIZE 48
const char *fabric_count(const struct cw_network *net, const struct cw_selection *selection, char *buffer);

/* Says, of a network whose channels are not equally fast, what figures without a unit stand for: shares of the fastest
 * cable of an endpoint, and times there; or that all channels count as EQUAL. */
void fabric_note_speeds(struct cw_result *result, const struct cw_network *net, bool equal);

/* Routes the network of FABRIC, which has no routes yet, as ROUTING says. For verbs with routing options of their own.
 */
int fabric_route(struct invocation *invocation, const struct routing *routing, struct fabric *fabric);

/* Says in the result that NET is routed by SPEC unless told otherwise, the default of all verbs or of packets
 * (route/engine.h), and why; and of a network that was not generated that its own routes may be others, and, with
 * HAS_LFT, how to give its tables. */
int fabric_note_default(struct invocation *invocation, const struct cw_network *net, const char *spec, bool has_lft);

/* --- faults that the command line gives (--failed, --degraded), and what they mean for a network ------------------ */

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

/* --- deadlocks ---------------------------------------------------------------------------------------------------- */

/* Whose routes ROUTING gives on NET: "read" from files, "made" by a routing that somebody named or that is the
 * generated network's own, or "assumed": a fabric's own may differ. */
const char *routes_origin(const struct routing *routing, const struct cw_network *net);

/* Says in a sentence whether routes are free of deadlocks, with the cycle that was found. */
void deadlock_note(struct invocation *invocation, const struct cw_network *net, const struct cw_deadlock *deadlock);

#endif
