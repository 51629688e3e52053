/*
 * Tori, meshes and hypercubes, recognised by their squares.
 *
 * At one switch that has all its neighbours, those that are in no square together are the two in one dimension, and one
 * that is in squares with all others has a dimension of size 2 for itself. So its joints get labels, two to a
 * dimension, opposites of each other, or one that is its own opposite. In every square opposite sides have one label;
 * that carries labels everywhere, round whatever is missing: cables that are not there only make fewer squares. A walk
 * along labels then counts coordinates, without knowing sizes; where two ways to a switch differ they went round a
 * ring, and the size of a ring divides all such differences. A dimension without differences is a row.
 *
 * The theory is that of Cartesian products of graphs: T. Feder, "Product graph representations", J. Graph Theory 16
 * (1992). A ring of four is itself a square, and looks like two dimensions of size 2. Port numbers decide what is left
 * open: whether it is one, the order of the dimensions (by their mean) and which way is up (the lower).
 */
#include <stdlib.h>
#include <string.h>

#include "base/common_divisor.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "topo/recognise_internal.h"
#include "topo/recognise_torus.h"

#define MAX_STARTS 64 /* switches tried as the first: near a gap one may mislead */

static const char what[] = "recognition of a torus";

/* --- coordinates -------------------------------------------------------------------------------------------------- */

static int32_t step(const struct cw_torus_search *torus, uint8_t label)
{
    return torus->axis[label / 2].both && label % 2 == 1 ? -1 : 1;
}

/* Counts coordinates from START along all labels, and what divides the differences in DIVISOR; false if there is no way
 * to some switch, which is not SEEN then. */
static bool count_steps(struct cw_torus_search *torus, uint32_t start, uint32_t *divisor)
{
    const struct cw_grid *grid = &torus->grid;
    const uint32_t axes = torus->n_axes;
    uint32_t n = 0;
    memset(torus->seen, 0, grid->n);
    memset(torus->at + (size_t)start * axes, 0, axes * sizeof *torus->at);
    torus->seen[start] = 1;
    torus->queue[n++] = start;
    for (uint32_t head = 0; head < n; head++) {
        const uint32_t s = torus->queue[head];
        const int32_t *at = torus->at + (size_t)s * axes;
        for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++) {
            const uint8_t label = torus->label[i];
            const uint32_t t = grid->to[i];
            int32_t *there = torus->at + (size_t)t * axes;
            if (label == CW_NO_LABEL) continue;
            if (!torus->seen[t]) {
                memcpy(there, at, axes * sizeof *at);
                there[label / 2] += step(torus, label);
                torus->seen[t] = 1;
                torus->queue[n++] = t;
                continue;
            }
            for (uint32_t x = 0; x < axes; x++) {
                const int32_t differ = at[x] + (x == label / 2u ? step(torus, label) : 0) - there[x];
                divisor[x] = (uint32_t)cw_common_divisor((uint32_t)abs(differ), divisor[x]);
            }
        }
    }
    return n == grid->n;
}

/* The box in which the switches that were seen stand, and which of its places are taken. */
struct box {
    const struct cw_torus_search *torus;
    int32_t least[CW_GRID_DEGREE], most[CW_GRID_DEGREE];
    uint8_t *taken;
};

/* The number of PLACE in BOX, or CW_NONE outside. */
static uint32_t number_in(const struct box *box, const int32_t *place)
{
    uint32_t number = 0;
    for (uint32_t x = 0; x < box->torus->n_axes; x++) {
        if (place[x] < box->least[x] || place[x] > box->most[x]) return CW_NONE;
        number = number * (uint32_t)(box->most[x] - box->least[x] + 1) + (uint32_t)(place[x] - box->least[x]);
    }
    return number;
}

/* Takes the places of the switches seen; false if the box has more than twice as many places as there are switches. */
static bool open_box(struct cw_torus_search *torus, struct box *box)
{
    const uint32_t axes = torus->n_axes;
    uint64_t places = 1;
    *box = (struct box){.torus = torus, .taken = torus->taken};
    for (uint32_t s = 0; s < torus->grid.n; s++)
        for (uint32_t x = 0; torus->seen[s] && x < axes; x++) {
            const int32_t at = torus->at[(size_t)s * axes + x];
            if (at < box->least[x]) box->least[x] = at;
            if (at > box->most[x]) box->most[x] = at;
        }
    for (uint32_t x = 0; x < axes && places <= 2 * (uint64_t)torus->grid.n; x++)
        places *= (uint64_t)(box->most[x] - box->least[x] + 1);
    if (places > 2 * (uint64_t)torus->grid.n) return false;
    memset(box->taken, 0, places);
    for (uint32_t s = 0; s < torus->grid.n; s++)
        if (torus->seen[s]) box->taken[number_in(box, torus->at + (size_t)s * axes)] = 1;
    return true;
}

static bool is_beside(const int32_t *a, const int32_t *b, uint32_t axes)
{
    uint32_t distance = 0;
    for (uint32_t x = 0; x < axes; x++) distance += (uint32_t)abs(a[x] - b[x]);
    return distance == 1;
}

/* True if all neighbours of switch S that were seen stand beside PLACE. */
static bool suits(const struct cw_torus_search *torus, uint32_t s, const int32_t *place)
{
    const struct cw_grid *grid = &torus->grid;
    for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++)
        if (torus->seen[grid->to[i]] &&
            !is_beside(place, torus->at + (size_t)grid->to[i] * torus->n_axes, torus->n_axes))
            return false;
    return true;
}

/* Puts switch S where it suits, beside its neighbour BESIDE, if there is one such place. */
static bool place_beside(struct cw_torus_search *torus, const struct box *box, uint32_t s, uint32_t beside)
{
    const uint32_t axes = torus->n_axes;
    int32_t place[CW_GRID_DEGREE], found[CW_GRID_DEGREE];
    uint32_t n = 0;
    memcpy(place, torus->at + (size_t)beside * axes, axes * sizeof *place);
    for (uint32_t i = 0; i < 2 * axes; i++) {
        const int32_t by = i % 2 == 0 ? 1 : -1;
        place[i / 2] += by;
        const uint32_t number = number_in(box, place);
        if (number != CW_NONE && !box->taken[number] && suits(torus, s, place)) {
            memcpy(found, place, axes * sizeof *place);
            n++;
        }
        place[i / 2] -= by;
    }
    if (n != 1) return false;
    memcpy(torus->at + (size_t)s * axes, found, axes * sizeof *found);
    box->taken[number_in(box, found)] = 1;
    torus->seen[s] = 1;
    return true;
}

/* At the edge of a mesh a joint may be in one square only, and in none without the cable opposite or inwards. Places
 * the switches that no label leads to, each where only one place is left for it; false if one has no such place. */
static bool place_the_rest(struct cw_torus_search *torus)
{
    const struct cw_grid *grid = &torus->grid;
    struct box box;
    if (!open_box(torus, &box)) return false;
    for (bool any = true, left = true; left;) {
        if (!any) return false;
        any = left = false;
        for (uint32_t s = 0; s < grid->n; s++) {
            if (torus->seen[s]) continue;
            uint32_t i = grid->first[s];
            while (i < grid->first[s + 1] && !torus->seen[grid->to[i]]) i++;
            if (i < grid->first[s + 1] && place_beside(torus, &box, s, grid->to[i]))
                any = true;
            else
                left = true;
        }
    }
    return true;
}

/* Sizes of the axes, and coordinates from 0 on. */
static bool count_coordinates(struct cw_torus_search *torus, uint32_t start)
{
    const uint32_t axes = torus->n_axes;
    uint32_t divisor[CW_GRID_DEGREE] = {0};
    if (!count_steps(torus, start, divisor)) {
        for (uint32_t x = 0; x < axes; x++)
            if (divisor[x] > 0) return false; /* rings have no edge */
        if (!place_the_rest(torus)) return false;
    }
    for (uint32_t x = 0; x < axes; x++) {
        struct cw_axis *axis = &torus->axis[x];
        int32_t least = 0, most = 0;
        for (uint32_t s = 0; s < torus->grid.n; s++) {
            const int32_t at = torus->at[(size_t)s * axes + x];
            if (at < least) least = at;
            if (at > most) most = at;
        }
        axis->ring = divisor[x] > 2;
        axis->k = divisor[x] > 0 ? divisor[x] : (uint32_t)(most - least) + 1;
        if (axis->k < 2 || axis->both != (axis->k > 2)) return false;
        const int32_t k = (int32_t)axis->k;
        for (uint32_t s = 0; s < torus->grid.n; s++) {
            int32_t *at = &torus->at[(size_t)s * axes + x];
            *at = divisor[x] > 0 ? (*at % k + k) % k : *at - least;
        }
    }
    return true;
}

/* --- dimensions --------------------------------------------------------------------------------------------------- */

/* What the cables of axes of size 2 have in common. */
static void look_at_pairs(struct cw_torus_search *torus)
{
    const struct cw_grid *grid = &torus->grid;
    const struct cw_network *net = grid->net;
    uint32_t doubled[CW_GRID_DEGREE] = {0}, joints[CW_GRID_DEGREE] = {0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t s = net->tail[c] - net->n_endpoints;
        if (net->tail[c] < net->n_endpoints || net->head[c] <= net->tail[c]) continue; /* cables from one end */
        const uint32_t i = cw_grid_index(grid, s, net->head[c] - net->n_endpoints), x = torus->label[i] / 2;
        if (torus->label[i] == CW_NO_LABEL) continue;
        struct cw_axis *axis = &torus->axis[x];
        const uint32_t p = cw_network_port(net, c), q = cw_network_port(net, net->twin[c]);
        const uint32_t low = p < q ? p : q, high = p < q ? q : p;
        if (joints[x] == 0) {
            axis->port[0] = low;
            axis->port[1] = high;
        } else if (axis->port[0] != low || axis->port[1] != high) {
            axis->port[0] = axis->port[1] = 0;
        }
        joints[x]++;
        doubled[x] += grid->cables[grid->joint[i]] == 2;
    }
    for (uint32_t x = 0; x < torus->n_axes; x++) torus->axis[x].doubled = 2 * doubled[x] > joints[x];
}

/* True if the axis may be half a ring of four. */
static bool may_be_half(const struct cw_axis *axis)
{
    return axis->k == 2 && !axis->doubled && (axis->port[0] == 0 || axis->port[0] != axis->port[1]);
}

/* The axis after X that is the other half of its ring: one with the same ports rather than one with others. */
static uint32_t other_half(const struct cw_torus_search *torus, uint32_t x, const bool *used)
{
    uint32_t other = CW_NONE;
    const struct cw_axis *axis = torus->axis;
    if (!may_be_half(&axis[x])) return CW_NONE;
    for (uint32_t y = x + 1; y < torus->n_axes; y++) {
        if (used[y] || !may_be_half(&axis[y])) continue;
        if (axis[y].port[0] == axis[x].port[0] && axis[y].port[1] == axis[x].port[1]) return y;
        if (other == CW_NONE) other = y;
    }
    return other;
}

/* Makes dimensions of the axes; false if no torus or mesh has such ones together. */
static bool make_dimensions(struct cw_torus_search *torus, struct cw_torus *shape)
{
    bool used[CW_GRID_DEGREE] = {false}, rows = false, rings = false, single = false;
    for (uint32_t x = 0; x < torus->n_axes; x++) {
        const struct cw_axis *axis = &torus->axis[x];
        rows = rows || (axis->k > 2 && !axis->ring);
        rings = rings || axis->ring;
        shape->doubled = shape->doubled || (axis->k == 2 && axis->doubled);
    }
    if (rows && (rings || shape->doubled)) return false;
    shape->wrap = !rows;
    torus->n = 0;
    for (uint32_t x = 0; x < torus->n_axes; x++) {
        if (used[x]) continue;
        const uint32_t other = rows ? CW_NONE : other_half(torus, x, used);
        if (other != CW_NONE) used[other] = true;
        single = single || (torus->axis[x].k == 2 && other == CW_NONE && !torus->axis[x].doubled);
        torus->dimension[torus->n++] =
            (struct cw_dimension){.k = other == CW_NONE ? torus->axis[x].k : 4, .axis = x, .other = other};
    }
    return torus->n <= CW_TORUS_DIMENSIONS && !(shape->doubled && single);
}

/* Coordinates from axes to dimensions, in place: there are no more of them. */
static void to_dimensions(struct cw_torus_search *torus)
{
    static const int32_t corner[2][2] = {{0, 3}, {1, 2}}; /* round a ring of four */
    int32_t from[CW_GRID_DEGREE];
    for (uint32_t s = 0; s < torus->grid.n; s++) {
        memcpy(from, torus->at + (size_t)s * torus->n_axes, torus->n_axes * sizeof *from);
        for (uint32_t d = 0; d < torus->n; d++) {
            const struct cw_dimension *dimension = &torus->dimension[d];
            const int32_t x = from[dimension->axis];
            torus->at[(size_t)s * torus->n + d] = dimension->other == CW_NONE ? x : corner[x][from[dimension->other]];
        }
    }
}

/* --- order and direction ------------------------------------------------------------------------------------------ */

/* Adds up the port numbers of each dimension's cables. */
static void add_ports(struct cw_torus_search *torus)
{
    const struct cw_network *net = torus->grid.net;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints) continue;
        const int32_t *from = torus->at + (size_t)(net->tail[c] - net->n_endpoints) * torus->n;
        const int32_t *to = torus->at + (size_t)(net->head[c] - net->n_endpoints) * torus->n;
        uint32_t d = 0;
        while (d < torus->n && from[d] == to[d]) d++;
        if (d == torus->n) continue;
        struct cw_dimension *dimension = &torus->dimension[d];
        if ((from[d] + 1) % (int32_t)dimension->k != to[d]) continue; /* counted from the other end */
        dimension->up += cw_network_port(net, c);
        dimension->down += cw_network_port(net, net->twin[c]);
        dimension->cables++;
    }
}

static double mean_port(const struct cw_dimension *dimension)
{
    return dimension->cables ? (double)(dimension->up + dimension->down) / (double)dimension->cables : 0;
}

/* Fills ORDER with the dimensions by their mean port numbers. */
static void sort_dimensions(const struct cw_torus_search *torus, uint32_t *order)
{
    for (uint32_t d = 0; d < torus->n; d++) {
        uint32_t i = d;
        for (; i > 0 && mean_port(&torus->dimension[order[i - 1]]) > mean_port(&torus->dimension[d]); i--)
            order[i] = order[i - 1];
        order[i] = d;
    }
}

/* X counted from ORIGIN, upwards or downwards. */
static uint32_t turned(const struct cw_dimension *dimension, bool wrap, uint32_t origin, uint32_t x)
{
    const bool flip = dimension->up > dimension->down;
    if (!wrap) return flip ? dimension->k - 1 - x : x;
    return (flip ? origin + dimension->k - x : x + dimension->k - origin) % dimension->k;
}

static void take_places(struct cw_torus_search *torus, const struct cw_torus *shape, const uint32_t *order,
                        uint32_t origin, uint32_t *place)
{
    const struct cw_network *net = torus->grid.net;
    const int32_t *zero = torus->at + (size_t)origin * torus->n;
    const uint32_t nodes = (uint32_t)cw_shape_endpoints(&(struct cw_shape){.kind = &cw_shape_torus, .torus = *shape});
    for (uint32_t e = 0; e < net->n_endpoints; e++) place[e] = CW_NONE;
    for (uint32_t s = 0; s < torus->grid.n; s++) {
        const int32_t *at = torus->at + (size_t)s * torus->n;
        const uint32_t v = net->n_endpoints + s;
        uint32_t node = 0;
        for (uint32_t i = torus->n; i-- > 0;) {
            const uint32_t d = order[i];
            node = node * shape->k[i] + turned(&torus->dimension[d], shape->wrap, (uint32_t)zero[d], (uint32_t)at[d]);
        }
        place[v] = nodes + node;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (net->head[c] < net->n_endpoints && cw_network_is_host(net, net->head[c])) place[net->head[c]] = node;
    }
}

/* --- all together ------------------------------------------------------------------------------------------------- */

/* Counts the hosts, of which each switch has at most one and each has one cable; 0 if that is not so. */
static uint32_t count_hosts(const struct cw_network *net, uint32_t *origin)
{
    uint32_t hosts = 0;
    *origin = CW_NONE;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t here = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            here += net->head[c] < net->n_endpoints && cw_network_is_host(net, net->head[c]);
        if (here > 1) return 0;
        hosts += here;
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (!cw_network_is_host(net, e)) continue;
        if (cw_network_degree(net, e) > 1 || net->head[net->first[e]] < net->n_endpoints) return 0;
        if (*origin == CW_NONE) *origin = net->head[net->first[e]] - net->n_endpoints;
    }
    return hosts;
}

/* Begins at a switch with as many neighbours as any, and at another if that one misleads. */
static bool find_coordinates(struct cw_torus_search *torus)
{
    const struct cw_grid *grid = &torus->grid;
    uint32_t most = 0, tries = 0;
    for (uint32_t s = 0; s < grid->n; s++)
        if (grid->first[s + 1] - grid->first[s] > most) most = grid->first[s + 1] - grid->first[s];
    for (uint32_t s = 0; s < grid->n && tries < MAX_STARTS && most > 0; s++) {
        if (grid->first[s + 1] - grid->first[s] < most) continue;
        if (cw_label_joints(torus, s) && count_coordinates(torus, s)) return true;
        tries++;
    }
    return false;
}

static int make_room(struct cw_torus_search *torus)
{
    const struct cw_grid *grid = &torus->grid;
    torus->around = cw_new_array(1, sizeof *torus->around, what);
    torus->label = cw_new_array(2 * (size_t)grid->n_joints, sizeof *torus->label, what);
    torus->waiting = cw_new_array(grid->n, sizeof *torus->waiting, what);
    torus->seen = cw_new_array(grid->n, sizeof *torus->seen, what);
    torus->taken = cw_new_array(2 * (size_t)grid->n, sizeof *torus->taken, what);
    torus->queue = cw_new_array(grid->n, sizeof *torus->queue, what);
    uint32_t most = 0;
    for (uint32_t s = 0; s < grid->n; s++)
        if (grid->first[s + 1] - grid->first[s] > most) most = grid->first[s + 1] - grid->first[s];
    torus->at = cw_new_array((size_t)grid->n * most, sizeof *torus->at, what);
    if (!torus->around || !torus->label || !torus->waiting || !torus->seen || !torus->taken || !torus->queue ||
        !torus->at)
        return CW_ENOMEM;
    torus->around->mark = cw_new_array(grid->n, sizeof *torus->around->mark, what);
    return torus->around->mark ? 0 : CW_ENOMEM;
}

static void torus_free(struct cw_torus_search *torus)
{
    cw_grid_free(&torus->grid);
    if (torus->around) free(torus->around->mark);
    free(torus->around);
    free(torus->label);
    free(torus->waiting);
    free(torus->seen);
    free(torus->taken);
    free(torus->queue);
    free(torus->at);
    free(torus);
}

static int find_shape(struct cw_torus_search *torus, uint32_t hosts, uint32_t origin, struct cw_likeness *out)
{
    const struct cw_grid *grid = &torus->grid;
    struct cw_shape shape = {.kind = &cw_shape_torus};
    uint32_t order[CW_GRID_DEGREE];
    const int rc = make_room(torus);
    if (rc || !find_coordinates(torus)) return rc;
    look_at_pairs(torus);
    if (!make_dimensions(torus, &shape.torus)) return 0;
    to_dimensions(torus);
    add_ports(torus);
    sort_dimensions(torus, order);
    shape.torus.n = torus->n;
    for (uint32_t i = 0; i < torus->n; i++) shape.torus.k[i] = torus->dimension[order[i]].k;
    if (!cw_likeness_fits(grid->net, hosts, &shape)) return 0;
    uint32_t *place = cw_new_array(grid->net->n_vertices, sizeof *place, what);
    if (!place) return CW_ENOMEM;
    take_places(torus, &shape.torus, order, origin, place);
    *out = (struct cw_likeness){shape, place};
    return 0;
}

int cw_recognise_torus(const struct cw_network *net, struct cw_likeness *out)
{
    uint32_t origin;
    const uint32_t hosts = count_hosts(net, &origin);
    if (hosts == 0) return 0;
    struct cw_torus_search *torus = cw_new_array(1, sizeof *torus, what);
    if (!torus) return CW_ENOMEM;
    bool good;
    int rc = cw_grid_new(net, &torus->grid, &good);
    if (rc == 0 && good) rc = find_shape(torus, hosts, origin, out);
    torus_free(torus);
    return rc;
}
