#include "topo/squares.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

static const char what[] = "recognition of a torus";

void cw_grid_free(struct cw_grid *grid)
{
    free(grid->first);
    free(grid->to);
    free(grid->joint);
    free(grid->cables);
}

/* --- joints ------------------------------------------------------------------------------------------------------- */

/* The different switches next to switch S, ascending, into OUT; their number. */
static uint32_t neighbours(const struct cw_network *net, uint32_t s, uint32_t *out)
{
    const uint32_t v = net->n_endpoints + s;
    uint32_t n = 0, different = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (!cw_network_is_endpoint(net, net->head[c])) out[n++] = net->head[c] - net->n_endpoints;
    cw_sort_numbers(out, n);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1]) out[different++] = out[i];
    return different;
}

uint32_t cw_grid_index(const struct cw_grid *grid, uint32_t s, uint32_t to)
{
    uint32_t i = grid->first[s];
    while (grid->to[i] != to) i++;
    return i;
}

static void number_joints(struct cw_grid *grid)
{
    const struct cw_network *net = grid->net;
    for (uint32_t s = 0; s < grid->n; s++)
        for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++) {
            const uint32_t t = grid->to[i];
            grid->joint[i] = t < s ? grid->joint[cw_grid_index(grid, t, s)] : grid->n_joints++;
        }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints || net->tail[c] > net->head[c]) continue;
        const uint32_t s = net->tail[c] - net->n_endpoints, t = net->head[c] - net->n_endpoints;
        uint8_t *cables = &grid->cables[grid->joint[cw_grid_index(grid, s, t)]];
        if (*cables < UINT8_MAX) (*cables)++;
    }
}

static int find_joints(struct cw_grid *grid, bool *good)
{
    const struct cw_network *net = grid->net;
    grid->n = cw_network_switches(net);
    grid->first = cw_new_array((size_t)grid->n + 1, sizeof *grid->first, what);
    grid->to = cw_new_array(net->n_channels, sizeof *grid->to, what);
    grid->joint = cw_new_array(net->n_channels, sizeof *grid->joint, what);
    grid->cables = cw_new_array(net->n_channels, sizeof *grid->cables, what);
    if (!grid->first || !grid->to || !grid->joint || !grid->cables) return CW_ENOMEM;
    for (uint32_t s = 0; s < grid->n && *good; s++) {
        const uint32_t degree = neighbours(net, s, grid->to + grid->first[s]);
        grid->first[s + 1] = grid->first[s] + degree;
        *good = degree <= CW_GRID_DEGREE;
    }
    if (*good) number_joints(grid);
    return 0;
}

/* --- squares ------------------------------------------------------------------------------------------------------ */

bool cw_look_around(const struct cw_grid *grid, uint32_t s, struct cw_around *around)
{
    bool good = true;
    around->n = 0;
    for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++) {
        const uint32_t a = grid->to[i];
        for (uint32_t j = grid->first[a]; j < grid->first[a + 1]; j++) {
            const uint32_t u = grid->to[j];
            if (u == s) continue;
            if (around->mark[u] == 0) {
                around->far[around->n] = u;
                around->via[around->n][0] = i;
                around->via[around->n][1] = CW_NONE;
                around->mark[u] = ++around->n;
            } else if (around->via[around->mark[u] - 1][1] == CW_NONE) {
                around->via[around->mark[u] - 1][1] = i;
            } else {
                good = false;
            }
        }
    }
    for (uint32_t k = 0; k < around->n; k++) around->mark[around->far[k]] = 0;
    return good;
}

int cw_grid_new(const struct cw_network *net, struct cw_grid *grid, bool *good)
{
    *grid = (struct cw_grid){.net = net};
    *good = true;
    return find_joints(grid, good);
}
