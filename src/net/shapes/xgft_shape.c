#include <stdio.h>

#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define LEVELS(KEY, FIRST)                                                                                             \
    .key = KEY, .type = CW_SHAPE_LIST, .offset = offsetof(struct cw_shape, FIRST),                                     \
    .length = offsetof(struct cw_shape, xgft.h), .min = 1, .max = CW_XGFT_LEVELS

static const struct cw_shape_field fields[] = {
    {LEVELS("m", xgft.m[1])}, {LEVELS("w", xgft.w[1])}, {LEVELS("up", xgft.up)}, {.key = NULL}};

uint64_t cw_xgft_level_size(const struct cw_xgft *xgft, uint32_t level)
{
    uint64_t size = 1;
    for (uint32_t l = 1; l <= xgft->h; l++) size = cw_saturating_multiply(size, l <= level ? xgft->w[l] : xgft->m[l]);
    return size;
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_xgft_level_size(&shape->xgft, 0);
}

static uint64_t switches(const struct cw_shape *shape)
{
    uint64_t n = 0;
    for (uint32_t l = 1; l <= shape->xgft.h; l++) n = cw_saturating_add(n, cw_xgft_level_size(&shape->xgft, l));
    return n;
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const struct cw_xgft *xgft = &shape->xgft;
    uint32_t level = 1;
    while (level < xgft->h && index >= cw_xgft_level_size(xgft, level)) {
        index -= (uint32_t)cw_xgft_level_size(xgft, level);
        level++;
    }
    snprintf(name, size, "s%u.%u", level, index);
}

/* The subtrees below each level but the highest. */
static uint32_t partitions(const struct cw_shape *shape)
{
    return shape->xgft.h - 1;
}

/* The subtree of a switch of level PARTITION + 1 or lower; those above are parts by themselves. A level has no fewer
 * switches than subtrees. */
static uint32_t part(const struct cw_shape *shape, uint32_t partition, uint32_t index)
{
    const struct cw_xgft *xgft = &shape->xgft;
    uint64_t level_begin = 0, in_subtree = 1; /* of switches of a level */
    uint32_t level = 1;
    for (; level <= partition && index >= level_begin + cw_xgft_level_size(xgft, level); level++)
        level_begin += cw_xgft_level_size(xgft, level);
    if (index >= level_begin + cw_xgft_level_size(xgft, level)) return index;
    for (uint32_t l = 1; l <= partition + 1; l++) in_subtree *= l <= level ? xgft->w[l] : xgft->m[l];
    return (uint32_t)((index - level_begin) / in_subtree);
}

/* Bundles are said where they are not one cable a pair: the cables up from each level. */
static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    const struct cw_xgft *xgft = &shape->xgft;
    bool bundles = false;
    for (uint32_t l = 0; l < xgft->h; l++) bundles = bundles || xgft->up[l] != xgft->w[l + 1];
    cw_text_printf(text, "an XGFT(%u", xgft->h);
    cw_shape_add_numbers(text, "; ", ", ", xgft->m + 1, xgft->h);
    cw_shape_add_numbers(text, "; ", ", ", xgft->w + 1, xgft->h);
    cw_text_add(text, ")");
    if (bundles) cw_shape_add_numbers(text, " with ", " and ", xgft->up + 1, xgft->h - 1);
    if (bundles) cw_text_add(text, " cables up from each switch");
}

/* A level of an XGFT: where it begins and its W_l = w_1…w_l. */
struct level {
    uint32_t l;
    uint64_t begin, w;
};

/* Down ports of a vertex of LEVEL whose B is the given one: cables q = b, b + w, … of the m·up that arrive. */
static uint64_t down_ports(const struct cw_xgft *xgft, const struct level *level, uint64_t b)
{
    if (level->l == 0) return 0;
    const uint64_t arrive = (uint64_t)xgft->m[level->l] * xgft->up[level->l - 1], w = xgft->w[level->l];
    const uint64_t digit = b % w;
    return arrive > digit ? (arrive - digit - 1) / w + 1 : 0;
}

static int check_xgft_down(struct cw_shape_cursor *cursor, const struct cw_xgft *xgft, const struct level *below,
                           const struct level *level, uint64_t a, uint64_t b)
{
    const uint64_t m = xgft->m[level->l], w = xgft->w[level->l], up = xgft->up[below->l];
    const uint64_t child_down = down_ports(xgft, below, b / w);
    int rc = 0;
    for (uint64_t q = b % w, port = 1; q < m * up && !rc; q += w, port++)
        rc = cw_shape_expect(cursor, port, below->begin + (a * m + q / up) * below->w + b / w, child_down + q % up + 1);
    return rc;
}

static int check_xgft_up(struct cw_shape_cursor *cursor, const struct cw_xgft *xgft, const struct level *level,
                         uint64_t a, uint64_t b)
{
    const uint64_t m = xgft->m[level->l + 1], w = xgft->w[level->l + 1], up = xgft->up[level->l];
    const uint64_t above = level->begin + cw_xgft_level_size(xgft, level->l), down = down_ports(xgft, level, b);
    int rc = 0;
    for (uint64_t k = 0; k < up && !rc; k++) {
        const uint64_t q = up * (a % m) + k;
        rc = cw_shape_expect(cursor, down + k + 1, above + (a / m) * level->w * w + b * w + q % w, q / w + 1);
    }
    return rc;
}

static int check_xgft(const struct cw_network *net)
{
    const struct cw_xgft *xgft = &net->shape.xgft;
    struct cw_shape_cursor cursor = {.net = net};
    struct level below = {0}, level = {.w = 1};
    int rc = 0;
    while (!rc && level.l <= xgft->h) {
        const uint64_t size = cw_xgft_level_size(xgft, level.l);
        for (uint64_t i = 0; i < size && !rc; i++) {
            const uint64_t a = i / level.w, b = i % level.w;
            if (level.l > 0) rc = check_xgft_down(&cursor, xgft, &below, &level, a, b);
            if (!rc && level.l < xgft->h) rc = check_xgft_up(&cursor, xgft, &level, a, b);
            if (!rc) rc = cw_shape_expect_end(&cursor);
        }
        below = level;
        level = (struct level){level.l + 1, level.begin + size, level.l < xgft->h ? level.w * xgft->w[level.l + 1] : 0};
    }
    return rc;
}

const struct cw_shape_kind cw_shape_xgft = {.name = "xgft",
                                            .fields = fields,
                                            .endpoints = endpoints,
                                            .switches = switches,
                                            .name_switch = name_switch,
                                            .describe = describe,
                                            .partitions = partitions,
                                            .part = part,
                                            .check = check_xgft};
