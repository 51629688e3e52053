#include "net/network_internal.h"
#include "route/files/lft_file.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "route/files/lft_internal.h"
#include "route/guid_order.h"
#include "route/lft.h"
#include "route/switch_ways.h"

/* --- what writers know -------------------------------------------------------------------------------------------- */

static int check_ports(const struct cw_network *net)
{
    for (uint32_t c = 0; c < net->n_channels; c++) {
        char name[128];
        if (cw_network_is_endpoint(net, net->tail[c]) || cw_network_port(net, c) <= CW_LFT_MAX_PORT) continue;
        return cw_fail(CW_ELIMIT, "%s has a port %u; forwarding tables of InfiniBand know ports up to %u",
                       cw_network_name(net, net->tail[c], name, sizeof name), cw_network_port(net, c), CW_LFT_MAX_PORT);
    }
    return 0;
}

static int check_lids(const struct cw_lft_lids *lids, uint32_t v)
{
    const uint32_t base = cw_lft_base_lid(lids, v), top = cw_lft_top_lid(lids, v);
    char name[128];
    if (top >= CW_LFT_LIDS) {
        const uint32_t last = lids->known ? v : lids->net->n_vertices - 1;
        return cw_fail(CW_ELIMIT, "%u vertices need LIDs up to %u; a subnet has %u", lids->net->n_vertices,
                       cw_lft_top_lid(lids, last), CW_LFT_LIDS - 1);
    }
    if (!cw_network_is_endpoint(lids->net, v) || base == 0 || top - base + 1 >= lids->n) return 0;
    return cw_fail(CW_EUSAGE,
                   "%s has %u LIDs by the network file, but the routes lead to %u of each endpoint; expected a network "
                   "file of a fabric with that LMC, or one without LIDs",
                   cw_network_name(lids->net, v, name, sizeof name), top - base + 1, lids->n);
}

static int assign_lids(struct cw_lft_writer *writer)
{
    const struct cw_network *net = writer->net;
    const struct cw_lft_lids lids = cw_lft_lids_of(net, cw_routes_lids(writer->routes));
    writer->lid = cw_new_array(net->n_vertices, sizeof *writer->lid, "LIDs");
    if (!writer->lid) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const int rc = check_lids(&lids, v);
        if (rc) return rc;
        writer->lid[v] = cw_lft_base_lid(&lids, v);
        if (cw_lft_top_lid(&lids, v) > writer->max_lid) writer->max_lid = cw_lft_top_lid(&lids, v);
    }
    writer->vertex = cw_new_array(writer->max_lid + 1, sizeof *writer->vertex, "LIDs");
    if (!writer->vertex) return CW_ENOMEM;
    for (uint32_t lid = 0; lid <= writer->max_lid; lid++) writer->vertex[lid] = CW_NONE;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        for (uint32_t lid = writer->lid[v]; lid != 0 && lid <= cw_lft_top_lid(&lids, v); lid++) writer->vertex[lid] = v;
    return 0;
}

uint32_t cw_lft_writer_port(const struct cw_lft_writer *writer, uint32_t v, uint32_t lid)
{
    const struct cw_network *net = writer->net;
    const uint32_t to = writer->vertex[lid];
    if (v == to) return 0;
    if (cw_network_is_endpoint(net, to)) {
        if (cw_network_degree(net, to) == 0) return CW_LFT_NO_PORT; /* it is not there */
        const uint32_t place = (lid - writer->lid[to]) % cw_routes_lids(writer->routes);
        const uint32_t index = cw_routes_table_port(cw_routes_to_lid(writer->routes, place), v, to);
        return index == CW_NO_PORT ? CW_LFT_NO_PORT : cw_network_port(net, net->first[v] + index);
    }
    const uint8_t way =
        writer->ways[(size_t)(v - net->n_endpoints) * cw_network_switches(net) + (to - net->n_endpoints)];
    return way == 0 ? CW_LFT_NO_PORT : way;
}

int cw_lft_writer_new(const struct cw_routes *routes, struct cw_lft_writer *writer)
{
    *writer = (struct cw_lft_writer){.routes = routes, .net = cw_routes_network(routes)};
    if (cw_routes_kind(routes) != CW_ROUTES_TABLE)
        return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables", cw_routes_name(routes));
    int rc = cw_lft_check_network(writer->net);
    if (rc == 0) rc = check_ports(writer->net);
    if (rc == 0) rc = assign_lids(writer);
    if (rc == 0) rc = cw_switch_ways(routes, &writer->ways);
    if (rc == 0) rc = cw_guid_order(writer->net, &writer->order);
    return rc;
}

void cw_lft_writer_free(struct cw_lft_writer *writer)
{
    free(writer->vertex);
    free(writer->lid);
    free(writer->ways);
    free(writer->order);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* A place in the text of remarks. */
struct remark {
    size_t at, length;
};

struct writing {
    struct cw_lft_writer writer;
    struct remark *remarks; /* [max_lid + 1] what is said of a LID in every table */
    struct cw_text remark_text;
};

static const char *kind_of(const struct cw_network *net, uint32_t v)
{
    if (!cw_network_is_endpoint(net, v)) return "Switch";
    return net->identity && net->identity[v].kind == CW_KIND_ROUTER ? "Router" : "Channel Adapter";
}

static int write_remarks(struct writing *writing)
{
    const struct cw_lft_writer *writer = &writing->writer;
    writing->remarks = cw_new_array(writer->max_lid + 1, sizeof *writing->remarks, "LIDs");
    if (!writing->remarks) return CW_ENOMEM;
    for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
        const uint32_t v = writer->vertex[lid];
        const size_t at = writing->remark_text.length;
        char name[256];
        if (v == CW_NONE) continue;
        cw_text_printf(&writing->remark_text, " # %s portguid 0x%016llx: '%s'\n", kind_of(writer->net, v),
                       (unsigned long long)cw_lft_port_guid(writer->net, v),
                       cw_network_name(writer->net, v, name, sizeof name));
        writing->remarks[lid] = (struct remark){at, writing->remark_text.length - at};
    }
    return cw_text_check(&writing->remark_text);
}

/* "0x%04x %03u" by hand: a large fabric has tens of millions of these. */
static void write_numbers(struct cw_text *text, uint32_t lid, uint32_t port)
{
    static const char hex[] = "0123456789abcdef";
    const char line[] = {'0',           'x', hex[lid >> 12 & 15], hex[lid >> 8 & 15],  hex[lid >> 4 & 15],
                         hex[lid & 15], ' ', hex[port / 100],     hex[port / 10 % 10], hex[port % 10]};
    cw_text_append(text, line, sizeof line);
}

static void write_table(const struct writing *writing, uint32_t v, struct cw_text *text)
{
    const struct cw_lft_writer *writer = &writing->writer;
    const struct cw_network *net = writer->net;
    char name[256];
    cw_text_printf(text, "Unicast lids [0-%u] of switch Lid %u guid 0x%016llx ('%s'):\n", writer->max_lid,
                   writer->lid[v], (unsigned long long)cw_lft_switch_guid(net, v),
                   cw_network_name(net, v, name, sizeof name));
    for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
        if (writer->vertex[lid] == CW_NONE) continue;
        const uint32_t port = cw_lft_writer_port(writer, v, lid);
        if (port == CW_LFT_NO_PORT) continue;
        write_numbers(text, lid, port);
        cw_text_append(text, writing->remark_text.data + writing->remarks[lid].at, writing->remarks[lid].length);
    }
    cw_text_printf(text, "%u lids dumped\n", writer->max_lid);
}

int cw_lft_write_each(const struct cw_routes *routes, cw_lft_take *take, void *context)
{
    struct writing writing = {.remarks = NULL};
    struct cw_text table = {0};
    int rc = cw_lft_writer_new(routes, &writing.writer);
    if (rc == 0) rc = write_remarks(&writing);
    for (uint32_t i = 0; rc == 0 && i < cw_network_switches(writing.writer.net); i++) {
        table.length = 0;
        write_table(&writing, writing.writer.order[i], &table);
        rc = cw_text_check(&table);
        if (rc == 0) rc = cw_interrupt_check();
        if (rc == 0) rc = take(context, &table);
    }
    cw_lft_writer_free(&writing.writer);
    free(writing.remarks);
    cw_text_free(&writing.remark_text);
    cw_text_free(&table);
    return rc;
}

static int append(void *context, const struct cw_text *table) /* a cw_lft_take */
{
    cw_text_append(context, table->data, table->length);
    return cw_text_check(context);
}

int cw_lft_write(const struct cw_routes *routes, struct cw_text *text)
{
    return cw_lft_write_each(routes, append, text);
}
