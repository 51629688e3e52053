#include "nbc/nbc_agent.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "nbc/nbc_reach.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_thread_internal.h"

#define PAGE     4096  /* bytes: the smallest there is */
#define PATIENCE 20e-3 /* s, before an executor looks whether the process that it has asked is still there */

struct cw_nbc_agent {
    struct cw_nbc_node *node;
    uint32_t rank;
    _Atomic bool stop;
    pthread_t thread;
};

/* A buffer that is nowhere is an error of the operation; it costs a hundredth of copying to find out. */
static bool is_mapped(uint64_t address, size_t bytes)
{
    unsigned char resident[CW_NBC_BATCH / PAGE + 1];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = address / page * page;
    return mincore((void *)(uintptr_t)first, address + bytes - first, resident) == 0 || errno != ENOMEM;
}

static void carry_out(const struct cw_nbc_node *node, struct errand *errand)
{
    void *here = (char *)node->segment + errand->here, *there = (void *)(uintptr_t)errand->there;
    const bool usable = is_mapped(errand->there, errand->bytes) && cw_nbc_is_readable(errand->there, errand->bytes);
    errand->error = usable ? 0 : EFAULT;
    if (!errand->error && errand->kind == ERRAND_FETCH) memcpy(here, there, errand->bytes);
    if (!errand->error && errand->kind == ERRAND_STORE) memcpy(there, here, errand->bytes);
    if (!errand->error && errand->kind == ERRAND_COMBINE)
        cw_nbc_combine_for(errand->type, errand->op)(here, there, errand->bytes / cw_nbc_type_size(errand->type));
    errand->asked = 0;
    cw_nbc_futex_wake(&errand->asked);
}

bool cw_nbc_run_errands(const struct cw_nbc_node *node, uint32_t rank)
{
    const uint32_t n = node->segment->n_ranks + node->segment->n_workers;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mine = rank + 1;
        _Atomic uint32_t *asked = &node->errands[i].asked;
        if (*asked != mine || !atomic_compare_exchange_strong(asked, &mine, CW_NBC_BUSY)) continue;
        carry_out(node, &node->errands[i]);
        any = true;
    }
    return any;
}

int cw_nbc_ask(const struct cw_nbc_node *node, uint32_t rank, enum errand_kind kind, enum cw_nbc_type type,
               enum cw_nbc_op op, const void *here, uint64_t there, size_t bytes)
{
    struct errand *errand = &node->errands[(size_t)((const char *)here - node->buffers) / CW_NBC_BUFFERS];
    struct door *door = &node->doors[rank];
    errand->kind = kind;
    errand->type = type;
    errand->op = op;
    errand->here = (uint64_t)((const char *)here - (const char *)node->segment);
    errand->there = there;
    errand->bytes = bytes;
    errand->asked = rank + 1;
    door->bell++;
    if (door->waiting) cw_nbc_futex_wake(&door->bell);
    for (uint32_t asked; (asked = errand->asked) != 0;) {
        cw_nbc_futex_wait(&errand->asked, asked, PATIENCE);
        if (errand->asked == asked && !cw_nbc_is_alive(node->segment->ranks[rank].pid)) return ESRCH;
    }
    return errand->error;
}

static void *work(void *argument)
{
    struct cw_nbc_agent *agent = argument;
    struct door *door = &agent->node->doors[agent->rank];
    while (!agent->stop) {
        const uint32_t bell = door->bell;
        if (cw_nbc_run_errands(agent->node, agent->rank)) continue;
        door->waiting = 1;
        if (door->bell == bell) cw_nbc_futex_wait(&door->bell, bell, 0);
        door->waiting = 0;
    }
    return NULL;
}

int cw_nbc_agent_start(struct cw_nbc_node *node, uint32_t rank, const cpu_set_t *cpus, struct cw_nbc_agent **out)
{
    struct cw_nbc_agent *agent = cw_new_array(1, sizeof *agent, "an agent of a rank");
    if (!agent) return CW_ENOMEM;
    agent->node = node;
    agent->rank = rank;
    int rc = cw_nbc_thread_start(work, agent, cpus, &agent->thread);
    if (rc) {
        free(agent);
        return rc;
    }
    node->agents = true;
    *out = agent;
    return 0;
}

void cw_nbc_agents_for_batches(struct cw_nbc_node *node)
{
    node->attach = true;
}

void cw_nbc_agent_stop(struct cw_nbc_agent *agent)
{
    if (!agent) return;
    struct door *door = &agent->node->doors[agent->rank];
    agent->stop = true;
    door->bell++;
    cw_nbc_futex_wake(&door->bell);
    pthread_join(agent->thread, NULL);
    free(agent);
}
