/*
 * Makes Open MPI fit for a testbed, where many ranks share few cores. A rank that waits polls, and lets others run when
 * it has polled in vain (mpi_yield_when_idle): but the scheduler gives the core back to it as long as its turn lasts,
 * so that one that has work to do waits: an allreduce of 8 ranks on 2 busy cores takes 20 ms and more. Here every so
 * many times it sleeps for a moment instead, and it takes 4 ms. Not every time: Open MPI looks at its connections in
 * one poll of eight.
 */
#include <unistd.h>

#define PATIENCE 4 /* yields for one that sleeps */
#define PAUSE    1 /* µs; Linux makes some 50 of it */

__attribute__((visibility("default"))) int sched_yield(void);

int sched_yield(void)
{
    static _Thread_local unsigned n;
    return ++n % PATIENCE ? 0 : usleep(PAUSE);
}
