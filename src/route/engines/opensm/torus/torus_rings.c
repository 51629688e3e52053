#include "route/engines/opensm/torus/torus_rings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static void find_ideal(struct cw_rings *rings, uint32_t d)
{
    const uint32_t k = rings->lattice->size[d];
    for (uint32_t to = 0; to < k; to++)
        for (uint32_t from = 0; from < k; from++) {
            const uint32_t direct = to > from ? to - from : from - to;
            const bool wraps = k - direct < direct;
            rings->wraps[d][to * k + from] = wraps;
            rings->ideal[d][to * k + from] = (uint8_t)((to > from) != wraps);
        }
}

/* Where the ring through START, of coordinate 0, leads from each of its cells: the ideal way if it is whole so far. */
static void find_ways(struct cw_rings *rings, uint32_t d, uint32_t start, uint8_t *way)
{
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t k = lattice->size[d];
    memset(way, CW_RING_NO_WAY, (size_t)k * k);
    for (uint32_t from = 0; from < k; from++)
        for (uint32_t sign = 0; sign < 2; sign++) {
            uint32_t cell = start + from * lattice->stride[d];
            for (uint32_t i = 1; i < k && cw_lattice_group(lattice, cell, 2 * d + sign)->n > 0; i++) {
                cell = cw_lattice_step(lattice, cell, d, sign ? 1 : -1);
                const size_t at = (size_t)cw_lattice_coordinate(lattice, cell, d) * k + from;
                if (way[at] == CW_RING_NO_WAY || rings->ideal[d][at] == sign) way[at] = (uint8_t)sign;
            }
        }
}

/* The number of the ring along D through CELL. */
static uint32_t ring_of(const struct cw_lattice *lattice, uint32_t cell, uint32_t d)
{
    return cell % lattice->stride[d] + cell / (lattice->stride[d] * lattice->size[d]) * lattice->stride[d];
}

static int fill_dimension(struct cw_rings *rings, uint32_t d)
{
    static const char what[] = "ways round rings";
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t k = lattice->size[d];
    rings->way[d] = cw_new_array((size_t)lattice->n_cells * k, 1, what);
    rings->ideal[d] = cw_new_array((size_t)k * k, 1, what);
    rings->wraps[d] = cw_new_array((size_t)k * k, 1, what);
    if (!rings->way[d] || !rings->ideal[d] || !rings->wraps[d]) return CW_ENOMEM;
    find_ideal(rings, d);
    for (uint32_t cell = 0; cell < lattice->n_cells; cell++) {
        struct cw_ring_place *place = &rings->place[cell];
        const uint32_t at = cw_lattice_coordinate(lattice, cell, d);
        uint8_t *table = rings->way[d] + (size_t)ring_of(lattice, cell, d) * k * k;
        if (at == 0) find_ways(rings, d, cell, table);
        place->at[d] = at;
        place->column[d] = at * k;
        place->way[d] = table + at;
    }
    return 0;
}

int cw_rings_new(const struct cw_lattice *lattice, struct cw_rings *rings)
{
    *rings = (struct cw_rings){.lattice = lattice};
    rings->place = cw_new_array(lattice->n_cells, sizeof *rings->place, "ways round rings");
    int rc = rings->place ? 0 : CW_ENOMEM;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS && rc == 0; d++) rc = fill_dimension(rings, d);
    return rc;
}

void cw_rings_free(struct cw_rings *rings)
{
    free(rings->place);
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        free(rings->way[d]);
        free(rings->ideal[d]);
        free(rings->wraps[d]);
    }
    *rings = (struct cw_rings){.lattice = NULL};
}

uint32_t cw_rings_detour(const struct cw_rings *rings, uint32_t from, uint32_t to, uint32_t d)
{
    const struct cw_lattice *lattice = rings->lattice;
    const struct cw_ring_place *a = &rings->place[from], *b = &rings->place[to];
    const uint32_t turn = from + (b->at[d] - a->at[d]) * lattice->stride[d];
    if (lattice->vertex[turn] != CW_NONE || d + 1 == CW_LATTICE_DIMENSIONS) return CW_LATTICE_GROUPS;
    const uint32_t group = 2 * d + rings->ideal[d][b->column[d] + a->at[d]];
    return cw_lattice_group(lattice, from, group)->n > 0 ? group : CW_LATTICE_GROUPS;
}

void cw_rings_levels(const struct cw_rings *rings, uint32_t from, uint8_t *level)
{
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t *column = rings->place[from].column, *k = lattice->size; /* there and back pass the same datelines */
    const uint8_t *x_wraps = rings->wraps[0] + column[0];
    for (uint32_t z = 0; z < k[2]; z++)
        for (uint32_t y = 0; y < k[1]; y++, level += k[0]) {
            const uint32_t others = (uint32_t)rings->wraps[1][column[1] + y] << 1 | //
                                    (uint32_t)rings->wraps[2][column[2] + z] << 2;
            for (uint32_t x = 0; x < k[0]; x++) level[x] = (uint8_t)(x_wraps[x] | others);
        }
}
