/* What hosts do with one vector (mpi/nbc/nbc_relay_vector.c). The ranks of a host reduce and spread a segment at random
 * moments after the relay has asked them to, which they sometimes have no room for. */
#include "relay_test.h"

#include "nbc/nbc_reach.h"

enum { INNER = 7, SLOTS = 64, OPERATIONS = 5 };

/* What the ranks of a host, and its relay, are to do with a segment. */
struct inner {
    struct cw_nbc_work work;
    struct cw_nbc_part parts[RANKS + 1];
    uint32_t n; /* that have posted */
    bool done;
};

static struct {
    struct inner slots[HOSTS][SLOTS];
    uint32_t under_way[HOSTS], most; /* of any host */
    bool near;                       /* relays reach the memory of their ranks */
} inner;

bool cw_nbc_is_near(const struct cw_nbc_node *node, uint32_t rank)
{
    (void)node;
    (void)rank;
    return inner.near;
}

static uint32_t *numbers_at(uint64_t address)
{
    return (uint32_t *)(uintptr_t)address;
}

static void reduce(const struct inner *operation, uint32_t n)
{
    const size_t count = operation->work.bytes / sizeof(uint32_t);
    uint32_t *sums = calloc(count + 1, sizeof *sums);
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < count && !operation->parts[i].absent; k++)
            sums[k] += numbers_at(operation->parts[i].send)[k];
    if (count > 0) memcpy(numbers_at(operation->parts[operation->work.root].recv), sums, operation->work.bytes);
    free(sums);
}

static void spread(const struct inner *operation, uint32_t n)
{
    const uint32_t root = operation->work.root;
    for (uint32_t i = 0; i < n && operation->work.bytes > 0; i++)
        if (i != root && !operation->parts[i].absent)
            memcpy(numbers_at(operation->parts[i].recv), numbers_at(operation->parts[root].send),
                   operation->work.bytes);
}

void cw_nbc_post(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, const struct cw_nbc_work *work,
                 const struct cw_nbc_part *part, bool *posted)
{
    struct inner *operation = &inner.slots[job.me][number % SLOTS];
    (void)node;
    assert_int_equal(comm, INNER);
    *posted = me > 0 || cw_random_below(&job.random, 8) > 0;
    if (!*posted) return;
    if (me == 0) {
        *operation = (struct inner){.work = *work};
        if (++inner.under_way[job.me] > inner.most) inner.most = inner.under_way[job.me];
    }
    assert_int_equal(operation->n++, me);
    operation->parts[me] = *part;
}

int cw_nbc_poll(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, bool *done)
{
    struct inner *operation = &inner.slots[job.me][number % SLOTS];
    const uint32_t n = job.comms[job.me].n + 1;
    (void)node;
    assert_int_equal(comm, INNER);
    assert_int_equal(me, operation->work.root);
    assert_int_equal(operation->n, n);
    assert_false(operation->done);
    *done = operation->done = cw_random_below(&job.random, 3) > 0;
    if (!*done) return 0;
    (operation->work.collective == CW_COLLECTIVE_REDUCE ? reduce : spread)(operation, n);
    inner.under_way[job.me]--;
    return 0;
}

/* --- an operation ------------------------------------------------------------------------------------------------- */

/* Number I of what rank R gives. */
static uint32_t content(int r, size_t i)
{
    return (uint32_t)r * 1000003u + (uint32_t)i * 31u + 1;
}

static void make_parts(const struct cw_nbc_work *work)
{
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    for (int r = 0; r < job.n_ranks; r++) {
        const bool gives = !traits->root_gives || r == (int)work->root;
        const bool takes = traits->root_takes ? r == (int)work->root : !traits->root_gives || r != (int)work->root;
        uint32_t *send = gives ? malloc(work->bytes + 1) : NULL, *recv = takes ? calloc(work->bytes + 1, 1) : NULL;
        for (size_t i = 0; gives && i < work->bytes / sizeof *send; i++) send[i] = content(r, i);
        job.parts[r] = (struct cw_nbc_part){.send = (uintptr_t)send, .recv = (uintptr_t)recv};
    }
}

static void check_parts(const struct cw_nbc_work *work)
{
    const bool reduces = cw_collectives[work->collective].reduces;
    for (int r = 0; r < job.n_ranks; r++) {
        const uint32_t *send = numbers_at(job.parts[r].send), *recv = numbers_at(job.parts[r].recv);
        for (size_t i = 0; i < work->bytes / sizeof *recv; i++) {
            uint32_t expected = reduces ? 0 : content((int)work->root, i);
            for (int from = 0; reduces && from < job.n_ranks; from++) expected += content(from, i);
            if (recv && recv[i] != expected) fail_msg("number %d of rank %d: %u, not %u", (int)i, r, recv[i], expected);
            if (send && send[i] != content(r, i)) fail_msg("number %d of rank %d was changed", (int)i, r);
        }
        free(numbers_at(job.parts[r].send));
        free(numbers_at(job.parts[r].recv));
    }
}

static void check(const struct cw_nbc_work *work, const struct cw_nbc_between *between, int n_hosts)
{
    memset(job.lines, 0, sizeof job.lines);
    job.sent = 0;
    make_parts(work);
    for (job.me = 0; job.me < n_hosts; job.me++) {
        job.relays[job.me] = (struct relay){.comm = &job.comms[job.me], .work = *work};
        assert_int_equal(relay_vector_new(&job.relays[job.me], between), 0);
    }
    go_on(n_hosts);
    /* Each host but one has it from another, or gives it to one; in an allreduce both. */
    assert_int_equal(job.sent,
                     (work->collective == CW_COLLECTIVE_ALLREDUCE ? 2 : 1) * (uint64_t)(n_hosts - 1) * work->bytes);
    check_parts(work);
    for (int h = 0; h < n_hosts; h++) {
        assert_int_equal(job.open[h], 0);
        assert_int_equal(job.under_way[h], 0);
        assert_int_equal(inner.under_way[h], 0);
        relay_vector_free(job.relays[h].vector);
    }
}

static void make_hosts(int n_hosts)
{
    int places[RANKS];
    for (int r = 0; r < job.n_ranks; r++) {
        job.leaders[r] = r < n_hosts ? r : (int)cw_random_below(&job.random, (uint32_t)n_hosts);
        places[r] = (int)cw_random_below(&job.random, 100) - 1;
    }
    for (int h = 0; h < n_hosts; h++) {
        struct relay_comm *comm = &job.comms[h];
        comm->inner = INNER;
        assert_int_equal(cw_nbc_hosts_new(job.n_ranks, job.leaders, h, places, &comm->hosts), 0);
        comm->n = (uint32_t)(comm->hosts.first[comm->hosts.me + 1] - comm->hosts.first[comm->hosts.me]);
    }
}

/* One after the other on the same communicator, whose programs are kept. */
static void check_hosts(uint64_t seed, uint64_t most)
{
    static const enum cw_collective_kind kinds[] = {CW_COLLECTIVE_BCAST, CW_COLLECTIVE_REDUCE, CW_COLLECTIVE_ALLREDUCE};
    static const struct cw_nbc_between trees[] = {{.shape = CW_NBC_SHAPE_AUTO},
                                                  {.shape = CW_NBC_CHAIN},
                                                  {.shape = CW_NBC_KNOMIAL, .radix = 2},
                                                  {.shape = CW_NBC_KNOMIAL, .radix = 4},
                                                  {.shape = CW_NBC_HOST_RING}};
    begin_job(seed, relay_vector_step);
    memset(&inner, 0, sizeof inner);
    const int n_hosts = 2 + (int)cw_random_below(&job.random, HOSTS - 1);
    job.n_ranks = n_hosts + (int)cw_random_below(&job.random, RANKS - HOSTS + 1);
    make_hosts(n_hosts);
    for (int i = 0; i < OPERATIONS; i++) {
        struct cw_nbc_between between = trees[cw_random_below(&job.random, 5)];
        const struct cw_nbc_work work = {.collective = kinds[cw_random_below(&job.random, 3)],
                                         .root = cw_random_below(&job.random, (uint32_t)job.n_ranks),
                                         .bytes = sizeof(uint32_t) * cw_random_below(&job.random, (uint32_t)most),
                                         .type = CW_NBC_UINT32,
                                         .op = CW_NBC_SUM};
        between.by_fabric = cw_random_below(&job.random, 2);
        inner.near = cw_random_below(&job.random, 2);
        check(&work, &between, n_hosts);
    }
    for (int h = 0; h < n_hosts; h++) {
        relay_programs_free(job.comms[h].programs);
        cw_nbc_hosts_free(&job.comms[h].hosts);
    }
}

static void vectors_are_right_whatever_comes_first(void **state)
{
    uint32_t most = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        check_hosts(seed, seed % 10 == 0 ? 60000 : seed % 3 ? 3000 : 4);
        if (inner.most > most) most = inner.most;
    }
    assert_true(most >= NBC_WINDOW && most <= 2 * NBC_WINDOW); /* what is given, and what is taken */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_right_whatever_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
