#include "nbc/nbc_reach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "nbc/nbc_segment_internal.h"

typedef ssize_t transfer(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
                         unsigned long);

/* The kernel may transfer less than it was asked for: up to where memory ends, or 2 GiB. */
static int transfer_all(transfer *call, pid_t pid, char *here, uint64_t there, size_t bytes)
{
    while (bytes > 0) {
        struct iovec local = {here, bytes}, remote = {(void *)(uintptr_t)there, bytes};
        ssize_t n = call(pid, &local, 1, &remote, 1, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EFAULT;
        here += n;
        there += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return 0;
}

bool cw_nbc_is_near(const struct cw_nbc_node *node, uint32_t rank)
{
    return node->segment->ranks[rank].pid == getpid() && !node->apart;
}

/* The kernel reads a set of signals there, and refuses what to do with it. */
static bool is_readable_at(uint64_t there)
{
    enum { NOTHING = -1, SET = 8 /* bytes of the kernel's */ };
    const uint64_t within_page = there & ~(uint64_t)(SET - 1);
    return syscall(SYS_rt_sigprocmask, NOTHING, within_page, NULL, (size_t)SET) == 0 || errno != EFAULT;
}

bool cw_nbc_is_readable(uint64_t there, size_t bytes)
{
    return bytes == 0 || (is_readable_at(there) && is_readable_at(there + bytes - 1));
}

int cw_nbc_read(const struct cw_nbc_node *node, uint32_t rank, void *here, uint64_t there, size_t bytes)
{
    if (bytes == 0) return 0; /* then addresses may be null */
    if (cw_nbc_is_near(node, rank)) {
        if (!cw_nbc_is_readable(there, bytes)) return EFAULT;
        memcpy(here, (const void *)(uintptr_t)there, bytes);
        return 0;
    }
    if (cw_nbc_by_agents(node, bytes)) return cw_nbc_ask(node, rank, ERRAND_FETCH, 0, 0, here, there, bytes);
    return transfer_all(process_vm_readv, node->segment->ranks[rank].pid, here, there, bytes);
}

int cw_nbc_write(const struct cw_nbc_node *node, uint32_t rank, const void *here, uint64_t there, size_t bytes)
{
    if (bytes == 0) return 0;
    if (cw_nbc_is_near(node, rank)) {
        if (!cw_nbc_is_readable(there, bytes)) return EFAULT;
        memcpy((void *)(uintptr_t)there, here, bytes);
        return 0;
    }
    if (cw_nbc_by_agents(node, bytes)) return cw_nbc_ask(node, rank, ERRAND_STORE, 0, 0, here, there, bytes);
    return transfer_all(process_vm_writev, node->segment->ranks[rank].pid, (char *)(uintptr_t)here, there, bytes);
}

bool cw_nbc_by_agents(const struct cw_nbc_node *node, size_t bytes)
{
    return node->agents && (!node->attach || bytes > CW_NBC_CHUNK);
}

int cw_nbc_combine_in(const struct cw_nbc_node *node, uint32_t rank, enum cw_nbc_type type, enum cw_nbc_op op,
                      void *into, void *other, uint64_t there, size_t bytes)
{
    const bool near = cw_nbc_is_near(node, rank);
    if (!near && cw_nbc_by_agents(node, bytes))
        return cw_nbc_ask(node, rank, ERRAND_COMBINE, type, op, into, there, bytes);
    int error = 0;
    if (!near)
        error = cw_nbc_read(node, rank, other, there, bytes);
    else if (!cw_nbc_is_readable(there, bytes))
        error = EFAULT;
    if (!error)
        cw_nbc_combine_for(type, op)(into, near ? (void *)(uintptr_t)there : other, bytes / cw_nbc_type_size(type));
    return error;
}

int cw_nbc_check_reach(pid_t pid, uint64_t there, uint64_t expected)
{
    uint64_t found = 0;
    int error = transfer_all(process_vm_readv, pid, (char *)&found, there, sizeof found);
    if (!error && found == expected) error = transfer_all(process_vm_writev, pid, (char *)&found, there, sizeof found);
    if (!error && found == expected) return 0;
    if (!error)
        return cw_fail(CW_EIO, "process %ld is not the one that was expected: another PID namespace", (long)pid);
    return cw_fail(CW_EIO,
                   "the kernel does not let ranks reach each other's memory (process_vm_readv: %s); set "
                   "/proc/sys/kernel/yama/ptrace_scope to 0, or allow the call in the container",
                   strerror(error));
}

bool cw_nbc_is_alive(pid_t pid)
{
    if (pid == getpid()) return true;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) return errno != ESRCH;
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    bool alive = poll(&ended, 1, 0) == 0;
    close(fd);
    return alive;
}
