/* A kernel that refuses one rank, for tests: loaded before the C library, process_vm_readv fails on the rank
 * UNREACHABLE. Long reads, by which MPI libraries move data, go on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n_local, const struct iovec *remote,
                         unsigned long n_remote, unsigned long flags)
{
    const char *wanted = getenv("UNREACHABLE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    if (wanted && rank && strcmp(wanted, rank) == 0 && remote->iov_len < 1024) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_readv, pid, local, n_local, remote, n_remote, flags);
}
