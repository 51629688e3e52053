#include "net/name_index.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/name_table.h"
#include "net/network_internal.h"

#define LISTED 8u /* endpoints of a host in a message */

/* Vertices by a 64-bit key: open addressing, at most half full. */
struct guid_table {
    uint32_t *slots; /* vertices, CW_NONE where free; NULL: an empty table */
    size_t mask;
};

/* A range of LIDs and whose it is. */
struct lid_range {
    uint32_t first, last, vertex;
};

/* The endpoints of each host, in their order. */
struct hosts {
    struct cw_name_table *names; /* NULL: there are none */
    uint32_t *first;             /* [count of names] */
    uint32_t *next;              /* [n_endpoints] the next of the same host, or CW_NONE */
};

struct cw_name_index {
    const struct cw_network *net;
    struct hosts hosts;
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

/* The end of NAME without the number of a port, "/P2". */
static const char *without_port(const char *name, const char *end)
{
    const char *digits = end;
    while (digits > name && isdigit((unsigned char)digits[-1])) digits--;
    return digits < end && digits - name > 2 && digits[-1] == 'P' && digits[-2] == '/' ? digits - 2 : end;
}

/* The end of NAME without what tells nodes of one description apart, " [0002c90300048208]". */
static const char *without_guid(const char *name, const char *end)
{
    const char *open = end;
    if (end == name || end[-1] != ']') return end;
    while (open > name && *open != '[') open--;
    return open - name > 1 && open[-1] == ' ' ? open - 1 : end;
}

size_t cw_host_name_length(const char *name)
{
    const char *whole = name + strlen(name), *end = without_guid(name, without_port(name, whole));
    const size_t word = strcspn(name, " ");
    const char *adapter = name + word + strspn(name + word, " ");
    if (adapter >= end) return end < whole ? (size_t)(end - name) : 0; /* a host that does not name its adapters */
    const bool one_word = !memchr(adapter, ' ', (size_t)(end - adapter));
    return one_word && isdigit((unsigned char)end[-1]) ? word : 0;
}

/* Backwards, so that a new first one comes before what is there. */
static int hosts_fill(struct cw_name_index *index)
{
    static const char what[] = "an index of hosts";
    const struct cw_network *net = index->net;
    struct hosts *hosts = &index->hosts;
    hosts->first = cw_new_array(net->n_endpoints, sizeof *hosts->first, what);
    hosts->next = cw_new_array(net->n_endpoints, sizeof *hosts->next, what);
    int rc = hosts->first && hosts->next ? cw_name_table_new(&hosts->names) : CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; !rc && v-- > 0;) {
        char name[CW_NAME_SIZE];
        uint32_t id;
        const uint32_t known = cw_name_table_count(hosts->names);
        const size_t length = cw_host_name_length(cw_network_name(net, v, name, sizeof name));
        hosts->next[v] = CW_NONE;
        if (length == 0 || (net->identity && net->identity[v].kind != CW_KIND_HOST)) continue;
        rc = cw_name_table_add(hosts->names, name, length, &id);
        if (rc) return rc;
        if (id < known) hosts->next[v] = hosts->first[id];
        hosts->first[id] = v;
    }
    return rc;
}

int cw_name_index_new(const struct cw_network *net, struct cw_name_index **out)
{
    struct cw_name_index *index = cw_new_array(1, sizeof *index, "an index of names");
    if (!index) return CW_ENOMEM;
    index->net = net;
    int rc = names_fill(index);
    if (!rc && net->names) rc = hosts_fill(index); /* names of shapes are of one word */
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
    cw_name_table_free(index->hosts.names);
    free(index->hosts.first);
    free(index->hosts.next);
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

bool cw_name_index_nearest(const struct cw_name_index *index, const char *name, char *nearest)
{
    struct cw_guess guess = cw_guess_of(name);
    for (uint32_t v = 0; v < index->net->n_vertices; v++) {
        char tried[CW_NAME_SIZE];
        cw_guess_try(&guess, cw_network_name(index->net, v, tried, sizeof tried));
        if (guess.nearest != tried) continue;
        strcpy(nearest, tried);
        guess.nearest = nearest;
    }
    return guess.nearest != NULL;
}

/* --- hosts -------------------------------------------------------------------------------------------------------- */

uint32_t cw_name_index_host(const struct cw_name_index *index, const char *name)
{
    const struct hosts *hosts = &index->hosts;
    const uint32_t id = hosts->names ? cw_name_table_find(hosts->names, name, strlen(name)) : CW_NONE;
    return id == CW_NONE ? CW_NONE : hosts->first[id];
}

uint32_t cw_name_index_host_next(const struct cw_name_index *index, uint32_t endpoint)
{
    return index->hosts.next[endpoint];
}

static int fail_several(const struct cw_name_index *index, const char *host, uint32_t first)
{
    struct cw_text list = {0};
    uint32_t n = 0;
    for (uint32_t v = first; v != CW_NONE; v = cw_name_index_host_next(index, v)) {
        char name[CW_NAME_SIZE];
        if (n++ < LISTED)
            cw_text_printf(&list, "%s'%s'", n == 1 ? "" : ", ", cw_network_name(index->net, v, name, sizeof name));
    }
    if (n > LISTED) cw_text_printf(&list, " and %u more", n - LISTED);
    int rc = cw_text_check(&list);
    if (!rc) rc = cw_fail(CW_EUSAGE, "host '%s' has %u endpoints; expected one of them: %s", host, n, list.data);
    cw_text_free(&list);
    return rc;
}

int cw_name_index_host_only(const struct cw_name_index *index, const char *name, uint32_t *endpoint)
{
    const uint32_t v = cw_name_index_host(index, name);
    if (v != CW_NONE && cw_name_index_host_next(index, v) != CW_NONE) return fail_several(index, name, v);
    *endpoint = v;
    return 0;
}
