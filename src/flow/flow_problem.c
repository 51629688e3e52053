#include "flow/flow_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/legs/legs.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "traffic/pattern.h"

/*
 * Lists of demands.
 */

void cw_demands_free(struct cw_demands *demands)
{
    if (!demands) return;
    free(demands->items);
    *demands = (struct cw_demands){0};
}

int cw_demands_add(struct cw_demands *demands, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (bytes == 0) return cw_fail(CW_EUSAGE, "a demand of 0 bytes; expected more");
    if (src == dst) {
        if (__builtin_add_overflow(demands->self_bytes, bytes, &demands->self_bytes))
            return cw_fail(CW_EUSAGE, "the bytes of endpoints to themselves are more than 64 bits can count");
        demands->self_pairs++;
        return 0;
    }
    void *items = demands->items;
    const int rc = cw_grow_array(&items, &demands->capacity, demands->n + 1, sizeof *demands->items, "demands");
    demands->items = items;
    if (!rc) demands->items[demands->n++] = (struct cw_demand){.src = src, .dst = dst, .bytes = bytes};
    return rc;
}

/* --- pairs that occur again --------------------------------------------------------------------------------------- */

struct entry {
    struct cw_demand demand;
    size_t place; /* in the list */
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_pair(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->demand.src != y->demand.src) return x->demand.src < y->demand.src ? -1 : 1;
    if (x->demand.dst != y->demand.dst) return x->demand.dst < y->demand.dst ? -1 : 1;
    return by_place(a, b);
}

/* Adds the bytes of entries with the same pair to the first of them; *N entries become fewer. */
static int merge(struct entry *entries, size_t *n)
{
    size_t kept = 0;
    if (*n > 1) qsort(entries, *n, sizeof *entries, by_pair);
    for (size_t i = 0; i < *n; i++) {
        const struct entry *entry = &entries[i];
        struct entry *last = kept > 0 ? &entries[kept - 1] : NULL;
        if (!last || last->demand.src != entry->demand.src || last->demand.dst != entry->demand.dst)
            entries[kept++] = *entry;
        else if (__builtin_add_overflow(last->demand.bytes, entry->demand.bytes, &last->demand.bytes))
            return cw_fail(CW_EUSAGE, "the bytes from endpoint %u to endpoint %u are more than 64 bits can count",
                           last->demand.src, last->demand.dst);
    }
    *n = kept;
    if (kept > 1) qsort(entries, kept, sizeof *entries, by_place);
    return 0;
}

/* True if they are in order of pairs, of which none occurs again. */
static bool is_sorted(const struct cw_demands *demands)
{
    for (size_t i = 1; i < demands->n; i++) {
        const struct cw_demand *a = &demands->items[i - 1], *b = &demands->items[i];
        if (a->src > b->src || (a->src == b->src && a->dst >= b->dst)) return false;
    }
    return true;
}

int cw_demands_merge(struct cw_demands *demands)
{
    size_t n = demands->n;
    if (is_sorted(demands)) return 0;
    struct entry *entries = cw_new_array(n, sizeof *entries, "demands");
    if (!entries) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) entries[i] = (struct entry){.demand = demands->items[i], .place = i};
    const int rc = merge(entries, &n);
    if (!rc) {
        for (size_t i = 0; i < n; i++) demands->items[i] = entries[i].demand;
        demands->merged_pairs += demands->n - n;
        demands->n = n;
    }
    free(entries);
    return rc;
}

/* --- those of a pattern ------------------------------------------------------------------------------------------- */

static uint32_t key_of(const struct cw_flow *flow, bool by_source)
{
    return by_source ? flow->src : flow->dst;
}

/* FROM in order of their sources or destinations among N ranks, those that are equal in their order, into TO; PLACES
 * has room for N + 1. */
static void sort_pass(const struct cw_flow *from, size_t n_flows, bool by_source, uint32_t n, size_t *places,
                      struct cw_flow *to)
{
    for (uint32_t r = 0; r <= n; r++) places[r] = 0;
    for (size_t i = 0; i < n_flows; i++) places[key_of(&from[i], by_source) + 1]++;
    for (uint32_t r = 0; r < n; r++) places[r + 1] += places[r];
    for (size_t i = 0; i < n_flows; i++) to[places[key_of(&from[i], by_source)]++] = from[i];
}

/* By source, then destination. */
static int sort(struct cw_flows *flows, uint32_t n)
{
    struct cw_flow *other = cw_new_array(flows->n, sizeof *other, "demands");
    size_t *places = cw_new_array((size_t)n + 1, sizeof *places, "demands");
    const int rc = other && places ? 0 : CW_ENOMEM;
    if (!rc) {
        sort_pass(flows->items, flows->n, false, n, places, other);
        sort_pass(other, flows->n, true, n, places, flows->items);
    }
    free(other);
    free(places);
    return rc;
}

/* Adds FLOWS, rank i being the i-th endpoint of SELECTION. */
static int add_flows(const struct cw_flows *flows, const struct cw_selection *selection, struct cw_demands *demands)
{
    int rc = 0;
    demands->self_pairs = flows->self;
    demands->self_bytes = flows->self_bytes;
    for (size_t i = 0; i < flows->n && !rc; i++) {
        const struct cw_flow *flow = &flows->items[i];
        const uint32_t src = selection ? selection->endpoints[flow->src] : flow->src;
        const uint32_t dst = selection ? selection->endpoints[flow->dst] : flow->dst;
        rc = cw_demands_add(demands, src, dst, flow->bytes);
    }
    return rc ? rc : cw_demands_merge(demands);
}

int cw_demands_pattern(const struct cw_network *net, const struct cw_selection *selection, const char *spec,
                       uint64_t bytes, uint64_t seed, struct cw_demands *out)
{
    struct cw_demands demands = {0};
    struct cw_flows flows = {0};
    struct cw_pattern *pattern = NULL;
    struct cw_ranks ranks;
    uint32_t rounds;
    cw_ranks_of(net, selection ? selection->n : net->n_endpoints, &ranks);
    ranks.net = net;
    ranks.endpoints = selection ? selection->endpoints : NULL;
    if (selection && selection->asked) {
        ranks.numbers = selection->asked->endpoints;
        ranks.n_numbers = selection->asked->n;
    }
    int rc = cw_pattern_new(spec, &ranks, &pattern);
    if (!rc) rc = cw_pattern_append_all(pattern, ranks.n, bytes, seed, &flows, &rounds);
    if (!rc && rounds > 1) rc = sort(&flows, ranks.n);
    if (!rc) rc = add_flows(&flows, selection, &demands);
    if (!rc && demands.n == 0)
        rc = cw_fail(CW_EUSAGE, "under %s nobody among %u ranks sends to another", spec, ranks.n);
    cw_pattern_free(pattern);
    cw_flows_free(&flows);
    if (rc)
        cw_demands_free(&demands);
    else
        *out = demands;
    return rc;
}

/* --- capacities --------------------------------------------------------------------------------------------------- */

/* Fills capacities and their unit as if nothing had failed: Z with and without failures is then in the same unit. */
static int set_capacities(int host_limit, struct cw_flow_problem *problem)
{
    const struct cw_network *net = problem->net;
    const bool limited = host_limit == 0 ? !cw_network_node_is_switch(net) : host_limit > 0;
    problem->capacity = cw_new_array(net->n_channels, sizeof *problem->capacity, "capacities");
    if (!problem->capacity) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!limited && cw_network_is_host_channel(net, c)) {
            problem->capacity[c] = INFINITY;
            continue;
        }
        problem->capacity[c] = net->capacity[c];
        if (net->capacity[c] > problem->unit_capacity) problem->unit_capacity = net->capacity[c];
    }
    if (problem->unit_capacity > 0) return 0;
    return cw_fail(CW_EUSAGE, "no channel has a limit: the network has none but those of hosts, which were given none");
}

static int fail_channels(const uint32_t *failed, size_t n_failed, struct cw_flow_problem *problem)
{
    const uint32_t n = problem->net->n_channels;
    for (size_t i = 0; i < n_failed; i++) {
        if (failed[i] >= n)
            return cw_fail(CW_EUSAGE, "there is no channel %u that could fail; they are 0 to %u", failed[i], n - 1);
        problem->capacity[failed[i]] = 0;
    }
    return 0;
}

/* --- demands ------------------------------------------------------------------------------------------------------ */

static int check_demands(struct cw_flow_problem *problem)
{
    const struct cw_demands *demands = problem->demands;
    const uint32_t n = problem->net->n_endpoints;
    if (demands->n == 0) return cw_fail(CW_EUSAGE, "there are no demands: nothing is to be moved over the network");
    for (size_t i = 0; i < demands->n; i++) {
        const struct cw_demand *demand = &demands->items[i];
        const uint32_t higher = demand->src > demand->dst ? demand->src : demand->dst;
        if (higher >= n)
            return cw_fail(CW_EUSAGE, "demand %zu: there is no endpoint %u; they are 0 to %u", i, higher, n - 1);
        if (demand->src == demand->dst)
            return cw_fail(CW_EUSAGE, "demand %zu: endpoint %u sends to itself; expected another one", i, demand->src);
        if (demand->bytes == 0) return cw_fail(CW_EUSAGE, "demand %zu: 0 bytes; expected more", i);
        if (demand->bytes > problem->unit_bytes) problem->unit_bytes = demand->bytes;
    }
    return 0;
}

/* --- connection --------------------------------------------------------------------------------------------------- */

/* What the check of connections works with. */
struct reach {
    const struct cw_flow_problem *problem;
    uint32_t *queue;              /* [vertices] */
    bool *to_hub, *from_hub, *on; /* [vertices] reach the hub; are reached from it; from a source */
    uint32_t hub;                 /* a switch, or CW_NONE */
    uint32_t source;              /* that `on` belongs to, or CW_NONE */
};

/* Marks in SEEN what can be reached from START over channels with capacity or, BACKWARDS, what can reach it. Endpoints
 * forward nothing. */
static void mark(const struct reach *reach, uint32_t start, bool backwards, bool *seen)
{
    const struct cw_network *net = reach->problem->net;
    uint32_t head = 0, tail = 0;
    memset(seen, 0, net->n_vertices * sizeof *seen);
    seen[start] = true;
    reach->queue[tail++] = start;
    while (head < tail) {
        const uint32_t v = reach->queue[head++];
        if (v != start && !cw_network_forwards(net, v)) continue;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t next = net->head[c];
            if (seen[next] || !(reach->problem->capacity[backwards ? net->twin[c] : c] > 0)) continue;
            seen[next] = true;
            reach->queue[tail++] = next;
        }
    }
}

/* A switch beside the first source, from which all of a connected network can be reached, and back: then two searches
 * answer for all demands. */
static uint32_t choose_hub(const struct cw_flow_problem *problem)
{
    const struct cw_network *net = problem->net;
    const uint32_t src = problem->demands->items[0].src;
    for (uint32_t c = net->first[src]; c < net->first[src + 1]; c++)
        if (problem->capacity[c] > 0 && cw_network_forwards(net, net->head[c])) return net->head[c];
    return CW_NONE;
}

static bool is_connected(struct reach *reach, const struct cw_demand *demand)
{
    if (reach->hub != CW_NONE && reach->to_hub[demand->src] && reach->from_hub[demand->dst]) return true;
    if (reach->source != demand->src) mark(reach, demand->src, false, reach->on);
    reach->source = demand->src;
    return reach->on[demand->dst];
}

static int check_reach(struct reach *reach)
{
    const struct cw_flow_problem *problem = reach->problem;
    const struct cw_demands *demands = problem->demands;
    reach->source = CW_NONE;
    reach->hub = choose_hub(problem);
    if (reach->hub != CW_NONE) {
        mark(reach, reach->hub, true, reach->to_hub);
        mark(reach, reach->hub, false, reach->from_hub);
    }
    for (size_t i = 0; i < demands->n; i++) {
        if (is_connected(reach, &demands->items[i])) continue;
        char src[CW_NAME_SIZE], dst[CW_NAME_SIZE];
        return cw_fail(CW_EUSAGE, "demand %zu: no channels lead from %s to %s, or all that do have failed", i,
                       cw_network_name(problem->net, demands->items[i].src, src, sizeof src),
                       cw_network_name(problem->net, demands->items[i].dst, dst, sizeof dst));
    }
    return 0;
}

static int check_connected(const struct cw_flow_problem *problem)
{
    const uint32_t n = problem->net->n_vertices;
    struct reach reach = {.problem = problem, .queue = cw_new_array(n, sizeof *reach.queue, "a search")};
    bool *marks = cw_new_array(3 * (size_t)n, sizeof *marks, "a search");
    int rc = CW_ENOMEM;
    if (reach.queue && marks) {
        reach.to_hub = marks;
        reach.from_hub = marks + n;
        reach.on = marks + 2 * (size_t)n;
        rc = check_reach(&reach);
    }
    free(reach.queue);
    free(marks);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int make(struct cw_flow_problem problem, int host_limit, const uint32_t *failed, size_t n_failed,
                struct cw_flow_problem *out)
{
    int rc = check_demands(&problem);
    if (!rc) rc = set_capacities(host_limit, &problem);
    if (!rc) rc = fail_channels(failed, n_failed, &problem);
    if (!rc) rc = problem.legs ? cw_legs_check_connected(&problem) : check_connected(&problem);
    if (rc)
        cw_flow_problem_free(&problem);
    else
        *out = problem;
    return rc;
}

int cw_flow_problem_make(const struct cw_network *net, const struct cw_demands *demands, int host_limit,
                         const uint32_t *failed, size_t n_failed, struct cw_flow_problem *out)
{
    return make((struct cw_flow_problem){.net = net, .demands = demands}, host_limit, failed, n_failed, out);
}

int cw_flow_problem_make_on_legs(const struct cw_legs *legs, const struct cw_demands *demands, int host_limit,
                                 const uint32_t *failed, size_t n_failed, struct cw_flow_problem *out)
{
    const struct cw_flow_problem problem = {.net = legs->net, .demands = demands, .legs = legs};
    return make(problem, host_limit, failed, n_failed, out);
}

int cw_flow_problem_check(const struct cw_flow_problem *problem)
{
    return problem->net && problem->demands && problem->capacity
               ? 0
               : cw_fail(CW_EUSAGE, "the problem is empty, expected one of cw_flow_problem_make");
}

void cw_flow_problem_free(struct cw_flow_problem *problem)
{
    if (!problem) return;
    free(problem->capacity);
    *problem = (struct cw_flow_problem){0};
}

uint32_t cw_flow_hops(const struct cw_flow_problem *problem, const uint32_t *channels, size_t n)
{
    uint32_t hops = 0;
    for (size_t i = 0; i < n; i++) hops += !isinf(problem->capacity[channels[i]]);
    return hops;
}

bool cw_flow_is_relay(const struct cw_flow_problem *problem, uint32_t one, uint32_t next)
{
    if (problem->legs) return cw_network_is_endpoint(problem->net, problem->net->head[one]);
    return !isinf(problem->capacity[one]) && !isinf(problem->capacity[next]);
}

uint32_t cw_flow_relays(const struct cw_flow_problem *problem, const uint32_t *channels, size_t n)
{
    uint32_t relays = 0;
    for (size_t i = 1; i < n; i++) relays += cw_flow_is_relay(problem, channels[i - 1], channels[i]);
    return relays;
}
