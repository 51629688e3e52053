#include "net/network_internal.h"
#include "route/files/lft_internal.h"

#include "base/error.h"

/* A vertex without GUIDs gets those that the writer of ibsim's net files gives it (net/files/infiniband/write_ibsim.c),
 * so that a generated network and its tables can be tried on the real subnet manager. */
#define FIRST_SWITCH_GUID UINT64_C(0x200000)
#define FIRST_HOST_GUID   UINT64_C(0x100000000)
#define HOST_GUIDS        256u

static uint64_t known_guid(const struct cw_network *net, uint32_t v, bool of_port)
{
    if (!net->identity) return 0;
    const struct cw_identity *identity = &net->identity[v];
    return of_port ? identity->port_guid : identity->node_guid;
}

uint64_t cw_lft_switch_guid(const struct cw_network *net, uint32_t v)
{
    const uint64_t guid = known_guid(net, v, false);
    return guid != 0 ? guid : FIRST_SWITCH_GUID + (v - net->n_endpoints);
}

/* Port 0 of a switch has the GUID of the node; ibsim numbers the ports of an adapter after its node. */
uint64_t cw_lft_port_guid(const struct cw_network *net, uint32_t v)
{
    const uint64_t guid = known_guid(net, v, true);
    if (guid != 0) return guid;
    if (!cw_network_is_endpoint(net, v)) return cw_lft_switch_guid(net, v);
    const uint32_t port = cw_network_degree(net, v) > 0 ? cw_network_port(net, net->first[v]) : 1;
    return FIRST_HOST_GUID + (uint64_t)HOST_GUIDS * v + port;
}

static bool has_lids(const struct cw_network *net)
{
    for (uint32_t v = 0; net->identity && v < net->n_vertices; v++)
        if (net->identity[v].lid != 0) return true;
    return false;
}

struct cw_lft_lids cw_lft_lids_of(const struct cw_network *net, uint32_t n)
{
    return (struct cw_lft_lids){.net = net, .n = n, .known = has_lids(net)};
}

/* Endpoints come first. Their first LIDs are multiples of N, as an LMC wants it. */
uint32_t cw_lft_base_lid(const struct cw_lft_lids *lids, uint32_t v)
{
    const uint32_t n_endpoints = lids->net->n_endpoints;
    if (lids->known) return lids->net->identity[v].lid;
    return v < n_endpoints ? lids->n * (v + 1) : lids->n * (n_endpoints + 1) + (v - n_endpoints);
}

uint32_t cw_lft_top_lid(const struct cw_lft_lids *lids, uint32_t v)
{
    const uint32_t base = cw_lft_base_lid(lids, v);
    if (base == 0) return 0;
    if (lids->known) return base + (1u << (lids->net->identity[v].lmc & 7)) - 1;
    return cw_network_is_endpoint(lids->net, v) ? base + lids->n - 1 : base;
}

int cw_lft_names_new(const struct cw_network *net, struct cw_lft_names *names)
{
    struct cw_lft_names made = {.net = net, .has_lids = has_lids(net)};
    const int rc = cw_name_index_new(net, &made.index);
    if (rc == 0) *names = made;
    return rc;
}

void cw_lft_names_free(struct cw_lft_names *names)
{
    if (!names) return;
    cw_name_index_free(names->index);
    *names = (struct cw_lft_names){0};
}

uint32_t cw_lft_find_switch(const struct cw_lft_names *names, uint64_t node_guid)
{
    const struct cw_network *net = names->net;
    const uint32_t v = cw_name_index_node_guid(names->index, node_guid);
    if (v != CW_NONE) return cw_network_is_endpoint(net, v) ? CW_NONE : v;
    if (node_guid - FIRST_SWITCH_GUID >= cw_network_switches(net)) return CW_NONE;
    const uint32_t numbered = net->n_endpoints + (uint32_t)(node_guid - FIRST_SWITCH_GUID);
    return cw_lft_switch_guid(net, numbered) == node_guid ? numbered : CW_NONE;
}

bool cw_lft_is_switch_number(const struct cw_lft_names *names, uint64_t guid)
{
    return guid - FIRST_SWITCH_GUID < CW_LFT_LIDS && cw_name_index_node_guid(names->index, guid) == CW_NONE;
}

uint32_t cw_lft_find_table(const struct cw_lft_names *names, uint64_t node_guid, const char *name, bool *by_number)
{
    const uint32_t v = cw_lft_find_switch(names, node_guid);
    if (!cw_lft_is_switch_number(names, node_guid)) return v;
    if (!name || !*name) {
        *by_number |= v != CW_NONE;
        return v;
    }
    const uint32_t named = cw_name_index_name(names->index, name);
    if (named == CW_NONE || cw_network_is_endpoint(names->net, named)) return CW_NONE;
    return known_guid(names->net, named, false) == 0 ? named : CW_NONE;
}

uint32_t cw_lft_find_port(const struct cw_lft_names *names, uint64_t port_guid)
{
    const struct cw_network *net = names->net;
    const uint32_t v = cw_name_index_port_guid(names->index, port_guid);
    if (v != CW_NONE) return v;
    const uint64_t numbered = (port_guid - FIRST_HOST_GUID) / HOST_GUIDS;
    if (numbered < net->n_endpoints && cw_lft_port_guid(net, (uint32_t)numbered) == port_guid)
        return (uint32_t)numbered;
    return cw_lft_find_switch(names, port_guid);
}

uint32_t cw_lft_find_lid(const struct cw_lft_names *names, uint32_t lid)
{
    return cw_name_index_lid(names->index, lid);
}

int cw_lft_check_network(const struct cw_network *net)
{
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        char name[128];
        if (cw_network_degree(net, v) <= 1) continue;
        return cw_fail(CW_EUSAGE,
                       "%s has %u cables, expected at most one at each endpoint: a LID belongs to one port. In maps of "
                       "InfiniBand, the ports of a host are endpoints of their own",
                       cw_network_name(net, v, name, sizeof name), cw_network_degree(net, v));
    }
    return 0;
}
