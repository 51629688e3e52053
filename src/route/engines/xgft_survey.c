/*
 * All routes of an XGFT under D-mod-k at once.
 *
 * In every block of level l (the endpoints below a vertex of level l) the route to d goes up by the channel of that
 * block's that depends on d only, or on d and on the block's digit (xgft_paths.h); and it comes down to d by channels
 * that depend on d only. So, with n(B) endpoints that take part in block B and n in all:
 *
 *   loads         the channel up from B that those outside B choose, c(d), carries n(B) routes for each d outside B;
 *                 the channel down from level l + 1 towards d carries the n - n(B) routes from outside d's block B.
 *   lengths       pairs with their lowest common ancestor at level l are Σ n(B)² over blocks of level l less that of
 *                 level l - 1, and their routes are of 2·l hops, the shortest: a walk that changes the block of level
 *                 l - 1 passes level l.
 *   dependencies  up, up: in every block, for each pair of choices that some d outside it makes; up, down: for each d,
 *                 from its block's siblings; down, down: for each d. As levels first rise and then fall, there is no
 *                 cycle.
 *
 * S-mod-k's routes are D-mod-k's from d to s walked backwards: every channel is its twin, and every dependency leads
 * the other way. O(channels + endpoints · h) for loads, about the number of dependencies for these.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/xgft_paths.h"

struct census {
    const struct cw_xgft_paths *paths;
    struct cw_survey *survey;
    bool backwards;
    const uint32_t *chosen; /* [n] endpoints that take part; NULL: all */
    uint32_t n;
    uint32_t *in_block; /* [endpoints] of the level at hand: those in each block that take part */
};

/* A way to go up two levels, or one, that some destinations have in common. */
struct choice {
    uint64_t lower, upper; /* what the channels depend on but for the blocks */
    uint32_t d;            /* one of these destinations */
    uint32_t n;            /* how many they are */
    uint32_t block;        /* the block of the upper level that all of them are in, or CW_NONE */
};

static uint32_t chosen(const struct census *census, uint32_t i)
{
    return census->chosen ? census->chosen[i] : i;
}

static uint32_t block_of(const struct census *census, uint32_t l, uint32_t endpoint)
{
    return cw_fast_divide(endpoint, census->paths->level[l].block);
}

static uint32_t blocks(const struct census *census, uint32_t l)
{
    return block_of(census, l, census->paths->net->n_endpoints - 1) + 1;
}

static uint32_t offset_index(const struct cw_xgft_level *level, uint32_t d)
{
    return d - cw_fast_divide(d, level->block) * level->modulus;
}

/* What the channel up from level L towards D depends on besides the block. */
static uint64_t key_of(const struct census *census, uint32_t l, uint32_t d)
{
    const struct cw_xgft_level *level = &census->paths->level[l];
    return (uint64_t)level->offset[offset_index(level, d)].up << 32 | (level->slot ? level->slot[d] : 0);
}

static uint32_t up_channel(const struct census *census, uint32_t l, uint32_t block, uint32_t d)
{
    const struct cw_xgft_level *level = &census->paths->level[l];
    const uint32_t channel = block * level->stride + level->offset[offset_index(level, d)].up;
    return level->slot ? channel + level->port[block % level->children * level->slots + level->slot[d]] : channel;
}

/* The channel from level L down towards D. */
static uint32_t down_channel(const struct census *census, uint32_t l, uint32_t d)
{
    const struct cw_xgft_level *level = &census->paths->level[l];
    return cw_fast_divide(d, level->block) * level->stride + level->offset[offset_index(level, d)].down;
}

static void add_load(const struct census *census, uint32_t channel, uint64_t n)
{
    census->survey->load[census->backwards ? census->paths->net->twin[channel] : channel] += n;
}

static void add_dependency(const struct census *census, uint32_t from, uint32_t to)
{
    const uint32_t *twin = census->paths->net->twin;
    if (census->backwards)
        cw_dependencies_add(census->survey->graph, twin[to], 0, twin[from], 0);
    else
        cw_dependencies_add(census->survey->graph, from, 0, to, 0);
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static int compare_choices(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->upper != y->upper) return x->upper < y->upper ? -1 : 1;
    return (x->lower > y->lower) - (x->lower < y->lower);
}

/* The different choices upwards at level L, of channels at L - 1 and L if TWO, else at L. */
static int find_choices(const struct census *census, uint32_t l, bool two, struct choice **out, uint32_t *n_out)
{
    struct choice *list = cw_new_array(census->n, sizeof *list, "routes of an XGFT");
    if (!list) return CW_ENOMEM;
    for (uint32_t i = 0; i < census->n; i++) {
        const uint32_t d = chosen(census, i);
        list[i] = (struct choice){.lower = two ? key_of(census, l - 1, d) : 0,
                                  .upper = key_of(census, l, d),
                                  .d = d,
                                  .n = 1,
                                  .block = block_of(census, l, d)};
    }
    qsort(list, census->n, sizeof *list, compare_choices);
    uint32_t n = 0;
    for (uint32_t i = 0; i < census->n; i++) {
        if (n == 0 || compare_choices(&list[n - 1], &list[i]) != 0) {
            list[n++] = list[i];
            continue;
        }
        list[n - 1].n++;
        if (list[n - 1].block != list[i].block) list[n - 1].block = CW_NONE;
    }
    *out = list;
    *n_out = n;
    return 0;
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

static void count_blocks(const struct census *census, uint32_t l)
{
    for (uint32_t b = 0; b < blocks(census, l); b++) census->in_block[b] = 0;
    for (uint32_t i = 0; i < census->n; i++) census->in_block[block_of(census, l, chosen(census, i))]++;
}

static uint64_t sum_squares(const struct census *census, uint32_t l)
{
    uint64_t sum = 0;
    count_blocks(census, l);
    for (uint32_t b = 0; b < blocks(census, l); b++) sum += (uint64_t)census->in_block[b] * census->in_block[b];
    return sum;
}

static void add_lengths(const struct census *census)
{
    uint64_t below = census->n;
    for (uint32_t l = 1; l <= census->paths->h; l++) {
        const uint64_t sum = sum_squares(census, l);
        cw_survey_routes(census->survey, sum - below, 2 * l);
        census->survey->minimal += sum - below;
        below = sum;
    }
}

/* Between level L and the one above. */
static int add_level(const struct census *census, uint32_t l)
{
    struct choice *choices;
    uint32_t n;
    const int rc = find_choices(census, l, false, &choices, &n);
    if (rc) return rc;
    count_blocks(census, l);
    for (uint32_t b = 0; b < blocks(census, l); b++)
        for (uint32_t i = 0; i < n && census->in_block[b] > 0; i++)
            add_load(census, up_channel(census, l, b, choices[i].d), (uint64_t)census->in_block[b] * choices[i].n);
    for (uint32_t i = 0; i < census->n; i++) { /* what is for the block itself does not leave it */
        const uint32_t d = chosen(census, i), b = block_of(census, l, d);
        add_load(census, up_channel(census, l, b, d), -(uint64_t)census->in_block[b]);
        add_load(census, down_channel(census, l + 1, d), census->n - census->in_block[b]);
    }
    free(choices);
    return 0;
}

/* --- dependencies, all endpoints taking part ---------------------------------------------------------------------- */

static int add_up_up(const struct census *census, uint32_t l)
{
    struct choice *choices;
    uint32_t n;
    const int rc = find_choices(census, l, true, &choices, &n);
    if (rc) return rc;
    const uint32_t children = census->paths->level[l - 1].children;
    for (uint32_t b = 0; b < blocks(census, l); b++)
        for (uint32_t i = 0; i < n; i++) {
            if (choices[i].block == b) continue;
            const uint32_t to = up_channel(census, l, b, choices[i].d);
            for (uint32_t c = 0; c < children; c++)
                add_dependency(census, up_channel(census, l - 1, b * children + c, choices[i].d), to);
        }
    free(choices);
    return 0;
}

/* At the turn above level L, and down from there. */
static void add_down(const struct census *census, uint32_t l)
{
    const uint32_t children = census->paths->level[l].children;
    const bool passed = blocks(census, l) > 1; /* somebody is outside d's block */
    for (uint32_t d = 0; d < census->n; d++) {
        const uint32_t block = block_of(census, l, d), first = block / children * children;
        const uint32_t down = down_channel(census, l + 1, d);
        for (uint32_t b = first; b < first + children; b++)
            if (b != block) add_dependency(census, up_channel(census, l, b, d), down);
        if (l > 0 && passed) add_dependency(census, down, down_channel(census, l, d));
    }
}

static int take_census(const struct census *census)
{
    const uint32_t h = census->paths->h;
    int rc = 0;
    if (census->survey->load) {
        add_lengths(census);
        for (uint32_t l = 0; l < h && rc == 0; l++) rc = add_level(census, l);
    }
    for (uint32_t l = 0; l < h && rc == 0 && census->survey->graph; l++) {
        if (l > 0) rc = add_up_up(census, l);
        if (rc == 0) add_down(census, l);
    }
    return rc;
}

int cw_xgft_survey(const struct cw_xgft_paths *paths, bool backwards, struct cw_survey *survey)
{
    const struct cw_selection *selection = survey->selection;
    struct census census = {.paths = paths,
                            .survey = survey,
                            .backwards = backwards,
                            .chosen = selection ? selection->endpoints : NULL,
                            .n = selection ? selection->n : paths->net->n_endpoints,
                            .in_block = cw_new_array(paths->net->n_endpoints, sizeof(uint32_t), "blocks of an XGFT")};
    if (!census.in_block) return CW_ENOMEM;
    const int rc = take_census(&census);
    free(census.in_block);
    return rc;
}
