#include "sim/run_loads.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define BLOCK 128 /* messages routed before they are counted */

static const char what[] = "loads of runs";

int cw_run_loads_init(struct cw_run_loads *loads, const struct cw_routes *routes)
{
    const uint32_t n = cw_routes_network(routes)->n_channels;
    *loads = (struct cw_run_loads){.routes = routes, .n_channels = n};
    loads->place = cw_new_array(n, sizeof *loads->place, what);
    loads->count.narrow = cw_new_array(n, sizeof *loads->count.narrow, what);
    if (!loads->place || !loads->count.narrow) {
        cw_run_loads_free(loads);
        return CW_ENOMEM;
    }
    cw_routes_places(routes, loads->place);
    return 0;
}

void cw_run_loads_free(struct cw_run_loads *loads)
{
    free(loads->place);
    free(loads->count.narrow);
    free(loads->count.wide);
    free(loads->n_runs);
    free(loads->runs);
    *loads = (struct cw_run_loads){0};
}

/* Counts a message on each of the N counters, unless one of them is full. */
static bool add_narrow(uint8_t *count, uint32_t n)
{
    uint8_t most = 0;
    for (uint32_t i = 0; i < n; i++) most = count[i] > most ? count[i] : most;
    if (most == UINT8_MAX) return false;
    for (uint32_t i = 0; i < n; i++) count[i] = (uint8_t)(count[i] + 1);
    return true;
}

static int add(struct cw_run_loads *loads, const struct cw_run *runs, size_t n)
{
    size_t done = 0;
    while (loads->count.narrow && done < n && add_narrow(loads->count.narrow + runs[done].first, runs[done].n)) done++;
    if (done == n) return 0;
    const int rc = loads->count.narrow ? cw_counters_widen(&loads->count, loads->n_channels) : 0;
    if (rc) return rc;
    for (; done < n; done++)
        for (uint32_t i = 0; i < runs[done].n; i++) loads->count.wide[runs[done].first + i]++;
    return 0;
}

/* The most on any channel of a message with N runs. */
static uint32_t most_on(const struct cw_run_loads *loads, const struct cw_run *runs, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < n && loads->count.narrow; r++) {
        const uint8_t *count = loads->count.narrow + runs[r].first;
        uint8_t here = 0;
        for (uint32_t i = 0; i < runs[r].n; i++) here = count[i] > here ? count[i] : here;
        most = here > most ? here : most;
    }
    for (uint32_t r = 0; r < n && loads->count.wide; r++) {
        const uint32_t *count = loads->count.wide + runs[r].first;
        for (uint32_t i = 0; i < runs[r].n; i++) most = count[i] > most ? count[i] : most;
    }
    return most;
}

int cw_run_loads_count(struct cw_run_loads *loads, size_t n, const uint32_t *src, const uint32_t *dst,
                       struct cw_congestion *congestion)
{
    size_t all = 0;
    if (loads->count.narrow) memset(loads->count.narrow, 0, loads->n_channels);
    if (loads->count.wide) memset(loads->count.wide, 0, loads->n_channels * sizeof *loads->count.wide);
    int rc = cw_grow_array((void **)&loads->n_runs, &loads->messages_capacity, n, sizeof *loads->n_runs, what);
    for (size_t i = 0; rc == 0 && i < n; i += BLOCK) {
        const size_t block = n - i < BLOCK ? n - i : BLOCK;
        rc = cw_grow_array((void **)&loads->runs, &loads->runs_capacity,
                           all + block * cw_routes_most_runs(loads->routes), sizeof *loads->runs, what);
        if (rc) break;
        const size_t more =
            cw_routes_runs(loads->routes, block, src + i, dst + i, loads->n_runs + i, loads->runs + all);
        rc = add(loads, loads->runs + all, more);
        all += more;
    }
    const struct cw_run *runs = loads->runs;
    for (size_t i = 0; rc == 0 && i < n; runs += loads->n_runs[i++]) {
        const double most = most_on(loads, runs, loads->n_runs[i]);
        congestion[i] = (struct cw_congestion){most, most};
    }
    return rc;
}
