/*
 * The simulated transport with the set bgq against recorded runs on 512 nodes of Blue Gene/Q (Bui et al.): MPI, the
 * heuristic with maxload 16, and the linear program, 8 MiB a pair. Six of them are here, the others beside the
 * repository ($CW_SHARED).
 *
 * The recorded plans are not known, only what their hottest channels carried, so predicted times are those of our plans
 * scaled to the recorded ones in that.
 */
#include <stdio.h>

#include "transport_test.h"

#include "../skip.h"

#include "flow/method.h"
#include "route/engine.h"

enum { DEFAULT, HEURISTIC, LP, METHODS };

static const char *const names[METHODS] = {"default", "heuristic", "lp"};

/* MB/s, and bytes on the hottest channel. `loses`: the linear program against MPI, as predicted, too. */
static const struct record {
    const char *pattern;
    unsigned pairs;
    double rate[METHODS], hottest[METHODS];
    bool loses;
} records[] = {
    {"3", 256, {49658, 53291, 93486}, {8 * 8388608., 49610752, 17039360}, false},
    {"15", 256, {434921, 240065, 248966}, {8388608, 12713984, 8388608}, true},
    {"47", 128, {217714, 208681, 158612}, {8388608, 6946816, 3604480}, true},
    {"64", 64, {8307, 21159, 20816}, {8 * 8388608., 33095680, 18153472}, false},
    {"73", 128, {16482, 34142, 40193}, {12 * 8388608., 39256064, 21168128}, false},
    {"87", 256, {47555, 68796, 85258}, {6 * 8388608., 46071808, 15728640}, false},
};

#define N_RECORDS (sizeof records / sizeof *records)

/* Predicted seconds of RECORD by METHOD, in chunks of CHUNK bytes, 0: those of the record. As they are if the record
 * does not know the hottest channel. */
static double predict(const struct cw_network *net, const struct cw_routes *routes, const struct record *record,
                      int method, uint64_t chunk)
{
    struct cw_demands demands = pattern_of(net, record->pattern);
    /* Algorithm 2 as in the record: among paths with ties in a fixed order, its hottest channels carry as much. */
    const struct cw_k_paths_setup found = {.k = 50, .ties = CW_TIES_PLAIN}, apart = {.k = 8, .ties = CW_TIES_DISJOINT};
    const struct cw_k_paths_setup search = method == HEURISTIC ? found : apart;
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    if (atoi(record->pattern) >= 64) transport.chunk_bytes *= 2; /* as the record did for subsets */
    if (chunk > 0) transport.chunk_bytes = chunk;
    struct cw_flow_problem problem;
    struct cw_k_paths paths;
    struct cw_plan plan = {0};
    struct cw_plan_figures figures;
    struct cw_transport_result result;
    must(cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem));
    must(cw_k_paths_find(&problem, &search, 1, &paths));
    const struct cw_method_setup setup = {
        .routes = routes, .paths = &paths, .k = search.k, .maxload = 16, .n_threads = 1, .seed = 1};
    must(cw_method_solve(cw_method_find(names[method]), &problem, &setup, &plan));
    must(cw_plan_figures_compute(&problem, &plan, &figures));
    must(cw_transport_run(&problem, &plan, &transport, &result));
    if (method != DEFAULT)
        assert_true(result.seconds >= figures.max_channel_bytes / (transport.efficiency * 2e9) * (1 - 1e-9));
    cw_plan_free(&plan);
    cw_k_paths_free(&paths);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    const double hottest = record->hottest[method];
    return result.seconds * (hottest > 0 ? hottest / figures.max_channel_bytes : 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void recorded_runs_are_predicted(void **state)
{
    (void)state;
    struct cw_network *net = network_of("bgq:512,merge2@2GB/s");
    struct cw_routes *routes = NULL;
    double ratio[METHODS][N_RECORDS];
    must(cw_engine_route(net, "bgq", 1, 1, &routes));
    for (size_t i = 0; i < N_RECORDS; i++) {
        double seconds[METHODS];
        for (int method = 0; method < METHODS; method++) {
            seconds[method] = predict(net, routes, &records[i], method, 0);
            ratio[method][i] = records[i].pairs * 8.388608 / seconds[method] / records[i].rate[method];
            if (!(ratio[method][i] > 0.5 && ratio[method][i] < 2))
                fail_msg("pattern %s by %s: %g of the recorded rate", records[i].pattern, names[method],
                         ratio[method][i]);
        }
        assert_int_equal(records[i].loses, records[i].rate[LP] < records[i].rate[DEFAULT]);
        assert_int_equal(records[i].loses, seconds[LP] > seconds[DEFAULT]);
    }
    for (int method = 0; method < METHODS; method++) {
        qsort(ratio[method], N_RECORDS, sizeof ratio[method][0], ascending);
        const double median = ratio[method][N_RECORDS / 2];
        if (!(median > 0.67 && median < 1.5)) fail_msg("%s: %g of the recorded rates", names[method], median);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- all of the record -------------------------------------------------------------------------------------------- */

/* A file of the record, opened; NULL if it is not there. */
static FILE *open_record(const char *name)
{
    const char *shared = getenv("CW_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/%s", shared ? shared : CW_TEST_DATA "/../../shared", name);
    return fopen(path, "r");
}

static double median_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return values[n / 2];
}

/* Every third of the 91 patterns on 512 nodes. */
static void the_record_is_predicted(void **state)
{
    (void)state;
    FILE *file = open_record("optiq-recorded.csv");
    if (!file) skip_because("there is no optiq-recorded.csv in $CW_SHARED/reference or ../shared/reference");
    struct cw_network *net = network_of("bgq:512,merge2@2GB/s");
    struct cw_routes *routes = NULL;
    double ratio[METHODS][91];
    size_t n = 0, right = 0;
    char line[256];
    must(cw_engine_route(net, "bgq", 1, 1, &routes));
    while (fgets(line, sizeof line, file)) {
        char number[8];
        double messages;
        unsigned pattern, pairs;
        struct record record = {.pattern = number};
        if (sscanf(line, "512,4x4x4x4x2,%u,%u,%*u,%*u,%lf,%lf,%lf,%lf,%*u,%lf,%lf", &pattern, &pairs, &messages,
                   &record.rate[DEFAULT], &record.rate[LP], &record.hottest[LP], &record.rate[HEURISTIC],
                   &record.hottest[HEURISTIC]) != 8 ||
            pattern % 3 > 0)
            continue;
        snprintf(number, sizeof number, "%u", pattern);
        record.hottest[DEFAULT] = messages * 8388608;
        double seconds[METHODS];
        for (int method = 0; method < METHODS; method++) {
            seconds[method] = predict(net, routes, &record, method, 0);
            ratio[method][n] = pairs * 8.388608 / seconds[method] / record.rate[method];
        }
        right += (seconds[LP] > seconds[DEFAULT]) == (record.rate[LP] < record.rate[DEFAULT]);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 31);
    for (int method = 0; method < METHODS; method++) {
        const double median = median_of(ratio[method], n);
        if (!(median > 0.85 && median < 1.2)) fail_msg("%s: %g of the recorded rates", names[method], median);
    }
    if (right * 91 < 70 * n) fail_msg("%zu of %zu runs are said to win or lose as recorded", right, n);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Small chunks are slow, by more than their number: 8 and 32 KiB on 1024 nodes as a share of 128 KiB. */
static void chunk_sizes_are_predicted(void **state)
{
    (void)state;
    enum { SIZES = 3, WANTED = 4 };
    static const uint64_t chunks[SIZES] = {8192, 32768, 131072};
    FILE *file = open_record("optiq-chunks-1024.csv");
    if (!file) skip_because("there is no optiq-chunks-1024.csv in $CW_SHARED/reference or ../shared/reference");
    struct cw_network *net = network_of("bgq:1024,merge2@2GB/s");
    double ratio[2][WANTED];
    size_t n = 0;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char number[8];
        unsigned pattern;
        double rate[SIZES], seconds[SIZES];
        const struct record record = {.pattern = number};
        if (sscanf(line, "%u,%lf,%lf,%lf", &pattern, &rate[0], &rate[1], &rate[2]) != 4) continue;
        if (pattern % 12 != 0 || pattern > 36) continue; /* disjoint and overlapping, one to eight partners */
        snprintf(number, sizeof number, "%u", pattern);
        for (int i = 0; i < SIZES; i++) seconds[i] = predict(net, NULL, &record, LP, chunks[i]);
        for (int i = 0; i < 2; i++) ratio[i][n] = seconds[2] / seconds[i] / (rate[i] / rate[2]);
        n++;
    }
    fclose(file);
    assert_int_equal(n, WANTED);
    for (int i = 0; i < 2; i++) {
        const double median = median_of(ratio[i], n);
        if (!(median > 0.4 && median < 2.5)) fail_msg("%d KiB: %g of the recorded share", 8 << 2 * i, median);
    }
    cw_network_free(net);
}

/* What the fit says about the recorded program: with more credits its plans would have been faster. */
static void credits_would_have_helped(void **state)
{
    (void)state;
    struct cw_transport transport = cw_transport_set_find("bgq")->transport;
    assert_int_equal(transport.credits, 1);
    struct sketch *sketch = row(4, 8 * MIB);
    const double seconds = run(sketch, &transport).seconds;
    transport.credits = 4;
    assert_true(run(sketch, &transport).seconds < 0.7 * seconds);
    sketch_free(sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_runs_are_predicted),
        cmocka_unit_test(the_record_is_predicted),
        cmocka_unit_test(chunk_sizes_are_predicted),
        cmocka_unit_test(credits_would_have_helped),
    };
    return run_cases(tests);
}
