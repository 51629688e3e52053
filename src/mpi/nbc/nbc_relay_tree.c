/* Operations between hosts: their beginning and end; broadcasts, reductions and allreduces along a tree of hosts. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"
#include "nbc/nbc_reach.h"

/* Segments of a message, if they are neither too short nor too long: each host on the way adds the time of those that
 * are under way, NBC_WINDOW. */
#define PIECES   128
#define SHORTEST (16u << 10) /* bytes, a multiple of the size of any number; MPIs send them without asking first */
#define LONGEST  (1024u << 10)

uint64_t relay_segment(uint64_t bytes)
{
    const uint64_t segment = (bytes / PIECES + SHORTEST - 1) / SHORTEST * SHORTEST;
    return segment < SHORTEST ? SHORTEST : segment > LONGEST ? LONGEST : segment;
}

static size_t bytes_of(const struct relay *relay, uint32_t segment)
{
    const uint64_t left = relay->work.bytes - segment * relay->segment;
    return left < relay->segment ? left : relay->segment;
}

static char *data_of(const struct relay *relay, uint32_t segment)
{
    return relay->vector + segment * relay->segment;
}

/* A vector, along a tree; else blocks. */
static bool moves_vector(const struct cw_nbc_work *work)
{
    return work->collective == CW_NBC_BCAST || work->collective == CW_NBC_REDUCE ||
           work->collective == CW_NBC_ALLREDUCE;
}

static uint64_t slot_of(const struct relay *relay)
{
    return relay->number % 64;
}

struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank)
{
    struct cw_nbc_part part = {0};
    cw_nbc_relay_part(relay->node, relay->comm->place, slot_of(relay), rank, &part);
    return part;
}

uint32_t relay_number(const struct relay *relay, uint32_t rank)
{
    return relay->comm->members[rank];
}

void relay_note_error(struct relay *relay, int error, uint32_t rank)
{
    if (!error || relay->error) return;
    relay->error = error;
    relay->error_rank = rank;
}

/* --- beginning and end ------------------------------------------------------------------------------------------- */

/* The root's own memory where this process has it, else ours. */
static int find_vector(struct relay *relay)
{
    const bool near = relay->rooted && cw_nbc_is_near(relay->node, relay_number(relay, relay->root));
    if (near) {
        const struct cw_nbc_part part = relay_part(relay, relay->root);
        relay->vector = (char *)(uintptr_t)(relay->reduces ? part.recv : part.send);
        if (!relay->reduces) relay->fetched = relay->n_segments;
        if (relay->reduces) relay->handed = relay->n_segments;
    } else {
        relay->own = cw_new_pages(relay->work.bytes, "a message between hosts");
        relay->vector = relay->own;
    }
    return relay->vector || relay->work.bytes == 0 ? 0 : CW_ENOMEM;
}

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

static int prepare(struct relay *relay, const struct cw_nbc_between *between, int root)
{
    int rc = cw_nbc_branch_new(&relay->comm->hosts, between, root, relay->n_segments, &relay->branch);
    if (!rc) rc = find_vector(relay);
    if (!rc) rc = find_room(relay);
    if (!rc) open_flows(relay);
    return rc;
}

/* Whether there is what the operation begins with; *ROOT: the host at which a tree begins. */
static bool can_begin(const struct relay *relay, int *root)
{
    const struct relay_comm *comm = relay->comm;
    struct cw_nbc_part part;
    *root = relay->work.collective == CW_NBC_ALLREDUCE ? 0 : comm->hosts.of_rank[relay->work.root];
    if (relay->all_here) return true;
    if (relay->work.collective == CW_NBC_ALLREDUCE || *root != comm->hosts.me) return moves_vector(&relay->work);
    return moves_vector(&relay->work) && cw_nbc_relay_part(relay->node, comm->place, slot_of(relay),
                                                           (uint32_t)comm->hosts.among_host[relay->work.root], &part);
}

static int begin(struct relay *relay, const struct cw_nbc_between *between, int root)
{
    if (!moves_vector(&relay->work)) return relay_blocks_new(relay);
    relay->segment = relay_segment(relay->work.bytes);
    relay->n_segments = (uint32_t)((relay->work.bytes + relay->segment - 1) / relay->segment);
    relay->reduces = relay->work.collective != CW_NBC_BCAST;
    relay->spreads = relay->work.collective != CW_NBC_REDUCE;
    relay->is_root = relay->comm->hosts.me == root;
    relay->rooted = relay->is_root && !(relay->reduces && relay->spreads);
    if (relay->rooted) relay->root = (uint32_t)relay->comm->hosts.among_host[relay->work.root];
    return prepare(relay, between, root);
}

int relay_new(struct cw_nbc_node *node, struct relay_comm *comm, uint64_t number, const struct cw_nbc_work *work,
              bool all_here, const struct cw_nbc_between *between, struct relay **out)
{
    int root;
    struct relay *relay = cw_new_array(1, sizeof *relay, "an operation between hosts");
    if (!relay) return CW_ENOMEM;
    *relay = (struct relay){.node = node, .comm = comm, .number = number, .work = *work, .all_here = all_here};
    const bool begins = can_begin(relay, &root);
    int rc = begins ? begin(relay, between, root) : 0;
    if (rc || !begins)
        relay_free(relay);
    else
        *out = relay;
    return rc;
}

void relay_free(struct relay *relay)
{
    if (!relay) return;
    relay_blocks_free(relay->blocks);
    free(relay->branch.children);
    free(relay->own);
    free(relay->inbox);
    free(relay->children);
    free(relay->outlets);
    free(relay);
}

/* --- on this host ------------------------------------------------------------------------------------------------ */

/* The part of rank I of the inner communicator in what is done with a segment of ours. */
static struct cw_nbc_part inner_part(const struct relay *relay, uint32_t i, uint64_t offset, bool gathers)
{
    const bool relays = i == relay->comm->n;
    const uint64_t here = (uint64_t)(uintptr_t)relay->vector + offset;
    const struct cw_nbc_part part = relays ? (struct cw_nbc_part){0} : relay_part(relay, i);
    if (gathers) return (struct cw_nbc_part){.send = part.send + offset, .recv = here, .absent = relays};
    if (relays) return (struct cw_nbc_part){.send = here, .absent = relay->rooted};
    return (struct cw_nbc_part){.send = part.send + offset, .recv = part.recv + offset};
}

/* Where the host's reductions end, and what is spread there begins: the relay, or the root itself. */
static uint32_t inner_root(const struct relay *relay, bool gathers)
{
    return relay->rooted && !gathers ? relay->root : relay->comm->n;
}

/* Lets the host reduce a segment into our vector, or spread it from there, or from the root. */
static bool begin_inner(struct relay *relay, struct local_stage *stage, bool gathers)
{
    struct relay_comm *comm = relay->comm;
    const uint64_t offset = stage->begun * relay->segment;
    const struct cw_nbc_work work = {.collective = gathers ? CW_NBC_REDUCE : CW_NBC_BCAST,
                                     .root = inner_root(relay, gathers),
                                     .bytes = bytes_of(relay, stage->begun),
                                     .chunk = CW_NBC_CHUNK,
                                     .type = relay->work.type,
                                     .op = relay->work.op,
                                     .schedule = CW_NBC_AUTO};
    bool posted = true;
    for (uint32_t i = 0; i <= comm->n && posted; i++) {
        const struct cw_nbc_part part = inner_part(relay, i, offset, gathers);
        cw_nbc_post(relay->node, comm->inner, i, comm->next, &work, &part, &posted); /* the first one or none */
    }
    if (posted) stage->numbers[stage->begun++ % NBC_WINDOW] = comm->next++;
    return posted;
}

/* Goes on with STAGE, of which AVAILABLE segments can be done. For its root an operation is done when it is for all. */
static void step_inner(struct relay *relay, struct local_stage *stage, uint32_t available, bool gathers, bool *any)
{
    const struct relay_comm *comm = relay->comm;
    while (stage->done < stage->begun) {
        bool done;
        if (cw_nbc_poll(relay->node, comm->inner, inner_root(relay, gathers), stage->numbers[stage->done % NBC_WINDOW],
                        &done))
            relay_note_error(relay, EIO, 0);
        if (!done) break;
        stage->done++;
        *any = true;
    }
    while (relay->all_here && stage->begun < available && stage->begun - stage->done < NBC_WINDOW &&
           begin_inner(relay, stage, gathers))
        *any = true;
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
            nbc_flow_begin(flow, inbox_of(relay, i, flow->begun), bytes_of(relay, flow->begun));
    }
}

/* In the order of children, whoever came first. */
static void combine(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->combined;
    cw_nbc_combine *function = cw_nbc_combine_for(relay->work.type, relay->work.op);
    if (segment == relay->gathered.done) return;
    for (int i = 0; i < relay->branch.n_children; i++)
        if (relay->children[i].done == segment) return;
    for (int i = 0; i < relay->branch.n_children; i++)
        function(data_of(relay, segment), inbox_of(relay, i, segment),
                 bytes_of(relay, segment) / cw_nbc_type_size(relay->work.type));
    relay->combined++;
    *any = true;
}

static void hand_to_root(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->handed;
    if (!relay->rooted || segment >= relay->combined) return;
    const uint64_t to = relay_part(relay, relay->root).recv + segment * relay->segment;
    relay_note_error(relay,
                     cw_nbc_relay_write(relay->node, relay_number(relay, relay->root), data_of(relay, segment), to,
                                        bytes_of(relay, segment)),
                     relay->root);
    relay->handed++;
    *any = true;
}

static void send_on(const struct relay *relay, struct nbc_flow *flow, uint32_t available, bool *any)
{
    nbc_flow_look(flow, any);
    while (flow->begun < available && nbc_flow_has_room(flow))
        nbc_flow_begin(flow, data_of(relay, flow->begun), bytes_of(relay, flow->begun));
}

static void step_up(struct relay *relay, bool *any)
{
    step_inner(relay, &relay->gathered, relay->n_segments, true, any);
    receive_from_children(relay, any);
    combine(relay, any);
    hand_to_root(relay, any);
    if (!relay->is_root) send_on(relay, &relay->up, relay->combined, any);
}

/* --- down the tree ----------------------------------------------------------------------------------------------- */

static void fetch_from_root(struct relay *relay, bool *any)
{
    const uint32_t segment = relay->fetched;
    if (segment == relay->n_segments) return;
    const uint64_t from = relay_part(relay, relay->root).send + segment * relay->segment;
    relay_note_error(relay,
                     cw_nbc_relay_read(relay->node, relay_number(relay, relay->root), data_of(relay, segment), from,
                                       bytes_of(relay, segment)),
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
        nbc_flow_begin(flow, data_of(relay, flow->begun), bytes_of(relay, flow->begun));
}

static void step_down(struct relay *relay, bool *any)
{
    if (relay->rooted && relay->branch.n_children > 0) fetch_from_root(relay, any);
    if (!relay->is_root) receive_from_parent(relay, any);
    const uint32_t available = !relay->is_root ? relay->down.done : relay->reduces ? relay->combined : relay->fetched;
    for (int i = 0; i < relay->branch.n_children; i++) send_on(relay, &relay->outlets[i], available, any);
    /* ranks of the root's host have it from the root itself */
    step_inner(relay, &relay->spread, relay->rooted ? relay->n_segments : available, false, any);
}

/* --- all together ------------------------------------------------------------------------------------------------ */

static bool is_finished(const struct relay *relay)
{
    const uint32_t n = relay->n_segments;
    if (!relay->all_here) return false;
    if (relay->reduces && relay->combined < n) return false;
    if (relay->reduces && relay->rooted && relay->handed < n) return false;
    if (relay->reduces && !relay->is_root && relay->up.done < n) return false;
    if (!relay->spreads) return true;
    for (int i = 0; i < relay->branch.n_children; i++)
        if (relay->outlets[i].done < n) return false;
    return relay->spread.done == n;
}

bool relay_step(struct relay *relay, bool *any)
{
    if (relay->blocks) return relay_blocks_step(relay, any);
    if (relay->reduces) step_up(relay, any);
    if (relay->spreads) step_down(relay, any);
    if (!is_finished(relay)) return false;
    if (relay->n_segments == 0) return true;
    for (int i = 0; relay->reduces && i < relay->branch.n_children; i++) nbc_flow_end(&relay->children[i]);
    if (relay->spreads && !relay->is_root) nbc_flow_end(&relay->down);
    return true;
}
