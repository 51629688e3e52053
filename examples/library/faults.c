/*
 * What failing cables cost: the share of its bandwidth that a network keeps when random halves of it talk, with 0 to 20
 * % of the cables between its switches out of order and routed anew. faults xgft:2:8,8:1,4
 */
#include <crosswind.h>
#include <stdio.h>

/* The effective bisection bandwidth of NET with what LIST names out of order; all is routed by minhop. */
static int bandwidth(const struct cw_network *net, const char *list, struct cw_ebb_result *result)
{
    struct cw_faults *faults = NULL;
    struct cw_network *left = NULL;
    struct cw_routes *routes = NULL;
    int rc = cw_faults_new(net, &faults);
    if (!rc) rc = cw_faults_fail(faults, "cables", list, 1);
    if (!rc) rc = cw_network_with_faults(faults, &left);
    if (!rc) rc = cw_engine_route(left, "minhop", 1, 0, &routes);
    const struct cw_ebb_setup setup = {.routes = routes, .trials = 500, .seed = 1};
    if (!rc) rc = cw_ebb_run(&setup, result);
    cw_routes_free(routes);
    cw_network_free(left);
    cw_faults_free(faults);
    return rc;
}

int main(int argc, char **argv)
{
    const char *const lists[] = {"0%", "5%", "10%", "20%"};
    struct cw_network *net = NULL;
    if (argc != 2) return fprintf(stderr, "usage: faults NETWORK\n"), 2;
    int rc = cw_network_open(argv[1], &net);
    for (size_t i = 0; !rc && i < sizeof lists / sizeof *lists; i++) {
        struct cw_ebb_result result;
        rc = bandwidth(net, lists[i], &result);
        if (!rc) printf("%3s of the cables failed: %.3f ± %.3f\n", lists[i], result.ebb.mean, result.ebb.ci95);
    }
    if (rc) fprintf(stderr, "%s\n", cw_error_message());
    cw_network_free(net);
    return rc != 0;
}
