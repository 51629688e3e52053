/*
 * The hosts of a communicator, numbered in the order of their first ranks. What is here is the same on all of them.
 */
#ifndef CW_NBC_HOSTS_H
#define CW_NBC_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"

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

/* How many places HOST is behind FIRST in the same round: 0 … n - 1. */
int cw_nbc_hosts_place(const struct cw_nbc_hosts *hosts, bool by_fabric, int first, int host);

CW_END_DECLS

#endif
