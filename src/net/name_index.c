#include "net/name_index.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/name_table.h"

/* Vertices by a 64-bit key: open addressing, at most half full. */
struct guid_table {
    uint32_t *slots; /* vertices, CW_NONE where free; NULL: an empty table */
    size_t mask;
};

/* A range of LIDs and whose it is. */
struct lid_range {
    uint32_t first, last, vertex;
};

struct cw_name_index {
    const struct cw_network *net;
    struct cw_name_table *names; /* a name's number is its vertex */
    struct guid_table node, port;
    struct lid_range *lids; /* sorted */
    size_t n_lids;
};

static uint64_t node_guid(const struct cw_network *net, uint32_t v)
{
    return net->identity[v].node_guid;
}

static uint64_t port_guid(const struct cw_network *net, uint32_t v)
{
    return net->identity[v].port_guid;
}

typedef uint64_t guid_getter(const struct cw_network *net, uint32_t v);

/* The slot where GUID is, or where it belongs. The multiplier is 2^64 / golden ratio. */
static size_t guid_slot(const struct cw_network *net, const struct guid_table *table, guid_getter *get, uint64_t guid)
{
    size_t slot = (size_t)(guid * 0x9e3779b97f4a7c15u >> 32) & table->mask;
    while (table->slots[slot] != CW_NONE && get(net, table->slots[slot]) != guid) slot = (slot + 1) & table->mask;
    return slot;
}

static int guid_table_fill(const struct cw_network *net, guid_getter *get, struct guid_table *table)
{
    size_t n = 16;
    while (n < 2 * (size_t)net->n_vertices) n *= 2;
    table->slots = cw_new_array(n, sizeof *table->slots, "an index of GUIDs");
    if (!table->slots) return CW_ENOMEM;
    memset(table->slots, 0xff, n * sizeof *table->slots); /* CW_NONE */
    table->mask = n - 1;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        if (get(net, v) == 0) continue;
        const size_t slot = guid_slot(net, table, get, get(net, v));
        if (table->slots[slot] == CW_NONE) table->slots[slot] = v;
    }
    return 0;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct lid_range *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static int lids_fill(struct cw_name_index *index)
{
    const struct cw_network *net = index->net;
    index->lids = cw_new_array(net->n_vertices, sizeof *index->lids, "an index of LIDs");
    if (!index->lids) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const struct cw_identity *identity = net->identity + v;
        if (identity->lid == 0) continue;
        const uint64_t last = identity->lid + (UINT64_C(1) << (identity->lmc & 31)) - 1;
        index->lids[index->n_lids++] =
            (struct lid_range){identity->lid, last > UINT32_MAX ? UINT32_MAX : (uint32_t)last, v};
    }
    qsort(index->lids, index->n_lids, sizeof *index->lids, compare_ranges);
    return 0;
}

static int names_fill(struct cw_name_index *index)
{
    const struct cw_network *net = index->net;
    int rc = cw_name_table_new(&index->names);
    for (uint32_t v = 0; v < net->n_vertices && !rc; v++) {
        char name[CW_NAME_SIZE];
        cw_network_name(net, v, name, sizeof name);
        uint32_t id;
        rc = cw_name_table_add(index->names, name, strlen(name), &id);
        if (!rc && id != v)
            rc = cw_fail(CW_EINTERNAL, "vertices %u and %u of a network are both named '%s'", id, v, name);
    }
    return rc;
}

int cw_name_index_new(const struct cw_network *net, struct cw_name_index **out)
{
    struct cw_name_index *index = cw_new_array(1, sizeof *index, "an index of names");
    if (!index) return CW_ENOMEM;
    index->net = net;
    int rc = names_fill(index);
    if (!rc && net->identity) rc = guid_table_fill(net, node_guid, &index->node);
    if (!rc && net->identity) rc = guid_table_fill(net, port_guid, &index->port);
    if (!rc && net->identity) rc = lids_fill(index);
    if (rc)
        cw_name_index_free(index);
    else
        *out = index;
    return rc;
}

void cw_name_index_free(struct cw_name_index *index)
{
    if (!index) return;
    cw_name_table_free(index->names);
    free(index->node.slots);
    free(index->port.slots);
    free(index->lids);
    free(index);
}

uint32_t cw_name_index_name(const struct cw_name_index *index, const char *name)
{
    return cw_name_table_find(index->names, name, strlen(name));
}

static uint32_t find_guid(const struct cw_name_index *index, const struct guid_table *table, guid_getter *get,
                          uint64_t guid)
{
    return table->slots && guid != 0 ? table->slots[guid_slot(index->net, table, get, guid)] : CW_NONE;
}

uint32_t cw_name_index_node_guid(const struct cw_name_index *index, uint64_t guid)
{
    return find_guid(index, &index->node, node_guid, guid);
}

uint32_t cw_name_index_port_guid(const struct cw_name_index *index, uint64_t guid)
{
    return find_guid(index, &index->port, port_guid, guid);
}

uint32_t cw_name_index_lid(const struct cw_name_index *index, uint32_t lid)
{
    size_t low = 0, high = index->n_lids; /* the first range that begins behind LID is at `low` in the end */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->lids[middle].first <= lid)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && lid <= index->lids[low - 1].last ? index->lids[low - 1].vertex : CW_NONE;
}

/* --- what users write --------------------------------------------------------------------------------------------- */

/* The whole of TEXT as a number in BASE; false if it is none of 64 bits. */
static bool parse_number(const char *text, int base, uint64_t *number)
{
    if (!isxdigit((unsigned char)*text)) return false;
    char *end;
    errno = 0;
    *number = strtoull(text, &end, base);
    return *end == '\0' && errno == 0;
}

uint32_t cw_name_index_vertex(const struct cw_name_index *index, const char *text)
{
    uint64_t number;
    const uint32_t v = cw_name_index_name(index, text);
    if (v != CW_NONE) return v;
    if (strncmp(text, "0x", 2) == 0 && parse_number(text + 2, 16, &number)) {
        const uint32_t port = cw_name_index_port_guid(index, number);
        return port != CW_NONE ? port : cw_name_index_node_guid(index, number);
    }
    return parse_number(text, 10, &number) && number < index->net->n_endpoints ? (uint32_t)number : CW_NONE;
}
