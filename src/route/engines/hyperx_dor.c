/*
 * Dimension-order routing of HyperX: one hop in each dimension in which source and destination differ, in ascending
 * order (Ahn et al., SC 2009). Since there is at most one hop in a dimension, one lane is free of deadlock. Among
 * parallel cables the destination chooses, so that all are used alike.
 *
 * Of a bundle of parallel cables in dimension d the destinations behind it, counted in order, take one after another.
 * Destination switch Σ x_i·S_0…S_{i-1} has the number Σ x_i·S_{d+1}…S_{i-1} over i > d among those behind: what is left
 * of it when it has been divided by the sizes up to d.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"
#include "route/fast_divide.h"
#include "route/routes_internal.h"

static const char name[] = "hyperx-dor";

/* CHANNELS begin with those to the one switch that is nearer in the lowest of the dimensions that differ. Of a bundle
 * of parallel ones the destinations behind it, counted in order, take one after another: they agree in this dimension
 * and all below. */
static uint32_t lowest_dimension(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_hyperx *shape = &net->shape.hyperx;
    uint32_t parallel = 1;
    while (parallel < n && net->head[channels[parallel]] == net->head[channels[0]]) parallel++;
    if (parallel == 1) return channels[0];
    uint64_t behind = shape->t, ports = shape->t; /* endpoints that differ up to dimension d, ports before its end */
    for (uint32_t d = 0; ports <= channels[0] - net->first[v]; d++) {
        ports += (uint64_t)(shape->s[d] - 1) * shape->k[d];
        behind *= shape->s[d];
    }
    return channels[(dst / behind * shape->t + dst % shape->t) % parallel];
}

static int make_tables(const struct cw_network *net, unsigned n_threads, struct cw_routes **out)
{
    return cw_minimal_tables(net, name, lowest_dimension, (void *)(uintptr_t)net, n_threads, out);
}

/* --- closed form -------------------------------------------------------------------------------------------------- */

struct dimension {
    uint32_t s, k;             /* its switches, and cables of two of them */
    struct cw_divisor divisor; /* by s */
    uint32_t stride, behind;   /* switches of the dimensions below it, and of those above */
    uint32_t port;             /* of a switch: the first in this dimension, from 0 */
};

struct hyperx {
    const struct cw_network *net;
    uint32_t n, t;
    struct cw_divisor endpoints; /* division by t */
    uint32_t first, ports;       /* the first channel of switch 0, channels of a switch */
    struct dimension dimension[CW_HYPERX_DIMENSIONS];
};

/* The first channel from the switch at X in dimension D to the one at Y; FIRST is the first of the former. */
static inline uint32_t bundle(const struct dimension *dimension, uint32_t first, uint32_t x, uint32_t y)
{
    return first + dimension->port + (y - (y > x)) * dimension->k;
}

static uint32_t hyperx_path(const void *state, uint32_t src, uint32_t dst, uint32_t *channels)
{
    const struct hyperx *hyperx = state;
    if (src == dst) return 0;
    uint32_t from = cw_fast_divide(src, hyperx->endpoints), to = cw_fast_divide(dst, hyperx->endpoints);
    const uint32_t index = dst - to * hyperx->t;
    uint32_t n = 0, first = hyperx->first + from * hyperx->ports;
    channels[n++] = hyperx->net->first[src];
    for (uint32_t d = 0; d < hyperx->n; d++) {
        const struct dimension *dimension = &hyperx->dimension[d];
        const uint32_t here = cw_fast_divide(from, dimension->divisor), there = cw_fast_divide(to, dimension->divisor);
        const uint32_t x = from - here * dimension->s, y = to - there * dimension->s;
        if (x != y) {
            const uint32_t one = dimension->k > 1 ? (there * hyperx->t + index) % dimension->k : 0;
            channels[n++] = bundle(dimension, first, x, y) + one;
            first += (y - x) * dimension->stride * hyperx->ports;
        }
        from = here;
        to = there;
    }
    channels[n++] = first + index;
    return n;
}

static int hyperx_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                        uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    (void)lanes;
    return cw_formula_each(hyperx_path, state, n, src, dst, hops, channels, stride);
}

static int hyperx_tables(const void *state, unsigned n_threads, struct cw_routes **out)
{
    return make_tables(((const struct hyperx *)state)->net, n_threads, out);
}

/* --- all routes at once ------------------------------------------------------------------------------------------- */

/* Pairs of endpoints by the number of dimensions in which their switches differ. */
static void add_lengths(const struct hyperx *hyperx, struct cw_survey *survey)
{
    uint64_t differ[CW_HYPERX_DIMENSIONS + 1] = {hyperx->t};
    for (uint32_t d = 0; d < hyperx->n; d++)
        for (uint32_t m = d + 1; m > 0; m--) differ[m] += differ[m - 1] * (hyperx->dimension[d].s - 1);
    for (uint32_t m = 0; m <= hyperx->n; m++)
        cw_survey_routes(survey, hyperx->net->n_endpoints * (differ[m] - (m == 0)), m + 2);
}

/* Routes that come to switch V in dimension D by the channels from FROM on and leave it in dimension E by those from TO
 * on, to Z there. */
static void add_turns(const struct hyperx *hyperx, struct cw_survey *survey, uint32_t v, uint32_t d, uint32_t from,
                      uint32_t e, uint32_t to, uint32_t z)
{
    const struct dimension *in = &hyperx->dimension[d], *out = &hyperx->dimension[e];
    const uint32_t below = in->stride * in->s; /* of which V and the destinations agree */
    for (uint32_t i = 0; i < out->behind; i++) {
        const uint32_t switch_behind = (v % out->stride + (z + i * out->s) * out->stride) / below;
        for (uint32_t j = 0; j < hyperx->t; j++) {
            cw_survey_edge(survey, from + (switch_behind * hyperx->t + j) % in->k, 0, to + (i * hyperx->t + j) % out->k,
                           0);
            if (in->k == 1 && out->k == 1) return;
        }
    }
}

/* What follows on the channels from CHANNEL on, which lead to switch V in dimension D. */
static void add_next(const struct hyperx *hyperx, struct cw_survey *survey, uint32_t v, uint32_t d, uint32_t channel)
{
    const struct dimension *in = &hyperx->dimension[d];
    const uint32_t first = hyperx->first + v * hyperx->ports, switch_behind = v / (in->stride * in->s);
    for (uint32_t j = 0; j < hyperx->t; j++)
        cw_survey_edge(survey, channel + (switch_behind * hyperx->t + j) % in->k, 0, first + j, 0);
    for (uint32_t e = d + 1; e < hyperx->n; e++) {
        const struct dimension *out = &hyperx->dimension[e];
        const uint32_t x = v / out->stride % out->s;
        for (uint32_t z = 0; z < out->s; z++)
            if (z != x) add_turns(hyperx, survey, v, d, channel, e, bundle(out, first, x, z), z);
    }
}

static void add_switch(const struct hyperx *hyperx, struct cw_survey *survey, uint32_t v)
{
    const uint32_t first = hyperx->first + v * hyperx->ports, host = hyperx->net->first[v * hyperx->t];
    for (uint32_t j = 0; j < hyperx->t; j++) cw_survey_edge(survey, host, 0, first + j, 0);
    for (uint32_t d = 0; d < hyperx->n; d++) {
        const struct dimension *dimension = &hyperx->dimension[d];
        const uint64_t sources = (uint64_t)dimension->stride * hyperx->t, k = dimension->k;
        const uint64_t behind = (uint64_t)dimension->behind * hyperx->t;
        const uint32_t x = v / dimension->stride % dimension->s;
        for (uint32_t y = 0; y < dimension->s; y++) {
            if (y == x) continue;
            const uint32_t channel = bundle(dimension, first, x, y);
            for (uint32_t i = 0; i < k && i < behind; i++) {
                cw_survey_load(survey, channel + i, sources * (behind / k + (i < behind % k)));
                cw_survey_edge(survey, host, 0, channel + i, 0);
            }
            if (survey->graph) add_next(hyperx, survey, v + (y - x) * dimension->stride, d, channel);
        }
    }
}

static int hyperx_survey(const void *state, struct cw_survey *survey)
{
    const struct hyperx *hyperx = state;
    const uint64_t n = hyperx->net->n_endpoints;
    for (uint32_t v = 0; v < cw_network_switches(hyperx->net); v++) add_switch(hyperx, survey, v);
    cw_survey_hosts(survey, hyperx->net);
    if (survey->load) add_lengths(hyperx, survey);
    survey->minimal = n * (n - 1);
    return 0;
}

static bool hyperx_can_survey(const void *state, const struct cw_survey *survey)
{
    (void)state;
    return !survey->selection;
}

static const struct cw_formula formula = {.name = name,
                                          .paths = hyperx_paths,
                                          .can_survey = hyperx_can_survey,
                                          .survey = hyperx_survey,
                                          .make_tables = hyperx_tables,
                                          .free_state = free};

/* --- compiling ---------------------------------------------------------------------------------------------------- */

static void fill(const struct cw_network *net, struct hyperx *hyperx)
{
    const struct cw_hyperx *shape = &net->shape.hyperx;
    *hyperx = (struct hyperx){.net = net, .n = shape->n, .t = shape->t, .endpoints = cw_divisor_of(shape->t)};
    uint32_t stride = 1, behind = cw_network_switches(net);
    hyperx->first = net->first[net->n_endpoints];
    hyperx->ports = shape->t;
    for (uint32_t d = 0; d < shape->n; d++) {
        const uint32_t s = shape->s[d];
        behind /= s;
        hyperx->dimension[d] = (struct dimension){s, shape->k[d], cw_divisor_of(s), stride, behind, hyperx->ports};
        stride *= s;
        hyperx->ports += (s - 1) * shape->k[d];
    }
}

static int hyperx_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    const int rc = cw_network_check_shape(net);
    if (rc) return rc;
    struct hyperx *hyperx = cw_new_array(1, sizeof *hyperx, "routes of a HyperX");
    if (!hyperx) return CW_ENOMEM;
    fill(net, hyperx);
    uint32_t max_hops = 2;
    for (uint32_t d = 0; d < hyperx->n; d++) max_hops += hyperx->dimension[d].s > 1;
    return cw_routes_from_formula(net, &formula, hyperx, max_hops, 1, true, out);
}

const struct cw_engine cw_engine_hyperx_dor = {.name = "hyperx-dor",
                                               .help = "HyperX: one hop in each dimension, in ascending order",
                                               .needs = "a HyperX made by the generator",
                                               .minimal = true,
                                               .deadlock_freedom = CW_CLAIM_ACYCLIC,
                                               .shape = &cw_shape_hyperx,
                                               .maps = CW_MAPS_CARRIED,
                                               .by_default = true,
                                               .compile = hyperx_compile};
