#include "route/engines/balanced/balanced_trees.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"

/* --- destinations ------------------------------------------------------------------------------------------------- */

struct place {
    uint32_t endpoint, at;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->at != q->at) return p->at < q->at ? -1 : 1;
    return (p->endpoint > q->endpoint) - (p->endpoint < q->endpoint);
}

/* The first switch that endpoint E has a cable to. */
static struct place place_of(const struct cw_network *net, uint32_t e)
{
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
        if (!cw_network_is_endpoint(net, net->head[c])) return (struct place){e, net->head[c]};
    return (struct place){e, CW_NONE};
}

static void sort_destinations(struct cw_balanced_trees *trees, struct place *places)
{
    const struct cw_network *net = trees->net;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const struct place place = place_of(net, e);
        if (place.at == CW_NONE) continue;
        places[trees->n_order++] = place;
        if (cw_network_degree(net, e) == 1)
            trees->hosted[place.at - net->n_endpoints]++;
        else
            trees->several[trees->n_several++] = e;
    }
    qsort(places, trees->n_order, sizeof *places, compare_places);
    for (uint32_t i = 0; i < trees->n_order; i++) trees->order[i] = places[i].endpoint;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static double price_of(const struct cw_balanced_trees *trees, uint32_t channel)
{
    const uint64_t load = trees->load[channel];
    const double price = trees->price ? trees->price(load) : (double)load;
    return trees->slowness ? price * trees->slowness[channel] : price;
}

int cw_trees_new(const struct cw_network *net, struct cw_balanced_trees *trees)
{
    static const char what[] = "balanced routes";
    const uint32_t n = cw_network_switches(net);
    struct cw_balanced_trees made = {.net = net};
    struct place *places = cw_new_array(net->n_endpoints, sizeof *places, what);
    made.order = cw_new_array(net->n_endpoints, sizeof *made.order, what);
    made.hosted = cw_new_array(n, sizeof *made.hosted, what);
    made.several = cw_new_array(net->n_endpoints, sizeof *made.several, what);
    made.start = cw_new_array(net->n_endpoints, sizeof *made.start, what);
    made.load = cw_new_array(net->n_channels, sizeof *made.load, what);
    made.cost = cw_new_array(net->n_channels, sizeof *made.cost, what);
    made.hops = cw_new_array(n, sizeof *made.hops, what);
    made.reached = cw_new_array(n, sizeof *made.reached, what);
    made.channel = cw_new_array(n, sizeof *made.channel, what);
    const bool all = places && made.order && made.hosted && made.several && made.start && made.load && made.cost &&
                     made.hops && made.reached && made.channel;
    if (all) sort_destinations(&made, places);
    free(places);
    *trees = made;
    if (all) return 0;
    cw_trees_free(trees);
    return CW_ENOMEM;
}

void cw_trees_reprice(struct cw_balanced_trees *trees, double (*price)(uint64_t load))
{
    trees->price = price;
    for (uint32_t c = 0; c < trees->net->n_channels; c++) trees->cost[c] = price_of(trees, c);
}

int cw_trees_count_speeds(struct cw_balanced_trees *trees)
{
    const struct cw_network *net = trees->net;
    double fastest = 0;
    bool equal = true;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->capacity[c] > fastest) fastest = net->capacity[c];
        equal &= net->capacity[c] == net->capacity[0];
    }
    if (equal) return 0;
    trees->slowness = cw_new_array(net->n_channels, sizeof *trees->slowness, "speeds of channels");
    if (!trees->slowness) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) trees->slowness[c] = fastest / net->capacity[c];
    return 0;
}

void cw_trees_free(struct cw_balanced_trees *trees)
{
    free(trees->slowness);
    free(trees->order);
    free(trees->hosted);
    free(trees->several);
    free(trees->start);
    free(trees->load);
    free(trees->cost);
    free(trees->hops);
    free(trees->reached);
    free(trees->channel);
    free(trees->pairs);
    free(trees->first_pair);
    free(trees->home);
    free(trees->sources);
    *trees = (struct cw_balanced_trees){0};
}

/* --- weights ------------------------------------------------------------------------------------------------------ */

static void find_homes(struct cw_balanced_trees *trees)
{
    const struct cw_network *net = trees->net;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const struct place place = place_of(net, e);
        trees->home[e] = place.at == CW_NONE ? CW_NONE : place.at - net->n_endpoints;
    }
    for (uint32_t i = 0; i < trees->n_several; i++) trees->home[trees->several[i]] = cw_network_switches(net) + i;
}

/* Puts PAIRS together by destination. */
static void sort_pairs(struct cw_balanced_trees *trees, const struct cw_pair_weights *pairs)
{
    const uint32_t n = trees->net->n_endpoints;
    for (size_t i = 0; i < pairs->n; i++) trees->first_pair[pairs->items[i].dst]++;
    for (uint32_t d = 0; d < n; d++) trees->first_pair[d + 1] += trees->first_pair[d];
    for (size_t i = pairs->n; i-- > 0;) trees->pairs[--trees->first_pair[pairs->items[i].dst]] = pairs->items[i];
}

int cw_trees_weigh(struct cw_balanced_trees *trees, const struct cw_pair_weights *pairs)
{
    static const char what[] = "weights of pairs";
    const uint32_t n = trees->net->n_endpoints, sources = cw_network_switches(trees->net) + trees->n_several;
    trees->pairs = cw_new_array(pairs->n, sizeof *trees->pairs, what);
    trees->first_pair = cw_new_array((size_t)n + 1, sizeof *trees->first_pair, what);
    trees->home = cw_new_array(n, sizeof *trees->home, what);
    trees->sources = cw_new_array(sources, sizeof *trees->sources, what);
    if (!trees->pairs || !trees->first_pair || !trees->home || !trees->sources) return CW_ENOMEM;
    find_homes(trees);
    sort_pairs(trees, pairs);
    return 0;
}

/* DST is the destination from now on. */
static void begin_tree(struct cw_balanced_trees *trees, uint32_t dst)
{
    trees->dst = dst;
    if (!trees->first_pair) return;
    memset(trees->sources, 0, (cw_network_switches(trees->net) + trees->n_several) * sizeof *trees->sources);
    for (size_t i = trees->first_pair[dst]; i < trees->first_pair[dst + 1]; i++) {
        const uint32_t home = trees->home[trees->pairs[i].src];
        if (trees->pairs[i].src != dst && home != CW_NONE) trees->sources[home] += trees->pairs[i].weight;
    }
}

/* --- a tree ------------------------------------------------------------------------------------------------------- */

void cw_trees_search(struct cw_balanced_trees *trees, uint32_t dst)
{
    const struct cw_network *net = trees->net;
    const uint32_t base = net->n_endpoints;
    begin_tree(trees, dst);
    trees->n_reached = 0;
    memset(trees->hops, 0xff, cw_network_switches(net) * sizeof *trees->hops); /* CW_TREES_FAR */
    for (uint32_t c = net->first[dst]; c < net->first[dst + 1]; c++) {
        if (net->head[c] < base || trees->hops[net->head[c] - base] == 0) continue;
        trees->hops[net->head[c] - base] = 0;
        trees->reached[trees->n_reached++] = net->head[c] - base;
    }
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i] + base;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c];
            if (u < base || trees->hops[u - base] != CW_TREES_FAR) continue;
            trees->hops[u - base] = trees->hops[v - base] + 1;
            trees->reached[trees->n_reached++] = u - base;
        }
    }
}

/* --- ways --------------------------------------------------------------------------------------------------------- */

/* SIGN · N more routes on CHANNEL. */
static void load_channel(struct cw_balanced_trees *trees, uint32_t channel, uint64_t n, int sign)
{
    trees->load[channel] = sign > 0 ? trees->load[channel] + n : trees->load[channel] - n;
    trees->cost[channel] = price_of(trees, channel);
}

/* The channel after C on the way to the destination, or CW_NONE behind the last. */
static uint32_t after(const struct cw_balanced_trees *trees, uint32_t c)
{
    const uint32_t v = trees->net->head[c];
    return v < trees->net->n_endpoints ? CW_NONE : trees->channel[v - trees->net->n_endpoints];
}

double cw_trees_price(const struct cw_balanced_trees *trees, uint32_t channel)
{
    double price = 0;
    for (uint32_t c = channel; c != CW_NONE; c = after(trees, c)) price += trees->cost[c];
    return price;
}

void cw_trees_load(struct cw_balanced_trees *trees, uint32_t channel, uint64_t n, int sign)
{
    for (uint32_t c = channel; n > 0 && c != CW_NONE; c = after(trees, c)) load_channel(trees, c, n, sign);
}

uint32_t cw_trees_into(const struct cw_balanced_trees *trees, uint32_t v)
{
    const struct cw_network *net = trees->net;
    uint32_t best = CW_NONE;
    for (uint32_t c = net->first[trees->dst]; c < net->first[trees->dst + 1]; c++) {
        const uint32_t into = net->twin[c];
        if (net->head[c] == v && (best == CW_NONE || trees->cost[into] < trees->cost[best])) best = into;
    }
    return best;
}

uint64_t cw_trees_sources(const struct cw_balanced_trees *trees, uint32_t v)
{
    if (trees->first_pair) return trees->sources[v];
    const struct cw_network *net = trees->net;
    const uint32_t own = net->first[trees->dst];
    const bool here = cw_network_degree(net, trees->dst) == 1 && net->head[own] == v + net->n_endpoints;
    return trees->hosted[v] - here;
}

uint64_t cw_trees_source(const struct cw_balanced_trees *trees, uint32_t i)
{
    return trees->first_pair ? trees->sources[cw_network_switches(trees->net) + i] : trees->several[i] != trees->dst;
}

/* --- laying ------------------------------------------------------------------------------------------------------- */

/* The channel of V at which the cheapest way begins, of those to a switch HOPS from the destination; *PRICE is its. */
static uint32_t cheapest_way(const struct cw_balanced_trees *trees, uint32_t v, uint32_t hops, double *price)
{
    const struct cw_network *net = trees->net;
    uint32_t best = CW_NONE;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t u = net->head[c];
        if (u < net->n_endpoints || trees->hops[u - net->n_endpoints] != hops) continue;
        const double here = cw_trees_price(trees, c);
        if (best != CW_NONE && here >= *price) continue;
        best = c;
        *price = here;
    }
    return best;
}

uint32_t cw_trees_nearest(const struct cw_balanced_trees *trees, uint32_t e)
{
    const struct cw_network *net = trees->net;
    uint32_t least = CW_TREES_FAR;
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) {
        const uint32_t u = net->head[c];
        if (u >= net->n_endpoints && trees->hops[u - net->n_endpoints] < least)
            least = trees->hops[u - net->n_endpoints];
    }
    return least;
}

void cw_trees_lay_several(struct cw_balanced_trees *trees)
{
    for (uint32_t i = 0; i < trees->n_several; i++) {
        const uint32_t e = trees->several[i], hops = cw_trees_nearest(trees, e);
        double price;
        trees->start[i] = e == trees->dst || hops == CW_TREES_FAR ? CW_NONE : cheapest_way(trees, e, hops, &price);
        if (trees->start[i] != CW_NONE) cw_trees_load(trees, trees->start[i], cw_trees_source(trees, i), 1);
    }
}

void cw_trees_lay(struct cw_balanced_trees *trees)
{
    const uint32_t base = trees->net->n_endpoints;
    trees->laid_price = 0;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i], hops = trees->hops[v];
        double price = 0;
        trees->channel[v] =
            hops == 0 ? cw_trees_into(trees, v + base) : cheapest_way(trees, v + base, hops - 1, &price);
        trees->laid_price += (double)cw_trees_sources(trees, v) * price;
        if (trees->at_once) cw_trees_load(trees, trees->channel[v], cw_trees_sources(trees, v), 1);
    }
    for (uint32_t i = 0; !trees->at_once && i < trees->n_reached; i++)
        cw_trees_load(trees, trees->channel[trees->reached[i]], cw_trees_sources(trees, trees->reached[i]), 1);
    cw_trees_lay_several(trees);
}

/* --- routes of tables --------------------------------------------------------------------------------------------- */

/* SIGN · N more routes from V on, by the tables. */
static void load_way(struct cw_balanced_trees *trees, uint32_t v, uint64_t n, const struct cw_lft *tables, int sign)
{
    while (n > 0 && v != trees->dst) {
        const uint32_t channel = cw_lft_channel(tables, v, trees->dst);
        if (channel == CW_NONE) return;
        load_channel(trees, channel, n, sign);
        v = trees->net->head[channel];
    }
}

static void load_tree(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_lft *tables, int sign)
{
    begin_tree(trees, dst);
    for (uint32_t v = 0; v < cw_network_switches(trees->net); v++)
        load_way(trees, v + trees->net->n_endpoints, cw_trees_sources(trees, v), tables, sign);
    for (uint32_t i = 0; i < trees->n_several; i++)
        load_way(trees, trees->several[i], cw_trees_source(trees, i), tables, sign);
}

void cw_trees_lift(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_lft *tables)
{
    load_tree(trees, dst, tables, -1);
}

void cw_trees_repeat(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_lft *tables)
{
    load_tree(trees, dst, tables, 1);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

void cw_trees_enter(const struct cw_balanced_trees *trees, struct cw_lft *tables)
{
    const struct cw_network *net = trees->net;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i] + net->n_endpoints;
        cw_lft_set(tables, v, trees->dst, trees->channel[trees->reached[i]] - net->first[v]);
    }
    for (uint32_t i = 0; i < trees->n_several; i++) {
        const uint32_t e = trees->several[i];
        if (trees->start[i] != CW_NONE) cw_lft_set(tables, e, trees->dst, trees->start[i] - net->first[e]);
    }
}

uint32_t cw_trees_longest(const struct cw_balanced_trees *trees)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        if (trees->hosted[v] > 0 && trees->hops[v] + 2 > longest) longest = trees->hops[v] + 2;
    }
    for (uint32_t i = 0; i < trees->n_several; i++)
        if (trees->start[i] != CW_NONE) {
            const uint32_t hops = trees->hops[trees->net->head[trees->start[i]] - trees->net->n_endpoints] + 2;
            if (hops > longest) longest = hops;
        }
    return longest;
}

/* --- meetings ----------------------------------------------------------------------------------------------------- */

/* Σ over channels of slowness · n², n being what was COUNTED there since the last call. */
static double take_squares(const struct cw_balanced_trees *trees, uint64_t *counted)
{
    double sum = 0;
    for (uint32_t c = 0; c < trees->net->n_channels; c++) {
        const double n = (double)counted[c];
        sum += n * n * (trees->slowness ? trees->slowness[c] : 1);
        counted[c] = 0;
    }
    return sum;
}

/* Counts the route to DST by which the N endpoints with the same first switch as SRC go. */
static int count_route(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint64_t n, uint32_t *channels,
                       uint64_t *counted, uint64_t *all)
{
    uint32_t hops;
    const int rc = cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL);
    for (uint32_t k = 0; rc == 0 && k < hops; k++) {
        if (k == 0 || k + 1 == hops) continue; /* the endpoints' own */
        counted[channels[k]] += n;
        if (all) all[channels[k]] += n;
    }
    return rc;
}

/* Σ over channels of L² - Σ w² - Σ v² + L: L routes cross it, w of them to each destination, v from each source. */
int cw_trees_meetings(const struct cw_balanced_trees *trees, const struct cw_routes *routes, double *out)
{
    static const char what[] = "meetings of routes";
    const struct cw_network *net = trees->net;
    const uint32_t n = trees->n_order;
    uint64_t *counted = cw_new_array(net->n_channels, sizeof *counted, what);
    uint64_t *all = cw_new_array(net->n_channels, sizeof *all, what);
    uint32_t *channels = cw_new_array((size_t)cw_routes_max_hops(routes) + 1, sizeof *channels, what);
    uint32_t *first = cw_new_array(n, sizeof *first, what); /* place of a switch's first endpoint, where it has one */
    uint32_t n_first = 0;
    double sum = 0;
    int rc = counted && all && channels && first ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        if (i == 0 || net->head[net->first[trees->order[i]]] != net->head[net->first[trees->order[i - 1]]])
            first[n_first++] = i;
    for (uint32_t d = 0; rc == 0 && d < n; d++) {
        for (uint32_t k = 0; rc == 0 && k < n_first; k++) {
            const uint32_t end = k + 1 < n_first ? first[k + 1] : n;
            if (first[k] <= d && d < end) continue;
            rc = count_route(routes, trees->order[first[k]], trees->order[d], end - first[k], channels, counted, all);
        }
        if (rc == 0) sum -= take_squares(trees, counted);
    }
    for (uint32_t k = 0; rc == 0 && k < n_first; k++) {
        const uint32_t end = k + 1 < n_first ? first[k + 1] : n;
        for (uint32_t d = 0; rc == 0 && d < n; d++)
            if (d < first[k] || d >= end)
                rc = count_route(routes, trees->order[first[k]], trees->order[d], 1, channels, counted, NULL);
        if (rc == 0) sum -= (end - first[k]) * take_squares(trees, counted);
    }
    for (uint32_t c = 0; rc == 0 && c < net->n_channels; c++)
        sum += (double)all[c] * (trees->slowness ? trees->slowness[c] : 1);
    if (rc == 0) *out = sum + take_squares(trees, all);
    free(counted);
    free(all);
    free(channels);
    free(first);
    return rc;
}
