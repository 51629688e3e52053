/* The files that OpenSM's engines take: lists of vertices, and of numbers by switch. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "route/engines/opensm/opensm.h"
#include "route/files/lft_internal.h"

#define MOST_NUMBERS 256u /* behind a switch: ports have 8 bits */

/* A line of a file, for whoever takes it apart. */
struct line {
    const struct cw_network *net;
    const struct cw_lft_names *names;
    const struct cw_lines *lines;
    char *content;
};

typedef int take_line(void *context, const struct line *line);

static int each_line(const struct cw_network *net, const char *file, take_line *take, void *context)
{
    struct cw_text text = {0};
    struct cw_lft_names names;
    int rc = cw_lft_names_new(net, &names);
    if (rc) return rc;
    rc = cw_file_read(file, &text);
    struct cw_lines lines = cw_lines_of(file, text.data, text.length);
    while (rc == 0 && cw_lines_next(&lines)) {
        struct line line = {net, &names, &lines, cw_line_content(&lines)};
        rc = !line.content ? CW_ENOMEM : *line.content ? take(context, &line) : 0;
        free(line.content);
    }
    cw_lft_names_free(&names);
    cw_text_free(&text);
    return rc;
}

/* The vertex that WORD names; GUIDs also as generated networks are given them. */
static int find_vertex(const struct line *line, const char *word, uint32_t *v)
{
    char *end;
    *v = cw_name_index_vertex(line->names->index, word);
    if (*v == CW_NONE && strncmp(word, "0x", 2) == 0) {
        const uint64_t guid = strtoull(word, &end, 16);
        if (*end == 0) *v = cw_lft_find_port(line->names, guid);
    }
    if (*v != CW_NONE) return 0;
    return cw_fail_at(line->lines->file, line->lines->number, "no vertex is called '%s', expected a name or a GUID",
                      word);
}

/* --- vertices ----------------------------------------------------------------------------------------------------- */

struct vertices {
    uint32_t *items, n;
    size_t capacity;
};

static int take_vertex(void *context, const struct line *line)
{
    struct vertices *vertices = context;
    uint32_t v;
    int rc = find_vertex(line, line->content, &v);
    if (rc) return rc;
    void *items = vertices->items;
    rc = cw_grow_array(&items, &vertices->capacity, (size_t)vertices->n + 1, sizeof v, "a list of vertices");
    if (rc) return rc;
    vertices->items = items;
    vertices->items[vertices->n++] = v;
    return 0;
}

int cw_opensm_vertices(const struct cw_network *net, const char *file, uint32_t **out, uint32_t *n)
{
    struct vertices vertices = {0};
    const int rc = each_line(net, file, take_vertex, &vertices);
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

static int take_numbers(void *context, const struct line *line)
{
    static const char expected[] = "a switch and numbers, such as 0x0008f10500200b50 3 1";
    const struct numbers *numbers = context;
    const struct cw_lines *at = line->lines;
    uint64_t found[MOST_NUMBERS];
    uint32_t v, n = 0;
    char *rest = line->content + strcspn(line->content, " \t");
    if (*rest) *rest++ = 0;
    const int rc = find_vertex(line, line->content, &v);
    if (rc) return rc;
    if (cw_network_is_endpoint(line->net, v))
        return cw_fail_at(at->file, at->number, "'%s' is no switch, expected %s", line->content, expected);
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
    return each_line(net, file, take_numbers, &numbers);
}
