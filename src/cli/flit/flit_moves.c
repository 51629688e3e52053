#include "cli/flit/flit_moves.h"

#include "base/error.h"
#include "base/units.h"
#include "study/flit/flit_moves_case.h"

#define STEPS 1000 /* of the progress bar */

static const struct cw_column columns[] = {
    {"plan", CW_COLUMN_TEXT, NULL, "method that made the plan"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints that send, relay or receive"},
    {"streams", CW_COLUMN_INT, NULL, "paths of the plan with data on them"},
    {"forwards", CW_COLUMN_INT, NULL, "times that a rank relays a stream"},
    {"lanes", CW_COLUMN_INT, NULL, "virtual lanes that keep these paths free of deadlock"},
    {"cycles", CW_COLUMN_INT, "cycle", "until all data have arrived"},
    {"seconds", CW_COLUMN_REAL, "s", "the same"},
    {"GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time"},
    {"bound_seconds", CW_COLUMN_REAL, "s", "what the most loaded channel takes for its bytes: no less is possible"},
    {"predicted_seconds", CW_COLUMN_REAL, "s",
     "what the simulated transport of crosswind plan predicted; missing: it knew of none"},
};

static void add_row(struct cw_table *table, const struct cw_moves *moves, const struct cw_flit_moves_result *result)
{
    cw_table_text(table, moves->method);
    cw_table_int(table, moves->n_ranks);
    cw_table_int(table, moves->n_streams);
    cw_table_int(table, result->forwards);
    cw_table_int(table, result->lanes);
    cw_table_int(table, (int64_t)result->cycles);
    cw_table_real(table, result->seconds);
    cw_table_real(table, 1e-9 * (double)result->bytes / result->seconds);
    cw_table_real(table, result->bound_seconds);
    cw_table_real(table, moves->seconds);
}

static void note(const struct flit_mode *mode, const struct cw_moves *moves, const struct cw_flit_moves_result *result)
{
    struct cw_result *to = mode->invocation->result;
    char channel[2 * CW_NAME_SIZE], size[32];
    cw_result_note(to,
                   "Chunks of %s go along the plan's paths. A relay has room for %u of each stream, sends each on once "
                   "all of it is there, and then returns a credit of one flit. The channel of an endpoint counts as "
                   "any other here, also in tori, where plans take it for the inside of a node.",
                   cw_format_bytes(moves->chunk_bytes, size, sizeof size), moves->credits);
    cw_result_note(to, "The most loaded channel, %s, sends for %.3g of the time.",
                   cw_network_channel_name(mode->net, result->hottest, channel, sizeof channel),
                   result->bound_seconds / result->seconds);
    if (moves->seconds > 0)
        cw_result_note(to, "All data arrive in %.3g times the time that the simulated transport predicted.",
                       result->seconds / moves->seconds);
}

static int simulate(const struct flit_mode *mode, const struct cw_moves *moves)
{
    const struct common *common = &mode->invocation->common;
    struct cw_flit_moves_result result;
    struct cw_table *table;
    int rc = cw_table_new("moves", "A plan, flit by flit", columns, sizeof columns / sizeof *columns, &table);
    if (!rc) rc = cw_result_add_table(mode->invocation->result, table);
    if (rc) return rc;
    struct cw_progress *progress = invocation_progress(mode->invocation, "flit", STEPS);
    rc = cw_flit_moves_case_run(&(struct cw_flit_moves_case){.net = mode->net,
                                                             .moves = moves,
                                                             .hardware = mode->hardware,
                                                             .message_flits = mode->messages.flits,
                                                             .seed = (uint64_t)common->seed,
                                                             .n_threads = (unsigned)common->threads,
                                                             .progress = {progress, 0, STEPS}},
                                &result);
    cw_progress_free(progress);
    if (rc) return rc;
    add_row(table, moves, &result);
    note(mode, moves, &result);
    return 0;
}

int flit_moves(const struct flit_mode *mode)
{
    const char *file = mode->values->moves;
    struct cw_text text = {0};
    struct cw_moves moves;
    if (mode->messages.n_sizes > 0)
        return cw_fail(CW_EUSAGE, "--message: chunks are sent in messages of one size, expected no mix");
    int rc = cw_file_read(file, &text);
    if (!rc) rc = cw_moves_parse(file, text.data, text.length, &moves);
    cw_text_free(&text);
    if (rc) return rc;
    cw_result_set_context(mode->invocation->result, CW_CONTEXT_TRAFFIC, file);
    rc = simulate(mode, &moves);
    cw_moves_free(&moves);
    return rc;
}
