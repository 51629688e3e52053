#include "net/files/infiniband/ib_fabric.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/network_internal.h"

int cw_ib_fabric_open(struct cw_ib_fabric *fabric)
{
    return cw_name_table_new(&fabric->ids);
}

void cw_ib_fabric_free(struct cw_ib_fabric *fabric)
{
    cw_name_table_free(fabric->ids);
    free(fabric->nodes);
    free(fabric->ports);
}

int cw_ib_fabric_node(struct cw_ib_fabric *fabric, struct cw_ib_span id, uint8_t kind, uint32_t *node)
{
    uint32_t index;
    int rc = cw_name_table_add(fabric->ids, id.text, id.length, &index);
    if (rc) return rc;
    if (index == fabric->n_nodes) {
        void *nodes = fabric->nodes;
        rc = cw_grow_array(&nodes, &fabric->nodes_capacity, fabric->n_nodes + 1, sizeof *fabric->nodes, "nodes");
        if (rc) return rc;
        fabric->nodes = nodes;
        fabric->nodes[fabric->n_nodes++] = (struct cw_ib_node){.kind = kind};
    }
    *node = index;
    return 0;
}

int cw_ib_fabric_port(struct cw_ib_fabric *fabric, const struct cw_ib_port *port)
{
    void *ports = fabric->ports;
    const int rc = cw_grow_array(&ports, &fabric->ports_capacity, fabric->n_ports + 1, sizeof *fabric->ports, "ports");
    if (rc) return rc;
    fabric->ports = ports;
    fabric->ports[fabric->n_ports++] = *port;
    return 0;
}

const char *cw_ib_fabric_label(const struct cw_ib_fabric *fabric, uint32_t node)
{
    return cw_name_table_name(fabric->ids, node);
}

void cw_ib_map_free(struct cw_ib_map *map)
{
    free(map->at);
    free(map->port_at);
}

/* Adds the lines that a host without any would have had: the reverse of those that mention it. */
static int complete_hosts(struct cw_ib_fabric *fabric)
{
    const size_t n_ports = fabric->n_ports;
    for (size_t i = 0; i < n_ports; i++) {
        const struct cw_ib_port port = fabric->ports[i];
        struct cw_ib_node *peer = &fabric->nodes[port.peer];
        if (peer->line) continue;
        if (!fabric->hosts_may_lack_blocks || peer->kind == CW_KIND_SWITCH)
            return cw_fail_at(fabric->file, port.line,
                              "'%s' is mentioned here but has no lines of its own; is the file truncated?",
                              cw_ib_fabric_label(fabric, port.peer));
        if (port.peer_number > peer->ports) peer->ports = port.peer_number;
        const struct cw_ib_port reverse = {.node = port.peer,
                                           .peer = port.node,
                                           .number = port.peer_number,
                                           .peer_number = port.number,
                                           .lid = port.peer_lid,
                                           .guid = port.peer_guid,
                                           .latency = -1,
                                           .line = port.line};
        const int rc = cw_ib_fabric_port(fabric, &reverse);
        if (rc) return rc;
    }
    return 0;
}

static int listed_twice(const struct cw_ib_fabric *fabric, const struct cw_ib_port *first,
                        const struct cw_ib_port *second)
{
    return cw_fail_at(fabric->file, second->line,
                      "port %u of '%s' leads to port %u of '%s' here, but to port %u of '%s' in line %lu",
                      second->number, cw_ib_fabric_label(fabric, second->node), second->peer_number,
                      cw_ib_fabric_label(fabric, second->peer), first->peer_number,
                      cw_ib_fabric_label(fabric, first->peer), first->line);
}

/* Puts each line in its place. */
static int fill_map(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map)
{
    for (size_t i = 0; i < fabric->n_ports; i++) {
        const struct cw_ib_port *port = &fabric->ports[i];
        if (port->number > fabric->nodes[port->node].ports)
            return cw_fail_at(fabric->file, port->line, "port %u of '%s', which has %u ports (line %lu)", port->number,
                              cw_ib_fabric_label(fabric, port->node), fabric->nodes[port->node].ports,
                              fabric->nodes[port->node].line);
        uint32_t *place = &map->port_at[map->at[port->node] + port->number];
        if (*place == 0) {
            *place = (uint32_t)i + 1;
            continue;
        }
        const struct cw_ib_port *first = &fabric->ports[*place - 1];
        if (first->peer != port->peer || first->peer_number != port->peer_number)
            return listed_twice(fabric, first, port);
    }
    return 0;
}

static int new_map(const struct cw_ib_fabric *fabric, struct cw_ib_map *map)
{
    static const char what[] = "the ports of a fabric";
    if (fabric->n_ports >= CW_NONE) return cw_fail(CW_ELIMIT, "%s: more than 2^32 - 2 ports", fabric->file);
    map->at = cw_new_array(fabric->n_nodes + 1, sizeof *map->at, what);
    if (!map->at) return CW_ENOMEM;
    for (size_t i = 0; i < fabric->n_nodes; i++) map->at[i + 1] = map->at[i] + fabric->nodes[i].ports + 1;
    map->port_at = cw_new_array(map->at[fabric->n_nodes], sizeof *map->port_at, what);
    return map->port_at ? 0 : CW_ENOMEM;
}

/* Does the other end of PORT's cable say the same? */
static int check_cable(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map, const struct cw_ib_port *port)
{
    const struct cw_ib_node *peer = &fabric->nodes[port->peer];
    const uint32_t place = port->peer_number > peer->ports ? 0 : map->port_at[map->at[port->peer] + port->peer_number];
    if (place == 0)
        return cw_fail_at(fabric->file, port->line,
                          "port %u of '%s' leads to port %u of '%s', which lists no such port (line %lu); is the file "
                          "truncated?",
                          port->number, cw_ib_fabric_label(fabric, port->node), port->peer_number,
                          cw_ib_fabric_label(fabric, port->peer), peer->line);
    const struct cw_ib_port *back = &fabric->ports[place - 1];
    if (back->peer == port->node && back->peer_number == port->number) return 0;
    return cw_fail_at(
        fabric->file, port->line, "port %u of '%s' leads to port %u of '%s', which leads to port %u of '%s' (line %lu)",
        port->number, cw_ib_fabric_label(fabric, port->node), port->peer_number, cw_ib_fabric_label(fabric, port->peer),
        back->peer_number, cw_ib_fabric_label(fabric, back->peer), back->line);
}

/* Takes out cables from a node to itself. Both of a cable's ends are listed. */
static void drop_loops(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map)
{
    size_t n_ends = 0;
    const struct cw_ib_port *first = NULL;
    for (size_t i = 0; i < fabric->n_ports; i++) {
        const struct cw_ib_port *port = &fabric->ports[i];
        uint32_t *place = &map->port_at[map->at[port->node] + port->number];
        if (port->peer != port->node || *place == 0) continue;
        *place = 0;
        n_ends += port->peer_number == port->number ? 2 : 1;
        if (!first) first = port;
    }
    if (first)
        cw_inputs_remark(fabric->file, first->line, "%zu loop-back cable%s left out, the first here: '%s' to itself.",
                         n_ends / 2, n_ends > 2 ? "s were" : " was", cw_ib_fabric_label(fabric, first->node));
}

int cw_ib_fabric_check(struct cw_ib_fabric *fabric, struct cw_ib_map *map)
{
    int rc = complete_hosts(fabric);
    if (!rc) rc = new_map(fabric, map);
    if (!rc) rc = fill_map(fabric, map);
    for (size_t i = 0; i < fabric->n_ports && !rc; i++) rc = check_cable(fabric, map, &fabric->ports[i]);
    if (!rc) drop_loops(fabric, map);
    return rc;
}

/*
 * The user's names for the nodes of a fabric (net/files/node_names.h), instead of their descriptions.
 *
 * A map goes by node GUIDs. Where a file does not tell those of adapters, a name is the adapter's that has a port of
 * this GUID (many adapters of one port have the same GUID twice), or else the one whose port GUID minus port number it
 * is, because adapters number their GUIDs so.
 */

struct naming {
    struct cw_ib_fabric *fabric;
    const struct cw_node_names *names;
    uint32_t *owner; /* [names->n] node plus 1, 0: none so far */
};

/* Gives NODE the name of GUID, if there is one and it is nobody else's. */
static void give(struct naming *naming, uint32_t node, uint64_t guid)
{
    const struct cw_node_name *found = guid ? cw_node_names_find(naming->names, guid) : NULL;
    struct cw_ib_node *n = &naming->fabric->nodes[node];
    if (!found || n->name.length > 0) return;
    uint32_t *owner = &naming->owner[found - naming->names->items];
    if (*owner != 0 && *owner != node + 1) return;
    *owner = node + 1;
    n->name = (struct cw_ib_span){found->name, found->length};
}

static void give_all(struct naming *naming)
{
    const struct cw_ib_fabric *fabric = naming->fabric;
    for (uint32_t node = 0; node < fabric->n_nodes; node++)
        if (fabric->nodes[node].kind == CW_KIND_SWITCH || !fabric->host_guids_unknown)
            give(naming, node, fabric->nodes[node].guid);
    if (!fabric->host_guids_unknown) return;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < fabric->n_ports; i++) {
            const struct cw_ib_port *port = &fabric->ports[i];
            if (fabric->nodes[port->node].kind == CW_KIND_SWITCH || port->guid == 0) continue;
            give(naming, port->node, pass == 0 ? port->guid : port->guid - port->number);
        }
    }
}

static void tell_unknown(const struct naming *naming)
{
    const struct cw_node_names *names = naming->names;
    const struct cw_node_name *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (naming->owner[i]) continue;
        n++;
        if (!first || names->items[i].line < first->line) first = &names->items[i];
    }
    if (first)
        cw_inputs_remark(names->file, first->line, "%zu of %zu names are of no node in %s, the first here: 0x%llx.", n,
                         names->n, naming->fabric->file, (unsigned long long)first->guid);
}

int cw_ib_fabric_rename(struct cw_ib_fabric *fabric)
{
    struct naming naming = {.fabric = fabric, .names = fabric->names};
    if (!naming.names) return 0;
    naming.owner = cw_new_array(naming.names->n, sizeof *naming.owner, "the names of nodes");
    if (!naming.owner) return CW_ENOMEM;
    give_all(&naming);
    tell_unknown(&naming);
    free(naming.owner);
    return 0;
}

/*
 * Do LIDs and GUIDs of a fabric agree? LIDs may not while a subnet manager sweeps, and then the user must know; two
 * ports with one GUID are an error, for tables name ports by it.
 */

/* A switch, or a port of an adapter: what has LIDs and a GUID. */
struct owner {
    uint32_t node, number; /* number 0: a switch */
    uint32_t lid, lmc;
    uint64_t guid;
    unsigned long line;
};

struct owners {
    const struct cw_ib_fabric *fabric;
    struct owner *items;
    size_t n;
};

static const struct cw_ib_port *line_at(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map, uint32_t node,
                                        uint32_t number)
{
    const uint32_t place = map->port_at[map->at[node] + number];
    return place ? &fabric->ports[place - 1] : NULL;
}

static int collect(struct owners *owners, const struct cw_ib_map *map)
{
    const struct cw_ib_fabric *fabric = owners->fabric;
    owners->items = cw_new_array(fabric->n_nodes + fabric->n_ports, sizeof *owners->items, "LIDs of a fabric");
    if (!owners->items) return CW_ENOMEM;
    for (uint32_t node = 0; node < fabric->n_nodes; node++) {
        const struct cw_ib_node *n = &fabric->nodes[node];
        if (n->kind == CW_KIND_SWITCH)
            owners->items[owners->n++] = (struct owner){node, 0, n->lid, n->lmc, n->port_guid, n->line};
        for (uint32_t number = 1; n->kind != CW_KIND_SWITCH && number <= n->ports; number++) {
            const struct cw_ib_port *port = line_at(fabric, map, node, number);
            if (port)
                owners->items[owners->n++] = (struct owner){node, number, port->lid, port->lmc, port->guid, port->line};
        }
    }
    return 0;
}

/* --- LIDs --------------------------------------------------------------------------------------------------------- */

static void tell_shared_lid(const struct owners *owners, uint32_t lid, const struct owner *first,
                            const struct owner *second)
{
    cw_inputs_remark(owners->fabric->file, second->line, "'%s' has LID %u, which '%s' has, too (line %lu).",
                     cw_ib_fabric_label(owners->fabric, second->node), lid,
                     cw_ib_fabric_label(owners->fabric, first->node), first->line);
}

static int check_shared_lids(const struct owners *owners)
{
    size_t shared = 0;
    uint32_t *owner_of = cw_new_array(CW_IB_MAX_LID + 1, sizeof *owner_of, "LIDs of a fabric");
    if (!owner_of) return CW_ENOMEM;
    for (size_t i = 0; i < owners->n; i++) {
        const struct owner *owner = &owners->items[i];
        const uint32_t end = owner->lid + (1u << owner->lmc);
        for (uint32_t lid = owner->lid; lid > 0 && lid < end && lid <= CW_IB_MAX_LID; lid++) {
            if (owner_of[lid] && shared++ == 0) tell_shared_lid(owners, lid, &owners->items[owner_of[lid] - 1], owner);
            owner_of[lid] = (uint32_t)i + 1;
        }
    }
    free(owner_of);
    if (shared > 1)
        cw_inputs_remark(owners->fabric->file, 0, "%zu LIDs have two owners. Routes from tables may be wrong.", shared);
    return 0;
}

/* What a line says of its peer against what the peer's own says. */
static void check_peer_lids(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map)
{
    size_t wrong = 0;
    for (size_t i = 0; i < fabric->n_ports; i++) {
        const struct cw_ib_port *port = &fabric->ports[i], *back = line_at(fabric, map, port->peer, port->peer_number);
        const struct cw_ib_node *peer = &fabric->nodes[port->peer];
        const bool is_switch = peer->kind == CW_KIND_SWITCH;
        const uint32_t own = is_switch ? peer->lid : back ? back->lid : 0;
        if (own == 0 || port->peer_lid == 0 || own == port->peer_lid || wrong++ > 0) continue;
        cw_inputs_remark(fabric->file, port->line, "'%s' has LID %u here, but LID %u by its own line %lu.",
                         cw_ib_fabric_label(fabric, port->peer), port->peer_lid, own,
                         is_switch ? peer->line : back->line);
    }
    if (wrong > 1)
        cw_inputs_remark(fabric->file, 0, "%zu lines contradict a peer's own LID, as in a map made during a sweep.",
                         wrong);
}

/* --- GUIDs -------------------------------------------------------------------------------------------------------- */

static int compare_guids(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int check_guids(const struct owners *owners)
{
    const struct cw_ib_fabric *fabric = owners->fabric;
    qsort(owners->items, owners->n, sizeof *owners->items, compare_guids);
    for (size_t i = 1; i < owners->n; i++) {
        const struct owner *a = &owners->items[i - 1], *b = &owners->items[i];
        if (b->guid == 0 || a->guid != b->guid) continue;
        return cw_fail_at(fabric->file, b->line, "'%s' has port GUID 0x%llx, which '%s' has, too (line %lu)",
                          cw_ib_fabric_label(fabric, b->node), (unsigned long long)b->guid,
                          cw_ib_fabric_label(fabric, a->node), a->line);
    }
    return 0;
}

int cw_ib_fabric_agree(const struct cw_ib_fabric *fabric, const struct cw_ib_map *map)
{
    struct owners owners = {.fabric = fabric};
    int rc = collect(&owners, map);
    if (!rc) rc = check_shared_lids(&owners);
    if (!rc) check_peer_lids(fabric, map);
    if (!rc) rc = check_guids(&owners);
    free(owners.items);
    return rc;
}
