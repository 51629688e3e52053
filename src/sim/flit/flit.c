/* Chooses an implementation and hands on to it; and what both have in common: hardware, bins of latencies, stalls. */
#include "sim/flit/flit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/setup.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "sim/flit/flit_implementation.h"
#include "sim/flit/flit_internal.h"
#include "sim/flit/flit_module.h"
#include "sim/flit/flit_task.h"

/* --- making ------------------------------------------------------------------------------------------------------- */

static const struct cw_flit_implementation *const implementations[] = {&cw_flit_tuned_implementation,
                                                                       &cw_flit_plain_implementation, NULL};

const struct cw_registry cw_flit_implementation_registry = {.items = implementations,
                                                            .near =
                                                                "no implementation is called '%s'; did you mean '%s'?",
                                                            .none = "no implementation is called '%s'; there are %s"};

/* Sets *NEEDED_BY to the name of a module of HARDWARE that the tuned implementation does not have, or to NULL. */
static int find_needed(const struct cw_flit_hardware *hardware, const char **needed_by)
{
    *needed_by = NULL;
    for (int i = 0; i < CW_FLIT_MODULE_KINDS; i++) {
        const enum cw_flit_module_kind kind = (enum cw_flit_module_kind)i;
        struct cw_flit_chosen chosen;
        const int rc = cw_flit_module_choose(kind, cw_flit_module_spec(hardware, kind), &chosen);
        if (rc) return rc;
        if (!chosen.module->tuned && !*needed_by) *needed_by = chosen.module->name;
        cw_flit_chosen_free(&chosen);
    }
    return 0;
}

static int find(const struct cw_flit_hardware *hardware, const struct cw_flit_implementation **out,
                const char **needed_by)
{
    const char *name = hardware->implementation;
    const int rc = find_needed(hardware, needed_by);
    if (rc) return rc;
    if (!name) name = *needed_by ? cw_flit_plain_implementation.name : cw_flit_tuned_implementation.name;
    const struct cw_flit_implementation *found = cw_registry_find(&cw_flit_implementation_registry, name);
    if (!found) return cw_registry_unknown(&cw_flit_implementation_registry, name);
    if (found == &cw_flit_tuned_implementation && *needed_by)
        return cw_fail(CW_EUSAGE, "the tuned implementation does not have %s; the plain one has", *needed_by);
    *out = found;
    return 0;
}

int cw_flit_find_implementation(const struct cw_flit_hardware *hardware, const char **name, const char **needed_by)
{
    const struct cw_flit_implementation *by = NULL;
    const int rc = find(hardware, &by, needed_by);
    if (!rc) *name = by->name;
    return rc;
}

static int make(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    const struct cw_flit_implementation *by = NULL;
    const char *needed_by;
    int rc = cw_check_given(setup->routing, "routing");
    if (!rc && cw_packet_routing_by_traffic(setup->routing))
        rc = cw_fail(CW_EUSAGE,
                     "%s finds the best share of minimal packets for messages that are known all at once. "
                     "A simulation sends them one by one: give the share, as in %s:minimal=0.5",
                     cw_packet_routing_name(setup->routing), cw_packet_routing_name(setup->routing));
    if (!rc) rc = cw_flit_check_hardware(&setup->hardware);
    if (!rc) rc = find(&setup->hardware, &by, &needed_by);
    return rc ? rc : by->new (setup, out);
}

int cw_flit_new_sized(const struct cw_flit_setup *given, size_t size, struct cw_flit_simulation **out)
{
    struct cw_flit_setup whole;
    const struct cw_flit_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    struct cw_flit_simulation *simulation;
    int rc = make(setup, &simulation);
    if (rc) return rc;
    rc = setup->allow_deadlock ? 0 : cw_packet_routing_check(setup->routing);
    if (rc)
        cw_flit_free(simulation);
    else
        *out = simulation;
    return rc;
}

void cw_flit_free(struct cw_flit_simulation *simulation)
{
    if (simulation) simulation->by->free(simulation);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

int cw_flit_run(struct cw_flit_simulation *simulation, uint64_t cycles, struct cw_flit_window *window)
{
    return simulation->by->run(simulation, cycles, window);
}

int cw_flit_drain_and_check(struct cw_flit_simulation *simulation)
{
    return cw_flit_drain_within(simulation, UINT64_MAX);
}

int cw_flit_drain_within(struct cw_flit_simulation *simulation, uint64_t most)
{
    return simulation->by->drain_within(simulation, most);
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

void cw_flit_reset_counters(struct cw_flit_simulation *simulation)
{
    simulation->by->reset_counters(simulation);
}

const uint64_t *cw_flit_channel_flits(struct cw_flit_simulation *simulation)
{
    return simulation->by->channel_flits(simulation);
}

const uint64_t *cw_flit_accepted_by(struct cw_flit_simulation *simulation)
{
    return simulation->by->accepted_by(simulation);
}

const uint64_t *cw_flit_injected_by(struct cw_flit_simulation *simulation)
{
    return simulation->by->injected_by(simulation);
}

uint64_t cw_flit_job_done(const struct cw_flit_simulation *simulation, size_t job)
{
    return simulation->by->task(simulation, job)->done;
}

uint64_t cw_flit_job_accepted(struct cw_flit_simulation *simulation, size_t job)
{
    const struct cw_flit_task *task = simulation->by->task(simulation, job);
    const uint64_t *accepted = cw_flit_accepted_by(simulation);
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < task->job.n_ranks; rank++) sum += accepted[task->endpoints[rank]];
    return sum;
}

double cw_flit_cycle_seconds(const struct cw_flit_simulation *simulation)
{
    return simulation->by->cycle_seconds(simulation);
}

size_t cw_flit_memory(const struct cw_flit_simulation *simulation)
{
    return simulation->by->memory(simulation);
}

/* --- latencies ---------------------------------------------------------------------------------------------------- */

const uint64_t *cw_flit_latency_histogram(struct cw_flit_simulation *simulation)
{
    return simulation->by->latency_histogram(simulation);
}

double cw_flit_latency_quantile(struct cw_flit_simulation *simulation, double q)
{
    const uint64_t *histogram = cw_flit_latency_histogram(simulation);
    uint64_t total = 0;
    for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++) total += histogram[i];
    if (total == 0) return NAN;
    const double wanted = (q < 0 ? 0 : q > 1 ? 1 : q) * (double)total;
    double below = 0;
    size_t last = 0;
    for (size_t i = 0; i + 1 < CW_FLIT_LATENCY_BINS; i++) {
        if (histogram[i] == 0) continue;
        last = i;
        if (below + (double)histogram[i] >= wanted) break;
        below += (double)histogram[i];
    }
    const double start = (double)cw_flit_latency_bin_start(last), end = (double)cw_flit_latency_bin_start(last + 1);
    if (last < CW_FLIT_LATENCY_EXACT) return start;
    return start + (end - start) * (wanted - below) / (double)histogram[last];
}

/* --- what switches and channels are like, and what that asks of their buffers ------------------------------------- */

struct cw_flit_hardware cw_flit_default_hardware(void)
{
    return (struct cw_flit_hardware){.flit_bytes = 64,
                                     .reference_capacity = 5e9,
                                     .input_flits = 64,
                                     .output_flits = 64,
                                     .speedup = 2,
                                     .injection_lanes = 1,
                                     .pipeline = 1};
}

double cw_flit_cycle(const struct cw_flit_hardware *hardware)
{
    return hardware->flit_bytes / hardware->reference_capacity;
}

double cw_flit_cycles(const struct cw_flit_hardware *hardware, double seconds)
{
    return seconds * hardware->reference_capacity / hardware->flit_bytes;
}

uint32_t cw_flit_latency(const struct cw_network *net, const struct cw_flit_hardware *hardware, uint32_t channel)
{
    const bool host = cw_network_is_host_channel(net, channel);
    const uint32_t given = host                                 ? hardware->host_latency
                           : cw_network_is_global(net, channel) ? hardware->global_latency
                                                                : hardware->local_latency;
    if (given > 0) return given;
    const double cycles = cw_flit_cycles(hardware, net->latency[channel]);
    if (cycles > CW_FLIT_LATENCY_MAX) return CW_FLIT_LATENCY_MAX + 1;
    return cycles < 1.5 ? 1 : (uint32_t)lround(cycles);
}

uint32_t cw_flit_round_trip(const struct cw_network *net, const struct cw_flit_hardware *hardware)
{
    double most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->head[c])) continue;
        const double cycles = 2.0 * cw_flit_latency(net, hardware, c) + hardware->pipeline - 1;
        most = fmax(most, ceil(cycles * fmin(net->capacity[c] / hardware->reference_capacity, 1)));
    }
    return (uint32_t)most;
}

/* --- bins of latencies -------------------------------------------------------------------------------------------- */

enum { EXACT = CW_FLIT_LATENCY_EXACT, EXACT_BITS = 4, STEPS = 8 };

/* 2^63 · 2^(i/8), rounded up. */
static const uint64_t thresholds[STEPS] = {0x8000000000000000, 0x8b95c1e3ea8bd6e7, 0x9837f0518db8a970,
                                           0xa5fed6a9b15138eb, 0xb504f333f9de6485, 0xc5672a115506dade,
                                           0xd744fccad69d6af5, 0xeac0c6e7dd24392f};

uint32_t cw_flit_latency_bin(uint64_t latency)
{
    if (latency < EXACT) return (uint32_t)latency;
    const uint32_t shift = (uint32_t)__builtin_clzll(latency);
    const uint64_t mantissa = latency << shift;
    uint32_t step = 0;
    for (uint32_t i = 1; i < STEPS; i++) step += mantissa >= thresholds[i];
    return EXACT + (63 - EXACT_BITS - shift) * STEPS + step;
}

uint64_t cw_flit_latency_bin_start(size_t bin)
{
    if (bin < EXACT) return bin;
    const size_t octave = (bin - EXACT) / STEPS + EXACT_BITS;
    if (octave > 63) return UINT64_MAX;
    const uint32_t shift = (uint32_t)(63 - octave);
    const uint64_t threshold = thresholds[(bin - EXACT) % STEPS];
    return (threshold >> shift) + ((threshold & ((UINT64_C(1) << shift) - 1)) != 0);
}

/* Who waits for whom when nothing moves: from one message that cannot go to the one it waits for, until the chain
 * closes. */

enum { SHOWN = 8 };

/* The first channel and lane whose message waits. */
static bool find_waiting(const struct cw_flit_stall *stall, struct cw_hop *hop)
{
    struct cw_hop next;
    for (uint32_t c = 0; c < stall->net->n_channels; c++)
        for (uint8_t lane = 0; lane < CW_FLIT_LANES; lane++) {
            *hop = (struct cw_hop){c, lane};
            if (stall->waits_for(stall->simulation, *hop, &next)) return true;
        }
    return false;
}

static void append_hop(const struct cw_flit_stall *stall, struct cw_text *text, struct cw_hop hop)
{
    char name[2 * CW_NAME_SIZE + 32];
    cw_text_printf(text, "%s lane %u", cw_network_channel_name(stall->net, hop.channel, name, sizeof name), hop.lane);
}

static bool is_same(struct cw_hop a, struct cw_hop b)
{
    return a.channel == b.channel && a.lane == b.lane;
}

/* How many wait for each other in the circle that START is in. */
static unsigned circle_of(const struct cw_flit_stall *stall, struct cw_hop start)
{
    struct cw_hop hop = start, next = start;
    unsigned n = 0;
    do {
        stall->waits_for(stall->simulation, hop, &next);
        hop = next;
        n++;
    } while (!is_same(hop, start));
    return n;
}

/* The chain from FIRST on. SEEN has an entry for every channel and lane. */
static void append_chain(const struct cw_flit_stall *stall, struct cw_text *text, struct cw_hop first, bool *seen)
{
    struct cw_hop hop = first, next;
    /* Walk until a hop repeats: the circle, if there is one, is what matters. */
    while (!seen[(size_t)hop.channel << 3 | hop.lane] && stall->waits_for(stall->simulation, hop, &next)) {
        seen[(size_t)hop.channel << 3 | hop.lane] = true;
        hop = next;
    }
    const bool circle = seen[(size_t)hop.channel << 3 | hop.lane];
    const struct cw_hop start = circle ? hop : first;
    append_hop(stall, text, start);
    hop = start;
    for (int shown = 1; stall->waits_for(stall->simulation, hop, &next); shown++) {
        hop = next;
        if (shown == SHOWN) {
            if (circle)
                cw_text_printf(text, ", and so on in a circle of %u", circle_of(stall, start));
            else
                cw_text_printf(text, ", which waits for more");
            return;
        }
        cw_text_printf(text, "%s waits for ", shown > 1 ? ", which" : "");
        append_hop(stall, text, hop);
        if (is_same(hop, start)) {
            cw_text_printf(text, " again");
            return;
        }
    }
}

int cw_flit_explain_stall(const struct cw_flit_stall *stall)
{
    struct cw_text text = {0};
    struct cw_hop first;
    bool *seen = cw_new_array((size_t)stall->net->n_channels << 3, sizeof *seen, "a search for a deadlock");
    if (!seen) return CW_ENOMEM;
    if (find_waiting(stall, &first))
        append_chain(stall, &text, first, seen);
    else
        cw_text_printf(&text, "no message waits for another");
    const int code = cw_text_check(&text);
    if (!code)
        cw_fail(CW_EROUTE, "deadlock: %llu flits have not moved since cycle %llu: %s", (unsigned long long)stall->flits,
                (unsigned long long)stall->since, text.data);
    free(text.data);
    free(seen);
    return code ? code : CW_EROUTE;
}
