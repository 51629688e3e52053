/*
 * Pricing: the shortest path of every demand when channels have lengths, among all paths or among given ones.
 *
 * All paths: Dijkstra's algorithm over the switches, one search for each switch (or many-ported endpoint) that demands
 * begin at, or that they end at, whichever are fewer; in large networks, if these have few demands, they meet with
 * others from the far ends. Endpoints forward nothing; channels without capacity are not used. Memory: proportional to
 * the network and the demands. Where paths consist of legs: flow/legs/leg_pricing.c.
 *
 * Of a quotient (flow/quotient.h) lengths, paths and bounds are the quotient's; searches are in the whole network.
 *
 * Lengths are ≥ 0, and 0 on channels without a limit. Whatever they are, they prove a bound (weak duality of Model 1):
 * no plan over the paths that are priced moves more than Σ capacity · length / Σ demand · distance.
 */
#ifndef CW_FLOW_PRICING_H
#define CW_FLOW_PRICING_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/paths/k_paths.h"

CW_BEGIN_DECLS

struct cw_pricing;

/* PATHS (borrowed): the paths that may be used; NULL: all. */
int cw_pricing_make(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, unsigned n_threads,
                    struct cw_pricing **out);
void cw_pricing_free(struct cw_pricing *pricing);

/* Runs over all paths that are free end with CW_ELIMIT after DEADLINE, a moment of base/stopwatch.h; INFINITY at first.
 */
void cw_pricing_limit(struct cw_pricing *pricing, double deadline);

/* Finds the shortest path of every demand by LENGTH [channels]. Deterministic for any number of threads, ties included.
 * CW_EUSAGE where a demand has no path. */
int cw_pricing_run(struct cw_pricing *pricing, const double *length);

/* Only how long they are, where paths are free: for a bound, or a count of hops. Where most lengths are 0 paths are as
 * long as it happens, and many of them fill the memory. */
int cw_pricing_measure(struct cw_pricing *pricing, const double *length);

/* In large networks demands may be priced in so many parts, one after another: as many as one run has searches, but
 * each part by lengths that know what became of the parts before. 1: there is only the whole. */
uint32_t cw_pricing_parts(const struct cw_pricing *pricing);
int cw_pricing_run_part(struct cw_pricing *pricing, const double *length, uint32_t part);

/* What the last run found for DEMAND: its distance, and a path's channels, valid until the next path. Path 0 is the
 * shortest; in large networks others that are nearly as short are drawn from the same search, and may be the same. No
 * paths: it was in another part. */
double cw_pricing_distance(const struct cw_pricing *pricing, size_t demand);
uint32_t cw_pricing_n_paths(const struct cw_pricing *pricing, size_t demand);
const uint32_t *cw_pricing_path(const struct cw_pricing *pricing, size_t demand, uint32_t i, uint32_t *n);

/* The bound of z that the last run, if it was of all demands, proves; INFINITY if all distances are 0. */
double cw_pricing_bound(const struct cw_pricing *pricing, const double *length);

/* Demands that belong together: those with one end, for which one search will do (also in flow/legs/leg_pricing.c).
 * Group g has the demands order[begin[g]] … order[begin[g + 1] - 1], ascending. Starts zeroed. */
struct cw_demand_groups {
    uint32_t *order; /* [demands] */
    size_t *begin;   /* [n + 1] */
    size_t n;
};

/* Puts demands 0 … N-1 with the same KEY [N] together, groups in the order of keys. 0 or CW_ENOMEM. */
int cw_demand_groups_make(const uint32_t *key, size_t n, struct cw_demand_groups *out);
void cw_demand_groups_free(struct cw_demand_groups *groups);

/* --- where paths consist of legs (flow/legs/leg_pricing.c, asked by the above) ------------------------------------ */

struct cw_leg_pricing;

int cw_leg_pricing_make(const struct cw_flow_problem *problem, unsigned n_threads, struct cw_leg_pricing **out);
void cw_leg_pricing_free(struct cw_leg_pricing *pricing);

/* Finds the path of every demand by LENGTH [channels]; the same for any number of threads: of equal ones that with the
 * fewest relays, of these the first. No path has a channel twice; where the cheapest has, another is given, but the
 * distance is still that of the cheapest, which is a lower bound. CW_EUSAGE where a demand has no path. */
int cw_leg_pricing_run(struct cw_leg_pricing *pricing, const double *length);

double cw_leg_pricing_distance(const struct cw_leg_pricing *pricing, size_t demand);
const uint32_t *cw_leg_pricing_path(const struct cw_leg_pricing *pricing, size_t demand, uint32_t *n);

CW_END_DECLS

#endif
