#include "report/map_picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "report/svg_text.h"

#define MARGIN    24.0
#define LEAST     720.0 /* width of a page: what the legend needs */
#define CHARACTER .6    /* mean width of a letter, of its size */
#define MANY      120   /* lines, from which on they have no numbers */

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* Of the colours that begin at SHADES, which one a load, or a change, has; 0: that of none. */
static unsigned shade_of(double load, const double shades[CW_MAP_SHADES])
{
    const double size = fabs(load);
    unsigned shade = 0;
    if (!(size > 0)) return 0;
    while (shade < CW_MAP_SHADES && size > shades[shade] * (1 + 1e-12)) shade++;
    return shade;
}

/* The class of a load: c0 of none, c1 … of loads, m1 … of more than in another state, l1 … of less. */
struct class_name {
    char text[8];
};

static struct class_name class_of(const struct cw_map_picture *picture, double load, const double shades[CW_MAP_SHADES])
{
    struct class_name name;
    const unsigned shade = shade_of(load, shades);
    snprintf(name.text, sizeof name.text, "%c%u", !picture->against || shade == 0 ? 'c' : load > 0 ? 'm' : 'l', shade);
    return name;
}

static double greatest_capacity(const struct cw_map_picture *picture)
{
    double most = 0;
    for (size_t i = 0; i < picture->n_lines; i++) most = fmax(most, picture->lines[i].capacity);
    return most;
}

/* Widths go by the root of the capacity, or the thinnest would not be seen. */
static double stroke_of(const struct cw_map_picture *picture, double capacity, double most)
{
    const size_t n = picture->n_lines;
    const double widest = n > 400 ? 1.4 : n > 150 ? 2 : n > 60 ? 3 : 5;
    return most > 0 ? fmax(.5, widest * sqrt(capacity / most)) : 1;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct point {
    double x, y;
};

/* The point at the share T of a line: of a parabola where it bends. */
static struct point point_on(const struct cw_map_picture *picture, const struct cw_map_line *line, double t)
{
    const struct cw_map_box *a = &picture->boxes[line->a], *b = &picture->boxes[line->b];
    const double dx = b->x - a->x, dy = b->y - a->y, length = fmax(hypot(dx, dy), 1e-9);
    const double off = line->bend * 4 * t * (1 - t);
    return (struct point){a->x + t * dx + off * dy / length, a->y + t * dy - off * dx / length};
}

static void add_path(const struct cw_map_picture *picture, const struct cw_map_line *line, struct cw_text *svg)
{
    const struct cw_map_box *a = &picture->boxes[line->a], *b = &picture->boxes[line->b];
    cw_text_printf(svg, "d=\"M%.1f %.1f", a->x, a->y);
    if (line->bend != 0) {
        const struct point middle = point_on(picture, line, .5);
        cw_text_printf(svg, "Q%.1f %.1f %.1f %.1f\"", 2 * middle.x - (a->x + b->x) / 2,
                       2 * middle.y - (a->y + b->y) / 2, b->x, b->y);
    } else
        cw_text_printf(svg, "L%.1f %.1f\"", b->x, b->y);
}

static void add_line(const struct cw_map_picture *picture, const struct cw_map_line *line, const double *shades,
                     double fastest, struct cw_text *svg)
{
    const double width = stroke_of(picture, line->capacity, fastest);
    cw_text_add(svg, "<g>");
    if (line->failed < line->cables) {
        cw_text_printf(svg, "<path class=\"%s\" stroke-width=\"%.1f\" ", class_of(picture, line->load, shades).text,
                       width);
        add_path(picture, line, svg);
        cw_text_add(svg, "/>");
    }
    if (line->failed > 0) {
        cw_text_printf(svg, "<path class=\"f\" stroke-width=\"%.1f\" ", fmax(1.6, width / 2));
        add_path(picture, line, svg);
        cw_text_add(svg, "/>");
    }
    cw_svg_add_title(svg, line->name);
    cw_text_add(svg, "</g>\n");
}

struct order {
    double load;
    size_t line;
};

/* What is loaded most is drawn last, over all others; failed cables over these. */
static int compare_orders(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->load != y->load) return x->load < y->load ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int add_lines(const struct cw_map_picture *picture, struct cw_text *svg)
{
    struct order *order = cw_new_array(picture->n_lines, sizeof *order, "a picture");
    double shades[CW_MAP_SHADES];
    const double fastest = greatest_capacity(picture);
    if (!order) return CW_ENOMEM;
    cw_map_shades(picture, shades);
    for (size_t i = 0; i < picture->n_lines; i++) {
        const struct cw_map_line *line = &picture->lines[i];
        order[i] = (struct order){line->failed > 0 ? (double)INFINITY : isnan(line->load) ? -1 : fabs(line->load), i};
    }
    if (picture->n_lines > 0) qsort(order, picture->n_lines, sizeof *order, compare_orders);
    for (size_t i = 0; i < picture->n_lines; i++)
        add_line(picture, &picture->lines[order[i].line], shades, fastest, svg);
    free(order);
    return 0;
}

/* --- marks and numbers on lines ----------------------------------------------------------------------------------- */

struct area {
    double left, right, top, bottom;
};

struct areas {
    struct area *items;
    size_t n, capacity;
};

static struct area area_around(double x, double y, double width, double height)
{
    return (struct area){x - width / 2, x + width / 2, y - height / 2, y + height / 2};
}

static bool is_free(const struct areas *areas, const struct area *area)
{
    for (size_t i = 0; i < areas->n; i++)
        if (areas->items[i].left < area->right && area->left < areas->items[i].right &&
            areas->items[i].top < area->bottom && area->top < areas->items[i].bottom)
            return false;
    return true;
}

static int take(struct areas *areas, struct area area)
{
    const int rc = cw_grow_array((void **)&areas->items, &areas->capacity, areas->n + 1, sizeof *areas->items,
                                 "labels of a picture");
    if (!rc) areas->items[areas->n++] = area;
    return rc;
}

static double distance_to_segment(struct point at, struct point a, struct point b)
{
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double t = square > 0 ? fmin(fmax(((at.x - a.x) * dx + (at.y - a.y) * dy) / square, 0), 1) : 0;
    return hypot(at.x - a.x - t * dx, at.y - a.y - t * dy);
}

/* Whether a line other than LINE comes as near to AT as FAR: what stands there could be taken for its. */
static bool is_beside_other(const struct cw_map_picture *picture, const struct cw_map_line *line, struct point at,
                            double far)
{
    for (size_t i = 0; i < picture->n_lines; i++) {
        const struct cw_map_line *other = &picture->lines[i];
        const int parts = other->bend != 0 ? 8 : 1;
        for (int k = 0; k < parts && other != line; k++)
            if (distance_to_segment(at, point_on(picture, other, k / (double)parts),
                                    point_on(picture, other, (k + 1) / (double)parts)) < far)
                return true;
    }
    return false;
}

/* Finds a place on LINE for what is WIDTH times HEIGHT, free of anything else and, the nearer to the middle the better,
 * of other lines; takes it. *FOUND: there was one. */
static int find_place(const struct cw_map_picture *picture, const struct cw_map_line *line, double width, double height,
                      struct areas *areas, struct point *at, bool *found)
{
    *found = false;
    for (int i = 0; i < 20 && !*found; i++) {
        *at = point_on(picture, line, .5 + (i % 2 == 0 ? -1 : 1) * ((i + 1) / 2) * .04);
        const struct area area = area_around(at->x, at->y, width, height);
        *found = is_free(areas, &area) && !is_beside_other(picture, line, *at, fmax(width, height) / 2);
        if (*found) return take(areas, area);
    }
    return 0;
}

/* A mark must be seen: it is drawn even where there is no room. */
static int add_marks(const struct cw_map_picture *picture, struct areas *areas, struct cw_text *svg)
{
    int rc = 0;
    for (size_t i = 0; i < picture->n_lines && !rc; i++) {
        const struct cw_map_line *line = &picture->lines[i];
        struct point at;
        bool found;
        if (line->slow == 0) continue;
        rc = find_place(picture, line, 14, 14, areas, &at, &found);
        if (!found) at = point_on(picture, line, .5);
        cw_text_printf(svg, "<path class=\"s\" d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\">", at.x, at.y - 6);
        cw_svg_add_title(svg, line->name);
        cw_text_add(svg, "</path>\n");
    }
    return rc;
}

static int add_numbers(const struct cw_map_picture *picture, struct areas *areas, struct cw_text *svg)
{
    int rc = 0;
    for (size_t i = 0; i < picture->n_lines && !rc && picture->n_lines <= MANY; i++) {
        const struct cw_map_line *line = &picture->lines[i];
        char number[16];
        struct point at;
        bool found;
        if (line->cables < 2) continue;
        const int length = snprintf(number, sizeof number, "%u", line->cables);
        rc = find_place(picture, line, 7.0 * length + 6, 13, areas, &at, &found);
        if (!rc && found) {
            cw_text_printf(svg, "<rect class=\"n\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"12\" rx=\"4\"/>",
                           at.x - 3.5 * length - 2, at.y - 6, 7 * length + 4);
            cw_svg_add_label(svg, at.x, at.y + 3.5, "t m", number, SIZE_MAX);
        }
    }
    return rc;
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

static const char *contents_of(const struct cw_map_box *box, char *buffer, size_t size)
{
    if (box->switches > 1 && box->endpoints > 0)
        snprintf(buffer, size, "%u sw, %u ep", box->switches, box->endpoints);
    else if (box->switches > 1)
        snprintf(buffer, size, "%u switches", box->switches);
    else if (box->switches == 1 && box->endpoints > 0)
        snprintf(buffer, size, box->width < 72 ? "%u ep" : "%u endpoint%s", box->endpoints, cw_plural(box->endpoints));
    else
        buffer[0] = 0;
    return buffer;
}

static void add_box(const struct cw_map_picture *picture, const struct cw_map_box *box, const double *shades,
                    struct cw_text *svg)
{
    const double left = box->x - box->width / 2, top = box->y - box->height / 2;
    const size_t letters = (size_t)((box->width - 6) / (11 * CHARACTER));
    char contents[48];
    cw_text_printf(svg, "<g><rect class=\"%s%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>",
                   box->switches == 0 ? "h" : "b", box->failed > 0 ? " x" : "", left, top, box->width, box->height,
                   box->switches == 0 ? 8 : 3);
    if (!isnan(box->load))
        cw_text_printf(svg, "<path class=\"%s\" stroke-width=\"3\" d=\"M%.1f %.1fh%.1f\"/>",
                       class_of(picture, box->load, shades).text, left + 3, top + box->height - 2, box->width - 6);
    if (box->width >= 30) {
        const bool two = box->height >= 28 && *contents_of(box, contents, sizeof contents);
        cw_svg_add_label(svg, box->x, box->y + (two ? -3 : 3.5), "t m", box->label, letters);
        if (two) cw_svg_add_label(svg, box->x, box->y + 10, "u m", contents, letters * 11 / 10);
    }
    cw_svg_add_title(svg, box->name);
    cw_text_add(svg, "</g>\n");
}

static void add_panels(const struct cw_map_picture *picture, bool words, struct cw_text *svg)
{
    for (size_t i = 0; i < picture->n_panels; i++) {
        const struct cw_map_panel *panel = &picture->panels[i];
        const double top = panel->y - panel->height / 2;
        if (words)
            cw_svg_add_label(svg, panel->x, panel->height > 0 ? top + 14 : panel->y + 4, "t m w", panel->label, 24);
        else if (panel->width > 0)
            cw_text_printf(svg, "<rect class=\"p\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\"/>\n",
                           panel->x - panel->width / 2, top, panel->width, panel->height);
    }
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static const char style[] =
    "<style>\n"
    "svg{background:#fff;color-scheme:light dark;font-family:sans-serif}\n"
    "path{fill:none}\n"
    ".c0{stroke:#c3c9d1}.c1{stroke:#93b7dc}.c2{stroke:#3d7fc1}.c3{stroke:#d9a013}.c4{stroke:#e0620d}.c5{stroke:#b3122a}"
    "\n"
    ".m1{stroke:#efb49c}.m2{stroke:#e68a66}.m3{stroke:#d45a3b}.m4{stroke:#b22a2b}.m5{stroke:#7d0b1f}\n"
    ".l1{stroke:#a5cdea}.l2{stroke:#6cabdb}.l3{stroke:#3784c4}.l4{stroke:#1a5fa5}.l5{stroke:#0a3a75}\n"
    ".f{stroke:#a3159a;stroke-dasharray:6 4}\n"
    ".s{fill:#fff;stroke:#111;stroke-width:1.8}\n"
    ".b{fill:#eef1f6;stroke:#4a5668}.h{fill:#fff;stroke:#8a94a3}.x{fill:#f7e3f5;stroke:#a3159a;stroke-dasharray:4 3}\n"
    ".p{fill:#f4f4ee;stroke:#d5d5c8}.n{fill:#fff;fill-opacity:.85}\n"
    "text{fill:#1c232d;font-size:11px}.m{text-anchor:middle}.u{fill:#55606f;font-size:10px}.w{font-weight:bold}\n"
    "@media(prefers-color-scheme:dark){\n"
    "svg{background:#14181e}\n"
    ".c0{stroke:#49525f}.c1{stroke:#456f9b}.c2{stroke:#54a2e8}.c3{stroke:#f2c230}.c4{stroke:#ff8a3c}.c5{stroke:#ff4b5c}"
    "\n"
    ".m1{stroke:#7a4a3b}.m2{stroke:#a85c45}.m3{stroke:#d96c4d}.m4{stroke:#ff7f5e}.m5{stroke:#ffb3a0}\n"
    ".l1{stroke:#36597a}.l2{stroke:#3f76a8}.l3{stroke:#4a97d8}.l4{stroke:#6db9ff}.l5{stroke:#a8d8ff}\n"
    ".f{stroke:#f07ae6}.s{fill:#14181e;stroke:#fff}\n"
    ".b{fill:#262d38;stroke:#8c98aa}.h{fill:#14181e;stroke:#6b7687}.x{fill:#3a2238;stroke:#f07ae6}\n"
    ".p{fill:#1b2026;stroke:#343c46}.n{fill:#14181e}text{fill:#e6eaf0}.u{fill:#a9b3c1}}\n"
    "</style>\n";

/* Where the next thing of the legend stands. */
struct pen {
    double x, y, width, scale;
};

static void go_right(struct pen *pen, double width)
{
    if (pen->x > MARGIN && pen->x + width > pen->width - MARGIN) {
        pen->x = MARGIN;
        pen->y += 20 * pen->scale;
    }
}

/* A sample of a line of CLASS and what it means. */
static void add_entry(struct cw_text *svg, struct pen *pen, const char *class, double stroke, const char *meaning)
{
    const double s = pen->scale, width = (36 + 11 * CHARACTER * (double)cw_text_width(meaning) + 16) * s;
    go_right(pen, width);
    if (strcmp(class, "s") == 0)
        cw_text_printf(svg, "<path class=\"s\" d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\"/>", pen->x + 14 * s, pen->y - 10);
    else
        cw_text_printf(svg, "<path class=\"%s\" stroke-width=\"%.1f\" d=\"M%.1f %.1fh%.1f\"/>", class, stroke, pen->x,
                       pen->y - 4 * s, 28 * s);
    cw_text_printf(svg, "<text style=\"font-size:%.0fpx\" x=\"%.1f\" y=\"%.1f\">", 11 * s, pen->x + 34 * s, pen->y);
    cw_svg_add_text(svg, meaning, SIZE_MAX);
    cw_text_add(svg, "</text>\n");
    pen->x += width;
}

/* STRING in lines as wide as the page. */
static void add_paragraph(struct cw_text *svg, struct pen *pen, double size, const char *class, const char *string)
{
    struct cw_text wrapped = {0};
    cw_text_wrap(&wrapped, string, 0, 0, (size_t)((pen->width - 2 * MARGIN) / (size * pen->scale * CHARACTER)));
    if (cw_text_check(&wrapped)) svg->failed = true;
    struct cw_lines lines = cw_lines_of("", wrapped.data ? wrapped.data : "", wrapped.length);
    while (cw_lines_next(&lines)) {
        char line[2048];
        snprintf(line, sizeof line, "%.*s", (int)lines.length, lines.line);
        pen->y += size * 1.35 * pen->scale;
        cw_text_printf(svg, "<text class=\"%s\" style=\"font-size:%.0fpx\" x=\"%.1f\" y=\"%.1f\">", class,
                       size * pen->scale, MARGIN, pen->y);
        cw_svg_add_text(svg, line, SIZE_MAX);
        cw_text_add(svg, "</text>\n");
    }
    cw_text_free(&wrapped);
}

static bool has_state(const struct cw_map_picture *picture, bool failed)
{
    for (size_t i = 0; i < picture->n_lines; i++)
        if (failed ? picture->lines[i].failed > 0 : picture->lines[i].slow > 0) return true;
    for (size_t i = 0; failed && i < picture->n_boxes; i++)
        if (picture->boxes[i].failed > 0) return true;
    return false;
}

static bool has_inner_loads(const struct cw_map_picture *picture)
{
    for (size_t i = 0; i < picture->n_boxes; i++)
        if (!isnan(picture->boxes[i].load)) return true;
    return false;
}

/* An entry for the loads of SHADE, or the changes of one sign, of which MOST is the greatest: "+3 … +7". SIGN begins
 * the class. */
static void add_shade(const struct cw_map_picture *picture, struct cw_text *svg, struct pen *pen, const double *shades,
                      unsigned shade, double most, char sign)
{
    const double from = shades[shade - 1], to = shade < CW_MAP_SHADES ? shades[shade] : most;
    const char *mark = sign == 'm' ? "+" : sign == 'l' ? "−" : "";
    char near[48], far[48], meaning[128], class[4];
    picture->format_load(sign == 'l' ? to : from, near, sizeof near);
    picture->format_load(sign == 'l' ? from : to, far, sizeof far);
    snprintf(class, sizeof class, "%c%u", sign, shade);
    snprintf(meaning, sizeof meaning, "%s%s … %s%s", sign != 'l' && from == 0 ? "" : mark, near,
             sign == 'l' && from == 0 ? "" : mark, far);
    add_entry(svg, pen, class, 4 * pen->scale, meaning);
}

/* From the greatest decrease to the greatest increase. */
static void add_shades(const struct cw_map_picture *picture, struct cw_text *svg, struct pen *pen)
{
    const double less = cw_map_greatest(picture, -1), more = cw_map_greatest(picture, 1);
    double shades[CW_MAP_SHADES];
    cw_map_shades(picture, shades);
    for (unsigned shade = shade_of(less, shades); shade > 0; shade--)
        add_shade(picture, svg, pen, shades, shade, less, 'l');
    add_entry(svg, pen, "c0", 4 * pen->scale, picture->against ? "no change" : "0");
    for (unsigned shade = 1; shade <= shade_of(more, shades); shade++)
        add_shade(picture, svg, pen, shades, shade, more, picture->against ? 'm' : 'c');
}

/* What colours, widths and marks mean. */
static void add_legend(const struct cw_map_picture *picture, struct cw_text *svg, struct pen *pen)
{
    const double fastest = greatest_capacity(picture);
    char rate[48], meaning[128];
    add_paragraph(svg, pen, 12, "w", picture->quantity);
    pen->x = MARGIN;
    pen->y += 20 * pen->scale;
    add_shades(picture, svg, pen);
    if (has_state(picture, true)) add_entry(svg, pen, "f", 2 * pen->scale, "failed");
    if (has_state(picture, false)) add_entry(svg, pen, "s", 1, "slower than most of its kind");
    if (fastest > 0) {
        snprintf(meaning, sizeof meaning, "width: capacity, this is %s", cw_format_rate(fastest, rate, sizeof rate));
        add_entry(svg, pen, "c0", stroke_of(picture, fastest, fastest), meaning);
    }
    pen->y += 6 * pen->scale;
    pen->x = MARGIN;
}

static void add_captions(const struct cw_map_picture *picture, struct cw_text *svg, struct pen *pen)
{
    double shades[CW_MAP_SHADES];
    cw_map_shades(picture, shades);
    if (shades[1] > 0)
        add_paragraph(svg, pen, 12, "t",
                      picture->against
                          ? "Colours change at ½, 1¼, 2 and 3 times the mean size of the changes of lines."
                          : "Colours change at ½, 1¼, 2 and 3 times the mean of the lines that have a load.");
    if (has_inner_loads(picture))
        add_paragraph(
            svg, pen, 12, "t",
            picture->against
                ? "The bar at the foot of a box has the colour of the greatest change between what is in it."
                : "The bar at the foot of a box has the colour of the busiest channel between what is in it.");
    for (size_t i = 0; i < picture->n_captions; i++) add_paragraph(svg, pen, 12, "t", picture->captions[i]);
}

static int add_drawing(const struct cw_map_picture *picture, struct cw_text *svg)
{
    struct areas areas = {0};
    double shades[CW_MAP_SHADES];
    int rc = 0;
    cw_map_shades(picture, shades);
    add_panels(picture, false, svg);
    rc = add_lines(picture, svg);
    for (size_t i = 0; i < picture->n_boxes && !rc; i++) {
        const struct cw_map_box *box = &picture->boxes[i];
        add_box(picture, box, shades, svg);
        rc = take(&areas, area_around(box->x, box->y, box->width + 4, box->height + 4));
    }
    add_panels(picture, true, svg);
    if (!rc) rc = add_marks(picture, &areas, svg);
    if (!rc) rc = add_numbers(picture, &areas, svg);
    free(areas.items);
    return rc;
}

int cw_map_svg(const struct cw_map_picture *picture, struct cw_text *text)
{
    const double width = fmax(picture->width + 2 * MARGIN, LEAST);
    struct pen pen = {MARGIN, MARGIN - 8, width, fmin(fmax(width / 1300, 1), 3)};
    struct cw_text head = {0}, drawing = {0}, foot = {0};
    add_paragraph(&head, &pen, 16, "w", picture->title);
    const double top = pen.y + 16;
    int rc = add_drawing(picture, &drawing);
    pen.y = top + picture->height + 14;
    add_legend(picture, &foot, &pen);
    add_captions(picture, &foot, &pen);
    const double height = pen.y + MARGIN;
    cw_text_printf(text,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                   "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">",
                   width, height, width, height);
    cw_svg_add_title(text, picture->title);
    cw_text_add(text, style);
    if (head.data) cw_text_append(text, head.data, head.length);
    cw_text_printf(text, "<g transform=\"translate(%.1f %.1f)\">\n", (width - picture->width) / 2, top);
    if (drawing.data) cw_text_append(text, drawing.data, drawing.length);
    cw_text_add(text, "</g>\n");
    if (foot.data) cw_text_append(text, foot.data, foot.length);
    cw_text_add(text, "</svg>\n");
    text->failed |= head.failed || drawing.failed || foot.failed;
    cw_text_free(&head);
    cw_text_free(&drawing);
    cw_text_free(&foot);
    return rc ? rc : cw_text_check(text);
}
