/*
 * Datatypes and operations of the program that are in use by operations of ours. Programs may free them while they are;
 * MPI then keeps them, but cannot know of ours. So those that are in use are freed when they no longer are. They are
 * the program's own, not copies: its operations (MPI_Op) may compare datatypes, or look for their attributes.
 *
 * Threads may call these at the same time.
 */
#ifndef CW_MPI_NBC_PRELOAD_HANDLES_H
#define CW_MPI_NBC_PRELOAD_HANDLES_H

#include <mpi.h>

/* One that is none (MPI_DATATYPE_NULL, MPI_OP_NULL) is not kept. Returns MPI_ERR_NO_MEM, or MPI_SUCCESS. */
int preload_type_use(MPI_Datatype type);
int preload_op_use(MPI_Op op);

/* Once for each use. Calls MPI, if the program has freed it. */
void preload_type_leave(MPI_Datatype type);
void preload_op_leave(MPI_Op op);

/* At the end of the program: frees what it has freed, used or not. */
void preload_handles_free(void);

#endif
