/* What endpoints do: send messages when they are there, and take in what arrives. */
#include <string.h>

#include "base/error.h"
#include "sim/flit/flit_unit.h"

/* Flits are told apart by what does not change on their way. */
static uint64_t sum_of(const struct cw_flit *flit)
{
    const uint64_t message = (uint64_t)flit->packet.dst << 8 | flit->packet.flits,
                   times = (uint64_t)flit->injected << 32 | flit->info;
    const uint64_t product = (message * 0x9e3779b97f4a7c15u ^ times) * 0xbf58476d1ce4e5b9u;
    return product ^ product >> 32;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* Host INDEX of UNIT does not try to send until something happens. */
static void deactivate(struct cw_flit_unit *unit, uint32_t index)
{
    const uint32_t place = unit->radix + index;
    unit->active_hosts[place / 64] &= ~(UINT64_C(1) << place % 64);
}

/* Host INDEX looks for a message in cycle WAKE, later than the one that is being simulated. */
static void wake_at(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t wake)
{
    const uint32_t place = unit->radix + index;
    unit->hosts[index].wake = wake < worker->to ? UINT64_MAX : wake;
    if (wake < worker->to)
        worker->waking[(wake - worker->from) * unit->words + place / 64] |= UINT64_C(1) << place % 64;
    else if (wake < unit->next_wake)
        unit->next_wake = wake;
}

void cw_flit_wake_hosts(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    unit->next_wake = UINT64_MAX;
    for (uint32_t i = 0; i < unit->n_hosts; i++) {
        const uint64_t wake = unit->hosts[i].wake;
        if (wake != UINT64_MAX) wake_at(worker, unit, i, wake > worker->from ? wake : worker->from);
    }
}

/* The rank of host INDEX may have something to send in cycle WAKE, for it has received something, or done its part in a
 * sum. So may those that share its memory. */
static void wake_rank(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t wake)
{
    const struct cw_flit_host *host = &unit->hosts[index];
    const struct cw_flit_task *task = &worker->simulation->tasks[host->job];
    if (host->left == 0) wake_at(worker, unit, index, wake);
    if (task->job.kind != CW_FLIT_STREAMS || !task->job.streams->memory) return;
    for (uint32_t i = 0; i < unit->n_hosts; i++) {
        struct cw_flit_host *other = &unit->hosts[i];
        if (i == index || other->job != host->job || !cw_flit_same_memory(task, other->rank, host->rank)) continue;
        other->progress.changed = wake;
        if (other->left == 0) wake_at(worker, unit, i, wake);
    }
}

static bool take_message(struct cw_flit_task *task, struct cw_flit_host *host, uint64_t t,
                         struct cw_flit_message *message, uint32_t *index)
{
    if (cw_flit_task_waits(task)) return cw_flit_waiting_take(task, &host->progress, &host->source, t, message, index);
    while (host->source.ready <= t) {
        cw_flit_source_take(&host->source, message);
        if (message->rank != host->rank) return true;
    }
    return false;
}

/* Makes the next message the one being sent. False if there is none yet. */
static bool begin(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t t)
{
    struct cw_flit_host *host = &unit->hosts[index];
    struct cw_flit_task *task = &worker->simulation->tasks[host->job];
    struct cw_flit_message message;
    uint32_t order = 0;
    if (!take_message(task, host, t, &message, &order)) {
        const bool waits = cw_flit_task_waits(task);
        if (!waits && host->source.ready == UINT64_MAX && !host->exhausted) {
            host->exhausted = true;
            worker->tasks[host->job].exhausted++;
        }
        deactivate(unit, index);
        wake_at(worker, unit, index,
                !waits                       ? host->source.ready
                : host->progress.changed > t ? host->progress.changed
                                             : UINT64_MAX);
        return false;
    }
    host->dst = task->endpoints[message.rank];
    host->length = host->left = message.flits;
    host->random = message.random;
    host->ready = message.ready;
    host->index = order;
    if (cw_flit_task_waits(task) && host->progress.changed == t + 1) wake_rank(worker, unit, index, t + 1);
    return true;
}

/* The packet of the message that HOST begins. The routing decides now where it goes. */
static struct cw_packet packet_of(struct cw_flit_worker *worker, const struct cw_flit_unit *unit,
                                  const struct cw_flit_host *host)
{
    const struct cw_flit_tuned *simulation = worker->simulation;
    struct cw_packet packet = cw_packet_of(host->endpoint, host->dst);
    packet.flits = host->length & 0xff;
    worker->here = unit->in_ports[host->port].sw;
    return cw_packet_inject(simulation->ops, simulation->routing_state, worker->here, &worker->view, host->random,
                            packet);
}

/* The flit that HOST sends in cycle T. */
static inline struct cw_flit next_flit(struct cw_flit_worker *worker, const struct cw_flit_unit *unit,
                                       const struct cw_flit_host *host, uint64_t t)
{
    const bool waits = cw_flit_task_waits(&worker->simulation->tasks[host->job]);
    const uint64_t delay = t - host->ready;
    if (host->length == 0) return host->body;
    return (struct cw_flit){.packet = packet_of(worker, unit, host),
                            .injected = (uint32_t)t,
                            .info = waits                ? host->index
                                    : delay < UINT32_MAX ? (uint32_t)delay
                                                         : UINT32_MAX};
}

/* Puts FLIT at the end of the queue of HOST, at PLACE, and on its way. The switch is of the same unit. */
static void put(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t place, uint64_t t,
                const struct cw_flit_host *host, const struct cw_flit *flit)
{
    struct cw_flit_tuned *simulation = worker->simulation;
    const uint64_t due = t + host->flits.delay;
    const uint8_t lane_bit = (uint8_t)(1u << host->lane);
    const uint32_t q = cw_flit_queue(unit, place, host->lane), next = ++unit->ends[q];
    struct cw_flit *slot = &simulation->flits[next - 1];
    const uint32_t credits = cw_flit_count(simulation->is_short, unit->credits, q) - 1;
    slot->packet = flit->packet;
    slot->injected = flit->injected;
    slot->info = flit->info;
    cw_flit_set_count(simulation->is_short, unit->credits, q, credits);
    if (next % CW_FLIT_CHUNK == CW_FLIT_CHUNK_FLITS)
        unit->ends[q] =
            cw_flit_begin_chunk(simulation, unit, &unit->kept[q], next, simulation->hardware.input_flits - credits);
    if (due < worker->to)
        *cw_flit_row_byte(worker, unit, &host->flits, 0, due) = lane_bit;
    else
        *cw_flit_byte(simulation, &host->flits, due) = lane_bit;
}

/* The lane for a message of FLITS flits: the first that has room for it, round-robin; or all lanes'
 * number. */
static uint32_t lane_for(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t index,
                         uint32_t flits)
{
    const uint32_t lanes = simulation->hardware.injection_lanes;
    for (uint32_t i = 0, lane = unit->hosts[index].lane; i < lanes; i++) {
        lane = lane + 1 < lanes ? lane + 1 : 0;
        const uint32_t q = cw_flit_queue(unit, unit->radix + index, lane);
        if (cw_flit_count(simulation->is_short, unit->credits, q) >= flits) return lane;
    }
    return lanes;
}

static void send(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t t)
{
    struct cw_flit_tuned *simulation = worker->simulation;
    struct cw_flit_host *host = &unit->hosts[index];
    const uint32_t place = unit->radix + index;
    if (host->job == CW_NONE) {
        deactivate(unit, index);
        return;
    }
    if (simulation->draining && (host->left == 0 || host->length > 0)) return; /* nothing is begun */
    if (host->left == 0 && !begin(worker, unit, index, t)) return;
    const uint32_t lane = host->length == 0 ? host->lane : lane_for(simulation, unit, index, host->length);
    if (lane == simulation->hardware.injection_lanes) {
        deactivate(unit, index);
        unit->blocked_hosts[place / 64] |= UINT64_C(1) << place % 64;
        return;
    }
    if (!cw_flit_may_go(&host->pace, t)) return;
    cw_flit_go(&host->pace, t);
    host->lane = lane;
    const struct cw_flit flit = next_flit(worker, unit, host, t);
    put(worker, unit, place, t, host, &flit);
    if (host->length > 1) {
        host->body = flit;
        host->body.packet.flits = 0;
    }
    worker->counts.injected++;
    worker->counts.injected_sum += sum_of(&flit);
    worker->tasks[host->job].injected++;
    simulation->channel_flits[host->channel]++;
    host->length = 0;
    if (--host->left == 0 && host->source.ready > t + 1 && host->source.ready != UINT64_MAX && !simulation->draining) {
        deactivate(unit, index);
        wake_at(worker, unit, index, host->source.ready);
    }
}

void cw_flit_inject(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t t)
{
    for (uint32_t w = 0; w < unit->words; w++)
        for (uint64_t places = unit->active_hosts[w]; places != 0; places &= places - 1)
            send(worker, unit, 64 * w + (uint32_t)__builtin_ctzll(places) - unit->radix, t);
}

/* --- taking in ---------------------------------------------------------------------------------------------------- */

static void stranger(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, const struct cw_flit_host *host,
                     const struct cw_flit *flit)
{
    cw_flit_worker_fail(worker, unit,
                        cw_flit_fail_stranger(worker->simulation->routing, host->endpoint, &flit->packet));
}

/* The message whose head was FLIT is complete: END is the first cycle after it. */
static void complete(struct cw_flit_worker *worker, const struct cw_flit_host *host, const struct cw_flit *flit,
                     uint64_t end)
{
    const struct cw_flit_task *task = &worker->simulation->tasks[host->job];
    const uint32_t in_network = (uint32_t)end - flit->injected;
    const uint64_t latency = cw_flit_task_waits(task) ? end - cw_flit_waiting_since(task, flit->info, end - in_network)
                                                      : (uint64_t)in_network + flit->info;
    worker->counts.messages++;
    worker->counts.latency += latency;
    worker->counts.network_latency += in_network;
    worker->histogram[cw_flit_latency_bin(latency)]++;
}

void cw_flit_take_in(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t t)
{
    struct cw_flit_tuned *simulation = worker->simulation;
    struct cw_flit_host *host = &unit->hosts[index];
    uint32_t *slot = &unit->in_queues[unit->radix + index].head;
    const struct cw_flit flit = simulation->flits[*slot];
    *slot = cw_flit_next_slot(simulation, *slot);
    if (flit.packet.dst != host->endpoint || (flit.packet.flits > 0) != (host->expected == 0)) {
        stranger(worker, unit, host, &flit);
        return;
    }
    if (flit.packet.flits > 0) host->expected = flit.packet.flits;
    if (flit.packet.flits > 1) host->incoming = flit;
    worker->counts.accepted++;
    worker->counts.accepted_sum += sum_of(&flit);
    simulation->accepted_by[host->endpoint]++;
    struct cw_flit_task_counts *counts = &worker->tasks[host->job];
    counts->accepted++;
    counts->last = t + 1 > counts->last ? t + 1 : counts->last;
    if (--host->expected == 0) complete(worker, host, flit.packet.flits > 0 ? &flit : &host->incoming, t + 1);
    struct cw_flit_task *task = &simulation->tasks[host->job];
    if (!cw_flit_task_waits(task)) return;
    cw_flit_waiting_receive(task, &host->progress, flit.info, t + 1);
    if (host->progress.changed == t + 1) wake_rank(worker, unit, index, t + 1);
}
