#include "mpi/move/move_watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define STAGGER 0.2 /* s between the ends of two ranks */

static char message[256]; /* of the handler, which can make none */

static void give_up(int number)
{
    (void)number;
    const ssize_t written = write(STDERR_FILENO, message, strlen(message));
    _exit(written < 0 ? 2 : 1);
}

static void set_timer(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct itimerval timer = {.it_value = {whole, (suseconds_t)(1e6 * (seconds - (double)whole))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void move_watch(const char *call, MPI_Comm comm, double seconds)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    snprintf(message, sizeof message, "crosswind-mpi: %s has not returned to rank %d for %.3g s: a rank is stuck\n",
             call, rank, seconds);
    const struct sigaction action = {.sa_handler = give_up};
    sigaction(SIGALRM, &action, NULL);
    set_timer(seconds + STAGGER * rank);
}

void move_watch_end(void)
{
    set_timer(0);
}
