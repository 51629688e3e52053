/* What a relay sees of operations that take in other hosts, and what it does for ranks of its host. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_agent.h"
#include "nbc/nbc_reach.h"
#include "nbc/nbc_relay.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_worker.h"

#define RANKS 3
#define BYTES 1000

static struct cw_nbc_node *node;
static struct cw_nbc_worker *worker;
static uint32_t comm, inner;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(cw_nbc_node_new(RANKS, 1, &node), 0);
    for (uint32_t rank = 0; rank < RANKS; rank++) cw_nbc_node_join(node, rank);
    assert_int_equal(cw_nbc_comm_join(node, 1, RANKS, (uint32_t[]){0, 1, 2}, &comm), 0);
    assert_int_equal(cw_nbc_comm_join(node, 2, RANKS + 1, (uint32_t[]){0, 1, 2, 0}, &inner), 0);
    return cw_nbc_worker_start(node, 0, -1, 0, &worker);
}

static int tear_down(void **state)
{
    (void)state;
    cw_nbc_worker_stop(worker);
    cw_nbc_node_free(node);
    return 0;
}

static uint64_t address(const void *memory)
{
    return (uint64_t)(uintptr_t)memory;
}

static bool is_done(uint32_t rank, uint64_t number, int expected)
{
    bool done;
    assert_int_equal(cw_nbc_poll(node, comm, rank, number, &done), expected);
    return done;
}

static void note(void)
{
    const char about[] = "hosts";
    cw_nbc_relay_note(node, comm, &(struct cw_nbc_note){77, inner, sizeof about, address(about)});
}

/* Nobody but the relay touches it; all ranks hear of its end, and how it was. */
static void test_posted_seen_and_ended(void **state)
{
    (void)state;
    const struct cw_nbc_work work = {
        .collective = CW_COLLECTIVE_BCAST, .root = 12, .bytes = BYTES, .chunk = CW_NBC_CHUNK, .relayed = true};
    struct cw_nbc_note found;
    struct cw_nbc_clash_note clash;
    struct cw_nbc_work seen;
    struct cw_nbc_part part;
    uint64_t number;
    uint32_t n_posted;
    bool posted;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        cw_nbc_post(node, comm, rank, 0, &work, &(struct cw_nbc_part){.recv = 100 + rank}, &posted);
        assert_true(posted);
        if (rank == 0) assert_int_equal(cw_nbc_relay_active(node, comm, &found), 0); /* it was not told of */
        if (rank == 0) note();
        assert_int_equal(cw_nbc_relay_active(node, comm, &found), 1);
        assert_int_equal(found.key, 77);
        assert_true(cw_nbc_relay_look(node, comm, 0, &number, &seen, &n_posted, &clash));
        assert_int_equal(n_posted, rank + 1);
        assert_int_equal(seen.root, 12);
        assert_true(cw_nbc_relay_part(node, comm, 0, rank, &part));
        assert_int_equal(part.recv, 100 + rank);
        if (rank < RANKS - 1) assert_false(cw_nbc_relay_part(node, comm, 0, rank + 1, &part));
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) assert_false(is_done(rank, 0, 0));
    cw_nbc_relay_end(node, comm, 0, EFAULT, 1);
    for (uint32_t rank = 0; rank < RANKS; rank++) assert_true(is_done(rank, 0, CW_EIO));
    assert_int_equal(cw_nbc_relay_active(node, comm, &found), 0);
    assert_false(cw_nbc_relay_look(node, comm, 0, &number, &seen, &n_posted, &clash));
}

/* What the first that is there asks for, and who the ranks are; once the relay has failed it, whoever still comes
 * hears the same, and the slot is free. */
static void test_failed_by_the_relay(void **state)
{
    (void)state;
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = BYTES, .chunk = 1, .relayed = true};
    const struct cw_nbc_asked asked = {.bytes = {BYTES, BYTES}, .op = CW_NBC_OP_UNSAID};
    struct cw_nbc_clash_note clash, told = {CW_NBC_OTHER_ROOT, false, asked, asked};
    struct cw_nbc_work seen;
    const uint32_t *members;
    uint64_t number;
    uint32_t n_posted;
    bool posted, done;
    assert_int_equal(cw_nbc_relay_comms(node), 2);
    assert_int_equal(cw_nbc_relay_members(node, inner, &members), RANKS + 1);
    assert_memory_equal(members, ((uint32_t[]){0, 1, 2, 0}), (RANKS + 1) * sizeof *members);
    struct cw_nbc_part part = {.asked = asked};
    for (uint32_t rank = RANKS; rank-- > 1;) {
        part.asked.rank = 40 + rank;
        cw_nbc_post(node, comm, rank, 0, &work, &part, &posted);
        assert_true(cw_nbc_relay_look(node, comm, 0, &number, &seen, &n_posted, &clash));
        assert_int_equal(n_posted, RANKS - rank);
        assert_int_equal(clash.a.rank, 40 + rank);
        assert_int_equal(clash.clash, CW_NBC_AGREE);
    }
    told.a.rank = 3;
    told.b.rank = 77;
    cw_nbc_relay_fail(node, comm, 0, &told);
    assert_false(cw_nbc_relay_look(node, comm, 0, &number, &seen, &n_posted, &clash));
    assert_int_equal(cw_nbc_poll(node, comm, 2, 0, &done), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "one collective with different roots: rank 3 calls"));
    assert_false(is_done(0, 0, 0));
    cw_nbc_post(node, comm, 0, 0, &work, &part, &posted);
    assert_true(posted && is_done(0, 0, CW_EUSAGE) && is_done(1, 0, CW_EUSAGE));
    cw_nbc_post(node, comm, 0, 32, &work, &part, &posted);
    assert_true(posted);
}

/* A clash on this host is the relay's to tell others of before the slot is free. */
static void test_clash_is_shown_to_the_relay(void **state)
{
    (void)state;
    struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = BYTES, .chunk = 1, .relayed = true}, seen;
    struct cw_nbc_part part = {.asked = {.bytes = {BYTES, BYTES}, .op = CW_NBC_OP_UNSAID}};
    struct cw_nbc_clash_note clash;
    uint64_t number;
    uint32_t n_posted;
    bool posted;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        part.asked.rank = rank;
        part.asked.bytes[0] = part.asked.bytes[1] = BYTES - (rank > 0);
        cw_nbc_post(node, comm, rank, 5, &work, &part, &posted);
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) assert_true(is_done(rank, 5, CW_EUSAGE));
    assert_true(cw_nbc_relay_look(node, comm, 5, &number, &seen, &n_posted, &clash));
    assert_int_equal(number, 5);
    assert_int_equal(n_posted, RANKS);
    assert_int_equal(clash.clash, CW_NBC_OTHER_BYTES);
    assert_int_equal(clash.b.rank, 1);
    assert_int_equal(clash.b.bytes[0], BYTES - 1);
    cw_nbc_post(node, comm, 0, 37, &work, &part, &posted);
    assert_false(posted);
    cw_nbc_relay_fail(node, comm, 5, &clash);
    assert_false(cw_nbc_relay_look(node, comm, 5, &number, &seen, &n_posted, &clash));
    cw_nbc_post(node, comm, 0, 37, &work, &part, &posted);
    assert_true(posted);
}

/* Neither worker nor rank begins an allreduce whose ranks of this host are all there. */
static void test_left_to_the_relay(void **state)
{
    (void)state;
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_ALLREDUCE,
                                     .bytes = sizeof(int32_t),
                                     .chunk = CW_NBC_CHUNK,
                                     .type = CW_NBC_INT32,
                                     .op = CW_NBC_SUM,
                                     .relayed = true};
    int32_t given[RANKS] = {1, 20, 300}, got[RANKS] = {0};
    bool posted;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        cw_nbc_post(node, comm, rank, 0, &work,
                    &(struct cw_nbc_part){.send = address(&given[rank]), .recv = address(&got[rank])}, &posted);
    assert_false(cw_nbc_serve(&(struct cw_nbc_executor){node, 0, cw_nbc_worker_buffers(node, 0)}, comm, 0));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const struct cw_nbc_executor executor = {node, UINT32_MAX, cw_nbc_rank_buffers(node, rank)};
        assert_false(cw_nbc_advance(&executor, comm, rank, 0));
        assert_false(is_done(rank, 0, 0));
    }
    cw_nbc_relay_end(node, comm, 0, 0, 0);
    assert_memory_equal(got, ((int32_t[RANKS]){0}), sizeof got);
}

/* One operation of the inner communicator, whose parts the relay posts; it is done for its root when it is for all. */
static void carry_out(uint64_t number, const struct cw_nbc_work *work, const struct cw_nbc_part *parts)
{
    bool done = false, posted;
    for (uint32_t i = 0; i <= RANKS; i++) {
        cw_nbc_post(node, inner, i, number, work, &parts[i], &posted);
        assert_true(posted);
    }
    while (!done) {
        const uint32_t bell = cw_nbc_bell(node, inner, work->root, number);
        assert_int_equal(cw_nbc_poll(node, inner, work->root, number, &done), 0);
        if (!done) cw_nbc_sleep(node, inner, work->root, number, bell, .01);
    }
}

/* The relay gets the sum and gives nothing to it; then gives one on, and to a root's host gets nothing. */
static void test_reduced_and_spread(void **state)
{
    (void)state;
    int32_t given[RANKS] = {1, 20, 300}, got[RANKS] = {0}, sum = 7;
    struct cw_nbc_part parts[RANKS + 1] = {{0}};
    struct cw_nbc_work work = {.collective = CW_COLLECTIVE_REDUCE,
                               .root = RANKS,
                               .bytes = sizeof sum,
                               .chunk = CW_NBC_CHUNK,
                               .type = CW_NBC_INT32,
                               .op = CW_NBC_SUM};
    for (uint32_t i = 0; i < RANKS; i++) parts[i].send = address(&given[i]);
    parts[RANKS] = (struct cw_nbc_part){.recv = address(&sum), .absent = true};
    carry_out(0, &work, parts);
    assert_int_equal(sum, 321);

    work.collective = CW_COLLECTIVE_BCAST;
    for (uint32_t i = 0; i < RANKS; i++) parts[i] = (struct cw_nbc_part){.recv = address(&got[i])};
    parts[RANKS] = (struct cw_nbc_part){.send = address(&sum)};
    carry_out(1, &work, parts);
    assert_memory_equal(got, ((int32_t[]){321, 321, 321}), sizeof got);

    work.root = 1;
    parts[1] = (struct cw_nbc_part){.send = address(&given[1])};
    parts[RANKS] = (struct cw_nbc_part){.recv = 8, .absent = true};
    carry_out(2, &work, parts);
    assert_memory_equal(got, ((int32_t[]){20, 321, 20}), sizeof got);
}

/* Where ranks do not reach each other's memory: through what the host shares, from and to anywhere. */
static void test_memory_by_agents(void **state)
{
    (void)state;
    static char theirs[3 * CW_NBC_CHUNK + 5], ours[sizeof theirs];
    static const char constant[] = "what nobody may write to";
    struct cw_nbc_agent *agent;
    node->apart = true;
    assert_int_equal(cw_nbc_agent_start(node, 1, NULL, &agent), 0);
    for (size_t i = 0; i < sizeof theirs; i++) theirs[i] = (char)(i % 251);
    assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(theirs), sizeof ours), 0);
    assert_memory_equal(ours, theirs, sizeof ours);
    memset(theirs, 0, sizeof theirs);
    assert_int_equal(cw_nbc_relay_write(node, 1, ours, address(theirs), sizeof ours), 0);
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_int_equal(cw_nbc_relay_write(node, 1, constant, address(theirs), sizeof constant), 0);
    assert_string_equal(theirs, constant);
    assert_int_equal(cw_nbc_relay_read(node, 1, ours, 4096, 8), EFAULT);
    assert_int_equal(cw_nbc_relay_write(node, 1, ours, 4096, 8), EFAULT);
    cw_nbc_agent_stop(agent);
}

/* Drivers reserve addresses for the memory of devices, which processors cannot read: of another process, and of one's
 * own. */
static void test_memory_of_a_device(void **state)
{
    (void)state;
    enum { LONG = 2 * CW_NBC_CHUNK };
    static char ours[LONG];
    struct cw_nbc_agent *agent;
    void *reserved = mmap(NULL, LONG, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(reserved != MAP_FAILED);
    assert_int_equal(cw_nbc_agent_start(node, 1, NULL, &agent), 0);
    assert_true(cw_nbc_is_near(node, 1)); /* no bytes are anywhere */
    assert_int_equal(cw_nbc_combine_in(node, 1, CW_NBC_INT32, CW_NBC_SUM, ours, NULL, 0, 0), 0);
    for (int apart = 0; apart < 2; apart++) {
        node->apart = apart;
        assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(reserved), LONG), EFAULT);
        assert_int_equal(cw_nbc_relay_write(node, 1, ours, address(reserved), LONG), EFAULT);
        assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(reserved) + 1, 1), EFAULT);
    }
    assert_int_equal(mprotect(reserved, CW_NBC_CHUNK, PROT_READ | PROT_WRITE), 0); /* it begins as it should */
    for (int apart = 0; apart < 2; apart++) {
        node->apart = apart;
        assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(reserved), CW_NBC_CHUNK), 0);
        assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(reserved) + CW_NBC_CHUNK - 8, 16), EFAULT);
    }
    munmap((char *)reserved + CW_NBC_CHUNK / 2, CW_NBC_CHUNK / 4); /* a hole */
    assert_int_equal(cw_nbc_relay_read(node, 1, ours, address(reserved), CW_NBC_CHUNK), EFAULT);
    cw_nbc_agent_stop(agent);
    munmap(reserved, LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_posted_seen_and_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_by_the_relay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clash_is_shown_to_the_relay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_left_to_the_relay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reduced_and_spread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_by_agents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_of_a_device, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
