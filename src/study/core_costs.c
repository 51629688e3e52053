#include "study/core_costs.h"

#include <math.h>

struct cw_core_costs cw_core_costs_default(void)
{
    return (struct cw_core_costs){.level = 1, .transfer = NAN};
}

struct cw_core_costs cw_core_costs_of(const struct cw_nbc_tuning *tuning, enum cw_collective_kind collective,
                                      uint32_t ranks, uint64_t bytes)
{
    struct cw_core_costs costs = cw_core_costs_default();
    const struct cw_nbc_choice *choice = cw_nbc_tuning_find(tuning, collective, ranks, bytes);
    if (!choice) return costs;
    const struct cw_split_model model = {.cores = choice->ranks + choice->cores, .collective = collective, .ratio = 1};
    const double levels = cw_split_times_of(&model, choice->ranks, 0).blocking;
    const double transfers = (cw_collective_is_rooted(collective) ? 1.0 : 2.0) * (choice->ranks - 1) / choice->cores;
    costs.transfer = choice->workers / transfers;
    costs.level = choice->blocking / levels / costs.transfer;
    costs.hidden = fmin(1, fmax(0, 2 - choice->native_total / choice->blocking));
    costs.measured = choice;
    return costs;
}
