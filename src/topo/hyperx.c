/*
 * HyperX: distances and bisection by formula (Ahn et al., SC 2009, section 2), and the generator.
 *
 * Flattened butterflies are HyperX with one cable a pair, and Hamming graphs are their switches; hyperx:NxN,T with
 * T = N is the balanced one of two dimensions.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/option.h"
#include "base/saturate.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

#define MAX_PORTS 65535

struct parameters {
    struct cw_ints s, k;
    int64_t t;
};

static const struct cw_option options[] = {
    {.name = "s",
     .type = CW_OPTION_DIMENSIONS,
     .offset = offsetof(struct parameters, s),
     .value_name = "S0xS1x...",
     .positional = true,
     .required = true,
     .help = "switches along each dimension, dimension 0 first"},
    {.name = "t",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, t),
     .min = 1,
     .max = MAX_PORTS,
     .positional = true,
     .required = true,
     .help = "endpoints of a switch"},
    {.name = "k",
     .type = CW_OPTION_DIMENSIONS,
     .offset = offsetof(struct parameters, k),
     .value_name = "K0xK1x...",
     .help = "parallel cables between two switches, for each dimension (default: 1)"},
    {.name = NULL}};

/* --- the generator ------------------------------------------------------------------------------------------------ */

static int shape_of(const struct parameters *parameters, struct cw_hyperx *out)
{
    const size_t n = parameters->s.n;
    uint64_t ports = (uint64_t)parameters->t;
    if (n > CW_HYPERX_DIMENSIONS)
        return cw_fail(CW_EUSAGE, "hyperx: %zu dimensions; at most %d are possible", n, CW_HYPERX_DIMENSIONS);
    if (parameters->k.n > 0 && parameters->k.n != n)
        return cw_fail(CW_EUSAGE, "hyperx: %zu numbers of parallel cables for %zu dimensions", parameters->k.n, n);
    *out = (struct cw_hyperx){.n = (uint32_t)n, .t = (uint32_t)parameters->t};
    for (size_t d = 0; d < n; d++) {
        const int64_t s = parameters->s.values[d], k = parameters->k.n > 0 ? parameters->k.values[d] : 1;
        if (s < 2 || s > MAX_PORTS)
            return cw_fail(CW_EUSAGE, "hyperx: dimension %zu has %" PRId64 " switches; expected 2 to %d", d, s,
                           MAX_PORTS);
        if (k < 1 || k > MAX_PORTS)
            return cw_fail(CW_EUSAGE, "hyperx: %" PRId64 " parallel cables in dimension %zu; expected 1 to %d", k, d,
                           MAX_PORTS);
        out->s[d] = (uint32_t)s;
        out->k[d] = (uint32_t)k;
        ports += (uint64_t)(s - 1) * (uint64_t)k;
    }
    if (ports <= MAX_PORTS) return 0;
    return cw_fail(CW_EUSAGE, "hyperx: switches of %" PRIu64 " ports; at most %d are possible", ports, MAX_PORTS);
}

static uint64_t cables(const struct cw_hyperx *hyperx, uint64_t switches)
{
    uint64_t degree = 0;
    for (uint32_t d = 0; d < hyperx->n; d++) degree += (uint64_t)(hyperx->s[d] - 1) * hyperx->k[d];
    const uint64_t both_ends = cw_saturating_multiply(switches, degree);
    return cw_saturating_add(cw_saturating_multiply(switches, hyperx->t),
                             both_ends == UINT64_MAX ? both_ends : both_ends / 2);
}

/* The cables of switch INDEX to its endpoints and to the switches after it. */
static void add_switch(struct cw_builder *builder, const struct cw_hyperx *hyperx, const struct cw_link *link,
                       uint32_t n_endpoints, uint32_t index)
{
    const uint32_t v = n_endpoints + index;
    for (uint32_t i = 0; i < hyperx->t; i++)
        cw_builder_cable(builder, index * hyperx->t + i, 1, v, i + 1, link->capacity, link->latency);
    uint32_t stride = 1;
    for (uint32_t d = 0; d < hyperx->n; stride *= hyperx->s[d++]) {
        const uint32_t x = index / stride % hyperx->s[d];
        for (uint32_t y = x + 1; y < hyperx->s[d]; y++)
            for (uint32_t j = 0; j < hyperx->k[d]; j++)
                cw_builder_cable(builder, v, (uint32_t)cw_hyperx_port(hyperx, d, x, y) + j, v + (y - x) * stride,
                                 (uint32_t)cw_hyperx_port(hyperx, d, y, x) + j, link->capacity, link->latency);
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = &cw_shape_hyperx};
    const int rc = shape_of(values, &shape.hyperx);
    if (rc) return rc;
    const uint64_t switches = cw_shape_switches(&shape), endpoints = cw_shape_endpoints(&shape);
    struct cw_builder *builder = cw_builder_new(endpoints, switches, cables(&shape.hyperx, switches));
    cw_builder_shape(builder, &shape);
    for (uint32_t i = 0; i < switches && !cw_builder_failed(builder); i++)
        add_switch(builder, &shape.hyperx, link, (uint32_t)endpoints, i);
    return cw_builder_finish(builder, net);
}

/* --- formulas ----------------------------------------------------------------------------------------------------- */

/* Two random switches differ in dimension d with probability 1 - 1/S_d, one hop each. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    const struct cw_hyperx *hyperx = &shape->hyperx;
    const double n = net->n_endpoints;
    double mean = 0;
    out->diameter = n > 1 ? 2 : 0;
    for (uint32_t d = 0; d < hyperx->n; d++) {
        mean += 1 - 1.0 / hyperx->s[d];
        out->diameter += hyperx->s[d] > 1;
    }
    out->mean_distance = n > 1 ? 2 + mean * n / (n - 1) : 0;
    return 0;
}

/* The cut across the middle of dimension d has K_d·S_d·P/4 channels on P switches. Of all-to-all traffic every channel
 * of that dimension carries P·T²/(S_d·K_d), of which the bound of metrics.c is the same figure: the dimension with the
 * least K·S decides, if its S is even. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    const struct cw_hyperx *hyperx = &shape->hyperx;
    const double switches = cw_network_switches(net), hosts = switches * hyperx->t / 2;
    double least = 0;
    bool even = false;
    for (uint32_t d = 0; d < hyperx->n; d++) {
        const double width = (double)hyperx->s[d] * hyperx->k[d];
        if (hyperx->s[d] == 1 || (d > 0 && least > 0 && width > least)) continue;
        even = hyperx->s[d] % 2 == 0 || (even && least > 0 && width >= least);
        least = width;
    }
    const double across = least * switches / 4;
    *out = across < hosts ? across : hosts;
    return even;
}

/* Halving I divides dimension I in the middle. */
static uint32_t halvings(const struct cw_shape *shape)
{
    return shape->hyperx.n;
}

static void halve(const struct cw_network *net, const struct cw_shape *shape, uint32_t i, uint8_t *side)
{
    const struct cw_hyperx *hyperx = &shape->hyperx;
    uint32_t stride = hyperx->t;
    for (uint32_t d = 0; d < i; d++) stride *= hyperx->s[d];
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        side[e] = 2 * (cw_formula_place(net, e) / stride % hyperx->s[i]) >= hyperx->s[i];
}

static const struct cw_formulas formulas = {.shape = &cw_shape_hyperx,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: across the dimension with the fewest cables",
                                            .halvings = halvings,
                                            .halve = halve};

static const char *const examples[] = {
    "hyperx:4,2", "hyperx:2x2,1", "hyperx:4x4,2", "hyperx:3x4,2,k=2x1", "hyperx:2x3x4,1", "hyperx:2x2,3,k=1x2", NULL};

const struct cw_topology cw_topology_hyperx = {
    .name = "hyperx",
    .help = "S0 x S1 x ... switches with T endpoints each; two switches are connected if they differ in one coordinate "
            "(HyperX; with single cables a flattened butterfly)",
    .synopsis = "hyperx:S0xS1x...,T[,k=K0xK1x...]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .build = build,
};
