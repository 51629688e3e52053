/* Two fabrics whose vertices are in different orders and have different names, but the same GUIDs: what has changed is
 * what a walk of every pair and a look at every entry finds. */
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "base/random.h"
#include "net/builder.h"
#include "net/nodes.h"
#include "route/lft.h"
#include "route/route_changes.h"
#include "route/routes_internal.h"

#define GUIDS   256 /* a vertex of the whole network has its number plus 1 */
#define LONGEST 64

/* NET, each vertex with the GUID of the vertex of WHOLE that has its name, in an order and with names of SEED. */
static struct cw_network *shuffled(const struct cw_network *whole, const struct cw_network *net, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, 0, 0);
    struct cw_network *out;
    char name[CW_NAME_SIZE];
    uint32_t place[GUIDS], n = net->n_endpoints;
    for (uint32_t v = 0; v < net->n_vertices; v++) place[v] = v;
    cw_random_shuffle(&random, place, n);
    cw_random_shuffle(&random, place + n, net->n_vertices - n);
    struct cw_builder *builder = cw_builder_new(n, net->n_vertices - n, net->n_channels / 2);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (c < net->twin[c])
            cw_builder_cable(builder, place[net->tail[c]], cw_network_port(net, c), place[net->head[c]],
                             cw_network_port(net, net->twin[c]), net->capacity[c], net->latency[c]);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint64_t guid = 1 + cw_network_find(whole, cw_network_name(net, v, name, sizeof name));
        const struct cw_identity identity = {
            .node_guid = guid, .port_guid = guid, .kind = v < n ? CW_KIND_HOST : CW_KIND_SWITCH};
        cw_builder_identity(builder, place[v], &identity);
        snprintf(name, sizeof name, "%c%u", v < n ? 'h' : 's', place[v]);
        cw_builder_name(builder, place[v], name);
    }
    must(cw_builder_finish(builder, &out));
    return out;
}

static struct cw_network *faulty(const struct cw_network *whole, const char *failed, uint64_t seed)
{
    struct cw_network *left = damaged(whole, failed, seed), *out = shuffled(whole, left, seed);
    cw_network_free(left);
    return out;
}

/* Tables in which some entries are missing, and some name any port. */
static struct cw_routes *spoilt(const struct cw_network *net, const char *engine, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, 1, 0);
    struct cw_routes *good = routes_of(net, engine), *out;
    struct cw_lft *tables;
    must(cw_lft_new(net, &tables));
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t d = 0; d < net->n_endpoints; d++) {
            uint32_t port = cw_routes_table_port(good, v, d);
            const uint64_t draw = cw_random_below(&random, 60);
            if (draw == 0) port = CW_NO_PORT;
            if (draw == 1) port = (uint32_t)cw_random_below(&random, cw_network_degree(net, v));
            if (port != CW_NO_PORT) cw_lft_set(tables, v, d, port);
        }
    must(cw_lft_finish(tables, "spoilt", &out));
    cw_routes_free(good);
    return out;
}

static uint32_t with_guid(const struct cw_network *net, uint64_t guid)
{
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (net->identity[v].node_guid == guid) return v;
    return CW_NONE;
}

/* The port number in the entry of the switch for the endpoint, by GUIDs; 0: none. */
static uint32_t entry(const struct cw_routes *routes, uint64_t at, uint64_t to)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t v = with_guid(net, at), d = with_guid(net, to);
    if (v == CW_NONE || d == CW_NONE) return 0;
    const uint32_t port = cw_routes_table_port(routes, v, d);
    return port == CW_NO_PORT ? 0 : cw_network_port(net, net->first[v] + port);
}

/* The route by GUIDs: "guid/port" of each hop as one number; the result is its length, 0 if it does not arrive. */
static uint32_t route(const struct cw_routes *routes, uint64_t from, uint64_t to, uint64_t *path)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t d = with_guid(net, to);
    uint32_t v = with_guid(net, from);
    for (uint32_t hops = 0; hops < LONGEST; hops++) {
        if (v == d) return hops;
        if (hops > 0 && cw_network_is_endpoint(net, v)) return 0;
        if (cw_network_degree(net, v) == 0) return 0;
        const uint32_t port = cw_network_is_endpoint(net, v) ? 0 : cw_routes_table_port(routes, v, d);
        if (port == CW_NO_PORT) return 0;
        const uint32_t channel = net->first[v] + port;
        path[hops] = net->identity[v].node_guid << 32 | cw_network_port(net, channel);
        v = net->head[channel];
    }
    return 0;
}

static struct cw_pair_changes pairs_to(const struct cw_routes *before, const struct cw_routes *after, uint32_t n,
                                       uint64_t to)
{
    struct cw_pair_changes pairs = {0};
    uint64_t was[LONGEST], is[LONGEST];
    for (uint64_t from = 1; from <= n; from++) {
        if (from == to) continue;
        const uint32_t arrived = route(before, from, to, was), arrives = route(after, from, to, is);
        pairs.before += arrived > 0;
        pairs.after += arrives > 0;
        pairs.lost += arrived > 0 && arrives == 0;
        pairs.gained += arrived == 0 && arrives > 0;
        pairs.moved +=
            arrived > 0 && arrives > 0 && (arrived != arrives || memcmp(was, is, arrived * sizeof *was) != 0);
    }
    return pairs;
}

/* Every endpoint of WHOLE is in both networks, cut off or not. */
static void check_pairs(const struct cw_network *whole, const struct cw_routes *before, const struct cw_routes *after,
                        const struct cw_route_changes *changes)
{
    struct cw_pair_changes sum = {0};
    for (uint64_t to = 1; to <= whole->n_endpoints; to++) {
        const struct cw_pair_changes expected = pairs_to(before, after, whole->n_endpoints, to);
        assert_memory_equal(&changes->of[with_guid(cw_routes_network(after), to)], &expected, sizeof expected);
        sum.before += expected.before;
        sum.after += expected.after;
        sum.lost += expected.lost;
        sum.gained += expected.gained;
        sum.moved += expected.moved;
    }
    assert_memory_equal(&changes->pairs, &sum, sizeof sum);
    assert_true(sum.lost > 0 && sum.gained > 0 && sum.moved > 0);
}

static void check_entries(const struct cw_network *whole, const struct cw_routes *before, const struct cw_routes *after,
                          const struct cw_route_changes *changes)
{
    const struct cw_network *net = cw_routes_network(after);
    uint64_t n_before = 0, n_after = 0, came = 0, went = 0, moved = 0, to[GUIDS] = {0};
    for (uint64_t at = whole->n_endpoints + 1; at <= whole->n_vertices; at++) {
        uint64_t here = 0;
        for (uint64_t d = 1; d <= whole->n_endpoints; d++) {
            const uint32_t was = entry(before, at, d), is = entry(after, at, d);
            n_before += was > 0;
            n_after += is > 0;
            came += was == 0 && is > 0;
            went += was > 0 && is == 0;
            moved += was > 0 && is > 0 && was != is;
            here += was != is;
            to[d] += was != is && with_guid(net, at) != CW_NONE;
        }
        const uint32_t v = with_guid(net, at);
        if (v != CW_NONE) assert_int_equal(changes->at_switch[v - net->n_endpoints], here);
    }
    assert_int_equal(changes->entries_before, n_before);
    assert_int_equal(changes->entries_after, n_after);
    assert_int_equal(changes->entries_came, came);
    assert_int_equal(changes->entries_went, went);
    assert_int_equal(changes->entries_moved, moved);
    for (uint64_t d = 1; d <= whole->n_endpoints; d++) assert_int_equal(changes->to[with_guid(net, d)], to[d]);
}

/* Cables and switches of WHOLE are the same if they are there in both. */
static void check_match(const struct cw_network_match *match)
{
    const struct cw_network *before = match->before, *after = match->after;
    for (uint32_t v = 0; v < after->n_vertices; v++)
        assert_int_equal(match->before_vertex[v], with_guid(before, after->identity[v].node_guid));
    for (uint32_t v = 0; v < before->n_vertices; v++)
        assert_int_equal(match->after_vertex[v], with_guid(after, before->identity[v].node_guid));
    uint32_t same = 0, back = 0;
    for (uint32_t c = 0; c < after->n_channels; c++) {
        const uint32_t was = match->before_channel[c], tail = match->before_vertex[after->tail[c]];
        const uint32_t there =
            tail == CW_NONE ? CW_NONE : cw_network_channel_at(before, tail, cw_network_port(after, c));
        assert_int_equal(was, there);
        if (was != CW_NONE) assert_int_equal(match->after_channel[was], c);
        same += was != CW_NONE;
    }
    for (uint32_t c = 0; c < before->n_channels; c++) back += match->after_channel[c] != CW_NONE;
    assert_int_equal(same, back);
    assert_true(same > 0 && same < after->n_channels && same < before->n_channels);
}

static void check(const char *spec, const char *failed_before, const char *failed_after, uint64_t seed)
{
    struct cw_network *whole = network_of(spec), *net_before = faulty(whole, failed_before, seed),
                      *net_after = faulty(whole, failed_after, seed + 1);
    struct cw_routes *before = spoilt(net_before, "minhop", seed), *after = spoilt(net_after, "updn", seed + 1);
    struct cw_network_match match;
    struct cw_route_changes changes, again;
    struct cw_selection *all;
    must(cw_network_match_find(net_before, net_after, &match));
    check_match(&match);
    must(cw_selection_new(net_after, "all", &all));
    must(cw_route_changes_find(before, after, &match, all, 1, &changes));
    check_pairs(whole, before, after, &changes);
    check_entries(whole, before, after, &changes);
    must(cw_route_changes_find(before, after, &match, all, 3, &again));
    assert_memory_equal(again.of, changes.of, net_after->n_endpoints * sizeof *changes.of);
    assert_memory_equal(again.at_switch, changes.at_switch, cw_network_switches(net_after) * sizeof(uint64_t));
    cw_route_changes_free(&changes);
    cw_route_changes_free(&again);
    cw_network_match_free(&match);
    cw_selection_free(all);
    cw_routes_free(before);
    cw_routes_free(after);
    cw_network_free(net_before);
    cw_network_free(net_after);
    cw_network_free(whole);
}

static void by_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        check("xgft:2:4,4:1,3", "10%", "s1.1-s2.0,10%", 2 * seed);
        check("xgft:3:2,3,2:1,2,2", "s2.0,h3", "s3.1,h5", 2 * seed);
        check("torus:4x4", "15%", "15%", 2 * seed);
        check("dragonfly:2,4,2", "5%", "g0s1", 2 * seed);
    }
}

/* --- between GPUs ------------------------------------------------------------------------------------------------- */

/* Routes between the GPUs that NODES puts behind what FAILED leaves of WHOLE, by tables with holes and circles. */
static struct cw_routes *gpu_routes(const struct cw_network *whole, const char *nodes, const char *failed,
                                    const char *engine, uint64_t seed)
{
    struct cw_network *net;
    struct cw_routes *routes;
    must(cw_nodes_add(damaged(whole, failed, seed), nodes, &net));
    must(cw_routes_of_nodes(spoilt(cw_network_fabric(net), engine, seed), net, &routes));
    return routes;
}

/* The channels of a route as the text NAMES; empty if it does not arrive. */
static void name_channels(const struct cw_routes *routes, uint32_t src, uint32_t dst, char names[static 2048])
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *channels = zeros(cw_routes_max_hops(routes), sizeof *channels), hops = 0;
    char name[2 * CW_NAME_SIZE];
    *names = 0;
    if (cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL)) hops = 0;
    for (uint32_t h = 0; h < hops; h++) {
        strcat(names, cw_network_channel_name(net, channels[h], name, sizeof name));
        strcat(names, " ");
    }
    free(channels);
}

/* GPUs have the same numbers on both sides. An HCA that is cut off is an endpoint behind them, which came. */
static void check_gpu_pairs(const struct cw_routes *before, const struct cw_routes *after,
                            const struct cw_route_changes *changes)
{
    const uint32_t n = cw_network_nodes(cw_routes_network(after))->n_gpus;
    char was[2048], is[2048];
    struct cw_pair_changes sum = {0};
    for (uint32_t dst = 0; dst < n; dst++) {
        struct cw_pair_changes to = {0};
        for (uint32_t src = 0; src < n; src++) {
            if (src == dst) continue;
            name_channels(before, src, dst, was);
            name_channels(after, src, dst, is);
            to.before += *was != 0;
            to.after += *is != 0;
            to.lost += *was && !*is;
            to.gained += !*was && *is;
            to.moved += *was && *is && strcmp(was, is) != 0;
        }
        assert_memory_equal(&changes->of[dst], &to, sizeof to);
        sum.before += to.before;
        sum.after += to.after;
        sum.lost += to.lost;
        sum.gained += to.gained;
        sum.moved += to.moved;
    }
    assert_memory_equal(&changes->pairs, &sum, sizeof sum);
    assert_true(sum.lost > 0 && sum.gained > 0 && sum.moved > 0 && sum.moved < sum.after);
}

/* Entries are those that the fabric has, whoever is behind its HCAs. */
static void check_gpu_entries(const struct cw_routes *before, const struct cw_routes *after,
                              const struct cw_route_changes *changes)
{
    const struct cw_routes *was = cw_routes_of_fabric(before), *is = cw_routes_of_fabric(after);
    const struct cw_network *net = cw_routes_network(after), *fabric = cw_routes_network(is);
    const struct cw_selection none = {0};
    struct cw_network_match match;
    struct cw_route_changes entries;
    char name[CW_NAME_SIZE];
    must(cw_network_match_find(cw_routes_network(was), fabric, &match));
    must(cw_route_changes_find(was, is, &match, &none, 1, &entries));
    assert_int_equal(changes->entries_before, entries.entries_before);
    assert_int_equal(changes->entries_after, entries.entries_after);
    assert_int_equal(changes->entries_moved, entries.entries_moved);
    assert_int_equal(changes->entries_came, entries.entries_came);
    assert_int_equal(changes->entries_went, entries.entries_went);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t at = cw_network_find(fabric, cw_network_name(net, v, name, sizeof name));
        const uint64_t expected = at == CW_NONE ? 0 : entries.at_switch[at - fabric->n_endpoints];
        assert_int_equal(changes->at_switch[v - net->n_endpoints], expected);
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        assert_int_equal(changes->to[e], entries.to[cw_nodes_endpoint(cw_network_nodes(net), e)]);
    cw_route_changes_free(&entries);
    cw_network_match_free(&match);
}

static void between_gpus(void **state)
{
    (void)state;
    static const char *const machines[] = {"dgx-h100:hcas=4,gpus=4", "dgx-h100:hcas=4,gpus=8,pxn",
                                           "dgx-h100:hcas=2,gpus=4,nvlink=0,sockets=2,intersocket=30GB/s"};
    for (uint64_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct cw_network *whole = network_of("xgft:2:4,4:1,2");
        struct cw_routes *before = gpu_routes(whole, machines[i], "s1.2-s2.0", "minhop", 2 * i);
        struct cw_routes *after = gpu_routes(whole, machines[i], "h5,s1.1-s2.0", "updn", 2 * i + 1);
        const struct cw_network *nets[] = {cw_routes_network(before), cw_routes_network(after)};
        struct cw_network_match match;
        struct cw_route_changes changes, again;
        struct cw_selection *all;
        must(cw_network_match_find(nets[0], nets[1], &match));
        must(cw_selection_new(nets[1], "all", &all));
        must(cw_route_changes_find(before, after, &match, all, 1, &changes));
        check_gpu_pairs(before, after, &changes);
        check_gpu_entries(before, after, &changes);
        must(cw_route_changes_find(before, after, &match, all, 3, &again));
        assert_memory_equal(again.of, changes.of, nets[1]->n_endpoints * sizeof *changes.of);
        cw_route_changes_free(&changes);
        cw_route_changes_free(&again);
        cw_network_match_free(&match);
        cw_selection_free(all);
        cw_routes_free(before);
        cw_routes_free(after);
        cw_network_free((struct cw_network *)nets[0]);
        cw_network_free((struct cw_network *)nets[1]);
        cw_network_free(whole);
    }
}

/* A cable that is plugged in at another port or at another vertex is another one; and names count where there are no
 * GUIDs. */
static void by_names(void **state)
{
    (void)state;
    struct cw_network *nets[4];
    for (uint32_t i = 0; i < 4; i++) {
        const struct cw_identity identity = {.node_guid = 7, .port_guid = 8};
        struct cw_builder *builder = cw_builder_new(2, 2, 4);
        cw_builder_cable(builder, 0, 1, i == 3 ? 3 : 2, 1, 1e9, 0);
        cw_builder_cable(builder, 1, 1, i == 3 ? 2 : 3, 1, 1e9, 0);
        cw_builder_cable(builder, 2, 2, 3, 2, 1e9, 0);
        cw_builder_cable(builder, 2, 3, 3, i == 1 ? 4 : 3, 1e9, 0);
        for (uint32_t v = 0; v < 4; v++) cw_builder_name(builder, v, (const char *const[]){"a", "b", "x", "y"}[v]);
        if (i == 2) cw_builder_identity(builder, 2, &identity);
        must(cw_builder_finish(builder, &nets[i]));
    }
    struct cw_network_match match;
    for (uint32_t i = 1; i < 4; i++) {
        must(cw_network_match_find(nets[0], nets[i], &match));
        for (uint32_t v = 0; v < 4; v++) assert_int_equal(match.before_vertex[v], v);
        for (uint32_t c = 0; c < nets[i]->n_channels; c++) {
            const uint32_t port = cw_network_port(nets[i], c);
            const bool other = i == 3 ? port == 1 : i == 1 && port >= 3;
            assert_int_equal(match.before_channel[c], other ? CW_NONE : c);
        }
        cw_network_match_free(&match);
    }
    for (uint32_t i = 0; i < 4; i++) cw_network_free(nets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_brute_force), cmocka_unit_test(between_gpus),
                                       cmocka_unit_test(by_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
