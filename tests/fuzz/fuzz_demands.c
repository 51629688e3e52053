/* Demands of traffic matrices, by number and by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow/flow_problem.h"
#include "fuzz.h"
#include "topo/topology.h"

#define ENDPOINTS 16

/* What is accepted is a list of demands that differ. */
static void check(const struct cw_demands *demands)
{
    bool seen[ENDPOINTS][ENDPOINTS];
    memset(seen, 0, sizeof seen);
    if (demands->n == 0) abort();
    for (size_t i = 0; i < demands->n; i++) {
        const struct cw_demand *demand = &demands->items[i];
        if (demand->src >= ENDPOINTS || demand->dst >= ENDPOINTS || demand->src == demand->dst) abort();
        if (demand->bytes == 0 || seen[demand->src][demand->dst]) abort();
        seen[demand->src][demand->dst] = true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *net;
    char path[64], spec[96];
    if (!net && cw_topology_build("torus:4x4", &net) != 0) abort();
    const int file = memory_file(data, size, path);
    struct cw_demands demands = {0};
    struct cw_flow_problem problem;
    snprintf(spec, sizeof spec, "matrix:%s", path);
    if (cw_demands_pattern(net, NULL, spec, 1, 1, &demands) == 0) {
        check(&demands);
        if (cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem) != 0) abort();
        cw_flow_problem_free(&problem);
    }
    cw_demands_free(&demands);
    close(file);
    return 0;
}
