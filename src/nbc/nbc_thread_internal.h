#ifndef CW_NBC_THREAD_INTERNAL_H
#define CW_NBC_THREAD_INTERNAL_H

#include <pthread.h>
#include <sched.h>

/* A thread of a rank's process, on processors CPUS (NULL: wherever the system likes), that is none of the business of
 * the program's signals. CW_EIO. */
int cw_nbc_thread_start(void *(*run)(void *), void *argument, const cpu_set_t *cpus, pthread_t *out);

#endif
