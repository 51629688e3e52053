/*
 * Patterns of data movements: M sources paired with N destinations, and the 91 of Bui et al. that are made of these.
 *
 * M sources from 0 on are paired with N destinations from t on, one a multiple of the other: if M > N, r = M/N and
 * source i sends to t + ⌊i/r⌋; else r = N/M and it sends to t + r·i … t + r·i + r - 1. Whoever would send to itself is
 * silent. The sources are always the first M of n ranks:
 *
 *     disjoint:MxN    destinations are the last N ranks, M + N ≤ n
 *     overlap:MxN,L   destinations from M - L on: as many as there are of the last L sources, and ranks behind them
 *     subset:MxN,L    destinations from L on, all of them sources: L + N ≤ M
 *
 * The 91 patterns of Bui et al. are these, numbered with M outermost and L innermost:
 *
 *      0 … 15  disjoint   M, N ∈ n/16, n/8, n/4, n/2
 *     16 … 63  overlap    M, N as before; L ∈ M/8, M/4, M/2
 *     64 … 90  subset     M ∈ n/8, n/4, n/2; N ∈ M/16, M/8, M/4; L ∈ 0, M/4, M/2
 *
 * Of our own: aggregation:N, N aggregators, ranks ⌊i·n/N⌋; every other rank sends to the nearest one before it.
 */
#include <inttypes.h>
#include <stddef.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "traffic/pattern.h"
#include "traffic/pattern_internal.h"

struct pairing {
    uint64_t m, n, first; /* first: destination */
};

static int append_pairing(const struct pairing *pairing, uint64_t bytes, struct cw_flows *flows)
{
    const uint64_t m = pairing->m, n = pairing->n;
    const uint64_t per_source = m > n ? 1 : n / m, per_destination = m > n ? m / n : 1;
    int rc = 0;
    for (uint64_t i = 0; i < m && !rc; i++) {
        const uint64_t to = pairing->first + i * per_source / per_destination;
        for (uint64_t j = 0; j < per_source && !rc; j++)
            rc = cw_flows_add(flows, (uint32_t)i, (uint32_t)(to + j), bytes);
    }
    return rc;
}

/* --- M by N ------------------------------------------------------------------------------------------------------- */

struct numbers {
    struct cw_ints sizes; /* M, N */
    int64_t l;
};

/* The M and N of NAME among P ranks; checks all that is the same for every kind. */
static int read_sizes(const char *name, const struct numbers *numbers, uint32_t p, struct pairing *out)
{
    if (numbers->sizes.n != 2)
        return cw_fail(CW_EUSAGE, "%s: expected two sizes MxN (sources, destinations), e.g. 128x8", name);
    const uint64_t m = (uint64_t)numbers->sizes.values[0], n = (uint64_t)numbers->sizes.values[1];
    if (m > p || n > p)
        return cw_fail(CW_EUSAGE, "%s: %" PRIu64 " %s are more than the %u ranks", name, m > p ? m : n,
                       m > p ? "sources" : "destinations", p);
    if (m % n != 0 && n % m != 0)
        return cw_fail(CW_EUSAGE,
                       "%s: %" PRIu64 " sources and %" PRIu64 " destinations; one must be a multiple of the other",
                       name, m, n);
    *out = (struct pairing){.m = m, .n = n};
    return 0;
}

static int pair_disjoint(const struct numbers *numbers, uint32_t p, struct pairing *out)
{
    const int rc = read_sizes("disjoint", numbers, p, out);
    if (rc) return rc;
    if (out->m + out->n > p)
        return cw_fail(CW_EUSAGE,
                       "disjoint: %" PRIu64 " sources and %" PRIu64 " destinations are more than the %u ranks", out->m,
                       out->n, p);
    out->first = p - out->n;
    return 0;
}

static int pair_overlap(const struct numbers *numbers, uint32_t p, struct pairing *out)
{
    const uint64_t l = (uint64_t)numbers->l;
    const int rc = read_sizes("overlap", numbers, p, out);
    if (rc) return rc;
    if (l > out->m)
        return cw_fail(CW_EUSAGE,
                       "overlap: the destinations cannot begin at the last %" PRIu64 " of %" PRIu64 " sources", l,
                       out->m);
    if (out->m - l + out->n > p)
        return cw_fail(CW_EUSAGE, "overlap: the last destination would be rank %" PRIu64 "; there are %u",
                       out->m - l + out->n - 1, p);
    out->first = out->m - l;
    return 0;
}

static int pair_subset(const struct numbers *numbers, uint32_t p, struct pairing *out)
{
    const uint64_t l = (uint64_t)numbers->l;
    const int rc = read_sizes("subset", numbers, p, out);
    if (rc) return rc;
    if (l + out->n > out->m)
        return cw_fail(CW_EUSAGE,
                       "subset: destinations %" PRIu64 " to %" PRIu64 " are not all among the %" PRIu64 " sources", l,
                       l + out->n - 1, out->m);
    out->first = l;
    return 0;
}

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
                                                    .help = "ranks that are both"},
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

/* The two functions of a kind whose pairing is PAIR. */
#define FUNCTIONS(NAME, TYPE, PAIR)                                                                                    \
    static int NAME##_rounds(const void *values, uint32_t n, uint32_t *rounds)                                         \
    {                                                                                                                  \
        struct pairing pairing;                                                                                        \
        const int rc = PAIR((const TYPE *)values, n, &pairing);                                                        \
        if (!rc) *rounds = 1;                                                                                          \
        return rc;                                                                                                     \
    }                                                                                                                  \
    static int append_##NAME(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random, \
                             struct cw_flows *flows)                                                                   \
    {                                                                                                                  \
        (void)round;                                                                                                   \
        (void)random;                                                                                                  \
        struct pairing pairing;                                                                                        \
        const int rc = PAIR((const TYPE *)values, n, &pairing);                                                        \
        return rc ? rc : append_pairing(&pairing, bytes, flows);                                                       \
    }

FUNCTIONS(disjoint, struct numbers, pair_disjoint)
FUNCTIONS(overlap, struct numbers, pair_overlap)
FUNCTIONS(subset, struct numbers, pair_subset)

const struct cw_pattern_kind cw_pattern_disjoint = {
    .name = "disjoint",
    .help = "the first M ranks send to the last N, evenly paired: one of M and N is a multiple of the other",
    .synopsis = "disjoint:MxN",
    .options = disjoint_options,
    .size = sizeof(struct numbers),
    .rounds = disjoint_rounds,
    .append = append_disjoint,
};

const struct cw_pattern_kind cw_pattern_overlap = {
    .name = "overlap",
    .help = "the first M ranks send to N ranks, evenly paired; the last L senders are the first L receivers",
    .synopsis = "overlap:MxN,L",
    .options = overlap_options,
    .size = sizeof(struct numbers),
    .rounds = overlap_rounds,
    .append = append_overlap,
};

const struct cw_pattern_kind cw_pattern_subset = {
    .name = "subset",
    .help = "the first M ranks send to N of themselves, ranks L to L + N - 1, evenly paired",
    .synopsis = "subset:MxN,L",
    .options = subset_options,
    .size = sizeof(struct numbers),
    .rounds = subset_rounds,
    .append = append_subset,
};

/* --- the 91 patterns by number ------------------------------------------------------------------------------------ */

#define N_DISJOINT 16
#define N_OVERLAP  48
#define N_NUMBERED 91

/* M, N and the first destination of pattern NUMBER in units of n/128, in which all of them are whole. */
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

struct bui {
    int64_t number;
};

static const struct cw_option bui_options[] = {{.name = "number",
                                                .type = CW_OPTION_INT,
                                                .offset = offsetof(struct bui, number),
                                                .value_name = "I",
                                                .min = 0,
                                                .max = N_NUMBERED - 1,
                                                .positional = true,
                                                .required = true,
                                                .help = "0 to 15 are disjoint, 16 to 63 overlap, 64 to 90 subset"},
                                               {.name = NULL}};

static int pair_bui(const struct bui *bui, uint32_t n, struct pairing *out)
{
    const uint64_t p = n;
    const struct pairing parts = numbered((unsigned)bui->number);
    if (p % 128 != 0 && (p * parts.m % 128 || p * parts.n % 128 || p * parts.first % 128))
        return cw_fail(CW_EUSAGE,
                       "pattern bui:%d: %u ranks have no such parts as it needs; those of a multiple of 128 do",
                       (int)bui->number, n);
    *out = (struct pairing){p * parts.m / 128, p * parts.n / 128, p * parts.first / 128};
    return 0;
}

FUNCTIONS(bui, struct bui, pair_bui)

const struct cw_pattern_kind cw_pattern_bui = {
    .name = "bui",
    .help = "the 91 patterns of Bui et al., by number: sources and destinations that are disjoint, overlap, or are a "
            "subset of one another. The number alone means the same: 3 is bui:3",
    .synopsis = "bui:0 ... bui:90",
    .options = bui_options,
    .size = sizeof(struct bui),
    .rounds = bui_rounds,
    .append = append_bui,
};

/* --- aggregation -------------------------------------------------------------------------------------------------- */

struct aggregation {
    int64_t aggregators;
};

static const struct cw_option aggregation_options[] = {{.name = "aggregators",
                                                        .type = CW_OPTION_INT,
                                                        .offset = offsetof(struct aggregation, aggregators),
                                                        .value_name = "N",
                                                        .min = 1,
                                                        .max = UINT32_MAX,
                                                        .positional = true,
                                                        .required = true,
                                                        .help = "ranks that receive"},
                                                       {.name = NULL}};

static int aggregation_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct aggregation *aggregation = values;
    if (aggregation->aggregators > n)
        return cw_fail(CW_EUSAGE, "aggregation: %" PRId64 " aggregators are more than the %u ranks",
                       aggregation->aggregators, n);
    *rounds = 1;
    return 0;
}

static int append_aggregation(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                              struct cw_flows *flows)
{
    (void)round;
    (void)random;
    const uint64_t p = n, aggregators = (uint64_t)((const struct aggregation *)values)->aggregators;
    int rc = 0;
    for (uint64_t i = 0; i < aggregators; i++) {
        const uint64_t aggregator = i * p / aggregators, next = (i + 1) * p / aggregators;
        for (uint64_t e = aggregator + 1; e < next && !rc; e++)
            rc = cw_flows_add(flows, (uint32_t)e, (uint32_t)aggregator, bytes);
    }
    return rc;
}

const struct cw_pattern_kind cw_pattern_aggregation = {
    .name = "aggregation",
    .help = "every rank sends to the nearest of N aggregators at or below it; aggregators are evenly spread and do not "
            "send",
    .synopsis = "aggregation:N",
    .options = aggregation_options,
    .size = sizeof(struct aggregation),
    .rounds = aggregation_rounds,
    .append = append_aggregation,
};
