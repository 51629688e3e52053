/*
 * All dimension-order routes between all nodes at once.
 *
 * While a route goes along a line of dimension D, its coordinates in the dimensions before D (in the order of routing)
 * are the destination's already, and those behind D still the source's. So a line is used by every pair (x, y) of its
 * coordinates, once for each source that differs in the dimensions before and each destination that differs in those
 * behind. Which way round a tie goes may depend on the parity of all of the destination's coordinates: those before D
 * are the line's, y is known, and of those behind D it is known how many have an even sum.
 *
 *   loads         of a channel depend on D, the coordinate it leaves, its direction, and the parity of the line's
 *                 coordinates before D: O(Σ k²) and one look at each channel.
 *   lengths       are sums of independent distances: their numbers are the product of polynomials.
 *   dependencies  within a line, and from one dimension to a later one at a node. There is one if some x leads to the
 *                 first channel and some y behind the second, for one parity of the destination that both agree with.
 *                 What is possible in a line is found by going all its ways, O(Σ k³).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/dor_internal.h"

#define LONGEST_LINE 1024 /* k: that of all ways in a line is tried */

/* Ways to leave or to reach a coordinate: 2 · (up) + lane, a bit each. */
enum { WAYS = 4 };

/* What is possible along a line of one dimension, by the parity of the destination's coordinates Q and R, that of y. */
struct line {
    uint32_t k;
    uint64_t *up[2][2], *down[2][2]; /* [q][r][x] pairs (x, y) that leave coordinate x that way */
    uint8_t *arrive[2];              /* [q][y] ways to reach y, from some x */
    uint8_t *leave[2][2];            /* [q][r][x] ways to begin at x, to some y */
    uint16_t *through[2][2];         /* [q][r][x] pairs of ways in and out of x: bit 4 · way in + way out */
};

struct census {
    const struct cw_dor *dor;
    struct cw_survey *survey;
    uint32_t lanes;
    struct line line[CW_TORUS_DIMENSIONS];
    uint64_t before[CW_TORUS_DIMENSIONS];    /* nodes that differ in the dimensions routed before */
    uint64_t behind[CW_TORUS_DIMENSIONS][2]; /* … behind, with an even and an odd sum of these coordinates */
};

/* --- lines -------------------------------------------------------------------------------------------------------- */

static int new_line(struct line *line, uint32_t k)
{
    static const char what[] = "dimension-order routes";
    bool good = true;
    line->k = k;
    for (int q = 0; q < 2; q++) {
        good = good && (line->arrive[q] = cw_new_array(k, sizeof(uint8_t), what));
        for (int r = 0; r < 2; r++) {
            good = good && (line->up[q][r] = cw_new_array(k, sizeof(uint64_t), what));
            good = good && (line->down[q][r] = cw_new_array(k, sizeof(uint64_t), what));
            good = good && (line->leave[q][r] = cw_new_array(k, sizeof(uint8_t), what));
            good = good && (line->through[q][r] = cw_new_array(k, sizeof(uint16_t), what));
        }
    }
    return good ? 0 : CW_ENOMEM;
}

static void free_line(struct line *line)
{
    for (int q = 0; q < 2; q++) {
        free(line->arrive[q]);
        for (int r = 0; r < 2; r++) {
            free(line->up[q][r]);
            free(line->down[q][r]);
            free(line->leave[q][r]);
            free(line->through[q][r]);
        }
    }
}

static bool goes_up(const struct cw_dor *dor, uint32_t d, uint32_t x, uint32_t y, uint32_t odd)
{
    const uint32_t k = dor->dimension[d].k, plus = y > x ? y - x : y + k - x;
    if (!dor->wrap) return y > x;
    return 2 * plus == k ? cw_dor_tie_goes_plus(dor->tie, x, k, odd) : 2 * plus < k;
}

/* Goes from X to Y of dimension D, for destinations with a sum of parity Q. */
static void go_way(const struct census *census, uint32_t d, uint32_t x, uint32_t y, uint32_t q)
{
    struct line *line = (struct line *)&census->line[d];
    const uint32_t k = line->k, r = y % 2;
    const bool up = goes_up(census->dor, d, x, y, q);
    uint64_t *const load = up ? line->up[q][r] : line->down[q][r];
    bool crossed = false;
    int last = -1;
    for (uint32_t at = x; at != y;) {
        const uint32_t next = up ? (at + 1 == k ? 0 : at + 1) : (at == 0 ? k - 1 : at - 1);
        crossed = crossed || (up ? next < at : next > at);
        const int way = 2 * up + (crossed && census->lanes > 1);
        load[at]++;
        if (last < 0)
            line->leave[q][r][at] |= (uint8_t)(1u << way);
        else
            line->through[q][r][at] |= (uint16_t)(1u << (WAYS * last + way));
        last = way;
        at = next;
    }
    line->arrive[q][y] |= (uint8_t)(1u << last);
}

static int fill_lines(struct census *census)
{
    const struct cw_dor *dor = census->dor;
    for (uint32_t d = 0; d < dor->n; d++) {
        const uint32_t k = dor->dimension[d].k;
        const int rc = new_line(&census->line[d], k);
        if (rc) return rc;
        for (uint32_t x = 0; x < k; x++)
            for (uint32_t y = 0; y < k; y++)
                for (uint32_t q = 0; q < 2 && x != y; q++) go_way(census, d, x, y, q);
    }
    for (uint32_t i = 0; i < dor->n; i++)
        census->before[dor->order[i]] =
            i > 0 ? census->before[dor->order[i - 1]] * dor->dimension[dor->order[i - 1]].k : 1;
    uint64_t even = 1, odd = 0;
    for (uint32_t i = dor->n; i-- > 0;) {
        const uint32_t d = dor->order[i], k = dor->dimension[d].k, evens = k - k / 2, odds = k / 2;
        census->behind[d][0] = even;
        census->behind[d][1] = odd;
        const uint64_t sum = even * evens + odd * odds;
        odd = even * odds + odd * evens;
        even = sum;
    }
    return 0;
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static void coordinates(const struct cw_dor *dor, uint32_t node, uint32_t *at)
{
    for (uint32_t d = 0; d < dor->n; d++) {
        at[d] = node % dor->dimension[d].k;
        node /= dor->dimension[d].k;
    }
}

static uint32_t channel_from(const struct cw_dor *dor, uint32_t node, const uint32_t *at, uint32_t d, bool up)
{
    const uint32_t channel = dor->net->first[dor->net->n_endpoints + node] + cw_dor_first_port(dor, d, at);
    return up ? channel : channel + cw_dor_minus_port(dor, d, at[d]);
}

/* The channel into NODE of a route that goes up or down dimension D. */
static uint32_t channel_into(const struct cw_dor *dor, uint32_t node, uint32_t *at, uint32_t d, bool up)
{
    const uint32_t k = dor->dimension[d].k, stride = dor->dimension[d].stride, x = at[d];
    const uint32_t from = up ? (x == 0 ? k - 1 : x - 1) : (x + 1 == k ? 0 : x + 1);
    at[d] = from;
    const uint32_t channel = channel_from(dor, node + (from - x) * stride, at, d, up);
    at[d] = x;
    return channel;
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

static void add_node(const struct census *census, uint32_t node)
{
    const struct cw_dor *dor = census->dor;
    const struct cw_network *net = dor->net;
    uint32_t at[CW_TORUS_DIMENSIONS], parity = 0; /* of the coordinates before D */
    coordinates(dor, node, at);
    for (uint32_t i = 0; i < dor->n; i++) {
        const uint32_t d = dor->order[i];
        const struct line *line = &census->line[d];
        for (uint32_t q = 0; q < 2; q++)
            for (uint32_t r = 0; r < 2; r++) {
                const uint64_t times = census->before[d] * census->behind[d][q ^ r ^ parity];
                const uint64_t up = line->up[q][r][at[d]], down = line->down[q][r][at[d]];
                if (up > 0) census->survey->load[channel_from(dor, node, at, d, true)] += times * up;
                if (down > 0) census->survey->load[channel_from(dor, node, at, d, false)] += times * down;
            }
        parity ^= at[d] % 2;
    }
    census->survey->load[net->first[node]] += net->n_endpoints - 1;
    census->survey->load[net->first[net->n_endpoints + node]] += net->n_endpoints - 1;
}

static int add_lengths(const struct census *census)
{
    const struct cw_dor *dor = census->dor;
    uint32_t longest = 0;
    for (uint32_t d = 0; d < dor->n; d++) longest += dor->dimension[d].k;
    uint64_t *routes = cw_new_array((size_t)longest + 1, sizeof *routes, "lengths of routes"); /* pairs by distance */
    uint64_t *more = cw_new_array((size_t)longest + 1, sizeof *more, "lengths of routes");
    if (!routes || !more) {
        free(routes);
        free(more);
        return CW_ENOMEM;
    }
    routes[0] = 1;
    for (uint32_t d = 0, reached = 0; d < dor->n; reached += dor->dimension[d++].k) {
        const uint32_t k = dor->dimension[d].k;
        memset(more, 0, (longest + 1) * sizeof *more);
        for (uint32_t x = 0; x < k; x++)
            for (uint32_t y = 0; y < k; y++) {
                const uint32_t straight = x > y ? x - y : y - x;
                const uint32_t hops = dor->wrap && k - straight < straight ? k - straight : straight;
                for (uint32_t h = 0; h <= reached; h++) more[h + hops] += routes[h];
            }
        memcpy(routes, more, (longest + 1) * sizeof *more);
    }
    for (uint32_t h = 1; h <= longest; h++) {
        cw_survey_routes(census->survey, routes[h], h + 2);
        census->survey->minimal += routes[h];
    }
    free(routes);
    free(more);
    return 0;
}

/* --- dependencies ------------------------------------------------------------------------------------------------- */

/* True if the coordinates behind D can have a sum of this parity. */
static bool can_end(const struct census *census, uint32_t d, uint32_t parity)
{
    return census->behind[d][parity % 2] > 0;
}

/* The ways by which routes to destinations of parity Q leave a node along D; PARITY is that of the coordinates before.
 */
static uint32_t ways_out(const struct census *census, uint32_t d, uint32_t x, uint32_t q, uint32_t parity)
{
    uint32_t ways = 0;
    for (uint32_t r = 0; r < 2; r++)
        if (can_end(census, d, q ^ r ^ parity)) ways |= census->line[d].leave[q][r][x];
    return ways;
}

static void add_ways_out(const struct census *census, uint32_t from, uint32_t lane, uint32_t node, const uint32_t *at,
                         uint32_t d, uint32_t ways)
{
    for (; ways != 0; ways &= ways - 1) {
        const uint32_t way = (uint32_t)__builtin_ctz(ways);
        cw_dependencies_add(census->survey->graph, from, lane, channel_from(census->dor, node, at, d, way / 2),
                            way % 2);
    }
}

/* From the host's channel and from each dimension's into each later one, and through the node. */
static void add_turns(const struct census *census, uint32_t node)
{
    const struct cw_dor *dor = census->dor;
    const struct cw_network *net = dor->net;
    const uint32_t host_out = net->first[node], host_in = net->first[net->n_endpoints + node];
    uint32_t at[CW_TORUS_DIMENSIONS], into[CW_TORUS_DIMENSIONS][2], sum = 0;
    coordinates(dor, node, at);
    for (uint32_t d = 0; d < dor->n; d++) {
        sum ^= at[d] % 2;
        for (uint32_t up = 0; up < 2; up++)
            into[d][up] = dor->dimension[d].k > 1 ? channel_into(dor, node, at, d, up) : CW_NONE;
    }
    for (uint32_t j = 0, parity = 0; j < dor->n; parity ^= at[dor->order[j++]] % 2) {
        const uint32_t d = dor->order[j];
        for (uint32_t q = 0; q < 2; q++) {
            const uint32_t ways = ways_out(census, d, at[d], q, parity);
            if (ways == 0) continue;
            add_ways_out(census, host_out, 0, node, at, d, ways);
            for (uint32_t i = 0; i < j; i++)
                for (uint32_t in = 0, e = dor->order[i]; in < WAYS; in++)
                    if (census->line[e].arrive[q][at[e]] >> in & 1)
                        add_ways_out(census, into[e][in / 2], in % 2, node, at, d, ways);
        }
        for (uint32_t in = 0; in < WAYS; in++) {
            uint32_t ways = 0;
            for (uint32_t q = 0; q < 2; q++)
                for (uint32_t r = 0; r < 2; r++)
                    if (can_end(census, d, q ^ r ^ parity))
                        ways |= census->line[d].through[q][r][at[d]] >> WAYS * in & 15;
            if (ways != 0) add_ways_out(census, into[d][in / 2], in % 2, node, at, d, ways);
            if (census->line[d].arrive[sum][at[d]] >> in & 1)
                cw_dependencies_add(census->survey->graph, into[d][in / 2], in % 2, host_in, 0);
        }
    }
}

static int take_census(struct census *census)
{
    int rc = fill_lines(census);
    if (rc == 0 && census->survey->load) rc = add_lengths(census);
    for (uint32_t node = 0; node < census->dor->net->n_endpoints && rc == 0; node++) {
        if (census->survey->load) add_node(census, node);
        if (census->survey->graph) add_turns(census, node);
    }
    return rc;
}

bool cw_dor_can_survey(const struct cw_dor *dor)
{
    for (uint32_t d = 0; d < dor->n; d++)
        if (dor->dimension[d].k > LONGEST_LINE) return false;
    return true;
}

int cw_dor_survey(const struct cw_dor *dor, struct cw_survey *survey)
{
    struct census census = {.dor = dor, .survey = survey, .lanes = survey->graph ? survey->graph->lanes : 1};
    const int rc = take_census(&census);
    for (uint32_t d = 0; d < dor->n; d++) free_line(&census.line[d]);
    return rc;
}
