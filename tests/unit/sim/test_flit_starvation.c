/* A collective that begins beside a saturating permutation ends: whoever asks for an output is served in the end. */
#include "base/random.h"
#include "flit_test.h"
#include "net/network_internal.h"
#include "traffic/schedule.h"

enum { BEGINS = 3000, LIMIT = 20000 };

/* Half of the endpoints of C, chosen by SEED, broadcast beside the others. */
static void check_ends(struct flit_case *c, uint64_t seed)
{
    const uint32_t n = c->net->n_endpoints, half = n / 2;
    const struct cw_ranks ranks = {.n = half, .per_group = 1};
    struct cw_random random = cw_random_of(seed, CW_STREAM_PLACEMENT, 0);
    struct cw_workload *workload;
    for (uint32_t i = 0; i < n; i++) c->endpoints[i] = i;
    for (uint32_t i = n; i-- > 1;) {
        const uint32_t other = cw_random_below(&random, i + 1), last = c->endpoints[i];
        c->endpoints[i] = c->endpoints[other];
        c->endpoints[other] = last;
    }
    assert_int_equal(cw_workload_new("permutation", &ranks, seed, &workload), 0);
    const struct cw_flit_job jobs[] = {{.kind = CW_FLIT_SCHEDULE,
                                        .n_ranks = half,
                                        .endpoints = c->endpoints,
                                        .schedule = c->schedule,
                                        .bytes = 64,
                                        .message_flits = 1,
                                        .start = BEGINS},
                                       {.kind = CW_FLIT_CONTINUOUS,
                                        .n_ranks = half,
                                        .endpoints = c->endpoints + half,
                                        .workload = workload,
                                        .load = 1,
                                        .message_flits = 1}};
    c->setup.jobs = jobs;
    c->setup.n_jobs = 2;
    c->setup.seed = seed;
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    for (uint64_t t = 0; t < LIMIT && cw_flit_job_done(simulation, 0) == UINT64_MAX; t += BEGINS)
        run_flits(simulation, BEGINS);
    if (cw_flit_job_done(simulation, 0) == UINT64_MAX) fail_msg("seed %lu: the broadcast starves", (unsigned long)seed);
    end_flit_case(simulation);
    cw_workload_free(workload);
}

/* With one turn of input ports for all lanes of an output, each of these starved; so did five of 700 seeds. */
static void collectives_end_beside_traffic(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {64, 231, 407, 615, 675};
    struct flit_case c = open_flit_case("dragonfly:2,4,2", "minimal", NULL);
    c.schedule = open_schedule("binomial-bcast");
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) check_ends(&c, seeds[i]);
    close_flit_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_end_beside_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
