#include "topo/odd_cables.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "net/network_internal.h"
#include "net/places.h"

/* --- comparing ---------------------------------------------------------------------------------------------------- */

static const char what[] = "a comparison of cables";

/* Parallel cables from switch `low` to switch `high`, of a higher level. */
struct bundle {
    uint32_t low, high, cables;
    uint64_t kind; /* the roles of the two */
};

/* What a comparison sorts: things of one kind by a figure. */
struct sample {
    uint64_t kind;
    double figure;
    uint32_t item;
};

struct search {
    const struct cw_network *net;
    uint32_t *roles;        /* [n_vertices] */
    struct bundle *bundles; /* [n_bundles], by `low` */
    uint32_t *first_bundle; /* [n_vertices + 1] */
    uint32_t n_bundles;
    struct sample *samples; /* [max(n_channels, n_vertices)], work space */
    uint32_t *usual;        /* [levels] cables of a bundle from this level up; 0: they have no usual size */
    uint32_t *shared, *seen, *list, *stamp; /* [n_vertices], work space, 0 but for `list` */
    struct cw_odd_cables *odd;
};

static uint64_t kind_of(const struct search *search, uint32_t a, uint32_t b)
{
    return (uint64_t)search->roles[a] << 32 | search->roles[b];
}

static int add(struct search *search, struct cw_odd_cable odd)
{
    struct cw_odd_cables *all = search->odd;
    const int rc = cw_grow_array((void **)&all->items, &all->capacity, all->n + 1, sizeof *all->items, what);
    if (!rc) all->items[all->n++] = odd;
    return rc;
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->figure != y->figure) return x->figure > y->figure ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* The end of the run of samples from FROM on that have the same kind (and figure, if SAME). */
static size_t run_end(const struct sample *samples, size_t n, size_t from, bool same)
{
    size_t end = from;
    while (end < n && samples[end].kind == samples[from].kind && (!same || samples[end].figure == samples[from].figure))
        end++;
    return end;
}

/* The most frequent figure among the samples FROM … TO - 1, sorted and of one kind, the greater of two; *TIMES gets how
 * often it occurs. */
static double most_frequent(const struct sample *samples, size_t from, size_t to, size_t *times)
{
    double figure = 0;
    *times = 0;
    for (size_t i = from, end; i < to; i = end) {
        end = run_end(samples, to, i, true);
        if (end - i <= *times) continue;
        *times = end - i;
        figure = samples[i].figure;
    }
    return figure;
}

/* --- slow cables -------------------------------------------------------------------------------------------------- */

static int add_slow(struct search *search, uint32_t c, double capacity, double usual)
{
    const struct cw_network *net = search->net;
    return add(search, (struct cw_odd_cable){.fault = CW_ODD_SLOW,
                                             .a = net->tail[c],
                                             .b = net->head[c],
                                             .role_a = search->roles[net->tail[c]],
                                             .role_b = search->roles[net->head[c]],
                                             .channel = c,
                                             .capacity = capacity,
                                             .usual_capacity = usual});
}

static int find_slow(struct search *search)
{
    const struct cw_network *net = search->net;
    struct sample *samples = search->samples;
    size_t n = 0, times;
    int rc = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t low = search->roles[net->tail[c]], high = search->roles[net->head[c]], twin = net->twin[c];
        if (low > high || (low == high && c > twin)) continue;
        if (cw_network_is_closed(net, c) || cw_network_is_closed(net, twin))
            continue; /* is another matter than speed */
        samples[n++] = (struct sample){kind_of(search, net->tail[c], net->head[c]),
                                       fmin(net->capacity[c], net->capacity[twin]), c};
    }
    if (n > 0) qsort(samples, n, sizeof *samples, compare_samples);
    for (size_t from = 0, to; from < n && !rc; from = to) {
        to = run_end(samples, n, from, false);
        const double usual = most_frequent(samples, from, to, &times);
        for (size_t i = from, end; i < to; i = end) {
            end = run_end(samples, to, i, true);
            if (samples[i].figure >= usual || 4 * (end - i) > to - from) continue;
            for (size_t k = i; k < end && !rc; k++) rc = add_slow(search, samples[k].item, samples[k].figure, usual);
        }
    }
    return rc;
}

/* --- bundles ------------------------------------------------------------------------------------------------------ */

/* Fills LIST with the higher neighbours of switch V, one for each cable, sorted. Returns their number. */
static uint32_t cables_up(const struct search *search, uint32_t v, uint32_t *list)
{
    const struct cw_network *net = search->net;
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (search->roles[net->head[c]] > search->roles[v]) list[n++] = net->head[c];
    cw_sort_numbers(list, n);
    return n;
}

static int gather_bundles(struct search *search)
{
    const struct cw_network *net = search->net;
    uint32_t *list = cw_new_array(net->n_channels, sizeof *list, what);
    search->bundles = cw_new_array(net->n_channels / 2, sizeof *search->bundles, what);
    search->first_bundle = cw_new_array((size_t)net->n_vertices + 1, sizeof *search->first_bundle, what);
    if (!list || !search->bundles || !search->first_bundle) {
        free(list);
        return CW_ENOMEM;
    }
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        search->first_bundle[v] = search->n_bundles;
        const uint32_t n = search->roles[v] < CW_ROLE_LEAF ? 0 : cables_up(search, v, list);
        for (uint32_t i = 0, end; i < n; i = end) {
            for (end = i; end < n && list[end] == list[i];) end++;
            search->bundles[search->n_bundles++] = (struct bundle){v, list[i], end - i, kind_of(search, v, list[i])};
        }
    }
    search->first_bundle[net->n_vertices] = search->n_bundles;
    free(list);
    return 0;
}

static int add_bundle(struct search *search, uint32_t low, uint32_t high, uint32_t cables, uint32_t usual)
{
    return add(search, (struct cw_odd_cable){.fault = cables < usual ? CW_ODD_FEWER : CW_ODD_MORE,
                                             .a = low,
                                             .b = high,
                                             .role_a = search->roles[low],
                                             .role_b = search->roles[high],
                                             .channel = CW_NONE,
                                             .cables = cables,
                                             .usual_cables = usual});
}

/* --- bundles that are not there ----------------------------------------------------------------------------------- */

static uint32_t n_higher(const struct search *search, uint32_t v)
{
    return search->first_bundle[v + 1] - search->first_bundle[v];
}

/* Counts in `shared` how many higher neighbours each switch of V's level has in common with V, and lists those
 * switches. Returns their number. */
static uint32_t count_shared(struct search *search, uint32_t v)
{
    const struct cw_network *net = search->net;
    uint32_t n = 0;
    for (uint32_t i = search->first_bundle[v]; i < search->first_bundle[v + 1]; i++) {
        const uint32_t high = search->bundles[i].high;
        for (uint32_t c = net->first[high]; c < net->first[high + 1]; c++) {
            const uint32_t peer = net->head[c];
            if (peer == v || search->roles[peer] != search->roles[v] || search->stamp[peer] == high) continue;
            search->stamp[peer] = high; /* parallel cables count once */
            if (search->shared[peer]++ == 0) search->list[n++] = peer;
        }
    }
    return n;
}

/* Names the switches that V has no cable to, though most of its N_PEERS peers have one: SEEN counts these. V's own
 * neighbours are marked with UINT32_MAX. */
static int add_absent(struct search *search, uint32_t v, uint32_t n_peers, uint32_t n_near)
{
    int rc = 0;
    for (uint32_t i = 0; i < n_near && !rc; i++) {
        const uint32_t peer = search->list[i];
        for (uint32_t k = search->first_bundle[peer]; k < search->first_bundle[peer + 1] && !rc; k++) {
            const uint32_t high = search->bundles[k].high;
            if (search->seen[high] != UINT32_MAX && 4 * (uint64_t)search->seen[high] >= 3 * (uint64_t)n_peers) {
                search->seen[high] = UINT32_MAX;
                rc = add_bundle(search, v, high, 0, search->usual[search->roles[v] - CW_ROLE_LEAF]);
            }
        }
    }
    return rc;
}

static int find_absent_of(struct search *search, uint32_t v)
{
    const uint32_t n_near = count_shared(search, v), own = n_higher(search, v);
    uint32_t n_peers = 0;
    for (uint32_t i = search->first_bundle[v]; i < search->first_bundle[v + 1]; i++)
        search->seen[search->bundles[i].high] = UINT32_MAX;
    for (uint32_t i = 0; i < n_near; i++) {
        const uint32_t peer = search->list[i], theirs = n_higher(search, peer);
        if (2 * search->shared[peer] < (own < theirs ? own : theirs)) continue;
        n_peers++;
        for (uint32_t k = search->first_bundle[peer]; k < search->first_bundle[peer + 1]; k++)
            if (search->seen[search->bundles[k].high] != UINT32_MAX) search->seen[search->bundles[k].high]++;
    }
    const int rc = n_peers >= 2 ? add_absent(search, v, n_peers, n_near) : 0;
    for (uint32_t i = 0; i < n_near; i++) {
        const uint32_t peer = search->list[i];
        search->shared[peer] = 0;
        search->stamp[peer] = 0;
        for (uint32_t k = search->first_bundle[peer]; k < search->first_bundle[peer + 1]; k++)
            search->seen[search->bundles[k].high] = 0;
    }
    for (uint32_t i = search->first_bundle[v]; i < search->first_bundle[v + 1]; i++)
        search->seen[search->bundles[i].high] = 0;
    return rc;
}

/* --- numbers of cables -------------------------------------------------------------------------------------------- */

/* Finds the usual size of bundles from each level, and those of another. A level's bundles all lead to the next. */
static int compare_bundles(struct search *search)
{
    struct sample *samples = search->samples;
    const uint32_t n = search->n_bundles;
    size_t times;
    int rc = 0;
    for (uint32_t i = 0; i < n; i++)
        samples[i] = (struct sample){search->bundles[i].kind, search->bundles[i].cables, i};
    if (n > 0) qsort(samples, n, sizeof *samples, compare_samples);
    for (size_t from = 0, to; from < n && !rc; from = to) {
        to = run_end(samples, n, from, false);
        const double usual = most_frequent(samples, from, to, &times);
        if (4 * times < 3 * (to - from)) continue;
        search->usual[search->roles[search->bundles[samples[from].item].low] - CW_ROLE_LEAF] = (uint32_t)usual;
        for (size_t i = from; i < to && !rc; i++) {
            const struct bundle *bundle = &search->bundles[samples[i].item];
            if (bundle->cables != usual)
                rc = add_bundle(search, bundle->low, bundle->high, bundle->cables, (uint32_t)usual);
        }
    }
    return rc;
}

/* Compares switches of a level by their cables in all: to higher levels (UP) where bundles have no usual size; or of
 * leaves to other leaves. */
static int compare_switches(struct search *search, bool up)
{
    const struct cw_network *net = search->net;
    struct sample *samples = search->samples;
    size_t n = 0, times;
    int rc = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t cables = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            cables +=
                up ? search->roles[net->head[c]] > search->roles[v] : search->roles[net->head[c]] == search->roles[v];
        if (up ? search->roles[v] >= CW_ROLE_LEAF && search->usual[search->roles[v] - CW_ROLE_LEAF] == 0
               : search->roles[v] == CW_ROLE_LEAF)
            samples[n++] = (struct sample){search->roles[v], cables, v};
    }
    if (n > 0) qsort(samples, n, sizeof *samples, compare_samples);
    for (size_t from = 0, to; from < n && !rc; from = to) {
        to = run_end(samples, n, from, false);
        const double usual = most_frequent(samples, from, to, &times);
        if (4 * times < 3 * (to - from)) continue;
        for (size_t i = from; i < to && !rc; i++)
            if (samples[i].figure < usual)
                rc = add(search, (struct cw_odd_cable){.fault = CW_ODD_FEWER,
                                                       .a = samples[i].item,
                                                       .b = CW_NONE,
                                                       .role_a = search->roles[samples[i].item],
                                                       .role_b = up ? CW_NONE : search->roles[samples[i].item],
                                                       .channel = CW_NONE,
                                                       .cables = (uint32_t)samples[i].figure,
                                                       .usual_cables = (uint32_t)usual});
    }
    return rc;
}

static int find_missing(struct search *search)
{
    const struct cw_network *net = search->net;
    int rc = gather_bundles(search);
    if (!rc) rc = compare_bundles(search);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++)
        if (search->roles[v] >= CW_ROLE_LEAF && search->usual[search->roles[v] - CW_ROLE_LEAF] > 0)
            rc = find_absent_of(search, v);
    if (!rc) rc = compare_switches(search, true);
    if (!rc) rc = compare_switches(search, false);
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int compare_odd(const void *a, const void *b)
{
    const struct cw_odd_cable *x = a, *y = b;
    if (x->fault != y->fault) return x->fault < y->fault ? -1 : 1;
    if (x->role_a != y->role_a) return x->role_a < y->role_a ? -1 : 1;
    if (x->role_b != y->role_b) return x->role_b < y->role_b ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int find(struct search *search)
{
    const struct cw_network *net = search->net;
    const size_t n = net->n_vertices, most = net->n_channels > n ? net->n_channels : n;
    search->roles = cw_new_array(n, sizeof *search->roles, what);
    search->samples = cw_new_array(most, sizeof *search->samples, what);
    search->shared = cw_new_array(5 * n, sizeof *search->shared, what);
    if (!search->roles || !search->samples || !search->shared) return CW_ENOMEM;
    search->seen = search->shared + n;
    search->list = search->shared + 2 * n;
    search->stamp = search->shared + 3 * n;
    search->usual = search->shared + 4 * n;
    int rc = cw_network_roles(net, search->roles, &search->odd->levels);
    if (!rc) rc = find_slow(search);
    const bool complete = net->shape.kind && cw_network_check_shape(net) == 0;
    if (!rc && !complete) rc = find_missing(search);
    return rc;
}

int cw_odd_cables_find(const struct cw_network *net, struct cw_odd_cables *out)
{
    struct cw_odd_cables odd = {0};
    struct search search = {.net = net, .odd = &odd};
    const int rc = find(&search);
    free(search.roles);
    free(search.samples);
    free(search.shared);
    free(search.bundles);
    free(search.first_bundle);
    if (rc) {
        cw_odd_cables_free(&odd);
        return rc;
    }
    if (odd.n > 0) qsort(odd.items, odd.n, sizeof *odd.items, compare_odd);
    *out = odd;
    return 0;
}

/* --- cables that are missing -------------------------------------------------------------------------------------- */

/* Those of the shape between places P and Q, a pair that occurs first at channel C of the ideal, unless none is. */
static int add_gap(struct search *search, uint32_t p, uint32_t c)
{
    const struct cw_places *places = search->net->places;
    const struct cw_network *ideal = places->ideal;
    const uint32_t q = ideal->head[c];
    uint32_t there = 0, all = 0;
    for (uint32_t other = ideal->first[p]; other < ideal->first[p + 1]; other++) {
        if (ideal->head[other] != q) continue;
        if (places->channel[other] == CW_NONE && other < c) return 0; /* they need not follow each other */
        there += places->channel[other] != CW_NONE;
        all++;
    }
    return add_bundle(search, places->vertex[p], places->vertex[q], there, all);
}

static int find_gaps(struct search *search)
{
    const struct cw_places *places = search->net->places;
    const struct cw_network *ideal = places->ideal;
    int rc = 0;
    for (uint32_t p = 0; p < ideal->n_vertices; p++) {
        if (places->vertex[p] == CW_NONE) continue;
        for (uint32_t c = ideal->first[p]; c < ideal->first[p + 1] && !rc; c++)
            if (ideal->head[c] > p && places->vertex[ideal->head[c]] != CW_NONE && places->channel[c] == CW_NONE)
                rc = add_gap(search, p, c);
    }
    return rc;
}

static int find_in_shape(const struct cw_network *net, struct cw_odd_cables *odd)
{
    struct search search = {.net = net, .odd = odd};
    search.roles = cw_new_array(net->n_vertices, sizeof *search.roles, what);
    int rc = search.roles ? cw_network_roles(net, search.roles, &odd->levels) : CW_ENOMEM;
    if (!rc) rc = find_gaps(&search);
    free(search.roles);
    return rc;
}

int cw_missing_cables_find(const struct cw_network *net, struct cw_odd_cables *out)
{
    struct cw_odd_cables odd = {0};
    int rc = net->places ? find_in_shape(net, &odd) : cw_odd_cables_find(net, &odd);
    if (rc) {
        cw_odd_cables_free(&odd);
        return rc;
    }
    size_t n = 0;
    for (size_t i = 0; i < odd.n; i++)
        if (odd.items[i].fault == CW_ODD_FEWER) odd.items[n++] = odd.items[i];
    odd.n = n;
    *out = odd;
    return 0;
}

void cw_odd_cables_free(struct cw_odd_cables *odd)
{
    if (!odd) return;
    free(odd->items);
    *odd = (struct cw_odd_cables){0};
}
