#include "route/engines/opensm/vertex_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "route/files/lft_internal.h"

struct list {
    const struct cw_network *net;
    struct cw_lft_names names;
    bool switches, *listed;
    size_t n_found, n_unknown;
    unsigned long unknown_line;
};

/* True if TEXT is a GUID, with "0x" or without. */
static bool is_guid(const char *text, uint64_t *guid)
{
    char *end;
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    const size_t length = strspn(digits, "0123456789abcdefABCDEF");
    if (length == 0 || length > 16 || digits[length]) return false;
    *guid = strtoull(digits, &end, 16);
    return (digits > text || length == 16) && *guid != 0;
}

static uint32_t find(const struct list *list, const char *text)
{
    uint64_t guid;
    if (!is_guid(text, &guid)) return cw_name_index_name(list->names.index, text);
    if (list->switches) return cw_lft_find_switch(&list->names, guid);
    const uint32_t v = cw_lft_find_port(&list->names, guid);
    return v != CW_NONE && cw_network_is_endpoint(list->net, v) ? v : cw_name_index_node_guid(list->names.index, guid);
}

/* Lists V and, if the line meant its adapter, the other ports of that. */
static void add(struct list *list, uint32_t v, const char *text)
{
    const struct cw_network *net = list->net;
    uint64_t guid;
    list->listed[v] = true;
    list->n_found++;
    if (list->switches || !net->identity || !is_guid(text, &guid) || net->identity[v].port_guid == guid) return;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (net->identity[e].node_guid == guid) list->listed[e] = true;
}

static int read_line(struct list *list, const struct cw_lines *lines)
{
    char *text = cw_line_content(lines);
    if (!text) return CW_ENOMEM;
    const uint32_t v = *text ? find(list, text) : CW_NONE;
    const bool known = v != CW_NONE && cw_network_is_endpoint(list->net, v) != list->switches;
    if (known) {
        add(list, v, text);
    } else if (*text) {
        if (list->n_unknown++ == 0) list->unknown_line = lines->number;
    }
    free(text);
    return 0;
}

static int read_all(struct list *list, const char *file)
{
    const char *what = list->switches ? "switch" : "endpoint";
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    struct cw_lines lines = cw_lines_of(file, text.data, text.length);
    while (rc == 0 && cw_lines_next(&lines)) rc = read_line(list, &lines);
    cw_text_free(&text);
    if (rc) return rc;
    if (list->n_found == 0)
        return cw_fail_at(file, list->unknown_line,
                          "no %s of the network in this file; expected a GUID or a name in each line", what);
    if (list->n_unknown > 0)
        cw_inputs_remark(file, list->unknown_line, "%zu of %zu lines are of no %s of the network, the first here.",
                         list->n_unknown, list->n_unknown + list->n_found, what);
    return 0;
}

int cw_vertex_list_read(const struct cw_network *net, const char *file, bool switches, bool **listed)
{
    struct list list = {.net = net, .switches = switches};
    int rc = cw_lft_names_new(net, &list.names);
    if (rc) return rc;
    list.listed = cw_new_array(net->n_vertices, sizeof *list.listed, "listed vertices");
    rc = list.listed ? read_all(&list, file) : CW_ENOMEM;
    cw_lft_names_free(&list.names);
    if (rc)
        free(list.listed);
    else
        *listed = list.listed;
    return rc;
}
