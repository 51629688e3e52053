/*
 * Allreduces around a ring of hosts, each of which sends 2(n - 1)/n of the vector, as no algorithm can do with less.
 * The vector has a block for each of the n hosts, which are numbered by their places in the ring. A block goes round
 * once, from the host of its number on, and each adds what its ranks have; then once more, as the result. Step s of a
 * host, of 2(n - 1): it sends block me - s, and receives block me - s - 1, which it sends in the next step.
 *
 * Blocks consist of k segments, which follow each other without a pause between steps. Position p of a host is segment
 * p mod k of the block me - p/k: the message p that it sends, and what message p - k brings. Positions below nk are
 * reduced here, the n blocks from (n - 1)k on are results.
 *
 * The order in which hosts are combined depends on the block, not on who comes first.
 */
#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"

/* Positions that are sent. */
static uint32_t n_messages(const struct relay *relay)
{
    return 2 * (relay->n_blocks - 1) * relay->per_block;
}

/* Where message NUMBER waits until it is combined. */
static char *inbox_of(const struct relay *relay, uint32_t number)
{
    return relay->inbox + number % NBC_WINDOW * relay->segment;
}

int relay_ring_new(struct relay *relay)
{
    const struct relay_comm *comm = relay->comm;
    const int next = cw_nbc_hosts_next(&comm->hosts, relay->by_fabric, comm->hosts.me, 1);
    const int before = cw_nbc_hosts_next(&comm->hosts, relay->by_fabric, comm->hosts.me, -1);
    relay->spread.first = (relay->n_blocks - 1) * relay->per_block;
    relay->inbox = cw_new_pages(NBC_WINDOW * relay->segment, "messages of another host");
    if (!relay->inbox) return CW_ENOMEM;
    nbc_flow_send(&relay->up, comm->hosts.leaders[next], comm->key, relay->number);
    nbc_flow_receive(&relay->down, comm->hosts.leaders[before], comm->key, relay->number);
    return 0;
}

/* Results go where they belong, once what was there has been sent. */
static void receive(struct relay *relay, bool *any)
{
    struct nbc_flow *flow = &relay->down;
    const uint32_t k = relay->per_block, combined = relay->combined > k ? relay->combined - k : 0;
    nbc_flow_look(flow, any);
    while (flow->begun < n_messages(relay) && nbc_flow_has_room(flow)) {
        const uint32_t position = flow->begun + k;
        const bool result = position >= relay->n_segments;
        if (result ? relay->up.done <= position - relay->n_segments : flow->begun - combined >= NBC_WINDOW) return;
        nbc_flow_begin(flow, result ? relay_data(relay, position) : inbox_of(relay, flow->begun),
                       relay_bytes(relay, position));
    }
}

/* The next position, if all it needs is here. */
static void combine(struct relay *relay, bool *any)
{
    const uint32_t position = relay->combined, k = relay->per_block;
    const bool reduced = position < relay->n_segments, received = position >= k;
    if (position == n_messages(relay) + k) return;
    if (reduced && relay->gathered.done <= position) return;
    if (received && relay->down.done <= position - k) return;
    if (reduced && received) relay_combine(relay, position, inbox_of(relay, position - k));
    relay->combined++;
    *any = true;
}

static uint32_t n_results(const struct relay *relay)
{
    return relay->combined > relay->spread.first ? relay->combined - relay->spread.first : 0;
}

bool relay_ring_step(struct relay *relay, bool *any)
{
    const uint32_t n = n_messages(relay);
    relay_stage_step(relay, &relay->gathered, relay->n_segments, true, any);
    receive(relay, any);
    combine(relay, any);
    relay_send_on(relay, &relay->up, relay->combined < n ? relay->combined : n, any);
    relay_stage_step(relay, &relay->spread, n_results(relay), false, any);
    if (relay->up.done < n || relay->spread.done < relay->n_segments) return false;
    nbc_flow_end(&relay->down);
    return true;
}
