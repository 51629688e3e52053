/* What is kept with a communicator (mpi/nbc/nbc_comm.c): names, where the ranks are, calls that are counted, and the
 * end. MPI's communicators, and what the ranks of the host share, are made up here; this is rank 2 of 4, the first of
 * the second of two hosts, unless a case says otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "guarded.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "nbc/nbc_relay.h"
#include "notes.h"

enum { N = 4, COMMS = 24, PLACES = 64, KEYVAL = 9 };

#define GROUP_WORLD ((MPI_Group)(uintptr_t)0x700)

struct nbc_job nbc_job = {.lock = CW_LOCK};

static char node;
static int local_of_world[N], leader_of_world[N];

/* Communicators of MPI: COMM_WORLD and those that are made, which are known by their place. */
static struct {
    struct {
        int n, me, ranks[N]; /* of the world; the group is known by the place, too */
        int between;
        void *attribute;
    } comms[COMMS];
    int world_rank, asked, n_comms; /* asked: how often who it is */
    int looked_up, groups, translated, told, bcast_fails, attr_fails, keyval_fails;
    uint64_t name; /* that rank 0 tells */
    MPI_Delete_function *forget;
    struct cw_nbc_said said[PLACES];
    _Atomic uint64_t broken[PLACES];
    _Atomic uint32_t alarm;
    int joins, fails_at; /* to join the node's communicators */
    struct {
        uint64_t key;
        uint32_t n, members[N + 1];
    } joined[PLACES];
    struct cw_nbc_note note;
    int noted;
} world;

static MPI_Comm comm_of(int i)
{
    return i == 0 ? MPI_COMM_WORLD : (MPI_Comm)(uintptr_t)(0x1000 + 0x40 * i);
}

static int place_of(MPI_Comm comm)
{
    for (int i = 0; i < world.n_comms; i++)
        if (comm_of(i) == comm) return i;
    fail_msg("MPI is asked about a communicator that there is not");
    return -1;
}

/* --- MPI ---------------------------------------------------------------------------------------------------------- */

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *found)
{
    const int i = place_of(comm);
    assert_int_equal(keyval, KEYVAL);
    world.looked_up++;
    *found = world.comms[i].attribute != NULL;
    if (*found) *(void **)value = world.comms[i].attribute;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    assert_int_equal(keyval, KEYVAL);
    if (world.attr_fails) return MPI_ERR_OTHER;
    world.comms[place_of(comm)].attribute = value;
    return MPI_SUCCESS;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval,
                            void *extra)
{
    (void)copy;
    assert_null(extra);
    world.forget = delete;
    *keyval = KEYVAL;
    return world.keyval_fails;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    world.asked += comm == MPI_COMM_WORLD;
    *rank = comm == MPI_COMM_WORLD ? world.world_rank : world.comms[place_of(comm)].me;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *n)
{
    *n = world.comms[place_of(comm)].n;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = world.comms[place_of(comm)].between;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    *group = (MPI_Group)(uintptr_t)(0x700 + place_of(comm));
    world.groups++;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    (void)group;
    world.groups--;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group to, int out[])
{
    const int i = (int)((uintptr_t)group - 0x700);
    assert_true(i >= 0 && i < world.n_comms && n <= world.comms[i].n && to == GROUP_WORLD);
    world.translated++;
    for (int k = 0; k < n; k++) {
        assert_int_equal(ranks[k], k);
        assert_int_equal(out[k], MPI_UNDEFINED);
        out[k] = world.comms[i].ranks[k];
    }
    return MPI_SUCCESS;
}

int PMPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    assert_true(n == sizeof world.name && type == MPI_BYTE && root == 0);
    world.told++;
    if (world.comms[place_of(comm)].me == 0)
        memcpy(&world.name, buffer, sizeof world.name);
    else
        memcpy(buffer, &world.name, sizeof world.name);
    return world.bcast_fails;
}

/* --- what the ranks of the host share ----------------------------------------------------------------------------- */

int cw_nbc_comm_join(struct cw_nbc_node *of, uint64_t key, uint32_t n, const uint32_t *members, uint32_t *out)
{
    assert_true((char *)of == &node && key != 0 && n <= N + 1);
    assert_true(world.joins < PLACES);
    if (world.joins + 1 == world.fails_at) return cw_fail(CW_ELIMIT, "too many");
    world.joined[world.joins].key = key;
    world.joined[world.joins].n = n;
    memcpy(world.joined[world.joins].members, members, n * sizeof *members);
    *out = (uint32_t)world.joins++;
    return 0;
}

void cw_nbc_comm_leave(struct cw_nbc_node *of, uint32_t comm)
{
    assert_ptr_equal(of, &node);
    note("leave %u", comm);
}

struct cw_nbc_said *cw_nbc_said_of(const struct cw_nbc_node *of, uint32_t comm, uint32_t me)
{
    assert_true((const char *)of == &node && me < N);
    return &world.said[comm];
}

const _Atomic uint64_t *cw_nbc_broken(const struct cw_nbc_node *of, uint32_t comm)
{
    assert_ptr_equal(of, &node);
    return &world.broken[comm];
}

void cw_nbc_relay_note(struct cw_nbc_node *of, uint32_t comm, const struct cw_nbc_note *about)
{
    assert_ptr_equal(of, &node);
    world.note = *about;
    world.noted = 1 + (int)comm;
}

void cw_nbc_say_aside(struct cw_nbc_node *of, uint32_t me, uint64_t key, uint64_t calls, uint32_t rank,
                      uint8_t collective)
{
    assert_true((char *)of == &node && me == (uint32_t)nbc_job.local_rank && key != 0);
    note("aside %d by %u: %u", (int)calls, rank, collective);
}

bool cw_nbc_clash_of(const struct cw_nbc_node *of, uint32_t comm, uint64_t number, struct cw_nbc_clash_note *out)
{
    assert_true((const char *)of == &node && number == 0);
    *out = (struct cw_nbc_clash_note){.a.rank = comm};
    return true;
}

_Atomic uint32_t *cw_nbc_alarm(const struct cw_nbc_node *of, uint32_t rank)
{
    assert_true((const char *)of == &node && rank == (uint32_t)nbc_job.local_rank);
    return &world.alarm;
}

void nbc_describe(const struct cw_nbc_call *call, const struct nbc_comm *comm, struct cw_nbc_asked *out)
{
    *out = (struct cw_nbc_asked){.rank = (uint32_t)comm->me, .root = (uint32_t)call->root, .refused = 7};
}

int nbc_fail_of_clash(const struct cw_nbc_clash_note *about)
{
    return cw_fail(CW_EUSAGE, "communicator %u is broken", about->a.rank);
}

int nbc_fail_of_mpi(const char *what, int code)
{
    return cw_fail(CW_EIO, "%s: %d", what, code);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* RANK of four on two hosts of two; on one host if not APART. */
static void begin_as(int rank, bool apart)
{
    for (int i = 0; i < world.n_comms; i++) /* of the case before */
        if (world.comms[i].attribute) world.forget(comm_of(i), KEYVAL, world.comms[i].attribute, NULL);
    assert_true(!nbc_job.comms && memory.live == 0);
    renew_memory();
    memset(&world, 0, sizeof world);
    forget_notes();
    world.world_rank = rank;
    world.n_comms = 1;
    world.comms[0].n = N;
    world.comms[0].me = rank;
    for (int i = 0; i < N; i++) {
        world.comms[0].ranks[i] = i;
        local_of_world[i] = apart ? i % 2 : i;
        leader_of_world[i] = apart ? i / 2 * 2 : 0;
    }
    nbc_job.active = nbc_job.enabled = nbc_job.wired = true;
    nbc_job.node = (struct cw_nbc_node *)&node;
    nbc_job.local_of_world = local_of_world;
    nbc_job.leader_of_world = leader_of_world;
    nbc_job.local_rank = local_of_world[rank];
    nbc_job.leader = leader_of_world[rank];
    assert_int_equal(nbc_comm_keyval_new(&nbc_job.keyval), 0);
    assert_int_equal(nbc_job.keyval, KEYVAL);
}

/* MPI makes a communicator of RANKS[N_RANKS] of the world. */
static int make(int n_ranks, const int *ranks)
{
    const int i = world.n_comms++;
    assert_true(i < COMMS);
    world.comms[i].n = n_ranks;
    world.comms[i].me = -1;
    for (int k = 0; k < n_ranks; k++) {
        world.comms[i].ranks[k] = ranks[k];
        if (ranks[k] == world.world_rank) world.comms[i].me = k;
    }
    return i;
}

static const int all[N] = {0, 1, 2, 3};

static int copy(void)
{
    return make(N, all);
}

static struct nbc_comm *kept(int i)
{
    return world.comms[i].attribute;
}

/* The program frees it, or ends. */
static void free_comm(int i)
{
    void *attribute = kept(i);
    world.comms[i].attribute = NULL;
    assert_int_equal(world.forget(comm_of(i), KEYVAL, attribute, NULL), MPI_SUCCESS);
}

static uint64_t name_of(MPI_Comm parent, bool by_all, int child)
{
    assert_int_equal(nbc_comm_made(parent, by_all, comm_of(child)), 0);
    return kept(child)->name;
}

/* All ranks derive a name alike, without a word, where all of them make the communicator. */
static void names_are_derived(void **state)
{
    uint64_t names[2][4];
    (void)state;
    for (int who = 0; who < 2; who++) {
        begin_as(who == 0 ? 2 : 3, true);
        assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
        assert_true(kept(0)->name != 0 && kept(0)->n == N && kept(0)->me == world.world_rank);
        assert_int_equal(world.translated, 0);
        const uint64_t first = name_of(MPI_COMM_WORLD, true, copy());
        assert_int_equal(world.translated, 0); /* nor is MPI asked who they are: all */
        const uint64_t second = name_of(MPI_COMM_WORLD, true, copy());
        const uint64_t here = name_of(MPI_COMM_WORLD, true, make(2, (const int[]){2, 3}));
        assert_int_equal(world.translated, 1);
        const uint64_t inner = name_of(comm_of(1), true, make(2, (const int[]){3, 2}));
        const uint64_t theirs[] = {first, second, here, inner, kept(0)->name};
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < i; j++) assert_true(theirs[i] != theirs[j] && theirs[i] != 0);
        memcpy(names[who], theirs, sizeof names[who]);
        assert_int_equal(world.told, 0);
        assert_int_equal(world.groups, 0);
    }
    assert_memory_equal(names[0], names[1], sizeof names[0]);
    /* those that are made at once have other names, and count for all that are made later, made or not */
    begin_as(1, true);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, MPI_COMM_NULL), 0);
    const uint64_t other = name_of(MPI_COMM_WORLD, true, make(2, (const int[]){0, 1}));
    assert_true(other != names[0][2]);
    begin_as(1, true);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, MPI_COMM_NULL), 0);
    assert_int_equal(name_of(MPI_COMM_WORLD, true, make(2, (const int[]){2, 1})), names[0][2]); /* by the first rank */
}

/* Where not all make it, or that has no name, one rank tells the others. */
static void names_are_told(void **state)
{
    (void)state;
    begin_as(2, true);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    world.name = 77;
    assert_int_equal(name_of(MPI_COMM_WORLD, false, make(2, (const int[]){3, 2})), 77);
    assert_int_equal(kept(0)->children, 0);
    const uint64_t first = name_of(MPI_COMM_WORLD, false, make(2, (const int[]){2, 3}));
    assert_int_equal(first, world.name);
    assert_int_equal(world.asked, 3); /* no two of the world tell the same */
    const uint64_t second = name_of(MPI_COMM_WORLD, false, make(2, (const int[]){2, 3}));
    assert_true(first != 77 && first != 0 && second != first && world.told == 3);
    begin_as(0, true);
    const uint64_t third = name_of(MPI_COMM_WORLD, true, make(2, (const int[]){0, 3})); /* the world has no name here */
    assert_true(third != first && third != second && world.told == 1);
    world.bcast_fails = MPI_ERR_OTHER;
    const int child = make(2, (const int[]){0, 1});
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(child)), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not tell the name of a communicator");
    assert_null(kept(child));
    nbc_job.wired = false; /* what is MPI's own needs none, nor what is made of it */
    world.bcast_fails = 0;
    assert_int_equal(name_of(MPI_COMM_WORLD, true, make(2, (const int[]){0, 3})), 0);
    assert_int_equal(name_of(comm_of(world.n_comms - 1), true, make(2, (const int[]){0, 3})), 0);
    assert_int_equal(world.told, 2);
}

static void what_is_not_kept(void **state)
{
    (void)state;
    begin_as(2, true);
    nbc_job.node = NULL;
    assert_int_equal(nbc_comm_made(MPI_COMM_NULL, false, MPI_COMM_WORLD), 0);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    assert_null(kept(0));
    nbc_job.node = (struct cw_nbc_node *)&node;
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_NULL), 0);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    const struct nbc_comm *first = kept(0);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0); /* it is known */
    assert_true(first && kept(0) == first);
    const int alone = make(1, (const int[]){2}), between = copy();
    world.comms[between].between = 1;
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(alone)), 0);
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(between)), 0);
    assert_true(!kept(alone) && !kept(between));
    world.attr_fails = 1;
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(copy())), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not keep an attribute of a communicator");
    world.attr_fails = 0;
    memory.allocations = 0;
    memory.starved_at = 1;
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(copy())), CW_ENOMEM);
    world.keyval_fails = 17;
    int keyval;
    assert_int_equal(nbc_comm_keyval_new(&keyval), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not make an attribute: 17");
}

/* What is remembered of a communicator is asked for again only when one was made, or freed. */
static void threads_remember(void **state)
{
    (void)state;
    begin_as(2, true);
    assert_null(nbc_comm_of(MPI_COMM_WORLD)); /* unknown so far */
    const int asked = world.looked_up;
    for (int i = 0; i < 5; i++) assert_null(nbc_comm_of(MPI_COMM_WORLD));
    assert_int_equal(world.looked_up, asked);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    assert_ptr_equal(nbc_comm_of(MPI_COMM_WORLD), kept(0));
    const int child = copy(), other = copy(); /* the handles of which have places of their own */
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(child)), 0);
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(other)), 0);
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(nbc_comm_of(MPI_COMM_WORLD), kept(0));
        assert_ptr_equal(nbc_comm_of(comm_of(child)), kept(child));
        assert_ptr_equal(nbc_comm_of(comm_of(other)), kept(other));
    }
    int before = world.looked_up;
    for (int i = 0; i < 5; i++) {
        nbc_comm_of(comm_of(child));
        nbc_comm_of(comm_of(other));
    }
    assert_int_equal(world.looked_up, before);
    free_comm(child);
    assert_null(nbc_comm_of(comm_of(child)));
    nbc_job.enabled = false;
    assert_null(nbc_comm_of(MPI_COMM_WORLD));
    nbc_job.enabled = true;
    nbc_job.active = false;
    assert_null(nbc_comm_of(MPI_COMM_WORLD));
    nbc_job.active = true;
    before = world.looked_up;
    assert_null(nbc_comm_of(MPI_COMM_NULL));
    assert_ptr_equal(nbc_comm_of(MPI_COMM_WORLD), kept(0));
    assert_int_equal(world.looked_up, before + 1); /* since the other was freed */
}

/* Where its ranks are decides whether it is ours, and what the node is told of it. */
static void ranks_are_placed(void **state)
{
    (void)state;
    begin_as(2, false); /* all on one host */
    nbc_job.wired = false;
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    struct nbc_comm *comm = nbc_comm_of(MPI_COMM_WORLD);
    assert_true(comm && !comm->spans && comm->here == 2 && comm->n_here == N && comm->place == 0 && comm->joined);
    assert_true(world.joins == 1 && world.joined[0].n == N && world.joined[0].key == comm->name && !world.noted);
    for (uint32_t i = 0; i < N; i++) assert_int_equal(world.joined[0].members[i], i);
    assert_int_equal(nbc_comm_join(comm), 0); /* once */
    assert_int_equal(world.joins, 1);
    const int turned = make(3, (const int[]){3, 2, 0});
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(turned)), 0);
    comm = nbc_comm_of(comm_of(turned));
    assert_true(comm && comm->here == 1 && comm->me == 1 && comm->n_here == 3);
    assert_memory_equal(world.joined[1].members, ((const uint32_t[]){3, 2, 0}), 3 * sizeof(uint32_t));
    const int strange = make(2, (const int[]){2, MPI_UNDEFINED}); /* with a rank of another job */
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(strange)), 0);
    assert_null(nbc_comm_of(comm_of(strange)));

    for (int rank = 2; rank < N; rank++) { /* on two; the first of a host has the relay besides */
        begin_as(rank, true);
        assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
        comm = nbc_comm_of(MPI_COMM_WORLD);
        assert_true(comm && comm->spans && comm->here == (uint32_t)rank - 2 && comm->n_here == 2);
        assert_memory_equal(comm->leaders, ((const int[]){0, 0, 2, 2}), N * sizeof(int));
        assert_true(world.joins == 2 && world.joined[0].n == 2 && world.joined[1].n == 3 && comm->inner == 1);
        assert_memory_equal(world.joined[1].members, ((const uint32_t[]){0, 1, 0}), 3 * sizeof(uint32_t));
        assert_true(world.joined[0].key == comm->name && world.joined[1].key != comm->name);
        assert_int_equal(world.noted, rank == 2 ? 1 : 0);
        if (rank == 2) {
            assert_true(world.note.key == comm->name && world.note.inner == 1);
            assert_true(world.note.n_about == N * sizeof(int) &&
                        world.note.about == (uint64_t)(uintptr_t)comm->leaders);
        }
        free_comm(0);
        assert_string_equal(notes, rank == 2 ? "leave 0; leave 1; leave 1" : "leave 0; leave 1");
    }
    begin_as(2, true);
    nbc_job.wired = false;
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    assert_null(nbc_comm_of(MPI_COMM_WORLD));
    const int here = make(2, (const int[]){2, 3});
    world.name = 5;
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(here)), 0);
    assert_ptr_equal(nbc_comm_of(comm_of(here)), kept(here)); /* it does not span hosts */
    assert_int_equal(world.joins, 1);
}

static void the_node_is_full(void **state)
{
    (void)state;
    for (int at = 1; at <= 2; at++) {
        begin_as(2, true);
        world.fails_at = at;
        assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
        assert_null(nbc_comm_of(MPI_COMM_WORLD));
        assert_true(!kept(0)->joined && !nbc_job.comms && !world.noted);
        assert_string_equal(notes, at == 1 ? "" : "leave 0");
        free_comm(0); /* it was not joined */
        assert_string_equal(notes, at == 1 ? "" : "leave 0");
    }
}

/* Without memory a communicator stays unknown, and is asked for later. */
static void memory_that_is_out(void **state)
{
    (void)state;
    begin_as(2, true);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    for (int at = 1; at <= 4; at++) { /* of ranks, those that MPI is asked about, those here, and hosts */
        memory.allocations = 0;
        memory.starved_at = at;
        assert_null(nbc_comm_of(MPI_COMM_WORLD));
        if (at == 2) break; /* then it looks as if they were of another job */
        assert_int_equal(kept(0)->state, NBC_COMM_UNKNOWN);
    }
    for (int at = 3; at <= 4; at++) {
        begin_as(2, true);
        assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
        memory.allocations = 0;
        memory.starved_at = at;
        assert_null(nbc_comm_of(MPI_COMM_WORLD));
        assert_int_equal(kept(0)->state, NBC_COMM_UNKNOWN);
        assert_ptr_equal(nbc_comm_of(MPI_COMM_WORLD), kept(0));
    }
}

/* Calls that are MPI's own, before and after the communicator is joined. */
static void calls_are_counted(void **state)
{
    (void)state;
    for (int before = 0; before < 3; before++) {
        begin_as(3, true);
        nbc_comm_count(MPI_COMM_WORLD, 40); /* unknown */
        assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
        for (int i = 0; i < before; i++) nbc_comm_count(MPI_COMM_WORLD, (uint8_t)(41 + i));
        assert_string_equal(notes, before == 0   ? ""
                                   : before == 1 ? "aside 1 by 3: 41"
                                                 : "aside 1 by 3: 41; aside 2 by 3: 42");
        struct nbc_comm *comm = nbc_comm_of(MPI_COMM_WORLD);
        struct cw_nbc_said *said = &world.said[0];
        assert_true(comm->said == said && comm->calls == (uint64_t)before && said->calls == (uint64_t)before);
        for (uint64_t i = 0; i < CW_NBC_SAID; i++) {
            const bool last = before > 0 && i == (uint64_t)(before - 1) % CW_NBC_SAID;
            assert_int_equal(said->left[i].rank, 3);
            assert_int_equal(said->left[i].collective, last ? 40 + before : CW_NBC_UNKNOWN);
        }
        nbc_comm_count(MPI_COMM_WORLD, 50);
        const struct cw_nbc_asked *left = &said->left[before % CW_NBC_SAID];
        assert_true(left->rank == 3 && left->collective == 50 && !left->refused);
        assert_true(said->calls == (uint64_t)before + 1 && comm->calls == said->calls && world.alarm == 0);

        const struct cw_nbc_call call = {.root = 1};
        cw_nbc_leave(&call, comm, true);
        left = &said->left[(before + 1) % CW_NBC_SAID];
        assert_true(left->rank == 3 && left->root == 1 && left->refused == 1 && said->calls == comm->calls);
        assert_int_equal(comm->calls, before + 2);
        nbc_comm_count(MPI_COMM_WORLD, 51);
        nbc_comm_count(MPI_COMM_WORLD, 51); /* where one was refused */
        assert_int_equal(left->refused, 0);
        cw_nbc_leave(&call, comm, false);
        assert_int_equal(said->left[(before + 4) % CW_NBC_SAID].refused, 0);
        cw_nbc_leave(&call, NULL, true); /* that does not matter to others */
        const uint64_t calls = comm->calls;
        nbc_job.enabled = false;
        nbc_comm_count(MPI_COMM_WORLD, 52);
        nbc_job.enabled = true;
        nbc_job.active = false;
        nbc_comm_count(MPI_COMM_WORLD, 52);
        nbc_job.active = true;
        nbc_comm_count(MPI_COMM_NULL, 52);
        assert_int_equal(comm->calls, calls);
    }
}

/* Who comes late to a call that has broken the communicator hears of it. */
static void alarms_are_heard(void **state)
{
    MPI_Comm which = MPI_COMM_SELF;
    (void)state;
    begin_as(2, false);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    struct nbc_comm *first = nbc_comm_of(MPI_COMM_WORLD);
    const int child = copy();
    assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(child)), 0);
    struct nbc_comm *second = nbc_comm_of(comm_of(child));
    assert_int_equal(cw_nbc_hear_alarm(&which), 0);
    world.broken[1] = 2; /* by the call 1 */
    nbc_comm_count(comm_of(child), 50);
    assert_int_equal(cw_nbc_hear_alarm(&which), 0);
    nbc_comm_count(comm_of(child), 50);
    assert_true(world.alarm != 0 && second->said->alarm != 0 && first->said->alarm == 0);
    nbc_job.active = false;
    assert_int_equal(cw_nbc_hear_alarm(&which), 0);
    nbc_job.active = true;
    assert_int_equal(cw_nbc_hear_alarm(&which), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "communicator 1 is broken");
    assert_true(which == comm_of(child) && world.alarm == 0 && second->said->alarm == 0);
    assert_int_equal(cw_nbc_hear_alarm(&which), 0); /* once */
    world.alarm = 1;                                /* of none that is there any more */
    assert_int_equal(cw_nbc_hear_alarm(&which), 0);
    nbc_comm_alarm(first);
    first->freed = true;
    assert_int_equal(cw_nbc_hear_alarm(&which), CW_EUSAGE);
    assert_true(which == MPI_COMM_NULL);
    first->freed = false;
    assert_int_equal(cw_nbc_fail_of_broken(second), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "communicator 1 is broken");
}

/* One that is freed stays until its operations are; the others are found as before. */
static void communicators_end(void **state)
{
    struct nbc_comm *comms[4];
    (void)state;
    begin_as(2, false);
    assert_int_equal(cw_nbc_comm_prepare(MPI_COMM_WORLD), 0);
    comms[0] = nbc_comm_of(MPI_COMM_WORLD);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(nbc_comm_made(MPI_COMM_WORLD, true, comm_of(copy())), 0);
        comms[i] = nbc_comm_of(comm_of(i));
    }
    assert_true(nbc_job.comms == comms[3] && comms[3]->after == comms[2] && comms[2]->before == comms[3]);
    comms[2]->n_operations = 2;
    free_comm(2);
    assert_string_equal(notes, "");
    assert_true(comms[2]->freed && comms[3]->after == comms[2]);
    nbc_comm_drop(comms[2]);
    assert_string_equal(notes, "");
    nbc_comm_drop(comms[2]);
    assert_string_equal(notes, "leave 2");
    assert_true(comms[3]->after == comms[1] && comms[1]->before == comms[3]);
    comms[1]->n_operations = 1;
    nbc_comm_drop(comms[1]); /* which goes on */
    free_comm(3);
    assert_true(nbc_job.comms == comms[1] && !comms[1]->before);
    free_comm(0);
    assert_true(!comms[1]->after);
    nbc_job.node = NULL; /* all has ended */
    free_comm(1);
    assert_null(nbc_job.comms);
    assert_string_equal(notes, "leave 2; leave 3; leave 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_derived),  cmocka_unit_test(names_are_told),    cmocka_unit_test(what_is_not_kept),
        cmocka_unit_test(threads_remember),   cmocka_unit_test(ranks_are_placed),  cmocka_unit_test(the_node_is_full),
        cmocka_unit_test(memory_that_is_out), cmocka_unit_test(calls_are_counted), cmocka_unit_test(alarms_are_heard),
        cmocka_unit_test(communicators_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
