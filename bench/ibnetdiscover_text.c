#include "ibnetdiscover_text.h"
#include "net/network_internal.h"

#define SWITCH_GUID 0x200000ull
#define HOST_GUID   0x100000000ull

static unsigned long long guid_of(const struct cw_network *net, uint32_t v)
{
    return cw_network_is_endpoint(net, v) ? HOST_GUID + 16ull * v : SWITCH_GUID + v - net->n_endpoints;
}

static char letter_of(const struct cw_network *net, uint32_t v)
{
    return cw_network_is_endpoint(net, v) ? 'H' : 'S';
}

static void add_port(const struct cw_network *net, uint32_t channel, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    const uint32_t v = net->tail[channel], peer = net->head[channel];
    cw_text_printf(text, "[%u]", cw_network_port(net, channel));
    if (cw_network_is_endpoint(net, v)) cw_text_printf(text, "(%llx) ", guid_of(net, v) + 1);
    cw_text_printf(text, "\t\"%c-%016llx\"[%u]", letter_of(net, peer), guid_of(net, peer),
                   cw_network_port(net, net->twin[channel]));
    if (cw_network_is_endpoint(net, peer)) cw_text_printf(text, "(%llx) ", guid_of(net, peer) + 1);
    cw_text_add(text, "\t\t# ");
    if (cw_network_is_endpoint(net, v)) cw_text_printf(text, "lid %u lmc 0 ", v + 1);
    cw_text_printf(text, "\"%s\" lid %u 4xQDR\n", cw_network_name(net, peer, name, sizeof name), peer + 1);
}

static void add_node(const struct cw_network *net, uint32_t v, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    const unsigned long long guid = guid_of(net, v);
    const uint32_t ports = cw_network_degree(net, v);
    cw_network_name(net, v, name, sizeof name);
    cw_text_printf(text, "\nvendid=0x2c9\ndevid=0xb924\nsysimgguid=0x%llx\n", guid);
    if (cw_network_is_endpoint(net, v))
        cw_text_printf(text, "caguid=0x%llx\nCa\t%u \"H-%016llx\"\t\t# \"%s\"\n", guid, ports, guid, name);
    else
        cw_text_printf(text, "switchguid=0x%llx(%llx)\nSwitch\t%u \"S-%016llx\"\t\t# \"%s\" base port 0 lid %u lmc 0\n",
                       guid, guid, ports, guid, name, v + 1);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) add_port(net, c, text);
}

void ibnetdiscover_text(const struct cw_network *net, struct cw_text *text)
{
    cw_text_add(text, "#\n# Topology file: generated for a benchmark\n#\n");
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) add_node(net, v, text);
    for (uint32_t v = 0; v < net->n_endpoints; v++) add_node(net, v, text);
}
