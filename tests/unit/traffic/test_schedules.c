/*
 * Every registered collective is executed on symbolic data, for every small number of ranks and some larger ones, and
 * must leave exactly what it promises. A rank's copy of a block is the list of how often each rank contributed to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "traffic/schedule.h"

struct machine {
    const char *name;
    enum cw_collective_kind result;
    enum cw_schedule_ports ports;
    uint32_t n, blocks;
    size_t contributors; /* of a block: n, or 1 where blocks have one owner only */
    uint8_t *data;       /* [rank][block][contributor] as the rounds before left it */
    uint8_t *initial;    /* the same at the start */
    uint8_t *written;    /* [rank][block] in this round: 0, 'r' or 'c' */
};

static uint8_t *cell(const struct machine *m, uint8_t *data, uint32_t rank, uint64_t block)
{
    return data + ((size_t)rank * m->blocks + (size_t)(block % m->blocks)) * m->contributors;
}

static bool is_reduction(enum cw_collective_kind result)
{
    return cw_collectives[result].reduces;
}

/* Whether RANK owns BLOCK at the start. */
static bool owns(const struct machine *m, uint32_t rank, uint32_t block)
{
    switch (m->result) {
    case CW_COLLECTIVE_BCAST:
    case CW_COLLECTIVE_SCATTER:
        return rank == 0;
    case CW_COLLECTIVE_GATHER:
    case CW_COLLECTIVE_ALLGATHER:
        return rank == block;
    case CW_COLLECTIVE_ALLTOALL:
        return rank == block / m->n;
    case CW_COLLECTIVE_REDUCE:
    case CW_COLLECTIVE_ALLREDUCE:
    case CW_COLLECTIVE_REDUCE_SCATTER:
    case CW_COLLECTIVE_BARRIER:
        break;
    }
    return true;
}

/* Whether RANK must hold BLOCK, complete, at the end. */
static bool must_hold(const struct machine *m, uint32_t rank, uint32_t block)
{
    switch (m->result) {
    case CW_COLLECTIVE_REDUCE:
    case CW_COLLECTIVE_GATHER:
        return rank == 0;
    case CW_COLLECTIVE_SCATTER:
    case CW_COLLECTIVE_REDUCE_SCATTER:
        return rank == block;
    case CW_COLLECTIVE_ALLTOALL:
        return rank == block % m->n;
    case CW_COLLECTIVE_BCAST:
    case CW_COLLECTIVE_ALLREDUCE:
    case CW_COLLECTIVE_ALLGATHER:
    case CW_COLLECTIVE_BARRIER:
        break;
    }
    return true;
}

/* In a reduction everybody contributes to every block. Elsewhere a block has one owner, and its content says "the
 * owner's". A barrier is run as a set of one block: whom a rank has heard of. */
static struct machine machine_new(const char *name, const struct cw_schedule_kind *kind, uint32_t n, uint32_t blocks)
{
    const enum cw_collective_kind result = kind->result;
    struct machine m = {.name = name, .result = result, .ports = kind->ports, .n = n, .blocks = blocks};
    const bool many = is_reduction(result) || result == CW_COLLECTIVE_BARRIER;
    m.contributors = many ? n : 1;
    const size_t size = (size_t)n * blocks * m.contributors;
    m.data = calloc(size, 1);
    m.initial = calloc(size, 1);
    m.written = calloc((size_t)n * blocks, 1);
    assert_true(m.data && m.initial && m.written);
    for (uint32_t rank = 0; rank < n; rank++)
        for (uint32_t block = 0; block < blocks; block++)
            if (owns(&m, rank, block)) cell(&m, m.initial, rank, block)[many ? rank : 0] = 1;
    memcpy(m.data, m.initial, size);
    return m;
}

static void machine_free(struct machine *m)
{
    free(m->data);
    free(m->initial);
    free(m->written);
}

static bool holds_something(const struct machine *m, const uint8_t *content)
{
    for (size_t i = 0; i < m->contributors; i++)
        if (content[i]) return true;
    return false;
}

/* Takes what MESSAGE carries out of the data before the round: its cells one after another in PAYLOAD. */
static void take(const struct machine *m, const struct cw_message *message, uint8_t *payload)
{
    const uint32_t count = m->result == CW_COLLECTIVE_BARRIER ? 1 : message->n_blocks;
    for (uint32_t b = 0; b < count; b++) {
        const uint64_t block = (uint64_t)message->block + b;
        const uint8_t *content = cell(m, m->data, message->src, block);
        if (!holds_something(m, content))
            fail_msg("%s, n = %u: rank %u sends block %u, which it has not", m->name, m->n, message->src,
                     (uint32_t)(block % m->blocks));
        if (message->free && memcmp(content, cell(m, m->initial, message->src, block), m->contributors) != 0)
            fail_msg("%s, n = %u: a free message carries what rank %u received", m->name, m->n, message->src);
        memcpy(payload + b * m->contributors, content, m->contributors);
    }
}

static void put(struct machine *m, const struct cw_message *message, const uint8_t *payload)
{
    const bool barrier = m->result == CW_COLLECTIVE_BARRIER;
    const uint32_t count = barrier ? 1 : message->n_blocks;
    for (uint32_t b = 0; b < count; b++, payload += m->contributors) {
        const uint64_t block = (uint64_t)message->block + b;
        uint8_t *content = cell(m, m->data, message->dst, block);
        uint8_t *written = &m->written[(size_t)message->dst * m->blocks + block % m->blocks];
        if (!barrier && *written && (*written == 'c' || !message->reduce))
            fail_msg("%s, n = %u: two messages of a round overwrite a block of rank %u", m->name, m->n, message->dst);
        *written = message->reduce ? 'r' : 'c';
        for (size_t i = 0; i < m->contributors; i++) {
            if (barrier)
                content[i] |= payload[i];
            else if (message->reduce)
                content[i] = (uint8_t)(content[i] + payload[i]);
            else
                content[i] = payload[i];
            if (content[i] > 1)
                fail_msg("%s, n = %u: the contribution of rank %zu counts twice at rank %u", m->name, m->n, i,
                         message->dst);
        }
    }
}

static void check_message(const struct machine *m, const struct cw_message *message)
{
    assert_true(message->src < m->n && message->dst < m->n && message->src != message->dst);
    assert_true(message->block < m->blocks && message->n_blocks <= m->blocks);
    if (m->result == CW_COLLECTIVE_BARRIER)
        assert_int_equal(message->n_blocks, 0);
    else
        assert_true(message->n_blocks > 0);
    if (message->reduce) assert_true(is_reduction(m->result));
}

/* All messages of a round leave before any arrives. Returns the number of blocks on the way. */
static uint64_t run_round(struct machine *m, const struct cw_messages *messages)
{
    uint64_t blocks = 0;
    size_t size = 0;
    for (size_t i = 0; i < messages->n; i++) {
        check_message(m, &messages->items[i]);
        blocks += messages->items[i].n_blocks;
        size += (messages->items[i].n_blocks + 1) * m->contributors;
    }
    uint8_t *payloads = malloc(size + 1), *payload = payloads;
    assert_non_null(payloads);
    for (size_t i = 0; i < messages->n; i++) {
        take(m, &messages->items[i], payload);
        payload += (messages->items[i].n_blocks + 1) * m->contributors;
    }
    memset(m->written, 0, (size_t)m->n * m->blocks);
    payload = payloads;
    for (size_t i = 0; i < messages->n; i++) {
        put(m, &messages->items[i], payload);
        payload += (messages->items[i].n_blocks + 1) * m->contributors;
    }
    free(payloads);
    return blocks;
}

static void check_result(const struct machine *m)
{
    for (uint32_t rank = 0; rank < m->n; rank++)
        for (uint32_t block = 0; block < m->blocks; block++) {
            const uint8_t *content = cell(m, m->data, rank, block);
            for (size_t i = 0; must_hold(m, rank, block) && i < m->contributors; i++)
                if (content[i] != 1)
                    fail_msg("%s, n = %u: at rank %u block %u contribution %zu is there %u times", m->name, m->n, rank,
                             block, i, content[i]);
        }
}

/* What it claims to do at once. */
static void check_ports(const struct machine *m, const struct cw_messages *messages)
{
    uint32_t *sent = calloc(m->n, sizeof *sent), *received = calloc(m->n, sizeof *received);
    assert_true(sent && received);
    for (size_t i = 0; i < messages->n; i++) {
        sent[messages->items[i].src]++;
        received[messages->items[i].dst]++;
    }
    for (uint32_t rank = 0; rank < m->n && m->ports != CW_PORTS_MANY; rank++) {
        const uint32_t most = m->ports == CW_PORTS_TWO ? 2 : m->ports == CW_PORTS_ROOT && rank == 0 ? m->n - 1 : 1;
        if (sent[rank] > most || received[rank] > most)
            fail_msg("%s, n = %u: more than %u messages of rank %u in a round", m->name, m->n, most, rank);
    }
    free(sent);
    free(received);
}

struct traffic {
    uint32_t rounds, blocks;
    uint64_t messages, moved; /* blocks on the way */
};

static struct cw_schedule *new_schedule(const char *spec)
{
    struct cw_schedule *schedule = NULL;
    if (cw_schedule_new(spec, &schedule)) fail_msg("%s: %s", spec, cw_error_message());
    assert_string_equal(cw_schedule_spec(schedule), spec);
    return schedule;
}

static const struct cw_schedule_kind *kind_of(const char *spec)
{
    char name[CW_SPEC_NAME_SIZE];
    cw_spec_split(spec, name, sizeof name);
    return cw_schedule_find(name);
}

/* A schedule that is not defined for so many ranks has no round either. */
static struct traffic execute(const char *spec, uint32_t n)
{
    struct cw_schedule *schedule = new_schedule(spec);
    struct traffic traffic = {0};
    struct cw_messages messages = {0};
    const int rc = cw_schedule_plan(schedule, n, &traffic.rounds, &traffic.blocks);
    if (rc) {
        assert_int_equal(rc, CW_EUSAGE);
        assert_int_equal(cw_schedule_round(schedule, n, 0, &messages), CW_EUSAGE);
        cw_schedule_free(schedule);
        return traffic;
    }
    assert_true(traffic.blocks >= 1);
    struct machine m = machine_new(spec, kind_of(spec), n, traffic.blocks);
    for (uint32_t round = 0; round < traffic.rounds; round++) {
        messages.n = 0;
        assert_int_equal(cw_schedule_round(schedule, n, round, &messages), 0);
        assert_true(messages.n > 0);
        check_ports(&m, &messages);
        traffic.moved += run_round(&m, &messages);
        traffic.messages += messages.n;
    }
    check_result(&m);
    messages.n = 0;
    assert_int_equal(cw_schedule_round(schedule, n, traffic.rounds, &messages), CW_EUSAGE);
    assert_int_equal(messages.n, 0);
    cw_messages_free(&messages);
    machine_free(&m);
    cw_schedule_free(schedule);
    return traffic;
}

static const uint32_t larger[] = {48, 63, 64, 65, 100};

static void test_every_schedule(void **state)
{
    (void)state;
    for (const struct cw_schedule_kind *const *kind = cw_schedule_kinds; *kind; kind++) {
        assert_non_null((*kind)->help);
        uint64_t messages = 0; /* it is defined for some numbers */
        for (uint32_t n = 1; n <= 33; n++) messages += execute((*kind)->name, n).messages;
        for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) execute((*kind)->name, larger[i]);
        assert_true(messages > 0);
    }
}

/* Segments along k-nomial trees: nobody sends or receives two at a time, and all arrive. */
static void test_pipelines(void **state)
{
    (void)state;
    static const char *const specs[] = {"pipeline-bcast:2,1", "pipeline-bcast:3,4",     "pipeline-bcast:7,2",
                                        "pipeline-bcast:2,9", "pipeline-reduce:4,3",    "pipeline-reduce:64,2",
                                        "pipeline-reduce:2",  "pipeline-allreduce:3,5", "pipeline-allreduce:2,1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t n = 1; n <= 40; n++) execute(specs[i], n);
}

static uint32_t log_up(uint32_t n, uint32_t base)
{
    uint32_t levels = 0;
    for (uint32_t reached = 1; reached < n; reached *= base) levels++;
    return levels;
}

/* Rounds, messages and blocks moved (in units of blocks, BLOCKS of which are the whole) of each algorithm in the
 * textbooks. */
static void check_textbook(uint32_t n)
{
    const uint32_t up = log_up(n, 2), down = UINT32_C(1) << up > n ? up - 1 : up;
    const uint64_t core = UINT64_C(1) << down, extra = n - core, others = n - 1;
    const uint32_t fold = extra ? 2 : 0;
    uint64_t subtrees = 0; /* blocks that a binomial scatter moves: each goes as many steps as its rank has bits set */
    for (uint32_t i = 0; i < n; i++) subtrees += (uint64_t)__builtin_popcount(i);
    const struct {
        const char *spec;
        uint32_t rounds;
        uint64_t blocks, messages, moved;
    } expected[] = {
        {"binomial-bcast", up, 1, others, others},
        {"binomial-reduce", up, 1, others, others},
        {"binomial-scatter", up, n, others, subtrees},
        {"binomial-gather", up, n, others, subtrees},
        {"knomial-bcast:3", log_up(n, 3), 1, others, others},
        {"knomial-reduce:4", log_up(n, 4), 1, others, others},
        {"knomial-scatter:2", up, n, others, subtrees},
        {"knomial-gather:1024", n > 1, n, others, others},
        {"knomial-allreduce:5", 2 * log_up(n, 5), 1, 2 * others, 2 * others},
        {"pipeline-bcast", n > 1 ? n + 14 : 0, 16, 16 * others, 16 * others},
        {"pipeline-reduce:2,1", up, 1, others, others},
        {"pipeline-bcast:2,5", 5 * up, 5, 5 * others, 5 * others},
        {"pipeline-allreduce:1,3", n > 1 ? 2 * n : 0, 3, 6 * others, 6 * others},
        {"linear-bcast", n > 1, 1, others, others},
        {"linear-reduce", n > 1, 1, others, others},
        {"linear-scatter", n > 1, n, others, others},
        {"linear-gather", n > 1, n, others, others},
        {"recursive-doubling", down + fold, 1, core * down + 2 * extra, core * down + 2 * extra},
        {"recursive-doubling-barrier", down + fold, 1, core * down + 2 * extra, 0},
        {"rabenseifner", 2 * down + fold, core, core * 2 * down + 2 * extra, 2 * core * (core - 1) + 2 * extra * core},
        {"ring-allreduce", 2 * (n - 1), n, 2 * n * others, 2 * n * others},
        {"ring-reduce-scatter", n - 1, n, n * others, n * others},
        {"ring-allgather", n - 1, n, n * others, n * others},
        {"bruck", up, n, (uint64_t)n * up, n * others},
        {"alltoall", n - 1, (uint64_t)n * n, n * others, n * others},
        {"dissemination", up, 1, (uint64_t)n * up, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct traffic traffic = execute(expected[i].spec, n);
        if (traffic.rounds != expected[i].rounds || traffic.blocks != expected[i].blocks ||
            traffic.messages != expected[i].messages || traffic.moved != expected[i].moved)
            fail_msg("%s, n = %u: %u rounds, %u blocks, %llu messages, %llu blocks moved", expected[i].spec, n,
                     traffic.rounds, traffic.blocks, (unsigned long long)traffic.messages,
                     (unsigned long long)traffic.moved);
    }
}

static void test_textbook_counts(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 20; n++) check_textbook(n);
    check_textbook(32);
    check_textbook(33);
}

/* The papers' tree, their order of children, and its mirror image. */
static void test_tree_of_the_papers(void **state)
{
    (void)state;
    static const uint32_t pairs[][2] = {{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5},
                                        {2, 6}, {3, 7}, {0, 8}, {1, 9}, {2, 10}};
    struct cw_schedule *down = new_schedule("tree"), *up = new_schedule("reduce");
    struct cw_messages messages = {0}, mirror = {0};
    for (uint32_t round = 0; round < 4; round++) {
        const size_t before = messages.n;
        mirror.n = 0;
        assert_int_equal(cw_schedule_round(down, 11, round, &messages), 0);
        assert_int_equal(cw_schedule_round(up, 11, 3 - round, &mirror), 0);
        assert_int_equal(mirror.n, messages.n - before);
        for (size_t i = 0; i < mirror.n; i++) {
            assert_int_equal(mirror.items[i].src, messages.items[before + i].dst);
            assert_int_equal(mirror.items[i].dst, messages.items[before + i].src);
            assert_true(mirror.items[i].reduce && !messages.items[before + i].reduce);
        }
    }
    assert_int_equal(messages.n, 10);
    for (size_t i = 0; i < messages.n; i++) {
        assert_int_equal(messages.items[i].src, pairs[i][0]);
        assert_int_equal(messages.items[i].dst, pairs[i][1]);
    }
    /* A library's allreduce goes up with neighbours first, and down by that tree. */
    static const uint32_t first[][2] = {{1, 0}, {3, 2}, {5, 4}, {2, 0}, {4, 0}, {0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}};
    struct cw_schedule *both = new_schedule("binomial-allreduce");
    messages.n = 0;
    for (uint32_t round = 0; round < 6; round++) assert_int_equal(cw_schedule_round(both, 6, round, &messages), 0);
    assert_int_equal(messages.n, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(messages.items[i].src, first[i][0]);
        assert_int_equal(messages.items[i].dst, first[i][1]);
        assert_true(messages.items[i].reduce == (i < 5));
    }
    cw_schedule_free(both);
    cw_messages_free(&messages);
    cw_messages_free(&mirror);
    cw_schedule_free(down);
    cw_schedule_free(up);
}

/* Every collective is called by its name, and every schedule that the table names for it is one of it. */
static void check_named(const char *name, enum cw_collective_kind kind)
{
    if (name && (!cw_schedule_find(name) || cw_schedule_find(name)->result != kind))
        fail_msg("%s is no schedule of a %s", name, cw_collectives[kind].name);
}

static void test_collectives(void **state)
{
    (void)state;
    for (int c = 0; c < CW_COLLECTIVES; c++) {
        const enum cw_collective_kind kind = (enum cw_collective_kind)c;
        const struct cw_collective_traits *traits = &cw_collectives[c];
        assert_non_null(traits->name);
        assert_ptr_equal(cw_registry_find(&cw_collective_registry, traits->name), traits);
        assert_int_equal(cw_collective_kind_of(traits), kind);
        check_named(traits->name, kind);
        assert_string_equal(cw_schedule_find(traits->name)->name, traits->usual);
        const char *const named[] = {traits->usual, traits->tree, traits->straight};
        for (size_t i = 0; i < sizeof named / sizeof *named; i++) check_named(named[i], kind);
        assert_ptr_equal(cw_registry_find(&cw_collective_trees, traits->name), traits->tree ? traits : NULL);
    }
    assert_null(cw_collectives[CW_COLLECTIVES].name);
    for (const struct cw_schedule_kind *const *kind = cw_schedule_kinds; *kind; kind++) {
        assert_true((unsigned)(*kind)->result < CW_COLLECTIVES);
        assert_ptr_equal(cw_schedule_find((*kind)->name), *kind);
    }
    assert_string_equal(cw_schedule_find("tree")->name, "binomial-bcast");
    assert_null(cw_schedule_find("trees"));
}

/* The traits of each, against what its schedules must do by its definition. */
static void test_traits(void **state)
{
    (void)state;
    for (const struct cw_schedule_kind *const *kind = cw_schedule_kinds; *kind; kind++) {
        const struct cw_collective_traits *traits = &cw_collectives[(*kind)->result];
        const uint32_t n = 8, blocks = traits->gives_blocks && traits->takes_blocks ? n * n : n;
        struct machine m = machine_new((*kind)->name, *kind, n, blocks);
        uint32_t owned = 0, held = 0; /* by rank 1 */
        for (uint32_t block = 0; block < blocks; block++) {
            owned += owns(&m, 1, block);
            held += must_hold(&m, 1, block);
        }
        assert_int_equal(owned == 0, traits->root_gives);
        assert_int_equal(held == 0, traits->root_takes);
        if (!traits->root_gives) assert_int_equal(owned == 1, traits->takes_blocks && !traits->gives_blocks);
        if (!traits->root_takes) assert_int_equal(held == 1, traits->gives_blocks && !traits->takes_blocks);
        assert_int_equal(m.contributors > 1, traits->reduces || traits->no_data);
        machine_free(&m);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"binomial-bcst", "did you mean binomial-bcast?"}, {"allgathr", "did you mean allgather?"},
        {"quicksort", "expected one of binomial-bcast"},   {"bruck:3", "bruck"},
        {"tree:k=3", "binomial-bcast has no option k"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_schedule *schedule = NULL;
        assert_int_equal(cw_schedule_new(bad[i][0], &schedule), CW_EUSAGE);
        assert_null(schedule);
        if (!strstr(cw_error_message(), bad[i][1])) fail_msg("%s: %s", bad[i][0], cw_error_message());
    }
    struct cw_schedule *schedule = new_schedule("alltoall");
    uint32_t rounds = 0, blocks = 0;
    assert_int_equal(cw_schedule_plan(schedule, 0, &rounds, &blocks), CW_EUSAGE);
    assert_int_equal(cw_schedule_plan(schedule, 65536, &rounds, &blocks), CW_EUSAGE);
    assert_int_equal(cw_schedule_plan(schedule, 65535, &rounds, &blocks), 0);
    assert_int_equal(blocks, UINT32_C(65535) * 65535);
    cw_schedule_free(schedule);
    cw_schedule_free(NULL);
    cw_messages_free(NULL);
}

/* The last rounds among millions of ranks, where indices come near 32 bits. */
static void test_large(void **state)
{
    (void)state;
    const uint32_t n = UINT32_C(3000000001);
    struct cw_messages messages = {0};
    struct cw_schedule *scatter = new_schedule("scatter"), *gather = new_schedule("gather");
    assert_int_equal(cw_schedule_round(scatter, n, 0, &messages), 0);
    assert_int_equal(cw_schedule_round(gather, n, 31, &messages), 0);
    assert_int_equal(messages.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(messages.items[i].src + messages.items[i].dst, UINT32_C(1) << 31);
        assert_int_equal(messages.items[i].block, UINT32_C(1) << 31);
        assert_int_equal(messages.items[i].n_blocks, n - (UINT32_C(1) << 31));
    }
    cw_messages_free(&messages);
    cw_schedule_free(scatter);
    cw_schedule_free(gather);
}

static void test_bytes(void **state)
{
    (void)state;
    for (uint64_t total = 0; total < 30; total++)
        for (uint32_t blocks = 1; blocks < 9; blocks++) {
            uint64_t size[8], sum = 0;
            for (uint32_t b = 0; b < blocks; b++) {
                size[b] = cw_schedule_bytes(total, blocks, b, 1);
                sum += size[b];
                assert_true(size[b] <= size[0] && size[0] - size[b] <= 1);
                if (b > 0) assert_true(size[b] <= size[b - 1]);
            }
            assert_int_equal(sum, total);
            for (uint32_t b = 0; b < blocks; b++)
                for (uint32_t n = 0; n <= blocks; n++) {
                    uint64_t expected = 0;
                    for (uint32_t i = 0; i < n; i++) expected += size[(b + i) % blocks];
                    assert_int_equal(cw_schedule_bytes(total, blocks, b, n), expected);
                }
        }
    assert_true(cw_schedule_bytes(UINT64_MAX, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX) == UINT64_MAX);
}

/* What a message of 8000 bytes among 8 ranks means, by hand: the first message of each round. Broadcasts and
 * reductions: the whole vector, or the part of it that goes. Scatter, gather, allgather: 8000 bytes of each rank that
 * it stands for. All-to-all: 8000 bytes for each. */
static void test_message_size(void **state)
{
    (void)state;
    static const struct {
        const char *schedule;
        uint64_t rounds[3]; /* the first ones, as far as there are */
    } cases[] = {
        {"binomial-bcast", {8000, 8000, 8000}},
        {"binomial-reduce", {8000, 8000, 8000}},
        {"binomial-scatter", {32000, 16000, 8000}},
        {"binomial-gather", {8000, 16000, 32000}},
        {"binomial-allreduce", {8000, 8000, 8000}},
        {"knomial-bcast", {8000, 8000}},
        {"knomial-reduce", {8000, 8000}},
        {"knomial-scatter", {32000, 8000}},
        {"knomial-gather", {8000, 32000}},
        {"knomial-allreduce", {8000, 8000, 8000}},
        {"pipeline-bcast", {500, 500, 500}},
        {"pipeline-reduce", {500, 500, 500}},
        {"pipeline-allreduce", {500, 500, 500}},
        {"linear-bcast", {8000}},
        {"linear-reduce", {8000}},
        {"linear-scatter", {8000}},
        {"linear-gather", {8000}},
        {"recursive-doubling", {8000, 8000, 8000}},
        {"rabenseifner", {4000, 2000, 1000}},
        {"ring-allreduce", {1000, 1000, 1000}},
        {"ring-reduce-scatter", {1000, 1000, 1000}},
        {"ring-allgather", {8000, 8000, 8000}},
        {"bruck", {8000, 16000, 32000}},
        {"alltoall", {8000, 8000, 8000}},
        {"dissemination", {0, 0, 0}},
        {"recursive-doubling-barrier", {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_schedule *schedule = new_schedule(cases[i].schedule);
        uint32_t rounds = 0, blocks = 0;
        uint64_t total = 0;
        assert_int_equal(cw_schedule_plan(schedule, 8, &rounds, &blocks), 0);
        assert_int_equal(cw_schedule_total_bytes(schedule, 8, 8000, &total), 0);
        for (uint32_t round = 0; round < rounds && round < 3; round++) {
            struct cw_messages messages = {0};
            assert_int_equal(cw_schedule_round(schedule, 8, round, &messages), 0);
            const struct cw_message *first = &messages.items[0];
            const uint64_t bytes = cw_schedule_bytes(total, blocks, first->block, first->n_blocks);
            if (bytes != cases[i].rounds[round])
                fail_msg("%s, round %u: %llu bytes", cases[i].schedule, round, (unsigned long long)bytes);
            cw_messages_free(&messages);
        }
        cw_schedule_free(schedule);
    }
    struct cw_schedule *alltoall = new_schedule("alltoall");
    uint64_t total = 77;
    assert_int_equal(cw_schedule_total_bytes(alltoall, 65535, UINT64_C(1) << 33, &total), CW_EUSAGE);
    assert_int_equal(total, 77);
    cw_schedule_free(alltoall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_size),
        cmocka_unit_test(test_every_schedule),
        cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_textbook_counts),
        cmocka_unit_test(test_tree_of_the_papers),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_traits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
