#include "sim/flit/flit_module.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { NAME_SIZE = 64 };

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
    static const struct cw_option none[] = {{.name = NULL}};
    const struct cw_registry *registry = &cw_flit_module_registries[kind];
    char name[NAME_SIZE];
    const char *parameters =
        cw_spec_split(spec ? spec : cw_registry_name_of(cw_registry_item(registry, 0)), name, sizeof name);
    struct cw_flit_chosen chosen = {.module = cw_registry_find(registry, name)};
    if (!chosen.module) return cw_registry_unknown(registry, name);
    const struct cw_option *options = chosen.module->options ? chosen.module->options : none;
    chosen.values = cw_new_array(1, chosen.module->size > 0 ? chosen.module->size : 1, "a module's parameters");
    if (!chosen.values) return CW_ENOMEM;
    int rc = cw_options_init(options, chosen.values);
    if (!rc) rc = cw_options_parse_parameters(chosen.module->name, options, chosen.values, parameters);
    if (rc)
        cw_flit_chosen_free(&chosen);
    else
        *out = chosen;
    return rc;
}

void cw_flit_chosen_free(struct cw_flit_chosen *chosen)
{
    if (chosen->values && chosen->module->options) cw_options_free(chosen->module->options, chosen->values);
    free(chosen->values);
    chosen->values = NULL;
}
