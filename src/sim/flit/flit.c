/* Chooses an implementation and hands on to it. */
#include "sim/flit/flit.h"

#include <math.h>

#include "base/error.h"
#include "sim/flit/flit_implementation.h"
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

int cw_flit_new(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
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
