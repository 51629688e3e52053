/*
 * The user's names for the nodes of a fabric (net/files/node_names.h), instead of their descriptions.
 *
 * A map goes by node GUIDs. Where a file does not tell those of adapters, a name is the adapter's that has a port of
 * this GUID (many adapters of one port have the same GUID twice), or else the one whose port GUID minus port number it
 * is, because adapters number their GUIDs so.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/files/ib_fabric.h"

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
