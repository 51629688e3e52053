#include "flow/quotient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/legs/legs.h"
#include "net/network_internal.h"

uint32_t cw_lattice_sum(const uint32_t *k, uint32_t n, uint32_t a, uint32_t b)
{
    uint32_t stride = 1, sum = 0;
    for (uint32_t d = 0; d < n; d++) {
        sum += (a % k[d] + b % k[d]) % k[d] * stride;
        a /= k[d];
        b /= k[d];
        stride *= k[d];
    }
    return sum;
}

/* Where the translation that carries node 0 to BY carries V: nodes are endpoints and then switches, in the same order.
 */
static uint32_t carried(const struct cw_quotient *q, uint32_t by, uint32_t v)
{
    const uint32_t node = v % q->whole->net->n_endpoints;
    return v - node + cw_lattice_sum(q->k, q->n_dimensions, node, by);
}

/* What channel C is at the vertex that its tail becomes: all nodes number their ports alike (net/shape.h). */
static uint32_t channel_at(const struct cw_network *net, uint32_t c, uint32_t tail)
{
    return net->first[tail] + (c - net->first[net->tail[c]]);
}

/* Where the translation that carries node FROM to TO carries node 0. */
static uint32_t translation(const struct cw_quotient *q, uint32_t from, uint32_t to)
{
    uint32_t stride = 1, by = 0;
    for (uint32_t d = 0; d < q->n_dimensions; d++) {
        const uint32_t k = q->k[d];
        by += (to % k + k - from % k) % k * stride;
        from /= k;
        to /= k;
        stride *= k;
    }
    return by;
}

/* The node below step[d] in each dimension that V's node becomes. */
static uint32_t origin_of(const struct cw_quotient *q, uint32_t v)
{
    const uint32_t n = q->whole->net->n_endpoints;
    uint32_t rest = v % n, stride = 1, to = v - rest;
    for (uint32_t d = 0; d < q->n_dimensions; d++) {
        to += rest % q->k[d] % q->step[d] * stride;
        rest /= q->k[d];
        stride *= q->k[d];
    }
    return to;
}

/* --- finding them ------------------------------------------------------------------------------------------------- */

/* The demands by their sources, and those of one source by their destinations. */
struct index {
    const struct cw_demands *demands;
    size_t *first;    /* [endpoints + 1] */
    uint32_t *demand; /* [demands] */
    uint32_t *to;     /* [endpoints] that of the listed source, or CW_NONE */
};

static void free_index(struct index *index)
{
    free(index->first);
    free(index->demand);
    free(index->to);
}

static int make_index(const struct cw_flow_problem *problem, struct index *out)
{
    static const char what[] = "demands by their ends";
    const struct cw_demands *demands = problem->demands;
    const uint32_t n = problem->net->n_endpoints;
    struct index index = {demands, cw_new_array((size_t)n + 2, sizeof *index.first, what),
                          cw_new_array(demands->n, sizeof *index.demand, what),
                          cw_new_array(n, sizeof *index.to, what)};
    if (!index.first || !index.demand || !index.to) {
        free_index(&index);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < demands->n; d++) index.first[demands->items[d].src + 2]++;
    for (uint32_t v = 0; v < n; v++) index.first[v + 2] += index.first[v + 1];
    for (size_t d = 0; d < demands->n; d++) index.demand[index.first[demands->items[d].src + 1]++] = (uint32_t)d;
    for (uint32_t v = 0; v < n; v++) index.to[v] = CW_NONE;
    *out = index;
    return 0;
}

/* Lists the demands of SRC. False if two have the same ends: it could not be said which becomes which. */
static bool list(struct index *index, uint32_t src)
{
    for (size_t i = index->first[src]; i < index->first[src + 1]; i++) {
        uint32_t *to = &index->to[index->demands->items[index->demand[i]].dst];
        if (*to != CW_NONE) return false;
        *to = index->demand[i];
    }
    return true;
}

static void unlist(struct index *index, uint32_t src)
{
    for (size_t i = index->first[src]; i < index->first[src + 1]; i++)
        index->to[index->demands->items[index->demand[i]].dst] = CW_NONE;
}

/* Whether BY carries the demands of V to demands of as many bytes. */
static bool carries_demands_of(const struct cw_quotient *q, struct index *index, uint32_t by, uint32_t v)
{
    const uint32_t src = carried(q, by, v);
    bool same = list(index, src);
    for (size_t i = index->first[v]; i < index->first[v + 1] && same; i++) {
        const struct cw_demand *demand = &index->demands->items[index->demand[i]];
        const uint32_t other = index->to[carried(q, by, demand->dst)];
        same = other != CW_NONE && index->demands->items[other].bytes == demand->bytes;
    }
    unlist(index, src);
    return same;
}

/* Whether BY carries the legs from from[F] to legs, or there are none. */
static bool carries_legs_from(const struct cw_quotient *q, uint32_t by, uint32_t f)
{
    const struct cw_network *net = q->whole->net;
    const struct cw_legs *legs = q->whole->legs;
    const uint32_t from = legs->from_index[carried(q, by, legs->from[f])];
    if (from == CW_NONE) return false;
    for (uint32_t t = 0; t < legs->n_to; t++) {
        const uint32_t to = legs->to_index[carried(q, by, legs->to[t])];
        for (size_t r = 0; r < legs->setup.n_routes; r++) {
            uint32_t n, n_there = 0;
            const uint32_t *channels = cw_legs_channels(legs, f, t, r, &n);
            const uint32_t *there = to == CW_NONE ? NULL : cw_legs_channels(legs, from, to, r, &n_there);
            if (!there || n_there != n) return false;
            for (uint32_t i = 0; i < n; i++)
                if (there[i] != channel_at(net, channels[i], carried(q, by, net->tail[channels[i]]))) return false;
        }
    }
    return true;
}

/* Whether the translation by BY changes nothing. */
static bool changes_nothing(const struct cw_quotient *q, struct index *index, uint32_t by)
{
    const struct cw_network *net = q->whole->net;
    const struct cw_legs *legs = q->whole->legs;
    const double *capacity = q->whole->capacity;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (capacity[channel_at(net, c, carried(q, by, net->tail[c]))] != capacity[c]) return false;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        if (legs && legs->may_relay[v] != legs->may_relay[carried(q, by, v)]) return false;
        if (!carries_demands_of(q, index, by, v)) return false;
    }
    for (uint32_t f = 0; legs && f < legs->n_from; f++)
        if (!carries_legs_from(q, by, f)) return false;
    return true;
}

static void find_steps(struct cw_quotient *q, struct index *index)
{
    for (uint32_t d = 0, stride = 1; d < q->n_dimensions; stride *= q->k[d++]) {
        const uint32_t k = q->k[d];
        uint32_t step = 1;
        while (step < k && (k % step != 0 || !changes_nothing(q, index, step * stride))) step++;
        q->step[d] = step;
        q->n *= k / step;
    }
}

/* --- the quotient ------------------------------------------------------------------------------------------------- */

/* The demands of the sources that stand for others, in the order of the whole's. */
static int take_demands(struct cw_quotient *q)
{
    const struct cw_demands *demands = q->whole->demands;
    int rc = 0;
    for (size_t d = 0; d < demands->n && !rc; d++) {
        const struct cw_demand *demand = &demands->items[d];
        if (origin_of(q, demand->src) != demand->src) continue;
        q->stands_for[d] = (uint32_t)q->demands.n;
        rc = cw_demands_add(&q->demands, demand->src, demand->dst, demand->bytes);
    }
    return rc;
}

static int find_stands_for(struct cw_quotient *q, struct index *index)
{
    const struct cw_demands *demands = q->whole->demands;
    q->stands_for = cw_new_array(demands->n, sizeof *q->stands_for, "demands that are alike");
    const int rc = q->stands_for ? take_demands(q) : CW_ENOMEM;
    for (uint32_t v = 0; v < q->whole->net->n_endpoints && !rc; v++) {
        const uint32_t src = origin_of(q, v);
        const uint32_t by = translation(q, v, src);
        if (src == v) continue;
        list(index, src);
        for (size_t i = index->first[v]; i < index->first[v + 1]; i++) {
            const uint32_t d = index->demand[i];
            q->stands_for[d] = q->stands_for[index->to[carried(q, by, demands->items[d].dst)]];
        }
        unlist(index, src);
    }
    return rc;
}

/* The channel that stands for C. */
static uint32_t first_of(const struct cw_quotient *q, uint32_t c)
{
    return channel_at(q->whole->net, c, origin_of(q, q->whole->net->tail[c]));
}

static int make_problem(struct cw_quotient *q)
{
    const struct cw_flow_problem *whole = q->whole;
    q->problem = *whole;
    q->problem.capacity = cw_new_array(whole->net->n_channels, sizeof *q->problem.capacity, "capacities");
    if (!q->problem.capacity) return CW_ENOMEM;
    q->problem.demands = &q->demands;
    q->problem.quotient = q;
    for (uint32_t c = 0; c < whole->net->n_channels; c++)
        q->problem.capacity[c] = first_of(q, c) == c || !(whole->capacity[c] > 0) ? whole->capacity[c] : INFINITY;
    return 0;
}

int cw_quotient_make(const struct cw_flow_problem *whole, struct cw_quotient *out)
{
    const struct cw_shape *shape = &whole->net->shape;
    *out = (struct cw_quotient){.whole = whole, .problem = *whole, .n = 1};
    if (!whole->anycast && shape->kind && shape->kind->lattice)
        out->n_dimensions = shape->kind->lattice(shape, &out->k);
    if (out->n_dimensions == 0) return 0;
    struct index index;
    int rc = make_index(whole, &index);
    if (rc) return rc;
    find_steps(out, &index);
    if (out->n > 1) rc = find_stands_for(out, &index);
    if (out->n > 1 && !rc) rc = make_problem(out);
    free_index(&index);
    if (rc) cw_quotient_free(out);
    return rc;
}

void cw_quotient_free(struct cw_quotient *quotient)
{
    if (quotient->problem.quotient) free(quotient->problem.capacity);
    free(quotient->stands_for);
    cw_demands_free(&quotient->demands);
    *quotient = (struct cw_quotient){0};
}

/* --- to and fro --------------------------------------------------------------------------------------------------- */

void cw_quotient_fold(const struct cw_quotient *q, double *length)
{
    for (uint32_t c = 0; c < q->whole->net->n_channels; c++) {
        const uint32_t first = first_of(q, c);
        if (first == c) continue; /* it comes before all that it stands for */
        length[first] += length[c];
        length[c] = 0;
    }
    for (uint32_t c = 0; c < q->whole->net->n_channels; c++) length[c] /= q->n;
}

void cw_quotient_unfold(const struct cw_quotient *q, const double *length, double *out)
{
    for (uint32_t c = 0; c < q->whole->net->n_channels; c++) {
        const uint32_t first = first_of(q, c);
        out[c] = first == c ? length[c] : out[first];
    }
}

void cw_quotient_fold_path(const struct cw_quotient *q, uint32_t *channels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) channels[i] = first_of(q, channels[i]);
}

void cw_quotient_unfold_path(const struct cw_quotient *q, uint32_t from, uint32_t *channels, uint32_t n)
{
    uint32_t v = from;
    for (uint32_t i = 0; i < n; i++) {
        channels[i] = channel_at(q->whole->net, channels[i], v);
        v = q->whole->net->head[channels[i]];
    }
}
