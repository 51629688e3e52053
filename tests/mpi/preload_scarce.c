/* For tests: loaded before the C library, one of five times there is no memory for whole pages, which libcrosswind-nbc
 * takes for messages between hosts; at the end it writes how many of those that there were have not been given back. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

enum { MOST = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *pages[MOST];
static int n, asked, given;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *found = NULL;
    pthread_mutex_lock(&lock);
    if (++asked % 5 > 0 && n < MOST) {
        found = __libc_memalign(alignment, size);
        pages[n++] = found;
        given++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void free(void *memory)
{
    if (memory && (size_t)memory % 4096 == 0) { /* few others are where a page begins */
        pthread_mutex_lock(&lock);
        for (int i = 0; i < n; i++)
            if (pages[i] == memory) pages[i] = pages[--n];
        pthread_mutex_unlock(&lock);
    }
    __libc_free(memory);
}

__attribute__((destructor)) static void finish(void)
{
    if (given > 0) fprintf(stderr, "scarce: %d pages of %d are left\n", n, given);
}
