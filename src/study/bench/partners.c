#include "study/bench/partners.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "net/network.h"

static void permutation(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to)
{
    (void)round, (void)work;
    cw_random_derangement(random, n, to);
}

static void shift(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to)
{
    (void)random, (void)work;
    const uint32_t by = 1 + round % (n - 1);
    for (uint32_t i = 0; i < n; i++) to[i] = i + by < n ? i + by : i + by - n;
}

static void bisection(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to)
{
    (void)round;
    cw_random_permutation(random, n, work);
    to[work[n - 1]] = CW_NONE; /* of an odd number */
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        to[work[i]] = work[i + 1];
        to[work[i + 1]] = work[i];
    }
}

static void incast(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to)
{
    (void)round, (void)work;
    const uint32_t root = cw_random_below(random, n);
    for (uint32_t i = 0; i < n; i++) to[i] = i == root ? CW_NONE : root;
}

static void neighbour(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to)
{
    (void)random, (void)round, (void)work;
    for (uint32_t i = 0; i < n; i++) to[i] = (i ^ 1) < n ? i ^ 1 : CW_NONE;
}

const struct cw_perturbation cw_perturbations[] = {
    {"permutation", "each sends to another one, drawn anew in each round", permutation},
    {"shift", "each sends to the one 1, 2, 3, ... places further, a place more in each round", shift},
    {"bisection", "pairs, drawn anew in each round, send to each other", bisection},
    {"incast", "all send to one, drawn anew in each round", incast},
    {"neighbour", "each exchanges with the next rank, the same one in each round", neighbour},
    {.name = NULL},
};

const struct cw_registry cw_perturbation_registry = {.items = cw_perturbations,
                                                     .size = sizeof *cw_perturbations,
                                                     .near = "unknown perturbation '%s'; did you mean %s?",
                                                     .none = "unknown perturbation '%s'; expected one of %s"};

/* Sorts ranks by group: counts, then places. */
static void gather(const uint32_t *groups, struct cw_partners *partners, uint32_t *count)
{
    for (uint32_t rank = 0; rank < partners->n_ranks; rank++)
        if (groups[rank] != CW_NONE) count[groups[rank]]++;
    for (uint32_t group = 0; group < partners->n_ranks; group++) {
        if (count[group] == 0) continue;
        partners->first[partners->n_groups++] = partners->n_members;
        partners->n_members += count[group];
        count[group] = partners->first[partners->n_groups - 1];
    }
    partners->first[partners->n_groups] = partners->n_members;
    for (uint32_t rank = 0; rank < partners->n_ranks; rank++)
        if (groups[rank] != CW_NONE) partners->members[count[groups[rank]]++] = rank;
}

int cw_partners_init(const struct cw_perturbation *kind, const uint32_t *groups, uint32_t n_ranks, uint64_t seed,
                     uint32_t block, struct cw_partners *out)
{
    struct cw_partners partners = {.kind = kind, .seed = seed, .block = block, .n_ranks = n_ranks};
    partners.members = cw_new_array(n_ranks, sizeof *partners.members, "perturbing ranks");
    partners.first = cw_new_array((size_t)n_ranks + 1, sizeof *partners.first, "perturbing ranks");
    partners.work = cw_new_array(2 * (size_t)n_ranks, sizeof *partners.work, "partners");
    if (!partners.members || !partners.first || !partners.work) {
        cw_partners_free(&partners);
        return CW_ENOMEM;
    }
    gather(groups, &partners, partners.work);
    *out = partners;
    return 0;
}

void cw_partners_free(struct cw_partners *partners)
{
    free(partners->members);
    free(partners->first);
    free(partners->work);
    *partners = (struct cw_partners){0};
}

void cw_partners_of_round(const struct cw_partners *partners, uint32_t round, uint32_t *to)
{
    struct cw_random random =
        cw_random_of(partners->seed, CW_STREAM_PERTURBATION, (uint64_t)partners->block << 32 | round);
    uint32_t *drawn = partners->work + partners->n_ranks;
    for (uint32_t rank = 0; rank < partners->n_ranks; rank++) to[rank] = CW_NONE;
    for (uint32_t group = 0; group < partners->n_groups; group++) {
        const uint32_t *members = partners->members + partners->first[group];
        const uint32_t n = partners->first[group + 1] - partners->first[group];
        if (n < 2) continue;
        partners->kind->partners(&random, n, round, partners->work, drawn);
        for (uint32_t i = 0; i < n; i++) to[members[i]] = drawn[i] == CW_NONE ? CW_NONE : members[drawn[i]];
    }
}
