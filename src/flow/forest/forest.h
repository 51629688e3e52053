/*
 * Collectives by spanning trees, as fast as the bandwidth of a network allows: no schedule whatever is faster where
 * latency does not count, and a cut proves it.
 *
 * Every root has data for all members. Whatever leaves a set S of vertices that some member is outside of crosses the
 * channels that leave S; so roots in S that have a byte each need at least |roots in S| / capacity(S) seconds. The
 * greatest such quotient over all S is the bound, found exactly by max-flows; capacities are rounded down to whole
 * bit/s.
 *
 * Switches do not copy. So they are removed one by one: capacity into and out of a switch is joined to arcs past it, as
 * far as no cut falls below the bound. This loses nothing where as much capacity leads into each switch as out of it
 * (Bang-Jensen, Frank, Jackson 1995), which cables with equal directions promise. Elsewhere it may, and `rate` says
 * what is left. Then trees are packed by Edmonds' theorem, with weights (Bérczi, Frank 2010): all of one shape at
 * once.
 * The whole is the way of ForestColl (Zhao et al. 2024).
 *
 * Data flow towards the roots for reductions: the trees of the network with all its channels turned round.
 *
 * Endpoints that are not members pass on nothing. Cost: members² max-flows on a graph of the members.
 */
#ifndef CW_FLOW_FOREST_H
#define CW_FLOW_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/moves/moves.h"
#include "net/network.h"
#include "traffic/rank_program.h"

CW_BEGIN_DECLS

#define CW_FOREST_MEMBERS 1024 /* at most */
#define CW_FOREST_WIDE    64   /* members, up to which wide trees are found in seconds */

struct cw_forest_setup {
    const struct cw_network *net;
    const uint32_t *members; /* endpoints, all different */
    uint32_t n_members;      /* ≥ 2 */
    uint32_t root;           /* the only root, one of the members; CW_NONE: every member is one */
    bool to_roots;           /* data flow to the roots and are reduced on the way; else from them */
    bool wide;           /* trees branch as much as they can: else they may be chains. Both are as fast in the end, and
                          * either may be faster with chunks; wide ones take longer to find */
    uint32_t most_trees; /* of each root; 0: as many as the greatest rate takes. With fewer, `rate` is the greatest of
                          * so many trees that carry alike, and what is missing to the cut is certified */
};

/* Data go from TAIL to HEAD, two members, over the channels of path PATH. */
struct cw_forest_edge {
    uint32_t tail, head;
    size_t path;
};

/* Spans all members. Its edges are n_members - 1 from `first` on, from the root on: each
 * begins at a member that those before it have reached; with to_roots, ends there. */
struct cw_forest_tree {
    uint32_t root, depth;
    int64_t weight; /* its share of the data of its root is weight / root_weight */
    size_t first;
};

struct cw_forest {
    uint32_t n_members, n_roots;
    struct cw_forest_tree *trees;
    struct cw_forest_edge *edges;
    size_t n_trees, n_edges;
    size_t *path_first; /* [n_paths + 1] */
    uint32_t *channels; /* [path_first[n_paths]] in the order in which data take them */
    size_t n_paths;
    int64_t root_weight; /* the trees of each root weigh so much */
    double rate;         /* [byte/s] of each root, along its trees */
    /* The proof: no rate is greater than cut_capacity / cut_roots. */
    bool *cut;           /* [vertices] S; with to_roots, what is outside of it gives to what is inside */
    uint32_t cut_roots;  /* roots in S */
    double cut_capacity; /* [byte/s] leaving S, or entering it with to_roots */
};

/* Finds *OUT. CW_EUSAGE: too few or too many members, some that cannot reach another, capacities that are not
 * from 1 to 1e18 bit/s, or so odd that sums of them, in their common measure, do not fit into 64 bits. Free with
 * cw_forest_free. */
int cw_forest_find(const struct cw_forest_setup *setup, struct cw_forest *out);
void cw_forest_free(struct cw_forest *forest); /* what is in it */

/* Checks FOREST by itself, whoever made it: each tree spans the members from its root, in the promised order; each path
 * leads where its edge does, past no other member; no channel carries more at `rate` than its capacity; and the cut is
 * one, anew counted. 0, or CW_EINTERNAL with what is wrong. */
int cw_forest_check(const struct cw_forest_setup *setup, const struct cw_forest *forest);

/* What ranks do, rank i on member i: the data of each tree go along it in chunks, of which a rank sends each on when it
 * has it, or has all that is combined with it, and has sent the one before along that edge. Where a send is done once
 * its bytes are through (`rendezvous` of sim/flows/flow_sim.h), each edge carries one chunk at a time. */
struct cw_forest_program {
    struct cw_program *program;
    /* The channels that messages take: of action i, if it is a send, those from first[i] to before first[i + 1], each
     * once, and how often it is crossed. */
    size_t *first;
    uint32_t *channels;
    double *shares;
};

/* FORESTS[0 … N - 1] are carried out one after another, all with the same members: a root begins with one when it has
 * received all that the one before has for it. The data of all roots together are BYTES, those of each tree cut into
 * CHUNKS, as evenly as possible. CW_ELIMIT: 2^32 - 1 actions or more. Free with cw_forest_program_free. */
int cw_forest_program_new(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n,
                          uint64_t bytes, uint32_t chunks, struct cw_forest_program *out);
void cw_forest_program_free(struct cw_forest_program *made); /* what is in it */

/* The same as moves (flow/moves/moves.h): the data of a root are a demand for all others, or the sum of what all have;
 * where data flow to the roots and then from there, all data are one demand. Those of a tree are a stream, and the
 * chunks of all trees as long as those of the one that has most data. Ranks are numbered in the order of endpoints.
 * Their method and times are the caller's. CW_EUSAGE: a root has no data, or data that are added up are not whole
 * numbers of CW_MOVES_ELEMENT bytes. */
int cw_forest_moves(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n, uint64_t bytes,
                    uint32_t chunks, struct cw_moves *out);

CW_END_DECLS

#endif
