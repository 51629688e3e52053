#include "nbc/nbc_collective.h"

#include <stddef.h>

const char *const cw_nbc_collective_names[CW_NBC_COLLECTIVES + 1] = {"bcast",  "reduce",    "allreduce", "scatter",
                                                                     "gather", "allgather", "alltoall",  NULL};
