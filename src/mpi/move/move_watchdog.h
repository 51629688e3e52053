/*
 * An end to calls of MPI that wait for others for ever, such as collectives when a rank is stuck: after a time the
 * process says so and ends, and with it, by the launcher, all others.
 */
#ifndef CW_MPI_MOVE_WATCHDOG_H
#define CW_MPI_MOVE_WATCHDOG_H

#include <mpi.h>

/* From now on CALL, a literal, has so many SECONDS. Ranks end one after the other, so that one of them speaks. */
void move_watch(const char *call, MPI_Comm comm, double seconds);
void move_watch_end(void);

#endif
