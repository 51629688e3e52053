/*
 * The functions to which the preload library forwards those of MPI (src/preload/nbc_forward.c). Arguments and results
 * are those of the functions that have these names in MPI. Those that start or complete nonblocking collectives return
 * CW_NBC_LEFT_TO_MPI where that is MPI's business.
 */
#ifndef CW_MPI_NBC_PRELOAD_H
#define CW_MPI_NBC_PRELOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "mpi/nbc/nbc_internal.h"
#include "preload/nbc_functions.h"

/* How many requests of the program are ours: while there are none, their completion is not forwarded. */
extern atomic_int cw_preload_requests;

/* Not 0 while cw_preload_heard is to be called with what a function of MPI that completes requests has returned: others
 * wait for what this rank has left to MPI. It returns what the program is to get. */
extern _Atomic uint32_t *cw_preload_alarm;
int cw_preload_heard(int code);

/* The program calls WHICH (enum cw_nbc_calls) on COMM, which is MPI's own, as its next collective there. */
void cw_preload_count(MPI_Comm comm, int which);

int cw_preload_Init(int *argc, char ***argv);
int cw_preload_Init_thread(int *argc, char ***argv, int required, int *provided);
int cw_preload_Finalize(void);

int cw_preload_Comm_dup(MPI_Comm comm, MPI_Comm *out);
int cw_preload_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out);
int cw_preload_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out);
int cw_preload_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out);
int cw_preload_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out);
int cw_preload_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out);
int cw_preload_Cart_create(MPI_Comm comm, int n, const int sizes[], const int periodic[], int reorder, MPI_Comm *out);
int cw_preload_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *out);
int cw_preload_Graph_create(MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *out);
int cw_preload_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[],
                                 const int weights[], MPI_Info info, int reorder, MPI_Comm *out);
int cw_preload_Dist_graph_create_adjacent(MPI_Comm comm, int ins, const int sources[], const int source_weights[],
                                          int outs, const int targets[], const int target_weights[], MPI_Info info,
                                          int reorder, MPI_Comm *out);
int cw_preload_Intercomm_merge(MPI_Comm between, int high, MPI_Comm *out);

/* Two of each collective, and with large counts two more. */
#define CW_PRELOAD_BOTH(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                             \
    int cw_preload_##IMMEDIATE##SUFFIX(CW_NBC_TYPED_##SHAPE(COUNT), MPI_Request *request);                             \
    int cw_preload_##INIT##SUFFIX(CW_NBC_TYPED_##SHAPE(COUNT), MPI_Info info, MPI_Request *request);
CW_NBC_FUNCTIONS(CW_PRELOAD_BOTH, , int)
#ifdef CW_NBC_LARGE
CW_NBC_FUNCTIONS(CW_PRELOAD_BOTH, _c, MPI_Count)
#endif

int cw_preload_Start(MPI_Request *request);
int cw_preload_Startall(int count, MPI_Request requests[]);

int cw_preload_Type_free(MPI_Datatype *type);
int cw_preload_Op_free(MPI_Op *op);

int cw_preload_Wait(MPI_Request *request, MPI_Status *status);
int cw_preload_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int cw_preload_Waitany(int count, MPI_Request requests[], int *position, MPI_Status *status);
int cw_preload_Waitsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[]);
int cw_preload_Test(MPI_Request *request, int *flag, MPI_Status *status);
int cw_preload_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int cw_preload_Testany(int count, MPI_Request requests[], int *position, int *flag, MPI_Status *status);
int cw_preload_Testsome(int count, MPI_Request requests[], int *n, int positions[], MPI_Status statuses[]);
int cw_preload_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int cw_preload_Request_free(MPI_Request *request);

/* How many collectives this rank called that were left to MPI; persistent ones count once. */
unsigned long long preload_calls_left(void);

#endif
