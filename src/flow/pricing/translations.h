/*
 * Translations of a lattice, such as a torus, that change nothing in a problem: capacities are the same, and each
 * demand is carried to one of as many bytes. Then some optimum is the same everywhere, too, and so are the best lengths
 * of channels: the average of a plan over all its translations is no worse. So one search for paths does for all
 * demands that translations carry into one another.
 *
 * In each dimension d those by multiples of step[d] are, which divides k[d]; step[d] = k[d]: none. Of the demands that
 * become one another, the representative is the one whose source lies nearest to the origin, below step[d] in each
 * dimension.
 */
#ifndef CW_FLOW_TRANSLATIONS_H
#define CW_FLOW_TRANSLATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

struct cw_translations {
    const struct cw_network *net; /* borrowed */
    const uint32_t *k;            /* sizes of the lattice, the network's */
    uint32_t n_dimensions;
    uint32_t step[CW_TORUS_DIMENSIONS];
    uint32_t n;               /* translations, with the one that moves nothing; 1: there is no other */
    uint32_t *representative; /* [demands]; NULL if n is 1 */
};

/* Finds those of PROBLEM: none unless its network is a lattice (net/shape.h) and its paths are free. Time: demands ·
 * log demands for each divisor of each size, channels. 0 or CW_ENOMEM. */
int cw_translations_find(const struct cw_flow_problem *problem, struct cw_translations *out);
void cw_translations_free(struct cw_translations *translations);

/* Makes LENGTH [channels] the same on all channels that become one another: their mean. */
void cw_translations_average(const struct cw_translations *translations, double *length);

/* Whether LENGTH is so already. */
bool cw_translations_keep(const struct cw_translations *translations, const double *length);

/* Carries the N CHANNELS of a path from the demand whose source is FROM to the one whose source is TO. */
void cw_translations_carry(const struct cw_translations *translations, uint32_t from, uint32_t to,
                           const uint32_t *channels, uint32_t n, uint32_t *out);

CW_END_DECLS

#endif
