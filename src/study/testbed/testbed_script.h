/*
 * A testbed (study/testbed/testbed.h) as shell: the script that makes it and those by which one works in it. They need
 * root, the program ip and tc of iproute2, and unshare and mount.
 */
#ifndef CW_STUDY_TESTBED_TESTBED_SCRIPT_H
#define CW_STUDY_TESTBED_TESTBED_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "study/testbed/testbed.h"

CW_BEGIN_DECLS

/* Where a testbed is. Scripts have these names as they are: letters, digits, '-' and '/' only. */
struct cw_testbed_place {
    const char *prefix; /* of its namespaces: node h0 is the namespace PREFIXh0 */
    const char *folder; /* its files: those of cw_testbed_hosts and cw_testbed_slots as "hosts", "slots" and "hydra",
                           the scripts  as "enter" and "agent" */
    uint64_t queue;     /* bytes that wait for a channel at most */
    uint32_t ranks;     /* MPI ranks on each host */
    bool preload;       /* "libcrosswind-ranks.so" is there, too: the library of src/preload */
};

/* The script that makes it. Nothing is touched but the namespaces of the prefix, which must not be there. It ends at
 * the first error, with what it has made. ABOUT is a comment at its head. */
void cw_testbed_make_script(const struct cw_testbed *testbed, const struct cw_testbed_place *place, const char *about,
                            struct cw_text *text);

/* What /etc/hosts is on every node. */
void cw_testbed_hosts(const struct cw_testbed *testbed, struct cw_text *text);

/* What launchers of MPI programs call a host file: a line for each host, its name and, behind BETWEEN, the number of
 * its ranks. BETWEEN is " slots=" for Open MPI, ":" for Hydra of MPICH. */
void cw_testbed_slots(const struct cw_testbed *testbed, const struct cw_testbed_place *place, const char *between,
                      struct cw_text *text);

/* "enter NODE COMMAND [ARG...]" runs a command there, with that host name, those hosts and in the environment
 *   CROSSWIND_TESTBED_HOSTS   the hosts' names with ',' between two
 *   CROSSWIND_TESTBED_SIZE    their number
 *   CROSSWIND_TESTBED_RANK    the number of this one, from 0; not on switches
 *   CROSSWIND_TESTBED_SUBNET  that of the hosts' addresses
 *   CROSSWIND_TESTBED_AGENT   the script "agent"
 * and in the environment by which mpirun of Open MPI and of MPICH starts ranks on all hosts, in their order, that talk
 * over the network and leave the processors to each other while they wait: for that all processes load
 * the library of src/preload, if it is there. */
void cw_testbed_enter_script(const struct cw_testbed *testbed, const struct cw_testbed_place *place,
                             struct cw_text *text);

/* "agent [-OPTION...] HOST WORD..." does the same for a line of shell, as rsh and ssh do: by it launchers of MPI
 * programs reach other hosts. */
void cw_testbed_agent_script(const struct cw_testbed_place *place, struct cw_text *text);

CW_END_DECLS

#endif
