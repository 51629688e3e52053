/*
 * A data-movement problem: who must send how much to whom, over a network whose channels have capacities.
 *
 * Z is the fraction of every demand moved in the time in which one channel at full (the network's greatest) capacity
 * moves the largest demand: with capacity 1 everywhere and demand 1 each, the fraction of all demands moved per unit of
 * time (Bui et al., Model 1).
 *
 * Channels from and to endpoints are cables like any other, but where a node is its switch (cw_network_node_is_switch,
 * Blue Gene's machines): there they have no limit unless asked for.
 */
#ifndef CW_FLOW_FLOW_PROBLEM_H
#define CW_FLOW_FLOW_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/selection.h"

CW_BEGIN_DECLS

struct cw_demand {
    uint32_t src, dst; /* endpoints, different */
    uint64_t bytes;    /* > 0 */
};

/* A list of demands; starts zeroed. */
struct cw_demands {
    struct cw_demand *items;
    size_t n, capacity;
    uint64_t self_bytes; /* of pairs with src = dst, which were left out: they move nothing over the network */
    size_t self_pairs, merged_pairs;
};

CW_API void cw_demands_free(struct cw_demands *demands);

/* Appends a demand, or counts it in self_… where SRC = DST. CW_EUSAGE for 0 bytes, or if those of self are beyond 64
 * bits. Does not merge. */
CW_API int cw_demands_add(struct cw_demands *demands, uint32_t src, uint32_t dst, uint64_t bytes);

/* Adds the bytes of pairs that occur again to the first of them, in whose place they stay, and counts them in
 * merged_pairs. CW_EUSAGE beyond 64 bits. Time: n log n. */
CW_API int cw_demands_merge(struct cw_demands *demands);

/* What the ranks of the pattern SPEC (traffic/pattern.h) send in all its rounds, drawn by SEED: BYTES for each flow,
 * unless the pattern has sizes of its own. Rank i is the i-th endpoint of SELECTION (NULL: of all). Pairs that occur
 * again are merged; the demands of one round are in its order, those of several by source, then destination. CW_EUSAGE
 * if the pattern is not defined for so many ranks, or nobody sends to another. */
CW_API int cw_demands_pattern(const struct cw_network *net, const struct cw_selection *selection, const char *spec,
                              uint64_t bytes, uint64_t seed, struct cw_demands *out);

struct cw_legs;
struct cw_anycast_problem;
struct cw_quotient;

struct cw_flow_problem {
    const struct cw_network *net; /* borrowed */
    const struct cw_demands *demands;
    const struct cw_legs
        *legs;        /* of which every path consists (flow/legs/legs.h); NULL: paths are free, every switch relays */
    double *capacity; /* [channels] byte/s: 0 for failed ones, INFINITY for those without a limit; owned */
    double unit_capacity; /* the greatest finite one, failed or not */
    uint64_t unit_bytes;  /* the largest demand */
    const struct cw_anycast_problem
        *anycast;                       /* any of several endpoints is a destination (flow/anycast); mostly NULL */
    const struct cw_quotient *quotient; /* that this is, of another problem (flow/quotient.h); mostly NULL */
};

/* HOST_LIMIT: 0 as described above; 1 host channels are limited; -1 they are not. FAILED:
 * channel ids (both directions are the caller's affair), may be NULL. CW_EUSAGE names a demand whose endpoints are not
 * connected any more. */
CW_API int cw_flow_problem_make(const struct cw_network *net, const struct cw_demands *demands, int host_limit,
                                const uint32_t *failed, size_t n_failed, struct cw_flow_problem *out);
/* The same for paths that consist of LEGS, which must be those of NET and DEMANDS. */
CW_API int cw_flow_problem_make_on_legs(const struct cw_legs *legs, const struct cw_demands *demands, int host_limit,
                                        const uint32_t *failed, size_t n_failed, struct cw_flow_problem *out);
/* CW_EUSAGE for a problem that was not made. */
CW_API int cw_flow_problem_check(const struct cw_flow_problem *problem);
CW_API void cw_flow_problem_free(struct cw_flow_problem *problem);

/* Hops of a path that count: channels with a limit. */
CW_API uint32_t cw_flow_hops(const struct cw_flow_problem *problem, const uint32_t *channels, size_t n);

/* Relays of a path: switches between its channels with a limit; where it consists of legs, endpoints between them. */
CW_API uint32_t cw_flow_relays(const struct cw_flow_problem *problem, const uint32_t *channels, size_t n);
/* True if a path with the channels ONE, then NEXT, is relayed between them. */
CW_API bool cw_flow_is_relay(const struct cw_flow_problem *problem, uint32_t one, uint32_t next);

CW_END_DECLS

#endif
