#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "flow/files/plan_file.h"
#include "flow/forest/forest.h"
#include "net/network_internal.h"

#define NOTHING UINT32_MAX /* no action, no edge */

/* An action as it was added, before those of a rank come together. */
struct added {
    uint32_t rank, forest;
    size_t path; /* SIZE_MAX: it sends nothing */
};

struct making {
    const struct cw_forest_setup *setups;
    const struct cw_forest *forests;
    uint64_t bytes;
    uint32_t chunks;
    uint32_t *rank;   /* [vertices] */
    uint32_t *ready;  /* [vertices] the action after which a root may begin; NOTHING: at once */
    uint32_t *latest; /* [vertices] the last receive of a chunk, ... */
    uint32_t *before; /* [actions] … and that before it */
    uint32_t *prior;  /* [edges of a forest] the send of the chunk before */
    struct cw_program_builder *builder;
    struct added *added;
    size_t n, added_capacity, before_capacity;
};

static int note(struct making *making, uint32_t action, uint32_t rank, size_t forest, size_t path)
{
    int rc = cw_grow_array((void **)&making->added, &making->added_capacity, making->n + 1, sizeof *making->added,
                           "actions");
    if (rc == 0)
        rc = cw_grow_array((void **)&making->before, &making->before_capacity, making->n + 1, sizeof *making->before,
                           "actions");
    if (rc) return rc;
    making->before[making->n] = NOTHING;
    making->added[making->n++] = (struct added){rank, (uint32_t)forest, path};
    return action + 1 == making->n ? 0 : CW_ENOMEM; /* the builder had no memory for it, and has said so */
}

/* One edge of a tree passes on a chunk. */
static int add_edge(struct making *making, size_t f, size_t e, bool from_root, uint32_t tag, uint64_t bytes)
{
    const struct cw_forest_edge *edge = &making->forests[f].edges[e];
    const uint32_t tail = making->rank[edge->tail], head = making->rank[edge->head];
    const uint32_t send = cw_program_send(making->builder, tail, head, tag, bytes);
    int rc = note(making, send, tail, f, edge->path);
    if (rc) return rc;
    if (making->prior[e] != NOTHING) cw_program_wait(making->builder, send, making->prior[e]);
    making->prior[e] = send;
    for (uint32_t a = making->latest[edge->tail]; a != NOTHING; a = making->before[a])
        cw_program_wait(making->builder, send, a);
    if (from_root && making->ready[edge->tail] != NOTHING)
        cw_program_wait(making->builder, send, making->ready[edge->tail]);
    const uint32_t receive = cw_program_receive(making->builder, head, tail, tag, bytes);
    rc = note(making, receive, head, f, SIZE_MAX);
    if (rc) return rc;
    making->before[receive] = making->latest[edge->head];
    making->latest[edge->head] = receive;
    return 0;
}

/* The first part of PARTS of BYTES that are cut into WHOLE. */
static uint64_t part(uint64_t bytes, double parts, double whole)
{
    return parts >= whole ? bytes : (uint64_t)((double)bytes * (parts / whole));
}

/* Data of a tree's root begin where those of its trees before it end. */
static int add_chunk(struct making *making, size_t f, const struct cw_forest_tree *tree, int64_t before, uint64_t data,
                     uint32_t chunk, uint32_t tag)
{
    const struct cw_forest_setup *setup = &making->setups[f];
    const struct cw_forest *forest = &making->forests[f];
    const double whole = (double)forest->root_weight * making->chunks, at = (double)before * making->chunks;
    const double weight = (double)tree->weight;
    const uint64_t first = part(data, at + weight * chunk, whole), end = part(data, at + weight * (chunk + 1), whole);
    int rc = 0;
    if (first == end) return 0;
    for (uint32_t i = 0; i < setup->n_members; i++) making->latest[setup->members[i]] = NOTHING;
    for (uint32_t i = 0; i + 1 < setup->n_members && rc == 0; i++) {
        const size_t e = tree->first + (setup->to_roots ? setup->n_members - 2 - i : i);
        rc = add_edge(making, f, e, !setup->to_roots && forest->edges[e].tail == tree->root, tag, end - first);
    }
    return rc;
}

/* Roots have something to wait for, where another forest follows. */
static int add_ends(struct making *making, size_t f, size_t begin)
{
    const struct cw_forest_setup *setup = &making->setups[f];
    const size_t end = making->n;
    int rc = 0;
    for (uint32_t r = 0; r < setup->n_members && rc == 0; r++) {
        const uint32_t wait = cw_program_compute(making->builder, r, 0);
        making->ready[setup->members[r]] = wait;
        rc = note(making, wait, r, f, SIZE_MAX);
    }
    for (size_t a = begin; a < end && rc == 0; a++)
        if (making->added[a].path == SIZE_MAX)
            cw_program_wait(making->builder, making->ready[setup->members[making->added[a].rank]], (uint32_t)a);
    return rc;
}

static int add_forest(struct making *making, size_t f, bool last)
{
    const struct cw_forest *forest = &making->forests[f];
    const size_t begin = making->n;
    int rc = 0;
    for (size_t e = 0; e < forest->n_edges; e++) making->prior[e] = NOTHING;
    for (uint32_t chunk = 0; chunk < making->chunks && rc == 0; chunk++) {
        int64_t before = 0;
        uint32_t root = 0; /* number of it */
        for (size_t t = 0; t < forest->n_trees && rc == 0; t++) {
            const bool next = t > 0 && forest->trees[t].root != forest->trees[t - 1].root;
            if (next) before = 0;
            root += next;
            const uint64_t data =
                part(making->bytes, root + 1, forest->n_roots) - part(making->bytes, root, forest->n_roots);
            const uint32_t tag = (uint32_t)((f * making->chunks + chunk) * forest->n_trees + t);
            rc = add_chunk(making, f, &forest->trees[t], before, data, chunk, tag);
            before += forest->trees[t].weight;
        }
    }
    return rc || last ? rc : add_ends(making, f, begin);
}

/* The way of one message; a channel that it crosses twice is there once. */
static size_t write_way(const struct cw_forest *forest, size_t path, struct cw_forest_program *out, size_t n)
{
    const size_t begin = n;
    for (size_t i = forest->path_first[path]; i < forest->path_first[path + 1]; i++) {
        size_t k = begin;
        while (k < n && out->channels[k] != forest->channels[i]) k++;
        if (k == n) {
            out->channels[n] = forest->channels[i];
            out->shares[n++] = 0;
        }
        out->shares[k] += 1;
    }
    return n;
}

/* Ways in the order of the program: rank by rank, those of a rank as they were added. */
static int write_ways(const struct making *making, struct cw_forest_program *out)
{
    const uint32_t n_ranks = out->program->n_ranks;
    uint32_t *at = cw_new_array(n_ranks, sizeof *at, "ranks");
    size_t *order = cw_new_array(making->n, sizeof *order, "actions");
    size_t n = 0;
    for (size_t i = 0; i < making->n; i++) {
        const struct added *added = &making->added[i];
        const size_t *first = making->forests[added->forest].path_first;
        if (added->path != SIZE_MAX) n += first[added->path + 1] - first[added->path];
    }
    out->first = cw_new_array(making->n + 1, sizeof *out->first, "ways of messages");
    out->channels = cw_new_array(n, sizeof *out->channels, "ways of messages");
    out->shares = cw_new_array(n, sizeof *out->shares, "ways of messages");
    const bool room = at && order && out->first && out->channels && out->shares;
    if (room) {
        memcpy(at, out->program->first, n_ranks * sizeof *at);
        for (size_t i = 0; i < making->n; i++) order[at[making->added[i].rank]++] = i;
        n = 0;
        for (size_t i = 0; i < making->n; i++) {
            const struct added *added = &making->added[order[i]];
            if (added->path != SIZE_MAX) n = write_way(&making->forests[added->forest], added->path, out, n);
            out->first[i + 1] = n;
        }
    }
    free(at);
    free(order);
    return room ? 0 : CW_ENOMEM;
}

static int make(struct making *making, size_t n, struct cw_forest_program *out)
{
    const struct cw_forest_setup *setup = making->setups;
    for (uint32_t v = 0; v < setup->net->n_vertices; v++) making->ready[v] = making->latest[v] = NOTHING;
    for (uint32_t i = 0; i < setup->n_members; i++) making->rank[setup->members[i]] = i;
    int rc = cw_program_begin(setup->n_members, &making->builder);
    if (rc) return rc;
    for (size_t f = 0; f < n && rc == 0; f++) rc = add_forest(making, f, f + 1 == n);
    if (rc) {
        cw_program_abandon(making->builder);
        return rc;
    }
    rc = cw_program_finish(making->builder, &out->program);
    return rc ? rc : write_ways(making, out);
}

int cw_forest_program_new(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n,
                          uint64_t bytes, uint32_t chunks, struct cw_forest_program *out)
{
    const uint32_t n_vertices = setups->net->n_vertices;
    struct cw_forest_program made = {0};
    struct making making = {.setups = setups,
                            .forests = forests,
                            .bytes = bytes,
                            .chunks = chunks,
                            .rank = cw_new_array(n_vertices, sizeof *making.rank, "ranks"),
                            .ready = cw_new_array(n_vertices, sizeof *making.ready, "ranks"),
                            .latest = cw_new_array(n_vertices, sizeof *making.latest, "ranks")};
    double actions = 0;
    size_t edges = 0;
    for (size_t f = 0; f < n; f++) {
        actions += 2. * chunks * (double)forests[f].n_edges + setups->n_members;
        if (forests[f].n_edges > edges) edges = forests[f].n_edges;
    }
    making.prior = cw_new_array(edges, sizeof *making.prior, "edges of trees");
    int rc = making.rank && making.ready && making.latest && making.prior ? 0 : CW_ENOMEM;
    if (rc == 0 && actions >= UINT32_MAX) rc = cw_fail(CW_ELIMIT, "%.0f actions: expected less than 2^32", actions);
    if (rc == 0) rc = make(&making, n, &made);
    free(making.rank);
    free(making.ready);
    free(making.latest);
    free(making.before);
    free(making.prior);
    free(making.added);
    if (rc == 0)
        *out = made;
    else
        cw_forest_program_free(&made);
    return rc;
}

void cw_forest_program_free(struct cw_forest_program *made)
{
    cw_program_free(made->program);
    free(made->first);
    free(made->channels);
    free(made->shares);
    *made = (struct cw_forest_program){0};
}

/* --- as moves ----------------------------------------------------------------------------------------------------- */

#define ROOM 8 /* chunks that a rank takes in before it has combined them */

struct moving {
    const struct cw_forest_setup *setups;
    const struct cw_forest *forests;
    size_t n;
    uint64_t bytes, unit; /* of data; of what is not cut */
    uint32_t *rank;       /* [vertices]; CW_NONE: no member */
    size_t *next;         /* [ranks] where the next step goes */
    uint64_t most;        /* bytes of a tree */
    struct cw_moves moves;
};

/* As part(), in whole units. */
static uint64_t whole_part(const struct moving *moving, uint64_t bytes, double parts, double whole)
{
    return part(bytes / moving->unit, parts, whole) * moving->unit;
}

/* The two steps of one edge of a tree of forest F, whose data are those of STEP. */
static void add_steps(struct moving *moving, size_t f, const struct cw_forest_edge *edge, struct cw_step step)
{
    const struct cw_forest *forest = &moving->forests[f];
    const uint32_t from = moving->rank[edge->tail], to = moving->rank[edge->head];
    struct cw_moves *moves = &moving->moves;
    step.kind = moving->setups[f].to_roots ? CW_STEP_COMBINE : CW_STEP_RECEIVE;
    step.from = from;
    step.to = CW_NONE;
    moves->steps[moving->next[to]++] = step;
    step.kind = CW_STEP_SEND;
    step.from = CW_NONE;
    step.to = to;
    step.first_channel =
        forest->path_first[edge->path] + (f > 0 ? moving->forests[0].path_first[moving->forests[0].n_paths] : 0);
    step.n_channels = (uint32_t)(forest->path_first[edge->path + 1] - forest->path_first[edge->path]);
    moves->steps[moving->next[from]++] = step;
}

/* Stream s is tree number s of those that have data. What a rank takes in comes before what it sends: from the root on,
 * or the other way round. */
static void add_stream(struct moving *moving, size_t f, const struct cw_forest_tree *tree, uint32_t demand,
                       uint64_t offset, uint64_t bytes)
{
    const uint32_t n = moving->forests[f].n_members - 1;
    const struct cw_step step = {
        .stream = moving->moves.n_streams++, .demand = demand, .offset = offset, .bytes = bytes, .way = CW_NONE};
    if (bytes > moving->most) moving->most = bytes;
    for (uint32_t i = 0; i < n; i++)
        add_steps(moving, f, &moving->forests[f].edges[tree->first + (moving->setups[f].to_roots ? n - 1 - i : i)],
                  step);
}

/* Calls add_stream for all trees of forest F with data; with COUNT, only counts the steps of ranks, in `next`. */
static void add_streams(struct moving *moving, size_t f, bool count)
{
    const struct cw_forest *forest = &moving->forests[f];
    const bool sums = moving->setups[f].to_roots, both = moving->n > 1;
    int64_t before = 0;
    uint32_t root = 0; /* number of it */
    for (size_t t = 0; t < forest->n_trees; t++) {
        const struct cw_forest_tree *tree = &forest->trees[t];
        if (t > 0 && tree->root != tree[-1].root) {
            before = 0;
            root++;
        }
        const uint64_t begin = whole_part(moving, moving->bytes, root, forest->n_roots);
        const uint64_t data = whole_part(moving, moving->bytes, root + 1, forest->n_roots) - begin;
        const uint32_t rank = moving->rank[tree->root];
        moving->moves.demands[both ? 0 : root] =
            both ? (struct cw_moves_demand){CW_NONE, CW_NONE, moving->bytes}
                 : (struct cw_moves_demand){sums ? CW_NONE : rank, sums ? rank : CW_NONE, data};
        const double whole = (double)forest->root_weight;
        const uint64_t first = whole_part(moving, data, (double)before, whole);
        const uint64_t end = whole_part(moving, data, (double)(before + tree->weight), whole);
        before += tree->weight;
        if (first == end) continue;
        if (!count) add_stream(moving, f, tree, both ? 0 : root, both ? begin + first : first, end - first);
        for (size_t e = tree->first; count && e < tree->first + forest->n_members - 1; e++) {
            moving->next[moving->rank[forest->edges[e].tail]]++;
            moving->next[moving->rank[forest->edges[e].head]]++;
        }
    }
}

static int name_ranks(struct moving *moving)
{
    const struct cw_network *net = moving->setups->net;
    struct cw_moves *moves = &moving->moves;
    char name[CW_NAME_SIZE];
    cw_plan_fingerprint(net, moves->fingerprint);
    moves->title = net->title ? cw_copy_text(net->title, strlen(net->title)) : NULL;
    if (net->title && !moves->title) return CW_ENOMEM;
    for (uint32_t i = 0; i < moving->setups->n_members; i++) moving->rank[moving->setups->members[i]] = 0;
    for (uint32_t e = 0, n = 0; e < net->n_endpoints; e++) {
        if (moving->rank[e] == CW_NONE) continue;
        moving->rank[e] = n;
        moves->endpoints[n] = e;
        cw_network_name(net, e, name, sizeof name);
        moves->names[n] = cw_copy_text(name, strlen(name));
        if (!moves->names[n++]) return CW_ENOMEM;
    }
    return 0;
}

static int list_moves(struct moving *moving, uint32_t chunks)
{
    static const char what[] = "moves of trees";
    struct cw_moves *moves = &moving->moves;
    size_t n_channels = 0;
    for (size_t f = 0; f < moving->n; f++) n_channels += moving->forests[f].path_first[moving->forests[f].n_paths];
    moves->channels = cw_new_array(n_channels, sizeof *moves->channels, what);
    if (!moves->channels) return CW_ENOMEM;
    for (size_t f = 0; f < moving->n; f++) {
        const struct cw_forest *forest = &moving->forests[f];
        const size_t n = forest->path_first[forest->n_paths];
        memcpy(moves->channels + moves->n_channels, forest->channels, n * sizeof *moves->channels);
        moves->n_channels += n;
    }
    for (size_t f = 0; f < moving->n; f++) add_streams(moving, f, true);
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        moves->first_step[r + 1] = moves->first_step[r] + moving->next[r];
        moving->next[r] = moves->first_step[r];
    }
    moves->steps = cw_new_array(moves->first_step[moves->n_ranks] + 1, sizeof *moves->steps, what);
    if (!moves->steps) return CW_ENOMEM;
    for (size_t f = 0; f < moving->n; f++) add_streams(moving, f, false);
    const uint64_t units = moving->most / moving->unit;
    moves->chunk_bytes = (units / chunks + (units % chunks > 0)) * moving->unit;
    return cw_moves_verify(moves);
}

int cw_forest_moves(const struct cw_forest_setup *setups, const struct cw_forest *forests, size_t n, uint64_t bytes,
                    uint32_t chunks, struct cw_moves *out)
{
    static const char what[] = "moves of trees";
    const uint32_t n_ranks = setups->n_members, n_roots = forests->n_roots, n_demands = n > 1 ? 1 : n_roots;
    const bool sums = setups->to_roots; /* which come first */
    struct moving moving = {
        .setups = setups, .forests = forests, .n = n, .bytes = bytes, .unit = sums ? CW_MOVES_ELEMENT : 1};
    struct cw_moves *moves = &moving.moves;
    if (bytes % moving.unit > 0)
        return cw_fail(CW_EUSAGE, "%llu bytes that are added up: expected whole numbers of %d bytes",
                       (unsigned long long)bytes, CW_MOVES_ELEMENT);
    if (bytes / moving.unit < n_roots)
        return cw_fail(CW_EUSAGE, "%llu bytes of %u roots: expected %s of each", (unsigned long long)bytes, n_roots,
                       sums ? "a number of 8 bytes or more" : "one or more");
    moving.rank = cw_new_array(setups->net->n_vertices, sizeof *moving.rank, what);
    moving.next = cw_new_array(n_ranks, sizeof *moving.next, what);
    *moves = (struct cw_moves){.n_ranks = n_ranks,
                               .n_demands = n_demands,
                               .credits = sums ? ROOM : 1, /* nobody forwards */
                               .seconds = (double)NAN,
                               .default_seconds = (double)NAN,
                               .demands = cw_new_array(n_demands, sizeof *moves->demands, what),
                               .endpoints = cw_new_array(n_ranks, sizeof *moves->endpoints, what),
                               .names = cw_new_array(n_ranks, sizeof *moves->names, what),
                               .first_step = cw_new_array((size_t)n_ranks + 1, sizeof *moves->first_step, what)};
    int rc = moving.rank && moving.next && moves->demands && moves->endpoints && moves->names && moves->first_step
                 ? 0
                 : CW_ENOMEM;
    for (uint32_t v = 0; v < setups->net->n_vertices && !rc; v++) moving.rank[v] = CW_NONE;
    if (!rc) rc = name_ranks(&moving);
    if (!rc) rc = list_moves(&moving, chunks);
    free(moving.rank);
    free(moving.next);
    if (rc)
        cw_moves_free(moves);
    else
        *out = *moves;
    return rc;
}
