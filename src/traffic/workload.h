/*
 * Workloads: where each message of a rank goes, for simulations in which ranks send again and again.
 *
 * A workload sees ranks, their number and how many make up a group (dragonflies; elsewhere 1); never the network or its
 * routes. Fixed ones give each rank one destination (bit complement, shift …), random ones draw one for every message
 * (uniform, hotspot), and those with several flows (matrix, all phases of a neighbour exchange) draw in proportion to
 * their sizes.
 *
 * Adding one: a file traffic/workload_NAME.c with one descriptor (small relatives may share a file), one line in
 * traffic/workload.c.
 */
#ifndef CW_TRAFFIC_WORKLOAD_H
#define CW_TRAFFIC_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/option.h"
#include "base/random.h"
#include "base/registry.h"
#include "traffic/flows.h"
#include "traffic/ranks.h"

CW_BEGIN_DECLS

struct cw_workload_kind {
    const char *name; /* "bitcomp" */
    const char *help; /* with its formula */
    const struct cw_option *options;
    size_t size;
    /* Prepares the workload among RANKS, drawing once from RANDOM what is fixed for the run (a permutation): CW_EUSAGE
     * with the reason where it is undefined for that number. *STATE is given to the others and freed with `release`
     * (NULL: free()). */
    int (*prepare)(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state);
    void (*release)(void *state);
    /* Where RANK's next message goes, RANDOM being 64 random bits of its own; RANK itself: it sends nothing. */
    uint32_t (*destination)(const void *state, uint32_t rank, uint64_t random);
    /* Appends the flows of RANK with their shares: bytes in proportion to how much of its traffic each is, at most 2^32
     * in all (2^32 is all its traffic, but each share is rounded down). Uniform: one to every other rank. For models.
     */
    int (*flows)(const void *state, uint32_t rank, struct cw_flows *flows);
};

extern const struct cw_workload_kind *const cw_workload_kinds[]; /* ended by NULL */
extern const struct cw_registry cw_workload_registry;

struct cw_workload;

/* From "NAME[:parameters]": uniform, bitcomp, shift:M (groups), neighbour3d[:XxYxZ], adversarial:N, permutation,
 * hotspot:N, matrix:FILE. Immutable; any number of threads may use it. */
int cw_workload_new(const char *spec, const struct cw_ranks *ranks, uint64_t seed, struct cw_workload **out);
void cw_workload_free(struct cw_workload *workload);
const char *cw_workload_spec(const struct cw_workload *workload);
uint32_t cw_workload_ranks(const struct cw_workload *workload);
uint32_t cw_workload_destination(const struct cw_workload *workload, uint32_t rank, uint64_t random);
/* Appends the flows of RANK, or those of all ranks, rank by rank. */
int cw_workload_flows_of(const struct cw_workload *workload, uint32_t rank, struct cw_flows *flows);
int cw_workload_flows(const struct cw_workload *workload, struct cw_flows *flows);

CW_END_DECLS

#endif
