/* Tori, meshes, hypercubes and HyperX: columns, rows, and a diagonal in each cell. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "topo/layout/layout_internal.h"

#define DIMENSIONS    CW_TORUS_DIMENSIONS
#define MOST_IN_AXIS  24  /* boxes of a torus along one side; of HyperX, where all of a row are joined, a third */
#define MOST_DIAGONAL 8   /* boxes in a cell */
#define MOST_BOXES    256 /* with several in a cell */
#define GAP           26  /* between cells, and for each line that passes a box of HyperX: */
#define GAP_OF_LINE   7
#define APART         8 /* between boxes of a cell */

struct dimension {
    uint32_t k, stride; /* switches along it, and from one to the next */
    uint32_t block;     /* as many are one box */
    bool folded;
};

/* Dimensions that lie along one side, the first one fastest. */
struct axis {
    struct dimension dimensions[DIMENSIONS];
    uint32_t n, size;
};

enum { X, Y, Z, MERGED, AXES };

struct grid {
    struct axis axes[AXES]; /* along the last one all is one box */
    bool all_to_all;        /* HyperX */
};

static uint32_t blocks_of(const struct dimension *dimension)
{
    return (dimension->k - 1) / dimension->block + 1;
}

static void add_dimension(struct axis *axis, struct dimension dimension)
{
    axis->dimensions[axis->n++] = dimension;
    axis->size = (axis->n > 1 ? axis->size : 1) * blocks_of(&dimension);
}

static uint32_t list_dimensions(const struct cw_shape *shape, struct dimension *list)
{
    const bool torus = shape->kind == &cw_shape_torus;
    const uint32_t n = torus ? shape->torus.n : shape->hyperx.n;
    const uint32_t *k = torus ? shape->torus.k : shape->hyperx.s;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < n; d++) {
        list[d] = (struct dimension){k[d], stride, 1, torus && shape->torus.wrap && k[d] > 2};
        stride *= k[d];
    }
    return n;
}

/* The longest first; of equal ones the first. */
static int compare_dimensions(const void *a, const void *b)
{
    const struct dimension *x = a, *y = b;
    if (x->k != y->k) return x->k > y->k ? -1 : 1;
    return x->stride < y->stride ? -1 : x->stride > y->stride;
}

static double product(const struct dimension *list, uint32_t n)
{
    double all = 1;
    for (uint32_t i = 0; i < n; i++) all *= list[i].k;
    return all;
}

/* The two longest dimensions are columns and rows, the others the diagonal, if they are short enough; if not, further
 * ones go to columns and rows as long as these have room. What then remains is put together. */
static void choose_axes(const struct cw_shape *shape, struct grid *grid)
{
    struct dimension list[DIMENSIONS];
    const uint32_t n = list_dimensions(shape, list);
    grid->all_to_all = shape->kind == &cw_shape_hyperx;
    const uint32_t most = grid->all_to_all ? MOST_IN_AXIS / 3 : MOST_IN_AXIS;
    for (int a = 0; a < AXES; a++) grid->axes[a].size = 1;
    qsort(list, n, sizeof *list, compare_dimensions);
    uint32_t used = 0;
    for (; used < n; used++) {
        struct axis *axis = &grid->axes[grid->axes[Y].size < grid->axes[X].size ? Y : X];
        if (used >= 2 && product(list + used, n - used) <= MOST_DIAGONAL) break;
        if (used >= 2 && (double)axis->size * list[used].k > most) break;
        list[used].block = (list[used].k - 1) / most + 1;
        add_dimension(used == 1 ? &grid->axes[Y] : axis, list[used]);
    }
    const double cells = (double)grid->axes[X].size * grid->axes[Y].size, rest = product(list + used, n - used);
    const bool fits = rest <= MOST_DIAGONAL && cells * rest <= MOST_BOXES;
    for (; used < n; used++) {
        if (!fits) list[used].block = list[used].k;
        add_dimension(&grid->axes[fits ? Z : MERGED], list[used]);
    }
}

/* Where block I of N stands in a folded ring: 0, n-1, 1, n-2, … */
static uint32_t fold(uint32_t i, uint32_t n)
{
    return 2 * i < n ? 2 * i : 2 * (n - 1 - i) + 1;
}

static uint32_t position(const struct axis *axis, uint32_t index)
{
    uint32_t at = 0, stride = 1;
    for (uint32_t d = 0; d < axis->n; d++) {
        const struct dimension *dimension = &axis->dimensions[d];
        const uint32_t blocks = blocks_of(dimension), i = index / dimension->stride % dimension->k / dimension->block;
        at += stride * (dimension->folded && blocks > 2 ? fold(i, blocks) : i);
        stride *= blocks;
    }
    return at;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Along a side, lines to the next box are straight; those that pass others bend around them, every second one to the
 * other side. */
static double bend(const struct cw_layout_plan *plan, const struct cw_layout_line *line)
{
    const struct cw_layout_spot *a = &plan->spots[line->a], *b = &plan->spots[line->b];
    const struct cw_layout_box *box = &plan->out->boxes[line->a];
    if (a->x == CW_NONE || b->x == CW_NONE) return 0;
    const bool along_x = a->x != b->x && a->y == b->y && a->z == b->z;
    const bool along_y = a->y != b->y && a->x == b->x && a->z == b->z;
    const uint32_t from = along_x ? a->x : along_y ? a->y : a->z, to = along_x ? b->x : along_y ? b->y : b->z;
    const uint32_t span = from < to ? to - from : from - to;
    if (span < 2) return 0;
    const double around = (along_x ? box->height : along_y ? box->width : box->height * 1.5) / 2 + 4;
    const double further = (span - 2.0) * GAP_OF_LINE;
    return ((from < to ? from : to) % 2 == 0 ? 1 : -1) * (around + further);
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

static int seat_switches(struct cw_layout_plan *plan, const struct grid *grid)
{
    const struct cw_network *net = plan->net;
    const uint32_t nx = grid->axes[X].size, ny = grid->axes[Y].size, nz = grid->axes[Z].size;
    const double width = 84, height = nz > 1 ? 20 : 32;
    const double room_x = GAP + (grid->all_to_all ? ny * 2.0 * GAP_OF_LINE : 0); /* for lines of columns */
    const double room_y = GAP + (grid->all_to_all ? nx * 2.0 * GAP_OF_LINE : 0);
    const double pitch_x = nz * (width + APART) + room_x, pitch_y = nz * (height + APART) + room_y;
    uint32_t *box_at = cw_new_array((size_t)nx * ny * nz, sizeof *box_at, "a grid"); /* number + 1 */
    int rc = box_at ? 0 : CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++) {
        const uint32_t index = cw_layout_plan_index(plan, v);
        const struct cw_layout_spot spot = {position(&grid->axes[X], index), position(&grid->axes[Y], index),
                                            position(&grid->axes[Z], index)};
        uint32_t *here = &box_at[((size_t)spot.z * ny + spot.y) * nx + spot.x];
        if (*here == 0) {
            rc = cw_layout_plan_box(plan,
                                    (struct cw_layout_box){.x = spot.x * pitch_x + spot.z * (width + APART),
                                                           .y = spot.y * pitch_y + spot.z * (height + APART),
                                                           .width = width,
                                                           .height = height},
                                    spot);
            *here = (uint32_t)plan->out->n_boxes;
        }
        if (!rc) cw_layout_plan_seat(plan, v, *here - 1);
    }
    free(box_at);
    return rc;
}

static void say_merged(struct cw_layout_plan *plan, const struct grid *grid)
{
    uint32_t switches = 1;
    for (int a = 0; a < AXES; a++)
        for (uint32_t d = 0; d < grid->axes[a].n; d++) switches *= grid->axes[a].dimensions[d].block;
    if (switches > 1)
        cw_text_printf(&plan->out->merged, "A box is up to %u switches that are neighbours in the grid. ", switches);
}

int cw_layout_plan_grid(struct cw_layout_plan *plan)
{
    struct grid grid = {.all_to_all = false};
    choose_axes(plan->shape, &grid);
    plan->bend = bend;
    const int rc = seat_switches(plan, &grid);
    if (!rc) say_merged(plan, &grid);
    return rc;
}
