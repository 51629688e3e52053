/*
 * Demands by name, among the p endpoints of a network that take part, which are numbered in order.
 *
 * M sources from s on are paired with N destinations from t on, one a multiple of the other: if M > N, r = M/N and
 * source s + i sends to t + ⌊i/r⌋; else r = N/M and it sends to t + r·i … t + r·i + r - 1. A pair that is one and the
 * same endpoint is left out and counted. The sources are always the first M endpoints:
 *
 *     disjoint:MxN    destinations are the last N endpoints, M + N ≤ p
 *     overlap:MxN,L   destinations from M - L on: as many as there are of the last L sources, and endpoints behind them
 *     subset:MxN,L    destinations from L on, all of them sources: L + N ≤ M
 *
 * The 91 patterns of Bui et al. are these, numbered with M outermost and L innermost:
 *
 *      0 … 15  disjoint   M, N ∈ p/16, p/8, p/4, p/2
 *     16 … 63  overlap    M, N as before; L ∈ M/8, M/4, M/2
 *     64 … 90  subset     M ∈ p/8, p/4, p/2; N ∈ M/16, M/8, M/4; L ∈ 0, M/4, M/2
 *
 * Of our own:
 *
 *     aggregation:N   N aggregators, endpoints ⌊i·p/N⌋; every other endpoint sends to the nearest one before it
 *     alltoall        every endpoint to every other
 *     permutation     endpoint i to π(i), π uniform among all permutations
 *     matrix:FILE     what the traffic matrix of FILE says (doc/formats/matrix.md), rank i being endpoint i
 */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/units.h"
#include "flow/flow_problem.h"
#include "traffic/matrix.h"
#include "traffic/traffic_spec.h"

/* While a pattern is made. */
struct cw_demands_making {
    const char *name;
    uint32_t p; /* endpoints */
    uint64_t bytes, seed;
    const struct cw_network *net;
    const struct cw_selection *selection;
    struct cw_demands *demands;
};

struct pairing {
    uint64_t m, n, first; /* first: destination */
};

/* --- pairing M sources with N destinations ------------------------------------------------------------------------ */

static int add_pairing(const struct cw_demands_making *making, const struct pairing *pairing)
{
    const uint64_t m = pairing->m, n = pairing->n;
    const uint64_t per_source = m > n ? 1 : n / m, per_destination = m > n ? m / n : 1;
    int rc = 0;
    for (uint64_t i = 0; i < m && !rc; i++) {
        const uint64_t to = pairing->first + i * per_source / per_destination;
        for (uint64_t j = 0; j < per_source && !rc; j++)
            rc = cw_demands_add(making->demands, (uint32_t)i, (uint32_t)(to + j), making->bytes);
    }
    return rc;
}

struct numbers {
    struct cw_ints sizes; /* M, N */
    int64_t l;
    char *file;
};

/* The M and N asked for; checks all that is the same for every kind. */
static int read_sizes(const struct cw_demands_making *making, const struct numbers *numbers, struct pairing *out)
{
    if (numbers->sizes.n != 2)
        return cw_fail(CW_EUSAGE, "%s: expected two sizes MxN (sources, destinations), e.g. 128x8", making->name);
    const uint64_t m = (uint64_t)numbers->sizes.values[0], n = (uint64_t)numbers->sizes.values[1];
    if (m > making->p || n > making->p)
        return cw_fail(CW_EUSAGE, "%s: %" PRIu64 " %s are more than the network's %u endpoints", making->name,
                       m > making->p ? m : n, m > making->p ? "sources" : "destinations", making->p);
    if (m % n != 0 && n % m != 0)
        return cw_fail(CW_EUSAGE,
                       "%s: %" PRIu64 " sources and %" PRIu64 " destinations; one must be a multiple of the other",
                       making->name, m, n);
    *out = (struct pairing){.m = m, .n = n};
    return 0;
}

static int make_disjoint(const struct cw_demands_making *making, const void *values)
{
    struct pairing pairing;
    const int rc = read_sizes(making, values, &pairing);
    if (rc) return rc;
    if (pairing.m + pairing.n > making->p)
        return cw_fail(CW_EUSAGE,
                       "disjoint: %" PRIu64 " sources and %" PRIu64
                       " destinations are more than the network's %u endpoints",
                       pairing.m, pairing.n, making->p);
    pairing.first = making->p - pairing.n;
    return add_pairing(making, &pairing);
}

static int make_overlap(const struct cw_demands_making *making, const void *values)
{
    const uint64_t l = (uint64_t)((const struct numbers *)values)->l;
    struct pairing pairing;
    const int rc = read_sizes(making, values, &pairing);
    if (rc) return rc;
    const uint64_t m = pairing.m, n = pairing.n;
    if (l > m)
        return cw_fail(CW_EUSAGE,
                       "overlap: the destinations cannot begin at the last %" PRIu64 " of %" PRIu64 " sources", l, m);
    if (m - l + n > making->p)
        return cw_fail(CW_EUSAGE, "overlap: the last destination would be endpoint %" PRIu64 "; the network has %u",
                       m - l + n - 1, making->p);
    pairing.first = m - l;
    return add_pairing(making, &pairing);
}

static int make_subset(const struct cw_demands_making *making, const void *values)
{
    const uint64_t l = (uint64_t)((const struct numbers *)values)->l;
    struct pairing pairing;
    const int rc = read_sizes(making, values, &pairing);
    if (rc) return rc;
    if (l + pairing.n > pairing.m)
        return cw_fail(CW_EUSAGE,
                       "subset: destinations %" PRIu64 " to %" PRIu64 " are not all among the %" PRIu64 " sources", l,
                       l + pairing.n - 1, pairing.m);
    pairing.first = l;
    return add_pairing(making, &pairing);
}

/* --- the 91 patterns by number ------------------------------------------------------------------------------------ */

#define N_DISJOINT 16
#define N_OVERLAP  48
#define N_NUMBERED 91

/* M, N and the first destination of pattern NUMBER in units of p/128, in which all of them are whole. */
static struct pairing numbered(unsigned number)
{
    if (number < N_DISJOINT) {
        const unsigned m = number / 4, n = number % 4;
        return (struct pairing){.m = 8u << m, .n = 8u << n, .first = 128 - (8u << n)};
    }
    if (number < N_DISJOINT + N_OVERLAP) {
        const unsigned at = number - N_DISJOINT, m = at / 12, n = at / 3 % 4, l = at % 3;
        return (struct pairing){.m = 8u << m, .n = 8u << n, .first = (8u << m) - (1u << m << l)};
    }
    const unsigned at = number - N_DISJOINT - N_OVERLAP, m = at / 9, n = at / 3 % 3, l = at % 3;
    return (struct pairing){.m = 16u << m, .n = 1u << m << n, .first = l == 0 ? 0 : 2u << m << l};
}

static int make_numbered(const struct cw_demands_making *making, unsigned number)
{
    const uint64_t p = making->p;
    const struct pairing parts = numbered(number);
    if (p % 128 != 0 && (p * parts.m % 128 || p * parts.n % 128 || p * parts.first % 128))
        return cw_fail(CW_EUSAGE,
                       "demand pattern %u: %u endpoints have no such parts as it needs; those of a multiple of 128 do",
                       number, making->p);
    const struct pairing pairing = {p * parts.m / 128, p * parts.n / 128, p * parts.first / 128};
    return add_pairing(making, &pairing);
}

/* --- other kinds -------------------------------------------------------------------------------------------------- */

static int make_aggregation(const struct cw_demands_making *making, const void *values)
{
    const uint64_t p = making->p, n = (uint64_t)((const struct numbers *)values)->l;
    if (n > p)
        return cw_fail(CW_EUSAGE, "aggregation: %" PRIu64 " aggregators are more than the network's %u endpoints", n,
                       making->p);
    int rc = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t aggregator = i * p / n, next = (i + 1) * p / n;
        for (uint64_t e = aggregator + 1; e < next && !rc; e++)
            rc = cw_demands_add(making->demands, (uint32_t)e, (uint32_t)aggregator, making->bytes);
    }
    return rc;
}

static int make_alltoall(const struct cw_demands_making *making, const void *values)
{
    (void)values;
    const uint64_t p = making->p, pairs = p * (p > 0 ? p - 1 : 0);
    if (pairs > cw_memory_available() / sizeof(struct cw_demand))
        return cw_fail(CW_ELIMIT, "alltoall: the %" PRIu64 " demands of %u endpoints need more memory than can be had",
                       pairs, making->p);
    int rc = 0;
    for (uint32_t src = 0; src < making->p && !rc; src++)
        for (uint32_t dst = 0; dst < making->p && !rc; dst++)
            if (src != dst) rc = cw_demands_add(making->demands, src, dst, making->bytes);
    return rc;
}

static int make_permutation(const struct cw_demands_making *making, const void *values)
{
    (void)values;
    struct cw_random random = cw_random_of(making->seed, CW_STREAM_PATTERN, 0);
    uint32_t *to = cw_new_array(making->p, sizeof *to, "a permutation");
    if (!to) return CW_ENOMEM;
    cw_random_permutation(&random, making->p, to);
    int rc = 0;
    for (uint32_t i = 0; i < making->p && !rc; i++) rc = cw_demands_add(making->demands, i, to[i], making->bytes);
    free(to);
    return rc;
}

/* The matrix of FILE, in which the endpoints that take part have numbers and names. */
static int read_matrix(const struct cw_demands_making *making, const char *file, struct cw_matrix *matrix)
{
    struct cw_ranks ranks;
    uint32_t *endpoints = cw_new_array(making->p, sizeof *endpoints, "endpoints");
    if (!endpoints) return CW_ENOMEM;
    for (uint32_t i = 0; i < making->p; i++) endpoints[i] = making->selection ? making->selection->endpoints[i] : i;
    cw_ranks_of(making->net, making->p, &ranks);
    ranks.endpoints = endpoints;
    const int rc = cw_matrix_read(file, &ranks, matrix);
    free(endpoints);
    return rc;
}

static int make_matrix(const struct cw_demands_making *making, const void *values)
{
    const char *file = ((const struct numbers *)values)->file;
    struct cw_matrix matrix;
    int rc = read_matrix(making, file, &matrix);
    if (rc) return rc;
    rc = cw_matrix_check(&matrix, file, making->p);
    for (size_t i = 0; i < matrix.flows.n && !rc; i++) {
        const struct cw_flow *flow = &matrix.flows.items[i];
        rc = cw_demands_add(making->demands, flow->src, flow->dst, flow->bytes);
    }
    cw_flows_free(&matrix.flows);
    return rc ? rc : cw_demands_merge(making->demands);
}

/* --- kinds by name ------------------------------------------------------------------------------------------------ */

#define SIZES                                                                                                          \
    .name = "sizes", .type = CW_OPTION_DIMENSIONS, .offset = offsetof(struct numbers, sizes), .value_name = "MxN",     \
    .min = 1, .max = UINT32_MAX, .positional = true, .required = true, .help = "sources and destinations"

static const struct cw_option disjoint_options[] = {{SIZES}, {.name = NULL}};

static const struct cw_option overlap_options[] = {{SIZES},
                                                   {.name = "overlap",
                                                    .type = CW_OPTION_INT,
                                                    .offset = offsetof(struct numbers, l),
                                                    .value_name = "L",
                                                    .min = 0,
                                                    .max = UINT32_MAX,
                                                    .positional = true,
                                                    .required = true,
                                                    .help = "endpoints that are both"},
                                                   {.name = NULL}};

static const struct cw_option subset_options[] = {{SIZES},
                                                  {.name = "first",
                                                   .type = CW_OPTION_INT,
                                                   .offset = offsetof(struct numbers, l),
                                                   .value_name = "L",
                                                   .default_text = "0",
                                                   .min = 0,
                                                   .max = UINT32_MAX,
                                                   .positional = true,
                                                   .help = "first destination"},
                                                  {.name = NULL}};

static const struct cw_option aggregation_options[] = {{.name = "aggregators",
                                                        .type = CW_OPTION_INT,
                                                        .offset = offsetof(struct numbers, l),
                                                        .value_name = "N",
                                                        .min = 1,
                                                        .max = UINT32_MAX,
                                                        .positional = true,
                                                        .required = true,
                                                        .help = "endpoints that receive"},
                                                       {.name = NULL}};

static const struct cw_option matrix_options[] = {
    {.name = "file",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct numbers, file),
     .positional = true,
     .required = true,
     .help = "traffic matrix: src, dst and bytes a line (doc/formats/matrix.md)"},
    {.name = NULL}};

const struct cw_demand_kind cw_demand_kinds[] = {
    {"disjoint", "The first M endpoints to the last N, evenly paired", disjoint_options, make_disjoint},
    {"overlap", "The first M endpoints to N of which the first L are the last sources", overlap_options, make_overlap},
    {"subset", "The first M endpoints to N of them, from endpoint L on", subset_options, make_subset},
    {"aggregation", "Every endpoint to the nearest of N aggregators before it, evenly spread", aggregation_options,
     make_aggregation},
    {"alltoall", "Every endpoint to every other", NULL, make_alltoall},
    {"permutation", "Every endpoint to one, every one from one, at random", NULL, make_permutation},
    {"matrix", "What a traffic matrix says, with its own bytes", matrix_options, make_matrix},
    {NULL},
};

const struct cw_registry cw_demand_registry = {.items = cw_demand_kinds,
                                               .size = sizeof *cw_demand_kinds,
                                               .near = "unknown demand pattern '%s'; did you mean %s?",
                                               .none = "unknown demand pattern '%s'; expected one of %s"};

static int make_kind(struct cw_demands_making *making, const char *spec)
{
    char name[CW_TRAFFIC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_demand_kind *kind = cw_registry_find(&cw_demand_registry, name);
    if (!kind) return cw_registry_unknown(&cw_demand_registry, name);
    void *values;
    int rc = cw_traffic_values_new(kind->name, kind->options, sizeof(struct numbers), parameters, &values);
    if (rc) return rc;
    making->name = kind->name;
    rc = kind->make(making, values);
    cw_traffic_values_free(kind->options, values);
    return rc;
}

static int make(struct cw_demands_making *making, const char *spec)
{
    int64_t number;
    if (!isdigit((unsigned char)*spec)) return make_kind(making, spec);
    const int rc = cw_parse_int("demand pattern", spec, &number);
    if (rc) return rc;
    if (number >= N_NUMBERED)
        return cw_fail(CW_EUSAGE, "there is no demand pattern %s; they are 0 to %d", spec, N_NUMBERED - 1);
    return make_numbered(making, (unsigned)number);
}

/* Pattern endpoint i is the i-th of SELECTION. */
static void move(const struct cw_selection *selection, struct cw_demands *demands)
{
    for (size_t i = 0; i < demands->n; i++) {
        demands->items[i].src = selection->endpoints[demands->items[i].src];
        demands->items[i].dst = selection->endpoints[demands->items[i].dst];
    }
}

int cw_demands_pattern(const struct cw_network *net, const struct cw_selection *selection, const char *spec,
                       uint64_t bytes, uint64_t seed, struct cw_demands *out)
{
    struct cw_demands demands = {0};
    struct cw_demands_making making = {.p = selection ? selection->n : net->n_endpoints,
                                       .bytes = bytes,
                                       .seed = seed,
                                       .net = net,
                                       .selection = selection,
                                       .demands = &demands};
    int rc = make(&making, spec);
    if (!rc && demands.n == 0)
        rc = cw_fail(CW_EUSAGE, "demand pattern %s: no two endpoints of this network exchange anything", spec);
    if (!rc && selection) move(selection, &demands);
    if (rc)
        cw_demands_free(&demands);
    else
        *out = demands;
    return rc;
}
