/* A world for tests of how a rank begins and ends (mpi/nbc/nbc_job.c): MPI, the other ranks and all that carries
 * collectives out are made up; what is called is noted. */
#ifndef CW_TESTS_NBC_JOB_TEST_H
#define CW_TESTS_NBC_JOB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <locale.h>

#include "base/error.h"
#include "mpi/nbc/nbc.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_cores.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_operation.h"
#include "mpi/nbc/nbc_places.h"
#include "mpi/nbc/nbc_relay_thread.h"
#include "mpi/nbc/nbc_wire.h"
#include "nbc/nbc_agent.h"
#include "notes.h"

#define HOST ((MPI_Comm)(uintptr_t)0x44)

enum { KEYVAL = 9, HOOK = 11, PID = 77, FILE_OF_NODE = 5, OTHER = 1, MOST = 6 };

/* The world as this rank sees it. */
static struct {
    int n, rank, n_local, local_rank, leader;
    int level, other_level, other_cores; /* of threads; what other hosts have */
    struct cw_nbc_settings settings;
    struct nbc_cores cores;
    const char *fails;     /* this call, … */
    int other_fails_at;    /* … or another rank, which is heard of when all agree for the so-manieth time */
    int agreements, asked; /* how often so far; how many ranks there are */
    int open;              /* what was opened and not closed */
    MPI_Delete_function *hook;
    locale_t locale; /* while settings are read */
    bool freed;      /* that locale */
} world;

static bool is_to_fail(const char *what)
{
    return world.fails && strcmp(world.fails, what) == 0;
}

/* Whether WHAT goes well, which opens something. */
static int opened(const char *what)
{
    if (is_to_fail(what)) return cw_fail(CW_EIO, "%s has failed", what);
    world.open++;
    return 0;
}

static void closed(const char *what)
{
    note("%s", what);
    world.open--;
}

static const char *name_of(MPI_Comm comm)
{
    return comm == HOST ? "host" : comm == MPI_COMM_WORLD ? "world" : "another";
}

/* --- MPI ---------------------------------------------------------------------------------------------------------- */

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    assert_true(comm == MPI_COMM_WORLD && type == MPI_COMM_TYPE_SHARED && key == 0 && info == MPI_INFO_NULL);
    if (opened("split")) return MPI_ERR_OTHER;
    *out = HOST;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    assert_true(*comm == HOST);
    closed("free host");
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *n)
{
    world.asked += comm == MPI_COMM_WORLD;
    *n = comm == HOST ? world.n_local : world.n;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = comm == HOST ? world.local_rank : world.rank;
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "an MPI of the test");
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = world.level;
    return MPI_SUCCESS;
}

int PMPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const int *mine = in;
    int *result = out;
    if (type == MPI_INT) { /* the least level of threads and number of cores */
        assert_true(n == 2 && op == MPI_MIN && comm == MPI_COMM_WORLD);
        result[0] = mine[0] < world.other_level ? mine[0] : world.other_level;
        result[1] = mine[1] < world.other_cores ? mine[1] : world.other_cores;
        return MPI_SUCCESS;
    }
    assert_true(n == 1 && type == MPI_2INT && op == MPI_MINLOC);
    assert_int_equal(mine[1], comm == HOST ? world.local_rank : world.rank);
    result[0] = mine[0];
    result[1] = mine[1];
    if (++world.agreements == world.other_fails_at) {
        result[0] = CW_ELIMIT;
        result[1] = OTHER;
    }
    note("agree in %s on %d", name_of(comm), mine[0]);
    return MPI_SUCCESS;
}

int PMPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int me;
    PMPI_Comm_rank(comm, &me);
    if (buffer == &nbc_job.settings) {
        assert_true(type == MPI_BYTE && n == (int)sizeof nbc_job.settings && root == 0 && comm == MPI_COMM_WORLD);
        if (me != root) nbc_job.settings = world.settings;
        note("settings");
    } else if (buffer == &nbc_job.leader) {
        assert_true(type == MPI_INT && n == 1 && root == 0 && comm == HOST);
        if (me != root) nbc_job.leader = world.leader;
    } else if (type == MPI_CHAR) {
        if (me == root)
            note("tell '%s'", (char *)buffer);
        else
            snprintf(buffer, (size_t)n, "it is full");
    } else {
        struct {
            pid_t pid;
            int file;
        } where;
        assert_true(type == MPI_BYTE && n == (int)sizeof where && root == 0 && comm == HOST);
        memcpy(&where, buffer, sizeof where);
        if (me == root) assert_true(where.pid == getpid() && where.file == FILE_OF_NODE);
        where.pid = PID;
        where.file = FILE_OF_NODE;
        memcpy(buffer, &where, sizeof where);
        note("where");
    }
    return MPI_SUCCESS;
}

int PMPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int n_each, MPI_Datatype type_each,
                   MPI_Comm comm)
{
    assert_true(n == 1 && n_each == 1 && type == MPI_INT && type_each == MPI_INT && comm == MPI_COMM_WORLD);
    assert_int_equal(world.asked, 1); /* there is room for so many */
    for (int i = 0; i < world.n; i++) ((int *)out)[i] = *(const int *)in * 10 + i;
    note("gather %d", *(const int *)in);
    return MPI_SUCCESS;
}

int PMPI_Barrier(MPI_Comm comm)
{
    note("barrier of %s", name_of(comm));
    return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval,
                            void *extra)
{
    (void)copy;
    assert_null(extra);
    if (opened("hook")) return MPI_ERR_OTHER;
    world.hook = delete;
    *keyval = HOOK;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    assert_true(comm == MPI_COMM_SELF && keyval == HOOK && value == &nbc_job);
    if (!is_to_fail("attribute")) return MPI_SUCCESS;
    world.open--; /* it is the program's end */
    return MPI_ERR_OTHER;
}

int PMPI_Comm_free_keyval(int *keyval)
{
    assert_true(*keyval == HOOK || *keyval == KEYVAL);
    closed(*keyval == HOOK ? "hooked" : "free keyval");
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* --- what carries collectives out --------------------------------------------------------------------------------- */

static char node;

int cw_nbc_settings_read(const char *mpi, struct cw_nbc_settings *out)
{
    assert_string_equal(mpi, "an MPI of the test");
    note("read");
    world.locale = uselocale((locale_t)0);
    if (is_to_fail("read")) return cw_fail(CW_EUSAGE, "read has failed");
    *out = world.settings;
    return 0;
}

void cw_nbc_settings_fit(struct cw_nbc_settings *settings, uint32_t cores)
{
    assert_ptr_equal(settings, &nbc_job.settings);
    note("fit %u cores", cores);
}

void nbc_cores_choose(MPI_Comm host, bool works, const struct cw_nbc_settings *settings, struct nbc_cores *out)
{
    assert_true(host == HOST && settings == &nbc_job.settings);
    note("cores of one that %s", works ? "works" : "rests");
    *out = world.cores;
}

int cw_nbc_node_new(uint32_t n_ranks, uint32_t n_workers, struct cw_nbc_node **out)
{
    note("node of %u ranks, %u workers", n_ranks, n_workers);
    if (opened("node")) return CW_EIO;
    *out = (struct cw_nbc_node *)&node;
    return 0;
}

int cw_nbc_node_file(const struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    return FILE_OF_NODE;
}

int cw_nbc_node_attach(pid_t pid, int fd, struct cw_nbc_node **out)
{
    note("attach %d:%d", (int)pid, fd);
    if (opened("attach")) return CW_EIO;
    *out = (struct cw_nbc_node *)&node;
    return 0;
}

void cw_nbc_node_join(struct cw_nbc_node *of, uint32_t rank)
{
    assert_ptr_equal(of, &node);
    note("join as %u", rank);
}

void cw_nbc_node_close(struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    note("close");
}

void cw_nbc_node_free(struct cw_nbc_node *of)
{
    if (of) closed("free node");
}

int cw_nbc_node_check(const struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    note("check");
    return is_to_fail("check") ? cw_fail(CW_EIO, "check has failed") : 0;
}

char *cw_nbc_rank_buffers(const struct cw_nbc_node *of, uint32_t rank)
{
    assert_ptr_equal(of, &node);
    return &node + rank;
}

void cw_nbc_agents_for_batches(struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    note("agents for batches");
}

int cw_nbc_agent_start(struct cw_nbc_node *of, uint32_t rank, const cpu_set_t *cpus, struct cw_nbc_agent **out)
{
    assert_true((char *)of == &node && cpus == &nbc_job.cores.set);
    note("agent %u", rank);
    if (opened("agent")) return CW_EIO;
    *out = (struct cw_nbc_agent *)&world;
    return 0;
}

void cw_nbc_agent_stop(struct cw_nbc_agent *agent)
{
    if (!agent) return;
    assert_ptr_equal(agent, &world);
    closed("stop agent");
}

static char workers[MOST];

int cw_nbc_worker_start(struct cw_nbc_node *of, uint32_t core, int cpu, double spin, struct cw_nbc_worker **out)
{
    assert_ptr_equal(of, &node);
    note("worker %u on %d, %g ms", core, cpu, spin * 1e3);
    if (opened("worker")) return CW_EIO;
    *out = (struct cw_nbc_worker *)&workers[core];
    return 0;
}

void cw_nbc_worker_stop(struct cw_nbc_worker *worker)
{
    note("stop worker %d", (int)((char *)worker - workers));
    world.open--;
}

void cw_nbc_worker_also(struct cw_nbc_worker *worker, cw_nbc_aside *aside, void *state)
{
    assert_true(aside == nbc_relays_step && state == &world);
    note("worker %d relays", (int)((char *)worker - workers));
}

enum cw_nbc_beside nbc_relays_step(void *state)
{
    (void)state;
    return CW_NBC_NOTHING;
}

static int place;

int nbc_relays_new(struct cw_nbc_node *of, int leader, const struct cw_nbc_between *asked,
                   const struct cw_nbc_trees *trees, const int *places, struct nbc_relays **out)
{
    assert_true((char *)of == &node && asked == &nbc_job.settings.between && trees && places == &place);
    note("relays of %d", leader);
    if (opened("relays")) return CW_ENOMEM;
    *out = (struct nbc_relays *)&world;
    return 0;
}

void nbc_relays_free(struct nbc_relays *relays)
{
    if (relays) closed("free relays");
}

int nbc_places_find(const struct cw_nbc_settings *settings, struct nbc_places *out)
{
    assert_ptr_equal(settings, &nbc_job.settings);
    note("places");
    if (opened("places")) return CW_EIO;
    out->of_world = &place;
    return 0;
}

void nbc_places_free(struct nbc_places *places)
{
    if (places->of_world) closed("free places");
    places->of_world = NULL;
}

static bool is_wired;

int nbc_wire_open(void)
{
    note("wire");
    if (opened("wire")) return CW_EIO;
    is_wired = true;
    return 0;
}

void nbc_wire_close(void)
{
    if (is_wired) closed("close wire");
    is_wired = false;
}

int nbc_comm_keyval_new(int *keyval)
{
    if (opened("keyval")) return CW_EIO;
    *keyval = KEYVAL;
    return 0;
}

static bool is_checking;

int nbc_check_open(void)
{
    if (opened("checks")) return CW_EIO;
    is_checking = true;
    return 0;
}

void nbc_check_close(void)
{
    if (is_checking) closed("close checks");
    is_checking = false;
}

int cw_nbc_comm_prepare(MPI_Comm comm)
{
    note("prepare %s", name_of(comm));
    assert_false(nbc_job.active);
    return is_to_fail("prepare") ? cw_fail(CW_EIO, "prepare has failed") : 0;
}

void nbc_operation_stop_posting(void)
{
    note("stop posting");
}

void nbc_operation_end(void)
{
    note("forget");
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* Rank RANK of N, and LOCAL_RANK of the N_LOCAL of its host, which has the cores 0 and 3 for communication. */
static void set_world(int n, int rank, int n_local, int local_rank)
{
    cw_nbc_finalize(); /* what a case has left that failed */
    memset(&world, 0, sizeof world);
    forget_notes();
    world.n = n;
    world.rank = rank;
    world.n_local = n_local;
    world.local_rank = local_rank;
    world.leader = rank - local_rank;
    world.level = world.other_level = MPI_THREAD_MULTIPLE;
    world.other_cores = 1;
    world.settings = (struct cw_nbc_settings){.on = true, .min = 32768, .verbose = true};
    world.cores.n = 2;
    CPU_SET(0, &world.cores.set);
    CPU_SET(3, &world.cores.set);
}

/* Begins, as a process that has begun before does; *SAID: what is on the standard error then. */
static int start(char **said)
{
    size_t n;
    FILE *before = stderr;
    cw_nbc_finalize();
    forget_notes();
    world.agreements = world.asked = 0;
    memset(&nbc_job.settings, 0, sizeof nbc_job.settings);
    memset(&nbc_job.cores, 0, sizeof nbc_job.cores);
    nbc_job.leader = -1;
    stderr = open_memstream(said, &n);
    const int rc = nbc_job_renew(true);
    fclose(stderr);
    stderr = before;
    return rc;
}

static void finish(void)
{
    assert_int_equal(cw_nbc_finalize(), 0);
    assert_int_equal(world.open, 0);
}

/* What is noted, and said but for the name of the host, which stands for "%s" in SAID. */
static void expect(const char *noted, const char *said)
{
    char host[256] = "", *text, expected[1024];
    gethostname(host, sizeof host - 1);
    assert_int_equal(start(&text), 0);
    snprintf(expected, sizeof expected, said, host);
    assert_string_equal(text, expected);
    if (noted) assert_string_equal(notes, noted);
    free(text);
}

#endif
