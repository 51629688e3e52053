/* What `flit` shows of work that ends is what its trials say: finite traffic, jobs side by side, a collective and its
 * perturbation; and of a plan's moves, what they take beside the network's own routes. */
#include "cli_test.h"

#include "flow/moves/moves_change.h"
#include "route/engine.h"
#include "study/flit/flit_jobs_case.h"
#include "study/flit/flit_moves_case.h"
#include "topo/topology.h"

extern const struct verb verb_flit, verb_plan;
const struct verb *const verbs[] = {&verb_flit, &verb_plan, NULL};

#define TOPOLOGY "torus:4x4"

/* N trials of JOBS by ROUTING, as the verb runs them. */
static void run_trials(const struct cw_flit_jobs *jobs, const char *routing, size_t n, uint64_t *warmup,
                       struct cw_flit_trials *out)
{
    static const struct cw_flit_messages messages = {.flits = 1};
    struct cw_network *net;
    struct cw_packet_routing *packets;
    assert_int_equal(cw_topology_build(TOPOLOGY, &net), 0);
    assert_int_equal(cw_packet_routing_new(net, routing, 1, 1, &packets), 0);
    struct cw_flit_jobs_case made = {.net = net,
                                     .hardware = cw_flit_default_hardware(),
                                     .messages = &messages,
                                     .seed = 1,
                                     .n_threads = 1,
                                     .jobs = jobs,
                                     .routing = packets};
    const struct cw_steady_setup steady = {.warmup = 3000, .confidence = 0.95};
    assert_int_equal(cw_flit_jobs_case_make(&made, routing, &steady), 0);
    assert_int_equal(cw_flit_trials_run(&made, n, NULL, NULL, out), 0);
    *warmup = made.warmup;
    cw_flit_jobs_case_free(&made);
    cw_packet_routing_free(packets);
    cw_network_free(net);
}

static void check_summary(const struct ran *ran, const char *table, size_t row, const char *name,
                          const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity)
{
    char column[80];
    struct cw_summary summary;
    assert_int_equal(cw_flit_trials_summarise(trials, job, quantity, &summary), 0);
    snprintf(column, sizeof column, "%s_mean", name);
    check_real(ran, table, row, column, summary.mean);
    snprintf(column, sizeof column, "%s_ci95", name);
    check_real(ran, table, row, column, summary.ci95);
}

static void check_job(const struct ran *ran, size_t row, const char *routing, const struct cw_flit_jobs *jobs,
                      size_t job, const struct cw_flit_trials *trials, bool beside)
{
    const struct cw_flit_request *request = &jobs->items[job];
    check_text(ran, "jobs", row, "routing", routing);
    check_int(ran, "jobs", row, "job", (int64_t)job + 1);
    check_text(ran, "jobs", row, "traffic", request->what);
    check_text(ran, "jobs", row, "placement", request->placement);
    check_int(ran, "jobs", row, "ranks", request->ranks);
    check_real(ran, "jobs", row, "offered", request->collective ? (double)NAN : request->load);
    if (request->bytes > 0)
        check_int(ran, "jobs", row, "bytes", (int64_t)request->bytes);
    else
        check_text(ran, "jobs", row, "bytes", NULL);
    check_int(ran, "jobs", row, "trials", (int64_t)trials->kept);
    check_summary(ran, "jobs", row, "accepted", trials, job, CW_OUTCOME_ACCEPTED);
    check_summary(ran, "jobs", row, "time", trials, job, CW_OUTCOME_TIME);
    check_summary(ran, "jobs", row, "seconds", trials, job, CW_OUTCOME_SECONDS);
    assert_int_equal(json_object_get(json_array_get(table_of(ran, "jobs"), row), "alone_mean") != NULL, beside);
    if (!beside) return;
    check_summary(ran, "jobs", row, "alone", trials, job, CW_OUTCOME_ALONE);
    check_summary(ran, "jobs", row, "slowdown", trials, job, CW_OUTCOME_SLOWDOWN);
    check_summary(ran, "jobs", row, "congestion_slowdown", trials, job, CW_OUTCOME_CONGESTION_SLOWDOWN);
}

/* Load by load, and for each its routings; one trial unless said, and full load. */
static void test_finite(void **state)
{
    (void)state;
    static const char *const routings[] = {"dor", "updn"};
    static const double loads[] = {0.4, 1, 1};
    struct ran ran = result_of("flit " TOPOLOGY " --finite 2KiB --traffic permutation --routing dor,updn "
                               "--load 0.4,1 --trials 3");
    struct ran full = result_of("flit " TOPOLOGY " --finite 2KiB --traffic permutation --routing dor");
    assert_int_equal(rows_of(&ran, "jobs"), 4);
    assert_int_equal(rows_of(&full, "jobs"), 1);
    for (size_t i = 0; i < 5; i++) {
        struct cw_flit_jobs jobs = {0};
        struct cw_flit_trials trials;
        uint64_t warmup;
        assert_int_equal(cw_flit_jobs_add(&jobs, "permutation", "contiguous",
                                          (struct cw_flit_request){.ranks = 16, .load = loads[i / 2], .bytes = 2048}),
                         0);
        run_trials(&jobs, routings[i % 2], i < 4 ? 3 : 1, &warmup, &trials);
        check_job(i < 4 ? &ran : &full, i % 4, routings[i % 2], &jobs, 0, &trials, false);
        assert_int_equal(warmup, 0);
        cw_flit_trials_free(&trials);
        cw_flit_jobs_free(&jobs);
    }
    assert_int_equal(notes_with(&ran, "ran for"), 0);
    ran_free(&full);
    ran_free(&ran);
}

#define JOBS "allreduce ranks=6 bytes=4KiB; shift:1 ranks=5 bytes=1KiB; uniform load=0.3"

static void test_jobs(void **state)
{
    (void)state;
    static const char *const routings[] = {"dor", "updn"};
    struct ran ran = result_of("flit " TOPOLOGY " --jobs '" JOBS "' --placement random --routing dor,updn "
                               "--trials 2 --warmup 3000");
    struct cw_flit_jobs jobs;
    assert_int_equal(cw_flit_jobs_parse(JOBS, "random", 16, &jobs), 0);
    assert_int_equal(rows_of(&ran, "jobs"), 6);
    for (size_t r = 0; r < 2; r++) {
        struct cw_flit_trials trials;
        uint64_t warmup;
        char said[100];
        run_trials(&jobs, routings[r], 2, &warmup, &trials);
        for (size_t j = 0; j < 3; j++) check_job(&ran, 3 * r + j, routings[r], &jobs, j, &trials, true);
        snprintf(said, sizeof said, "Jobs that never end ran for %d cycles before the others began.", (int)warmup);
        check_note(&ran, said);
        cw_flit_trials_free(&trials);
    }
    cw_flit_jobs_free(&jobs);
    ran_free(&ran);
    check_refused("flit " TOPOLOGY " --jobs 'uniform load=0.1' --trials 2", 2, "--trials is for jobs that end");
    check_refused("flit " TOPOLOGY " --jobs 'shift:1 bytes=1KiB' --warmup 5", 2, "--warmup is for jobs that never end");
    check_refused("flit " TOPOLOGY " --jobs 'shift:1 bytes=1KiB' --cycles 50", 2,
                  "--cycles is for jobs that never end");
}

static void check_collective(const char *options, double ratio, double load, size_t n)
{
    char line[300], said[200];
    snprintf(line, sizeof line, "flit " TOPOLOGY " --schedule binomial-bcast --bytes 8KiB --routing dor %s", options);
    struct ran ran = result_of(line);
    struct cw_flit_jobs jobs;
    struct cw_flit_trials trials;
    struct cw_summary flits, counts;
    uint64_t warmup;
    assert_int_equal(cw_flit_jobs_perturb("binomial-bcast", 8192, ratio, load, 16, &jobs), 0);
    run_trials(&jobs, "dor", n, &warmup, &trials);
    assert_int_equal(rows_of(&ran, "collective"), 1);
    check_text(&ran, "collective", 0, "routing", "dor");
    check_real(&ran, "collective", 0, "ratio", ratio);
    check_int(&ran, "collective", 0, "trials", (int64_t)n);
    check_summary(&ran, "collective", 0, "clean", &trials, 0, CW_OUTCOME_ALONE);
    check_summary(&ran, "collective", 0, "perturbed", &trials, 0, CW_OUTCOME_TIME);
    check_summary(&ran, "collective", 0, "slowdown", &trials, 0, CW_OUTCOME_SLOWDOWN);
    check_summary(&ran, "collective", 0, "congestion_slowdown", &trials, 0, CW_OUTCOME_CONGESTION_SLOWDOWN);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_SLOWDOWN, &flits), 0);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_CONGESTION_SLOWDOWN, &counts), 0);
    const double apart = fmax(flits.mean / counts.mean, counts.mean / flits.mean);
    snprintf(said, sizeof said, "dor: flit by flit the slowdown is %.3g, and %.3g by counting messages", flits.mean,
             counts.mean);
    assert_int_equal(notes_with(&ran, said), jobs.n > 1 && apart > 1.3);
    snprintf(said, sizeof said, "dor: the perturbation ran for %d cycles before each collective began.", (int)warmup);
    assert_int_equal(notes_with(&ran, said), jobs.n > 1);
    assert_int_equal(context_of(&ran, "background") != NULL, jobs.n > 1);
    assert_string_equal(context_of(&ran, "traffic"), "binomial-bcast");
    assert_string_equal(context_of(&ran, "placement"), "random");
    cw_flit_trials_free(&trials);
    cw_flit_jobs_free(&jobs);
    ran_free(&ran);
}

static void test_collective(void **state)
{
    (void)state;
    check_collective("", 0, 1, 20);
    check_collective("--ratio 0.5 --trials 4 --warmup 3000", 0.5, 1, 4);
    check_collective("--ratio 0.6 --load 0.05 --trials 3 --warmup 3000", 0.6, 0.05, 3);
}

/* --- moves -------------------------------------------------------------------------------------------------------- */

static void check_moves(const struct ran *ran, size_t row, const struct cw_moves *moves, const char *plan,
                        struct cw_flit_moves_result *out)
{
    struct cw_network *net;
    assert_int_equal(cw_topology_build(TOPOLOGY, &net), 0);
    const struct cw_flit_moves_case made = {.net = net,
                                            .moves = moves,
                                            .hardware = cw_flit_default_hardware(),
                                            .message_flits = 1,
                                            .seed = 1,
                                            .n_threads = 1};
    assert_int_equal(cw_flit_moves_case_run(&made, out), 0);
    check_text(ran, "moves", row, "plan", plan);
    check_int(ran, "moves", row, "ranks", moves->n_ranks);
    check_int(ran, "moves", row, "streams", moves->n_streams);
    check_int(ran, "moves", row, "forwards", out->forwards);
    check_int(ran, "moves", row, "lanes", out->lanes);
    check_int(ran, "moves", row, "cycles", (int64_t)out->cycles);
    check_real(ran, "moves", row, "seconds", out->seconds);
    check_real(ran, "moves", row, "GBps", 1e-9 * (double)out->bytes / out->seconds);
    check_real(ran, "moves", row, "bound_seconds", out->bound_seconds);
    check_real(ran, "moves", row, "predicted_seconds", moves->seconds);
    cw_network_free(net);
}

static void read_moves(const char *path, struct cw_moves *out)
{
    char *content = content_of(path);
    assert_int_equal(cw_moves_parse(path, content, strlen(content), out), 0);
    free(content);
}

static void say_ratio(char *to, size_t size, double times)
{
    if (times > 1.02)
        snprintf(to, size, "%.3g times as fast", times);
    else if (times < 1 / 1.02)
        snprintf(to, size, "%.3g times as slow", 1 / times);
    else
        snprintf(to, size, "as fast");
}

/* The plan beside the own routes: rows and verdict. PREDICTED: as the simulated transport did. */
static void check_verdict(const struct ran *ran, const struct cw_moves *plan, bool predicted)
{
    struct cw_flit_moves_result of_plan, of_own;
    struct cw_moves own;
    struct cw_network *net;
    struct cw_routes *routes;
    char found[50], promised[50], said[300];
    assert_int_equal(cw_topology_build(TOPOLOGY, &net), 0);
    assert_int_equal(cw_engine_route(net, "dor", 1, 1, &routes), 0);
    assert_int_equal(cw_moves_routed(plan, routes, "own routes", &own), 0);
    assert_int_equal(rows_of(ran, "moves"), 2);
    check_moves(ran, 0, plan, plan->method, &of_plan);
    check_moves(ran, 1, &own, "own routes", &of_own);
    const double times = of_own.seconds / of_plan.seconds;
    const double expected =
        predicted ? plan->default_seconds / plan->seconds : of_own.bound_seconds / of_plan.bound_seconds;
    const double off = fmax(times / expected, expected / times);
    say_ratio(found, sizeof found, times);
    say_ratio(promised, sizeof promised, expected);
    snprintf(said, sizeof said, "Flit by flit, the plan of %s is %s as the network's own routes, dor%s. %s %s: %s %.3g",
             plan->method, found, times < 1 / 1.02 ? ": it loses" : "",
             predicted ? "The simulated transport predicts that it is" : "By its most loaded channel it would be",
             promised, off > 1.3 ? "off by a factor of" : "the two are within a factor of", off);
    check_note(ran, said);
    assert_int_equal(notes_with(ran, " in favour of the plan."), off > 1.3 && expected > times);
    assert_int_equal(notes_with(ran, " against the plan."), off > 1.3 && expected < times);
    snprintf(said, sizeof said,
             "The plan takes %.3g times as long as its most loaded channel needs, the own routes "
             "%.3g times",
             of_plan.seconds / of_plan.bound_seconds, of_own.seconds / of_own.bound_seconds);
    assert_int_equal(notes_with(ran, said), off > 1.3 && !predicted);
    snprintf(said, sizeof said, "The plan takes %.3g times as long as predicted, the own routes %.3g times.",
             of_plan.seconds / plan->seconds, of_own.seconds / plan->default_seconds);
    assert_int_equal(notes_with(ran, said), off > 1.3 && predicted);
    snprintf(said, sizeof said, "sends for %.3g of the time.", of_plan.bound_seconds / of_plan.seconds);
    check_note(ran, said);
    cw_moves_free(&own);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void test_moves(void **state)
{
    (void)state;
    struct cw_flit_moves_result result;
    struct cw_moves moves;
    write_text("one.csv", "0 5 300001\n4 9 100000\n");
    struct ran ran = result_of("plan " TOPOLOGY " --traffic matrix:one.csv --method default --moves own.json");
    ran_free(&ran);
    ran = result_of("flit " TOPOLOGY " --moves own.json");
    read_moves("own.json", &moves);
    assert_int_equal(rows_of(&ran, "moves"), 1);
    check_moves(&ran, 0, &moves, "default", &result);
    check_note(&ran, "The plan takes the network's own routes, dor.");
    cw_moves_free(&moves);
    ran_free(&ran);
    ran = result_of("plan " TOPOLOGY " --traffic matrix:one.csv --method optimum --relays switches --host-limit no "
                    "--chunk 4KiB --moves moves.json");
    ran_free(&ran);
    ran = result_of("flit " TOPOLOGY " --moves moves.json");
    read_moves("moves.json", &moves);
    check_verdict(&ran, &moves, moves.seconds > 0 && moves.default_seconds > 0);
    ran_free(&ran);
    struct cw_text text = {0};
    moves.seconds = moves.default_seconds = (double)NAN; /* as of a transport that nobody knows */
    assert_int_equal(cw_moves_write(&moves, &text), 0);
    write_text("unknown.json", text.data);
    cw_text_free(&text);
    ran = result_of("flit " TOPOLOGY " --moves unknown.json");
    check_verdict(&ran, &moves, false);
    ran_free(&ran);
    moves.seconds = 1, moves.default_seconds = 5; /* nonsense */
    assert_int_equal(cw_moves_write(&moves, &text), 0);
    write_text("wrong.json", text.data);
    cw_text_free(&text);
    ran = result_of("flit " TOPOLOGY " --moves wrong.json");
    check_verdict(&ran, &moves, true);
    ran_free(&ran);
    cw_moves_free(&moves);
    check_refused("flit " TOPOLOGY " --moves own.json --message 64B:0.5,1KiB:0.5", 2, "messages of one size");
    check_refused("flit torus:4x3 --moves own.json", 2, "these moves are of another network, torus:4x4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_collective),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
