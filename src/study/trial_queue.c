#include "study/trial_queue.h"

#include <math.h>
#include <time.h>

#include "base/stopwatch.h"

struct cw_trial_block cw_trial_block_next(size_t n, unsigned n_processes, size_t wanted, size_t *next)
{
    const size_t left = n - *next, share = left / (2 * (size_t)n_processes);
    size_t given = wanted < share ? wanted : share;
    if (given == 0 && left > 0) given = 1;
    const struct cw_trial_block block = {*next, *next + given};
    *next += given;
    return block;
}

/* A block is what takes BLOCK seconds. The next one is fetched AHEAD seconds before the last trial begins, unless a
 * trial takes so long (LONG) that another rank may wait for it in vain. */
static const double BLOCK = 0.05, AHEAD = 0.005, LONG = 0.05;

/* Before the first trial has run, nobody knows how long one takes: as many as there are threads. */
static size_t wanted(const struct cw_trial_queue *queue)
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
    struct cw_trial_queue *queue = (struct cw_trial_queue *)handout;
    pthread_mutex_lock(&queue->lock);
    queue->waiting++;
    for (;;) {
        if (queue->now.first == queue->now.end) {
            queue->now = queue->next;
            queue->next = (struct cw_trial_block){0};
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
    struct cw_trial_queue *queue = (struct cw_trial_queue *)handout;
    pthread_mutex_lock(&queue->lock);
    queue->done++;
    pthread_mutex_unlock(&queue->lock);
}

void cw_trial_queue_begin(struct cw_trial_queue *queue, unsigned n_threads)
{
    pthread_condattr_t monotonic;
    *queue = (struct cw_trial_queue){.handout = {take, count}, .n_threads = n_threads, .begun = cw_stopwatch_now()};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->more, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->turn, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void cw_trial_queue_end(struct cw_trial_queue *queue)
{
    pthread_cond_destroy(&queue->turn);
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
}

size_t cw_trial_queue_wants(struct cw_trial_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const size_t n = wanted(queue);
    queue->asked = queue->asked || n > 0;
    pthread_mutex_unlock(&queue->lock);
    return n;
}

void cw_trial_queue_put(struct cw_trial_queue *queue, struct cw_trial_block block)
{
    pthread_mutex_lock(&queue->lock);
    queue->next = block;
    queue->asked = false;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

void cw_trial_queue_close(struct cw_trial_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->over = true;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

void cw_trial_queue_finish(struct cw_trial_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->finished = true;
    pthread_cond_signal(&queue->turn);
    pthread_mutex_unlock(&queue->lock);
}

void cw_trial_queue_wait(struct cw_trial_queue *queue, double seconds)
{
    const struct timespec until = cw_stopwatch_time(cw_stopwatch_now() + seconds);
    pthread_mutex_lock(&queue->lock);
    if (wanted(queue) == 0 && !queue->finished) pthread_cond_timedwait(&queue->turn, &queue->lock, &until);
    pthread_mutex_unlock(&queue->lock);
}

bool cw_trial_queue_finished(struct cw_trial_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const bool finished = queue->finished;
    pthread_mutex_unlock(&queue->lock);
    return finished;
}

size_t cw_trial_queue_done(struct cw_trial_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const size_t done = queue->done;
    pthread_mutex_unlock(&queue->lock);
    return done;
}
