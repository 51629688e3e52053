/*
 * Agents: each rank has a thread that copies between the memory of its process and what the ranks of the host share,
 * whenever an executor asks for it. An executor's buffers lie there: it moves bytes from one rank to another by two
 * copies, as it does where it reaches both. Agents sleep until they are asked. A rank that executes pieces does the
 * work of its agent meanwhile.
 *
 * They serve where the kernel does not let processes reach each other's memory, and are faster where much is moved at
 * once: for cross-memory attach the kernel looks up each page, which takes longer than to copy it, three times as long
 * with pages of 4 KiB. To wake an agent and be woken again takes as long as to copy a quarter of a MiB.
 */
#ifndef CW_NBC_AGENT_H
#define CW_NBC_AGENT_H

#include <sched.h>

#include "nbc/nbc_node.h"

CW_BEGIN_DECLS

struct cw_nbc_agent;

/* Starts the agent of RANK, of this process, on processors CPUS (NULL: wherever the system likes). From then on this
 * process reaches others through agents. All ranks of the host have theirs before operations are posted. CW_EIO. */
int cw_nbc_agent_start(struct cw_nbc_node *node, uint32_t rank, const cpu_set_t *cpus, struct cw_nbc_agent **out);

/* Processes reach each other's memory by themselves, too (cw_nbc_node_check): agents are asked only where a worker
 * moves more than CW_NBC_CHUNK at once. Before operations are posted. */
void cw_nbc_agents_for_batches(struct cw_nbc_node *node);

/* After all executors of the host have ended. NULL is nobody's. */
void cw_nbc_agent_stop(struct cw_nbc_agent *agent);

CW_END_DECLS

#endif
