/*
 * Plans by other people's solvers: the same problems, all paths free, by the methods of flow/ and by CLP, HiGHS and
 * igraph, in one run on one core.
 *
 *     CLP      the linear program over arcs, built without column generation: a variable for each source and channel.
 *              By dual simplex with CLP's presolve, as its users call it
 *     HiGHS    the same program as a file in CPLEX's LP format, by the program `highs` on PATH, with the time it prints
 *     igraph   push and relabel: what cuts let through of each demand alone, a bound of z that is exact for one demand
 *
 * Who is not here is left out, and said to be. Usage: plan_solvers
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_CLP
#include <Clp_C_Interface.h>
#endif
#ifdef WITH_IGRAPH
#include <igraph.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/table.h"
#include "flow/method.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "topo/topology.h"

static const struct cw_column columns[] = {
    {"problem", CW_COLUMN_TEXT, NULL, "network and demands"},
    {"solver", CW_COLUMN_TEXT, NULL, "who answers"},
    {"z", CW_COLUMN_REAL, NULL, "of the plan; of igraph, and of the bound, what no plan exceeds"},
    {"bound", CW_COLUMN_REAL, NULL, "that the solver proves, if it is another one"},
    {"seconds", CW_COLUMN_REAL, "s", "of answering"},
    {"ratio", CW_COLUMN_REAL, NULL, "its seconds / those of optimum"},
};

struct bench {
    struct cw_table *table;
    const char *name;
    const struct cw_flow_problem *problem;
    double reference; /* seconds of optimum */
};

static void add(struct bench *bench, const char *solver, double z, double bound, double seconds)
{
    cw_table_row(bench->table, "%s %s %g %g %g %g", bench->name, solver, z, bound, seconds, seconds / bench->reference);
}

static int by_method(struct bench *bench, const char *name)
{
    const struct cw_method_setup setup = {.epsilon = 0.01, .n_threads = 1};
    struct cw_plan plan;
    const double begin = cw_stopwatch_now();
    const int rc = cw_method_solve(cw_method_find(name), bench->problem, &setup, &plan);
    const double seconds = cw_stopwatch_now() - begin;
    if (rc) return rc;
    if (strcmp(name, "optimum") == 0) bench->reference = seconds;
    add(bench, name, plan.z, plan.bound, seconds);
    cw_plan_free(&plan);
    return 0;
}

/* --- the program over arcs ---------------------------------------------------------------------------------------- */

/* Maximise z, the last variable. Rows first have what each source's flow leaves at each vertex but for z times what is
 * meant for it, which is nothing; then the flow of each channel with a limit. Columns one behind another. */
struct arcs {
    int n_rows, n_columns, n_balances;
    int *start, *index;
    double *value, *limit; /* [rows] */
};

static void free_arcs(struct arcs *arcs)
{
    free(arcs->start);
    free(arcs->index);
    free(arcs->value);
    free(arcs->limit);
}

static bool is_source(const struct cw_flow_problem *problem, uint32_t e)
{
    for (size_t d = 0; d < problem->demands->n; d++)
        if (problem->demands->items[d].src == e) return true;
    return false;
}

static void put(struct arcs *arcs, int row, double value)
{
    arcs->index[arcs->start[arcs->n_columns + 1]] = row;
    arcs->value[arcs->start[arcs->n_columns + 1]++] = value;
}

static void end_column(struct arcs *arcs)
{
    arcs->n_columns++;
    arcs->start[arcs->n_columns + 1] = arcs->start[arcs->n_columns];
}

/* The flows of source E, whose rows begin at FIRST; that of channel c is limited by row LIMITS[c], or none is. */
static void add_flows(const struct cw_flow_problem *problem, uint32_t e, int first, const int *limits,
                      struct arcs *arcs)
{
    const struct cw_network *net = problem->net;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t tail = net->tail[c], head = net->head[c];
        if (!(problem->capacity[c] > 0) || head == e || (tail < net->n_endpoints && tail != e)) continue;
        put(arcs, first + (int)tail, 1);
        put(arcs, first + (int)head, -1);
        if (limits[c] >= 0) put(arcs, limits[c], 1);
        end_column(arcs);
    }
}

static void add_z(const struct cw_flow_problem *problem, const int *first, double *net_bytes, struct arcs *arcs)
{
    const struct cw_network *net = problem->net;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (first[e] < 0) continue;
        memset(net_bytes, 0, net->n_vertices * sizeof *net_bytes);
        for (size_t d = 0; d < problem->demands->n; d++) {
            const struct cw_demand *demand = &problem->demands->items[d];
            if (demand->src != e) continue;
            net_bytes[e] += (double)demand->bytes / (double)problem->unit_bytes;
            net_bytes[demand->dst] -= (double)demand->bytes / (double)problem->unit_bytes;
        }
        for (uint32_t v = 0; v < net->n_vertices; v++)
            if (net_bytes[v] != 0) put(arcs, first[e] + (int)v, -net_bytes[v]);
    }
    end_column(arcs);
}

static int make_arcs(const struct cw_flow_problem *problem, struct arcs *arcs)
{
    const struct cw_network *net = problem->net;
    size_t n_sources = 0;
    *arcs = (struct arcs){.n_rows = 0};
    int *first = cw_new_array(net->n_endpoints, sizeof *first, "rows");
    int *limits = cw_new_array(net->n_channels, sizeof *limits, "rows");
    double *net_bytes = cw_new_array(net->n_vertices, sizeof *net_bytes, "bytes");
    if (!first || !limits || !net_bytes) goto no_memory;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        first[e] = -1;
        if (!is_source(problem, e)) continue;
        first[e] = arcs->n_rows;
        arcs->n_rows += (int)net->n_vertices;
        n_sources++;
    }
    arcs->n_balances = arcs->n_rows;
    for (uint32_t c = 0; c < net->n_channels; c++)
        limits[c] = problem->capacity[c] > 0 && !isinf(problem->capacity[c]) ? arcs->n_rows++ : -1;
    const size_t most = n_sources * net->n_channels, values = 3 * most + 2 * problem->demands->n;
    arcs->start = cw_new_array(most + 3, sizeof *arcs->start, "columns");
    arcs->index = cw_new_array(values, sizeof *arcs->index, "columns");
    arcs->value = cw_new_array(values, sizeof *arcs->value, "columns");
    arcs->limit = cw_new_array((size_t)arcs->n_rows, sizeof *arcs->limit, "rows");
    if (!arcs->start || !arcs->index || !arcs->value || !arcs->limit) goto no_memory;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (limits[c] >= 0) arcs->limit[limits[c]] = problem->capacity[c] / problem->unit_capacity;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (first[e] >= 0) add_flows(problem, e, first[e], limits, arcs);
    add_z(problem, first, net_bytes, arcs);
    free(first);
    free(limits);
    free(net_bytes);
    return 0;
no_memory:
    free(first);
    free(limits);
    free(net_bytes);
    free_arcs(arcs);
    return CW_ENOMEM;
}

/* --- CLP ---------------------------------------------------------------------------------------------------------- */

#ifdef WITH_CLP
static int by_clp(struct bench *bench, const struct arcs *arcs)
{
    double *lower = cw_new_array((size_t)arcs->n_rows, sizeof *lower, "bounds");
    double *cost = cw_new_array((size_t)arcs->n_columns, sizeof *cost, "costs");
    if (!lower || !cost) {
        free(lower);
        free(cost);
        return CW_ENOMEM;
    }
    for (int r = arcs->n_balances; r < arcs->n_rows; r++) lower[r] = -DBL_MAX;
    cost[arcs->n_columns - 1] = -1;
    Clp_Simplex *clp = Clp_newModel();
    Clp_setLogLevel(clp, 0);
    const double begin = cw_stopwatch_now();
    Clp_loadProblem(clp, arcs->n_columns, arcs->n_rows, arcs->start, arcs->index, arcs->value, NULL, NULL, cost, lower,
                    arcs->limit);
    Clp_initialDualSolve(clp);
    const double seconds = cw_stopwatch_now() - begin;
    const int rc = Clp_status(clp) == 0 ? 0 : cw_fail(CW_EINTERNAL, "CLP ended with status %d", Clp_status(clp));
    if (!rc) add(bench, "CLP, arcs", -Clp_objectiveValue(clp), (double)NAN, seconds);
    Clp_deleteModel(clp);
    free(lower);
    free(cost);
    return rc;
}
#else
static int by_clp(struct bench *bench, const struct arcs *arcs)
{
    (void)bench, (void)arcs;
    return 0;
}
#endif

/* --- HiGHS -------------------------------------------------------------------------------------------------------- */

/* Writes the program row by row, as CPLEX's LP format has it. */
static int write_lp(const struct arcs *arcs, FILE *file)
{
    struct entry {
        int column, next;
        double value;
    } *entries = cw_new_array((size_t)arcs->start[arcs->n_columns], sizeof *entries, "a file");
    int *first = cw_new_array((size_t)arcs->n_rows, sizeof *first, "a file"), n = 0;
    if (!entries || !first) {
        free(entries);
        free(first);
        return CW_ENOMEM;
    }
    for (int r = 0; r < arcs->n_rows; r++) first[r] = -1;
    for (int j = arcs->n_columns; j-- > 0;)
        for (int i = arcs->start[j]; i < arcs->start[j + 1]; i++) {
            entries[n] = (struct entry){j, first[arcs->index[i]], arcs->value[i]};
            first[arcs->index[i]] = n++;
        }
    fprintf(file, "Maximize\n obj: x%d\nSubject To\n", arcs->n_columns - 1);
    for (int r = 0; r < arcs->n_rows; r++) {
        if (first[r] < 0) continue;
        fprintf(file, " r%d:", r);
        for (int i = first[r]; i >= 0; i = entries[i].next)
            fprintf(file, " %+.17g x%d\n", entries[i].value, entries[i].column);
        fprintf(file, " %s %.17g\n", r < arcs->n_balances ? "=" : "<=", arcs->limit[r]);
    }
    fprintf(file, "End\n");
    free(entries);
    free(first);
    return ferror(file) ? cw_fail(CW_EIO, "the program for highs cannot be written") : 0;
}

/* What `highs` says of the program in the file PATH. */
static int ask_highs(struct bench *bench, const char *path)
{
    char command[128], line[256];
    double z = (double)NAN, seconds = (double)NAN;
    snprintf(command, sizeof command, "highs '%s'", path);
    FILE *answer = popen(command, "r");
    if (!answer) return cw_fail(CW_EIO, "highs cannot be run");
    while (fgets(line, sizeof line, answer)) {
        sscanf(line, "Objective value : %lf", &z);
        sscanf(line, "HiGHS run time : %lf", &seconds);
    }
    if (pclose(answer) != 0 || isnan(z) || isnan(seconds))
        return cw_fail(CW_EINTERNAL, "highs did not print 'Objective value' and 'HiGHS run time'");
    add(bench, "HiGHS, arcs", z, (double)NAN, seconds);
    return 0;
}

static int by_highs(struct bench *bench, const struct arcs *arcs)
{
    char path[] = "/tmp/plan_solvers-XXXXXX.lp";
    const int descriptor = mkstemps(path, 3);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file) return cw_fail(CW_EIO, "%s cannot be written", path);
    int rc = write_lp(arcs, file);
    if (fclose(file) != 0 && !rc) rc = cw_fail(CW_EIO, "%s cannot be written", path);
    if (!rc) rc = ask_highs(bench, path);
    unlink(path);
    return rc;
}

/* --- igraph ------------------------------------------------------------------------------------------------------- */

#ifdef WITH_IGRAPH
/* The graph of a demand has no channels from other endpoints, which forward nothing. */
static double cut_of(const struct cw_flow_problem *problem, const struct cw_demand *demand)
{
    const struct cw_network *net = problem->net;
    igraph_t graph;
    igraph_vector_int_t edges;
    igraph_vector_t capacity;
    igraph_real_t most;
    igraph_vector_int_init(&edges, 0);
    igraph_vector_init(&capacity, 0);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!(problem->capacity[c] > 0) || (net->tail[c] < net->n_endpoints && net->tail[c] != demand->src)) continue;
        igraph_vector_int_push_back(&edges, net->tail[c]);
        igraph_vector_int_push_back(&edges, net->head[c]);
        igraph_vector_push_back(&capacity, isinf(problem->capacity[c]) ? net->n_channels
                                                                       : problem->capacity[c] / problem->unit_capacity);
    }
    igraph_create(&graph, &edges, net->n_vertices, IGRAPH_DIRECTED);
    igraph_maxflow_value(&graph, &most, demand->src, demand->dst, &capacity, NULL);
    igraph_destroy(&graph);
    igraph_vector_int_destroy(&edges);
    igraph_vector_destroy(&capacity);
    return most * (double)problem->unit_bytes / (double)demand->bytes;
}

static void by_igraph(struct bench *bench)
{
    const struct cw_demands *demands = bench->problem->demands;
    const double begin = cw_stopwatch_now();
    double least = INFINITY;
    for (size_t d = 0; d < demands->n; d++) least = fmin(least, cut_of(bench->problem, &demands->items[d]));
    const double seconds = cw_stopwatch_now() - begin;
    add(bench, demands->n == 1 ? "igraph, max-flow" : "igraph, cuts of single demands",
        demands->n == 1 ? least : (double)NAN, least, seconds);
}
#else
static void by_igraph(struct bench *bench)
{
    (void)bench;
}
#endif

/* --- problems ----------------------------------------------------------------------------------------------------- */

static const struct case_of {
    const char *network, *traffic, *failed;
    int host_limit;
} cases[] = {
    {"torus:16x16", "disjoint:1x1", NULL, -1}, /* one pair: a max-flow */
    {"torus:6x6", "disjoint:12x12", NULL, -1}, /* as on Blue Gene */
    {"torus:8x8", "transpose", NULL, -1},
    {"xgft(2,8,4)", "permutation", "s1.0-s2.1", 0},
    {"rail:8,4,4,nvlink=3600Gbit/s@400Gbit/s", "alltoall", NULL, 0},
};

static int measure(struct cw_table *table, const struct case_of *item, bool highs)
{
    struct cw_network *net = NULL;
    struct cw_faults *faults = NULL;
    struct cw_demands demands = {0};
    struct cw_flow_problem problem = {0};
    struct arcs arcs = {.n_rows = 0};
    uint32_t *failed = NULL;
    size_t n_failed = 0;
    char name[128];
    snprintf(name, sizeof name, "%s, %s%s%s", item->network, item->traffic, item->failed ? ", without " : "",
             item->failed ? item->failed : "");
    int rc = cw_topology_build(item->network, &net);
    if (!rc) rc = cw_demands_pattern(net, NULL, item->traffic, 8 << 20, 1, &demands);
    if (!rc && item->failed) rc = cw_faults_new(net, &faults);
    if (!rc && item->failed) rc = cw_faults_fail(faults, "failed", item->failed, 1);
    if (!rc) failed = cw_new_array(net->n_channels, sizeof *failed, "failed channels");
    for (uint32_t c = 0; faults && failed && c < net->n_channels; c++)
        if (faults->failed[c]) failed[n_failed++] = c;
    if (!rc)
        rc = failed ? cw_flow_problem_make(net, &demands, item->host_limit, failed, n_failed, &problem) : CW_ENOMEM;
    if (!rc) rc = make_arcs(&problem, &arcs);
    struct bench bench = {.table = table, .name = name, .problem = &problem};
    if (!rc) rc = by_method(&bench, "optimum");
    if (!rc) rc = by_method(&bench, "approx");
    if (!rc) rc = by_clp(&bench, &arcs);
    if (!rc && highs) rc = by_highs(&bench, &arcs);
    if (!rc) by_igraph(&bench);
    free_arcs(&arcs);
    free(failed);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    cw_faults_free(faults);
    cw_network_free(net);
    return rc;
}

int main(void)
{
    struct cw_table *table;
    struct cw_text text = {0};
    const bool highs = system("command -v highs >/dev/null 2>&1") == 0;
    if (!highs) fprintf(stderr, "SKIPPED: HiGHS, for there is no program highs on PATH\n");
#ifndef WITH_CLP
    fprintf(stderr, "SKIPPED: CLP, without which this was built\n");
#endif
#ifndef WITH_IGRAPH
    fprintf(stderr, "SKIPPED: igraph, without which this was built\n");
#endif
    int rc = cw_table_new("plan_solvers", "Plans by other solvers on one core", CW_ITEMS(columns), &table);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !rc; i++) rc = measure(table, &cases[i], highs);
    const int written = cw_table_write_text(table, 0, "csv or json", &text);
    if (!written) fputs(text.data, stdout);
    if (rc) fprintf(stderr, "plan_solvers: %s\n", cw_error_message());
    cw_text_free(&text);
    cw_table_free(table);
    return rc ? 1 : 0;
}
