#include "net/files/infiniband/ib_rows.h"

#include "base/error.h"

bool cw_ib_lid_and_port(struct cw_ib_scan *scan, struct cw_ib_end *end)
{
    cw_ib_blanks(scan);
    if (!cw_ib_decimal(scan, UINT16_MAX, &end->lid)) return false;
    if (end->lid == UINT16_MAX) end->lid = 0; /* has none */
    if (end->lid > CW_IB_MAX_LID) return false;
    cw_ib_blanks(scan);
    return cw_ib_decimal(scan, CW_IB_MAX_PORTS, &end->number) && end->number > 0;
}

/* An id for the node that has this port: its kind and its GUID, or what its ports' GUIDs have in common; of a host
 * without any GUID, L- and its LID. */
static struct cw_ib_span id_of(const struct cw_ib_end *end, char id[18])
{
    static const char digits[] = "0123456789abcdef",
                      letters[] = {[CW_KIND_SWITCH] = 'S', [CW_KIND_HOST] = 'H', [CW_KIND_ROUTER] = 'R'};
    const bool known = end->node_guid || end->guid;
    const uint64_t guid = end->node_guid                ? end->node_guid
                          : !known                      ? end->lid
                          : end->kind == CW_KIND_SWITCH ? end->guid
                                                        : end->guid - end->number;
    id[0] = known ? letters[end->kind] : 'L';
    id[1] = '-';
    for (unsigned i = 0; i < 16; i++) id[2 + i] = digits[guid >> (60 - 4 * i) & 15];
    return (struct cw_ib_span){id, 18};
}

static void learn_guid(struct cw_ib_node *node, const struct cw_ib_end *end)
{
    if (end->node_guid)
        node->guid = end->node_guid;
    else if (node->guid == 0 || end->guid < node->guid)
        node->guid = end->guid;
}

/* The node at END; LINE is 0 if it is only mentioned. */
static int find_node(struct cw_ib_fabric *fabric, const struct cw_ib_end *end, unsigned long line, uint32_t *index)
{
    char id[18];
    const int rc = cw_ib_fabric_node(fabric, id_of(end, id), end->kind, index);
    if (rc) return rc;
    struct cw_ib_node *node = &fabric->nodes[*index];
    learn_guid(node, end);
    if (end->kind == CW_KIND_SWITCH) {
        node->port_guid = end->guid;
        node->lid = end->lid;
        node->lmc = end->lmc;
    }
    if (!node->description.text) node->description = end->description;
    if (end->system_guid) node->system_guid = end->system_guid;
    if (end->vendor) node->vendor = end->vendor;
    if (end->device) node->device = end->device;
    if (!node->line) node->line = line;
    return 0;
}

/* A list that does not tell the number of a device's ports still has the highest of those it lists. */
static int learn_ports(const struct cw_ib_fabric *fabric, const struct cw_ib_row *row, uint32_t index)
{
    struct cw_ib_node *node = &fabric->nodes[index];
    const uint32_t ports = row->own.ports;
    if (ports && node->ports && node->ports != ports)
        return cw_fail_at(fabric->file, row->line, "'%s' has %u ports here, but %u in line %lu",
                          cw_ib_fabric_label(fabric, index), ports, node->ports, node->line);
    if (ports)
        node->ports = (uint16_t)ports;
    else if (row->own.number > node->ports)
        node->ports = (uint16_t)row->own.number;
    return 0;
}

int cw_ib_row_add(struct cw_ib_fabric *fabric, const struct cw_ib_row *row)
{
    struct cw_ib_port port = {.number = (uint16_t)row->own.number,
                              .peer_number = (uint16_t)row->peer.number,
                              .lmc = row->own.lmc,
                              .lid = row->own.lid,
                              .peer_lid = row->peer.lid,
                              .guid = row->own.guid,
                              .peer_guid = row->peer.guid,
                              .capacity = row->capacity,
                              .latency = -1,
                              .line = row->line};
    int rc = find_node(fabric, &row->own, row->line, &port.node);
    if (!rc) rc = learn_ports(fabric, row, port.node);
    if (rc || !row->connected) return rc;
    rc = find_node(fabric, &row->peer, 0, &port.peer);
    return rc ? rc : cw_ib_fabric_port(fabric, &port);
}
