/*
 * Memory that ends: a call is made again and again, and its first allocation fails, then its second, and so on, until
 * it gets through. For programs test_starved_*.c, whose objects get their memory from here (cmake/floors.cmake); what
 * shared libraries allocate does not fail.
 */
#ifndef CW_TEST_STARVE_H
#define CW_TEST_STARVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* cmocka.h and what it needs come before this header. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static atomic_ulong allocations, failing; /* failing: which allocation does, from 1; 0: none */

static bool memory_ends(void)
{
    return failing > 0 && atomic_fetch_add(&allocations, 1) + 1 == failing;
}

void *__wrap_malloc(size_t size)
{
    return memory_ends() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return memory_ends() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return memory_ends() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return memory_ends() ? NULL : __real_aligned_alloc(alignment, size);
}

/* CODE returns 0 or an error, sets outputs only on success and gives back what it made. It must say CW_ENOMEM whichever
 * of its allocations fails, and have LEAST of them; NAME is for messages. */
static void starve(const char *name, int (*code)(void *data), void *data, unsigned long least)
{
    for (unsigned long n = 1;; n++) {
        allocations = 0;
        failing = n;
        const int rc = code(data);
        failing = 0;
        if (allocations < n) {
            if (rc) fail_msg("%s: %s", name, cw_error_message());
            if (n <= least) fail_msg("%s: only %lu allocations", name, n - 1);
            return;
        }
        if (rc != CW_ENOMEM) fail_msg("%s: allocation %lu fails, and %d is returned", name, n, rc);
        if (!strstr(cw_error_message(), "out of memory")) fail_msg("%s: %s", name, cw_error_message());
    }
}

#endif
