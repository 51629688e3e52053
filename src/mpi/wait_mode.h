/*
 * How a rank waits for messages: MPI's own way is to poll without end, which takes the processor from ranks that share
 * it and have something to do.
 */
#ifndef CW_MPI_WAIT_MODE_H
#define CW_MPI_WAIT_MODE_H

#include <mpi.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Ends with that of cw_wait_names. */
enum cw_wait_mode { CW_WAIT_SPIN, CW_WAIT_YIELD, CW_WAIT_SLEEP };

extern const char *const cw_wait_names[]; /* "spin", "yield", "sleep", by enum cw_wait_mode; ended by NULL */

/* Spin where each rank of COMM can have a processor of its own, sleep where a machine has fewer of them than ranks:
 * machines are told apart by their kernels, so that network namespaces and containers are one. All ranks get the same
 * answer. Collective. */
enum cw_wait_mode cw_wait_choose(MPI_Comm comm);

/* What a rank does that has been idle since SINCE [s] (base/stopwatch.h): nothing, lets others run, or sleeps, from 10
 * µs, after a while longer, up to 200 µs. */
void cw_wait_idle(enum cw_wait_mode mode, double since);

CW_END_DECLS

#endif
