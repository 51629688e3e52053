/*
 * Running a command in a testbed (study/testbed/testbed.h), which is made for it and taken down after it.
 *
 * A testbed is /run/crosswind-testbed/PID, with the scripts of study/testbed/testbed_script.h, and the namespaces
 * crosswind-PID-NODE. The folder is locked as long as the process PID runs, or a script that it began. Whatever ends
 * the command takes the testbed down, with all processes in it; what a killed process leaves behind is found by the
 * missing lock, and taken down when the next testbed is made. Nothing else is touched.
 */
#ifndef CW_STUDY_TESTBED_TESTBED_RUN_H
#define CW_STUDY_TESTBED_TESTBED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/testbed/testbed.h"

CW_BEGIN_DECLS

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
