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

int cw_rings_new(const struct cw_lattice *lattice, struct cw_rings *rings)
{
    *rings = (struct cw_rings){.lattice = lattice};
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        const uint32_t k = lattice->size[d];
        rings->way[d] = cw_new_array((size_t)lattice->n_cells * k, 1, "ways round rings");
        rings->ideal[d] = cw_new_array((size_t)k * k, 1, "ways round rings");
        rings->wraps[d] = cw_new_array((size_t)k * k, sizeof(bool), "ways round rings");
        if (!rings->way[d] || !rings->ideal[d] || !rings->wraps[d]) return CW_ENOMEM;
        find_ideal(rings, d);
        for (uint32_t cell = 0; cell < lattice->n_cells; cell++)
            if (cw_lattice_coordinate(lattice, cell, d) == 0)
                find_ways(rings, d, cell, rings->way[d] + (size_t)cw_rings_of(lattice, cell, d) * k * k);
    }
    return 0;
}

void cw_rings_free(struct cw_rings *rings)
{
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        free(rings->way[d]);
        free(rings->ideal[d]);
        free(rings->wraps[d]);
    }
    *rings = (struct cw_rings){.lattice = NULL};
}

uint32_t cw_rings_group(const struct cw_rings *rings, uint32_t from, uint32_t to)
{
    const struct cw_lattice *lattice = rings->lattice;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        const uint32_t k = lattice->size[d], a = cw_lattice_coordinate(lattice, from, d),
                       b = cw_lattice_coordinate(lattice, to, d);
        if (a == b) continue;
        if (lattice->vertex[from + (b - a) * lattice->stride[d]] != CW_NONE) {
            const uint32_t sign = rings->way[d][((size_t)cw_rings_of(lattice, from, d) * k + b) * k + a];
            if (sign != CW_RING_NO_WAY) return 2 * d + sign;
        } else if (d + 1 < CW_LATTICE_DIMENSIONS) {
            const uint32_t group = 2 * d + rings->ideal[d][b * k + a];
            if (cw_lattice_group(lattice, from, group)->n > 0) return group;
        }
    }
    return CW_LATTICE_GROUPS;
}

uint32_t cw_rings_level(const struct cw_rings *rings, uint32_t from, uint32_t to)
{
    const struct cw_lattice *lattice = rings->lattice;
    uint32_t level = 0;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        const uint32_t a = cw_lattice_coordinate(lattice, from, d), b = cw_lattice_coordinate(lattice, to, d);
        level |= (uint32_t)rings->wraps[d][b * lattice->size[d] + a] << d;
    }
    return level;
}
