/* The files that OpenSM's engines take: lists of vertices, and of numbers by switch. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/host_list.h"
#include "route/engines/minhop.h"
#include "route/files/lft_internal.h"

#define MOST_NUMBERS 256u /* behind a switch: ports have 8 bits */
#define LINE         255u /* characters that OpenSM reads as a line; what follows is another to it */

static const char blanks[] = " \t\r\v\f";

/* A file that is read. Lines of vertices that the network does not have are passed over, as OpenSM does, for fabrics
 * lose nodes; they are remarked. Other lines are names to us, but wrong to OpenSM: it refuses a file of GUIDs that has
 * one. */
struct reading {
    const struct cw_network *net;
    unsigned kinds; /* of vertices that lines may name */
    struct cw_lft_names names;
    struct cw_lines lines;
    size_t n_known, n_unknown, n_named; /* lines; those of vertices by name */
    unsigned long unknown, no_guid;     /* the first line of these; 0: none */
};

/* Takes the vertex V and what stands behind it in the line, if that is words. */
typedef int take_line(void *context, const struct reading *reading, uint32_t v, char *rest);

/* True if TEXT begins with a GUID as OpenSM reads it, a number as of C: with "0x", else it is octal or decimal. *END is
 * behind it. */
static bool read_guid(char *text, uint64_t *guid, char **end)
{
    *guid = strtoull(text, end, 0);
    return *end > text && (!**end || **end == '#' || isspace((unsigned char)**end));
}

/* V if lines may name such a vertex; NAMED: by name or number. */
static uint32_t if_wanted(const struct reading *reading, uint32_t v, bool named)
{
    if (v == CW_NONE) return CW_NONE;
    const unsigned endpoints = named ? CW_OPENSM_ENDPOINTS + CW_OPENSM_NAMED_ENDPOINTS : CW_OPENSM_ENDPOINTS;
    const unsigned kind = cw_network_is_endpoint(reading->net, v) ? endpoints : CW_OPENSM_SWITCHES;
    return reading->kinds & kind ? v : CW_NONE;
}

/* The vertex that WORD names, or that has GUID, also as generated networks are given them; or an endpoint by number. */
static uint32_t find_vertex(struct reading *reading, const char *word, bool is_guid, uint64_t guid)
{
    const struct cw_lft_names *names = &reading->names;
    uint32_t v = cw_name_index_name(names->index, word);
    bool named = v != CW_NONE;
    reading->n_named += named;
    if (!named && is_guid) {
        v = cw_lft_find_port(names, guid);
        named = v == CW_NONE && isdigit((unsigned char)*word) && !strpbrk(word, "xX");
        if (named) v = cw_name_index_vertex(names->index, word);
    }
    return if_wanted(reading, v, named);
}

static void note_unknown(struct reading *reading)
{
    if (reading->n_unknown++ == 0) reading->unknown = reading->lines.number;
}

/* A list of vertices in a line. */
struct listing {
    struct reading *reading;
    take_line *take;
    void *context;
};

/* Takes the vertex, or the endpoints of the host, that is called NAME. */
static int take_name(void *context, const char *name, bool last)
{
    const struct listing *listing = context;
    struct reading *reading = listing->reading;
    const struct cw_name_index *index = reading->names.index;
    const uint32_t named = cw_name_index_name(index, name);
    uint32_t v = if_wanted(reading, named == CW_NONE ? cw_name_index_host(index, name) : named, true);
    int rc = 0;
    if (v == CW_NONE && !last) return CW_HOST_UNKNOWN;
    if (v == CW_NONE)
        note_unknown(reading);
    else
        reading->n_known++, reading->n_named++;
    for (; !rc && v != CW_NONE; v = named == CW_NONE ? cw_name_index_host_next(index, v) : CW_NONE)
        rc = listing->take(listing->context, reading, v, NULL);
    return rc;
}

/* CONTENT is not the name of a vertex: it may be a host's, or a list in brackets; commas separate nothing here. */
static int read_names(struct reading *reading, const char *content, take_line *take, void *context)
{
    struct listing listing = {reading, take, context};
    const struct cw_lines *lines = &reading->lines;
    const size_t known = reading->n_known;
    const int rc = content[cw_host_list_item(content)] ? take_name(&listing, content, true)
                                                       : cw_host_list_each(content, take_name, &listing);
    if (reading->n_known == known && reading->no_guid == 0) reading->no_guid = lines->number;
    return rc == CW_EUSAGE ? cw_fail_at(lines->file, lines->number, "%s", cw_error_message()) : rc;
}

static int read_line(struct reading *reading, bool words, char *content, take_line *take, void *context)
{
    uint64_t guid;
    char *end, *rest;
    content += strspn(content, blanks);
    if (!*content || *content == '#') return 0;
    const bool is_guid = read_guid(content, &guid, &end);
    rest = is_guid ? end : content + strcspn(content, blanks);
    const char behind = *rest;
    if (words) *rest = 0;
    const uint32_t v = find_vertex(reading, content, is_guid, guid);
    *rest = behind;
    if (v != CW_NONE) {
        reading->n_known++;
        return take(context, reading, v, rest);
    }
    if (!is_guid && !words) return read_names(reading, content, take, context);
    if (!is_guid && reading->no_guid == 0) reading->no_guid = reading->lines.number;
    note_unknown(reading);
    return 0;
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
    if (reading->no_guid && reading->n_named == 0)
        return cw_fail_at(file, reading->no_guid,
                          "OpenSM refuses this; expected a GUID, such as 0x0008f10500200b50, or the name of a %s in "
                          "lines of up to %u characters",
                          what, LINE - 1);
    cw_inputs_remark(file, reading->unknown, "%zu of %zu lines are of no %s of the network, the first here.",
                     reading->n_unknown, reading->n_unknown + reading->n_known, what);
    return 0;
}

static int read_pieces(struct reading *reading, bool words, take_line *take, void *context)
{
    int rc = 0;
    struct cw_lines piece = reading->lines;
    const char *end = piece.line + piece.length;
    for (; rc == 0 && piece.line < end; piece.line += piece.length) {
        piece.length = (size_t)(end - piece.line) < LINE ? (size_t)(end - piece.line) : LINE;
        char *content = words ? cw_copy_text(piece.line, piece.length) : cw_line_content(&piece);
        rc = content ? read_line(reading, words, content, take, context) : CW_ENOMEM;
        free(content);
    }
    return rc;
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
    while (rc == 0 && cw_lines_next(&reading.lines)) rc = read_pieces(&reading, words, take, context);
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

static int take_vertex(void *context, const struct reading *reading, uint32_t v, char *rest)
{
    (void)reading, (void)rest;
    return add_vertex(context, v);
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
    uint32_t most;
    cw_opensm_take *take;
    void *context;
};

/* As OpenSM, which reads no comment right behind the only number. */
static bool ends_number(const char *rest, uint32_t most)
{
    return !*rest || isspace((unsigned char)*rest) || (*rest == '#' && most > 1);
}

static int take_numbers(void *context, const struct reading *reading, uint32_t v, char *rest)
{
    const struct numbers *numbers = context;
    const struct cw_lines *at = &reading->lines;
    uint64_t found[MOST_NUMBERS];
    uint32_t n = 0;
    for (rest += strspn(rest, blanks); *rest && n < numbers->most; rest += strspn(rest, blanks)) {
        char *begin = rest;
        if (*begin == '#' && n > 0) break;
        found[n++] = strtoull(begin, &rest, 0);
        if (rest > begin && ends_number(rest, numbers->most)) continue;
        return cw_fail_at(at->file, at->number, "'%s', expected a switch and numbers, such as 0x0008f10500200b50 3 1",
                          begin);
    }
    const char *problem = numbers->take(numbers->context, v, found, n);
    return problem ? cw_fail_at(at->file, at->number, "expected %s", problem) : 0;
}

int cw_opensm_numbers(const struct cw_network *net, const char *file, uint32_t most, cw_opensm_take *take,
                      void *context)
{
    struct numbers numbers = {most < MOST_NUMBERS ? most : MOST_NUMBERS, take, context};
    return each_line(net, file, CW_OPENSM_SWITCHES, true, take_numbers, &numbers);
}
