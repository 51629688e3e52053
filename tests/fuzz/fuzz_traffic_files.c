/* Traffic matrices and placement files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

static void run_matrix(const char *path)
{
    char spec[96];
    struct cw_pattern *pattern;
    uint32_t rounds;
    snprintf(spec, sizeof spec, "matrix:%s", path);
    if (cw_pattern_new(spec, NULL, &pattern) != 0) return;
    struct cw_flows flows = {0};
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    if (cw_pattern_rounds(pattern, 16, &rounds) == 0 && cw_pattern_append(pattern, 16, 0, 1, &random, &flows) == 0)
        for (size_t i = 0; i < flows.n; i++)
            if (flows.items[i].src >= 16 || flows.items[i].dst >= 16) abort();
    cw_flows_free(&flows);
    cw_pattern_free(pattern);
}

static void run_placement(const struct cw_network *net, const char *path)
{
    char spec[96];
    struct cw_placement *placement;
    uint32_t endpoints[16];
    bool seen[16] = {0};
    snprintf(spec, sizeof spec, "file:%s", path);
    if (cw_placement_new(spec, net, NULL, &placement) != 0) return;
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    if (cw_placement_order(placement, &random, endpoints) != 0) abort();
    for (size_t i = 0; i < 16; i++) {
        if (endpoints[i] >= 16 || seen[endpoints[i]]) abort();
        seen[endpoints[i]] = true;
    }
    cw_placement_free(placement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *net;
    char path[64];
    if (!net && cw_network_open("torus:4x4", &net) != 0) abort();
    const int file = memory_file(data, size, path);
    run_matrix(path);
    run_placement(net, path);
    close(file);
    return 0;
}
