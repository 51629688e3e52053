/*
 * Service levels: the tables of DFSSSP, LASH and torus-2QoS are free of deadlocks by the lanes that OpenSM gave them,
 * and by nothing else. Dependencies are found again pair by pair; files are read again by other means.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/files/lft_file.h"
#include "route/packets/packet_routing.h"
#include "route/service_levels.h"

#define LEVELS CW_TEST_DATA "/golden/levels/"

struct fabric {
    struct cw_network *net;
    struct cw_routes *routes;
};

static struct cw_text content_of(const char *name)
{
    struct cw_text path = {0}, text = {0};
    cw_text_printf(&path, LEVELS "%s", name);
    if (cw_file_read(path.data, &text)) fail_msg("%s", cw_error_message());
    cw_text_free(&path);
    return text;
}

static struct fabric read_fabric(const char *network, const char *tables)
{
    struct fabric fabric;
    struct cw_text path = {0};
    cw_text_printf(&path, LEVELS "%s.ibnetdiscover", network);
    if (cw_network_read(path.data, &fabric.net)) fail_msg("%s", cw_error_message());
    cw_text_free(&path);
    cw_text_printf(&path, LEVELS "%s.lfts", tables);
    if (cw_lft_read(fabric.net, path.data, NULL, &fabric.routes)) fail_msg("%s", cw_error_message());
    cw_text_free(&path);
    return fabric;
}

static void free_fabric(struct fabric *fabric)
{
    cw_routes_free(fabric->routes);
    cw_network_free(fabric->net);
}

static struct cw_service_levels *levels_of(const struct cw_network *net, const char *paths, const char *maps)
{
    struct cw_service_levels *levels;
    struct cw_text a = content_of(paths), b = content_of(maps);
    const struct cw_levels_file path_records = {paths, a.data, a.length}, sl2vl = {maps, b.data, b.length};
    if (cw_service_levels_parse(net, &path_records, &sl2vl, &levels)) fail_msg("%s", cw_error_message());
    cw_text_free(&a);
    cw_text_free(&b);
    return levels;
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

/* The number of distinct ((channel, lane), (channel, lane)) that routes take one after the other. */
static uint64_t count_by_pairs(const struct cw_network *net, const struct cw_routes *routes)
{
    const size_t n = (size_t)net->n_channels * CW_SERVICE_LEVELS;
    uint8_t *seen = calloc(n * n, 1);
    uint64_t count = 0;
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t hops, channels[64];
            uint8_t lanes[64];
            struct cw_walk walk = {0};
            struct cw_hop hop;
            assert_in_range(cw_routes_max_hops(routes), 1, 64);
            assert_int_equal(cw_routes_paths(routes, 1, &src, &dst, &hops, channels, lanes), 0);
            assert_int_equal(cw_walk_begin(&walk, routes, src, dst), 0);
            for (uint32_t h = 0; h < hops; h++) {
                assert_int_equal(cw_walk_candidates(&walk, &hop, 1), 1);
                assert_int_equal(hop.channel, channels[h]);
                assert_int_equal(hop.lane, lanes[h]);
                assert_in_range(hop.lane, 0, cw_routes_lanes(routes) - 1);
                cw_walk_take(&walk, hop);
                if (h == 0) continue;
                const size_t from = (size_t)channels[h - 1] * CW_SERVICE_LEVELS + lanes[h - 1];
                const size_t to = (size_t)channels[h] * CW_SERVICE_LEVELS + lanes[h];
                count += !seen[from * n + to];
                seen[from * n + to] = 1;
            }
            cw_walk_end(&walk);
        }
    free(seen);
    return count;
}

static void check_engine(const char *network, const char *tables, const char *paths, const char *maps, uint32_t lanes)
{
    struct fabric fabric = read_fabric(network, tables);
    struct cw_deadlock deadlock;
    assert_false(cw_routes_lanes_known(fabric.routes));
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 1, &deadlock), 0);
    assert_true(deadlock.lanes_unknown);
    assert_false(deadlock.acyclic);
    cw_deadlock_free(&deadlock);

    assert_int_equal(cw_routes_set_service_levels(fabric.routes, levels_of(fabric.net, paths, maps)), 0);
    assert_true(cw_routes_lanes_known(fabric.routes));
    assert_int_equal(cw_routes_lanes(fabric.routes), lanes);
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 2, &deadlock), 0);
    assert_false(deadlock.lanes_unknown);
    assert_false(deadlock.sampled);
    assert_true(deadlock.acyclic);
    assert_int_equal(deadlock.discarded.length, 0);
    assert_int_equal(deadlock.dependencies, count_by_pairs(fabric.net, fabric.routes));
    cw_deadlock_free(&deadlock);
    free_fabric(&fabric);
}

/* The numbers of lanes are those of OpenSM's log. */
static void test_engines(void **state)
{
    (void)state;
    check_engine("ring-6", "ring-6-dfsssp", "ring-6-dfsssp.path-records", "ring-6-dfsssp.sl2vl", 8);
    check_engine("ring-6", "ring-6-dfsssp", "ring-6-dfsssp.saquery", "ring-6-dfsssp.smpquery", 8);
    check_engine("torus-4x4", "torus-4x4-lash", "torus-4x4-lash.path-records", "torus-4x4-lash.sl2vl", 2);
    check_engine("torus-3x5", "torus-3x5-2qos", "torus-3x5-2qos.path-records", "torus-3x5-2qos.sl2vl", 4);
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* The packet from SRC to DST takes the channels and lanes of ROUTES; channels of endpoints have one lane. */
static void follow(const struct cw_packet_routing *routing, const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    uint32_t hops, channels[64], in = CW_NONE;
    uint8_t lanes[64], lane = 0;
    assert_int_equal(cw_routes_paths(routes, 1, &src, &dst, &hops, channels, lanes), 0);
    struct cw_packet packet = cw_packet_of(src, dst);
    packet = cw_packet_inject(ops, cw_packet_routing_state(routing), net->head[channels[0]], NULL, 0, packet);
    for (uint32_t h = 1; h < hops; h++) {
        struct cw_hop hop;
        const uint32_t sw = net->tail[channels[h]];
        assert_int_equal(ops->next(cw_packet_routing_state(routing), sw, in, lane, NULL, 0, &packet, &hop, 1), 1);
        assert_int_equal(hop.channel, channels[h]);
        assert_int_equal(hop.lane, h + 1 < hops ? lanes[h] : 0);
        in = hop.channel;
        lane = hop.lane;
    }
}

/* Packets take the lanes of the service levels and cannot deadlock, as they could on one lane. */
static void test_packets(void **state)
{
    (void)state;
    struct fabric fabrics[3];
    struct cw_packet_routing *routing;
    for (int i = 0; i < 3; i++) fabrics[i] = read_fabric("ring-6", "ring-6-dfsssp");
    assert_int_equal(cw_packet_routing_of_routes(fabrics[0].routes, &routing), 0);
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    cw_packet_routing_free(routing);
    for (int i = 1; i < 3; i++)
        assert_int_equal(
            cw_routes_set_service_levels(
                fabrics[i].routes, levels_of(fabrics[i].net, "ring-6-dfsssp.path-records", "ring-6-dfsssp.sl2vl")),
            0);
    assert_int_equal(cw_packet_routing_of_routes(fabrics[1].routes, &routing), 0);
    assert_int_equal(cw_packet_routing_check(routing), 0);
    for (uint32_t src = 0; src < fabrics[2].net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < fabrics[2].net->n_endpoints; dst++)
            if (src != dst) follow(routing, fabrics[2].routes, src, dst);
    cw_packet_routing_free(routing);
    fabrics[0].routes = fabrics[1].routes = NULL;
    for (int i = 0; i < 3; i++) free_fabric(&fabrics[i]);
}

/* --- files read by other means ------------------------------------------------------------------------------------ */

/* The lane by which port IN of the switch GUID sends on by OUT what has level SL, as the dump's own text says. */
static uint32_t lane_in_text(const char *text, uint64_t guid, uint32_t in, uint32_t out, uint32_t sl)
{
    char key[64];
    snprintf(key, sizeof key, "0x%016llx, base LID", (unsigned long long)guid);
    const char *at = strstr(text, key);
    assert_non_null(at);
    snprintf(key, sizeof key, "\n%-3u %-3u : ", in, out);
    at = strstr(at, key);
    assert_non_null(at);
    at += strlen(key);
    for (uint32_t i = 0; i < sl; i++) strtol(at, (char **)&at, 10);
    return (uint32_t)strtol(at, NULL, 10);
}

static void test_rows(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("torus-3x5", "torus-3x5-2qos");
    const struct cw_network *net = fabric.net;
    struct cw_service_levels *levels = levels_of(net, "torus-3x5-2qos.path-records", "torus-3x5-2qos.sl2vl");
    struct cw_text text = content_of("torus-3x5-2qos.sl2vl");
    for (uint32_t before = 0; before < net->n_channels; before++) {
        const uint32_t v = net->head[before];
        for (uint32_t c = net->first[v]; v >= net->n_endpoints && c < net->first[v + 1]; c++)
            for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS && c != net->twin[before]; sl++)
                assert_int_equal(cw_service_levels_lane(levels, before, c, sl),
                                 lane_in_text(text.data, net->identity[v].node_guid,
                                              cw_network_port(net, net->twin[before]), cw_network_port(net, c), sl));
    }
    cw_text_free(&text);
    cw_service_levels_free(levels);
    free_fabric(&fabric);
}

/* --- written ------------------------------------------------------------------------------------------------------ */

/* Path records are those of the subnet manager byte for byte; all lanes are read back as they were. */
static void check_written(const char *network, const char *tables, const char *paths, const char *maps)
{
    struct fabric fabric = read_fabric(network, tables);
    const struct cw_network *net = fabric.net;
    struct cw_service_levels *levels = levels_of(net, paths, maps), *again;
    struct cw_text given = content_of(paths), records = {0}, rows = {0};
    assert_int_equal(cw_path_records_write(fabric.routes, &records), CW_EUSAGE);
    assert_int_equal(cw_sl2vl_write(fabric.routes, &rows), CW_EUSAGE);
    assert_int_equal(cw_routes_set_service_levels(fabric.routes, levels), 0);
    assert_int_equal(cw_path_records_write(fabric.routes, &records), 0);
    assert_int_equal(cw_sl2vl_write(fabric.routes, &rows), 0);
    assert_string_equal(records.data, given.data);
    const struct cw_levels_file a = {"records", records.data, records.length}, b = {"rows", rows.data, rows.length};
    if (cw_service_levels_parse(net, &a, &b, &again)) fail_msg("%s", cw_error_message());
    for (uint32_t c = 0; c < net->n_channels; c++)
        for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS; sl++) {
            const uint32_t v = net->tail[c];
            if (v < net->n_endpoints)
                assert_int_equal(cw_service_levels_lane(levels, CW_NONE, c, sl),
                                 cw_service_levels_lane(again, CW_NONE, c, sl));
            for (uint32_t in = net->first[v]; v >= net->n_endpoints && in < net->first[v + 1]; in++)
                if (in != c)
                    assert_int_equal(cw_service_levels_lane(levels, net->twin[in], c, sl),
                                     cw_service_levels_lane(again, net->twin[in], c, sl));
        }
    cw_service_levels_free(again);
    cw_text_free(&given);
    cw_text_free(&records);
    cw_text_free(&rows);
    free_fabric(&fabric);
}

static void test_written(void **state)
{
    (void)state;
    check_written("torus-3x5", "torus-3x5-2qos", "torus-3x5-2qos.path-records", "torus-3x5-2qos.sl2vl");
    check_written("torus-4x4", "torus-4x4-lash", "torus-4x4-lash.path-records", "torus-4x4-lash.sl2vl");
    check_written("ring-6", "ring-6-dfsssp", "ring-6-dfsssp.path-records", "ring-6-dfsssp.sl2vl");
}

static void test_formats_agree(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    const struct cw_network *net = fabric.net;
    struct cw_service_levels *a = levels_of(net, "ring-6-dfsssp.path-records", "ring-6-dfsssp.sl2vl");
    struct cw_service_levels *b = levels_of(net, "ring-6-dfsssp.saquery", "ring-6-dfsssp.smpquery");
    const uint32_t h0 = cw_network_find(net, "h0"), h1 = cw_network_find(net, "h1"), h3 = cw_network_find(net, "h3");
    assert_int_equal(cw_service_levels_of(a, h0, h1), 1); /* from the text: LIDs 1 to 4, and 1 to 6 */
    assert_int_equal(cw_service_levels_of(a, h0, h3), 3);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            assert_int_equal(cw_service_levels_of(a, src, dst), cw_service_levels_of(b, src, dst));
    for (uint32_t before = 0; before < net->n_channels; before++) {
        const uint32_t v = net->head[before];
        for (uint32_t c = net->first[v]; v >= net->n_endpoints && c < net->first[v + 1]; c++)
            for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS && c != net->twin[before]; sl++)
                assert_int_equal(cw_service_levels_lane(a, before, c, sl), cw_service_levels_lane(b, before, c, sl));
    }
    cw_service_levels_free(a);
    cw_service_levels_free(b);
    free_fabric(&fabric);
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

/* Replaces the lanes of every row of an opensm-sl2vl.dump by LANES, 16 two-digit numbers; only rows of ports IN to OUT
 * unless IN is 0: then all, or, if OUT is not 0, those of switches. */
static void plant(struct cw_text *text, const char *lanes, unsigned in, unsigned out)
{
    char *next;
    for (char *line = text->data; line && *line; line = next) {
        unsigned i, o;
        next = strchr(line, '\n');
        if (next) next++;
        if (*line < '0' || *line > '9' || sscanf(line, "%u %u :", &i, &o) != 2) continue;
        if (in == 0 ? out == 0 || i + o > 0 : in == i && out == o)
            memcpy(strchr(line, ':') + 2, lanes, 3 * CW_SERVICE_LEVELS - 1);
    }
}

/* Puts all path records of an opensm-path-records.dump on level 0. */
static void plant_one_level(struct cw_text *text)
{
    for (char *line = text->data; (line = strstr(line, "\n0x")); line++) line[sizeof "\n0x0004 : " - 1] = '0';
}

static void set_planted(struct fabric *fabric, bool one_level, const char *lanes, unsigned in, unsigned out)
{
    struct cw_service_levels *levels;
    struct cw_text a = content_of("ring-6-dfsssp.path-records"), b = content_of("ring-6-dfsssp.sl2vl");
    plant(&b, lanes, in, out);
    if (one_level) plant_one_level(&a);
    const struct cw_levels_file path_records = {"paths", a.data, a.length}, sl2vl = {"maps", b.data, b.length};
    if (cw_service_levels_parse(fabric->net, &path_records, &sl2vl, &levels)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_routes_set_service_levels(fabric->routes, levels), 0);
    cw_text_free(&a);
    cw_text_free(&b);
}

/* All levels on lane 3: the ring closes, on that lane. */
static void test_wrong_map(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_deadlock deadlock;
    set_planted(&fabric, false, "3  3  3  3  3  3  3  3  3  3  3  3  3  3  3  3  ", 0, 0);
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 1, &deadlock), 0);
    assert_false(deadlock.acyclic);
    assert_false(deadlock.lanes_unknown);
    assert_int_equal(cw_routes_lanes(fabric.routes), 4);
    assert_int_equal(deadlock.cycle_length, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(deadlock.cycle_lanes[i], 3);
        assert_int_equal(fabric.net->head[deadlock.cycle[i]], fabric.net->tail[deadlock.cycle[(i + 1) % 6]]);
    }
    cw_deadlock_free(&deadlock);
    free_fabric(&fabric);
}

/* What hosts send into the ring is on a lane of its own there, so that one level leaves a switch on two lanes. */
static void test_several_lanes_of_a_level(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_deadlock deadlock;
    set_planted(&fabric, true, "9  9  9  9  9  9  9  9  9  9  9  9  9  9  9  9  ", 1, 2);
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 1, &deadlock), 0);
    assert_int_equal(cw_routes_lanes(fabric.routes), 10);
    assert_int_equal(deadlock.dependencies, count_by_pairs(fabric.net, fabric.routes));
    cw_deadlock_free(&deadlock);
    free_fabric(&fabric);
}

/* Hosts send on a lane for each level, and in the ring all are on one: only hosts' own tables tell what they do. */
static void test_lanes_of_hosts(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_deadlock deadlock;
    set_planted(&fabric, false, "3  3  3  3  3  3  3  3  3  3  3  3  3  3  3  3  ", 0, 1);
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 1, &deadlock), 0);
    assert_int_equal(cw_routes_lanes(fabric.routes), 8);
    assert_int_equal(deadlock.dependencies, count_by_pairs(fabric.net, fabric.routes));
    cw_deadlock_free(&deadlock);
    free_fabric(&fabric);
}

/* What goes round the ring in one direction is discarded at every switch. Lane 15 is none of the eight of OpenSM's log.
 */
static void test_discarded(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_deadlock deadlock;
    set_planted(&fabric, false, "15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 ", 3, 2);
    assert_int_equal(cw_routes_deadlock(fabric.routes, 0, 2, &deadlock), 0);
    assert_true(deadlock.acyclic);
    assert_int_equal(cw_routes_lanes(fabric.routes), 8);
    char first[CW_NAME_SIZE]; /* of all places, the one with the lowest channel */
    cw_network_name(fabric.net, fabric.net->n_endpoints, first, sizeof first);
    assert_memory_equal(deadlock.discarded.data, first, strlen(first));
    assert_non_null(strstr(deadlock.discarded.data, " from port 3 to s("));
    assert_non_null(strstr(deadlock.discarded.data, "they are mapped to lane 15"));
    cw_deadlock_free(&deadlock);
    const uint32_t src = cw_network_find(fabric.net, "h0"), dst = cw_network_find(fabric.net, "h2");
    uint32_t hops, channels[64];
    uint8_t lanes[64];
    assert_int_equal(cw_routes_paths(fabric.routes, 1, &src, &dst, &hops, channels, lanes), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "discards packets of service level"));
    free_fabric(&fabric);
}

/* Two endpoints of a switch and one without a cable, of which no file says anything. LIDs are those of the heads. */
static void test_unconnected(void **state)
{
    (void)state;
    static const char row[] = "0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7\n";
    struct cw_text paths = {0}, maps = {0};
    struct cw_builder *builder = cw_builder_new(3, 1, 0);
    struct cw_network *net;
    struct cw_service_levels *levels;
    for (uint32_t e = 0; e < 2; e++) cw_builder_cable(builder, e, 1, 3, 1 + e, 1e9, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    for (unsigned e = 0; e < 2; e++) {
        cw_text_printf(&paths, "Channel Adapter 0x00000001%08x, base LID %u, \"h\", port 1\n0x%04x : %u : 4 : 3\n",
                       1 + 256 * e, 7 + e, 8 - e, 2 + e);
        cw_text_printf(&maps, "Channel Adapter 0x00000001%08x, base LID %u, \"h\"\n0 0 : %s", 1 + 256 * e, 7 + e, row);
    }
    cw_text_printf(&maps, "Switch 0x0000000000200000, base LID 9, \"s\"\n1 2 : %s2 1 : %s", row, row);
    const struct cw_levels_file a = {"paths", paths.data, paths.length}, b = {"maps", maps.data, maps.length};
    if (cw_service_levels_parse(net, &a, &b, &levels)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_service_levels_of(levels, 0, 1), 2);
    assert_int_equal(cw_service_levels_of(levels, 1, 0), 3);
    cw_service_levels_free(levels);
    cw_network_free(net);
    cw_text_free(&paths);
    cw_text_free(&maps);
}

#define PATHS_HEAD "Channel Adapter 0x0000000100000001, base LID 1, \"h0\", port 1\n"
#define MAPS_HEAD  "Switch 0x0000000000200000, base LID 2, \"s(0)\"\n"

/* Content of a file of path records (NULL: a good one), of one of SL2VL tables, and the message. */
static const struct {
    const char *paths, *maps, *message;
} malformed[] = {
    {"", NULL, "paths: there are no path records in it, expected"},
    {"hello\n", NULL, "paths:1: neither a head of path records nor one of them, expected"},
    {"0x0004 : 2  : 4   : 3   \n", NULL, "paths:1: neither a head"},
    {PATHS_HEAD "0x0004 : 16 : 4   : 3   \n", NULL, "paths:2: malformed path record, expected"},
    {PATHS_HEAD "0x0004 : 2  : 4\n", NULL, "paths:2: malformed path record, expected"},
    {PATHS_HEAD "0xC000 : 2  : 4   : 3   \n", NULL, "paths:2: malformed path record, expected"},
    {PATHS_HEAD "0x0004 : UNREACHABLE, it seems\n", NULL, "paths:2: malformed path record, expected"},
    {PATHS_HEAD "0x0004 : 2  : 4   : 3   \n0x0004 : 3  : 4   : 3   \n", NULL,
     "paths:3: a second path record from h0 to h1 with another service level, expected one"},
    {PATHS_HEAD "0x0004 : 2  : 4   : 3   \n", NULL, "paths: there is no path record from h0 to h2, expected one for"},
    {"PathRecord dump:\n\tsl......................0x2\n", NULL,
     "paths:2: the record from line 1 has no sgid, expected"},
    {"PathRecord dump:\n\tsl......................0x10\n", NULL, "paths:2: malformed value, expected"},
    {"PathRecord dump:\n\tsgid....................fe80:1\n", NULL, "paths:2: malformed value, expected"},
    {NULL, "", "maps: there are no tables in it, expected"},
    {NULL, "hello\n", "maps:1: neither a table of lanes nor a row of it, expected"},
    {NULL, "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n", "maps:1: neither a table of lanes"},
    {NULL, MAPS_HEAD "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6\n", "maps:2: malformed row, expected two ports and 16 lanes"},
    {NULL, MAPS_HEAD "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 8\n", "maps:2: malformed row"},
    {NULL, MAPS_HEAD "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 16\n", "maps:2: malformed row"},
    {NULL, MAPS_HEAD "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n",
     "maps:3: a second row from port 1 to port 2 of this table, expected one"},
    {NULL, MAPS_HEAD "1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n", "maps: there is no row of h0, expected one for every"},
    {NULL, "# SL2VL table: DR path 0,1\n", "maps:1: a table without a LID, expected"},
};

static void test_malformed(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_text a = content_of("ring-6-dfsssp.path-records"), b = content_of("ring-6-dfsssp.sl2vl");
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct cw_levels_file paths = {"paths", a.data, a.length}, maps = {"maps", b.data, b.length};
        struct cw_service_levels *levels = NULL;
        if (malformed[i].paths)
            paths = (struct cw_levels_file){"paths", malformed[i].paths, strlen(malformed[i].paths)};
        if (malformed[i].maps) maps = (struct cw_levels_file){"maps", malformed[i].maps, strlen(malformed[i].maps)};
        assert_int_equal(cw_service_levels_parse(fabric.net, &paths, &maps, &levels), CW_EPARSE);
        assert_null(levels);
        if (strncmp(cw_error_message(), malformed[i].message, strlen(malformed[i].message)) != 0)
            fail_msg("%s, expected %s", cw_error_message(), malformed[i].message);
    }
    cw_text_free(&a);
    cw_text_free(&b);
    free_fabric(&fabric);
}

/* A file that ends anywhere before its last row is not taken for a whole one. */
static void test_cut_off(void **state)
{
    (void)state;
    struct fabric fabric = read_fabric("ring-6", "ring-6-dfsssp");
    struct cw_text a = content_of("ring-6-dfsssp.path-records"), b = content_of("ring-6-dfsssp.sl2vl");
    const char *const last_row = strstr(a.data, "base LID 9");
    const size_t ends[] = {last_row ? (size_t)(last_row - a.data) : a.length / 2, b.length - 120};
    for (int which = 0; which < 2; which++)
        for (size_t end = 0; end < ends[which]; end += 7) {
            struct cw_levels_file paths = {"paths", a.data, which == 0 ? end : a.length};
            struct cw_levels_file maps = {"maps", b.data, which == 1 ? end : b.length};
            struct cw_service_levels *levels = NULL;
            assert_int_equal(cw_service_levels_parse(fabric.net, &paths, &maps, &levels), CW_EPARSE);
        }
    cw_text_free(&a);
    cw_text_free(&b);
    free_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_formats_agree),
        cmocka_unit_test(test_wrong_map),
        cmocka_unit_test(test_several_lanes_of_a_level),
        cmocka_unit_test(test_lanes_of_hosts),
        cmocka_unit_test(test_discarded),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_unconnected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
