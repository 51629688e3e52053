#include "mpi/wait_mode.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "mpi/host_cores.h"

#define SHARE    (1. / 8)
#define SHORTEST 10e-6 /* s; below, the kernel's timers are too coarse */
#define LONGEST  200e-6

const char *const cw_wait_names[] = {"spin", "yield", "sleep", NULL};

/* Where a rank runs. */
struct seat {
    char kernel[KERNEL_IDENTITY];
    cpu_set_t processors;
};

static struct seat own_seat(void)
{
    struct seat seat = {.kernel = ""};
    kernel_identity(seat.kernel);
    sched_getaffinity(0, sizeof seat.processors, &seat.processors);
    return seat;
}

/* More ranks are on the machine of seat MINE than processors that any of them may use. */
static bool is_crowded(const struct seat *seats, int n, const struct seat *mine)
{
    int ranks = 0;
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int r = 0; r < n; r++) {
        if (strcmp(seats[r].kernel, mine->kernel) != 0) continue;
        CPU_OR(&all, &all, &seats[r].processors);
        ranks++;
    }
    return ranks > CPU_COUNT(&all);
}

enum cw_wait_mode cw_wait_choose(MPI_Comm comm)
{
    const struct seat mine = own_seat();
    int n, crowded, any;
    MPI_Comm_size(comm, &n);
    struct seat *seats = cw_new_array((size_t)n, sizeof *seats, "seats of ranks");
    crowded = !seats;
    MPI_Allreduce(&crowded, &any, 1, MPI_INT, MPI_MAX, comm);
    if (!any) {
        MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, seats, (int)sizeof mine, MPI_BYTE, comm);
        crowded = is_crowded(seats, n, &mine);
        MPI_Allreduce(&crowded, &any, 1, MPI_INT, MPI_MAX, comm);
    }
    free(seats);
    return any ? CW_WAIT_SLEEP : CW_WAIT_SPIN;
}

void cw_wait_idle(enum cw_wait_mode mode, double since)
{
    if (mode == CW_WAIT_YIELD) sched_yield();
    if (mode != CW_WAIT_SLEEP) return;
    const double seconds = fmin(LONGEST, fmax(SHORTEST, SHARE * (cw_stopwatch_now() - since)));
    const struct timespec nap = cw_stopwatch_time(seconds);
    nanosleep(&nap, NULL);
}
