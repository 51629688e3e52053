#include "net/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network.h"

/* Open addressing with linear probing; at most half of the slots are in use. */
struct cw_name_table {
    struct cw_text names; /* each followed by a 0 */
    size_t *at;           /* [count + 1] where each begins in `names`; at[count] is the end */
    size_t capacity;      /* of `at` */
    uint32_t count;
    uint32_t *slots; /* numbers, CW_NONE where free */
    size_t n_slots;  /* a power of two, or 0 */
};

/* FNV-1a, and a last mixing because the low bits choose the slot. */
static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

int cw_name_table_new(struct cw_name_table **out)
{
    struct cw_name_table *table = cw_new_array(1, sizeof *table, "a table of names");
    if (!table) return CW_ENOMEM;
    *out = table;
    return 0;
}

void cw_name_table_free(struct cw_name_table *table)
{
    if (!table) return;
    cw_text_free(&table->names);
    free(table->at);
    free(table->slots);
    free(table);
}

/* The slot where the name is, or where it belongs. */
static size_t slot_of(const struct cw_name_table *table, const char *name, size_t length)
{
    size_t slot = hash_of(name, length) & (table->n_slots - 1);
    while (table->slots[slot] != CW_NONE) {
        const size_t *at = table->at + table->slots[slot];
        if (at[1] - at[0] == length + 1 && memcmp(table->names.data + at[0], name, length) == 0) break;
        slot = (slot + 1) & (table->n_slots - 1);
    }
    return slot;
}

static int grow_slots(struct cw_name_table *table)
{
    const size_t n = table->n_slots > 0 ? 2 * table->n_slots : 64;
    uint32_t *slots = cw_new_array(n, sizeof *slots, "a table of names");
    if (!slots) return CW_ENOMEM;
    memset(slots, 0xff, n * sizeof *slots); /* CW_NONE */
    free(table->slots);
    table->slots = slots;
    table->n_slots = n;
    for (uint32_t id = 0; id < table->count; id++) {
        const size_t length = table->at[id + 1] - table->at[id] - 1;
        slots[slot_of(table, cw_name_table_name(table, id), length)] = id;
    }
    return 0;
}

int cw_name_table_add(struct cw_name_table *table, const char *name, size_t length, uint32_t *id)
{
    int rc = 0;
    if (2 * (size_t)table->count >= table->n_slots) rc = grow_slots(table);
    if (rc) return rc;
    const size_t slot = slot_of(table, name, length);
    if (table->slots[slot] == CW_NONE) {
        if (table->count == CW_NONE - 1) return cw_fail(CW_ELIMIT, "more than %u names", table->count);
        void *at = table->at;
        rc = cw_grow_array(&at, &table->capacity, (size_t)table->count + 2, sizeof *table->at, "a table of names");
        if (rc) return rc;
        table->at = at;
        table->at[table->count] = table->names.length;
        cw_text_append(&table->names, name, length);
        cw_text_append(&table->names, "", 1);
        rc = cw_text_check(&table->names);
        if (rc) return rc;
        table->slots[slot] = table->count++;
        table->at[table->count] = table->names.length;
    }
    *id = table->slots[slot];
    return 0;
}

uint32_t cw_name_table_find(const struct cw_name_table *table, const char *name, size_t length)
{
    return table->n_slots > 0 ? table->slots[slot_of(table, name, length)] : CW_NONE;
}

uint32_t cw_name_table_count(const struct cw_name_table *table)
{
    return table->count;
}

const char *cw_name_table_name(const struct cw_name_table *table, uint32_t id)
{
    return table->names.data + table->at[id];
}
