/*
 * The routes that Blue Gene/Q gives a message by default, one dimension after another. The letters are the dimensions
 * from the last to the first: A is the one with the greatest stride.
 *
 * The i-th dimension is the longest of those left; of several equally long ones the one with the i-th letter, or the
 * first if that is not among them. (So 4x4x4x16x2 is routed D, B, C, A, E. This is the order in which the programs of
 * Bui et al. reconstruct routes; taking the first throughout gives six of the runs they recorded on 2048 nodes another
 * load.) On partitions of 128 and 256 nodes B goes before an A that is as long.
 *
 * In each dimension a message goes the shorter way round. Half-way round, it leaves an even coordinate in the direction
 * of the difference of the coordinates, not crossing the edge of the ring, and an odd one in the opposite direction. In
 * a dimension of size 2 with two cables the direction decides, as in every other ring, which one is taken.
 *
 * The next channel depends on where a message is and where it goes to only, so the routes are forwarding tables in
 * closed form. Two lanes keep them free of deadlocks, as in dor.c: lane 1 from the edge of a ring on.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/routes_internal.h"

struct dimension {
    uint32_t k, stride;   /* size; nodes from a coordinate to the next */
    uint32_t plus, minus; /* indices of the ports to the next and the last coordinate */
};

struct bgq {
    const struct cw_network *net;
    uint32_t n;
    struct dimension dimension[CW_TORUS_DIMENSIONS]; /* in the order of routing */
};

/* A route being written. */
struct route {
    uint32_t *channel; /* the next */
    uint8_t *lane;     /* the next, or NULL */
    uint32_t vertex;
};

static void add_hop(struct route *route, uint32_t channel, uint8_t lane)
{
    *route->channel++ = channel;
    if (route->lane) *route->lane++ = lane;
}

/* From coordinate X to Y of DIMENSION. */
static void go(const struct cw_network *net, const struct dimension *dimension, uint32_t x, uint32_t y,
               struct route *route)
{
    const uint32_t k = dimension->k, ahead = y > x ? y - x : y + k - x; /* hops upwards */
    const bool up = 2 * ahead == k ? (y > x) == (x % 2 == 0) : 2 * ahead < k;
    const uint32_t edge = up ? k - 1 : 0, beyond = up ? 0 : k - 1;
    uint8_t lane = 0;
    while (x != y) {
        const uint32_t next = x == edge ? beyond : up ? x + 1 : x - 1;
        if (x == edge) lane = 1;
        add_hop(route, net->first[route->vertex] + (up ? dimension->plus : dimension->minus), lane);
        route->vertex += (next - x) * dimension->stride; /* modulo 2^32 */
        x = next;
    }
}

static uint32_t bgq_path(const struct bgq *bgq, uint32_t src, uint32_t dst, uint32_t *channels, uint8_t *lanes)
{
    const struct cw_network *net = bgq->net;
    if (src == dst) return 0;
    struct route route = {.channel = channels, .lane = lanes, .vertex = net->n_endpoints + src};
    add_hop(&route, net->first[src], 0);
    for (uint32_t i = 0; i < bgq->n; i++) {
        const struct dimension *dimension = &bgq->dimension[i];
        const uint32_t x = src / dimension->stride % dimension->k, y = dst / dimension->stride % dimension->k;
        if (x != y) go(net, dimension, x, y, &route);
    }
    add_hop(&route, net->first[net->n_endpoints + dst], 0);
    return (uint32_t)(route.channel - channels);
}

static int bgq_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                     uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < n; i++) {
        hops[i] = bgq_path(state, src[i], dst[i], channels, lanes);
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

static const struct cw_formula formula = {.name = "bgq", .paths = bgq_paths, .free_state = free};

/* --- compiling --------------------------------------------------------------------------------------------------- */

static uint32_t letter_size(const struct cw_torus *torus, uint32_t letter)
{
    return torus->k[torus->n - 1 - letter];
}

/* Numbers of the dimensions of TORUS, which has P nodes, in the order of routing. */
static void choose_order(const struct cw_torus *torus, uint32_t p, uint32_t *order)
{
    const uint32_t n = torus->n;
    const bool small = n == 5 && (p == 128 || p == 256);
    bool taken[CW_TORUS_DIMENSIONS] = {false};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = taken[i] ? n : i;
        for (uint32_t letter = 0; letter < n; letter++)
            if (!taken[letter] && (best == n || letter_size(torus, letter) > letter_size(torus, best))) best = letter;
        if (small && best == 0 && !taken[1] && letter_size(torus, 0) == letter_size(torus, 1)) best = 1;
        taken[best] = true;
        order[i] = n - 1 - best;
    }
}

static int bgq_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                       struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    const struct cw_torus *torus = &net->shape.torus;
    const int rc = cw_network_check_shape(net);
    if (rc) return rc;
    struct bgq *bgq = cw_new_array(1, sizeof *bgq, "routes of Blue Gene/Q");
    if (!bgq) return CW_ENOMEM;
    *bgq = (struct bgq){.net = net, .n = torus->n};
    struct dimension dimensions[CW_TORUS_DIMENSIONS];
    uint32_t order[CW_TORUS_DIMENSIONS], max_hops = 2;
    bool circles = false;
    for (uint32_t d = 0, stride = 1, port = 1; d < torus->n; d++) { /* port 0 is the endpoint's */
        const uint32_t k = torus->k[d], cables = k < 2 ? 0 : k > 2 || torus->doubled ? 2 : 1;
        dimensions[d] = (struct dimension){k, stride, port, cables > 1 ? port + 1 : port};
        stride *= k;
        port += cables;
        max_hops += k / 2;
        circles = circles || k > 3;
    }
    choose_order(torus, net->n_endpoints, order);
    for (uint32_t i = 0; i < torus->n; i++) bgq->dimension[i] = dimensions[order[i]];
    return cw_routes_from_formula(net, &formula, bgq, max_hops, circles ? 2 : 1, true, out);
}

static bool bgq_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    const struct cw_torus *torus = &net->shape.torus;
    if (net->shape.kind != CW_SHAPE_TORUS || !torus->wrap) return false;
    for (uint32_t d = 0; d < torus->n; d++)
        if (torus->k[d] == 0) return false;
    return true;
}

const struct cw_engine cw_engine_bgq = {
    .name = "bgq",
    .help = "tori as Blue Gene/Q routes by default: the longest dimension first, half-way round by the parity of the "
            "coordinate",
    .needs = "a torus made by the generator",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .accepts = bgq_accepts,
    .compile = bgq_compile};
