#include "traffic/workload.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/pattern_internal.h"
#include "traffic/shares.h"

struct cw_workload {
    struct cw_pattern *pattern;
    uint32_t n;
    void *shares; /* of the flows of all rounds; NULL: the pattern draws for every message */
};

static int derive(struct cw_workload *workload, uint64_t seed)
{
    const struct cw_pattern *pattern = workload->pattern;
    struct cw_flows flows = {0};
    int rc = cw_pattern_append_all(pattern, workload->n, 1, seed, &flows, NULL);
    if (!rc && flows.n == 0 && !pattern->kind->random)
        rc = cw_fail(CW_EUSAGE, "under %s nobody among %u ranks sends to another", pattern->spec, workload->n);
    return cw_shares_prepare(rc, workload->n, &flows, &workload->shares);
}

int cw_workload_new(const char *spec, const struct cw_ranks *ranks, uint64_t seed, struct cw_workload **out)
{
    struct cw_workload *workload = cw_new_array(1, sizeof *workload, "a workload");
    uint32_t rounds;
    if (!workload) return CW_ENOMEM;
    workload->n = ranks->n;
    int rc = cw_pattern_new(spec, ranks, &workload->pattern);
    if (!rc) rc = cw_pattern_rounds(workload->pattern, ranks->n, &rounds);
    if (!rc && !workload->pattern->kind->destination) rc = derive(workload, seed);
    if (rc)
        cw_workload_free(workload);
    else
        *out = workload;
    return rc;
}

void cw_workload_free(struct cw_workload *workload)
{
    if (!workload) return;
    cw_shares_free(workload->shares);
    cw_pattern_free(workload->pattern);
    free(workload);
}

const char *cw_workload_spec(const struct cw_workload *workload)
{
    return cw_pattern_spec(workload->pattern);
}

uint32_t cw_workload_ranks(const struct cw_workload *workload)
{
    return workload->n;
}

uint32_t cw_workload_destination(const struct cw_workload *workload, uint32_t rank, uint64_t random)
{
    if (workload->shares) return cw_shares_destination(workload->shares, rank, random);
    const struct cw_pattern *pattern = workload->pattern;
    return pattern->kind->destination(pattern->values, workload->n, rank, random);
}

int cw_workload_flows_of(const struct cw_workload *workload, uint32_t rank, struct cw_flows *flows)
{
    if (workload->shares) return cw_shares_flows(workload->shares, rank, flows);
    const struct cw_pattern *pattern = workload->pattern;
    return pattern->kind->shares(pattern->values, workload->n, rank, flows);
}

int cw_workload_flows(const struct cw_workload *workload, struct cw_flows *flows)
{
    int rc = 0;
    for (uint32_t rank = 0; !rc && rank < workload->n; rank++) rc = cw_workload_flows_of(workload, rank, flows);
    return rc;
}
