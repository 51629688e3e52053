/* The files that OpenSM's engines take: lists of vertices, and of numbers by switch. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "route/engines/opensm/opensm.h"
#include "route/files/lft_internal.h"

#define MOST_NUMBERS 256u /* behind a switch: ports have 8 bits */

/* A file that is read. Lines of vertices that the network does not have are passed over, as OpenSM does, for fabrics
 * lose nodes; they are remarked. */
struct reading {
    const struct cw_network *net;
    unsigned kinds; /* of vertices that lines may name */
    struct cw_lft_names names;
    struct cw_lines lines;
    size_t n_known, n_unknown;
    unsigned long unknown; /* the first line of these */
};

/* Takes the vertex V and what stands behind it in the line. */
typedef int take_line(void *context, const struct reading *reading, uint32_t v, char *rest);

/* True if WORD is a GUID, with "0x" or of 16 digits without. */
static bool is_guid(const char *word, uint64_t *guid)
{
    const char *digits = strncmp(word, "0x", 2) == 0 ? word + 2 : word;
    const size_t length = strspn(digits, "0123456789abcdefABCDEF");
    if (length == 0 || length > 16 || digits[length] || (digits == word && length < 16)) return false;
    *guid = strtoull(digits, NULL, 16);
    return *guid != 0;
}

/* The vertex that WORD names, if it is of a kind that is asked for; else CW_NONE. GUIDs also as generated networks are
 * given them. */
static uint32_t find_vertex(const struct reading *reading, const char *word)
{
    uint64_t guid;
    uint32_t v = cw_name_index_vertex(reading->names.index, word);
    if (v == CW_NONE && is_guid(word, &guid)) v = cw_lft_find_port(&reading->names, guid);
    if (v == CW_NONE && is_guid(word, &guid)) v = cw_name_index_node_guid(reading->names.index, guid);
    if (v == CW_NONE) return CW_NONE;
    const unsigned kind = cw_network_is_endpoint(reading->net, v) ? CW_OPENSM_ENDPOINTS : CW_OPENSM_SWITCHES;
    return reading->kinds & kind ? v : CW_NONE;
}

static int read_line(struct reading *reading, bool words, char *content, take_line *take, void *context)
{
    char *rest = words ? content + strcspn(content, " \t") : content + strlen(content);
    if (!*content) return 0;
    if (*rest) *rest++ = 0;
    const uint32_t v = find_vertex(reading, content);
    if (v == CW_NONE) {
        if (reading->n_unknown++ == 0) reading->unknown = reading->lines.number;
        return 0;
    }
    reading->n_known++;
    return take(context, reading, v, words ? rest : content);
}

static int judge(const struct reading *reading, const char *file)
{
    const char *what = reading->kinds == CW_OPENSM_SWITCHES    ? "switch"
                       : reading->kinds == CW_OPENSM_ENDPOINTS ? "endpoint"
                                                               : "vertex";
    if (reading->n_unknown == 0) return 0;
    if (reading->n_known == 0)
        return cw_fail_at(file, reading->unknown,
                          "no %s of the network in this file; expected lines with a GUID or a name", what);
    cw_inputs_remark(file, reading->unknown, "%zu of %zu lines are of no %s of the network, the first here.",
                     reading->n_unknown, reading->n_unknown + reading->n_known, what);
    return 0;
}

/* WORDS: a line is a vertex and more; else a name may have blanks. */
static int each_line(const struct cw_network *net, const char *file, unsigned kinds, bool words, take_line *take,
                     void *context)
{
    struct cw_text text = {0};
    struct reading reading = {.net = net, .kinds = kinds};
    int rc = cw_lft_names_new(net, &reading.names);
    if (rc) return rc;
    rc = cw_file_read(file, &text);
    reading.lines = cw_lines_of(file, text.data, text.length);
    while (rc == 0 && cw_lines_next(&reading.lines)) {
        char *content = cw_line_content(&reading.lines);
        rc = content ? read_line(&reading, words, content, take, context) : CW_ENOMEM;
        free(content);
    }
    if (rc == 0) rc = judge(&reading, file);
    cw_lft_names_free(&reading.names);
    cw_text_free(&text);
    return rc;
}

/* --- vertices ----------------------------------------------------------------------------------------------------- */

struct vertices {
    uint32_t *items, n;
    size_t capacity;
};

static int add_vertex(struct vertices *vertices, uint32_t v)
{
    void *items = vertices->items;
    const int rc = cw_grow_array(&items, &vertices->capacity, (size_t)vertices->n + 1, sizeof v, "a list of vertices");
    if (rc) return rc;
    vertices->items = items;
    vertices->items[vertices->n++] = v;
    return 0;
}

/* The GUID of an adapter means all of its ports. */
static int take_vertex(void *context, const struct reading *reading, uint32_t v, char *word)
{
    const struct cw_network *net = reading->net;
    uint64_t guid;
    int rc = add_vertex(context, v);
    if (!cw_network_is_endpoint(net, v) || !net->identity || !is_guid(word, &guid)) return rc;
    if (net->identity[v].port_guid == guid || net->identity[v].node_guid != guid) return rc;
    for (uint32_t e = 0; e < net->n_endpoints && rc == 0; e++)
        if (e != v && net->identity[e].node_guid == guid) rc = add_vertex(context, e);
    return rc;
}

int cw_opensm_vertices(const struct cw_network *net, const char *file, unsigned kinds, uint32_t **out, uint32_t *n)
{
    struct vertices vertices = {0};
    const int rc = each_line(net, file, kinds, false, take_vertex, &vertices);
    if (rc) {
        free(vertices.items);
        return rc;
    }
    *out = vertices.items;
    *n = vertices.n;
    return 0;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

struct numbers {
    cw_opensm_take *take;
    void *context;
};

static int take_numbers(void *context, const struct reading *reading, uint32_t v, char *rest)
{
    static const char expected[] = "a switch and numbers, such as 0x0008f10500200b50 3 1";
    const struct numbers *numbers = context;
    const struct cw_lines *at = &reading->lines;
    uint64_t found[MOST_NUMBERS];
    uint32_t n = 0;
    for (rest += strspn(rest, " \t"); *rest; rest += strspn(rest, " \t")) {
        errno = 0;
        if (!isdigit((unsigned char)*rest) || n == MOST_NUMBERS)
            return cw_fail_at(at->file, at->number, "'%s', expected %s", rest, expected);
        found[n++] = strtoull(rest, &rest, 10);
        if (errno) return cw_fail_at(at->file, at->number, "a number is too large, expected %s", expected);
    }
    const char *problem = n == 0 ? expected : numbers->take(numbers->context, v, found, n);
    return problem ? cw_fail_at(at->file, at->number, "expected %s", problem) : 0;
}

int cw_opensm_numbers(const struct cw_network *net, const char *file, cw_opensm_take *take, void *context)
{
    struct numbers numbers = {take, context};
    return each_line(net, file, CW_OPENSM_SWITCHES, true, take_numbers, &numbers);
}
