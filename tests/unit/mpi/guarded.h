/* Memory whose blocks are counted, and are followed by bytes that must stay as they are; it can be out. For tests that
 * are linked with --wrap=malloc,--wrap=calloc,--wrap=free; cmocka.h and what it needs come before this header. */
#ifndef CW_TESTS_GUARDED_H
#define CW_TESTS_GUARDED_H

#include <stdlib.h>
#include <string.h>

enum { GUARD_HEAD = 16, GUARD_TAIL = 32, GUARD_BYTE = 0x5a };

static struct {
    int live;                    /* blocks */
    int allocations, starved_at; /* so far; the one that finds no memory, or 0 */
} memory;

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
    if (++memory.allocations == memory.starved_at) return NULL;
    char *block = __real_malloc(GUARD_HEAD + size + GUARD_TAIL);
    memcpy(block, &size, sizeof size);
    memset(block + GUARD_HEAD, GUARD_BYTE, size + GUARD_TAIL);
    memory.live++;
    return block + GUARD_HEAD;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *block = __wrap_malloc(n * size);
    return block ? memset(block, 0, n * size) : NULL;
}

void __wrap_free(void *block)
{
    size_t size;
    if (!block) return;
    memcpy(&size, (char *)block - GUARD_HEAD, sizeof size);
    for (size_t i = 0; i < GUARD_TAIL; i++) assert_int_equal(((char *)block)[size + i], GUARD_BYTE);
    memory.live--;
    __real_free((char *)block - GUARD_HEAD);
}

/* From now on none is out. */
static void renew_memory(void)
{
    memory.allocations = memory.starved_at = 0;
}

#endif
