/* Examples of the noise papers that take no time: the tables of networks, and the time-lines of figure 1. */
#include <math.h>
#include <stdio.h>

#include "net/network_internal.h"
#include "report/rows.h"
#include "study/papers/noise_paper.h"
#include "topo/topology.h"

/* --- tables 1 and 2 ----------------------------------------------------------------------------------------------- */

const struct cw_published_network cw_published_trees[] = {
    {"XGFT(2,12,6)", "xgft(2,12,6)", 144, 18},
    {"XGFT(2,24,12)", "xgft(2,24,12)", 288, 36},
    {"XGFT(3,12,8,12,4)", "xgft(3,12,8,12,4)", 1152, 240},
    {"XGFT(3,12,16,12,8)", "xgft(3,12,16,12,8)", 2304, 480},
    {"XGFT(3,12,24,12,12)", "xgft(3,12,24,12,12)", 3456, 720},
    {"XGFT(4,12,12,6,12,12,3)", "xgft(4,12,12,6,12,12,3)", 10368, 3024},
    {"XGFT(4,12,12,12,12,12,6)", "xgft(4,12,12,12,12,12,6)", 20736, 6048},
    {NULL, NULL, 0, 0},
};

#define SQUARE(k, printed)                                                                                             \
    {                                                                                                                  \
#k "-ary 2-cube", "torus:" #k "x" #k, printed, 0                                                               \
    }
#define CUBE(k, printed)                                                                                               \
    {                                                                                                                  \
#k "-ary 3-cube", "torus:" #k "x" #k "x" #k, printed, 0                                                        \
    }

const struct cw_published_network cw_published_cubes[] = {
    SQUARE(10, 100),    SQUARE(14, 196),  SQUARE(17, 289),  SQUARE(20, 400),  SQUARE(22, 484),  SQUARE(24, 576),
    SQUARE(26, 676),    SQUARE(28, 784),  SQUARE(30, 900),  SQUARE(31, 961),  SQUARE(44, 1936), SQUARE(54, 2916),
    SQUARE(70, 4900),   SQUARE(77, 5929), SQUARE(83, 6889), SQUARE(89, 7921), CUBE(4, 64),      CUBE(5, 125),
    CUBE(6, 216),       CUBE(7, 343),     CUBE(8, 512),     CUBE(9, 728),     CUBE(10, 1000),   CUBE(12, 1728),
    CUBE(14, 2744),     CUBE(15, 3375),   CUBE(17, 4912),   CUBE(18, 5832),   CUBE(19, 6859),   CUBE(20, 8000),
    {NULL, NULL, 0, 0},
};

/* The least and the greatest number of cables between two switches that are joined. */
static void count_cables(const struct cw_network *net, char *out, size_t room)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            uint32_t n = 0;
            if (cw_network_is_endpoint(net, net->head[c])) continue;
            for (uint32_t other = net->first[v]; other < net->first[v + 1]; other++)
                n += net->head[other] == net->head[c];
            if (n < least) least = n;
            if (n > greatest) greatest = n;
        }
    if (least < greatest)
        snprintf(out, room, "%u to %u", least, greatest);
    else
        snprintf(out, room, "%u", greatest);
}

int cw_published_network_size(const struct cw_published_network *network, struct cw_network_size *out)
{
    struct cw_network *net;
    const int rc = cw_topology_build(network->spec, &net);
    if (rc) return rc;
    /* A torus of the generator has endpoints at its switches: what the table counts are the former. */
    out->endpoints = net->n_endpoints;
    out->switches = cw_network_switches(net);
    count_cables(net, out->cables, sizeof out->cables);
    cw_network_free(net);
    return 0;
}

static bool is_as_printed(const struct cw_published_network *printed, const struct cw_network_size *size)
{
    return size->endpoints == printed->endpoints && (printed->switches == 0 || size->switches == printed->switches);
}

/* Whether what is printed is a misprint by the name that stands beside it: a k-ary n-cube has k^n endpoints. */
static bool is_misprint(const struct cw_published_network *printed, const struct cw_network_size *size)
{
    unsigned k, n;
    if (sscanf(printed->layout, "%u-ary %u-cube", &k, &n) != 2) return false;
    return size->endpoints != printed->endpoints && (double)size->endpoints == pow(k, n);
}

static int find_counts(const void *of, struct cw_finding *finding)
{
    const struct cw_published_table *table = of;
    char misprints[300] = "";
    size_t right = 0, corrected = 0, at = 0;
    for (size_t i = 0; i < table->n; i++) {
        const struct cw_published_network *printed = &table->networks[i];
        const struct cw_network_size *size = &table->sizes[i];
        right += is_as_printed(printed, size);
        corrected += is_misprint(printed, size);
        if (at < sizeof misprints && size->endpoints != printed->endpoints)
            at += (size_t)snprintf(misprints + at, sizeof misprints - at, "; %s has %u endpoints, printed %u",
                                   printed->layout, size->endpoints, printed->endpoints);
        if (at < sizeof misprints && printed->switches > 0 && size->switches != printed->switches)
            at += (size_t)snprintf(misprints + at, sizeof misprints - at, "; %s has %u switches, printed %u",
                                   printed->layout, size->switches, printed->switches);
    }
    if (corrected == 0) finding->correction = NULL;
    return cw_find(finding, cw_verdict_of(right + corrected, table->n), (double)right,
                   "%zu of %zu rows are as printed%s", right, table->n, misprints);
}

#define SIZES_PRINTED "the networks have the sizes printed", "rows as printed", find_counts

const struct cw_paper_claim cw_table1_claims[1] = {{SIZES_PRINTED, .figure = "table 1"}};
const struct cw_paper_claim cw_table2_claims[1] = {
    {SIZES_PRINTED, .figure = "table 2", .correction = "a k-ary n-cube has k^n endpoints: two misprints"}};

static const struct cw_column network_columns[] = {
    {"layout", CW_COLUMN_TEXT, NULL, "as printed"},
    {"network", CW_COLUMN_TEXT, NULL, "what Crosswind calls it"},
    {"printed_endpoints", CW_COLUMN_INT, NULL, "endpoints, as printed"},
    {"endpoints", CW_COLUMN_INT, NULL, "endpoints, counted"},
    {"printed_switches", CW_COLUMN_INT, NULL, "switches, as printed"},
    {"switches", CW_COLUMN_INT, NULL, "switches, counted"},
    {"parallel_cables", CW_COLUMN_TEXT, NULL, "cables between two switches that are joined"},
    {"as_printed", CW_COLUMN_TEXT, NULL, "whether all printed numbers are right"},
};

static void add_network(struct cw_table *table, const struct cw_published_network *printed,
                        const struct cw_network_size *size)
{
    cw_table_row(table, "%s %s %u %u", printed->layout, printed->spec, printed->endpoints, size->endpoints);
    if (printed->switches > 0)
        cw_table_int(table, printed->switches);
    else
        cw_table_none(table);
    cw_table_row(table, "%u %s %s", size->switches, size->cables, is_as_printed(printed, size) ? "yes" : "no");
}

int cw_noise_make_table(struct cw_paper_run *run, size_t figure)
{
    struct cw_network_size sizes[64];
    struct cw_published_table of = {figure == CW_NOISE_TABLE1 ? cw_published_trees : cw_published_cubes, sizes, 0};
    struct cw_table *table;
    int rc = cw_table_new("networks", NULL, CW_ITEMS(network_columns), &table);
    if (rc) return rc;
    for (; !rc && of.networks[of.n].layout; of.n++) {
        rc = cw_published_network_size(&of.networks[of.n], &sizes[of.n]);
        if (!rc) add_network(table, &of.networks[of.n], &sizes[of.n]);
    }
    if (rc) {
        cw_table_free(table);
        return rc;
    }
    rc = cw_paper_csv(run, run->paper->figures[figure].file, table);
    return rc ? rc : cw_paper_tell(run, figure, 0, 1, &of);
}

/* --- figure 1 ----------------------------------------------------------------------------------------------------- */

#define PROCESSES CW_TIME_LINE_PROCESSES

static const double computation = 1, latency = 2, gap = 1, interruption = 2, slow = 2;
enum { HIT = 1 }; /* the process that is interrupted, or whose message is slow */

/* Sends MESSAGES, which are in the schedule's order. READY: when a process has its data; FREE: when it may send. */
static void send_all(enum cw_time_line_noise noise, const struct cw_messages *messages, struct cw_time_line *line)
{
    double ready[PROCESSES], free_at[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; p++) ready[p] = free_at[p] = computation;
    for (size_t i = 0; i < messages->n; i++) {
        const uint32_t src = messages->items[i].src, dst = messages->items[i].dst;
        const double sent = fmax(ready[src], free_at[src]);
        const double takes = noise == CW_NETWORK_NOISE && dst == HIT ? slow * latency : latency;
        line->messages[i] = (struct cw_time_line_message){src, dst, sent, sent + takes, sent + latency};
        free_at[src] = sent + gap;
        ready[dst] = sent + takes;
        if (noise == CW_OS_NOISE && dst == HIT) {
            line->interrupted = HIT;
            line->from = ready[dst];
            line->to = ready[dst] += interruption;
        }
    }
    for (uint32_t p = 0; p < PROCESSES; p++) line->finish[p] = fmax(ready[p], free_at[p]);
}

int cw_time_line_run(enum cw_time_line_noise noise, struct cw_time_line *out)
{
    struct cw_schedule *tree;
    struct cw_messages messages = {0};
    uint32_t rounds = 0, blocks;
    int rc = cw_schedule_new("binomial-bcast", &tree);
    if (rc) return rc;
    rc = cw_schedule_plan(tree, PROCESSES, &rounds, &blocks);
    for (uint32_t round = 0; !rc && round < rounds; round++) rc = cw_schedule_round(tree, PROCESSES, round, &messages);
    struct cw_time_line line = {.computed = computation, .interrupted = CW_NONE};
    if (!rc) {
        send_all(noise, &messages, &line);
        *out = line;
    }
    cw_messages_free(&messages);
    cw_schedule_free(tree);
    return rc;
}

/* Both kinds of noise are to cost processes 1 and 3 two slices, and the others nothing. */
static int find_delays(const void *of, struct cw_finding *finding)
{
    static const double expected[PROCESSES] = {0, 2, 0, 2};
    const struct cw_time_line *lines = of, *noisy = &lines[finding->claim->numbers[0]];
    bool holds = true;
    double late[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; p++) {
        late[p] = noisy->finish[p] - lines[CW_NOISELESS].finish[p];
        holds = holds && late[p] == expected[p];
    }
    return cw_find(finding, holds ? CW_HOLDS : CW_HOLDS_NOT, late[3],
                   "ranks 1 to 4 finish %g, %g, %g and %g slices later than without noise", late[0], late[1], late[2],
                   late[3]);
}

const struct cw_paper_claim cw_time_line_claims[2] = {
    {"operating-system noise on rank 2 makes ranks 2 and 4 finish 2 slices later",
     "slices by which rank 4 is late",
     find_delays,
     {CW_OS_NOISE}},
    {"congestion on the message to rank 2 makes ranks 2 and 4 receive their data 2 slices later",
     "slices by which rank 4 is late",
     find_delays,
     {CW_NETWORK_NOISE}}};

#define ROWS (PROCESSES + 2) /* of a time-line, with its title and the space below */

static const char *const titles[CW_TIME_LINES] = {"(a) no noise", "(b) operating-system noise on rank 2",
                                                  "(c) network noise on the message from rank 1 to 2"};

static const struct cw_column line_columns[] = {
    {"noise", CW_COLUMN_TEXT, NULL, "which of the time-lines"},
    {"rank", CW_COLUMN_INT, NULL, "process, from 1 as in the paper"},
    {"source", CW_COLUMN_INT, NULL, "rank whose message it waits for"},
    {"sent", CW_COLUMN_REAL, "slice", "when that message is sent"},
    {"received", CW_COLUMN_REAL, "slice", "when it arrives"},
    {"finished", CW_COLUMN_REAL, "slice", "when the process is done"},
};

static int write_lines(const struct cw_paper_run *run, const struct cw_time_line *lines)
{
    static const char *const names[CW_TIME_LINES] = {"none", "operating system", "network"};
    struct cw_table *table;
    const int rc = cw_table_new("noise_fig1", NULL, CW_ITEMS(line_columns), &table);
    if (rc) return rc;
    for (int noise = 0; noise < CW_TIME_LINES; noise++)
        for (uint32_t rank = 0; rank < PROCESSES; rank++) {
            const struct cw_time_line_message *message = NULL;
            for (size_t i = 0; i < PROCESSES - 1; i++)
                if (lines[noise].messages[i].dst == rank) message = &lines[noise].messages[i];
            cw_table_text(table, names[noise]);
            cw_table_int(table, rank + 1);
            if (message) {
                cw_table_row(table, "%u %g %g", message->src + 1, message->sent, message->arrived);
            } else {
                for (int i = 0; i < 3; i++) cw_table_none(table);
            }
            cw_table_real(table, lines[noise].finish[rank]);
        }
    return cw_paper_csv(run, "noise-fig1", table);
}

/* Where RANK's line of the time-line NOISE is: in an order in which no message passes a rank that it is not for. */
static double row_of(int noise, uint32_t rank)
{
    static const int rows[PROCESSES] = {1, 2, 0, 3};
    return (CW_TIME_LINES - noise) * ROWS - 1.5 - rows[rank];
}

static void bar(struct cw_drawing *drawing, double row, double from, double to, enum cw_ink ink)
{
    if (to > from) cw_drawing_rectangle(drawing, from, row - 0.22, to, row + 0.22, ink, CW_INK_GREY);
}

static void draw_process(struct cw_drawing *drawing, const struct cw_time_line *line, int noise, uint32_t rank)
{
    const double row = row_of(noise, rank);
    cw_drawing_text(drawing, -0.15, row, CW_ALIGN_RIGHT, 13, CW_INK_BLACK, false, "rank %u", rank + 1);
    const bool interrupted = line->interrupted == rank;
    cw_drawing_line(drawing, line->computed, row, interrupted ? line->from : line->finish[rank], row, CW_INK_GREY, 1);
    if (interrupted) cw_drawing_line(drawing, line->to, row, line->finish[rank], row, CW_INK_GREY, 1);
    bar(drawing, row, 0, line->computed, CW_INK_GREEN);
    if (interrupted) bar(drawing, row, line->from, line->to, CW_INK_RED);
    cw_drawing_line(drawing, line->finish[rank], row - 0.25, line->finish[rank], row + 0.25, CW_INK_BLACK, 2.5);
    cw_drawing_text(drawing, line->finish[rank] + 0.08, row, CW_ALIGN_LEFT, 12, CW_INK_BLACK, false, "done at %g",
                    line->finish[rank]);
}

/* A message; the part of its way that congestion adds is red. */
static void draw_message(struct cw_drawing *drawing, const struct cw_time_line_message *message, int noise)
{
    const double from = row_of(noise, message->src), to = row_of(noise, message->dst);
    if (message->arrived > message->clean) {
        const double share = (message->clean - message->sent) / (message->arrived - message->sent);
        const double middle = from + share * (to - from);
        cw_drawing_line(drawing, message->sent, from, message->clean, middle, CW_INK_BLUE, 2);
        cw_drawing_arrow(drawing, message->clean, middle, message->arrived, to, CW_INK_RED, 2);
    } else {
        cw_drawing_arrow(drawing, message->sent, from, message->arrived, to, CW_INK_BLUE, 2);
    }
}

static void draw_legend(struct cw_drawing *drawing)
{
    static const struct {
        double x;
        enum cw_ink ink;
        const char *text;
    } items[] = {{0, CW_INK_GREEN, "computes"}, {1.6, CW_INK_BLUE, "message"}, {3.1, CW_INK_RED, "what noise adds"}};
    const double row = CW_TIME_LINES * ROWS + 0.9;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        cw_drawing_rectangle(drawing, items[i].x, row - 0.2, items[i].x + 0.3, row + 0.2, items[i].ink, CW_INK_GREY);
        cw_drawing_text(drawing, items[i].x + 0.4, row, CW_ALIGN_LEFT, 13, CW_INK_BLACK, true, "%s", items[i].text);
    }
}

static int draw_lines(const struct cw_paper_run *run, const struct cw_time_line *lines)
{
    const struct cw_drawing_page page = {.title = "Figure 1: what noise does to a broadcast among four ranks",
                                         .width = 800,
                                         .height = 860,
                                         .x = {.label = "time", .unit = "slices", .min = -0.9, .max = 8.2},
                                         .y_min = 0,
                                         .y_max = CW_TIME_LINES * ROWS + 1.5};
    struct cw_drawing drawing;
    cw_drawing_begin(&drawing, &page);
    draw_legend(&drawing);
    for (int noise = 0; noise < CW_TIME_LINES; noise++) {
        cw_drawing_text(&drawing, 0, row_of(noise, 2) + 0.9, CW_ALIGN_LEFT, 14, CW_INK_BLACK, true, "%s",
                        titles[noise]);
        for (uint32_t rank = 0; rank < PROCESSES; rank++) draw_process(&drawing, &lines[noise], noise, rank);
        for (size_t i = 0; i < PROCESSES - 1; i++) draw_message(&drawing, &lines[noise].messages[i], noise);
    }
    return cw_paper_drawing(run, "noise-fig1", &drawing);
}

int cw_noise_make_time_lines(struct cw_paper_run *run, size_t figure)
{
    struct cw_time_line lines[CW_TIME_LINES];
    int rc = 0;
    for (int noise = 0; !rc && noise < CW_TIME_LINES; noise++)
        rc = cw_time_line_run((enum cw_time_line_noise)noise, &lines[noise]);
    if (!rc) rc = write_lines(run, lines);
    if (!rc) rc = cw_paper_tell(run, figure, 0, CW_TIME_LINES - 1, lines);
    return rc ? rc : draw_lines(run, lines);
}
