/*
 * One operation that is ours, from the call to its end. Not complete until every function below that it takes part in
 * has been called by its rank: what needs MPI or the user's code (datatypes, operations) is done in test and wait.
 */
#ifndef CW_MPI_NBC_OPERATION_H
#define CW_MPI_NBC_OPERATION_H

#include "mpi/nbc/nbc_internal.h"

struct nbc_operation;
struct nbc_comm;

/* Starts it; waits for nobody. */
int nbc_operation_begin(const struct cw_nbc_call *call, struct nbc_operation **out);

/* Posts those of COMM for which there was no room before, as far as there is now. Under nbc_job.lock. */
void nbc_operation_post(struct nbc_comm *comm);

/* *DONE: whether it is complete; helps, waits for nobody. Its error, if it failed: then it is complete. */
int nbc_operation_test(struct nbc_operation *operation, bool *done);

/* Between two tests: sleeps until OPERATION is done, at most for a moment, longer every time. Not at all where cores
 * are to spare, or where the last test found something to do. */
void nbc_operation_sleep(struct nbc_operation *operation);

/* Forgets calls of MPI's own in which this rank took part for others' sake. At the end of the job. */
void nbc_operation_end(void);

/* Of a complete operation. */
void nbc_operation_free(struct nbc_operation *operation);

#endif
