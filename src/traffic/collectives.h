/*
 * The catalogue of collectives: which there are, and in one table what is particular to each. Schedules, the split-tree
 * model, the library of nonblocking collectives, predictions and measurements ask it.
 *
 * Adding one: its constant, its entry in collectives.c, and a schedule whose result it is (traffic/schedule.h). No
 * switch over the kinds has a default: the compiler names those that must know it. Lists of some collectives are
 * registries over the table that pick by a trait (`has` of base/registry_internal.h).
 */
#ifndef CW_TRAFFIC_COLLECTIVES_H
#define CW_TRAFFIC_COLLECTIVES_H

#include <stdbool.h>

#include "base/decls.h"
#include "base/registry.h"

CW_BEGIN_DECLS

/* And what holds when it is done. Rank i begins with its contribution to every block it owns at the start. */
enum cw_collective_kind {
    CW_COLLECTIVE_BCAST,          /* every rank holds the root's blocks */
    CW_COLLECTIVE_REDUCE,         /* the root holds every rank's contribution, once each, to every block */
    CW_COLLECTIVE_ALLREDUCE,      /* every rank does */
    CW_COLLECTIVE_SCATTER,        /* rank i holds block i of the root */
    CW_COLLECTIVE_GATHER,         /* the root holds block i of every rank i */
    CW_COLLECTIVE_ALLGATHER,      /* every rank does */
    CW_COLLECTIVE_REDUCE_SCATTER, /* rank i holds every contribution to block i */
    CW_COLLECTIVE_ALLTOALL,       /* rank i holds block (j·n + i) of every rank j: n² blocks */
    CW_COLLECTIVE_BARRIER         /* every rank has heard, directly or not, from every other */
};
#define CW_COLLECTIVES (CW_COLLECTIVE_BARRIER + 1)

struct cw_collective_traits {
    const char *name;  /* as users type it: "bcast" */
    bool root_gives;   /* only the root has something at the start; else every rank */
    bool root_takes;   /* only the root has something at the end; else every rank */
    bool gives_blocks; /* who gives has a block for each rank; else the same for all */
    bool takes_blocks; /* who takes gets a block from each rank */
    bool reduces;      /* what ranks give is combined */
    bool no_data;      /* ranks only hear of one another */
    bool carried;      /* libcrosswind-nbc carries it out (nbc/) */
    /* Schedules that carry it out; NULL: there is none of the kind. */
    const char *usual;    /* for short messages: what the name alone means; never NULL */
    const char *tree;     /* along a k-nomial tree, whose radix is its parameter: what can be a split tree */
    const char *straight; /* between the root and each other rank, in one round */
};

CW_API extern const struct cw_collective_traits cw_collectives[]; /* [CW_COLLECTIVES], then one without a name */
CW_API extern const struct cw_registry cw_collective_registry;    /* all of them */
CW_API extern const struct cw_registry cw_collective_trees;       /* those with `tree` */

/* Of an item of a registry over the table. */
static inline enum cw_collective_kind cw_collective_kind_of(const struct cw_collective_traits *traits)
{
    return (enum cw_collective_kind)(traits - cw_collectives);
}

/* Whether one rank is the root. */
static inline bool cw_collective_is_rooted(enum cw_collective_kind kind)
{
    return cw_collectives[kind].root_gives || cw_collectives[kind].root_takes;
}

/* Whether blocks are told apart; else all ranks have to do with one vector. */
static inline bool cw_collective_has_blocks(enum cw_collective_kind kind)
{
    return cw_collectives[kind].gives_blocks || cw_collectives[kind].takes_blocks;
}

CW_END_DECLS

#endif
