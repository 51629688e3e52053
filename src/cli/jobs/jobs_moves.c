/* A plan's moves, by flows or flit by flit, beside the network's own routes. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/jobs/jobs_run.h"
#include "flow/moves/moves_change.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "report/rows.h"
#include "study/jobs/flit_moves_case.h"

#define STEPS 1000 /* of the progress bar, for each of two runs */

static const struct cw_column columns[] = {
    {"plan", CW_COLUMN_TEXT, NULL,
     "method that made the plan; own routes: the same data as the network carries them, each from its source"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints that send, relay or receive"},
    {"streams", CW_COLUMN_INT, NULL, "paths or trees of the plan with data on them"},
    {"forwards", CW_COLUMN_INT, NULL, "times that a rank sends on a stream that it receives"},
    {"lanes", CW_COLUMN_INT, NULL, "by flits: virtual lanes that keep these paths free of deadlock"},
    {"cycles", CW_COLUMN_INT, "cycle", "by flits: until all data have arrived"},
    {"seconds", CW_COLUMN_REAL, "s", "until all data have arrived"},
    {"GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time"},
    {"bound_seconds", CW_COLUMN_REAL, "s", "what the most loaded channel takes for its bytes: no less is possible"},
    {"predicted_seconds", CW_COLUMN_REAL, "s", "what crosswind plan predicted; missing: nobody asked it"},
};

static void add_row(struct cw_table *table, const struct cw_moves *moves, const struct cw_flit_moves_result *result)
{
    cw_table_row(table, "%s %u %u %u", moves->method, moves->n_ranks, moves->n_streams, result->forwards);
    if (result->cycles > 0)
        cw_table_row(table, "%u %lu", result->lanes, result->cycles);
    else
        cw_table_row(table, "- -");
    cw_table_row(table, "%g %g %g %g", result->seconds, 1e-9 * (double)result->bytes / result->seconds,
                 result->bound_seconds, moves->seconds);
}

/* --- sentences ---------------------------------------------------------------------------------------------------- */

#define EVEN 1.02

/* What both runs share. */
struct study {
    struct invocation *invocation;
    const struct cw_network *net;
    const struct cw_routes *own; /* the network's, with which the plan is compared */
    bool flits;
    struct flit_mode mode; /* of these */
};

/* Moves that were simulated. */
struct run {
    struct cw_moves moves;
    struct cw_flit_moves_result result;
};

/* Whether data are for all ranks, which keep what they send on. */
static bool is_of_trees(const struct cw_moves *moves)
{
    for (size_t d = 0; d < moves->n_demands; d++)
        if (moves->demands[d].dst == CW_NONE) return true;
    return false;
}

static void note_rules(const struct study *study, const struct run *plan)
{
    struct cw_result *to = study->invocation->result;
    char channel[2 * CW_NAME_SIZE], size[32];
    struct cw_text text = {0};
    cw_format_bytes(plan->moves.chunk_bytes, size, sizeof size);
    if (cw_moves_have_sums(&plan->moves))
        cw_text_printf(
            &text,
            "Chunks of %s go along the trees%s: a rank adds what comes to its own data, and sends a chunk on once all "
            "of its parts are there. Adding takes no time.%s",
            size, study->flits ? "" : ", of each edge one at a time, and share channels max-min fairly",
            study->flits ? "" : " Nothing is in packets or queues.");
    else if (is_of_trees(&plan->moves))
        cw_text_printf(&text,
                       study->flits
                           ? "Chunks of %s go along the trees. A rank sends each on once all of it is there."
                           : "Each tree's data flow over all its channels at once, which share their capacity max-min "
                             "fairly: a rank sends on as much as it gets, once it has a chunk of %s. Nothing is in "
                             "packets or queues.",
                       size);
    else if (study->flits)
        cw_text_printf(&text,
                       "Chunks of %s go along the plan's paths. A relay has room for %u of each stream, sends each on "
                       "once all of it is there, and then returns a credit of one flit.",
                       size, plan->moves.credits);
    else
        cw_text_printf(
            &text,
            "Each path's data flow over all its channels at once, which share their capacity max-min fairly: "
            "a relay sends on as much as it gets, once it has a chunk of %s. Nothing is in packets or queues.",
            size);
    cw_text_add(&text, cw_network_node_is_switch(study->net)
                           ? " A node feeds and drains all its cables at once: inside it nothing limits the flow."
                           : " What it relays comes in by its own cable and leaves by it.");
    cw_result_note_text(to, &text);
    cw_result_note(to, "The most loaded channel of %s, %s, sends for %.3g of the time.", plan->moves.method,
                   cw_network_channel_name(study->net, plan->result.hottest, channel, sizeof channel),
                   plan->result.bound_seconds / plan->result.seconds);
}

/* How many times as fast as OWN PLAN was said to be: by a prediction, or else by the most loaded channels. */
static double promised(const struct run *plan, const struct run *own, bool *predicted)
{
    *predicted = plan->moves.seconds > 0 && plan->moves.default_seconds > 0;
    return *predicted ? plan->moves.default_seconds / plan->moves.seconds
                      : own->result.bound_seconds / plan->result.bound_seconds;
}

static void add_ratio(struct cw_text *text, double times)
{
    if (times > EVEN)
        cw_text_printf(text, "%.3g times as fast", times);
    else if (times < 1 / EVEN)
        cw_text_printf(text, "%.3g times as slow", 1 / times);
    else
        cw_text_add(text, "as fast");
}

/* What predicts the times of MOVES, and does so. */
static const char *predictor(const struct cw_moves *moves)
{
    return !moves->model[0]                 ? "The simulated transport predicts"
           : !strcmp(moves->model, "flows") ? "Flows predict"
                                            : "Flits predict";
}

/* Why the two rungs differ. */
static void add_difference(struct cw_text *text, const struct study *study, const struct run *plan,
                           const struct run *own, bool predicted)
{
    if (predicted)
        cw_text_printf(
            text,
            " The plan takes %.3g times as long as predicted, the own routes %.3g times.%s Here %s, and relays cost "
            "nothing but storing whole chunks.",
            plan->result.seconds / plan->moves.seconds, own->result.seconds / plan->moves.default_seconds,
            plan->moves.model[0] ? ""
                                 : " The simulated transport shares channels among chunks, and has relays cost what "
                                   "crosswind plan was told.",
            study->flits ? "flits share them and wait behind one another" : "paths share them fairly at every moment");
    else
        cw_text_printf(
            text,
            " The plan takes %.3g times as long as its most loaded channel needs, the own routes %.3g times: "
            "relays store whole chunks, and %s.",
            plan->result.seconds / plan->result.bound_seconds, own->result.seconds / own->result.bound_seconds,
            study->flits ? "flits that share a channel take turns" : "who shares one channel leaves another idle");
}

static void note_verdict(const struct study *study, const struct run *plan, const struct run *own)
{
    bool predicted;
    const double found = own->result.seconds / plan->result.seconds, times = promised(plan, own, &predicted);
    const double off = fmax(times / found, found / times);
    struct cw_text text = {0};
    cw_text_printf(&text, "%s, the plan of %s is ", study->flits ? "Flit by flit" : "By flows", plan->moves.method);
    add_ratio(&text, found);
    cw_text_printf(&text, " as the network's own routes, %s%s. ", cw_routes_name(study->own),
                   found < 1 / EVEN ? ": it loses" : "");
    if (predicted)
        cw_text_printf(&text, "%s that it is ", predictor(&plan->moves));
    else
        cw_text_add(&text, "By its most loaded channel it would be ");
    add_ratio(&text, times);
    if (off <= JOBS_DISAGREEMENT)
        cw_text_printf(&text, ": the two are within a factor of %.3g.", off);
    else
        cw_text_printf(&text, ": off by a factor of %.3g, %s.", off,
                       times > found ? "in favour of the plan" : "against the plan");
    if (off > JOBS_DISAGREEMENT) add_difference(&text, study, plan, own, predicted);
    cw_result_note_text(study->invocation->result, &text);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static int simulate(const struct study *study, struct cw_progress_part progress, struct run *run)
{
    const struct flit_mode *mode = &study->mode;
    const struct common *common = &study->invocation->common;
    if (!study->flits) return cw_flow_moves_run(study->own, &run->moves, 0, &run->result);
    return cw_flit_moves_case_run(&(struct cw_flit_moves_case){.net = mode->net,
                                                               .moves = &run->moves,
                                                               .hardware = mode->hardware,
                                                               .message_flits = mode->messages.flits,
                                                               .seed = (uint64_t)common->seed,
                                                               .n_threads = (unsigned)common->threads,
                                                               .progress = progress},
                                  &run->result);
}

/* The same data on the network's own routes, beside PLAN. *SECONDS: theirs, NaN if there are none. */
static int compare(const struct study *study, struct cw_table *table, struct cw_progress *progress,
                   const struct run *plan, double *seconds)
{
    struct run own;
    *seconds = (double)NAN;
    if (cw_moves_have_sums(&plan->moves)) {
        cw_result_note(study->invocation->result,
                       "There is nothing to compare the plan with: data that ranks add up have no direct way.");
        return 0;
    }
    int rc = cw_moves_routed(&plan->moves, study->own, "own routes", &own.moves);
    if (rc == CW_EROUTE) {
        cw_result_note(study->invocation->result, "There is nothing to compare the plan with: %s.", cw_error_message());
        return 0;
    }
    if (rc) return rc;
    if (cw_flit_moves_same(&plan->moves, &own.moves)) {
        cw_result_note(study->invocation->result, "The plan takes the network's own routes, %s.",
                       cw_routes_name(study->own));
        *seconds = plan->result.seconds;
    } else {
        rc = simulate(study, (struct cw_progress_part){progress, STEPS, 2 * STEPS}, &own);
        if (!rc) add_row(table, &own.moves, &own.result);
        if (!rc) note_verdict(study, plan, &own);
        if (!rc) *seconds = own.result.seconds;
    }
    cw_moves_free(&own.moves);
    return rc;
}

static int measure(const struct study *study, struct run *plan, double *own_seconds)
{
    struct cw_table *table;
    int rc = cw_result_new_table(study->invocation->result, "moves",
                                 study->flits ? "A plan, flit by flit" : "A plan, by flows", CW_ITEMS(columns), &table);
    if (rc) return rc;
    struct cw_progress *progress = invocation_progress(study->invocation, study->flits ? "flit" : "flows", 2 * STEPS);
    rc = simulate(study, (struct cw_progress_part){progress, 0, STEPS}, plan);
    if (!rc) {
        add_row(table, &plan->moves, &plan->result);
        note_rules(study, plan);
        rc = compare(study, table, progress, plan, own_seconds);
    }
    cw_progress_free(progress);
    return rc;
}

int jobs_moves(struct invocation *invocation, const struct fabric *fabric, struct cw_moves *moves, bool flits)
{
    struct study study = {.invocation = invocation, .net = fabric->net, .own = fabric->routes, .flits = flits};
    struct run plan = {.moves = *moves};
    double own_seconds;
    int rc = flits ? flit_mode_open(invocation, fabric, &study.mode) : 0;
    if (!rc && study.mode.messages.n_sizes > 0)
        rc = cw_fail(CW_EUSAGE, "--message: chunks are sent in messages of one size, expected no mix");
    if (!rc) rc = measure(&study, &plan, &own_seconds);
    if (rc) return rc;
    if (flits) flit_mode_note_buffers(&study.mode);
    moves->seconds = plan.result.seconds;
    moves->default_seconds = own_seconds;
    snprintf(moves->model, sizeof moves->model, "%s", flits ? "flits" : "flows");
    return 0;
}

int jobs_moves_file(struct invocation *invocation, const struct fabric *fabric, const char *file, bool flits)
{
    struct cw_text text = {0};
    struct cw_moves moves;
    int rc = cw_file_read(file, &text);
    if (!rc) rc = cw_moves_parse(file, text.data, text.length, &moves);
    cw_text_free(&text);
    if (rc) return rc;
    cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, file);
    rc = jobs_moves(invocation, fabric, &moves, flits);
    cw_moves_free(&moves);
    return rc;
}
