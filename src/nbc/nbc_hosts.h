/*
 * The hosts of a communicator, and the trees along which they pass data on. Hosts are numbered in the order of their
 * first ranks. What is here is the same on all of them.
 */
#ifndef CW_NBC_HOSTS_H
#define CW_NBC_HOSTS_H

#include <stdint.h>

#include "base/decls.h"
#include "nbc/nbc_between.h"

CW_BEGIN_DECLS

struct cw_nbc_hosts {
    int n, me;       /* hosts; this one, or -1 */
    int n_ranks;     /* of the communicator */
    int *leaders;    /* [n] the number by which each host is known */
    int *of_rank;    /* [n_ranks] the host of each rank, … */
    int *among_host; /* [n_ranks] … and which of its ranks it is */
    int *first;      /* [n + 1] ranks of host h are … */
    int *ranks;      /* [n_ranks] … ranks[first[h]], … ranks[first[h + 1] - 1], rising */
};

/* LEADERS: of each rank. This host is that of LEADER. CW_ENOMEM. */
int cw_nbc_hosts_new(int n_ranks, const int *leaders, int leader, struct cw_nbc_hosts *out);
void cw_nbc_hosts_free(struct cw_nbc_hosts *hosts);

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
