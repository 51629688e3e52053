/*
 * Compares solvers and simulators that answer the same question, on one core: why each of them stays. Rows of one
 * question and network have the same problem; `answer` says how good each one's answer is, `seconds` what it took.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/table.h"
#include "flow/chunking.h"
#include "flow/clp_model.h"
#include "flow/legs/legs.h"
#include "flow/method.h"
#include "flow/transport/transport_set.h"
#include "model/link_load.h"
#include "model/packing.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/engine.h"
#include "route/packets/least_busy.h"
#include "study/jobs/flit_moves_case.h"
#include "topo/topology.h"

static const struct cw_column columns[] = {
    {"question", CW_COLUMN_TEXT, NULL, "what is asked"},
    {"network", CW_COLUMN_TEXT, NULL, "where, and with which traffic"},
    {"solver", CW_COLUMN_TEXT, NULL, "who answers"},
    {"answer", CW_COLUMN_REAL, NULL, "share that is accepted, at most; time of the busiest channel; seconds of a move"},
    {"seconds", CW_COLUMN_REAL, "s", "of answering"},
};

static void add(struct cw_table *table, const char *question, const char *network, const char *solver, double answer,
                double begin)
{
    cw_table_row(table, "%s %s %s %g %g", question, network, solver, answer, cw_stopwatch_now() - begin);
}

/* --- how much is accepted: a packing problem ---------------------------------------------------------------------- */

/* The same by simplex: sources are variables, channels constraints. */
static int pack_by_clp(const struct cw_packing *packing, double *most)
{
    struct cw_clp *clp = NULL;
    enum cw_clp_end end;
    const size_t n = packing->n_rows, entries = packing->first[n];
    double *below = cw_new_array(packing->n_columns, sizeof *below, "bounds");
    double *one = cw_new_array(packing->n_columns, sizeof *one, "bounds");
    double *column = cw_new_array(3 * n, sizeof *column, "sources"),
           *value = cw_new_array(entries, sizeof *value, "uses");
    int *start = cw_new_array(n + packing->n_columns + 2, sizeof *start, "places");
    int *index = cw_new_array(entries, sizeof *index, "channels");
    int rc = below && one && column && value && start && index ? cw_clp_new(1e-9, &clp) : CW_ENOMEM;
    for (uint32_t c = 0; !rc && c < packing->n_columns; c++) {
        below[c] = -(double)INFINITY;
        one[c] = 1;
    }
    if (!rc) {
        const struct cw_clp_items rows = {(int)packing->n_columns, below, one, NULL, start, index, value};
        rc = cw_clp_add_rows(clp, &rows);
    }
    for (size_t r = 0; !rc && r < n; r++) {
        column[n + r] = 1;
        column[2 * n + r] = -packing->worth[r] * packing->count[r];
        start[r + 1] = (int)packing->first[r + 1];
        for (size_t i = packing->first[r]; i < packing->first[r + 1]; i++) {
            index[i] = (int)packing->column[i];
            value[i] = packing->use[i] * packing->count[r];
        }
    }
    if (!rc) {
        const struct cw_clp_items sources = {(int)n, column, column + n, column + 2 * n, start, index, value};
        rc = cw_clp_add_columns(clp, &sources);
    }
    if (!rc) rc = cw_clp_solve(clp, INFINITY, &end);
    *most = 0;
    for (size_t r = 0; !rc && r < n; r++) *most -= column[2 * n + r] * cw_clp_solution(clp)[r];
    cw_clp_free(clp);
    free(below);
    free(one);
    free(column);
    free(value);
    free(start);
    free(index);
    return rc;
}

static int measure_packing(struct cw_table *table, const char *spec, const char *routing, const char *traffic)
{
    static const char *const question = "most that is accepted";
    struct cw_network *net = NULL;
    struct cw_packet_routing *packets = NULL;
    struct cw_workload *workload = NULL;
    struct cw_link_load load = {0};
    struct cw_ranks ranks;
    struct cw_packing_bound bound;
    char name[96];
    double most;
    snprintf(name, sizeof name, "%s, %s, %s", spec, routing, traffic);
    int rc = cw_topology_build(spec, &net);
    if (rc) return rc;
    cw_ranks_of(net, net->n_endpoints, &ranks);
    uint32_t *endpoints = cw_new_array(net->n_endpoints, sizeof *endpoints, "ranks");
    for (uint32_t e = 0; endpoints && e < net->n_endpoints; e++) endpoints[e] = e;
    rc = endpoints ? cw_packet_routing_new(net, routing, 1, 1, &packets) : CW_ENOMEM;
    if (!rc) rc = cw_workload_new(traffic, &ranks, 1, &workload);
    if (!rc) rc = cw_link_load_compute(packets, workload, endpoints, 1, &load);
    double begin = cw_stopwatch_now();
    if (!rc) rc = cw_packing_bound(load.shares, 1, 1, &bound);
    if (!rc) add(table, question, name, "packing, bound", bound.most, begin);
    begin = cw_stopwatch_now();
    if (!rc) rc = pack_by_clp(load.shares, &most);
    if (!rc) add(table, question, name, "CLP", most, begin);
    cw_link_load_free(&load);
    cw_workload_free(workload);
    cw_packet_routing_free(packets);
    free(endpoints);
    cw_network_free(net);
    return rc;
}

/* --- the best shortest paths of a round ----------------------------------------------------------------------------
 */

static const char round_question[] = "busiest channel of a round";

static int measure_least_busy(struct cw_table *table, const char *name, const struct cw_network *net,
                              const struct cw_demands *demands)
{
    struct cw_routes *routes = NULL;
    struct cw_least_busy *least = NULL;
    uint32_t *src = cw_new_array(demands->n, sizeof *src, "sources");
    uint32_t *dst = cw_new_array(demands->n, sizeof *dst, "destinations");
    double bound;
    int rc = src && dst ? cw_engine_route(net, "adaptive", 1, 1, &routes) : CW_ENOMEM;
    for (size_t i = 0; !rc && i < demands->n; i++) {
        src[i] = demands->items[i].src;
        dst[i] = demands->items[i].dst;
    }
    const double begin = cw_stopwatch_now();
    if (!rc) rc = cw_least_busy_new(routes, &least);
    if (!rc) rc = cw_least_busy_find(least, demands->n, src, dst, NULL, &bound);
    if (!rc) add(table, round_question, name, "least_busy, within 1 %", bound * net->capacity[0], begin);
    cw_least_busy_free(least);
    cw_routes_free(routes);
    free(src);
    free(dst);
    return rc;
}

static int measure_method(struct cw_table *table, const char *name, const struct cw_flow_problem *problem,
                          const char *method, const char *solver)
{
    const struct cw_method_setup setup = {.epsilon = 0.01, .n_threads = 1, .seconds = 120};
    struct cw_plan plan = {0};
    const double begin = cw_stopwatch_now();
    const int rc = cw_method_solve(cw_method_find(method), problem, &setup, &plan);
    if (!rc) add(table, round_question, name, solver, 1 / plan.z, begin);
    cw_plan_free(&plan);
    return rc;
}

static int measure_round(struct cw_table *table, const char *spec, const char *traffic)
{
    struct cw_network *net = NULL;
    struct cw_routes *own = NULL;
    struct cw_demands demands = {0};
    struct cw_legs *legs = NULL;
    struct cw_flow_problem problem = {0};
    char name[96];
    snprintf(name, sizeof name, "%s, %s", spec, traffic);
    int rc = cw_topology_build(spec, &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 1, &own);
    if (!rc) rc = cw_demands_pattern(net, NULL, traffic, 1 << 20, 1, &demands);
    const struct cw_routes *const routes[] = {own};
    const struct cw_legs_setup setup = {.routes = routes, .n_routes = 1, .adaptive = true};
    if (!rc) rc = cw_legs_make(net, &demands, &setup, 1, &legs);
    if (!rc) rc = cw_flow_problem_make_on_legs(legs, &demands, 0, NULL, 0, &problem);
    if (!rc) rc = measure_least_busy(table, name, net, &demands);
    if (!rc) rc = measure_method(table, name, &problem, "approx", "balance, within 1 %");
    if (!rc) rc = measure_method(table, name, &problem, "optimum", "CLP, columns as it needs them");
    cw_flow_problem_free(&problem);
    cw_legs_free(legs);
    cw_demands_free(&demands);
    cw_routes_free(own);
    cw_network_free(net);
    return rc;
}

/* --- messages that nobody plans, on Blue Gene -----------------------------------------------------------------------
 */

static int measure_move(struct cw_table *table, const char *name, const struct cw_flow_problem *problem,
                        const struct cw_plan *plan)
{
    static const char question[] = "time of unplanned messages";
    struct cw_transport transport = cw_transport_set_for(problem)->transport;
    struct cw_transport_result result;
    struct cw_flit_moves_result flits;
    struct cw_moves moves;
    double begin = cw_stopwatch_now();
    int rc = cw_transport_run(problem, plan, &transport, &result);
    if (!rc) add(table, question, name, "adaptive, packets by turns", result.seconds, begin);
    transport.messages.adaptive = false;
    begin = cw_stopwatch_now();
    if (!rc) rc = cw_transport_run(problem, plan, &transport, &result);
    if (!rc) add(table, question, name, "transport, each on its route", result.seconds, begin);
    begin = cw_stopwatch_now();
    if (!rc) rc = cw_moves_make(problem, plan, transport.chunk_bytes, 2, &moves);
    if (rc) return rc;
    struct cw_flit_moves_case made = {.net = problem->net,
                                      .moves = &moves,
                                      .hardware = cw_flit_default_hardware(),
                                      .message_flits = 8,
                                      .seed = 1,
                                      .n_threads = 1};
    made.hardware.reference_capacity = problem->unit_capacity;
    rc = cw_flit_moves_case_run(&made, &flits);
    if (!rc) add(table, question, name, "flits, each on its route", flits.seconds, begin);
    cw_moves_free(&moves);
    return rc;
}

static int measure_moves(struct cw_table *table, const char *spec, const char *traffic, uint64_t bytes)
{
    struct cw_network *net = NULL;
    struct cw_routes *own = NULL;
    struct cw_demands demands = {0};
    struct cw_flow_problem problem = {0};
    struct cw_plan found = {0}, plan = {0};
    char name[96];
    snprintf(name, sizeof name, "%s, pattern %s, %llu KiB", spec, traffic, (unsigned long long)bytes >> 10);
    int rc = cw_topology_build(spec, &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 1, &own);
    if (!rc) rc = cw_demands_pattern(net, NULL, traffic, bytes, 1, &demands);
    if (!rc) rc = cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem);
    const struct cw_method_setup setup = {.routes = own, .n_threads = 1};
    if (!rc) rc = cw_method_solve(cw_method_find("default"), &problem, &setup, &found);
    if (!rc) rc = cw_plan_in_chunks(&problem, &found, 64 << 10, &plan);
    if (!rc) rc = measure_move(table, name, &problem, &plan);
    cw_plan_free(&plan);
    cw_plan_free(&found);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_routes_free(own);
    cw_network_free(net);
    return rc;
}

int main(void)
{
    struct cw_table *table;
    struct cw_text text = {0};
    int rc =
        cw_table_new("solver_bench", "Who answers what on one core", columns, sizeof columns / sizeof *columns, &table);
    if (!rc) rc = measure_packing(table, "dragonfly:2,4,2", "valiant-any", "bitcomp");
    if (!rc) rc = measure_packing(table, "dragonfly:4,8,4", "minimal", "bitcomp");
    if (!rc) rc = measure_packing(table, "dragonfly:4,8,4", "valiant-any", "bitcomp");
    if (!rc) rc = measure_packing(table, "dragonfly:6,12,6", "valiant-any", "bitcomp");
    if (!rc) rc = measure_round(table, "xgft(2,12,6)", "permutation");
    if (!rc) rc = measure_round(table, "dragonfly:4,8,4", "permutation");
    if (!rc) rc = measure_round(table, "xgft(3,12,8,12,4)", "permutation");
    if (!rc) rc = measure_moves(table, "bgq:512", "3", 64 << 10);
    if (!rc) rc = measure_moves(table, "bgq:512", "3", 512 << 10);
    const int written = cw_table_write_text(table, 0, "csv or json", &text);
    if (!written) fputs(text.data, stdout);
    if (rc) fprintf(stderr, "solver_bench: %s\n", cw_error_message());
    cw_text_free(&text);
    cw_table_free(table);
    return rc ? 1 : 0;
}
