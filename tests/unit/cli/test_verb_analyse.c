/* Figures and comparisons of `analyse`: points are those of the samples, analysed and predicted here once more. */
#include "cli_test.h"
#include "curves.h"

#include "base/units.h"
#include "route/engine.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_prediction.h"
#include "topo/topology.h"

extern const struct verb verb_analyse;
const struct verb *const verbs[] = {&verb_analyse, NULL};

#define SAMPLES CW_TEST_DATA "/golden/bench/"

struct analysed {
    struct cw_bench_run run;
    struct cw_bench_analysis analysis;
};

static void analyse(const char *const *paths, size_t n, struct analysed *out)
{
    assert_int_equal(cw_bench_read_all(paths, n, &out->run), 0);
    assert_int_equal(cw_bench_analyse(&out->run, 1, &out->analysis), 0);
}

static void analysed_free(struct analysed *analysed)
{
    cw_bench_analysis_free(&analysed->analysis);
    cw_bench_run_free(&analysed->run);
}

static char *script_of(const char *arguments, const char *figure)
{
    char line[300];
    snprintf(line, sizeof line, "analyse %s --plot figure.svg --figure %s", arguments, figure);
    struct ran ran = result_of(line);
    ran_free(&ran);
    return content_of("figure.gp");
}

/* Where split S of N stands around X. */
static double place(double x, size_t s, size_t n, double width)
{
    return x - width / 2 + width * (double)s / (double)(n - 1);
}

static void check_interval(const char *script, const char *title, double x, double y, double error)
{
    size_t n;
    double low, high;
    check_point(script, title, x, y);
    const char *line = point_of(script, "errors", title, x, &n);
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%*f %*f %lf %lf", &low, &high), 2);
    assert_true(fabs(low * exp(1.96 * error) / y - 1) < 1e-8 && fabs(high / exp(1.96 * error) / y - 1) < 1e-8);
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static void test_times(void **state)
{
    (void)state;
    static const char *const paths[] = {SAMPLES "noise.csv"};
    static const char *const titles[] = {"allreduce of 8 B, clean", "allreduce of 8 B, perturbed",
                                         "allreduce of 8 B, control"};
    struct analysed analysed;
    size_t all = 0;
    analyse(paths, 1, &analysed);
    char *script = script_of(paths[0], "times");
    for (size_t c = 0; c < analysed.analysis.n_cases; c++)
        for (int k = 0; k < CW_BENCH_STATES; k++) {
            const struct cw_bench_summary *summary = &analysed.analysis.cases[c];
            for (size_t s = 0; s < summary->n_splits; s++, all++) /* states are beside each other */
                check_point(script, titles[k],
                            place(summary->n_application + 0.15 * (k - 1), s, summary->n_splits, 0.1),
                            1e6 * summary->splits[s].medians[k]);
        }
    assert_int_equal(all, points_of(script, titles[0]) + points_of(script, titles[1]) + points_of(script, titles[2]));
    assert_non_null(strstr(script, "set ylabel 'time [µs]'")); /* the shortest is less than a millisecond */
    assert_non_null(strstr(script, "set xrange [1:7]\n"));     /* 2, 4 and 6 ranks */
    assert_non_null(strstr(script, "set logscale y"));
    free(script);
    analysed_free(&analysed);
}

static void test_sizes(void **state)
{
    (void)state;
    static const char *const paths[] = {SAMPLES "noise.csv", SAMPLES "again.csv"};
    struct analysed analysed;
    size_t all = 0, n;
    analyse(paths, 1, &analysed);
    char *script = script_of(paths[0], "size");
    for (size_t c = 0; c < analysed.analysis.n_cases; c++) {
        const struct cw_bench_summary *summary = &analysed.analysis.cases[c];
        for (size_t s = 0; s < summary->n_splits; s++, all++)
            check_interval(script, "allreduce of 8 B", place(summary->n_application, s, summary->n_splits, 0.3),
                           cw_bench_split_ratio(&summary->splits[s], CW_BENCH_PERTURBED),
                           cw_bench_split_error(&summary->splits[s], CW_BENCH_PERTURBED));
    }
    assert_int_equal(points_of(script, "allreduce of 8 B"), all);
    assert_null(strstr(script, "line'")); /* of ratios only */
    free(script);
    analysed_free(&analysed);
    analyse(paths, 2, &analysed); /* more than nine splits are boxes */
    script = script_of(SAMPLES "noise.csv " SAMPLES "again.csv", "size");
    point_of(script, "boxes", "allreduce of 8 B", 0, &n);
    assert_true(n > 11 * analysed.analysis.n_cases);
    for (size_t c = 0; c < analysed.analysis.n_cases; c++) {
        const struct cw_bench_effect *effect = &analysed.analysis.cases[c].effects[CW_BENCH_PERTURBED];
        char median[40];
        assert_true(effect->n >= 10);
        snprintf(median, sizeof median, " %.10g\n", effect->median.value);
        assert_non_null(strstr(script, median));
    }
    free(script);
    script = script_of(SAMPLES "noise.csv " SAMPLES "again.csv", "times"); /* a block of boxes for each state */
    for (size_t c = 0; c < analysed.analysis.n_cases; c++)
        for (int k = 0; k < CW_BENCH_STATES; k++) {
            const struct cw_bench_summary *summary = &analysed.analysis.cases[c];
            char median[40], title[60];
            snprintf(title, sizeof title, "allreduce of 8 B, %s", cw_bench_state_names[k]);
            snprintf(median, sizeof median, " %.10g\n", 1e6 * summary->times[k].box.median);
            point_of(script, "boxes", title, 0, &n);
            assert_int_equal(n, 12 * analysed.analysis.n_cases);
            snprintf(title, sizeof title, "$boxes%d << END\n", k);
            const char *block = strstr(script, title), *found = strstr(block, median);
            assert_non_null(found);
            assert_true(found < strstr(strchr(block, '\n'), "\nEND"));
        }
    free(script);
    analysed_free(&analysed);
}

/* --- predictions -------------------------------------------------------------------------------------------------- */

static void test_predictions(void **state)
{
    (void)state;
    static const char *const paths[] = {SAMPLES "noise.csv"};
    static const char *const titles[] = {"allreduce of 8 B, congestion", "allreduce of 8 B, loggp"};
    struct analysed analysed;
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_bench_prediction prediction;
    uint32_t endpoints[64];
    analyse(paths, 1, &analysed);
    assert_true(analysed.run.n_ranks <= 64);
    assert_int_equal(cw_topology_build("xgft:2:4,2:1,1", &net), 0);
    assert_int_equal(cw_engine_route(net, "dmodk", 1, 1, &routes), 0);
    assert_int_equal(cw_bench_hosts(&analysed.run, net, NULL, endpoints), 0);
    const struct cw_bench_prediction_setup setup = {
        .routes = routes,
        .endpoints = endpoints,
        .timing = {.loggp = true, .latency = 3e-6, .overhead = 2e-6, .gap = 1e-9},
        .rounds = 20,
        .seed = 1,
        .n_threads = 1};
    assert_int_equal(cw_bench_predict(&analysed.analysis, &setup, &prediction), 0);
    char *script = script_of(
        SAMPLES "noise.csv --fabric xgft:2:4,2:1,1 --routing dmodk --rounds 20 --L 3us --o 2us --G 1ns", "prediction");
    for (int m = 0; m < CW_BENCH_MODELS; m++) {
        assert_int_equal(points_of(script, titles[m]), prediction.n_points);
        char name[32];
        snprintf(name, sizeof name, "$series%d << END\n", m);
        const char *line = strstr(script, name);
        for (size_t i = 0; i < prediction.n_points; i++) {
            double x, y;
            line = strchr(line, '\n') + 1;
            assert_int_equal(sscanf(line, "%lf %lf", &x, &y), 2);
            assert_true(fabs(x / prediction.points[i].predicted[m] - 1) < 1e-8);
            assert_true(fabs(y / prediction.points[i].measured - 1) < 1e-8);
        }
    }
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < prediction.n_points; i++) {
        least = fmin(least, prediction.points[i].measured);
        most = fmax(most, fmax(prediction.points[i].measured,
                               fmax(prediction.points[i].predicted[0], prediction.points[i].predicted[1])));
    }
    assert_int_equal(strstr(script, "set logscale") != NULL, most > 10 * least);
    free(script);
    cw_bench_prediction_free(&prediction);
    cw_routes_free(routes);
    cw_network_free(net);
    analysed_free(&analysed);
    check_refused("analyse " SAMPLES "noise.csv --plot p.svg --figure prediction", 2,
                  "--figure prediction: expected --fabric NETWORK");
    check_refused("analyse " SAMPLES "noise.csv --rounds 5", 2, "--rounds is for --fabric NETWORK");
    check_refused("analyse " SAMPLES "noise.csv --endpoints h0", 2, "--endpoints is not for a measurement");
    check_refused("analyse " SAMPLES "noise.csv --figure times", 2, "--figure is for --plot FILE");
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

/* In noise.csv slowdowns of 2, 3 and 4 were planted; in faster.csv those of 1.5, 2 and 2.5, and all else alike. */
static void test_comparison(void **state)
{
    (void)state;
    static const double first[] = {2, 3, 4}, second[] = {1.5, 2, 2.5};
    size_t found = 0;
    struct ran ran = result_of("analyse " SAMPLES "noise.csv --compare " SAMPLES "faster.csv");
    for (size_t i = 0; i < rows_of(&ran, "comparison"); i++) {
        const size_t at = (size_t)lround(4 * json_number_value(cell(&ran, "comparison", i, "ratio"))) - 1;
        const char *quantity = json_string_value(cell(&ran, "comparison", i, "quantity"));
        const double change = json_number_value(cell(&ran, "comparison", i, "second_per_first"));
        assert_true(at < 3);
        check_int(&ran, "comparison", i, "pairs", 9);
        if (strcmp(quantity, "slowdown") == 0) {
            assert_true(fabs(json_number_value(cell(&ran, "comparison", i, "first_slowdown")) / first[at] - 1) < 0.05);
            assert_true(fabs(json_number_value(cell(&ran, "comparison", i, "second_slowdown")) / second[at] - 1) <
                        0.05);
            assert_true(fabs(change * first[at] / second[at] - 1) < 0.1);
            found++;
        } else if (strcmp(quantity, "perturbed") != 0) {
            assert_true(fabs(change - 1) < 0.1);
        }
        assert_true(json_number_value(cell(&ran, "comparison", i, "low")) <= change);
        assert_true(json_number_value(cell(&ran, "comparison", i, "high")) >= change);
    }
    assert_int_equal(found, 3);
    check_note(&ran, "allreduce of 8 B at ratio 0.5: the slowdown of the second run is smaller: 2 after 3 ");
    ran_free(&ran);
    check_refused("analyse " SAMPLES "noise.csv --compare nowhere.csv", 1, "nowhere.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_comparison),
    };
    return cmocka_run_group_tests(tests, enter_without_gnuplot, leave_folder);
}
