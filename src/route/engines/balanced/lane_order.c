#include "route/engines/balanced/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* The channels are a ring, with n_channels as the place where it begins. */
static void link_up(struct cw_lane_order *order, uint32_t before, uint32_t after)
{
    order->next[before] = after;
    order->previous[after] = before;
}

/* Gives all channels labels anew, far apart. */
static void label_all(struct cw_lane_order *order)
{
    const uint32_t n = order->net->n_channels;
    const uint64_t step = UINT64_MAX / ((uint64_t)n + 1);
    uint64_t label = 0;
    for (uint32_t c = order->next[n]; c != n; c = order->next[c]) order->label[c] = label += step;
}

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
    made.row = cw_new_array((size_t)net->n_channels + 1, sizeof *made.row, what);
    for (uint32_t c = 0; made.row && c < net->n_channels; c++)
        made.row[c + 1] = made.row[c] + (cw_network_degree(net, net->head[c]) + 63) / 64;
    made.out = cw_new_array(made.row ? made.row[net->n_channels] : 0, sizeof *made.out, what);
    made.in = cw_new_array(made.row ? made.row[net->n_channels] : 0, sizeof *made.in, what);
    made.uses = cw_new_array(edges, sizeof *made.uses, what);
    made.refused = cw_new_array(edges, sizeof *made.refused, what);
    made.label = cw_new_array(net->n_channels, sizeof *made.label, what);
    made.next = cw_new_array((size_t)net->n_channels + 1, sizeof *made.next, what);
    made.previous = cw_new_array((size_t)net->n_channels + 1, sizeof *made.previous, what);
    made.side = cw_new_array(net->n_channels, sizeof *made.side, what);
    made.front = cw_new_array(net->n_channels, sizeof *made.front, what);
    made.rear = cw_new_array(net->n_channels, sizeof *made.rear, what);
    made.ahead = cw_new_array(net->n_channels, sizeof *made.ahead, what);
    made.behind = cw_new_array(net->n_channels, sizeof *made.behind, what);
    *order = made;
    if (!made.edge || !made.row || !made.out || !made.in || !made.uses || !made.refused || !made.label || !made.next ||
        !made.previous || !made.side || !made.front || !made.rear || !made.ahead || !made.behind) {
        cw_lane_order_free(order);
        return CW_ENOMEM;
    }
    cw_lane_order_clear(order);
    return 0;
}

void cw_lane_order_free(struct cw_lane_order *order)
{
    free(order->edge);
    free(order->row);
    free(order->out);
    free(order->in);
    free(order->uses);
    free(order->refused);
    free(order->label);
    free(order->next);
    free(order->previous);
    free(order->side);
    free(order->front);
    free(order->rear);
    free(order->ahead);
    free(order->behind);
    *order = (struct cw_lane_order){0};
}

void cw_lane_order_clear(struct cw_lane_order *order)
{
    memset(order->uses, 0, order->edge[order->net->n_channels] * sizeof *order->uses);
    memset(order->out, 0, order->row[order->net->n_channels] * sizeof *order->out);
    memset(order->in, 0, order->row[order->net->n_channels] * sizeof *order->in);
    for (uint32_t c = 0; c <= order->net->n_channels; c++) link_up(order, c, c == order->net->n_channels ? 0 : c + 1);
    label_all(order);
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

/* --- bits ----------------------------------------------------------------------------------------------------------
 */

static void flip_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] ^= UINT64_C(1) << i % 64;
}

/* The number of the lowest bit of *BITS, which is taken out. */
static uint32_t take_bit(uint64_t *bits)
{
    const uint32_t i = (uint32_t)__builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return i;
}

/* Enters the dependency of TO on FROM into both rows, or takes it out. */
static void turn(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const struct cw_network *net = order->net;
    const uint32_t v = net->tail[to], port = to - net->first[v], before = net->twin[from] - net->first[v];
    flip_bit(order->out + order->row[from], port);
    flip_bit(order->in + order->row[net->twin[to]], before);
}

/* --- mending the order -------------------------------------------------------------------------------------------- */

static bool is_before(const void *context, const struct cw_lane_front *a, const struct cw_lane_front *b)
{
    (void)context;
    return a->label < b->label;
}

static bool is_behind(const void *context, const struct cw_lane_front *a, const struct cw_lane_front *b)
{
    (void)context;
    return a->label > b->label;
}

CW_HEAP(front, struct cw_lane_front, 4, const void *, is_before, CW_HEAP_PUT)
CW_HEAP(rear, struct cw_lane_front, 4, const void *, is_behind, CW_HEAP_PUT)

enum side { NEITHER, AHEAD, BEHIND };

/* Goes on from the first channel of the search ahead, to channels that are not behind LAST. False if one of them was
 * met by the search behind. */
static bool step_ahead(struct cw_lane_order *order, uint64_t last)
{
    const uint32_t from = front_pop(NULL, order->front, &order->n_front).channel;
    uint32_t first = order->net->first[order->net->head[from]];
    order->ahead[order->n_ahead++] = from;
    for (size_t word = order->row[from]; word < order->row[from + 1]; word++, first += 64)
        for (uint64_t bits = order->out[word]; bits != 0;) {
            const uint32_t to = first + take_bit(&bits);
            if (order->side[to] == BEHIND) return false;
            if (order->side[to] == AHEAD || order->label[to] > last) continue;
            order->side[to] = AHEAD;
            front_push(NULL, order->front, &order->n_front, (struct cw_lane_front){order->label[to], to});
        }
    return true;
}

/* The same backwards, from the last channel of the search behind, to channels that are not before FIRST. */
static bool step_behind(struct cw_lane_order *order, uint64_t first)
{
    const uint32_t to = rear_pop(NULL, order->rear, &order->n_rear).channel, back = order->net->twin[to];
    uint32_t begin = order->net->first[order->net->head[back]];
    order->behind[order->n_behind++] = to;
    for (size_t word = order->row[back]; word < order->row[back + 1]; word++, begin += 64)
        for (uint64_t bits = order->in[word]; bits != 0;) {
            const uint32_t from = order->net->twin[begin + take_bit(&bits)];
            if (order->side[from] == AHEAD) return false;
            if (order->side[from] == BEHIND || order->label[from] < first) continue;
            order->side[from] = BEHIND;
            rear_push(NULL, order->rear, &order->n_rear, (struct cw_lane_front){order->label[from], from});
        }
    return true;
}

/* Searches for what TO must come before, and for what must come before FROM, towards each other in order, until both
 * have met in between or one has found all. False if TO must come before FROM. */
static bool search_both(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const uint64_t first = order->label[to], last = order->label[from];
    order->n_ahead = order->n_behind = 0;
    order->n_front = order->n_rear = 1;
    order->front[0] = (struct cw_lane_front){first, to};
    order->rear[0] = (struct cw_lane_front){last, from};
    order->side[to] = AHEAD;
    order->side[from] = BEHIND;
    bool apart = true;
    for (bool ahead = true; apart && order->n_front > 0 && order->n_rear > 0; ahead = !ahead) {
        if (order->front[0].label > order->rear[0].label) break;
        apart = ahead ? step_ahead(order, last) : step_behind(order, first);
    }
    for (uint32_t i = 0; i < order->n_ahead; i++) order->side[order->ahead[i]] = NEITHER;
    for (uint32_t i = 0; i < order->n_behind; i++) order->side[order->behind[i]] = NEITHER;
    for (size_t i = 0; i < order->n_front; i++) order->side[order->front[i].channel] = NEITHER;
    for (size_t i = 0; i < order->n_rear; i++) order->side[order->rear[i].channel] = NEITHER;
    return apart;
}

/* Takes the N CHANNELS from their places and puts them, in order, before channel TO (n_channels: last of all). */
static void put_before(struct cw_lane_order *order, uint32_t to, const uint32_t *channels, uint32_t n)
{
    const uint32_t end = order->net->n_channels;
    for (uint32_t i = 0; i < n; i++) link_up(order, order->previous[channels[i]], order->next[channels[i]]);
    const uint32_t before = order->previous[to];
    const uint64_t low = before == end ? 0 : order->label[before], high = to == end ? UINT64_MAX : order->label[to];
    const uint64_t step = (high - low) / ((uint64_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        link_up(order, i == 0 ? before : channels[i - 1], channels[i]);
        order->label[channels[i]] = low + (i + 1) * step;
    }
    if (n > 0) link_up(order, channels[n - 1], to);
    if (step == 0) label_all(order);
}

static void turn_round(uint32_t *channels, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        const uint32_t channel = channels[i];
        channels[i] = channels[n - 1 - i];
        channels[n - 1 - i] = channel;
    }
}

/* Brings FROM before TO, which is before it. False if TO must come before FROM. Where the searches met, what was found
 * by them goes between what is before and what is behind the place: first what must come before FROM. */
static bool mend(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    if (!search_both(order, from, to)) return false;
    if (order->n_front == 0) {
        put_before(order, order->next[from], order->ahead, order->n_ahead);
        return true;
    }
    const uint32_t place = order->n_rear == 0 ? to : order->front[0].channel;
    while (order->n_behind > 0 && order->label[order->behind[order->n_behind - 1]] < order->label[place])
        order->n_behind--;
    turn_round(order->behind, order->n_behind);
    put_before(order, place, order->behind, order->n_behind);
    if (order->n_rear > 0) put_before(order, place, order->ahead, order->n_ahead);
    return true;
}

bool cw_lane_order_take(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const size_t edge = edge_of(order, from, to);
    if (order->uses[edge] == 0) {
        if (order->refused[edge]) return false;
        if (order->label[from] > order->label[to] && !mend(order, from, to)) {
            order->refused[edge] = 1;
            return false;
        }
        turn(order, from, to);
    }
    order->uses[edge]++;
    return true;
}

void cw_lane_order_drop(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    if (--order->uses[edge_of(order, from, to)] == 0) turn(order, from, to);
}

void cw_lane_order_forgive_one(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    order->refused[edge_of(order, from, to)] = 0;
}

static void forget(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    uint32_t *uses = &order->uses[edge_of(order, from, to)];
    if (*uses > 0) turn(order, from, to);
    *uses = 0;
}

void cw_lane_order_cut(struct cw_lane_order *order, uint32_t channel)
{
    const struct cw_network *net = order->net;
    const uint32_t v = net->tail[channel], w = net->head[channel];
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) forget(order, net->twin[c], channel);
    for (uint32_t c = net->first[w]; c < net->first[w + 1]; c++) forget(order, channel, c);
}

enum cw_lane_dependency cw_lane_order_state(const struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const size_t edge = edge_of(order, from, to);
    if (order->uses[edge] > 0) return CW_DEPENDENCY_TAKEN;
    return order->refused[edge] ? CW_DEPENDENCY_REFUSED : CW_DEPENDENCY_NEW;
}
