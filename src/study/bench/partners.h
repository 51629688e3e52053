/*
 * Who sends to whom in the rounds of a perturbation. Each rank computes it for itself, without a message: the partners
 * of a round depend on the seed, the block and the round alone. Any number of ranks is fine; one for which the pattern
 * has no partner sits the round out.
 */
#ifndef CW_STUDY_BENCH_PARTNERS_H
#define CW_STUDY_BENCH_PARTNERS_H

#include <stdint.h>

#include "base/decls.h"
#include "base/random.h"
#include "base/registry.h"

CW_BEGIN_DECLS

struct cw_perturbation {
    const char *name;
    const char *help; /* a clause */
    /* TO[i], for each i < N: to whom member i sends in ROUND, never itself, or CW_NONE. N ≥ 2. WORK has room for N
     * numbers. O(n) expected. */
    void (*partners)(struct cw_random *random, uint32_t n, uint32_t round, uint32_t *work, uint32_t *to);
};

extern const struct cw_perturbation cw_perturbations[]; /* ended by one without a name */
extern const struct cw_registry cw_perturbation_registry;

/* The ranks that exchange during one block. Starts zeroed. */
struct cw_partners {
    const struct cw_perturbation *kind;
    uint64_t seed;
    uint32_t block, n_ranks, n_groups, n_members;
    uint32_t *members; /* ranks, group by group */
    uint32_t *first;   /* [n_groups + 1] of each group in `members` */
    uint32_t *work;    /* [2 · n_ranks] */
};

/* Ranks exchange within their group: GROUPS[n_ranks] is the lowest rank of each one's, or CW_NONE for those that do not
 * exchange. Groups of one have nobody to send to. */
int cw_partners_init(const struct cw_perturbation *kind, const uint32_t *groups, uint32_t n_ranks, uint64_t seed,
                     uint32_t block, struct cw_partners *out);
void cw_partners_free(struct cw_partners *partners);

/* TO[n_ranks]: to whom each rank sends in ROUND, or CW_NONE. O(n_ranks). */
void cw_partners_of_round(const struct cw_partners *partners, uint32_t round, uint32_t *to);

CW_END_DECLS

#endif
