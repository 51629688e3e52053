#include "nbc/nbc_tree.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nbc/nbc_reach.h"

#define NONE UINT32_MAX

/* One for each collective, size, radix and S that has been asked for: few, and they stay. Ranks are relative: 0 is the
 * root. */
struct tree {
    struct tree *next;
    enum cw_collective_kind collective;
    uint32_t n, radix, steps;
    struct cw_split_plan *plan;  /* NULL: it could not be made */
    struct cw_split_edge *edges; /* those of the plan; of a scatter or gather, also one from the root to itself */
    uint32_t n_edges;
    uint32_t *edge;  /* [n] of which the rank is the child; of an allreduce, the one away from the root */
    uint32_t *first; /* [n] the first that is combined there; NONE */
};

struct trees {
    pthread_mutex_t lock;
    struct tree *first;
};

struct trees *cw_nbc_trees_new(void)
{
    struct trees *trees = cw_new_array(1, sizeof *trees, "trees");
    if (trees) pthread_mutex_init(&trees->lock, NULL);
    return trees;
}

static void free_tree(struct tree *tree)
{
    cw_split_plan_free(tree->plan);
    free(tree->edges);
    free(tree->edge);
    free(tree->first);
    free(tree);
}

void cw_nbc_trees_free(struct trees *trees)
{
    if (!trees) return;
    for (struct tree *tree = trees->first, *next; tree; tree = next) {
        next = tree->next;
        free_tree(tree);
    }
    pthread_mutex_destroy(&trees->lock);
    free(trees);
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static uint32_t child_of(const struct cw_split_edge *edge)
{
    return edge->up ? edge->message.src : edge->message.dst;
}

/* Subtrees of contiguous ranks, block placement and children that execute: the edges of a level are spread over the
 * communication cores, and it is never slower than the model (Denis et al., section 3). */
static int plan(struct tree *tree, uint32_t communication)
{
    struct cw_schedule *schedule;
    char spec[64];
    snprintf(spec, sizeof spec, "%s:%u", cw_collectives[tree->collective].tree, tree->radix);
    int rc = cw_schedule_new(spec, &schedule);
    if (rc) return rc;
    const struct cw_split_setup setup = {.schedule = schedule,
                                         .n = tree->n,
                                         .communication = communication,
                                         .steps = tree->steps,
                                         .placement = CW_SPLIT_BLOCK,
                                         .executor = CW_SPLIT_CHILD};
    rc = cw_split_plan_new(&setup, &tree->plan);
    cw_schedule_free(schedule);
    return rc;
}

static int fill(struct tree *tree)
{
    tree->n_edges = (uint32_t)tree->plan->n_edges;
    tree->edges = cw_new_array(tree->n_edges + 1, sizeof *tree->edges, "edges of a tree");
    tree->edge = cw_new_array(tree->n, sizeof *tree->edge, "edges of a tree");
    tree->first = cw_new_array(tree->n, sizeof *tree->first, "edges of a tree");
    if (!tree->edges || !tree->edge || !tree->first) return CW_ENOMEM;
    if (tree->n_edges > 0) memcpy(tree->edges, tree->plan->edges, tree->n_edges * sizeof *tree->edges);
    if (cw_collective_has_blocks(tree->collective))
        tree->edges[tree->n_edges++] = (struct cw_split_edge){.message.n_blocks = 1, .core = 0};
    for (uint32_t rank = 0; rank < tree->n; rank++) tree->first[rank] = NONE;
    for (uint32_t i = 0; i < tree->n_edges; i++) {
        const struct cw_split_edge *edge = &tree->edges[i];
        tree->edge[child_of(edge)] = i;
        if (edge->message.reduce && tree->first[edge->message.dst] == NONE) tree->first[edge->message.dst] = i;
    }
    return 0;
}

static const struct tree *tree_of(const struct cw_nbc_node *node, const struct cw_nbc_work *work, uint32_t n)
{
    struct trees *trees = node->trees;
    const uint32_t radix = work->radix > 0 ? work->radix : 2;
    pthread_mutex_lock(&trees->lock);
    struct tree *tree = trees->first;
    while (tree &&
           (tree->collective != work->collective || tree->n != n || tree->radix != radix || tree->steps != work->steps))
        tree = tree->next;
    if (!tree && (tree = cw_new_array(1, sizeof *tree, "a tree"))) {
        *tree = (struct tree){
            .next = trees->first, .collective = work->collective, .n = n, .radix = radix, .steps = work->steps};
        if (plan(tree, node->segment->n_workers) == 0 && fill(tree) == 0) {
            trees->first = tree;
        } else {
            free_tree(tree);
            tree = NULL;
        }
    }
    pthread_mutex_unlock(&trees->lock);
    return tree;
}

static const struct tree *tree_for(const struct operation *o)
{
    return tree_of(o->node, &o->slot->work, o->n);
}

int cw_nbc_room(const struct cw_nbc_node *node, const struct cw_nbc_work *work, uint32_t n, uint32_t me,
                uint64_t *bytes)
{
    *bytes = 0;
    if (!is_tree(work)) return 0;
    const struct tree *tree = tree_of(node, work, n);
    const uint32_t rank = (me + n - work->root) % n;
    if (!tree) return CW_ENOMEM;
    if (cw_collectives[work->collective].root_takes && rank > 0 && tree->first[rank] != NONE) *bytes = work->bytes;
    if (cw_collective_has_blocks(work->collective))
        *bytes = (tree->edges[tree->edge[rank]].message.n_blocks - 1) * work->bytes;
    return 0;
}

/* --- strands --------------------------------------------------------------------------------------------------------
 */

/* The rank of the communicator that is RELATIVE to the root. */
static uint32_t rank_of(const struct operation *o, uint32_t relative)
{
    return (uint32_t)(((uint64_t)relative + o->slot->work.root) % o->n);
}

static struct post *post_of(const struct operation *o, uint32_t relative)
{
    return &o->posts[rank_of(o, relative)];
}

static uint32_t length(const struct operation *o, const struct tree *tree, uint32_t relative)
{
    if (!cw_collective_is_rooted(tree->collective)) return 2 * o->slot->n_chunks;
    return tree->edges[tree->edge[relative]].message.n_blocks * o->slot->n_chunks;
}

uint32_t cw_nbc_strand_chunks(const struct operation *o, uint32_t rank)
{
    return length(o, tree_for(o), (rank + o->n - o->slot->work.root) % o->n);
}

/* A chunk of a strand: of which block, and which of its chunks. */
struct place {
    uint32_t block, chunk;
};

static struct place place_at(const struct operation *o, const struct cw_split_edge *edge, uint32_t position)
{
    const uint32_t chunks = o->slot->n_chunks, block = position / chunks;
    if (!cw_collective_is_rooted(o->slot->work.collective)) return (struct place){0, position % chunks};
    return (struct place){edge->message.block + block, position % chunks};
}

/* Whether that chunk has gone along EDGE. */
static bool has_passed(const struct operation *o, const struct cw_split_edge *edge, struct place place)
{
    uint32_t block = place.block - edge->message.block;
    if (block >= edge->message.n_blocks) return true; /* it does not go that way */
    if (!cw_collective_is_rooted(o->slot->work.collective)) block = !edge->up;
    return post_of(o, child_of(edge))->strand.finished > block * o->slot->n_chunks + place.chunk;
}

/* The strand of EDGE is free, its next chunk is of EDGE, and the data are there. */
static bool may_begin(const struct operation *o, const struct tree *tree, const struct cw_split_edge *edge)
{
    const uint32_t child = child_of(edge);
    const struct strand *strand = &post_of(o, child)->strand;
    if (strand->busy || strand->front >= length(o, tree, child)) return false;
    if (!cw_collective_is_rooted(tree->collective) && edge->up != (strand->front < o->slot->n_chunks)) return false;
    if (!post_of(o, edge->message.src)->posted || !post_of(o, edge->message.dst)->posted) return false;
    const struct place place = place_at(o, edge, strand->front);
    for (size_t i = 0; i < edge->n_depends; i++)
        if (!has_passed(o, &tree->edges[tree->plan->depends[edge->depends + i]], place)) return false;
    return true;
}

/* --- who executes ------------------------------------------------------------------------------------------------- */

/* A rank executes its own edges away from the root when it waits; if there are none, those of ANY rank: others may have
 * something else to do before they wait. Edges towards the root are due before ranks compute: whoever comes last, or
 * has just made one possible, executes it, and nobody waits for others. */
static bool is_due(const struct cw_nbc_executor *executor, const struct cw_split_edge *edge, uint32_t me, bool any)
{
    if (edge->core != CW_SPLIT_OWN) return edge->core == executor->core;
    return executor->core == UINT32_MAX && (edge->up || any || edge->message.dst == me);
}

static bool take(const struct cw_nbc_executor *executor, const struct operation *o, const struct tree *tree,
                 uint32_t me, bool any, struct piece *piece)
{
    for (uint32_t i = 0; i < tree->n_edges; i++) {
        const struct cw_split_edge *edge = &tree->edges[i];
        if (!is_due(executor, edge, me, any) || !may_begin(o, tree, edge)) continue;
        const uint32_t child = rank_of(o, child_of(edge));
        struct strand *strand = &o->posts[child].strand;
        strand->busy = true;
        *piece = (struct piece){.chunk = strand->front++, .n_chunks = 1, .n_strands = 1, .strands = {child}};
        return true;
    }
    return false;
}

bool cw_nbc_take_edge(const struct cw_nbc_executor *executor, const struct operation *o, uint32_t me,
                      struct piece *piece)
{
    const struct tree *tree = tree_for(o);
    const uint32_t relative = (me + o->n - o->slot->work.root) % o->n;
    if (!tree) return false;
    return take(executor, o, tree, relative, false, piece) ||
           (executor->core == UINT32_MAX && take(executor, o, tree, relative, true, piece));
}

void cw_nbc_rouse(const struct operation *o)
{
    const struct tree *tree = tree_for(o);
    for (uint32_t i = 0; tree && i < tree->n_edges; i++) {
        const struct cw_split_edge *edge = &tree->edges[i];
        if (edge->core == CW_SPLIT_OWN && may_begin(o, tree, edge)) ring(post_of(o, edge->rank));
    }
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

/* Where BLOCK, or the vector, is at RANK: to be passed on, and once it has arrived. */
static uint64_t source_of(const struct operation *o, uint32_t rank, uint32_t block)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const struct cw_nbc_part *part = &post_of(o, rank)->part;
    if (cw_collectives[work->collective].gives_blocks && rank == 0) return part->send + rank_of(o, block) * work->bytes;
    if (cw_collective_has_blocks(work->collective))
        return block == rank ? part->send : part->room + (block - rank - 1) * work->bytes;
    return cw_collectives[work->collective].root_gives && rank == 0 ? part->send : part->recv;
}

static uint64_t target_of(const struct operation *o, uint32_t rank, uint32_t block)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const struct cw_nbc_part *part = &post_of(o, rank)->part;
    if (cw_collectives[work->collective].takes_blocks && rank == 0) return part->recv + rank_of(o, block) * work->bytes;
    if (cw_collective_has_blocks(work->collective))
        return block == rank ? part->recv : part->room + (block - rank - 1) * work->bytes;
    return part->recv;
}

/* Where RANK forms what it and those below it have. */
static uint64_t partial_of(const struct operation *o, uint32_t rank)
{
    const struct cw_nbc_part *part = &post_of(o, rank)->part;
    return rank == 0 || !cw_collectives[o->slot->work.collective].root_takes ? part->recv : part->room;
}

/* BYTES of a chunk at OFFSET of what goes along an edge. */
struct stretch {
    uint64_t offset;
    size_t bytes;
};

static int read_from(const struct operation *o, uint32_t rank, char *here, uint64_t there, size_t bytes,
                     uint32_t *error_rank)
{
    *error_rank = rank_of(o, rank);
    return cw_nbc_read(o->node, host_rank(o, *error_rank), here, there, bytes);
}

static int write_to(const struct operation *o, uint32_t rank, const char *here, uint64_t there, size_t bytes,
                    uint32_t *error_rank)
{
    *error_rank = rank_of(o, rank);
    return cw_nbc_write(o->node, host_rank(o, *error_rank), here, there, bytes);
}

/* What the child has, with all below it, into what its parent has. */
static int combine(const struct cw_nbc_executor *executor, const struct operation *o, const struct tree *tree,
                   const struct cw_split_edge *edge, struct stretch stretch, uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const uint32_t parent = edge->message.dst, child = edge->message.src;
    const bool first = &tree->edges[tree->first[parent]] == edge, leaf = tree->first[child] == NONE;
    const uint64_t into = first ? post_of(o, parent)->part.send : partial_of(o, parent);
    const uint64_t from = leaf ? post_of(o, child)->part.send : partial_of(o, child);
    char *left = executor->buffers, *right = executor->buffers + CW_NBC_CHUNK;
    int error = read_from(o, parent, left, into + stretch.offset, stretch.bytes, error_rank);
    if (!error) error = read_from(o, child, right, from + stretch.offset, stretch.bytes, error_rank);
    if (error) return error;
    cw_nbc_combine_for(work->type, work->op)(left, right, stretch.bytes / cw_nbc_type_size(work->type));
    return write_to(o, parent, left, partial_of(o, parent) + stretch.offset, stretch.bytes, error_rank);
}

static int copy(const struct cw_nbc_executor *executor, const struct operation *o, const struct cw_split_edge *edge,
                uint32_t block, struct stretch stretch, uint32_t *error_rank)
{
    const uint32_t src = edge->message.src, dst = edge->message.dst;
    int error =
        read_from(o, src, executor->buffers, source_of(o, src, block) + stretch.offset, stretch.bytes, error_rank);
    if (error) return error;
    return write_to(o, dst, executor->buffers, target_of(o, dst, block) + stretch.offset, stretch.bytes, error_rank);
}

/* The edge of the strand of RELATIVE that chunk POSITION goes along. */
static const struct cw_split_edge *edge_at(const struct operation *o, const struct tree *tree, uint32_t relative,
                                           uint32_t position)
{
    const struct cw_split_edge *edge = tree->edges;
    if (cw_collective_is_rooted(tree->collective) || position >= o->slot->n_chunks) return edge + tree->edge[relative];
    while (edge->message.src != relative) edge++; /* upwards: these come first */
    return edge;
}

int cw_nbc_execute_edge(const struct cw_nbc_executor *executor, const struct operation *o, const struct piece *piece,
                        uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const struct tree *tree = tree_for(o);
    const uint32_t relative = (piece->strands[0] + o->n - work->root) % o->n;
    const struct cw_split_edge *edge = edge_at(o, tree, relative, piece->chunk);
    const struct place place = place_at(o, edge, piece->chunk);
    const uint64_t offset = (uint64_t)place.chunk * work->chunk, left = work->bytes - offset;
    const struct stretch stretch = {offset, left < work->chunk ? left : work->chunk};
    if (edge->message.reduce) return combine(executor, o, tree, edge, stretch, error_rank);
    return copy(executor, o, edge, place.block, stretch, error_rank);
}
