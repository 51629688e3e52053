/* What OpenSM's torus-2QoS demands of a torus from which something is missing. */
#include "base/error.h"
#include "route/engines/opensm/torus/torus_lattice.h"

/* --- switches ----------------------------------------------------------------------------------------------------- */

/* Several may be missing, in one line along z, and with a gap: a turn around one is safe, around two others it is not.
 */
static int check_switches(struct cw_lattice *lattice)
{
    const uint32_t column = lattice->stride[2], missing = lattice->n_cells - lattice->n_placed;
    uint32_t first = CW_NONE;
    char one[CW_LATTICE_NAME_SIZE], other[CW_LATTICE_NAME_SIZE];
    for (uint32_t cell = 0; cell < lattice->n_cells; cell++) {
        if (lattice->vertex[cell] != CW_NONE) continue;
        const bool alone = lattice->vertex[cw_lattice_step(lattice, cell, 2, -1)] != CW_NONE &&
                           lattice->vertex[cw_lattice_step(lattice, cell, 2, 1)] != CW_NONE;
        if (first == CW_NONE) first = cell;
        if (missing > 1 && (alone || cell % column != first % column))
            return cw_lattice_refuse(
                lattice,
                "%u of its %u switches are not found, at %s and %s among others; expected all but one, "
                "or neighbours along z",
                missing, lattice->n_cells, cw_lattice_name(lattice, first, one),
                cw_lattice_name(lattice, cell == first ? cw_lattice_step(lattice, cell, 2, 1) : cell, other));
    }
    return 0;
}

/* --- rings -------------------------------------------------------------------------------------------------------- */

/* A ring may be broken at one place, be it that a switch is missing, that a cable is, or that it is a line. */
static int check_ring(struct cw_lattice *lattice, uint32_t start, uint32_t d)
{
    uint32_t ends[2] = {0, 0};
    char name[CW_LATTICE_NAME_SIZE];
    for (uint32_t i = 0, cell = start; i < lattice->size[d]; i++, cell = cw_lattice_step(lattice, cell, d, 1))
        for (uint32_t sign = 0; sign < 2 && lattice->vertex[cell] != CW_NONE; sign++)
            ends[sign] += cw_lattice_group(lattice, cell, 2 * d + sign)->n == 0;
    if (ends[0] == ends[1] && ends[0] <= 1) return 0;
    return cw_lattice_refuse(lattice, "the %s along %c through %s is broken in %u pieces, expected one", //
                             lattice->mesh[d] ? "line" : "ring", "xyz"[d], cw_lattice_name(lattice, start, name),
                             ends[0] > ends[1] ? ends[0] : ends[1]);
}

static int check_rings(struct cw_lattice *lattice)
{
    int rc = 0;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        for (uint32_t cell = 0; cell < lattice->n_cells && rc == 0; cell++)
            if (cw_lattice_coordinate(lattice, cell, d) == 0) rc = check_ring(lattice, cell, d);
    return rc;
}

/* --- the root of multicast trees ---------------------------------------------------------------------------------- */

static uint32_t cell_at(const struct cw_lattice *lattice, uint32_t x, uint32_t y, uint32_t z)
{
    return x + y * lattice->stride[1] + z * lattice->stride[2];
}

/* No switch is missing in the rings along x and y through (x, y). */
static bool are_whole(const struct cw_lattice *lattice, uint32_t x, uint32_t y, uint32_t z)
{
    bool whole = true;
    for (uint32_t i = 0; i < lattice->size[0]; i++)
        whole = whole && lattice->vertex[cell_at(lattice, i, y, z)] != CW_NONE;
    for (uint32_t i = 0; i < lattice->size[1]; i++)
        whole = whole && lattice->vertex[cell_at(lattice, x, i, z)] != CW_NONE;
    return whole;
}

/* A root in the plane: looked for from the middle outwards, on one diagonal. */
static bool has_root(const struct cw_lattice *lattice, uint32_t z)
{
    const uint32_t kx = lattice->size[0], ky = lattice->size[1], x = kx / 2, y = ky / 2;
    bool found = are_whole(lattice, x, y, z);
    for (uint32_t i = 1; i <= x && i <= y && !found; i++)
        found = are_whole(lattice, x - i, y - i, z) || are_whole(lattice, (x + i) % kx, (y + i) % ky, z);
    return found;
}

/* A plane without a gap has a root. If all have gaps, they are the same in all, or there are too many. */
static int check_root(struct cw_lattice *lattice)
{
    for (uint32_t z = 0; z < lattice->size[2]; z++) {
        bool whole = true;
        for (uint32_t i = 0; i < lattice->stride[2]; i++)
            whole = whole && lattice->vertex[cell_at(lattice, i, 0, z)] != CW_NONE;
        if (whole) return 0;
    }
    if (has_root(lattice, lattice->size[2] / 2)) return 0;
    return cw_lattice_refuse(lattice,
                             "it finds no root of multicast trees: no switch on the diagonal through the middle of "
                             "x and y has its rings along both whole");
}

int cw_lattice_check(struct cw_lattice *lattice)
{
    int rc = check_switches(lattice);
    if (rc == 0) rc = check_rings(lattice);
    return rc == 0 ? check_root(lattice) : rc;
}
