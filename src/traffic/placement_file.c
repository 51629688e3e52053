/*
 * A placement from a file: one endpoint a line by name, by GUID ("0x…", port or node) or by id; or a host, for all of
 * its endpoints in their order; or a list of them (net/host_list.h). '#' at the beginning of a line or after a blank
 * begins a comment. Endpoints that are not listed follow in the order of their ids; one that
 * does not take part is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

struct listed {
    char *file;
    uint32_t *order; /* of all that were asked for */
    uint32_t n;
};

static const struct cw_option file_options[] = {
    {.name = "file",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct listed, file),
     .positional = true,
     .required = true,
     .help = "file with endpoints, one per line or node[01-16]: names, hosts (all of their endpoints), GUIDs (0x…) or "
             "ids; '#' begins a comment"},
    {.name = NULL},
};

/* While the file is read. */
struct reading {
    const struct cw_network *net;
    const struct cw_selection *selection, *asked;
    struct cw_name_index *names;
    struct cw_lines lines;
    unsigned long *line_of; /* [n_endpoints] 0: not listed yet */
    uint32_t *order;
    uint32_t n;
};

static int add_vertex(struct reading *reading, const char *text, uint32_t v)
{
    const struct cw_lines *lines = &reading->lines;
    if (!cw_network_is_endpoint(reading->net, v))
        return cw_fail_at(lines->file, lines->number, "'%s' is a switch; expected an endpoint", text);
    if (cw_selection_index(reading->selection, v) == CW_NONE)
        return cw_fail_at(lines->file, lines->number, "endpoint '%s' is not among the %u of %u that take part", text,
                          reading->selection->n, reading->net->n_endpoints);
    if (reading->line_of[v])
        return cw_fail_at(lines->file, lines->number, "endpoint '%s' was given in line %lu already", text,
                          reading->line_of[v]);
    reading->line_of[v] = lines->number;
    reading->order[reading->n++] = v;
    return 0;
}

/* Adds the endpoint that TEXT means, or all of the host that take part. */
static int find_and_add(void *context, const char *text, bool last)
{
    struct reading *reading = context;
    uint32_t v = cw_name_index_vertex(reading->names, text);
    if (v != CW_NONE) return add_vertex(reading, text, v);
    int rc = 0;
    bool any = false;
    const uint32_t first = cw_name_index_host(reading->names, text);
    for (v = first; !rc && v != CW_NONE; v = cw_name_index_host_next(reading->names, v)) {
        char name[CW_NAME_SIZE];
        if (cw_selection_index(reading->selection, v) == CW_NONE) continue;
        any = true;
        rc = add_vertex(reading, cw_network_name(reading->net, v, name, sizeof name), v);
    }
    if (first != CW_NONE) return any ? rc : add_vertex(reading, text, first);
    if (!last) return CW_HOST_UNKNOWN;
    return cw_fail_at(reading->lines.file, reading->lines.number,
                      "there is no endpoint '%s'; expected the name of an endpoint or a host, a list such as "
                      "node[001-064], a GUID (0x…) or an id below %u",
                      text, reading->net->n_endpoints);
}

static int add_line(struct reading *reading, const char *text)
{
    const int rc = cw_host_list_each(text, find_and_add, reading);
    return rc == CW_EUSAGE ? cw_fail_at(reading->lines.file, reading->lines.number, "%s", cw_error_message()) : rc;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts comment and blanks off the line; BEGIN gets its first character. The length. */
static size_t trim(const struct cw_lines *lines, const char **begin)
{
    const char *from = lines->line, *end = from;
    const char *limit = lines->line + lines->length;
    while (end < limit && !(*end == '#' && (end == from || is_blank(end[-1])))) end++;
    while (from < end && is_blank(*from)) from++;
    while (from < end && is_blank(end[-1])) end--;
    *begin = from;
    return (size_t)(end - from);
}

static int read_lines(struct reading *reading)
{
    while (cw_lines_next(&reading->lines)) {
        const char *begin;
        const size_t length = trim(&reading->lines, &begin);
        if (length == 0) continue;
        char *text = cw_copy_text(begin, length);
        if (!text) return CW_ENOMEM;
        const int rc = add_line(reading, text);
        free(text);
        if (rc) return rc;
    }
    if (reading->n == 0) return cw_fail_at(reading->lines.file, 0, "no endpoints; expected one a line");
    for (uint32_t i = 0; i < reading->asked->n; i++) {
        const uint32_t e = reading->asked->endpoints[i];
        if (!reading->line_of[e]) reading->order[reading->n++] = e;
    }
    return 0;
}

static int prepare_file(void *values, const struct cw_network *net, const struct cw_selection *selection)
{
    struct listed *listed = values;
    struct cw_text text = {0};
    int rc = cw_file_read(listed->file, &text);
    if (rc) return rc;
    const struct cw_selection *asked = selection->asked ? selection->asked : selection;
    listed->n = asked->n;
    listed->order = cw_new_array(asked->n, sizeof *listed->order, "a placement");
    struct reading reading = {.net = net, .selection = selection, .asked = asked, .order = listed->order};
    reading.line_of = cw_new_array(net->n_endpoints, sizeof *reading.line_of, "a placement");
    rc = listed->order && reading.line_of ? cw_name_index_new(net, &reading.names) : CW_ENOMEM;
    reading.lines = cw_lines_of(listed->file, text.data, text.length);
    if (!rc) rc = read_lines(&reading);
    cw_name_index_free(reading.names);
    free(reading.line_of);
    cw_text_free(&text);
    return rc;
}

static void release_file(void *values)
{
    struct listed *listed = values;
    free(listed->order);
}

static int order_file(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                      uint32_t *endpoints)
{
    (void)random;
    const struct listed *listed = values;
    bool *in = cw_new_array(net->n_endpoints, sizeof *in, "a placement");
    if (!in) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) in[endpoints[i]] = true;
    for (uint32_t i = 0, found = 0; i < listed->n; i++)
        if (in[listed->order[i]]) endpoints[found++] = listed->order[i];
    free(in);
    return 0;
}

const struct cw_placement_kind cw_placement_file = {
    .name = "file",
    .help = "the endpoints that a file lists, then all others in order",
    .options = file_options,
    .size = sizeof(struct listed),
    .prepare = prepare_file,
    .release = release_file,
    .order = order_file,
};
