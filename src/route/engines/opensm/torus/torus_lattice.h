/*
 * A torus as OpenSM's engine torus-2QoS sees it: which switch stands at which coordinates, and which of its cables lead
 * which way. Not installed.
 *
 * The file torus-2QoS.conf gives the sizes of three dimensions, x, y and z (one that is not there has size 1), and a
 * seed: a switch and some of its neighbours, by direction. From there the others are found square by square, for a
 * fourth switch at the corner of a square is known by its neighbours, and a switch straight on is the one that makes
 * squares with all arms of a corner. A cell is a place of the lattice, x + size_x · (y + size_y · z). All cables
 * between two cells are a group: 2d towards lower, 2d + 1 towards higher coordinates of dimension d.
 *
 * Rules found in the manual pages torus-2QoS(8) and torus-2QoS.conf(5), in OpenSM's public source and by experiments
 * with OpenSM 3.3.23 under ibsim; tests/oracle/live_torus.py repeats them.
 */
#ifndef CW_ROUTE_TORUS_LATTICE_H
#define CW_ROUTE_TORUS_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

#define CW_LATTICE_DIMENSIONS 3
#define CW_LATTICE_GROUPS     (2 * CW_LATTICE_DIMENSIONS)
#define CW_LATTICE_PORTS      256u

/* A neighbour in one direction, as a file says it. CW_NONE: a switch that the network does not have. */
struct cw_lattice_link {
    bool given;
    uint32_t from, to;
};

struct cw_lattice_seed {
    struct cw_lattice_link link[CW_LATTICE_GROUPS]; /* by group */
    int32_t dateline[CW_LATTICE_DIMENSIONS];        /* where coordinate 0 is, seen from the seed's switch */
};

struct cw_lattice_config {
    uint32_t size[CW_LATTICE_DIMENSIONS]; /* 0: not given */
    bool mesh[CW_LATTICE_DIMENSIONS];     /* its lines are no rings; always where the size is 2 */
    uint32_t most_ports;                  /* of a group, and of endpoints with the switch's own port 0 */
    uint8_t order[CW_LATTICE_PORTS];      /* in which ports with endpoints are taken: every number once */
    uint32_t highest_port;                /* that is named in it; 0: none */
    struct cw_lattice_seed *seeds;        /* [n_seeds] */
    uint32_t n_seeds;
};

/* What FILE, a torus-2QoS.conf, says of NET; switches are GUIDs, or names. CW_EPARSE with file and line. */
int cw_lattice_config_read(const struct cw_network *net, const char *file, struct cw_lattice_config *config);
/* The same for the shape of NET, one torus or mesh of at most three dimensions (cw_network_regular_shape): the seed is
 * the first switch whose neighbours are there. */
int cw_lattice_config_of_shape(const struct cw_network *net, struct cw_lattice_config *config);
void cw_lattice_config_free(struct cw_lattice_config *config);

struct cw_lattice_group {
    uint32_t first, n; /* in `channels` */
};

struct cw_lattice {
    const struct cw_network *net;
    uint32_t size[CW_LATTICE_DIMENSIONS], stride[CW_LATTICE_DIMENSIONS], n_cells;
    bool mesh[CW_LATTICE_DIMENSIONS];
    uint32_t *vertex;               /* [n_cells] who stands there, or CW_NONE */
    uint32_t *cell;                 /* [switches] where it stands, or CW_NONE */
    uint32_t *placed, n_placed;     /* cells in the order in which they were found */
    struct cw_lattice_group *group; /* [n_cells · CW_LATTICE_GROUPS] */
    struct cw_lattice_group *hosts; /* [n_cells] channels to endpoints, in the order in which they are taken */
    uint32_t *channels;             /* [n_channels] */
    uint8_t *direction; /* [n_channels] the group, or CW_LATTICE_GROUPS: to an endpoint, or to nowhere in it */
    uint32_t left_out;  /* endpoints at no switch that stands in it */
    char why[512];      /* why it is refused, once it is */
};

/* Finds the places of NET. CW_EUSAGE where OpenSM refuses: LATTICE->why says why, no message is set; CW_ENOMEM. Free
 * LATTICE in any case. O(channels · degree) and more where much is missing. */
int cw_lattice_new(const struct cw_network *net, const struct cw_lattice_config *config, struct cw_lattice *lattice);
void cw_lattice_free(struct cw_lattice *lattice);

/* CW_EUSAGE, with LATTICE->why, if so much is missing that OpenSM refuses. */
int cw_lattice_check(struct cw_lattice *lattice);

static inline uint32_t cw_lattice_coordinate(const struct cw_lattice *lattice, uint32_t cell, uint32_t d)
{
    return cell / lattice->stride[d] % lattice->size[d];
}

/* The cell STEP away in dimension D, round the ring. */
static inline uint32_t cw_lattice_step(const struct cw_lattice *lattice, uint32_t cell, uint32_t d, int32_t step)
{
    const uint32_t x = cw_lattice_coordinate(lattice, cell, d), k = lattice->size[d];
    return cell + ((uint32_t)((int32_t)x + (int32_t)k + step) % k - x) * lattice->stride[d];
}

static inline const struct cw_lattice_group *cw_lattice_group(const struct cw_lattice *lattice, uint32_t cell,
                                                              uint32_t group)
{
    return &lattice->group[(size_t)cell * CW_LATTICE_GROUPS + group];
}

/* LATTICE->why becomes this; CW_EUSAGE. */
int cw_lattice_refuse(struct cw_lattice *lattice, const char *format, ...) CW_PRINTF(2, 3);

/* "(1,0,2)", in NAME, of CW_LATTICE_NAME_SIZE bytes. */
#define CW_LATTICE_NAME_SIZE 40
const char *cw_lattice_name(const struct cw_lattice *lattice, uint32_t cell, char *name);

/* A lattice under construction: what the search for the places of switches knows so far. */
struct cw_lattice_search {
    struct cw_lattice *lattice;
    const struct cw_lattice_config *config;
    bool *linked;     /* [n_channels] in a group */
    uint32_t *filled; /* [switches] entries of `channels` that are taken */
    bool linking;     /* a cable was entered since the last look */
    uint32_t twice;   /* a switch that would stand at a second place, or CW_NONE */
};

/* Enters the cables between a cell and the next in dimension D, in the order of the ports of the former. False if there
 * are more than a group may have. */
bool cw_lattice_link(struct cw_lattice_search *search, uint32_t cell, uint32_t d);

/* Puts V to CELL unless somebody stands there. False if V is CW_NONE or stands elsewhere. */
bool cw_lattice_place(struct cw_lattice_search *search, uint32_t cell, uint32_t v);

/* Places what can be placed in the cube of up to eight cells that begins at CELL, and enters its cables. */
void cw_lattice_look(struct cw_lattice_search *search, uint32_t cell);

CW_END_DECLS

#endif
