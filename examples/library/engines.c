/*
 * One network under several routings: how hot a pattern makes the hottest channel.
 *     engines NETWORK ROUTING...
 */
#include <crosswind.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(void)
{
    fprintf(stderr, "%s\n", cw_error_message());
    return 1;
}

/* Every endpoint sends to the one opposite; the most messages on a channel, or 0 if there is no memory. */
static uint32_t hottest(const struct cw_network *net, const struct cw_routes *routes)
{
    const uint32_t n = cw_network_endpoints(net);
    uint32_t *ends = malloc(2 * (size_t)n * sizeof *ends), *load = calloc(cw_network_channels(net), sizeof *load),
             most = 0;
    for (uint32_t i = 0; ends && i < n; i++) {
        ends[i] = i;
        ends[n + i] = (i + n / 2) % n;
    }
    if (ends && load && cw_routes_count(routes, n, ends, ends + n, load) == 0)
        for (uint32_t c = 0; c < cw_network_channels(net); c++)
            if (load[c] > most) most = load[c];
    free(ends);
    free(load);
    return most;
}

int main(int argc, char **argv)
{
    struct cw_network *net = NULL;
    if (argc < 3) return fprintf(stderr, "usage: engines NETWORK ROUTING...\n"), 2;
    if (cw_network_open(argv[1], &net)) return failed();
    for (int i = 2; i < argc; i++) {
        struct cw_routes *routes = NULL;
        if (cw_engine_route(net, argv[i], 1, 0, &routes)) return failed();
        const uint32_t most = hottest(net, routes);
        if (most == 0) return failed();
        printf("%-12s messages on the hottest channel: %u\n", argv[i], most);
        cw_routes_free(routes);
    }
    cw_network_free(net);
    return 0;
}
