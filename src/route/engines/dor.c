/*
 * Dimension-order routing of tori, meshes and hypercubes: the whole way in one dimension, then in the next, and in each
 * dimension of a torus the shorter way round. Half-way round an even ring both ways are equally long; `tie` decides.
 * Every rule looks at nothing but where the route is and where it goes, so the routes are forwarding tables in closed
 * form.
 *
 * On a ring the channels of one direction depend on each other in a circle. Two lanes cut it: a route takes lane 0 up
 * to the edge between the last and the first coordinate and lane 1 from that edge on, afresh in every dimension (Dally
 * and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE ToC C-36(5), 1987).
 * Meshes, and rings of three or less, need no second lane and get none.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/dor_internal.h"
#include "route/routes_internal.h"

#define VECTOR 8 /* channels written at once */

struct options {
    struct cw_ints order;
    int tie;
    int64_t lanes;
};

/* A route being written. */
struct route {
    uint32_t *channel; /* the next */
    uint8_t *lane;     /* the next, or NULL */
    bool roomy;        /* VECTOR more channels may be written than it has */
    uint32_t vertex;
    const uint32_t *to; /* coordinates of the destination */
    uint32_t *at;       /* of the vertex */
};

/* N hops from vertex to vertex + step, all by PORT. Adding 0 - stride, modulo 2^32, is going back. */
static void go_straight(const struct cw_dor *dor, struct route *route, uint32_t n, uint32_t step, uint32_t port)
{
    for (uint32_t i = 0; i < n; i++, route->vertex += step) {
        *route->channel++ = dor->net->first[route->vertex] + port;
        if (route->lane) *route->lane++ = 0;
    }
}

/* From X to Y in dimension D of a mesh. Vertices at the sides have fewer ports. */
static void go_mesh(const struct cw_dor *dor, struct route *route, uint32_t d, uint32_t x, uint32_t y)
{
    const uint32_t port = cw_dor_first_port(dor, d, route->at), stride = dor->dimension[d].stride;
    if (y > x) {
        go_straight(dor, route, y - x, stride, port);
        return;
    }
    const uint32_t from_side = x + 1 == dor->dimension[d].k; /* there the port to X - 1 is the first */
    go_straight(dor, route, from_side, 0 - stride, port);
    go_straight(dor, route, x - y - from_side, 0 - stride, port + cw_dor_minus_port(dor, d, x - from_side));
}

static inline void add_vector(const uint32_t *restrict distance, uint32_t origin, uint32_t *restrict channel)
{
    for (uint32_t i = 0; i < VECTOR; i++) channel[i] = origin + distance[i];
}

/* HOPS from X in dimension D of a torus. The loop has no conditions, and runs over where there is room: a wrongly
 * guessed branch takes as long as ten hops. */
static void go_ring(const struct cw_dor *dor, struct route *route, uint32_t d, uint32_t x, uint32_t hops, bool up)
{
    const struct cw_dor_dimension *dimension = &dor->dimension[d];
    const uint32_t before_edge = up ? dimension->k - 1 - x : x; /* hops; the next crosses it */
    const uint32_t *distance = up ? dimension->up + x : dimension->down + (dimension->k - 1 - x);
    const uint32_t origin = dor->net->first[route->vertex - x * dimension->stride];
    uint32_t *channel = route->channel;
    if (route->roomy)
        for (uint32_t i = 0; i < hops; i += VECTOR) add_vector(distance + i, origin, channel + i);
    else
        for (uint32_t i = 0; i < hops; i++) channel[i] = origin + distance[i];
    route->channel += hops;
    if (!route->lane) return;
    for (uint32_t i = 0; i < hops; i++) route->lane[i] = i >= before_edge;
    route->lane += hops;
}

static uint32_t sum_of(const struct cw_dor *dor, const uint32_t *coordinates)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < dor->n; d++) sum += coordinates[d];
    return sum;
}

/* True if the way from X to another coordinate, TO's, in dimension D of a torus goes up; and its hops. */
static inline bool goes_up(const struct cw_dor *dor, uint32_t d, uint32_t x, const uint32_t *to, uint32_t *hops)
{
    const uint32_t k = dor->dimension[d].k, plus = to[d] > x ? to[d] - x : to[d] + k - x; /* hops in that direction */
    const bool up = 2 * plus == k ? cw_dor_tie_goes_plus(dor->tie, x, k, sum_of(dor, to)) : 2 * plus < k;
    *hops = up ? plus : k - plus;
    return up;
}

static void go_dimension(const struct cw_dor *dor, struct route *route, uint32_t d)
{
    const uint32_t x = route->at[d], y = route->to[d];
    uint32_t hops;
    if (x == y) return;
    if (dor->wrap) {
        const bool up = goes_up(dor, d, x, route->to, &hops);
        go_ring(dor, route, d, x, hops, up);
        route->vertex += (y - x) * dor->dimension[d].stride;
    } else {
        go_mesh(dor, route, d, x, y);
    }
    route->at[d] = y;
}

static inline void find_coordinates(const struct cw_dor *dor, uint32_t node, uint32_t *at)
{
    for (uint32_t d = 0; d < dor->n; d++) {
        const uint32_t rest = cw_fast_divide(node, dor->dimension[d].divisor);
        at[d] = node - rest * dor->dimension[d].k;
        node = rest;
    }
}

/* ROOMY: so many channels behind the route's may be overwritten as VECTOR has. */
static uint32_t dor_path(const struct cw_dor *dor, uint32_t src, uint32_t dst, bool roomy, uint32_t *channels,
                         uint8_t *lanes)
{
    const uint32_t *first = dor->net->first;
    const uint32_t n_endpoints = dor->net->n_endpoints;
    if (src == dst) return 0;
    uint32_t at[CW_TORUS_DIMENSIONS], to[CW_TORUS_DIMENSIONS];
    struct route route = {.channel = channels, .lane = lanes, .roomy = roomy, .vertex = src, .to = to, .at = at};
    find_coordinates(dor, src, at);
    find_coordinates(dor, dst, to);
    go_straight(dor, &route, 1, n_endpoints, 0);
    for (uint32_t i = 0; i < dor->n; i++) go_dimension(dor, &route, dor->order[i]);
    *route.channel++ = first[n_endpoints + dst];
    if (route.lane) *route.lane = 0;
    return (uint32_t)(route.channel - channels);
}

int cw_dor_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < n; i++) {
        hops[i] = dor_path(state, src[i], dst[i], i + VECTOR < n, channels, lanes);
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

/* --- as runs ---------------------------------------------------------------------------------------------------------
 *
 * The places of a dimension are ring after ring, first the channels up, then those down, each at the coordinate that it
 * leaves; behind all dimensions are the channels of endpoints, and behind these those to them.
 */

uint32_t cw_dor_most_runs(const void *state)
{
    const struct cw_dor *dor = state;
    static const uint32_t corner[CW_TORUS_DIMENSIONS];
    for (uint32_t d = 0; d < dor->n; d++)
        if (dor->dimension[d].k > 1 && cw_dor_cables_at(dor, d, 0) + cw_dor_cables_at(dor, d, 1) < 4) return 0;
    return cw_dor_first_port(dor, dor->n, corner) + 1;
}

/* The place of the channel up from coordinate 0 of the ring in dimension D on which NODE has coordinate X. */
static inline uint32_t ring_place(const struct cw_dor *dor, uint32_t d, uint32_t node, uint32_t x)
{
    const struct cw_dor_dimension *dimension = &dor->dimension[d];
    const uint32_t above = cw_fast_divide(node, dimension->block) * dimension->stride; /* rings in blocks before */
    const uint32_t ring = above + (node - above * dimension->k - x * dimension->stride);
    return dimension->place + ring * dimension->k;
}

/* HOPS from X round the ring at PLACE. */
static inline uint32_t ring_runs(uint32_t place, uint32_t k, uint32_t x, uint32_t hops, bool up, struct cw_run *runs)
{
    const uint32_t low = up ? x : x + 1 >= hops ? x + 1 - hops : x + 1 + k - hops;
    const uint32_t first = low + hops <= k ? hops : k - low;
    runs[0] = (struct cw_run){place + low, first};
    runs[1] = (struct cw_run){place, hops - first};
    return first < hops ? 2 : 1;
}

static uint32_t find_runs(const struct cw_dor *dor, uint32_t src, uint32_t dst, struct cw_run *runs)
{
    const uint32_t nodes = dor->net->n_endpoints, hosts = dor->net->n_channels - 2 * nodes;
    uint32_t at[CW_TORUS_DIMENSIONS], to[CW_TORUS_DIMENSIONS], node = src, n = 0;
    if (src == dst) return 0;
    find_coordinates(dor, src, at);
    find_coordinates(dor, dst, to);
    runs[n++] = (struct cw_run){hosts + src, 1};
    for (uint32_t i = 0; i < dor->n; i++) {
        const uint32_t d = dor->order[i], x = at[d];
        uint32_t hops;
        if (x == to[d]) continue;
        const bool up = goes_up(dor, d, x, to, &hops);
        const uint32_t place = ring_place(dor, d, node, x) + (up ? 0 : nodes);
        n += ring_runs(place, dor->dimension[d].k, x, hops, up, runs + n);
        node += (to[d] - x) * dor->dimension[d].stride;
    }
    runs[n++] = (struct cw_run){hosts + nodes + dst, 1};
    return n;
}

size_t cw_dor_runs(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *n_runs,
                   struct cw_run *runs)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++) {
        n_runs[i] = find_runs(state, src[i], dst[i], runs + all);
        all += n_runs[i];
    }
    return all;
}

void cw_dor_places(const void *state, uint32_t *place)
{
    const struct cw_dor *dor = state;
    const struct cw_network *net = dor->net;
    const uint32_t nodes = net->n_endpoints, hosts = net->n_channels - 2 * nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t at[CW_TORUS_DIMENSIONS], channel = net->first[nodes + node];
        find_coordinates(dor, node, at);
        place[net->first[node]] = hosts + node;
        place[channel++] = hosts + nodes + node;
        for (uint32_t d = 0; d < dor->n; d++)
            for (uint32_t down = 0; down < cw_dor_cables_at(dor, d, at[d]); down++)
                place[channel++] = ring_place(dor, d, node, at[d]) + at[d] + down * nodes;
    }
}

void cw_dor_free(void *state)
{
    struct cw_dor *dor = state;
    for (uint32_t d = 0; d < dor->n; d++) {
        free(dor->dimension[d].up);
        free(dor->dimension[d].down);
    }
    free(dor);
}

bool cw_dor_formula_can_survey(const void *state, const struct cw_survey *survey)
{
    return !survey->selection && cw_dor_can_survey(state);
}

int cw_dor_formula_survey(const void *state, struct cw_survey *survey)
{
    return cw_dor_survey(state, survey);
}

/* --- compiling --------------------------------------------------------------------------------------------------- */

/* Fills the order of N dimensions: ascending, or as asked for. */
static int read_order(const struct cw_ints *asked, uint32_t n, uint32_t *order)
{
    bool seen[CW_TORUS_DIMENSIONS] = {false};
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    if (asked->n == 0) return 0;
    bool good = asked->n == n;
    for (uint32_t i = 0; i < n && good; i++) {
        const int64_t d = asked->values[i];
        good = d >= 0 && d < n && !seen[d];
        if (!good) break;
        seen[d] = true;
        order[i] = (uint32_t)d;
    }
    return good ? 0
                : cw_fail(CW_EUSAGE, "dor: order must name each of the dimensions 0 to %u once, e.g. order=1x0", n - 1);
}

/* Checks the neighbours of NODE, by the same functions that route. A shape read from a file may not be the network's.
 */
static bool node_fits(const struct cw_dor *dor, uint32_t node)
{
    const struct cw_network *net = dor->net;
    uint32_t at[CW_TORUS_DIMENSIONS], rest = node, ports = 1;
    const uint32_t v = net->n_endpoints + node, first = net->first[v];
    for (uint32_t d = 0; d < dor->n; d++) {
        at[d] = rest % dor->dimension[d].k;
        rest /= dor->dimension[d].k;
        ports += cw_dor_cables_at(dor, d, at[d]);
    }
    if (cw_network_degree(net, v) != ports || cw_network_degree(net, node) != 1 || net->head[first] != node)
        return false;
    for (uint32_t d = 0; d < dor->n; d++) {
        const uint32_t k = dor->dimension[d].k, stride = dor->dimension[d].stride,
                       port = first + cw_dor_first_port(dor, d, at);
        const uint32_t plus = at[d] + 1 < k ? v + stride : v - (k - 1) * stride;
        const uint32_t minus = at[d] > 0 ? v - stride : v + (k - 1) * stride;
        const bool ring = dor->wrap && k > 2;
        if ((ring || at[d] + 1 < k) && net->head[port] != plus) return false;
        if ((ring || at[d] > 0) && net->head[port + cw_dor_minus_port(dor, d, at[d])] != minus) return false;
    }
    return true;
}

static int check_nodes(const struct cw_dor *dor)
{
    for (uint32_t node = 0; node < dor->net->n_endpoints; node++)
        if (!node_fits(dor, node))
            return cw_fail(CW_EUSAGE,
                           "the network claims to be a torus, but the cables of node %u are not those of a torus",
                           node);
    return 0;
}

/* The channels of the rings of dimension D. */
static int fill_rings(struct cw_dor *dor, uint32_t d)
{
    static const uint32_t corner[CW_TORUS_DIMENSIONS];
    struct cw_dor_dimension *dimension = &dor->dimension[d];
    const uint32_t k = dimension->k, n = k + k / 2 + 1 + VECTOR;
    const uint32_t apart = dimension->stride * cw_network_degree(dor->net, dor->net->n_vertices - 1);
    const uint32_t port = cw_dor_first_port(dor, d, corner), minus = k > 1 ? cw_dor_minus_port(dor, d, 0) : 0;
    dimension->up = cw_new_array(n, sizeof *dimension->up, "dimension-order routes");
    dimension->down = cw_new_array(n, sizeof *dimension->down, "dimension-order routes");
    if (!dimension->up || !dimension->down) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        dimension->up[i] = i % k * apart + port;
        dimension->down[i] = (k - 1 - i % k) * apart + port + minus;
    }
    return 0;
}

static int fill(const struct cw_network *net, const uint32_t *order, enum cw_dor_tie tie, struct cw_dor *dor)
{
    const struct cw_torus *torus = &net->shape.torus;
    *dor = (struct cw_dor){.net = net, .n = torus->n, .wrap = torus->wrap, .doubled = torus->doubled};
    dor->tie = tie;
    for (uint32_t d = 0; d < torus->n; d++) dor->order[d] = order[d];
    for (uint32_t d = 0, stride = 1, place = 0; d < torus->n; d++) {
        const uint32_t k = torus->k[d];
        dor->dimension[d] = (struct cw_dor_dimension){
            .k = k, .divisor = cw_divisor_of(k), .block = cw_divisor_of(stride * k), .stride = stride, .place = place};
        stride *= k;
        if (k > 1) place += 2 * net->n_endpoints;
    }
    int rc = check_nodes(dor);
    for (uint32_t d = 0; d < dor->n && dor->wrap && rc == 0; d++) rc = fill_rings(dor, d);
    return rc;
}

int cw_dor_compile(const struct cw_network *net, const struct cw_formula *formula, const uint32_t *order,
                   enum cw_dor_tie tie, uint32_t lanes, struct cw_routes **out)
{
    struct cw_dor *dor = cw_new_array(1, sizeof *dor, "dimension-order routes");
    if (!dor) return CW_ENOMEM;
    const int rc = fill(net, order, tie, dor);
    if (rc) {
        cw_dor_free(dor);
        return rc;
    }
    uint32_t max_hops = 2;
    bool circles = false;
    for (uint32_t d = 0; d < dor->n; d++) {
        const uint32_t k = dor->dimension[d].k;
        max_hops += dor->wrap ? k / 2 : k - 1;
        circles = circles || (dor->wrap && k > 3);
    }
    return cw_routes_from_formula(net, formula, dor, max_hops, circles ? lanes : 1, true, out);
}

static int dor_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                       struct cw_routes **out)
{
    (void)seed, (void)n_threads;
    static const struct cw_formula formula = CW_DOR_FORMULA("dor");
    const struct options *options = values;
    uint32_t order[CW_TORUS_DIMENSIONS];
    const int rc = read_order(&options->order, net->shape.torus.n, order);
    if (rc) return rc;
    return cw_dor_compile(net, &formula, order, (enum cw_dor_tie)options->tie, (uint32_t)options->lanes, out);
}

bool cw_dor_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    for (uint32_t d = 0; d < net->shape.torus.n; d++)
        if (net->shape.torus.k[d] == 0) return false;
    return true;
}

static const char *const ties[] = {/* as enum cw_dor_tie has them */
                                   "plus", "minus", "even-odd", "balanced", NULL};

static const struct cw_option options[] = {
    {.name = "order",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct options, order),
     .value_name = "D0xD1x...",
     .help = "order in which dimensions are routed, each named once (default: ascending)"},
    {.name = "tie",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct options, tie),
     .default_text = "plus",
     .choices = ties,
     .help = "direction where both ways around a ring are equally long. plus: up; minus: down; even-odd: up from even "
             "coordinates, down from odd ones; balanced: up if the sum of the destination's coordinates is even"},
    {.name = "lanes",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct options, lanes),
     .default_text = "2",
     .min = 1,
     .max = 2,
     .help = "virtual lanes; with 1 lane, rings of four or more switches can deadlock"},
    {.name = NULL}};

const struct cw_engine cw_engine_dor = {
    .name = "dor",
    .help = "tori, meshes and hypercubes: dimension-order routing, the shorter way around each ring "
            "(OpenSM's dor is dor-ports)",
    .needs = "a torus, mesh or hypercube, generated or recognised in a map (OpenSM's dor, which routes any network, is "
             "dor-ports)",
    .options = options,
    .size = sizeof(struct options),
    .minimal = true,
    .shape = &cw_shape_torus,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .accepts = cw_dor_accepts,
    .compile = dor_compile};
