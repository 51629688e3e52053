#include "nbc/nbc_node.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "nbc/nbc_reach.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_tree.h"

#define MAGIC 0x6377206e62632031u
#define SPINS 200 /* before a holder is taken to have lost its processor */

void cw_nbc_acquire(struct cw_nbc_lock *lock)
{
    for (unsigned spins = 0;; spins++) {
        uint32_t free = 0;
        if (!atomic_load_explicit(&lock->held, memory_order_relaxed) &&
            atomic_compare_exchange_weak_explicit(&lock->held, &free, 1, memory_order_acquire, memory_order_relaxed))
            return;
        if (spins >= SPINS) sched_yield();
    }
}

void cw_nbc_release(struct cw_nbc_lock *lock)
{
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}

void cw_nbc_futex_wait(_Atomic uint32_t *word, uint32_t value, double seconds)
{
    struct timespec limit = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    syscall(SYS_futex, word, FUTEX_WAIT, value, seconds > 0 ? &limit : NULL, NULL, 0);
}

void cw_nbc_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void cw_nbc_tell(const struct cw_nbc_node *node)
{
    node->segment->news++;
    if (node->segment->sleepers > 0) cw_nbc_futex_wake(&node->segment->news);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Where things are. */
static void lay_out(struct cw_nbc_node *node, uint32_t n_ranks, uint32_t n_workers)
{
    const size_t executors = (size_t)n_ranks + n_workers;
    const size_t doors = round_up(sizeof(struct segment) + n_ranks * sizeof(struct process), CW_NBC_LINE);
    const size_t errands = doors + n_ranks * sizeof(struct door);
    const size_t buffers = round_up(errands + executors * sizeof(struct errand), 4096);
    const size_t places = buffers + executors * CW_NBC_BUFFERS;
    node->doors = (void *)((char *)node->segment + doors);
    node->errands = (void *)((char *)node->segment + errands);
    node->buffers = (char *)node->segment + buffers;
    node->members = sizeof(struct comm);
    node->slots = round_up(node->members + (n_ranks + 1) * sizeof(uint32_t), CW_NBC_LINE);
    node->posts = node->slots + CW_NBC_RING * sizeof(struct slot);
    node->stride = round_up(node->posts + CW_NBC_RING * (n_ranks + 1) * sizeof(struct post), 4096);
    node->bytes = places + CW_NBC_COMMS * node->stride;
    node->places = (char *)node->segment + places;
}

/* Pages that nobody has written take no memory. */
static int map(struct cw_nbc_node *node, uint32_t n_ranks, uint32_t n_workers)
{
    node->trees = cw_nbc_trees_new();
    if (!node->trees) return CW_ENOMEM;
    lay_out(node, n_ranks, n_workers);
    void *segment = mmap(NULL, node->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, node->fd, 0);
    if (segment == MAP_FAILED) return cw_fail_memory(node->bytes, "what the ranks of a host share");
    node->segment = segment;
    lay_out(node, n_ranks, n_workers);
    return 0;
}

static int create(struct cw_nbc_node *node, uint32_t n_ranks, uint32_t n_workers)
{
    node->fd = memfd_create("crosswind-nbc", MFD_CLOEXEC);
    if (node->fd < 0) return cw_fail(CW_EIO, "memfd_create: %s", strerror(errno));
    lay_out(node, n_ranks, n_workers);
    if (ftruncate(node->fd, (off_t)node->bytes) != 0)
        return cw_fail(CW_EIO, "what the ranks of a host share: %s", strerror(errno));
    return map(node, n_ranks, n_workers);
}

int cw_nbc_node_new(uint32_t n_ranks, uint32_t n_workers, struct cw_nbc_node **out)
{
    struct cw_nbc_node *node = cw_new_array(1, sizeof *node, "the ranks of a host");
    if (!node) return CW_ENOMEM;
    int rc = create(node, n_ranks, n_workers);
    if (rc) {
        cw_nbc_node_free(node);
        return rc;
    }
    node->segment->magic = MAGIC;
    node->segment->n_ranks = n_ranks;
    node->segment->n_workers = n_workers;
    *out = node;
    return 0;
}

int cw_nbc_node_file(const struct cw_nbc_node *node)
{
    return node->fd;
}

void cw_nbc_node_close(struct cw_nbc_node *node)
{
    close(node->fd);
    node->fd = -1;
}

/* Reads how many ranks there are, then maps all. */
static int attach(struct cw_nbc_node *node, const char *path)
{
    struct segment head;
    node->fd = open(path, O_RDWR | O_CLOEXEC);
    if (node->fd < 0 || pread(node->fd, &head, sizeof head, 0) != (ssize_t)sizeof head || head.magic != MAGIC)
        return cw_fail(CW_EIO,
                       "%s, which ranks of this host are to share, cannot be opened: another PID namespace, or "
                       "another user",
                       path);
    return map(node, head.n_ranks, head.n_workers);
}

int cw_nbc_node_attach(pid_t pid, int fd, struct cw_nbc_node **out)
{
    char path[64];
    struct cw_nbc_node *node = cw_new_array(1, sizeof *node, "the ranks of a host");
    if (!node) return CW_ENOMEM;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    int rc = attach(node, path);
    if (rc) cw_nbc_node_free(node);
    if (!rc) *out = node;
    return rc;
}

void cw_nbc_node_free(struct cw_nbc_node *node)
{
    if (!node) return;
    if (node->segment) munmap(node->segment, node->bytes);
    cw_nbc_trees_free(node->trees);
    if (node->fd >= 0) close(node->fd);
    free(node);
}

void cw_nbc_node_join(struct cw_nbc_node *node, uint32_t rank)
{
    node->segment->ranks[rank] = (struct process){getpid(), (uint64_t)(uintptr_t)node->segment};
}

char *cw_nbc_rank_buffers(const struct cw_nbc_node *node, uint32_t rank)
{
    return node->buffers + (size_t)rank * CW_NBC_BUFFERS;
}

char *cw_nbc_worker_buffers(const struct cw_nbc_node *node, uint32_t core)
{
    return cw_nbc_rank_buffers(node, node->segment->n_ranks + core);
}

int cw_nbc_node_check(const struct cw_nbc_node *node)
{
    int rc = 0;
    for (uint32_t rank = 0; rank < node->segment->n_ranks && !rc; rank++) {
        const struct process *process = &node->segment->ranks[rank];
        rc = cw_nbc_check_reach(process->pid, process->address + offsetof(struct segment, magic), MAGIC);
    }
    return rc;
}

static void clear(struct cw_nbc_node *node, uint32_t comm)
{
    for (uint64_t number = 0; number < CW_NBC_RING; number++) {
        slot_at(node, comm, number)->retired = 0;
        for (uint32_t rank = 0; rank <= node->segment->n_ranks; rank++) posts_at(node, comm, number)[rank].done = 0;
    }
}

int cw_nbc_comm_new(struct cw_nbc_node *node, uint32_t n, const uint32_t *members, uint32_t *out)
{
    struct segment *segment = node->segment;
    uint32_t comm = 0;
    cw_nbc_acquire(&segment->lock);
    while (comm < segment->n_comms && comm_at(node, comm)->n_left > 0) comm++;
    const bool room = comm < CW_NBC_COMMS;
    if (room) {
        clear(node, comm);
        memcpy(members_of(node, comm), members, n * sizeof *members);
        comm_at(node, comm)->n = n;
        comm_at(node, comm)->n_left = n;
        comm_at(node, comm)->note = (struct cw_nbc_note){0};
        if (comm == segment->n_comms) segment->n_comms++;
    }
    cw_nbc_release(&segment->lock);
    if (!room)
        return cw_fail(CW_ELIMIT, "more than %d communicators at once with nonblocking collectives", CW_NBC_COMMS);
    *out = comm;
    return 0;
}

void cw_nbc_comm_leave(struct cw_nbc_node *node, uint32_t comm)
{
    comm_at(node, comm)->n_left--;
}

int cw_nbc_node_alive(const struct cw_nbc_node *node)
{
    for (uint32_t rank = 0; rank < node->segment->n_ranks; rank++) {
        const pid_t pid = node->segment->ranks[rank].pid;
        if (!cw_nbc_is_alive(pid))
            return cw_fail(CW_EIO, "rank %u of this host (process %ld) has ended while others wait for it", rank,
                           (long)pid);
    }
    return 0;
}
