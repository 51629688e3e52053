/* Split trees: every edge of the schedule once, the right levels on application cores, cores by the rule, and
 * dependencies that leave the right data whatever the order in which ready edges are executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "traffic/split_plan.h"

static const char *const trees[] = {"knomial-bcast:2",  "knomial-bcast:3",     "binomial-bcast",    "linear-bcast",
                                    "knomial-reduce:2", "knomial-reduce:4",    "binomial-reduce",   "linear-reduce",
                                    "binomial-scatter", "knomial-scatter:3",   "binomial-gather",   "knomial-gather:3",
                                    "linear-gather",    "knomial-allreduce:3", "binomial-allreduce"};

static struct cw_split_plan *plan_of(const char *spec, struct cw_split_setup setup)
{
    struct cw_schedule *schedule = NULL;
    struct cw_split_plan *plan = NULL;
    if (cw_schedule_new(spec, &schedule)) fail_msg("%s: %s", spec, cw_error_message());
    setup.schedule = schedule;
    if (cw_split_plan_new(&setup, &plan)) fail_msg("%s, n = %u: %s", spec, setup.n, cw_error_message());
    cw_schedule_free(schedule);
    return plan;
}

static void test_levels_and_cores(void **state)
{
    (void)state;
    struct cw_split_plan *down =
        plan_of("knomial-bcast:2", (struct cw_split_setup){.n = 7, .communication = 3, .steps = 1});
    assert_int_equal(down->levels, 3);
    assert_int_equal(down->n_edges, 6);
    /* 0→4; 0→2, 4→6; 0→1, 2→3, 4→5 */
    static const uint32_t children[] = {4, 2, 6, 1, 3, 5},
                          cores[] = {1, 0, 2, CW_SPLIT_OWN, CW_SPLIT_OWN, CW_SPLIT_OWN};
    for (size_t e = 0; e < 6; e++) {
        assert_int_equal(down->edges[e].message.dst, children[e]);
        assert_int_equal(down->edges[e].rank, children[e]);
        assert_int_equal(down->edges[e].core, cores[e]);
        assert_false(down->edges[e].up);
    }
    cw_split_plan_free(down);
    /* Towards the root, the leaves are the first round, and the parent may execute. */
    struct cw_split_plan *up = plan_of(
        "knomial-reduce:2",
        (struct cw_split_setup){
            .n = 7, .communication = 3, .steps = 2, .placement = CW_SPLIT_ROUND_ROBIN, .executor = CW_SPLIT_PARENT});
    for (size_t e = 0; e < 6; e++) {
        assert_int_equal(up->edges[e].rank, up->edges[e].message.dst);
        assert_int_equal(up->edges[e].core, e < 5 ? CW_SPLIT_OWN : 0);
    }
    cw_split_plan_free(up);
    struct cw_split_plan *all =
        plan_of("knomial-allreduce:2", (struct cw_split_setup){.n = 8, .communication = 2, .steps = 9});
    for (size_t e = 0; e < all->n_edges; e++) assert_int_equal(all->edges[e].core, CW_SPLIT_OWN);
    assert_int_equal(all->levels, 3);
    cw_split_plan_free(all);
    assert_int_equal(cw_split_core(CW_SPLIT_BLOCK, 55, 56, 8), 7);
    assert_int_equal(cw_split_core(CW_SPLIT_BLOCK, 6, 56, 8), 0);
    assert_int_equal(cw_split_core(CW_SPLIT_BLOCK, 7, 56, 8), 1);
    assert_int_equal(cw_split_core(CW_SPLIT_ROUND_ROBIN, 55, 56, 8), 7);
}

/* Of every plan: as many edges on application cores as the last S rounds have, seen from the root. */
static void check_low(const char *spec, uint32_t n, uint32_t steps)
{
    struct cw_split_plan *plan = plan_of(spec, (struct cw_split_setup){.n = n, .communication = 2, .steps = steps});
    for (size_t e = 0; e < plan->n_edges; e++) {
        const struct cw_split_edge *edge = &plan->edges[e];
        const uint32_t down_round = plan->n_edges >= n ? edge->round - plan->levels : edge->round;
        const bool low = edge->up ? edge->round < steps : plan->levels - 1 - down_round < steps;
        assert_int_equal(low, edge->core == CW_SPLIT_OWN);
    }
    cw_split_plan_free(plan);
}

static void test_last_levels(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (uint32_t n = 3; n <= 20; n++)
            for (uint32_t steps = 0; steps <= 6; steps++) check_low(trees[t], n, steps);
}

/* A rank's data: of a broadcast or scatter, whether it has come; of others, a history of what was combined. */
struct machine {
    uint64_t value[64];
};

/* Not commutative: another order gives another value. */
static uint64_t combine(uint64_t into, uint64_t from)
{
    return (into * 1000003) ^ (from + 17);
}

static void carry(struct machine *m, const struct cw_split_edge *edge)
{
    uint64_t *to = &m->value[edge->message.dst];
    const uint64_t from = m->value[edge->message.src];
    /* a gather's parts may come in any order */
    *to = edge->message.reduce ? combine(*to, from) : edge->up ? *to + from : from;
}

/* Executes ready edges in random order. */
static uint64_t run(const struct cw_split_plan *plan, struct cw_random *random)
{
    struct machine m;
    for (uint32_t rank = 0; rank < plan->n; rank++) m.value[rank] = rank + 1;
    bool done[256] = {false};
    assert_true(plan->n_edges <= 256 && plan->n <= 64);
    for (size_t left = plan->n_edges; left > 0; left--) {
        uint32_t ready[256], n_ready = 0;
        for (uint32_t e = 0; e < plan->n_edges; e++) {
            bool is_ready = !done[e];
            for (size_t d = 0; is_ready && d < plan->edges[e].n_depends; d++)
                is_ready = done[plan->depends[plan->edges[e].depends + d]];
            if (is_ready) ready[n_ready++] = e;
        }
        assert_true(n_ready > 0);
        const uint32_t chosen = ready[random ? cw_random_below(random, n_ready) : 0];
        carry(&m, &plan->edges[chosen]);
        done[chosen] = true;
    }
    uint64_t all = 0;
    for (uint32_t rank = 0; rank < plan->n; rank++)
        all = all * 31 + m.value[rank] * (plan->edges[0].up ? rank == 0 : 1);
    return all;
}

static void test_any_order_gives_the_same(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(14, CW_STREAM_TEST, 0);
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (uint32_t n = 2; n <= 34; n += n < 10 ? 1 : 8) {
            struct cw_split_plan *plan = plan_of(trees[t], (struct cw_split_setup){.n = n, .communication = 1});
            const uint64_t in_order = run(plan, NULL);
            for (int trial = 0; trial < 10; trial++)
                if (run(plan, &random) != in_order) fail_msg("%s, n = %u: the order matters", trees[t], n);
            for (size_t e = 0; e < plan->n_edges; e++)
                for (size_t d = 0; d < plan->edges[e].n_depends; d++)
                    assert_true(plan->depends[plan->edges[e].depends + d] < e);
            cw_split_plan_free(plan);
        }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const others[] = {"ring-allreduce", "recursive-doubling", "alltoall", "bruck", "dissemination"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct cw_schedule *schedule = NULL;
        struct cw_split_plan *plan = NULL;
        assert_int_equal(cw_schedule_new(others[i], &schedule), 0);
        const struct cw_split_setup setup = {.schedule = schedule, .n = 16, .communication = 1};
        assert_int_equal(cw_split_plan_new(&setup, &plan), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), "is not a tree"));
        cw_schedule_free(schedule);
    }
    struct cw_schedule *schedule = NULL;
    struct cw_split_plan *plan = NULL;
    assert_int_equal(cw_schedule_new("tree", &schedule), 0);
    assert_int_equal(cw_split_plan_new(&(struct cw_split_setup){.schedule = schedule, .n = 4}, &plan), CW_EUSAGE);
    /* one rank alone has nothing to do */
    const struct cw_split_setup alone = {.schedule = schedule, .n = 1, .communication = 1, .steps = 2};
    assert_int_equal(cw_split_plan_new(&alone, &plan), 0);
    assert_int_equal(plan->n_edges, 0);
    cw_split_plan_free(plan);
    cw_schedule_free(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_and_cores),
        cmocka_unit_test(test_last_levels),
        cmocka_unit_test(test_any_order_gives_the_same),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
