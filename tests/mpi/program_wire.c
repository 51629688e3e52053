/* What hosts tell each other (mpi/nbc/nbc_wire.h), by one rank that writes to itself. Prints what is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "mpi/nbc/nbc_wire.h"

enum { KEY = 7, FLOWS = 100, TRIES = 1000000 };

static int failures;

static void expect(bool holds, const char *what, int number)
{
    if (holds) return;
    failures++;
    printf("wire: %s (%d)\n", what, number);
}

static void await_letter(void)
{
    bool any = false;
    for (int i = 0; i < TRIES && !any; i++) nbc_wire_look(&any);
    expect(any, "a letter does not come", 0);
}

/* Whether one is there; its rank is in *RANK. */
static bool hears(uint64_t key, uint64_t number, bool verdict, uint32_t *rank)
{
    struct cw_nbc_clash_note note = {0};
    const bool there = nbc_wire_hear(key, number, verdict, &note);
    *rank = note.a.rank;
    return there;
}

/* Whether a flow to ourselves could begin, as if its receiver had said by which tag. */
static bool begins(uint64_t number)
{
    struct nbc_flow flow;
    nbc_flow_send(&flow, 0, KEY, number);
    return nbc_flow_has_room(&flow);
}

/* Four that differ in one respect each, which is their rank; and each comes once. */
static void check_letters(void)
{
    static const struct {
        uint64_t key, number;
        bool verdict;
    } all[] = {{KEY, 1, false}, {KEY + 1, 1, false}, {KEY, 2, false}, {KEY, 1, true}};
    uint32_t rank;
    for (uint32_t i = 0; i < 4; i++) {
        const struct cw_nbc_clash_note note = {.a.rank = i};
        nbc_wire_tell(0, all[i].key, all[i].number, all[i].verdict, &note);
        await_letter();
    }
    expect(!begins(1), "an opinion, or a verdict, is taken for a tag", 1);
    for (uint32_t i = 4; i-- > 0;) {
        expect(hears(all[i].key, all[i].number, all[i].verdict, &rank) && rank == i, "another letter", (int)i);
        expect(!hears(all[i].key, all[i].number, all[i].verdict, &rank), "a letter comes twice", (int)i);
    }
}

struct asked {
    int n;
    bool answers;
    struct nbc_question last;
};

static bool answer(void *state, const struct nbc_question *question)
{
    struct asked *asked = state;
    asked->n++;
    asked->last = *question;
    return asked->answers;
}

/* A question comes again until it is answered; an opinion is none. */
static void check_questions(void)
{
    struct asked asked = {0};
    uint32_t rank;
    nbc_wire_tell(0, KEY, 3, false, &(struct cw_nbc_clash_note){.a.rank = 5});
    await_letter();
    nbc_wire_answer(answer, &asked);
    expect(asked.n == 0, "an opinion is asked about", asked.n);
    nbc_wire_ask(0, &(struct nbc_question){.key = KEY, .number = 3, .index = 9, .peer = 77, .answered = true});
    await_letter();
    expect(!begins(3), "a question is taken for a tag", 3);
    for (int i = 0; i < 3; i++) {
        asked.answers = i == 1;
        nbc_wire_answer(answer, &asked);
    }
    expect(asked.n == 2, "so often a question comes", asked.n);
    expect(asked.last.key == KEY && asked.last.number == 3 && asked.last.index == 9 && asked.last.answered,
           "another question", (int)asked.last.index);
    expect(asked.last.peer == 0, "it is another that asks", asked.last.peer);
    expect(hears(KEY, 3, false, &rank) && rank == 5, "an opinion is gone", 3);
}

/* The sender may begin when it knows the tag. */
static void open_flow(struct nbc_flow *in, struct nbc_flow *out, uint64_t number, bool wide)
{
    nbc_flow_send(out, 0, KEY, number);
    expect(!nbc_flow_has_room(out), "a flow begins before it is received", (int)number);
    nbc_flow_receive(in, 0, KEY, number);
    in->wide = out->wide = wide;
    await_letter();
}

static void finish_flow(struct nbc_flow *flow)
{
    bool any;
    for (int i = 0; i < TRIES && flow->done < flow->begun; i++) nbc_flow_look(flow, &any);
    expect(flow->done == flow->begun, "a segment does not arrive", (int)flow->done);
}

/* As many segments as may be under way, each with other bytes; a wide one is not done before they are received. */
static void check_segments(bool wide)
{
    const unsigned most = wide ? NBC_WIDE : NBC_WINDOW;
    struct nbc_flow in, out;
    int sent[NBC_WIDE], received[NBC_WIDE] = {0};
    bool any = false;
    open_flow(&in, &out, wide, wide);
    for (unsigned i = 0; i < most; i++) {
        sent[i] = 100 + (int)i;
        expect(nbc_flow_has_room(&out), "no room", (int)i);
        nbc_flow_begin(&out, (char *)&sent[i], sizeof sent[i]);
    }
    expect(out.tag == in.tag && !nbc_flow_has_room(&out), "more segments than may be under way", wide);
    nbc_flow_look(&out, &any);
    expect(!wide || (out.done == 0 && !any), "done before it is received", (int)out.done);
    for (unsigned i = 0; i < most; i++) {
        expect(nbc_flow_has_room(&in), "no room to receive", (int)i);
        nbc_flow_begin(&in, (char *)&received[i], sizeof received[i]);
    }
    expect(!nbc_flow_has_room(&in), "more is received than may be under way", wide);
    finish_flow(&in);
    finish_flow(&out);
    expect(memcmp(sent, received, most * sizeof *sent) == 0, "other bytes", wide);
    expect(nbc_flow_has_room(&out), "no room when all are done", wide);
    nbc_flow_end(&in);
    nbc_flow_end(&out);
}

/* Flows under way at once, of which there are three, have tags of their own; that of one that has ended is free again.
 */
static void check_tags(void)
{
    struct nbc_flow lasting, peer, in, out, other_in, other_out;
    int wrong = 0;
    open_flow(&lasting, &peer, 10, false);
    open_flow(&other_in, &other_out, 11, false);
    for (int i = 0; i < FLOWS; i++) {
        open_flow(&in, &out, 12 + (uint64_t)i, false);
        wrong += !nbc_flow_has_room(&out) || out.tag != in.tag || in.tag < 1 || in.tag > 3 || in.tag == lasting.tag ||
                 in.tag == other_in.tag;
        nbc_flow_end(&other_in);
        other_in = in;
    }
    expect(wrong == 0, "tags of flows", wrong);
    expect(nbc_flow_has_room(&peer) && peer.tag == lasting.tag, "the tag of a flow that lasts", peer.tag);
    nbc_flow_end(&other_in);
    nbc_flow_end(&lasting);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    expect(nbc_wire_open() == 0, "it does not open", 0);
    check_letters();
    check_questions();
    check_segments(false);
    check_segments(true);
    check_tags();
    nbc_wire_close();
    MPI_Finalize();
    if (!failures) printf("wire: as it is\n");
    return failures > 0;
}
