/*
 * How much of its bandwidth a fabric has when random halves of it talk to each other, by its own tables:
 *     bisection fabric.ibnetdiscover opensm-lfts.dump
 */
#include <crosswind.h>
#include <stdio.h>

static int failed(void)
{
    fprintf(stderr, "%s\n", cw_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_ebb_result result;
    if (argc != 3) return fprintf(stderr, "usage: bisection MAP TABLES\n"), 2;
    if (cw_network_open(argv[1], &net) || cw_lft_read(net, argv[2], NULL, &routes)) return failed();
    const struct cw_ebb_setup setup = {.routes = routes, .trials = 1000, .seed = 1};
    if (cw_ebb_run(&setup, &result)) return failed();
    printf("effective bisection bandwidth: %.3f ± %.3f\n", result.ebb.mean, result.ebb.ci95);
    cw_routes_free(routes);
    cw_network_free(net);
    return 0;
}
