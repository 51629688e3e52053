/* Ranks as processes: what they share, each other's memory, a kernel that forbids it, a bad address, and one that has
 * ended. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_agent.h"
#include "nbc/nbc_reach.h"
#include "nbc/nbc_segment_internal.h"

#define BYTES 300001

/* What is particular about the other rank. */
struct other {
    bool agents; /* both ranks have one */
    bool bad;    /* its buffer is nowhere */
    bool leaves; /* ends as soon as it has posted */
    bool dies;   /* ends before */
};

/* The other rank: takes part in a broadcast to BUFFER, waits, and says by its status whether it has what is expected.
 */
static void run_other(pid_t parent, int fd, uint32_t comm, struct other is)
{
    struct cw_nbc_agent *agent = NULL;
    static char buffer[BYTES];
    struct cw_nbc_node *node;
    bool posted, done = false;
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = BYTES, .chunk = CW_NBC_CHUNK};
    if (cw_nbc_node_attach(parent, fd, &node) != 0) _exit(1);
    cw_nbc_node_join(node, 1);
    if (is.dies) _exit(0);
    if (is.agents && !is.leaves && cw_nbc_agent_start(node, 1, NULL, &agent) != 0) _exit(2);
    const struct cw_nbc_part part = {.recv = is.bad ? 8 : (uint64_t)(uintptr_t)buffer};
    cw_nbc_post(node, comm, 1, 0, &work, &part, &posted);
    if (is.leaves) _exit(0);
    int rc = 0;
    while (!done) {
        const uint32_t bell = cw_nbc_bell(node, comm, 1, 0);
        rc = cw_nbc_poll(node, comm, 1, 0, &done);
        if (!done) cw_nbc_sleep(node, comm, 1, 0, bell, .01);
    }
    cw_nbc_agent_stop(agent);
    bool right = buffer[0] == 7 && buffer[BYTES - 1] == 7;
    _exit(is.bad ? rc != CW_EIO : rc || !right);
}

/* *STATUS: of the other; what this rank gets is returned. */
static int broadcast(struct other is, int *status)
{
    struct cw_nbc_agent *agent = NULL;
    static char data[BYTES];
    struct cw_nbc_node *node;
    uint32_t comm;
    bool posted, done = false;
    int rc = 0;
    assert_int_equal(cw_nbc_node_new(2, 0, &node), 0);
    cw_nbc_node_join(node, 0);
    assert_int_equal(cw_nbc_comm_join(node, 1, 2, (uint32_t[]){0, 1}, &comm), 0);
    const pid_t self = getpid(), other = fork();
    if (other == 0) run_other(self, cw_nbc_node_file(node), comm, is);
    if (is.agents) assert_int_equal(cw_nbc_agent_start(node, 0, NULL, &agent), 0);
    memset(data, 7, sizeof data);
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = BYTES, .chunk = CW_NBC_CHUNK};
    struct cw_nbc_executor executor = {node, UINT32_MAX, cw_nbc_rank_buffers(node, 0)};
    cw_nbc_post(node, comm, 0, 0, &work, &(struct cw_nbc_part){.send = (uint64_t)(uintptr_t)data}, &posted);
    for (int i = 0; i < 100000 && !done; i++) {
        rc = cw_nbc_poll(node, comm, 0, 0, &done);
        if (!done && !cw_nbc_advance(&executor, comm, 0, 0)) usleep(1000);
    }
    assert_true(done);
    assert_int_equal(waitpid(other, status, 0), other);
    cw_nbc_agent_stop(agent);
    cw_nbc_node_free(node);
    return rc;
}

static void test_memory(void **state)
{
    (void)state;
    int status;
    assert_int_equal(broadcast((struct other){0}, &status), 0);
    assert_int_equal(status, 0);
    assert_int_equal(broadcast((struct other){.agents = true}, &status), 0);
    assert_int_equal(status, 0);
}

/* As containers and Yama do, in this process and those that it starts. */
static int forbid_attach(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* 0, or which step failed. */
static int run_forbidden(void)
{
    struct cw_nbc_node *node;
    int status;
    if (cw_nbc_node_new(1, 0, &node) != 0) return 1;
    cw_nbc_node_join(node, 0);
    if (cw_nbc_node_check(node) != CW_EIO) return 2;
    const char *message = cw_error_message();
    if (!strstr(message, "Operation not permitted") || !strstr(message, "yama/ptrace_scope")) return 3;
    cw_nbc_node_free(node);
    if (broadcast((struct other){0}, &status) != CW_EIO) return 4;
    return broadcast((struct other){.agents = true}, &status) == 0 && status == 0 ? 0 : 5;
}

static void test_forbidden(void **state)
{
    (void)state;
    int status;
    const pid_t child = fork();
    if (child == 0) _exit(forbid_attach() == 0 ? run_forbidden() : 77);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip(); /* filters cannot be set here */
    assert_int_equal(status, 0);
}

/* An agent that is asked and gone. */
static void test_leaves(void **state)
{
    (void)state;
    int status;
    alarm(200); /* who does not notice waits for ever */
    assert_int_equal(broadcast((struct other){.agents = true, .leaves = true}, &status), CW_EIO);
    alarm(0);
    assert_non_null(strstr(cw_error_message(), "a buffer of rank 1: No such process"));
    assert_int_equal(status, 0);
}

static void test_bad_address(void **state)
{
    (void)state;
    int status;
    assert_int_equal(broadcast((struct other){.bad = true}, &status), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "a buffer of rank 1: Bad address"));
    assert_int_equal(status, 0);
}

static void test_end(void **state)
{
    (void)state;
    struct cw_nbc_node *node;
    int status;
    assert_int_equal(cw_nbc_node_new(2, 0, &node), 0);
    cw_nbc_node_join(node, 0);
    cw_nbc_node_join(node, 1); /* until the other does */
    const int lowest = dup(0);
    close(lowest);
    assert_int_equal(cw_nbc_node_alive(node), 0);
    const pid_t self = getpid(), other = fork();
    if (other == 0) run_other(self, cw_nbc_node_file(node), 0, (struct other){.dies = true});
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), 0); /* nobody has taken note of it yet */
    assert_int_equal(cw_nbc_node_alive(node), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "rank 1 of this host"));
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_false(cw_nbc_is_alive(other));
    assert_true(cw_nbc_is_alive(getppid()));
    const int again = dup(0); /* to look keeps nothing open */
    assert_int_equal(again, lowest);
    close(again);
    cw_nbc_node_free(node);
}

static void test_attach(void **state)
{
    (void)state;
    struct cw_nbc_node *node;
    assert_int_equal(cw_nbc_node_attach(getpid(), 0, &node), CW_EIO);
    assert_int_equal(cw_nbc_check_reach(getpid(), (uint64_t)(uintptr_t) & (uint64_t){5}, 6), CW_EIO);
    assert_int_equal(cw_nbc_check_reach(getpid(), (uint64_t)(uintptr_t) & (uint64_t){5}, 5), 0);
}

static void test_room(void **state)
{
    (void)state;
    struct cw_nbc_node *node;
    uint32_t comm = 0, again;
    assert_int_equal(cw_nbc_node_new(1, 0, &node), 0);
    for (uint32_t i = 0; i < 4096; i++) assert_int_equal(cw_nbc_comm_join(node, i + 1, 1, &(uint32_t){0}, &comm), 0);
    assert_int_equal(cw_nbc_comm_join(node, 5000, 1, &(uint32_t){0}, &again), CW_ELIMIT);
    cw_nbc_comm_leave(node, 17);
    assert_int_equal(cw_nbc_comm_join(node, 5000, 1, &(uint32_t){0}, &again), 0);
    assert_int_equal(again, 17);
    cw_nbc_node_free(node);
}

/* What is shared lies one behind the other. */
static void test_layout(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 40; n += 13)
        for (uint32_t workers = 0; workers <= 4; workers += 2) {
            struct cw_nbc_node *node;
            assert_int_equal(cw_nbc_node_new(n, workers, &node), 0);
            const char *begin = (char *)node->segment, *last = cw_nbc_rank_buffers(node, n + workers);
            assert_true((char *)&node->segment->ranks[n] <= (char *)node->doors);
            assert_true((char *)&node->doors[n] <= (char *)node->errands);
            assert_true((char *)&node->errands[n + workers] <= node->buffers);
            assert_ptr_equal(cw_nbc_worker_buffers(node, 0), node->buffers + (size_t)n * CW_NBC_BUFFERS);
            assert_true(last <= (char *)node->comms);
            assert_true((char *)&node->comms[node->n_places] <= (char *)node->slots);
            assert_true((char *)&node->slots[(size_t)node->n_places * CW_NBC_RING] <= node->heap);
            assert_ptr_equal(node->heap + node->heap_bytes, begin + node->bytes);
            assert_int_equal((uintptr_t)node->buffers % 4096, 0);
            assert_int_equal((uintptr_t)node->heap % CW_NBC_LINE, 0);
            cw_nbc_node_free(node);
        }
}

#define MOST 128

/* Operation NUMBER, a broadcast over all N ranks of COMM, all of which are this process. */
static void run_one(struct cw_nbc_node *node, uint32_t comm, uint32_t n, uint64_t number)
{
    static char from[8], to[MOST][8];
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = sizeof from, .chunk = CW_NBC_CHUNK};
    const struct cw_nbc_executor executor = {node, UINT32_MAX, cw_nbc_rank_buffers(node, 0)};
    bool posted, done;
    memset(to, 0, sizeof to);
    memset(from, (int)(number + 1), sizeof from);
    for (uint32_t rank = 0; rank < n; rank++) {
        assert_int_equal(cw_nbc_poll(node, comm, rank, number, &done), 0);
        assert_false(done); /* not even if another communicator was here before */
        const struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)from, .recv = (uint64_t)(uintptr_t)to[rank]};
        cw_nbc_post(node, comm, rank, number, &work, &part, &posted);
        assert_true(posted);
    }
    for (uint32_t rank = 1; rank < n; rank++) {
        while (cw_nbc_advance(&executor, comm, rank, number)) {
        }
        assert_int_equal(cw_nbc_poll(node, comm, rank, number, &done), 0);
        assert_true(done);
        assert_memory_equal(to[rank], from, sizeof from);
    }
}

/* The operation before it in its slot is under way, whatever there was in the place before. */
static void check_ring(struct cw_nbc_node *node, uint32_t comm)
{
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = 8, .chunk = CW_NBC_CHUNK};
    bool posted;
    cw_nbc_post(node, comm, 0, 0, &work, &(struct cw_nbc_part){0}, &posted);
    assert_true(posted);
    cw_nbc_post(node, comm, 0, CW_NBC_RING, &work, &(struct cw_nbc_part){0}, &posted);
    assert_false(posted);
}

static double kilobytes(const struct cw_nbc_node *node)
{
    struct stat about;
    assert_int_equal(fstat(cw_nbc_node_file(node), &about), 0);
    return (double)about.st_blocks * 512 / 1e3;
}

/* Made by whoever comes first, found by all who come later. A pair takes 16 kB on a host of any size, even after many
 * operations; who comes when others have left takes what these had. */
static void test_places(void **state)
{
    (void)state;
    static uint32_t members[MOST];
    struct cw_nbc_node *node;
    uint32_t comms[40], again, bound[] = {2, 8, 3, 2, 1};
    for (uint32_t rank = 0; rank < MOST; rank++) members[rank] = rank;
    assert_int_equal(cw_nbc_node_new(MOST, 0, &node), 0);
    for (uint32_t rank = 0; rank < MOST; rank++) cw_nbc_node_join(node, rank);
    const double before = kilobytes(node);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(cw_nbc_comm_join(node, 100 + i, 2, members, &comms[i]), 0);
        assert_int_equal(cw_nbc_comm_join(node, 100 + i, 2, members, &again), 0);
        assert_int_equal(again, comms[i]);
        for (uint64_t number = 0; number < (i % 2 ? 100 : 1); number++) run_one(node, comms[i], 2, number);
    }
    assert_true((kilobytes(node) - before) / 40 < 16);
    for (uint32_t i = 0; i < 40; i++) {
        const size_t bytes = CW_NBC_LINE + 2 * (CW_NBC_RING * sizeof(struct post) + sizeof(struct cw_nbc_said));
        assert_int_equal(node->comms[comms[i]].block, i * bytes);
        assert_memory_equal(members_of(node, comms[i]), members, 2 * sizeof *members);
    }
    for (uint32_t i = 0; i < 40; i++) cw_nbc_comm_leave(node, comms[i]);
    assert_int_equal(cw_nbc_comm_join(node, 105, 2, members, &again), 0); /* one has not left */
    assert_int_equal(again, comms[5]);
    for (uint32_t i = 0; i < 40; i++) cw_nbc_comm_leave(node, comms[i]);
    const double pairs = kilobytes(node);
    for (uint32_t round = 0; round < 5; round++) { /* in the same places, but for one that is larger */
        assert_int_equal(cw_nbc_comm_join(node, 200 + round, bound[round], members, &again), 0);
        assert_int_equal(node->comms[again].room, bound[round] <= 2 ? 2 : 8);
        for (uint64_t number = 0; number < 40; number++) run_one(node, again, bound[round], number);
        for (uint32_t rank = 0; rank < bound[round]; rank++) cw_nbc_comm_leave(node, again);
    }
    assert_true(kilobytes(node) - pairs < 8 * 8);
    assert_int_equal(cw_nbc_comm_join(node, 300, MOST, members, &again), 0);
    run_one(node, again, MOST, 0);
    assert_true(kilobytes(node) - pairs < 8 * 8 + 40);
    assert_int_equal(cw_nbc_comm_join(node, 301, 2, members, &again), 0);
    run_one(node, again, 2, 0);
    for (uint32_t rank = 0; rank < 2; rank++) cw_nbc_comm_leave(node, again);
    assert_int_equal(cw_nbc_comm_join(node, 302, 2, members, &comms[0]), 0);
    assert_int_equal(comms[0], again);
    check_ring(node, again);
    assert_int_equal(cw_nbc_comm_join(node, 303, 2, members, &again), 0);
    run_one(node, again, 2, 0);
    node->comms[again].latest = UINT64_C(1) << 40; /* to leave after so many takes no longer */
    for (uint32_t rank = 0; rank < 2; rank++) cw_nbc_comm_leave(node, again);
    cw_nbc_node_free(node);
}

/* Who waits in vain sleeps longer and longer. */
static void test_nap(void **state)
{
    (void)state;
    static const double naps[] = {50e-6, 100e-6, 200e-6, 400e-6, 1e-3, 1e-3};
    for (unsigned round = 0; round < 1000; round++) assert_true(cw_nbc_nap(round, false) == 0);
    assert_true(cw_nbc_nap(0, true) == 0);
    for (unsigned i = 0; i < 6; i++) {
        assert_true(cw_nbc_nap(1000 + i, false) == naps[i]);
        assert_true(cw_nbc_nap(1 + i, true) == naps[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_forbidden),
                                       cmocka_unit_test(test_leaves), cmocka_unit_test(test_bad_address),
                                       cmocka_unit_test(test_end),    cmocka_unit_test(test_attach),
                                       cmocka_unit_test(test_room),   cmocka_unit_test(test_layout),
                                       cmocka_unit_test(test_places), cmocka_unit_test(test_nap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
