/*
 * Do LIDs and GUIDs of a fabric agree? LIDs may not while a subnet manager sweeps, and then the user must know; two
 * ports with one GUID are an error, for tables name ports by it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/files/ib_fabric.h"

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
