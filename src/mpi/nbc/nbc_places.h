/*
 * Where the hosts of a job are in the order of the fabric, and the trees that were predicted for it (nbc/nbc_fabric.h):
 * rank 0 reads the file for all.
 */
#ifndef CW_MPI_NBC_PLACES_H
#define CW_MPI_NBC_PLACES_H

#include "nbc/nbc_fabric.h"
#include "nbc/nbc_settings.h"

struct nbc_places {
    struct cw_nbc_trees trees;
    int *of_world; /* [ranks of MPI_COMM_WORLD] the place of a rank's host, -1 if it is not known; NULL: none is */
};

/* Collective over MPI_COMM_WORLD, whose ranks all get the same error: of a file that the user has named, or CW_ENOMEM.
 * Free with nbc_places_free, which accepts a zeroed one. */
int nbc_places_find(const struct cw_nbc_settings *settings, struct nbc_places *out);
void nbc_places_free(struct nbc_places *places);

#endif
