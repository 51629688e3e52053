/* Which pieces of an operation are taken, by whom and how many at once, with nobody else about; and what workers do
 * besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stopwatch.h"
#include "nbc/nbc_pieces_internal.h"
#include "nbc/nbc_tree.h"
#include "nbc/nbc_worker.h"
#include "traffic/schedule.h"

#define MOST 70 /* ranks: more than a piece of a broadcast serves at once */

static char from[MOST][4096], to[MOST][4096 * 4];

struct scene {
    struct cw_nbc_node *node;
    uint32_t n, comm;
    uint64_t number;
};

static struct scene scene_of(uint32_t n, uint32_t workers)
{
    struct scene out = {.n = n};
    uint32_t members[MOST];
    assert_int_equal(cw_nbc_node_new(n, workers, &out.node), 0);
    for (uint32_t i = 0; i < n; i++) cw_nbc_node_join(out.node, members[i] = i);
    assert_int_equal(cw_nbc_comm_join(out.node, 9, n, members, &out.comm), 0);
    for (uint32_t i = 0; i < n; i++) memset(from[i], (int)i + 1, sizeof from[i]);
    memset(to, 0, sizeof to);
    return out;
}

/* Rank ME posts operation number `number` of the scene. */
static void post(const struct scene *scene, const struct cw_nbc_work *work, uint32_t me)
{
    bool posted;
    const struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)from[me], .recv = (uint64_t)(uintptr_t)to[me]};
    cw_nbc_post(scene->node, scene->comm, me, scene->number, work, &part, &posted);
    assert_true(posted);
}

static void post_all(const struct scene *scene, const struct cw_nbc_work *work)
{
    for (uint32_t me = 0; me < scene->n; me++) post(scene, work, me);
}

static bool serve(const struct scene *scene)
{
    const struct cw_nbc_executor worker = {scene->node, 0, cw_nbc_worker_buffers(scene->node, 0)};
    return cw_nbc_serve(&worker, scene->comm, scene->number % CW_NBC_RING);
}

static bool help(const struct scene *scene, uint32_t me)
{
    const struct cw_nbc_executor rank = {scene->node, UINT32_MAX, cw_nbc_rank_buffers(scene->node, me)};
    return cw_nbc_advance(&rank, scene->comm, me, scene->number);
}

static bool is_done(const struct scene *scene, uint32_t me)
{
    bool done;
    assert_int_equal(cw_nbc_poll(scene->node, scene->comm, me, scene->number, &done), 0);
    return done;
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

/* A message has its bytes in chunks, the last of what is left; where all take part in all, an operation has them of all
 * blocks. */
static void test_chunks(void **state)
{
    (void)state;
    static const uint64_t bytes[] = {0, 1, 99, 100, 101, 200, 1001};
    static const uint32_t chunks[] = {1, 1, 1, 1, 2, 2, 11};
    static const uint32_t times[CW_COLLECTIVES] = {
        [CW_COLLECTIVE_BCAST] = 1,    [CW_COLLECTIVE_REDUCE] = 1, [CW_COLLECTIVE_ALLREDUCE] = 1,
        [CW_COLLECTIVE_SCATTER] = 1,  [CW_COLLECTIVE_GATHER] = 1, [CW_COLLECTIVE_ALLGATHER] = 7,
        [CW_COLLECTIVE_ALLTOALL] = 49};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int collective = 0; collective < CW_COLLECTIVES; collective++) {
            const struct cw_nbc_work work = {
                .collective = (enum cw_collective_kind)collective, .bytes = bytes[i], .chunk = 100};
            if (times[collective] == 0) continue;
            assert_int_equal(cw_nbc_message_chunks(&work), chunks[i]);
            assert_int_equal(cw_nbc_chunks(&work, 7), times[collective] * chunks[i]);
        }
}

/* Without agents one chunk at a time; with them as many as fit a batch, but no more than a worker's share, nor than are
 * left of the message. */
static void check_batches(enum cw_collective_kind collective, uint32_t chunk, uint32_t workers, bool agents,
                          uint32_t pieces)
{
    struct scene scene = scene_of(2, workers);
    const struct cw_nbc_work work = {
        .collective = collective, .bytes = 4096, .chunk = chunk, .type = CW_NBC_INT8, .op = CW_NBC_SUM};
    uint32_t n = 0;
    scene.node->agents = agents;
    post_all(&scene, &work);
    while (serve(&scene)) n++;
    assert_int_equal(n, pieces);
    assert_true(is_done(&scene, 0) && is_done(&scene, 1));
    cw_nbc_node_free(scene.node);
}

static void test_batches(void **state)
{
    (void)state;
    check_batches(CW_COLLECTIVE_BCAST, 512, 1, false, 8);
    check_batches(CW_COLLECTIVE_BCAST, 512, 1, true, 1);
    check_batches(CW_COLLECTIVE_BCAST, 512, 2, true, 2);
    check_batches(CW_COLLECTIVE_BCAST, 512, 3, true, 3); /* 3, 3, 2 */
    check_batches(CW_COLLECTIVE_BCAST, 600, 3, true, 3); /* of seven: 3, 3, 1 */
    check_batches(CW_COLLECTIVE_ALLREDUCE, 512, 1, false, 8);
    check_batches(CW_COLLECTIVE_ALLREDUCE, 512, 3, true, 3);
    check_batches(CW_COLLECTIVE_ALLGATHER, 512, 1, false, 16);
    check_batches(CW_COLLECTIVE_ALLGATHER, 512, 1, true, 2); /* two blocks */
    check_batches(CW_COLLECTIVE_ALLGATHER, 512, 3, true, 4); /* sixths: 6, 2, 6, 2 */
    check_batches(CW_COLLECTIVE_ALLGATHER, 512, 16, true, 16);
}

/* The batch is a mebibyte. */
static void test_long_batches(void **state)
{
    (void)state;
    enum { LONG = 5 << 19, CHUNK = 1 << 17 }; /* two batches and a half */
    struct scene scene = scene_of(2, 1);
    char *all = calloc(3, LONG);
    uint32_t pieces = 0;
    bool posted;
    assert_non_null(all);
    memset(all, 7, LONG);
    const struct cw_nbc_work work = {
        .collective = CW_COLLECTIVE_ALLREDUCE, .bytes = LONG, .chunk = CHUNK, .type = CW_NBC_UINT8, .op = CW_NBC_MAX};
    scene.node->agents = true;
    for (uint32_t me = 0; me < 2; me++) {
        const struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)all,
                                         .recv = (uint64_t)(uintptr_t)(all + (size_t)(me + 1) * LONG)};
        cw_nbc_post(scene.node, scene.comm, me, 0, &work, &part, &posted);
    }
    while (serve(&scene)) pieces++;
    assert_int_equal(pieces, 3);
    assert_memory_equal(all, all + LONG, LONG);
    assert_memory_equal(all, all + (size_t)2 * LONG, LONG);
    free(all);
    cw_nbc_node_free(scene.node);
}

/* --- strands --------------------------------------------------------------------------------------------------------
 */

/* A broadcast serves 64 at once, the root none. */
static void test_fan(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, pieces;
    } cases[] = {{2, 1}, {64, 1}, {65, 1}, {66, 2}, {70, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = scene_of(cases[i].n, 1);
        const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .root = 1, .bytes = 8, .chunk = 8};
        uint32_t pieces = 0;
        post_all(&scene, &work);
        while (serve(&scene)) pieces++;
        assert_int_equal(pieces, cases[i].pieces);
        for (uint32_t me = 0; me < scene.n; me++) {
            assert_true(is_done(&scene, me));
            assert_int_equal(to[me][7], me == 1 ? 0 : 2);
        }
        cw_nbc_node_free(scene.node);
    }
}

/* The chunk that most lack comes first for a worker; a rank takes the last of its own strand, then those of the others
 * behind it. */
static void test_ends_of_strands(void **state)
{
    (void)state;
    struct scene scene = scene_of(4, 1);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = 4, .chunk = 1};
    post_all(&scene, &work);
    assert_true(help(&scene, 2));
    assert_memory_equal(to[2], ((char[]){0, 0, 0, 1}), 4);
    assert_true(serve(&scene)); /* the first of all three */
    for (uint32_t me = 1; me < 4; me++) assert_int_equal(to[me][0], 1);
    assert_true(help(&scene, 2));
    assert_true(help(&scene, 2));
    assert_memory_equal(to[2], ((char[]){1, 1, 1, 1}), 4);
    assert_true(is_done(&scene, 2));
    assert_false(is_done(&scene, 3));
    assert_true(help(&scene, 2)); /* of the one behind it */
    assert_memory_equal(to[3], ((char[]){1, 0, 0, 1}), 4);
    assert_memory_equal(to[1], ((char[]){1, 0, 0, 0}), 4);
    assert_true(serve(&scene) && serve(&scene)); /* the second and the third of both */
    assert_memory_equal(to[3], ((char[]){1, 1, 1, 1}), 4);
    assert_memory_equal(to[1], ((char[]){1, 1, 1, 0}), 4);
    assert_true(is_done(&scene, 3) && !is_done(&scene, 1) && !is_done(&scene, 0));
    assert_true(help(&scene, 2));
    assert_false(help(&scene, 1) || serve(&scene));
    for (uint32_t me = 0; me < 4; me++) assert_true(is_done(&scene, me));
    cw_nbc_node_free(scene.node);
}

/* Where all take part in every chunk, workers take from the front and ranks from the back. */
static void test_ends_of_one_strand(void **state)
{
    (void)state;
    struct scene scene = scene_of(3, 1);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_ALLREDUCE,
                                     .bytes = 4,
                                     .chunk = 1,
                                     .type = CW_NBC_INT8,
                                     .op = CW_NBC_SUM,
                                     .schedule = CW_NBC_SLICES,
                                     .fraction = 0.5};
    post(&scene, &work, 0);
    post(&scene, &work, 2);
    assert_false(serve(&scene) || help(&scene, 0)); /* not before all are there */
    post(&scene, &work, 1);
    assert_true(serve(&scene));
    assert_memory_equal(to[1], ((char[]){6, 0, 0, 0}), 4);
    assert_true(help(&scene, 0));
    assert_memory_equal(to[1], ((char[]){6, 0, 0, 6}), 4);
    assert_true(serve(&scene));
    assert_false(serve(&scene)); /* it has done its half */
    assert_memory_equal(to[1], ((char[]){6, 6, 0, 6}), 4);
    assert_false(is_done(&scene, 0));
    assert_true(help(&scene, 1));
    assert_false(help(&scene, 1));
    for (uint32_t me = 0; me < 3; me++) assert_true(is_done(&scene, me));
    cw_nbc_node_free(scene.node);
}

/* A slot is the next operation's once all is done, and not before; 32 may be under way. */
static void test_ring(void **state)
{
    (void)state;
    struct scene scene = scene_of(2, 1);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = 8, .chunk = 8};
    bool posted;
    for (scene.number = 0; scene.number < CW_NBC_RING; scene.number++) post_all(&scene, &work);
    for (uint64_t number = CW_NBC_RING; number < 3 * CW_NBC_RING; number++) {
        cw_nbc_post(scene.node, scene.comm, 0, number, &work, &(struct cw_nbc_part){0}, &posted);
        assert_false(posted);
        scene.number = number - CW_NBC_RING;
        assert_true(help(&scene, 1));
        assert_true(is_done(&scene, 0) && is_done(&scene, 1));
        scene.number = number;
        assert_false(is_done(&scene, 0));
        post_all(&scene, &work);
        assert_int_equal(scene.node->comms[scene.comm].active, UINT32_MAX);
        assert_int_equal(scene.node->comms[scene.comm].latest, number);
    }
    cw_nbc_node_free(scene.node);
}

/* --- what cannot be reached --------------------------------------------------------------------------------------- */

/* The rank whose buffer is nowhere is named to all; of several errors the first. */
static void test_nowhere(void **state)
{
    (void)state;
    for (uint32_t bad = 0; bad < 3; bad++) {
        struct scene scene = scene_of(3, 1);
        const struct cw_nbc_work work = {
            .collective = CW_COLLECTIVE_ALLREDUCE, .bytes = 4, .chunk = 2, .type = CW_NBC_INT8, .op = CW_NBC_SUM};
        char expected[80];
        bool posted, done;
        for (uint32_t me = 0; me < 3; me++) {
            const struct cw_nbc_part part = {.send = me == bad ? 4096 : (uint64_t)(uintptr_t)from[me],
                                             .recv = (uint64_t)(uintptr_t)to[me]};
            cw_nbc_post(scene.node, scene.comm, me, 0, &work, &part, &posted);
        }
        while (serve(&scene)) {
        }
        snprintf(expected, sizeof expected, "could not reach a buffer of rank %u: Bad address; it is not there", bad);
        for (uint32_t me = 0; me < 3; me++) {
            assert_int_equal(cw_nbc_poll(scene.node, scene.comm, me, 0, &done), CW_EIO);
            assert_true(done);
            assert_non_null(strstr(cw_error_message(), expected));
        }
        cw_nbc_node_free(scene.node);
    }
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

/* Ranks at and below RANK of N, relative to the root: those that a message of the tree's broadcast goes to through it.
 */
static uint32_t below(uint32_t n, uint32_t radix, uint32_t rank)
{
    struct cw_schedule *schedule;
    struct cw_messages messages = {0};
    char spec[32];
    uint32_t rounds, blocks, count = 0;
    bool in[MOST] = {[0] = false};
    snprintf(spec, sizeof spec, "knomial-bcast:%u", radix);
    assert_int_equal(cw_schedule_new(spec, &schedule), 0);
    assert_int_equal(cw_schedule_plan(schedule, n, &rounds, &blocks), 0);
    for (uint32_t round = 0; round < rounds; round++)
        assert_int_equal(cw_schedule_round(schedule, n, round, &messages), 0);
    in[rank] = true;
    for (size_t i = 0; i < messages.n; i++) /* parents before children */
        if (in[messages.items[i].src]) in[messages.items[i].dst] = true;
    for (uint32_t i = 0; i < n; i++) count += in[i];
    cw_messages_free(&messages);
    cw_schedule_free(schedule);
    return count;
}

/* What a rank passes on needs room: blocks of all below it, or what it and they have together. */
static void test_room(void **state)
{
    (void)state;
    struct scene scene = scene_of(2, 1);
    for (uint32_t n = 2; n <= 17; n++)
        for (uint32_t me = 0; me < n; me++)
            for (uint32_t radix = 0; radix <= 4; radix += 2)
                for (int collective = 0; collective < CW_COLLECTIVES; collective++) {
                    const struct cw_collective_traits *traits = &cw_collectives[collective];
                    const struct cw_nbc_work work = {.collective = (enum cw_collective_kind)collective,
                                                     .bytes = 100,
                                                     .chunk = 100,
                                                     .root = n / 2,
                                                     .schedule = CW_NBC_SPLIT_TREE,
                                                     .radix = radix};
                    const uint32_t relative = (me + n - n / 2) % n;
                    const uint32_t all = below(n, radix ? radix : 2, relative);
                    uint64_t bytes, expected = 0;
                    if (!traits->carried) continue;
                    if (traits->tree && cw_collective_has_blocks(work.collective))
                        expected = relative > 0 ? 100 * (all - 1) : 0;
                    else if (traits->tree && traits->root_takes)
                        expected = relative > 0 && all > 1 ? 100 : 0;
                    assert_int_equal(cw_nbc_room(scene.node, &work, n, me, &bytes), 0);
                    if (bytes != expected)
                        fail_msg("%s among %u: rank %u needs %lu, not %lu", traits->name, n, me, (unsigned long)bytes,
                                 (unsigned long)expected);
                    assert_int_equal(cw_nbc_has_start(&work), traits->tree && !traits->root_gives);
                }
    cw_nbc_node_free(scene.node);
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

static _Atomic uint32_t calls;
static _Atomic enum cw_nbc_beside answer;
static _Atomic bool masked, one_cpu;

static enum cw_nbc_beside beside(void *state)
{
    sigset_t set;
    cpu_set_t cpus;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    masked = sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGUSR1) == 1;
    one_cpu =
        sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1 && CPU_ISSET(*(size_t *)state, &cpus);
    calls++;
    return answer;
}

/* Until it was called more often than N times; false after a while. */
static bool calls_pass(uint32_t n)
{
    const double end = cw_stopwatch_now() + 30;
    while (calls <= n && cw_stopwatch_now() < end) usleep(200);
    return calls > n;
}

static void test_worker(void **state)
{
    (void)state;
    struct scene scene = scene_of(1, 1);
    struct cw_nbc_worker *worker;
    cpu_set_t cpus;
    size_t cpu = 0;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    while (!CPU_ISSET(cpu, &cpus)) cpu++;
    assert_int_equal(cw_nbc_worker_start(scene.node, 0, (int)cpu, 0, &worker), 0);
    cw_nbc_worker_also(worker, beside, &cpu);
    for (int i = 0; i < 2; i++) { /* again and again, with no news */
        answer = i ? CW_NBC_SOMETHING : CW_NBC_WAITING;
        calls = 0;
        cw_nbc_tell(scene.node);
        assert_true(calls_pass(20));
        assert_true(masked && one_cpu);
    }
    answer = CW_NBC_NOTHING;
    while (scene.node->segment->sleepers == 0) usleep(200); /* it sleeps, … */
    const uint32_t before = calls;
    usleep(20000);
    assert_int_equal(calls, before);
    cw_nbc_tell(scene.node); /* … until there is news */
    assert_true(calls_pass(before));
    cw_nbc_worker_stop(worker);
    cw_nbc_worker_stop(NULL);
    cw_nbc_node_free(scene.node);
}

/* Sets of processors have 1,024; no machine has the last. */
static void test_no_such_core(void **state)
{
    (void)state;
    struct scene scene = scene_of(1, 1);
    struct cw_nbc_worker *worker = NULL;
    assert_int_equal(cw_nbc_worker_start(scene.node, 0, CPU_SETSIZE - 1, 0, &worker), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "a communication core is not there, or this job may not use it"));
    assert_null(worker);
    cw_nbc_node_free(scene.node);
}

/* Who waits for what does not come waits as long as it says. */
static void test_sleep(void **state)
{
    (void)state;
    struct scene scene = scene_of(1, 0);
    const double begin = cw_stopwatch_now();
    cw_nbc_sleep(scene.node, scene.comm, 0, 0, cw_nbc_bell(scene.node, scene.comm, 0, 0), 0.05);
    const double waited = cw_stopwatch_now() - begin;
    assert_true(waited >= 0.05 && waited < 30);
    _Atomic uint32_t word = 3;
    cw_nbc_futex_wait(&word, 4, 0); /* it is another already */
    cw_nbc_sleep(scene.node, scene.comm, 0, 0, cw_nbc_bell(scene.node, scene.comm, 0, 0) + 1, 0);
    cw_nbc_node_free(scene.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_long_batches),
        cmocka_unit_test(test_fan),
        cmocka_unit_test(test_ends_of_strands),
        cmocka_unit_test(test_ends_of_one_strand),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_nowhere),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_worker),
        cmocka_unit_test(test_no_such_core),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
