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

/* What channel C is at the vertex that its tail becomes: all nodes number their ports alike (net/shape.h). */
static uint32_t channel_at(const struct cw_network *net, uint32_t c, uint32_t tail)
{
    return net->first[tail] + (c - net->first[net->tail[c]]);
}

static uint32_t carried_channel(const struct cw_translations *t, const struct vector *vector, uint32_t c)
{
    return channel_at(t->net, c, carried(t, vector, t->net->tail[c]));
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

struct aim {
    uint32_t dst, demand;
    uint64_t bytes;
};

/* The demands by their sources, each one's by their destinations. */
struct index {
    size_t *first; /* [endpoints + 1] */
    struct aim *aims;
};

static void free_index(struct index *index)
{
    free(index->first);
    free(index->aims);
}

static int compare_aims(const void *a, const void *b)
{
    const struct aim *x = a, *y = b;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

/* The demand from SRC to DST; NULL if there is none. */
static const struct aim *find(const struct index *index, uint32_t src, uint32_t dst)
{
    const struct aim key = {.dst = dst};
    return bsearch(&key, index->aims + index->first[src], index->first[src + 1] - index->first[src], sizeof key,
                   compare_aims);
}

static int make_index(const struct cw_flow_problem *problem, struct index *out)
{
    static const char what[] = "demands by their ends";
    const struct cw_demands *demands = problem->demands;
    const uint32_t n = problem->net->n_endpoints;
    struct index index = {cw_new_array((size_t)n + 2, sizeof *index.first, what),
                          cw_new_array(demands->n, sizeof *index.aims, what)};
    if (!index.first || !index.aims) {
        free_index(&index);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < demands->n; d++) index.first[demands->items[d].src + 2]++;
    for (uint32_t v = 0; v < n; v++) index.first[v + 2] += index.first[v + 1];
    for (size_t d = 0; d < demands->n; d++) {
        const struct cw_demand *demand = &demands->items[d];
        index.aims[index.first[demand->src + 1]++] = (struct aim){demand->dst, (uint32_t)d, demand->bytes};
    }
    for (uint32_t v = 0; v < n; v++)
        qsort(index.aims + index.first[v], index.first[v + 1] - index.first[v], sizeof *index.aims, compare_aims);
    *out = index;
    return 0;
}

/* Of two demands with the same ends it could not be said which becomes which. */
static bool has_twins(const struct index *index, uint32_t n_endpoints)
{
    for (uint32_t v = 0; v < n_endpoints; v++)
        for (size_t i = index->first[v] + 1; i < index->first[v + 1]; i++)
            if (index->aims[i].dst == index->aims[i - 1].dst) return true;
    return false;
}

/* Whether the translation by VECTOR changes nothing. */
static bool changes_nothing(const struct cw_translations *t, const struct cw_flow_problem *problem,
                            const struct index *index, const struct vector *vector)
{
    for (uint32_t v = 0; v < t->net->n_endpoints; v++) {
        const uint32_t src = carried(t, vector, v);
        for (size_t i = index->first[v]; i < index->first[v + 1]; i++) {
            const struct aim *aim = &index->aims[i], *other = find(index, src, carried(t, vector, aim->dst));
            if (!other || other->bytes != aim->bytes) return false;
        }
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
    int rc = make_index(problem, &index);
    if (rc) return rc;
    if (!has_twins(&index, t.net->n_endpoints)) find_steps(&t, problem, &index);
    if (t.n > 1) rc = find_representatives(&t, problem->demands, &index);
    free_index(&index);
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
    return channel_at(t->net, c, origin_of(t, t->net->tail[c]));
}

void cw_translations_average(const struct cw_translations *t, double *length)
{
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
