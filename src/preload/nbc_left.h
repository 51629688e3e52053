/*
 * What a function cw_preload_* returns, instead of a code of MPI, for a call that is MPI's own: the preload library
 * then makes that call as if nothing stood in between, which is quicker than from here.
 */
#ifndef CW_PRELOAD_NBC_LEFT_H
#define CW_PRELOAD_NBC_LEFT_H

#include <limits.h>

#define CW_NBC_LEFT_TO_MPI INT_MIN

#endif
