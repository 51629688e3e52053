/*
 * What can be said of a network without routing it.
 */
#ifndef CW_TOPO_METRICS_H
#define CW_TOPO_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_distances {
    uint32_t diameter;    /* greatest distance between two endpoints, in hops (channels, the host's included) */
    double mean_distance; /* mean over ordered pairs of different endpoints */
    uint64_t unreachable; /* ordered pairs without a path (these are in neither figure) */
    bool exact;           /* false: estimated from a sample of sources, which makes diameter a lower bound */
    uint32_t sources;     /* sources searched: sets of neighbours, or endpoints of a sample; 0: by formula */
};

/* Distances between endpoints: by formula where the shape has one, else by search. */
CW_API int cw_network_distances(const struct cw_network *net, unsigned n_threads, uint64_t seed,
                                struct cw_distances *out);

/* By formula only; CW_EUSAGE if the shape has none (XGFT, torus, mesh, hypercube, crossbar and a dragonfly with all its
 * groups in the palmtree or relative arrangement have one). O(dimensions), O(channels) for dragonflies. */
CW_API int cw_network_distances_by_formula(const struct cw_network *net, struct cw_distances *out);

/* By breadth-first search only, from every set of neighbours that endpoints have, 64 at a time in the bits of a word,
 * on N_THREADS threads (0: all cores). Where that would take more than MAX_STEPS looks at an edge or vertex, from a
 * random sample (SEED) of endpoints, 64 at least, and `unreachable` is scaled up. Endpoints forward nothing. */
CW_API int cw_network_distances_by_search(const struct cw_network *net, unsigned n_threads, uint64_t seed,
                                          double max_steps, struct cw_distances *out);

/* How many ordered pairs of endpoints are how far apart: OUT [*N], by distance, the caller's; and what DISTANCES of the
 * same search are. Arguments as above. */
CW_API int cw_network_distance_counts(const struct cw_network *net, unsigned n_threads, uint64_t seed, double max_steps,
                                      uint64_t **out, uint32_t *n, struct cw_distances *distances);

#define CW_DISTANCES_STEPS 1e10 /* that cw_distances allows: about a minute of one core */

struct cw_bisection {
    double channels; /* channels from one half to the other (endpoints split in halves; one direction) */
    double capacity; /* byte/s of those */
    bool exact;      /* by formula; false: an upper bound, the best cut a heuristic found */
    const char *how; /* how it was found: a short phrase, static */
};

/* Bisection: the least capacity between two halves (⌊n/2⌋, ⌈n/2⌉) of the endpoints, switches on whichever side is
 * better. Host channels count, so it is never more than half the endpoints' own capacity. Exact where topo/NAME.c
 * proves it (all channels of equal capacity): crossbars; XGFT with a whole number of cables a pair; tori, meshes and
 * hypercubes whose longest dimension is even; dragonflies with all groups, an even number, and short of global
 * channels, and Megafly likewise with leaves enough; HyperX whose dimension of the fewest cables is even; rail clusters
 * halved by whole nodes or pods. Elsewhere it is an upper bound, from local search on the best of several partitions of
 * SEED. */
CW_API int cw_network_bisection(const struct cw_network *net, uint64_t seed, struct cw_bisection *out);

/* By formula only; CW_EUSAGE if the shape has none. O(channels). */
CW_API int cw_network_bisection_by_formula(const struct cw_network *net, struct cw_bisection *out);

/* By search only. */
CW_API int cw_network_bisection_by_search(const struct cw_network *net, uint64_t seed, struct cw_bisection *out);

/* Number of connected components among all vertices (isolated ones count). 0 if there are none, or no memory. */
CW_API uint32_t cw_components(const struct cw_network *net);

CW_END_DECLS

#endif
