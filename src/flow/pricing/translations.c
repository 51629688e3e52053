#include "flow/pricing/translations.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* A vector of a translation: how far each coordinate goes, below the size of its dimension. */
struct vector {
    uint32_t by[CW_TORUS_DIMENSIONS];
};

/* Where VECTOR carries V: nodes are endpoints and then switches, in the same order. */
static uint32_t carried(const struct cw_translations *t, const struct vector *vector, uint32_t v)
{
    const uint32_t n = t->net->n_endpoints;
    uint32_t rest = v % n, stride = 1, to = v - rest;
    for (uint32_t d = 0; d < t->n_dimensions; d++) {
        to += (rest % t->k[d] + vector->by[d]) % t->k[d] * stride;
        rest /= t->k[d];
        stride *= t->k[d];
    }
    return to;
}

/* All nodes number their ports alike (net/shape.h). */
static uint32_t carried_channel(const struct cw_translations *t, const struct vector *vector, uint32_t c)
{
    const struct cw_network *net = t->net;
    const uint32_t tail = net->tail[c];
    return net->first[carried(t, vector, tail)] + (c - net->first[tail]);
}

/* The one that carries node FROM to TO. */
static struct vector vector_between(const struct cw_translations *t, uint32_t from, uint32_t to)
{
    struct vector vector = {{0}};
    for (uint32_t d = 0; d < t->n_dimensions; d++) {
        const uint32_t k = t->k[d];
        vector.by[d] = (to % k + k - from % k) % k;
        from /= k;
        to /= k;
    }
    return vector;
}

/* The node below step[d] in each dimension that V's node becomes. */
static uint32_t origin_of(const struct cw_translations *t, uint32_t v)
{
    const uint32_t n = t->net->n_endpoints;
    uint32_t rest = v % n, stride = 1, to = v - rest;
    for (uint32_t d = 0; d < t->n_dimensions; d++) {
        to += rest % t->k[d] % t->step[d] * stride;
        rest /= t->k[d];
        stride *= t->k[d];
    }
    return to;
}

/* --- finding them ------------------------------------------------------------------------------------------------- */

struct by_ends {
    uint64_t ends; /* source, then destination */
    uint64_t bytes;
    uint32_t demand;
};

/* The demands in the order of their ends. */
struct index {
    struct by_ends *items;
    size_t n;
};

static int compare_ends(const void *a, const void *b)
{
    const struct by_ends *x = a, *y = b;
    return (x->ends > y->ends) - (x->ends < y->ends);
}

static uint64_t ends_of(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

/* The demand from SRC to DST; NULL if there is none. */
static const struct by_ends *find(const struct index *index, uint32_t src, uint32_t dst)
{
    const struct by_ends key = {.ends = ends_of(src, dst)};
    return bsearch(&key, index->items, index->n, sizeof key, compare_ends);
}

static int make_index(const struct cw_demands *demands, struct index *out)
{
    struct by_ends *items = cw_new_array(demands->n, sizeof *items, "demands by their ends");
    if (!items) return CW_ENOMEM;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        items[d] = (struct by_ends){ends_of(demand->src, demand->dst), demand->bytes, (uint32_t)d};
    }
    qsort(items, demands->n, sizeof *items, compare_ends);
    *out = (struct index){items, demands->n};
    return 0;
}

/* Of two demands with the same ends it could not be said which becomes which. */
static bool has_twins(const struct index *index)
{
    for (size_t i = 1; i < index->n; i++)
        if (index->items[i].ends == index->items[i - 1].ends) return true;
    return false;
}

/* Whether the translation by VECTOR changes nothing. */
static bool changes_nothing(const struct cw_translations *t, const struct cw_flow_problem *problem,
                            const struct index *index, const struct vector *vector)
{
    for (size_t i = 0; i < index->n; i++) {
        const struct cw_demand *demand = &problem->demands->items[index->items[i].demand];
        const struct by_ends *other = find(index, carried(t, vector, demand->src), carried(t, vector, demand->dst));
        if (!other || other->bytes != demand->bytes) return false;
    }
    for (uint32_t c = 0; c < t->net->n_channels; c++)
        if (problem->capacity[carried_channel(t, vector, c)] != problem->capacity[c]) return false;
    return true;
}

static void find_steps(struct cw_translations *t, const struct cw_flow_problem *problem, const struct index *index)
{
    for (uint32_t d = 0; d < t->n_dimensions; d++) {
        const uint32_t k = t->k[d];
        uint32_t step = 1;
        for (; step < k; step++) {
            struct vector vector = {{0}};
            vector.by[d] = step;
            if (k % step == 0 && changes_nothing(t, problem, index, &vector)) break;
        }
        t->step[d] = step;
        t->n *= k / step;
    }
}

static int find_representatives(struct cw_translations *t, const struct cw_demands *demands, const struct index *index)
{
    t->representative = cw_new_array(demands->n, sizeof *t->representative, "representatives");
    if (!t->representative) return CW_ENOMEM;
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        const uint32_t src = origin_of(t, demand->src);
        const struct vector vector = vector_between(t, demand->src, src);
        t->representative[d] = find(index, src, carried(t, &vector, demand->dst))->demand;
    }
    return 0;
}

int cw_translations_find(const struct cw_flow_problem *problem, struct cw_translations *out)
{
    const struct cw_shape *shape = &problem->net->shape;
    struct cw_translations t = {.net = problem->net, .n = 1};
    if (!problem->legs && !problem->anycast && shape->kind && shape->kind->lattice)
        t.n_dimensions = shape->kind->lattice(shape, &t.k);
    if (t.n_dimensions == 0) {
        *out = t;
        return 0;
    }
    struct index index;
    int rc = make_index(problem->demands, &index);
    if (rc) return rc;
    if (!has_twins(&index)) find_steps(&t, problem, &index);
    if (t.n > 1) rc = find_representatives(&t, problem->demands, &index);
    free(index.items);
    if (!rc) *out = t;
    return rc;
}

void cw_translations_free(struct cw_translations *translations)
{
    free(translations->representative);
    translations->representative = NULL;
}

/* --- what they carry ---------------------------------------------------------------------------------------------- */

/* The channel that all those that become C are counted at. */
static uint32_t first_of(const struct cw_translations *t, uint32_t c)
{
    const struct cw_network *net = t->net;
    const uint32_t tail = net->tail[c];
    return net->first[origin_of(t, tail)] + (c - net->first[tail]);
}

void cw_translations_average(const struct cw_translations *t, double *length)
{
    if (t->n == 1) return;
    for (uint32_t c = 0; c < t->net->n_channels; c++) {
        const uint32_t first = first_of(t, c);
        if (first != c) length[first] += length[c]; /* it comes before them all */
    }
    for (uint32_t c = 0; c < t->net->n_channels; c++) {
        const uint32_t first = first_of(t, c);
        if (first == c)
            length[c] /= t->n;
        else
            length[c] = length[first];
    }
}

bool cw_translations_keep(const struct cw_translations *t, const double *length)
{
    for (uint32_t c = 0; c < t->net->n_channels; c++)
        if (length[c] != length[first_of(t, c)]) return false;
    return true;
}

void cw_translations_carry(const struct cw_translations *t, uint32_t from, uint32_t to, const uint32_t *channels,
                           uint32_t n, uint32_t *out)
{
    const struct vector vector = vector_between(t, from, to);
    for (uint32_t i = 0; i < n; i++) out[i] = carried_channel(t, &vector, channels[i]);
}
