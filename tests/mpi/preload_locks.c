/* For tests: loaded before the C library, it ends a program in which Crosswind gives a lock back that it has not taken.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*unlock)(pthread_mutex_t *);
    Dl_info caller;
    if (!unlock) *(void **)&unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname && strstr(caller.dli_fname, "crosswind-") &&
        mutex->__data.__owner != gettid()) {
        fprintf(stderr, "a lock is given back by who has not taken it: %s\n", caller.dli_fname);
        abort();
    }
    return unlock(mutex);
}
