#include "flit_bench.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/stopwatch.h"
#include "net/network_internal.h"
#include "sim/flit/flit.h"
#include "topo/topology.h"

enum { THREADS = 4 };

struct run {
    const char *network, *routing, *traffic;
    double load;
    uint64_t warmup, cycles; /* of each repetition */
    double target;           /* million flit-hops a second on one thread; 0: none */
};

static const struct run runs[] = {
    {"dragonfly:4,8,4", "valiant-any", "bitcomp", 1, 2000, 1000, 15},
    {"dragonfly:4,8,4", "minimal", "uniform", 0.4, 1000, 2000, 15},
    {"dragonfly:8,16,8", "valiant-any", "group-shift", 1, 300, 60, 12},
    {"dragonfly:8,16,8", "minimal", "uniform", 0.4, 200, 120, 12},
    {"dragonfly:8,16,8", "minimal", "group-shift", 1, 2000, 2000, 0}, /* most switches idle */
};

enum { RUNS = sizeof runs / sizeof *runs };

/* What is kept from one repetition to the next. */
struct stand {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_workload *workload;
    uint32_t *endpoints;
    struct cw_flit_simulation *one, *many; /* on one thread, on THREADS */
};

static int begin(const struct run *run, const struct stand *stand, unsigned n_threads, struct cw_flit_simulation **out)
{
    struct cw_flit_window window;
    const struct cw_flit_job job = {.kind = CW_FLIT_CONTINUOUS,
                                    .n_ranks = stand->net->n_endpoints,
                                    .endpoints = stand->endpoints,
                                    .workload = stand->workload,
                                    .load = run->load,
                                    .message_flits = 1};
    const struct cw_flit_setup setup = {.routing = stand->routing,
                                        .hardware = cw_flit_default_hardware(),
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .seed = 1,
                                        .n_threads = n_threads};
    const int rc = cw_flit_new(&setup, out);
    return rc ? rc : cw_flit_run(*out, run->warmup, &window);
}

static int open_stand(const struct run *run, struct stand *stand)
{
    struct cw_ranks ranks;
    int rc = cw_network_open(run->network, &stand->net);
    if (rc) return rc;
    cw_ranks_of(stand->net, stand->net->n_endpoints, &ranks);
    rc = cw_packet_routing_new(stand->net, run->routing, 1, 0, &stand->routing);
    if (!rc) rc = cw_workload_new(run->traffic, &ranks, 1, &stand->workload);
    if (rc) return rc;
    stand->endpoints = cw_new_array(ranks.n, sizeof *stand->endpoints, "endpoints");
    if (!stand->endpoints) return CW_ENOMEM;
    for (uint32_t e = 0; e < ranks.n; e++) stand->endpoints[e] = e;
    rc = begin(run, stand, 1, &stand->one);
    return rc ? rc : begin(run, stand, THREADS, &stand->many);
}

static void close_stand(struct stand *stand)
{
    cw_flit_free(stand->one);
    cw_flit_free(stand->many);
    cw_workload_free(stand->workload);
    cw_packet_routing_free(stand->routing);
    cw_network_free(stand->net);
    free(stand->endpoints);
}

/* Millions of flit-hops a second in the next cycles of SIMULATION. */
static int measure_rate(struct cw_flit_simulation *simulation, uint64_t cycles, double *rate)
{
    struct cw_flit_window window;
    const double start = cw_stopwatch_now();
    const int rc = cw_flit_run(simulation, cycles, &window);
    if (!rc) *rate = 1e-6 * (double)window.flit_hops / (cw_stopwatch_now() - start);
    return rc;
}

/* One and many threads in turn, so that what slows the machine down slows both. RATES has three rows of REPETITIONS:
 * one thread, many, and how much faster these are. */
static int measure(const struct run *run, const struct stand *stand, size_t repetitions, double *rates)
{
    int rc = 0;
    for (size_t r = 0; r < repetitions && !rc; r++) {
        double *one = &rates[r], *many = &rates[repetitions + r];
        rc = measure_rate(stand->one, run->cycles, one);
        if (!rc) rc = measure_rate(stand->many, run->cycles, many);
        if (!rc) rates[2 * repetitions + r] = *many / *one;
    }
    return rc;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "dragonfly:p,a,h"},
    {"routing", CW_COLUMN_TEXT, NULL, "of the packets"},
    {"traffic", CW_COLUMN_TEXT, NULL, "of single flits"},
    {"load", CW_COLUMN_REAL, NULL, "offered, of injection bandwidth"},
    {"figure", CW_COLUMN_TEXT, NULL, "what was measured"},
    {"median", CW_COLUMN_REAL, NULL, "median over repetitions"},
    {"min", CW_COLUMN_REAL, NULL, "least of them"},
    {"max", CW_COLUMN_REAL, NULL, "greatest of them"},
    {"unit", CW_COLUMN_TEXT, NULL, "of these and of the target"},
    {"target", CW_COLUMN_REAL, NULL, "what the median should be: at least so fast, at most so much memory"},
};

static int add_row(struct cw_table *table, const struct run *run, const char *figure, const char *unit,
                   const double *values, size_t n, double target)
{
    struct cw_summary summary;
    const int rc = cw_summarise(values, n, &summary);
    if (rc) return rc;
    cw_table_text(table, run->network);
    cw_table_text(table, run->routing);
    cw_table_text(table, run->traffic);
    cw_table_real(table, run->load);
    cw_table_text(table, figure);
    cw_table_real(table, summary.median);
    cw_table_real(table, summary.min);
    cw_table_real(table, summary.max);
    cw_table_text(table, unit);
    if (target > 0)
        cw_table_real(table, target);
    else
        cw_table_none(table);
    return 0;
}

static int add_run(struct cw_table *table, const struct run *run, size_t repetitions)
{
    struct stand stand = {0};
    double *rates = cw_new_array(3 * repetitions, sizeof *rates, "figures");
    int rc = rates ? open_stand(run, &stand) : CW_ENOMEM;
    if (!rc) rc = measure(run, &stand, repetitions, rates);
    if (!rc) rc = add_row(table, run, "flit-hops, 1 thread", "million/s", rates, repetitions, run->target);
    if (!rc) rc = add_row(table, run, "the same, 4 threads", "million/s", rates + repetitions, repetitions, 0);
    if (!rc) rc = add_row(table, run, "speed-up by 4 threads", "ratio", rates + 2 * repetitions, repetitions, 3.5);
    if (!rc) {
        const double memory = (double)cw_flit_memory(stand.one) / 1024 / stand.net->n_endpoints;
        rc = add_row(table, run, "memory a node", "KiB", &memory, 1, 20);
    }
    close_stand(&stand);
    free(rates);
    return rc;
}

int flit_bench(size_t repetitions, struct cw_result *result)
{
    struct cw_table *table;
    int rc = cw_table_new("flits", "Speed of the flit simulator", columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (size_t i = 0; i < RUNS && !rc; i++) rc = add_run(table, &runs[i], repetitions);
    const int added = cw_result_add_table(result, table);
    return rc ? rc : added;
}
