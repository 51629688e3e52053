#include "flow/paths/yen.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/random.h"

/* --- order -------------------------------------------------------------------------------------------------------- */

static bool path_before(const struct cw_yen *yen, const uint32_t *a, const uint32_t *b)
{
    uint32_t tail = yen->source;
    size_t i = 0;
    for (; a[i] == b[i]; i++) tail = yen->arcs->head[a[i]];
    return cw_spur_search_before(&yen->search, tail, a[i], b[i]);
}

/* A lower bound goes before a path as good: the set behind it may have one that is tried first. */
static bool candidate_before(const struct cw_yen *yen, const struct cw_candidate *a, const struct cw_candidate *b)
{
    if (a->length != b->length) return a->length < b->length;
    if (a->use != b->use) return a->use < b->use;
    if (a->path == CW_NO_PATH || b->path == CW_NO_PATH) return b->path != CW_NO_PATH;
    return path_before(yen, yen->paths + a->path, yen->paths + b->path);
}

CW_HEAP(candidate, struct cw_candidate, 2, const struct cw_yen *, candidate_before, CW_HEAP_PUT)

/* --- workspace ---------------------------------------------------------------------------------------------------- */

int cw_yen_make(const struct cw_live_arcs *arcs, const double *capacity, uint32_t k, bool rotated, uint32_t *use,
                struct cw_yen **out)
{
    struct cw_yen *yen = cw_new_array(1, sizeof *yen, "searches");
    if (!yen) return CW_ENOMEM;
    *yen = (struct cw_yen){.arcs = arcs, .capacity = capacity, .k = k, .use = use};
    const int rc = cw_spur_search_make(arcs, &yen->search);
    if (rc) {
        cw_yen_free(yen);
        return rc;
    }
    yen->search.use = use;
    yen->search.rotated = rotated;
    *out = yen;
    return 0;
}

void cw_yen_free(struct cw_yen *yen)
{
    if (!yen) return;
    cw_spur_search_free(&yen->search);
    free(yen->candidates);
    free(yen->spurs);
    free(yen->paths);
    free(yen->found);
    free(yen);
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

/* Adds the vertex that ARC leads to below PARENT (both CW_NONE for the root). */
static int add_spur(struct cw_yen *yen, uint32_t parent, uint32_t arc, uint32_t *id)
{
    void *spurs = yen->spurs;
    const int rc = cw_grow_array(&spurs, &yen->spurs_capacity, yen->n_spurs + 1, sizeof *yen->spurs, "found paths");
    yen->spurs = spurs;
    if (rc) return rc;
    const uint32_t vertex = arc == CW_NONE ? yen->source : yen->arcs->head[arc], new = (uint32_t)yen->n_spurs++;
    struct cw_spur *spur = &yen->spurs[new];
    *spur = (struct cw_spur){parent, CW_NONE, CW_NONE, arc, vertex, 0};
    if (parent != CW_NONE) {
        spur->depth = yen->spurs[parent].depth + 1;
        spur->sibling = yen->spurs[parent].child;
        yen->spurs[parent].child = new;
    }
    *id = new;
    return 0;
}

/* Closes the vertices from the root to SPUR, or opens them again. */
static void close_prefix(struct cw_yen *yen, uint32_t spur, bool closed)
{
    for (; spur != CW_NONE; spur = yen->spurs[spur].parent) yen->search.closed[yen->spurs[spur].vertex] = closed;
}

/* Bans the arcs by which found paths leave SPUR, or lifts that. */
static void ban_children(struct cw_yen *yen, uint32_t spur, bool banned)
{
    const uint32_t first = yen->arcs->first[yen->spurs[spur].vertex];
    for (uint32_t child = yen->spurs[spur].child; child != CW_NONE; child = yen->spurs[child].sibling)
        yen->search.banned[yen->spurs[child].arc - first] = banned;
}

static uint64_t prefix_use(const struct cw_yen *yen, uint32_t spur)
{
    uint64_t use = 0;
    if (!yen->use) return 0;
    for (; yen->spurs[spur].arc != CW_NONE; spur = yen->spurs[spur].parent) use += yen->use[yen->spurs[spur].arc];
    return use;
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

/* The lower bound for what waits at SPUR, whose prefix is closed; length CW_UNREACHABLE if nothing can. */
static struct cw_candidate bound(struct cw_yen *yen, uint32_t spur)
{
    ban_children(yen, spur, true);
    uint32_t length = cw_spur_search_bound(&yen->search, yen->spurs[spur].vertex);
    ban_children(yen, spur, false);
    if (length != CW_UNREACHABLE) length += yen->spurs[spur].depth;
    return (struct cw_candidate){prefix_use(yen, spur), CW_NO_PATH, length, spur};
}

/* The first candidate becomes CANDIDATE, or leaves if its paths are too long. */
static void update_first(struct cw_yen *yen, struct cw_candidate candidate)
{
    if (candidate.length > yen->max_length)
        candidate_pop(yen, yen->candidates, &yen->n_candidates);
    else
        candidate_sink(yen, yen->candidates, yen->n_candidates, 0, candidate);
}

static int push(struct cw_yen *yen, struct cw_candidate candidate)
{
    if (candidate.length > yen->max_length) return 0;
    const int rc = cw_grow_array((void **)&yen->candidates, &yen->candidates_capacity, yen->n_candidates + 1,
                                 sizeof *yen->candidates, "candidate paths");
    if (!rc) candidate_push(yen, yen->candidates, &yen->n_candidates, candidate);
    return rc;
}

/* Room for the path of CANDIDATE: where an equally long one of the same spur was, or new. */
static int make_room(struct cw_yen *yen, struct cw_candidate *candidate)
{
    if (candidate->path != CW_NO_PATH) return 0;
    void *paths = yen->paths;
    const size_t needed = yen->n_paths + candidate->length;
    const int rc = cw_grow_array(&paths, &yen->paths_capacity, needed, sizeof *yen->paths, "candidate paths");
    yen->paths = paths;
    if (rc) return rc;
    candidate->path = yen->n_paths;
    yen->n_paths = needed;
    return 0;
}

/* Searches the best path of the first candidate, of its length. */
static int search_first(struct cw_yen *yen)
{
    struct cw_candidate candidate = yen->candidates[0];
    const int rc = make_room(yen, &candidate);
    if (rc) return rc;
    const uint32_t spur = candidate.spur, depth = yen->spurs[spur].depth;
    uint32_t *path = yen->paths + candidate.path, longer;
    uint64_t use;
    close_prefix(yen, spur, true);
    ban_children(yen, spur, true);
    const bool found = cw_spur_search_find(&yen->search, yen->spurs[spur].vertex, candidate.length - depth,
                                           path + depth, &use, &longer);
    ban_children(yen, spur, false);
    close_prefix(yen, spur, false);
    candidate.use = prefix_use(yen, spur);
    if (found) {
        candidate.use += use;
        for (uint32_t s = spur, i = depth; i-- > 0; s = yen->spurs[s].parent) path[i] = yen->spurs[s].arc;
    } else {
        candidate.length = longer == CW_UNREACHABLE ? CW_UNREACHABLE : depth + longer;
        candidate.path = CW_NO_PATH;
    }
    update_first(yen, candidate);
    return 0;
}

/* --- found paths -------------------------------------------------------------------------------------------------- */

static uint64_t use_of(const struct cw_yen *yen, const struct cw_candidate *candidate)
{
    uint64_t use = 0;
    if (!yen->use) return 0;
    for (uint32_t i = 0; i < candidate->length; i++) use += yen->use[yen->paths[candidate->path + i]];
    return use;
}

static void count_use(struct cw_yen *yen, const struct cw_found_path *path, bool add)
{
    if (!yen->use) return;
    for (uint32_t i = 0; i < path->length; i++) {
        const uint32_t arc = yen->paths[path->begin + i];
        if (isinf(yen->capacity[yen->arcs->channel[arc]])) continue;
        if (add)
            yen->use[arc]++;
        else
            yen->use[arc]--;
    }
    cw_spur_search_uses_changed(&yen->search);
}

/* Splits what waits at the first candidate's spur: its path, the rest there, and what waits at the vertices after it.
 */
static int branch(struct cw_yen *yen, const struct cw_found_path *path)
{
    const uint64_t path_use = yen->candidates[0].use;
    uint32_t spur = yen->candidates[0].spur, next;
    uint32_t depth = yen->spurs[spur].depth;
    int rc = add_spur(yen, spur, yen->paths[path->begin + depth], &next);
    if (rc) return rc;
    close_prefix(yen, spur, true);
    struct cw_candidate rest = bound(yen, spur);
    if (rest.length <= path->length) {
        rest.length = path->length;
        if (rest.use < path_use) rest.use = path_use;
    }
    update_first(yen, rest);
    while (!rc && ++depth < path->length) {
        spur = next;
        yen->search.closed[yen->spurs[spur].vertex] = true;
        rc = add_spur(yen, spur, yen->paths[path->begin + depth], &next);
        if (!rc) rc = push(yen, bound(yen, spur));
    }
    close_prefix(yen, spur, false);
    return rc;
}

static int accept_first(struct cw_yen *yen)
{
    void *found = yen->found;
    const int rc = cw_grow_array(&found, &yen->found_capacity, yen->n_found + 1, sizeof *yen->found, "found paths");
    yen->found = found;
    if (rc) return rc;
    const struct cw_candidate *first = &yen->candidates[0];
    const struct cw_found_path path = {first->path, first->length};
    yen->found[yen->n_found++] = path;
    count_use(yen, &path, true);
    return branch(yen, &path);
}

int cw_yen_run(struct cw_yen *yen, uint32_t src, uint32_t dst, uint32_t max_length)
{
    yen->source = src;
    yen->max_length = max_length < CW_UNREACHABLE ? max_length : CW_UNREACHABLE - 1;
    yen->n_spurs = yen->n_paths = yen->n_found = yen->n_candidates = 0;
    yen->search.rotation = cw_random_hash(src, dst);
    cw_spur_search_aim(&yen->search, dst);
    uint32_t root;
    int rc = add_spur(yen, CW_NONE, CW_NONE, &root);
    if (!rc) rc = push(yen, bound(yen, root));
    while (!rc && yen->n_found < yen->k && yen->n_candidates > 0) {
        rc = cw_interrupt_check();
        if (rc) break;
        const struct cw_candidate *first = &yen->candidates[0];
        const bool known = first->path != CW_NO_PATH && use_of(yen, first) == first->use;
        rc = known ? accept_first(yen) : search_first(yen);
    }
    return rc;
}

void cw_yen_forget(struct cw_yen *yen)
{
    for (size_t i = 0; i < yen->n_found; i++) count_use(yen, &yen->found[i], false);
}
