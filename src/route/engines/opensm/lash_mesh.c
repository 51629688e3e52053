/*
 * What lash does first if it is to look for a mesh, as OpenSM's --do_mesh_analysis: the distances between the
 * neighbours of each switch say which of them lie along one axis. From the first switch of the most frequent kind, axes
 * are carried over links to all others, coordinates are counted along them, and switches and the links of each are put
 * in the order of the coordinates. All rules were found by experiment and in OpenSM's log.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/opensm/lash_internal.h"

static const char what[] = "mesh analysis of lash";

#define MOST_LINKS 8u         /* of a switch that has a shape */
#define NO_WAY     0x7fffffff /* the distance of two neighbours that only the switch connects; OpenSM computes with it */
#define CORNER     2u         /* the distance of two neighbours along different axes */

/* Coefficients of a characteristic polynomial, the highest first, modulo 2^32 as OpenSM's. */
struct polynomial {
    uint32_t degree;
    uint32_t of[MOST_LINKS + 1];
};

struct place {
    uint32_t distance[MOST_LINKS][MOST_LINKS]; /* of neighbours, with the switch away */
    struct polynomial polynomial;
    bool has_shape;
    uint32_t dimensions; /* 0: unknown */
};

struct mesh {
    struct cw_lash *lash;
    struct place *places;  /* [n] */
    uint8_t *axis;         /* [links] 2 d + 1 and 2 d + 2 along dimension d, 0: not known */
    int32_t *coordinate;   /* [n][MOST_LINKS] */
    uint32_t *far, *queue; /* [n] of a search */
    uint32_t seed, dimensions;
    uint32_t order[MOST_LINKS]; /* dimensions, the largest first */
};

static uint32_t degree(const struct cw_lash *lash, uint32_t v)
{
    return lash->first[v + 1] - lash->first[v];
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

/* By Berkowitz' algorithm, which does not divide. */
static struct polynomial characteristic(uint32_t n, uint32_t a[MOST_LINKS][MOST_LINKS])
{
    struct polynomial p = {.degree = 0, .of = {1}};
    for (uint32_t k = 0; k < n; k++) {
        uint32_t toeplitz[MOST_LINKS + 2] = {1, 0u - a[k][k]}, column[MOST_LINKS] = {0}, next[MOST_LINKS] = {0};
        for (uint32_t i = 0; i < k; i++) column[i] = a[i][k];
        for (uint32_t power = 2; power <= k + 1; power++) {
            for (uint32_t i = 0; i < k; i++) toeplitz[power] -= a[k][i] * column[i];
            for (uint32_t i = 0; i < k; i++) {
                next[i] = 0;
                for (uint32_t j = 0; j < k; j++) next[i] += a[i][j] * column[j];
            }
            memcpy(column, next, sizeof column);
        }
        struct polynomial q = {.degree = k + 1};
        for (uint32_t i = 0; i <= k + 1; i++)
            for (uint32_t j = 0; j <= i && j <= k; j++) q.of[i] += toeplitz[i - j] * p.of[j];
        p = q;
    }
    return p;
}

static bool same(const struct polynomial *p, const struct polynomial *q)
{
    return p->degree == q->degree && memcmp(p->of, q->of, (p->degree + 1) * sizeof *p->of) == 0;
}

/* Distances of neighbours of a switch in a torus with rings of the sizes 2, 3, 5, more than 5, so many of each. (A ring
 * of 4 is two of 2.) */
static void ideal(const uint32_t count[4], uint32_t a[MOST_LINKS][MOST_LINKS])
{
    static const uint32_t opposite[4] = {0, 1, 3, 4};
    uint32_t n = 0;
    for (uint32_t i = 0; i < MOST_LINKS; i++)
        for (uint32_t j = 0; j < MOST_LINKS; j++) a[i][j] = i == j ? 0 : CORNER;
    for (uint32_t size = 0; size < 4; size++)
        for (uint32_t i = 0; i < count[size]; i++) {
            if (size) {
                a[n][n + 1] = a[n + 1][n] = opposite[size];
                n++;
            }
            n++;
        }
}

/* The dimensions of the mesh whose inner switches have the polynomial, 0 if OpenSM knows none. It takes rings of 8 for
 * the large ones where there is one dimension, does not know four dimensions of 5 and more, and knows a mesh of two
 * that lacks the switch at the corner of a square. */
static uint32_t dimensions_of(const struct polynomial *p)
{
    static const struct polynomial corner_missing = {.degree = 4, .of = {1, 0, -80u, -256u, -192u}};
    uint32_t a[MOST_LINKS][MOST_LINKS], c[4];
    if (same(p, &corner_missing)) return 2;
    for (c[0] = 0; c[0] <= p->degree; c[0]++)
        for (c[1] = 0; c[0] + 2 * c[1] <= p->degree; c[1]++)
            for (c[2] = 0; c[0] + 2 * (c[1] + c[2]) <= p->degree; c[2]++) {
                c[3] = (p->degree - c[0]) / 2 - c[1] - c[2];
                if (c[0] + 2 * (c[1] + c[2] + c[3]) != p->degree) continue;
                if (p->degree == 8 && c[0] + c[1] == 0) continue;
                ideal(c, a);
                if (p->degree == 2 && c[3] == 1) a[0][1] = a[1][0] = 6;
                const struct polynomial q = characteristic(p->degree, a);
                if (same(p, &q)) return c[0] + c[1] + c[2] + c[3];
            }
    return 0;
}

static void measure_distances(struct mesh *mesh, uint32_t v)
{
    const struct cw_lash *lash = mesh->lash;
    struct place *place = &mesh->places[v];
    uint32_t *far = mesh->far, *queue = mesh->queue;
    const uint32_t n = degree(lash, v);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last = 0;
        for (uint32_t w = 0; w < lash->n; w++) far[w] = NO_WAY;
        queue[last++] = lash->head[lash->first[v] + i];
        far[queue[0]] = 0;
        for (uint32_t k = 0; k < last; k++)
            for (uint32_t link = lash->first[queue[k]]; link < lash->first[queue[k] + 1]; link++) {
                const uint32_t w = lash->head[link];
                if (w == v || far[w] != NO_WAY) continue;
                far[w] = far[queue[k]] + 1;
                queue[last++] = w;
            }
        for (uint32_t j = 0; j < n; j++) place->distance[i][j] = far[lash->head[lash->first[v] + j]];
    }
    place->polynomial = characteristic(n, place->distance);
    place->dimensions = dimensions_of(&place->polynomial);
}

/* True of a switch of known shape with fewer links than a neighbour. */
static bool is_edge(const struct mesh *mesh, uint32_t v)
{
    const struct cw_lash *lash = mesh->lash;
    if (mesh->places[v].dimensions == 0) return false;
    for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++)
        if (degree(lash, lash->head[link]) > degree(lash, v)) return true;
    return false;
}

static int measure_all(struct mesh *mesh)
{
    int rc = 0;
    for (uint32_t v = 0; v < mesh->lash->n && rc == 0; v++) {
        mesh->places[v].has_shape = degree(mesh->lash, v) <= MOST_LINKS;
        if (mesh->places[v].has_shape) measure_distances(mesh, v);
        rc = cw_interrupt_check();
    }
    return rc;
}

/* The first switch of the most frequent shape; false: there is no mesh. */
static bool find_seed(struct mesh *mesh)
{
    const struct cw_lash *lash = mesh->lash;
    uint32_t most = 0;
    for (uint32_t v = 0; v < lash->n; v++) {
        uint32_t alike = 0;
        if (!mesh->places[v].has_shape || is_edge(mesh, v)) continue;
        for (uint32_t w = v; w < lash->n; w++)
            if (mesh->places[w].has_shape && !is_edge(mesh, w) &&
                same(&mesh->places[v].polynomial, &mesh->places[w].polynomial))
                alike++;
        if (alike > most) {
            most = alike;
            mesh->seed = v;
        }
    }
    mesh->dimensions = most ? mesh->places[mesh->seed].dimensions : 0;
    return mesh->dimensions > 0;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Of a ring of 2 the seed has one link. */
static void seed_axes(struct mesh *mesh)
{
    const struct cw_lash *lash = mesh->lash;
    const struct place *place = &mesh->places[mesh->seed];
    uint8_t *axis = mesh->axis + lash->first[mesh->seed];
    const uint32_t n = degree(lash, mesh->seed);
    uint8_t code = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (axis[i] || code > 2 * mesh->dimensions) continue;
        axis[i] = code;
        for (uint32_t j = 0; j < n; j++)
            if (j != i && !axis[j] && place->distance[i][j] != CORNER) {
                axis[j] = (uint8_t)(code + 1);
                break;
            }
        code += 2;
    }
}

/* The direction against AXIS at switch V, where an axis of a ring of 2 has only one; 0: V has no link along AXIS. */
static uint8_t opposite(const struct mesh *mesh, uint32_t v, uint8_t axis)
{
    const struct cw_lash *lash = mesh->lash;
    const struct place *place = &mesh->places[v];
    const uint8_t *axes = mesh->axis + lash->first[v];
    if (!place->has_shape) return 0;
    for (uint32_t i = 0; i < degree(lash, v); i++) {
        if (axes[i] != axis) continue;
        for (uint32_t j = 0; j < degree(lash, v); j++)
            if (j != i && place->distance[i][j] != CORNER) return (uint8_t)(1 + (1 ^ (axis - 1)));
        return axis;
    }
    return 0;
}

/* What is set stays. */
static bool set_axis(struct mesh *mesh, uint32_t link, uint8_t axis)
{
    if (mesh->axis[link]) return false;
    mesh->axis[link] = axis;
    return axis != 0;
}

static uint32_t link_to(const struct cw_lash *lash, uint32_t v, uint32_t w)
{
    for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++)
        if (lash->head[link] == w) return link;
    return CW_NONE;
}

/* The direction against an axis, as at the seed. */
static uint8_t reverse(const struct mesh *mesh, uint8_t axis)
{
    return opposite(mesh, mesh->seed, axis);
}

#define FARTHEST 4u /* neighbours on both sides along an axis are */

/* Straight on through V, where just one link can be meant. */
static bool go_straight(struct mesh *mesh, uint32_t v)
{
    const struct cw_lash *lash = mesh->lash;
    const uint32_t n = degree(lash, v);
    bool change = false;
    if (n <= 2 && n < degree(lash, mesh->seed)) return false; /* a piece of a chain */
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t axis = mesh->axis[lash->first[v] + i];
        uint32_t straight = 0, n_straight = 0;
        if (axis == 0) continue;
        for (uint32_t j = 0; j < n; j++)
            if (j != i && mesh->places[v].distance[i][j] != CORNER) {
                straight = j;
                n_straight++;
            }
        if (n_straight == 1 && mesh->places[v].distance[i][straight] <= FARTHEST)
            change |= set_axis(mesh, lash->first[v] + straight, reverse(mesh, axis));
    }
    return change;
}

/* The same links seen from the other side. */
static bool go_back(struct mesh *mesh, uint32_t v)
{
    const struct cw_lash *lash = mesh->lash;
    bool change = false;
    for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++)
        if (mesh->axis[link] && mesh->places[lash->head[link]].has_shape)
            change |= set_axis(mesh, link_to(lash, lash->head[link], v), reverse(mesh, mesh->axis[link]));
    return change;
}

/* Of the squares that links ONE and OTHER of V may close, the first. */
static bool close_square(struct mesh *mesh, uint32_t v, uint32_t one, uint32_t other)
{
    const struct cw_lash *lash = mesh->lash;
    const uint32_t w = lash->head[one];
    for (uint32_t link = lash->first[w]; link < lash->first[w + 1]; link++) {
        const uint32_t across = lash->head[link] == v ? CW_NONE : link_to(lash, lash->head[other], lash->head[link]);
        if (across == CW_NONE) continue;
        const bool change = set_axis(mesh, link, mesh->axis[other]);
        return set_axis(mesh, across, mesh->axis[one]) || change;
    }
    return false;
}

/* Links on the far sides of squares at V. */
static bool go_round(struct mesh *mesh, uint32_t v)
{
    const struct cw_lash *lash = mesh->lash;
    const uint32_t n = degree(lash, v), first = lash->first[v];
    bool change = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j && mesh->axis[first + i] && mesh->axis[first + j] && mesh->places[v].distance[i][j] == CORNER &&
                mesh->places[lash->head[first + i]].has_shape)
                change |= close_square(mesh, v, first + i, first + j);
    return change;
}

static void find_axes(struct mesh *mesh)
{
    const struct cw_lash *lash = mesh->lash;
    static bool (*const rules[])(struct mesh *, uint32_t) = {go_straight, go_back, go_round};
    bool change = true;
    seed_axes(mesh);
    while (change) {
        change = false;
        for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
            for (uint32_t v = 0; v < lash->n; v++) change |= mesh->places[v].has_shape && rules[rule](mesh, v);
    }
}

/* --- coordinates -------------------------------------------------------------------------------------------------- */

/* Of two ways to a switch the shorter counts, along each dimension; of two as long the one upwards. */
static bool step(struct mesh *mesh, uint32_t v, uint32_t link)
{
    const uint32_t w = mesh->lash->head[link], d = (mesh->axis[link] - 1u) / 2;
    const int32_t *from = mesh->coordinate + (size_t)v * MOST_LINKS;
    int32_t *to = mesh->coordinate + (size_t)w * MOST_LINKS;
    bool change = false;
    if (!mesh->axis[link]) return false;
    for (uint32_t i = 0; i < mesh->dimensions; i++) {
        if (from[i] == NO_WAY) continue;
        const int32_t at = i == d ? from[i] + (mesh->axis[link] % 2 ? 1 : -1) : from[i];
        if (abs(at) < abs(to[i]) || (abs(at) == abs(to[i]) && at > to[i])) {
            to[i] = at;
            change = true;
        }
    }
    return change;
}

static void find_coordinates(struct mesh *mesh)
{
    const struct cw_lash *lash = mesh->lash;
    bool change = true;
    for (uint32_t v = 0; v < lash->n; v++)
        for (uint32_t i = 0; i < mesh->dimensions; i++)
            mesh->coordinate[(size_t)v * MOST_LINKS + i] = v == mesh->seed ? 0 : NO_WAY;
    while (change) {
        change = false;
        for (uint32_t v = 0; v < lash->n; v++)
            for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++) change |= step(mesh, v, link);
    }
}

static void order_dimensions(struct mesh *mesh)
{
    int64_t size[MOST_LINKS];
    for (uint32_t d = 0; d < mesh->dimensions; d++) {
        int32_t least = NO_WAY, most = -NO_WAY;
        for (uint32_t v = 0; v < mesh->lash->n; v++) {
            const int32_t at = mesh->coordinate[(size_t)v * MOST_LINKS + d];
            if (at == NO_WAY) continue;
            if (at < least) least = at;
            if (at > most) most = at;
        }
        size[d] = (int64_t)most - least;
        uint32_t i = d;
        for (; i > 0 && size[mesh->order[i - 1]] < size[d]; i--) mesh->order[i] = mesh->order[i - 1];
        mesh->order[i] = d;
    }
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static uint32_t append(uint32_t *links, uint32_t n, uint32_t link)
{
    for (uint32_t i = 0; i < n; i++)
        if (links[i] == link) return n;
    links[n] = link;
    return n + 1;
}

/* Links of a switch by axis, the way to the seed first; then the others. Where there is no way back along an axis,
 * links without one take its place, as in OpenSM. */
static void order_links(const struct mesh *mesh, uint32_t v, uint32_t *links)
{
    const struct cw_lash *lash = mesh->lash;
    const int32_t *at = mesh->coordinate + (size_t)v * MOST_LINKS;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * mesh->dimensions; i++) {
        const uint32_t d = mesh->order[i / 2];
        const uint8_t towards = (uint8_t)(2 * d + 1 + i % 2), axis = at[d] > 0 ? opposite(mesh, v, towards) : towards;
        for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++)
            if (mesh->axis[link] == axis) n = append(links, n, link);
    }
    for (uint32_t link = lash->first[v]; link < lash->first[v + 1]; link++) n = append(links, n, link);
}

/* Negative, 0 or positive; differences as OpenSM's, which wrap around where a coordinate is unknown. */
static int32_t compare(const struct mesh *mesh, uint32_t v, uint32_t w)
{
    for (uint32_t i = 0; i < mesh->dimensions; i++) {
        const uint32_t p = (uint32_t)mesh->coordinate[(size_t)v * MOST_LINKS + mesh->order[i]],
                       q = (uint32_t)mesh->coordinate[(size_t)w * MOST_LINKS + mesh->order[i]];
        if (p != q) return (int32_t)(p - q);
    }
    return 0;
}

/* Merges halves, as qsort() of the GNU C library did for OpenSM: the order is not transitive. */
static void sort(const struct mesh *mesh, uint32_t *v, uint32_t n, uint32_t *space)
{
    const uint32_t half = n / 2;
    uint32_t i = 0, j = half, k = 0;
    if (n < 2) return;
    sort(mesh, v, half, space);
    sort(mesh, v + half, n - half, space);
    while (i < half && j < n) space[k++] = compare(mesh, v[i], v[j]) <= 0 ? v[i++] : v[j++];
    while (i < half) space[k++] = v[i++];
    memcpy(v, space, k * sizeof *v);
}

/* Numbers the switches anew, in ORDER, with their links in the order of LINKS. */
static int renumber(struct mesh *mesh, const uint32_t *order, const uint32_t *links)
{
    struct cw_lash *lash = mesh->lash;
    struct cw_lash old = *lash;
    uint32_t *number = mesh->queue;
    const int rc = cw_lash_open(old.net, lash);
    for (uint32_t v = 0; rc == 0 && v < lash->n; v++) number[order[v]] = v;
    for (uint32_t v = 0, at = 0; rc == 0 && v < lash->n; v++) {
        const uint32_t was = order[v];
        lash->vertex[v] = old.vertex[was];
        lash->number[old.vertex[was] - old.net->n_endpoints] = v;
        lash->first[v] = at;
        for (uint32_t i = old.first[was]; i < old.first[was + 1]; i++, at++) {
            lash->tail[at] = v;
            lash->head[at] = number[old.head[links[i]]];
            lash->channel[at] = old.channel[links[i]];
        }
    }
    if (rc) {
        cw_lash_free(lash);
        *lash = old;
    } else {
        cw_lash_free(&old);
    }
    return rc;
}

static int reorder(struct mesh *mesh)
{
    const struct cw_lash *lash = mesh->lash;
    uint32_t *order = cw_new_array(lash->n, sizeof *order, what);
    uint32_t *links = cw_new_array(lash->net->n_channels, sizeof *links, what);
    int rc = order && links ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; rc == 0 && v < lash->n; v++) {
        order[v] = v;
        order_links(mesh, v, links + lash->first[v]);
    }
    if (rc == 0) {
        sort(mesh, order, lash->n, mesh->queue);
        rc = renumber(mesh, order, links);
    }
    free(order);
    free(links);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

int cw_lash_order_as_mesh(struct cw_lash *lash)
{
    struct mesh mesh = {.lash = lash};
    mesh.places = cw_new_array(lash->n, sizeof *mesh.places, what);
    mesh.axis = cw_new_array(lash->net->n_channels, sizeof *mesh.axis, what);
    mesh.coordinate = cw_new_array((size_t)lash->n * MOST_LINKS, sizeof *mesh.coordinate, what);
    mesh.far = cw_new_array(lash->n, sizeof *mesh.far, what);
    mesh.queue = cw_new_array(lash->n, sizeof *mesh.queue, what);
    int rc = mesh.places && mesh.axis && mesh.coordinate && mesh.far && mesh.queue ? 0 : CW_ENOMEM;
    if (rc == 0) rc = measure_all(&mesh);
    if (rc == 0 && find_seed(&mesh)) {
        find_axes(&mesh);
        find_coordinates(&mesh);
        order_dimensions(&mesh);
        rc = reorder(&mesh);
    }
    free(mesh.places);
    free(mesh.axis);
    free(mesh.coordinate);
    free(mesh.far);
    free(mesh.queue);
    return rc;
}
