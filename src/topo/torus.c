/*
 * Tori, meshes and hypercubes: a k-ary n-cube is torus:kxkx…xk with n sizes. (Of the published sizes of such networks
 * two are misprinted: 9-ary and 17-ary 3-cubes have 729 and 4913 endpoints, not 728 and 4912.)
 */
#include "topo/torus.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/option.h"
#include "base/saturate.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"

/* --- formulas: distances, bisection and halvings ------------------------------------------------------------------ */

/* Dimensions add up. The mean of one over all pairs of coordinates, equal ones included, is k/4 in an even ring,
 * (k² - 1)/4k in an odd one, and (k² - 1)/3k in a row. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    (void)net;
    const struct cw_torus *torus = &shape->torus;
    double nodes = 1, mean = 0;
    out->diameter = 2;
    for (uint32_t d = 0; d < torus->n; d++) {
        const double k = torus->k[d];
        if (!torus->wrap)
            mean += (k * k - 1) / (3 * k);
        else
            mean += torus->k[d] % 2 == 0 ? k / 4 : (k * k - 1) / (4 * k);
        out->diameter += torus->wrap ? torus->k[d] / 2 : torus->k[d] - 1;
        nodes *= k;
    }
    out->mean_distance = 2 + mean * nodes / (nodes - 1);
    return 0;
}

/* The greatest load of all-to-all traffic in dimension d is N·κ/8 on N nodes: κ = k in an even ring (two cables where
 * k = 2), 2k in an even row (or one cable where k = 2), and (k² - 1)/k and twice that in odd ones. The cut across the
 * middle of an even dimension has 2N/κ channels. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    (void)net;
    const struct cw_torus *torus = &shape->torus;
    double nodes = 1, longest = 0;
    bool even = false;
    for (uint32_t d = 0; d < torus->n; d++) {
        const double k = torus->k[d], effective = torus->k[d] % 2 == 0 ? k : (k * k - 1) / k;
        const bool ring = torus->wrap && (torus->k[d] > 2 || torus->doubled);
        const double kappa = ring ? effective : 2 * effective;
        nodes *= k;
        if (kappa < longest) continue;
        even = torus->k[d] % 2 == 0 || (even && kappa <= longest);
        longest = kappa;
    }
    const double across = 2 * nodes / longest, hosts = nodes / 2;
    *out = across < hosts ? across : hosts;
    return even;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    return shape->torus.n;
}

/* Puts the dimensions into ORDER: FIRST, then the others from the longest to the shortest. */
static void order_dimensions(const struct cw_torus *torus, uint32_t first, uint32_t *order)
{
    uint32_t n = 0;
    order[n++] = first;
    for (uint32_t d = 0; d < torus->n; d++) {
        if (d == first) continue;
        uint32_t at = n++;
        for (; at > 1 && torus->k[order[at - 1]] < torus->k[d]; at--) order[at] = order[at - 1];
        order[at] = d;
    }
}

/* Orders the nodes by their coordinates in ORDER, and divides them in the middle. */
static void halve(const struct cw_network *net, const struct cw_shape *shape, uint32_t first, uint8_t *side)
{
    const struct cw_torus *torus = &shape->torus;
    uint32_t order[CW_TORUS_DIMENSIONS], stride[CW_TORUS_DIMENSIONS], nodes = 1;
    order_dimensions(torus, first, order);
    for (uint32_t d = 0; d < torus->n; nodes *= torus->k[d++]) stride[d] = nodes;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t node = cw_formula_place(net, e);
        uint32_t rank = 0;
        for (uint32_t i = 0; i < torus->n; i++)
            rank = rank * torus->k[order[i]] + node / stride[order[i]] % torus->k[order[i]];
        side[e] = rank >= nodes / 2;
    }
}

const struct cw_formulas cw_formulas_torus = {.shape = &cw_shape_torus,
                                              .distances = distances,
                                              .bisection = bisection,
                                              .bisection_how =
                                                  "by formula: across the longest dimension, or half the endpoints",
                                              .halvings = halvings,
                                              .halve = halve};

/* --- generator ---------------------------------------------------------------------------------------------------- */

/* Cables in dimension D of N nodes. */
static uint64_t dimension_cables(const struct cw_torus *torus, uint32_t d, uint64_t nodes)
{
    const uint32_t k = torus->k[d];
    if (nodes == UINT64_MAX) return UINT64_MAX;
    return torus->wrap && (k > 2 || torus->doubled) ? nodes : nodes / k * (k - 1);
}

/* Joins NODE, at X in dimension D, to its neighbour at X + 1. Port numbers are those of net/shape.h. */
static void add_neighbour(struct cw_builder *builder, const struct cw_torus *torus, const struct cw_link *link,
                          uint32_t n, uint32_t node, uint32_t d, uint32_t x, uint32_t stride)
{
    const uint32_t k = torus->k[d], plus = 2 + 2 * d, minus = 3 + 2 * d;
    const bool single = k == 2 && !torus->doubled, last = x + 1 == k;
    if (last && (single || !torus->wrap)) return;
    const uint32_t neighbour = last ? node - stride * (k - 1) : node + stride;
    cw_builder_cable(builder, n + node, plus, n + neighbour, single ? plus : minus, link->capacity, link->latency);
}

int cw_torus_build(const struct cw_torus *torus, const struct cw_link *link, struct cw_network **net)
{
    const struct cw_shape shape = {.kind = &cw_shape_torus, .torus = *torus};
    const uint64_t nodes = cw_shape_endpoints(&shape);
    uint64_t cables = nodes;
    for (uint32_t d = 0; d < torus->n; d++) cables = cw_saturating_add(cables, dimension_cables(torus, d, nodes));
    struct cw_builder *builder = cw_builder_new(nodes, nodes, cables);
    cw_builder_shape(builder, &shape);
    const uint32_t n = (uint32_t)nodes;
    for (uint32_t node = 0; node < n && !cw_builder_failed(builder); node++) {
        cw_builder_cable(builder, node, 1, n + node, 1, link->capacity, link->latency);
        uint32_t stride = 1;
        for (uint32_t d = 0; d < torus->n; d++) {
            add_neighbour(builder, torus, link, n, node, d, node / stride % torus->k[d], stride);
            stride *= torus->k[d];
        }
    }
    return cw_builder_finish(builder, net);
}

struct sizes {
    struct cw_ints k;
    bool doubled;
};

#define SIZES                                                                                                          \
    .name = "k", .type = CW_OPTION_DIMENSIONS, .offset = offsetof(struct sizes, k), .value_name = "K0xK1x...",         \
    .positional = true, .required = true, .help = "size of each dimension, dimension 0 first"

static const struct cw_option torus_options[] = {{SIZES},
                                                 {.name = "doubled",
                                                  .type = CW_OPTION_FLAG,
                                                  .offset = offsetof(struct sizes, doubled),
                                                  .help = "two cables, not one, in dimensions of size 2"},
                                                 {.name = NULL}};
static const struct cw_option mesh_options[] = {{SIZES}, {.name = NULL}};

static int shape_of(const char *name, const struct sizes *sizes, struct cw_torus *out)
{
    if (sizes->k.n > CW_TORUS_DIMENSIONS)
        return cw_fail(CW_EUSAGE, "%s: %zu dimensions; at most %d are possible", name, sizes->k.n, CW_TORUS_DIMENSIONS);
    *out = (struct cw_torus){.n = (uint32_t)sizes->k.n, .doubled = sizes->doubled};
    for (uint32_t d = 0; d < out->n; d++) {
        const int64_t k = sizes->k.values[d];
        if (k == 1) return cw_fail(CW_EUSAGE, "%s: dimension %u has size 1; leave it out, it joins nothing", name, d);
        if (k < 1) return cw_fail(CW_EUSAGE, "%s: dimension %u has size %" PRId64 "; expected 2 or more", name, d, k);
        if (k > UINT32_MAX)
            return cw_fail(CW_ELIMIT, "%s: dimension %u has size %" PRId64 "; at most %u is possible", name, d, k,
                           UINT32_MAX);
        out->k[d] = (uint32_t)k;
    }
    return 0;
}

static int build_torus(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_torus torus;
    const int rc = shape_of("torus", values, &torus);
    if (rc) return rc;
    torus.wrap = true;
    return cw_torus_build(&torus, link, net);
}

static int build_mesh(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_torus mesh;
    const int rc = shape_of("mesh", values, &mesh);
    return rc ? rc : cw_torus_build(&mesh, link, net);
}

struct hypercube {
    int64_t n;
};

static const struct cw_option hypercube_options[] = {{.name = "n",
                                                      .type = CW_OPTION_INT,
                                                      .offset = offsetof(struct hypercube, n),
                                                      .value_name = "N",
                                                      .min = 1,
                                                      .max = CW_TORUS_DIMENSIONS,
                                                      .positional = true,
                                                      .required = true,
                                                      .help = "dimensions: 2^N nodes"},
                                                     {.name = NULL}};

static int build_hypercube(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const struct hypercube *hypercube = values;
    struct cw_torus torus = {.n = (uint32_t)hypercube->n, .wrap = true};
    for (uint32_t d = 0; d < torus.n; d++) torus.k[d] = 2;
    return cw_torus_build(&torus, link, net);
}

static const char *const torus_examples[] = {"torus:2",           "torus:5",           "torus:4x4",
                                             "torus:5x3",         "torus:3x2,doubled", "torus:2x3x4",
                                             "torus:2x2,doubled", "torus:4x3x2x2",     NULL};
static const char *const mesh_examples[] = {"mesh:2", "mesh:5", "mesh:4x3", "mesh:2x3x4", "mesh:3x3x3", NULL};
static const char *const hypercube_examples[] = {"hypercube:1", "hypercube:2", "hypercube:3", "hypercube:6", NULL};

const struct cw_topology cw_topology_torus = {
    .name = "torus",
    .help = "K0 x K1 x ... switches with one endpoint each, in rings along every dimension",
    .synopsis = "torus:K0xK1x...[,doubled]",
    .examples = torus_examples,
    .options = torus_options,
    .size = sizeof(struct sizes),
    .formulas = &cw_formulas_torus,
    .build = build_torus,
};

const struct cw_topology cw_topology_mesh = {
    .name = "mesh",
    .help = "A torus without the cables that close its rings",
    .synopsis = "mesh:K0xK1x...",
    .examples = mesh_examples,
    .options = mesh_options,
    .size = sizeof(struct sizes),
    .formulas = &cw_formulas_torus,
    .build = build_mesh,
};

const struct cw_topology cw_topology_hypercube = {
    .name = "hypercube",
    .help = "2^N switches with one endpoint each, connected if their numbers differ in one bit: a torus of N "
            "dimensions of size 2",
    .synopsis = "hypercube:N",
    .examples = hypercube_examples,
    .options = hypercube_options,
    .size = sizeof(struct hypercube),
    .formulas = &cw_formulas_torus,
    .build = build_hypercube,
};
