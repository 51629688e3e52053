/* What noise, ebb and congestion show: rows are what running trials gives with the same setup, samples and cases are of
 * those trials, and of small networks everything is counted here. */
#include "cli_test.h"

#include "net/network_internal.h"
#include "route/engine.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim/noise.h"
#include "topo/topology.h"

extern const struct verb verb_noise, verb_ebb, verb_congestion;
const struct verb *const verbs[] = {&verb_noise, &verb_ebb, &verb_congestion, NULL};

struct scene {
    struct cw_network *net;
    struct cw_routes *routes;
};

static struct scene scene_of(const char *topology, const char *routing)
{
    struct scene out;
    assert_int_equal(cw_topology_build(topology, &out.net), 0);
    assert_int_equal(cw_engine_route(out.net, routing, 1, 1, &out.routes), 0);
    return out;
}

static void scene_free(struct scene *scene)
{
    cw_routes_free(scene->routes);
    cw_network_free(scene->net);
}

/* --- noise -------------------------------------------------------------------------------------------------------- */

struct noise_case {
    const char *schedule, *background, *placement;
    double ratio;
    size_t trials;
    uint64_t bytes;
    struct cw_timing timing;
    enum cw_sends sends;
    enum cw_perturbation perturbation;
};

static void run_noise(const struct scene *scene, const struct noise_case *is, struct cw_times *samples,
                      struct cw_noise_result *row)
{
    struct cw_schedule *schedule;
    struct cw_pattern *background;
    struct cw_placement *placement;
    struct cw_ranks ranks;
    assert_int_equal(cw_schedule_new(is->schedule, &schedule), 0);
    cw_ranks_of(scene->net, scene->net->n_endpoints, &ranks);
    assert_int_equal(cw_pattern_new(is->background, &ranks, &background), 0);
    assert_int_equal(cw_placement_new(is->placement, scene->net, NULL, &placement), 0);
    const struct cw_noise_setup setup = {.collective = {.routes = scene->routes,
                                                        .schedule = schedule,
                                                        .bytes = is->bytes,
                                                        .timing = is->timing,
                                                        .sends = is->sends},
                                         .background = background,
                                         .placement = placement,
                                         .ratio = is->ratio,
                                         .perturbation = is->perturbation,
                                         .trials = is->trials,
                                         .seed = 1,
                                         .n_threads = 1,
                                         .samples = samples};
    if (cw_noise_run(&setup, row) != 0) fail_msg("%s", cw_error_message());
    cw_placement_free(placement);
    cw_pattern_free(background);
    cw_schedule_free(schedule);
}

/* BYTES < 0: unit time. */
static void check_noise(const struct ran *ran, size_t row, const struct noise_case *is, int64_t bytes,
                        const struct cw_noise_result *right)
{
    check_real(ran, "noise", row, "ratio", is->ratio);
    if (bytes < 0)
        assert_true(json_is_null(cell(ran, "noise", row, "bytes")));
    else
        check_int(ran, "noise", row, "bytes", bytes);
    check_int(ran, "noise", row, "trials", (int64_t)is->trials);
    check_real(ran, "noise", row, "slowdown_mean", right->slowdown.mean);
    check_real(ran, "noise", row, "slowdown_ci95", right->slowdown.ci95);
    check_real(ran, "noise", row, "slowdown_min", right->slowdown.min);
    check_real(ran, "noise", row, "slowdown_q25", right->slowdown.q25);
    check_real(ran, "noise", row, "slowdown_median", right->slowdown.median);
    check_real(ran, "noise", row, "slowdown_q75", right->slowdown.q75);
    check_real(ran, "noise", row, "slowdown_max", right->slowdown.max);
    check_real(ran, "noise", row, "clean_mean", right->clean.mean);
    check_real(ran, "noise", row, "clean_ci95", right->clean.ci95);
    check_real(ran, "noise", row, "perturbed_mean", right->perturbed.mean);
    check_real(ran, "noise", row, "perturbed_ci95", right->perturbed.ci95);
    check_real(ran, "noise", row, "overhead_mean", right->overhead.mean);
    check_real(ran, "noise", row, "overhead_ci95", right->overhead.ci95);
}

/* Rows are ratio by ratio; the sentence is of one half, if it is there, else of the middle one. */
static void test_noise(void **state)
{
    (void)state;
    struct scene scene = scene_of("xgft:2:4,4:1,2", "dmodk");
    struct cw_noise_result right;
    struct noise_case is = {
        .schedule = "binomial-bcast", .background = "derangement", .placement = "random", .trials = 30};
    struct ran ran = result_of("noise xgft:2:4,4:1,2 --ratio 0.25,0.75,0.5 --trials 30");
    const double ratios[] = {0.25, 0.75, 0.5};
    char said[300];
    assert_int_equal(rows_of(&ran, "noise"), 3);
    for (size_t i = 0; i < 3; i++) {
        is.ratio = ratios[i];
        run_noise(&scene, &is, NULL, &right);
        check_noise(&ran, i, &is, -1, &right);
    }
    snprintf(
        said, sizeof said,
        "At ratio 0.5, the traffic of 8 perturbing endpoints makes binomial-bcast among the other 8 take %.2f times as "
        "long on average (95 %% confidence %.2f to %.2f). In one trial in four, it takes at least %.2f times as long.",
        right.slowdown.mean, right.slowdown.mean - right.slowdown.ci95, right.slowdown.mean + right.slowdown.ci95,
        right.slowdown.q75);
    check_note(&ran, said);
    assert_string_equal(context_of(&ran, "placement"), "random");
    assert_string_equal(context_of(&ran, "traffic"), "binomial-bcast");
    assert_string_equal(context_of(&ran, "background"), "derangement");
    ran_free(&ran);
    ran = result_of("noise xgft:2:4,4:1,2 --ratio 0.25,0.75,0.3 --trials 5"); /* the middle one of three */
    check_note(&ran, "At ratio 0.75, the traffic of 12 perturbing endpoints");
    assert_int_equal(notes_with(&ran, "In one trial in four"), 0); /* of so few */
    ran_free(&ran);
    ran = result_of("noise xgft:2:4,4:1,2 --ratio 0,0.05 --trials 3");
    check_note(&ran, "At ratio 0, none of 16 endpoints perturbs.");
    check_note(&ran, "At ratio 0.05, only one of 16 endpoints perturbs, and it has nobody to send to.");
    check_real(&ran, "noise", 1, "slowdown_mean", 1);
    ran_free(&ran);
    scene_free(&scene);
}

/* Sizes, times and sends; each size of each ratio has its row. */
static void test_noise_in_seconds(void **state)
{
    (void)state;
    struct scene scene = scene_of("torus:4x4", "dor");
    struct cw_noise_result right;
    struct noise_case is = {.schedule = "ring-allreduce",
                            .background = "shift:1",
                            .placement = "contiguous",
                            .trials = 12,
                            .timing = {true, 2e-6, 3e-6, 1e-10},
                            .sends = CW_SENDS_IN_ORDER,
                            .perturbation = CW_PERTURBATION_PER_ROUND};
    struct ran ran =
        result_of("noise torus:4x4 --ratio 0.25,0.5 --trials 12 --schedule ring-allreduce --background shift:1 "
                  "--placement contiguous --bytes 8B,64KiB --L 2us --o 3us --G 0.1ns --perturbation per-round");
    assert_int_equal(rows_of(&ran, "noise"), 4);
    for (size_t i = 0; i < 4; i++) {
        is.ratio = i < 2 ? 0.25 : 0.5;
        is.bytes = i % 2 ? 65536 : 8;
        run_noise(&scene, &is, NULL, &right);
        check_noise(&ran, i, &is, (int64_t)is.bytes, &right);
    }
    check_note(&ran, "Here o = 3 µs, L = 2 µs, and G = ");
    check_note(&ran, "(--sends in-order)");
    ran_free(&ran);
    is.timing = (struct cw_timing){true, CW_TIMING_OF_CHANNELS, 1e-6, CW_TIMING_OF_CHANNELS};
    is.sends = CW_SENDS_AT_ONCE;
    is.bytes = 4096;
    run_noise(&scene, &is, NULL, &right);
    ran = result_of("noise torus:4x4 --ratio 0.5 --trials 12 --schedule ring-allreduce --background shift:1 "
                    "--placement contiguous --bytes 4KiB --sends at-once --perturbation per-round");
    check_noise(&ran, 0, &is, 4096, &right);
    check_note(&ran, "L = the sum of the latencies on its route, and G · congestion = messages / capacity");
    check_note(&ran, "(--sends at-once)");
    ran_free(&ran);
    scene_free(&scene);
}

/* The times of each trial, in a file: their quotient, and means that are those of the row. */
static void test_samples(void **state)
{
    (void)state;
    struct scene scene = scene_of("torus:4x4", "dor");
    struct cw_times times[7];
    struct cw_noise_result right;
    const struct noise_case is = {
        .schedule = "binomial-bcast", .background = "derangement", .placement = "random", .ratio = 0.5, .trials = 7};
    struct ran ran = result_of("noise torus:4x4 --ratio 0.5 --trials 7 --samples samples.csv");
    run_noise(&scene, &is, times, &right);
    FILE *file = fopen("samples.csv", "r");
    char line[512];
    size_t n = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    const char *heads = strstr(line, "ratio,bytes,trial,clean,perturbed,slowdown");
    assert_non_null(heads);
    size_t before = 0; /* columns of context */
    for (const char *c = line; c < heads; c++) before += *c == ',';
    while (fgets(line, sizeof line, file)) {
        const char *at = line;
        double ratio, clean, perturbed, slowdown;
        unsigned trial;
        for (size_t i = 0; i < before; i++) at = strchr(at, ',') + 1;
        assert_int_equal(sscanf(at, "%lf,,%u,%lf,%lf,%lf", &ratio, &trial, &clean, &perturbed, &slowdown), 5);
        assert_true(ratio == 0.5 && trial == n + 1);
        assert_true(clean == times[n].clean && perturbed == times[n].perturbed);
        assert_true(fabs(slowdown - perturbed / clean) < 1e-9);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 7);
    ran_free(&ran);
    scene_free(&scene);
}

/* Levels sum up their messages, of which there are 1, 2, 4. */
static void check_levels(const struct ran *ran)
{
    assert_int_equal(rows_of(ran, "levels"), 3);
    for (int level = 1; level <= 3; level++) {
        int64_t sums[2] = {0}, most[2] = {0}, n = 0;
        for (size_t i = 0; i < 7; i++) {
            if (json_integer_value(cell(ran, "messages", i, "level")) != level) continue;
            n++;
            for (int k = 0; k < 2; k++) {
                const int64_t value = json_integer_value(cell(ran, "messages", i, k ? "perturbed" : "clean"));
                sums[k] += value;
                if (value > most[k]) most[k] = value;
            }
        }
        const size_t row = (size_t)level - 1;
        check_int(ran, "levels", row, "level", level);
        check_int(ran, "levels", row, "messages", n);
        assert_int_equal(n, 1 << row);
        check_int(ran, "levels", row, "clean_sum", sums[0]);
        check_int(ran, "levels", row, "clean_max", most[0]);
        check_int(ran, "levels", row, "perturbed_sum", sums[1]);
        check_int(ran, "levels", row, "perturbed_max", most[1]);
    }
}

/* Any figure of a case that is another one than replaying gives is a failure. */
static void check_figures(const char *content)
{
    static const char *const lines[] = {"\nlevel ", "\nperturbation_only ", "\ntime "};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *copy = strdup(content);
        char *last = strstr(copy, lines[i]);
        assert_non_null(last);
        last = strchr(last + 1, '\n');
        last[-1] = last[-1] == '9' ? '8' : (char)(last[-1] + 1);
        write_text("wrong.txt", copy);
        struct ran ran = run_line("noise --trial wrong.txt --threads 1");
        if (ran.status != 1) fail_msg("'%s' passes\n%s", lines[i] + 1, copy);
        ran_free(&ran);
        free(copy);
    }
}

static uint32_t channel_called(const struct cw_network *net, const char *name)
{
    char buffer[2 * CW_NAME_SIZE];
    uint32_t c = 0;
    while (c < net->n_channels && strcmp(cw_network_channel_name(net, c, buffer, sizeof buffer), name) != 0) c++;
    assert_true(c < net->n_channels);
    return c;
}

/* A case that is written down is that trial, replayed: its times are the sample's. */
static void test_case(void **state)
{
    (void)state;
    struct scene scene = scene_of("torus:4x4", "dor");
    struct cw_times times[5];
    struct cw_noise_result right;
    const struct noise_case is = {
        .schedule = "binomial-bcast", .background = "derangement", .placement = "random", .ratio = 0.5, .trials = 5};
    run_noise(&scene, &is, times, &right);
    for (unsigned trial = 1; trial <= 5; trial += 2) {
        char line[100];
        snprintf(line, sizeof line, "noise torus:4x4 case.txt --ratio 0.5 --case %u", trial);
        struct ran ran = result_of(line);
        ran_free(&ran);
        ran = result_of("noise --trial case.txt");
        const struct cw_times *right_times = &times[trial - 1];
        check_real(&ran, "time", 0, "clean_time", right_times->clean);
        check_real(&ran, "time", 0, "perturbed_time", right_times->perturbed);
        assert_int_equal(rows_of(&ran, "messages"), 7); /* of eight ranks */
        check_levels(&ran);
        for (size_t i = 1; i < rows_of(&ran, "channels"); i++) { /* by level, the fullest first */
            int64_t level[2], sum[2];
            uint32_t channel[2];
            for (size_t k = 0; k < 2; k++) {
                channel[k] = channel_called(scene.net, json_string_value(cell(&ran, "channels", i + k - 1, "channel")));
                level[k] = json_integer_value(cell(&ran, "channels", i + k - 1, "level"));
                sum[k] = json_integer_value(cell(&ran, "channels", i + k - 1, "own")) +
                         json_integer_value(cell(&ran, "channels", i + k - 1, "background"));
            }
            assert_true(level[0] <= level[1]);
            if (level[0] == level[1]) assert_true(sum[0] > sum[1] || (sum[0] == sum[1] && channel[0] < channel[1]));
        }
        ran_free(&ran);
        char *content = content_of("case.txt");
        check_figures(content);
        free(content);
    }
    scene_free(&scene);
}

static void test_noise_refusals(void **state)
{
    (void)state;
    check_refused("noise torus:4x4 file.txt --ratio 0.5", 2,
                  "unexpected argument 'file.txt': a second one is for --case");
    check_refused("noise torus:4x4 --case 3 --ratio 0.5", 2, "--case: expected a network and the file to write");
    check_refused("noise torus:4x4 f.txt --case 3", 2, "--case: expected one --ratio and at most one of --bytes");
    check_refused("noise torus:4x4 f.txt --case 3 --ratio 0.5 --bytes 8B,9B", 2, "expected one --ratio");
    check_refused("noise torus:4x4 f.txt --case 3 --ratio 0.5 --trials 5", 2, "--trials is for many trials");
    check_refused("noise", 2, "expected NETWORK or --trial FILE");
    check_refused("noise torus:4x4 --time unit --bytes 8B", 2, "--bytes is for --time loggp");
    check_refused("noise torus:4x4 --time unit --G 1ns", 2, "--G is for --time loggp");
    check_refused("noise torus:4x4 --schedule dissemination --bytes 8B", 2,
                  "dissemination is a barrier, which carries no data");
    check_refused("noise torus:4x4 --ratio 0.5,0.99", 2, "0.99");
}

/* --- ebb ---------------------------------------------------------------------------------------------------------- */

static void test_ebb(void **state)
{
    (void)state;
    struct scene scene = scene_of("xgft:2:4,4:1,2", "dmodk");
    static const char *const lines[] = {"ebb xgft:2:4,4:1,2 --trials 40",
                                        "ebb xgft:2:4,4:1,2 --trials 40 --direction uni",
                                        "ebb xgft:2:4,4:1,2 --trials 40 --direction bi"};
    for (size_t i = 0; i < 3; i++) {
        struct ran ran = result_of(lines[i]);
        const size_t n = i == 0 ? 2 : 1;
        assert_int_equal(rows_of(&ran, "ebb"), n);
        for (size_t row = 0; row < n; row++) {
            const bool both = i == 2 || row == 1;
            const struct cw_ebb_setup setup = {
                .routes = scene.routes, .both_directions = both, .trials = 40, .seed = 1, .n_threads = 1};
            struct cw_ebb_result right;
            char said[300];
            assert_int_equal(cw_ebb_run(&setup, &right), 0);
            check_text(&ran, "ebb", row, "direction", both ? "bi" : "uni");
            check_int(&ran, "ebb", row, "trials", 40);
            check_real(&ran, "ebb", row, "ebb_mean", right.ebb.mean);
            check_real(&ran, "ebb", row, "ebb_ci95", right.ebb.ci95);
            check_real(&ran, "ebb", row, "max_congestion_mean", right.max_congestion.mean);
            snprintf(said, sizeof said,
                     "%s, a message gets %.1f %% of the bandwidth of a channel on average (95 %% "
                     "confidence %.1f to %.1f).",
                     both ? "both halves send" : "one half sends to the other", 100 * right.ebb.mean,
                     100 * (right.ebb.mean - right.ebb.ci95), 100 * (right.ebb.mean + right.ebb.ci95));
            check_note(&ran, said);
        }
        ran_free(&ran);
    }
    struct ran ran = result_of("ebb crossbar:4 --trials 1");
    assert_int_equal(notes_with(&ran, "on average"), 0);
    check_real(&ran, "ebb", 0, "ebb_ci95", (double)NAN);
    ran_free(&ran);
    scene_free(&scene);
}

/* --- congestion --------------------------------------------------------------------------------------------------- */

/* Messages of shift:1 on a ring of five: each goes over one cable, and over those of two endpoints. */
static void test_congestion_by_hand(void **state)
{
    (void)state;
    struct ran ran = result_of("congestion torus:5 --traffic shift:1 --top 30 --channels channels.csv");
    check_int(&ran, "congestion", 0, "ranks", 5);
    check_int(&ran, "congestion", 0, "rounds", 1);
    check_int(&ran, "congestion", 0, "trials", 1);
    check_int(&ran, "congestion", 0, "messages", 5);
    check_real(&ran, "congestion", 0, "congestion_mean", 1);
    check_real(&ran, "congestion", 0, "bandwidth_mean", 1);
    check_real(&ran, "congestion", 0, "max_congestion_mean", 1);
    check_int(&ran, "congestion", 0, "max_congestion", 1);
    check_real(&ran, "congestion", 0, "time_mean", 1);
    assert_int_equal(rows_of(&ran, "histogram"), 2); /* none and one */
    check_int(&ran, "histogram", 0, "congestion", 0);
    check_int(&ran, "histogram", 0, "channels", 5);
    check_int(&ran, "histogram", 0, "messages", 0);
    check_int(&ran, "histogram", 1, "congestion", 1);
    check_int(&ran, "histogram", 1, "channels", 15);
    check_int(&ran, "histogram", 1, "messages", 5);
    assert_int_equal(rows_of(&ran, "hottest"), 20); /* all there are */
    for (size_t i = 0; i < 20; i++) check_int(&ran, "hottest", i, "congestion", i < 15);
    for (size_t i = 1; i < 20; i++) /* of equals the first */
        if (i != 15)
            assert_true(json_integer_value(cell(&ran, "hottest", i - 1, "channel")) <
                        json_integer_value(cell(&ran, "hottest", i, "channel")));
    assert_int_equal(lines_of("channels.csv"), 21);
    check_note(&ran,
               "A message of shift:1 shares the busiest channel of its route with 0.00 others on average, and gets "
               "100.0 % of the bandwidth of an endpoint's cable. The worst channel carries 1 message at once.");
    ran_free(&ran);
    ran = result_of("congestion torus:5 --traffic shift:2 --top 0"); /* two steps: two on each cable there */
    check_real(&ran, "congestion", 0, "congestion_mean", 2);
    check_real(&ran, "congestion", 0, "bandwidth_mean", 0.5);
    check_int(&ran, "congestion", 0, "max_congestion", 2);
    check_note(&ran, "with 1.00 others on average, and gets 50.0 % of the bandwidth of an endpoint's cable. The worst "
                     "channel carries 2 "
                     "messages at");
    assert_false(has_table(&ran, "hottest"));
    ran_free(&ran);
}

/* Bytes of a matrix: 0 sends 3 kB to 2 and 1 kB to 1, over a star. */
static void test_congestion_by_bytes(void **state)
{
    (void)state;
    write_text("matrix.csv", "0 2 3000\n0 1 1000\n3 2 500\n");
    struct ran ran = result_of("congestion crossbar:4 --traffic matrix:matrix.csv --top 3");
    check_int(&ran, "congestion", 0, "messages", 3);
    check_int(&ran, "congestion", 0, "bytes", 4500);
    check_real(&ran, "congestion", 0, "channel_bytes_mean", 4000);
    check_real(&ran, "congestion", 0, "channel_bytes_max", 4000);
    check_real(&ran, "congestion", 0, "time_mean", 4000 / 5e9);
    /* of the busiest channel of each: 3000/4000, 1000/4000 and 500/3500 of its bytes, weighted by bytes */
    check_real(&ran, "congestion", 0, "bandwidth_mean", (3000 * 0.75 + 1000 * 0.25 + 500 * (500.0 / 3500)) / 4500);
    check_text(&ran, "hottest", 0, "tail", "h0");
    check_real(&ran, "hottest", 0, "bytes_max", 4000);
    check_real(&ran, "hottest", 0, "time", 4000 / 5e9);
    check_text(&ran, "hottest", 1, "head", "h2");
    check_real(&ran, "hottest", 1, "bytes", 3500);
    check_real(&ran, "hottest", 2, "bytes", 1000);
    check_note(&ran, "A channel carries at most 3.906 KiB in a round. All rounds take 800 ns.");
    ran_free(&ran);
}

static void test_congestion(void **state)
{
    (void)state;
    struct scene scene = scene_of("torus:4x4", "dor");
    struct cw_pattern *pattern;
    struct cw_placement *placement;
    struct cw_ranks ranks;
    struct cw_congestion_result right;
    cw_ranks_of(scene.net, 12, &ranks);
    assert_int_equal(cw_pattern_new("permutation", &ranks, &pattern), 0);
    assert_int_equal(cw_placement_new("random", scene.net, NULL, &placement), 0);
    const struct cw_congestion_setup setup = {.routes = scene.routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .ranks = 12,
                                              .trials = 100, /* what is drawn is drawn so often */
                                              .seed = 1,
                                              .n_threads = 1};
    assert_int_equal(cw_congestion_run(&setup, &right), 0);
    struct ran ran = result_of("congestion torus:4x4 --traffic permutation --placement random --ranks 12");
    check_int(&ran, "congestion", 0, "ranks", 12);
    check_int(&ran, "congestion", 0, "trials", 100);
    check_int(&ran, "congestion", 0, "messages", (int64_t)right.messages);
    check_real(&ran, "congestion", 0, "congestion_mean", right.message_mean);
    check_real(&ran, "congestion", 0, "bandwidth_mean", right.bandwidth_mean);
    check_real(&ran, "congestion", 0, "max_congestion_mean", right.max.mean);
    check_real(&ran, "congestion", 0, "max_congestion_ci95", right.max.ci95);
    check_int(&ran, "congestion", 0, "max_congestion", (int64_t)right.message_max);
    check_real(&ran, "congestion", 0, "time_mean", right.time.mean);
    check_real(&ran, "congestion", 0, "time_ci95", right.time.ci95);
    assert_int_equal(rows_of(&ran, "histogram"), right.bin_max + 1);
    double hottest = 0;
    for (uint32_t c = 0; c < scene.net->n_channels; c++) hottest = fmax(hottest, right.channel_time[c]);
    check_real(&ran, "hottest", 0, "time", hottest);
    ran_free(&ran);
    cw_congestion_free(&right);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    scene_free(&scene);
}

/* Flows beside counts: said where the first trials take another time, with what either says of them. */
static void test_noise_by_flows(void **state)
{
    (void)state;
#define GATHER "noise xgft:2:4,4:1,1 --ratio 0.5 --bytes 64KiB --schedule linear-gather --trials "
    struct ran many = result_of(GATHER "10"), counts = result_of(GATHER "3"),
               flows = result_of(GATHER "3 --model flows"),
               alike = result_of("noise torus:4x4 --ratio 0.5 --bytes 4KiB --trials 10"),
               at_once = result_of(GATHER "10 --sends at-once");
    const double by_flows = json_number_value(cell(&flows, "noise", 0, "slowdown_mean"));
    const double by_counts = json_number_value(cell(&counts, "noise", 0, "slowdown_mean"));
    char said[200];
    snprintf(said, sizeof said, "and a slowdown of %.3g, where counts say", by_flows);
    check_note(&many, "Flows, which share channels in time, say another time: in the first 3 trials, ");
    check_note(&many, said);
    snprintf(said, sizeof said, "and %.3g (--model flows).", by_counts);
    check_note(&many, said);
    assert_int_equal(notes_with(&alike, "say another time"), 0);
    assert_int_equal(notes_with(&at_once, "say another time"), 0);
    assert_int_equal(notes_with(&flows, "say another time"), 0);
    ran_free(&many);
    ran_free(&counts);
    ran_free(&flows);
    ran_free(&alike);
    ran_free(&at_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_by_flows),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_noise_in_seconds),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_noise_refusals),
        cmocka_unit_test(test_ebb),
        cmocka_unit_test(test_congestion_by_hand),
        cmocka_unit_test(test_congestion_by_bytes),
        cmocka_unit_test(test_congestion),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
