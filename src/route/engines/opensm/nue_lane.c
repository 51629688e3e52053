/*
 * A lane of nue: ways that never wait in a circle.
 *
 * The ways to a destination are found by Dijkstra's algorithm over channels. A channel is taken only if its dependency
 * on the channel before closes no cycle with those that are known; one that once did is refused for good. A switch that
 * is not reached makes a neighbour take another way that it knows of (backtracking); where that fails, all switches
 * take the tree, whose dependencies are known from the beginning.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engines/opensm/nue_internal.h"

/* States of dependencies. */
#define NEW     0u
#define KNOWN   1u /* it is in the order */
#define REFUSED 2u /* it closed a cycle, or there is none: back by the same cable, or to an endpoint */
#define TAKEN   4u /* with KNOWN: until the destination is done */
#define LISTED  8u /* in the list */

int cw_nue_lane_new(struct cw_nue_part *part, struct cw_nue_lane *lane)
{
    static const char what[] = "a lane of nue";
    const struct cw_network *net = part->net;
    const uint32_t n = cw_network_switches(net);
    *lane = (struct cw_nue_lane){.part = part};
    const int rc = cw_lane_order_new(net, &lane->order);
    if (rc) return rc;
    lane->n_edges = lane->order.edge[net->n_channels];
    lane->state = cw_new_array(lane->n_edges + net->n_channels, sizeof *lane->state, what);
    lane->real = cw_new_array(lane->n_edges, sizeof *lane->real, what);
    lane->reserve = cw_new_array(n, sizeof *lane->reserve, what);
    lane->into = cw_new_array(n, sizeof *lane->into, what);
    lane->distance = cw_new_array(n, sizeof *lane->distance, what);
    lane->step = cw_new_array(n, sizeof *lane->step, what);
    lane->far = cw_new_array(net->n_channels, sizeof *lane->far, what);
    lane->known = cw_new_array(net->n_channels, sizeof *lane->known, what);
    lane->n_known = cw_new_array(n, sizeof *lane->n_known, what);
    lane->was_taken = cw_new_array(net->n_channels, sizeof *lane->was_taken, what);
    if (!lane->state || !lane->real || !lane->reserve || !lane->into || !lane->distance || !lane->step || !lane->far ||
        !lane->known || !lane->n_known || !lane->was_taken)
        return CW_ENOMEM;
    return cw_nue_heap_new(net->n_channels, &lane->heap);
}

void cw_nue_lane_free(struct cw_nue_lane *lane)
{
    cw_lane_order_free(&lane->order);
    free(lane->state);
    free(lane->real);
    free(lane->reserve);
    free(lane->into);
    free(lane->distance);
    free(lane->step);
    free(lane->far);
    free(lane->known);
    free(lane->n_known);
    free(lane->list);
    free(lane->was_taken);
    free(lane->detours);
    cw_nue_heap_free(&lane->heap);
    *lane = (struct cw_nue_lane){0};
}

/* --- dependencies ------------------------------------------------------------------------------------------------- */

/* Its number. */
static size_t index_of(const struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    if (from == CW_NONE) return lane->n_edges + to;
    return lane->order.edge[from] + (to - lane->part->net->first[lane->part->net->tail[to]]);
}

static bool has(const struct cw_nue_lane *lane, uint32_t from, uint32_t to, unsigned state)
{
    return lane->state[index_of(lane, from, to)] & state;
}

/* Takes it until the destination is done. False if it closes a cycle. */
static bool take(struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    uint8_t *state = &lane->state[index_of(lane, from, to)];
    if (*state & (KNOWN | REFUSED)) return *state & KNOWN;
    if (lane->n_list == lane->list_room && lane->rc == 0)
        lane->rc = cw_grow_array((void **)&lane->list, &lane->list_room, lane->n_list + 1, sizeof *lane->list,
                                 "dependencies of nue");
    if (lane->rc) return false;
    if (from != CW_NONE && !cw_lane_order_take(&lane->order, from, to)) {
        *state |= REFUSED;
        return false;
    }
    if (!(*state & LISTED)) lane->list[lane->n_list++] = (struct cw_nue_dependency){from, to};
    *state |= KNOWN | TAKEN | LISTED;
    return true;
}

/* Gives it up, if it was taken for this destination. */
static void give_up(struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    uint8_t *state = &lane->state[index_of(lane, from, to)];
    if (!(*state & TAKEN)) return;
    *state &= (uint8_t) ~(KNOWN | TAKEN);
    if (from != CW_NONE) cw_lane_order_drop(&lane->order, from, to);
}

/* The dependency of the way into switch V; its FROM is CW_NONE at the root. */
static struct cw_nue_dependency last_of(const struct cw_nue_lane *lane, uint32_t v)
{
    return (struct cw_nue_dependency){lane->into[cw_nue_tail(lane->part->net, lane->into[v])], lane->into[v]};
}

/* Keeps those of the ways, and gives up the others that were taken. */
static void settle(struct cw_nue_lane *lane)
{
    for (uint32_t i = 0; i < lane->part->n; i++) {
        if (lane->part->order[i] == lane->root) continue;
        const struct cw_nue_dependency last = last_of(lane, lane->part->order[i]);
        const size_t index = index_of(lane, last.from, last.to);
        lane->state[index] &= (uint8_t)~TAKEN;
        if (last.from == CW_NONE) continue;
        lane->real[index] = true;
        lane->forgot |= !(lane->state[index] & KNOWN);
    }
    for (size_t i = 0; i < lane->n_list; i++) {
        give_up(lane, lane->list[i].from, lane->list[i].to);
        lane->state[index_of(lane, lane->list[i].from, lane->list[i].to)] &= (uint8_t)~LISTED;
    }
    lane->n_list = 0;
}

bool cw_nue_lane_is_sound(struct cw_nue_lane *lane)
{
    const struct cw_network *net = lane->part->net;
    const size_t *edge = lane->order.edge;
    if (!lane->forgot) return true;
    cw_lane_order_clear(&lane->order);
    for (uint32_t from = 0; from < net->n_channels; from++)
        for (size_t i = edge[from]; i < edge[from + 1]; i++) {
            const uint32_t to = net->first[net->head[from]] + (uint32_t)(i - edge[from]);
            if (lane->real[i] && !cw_lane_order_take(&lane->order, from, to)) return false;
        }
    return true;
}

/* --- the ways in reserve ------------------------------------------------------------------------------------------ */

static void reserve(struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    uint8_t *state = &lane->state[index_of(lane, from, to)];
    if (*state == NEW && cw_lane_order_take(&lane->order, from, to)) *state = KNOWN;
}

/* The way from the tree's root to V, and where there are destinations the way back, from which one may turn to any
 * other switch. The first channels of such ways are added to FIRST. */
static void reserve_way(struct cw_nue_lane *lane, uint32_t v, uint32_t *first, uint32_t *n_first)
{
    const struct cw_network *net = lane->part->net;
    uint32_t channel = lane->reserve[v];
    while (channel != CW_NONE) {
        const uint32_t w = cw_nue_tail(net, channel), before = lane->reserve[w];
        uint32_t i = 0;
        if (before == CW_NONE) {
            while (i < *n_first && first[i] != channel) i++;
            if (i == *n_first) first[(*n_first)++] = channel;
            return;
        }
        reserve(lane, before, channel);
        if (lane->n_here[v] > 0) {
            reserve(lane, net->twin[channel], net->twin[before]);
            for (uint32_t c = cw_nue_first(net, w); c < cw_nue_first(net, w + 1); c++) {
                const uint32_t other = cw_nue_leads_on(net, c) ? lane->reserve[cw_nue_head(net, c)] : CW_NONE;
                if (other != CW_NONE && cw_nue_tail(net, other) == w && other != channel)
                    reserve(lane, net->twin[channel], other);
            }
        }
        channel = before;
    }
}

static int reserve_all(struct cw_nue_lane *lane)
{
    struct cw_nue_part *part = lane->part;
    uint32_t centre = 0, n_first = 0, *first = lane->known;
    const int rc = cw_nue_centre(part, lane->n_here, &centre);
    if (rc) return rc;
    cw_nue_grow(part, centre);
    for (uint32_t i = 0; i < part->n; i++) lane->reserve[part->order[i]] = part->into[part->order[i]];
    for (uint32_t i = 0; i < part->n; i++) reserve_way(lane, part->order[i], first, &n_first);
    for (uint32_t i = 0; i < n_first; i++)
        for (uint32_t k = 0; k < n_first; k++)
            if (k != i) reserve(lane, part->net->twin[first[k]], first[i]);
    return 0;
}

/* All that can be, which is nothing between endpoints and none back by the same cable, is NEW. */
static void clear(struct cw_nue_lane *lane)
{
    const struct cw_network *net = lane->part->net;
    const size_t *edge = lane->order.edge;
    cw_lane_order_clear(&lane->order);
    memset(lane->real, 0, lane->n_edges * sizeof *lane->real);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t first = net->first[net->head[c]];
        lane->state[lane->n_edges + c] = cw_nue_leads_on(net, c) ? NEW : REFUSED;
        for (size_t i = edge[c]; i < edge[c + 1]; i++) {
            const uint32_t to = first + (uint32_t)(i - edge[c]);
            lane->state[i] = cw_nue_leads_on(net, to) && to != net->twin[c] ? NEW : REFUSED;
        }
    }
}

int cw_nue_lane_begin(struct cw_nue_lane *lane, const uint32_t *n_here, bool keeping)
{
    lane->n_here = n_here;
    lane->keeping = keeping;
    lane->forgot = false;
    clear(lane);
    return reserve_all(lane);
}

/* All ways are those of the tree, whose way to the root is turned round. */
static void take_reserve(struct cw_nue_lane *lane)
{
    for (uint32_t i = 0; i < lane->part->n; i++) lane->into[lane->part->order[i]] = lane->reserve[lane->part->order[i]];
    const struct cw_network *net = lane->part->net;
    uint32_t v = lane->root, channel = lane->into[v];
    lane->into[v] = CW_NONE;
    while (channel != CW_NONE) {
        v = cw_nue_tail(net, channel);
        const uint32_t next = lane->into[v];
        lane->into[v] = net->twin[channel];
        channel = next;
    }
}

/* --- one destination ---------------------------------------------------------------------------------------------- */

/* Remembers CHANNEL as another way into its head. */
static void remember(struct cw_nue_lane *lane, uint32_t channel)
{
    const uint32_t v = cw_nue_head(lane->part->net, channel);
    uint32_t *known = lane->known + cw_nue_first(lane->part->net, v);
    for (uint32_t i = 0; i < lane->n_known[v]; i++)
        if (known[i] == channel) return;
    known[lane->n_known[v]++] = channel;
}

/* The way on from V into the head of channel C, or CW_NONE if it goes another way. */
static uint32_t passed_on(const struct cw_nue_lane *lane, uint32_t v, uint32_t c)
{
    const struct cw_network *net = lane->part->net;
    const uint32_t on = cw_nue_leads_on(net, c) ? lane->into[cw_nue_head(net, c)] : CW_NONE;
    return on != CW_NONE && cw_nue_tail(net, on) == v ? on : CW_NONE;
}

/* Gives up the dependency of the way into V as it was. */
static void give_up_last(struct cw_nue_lane *lane, uint32_t v)
{
    const struct cw_nue_dependency last = last_of(lane, v);
    if (last.from != CW_NONE) give_up(lane, last.from, last.to);
}

/* V, which was reached before, and may have passed others on, is to be reached by CHANNEL: false if the ways on cannot
 * follow it. OpenSM gives up the dependencies that it has just taken, and means those of the old way. */
static bool shorten(struct cw_nue_lane *lane, uint32_t v, uint32_t channel)
{
    const uint32_t first = cw_nue_first(lane->part->net, v), n = cw_nue_first(lane->part->net, v + 1) - first;
    uint32_t done = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t on = passed_on(lane, v, first + i);
        lane->was_taken[i] = on != CW_NONE && has(lane, channel, on, TAKEN);
    }
    for (; done < n; done++) {
        const uint32_t on = passed_on(lane, v, first + done);
        if (on != CW_NONE && !take(lane, channel, on)) break;
    }
    const bool valid = done == n;
    if (valid) give_up_last(lane, v);
    for (uint32_t i = 0; i < done; i++) {
        const uint32_t on = passed_on(lane, v, first + i);
        if (on != CW_NONE && (valid || !lane->was_taken[i]))
            give_up(lane, valid && lane->keeping ? lane->into[v] : channel, on);
    }
    return valid;
}

/* V is reached by CHANNEL, which is next in turn. */
static void reach(struct cw_nue_lane *lane, uint32_t v, uint32_t channel, uint64_t distance)
{
    if (lane->into[v] == CW_NONE) {
        lane->n_reached++;
        lane->step[v] = lane->now;
    } else {
        cw_nue_heap_remove(&lane->heap, lane->into[v]);
        give_up_last(lane, v);
    }
    lane->far[channel] = distance;
    cw_nue_heap_add(&lane->heap, distance, channel);
}

/* Looks at channel TO as the next on the way that ends with FROM. */
static void look_at(struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    const uint32_t v = cw_nue_head(lane->part->net, to);
    const uint64_t distance = (from == CW_NONE ? 0 : lane->far[from]) + lane->part->weight[to];
    const bool late = lane->now > 0 && lane->into[v] != CW_NONE;
    if (distance >= lane->distance[v]) {
        if (late || !has(lane, from, to, KNOWN)) return;
        lane->far[to] = distance;
        remember(lane, to);
        return;
    }
    if (!take(lane, from, to)) return;
    if (late && lane->step[v] != lane->now) {
        if (!shorten(lane, v, to)) return;
    } else
        reach(lane, v, to, distance);
    lane->distance[v] = distance;
    lane->into[v] = to;
}

/* Goes on from the way that ends with CHANNEL, or from the root: by known dependencies first. */
static void go_on(struct cw_nue_lane *lane, uint32_t channel)
{
    const struct cw_network *net = lane->part->net;
    const uint32_t v = channel == CW_NONE ? lane->root : cw_nue_head(net, channel);
    const uint32_t first = cw_nue_first(net, v), n = cw_nue_first(net, v + 1) - first;
    const uint8_t *state = lane->state + index_of(lane, channel, first);
    for (uint32_t i = 0; i < n; i++)
        if (state[i] & KNOWN) look_at(lane, channel, first + i);
    for (uint32_t i = 0; i < n; i++)
        if (!(state[i] & (KNOWN | REFUSED))) look_at(lane, channel, first + i);
}

/* --- backtracking ------------------------------------------------------------------------------------------------- */

/* True if one leads back to where the other comes from. */
static bool turns_back(const struct cw_nue_lane *lane, uint32_t from, uint32_t to)
{
    const struct cw_network *net = lane->part->net;
    return net->tail[from] == net->head[to] && net->head[from] == net->tail[to];
}

/* True if all that switch V passes on can follow CHANNEL. */
static bool can_replace(const struct cw_nue_lane *lane, uint32_t v, uint32_t channel)
{
    const struct cw_network *net = lane->part->net;
    for (uint32_t c = cw_nue_first(net, v); c < cw_nue_first(net, v + 1); c++) {
        const uint32_t on = passed_on(lane, v, c);
        if (on == CW_NONE) continue;
        if (turns_back(lane, channel, on) || !has(lane, channel, on, KNOWN)) return false;
    }
    return true;
}

static int by_distance(const void *a, const void *b)
{
    const struct cw_nue_detour *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* What would reach switch V, the nearest first: how many. */
static uint32_t find_detours(struct cw_nue_lane *lane, uint32_t v)
{
    const struct cw_network *net = lane->part->net;
    uint32_t n = 0;
    for (uint32_t c = cw_nue_first(net, v); c < cw_nue_first(net, v + 1); c++) {
        const uint32_t w = cw_nue_leads_on(net, c) ? cw_nue_head(net, c) : CW_NONE;
        if (w == CW_NONE || lane->distance[w] == CW_NUE_FAR) continue;
        for (uint32_t i = 0; i < lane->n_known[w]; i++) {
            const uint32_t via = lane->known[cw_nue_first(net, w) + i];
            if (!can_replace(lane, w, via)) continue;
            if (lane->rc == 0)
                lane->rc = cw_grow_array((void **)&lane->detours, &lane->detour_room, n + 1, sizeof *lane->detours,
                                         "detours of nue");
            if (lane->rc) return 0;
            lane->detours[n] = (struct cw_nue_detour){lane->far[via], net->twin[c], via, n};
            n++;
        }
    }
    if (n > 1) qsort(lane->detours, n, sizeof *lane->detours, by_distance);
    return n;
}

/* Takes the dependencies of DETOUR. */
static bool take_detour(struct cw_nue_lane *lane, const struct cw_nue_detour *detour)
{
    const uint32_t via = detour->via, before = lane->into[cw_nue_tail(lane->part->net, via)];
    if (has(lane, via, detour->link, REFUSED) || before == CW_NONE || turns_back(lane, before, via)) return false;
    const bool was_taken = has(lane, before, via, TAKEN);
    if (!take(lane, before, via)) return false;
    if (take(lane, via, detour->link)) return true;
    if (!was_taken) give_up(lane, before, via);
    return false;
}

/* Reaches one more switch by a detour: the channel into it, or CW_NONE. Further detours are remembered. */
static uint32_t backtrack(struct cw_nue_lane *lane)
{
    for (uint32_t i = 0; i < lane->part->n; i++) {
        const uint32_t v = lane->part->order[i];
        if (lane->distance[v] != CW_NUE_FAR) continue;
        const uint32_t n = find_detours(lane, v);
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t link = lane->detours[k].link, via = lane->detours[k].via;
            if (!take_detour(lane, &lane->detours[k])) continue;
            lane->far[link] = lane->far[via] + lane->part->weight[link];
            if (lane->into[v] != CW_NONE) {
                remember(lane, link);
                continue;
            }
            lane->into[v] = link;
            lane->distance[v] = lane->far[link];
            lane->into[cw_nue_head(lane->part->net, via)] = via;
            lane->distance[cw_nue_head(lane->part->net, via)] = lane->far[via];
        }
        if (lane->into[v] != CW_NONE) return lane->into[v];
    }
    return CW_NONE;
}

/* Finds all ways to the destination at the root. */
static void search(struct cw_nue_lane *lane)
{
    for (uint32_t i = 0; i < lane->part->n; i++) {
        const uint32_t v = lane->part->order[i];
        lane->into[v] = lane->step[v] = CW_NONE;
        lane->distance[v] = CW_NUE_FAR;
        lane->n_known[v] = 0;
    }
    lane->distance[lane->root] = 0;
    lane->n_reached = 1;
    lane->now = 0;
    for (uint32_t channel = CW_NONE;;) {
        go_on(lane, channel);
        channel = cw_nue_heap_take(&lane->heap);
        if (channel != CW_NONE) continue;
        if (lane->n_reached == lane->part->n || lane->rc) return;
        channel = backtrack(lane);
        if (channel == CW_NONE) {
            take_reserve(lane);
            return;
        }
        lane->n_reached++;
        lane->now++;
    }
}

int cw_nue_lane_find(struct cw_nue_lane *lane, uint32_t root)
{
    lane->root = root;
    search(lane);
    if (lane->rc == 0) settle(lane);
    return lane->rc;
}
