/*
 * One operation that is ours, from the call to its end. Not complete until every function below that it takes part in
 * has been called by its rank: what needs MPI or the user's code (datatypes, operations) is done in test and wait.
 *
 * Where there is no room for it at the call, it is posted as soon as there is, while the program computes or waits for
 * something else: other ranks may wait for it. A thread of its own does that, which is started when it is needed first
 * and sleeps while it is not; it calls no function of MPI.
 */
#ifndef CW_MPI_NBC_OPERATION_H
#define CW_MPI_NBC_OPERATION_H

#include "mpi/nbc/nbc_internal.h"

struct nbc_operation;

/* Starts CALL, which is ours as DECIDED; waits for nobody. */
int nbc_operation_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, struct nbc_operation **out);

/* *DONE: whether it is complete; helps, waits for nobody. Its error, if it failed: then it is complete. */
int nbc_operation_test(struct nbc_operation *operation, bool *done);

/* Between two tests: sleeps until OPERATION is done, at most for a moment, longer every time. Not at all where cores
 * are to spare, or where the last test found something to do. */
void nbc_operation_sleep(struct nbc_operation *operation);

/* Ends the thread that posts, if there is one. */
void nbc_operation_stop_posting(void);

/* Forgets calls of MPI's own in which this rank took part for others' sake. At the end of the job. */
void nbc_operation_end(void);

/* Of a complete operation. */
void nbc_operation_free(struct nbc_operation *operation);

#endif
