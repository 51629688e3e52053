/* Relays of several hosts, all in this process, for tests of what they do (mpi/nbc/nbc_relay_internal.h): the hosts go
 * on in random order, and what passes between them comes at random moments, many segments at once or none. The wire is
 * that of this file. */
#ifndef CW_TESTS_RELAY_TEST_H
#define CW_TESTS_RELAY_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "mpi/nbc/nbc_relay_internal.h"

enum { HOSTS = 9, RANKS = 14, SEGMENTS = 200, STEPS = 1000000 }; /* at most */

/* A segment that was sent. It is read when it is received. */
struct segment {
    const char *data;
    size_t bytes;
    bool received;
};

/* From one host to another. */
struct line {
    bool open; /* its receiver has said so */
    bool used;
    uint32_t n;
    struct segment segments[SEGMENTS];
    char *places[SEGMENTS]; /* where they are to go */
    size_t room[SEGMENTS];
};

static struct {
    struct cw_random random;
    int n_ranks, leaders[RANKS];
    struct cw_nbc_part parts[RANKS];
    struct relay_comm comms[HOSTS];
    struct relay relays[HOSTS];
    struct line lines[HOSTS][HOSTS];
    bool (*step)(struct relay *relay, bool *any);
    int me;                                           /* the host that goes on */
    uint32_t open[HOSTS], under_way[HOSTS];           /* flows that come in; segments that were sent and not received */
    uint64_t sent;                                    /* bytes */
    uint32_t most_open, most_under_way, most_at_once; /* of any host; segments of one flow that came together */
} job;

/* --- what the parcels are given ----------------------------------------------------------------------------------- */

static int host_of(int leader)
{
    const struct cw_nbc_hosts *hosts = &job.comms[0].hosts;
    return hosts->of_rank[leader];
}

static struct line *line_of(const struct nbc_flow *flow)
{
    const int other = host_of(flow->peer);
    return flow->incoming ? &job.lines[other][job.me] : &job.lines[job.me][other];
}

static void open_flow(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number, bool incoming)
{
    *flow = (struct nbc_flow){.peer = peer, .key = key, .number = number, .incoming = incoming};
    assert_int_not_equal(host_of(peer), job.me);
}

void nbc_flow_receive(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number)
{
    open_flow(flow, peer, key, number, true);
    assert_false(line_of(flow)->used); /* one in each direction */
    line_of(flow)->open = line_of(flow)->used = true;
    if (++job.open[job.me] > job.most_open) job.most_open = job.open[job.me];
}

void nbc_flow_send(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number)
{
    open_flow(flow, peer, key, number, false);
}

bool nbc_flow_has_room(struct nbc_flow *flow)
{
    return flow->begun - flow->done < (flow->wide ? NBC_WIDE : NBC_WINDOW) && line_of(flow)->open;
}

void nbc_flow_begin(struct nbc_flow *flow, char *data, size_t bytes)
{
    struct line *line = line_of(flow);
    const uint32_t i = flow->begun++;
    assert_true(i < SEGMENTS);
    if (flow->incoming) {
        line->places[i] = data;
        line->room[i] = bytes;
        return;
    }
    job.sent += bytes;
    line->segments[line->n++] = (struct segment){data, bytes, false};
    if (++job.under_way[job.me] > job.most_under_way) job.most_under_way = job.under_way[job.me];
}

static bool receive(const struct nbc_flow *flow)
{
    struct line *line = line_of(flow);
    struct segment *segment = &line->segments[flow->done];
    if (flow->done == line->n) return false;
    assert_int_equal(line->room[flow->done], segment->bytes);
    memcpy(line->places[flow->done], segment->data, segment->bytes);
    segment->received = true;
    return true;
}

void nbc_flow_look(struct nbc_flow *flow, bool *any)
{
    const uint32_t before = flow->done;
    if (cw_random_below(&job.random, 4) == 0) return; /* nothing has come yet */
    while (flow->done < flow->begun && (flow->incoming ? receive(flow) : line_of(flow)->segments[flow->done].received))
        flow->done++;
    *any = *any || flow->done > before;
    if (!flow->incoming) job.under_way[job.me] -= flow->done - before;
    if (flow->incoming && flow->done - before > job.most_at_once) job.most_at_once = flow->done - before;
}

void nbc_flow_end(struct nbc_flow *flow)
{
    if (!flow->incoming) return;
    assert_true(line_of(flow)->open);
    line_of(flow)->open = false;
    job.open[job.me]--;
}

struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    return job.parts[hosts->ranks[(uint32_t)hosts->first[hosts->me] + rank]];
}

uint32_t relay_number(const struct relay *relay, uint32_t rank)
{
    (void)relay;
    return rank;
}

void relay_note_error(struct relay *relay, int error, uint32_t rank)
{
    (void)relay;
    (void)rank;
    assert_int_equal(error, 0);
}

int cw_nbc_relay_read(const struct cw_nbc_node *node, uint32_t rank, char *here, uint64_t there, size_t bytes)
{
    (void)node;
    (void)rank;
    memcpy(here, (const char *)(uintptr_t)there, bytes);
    return 0;
}

int cw_nbc_relay_write(const struct cw_nbc_node *node, uint32_t rank, const char *here, uint64_t there, size_t bytes)
{
    (void)node;
    (void)rank;
    memcpy((char *)(uintptr_t)there, here, bytes);
    return 0;
}

/* --- all hosts ---------------------------------------------------------------------------------------------------- */

static void begin_job(uint64_t seed, bool (*step)(struct relay *relay, bool *any))
{
    memset(&job, 0, sizeof job);
    job.step = step;
    job.random = cw_random_of(seed, 0, 0);
}

/* Whoever is drawn goes on, until all have finished. */
static void go_on(int n_hosts)
{
    bool finished[HOSTS] = {false};
    int left = n_hosts;
    for (int step = 0; left > 0; step++) {
        bool any = false;
        assert_true(step < STEPS);
        job.me = (int)cw_random_below(&job.random, (uint32_t)n_hosts);
        if (finished[job.me]) continue;
        finished[job.me] = job.step(&job.relays[job.me], &any);
        left -= finished[job.me];
    }
}

#endif
