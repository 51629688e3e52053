/*
 * Writers of service levels, in the forms that path_records_file.c and sl2vl_file.c read: opensm-path-records.dump and
 * opensm-sl2vl.dump.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/files/lft_internal.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"
#include "route/service_levels.h"

#define MTU_2048 4u

/* Rates of path records: the code, and the Gbit/s of data that the slowest links called so carry. Source: InfiniBand
 * Architecture Specification 1, 15.2.5.16 (PathRecord), less the line codes of the speeds. */
static const struct {
    uint32_t code;
    double gigabits;
} rates[] = {{2, 2},      {5, 4},      {3, 8},      {11, 13.6},  {6, 16},     {4, 24},   {15, 24.2}, {19, 27.2},
             {7, 32},     {8, 48},     {20, 48.4},  {12, 54.5},  {9, 64},     {10, 96},  {16, 96.9}, {13, 109},
             {14, 163.6}, {17, 193.9}, {18, 290.9}, {21, 387.8}, {22, 581.8}, {23, 775}, {24, 1163}};

/* The greatest rate that a link of CAPACITY byte/s has. */
static uint32_t rate_of(double capacity)
{
    uint32_t best = 0;
    for (size_t i = 1; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].gigabits <= capacity * 8e-9 * (1 + 1e-9) && rates[i].gigabits > rates[best].gigabits)
            best = (uint32_t)i;
    return rates[best].code;
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

struct writer {
    const struct cw_network *net;
    const struct cw_service_levels *levels; /* NULL: level 0 for all, always on lane 0 */
    struct cw_lft_lids lids;
    struct cw_text *text;
};

static int begin(const struct cw_routes *routes, struct cw_text *text, struct writer *writer)
{
    *writer = (struct writer){.net = cw_routes_network(routes), .levels = routes->levels, .text = text};
    if (cw_routes_kind(routes) != CW_ROUTES_TABLE)
        return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables", cw_routes_name(routes));
    if (!cw_routes_lanes_known(routes))
        return cw_fail(CW_EUSAGE, "the service levels of \"%s\" are not known; expected them to be given, too",
                       cw_routes_name(routes));
    if (!routes->levels && cw_routes_lanes(routes) > 1)
        return cw_fail(
            CW_EUSAGE,
            "\"%s\" changes the lane by the place where the packet is, and has no service levels; expected a "
            "routing with service levels, such as dfsssp, or with one lane",
            cw_routes_name(routes));
    writer->lids = cw_lft_lids_of(writer->net, cw_routes_lids(routes));
    return cw_lft_check_network(writer->net);
}

static void write_head(const struct writer *writer, uint32_t v, bool with_port)
{
    const struct cw_network *net = writer->net;
    const bool endpoint = cw_network_is_endpoint(net, v);
    const uint64_t guid = endpoint ? cw_lft_port_guid(net, v) : cw_lft_switch_guid(net, v);
    char name[CW_NAME_SIZE];
    cw_text_printf(writer->text, "%s 0x%016llx, base LID %u, \"%s\"", endpoint ? "Channel Adapter" : "Switch",
                   (unsigned long long)guid, cw_lft_base_lid(&writer->lids, v),
                   cw_network_name(net, v, name, sizeof name));
    if (with_port) cw_text_printf(writer->text, ", port %u", cw_network_port(net, net->first[v]));
    cw_text_add(writer->text, "\n");
}

/* The rates of all records to one LID, [source · endpoints + destination]; 0: no route. A route is as fast as its
 * slowest channel, which the switches of a tree find in the order from the root. */
static int find_rates(const struct cw_routes *routes, uint8_t *rate)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t n = net->n_endpoints;
    struct cw_tree tree;
    double *slowest = cw_new_array(cw_network_switches(net), sizeof *slowest, "rates");
    if (!slowest) return CW_ENOMEM;
    int rc = cw_tree_new(routes, &tree);
    for (uint32_t dst = 0; !rc && dst < n; dst++) {
        cw_tree_fill(&tree, dst);
        for (uint32_t i = tree.n_order; i-- > 0;) {
            const uint32_t s = tree.order[i] - n, c = tree.channel[s];
            if (tree.hops[s] >= CW_TREE_LOOP) continue;
            const uint32_t next = net->head[c];
            slowest[s] = net->capacity[c];
            if (next >= n && slowest[next - n] < slowest[s]) slowest[s] = slowest[next - n];
        }
        for (uint32_t src = 0; src < n; src++) {
            if (src == dst || cw_tree_route(&tree, 0, src) >= CW_TREE_LOOP) continue;
            const uint32_t c = cw_tree_start(&tree, 0, src), next = net->head[c];
            const double rest = next >= n ? slowest[next - n] : net->capacity[c];
            rate[(size_t)src * n + dst] = (uint8_t)rate_of(rest < net->capacity[c] ? rest : net->capacity[c]);
        }
    }
    if (!rc) cw_tree_free(&tree);
    free(slowest);
    return rc;
}

static void write_record(const struct writer *writer, uint32_t lid, uint32_t level, uint32_t rate)
{
    if (rate == 0 || level >= CW_SERVICE_LEVELS)
        cw_text_printf(writer->text, "0x%04X : UNREACHABLE\n", lid);
    else
        cw_text_printf(writer->text, "0x%04X : %-2u : %-3u : %-3u \n", lid, level, MTU_2048, rate);
}

/* RATE: [lids][source · endpoints + destination] */
static void write_records(const struct writer *writer, const struct cw_routes *routes, uint32_t src,
                          const uint8_t *rate)
{
    const size_t n = writer->net->n_endpoints;
    write_head(writer, src, true);
    cw_text_add(writer->text, "# LID  : SL : MTU : RATE\n");
    for (uint32_t dst = 0; dst < n; dst++) {
        if (dst == src || cw_network_degree(writer->net, dst) == 0) continue;
        const uint32_t base = cw_lft_base_lid(&writer->lids, dst), top = cw_lft_top_lid(&writer->lids, dst);
        for (uint32_t lid = base; lid <= top; lid++) {
            const uint32_t place = (lid - base) % cw_routes_lids(routes);
            const struct cw_service_levels *levels = cw_routes_to_lid(routes, place)->levels;
            write_record(writer, lid, levels ? cw_service_levels_of(levels, src, dst) : 0,
                         rate[place * n * n + src * n + dst]);
        }
    }
    cw_text_add(writer->text, "\n");
}

int cw_path_records_write(const struct cw_routes *routes, struct cw_text *text)
{
    struct writer writer;
    int rc = begin(routes, text, &writer);
    if (rc) return rc;
    const size_t n = writer.net->n_endpoints;
    const uint32_t lids = cw_routes_lids(routes);
    uint8_t *rate = cw_new_array(lids * n * n, 1, "path records");
    rc = rate ? 0 : CW_ENOMEM;
    for (uint32_t lid = 0; !rc && lid < lids; lid++) rc = find_rates(cw_routes_to_lid(routes, lid), rate + lid * n * n);
    for (uint32_t src = 0; !rc && src < n; src++)
        if (cw_network_degree(writer.net, src) > 0) write_records(&writer, routes, src, rate);
    free(rate);
    return rc ? rc : cw_text_check(text);
}

static void write_row(const struct writer *writer, uint32_t in, uint32_t out, uint32_t before, uint32_t channel)
{
    cw_text_printf(writer->text, "%-3u %-3u :", in, out);
    for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS; sl++)
        cw_text_printf(writer->text, " %-2u",
                       writer->levels ? cw_service_levels_lane(writer->levels, before, channel, sl) : 0);
    cw_text_add(writer->text, "\n");
}

static void write_map(const struct writer *writer, uint32_t v)
{
    static const char line[] = "#--------------------------------------------------------\n";
    const struct cw_network *net = writer->net;
    write_head(writer, v, false);
    cw_text_printf(writer->text, "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n%s", line);
    if (cw_network_is_endpoint(net, v)) {
        write_row(writer, 0, 0, CW_NONE, net->first[v]);
    } else {
        for (uint32_t out = net->first[v]; out < net->first[v + 1]; out++)
            for (uint32_t in = net->first[v]; in < net->first[v + 1]; in++)
                write_row(writer, cw_network_port(net, in), cw_network_port(net, out), net->twin[in], out);
    }
    cw_text_printf(writer->text, "%s\n", line);
}

int cw_sl2vl_write(const struct cw_routes *routes, struct cw_text *text)
{
    struct writer writer;
    const int rc = begin(routes, text, &writer);
    if (rc) return rc;
    for (uint32_t v = writer.net->n_endpoints; v < writer.net->n_vertices; v++) write_map(&writer, v);
    for (uint32_t v = 0; v < writer.net->n_endpoints; v++)
        if (cw_network_degree(writer.net, v) > 0) write_map(&writer, v);
    return cw_text_check(text);
}
