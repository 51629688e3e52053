/* Broadcasts, reductions and allreduces between hosts, along a tree. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"
#include "nbc/nbc_reach.h"

/* --- beginning --------------------------------------------------------------------------------------------------- */

static int find_room(struct relay *relay)
{
    const size_t n = (size_t)relay->branch.n_children;
    if (relay->reduces && n > 0) {
        relay->children = cw_new_array(n, sizeof *relay->children, "flows");
        relay->inbox = cw_new_pages(n * NBC_WINDOW * relay->segment, "messages of other hosts");
        if (!relay->children || !relay->inbox) return CW_ENOMEM;
    }
    if (relay->spreads && n > 0) {
        relay->outlets = cw_new_array(n, sizeof *relay->outlets, "flows");
        if (!relay->outlets) return CW_ENOMEM;
    }
    return 0;
}

static void open_flows(struct relay *relay)
{
    const struct relay_comm *comm = relay->comm;
    const struct cw_nbc_branch *branch = &relay->branch;
    if (relay->n_segments == 0) return;
    for (int i = 0; i < branch->n_children; i++) {
        const int peer = comm->hosts.leaders[branch->children[i]];
        if (relay->reduces) nbc_flow_receive(&relay->children[i], peer, comm->key, relay->number);
        if (relay->spreads) nbc_flow_send(&relay->outlets[i], peer, comm->key, relay->number);
    }
    if (relay->is_root) return;
    const int peer = comm->hosts.leaders[branch->parent];
    if (relay->reduces) nbc_flow_send(&relay->up, peer, comm->key, relay->number);
    if (relay->spreads) nbc_flow_receive(&relay->down, peer, comm->key, relay->number);
}

int relay_tree_new(struct relay *relay, const struct cw_nbc_between *between, int root)
{
    int rc = cw_nbc_branch_new(&relay->comm->hosts, between, root, relay->n_segments, &relay->branch);
    if (!rc) rc = find_room(relay);
    if (!rc) open_flows(relay);
    return rc;
}

/* --- up the tree ------------------------------------------------------------------------------------------------- */

static char *inbox_of(const struct relay *relay, int child, uint32_t segment)
{
    return relay->inbox + ((size_t)child * NBC_WINDOW + segment % NBC_WINDOW) * relay->segment;
}

static void receive_from_children(struct relay *relay, bool *any)
{
    for (int i = 0; i < relay->branch.n_children; i++) {
        struct nbc_flow *flow = &relay->children[i];
        nbc_flow_look(flow, any);
        while (flow->begun < relay->n_segments && flow->begun - relay->combined < NBC_WINDOW && nbc_flow_has_room(flow))
            nbc_flow_begin(flow, inbox_of(relay, i, flow->begun), relay_bytes(relay, flow->begun));
    }
}

/* In the order of children, whoever came first. */
static void combine(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->combined;
    if (segment == relay->gathered.done) return;
    for (int i = 0; i < relay->branch.n_children; i++)
        if (relay->children[i].done == segment) return;
    for (int i = 0; i < relay->branch.n_children; i++) relay_combine(relay, segment, inbox_of(relay, i, segment));
    relay->combined++;
    *any = true;
}

static void hand_to_root(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->handed;
    if (!relay->rooted || segment >= relay->combined) return;
    const uint64_t to = relay_part(relay, relay->root).recv + segment * relay->segment;
    relay_note_error(relay,
                     cw_nbc_relay_write(relay->node, relay_number(relay, relay->root), relay_data(relay, segment), to,
                                        relay_bytes(relay, segment)),
                     relay->root);
    relay->handed++;
    *any = true;
}

static void step_up(struct relay *relay, bool *any)
{
    relay_stage_step(relay, &relay->gathered, relay->n_segments, true, any);
    receive_from_children(relay, any);
    combine(relay, any);
    hand_to_root(relay, any);
    if (!relay->is_root) relay_send_on(relay, &relay->up, relay->combined, any);
}

/* --- down the tree ----------------------------------------------------------------------------------------------- */

static void fetch_from_root(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->fetched;
    if (segment == relay->n_segments) return;
    const uint64_t from = relay_part(relay, relay->root).send + segment * relay->segment;
    relay_note_error(relay,
                     cw_nbc_relay_read(relay->node, relay_number(relay, relay->root), relay_data(relay, segment), from,
                                       relay_bytes(relay, segment)),
                     relay->root);
    relay->fetched++;
    *any = true;
}

/* A segment of an allreduce that comes back must not overwrite what is still being sent. */
static void receive_from_parent(struct relay *relay, bool *any)
{
    struct nbc_flow *flow = &relay->down;
    const uint32_t free = relay->reduces ? relay->up.done : relay->n_segments;
    nbc_flow_look(flow, any);
    while (flow->begun < free && nbc_flow_has_room(flow))
        nbc_flow_begin(flow, relay_data(relay, flow->begun), relay_bytes(relay, flow->begun));
}

static void step_down(struct relay *relay, bool *any)
{
    if (relay->rooted && relay->branch.n_children > 0) fetch_from_root(relay, any);
    if (!relay->is_root) receive_from_parent(relay, any);
    const uint32_t available = !relay->is_root ? relay->down.done : relay->reduces ? relay->combined : relay->fetched;
    for (int i = 0; i < relay->branch.n_children; i++) relay_send_on(relay, &relay->outlets[i], available, any);
    /* ranks of the root's host have it from the root itself */
    relay_stage_step(relay, &relay->spread, relay->rooted ? relay->n_segments : available, false, any);
}

/* --- all together ------------------------------------------------------------------------------------------------ */

static bool is_finished(const struct relay *relay)
{
    const uint32_t n = relay->n_segments;
    if (relay->reduces && relay->combined < n) return false;
    if (relay->reduces && relay->rooted && relay->handed < n) return false;
    if (relay->reduces && !relay->is_root && relay->up.done < n) return false;
    if (!relay->spreads) return true;
    for (int i = 0; i < relay->branch.n_children; i++)
        if (relay->outlets[i].done < n) return false;
    return relay->spread.done == n;
}

bool relay_tree_step(struct relay *relay, bool *any)
{
    if (relay->reduces) step_up(relay, any);
    if (relay->spreads) step_down(relay, any);
    if (!is_finished(relay)) return false;
    if (relay->n_segments == 0) return true;
    for (int i = 0; relay->reduces && i < relay->branch.n_children; i++) nbc_flow_end(&relay->children[i]);
    if (relay->spreads && !relay->is_root) nbc_flow_end(&relay->down);
    return true;
}
