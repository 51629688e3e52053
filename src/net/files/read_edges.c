#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/builder.h"
#include "net/files/formats_internal.h"
#include "net/name_table.h"

#define MAX_WORDS    4
#define EXPECT_CABLE "'A B [CAPACITY [LATENCY]]' or 'endpoint NAME'"

/* One word of a line; quotes are taken off. */
struct word {
    const char *begin;
    size_t length;
    bool quoted;
};

struct cable {
    uint32_t a, b; /* numbers of names */
    double capacity, latency;
};

/* What the file says. A vertex is the number of its name until endpoints are told from switches. */
struct edges {
    const char *file;
    struct cw_name_table *names;
    struct cable *cables;
    size_t n_cables, cable_capacity;
    bool *declared; /* [declared_capacity] by number: an "endpoint" line names it */
    size_t declared_capacity, n_declared;
    uint32_t *vertex; /* [names] the vertex that a number becomes */
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

static int add_name(struct edges *edges, unsigned long line, const struct word *word, uint32_t *id)
{
    if (word->length == 0 || word->length >= CW_NAME_SIZE || memchr(word->begin, 0, word->length))
        return cw_fail_at(edges->file, line, "a name of %zu bytes, expected 1 to %d and no zero among them",
                          word->length, CW_NAME_SIZE - 1);
    return cw_name_table_add(edges->names, word->begin, word->length, id);
}

/* Parses WORD, a quantity, by PARSE. */
static int get_quantity(const struct edges *edges, unsigned long line, const char *what, const struct word *word,
                        int (*parse)(const char *, const char *, double *), double *out)
{
    char *text = cw_copy_text(word->begin, word->length);
    if (!text) return CW_ENOMEM;
    const int rc = parse(what, text, out);
    free(text);
    return rc ? cw_fail_at(edges->file, line, "%s", cw_error_message()) : 0;
}

static int read_cable(struct edges *edges, unsigned long line, const struct word *words, int n)
{
    struct cable cable = {.capacity = CW_DEFAULT_CAPACITY, .latency = CW_DEFAULT_LATENCY};
    int rc = add_name(edges, line, &words[0], &cable.a);
    if (!rc) rc = add_name(edges, line, &words[1], &cable.b);
    if (!rc && n > 2) rc = get_quantity(edges, line, "capacity", &words[2], cw_parse_rate, &cable.capacity);
    if (!rc && n > 3) rc = get_quantity(edges, line, "latency", &words[3], cw_parse_time, &cable.latency);
    if (!rc && cable.a == cable.b)
        rc = cw_fail_at(edges->file, line, "a cable from '%s' to itself, expected two vertices",
                        cw_name_table_name(edges->names, cable.a));
    if (!rc && !(cable.capacity > 0)) rc = cw_fail_at(edges->file, line, "capacity 0, expected more than 0");
    if (rc) return rc;
    void *cables = edges->cables;
    rc = cw_grow_array(&cables, &edges->cable_capacity, edges->n_cables + 1, sizeof cable, "cables");
    edges->cables = cables;
    if (!rc) edges->cables[edges->n_cables++] = cable;
    return rc;
}

static int read_endpoint(struct edges *edges, unsigned long line, const struct word *word)
{
    uint32_t id;
    int rc = add_name(edges, line, word, &id);
    if (rc) return rc;
    const size_t old = edges->declared_capacity;
    void *declared = edges->declared;
    rc = cw_grow_array(&declared, &edges->declared_capacity, (size_t)id + 1, sizeof *edges->declared, "endpoints");
    if (rc) return rc;
    edges->declared = declared;
    memset(edges->declared + old, 0, (edges->declared_capacity - old) * sizeof *edges->declared);
    if (edges->declared[id])
        return cw_fail_at(edges->file, line, "endpoint '%s' a second time, expected each once",
                          cw_name_table_name(edges->names, id));
    edges->declared[id] = true;
    edges->n_declared++;
    return 0;
}

static int read_lines(struct edges *edges, const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of(edges->file, data, length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        struct word words[MAX_WORDS];
        const char *problem;
        const int n = split(lines.line, lines.length, words, &problem);
        if (n < 0)
            rc = cw_fail_at(edges->file, lines.number, "%s", problem);
        else if (n == 1)
            rc = cw_fail_at(edges->file, lines.number, "a single word, expected " EXPECT_CABLE);
        else if (n == 2 && !words[0].quoted && words[0].length == 8 && memcmp(words[0].begin, "endpoint", 8) == 0)
            rc = read_endpoint(edges, lines.number, &words[1]);
        else if (n > 1)
            rc = read_cable(edges, lines.number, words, n);
    }
    return rc;
}

/* Which names are endpoints: those declared, else those of exactly one cable. ENDPOINT has an entry a name. */
static uint32_t find_endpoints(const struct edges *edges, bool *endpoint, uint32_t *degree)
{
    const uint32_t n = cw_name_table_count(edges->names);
    for (size_t i = 0; i < edges->n_cables; i++) {
        degree[edges->cables[i].a]++;
        degree[edges->cables[i].b]++;
    }
    uint32_t count = 0;
    for (uint32_t id = 0; id < n; id++) {
        endpoint[id] = edges->n_declared > 0 ? id < edges->declared_capacity && edges->declared[id] : degree[id] == 1;
        count += endpoint[id];
    }
    return count;
}

/* Names the endpoints, then the switches, each in the order in which the file first names them. */
static void name_vertices(struct edges *edges, const bool *endpoint, uint32_t n_endpoints, struct cw_builder *builder)
{
    uint32_t next_endpoint = 0, next_switch = n_endpoints;
    for (uint32_t id = 0; id < cw_name_table_count(edges->names); id++) {
        edges->vertex[id] = endpoint[id] ? next_endpoint++ : next_switch++;
        cw_builder_name(builder, edges->vertex[id], cw_name_table_name(edges->names, id));
    }
}

/* A plain graph: every name is a switch and gets an endpoint NAME.h, whose cable is as fast as the switch's fastest so
 * that it does not limit what the graph can do. */
static void attach_endpoints(struct edges *edges, double *fastest, struct cw_builder *builder)
{
    const uint32_t n = cw_name_table_count(edges->names);
    for (size_t i = 0; i < edges->n_cables; i++) {
        const struct cable *cable = edges->cables + i;
        if (fastest[cable->a] < cable->capacity) fastest[cable->a] = cable->capacity;
        if (fastest[cable->b] < cable->capacity) fastest[cable->b] = cable->capacity;
    }
    for (uint32_t id = 0; id < n; id++) {
        char name[CW_NAME_SIZE + 2];
        edges->vertex[id] = n + id;
        snprintf(name, sizeof name, "%s.h", cw_name_table_name(edges->names, id));
        cw_builder_name(builder, id, name);
        cw_builder_name(builder, n + id, cw_name_table_name(edges->names, id));
        cw_builder_cable(builder, id, 0, n + id, 0, fastest[id], CW_DEFAULT_LATENCY);
    }
}

static int build(struct edges *edges, struct cw_network **net)
{
    const uint32_t n = cw_name_table_count(edges->names);
    bool *endpoint = cw_new_array(n, sizeof *endpoint, "endpoints");
    uint32_t *degree = cw_new_array(n, sizeof *degree, "degrees");
    double *fastest = cw_new_array(n, sizeof *fastest, "capacities");
    edges->vertex = cw_new_array(n, sizeof *edges->vertex, "vertices");
    int rc = endpoint && degree && fastest && edges->vertex ? 0 : CW_ENOMEM;
    if (!rc) {
        const uint32_t n_endpoints = find_endpoints(edges, endpoint, degree);
        const bool plain = n_endpoints == 0;
        struct cw_builder *builder =
            cw_builder_new(plain ? n : n_endpoints, plain ? n : n - n_endpoints, edges->n_cables + (plain ? n : 0));
        if (plain)
            attach_endpoints(edges, fastest, builder);
        else
            name_vertices(edges, endpoint, n_endpoints, builder);
        for (size_t i = 0; i < edges->n_cables; i++) {
            const struct cable *cable = edges->cables + i;
            cw_builder_cable(builder, edges->vertex[cable->a], 0, edges->vertex[cable->b], 0, cable->capacity,
                             cable->latency);
        }
        rc = cw_builder_finish(builder, net);
    }
    free(endpoint);
    free(degree);
    free(fastest);
    return rc;
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    struct edges edges = {.file = file};
    int rc = cw_name_table_new(&edges.names);
    if (!rc) rc = read_lines(&edges, data, length);
    if (!rc && edges.n_cables == 0) rc = cw_fail_at(file, 0, "no cable, expected " EXPECT_CABLE);
    if (!rc) rc = build(&edges, net);
    cw_name_table_free(edges.names);
    free(edges.cables);
    free(edges.declared);
    free(edges.vertex);
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
