#include "net/selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "net/part.h"

/* What has been named so far. */
struct choice {
    const struct cw_network *net;
    struct cw_name_index *index;
    bool *keep;          /* [n_endpoints] */
    bool *by_node;       /* [n_endpoints] the whole node of this endpoint, all of its rails */
    const char *no_file; /* what was looked for as a file first; or NULL */
};

/* Marks what NAME means: an endpoint's name, port GUID or node GUID, or a host. False if it is none of them. */
static bool choose(const struct choice *choice, const char *name)
{
    const struct cw_network *net = choice->net;
    uint32_t v = cw_name_index_name(choice->index, name);
    if (v == CW_NONE && strncmp(name, "0x", 2) == 0) {
        char *end;
        const uint64_t guid = strtoull(name, &end, 16);
        if (*end) return false;
        v = cw_name_index_node_guid(choice->index, guid);
        if (v < net->n_endpoints) {
            choice->by_node[v] = true;
            return true;
        }
        v = cw_name_index_port_guid(choice->index, guid);
    }
    if (v == CW_NONE) {
        const uint32_t first = cw_name_index_host(choice->index, name);
        for (v = first; v != CW_NONE; v = cw_name_index_host_next(choice->index, v)) choice->keep[v] = true;
        return first != CW_NONE;
    }
    if (v >= net->n_endpoints) return false;
    choice->keep[v] = true;
    return true;
}

static int fail_unknown(const struct choice *choice, const char *name)
{
    const char *title = choice->net->title ? choice->net->title : "the network";
    const bool no_file = choice->no_file && strcmp(name, choice->no_file) == 0;
    return cw_fail(CW_EUSAGE,
                   "'%s' is %s an endpoint of %s; expected %sthe name of an endpoint or a host, a list such as "
                   "node[001-064], or a node's or port's GUID (0x…)",
                   name, no_file ? "neither a file nor" : "not", title,
                   no_file ? "all, hca, a file of names, or " : "");
}

static int choose_or_fail(void *context, const char *name, bool last)
{
    if (choose(context, name)) return 0;
    return last ? fail_unknown(context, name) : CW_HOST_UNKNOWN;
}

static int read_list(const char *path, struct choice *choice)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    struct cw_lines lines = cw_lines_of(path, text.data, text.length);
    while (!rc && cw_lines_next(&lines)) {
        char *name = cw_line_content(&lines);
        rc = name ? 0 : CW_ENOMEM;
        if (name && *name) rc = cw_host_list_each(name, choose_or_fail, choice);
        if (rc == CW_EUSAGE) rc = cw_fail_at(path, lines.number, "%s", cw_error_message());
        free(name);
    }
    cw_text_free(&text);
    return rc;
}

/* Where a node was named, all of its endpoints are kept. */
static void keep_nodes(const struct choice *choice)
{
    const struct cw_network *net = choice->net;
    for (uint32_t v = 0; v < net->n_endpoints && net->identity; v++) {
        const uint32_t node = cw_name_index_node_guid(choice->index, net->identity[v].node_guid);
        if (node < net->n_endpoints && choice->by_node[node]) choice->keep[v] = true;
    }
}

/* Marks what WHICH means, a file or names. */
static int choose_named(const struct cw_network *net, const char *which, bool *keep)
{
    struct choice choice = {.net = net, .keep = keep};
    int rc = cw_name_index_new(net, &choice.index);
    if (!rc) {
        choice.by_node = cw_new_array(net->n_endpoints, sizeof *choice.by_node, "a selection of endpoints");
        if (!choice.by_node) rc = CW_ENOMEM;
    }
    if (!rc && (strcmp(which, "-") == 0 || access(which, F_OK) == 0)) {
        rc = read_list(which, &choice);
    } else if (!rc) {
        choice.no_file = which;
        rc = cw_host_list_each(which, choose_or_fail, &choice);
    }
    if (!rc) keep_nodes(&choice);
    free(choice.by_node);
    cw_name_index_free(choice.index);
    return rc;
}

/* What KEEP marks, in order. */
static int collect(const bool *keep, uint32_t n_endpoints, struct cw_selection **out)
{
    struct cw_selection *selection = cw_new_array(1, sizeof *selection, "a selection of endpoints");
    if (!selection) return CW_ENOMEM;
    for (uint32_t v = 0; v < n_endpoints; v++) selection->n += keep[v];
    selection->endpoints = cw_new_array(selection->n, sizeof *selection->endpoints, "a selection of endpoints");
    if (!selection->endpoints) {
        free(selection);
        return CW_ENOMEM;
    }
    for (uint32_t v = 0, i = 0; v < n_endpoints; v++)
        if (keep[v]) selection->endpoints[i++] = v;
    *out = selection;
    return 0;
}

int cw_selection_new(const struct cw_network *net, const char *which, struct cw_selection **out)
{
    bool *keep = cw_new_array(net->n_endpoints, sizeof *keep, "a selection of endpoints");
    if (!keep) return CW_ENOMEM;
    int rc = 0;
    if (strcmp(which, "all") == 0)
        memset(keep, true, net->n_endpoints * sizeof *keep);
    else if (strcmp(which, "hca") == 0)
        for (uint32_t v = 0; v < net->n_endpoints; v++)
            keep[v] = !net->identity || net->identity[v].kind == CW_KIND_HOST;
    else
        rc = choose_named(net, which, keep);
    if (!rc && net->n_endpoints > 0 && !memchr(keep, true, net->n_endpoints))
        rc = cw_fail(CW_EUSAGE, "the selection '%s' leaves no endpoint of %s", which,
                     net->title ? net->title : "the network");
    if (!rc) rc = collect(keep, net->n_endpoints, out);
    free(keep);
    return rc;
}

void cw_selection_free(struct cw_selection *selection)
{
    if (!selection) return;
    free(selection->endpoints);
    free(selection->parts);
    free(selection);
}

uint32_t cw_selection_index(const struct cw_selection *selection, uint32_t endpoint)
{
    uint32_t from = 0, to = selection->n;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (selection->endpoints[middle] == endpoint) return middle;
        if (selection->endpoints[middle] < endpoint)
            from = middle + 1;
        else
            to = middle;
    }
    return CW_NONE;
}

/* --- who is connected --------------------------------------------------------------------------------------------- */

#define REACHED (CW_NONE - 1) /* for a moment: the way there is known, the way back is not */

/* The vertices with number FROM that START reaches, or that reach it if BACKWARDS, by way of such vertices, get the
 * number TO. Endpoints forward nothing unless RELAYED. QUEUE has room for all and gets them; the result is how many. */
static uint32_t mark_reached(const struct cw_network *net, bool relayed, bool backwards, uint32_t start, uint32_t from,
                             uint32_t to, uint32_t *parts, uint32_t *queue)
{
    uint32_t n = 0;
    parts[start] = to;
    queue[n++] = start;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = queue[i];
        if (v != start && !relayed && !cw_network_forwards(net, v)) continue;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (parts[net->head[c]] != from || cw_network_is_closed(net, backwards ? net->twin[c] : c)) continue;
            parts[net->head[c]] = to;
            queue[n++] = net->head[c];
        }
    }
    return n;
}

/* Gives the vertices without a number that START reaches, and that reach START, the number PART. QUEUE has room for all
 * twice. */
static void mark_part(const struct cw_network *net, bool relayed, uint32_t start, uint32_t part, uint32_t *parts,
                      uint32_t *queue)
{
    if (net->n_closed == 0) {
        mark_reached(net, relayed, false, start, CW_NONE, part, parts, queue);
        return;
    }
    const uint32_t n = mark_reached(net, relayed, false, start, CW_NONE, REACHED, parts, queue);
    mark_reached(net, relayed, true, start, REACHED, part, parts, queue + net->n_vertices);
    for (uint32_t i = 0; i < n; i++)
        if (parts[queue[i]] == REACHED) parts[queue[i]] = CW_NONE;
}

/* The number of the greatest part, PARTS getting each vertex's, which is that of the part's lowest endpoint of the
 * SELECTION. COUNT starts with zeros. */
static uint32_t find_greatest(const struct cw_network *net, const struct cw_selection *selection, bool relayed,
                              uint32_t *parts, uint32_t *queue, uint32_t *count)
{
    uint32_t greatest = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) parts[v] = CW_NONE;
    for (uint32_t i = 0; i < selection->n; i++) {
        const uint32_t e = selection->endpoints[i];
        if (parts[e] == CW_NONE) mark_part(net, relayed, e, i, parts, queue);
        count[parts[e]]++;
    }
    for (uint32_t i = 0; i < selection->n; i++)
        if (count[i] > count[greatest]) greatest = i;
    return greatest;
}

int cw_selection_connected(const struct cw_network *net, const struct cw_selection *selection, bool relayed,
                           struct cw_selection **connected, struct cw_selection **cut_off)
{
    static const char what[] = "connections of a network";
    uint32_t *parts = cw_new_array(net->n_vertices, sizeof *parts, what);
    uint32_t *queue = cw_new_array(2 * (size_t)net->n_vertices, sizeof *queue, what);
    uint32_t *count = cw_new_array(selection->n, sizeof *count, what);
    bool *in = cw_new_array(net->n_endpoints, sizeof *in, what),
         *out = cw_new_array(net->n_endpoints, sizeof *out, what);
    struct cw_selection *rest = NULL;
    int rc = parts && queue && count && in && out ? 0 : CW_ENOMEM;
    if (!rc) {
        const uint32_t greatest = find_greatest(net, selection, relayed, parts, queue, count);
        for (uint32_t i = 0; i < selection->n; i++) {
            const uint32_t e = selection->endpoints[i];
            *(parts[e] == greatest ? &in[e] : &out[e]) = true;
        }
        rc = collect(out, net->n_endpoints, &rest);
    }
    if (!rc) rc = collect(in, net->n_endpoints, connected);
    if (rc)
        cw_selection_free(rest);
    else
        *cut_off = rest;
    free(parts);
    free(queue);
    free(count);
    free(in);
    free(out);
    return rc;
}

int cw_selection_find_parts(const struct cw_network *net, struct cw_selection *selection, bool relayed,
                            uint64_t *cut_off)
{
    static const char what[] = "parts of a network";
    uint32_t *parts = cw_new_array(net->n_vertices, sizeof *parts, what);
    uint32_t *queue = cw_new_array(2 * (size_t)net->n_vertices, sizeof *queue, what);
    uint32_t *count = cw_new_array(selection->n, sizeof *count, what);
    const int rc = parts && queue && count ? 0 : CW_ENOMEM;
    uint64_t pairs = 0;
    if (!rc) find_greatest(net, selection, relayed, parts, queue, count);
    for (uint32_t i = 0; !rc && i < selection->n; i++) pairs += (uint64_t)count[i] * (selection->n - count[i]);
    free(queue);
    free(count);
    if (rc || pairs == 0) {
        free(parts);
        parts = NULL;
    }
    if (rc) return rc;
    free(selection->parts);
    selection->parts = parts;
    *cut_off = pairs;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int cw_selection_cut(const struct cw_network *net, const struct cw_selection *selection, struct cw_network **out)
{
    bool *keep = cw_new_array(net->n_endpoints, sizeof *keep, "a selection of endpoints");
    if (!keep) return CW_ENOMEM;
    for (uint32_t i = 0; i < selection->n; i++) keep[selection->endpoints[i]] = true;
    const int rc = cw_network_keep_endpoints(net, keep, out);
    free(keep);
    return rc;
}
