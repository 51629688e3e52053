/*
 * Loops over independent items on several threads. The result of an item may depend on its index only, never on the
 * thread or the order, so results are the same for any number of threads.
 */
#ifndef CW_BASE_PARALLEL_H
#define CW_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Computes item INDEX. THREAD (0 … n_threads-1) selects a workspace. 0 or an error. */
typedef int cw_task(void *context, size_t index, unsigned thread);

/* Runs TASK for every index 0 … n-1 on at most N_THREADS threads (0: one for each core this process may use). Items are
 * handed out in order, one by one. If tasks fail, the rest is not begun and the error (code and message) of the lowest
 * failed index is returned, whichever thread met it. After cw_interrupt (base/interrupt.h) no more are begun and the
 * error is CW_EINTERRUPTED. */
CW_API int cw_parallel_for(unsigned n_threads, size_t n, cw_task *task, void *context);

/* Gives the next index to whichever thread asks, each index once and in rising order; false: there are no more. It may
 * wait. */
typedef bool cw_next(void *context, size_t *index);

/* The same for indices that NEXT (which also gets CONTEXT) hands out, on N_THREADS threads. *FAILED: the index that the
 * error is of; SIZE_MAX: of none. */
CW_API int cw_parallel_each(unsigned n_threads, cw_next *next, cw_task *task, void *context, size_t *failed);

/* Threads that cw_parallel_for uses for this request and so the workspaces needed: at least 1, at most N. */
CW_API unsigned cw_parallel_threads(unsigned n_threads, size_t n);

CW_END_DECLS

#endif
