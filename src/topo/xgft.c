/*
 * Extended generalised fat trees, XGFT(h; m_1…m_h; w_1…w_h): a vertex of level l has m_l children and each of level l -
 * 1 has w_l parents. S. Öhring, M. Ibel, S. Das, M. Kumar, "On generalized fat trees", IPPS 1995. Numbering:
 * net/shape.h.
 *
 *     xgft:H:m1,…,mH:w1,…,wH            one cable a pair
 *     xgft:H:m1,…,mH:w1,…,wH:n1,…,nH    n_l cables between each vertex of level l and each of its parents' level l - 1
 *     xgft:H:m1,…,mH:w1,…,wH:radix=R    as many up cables as make every switch below the top use R ports
 *     xgft(H,m1,…,mH-1,w1,…,wH-1)       the published tables' notation: 12 endpoints on each leaf switch (m = 12, w = 1
 *                                       below the rest) and radix 24
 *
 * `radix` need not give a whole number of cables a pair. Where it does not (xgft(3,12,16,12,8): 12 up cables to 8
 * parents, 1.5 a pair) the cables of one child go round its parents, beginning where the previous child's ended; the
 * published tables say nothing of it. Every parent still gets the same number of down cables, or the tree is refused.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/units.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/xgft.h"

/* --- formulas: distances, bisection and halvings ------------------------------------------------------------------ */

/* Endpoints whose lowest common subtree has level l are 2·l apart. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    (void)net;
    const struct cw_xgft *xgft = &shape->xgft;
    double below = 1, sum = 0; /* endpoints below a vertex of level l; sum over the others of one endpoint */
    for (uint32_t l = 1; l <= xgft->h; l++) {
        sum += 2.0 * l * below * (xgft->m[l] - 1.0);
        if (xgft->m[l] > 1) out->diameter = 2 * l;
        below *= xgft->m[l];
    }
    out->mean_distance = below > 1 ? sum / (below - 1) : 0;
    return 0;
}

/* With whole cables a pair, all traffic in or out of a subtree can be spread evenly over its U_l = W_l·up[l] cables to
 * the level above, so that only the sums count and the tree behaves like a simple tree with these capacities. Pairing
 * the halves off needs U_l / M_l at most, M_l being the endpoints of a subtree: the bisection is at least ⌊n/2⌋ times
 * the least of these, and cutting off whole subtrees of that level reaches it, if ⌊n/2⌋ is a multiple of M_l. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    (void)net;
    const struct cw_xgft *xgft = &shape->xgft;
    uint64_t n = 1, endpoints = 1, vertices = 1;
    for (uint32_t l = 1; l <= xgft->h; l++) n *= xgft->m[l];
    double least = 0;
    bool whole = false;
    for (uint32_t l = 0; l < xgft->h; l++) {
        if (l > 0) {
            endpoints *= xgft->m[l];
            vertices *= xgft->w[l];
        }
        if (xgft->up[l] % xgft->w[l + 1] != 0) return 0;
        const double share = (double)vertices * xgft->up[l] / (double)endpoints;
        const bool divides = n / 2 % endpoints == 0;
        if (l == 0 || share < least) {
            least = share;
            whole = divides;
        } else if (share <= least) {
            whole = whole || divides;
        }
    }
    *out = least * (double)(n / 2);
    return whole;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    return shape->xgft.h;
}

/* Odd subtrees of level LEVEL against even ones. */
static void halve(const struct cw_network *net, const struct cw_shape *shape, uint32_t level, uint8_t *side)
{
    const struct cw_xgft *xgft = &shape->xgft;
    uint32_t below = 1;
    for (uint32_t l = 1; l <= level; l++) below *= xgft->m[l];
    for (uint32_t e = 0; e < net->n_endpoints; e++) side[e] = cw_formula_place(net, e) / below % xgft->m[level + 1] % 2;
}

static const struct cw_formulas formulas = {.shape = &cw_shape_xgft,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: subtrees of the narrowest level",
                                            .halvings = halvings,
                                            .halve = halve};

/* --- generator ---------------------------------------------------------------------------------------------------- */

#define LEAF_ENDPOINTS 12 /* of the published notation */
#define LEAF_RADIX     24

#define EXPECTED "expected xgft:H:m1,...,mH:w1,...,wH[:n1,...,nH | :radix=R] or xgft(H,m1,...,mH-1,w1,...,wH-1)"

struct parameters {
    uint32_t h;
    uint32_t m[CW_XGFT_LEVELS + 1], w[CW_XGFT_LEVELS + 1];
    uint32_t cables[CW_XGFT_LEVELS + 1]; /* a pair; 1 unless given */
    uint32_t radix;                      /* 0: not given */
};

static int to_count(const char *what, int64_t value, uint32_t *out)
{
    if (value < 1 || value > INT32_MAX)
        return cw_fail(CW_EUSAGE, "%s: %" PRId64 " is out of range; expected 1 to %d", what, value, INT32_MAX);
    *out = (uint32_t)value;
    return 0;
}

static int parse_height(const char *text, uint32_t *out)
{
    int64_t h;
    const int rc = cw_parse_int("xgft: height", text, &h);
    if (rc) return rc;
    if (h < 1 || h > CW_XGFT_LEVELS)
        return cw_fail(CW_EUSAGE, "xgft: height %" PRId64 "; expected 1 to %d", h, CW_XGFT_LEVELS);
    *out = (uint32_t)h;
    return 0;
}

/* Reads the H numbers of TEXT into out[1] … out[H]. */
static int parse_levels(const char *what, const char *text, uint32_t h, uint32_t *out)
{
    struct cw_ints ints;
    int rc = cw_parse_ints(what, text, &ints);
    if (rc) return rc;
    if (ints.n != h)
        rc = cw_fail(CW_EUSAGE, "%s: '%s' has %zu numbers; expected one for each of %u levels", what, text, ints.n, h);
    for (uint32_t l = 1; l <= h && rc == 0; l++) rc = to_count(what, ints.values[l - 1], &out[l]);
    cw_ints_free(&ints);
    return rc;
}

static int parse_parts(char *text, struct parameters *out)
{
    char *part[5] = {NULL};
    size_t n = 0;
    while (text && n < 5) part[n++] = strsep(&text, ":");
    if (n < 3 || n > 4) return cw_fail(CW_EUSAGE, "xgft: %zu parts between ':'; " EXPECTED, n);
    int rc = parse_height(part[0], &out->h);
    if (rc == 0) rc = parse_levels("xgft: m", part[1], out->h, out->m);
    if (rc == 0) rc = parse_levels("xgft: w", part[2], out->h, out->w);
    for (uint32_t l = 1; l <= out->h; l++) out->cables[l] = 1;
    if (rc || n == 3) return rc;
    if (strncmp(part[3], "radix=", 6) != 0) return parse_levels("xgft: cables", part[3], out->h, out->cables);
    int64_t radix;
    rc = cw_parse_int("xgft: radix", part[3] + 6, &radix);
    return rc ? rc : to_count("xgft: radix", radix, &out->radix);
}

/* TEXT is "h,m1,…,mh-1,w1,…,wh-1". */
static int parse_published(const char *text, struct parameters *out)
{
    struct cw_ints ints;
    int rc = cw_parse_ints("xgft", text, &ints);
    if (rc) return rc;
    const int64_t h = ints.values[0];
    if (h < 1 || h > CW_XGFT_LEVELS)
        rc = cw_fail(CW_EUSAGE, "xgft: height %" PRId64 "; expected 1 to %d", h, CW_XGFT_LEVELS);
    else if (ints.n != 2 * (size_t)h - 1)
        rc = cw_fail(CW_EUSAGE, "xgft(%s) has %zu numbers; height %" PRId64 " needs %" PRId64 "; " EXPECTED, text,
                     ints.n, h, 2 * h - 1);
    out->h = rc ? 0 : (uint32_t)h;
    out->m[1] = LEAF_ENDPOINTS;
    out->w[1] = 1;
    out->radix = LEAF_RADIX;
    for (uint32_t l = 2; l <= out->h && rc == 0; l++) {
        rc = to_count("xgft: m", ints.values[l - 1], &out->m[l]);
        if (rc == 0) rc = to_count("xgft: w", ints.values[out->h + l - 2], &out->w[l]);
    }
    for (uint32_t l = 1; l <= out->h; l++) out->cables[l] = 1;
    cw_ints_free(&ints);
    return rc;
}

static int parse(const char *text, void *values)
{
    if (!text || !*text) return cw_fail(CW_EUSAGE, "xgft has no parameters; " EXPECTED);
    const bool published = *text == '(';
    const size_t length = strlen(text);
    char *copy = published ? cw_copy_text(text + 1, length - 2) : cw_copy_text(text, length);
    if (!copy) return CW_ENOMEM;
    const int rc = published ? parse_published(copy, values) : parse_parts(copy, values);
    free(copy);
    return rc;
}

/* Ports of a switch of level L ≥ 1 that lead down. */
static uint64_t down_ports(const struct cw_xgft *xgft, uint32_t l)
{
    return (uint64_t)xgft->m[l] * xgft->up[l - 1] / xgft->w[l];
}

/* Decides up[l], the cables from each vertex of level L < h to the level above. */
static int fill_up(const struct parameters *parameters, uint32_t l, struct cw_xgft *xgft)
{
    const uint32_t w = xgft->w[l + 1];
    uint64_t up = (uint64_t)w * parameters->cables[l + 1];
    if (parameters->radix && l > 0) {
        const uint64_t down = down_ports(xgft, l);
        up = parameters->radix > down ? parameters->radix - down : 0;
        if (up < w)
            return cw_fail(CW_EUSAGE,
                           "xgft: radix %u is too small: a switch of level %u has %" PRIu64
                           " down ports and %u parents",
                           parameters->radix, l, down, w);
    }
    if (up > UINT32_MAX)
        return cw_fail(CW_ELIMIT, "xgft: %" PRIu64 " up cables of one vertex of level %u; at most %u are possible", up,
                       l, UINT32_MAX);
    if ((uint64_t)xgft->m[l + 1] * up % w != 0)
        return cw_fail(CW_EUSAGE,
                       "xgft: the %u children of a switch of level %u have %" PRIu64
                       " up cables each; these do not spread evenly over %u parents",
                       xgft->m[l + 1], l + 1, up, w);
    xgft->up[l] = (uint32_t)up;
    return 0;
}

static int shape_of(const struct parameters *parameters, struct cw_xgft *xgft)
{
    *xgft = (struct cw_xgft){.h = parameters->h};
    memcpy(xgft->m, parameters->m, sizeof xgft->m);
    memcpy(xgft->w, parameters->w, sizeof xgft->w);
    for (uint32_t l = 0; l < xgft->h; l++) {
        const int rc = fill_up(parameters, l, xgft);
        if (rc) return rc;
    }
    const uint64_t top = down_ports(xgft, xgft->h);
    if (parameters->radix && top > parameters->radix)
        return cw_fail(CW_EUSAGE, "xgft: radix %u is too small: a switch of level %u has %" PRIu64 " down ports",
                       parameters->radix, xgft->h, top);
    return 0;
}

/* Cables from level L to level L + 1. */
static uint64_t level_cables(const struct cw_xgft *xgft, uint32_t l)
{
    return cw_saturating_multiply(cw_xgft_level_size(xgft, l), xgft->up[l]);
}

/* Adds the cables from level L, whose vertices begin at FIRST, to level L + 1. They are added in the order of their
 * ports at both ends, so the builder numbers them. */
static void add_level(struct cw_builder *builder, const struct cw_xgft *xgft, const struct cw_link *link, uint32_t l,
                      uint32_t first)
{
    const uint32_t size = (uint32_t)cw_xgft_level_size(xgft, l), w = xgft->w[l + 1], m = xgft->m[l + 1];
    const uint32_t up = xgft->up[l], parents = first + size;
    uint32_t below = 1; /* W_l: vertices of this level above one endpoint */
    for (uint32_t i = 1; i <= l; i++) below *= xgft->w[i];
    for (uint32_t index = 0; index < size && !cw_builder_failed(builder); index++) {
        const uint32_t a = index / below, b = index % below;
        const uint32_t parent = parents + a / m * below * w + b * w;
        const uint64_t begin = (uint64_t)up * (a % m);
        for (uint32_t k = 0; k < up; k++)
            cw_builder_cable(builder, first + index, 0, parent + (uint32_t)((begin + k) % w), 0, link->capacity,
                             link->latency);
    }
}

int cw_xgft_build(const struct cw_xgft *xgft, const struct cw_link *link, struct cw_network **net)
{
    const struct cw_shape shape = {.kind = &cw_shape_xgft, .xgft = *xgft};
    uint64_t cables = 0;
    for (uint32_t l = 0; l < xgft->h; l++) cables = cw_saturating_add(cables, level_cables(xgft, l));
    struct cw_builder *builder = cw_builder_new(cw_shape_endpoints(&shape), cw_shape_switches(&shape), cables);
    cw_builder_shape(builder, &shape);
    uint32_t first = 0;
    for (uint32_t l = 0; l < xgft->h && !cw_builder_failed(builder); l++) {
        add_level(builder, xgft, link, l, first);
        first += (uint32_t)cw_xgft_level_size(xgft, l);
    }
    return cw_builder_finish(builder, net);
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_xgft xgft;
    const int rc = shape_of(values, &xgft);
    return rc ? rc : cw_xgft_build(&xgft, link, net);
}

static const char *const examples[] = {"xgft:2:4,4:1,4",         "xgft:1:8:1",
                                       "xgft:2:3,4:2,2",         "xgft:3:2,3,2:1,2,3",
                                       "xgft:2:4,4:1,2:1,2",     "xgft:2:4,8:1,4:radix=8",
                                       "xgft:2:3,4:1,2:radix=6", "xgft:2:4,4:1,4:radix=10",
                                       "xgft(2,12,6)",           NULL};

const struct cw_topology cw_topology_xgft = {
    .name = "xgft",
    .help = "Extended generalised fat tree of height H: m_l children and w_l parents at each level, parallel cables as "
            "given or as many as fill switches of R ports; in parentheses, without the lowest level, the notation of "
            "published tables (12 endpoints on each leaf switch, 24 ports)",
    .synopsis = "xgft:H:m1,...,mH:w1,...,wH[:n1,...,nH | :radix=R] or xgft(H,m1,...,mH-1,w1,...,wH-1)",
    .examples = examples,
    .size = sizeof(struct parameters),
    .parse = parse,
    .formulas = &formulas,
    .build = build,
};
