#include "net/files/ib_fabric.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"

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
