/*
 * Layouts in the making: what topo/layout.c shares with the files that place boxes.
 */
#ifndef CW_TOPO_LAYOUT_INTERNAL_H
#define CW_TOPO_LAYOUT_INTERNAL_H

#include "net/network_internal.h"
#include "net/places.h"
#include "topo/layout.h"

/* Where a box stands in the form: column, row and place along the diagonal of a grid; group x and place z of a ring;
 * part x of a row, or the box that endpoints are below. */
struct cw_layout_spot {
    uint32_t x, y, z;
};

struct cw_layout_plan {
    const struct cw_network *net;
    const struct cw_shape *shape; /* kind NULL: none */
    uint32_t *roles;              /* [n_vertices] */
    uint32_t levels;              /* of switches */
    struct cw_layout *out;        /* box_of is CW_NONE of who has no box yet */
    struct cw_layout_spot *spots; /* [boxes] */
    size_t boxes_capacity, spots_capacity, panels_capacity;
    double (*bend)(const struct cw_layout_plan *plan, const struct cw_layout_line *line); /* NULL: all are straight */
    double centre_x, centre_y;                                                            /* of a ring */
};

/* Box number n_boxes - 1 from now on. */
int cw_layout_plan_box(struct cw_layout_plan *plan, struct cw_layout_box box, struct cw_layout_spot spot);
int cw_layout_plan_panel(struct cw_layout_plan *plan, struct cw_layout_panel panel);

/* Puts switch V into BOX, which counts it. */
static inline void cw_layout_plan_seat(struct cw_layout_plan *plan, uint32_t v, uint32_t box)
{
    plan->out->box_of[v] = box;
    if (cw_network_is_endpoint(plan->net, v))
        plan->out->boxes[box].endpoints++;
    else
        plan->out->boxes[box].switches++;
}

/* The number among the switches of the place of V in its shape. */
static inline uint32_t cw_layout_plan_index(const struct cw_layout_plan *plan, uint32_t v)
{
    const struct cw_places *places = plan->net->places;
    return places ? places->place[v] - places->ideal->n_endpoints : v - plan->net->n_endpoints;
}

/* The first switch that endpoint V has a cable to, or CW_NONE. */
uint32_t cw_layout_plan_home(const struct cw_layout_plan *plan, uint32_t v);

/* Cables between switches. */
uint32_t cw_layout_plan_cables(const struct cw_layout_plan *plan);

/* Each makes boxes of all switches; of rows, of endpoints, too. */
int cw_layout_plan_rows(struct cw_layout_plan *plan);
int cw_layout_plan_grid(struct cw_layout_plan *plan);
int cw_layout_plan_ring(struct cw_layout_plan *plan);
int cw_layout_plan_forces(struct cw_layout_plan *plan);

#endif
