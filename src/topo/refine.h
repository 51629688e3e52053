/*
 * Local search for a balanced cut of a weighted graph, after Fiduccia and Mattheyses ("A linear-time heuristic for
 * improving network partitions", DAC 1982), with a price on imbalance instead of a limit.
 */
#ifndef CW_TOPO_REFINE_H
#define CW_TOPO_REFINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* An undirected graph in compressed rows: each edge stands in both its rows, with the same cost. Arrays are borrowed.
 */
struct cw_graph {
    uint32_t n;
    const size_t *first;    /* [n + 1] */
    const uint32_t *next;   /* neighbours */
    const double *cost;     /* of each edge, where `next` has its end */
    const uint32_t *weight; /* [n] */
};

/* Improves SIDE (0 or 1 for each vertex) until N_PASSES passes are over or one gains nothing. What becomes less is the
 * cost of the edges between the sides, and PRICE for each unit of weight that would have to change sides to make them
 * equal. O(passes · edges · log n). Deterministic. */
int cw_refine(const struct cw_graph *graph, double price, unsigned n_passes, uint8_t *side);

CW_END_DECLS

#endif
