/*
 * Which share of its traffic each rank puts on each channel, by enumeration: every flow, every choice of the routing.
 * Not installed.
 *
 * Where the routing looks at queues (choices = 0), only the channels from and to endpoints are known.
 */
#ifndef CW_MODEL_LINK_SHARES_H
#define CW_MODEL_LINK_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/batches.h"
#include "model/packing.h"

CW_BEGIN_DECLS

struct cw_link_sums {
    double bandwidth; /* byte/s that the ranks that send can inject */
    double traffic;   /* what they send to others then: less where a rank sends to itself, too */
    bool by_queues;   /* the routing looks at queues */
};

/* Adds to LOAD[channels], all 0, the traffic of each if every rank sends all it can, in units of the channel's
 * capacity. CW_ELIMIT if that takes minutes. */
int cw_link_shares_sum(const struct cw_batches *of, unsigned n_threads, double *load, struct cw_link_sums *sums);

/* The same by ranks, for the channels that have a column: column_of[channel] < N_COLUMNS, or CW_NONE. A rank's `use` is
 * for all it can inject, its `worth` a share of BANDWIDTH; neighbours that are alike have one row. At most MOST entries
 * are kept: beyond, a rank is shown as if it did not use the last of its columns, and a bound from above is looser. */
int cw_link_shares_rows(const struct cw_batches *of, unsigned n_threads, const uint32_t *column_of, uint32_t n_columns,
                        double bandwidth, uint64_t most, struct cw_packing *out);

CW_END_DECLS

#endif
