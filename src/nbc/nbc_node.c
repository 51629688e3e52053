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

/* Of a communicator of N members. */
static size_t block_bytes(uint32_t n)
{
    return members_bytes(n) + n * (CW_NBC_RING * sizeof(struct post) + sizeof(struct cw_nbc_said));
}

/* Where things are. */
static void lay_out(struct cw_nbc_node *node, uint32_t n_ranks, uint32_t n_workers)
{
    const size_t executors = (size_t)n_ranks + n_workers;
    const size_t doors = round_up(sizeof(struct segment) + n_ranks * sizeof(struct process), CW_NBC_LINE);
    const size_t errands = doors + n_ranks * sizeof(struct door);
    const size_t buffers = round_up(errands + executors * sizeof(struct errand), 4096);
    const size_t comms = buffers + executors * CW_NBC_BUFFERS, n_places = (size_t)n_ranks * CW_NBC_COMMS;
    const size_t slots = comms + n_places * sizeof(struct comm);
    const size_t heap = slots + n_places * CW_NBC_RING * sizeof(struct slot);
    node->doors = (void *)((char *)node->segment + doors);
    node->errands = (void *)((char *)node->segment + errands);
    node->buffers = (char *)node->segment + buffers;
    node->comms = (void *)((char *)node->segment + comms);
    node->slots = (void *)((char *)node->segment + slots);
    node->heap = (char *)node->segment + heap;
    node->n_places = (uint32_t)n_places;
    node->heap_bytes = n_places * block_bytes(1);
    node->bytes = heap + node->heap_bytes;
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

/* *PLACE: where the communicator KEY is, or else one of those that are free: that with the least room for N, or, with
 * none, the first that was never used. True: it is there. */
static bool find_place(const struct cw_nbc_node *node, uint64_t key, uint32_t n, uint32_t *place)
{
    const uint32_t n_comms = node->segment->n_comms;
    uint32_t best = n_comms;
    for (uint32_t i = 0; i < n_comms; i++) {
        const struct comm *comm = comm_at(node, i);
        *place = i;
        if (comm->key == key) return true;
        if (comm->key == 0 && comm->room >= n && (best == n_comms || comm->room < comm_at(node, best)->room)) best = i;
    }
    *place = best;
    return false;
}

/* Makes the communicator at PLACE; all that is there is 0, or as `clear` leaves it. */
static int take_place(struct cw_nbc_node *node, uint32_t place, uint64_t key, uint32_t n, const uint32_t *members)
{
    struct segment *segment = node->segment;
    const bool fresh = place == segment->n_comms;
    const size_t bytes = block_bytes(n);
    if (fresh && bytes > node->heap_bytes - segment->heap_used) /* which is for as many as there are places */
        return cw_fail(CW_ELIMIT, "more than %u communicators of this host with nonblocking collectives at once",
                       place);
    struct comm *comm = comm_at(node, place);
    if (fresh) {
        comm->room = n;
        comm->block = segment->heap_used;
        segment->heap_used += bytes;
    }
    comm->n = comm->n_left = n;
    memcpy(members_of(node, place), members, n * sizeof *members);
    comm->key = key;
    if (fresh) segment->n_comms++;
    return 0;
}

int cw_nbc_comm_join(struct cw_nbc_node *node, uint64_t key, uint32_t n, const uint32_t *members, uint32_t *out)
{
    uint32_t place;
    int rc = 0;
    cw_nbc_acquire(&node->segment->lock);
    if (!find_place(node, key, n, &place)) rc = take_place(node, place, key, n, members);
    cw_nbc_release(&node->segment->lock);
    if (!rc) *out = place;
    return rc;
}

/* Nobody's any more. A worker may not have left the slot of the last operation yet. */
static void clear(struct cw_nbc_node *node, uint32_t place)
{
    struct comm *comm = comm_at(node, place);
    for (uint64_t number = 0; number < CW_NBC_RING && number <= comm->latest; number++) {
        struct slot *slot = slot_at(node, place, number);
        cw_nbc_acquire(&slot->lock);
        slot->retired = 0;
        slot->n_posted = slot->n_finished = 0; /* operations that failed may have been left there */
        slot->told = false;
        memset(posts_at(node, place, number), 0, comm->n * sizeof(struct post));
        cw_nbc_release(&slot->lock);
    }
    memset(cw_nbc_said_of(node, place, 0), 0, comm->n * sizeof(struct cw_nbc_said));
    comm->active = 0;
    comm->clashed = 0;
    comm->broken = 0;
    comm->claims = 0;
    comm->note = (struct cw_nbc_note){0};
    comm->key = 0;
}

void cw_nbc_comm_leave(struct cw_nbc_node *node, uint32_t comm)
{
    cw_nbc_acquire(&node->segment->lock);
    if (--comm_at(node, comm)->n_left == 0) clear(node, comm);
    cw_nbc_release(&node->segment->lock);
}

bool cw_nbc_claim(struct cw_nbc_node *node, uint32_t comm, uint64_t number)
{
    _Atomic uint64_t *claims = &comm_at(node, comm)->claims;
    uint64_t now = *claims;
    while ((now & ~CW_NBC_CLOSED) <= number && !(now & CW_NBC_CLOSED))
        if (atomic_compare_exchange_weak(claims, &now, number + 1)) return true;
    return (now & ~CW_NBC_CLOSED) > number;
}

void cw_nbc_close(struct cw_nbc_node *node, uint32_t comm)
{
    comm_at(node, comm)->claims |= CW_NBC_CLOSED;
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
