/* Runs in windows of cycles, as the tuned implementation does; and the books at the end. */
#include <inttypes.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "net/network_internal.h"
#include "sim/flit/flit_implementation.h"
#include "sim/flit/plain/plain.h"

enum { IDLE_LIMIT = 10000 };

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* True if no rank of task INDEX has anything to send any more. */
static bool is_exhausted(const struct cw_flit_plain *plain, size_t index)
{
    const struct cw_flit_task *task = &plain->tasks[index];
    for (uint32_t rank = 0; rank < task->job.n_ranks; rank++) {
        const struct cw_plain_endpoint *endpoint = &plain->endpoints[task->endpoints[rank]];
        if (endpoint->source.ready != UINT64_MAX || endpoint->sending || endpoint->n_waiting > 0) return false;
    }
    return true;
}

static bool task_is_done(const struct cw_flit_plain *plain, size_t index)
{
    const struct cw_plain_task_counts *counts = &plain->task_counts[index];
    const struct cw_flit_task *task = &plain->tasks[index];
    if (cw_flit_task_waits(task)) return counts->accepted == task->flits;
    return counts->accepted == counts->injected && is_exhausted(plain, index);
}

static void look_for_done_tasks(struct cw_flit_plain *plain)
{
    plain->finished = !plain->endless;
    for (size_t i = 0; i < plain->n_tasks; i++) {
        struct cw_flit_task *task = &plain->tasks[i];
        const uint64_t last = plain->task_counts[i].last;
        if (task->job.kind == CW_FLIT_CONTINUOUS || task->done != UINT64_MAX) continue;
        if (task_is_done(plain, i))
            task->done = last > task->job.start ? last : task->job.start;
        else
            plain->finished = false;
    }
}

/* What the message at the head of an input queue of HOP waits for. */
static bool waits_for(const void *of, struct cw_hop hop, struct cw_hop *next)
{
    const struct cw_flit_plain *plain = of;
    const struct cw_plain_channel *channel = &plain->channels[hop.channel];
    if (!channel->in || hop.lane >= channel->lanes) return false;
    for (uint32_t q = hop.lane * channel->queues; q < (hop.lane + 1u) * channel->queues; q++) {
        const struct cw_plain_in_queue *queue = &channel->in[q];
        if (queue->flits.n == 0 || cw_plain_may_cross(plain, cw_plain_head(&queue->flits), queue->hop)) continue;
        *next = queue->hop;
        return true;
    }
    return false;
}

/* Flits are in the network, and none has moved for PATIENCE cycles, N of which have passed now. */
static int check_stall(struct cw_flit_plain *plain, uint64_t n, uint64_t patience)
{
    const struct cw_plain_counts *counts = &plain->counts;
    const uint64_t moved = counts->hops + counts->injected + counts->accepted;
    plain->idle_cycles = moved == plain->moved ? plain->idle_cycles + n : 0;
    plain->moved = moved;
    if (counts->injected == counts->accepted || plain->idle_cycles < patience) return 0;
    const struct cw_flit_stall stall = {.net = plain->net,
                                        .flits = counts->injected - counts->accepted,
                                        .since = plain->cycle - plain->idle_cycles,
                                        .waits_for = waits_for,
                                        .simulation = plain};
    return cw_flit_explain_stall(&stall);
}

/* The cycles up to TO, at most a window. */
static int run_window(struct cw_flit_plain *plain, uint64_t to)
{
    while (plain->cycle < to) {
        const int rc = cw_plain_step(plain);
        if (rc) return plain->failure = rc;
    }
    for (uint32_t c = 0; c < plain->net->n_channels; c++) plain->snapshot[c] = cw_plain_occupancy(plain, c);
    look_for_done_tasks(plain);
    return 0;
}

static int run_windows(struct cw_flit_plain *plain, uint64_t cycles)
{
    const uint64_t end = plain->cycle + cycles;
    const uint64_t settle = 2 * plain->max_delay + plain->max_period / CW_FLIT_CYCLE + 2;
    uint64_t patience = cycles < IDLE_LIMIT ? cycles : IDLE_LIMIT;
    if (patience < settle) patience = settle;
    while (plain->cycle < end) {
        const uint64_t from = plain->cycle, next = from / plain->window * plain->window + plain->window;
        int rc = run_window(plain, next < end ? next : end);
        if (!rc) rc = check_stall(plain, plain->cycle - from, patience);
        if (!rc) rc = cw_interrupt_check();
        if (rc) return rc;
        if (plain->finished && !plain->draining) return 0;
    }
    return 0;
}

int cw_plain_run(struct cw_flit_simulation *base, uint64_t cycles, struct cw_flit_window *window)
{
    struct cw_flit_plain *plain = cw_flit_plain_of(base);
    const struct cw_plain_counts before = plain->counts, *after = &plain->counts;
    const uint64_t first = plain->cycle;
    if (plain->failure) return cw_fail(plain->failure, "the simulation has failed before");
    const int code = plain->finished ? 0 : run_windows(plain, cycles);
    if (code && code != CW_EROUTE) return code;
    *window = (struct cw_flit_window){.first_cycle = first,
                                      .cycles = plain->cycle - first,
                                      .injected_flits = after->injected - before.injected,
                                      .accepted_flits = after->accepted - before.accepted,
                                      .messages = after->messages - before.messages,
                                      .latency_sum = after->latency - before.latency,
                                      .network_latency_sum = after->network_latency - before.network_latency,
                                      .marked = after->marked - before.marked,
                                      .notices = after->notices - before.notices,
                                      .flit_hops = after->hops - before.hops,
                                      .finished = plain->finished,
                                      .stalled = code && !plain->failure};
    return code;
}

/* --- the books ---------------------------------------------------------------------------------------------------- */

/* CW_EINTERNAL if N of WHAT are left at channel C. */
static int check_none(const struct cw_flit_plain *plain, uint32_t c, const char *what, uint32_t n)
{
    char name[2 * CW_NAME_SIZE + 32];
    if (n == 0) return 0;
    return cw_fail(CW_EINTERNAL, "%s of channel %s: %u at the end, expected 0", what,
                   cw_network_channel_name(plain->net, c, name, sizeof name), n);
}

static int check_channel(const struct cw_flit_plain *plain, uint32_t c)
{
    const struct cw_plain_channel *channel = &plain->channels[c];
    int rc = check_none(plain, c, "flits under way", channel->wire.n);
    if (!rc) rc = check_none(plain, c, "credits under way", channel->credit_wire.n);
    for (uint32_t q = 0; q < channel->n_in && !rc; q++)
        rc = check_none(plain, c, "flits in an input queue", channel->in[q].flits.n);
    for (uint32_t lane = 0; lane < channel->lanes && !rc; lane++) {
        rc = check_none(plain, c, "flits in an output queue", channel->out[lane].n);
        if (!rc) rc = check_none(plain, c, "flits held", channel->held[lane]);
        if (!rc) rc = check_none(plain, c, "credits that did not come back", channel->unreturned[lane]);
        if (!rc) rc = check_none(plain, c, "flits promised", channel->promised[lane]);
        if (!rc) rc = check_none(plain, c, "owners of an output queue", channel->owner[lane].channel != CW_NONE);
    }
    return rc;
}

/* Every flit that was injected was taken in once, all its message too. */
static int check_flits(const struct cw_flit_plain *plain)
{
    const struct cw_plain_counts *counts = &plain->counts;
    char name[CW_NAME_SIZE];
    for (uint32_t e = 0; e < plain->net->n_endpoints; e++)
        if (plain->endpoints[e].expected > 0)
            return cw_fail(CW_EINTERNAL, "%u flits of a message to %s were lost", plain->endpoints[e].expected,
                           cw_network_name(plain->net, e, name, sizeof name));
    if (counts->injected != counts->accepted)
        return cw_fail(CW_EINTERNAL, "%" PRIu64 " flits were injected, but %" PRIu64 " taken in", counts->injected,
                       counts->accepted);
    if (counts->injected_sum != counts->accepted_sum)
        return cw_fail(CW_EINTERNAL, "the flits that were taken in are not those that were injected");
    return 0;
}

/* Messages of which only a part was injected. */
static bool some_is_begun(const struct cw_flit_plain *plain)
{
    for (uint32_t e = 0; e < plain->net->n_endpoints; e++)
        if (plain->endpoints[e].sending && plain->endpoints[e].flit.length == 0) return true;
    return false;
}

/* For MOST cycles or some more; *EMPTY: nothing is left. */
static int drain(struct cw_flit_plain *plain, uint64_t most, bool *empty)
{
    const uint64_t step = 4 * plain->max_delay; /* all credits come home in one */
    const uint64_t begin = plain->cycle;
    *empty = false;
    while (!*empty && plain->cycle - begin < most) {
        const int rc = run_windows(plain, step);
        if (rc) return rc;
        *empty = plain->counts.injected <= plain->counts.accepted && !some_is_begun(plain);
    }
    return *empty ? run_windows(plain, step) : 0;
}

int cw_plain_drain_within(struct cw_flit_simulation *base, uint64_t most)
{
    struct cw_flit_plain *plain = cw_flit_plain_of(base);
    if (plain->failure) return cw_fail(plain->failure, "the simulation has failed before");
    bool empty;
    plain->draining = true;
    int rc = drain(plain, most, &empty);
    plain->draining = false;
    if (rc || !empty) return rc;
    for (uint32_t c = 0; c < plain->net->n_channels && !rc; c++) rc = check_channel(plain, c);
    return rc ? rc : check_flits(plain);
}
