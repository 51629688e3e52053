#include "sim/flows/flow_path.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "sim/flows/flow_past.h"

#define SAME_TIME 1e-12 /* as in the simulation: times that differ by less are the same */

static const char what[] = "a longest path";

/* How far an action has come. */
enum stage { READY, SERVED, STARTED, THROUGH, DONE }; /* SERVED: its processor is done with it */

/* Where the path is looked for: all before that moment is not known yet. */
struct walk {
    const struct cw_flow_setup *setup;
    const struct cw_program *program;
    struct cw_flow_past *past; /* of the program's actions */
    uint32_t first;            /* number of the program's first action among those of all jobs */
    uint32_t at;
    enum stage stage;
    struct cw_flow_path *path;
    size_t room;
};

static const struct cw_action *look(const struct walk *walk)
{
    return &walk->program->actions[walk->at];
}

/* The walk goes on at STAGE of action AT. */
static void go(struct walk *walk, uint32_t at, enum stage stage)
{
    walk->at = at;
    walk->stage = stage;
}

/* The same of an action by its number among those of all jobs. */
static void go_to(struct walk *walk, uint32_t number, enum stage stage)
{
    go(walk, number - walk->first, stage);
}

/* A stretch of SEND, or of a computation. */
static int add(struct walk *walk, enum cw_flow_part part, uint32_t action, double begin, double end, double waits)
{
    struct cw_flow_path *path = walk->path;
    const struct cw_action *at = &walk->program->actions[action];
    const bool sends = at->kind == CW_ACTION_SEND;
    if (end <= begin) return 0;
    const int rc = cw_grow_array((void **)&path->stretches, &walk->room, path->n + 1, sizeof *path->stretches, what);
    if (rc) return rc;
    path->stretches[path->n++] = (struct cw_flow_stretch){.part = part,
                                                          .rank = at->rank,
                                                          .peer = sends ? at->peer : CW_FLOW_NONE,
                                                          .bytes = sends ? at->bytes : 0,
                                                          .begin = begin,
                                                          .end = end,
                                                          .waits = waits};
    path->parts[part] += end - begin - waits;
    path->parts[CW_FLOW_WAITS] += waits;
    return 0;
}

/* --- one step back ------------------------------------------------------------------------------------------------ */

static bool asks_first(const struct walk *walk, const struct cw_action *send)
{
    return walk->setup->rendezvous > 0 && send->bytes > walk->setup->rendezvous;
}

/* The processor has been busy with the action for PART of the time, until END. */
static int leave_processor(struct walk *walk, enum cw_flow_part part, double end)
{
    const struct cw_flow_past *past = &walk->past[walk->at];
    const int rc = add(walk, part, walk->at, past->served, end, 0);
    if (past->server == CW_FLOW_NONE)
        go(walk, walk->at, READY);
    else
        go_to(walk, past->server, SERVED);
    return rc;
}

/* What was done came last in its rank, or it came from another one. */
static int leave_done(struct walk *walk)
{
    const struct cw_action *at = look(walk);
    const struct cw_flow_past *past = &walk->past[walk->at];
    const uint32_t send = at->partner;
    int rc = 0;
    if (at->kind == CW_ACTION_COMPUTE && at->seconds > 0)
        go(walk, walk->at, SERVED);
    else if (at->kind == CW_ACTION_SEND)
        go(walk, walk->at, asks_first(walk, at) ? THROUGH : SERVED);
    else if (at->kind == CW_ACTION_RECEIVE && past->done > past->ready) {
        rc = add(walk, CW_FLOW_LATENCY, send, walk->past[send].through, past->done, 0);
        go(walk, send, THROUGH);
    } else
        go(walk, walk->at, READY);
    return rc;
}

/* The send is watched in the run that says where its bytes wait. */
static int leave_bytes(struct walk *walk)
{
    struct cw_flow_past *past = &walk->past[walk->at];
    const double took = past->through - past->started;
    double alone = past->alone > 0 ? (double)look(walk)->bytes / past->alone : took;
    if (took - alone <= SAME_TIME * past->through) alone = took;
    if (past->alone > 0 && took > 0) walk->path->carried[past->narrow] += alone;
    const int rc = add(walk, CW_FLOW_BYTES, walk->at, past->started, past->through, took - alone);
    past->watched = took > alone;
    go(walk, walk->at, STARTED);
    return rc;
}

/* A message begins when the one before it has left its cable, or g after that began; when its receiver has let it; or
 * at once. */
static int leave_start(struct walk *walk)
{
    const struct cw_flow_past *past = &walk->past[walk->at];
    const struct cw_action *send = look(walk);
    int rc = 0;
    if (past->ahead != CW_FLOW_NONE && past->asked < past->started) {
        const struct cw_flow_past *ahead = &walk->past[past->ahead - walk->first];
        const bool by_gap = ahead->through < past->started;
        if (by_gap) rc = add(walk, CW_FLOW_OVERHEAD, walk->at, ahead->started, past->started, 0);
        go_to(walk, past->ahead, by_gap ? STARTED : THROUGH);
    } else if (asks_first(walk, send) && past->receiver_late) {
        rc = add(walk, CW_FLOW_LATENCY, walk->at, walk->past[send->partner].ready, past->started, 0);
        go(walk, send->partner, READY);
    } else {
        rc = add(walk, CW_FLOW_LATENCY, walk->at, past->left, past->started, 0); /* what it has asked, if it has */
        go(walk, walk->at, SERVED);
    }
    return rc;
}

/* From the action that is done last to the beginning. */
static int walk_back(struct walk *walk)
{
    for (;;) {
        int rc = 0;
        const struct cw_flow_past *past = &walk->past[walk->at];
        switch (walk->stage) {
        case DONE:
            rc = leave_done(walk);
            break;
        case THROUGH:
            rc = leave_bytes(walk);
            break;
        case STARTED:
            rc = leave_start(walk);
            break;
        case SERVED:
            rc = look(walk)->kind == CW_ACTION_COMPUTE ? leave_processor(walk, CW_FLOW_COMPUTES, past->done)
                                                       : leave_processor(walk, CW_FLOW_OVERHEAD, past->left);
            break;
        case READY:
            if (past->cause == CW_FLOW_NONE) return 0;
            go_to(walk, past->cause, DONE);
        }
        if (rc) return rc;
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void turn_round(struct cw_flow_path *path)
{
    for (size_t i = 0, j = path->n; i + 1 < j; i++) {
        const struct cw_flow_stretch first = path->stretches[i];
        path->stretches[i] = path->stretches[--j];
        path->stretches[j] = first;
    }
}

static int walk_all(struct walk *walk)
{
    const uint32_t n = walk->program->n_actions;
    uint32_t last = 0;
    if (n == 0) return 0;
    for (uint32_t i = 1; i < n; i++)
        if (walk->past[i].done > walk->past[last].done) last = i;
    go(walk, last, DONE);
    const int rc = walk_back(walk);
    turn_round(walk->path);
    return rc;
}

static int find(const struct cw_flow_setup *setup, size_t job, struct cw_flow_past *past, double *ends,
                struct cw_flow_path *path)
{
    struct walk walk = {.setup = setup, .program = setup->jobs[job].program, .path = path};
    struct cw_flow_result result;
    int rc = cw_flow_run_noted(setup, past, NULL, ends, &result);
    for (size_t j = 0; j < job; j++) walk.first += setup->jobs[j].program ? setup->jobs[j].program->n_actions : 0;
    walk.past = past + walk.first;
    path->begin = setup->jobs[job].start;
    path->end = ends[job];
    if (!rc) rc = walk_all(&walk);
    if (!rc && path->n > 0) path->stretches[0].begin = path->begin; /* as of what happens at once to 1e-12 */
    return rc || path->parts[CW_FLOW_WAITS] <= 0 ? rc : cw_flow_run_noted(setup, past, path->waited, ends, &result);
}

int cw_flow_path_find(const struct cw_flow_setup *setup, size_t job, struct cw_flow_path *out)
{
    struct cw_flow_path path = {0};
    size_t actions = 0;
    if (job >= setup->n_jobs || !setup->jobs[job].program)
        return cw_fail(CW_EUSAGE, "job %zu is none that ends; only what ends has a longest path", job + 1);
    for (size_t j = 0; j < setup->n_jobs; j++)
        actions += setup->jobs[j].program ? setup->jobs[j].program->n_actions : 0;
    const uint32_t channels = cw_routes_network(setup->routes)->n_channels;
    struct cw_flow_past *past = cw_new_array(actions, sizeof *past, what);
    double *ends = cw_new_array(setup->n_jobs, sizeof *ends, what);
    path.carried = cw_new_array(channels, sizeof *path.carried, what);
    path.waited = cw_new_array(channels, sizeof *path.waited, what);
    const int rc = past && ends && path.carried && path.waited ? find(setup, job, past, ends, &path) : CW_ENOMEM;
    free(past);
    free(ends);
    if (rc)
        cw_flow_path_free(&path);
    else
        *out = path;
    return rc;
}

void cw_flow_path_free(struct cw_flow_path *path)
{
    free(path->stretches);
    free(path->carried);
    free(path->waited);
    *path = (struct cw_flow_path){0};
}
