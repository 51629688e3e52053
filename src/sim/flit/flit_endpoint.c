/* What endpoints do: send messages when they are there, and take in what arrives. */
#include <string.h>

#include "base/error.h"
#include "sim/flit/flit_internal.h"

/* Flits are told apart by what does not change on their way. */
static uint64_t sum_of(const struct cw_flit *flit)
{
    const uint64_t message = (uint64_t)flit->packet.dst << 8 | flit->packet.flits,
                   times = (uint64_t)flit->injected << 32 | flit->info;
    const uint64_t product = (message * 0x9e3779b97f4a7c15u ^ times) * 0xbf58476d1ce4e5b9u;
    return product ^ product >> 32;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* Looks again for a message in cycle WAKE. */
static void sleep_until(struct cw_flit_unit *unit, uint32_t index, uint64_t wake)
{
    unit->hosts[index].wake = wake;
    unit->willing[index / 64] &= ~(UINT64_C(1) << index % 64);
    if (wake < unit->next_wake) unit->next_wake = wake;
}

static bool take_message(struct cw_flit_task *task, struct cw_flit_host *host, uint64_t t,
                         struct cw_flit_message *message, uint32_t *index)
{
    if (task->job.kind == CW_FLIT_SCHEDULE) return cw_flit_schedule_take(task, host, t, message, index);
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
        const bool schedule = task->job.kind == CW_FLIT_SCHEDULE;
        if (!schedule && host->source.ready == UINT64_MAX && !host->exhausted) {
            host->exhausted = true;
            worker->tasks[host->job].exhausted++;
        }
        sleep_until(unit, index, !schedule ? host->source.ready : host->changed > t ? host->changed : UINT64_MAX);
        return false;
    }
    host->flit = (struct cw_flit){.packet = cw_packet_of(host->endpoint, task->endpoints[message.rank]), .info = order};
    host->flit.packet.flits = message.flits & 0xff;
    host->left = message.flits;
    host->random = message.random;
    host->ready = message.ready;
    return true;
}

/* The routing decides where the message goes when its head leaves. */
static void send_head(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, struct cw_flit_host *host,
                      uint64_t t)
{
    const struct cw_flit_simulation *simulation = worker->simulation;
    worker->here = unit->in_ports[host->port].sw;
    cw_packet_inject(simulation->ops, simulation->routing_state, worker->here, &worker->view, host->random,
                     &host->flit.packet);
    host->flit.injected = (uint32_t)t;
    if (simulation->tasks[host->job].job.kind == CW_FLIT_SCHEDULE) return;
    const uint64_t delay = t - host->ready;
    host->flit.info = delay < UINT32_MAX ? (uint32_t)delay : UINT32_MAX;
}

/* The switch is of the same unit: what arrives in this window is noted. */
static void put(const struct cw_flit_worker *worker, struct cw_flit_unit *unit, struct cw_flit_host *host, uint64_t t)
{
    struct cw_flit_simulation *simulation = worker->simulation;
    struct cw_flit_tail *tail = &host->tails[host->lane];
    const uint64_t due = t + host->flits.delay;
    simulation->flits[tail->at] = host->flit;
    const uint32_t credits = --host->credits[host->lane + 1];
    if (++tail->at % CW_FLIT_CHUNK == 0)
        cw_flit_begin_chunk(simulation, unit, tail, simulation->hardware.input_flits - credits);
    simulation->lines[host->flits.at + ((uint32_t)due & (simulation->rows - 1))] = (uint8_t)(host->lane + 1);
    if (due >= worker->to) return;
    const size_t word = (due - worker->from) * unit->words + host->flits.place / 64;
    worker->arrivals[word] |= UINT64_C(1) << host->flits.place % 64;
}

/* The lane for a message of FLITS flits: the first that has room for it, in turn after the last one's; or all lanes'
 * number. */
static uint32_t lane_for(const struct cw_flit_host *host, uint32_t flits, uint32_t lanes)
{
    for (uint32_t i = 0, lane = host->lane; i < lanes; i++) {
        lane = lane + 1 < lanes ? lane + 1 : 0;
        if (host->credits[lane + 1] >= flits) return lane;
    }
    return lanes;
}

static void send(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t t)
{
    struct cw_flit_simulation *simulation = worker->simulation;
    struct cw_flit_host *host = &unit->hosts[index];
    if (host->job == CW_NONE) {
        unit->willing[index / 64] &= ~(UINT64_C(1) << index % 64);
        return;
    }
    if (simulation->draining && (host->left == 0 || host->flit.packet.flits > 0)) return; /* nothing is begun */
    if (host->left == 0 && !begin(worker, unit, index, t)) return;
    const uint32_t lanes = simulation->hardware.injection_lanes, length = host->flit.packet.flits;
    const uint32_t lane = length == 0 ? host->lane : lane_for(host, length, lanes);
    if (lane == lanes) {
        unit->willing[index / 64] &= ~(UINT64_C(1) << index % 64); /* until a credit comes */
        return;
    }
    if (!cw_flit_may_go(&host->pace, t)) return;
    cw_flit_go(&host->pace, t);
    host->lane = lane;
    if (length > 0) send_head(worker, unit, host, t);
    put(worker, unit, host, t);
    simulation->channel_flits[host->channel]++;
    simulation->injected_by[host->endpoint]++;
    worker->counts.injected++;
    worker->counts.injected_sum += sum_of(&host->flit);
    worker->tasks[host->job].injected++;
    host->flit.packet.flits = 0;
    if (--host->left == 0 && host->source.ready > t + 1 && host->source.ready != UINT64_MAX && !simulation->draining)
        sleep_until(unit, index, host->source.ready);
}

/* No branch on when it is whose turn, which nobody can predict. */
static void rouse(struct cw_flit_unit *unit, uint64_t t)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < unit->n_hosts; i++) {
        struct cw_flit_host *host = &unit->hosts[i];
        const bool due = host->wake <= t;
        host->wake |= 0 - (uint64_t)due; /* to UINT64_MAX */
        unit->willing[i / 64] |= (uint64_t)due << i % 64;
        next = host->wake < next ? host->wake : next;
    }
    unit->next_wake = next;
}

void cw_flit_inject(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t t)
{
    if (t >= unit->next_wake) rouse(unit, t);
    for (uint32_t w = 0; 64 * w < unit->n_hosts; w++)
        for (uint64_t hosts = unit->willing[w]; hosts != 0; hosts &= hosts - 1)
            send(worker, unit, 64 * w + (uint32_t)__builtin_ctzll(hosts), t);
}

/* --- taking in ---------------------------------------------------------------------------------------------------- */

static void stranger(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, const struct cw_flit_host *host,
                     const struct cw_flit *flit)
{
    const struct cw_network *net = worker->simulation->net;
    char here[CW_NAME_SIZE], there[CW_NAME_SIZE];
    cw_network_name(net, host->endpoint, here, sizeof here);
    cw_network_name(net, flit->packet.dst, there, sizeof there);
    const int code = flit->packet.dst == host->endpoint
                         ? cw_fail(CW_EINTERNAL, "the flits of a message to %s came out of order", here)
                         : cw_fail(CW_EROUTE, "routing %s delivered a packet to %s that was meant for %s",
                                   cw_packet_routing_name(worker->simulation->routing), here, there);
    cw_flit_worker_fail(worker, unit, code);
}

/* The message whose head was FLIT is complete: END is the first cycle after it. */
static void complete(struct cw_flit_worker *worker, const struct cw_flit_host *host, const struct cw_flit *flit,
                     uint64_t end)
{
    const struct cw_flit_task *task = &worker->simulation->tasks[host->job];
    const uint32_t in_network = (uint32_t)end - flit->injected;
    const uint64_t latency =
        task->job.kind == CW_FLIT_SCHEDULE ? end - task->orders[flit->info].ready : (uint64_t)in_network + flit->info;
    worker->counts.messages++;
    worker->counts.latency += latency;
    worker->counts.network_latency += in_network;
    worker->histogram[cw_flit_latency_bin(latency)]++;
}

void cw_flit_take_in(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t index, uint64_t t)
{
    struct cw_flit_simulation *simulation = worker->simulation;
    struct cw_flit_host *host = &unit->hosts[index];
    const struct cw_flit *flit = &simulation->flits[host->head];
    host->head = cw_flit_next_slot(simulation, host->head);
    if (flit->packet.dst != host->endpoint || (flit->packet.flits > 0) != (host->expected == 0)) {
        stranger(worker, unit, host, flit);
        return;
    }
    if (flit->packet.flits > 0) {
        host->expected = flit->packet.flits;
        host->incoming = *flit;
    }
    worker->counts.accepted++;
    worker->counts.accepted_sum += sum_of(flit);
    simulation->accepted_by[host->endpoint]++;
    struct cw_flit_task_counts *counts = &worker->tasks[host->job];
    counts->accepted++;
    counts->last = t + 1 > counts->last ? t + 1 : counts->last;
    if (--host->expected == 0) complete(worker, host, &host->incoming, t + 1);
    struct cw_flit_task *task = &simulation->tasks[host->job];
    if (task->job.kind != CW_FLIT_SCHEDULE) return;
    cw_flit_schedule_receive(task, host, flit->info, t + 1);
    if (host->changed != t + 1 || host->left > 0) return;
    if (host->wake > t + 1) host->wake = t + 1;
    if (t + 1 < unit->next_wake) unit->next_wake = t + 1;
}
