/*
 * Makes MPICH over UCX fit for a testbed, where many ranks share few cores. Loaded into ranks (LD_PRELOAD), it stands
 * between MPICH and UCX and mends two things:
 *
 *   - Ranks that wait poll without pause, so that one that has work to do waits for a time slice: an allreduce of 8
 * ranks on 2 cores takes 30 ms. Here who has polled in vain sleeps for a moment, and it takes 0.5 ms.
 *   - In MPI_Finalize of MPICH before 4.2 a rank flushes its connections, then waits in a barrier of the process
 * manager, in which it no longer polls. Others, whose flushes need its answer, wait for it, for ever
 *     (github.com/pmodels/mpich/pull/6596). Here a thread polls from the first flush on, until the rank is through the
 *     barrier and destroys what there is to poll.
 *
 * UCX is not thread-safe here: what MPICH calls between the two is behind one lock. Types are pointers as far as this
 * is concerned, so that no header of UCX is needed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PAUSE    1   /* µs; Linux makes some 50 of it */
#define FLUSHING 500 /* µs between two polls in the barrier */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED unsigned ucp_worker_progress(void *worker);
EXPORTED void *ucp_disconnect_nb(void *endpoint);
EXPORTED void ucp_request_release(void *request);
EXPORTED void ucp_worker_destroy(void *worker);

typedef unsigned progress_function(void *);
typedef void *disconnect_function(void *);
typedef void release_function(void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool running; /* the thread */
static atomic_bool stopped;
static void *polled; /* the worker that the rank polls */

/* Sets the pointer to a function at POINTER to UCX's own. */
static void find(const char *name, void *pointer)
{
    void *const function = dlsym(RTLD_NEXT, name);
    memcpy(pointer, &function, sizeof function);
}

static unsigned poll_once(void *worker)
{
    static progress_function *progress;
    if (!progress) find("ucp_worker_progress", &progress);
    return progress(worker);
}

static void *poll_on(void *unused)
{
    (void)unused;
    while (!stopped) {
        pthread_mutex_lock(&lock);
        poll_once(polled);
        pthread_mutex_unlock(&lock);
        usleep(FLUSHING);
    }
    return NULL;
}

unsigned ucp_worker_progress(void *worker)
{
    polled = worker;
    if (running) pthread_mutex_lock(&lock);
    const unsigned n = poll_once(worker);
    if (running) pthread_mutex_unlock(&lock);
    if (n == 0) usleep(PAUSE);
    return n;
}

void *ucp_disconnect_nb(void *endpoint)
{
    disconnect_function *disconnect;
    find("ucp_disconnect_nb", &disconnect);
    pthread_mutex_lock(&lock);
    void *request = disconnect(endpoint);
    pthread_mutex_unlock(&lock);
    if (!running && polled) running = pthread_create(&thread, NULL, poll_on, NULL) == 0;
    return request;
}

void ucp_request_release(void *request)
{
    static release_function *release;
    if (!release) find("ucp_request_release", &release);
    if (running) pthread_mutex_lock(&lock);
    release(request);
    if (running) pthread_mutex_unlock(&lock);
}

void ucp_worker_destroy(void *worker)
{
    if (running) {
        stopped = true;
        pthread_join(thread, NULL);
        running = false;
    }
    release_function *destroy;
    find("ucp_worker_destroy", &destroy);
    destroy(worker);
}
