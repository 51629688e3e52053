/*
 * Columns: the paths a method has found so far, with the flow on each. No path is there twice.
 *
 * Flow and capacity are normalised as in flow_problem.h: a demand of unit_bytes is 1, the greatest capacity is 1. Of a
 * quotient (flow/quotient.h) paths are folded: one may have a channel several times, and loads it as often.
 */
#ifndef CW_FLOW_COLUMNS_H
#define CW_FLOW_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/plan.h"
#include "flow/pricing/pricing.h"

CW_BEGIN_DECLS

struct cw_path_column {
    uint32_t demand;
    uint32_t n;    /* channels */
    size_t begin;  /* of them in `channels` */
    uint64_t hash; /* of them */
    double flow;   /* ≥ 0; those of a demand add up to it */
    uint32_t next; /* column of the same demand, or CW_NONE */
};

struct cw_columns {
    const struct cw_flow_problem *problem;
    struct cw_path_column *items;
    size_t n, capacity;
    uint32_t *channels;
    size_t n_channels, channels_capacity;
    uint32_t *first;          /* [demands] latest column of each, or CW_NONE */
    double *amount;           /* [demands] normalised */
    double *inverse_capacity; /* [channels] of the normalised capacity; 0 for those without limit */
};

int cw_columns_make(const struct cw_flow_problem *problem, struct cw_columns *out);
void cw_columns_free(struct cw_columns *columns);

/* Adds a path without flow, unless it is there; *OUT is its column. */
int cw_columns_add(struct cw_columns *columns, uint32_t demand, const uint32_t *channels, uint32_t n, uint32_t *out);

/* Adds what the last run of PRICING found for every demand. */
int cw_columns_add_priced(struct cw_columns *columns, const struct cw_pricing *pricing);

/* Sets LOAD [channels] to the flow on each; the result is the greatest load / capacity, and z is its inverse. */
double cw_columns_load(const struct cw_columns *columns, double *load);

/* The channels that one of two paths has and the other has not, or less often: first those of `from`. */
struct cw_column_difference {
    struct cw_channel_times {
        uint32_t channel;
        int32_t times; /* in `from`, less those in `to`; not 0 */
    } * items;
    uint32_t n;
    int32_t *times; /* [channels] work space, 0 */
};

int cw_column_difference_make(const struct cw_columns *columns, struct cw_column_difference *out);
void cw_column_difference_free(struct cw_column_difference *difference);
void cw_columns_compare(const struct cw_columns *columns, const struct cw_path_column *from,
                        const struct cw_path_column *to, struct cw_column_difference *difference);

/* How often COLUMN has its channel I if that is the first time, else 0. */
uint32_t cw_columns_times(const struct cw_columns *columns, const struct cw_path_column *column, uint32_t i);

/* Adds every column with flow to PLAN; of a quotient the paths of all demands of the whole. */
int cw_columns_plan(const struct cw_columns *columns, struct cw_plan *plan);

/*
 * Pruning: the same z with fewer hops and fewer paths.
 *
 * What is optimal in z may take needless detours and split demands into crumbs. As long as no channel gets more than
 * the most loaded one has, flow goes from a demand's paths to shorter ones, and to equally long ones where that empties
 * a path. Local and quick: a least number of hops is not promised.
 */
int cw_columns_prune(struct cw_columns *columns);

CW_END_DECLS

#endif
