/*
 * A testbed: a network made real on one machine. Hosts and switches are Linux network namespaces, cables are pairs of
 * virtual Ethernet devices (veth), routes are static IP routes to the hosts' addresses, as forwarding tables have them.
 *
 * The plan made here is what is built, as data: what testbed_script.h turns into shell and testbed_run.c carries out.
 * It has the hosts asked for, and of the network what packets to them can pass: the switches on their routes and, as
 * these answer, too, on the switches' own; and the cables of these routes. Everything else is left out.
 *
 *   node   a host or a switch; hosts come first, in the order in which they were given. Its name is that of the vertex,
 *          made a host name (lower case letters, digits and '-'; a number behind it where two would be alike).
 * Addresses are 10.78.0.1, ... of hosts and 10.78.1.1, ... of switches. No packet leaves the namespaces. link   the
 * device at one end of a cable, and with it the channel that leaves there: eth0, eth1, ... of a host, pN at port number
 * N of a switch. It sends at a rate in proportion to the channel's capacity. Latencies are those of the machine. route
 * "at this node, to that host, by this link".
 *
 * A host with several cables has one address, which is that of eth0; it sends by the link that its own table names and
 * receives on any. Where its cables lead to separate networks, a switch can answer only hosts whose routes pass its
 * own.
 */
#ifndef CW_STUDY_TESTBED_TESTBED_H
#define CW_STUDY_TESTBED_TESTBED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

#define CW_TESTBED_HOSTS    16 /* at most: one machine's processors do the work of all */
#define CW_TESTBED_SWITCHES 20
#define CW_TESTBED_SUBNET   "10.78.0.0/24" /* that of the hosts */

#define CW_TESTBED_NAME_SIZE 64 /* with the 0: a host name has 63 characters at most */

struct cw_testbed_node {
    uint32_t vertex;
    char name[CW_TESTBED_NAME_SIZE];
    char address[16];
};

struct cw_testbed_link {
    uint32_t node;
    uint32_t channel;
    uint32_t peer; /* the link at the other end */
    char device[16];
    uint64_t rate; /* bit/s */
};

struct cw_testbed_route {
    uint32_t node, host, link;
};

struct cw_testbed {
    const struct cw_network *net; /* borrowed */
    uint32_t n_hosts, n_nodes;
    size_t n_links, n_routes;
    struct cw_testbed_node *nodes;   /* [n_nodes] */
    struct cw_testbed_link *links;   /* [n_links] by node, then channel */
    struct cw_testbed_route *routes; /* [n_routes] by node, then host */
};

/* Plans the testbed of the N endpoints HOSTS, all different, and ROUTES, which must depend on the destination only. The
 * fastest channel of the whole network gets RATE [byte/s], others in proportion. 0; CW_EUSAGE for other routes, fewer
 * than two hosts or a rate that cannot be had; CW_ELIMIT for too many hosts or switches; CW_EROUTE if a host has no
 * route to another. O(endpoints · switches) for the tables. */
int cw_testbed_plan(const struct cw_routes *routes, const uint32_t *hosts, uint32_t n, double rate, unsigned n_threads,
                    struct cw_testbed *out);
void cw_testbed_free(struct cw_testbed *testbed); /* also of a zeroed one */

/* --- running a command in it -------------------------------------------------------------------------------------- */

/*
 * A testbed that runs is /run/crosswind-testbed/PID, with the scripts of study/testbed/testbed_script.h, and the
 * namespaces crosswind-PID-NODE. The folder is locked as long as the process PID runs, or a script that it began.
 * Whatever ends the command takes the testbed down, with all processes in it; what a killed process leaves behind is
 * found by the missing lock, and taken down when the next testbed is made. Nothing else is touched.
 */

/* Makes TESTBED with room for QUEUE bytes before each channel and for so many MPI RANKS on each host, runs COMMAND
 * (ended by NULL) on the first host, or with EVERYWHERE on all of them at once, and takes TESTBED down. *STATUS is the
 * command's exit status, 128 + the signal that ended it, or of several the first that is not 0. Needs root and one
 * thread. SIGINT, SIGTERM and SIGHUP that come meanwhile are the command's affair: the first is passed on, unless a
 * terminal sent it to all, the next kills. CW_EINTERRUPTED if one came while TESTBED was made. CW_EUSAGE without root;
 * CW_EIO if the testbed cannot be made, of which its script has written the reason to stderr.
 */
int cw_testbed_run(const struct cw_testbed *testbed, uint64_t queue, uint32_t ranks, char *const *command,
                   bool everywhere, int *status);

CW_END_DECLS

#endif
