/*
 * What the parts of the recognition of tori share: recognise_torus.c says how it goes. Not installed.
 */
#ifndef CW_TOPO_RECOGNISE_TORUS_H
#define CW_TOPO_RECOGNISE_TORUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/*
 * The squares of a network of switches. In a torus or mesh, two cables of a switch in different dimensions are sides of
 * one square, and no other square has both.
 */

#define CW_GRID_DEGREE 62 /* neighbours at most: 31 dimensions */

/* The switches of a network, numbered from 0, and their joints: pairs joined by one cable or more. */
struct cw_grid {
    const struct cw_network *net;
    uint32_t n;      /* switches */
    uint32_t *first; /* [n + 1] */
    uint32_t *to;    /* neighbours, each once, ascending */
    uint32_t *joint; /* of each neighbour: the same number at both */
    uint32_t n_joints;
    uint8_t *cables; /* [n_joints] */
};

/* *GOOD is false if a switch has too many neighbours for a torus. O(cables · log degree). 0 or CW_ENOMEM. Free with
 * cw_grid_free in any case. */
int cw_grid_new(const struct cw_network *net, struct cw_grid *grid, bool *good);
void cw_grid_free(struct cw_grid *grid);

/* What is two joints away from a switch. */
struct cw_around {
    uint32_t *mark; /* [switches] zero in between; owned by the caller */
    uint32_t n;
    uint32_t far[CW_GRID_DEGREE * CW_GRID_DEGREE];
    uint32_t via[CW_GRID_DEGREE * CW_GRID_DEGREE][2]; /* indices in `to` of the neighbours between; the second may be
                                                         CW_NONE, else it is a square */
};

/* The index in `to` of the neighbour TO of switch S, which it has. */
uint32_t cw_grid_index(const struct cw_grid *grid, uint32_t s, uint32_t to);

#define CW_NO_LABEL UINT8_MAX

/* A direction and its opposite, or one that is its own. Directions of axis x are 2x and 2x + 1, or only 2x. */
struct cw_axis {
    bool both;
    uint32_t k; /* size, once it is known */
    bool ring, doubled;
    uint32_t port[2]; /* of every cable, if both is false: the lower first; 0: they differ */
};

/* A dimension is an axis, or two of size 2 that make a ring of four. */
struct cw_dimension {
    uint32_t k, axis, other; /* other: CW_NONE, or the second of a ring of four */
    uint64_t up, down;       /* sums of the port numbers at the lower and at the upper ends of its cables */
    uint64_t cables;
};

struct cw_torus_search {
    struct cw_grid grid;
    struct cw_around *around;
    uint8_t *label; /* of each neighbour, as `grid.to`: the direction that leads there */
    uint8_t *waiting, *seen;
    uint8_t *taken;  /* [2 · switches]: places */
    uint32_t *queue; /* [switches]: a ring buffer of those whose labels are new */
    int32_t *at;     /* [switches · n_axes], later [switches · n]: coordinates */
    uint32_t n_axes, n;
    struct cw_axis axis[CW_GRID_DEGREE];
    struct cw_dimension dimension[CW_GRID_DEGREE];
};

/* Labels the joints from switch START on, carried across squares; false if they contradict one another, or the
 * neighbours of START are not in squares as a torus has them. O(switches · degree²). */
bool cw_label_joints(struct cw_torus_search *torus, uint32_t start);

CW_END_DECLS

#endif
