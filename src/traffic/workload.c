#include "traffic/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/traffic_spec.h"

/* One line a workload: cw_workload_NAME is its descriptor. */
#define WORKLOADS(EACH)                                                                                                \
    EACH(uniform)                                                                                                      \
    EACH(bitcomp)                                                                                                      \
    EACH(shift)                                                                                                        \
    EACH(neighbour3d)                                                                                                  \
    EACH(adversarial)                                                                                                  \
    EACH(permutation)                                                                                                  \
    EACH(hotspot)                                                                                                      \
    EACH(matrix)

#define DECLARE(NAME) extern const struct cw_workload_kind cw_workload_##NAME;
WORKLOADS(DECLARE)

#define ENTER(NAME) &cw_workload_##NAME,
const struct cw_workload_kind *const cw_workload_kinds[] = {WORKLOADS(ENTER) NULL};

const struct cw_registry cw_workload_registry = {.items = cw_workload_kinds,
                                                 .near = "unknown workload '%s'; did you mean %s?",
                                                 .none = "unknown workload '%s'; expected one of %s"};

struct cw_workload {
    const struct cw_workload_kind *kind;
    char *spec;
    uint32_t n;
    void *state;
};

/* WORKLOAD's state from PARAMETERS. */
static int prepare(struct cw_workload *workload, const char *parameters, const struct cw_ranks *ranks, uint64_t seed)
{
    const struct cw_workload_kind *kind = workload->kind;
    struct cw_random random = cw_random_of(seed, CW_STREAM_PATTERN, 0);
    void *values;
    int rc = cw_traffic_values_new(kind->name, kind->options, kind->size, parameters, &values);
    if (rc) return rc;
    rc = kind->prepare(values, ranks, &random, &workload->state);
    cw_traffic_values_free(kind->options, values);
    return rc;
}

int cw_workload_new(const char *spec, const struct cw_ranks *ranks, uint64_t seed, struct cw_workload **out)
{
    char name[CW_TRAFFIC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_workload_kind *kind = cw_registry_find(&cw_workload_registry, name);
    if (!kind) return cw_registry_unknown(&cw_workload_registry, name);
    if (ranks->n < 2) return cw_fail(CW_EUSAGE, "workload %s needs at least 2 ranks, not %u", spec, ranks->n);
    struct cw_workload *workload = cw_new_array(1, sizeof *workload, "a workload");
    if (!workload) return CW_ENOMEM;
    workload->kind = kind;
    workload->n = ranks->n;
    workload->spec = cw_copy_text(spec, strlen(spec));
    int rc = workload->spec ? prepare(workload, parameters, ranks, seed) : CW_ENOMEM;
    if (rc)
        cw_workload_free(workload);
    else
        *out = workload;
    return rc;
}

void cw_workload_free(struct cw_workload *workload)
{
    if (!workload) return;
    if (workload->kind->release)
        workload->kind->release(workload->state);
    else
        free(workload->state);
    free(workload->spec);
    free(workload);
}

const char *cw_workload_spec(const struct cw_workload *workload)
{
    return workload->spec;
}

uint32_t cw_workload_ranks(const struct cw_workload *workload)
{
    return workload->n;
}

uint32_t cw_workload_destination(const struct cw_workload *workload, uint32_t rank, uint64_t random)
{
    return workload->kind->destination(workload->state, rank, random);
}

int cw_workload_flows_of(const struct cw_workload *workload, uint32_t rank, struct cw_flows *flows)
{
    return workload->kind->flows(workload->state, rank, flows);
}

int cw_workload_flows(const struct cw_workload *workload, struct cw_flows *flows)
{
    int rc = 0;
    for (uint32_t rank = 0; !rc && rank < workload->n; rank++) rc = cw_workload_flows_of(workload, rank, flows);
    return rc;
}
