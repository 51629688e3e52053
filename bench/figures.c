#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "flow/forest/forest.h"
#include "ibnetdiscover_text.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/lft.h"
#include "route/packets/ways.h"
#include "sim/congestion.h"
#include "sim/flows/flow_sim.h"
#include "sim/noise.h"
#include "topo/topology.h"
#include "traffic/rank_program.h"
#include "traffic/schedule.h"

#define PAIRS   (1u << 20)
#define SINGLES (1u << 18) /* pairs that are walked one by one */
#define TRIALS  1000
#define THREADS 4

/* --- what samples need ------------------------------------------------------------------------------------------- */

static int make_pairs(struct lab *lab)
{
    struct cw_random random = cw_random_of(1, CW_STREAM_SAMPLE, 0);
    lab->src = cw_new_array(PAIRS, sizeof *lab->src, "pairs");
    lab->dst = cw_new_array(PAIRS, sizeof *lab->dst, "pairs");
    lab->load = cw_new_array(lab->tree->n_channels, sizeof *lab->load, "loads");
    if (!lab->src || !lab->dst || !lab->load) return CW_ENOMEM;
    for (size_t i = 0; i < PAIRS; i++) {
        lab->src[i] = cw_random_below(&random, lab->tree->n_endpoints);
        lab->dst[i] = cw_random_below(&random, lab->tree->n_endpoints);
    }
    return 0;
}

static int keep(const struct cw_text *text, int *file)
{
    const int rc = cw_text_check(text);
    *file = memfd_create("bench", 0);
    if (rc || (*file >= 0 && write(*file, text->data, text->length) == (ssize_t)text->length)) return rc;
    return cw_fail(CW_EIO, "no file in memory of %zu bytes", text->length);
}

static int make_file(struct lab *lab)
{
    struct cw_text text = {0};
    ibnetdiscover_text(lab->large, &text);
    const int rc = keep(&text, &lab->file);
    cw_text_free(&text);
    return rc;
}

static int make_lfts(struct lab *lab)
{
    struct cw_text text = {0};
    struct cw_routes *routes = NULL;
    int rc = cw_engine_route(lab->small, "minhop", 1, 0, &routes);
    if (!rc) rc = cw_lft_write(routes, &text);
    if (!rc) rc = keep(&text, &lab->lfts);
    lab->lfts_size = text.length;
    cw_routes_free(routes);
    cw_text_free(&text);
    return rc;
}

int lab_open(struct lab *lab)
{
    lab->file = lab->lfts = -1;
    int rc = cw_network_open("xgft(4,12,12,6,12,12,3)", &lab->tree);
    if (!rc) rc = cw_network_open("torus:100x100", &lab->torus);
    if (!rc) rc = cw_network_open("xgft(3,12,24,12,12)", &lab->small);
    if (!rc) rc = cw_network_open("xgft(4,12,12,12,12,12,6)", &lab->large);
    if (!rc) rc = cw_engine_route(lab->tree, "dmodk", 1, 0, &lab->formula);
    if (!rc) rc = cw_engine_route(lab->torus, "dor", 1, 0, &lab->dor);
    if (!rc) rc = cw_routes_to_tables(lab->formula, 0, &lab->tables);
    if (!rc) rc = make_pairs(lab);
    if (!rc) rc = make_file(lab);
    if (!rc) rc = make_lfts(lab);
    return rc;
}

void lab_close(struct lab *lab)
{
    cw_routes_free(lab->formula);
    cw_routes_free(lab->tables);
    cw_routes_free(lab->dor);
    cw_network_free(lab->tree);
    cw_network_free(lab->torus);
    cw_network_free(lab->small);
    cw_network_free(lab->large);
    free(lab->src);
    free(lab->dst);
    free(lab->load);
    if (lab->file >= 0) close(lab->file);
    if (lab->lfts >= 0) close(lab->lfts);
}

/* --- routes ------------------------------------------------------------------------------------------------------ */

/* Millions of routes a second, counted BATCH at a time. */
static int count_rate(struct lab *lab, const struct cw_routes *routes, size_t n, size_t batch, double *value)
{
    int rc = 0;
    const double begin = cw_stopwatch_now();
    for (size_t i = 0; i < n && !rc; i += batch)
        rc = cw_routes_count(routes, batch, lab->src + i, lab->dst + i, lab->load);
    *value = 1e-6 * (double)n / (cw_stopwatch_now() - begin);
    return rc;
}

static int formula_rate(struct lab *lab, double *value)
{
    return count_rate(lab, lab->formula, PAIRS, PAIRS, value);
}

static int tables_rate(struct lab *lab, double *value)
{
    return count_rate(lab, lab->tables, PAIRS, PAIRS, value);
}

static int single_rate(struct lab *lab, double *value)
{
    return count_rate(lab, lab->tables, SINGLES, 1, value);
}

/* Making ENGINE's tables for NET on one thread. */
static int compile_seconds(const struct cw_network *net, const char *engine, double *value)
{
    struct cw_routes *routes = NULL;
    const double begin = cw_stopwatch_now();
    const int rc = cw_engine_route(net, engine, 1, 1, &routes);
    *value = cw_stopwatch_now() - begin;
    cw_routes_free(routes);
    return rc;
}

#define COMPILE(NAME, NET, ENGINE)                                                                                     \
    static int NAME(struct lab *lab, double *value)                                                                    \
    {                                                                                                                  \
        return compile_seconds(lab->NET, ENGINE, value);                                                               \
    }

COMPILE(minhop_small, small, "minhop")
COMPILE(minhop_tree, tree, "minhop")
COMPILE(minhop_large, large, "minhop")
COMPILE(updn_small, small, "updn")
COMPILE(updn_tree, tree, "updn")
COMPILE(updn_large, large, "updn")
COMPILE(dor_ports_large, large, "dor-ports")
COMPILE(ftree_small, small, "ftree")
COMPILE(ftree_tree, tree, "ftree")
COMPILE(ftree_large, large, "ftree")

/* The same for a torus that is made for it. */
static int torus_seconds(const char *spec, double *value)
{
    struct cw_network *net = NULL;
    int rc = cw_topology_build(spec, &net);
    if (!rc) rc = compile_seconds(net, "torus-2qos", value);
    cw_network_free(net);
    return rc;
}

static int torus_small(struct lab *lab, double *value)
{
    (void)lab;
    return torus_seconds("torus:12x12x24", value);
}

static int torus_large(struct lab *lab, double *value)
{
    (void)lab;
    return torus_seconds("torus:24x24x36", value);
}

/* --- noise ------------------------------------------------------------------------------------------------------- */

int noise_seconds(const struct cw_routes *routes, size_t trials, unsigned n_threads, double *seconds)
{
    struct cw_schedule *schedule = NULL;
    struct cw_pattern *pattern = NULL;
    struct cw_placement *placement = NULL;
    struct cw_noise_result result;
    int rc = cw_schedule_new("binomial-bcast", &schedule);
    if (!rc) rc = cw_pattern_new("derangement", NULL, &pattern);
    if (!rc) rc = cw_placement_new("random", cw_routes_network(routes), NULL, &placement);
    const struct cw_noise_setup setup = {.collective = {.routes = routes, .schedule = schedule, .bytes = 8},
                                         .background = pattern,
                                         .placement = placement,
                                         .ratio = 0.5,
                                         .trials = trials,
                                         .seed = 1,
                                         .n_threads = n_threads};
    const double begin = cw_stopwatch_now();
    if (!rc) rc = cw_noise_run(&setup, &result);
    *seconds = cw_stopwatch_now() - begin;
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    cw_schedule_free(schedule);
    return rc;
}

static int noise_formula(struct lab *lab, double *value)
{
    return noise_seconds(lab->formula, TRIALS, 1, value);
}

static int noise_formula_threads(struct lab *lab, double *value)
{
    return noise_seconds(lab->formula, TRIALS, THREADS, value);
}

static int noise_tables(struct lab *lab, double *value)
{
    return noise_seconds(lab->tables, TRIALS, 1, value);
}

static int noise_torus(struct lab *lab, double *value)
{
    return noise_seconds(lab->dor, TRIALS, 1, value);
}

static int noise_torus_threads(struct lab *lab, double *value)
{
    return noise_seconds(lab->dor, TRIALS, THREADS, value);
}

static int giant_prepare(struct lab *lab, double *value)
{
    *value = lab->giant.prepare;
    return 0;
}

static int giant_trial(struct lab *lab, double *value)
{
    *value = lab->giant.trial;
    return 0;
}

static int giant_peak(struct lab *lab, double *value)
{
    *value = lab->giant.peak;
    return 0;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static int read_seconds(struct lab *lab, double *value)
{
    char path[64];
    struct cw_network *net = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", lab->file);
    const double begin = cw_stopwatch_now();
    int rc = cw_network_read(path, &net);
    *value = cw_stopwatch_now() - begin;
    if (!rc && net->n_channels != lab->large->n_channels)
        rc = cw_fail(CW_EINTERNAL, "not the network that was written");
    cw_network_free(net);
    return rc;
}

/* GB of text a second. */
static int lfts_rate(struct lab *lab, double *value)
{
    char path[64];
    struct cw_routes *routes = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", lab->lfts);
    const double begin = cw_stopwatch_now();
    const int rc = cw_lft_read(lab->small, path, NULL, &routes);
    *value = 1e-9 * (double)lab->lfts_size / (cw_stopwatch_now() - begin);
    cw_routes_free(routes);
    return rc;
}

/* The same with its hash, as every verb reads it. */
static int hashed_lfts_rate(struct lab *lab, double *value)
{
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    const int rc = lfts_rate(lab, value);
    cw_inputs_record(NULL);
    cw_inputs_free(&inputs);
    return rc;
}

/* Ratios refer to these by their index in the table below. */
enum { FORMULA, TABLES, SINGLE, WALK_RATIO, NOISE, NOISE_4, NOISE_RATIO, NOISE_TABLES, TORUS, TORUS_4, TORUS_RATIO };

/* Making routes of NET by ENGINE on one thread. */
static int balance_seconds(const struct cw_network *net, const char *engine, double *value)
{
    struct cw_routes *routes = NULL;
    const double begin = cw_stopwatch_now();
    const int rc = cw_engine_route(net, engine, 1, 1, &routes);
    *value = cw_stopwatch_now() - begin;
    cw_routes_free(routes);
    return rc;
}

static int balance_dfsssp(struct lab *lab, double *value)
{
    return balance_seconds(lab->small, "dfsssp", value);
}

static int balance_dfsssp_tree(struct lab *lab, double *value)
{
    return balance_seconds(lab->tree, "dfsssp", value);
}

static int balance_sssp_tree(struct lab *lab, double *value)
{
    return balance_seconds(lab->tree, "sssp", value);
}

static int balance_nue(struct lab *lab, double *value)
{
    return balance_seconds(lab->small, "nue", value);
}

static int balance_even(struct lab *lab, double *value)
{
    return balance_seconds(lab->small, "nue-even", value);
}

static int balance_contention(struct lab *lab, double *value)
{
    return balance_seconds(lab->tree, "min-contention", value);
}

static int balance_most(struct lab *lab, double *value)
{
    return balance_seconds(lab->small, "min-max-load", value);
}

/* --- sizes ------------------------------------------------------------------------------------------------------- */

/* Millions of entries of forwarding tables a second, of 1,024 switches and 16,384 endpoints: made, and checked. */
struct entries {
    double made, checked;
};

static int entry_rates(const char *spec, const char *engine, struct entries *out)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_reach reach = {0};
    struct cw_deadlock deadlock = {0};
    int rc = cw_topology_build(spec, &net);
    const double begin = cw_stopwatch_now();
    if (!rc) rc = cw_engine_route(net, engine, 1, 1, &routes);
    const double made = cw_stopwatch_now();
    if (!rc) rc = cw_routes_reach(routes, NULL, 0, 1, &reach);
    if (!rc) rc = cw_routes_deadlock(routes, 0, 1, &deadlock);
    const double checked = cw_stopwatch_now();
    const double entries = rc ? 0 : 1e-6 * net->n_endpoints * cw_network_switches(net);
    *out = (struct entries){entries / (made - begin), entries / (checked - made)};
    cw_reach_free(&reach);
    cw_deadlock_free(&deadlock);
    cw_routes_free(routes);
    cw_network_free(net);
    return rc;
}

static int hyperx_entries(struct lab *lab, double *value)
{
    struct entries entries = {0};
    (void)lab;
    const int rc = entry_rates("hyperx:16x16x4,16", "random-minimal", &entries);
    *value = entries.made;
    return rc;
}

static int jellyfish_entries(struct lab *lab, double *value)
{
    struct entries entries = {0};
    (void)lab;
    const int rc = entry_rates("jellyfish:1024,24,16", "hop-lanes", &entries);
    *value = entries.made;
    return rc;
}

static int jellyfish_checks(struct lab *lab, double *value)
{
    struct entries entries = {0};
    (void)lab;
    const int rc = entry_rates("jellyfish:1024,24,16", "hop-lanes", &entries);
    *value = entries.checked;
    return rc;
}

/* Thousands of pairs a second of which all draws of valiant-any are known, as bounds on accepted load ask. */
static int pair_rate(struct lab *lab, double *value)
{
    enum { STEP = 67 };
    struct cw_network *net = NULL;
    struct cw_packet_routing *routing = NULL;
    struct cw_ways ways = {0};
    uint32_t pairs = 0;
    (void)lab;
    int rc = cw_topology_build("dragonfly:8,16,8", &net);
    if (!rc) rc = cw_packet_routing_new(net, "valiant-any", 1, 1, &routing);
    if (!rc) rc = cw_ways_init(&ways, net);
    const double begin = cw_stopwatch_now();
    for (uint32_t e = 0; !rc && e < net->n_endpoints; e += STEP, pairs++)
        rc = cw_ways_find(routing, e, net->n_endpoints - 1 - e, &ways);
    *value = 1e-3 * pairs / (cw_stopwatch_now() - begin);
    cw_ways_free(&ways);
    cw_packet_routing_free(routing);
    cw_network_free(net);
    return rc;
}

/* Millions of messages a second, of 100 permutations, by one thread. */
static int message_rate(const struct cw_routes *routes, double *value)
{
    struct cw_pattern *pattern = NULL;
    struct cw_placement *placement = NULL;
    struct cw_congestion_result result = {0};
    int rc = cw_pattern_new("permutation", NULL, &pattern);
    if (!rc) rc = cw_placement_new("contiguous", cw_routes_network(routes), NULL, &placement);
    const struct cw_congestion_setup setup = {
        .routes = routes, .pattern = pattern, .placement = placement, .trials = 100, .seed = 1, .n_threads = 1};
    const double begin = cw_stopwatch_now();
    if (!rc) rc = cw_congestion_run(&setup, &result);
    *value = 1e-6 * (double)result.messages / (cw_stopwatch_now() - begin);
    cw_congestion_free(&result);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    return rc;
}

static int tree_messages(struct lab *lab, double *value)
{
    return message_rate(lab->formula, value);
}

static int torus_messages(struct lab *lab, double *value)
{
    return message_rate(lab->dor, value);
}

/* The seconds that SPEC of BYTES among all endpoints of NETWORK takes by flows, its program included. */
static int flow_seconds(const char *network, const char *spec, uint64_t bytes, double *value)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_schedule *schedule = NULL;
    struct cw_program *program = NULL;
    uint32_t *endpoints = NULL;
    double end;
    int rc = cw_topology_build(network, &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 1, &routes);
    if (!rc) rc = cw_schedule_new(spec, &schedule);
    if (!rc && !(endpoints = cw_new_array(net->n_endpoints, sizeof *endpoints, "endpoints"))) rc = CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < net->n_endpoints; i++) endpoints[i] = i;
    const double start = cw_stopwatch_now();
    if (!rc) rc = cw_program_of_schedule(schedule, net->n_endpoints, bytes, &program);
    const struct cw_flow_job job = {.program = program, .endpoints = endpoints};
    const struct cw_flow_setup setup = {.routes = routes, .jobs = &job, .n_jobs = 1};
    struct cw_flow_result result;
    if (!rc) rc = cw_flow_run(&setup, &end, &result);
    *value = cw_stopwatch_now() - start;
    cw_program_free(program);
    cw_schedule_free(schedule);
    cw_routes_free(routes);
    cw_network_free(net);
    free(endpoints);
    return rc;
}

/* The messages a second of an allgather of BYTES in CHUNKS along trees that branch, among all endpoints of NETWORK, as
 * crosswind collective times it. */
static int tree_rate(const char *network, uint64_t bytes, uint32_t chunks, double *value)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_forest forest = {0};
    struct cw_forest_program made = {0};
    uint32_t *members = NULL;
    double end;
    int rc = cw_topology_build(network, &net);
    if (!rc) rc = cw_engine_route(net, NULL, 1, 1, &routes);
    if (!rc && !(members = cw_new_array(net->n_endpoints, sizeof *members, "endpoints"))) rc = CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < net->n_endpoints; i++) members[i] = i;
    const struct cw_forest_setup trees = {
        .net = net, .members = members, .n_members = rc ? 0 : net->n_endpoints, .root = CW_NONE, .wide = true};
    if (!rc) rc = cw_forest_find(&trees, &forest);
    if (!rc) rc = cw_forest_program_new(&trees, &forest, 1, bytes, chunks, &made);
    const double start = cw_stopwatch_now();
    const struct cw_flow_job job = {.program = made.program, .endpoints = members, .sends = CW_FLOW_AT_ONCE};
    const struct cw_flow_ways ways = {made.first, made.channels, made.shares};
    const struct cw_flow_setup setup = {
        .routes = routes, .jobs = &job, .n_jobs = 1, .overhead = 1e-6, .rendezvous = 1, .ways = &ways};
    struct cw_flow_result result = {0};
    if (!rc) rc = cw_flow_run(&setup, &end, &result);
    *value = (double)result.messages / (cw_stopwatch_now() - start) / 1e3;
    cw_forest_program_free(&made);
    cw_forest_free(&forest);
    cw_routes_free(routes);
    cw_network_free(net);
    free(members);
    return rc;
}

static int flows_trees(struct lab *lab, double *value)
{
    (void)lab;
    return tree_rate("torus:4x4x4", 1000000, 2, value);
}

static int flows_trees_gpus(struct lab *lab, double *value)
{
    (void)lab;
    return tree_rate("rail:2,8,8,nvlink=2400Gbit/s@200Gbit/s", 1000000000, 32, value);
}

static int flows_alltoall(struct lab *lab, double *value)
{
    (void)lab;
    return flow_seconds("dragonfly:4,8,4,g=32", "alltoall", 64 << 10, value);
}

static int flows_alltoall_torus(struct lab *lab, double *value)
{
    (void)lab;
    return flow_seconds("torus:32x32", "alltoall", 64 << 10, value);
}

static int flows_doubling(struct lab *lab, double *value)
{
    (void)lab;
    return flow_seconds("xgft:3:64,32,32:1,32,16", "recursive-doubling", 64 << 10, value);
}

const struct figure figures[] = {
    [FORMULA] = {"routes a core, closed form, 10,368 endpoints", "million/s", AT_LEAST, 30, formula_rate},
    [TABLES] = {"routes a core, forwarding tables, 10,368", "million/s", NO_TARGET, 0, tables_rate},
    [SINGLE] = {"the same, one by one", "million/s", NO_TARGET, 0, single_rate},
    [WALK_RATIO] = {"walks interleaved / one by one", "ratio", NO_TARGET, 0, NULL, TABLES, SINGLE},
    [NOISE] = {"1000 noise trials, closed form, 10,368, 1 thread", "s", AT_MOST, 0.4, noise_formula},
    [NOISE_4] = {"the same, 4 threads", "s", NO_TARGET, 0, noise_formula_threads},
    [NOISE_RATIO] = {"speed-up by 4 threads", "ratio", AT_LEAST, 3.5, NULL, NOISE, NOISE_4},
    [NOISE_TABLES] = {"1000 noise trials, forwarding tables, 10,368, 1 thread", "s", AT_MOST, 2, noise_tables},
    [TORUS] = {"1000 noise trials, torus:100x100, 1 thread", "s", AT_MOST, 2, noise_torus},
    [TORUS_4] = {"the same, 4 threads", "s", NO_TARGET, 0, noise_torus_threads},
    [TORUS_RATIO] = {"speed-up by 4 threads", "ratio", AT_LEAST, 3.5, NULL, TORUS, TORUS_4},
    {"build and route 1,048,576 endpoints, 1 thread", "s", NO_TARGET, 0, giant_prepare},
    {"1 noise trial there, 1 thread", "s", AT_MOST, 1, giant_trial},
    {"peak memory of both", "MiB", AT_MOST, 1024, giant_peak},
    {"read 20,736 endpoints, ibnetdiscover", "s", AT_MOST, 1, read_seconds},
    {"read tables of 3,456 endpoints, opensm-lfts.dump", "GB/s", AT_LEAST, 1, lfts_rate},
    {"the same, hashed", "GB/s", NO_TARGET, 0, hashed_lfts_rate},
    {"minhop tables, 3,456 endpoints, 1 thread", "s", AT_MOST, 0.1, minhop_small},
    {"minhop tables, 10,368 endpoints, 1 thread", "s", AT_MOST, 1, minhop_tree},
    {"minhop tables, 20,736 endpoints, 1 thread", "s", AT_MOST, 3, minhop_large},
    {"updn tables, 3,456 endpoints, 1 thread", "s", AT_MOST, 0.1, updn_small},
    {"updn tables, 10,368 endpoints, 1 thread", "s", AT_MOST, 1, updn_tree},
    {"updn tables, 20,736 endpoints, 1 thread", "s", AT_MOST, 3, updn_large},
    {"dor-ports tables, 20,736 endpoints, 1 thread", "s", AT_MOST, 3, dor_ports_large},
    {"ftree tables, 3,456 endpoints, 1 thread", "s", AT_MOST, 0.1, ftree_small},
    {"ftree tables, 10,368 endpoints, 1 thread", "s", AT_MOST, 1, ftree_tree},
    {"ftree tables, 20,736 endpoints, 1 thread", "s", AT_MOST, 3, ftree_large},
    {"torus-2qos tables, 3,456 endpoints, 1 thread", "s", AT_MOST, 0.1, torus_small},
    {"torus-2qos tables, 20,736 endpoints, 1 thread", "s", AT_MOST, 3, torus_large},
    {"sssp tables, 10,368 endpoints, 1 thread", "s", AT_MOST, 5, balance_sssp_tree},
    {"dfsssp, 3,456 endpoints, 1 thread", "s", AT_MOST, 3, balance_dfsssp},
    {"dfsssp, 10,368 endpoints, 1 thread", "s", AT_MOST, 10, balance_dfsssp_tree},
    {"nue, 3,456 endpoints, 1 thread", "s", AT_MOST, 30, balance_nue},
    {"nue-even, 3,456 endpoints, 1 thread", "s", AT_MOST, 30, balance_even},
    {"min-contention tables, 10,368 endpoints, 1 thread", "s", NO_TARGET, 0, balance_contention},
    {"min-max-load, 3,456 endpoints, 1 thread", "s", NO_TARGET, 0, balance_most},
    {"table entries made, random-minimal on HyperX, 1 thread", "million/s", NO_TARGET, 0, hyperx_entries},
    {"the same, hop-lanes on Jellyfish", "million/s", NO_TARGET, 0, jellyfish_entries},
    {"table entries checked, hop-lanes on Jellyfish, 1 thread", "million/s", NO_TARGET, 0, jellyfish_checks},
    {"pairs of valiant-any, dragonfly:8,16,8, 1 thread", "thousand/s", NO_TARGET, 0, pair_rate},
    {"messages of permutations, closed form, 10,368, 1 thread", "million/s", NO_TARGET, 0, tree_messages},
    {"messages of permutations, torus:100x100, 1 thread", "million/s", NO_TARGET, 0, torus_messages},
    {"all-to-all of 1,024 by flows, dragonfly, a million messages", "s", AT_MOST, 10, flows_alltoall},
    {"the same, torus", "s", AT_MOST, 10, flows_alltoall_torus},
    {"recursive doubling of 65,536 by flows, fat tree", "s", AT_MOST, 5, flows_doubling},
    {"messages of trees by flows, torus:4x4x4", "thousand/s", NO_TARGET, 0, flows_trees},
    {"the same, 16 GPUs in two boxes", "thousand/s", NO_TARGET, 0, flows_trees_gpus},
    {NULL},
};
