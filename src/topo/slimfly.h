/*
 * The graph of a Slim Fly. Not installed.
 */
#ifndef CW_TOPO_SLIMFLY_H
#define CW_TOPO_SLIMFLY_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The neighbours of each switch of a Slim Fly of Q (a prime power of at least 3), in order of their ports:
 * (*OUT)[switch · degree + i], degree being cw_slimfly_within(Q) + Q. *OUT is the caller's. O(Q³). */
int cw_slimfly_neighbours(uint32_t q, uint32_t **out);

CW_END_DECLS

#endif
