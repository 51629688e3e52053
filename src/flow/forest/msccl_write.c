#include <stdlib.h>
#include <string.h>

#include "base/common_divisor.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "flow/forest/msccl.h"
#include "net/network_internal.h"

#define MOST_CHUNKS 64   /* of a root's data, without instances */
#define SMALL_LOSS  0.01 /* that more chunks are not worth avoiding: the data must be a multiple of them all */
#define NOTHING     UINT32_MAX

/* --- shares of trees become whole chunks -------------------------------------------------------------------------- */

/* Of the data of the root that tree FIRST … END - 1 are of, cut into CHUNKS: the larger remainders get one more. */
static void share_out(const struct cw_forest *forest, size_t first, size_t end, uint32_t chunks, uint32_t *out)
{
    const double whole = (double)forest->root_weight;
    uint32_t given = 0;
    for (size_t t = first; t < end; t++) {
        out[t] = (uint32_t)((double)forest->trees[t].weight * chunks / whole);
        given += out[t];
    }
    for (; given < chunks; given++) {
        size_t best = first;
        double most = -1;
        for (size_t t = first; t < end; t++) {
            const double rest = (double)forest->trees[t].weight * chunks / whole - out[t];
            if (rest > most + 1e-9) {
                most = rest;
                best = t;
            }
        }
        out[best]++;
    }
}

static size_t end_of_root(const struct cw_forest *forest, size_t first)
{
    size_t end = first;
    while (end < forest->n_trees && forest->trees[end].root == forest->trees[first].root) end++;
    return end;
}

/* How much longer the busiest channel takes than at the forest's rate. LOAD [n_channels] is for its use. */
static double measure_loss(const struct cw_forest_setup *setup, const struct cw_forest *forest, uint32_t chunks,
                           const uint32_t *shares, double *load)
{
    double longest = 0;
    memset(load, 0, setup->net->n_channels * sizeof *load);
    for (size_t t = 0; t < forest->n_trees; t++) {
        if (shares[t] == 0) continue;
        const struct cw_forest_edge *edges = forest->edges + forest->trees[t].first;
        for (uint32_t e = 0; e + 1 < forest->n_members; e++)
            for (size_t k = forest->path_first[edges[e].path]; k < forest->path_first[edges[e].path + 1]; k++)
                load[forest->channels[k]] += shares[t];
    }
    for (uint32_t c = 0; c < setup->net->n_channels; c++)
        if (load[c] > 0 && load[c] / setup->net->capacity[c] > longest) longest = load[c] / setup->net->capacity[c];
    const double loss = longest / chunks * forest->rate - 1;
    return loss > 1e-9 ? loss : 0;
}

/* --- messages and steps ------------------------------------------------------------------------------------------- */

enum buffer { INPUT, OUTPUT, SCRATCH };
static const char buffer_letters[] = "ios";

/* Some chunks of a root, along one tree. */
struct unit {
    uint32_t forest, instance, turn, count;
    uint32_t first; /* of all roots' chunks */
    size_t tree;
};

/* A chunk, or several, from one rank to another: the edge of a unit. */
struct message {
    uint32_t level; /* it depends on messages of lower levels only */
    uint32_t unit;
    size_t edge; /* of the forest */
};

struct step {
    const char *type;
    enum buffer source, target;
    uint32_t from, to, count;
    uint32_t block, step; /* that it waits for; NOTHING */
    bool awaited;
};

struct block {
    uint32_t send, receive, channel; /* ranks, or NOTHING */
    struct step *steps;
    size_t n, capacity;
};

struct rank {
    struct block *blocks;
    size_t n, capacity;
    uint32_t scratch; /* chunks */
};

/* Where a step is, among those of its rank. */
struct place {
    uint32_t block, step;
};

struct writing {
    const struct cw_forest_setup *setups;
    const struct cw_forest *forests;
    size_t n_forests;
    const struct cw_collective_traits *traits;
    uint32_t n, n_roots, root; /* ranks, roots, and the number of the only one */
    uint32_t chunks;           /* of a root, all instances together */
    uint32_t spread;           /* channels of an instance */
    uint32_t *number;          /* [vertices] the rank of a member */
    uint32_t *shares[2];       /* of the trees of each forest */
    struct unit *units;
    size_t n_units, units_capacity;
    struct message *messages;
    size_t n_messages;
    struct rank *ranks;
    struct place *ready; /* [n_units · n] the step that a rank's data of a unit come from */
    uint32_t *room;      /* [n_units · n] where they are in scratch */
};

static int find_block(struct writing *writing, uint32_t r, uint32_t send, uint32_t receive, uint32_t channel,
                      uint32_t *out)
{
    struct rank *rank = &writing->ranks[r];
    for (*out = 0; *out < rank->n; ++*out) {
        const struct block *block = &rank->blocks[*out];
        if (block->send == send && block->receive == receive && block->channel == channel) return 0;
    }
    const int rc = cw_grow_array((void **)&rank->blocks, &rank->capacity, rank->n + 1, sizeof *rank->blocks, "blocks");
    if (rc == 0) rank->blocks[rank->n++] = (struct block){send, receive, channel, NULL, 0, 0};
    return rc;
}

static int add_step(struct writing *writing, uint32_t r, uint32_t b, struct step step)
{
    struct block *block = &writing->ranks[r].blocks[b];
    const int rc = cw_grow_array((void **)&block->steps, &block->capacity, block->n + 1, sizeof *block->steps, "steps");
    if (rc) return rc;
    if (step.block != NOTHING) writing->ranks[r].blocks[step.block].steps[step.step].awaited = true;
    block->steps[block->n++] = step;
    return 0;
}

/* What the root of an allreduce sends of a unit rests on every reduction of some of its chunks: all but one of these
 * are waited for by steps of their own, and the last is in *LAST. */
static int wait_for_reductions(struct writing *writing, const struct unit *unit, uint32_t r, uint32_t b,
                               struct place *last)
{
    for (size_t u = 0; u < writing->n_units; u++) {
        const struct unit *other = &writing->units[u];
        if (other->forest == unit->forest) break; /* those of the first forest come first */
        if (other->first >= unit->first + unit->count || unit->first >= other->first + other->count) continue;
        const struct place place = writing->ready[u * writing->n + r];
        if (last->block != NOTHING && last->block != place.block) {
            const struct step wait = {
                .type = "nop", .source = INPUT, .target = INPUT, .block = last->block, .step = last->step};
            const int rc = add_step(writing, r, b, wait);
            if (rc) return rc;
        }
        if (last->block != place.block || last->step < place.step) *last = place;
    }
    return 0;
}

/* Both steps of a message, its send and its receive. */
static int add_message(struct writing *writing, const struct message *message)
{
    const struct unit *unit = &writing->units[message->unit];
    const struct cw_forest *forest = &writing->forests[unit->forest];
    const struct cw_forest_edge *edge = &forest->edges[message->edge];
    const uint32_t tail = writing->number[edge->tail], head = writing->number[edge->head];
    const uint32_t root = writing->number[forest->trees[unit->tree].root];
    const uint32_t own = unit->first % writing->chunks; /* where they are in a buffer of the root's chunks alone */
    const bool reduces = writing->setups[unit->forest].to_roots;
    const bool all = writing->n_forests == 2; /* an allreduce: partial results are where the result will be */
    struct place *at_tail = &writing->ready[message->unit * writing->n + tail];
    struct place *at_head = &writing->ready[message->unit * writing->n + head];
    /* Trees take turns, so that blocks have few steps, and so do peers, so that channels have few blocks. */
    const uint32_t turns =
        unit->turn + unit->turn / writing->spread; /* else a star and its receivers' ranks cancel out */
    const uint32_t turn = (turns + (head + writing->n - tail) % writing->n) % writing->spread;
    const uint32_t channel = unit->instance * writing->spread + turn;
    uint32_t sender = 0, receiver = 0;
    int rc = find_block(writing, tail, head, NOTHING, channel, &sender);
    if (rc == 0) rc = find_block(writing, head, NOTHING, tail, channel, &receiver);
    struct place before = *at_tail;
    if (rc == 0 && all && !reduces && tail == root) rc = wait_for_reductions(writing, unit, tail, sender, &before);
    if (rc) return rc;
    struct step send = {.type = "s", .count = unit->count, .block = before.block, .step = before.step};
    struct step receive = {.type = reduces ? "rrc" : "r", .count = unit->count};
    receive.block = at_head->block; /* another child of the same parent; without reductions, NOTHING */
    receive.step = at_head->step;
    if (reduces && at_tail->block != NOTHING) {
        send.source = all ? OUTPUT : SCRATCH;
        send.from = all ? unit->first : writing->room[message->unit * writing->n + tail];
    } else if (tail == root && !all) {
        send.source = INPUT;
        send.from = own;
    } else {
        send.source = reduces ? INPUT : OUTPUT;
        send.from = unit->first;
    }
    if (reduces && !all && tail == root) return cw_fail(CW_EINTERNAL, "a root sends what it is to have");
    uint32_t *room = &writing->room[message->unit * writing->n + head];
    if (reduces && !all && head != root && at_head->block == NOTHING) {
        *room = writing->ranks[head].scratch;
        writing->ranks[head].scratch += unit->count;
    }
    receive.target = reduces && !all && head != root ? SCRATCH : OUTPUT;
    receive.to = receive.target == SCRATCH ? *room : reduces && !all ? own : unit->first;
    if (reduces && at_head->block == NOTHING) {
        receive.source = INPUT;
        receive.from = unit->first;
    } else {
        receive.source = receive.target;
        receive.from = receive.to;
    }
    send.target = receive.target; /* of no meaning here, but as MSCCL's own tools have it */
    send.to = receive.to;
    rc = add_step(writing, tail, sender, send);
    if (rc == 0) rc = add_step(writing, head, receiver, receive);
    *at_head = (struct place){receiver, (uint32_t)writing->ranks[head].blocks[receiver].n - 1};
    return rc;
}

/* Roots have their own data in their output, too. */
static int copy_own(struct writing *writing)
{
    int rc = 0;
    for (uint32_t i = 0; i < writing->n_roots && rc == 0; i++) {
        const uint32_t r = writing->n_roots == 1 ? writing->root : i;
        uint32_t block;
        rc = find_block(writing, r, NOTHING, NOTHING, 0, &block);
        for (uint32_t k = 0; k < writing->chunks && rc == 0; k += CW_MSCCL_COUNT) {
            const uint32_t left = writing->chunks - k, count = left < CW_MSCCL_COUNT ? left : CW_MSCCL_COUNT;
            rc = add_step(writing, r, block,
                          (struct step){.type = "cpy",
                                        .source = INPUT,
                                        .target = OUTPUT,
                                        .from = k,
                                        .to = i * writing->chunks + k,
                                        .count = count,
                                        .block = NOTHING});
        }
    }
    return rc;
}

/* --- units and their messages, in an order ------------------------------------------------------------------------ */

/* A tree's share of CHUNKS, once for each instance. */
static int add_units(struct writing *writing, uint32_t instances)
{
    const uint32_t chunks = writing->chunks / instances;
    for (uint32_t f = 0; f < writing->n_forests; f++) {
        const struct cw_forest *forest = &writing->forests[f];
        uint32_t at = 0, turn = 0;
        for (size_t t = 0; t < forest->n_trees; t++) {
            const uint32_t root = writing->n_roots == 1 ? 0 : writing->number[forest->trees[t].root];
            if (t > 0 && forest->trees[t].root != forest->trees[t - 1].root) at = 0;
            for (uint32_t i = 0; i < instances; i++)
                for (uint32_t k = 0; k < writing->shares[f][t]; k += CW_MSCCL_COUNT) {
                    const uint32_t left = writing->shares[f][t] - k;
                    const struct unit unit = {.forest = f,
                                              .instance = i,
                                              .turn = turn,
                                              .count = left < CW_MSCCL_COUNT ? left : CW_MSCCL_COUNT,
                                              .first = root * writing->chunks + i * chunks + at + k,
                                              .tree = t};
                    const int rc = cw_grow_array((void **)&writing->units, &writing->units_capacity,
                                                 writing->n_units + 1, sizeof unit, "units");
                    if (rc) return rc;
                    writing->units[writing->n_units++] = unit;
                }
            at += writing->shares[f][t];
            turn += writing->shares[f][t] > 0;
        }
    }
    return 0;
}

static int by_level(const void *a, const void *b)
{
    const struct message *one = a, *other = b;
    if (one->level != other->level) return one->level < other->level ? -1 : 1;
    if (one->unit != other->unit) return one->unit < other->unit ? -1 : 1;
    return (one->edge > other->edge) - (one->edge < other->edge);
}

/* Messages away from a root are as deep as they are; those towards it wait for all below them. */
static void set_levels(const struct writing *writing, const struct unit *unit, struct message *messages,
                       uint32_t *level)
{
    const struct cw_forest *forest = &writing->forests[unit->forest];
    const size_t first = forest->trees[unit->tree].first;
    for (uint32_t r = 0; r < writing->n; r++) level[r] = 0;
    for (uint32_t i = 0; i + 1 < writing->n; i++) {
        const bool reduces = writing->setups[unit->forest].to_roots;
        const uint32_t e = reduces ? writing->n - 2 - i : i;
        const struct cw_forest_edge *edge = &forest->edges[first + e];
        const uint32_t tail = writing->number[edge->tail], head = writing->number[edge->head];
        messages[e] = (struct message){.level = level[tail], .edge = first + e};
        if (level[head] < level[tail] + 1) level[head] = level[tail] + 1;
        if (!reduces) messages[e].level += (uint32_t)(writing->n_forests - 1) * writing->n; /* after all reductions */
    }
}

static int add_messages(struct writing *writing)
{
    const size_t each = writing->n - 1;
    uint32_t *level = cw_new_array(writing->n, sizeof *level, "ranks");
    writing->n_messages = writing->n_units * each;
    writing->messages = cw_new_array(writing->n_messages, sizeof *writing->messages, "messages");
    writing->ready = cw_new_array(writing->n_units * writing->n, sizeof *writing->ready, "data of units");
    writing->room = cw_new_array(writing->n_units * writing->n, sizeof *writing->room, "data of units");
    int rc = level && writing->messages && writing->ready && writing->room ? 0 : CW_ENOMEM;
    for (size_t u = 0; u < writing->n_units && rc == 0; u++) {
        struct message *messages = writing->messages + u * each;
        set_levels(writing, &writing->units[u], messages, level);
        for (size_t m = 0; m < each; m++) messages[m].unit = (uint32_t)u;
        for (uint32_t r = 0; r < writing->n; r++) writing->ready[u * writing->n + r] = (struct place){NOTHING, NOTHING};
    }
    free(level);
    if (rc) return rc;
    qsort(writing->messages, writing->n_messages, sizeof *writing->messages, by_level);
    for (size_t m = 0; m < writing->n_messages && rc == 0; m++) rc = add_message(writing, &writing->messages[m]);
    return rc;
}

/* --- limits, and the whole ---------------------------------------------------------------------------------------- */

static void clear(struct writing *writing)
{
    for (uint32_t r = 0; r < writing->n && writing->ranks; r++) {
        for (size_t b = 0; b < writing->ranks[r].n; b++) free(writing->ranks[r].blocks[b].steps);
        free(writing->ranks[r].blocks);
        writing->ranks[r] = (struct rank){0};
    }
    free(writing->units);
    free(writing->messages);
    free(writing->ready);
    free(writing->room);
    writing->units = NULL;
    writing->messages = NULL;
    writing->ready = NULL;
    writing->room = NULL;
    writing->n_units = writing->units_capacity = 0;
}

/* Whether all steps are few enough for their blocks, and blocks for their channels; else more channels may help. */
static int measure(const struct writing *writing, struct cw_msccl_size *size, bool *few)
{
    *few = true;
    size->blocks = size->channels = 0;
    for (uint32_t r = 0; r < writing->n; r++) {
        const struct rank *rank = &writing->ranks[r];
        uint32_t sends[CW_MSCCL_CHANNELS] = {0}, receives[CW_MSCCL_CHANNELS] = {0};
        if (rank->n > size->blocks) size->blocks = (uint32_t)rank->n;
        if (rank->scratch > CW_MSCCL_CHUNKS)
            return cw_fail(CW_ELIMIT, "rank %u needs scratch for %u chunks: MSCCL has room for %d", r, rank->scratch,
                           CW_MSCCL_CHUNKS);
        for (size_t b = 0; b < rank->n; b++) {
            const struct block *block = &rank->blocks[b];
            if (block->channel >= size->channels) size->channels = block->channel + 1;
            if (block->channel >= CW_MSCCL_CHANNELS)
                return cw_fail(CW_ELIMIT, "the trees need more than the %d channels of MSCCL", CW_MSCCL_CHANNELS);
            sends[block->channel] += block->send != NOTHING;
            receives[block->channel] += block->receive != NOTHING;
            *few = *few && block->n <= CW_MSCCL_STEPS && sends[block->channel] <= CW_MSCCL_PEERS &&
                   receives[block->channel] <= CW_MSCCL_PEERS;
        }
    }
    if (size->blocks > CW_MSCCL_BLOCKS)
        return cw_fail(CW_ELIMIT, "a rank needs %u thread blocks: MSCCL has room for %d", size->blocks,
                       CW_MSCCL_BLOCKS);
    return 0;
}

/* On as few channels as it takes. */
static int make_steps(struct writing *writing, uint32_t instances, struct cw_msccl_size *size)
{
    for (writing->spread = 1;; writing->spread *= 2) {
        bool few = false;
        clear(writing);
        int rc = add_units(writing, instances);
        if (rc == 0) rc = add_messages(writing);
        if (rc == 0 && !writing->traits->reduces) rc = copy_own(writing);
        if (rc == 0) rc = measure(writing, size, &few);
        if (rc == 0) rc = cw_interrupt_check();
        if (rc || few) return rc;
    }
}

static int try_chunks(struct writing *writing, uint32_t chunks, double *load, double *loss)
{
    *loss = 0;
    for (size_t f = 0; f < writing->n_forests; f++) {
        const struct cw_forest *forest = &writing->forests[f];
        for (size_t t = 0; t < forest->n_trees; t = end_of_root(forest, t))
            share_out(forest, t, end_of_root(forest, t), chunks, writing->shares[f]);
        *loss +=
            measure_loss(&writing->setups[f], forest, chunks, writing->shares[f], load) / (double)writing->n_forests;
    }
    return cw_interrupt_check();
}

/* The fewest that lose little, or else those that lose least. */
static int choose_chunks(struct writing *writing, uint32_t instances, double *load, struct cw_msccl_size *size)
{
    const uint32_t room = CW_MSCCL_CHUNKS / writing->n_roots / instances,
                   most = room < MOST_CHUNKS ? room : MOST_CHUNKS;
    uint64_t exact = 1;
    if (most == 0)
        return cw_fail(CW_ELIMIT, "%u roots with %u instances: MSCCL has room for %d chunks of all data",
                       writing->n_roots, instances, CW_MSCCL_CHUNKS);
    for (size_t f = 0; f < writing->n_forests; f++) {
        const uint64_t weight = (uint64_t)writing->forests[f].root_weight;
        exact = exact > most || weight > most ? UINT64_MAX : exact / cw_common_divisor(exact, weight) * weight;
    }
    uint32_t best = exact <= most ? (uint32_t)exact : 0;
    double loss, least = 0;
    int rc = 0;
    for (uint32_t chunks = 1; chunks <= most && best == 0 && rc == 0; chunks++) {
        rc = try_chunks(writing, chunks, load, &loss);
        if (chunks > 1 && loss >= least) continue;
        least = loss;
        size->chunks = chunks;
        if (loss <= SMALL_LOSS) best = chunks;
    }
    if (best != 0) size->chunks = best;
    if (rc == 0) rc = try_chunks(writing, size->chunks, load, &size->loss);
    size->chunks *= instances;
    writing->chunks = size->chunks;
    return rc;
}

static void write_block(const struct block *block, size_t id, struct cw_text *text)
{
    cw_text_printf(text, "    <tb id=\"%zu\" send=\"%d\" recv=\"%d\" chan=\"%u\">\n", id,
                   block->send == NOTHING ? -1 : (int)block->send, block->receive == NOTHING ? -1 : (int)block->receive,
                   block->channel);
    for (size_t s = 0; s < block->n; s++) {
        const struct step *step = &block->steps[s];
        const bool waits = step->block != NOTHING;
        cw_text_printf(text,
                       "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" dstbuf=\"%c\" dstoff=\"%d\" "
                       "cnt=\"%u\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
                       s, step->type, buffer_letters[step->source], step->count ? (int)step->from : -1,
                       buffer_letters[step->target], step->count ? (int)step->to : -1, step->count,
                       waits ? (int)step->block : -1, waits ? (int)step->step : -1, step->awaited);
    }
    cw_text_add(text, "    </tb>\n");
}

/* As the runtimes call collectives. */
static const char *name_of(enum cw_collective_kind kind)
{
    return kind == CW_COLLECTIVE_BCAST            ? "broadcast"
           : kind == CW_COLLECTIVE_REDUCE_SCATTER ? "reducescatter"
                                                  : cw_collectives[kind].name;
}

static int write(const struct writing *writing, enum cw_collective_kind kind, uint32_t channels, struct cw_text *text)
{
    const struct cw_collective_traits *traits = writing->traits;
    const uint32_t all = writing->n_roots * writing->chunks;
    cw_text_printf(text,
                   "<algo name=\"crosswind-%s\" proto=\"Simple\" nchannels=\"%u\" nchunksperloop=\"%u\" ngpus=\"%u\" "
                   "coll=\"%s\" inplace=\"1\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"%lld\">\n",
                   traits->name, channels, all, writing->n, name_of(kind), 1LL << 40);
    for (uint32_t r = 0; r < writing->n; r++) {
        const struct rank *rank = &writing->ranks[r];
        const uint32_t gives = traits->root_gives && r != writing->root ? 0
                               : traits->takes_blocks                   ? writing->chunks
                                                                        : all;
        const uint32_t takes = traits->root_takes && r != writing->root ? 0
                               : traits->gives_blocks                   ? writing->chunks
                                                                        : all;
        cw_text_printf(text, "  <gpu id=\"%u\" i_chunks=\"%u\" o_chunks=\"%u\" s_chunks=\"%u\">\n", r, gives, takes,
                       rank->scratch);
        for (size_t b = 0; b < rank->n; b++) write_block(&rank->blocks[b], b, text);
        cw_text_add(text, "  </gpu>\n");
    }
    cw_text_add(text, "</algo>\n");
    return cw_text_check(text);
}

int cw_msccl_write(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n,
                   enum cw_collective_kind kind, uint32_t instances, struct cw_text *text, struct cw_msccl_size *size)
{
    const struct cw_network *net = setups->net;
    struct writing writing = {.setups = setups,
                              .forests = forests,
                              .n_forests = n,
                              .traits = &cw_collectives[kind],
                              .n = setups->n_members,
                              .n_roots = forests->n_roots,
                              .number = cw_new_array(net->n_vertices, sizeof *writing.number, "ranks"),
                              .ranks = cw_new_array(setups->n_members, sizeof *writing.ranks, "ranks")};
    double *load = cw_new_array(net->n_channels, sizeof *load, "loads of channels");
    int rc = writing.number && writing.ranks && load ? 0 : CW_ENOMEM;
    for (size_t f = 0; f < n && rc == 0; f++) {
        writing.shares[f] = cw_new_array(forests[f].n_trees, sizeof *writing.shares[f], "shares of trees");
        if (!writing.shares[f]) rc = CW_ENOMEM;
    }
    if (rc == 0) {
        for (uint32_t i = 0; i < setups->n_members; i++) writing.number[setups->members[i]] = i;
        if (setups->root != CW_NONE) writing.root = writing.number[setups->root];
        rc = choose_chunks(&writing, instances, load, size);
    }
    if (rc == 0) rc = make_steps(&writing, instances, size);
    if (rc == 0) rc = write(&writing, kind, size->channels, text);
    clear(&writing);
    for (size_t f = 0; f < n; f++) free(writing.shares[f]);
    free(writing.number);
    free(writing.ranks);
    free(load);
    return rc;
}
