/* Recordings: which program they are, held to GOAL text; what they say; what is missing from them, and what is refused.
 */
#include "traffic/recorded/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "traffic/goal_file.h"

#define BLOCK(R, N) "crosswind-recording 1 rank " #R " of " #N " block 0\n"
#define WORLD(N)    "communicator 0 0 c0 " N "\n"

static struct cw_recording *parse(const char *content)
{
    struct cw_recording *recording = NULL;
    if (cw_recording_parse("p.rec", content, strlen(content), &recording)) fail_msg("%s", cw_error_message());
    return recording;
}

/* The program of CONTENT, where collectives are by RULE. */
static struct cw_program *program_of(const char *content, const char *rule, uint64_t expected_left_out)
{
    struct cw_recording *recording = parse(content);
    struct cw_program *program = NULL;
    uint64_t left_out = 77;
    if (cw_recording_program(recording, rule, &program, &left_out)) fail_msg("%s", cw_error_message());
    assert_int_equal(left_out, expected_left_out);
    cw_recording_free(recording);
    return program;
}

static void assert_same(const struct cw_program *a, const struct cw_program *b)
{
    assert_int_equal(a->n_ranks, b->n_ranks);
    assert_int_equal(a->n_actions, b->n_actions);
    for (uint32_t r = 0; r <= a->n_ranks; r++) assert_int_equal(a->first[r], b->first[r]);
    for (uint32_t i = 0; i < a->n_actions; i++) {
        const struct cw_action *x = &a->actions[i], *y = &b->actions[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->waits, y->waits);
        if (x->kind == CW_ACTION_COMPUTE) {
            assert_true(fabs(x->seconds - y->seconds) < 1e-15);
        } else {
            assert_int_equal(x->peer, y->peer);
            assert_int_equal(x->partner, y->partner);
            assert_int_equal(x->bytes, y->bytes);
        }
        assert_int_equal(a->first_next[i + 1], b->first_next[i + 1]);
    }
    for (size_t k = 0; k < a->first_next[a->n_actions]; k++) assert_int_equal(a->next[k], b->next[k]);
}

/* CONTENT is the program that GOAL is, with its actions in this order. */
static void check(const char *content, const char *rule, uint64_t left_out, const char *goal)
{
    struct cw_program *program = program_of(content, rule, left_out), *expected = NULL;
    if (cw_goal_parse("expected", goal, strlen(goal), &expected)) fail_msg("%s", cw_error_message());
    assert_same(program, expected);
    cw_program_free(program);
    cw_program_free(expected);
}

/* What is begun goes on beside what is computed, and is waited for where it was. A receive from any rank has the source
 * that it had: rank 2's message came first, though rank 1's was posted with the same words. */
static void test_messages(void **state)
{
    (void)state;
    check(BLOCK(0, 3) WORLD("0-2") "Irecv 1000 10 <0 0\n"
                                   "Irecv 0 10 <1 0\n"
                                   "Waitall 2000 50 ~0 2 7 ~1 1 7\n"
                                   "Send 500 9 > 0 1 3 64\n"
                                   "end 4000 0\n" BLOCK(1, 3)
                                       WORLD("0-2") "Isend 5 1 >0 0 0 7 100\n"
                                                    "Recv 30 9 < 0 0 3\n"
                                                    "Wait 40 1 =0\n"
                                                    "end 50 0\n" BLOCK(2, 3)
                                                        WORLD("0-2") "Ssend 6 1 > 0 0 7 200\nend 0 0\n",
          NULL, 0,
          "num_ranks 3\nrank 0 {\n"
          "c1: calc 1000\nr1: recv 200b from 2 tag 7\nr2: recv 100b from 1 tag 7\nc2: calc 2000\nc3: calc 500\n"
          "s: send 64b to 1 tag 3\nc4: calc 4000\n"
          "r1 requires c1\nr2 requires c1\nc2 requires c1\nc3 requires c2\nc3 requires r1\nc3 requires r2\n"
          "s requires c3\nc4 requires s\n}\nrank 1 {\n"
          "c1: calc 5\ns: send 100b to 0 tag 7\nc2: calc 30\nr: recv 64b from 0 tag 3\nc3: calc 40\nc4: calc 50\n"
          "s requires c1\nc2 requires c1\nr requires c2\nc3 requires r\nc4 requires c3\nc4 requires s\n}\nrank 2 {\n"
          "c: calc 6\ns: send 200b to 0 tag 7\ns requires c\n}\n");
}

/* What ranks of a machine may use they have together; of several the one that has fewest for each counts. */
static void test_processors(void **state)
{
    (void)state;
    static const struct {
        const char *of[3]; /* lines of the ranks */
        uint32_t ranks, processors;
        double waited; /* of 4 µs a rank */
    } cases[] = {
        {{"", "", ""}, 0, 0, (double)NAN},
        {{"processors 0 0 p7 0:1\n", "processors 0 0 p7 1:2\n", "processors 0 0 p8 0:0\n"}, 0, 0, (double)NAN},
        {{"processors 0 0 p7 0:1\n", "processors 0 0 p7 0:1\n", "processors 0 0 p7 0:1\n"}, 3, 2, (double)NAN},
        {{"processors 0 0 p7 63:63\n", "processors 0 0 p7 63:63\n", "processors 0 0 p8 8191:8191\n"},
         2,
         1,
         (double)NAN},
        {{"processors 0 0 p7 0:0 2:2\nprocessors 0 0 w1000\n", "processors 0 0 w2000\n", "processors 0 0 w0\n"},
         0,
         0,
         .25},
        {{"processors 0 0 w1000\n", "processors 0 0 w2000\n", ""}, 0, 0, (double)NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        uint32_t ranks = 0, processors = 0;
        size_t n;
        snprintf(
            text, sizeof text,
            BLOCK(0, 3) "%sBarrier 3000 1000\n" BLOCK(1, 3) "%sBarrier 3000 1000\n" BLOCK(2, 3) "%sBarrier 1 3999\n",
            cases[i].of[0], cases[i].of[1], cases[i].of[2]);
        struct cw_recording *recording = parse(text);
        assert_int_equal(cw_recording_crowded(recording, &ranks, &processors), cases[i].ranks > 0);
        assert_int_equal(ranks, cases[i].ranks);
        assert_int_equal(processors, cases[i].processors);
        const double waited = cw_recording_waited(recording);
        assert_true(isnan(waited) == isnan(cases[i].waited) && !(fabs(waited - cases[i].waited) > 1e-12));
        assert_int_equal(cw_recording_events(recording, 0), 1);
        assert_int_equal(cw_recording_calls(recording, &n)->n, 3);
        assert_int_equal(n, 1);
        cw_recording_free(recording);
    }
}

/* Both halves of an exchange begin together; messages of another communicator with the same tag are others. */
static void test_exchanges(void **state)
{
    (void)state;
    check(BLOCK(0, 2)
              WORLD("0-1") "communicator 0 0 c1 0-1\n"
                           "Sendrecv 1 1 > 0 1 5 10 < 0 1 5\nSend 1 1 > 1 1 5 30\nSend 1 1 > 0 1 5 40\n" BLOCK(1, 2)
                               WORLD("0-1") "communicator 0 0 c1 0-1\n"
                                            "Sendrecv 1 1 > 0 0 5 20 < 0 0 5\nRecv 1 1 < 0 0 5\nRecv 1 1 < 1 0 5\n",
          NULL, 0,
          "num_ranks 2\nrank 0 {\nc1: calc 1\ns1: send 10b to 1 tag 0\nr1: recv 20b from 1 tag 0\nc2: calc 1\n"
          "s2: send 30b to 1 tag 1\nc3: calc 1\ns3: send 40b to 1 tag 0\n"
          "s1 requires c1\nr1 requires c1\nc2 requires s1\nc2 requires r1\ns2 requires c2\nc3 requires s2\n"
          "s3 requires c3\n}\nrank 1 {\nc1: calc 1\ns1: send 20b to 0 tag 0\nr1: recv 10b from 0 tag 0\nc2: calc 1\n"
          "r2: recv 40b from 0 tag 0\nc3: calc 1\nr3: recv 30b from 0 tag 1\n"
          "s1 requires c1\nr1 requires c1\nc2 requires s1\nc2 requires r1\nr2 requires c2\nc3 requires r2\n"
          "r3 requires c3\n}\n");
}

/* A broadcast from the last rank of a part of the world, in the order of that part; and the rule that makes it linear.
 */
static void test_collectives(void **state)
{
    static const char content[] =
        BLOCK(0, 4) WORLD("0-3") "communicator 0 0 c1 3,0,1\nBcast 7 1 * 1 bcast 2 1000\nend 9 0\n" BLOCK(1, 4)
            WORLD("0-3") "communicator 0 0 c1 3,0,1\nBcast 7 1 * 1 bcast 2 1000\nend 9 0\n" BLOCK(2, 4)
                WORLD("0-3") "end 9 0\n" BLOCK(3, 4)
                    WORLD("0-3") "communicator 0 0 c1 3,0,1\nIbcast 7 1 *0 1 bcast 2 1000\nWait 5 1 =0\nend 9 0\n";
    static const char linear[] =
        "num_ranks 4\nrank 0 {\nc: calc 7\nr: recv 1000b from 1\ne: calc 9\nr requires c\ne requires r\n}\n"
        "rank 1 {\nc: calc 7\na: send 1000b to 3\nb: send 1000b to 0\ne: calc 9\na requires c\nb requires c\n"
        "e requires a\ne requires b\n}\nrank 2 {\ncalc 9\n}\n"
        "rank 3 {\nc: calc 7\nr: recv 1000b from 1\nw: calc 5\ne: calc 9\nr requires c\nw requires c\ne requires w\n"
        "e requires r\n}\n";
    (void)state;
    check(content, "bcast=linear-bcast", 0, linear);
    check(content, "bcast=binomial-bcast;bcast>999B=linear-bcast", 0, linear);
    struct cw_program *usual = program_of(content, "bcast>1000B=linear-bcast", 0), *same = program_of(content, NULL, 0);
    assert_same(usual, same);
    cw_program_free(usual);
    cw_program_free(same);
}

/* Parts of different sizes go straight to whom they are for; a scan goes from rank to rank. */
static void test_parts(void **state)
{
    (void)state;
    check(
        BLOCK(0, 3) WORLD("0-2") "Alltoallv 1 1 v 0 1:10 2:20\nScan 1 1 * 0 scan 0 8\nend 1 0\n" BLOCK(1, 3)
            WORLD("0-2") "Alltoallv 1 1 v 0\nScan 1 1 * 0 scan 0 8\nend 1 0\n" BLOCK(2, 3)
                WORLD("0-2") "Ialltoallv 1 1 v0 0 0:5\nWait 1 1 =0\nScan 1 1 * 0 scan 0 8\nend 1 0\n",
        NULL, 0,
        "num_ranks 3\nrank 0 {\nc: calc 1\na: send 10b to 1\nb: send 20b to 2\nr: recv 5b from 2\nd: calc 1\n"
        "s: send 8b to 1\ne: calc 1\na requires c\nb requires c\nr requires c\nd requires a\nd requires b\n"
        "d requires r\ns requires d\ne requires s\n}\n"
        "rank 1 {\nc: calc 1\nr: recv 10b from 0\nd: calc 1\nq: recv 8b from 0\ns: send 8b to 2\ne: calc 1\n"
        "r requires c\nd requires r\nq requires d\ns requires q\ne requires q\ne requires s\n}\n"
        "rank 2 {\nc: calc 1\na: send 5b to 0\nr: recv 20b from 0\nw: calc 1\nd: calc 1\nq: recv 8b from 1\ne: calc 1\n"
        "a requires c\nr requires c\nw requires c\nd requires w\nd requires a\nd requires r\nq requires d\ne requires "
        "q\n}\n");
}

/* Of a job that was killed: a message that nobody received, a receive that never was done, a collective that not all
 * have reached; a block is lost, and what comes after it counts no more. Cancelled messages are none. */
static void test_missing(void **state)
{
    static const char content[] = BLOCK(0, 2)
        WORLD("0-1") "Send 1 1 > 0 1 5 10\nSend 1 1 > 0 1 5 30\nBarrier 1 1 * 0 barrier 0 0\n"
                     "Isend 1 1 >0 0 1 9 10\nWait 1 1 x0\n" BLOCK(1, 2)
                         WORLD("0-1") "Recv 1 1 < 0 0 5\nIrecv 1 1 <0 0\n"
                                      "crosswind-recording 1 rank 1 of 2 block 2\nRecv 1 1 < 0 0 5\nend 1 0\n";
    (void)state;
    check(content, NULL, 3,
          "num_ranks 2\nrank 0 {\na: calc 1\ns: send 10b to 1\nb: calc 1\nc: calc 1\nd: calc 1\ne: calc 1\n"
          "s requires a\nb requires s\nc requires b\nd requires c\ne requires d\n}\n"
          "rank 1 {\na: calc 1\nr: recv 10b from 0\nb: calc 1\nr requires a\nb requires r\n}\n");
    struct cw_recording *recording = parse(content);
    assert_int_equal(cw_recording_cut(recording), 2);
    cw_recording_free(recording);
}

static void test_figures(void **state)
{
    (void)state;
    struct cw_recording *recording = parse(BLOCK(0, 2) WORLD(
        "0-1") "Send 1000 500 > 0 1 5 10\nTest 100 50 #4\nSend 2000 250 > 0 1 5 32\nend 50 0\n" BLOCK(1, 2)
                                               WORLD("0-1") "Recv 4000 1000 < 0 0 5\nRecv 0 1000 < 0 0 5\nend 0 0\n");
    size_t n;
    const struct cw_recorded_calls *calls = cw_recording_calls(recording, &n);
    struct cw_recorded_event event;
    assert_int_equal(n, 3);
    assert_string_equal(calls[0].name, "Send");
    assert_int_equal(calls[0].n, 2);
    assert_int_equal(calls[0].bytes, 42);
    assert_true(fabs(calls[0].seconds - 750e-9) < 1e-18);
    assert_string_equal(calls[1].name, "Test");
    assert_int_equal(calls[1].n, 4);
    assert_true(fabs(cw_recording_computed(recording, 0) - 3150e-9) < 1e-18);
    assert_true(fabs(cw_recording_in_mpi(recording, 0) - 800e-9) < 1e-18);
    assert_true(fabs(cw_recording_seconds(recording) - 6000e-9) < 1e-18);
    assert_int_equal(cw_recording_cut(recording), 0);
    assert_int_equal(cw_recording_ranks(recording), 2);
    assert_int_equal(cw_recording_events(recording, 0), 3);
    cw_recording_event(recording, 0, 2, &event);
    assert_string_equal(event.name, "Send");
    assert_true(fabs(event.begin - 3650e-9) < 1e-18);
    assert_true(fabs(event.computed - 2000e-9) < 1e-18);
    assert_true(fabs(event.seconds - 250e-9) < 1e-18);
    assert_int_equal(event.words_length, strlen("> 0 1 5 32"));
    assert_memory_equal(event.words, "> 0 1 5 32", event.words_length);
    cw_recording_free(recording);
}

static void test_matrix(void **state)
{
    (void)state;
    struct cw_program *program =
        program_of(BLOCK(0, 2) WORLD("0-1") "Send 1 1 > 0 1 5 10\nSend 1 1 > 0 1 6 30\n" BLOCK(1, 2)
                       WORLD("0-1") "Recv 1 1 < 0 0 6\nRecv 1 1 < 0 0 5\nSend 1 1 > 0 1 0 7\nRecv 1 1 < 0 1 0\n",
                   NULL, 0);
    struct cw_flows matrix = {0};
    assert_int_equal(cw_program_matrix(program, &matrix), 0);
    assert_int_equal(matrix.n, 1);
    assert_int_equal(matrix.items[0].src, 0);
    assert_int_equal(matrix.items[0].dst, 1);
    assert_int_equal(matrix.items[0].bytes, 40);
    assert_int_equal(matrix.self_bytes, 7);
    cw_flows_free(&matrix);
    cw_program_free(program);
}

static const struct {
    const char *content, *message;
} malformed[] = {
    {"", "p.rec: no recording; expected crosswind-recording 1 rank R of N block K first"},
    {"num_ranks 2\n", "p.rec:1: 'num_ranks' is not understood; expected crosswind-recording 1 rank R of N block K"},
    {"crosswind-recording 2 rank 0 of 1 block 0\n", "p.rec:1: '2' is not understood; expected version 1"},
    {"crosswind-recording 1 rank 0 of 1\n", "p.rec:1: the line ends too early; expected block"},
    {"crosswind-recording 1 rank 0 of 900 block 0\n",
     "p.rec:1: 900 ranks in a file of 44 bytes; expected a block of each"},
    {BLOCK(1, 1), "p.rec:1: rank 1 of 1; expected one of 1, of the same job"},
    {BLOCK(0, 1) BLOCK(0, 2), "p.rec:2: rank 0 of 2; expected one of 1, of the same job"},
    {BLOCK(0, 1) "Send x 1\n", "p.rec:2: 'x' is not understood; expected ns since the last call"},
    {BLOCK(0, 1) "Send 1\n", "p.rec:2: the line ends too early; expected ns of the call"},
    {BLOCK(0, 1) "Send 1 1 > 0 0 0 8\n", "p.rec:2: '0' is not understood; expected a communicator that was made"},
    {BLOCK(0, 1) "communicator 0 0 c1 0\n", "p.rec:2: communicator 1 of a rank; expected number 0 next"},
    {BLOCK(0, 1) "communicator 0 0 c0 0-1\n",
     "p.rec:2: a communicator with rank 1; expected each of 1 ranks once at most"},
    {BLOCK(0, 1) "communicator 0 0 c0 0,0\n",
     "p.rec:2: a communicator with rank 0; expected each of 1 ranks once at most"},
    {BLOCK(0, 1) "communicator 0 0 c0 a\n", "p.rec:2: 'a' is not understood; expected ranks such as 0-7,9"},
    {BLOCK(0, 2) BLOCK(1, 2) "communicator 0 0 c0 0\n",
     "p.rec:3: '0' is not understood; expected ranks with the rank itself"},
    {BLOCK(0, 1) WORLD("0") "Send 1 1 > 0 1 0 8\n", "p.rec:3: '1' is not understood; expected a rank of the recording"},
    {BLOCK(0, 1) WORLD("0") "Isend 1 1 >1 0 0 0 8\n",
     "p.rec:3: '1' is not understood; expected the next request of the rank"},
    {BLOCK(0, 1) WORLD("0") "Wait 1 1 =0\n", "p.rec:3: '0' is not understood; expected a request that was begun"},
    {BLOCK(0, 1) WORLD("0") "Isend 1 1 >0 0 0 0 8\nWait 1 1 ~0 0 0\n",
     "p.rec:4: '0' is not understood; expected a receive that is not done yet"},
    {BLOCK(0, 1) WORLD("0") "Bcast 1 1 * 0 brodcast 0 8\n",
     "p.rec:3: 'brodcast' is not understood; expected a collective"},
    {BLOCK(0, 1) WORLD("0") "Bcast 1 1 * 0 bcast 1 8\n",
     "p.rec:3: '1' is not understood; expected a root that is in the communicator"},
    {BLOCK(0, 1) WORLD("0") "Alltoallv 1 1 v 0 1:8\n",
     "p.rec:3: '1' is not understood; expected a rank of the communicator"},
    {BLOCK(0, 1) WORLD("0") "Alltoallv 1 1 v 0 8\n", "p.rec:3: '8' is not understood; expected RANK:BYTES"},
    {BLOCK(0, 1) "Send 1 1 !\n",
     "p.rec:2: '!' is not understood; expected one of > < * v = ~ x c p w # and what belongs to it"},
    {BLOCK(0, 1) "end 1 0\nSend 1 1\n",
     "p.rec:3: 'Send' is not understood; expected nothing of this rank after its end"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct cw_recording *recording;
        const char *content = malformed[i].content;
        assert_int_equal(cw_recording_parse("p.rec", content, strlen(content), &recording), CW_EPARSE);
        assert_string_equal(cw_error_message(), malformed[i].message);
    }
}

/* What cannot be a program: a rule that is none, and ranks that do not agree. */
static void test_refused(void **state)
{
    static const struct {
        const char *rule, *message;
    } rules[] = {
        {"ring", "'ring' is no rule for collectives; expected KIND=SCHEDULE or KIND>SIZE=SCHEDULE"},
        {"bcst=ring", "unknown collective 'bcst'; did you mean bcast?"},
        {"bcast=ring-allreduce", "ring-allreduce is a schedule of allreduce, not of bcast"},
    };
    struct cw_program *program;
    uint64_t left_out;
    (void)state;
    struct cw_recording *recording = parse(BLOCK(0, 2) WORLD("0-1") "Bcast 1 1 * 0 bcast 0 8\n" BLOCK(1, 2)
                                               WORLD("0-1") "Bcast 1 1 * 0 bcast 1 8\n");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        assert_int_equal(cw_recording_program(recording, rules[i].rule, &program, &left_out), CW_EUSAGE);
        assert_string_equal(cw_error_message(), rules[i].message);
    }
    assert_int_equal(cw_recording_program(recording, NULL, &program, &left_out), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "ranks 0 and 1 differ in their collective number 1 of a communicator; expected "
                        "the same one with the same root");
    cw_recording_free(recording);
}

/* A compressed file that is cut off is read as far as it goes, and that is said. */
static void test_cut_off(void **state)
{
    char path[] = "/tmp/cw_recording_XXXXXX.zst";
    struct cw_text text = {0}, packed = {0};
    struct cw_inputs inputs = {0};
    struct cw_recording *recording = NULL;
    (void)state;
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    cw_text_add(&text, BLOCK(0, 1) WORLD("0"));
    for (unsigned i = 0; i < 100000; i++)
        cw_text_printf(&text, "Probe %u %u\n", 2654435761u * i % 1000003, i * i % 7919);
    assert_int_equal(cw_file_write(path, &text), 0);
    assert_int_equal(cw_recording_read(path, &recording), 0);
    assert_int_equal(cw_recording_events(recording, 0), 100000);
    cw_recording_free(recording);
    FILE *whole = fopen(path, "rb");
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, whole)) > 0;) cw_text_append(&packed, piece, n);
    fclose(whole);
    assert_int_equal(truncate(path, (off_t)(packed.length / 2)), 0);
    cw_inputs_record(&inputs);
    assert_int_equal(cw_recording_read(path, &recording), 0);
    cw_inputs_record(NULL);
    assert_true(cw_recording_events(recording, 0) > 10000 && cw_recording_events(recording, 0) < 60000);
    assert_non_null(strstr(inputs.remarks.data, "the file is cut off or damaged; what comes before was read"));
    cw_recording_free(recording);
    cw_inputs_free(&inputs);
    cw_text_free(&text);
    cw_text_free(&packed);
    unlink(path);
    assert_int_equal(cw_recording_read("/nowhere/p.rec", &recording), CW_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_processors), cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_collectives), cmocka_unit_test(test_parts),      cmocka_unit_test(test_missing),
        cmocka_unit_test(test_figures),     cmocka_unit_test(test_matrix),     cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
