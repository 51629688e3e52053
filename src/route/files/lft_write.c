#include "route/files/lft_file.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/files/lft_writer.h"

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

int cw_lft_write(const struct cw_routes *routes, struct cw_text *text)
{
    struct writing writing = {.remarks = NULL};
    int rc = cw_lft_writer_new(routes, &writing.writer);
    if (rc == 0) rc = write_remarks(&writing);
    for (uint32_t i = 0; rc == 0 && i < cw_network_switches(writing.writer.net); i++)
        write_table(&writing, writing.writer.order[i], text);
    cw_lft_writer_free(&writing.writer);
    free(writing.remarks);
    cw_text_free(&writing.remark_text);
    return rc ? rc : cw_text_check(text);
}
