#include "nbc/nbc_thread_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"

static int start(const pthread_attr_t *attributes, void *(*run)(void *), void *argument, pthread_t *out)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(out, attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == EINVAL)
        return cw_fail(CW_EIO, "a communication core is not there, or this job may not use it; `crosswind cores` names "
                               "those that it may");
    return error ? cw_fail(CW_EIO, "a thread on a communication core could not be started: %s", strerror(error)) : 0;
}

int cw_nbc_thread_start(void *(*run)(void *), void *argument, const cpu_set_t *cpus, pthread_t *out)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (cpus) pthread_attr_setaffinity_np(&attributes, sizeof *cpus, cpus);
    int rc = start(&attributes, run, argument, out);
    pthread_attr_destroy(&attributes);
    return rc;
}
