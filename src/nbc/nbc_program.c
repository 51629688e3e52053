#include "nbc/nbc_program.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* A step of this host, while they are collected. */
struct entry {
    uint32_t number, peer, stream; /* the stream by its first entry */
    bool comes;
    struct cw_nbc_step step;
};

/* What has become of a block so far. */
struct history {
    uint32_t events, changed; /* events; when the last change was one of them */
    uint32_t alone;           /* from this event on there were only reductions */
};

struct making {
    const struct cw_schedule *schedule;
    uint32_t n, me, n_blocks;
    void *entries; /* struct entry */
    size_t n_entries, capacity;
    struct history *histories;   /* [n_blocks] */
    uint32_t *needed, *complete; /* [n_blocks] entries that were the first, and the last to change it; or 0 */
};

/* --- what becomes of blocks ----------------------------------------------------------------------------------------
 */

static int add(struct making *making, const struct cw_message *message, uint32_t block, bool comes)
{
    const int rc =
        cw_grow_array(&making->entries, &making->capacity, making->n_entries + 1, sizeof(struct entry), "messages");
    if (rc) return rc;
    struct entry *entries = making->entries;
    struct history *history = &making->histories[block];
    const uint32_t number = (uint32_t)making->n_entries++, peer = comes ? message->src : message->dst;
    const bool reduces = comes && message->reduce;
    uint32_t i = number, stream = number, after = comes ? history->events : history->changed;
    while (i > 0 && (entries[i - 1].peer != peer || entries[i - 1].comes != comes)) i--;
    if (i > 0) stream = entries[i - 1].stream;
    if (reduces && making->n_blocks == 1) { /* others that nothing has come between are combined after this one */
        after = history->alone;
        for (i = 0; i < number; i++)
            if (entries[i].comes && entries[i].step.after >= after) entries[i].step.after++;
    }
    entries[number] = (struct entry){number, peer, stream, comes, {block, after, reduces}};
    history->events++;
    if (!reduces) history->alone = history->events;
    if (comes) history->changed = history->events;
    if (comes) making->complete[block] = number + 1;
    if (!making->needed[block]) making->needed[block] = number + 1;
    return 0;
}

/* Of a round what goes is first: it is of the data as they stood before it. */
static int add_round(struct making *making, const struct cw_messages *round)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < 2 * round->n; i++) {
        const bool comes = i >= round->n;
        const struct cw_message *message = &round->items[i % round->n];
        if ((comes ? message->dst : message->src) != making->me) continue;
        for (uint32_t k = 0; !rc && k < message->n_blocks; k++)
            rc = add(making, message, (uint32_t)(((uint64_t)message->block + k) % making->n_blocks), comes);
    }
    return rc;
}

static int add_all(struct making *making, uint32_t n_rounds)
{
    struct cw_messages round = {0};
    int rc = 0;
    for (uint32_t r = 0; !rc && r < n_rounds; r++) {
        round.n = 0;
        rc = cw_schedule_round(making->schedule, making->n, r, &round);
        if (!rc) rc = add_round(making, &round);
    }
    cw_messages_free(&round);
    return rc;
}

/* --- the program ---------------------------------------------------------------------------------------------------
 */

/* What comes first; streams by their first steps. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->comes != y->comes) return x->comes ? -1 : 1;
    if (x->stream != y->stream) return x->stream > y->stream ? 1 : -1;
    return x->number > y->number ? 1 : -1;
}

static int compare_keys(const void *a, const void *b, void *keys)
{
    const uint32_t *key_of = keys, x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return key_of[x] != key_of[y] ? (key_of[x] > key_of[y]) - (key_of[x] < key_of[y]) : (x > y) - (x < y);
}

static int cut_streams(const struct making *making, struct cw_nbc_program *program)
{
    const struct entry *entries = making->entries;
    program->streams = cw_new_array(making->n_entries, sizeof *program->streams, "messages between hosts");
    program->steps = cw_new_array(making->n_entries, sizeof *program->steps, "messages between hosts");
    if (!program->streams || !program->steps) return CW_ENOMEM;
    for (size_t i = 0; i < making->n_entries; i++) {
        program->steps[i] = entries[i].step;
        if (i == 0 || entries[i].stream != entries[i - 1].stream)
            program->streams[program->n_streams++] =
                (struct cw_nbc_stream){entries[i].peer, entries[i].comes, 0, &program->steps[i]};
        program->streams[program->n_streams - 1].n++;
    }
    return 0;
}

static int order_blocks(const struct making *making, struct cw_nbc_program *program)
{
    const uint32_t n = making->n_blocks;
    program->taken = cw_new_array(n, sizeof *program->taken, "blocks of a message");
    program->given = cw_new_array(n, sizeof *program->given, "blocks of a message");
    program->complete = cw_new_array(n, sizeof *program->complete, "blocks of a message");
    if (!program->taken || !program->given || !program->complete) return CW_ENOMEM;
    for (uint32_t b = 0; b < n; b++) {
        program->taken[b] = program->given[b] = b;
        program->complete[b] = making->histories[b].changed;
    }
    qsort_r(program->taken, n, sizeof *program->taken, compare_keys, making->needed);
    qsort_r(program->given, n, sizeof *program->given, compare_keys, making->complete);
    return 0;
}

static int make(struct making *making, uint32_t n_rounds, struct cw_nbc_program *program)
{
    const uint32_t own = program->gives;
    making->histories = cw_new_array(making->n_blocks, sizeof *making->histories, "blocks of a message");
    making->needed = cw_new_array(making->n_blocks, sizeof *making->needed, "blocks of a message");
    making->complete = cw_new_array(making->n_blocks, sizeof *making->complete, "blocks of a message");
    if (!making->histories || !making->needed || !making->complete) return CW_ENOMEM;
    for (uint32_t b = 0; b < making->n_blocks; b++) making->histories[b] = (struct history){own, own, own};
    int rc = add_all(making, n_rounds);
    if (rc) return rc;
    if (making->n_entries > 0) qsort(making->entries, making->n_entries, sizeof(struct entry), compare_entries);
    rc = cut_streams(making, program);
    return rc ? rc : order_blocks(making, program);
}

int cw_nbc_program_new(const struct cw_schedule *schedule, uint32_t n, uint32_t place, struct cw_nbc_program **out)
{
    const struct cw_collective_traits *traits = &cw_collectives[cw_schedule_result(schedule)];
    struct making making = {.schedule = schedule, .n = n, .me = place};
    uint32_t n_rounds;
    int rc = cw_schedule_plan(schedule, n, &n_rounds, &making.n_blocks);
    struct cw_nbc_program *program = rc ? NULL : cw_new_array(1, sizeof *program, "an exchange between hosts");
    if (!program) return rc ? rc : CW_ENOMEM;
    program->n_blocks = making.n_blocks;
    program->gives = !traits->root_gives || place == 0;
    rc = make(&making, n_rounds, program);
    free(making.entries);
    free(making.histories);
    free(making.needed);
    free(making.complete);
    if (rc)
        cw_nbc_program_free(program);
    else
        *out = program;
    return rc;
}

void cw_nbc_program_free(struct cw_nbc_program *program)
{
    if (!program) return;
    free(program->streams);
    free(program->steps);
    free(program->taken);
    free(program->given);
    free(program->complete);
    free(program);
}
