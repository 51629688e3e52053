#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/files/formats_internal.h"
#include "net/files/named_graph.h"

#define MAX_WORDS    4
#define EXPECT_CABLE "'A B [CAPACITY [LATENCY]]' or 'endpoint NAME'"

/* One word of a line; quotes are taken off. */
struct word {
    const char *begin;
    size_t length;
    bool quoted;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Splits the LENGTH bytes of LINE, up to a '#', into at most MAX_WORDS. The number of words, or -1 after *PROBLEM. */
static int split(const char *line, size_t length, struct word *words, const char **problem)
{
    const char *p = line, *end = line + length;
    int n = 0;
    for (;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || *p == '#') return n;
        *problem = "more words than " EXPECT_CABLE;
        if (n == MAX_WORDS) return -1;
        struct word word = {.quoted = *p == '"'};
        word.begin = p += word.quoted;
        while (p < end && (word.quoted ? *p != '"' : !is_blank(*p))) p++;
        word.length = (size_t)(p - word.begin);
        *problem = "a quoted name without its end, expected '\"'";
        if (word.quoted && p++ == end) return -1;
        *problem = "text behind a quoted name, expected a blank";
        if (word.quoted && p < end && !is_blank(*p)) return -1;
        words[n++] = word;
    }
}

static int add_name(struct cw_named_graph *graph, unsigned long line, const struct word *word, uint32_t *id)
{
    return cw_named_graph_vertex(graph, line, word->begin, word->length, id);
}

/* Parses WORD, a quantity, by PARSE. */
static int get_quantity(const struct cw_named_graph *graph, unsigned long line, const char *what,
                        const struct word *word, int (*parse)(const char *, const char *, double *), double *out)
{
    char *text = cw_copy_text(word->begin, word->length);
    if (!text) return CW_ENOMEM;
    const int rc = parse(what, text, out);
    free(text);
    return rc ? cw_fail_at(graph->file, line, "%s", cw_error_message()) : 0;
}

static int read_cable(struct cw_named_graph *graph, unsigned long line, const struct word *words, int n)
{
    struct cw_named_cable cable = {.capacity = CW_DEFAULT_CAPACITY, .latency = CW_DEFAULT_LATENCY};
    int rc = add_name(graph, line, &words[0], &cable.a);
    if (!rc) rc = add_name(graph, line, &words[1], &cable.b);
    if (!rc && n > 2) rc = get_quantity(graph, line, "capacity", &words[2], cw_parse_rate, &cable.capacity);
    if (!rc && n > 3) rc = get_quantity(graph, line, "latency", &words[3], cw_parse_time, &cable.latency);
    cable.back_capacity = cable.capacity;
    cable.back_latency = cable.latency;
    return rc ? rc : cw_named_graph_cable(graph, line, &cable);
}

static int read_endpoint(struct cw_named_graph *graph, unsigned long line, const struct word *word)
{
    uint32_t id;
    const int rc = add_name(graph, line, word, &id);
    if (rc) return rc;
    if (graph->roles[id] == CW_NAMED_ENDPOINT)
        return cw_fail_at(graph->file, line, "endpoint '%s' a second time, expected each once",
                          cw_name_table_name(graph->names, id));
    graph->roles[id] = CW_NAMED_ENDPOINT;
    return 0;
}

static int read_lines(struct cw_named_graph *graph, const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of(graph->file, data, length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        struct word words[MAX_WORDS];
        const char *problem;
        const int n = split(lines.line, lines.length, words, &problem);
        if (n < 0)
            rc = cw_fail_at(graph->file, lines.number, "%s", problem);
        else if (n == 1)
            rc = cw_fail_at(graph->file, lines.number, "a single word, expected " EXPECT_CABLE);
        else if (n == 2 && !words[0].quoted && words[0].length == 8 && memcmp(words[0].begin, "endpoint", 8) == 0)
            rc = read_endpoint(graph, lines.number, &words[1]);
        else if (n > 1)
            rc = read_cable(graph, lines.number, words, n);
    }
    return rc;
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    struct cw_named_graph graph = {.file = file};
    struct cw_builder *builder;
    int rc = cw_named_graph_open(&graph);
    if (!rc) rc = read_lines(&graph, data, length);
    if (!rc && graph.n_cables == 0) rc = cw_fail_at(file, 0, "no cable, expected " EXPECT_CABLE);
    if (!rc) rc = cw_named_graph_build(&graph, &builder);
    if (!rc) rc = cw_builder_finish(builder, net);
    cw_named_graph_free(&graph);
    return rc;
}

/* By its first line only: two words a line are in many files. */
static bool recognises(const char *data, size_t length)
{
    static const char title[] = CW_EDGES_TITLE;
    struct cw_lines lines = cw_lines_of("", data, length);
    if (!cw_lines_next(&lines) || lines.length < sizeof title - 1) return false;
    return memcmp(lines.line, title, sizeof title - 1) == 0;
}

const struct cw_reader cw_reader_edges = {
    .name = "edges",
    .help = "A list of cables, one a line: A B [CAPACITY [LATENCY]]; the first line is \"" CW_EDGES_TITLE "\".",
    .recognises = recognises,
    .read = read_network};
