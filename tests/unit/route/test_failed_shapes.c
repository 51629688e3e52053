/*
 * Networks of every registered shape without a cable, a switch with endpoints, one without, and an eighth of the
 * cables: they keep the engine of their shape, which reaches whatever is connected and piles nothing up on one channel.
 */
#include <stdio.h>

#include "net/network_internal.h"
#include "net/places.h"
#include "route/check.h"
#include "route_test.h"
#include "topo/recognise.h"
#include "topo/topology.h"

#define MOST_ENDPOINTS 300

/* NET as the program takes it: without what FAILED names. */
static struct cw_network *without(const struct cw_network *whole, const char *failed)
{
    struct cw_faults *faults = NULL;
    struct cw_network *left = NULL;
    must(cw_faults_new(whole, &faults));
    must(cw_faults_fail(faults, "--failed", failed, 1));
    must(cw_network_with_faults(faults, &left));
    must(cw_network_recognise(left));
    must(cw_faults_keep_places(faults, left));
    cw_faults_free(faults);
    return left;
}

static bool has_endpoints(const struct cw_network *net, uint32_t v)
{
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (cw_network_is_endpoint(net, net->head[c])) return true;
    return false;
}

/* The first switch that has endpoints, or has none; false if there is no such. */
static bool name_switch(const struct cw_network *net, bool leaf, char *name)
{
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (has_endpoints(net, v) == leaf) return cw_network_name(net, v, name, CW_NAME_SIZE) != NULL;
    return false;
}

/* The number of the middle one of the channels between switches; false if there are less than four cables. */
static bool number_cable(const struct cw_network *net, char *number)
{
    uint32_t n = 0, passed = 0;
    for (int counted = 0; counted < 2; counted++)
        for (uint32_t c = 0; c < net->n_channels; c++) {
            if (cw_network_is_endpoint(net, net->tail[c]) || cw_network_is_endpoint(net, net->head[c])) continue;
            if (!counted) n++;
            if (counted && passed++ == n / 2) return snprintf(number, CW_NAME_SIZE, "%u", c) > 0 && n >= 8;
        }
    return false;
}

/* Ordered pairs of different endpoints between which there is a way. */
static uint64_t connected_pairs(const struct cw_network *net)
{
    uint64_t n = 0;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t src = 0; src < net->n_endpoints; src++) n += src != dst && distance[src] != CW_NONE;
        free(distance);
    }
    return n;
}

static double busiest(const struct cw_network *net, const struct cw_routes *routes, uint64_t pairs)
{
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    if (reach.reached != pairs || reach.loops > 0)
        fail_msg("%s: %llu of %llu pairs are reached by %s", net->title, (unsigned long long)reach.reached,
                 (unsigned long long)pairs, cw_routes_name(routes));
    const double most = reach.load_max;
    cw_reach_free(&reach);
    return most;
}

/* What no shortest tables can fall below on their busiest channel. */
static double bound_of(const struct cw_network *net)
{
    struct cw_routes *routes = routes_of(net, "min-max-load");
    const double bound = (double)cw_routes_load_bound(routes);
    cw_routes_free(routes);
    return bound;
}

/* Ways of the whole shape that have lost no channel are those of ROUTES, too. Every seventh source is tried. */
static void check_whole_ways(const struct cw_network *net, const struct cw_routes *routes)
{
    const struct cw_places *places = net->places;
    struct cw_routes *ideal = routes_of(places->ideal, cw_routes_name(routes));
    uint32_t *way = calloc(cw_routes_max_hops(ideal), sizeof *way);
    uint32_t *now = calloc(cw_routes_max_hops(routes), sizeof *now);
    for (uint32_t src = 0; src < net->n_endpoints; src += 7)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t hops, hops_now, i = 0;
            if (src == dst || places->place[src] == CW_NONE || places->place[dst] == CW_NONE) continue;
            must(cw_routes_paths(ideal, 1, &places->place[src], &places->place[dst], &hops, way, NULL));
            while (i < hops && places->channel[way[i]] != CW_NONE) i++;
            if (i < hops) continue;
            must(cw_routes_paths(routes, 1, &src, &dst, &hops_now, now, NULL));
            for (i = 0; i < hops && i < hops_now && places->channel[way[i]] == now[i];) i++;
            if (i < hops || hops != hops_now)
                fail_msg("%s: %s changes the way from %u to %u, which is whole", net->title, cw_routes_name(routes),
                         src, dst);
        }
    free(way);
    free(now);
    cw_routes_free(ideal);
}

/* The same engine, unless DMODK's ways up and down do not lead everywhere. Where it could not be better than BOUND nor
 * was better than that before, its busiest channel has at most twice as much; and there are at most four times the
 * lanes. */
static void compare(const struct cw_network *whole, const char *failed)
{
    struct cw_network *net = without(whole, failed);
    struct cw_routes *before = routes_of(whole, NULL), *routes = routes_of(net, NULL);
    const double usual = busiest(whole, before, connected_pairs(whole));
    const double most = busiest(net, routes, connected_pairs(net)), bound = bound_of(net);
    assert_ptr_equal(cw_network_regular_shape(net)->kind, whole->shape.kind);
    if (strcmp(cw_routes_name(before), cw_routes_name(routes)) != 0 &&
        (whole->shape.kind != &cw_shape_xgft ||
         cw_engine_accepts(cw_registry_find(&cw_engine_registry, "dmodk"), net, NULL)))
        fail_msg("%s is routed by %s, not %s", net->title, cw_routes_name(routes), cw_routes_name(before));
    if (cw_routes_lanes(routes) > 4 * cw_routes_lanes(before))
        fail_msg("%s: %u lanes; before %u", net->title, cw_routes_lanes(routes), cw_routes_lanes(before));
    if (most > 2 * (usual > bound ? usual : bound))
        fail_msg("%s: %g routes on a channel; before %g, at least %g", net->title, most, usual, bound);
    const struct cw_engine *engine = cw_registry_find(&cw_engine_registry, cw_routes_name(routes));
    if (net->places && engine->maps == CW_MAPS_CARRIED) check_whole_ways(net, routes);
    cw_routes_free(routes);
    cw_routes_free(before);
    cw_network_free(net);
}

static void shapes_keep_their_engine(void **state)
{
    (void)state;
    char what[CW_NAME_SIZE];
    uint32_t n = 0;
    for (size_t t = 0; cw_topologies[t]; t++)
        for (size_t x = 0; cw_topologies[t]->examples[x]; x++) {
            struct cw_network *net = network_of(cw_topologies[t]->examples[x]);
            if (net->n_endpoints <= MOST_ENDPOINTS && number_cable(net, what)) {
                compare(net, what);
                if (name_switch(net, true, what)) compare(net, what);
                if (name_switch(net, false, what)) compare(net, what);
                compare(net, "13%");
                n++;
            }
            cw_network_free(net);
        }
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_keep_their_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
