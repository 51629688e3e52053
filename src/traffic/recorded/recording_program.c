/* What ranks were recorded to do, as a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "traffic/recorded/recording_internal.h"
#include "traffic/schedule.h"

#define NONE CW_RECORDING_NONE

static const char what[] = "a recorded program";

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* Collectives of KIND with more than ABOVE bytes, or any, are SCHEDULE. */
struct rule {
    enum cw_collective_kind kind;
    bool any;
    uint64_t above;
    struct cw_schedule *schedule;
};

/* A collective among N ranks as a program, by root, which is rank 0. */
struct unrolled {
    const struct cw_schedule *schedule;
    uint32_t n;
    uint64_t bytes;
    struct cw_program *program;
};

/* An end of a message, as it is matched. */
struct end {
    uint32_t src, dst, comm, tag; /* NONE as tag: of a collective */
    uint32_t rank;
    bool receives;
    size_t op;
};

/* A rank's call of a collective. */
struct turn {
    uint32_t comm, number; /* the communicator's collectives are counted */
    uint32_t rank;
    size_t op;
};

/* A message of a collective whose parts differ. */
struct part {
    uint32_t comm, number;
    uint32_t dst, src; /* ranks in the world */
    uint64_t bytes;
};

struct making {
    const struct cw_recording *recording;
    struct cw_program_builder *builder;
    struct rule *rules;
    size_t n_rules, rules_room;
    struct unrolled *unrolled;
    size_t n_unrolled, unrolled_room;
    struct cw_recorded_op **ops; /* [ranks] copies, in which what has no other end is dropped */
    uint32_t **numbers; /* [ranks][n_ops] of a collective: which one of its communicator's; of a message: its tag */
    struct part *parts;
    size_t n_parts, parts_room;
    uint32_t n_tags;
    uint64_t left_out;
    /* of the rank at hand */
    uint32_t rank;
    uint32_t *front; /* [n_front] actions that what comes next waits for */
    size_t n_front, front_room;
    uint32_t *ends; /* the last actions of requests */
    size_t n_ends, ends_room;
    size_t *first_end, *n_request_ends; /* [requests] */
};

static int add_rule(struct making *making, enum cw_collective_kind kind, bool any, uint64_t above, const char *schedule)
{
    struct rule rule = {.kind = kind, .any = any, .above = above};
    int rc = cw_grow_array((void **)&making->rules, &making->rules_room, making->n_rules + 1, sizeof rule, what);
    if (!rc) rc = cw_schedule_new(schedule, &rule.schedule);
    if (rc) return rc;
    making->rules[making->n_rules++] = rule;
    if (cw_schedule_result(rule.schedule) == kind) return 0;
    return cw_fail(CW_EUSAGE, "%s is a schedule of %s, not of %s", schedule,
                   cw_collectives[cw_schedule_result(rule.schedule)].name, cw_collectives[kind].name);
}

/* "KIND=SCHEDULE" or "KIND>SIZE=SCHEDULE"; TEXT is overwritten. */
static int read_rule(struct making *making, char *text)
{
    uint64_t above = 0;
    char *schedule = strchr(text, '=');
    if (!schedule)
        return cw_fail(CW_EUSAGE, "'%s' is no rule for collectives; expected KIND=SCHEDULE or KIND>SIZE=SCHEDULE",
                       text);
    *schedule++ = '\0';
    char *size = strchr(text, '>');
    if (size) *size++ = '\0';
    const struct cw_collective_traits *traits = cw_registry_find(&cw_collective_registry, text);
    if (!traits) return cw_registry_unknown(&cw_collective_registry, text);
    const int rc = size ? cw_parse_bytes("a rule for collectives", size, &above) : 0;
    return rc ? rc : add_rule(making, cw_collective_kind_of(traits), !size, above, schedule);
}

static int read_rules(struct making *making, const char *text)
{
    int rc = 0;
    for (int kind = 0; !rc && kind < CW_COLLECTIVES; kind++)
        rc = add_rule(making, (enum cw_collective_kind)kind, true, 0, cw_collectives[kind].usual);
    char *copy = text ? cw_copy_text(text, strlen(text)) : NULL, *next = copy;
    if (text && !copy) return CW_ENOMEM;
    while (!rc && next) {
        char *rule = next;
        next = strchr(rule, ';');
        if (next) *next++ = '\0';
        rc = read_rule(making, rule);
    }
    free(copy);
    return rc;
}

static const struct cw_schedule *choose(const struct making *making, enum cw_collective_kind kind, uint64_t bytes)
{
    const struct cw_schedule *schedule = NULL;
    for (size_t i = 0; i < making->n_rules; i++) {
        const struct rule *rule = &making->rules[i];
        if (rule->kind == kind && (rule->any || bytes > rule->above)) schedule = rule->schedule;
    }
    return schedule;
}

/* The program of a collective, once for all that are alike. */
static int unroll(struct making *making, enum cw_collective_kind kind, uint32_t n, uint64_t bytes,
                  const struct cw_program **out)
{
    struct unrolled made = {.schedule = choose(making, kind, bytes), .n = n, .bytes = bytes};
    for (size_t i = making->n_unrolled; i-- > 0;) {
        const struct unrolled *at = &making->unrolled[i];
        *out = at->program;
        if (at->schedule == made.schedule && at->n == n && at->bytes == bytes) return 0;
    }
    int rc =
        cw_grow_array((void **)&making->unrolled, &making->unrolled_room, making->n_unrolled + 1, sizeof made, what);
    if (!rc) rc = cw_program_of_schedule(made.schedule, n, bytes, &made.program);
    if (rc) return rc;
    making->unrolled[making->n_unrolled++] = made;
    *out = made.program;
    return 0;
}

/* --- who belongs together ----------------------------------------------------------------------------------------- */

static const struct cw_recorded_members *members_of(const struct making *making, uint32_t comm)
{
    return &making->recording->members[making->recording->comms[comm].members];
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_channels(const struct end *a, const struct end *b)
{
    int order = compare(a->src, b->src);
    if (!order) order = compare(a->dst, b->dst);
    if (!order) order = compare(a->comm, b->comm);
    return order ? order : compare(a->tag, b->tag);
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = compare_channels(x, y);
    if (!order) order = compare(x->receives, y->receives);
    return order ? order : compare(x->op, y->op);
}

static void drop(struct making *making, uint32_t rank, size_t op)
{
    making->ops[rank][op].kind = CW_RECORDED_DROPPED;
    making->left_out++;
}

/* Messages ENDS [n], of one channel: the first of those that are sent is the first of those that are received. */
static void pair(struct making *making, const struct end *ends, size_t n)
{
    size_t sent = 0;
    while (sent < n && !ends[sent].receives) sent++;
    for (size_t i = 0; i < n; i++) {
        const size_t place = ends[i].receives ? i - sent : i;
        struct cw_recorded_op *op = &making->ops[ends[i].rank][ends[i].op];
        making->numbers[ends[i].rank][ends[i].op] = making->n_tags;
        if (place >= (ends[i].receives ? sent : n - sent))
            drop(making, ends[i].rank, ends[i].op);
        else if (ends[i].receives)
            op->bytes = making->ops[ends[place].rank][ends[place].op].bytes;
    }
    making->n_tags++;
}

static int match_messages(struct making *making)
{
    const struct cw_recording *recording = making->recording;
    size_t n = 0, all = 0;
    for (uint32_t r = 0; r < recording->n_ranks; r++) all += recording->ranks[r].n_ops;
    struct end *ends = cw_new_array(all + 1, sizeof *ends, what);
    if (!ends) return CW_ENOMEM;
    for (uint32_t r = 0; r < recording->n_ranks; r++)
        for (size_t i = 0; i < recording->ranks[r].n_ops; i++) {
            const struct cw_recorded_op *op = &making->ops[r][i];
            const bool receives = op->kind == CW_RECORDED_RECEIVE;
            if (receives && op->peer == NONE) drop(making, r, i);
            if (op->kind != CW_RECORDED_SEND && op->kind != CW_RECORDED_RECEIVE) continue;
            ends[n++] = (struct end){.src = receives ? op->peer : r,
                                     .dst = receives ? r : op->peer,
                                     .comm = op->comm,
                                     .tag = op->tag,
                                     .rank = r,
                                     .receives = receives,
                                     .op = i};
        }
    if (n > 0) qsort(ends, n, sizeof *ends, compare_ends);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && compare_channels(&ends[i], &ends[j]) == 0;) j++;
        pair(making, ends + i, j - i);
    }
    free(ends);
    return 0;
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    int order = compare(x->comm, y->comm);
    if (!order) order = compare(x->number, y->number);
    return order ? order : compare(x->rank, y->rank);
}

static bool is_collective(const struct cw_recorded_op *op)
{
    return op->kind == CW_RECORDED_COLLECTIVE || op->kind == CW_RECORDED_SCAN || op->kind == CW_RECORDED_PARTS;
}

/* All calls of collectives, counted in each communicator of each rank: *OUT [*N], the caller's. */
static int count_turns(struct making *making, struct turn **out, size_t *n)
{
    const struct cw_recording *recording = making->recording;
    size_t all = 0;
    for (uint32_t r = 0; r < recording->n_ranks; r++) all += recording->ranks[r].n_ops;
    struct turn *turns = cw_new_array(all + 1, sizeof *turns, what);
    uint32_t *counts = cw_new_array(recording->n_comms + 1, sizeof *counts, what);
    *n = 0;
    for (uint32_t r = 0; turns && counts && r < recording->n_ranks; r++) {
        for (size_t i = 0; i < recording->ranks[r].n_comms; i++) counts[recording->ranks[r].comms[i]] = 0;
        for (size_t i = 0; i < recording->ranks[r].n_ops; i++) {
            const struct cw_recorded_op *op = &making->ops[r][i];
            if (!is_collective(op)) continue;
            making->numbers[r][i] = counts[op->comm]++;
            turns[(*n)++] = (struct turn){op->comm, making->numbers[r][i], r, i};
        }
    }
    free(counts);
    *out = turns;
    return turns && counts ? 0 : CW_ENOMEM;
}

/* Keeps who gets what of a collective whose parts differ. */
static int keep_parts(struct making *making, const struct turn *turn)
{
    const struct cw_recorded_op *ops = making->ops[turn->rank];
    const struct cw_recorded_members *members = members_of(making, turn->comm);
    const size_t n_ops = making->recording->ranks[turn->rank].n_ops;
    int rc = 0;
    for (size_t i = turn->op + 1; !rc && i < n_ops && ops[i].kind == CW_RECORDED_PART; i++) {
        rc = cw_grow_array((void **)&making->parts, &making->parts_room, making->n_parts + 1, sizeof *making->parts,
                           what);
        if (!rc)
            making->parts[making->n_parts++] = (struct part){.comm = turn->comm,
                                                             .number = turn->number,
                                                             .dst = members->world[ops[i].peer],
                                                             .src = turn->rank,
                                                             .bytes = ops[i].bytes};
    }
    return rc;
}

/* TURNS [n] are the calls of one collective. */
static int join(struct making *making, const struct turn *turns, size_t n)
{
    const struct cw_recorded_op *first = &making->ops[turns[0].rank][turns[0].op];
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        const struct cw_recorded_op *op = &making->ops[turns[i].rank][turns[i].op];
        if (n < members_of(making, turns[0].comm)->n)
            drop(making, turns[i].rank, turns[i].op);
        else if (op->kind != first->kind || op->collective != first->collective || op->peer != first->peer)
            rc =
                cw_fail(CW_EUSAGE,
                        "ranks %u and %u differ in their collective number %u of a communicator; expected the same one "
                        "with the same root",
                        turns[0].rank, turns[i].rank, turns[0].number + 1);
        else if (op->kind == CW_RECORDED_PARTS)
            rc = keep_parts(making, &turns[i]);
    }
    return rc;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = compare(x->comm, y->comm);
    if (!order) order = compare(x->number, y->number);
    if (!order) order = compare(x->dst, y->dst);
    return order ? order : compare(x->src, y->src);
}

static int match_collectives(struct making *making)
{
    struct turn *turns = NULL;
    size_t n = 0;
    int rc = count_turns(making, &turns, &n);
    if (!rc && n > 0) qsort(turns, n, sizeof *turns, compare_turns);
    for (size_t i = 0, j; !rc && i < n; i = j) {
        for (j = i; j < n && turns[i].comm == turns[j].comm && turns[i].number == turns[j].number;) j++;
        rc = join(making, turns + i, j - i);
    }
    if (making->n_parts > 0) qsort(making->parts, making->n_parts, sizeof *making->parts, compare_parts);
    free(turns);
    return rc;
}

/* --- actions ------------------------------------------------------------------------------------------------------ */

static int push(uint32_t **items, size_t *n, size_t *room, uint32_t item)
{
    const int rc = cw_grow_array((void **)items, room, *n + 1, sizeof item, what);
    if (!rc) (*items)[(*n)++] = item;
    return rc;
}

static void wait_for_front(struct making *making, uint32_t action)
{
    for (size_t i = 0; i < making->n_front; i++) cw_program_wait(making->builder, action, making->front[i]);
}

/* What comes next waits for ACTION alone. */
static int begin_front(struct making *making, uint32_t action)
{
    making->n_front = 0;
    return push(&making->front, &making->n_front, &making->front_room, action);
}

static int compute(struct making *making, double seconds)
{
    const uint32_t action = cw_program_compute(making->builder, making->rank, seconds);
    wait_for_front(making, action);
    return begin_front(making, action);
}

/* ACTION ends what an operation does: of REQUEST, or of the call, whose ends are gathered in LAST. */
static int end_at(struct making *making, uint32_t action)
{
    return push(&making->ends, &making->n_ends, &making->ends_room, action);
}

static uint32_t add_message(struct making *making, bool send, uint32_t peer, uint32_t tag, uint64_t bytes)
{
    return (send ? cw_program_send : cw_program_receive)(making->builder, making->rank, peer, tag, bytes);
}

/* The part of this rank in a collective that is a schedule. */
static int add_schedule(struct making *making, const struct cw_recorded_op *op, uint32_t tag)
{
    const struct cw_recorded_members *members = members_of(making, op->comm);
    const struct cw_program *program = NULL;
    uint32_t me = 0, first = 0, action;
    while (members->world[me] != making->rank) me++;
    const uint32_t n = members->n, root = op->peer;
    int rc = unroll(making, op->collective, n, op->bytes, &program);
    if (rc) return rc;
    me = (me + n - root) % n;
    for (uint32_t i = program->first[me]; !rc && i < program->first[me + 1]; i++) {
        const struct cw_action *at = &program->actions[i];
        if (at->kind == CW_ACTION_COMPUTE)
            action = cw_program_compute(making->builder, making->rank, at->seconds);
        else
            action = add_message(making, at->kind == CW_ACTION_SEND,
                                 members->world[(uint32_t)(((uint64_t)at->peer + root) % n)], tag, at->bytes);
        if (i == program->first[me]) first = action;
        if (at->waits == 0) wait_for_front(making, action);
        if (program->first_next[i] == program->first_next[i + 1]) rc = end_at(making, action);
    }
    for (uint32_t i = program->first[me]; !rc && i < program->first[me + 1]; i++)
        for (size_t k = program->first_next[i]; k < program->first_next[i + 1]; k++)
            cw_program_wait(making->builder, first + (program->next[k] - program->first[me]),
                            first + (i - program->first[me]));
    return rc;
}

/* From each rank to the next one. */
static int add_scan(struct making *making, const struct cw_recorded_op *op, uint32_t tag)
{
    const struct cw_recorded_members *members = members_of(making, op->comm);
    uint32_t me = 0, before = NONE, action;
    int rc = 0;
    while (members->world[me] != making->rank) me++;
    if (me > 0) {
        before = add_message(making, false, members->world[me - 1], tag, op->bytes);
        wait_for_front(making, before);
    }
    if (me + 1 < members->n) {
        action = add_message(making, true, members->world[me + 1], tag, op->bytes);
        if (before == NONE)
            wait_for_front(making, action);
        else
            cw_program_wait(making->builder, action, before);
        rc = end_at(making, action);
    }
    return rc || before == NONE ? rc : end_at(making, before);
}

/* The first part of a collective for rank DST. */
static size_t find_part(const struct making *making, uint32_t comm, uint32_t number, uint32_t dst)
{
    const struct part wanted = {.comm = comm, .number = number, .dst = dst};
    size_t low = 0, high = making->n_parts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_parts(&making->parts[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_parts(struct making *making, size_t at, uint32_t tag)
{
    const struct cw_recorded_rank *rank = &making->recording->ranks[making->rank];
    const struct cw_recorded_op *op = &making->ops[making->rank][at];
    const struct cw_recorded_members *members = members_of(making, op->comm);
    const uint32_t number = making->numbers[making->rank][at];
    uint32_t action;
    int rc = 0;
    for (size_t i = at + 1; !rc && i < rank->n_ops && making->ops[making->rank][i].kind == CW_RECORDED_PART; i++) {
        const struct cw_recorded_op *part = &making->ops[making->rank][i];
        action = add_message(making, true, members->world[part->peer], tag, part->bytes);
        wait_for_front(making, action);
        rc = end_at(making, action);
    }
    for (size_t i = find_part(making, op->comm, number, making->rank); !rc && i < making->n_parts; i++) {
        const struct part *part = &making->parts[i];
        if (part->comm != op->comm || part->number != number || part->dst != making->rank) break;
        action = add_message(making, false, part->src, tag, part->bytes);
        wait_for_front(making, action);
        rc = end_at(making, action);
    }
    return rc;
}

/* Operation AT of the rank; its last actions are appended to ends. */
static int add_operation(struct making *making, size_t at)
{
    const struct cw_recorded_op *op = &making->ops[making->rank][at];
    const uint32_t collective_tag = making->n_tags + op->comm;
    uint32_t action;
    switch (op->kind) {
    case CW_RECORDED_SEND:
    case CW_RECORDED_RECEIVE:
        action =
            add_message(making, op->kind == CW_RECORDED_SEND, op->peer, making->numbers[making->rank][at], op->bytes);
        wait_for_front(making, action);
        return end_at(making, action);
    case CW_RECORDED_COLLECTIVE:
        return add_schedule(making, op, collective_tag);
    case CW_RECORDED_SCAN:
        return add_scan(making, op, collective_tag);
    case CW_RECORDED_PARTS:
        return add_parts(making, at, collective_tag);
    case CW_RECORDED_PART:
    case CW_RECORDED_DONE:
    case CW_RECORDED_DROPPED:
        return 0;
    }
    return 0;
}

/* What a call does: its operations begin together, and it waits for those that are no requests, and for requests that
 * it completes. */
static int add_call(struct making *making, size_t from, size_t until)
{
    size_t n_own = 0;
    int rc = making->n_front > 1 && from < until ? compute(making, 0) : 0;
    uint32_t *waits = NULL;
    size_t n_waits = 0, room = 0;
    for (size_t i = from; !rc && i < until; i++) {
        const struct cw_recorded_op *op = &making->ops[making->rank][i];
        const size_t first = making->n_ends;
        rc = add_operation(making, i);
        if (op->kind == CW_RECORDED_DONE) {
            for (size_t k = 0; !rc && k < making->n_request_ends[op->request]; k++)
                rc = push(&waits, &n_waits, &room, making->ends[making->first_end[op->request] + k]);
        } else if (op->kind == CW_RECORDED_PART || op->kind == CW_RECORDED_DROPPED) {
            continue;
        } else if (op->request != NONE) {
            making->first_end[op->request] = first;
            making->n_request_ends[op->request] = making->n_ends - first;
        } else {
            for (size_t k = first; !rc && k < making->n_ends; k++) rc = push(&waits, &n_waits, &room, making->ends[k]);
            making->n_ends = first;
            n_own++;
        }
    }
    if (n_own > 0 && n_waits > 0) making->n_front = 0; /* they began after the front */
    for (size_t i = 0; !rc && i < n_waits; i++)
        rc = push(&making->front, &making->n_front, &making->front_room, waits[i]);
    free(waits);
    return rc;
}

static int add_rank(struct making *making, uint32_t r)
{
    const struct cw_recorded_rank *rank = &making->recording->ranks[r];
    int rc = 0;
    making->rank = r;
    making->n_front = making->n_ends = 0;
    making->first_end = cw_new_array(rank->n_requests + 1, sizeof *making->first_end, what);
    making->n_request_ends = cw_new_array(rank->n_requests + 1, sizeof *making->n_request_ends, what);
    if (!making->first_end || !making->n_request_ends) rc = CW_ENOMEM;
    for (size_t i = 0; !rc && i < rank->n_lines; i++) {
        const size_t until = i + 1 < rank->n_lines ? rank->lines[i + 1].first_op : rank->n_ops;
        if (rank->lines[i].gap > 0) rc = compute(making, 1e-9 * (double)rank->lines[i].gap);
        if (!rc) rc = add_call(making, rank->lines[i].first_op, until);
    }
    free(making->first_end);
    free(making->n_request_ends);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int copy_operations(struct making *making)
{
    const uint32_t n = making->recording->n_ranks;
    making->ops = cw_new_array(n, sizeof(void *), what);
    making->numbers = cw_new_array(n, sizeof(void *), what);
    if (!making->ops || !making->numbers) return CW_ENOMEM;
    for (uint32_t r = 0; r < n; r++) {
        const struct cw_recorded_rank *rank = &making->recording->ranks[r];
        making->ops[r] = cw_new_array(rank->n_ops + 1, sizeof **making->ops, what);
        making->numbers[r] = cw_new_array(rank->n_ops + 1, sizeof **making->numbers, what);
        if (!making->ops[r] || !making->numbers[r]) return CW_ENOMEM;
        if (rank->n_ops > 0) memcpy(making->ops[r], rank->ops, rank->n_ops * sizeof **making->ops);
    }
    return 0;
}

static void free_making(struct making *making)
{
    for (uint32_t r = 0; r < making->recording->n_ranks; r++) {
        if (making->ops) free(making->ops[r]);
        if (making->numbers) free(making->numbers[r]);
    }
    for (size_t i = 0; i < making->n_rules; i++) cw_schedule_free(making->rules[i].schedule);
    for (size_t i = 0; i < making->n_unrolled; i++) cw_program_free(making->unrolled[i].program);
    free(making->ops);
    free(making->numbers);
    free(making->rules);
    free(making->unrolled);
    free(making->parts);
    free(making->front);
    free(making->ends);
}

int cw_recording_program(const struct cw_recording *recording, const char *rule, struct cw_program **out,
                         uint64_t *left_out)
{
    struct making making = {.recording = recording};
    int rc = read_rules(&making, rule);
    if (!rc) rc = copy_operations(&making);
    if (!rc) rc = match_messages(&making);
    if (!rc) rc = match_collectives(&making);
    if (!rc) rc = cw_program_begin(recording->n_ranks, &making.builder);
    for (uint32_t r = 0; !rc && r < recording->n_ranks; r++) rc = add_rank(&making, r);
    free_making(&making);
    if (rc) {
        cw_program_abandon(making.builder);
        return rc;
    }
    rc = cw_program_finish(making.builder, out);
    if (!rc) *left_out = making.left_out;
    return rc;
}
