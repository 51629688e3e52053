/*
 * Demands that belong together: those with one end, for which one search will do. Private to flow/.
 */
#ifndef CW_FLOW_DEMAND_GROUPS_H
#define CW_FLOW_DEMAND_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Group g has the demands order[begin[g]] … order[begin[g + 1] - 1], ascending. Starts zeroed. */
struct cw_demand_groups {
    uint32_t *order; /* [demands] */
    size_t *begin;   /* [n + 1] */
    size_t n;
};

/* Puts demands 0 … N-1 with the same KEY [N] together, groups in the order of keys. 0 or CW_ENOMEM. */
int cw_demand_groups_make(const uint32_t *key, size_t n, struct cw_demand_groups *out);
void cw_demand_groups_free(struct cw_demand_groups *groups);

CW_END_DECLS

#endif
