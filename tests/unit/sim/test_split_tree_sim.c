/* Split trees, simulated: against the paper's equations with levels counted from the plan, small cases by hand, and
 * bounds that hold whatever the schedule. */
#include "sim_test.h"

#include "sim/split_tree_sim.h"

static struct cw_split_plan *plan_of(const char *spec, struct cw_split_setup setup)
{
    struct cw_schedule *schedule = open_schedule(spec);
    struct cw_split_plan *plan = NULL;
    setup.schedule = schedule;
    if (cw_split_plan_new(&setup, &plan)) fail_msg("%s, n = %u: %s", spec, setup.n, cw_error_message());
    cw_schedule_free(schedule);
    return plan;
}

static double simulate(const struct cw_split_plan *plan, double compute, uint32_t chunks)
{
    double time = -1;
    const struct cw_split_run run = {.compute = compute, .chunks = chunks};
    if (cw_split_tree_simulate(plan, &run, &time)) fail_msg("%s", cw_error_message());
    return time;
}

static double simulate_levels(const struct cw_split_plan *plan, double compute)
{
    double time = -1;
    const struct cw_split_run run = {.compute = compute, .chunks = 1, .in_levels = true};
    if (cw_split_tree_simulate(plan, &run, &time)) fail_msg("%s", cw_error_message());
    return time;
}

/* Equations 4 and 5, with COMPUTE 0 and otherwise: levels one after another, each folded on the cores. */
static double model_of(const struct cw_split_plan *plan, double compute)
{
    const bool both = plan->n_edges >= plan->n;
    const uint32_t rounds = plan->levels * (both ? 2 : 1);
    double low = 0, high = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t edges = 0;
        double weight = 0;
        bool own = false;
        for (size_t e = 0; e < plan->n_edges; e++) {
            if (plan->edges[e].round != round) continue;
            edges++;
            own = plan->edges[e].core == CW_SPLIT_OWN;
            weight = fmax(weight, cw_split_edge_time(plan, &plan->edges[e]));
        }
        if (plan->blocks > 1) { /* as if the tree were complete */
            const bool up = plan->edges[0].up;
            weight = ldexp(1, (int)(up ? round : plan->levels - 1 - round));
        }
        if (own)
            low += weight;
        else
            high += weight * ceil((double)edges / plan->communication);
    }
    return low + fmax(compute, high);
}

static void never_above(uint32_t cores)
{
    static const char *const specs[] = {"knomial-bcast:2", "knomial-reduce:2", "binomial-scatter", "binomial-gather",
                                        "knomial-allreduce:2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t n = 2; n < cores; n++)
            for (uint32_t steps = 0; steps <= 6; steps++) {
                struct cw_split_plan *plan =
                    plan_of(specs[i], (struct cw_split_setup){.n = n, .communication = cores - n, .steps = steps});
                const double computes[] = {0, 6.0 * cores / n, 63.0 * cores / n};
                for (size_t c = 0; c < 3; c++) {
                    const double time = simulate(plan, computes[c], 1), model = model_of(plan, computes[c]);
                    if (time > model + 1e-9)
                        fail_msg("%s, N = %u of %u, S = %u, C = %g: %g, above the model's %g", specs[i], n, cores,
                                 steps, computes[c], time, model);
                }
                cw_split_plan_free(plan);
            }
}

static void test_never_above_the_model(void **state)
{
    (void)state;
    never_above(64);
    never_above(48);
}

/* On strides of a power of two, round robin has few cores do all. */
static void test_round_robin_collides(void **state)
{
    (void)state;
    struct cw_split_setup setup = {.n = 56, .communication = 8, .steps = 1};
    struct cw_split_plan *block = plan_of("knomial-reduce:2", setup);
    setup.placement = CW_SPLIT_ROUND_ROBIN;
    struct cw_split_plan *robin = plan_of("knomial-reduce:2", setup);
    assert_true(model_of(block, 0) == 1 + 6);
    assert_true(simulate(block, 0, 1) <= 1 + 6);
    assert_true(simulate_levels(block, 0) == 1 + 6);
    assert_true(simulate_levels(robin, 0) == 1 + 20);
    assert_true(simulate(robin, 0, 1) == 1 + 10); /* where levels may overlap */
    cw_split_plan_free(block);
    cw_split_plan_free(robin);
}

/* Four ranks, one communication core: 0→2, 0→1, 2→3. */
static void test_by_hand(void **state)
{
    (void)state;
    struct cw_split_plan *folded = plan_of("knomial-bcast:2", (struct cw_split_setup){.n = 4, .communication = 1});
    assert_true(simulate(folded, 0, 1) == 3);
    assert_true(simulate(folded, 2, 1) == 3);
    assert_true(simulate(folded, 5, 1) == 5);
    assert_true(simulate(folded, 0, 4) == 3); /* one core: chunks change nothing */
    cw_split_plan_free(folded);
    struct cw_split_plan *split =
        plan_of("knomial-bcast:2", (struct cw_split_setup){.n = 4, .communication = 1, .steps = 1});
    assert_true(simulate(split, 0, 1) == 2);
    assert_true(simulate(split, 5, 1) == 6); /* the leaves in Wait */
    cw_split_plan_free(split);
    struct cw_split_plan *up =
        plan_of("knomial-reduce:2", (struct cw_split_setup){.n = 4, .communication = 1, .steps = 1});
    assert_true(simulate(up, 5, 1) == 6); /* the leaves first */
    assert_true(simulate(up, 0.5, 1) == 2);
    cw_split_plan_free(up);
    /* two cores, two levels: the second chunk leaves the root while the first goes on from rank 2 */
    struct cw_split_plan *pair = plan_of("knomial-bcast:2", (struct cw_split_setup){.n = 4, .communication = 2});
    assert_true(simulate(pair, 0, 1) == 2);
    assert_true(simulate(pair, 0, 2) < 2.01);
    cw_split_plan_free(pair);
    /* by parents, rank 0 sends twice, one after the other, whatever core it has */
    struct cw_split_plan *parents =
        plan_of("linear-bcast", (struct cw_split_setup){.n = 9, .communication = 4, .executor = CW_SPLIT_PARENT});
    assert_true(simulate(parents, 0, 1) == 8);
    cw_split_plan_free(parents);
    struct cw_split_plan *children = plan_of("linear-bcast", (struct cw_split_setup){.n = 9, .communication = 4});
    assert_true(simulate(children, 0, 1) == 2 || simulate(children, 0, 1) == 3);
    cw_split_plan_free(children);
    /* parts: what leaves the root first stands for half of the ranks */
    struct cw_split_plan *scatter = plan_of("binomial-scatter", (struct cw_split_setup){.n = 8, .communication = 1});
    assert_true(simulate(scatter, 0, 1) == 4 + 2 * 2 + 4 * 1);
    cw_split_plan_free(scatter);
}

/* Nothing ends before what is to be done on a core, or before the computation; chunks help or make no difference. */
static void test_bounds(void **state)
{
    (void)state;
    static const char *const specs[] = {"knomial-bcast:3", "knomial-reduce:4", "knomial-scatter:3", "knomial-gather:4",
                                        "binomial-allreduce"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t n = 2; n <= 40; n += 7)
            for (int how = 0; how < 4; how++) {
                struct cw_split_setup setup = {
                    .n = n, .communication = 3, .steps = 1, .placement = how % 2, .executor = how / 2};
                struct cw_split_plan *plan = plan_of(specs[i], setup);
                double on_core[3] = {0}, most = 0;
                for (size_t e = 0; e < plan->n_edges; e++)
                    if (plan->edges[e].core != CW_SPLIT_OWN)
                        on_core[plan->edges[e].core] += cw_split_edge_time(plan, &plan->edges[e]);
                for (int c = 0; c < 3; c++) most = fmax(most, on_core[c]);
                for (double compute = 0; compute <= 20; compute += 10) {
                    const double time = simulate(plan, compute, 1), fine = simulate(plan, compute, 64);
                    assert_true(time >= fmax(compute, most) - 1e-9 && fine >= fmax(compute, most) - 1e-9);
                }
                cw_split_plan_free(plan);
            }
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_split_plan *plan = plan_of("tree", (struct cw_split_setup){.n = 4, .communication = 1});
    double time = -1;
    assert_int_equal(cw_split_tree_simulate(plan, &(struct cw_split_run){.compute = 1, .chunks = 0}, &time), CW_EUSAGE);
    assert_int_equal(cw_split_tree_simulate(plan, &(struct cw_split_run){.compute = -1, .chunks = 1}, &time),
                     CW_EUSAGE);
    assert_int_equal(cw_split_tree_simulate(plan, &(struct cw_split_run){.compute = NAN, .chunks = 1}, &time),
                     CW_EUSAGE);
    assert_true(time == -1);
    cw_split_plan_free(plan);
    struct cw_split_plan *alone = plan_of("tree", (struct cw_split_setup){.n = 1, .communication = 1});
    assert_true(simulate(alone, 7, 1) == 7);
    cw_split_plan_free(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_above_the_model),
        cmocka_unit_test(test_round_robin_collides),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
