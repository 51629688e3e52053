/* The tables of `crosswind diff`. */
#ifndef CW_CLI_DIFF_TABLES_H
#define CW_CLI_DIFF_TABLES_H

#include "cli/fabric.h"
#include "net/network_match.h"
#include "route/check.h"
#include "route/route_changes.h"

/* A fabric at one of the two times. */
struct diff_side {
    struct fabric fabric;
    struct cw_routes *made;         /* tables for routes that are none, or NULL */
    const struct cw_routes *tables; /* these, or the fabric's routes */
    struct cw_reach reach;
    struct cw_deadlock deadlock;
};

struct diff {
    struct diff_side before, after;
    struct cw_network_match match;
    struct cw_route_changes changes;
};

#define DIFF_SHOWN 20 /* rows of a table that text shows */

/* How many of each there are, came, went and changed. */
int diff_add_summary(struct cw_result *result, const struct diff *diff);
/* Switches, endpoints and cables that came, went or changed, one by one. */
int diff_add_parts(struct cw_result *result, const struct diff *diff);
/* True if CHANNEL of the network after was there with another capacity. */
bool diff_other_speed(const struct cw_network_match *match, uint32_t channel);
/* Switches and destinations by changed entries and routes, the most first. */
int diff_add_switches(struct cw_result *result, const struct diff *diff);
int diff_add_destinations(struct cw_result *result, const struct diff *diff);
/* Channels between switches with more routes than before, those that gained most first. */
int diff_add_channels(struct cw_result *result, const struct diff *diff);
/* What the check of routes found before and after. */
int diff_add_routes(struct cw_result *result, const struct diff *diff);

#endif
