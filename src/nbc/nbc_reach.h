/*
 * The memory of other processes of this host: cross-memory attach, or agents (nbc/nbc_agent.h).
 */
#ifndef CW_NBC_REACH_H
#define CW_NBC_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/decls.h"
#include "nbc/nbc_node.h"

CW_BEGIN_DECLS

/* Whether RANK of the host is in this process. */
bool cw_nbc_is_near(const struct cw_nbc_node *node, uint32_t rank);

/* Copies BYTES between HERE, in this process, and THERE, in that of RANK of the host, which may be this one. HERE is in
 * an executor's buffers if agents are asked. 0, or the errno: an address where nothing is, or what processors cannot
 * read, such as memory of a device, is an error, not a crash. */
int cw_nbc_read(const struct cw_nbc_node *node, uint32_t rank, void *here, uint64_t there, size_t bytes);
int cw_nbc_write(const struct cw_nbc_node *node, uint32_t rank, const void *here, uint64_t there, size_t bytes);

/* INTO[i] = INTO[i] op THERE[i]: INTO as HERE above, BYTES of THERE in the process of RANK; OTHER as INTO, room. */
int cw_nbc_combine_in(const struct cw_nbc_node *node, uint32_t rank, enum cw_nbc_type type, enum cw_nbc_op op,
                      void *into, void *other, uint64_t there, size_t bytes);

/* Whether this process can read BYTES at THERE, as far as their ends say; none can be read anywhere. Takes 0.2 µs. */
bool cw_nbc_is_readable(uint64_t there, size_t bytes);

/* Whether agents are asked for that much. */
bool cw_nbc_by_agents(const struct cw_nbc_node *node, size_t bytes);

/* 0 if the process PID can be read and written at THERE, where it has the 8 bytes EXPECTED; else CW_EIO with why, and
 * what to set. */
int cw_nbc_check_reach(pid_t pid, uint64_t there, uint64_t expected);

/* False once the process PID has ended, also if its parent has not noticed yet. */
bool cw_nbc_is_alive(pid_t pid);

CW_END_DECLS

#endif
