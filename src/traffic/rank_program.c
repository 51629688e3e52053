#include "traffic/rank_program.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

static const char what[] = "actions of a program";

/* --- adding ------------------------------------------------------------------------------------------------------- */

struct pair {
    uint32_t later, earlier;
};

struct cw_program_builder {
    uint32_t n_ranks;
    struct cw_action *actions; /* [n] in the order in which they were added */
    uint32_t *tags;            /* [n] */
    size_t n, room, tags_room;
    struct pair *waits; /* [n_waits] numbers as they were added */
    size_t n_waits, waits_room;
    int rc; /* the first error; its message is the thread's */
};

int cw_program_begin(uint32_t n_ranks, struct cw_program_builder **out)
{
    struct cw_program_builder *builder = cw_new_array(1, sizeof *builder, what);
    if (!builder) return CW_ENOMEM;
    builder->n_ranks = n_ranks;
    *out = builder;
    return 0;
}

void cw_program_abandon(struct cw_program_builder *builder)
{
    if (!builder) return;
    free(builder->actions);
    free(builder->tags);
    free(builder->waits);
    free(builder);
}

static uint32_t add(struct cw_program_builder *builder, struct cw_action action, uint32_t tag)
{
    int *rc = &builder->rc;
    if (!*rc && builder->n >= UINT32_MAX - 1)
        *rc = cw_fail(CW_ELIMIT, "a program of more than %u actions", UINT32_MAX - 1);
    if (!*rc && (action.rank >= builder->n_ranks || action.peer >= builder->n_ranks))
        *rc = cw_fail(CW_EUSAGE, "an action of rank %u with rank %u; expected less than %u, the number of ranks",
                      action.rank, action.peer, builder->n_ranks);
    if (!*rc) *rc = cw_grow_array((void **)&builder->actions, &builder->room, builder->n + 1, sizeof action, what);
    if (!*rc) *rc = cw_grow_array((void **)&builder->tags, &builder->tags_room, builder->n + 1, sizeof tag, what);
    if (*rc) return 0;
    builder->actions[builder->n] = action;
    builder->tags[builder->n] = tag;
    return (uint32_t)builder->n++;
}

uint32_t cw_program_send(struct cw_program_builder *builder, uint32_t rank, uint32_t peer, uint32_t tag, uint64_t bytes)
{
    return add(builder, (struct cw_action){.kind = CW_ACTION_SEND, .rank = rank, .peer = peer, .bytes = bytes}, tag);
}

uint32_t cw_program_receive(struct cw_program_builder *builder, uint32_t rank, uint32_t peer, uint32_t tag,
                            uint64_t bytes)
{
    return add(builder, (struct cw_action){.kind = CW_ACTION_RECEIVE, .rank = rank, .peer = peer, .bytes = bytes}, tag);
}

uint32_t cw_program_compute(struct cw_program_builder *builder, uint32_t rank, double seconds)
{
    if (!builder->rc && !(seconds >= 0 && seconds < 1e18))
        builder->rc = cw_fail(CW_EUSAGE, "rank %u computes for %g s; expected 0 or more", rank, seconds);
    return add(builder, (struct cw_action){.kind = CW_ACTION_COMPUTE, .rank = rank, .peer = rank, .seconds = seconds},
               0);
}

void cw_program_wait(struct cw_program_builder *builder, uint32_t later, uint32_t earlier)
{
    int *rc = &builder->rc;
    if (*rc) return;
    if (later >= builder->n || earlier >= builder->n ||
        builder->actions[later].rank != builder->actions[earlier].rank) {
        *rc = cw_fail(CW_EUSAGE, "action %u waits for action %u; expected two of one rank", later, earlier);
        return;
    }
    *rc = cw_grow_array((void **)&builder->waits, &builder->waits_room, builder->n_waits + 1, sizeof *builder->waits,
                        what);
    if (!*rc) builder->waits[builder->n_waits++] = (struct pair){later, earlier};
}

/* --- finishing ---------------------------------------------------------------------------------------------------- */

void cw_program_free(struct cw_program *program)
{
    if (!program) return;
    free(program->actions);
    free(program->first);
    free(program->first_next);
    free(program->next);
    free(program);
}

/* Puts the actions in the order of ranks. PLACE [n] gets where each is. */
static void sort_by_rank(const struct cw_program_builder *builder, struct cw_program *program, uint32_t *place)
{
    uint32_t *first = program->first;
    for (size_t i = 0; i < builder->n; i++) first[builder->actions[i].rank + 1]++;
    for (uint32_t r = 0; r < program->n_ranks; r++) first[r + 1] += first[r];
    for (size_t i = 0; i < builder->n; i++) {
        place[i] = first[builder->actions[i].rank]++;
        program->actions[place[i]] = builder->actions[i];
    }
    for (uint32_t r = program->n_ranks; r > 0; r--) first[r] = first[r - 1];
    first[0] = 0;
}

/* Enters who waits for whom. */
static void enter_waits(const struct cw_program_builder *builder, const uint32_t *place, struct cw_program *program)
{
    size_t *first = program->first_next;
    for (size_t i = 0; i < builder->n_waits; i++) first[place[builder->waits[i].earlier] + 1]++;
    for (uint32_t i = 0; i < program->n_actions; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < builder->n_waits; i++) {
        const uint32_t later = place[builder->waits[i].later];
        program->actions[later].waits++;
        program->next[first[place[builder->waits[i].earlier]]++] = later;
    }
    for (uint32_t i = program->n_actions; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
    for (uint32_t i = 0; i < program->n_actions; i++)
        if (first[i + 1] - first[i] > 1) cw_sort_numbers(program->next + first[i], first[i + 1] - first[i]);
}

/* An end of a message, as it is matched. */
struct end {
    uint32_t src, dst, tag, action;
};

static int compare_messages(const struct end *a, const struct end *b)
{
    if (a->src != b->src) return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst) return a->dst < b->dst ? -1 : 1;
    if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
    return 0;
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    const int order = compare_messages(x, y);
    return order ? order : x->action < y->action ? -1 : 1;
}

static int fail_alone(const struct end *end, bool sent, uint64_t bytes)
{
    return cw_fail(CW_EUSAGE, "rank %u %s %" PRIu64 " bytes %s rank %u (tag %u), which does not %s them",
                   sent ? end->src : end->dst, sent ? "sends" : "receives", bytes, sent ? "to" : "from",
                   sent ? end->dst : end->src, end->tag, sent ? "receive" : "send");
}

/* SENDS and RECEIVES [N_SENDS, N_RECEIVES] in the same order belong together. */
static int join(struct cw_program *program, size_t n_sends, const struct end *sends, size_t n_receives,
                const struct end *receives)
{
    struct cw_action *actions = program->actions;
    for (size_t i = 0; i < n_sends || i < n_receives; i++) {
        const int order = i >= n_sends ? 1 : i >= n_receives ? -1 : compare_messages(&sends[i], &receives[i]);
        if (order < 0) return fail_alone(&sends[i], true, actions[sends[i].action].bytes);
        if (order > 0) return fail_alone(&receives[i], false, actions[receives[i].action].bytes);
        struct cw_action *send = &actions[sends[i].action], *receive = &actions[receives[i].action];
        if (send->bytes != receive->bytes)
            return cw_fail(CW_EUSAGE,
                           "rank %u sends %" PRIu64 " bytes to rank %u (tag %u), which expects %" PRIu64 " bytes",
                           send->rank, send->bytes, send->peer, sends[i].tag, receive->bytes);
        send->partner = receives[i].action;
        receive->partner = sends[i].action;
    }
    return 0;
}

static int match(const struct cw_program_builder *builder, const uint32_t *place, struct cw_program *program)
{
    struct end *sends = cw_new_array(builder->n, sizeof *sends, what);
    struct end *receives = cw_new_array(builder->n, sizeof *receives, what);
    size_t n_sends = 0, n_receives = 0;
    int rc = sends && receives ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < builder->n; i++) {
        const struct cw_action *at = &builder->actions[i];
        if (at->kind == CW_ACTION_SEND) sends[n_sends++] = (struct end){at->rank, at->peer, builder->tags[i], place[i]};
        if (at->kind == CW_ACTION_RECEIVE)
            receives[n_receives++] = (struct end){at->peer, at->rank, builder->tags[i], place[i]};
    }
    if (!rc) {
        qsort(sends, n_sends, sizeof *sends, compare_ends);
        qsort(receives, n_receives, sizeof *receives, compare_ends);
        rc = join(program, n_sends, sends, n_receives, receives);
    }
    free(sends);
    free(receives);
    return rc;
}

static struct cw_program *new_program(uint32_t n_ranks, size_t n, size_t n_waits)
{
    struct cw_program *program = cw_new_array(1, sizeof *program, what);
    if (!program) return NULL;
    program->n_ranks = n_ranks;
    program->n_actions = (uint32_t)n;
    program->actions = cw_new_array(n, sizeof *program->actions, what);
    program->first = cw_new_array((size_t)n_ranks + 1, sizeof *program->first, what);
    program->first_next = cw_new_array(n + 1, sizeof *program->first_next, what);
    program->next = cw_new_array(n_waits, sizeof *program->next, what);
    if (program->actions && program->first && program->first_next && program->next) return program;
    cw_program_free(program);
    return NULL;
}

int cw_program_finish(struct cw_program_builder *builder, struct cw_program **out)
{
    struct cw_program *program = NULL;
    uint32_t *place = NULL;
    int rc = builder->rc;
    if (!rc) {
        program = new_program(builder->n_ranks, builder->n, builder->n_waits);
        place = cw_new_array(builder->n, sizeof *place, what);
        rc = program && place ? 0 : CW_ENOMEM;
    }
    if (!rc) {
        sort_by_rank(builder, program, place);
        enter_waits(builder, place, program);
        rc = match(builder, place, program);
    }
    free(place);
    cw_program_abandon(builder);
    if (rc)
        cw_program_free(program);
    else
        *out = program;
    return rc;
}

/* --- from schedules and flows ------------------------------------------------------------------------------------- */

#define NONE UINT32_MAX

/* A schedule while it becomes a program. */
struct unrolling {
    struct cw_program_builder *builder;
    uint32_t *gates; /* [ranks] an action that waits for all that the rank received in rounds before; NONE: nothing */
    uint32_t *receives; /* [ranks] those of the round at hand, a list by way of `after`; NONE ends it */
    uint32_t *after;    /* [messages of the round] */
    uint32_t *numbers;  /* [messages of the round] of receives */
    size_t after_room, numbers_room;
};

/* Adds the messages of a round; receives are gathered by rank. */
static void unroll(struct unrolling *unrolling, const struct cw_messages *messages, uint64_t total, uint32_t blocks)
{
    struct cw_program_builder *builder = unrolling->builder;
    for (size_t i = 0; i < messages->n; i++) {
        const struct cw_message *message = &messages->items[i];
        if (message->src == message->dst) continue;
        const uint64_t bytes = cw_schedule_bytes(total, blocks, message->block, message->n_blocks);
        const uint32_t send = cw_program_send(builder, message->src, message->dst, 0, bytes);
        if (!message->free && unrolling->gates[message->src] != NONE)
            cw_program_wait(builder, send, unrolling->gates[message->src]);
        unrolling->numbers[i] = cw_program_receive(builder, message->dst, message->src, 0, bytes);
        unrolling->after[i] = unrolling->receives[message->dst];
        unrolling->receives[message->dst] = (uint32_t)i;
    }
}

/* What was received in this round is waited for by what is sent in later ones. */
static void shut_gates(struct unrolling *unrolling, const struct cw_messages *messages)
{
    struct cw_program_builder *builder = unrolling->builder;
    for (size_t i = 0; i < messages->n; i++) {
        const uint32_t rank = messages->items[i].dst;
        if (unrolling->receives[rank] == NONE) continue;
        const uint32_t before = unrolling->gates[rank], gate = cw_program_compute(builder, rank, 0);
        if (before != NONE) cw_program_wait(builder, gate, before);
        for (uint32_t at = unrolling->receives[rank]; at != NONE; at = unrolling->after[at])
            cw_program_wait(builder, gate, unrolling->numbers[at]);
        unrolling->gates[rank] = gate;
        unrolling->receives[rank] = NONE;
    }
}

static int unroll_rounds(struct unrolling *unrolling, const struct cw_schedule *schedule, uint32_t n, uint64_t total,
                         uint32_t rounds, uint32_t blocks)
{
    struct cw_messages messages = {0};
    int rc = 0;
    for (uint32_t r = 0; r < n; r++) unrolling->gates[r] = unrolling->receives[r] = NONE;
    for (uint32_t round = 0; !rc && round < rounds; round++) {
        messages.n = 0;
        rc = cw_schedule_round(schedule, n, round, &messages);
        if (!rc)
            rc = cw_grow_array((void **)&unrolling->after, &unrolling->after_room, messages.n, sizeof(uint32_t), what);
        if (!rc)
            rc = cw_grow_array((void **)&unrolling->numbers, &unrolling->numbers_room, messages.n, sizeof(uint32_t),
                               what);
        if (rc) break;
        unroll(unrolling, &messages, total, blocks);
        if (round + 1 < rounds) shut_gates(unrolling, &messages);
    }
    cw_messages_free(&messages);
    return rc;
}

int cw_program_of_schedule(const struct cw_schedule *schedule, uint32_t n, uint64_t bytes, struct cw_program **out)
{
    uint32_t rounds, blocks;
    uint64_t total;
    int rc = cw_schedule_plan(schedule, n, &rounds, &blocks);
    if (!rc) rc = cw_schedule_total_bytes(schedule, n, bytes, &total);
    struct unrolling unrolling = {0};
    if (!rc) rc = cw_program_begin(n, &unrolling.builder);
    if (rc) return rc;
    unrolling.gates = cw_new_array(n, sizeof *unrolling.gates, what);
    unrolling.receives = cw_new_array(n, sizeof *unrolling.receives, what);
    rc = unrolling.gates && unrolling.receives ? unroll_rounds(&unrolling, schedule, n, total, rounds, blocks)
                                               : CW_ENOMEM;
    free(unrolling.gates);
    free(unrolling.receives);
    free(unrolling.after);
    free(unrolling.numbers);
    if (!rc) return cw_program_finish(unrolling.builder, out);
    cw_program_abandon(unrolling.builder);
    return rc;
}

int cw_program_of_flows(const struct cw_flows *flows, uint32_t n, struct cw_program **out)
{
    struct cw_program_builder *builder;
    const int rc = cw_program_begin(n, &builder);
    if (rc) return rc;
    for (size_t i = 0; i < flows->n; i++) {
        const struct cw_flow *flow = &flows->items[i];
        cw_program_send(builder, flow->src, flow->dst, 0, flow->bytes);
        cw_program_receive(builder, flow->dst, flow->src, 0, flow->bytes);
    }
    return cw_program_finish(builder, out);
}

/* --- again and again ---------------------------------------------------------------------------------------------- */

/* Where action I of rank RANK is in repetition ROUND. Behind the actions of a rank in a round is its gate, which waits
 * for all of them and is waited for by those of the next round. */
static uint32_t again(const struct cw_program *once, const struct cw_program *out, uint32_t rank, uint32_t round,
                      uint32_t i)
{
    const uint32_t own = once->first[rank + 1] - once->first[rank];
    return out->first[rank] + round * (own + 1) + i - once->first[rank];
}

/* Adds action I of RANK in ROUND, and who waits for it: the same as once, or if nobody does the gate, if there is one.
 */
static void add_again(const struct cw_program *once, uint32_t rank, uint32_t round, bool gated, uint32_t i,
                      struct cw_program *out, size_t *n_next)
{
    const uint32_t at = again(once, out, rank, round, i), gate = again(once, out, rank, round, once->first[rank + 1]);
    struct cw_action *action = &out->actions[at];
    *action = once->actions[i];
    if (action->kind != CW_ACTION_COMPUTE) action->partner = again(once, out, action->peer, round, action->partner);
    if (round > 0 && action->waits == 0) action->waits = 1;
    out->first_next[at] = *n_next;
    for (size_t k = once->first_next[i]; k < once->first_next[i + 1]; k++)
        out->next[(*n_next)++] = again(once, out, rank, round, once->next[k]);
    if (!gated || once->first_next[i] < once->first_next[i + 1]) return;
    out->next[(*n_next)++] = gate;
    out->actions[gate].waits++;
}

static void add_gate(const struct cw_program *once, uint32_t rank, uint32_t round, struct cw_program *out,
                     size_t *n_next)
{
    const uint32_t gate = again(once, out, rank, round, once->first[rank + 1]);
    struct cw_action *action = &out->actions[gate];
    action->kind = CW_ACTION_COMPUTE;
    action->rank = action->peer = rank;
    out->first_next[gate] = *n_next;
    for (uint32_t i = once->first[rank]; i < once->first[rank + 1]; i++)
        if (once->actions[i].waits == 0) out->next[(*n_next)++] = again(once, out, rank, round + 1, i);
}

int cw_program_repeat(const struct cw_program *program, uint32_t times, struct cw_program **out)
{
    const size_t n_gates = (size_t)program->n_ranks * (times - 1), n_waits = program->first_next[program->n_actions];
    const size_t n_edges = n_waits + 2 * (size_t)program->n_actions; /* at most, with those to gates and from them */
    const long double n = (long double)program->n_actions * times + n_gates;
    if (n >= (long double)UINT32_MAX)
        return cw_fail(CW_ELIMIT, "a program of %u actions for %u times; expected less than %u in all",
                       program->n_actions, times, UINT32_MAX);
    struct cw_program *made = new_program(program->n_ranks, (size_t)n, n_edges * times);
    size_t n_next = 0;
    if (!made) return CW_ENOMEM;
    for (uint32_t r = 0; r < program->n_ranks; r++)
        made->first[r + 1] = made->first[r] + (program->first[r + 1] - program->first[r] + 1) * times - 1;
    for (uint32_t r = 0; r < program->n_ranks; r++)
        for (uint32_t round = 0; round < times; round++) {
            const bool gated = round + 1 < times;
            for (uint32_t i = program->first[r]; i < program->first[r + 1]; i++)
                add_again(program, r, round, gated, i, made, &n_next);
            if (gated) add_gate(program, r, round, made, &n_next);
        }
    made->first_next[made->n_actions] = n_next;
    *out = made;
    return 0;
}

/* --- what it moves ------------------------------------------------------------------------------------------------ */

static int compare_flows(const void *a, const void *b)
{
    const struct cw_flow *x = a, *y = b;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

int cw_program_matrix(const struct cw_program *program, struct cw_flows *matrix)
{
    struct cw_flow *sent = cw_new_array(program->n_actions, sizeof *sent, what);
    size_t n = 0;
    int rc = sent ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < program->n_actions; i++) {
        const struct cw_action *at = &program->actions[i];
        if (at->kind == CW_ACTION_SEND) sent[n++] = (struct cw_flow){at->rank, at->peer, at->bytes};
    }
    if (n > 0) qsort(sent, n, sizeof *sent, compare_flows);
    for (size_t i = 0, j; !rc && i < n; i = j) {
        uint64_t bytes = 0;
        for (j = i; j < n && compare_flows(&sent[i], &sent[j]) == 0; j++) bytes += sent[j].bytes;
        rc = cw_flows_add(matrix, sent[i].src, sent[i].dst, bytes);
    }
    free(sent);
    return rc;
}
