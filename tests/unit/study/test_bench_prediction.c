/* Predictions beside a measurement, on two leaves with one cable between them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "bench_example.h"
#include "net/network.h"
#include "route/engine.h"
#include "study/bench/bench_prediction.h"
#include "topo/topology.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

/* Eight hosts, four on each leaf, and a run of as many ranks, rank r on host r. */
struct bed {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_bench_run run;
    uint32_t endpoints[8];
    struct cw_bench_analysis analysis;
    struct cw_bench_prediction prediction;
};

static void begin(struct bed *bed)
{
    const struct bench_plan plan = {.n_ranks = 8};
    *bed = (struct bed){.net = NULL};
    must(cw_topology_build("xgft:2:4,2:1,1", &bed->net));
    must(cw_engine_route(bed->net, NULL, 1, 1, &bed->routes));
    bench_begin(&plan, &bed->run);
    for (uint32_t r = 0; r < 8; r++) bed->endpoints[r] = r;
}

static void end(struct bed *bed)
{
    cw_bench_prediction_free(&bed->prediction);
    cw_bench_analysis_free(&bed->analysis);
    cw_bench_run_free(&bed->run);
    cw_routes_free(bed->routes);
    cw_network_free(bed->net);
}

/* Adds a split with the roles LETTERS ("aap-…"), which slowed the operation down by SLOWDOWN; calls, eight if they
 * SCATTER, are off by so much of their time on either side. */
static void add_calls(struct bed *bed, const struct cw_bench_case *about, const char *letters, double slowdown,
                      double scatter)
{
    struct cw_bench_block block = {.clock_error = 0, .goodput = 1e6};
    struct cw_bench_sample samples[8];
    uint8_t roles[8];
    for (int r = 0; r < 8; r++) roles[r] = (uint8_t)(letters[r] == 'a' ? 1 : letters[r] == 'p' ? 2 : 0);
    must(cw_bench_run_case(&bed->run, about, &block.case_index));
    must(cw_bench_run_split(&bed->run, roles, &block.split));
    for (int state = 0; state < CW_BENCH_CONTROL; state++) {
        const double time = state == CW_BENCH_CLEAN ? 1e-3 : 1e-3 * slowdown;
        for (int i = 0; i < 8; i++)
            samples[i] = (struct cw_bench_sample){.time = time * (1 + (i % 2 ? scatter : -scatter))};
        block.state = (enum cw_bench_state)state;
        must(cw_bench_run_block(&bed->run, &block, samples, scatter > 0 ? 8 : 1));
    }
}

static void add(struct bed *bed, const struct cw_bench_case *about, const char *letters, double slowdown)
{
    add_calls(bed, about, letters, slowdown, 0);
}

static int predict(struct bed *bed, size_t rounds, unsigned n_threads)
{
    const struct cw_bench_prediction_setup setup = {
        .routes = bed->routes,
        .endpoints = bed->endpoints,
        .timing = {.loggp = true, .latency = 0, .overhead = 1e-6, .gap = 1e-9},
        .rounds = rounds,
        .seed = 1,
        .n_threads = n_threads,
    };
    must(cw_bench_analyse(&bed->run, 1, &bed->analysis));
    return cw_bench_predict(&bed->analysis, &setup, &bed->prediction);
}

/* The predictions of split I. */
static void assert_predicted(const struct bed *bed, size_t i, double congestion, double loggp)
{
    const double *predicted = bed->prediction.points[i].predicted;
    if (!near(predicted[CW_BENCH_CONGESTION], congestion) || !near(predicted[CW_BENCH_LOGGP], loggp))
        fail_msg("split %zu: %g and %g, expected %g and %g", i, predicted[CW_BENCH_CONGESTION],
                 predicted[CW_BENCH_LOGGP], congestion, loggp);
}

static const struct cw_bench_case bcast = {"bcast", 1000, 0, "permutation", 10 << 20, 0.25};

/* Two that perturb exchange: a message each way on the cable, where each of the application's meets one. */
static void test_exact(void **state)
{
    (void)state;
    struct bed bed;
    begin(&bed);
    add(&bed, &bcast, "ap--ap--", 9); /* over the cable: 2; (1 + 2 µs) / (1 + 1 µs) */
    add(&bed, &bcast, "aap---p-", 1); /* on one leaf: nothing in common */
    add(&bed, &bcast,
        "a-pp"
        "a---",
        1.2); /* the perturbation is on one leaf */
    add(&bed, &bcast,
        "aaap"
        "a--p",
        4); /* 0 to 1, then 1 over the cable: (1 + 2) / 2; (2 + 3) / 4 */
    must(predict(&bed, 20, 1));
    assert_int_equal(bed.prediction.n_points, 4);
    assert_predicted(&bed, 0, 2, 1.5);
    assert_predicted(&bed, 1, 1, 1);
    assert_predicted(&bed, 2, 1, 1);
    assert_predicted(&bed, 3, 1.5, 1.25);
    assert_true(near(bed.prediction.points[0].measured, 9));
    /* Ranks measured: 4 1 2 3; predicted: 4 1.5 1.5 3. */
    assert_int_equal(bed.prediction.n_agreements, 1);
    const struct cw_bench_agreements *agreements = &bed.prediction.agreements[0];
    assert_int_equal(agreements->n, 4);
    assert_true(near(agreements->of[CW_BENCH_CONGESTION].correlation.r, sqrt(0.9)));
    /* Errors 7/9, 0, 1/6, 5/8: their median. */
    assert_true(near(agreements->of[CW_BENCH_CONGESTION].error, 0.5 * (1.0 / 6 + 5.0 / 8)));
    assert_int_equal(agreements->best, CW_BENCH_CONGESTION); /* of LogGP they are 5/6, 0, 1/6, 11/16 */
    /* Medians of measured 1 1.2 4 9 and predicted 1 1 1.5 2, or 1 1 1.25 1.5. Four splits have no interval. */
    const struct cw_bench_agreement *congestion = &agreements->of[CW_BENCH_CONGESTION];
    assert_true(near(agreements->measured, 2.6) && near(congestion->predicted, 1.25));
    assert_true(near(congestion->ratio.value, 1.25 / 2.6) && isnan(congestion->ratio.low));
    assert_true(near(agreements->of[CW_BENCH_LOGGP].ratio.value, 1.125 / 2.6));
    end(&bed);
}

/* Six splits with predictions by LogGP of 1, 1.25 and 1.5, and measured slowdowns FACTOR times as great. */
static void add_six(struct bed *bed, double factor, double scatter)
{
    static const char *const letters[] = {"ap--ap--", "aap---p-", "aaapa--p", "a-p-a-p-", "aa-p---p", "aapaa--p"};
    static const double predicted[] = {1.5, 1, 1.25, 1.5, 1, 1.25};
    for (int i = 0; i < 6; i++) add_calls(bed, &bcast, letters[i], factor * predicted[i], scatter);
}

/* Where each split is slowed twice as much as predicted, so are medians, whatever splits are drawn. */
static void test_ratio_of_medians(void **state)
{
    (void)state;
    struct bed bed;
    begin(&bed);
    add_six(&bed, 2, 0);
    must(predict(&bed, 5, 1));
    const struct cw_bench_agreements *agreements = &bed.prediction.agreements[0];
    const struct cw_bench_agreement *loggp = &agreements->of[CW_BENCH_LOGGP];
    assert_true(near(agreements->measured, 2.5) && near(loggp->predicted, 1.25));
    assert_true(near(loggp->ratio.value, 0.5) && near(loggp->ratio.low, 0.5) && near(loggp->ratio.high, 0.5));
    assert_true(near(loggp->correlation.r, 1) && near(loggp->error, 0.5));
    assert_true(near(loggp->spread, sqrt(1.0 / 5 *
                                         (pow(log(1.5), 2) * 2 + pow(log(1.25), 2) * 2 -
                                          6 * pow((2 * log(1.5) + 2 * log(1.25)) / 6, 2)))));
    assert_int_equal(agreements->best, CW_BENCH_CONGESTION);
    /* 2, 1 and 1.5 are off by 1/3, 1/2 and 2/5 of 3, 2 and 2.5. */
    assert_true(near(agreements->of[CW_BENCH_CONGESTION].error, 0.4));
    end(&bed);
    begin(&bed);
    add_six(&bed, 1, 0);
    must(predict(&bed, 5, 1));
    assert_int_equal(bed.prediction.agreements[0].best, CW_BENCH_LOGGP);
    end(&bed);
    /* A split is drawn with both of its figures: where the order is the opposite, the ratio of medians is anything. */
    begin(&bed);
    add(&bed, &bcast, "ap--ap--", 1);
    add(&bed, &bcast, "a-p-a-p-", 1);
    add(&bed, &bcast, "aaapa--p", 1.25);
    add(&bed, &bcast, "aapaa--p", 1.25);
    add(&bed, &bcast, "aap---p-", 1.5);
    add(&bed, &bcast, "aa-p---p", 1.5);
    must(predict(&bed, 5, 1));
    loggp = &bed.prediction.agreements[0].of[CW_BENCH_LOGGP];
    assert_true(near(loggp->ratio.value, 1) && near(loggp->ratio.low, 1 / 1.5) && near(loggp->ratio.high, 1.5));
    end(&bed);
}

/* The text of the notes of what BED's prediction says. */
static char *notes_of(const struct bed *bed)
{
    struct cw_result *result;
    struct cw_text text = {0};
    must(cw_result_new(&result));
    must(cw_bench_prediction_report(&bed->analysis, &bed->prediction, result));
    must(cw_result_write(result, CW_FORMAT_TEXT, 1000, &text));
    cw_result_free(result);
    return text.data;
}

static void assert_said(const struct bed *bed, const char *words)
{
    char *notes = notes_of(bed);
    if (!strstr(notes, words)) fail_msg("'%s' is not in:\n%s", words, notes);
    free(notes);
}

/* Splits are put into an order only if predictions differ by more than chance moves what is measured. */
static void test_order_by_chance(void **state)
{
    (void)state;
    struct bed bed;
    begin(&bed);
    add_six(&bed, 1, 0.05); /* quartiles 1 ∓ .05: errors of 0.93 · 0.1 / √8, perturbed and clean */
    must(predict(&bed, 5, 1));
    assert_true(near(bed.analysis.cases[0].scatter, 0.093 / 2));
    assert_true(near(bed.prediction.agreements[0].of[CW_BENCH_LOGGP].correlation.r, 1));
    assert_said(&bed, "bcast of 1000 B at ratio 0.25: of the models, loggp comes nearest. Its median prediction is a "
                      "slowdown of 1.25, 1 times the measured 1.25 (95 % interval 1 to 1); half of its predictions are "
                      "off by more than");
    assert_said(&bed, "measured slowdowns of 6 splits and those predicted by loggp correlate with 1.00 (Spearman");
    end(&bed);
    begin(&bed);
    add_six(&bed, 1, 0.5);
    must(predict(&bed, 5, 1));
    assert_true(near(bed.analysis.cases[0].scatter, 0.465));
    assert_true(isnan(bed.prediction.agreements[0].of[CW_BENCH_LOGGP].correlation.r));
    assert_true(isnan(bed.prediction.agreements[0].of[CW_BENCH_LOGGP].correlation.p));
    assert_said(&bed,
                "predictions of loggp differ by 18 % between splits, and chance moves a measured slowdown by 46 %, "
                "so that their order cannot be compared.");
    end(&bed);
    begin(&bed); /* no cable in common */
    add(&bed, &bcast, "aap---p-", 1);
    add(&bed, &bcast, "aa-p---p", 2);
    must(predict(&bed, 5, 1));
    assert_said(&bed, "congestion predicts the same for all splits, so that their order cannot be compared.");
    end(&bed);
    begin(&bed);
    add(&bed, &bcast, "ap--ap--", 2);
    add(&bed, &bcast, "aap---p-", 2);
    must(predict(&bed, 5, 1));
    assert_said(&bed, "the order of splits cannot be compared, because all were slowed alike.");
    end(&bed);
}

/* The root is counted among the application's ranks: 0 sends to 1, then 1 over the cable to 4; but from 1 it is to 2,
 * and over the cable to 4: at once, which is there when 2 has told 0, or (loggp) then: (2 + 3) / 4. */
static void test_root(void **state)
{
    (void)state;
    struct bed bed;
    struct cw_bench_case other = bcast;
    begin(&bed);
    add(&bed, &bcast,
        "aaap"
        "a--p",
        2);
    other.root = 1;
    add(&bed, &other,
        "aaap"
        "a--p",
        2);
    must(predict(&bed, 5, 1));
    assert_predicted(&bed, 0, 1.5, 1.25);
    assert_predicted(&bed, 1, 1, 1.25);
    end(&bed);
}

/* All draws of the perturbation count: of two in an incast one sends, one way or the other. */
static void test_mean_over_rounds(void **state)
{
    (void)state;
    struct bed bed;
    struct cw_bench_case incast = bcast;
    strcpy(incast.perturbation, "incast");
    begin(&bed);
    add(&bed, &incast, "ap--ap--", 2);
    must(predict(&bed, 2000, 2));
    assert_true(fabs(bed.prediction.points[0].predicted[CW_BENCH_CONGESTION] - 1.5) < 0.05);
    const double with_two = bed.prediction.points[0].predicted[CW_BENCH_CONGESTION];
    cw_bench_prediction_free(&bed.prediction);
    cw_bench_analysis_free(&bed.analysis);
    must(predict(&bed, 2000, 1));
    assert_true(bed.prediction.points[0].predicted[CW_BENCH_CONGESTION] == with_two);
    end(&bed);
}

/* What stays on a host travels over no cable. */
static void test_several_ranks_a_host(void **state)
{
    (void)state;
    struct bed bed;
    begin(&bed);
    bed.endpoints[5] = 1; /* the two that perturb are on one host */
    add(&bed, &bcast, "ap--ap--", 2);
    add(&bed, &bcast, "a---a-pp", 2); /* the application is on two leaves, and perturbed on one */
    bed.endpoints[3] = 2;
    add(&bed, &bcast, "p-aap---", 2); /* the application is on one host */
    must(predict(&bed, 5, 1));
    assert_predicted(&bed, 0, 1, 1);
    assert_predicted(&bed, 1, 1, 1);
    assert_true(near(bed.prediction.points[2].predicted[CW_BENCH_CONGESTION], 1));
    end(&bed);
}

static void test_unknown(void **state)
{
    (void)state;
    struct bed bed;
    struct cw_bench_case odd = bcast;
    begin(&bed);
    strcpy(odd.operation, "bcats");
    add(&bed, &odd, "ap--ap--", 2);
    assert_int_equal(predict(&bed, 5, 1), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "unknown collective 'bcats'; did you mean bcast?"));
    end(&bed);
    begin(&bed);
    odd = bcast;
    strcpy(odd.perturbation, "incats");
    add(&bed, &odd, "ap--ap--", 2);
    assert_int_equal(predict(&bed, 5, 1), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "unknown perturbation 'incats'; did you mean incast?"));
    end(&bed);
}

/* Open MPI's nonblocking allreduce is a tree: of ranks on 0, 1, 2 and 7, only 2 and 7, and 1 and 7, meet on the cable,
 * and not both ways at once. */
static void test_algorithm(void **state)
{
    (void)state;
    struct bed bed;
    struct cw_bench_case allreduce = bcast;
    strcpy(allreduce.operation, "allreduce");
    begin(&bed);
    add(&bed, &allreduce,
        "aaap"
        "--pa",
        2);
    assert_string_equal(cw_bench_schedule(&bed.run, "allreduce"), "allreduce"); /* nobody said which MPI */
    must(predict(&bed, 5, 1));
    assert_predicted(&bed, 0, 2, 1.5); /* both steps of recursive doubling cross it */
    cw_bench_prediction_free(&bed.prediction);
    cw_bench_analysis_free(&bed.analysis);
    json_object_set_new(bed.run.conditions, "mpi", json_string("Open MPI v4.1.4, package: Debian"));
    assert_string_equal(cw_bench_schedule(&bed.run, "allreduce"), "binomial-allreduce");
    assert_string_equal(cw_bench_schedule(&bed.run, "bcast"), "bcast");
    must(predict(&bed, 5, 1));
    assert_predicted(&bed, 0, 1.5, 1.25); /* 7 to 2 and 1 to 7, but not 2 to 0 and 0 to 1 */
    json_object_set_new(bed.run.conditions, "wait", json_string("spin"));
    assert_string_equal(cw_bench_schedule(&bed.run, "allreduce"), "allreduce");
    json_object_set_new(bed.run.conditions, "wait", json_string("yield"));
    json_object_set_new(bed.run.conditions, "mpi", json_string("MPICH Version: 4.0.2"));
    assert_string_equal(cw_bench_schedule(&bed.run, "allreduce"), "allreduce");
    end(&bed);
}

static void test_report(void **state)
{
    (void)state;
    struct bed bed;
    struct cw_result *result;
    struct cw_text text = {0};
    struct cw_bench_case half = bcast;
    half.ratio = 0.5;
    begin(&bed);
    add(&bed, &bcast, "ap--ap--", 9);
    add(&bed, &bcast, "aap---p-", 1);
    add(&bed, &half,
        "a-pp"
        "a-pp",
        1.2);
    must(predict(&bed, 5, 1));
    assert_int_equal(bed.prediction.n_agreements, 3); /* each ratio, and both */
    assert_true(bed.prediction.agreements[2].all_ratios && bed.prediction.agreements[2].n == 3);
    must(cw_result_new(&result));
    must(cw_bench_prediction_report(&bed.analysis, &bed.prediction, result));
    must(cw_result_write(result, CW_FORMAT_CSV, 0, &text));
    assert_non_null(strstr(text.data, "\nbcast,1000,0,permutation,10485760,0.25,0,9,2,1.5\n"));
    assert_non_null(strstr(
        text.data,
        "\nbcast,1000,0,permutation,10485760,0.25,congestion,2,5,1.5,0.3,,,0.3888888889,0.4901290717,0,1,,,1\n"));
    assert_non_null(strstr(text.data, "\nbcast,1000,0,permutation,10485760,,congestion,3,"));
    cw_text_free(&text);
    cw_result_free(result);
    end(&bed);
}

/* --- hosts -------------------------------------------------------------------------------------------------------- */

static void set_hosts(struct bed *bed, const char *const hosts[8])
{
    for (int r = 0; r < 8; r++) {
        free(bed->run.hosts[r]);
        bed->run.hosts[r] = strdup(hosts[r]);
    }
}

/* A map with CONTENT, read for RUN. */
static int map_hosts(struct bed *bed, const char *content)
{
    char path[] = "/tmp/bench_hosts_XXXXXX";
    const int file = mkstemp(path);
    assert_true(write(file, content, strlen(content)) == (ssize_t)strlen(content));
    close(file);
    const int rc = cw_bench_hosts(&bed->run, bed->net, path, bed->endpoints);
    unlink(path);
    return rc;
}

static void assert_message(const char *words)
{
    if (!strstr(cw_error_message(), words)) fail_msg("'%s' is not in '%s'", words, cw_error_message());
}

static void test_hosts(void **state)
{
    (void)state;
    static const char *const own[] = {"h7", "h6.cluster", "h5", "h4", "h3", "h2", "h1", "h1"};
    static const char *const strange[] = {"a", "b", "b", "h4", "h3", "h2", "h1", "h0"};
    const uint32_t reversed[] = {7, 6, 5, 4, 3, 2, 1, 1}, mapped[] = {5, 6, 6, 4, 3, 2, 0, 0};
    struct bed bed;
    begin(&bed);
    set_hosts(&bed, own);
    must(cw_bench_hosts(&bed.run, bed.net, NULL, bed.endpoints));
    assert_memory_equal(bed.endpoints, reversed, sizeof reversed);
    set_hosts(&bed, strange);
    must(map_hosts(&bed, "# map\n\na h5\nb\t6 # by number\nunused h7\nh1 h0\n"));
    assert_memory_equal(bed.endpoints, mapped, sizeof mapped);
    assert_int_equal(map_hosts(&bed, "a h5\n"), CW_EUSAGE);
    assert_message(
        "host 'b' of rank 1 is not an endpoint of xgft:2:4,2:1,1; expected a map of hosts that says which it is");
    assert_int_equal(map_hosts(&bed, "a h5\nb\n"), CW_EPARSE);
    assert_message(":2: 'b' alone, expected a host and an endpoint");
    assert_int_equal(map_hosts(&bed, "a s0\n"), CW_EPARSE);
    assert_message(":1: there is no endpoint 's0'; expected a name, a GUID (0x...) or an id below 8");
    assert_int_equal(map_hosts(&bed, "a h5\na h6\n"), CW_EPARSE);
    assert_message(":2: host 'a' has an endpoint already");
    end(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_ratio_of_medians),
        cmocka_unit_test(test_order_by_chance),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_mean_over_rounds),
        cmocka_unit_test(test_several_ranks_a_host),
        cmocka_unit_test(test_algorithm),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
