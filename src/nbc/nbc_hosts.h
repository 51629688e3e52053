/*
 * The hosts of a communicator, and the trees along which they pass data on. Hosts are numbered in the order of their
 * first ranks. What is here is the same on all of them.
 */
#ifndef CW_NBC_HOSTS_H
#define CW_NBC_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "nbc/nbc_between.h"
#include "nbc/nbc_collective.h"

CW_BEGIN_DECLS

struct cw_nbc_hosts {
    int n, me;       /* hosts; this one, or -1 */
    int n_ranks;     /* of the communicator */
    int *leaders;    /* [n] the number by which each host is known */
    int *of_rank;    /* [n_ranks] the host of each rank, … */
    int *among_host; /* [n_ranks] … and which of its ranks it is */
    int *first;      /* [n + 1] ranks of host h are … */
    int *ranks;      /* [n_ranks] … ranks[first[h]], … ranks[first[h + 1] - 1], rising */
    int *by_fabric;  /* [n] hosts in the order of the fabric, … */
    int *places;     /* [n] … and the place of each in it */
};

/* LEADERS: of each rank. This host is that of LEADER. PLACES: by leader, its host's place in the order of the fabric,
 * -1 where that is not known: these come last, in the order of first ranks; NULL: no host is known. CW_ENOMEM. */
int cw_nbc_hosts_new(int n_ranks, const int *leaders, int leader, const int *places, struct cw_nbc_hosts *out);
void cw_nbc_hosts_free(struct cw_nbc_hosts *hosts);

/* The host that is STEPS places on from HOST, in a round; of the fabric, or of first ranks. STEPS may be negative. */
int cw_nbc_hosts_next(const struct cw_nbc_hosts *hosts, bool by_fabric, int host, int steps);

/* Bytes of a segment of a message that goes along a tree, the same on all hosts; the last may have fewer. A multiple of
 * the size of any number. */
uint64_t cw_nbc_hosts_segment(uint64_t bytes);

/* How many no longer than that each of N_BLOCKS equal parts of a message has. */
uint32_t cw_nbc_hosts_segments(uint64_t bytes, uint32_t n_blocks);

/* Which of the two trees suits a message of SEGMENTS as long as nothing is known of the network. */
enum cw_nbc_shape cw_nbc_hosts_shape(int hosts, uint32_t segments); /* CW_NBC_CHAIN, or CW_NBC_KNOMIAL of radix 2 */

/* Whether an allreduce goes round a ring of HOSTS, each of which has a block of the vector. */
bool cw_nbc_hosts_go_round(const struct cw_nbc_between *between, enum cw_collective_kind collective, int hosts,
                           uint64_t bytes);

/* This host's place in a tree that begins at the host ROOT. */
struct cw_nbc_branch {
    int parent; /* a host; -1: this is the root */
    int n_children;
    int *children; /* in the order in which they are served */
};

/* For a message of SEGMENTS, which follow each other along the tree. CW_ENOMEM. Free `children`. */
int cw_nbc_branch_new(const struct cw_nbc_hosts *hosts, const struct cw_nbc_between *between, int root,
                      uint32_t segments, struct cw_nbc_branch *out);

CW_END_DECLS

#endif
