/* Splits over rails: what they promise is computed again here, and they are held to the linear program. */
#include "method_test.h"

#include "flow/legs/legs.h"
#include "flow/rails.h"

#define TRIALS 60

/* A cluster of boxes with random ports, and what its GPUs have for each other. */
struct cluster {
    struct cw_network *net;
    double *capacity; /* [channels] */
    uint64_t *bytes;  /* [endpoints · endpoints] */
    struct cw_rails *rails;
    struct cw_random random;
};

/* One port of SLOW has half of its rate, and one of LOST does not work; 0: none. The first rail always works. */
static struct cluster cluster_new(const char *spec, uint64_t trial, uint32_t slow, uint32_t lost)
{
    struct cluster cluster = {.net = network_of(spec), .random = cw_random_of(5, CW_STREAM_TEST, trial)};
    const struct cw_network *net = cluster.net;
    const uint32_t rail = net->n_endpoints + net->shape.rail.n;
    cluster.capacity = zeros(net->n_channels, sizeof *cluster.capacity);
    cluster.bytes = zeros((size_t)net->n_endpoints * net->n_endpoints, sizeof *cluster.bytes);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        cluster.capacity[c] = net->capacity[c];
        if (cw_network_is_host_channel(net, c)) continue;
        if (slow > 0 && cw_random_below(&cluster.random, slow) == 0) cluster.capacity[c] /= 2;
        if (net->tail[c] == rail || net->head[c] == rail) continue;
        if (lost > 0 && cw_random_below(&cluster.random, lost) == 0) cluster.capacity[c] = 0;
    }
    must(cw_rails_new(net, cluster.capacity, &cluster.rails));
    return cluster;
}

static void cluster_free(struct cluster *cluster)
{
    cw_rails_free(cluster->rails);
    free(cluster->bytes);
    free(cluster->capacity);
    cw_network_free(cluster->net);
}

/* Some GPUs get much from all, some pairs have nothing for each other; the first two have. */
static void draw_bytes(struct cluster *cluster)
{
    const uint32_t n = cluster->net->n_endpoints;
    for (size_t i = 0; i < (size_t)n * n; i++)
        cluster->bytes[i] = cw_random_below(&cluster->random, 4) == 0
                                ? 0
                                : (uint64_t)(1e9 * cw_random_unit(&cluster->random) / (double)(i % n + 1));
    cluster->bytes[1] = 1000;
}

static void drift(struct cluster *cluster)
{
    const size_t n = cluster->net->n_endpoints;
    for (size_t i = 0; i < n * n; i++)
        cluster->bytes[i] = (uint64_t)((double)cluster->bytes[i] * (0.9 + 0.2 * cw_random_unit(&cluster->random)));
}

/* --- what a plan promises ----------------------------------------------------------------------------------------- */

static double share_of(const struct cluster *cluster, const struct cw_rails_plan *plan, uint32_t s, uint32_t t,
                       uint32_t j)
{
    const uint32_t boxes = cw_rails_boxes(cluster->rails), a = cw_rails_box(cluster->rails, s);
    return plan->share[((size_t)a * boxes + cw_rails_box(cluster->rails, t)) * cw_rails_rails(cluster->rails) + j];
}

/* Pair by pair: all bytes are split, over ports that work; the busiest channel takes what the plan says. */
static void check_loads(const struct cluster *cluster, const struct cw_rails_plan *plan)
{
    const struct cw_network *net = cluster->net;
    const struct cw_rails *rails = cluster->rails;
    double *load = zeros(net->n_channels, sizeof *load), most = 0;
    for (uint32_t s = 0; s < net->n_endpoints; s++)
        for (uint32_t t = 0; t < net->n_endpoints; t++) {
            const double bytes = (double)cluster->bytes[(size_t)s * net->n_endpoints + t];
            const uint32_t a = cw_rails_box(rails, s), b = cw_rails_box(rails, t);
            double sum = 0;
            if (s == t || !(bytes > 0)) continue;
            load[net->first[s]] += bytes;
            load[net->twin[net->first[t]]] += bytes;
            for (uint32_t j = 0; j < cw_rails_rails(rails) && a != b; j++) {
                const double share = share_of(cluster, plan, s, t, j);
                assert_true(share >= 0 && share <= 1);
                sum += share;
                if (!(share > 0)) continue;
                load[cw_rails_channel(rails, a, j, true)] += share * bytes;
                load[cw_rails_channel(rails, b, j, false)] += share * bytes;
            }
            if (a != b) assert_true(fabs(sum - 1) < 1e-12);
        }
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (load[c] > 0) most = fmax(most, load[c] / cluster->capacity[c]);
    if (!(fabs(most - plan->seconds) <= 1e-9 * most)) fail_msg("%.17g s instead of %.17g", plan->seconds, most);
    free(load);
}

/* Weak duality, from the lengths alone. */
static void check_bound(const struct cluster *cluster, const struct cw_rails_plan *plan)
{
    const struct cw_network *net = cluster->net;
    const struct cw_rails *rails = cluster->rails;
    double sum = 0, bound = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        assert_true(plan->length[c] >= 0);
        sum += cluster->capacity[c] * plan->length[c];
    }
    for (uint32_t s = 0; s < net->n_endpoints; s++)
        for (uint32_t t = 0; t < net->n_endpoints; t++) {
            const uint32_t a = cw_rails_box(rails, s), b = cw_rails_box(rails, t);
            double least = a == b ? 0 : INFINITY;
            if (s == t || cluster->bytes[(size_t)s * net->n_endpoints + t] == 0) continue;
            for (uint32_t j = 0; j < cw_rails_rails(rails) && a != b; j++) {
                const uint32_t up = cw_rails_channel(rails, a, j, true), down = cw_rails_channel(rails, b, j, false);
                if (up != CW_NONE && down != CW_NONE) least = fmin(least, plan->length[up] + plan->length[down]);
            }
            const double ends = plan->length[net->first[s]] + plan->length[net->twin[net->first[t]]];
            bound += (double)cluster->bytes[(size_t)s * net->n_endpoints + t] * (least + ends);
        }
    assert_true(fabs(sum - 1) < 1e-9);
    if (!(bound >= plan->bound * (1 - 1e-9))) fail_msg("the lengths prove %.17g, not %.17g", bound, plan->bound);
    assert_true(plan->bound <= plan->seconds);
}

static struct cw_rails_plan planned(struct cluster *cluster, double gap)
{
    struct cw_rails_plan plan = {0};
    must(cw_rails_solve(cluster->rails, cluster->bytes, gap, &plan));
    check_loads(cluster, &plan);
    check_bound(cluster, &plan);
    return plan;
}

/* --- against the linear program ----------------------------------------------------------------------------------- */

static void add_path(struct cw_k_paths *paths, const uint32_t *channels, size_t n)
{
    memcpy(paths->channel + paths->begin[paths->n_paths], channels, n * sizeof *channels);
    paths->begin[paths->n_paths + 1] = paths->begin[paths->n_paths] + n;
    paths->n_paths++;
}

/* The least time by the linear program over all paths of one rail. */
static double seconds_by_lp(const struct cluster *cluster)
{
    const struct cw_network *net = cluster->net;
    const uint32_t n = net->n_endpoints, n_rails = cw_rails_rails(cluster->rails);
    struct cw_demands demands = {0};
    struct cw_flow_problem problem = {0};
    struct cw_plan plan = {0};
    for (uint32_t i = 0; i < n * n; i++)
        if (i / n != i % n && cluster->bytes[i] > 0) must(cw_demands_add(&demands, i / n, i % n, cluster->bytes[i]));
    must(cw_flow_problem_make(net, &demands, 0, NULL, 0, &problem));
    memcpy(problem.capacity, cluster->capacity, net->n_channels * sizeof *problem.capacity);
    struct cw_k_paths paths = {.n_demands = demands.n};
    paths.first = zeros(demands.n + 1, sizeof *paths.first);
    paths.begin = zeros(demands.n * n_rails + 1, sizeof *paths.begin);
    paths.channel = zeros(demands.n * n_rails * 4, sizeof *paths.channel);
    for (size_t d = 0; d < demands.n; d++) {
        const uint32_t s = demands.items[d].src, t = demands.items[d].dst, a = cw_rails_box(cluster->rails, s),
                       b = cw_rails_box(cluster->rails, t);
        if (a == b) add_path(&paths, (uint32_t[]){net->first[s], net->twin[net->first[t]]}, 2);
        for (uint32_t j = 0; j < n_rails && a != b; j++) {
            const uint32_t up = cw_rails_channel(cluster->rails, a, j, true),
                           down = cw_rails_channel(cluster->rails, b, j, false);
            if (up != CW_NONE && down != CW_NONE)
                add_path(&paths, (uint32_t[]){net->first[s], up, down, net->twin[net->first[t]]}, 4);
        }
        paths.first[d + 1] = paths.n_paths;
    }
    const struct cw_method_setup setup = {.paths = &paths, .k = n_rails, .n_threads = 1};
    must(cw_method_solve(cw_method_find("lp"), &problem, &setup, &plan));
    const double seconds = cw_plan_bandwidth_seconds(&problem, &plan);
    cw_plan_free(&plan);
    cw_k_paths_free(&paths);
    cw_flow_problem_free(&problem);
    cw_demands_free(&demands);
    return seconds;
}

/* Within a thousandth of the linear program, and the bound is none too high. */
static void levelled_as_by_linear_programs(void **state)
{
    (void)state;
    static const char *const specs[] = {"rail:3,2,3,nvlink=8GB/s", "rail:5,2,4,nvlink=8GB/s", "rail:4,3,2",
                                        "rail:2,1,5"};
    double worst = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct cluster cluster = cluster_new(specs[trial % 4], trial, trial % 3 == 0 ? 0 : 3, trial % 5 == 0 ? 0 : 4);
        draw_bytes(&cluster);
        const struct cw_rails_plan plan = planned(&cluster, 1e-4);
        const double best = seconds_by_lp(&cluster);
        if (plan.bound > best * (1 + 1e-6)) fail_msg("trial %d: bound %g, LP %g", (int)trial, plan.bound, best);
        worst = fmax(worst, plan.seconds / best - 1);
        if (plan.seconds > best * 1.001) fail_msg("trial %d: %.9g s, LP %.9g", (int)trial, plan.seconds, best);
        cluster_free(&cluster);
    }
    print_message("at most %.2g above the linear program\n", worst);
}

/* --- the ports of a box ------------------------------------------------------------------------------------------- */

/* One GPU that sends everything uses all ports of its box, and no two suffice. */
static void one_sender_uses_all_ports(void **state)
{
    (void)state;
    struct cluster cluster = cluster_new("rail:2,4,4,nvlink=3600Gbit/s@400Gbit/s", 0, 0, 0);
    cluster.bytes[0 * 8 + 4] = 4000000000;
    const struct cw_rails_plan plan = planned(&cluster, 0);
    assert_true(fabs(plan.seconds - 4e9 / (4 * 50e9)) < 1e-12);
    assert_true(plan.bound == plan.seconds && plan.sweeps == 0);
    cluster_free(&cluster);
}

/* Where NVLink is no faster than a port, it is what decides. */
static void cables_of_gpus_are_a_limit(void **state)
{
    (void)state;
    struct cluster cluster = cluster_new("rail:2,4,4@400Gbit/s", 0, 0, 0);
    cluster.bytes[0 * 8 + 4] = 4000000000;
    const struct cw_rails_plan plan = planned(&cluster, 0);
    assert_true(fabs(plan.seconds - 4e9 / 50e9) < 1e-12 && plan.bound == plan.seconds);
    assert_true(plan.length[cluster.net->first[0]] > 0);
    cluster_free(&cluster);
}

/* --- again and again ---------------------------------------------------------------------------------------------- */

/* Every plan of a handle is within its gap, after small and after great changes; the same bytes move nothing. */
static void warm_plans_are_within_their_gap(void **state)
{
    (void)state;
    struct cluster cluster = cluster_new("rail:16,8,8,nvlink=3600Gbit/s@400Gbit/s", 1, 10, 20);
    for (int step = 0; step < 12; step++) {
        if (step % 6 == 0)
            draw_bytes(&cluster);
        else
            drift(&cluster);
        const struct cw_rails_plan plan = planned(&cluster, 0.01);
        assert_true(plan.seconds <= plan.bound * 1.01);
        const struct cw_rails_plan same = planned(&cluster, 0.01);
        assert_true(same.moved == 0 && same.sweeps == 0 && same.seconds == plan.seconds);
    }
    cluster_free(&cluster);
}

/* What is refused leaves the handle as it was. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *network, *message;
    } cases[] = {{"torus:4x4", "has a cable to another such switch"},
                 {"dragonfly:2,4,2", "has a cable to another such switch"},
                 {"crossbar:4", "expected a switch without endpoints that joins those with endpoints"},
                 {"xgft:2:4,4:1,2:1,2", "has two cables to the same rail"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].network);
        struct cw_rails *rails = NULL;
        assert_int_equal(cw_rails_new(net, NULL, &rails), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].message)) fail_msg("%s", cw_error_message());
        assert_null(rails);
        cw_network_free(net);
    }
    struct cluster cluster = cluster_new("rail:4,2,2,pods=2,spines=1", 0, 0, 0);
    struct cw_rails_plan plan = {.seconds = 42};
    cluster.bytes[1] = CW_RAILS_MAX_BYTES + 1;
    assert_int_equal(cw_rails_solve(cluster.rails, cluster.bytes, 0, &plan), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "endpoint 0 has more than 2^48 bytes for endpoint 1"));
    cluster.bytes[1] = 0;
    cluster.bytes[7] = 1;
    assert_int_equal(cw_rails_solve(cluster.rails, cluster.bytes, 0, &plan), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "no rail leads from n0 to n3, which have bytes for each other"));
    assert_int_equal(cw_rails_solve(cluster.rails, cluster.bytes, NAN, &plan), CW_EUSAGE);
    assert_true(plan.seconds == 42);
    cluster.bytes[7] = 0;
    cluster.bytes[2] = 1000;
    plan = planned(&cluster, 0);
    assert_true(plan.moved == 0 && plan.bound == plan.seconds);
    cluster_free(&cluster);
}

/* Nothing to send takes no time. */
static void nothing_to_send(void **state)
{
    (void)state;
    struct cluster cluster = cluster_new("rail:4,2,2", 0, 0, 0);
    struct cw_rails_plan plan;
    cluster.bytes[0] = 5; /* to itself */
    must(cw_rails_solve(cluster.rails, cluster.bytes, 0, &plan));
    assert_true(plan.seconds == 0 && plan.bound == 0 && plan.moved == 0);
    cluster_free(&cluster);
}

/* --- as a method of planning -------------------------------------------------------------------------------------- */

/* Where all boxes have the same ports, the method reaches what the optimum reaches, by a proof of its own. */
static void method_reaches_the_optimum(void **state)
{
    (void)state;
    static const char *const specs[] = {"rail:4,4,4,nvlink=3600Gbit/s@400Gbit/s", "rail:3,4,2", "xgft:2:4,4:1,2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct scene *scene = scene_of(specs[i], "overlap:8x4,2", NULL, 4);
        struct cw_plan best = plan_by(scene, "optimum"), rails = plan_by(scene, "rails");
        assert_true(fabs(rails.z - best.z) <= 1e-6 * best.z);
        assert_true(rails.proof.verified && rails.bound - rails.z <= 1e-6 * rails.bound);
        cw_plan_free(&best);
        cw_plan_free(&rails);
        scene_free(scene);
    }
}

/* Where GPUs relay: one that sends everything to another needs a relay for each rail but that of its own route, and
 * NVLink, nine times as fast as a port, carries that. Where nobody may relay, all stays on its route. */
static void gpus_relay_to_other_rails(void **state)
{
    (void)state;
    struct cw_network *net = network_of("rail:2,4,4,nvlink=3600Gbit/s@400Gbit/s");
    struct cw_demands demands = {0};
    struct cw_routes *routes = NULL;
    struct cw_selection *all = NULL;
    must(cw_demands_add(&demands, 1, 6, 4000000000));
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    must(cw_selection_new(net, "all", &all));
    for (uint32_t most = 0; most < 2; most++) {
        const struct cw_legs_setup legs_setup = {
            .relays = all, .max_relays = most, .routes = (const struct cw_routes *const *)&routes, .n_routes = 1};
        const struct cw_method_setup setup = {.routes = routes, .n_threads = 1};
        struct cw_legs *legs = NULL;
        struct cw_flow_problem problem;
        struct cw_plan plan;
        must(cw_legs_make(net, &demands, &legs_setup, 1, &legs));
        must(cw_flow_problem_make_on_legs(legs, &demands, 0, NULL, 0, &problem));
        must(cw_method_solve(cw_method_find("rails"), &problem, &setup, &plan));
        assert_int_equal(plan.n_paths, most == 0 ? 1 : 4);
        assert_true(fabs(cw_plan_bandwidth_seconds(&problem, &plan) - (most == 0 ? 4e9 : 1e9) / 50e9) < 1e-9);
        assert_true(plan.proof.verified && plan.bound - plan.z <= 1e-6 * plan.bound + (most == 0));
        cw_plan_free(&plan);
        cw_flow_problem_free(&problem);
        cw_legs_free(legs);
    }
    cw_selection_free(all);
    cw_routes_free(routes);
    cw_demands_free(&demands);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levelled_as_by_linear_programs),
        cmocka_unit_test(one_sender_uses_all_ports),
        cmocka_unit_test(cables_of_gpus_are_a_limit),
        cmocka_unit_test(warm_plans_are_within_their_gap),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nothing_to_send),
        cmocka_unit_test(method_reaches_the_optimum),
        cmocka_unit_test(gpus_relay_to_other_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
