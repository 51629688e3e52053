#include "mpi/rank_queue.h"

#include <math.h>
#include <time.h>

#include "base/stopwatch.h"

/* A block is what takes BLOCK seconds. The next one is fetched AHEAD seconds before the last trial begins, unless a
 * trial takes so long (LONG) that another rank may wait for it in vain. */
static const double BLOCK = 0.05, AHEAD = 0.005, LONG = 0.05;

/* Before the first trial has run, nobody knows how long one takes: as many as there are threads. */
static size_t wanted(const struct rank_queue *queue)
{
    const size_t left = queue->now.end - queue->now.first + queue->next.end - queue->next.first;
    if (queue->asked || queue->next.first < queue->next.end || queue->over || queue->finished) return 0;
    if (queue->done == 0) return queue->waiting > 0 ? queue->n_threads : 0;
    const double rate = (double)queue->done / (cw_stopwatch_now() - queue->begun);
    const bool dear = queue->n_threads > LONG * rate;
    if (dear ? queue->waiting == 0 : (double)left > AHEAD * rate) return 0;
    return (size_t)fmax(1, fmin(BLOCK * rate, 2 * (double)queue->done));
}

static bool take(struct cw_handout *handout, size_t *trial)
{
    struct rank_queue *queue = (struct rank_queue *)handout;
    pthread_mutex_lock(&queue->lock);
    queue->waiting++;
    for (;;) {
        if (queue->now.first == queue->now.end) {
            queue->now = queue->next;
            queue->next = (struct rank_block){0};
        }
        if (queue->now.first < queue->now.end || queue->over) break;
        pthread_cond_signal(&queue->turn);
        pthread_cond_wait(&queue->more, &queue->lock);
    }
    queue->waiting--;
    const bool taken = queue->now.first < queue->now.end;
    if (taken) *trial = queue->now.first++;
    if (wanted(queue) > 0) pthread_cond_signal(&queue->turn);
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

static void count(struct cw_handout *handout)
{
    struct rank_queue *queue = (struct rank_queue *)handout;
    pthread_mutex_lock(&queue->lock);
    queue->done++;
    pthread_mutex_unlock(&queue->lock);
}

void rank_queue_begin(struct rank_queue *queue, unsigned n_threads)
{
    pthread_condattr_t monotonic;
    *queue = (struct rank_queue){.handout = {take, count}, .n_threads = n_threads, .begun = cw_stopwatch_now()};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->more, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->turn, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void rank_queue_end(struct rank_queue *queue)
{
    pthread_cond_destroy(&queue->turn);
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
}

size_t rank_queue_wants(struct rank_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const size_t n = wanted(queue);
    queue->asked = queue->asked || n > 0;
    pthread_mutex_unlock(&queue->lock);
    return n;
}

void rank_queue_put(struct rank_queue *queue, struct rank_block block)
{
    pthread_mutex_lock(&queue->lock);
    queue->next = block;
    queue->asked = false;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

void rank_queue_close(struct rank_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->over = true;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

void rank_queue_finish(struct rank_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->finished = true;
    pthread_cond_signal(&queue->turn);
    pthread_mutex_unlock(&queue->lock);
}

void rank_queue_wait(struct rank_queue *queue, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&queue->lock);
    if (wanted(queue) == 0 && !queue->finished) pthread_cond_timedwait(&queue->turn, &queue->lock, &until);
    pthread_mutex_unlock(&queue->lock);
}

bool rank_queue_finished(struct rank_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const bool finished = queue->finished;
    pthread_mutex_unlock(&queue->lock);
    return finished;
}

size_t rank_queue_done(struct rank_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const size_t done = queue->done;
    pthread_mutex_unlock(&queue->lock);
    return done;
}
