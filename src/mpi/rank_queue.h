/*
 * The trials of one rank: its threads take them one by one; the thread that talks to the other ranks brings them in
 * blocks, and is woken when more are wanted.
 */
#ifndef CW_MPI_RANK_QUEUE_H
#define CW_MPI_RANK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/trials.h"

struct rank_block {
    size_t first, end;
};

struct rank_queue {
    struct cw_handout handout; /* first */
    pthread_mutex_t lock;      /* of all below */
    pthread_cond_t more;       /* for threads: a block came, or none will; */
    pthread_cond_t turn;       /* for who brings them: it is time to look */
    struct rank_block now, next;
    bool asked;    /* a block is on its way */
    bool over;     /* no more will come */
    bool finished; /* the threads have ended */
    size_t waiting, done;
    double begun; /* a moment, as of base/stopwatch.h */
    unsigned n_threads;
};

void rank_queue_begin(struct rank_queue *queue, unsigned n_threads);
void rank_queue_end(struct rank_queue *queue);

/* How many trials to ask for, and 0 if the threads have enough or others have been asked for: about as many as they run
 * in 50 ms. Then either … */
size_t rank_queue_wants(struct rank_queue *queue);
void rank_queue_put(struct rank_queue *queue, struct rank_block block); /* … brings them, in rising order; or … */
void rank_queue_close(struct rank_queue *queue);                        /* … says that there are no more */
void rank_queue_finish(struct rank_queue *queue);                       /* said by the threads, when all have ended */

/* Waits until a thread wants trials or all have ended, at most SECONDS. */
void rank_queue_wait(struct rank_queue *queue, double seconds);

bool rank_queue_finished(struct rank_queue *queue);
size_t rank_queue_done(struct rank_queue *queue); /* trials that have run */

#endif
