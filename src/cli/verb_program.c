/* crosswind program: what a program does, by its recording or as GOAL text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/program/program_report.h"
#include "traffic/goal_file.h"
#include "traffic/recorded/recording.h"

struct program_options {
    char *collectives, *goal, *matrix;
    int64_t rank, top;
};

static const struct cw_option arguments[] = {
    {.name = "FILE",
     .type = CW_OPTION_INPUT,
     .required = true,
     .help = "a recording that libcrosswind-record.so has written, or a program as GOAL text"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "collectives",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct program_options, collectives),
     .value_name = "RULE[;RULE...]",
     .help =
         "which schedules the collectives of a recording are (crosswind help schedules): KIND=SCHEDULE, or "
         "KIND>SIZE=SCHEDULE for those of more bytes; the last rule that fits counts; without one, what the name of "
         "a collective means for crosswind jobs"},
    {.name = "rank",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct program_options, rank),
     .value_name = "R",
     .default_text = "-1",
     .min = -1,
     .max = UINT32_MAX,
     .help = "show what rank R does, one thing after another; -1: show all ranks together"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct program_options, top),
     .value_name = "N",
     .default_text = "10",
     .min = 0,
     .max = 1e9,
     .help = "how many rows of a table text shows; CSV and JSON have all"},
    {.name = "write-goal",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct program_options, goal),
     .help = "write the program to FILE as GOAL text, as crosswind jobs reads it (goal:FILE)"},
    {.name = "write-matrix",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct program_options, matrix),
     .help = "write who sends how much to whom to FILE, as the pattern matrix:FILE reads it"},
    {.name = NULL},
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int read_subject(struct program_subject *subject)
{
    const struct program_options *values = subject->invocation->values;
    const char *path = subject->invocation->positional[0];
    struct cw_text text = {0};
    int rc = cw_recording_text(path, &text);
    const char *data = text.data ? text.data : "";
    if (!rc && cw_recording_is(data, text.length)) {
        rc = cw_recording_parse(path, data, text.length, &subject->recording);
        if (!rc)
            rc = cw_recording_program(subject->recording, values->collectives, &subject->program, &subject->left_out);
    } else if (!rc && values->collectives) {
        rc = cw_fail(CW_EUSAGE, "--collectives is for recordings; in %s, as GOAL text, collectives are messages", path);
    } else if (!rc) {
        rc = cw_goal_parse(path, data, text.length, &subject->program);
    }
    cw_text_free(&text);
    if (!rc && values->rank >= (int64_t)subject->program->n_ranks)
        rc = cw_fail(CW_EUSAGE, "--rank %" PRId64 ": the program has %u ranks, numbered from 0", values->rank,
                     subject->program->n_ranks);
    if (!rc && values->rank >= 0 && !subject->recording)
        rc = invocation_refuse_plot(subject->invocation, "of one --rank is for recordings: GOAL text has no times");
    return rc;
}

static void count(struct program_subject *subject)
{
    const struct cw_program *program = subject->program;
    for (uint32_t i = 0; i < program->n_actions; i++) {
        const struct cw_action *at = &program->actions[i];
        if (at->kind == CW_ACTION_SEND) {
            subject->messages++;
            subject->bytes += at->bytes;
        } else if (at->kind == CW_ACTION_COMPUTE && !subject->recording) {
            subject->computed += at->seconds;
        }
    }
    for (uint32_t r = 0; subject->recording && r < program->n_ranks; r++) {
        subject->computed += cw_recording_computed(subject->recording, r);
        subject->in_mpi += cw_recording_in_mpi(subject->recording, r);
    }
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static int write_goal(const struct program_subject *subject, const char *path)
{
    struct cw_text text = {0};
    int rc = cw_goal_write(subject->program, &text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

static int write_matrix(const struct program_subject *subject, const char *path)
{
    struct cw_text text = {0};
    int rc = 0;
    cw_text_add(&text, "src,dst,bytes\n");
    for (size_t i = 0; i < subject->matrix.n; i++) {
        const struct cw_flow *flow = &subject->matrix.items[i];
        if (flow->bytes > 0) cw_text_printf(&text, "%u,%u,%" PRIu64 "\n", flow->src, flow->dst, flow->bytes);
    }
    rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int run(struct invocation *invocation)
{
    const struct program_options *values = invocation->values;
    struct program_subject subject = {
        .invocation = invocation, .rule = values->collectives, .top = (size_t)values->top};
    cw_result_set_context(invocation->result, CW_CONTEXT_SEED, NULL);
    int rc = read_subject(&subject);
    if (!rc) rc = cw_program_matrix(subject.program, &subject.matrix);
    if (!rc) count(&subject);
    if (!rc && values->goal) rc = write_goal(&subject, values->goal);
    if (!rc && values->matrix) rc = write_matrix(&subject, values->matrix);
    if (!rc) rc = program_report(&subject, values->rank);
    cw_flows_free(&subject.matrix);
    cw_program_free(subject.program);
    cw_recording_free(subject.recording);
    return rc;
}

const struct verb verb_program = {
    .name = "program",
    .help = "What a program does: calls, messages and computing, of its recording",
    .arguments = arguments,
    .description =
        "A program of MPI is recorded with LD_PRELOAD=libcrosswind-record.so and CROSSWIND_RECORD=FILE in the "
        "environment of its ranks. This shows what they called, what took time, how long messages are and who sends to "
        "whom; with --rank, one call after another. Collectives count as the messages of schedules. crosswind jobs "
        "replays a recording (recorded:FILE) on any network. A program as GOAL text has no calls and no times of MPI.",
    .examples = "  CROSSWIND_RECORD=app.rec mpirun -n 64 env LD_PRELOAD=libcrosswind-record.so ./app\n"
                "  crosswind program app.rec\n"
                "  crosswind program app.rec --rank 5 --top 50\n"
                "  crosswind program app.rec --collectives 'allreduce>64KiB=ring-allreduce' --write-goal app.goal\n"
                "  crosswind jobs fabric.ibnetdiscover --jobs recorded:app.rec\n",
    .options = options,
    .size = sizeof(struct program_options),
    .computes = true,
    .stores = STORES_RESULT,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
