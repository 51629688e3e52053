/* Forwarding tables as JSON: doc/formats/tables-json.md. Composed here, as jansson's tree would take many times the
 * memory. */
#include "base/json_text.h"
#include "route/files/lft_file.h"
#include "route/files/lft_writer.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

static void write_name(const struct cw_network *net, uint32_t v, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    cw_text_add(text, "\"name\": ");
    cw_json_add_string(text, cw_network_name(net, v, name, sizeof name));
}

static const char *separator(bool *first)
{
    const char *said = *first ? "\n  " : ",\n  ";
    *first = false;
    return said;
}

static void write_lids(const struct cw_lft_writer *writer, struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"lids\": [");
    for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
        const uint32_t v = writer->vertex[lid];
        if (v == CW_NONE) continue;
        cw_text_printf(text, "%s{\"lid\": %u, \"guid\": \"0x%016llx\", ", separator(&first), lid,
                       (unsigned long long)cw_lft_port_guid(writer->net, v));
        if (!cw_network_is_endpoint(writer->net, v)) cw_text_add(text, "\"switch\": true, ");
        write_name(writer->net, v, text);
        cw_text_add(text, "}");
    }
    cw_text_add(text, "]");
}

static void write_tables(const struct cw_lft_writer *writer, struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"tables\": [");
    for (uint32_t i = 0; i < cw_network_switches(writer->net); i++) {
        const uint32_t v = writer->order[i];
        const char *comma = "";
        cw_text_printf(text, "%s{\"guid\": \"0x%016llx\", ", separator(&first),
                       (unsigned long long)cw_lft_switch_guid(writer->net, v));
        write_name(writer->net, v, text);
        cw_text_add(text, ", \"ports\": [");
        for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
            if (writer->vertex[lid] == CW_NONE) continue;
            const uint32_t port = cw_lft_writer_port(writer, v, lid);
            if (port == CW_LFT_NO_PORT)
                cw_text_printf(text, "%snull", comma);
            else
                cw_json_add_item(text, comma, port);
            comma = ", ";
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]");
}

/* --- service levels ----------------------------------------------------------------------------------------------- */

static void write_pairs(const struct cw_lft_writer *writer, const struct cw_service_levels *levels,
                        struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"service_levels\": [");
    for (uint32_t src = 0; src < writer->net->n_endpoints; src++) {
        const char *comma = "";
        cw_text_printf(text, "%s{\"guid\": \"0x%016llx\", \"levels\": [", separator(&first),
                       (unsigned long long)cw_lft_port_guid(writer->net, src));
        for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
            const uint32_t dst = writer->vertex[lid];
            if (dst == CW_NONE) continue;
            const uint32_t level =
                cw_network_is_endpoint(writer->net, dst) ? cw_service_levels_of(levels, src, dst) : CW_LEVEL_NO_PATH;
            if (level < CW_SERVICE_LEVELS)
                cw_json_add_item(text, comma, level);
            else
                cw_text_printf(text, "%snull", comma);
            comma = ", ";
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]");
}

/* The lanes of packets that came by BEFORE, or begin, and leave by CHANNEL. */
static void write_lanes(const struct cw_service_levels *levels, uint32_t before, uint32_t channel, bool *first,
                        struct cw_text *text)
{
    const struct cw_network *net = levels->net;
    const uint32_t v = net->tail[channel];
    const uint64_t guid = cw_network_is_endpoint(net, v) ? cw_lft_port_guid(net, v) : cw_lft_switch_guid(net, v);
    cw_text_printf(text, "%s{\"guid\": \"0x%016llx\"", separator(first), (unsigned long long)guid);
    if (before != CW_NONE)
        cw_text_printf(text, ", \"in\": %u, \"out\": %u", cw_network_port(net, net->twin[before]),
                       cw_network_port(net, channel));
    cw_text_add(text, ", \"lanes\": [");
    for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS; sl++)
        cw_text_printf(text, "%s%u", sl > 0 ? ", " : "", cw_service_levels_lane(levels, before, channel, sl));
    cw_text_add(text, "]}");
}

static void write_maps(const struct cw_service_levels *levels, struct cw_text *text)
{
    const struct cw_network *net = levels->net;
    bool first = true;
    cw_text_add(text, ",\n\"lanes_of_levels\": [");
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t v = net->tail[c];
        if (cw_network_is_endpoint(net, v)) write_lanes(levels, CW_NONE, c, &first, text);
        for (uint32_t in = net->first[v]; !cw_network_is_endpoint(net, v) && in < net->first[v + 1]; in++)
            if (in != c) write_lanes(levels, net->twin[in], c, &first, text);
    }
    cw_text_add(text, "]");
}

int cw_lft_write_json(const struct cw_routes *routes, struct cw_text *text)
{
    struct cw_lft_writer writer;
    const int rc = cw_lft_writer_new(routes, &writer);
    if (rc == 0) {
        cw_text_add(text, "{\"format\": \"" CW_LFT_JSON_FORMAT "\", \"version\": 1, \"routing\": ");
        cw_json_add_string(text, cw_routes_name(routes));
        if (cw_routes_lanes_known(routes)) cw_text_printf(text, ", \"lanes\": %u", cw_routes_lanes(routes));
        write_lids(&writer, text);
        write_tables(&writer, text);
        if (routes->levels) write_pairs(&writer, routes->levels, text);
        if (routes->levels && routes->levels->row) write_maps(routes->levels, text);
        cw_text_add(text, "}\n");
    }
    cw_lft_writer_free(&writer);
    return rc ? rc : cw_text_check(text);
}
