/*
 * The memory of other processes of this host: cross-memory attach.
 */
#ifndef CW_NBC_REACH_H
#define CW_NBC_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Copies BYTES between HERE, in this process, and THERE, in the process PID, which may be this one. 0, or the errno: a
 * bad address is an error, not a crash, unless it is of this process. */
int cw_nbc_read(pid_t pid, void *here, uint64_t there, size_t bytes);
int cw_nbc_write(pid_t pid, const void *here, uint64_t there, size_t bytes);

/* 0 if the process PID can be read and written at THERE, where it has the 8 bytes EXPECTED; else CW_EIO with why, and
 * what to set. */
int cw_nbc_check_reach(pid_t pid, uint64_t there, uint64_t expected);

/* False once the process PID has ended, also if its parent has not noticed yet. */
bool cw_nbc_is_alive(pid_t pid);

CW_END_DECLS

#endif
