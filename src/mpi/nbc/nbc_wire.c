#include "mpi/nbc/nbc_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define READY 0     /* the tag of what receivers say */
#define TAGS  32767 /* of flows: 1 … TAGS, which every MPI has */

/* "I receive the flow of this operation that comes from you, by this tag." Or what is thought of it, or a question. */
struct ready {
    uint64_t key, number;
    int64_t tag; /* or one of these */
    union {
        struct cw_nbc_clash_note note;
        struct nbc_question question;
    };
};

enum { OPINION = -1, VERDICT = -2, QUESTION = -3 };

/* One that has come from PEER, or is on its way to it. */
struct letter {
    struct letter *next;
    struct ready ready;
    int peer;
    MPI_Request request;
};

static MPI_Comm wire = MPI_COMM_NULL;
static struct letter *received, *sent;
static bool taken[TAGS + 1];

int nbc_wire_open(void)
{
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &wire) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not make a communicator for messages between hosts");
    PMPI_Comm_set_errhandler(wire, MPI_ERRORS_ARE_FATAL);
    return 0;
}

static void forget(struct letter **list)
{
    for (struct letter *letter = *list, *next; letter; letter = next) {
        next = letter->next;
        free(letter);
    }
    *list = NULL;
}

void nbc_wire_close(void)
{
    for (struct letter *letter = sent; letter; letter = letter->next) PMPI_Wait(&letter->request, MPI_STATUS_IGNORE);
    forget(&sent);
    forget(&received);
    if (wire != MPI_COMM_NULL) PMPI_Comm_free(&wire);
}

/* A few bytes: without them there is nothing that could go on. */
static struct letter *new_letter(int peer)
{
    struct letter *letter = cw_new_array(1, sizeof *letter, "a message between hosts");
    if (!letter) PMPI_Abort(wire, 1);
    letter->peer = peer;
    return letter;
}

static void drop_sent(void)
{
    for (struct letter **at = &sent; *at;) {
        struct letter *letter = *at;
        int done;
        PMPI_Test(&letter->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *at = letter->next;
            free(letter);
        } else {
            at = &letter->next;
        }
    }
}

void nbc_wire_look(bool *any)
{
    int there = 1;
    while (there) {
        MPI_Status status;
        PMPI_Iprobe(MPI_ANY_SOURCE, READY, wire, &there, &status);
        if (!there) break;
        struct letter *letter = new_letter(status.MPI_SOURCE);
        PMPI_Recv(&letter->ready, sizeof letter->ready, MPI_BYTE, letter->peer, READY, wire, MPI_STATUS_IGNORE);
        letter->next = received;
        received = letter;
        *any = true;
    }
    if (sent) drop_sent();
}

/* The lowest that no other flow of this host has; as many flows at once as there are tags are more than any job has. */
static int choose_tag(void)
{
    int tag = 1;
    while (tag <= TAGS && taken[tag]) tag++;
    if (tag > TAGS) PMPI_Abort(wire, 1);
    taken[tag] = true;
    return tag;
}

static void begin(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number, bool incoming)
{
    *flow = (struct nbc_flow){.peer = peer, .key = key, .number = number, .incoming = incoming};
    for (int i = 0; i < NBC_WIDE; i++) flow->requests[i] = MPI_REQUEST_NULL;
}

static void send_letter(struct letter *letter)
{
    PMPI_Isend(&letter->ready, sizeof letter->ready, MPI_BYTE, letter->peer, READY, wire, &letter->request);
    letter->next = sent;
    sent = letter;
}

void nbc_wire_tell(int peer, uint64_t key, uint64_t number, bool verdict, const struct cw_nbc_clash_note *note)
{
    struct letter *letter = new_letter(peer);
    letter->ready = (struct ready){.key = key, .number = number, .tag = verdict ? VERDICT : OPINION, .note = *note};
    send_letter(letter);
}

void nbc_wire_ask(int peer, const struct nbc_question *question)
{
    struct letter *letter = new_letter(peer);
    letter->ready =
        (struct ready){.key = question->key, .number = question->number, .tag = QUESTION, .question = *question};
    send_letter(letter);
}

void nbc_wire_answer(bool (*answer)(void *state, const struct nbc_question *question), void *state)
{
    for (struct letter **at = &received; *at;) {
        struct letter *letter = *at;
        const bool asks = letter->ready.tag == QUESTION;
        if (asks) letter->ready.question.peer = letter->peer;
        if (asks && answer(state, &letter->ready.question)) {
            *at = letter->next;
            free(letter);
        } else {
            at = &letter->next;
        }
    }
}

bool nbc_wire_hear(uint64_t key, uint64_t number, bool verdict, struct cw_nbc_clash_note *out)
{
    const int64_t kind = verdict ? VERDICT : OPINION;
    struct letter **at = &received;
    while (*at && ((*at)->ready.key != key || (*at)->ready.number != number || (*at)->ready.tag != kind))
        at = &(*at)->next;
    struct letter *letter = *at;
    if (!letter) return false;
    *out = letter->ready.note;
    *at = letter->next;
    free(letter);
    return true;
}

void nbc_flow_receive(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number)
{
    begin(flow, peer, key, number, true);
    flow->tag = choose_tag();
    struct letter *letter = new_letter(peer);
    letter->ready = (struct ready){.key = key, .number = number, .tag = flow->tag};
    send_letter(letter);
}

void nbc_flow_send(struct nbc_flow *flow, int peer, uint64_t key, uint64_t number)
{
    begin(flow, peer, key, number, false);
}

/* Whether the peer has said by which tag. */
static bool is_known(struct nbc_flow *flow)
{
    struct letter **at = &received;
    if (flow->tag) return true;
    while (*at && ((*at)->peer != flow->peer || (*at)->ready.key != flow->key || (*at)->ready.number != flow->number ||
                   (*at)->ready.tag < 0))
        at = &(*at)->next;
    if (!*at) return false;
    struct letter *letter = *at;
    flow->tag = (int)letter->ready.tag;
    *at = letter->next;
    free(letter);
    return true;
}

bool nbc_flow_has_room(struct nbc_flow *flow)
{
    return flow->begun - flow->done < (flow->wide ? NBC_WIDE : NBC_WINDOW) && is_known(flow);
}

void nbc_flow_begin(struct nbc_flow *flow, char *data, size_t bytes)
{
    MPI_Request *request = &flow->requests[flow->begun++ % NBC_WIDE];
    if (flow->incoming)
        PMPI_Irecv(data, (int)bytes, MPI_BYTE, flow->peer, flow->tag, wire, request);
    else if (flow->wide)
        PMPI_Issend(data, (int)bytes, MPI_BYTE, flow->peer, flow->tag, wire, request);
    else
        PMPI_Isend(data, (int)bytes, MPI_BYTE, flow->peer, flow->tag, wire, request);
}

void nbc_flow_look(struct nbc_flow *flow, bool *any)
{
    int done = 1;
    while (flow->done < flow->begun) {
        PMPI_Test(&flow->requests[flow->done % NBC_WIDE], &done, MPI_STATUS_IGNORE);
        if (!done) return;
        flow->done++;
        *any = true;
    }
}

void nbc_flow_end(struct nbc_flow *flow)
{
    if (flow->incoming) taken[flow->tag] = false;
}
