#include "mpi/nbc/nbc_job.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_cores.h"
#include "mpi/nbc/nbc_operation.h"
#include "mpi/nbc/nbc_places.h"
#include "mpi/nbc/nbc_relay_thread.h"
#include "mpi/nbc/nbc_wire.h"
#include "nbc/nbc_agent.h"

#define SPIN 1e-3 /* s that a worker polls when there is nothing to do, if nobody needs its core */

struct nbc_job nbc_job = {.enabled = true, .works = true, .keyval = MPI_KEYVAL_INVALID, .lock = CW_LOCK};

static MPI_Comm host = MPI_COMM_NULL; /* the ranks of this host */
static bool begun;                    /* cw_nbc_init was called */
static struct cw_nbc_worker **workers;
static unsigned n_workers; /* in this process */
static struct cw_nbc_agent *agent;
static struct nbc_relays *relays; /* of the first rank of a host, between hosts */
static struct nbc_places places;  /* of hosts, for them */

/* Ranks of COMM without an error take over that of the lowest rank that has the worst one, with its reason. */
static int agree_among(MPI_Comm comm, int rc)
{
    struct {
        int rc, rank;
    } mine = {.rc = rc}, worst;
    char reason[512] = "";
    PMPI_Comm_rank(comm, &mine.rank);
    PMPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC, comm);
    if (!worst.rc) return 0;
    if (mine.rank == worst.rank) snprintf(reason, sizeof reason, "%s", cw_error_message());
    PMPI_Bcast(reason, (int)sizeof reason, MPI_CHAR, worst.rank, comm);
    return rc ? rc : cw_fail(worst.rc, "another rank could not prepare nonblocking collectives: %s", reason);
}

/* On all ranks of the host. */
static int agree(int rc)
{
    return agree_among(host, rc);
}

/* What rank 0 has read counts for all. */
static int read_settings(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, rank, rc = 0;
    PMPI_Get_library_version(library, &length);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) rc = cw_nbc_settings_read(library, &nbc_job.settings);
    rc = agree_among(MPI_COMM_WORLD, rc);
    if (!rc) PMPI_Bcast(&nbc_job.settings, (int)sizeof nbc_job.settings, MPI_BYTE, 0, MPI_COMM_WORLD);
    return rc;
}

static int share_node(uint32_t n_cores)
{
    struct {
        pid_t pid;
        int file;
    } where = {.pid = getpid()};
    int rc = nbc_job.local_rank == 0 ? cw_nbc_node_new((uint32_t)nbc_job.n_local, n_cores, &nbc_job.node) : 0;
    if (nbc_job.local_rank == 0 && !rc) where.file = cw_nbc_node_file(nbc_job.node);
    rc = agree(rc);
    if (rc) return rc;
    PMPI_Bcast(&where, (int)sizeof where, MPI_BYTE, 0, host);
    if (nbc_job.local_rank > 0) rc = cw_nbc_node_attach(where.pid, where.file, &nbc_job.node);
    if (!rc) cw_nbc_node_join(nbc_job.node, (uint32_t)nbc_job.local_rank);
    rc = agree(rc);
    if (!rc) cw_nbc_node_close(nbc_job.node);
    return rc;
}

static void say_copy(const char *why)
{
    if (!nbc_job.settings.verbose || nbc_job.local_rank != 0) return;
    fprintf(stderr, "crosswind-nbc: copies through memory that the ranks share: %s\n", why);
}

/* Each other's memory, or agents. */
static int choose_copy(void)
{
    const enum cw_nbc_copy copy = nbc_job.settings.copy;
    int rc = copy == CW_NBC_COPY_SEGMENT ? 0 : agree(cw_nbc_node_check(nbc_job.node));
    const bool attach = copy != CW_NBC_COPY_SEGMENT && !rc;
    if (copy == CW_NBC_COPY_ATTACH) return rc;
    if (!attach) say_copy(rc ? cw_error_message() : "CROSSWIND_NBC_COPY=segment");
    if (attach) cw_nbc_agents_for_batches(nbc_job.node);
    return agree(cw_nbc_agent_start(nbc_job.node, (uint32_t)nbc_job.local_rank, &nbc_job.cores.set, &agent));
}

/* Worker c is a thread of local rank ⌊c·n/P⌋. */
static int start_workers(void)
{
    const unsigned n_cores = nbc_job.cores.n;
    const double spin = nbc_job.cores.shared ? 0 : SPIN;
    unsigned number = 0;
    int rc = 0;
    workers = cw_new_array(n_cores, sizeof *workers, "workers");
    if (!workers) rc = CW_ENOMEM;
    for (int core = 0; core < CPU_SETSIZE && !rc; core++) {
        if (!CPU_ISSET((size_t)core, &nbc_job.cores.set)) continue;
        if (number * (unsigned)nbc_job.n_local / n_cores == (unsigned)nbc_job.local_rank) {
            rc = cw_nbc_worker_start(nbc_job.node, number, core, spin, &workers[n_workers]);
            if (!rc) n_workers++;
        }
        number++;
    }
    return agree(rc);
}

/* On which host each of the N ranks of MPI_COMM_WORLD is, and as whom. */
static int find_ranks(int n)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &nbc_job.leader);
    PMPI_Bcast(&nbc_job.leader, 1, MPI_INT, 0, host);
    nbc_job.local_of_world = cw_new_array((size_t)n, sizeof(int), "ranks");
    nbc_job.leader_of_world = cw_new_array((size_t)n, sizeof(int), "hosts of ranks");
    int rc = agree_among(MPI_COMM_WORLD, nbc_job.local_of_world && nbc_job.leader_of_world ? 0 : CW_ENOMEM);
    if (rc) return rc;
    PMPI_Allgather(&nbc_job.local_rank, 1, MPI_INT, nbc_job.local_of_world, 1, MPI_INT, MPI_COMM_WORLD);
    PMPI_Allgather(&nbc_job.leader, 1, MPI_INT, nbc_job.leader_of_world, 1, MPI_INT, MPI_COMM_WORLD);
    return 0;
}

/* What `auto` rests on; the message is that of the settings, which were read just now. */
static void describe_tuning(struct cw_text *line)
{
    const struct cw_nbc_site *site = &nbc_job.settings.tuning.site;
    if (nbc_job.settings.tuning_state == CW_NBC_TUNING_USED)
        cw_text_printf(line, ", or as measured here (%s)", site->time);
    else if (nbc_job.settings.tuning_state == CW_NBC_TUNING_UNFIT && *cw_error_message())
        cw_text_printf(line, "; the measurements that are kept are not used: %s", cw_error_message());
}

/* Why communicators that span hosts are left to MPI; NULL: they are not. The same on all ranks. */
static const char *why_apart(void)
{
    struct {
        int level, n_cores;
    } own = {.n_cores = (int)nbc_job.cores.n}, least;
    PMPI_Query_thread(&own.level);
    PMPI_Allreduce(&own, &least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (nbc_job.settings.between.shape == CW_NBC_NATIVE) return "CROSSWIND_NBC_HOSTS=native";
    if (least.n_cores == 0) return "a host has no core to spare";
    if (least.level < MPI_THREAD_MULTIPLE) return "MPI was not initialised with MPI_THREAD_MULTIPLE";
    return NULL;
}

/* The first worker of the host does it besides. */
static int start_relay(void)
{
    int rc = nbc_relays_new(nbc_job.node, nbc_job.leader, &nbc_job.settings.between, &places.trees, places.of_world,
                            &relays);
    if (!rc) cw_nbc_worker_also(workers[0], nbc_relays_step, relays);
    return rc;
}

/* One line a host; made before anything else can fail, as it may have the last message (describe_tuning). */
static void describe(bool alone, struct cw_text *line)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    cw_text_printf(line, "crosswind-nbc: %s: %d rank%s, ", name, nbc_job.n_local, cw_plural((uint64_t)nbc_job.n_local));
    if (!nbc_job.settings.on)
        cw_text_add(line, "switched off (CROSSWIND_NBC)");
    else if (alone)
        cw_text_add(line, "alone on its host: collectives are left to MPI");
    else if (nbc_job.cores.n == 0)
        cw_text_add(line, "no core to spare: collectives are left to MPI (CROSSWIND_NBC_CORES)");
    else {
        cw_text_add(line, "communication cores");
        for (int core = 0; core < CPU_SETSIZE; core++)
            if (CPU_ISSET((size_t)core, &nbc_job.cores.set)) cw_text_printf(line, " %d", core);
        cw_text_printf(line, ", messages from %llu bytes on", (unsigned long long)nbc_job.settings.min);
        describe_tuning(line);
    }
}

/* Written at once, as ranks write at the same time. */
static void say(const struct cw_text *line)
{
    const bool wanted = nbc_job.settings.verbose && nbc_job.local_rank == 0 && !line->failed;
    if (wanted) fprintf(stderr, "%s\n", line->data);
}

static void say_apart(const char *why)
{
    if (!why || !nbc_job.settings.verbose || nbc_job.leader != 0 || nbc_job.local_rank != 0) return;
    fprintf(stderr, "crosswind-nbc: communicators that span hosts are left to MPI: %s\n", why);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else. */
static int end_with_mpi(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)attribute;
    (void)extra;
    return cw_nbc_finalize() == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int hook_finalize(void)
{
    int keyval;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &keyval, NULL) != MPI_SUCCESS ||
        PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, &nbc_job) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not keep an attribute of MPI_COMM_SELF");
    PMPI_Comm_free_keyval(&keyval);
    return 0;
}

/* On this host: what its ranks share, and the threads. */
static int prepare_host(bool wires)
{
    int rc = share_node(nbc_job.cores.n);
    if (!rc) rc = choose_copy();
    if (!rc) rc = start_workers();
    if (!rc && wires && nbc_job.local_rank == 0) rc = start_relay();
    if (!rc) rc = nbc_comm_keyval_new(&nbc_job.keyval);
    if (!rc) rc = nbc_check_open();
    if (!rc) nbc_job.buffers = cw_nbc_rank_buffers(nbc_job.node, (uint32_t)nbc_job.local_rank);
    if (!rc) rc = hook_finalize();
    return agree(rc);
}

/* What carries collectives out. */
static int prepare_cores(bool wires)
{
    int rc = wires ? nbc_places_find(&nbc_job.settings, &places) : 0;
    if (!rc && wires) rc = nbc_wire_open();
    if (!rc) rc = prepare_host(wires);
    if (wires) rc = agree_among(MPI_COMM_WORLD, rc);
    nbc_job.wired = wires && !rc;
    if (!rc) rc = cw_nbc_comm_prepare(MPI_COMM_WORLD); /* all are here */
    nbc_job.active = !rc;
    return rc;
}

static int prepare(void)
{
    const char *apart = NULL;
    struct cw_text line = {0};
    int n_ranks, rc = read_settings();
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (!rc) rc = find_ranks(n_ranks);
    if (rc) return rc;
    if (nbc_job.settings.on) nbc_cores_choose(host, nbc_job.works, &nbc_job.settings, &nbc_job.cores);
    cw_nbc_settings_fit(&nbc_job.settings, nbc_job.cores.n);
    const bool several = nbc_job.n_local < n_ranks;
    if (several && nbc_job.settings.on) apart = why_apart();
    const bool wires = several && nbc_job.settings.on && !apart, alone = nbc_job.n_local < 2 && !wires;
    describe(alone, &line);
    say_apart(apart);
    if (nbc_job.cores.n > 0 && !alone) rc = prepare_cores(wires);
    if (!rc) say(&line); /* else there is a message */
    cw_text_free(&line);
    return rc;
}

/* Numbers in settings and files have a point, whatever the program's locale says. */
static int prepare_plainly(void)
{
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : plain;
    int rc = prepare();
    if (!plain) return rc;
    uselocale(before);
    freelocale(plain);
    return rc;
}

static void end(void)
{
    nbc_operation_stop_posting();
    for (unsigned i = 0; i < n_workers; i++) cw_nbc_worker_stop(workers[i]);
    nbc_wire_close();
    nbc_relays_free(relays);
    nbc_places_free(&places);
    PMPI_Barrier(host); /* nobody's memory is looked at any more */
    cw_nbc_agent_stop(agent);
    nbc_check_close();
    nbc_operation_end();
    if (nbc_job.keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&nbc_job.keyval);
    PMPI_Comm_free(&host);
    cw_nbc_node_free(nbc_job.node);
    free(workers);
    free(nbc_job.local_of_world);
    free(nbc_job.leader_of_world);
    nbc_job.node = NULL;
    nbc_job.buffers = NULL;
    nbc_job.local_of_world = nbc_job.leader_of_world = NULL;
    nbc_job.wired = false;
    agent = NULL;
    relays = NULL;
    workers = NULL;
    n_workers = 0;
}

int cw_nbc_init(void)
{
    if (begun) return 0;
    begun = true;
    if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not say which ranks share a host");
    PMPI_Comm_size(host, &nbc_job.n_local);
    PMPI_Comm_rank(host, &nbc_job.local_rank);
    int rc = prepare_plainly();
    if (!nbc_job.active) end();
    return rc;
}

int cw_nbc_finalize(void)
{
    if (!nbc_job.active) return 0;
    nbc_job.active = false;
    PMPI_Barrier(host); /* workers of this process may be at work for others until here */
    end();
    return 0;
}

int nbc_job_renew(bool works)
{
    const int rc = cw_nbc_finalize();
    nbc_job.works = works;
    begun = false;
    return rc ? rc : cw_nbc_init();
}

int cw_nbc_enable(int on)
{
    const bool before = nbc_job.enabled;
    nbc_job.enabled = on;
    return before;
}

/* --- which thread level to ask MPI for, before it is initialised: only its launcher can say what there will be ------
 */

static bool is(const char *variable, const char *value)
{
    const char *has = getenv(variable);
    return has && strcmp(has, value) == 0;
}

/* 0: not said. */
static long number(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

static bool has_several_hosts(void)
{
    static const struct {
        const char *all, *here;
    } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, {"PMI_SIZE", "MPI_LOCALNRANKS"}};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const long all = number(launchers[i].all), here = number(launchers[i].here);
        if (all > 0 && here > 0) return here < all;
    }
    return number("SLURM_STEP_NUM_NODES") > 1;
}

int cw_nbc_thread_level(void)
{
    if (is("CROSSWIND_NBC", "off") || is("CROSSWIND_NBC_HOSTS", "native")) return MPI_THREAD_SINGLE;
    return has_several_hosts() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
}
