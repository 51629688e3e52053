/*
 * The cores of a machine that a job may use, as hwloc and the kernel's control groups have it.
 */
#ifndef CW_STUDY_MACHINE_CORES_H
#define CW_STUDY_MACHINE_CORES_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_machine_core {
    uint32_t cpu;           /* the kernel's number of its first processing unit */
    uint32_t package, node; /* socket and NUMA node, from 0 */
};

struct cw_machine_cores {
    struct cw_machine_core *items; /* that this process may use, by position in the machine */
    size_t n, all;                 /* all: of the machine */
    double quota;                  /* processors' worth of time that control groups allow; INFINITY: no limit */
};

/* Of this machine (SYNTHETIC NULL), or of one that hwloc's language describes, "pack:2 numa:1 core:24 pu:2": then
 * without a limit. CW_EUSAGE for what is none. Free with cw_machine_cores_free. */
int cw_machine_cores_read(const char *synthetic, struct cw_machine_cores *out);
void cw_machine_cores_free(struct cw_machine_cores *cores);

/* The limit that the control group of a process has (MEMBERSHIP: what /proc/self/cgroup says), or one above it, in the
 * tree mounted at ROOT: cpu.max of version 2, cpu.cfs_quota_us of version 1. */
double cw_machine_quota(const char *root, const char *membership);

CW_END_DECLS

#endif
