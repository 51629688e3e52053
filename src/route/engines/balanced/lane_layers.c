#include "route/engines/balanced/lane_layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

#define NO_PORT UINT16_MAX

enum { NEW, IN_PROGRESS, DONE };

/* A channel on the stack of the search for cycles, and the port out of its head that is looked at. */
struct visit {
    uint32_t channel, port;
};

/* Switches are counted from 0. Endpoints of one switch share their routes to a destination, and so a lane. */
struct layers {
    const struct cw_network *net;
    const struct cw_routes *routes;
    uint32_t n, n_leaves;
    uint32_t *leaf;   /* [n] its number among switches with endpoints, or CW_NONE */
    uint16_t *port;   /* [n · n_endpoints] by which a switch is left towards a destination */
    uint8_t *lane;    /* [n_leaves · n_endpoints] of the routes from the endpoints of a switch */
    size_t *edge;     /* [n_channels] first dependency on a channel out of its head; those into endpoints have none */
    uint32_t *routed; /* [dependencies] routes of this lane that make it */
    uint32_t now;     /* this lane */
    uint64_t moved;   /* routes to the next lane */

    uint8_t *state;  /* [n_channels] of the search */
    uint32_t *depth; /* [n_channels] place on the stack; of those that are done, how many were before */
    uint32_t n_done;
    struct visit *stack;
    uint32_t n_stack;
    uint32_t *queue; /* [n] */
};

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* The channel by which switch V is left towards DST, or CW_NONE. */
static uint32_t next_channel(const struct layers *layers, uint32_t v, uint32_t dst)
{
    const uint16_t port = layers->port[(size_t)v * layers->net->n_endpoints + dst];
    return port == NO_PORT ? CW_NONE : layers->net->first[v + layers->net->n_endpoints] + port;
}

/* The switch at the head of CHANNEL, or CW_NONE if that is an endpoint. */
static uint32_t switch_at(const struct layers *layers, uint32_t channel)
{
    const uint32_t head = layers->net->head[channel];
    return head < layers->net->n_endpoints ? CW_NONE : head - layers->net->n_endpoints;
}

static uint32_t *routes_of(const struct layers *layers, uint32_t from, uint32_t to)
{
    return &layers->routed[layers->edge[from] + (to - layers->net->first[layers->net->tail[to]])];
}

/* The channel after FROM on the way to DST if it leads to a switch; else CW_NONE: nothing waits in an endpoint. */
static uint32_t dependency(const struct layers *layers, uint32_t from, uint32_t dst)
{
    const uint32_t at = switch_at(layers, from), to = at == CW_NONE ? CW_NONE : next_channel(layers, at, dst);
    return to == CW_NONE || switch_at(layers, to) == CW_NONE ? CW_NONE : to;
}

/* The route from switch V to DST: BY more of each of its dependencies. */
static void count_route(struct layers *layers, uint32_t v, uint32_t dst, uint32_t by)
{
    uint32_t from = next_channel(layers, v, dst), to;
    for (; from != CW_NONE && (to = dependency(layers, from, dst)) != CW_NONE; from = to)
        *routes_of(layers, from, to) += by;
}

static void count_lane(struct layers *layers)
{
    const size_t n = layers->net->n_endpoints;
    for (uint32_t v = 0; v < layers->n; v++)
        for (uint32_t dst = 0; dst < n && layers->leaf[v] != CW_NONE; dst++)
            if (layers->lane[layers->leaf[v] * n + dst] == layers->now) count_route(layers, v, dst, 1);
}

/* Moves the routes to DST over the channel FROM on to the next lane. */
static void move_routes(struct layers *layers, uint32_t from, uint32_t dst)
{
    const struct cw_network *net = layers->net;
    uint32_t n = 0;
    layers->queue[n++] = net->tail[from] - net->n_endpoints;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = layers->queue[i], here = v + net->n_endpoints;
        uint8_t *lane =
            layers->leaf[v] == CW_NONE ? NULL : &layers->lane[(size_t)layers->leaf[v] * net->n_endpoints + dst];
        if (lane && *lane == layers->now) {
            count_route(layers, v, dst, UINT32_MAX); /* one less */
            ++*lane;
            layers->moved++;
        }
        for (uint32_t c = net->first[here]; c < net->first[here + 1]; c++) {
            const uint32_t u = switch_at(layers, c);
            if (u != CW_NONE && next_channel(layers, u, dst) == net->twin[c]) layers->queue[n++] = u;
        }
    }
}

/* Takes the dependency of TO on FROM out of this lane. */
static void take_out(struct layers *layers, uint32_t from, uint32_t to)
{
    const uint32_t v = layers->net->tail[from] - layers->net->n_endpoints, u = switch_at(layers, from);
    for (uint32_t dst = 0; dst<layers->net->n_endpoints && * routes_of(layers, from, to)> 0; dst++)
        if (next_channel(layers, v, dst) == from && next_channel(layers, u, dst) == to) move_routes(layers, from, dst);
}

/* --- cycles ------------------------------------------------------------------------------------------------------- */

/* The channels from place FIRST of the stack on are a cycle. */
static void break_cycle(struct layers *layers, uint32_t first)
{
    const struct visit *stack = layers->stack;
    const uint32_t n = layers->n_stack - first;
    uint32_t weakest = 0, fewest = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t routes = *routes_of(layers, stack[first + i].channel, stack[first + (i + 1) % n].channel);
        if (routes >= fewest) continue;
        weakest = i;
        fewest = routes;
    }
    take_out(layers, stack[first + weakest].channel, stack[first + (weakest + 1) % n].channel);
}

/* Takes channels off the stack until those on it depend on each other again. */
static void unwind(struct layers *layers)
{
    uint32_t whole = 1;
    while (
        whole<layers->n_stack && * routes_of(layers, layers->stack[whole - 1].channel, layers->stack[whole].channel)> 0)
        whole++;
    while (layers->n_stack > whole) layers->state[layers->stack[--layers->n_stack].channel] = NEW;
}

static void push(struct layers *layers, uint32_t channel)
{
    layers->state[channel] = IN_PROGRESS;
    layers->depth[channel] = layers->n_stack;
    layers->stack[layers->n_stack++] = (struct visit){channel, 0};
}

/* Depth first from ROOT; breaks every cycle that is met. */
static int search(struct layers *layers, uint32_t root)
{
    const struct cw_network *net = layers->net;
    push(layers, root);
    while (layers->n_stack > 0) {
        struct visit *top = &layers->stack[layers->n_stack - 1];
        const uint32_t v = net->head[top->channel];
        const uint32_t degree = v < net->n_endpoints ? 0 : cw_network_degree(net, v), next = net->first[v] + top->port;
        if (top->port == degree) {
            layers->state[top->channel] = DONE;
            layers->depth[top->channel] = layers->n_done++;
            layers->n_stack--;
        } else if (*routes_of(layers, top->channel, next) == 0 || layers->state[next] == DONE) {
            top->port++;
        } else if (layers->state[next] == NEW) {
            push(layers, next);
        } else {
            break_cycle(layers, layers->depth[next]);
            unwind(layers);
            const int rc = cw_interrupt_check();
            if (rc) return rc;
        }
    }
    return 0;
}

/* True if every channel of the route from switch V to DST was done after the next one. */
static bool in_order(const struct layers *layers, uint32_t v, uint32_t dst)
{
    uint32_t from = next_channel(layers, v, dst), to;
    for (; from != CW_NONE && (to = dependency(layers, from, dst)) != CW_NONE; from = to)
        if (layers->depth[to] > layers->depth[from]) return false;
    return true;
}

/* Takes routes back that have moved with a weak dependency and make no cycle by themselves: the order in which the
 * search was done with the channels is one of all dependencies that are left, and what keeps to it cannot close one. */
static void take_back(struct layers *layers)
{
    const size_t n = layers->net->n_endpoints;
    for (uint32_t v = 0; v < layers->n; v++)
        for (uint32_t dst = 0; dst < n && layers->leaf[v] != CW_NONE; dst++) {
            uint8_t *lane = &layers->lane[layers->leaf[v] * n + dst];
            if (*lane <= layers->now || !in_order(layers, v, dst)) continue;
            --*lane;
            layers->moved--;
        }
}

/* Leaves a lane without cycles behind; what is too much is on the next. */
static int clear_lane(struct layers *layers)
{
    int rc = 0;
    layers->moved = 0;
    layers->n_done = 0;
    memset(layers->state, NEW, layers->net->n_channels * sizeof *layers->state);
    memset(layers->routed, 0, layers->edge[layers->net->n_channels] * sizeof *layers->routed);
    count_lane(layers);
    for (uint32_t c = 0; c < layers->net->n_channels && rc == 0; c++)
        if (layers->net->tail[c] >= layers->net->n_endpoints && layers->state[c] == NEW) rc = search(layers, c);
    if (rc == 0 && layers->moved > 0) take_back(layers);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* An endpoint's route to DST goes on at this switch; CW_NONE: it has none, or meets no switch. */
static uint32_t start_of(const struct layers *layers, uint32_t e, uint32_t dst)
{
    const uint32_t channel = cw_tables_channel(layers->routes->tables, e, dst);
    return channel == CW_NONE ? CW_NONE : switch_at(layers, channel);
}

static void find_places(struct layers *layers)
{
    const struct cw_network *net = layers->net;
    size_t edges = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        layers->edge[c] = edges;
        if (switch_at(layers, c) != CW_NONE) edges += cw_network_degree(net, net->head[c]);
    }
    layers->edge[net->n_channels] = edges;
    for (uint32_t v = 0; v < layers->n; v++) {
        const uint32_t here = v + net->n_endpoints;
        layers->leaf[v] = CW_NONE;
        for (uint32_t c = net->first[here]; c < net->first[here + 1] && layers->leaf[v] == CW_NONE; c++)
            if (switch_at(layers, c) == CW_NONE) layers->leaf[v] = layers->n_leaves++;
    }
}

static void copy_tables(struct layers *layers)
{
    const size_t n = layers->net->n_endpoints;
    for (uint32_t dst = 0; dst < n; dst++)
        for (uint32_t v = 0; v < layers->n; v++)
            layers->port[v * n + dst] =
                (uint16_t)cw_tables_get(layers->routes->tables, v + layers->net->n_endpoints, dst); /* NO_PORT: none */
}

static int new_layers(struct layers *layers)
{
    static const char what[] = "virtual lanes of routes";
    const struct cw_network *net = layers->net;
    layers->leaf = cw_new_array(layers->n, sizeof *layers->leaf, what);
    layers->edge = cw_new_array((size_t)net->n_channels + 1, sizeof *layers->edge, what);
    if (!layers->leaf || !layers->edge) return CW_ENOMEM;
    find_places(layers);
    layers->port = cw_new_array((size_t)layers->n * net->n_endpoints, sizeof *layers->port, what);
    layers->lane = cw_new_array((size_t)layers->n_leaves * net->n_endpoints, sizeof *layers->lane, what);
    layers->routed = cw_new_array(layers->edge[net->n_channels], sizeof *layers->routed, what);
    layers->state = cw_new_array(net->n_channels, sizeof *layers->state, what);
    layers->depth = cw_new_array(net->n_channels, sizeof *layers->depth, what);
    layers->stack = cw_new_array(net->n_channels, sizeof *layers->stack, what);
    layers->queue = cw_new_array(layers->n, sizeof *layers->queue, what);
    if (!layers->port || !layers->lane || !layers->routed || !layers->state || !layers->depth || !layers->stack ||
        !layers->queue)
        return CW_ENOMEM;
    copy_tables(layers);
    return 0;
}

static void free_layers(struct layers *layers)
{
    free(layers->leaf);
    free(layers->edge);
    free(layers->port);
    free(layers->lane);
    free(layers->routed);
    free(layers->state);
    free(layers->depth);
    free(layers->stack);
    free(layers->queue);
}

static int find_lanes(struct layers *layers, uint32_t most)
{
    int rc = new_layers(layers);
    for (layers->now = 0; rc == 0; layers->now++) {
        rc = clear_lane(layers);
        if (rc || layers->moved == 0) break;
        if (layers->now + 1 == most)
            rc = cw_fail(CW_ELIMIT,
                         "the routes of %s need more than %u virtual lane%s to be free of deadlocks; nue makes routes "
                         "for any number",
                         layers->routes->name, most, most == 1 ? "" : "s");
    }
    return rc;
}

static int give_levels(const struct layers *layers, struct cw_routes *routes)
{
    const size_t n = layers->net->n_endpoints;
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new(layers->net, layers->now + 1, &levels);
    if (rc) return rc;
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++) {
            const uint32_t v = src == dst ? CW_NONE : start_of(layers, src, dst);
            if (v != CW_NONE) cw_service_levels_set(levels, src, dst, layers->lane[layers->leaf[v] * n + dst]);
        }
    return cw_routes_set_service_levels(routes, levels);
}

int cw_layer_lanes(struct cw_routes *routes, uint32_t most)
{
    struct layers layers = {.net = routes->net, .routes = routes, .n = cw_network_switches(routes->net)};
    int rc = find_lanes(&layers, most);
    if (rc == 0 && layers.now > 0) rc = give_levels(&layers, routes);
    free_layers(&layers);
    return rc;
}
