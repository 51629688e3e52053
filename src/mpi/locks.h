/*
 * Locks that notice what must not be: a thread takes one that it has, or gives back one that it has not. That is an
 * error of ours, which would otherwise show as a hang, or as data that are wrong now and then; so it ends the program,
 * with a sentence. It costs a few nanoseconds. Locks are initialised by CW_LOCK; condition variables wait with them as
 * with any.
 */
#ifndef CW_MPI_LOCKS_H
#define CW_MPI_LOCKS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CW_LOCK PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

static inline void lock_check(int code, const char *what)
{
    if (__builtin_expect(code == 0, 1)) return;
    fprintf(stderr, "crosswind: a lock cannot be %s: %s\n", what, strerror(code));
    abort();
}

static inline void lock_take(pthread_mutex_t *lock)
{
    lock_check(pthread_mutex_lock(lock), "taken");
}

static inline void lock_give(pthread_mutex_t *lock)
{
    lock_check(pthread_mutex_unlock(lock), "given back");
}

#endif
