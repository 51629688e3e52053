/*
 * Where the parts of a network stand in a picture of it: boxes, and lines between them.
 *
 * The shape decides the form. Trees, and maps whose switches have levels, stand in rows: endpoints below, then each
 * level above the one before; of a rail cluster the leaves of a rail stand together. Tori, meshes, hypercubes and
 * HyperX are a grid, further dimensions along the diagonal of each cell; rings are folded, so that neighbours are two
 * cells apart at most. Groups (dragonfly, Megafly, Slim Fly) are a ring. All else is drawn by forces.
 *
 * A large network is put together until it can be looked at: endpoints of one switch are one box; then switches that
 * look alike (the same cables to the next level), blocks of the grid, whole groups, or switches with the most cables
 * between them. Parallel cables are one line. Which of these was done is said in `merged`.
 *
 * Every vertex is in exactly one box; every cable between two boxes is in exactly one line. No two boxes overlap. The
 * same network gives the same layout.
 */
#ifndef CW_TOPO_LAYOUT_H
#define CW_TOPO_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

enum cw_layout_form {
    CW_LAYOUT_LEVELS, /* rows */
    CW_LAYOUT_PLANES, /* rows, with the switches of a rail side by side */
    CW_LAYOUT_GRID,
    CW_LAYOUT_RING,
    CW_LAYOUT_FORCES
};

/* Lengths are in pixels, x to the right and y downwards. */
struct cw_layout_box {
    double x, y, width, height; /* x and y of its middle */
    uint32_t first;             /* its vertices are vertices[first …], ascending */
    uint32_t endpoints, switches;
    uint32_t level; /* row from below, 0: endpoints; 0 in other forms */
};

struct cw_layout_line {
    uint32_t a, b;     /* boxes, a < b */
    uint32_t first, n; /* its cables are cables[first …], as channels from a to b, ascending */
    double bend;       /* how far its middle is off the straight line, to the left of who goes from a to b */
};

/* What stands beside boxes: a panel behind some of them, or, of no size, a word. */
struct cw_layout_panel {
    double x, y, width, height; /* x and y of its middle */
    char label[32];
};

struct cw_layout {
    enum cw_layout_form form;
    double width, height; /* all is within 0 … these */
    struct cw_layout_box *boxes;
    struct cw_layout_line *lines;
    struct cw_layout_panel *panels;
    size_t n_boxes, n_lines, n_panels;
    uint32_t *box_of;      /* [n_vertices] */
    uint32_t *vertices;    /* [n_vertices] by box */
    uint32_t *cables;      /* of all lines */
    struct cw_text merged; /* what was put together, in sentences; empty: nothing */
};

/* The layout of NET, for the caller. O(channels · log channels), and some million steps for the forces. */
int cw_layout_new(const struct cw_network *net, struct cw_layout **out);
void cw_layout_free(struct cw_layout *layout);

CW_END_DECLS

#endif
