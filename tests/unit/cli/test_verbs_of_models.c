/* What model, model split-tree, tree and plan show: formulas and bounds computed again, and plans that are added up
 * from the file they are written to. */
#include "cli_test.h"

#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "model/split_tree.h"
#include "net/network_internal.h"
#include "study/flit/flit_case.h"
#include "topo/topology.h"

extern const struct verb verb_model, verb_model_split_tree, verb_tree, verb_plan;
const struct verb *const verbs[] = {&verb_model, &verb_model_split_tree, &verb_tree, &verb_plan, NULL};

/* --- model -------------------------------------------------------------------------------------------------------- */

struct scene {
    struct cw_network *net;
    struct cw_flit_case made;
};

static struct scene scene_of(const char *topology, const char *traffic)
{
    struct scene out;
    assert_int_equal(cw_topology_build(topology, &out.net), 0);
    out.made = (struct cw_flit_case){
        .net = out.net, .traffic_spec = traffic, .placement_spec = "contiguous", .seed = 1, .n_threads = 1};
    assert_int_equal(cw_flit_case_make(&out.made), 0);
    return out;
}

static void scene_free(struct scene *scene)
{
    cw_flit_case_free(&scene->made);
    cw_network_free(scene->net);
}

/* Two rows from ROW on. */
static void check_bounds(const struct ran *ran, size_t row, const struct scene *scene, const char *name)
{
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    double most;
    char channel[200];
    assert_int_equal(cw_packet_routing_new(scene->net, name, 1, 1, &routing), 0);
    assert_int_equal(cw_link_load_compute(routing, scene->made.workload, scene->made.endpoints, 1, &load), 0);
    assert_int_equal(cw_link_load_most(&load, 1, 1, &most), 0);
    check_text(ran, "model", row, "routing", name);
    check_text(ran, "model", row, "quantity", "link-load bound, equal service");
    check_real(ran, "model", row, "throughput", load.fair);
    check_text(ran, "model", row, "where",
               load.channel == CW_NONE ? NULL
                                       : cw_network_channel_name(scene->net, load.channel, channel, sizeof channel));
    check_text(ran, "model", row + 1, "routing", name);
    check_text(ran, "model", row + 1, "quantity", "link-load bound");
    check_real(ran, "model", row + 1, "throughput", most);
    cw_link_load_free(&load);
    cw_packet_routing_free(routing);
}

static void test_model(void **state)
{
    (void)state;
    struct scene scene = scene_of("dragonfly:2,4,2", "bitcomp");
    struct cw_dragonfly_model model;
    struct ran ran = result_of("model dragonfly:2,4,2 --traffic bitcomp");
    assert_int_equal(cw_dragonfly_model_compute(scene.net, scene.made.workload, scene.made.endpoints, &model), 0);
    const double right[] = {model.lower, model.upper, model.estimate, model.exact, model.load_oblivious};
    assert_int_equal(rows_of(&ran, "model"), 5 + 6);
    for (size_t i = 0; i < 5; i++) check_real(&ran, "model", i, "throughput", right[i]);
    check_bounds(&ran, 5, &scene, "minimal");
    check_bounds(&ran, 7, &scene, "valiant-restricted");
    check_bounds(&ran, 9, &scene, "valiant-any");
    ran_free(&ran);
    ran = result_of("model dragonfly:2,4,2 --traffic bitcomp --routing ugal-l");
    assert_int_equal(rows_of(&ran, "model"), 5 + 2);
    check_bounds(&ran, 5, &scene, "ugal-l");
    check_note(&ran, "ugal-l looks at queues, so only the channels from and to endpoints bound it.");
    ran_free(&ran);
    scene_free(&scene);
    scene = scene_of("torus:5x3", "uniform");
    ran = result_of("model torus:5x3 --traffic uniform");
    assert_int_equal(rows_of(&ran, "model"), 2);
    check_bounds(&ran, 0, &scene, "dor");
    ran_free(&ran);
    scene_free(&scene);
    ran = result_of("model dragonfly:2,4,2 --traffic uniform --routing minimal");
    check_note(&ran, "The analytic model does not apply: uniform is not traffic from group to group");
    assert_int_equal(rows_of(&ran, "model"), 2);
    ran_free(&ran);
    check_refused("model torus:4 --repair minhop", 2, "--repair is for the fabric's own tables, --lft");
}

/* --- split trees -------------------------------------------------------------------------------------------------- */

static void check_split_trees(const char *options, const struct cw_split_model *model)
{
    char line[200];
    snprintf(line, sizeof line, "model split-tree --cores %u %s", model->cores, options);
    struct ran ran = result_of(line);
    size_t row = 0, best_row = 0;
    const uint32_t best = cw_split_best_ranks(model);
    for (uint32_t n = 1; n < model->cores; n++) {
        const uint32_t best_steps = cw_split_best_steps(model, n);
        const struct cw_split_slices slices = cw_split_slices_of(model, n);
        for (uint32_t steps = 0; steps <= cw_split_height(n); steps++, row++) {
            const struct cw_split_times times = cw_split_times_of(model, n, steps);
            check_int(&ran, "split_tree", row, "cores", model->cores);
            check_int(&ran, "split_tree", row, "application_cores", n);
            check_int(&ran, "split_tree", row, "communication_cores", model->cores - n);
            check_int(&ran, "split_tree", row, "steps", steps);
            check_real(&ran, "split_tree", row, "blocking", times.blocking);
            check_real(&ran, "split_tree", row, "non_blocking", times.non_blocking);
            check_real(&ran, "split_tree", row, "overlapped", times.overlapped);
            check_real(&ran, "split_tree", row, "compute", times.compute);
            check_real(&ran, "split_tree", row, "slices", slices.overlapped);
            check_text(&ran, "split_tree", row, "best", steps != best_steps ? "no" : n == best ? "least" : "yes");
            if (steps != best_steps) continue;
            check_int(&ran, "best", best_row, "application_cores", n);
            check_int(&ran, "best", best_row, "communication_cores", model->cores - n);
            check_int(&ran, "best", best_row, "best_steps", steps);
            check_real(&ran, "best", best_row, "compute", times.compute);
            check_real(&ran, "best", best_row, "one_after_another", times.compute + times.blocking);
            check_real(&ran, "best", best_row, "overlapped", times.overlapped);
            check_real(&ran, "best", best_row, "slices", slices.overlapped);
            check_real(&ran, "best", best_row++, "slices_fraction", 1 - slices.fraction);
        }
    }
    assert_int_equal(rows_of(&ran, "split_tree"), row);
    assert_int_equal(rows_of(&ran, "best"), best_row);
    const struct cw_split_times least = cw_split_times_of(model, best, cw_split_best_steps(model, best)),
                                all = cw_split_times_of(model, model->cores, 99);
    char said[300];
    snprintf(
        said, sizeof said,
        "at %.3f transfers, with N = %u application cores, P = %u communication cores and S = %u; one after another "
        "on all %u cores they take %.3f.",
        least.overlapped, best, model->cores - best, cw_split_best_steps(model, best), model->cores,
        all.blocking + all.compute);
    check_note(&ran, said);
    const uint32_t sliced = cw_split_best_sliced(model);
    snprintf(
        said, sizeof said, "They are fastest, at %.3f transfers, with N = %u, where communication cores take %.1f %%",
        cw_split_slices_of(model, sliced).overlapped, sliced, 100 * (1 - cw_split_slices_of(model, sliced).fraction));
    check_note(&ran, said);
    ran_free(&ran);
}

static void test_split_trees(void **state)
{
    (void)state;
    check_split_trees("", &(struct cw_split_model){.cores = 12, .ratio = 1});
    check_split_trees("--collective scatter --compute 0.5",
                      &(struct cw_split_model){.cores = 9, .collective = CW_COLLECTIVE_SCATTER, .ratio = 0.5});
    check_split_trees("--collective allreduce --equation printed",
                      &(struct cw_split_model){
                          .cores = 7, .collective = CW_COLLECTIVE_ALLREDUCE, .equation = CW_SPLIT_PRINTED, .ratio = 1});
    struct ran ran = result_of("model split-tree --cores 64"); /* as published: 52, 58, 62 */
    check_note(&ran, "application cores: S = 0 from N = 1, S = 1 from N = 52, S = 2 from N = 58, S = 3 from N = 62.");
    ran_free(&ran);
    ran = result_of("model split-tree --cores 10 --simulate");
    for (size_t i = 0; i < rows_of(&ran, "split_tree"); i++)
        assert_true(json_number_value(cell(&ran, "split_tree", i, "simulated")) <=
                    json_number_value(cell(&ran, "split_tree", i, "non_blocking")) + 1e-9);
    check_note(&ran, "Simulated, no split tree takes longer than the model says.");
    ran_free(&ran);
    check_refused("model split-tree", 2, "expected --cores N");
    check_refused("model split-tree --cores 8 --chunks 2", 2, "--chunks is for --simulate");
    check_refused("model split-tree --cores 8 --figure alone", 2, "--figure is for --plot FILE");
}

/* --- trees of hosts ----------------------------------------------------------------------------------------------- */

/* Jobs of 4, 16, … hosts and all, unless said; what is best takes least of all its row's times, and no less is its
 * gain. */
static void test_tree(void **state)
{
    (void)state;
    struct ran ran = result_of("tree xgft:2:4,5:1,2 --bytes 8KiB,1MiB --trials 3 --save fabric.txt");
    static const char *const times[] = {"chain", "binomial", "k_nomial_4", "k_nomial_8", "ring"};
    const int64_t jobs[] = {4, 16, 20};
    size_t job = 0;
    for (size_t i = 0; i < rows_of(&ran, "trees"); i++) {
        const int64_t hosts = json_integer_value(cell(&ran, "trees", i, "hosts"));
        double least = INFINITY;
        if (hosts != jobs[job]) job++;
        assert_true(job < 3 && hosts == jobs[job]);
        for (size_t k = 0; k < 10; k++) {
            char name[40];
            snprintf(name, sizeof name, "%s%s", times[k % 5], k < 5 ? "" : "_by_ranks");
            const json_t *time = cell(&ran, "trees", i, name);
            if (json_is_number(time)) least = fmin(least, json_number_value(time));
        }
        const double best = json_number_value(cell(&ran, "trees", i, "time"));
        if (strcmp(json_string_value(cell(&ran, "trees", i, "tree")), "straight") == 0)
            check_text(&ran, "trees", i, "order", NULL);
        else
            check_real(&ran, "trees", i, "time", least);
        assert_true(best <= json_number_value(cell(&ran, "trees", i, "started_time")));
    }
    assert_int_equal(job, 2);
    for (size_t i = 0; i < rows_of(&ran, "choices"); i++)
        assert_true(json_number_value(cell(&ran, "choices", i, "gain_least")) >= 1 - 1e-12);
    assert_int_equal(rows_of(&ran, "order"), 20); /* each host once */
    int64_t sum = 0;
    for (size_t i = 0; i < 20; i++) {
        check_int(&ran, "order", i, "place", (int64_t)i);
        sum += json_integer_value(cell(&ran, "order", i, "endpoint"));
    }
    assert_int_equal(sum, 190);
    char *kept = content_of("fabric.txt");
    assert_non_null(strstr(kept, "network xgft:2:4,5:1,2\n"));
    assert_non_null(strstr(kept, "host h0\n"));
    free(kept);
    check_note(&ran, "Written to fabric.txt. libcrosswind-nbc goes by it in jobs on these hosts, if "
                     "CROSSWIND_NBC_FABRIC names it. Sums of floating-point numbers");
    ran_free(&ran);
    char *folder = getcwd(NULL, 0), said[200];
    assert_non_null(folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    ran = result_of("tree crossbar:3 --job 2 --bytes 1KiB --save auto");
    snprintf(said, sizeof said,
             "Written to %s/crosswind/fabric.txt. libcrosswind-nbc goes by it in jobs on these hosts. ", folder);
    check_note(&ran, said);
    assert_int_equal(access("crosswind/fabric.txt", F_OK), 0);
    free(folder);
    ran_free(&ran);
    ran = run_line("tree crossbar:3 --job 2 --bytes 1KiB"); /* as text: choices, and how many predictions there are */
    assert_non_null(strstr(ran.out, "\nEvery prediction: 5 rows with --format csv or json\n"));
    assert_int_equal(notes_with(&ran, "Written to"), 0);
    ran_free(&ran);
    ran = result_of("tree crossbar:2"); /* two have one */
    assert_true(rows_of(&ran, "trees") > 0);
    assert_int_equal(rows_of(&ran, "order"), 2);
    ran_free(&ran);
    check_refused("tree crossbar:1", 2, "there is no tree of one host");
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

/* z of a plan file, by what its paths put on channels, all of one capacity: the largest demand / the most on one. */
static double added_up(const char *path, const struct cw_network *net, double *hops, size_t *n_paths, uint64_t *most)
{
    json_t *plan = json_load_file(path, 0, NULL);
    const json_t *demands = json_object_get(plan, "demands");
    uint64_t *load = calloc(net->n_channels, sizeof *load), largest = 0, all = 0;
    assert_true(plan && demands && load);
    *hops = 0;
    *n_paths = 0;
    for (size_t d = 0; d < json_array_size(demands); d++) {
        const json_t *demand = json_array_get(demands, d), *paths = json_object_get(demand, "paths");
        const uint64_t bytes = (uint64_t)json_integer_value(json_object_get(demand, "bytes"));
        uint64_t sum = 0;
        if (bytes > largest) largest = bytes;
        for (size_t p = 0; p < json_array_size(paths); p++) {
            const json_t *one = json_array_get(paths, p), *channels = json_object_get(one, "channels");
            const uint64_t part = (uint64_t)json_integer_value(json_object_get(one, "bytes"));
            sum += part;
            *n_paths += part > 0;
            *hops += (double)part * (double)json_array_size(channels);
            for (size_t c = 0; c < json_array_size(channels); c++)
                load[json_integer_value(json_array_get(channels, c))] += part;
        }
        assert_int_equal(sum, bytes);
        all += bytes;
    }
    *most = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (load[c] > *most) *most = load[c];
    *hops /= (double)all;
    free(load);
    json_decref(plan);
    return (double)largest / (double)*most;
}

/* Of hosts that relay for each other over a network of one speed, whose every channel has a limit. */
static void check_plan(const char *method)
{
    struct cw_network *net;
    char line[200];
    double hops;
    size_t n_paths;
    uint64_t most;
    assert_int_equal(cw_topology_build("torus:4x4", &net), 0);
    snprintf(line, sizeof line, "plan torus:4x4 --traffic matrix:matrix.csv --method %s --plan plan.json", method);
    struct ran ran = result_of(line);
    const double z = added_up("plan.json", net, &hops, &n_paths, &most);
    check_text(&ran, "plan", 0, "method", method);
    check_int(&ran, "plan", 0, "pairs", 3);
    assert_true(fabs(json_number_value(cell(&ran, "plan", 0, "z")) / z - 1) < 1e-5); /* whole bytes */
    check_int(&ran, "plan", 0, "paths_used", (int64_t)n_paths);
    check_int(&ran, "plan", 0, "max_channel_bytes", (int64_t)most);
    check_real(&ran, "plan", 0, "hops_mean", hops);
    assert_true(fabs(json_number_value(cell(&ran, "plan", 0, "bandwidth_seconds")) / ((double)most / 5e9) - 1) < 1e-5);
    const json_t *bound = cell(&ran, "plan", 0, "z_bound");
    if (json_is_number(bound)) {
        const double proven = json_number_value(bound), got = json_number_value(cell(&ran, "plan", 0, "z"));
        const double gap = (proven - got) / proven;
        assert_true(proven >= got * (1 - 1e-9));
        check_real(&ran, "plan", 0, "gap", gap < 1e-8 ? 0 : gap);
    }
    ran_free(&ran);
    ran = result_of("plan torus:4x4 --check plan.json");
    check_note(&ran, "plan.json holds what it promises: every path leads from source to destination");
    check_int(&ran, "plan", 0, "paths_used", (int64_t)n_paths);
    check_int(&ran, "plan", 0, "max_channel_bytes", (int64_t)most);
    check_real(&ran, "plan", 0, "hops_mean", hops);
    ran_free(&ran);
    cw_network_free(net);
}

static void test_plan(void **state)
{
    (void)state;
    write_text("matrix.csv", "0 5 1000000\n1 6 600000\n0 10 400001\n");
    check_plan("default");
    check_plan("lp");
    check_plan("optimum");
}

/* Of several, the fastest is written and spoken of; no bound is below what another reaches. */
static void test_plans(void **state)
{
    (void)state;
    write_text("one.csv", "0 5 1000000\n");
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:one.csv --method default,optimum --relays switches "
                               "--host-limit no --plan plan.json");
    assert_int_equal(rows_of(&ran, "plan"), 2);
    check_text(&ran, "plan", 0, "method", "default");
    check_real(&ran, "plan", 0, "z", 1); /* one way */
    check_real(&ran, "plan", 1, "z", 4); /* by four cables, of which a torus has four each way */
    check_real(&ran, "plan", 1, "z_bound", 4);
    check_real(&ran, "plan", 1, "gap", 0);
    check_note(&ran, "No plan whatever can do better than z = 4 (proven by optimum); optimum reaches it.");
    check_note(&ran, "optimum moves the data 4 times as fast as default (z = 4 instead of 1)");
    check_note(&ran, "Written to plan.json: the plan of optimum.");
    ran_free(&ran);
    ran = result_of("plan torus:4x4 --check plan.json --relays switches --host-limit no");
    assert_int_equal(notes_with(&ran, "Routes are by"), 0); /* none are needed */
    assert_null(context_of(&ran, "routes"));
    ran_free(&ran);
    check_refused("plan torus:4x4 --check plan.json --failed 's(0,0)/2'", 1, "plan.json");
    write_text("self.csv", "0 0 77\n0 5 10\n0 5 5\n");
    ran = result_of("plan torus:4x4 --traffic matrix:self.csv --method default");
    check_int(&ran, "plan", 0, "max_channel_bytes", 15);
    check_note(&ran, "Lines that repeat an earlier pair: 1.");
    check_note(&ran, "Pairs of an endpoint with itself need no network and are left out: 1, with 77 B.");
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model), cmocka_unit_test(test_split_trees), cmocka_unit_test(test_tree),
        cmocka_unit_test(test_plan),  cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
