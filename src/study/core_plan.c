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

static void choose(const struct cw_split_model *wanted, const struct cw_core_costs *costs, uint32_t ranks,
                   struct cw_core_plan *plan)
{
    struct cw_split_model of_model = *wanted, *model = &of_model; /* with the computation in transfers of ours */
    const double levels = cw_split_times_of(wanted, wanted->cores, UINT32_MAX).blocking;
    plan->all_cores = levels * costs->level * (1 + wanted->ratio - costs->hidden * fmin(1, wanted->ratio));
    model->ratio *= costs->level;
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

/* A package and NUMA node. */
struct domain {
    const struct cw_machine_core *core; /* one of its own */
    uint32_t n, given;                  /* cores; of these, for communication */
};

/* The domain of CORE; a new one if it is the first of its own. */
static struct domain *domain_of(struct domain *domains, const struct cw_machine_core *core)
{
    while (domains->core && (domains->core->package != core->package || domains->core->node != core->node)) domains++;
    domains->core = core;
    return domains;
}

/* Of the first N cores the one to be given next: the last that ranks still have, of the domain of which least is given
 * then, for its size. */
static size_t next_to_give(const struct cw_machine_cores *cores, const struct cw_core_plan *plan,
                           struct domain *domains)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = plan->usable; i-- > 0;) {
        if (plan->communicates[i]) continue;
        const struct domain *domain = domain_of(domains, &cores->items[i]);
        const double share = (double)(domain->given + 1) / domain->n;
        if (share >= least) continue;
        least = share;
        best = i;
    }
    return best;
}

static int place(const struct cw_machine_cores *cores, const struct cw_core_plan *plan)
{
    struct domain *domains = cw_new_array(plan->usable + 1, sizeof *domains, "packages");
    if (!domains) return CW_ENOMEM;
    for (size_t i = 0; i < plan->usable; i++) domain_of(domains, &cores->items[i])->n++;
    for (uint32_t given = plan->ranks; given < plan->usable; given++) {
        const size_t core = next_to_give(cores, plan, domains);
        plan->communicates[core] = true;
        domain_of(domains, &cores->items[core])->given++;
    }
    free(domains);
    return 0;
}

int cw_core_plan_new(const struct cw_machine_cores *cores, const struct cw_split_model *model,
                     const struct cw_core_costs *costs, uint32_t ranks, struct cw_core_plan *out)
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
    } else if (costs->measured && costs->measured->native) {
        plan.advice = CW_CORES_MEASURED;
        plan.ranks = ranks > 0 ? ranks : plan.usable;
    } else {
        struct cw_split_model own = *model;
        own.cores = plan.usable;
        choose(&own, costs, ranks, &plan);
    }
    const int rc = plan.advice == CW_CORES_OVERLAP ? place(cores, &plan) : 0;
    if (rc) {
        cw_core_plan_free(&plan);
        return rc;
    }
    *out = plan;
    return 0;
}

void cw_core_plan_free(struct cw_core_plan *plan)
{
    free(plan->communicates);
    *plan = (struct cw_core_plan){0};
}
