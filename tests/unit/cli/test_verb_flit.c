/* What `flit` shows is what measurements say, load by load and routing by routing; searches shared out over ranks are
 * those of one process. */
#include "cli_test.h"

#include "../block_executor.h"
#include "cli/flit/flit_options.h"
#include "net/network_internal.h"
#include "sim/flit/saturation.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

extern const struct verb verb_flit;
const struct verb *const verbs[] = {&verb_flit, NULL};

#define CYCLES 1500
#define WARMUP 1000

/* Measures what the verb does with these options. */
struct measuring {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_flit_case made;
    struct cw_flit_hardware hardware;
    struct cw_flit_messages messages;
};

static struct measuring measuring_of(const char *topology, const char *traffic, const char *routing)
{
    struct measuring out = {.hardware = cw_flit_default_hardware(), .messages = {.flits = 1}};
    assert_int_equal(cw_topology_build(topology, &out.net), 0);
    assert_int_equal(cw_packet_routing_new(out.net, routing, 1, 1, &out.routing), 0);
    out.made = (struct cw_flit_case){.net = out.net,
                                     .routing = out.routing,
                                     .traffic_spec = traffic,
                                     .placement_spec = "contiguous",
                                     .seed = 1,
                                     .n_threads = 1};
    assert_int_equal(cw_flit_case_make(&out.made), 0);
    return out;
}

static void measuring_free(struct measuring *measuring)
{
    cw_flit_case_free(&measuring->made);
    cw_packet_routing_free(measuring->routing);
    cw_network_free(measuring->net);
}

static struct cw_flit_measurement measure(const struct measuring *measuring, double load)
{
    const struct cw_steady_setup steady = {.warmup = WARMUP, .cycles = CYCLES, .confidence = 0.99};
    struct cw_flit_measurement run;
    const int rc =
        cw_flit_case_measure(&measuring->made, &measuring->hardware, &measuring->messages, load, &steady, &run);
    if (rc) fail_msg("%s", cw_error_message());
    return run;
}

/* --- steady states ------------------------------------------------------------------------------------------------ */

static void check_steady(const struct ran *ran, size_t row, const char *routing, const struct cw_steady_result *steady)
{
    const double nothing = (double)NAN;
    check_text(ran, "flit", row, "routing", routing);
    check_real(ran, "flit", row, "offered", steady->offered);
    check_real(ran, "flit", row, "accepted_mean", steady->accepted);
    check_real(ran, "flit", row, "accepted_ci95", steady->steady ? steady->accepted_ci95 : nothing);
    check_real(ran, "flit", row, "latency_mean", steady->latency_mean);
    check_real(ran, "flit", row, "latency_p99", steady->latency_p99);
    check_text(ran, "flit", row, "saturated", steady->saturated ? "yes" : "no");
    check_int(ran, "flit", row, "cycles", CYCLES);
    check_int(ran, "flit", row, "warmup_cycles", WARMUP);
    check_text(ran, "flit", row, "steady", steady->steady ? "yes" : "no");
    check_int(ran, "flit", row, "flit_hops", (int64_t)steady->flit_hops);
    check_real(ran, "steady", row, "accepted_mean", steady->accepted);
    check_real(ran, "steady", row, "accepted_ci", steady->steady ? steady->accepted_ci : nothing);
    check_real(ran, "steady", row, "confidence", 0.99);
    check_real(ran, "steady", row, "drift", steady->drift);
    check_real(ran, "steady", row, "drift_ci99", steady->drift_ci);
    check_real(ran, "latency", row, "p50", steady->latency_p50);
    check_real(ran, "latency", row, "p99", steady->latency_p99);
    check_real(ran, "latency", row, "p999", steady->latency_p999);
    check_int(ran, "latency", row, "messages", (int64_t)steady->messages);
}

static void check_channels(const struct ran *ran, size_t row, const struct measuring *measuring,
                           const struct cw_flit_measurement *run)
{
    const struct cw_network *net = measuring->net;
    double sums[2] = {0}, busiest = 0;
    uint32_t n[2] = {0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double used = (double)run->channel_flits[c] / CYCLES; /* of channels of one speed */
        const bool between = net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints;
        if (net->head[c] < net->n_endpoints) continue;
        sums[between] += used;
        n[between]++;
        if (between) busiest = fmax(busiest, used);
    }
    check_real(ran, "utilisation", row, "injection", sums[0] / n[0]);
    check_real(ran, "utilisation", row, "local", sums[1] / n[1]);
    check_real(ran, "hottest", 2 * row, "utilisation", busiest);
    check_int(ran, "fairness", row, "senders", net->n_endpoints);
    check_int(ran, "fairness", row, "starved", 0);
    double least = INFINITY, most = 0, all = 0, squares = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const double injected = (double)run->injected_by[v] / CYCLES;
        least = fmin(least, injected);
        most = fmax(most, injected);
        all += injected;
        squares += injected * injected;
    }
    check_real(ran, "fairness", row, "injected_min", least);
    check_real(ran, "fairness", row, "injected_mean", all / net->n_endpoints);
    check_real(ran, "fairness", row, "injected_max", most);
    check_real(ran, "fairness", row, "fairness", all * all / (net->n_endpoints * squares));
}

static void test_loads(void **state)
{
    (void)state;
    static const char *const routings[] = {"dor", "minhop"};
    const double loads[] = {0.3, 0.1, 0.9};
    struct ran ran = result_of("flit torus:4x4 --routing dor,minhop --traffic shift:5 --load 0.3,0.1,0.9 --cycles 1500 "
                               "--warmup 1000 --confidence 0.99 --unsteady --top 2 --allow-deadlock");
    assert_int_equal(rows_of(&ran, "flit"), 6);
    for (size_t i = 0; i < 6; i++) {
        struct measuring measuring = measuring_of("torus:4x4", "shift:5", routings[i / 3]);
        measuring.made.allow_deadlock = true;
        struct cw_flit_measurement run = measure(&measuring, loads[i % 3]);
        check_steady(&ran, i, routings[i / 3], &run.steady);
        check_channels(&ran, i, &measuring, &run);
        cw_flit_measurement_free(&run);
        measuring_free(&measuring);
    }
    assert_int_equal(rows_of(&ran, "hottest"), 12);
    check_text(&ran, "flit", 2, "saturated", "yes");
    check_note(&ran, "In saturated rows, latencies depend on how long was measured");
    ran_free(&ran);
    ran = result_of("flit torus:8 --traffic hotspot:1,share=1 --hardware transit-first=yes --load 1 --warmup 1000 "
                    "--cycles 500 --unsteady"); /* who goes first is served */
    check_note(&ran, "dor: these endpoints starved (they injected nothing in the 500 cycles measured): ");
    ran_free(&ran);
    ran = result_of("flit crossbar:4 --traffic shift:1 --load 0.2 --cycles 1500 --warmup 1000 --unsteady");
    assert_int_equal(notes_with(&ran, "starved"), 0);
    check_text(&ran, "flit", 0, "saturated", "no");
    assert_int_equal(notes_with(&ran, "In saturated rows"), 0);
    ran_free(&ran);
}

/* What the parts of hardware mean is said with the result. */
static void test_notes(void **state)
{
    (void)state;
    struct ran ran = result_of("flit torus:4x4 --load 0.2 --cycles 1500 --warmup 1000 --unsteady --marking "
                               "threshold:flits=4 --rate-control dcqcn --hardware local-latency=100");
    check_note(&ran, "The rate control cannot have settled: its longest time constant is ");
    check_note(&ran, "and only 1500 (19.2 µs) were measured.");
    check_note(&ran,
               "Input buffers hold 204 flits (12.75 KiB) for each lane, which the longest round trip of 200 cycles");
    check_real(&ran, "marks", 0, "offered", json_number_value(cell(&ran, "flit", 0, "offered")));
    ran_free(&ran);
    ran = result_of("flit torus:4x4 --load 0.2 --cycles 1500 --warmup 1000 --unsteady --hardware "
                    "local-latency=100,input-buffer=4KiB");
    check_note(
        &ran,
        "Input buffers of 64 flits do not cover the longest round trip of 200 cycles: one lane can use at most 0.32");
    assert_false(has_table(&ran, "marks"));
    ran_free(&ran);
    for (int flits = 199; flits <= 200; flits++) { /* of 64 bytes */
        char line[200];
        snprintf(line, sizeof line,
                 "flit torus:4x4 --load 0.2 --cycles 200 --warmup 0 --unsteady --hardware "
                 "local-latency=100,input-buffer=%dB",
                 64 * flits);
        ran = result_of(line);
        assert_int_equal(notes_with(&ran, "do not cover the longest round trip of 200 cycles"), flits < 200);
        assert_int_equal(notes_with(&ran, "Input buffers hold"), 0);
        ran_free(&ran);
    }
    ran = result_of("flit torus:4x4 --load 0.2 --cycles 2000 --warmup 1000 --unsteady --until-ci 0.1%");
    check_note(&ran, "after 2000 cycles the interval's half width is ");
    check_note(&ran, "--until-ci asked for 0.1 %.");
    ran_free(&ran);
}

/* A load that has no steady state has no interval, and is no answer unless that is accepted. */
static void test_unsteady(void **state)
{
    (void)state;
    const char line[] = "flit torus:16 --traffic uniform --load 0.5 --cycles 100 --warmup 0 --format json --threads 1";
    char accepted[200];
    struct ran ran = run_line(line);
    assert_non_null(ran.json);
    check_text(&ran, "flit", 0, "steady", "no");
    check_real(&ran, "flit", 0, "accepted_ci95", (double)NAN);
    assert_int_equal(ran.status, 1);
    check_note(&ran, "Rows that are not steady have no interval");
    check_note(&ran, "is not steady after 0 cycles of warm-up and 100 measured: the accepted load drifts by");
    ran_free(&ran);
    snprintf(accepted, sizeof accepted, "%s --unsteady", line);
    ran = run_line(accepted);
    assert_int_equal(ran.status, 0);
    assert_int_equal(notes_with(&ran, "is not steady after"), 0);
    ran_free(&ran);
}

/* --- searches ----------------------------------------------------------------------------------------------------- */

static int agree(const struct program_ranks *ranks, int rc)
{
    (void)ranks;
    return rc;
}

static void tell(const struct program_ranks *ranks)
{
    (void)ranks;
}

/* The same bytes, but for how fast it was. */
static void check_ranks(const char *line, size_t n)
{
    struct block_executor blocks = block_executor(n);
    const struct program_ranks ranks = {
        .rank = 0, .n = (unsigned)n, .threads = 1, .executor = &blocks.executor, .agree = agree, .tell = tell};
    struct ran alone = run_line(line), shared = run_as(&ranks, line);
    assert_int_equal(alone.status, shared.status);
    assert_non_null(alone.json);
    json_object_del(alone.json, "measured");
    json_object_del(shared.json, "measured");
    assert_true(json_equal(alone.json, shared.json));
    ran_free(&alone);
    ran_free(&shared);
}

static void test_shared(void **state)
{
    (void)state;
    check_ranks("flit torus:4x4 --load 0.2,0.5,0.8 --cycles 800 --warmup 400 --unsteady --format json --threads 1", 2);
    check_ranks("flit torus:4x4 --traffic shift:5 --cycles 400 --warmup 400 --format json --threads 1", 1);
    check_ranks("flit torus:4x4 --traffic shift:5 --cycles 400 --warmup 400 --format json --threads 1", 3);
    check_ranks("flit crossbar:4 --traffic shift:1 --cycles 400 --warmup 400 --format json --threads 1", 20);
}

/* Each row is what the search asked for after those before it, and its end is where they lead. */
static void check_search(const char *topology, const char *traffic)
{
    char line[200];
    snprintf(line, sizeof line,
             "flit %s --traffic %s --routing minhop --allow-deadlock --cycles 1500 --warmup 1000 "
             "--confidence 0.99",
             topology, traffic);
    struct ran ran = result_of(line);
    struct measuring measuring = measuring_of(topology, traffic, "minhop");
    measuring.made.allow_deadlock = true;
    struct cw_saturation search = {0};
    size_t row = 0;
    for (double load; (load = cw_saturation_next(&search)) > 0; row++) {
        struct cw_flit_measurement run = measure(&measuring, load);
        check_steady(&ran, row, "minhop", &run.steady);
        cw_saturation_add(&search, &run.steady);
        cw_flit_measurement_free(&run);
    }
    assert_int_equal(rows_of(&ran, "flit"), row);
    assert_int_equal(rows_of(&ran, "saturation"), 1);
    check_text(&ran, "saturation", 0, "routing", "minhop");
    check_real(&ran, "saturation", 0, "accepted_load", search.accepted);
    check_real(&ran, "saturation", 0, "refused_load", search.refused > 0 ? search.refused : (double)NAN);
    check_real(&ran, "saturation", 0, "accepted_most", search.most);
    check_note(&ran,
               "known to 5 %. A load is not accepted if less than 98 % of it arrives or its mean latency is more than "
               "3 times the least. Each load was measured for 1500 cycles after 1000 of warm-up.");
    measuring_free(&measuring);
    ran_free(&ran);
}

static void test_search(void **state)
{
    (void)state;
    check_search("torus:6", "shift:2");
    check_search("crossbar:4", "shift:1"); /* which accepts all */
}

/* --- models ------------------------------------------------------------------------------------------------------- */

static void test_model(void **state)
{
    (void)state;
    struct ran ran =
        result_of("flit dragonfly:2,3,2 --traffic bitcomp --routing valiant-restricted,minimal --analytic --load "
                  "0.05,0.5 --cycles 1500 --warmup 1000 --unsteady");
    for (size_t i = 0; i < 4; i++) {
        struct measuring measuring =
            measuring_of("dragonfly:2,3,2", "bitcomp", i < 2 ? "valiant-restricted" : "minimal");
        struct cw_flit_model model;
        const double load = i % 2 ? 0.5 : 0.05;
        assert_int_equal(cw_flit_case_models(&measuring.made, &load, 1, &model), 0);
        struct cw_flit_measurement run = measure(&measuring, load);
        check_real(&ran, "flit", i, "model_estimate", model.estimate);
        check_real(&ran, "flit", i, "model_bound", model.bound);
        check_real(&ran, "model", i, "offered", load);
        check_real(&ran, "model", i, "accepted", run.steady.accepted);
        check_real(&ran, "model", i, "estimate", model.estimate);
        check_real(&ran, "model", i, "accepted_to_estimate", run.steady.accepted / model.estimate);
        check_real(&ran, "model", i, "bound", model.bound);
        check_real(&ran, "model", i, "accepted_to_bound", run.steady.accepted / model.bound);
        cw_flit_measurement_free(&run);
        measuring_free(&measuring);
    }
    ran_free(&ran);
}

/* --- files and jobs ----------------------------------------------------------------------------------------------- */

/* Every channel, every latency that occurred, every batch. */
static void test_files(void **state)
{
    (void)state;
    struct ran ran =
        result_of("flit torus:4x4 --routing dor --traffic shift:5 --load 0.3,0.1 --cycles 1500 --warmup 1000 "
                  "--unsteady --channels c.csv --histogram h.csv --series s.csv");
    struct measuring measuring = measuring_of("torus:4x4", "shift:5", "dor");
    size_t bins = 0, batches = 0;
    for (int i = 0; i < 2; i++) {
        struct cw_flit_measurement run = measure(&measuring, i ? 0.1 : 0.3);
        for (size_t bin = 0; bin < CW_FLIT_LATENCY_BINS; bin++) bins += run.latencies[bin] > 0;
        batches += run.steady.n_batches;
        cw_flit_measurement_free(&run);
    }
    assert_int_equal(lines_of("c.csv"), 1 + 2 * measuring.net->n_channels);
    assert_int_equal(lines_of("h.csv"), 1 + bins);
    assert_int_equal(lines_of("s.csv"), 1 + batches);
    measuring_free(&measuring);
    ran_free(&ran);
}

/* Jobs without end, each with its ranks and its load. */
static void test_jobs(void **state)
{
    (void)state;
    struct ran ran =
        result_of("flit torus:4x4 --routing dor --traffic 'uniform ranks=6 load=0.2; shift:1 load=0.1' --cycles "
                  "1500 --warmup 1000 --unsteady");
    assert_int_equal(rows_of(&ran, "flit"), 1);
    assert_int_equal(rows_of(&ran, "jobs"), 2);
    check_int(&ran, "jobs", 0, "job", 1);
    check_int(&ran, "jobs", 1, "job", 2);
    check_text(&ran, "jobs", 0, "traffic", "uniform");
    check_text(&ran, "jobs", 1, "traffic", "shift:1");
    check_int(&ran, "jobs", 0, "ranks", 6);
    check_int(&ran, "jobs", 1, "ranks", 10);
    const double offered[] = {json_number_value(cell(&ran, "jobs", 0, "offered")),
                              json_number_value(cell(&ran, "jobs", 1, "offered"))};
    const double accepted[] = {json_number_value(cell(&ran, "jobs", 0, "accepted_mean")),
                               json_number_value(cell(&ran, "jobs", 1, "accepted_mean"))};
    assert_true(fabs(offered[0] - 0.2) < 0.02 && fabs(offered[1] - 0.1) < 0.02);
    check_real(&ran, "flit", 0, "offered", (6 * offered[0] + 10 * offered[1]) / 16);
    check_real(&ran, "flit", 0, "accepted_mean", (6 * accepted[0] + 10 * accepted[1]) / 16);
    ran_free(&ran);
}

/* Options that mean nothing beside others are refused, whichever they are. */
static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"--bytes 8B", "crosswind flit has no option --bytes any more; expected crosswind jobs NETWORK --model flits"},
        {"--trials=3", "expected crosswind jobs NETWORK --model flits --trials N"},
        {"--schedule binomial-bcast --ratio 0.5", "has no option --schedule any more"},
        {"--moves none.txt", "expected crosswind jobs NETWORK --model flits --jobs moves:FILE"},
        {"--load 0.5 --finite 1KiB", "expected crosswind jobs NETWORK --model flits --jobs 'PATTERN bytes=SIZE'"},
        {"--jobs 'uniform bytes=1KiB' --cycles 100", "expected crosswind jobs NETWORK --model flits --jobs JOBS"},
        {"--traffic 'uniform ranks=4; shift' --load 0.5",
         "--load is not for several patterns, each of which has load="},
        {"--traffic 'uniform ranks=4; shift' --analytic", "--analytic is not for several patterns"},
        {"--traffic 'uniform ranks=4; bcast'", "job 2 (bcast) ends; expected traffic without end"},
        {"--traffic 'uniform ranks=4; shift start=1us'", "job 2 (shift): flit by flit there are no jobs that begin"},
        {"--time 1us --cycles 100", "--cycles means the same as --time; give only one of them"},
        {"--hardware global-latency=3", "option 'global-latency' of --hardware is for networks with groups"},
        {"--repair minhop", "--repair is for the fabric's own tables, --lft"},
        {"--routing dor,,minhop", "--routing: one of the names is empty"},
        {"--routing dor,drr", "drr"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200];
        write_text("none.txt", "");
        snprintf(line, sizeof line, "flit torus:4x4 %s", cases[i][0]);
        check_refused(line, 2, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),  cmocka_unit_test(test_notes),  cmocka_unit_test(test_unsteady),
        cmocka_unit_test(test_shared), cmocka_unit_test(test_search), cmocka_unit_test(test_model),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_jobs),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
