#include "base/json_read.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

static _Thread_local bool starved; /* an allocation of jansson failed on this thread */

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) starved = true;
    return memory;
}

/* Memory of either allocator may be freed by the other. */
static void watch_allocations(void)
{
    json_malloc_t before;
    json_free_t release;
    json_get_alloc_funcs(&before, &release);
    if (before == malloc && release == free) json_set_alloc_funcs(allocate, free);
}

int cw_json_read(const char *file, const char *data, size_t length, json_t **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t error;
    pthread_once(&once, watch_allocations);
    starved = false;
    json_t *root = json_loadb(length > 0 ? data : "", length, JSON_REJECT_DUPLICATES, &error);
    if (starved || (!root && json_error_code(&error) == json_error_out_of_memory)) {
        json_decref(root);
        return cw_fail(CW_ENOMEM, "%s: out of memory for the JSON in %zu bytes", file, length);
    }
    if (!root) return cw_fail_at(file, error.line > 0 ? (unsigned long)error.line : 0, "%s, expected JSON", error.text);
    *out = root;
    return 0;
}
