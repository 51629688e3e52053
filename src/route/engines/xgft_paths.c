#include "route/engines/xgft_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engines/xgft_detours.h"
#include "route/routes_internal.h"

#define NEAR_ENDPOINTS 65536

bool cw_xgft_paths_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    const struct cw_xgft *shape = &cw_network_regular_shape(net)->xgft;
    for (uint32_t l = 0; l < shape->h; l++)
        if (shape->m[l + 1] == 0 || shape->w[l + 1] == 0 || shape->up[l] < shape->w[l + 1]) return false;
    if (!net->places) return true;
    const struct cw_xgft_detours detours = cw_xgft_detours_of(net);
    return cw_xgft_all_connected(&detours);
}

static uint32_t block_stride(const struct cw_xgft_tree *tree, uint32_t l)
{
    return tree->net->first[tree->base[l] + tree->width[l]] - tree->net->first[tree->base[l]];
}

/* Checks that vertex B of block A of level L has the ports and parents that net/shape.h promises. */
static bool vertex_fits(const struct cw_xgft_tree *tree, uint32_t l, uint32_t a, uint32_t b)
{
    const struct cw_network *net = tree->net;
    const uint32_t v = tree->base[l] + a * tree->width[l] + b;
    const uint32_t down = cw_xgft_down_ports(tree, l, b), up = l < tree->shape->h ? tree->shape->up[l] : 0;
    if (cw_network_degree(net, v) != down + up) return false;
    if (up == 0) return true;
    const uint32_t m = tree->shape->m[l + 1], w = tree->shape->w[l + 1];
    for (uint32_t k = 0; k < up; k++) {
        const uint32_t q = up * (a % m) + k;
        const uint32_t parent = tree->base[l + 1] + a / m * tree->width[l + 1] + b * w + q % w;
        const uint32_t channel = net->first[v] + down + k;
        if (net->head[channel] != parent || net->twin[channel] != net->first[parent] + q / w) return false;
    }
    return true;
}

/* A shape read from a file may not be the network's. */
static int check_shape(const struct cw_xgft_tree *tree)
{
    for (uint32_t l = 0; l <= tree->shape->h; l++) {
        const uint32_t vertices = (uint32_t)cw_xgft_level_size(tree->shape, l), width = tree->width[l];
        for (uint32_t i = 0; i < vertices; i++)
            if (!vertex_fits(tree, l, i / width, i % width))
                return cw_fail(CW_EUSAGE,
                               "the network claims to be an XGFT, but the cables of vertex %u are not those of an XGFT",
                               tree->base[l] + i);
    }
    return 0;
}

/* M_l if u_0 … u_l are the same for all d with the same d mod M_l; else, and at the top, 0. */
static uint32_t modulus(const struct cw_xgft_tree *tree, uint32_t l)
{
    if (l == tree->shape->h) return 0;
    for (uint32_t j = 0; j <= l; j++)
        if (tree->block[l] % ((uint64_t)cw_xgft_scale(tree, j) * tree->shape->up[j]) != 0) return 0;
    return tree->block[l];
}

/* Which of its up ports the child with digit C takes for cable Q of the siblings. */
static uint32_t port_for(uint32_t up, uint32_t w, uint32_t c, uint32_t q)
{
    uint32_t first;
    const uint32_t n = cw_xgft_bundle(up, w, c, q % w, &first);
    return first + q / w % n * w;
}

static int new_level(const struct cw_xgft_tree *tree, uint32_t l, struct cw_xgft_level *level)
{
    static const char what[] = "routes of an XGFT";
    const uint32_t n_endpoints = tree->net->n_endpoints;
    *level = (struct cw_xgft_level){
        .block = cw_divisor_of(tree->block[l]), .modulus = modulus(tree, l), .stride = block_stride(tree, l)};
    const uint32_t n = level->modulus > 0 ? level->modulus : n_endpoints;
    level->offset = cw_new_array(n, sizeof *level->offset, what);
    if (!level->offset) return CW_ENOMEM;
    if (l == tree->shape->h) return 0;
    const uint32_t up = tree->shape->up[l], w = tree->shape->w[l + 1];
    level->children = tree->shape->m[l + 1];
    level->slots = level->children * up;
    if (up % w == 0) return 0;
    level->slot = cw_new_array(n_endpoints, sizeof *level->slot, what);
    level->port = cw_new_array((size_t)level->children * level->slots, sizeof *level->port, what);
    if (!level->slot || !level->port) return CW_ENOMEM;
    for (uint32_t c = 0; c < level->children; c++)
        for (uint32_t q = 0; q < level->slots; q++) level->port[c * level->slots + q] = port_for(up, w, c, q);
    return 0;
}

/* Enters destination D at every level: its ancestors have index b in their blocks. */
static void enter_destination(const struct cw_xgft_tree *tree, struct cw_xgft_paths *paths, uint32_t d)
{
    const struct cw_xgft *shape = tree->shape;
    const uint32_t *first = tree->net->first;
    for (uint32_t l = 0, b = 0; l < shape->h; l++) {
        struct cw_xgft_level *level = &paths->level[l], *above = level + 1;
        const uint32_t u = cw_xgft_number(tree, l, d), q = cw_xgft_cable(tree, l, d);
        const uint32_t up = first[tree->base[l] + b] + cw_xgft_down_ports(tree, l, b);
        level->offset[level->modulus > 0 ? d % level->modulus : d].up = level->slot ? up : up + u;
        if (level->slot) level->slot[d] = q;
        b = b * shape->w[l + 1] + q % shape->w[l + 1];
        above->offset[above->modulus > 0 ? d % above->modulus : d].down =
            first[tree->base[l + 1] + b] + q / shape->w[l + 1];
    }
}

/* Fills paths->near where that is possible and fits in a second cache. */
static int bring_near(struct cw_xgft_paths *paths)
{
    const uint32_t n = paths->net->n_endpoints, last = CW_XGFT_NEAR_LEVELS - 1;
    if (paths->h > CW_XGFT_NEAR_LEVELS || n > NEAR_ENDPOINTS) return 0;
    for (uint32_t l = 0; l < paths->h; l++)
        if (paths->level[l].slot) return 0;
    paths->near = aligned_alloc(sizeof *paths->near, n * sizeof *paths->near);
    if (!paths->near) return cw_fail_memory(n * sizeof *paths->near, "routes of an XGFT");
    for (uint32_t e = 0; e < n; e++) {
        struct cw_xgft_near *near = &paths->near[e];
        *near = (struct cw_xgft_near){0};
        for (uint32_t l = 0; l < paths->h; l++) {
            const struct cw_xgft_level *level = &paths->level[l], *above = level + 1;
            const uint32_t block = cw_fast_divide(e, level->block), block_above = cw_fast_divide(e, above->block);
            near->base[l] = block * level->stride;
            near->up[l] = level->offset[e - block * level->modulus].up;
            near->down[last - l] = block_above * above->stride + above->offset[e - block_above * above->modulus].down;
        }
    }
    return 0;
}

int cw_xgft_paths_new(const struct cw_network *real, struct cw_xgft_paths **out)
{
    const struct cw_network *net = real->places ? real->places->ideal : real;
    const struct cw_xgft_tree tree = cw_xgft_tree_of(net);
    int rc = check_shape(&tree);
    if (rc) return rc;
    struct cw_xgft_paths *paths = cw_new_array(1, sizeof *paths, "routes of an XGFT");
    if (!paths) return CW_ENOMEM;
    paths->net = net;
    paths->real = real;
    paths->h = tree.shape->h;
    if (real->places) paths->detours = cw_xgft_detours_of(real);
    const bool beside = real->places && real->places->beside > 0;
    paths->max_hops = beside ? 4 * paths->h : 2 * paths->h;
    paths->lanes = beside ? 2 : 1;
    for (uint32_t l = 0; l <= paths->h && rc == 0; l++) rc = new_level(&tree, l, &paths->level[l]);
    if (rc) {
        cw_xgft_paths_free(paths);
        return rc;
    }
    for (uint32_t d = 0; d < net->n_endpoints; d++) enter_destination(&tree, paths, d);
    rc = bring_near(paths);
    if (rc) {
        cw_xgft_paths_free(paths);
        return rc;
    }
    *out = paths;
    return 0;
}

void cw_xgft_paths_free(struct cw_xgft_paths *paths)
{
    if (!paths) return;
    free(paths->near);
    for (uint32_t l = 0; l <= paths->h; l++) {
        free(paths->level[l].offset);
        free(paths->level[l].slot);
        free(paths->level[l].port);
    }
    free(paths);
}

/* As cw_xgft_path, of the shape itself. */
static uint32_t own_path(const struct cw_xgft_paths *paths, uint32_t s, uint32_t d, uint32_t *channels)
{
    if (s == d) return 0;
    const uint32_t last = 2 * paths->h - 1; /* the way down is written from there backwards: most routes are longest */
    uint32_t l = 0, s_block = s, d_block = d, d_offset = d - d_block * paths->level[0].modulus;
    do {
        const struct cw_xgft_level *level = &paths->level[l], *above = level + 1;
        const uint32_t s_above = cw_fast_divide(s, above->block), d_above = cw_fast_divide(d, above->block);
        const uint32_t d_above_offset = d - d_above * above->modulus;
        uint32_t up = s_block * level->stride + level->offset[d_offset].up;
        if (level->slot) up += level->port[(s_block - s_above * level->children) * level->slots + level->slot[d]];
        channels[l] = up;
        channels[last - l] = d_above * above->stride + above->offset[d_above_offset].down;
        s_block = s_above;
        d_block = d_above;
        d_offset = d_above_offset;
        l++;
    } while (s_block != d_block);
    if (l < paths->h)
        for (uint32_t k = 0; k < l; k++) channels[l + k] = channels[last + 1 - l + k];
    return 2 * l;
}

/* Without a branch that could be guessed wrong. Writes eight channels, however long the route is. */
static inline uint32_t near_path(const struct cw_xgft_near *s, const struct cw_xgft_near *d, uint32_t *channels)
{
    uint32_t levels = 0; /* at which the blocks differ: the route turns above them */
    for (uint32_t l = 0; l < CW_XGFT_NEAR_LEVELS; l++) levels += s->base[l] != d->base[l];
    for (uint32_t l = 0; l < CW_XGFT_NEAR_LEVELS; l++) channels[l] = s->base[l] + d->up[l];
    memcpy(channels + levels, d->down + CW_XGFT_NEAR_LEVELS - levels, CW_XGFT_NEAR_LEVELS * sizeof *channels);
    return 2 * levels;
}

/* Between real endpoints, by way of their places. */
static uint32_t placed_path(const struct cw_xgft_paths *paths, uint32_t s, uint32_t d, uint32_t *channels,
                            uint8_t *lanes)
{
    const struct cw_places *places = paths->detours.places;
    uint32_t own[2 * CW_XGFT_LEVELS], n = 0, i = 0;
    const uint32_t from = places->place[s], to = places->place[d];
    if (from == CW_NONE || to == CW_NONE) return cw_xgft_detour(&paths->detours, s, d, channels, lanes);
    if (paths->near)
        n = near_path(&paths->near[from], &paths->near[to], own);
    else
        n = own_path(paths, from, to, own);
    for (; i < n && places->channel[own[i]] != CW_NONE; i++) channels[i] = places->channel[own[i]];
    if (i < n) return cw_xgft_detour(&paths->detours, s, d, channels, lanes);
    if (lanes) memset(lanes, 0, n);
    return n;
}

uint32_t cw_xgft_path(const struct cw_xgft_paths *paths, uint32_t s, uint32_t d, uint32_t *channels, uint8_t *lanes)
{
    if (paths->detours.places) return placed_path(paths, s, d, channels, lanes);
    const uint32_t n = own_path(paths, s, d, channels);
    if (lanes) memset(lanes, 0, n);
    return n;
}

int cw_xgft_batch(const struct cw_xgft_paths *paths, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                  uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const size_t ahead = CW_XGFT_NEAR_LEVELS; /* the room for so many routes is enough for eight channels */
    size_t i = 0;
    for (; paths->near && !paths->detours.places && i + ahead < n; i++) {
        hops[i] = near_path(&paths->near[src[i]], &paths->near[dst[i]], channels);
        channels += stride > 0 ? stride : hops[i];
    }
    for (; i < n; i++) {
        hops[i] = cw_xgft_path(paths, src[i], dst[i], channels, lanes);
        if (hops[i] == 0 && src[i] != dst[i]) return cw_fail_hole(paths->real, src[i], dst[i]);
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}
