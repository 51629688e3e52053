/*
 * The collectives of this folder, by their names in MPI.
 */
#ifndef CW_NBC_NBC_COLLECTIVE_H
#define CW_NBC_NBC_COLLECTIVE_H

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_nbc_collective {
    CW_NBC_BCAST,
    CW_NBC_REDUCE,
    CW_NBC_ALLREDUCE,
    CW_NBC_SCATTER,
    CW_NBC_GATHER,
    CW_NBC_ALLGATHER,
    CW_NBC_ALLTOALL
};
#define CW_NBC_COLLECTIVES (CW_NBC_ALLTOALL + 1)

extern const char *const cw_nbc_collective_names[CW_NBC_COLLECTIVES + 1]; /* "bcast", …; ended by NULL */

CW_END_DECLS

#endif
