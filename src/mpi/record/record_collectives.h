/*
 * Functions of MPI, what their arguments are, and the words that a recording has for collectives.
 */
#ifndef CW_MPI_RECORD_COLLECTIVES_H
#define CW_MPI_RECORD_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/record_functions.h"

/* What is to be done about a call. */
enum kind {
    SEND,
    SEND_LATER,
    SEND_OFTEN,
    RECEIVE,
    RECEIVE_LATER,
    RECEIVE_OFTEN,
    EXCHANGE,
    EXCHANGE_IN_PLACE,
    TIME,
    POLL,
    FIND,
    FIND_NOW,
    START,
    START_ALL,
    WAIT,
    WAIT_ALL,
    WAIT_ANY,
    WAIT_SOME,
    TEST,
    TEST_ALL,
    TEST_ANY,
    TEST_SOME,
    FORGET,
    COMMUNICATOR,
    COMMUNICATOR_FREE,
    COLLECTIVE
};

struct record_function {
    const char *name;
    enum kind kind;
    int n, comm; /* arguments, and which one is the communicator, of collectives */
};

/* Whether its counts are MPI_Count. */
bool record_is_large(const struct record_function *function);
/* A count, of which an argument has more bits than an int; the I-th of an array of counts. */
int64_t record_count(const struct record_function *function, intptr_t argument);
int64_t record_count_at(const struct record_function *function, intptr_t array, int i);
/* Of a type; of COUNT elements of the type that is the argument TYPE. */
int64_t record_size(MPI_Datatype type);
int64_t record_bytes(const struct record_function *function, intptr_t count, intptr_t type);

/* The words of a call of FUNCTION, a form of the blocking collective BASE, with the arguments OF, on communicator
 * number COMM. ID is that of its request; -1: it has none. */
void record_say_collective(enum cw_record_function base, const struct record_function *function, const intptr_t *of,
                           int comm, int64_t id);

#endif
