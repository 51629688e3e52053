#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/random.h"
#include "flow/forest/msccl.h"
#include "net/files/xml.h"

#define RUNS       6    /* in orders of their own, every other one in place */
#define MOST_RANKS 1024 /* so that no file makes us take too much memory */
#define NOTHING    UINT32_MAX

enum step_type { SEND, RECEIVE, RECEIVE_REDUCE, COPY, WAIT };
static const char *const type_names[] = {"s", "r", "rrc", "cpy", "nop", NULL};

enum buffer { INPUT, OUTPUT, SCRATCH };
static const char *const buffer_names[] = {"i", "o", "s", NULL};

struct step {
    unsigned long line;
    enum step_type type;
    enum buffer source, target;
    int from, to, count;
    int block, step; /* that it waits for; -1 */
    bool awaited;
};

struct block {
    unsigned long line;
    uint32_t rank;
    int id, send, receive, channel;
    size_t first, n;  /* steps */
    uint32_t partner; /* the block that takes what this one sends; NOTHING */
    size_t at;        /* steps done */
};

struct gpu {
    int chunks[3];   /* of its buffers */
    size_t first, n; /* blocks */
    size_t slots[3]; /* where its buffers begin */
};

struct checking {
    const char *file;
    enum cw_collective_kind kind;
    uint32_t root;
    bool in_place, out_of_place; /* it may be used so */
    int n, chunks;               /* ranks, and chunks of all data */
    int n_channels;
    int depth; /* elements that are open */
    struct gpu *gpus;
    int n_gpus;
    struct block *blocks;
    size_t n_blocks, blocks_capacity;
    struct step *steps;
    size_t n_steps, steps_capacity;
    uint32_t *numbered; /* [n_blocks] block ID of a rank is numbered[first + ID] */
    /* What is in each slot: chunk CHUNK of all data, or NOTHING; WHO has contributed, a bit for each rank. */
    size_t n_slots, words;
    uint32_t *chunk;
    uint64_t *who;
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int fail_attribute(const struct checking *checking, unsigned long line, const char *element, const char *name,
                          const char *value, const char *expected)
{
    if (!value) return cw_fail_at(checking->file, line, "%s has no %s: expected %s", element, name, expected);
    return cw_fail_at(checking->file, line, "%s of %s is '%s': expected %s", name, element, value, expected);
}

static int read_number(const struct checking *checking, unsigned long line, const char *element,
                       const char *const *attributes, const char *name, int min, int max, int *out)
{
    const char *value = cw_xml_attribute(attributes, name);
    char *end = NULL, expected[64];
    const long number = value ? strtol(value, &end, 10) : 0;
    if (value && end != value && *end == 0 && number >= min && number <= max) {
        *out = (int)number;
        return 0;
    }
    snprintf(expected, sizeof expected, "a whole number from %d to %d", min, max);
    return fail_attribute(checking, line, element, name, value, expected);
}

/* *OUT: the number of the value among NAMES. */
static int read_choice(const struct checking *checking, unsigned long line, const char *element,
                       const char *const *attributes, const char *name, const char *const *names, int *out)
{
    const char *value = cw_xml_attribute(attributes, name);
    struct cw_text expected = {0};
    for (*out = 0; value && names[*out]; ++*out)
        if (strcmp(value, names[*out]) == 0) return 0;
    for (int i = 0; names[i]; i++) cw_text_printf(&expected, "%s%s", i == 0 ? "one of " : ", ", names[i]);
    int rc = cw_text_check(&expected);
    if (rc == 0) rc = fail_attribute(checking, line, element, name, value, expected.data);
    cw_text_free(&expected);
    return rc;
}

static const char *const *names_of(enum cw_collective_kind kind)
{
    static const char *const allgather[] = {"allgather", NULL}, *const allreduce[] = {"allreduce", NULL};
    static const char *const bcast[] = {"broadcast", NULL}, *const reduce[] = {"reduce", NULL};
    static const char *const scatter[] = {"reducescatter", "reduce_scatter", NULL};
    return kind == CW_COLLECTIVE_ALLGATHER   ? allgather
           : kind == CW_COLLECTIVE_ALLREDUCE ? allreduce
           : kind == CW_COLLECTIVE_BCAST     ? bcast
           : kind == CW_COLLECTIVE_REDUCE    ? reduce
                                             : scatter;
}

static int begin_algo(struct checking *checking, unsigned long line, const char *const *attributes)
{
    int ignored, in_place = 0, out_of_place = 0;
    int rc = read_choice(checking, line, "algo", attributes, "coll", names_of(checking->kind), &ignored);
    if (rc == 0) rc = read_number(checking, line, "algo", attributes, "ngpus", 2, MOST_RANKS, &checking->n);
    if (rc == 0)
        rc = read_number(checking, line, "algo", attributes, "nchunksperloop", 1, CW_MSCCL_CHUNKS, &checking->chunks);
    if (rc == 0)
        rc = read_number(checking, line, "algo", attributes, "nchannels", 1, CW_MSCCL_CHANNELS, &checking->n_channels);
    if (rc == 0) rc = read_number(checking, line, "algo", attributes, "inplace", 0, 1, &in_place);
    if (rc == 0) rc = read_number(checking, line, "algo", attributes, "outofplace", 0, 1, &out_of_place);
    if (rc) return rc;
    checking->in_place = in_place;
    checking->out_of_place = out_of_place;
    checking->gpus = cw_new_array((size_t)checking->n, sizeof *checking->gpus, "ranks");
    return checking->gpus ? 0 : CW_ENOMEM;
}

/* Ranks come in their order. */
static int begin_gpu(struct checking *checking, unsigned long line, const char *const *attributes)
{
    const struct cw_collective_traits *traits = &cw_collectives[checking->kind];
    const int r = checking->n_gpus, all = checking->chunks;
    const bool is_root = (uint32_t)r == checking->root, has_blocks = traits->gives_blocks || traits->takes_blocks;
    if (r == checking->n)
        return cw_fail_at(checking->file, line, "one gpu too many: expected %d, as ngpus has it", checking->n);
    if (has_blocks && all % checking->n != 0)
        return cw_fail_at(checking->file, line, "nchunksperloop is %d: expected a multiple of ngpus, %d", all,
                          checking->n);
    const int gives = traits->root_gives && !is_root ? 0 : traits->takes_blocks ? all / checking->n : all;
    const int takes = traits->root_takes && !is_root ? 0 : traits->gives_blocks ? all / checking->n : all;
    struct gpu *gpu = &checking->gpus[checking->n_gpus++];
    int id;
    int rc = read_number(checking, line, "gpu", attributes, "id", r, r, &id);
    if (rc == 0) rc = read_number(checking, line, "gpu", attributes, "i_chunks", gives, gives, &gpu->chunks[INPUT]);
    if (rc == 0) rc = read_number(checking, line, "gpu", attributes, "o_chunks", takes, takes, &gpu->chunks[OUTPUT]);
    if (rc == 0)
        rc = read_number(checking, line, "gpu", attributes, "s_chunks", 0, CW_MSCCL_CHUNKS, &gpu->chunks[SCRATCH]);
    gpu->first = checking->n_blocks;
    return rc;
}

static int begin_block(struct checking *checking, unsigned long line, const char *const *attributes)
{
    struct gpu *gpu = &checking->gpus[checking->n_gpus - 1];
    struct block block = {.line = line, .rank = (uint32_t)checking->n_gpus - 1, .first = checking->n_steps};
    int rc = read_number(checking, line, "tb", attributes, "id", 0, CW_MSCCL_BLOCKS - 1, &block.id);
    if (rc == 0) rc = read_number(checking, line, "tb", attributes, "send", -1, checking->n - 1, &block.send);
    if (rc == 0) rc = read_number(checking, line, "tb", attributes, "recv", -1, checking->n - 1, &block.receive);
    if (rc == 0)
        rc = read_number(checking, line, "tb", attributes, "chan", 0, checking->n_channels - 1, &block.channel);
    if (rc) return rc;
    if (block.send == (int)block.rank || block.receive == (int)block.rank)
        return cw_fail_at(checking->file, line, "tb %d has its own rank as a peer: expected another one", block.id);
    rc = cw_grow_array((void **)&checking->blocks, &checking->blocks_capacity, checking->n_blocks + 1, sizeof block,
                       "thread blocks");
    if (rc) return rc;
    checking->blocks[checking->n_blocks++] = block;
    gpu->n++;
    return 0;
}

/* COUNT chunks from OFFSET on are within a buffer of the rank. */
static int check_range(const struct checking *checking, unsigned long line, enum buffer buffer, int offset, int count)
{
    const int whole = checking->gpus[checking->n_gpus - 1].chunks[buffer];
    if (offset >= 0 && count > 0 && offset <= whole - count) return 0;
    return cw_fail_at(checking->file, line, "%d chunks from %s[%d] on: expected some of %d", count,
                      buffer_names[buffer], offset, whole);
}

static int begin_step(struct checking *checking, unsigned long line, const char *const *attributes)
{
    struct block *block = &checking->blocks[checking->n_blocks - 1];
    struct step step = {.line = line};
    int type = 0, source = 0, target = 0, awaited = 0, number;
    int rc = block->n < CW_MSCCL_STEPS
                 ? read_number(checking, line, "step", attributes, "s", (int)block->n, (int)block->n, &number)
                 : cw_fail_at(checking->file, line, "one step too many: expected %d at most", CW_MSCCL_STEPS);
    if (rc == 0) rc = read_choice(checking, line, "step", attributes, "type", type_names, &type);
    if (rc == 0) rc = read_choice(checking, line, "step", attributes, "srcbuf", buffer_names, &source);
    if (rc == 0) rc = read_choice(checking, line, "step", attributes, "dstbuf", buffer_names, &target);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "srcoff", -1, CW_MSCCL_CHUNKS, &step.from);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "dstoff", -1, CW_MSCCL_CHUNKS, &step.to);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "cnt", 0, CW_MSCCL_COUNT, &step.count);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "depid", -1, CW_MSCCL_BLOCKS - 1, &step.block);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "deps", -1, CW_MSCCL_STEPS - 1, &step.step);
    if (rc == 0) rc = read_number(checking, line, "step", attributes, "hasdep", 0, 1, &awaited);
    if (rc) return rc;
    step.type = (enum step_type)type;
    step.source = (enum buffer)source;
    step.target = (enum buffer)target;
    step.awaited = awaited;
    if (step.type == SEND && block->send < 0)
        return cw_fail_at(checking->file, line, "a send in a block that has nobody to send to");
    if ((step.type == RECEIVE || step.type == RECEIVE_REDUCE) && block->receive < 0)
        return cw_fail_at(checking->file, line, "a receive in a block that has nobody to receive from");
    if (step.type == SEND || step.type == RECEIVE_REDUCE || step.type == COPY)
        rc = check_range(checking, line, step.source, step.from, step.count);
    if (rc == 0 && (step.type == RECEIVE || step.type == RECEIVE_REDUCE || step.type == COPY))
        rc = check_range(checking, line, step.target, step.to, step.count);
    if (rc == 0)
        rc = cw_grow_array((void **)&checking->steps, &checking->steps_capacity, checking->n_steps + 1, sizeof step,
                           "steps");
    if (rc) return rc;
    checking->steps[checking->n_steps++] = step;
    block->n++;
    return 0;
}

static int on_begin(void *context, unsigned long line, const char *element, const char *text,
                    const char *const *attributes)
{
    static const char *const elements[] = {"algo", "gpu", "tb", "step"};
    static int (*const begin[])(struct checking *, unsigned long, const char *const *) = {begin_algo, begin_gpu,
                                                                                          begin_block, begin_step};
    struct checking *checking = context;
    (void)text;
    if (checking->depth == 4 || strcmp(element, elements[checking->depth]) != 0)
        return cw_fail_at(checking->file, line, "<%s>: expected %s%s", element,
                          checking->depth == 4 ? "nothing in a step" : "",
                          checking->depth < 4 ? elements[checking->depth] : "");
    return begin[checking->depth++](checking, line, attributes);
}

static int on_end(void *context, unsigned long line, const char *element, const char *text)
{
    struct checking *checking = context;
    (void)line;
    (void)element;
    (void)text;
    checking->depth--;
    return 0;
}

/* --- who belongs to whom ------------------------------------------------------------------------------------------ */

static const struct step *steps_of(const struct checking *checking, const struct block *block)
{
    return checking->steps + block->first;
}

/* Blocks of a rank are numbered from 0, and no two of them send to, or receive from, one peer on one channel. */
static int number_blocks(struct checking *checking, const struct gpu *gpu)
{
    uint32_t sends[CW_MSCCL_CHANNELS] = {0}, receives[CW_MSCCL_CHANNELS] = {0};
    for (size_t b = 0; b < gpu->n; b++) checking->numbered[gpu->first + b] = NOTHING;
    for (size_t b = gpu->first; b < gpu->first + gpu->n; b++) {
        const struct block *block = &checking->blocks[b];
        if ((size_t)block->id >= gpu->n || checking->numbered[gpu->first + (size_t)block->id] != NOTHING)
            return cw_fail_at(checking->file, block->line, "tb %d: expected each number from 0 to %zu once", block->id,
                              gpu->n - 1);
        checking->numbered[gpu->first + (size_t)block->id] = (uint32_t)b;
        if ((block->send >= 0 && ++sends[block->channel] > CW_MSCCL_PEERS) ||
            (block->receive >= 0 && ++receives[block->channel] > CW_MSCCL_PEERS))
            return cw_fail_at(checking->file, block->line, "one peer too many on a channel: expected %d at most",
                              CW_MSCCL_PEERS);
        for (size_t k = gpu->first; k < b; k++) {
            const struct block *other = &checking->blocks[k];
            if (other->channel == block->channel && ((block->send >= 0 && other->send == block->send) ||
                                                     (block->receive >= 0 && other->receive == block->receive)))
                return cw_fail_at(checking->file, block->line,
                                  "two blocks of a rank have a peer and a channel in common: expected one");
        }
    }
    return 0;
}

static int find_partner(struct checking *checking, struct block *block)
{
    block->partner = NOTHING;
    if (block->send < 0) return 0;
    const struct gpu *gpu = &checking->gpus[block->send];
    for (size_t b = gpu->first; b < gpu->first + gpu->n; b++)
        if (checking->blocks[b].receive == (int)block->rank && checking->blocks[b].channel == block->channel)
            block->partner = (uint32_t)b;
    if (block->partner != NOTHING) return 0;
    return cw_fail_at(checking->file, block->line, "nobody receives what tb %d of rank %u sends", block->id,
                      block->rank);
}

/* What a step waits for is there, and says that it is waited for; and the runtime waits for several by waits that a
 * step follows which waits, too. */
static int check_waits(const struct checking *checking, const struct block *block)
{
    const struct gpu *gpu = &checking->gpus[block->rank];
    const struct step *steps = steps_of(checking, block);
    for (size_t s = 0; s < block->n; s++) {
        if (steps[s].type == WAIT && (s + 1 == block->n || steps[s].block < 0 || steps[s + 1].block < 0))
            return cw_fail_at(checking->file, steps[s].line,
                              "a nop: expected that it waits for a step, and the next step, too");
        if (steps[s].block < 0) continue;
        if ((size_t)steps[s].block >= gpu->n || steps[s].block == block->id)
            return cw_fail_at(checking->file, steps[s].line, "depid is %d: expected another of %zu blocks",
                              steps[s].block, gpu->n);
        const struct block *other = &checking->blocks[checking->numbered[gpu->first + (size_t)steps[s].block]];
        if (steps[s].step < 0 || (size_t)steps[s].step >= other->n)
            return cw_fail_at(checking->file, steps[s].line, "deps is %d: expected one of %zu steps", steps[s].step,
                              other->n);
        const struct step *awaited = &steps_of(checking, other)[steps[s].step];
        if (!awaited->awaited || awaited->type == WAIT)
            return cw_fail_at(checking->file, steps[s].line,
                              "it waits for step %d of tb %d, which says to nobody that it is done: expected hasdep 1",
                              steps[s].step, other->id);
    }
    return 0;
}

static int connect_blocks(struct checking *checking)
{
    int rc = 0;
    if (checking->n_gpus != checking->n)
        return cw_fail_at(checking->file, 1, "%d elements gpu: expected %d, as ngpus has it", checking->n_gpus,
                          checking->n);
    checking->numbered = cw_new_array(checking->n_blocks, sizeof *checking->numbered, "thread blocks");
    if (!checking->numbered) return CW_ENOMEM;
    for (int r = 0; r < checking->n && rc == 0; r++) rc = number_blocks(checking, &checking->gpus[r]);
    for (size_t b = 0; b < checking->n_blocks && rc == 0; b++) {
        rc = find_partner(checking, &checking->blocks[b]);
        if (rc == 0) rc = check_waits(checking, &checking->blocks[b]);
    }
    return rc;
}

/* --- carrying it out on symbols ----------------------------------------------------------------------------------- */

/* Slots for all buffers. In place, the smaller of input and output is the rank's part of the larger, or both are one.
 */
static void lay_out(struct checking *checking, bool in_place)
{
    checking->n_slots = 0;
    for (int r = 0; r < checking->n; r++) {
        struct gpu *gpu = &checking->gpus[r];
        const int in = gpu->chunks[INPUT], out = gpu->chunks[OUTPUT];
        const bool shared = in_place && in > 0 && out > 0;
        gpu->slots[INPUT] = gpu->slots[OUTPUT] = checking->n_slots;
        if (!shared) gpu->slots[OUTPUT] += (size_t)in;
        if (shared && in < out) gpu->slots[INPUT] += (size_t)r * (size_t)in;
        if (shared && out < in) gpu->slots[OUTPUT] += (size_t)r * (size_t)out;
        checking->n_slots += (size_t)(!shared ? in + out : in > out ? in : out);
        gpu->slots[SCRATCH] = checking->n_slots;
        checking->n_slots += (size_t)gpu->chunks[SCRATCH];
    }
}

/* The number among all data of what is at OFFSET of the input, or the output, of a rank. */
static uint32_t chunk_at(const struct checking *checking, uint32_t rank, enum buffer buffer, int offset)
{
    const bool part = checking->gpus[rank].chunks[buffer] < checking->chunks;
    return (uint32_t)(offset + (part ? (int)rank * (checking->chunks / checking->n) : 0));
}

static void fill(struct checking *checking)
{
    for (size_t i = 0; i < checking->n_slots; i++) checking->chunk[i] = NOTHING;
    memset(checking->who, 0, checking->n_slots * checking->words * sizeof *checking->who);
    for (uint32_t r = 0; r < (uint32_t)checking->n; r++)
        for (int i = 0; i < checking->gpus[r].chunks[INPUT]; i++) {
            const size_t slot = checking->gpus[r].slots[INPUT] + (size_t)i;
            checking->chunk[slot] = chunk_at(checking, r, INPUT, i);
            checking->who[slot * checking->words + r / 64] |= UINT64_C(1) << r % 64;
        }
    for (size_t b = 0; b < checking->n_blocks; b++) checking->blocks[b].at = 0;
}

/* What is in slot FROM, and, if REDUCED, in slot WITH, too, is put into slot TO. */
static int put(struct checking *checking, unsigned long line, size_t from, bool reduced, size_t with, size_t to)
{
    const size_t words = checking->words;
    const uint64_t *a = checking->who + from * words, *b = checking->who + with * words;
    const uint32_t chunk = checking->chunk[from];
    if (chunk == NOTHING || (reduced && checking->chunk[with] == NOTHING))
        return cw_fail_at(checking->file, line, "it takes a chunk that is not there: expected a wait");
    if (reduced && checking->chunk[with] != chunk)
        return cw_fail_at(checking->file, line, "it combines chunk %u with chunk %u: expected one and the same", chunk,
                          checking->chunk[with]);
    for (size_t w = 0; w < words; w++) {
        if (reduced && a[w] & b[w])
            return cw_fail_at(checking->file, line, "what a rank gives is combined twice: expected once");
        checking->who[to * words + w] = reduced ? a[w] | b[w] : a[w];
    }
    checking->chunk[to] = chunk;
    return 0;
}

/* The step that a block is at, or NULL: it is done, or must wait. */
static const struct step *next_step(const struct checking *checking, const struct block *block)
{
    const struct step *step = &steps_of(checking, block)[block->at];
    if (block->at == block->n) return NULL;
    if (step->block < 0) return step;
    const size_t first = checking->gpus[block->rank].first;
    return checking->blocks[checking->numbered[first + (size_t)step->block]].at > (size_t)step->step ? step : NULL;
}

/* Carries out what BLOCK is at, unless it waits, or receives: who sends does that. */
static int advance(struct checking *checking, struct block *block, bool *moved)
{
    const struct step *step = next_step(checking, block), *taken = step;
    struct block *taker = block;
    int rc = 0;
    *moved = false;
    if (!step || step->type == RECEIVE || step->type == RECEIVE_REDUCE) return 0;
    if (step->type == SEND) {
        taker = &checking->blocks[block->partner];
        taken = next_step(checking, taker);
        if (!taken || (taken->type != RECEIVE && taken->type != RECEIVE_REDUCE)) return 0;
        if (taken->count != step->count)
            return cw_fail_at(checking->file, step->line,
                              "%d chunks are sent, and %d received, in line %lu: expected as many", step->count,
                              taken->count, taken->line);
    }
    const struct gpu *from = &checking->gpus[block->rank], *to = &checking->gpus[taker->rank];
    for (int i = 0; i < step->count && rc == 0 && step->type != WAIT; i++)
        rc = put(checking, taken->line, from->slots[step->source] + (size_t)(step->from + i),
                 taken->type == RECEIVE_REDUCE, to->slots[taken->source] + (size_t)(taken->from + i),
                 to->slots[taken->target] + (size_t)(taken->to + i));
    block->at++;
    if (taker != block) taker->at++;
    *moved = true;
    return rc;
}

static int fail_stuck(const struct checking *checking)
{
    for (size_t b = 0; b < checking->n_blocks; b++) {
        const struct block *block = &checking->blocks[b];
        if (block->at < block->n)
            return cw_fail_at(checking->file, steps_of(checking, block)[block->at].line,
                              "step %zu of tb %d of rank %u waits for ever", block->at, block->id, block->rank);
    }
    return 0;
}

static int check_result(const struct checking *checking)
{
    const bool reduces = cw_collectives[checking->kind].reduces;
    for (uint32_t r = 0; r < (uint32_t)checking->n; r++)
        for (int i = 0; i < checking->gpus[r].chunks[OUTPUT]; i++) {
            const size_t slot = checking->gpus[r].slots[OUTPUT] + (size_t)i;
            const uint32_t chunk = chunk_at(checking, r, OUTPUT, i);
            const bool right = checking->chunk[slot] == chunk;
            int given = 0;
            for (size_t w = 0; w < checking->words; w++)
                given += __builtin_popcountll(checking->who[slot * checking->words + w]);
            if (right && given == (reduces ? checking->n : 1)) continue;
            return cw_fail_at(checking->file, 1,
                              "in the end rank %u has %s in o[%d], of %d ranks: expected chunk %u of %d", r,
                              checking->chunk[slot] == NOTHING ? "nothing"
                              : right                          ? "its chunk"
                                                               : "another chunk",
                              i, given, chunk, reduces ? checking->n : 1);
        }
    return 0;
}

/* Each block, from one drawn at random on, goes on as far as it can, or with COIN, as far as that says. */
static int go_round(struct checking *checking, struct cw_random *random, bool coin, bool *any)
{
    const size_t begin = cw_random_below(random, (uint32_t)checking->n_blocks);
    int rc = cw_interrupt_check();
    *any = false;
    for (size_t i = 0; i < checking->n_blocks && rc == 0; i++) {
        struct block *block = &checking->blocks[(begin + i) % checking->n_blocks];
        bool moved = true;
        while (rc == 0 && moved && !(coin && cw_random_below(random, 4) == 0)) {
            rc = advance(checking, block, &moved);
            *any = *any || moved;
        }
    }
    return rc;
}

static int run(struct checking *checking, uint64_t number)
{
    struct cw_random random = cw_random_of(0, 0, number);
    bool any = checking->n_blocks > 0;
    int rc = 0;
    fill(checking);
    while (any && rc == 0) {
        rc = go_round(checking, &random, true, &any);
        if (rc == 0 && !any) rc = go_round(checking, &random, false, &any);
    }
    if (rc == 0) rc = fail_stuck(checking);
    return rc ? rc : check_result(checking);
}

static int run_all(struct checking *checking)
{
    int rc = connect_blocks(checking);
    if (rc) return rc;
    lay_out(checking, false); /* takes most room */
    checking->words = (size_t)(checking->n + 63) / 64;
    checking->chunk = cw_new_array(checking->n_slots, sizeof *checking->chunk, "chunks");
    checking->who = cw_new_array(checking->n_slots, checking->words * sizeof *checking->who, "chunks");
    if (!checking->chunk || !checking->who) return CW_ENOMEM;
    for (uint64_t i = 0; i < RUNS && rc == 0; i++) {
        if (i % 2 ? !checking->in_place : !checking->out_of_place) continue;
        lay_out(checking, i % 2);
        rc = run(checking, i);
    }
    return rc;
}

int cw_msccl_check(const char *file, const char *data, size_t length, enum cw_collective_kind kind, uint32_t root)
{
    static const struct cw_xml_handlers handlers = {on_begin, on_end};
    struct checking checking = {.file = file, .kind = kind, .root = root};
    int rc = cw_xml_read(file, data, length, &handlers, &checking);
    if (rc == 0) rc = run_all(&checking);
    free(checking.gpus);
    free(checking.blocks);
    free(checking.steps);
    free(checking.numbered);
    free(checking.chunk);
    free(checking.who);
    return rc;
}
