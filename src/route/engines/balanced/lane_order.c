#include "route/engines/balanced/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

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
    made.place = cw_new_array(net->n_channels, sizeof *made.place, what);
    made.ahead = cw_new_array(net->n_channels, sizeof *made.ahead, what);
    made.behind = cw_new_array(net->n_channels, sizeof *made.behind, what);
    made.at = cw_new_array(net->n_channels, sizeof *made.at, what);
    made.places_ahead = cw_new_array(net->n_channels / 64 + 1, sizeof *made.places_ahead, what);
    made.places_behind = cw_new_array(net->n_channels / 64 + 1, sizeof *made.places_behind, what);
    *order = made;
    if (!made.edge || !made.row || !made.out || !made.in || !made.uses || !made.refused || !made.place || !made.ahead ||
        !made.behind || !made.at || !made.places_ahead || !made.places_behind) {
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
    free(order->place);
    free(order->ahead);
    free(order->behind);
    free(order->at);
    free(order->places_ahead);
    free(order->places_behind);
    *order = (struct cw_lane_order){0};
}

void cw_lane_order_clear(struct cw_lane_order *order)
{
    memset(order->uses, 0, order->edge[order->net->n_channels] * sizeof *order->uses);
    memset(order->out, 0, order->row[order->net->n_channels] * sizeof *order->out);
    memset(order->in, 0, order->row[order->net->n_channels] * sizeof *order->in);
    for (uint32_t c = 0; c < order->net->n_channels; c++) order->place[c] = order->at[c] = c;
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

static bool has_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

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

/* Adds the channels that come next after the I-th of `ahead`, of N, as far as their places are not behind LAST. False
 * if one of them is in `behind`. */
static bool step_ahead(struct cw_lane_order *order, uint32_t i, uint32_t last, uint32_t *n)
{
    const uint32_t from = order->ahead[i];
    uint32_t first = order->net->first[order->net->head[from]];
    for (size_t word = order->row[from]; word < order->row[from + 1]; word++, first += 64)
        for (uint64_t bits = order->out[word]; bits != 0;) {
            const uint32_t to = first + take_bit(&bits), place = order->place[to];
            if (place > last || has_bit(order->places_ahead, place)) continue;
            if (has_bit(order->places_behind, place)) return false;
            flip_bit(order->places_ahead, place);
            order->ahead[(*n)++] = to;
        }
    return true;
}

/* The same backwards: channels that come before the I-th of `behind`, whose places are not before FIRST. */
static bool step_behind(struct cw_lane_order *order, uint32_t i, uint32_t first, uint32_t *n)
{
    const uint32_t back = order->net->twin[order->behind[i]];
    uint32_t begin = order->net->first[order->net->head[back]];
    for (size_t word = order->row[back]; word < order->row[back + 1]; word++, begin += 64)
        for (uint64_t bits = order->in[word]; bits != 0;) {
            const uint32_t from = order->net->twin[begin + take_bit(&bits)], place = order->place[from];
            if (place < first || has_bit(order->places_behind, place)) continue;
            if (has_bit(order->places_ahead, place)) return false;
            flip_bit(order->places_behind, place);
            order->behind[(*n)++] = from;
        }
    return true;
}

/* Finds the channels that TO must come before, TO among them, and those that must come before FROM, as far as they are
 * between the two. False if TO must come before FROM: both searches go on in turn, as a way between the two is soon met
 * in the middle. */
static bool find_both(struct cw_lane_order *order, uint32_t from, uint32_t to, uint32_t *n_behind)
{
    const uint32_t first = order->place[to], last = order->place[from];
    uint32_t n_ahead = 1, i = 0, j = 0;
    bool apart = true;
    *n_behind = 1;
    order->ahead[0] = to;
    order->behind[0] = from;
    flip_bit(order->places_ahead, first);
    flip_bit(order->places_behind, last);
    while (apart && (i < n_ahead || j < *n_behind)) {
        if (i < n_ahead) apart = step_ahead(order, i++, last, &n_ahead);
        if (apart && j < *n_behind) apart = step_behind(order, j++, first, n_behind);
    }
    if (apart) return true;
    while (n_ahead > 0) flip_bit(order->places_ahead, order->place[order->ahead[--n_ahead]]);
    while (*n_behind > 0) flip_bit(order->places_behind, order->place[order->behind[--*n_behind]]);
    return false;
}

/* The channels at PLACES, which are from FIRST to LAST, in order. */
static void in_order(const struct cw_lane_order *order, const uint64_t *places, uint32_t first, uint32_t last,
                     uint32_t *channels)
{
    for (uint32_t word = first / 64, n = 0; word <= last / 64; word++)
        for (uint64_t bits = places[word]; bits != 0;) channels[n++] = order->at[word * 64 + take_bit(&bits)];
}

/* Brings FROM before TO, which is before it. False if TO must come before FROM. */
static bool mend(struct cw_lane_order *order, uint32_t from, uint32_t to)
{
    const uint32_t first = order->place[to], last = order->place[from];
    uint32_t n_behind;
    if (!find_both(order, from, to, &n_behind)) return false;
    in_order(order, order->places_ahead, first, last, order->ahead);
    in_order(order, order->places_behind, first, last, order->behind);
    for (uint32_t word = first / 64, n = 0; word <= last / 64; word++) {
        for (uint64_t bits = order->places_ahead[word] | order->places_behind[word]; bits != 0; n++) {
            const uint32_t place = word * 64 + take_bit(&bits);
            const uint32_t channel = n < n_behind ? order->behind[n] : order->ahead[n - n_behind];
            order->at[place] = channel;
            order->place[channel] = place;
        }
        order->places_ahead[word] = order->places_behind[word] = 0;
    }
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
