/* Endpoints in the order of their numbers. */
#include "base/error.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

struct contiguous {
    int64_t start;
};

static const struct cw_option contiguous_options[] = {
    {.name = "start",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct contiguous, start),
     .value_name = "ID",
     .default_text = "0",
     .min = 0,
     .max = UINT32_MAX,
     .positional = true,
     .help = "first endpoint; if it does not take part, the next one that does. The order wraps around after the last"},
    {.name = NULL},
};

static int prepare_contiguous(void *values, const struct cw_network *net, const struct cw_selection *selection)
{
    (void)selection;
    const struct contiguous *contiguous = values;
    if (contiguous->start == 0 || contiguous->start < net->n_endpoints) return 0;
    return cw_fail(CW_EUSAGE, "contiguous: there is no endpoint %lld among %u", (long long)contiguous->start,
                   net->n_endpoints);
}

static void reverse(uint32_t *items, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        const uint32_t item = items[i];
        items[i] = items[n - 1 - i];
        items[n - 1 - i] = item;
    }
}

static int order_contiguous(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                            uint32_t *endpoints)
{
    (void)net;
    (void)random;
    const struct contiguous *contiguous = values;
    uint32_t before = 0;
    while (before < n && endpoints[before] < contiguous->start) before++;
    if (before == 0) return 0;
    /* Turns the order round until those before `start` are behind the others. */
    reverse(endpoints, before);
    reverse(endpoints + before, n - before);
    reverse(endpoints, n);
    return 0;
}

const struct cw_placement_kind cw_placement_contiguous = {
    .name = "contiguous",
    .help = "endpoints in order: rank r runs on endpoint (start + r) mod the number of endpoints",
    .options = contiguous_options,
    .size = sizeof(struct contiguous),
    .prepare = prepare_contiguous,
    .order = order_contiguous,
};
