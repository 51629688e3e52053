/* The relay of a host (mpi/nbc/nbc_relay_thread.c): how it agrees with others on what was posted, whom it asks when
 * they are missing, and what it begins and ends. The other hosts, the wire, what the ranks of this host share, memory
 * and time are made up here; what is called is noted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "mpi/nbc/nbc_relay_internal.h"
#include "mpi/nbc/nbc_relay_thread.h"
#include "notes.h"

enum { COMMS = 2, SLOTS = 64, NODE_RANK = 6, INNER = 9, PARTS = 77, TAIL = 64, POISON = 0x5a };

/* Hosts are known by the ranks 10, 20 and 30. */
static const int leaders[] = {10, 10, 20, 30};
static const struct cw_nbc_trees trees = {.n = 1};
static const struct cw_nbc_between asked = {.shape = CW_NBC_CHAIN};
static const uint32_t members[] = {NODE_RANK};
static char node;

/* What is sent to this host and not yet heard. */
struct message {
    bool come, verdict;
    uint64_t key, number;
    struct cw_nbc_clash_note note;
};

static struct {
    struct cw_nbc_note comms[COMMS];
    uint64_t active[COMMS];
    struct {
        bool posted;
        uint64_t number;
        uint32_t n_posted;
        struct cw_nbc_work work;
        struct cw_nbc_clash_note note;
    } slots[COMMS][SLOTS];
    struct message messages[4];
    uint32_t n_comms, n_ranks;          /* of the communicator here */
    bool no_part, passes, starts, ends; /* operations can begin, and are finished */
    int read_fails;
    double now;
    int looks, naps, listened, allocations, starved_at, programs_freed;
    bool comes; /* something, when the wire is looked at */
    struct timespec nap;
    const struct nbc_question *question;
    enum cw_nbc_turn turn;
    bool answered, exact;
} world;

static struct nbc_relays *relays;

/* --- the system --------------------------------------------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = (time_t)world.now;
    now->tv_nsec = (long)(1e9 * (world.now - (double)now->tv_sec));
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    assert_null(left);
    world.nap = *time;
    world.naps++;
    return 0;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return ++world.allocations == world.starved_at ? NULL : __real_calloc(n, size);
}

/* What is new, and what is behind it, would be seen if it were used. */
void *__wrap_realloc(void *old, size_t size)
{
    if (++world.allocations == world.starved_at || size > 1000) return NULL;
    char *block = __real_realloc(old, size + TAIL);
    const size_t from = old ? size - sizeof(void *) : 0;
    memset(block + from, POISON, size + TAIL - from);
    return block;
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

void nbc_wire_tell(int peer, uint64_t key, uint64_t number, bool verdict, const struct cw_nbc_clash_note *about)
{
    assert_true(key == world.comms[0].key || key == world.comms[1].key);
    note("tell %d %s %d: %d", peer, verdict ? "verdict" : "opinion", (int)number, (int)about->clash);
}

bool nbc_wire_hear(uint64_t key, uint64_t number, bool verdict, struct cw_nbc_clash_note *out)
{
    for (int i = 0; i < 4; i++) {
        struct message *m = &world.messages[i];
        if (!m->come || m->key != key || m->number != number || m->verdict != verdict) continue;
        *out = m->note;
        m->come = false;
        return true;
    }
    return false;
}

void nbc_wire_ask(int peer, const struct nbc_question *question)
{
    assert_true(question->index == PARTS && question->asked.rank == 2);
    note("ask %d of %d%s%s", peer, (int)question->number, question->answered ? ", answered" : "",
         question->by_verdict ? " by a verdict" : "");
}

void nbc_wire_look(bool *any)
{
    world.looks++;
    if (world.comes) *any = true;
}

void nbc_wire_answer(bool (*answer)(void *state, const struct nbc_question *question), void *state)
{
    assert_ptr_equal(state, relays);
    world.listened++;
    if (world.question) world.answered = answer(state, world.question);
}

/* --- the ranks of this host --------------------------------------------------------------------------------------- */

uint32_t cw_nbc_relay_comms(const struct cw_nbc_node *of)
{
    assert_ptr_equal(of, &node);
    return world.n_comms;
}

uint64_t cw_nbc_relay_active(const struct cw_nbc_node *of, uint32_t comm, struct cw_nbc_note *out)
{
    assert_true((const char *)of == &node && comm < world.n_comms);
    *out = world.comms[comm];
    return world.active[comm];
}

uint32_t cw_nbc_relay_members(const struct cw_nbc_node *of, uint32_t comm, const uint32_t **out)
{
    assert_true((const char *)of == &node && comm < world.n_comms);
    *out = members;
    return world.n_ranks;
}

bool cw_nbc_relay_look(const struct cw_nbc_node *of, uint32_t comm, uint64_t slot, uint64_t *number,
                       struct cw_nbc_work *work, uint32_t *n_posted, struct cw_nbc_clash_note *out)
{
    assert_true((const char *)of == &node && comm < world.n_comms && slot < SLOTS);
    *number = world.slots[comm][slot].number;
    *work = world.slots[comm][slot].work;
    *n_posted = world.slots[comm][slot].n_posted;
    *out = world.slots[comm][slot].note;
    return world.slots[comm][slot].posted;
}

void cw_nbc_relay_fail(struct cw_nbc_node *of, uint32_t comm, uint64_t number, const struct cw_nbc_clash_note *about)
{
    assert_ptr_equal(of, &node);
    note("fail %u:%d: %d", comm, (int)number, (int)about->clash);
}

enum cw_nbc_turn cw_nbc_relay_turn(struct cw_nbc_node *of, uint64_t key, uint64_t number, uint64_t index,
                                   struct cw_nbc_clash_note *out)
{
    assert_true((const char *)of == &node && key == 5 && number == 3 && index == 8 && out->a.rank == 4);
    out->clash = CW_NBC_OTHER_SIDE;
    return world.turn;
}

bool cw_nbc_relay_part(const struct cw_nbc_node *of, uint32_t comm, uint64_t slot, uint32_t rank,
                       struct cw_nbc_part *out)
{
    assert_true((const char *)of == &node && comm < COMMS && slot < SLOTS && rank < world.n_ranks);
    if (world.no_part) return false;
    *out = (struct cw_nbc_part){.index = PARTS, .asked.rank = 2, .send = slot, .recv = rank};
    return true;
}

int cw_nbc_relay_read(const struct cw_nbc_node *of, uint32_t rank, char *here, uint64_t there, size_t bytes)
{
    assert_true((const char *)of == &node && rank == NODE_RANK && bytes == sizeof leaders);
    memcpy(here, (const char *)(uintptr_t)there, bytes);
    return world.read_fails;
}

void cw_nbc_relay_end(struct cw_nbc_node *of, uint32_t comm, uint64_t number, int error, uint32_t error_rank)
{
    assert_ptr_equal(of, &node);
    note("end %u:%d, %d of %u", comm, (int)number, error, error_rank);
}

/* --- operations --------------------------------------------------------------------------------------------------- */

struct cw_nbc_between cw_nbc_trees_choose(const struct cw_nbc_trees *of, const struct cw_nbc_between *as,
                                          enum cw_collective_kind collective, bool exact, uint32_t hosts,
                                          uint64_t bytes)
{
    assert_true(of == &trees && as->shape == asked.shape && hosts == 3 && bytes == 100);
    assert_true(collective <= CW_COLLECTIVE_ALLTOALL);
    world.exact = exact;
    return (struct cw_nbc_between){.radix = 7};
}

bool cw_nbc_between_passes(enum cw_collective_kind collective)
{
    (void)collective;
    return world.passes;
}

/* What is carried out is but that it is not NULL. */
static struct relay_vector *a_vector = (struct relay_vector *)&world;
static struct relay_blocks *some_blocks = (struct relay_blocks *)&world;

int relay_vector_new(struct relay *relay, const struct cw_nbc_between *between)
{
    assert_true(between->radix == 7 && relay->comm->inner == INNER && relay->comm->hosts.n == 3);
    if (!world.starts) return cw_fail(CW_ENOMEM, "no memory");
    note("vector %d", (int)relay->number);
    relay->vector = a_vector;
    return 0;
}

int relay_blocks_new(struct relay *relay)
{
    if (!world.starts) return cw_fail(CW_ENOMEM, "no memory");
    note("blocks %d", (int)relay->number);
    relay->blocks = some_blocks;
    return 0;
}

/* Each time a relay is given back. */
void relay_vector_free(struct relay_vector *vector)
{
    assert_true(!vector || vector == a_vector);
    note("free %s", vector ? "vector" : "no vector");
}

void relay_blocks_free(struct relay_blocks *blocks)
{
    assert_true(!blocks || blocks == some_blocks);
}

bool relay_vector_step(struct relay *relay, bool *any)
{
    assert_ptr_equal(relay->vector, a_vector);
    *any = *any || world.ends;
    if (world.ends) relay_note_error(relay, 13, 1);
    return world.ends;
}

bool relay_blocks_step(struct relay *relay, bool *any)
{
    assert_ptr_equal(relay->blocks, some_blocks);
    *any = *any || world.ends;
    return world.ends;
}

void relay_programs_free(struct relay_program *programs)
{
    assert_null(programs);
    world.programs_freed++;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* This host is that of LEADER; its two ranks have posted operation 3 in slot 0 of the first communicator. */
static void begin_as(int leader)
{
    memset(&world, 0, sizeof world);
    world.now = 100;
    world.n_comms = COMMS;
    world.n_ranks = 2;
    world.starts = world.passes = true;
    world.comms[0] = (struct cw_nbc_note){5, INNER, sizeof leaders, (uint64_t)(uintptr_t)leaders};
    world.comms[1] = (struct cw_nbc_note){6, INNER, sizeof leaders, (uint64_t)(uintptr_t)leaders};
    world.active[0] = 1;
    world.slots[0][0].posted = true;
    world.slots[0][0].number = 3;
    world.slots[0][0].n_posted = 2;
    world.slots[0][0].work.bytes = 100;
    forget_notes();
    assert_int_equal(nbc_relays_new((struct cw_nbc_node *)&node, leader, &asked, &trees, NULL, &relays), 0);
}

/* One of the things that others have said comes. */
static void hear(bool verdict, struct cw_nbc_clash_note about)
{
    for (int i = 0; i < 4; i++)
        if (!world.messages[i].come) {
            world.messages[i] = (struct message){true, verdict, 5, 3, about};
            return;
        }
}

static void expect(enum cw_nbc_beside done, const char *noted)
{
    forget_notes();
    assert_int_equal(nbc_relays_step(relays), done);
    assert_string_equal(notes, noted);
}

static void finish(void)
{
    nbc_relays_free(relays);
    relays = NULL;
}

static void the_first_host_hears_all(void **state)
{
    (void)state;
    begin_as(10);
    world.slots[0][0].n_posted = 1; /* until all of its ranks have posted it, nothing happens */
    hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_WAITING, "");
    assert_true(world.messages[0].come);
    world.slots[0][0].n_posted = 2;
    expect(CW_NBC_WAITING, "");
    assert_false(world.messages[0].come);
    hear(true, (struct cw_nbc_clash_note){0}); /* not for it */
    expect(CW_NBC_WAITING, "");
    hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 0; tell 30 verdict 3: 0; vector 3");
    expect(CW_NBC_WAITING, "");
    world.ends = true;
    expect(CW_NBC_SOMETHING, "end 0:3, 13 of 1; free vector");
    expect(CW_NBC_WAITING, ""); /* the next in its place: all must agree again */
    hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_WAITING, "");
    hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 0; tell 30 verdict 3: 0; vector 3; end 0:3, 13 of 1; free vector");
    world.active[0] = 0;
    expect(CW_NBC_NOTHING, "");
    finish();
    assert_int_equal(world.programs_freed, 1);
}

/* What others ask for is held against what is asked for here; how they clash elsewhere counts, too. */
static void clashes_are_told(void **state)
{
    struct cw_nbc_clash_note other = {.a.root = 1};
    (void)state;
    begin_as(10);
    hear(false, (struct cw_nbc_clash_note){0});
    hear(false, other);
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 2; tell 30 verdict 3: 2; fail 0:3: 2");
    world.slots[0][0].posted = false;
    expect(CW_NBC_WAITING, "");
    world.slots[0][0].posted = true;
    other.clash = CW_NBC_OTHER_TYPE; /* after the first that clashes no more are heard */
    hear(false, other);
    hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 4; tell 30 verdict 3: 4; fail 0:3: 4");
    assert_true(world.messages[1].come);
    world.slots[0][0].n_posted = 1; /* those of this host clash already */
    world.slots[0][0].note.clash = CW_NBC_OTHER_OP;
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 5; tell 30 verdict 3: 5; fail 0:3: 5");
    world.slots[0][0].note.clash = CW_NBC_AGREE;
    world.slots[0][0].n_posted = 2;
    expect(CW_NBC_WAITING, ""); /* hears one of two */
    world.now += 0.6;
    expect(CW_NBC_WAITING, "ask 20 of 3, answered; ask 30 of 3, answered");
    finish();
    assert_int_equal(world.programs_freed, 1);
}

/* Others say what they think, and go by the verdict of the first. */
static void other_hosts_hear_the_first(void **state)
{
    (void)state;
    begin_as(20);
    expect(CW_NBC_WAITING, "tell 10 opinion 3: 0");
    expect(CW_NBC_WAITING, "");
    hear(false, (struct cw_nbc_clash_note){0}); /* not for it */
    expect(CW_NBC_WAITING, "");
    hear(true, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "vector 3");
    world.ends = true;
    expect(CW_NBC_SOMETHING, "end 0:3, 13 of 1; free vector");
    world.slots[0][0].note.clash = CW_NBC_OTHER_OP;
    expect(CW_NBC_WAITING, "tell 10 opinion 3: 5");
    hear(true, (struct cw_nbc_clash_note){.clash = CW_NBC_OTHER_ROOT, .left = true}); /* nobody was asked */
    expect(CW_NBC_SOMETHING, "fail 0:3: 2");
    finish();
}

/* Who is missing is asked once, after half a second. */
static void hosts_lose_patience(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        begin_as(first ? 10 : 30);
        world.n_ranks = world.slots[0][0].n_posted = 1;
        expect(CW_NBC_WAITING, first ? "" : "tell 10 opinion 3: 0");
        world.now += 0.45;
        expect(CW_NBC_WAITING, "");
        world.now += 0.06;
        expect(CW_NBC_WAITING,
               first ? "ask 20 of 3, answered; ask 30 of 3, answered" : "ask 10 of 3, answered by a verdict");
        world.now += 10;
        expect(CW_NBC_WAITING, "");
        finish(); /* in the midst of it */
    }
    for (int i = 0; i < 4; i++) { /* the verdict is that the first has left the call: others may have */
        begin_as(30);
        expect(CW_NBC_WAITING, "tell 10 opinion 3: 0");
        world.now += 0.6;
        if (i != 1) expect(CW_NBC_WAITING, "ask 10 of 3, answered by a verdict");
        hear(true, (struct cw_nbc_clash_note){.clash = i == 2 ? CW_NBC_AGREE : CW_NBC_OTHER_SIDE, .left = i != 3});
        if (i == 1) world.now -= 0.6;
        expect(CW_NBC_SOMETHING, i == 0   ? "ask 20 of 3 by a verdict; fail 0:3: 6"
                                 : i == 2 ? "vector 3"
                                          : "fail 0:3: 6");
        finish();
    }
    begin_as(10);
    expect(CW_NBC_WAITING, "");
    world.now += 0.6;
    world.no_part = true; /* the first rank has not posted it: there is nothing to ask about */
    expect(CW_NBC_WAITING, "");
    finish();
}

static void questions_are_answered(void **state)
{
    static const enum cw_nbc_turn turns[] = {CW_NBC_BEGUN, CW_NBC_TO_COME, CW_NBC_LEFT_BY_US};
    (void)state;
    for (int verdict = 0; verdict < 2; verdict++)
        for (int answered = 0; answered < 2; answered++)
            for (int i = 0; i < 3; i++) {
                const struct nbc_question question = {.key = 5,
                                                      .number = 3,
                                                      .index = 8,
                                                      .asked.rank = 4,
                                                      .peer = 20,
                                                      .answered = answered,
                                                      .by_verdict = verdict};
                begin_as(10);
                world.active[0] = 0;
                world.question = &question;
                world.turn = turns[i];
                expect(CW_NBC_NOTHING, i < 2 || !answered ? ""
                                       : verdict          ? "tell 20 verdict 3: 6"
                                                          : "tell 20 opinion 3: 6");
                assert_int_equal(world.answered, i != 1);
                finish();
            }
}

/* Without operations the wire is looked at now and then; with some, always, and there are rests. */
static void looks_and_rests(void **state)
{
    (void)state;
    begin_as(10);
    world.active[0] = 0;
    expect(CW_NBC_NOTHING, "");
    assert_true(world.looks == 1 && world.listened == 1 && world.naps == 0);
    world.now += 0.15;
    expect(CW_NBC_NOTHING, "");
    assert_int_equal(world.listened, 1);
    world.now += 0.1;
    expect(CW_NBC_NOTHING, "");
    assert_true(world.listened == 2 && world.looks == 2 && world.naps == 0);
    world.active[0] = 1;
    world.now += 1e-3;
    expect(CW_NBC_WAITING, "");
    assert_true(world.listened == 2 && world.looks == 3 && world.naps == 0);
    world.now += 1.5e-3; /* 2 ms after it had nothing to do */
    expect(CW_NBC_WAITING, "");
    assert_true(world.naps == 1 && world.nap.tv_sec == 0 && world.nap.tv_nsec == 20000);
    world.now += 1e-3;
    world.comes = true;
    expect(CW_NBC_SOMETHING, "");
    assert_int_equal(world.naps, 1);
    finish();
}

/* Slots and communicators do not get into each other's way. */
static void several_at_once(void **state)
{
    (void)state;
    begin_as(10);
    world.passes = false;
    world.active[0] = UINT64_C(1) << 63 | 4;
    world.active[1] = 3;
    for (int comm = 0; comm < 2; comm++)
        for (uint64_t slot = 0; slot < SLOTS; slot++) {
            world.slots[comm][slot] = world.slots[0][0];
            world.slots[comm][slot].number = 100 * (uint64_t)comm + slot;
            world.slots[comm][slot].note.clash = CW_NBC_OTHER_OP;
        }
    expect(CW_NBC_SOMETHING, "tell 20 verdict 2: 5; tell 30 verdict 2: 5; fail 0:2: 5; tell 20 verdict 63: 5; "
                             "tell 30 verdict 63: 5; fail 0:63: 5; tell 20 verdict 100: 5; tell 30 verdict 100: 5; "
                             "fail 1:100: 5; tell 20 verdict 101: 5; tell 30 verdict 101: 5; fail 1:101: 5");
    assert_int_equal(world.looks, 1 + 1); /* of all, and to listen */
    world.active[1] = 0;
    world.active[0] = 1;
    world.slots[0][0].note.clash = CW_NBC_AGREE;
    world.slots[0][0].number = 3;
    for (int i = 0; i < 2; i++) hear(false, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "tell 20 verdict 3: 0; tell 30 verdict 3: 0; blocks 3");
    world.comms[0].key = 7; /* another communicator has its place */
    world.slots[0][0].posted = false;
    expect(CW_NBC_WAITING, "free no vector");
    assert_int_equal(world.programs_freed, 1);
    finish();
    assert_int_equal(world.programs_freed, 3);
}

/* Under way when all ends. */
static void all_is_given_back(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        begin_as(20);
        world.active[0] = last ? UINT64_C(1) << 63 : 1;
        world.slots[0][63] = world.slots[0][0];
        hear(true, (struct cw_nbc_clash_note){0});
        expect(CW_NBC_SOMETHING, "tell 10 opinion 3: 0; vector 3");
        forget_notes();
        finish();
        assert_true(strstr(notes, "free vector") && world.programs_freed == 1);
    }
    nbc_relays_free(NULL);
}

/* Where memory is out, later there may be some. */
static void memory_that_is_out(void **state)
{
    (void)state;
    begin_as(20);
    finish();
    world.allocations = 0;
    world.starved_at = 1;
    assert_int_equal(nbc_relays_new((struct cw_nbc_node *)&node, 10, &asked, &trees, NULL, &relays), CW_ENOMEM);
    for (int at = 1; at <= 12; at++) { /* of the communicator, its hosts, and the operation */
        begin_as(20);
        hear(true, (struct cw_nbc_clash_note){0});
        world.allocations = 0;
        world.starved_at = at;
        nbc_relays_step(relays);
        nbc_relays_step(relays);
        assert_true(at == 12 || world.allocations >= at);
        world.ends = true;
        expect(CW_NBC_SOMETHING, "end 0:3, 13 of 1; free vector");
        finish();
        if (world.allocations < at) break;
    }
    begin_as(20);
    world.read_fails = CW_EIO;
    expect(CW_NBC_WAITING, "");
    world.read_fails = 0;
    world.starts = false;
    hear(true, (struct cw_nbc_clash_note){0});
    expect(CW_NBC_SOMETHING, "tell 10 opinion 3: 0; free no vector");
    expect(CW_NBC_WAITING, "free no vector"); /* all have agreed already */
    world.starts = true;
    expect(CW_NBC_WAITING, "vector 3");
    finish();
}

/* Only what is the same in any order may go along any tree. */
static void trees_are_chosen(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        enum cw_nbc_type type;
        bool exact;
    } cases[] = {{CW_COLLECTIVE_BCAST, CW_NBC_DOUBLE, true},
                 {CW_COLLECTIVE_BCAST, CW_NBC_INT32, true},
                 {CW_COLLECTIVE_REDUCE, CW_NBC_INT32, true},
                 {CW_COLLECTIVE_REDUCE, CW_NBC_DOUBLE, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_as(20);
        world.slots[0][0].work.collective = cases[i].collective;
        world.slots[0][0].work.type = cases[i].type;
        hear(true, (struct cw_nbc_clash_note){0});
        expect(CW_NBC_SOMETHING, "tell 10 opinion 3: 0; vector 3");
        assert_int_equal(world.exact, cases[i].exact);
        finish();
    }
}

static void what_operations_ask(void **state)
{
    static const uint32_t numbers[] = {4, 8};
    (void)state;
    memset(&world, 0, sizeof world);
    world.n_ranks = 2;
    struct relay_comm comm = {.members = numbers, .place = 1};
    struct relay relay = {.node = (struct cw_nbc_node *)&node, .comm = &comm, .number = 3 * 64 + 5};
    assert_true(relay_part(&relay, 1).send == 5 && relay_part(&relay, 1).recv == 1);
    world.no_part = true;
    assert_true(relay_part(&relay, 1).send == 0 && relay_part(&relay, 1).index == 0);
    assert_true(relay_number(&relay, 0) == 4 && relay_number(&relay, 1) == 8);
    relay_note_error(&relay, 0, 3);
    assert_true(relay.error == 0 && relay.error_rank == 0);
    relay_note_error(&relay, 9, 3);
    relay_note_error(&relay, 8, 1);
    relay_note_error(&relay, 0, 2);
    assert_true(relay.error == 9 && relay.error_rank == 3); /* the first */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_host_hears_all),
        cmocka_unit_test(clashes_are_told),
        cmocka_unit_test(other_hosts_hear_the_first),
        cmocka_unit_test(hosts_lose_patience),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(looks_and_rests),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(all_is_given_back),
        cmocka_unit_test(memory_that_is_out),
        cmocka_unit_test(trees_are_chosen),
        cmocka_unit_test(what_operations_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
