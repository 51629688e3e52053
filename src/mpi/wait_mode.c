#include "mpi/wait_mode.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/stopwatch.h"

#define SHARE    (1. / 16)
#define SHORTEST 10e-6 /* s; below, the kernel's timers are too coarse */
#define LONGEST  1e-3

const char *const cw_wait_names[] = {"spin", "yield", "sleep", NULL};

/* Where a rank runs. */
struct seat {
    char kernel[40];
    cpu_set_t processors;
};

static struct seat own_seat(void)
{
    struct seat seat = {.kernel = ""};
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && !fgets(seat.kernel, sizeof seat.kernel, file)) seat.kernel[0] = 0;
    if (file) fclose(file);
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
    if (mode == CW_WAIT_SPIN) return;
    const double share = SHARE * (cw_stopwatch_now() - since), seconds = share < LONGEST ? share : LONGEST;
    if (mode == CW_WAIT_YIELD || seconds < SHORTEST) {
        sched_yield();
        return;
    }
    const struct timespec pause = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
}
