/*
 * In place of UCX and of usleep, for program_polls, which looks at what libcrosswind-ranks makes of its calls: how
 * often each is called, for whom, for how long, from which thread, and whether two are in UCX at once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "program_polls.h"

struct polls polls;

static pthread_t first; /* which calls before the others */
static atomic_int inside;

static void enter(bool slow)
{
    const struct timespec moment = {0, slow ? 20000000 : 20000};
    if (atomic_fetch_add(&inside, 1) > 0) polls.at_once++;
    nanosleep(&moment, NULL); /* so that others may come */
    atomic_fetch_sub(&inside, 1);
}

unsigned ucp_worker_progress(void *worker)
{
    if (!first) first = pthread_self();
    const bool mine = pthread_equal(first, pthread_self());
    if (mine)
        polls.by_rank++;
    else
        polls.by_another++;
    enter(!mine && polls.slow);
    polls.worker = worker;
    return mine ? polls.progress : 0;
}

void *ucp_disconnect_nb(void *endpoint)
{
    enter(false);
    return (char *)endpoint + 1;
}

void ucp_request_release(void *request)
{
    enter(false);
    polls.released = request;
}

void ucp_worker_destroy(void *worker)
{
    enter(false);
    polls.destroyed = worker;
}

int usleep(useconds_t us)
{
    const struct timespec pause = {0, 1000L * us};
    if (us < 1000) polls.sleeps[us]++;
    return nanosleep(&pause, NULL);
}
