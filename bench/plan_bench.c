/* Measures how long plans take to find, and how good they are, on one core: the patterns of the paper's figures on Blue
 * Gene/Q with 9 channels a node. Usage: plan_bench [LARGEST], nodes; 2048 unless given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/table.h"
#include "flow/method.h"
#include "net/network.h"
#include "topo/topology.h"

/* What is measured, and the CPU seconds in which it should be done. */
static const struct plan_case {
    uint32_t nodes;
    const char *method;
    double target;
} cases[] = {
    {512, "optimum", 1},   {1024, "optimum", 3}, {2048, "lp", 10},
    {2048, "optimum", 10}, {2048, "approx", 10}, {8192, "approx", 60},
};

static const char *const patterns[] = {"3", "27", "87"};

static const struct cw_column columns[] = {
    {"nodes", CW_COLUMN_INT, NULL, "of the partition"},
    {"pattern", CW_COLUMN_TEXT, NULL, "number of the demands' pattern"},
    {"method", CW_COLUMN_TEXT, NULL, "of planning; lp: over 50 paths, penalised"},
    {"z", CW_COLUMN_REAL, NULL, "fraction of all demands moved per unit of time"},
    {"gap", CW_COLUMN_REAL, NULL, "(bound - z) / bound"},
    {"paths", CW_COLUMN_REAL, "s", "CPU time to find the paths given"},
    {"search", CW_COLUMN_REAL, "s", "CPU time of the method"},
    {"target", CW_COLUMN_REAL, "s", "what that should be at most"},
};

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int find_paths(const struct cw_method *method, const struct cw_flow_problem *problem, uint32_t k,
                      struct cw_k_paths *paths, double *seconds)
{
    const struct cw_k_paths_setup setup = {.k = k, .ties = CW_TIES_PENALISED};
    const double begin = cpu_seconds();
    const int rc = method->needs_paths ? cw_k_paths_find(problem, &setup, 1, paths) : 0;
    *seconds = cpu_seconds() - begin;
    return rc;
}

static int measure(const struct plan_case *item, const char *pattern, const struct cw_flow_problem *problem,
                   struct cw_table *table)
{
    const struct cw_method *method = cw_method_find(item->method);
    struct cw_k_paths paths = {0};
    struct cw_plan plan = {0};
    struct cw_method_setup setup = {.paths = &paths, .k = 50, .epsilon = 0.01, .n_threads = 1};
    double path_seconds;
    int rc = find_paths(method, problem, setup.k, &paths, &path_seconds);
    const double begin = cpu_seconds();
    if (!rc) rc = cw_method_solve(method, problem, &setup, &plan);
    if (!rc) {
        cw_table_int(table, item->nodes);
        cw_table_text(table, pattern);
        cw_table_text(table, item->method);
        cw_table_real(table, plan.z);
        cw_table_real(table, 1 - plan.z / plan.bound);
        cw_table_real(table, method->needs_paths ? path_seconds : NAN);
        cw_table_real(table, cpu_seconds() - begin);
        cw_table_real(table, item->target);
    }
    cw_plan_free(&plan);
    cw_k_paths_free(&paths);
    return rc;
}

static int measure_pattern(const struct plan_case *item, const char *pattern, struct cw_table *table)
{
    char spec[32];
    struct cw_network *net = NULL;
    struct cw_demands demands = {0};
    struct cw_flow_problem problem = {0};
    snprintf(spec, sizeof spec, "bgq:%u,merge2", item->nodes);
    int rc = cw_topology_build(spec, &net);
    if (!rc) rc = cw_demands_pattern(net, NULL, pattern, 8 << 20, 1, &demands);
    if (!rc) rc = cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem);
    if (!rc) rc = measure(item, pattern, &problem, table);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_network_free(net);
    return rc;
}

static int run(unsigned long largest)
{
    struct cw_table *table;
    struct cw_text text = {0};
    int rc = cw_table_new("plan_bench", "Plans on one core", columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns && !rc; p++)
            if (cases[i].nodes <= largest) rc = measure_pattern(&cases[i], patterns[p], table);
    if (!rc) rc = cw_table_write_text(table, 0, "csv or json", &text);
    if (!rc) fputs(text.data, stdout);
    cw_text_free(&text);
    cw_table_free(table);
    return rc;
}

int main(int argc, char **argv)
{
    const int rc = run(argc > 1 ? strtoul(argv[1], NULL, 10) : 2048);
    if (rc) fprintf(stderr, "plan_bench: %s\n", cw_error_message());
    return rc ? 1 : 0;
}
