#include "sim/flit/flit_module.h"

#include "base/error.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "sim/flit/plain/plain.h"

extern const struct cw_flit_module cw_flit_allocator_round_robin, cw_flit_allocator_age, cw_flit_allocator_wavefront,
    cw_flit_allocator_islip, cw_flit_queues_fifo, cw_flit_queues_voq, cw_flit_buffers_separate, cw_flit_buffers_shared,
    cw_flit_marking_none, cw_flit_marking_threshold, cw_flit_marking_red, cw_flit_rate_none, cw_flit_rate_aimd,
    cw_flit_rate_dcqcn;

static const struct cw_flit_module *const allocators[] = {&cw_flit_allocator_round_robin, &cw_flit_allocator_age,
                                                          &cw_flit_allocator_wavefront, &cw_flit_allocator_islip, NULL};
static const struct cw_flit_module *const queues[] = {&cw_flit_queues_fifo, &cw_flit_queues_voq, NULL};
static const struct cw_flit_module *const buffers[] = {&cw_flit_buffers_separate, &cw_flit_buffers_shared, NULL};
static const struct cw_flit_module *const markings[] = {&cw_flit_marking_none, &cw_flit_marking_threshold,
                                                        &cw_flit_marking_red, NULL};
static const struct cw_flit_module *const rate_controls[] = {&cw_flit_rate_none, &cw_flit_rate_aimd,
                                                             &cw_flit_rate_dcqcn, NULL};

#define REGISTRY(ITEMS, WHAT)                                                                                          \
    {                                                                                                                  \
        .items = (ITEMS), .near = "no " WHAT " is called '%s'; did you mean '%s'?",                                    \
        .none = "no " WHAT " is called '%s'; there are %s"                                                             \
    }

const struct cw_registry cw_flit_module_registries[CW_FLIT_MODULE_KINDS] = {
    [CW_FLIT_ALLOCATOR] = REGISTRY(allocators, "allocator"),
    [CW_FLIT_QUEUES] = REGISTRY(queues, "organisation of queues"),
    [CW_FLIT_BUFFERS] = REGISTRY(buffers, "organisation of buffers"),
    [CW_FLIT_MARKING] = REGISTRY(markings, "marking"),
    [CW_FLIT_RATE_CONTROL] = REGISTRY(rate_controls, "rate control"),
};

const char *cw_flit_module_spec(const struct cw_flit_hardware *hardware, enum cw_flit_module_kind kind)
{
    const char *const specs[CW_FLIT_MODULE_KINDS] = {[CW_FLIT_ALLOCATOR] = hardware->allocator,
                                                     [CW_FLIT_QUEUES] = hardware->queues,
                                                     [CW_FLIT_BUFFERS] = hardware->buffers,
                                                     [CW_FLIT_MARKING] = hardware->marking,
                                                     [CW_FLIT_RATE_CONTROL] = hardware->rate_control};
    return specs[kind];
}

int cw_flit_module_choose(enum cw_flit_module_kind kind, const char *spec, struct cw_flit_chosen *out)
{
    const struct cw_registry *registry = &cw_flit_module_registries[kind];
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters =
        cw_spec_split(spec ? spec : cw_registry_name_of(cw_registry_item(registry, 0)), name, sizeof name);
    struct cw_flit_chosen chosen = {.module = cw_registry_find(registry, name)};
    if (!chosen.module) return cw_registry_unknown(registry, name);
    const struct cw_flit_module *module = chosen.module;
    const int rc = cw_option_values_new(module->name, module->options, module->size, parameters, &chosen.values);
    if (!rc) *out = chosen;
    return rc;
}

void cw_flit_module_scale(struct cw_flit_chosen *chosen, const struct cw_flit_hardware *hardware)
{
    const struct cw_plain_rate_control *control = chosen->module->operations;
    if (control->scale) control->scale(chosen->values, hardware);
}

int cw_flit_control_lasts(const struct cw_flit_hardware *hardware, double *cycles)
{
    struct cw_flit_chosen chosen;
    const int rc = cw_flit_module_choose(CW_FLIT_RATE_CONTROL, hardware->rate_control, &chosen);
    if (rc) return rc;
    const struct cw_plain_rate_control *control = chosen.module->operations;
    cw_flit_module_scale(&chosen, hardware);
    *cycles = control->lasts ? control->lasts(chosen.values) : 0;
    cw_flit_chosen_free(&chosen);
    return 0;
}

void cw_flit_chosen_free(struct cw_flit_chosen *chosen)
{
    if (chosen->values) cw_option_values_free(chosen->module->options, chosen->values);
    chosen->values = NULL;
}
