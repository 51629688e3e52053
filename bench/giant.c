#include "giant.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stopwatch.h"
#include "figures.h"
#include "route/engine.h"
#include "topo/topology.h"

static int measure(struct giant *giant)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct rusage usage;
    const double begin = cw_stopwatch_now();
    int rc = cw_network_open(GIANT, &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 1, &routes);
    giant->prepare = cw_stopwatch_now() - begin;
    if (!rc) rc = noise_seconds(routes, 1, 1, &giant->trial);
    cw_routes_free(routes);
    cw_network_free(net);
    if (rc) return rc;
    getrusage(RUSAGE_SELF, &usage);
    giant->peak = (double)usage.ru_maxrss / 1024;
    return 0;
}

/* In the child: the figures are written to PIPE, or nothing at all after an error. */
static void run_child(int pipe)
{
    struct giant giant = {0};
    const int rc = measure(&giant);
    if (rc) fprintf(stderr, "bench: %s\n", cw_error_message());
    _exit(!rc && write(pipe, &giant, sizeof giant) == sizeof giant ? 0 : 1);
}

int giant_run(struct giant *out)
{
    int ends[2], status;
    struct giant giant;
    if (pipe(ends) != 0) return cw_fail(CW_EIO, "no pipe");
    const pid_t child = fork();
    if (child == 0) run_child(ends[1]);
    close(ends[1]);
    const ssize_t n = child > 0 ? read(ends[0], &giant, sizeof giant) : 0;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || n != sizeof giant)
        return cw_fail(CW_EIO, "the process for " GIANT " failed");
    *out = giant;
    return 0;
}
