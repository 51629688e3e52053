/* Where the next switch stands: what squares of cables tell, cube by cube, in the order in which OpenSM looks. */
#include "net/network_internal.h"
#include "route/engines/opensm/torus/torus_lattice.h"

#define ALL_CORNERS 8u

/* --- squares ------------------------------------------------------------------------------------------------------ */

/* A switch next to A and to C by cables that are in no group, but not B; CW_NONE if there is none. */
static uint32_t fourth_corner(const struct cw_lattice_search *search, uint32_t a, uint32_t b, uint32_t c)
{
    const struct cw_network *net = search->lattice->net;
    if (a == CW_NONE || b == CW_NONE || c == CW_NONE) return CW_NONE;
    for (uint32_t i = net->first[a]; i < net->first[a + 1]; i++) {
        const uint32_t v = net->head[i];
        if (search->linked[i] || cw_network_is_endpoint(net, v) || v == b) continue;
        for (uint32_t j = net->first[v]; j < net->first[v + 1]; j++)
            if (net->head[j] == c && !search->linked[j]) return v;
    }
    return CW_NONE;
}

/* A neighbour of V, but not BEHIND, that makes a square with V and each of the N arms. */
static uint32_t straight_on(const struct cw_lattice_search *search, uint32_t v, uint32_t behind, const uint32_t *arms,
                            uint32_t n)
{
    const struct cw_network *net = search->lattice->net;
    if (v == CW_NONE || behind == CW_NONE) return CW_NONE;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
        const uint32_t w = net->head[i];
        if (search->linked[i] || cw_network_is_endpoint(net, w) || w == behind) continue;
        uint32_t squares = 0;
        while (squares < n && fourth_corner(search, arms[squares], v, w) != CW_NONE) squares++;
        if (squares == n) return w;
    }
    return CW_NONE;
}

/* A ring of four is itself a square. It cannot be mistaken for one once two of its cables are in a group; so enters
 * all that can be. False if that is too early. */
static bool ring_is_known(struct cw_lattice_search *search, uint32_t cell, uint32_t d)
{
    const struct cw_lattice *lattice = search->lattice;
    uint32_t others = 0;
    bool known = true;
    if (lattice->size[d] != 4 || lattice->mesh[d]) return true;
    for (int32_t step = 1; step < 4; step++)
        others += lattice->vertex[cw_lattice_step(lattice, cell, d, step)] != CW_NONE;
    for (int32_t step = 0; step < 4 && others >= 2; step++)
        known = cw_lattice_link(search, cw_lattice_step(lattice, cell, d, step), d) && known;
    return others >= 2 && known;
}

/* --- cubes of up to eight cells ----------------------------------------------------------------------------------- */

/* Corner c of the cube at a cell is one further in each dimension whose bit is in c. `corners`: those that are cells of
 * their own; `absent`: those of them where nobody stands yet. */
struct cube {
    uint32_t cell[ALL_CORNERS];
    uint32_t corners, absent;
    uint32_t axes[CW_LATTICE_DIMENSIONS], n_axes; /* bits of the dimensions that are there */
};

static uint32_t count(uint32_t set)
{
    return (uint32_t)__builtin_popcount(set);
}

static uint32_t dimension_of(uint32_t bit)
{
    return (uint32_t)__builtin_ctz(bit);
}

/* Corners that have BIT, or have it not, as CORNER does. */
static uint32_t face_of(uint32_t bit, uint32_t corner)
{
    static const uint32_t with[] = {0, 0xaa, 0xcc, 0, 0xf0};
    return corner & bit ? with[bit] : ~with[bit] & 0xff;
}

static bool is_absent(const struct cube *cube, uint32_t corner)
{
    return cube->absent >> corner & 1;
}

static uint32_t vertex_of(const struct cw_lattice_search *search, const struct cube *cube, uint32_t corner)
{
    return search->lattice->vertex[cube->cell[corner]];
}

/* The fourth corner of a square: the one beyond A and B, two axes. */
static bool close_square(struct cw_lattice_search *search, const struct cube *cube, uint32_t corner, uint32_t a,
                         uint32_t b)
{
    return cw_lattice_place(search, cube->cell[corner],
                            fourth_corner(search, vertex_of(search, cube, corner ^ a),
                                          vertex_of(search, cube, corner ^ a ^ b),
                                          vertex_of(search, cube, corner ^ b)));
}

/* A corner that is straight on along AXIS from its neighbour there, whose other neighbours are the arms. */
static bool go_straight(struct cw_lattice_search *search, const struct cube *cube, uint32_t corner, uint32_t axis)
{
    const struct cw_lattice *lattice = search->lattice;
    const uint32_t from = corner ^ axis, cell = cube->cell[from];
    uint32_t arms[CW_LATTICE_DIMENSIONS], n = 0;
    bool known = true;
    for (uint32_t i = 0; i < cube->n_axes; i++) {
        if (cube->axes[i] == axis) continue;
        known = known && ring_is_known(search, cell, dimension_of(cube->axes[i]));
        arms[n++] = vertex_of(search, cube, from ^ cube->axes[i]);
    }
    if (!known) return false;
    const uint32_t behind = lattice->vertex[cw_lattice_step(lattice, cell, dimension_of(axis), corner & axis ? -1 : 1)];
    return cw_lattice_place(search, cube->cell[corner], straight_on(search, lattice->vertex[cell], behind, arms, n));
}

/* In two dimensions: two absent corners are straight on from the others, one closes the square. */
static bool place_in_square(struct cw_lattice_search *search, const struct cube *cube)
{
    const uint32_t a = cube->axes[0], b = cube->axes[1], present = cube->corners & ~cube->absent;
    if (count(present) == 3) return close_square(search, cube, dimension_of(cube->absent), a, b);
    if (count(present) != 2) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t axis = cube->axes[i];
        if ((cube->absent & face_of(axis, 0)) != 0 && (cube->absent & face_of(axis, axis)) != 0) continue;
        for (uint32_t corner = 0; corner < ALL_CORNERS; corner++)
            if (is_absent(cube, corner) && go_straight(search, cube, corner, axis)) return true;
    }
    return false;
}

/* Three corners present, two of them neighbours of the third: what is straight on from that one. */
static bool place_from_three(struct cw_lattice_search *search, const struct cube *cube)
{
    for (uint32_t corner = 0; corner < ALL_CORNERS; corner++)
        for (uint32_t i = 0; i < CW_LATTICE_DIMENSIONS && !is_absent(cube, corner); i++) {
            const uint32_t axis = cube->axes[i], a = cube->axes[(i + 1) % 3], b = cube->axes[(i + 2) % 3];
            if (!is_absent(cube, corner ^ a) && !is_absent(cube, corner ^ b))
                return go_straight(search, cube, corner ^ axis, axis);
        }
    return false;
}

/* Four: a face, from which all others are straight on; or a corner with its neighbours, in pairs two sides of squares.
 */
static bool place_from_four(struct cw_lattice_search *search, const struct cube *cube)
{
    for (uint32_t i = 0; i < CW_LATTICE_DIMENSIONS; i++) {
        const uint32_t axis = cube->axes[i];
        if (cube->absent != face_of(axis, 0) && cube->absent != face_of(axis, axis)) continue;
        for (uint32_t corner = ALL_CORNERS; corner-- > 0;)
            if (is_absent(cube, corner) && go_straight(search, cube, corner, axis)) return true;
        return false;
    }
    for (uint32_t corner = 0; corner < ALL_CORNERS; corner++) {
        if (is_absent(cube, corner) || is_absent(cube, corner ^ 1) || is_absent(cube, corner ^ 2) ||
            is_absent(cube, corner ^ 4))
            continue;
        for (uint32_t i = CW_LATTICE_DIMENSIONS; i-- > 0;) {
            const uint32_t a = cube->axes[(i + 1) % 3], b = cube->axes[(i + 2) % 3];
            if (close_square(search, cube, corner ^ a ^ b, a, b)) return true;
        }
        return false;
    }
    return false;
}

/* Five: all but one corner of a face are absent; those beside that one close squares with the face opposite. */
static bool place_from_five(struct cw_lattice_search *search, const struct cube *cube)
{
    for (uint32_t corner = 0; corner < ALL_CORNERS; corner++)
        for (uint32_t i = 0; i < CW_LATTICE_DIMENSIONS && !is_absent(cube, corner); i++) {
            const uint32_t axis = cube->axes[i], face = face_of(axis, corner);
            if (cube->absent != (face & ~(1u << corner))) continue;
            for (uint32_t other = 0; other < ALL_CORNERS; other++)
                if (is_absent(cube, other) && count(other ^ corner) == 1 &&
                    close_square(search, cube, other, axis, other ^ corner))
                    return true;
            return false;
        }
    return false;
}

/* Six: two neighbours are absent, each closes the square across their edge. */
static bool place_from_six(struct cw_lattice_search *search, const struct cube *cube)
{
    const uint32_t low = dimension_of(cube->absent), high = dimension_of(cube->absent & (cube->absent - 1));
    const uint32_t edge = low ^ high;
    if (count(edge) != 1) return false;
    const uint32_t a = edge == 1 ? 2 : 1, b = edge == 4 ? 2 : 4;
    return close_square(search, cube, low, a, b) || close_square(search, cube, high, a, b);
}

/* Seven: of the three squares of the last corner OpenSM looks at one, that of a right angle to this axis. */
static bool place_from_seven(struct cw_lattice_search *search, const struct cube *cube)
{
    static const uint8_t axes[ALL_CORNERS] = {4, 2, 1, 4, 2, 2, 1, 4};
    const uint32_t corner = dimension_of(cube->absent), axis = axes[corner];
    return close_square(search, cube, corner, axis == 1 ? 2 : 1, axis == 4 ? 2 : 4);
}

static bool place_one(struct cw_lattice_search *search, const struct cube *cube)
{
    if (cube->n_axes < 2) return false;
    if (cube->n_axes == 2) return place_in_square(search, cube);
    switch (ALL_CORNERS - count(cube->absent)) {
    case 3:
        return place_from_three(search, cube);
    case 4:
        return place_from_four(search, cube);
    case 5:
        return place_from_five(search, cube);
    case 6:
        return place_from_six(search, cube);
    case 7:
        return place_from_seven(search, cube);
    default:
        return false;
    }
}

static void open_cube(const struct cw_lattice *lattice, uint32_t cell, struct cube *cube)
{
    *cube = (struct cube){.corners = 0};
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        if (lattice->size[d] > 1) cube->axes[cube->n_axes++] = 1u << d;
    for (uint32_t corner = 0; corner < ALL_CORNERS; corner++) {
        bool own = true;
        cube->cell[corner] = cell;
        for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
            if (!(corner >> d & 1)) continue;
            own = own && lattice->size[d] > 1;
            cube->cell[corner] = cw_lattice_step(lattice, cube->cell[corner], d, 1);
        }
        if (own) cube->corners |= 1u << corner;
    }
}

void cw_lattice_look(struct cw_lattice_search *search, uint32_t cell)
{
    const struct cw_lattice *lattice = search->lattice;
    struct cube cube;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        if (lattice->mesh[d] && cw_lattice_coordinate(lattice, cell, d) + 1 == lattice->size[d] && lattice->size[d] > 1)
            return;
    open_cube(lattice, cell, &cube);
    do {
        cube.absent = 0;
        for (uint32_t corner = 0; corner < ALL_CORNERS; corner++) {
            if (!(cube.corners >> corner & 1)) continue;
            if (vertex_of(search, &cube, corner) == CW_NONE) cube.absent |= 1u << corner;
            for (uint32_t i = 0; i < cube.n_axes; i++)
                if (!(corner & cube.axes[i])) cw_lattice_link(search, cube.cell[corner], dimension_of(cube.axes[i]));
        }
    } while (cube.absent && place_one(search, &cube));
}
