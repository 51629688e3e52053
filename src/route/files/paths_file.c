#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/paths.h"
#include "route/routes_internal.h"

/* A word of a line: a name, perhaps in quotes, and what follows its '/'. */
struct word {
    const char *begin, *end; /* the name */
    const char *port;        /* digits after '/', up to PORT_END; NULL: none */
    const char *port_end;
};

/* Where the reader is, and what it has of the line. */
struct reader {
    const struct cw_network *net;
    const struct cw_name_index *names;
    struct cw_lines lines;
    const char *at, *end; /* rest of the line */
    struct cw_text name;  /* the last name looked up, with its 0 */
    uint32_t *channels;
    size_t n_channels, capacity;
    struct cw_paths *paths;
};

static int fail_line(const struct reader *reader, const char *problem, const char *what)
{
    return cw_fail_at(reader->lines.file, reader->lines.number,
                      "%s%s; expected SRC DST WEIGHT : VERTEX[/PORT] VERTEX[/PORT] … DST", problem, what);
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t')) reader->at++;
    if (reader->at < reader->end && *reader->at == '#') reader->at = reader->end;
}

static bool at_line_end(struct reader *reader)
{
    skip_blanks(reader);
    return reader->at == reader->end;
}

static bool ends_word(char c)
{
    return c == ' ' || c == '\t' || c == ':' || c == '#';
}

/* Reads a word. WITH_PORT: a '/' outside quotes begins a port number; otherwise it belongs to the word. */
static int next_word(struct reader *reader, bool with_port, struct word *word)
{
    if (at_line_end(reader)) return fail_line(reader, "the line ends too early", "");
    const char *p = reader->at, *const end = reader->end;
    if (*p == '"') {
        const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
        if (!close) return fail_line(reader, "a quoted name without its closing '\"'", "");
        *word = (struct word){.begin = p + 1, .end = close};
        p = close + 1;
    } else {
        const char *begin = p;
        while (p < end && !ends_word(*p) && !(with_port && *p == '/')) p++;
        *word = (struct word){.begin = begin, .end = p};
    }
    if (p < end && *p == '/' && with_port) {
        word->port = ++p;
        while (p < end && !ends_word(*p)) p++;
        word->port_end = p;
    }
    if (p < end && !ends_word(*p)) return fail_line(reader, "a quoted name goes on after its closing '\"'", "");
    reader->at = p;
    return 0;
}

/* The text from BEGIN to END with a 0 behind it, until the next call; NULL if memory ran out. */
static const char *text_of(struct reader *reader, const char *begin, const char *end)
{
    reader->name.length = 0;
    cw_text_append(&reader->name, begin, (size_t)(end - begin));
    return cw_text_check(&reader->name) ? NULL : reader->name.data;
}

static int find_vertex(struct reader *reader, const struct word *word, uint32_t *v)
{
    const char *name = text_of(reader, word->begin, word->end);
    if (!name) return CW_ENOMEM;
    uint32_t found = cw_name_index_name(reader->names, name);
    const int rc = found == CW_NONE ? cw_name_index_host_only(reader->names, name, &found) : 0;
    if (rc == CW_EUSAGE) return cw_fail_at(reader->lines.file, reader->lines.number, "%s", cw_error_message());
    if (rc) return rc;
    if (found == CW_NONE) return cw_fail_at(reader->lines.file, reader->lines.number, "no vertex is called '%s'", name);
    *v = found;
    return 0;
}

static int next_vertex(struct reader *reader, uint32_t *v)
{
    struct word word;
    const int rc = next_word(reader, false, &word);
    return rc ? rc : find_vertex(reader, &word, v);
}

static int next_weight(struct reader *reader, double *weight)
{
    struct word word;
    int rc = next_word(reader, false, &word);
    if (rc) return rc;
    const char *text = text_of(reader, word.begin, word.end);
    if (!text) return CW_ENOMEM;
    rc = cw_parse_real("the weight", text, weight);
    return rc == CW_EUSAGE ? fail_line(reader, "a weight that is not a number: ", text) : rc;
}

static int expect_colon(struct reader *reader)
{
    if (at_line_end(reader) || *reader->at != ':') return fail_line(reader, "no ':' after the weight", "");
    reader->at++;
    return 0;
}

/* The channel from V, by the port that WORD asks for or else the first cable, to HEAD. */
static int find_channel(struct reader *reader, uint32_t v, const struct word *word, uint32_t head, uint32_t *channel)
{
    const struct cw_network *net = reader->net;
    uint32_t found = CW_NONE;
    if (word->port) {
        int64_t port;
        const char *text = text_of(reader, word->port, word->port_end);
        if (!text) return CW_ENOMEM;
        if (cw_parse_int("the port", text, &port) || port < 0 || port > UINT32_MAX)
            return fail_line(reader, "a port that is not a number: ", text);
        found = cw_network_channel_at(net, v, (uint32_t)port);
        if (found != CW_NONE && net->head[found] != head) found = CW_NONE;
    } else {
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && found == CW_NONE; c++)
            if (net->head[c] == head && !cw_network_is_closed(net, c)) found = c;
    }
    if (found == CW_NONE) {
        char from[256], to[256];
        return cw_fail_at(reader->lines.file, reader->lines.number, "no cable leads from %s%s to %s",
                          cw_network_name(net, v, from, sizeof from), word->port ? " by that port" : "",
                          cw_network_name(net, head, to, sizeof to));
    }
    *channel = found;
    return 0;
}

static int add_channel(struct reader *reader, uint32_t channel)
{
    void *channels = reader->channels;
    const int rc = cw_grow_array(&channels, &reader->capacity, reader->n_channels + 1, sizeof channel, "a path");
    reader->channels = channels;
    if (rc == 0) reader->channels[reader->n_channels++] = channel;
    return rc;
}

/* The vertices after the ':', which become channels. */
static int read_vertices(struct reader *reader)
{
    struct word word, next;
    uint32_t v = CW_NONE, head = CW_NONE, channel = CW_NONE;
    reader->n_channels = 0;
    int rc = next_word(reader, true, &word);
    if (rc == 0) rc = find_vertex(reader, &word, &v);
    while (rc == 0 && !at_line_end(reader)) {
        rc = next_word(reader, true, &next);
        if (rc == 0) rc = find_vertex(reader, &next, &head);
        if (rc == 0) rc = find_channel(reader, v, &word, head, &channel);
        if (rc == 0) rc = add_channel(reader, channel);
        word = next;
        v = head;
    }
    if (rc == 0 && word.port) return fail_line(reader, "a port after the last vertex", "");
    return rc;
}

static int read_line(struct reader *reader)
{
    uint32_t src, dst;
    double weight;
    reader->at = reader->lines.line;
    reader->end = reader->at + reader->lines.length;
    if (at_line_end(reader)) return 0;
    int rc = next_vertex(reader, &src);
    if (rc == 0) rc = next_vertex(reader, &dst);
    if (rc == 0) rc = next_weight(reader, &weight);
    if (rc == 0) rc = expect_colon(reader);
    if (rc == 0) rc = read_vertices(reader);
    if (rc) return rc;
    rc = cw_paths_add(reader->paths, src, dst, weight, reader->channels, reader->n_channels);
    if (rc != CW_EUSAGE) return rc;
    char *problem = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (!problem) return CW_ENOMEM;
    rc = cw_fail_at(reader->lines.file, reader->lines.number, "%s", problem);
    free(problem);
    return rc;
}

static int read_paths(const struct cw_network *net, const char *path, struct cw_paths *paths)
{
    struct cw_text content = {0};
    struct cw_name_index *names = NULL;
    int rc = cw_file_read(path, &content);
    if (rc == 0) rc = cw_name_index_new(net, &names);
    if (rc == 0) {
        struct reader reader = {.net = net, .names = names, .paths = paths};
        reader.lines = cw_lines_of(path, content.data, content.length);
        while (rc == 0 && cw_lines_next(&reader.lines)) rc = read_line(&reader);
        free(reader.channels);
        cw_text_free(&reader.name);
    }
    cw_name_index_free(names);
    cw_text_free(&content);
    return rc;
}

int cw_paths_read(const struct cw_network *net, const char *path, uint64_t seed, struct cw_routes **out)
{
    struct cw_paths *paths;
    if (net->nodes) {
        struct cw_routes *routes;
        const int failed = cw_paths_read(net->nodes->fabric, path, seed, &routes);
        return failed ? failed : cw_routes_of_nodes(routes, net, out);
    }
    int rc = cw_paths_new(net, &paths);
    if (rc) return rc;
    rc = read_paths(net, path, paths);
    if (rc) {
        cw_paths_free(paths);
        return rc;
    }
    return cw_paths_finish(paths, path, seed, out);
}
