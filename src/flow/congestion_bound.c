#include "flow/congestion_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/potential_reduction.h"
#include "flow/pricing/pricing.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

#define GAP      1e-3 /* between the bound and what the flows of potential reduction reach */
#define ROUNDING 1e-9 /* of the sums that the bound is made of, relative */

/* Endpoints that count as one: those whose only cable leads to the same switch. */
struct groups {
    uint32_t *first; /* [vertices] of a switch, its first such endpoint; else CW_NONE */
    uint32_t *of;    /* [endpoints] the first of its group */
    uint64_t *size;  /* [endpoints] of the group that it is the first of, or 0 */
};

static void group(const struct cw_network *net, const struct groups *groups)
{
    for (uint32_t v = 0; v < net->n_vertices; v++) groups->first[v] = CW_NONE;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t near = cw_network_degree(net, e) == 1 ? net->head[net->first[e]] : e;
        const uint32_t place = cw_network_is_endpoint(net, near) ? e : near;
        if (groups->first[place] == CW_NONE) groups->first[place] = e;
        groups->of[e] = groups->first[place];
        groups->size[groups->of[e]]++;
    }
}

static int check_pairs(uint64_t n)
{
    if (n <= CW_CONGESTION_BOUND_PAIRS) return 0;
    return cw_fail(CW_EUSAGE, "%llu pairs of switches have traffic for each other; it is computed for at most %d",
                   (unsigned long long)n, CW_CONGESTION_BOUND_PAIRS);
}

static int add_all_pairs(const struct cw_network *net, const struct groups *groups, struct cw_demands *out)
{
    uint64_t n = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) n += groups->size[e] > 0;
    int rc = n > 0 ? check_pairs(n * (n - 1)) : 0;
    for (uint32_t a = 0; a < net->n_endpoints && rc == 0; a++)
        for (uint32_t b = 0; b < net->n_endpoints && groups->size[a] > 0 && rc == 0; b++)
            if (a != b && groups->size[b] > 0) rc = cw_demands_add(out, a, b, groups->size[a] * groups->size[b]);
    return rc;
}

static int add_pairs(const struct cw_demands *demands, const struct groups *groups, struct cw_demands *out)
{
    int rc = 0;
    for (size_t i = 0; i < demands->n && rc == 0; i++) {
        const uint32_t src = groups->of[demands->items[i].src], dst = groups->of[demands->items[i].dst];
        if (src != dst) rc = cw_demands_add(out, src, dst, demands->items[i].bytes);
    }
    if (rc == 0) rc = cw_demands_merge(out);
    return rc ? rc : check_pairs(out->n);
}

/* What groups of endpoints have for each other; within a group nothing passes a channel between switches. */
static int group_demands(const struct cw_network *net, const struct cw_demands *demands, struct cw_demands *out)
{
    struct groups groups = {.first = cw_new_array(net->n_vertices, sizeof *groups.first, "endpoints by switch"),
                            .of = cw_new_array(net->n_endpoints, sizeof *groups.of, "endpoints by switch"),
                            .size = cw_new_array(net->n_endpoints, sizeof *groups.size, "endpoints by switch")};
    int rc = groups.first && groups.of && groups.size ? 0 : CW_ENOMEM;
    if (rc == 0) {
        group(net, &groups);
        rc = demands ? add_pairs(demands, &groups, out) : add_all_pairs(net, &groups, out);
    }
    free(groups.first);
    free(groups.of);
    free(groups.size);
    return rc;
}

/* Counts channels between switches alike, but for those that are closed, and no others. */
static void count_alike(struct cw_flow_problem *problem)
{
    const struct cw_network *net = problem->net;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool between = !cw_network_is_host_channel(net, c);
        problem->capacity[c] = between ? !cw_network_is_closed(net, c) : INFINITY;
    }
    problem->unit_capacity = 1;
}

static int bound_of(const struct cw_flow_problem *whole, unsigned n_threads, double *bound)
{
    const struct cw_termination termination = {.gap = GAP, .begin = 0, .deadline = INFINITY};
    struct cw_quotient quotient;
    struct cw_columns columns = {.problem = NULL};
    struct cw_pricing *pricing = NULL;
    struct cw_potential_reduction reduced = {.bound = INFINITY};
    double *length = cw_new_array(whole->net->n_channels, sizeof *length, "channel lengths");
    int rc = cw_quotient_make(whole, &quotient);
    if (!length) rc = CW_ENOMEM;
    if (rc == 0) rc = cw_columns_make(&quotient.problem, &columns);
    if (rc == 0) rc = cw_pricing_make(&quotient.problem, NULL, n_threads, &pricing);
    if (rc == 0) rc = cw_potential_reduction(&columns, pricing, GAP, &termination, length, &reduced);
    if (rc == 0) {
        const double least = (double)whole->unit_bytes / reduced.bound, nearest = round(least);
        *bound = fabs(least - nearest) <= ROUNDING * least ? nearest : least;
    }
    cw_pricing_free(pricing);
    cw_columns_free(&columns);
    cw_quotient_free(&quotient);
    free(length);
    return rc;
}

int cw_congestion_bound(const struct cw_network *net, const struct cw_demands *demands, unsigned n_threads,
                        double *bound)
{
    struct cw_demands grouped = {0};
    struct cw_flow_problem problem = {0};
    int rc = group_demands(net, demands, &grouped);
    if (rc == 0 && grouped.n == 0) *bound = 0;
    if (rc == 0 && grouped.n > 0) {
        rc = cw_flow_problem_make(net, &grouped, -1, NULL, 0, &problem);
        if (rc == 0) count_alike(&problem);
        if (rc == 0) rc = bound_of(&problem, n_threads, bound);
    }
    cw_flow_problem_free(&problem);
    cw_demands_free(&grouped);
    return rc;
}
