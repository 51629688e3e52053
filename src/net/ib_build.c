#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/builder.h"
#include "net/ib_fabric.h"

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

struct plan {
    const struct cw_ib_fabric *fabric;
    struct cw_ib_map map;
    struct member *members;
    size_t n_members;
    struct cw_text names;
    uint32_t *vertex; /* [n_nodes] of a switch, or of an adapter's first connected port */
    uint64_t n_endpoints, n_switches;
    size_t n_cables;
};

static void plan_free(struct plan *plan)
{
    cw_ib_map_free(&plan->map);
    free(plan->members);
    cw_text_free(&plan->names);
    free(plan->vertex);
}

static bool is_switch(const struct plan *plan, uint32_t node)
{
    return plan->fabric->nodes[node].kind == CW_KIND_SWITCH;
}

/* The line of port NUMBER of NODE, or NULL if it has no cable. */
static const struct cw_ib_port *port_line(const struct plan *plan, uint32_t node, uint32_t number)
{
    const uint32_t place = plan->map.port_at[plan->map.at[node] + number];
    return place ? &plan->fabric->ports[place - 1] : NULL;
}

static uint32_t connected_ports(const struct plan *plan, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t number = 1; number <= plan->fabric->nodes[node].ports; number++)
        n += port_line(plan, node, number) != NULL;
    return n;
}

static void add_name(struct plan *plan, uint32_t node)
{
    const struct cw_ib_fabric *fabric = plan->fabric;
    const struct cw_ib_node *n = &fabric->nodes[node];
    if (n->name.length > 0)
        cw_text_append(&plan->names, n->name.text, n->name.length);
    else if (n->description.length > 0)
        cw_text_append(&plan->names, n->description.text, n->description.length);
    else if (fabric->ids_are_guids && (n->guid || !fabric->host_guids_unknown))
        cw_text_printf(&plan->names, "%c-%016" PRIx64, cw_ib_fabric_label(fabric, node)[0], n->guid);
    else
        cw_text_add(&plan->names, cw_ib_fabric_label(fabric, node));
    cw_text_append(&plan->names, "", 1);
}

/* The LID of a host without a GUID, 0 for all others. */
static uint32_t stand_in_lid(const struct plan *plan, uint32_t node)
{
    const struct cw_ib_port *line = NULL;
    if (!plan->fabric->host_guids_unknown || plan->fabric->nodes[node].guid) return 0;
    for (uint32_t number = 1; number <= plan->fabric->nodes[node].ports && !line; number++)
        line = port_line(plan, node, number);
    return line ? line->lid : 0;
}

/* Which nodes take part, and what they are called. */
static int choose_members(struct plan *plan)
{
    const size_t n_nodes = plan->fabric->n_nodes;
    plan->members = cw_new_array(n_nodes, sizeof *plan->members, "the nodes of a fabric");
    plan->vertex = cw_new_array(n_nodes, sizeof *plan->vertex, "the nodes of a fabric");
    size_t *name_at = cw_new_array(n_nodes, sizeof *name_at, "the names of a fabric");
    if (!plan->members || !plan->vertex || !name_at) {
        free(name_at);
        return CW_ENOMEM;
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        const uint32_t n_ports = connected_ports(plan, node);
        plan->n_cables += n_ports;
        if (n_ports == 0 && !is_switch(plan, node)) continue;
        if (is_switch(plan, node))
            plan->n_switches++;
        else
            plan->n_endpoints += n_ports;
        name_at[plan->n_members] = plan->names.length;
        add_name(plan, node);
        plan->members[plan->n_members++] = (struct member){.guid = plan->fabric->nodes[node].guid,
                                                           .line = plan->fabric->nodes[node].line,
                                                           .lid = stand_in_lid(plan, node),
                                                           .node = node,
                                                           .n_ports = n_ports};
    }
    plan->n_cables /= 2;
    for (size_t i = 0; i < plan->n_members; i++) plan->members[i].name = plan->names.data + name_at[i];
    free(name_at);
    return cw_text_check(&plan->names);
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
static void order_members(struct plan *plan)
{
    struct member *members = plan->members;
    qsort(members, plan->n_members, sizeof *members, compare_names);
    for (size_t i = 1; i < plan->n_members; i++)
        if (strcmp(members[i - 1].name, members[i].name) == 0) members[i - 1].shared = members[i].shared = true;
    if (plan->fabric->file_order) qsort(members, plan->n_members, sizeof *members, compare_lines);
    uint32_t next_endpoint = 0, next_switch = (uint32_t)plan->n_endpoints;
    for (size_t i = 0; i < plan->n_members; i++) {
        const uint32_t node = members[i].node;
        uint32_t *next = is_switch(plan, node) ? &next_switch : &next_endpoint;
        plan->vertex[node] = *next;
        *next += is_switch(plan, node) ? 1 : members[i].n_ports;
    }
}

/* A switch's identity comes from its node, an endpoint's from its port (LINE, else NULL) too: from its own line, or
 * else from what its peer's says. */
static struct cw_identity identity_of(const struct plan *plan, uint32_t node, const struct cw_ib_port *line)
{
    static const char aggregation[] = "Aggregation Node";
    const struct cw_ib_node *n = &plan->fabric->nodes[node];
    const struct cw_ib_port *back = line ? port_line(plan, line->peer, line->peer_number) : NULL;
    struct cw_identity identity = {.node_guid = line && plan->fabric->host_guids_unknown ? 0 : n->guid,
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

static void add_vertex(const struct plan *plan, struct cw_builder *builder, const struct member *member, uint32_t v,
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
    const struct cw_identity identity = identity_of(plan, member->node, line);
    cw_builder_name(builder, v, name->data);
    cw_builder_identity(builder, v, &identity);
}

static void add_vertices(const struct plan *plan, struct cw_builder *builder)
{
    struct cw_text name = {0};
    for (size_t i = 0; i < plan->n_members; i++) {
        const struct member *member = &plan->members[i];
        uint32_t v = plan->vertex[member->node];
        if (is_switch(plan, member->node)) {
            add_vertex(plan, builder, member, v, NULL, &name);
            continue;
        }
        for (uint32_t number = 1; number <= plan->fabric->nodes[member->node].ports; number++) {
            const struct cw_ib_port *line = port_line(plan, member->node, number);
            if (line) add_vertex(plan, builder, member, v++, line, &name);
        }
    }
    cw_text_free(&name);
}

/* The vertex at port NUMBER of NODE. */
static uint32_t vertex_at(const struct plan *plan, uint32_t node, uint32_t number)
{
    uint32_t v = plan->vertex[node];
    if (is_switch(plan, node)) return v;
    for (uint32_t before = 1; before < number; before++) v += port_line(plan, node, before) != NULL;
    return v;
}

static void add_cable(const struct plan *plan, struct cw_builder *builder, const struct cw_ib_port *line)
{
    const struct cw_ib_port *back = port_line(plan, line->peer, line->peer_number);
    double capacity = line->capacity > 0 ? line->capacity : back->capacity;
    if (back->capacity > 0 && back->capacity < capacity) capacity = back->capacity;
    const double latency = line->latency > back->latency ? line->latency : back->latency;
    cw_builder_cable(builder, vertex_at(plan, line->node, line->number), line->number,
                     vertex_at(plan, line->peer, line->peer_number), line->peer_number,
                     capacity > 0 ? capacity : CW_DEFAULT_CAPACITY, latency >= 0 ? latency : CW_DEFAULT_LATENCY);
}

static void add_cables(const struct plan *plan, struct cw_builder *builder)
{
    for (uint32_t node = 0; node < plan->fabric->n_nodes; node++) {
        for (uint32_t number = 1; number <= plan->fabric->nodes[node].ports; number++) {
            const struct cw_ib_port *line = port_line(plan, node, number);
            if (line && node < line->peer) add_cable(plan, builder, line);
        }
    }
}

static int build(struct plan *plan, struct cw_network **net)
{
    int rc = choose_members(plan);
    if (rc) return rc;
    if (plan->n_members == 0)
        return cw_fail_at(plan->fabric->file, 0, "no switch and no connected adapter in this file");
    struct cw_builder *builder = cw_builder_new(plan->n_endpoints, plan->n_switches, plan->n_cables);
    if (!cw_builder_failed(builder)) {
        order_members(plan);
        add_vertices(plan, builder);
        add_cables(plan, builder);
    }
    return cw_builder_finish(builder, net);
}

int cw_ib_fabric_build(struct cw_ib_fabric *fabric, struct cw_network **net)
{
    struct plan plan = {.fabric = fabric};
    int rc = cw_ib_fabric_check(fabric, &plan.map);
    if (!rc) rc = cw_ib_fabric_agree(fabric, &plan.map);
    if (!rc) rc = cw_ib_fabric_rename(fabric);
    if (!rc) rc = build(&plan, net);
    plan_free(&plan);
    return rc;
}
