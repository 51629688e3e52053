#include "mpi/nbc/nbc_relay_thread.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "mpi/nbc/nbc_relay_internal.h"

#define TURN 2e-3  /* s after which … */
#define REST 20000 /* ns: … it rests */

#define PATIENCE 0.5 /* s for which hosts wait for others before they ask, … */
#define LISTEN   0.2 /* … and after which a host that has nothing to do looks whether it is asked */

struct nbc_relays {
    struct cw_nbc_node *node;
    int leader;
    struct cw_nbc_between asked;
    const struct cw_nbc_trees *trees;
    const int *places;
    uint32_t n; /* of comms */
    struct relay_comm **comms;
    double rested, listened; /* when */
};

int nbc_relays_new(struct cw_nbc_node *node, int leader, const struct cw_nbc_between *asked,
                   const struct cw_nbc_trees *trees, const int *places, struct nbc_relays **out)
{
    struct nbc_relays *relays = cw_new_array(1, sizeof *relays, "a relay between hosts");
    if (!relays) return CW_ENOMEM;
    *relays = (struct nbc_relays){.node = node, .leader = leader, .asked = *asked, .trees = trees, .places = places};
    *out = relays;
    return 0;
}

/* --- an operation ------------------------------------------------------------------------------------------------- */

struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank)
{
    struct cw_nbc_part part = {0};
    cw_nbc_relay_part(relay->node, relay->comm->place, relay->number % 64, rank, &part);
    return part;
}

uint32_t relay_number(const struct relay *relay, uint32_t rank)
{
    return relay->comm->members[rank];
}

void relay_note_error(struct relay *relay, int error, uint32_t rank)
{
    if (!error || relay->error) return;
    relay->error = error;
    relay->error_rank = rank;
}

/* How hosts pass on what WORK describes. */
static struct cw_nbc_between choose(const struct nbc_relays *relays, const struct relay_comm *comm,
                                    const struct cw_nbc_work *work)
{
    const bool reduces = cw_collectives[work->collective].reduces;
    return cw_nbc_trees_choose(relays->trees, &relays->asked, work->collective,
                               !reduces || cw_nbc_type_is_exact(work->type), (uint32_t)comm->hosts.n, work->bytes);
}

static void free_relay(struct relay *relay)
{
    if (!relay) return;
    relay_vector_free(relay->vector);
    relay_blocks_free(relay->blocks);
    free(relay);
}

/* What WORK describes; NULL: memory is out; later there may be some. */
static struct relay *new_relay(const struct nbc_relays *relays, struct relay_comm *comm, uint64_t number,
                               const struct cw_nbc_work *work)
{
    struct relay *relay = cw_new_array(1, sizeof *relay, "an operation between hosts");
    if (!relay) return NULL;
    *relay = (struct relay){.node = relays->node, .comm = comm, .number = number, .work = *work};
    const struct cw_nbc_between between = choose(relays, comm, work);
    if (cw_nbc_between_passes(work->collective) ? relay_vector_new(relay, &between) : relay_blocks_new(relay)) {
        free_relay(relay);
        return NULL;
    }
    return relay;
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static void free_comm(struct relay_comm *comm)
{
    if (!comm) return;
    for (int slot = 0; slot < 64; slot++) free_relay(comm->under_way[slot]);
    relay_programs_free(comm->programs);
    cw_nbc_hosts_free(&comm->hosts);
    free(comm);
}

void nbc_relays_free(struct nbc_relays *relays)
{
    if (!relays) return;
    for (uint32_t i = 0; i < relays->n; i++) free_comm(relays->comms[i]);
    free(relays->comms);
    free(relays);
}

/* Which host each rank is on is read from the memory of the first of those that are here. */
static struct relay_comm *new_comm(const struct nbc_relays *relays, uint32_t place, const struct cw_nbc_note *note)
{
    struct relay_comm *comm = cw_new_array(1, sizeof *comm, "a communicator between hosts");
    int *leaders = cw_new_array(note->n_about, 1, "hosts of ranks");
    int rc = comm && leaders ? 0 : CW_ENOMEM;
    if (!rc) {
        *comm = (struct relay_comm){.key = note->key, .place = place, .inner = note->inner};
        comm->n = cw_nbc_relay_members(relays->node, place, &comm->members);
        rc = cw_nbc_relay_read(relays->node, comm->members[0], (char *)leaders, note->about, note->n_about);
    }
    if (!rc)
        rc =
            cw_nbc_hosts_new((int)(note->n_about / sizeof(int)), leaders, relays->leader, relays->places, &comm->hosts);
    free(leaders);
    if (rc) free(comm);
    return rc ? NULL : comm;
}

/* NULL: memory is out; later there may be some. */
static struct relay_comm *comm_at(struct nbc_relays *relays, uint32_t place, const struct cw_nbc_note *note)
{
    if (place >= relays->n) {
        struct relay_comm **comms = realloc(relays->comms, (place + 1) * sizeof(struct relay_comm *));
        if (!comms) return NULL;
        relays->comms = comms;
        while (relays->n <= place) comms[relays->n++] = NULL;
    }
    struct relay_comm **at = &relays->comms[place];
    if (*at && (*at)->key == note->key) return *at;
    free_comm(*at);
    return *at = new_comm(relays, place, note);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Asks HOST, of COMM, for what ours wait: operation NUMBER, which is in SLOT. */
static void ask(const struct nbc_relays *relays, const struct relay_comm *comm, uint64_t slot, uint64_t number,
                int host, bool answered)
{
    struct cw_nbc_part part;
    if (host == comm->hosts.me || !cw_nbc_relay_part(relays->node, comm->place, slot, 0, &part)) return;
    nbc_wire_ask(comm->hosts.leaders[host], &(struct nbc_question){.key = comm->key,
                                                                   .number = number,
                                                                   .index = part.index,
                                                                   .asked = part.asked,
                                                                   .answered = answered,
                                                                   .by_verdict = comm->hosts.me != 0});
}

/* Who is missing may never come: its ranks may have left the call to MPI. Nobody can tell but its relay, which is asked
 * after a while, once: the first host asks all, others ask the first. */
static void lose_patience(const struct nbc_relays *relays, struct relay_comm *comm, uint64_t slot, uint64_t number)
{
    struct relay_agreement *agreement = &comm->agreements[slot];
    const double now = cw_stopwatch_now();
    if (agreement->since == 0) agreement->since = now;
    if (agreement->asked || now - agreement->since < PATIENCE) return;
    agreement->asked = true;
    for (int host = 0; host < (comm->hosts.me == 0 ? comm->hosts.n : 1); host++)
        ask(relays, comm, slot, number, host, true);
}

/* The verdict of the first host; if that has left the call to MPI, others may have, and their ranks are to know. */
static bool hear_verdict(const struct nbc_relays *relays, const struct relay_comm *comm, uint64_t slot, uint64_t number,
                         struct cw_nbc_clash_note *note)
{
    if (!nbc_wire_hear(comm->key, number, true, note)) return false;
    if (note->clash && note->left && comm->agreements[slot].asked)
        for (int host = 1; host < comm->hosts.n; host++) ask(relays, comm, slot, number, host, false);
    return true;
}

/* Whether all hosts have said what their ranks ask for, so that *NOTE, our own opinion, is what all think: the first
 * host of the communicator hears them all, and tells. */
static bool agree(const struct nbc_relays *relays, struct relay_comm *comm, uint64_t slot, uint64_t number,
                  struct cw_nbc_clash_note *note)
{
    struct relay_agreement *agreement = &comm->agreements[slot];
    const int first = comm->hosts.leaders[0];
    struct cw_nbc_clash_note other;
    if (comm->hosts.me != 0) {
        if (!agreement->told) nbc_wire_tell(first, comm->key, number, false, note);
        agreement->told = true;
        lose_patience(relays, comm, slot, number);
        return hear_verdict(relays, comm, slot, number, note);
    }
    while (!note->clash && nbc_wire_hear(comm->key, number, false, &other)) {
        agreement->heard++;
        note->b = other.a;
        if (other.clash)
            *note = other;
        else
            note->clash = cw_nbc_asked_compare(&note->a, &note->b);
    }
    if (!note->clash && agreement->heard < comm->hosts.n - 1) {
        lose_patience(relays, comm, slot, number);
        return false;
    }
    for (int host = 1; host < comm->hosts.n; host++)
        nbc_wire_tell(comm->hosts.leaders[host], comm->key, number, true, note);
    return true;
}

/* Begins what all ranks of all hosts have posted alike, and ends what they have not. */
static void begin(struct nbc_relays *relays, struct relay_comm *comm, uint64_t slot, bool *any)
{
    uint64_t number;
    uint32_t n_posted;
    struct cw_nbc_work work;
    struct cw_nbc_clash_note note;
    if (!cw_nbc_relay_look(relays->node, comm->place, slot, &number, &work, &n_posted, &note)) return;
    if (!comm->agreements[slot].reached) {
        if ((n_posted < comm->n && !note.clash) || !agree(relays, comm, slot, number, &note)) return;
        comm->agreements[slot] = (struct relay_agreement){0};
        *any = true;
    }
    comm->agreements[slot].reached = !note.clash;
    if (note.clash) {
        cw_nbc_relay_fail(relays->node, comm->place, number, &note);
        return;
    }
    comm->under_way[slot] = new_relay(relays, comm, number, &work);
}

static void step(struct nbc_relays *relays, struct relay_comm *comm, uint64_t slot, bool *any)
{
    struct relay **relay = &comm->under_way[slot];
    if (!*relay) begin(relays, comm, slot, any);
    if (!*relay || !((*relay)->vector ? relay_vector_step : relay_blocks_step)(*relay, any)) return;
    struct relay *finished = *relay;
    *relay = NULL;
    comm->agreements[slot].reached = false;
    cw_nbc_relay_end(relays->node, comm->place, finished->number, finished->error, finished->error_rank);
    free_relay(finished);
    *any = true;
}

static bool answer(void *state, const struct nbc_question *question)
{
    const struct nbc_relays *relays = state;
    struct cw_nbc_clash_note note = {.a = question->asked};
    const enum cw_nbc_turn turn =
        cw_nbc_relay_turn(relays->node, question->key, question->number, question->index, &note);
    if (turn == CW_NBC_LEFT_BY_US && question->answered)
        nbc_wire_tell(question->peer, question->key, question->number, question->by_verdict, &note);
    return turn != CW_NBC_TO_COME;
}

/* Rarely: who waits for messages of MPI's own would wait for us. */
static void listen(struct nbc_relays *relays)
{
    const double now = cw_stopwatch_now();
    bool any;
    if (now - relays->listened < LISTEN) return;
    relays->listened = now;
    nbc_wire_look(&any);
    nbc_wire_answer(answer, relays);
}

/* MPI's lock may be had again and again by who has just had it: with MPICH ranks of this process waited for it until
 * the operation was done. */
static void rest(struct nbc_relays *relays, bool looked)
{
    const struct timespec nap = {0, REST};
    const double now = cw_stopwatch_now();
    if (looked && now - relays->rested < TURN) return;
    if (looked) nanosleep(&nap, NULL);
    relays->rested = now;
}

enum cw_nbc_beside nbc_relays_step(void *state)
{
    struct nbc_relays *relays = state;
    const uint32_t n = cw_nbc_relay_comms(relays->node);
    bool any = false, looked = false;
    for (uint32_t place = 0; place < n; place++) {
        struct cw_nbc_note note;
        const uint64_t active = cw_nbc_relay_active(relays->node, place, &note);
        if (!active) continue;
        if (!looked) nbc_wire_look(&any);
        looked = true;
        struct relay_comm *comm = comm_at(relays, place, &note);
        for (uint64_t slot = 0; comm && slot < 64; slot++)
            if (active >> slot & 1) step(relays, comm, slot, &any);
    }
    listen(relays);
    rest(relays, looked);
    return any ? CW_NBC_SOMETHING : looked ? CW_NBC_WAITING : CW_NBC_NOTHING;
}
