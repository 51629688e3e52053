/*
 * Trials of one process of several (base/trials.h), of which one, the first, hands out blocks to all.
 *
 * Threads of the process take them one by one. A thread that runs none brings them in blocks, and is woken when more
 * are wanted: about as many as run in 50 ms. The next block is asked for a little before the last trial begins, unless
 * a trial takes so long that another process may wait for it in vain. Before the first has run nobody knows how long
 * one takes: then as many as there are threads.
 */
#ifndef CW_STUDY_TRIAL_QUEUE_H
#define CW_STUDY_TRIAL_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/trials.h"

CW_BEGIN_DECLS

/* Trials FIRST to END - 1; none if both are the same. */
struct cw_trial_block {
    size_t first, end;
};

/* The block for a process that wants WANTED of N trials, of which *NEXT is the first that was not handed out: at least
 * one, but no more than half of its share of what is left, so that blocks become small towards the end. None if none is
 * left. */
struct cw_trial_block cw_trial_block_next(size_t n, unsigned n_processes, size_t wanted, size_t *next);

struct cw_trial_queue {
    struct cw_handout handout; /* first; for cw_trials_run_here */
    pthread_mutex_t lock;      /* of all below */
    pthread_cond_t more;       /* for threads: a block came, or none will; */
    pthread_cond_t turn;       /* for who brings them: it is time to look */
    struct cw_trial_block now, next;
    bool asked;    /* a block is on its way */
    bool over;     /* no more will come */
    bool finished; /* the threads have ended */
    size_t waiting, done;
    double begun; /* a moment, as of base/stopwatch.h */
    unsigned n_threads;
};

void cw_trial_queue_begin(struct cw_trial_queue *queue, unsigned n_threads);
void cw_trial_queue_end(struct cw_trial_queue *queue);

/* How many trials to ask for, and 0 if the threads have enough or others have been asked for. Then either _put brings
 * them, in rising order, or _close says that there are no more. */
size_t cw_trial_queue_wants(struct cw_trial_queue *queue);
void cw_trial_queue_put(struct cw_trial_queue *queue, struct cw_trial_block block);
void cw_trial_queue_close(struct cw_trial_queue *queue);

/* Said by the threads, when all have ended. */
void cw_trial_queue_finish(struct cw_trial_queue *queue);

/* Waits until a thread wants trials or all have ended, at most SECONDS, less than 1. */
void cw_trial_queue_wait(struct cw_trial_queue *queue, double seconds);

bool cw_trial_queue_finished(struct cw_trial_queue *queue);
size_t cw_trial_queue_done(struct cw_trial_queue *queue); /* trials that have run */

CW_END_DECLS

#endif
