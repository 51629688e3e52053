/*
 * Data that are moved over many paths at once, as on Blue Gene, whose nodes pass on what they receive at no cost of
 * their own: what that could gain over the network's own routes. plan bgq:512 disjoint:32x128
 */
#include <crosswind.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_demands demands = {0};
    struct cw_flow_problem problem = {0};
    if (argc != 3) return fprintf(stderr, "usage: plan NETWORK PATTERN\n"), 2;
    int rc = cw_network_open(argv[1], &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 0, &routes);
    if (!rc) rc = cw_demands_pattern(net, NULL, argv[2], 1 << 20, 1, &demands);
    if (!rc) rc = cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem);
    const char *const methods[] = {"default", "optimum"};
    const struct cw_method_setup setup = {.routes = routes, .n_threads = 1, .seed = 1};
    for (int i = 0; !rc && i < 2; i++) {
        struct cw_plan plan = {0};
        rc = cw_method_solve(cw_method_find(methods[i]), &problem, &setup, &plan);
        if (!rc) printf("%-8s z = %.4f on %zu paths\n", methods[i], plan.z, plan.n_paths);
        cw_plan_free(&plan);
    }
    if (rc) fprintf(stderr, "%s\n", cw_error_message());
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_routes_free(routes);
    cw_network_free(net);
    return rc != 0;
}
