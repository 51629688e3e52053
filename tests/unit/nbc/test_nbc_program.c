/* Programs of hosts, executed on symbolic data in random order: every schedule of one vector does what it promises, and
 * what is combined with what does not depend on who comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/random.h"
#include "nbc/nbc_program.h"

#define HOSTS  11 /* at most */
#define PARTS  2  /* segments of a block */
#define WINDOW 3  /* messages of a stream under way */

/* What a segment holds: hosts in the order in which they were combined. */
struct value {
    uint8_t n, hosts[2 * HOSTS];
};

/* One that was begun: it may come at once, and may be sent for long. */
struct letter {
    const struct value *from; /* the memory of the sender, which must not change until it is sent */
    struct value as_begun;
};

struct host {
    struct cw_nbc_program *program;
    struct value *values; /* [n_blocks · PARTS] */
    uint32_t *events;
    bool *complete;      /* its value was final */
    uint32_t begun[64];  /* of each stream: messages sent; … */
    uint32_t ended[64];  /* … sent and done, or received */
    struct letter *wire; /* [streams][PARTS · steps of a stream] of those that go */
    size_t *wires;       /* [streams] where each begins */
};

struct job {
    uint32_t n, blocks;
    const struct cw_collective_traits *traits;
    struct host hosts[HOSTS];
    struct cw_random random;
};

static struct job new_job(const char *spec, uint32_t n, uint64_t seed)
{
    struct job job = {.n = n, .random = cw_random_of(seed, 0, n)};
    struct cw_schedule *schedule;
    uint32_t rounds;
    assert_int_equal(cw_schedule_new(spec, &schedule), 0);
    assert_int_equal(cw_schedule_plan(schedule, n, &rounds, &job.blocks), 0);
    job.traits = &cw_collectives[cw_schedule_result(schedule)];
    for (uint32_t h = 0; h < n; h++) {
        struct host *host = &job.hosts[h];
        const uint32_t segments = job.blocks * PARTS;
        size_t letters = 0;
        assert_int_equal(cw_nbc_program_new(schedule, n, h, &host->program), 0);
        assert_int_equal(host->program->n_blocks, job.blocks);
        assert_true(host->program->n_streams <= 64);
        host->values = calloc(segments, sizeof *host->values);
        host->events = calloc(segments, sizeof *host->events);
        host->complete = calloc(segments, sizeof *host->complete);
        host->wires = calloc(host->program->n_streams + 1, sizeof *host->wires);
        for (uint32_t s = 0; s < host->program->n_streams; s++) {
            host->wires[s] = letters;
            letters += (size_t)host->program->streams[s].n * PARTS;
        }
        host->wire = calloc(letters + 1, sizeof *host->wire);
        for (uint32_t i = 0; i < segments && host->program->gives; i++) {
            host->values[i] = (struct value){1, {(uint8_t)h}};
            host->events[i] = 1;
        }
    }
    cw_schedule_free(schedule);
    return job;
}

static void free_job(struct job *job)
{
    for (uint32_t h = 0; h < job->n; h++) {
        struct host *host = &job->hosts[h];
        cw_nbc_program_free(host->program);
        free(host->values);
        free(host->events);
        free(host->complete);
        free(host->wires);
        free(host->wire);
    }
}

/* The stream of PEER that goes to HOST. */
static uint32_t other_end(const struct job *job, uint32_t peer, uint32_t host)
{
    const struct cw_nbc_program *program = job->hosts[peer].program;
    for (uint32_t s = 0; s < program->n_streams; s++)
        if (!program->streams[s].comes && program->streams[s].peer == host) return s;
    fail_msg("%u does not know that it sends to %u", peer, host);
    return 0;
}

static void count(struct host *host, uint32_t segment, uint32_t block)
{
    host->events[segment]++;
    host->complete[segment] = host->events[segment] >= host->program->complete[block];
}

static bool step_out(struct host *host, uint32_t s, bool ends)
{
    const struct cw_nbc_stream *stream = &host->program->streams[s];
    const uint32_t number = ends ? host->ended[s] : host->begun[s];
    if (number == (ends ? host->begun[s] : stream->n * PARTS)) return false;
    const struct cw_nbc_step *step = &stream->steps[number / PARTS];
    const uint32_t segment = step->block * PARTS + number % PARTS;
    struct letter *letter = &host->wire[host->wires[s] + number];
    if (ends) {
        assert_memory_equal(letter->from, &letter->as_begun, sizeof *letter->from);
        host->ended[s]++;
        count(host, segment, step->block);
        return true;
    }
    if (host->events[segment] < step->after || host->begun[s] - host->ended[s] == WINDOW) return false;
    *letter = (struct letter){&host->values[segment], host->values[segment]};
    host->begun[s]++;
    return true;
}

static bool step_in(struct job *job, uint32_t h, uint32_t s)
{
    struct host *host = &job->hosts[h];
    const struct cw_nbc_stream *stream = &host->program->streams[s];
    const uint32_t number = host->ended[s], end = other_end(job, stream->peer, h);
    const struct host *peer = &job->hosts[stream->peer];
    assert_int_equal(peer->program->streams[end].n, stream->n);
    if (number == peer->begun[end]) return false; /* it may have come before the sender knows */
    const struct cw_nbc_step *step = &stream->steps[number / PARTS];
    const uint32_t segment = step->block * PARTS + number % PARTS;
    if (host->events[segment] < step->after) return false;
    assert_int_equal(step->block, peer->program->streams[end].steps[number / PARTS].block);
    const struct value *from = &peer->wire[peer->wires[end] + number].as_begun;
    struct value *into = &host->values[segment];
    if (!step->reduces) into->n = 0;
    assert_true(!host->complete[segment] && (size_t)into->n + from->n <= sizeof into->hosts);
    memcpy(into->hosts + into->n, from->hosts, from->n);
    into->n = (uint8_t)(into->n + from->n);
    host->ended[s]++;
    count(host, segment, step->block);
    return true;
}

/* Whoever is drawn goes on, until nobody can. */
static void run(struct job *job)
{
    for (uint32_t idle = 0; idle < 4000;) {
        const uint32_t h = cw_random_below(&job->random, job->n);
        struct host *host = &job->hosts[h];
        if (host->program->n_streams == 0) {
            idle += 100;
            continue;
        }
        const uint32_t s = cw_random_below(&job->random, host->program->n_streams);
        const bool ends = cw_random_below(&job->random, 2);
        idle = (host->program->streams[s].comes ? step_in(job, h, s) : step_out(host, s, ends)) ? 0 : idle + 1;
    }
    for (uint32_t h = 0; h < job->n; h++)
        for (uint32_t s = 0; s < job->hosts[h].program->n_streams; s++)
            assert_int_equal(job->hosts[h].ended[s], job->hosts[h].program->streams[s].n * PARTS);
}

static void check_value(const struct job *job, const struct value *value)
{
    bool met[HOSTS] = {false};
    assert_int_equal(value->n, job->traits->reduces ? job->n : 1);
    for (uint32_t i = 0; i < value->n; i++) {
        assert_false(met[value->hosts[i]]);
        met[value->hosts[i]] = true;
    }
    if (!job->traits->reduces) assert_int_equal(value->hosts[0], 0);
}

static void check_permutation(const uint32_t *order, uint32_t n)
{
    bool *met = calloc(n, sizeof *met);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(order[i] < n && !met[order[i]]);
        met[order[i]] = true;
    }
    free(met);
}

static void check_job(const char *spec, uint32_t n)
{
    struct job first = new_job(spec, n, 1);
    run(&first);
    for (uint32_t h = 0; h < n; h++) {
        const struct host *host = &first.hosts[h];
        assert_int_equal(host->program->gives, !first.traits->root_gives || h == 0);
        check_permutation(host->program->taken, first.blocks);
        check_permutation(host->program->given, first.blocks);
        for (uint32_t i = 0; i < first.blocks * PARTS; i++)
            if (h == 0 || !first.traits->root_takes) check_value(&first, &host->values[i]);
    }
    for (uint64_t seed = 2; seed < 5; seed++) {
        struct job other = new_job(spec, n, seed);
        run(&other);
        for (uint32_t h = 0; h < n; h++)
            assert_memory_equal(first.hosts[h].values, other.hosts[h].values,
                                (size_t)first.blocks * PARTS * sizeof(struct value));
        free_job(&other);
    }
    free_job(&first);
}

static void test_schedules_of_a_vector(void **state)
{
    (void)state;
    int n_specs = 0;
    for (const struct cw_schedule_kind *const *kind = cw_schedule_kinds; *kind; kind++) {
        if (cw_collective_has_blocks((*kind)->result) || cw_collectives[(*kind)->result].no_data) continue;
        struct cw_schedule *schedule;
        uint32_t rounds, blocks;
        assert_int_equal(cw_schedule_new((*kind)->name, &schedule), 0);
        for (uint32_t n = 1; n <= HOSTS; n++)
            if (cw_schedule_plan(schedule, n, &rounds, &blocks) == 0) check_job((*kind)->name, n);
        cw_schedule_free(schedule);
        n_specs++;
    }
    assert_true(n_specs >= 10);
    for (uint32_t n = 1; n <= HOSTS; n++) {
        check_job("pipeline-allreduce:1,1", n);
        check_job("pipeline-allreduce:2,1", n);
        check_job("pipeline-allreduce:4,1", n);
        check_job("pipeline-reduce:3,2", n);
    }
}

/* The result of block B of N hosts at host AT. */
static void check_order(const char *spec, uint32_t n, uint32_t at, uint32_t block, const uint8_t *expected)
{
    struct job job = new_job(spec, n, 7);
    run(&job);
    assert_memory_equal(job.hosts[at].values[block * PARTS].hosts, expected, n);
    free_job(&job);
}

/* Sums of floating-point numbers depend on it. */
static void test_order_of_combination(void **state)
{
    (void)state;
    check_order("pipeline-reduce:1,1", 4, 0, 0, (uint8_t[]){0, 1, 2, 3});
    check_order("pipeline-reduce:2,1", 8, 0, 0, (uint8_t[]){0, 4, 6, 7, 5, 2, 3, 1});
    check_order("pipeline-allreduce:3,1", 9, 5, 0, (uint8_t[]){0, 3, 4, 5, 6, 7, 8, 1, 2});
    check_order("ring-allreduce", 4, 2, 1, (uint8_t[]){1, 0, 3, 2}); /* sets out from host 2 */
}

/* The first block that a host of a ring sends is the first that its ranks are asked for; it ends with that block. */
static void test_order_of_blocks(void **state)
{
    (void)state;
    struct job job = new_job("ring-allreduce", 4, 1);
    const struct cw_nbc_program *program = job.hosts[2].program;
    assert_memory_equal(program->taken, ((uint32_t[]){1, 0, 3, 2}), 4 * sizeof(uint32_t));
    assert_memory_equal(program->given, ((uint32_t[]){2, 1, 0, 3}), 4 * sizeof(uint32_t));
    assert_int_equal(program->n_streams, 2);
    assert_true(program->streams[0].comes && !program->streams[1].comes);
    assert_int_equal(program->streams[0].peer, 1);
    assert_int_equal(program->streams[1].peer, 3);
    free_job(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules_of_a_vector),
        cmocka_unit_test(test_order_of_combination),
        cmocka_unit_test(test_order_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
