/*
 * Tidying: the same z with fewer hops and fewer paths.
 *
 * What is optimal in z may take needless detours and split demands into crumbs. As long as no channel gets more than
 * the most loaded one has, flow goes from a demand's paths to shorter ones, and to equally long ones where that empties
 * a path. Local and quick: a least number of hops is not promised.
 */
#ifndef CW_FLOW_TIDY_H
#define CW_FLOW_TIDY_H

#include "base/decls.h"
#include "flow/columns.h"

CW_BEGIN_DECLS

int cw_tidy(struct cw_columns *columns);

CW_END_DECLS

#endif
