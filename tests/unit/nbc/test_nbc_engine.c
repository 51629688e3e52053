/* Ranks as threads: every collective against what MPI says it gives, with and without workers, with late ranks; through
 * each other's memory, and by agents.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "nbc/nbc_agent.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_worker.h"

#define RANKS  5
#define ROUNDS 80    /* operations in flight are more than a ring holds */
#define NAPS   10000 /* ms */

struct case_of {
    struct cw_nbc_node *node;
    uint32_t comm, n, elements; /* of a block */
    enum cw_nbc_schedule schedule;
    double fraction;
    uint32_t radix, steps;
};

struct rank {
    const struct case_of *test;
    uint32_t me;
    int32_t *send[ROUNDS], *recv[ROUNDS];
    char *room[ROUNDS];
    pthread_t thread;
};

static enum cw_collective_kind carried[CW_COLLECTIVES];
static uint32_t n_carried;

/* All that are carried, in turn. */
static enum cw_collective_kind collective_of(uint32_t round)
{
    return carried[round % n_carried];
}

/* What rank RANK has at element I of its buffer in a round. */
static int32_t value(uint32_t round, uint32_t rank, uint32_t i)
{
    return (int32_t)(round * 1000003u + rank * 10007u + i);
}

static uint32_t root_of(uint32_t round, uint32_t n)
{
    return round / n_carried % n;
}

static uint32_t elements_of(const struct case_of *test, uint32_t round)
{
    return round % 5 ? test->elements : 0;
}

static int32_t *filled(uint32_t n, uint32_t round, uint32_t rank)
{
    int32_t *items = malloc((n + 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) items[i] = value(round, rank, i);
    return items;
}

/* Roots of a scatter and a gather, in some rounds: their block is where it belongs. */
static bool is_in_place(enum cw_collective_kind collective, uint32_t round)
{
    return (collective == CW_COLLECTIVE_SCATTER || collective == CW_COLLECTIVE_GATHER) && round % 4 == 1;
}

static void post(struct rank *rank, uint32_t round, bool *posted)
{
    const struct case_of *test = rank->test;
    const uint32_t n = elements_of(test, round);
    const enum cw_collective_kind collective = collective_of(round);
    const struct cw_nbc_work work = {.collective = collective,
                                     .root = root_of(round, test->n),
                                     .bytes = n * 4,
                                     .chunk = 4096,
                                     .type = CW_NBC_INT32,
                                     .op = CW_NBC_SUM,
                                     .schedule = test->schedule,
                                     .fraction = test->fraction,
                                     .radix = test->radix,
                                     .steps = test->steps};
    if (!rank->send[round]) {
        rank->send[round] = filled(n * test->n, round, rank->me);
        rank->recv[round] = calloc(n * test->n + 1, 4);
        uint64_t room;
        assert_int_equal(cw_nbc_room(test->node, &work, test->n, rank->me, &room), 0);
        rank->room[round] = malloc(room + 1);
    }
    const bool root = rank->me == work.root;
    const struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)rank->send[round],
                                     .recv = (uint64_t)(uintptr_t)rank->recv[round],
                                     .room = (uint64_t)(uintptr_t)rank->room[round],
                                     .in_place = is_in_place(collective, round) && root};
    cw_nbc_post(test->node, test->comm, rank->me, round, &work, &part, posted);
}

static int32_t sum(uint32_t round, uint32_t n, uint32_t i)
{
    uint32_t total = 0;
    for (uint32_t rank = 0; rank < n; rank++) total += (uint32_t)value(round, rank, i);
    return (int32_t)total;
}

/* Element I, of block B, of what rank ME receives; 0: nothing. */
static int32_t expected(uint32_t round, uint32_t n, uint32_t me, uint32_t elements, uint32_t b, uint32_t i)
{
    const uint32_t root = root_of(round, n);
    switch (collective_of(round)) {
    case CW_COLLECTIVE_BCAST:
        return b == 0 && me != root ? value(round, root, i) : 0;
    case CW_COLLECTIVE_REDUCE:
        return b == 0 && me == root ? sum(round, n, i) : 0;
    case CW_COLLECTIVE_ALLREDUCE:
        return b == 0 ? sum(round, n, i) : 0;
    case CW_COLLECTIVE_SCATTER:
        if (me == root && is_in_place(CW_COLLECTIVE_SCATTER, round)) return 0;
        return b == 0 ? value(round, root, me * elements + i) : 0;
    case CW_COLLECTIVE_GATHER:
        if (b == root && is_in_place(CW_COLLECTIVE_GATHER, round)) return 0;
        return me == root ? value(round, b, i) : 0;
    case CW_COLLECTIVE_ALLGATHER:
        return value(round, b, i);
    case CW_COLLECTIVE_ALLTOALL:
        return value(round, b, me * elements + i);
    case CW_COLLECTIVE_REDUCE_SCATTER: /* not carried: no value is right */
    case CW_COLLECTIVE_BARRIER:
        break;
    }
    return -1;
}

static void check(struct rank *rank, uint32_t round)
{
    const struct case_of *test = rank->test;
    const uint32_t n = elements_of(test, round);
    for (uint32_t b = 0; b < test->n; b++)
        for (uint32_t i = 0; i < n; i++)
            if (rank->recv[round][b * n + i] != expected(round, test->n, rank->me, n, b, i))
                fail_msg("rank %u, round %u, block %u, element %u: %d", rank->me, round, b, i,
                         rank->recv[round][b * n + i]);
    free(rank->send[round]);
    free(rank->recv[round]);
    free(rank->room[round]);
}

static void *run(void *argument)
{
    struct rank *rank = argument;
    const struct case_of *test = rank->test;
    const uint32_t host_rank = RANKS - 1 - rank->me;
    struct cw_nbc_executor executor = {test->node, UINT32_MAX, cw_nbc_rank_buffers(test->node, host_rank)};
    uint32_t next = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        bool done = false, posted = true;
        unsigned naps = 0;
        if ((rank->me + round) % 50 == 0) usleep(1000);
        for (; next < ROUNDS && next < round + CW_NBC_RING && posted; next += posted) post(rank, next, &posted);
        while (!done) {
            const uint32_t bell = cw_nbc_bell(test->node, test->comm, rank->me, round);
            assert_int_equal(cw_nbc_poll(test->node, test->comm, rank->me, round, &done), 0);
            if (done) break;
            bool any = false;
            for (uint32_t other = round; other < next; other++)
                any |= cw_nbc_advance(&executor, test->comm, rank->me, other);
            if (!any) cw_nbc_sleep(test->node, test->comm, rank->me, round, bell, 1e-3);
            naps += !any;
            if (naps > NAPS) fail_msg("rank %u waits for ever in round %u", rank->me, round);
            for (posted = true; next < ROUNDS && next < round + CW_NBC_RING && posted; next += posted)
                post(rank, next, &posted);
        }
        check(rank, round);
    }
    return NULL;
}

static void run_one_way(struct case_of test, uint32_t workers, bool agents)
{
    const uint32_t n = test.n;
    struct rank ranks[RANKS] = {0};
    struct cw_nbc_worker *threads[2] = {0};
    struct cw_nbc_agent *own[RANKS] = {0};
    uint32_t members[RANKS];
    assert_int_equal(cw_nbc_node_new(RANKS, workers, &test.node), 0);
    for (uint32_t i = 0; i < RANKS; i++) cw_nbc_node_join(test.node, i);
    assert_int_equal(cw_nbc_node_check(test.node), 0);
    test.node->apart = agents;
    for (uint32_t i = 0; i < RANKS && agents; i++) assert_int_equal(cw_nbc_agent_start(test.node, i, NULL, &own[i]), 0);
    for (uint32_t i = 0; i < n; i++) members[i] = RANKS - 1 - i;
    assert_int_equal(cw_nbc_comm_join(test.node, 1, n, members, &test.comm), 0);
    for (uint32_t i = 0; i < workers; i++)
        assert_int_equal(cw_nbc_worker_start(test.node, i, -1, 20e-6, &threads[i]), 0);
    for (uint32_t i = 0; i < n; i++) {
        ranks[i].test = &test;
        ranks[i].me = i;
        assert_int_equal(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]), 0);
    }
    for (uint32_t i = 0; i < n; i++) pthread_join(ranks[i].thread, NULL);
    for (uint32_t i = 0; i < workers; i++) cw_nbc_worker_stop(threads[i]);
    for (uint32_t i = 0; i < RANKS; i++) cw_nbc_agent_stop(own[i]);
    cw_nbc_node_free(test.node);
}

static void run_both_ways(struct case_of test, uint32_t workers)
{
    run_one_way(test, workers, false);
    run_one_way(test, workers, true);
}

static void run_tree(uint32_t n, uint32_t workers, uint32_t radix, uint32_t steps)
{
    const struct case_of test = {
        .n = n, .elements = 2500, .schedule = CW_NBC_SPLIT_TREE, .radix = radix, .steps = steps};
    run_one_way(test, workers, n % 2);
}

static void test_collectives(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= RANKS; n++)
        for (uint32_t workers = 0; workers <= 2; workers++)
            run_one_way((struct case_of){.n = n, .elements = 3001}, workers, (n + workers) % 2);
    run_both_ways((struct case_of){.n = RANKS, .elements = 1}, 2);
    run_both_ways((struct case_of){.n = RANKS, .elements = 5000, .schedule = CW_NBC_SLICES, .fraction = .5}, 2);
    run_both_ways((struct case_of){.n = RANKS, .elements = 5000, .schedule = CW_NBC_SLICES, .fraction = 1}, 0);
}

static void test_trees(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps <= 3; steps++)
        for (uint32_t n = 2; n <= RANKS; n++) run_tree(n, 1 + n % 2, 2, steps);
    for (uint32_t radix = 3; radix <= 5; radix++)
        for (uint32_t steps = 0; steps <= 2; steps++) run_tree(4 + steps % 2, 2, radix, steps);
}

/* Workers do their fraction and no more; a rank that waits does the rest. */
static void test_fraction(void **state)
{
    (void)state;
    static char from[64 * 4096], to[64 * 4096];
    struct cw_nbc_node *node;
    uint32_t comm;
    bool posted, done;
    assert_int_equal(cw_nbc_node_new(2, 1, &node), 0);
    for (uint32_t i = 0; i < 2; i++) cw_nbc_node_join(node, i);
    assert_int_equal(cw_nbc_comm_join(node, 2, 2, (uint32_t[]){0, 1}, &comm), 0);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST,
                                     .bytes = sizeof from,
                                     .chunk = 4096,
                                     .schedule = CW_NBC_SLICES,
                                     .fraction = .75};
    memset(from, 1, sizeof from);
    cw_nbc_post(node, comm, 0, 0, &work, &(struct cw_nbc_part){.send = (uint64_t)(uintptr_t)from}, &posted);
    struct cw_nbc_executor worker = {node, 0, cw_nbc_worker_buffers(node, 0)},
                           rank = {node, UINT32_MAX, worker.buffers};
    assert_false(cw_nbc_serve(&worker, comm, 0)); /* nobody has come yet */
    cw_nbc_post(node, comm, 1, 0, &work, &(struct cw_nbc_part){.recv = (uint64_t)(uintptr_t)to}, &posted);
    unsigned pieces = 0, rest = 0;
    while (cw_nbc_serve(&worker, comm, 0)) pieces++;
    assert_int_equal(pieces, 48);
    assert_int_equal(to[48 * 4096 - 1], 1);
    assert_int_equal(to[48 * 4096], 0);
    assert_int_equal(cw_nbc_poll(node, comm, 1, 0, &done), 0);
    assert_false(done);
    while (cw_nbc_advance(&rank, comm, 1, 0)) rest++;
    assert_int_equal(rest, 16);
    assert_int_equal(cw_nbc_poll(node, comm, 1, 0, &done), 0);
    assert_true(done);
    assert_memory_equal(from, to, sizeof from);
    cw_nbc_node_free(node);
}

/* One rank waits, of a tree that ranks are to execute; nobody else does anything after posting. */
static void test_progress(void **state)
{
    (void)state;
    static char from[8192], to[4][8192];
    struct cw_nbc_node *node;
    uint32_t comm;
    bool posted, done;
    assert_int_equal(cw_nbc_node_new(4, 1, &node), 0);
    for (uint32_t i = 0; i < 4; i++) cw_nbc_node_join(node, i);
    assert_int_equal(cw_nbc_comm_join(node, 3, 4, (uint32_t[]){0, 1, 2, 3}, &comm), 0);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST,
                                     .bytes = sizeof from,
                                     .chunk = 4096,
                                     .schedule = CW_NBC_SPLIT_TREE,
                                     .steps = 2};
    memset(from, 5, sizeof from);
    for (uint32_t i = 0; i < 4; i++) {
        const struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)from, .recv = (uint64_t)(uintptr_t)to[i]};
        cw_nbc_post(node, comm, i, 0, &work, &part, &posted);
    }
    const struct cw_nbc_executor rank = {node, UINT32_MAX, cw_nbc_rank_buffers(node, 3)};
    while (cw_nbc_advance(&rank, comm, 3, 0)) {
    }
    assert_int_equal(cw_nbc_poll(node, comm, 3, 0, &done), 0);
    assert_true(done);
    for (uint32_t i = 1; i < 4; i++) assert_memory_equal(from, to[i], sizeof from);
    cw_nbc_node_free(node);
}

int main(void)
{
    for (const struct cw_collective_traits *traits = cw_collectives; traits->name; traits++)
        if (traits->carried) carried[n_carried++] = cw_collective_kind_of(traits);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_collectives), cmocka_unit_test(test_trees),
                                       cmocka_unit_test(test_fraction), cmocka_unit_test(test_progress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
