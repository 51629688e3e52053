/*
 * Dimension-order routes, for the files that walk and count them. Not installed.
 */
#ifndef CW_ROUTE_DOR_INTERNAL_H
#define CW_ROUTE_DOR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/fast_divide.h"
#include "route/route_runs.h"
#include "route/routes.h"
#include "route/survey.h"

CW_BEGIN_DECLS

enum cw_dor_tie { CW_DOR_TIE_PLUS, CW_DOR_TIE_MINUS, CW_DOR_TIE_EVEN_ODD, CW_DOR_TIE_BALANCED, CW_DOR_TIE_BGQ };

struct cw_dor_dimension {
    uint32_t k;
    struct cw_divisor divisor; /* k */
    struct cw_divisor block;   /* stride · k: nodes that differ in this dimension and those below only */
    uint32_t stride;           /* nodes from a coordinate to the next */
    uint32_t place;            /* of its first channel, for runs; of tori */
    /* Of a torus, whose switches have all the same number of ports: the channel from coordinate i to i + 1, and that
     * from k - 1 - i to k - 2 - i, as distances from the first channel of the ring's switch with coordinate 0. They are
     * kept for i from 0 once round and a half, so that a route is a stretch of them and need not look for the edge. */
    uint32_t *up, *down;
};

struct cw_dor {
    const struct cw_network *net;
    uint32_t n;
    bool wrap, doubled;
    enum cw_dor_tie tie;
    struct cw_dor_dimension dimension[CW_TORUS_DIMENSIONS];
    uint32_t order[CW_TORUS_DIMENSIONS];
};

/* Cables of dimension D at coordinate X. */
static inline uint32_t cw_dor_cables_at(const struct cw_dor *dor, uint32_t d, uint32_t x)
{
    const uint32_t k = dor->dimension[d].k;
    if (k < 2) return 0;
    if (dor->wrap && (k > 2 || dor->doubled)) return 2;
    return k == 2 ? 1 : (uint32_t)(x > 0) + (uint32_t)(x + 1 < k);
}

/* Index of the first port of dimension D at coordinates AT. Port 0 is the endpoint's. */
static inline uint32_t cw_dor_first_port(const struct cw_dor *dor, uint32_t d, const uint32_t *at)
{
    uint32_t port = 1;
    for (uint32_t e = 0; e < d; e++) port += cw_dor_cables_at(dor, e, at[e]);
    return port;
}

/* What must be added to the first port to go to X - 1: the port to X + 1, if there is another, comes before. */
static inline uint32_t cw_dor_minus_port(const struct cw_dor *dor, uint32_t d, uint32_t x)
{
    if (dor->wrap) return cw_dor_cables_at(dor, d, x) - 1;
    return x + 1 < dor->dimension[d].k ? 1 : 0;
}

/* True if a route half-way round a ring of K, from coordinate X to a destination whose coordinates have the sum SUM (or
 * one of its parity), goes up. */
static inline bool cw_dor_tie_goes_plus(enum cw_dor_tie tie, uint32_t x, uint32_t k, uint32_t sum)
{
    switch (tie) {
    case CW_DOR_TIE_PLUS:
        return true;
    case CW_DOR_TIE_MINUS:
        return false;
    case CW_DOR_TIE_EVEN_ODD:
        return x % 2 == 0;
    case CW_DOR_TIE_BGQ: /* bgq_default.c */
        return (x < k / 2) == (x % 2 == 0);
    case CW_DOR_TIE_BALANCED:
        break;
    }
    return sum % 2 == 0;
}

/* Compiles dimension-order routes of NET, a torus or a mesh that `cw_dor_accepts`, as the closed form FORMULA, one of
 * CW_DOR_FORMULA. ORDER has each dimension once. LANES is used where rings are long enough to need them. */
struct cw_formula;
bool cw_dor_accepts(const struct cw_network *net, const void *values);
int cw_dor_compile(const struct cw_network *net, const struct cw_formula *formula, const uint32_t *order,
                   enum cw_dor_tie tie, uint32_t lanes, struct cw_routes **out);

/* The functions of such a form (routes_internal.h). */
#define CW_DOR_FORMULA(NAME)                                                                                           \
    {                                                                                                                  \
        .name = (NAME), .paths = cw_dor_paths, .can_survey = cw_dor_formula_can_survey,                                \
        .survey = cw_dor_formula_survey, .most_runs = cw_dor_most_runs, .runs = cw_dor_runs, .places = cw_dor_places,  \
        .free_state = cw_dor_free                                                                                      \
    }
int cw_dor_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes);
uint32_t cw_dor_most_runs(const void *state);
size_t cw_dor_runs(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *n_runs,
                   struct cw_run *runs);
void cw_dor_places(const void *state, uint32_t *place);
bool cw_dor_formula_can_survey(const void *state, const struct cw_survey *survey);
int cw_dor_formula_survey(const void *state, struct cw_survey *survey);
void cw_dor_free(void *state);

/* All routes at once (survey.h), all endpoints taking part; not for very long lines. */
bool cw_dor_can_survey(const struct cw_dor *dor);
int cw_dor_survey(const struct cw_dor *dor, struct cw_survey *survey);

CW_END_DECLS

#endif
