#include "cli/plan/plan_moves.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "flow/moves/moves.h"
#include "net/network_internal.h"

/* --- words -------------------------------------------------------------------------------------------------------- */

static void say_bytes(struct cw_text *text, uint64_t bytes)
{
    char number[32];
    cw_text_add(text, cw_format_bytes(bytes, number, sizeof number));
}

/* "all of h3's 8 MiB" or "bytes 0 to 99 of h3's 8 MiB" */
static void say_part(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step, const char *whose)
{
    const uint64_t all = moves->demands[step->demand].bytes;
    if (step->bytes == all)
        cw_text_add(text, "all");
    else
        cw_text_printf(text, "bytes %" PRIu64 " to %" PRIu64, step->offset, step->offset + (step->bytes - 1));
    cw_text_printf(text, " of %s ", whose);
    say_bytes(text, all);
}

/* "16 chunks of 64 KiB, the last of 5 B" */
static void say_chunks(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step)
{
    const uint64_t n = cw_moves_chunks(moves, step->bytes), last = step->bytes - (n - 1) * moves->chunk_bytes;
    if (n == 1) {
        cw_text_add(text, "one chunk");
        return;
    }
    cw_text_printf(text, "%" PRIu64 " chunks of ", n);
    say_bytes(text, moves->chunk_bytes);
    if (last == moves->chunk_bytes) return;
    cw_text_add(text, ", the last of ");
    say_bytes(text, last);
}

/* ", by way of s1, s2 and s3": the switches between two ranks */
static void say_way(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step,
                    const struct cw_network *net)
{
    char name[CW_NAME_SIZE];
    for (uint32_t i = 0; i + 1 < step->n_channels; i++) {
        const uint32_t at = net->head[moves->channels[step->first_channel + i]];
        cw_text_add(text, i == 0 ? ", by way of " : i + 2 < step->n_channels ? ", " : " and ");
        cw_text_add(text, cw_network_name(net, at, name, sizeof name));
    }
}

static void say_step(struct cw_text *text, const struct cw_moves *moves, const struct cw_step *step, const char *who,
                     const struct cw_network *net)
{
    const struct cw_moves_demand *demand = &moves->demands[step->demand];
    const char *src = moves->names[demand->src], *dst = moves->names[demand->dst];
    char whose[CW_NAME_SIZE + 2] = "its";
    if (step->kind != CW_STEP_SEND) snprintf(whose, sizeof whose, "%s's", src);
    cw_text_printf(text, "%s %ss ", who, cw_step_names[step->kind]);
    say_part(text, moves, step, whose);
    switch (step->kind) {
    case CW_STEP_SEND:
        cw_text_printf(text, " for %s to %s", dst, moves->names[step->to]);
        break;
    case CW_STEP_FORWARD:
        cw_text_printf(text, " for %s from %s to %s", dst, moves->names[step->from], moves->names[step->to]);
        break;
    case CW_STEP_RECEIVE:
        cw_text_printf(text, " from %s", moves->names[step->from]);
    }
    cw_text_add(text, ", in ");
    say_chunks(text, moves, step);
    if (step->kind == CW_STEP_FORWARD) cw_text_add(text, ", each once all of it is there");
    if (step->kind != CW_STEP_RECEIVE) say_way(text, moves, step, net);
    cw_text_add(text, ".");
}

static int explain_rank(struct cw_result *result, const struct cw_moves *moves, uint32_t rank,
                        const struct cw_network *net)
{
    struct cw_text text = {0};
    uint64_t forwards = 0;
    for (size_t i = moves->first_step[rank]; i < moves->first_step[rank + 1]; i++) {
        if (text.length > 0) cw_text_add(&text, " ");
        say_step(&text, moves, &moves->steps[i], text.length > 0 ? "It" : moves->names[rank], net);
        forwards += moves->steps[i].kind == CW_STEP_FORWARD;
    }
    if (forwards > 0) {
        const uint64_t chunks = forwards * moves->credits;
        cw_text_printf(&text, " For what it forwards it has room for %" PRIu64 " chunk%s.", chunks, cw_plural(chunks));
    }
    const int rc = cw_text_check(&text);
    if (!rc) cw_result_note(result, "%s", text.data);
    cw_text_free(&text);
    return rc;
}

/* --- who ---------------------------------------------------------------------------------------------------------- */

static uint32_t find_rank(const struct cw_moves *moves, const char *name, size_t length)
{
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        if (strlen(moves->names[r]) == length && memcmp(moves->names[r], name, length) == 0) return r;
    return CW_NONE;
}

static int explain_named(struct cw_result *result, const struct cw_moves *moves, const char *names,
                         const struct cw_network *net)
{
    int rc = 0;
    for (const char *name = names; !rc;) {
        const size_t length = strcspn(name, ",");
        const uint32_t rank = find_rank(moves, name, length);
        if (rank == CW_NONE)
            return cw_fail(CW_EUSAGE, "--explain: no endpoint called '%.*s' has a part in this plan; expected e.g. %s",
                           (int)length, name, moves->names[0]);
        rc = explain_rank(result, moves, rank, net);
        if (name[length] == 0) break;
        name += length + 1;
    }
    return rc;
}

static int explain_moves(struct cw_result *result, const struct cw_moves *moves, const char *names,
                         const struct cw_network *net)
{
    cw_result_note(result,
                   "What the plan of %s has each of %u ranks do, all of it at once; a relay has room for %u chunk%s of "
                   "each path's:",
                   moves->method, moves->n_ranks, moves->credits, cw_plural(moves->credits));
    if (strcmp(names, "all") != 0) return explain_named(result, moves, names, net);
    int rc = 0;
    for (uint32_t r = 0; r < moves->n_ranks && !rc; r++) rc = explain_rank(result, moves, r, net);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int write_moves(struct cw_result *result, const struct cw_moves *moves, const char *file)
{
    struct cw_text text = {0};
    int rc = cw_moves_write(moves, &text);
    if (!rc) rc = cw_file_write(file, &text);
    cw_text_free(&text);
    if (!rc)
        cw_result_note(result, "Written to %s: what each of %u ranks does to carry out the plan of %s.", file,
                       moves->n_ranks, moves->method);
    return rc;
}

int plan_moves(struct cw_result *result, struct cw_plan_case *made, const struct cw_plan_run *run, const char *file,
               const char *explain)
{
    struct cw_moves moves;
    int rc = cw_moves_make(&made->problem, &run->plan, made->transport.chunk_bytes, (uint32_t)made->transport.credits,
                           &moves);
    if (rc) return rc;
    if (run->predicted) moves.seconds = run->moved.seconds;
    if (file) rc = cw_plan_case_default_seconds(made, &moves.default_seconds);
    if (!rc && file) rc = write_moves(result, &moves, file);
    if (!rc && explain) rc = explain_moves(result, &moves, explain, made->net);
    cw_moves_free(&moves);
    return rc;
}
