#include "traffic/shares.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

__extension__ typedef unsigned __int128 wide;

struct shares {
    uint32_t n;
    size_t *first;    /* [n + 1] receivers of sender r: first[r] … first[r + 1] - 1 */
    uint32_t *dst;    /* … of these */
    uint64_t *limits; /* the greatest of 64 random bits that choose it, or one before it */
};

void cw_shares_free(void *state)
{
    struct shares *shares = state;
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
    cw_shares_free(shares);
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

int cw_shares_prepare(int rc, uint32_t n, struct cw_flows *flows, void **state)
{
    struct shares *shares = rc ? NULL : new_shares(n, flows->n);
    if (!rc && !shares) rc = CW_ENOMEM;
    if (!rc) sort(shares, flows);
    for (uint32_t r = 0; !rc && r < n; r++) rc = divide(shares, r);
    cw_flows_free(flows);
    if (rc)
        cw_shares_free(shares);
    else
        *state = shares;
    return rc;
}

uint32_t cw_shares_destination(const void *state, uint32_t rank, uint64_t random)
{
    const struct shares *shares = state;
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

int cw_shares_flows(const void *state, uint32_t rank, struct cw_flows *flows)
{
    const struct shares *shares = state;
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
