#include "cli/map/map_drawing.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "topo/layout.h"
#include "topo/odd_cables.h"

#define NAMED    8 /* vertices or cables that a text names */
#define CAPTIONS 6

struct map_parts {
    const struct map_content *content;
    struct cw_network_match match; /* from whole to net, if they are not the same */
    struct cw_layout *layout;
    bool *slow; /* [channels of whole] both of a cable */
    struct cw_map_box *boxes;
    struct cw_map_line *lines;
    struct cw_map_panel *panels;
    char **words; /* owned; what boxes, lines and captions say */
    size_t n_words, words_capacity;
    const char *captions[CAPTIONS];
};

static const char what[] = "a map";

/* --- the network as it is ----------------------------------------------------------------------------------------- */

static bool is_same(const struct map_parts *parts)
{
    return parts->content->whole == parts->content->net;
}

/* Channel C of the whole network in the one that there is now, or CW_NONE. */
static uint32_t channel_now(const struct map_parts *parts, uint32_t c)
{
    return is_same(parts) ? c : parts->match.after_channel[c];
}

static bool switch_failed(const struct map_parts *parts, uint32_t v)
{
    return !is_same(parts) && parts->match.after_vertex[v] == CW_NONE;
}

/* Whether nothing goes over the cable of C in at least one direction. */
static bool cable_failed(const struct map_parts *parts, uint32_t c)
{
    const struct cw_network *net = parts->content->net;
    const uint32_t now = channel_now(parts, c);
    return now == CW_NONE || cw_network_is_closed(net, now) || cw_network_is_closed(net, net->twin[now]);
}

/* The load, or the change, of the direction of the cable of C that stands out; NAN if neither works. */
static double load_of(const struct map_parts *parts, uint32_t c, uint32_t *busier)
{
    const uint32_t now = channel_now(parts, c);
    if (now == CW_NONE) return (double)NAN;
    const uint32_t twin = parts->content->net->twin[now];
    const double there = map_loads_value(parts->content->loads, now),
                 back = map_loads_value(parts->content->loads, twin);
    if (busier) *busier = map_loads_exceeds(back, there) ? twin : now;
    return map_loads_exceeds(back, there) ? back : there;
}

static double capacity_of(const struct map_parts *parts, uint32_t c)
{
    const struct cw_network *net = parts->content->net;
    const uint32_t now = channel_now(parts, c);
    return now == CW_NONE ? 0 : fmax(net->capacity[now], net->capacity[net->twin[now]]);
}

static int find_slow(struct map_parts *parts)
{
    const struct cw_network *whole = parts->content->whole, *net = parts->content->net;
    struct cw_odd_cables odd;
    parts->slow = cw_new_array(whole->n_channels, sizeof *parts->slow, what);
    int rc = parts->slow ? cw_odd_cables_find(net, &odd) : CW_ENOMEM;
    if (rc) return rc;
    for (size_t i = 0; i < odd.n; i++) {
        if (odd.items[i].fault != CW_ODD_SLOW) continue;
        const uint32_t now = odd.items[i].channel, c = is_same(parts) ? now : parts->match.before_channel[now];
        if (c != CW_NONE) parts->slow[c] = parts->slow[whole->twin[c]] = true;
    }
    cw_odd_cables_free(&odd);
    return 0;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

/* Takes TEXT over and gives it to *OUT for as long as PARTS live. */
static int keep(struct map_parts *parts, struct cw_text *text, const char **out)
{
    cw_text_append(text, "", 0);
    int rc = cw_text_check(text);
    if (!rc)
        rc = cw_grow_array((void **)&parts->words, &parts->words_capacity, parts->n_words + 1, sizeof *parts->words,
                           what);
    if (rc) {
        cw_text_free(text);
        return rc;
    }
    *out = parts->words[parts->n_words++] = text->data;
    return 0;
}

static const char *name_channel(const void *context, size_t line, size_t i, char *buffer, size_t size)
{
    const struct map_parts *parts = context;
    const struct cw_layout *layout = parts->layout;
    return cw_network_channel_name(parts->content->whole, layout->cables[layout->lines[line].first + i], buffer, size);
}

/* What names of one kind have in common in front and behind, up to a character that is neither letter nor digit: it
 * tells none from another. */
struct common {
    char name[CW_NAME_SIZE];
    size_t head, tail;
    uint32_t n;
};

static void add_common(struct common *common, const char *name)
{
    const size_t length = strlen(name), own = strlen(common->name);
    if (common->n++ == 0) {
        snprintf(common->name, sizeof common->name, "%s", name);
        common->head = common->tail = length;
        return;
    }
    size_t head = 0, tail = 0;
    while (head < common->head && head < length && name[head] == common->name[head]) head++;
    while (tail < common->tail && tail < length && name[length - 1 - tail] == common->name[own - 1 - tail]) tail++;
    common->head = head;
    common->tail = tail;
}

static void end_common(struct common *common)
{
    const size_t own = strlen(common->name);
    const char *name = common->name;
    if (common->n < 2 || common->head + common->tail >= own) common->head = common->tail = 0;
    while (common->head > 0 && (isalnum((unsigned char)name[common->head - 1]) || name[common->head - 1] == '('))
        common->head--;
    while (common->tail > 0 &&
           (isalnum((unsigned char)name[own - common->tail]) || strchr(")]", name[own - common->tail])))
        common->tail--;
}

/* What names of endpoints have in common, and of switches: [2], the caller's. */
static int find_common(const struct map_parts *parts, struct common **out)
{
    const struct cw_network *net = parts->content->whole;
    char name[CW_NAME_SIZE];
    struct common *common = cw_new_array(2, sizeof *common, what);
    if (!common) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        add_common(&common[!cw_network_is_endpoint(net, v)], cw_network_name(net, v, name, sizeof name));
    for (int i = 0; i < 2; i++) end_common(&common[i]);
    *out = common;
    return 0;
}

static void add_short(const struct map_parts *parts, const struct common *common, uint32_t v, struct cw_text *text)
{
    const struct cw_network *net = parts->content->whole;
    const struct common *kind = &common[!cw_network_is_endpoint(net, v)];
    char name[CW_NAME_SIZE];
    cw_network_name(net, v, name, sizeof name);
    cw_text_append(text, name + kind->head, strlen(name) - kind->head - kind->tail);
}

/* The first and last switch of BOX, or endpoint, if it has no switches; its vertices are in ascending order, switches
 * behind endpoints. */
static void ends_of(const struct map_parts *parts, const struct cw_layout_box *box, uint32_t *first, uint32_t *last)
{
    const uint32_t *vertices = parts->layout->vertices + box->first;
    *first = vertices[box->switches > 0 ? box->endpoints : 0];
    *last = vertices[box->endpoints + box->switches - 1];
}

/* "group 5", "groups 5…8": of a box of whole groups; false if it is none. */
static bool add_groups(const struct map_parts *parts, const struct cw_layout_box *box, uint32_t first, uint32_t last,
                       struct cw_text *text)
{
    const struct cw_network *net = parts->content->whole;
    const struct cw_groups groups = cw_shape_groups(&net->shape);
    if (groups.n == 0 || box->switches < groups.switches || groups.switches < 2) return false;
    const uint32_t from = (first - net->n_endpoints) / groups.switches,
                   to = (last - net->n_endpoints) / groups.switches;
    cw_text_printf(text, from == to ? "group %u" : "groups %u…%u", from, to);
    return true;
}

/* How much of A begins B, too, up to a number in which they differ: "leaf01-" of leaf01-03 and leaf01-17. */
static size_t shared_length(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    while (n > 0 && isdigit((unsigned char)a[n - 1])) n--;
    return n;
}

/* "leaf01-03…17", "g0s3" */
static void add_label(const struct map_parts *parts, const struct common *common, const struct cw_layout_box *box,
                      struct cw_text *text)
{
    uint32_t first, last;
    ends_of(parts, box, &first, &last);
    if (add_groups(parts, box, first, last, text)) return;
    if (box->switches == 0 && box->endpoints > 1) {
        cw_text_printf(text, "%u endpoints", box->endpoints);
        return;
    }
    add_short(parts, common, first, text);
    if (first == last) return;
    cw_text_add(text, "…");
    const enum cw_layout_form form = parts->layout->form; /* of a grid or by forces, others lie between the two */
    if (form == CW_LAYOUT_GRID || form == CW_LAYOUT_FORCES) return;
    struct cw_text end = {0};
    add_short(parts, common, last, &end);
    cw_text_append(&end, "", 0);
    if (cw_text_check(&end) || cw_text_check(text))
        text->failed = true;
    else
        cw_text_add(text, end.data + shared_length(end.data, text->data));
    cw_text_free(&end);
}

static void add_load(const struct map_parts *parts, double load, struct cw_text *text)
{
    char buffer[64];
    cw_text_add(text, map_loads_format(parts->content->loads, load, buffer, sizeof buffer));
}

/* " (3 → 4)": what the load of channel C, of now, was and is. */
static void add_change(const struct map_parts *parts, uint32_t c, struct cw_text *text)
{
    const struct map_loads *loads = parts->content->loads;
    const struct map_loads plain = {.by_bytes = loads->by_bytes};
    char was[64], is[64];
    if (loads->before)
        cw_text_printf(text, " (%s → %s)", map_loads_format(&plain, loads->before[c], was, sizeof was),
                       map_loads_format(&plain, loads->load[c], is, sizeof is));
}

static void describe_box(const struct map_parts *parts, const struct cw_layout_box *box, const struct cw_map_box *made,
                         struct cw_text *text)
{
    const struct cw_network *net = parts->content->whole;
    const uint32_t *vertices = parts->layout->vertices + box->first, n = box->endpoints + box->switches;
    char name[CW_NAME_SIZE];
    if (box->switches != 1 && n > 1) {
        if (box->switches > 0) cw_text_printf(text, "%u switches", box->switches);
        if (box->endpoints > 0)
            cw_text_printf(text, "%s%u endpoint%s", box->switches > 0 ? ", " : "", box->endpoints,
                           cw_plural(box->endpoints));
        cw_text_add(text, ": ");
    }
    /* switches first: they give the box its name */
    for (uint32_t i = 0; i < n && i < NAMED; i++) {
        const uint32_t k = (box->endpoints + i) % n;
        cw_text_printf(text, "%s%s", i > 0 ? ", " : "", cw_network_name(net, vertices[k], name, sizeof name));
    }
    if (n > NAMED) cw_text_printf(text, " and %u more", n - NAMED);
    if (made->failed > 0) cw_text_printf(text, "\n%u switch%s failed", made->failed, made->failed == 1 ? "" : "es");
    if (isnan(made->load)) return;
    cw_text_add(text, parts->content->loads->before ? "\ngreatest change within: " : "\nload within, at most: ");
    add_load(parts, made->load, text);
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

/* The busiest channel within each box. */
static void find_inner_loads(struct map_parts *parts)
{
    const struct cw_network *net = parts->content->whole;
    const uint32_t *box = parts->layout->box_of;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        struct cw_map_box *here = &parts->boxes[box[net->tail[c]]];
        const double load = box[net->tail[c]] == box[net->head[c]] ? load_of(parts, c, NULL) : (double)NAN;
        if (map_loads_exceeds(load, here->load)) here->load = load;
    }
}

static int make_boxes(struct map_parts *parts)
{
    const struct cw_layout *layout = parts->layout;
    struct common *common;
    parts->boxes = cw_new_array(layout->n_boxes, sizeof *parts->boxes, what);
    int rc = parts->boxes ? find_common(parts, &common) : CW_ENOMEM;
    if (rc) return rc;
    for (size_t i = 0; i < layout->n_boxes; i++) {
        const struct cw_layout_box *box = &layout->boxes[i];
        parts->boxes[i] = (struct cw_map_box){.x = box->x,
                                              .y = box->y,
                                              .width = box->width,
                                              .height = box->height,
                                              .endpoints = box->endpoints,
                                              .switches = box->switches,
                                              .level = box->level,
                                              .load = (double)NAN};
        for (uint32_t k = box->endpoints; k < box->endpoints + box->switches; k++)
            parts->boxes[i].failed += switch_failed(parts, layout->vertices[box->first + k]);
    }
    find_inner_loads(parts);
    for (size_t i = 0; i < layout->n_boxes && !rc; i++) {
        struct cw_text label = {0}, name = {0};
        add_label(parts, common, &layout->boxes[i], &label);
        describe_box(parts, &layout->boxes[i], &parts->boxes[i], &name);
        rc = keep(parts, &label, &parts->boxes[i].label);
        if (rc)
            cw_text_free(&name);
        else
            rc = keep(parts, &name, &parts->boxes[i].name);
    }
    free(common);
    return rc;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Cables that have failed, or are slow, by name. */
static void add_cables(const struct map_parts *parts, const struct cw_layout_line *line, bool failed,
                       struct cw_text *text)
{
    char name[2 * CW_NAME_SIZE + 32];
    uint32_t n = 0;
    for (uint32_t k = 0; k < line->n; k++) {
        const uint32_t c = parts->layout->cables[line->first + k];
        if (failed ? !cable_failed(parts, c) : !parts->slow[c]) continue;
        if (n++ < NAMED)
            cw_text_printf(text, "%s%s", n == 1 ? failed ? "\nfailed: " : "\nslow: " : ", ",
                           cw_faults_cable_name(parts->content->whole, c, name, sizeof name));
    }
    if (n > NAMED) cw_text_printf(text, " and %u more", n - NAMED);
}

static void describe_line(const struct map_parts *parts, const struct cw_layout_line *line,
                          const struct cw_map_line *made, uint32_t busiest, struct cw_text *text)
{
    char name[2 * CW_NAME_SIZE + 32], rate[32];
    const char *a = parts->boxes[line->a].label, *b = parts->boxes[line->b].label;
    cw_text_printf(text, "%s – %s: %u cable%s, %s", a, b, line->n, cw_plural(line->n),
                   cw_format_rate(made->capacity, rate, sizeof rate));
    if (busiest != CW_NONE) {
        cw_text_printf(text, "\n%s: %s, ", parts->content->loads->before ? "changes most" : "busiest",
                       cw_network_channel_name(parts->content->net, busiest, name, sizeof name));
        add_load(parts, made->load, text);
        add_change(parts, busiest, text);
    }
    add_cables(parts, line, true, text);
    add_cables(parts, line, false, text);
}

static int make_lines(struct map_parts *parts)
{
    const struct cw_layout *layout = parts->layout;
    int rc = 0;
    parts->lines = cw_new_array(layout->n_lines, sizeof *parts->lines, what);
    if (!parts->lines) return CW_ENOMEM;
    for (size_t i = 0; i < layout->n_lines && !rc; i++) {
        const struct cw_layout_line *line = &layout->lines[i];
        struct cw_map_line made = {
            .a = line->a, .b = line->b, .bend = line->bend, .load = (double)NAN, .cables = line->n};
        uint32_t busiest = CW_NONE;
        for (uint32_t k = 0; k < line->n; k++) {
            const uint32_t c = layout->cables[line->first + k];
            uint32_t busier = CW_NONE;
            const double load = load_of(parts, c, &busier);
            made.failed += cable_failed(parts, c);
            made.slow += parts->slow[c];
            made.capacity += capacity_of(parts, c);
            if (!map_loads_exceeds(load, made.load)) continue;
            made.load = load;
            busiest = busier;
        }
        struct cw_text name = {0};
        describe_line(parts, line, &made, busiest, &name);
        rc = keep(parts, &name, &made.name);
        parts->lines[i] = made;
    }
    return rc;
}

static int make_panels(struct map_parts *parts)
{
    const struct cw_layout *layout = parts->layout;
    parts->panels = cw_new_array(layout->n_panels, sizeof *parts->panels, what);
    if (!parts->panels) return CW_ENOMEM;
    for (size_t i = 0; i < layout->n_panels; i++) {
        const struct cw_layout_panel *panel = &layout->panels[i];
        parts->panels[i] = (struct cw_map_panel){panel->x, panel->y, panel->width, panel->height, panel->label};
    }
    return 0;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static const char *const forms[] = {"levels", "planes", "grid", "ring", "forces"};

static void count_cables(const struct map_parts *parts, struct map_drawing *out)
{
    const struct cw_network *whole = parts->content->whole;
    out->cables = whole->n_channels / 2;
    for (uint32_t c = 0; c < whole->n_channels; c++) {
        if (c > whole->twin[c]) continue;
        out->failed += cable_failed(parts, c);
        out->slow += parts->slow[c];
    }
}

/* Sentences below the drawing. */
static int make_captions(struct map_parts *parts, struct map_drawing *out)
{
    const struct cw_network *whole = parts->content->whole;
    size_t n = 0;
    struct cw_text title = {0}, shape = {0}, state = {0};
    cw_text_printf(&title, "%s: %u endpoint%s, %u switch%s, %u cable%s", whole->title, whole->n_endpoints,
                   cw_plural(whole->n_endpoints), cw_network_switches(whole),
                   cw_network_switches(whole) == 1 ? "" : "es", out->cables, cw_plural(out->cables));
    cw_text_add(&shape, "Shape: ");
    cw_network_describe(whole, &shape);
    if (shape.length == strlen("Shape: ")) shape.length = 0;
    if (shape.length > 0) cw_text_add(&shape, ". ");
    cw_text_printf(&shape, "Routes: %s", parts->content->routes);
    if (parts->content->other_routes) cw_text_printf(&shape, "; in the other state: %s", parts->content->other_routes);
    cw_text_printf(&shape, ".%s The %s of a cable gives the colour.",
                   parts->content->loads->sampled ? " Loads are estimated from a sample of them." : "",
                   parts->content->other_routes ? "direction that changes most" : "busier direction");
    if (out->failed > 0)
        cw_text_printf(&state, "%u cable%s failed, or work%s in one direction only; loads are those of the rest.",
                       out->failed, out->failed == 1 ? " has" : "s have", out->failed == 1 ? "s" : "");
    int rc = keep(parts, &title, &out->picture.title);
    int other = keep(parts, &shape, &parts->captions[n]);
    rc = rc ? rc : other;
    if (!other) n++;
    other = keep(parts, &state, &parts->captions[n]);
    rc = rc ? rc : other;
    if (!other && *parts->captions[n]) n++;
    if (*out->merged) parts->captions[n++] = out->merged;
    out->picture.captions = parts->captions;
    out->picture.n_captions = n;
    return rc;
}

static int make(struct map_parts *parts, struct map_drawing *out)
{
    const struct map_content *content = parts->content;
    int rc = is_same(parts) ? 0 : cw_network_match_find(content->whole, content->net, &parts->match);
    if (!rc) rc = find_slow(parts);
    if (!rc) rc = cw_layout_new(content->whole, &parts->layout);
    if (!rc) rc = make_boxes(parts);
    if (!rc) rc = make_lines(parts);
    if (!rc) rc = make_panels(parts);
    if (rc) return rc;
    const struct cw_layout *layout = parts->layout;
    out->picture =
        (struct cw_map_picture){.form = forms[layout->form],
                                .quantity = content->loads->quantity.data,
                                .width = layout->width,
                                .height = layout->height,
                                .boxes = parts->boxes,
                                .lines = parts->lines,
                                .panels = parts->panels,
                                .n_boxes = layout->n_boxes,
                                .n_lines = layout->n_lines,
                                .n_panels = layout->n_panels,
                                .format_load = content->loads->by_bytes ? cw_format_time : map_loads_format_messages,
                                .against = content->loads->against.data,
                                .channel_name = name_channel,
                                .context = parts};
    out->box_of = layout->box_of;
    out->is_slow = parts->slow;
    out->match = is_same(parts) ? NULL : &parts->match;
    out->merged = layout->merged.data ? layout->merged.data : "";
    count_cables(parts, out);
    return make_captions(parts, out);
}

int map_drawing_new(const struct map_content *content, struct map_drawing *out)
{
    *out = (struct map_drawing){.parts = cw_new_array(1, sizeof *out->parts, what)};
    if (!out->parts) return CW_ENOMEM;
    out->parts->content = content;
    const int rc = make(out->parts, out);
    if (rc) map_drawing_free(out);
    return rc;
}

void map_drawing_free(struct map_drawing *drawing)
{
    struct map_parts *parts = drawing->parts;
    if (!parts) return;
    cw_network_match_free(&parts->match);
    cw_layout_free(parts->layout);
    free(parts->slow);
    free(parts->boxes);
    free(parts->lines);
    free(parts->panels);
    for (size_t i = 0; i < parts->n_words; i++) free(parts->words[i]);
    free(parts->words);
    free(parts);
    drawing->parts = NULL;
}
