#include "route/engines/balanced/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int cw_lane_order_new(const struct cw_network *net, struct cw_lane_order *order)
{
    static const char what[] = "the order of a lane";
    struct cw_lane_order made = {.net = net};
    size_t edges = 0;
    made.edge = cw_new_array((size_t)net->n_channels + 1, sizeof *made.edge, what);
    for (uint32_t c = 0; made.edge && c < net->n_channels; c++) {
        made.edge[c] = edges;
        if (!cw_network_is_endpoint(net, net->head[c])) edges += cw_network_degree(net, net->head[c]);
    }
    if (made.edge) made.edge[net->n_channels] = edges;
    made.uses = cw_new_array(edges, sizeof *made.uses, what);
    made.refused = cw_new_array(edges, sizeof *made.refused, what);
    made.place = cw_new_array(net->n_channels, sizeof *made.place, what);
    made.ahead = cw_new_array(net->n_channels, sizeof *made.ahead, what);
    made.behind = cw_new_array(net->n_channels, sizeof *made.behind, what);
    made.sorted = cw_new_array(net->n_channels, sizeof *made.sorted, what);
    made.seen = cw_new_array(net->n_channels, sizeof *made.seen, what);
    *order = made;
    if (!made.edge || !made.uses || !made.refused || !made.place || !made.ahead || !made.behind || !made.sorted ||
        !made.seen) {
        cw_lane_order_free(order);
        return CW_ENOMEM;
    }
    cw_lane_order_clear(order);
    return 0;
}

void cw_lane_order_free(struct cw_lane_order *order)
{
    free(order->edge);
    free(order->uses);
    free(order->refused);
    free(order->place);
    free(order->ahead);
    free(order->behind);
    free(order->sorted);
    free(order->seen);
    *order = (struct cw_lane_order){0};
}

void cw_lane_order_clear(struct cw_lane_order *order)
{
    memset(order->uses, 0, order->edge[order->net->n_channels] * sizeof *order->uses);
    for (uint32_t c = 0; c < order->net->n_channels; c++) order->place[c] = c;
    cw_lane_order_forgive(order);
}

void cw_lane_order_forgive(struct cw_lane_order *order)
{
    memset(order->refused, 0, order->edge[order->net->n_channels] * sizeof *order->refused);
}

static size_t edge_of(const struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    return order->edge[from] + (to - order->net->first[order->net->tail[to]]);
}

/* --- mending the order -------------------------------------------------------------------------------------------- */

/* Channels that START must come before, START among them, whose places are not behind that of LIMIT; their number, or
 * UINT32_MAX if LIMIT is one of them. */
static uint32_t find_ahead(struct cw_lane_order *order, uint32_t start, uint32_t limit)
{
    const struct cw_network *net = order->net;
    uint32_t n = 0;
    order->ahead[n++] = start;
    order->seen[start] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = order->ahead[i], v = net->head[from];
        if (cw_network_is_endpoint(net, v)) continue;
        for (uint32_t to = net->first[v]; to < net->first[v + 1]; to++) {
            if (order->uses[edge_of(order, from, to)] == 0 || order->seen[to]) continue;
            if (to == limit) {
                for (uint32_t k = 0; k < n; k++) order->seen[order->ahead[k]] = 0;
                return UINT32_MAX;
            }
            if (order->place[to] > order->place[limit]) continue;
            order->seen[to] = 1;
            order->ahead[n++] = to;
        }
    }
    return n;
}

/* Channels that must come before START, itself among them, whose places are not before that of LIMIT; their number. */
static uint32_t find_behind(struct cw_lane_order *order, uint32_t start, uint32_t limit)
{
    const struct cw_network *net = order->net;
    uint32_t n = 0;
    order->behind[n++] = start;
    order->seen[start] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t to = order->behind[i], v = net->tail[to];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t from = net->twin[c];
            if (order->uses[edge_of(order, from, to)] == 0 || order->seen[from]) continue;
            if (order->place[from] < order->place[limit]) continue;
            order->seen[from] = 1;
            order->behind[n++] = from;
        }
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts N channels by their places. */
static void sort_by_place(const struct cw_lane_order *order, uint32_t *channels, uint32_t n)
{
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) /* Shell's sort: few at a time, and no context for a comparison */
        for (uint32_t i = gap; i < n; i++) {
            const uint32_t channel = channels[i];
            uint32_t k = i;
            for (; k >= gap && order->place[channels[k - gap]] > order->place[channel]; k -= gap)
                channels[k] = channels[k - gap];
            channels[k] = channel;
        }
}

/* Brings FROM before TO, which is before it. False if TO must come before FROM. */
static bool mend(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const uint32_t n_ahead = find_ahead(order, to, from);
    if (n_ahead == UINT32_MAX) return false;
    const uint32_t n_behind = find_behind(order, from, to);
    uint32_t n = 0;
    sort_by_place(order, order->ahead, n_ahead);
    sort_by_place(order, order->behind, n_behind);
    for (uint32_t i = 0; i < n_behind; i++) order->sorted[n++] = order->place[order->behind[i]];
    for (uint32_t i = 0; i < n_ahead; i++) order->sorted[n++] = order->place[order->ahead[i]];
    qsort(order->sorted, n, sizeof *order->sorted, compare);
    for (uint32_t i = 0; i < n_behind; i++) order->place[order->behind[i]] = order->sorted[i];
    for (uint32_t i = 0; i < n_ahead; i++) order->place[order->ahead[i]] = order->sorted[n_behind + i];
    for (uint32_t i = 0; i < n_behind; i++) order->seen[order->behind[i]] = 0;
    for (uint32_t i = 0; i < n_ahead; i++) order->seen[order->ahead[i]] = 0;
    return true;
}

bool cw_lane_order_take(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const size_t edge = edge_of(order, from, to);
    if (order->uses[edge] == 0) {
        if (order->refused[edge]) return false;
        if (order->place[from] > order->place[to] && !mend(order, from, to)) {
            order->refused[edge] = 1;
            return false;
        }
    }
    order->uses[edge]++;
    return true;
}

void cw_lane_order_drop(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    order->uses[edge_of(order, from, to)]--;
}

void cw_lane_order_forgive_one(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    order->refused[edge_of(order, from, to)] = 0;
}

void cw_lane_order_cut(struct cw_lane_order *order, uint32_t channel)
{
    const struct cw_network *net = order->net;
    const uint32_t v = net->tail[channel];
    memset(order->uses + order->edge[channel], 0,
           (order->edge[channel + 1] - order->edge[channel]) * sizeof *order->uses);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) order->uses[edge_of(order, net->twin[c], channel)] = 0;
}

enum cw_lane_dependency cw_lane_order_state(const struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const size_t edge = edge_of(order, from, to);
    if (order->uses[edge] > 0) return CW_DEPENDENCY_TAKEN;
    return order->refused[edge] ? CW_DEPENDENCY_REFUSED : CW_DEPENDENCY_NEW;
}
