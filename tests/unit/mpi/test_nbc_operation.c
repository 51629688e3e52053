/* One operation from the call to its end (mpi/nbc/nbc_operation.c): when it is posted, what a rank that waits does, and
 * what becomes of errors. What the ranks of the host share, MPI and the buffers are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "guarded.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_buffers.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_operation.h"
#include "nbc/nbc_thread_internal.h"

enum { COMMS = 2, NUMBERS = 80, RANKS = 4, ME = 2, HERE = 1, BYTES = 48, ROOT = 3 };

#define REQUEST ((MPI_Request)(uintptr_t)0x99)

struct nbc_job nbc_job = {.lock = CW_LOCK};

static struct nbc_comm comms[COMMS]; /* their places are 0 and 1 */
static struct cw_nbc_said said[COMMS];
static _Atomic uint64_t broken[COMMS];

/* What the ranks of the host share. */
static struct {
    struct {
        bool posted, done;
        int rc;     /* of the operation, once it is done */
        int pieces; /* that this rank could carry out */
        struct cw_nbc_work work;
        struct cw_nbc_part part;
    } all[COMMS][NUMBERS];
    atomic_bool full;
    atomic_int refused; /* how often there was no room */
    int posts[NUMBERS], n_posts, advances, watched, rang;
    int threads, joined; /* that were started, and ended */
    bool no_threads;
    atomic_bool slept_long;
    atomic_int pauses;
    bool dead, alive_asked, starts;
    struct cw_nbc_clash_note clash;
    bool clash_known, left_known;
    struct cw_nbc_asked left;
    int finished, freed, dropped, prepared, prepare_fails;
    double nap;
    unsigned round;
    bool crowded;
    int probes, yields, tests;
    double slept;
    uint32_t bell;
    struct cw_nbc_call native; /* of MPI's own, that was joined */
    int natives, native_tested;
    bool native_done;
} host;

static char node, rank_buffers;

int __wrap_sched_yield(void);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_join(pthread_t thread, void **result)
{
    host.joined++;
    return __real_pthread_join(thread, result);
}

/* Of the thread; these cases wait for a millisecond each time. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (time->tv_sec > 0 || time->tv_nsec > 1000000) host.slept_long = true;
    if (time->tv_nsec < 1000000) host.pauses++;
    return __real_nanosleep(time, left);
}

int __wrap_sched_yield(void)
{
    host.yields++;
    return 0;
}

int cw_nbc_thread_start(void *(*run)(void *), void *argument, const cpu_set_t *cpus, pthread_t *out)
{
    assert_null(cpus);
    host.threads++;
    if (host.no_threads) return cw_fail(CW_EIO, "no thread");
    return pthread_create(out, NULL, run, argument) ? CW_EIO : 0;
}

static void assert_place(const struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number)
{
    assert_true((const char *)of == &node && comm < COMMS && me == HERE && number < NUMBERS);
}

void cw_nbc_post(struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number, const struct cw_nbc_work *work,
                 const struct cw_nbc_part *part, bool *posted)
{
    assert_place(of, comm, me, number);
    assert_false(host.all[comm][number].posted);
    *posted = !host.full;
    if (!*posted) {
        host.refused++;
        return;
    }
    host.all[comm][number].posted = true;
    host.all[comm][number].work = *work;
    host.all[comm][number].part = *part;
    host.posts[host.n_posts++] = (int)(100 * comm + number);
}

int cw_nbc_poll(struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number, bool *done)
{
    assert_place(of, comm, me, number);
    assert_true(host.all[comm][number].posted);
    *done = host.all[comm][number].done;
    if (*done && host.all[comm][number].rc) return cw_fail(host.all[comm][number].rc, "it has failed");
    return 0;
}

bool cw_nbc_clash_of(const struct cw_nbc_node *of, uint32_t comm, uint64_t number, struct cw_nbc_clash_note *out)
{
    assert_place(of, comm, HERE, number);
    *out = host.clash;
    return host.clash_known;
}

bool cw_nbc_has_start(const struct cw_nbc_work *work)
{
    (void)work;
    return host.starts;
}

bool cw_nbc_advance(const struct cw_nbc_executor *executor, uint32_t comm, uint32_t me, uint64_t number)
{
    assert_place(executor->node, comm, me, number);
    assert_true(executor->core == UINT32_MAX && executor->buffers == &rank_buffers);
    assert_true(host.all[comm][number].posted);
    if (host.all[comm][number].done || host.all[comm][number].pieces == 0) return false;
    host.advances++;
    return host.all[comm][number].pieces-- > 0;
}

uint32_t cw_nbc_bell(const struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number)
{
    assert_place(of, comm, me, number);
    return (uint32_t)++host.rang;
}

void cw_nbc_watch(struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number)
{
    assert_place(of, comm, me, number);
    host.watched++;
}

int cw_nbc_node_alive(const struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    host.alive_asked = true;
    return host.dead ? cw_fail(CW_EIO, "a rank has ended") : 0;
}

bool cw_nbc_left_call(const struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t index,
                      struct cw_nbc_asked *out)
{
    assert_place(of, comm, me, index);
    if (host.left_known) *out = host.left;
    return host.left_known;
}

double cw_nbc_nap(unsigned round, bool crowded)
{
    host.round = round;
    host.crowded = crowded;
    return host.nap;
}

void cw_nbc_sleep(struct cw_nbc_node *of, uint32_t comm, uint32_t me, uint64_t number, uint32_t bell, double seconds)
{
    assert_place(of, comm, me, number);
    host.bell = bell;
    host.slept += seconds;
}

int nbc_buffers_prepare(const struct cw_nbc_call *call, int n, int me, const struct nbc_decision *decided,
                        struct cw_nbc_work *work, struct cw_nbc_part *part, struct nbc_buffers *buffers)
{
    assert_true(n == RANKS && me == ME);
    host.prepared++;
    *work = (struct cw_nbc_work){.collective = call->collective, .bytes = BYTES, .schedule = decided->sharing.schedule};
    *part = (struct cw_nbc_part){.send = 5};
    *buffers = (struct nbc_buffers){.gathered = decided->gathered};
    return host.prepare_fails;
}

int nbc_buffers_finish(const struct cw_nbc_call *call, int n, int me, const struct nbc_buffers *buffers)
{
    assert_true(n == RANKS && me == ME && call->root == ROOT);
    host.finished++;
    return buffers->gathered ? cw_fail(CW_EIO, "it cannot be reduced") : 0;
}

void nbc_buffers_free(struct nbc_buffers *buffers)
{
    (void)buffers;
    host.freed++;
}

void nbc_comm_drop(struct nbc_comm *comm)
{
    assert_true(comm == &comms[comm->place]);
    host.dropped++;
}

void nbc_describe(const struct cw_nbc_call *call, const struct nbc_comm *comm, struct cw_nbc_asked *out)
{
    (void)comm;
    *out = (struct cw_nbc_asked){.rank = ME, .root = (uint32_t)call->root, .bytes = {1, 2}};
}

int nbc_fail_of_clash(const struct cw_nbc_clash_note *note)
{
    assert_memory_equal(note, &host.clash, sizeof *note);
    return cw_fail(CW_EUSAGE, "they clash");
}

int nbc_start_native(const struct cw_nbc_call *call, MPI_Request *request)
{
    host.native = *call;
    host.natives++;
    memset((char *)call->recv, 0, RANKS * host.left.bytes[0] + 1); /* there is memory for it */
    assert_int_equal(((const char *)call->send)[RANKS * host.left.bytes[0]], 0);
    *request = REQUEST;
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    assert_true(*request == REQUEST && status == MPI_STATUS_IGNORE);
    host.native_tested++;
    *flag = host.native_done;
    return MPI_SUCCESS;
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    assert_true(source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG && comm == MPI_COMM_SELF);
    assert_true(status == MPI_STATUS_IGNORE);
    host.probes++;
    *flag = 0;
    return MPI_SUCCESS;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int begin_host(void **state)
{
    (void)state;
    memset(&host, 0, sizeof host);
    renew_memory();
    memset(comms, 0, sizeof comms);
    nbc_job.node = (struct cw_nbc_node *)&node;
    nbc_job.buffers = &rank_buffers;
    nbc_job.cores.crowded = false;
    nbc_job.comms = &comms[0];
    for (uint32_t i = 0; i < COMMS; i++) {
        broken[i] = 0;
        memset(&said[i], 0, sizeof said[i]);
        comms[i].n = RANKS;
        comms[i].me = ME;
        comms[i].place = i;
        comms[i].here = HERE;
        comms[i].said = &said[i];
        comms[i].broken = &broken[i];
        comms[i].handle = MPI_COMM_SELF;
        comms[i].after = i + 1 < COMMS ? &comms[i + 1] : NULL;
    }
    return 0;
}

static struct nbc_operation *begin_as(uint32_t comm, struct nbc_decision decided)
{
    struct nbc_operation *o;
    const struct cw_nbc_call call = {.collective = CW_COLLECTIVE_REDUCE, .root = ROOT};
    decided.comm = &comms[comm];
    assert_int_equal(nbc_operation_begin(&call, &decided, &o), 0);
    return o;
}

static struct nbc_operation *begin(uint32_t comm)
{
    return begin_as(comm, (struct nbc_decision){.side = NBC_OURS});
}

static bool is_done(struct nbc_operation *o)
{
    bool done;
    assert_int_equal(nbc_operation_test(o, &done), 0);
    return done;
}

/* The workers carry out operation NUMBER of COMM. */
static void end(uint32_t comm, uint64_t number)
{
    host.all[comm][number].done = true;
}

static void finish(struct nbc_operation *o)
{
    assert_true(is_done(o));
    nbc_operation_free(o);
}

static void it_is_posted_at_once(void **state)
{
    (void)state;
    comms[1].calls = 9; /* of MPI's own */
    struct nbc_operation *first = begin(1), *second = begin(1);
    assert_true(host.n_posts == 2 && host.posts[0] == 100 && host.posts[1] == 101);
    assert_true(comms[1].calls == 11 && comms[1].next == 2 && comms[1].n_operations == 2);
    assert_true(said[1].calls == 11 && said[1].next == 2);
    const struct cw_nbc_part *part = &host.all[1][1].part;
    assert_true(part->send == 5 && part->index == 10 && part->asked.root == ROOT);
    assert_true(part->asked.bytes[0] == 1 && part->asked.bytes[1] == 2 && !host.all[1][1].work.relayed);
    assert_false(is_done(first));
    end(1, 0);
    finish(first);
    assert_false(is_done(second));
    assert_true(host.finished == 1 && host.freed == 1 && host.dropped == 1);
    end(1, 1);
    assert_true(is_done(second) && is_done(second));
    assert_int_equal(host.finished, 2); /* once each */
    finish(second);
    assert_true(host.freed == 2 && host.dropped == 2);
    nbc_operation_free(NULL);
}

static void hosts_and_reductions_of_ranks(void **state)
{
    bool done;
    (void)state;
    const struct nbc_decision decided = {.gathered = true, .sharing.schedule = CW_NBC_SLICES};
    struct nbc_operation *here = begin_as(0, decided);
    comms[1].spans = true;
    struct nbc_operation *far = begin_as(1, decided);
    const struct cw_nbc_part *part = &host.all[0][0].part;
    assert_true(part->asked.bytes[0] == BYTES && part->asked.bytes[1] == BYTES);
    assert_true(!host.all[0][0].work.relayed && host.all[0][0].work.schedule == CW_NBC_SLICES);
    assert_true(host.all[1][0].work.relayed && host.all[1][0].work.schedule == CW_NBC_AUTO);
    end(0, 0);
    end(1, 0);
    assert_int_equal(nbc_operation_test(here, &done), CW_EIO); /* of the reduction, once it is done */
    assert_true(done);
    assert_int_equal(nbc_operation_test(here, &done), 0);
    assert_int_equal(nbc_operation_test(far, &done), CW_EIO);
    nbc_operation_free(here);
    nbc_operation_free(far);
}

/* A split tree begins with what the ranks do. */
static void trees_are_started(void **state)
{
    (void)state;
    for (int starts = 0; starts < 2; starts++) {
        begin_host(NULL);
        host.starts = starts;
        host.all[0][0].pieces = 3;
        struct nbc_operation *o = begin(0);
        assert_int_equal(host.advances, starts ? 3 : 0);
        end(0, 0);
        finish(o);
    }
}

static void what_cannot_begin(void **state)
{
    struct nbc_operation *o = NULL;
    const struct cw_nbc_call call = {.collective = CW_COLLECTIVE_REDUCE};
    const struct nbc_decision decided = {.comm = &comms[0]};
    (void)state;
    memory.starved_at = 1;
    assert_int_equal(nbc_operation_begin(&call, &decided, &o), CW_ENOMEM);
    host.prepare_fails = CW_EIO;
    assert_int_equal(nbc_operation_begin(&call, &decided, &o), CW_EIO);
    assert_true(!o && comms[0].next == 0 && comms[0].calls == 0 && host.n_posts == 0);
}

/* An operation waits for the one in its place, 32 before; who comes first is posted first. */
static void places_are_used_again(void **state)
{
    struct nbc_operation *all[2 * NBC_RING + 2];
    (void)state;
    for (int i = 0; i < 2 * NBC_RING + 2; i++) all[i] = begin(0);
    assert_int_equal(host.n_posts, NBC_RING);
    end(0, 1);
    assert_false(is_done(all[2 * NBC_RING]));
    assert_int_equal(host.n_posts, NBC_RING);
    end(0, 0);
    assert_false(is_done(all[NBC_RING]));
    assert_int_equal(host.n_posts, NBC_RING + 2);
    for (uint64_t i = 0; i < 2 * NBC_RING + 2; i++) {
        assert_true(i < NBC_RING || !is_done(all[i])); /* posts what there is room for */
        end(0, i);
        finish(all[i]);
    }
    assert_int_equal(host.n_posts, 2 * NBC_RING + 2);
    for (int i = 0; i < host.n_posts; i++) assert_int_equal(host.posts[i], i);
    assert_true(!comms[0].first && !comms[0].last);
    nbc_operation_stop_posting();
}

static void wait_for(atomic_int *value, int at_least)
{
    for (int i = 0; i < 10000 && *value < at_least; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_true(*value >= at_least);
}

static int posts_so_far(void)
{
    lock_take(&nbc_job.lock);
    const int n = host.n_posts;
    lock_give(&nbc_job.lock);
    return n;
}

/* A thread posts what had no room, though the rank does nothing; it looks again and again while there is something. */
static void a_thread_posts(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) { /* it can be ended, and begins again */
        begin_host(NULL);
        host.full = true;
        struct nbc_operation *first = begin(1);
        wait_for(&host.refused, 3);
        struct nbc_operation *second = begin(1), *third = begin(0);
        assert_int_equal(posts_so_far(), 0);
        host.full = false;
        for (int i = 0; i < 10000 && posts_so_far() < 3; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
        assert_int_equal(posts_so_far(), 3);
        host.full = true;
        struct nbc_operation *fourth = begin(0); /* the thread sleeps by then, or not: it wakes up */
        const int before = host.refused;
        wait_for(&host.refused, before + 2);
        host.full = false;
        for (int i = 0; i < 10000 && posts_so_far() < 4; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
        nbc_operation_stop_posting();
        assert_true(host.n_posts == 4 && host.threads == 1 && host.joined == 1);
        assert_true(host.pauses > 0 && !host.slept_long);
        assert_true(!comms[0].first && !comms[0].last && !comms[1].first && !comms[1].last);
        for (uint64_t i = 0; i < 2; i++) end(0, i), end(1, i);
        finish(first), finish(second), finish(third), finish(fourth);
        nbc_operation_stop_posting(); /* there is none */
        assert_int_equal(host.joined, 1);
    }
}

/* Without a thread the rank posts when it looks. */
static void a_rank_posts(void **state)
{
    (void)state;
    host.no_threads = true;
    host.full = true;
    struct nbc_operation *first = begin(0), *second = begin(1);
    assert_true(host.threads == 2 && !is_done(first));
    host.full = false;
    assert_false(is_done(first));
    assert_true(host.n_posts == 1 && host.posts[0] == 0 && !is_done(second));
    end(0, 0), end(1, 0);
    finish(first), finish(second);
    nbc_operation_stop_posting();
}

/* Without room for its own a rank helps with what others wait for. */
static void ranks_help(void **state)
{
    (void)state;
    struct nbc_operation *first = begin(0), *second = begin(1), *third = begin(1);
    host.all[1][1].pieces = 1;
    host.all[1][0].pieces = 2;
    host.all[0][0].pieces = 1;
    assert_false(is_done(third)); /* its own piece, … */
    assert_int_equal(host.all[1][1].pieces, 0);
    assert_false(is_done(third)); /* … then that of the oldest, … */
    assert_true(host.all[0][0].pieces == 0 && host.all[1][0].pieces == 2);
    assert_false(is_done(third)); /* … then of the next */
    assert_true(host.all[1][0].pieces == 1 && host.advances == 3);
    end(0, 0);
    finish(first);
    end(1, 1); /* the newest ends before one that is older */
    finish(third);
    struct nbc_operation *fourth = begin(0);
    assert_false(is_done(fourth));
    assert_true(host.all[1][0].pieces == 0 && host.advances == 4);
    assert_false(is_done(fourth)); /* nothing */
    end(1, 0);
    finish(second);
    assert_false(is_done(fourth));
    end(0, 1);
    finish(fourth);
    assert_int_equal(host.advances, 4);

    begin_host(NULL); /* one that has no room yet: its rank helps others */
    first = begin(0);
    host.full = true;
    second = begin(1);
    host.all[0][0].pieces = 1;
    assert_false(is_done(second));
    assert_true(host.advances == 1 && host.rang == 0 && host.watched == 0);
    host.full = false;
    assert_false(is_done(second));
    assert_true(host.rang == 1 && host.watched == 1);
    end(0, 0), end(1, 0);
    finish(first), finish(second);
    nbc_operation_stop_posting();
}

/* Where ranks take turns on their cores, only what must be done by ranks is. */
static void crowded_ranks_do_not_help(void **state)
{
    (void)state;
    nbc_job.cores.crowded = true;
    for (int schedule = CW_NBC_AUTO; schedule <= CW_NBC_SLICES; schedule++) {
        const struct nbc_decision decided = {.sharing.schedule = (enum cw_nbc_schedule)schedule};
        const uint64_t number = comms[0].next;
        struct nbc_operation *o = begin_as(0, decided);
        host.all[0][number].pieces = 1;
        assert_false(is_done(o));
        assert_int_equal(host.all[0][number].pieces, schedule == CW_NBC_AUTO);
        host.all[0][number].pieces = 0;
        end(0, number);
        finish(o);
    }
}

static void who_waits_sleeps(void **state)
{
    (void)state;
    struct nbc_operation *o = begin(0);
    assert_false(is_done(o));
    nbc_operation_sleep(o); /* not at first */
    assert_true(host.round == 0 && host.probes == 0 && host.slept == 0 && !host.crowded);
    host.nap = 0.25;
    nbc_job.cores.crowded = true;
    nbc_operation_sleep(o);
    assert_true(host.round == 1 && host.probes == 1 && host.slept == 0.25 && host.crowded);
    assert_true(host.bell == (uint32_t)host.rang && host.yields == 0); /* of before the test */
    nbc_job.cores.crowded = false;
    assert_false(is_done(o));
    nbc_operation_sleep(o);
    assert_int_equal(host.round, 2); /* there was nothing to do */
    host.all[0][0].pieces = 1;
    assert_false(is_done(o));
    nbc_operation_sleep(o);
    assert_int_equal(host.round, 0); /* there was */
    end(0, 0);
    finish(o);

    host.full = true;
    o = begin(0);
    host.slept = 0;
    nbc_operation_sleep(o); /* nothing of it can ring a bell */
    assert_true(host.slept == 0 && host.yields == 1 && host.probes == 4);
    host.full = false;
    assert_false(is_done(o));
    end(0, 1);
    finish(o);
    nbc_operation_stop_posting();
}

/* Every so often a rank looks whether the others live. */
static void who_has_ended_is_noticed(void **state)
{
    bool done;
    (void)state;
    struct nbc_operation *o = begin(0);
    host.nap = 1e-3;
    for (int i = 0; i < 511; i++) {
        assert_false(is_done(o));
        assert_false(host.alive_asked);
        nbc_operation_sleep(o);
    }
    assert_false(is_done(o)); /* they do */
    assert_true(host.alive_asked);
    host.alive_asked = false;
    nbc_operation_sleep(o);
    host.dead = true;
    for (int i = 0; i < 511; i++) {
        assert_false(is_done(o));
        nbc_operation_sleep(o);
    }
    assert_false(host.alive_asked);
    assert_int_equal(nbc_operation_test(o, &done), CW_EIO);
    assert_true(done && host.finished == 0);
    nbc_operation_free(o); /* left alone: others may use its memory */
    assert_int_equal(host.freed, 0);
    end(0, 0);
    assert_int_equal(nbc_operation_test(o, &done), 0); /* and it can be asked again */
    nbc_operation_free(o);
    assert_int_equal(host.freed, 1);
}

static void errors_end_it(void **state)
{
    bool done;
    (void)state;
    struct nbc_operation *o = begin(0);
    host.all[0][0].rc = CW_EIO;
    end(0, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nbc_operation_test(o, &done), CW_EIO);
        assert_true(done && host.finished == 0);
    }
    nbc_operation_free(o);
    assert_true(host.freed == 1 && !comms[0].posted[0]);
}

/* Ranks did not ask for the same. */
static struct nbc_operation *clash(bool left)
{
    bool done;
    struct nbc_operation *o = begin(0);
    const uint64_t number = comms[0].next - 1;
    host.clash_known = true;
    host.clash.left = left;
    host.all[0][number].rc = CW_EUSAGE;
    end(0, number);
    assert_int_equal(nbc_operation_test(o, &done), CW_EUSAGE);
    assert_true(done && host.finished == 0);
    assert_string_equal(cw_error_message(), "they clash");
    return o;
}

static void what_clashes_fails(void **state)
{
    (void)state;
    host.left_known = true;
    nbc_operation_free(clash(false));
    assert_int_equal(host.natives, 0); /* nobody waits in MPI */
    comms[0].freed = true;
    nbc_operation_free(clash(true));
    assert_int_equal(host.natives, 0); /* nobody can take part */
    assert_int_equal(host.freed, 2);
}

/* Others wait in MPI for a call that this rank has on our side: it takes its part there, with memory of nobody. */
static void others_are_joined(void **state)
{
    static const struct {
        enum cw_nbc_kind kind;
        uint64_t size, bytes, count;
        int type; /* double, float, int, byte */
    } cases[] = {{CW_NBC_REAL, 8, 24, 3, 0},    {CW_NBC_REAL, 4, 24, 6, 1},    {CW_NBC_SIGNED, 4, 20, 5, 2},
                 {CW_NBC_SIGNED, 8, 24, 24, 3}, {CW_NBC_UNSIGNED, 4, 8, 8, 3}, {CW_NBC_REAL, 16, 32, 32, 3},
                 {CW_NBC_COMPLEX, 8, 8, 8, 3},  {CW_NBC_COMPLEX, 4, 8, 8, 3},  {CW_NBC_SIGNED, 2, 8, 8, 3}};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_BYTE};
    (void)state;
    host.left_known = true;
    host.native_done = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        host.left = (struct cw_nbc_asked){.collective = CW_COLLECTIVE_GATHER, .root = ROOT};
        host.left.bytes[0] = cases[i].bytes;
        host.left.basic[0] = cw_nbc_basic_of(cases[i].kind, cases[i].size);
        nbc_operation_free(clash(true));
        assert_int_equal(host.natives, (int)i + 1);
        const struct cw_nbc_call *call = &host.native;
        assert_true(call->collective == CW_COLLECTIVE_GATHER && call->root == ROOT && call->comm == MPI_COMM_SELF);
        assert_true(call->send_type == types[cases[i].type] && call->recv_type == types[cases[i].type]);
        assert_true((uint64_t)call->send_count == cases[i].count && (uint64_t)call->recv_count == cases[i].count);
        assert_true(call->op == (cases[i].type == 3 ? MPI_BOR : MPI_SUM));
    }
    const int n = host.natives;
    nbc_operation_end();
    assert_true(host.native_tested == n && memory.live == 0);
    nbc_operation_end(); /* all are forgotten */
    assert_int_equal(host.native_tested, n);
}

/* Of the sanitizer, if there is one: what is lost between them is so on purpose. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void who_is_not_joined(void **state)
{
    (void)state;
    host.clash.b = (struct cw_nbc_asked){.collective = CW_COLLECTIVE_BCAST, .root = 1};
    nbc_operation_free(clash(true)); /* nobody has left this one, and the communicator broke by none … */
    broken[0] = 2;
    comms[0].calls = 2;
    nbc_operation_free(clash(true)); /* … or by another */
    assert_int_equal(host.natives, 0);
    broken[0] = 4;
    comms[0].calls = 3;
    if (__lsan_disable) __lsan_disable();
    nbc_operation_free(clash(true)); /* another host has left the one by which it broke */
    if (__lsan_enable) __lsan_enable();
    assert_true(host.natives == 1 && host.native.collective == CW_COLLECTIVE_BCAST && host.native.root == 1);
    host.left_known = true;
    host.left = (struct cw_nbc_asked){.collective = CW_COLLECTIVE_BCAST, .refused = 1};
    nbc_operation_free(clash(true)); /* MPI refuses it: nobody waits */
    host.left = (struct cw_nbc_asked){.collective = CW_COLLECTIVES};
    nbc_operation_free(clash(true)); /* nobody knows what it is */
    host.left.collective = CW_NBC_OTHERS;
    nbc_operation_free(clash(true));
    host.left = (struct cw_nbc_asked){.collective = CW_COLLECTIVE_BARRIER};
    for (int lacks = 1; lacks <= 3; lacks++) { /* memory is out */
        memory.allocations = -1;               /* that of the operation is not meant */
        memory.starved_at = lacks;
        nbc_operation_free(clash(true));
    }
    memory.starved_at = 0;
    assert_int_equal(host.natives, 1);
    assert_int_equal(memory.live, 3);
    host.native_done = false;
    nbc_operation_end(); /* MPI may still use what it was given */
    assert_true(host.native_tested == 1 && memory.live == 3);
}

#define CASE(NAME) cmocka_unit_test_setup(NAME, begin_host)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(it_is_posted_at_once),
        CASE(hosts_and_reductions_of_ranks),
        CASE(trees_are_started),
        CASE(what_cannot_begin),
        CASE(places_are_used_again),
        CASE(a_thread_posts),
        CASE(a_rank_posts),
        CASE(ranks_help),
        CASE(crowded_ranks_do_not_help),
        CASE(who_waits_sleeps),
        CASE(who_has_ended_is_noticed),
        CASE(errors_end_it),
        CASE(what_clashes_fails),
        CASE(others_are_joined),
        CASE(who_is_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
