#include "traffic/workload.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/pattern_internal.h"

__extension__ typedef unsigned __int128 wide;

/* --- shares ------------------------------------------------------------------------------------------------------- */

/* Of each sender, a list of receivers and how much of its traffic goes to each; who gets a message is drawn from it. */
struct shares {
    uint32_t n;
    size_t *first;    /* [n + 1] receivers of sender r: first[r] … first[r + 1] - 1 */
    uint32_t *dst;    /* … of these */
    uint64_t *limits; /* the greatest of 64 random bits that choose it, or one before it */
};

static void free_shares(struct shares *shares)
{
    if (!shares) return;
    free(shares->first);
    free(shares->dst);
    free(shares->limits);
    free(shares);
}

static struct shares *new_shares(uint32_t n, size_t n_flows)
{
    struct shares *shares = cw_new_array(1, sizeof *shares, "shares of traffic");
    if (!shares) return NULL;
    shares->n = n;
    shares->first = cw_new_array((size_t)n + 1, sizeof *shares->first, "shares of traffic");
    shares->dst = cw_new_array(n_flows, sizeof *shares->dst, "shares of traffic");
    shares->limits = cw_new_array(n_flows, sizeof *shares->limits, "shares of traffic");
    if (shares->first && shares->dst && shares->limits) return shares;
    free_shares(shares);
    return NULL;
}

/* Sorts the flows by their senders, those of one sender in their order; limits are bytes for now. */
static void sort(struct shares *shares, const struct cw_flows *flows)
{
    size_t *first = shares->first;
    for (size_t i = 0; i < flows->n; i++) first[flows->items[i].src + 1]++;
    for (uint32_t r = 0; r < shares->n; r++) first[r + 1] += first[r];
    for (size_t i = 0; i < flows->n; i++) {
        const struct cw_flow *flow = &flows->items[i];
        const size_t at = first[flow->src]++;
        shares->dst[at] = flow->dst;
        shares->limits[at] = flow->bytes;
    }
    for (uint32_t r = shares->n; r > 0; r--) first[r] = first[r - 1];
    first[0] = 0;
}

/* From bytes to limits. */
static int divide(struct shares *shares, uint32_t rank)
{
    const size_t begin = shares->first[rank], end = shares->first[rank + 1];
    uint64_t sum = 0;
    for (size_t i = begin; i < end; i++)
        if (__builtin_add_overflow(sum, shares->limits[i], &sum))
            return cw_fail(CW_EUSAGE, "rank %u sends 2^64 bytes or more; expected less", rank);
    uint64_t until = 0;
    for (size_t i = begin; i < end; i++) {
        until += shares->limits[i];
        shares->limits[i] = (uint64_t)(((wide)until << 64) / sum - 1);
    }
    return 0;
}

/* *OUT gets the shares among N ranks that FLOWS have by their bytes, each more than 0. CW_EUSAGE if all bytes of a
 * sender are more than 64 bits. */
static int make_shares(uint32_t n, const struct cw_flows *flows, struct shares **out)
{
    struct shares *shares = new_shares(n, flows->n);
    if (!shares) return CW_ENOMEM;
    sort(shares, flows);
    int rc = 0;
    for (uint32_t r = 0; !rc && r < n; r++) rc = divide(shares, r);
    if (rc)
        free_shares(shares);
    else
        *out = shares;
    return rc;
}

/* O(log receivers); RANK if it has none. */
static uint32_t draw(const struct shares *shares, uint32_t rank, uint64_t random)
{
    size_t low = shares->first[rank], high = shares->first[rank + 1];
    if (low == high) return rank;
    high--;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (random <= shares->limits[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return shares->dst[low];
}

/* Appends RANK's; a share of 1 is 2^32 bytes. */
static int append_shares(const struct shares *shares, uint32_t rank, struct cw_flows *flows)
{
    uint64_t lowest = 0;
    int rc = 0;
    for (size_t i = shares->first[rank]; !rc && i < shares->first[rank + 1]; i++) {
        const uint64_t more = shares->limits[i] - lowest; /* than one of the 2^64 choices */
        const uint64_t bytes = (more >> 32) + ((uint32_t)more == UINT32_MAX);
        if (bytes > 0) rc = cw_flows_add(flows, rank, shares->dst[i], bytes);
        lowest = shares->limits[i] + 1;
    }
    return rc;
}

/* --- workloads ---------------------------------------------------------------------------------------------------- */

struct cw_workload {
    struct cw_pattern *pattern;
    uint32_t n;
    struct shares *shares; /* of the flows of all rounds; NULL: the pattern draws for every message */
};

static int derive(struct cw_workload *workload, uint64_t seed)
{
    const struct cw_pattern *pattern = workload->pattern;
    struct cw_flows flows = {0};
    int rc = cw_pattern_append_all(pattern, workload->n, 1, seed, &flows, NULL);
    if (!rc && flows.n == 0 && !pattern->kind->random)
        rc = cw_fail(CW_EUSAGE, "under %s nobody among %u ranks sends to another", pattern->spec, workload->n);
    if (!rc) rc = make_shares(workload->n, &flows, &workload->shares);
    cw_flows_free(&flows);
    return rc;
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
    free_shares(workload->shares);
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
    if (workload->shares) return draw(workload->shares, rank, random);
    const struct cw_pattern *pattern = workload->pattern;
    return pattern->kind->destination(pattern->values, workload->n, rank, random);
}

int cw_workload_flows_of(const struct cw_workload *workload, uint32_t rank, struct cw_flows *flows)
{
    if (workload->shares) return append_shares(workload->shares, rank, flows);
    const struct cw_pattern *pattern = workload->pattern;
    return pattern->kind->shares(pattern->values, workload->n, rank, flows);
}

int cw_workload_flows(const struct cw_workload *workload, struct cw_flows *flows)
{
    int rc = 0;
    for (uint32_t rank = 0; !rc && rank < workload->n; rank++) rc = cw_workload_flows_of(workload, rank, flows);
    return rc;
}
