#include "mpi/nbc/nbc_poster.h"

#include <time.h>

#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_operation.h"
#include "nbc/nbc_thread_internal.h"

#define PAUSE 100000 /* ns between two looks whether there is room */

static pthread_cond_t needed = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, stopping; /* under nbc_job.lock */

/* Whether some could not be. */
static bool post_all(void)
{
    bool left = false;
    for (struct nbc_comm *comm = nbc_job.comms; comm; comm = comm->after) {
        nbc_operation_post(comm);
        left = left || comm->first;
    }
    return left;
}

static void *work(void *unused)
{
    const struct timespec pause = {0, PAUSE};
    (void)unused;
    pthread_mutex_lock(&nbc_job.lock);
    while (!stopping) {
        if (!post_all()) {
            pthread_cond_wait(&needed, &nbc_job.lock);
            continue;
        }
        pthread_mutex_unlock(&nbc_job.lock);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&nbc_job.lock);
    }
    pthread_mutex_unlock(&nbc_job.lock);
    return NULL;
}

void nbc_poster_need(void)
{
    if (!running) running = cw_nbc_thread_start(work, NULL, NULL, &thread) == 0; /* else the rank posts, later */
    pthread_cond_signal(&needed);
}

void nbc_poster_stop(void)
{
    pthread_mutex_lock(&nbc_job.lock);
    const bool was_running = running;
    stopping = true;
    pthread_cond_signal(&needed);
    pthread_mutex_unlock(&nbc_job.lock);
    if (was_running) pthread_join(thread, NULL);
    running = stopping = false;
}
