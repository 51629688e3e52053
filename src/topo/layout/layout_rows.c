/* Trees, rail clusters and whatever else has levels: a row for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "net/roles.h"
#include "topo/layout/layout_internal.h"

#define MOST_IN_ROW     32 /* boxes */
#define MOST_ENDPOINTS  32 /* each in a box of its own */
#define MOST_LEVELS     8
#define WIDTH           100 /* of a box; of an endpoint's own: */
#define ENDPOINT_WIDTH  58
#define HEIGHT          34
#define ENDPOINT_HEIGHT 20 /* all boxes of endpoints */
#define APART           10 /* between boxes of a row; between parts of it: */
#define PART_APART      26
#define ENDPOINTS_APART 4
#define ABOVE_ENDPOINTS 80 /* the lowest switches */

static const char what[] = "rows of a layout";

/* A switch and where it belongs in its row: parts, from the whole to the smallest, then who looks alike, then names. */
struct seat {
    uint32_t parts[MOST_LEVELS + 1];
    uint32_t n_parts;
    uint64_t look;
    uint32_t rank, v;
};

struct rows {
    struct cw_layout_plan *plan;
    uint32_t n;                  /* rows of switches; loose ones are the last */
    uint32_t *rank;              /* [switches] in the order of names */
    uint32_t *part[MOST_LEVELS]; /* [switches] the part of the network of levels 1 … l + 1, by its lowest rank */
    struct seat *seats;          /* [switches] work space, those of one row */
    size_t first_box[MOST_LEVELS + 3];
};

static uint32_t row_of(const struct rows *rows, uint32_t v)
{
    const struct cw_layout_plan *plan = rows->plan;
    return plan->roles[v] < CW_ROLE_LEAF ? plan->levels : plan->roles[v] - CW_ROLE_LEAF;
}

/* --- the order of names ------------------------------------------------------------------------------------------- */

struct named {
    char *name;
    uint32_t v;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = cw_natural_compare(x->name, y->name);
    return order ? order : x->v < y->v ? -1 : x->v > y->v;
}

static int rank_names(struct rows *rows)
{
    const struct cw_network *net = rows->plan->net;
    const uint32_t n = cw_network_switches(net);
    struct named *named = cw_new_array(n, sizeof *named, what);
    char name[CW_NAME_SIZE];
    int rc = named ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++) {
        named[i] = (struct named){strdup(cw_network_name(net, net->n_endpoints + i, name, sizeof name)), i};
        if (!named[i].name) rc = cw_fail(CW_ENOMEM, "out of memory for %s", what);
    }
    if (!rc && n > 0) qsort(named, n, sizeof *named, compare_named);
    for (uint32_t i = 0; i < n && !rc; i++) rows->rank[named[i].v] = i;
    for (uint32_t i = 0; named && i < n; i++) free(named[i].name);
    free(named);
    return rc;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The parts that the levels up to L are without those above, each named by its lowest rank. */
static void find_parts(const struct rows *rows, uint32_t l, uint32_t *at, uint32_t *parent)
{
    const struct cw_network *net = rows->plan->net;
    const uint32_t base = net->n_endpoints, n = cw_network_switches(net);
    for (uint32_t i = 0; i < n; i++) parent[i] = i;
    for (uint32_t c = net->first[base]; c < net->n_channels; c++) {
        const uint32_t a = net->tail[c], b = net->head[c];
        if (b < base || row_of(rows, a) > l || row_of(rows, b) > l) continue;
        /* the lower rank is the root */
        const uint32_t x = root_of(parent, rows->rank[a - base]), y = root_of(parent, rows->rank[b - base]);
        if (x < y)
            parent[y] = x;
        else
            parent[x] = y;
    }
    for (uint32_t i = 0; i < n; i++) at[i] = root_of(parent, rows->rank[i]);
}

static int find_all_parts(struct rows *rows)
{
    const uint32_t n = cw_network_switches(rows->plan->net);
    uint32_t *parent = cw_new_array(n, sizeof *parent, what);
    int rc = parent ? 0 : CW_ENOMEM;
    for (uint32_t l = 0; l < rows->n && l < MOST_LEVELS && !rc; l++) {
        rows->part[l] = cw_new_array(n, sizeof *rows->part[l], what);
        if (!rows->part[l])
            rc = CW_ENOMEM;
        else
            find_parts(rows, l, rows->part[l], parent);
    }
    free(parent);
    return rc;
}

/* --- one row ------------------------------------------------------------------------------------------------------ */

/* The same of switches with the same cables to the next level: below, or of the lowest above. */
static uint64_t look_of(const struct rows *rows, uint32_t v)
{
    const struct cw_network *net = rows->plan->net;
    const uint32_t row = row_of(rows, v);
    uint64_t look = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t to = net->head[c];
        if (cw_network_is_endpoint(net, to)) continue;
        if (row == 0 ? row_of(rows, to) > 0 : row_of(rows, to) < row) look += cw_random_hash(to, 0);
    }
    return look;
}

/* Switches of rails in the order of rails, each rail a part. */
static bool seat_of_rail(const struct rows *rows, struct seat *seat)
{
    const struct cw_layout_plan *plan = rows->plan;
    const struct cw_rail *rail = &plan->shape->rail;
    if (plan->out->form != CW_LAYOUT_PLANES) return false;
    const uint32_t index = cw_layout_plan_index(plan, seat->v);
    if (index < rail->n || index - rail->n >= rail->l * rail->r) return false;
    seat->parts[0] = (index - rail->n) % rail->r;
    seat->n_parts = 1;
    return true;
}

static struct seat seat_of(const struct rows *rows, uint32_t v)
{
    const uint32_t i = v - rows->plan->net->n_endpoints, row = row_of(rows, v);
    struct seat seat = {.look = look_of(rows, v), .rank = rows->rank[i], .v = v};
    if (seat_of_rail(rows, &seat)) return seat;
    for (uint32_t l = rows->plan->levels; l-- > 1;)
        if (l >= row && l < MOST_LEVELS && rows->part[l]) seat.parts[seat.n_parts++] = rows->part[l][i];
    return seat;
}

static int compare_parts(const struct seat *x, const struct seat *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (x->parts[i] != y->parts[i]) return x->parts[i] < y->parts[i] ? -1 : 1;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    const int order = compare_parts(x, y, x->n_parts);
    return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare_looks(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    const int order = compare_parts(x, y, x->n_parts);
    if (order) return order;
    if (x->look != y->look) return x->look < y->look ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* How finely a row is divided before it is put together: N parts, and by looks. */
struct division {
    uint32_t parts;
    bool looks;
};

static uint32_t end_of_run(const struct seat *seats, uint32_t n, uint32_t from, struct division by)
{
    uint32_t end = from + 1;
    while (end < n && compare_parts(&seats[from], &seats[end], by.parts) == 0 &&
           (!by.looks || seats[from].look == seats[end].look))
        end++;
    return end;
}

/* Boxes of N switches if none has more than EACH. */
static uint32_t count_boxes(const struct seat *seats, uint32_t n, struct division by, uint32_t each)
{
    uint32_t boxes = 0;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = end_of_run(seats, n, i, by);
        boxes += (end - i - 1) / each + 1;
    }
    return boxes;
}

/* The division by looks if it has at most MOST_IN_ROW runs, else by parts; SEATS are in the order that it wants. */
static struct division divide(struct seat *seats, uint32_t n)
{
    struct division by = {seats[0].n_parts, true};
    qsort(seats, n, sizeof *seats, compare_looks);
    if (count_boxes(seats, n, by, n) > MOST_IN_ROW) {
        qsort(seats, n, sizeof *seats, compare_names);
        by.looks = false;
        return by;
    }
    for (uint32_t i = 0, end; i < n; i = end) { /* looks in the order of their first names */
        const uint32_t rank = seats[i].rank;
        end = end_of_run(seats, n, i, by);
        for (uint32_t k = i; k < end; k++) seats[k].look = rank;
    }
    qsort(seats, n, sizeof *seats, compare_looks);
    return by;
}

static int add_box(struct rows *rows, uint32_t row, const struct seat *seats, uint32_t n)
{
    struct cw_layout_plan *plan = rows->plan;
    const int rc = cw_layout_plan_box(
        plan, (struct cw_layout_box){.width = WIDTH, .height = HEIGHT, .level = row + 1},
        (struct cw_layout_spot){seats->n_parts > 0 ? seats->parts[seats->n_parts - 1] : 0, row + 1, 0});
    for (uint32_t i = 0; i < n && !rc; i++) cw_layout_plan_seat(plan, seats[i].v, (uint32_t)plan->out->n_boxes - 1);
    return rc;
}

/* Runs become boxes of nearly equal numbers of switches. */
static int divide_runs(struct rows *rows, uint32_t row, uint32_t n, struct division by, uint32_t each)
{
    int rc = 0;
    for (uint32_t i = 0, end; i < n && !rc; i = end) {
        end = end_of_run(rows->seats, n, i, by);
        const uint32_t all = end - i, boxes = (all - 1) / each + 1;
        for (uint32_t k = 0; k < boxes && !rc; k++) {
            const uint32_t from = (uint32_t)((uint64_t)all * k / boxes),
                           to = (uint32_t)((uint64_t)all * (k + 1) / boxes);
            rc = add_box(rows, row, rows->seats + i + from, to - from);
        }
    }
    return rc;
}

/* As many RUNS as it takes become one box. */
static int join_runs(struct rows *rows, uint32_t row, uint32_t n, struct division by, uint32_t runs)
{
    const uint32_t together = (runs - 1) / MOST_IN_ROW + 1;
    int rc = 0;
    for (uint32_t i = 0, end; i < n && !rc; i = end) {
        end = i;
        for (uint32_t k = 0; k < together && end < n; k++) end = end_of_run(rows->seats, n, end, by);
        rc = add_box(rows, row, rows->seats + i, end - i);
    }
    return rc;
}

static int add_boxes(struct rows *rows, uint32_t row, uint32_t n)
{
    const size_t before = rows->plan->out->n_boxes;
    if (n == 0) return 0;
    if (n <= MOST_IN_ROW) {
        qsort(rows->seats, n, sizeof *rows->seats, compare_names);
        return divide_runs(rows, row, n, (struct division){0, false}, 1);
    }
    const struct division by = divide(rows->seats, n);
    const uint32_t runs = count_boxes(rows->seats, n, by, n);
    uint32_t each = (n - 1) / MOST_IN_ROW + 1;
    while (runs <= MOST_IN_ROW && count_boxes(rows->seats, n, by, each) > MOST_IN_ROW) each++;
    const int rc = runs <= MOST_IN_ROW ? divide_runs(rows, row, n, by, each) : join_runs(rows, row, n, by, runs);
    cw_text_printf(&rows->plan->out->merged, "%u switches of level %u are %zu boxes, %s. ", n, row + 1,
                   rows->plan->out->n_boxes - before,
                   by.looks ? "each of some with the same cables to the next level"
                            : "each of some that stand side by side");
    return rc;
}

static int add_row(struct rows *rows, uint32_t row)
{
    const struct cw_network *net = rows->plan->net;
    uint32_t n = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (row_of(rows, v) == row) rows->seats[n++] = seat_of(rows, v);
    rows->first_box[row] = rows->plan->out->n_boxes;
    return add_boxes(rows, row, n);
}

/* --- endpoints ---------------------------------------------------------------------------------------------------- */

/* Endpoints of leaves: a box each, or one for those of a box of switches. Others are in the box of their switch. */
static int add_endpoints(struct rows *rows)
{
    struct cw_layout_plan *plan = rows->plan;
    struct cw_layout *out = plan->out;
    const bool single = plan->net->n_endpoints <= MOST_ENDPOINTS;
    const size_t switches = out->n_boxes;
    uint32_t *box = cw_new_array(switches, sizeof *box, what); /* number + 1 */
    int rc = box ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; v < plan->net->n_endpoints && !rc; v++) {
        const uint32_t home = cw_layout_plan_home(plan, v);
        if (home == CW_NONE || row_of(rows, home) > 0) continue;
        const uint32_t at = out->box_of[home];
        if (single || box[at] == 0) {
            rc = cw_layout_plan_box(
                plan, (struct cw_layout_box){.width = single ? ENDPOINT_WIDTH : WIDTH, .height = ENDPOINT_HEIGHT},
                (struct cw_layout_spot){at, 0, 0});
            box[at] = (uint32_t)out->n_boxes;
        }
        if (!rc) cw_layout_plan_seat(plan, v, box[at] - 1);
    }
    free(box);
    return rc;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* The boxes of endpoints come behind SWITCHES boxes of switches; a spot's x is whose they are. How wide those of box I
 * are together. */
static double width_below(const struct cw_layout_plan *plan, size_t switches, size_t i)
{
    const struct cw_layout *out = plan->out;
    double width = 0;
    for (size_t k = switches; k < out->n_boxes; k++)
        if (plan->spots[k].x == i) width += out->boxes[k].width + (width > 0 ? ENDPOINTS_APART : 0);
    return width;
}

static void place_endpoints(struct rows *rows, size_t switches)
{
    const struct cw_layout_plan *plan = rows->plan;
    struct cw_layout *out = plan->out;
    for (size_t i = 0; i < switches; i++) {
        double x = out->boxes[i].x - width_below(plan, switches, i) / 2;
        for (size_t k = switches; k < out->n_boxes; k++) {
            struct cw_layout_box *box = &out->boxes[k];
            if (plan->spots[k].x != i) continue;
            box->x = x + box->width / 2;
            x += box->width + ENDPOINTS_APART;
        }
    }
}

/* The width of a row whose boxes stand as near to each other as they may; sets x so, from 0. */
static double pack_row(struct rows *rows, uint32_t row, size_t switches)
{
    struct cw_layout *out = rows->plan->out;
    double x = 0;
    for (size_t i = rows->first_box[row]; i < rows->first_box[row + 1]; i++) {
        const double width = fmax(out->boxes[i].width, row == 0 ? width_below(rows->plan, switches, i) : 0);
        if (i > rows->first_box[row]) x += rows->plan->spots[i].x == rows->plan->spots[i - 1].x ? APART : PART_APART;
        out->boxes[i].x = x + width / 2;
        x += width;
    }
    return x;
}

/* Rows are spread over the width of the widest; with as much height between two as lines need to be told apart. */
static void place_rows(struct rows *rows, size_t switches)
{
    struct cw_layout *out = rows->plan->out;
    double width = 0, own[MOST_LEVELS + 2];
    for (uint32_t row = 0; row < rows->n; row++) {
        own[row] = pack_row(rows, row, switches);
        width = fmax(width, own[row]);
    }
    const double between = fmin(fmax(width / 6, 130), 320);
    for (uint32_t row = 0; row < rows->n; row++) {
        const size_t first = rows->first_box[row], end = rows->first_box[row + 1];
        const double slack = end > first ? (width - own[row]) / (double)(end - first) : 0;
        for (size_t i = first; i < end; i++) {
            out->boxes[i].x += slack * ((double)(i - first) + .5);
            out->boxes[i].y = -ABOVE_ENDPOINTS - row * between;
        }
    }
    place_endpoints(rows, switches);
}

/* The switches of a rail stand on a panel, unless several rails are one box. */
static int add_panels(struct rows *rows)
{
    struct cw_layout_plan *plan = rows->plan;
    const struct cw_layout *out = plan->out;
    int rc = 0;
    if (out->form != CW_LAYOUT_PLANES || rows->n < 2 || plan->shape->rail.r > MOST_IN_ROW) return 0;
    for (size_t i = rows->first_box[1], end; i < rows->first_box[2] && !rc; i = end) {
        for (end = i; end < rows->first_box[2] && plan->spots[end].x == plan->spots[i].x;) end++;
        const double left = out->boxes[i].x - WIDTH / 2.0 - 5, right = out->boxes[end - 1].x + WIDTH / 2.0 + 5;
        struct cw_layout_panel panel = {
            .x = (left + right) / 2, .y = out->boxes[i].y, .width = right - left, .height = HEIGHT + 44};
        snprintf(panel.label, sizeof panel.label, "rail %u", plan->spots[i].x);
        rc = cw_layout_plan_panel(plan, panel);
    }
    return rc;
}

/* Lines within a row bend above it. */
static double bend(const struct cw_layout_plan *plan, const struct cw_layout_line *line)
{
    const struct cw_layout_box *a = &plan->out->boxes[line->a], *b = &plan->out->boxes[line->b];
    if (a->level != b->level || a->level == 0) return 0;
    const double size = fmin(HEIGHT / 2.0 + 6 + fabs(a->x - b->x) / 12, 90);
    return a->x < b->x ? size : -size;
}

int cw_layout_plan_rows(struct cw_layout_plan *plan)
{
    const uint32_t n = cw_network_switches(plan->net);
    struct rows rows = {.plan = plan};
    rows.rank = cw_new_array(n, sizeof *rows.rank, what);
    rows.seats = cw_new_array(n, sizeof *rows.seats, what);
    int rc = rows.rank && rows.seats ? rank_names(&rows) : CW_ENOMEM;
    for (uint32_t v = plan->net->n_endpoints; v < plan->net->n_vertices && !rc; v++)
        if (row_of(&rows, v) >= rows.n) rows.n = row_of(&rows, v) + 1;
    if (!rc) rc = find_all_parts(&rows);
    for (uint32_t row = 0; row < rows.n && !rc; row++) rc = add_row(&rows, row);
    const size_t switches = plan->out->n_boxes;
    rows.first_box[rows.n] = switches;
    plan->bend = bend;
    if (!rc) rc = add_endpoints(&rows);
    if (!rc) place_rows(&rows, switches);
    if (!rc) rc = add_panels(&rows);
    free(rows.rank);
    free(rows.seats);
    for (uint32_t l = 0; l < MOST_LEVELS; l++) free(rows.part[l]);
    return rc;
}
