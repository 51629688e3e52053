/*
 * The functions of MPI that are recorded, and what stands between record_forward.c, which knows no MPI, and
 * src/mpi/record, which does. Collectives and communicators are those of nbc_functions.h.
 */
#ifndef CW_PRELOAD_RECORD_FUNCTIONS_H
#define CW_PRELOAD_RECORD_FUNCTIONS_H

#include <stdint.h>

#include "preload/nbc_functions.h"

/* EACH(NAME, N, KIND, SUFFIX) of messages: N arguments, and what is to be done about it (enum cw_record_kind). */
#define CW_RECORD_MESSAGES(EACH, SUFFIX)                                                                               \
    EACH(Send, 6, SEND, SUFFIX)                                                                                        \
    EACH(Bsend, 6, SEND, SUFFIX)                                                                                       \
    EACH(Ssend, 6, SEND, SUFFIX)                                                                                       \
    EACH(Rsend, 6, SEND, SUFFIX)                                                                                       \
    EACH(Isend, 7, SEND_LATER, SUFFIX)                                                                                 \
    EACH(Ibsend, 7, SEND_LATER, SUFFIX)                                                                                \
    EACH(Issend, 7, SEND_LATER, SUFFIX)                                                                                \
    EACH(Irsend, 7, SEND_LATER, SUFFIX)                                                                                \
    EACH(Send_init, 7, SEND_OFTEN, SUFFIX)                                                                             \
    EACH(Bsend_init, 7, SEND_OFTEN, SUFFIX)                                                                            \
    EACH(Ssend_init, 7, SEND_OFTEN, SUFFIX)                                                                            \
    EACH(Rsend_init, 7, SEND_OFTEN, SUFFIX)                                                                            \
    EACH(Recv, 7, RECEIVE, SUFFIX)                                                                                     \
    EACH(Irecv, 7, RECEIVE_LATER, SUFFIX)                                                                              \
    EACH(Recv_init, 7, RECEIVE_OFTEN, SUFFIX)                                                                          \
    EACH(Sendrecv, 12, EXCHANGE, SUFFIX)                                                                               \
    EACH(Sendrecv_replace, 9, EXCHANGE_IN_PLACE, SUFFIX)                                                               \
    EACH(Mrecv, 5, TIME, SUFFIX)                                                                                       \
    EACH(Imrecv, 5, TIME, SUFFIX)

/* EACH(NAME, N, KIND, ) of what counts nothing. */
#define CW_RECORD_OTHERS(EACH)                                                                                         \
    EACH(Probe, 4, TIME, )                                                                                             \
    EACH(Iprobe, 5, POLL, )                                                                                            \
    EACH(Mprobe, 5, FIND, )                                                                                            \
    EACH(Improbe, 6, FIND_NOW, )                                                                                       \
    EACH(Start, 1, START, )                                                                                            \
    EACH(Startall, 2, START_ALL, )                                                                                     \
    EACH(Wait, 2, WAIT, )                                                                                              \
    EACH(Waitall, 3, WAIT_ALL, )                                                                                       \
    EACH(Waitany, 4, WAIT_ANY, )                                                                                       \
    EACH(Waitsome, 5, WAIT_SOME, )                                                                                     \
    EACH(Test, 3, TEST, )                                                                                              \
    EACH(Testall, 4, TEST_ALL, )                                                                                       \
    EACH(Testany, 5, TEST_ANY, )                                                                                       \
    EACH(Testsome, 5, TEST_SOME, )                                                                                     \
    EACH(Request_free, 1, FORGET, )                                                                                    \
    EACH(Intercomm_create, 6, COMMUNICATOR, )                                                                          \
    EACH(Comm_free, 1, COMMUNICATOR_FREE, )                                                                            \
    EACH(Comm_disconnect, 1, COMMUNICATOR_FREE, )

/* How many arguments the nonblocking ones of the seven collectives of CW_NBC_FUNCTIONS have. */
#define CW_RECORD_N_BUFFER           6
#define CW_RECORD_N_REDUCTION        8
#define CW_RECORD_N_REDUCTION_TO_ALL 7
#define CW_RECORD_N_BLOCKS           9
#define CW_RECORD_N_BLOCKS_OF_ALL    8

/* All of them: EACH(NAME, N, KIND, SUFFIX), those that count twice, for ints and for MPI 4's large counts. */
#define CW_RECORD_FUNCTIONS(MESSAGE, IMMEDIATE, COLLECTIVE, COMMUNICATOR)                                              \
    CW_RECORD_MESSAGES(MESSAGE, )                                                                                      \
    CW_RECORD_MESSAGES(MESSAGE, _c)                                                                                    \
    CW_RECORD_OTHERS(MESSAGE)                                                                                          \
    CW_NBC_FUNCTIONS(IMMEDIATE, , word)                                                                                \
    CW_NBC_FUNCTIONS(IMMEDIATE, _c, word)                                                                              \
    CW_NBC_COUNTED(COLLECTIVE, )                                                                                       \
    CW_NBC_COUNTED(COLLECTIVE, _c)                                                                                     \
    CW_NBC_COUNTED_BARRIERS(COLLECTIVE)                                                                                \
    CW_NBC_COMMUNICATORS(COMMUNICATOR)

/* Their numbers: CW_RECORD_Send, CW_RECORD_Send_c, … */
#define CW_RECORD_CODE(NAME, N, KIND, SUFFIX)                                       CW_RECORD_##NAME##SUFFIX,
#define CW_RECORD_CODE_IMMEDIATE(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT) CW_RECORD_##IMMEDIATE##SUFFIX,
#define CW_RECORD_CODE_COMMUNICATOR(NAME, N)                                        CW_RECORD_##NAME,
enum cw_record_function {
    CW_RECORD_FUNCTIONS(CW_RECORD_CODE, CW_RECORD_CODE_IMMEDIATE, CW_RECORD_CODE, CW_RECORD_CODE_COMMUNICATOR)
        CW_RECORD_ALL
};

/* A call that is under way. */
struct cw_record_call {
    enum cw_record_function function;
    intptr_t *arguments; /* [N of the function]; what MPI gets, which cw_record_begin may change */
    int64_t begun;       /* ns */
    intptr_t status[16]; /* room for an MPI_Status */
};

/* What record_forward.c looks up in the library for an MPI. Start is for all ranks, after MPI_Init*, and returns
 * whether there is something to record. Stop comes before MPI_Finalize, or, not FINALIZED, before MPI_Abort. Begin
 * stands before each call, end behind it, with what it has returned. What these call of MPI is not recorded. */
typedef int cw_record_start_function(void);
typedef void cw_record_stop_function(int finalized);
typedef void cw_record_begin_function(struct cw_record_call *call);
typedef void cw_record_end_function(struct cw_record_call *call, int result);

#endif
