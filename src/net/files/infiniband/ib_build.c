#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/builder.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/network_internal.h"

/* A node that becomes a switch, or one endpoint for each of its N_PORTS connected ports. */
struct member {
    const char *name; /* in `names` */
    uint64_t guid;
    unsigned long line;
    uint32_t lid; /* of a host whose GUID the file does not tell, for its name; else 0 */
    uint32_t node;
    uint32_t n_ports;
    bool shared; /* another node has the same name */
};

/* The network that is to be built. */
struct draft {
    const struct cw_ib_fabric *fabric;
    struct cw_ib_map map;
    struct member *members;
    size_t n_members;
    struct cw_text names;
    uint32_t *vertex; /* [n_nodes] of a switch, or of an adapter's first connected port */
    uint64_t n_endpoints, n_switches;
    size_t n_cables;
};

static void draft_free(struct draft *draft)
{
    cw_ib_map_free(&draft->map);
    free(draft->members);
    cw_text_free(&draft->names);
    free(draft->vertex);
}

static bool is_switch(const struct draft *draft, uint32_t node)
{
    return draft->fabric->nodes[node].kind == CW_KIND_SWITCH;
}

/* The line of port NUMBER of NODE, or NULL if it has no cable. */
static const struct cw_ib_port *port_line(const struct draft *draft, uint32_t node, uint32_t number)
{
    const uint32_t place = draft->map.port_at[draft->map.at[node] + number];
    return place ? &draft->fabric->ports[place - 1] : NULL;
}

static uint32_t connected_ports(const struct draft *draft, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t number = 1; number <= draft->fabric->nodes[node].ports; number++)
        n += port_line(draft, node, number) != NULL;
    return n;
}

static void add_name(struct draft *draft, uint32_t node)
{
    const struct cw_ib_fabric *fabric = draft->fabric;
    const struct cw_ib_node *n = &fabric->nodes[node];
    if (n->name.length > 0)
        cw_text_append(&draft->names, n->name.text, n->name.length);
    else if (n->description.length > 0)
        cw_text_append(&draft->names, n->description.text, n->description.length);
    else if (fabric->ids_are_guids && (n->guid || !fabric->host_guids_unknown))
        cw_text_printf(&draft->names, "%c-%016" PRIx64, cw_ib_fabric_label(fabric, node)[0], n->guid);
    else
        cw_text_add(&draft->names, cw_ib_fabric_label(fabric, node));
    cw_text_append(&draft->names, "", 1);
}

/* The LID of a host without a GUID, 0 for all others. */
static uint32_t stand_in_lid(const struct draft *draft, uint32_t node)
{
    const struct cw_ib_port *line = NULL;
    if (!draft->fabric->host_guids_unknown || draft->fabric->nodes[node].guid) return 0;
    for (uint32_t number = 1; number <= draft->fabric->nodes[node].ports && !line; number++)
        line = port_line(draft, node, number);
    return line ? line->lid : 0;
}

/* Which nodes take part, and what they are called. */
static int choose_members(struct draft *draft)
{
    const size_t n_nodes = draft->fabric->n_nodes;
    draft->members = cw_new_array(n_nodes, sizeof *draft->members, "the nodes of a fabric");
    draft->vertex = cw_new_array(n_nodes, sizeof *draft->vertex, "the nodes of a fabric");
    size_t *name_at = cw_new_array(n_nodes, sizeof *name_at, "the names of a fabric");
    if (!draft->members || !draft->vertex || !name_at) {
        free(name_at);
        return CW_ENOMEM;
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        const uint32_t n_ports = connected_ports(draft, node);
        draft->n_cables += n_ports;
        if (n_ports == 0 && !is_switch(draft, node)) continue;
        if (is_switch(draft, node))
            draft->n_switches++;
        else
            draft->n_endpoints += n_ports;
        name_at[draft->n_members] = draft->names.length;
        add_name(draft, node);
        draft->members[draft->n_members++] = (struct member){.guid = draft->fabric->nodes[node].guid,
                                                             .line = draft->fabric->nodes[node].line,
                                                             .lid = stand_in_lid(draft, node),
                                                             .node = node,
                                                             .n_ports = n_ports};
    }
    draft->n_cables /= 2;
    for (size_t i = 0; i < draft->n_members; i++) draft->members[i].name = draft->names.data + name_at[i];
    free(name_at);
    return cw_text_check(&draft->names);
}

static int compare_names(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int order = cw_natural_compare(x->name, y->name);
    if (order != 0) return order;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    if (x->lid != y->lid) return x->lid < y->lid ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int compare_lines(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Puts members in the order of vertices, and says where each begins. */
static void order_members(struct draft *draft)
{
    struct member *members = draft->members;
    qsort(members, draft->n_members, sizeof *members, compare_names);
    for (size_t i = 1; i < draft->n_members; i++)
        if (strcmp(members[i - 1].name, members[i].name) == 0) members[i - 1].shared = members[i].shared = true;
    if (draft->fabric->file_order) qsort(members, draft->n_members, sizeof *members, compare_lines);
    uint32_t next_endpoint = 0, next_switch = (uint32_t)draft->n_endpoints;
    for (size_t i = 0; i < draft->n_members; i++) {
        const uint32_t node = members[i].node;
        uint32_t *next = is_switch(draft, node) ? &next_switch : &next_endpoint;
        draft->vertex[node] = *next;
        *next += is_switch(draft, node) ? 1 : members[i].n_ports;
    }
}

/* A switch's identity comes from its node, an endpoint's from its port (LINE, else NULL) too: from its own line, or
 * else from what its peer's says. */
static struct cw_identity identity_of(const struct draft *draft, uint32_t node, const struct cw_ib_port *line)
{
    static const char aggregation[] = "Aggregation Node";
    const struct cw_ib_node *n = &draft->fabric->nodes[node];
    const struct cw_ib_port *back = line ? port_line(draft, line->peer, line->peer_number) : NULL;
    struct cw_identity identity = {.node_guid = line && draft->fabric->host_guids_unknown ? 0 : n->guid,
                                   .port_guid = !line        ? n->port_guid
                                                : line->guid ? line->guid
                                                             : back->peer_guid,
                                   .system_guid = n->system_guid,
                                   .lid = !line       ? n->lid
                                          : line->lid ? line->lid
                                                      : back->peer_lid,
                                   .lmc = line ? line->lmc : n->lmc,
                                   .kind = n->kind,
                                   .ports = n->ports,
                                   .device = n->device,
                                   .vendor = n->vendor};
    const struct cw_ib_span d = n->description;
    if (n->kind == CW_KIND_HOST && d.text && memmem(d.text, d.length, aggregation, sizeof aggregation - 1))
        identity.kind = CW_KIND_AGGREGATION;
    return identity;
}

static void add_vertex(const struct draft *draft, struct cw_builder *builder, const struct member *member, uint32_t v,
                       const struct cw_ib_port *line, struct cw_text *name)
{
    name->length = 0;
    cw_text_add(name, member->name);
    if (member->shared && member->lid)
        cw_text_printf(name, " [LID %u]", member->lid);
    else if (member->shared)
        cw_text_printf(name, " [%016" PRIx64 "]", member->guid);
    if (line && member->n_ports > 1) cw_text_printf(name, "/P%u", line->number);
    if (cw_text_check(name)) {
        cw_builder_fail(builder, CW_ENOMEM);
        return;
    }
    const struct cw_identity identity = identity_of(draft, member->node, line);
    cw_builder_name(builder, v, name->data);
    cw_builder_identity(builder, v, &identity);
}

static void add_vertices(const struct draft *draft, struct cw_builder *builder)
{
    struct cw_text name = {0};
    for (size_t i = 0; i < draft->n_members; i++) {
        const struct member *member = &draft->members[i];
        uint32_t v = draft->vertex[member->node];
        if (is_switch(draft, member->node)) {
            add_vertex(draft, builder, member, v, NULL, &name);
            continue;
        }
        for (uint32_t number = 1; number <= draft->fabric->nodes[member->node].ports; number++) {
            const struct cw_ib_port *line = port_line(draft, member->node, number);
            if (line) add_vertex(draft, builder, member, v++, line, &name);
        }
    }
    cw_text_free(&name);
}

/* The vertex at port NUMBER of NODE. */
static uint32_t vertex_at(const struct draft *draft, uint32_t node, uint32_t number)
{
    uint32_t v = draft->vertex[node];
    if (is_switch(draft, node)) return v;
    for (uint32_t before = 1; before < number; before++) v += port_line(draft, node, before) != NULL;
    return v;
}

static void add_cable(const struct draft *draft, struct cw_builder *builder, const struct cw_ib_port *line)
{
    const struct cw_ib_port *back = port_line(draft, line->peer, line->peer_number);
    double capacity = line->capacity > 0 ? line->capacity : back->capacity;
    if (back->capacity > 0 && back->capacity < capacity) capacity = back->capacity;
    const double latency = line->latency > back->latency ? line->latency : back->latency;
    cw_builder_cable(builder, vertex_at(draft, line->node, line->number), line->number,
                     vertex_at(draft, line->peer, line->peer_number), line->peer_number,
                     capacity > 0 ? capacity : CW_DEFAULT_CAPACITY, latency >= 0 ? latency : CW_DEFAULT_LATENCY);
}

static void add_cables(const struct draft *draft, struct cw_builder *builder)
{
    for (uint32_t node = 0; node < draft->fabric->n_nodes; node++) {
        for (uint32_t number = 1; number <= draft->fabric->nodes[node].ports; number++) {
            const struct cw_ib_port *line = port_line(draft, node, number);
            if (line && node < line->peer) add_cable(draft, builder, line);
        }
    }
}

static int build(struct draft *draft, struct cw_network **net)
{
    int rc = choose_members(draft);
    if (rc) return rc;
    if (draft->n_members == 0)
        return cw_fail_at(draft->fabric->file, 0, "no switch and no connected adapter in this file");
    struct cw_builder *builder = cw_builder_new(draft->n_endpoints, draft->n_switches, draft->n_cables);
    if (!cw_builder_failed(builder)) {
        order_members(draft);
        add_vertices(draft, builder);
        add_cables(draft, builder);
    }
    return cw_builder_finish(builder, net);
}

int cw_ib_fabric_build(struct cw_ib_fabric *fabric, struct cw_network **net)
{
    struct draft draft = {.fabric = fabric};
    int rc = cw_ib_fabric_check(fabric, &draft.map);
    if (!rc) rc = cw_ib_fabric_agree(fabric, &draft.map);
    if (!rc) rc = cw_ib_fabric_rename(fabric);
    if (!rc) rc = build(&draft, net);
    draft_free(&draft);
    return rc;
}
