#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

/* The bytes of N items of SIZE, or SIZE_MAX where they are more than an object can have. */
static size_t bytes_of(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX) return SIZE_MAX;
    return bytes;
}

void *cw_new_array(size_t n, size_t size, const char *what)
{
    const size_t bytes = bytes_of(n, size);
    void *items = bytes == SIZE_MAX ? NULL : calloc(bytes > 0 ? bytes : 1, 1);
    if (!items) cw_fail_memory(bytes, what);
    return items;
}

void *cw_new_pages(size_t bytes, const char *what)
{
    enum { PAGE = 4096 };
    const size_t whole = bytes < PTRDIFF_MAX - PAGE ? (bytes + PAGE - 1) / PAGE * PAGE : 0;
    void *pages = whole > 0 ? aligned_alloc(PAGE, whole) : NULL;
    if (pages)
        memset(pages, 0, whole);
    else
        cw_fail_memory(bytes, what);
    return pages;
}

void cw_use_large_pages(void *items, size_t bytes)
{
    enum { PAGE = 2 << 20 };
    const size_t before = PAGE - (uintptr_t)items % PAGE;
    if (bytes < 4 * (size_t)PAGE) return;
    madvise((char *)items + before, (bytes - before) / PAGE * PAGE, MADV_HUGEPAGE);
}

int cw_grow_array(void **items, size_t *capacity, size_t needed, size_t size, const char *what)
{
    if (needed <= *capacity) return 0;
    size_t larger = *capacity < 8 ? 16 : *capacity * 2; /* no overflow: an array has at most PTRDIFF_MAX bytes */
    if (larger < needed) larger = needed;
    const size_t bytes = bytes_of(larger, size);
    void *grown = bytes == SIZE_MAX ? NULL : realloc(*items, bytes);
    if (!grown) return cw_fail_memory(bytes, what);
    *items = grown;
    *capacity = larger;
    return 0;
}

char *cw_copy_text(const char *text, size_t length)
{
    char *copy = length < PTRDIFF_MAX ? malloc(length + 1) : NULL;
    if (!copy) {
        cw_fail_memory(length, "text");
        return NULL;
    }
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

uint64_t cw_memory_available(void)
{
    uint64_t kibibytes = UINT64_MAX / 1024;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return UINT64_MAX;
    char line[256];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kibibytes) == 1) break;
    fclose(file);
    return kibibytes > UINT64_MAX / 1024 ? UINT64_MAX : kibibytes * 1024;
}
