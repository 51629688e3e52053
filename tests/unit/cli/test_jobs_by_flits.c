/* What `jobs --model flits` shows is what its trials say: jobs side by side, finite traffic, a collective and its
 * perturbation; and of a plan's moves, what they take beside the network's own routes. */
#include "cli_test.h"

#include "flow/moves/moves_change.h"
#include "route/engine.h"
#include "study/jobs/flit_jobs_case.h"
#include "study/jobs/flit_moves_case.h"
#include "topo/topology.h"

extern const struct verb verb_jobs, verb_plan;
const struct verb *const verbs[] = {&verb_jobs, &verb_plan, NULL};

#define TOPOLOGY "torus:4x4"
#define FLITS    "jobs " TOPOLOGY " --model flits"

/* N trials of JOBS by ROUTING, as the verb runs them. */
static void run_trials(const struct cw_jobs *jobs, const char *routing, size_t n, uint64_t *warmup,
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

static void check_summary(const struct ran *ran, size_t row, const char *name, const struct cw_flit_trials *trials,
                          size_t job, enum cw_outcome_quantity quantity, double unit)
{
    char column[80];
    struct cw_summary summary;
    assert_int_equal(cw_flit_trials_summarise(trials, job, quantity, &summary), 0);
    snprintf(column, sizeof column, "%s_mean", name);
    check_real(ran, "jobs", row, column, unit * summary.mean);
    snprintf(column, sizeof column, "%s_ci95", name);
    check_real(ran, "jobs", row, column, unit * summary.ci95);
}

static void check_job(const struct ran *ran, size_t row, const char *routing, const struct cw_jobs *jobs, size_t job,
                      const struct cw_flit_trials *trials)
{
    const struct cw_job_request *request = &jobs->items[job];
    const struct cw_flit_hardware hardware = cw_flit_default_hardware();
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
    check_summary(ran, row, "accepted", trials, job, CW_OUTCOME_ACCEPTED, 1);
    check_summary(ran, row, "cycles", trials, job, CW_OUTCOME_TIME, 1);
    check_summary(ran, row, "time", trials, job, CW_OUTCOME_SECONDS, 1);
    check_summary(ran, row, "alone", trials, job, CW_OUTCOME_ALONE, cw_flit_cycle(&hardware));
    check_summary(ran, row, "slowdown", trials, job, CW_OUTCOME_SLOWDOWN, 1);
    check_summary(ran, row, "counts_slowdown", trials, job, CW_OUTCOME_CONGESTION_SLOWDOWN, 1);
}

/* Routing by routing; as often as something is drawn, unless said; and full load. */
static void test_finite(void **state)
{
    (void)state;
    static const char *const routings[] = {"dor", "updn"};
    struct ran ran = result_of(FLITS " --jobs 'permutation bytes=2KiB load=0.4' --routing dor,updn --trials 3");
    struct ran full = result_of(FLITS " --jobs 'permutation bytes=2KiB' --routing dor");
    struct ran once = result_of(FLITS " --jobs 'shift:1 bytes=2KiB' --routing dor");
    assert_int_equal(rows_of(&ran, "jobs"), 2);
    assert_int_equal(rows_of(&full, "jobs"), 1);
    check_int(&once, "jobs", 0, "trials", 1);
    for (size_t i = 0; i < 3; i++) {
        struct cw_jobs jobs = {0};
        struct cw_flit_trials trials;
        uint64_t warmup;
        const struct cw_job_request job = {.ranks = 16, .load = i < 2 ? 0.4 : 1, .bytes = 2048};
        assert_int_equal(cw_jobs_add(&jobs, "permutation", "contiguous", job), 0);
        run_trials(&jobs, routings[i % 2], i < 2 ? 3 : 20, &warmup, &trials);
        check_job(i < 2 ? &ran : &full, i % 2, routings[i % 2], &jobs, 0, &trials);
        assert_int_equal(warmup, 0);
        cw_flit_trials_free(&trials);
        cw_jobs_free(&jobs);
    }
    assert_int_equal(notes_with(&ran, "ran for"), 0);
    ran_free(&once);
    ran_free(&full);
    ran_free(&ran);
}

#define JOBS "allreduce ranks=6 bytes=4KiB; shift:1 ranks=5 bytes=1KiB; uniform load=0.3"

static void test_jobs(void **state)
{
    (void)state;
    static const char *const routings[] = {"dor", "updn"};
    struct ran ran = result_of(FLITS " --jobs '" JOBS "' --placement random --routing dor,updn "
                                     "--trials 2 --warmup 3000");
    struct cw_jobs jobs;
    assert_int_equal(cw_jobs_parse(JOBS, "random", 16, NULL, &jobs), 0);
    assert_int_equal(rows_of(&ran, "jobs"), 6);
    for (size_t r = 0; r < 2; r++) {
        struct cw_flit_trials trials;
        uint64_t warmup;
        char said[100];
        run_trials(&jobs, routings[r], 2, &warmup, &trials);
        for (size_t j = 0; j < 3; j++) check_job(&ran, 3 * r + j, routings[r], &jobs, j, &trials);
        snprintf(said, sizeof said, "Jobs that never end ran for %d cycles before the others began.", (int)warmup);
        check_note(&ran, said);
        cw_flit_trials_free(&trials);
    }
    cw_jobs_free(&jobs);
    ran_free(&ran);
    check_refused(FLITS " --jobs 'uniform load=0.1'", 2, "no job ends; expected");
    check_refused(FLITS " --jobs 'shift:1 bytes=1KiB' --warmup 5", 2, "--warmup is for jobs that never end");
    check_refused(FLITS " --jobs bcast --o 1us", 2, "--o is not for --model flits");
    check_refused(FLITS " --jobs bcast --top 3", 2, "--top is for --model flows");
    check_refused("jobs " TOPOLOGY " --jobs bcast --message 1KiB", 2,
                  "--message is for --model flits, and for --check");
    check_refused("jobs " TOPOLOGY " --model counts --jobs bcast --check 1", 2, "--check is for --model flows and");
    check_refused(FLITS " --jobs bcast --routing dor,updn --check 1", 2, "--check: there are 2 routings; expected one");
}

static void check_collective(const char *jobs, const char *options, size_t n)
{
    char line[300], said[200];
    snprintf(line, sizeof line, FLITS " --placement random --jobs '%s' --routing dor %s", jobs, options);
    struct ran ran = result_of(line);
    struct cw_jobs parsed;
    struct cw_flit_trials trials;
    struct cw_summary flits, counts;
    uint64_t warmup;
    assert_int_equal(cw_jobs_parse(jobs, "random", 16, NULL, &parsed), 0);
    run_trials(&parsed, "dor", n, &warmup, &trials);
    assert_int_equal(rows_of(&ran, "jobs"), parsed.n);
    check_job(&ran, 0, "dor", &parsed, 0, &trials);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_SLOWDOWN, &flits), 0);
    assert_int_equal(cw_flit_trials_summarise(&trials, 0, CW_OUTCOME_CONGESTION_SLOWDOWN, &counts), 0);
    const double apart = fmax(flits.mean / counts.mean, counts.mean / flits.mean);
    snprintf(said, sizeof said, "dor: flit by flit the slowdown of job 1 is %.3g, and %.3g by counting messages",
             flits.mean, counts.mean);
    assert_int_equal(notes_with(&ran, said), parsed.n > 1 && apart > 1.3);
    assert_int_equal(notes_with(&ran, "before the others began"), parsed.n > 1);
    assert_string_equal(context_of(&ran, "placement"), "random");
    cw_flit_trials_free(&trials);
    cw_jobs_free(&parsed);
    ran_free(&ran);
}

static void test_collective(void **state)
{
    (void)state;
    check_collective("binomial-bcast bytes=8KiB", "", 20);
    check_collective("binomial-bcast bytes=8KiB; permutation ranks=50%", "--trials 4 --warmup 3000", 4);
    check_collective("binomial-bcast bytes=8KiB; permutation ranks=60% load=0.05", "--trials 3 --warmup 3000", 3);
}

/* Flows beside flits are those of jobs by flows, in as many trials. */
static void test_check(void **state)
{
    (void)state;
    struct ran flits =
        result_of(FLITS " --jobs 'bcast ranks=8 bytes=64KiB; alltoall bytes=4KiB' --routing dor --check 1");
    struct ran flows =
        result_of("jobs " TOPOLOGY " --jobs 'bcast ranks=8 bytes=64KiB; alltoall bytes=4KiB' --routing dor "
                  "--o 0us --check 1");
    for (size_t i = 0; i < 2; i++) {
        const double by_flits = json_number_value(cell(&flits, "jobs", i, "time_mean"));
        const double by_flows = json_number_value(cell(&flows, "jobs", i, "time_mean"));
        check_real(&flits, "check", i, "flits_mean", by_flits);
        check_real(&flits, "check", i, "flows_mean", by_flows);
        check_real(&flits, "check", i, "ratio", by_flows / by_flits);
        check_real(&flows, "check", i, "flits_mean", by_flits);
    }
    ran_free(&flits);
    ran_free(&flows);
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
    ran = result_of(FLITS " --jobs moves:own.json");
    read_moves("own.json", &moves);
    assert_int_equal(rows_of(&ran, "moves"), 1);
    check_moves(&ran, 0, &moves, "default", &result);
    check_note(&ran, "The plan takes the network's own routes, dor.");
    cw_moves_free(&moves);
    ran_free(&ran);
    ran = result_of("plan " TOPOLOGY " --traffic matrix:one.csv --method optimum --relays switches --host-limit no "
                    "--chunk 4KiB --moves moves.json");
    ran_free(&ran);
    ran = result_of(FLITS " --jobs moves:moves.json");
    read_moves("moves.json", &moves);
    check_verdict(&ran, &moves, moves.seconds > 0 && moves.default_seconds > 0);
    ran_free(&ran);
    struct ran priced = result_of("plan " TOPOLOGY " --traffic matrix:one.csv --method optimum --relays switches "
                                  "--host-limit no --chunk 4KiB --model flits --message 128B");
    ran = result_of(FLITS " --jobs moves:moves.json --message 128B");
    assert_int_equal(rows_of(&ran, "moves"), 2);
    assert_true(json_equal(table_of(&priced, "moves"), table_of(&ran, "moves")));
    check_note(&priced, "Flit by flit, the plan of optimum is ");
    ran_free(&priced);
    ran_free(&ran);
    check_refused("plan " TOPOLOGY " --traffic shift --message 1KiB", 2, "--message is for --model flits");
    struct cw_text text = {0};
    moves.seconds = moves.default_seconds = (double)NAN; /* as of a transport that nobody knows */
    assert_int_equal(cw_moves_write(&moves, &text), 0);
    write_text("unknown.json", text.data);
    cw_text_free(&text);
    ran = result_of(FLITS " --jobs moves:unknown.json");
    check_verdict(&ran, &moves, false);
    ran_free(&ran);
    moves.seconds = 1, moves.default_seconds = 5; /* nonsense */
    assert_int_equal(cw_moves_write(&moves, &text), 0);
    write_text("wrong.json", text.data);
    cw_text_free(&text);
    ran = result_of(FLITS " --jobs moves:wrong.json");
    check_verdict(&ran, &moves, true);
    ran_free(&ran);
    cw_moves_free(&moves);
    check_refused("jobs " TOPOLOGY " --model counts --jobs moves:own.json", 2, "--model flows or --model flits");
    check_refused("jobs " TOPOLOGY " --jobs moves:own.json --top 3", 2, "--top is not for moves:FILE");
    check_refused("jobs " TOPOLOGY " --jobs moves:own.json --o 1us", 2, "--o is not for moves:FILE");
    check_refused(FLITS " --jobs moves:own.json --trials 2", 2, "--trials is not for moves:FILE");
    check_refused(FLITS " --jobs moves:own.json --message 64B:0.5,1KiB:0.5", 2, "messages of one size");
    check_refused("jobs torus:4x3 --model flits --jobs moves:own.json", 2,
                  "these moves are of another network, torus:4x4");
}

/* By flows a plan is carried out as it is in one command, and takes what the library says. */
static void test_moves_by_flows(void **state)
{
    (void)state;
    static const char plan[] = "plan " TOPOLOGY " --traffic matrix:one.csv --method optimum --relays switches "
                               "--host-limit no --chunk 4KiB --model flows --moves moves.json";
    struct cw_flit_moves_result result;
    struct cw_moves moves;
    struct cw_network *net;
    struct cw_routes *routes;
    write_text("one.csv", "0 5 300001\n4 9 100000\n");
    struct ran priced = result_of(plan), ran = result_of("jobs " TOPOLOGY " --jobs moves:moves.json");
    assert_int_equal(rows_of(&priced, "moves"), 2);
    assert_int_equal(rows_of(&ran, "moves"), 2);
    for (size_t row = 0; row < 2; row++) {
        const double seconds = json_number_value(cell(&priced, "moves", row, "seconds"));
        check_real(&ran, "moves", row, "seconds", seconds);
        check_real(&ran, "moves", row, "predicted_seconds", seconds); /* as the file says */
        assert_true(json_equal(cell(&ran, "moves", row, "streams"), cell(&priced, "moves", row, "streams")));
    }
    check_note(&priced, "By flows, the plan of optimum is ");
    read_moves("moves.json", &moves);
    assert_int_equal(cw_topology_build(TOPOLOGY, &net), 0);
    assert_int_equal(cw_engine_route(net, "dor", 1, 1, &routes), 0);
    assert_int_equal(cw_flow_moves_run(routes, &moves, 0, &result), 0);
    check_real(&ran, "moves", 0, "seconds", result.seconds);
    check_real(&ran, "moves", 0, "bound_seconds", result.bound_seconds);
    assert_true(json_is_null(cell(&ran, "moves", 0, "cycles")) && json_is_null(cell(&ran, "moves", 0, "lanes")));
    cw_routes_free(routes);
    cw_network_free(net);
    cw_moves_free(&moves);
    ran_free(&priced);
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite), cmocka_unit_test(test_jobs),  cmocka_unit_test(test_collective),
        cmocka_unit_test(test_check),  cmocka_unit_test(test_moves), cmocka_unit_test(test_moves_by_flows),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
