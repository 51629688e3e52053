/*
 * How much a collective suffers while half of the machine does something else.
 *     noise NETWORK SCHEDULE BYTES
 */
#include <crosswind.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_schedule *schedule = NULL;
    struct cw_pattern *background = NULL;
    struct cw_placement *placement = NULL;
    struct cw_noise_result result;
    if (argc != 4) return fprintf(stderr, "usage: noise NETWORK SCHEDULE BYTES\n"), 2;
    int rc = cw_network_open(argv[1], &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 0, &routes);
    if (!rc) rc = cw_schedule_new(argv[2], &schedule);
    if (!rc) rc = cw_pattern_new("derangement", NULL, &background);
    if (!rc) rc = cw_placement_new("random-nodes", net, NULL, &placement);
    const struct cw_noise_setup setup = {
        .collective = {.routes = routes,
                       .schedule = schedule,
                       .bytes = strtoull(argv[3], NULL, 10),
                       .timing = {true, CW_TIMING_OF_CHANNELS, 0, CW_TIMING_OF_CHANNELS},
                       .sends = CW_SENDS_IN_ORDER},
        .background = background,
        .placement = placement,
        .ratio = 0.5,
        .trials = 200,
        .seed = 1};
    if (!rc) rc = cw_noise_run(&setup, &result);
    if (rc)
        fprintf(stderr, "%s\n", cw_error_message());
    else
        printf("%.3f ± %.3f times as long\n", result.slowdown.mean, result.slowdown.ci95);
    cw_placement_free(placement);
    cw_pattern_free(background);
    cw_schedule_free(schedule);
    cw_routes_free(routes);
    cw_network_free(net);
    return rc != 0;
}
