/*
 * Loaded before a program, makes memory or disks end (starve.py). The environment's STARVE is one of
 *
 *     memory:N       the N-th allocation fails, from 1
 *     memory:N+      and all that follow
 *     files:N:E      the N-th of open (to create), write, fsync, rename and mkdir fails with errno E; 0: a short write
 *     files:N+:E     and all that follow
 *     size:N         no file grows beyond N bytes: the write that would do so is short, and the next one fails
 *     count          nothing fails; at the end "ALLOCATIONS FILES" goes to the file that STARVE_COUNT names
 *
 * Programs that it starts are left alone. What a thread does while the C library starts or ends it counts, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool active;
static atomic_ulong allocations, operations;
static unsigned long memory_at, files_at; /* 0: never */
static bool memory_on, files_on;
static int files_errno;
static char count_path[4096];

static bool is_due(atomic_ulong *counter, unsigned long at, bool on)
{
    if (!active) return false;
    const unsigned long now = atomic_fetch_add(counter, 1) + 1;
    return at > 0 && (on ? now >= at : now == at);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool memory_ends(void)
{
    if (!is_due(&allocations, memory_at, memory_on)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return memory_ends() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return memory_ends() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return memory_ends() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    return memory_ends() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_ends() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *items = memory_ends() ? NULL : __libc_memalign(alignment, size);
    if (items) *out = items;
    return items ? 0 : ENOMEM;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool file_fails(void)
{
    if (!is_due(&operations, files_at, files_on)) return false;
    errno = files_errno;
    return true;
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    const bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    if (makes && file_fails() && files_errno) return -1;
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags, mode)                                                                                              \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = (mode_t)va_arg(arguments, unsigned);                                                                    \
        va_end(arguments);                                                                                             \
    }

int open(const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_file(AT_FDCWD, path, flags, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t n)
{
    if (descriptor != STDERR_FILENO && file_fails()) {
        if (files_errno) return -1;
        n = n > 1 ? n / 2 : n;
    }
    return syscall(SYS_write, descriptor, bytes, n);
}

int fsync(int descriptor)
{
    return file_fails() && files_errno ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    if (file_fails() && files_errno) return -1;
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    return file_fails() && files_errno ? -1 : (int)syscall(SYS_rename, from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return file_fails() && files_errno ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void limit_size(unsigned long bytes)
{
    const struct rlimit limit = {bytes, bytes};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("STARVE"), *path = getenv("STARVE_COUNT");
    if (!what) return;
    if (path) snprintf(count_path, sizeof count_path, "%s", path);
    char *end = NULL;
    const char *number = strchr(what, ':');
    const unsigned long n = number ? strtoul(number + 1, &end, 10) : 0;
    const bool on = end && *end == '+';
    if (strncmp(what, "memory:", 7) == 0) {
        memory_at = n;
        memory_on = on;
    } else if (strncmp(what, "files:", 6) == 0) {
        files_at = n;
        files_on = on;
        files_errno = (int)strtol(end + on + 1, NULL, 10);
    } else if (strncmp(what, "size:", 5) == 0) {
        limit_size(n);
    }
    unsetenv("STARVE");
    unsetenv("STARVE_COUNT");
    unsetenv("LD_PRELOAD");
    active = true;
}

__attribute__((destructor)) static void finish(void)
{
    char line[64];
    active = false;
    if (!count_path[0]) return;
    const int length = snprintf(line, sizeof line, "%lu %lu\n", (unsigned long)allocations, (unsigned long)operations);
    const int descriptor = open_file(AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (syscall(SYS_write, descriptor, line, length) != length) abort();
}
