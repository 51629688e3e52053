/*
 * Posts operations for which there was no room at the call, as soon as there is, while the program computes or waits
 * for something else: other ranks may wait for them. A thread of its own, which is started when it is needed first and
 * sleeps while it is not; it calls no function of MPI.
 */
#ifndef CW_MPI_NBC_POSTER_H
#define CW_MPI_NBC_POSTER_H

/* An operation could not be posted. Under nbc_job.lock. */
void nbc_poster_need(void);

/* Ends the thread, if there is one. */
void nbc_poster_stop(void);

#endif
