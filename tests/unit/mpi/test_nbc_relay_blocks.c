/* Parcels between hosts (mpi/nbc/nbc_relay_blocks.c). */
#include "relay_test.h"

enum { ROUNDS = 4, UNDER_WAY = 16 }; /* of a host, as nbc_relay_blocks.c has them */

/* --- an operation ------------------------------------------------------------------------------------------------- */

/* Byte I of what rank FROM has for rank TO; TO is the number of ranks: for all. */
static char content(int from, int to, uint64_t i)
{
    return (char)(from * 31 + to * 7 + (int)(i % 251));
}

static void fill(char *data, int from, int to, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) data[i] = content(from, to, i);
}

static void expect(const char *data, int from, int to, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (data[i] != content(from, to, i)) fail_msg("byte %d from rank %d to rank %d", (int)i, from, to);
}

/* The block that rank FROM has for TO. */
static int addressee(const struct cw_collective_traits *traits, int to)
{
    return traits->gives_blocks ? to : job.n_ranks;
}

/* Memory of rank R: what it gives, and what it gets, of which its own block is there IN_PLACE. */
static struct cw_nbc_part new_part(const struct cw_nbc_work *work, int r, bool in_place)
{
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    const bool gives = !traits->root_gives || r == (int)work->root, takes = !traits->root_takes || r == (int)work->root;
    const int given = traits->gives_blocks ? job.n_ranks : 1;
    char *send = NULL, *recv = NULL;
    if (gives) send = malloc((size_t)given * work->bytes + 1);
    for (int to = 0; gives && to < given; to++)
        fill(send + (size_t)to * work->bytes, r, addressee(traits, to), work->bytes);
    if (takes) recv = calloc(traits->takes_blocks ? (size_t)job.n_ranks : 1, work->bytes + 1);
    if (in_place && takes && traits->takes_blocks)
        fill(recv + (size_t)r * work->bytes, r, addressee(traits, r), work->bytes);
    if (in_place && gives && !traits->root_gives) { /* it gives what it has got, if anybody is to have it */
        free(send);
        send = traits->root_takes ? NULL : recv + (size_t)r * work->bytes;
    }
    if (in_place && traits->root_gives) { /* it has what it would get */
        free(recv);
        recv = NULL;
    }
    return (struct cw_nbc_part){.send = (uintptr_t)send, .recv = (uintptr_t)recv, .in_place = in_place};
}

static void check_part(const struct cw_nbc_work *work, int r)
{
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    const char *recv = (const char *)(uintptr_t)job.parts[r].recv;
    for (int from = 0; recv && from < (traits->takes_blocks ? job.n_ranks : 1); from++)
        expect(recv + (size_t)from * work->bytes, traits->root_gives ? (int)work->root : from, addressee(traits, r),
               work->bytes);
}

/* Bytes that must pass between hosts: a block for each rank of another, or one for all ranks there. */
static uint64_t needed(const struct cw_nbc_work *work, int n_hosts)
{
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    const bool each = traits->gives_blocks || traits->root_takes;
    uint64_t n = 0;
    for (int from = 0; from < job.n_ranks; from++) {
        if (traits->root_gives && from != (int)work->root) continue;
        if (!each) n += (uint64_t)n_hosts - 1;
        for (int to = 0; each && to < job.n_ranks; to++)
            n += host_of(from) != host_of(to) && (!traits->root_takes || to == (int)work->root);
    }
    return n * work->bytes;
}

static void check(const struct cw_nbc_work *work, int n_hosts, bool in_place)
{
    int places[RANKS];
    memset(job.lines, 0, sizeof job.lines);
    for (int r = 0; r < job.n_ranks; r++) {
        const bool is_root = r == (int)work->root;
        const bool here = in_place && (is_root || !cw_collective_is_rooted(work->collective));
        job.leaders[r] = r < n_hosts ? r : (int)cw_random_below(&job.random, (uint32_t)n_hosts);
        places[r] = (int)cw_random_below(&job.random, 100) - 1;
        job.parts[r] = new_part(work, r, here);
    }
    for (int h = 0; h < n_hosts; h++)
        assert_int_equal(cw_nbc_hosts_new(job.n_ranks, job.leaders, h, places, &job.comms[h].hosts), 0);
    for (job.me = 0; job.me < n_hosts; job.me++) {
        job.relays[job.me] = (struct relay){.comm = &job.comms[job.me], .work = *work};
        assert_int_equal(relay_blocks_new(&job.relays[job.me]), 0);
    }
    go_on(n_hosts);
    assert_int_equal(job.sent, needed(work, n_hosts));
    for (int r = 0; r < job.n_ranks; r++) {
        check_part(work, r);
        if (!job.parts[r].in_place || cw_collective_is_rooted(work->collective))
            free((char *)(uintptr_t)job.parts[r].send);
        free((char *)(uintptr_t)job.parts[r].recv);
    }
    for (int h = 0; h < n_hosts; h++) {
        assert_int_equal(job.open[h], 0);
        assert_int_equal(job.under_way[h], 0);
        relay_blocks_free(job.relays[h].blocks);
        cw_nbc_hosts_free(&job.comms[h].hosts);
    }
}

static void blocks_arrive_whatever_comes_first(void **state)
{
    static const enum cw_collective_kind kinds[] = {CW_COLLECTIVE_SCATTER, CW_COLLECTIVE_GATHER,
                                                    CW_COLLECTIVE_ALLGATHER, CW_COLLECTIVE_ALLTOALL};
    (void)state;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        begin_job(seed, relay_blocks_step);
        const int n_hosts = 1 + (int)cw_random_below(&job.random, HOSTS);
        job.n_ranks = n_hosts + (int)cw_random_below(&job.random, RANKS - HOSTS + 1);
        const struct cw_nbc_work work = {.collective = kinds[seed % 4],
                                         .root = cw_random_below(&job.random, (uint32_t)job.n_ranks),
                                         .bytes = cw_random_below(&job.random, seed % 3 ? 30000 : 5)};
        check(&work, n_hosts, work.collective != CW_COLLECTIVE_ALLTOALL && seed % 8 < 4);
    }
}

/* As many rounds and segments as there may be are under way, and no more. */
static void a_host_has_so_much_under_way(void **state)
{
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_ALLTOALL, .bytes = 700000};
    (void)state;
    begin_job(1, relay_blocks_step);
    job.n_ranks = 7;
    check(&work, 7, false);
    assert_int_equal(job.most_open, ROUNDS);
    assert_int_equal(job.most_under_way, UNDER_WAY);
    assert_int_equal(job.most_at_once, NBC_WIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_arrive_whatever_comes_first),
        cmocka_unit_test(a_host_has_so_much_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
