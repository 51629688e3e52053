/* What was counted, running on top of it, and the books. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "sim/flit/flit_implementation.h"
#include "sim/flit/flit_internal.h"
#include "sim/flit/flit_unit.h"

/* --- counters ----------------------------------------------------------------------------------------------------- */

void cw_flit_tuned_reset_counters(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    const struct cw_network *net = simulation->net;
    memset(simulation->channel_flits, 0, net->n_channels * sizeof *simulation->channel_flits);
    memset(simulation->accepted_by, 0, net->n_endpoints * sizeof *simulation->accepted_by);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        memset(simulation->workers[w]->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
}

const uint64_t *cw_flit_tuned_channel_flits(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    return simulation->channel_flits;
}

const uint64_t *cw_flit_tuned_accepted_by(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    return simulation->accepted_by;
}

const uint64_t *cw_flit_tuned_injected_by(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    for (uint32_t e = 0; e < simulation->net->n_endpoints; e++)
        if (simulation->host_of[e])
            simulation->injected_by[e] = simulation->channel_flits[simulation->host_of[e]->channel];
    return simulation->injected_by;
}

const struct cw_flit_task *cw_flit_tuned_task(const struct cw_flit_simulation *base, size_t job)
{
    return &cw_flit_tuned_of(base)->tasks[job];
}

double cw_flit_tuned_cycle_seconds(const struct cw_flit_simulation *base)
{
    return cw_flit_cycle(&cw_flit_tuned_of(base)->hardware);
}

size_t cw_flit_tuned_memory(const struct cw_flit_simulation *base)
{
    const struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    size_t bytes = sizeof *simulation + simulation->bytes;
    bytes += (size_t)simulation->batches * CW_FLIT_BATCH * CW_FLIT_CHUNK * sizeof *simulation->flits;
    for (size_t i = 0; i < simulation->n_tasks; i++) bytes += cw_flit_task_bytes(&simulation->tasks[i]);
    return bytes;
}

const uint64_t *cw_flit_tuned_latency_histogram(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    memset(simulation->histogram, 0, CW_FLIT_LATENCY_BINS * sizeof *simulation->histogram);
    for (unsigned w = 0; w < simulation->n_workers; w++)
        for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++)
            simulation->histogram[i] += simulation->workers[w]->histogram[i];
    return simulation->histogram;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

int cw_flit_tuned_run(struct cw_flit_simulation *base, uint64_t cycles, struct cw_flit_window *window)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    const struct cw_flit_counts before = cw_flit_sum(simulation);
    const uint64_t first = simulation->cycle;
    if (simulation->failure) return cw_fail(simulation->failure, "the simulation has failed before");
    const int code = simulation->finished ? 0 : cw_flit_run_windows(simulation, cycles);
    const struct cw_flit_counts after = cw_flit_sum(simulation);
    if (code && code != CW_EROUTE) return code;
    *window = (struct cw_flit_window){.first_cycle = first,
                                      .cycles = simulation->cycle - first,
                                      .injected_flits = after.injected - before.injected,
                                      .accepted_flits = after.accepted - before.accepted,
                                      .messages = after.messages - before.messages,
                                      .latency_sum = after.latency - before.latency,
                                      .network_latency_sum = after.network_latency - before.network_latency,
                                      .flit_hops = after.hops - before.hops,
                                      .finished = simulation->finished,
                                      .stalled = code && !simulation->failure};
    return code;
}

/* The books: when nothing is under way any more, everything must be where it began. */

/* CW_EINTERNAL: WHAT is IS at port PORT of UNIT, and should be EXPECTED. */
static int wrong(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t port,
                 const char *what, int64_t is, int64_t expected)
{
    char name[2 * CW_NAME_SIZE + 32];
    return cw_fail(CW_EINTERNAL, "%s of channel %s: %" PRId64 " at the end, expected %" PRId64, what,
                   cw_network_channel_name(simulation->net, unit->first + port, name, sizeof name), is, expected);
}

static int check_port(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t port)
{
    const uint32_t input_flits = simulation->hardware.input_flits;
    if (unit->in_lanes[port])
        return wrong(simulation, unit, port, "lanes with flits in input queues", unit->in_lanes[port], 0);
    for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++) {
        const uint32_t q = cw_flit_queue(unit, port, lane);
        const uint32_t arrived = cw_flit_count(simulation->is_short, unit->arrived, q);
        const uint32_t queued = cw_flit_count(simulation->is_short, unit->queued, q);
        const uint32_t credits = cw_flit_count(simulation->is_short, unit->credits, q);
        if (arrived) return wrong(simulation, unit, port, "flits in an input queue", arrived, 0);
        if (queued) return wrong(simulation, unit, port, "flits in an output queue", queued, 0);
        if (unit->spends[port] && credits != input_flits)
            return wrong(simulation, unit, port, "credits", credits, input_flits);
        if (unit->owned && unit->owned[q]) return wrong(simulation, unit, port, "owners of an output queue", 1, 0);
    }
    return 0;
}

static int check_unit(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit)
{
    char name[CW_NAME_SIZE];
    uint32_t free = 0, kept = 0;
    for (uint32_t port = 0; port < unit->radix; port++) {
        for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++)
            kept += unit->kept[cw_flit_queue(unit, port, lane)].n;
        const int rc = check_port(simulation, unit, port);
        if (rc) return rc;
    }
    for (uint32_t i = 0; i < unit->n_hosts; i++) {
        const struct cw_flit_host *host = &unit->hosts[i];
        cw_network_name(simulation->net, host->endpoint, name, sizeof name);
        for (uint32_t lane = 0; lane < simulation->hardware.injection_lanes; lane++) {
            const uint32_t q = cw_flit_queue(unit, unit->radix + i, lane);
            kept += unit->kept[q].n;
            const uint32_t credits = cw_flit_count(simulation->is_short, unit->credits, q);
            if (credits != simulation->hardware.input_flits)
                return cw_fail(CW_EINTERNAL, "%s has %u credits at the end, expected %u", name, credits,
                               simulation->hardware.input_flits);
        }
        if (host->expected) return cw_fail(CW_EINTERNAL, "%u flits of a message to %s were lost", host->expected, name);
    }
    for (uint32_t chunk = unit->free; chunk != CW_FLIT_NONE && free <= unit->used;
         chunk = *cw_flit_link(simulation, chunk))
        free++;
    if (free + kept == unit->used) return 0;
    return cw_fail(CW_EINTERNAL, "%u chunks are free at %s at the end, expected %u", free,
                   cw_network_name(simulation->net, unit->vertex, name, sizeof name), unit->used - kept);
}

/* Every flit that was injected was taken in once: numbers and sums of hashes agree. */
static int check_sums(const struct cw_flit_tuned *simulation)
{
    const struct cw_flit_counts sum = cw_flit_sum(simulation);
    if (sum.injected != sum.accepted)
        return cw_fail(CW_EINTERNAL, "%" PRIu64 " flits were injected, but %" PRIu64 " taken in", sum.injected,
                       sum.accepted);
    if (sum.injected_sum != sum.accepted_sum)
        return cw_fail(CW_EINTERNAL, "the flits that were taken in are not those that were injected");
    return 0;
}

/* Messages of which only a part was injected. */
static bool some_is_begun(const struct cw_flit_tuned *simulation)
{
    for (uint32_t i = 0; i < simulation->n_units; i++)
        for (uint32_t h = 0; h < simulation->units[i].n_hosts; h++) {
            const struct cw_flit_host *host = &simulation->units[i].hosts[h];
            if (host->left > 0 && host->length == 0) return true;
        }
    return false;
}

/* For MOST cycles or some more; *EMPTY: nothing is left. */
static int drain(struct cw_flit_tuned *simulation, uint64_t most, bool *empty)
{
    const uint64_t step = 4 * (uint64_t)simulation->max_delay; /* all credits come home in one */
    const uint64_t begin = simulation->cycle;
    *empty = false;
    while (!*empty && simulation->cycle - begin < most) {
        const int rc = cw_flit_run_windows(simulation, step);
        if (rc) return rc;
        const struct cw_flit_counts sum = cw_flit_sum(simulation);
        *empty = sum.injected <= sum.accepted && !some_is_begun(simulation);
    }
    return *empty ? cw_flit_run_windows(simulation, step) : 0;
}

int cw_flit_tuned_drain_within(struct cw_flit_simulation *base, uint64_t most)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    if (simulation->failure) return cw_fail(simulation->failure, "the simulation has failed before");
    bool empty;
    simulation->draining = true;
    int rc = drain(simulation, most, &empty);
    simulation->draining = false;
    if (rc || !empty) return rc;
    for (uint32_t i = 0; i < simulation->n_units && !rc; i++) rc = check_unit(simulation, &simulation->units[i]);
    return rc ? rc : check_sums(simulation);
}

/* --- stalls ------------------------------------------------------------------------------------------------------- */

/* What the message at the head of the input queue of HOP waits for; false if there is none or it need not wait. */
static bool waits_for(const void *of, struct cw_hop hop, struct cw_hop *next)
{
    const struct cw_flit_tuned *simulation = of;
    const struct cw_network *net = simulation->net;
    const uint32_t head = net->head[hop.channel];
    if (cw_network_is_endpoint(net, head) || hop.lane >= simulation->lanes[hop.channel]) return false;
    const struct cw_flit_unit *unit = simulation->unit_of[head];
    const uint32_t port = net->twin[hop.channel] - unit->first, q = cw_flit_queue(unit, port, hop.lane);
    const uint32_t out = unit->in_queues[q].out, need = unit->claims ? unit->claims[q].need : 1;
    if (!(unit->in_lanes[port] >> hop.lane & 1) || cw_flit_has_room(simulation, unit, out, need)) return false;
    *next = (struct cw_hop){unit->first + out % unit->stride, (uint8_t)(out / unit->stride)};
    return true;
}

int cw_flit_stall(const struct cw_flit_tuned *simulation)
{
    const struct cw_flit_counts sum = cw_flit_sum(simulation);
    const struct cw_flit_stall stall = {.net = simulation->net,
                                        .flits = sum.injected - sum.accepted,
                                        .since = simulation->cycle - simulation->idle_cycles,
                                        .waits_for = waits_for,
                                        .simulation = simulation};
    return cw_flit_explain_stall(&stall);
}
