/* Figures 7 to 10: the worked example as a network with its channels, and as a tree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "net/network_internal.h"
#include "report/rows.h"
#include "study/papers/noise_paper.h"

enum { LEAVES = 4, HOSTS = 4, SPINES = 2, PORTS = 8 };

static const double host_row = 1.2, leaf_low = 3, leaf_high = 4.5, spine_low = 9, spine_high = 10.1;

/* --- tables ------------------------------------------------------------------------------------------------------- */

static const struct cw_column message_columns[] = {
    {"level", CW_COLUMN_INT, NULL, "level of the tree"},
    {"source", CW_COLUMN_INT, NULL, "rank that sends"},
    {"destination", CW_COLUMN_INT, NULL, "rank that receives"},
    {"source_endpoint", CW_COLUMN_INT, NULL, "where the sender runs"},
    {"destination_endpoint", CW_COLUMN_INT, NULL, "where the receiver runs"},
    {"clean_congestion", CW_COLUMN_INT, NULL, "greatest number of messages on a channel of its way, tree alone"},
    {"perturbed_congestion", CW_COLUMN_INT, NULL, "the same with the perturbation"},
    {"on_longest_path", CW_COLUMN_TEXT, NULL, "whether the perturbed time depends on it"},
};

static int write_messages(const struct cw_paper_run *run, const struct cw_worked_example *example)
{
    struct cw_table *table;
    const int rc = cw_table_new("messages", NULL, CW_ITEMS(message_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++) {
        const struct cw_worked_message *message = &example->messages[i];
        cw_table_row(table, "%u %u %u %u %u %u %u %s", message->level + 1, message->src, message->dst,
                     example->given.endpoints[message->src], example->given.endpoints[message->dst], message->clean,
                     message->perturbed, message->longest ? "yes" : "no");
    }
    return cw_paper_csv(run, "noise-fig10", table);
}

static const struct cw_column channel_columns[] = {
    {"level", CW_COLUMN_INT, NULL, "level of the tree"},
    {"channel", CW_COLUMN_TEXT, NULL, "TAIL/PORT>HEAD/PORT"},
    {"application", CW_COLUMN_INT, NULL, "messages of the tree on it"},
    {"perturbation", CW_COLUMN_INT, NULL, "perturbing messages on it"},
    {"targets", CW_COLUMN_TEXT, NULL, "endpoints it leads to by the tables"},
};

static void add_targets(struct cw_table *table, unsigned targets)
{
    char text[64] = "";
    size_t at = 0;
    for (unsigned endpoint = 0; endpoint < LEAVES * HOSTS; endpoint++)
        if (targets >> endpoint & 1)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", at > 0 ? " " : "", endpoint);
    cw_table_text(table, text);
}

static int write_channels(const struct cw_paper_run *run, const struct cw_worked_example *example)
{
    char name[2 * CW_NAME_SIZE];
    struct cw_table *table;
    const int rc = cw_table_new("channels", NULL, CW_ITEMS(channel_columns), &table);
    if (rc) return rc;
    for (uint32_t level = 0; level < CW_WORKED_LEVELS; level++)
        for (uint32_t c = 0; c < example->net->n_channels; c++) {
            cw_table_row(table, "%u %s %u %u", level + 1, cw_network_channel_name(example->net, c, name, sizeof name),
                         example->application[level][c], example->perturbation[c]);
            add_targets(table, example->targets[c]);
        }
    return cw_paper_csv(run, "noise-fig8-9", table);
}

/* --- the network -------------------------------------------------------------------------------------------------- */

struct view {
    struct cw_drawing drawing;
    const struct cw_worked_example *example;
    uint32_t level;
    bool perturbed;
};

static bool is_spine(const struct cw_network *net, uint32_t v)
{
    return v >= net->n_endpoints + LEAVES;
}

/* Where the cable of CHANNEL is fixed at its tail. */
static void end_of(const struct cw_network *net, uint32_t channel, double *x, double *y)
{
    const uint32_t v = net->tail[channel], port = channel - net->first[v];
    if (cw_network_is_endpoint(net, v)) {
        *x = v + 0.5;
        *y = host_row + 0.45;
    } else if (is_spine(net, v)) {
        *x = 8.0 * (v - net->n_endpoints - LEAVES) + 0.5 + (port + 0.5) * 7 / PORTS;
        *y = spine_low;
    } else {
        *x = 4.0 * (v - net->n_endpoints) + 0.5 + port % HOSTS;
        *y = port < HOSTS ? leaf_low : leaf_high;
    }
}

/* A channel that is used: an arrow beside the other direction of its cable, and how many messages it carries. */
static void draw_used(struct view *view, uint32_t channel, double from_x, double from_y, double to_x, double to_y)
{
    const uint32_t own = view->example->application[view->level][channel];
    const uint32_t other = view->perturbed ? view->example->perturbation[channel] : 0;
    if (own + other == 0) return;
    const double aside = to_y > from_y ? -0.09 : 0.09;
    const enum cw_ink ink = own > 0 && own + other > 1 ? CW_INK_RED : own > 0 ? CW_INK_BLUE : CW_INK_GREY;
    cw_drawing_arrow(&view->drawing, from_x + aside, from_y, to_x + aside, to_y, ink, own > 0 ? 2.5 : 1.5);
    const struct cw_network *net = view->example->net;
    const bool to_host = cw_network_is_host_channel(net, channel);
    if (to_host) return; /* one message at most, of its own endpoint */
    const double at = channel % 2 ? 0.1 : 0.2, x = from_x + aside + at * (to_x - from_x);
    char text[32] = "";
    if (own > 0) snprintf(text, sizeof text, "%u", own);
    if (other > 0) snprintf(text + strlen(text), sizeof text - strlen(text), "+%u", other);
    cw_drawing_text(&view->drawing, x, from_y + at * (to_y - from_y), CW_ALIGN_CENTRE, 12, ink, true, "%s", text);
}

static void draw_cables(struct view *view)
{
    const struct cw_network *net = view->example->net;
    for (int used = 0; used < 2; used++) /* what is not used lies below */
        for (uint32_t c = 0; c < net->n_channels; c++) {
            double x, y, to_x, to_y;
            end_of(net, c, &x, &y);
            end_of(net, net->twin[c], &to_x, &to_y);
            if (used)
                draw_used(view, c, x, y, to_x, to_y);
            else if (c < net->twin[c])
                cw_drawing_line(&view->drawing, x, y, to_x, to_y, CW_INK_LIGHT, 1);
        }
}

/* The targets of a switch's port, one below another. */
static void draw_targets(struct view *view, uint32_t channel)
{
    double x, y, down = 0.27;
    end_of(view->example->net, channel, &x, &y);
    const bool spine = is_spine(view->example->net, view->example->net->tail[channel]);
    for (unsigned endpoint = 0; endpoint < LEAVES * HOSTS; endpoint++) {
        if (!(view->example->targets[channel] >> endpoint & 1)) continue;
        cw_drawing_text(&view->drawing, x, spine ? y + down : y - down, CW_ALIGN_CENTRE, 10, CW_INK_BLACK, false, "%u",
                        endpoint);
        down += 0.36;
    }
}

static void draw_switches(struct view *view)
{
    const struct cw_network *net = view->example->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const double left =
            is_spine(net, v) ? 8.0 * (v - net->n_endpoints - LEAVES) + 0.4 : 4.0 * (v - net->n_endpoints) + 0.1;
        if (is_spine(net, v))
            cw_drawing_rectangle(&view->drawing, left, spine_low, left + 7.2, spine_high, CW_INK_WHITE, CW_INK_BLACK);
        else
            cw_drawing_rectangle(&view->drawing, left, leaf_low, left + 3.8, leaf_high, CW_INK_WHITE, CW_INK_BLACK);
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (!cw_network_is_endpoint(net, net->head[c])) draw_targets(view, c);
    }
}

/* To whom ENDPOINT sends, or CW_NONE; *RANK: the rank on it, or CW_NONE. */
static uint32_t partner_of(const struct view *view, uint32_t endpoint, uint32_t *rank)
{
    const struct cw_noise_case *given = &view->example->given;
    *rank = CW_NONE;
    for (uint32_t r = 0; r < given->ranks; r++)
        if (given->endpoints[r] == endpoint) *rank = r;
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++) {
        const struct cw_worked_message *message = &view->example->messages[i];
        if (message->level == view->level && message->src == *rank) return given->endpoints[message->dst];
    }
    for (size_t i = 0; view->perturbed && i < given->perturbation.n; i++)
        if (given->perturbation.src[i] == endpoint) return given->perturbation.dst[i];
    return CW_NONE;
}

static void draw_hosts(struct view *view)
{
    for (uint32_t endpoint = 0; endpoint < LEAVES * HOSTS; endpoint++) {
        uint32_t rank;
        const uint32_t partner = partner_of(view, endpoint, &rank);
        const double x = endpoint + 0.5;
        cw_drawing_circle(&view->drawing, x, host_row, 0.3, rank == CW_NONE ? CW_INK_WHITE : CW_INK_LIGHT,
                          CW_INK_BLACK);
        cw_drawing_text(&view->drawing, x, host_row, CW_ALIGN_CENTRE, 12, CW_INK_BLACK, false, "%u", endpoint);
        if (rank != CW_NONE)
            cw_drawing_text(&view->drawing, x, host_row - 0.65, CW_ALIGN_CENTRE, 11, CW_INK_BLUE, false, "r%u", rank);
        if (partner != CW_NONE)
            cw_drawing_text(&view->drawing, x, host_row - 1.05, CW_ALIGN_CENTRE, 11,
                            rank == CW_NONE ? CW_INK_GREY : CW_INK_BLUE, false, ">%u", partner);
    }
}

static void draw_key(struct view *view)
{
    static const struct {
        enum cw_ink ink;
        const char *text;
    } items[] = {{CW_INK_BLUE, "message of the tree"},
                 {CW_INK_GREY, "perturbing messages (+1)"},
                 {CW_INK_RED, "both (1+1): congestion"}};
    for (size_t i = 0; i < (view->perturbed ? 3 : 1); i++) {
        const double x = 0.5 + 5.2 * (double)i;
        cw_drawing_arrow(&view->drawing, x, -0.6, x + 0.8, -0.6, items[i].ink, 2.5);
        cw_drawing_text(&view->drawing, x + 1, -0.6, CW_ALIGN_LEFT, 12, CW_INK_BLACK, false, "%s", items[i].text);
    }
}

static int draw_network(const struct cw_paper_run *run, const struct cw_worked_example *example, uint32_t level,
                        bool perturbed)
{
    struct view view = {.example = example, .level = level, .perturbed = perturbed};
    const int figure = perturbed ? 9 : 8;
    char file[32], title[128];
    snprintf(file, sizeof file, "noise-fig%d-level%u", figure, level + 1);
    snprintf(title, sizeof title, "Figure %d: level %u of the tree%s; in the switches, where each port leads", figure,
             level + 1, perturbed ? " beside the perturbation" : " alone");
    const struct cw_drawing_page page = {
        .title = title, .width = 1100, .height = 700, .x = {.min = 0, .max = 16}, .y_min = -1, .y_max = 10.3};
    cw_drawing_begin(&view.drawing, &page);
    draw_switches(&view);
    draw_cables(&view);
    draw_hosts(&view);
    draw_key(&view);
    return cw_paper_drawing(run, file, &view.drawing);
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

/* Pixels of a unit of x and of y on the tree's page; a rank is a circle of this radius, in units of x. */
static const double tree_x = 89, tree_y = 133, circle = 0.22;

/* Rank R's place: below its parent by the level that reaches it, beside its siblings without a crossing. */
static void place_of(uint32_t rank, double *x, double *y)
{
    uint32_t level = 0;
    while (rank >> level) level++;
    *x = (rank & 1) * 4 + (rank >> 1 & 1) * 2 + (rank >> 2 & 1);
    *y = -(double)level;
}

static void draw_edge(struct cw_drawing *drawing, const struct cw_worked_message *message, bool annotated)
{
    double x, y, to_x, to_y;
    place_of(message->src, &x, &y);
    place_of(message->dst, &to_x, &to_y);
    const enum cw_ink ink = annotated && message->longest ? CW_INK_RED : CW_INK_GREY;
    const double wide = to_x - x, high = to_y - y, share = circle * tree_x / hypot(wide * tree_x, high * tree_y);
    cw_drawing_arrow(drawing, x + share * wide, y + share * high, to_x - share * wide, to_y - share * high, ink,
                     annotated && message->longest ? 3 : 1.5);
    if (annotated)
        cw_drawing_text(drawing, (x + to_x) / 2, (y + to_y) / 2, CW_ALIGN_CENTRE, 14, ink, true, "%u",
                        message->perturbed);
}

static int draw_tree(const struct cw_paper_run *run, const struct cw_worked_example *example, bool annotated)
{
    const struct cw_drawing_page page = {.title = annotated
                                                      ? "Figure 10: the tree with the congestion of each message; "
                                                        "red: the longest path"
                                                      : "Figure 7: binomial tree of 8 ranks",
                                         .width = 800,
                                         .height = 520,
                                         .x = {.min = -1.4, .max = 7.6},
                                         .y_min = -3.5,
                                         .y_max = 0.4};
    struct cw_drawing drawing;
    cw_drawing_begin(&drawing, &page);
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++) draw_edge(&drawing, &example->messages[i], annotated);
    for (uint32_t level = 1; level <= CW_WORKED_LEVELS; level++)
        cw_drawing_text(&drawing, -1.3, -(double)level, CW_ALIGN_LEFT, 13, CW_INK_GREY, false, "level %u", level);
    for (uint32_t rank = 0; rank < CW_WORKED_RANKS; rank++) {
        double x, y;
        place_of(rank, &x, &y);
        cw_drawing_circle(&drawing, x, y, circle, CW_INK_LIGHT, CW_INK_BLACK);
        cw_drawing_text(&drawing, x, y, CW_ALIGN_CENTRE, 14, CW_INK_BLACK, false, "%u", rank);
    }
    return cw_paper_drawing(run, annotated ? "noise-fig10" : "noise-fig7", &drawing);
}

int cw_worked_write(const struct cw_paper_run *run, const struct cw_worked_example *example)
{
    const int rc = write_messages(run, example);
    return rc ? rc : write_channels(run, example);
}

int cw_worked_draw(const struct cw_paper_run *run, const struct cw_worked_example *example)
{
    int rc = draw_tree(run, example, false);
    for (uint32_t level = 0; !rc && level < CW_WORKED_LEVELS; level++) {
        rc = draw_network(run, example, level, false);
        if (!rc) rc = draw_network(run, example, level, true);
    }
    return rc ? rc : draw_tree(run, example, true);
}
