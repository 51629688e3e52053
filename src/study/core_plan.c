#include "study/core_plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* The better schedule for N ranks. */
static double time_of(const struct cw_split_model *model, uint32_t n, uint32_t *steps, bool *slices)
{
    *steps = cw_split_best_steps(model, n);
    const double tree = cw_split_times_of(model, n, *steps).overlapped;
    const double sliced = cw_split_slices_of(model, n).overlapped;
    *slices = sliced < tree;
    return fmin(tree, sliced);
}

static void choose(const struct cw_split_model *model, uint32_t ranks, struct cw_core_plan *plan)
{
    struct cw_split_model unit = *model; /* whose computation with all cores is one blocking collective among them */
    unit.ratio = 1;
    const double blocking = cw_split_times_of(&unit, model->cores - 1, 0).compute * (model->cores - 1) / model->cores;
    plan->all_cores = blocking * (1 + model->ratio);
    plan->time = INFINITY;
    for (uint32_t n = ranks > 0 ? ranks : 2; n < model->cores && (ranks == 0 || n == ranks); n++) {
        uint32_t steps;
        bool slices;
        const double time = time_of(model, n, &steps, &slices);
        if (time >= plan->time) continue;
        plan->time = time;
        plan->ranks = n;
        plan->steps = steps;
        plan->slices = slices;
    }
    if (plan->time < plan->all_cores || ranks > 0) return;
    plan->advice = CW_CORES_STAY;
    plan->ranks = model->cores;
}

/* The last core of node NODE that has no role yet; n: none. */
static size_t last_free(const struct cw_machine_cores *cores, const bool *communicates, uint32_t node)
{
    for (size_t i = cores->n; i-- > 0;)
        if (cores->items[i].node == node && !communicates[i]) return i;
    return cores->n;
}

static void place(const struct cw_machine_cores *cores, uint32_t communication, bool *communicates)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < cores->n; i++)
        if (cores->items[i].node >= nodes) nodes = cores->items[i].node + 1;
    for (uint32_t node = nodes - 1; communication > 0; node = node > 0 ? node - 1 : nodes - 1) {
        const size_t core = last_free(cores, communicates, node);
        if (core == cores->n) continue;
        communicates[core] = true;
        communication--;
    }
}

int cw_core_plan_new(const struct cw_machine_cores *cores, const struct cw_split_model *model, uint32_t ranks,
                     struct cw_core_plan *out)
{
    struct cw_core_plan plan = {.advice = CW_CORES_OVERLAP, .usable = (uint32_t)cores->n};
    if (cores->quota < plan.usable) plan.usable = cores->quota < 1 ? 1 : (uint32_t)cores->quota;
    if (ranks > plan.usable)
        return cw_fail(CW_EUSAGE, "%u ranks are more than the %u cores that can be used", ranks, plan.usable);
    plan.communicates = cw_new_array(cores->n, sizeof *plan.communicates, "roles of cores");
    if (!plan.communicates) return CW_ENOMEM;
    if (plan.usable < 3 || ranks == plan.usable) { /* two ranks at least, and one core */
        plan.advice = CW_CORES_NO_SPARE;
        plan.ranks = ranks > 0 ? ranks : plan.usable;
    } else {
        struct cw_split_model own = *model;
        own.cores = plan.usable;
        choose(&own, ranks, &plan);
        if (plan.advice == CW_CORES_OVERLAP) place(cores, plan.usable - plan.ranks, plan.communicates);
    }
    *out = plan;
    return 0;
}

void cw_core_plan_free(struct cw_core_plan *plan)
{
    free(plan->communicates);
    *plan = (struct cw_core_plan){0};
}
