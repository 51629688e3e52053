/* Queues of flits that grow as needed. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/flit/plain/plain.h"

static int grow(struct cw_plain_queue *queue)
{
    const uint32_t capacity = 2 * queue->capacity + 4;
    struct cw_plain_flit *items = cw_new_array(capacity, sizeof *items, "a queue of flits");
    if (!items) return CW_ENOMEM;
    for (uint32_t i = 0; i < queue->n; i++) items[i] = queue->items[(queue->first + i) % queue->capacity];
    free(queue->items);
    *queue = (struct cw_plain_queue){.items = items, .n = queue->n, .capacity = capacity};
    return 0;
}

int cw_plain_push(struct cw_plain_queue *queue, const struct cw_plain_flit *flit)
{
    const int rc = queue->n == queue->capacity ? grow(queue) : 0;
    if (rc) return rc;
    queue->items[(queue->first + queue->n++) % queue->capacity] = *flit;
    return 0;
}

struct cw_plain_flit cw_plain_pop(struct cw_plain_queue *queue)
{
    const struct cw_plain_flit flit = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->n--;
    return flit;
}
