/*
 * Networks of BookSim 2's topology "anynet": "router 0 node 0 node 1 router 1 5", a line for each router. What a line
 * leaves out is as BookSim completes it: a channel that is not mentioned goes back in one cycle, the last of several
 * mentions counts, and no two channels lead from one router to another.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/builder.h"
#include "net/files/formats_internal.h"
#include "net/files/ib_scan.h"

#define EXPECT_VERTEX "'router N' or 'node N'"

/* Zeroed where the file says nothing yet. */
struct node {
    uint32_t router; /* plus 1 */
    uint32_t cycles; /* both ways */
    uint32_t port;   /* of the router */
    unsigned long line;
};

struct router {
    bool known;
    uint32_t ports; /* that its own lines list */
};

/* FROM's line lists TO. */
struct mention {
    uint32_t from, to, cycles, port;
    size_t order;
};

struct anynet {
    const char *file;
    size_t length; /* of the file: no number in it can be as large */
    struct node *nodes;
    struct router *routers;
    struct mention *mentions;
    size_t n_nodes, n_routers, n_mentions; /* numbers up to n - 1 occur */
    size_t nodes_capacity, routers_capacity, mentions_capacity;
};

struct place {
    bool is_router;
    uint32_t number;
};

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Behind a word or a number. */
static bool at_gap(const struct cw_ib_scan *scan)
{
    return cw_ib_end(scan) || *scan->at == ' ' || *scan->at == '\t';
}

/* Appends zeroed items to the N items up to number NUMBER. */
static int reach(void **items, size_t *capacity, size_t *n, uint32_t number, size_t size, const char *what)
{
    if (number < *n) return 0;
    const int rc = cw_grow_array(items, capacity, (size_t)number + 1, size, what);
    if (rc) return rc;
    memset((char *)*items + *n * size, 0, ((size_t)number + 1 - *n) * size);
    *n = (size_t)number + 1;
    return 0;
}

static int read_place(struct anynet *anynet, unsigned long line, struct cw_ib_scan *scan, struct place *place)
{
    const struct cw_ib_scan before = *scan;
    place->is_router = cw_ib_word(scan, "router");
    if ((!place->is_router && !cw_ib_word(scan, "node")) || !at_gap(scan)) {
        const size_t rest = (size_t)(before.end - before.at), shown = rest < 20 ? rest : 20;
        return cw_fail_at(anynet->file, line, "'%.*s', expected " EXPECT_VERTEX, (int)shown, before.at);
    }
    const char *word = place->is_router ? "router" : "node";
    cw_ib_blanks(scan);
    if (!cw_ib_decimal(scan, UINT32_MAX - 1, &place->number) || !at_gap(scan))
        return cw_fail_at(anynet->file, line, "a %s without a number, expected '%s N'", word, word);
    if (place->number >= anynet->length)
        return cw_fail_at(anynet->file, line,
                          "%s %" PRIu32 ", but the file has not so many; expected numbers from 0 on", word,
                          place->number);
    cw_ib_blanks(scan);
    return place->is_router ? reach((void **)&anynet->routers, &anynet->routers_capacity, &anynet->n_routers,
                                    place->number, sizeof *anynet->routers, "routers")
                            : reach((void **)&anynet->nodes, &anynet->nodes_capacity, &anynet->n_nodes, place->number,
                                    sizeof *anynet->nodes, "nodes");
}

/* The number of cycles, if one is next; else 1. */
static int read_cycles(const struct anynet *anynet, unsigned long line, struct cw_ib_scan *scan, uint32_t *cycles)
{
    *cycles = 1;
    if (cw_ib_end(scan) || *scan->at < '0' || *scan->at > '9') return 0;
    if (!cw_ib_decimal(scan, CW_ANYNET_MAX_CYCLES, cycles) || !at_gap(scan) || *cycles == 0)
        return cw_fail_at(anynet->file, line, "a latency that is no number of cycles, expected 1 to %d",
                          CW_ANYNET_MAX_CYCLES);
    cw_ib_blanks(scan);
    return 0;
}

static int join_node(struct anynet *anynet, unsigned long line, uint32_t number, uint32_t router, uint32_t cycles)
{
    struct node *node = &anynet->nodes[number];
    if (node->router != 0 && node->router != router + 1)
        return cw_fail_at(anynet->file, line,
                          "node %" PRIu32 " is at router %" PRIu32 " in line %lu, expected one router", number,
                          node->router - 1, node->line);
    if (node->router == 0) *node = (struct node){.router = router + 1, .port = ++anynet->routers[router].ports};
    node->cycles = cycles;
    node->line = line;
    anynet->routers[router].known = true;
    return 0;
}

static int join_routers(struct anynet *anynet, unsigned long line, uint32_t from, uint32_t to, uint32_t cycles)
{
    if (from == to)
        return cw_fail_at(anynet->file, line, "a channel from router %" PRIu32 " to itself, expected two routers",
                          from);
    const int rc = cw_grow_array((void **)&anynet->mentions, &anynet->mentions_capacity, anynet->n_mentions + 1,
                                 sizeof *anynet->mentions, "channels");
    if (rc) return rc;
    anynet->mentions[anynet->n_mentions] =
        (struct mention){from, to, cycles, ++anynet->routers[from].ports, anynet->n_mentions};
    anynet->n_mentions++;
    anynet->routers[from].known = anynet->routers[to].known = true;
    return 0;
}

static int read_line(struct anynet *anynet, unsigned long line, struct cw_ib_scan scan)
{
    struct place head, body;
    int rc = read_place(anynet, line, &scan, &head);
    if (!rc && head.is_router) anynet->routers[head.number].known = true;
    if (!rc && !head.is_router && cw_ib_end(&scan))
        rc = cw_fail_at(anynet->file, line, "a node alone, expected 'node N router N'");
    while (!rc && !cw_ib_end(&scan)) {
        uint32_t cycles;
        rc = read_place(anynet, line, &scan, &body);
        const bool numbered = !rc && !cw_ib_end(&scan) && *scan.at >= '0' && *scan.at <= '9';
        if (!rc) rc = read_cycles(anynet, line, &scan, &cycles);
        if (rc) return rc;
        if (!head.is_router && !body.is_router)
            rc = cw_fail_at(anynet->file, line, "a channel from node to node, expected a router between them");
        else if (!head.is_router && numbered) /* BookSim takes the number for one of router N */
            rc = cw_fail_at(anynet->file, line,
                            "a latency in a line of a node, which BookSim misreads; expected "
                            "'router %" PRIu32 " node %" PRIu32 " %" PRIu32 "'",
                            body.number, head.number, cycles);
        else if (head.is_router && body.is_router)
            rc = join_routers(anynet, line, head.number, body.number, cycles);
        else
            rc = join_node(anynet, line, head.is_router ? body.number : head.number,
                           head.is_router ? head.number : body.number, cycles);
    }
    return rc;
}

static int read_lines(struct anynet *anynet, const char *data)
{
    struct cw_lines lines = cw_lines_of(anynet->file, data, anynet->length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        while (scan.end > scan.at && (scan.end[-1] == ' ' || scan.end[-1] == '\t')) scan.end--;
        cw_ib_blanks(&scan);
        if (!cw_ib_end(&scan)) rc = read_line(anynet, lines.number, scan);
    }
    return rc;
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static int check_numbers(const struct anynet *anynet)
{
    for (size_t i = 0; i < anynet->n_routers; i++)
        if (!anynet->routers[i].known)
            return cw_fail_at(anynet->file, 0, "router %zu is missing, expected all from 0 to %zu", i,
                              anynet->n_routers - 1);
    for (size_t i = 0; i < anynet->n_nodes; i++)
        if (anynet->nodes[i].router == 0)
            return cw_fail_at(anynet->file, 0, "node %zu is missing, expected all from 0 to %zu", i,
                              anynet->n_nodes - 1);
    return anynet->n_nodes > 0 ? 0 : cw_fail_at(anynet->file, 0, "no node, expected 'router N node N'");
}

static uint32_t lower(const struct mention *mention)
{
    return mention->from < mention->to ? mention->from : mention->to;
}

/* By the pair of routers, then in the order of the file. */
static int compare_mentions(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    const uint32_t low[] = {lower(x), lower(y)};
    const uint32_t high[] = {x->from + x->to - low[0], y->from + y->to - low[1]};
    if (low[0] != low[1]) return low[0] < low[1] ? -1 : 1;
    if (high[0] != high[1]) return high[0] < high[1] ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The cable that the N MENTIONS of one pair make. A router that does not list the other one has it at its next port. */
static void add_cable(struct cw_builder *builder, uint32_t n_nodes, const struct mention *mentions, size_t n)
{
    const uint32_t ends[] = {mentions->from, mentions->to};
    uint32_t cycles[] = {0, 0}, port[] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const unsigned way = mentions[i].from != ends[0];
        cycles[way] = mentions[i].cycles;
        if (port[way] == 0) port[way] = mentions[i].port;
        if (cycles[!way] == 0) cycles[!way] = 1;
    }
    cw_builder_cable(builder, n_nodes + ends[0], port[0], n_nodes + ends[1], port[1], CW_DEFAULT_CAPACITY,
                     cycles[0] * CW_ANYNET_CYCLE(CW_DEFAULT_CAPACITY));
    if (cycles[0] != cycles[1])
        cw_builder_back(builder, CW_DEFAULT_CAPACITY, cycles[1] * CW_ANYNET_CYCLE(CW_DEFAULT_CAPACITY));
}

static int build(struct anynet *anynet, struct cw_network **net)
{
    const uint32_t n_nodes = (uint32_t)anynet->n_nodes;
    struct mention *mentions = anynet->mentions;
    const size_t n = anynet->n_mentions;
    struct cw_builder *builder = cw_builder_new(n_nodes, anynet->n_routers, n_nodes + n / 2);
    for (uint32_t i = 0; i < n_nodes; i++) {
        const struct node *node = &anynet->nodes[i];
        cw_builder_cable(builder, i, 1, n_nodes + node->router - 1, node->port, CW_DEFAULT_CAPACITY,
                         node->cycles * CW_ANYNET_CYCLE(CW_DEFAULT_CAPACITY));
    }
    if (n > 0) qsort(mentions, n, sizeof *mentions, compare_mentions);
    for (size_t from = 0, to; from < n; from = to) {
        const uint32_t low = lower(&mentions[from]), both = mentions[from].from + mentions[from].to;
        for (to = from + 1; to < n && lower(&mentions[to]) == low && mentions[to].from + mentions[to].to == both;) to++;
        add_cable(builder, n_nodes, &mentions[from], to - from);
    }
    return cw_builder_finish(builder, net);
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    struct anynet anynet = {.file = file, .length = length};
    int rc = read_lines(&anynet, data);
    if (!rc) rc = check_numbers(&anynet);
    if (!rc) rc = build(&anynet, net);
    free(anynet.nodes);
    free(anynet.routers);
    free(anynet.mentions);
    return rc;
}

/* By the first line that is not empty: "router 0 …" or "node 0 …". */
static bool recognises(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        uint32_t number;
        cw_ib_blanks(&scan);
        if (cw_ib_end(&scan)) continue;
        if (!cw_ib_word(&scan, "router ") && !cw_ib_word(&scan, "node ")) return false;
        cw_ib_blanks(&scan);
        if (!cw_ib_decimal(&scan, UINT32_MAX - 1, &number) || !at_gap(&scan)) return false;
        cw_ib_blanks(&scan);
        return cw_ib_end(&scan) || cw_ib_word(&scan, "router ") || cw_ib_word(&scan, "node ");
    }
    return false;
}

const struct cw_reader cw_reader_anynet = {
    .name = "anynet",
    .help = "A network_file of BookSim 2's topology anynet: \"router 0 node 0 node 1 router 1 5\" and so on.",
    .recognises = recognises,
    .read = read_network};
