#include "topo/layout.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/roles.h"
#include "topo/layout/layout_internal.h"

#define MOST_LEVELS 8   /* of rows; what has more is no tree */
#define STEP        .04 /* of a line, that it is looked at */

static const char what[] = "a layout";

int cw_layout_plan_box(struct cw_layout_plan *plan, struct cw_layout_box box, struct cw_layout_spot spot)
{
    struct cw_layout *out = plan->out;
    int rc = cw_grow_array((void **)&out->boxes, &plan->boxes_capacity, out->n_boxes + 1, sizeof *out->boxes, what);
    if (!rc)
        rc = cw_grow_array((void **)&plan->spots, &plan->spots_capacity, out->n_boxes + 1, sizeof *plan->spots, what);
    if (rc) return rc;
    plan->spots[out->n_boxes] = spot;
    out->boxes[out->n_boxes++] = box;
    return 0;
}

int cw_layout_plan_panel(struct cw_layout_plan *plan, struct cw_layout_panel panel)
{
    struct cw_layout *out = plan->out;
    const int rc =
        cw_grow_array((void **)&out->panels, &plan->panels_capacity, out->n_panels + 1, sizeof *out->panels, what);
    if (!rc) out->panels[out->n_panels++] = panel;
    return rc;
}

uint32_t cw_layout_plan_home(const struct cw_layout_plan *plan, uint32_t v)
{
    const struct cw_network *net = plan->net;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (!cw_network_is_endpoint(net, net->head[c])) return net->head[c];
    return CW_NONE;
}

uint32_t cw_layout_plan_cables(const struct cw_layout_plan *plan)
{
    const struct cw_network *net = plan->net;
    uint32_t n = 0;
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++)
        n += c < net->twin[c] && !cw_network_is_endpoint(net, net->head[c]);
    return n;
}

/* --- the form ----------------------------------------------------------------------------------------------------- */

/* Whether levels say what the network is like: most cables of switches join two of them. */
static bool has_levels(const struct cw_layout_plan *plan)
{
    const struct cw_network *net = plan->net;
    uint32_t across = 0;
    if (cw_network_switches(net) == 1) return true;
    if (plan->levels < 2 || plan->levels > MOST_LEVELS) return false;
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++)
        across += !cw_network_is_endpoint(net, net->head[c]) && plan->roles[net->tail[c]] == plan->roles[net->head[c]];
    return across / 2 <= cw_layout_plan_cables(plan) / 4;
}

static enum cw_layout_form form_of(const struct cw_layout_plan *plan)
{
    const struct cw_shape_kind *kind = plan->shape->kind;
    if (kind == &cw_shape_torus || kind == &cw_shape_hyperx) return CW_LAYOUT_GRID;
    if (kind && kind->groups) return CW_LAYOUT_RING;
    if (!has_levels(plan)) return CW_LAYOUT_FORCES;
    return kind == &cw_shape_rail ? CW_LAYOUT_PLANES : CW_LAYOUT_LEVELS;
}

/* --- endpoints ---------------------------------------------------------------------------------------------------- */

/* Endpoints without a box are in that of their switch; those without a cable are in one below all others. */
static int seat_endpoints(struct cw_layout_plan *plan)
{
    struct cw_layout *out = plan->out;
    uint32_t apart = CW_NONE;
    double left = 0, bottom = 0;
    for (size_t i = 0; i < out->n_boxes; i++) {
        left = i == 0 ? out->boxes[i].x : fmin(left, out->boxes[i].x);
        bottom = fmax(bottom, out->boxes[i].y + out->boxes[i].height / 2);
    }
    for (uint32_t v = 0; v < plan->net->n_endpoints; v++) {
        const uint32_t home = cw_layout_plan_home(plan, v);
        if (out->box_of[v] != CW_NONE) continue;
        if (home == CW_NONE && apart == CW_NONE) {
            const int rc =
                cw_layout_plan_box(plan, (struct cw_layout_box){.x = left, .y = bottom + 50, .width = 96, .height = 34},
                                   (struct cw_layout_spot){CW_NONE, CW_NONE, CW_NONE});
            if (rc) return rc;
            apart = (uint32_t)out->n_boxes - 1;
        }
        cw_layout_plan_seat(plan, v, home == CW_NONE ? apart : out->box_of[home]);
    }
    return 0;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct cable {
    uint32_t a, b, channel;
};

static int compare_cables(const void *x, const void *y)
{
    const struct cable *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return p->channel < q->channel ? -1 : p->channel > q->channel;
}

/* Cables between boxes, each once, as the channel from the lower box. */
static size_t list_cables(const struct cw_layout_plan *plan, struct cable *cables)
{
    const struct cw_network *net = plan->net;
    const uint32_t *box = plan->out->box_of;
    size_t n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (box[net->tail[c]] < box[net->head[c]])
            cables[n++] = (struct cable){box[net->tail[c]], box[net->head[c]], c};
    if (n > 0) qsort(cables, n, sizeof *cables, compare_cables);
    return n;
}

static int make_lines(struct cw_layout_plan *plan)
{
    struct cw_layout *out = plan->out;
    struct cable *cables = cw_new_array(plan->net->n_channels / 2, sizeof *cables, what);
    const size_t n = cables ? list_cables(plan, cables) : 0;
    size_t capacity = 0;
    out->cables = cw_new_array(n, sizeof *out->cables, what);
    int rc = cables && out->cables ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) {
        struct cw_layout_line *last = out->n_lines > 0 ? &out->lines[out->n_lines - 1] : NULL;
        out->cables[i] = cables[i].channel;
        if (last && last->a == cables[i].a && last->b == cables[i].b) {
            last->n++;
            continue;
        }
        rc = cw_grow_array((void **)&out->lines, &capacity, out->n_lines + 1, sizeof *out->lines, what);
        if (!rc) out->lines[out->n_lines++] = (struct cw_layout_line){cables[i].a, cables[i].b, (uint32_t)i, 1, 0};
    }
    for (size_t i = 0; i < out->n_lines && !rc && plan->bend; i++)
        out->lines[i].bend = plan->bend(plan, &out->lines[i]);
    free(cables);
    return rc;
}

/* Whether LINE, bent by BEND, passes over a box that it does not lead to. */
static bool is_hidden(const struct cw_layout *out, const struct cw_layout_line *line, double bend)
{
    const struct cw_layout_box *a = &out->boxes[line->a], *b = &out->boxes[line->b];
    const double dx = b->x - a->x, dy = b->y - a->y, length = fmax(hypot(dx, dy), 1e-9);
    for (size_t i = 0; i < out->n_boxes; i++) {
        const struct cw_layout_box *box = &out->boxes[i];
        if (i == line->a || i == line->b) continue;
        for (double t = STEP; t < 1; t += STEP) {
            const double off = bend * 4 * t * (1 - t);
            const double x = a->x + t * dx + off * dy / length, y = a->y + t * dy - off * dx / length;
            if (fabs(x - box->x) < box->width / 2 + 2 && fabs(y - box->y) < box->height / 2 + 2) return true;
        }
    }
    return false;
}

/* By forces boxes stand anywhere: lines bend around them, as little as they must, or stay straight where nothing helps.
 */
static void avoid_boxes(struct cw_layout *out)
{
    for (size_t i = 0; i < out->n_lines; i++) {
        struct cw_layout_line *line = &out->lines[i];
        for (int k = 0; k < 11; k++) {
            const double bend = (k % 2 == 0 ? 1 : -1) * ((k + 1) / 2) * 18.0;
            if (is_hidden(out, line, bend)) continue;
            line->bend = bend;
            break;
        }
    }
}

/* Lists the vertices of each box. */
static int list_vertices(struct cw_layout_plan *plan)
{
    struct cw_layout *out = plan->out;
    uint32_t *next = cw_new_array(out->n_boxes, sizeof *next, what), n = 0;
    out->vertices = cw_new_array(plan->net->n_vertices, sizeof *out->vertices, what);
    const int rc = next && out->vertices ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < out->n_boxes && !rc; i++) {
        out->boxes[i].first = next[i] = n;
        n += out->boxes[i].endpoints + out->boxes[i].switches;
    }
    for (uint32_t v = 0; v < plan->net->n_vertices && !rc; v++) out->vertices[next[out->box_of[v]]++] = v;
    free(next);
    return rc;
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

struct extent {
    double left, right, top, bottom;
};

static void widen(struct extent *extent, double x, double y, double width, double height)
{
    extent->left = fmin(extent->left, x - width / 2);
    extent->right = fmax(extent->right, x + width / 2);
    extent->top = fmin(extent->top, y - height / 2);
    extent->bottom = fmax(extent->bottom, y + height / 2);
}

/* Lines bend out of the boxes' extent, too; a curve's middle is as far out as it gets. */
static void widen_by_line(struct extent *extent, const struct cw_layout *out, const struct cw_layout_line *line)
{
    const struct cw_layout_box *a = &out->boxes[line->a], *b = &out->boxes[line->b];
    const double dx = b->x - a->x, dy = b->y - a->y, length = hypot(dx, dy);
    if (!(length > 0)) return;
    widen(extent, (a->x + b->x) / 2 + dy / length * line->bend, (a->y + b->y) / 2 - dx / length * line->bend, 6, 6);
}

static void fit_page(struct cw_layout *out)
{
    struct extent extent = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < out->n_boxes; i++)
        widen(&extent, out->boxes[i].x, out->boxes[i].y, out->boxes[i].width, out->boxes[i].height);
    for (size_t i = 0; i < out->n_panels; i++) /* a word has no size that is known here */
        widen(&extent, out->panels[i].x, out->panels[i].y, fmax(out->panels[i].width, 72),
              fmax(out->panels[i].height, 16));
    for (size_t i = 0; i < out->n_lines; i++) widen_by_line(&extent, out, &out->lines[i]);
    if (out->n_boxes == 0) extent = (struct extent){0, 0, 0, 0};
    for (size_t i = 0; i < out->n_boxes; i++) {
        out->boxes[i].x -= extent.left;
        out->boxes[i].y -= extent.top;
    }
    for (size_t i = 0; i < out->n_panels; i++) {
        out->panels[i].x -= extent.left;
        out->panels[i].y -= extent.top;
    }
    out->width = extent.right - extent.left;
    out->height = extent.bottom - extent.top;
}

static void say_merged(struct cw_layout_plan *plan)
{
    struct cw_layout *out = plan->out;
    uint32_t hosts = 0, within = 0, bundles = 0;
    for (size_t i = 0; i < out->n_boxes; i++) {
        hosts += out->boxes[i].switches == 0 && out->boxes[i].endpoints > 1;
        within += out->boxes[i].switches > 0 && out->boxes[i].endpoints > 0;
    }
    for (size_t i = 0; i < out->n_lines; i++) bundles += out->lines[i].n > 1;
    if (hosts > 0) cw_text_add(&out->merged, "Endpoints of one box of switches are one box. ");
    if (within > 0 && out->form == CW_LAYOUT_LEVELS)
        cw_text_add(&out->merged, "Endpoints of higher switches are in the boxes of these. ");
    else if (within > 0)
        cw_text_add(&out->merged, "Endpoints are in the boxes of their switches. ");
    if (bundles > 0)
        cw_text_add(&out->merged, "Cables between the same two boxes are one line, with their number where it fits. ");
    if (out->merged.length > 0) out->merged.data[--out->merged.length] = 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int place(struct cw_layout_plan *plan)
{
    static int (*const placers[])(struct cw_layout_plan *) = {
        cw_layout_plan_rows, cw_layout_plan_rows, cw_layout_plan_grid, cw_layout_plan_ring, cw_layout_plan_forces};
    struct cw_layout *out = plan->out;
    int rc = cw_network_roles(plan->net, plan->roles, &plan->levels);
    if (rc) return rc;
    out->form = form_of(plan);
    rc = placers[out->form](plan);
    if (!rc) rc = seat_endpoints(plan);
    if (!rc) rc = list_vertices(plan);
    if (!rc) rc = make_lines(plan);
    if (rc) return rc;
    if (out->form == CW_LAYOUT_FORCES) avoid_boxes(out);
    fit_page(out);
    say_merged(plan);
    return cw_text_check(&out->merged);
}

int cw_layout_new(const struct cw_network *net, struct cw_layout **out)
{
    struct cw_layout *layout = cw_new_array(1, sizeof *layout, what);
    if (!layout) return CW_ENOMEM;
    struct cw_layout_plan plan = {.net = net, .shape = cw_network_regular_shape(net), .out = layout};
    plan.roles = cw_new_array(net->n_vertices, sizeof *plan.roles, what);
    layout->box_of = cw_new_array(net->n_vertices, sizeof *layout->box_of, what);
    int rc = plan.roles && layout->box_of ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices && !rc; v++) layout->box_of[v] = CW_NONE;
    if (!rc) rc = place(&plan);
    free(plan.roles);
    free(plan.spots);
    if (rc) {
        cw_layout_free(layout);
        return rc;
    }
    *out = layout;
    return 0;
}

void cw_layout_free(struct cw_layout *layout)
{
    if (!layout) return;
    free(layout->boxes);
    free(layout->lines);
    free(layout->panels);
    free(layout->box_of);
    free(layout->vertices);
    free(layout->cables);
    cw_text_free(&layout->merged);
    free(layout);
}
