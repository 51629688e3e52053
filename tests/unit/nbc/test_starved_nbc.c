/* Memory that ends while ranks of a host, their trees, and what is known of other hosts are set up: an error that says
 * so, whichever allocation fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../starve.h"
#include "nbc/nbc_between.h"
#include "nbc/nbc_fabric.h"
#include "nbc/nbc_hosts.h"
#include "nbc/nbc_node.h"
#include "nbc/nbc_program.h"
#include "nbc/nbc_worker.h"

#define RANKS 5

/* A host, and the trees of its collectives. */
static int set_up_host(void *data)
{
    static const enum cw_collective_kind collectives[] = {CW_COLLECTIVE_BCAST, CW_COLLECTIVE_REDUCE,
                                                          CW_COLLECTIVE_SCATTER};
    struct cw_nbc_node *node = NULL;
    struct cw_nbc_worker *worker = NULL;
    uint64_t *bytes = data;
    int rc = cw_nbc_node_new(RANKS, 1, &node);
    if (rc == 0) rc = cw_nbc_worker_start(node, 0, -1, 0, &worker);
    for (size_t i = 0; rc == 0 && i < sizeof collectives / sizeof *collectives; i++) {
        const struct cw_nbc_work work = {.collective = collectives[i],
                                         .bytes = 100,
                                         .chunk = CW_NBC_CHUNK,
                                         .schedule = CW_NBC_SPLIT_TREE,
                                         .steps = 1};
        rc = cw_nbc_room(node, &work, RANKS, 4, &bytes[i]);
    }
    cw_nbc_worker_stop(worker);
    cw_nbc_node_free(node);
    return rc;
}

static void host(void **state)
{
    (void)state;
    uint64_t bytes[3] = {0}, expected[3] = {0};
    assert_int_equal(set_up_host(expected), 0);
    starve("a host", set_up_host, bytes, 10);
    assert_memory_equal(bytes, expected, sizeof bytes);
}

#define ASKING 4

struct asking {
    const struct cw_nbc_node *node;
    pthread_barrier_t *begin;
    uint32_t n;
};

static void *ask(void *data)
{
    const struct asking *asking = data;
    const struct cw_nbc_work work = {
        .collective = CW_COLLECTIVE_GATHER, .bytes = 1, .chunk = CW_NBC_CHUNK, .schedule = CW_NBC_SPLIT_TREE};
    uint64_t bytes;
    pthread_barrier_wait(asking->begin);
    return cw_nbc_room(asking->node, &work, asking->n, 0, &bytes) ? NULL : data;
}

/* How often memory is allocated while N_THREADS ask for a tree of N ranks that nobody has asked for before. */
static unsigned long count_allocations(const struct cw_nbc_node *node, uint32_t n, unsigned n_threads)
{
    pthread_t threads[ASKING];
    pthread_barrier_t begin;
    struct asking asking = {.node = node, .begin = &begin, .n = n};
    void *done = NULL;
    assert_int_equal(pthread_barrier_init(&begin, NULL, n_threads + 1), 0);
    for (unsigned i = 0; i < n_threads; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking), 0);
    allocations = 0;
    failing = ULONG_MAX; /* none does; all are counted */
    pthread_barrier_wait(&begin);
    for (unsigned i = 0; i < n_threads; i++) {
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_non_null(done);
    }
    failing = 0;
    pthread_barrier_destroy(&begin);
    return allocations;
}

/* Who asks for the same tree together gets the same one: it is planned once. */
static void planned_once(void **state)
{
    (void)state;
    struct cw_nbc_node *node = NULL, *other = NULL;
    assert_int_equal(cw_nbc_node_new(RANKS, 1, &node), 0);
    assert_int_equal(cw_nbc_node_new(RANKS, 1, &other), 0);
    for (uint32_t n = 8193; n < 8199; n++)
        assert_int_equal(count_allocations(node, n, ASKING), count_allocations(other, n, 1));
    cw_nbc_node_free(node);
    cw_nbc_node_free(other);
}

/* Three hosts, of which this one is in the middle of a chain: *DATA is whom it sends to. */
static int set_up_hosts(void *data)
{
    static const int leaders[RANKS] = {4, 0, 4, 9, 0}, places[] = {2, -1, -1, -1, 0, -1, -1, -1, -1, 1};
    const struct cw_nbc_between chain = {.shape = CW_NBC_CHAIN};
    struct cw_nbc_hosts hosts = {0};
    struct cw_schedule *schedule = NULL;
    struct cw_nbc_program *program = NULL;
    int rc = cw_nbc_hosts_new(RANKS, leaders, 0, places, &hosts);
    if (rc) return rc;
    rc = cw_nbc_between_schedule(&chain, CW_COLLECTIVE_ALLREDUCE, 1, &schedule);
    if (!rc) rc = cw_nbc_program_new(schedule, (uint32_t)hosts.n, 1, &program);
    if (!rc) *(int *)data = cw_nbc_hosts_next(&hosts, false, 0, (int)program->streams[program->n_streams - 1].peer);
    cw_nbc_program_free(program);
    cw_schedule_free(schedule);
    cw_nbc_hosts_free(&hosts);
    return rc;
}

static void hosts(void **state)
{
    (void)state;
    int child = 0;
    starve("hosts", set_up_hosts, &child, 8);
    assert_int_equal(child, 2);
}

#define PATH "starved_fabric.txt"

static int read_fabric(void *data)
{
    struct cw_nbc_fabric *expected = data, fabric = {.n = 0};
    struct cw_text text = {0};
    int rc = cw_nbc_fabric_read(PATH, &fabric);
    if (rc) return rc;
    assert_int_equal(fabric.n, expected->n);
    cw_nbc_fabric_print(&fabric, &text);
    rc = cw_text_check(&text);
    if (rc == 0) assert_int_equal(cw_nbc_fabric_place(&fabric, "node12"), 1);
    cw_text_free(&text);
    cw_nbc_fabric_free(&fabric);
    return rc;
}

static void fabric(void **state)
{
    (void)state;
    char names[40][16], *list[40];
    struct cw_nbc_fabric written = {.network = "n", .routes = "r", .placement = "p", .n = 40, .hosts = list};
    struct cw_nbc_tree_choice choice = {.collective = CW_COLLECTIVE_BCAST, .hosts = 4, .bytes = 100, .time = 1e-3};
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "node%d", 11 + i);
        list[i] = names[i];
    }
    assert_int_equal(cw_nbc_between_parse("tree", "binomial", &choice.between), 0);
    assert_int_equal(cw_nbc_trees_put(&written.trees, &choice), 0);
    assert_int_equal(cw_nbc_fabric_write(PATH, &written), 0);
    starve("a fabric", read_fabric, &written, 40);
    unlink(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(host), cmocka_unit_test(planned_once), cmocka_unit_test(hosts),
                                       cmocka_unit_test(fabric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
