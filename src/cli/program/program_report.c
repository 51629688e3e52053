#include "cli/program/program_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/rows.h"

#define SIZES  64   /* powers of two */
#define WAITED 0.05 /* share of the time in which ranks waited for processors, from which on it is said */

static const struct cw_column program_columns[] = {
    {"ranks", CW_COLUMN_INT, NULL, "of the program"},
    {"messages", CW_COLUMN_INT, NULL, "those of collectives included"},
    {"bytes", CW_COLUMN_INT, "byte", "of all messages"},
    {"time", CW_COLUMN_REAL, "s", "of the longest rank, from MPI_Init to MPI_Finalize, when it was recorded"},
    {"computing", CW_COLUMN_REAL, NULL, "share of the time of all ranks between calls of MPI"},
    {"computed", CW_COLUMN_REAL, "s", "by all ranks together"},
};

static const struct cw_column call_columns[] = {
    {"call", CW_COLUMN_TEXT, NULL, "function of MPI"},
    {"calls", CW_COLUMN_INT, NULL, "of all ranks"},
    {"bytes", CW_COLUMN_INT, "byte", "that were given to it to send, or as the size of a collective"},
    {"time", CW_COLUMN_REAL, "s", "in it, of all ranks together"},
    {"mean", CW_COLUMN_REAL, "s", "of a call"},
    {"share", CW_COLUMN_REAL, NULL, "of the time of all ranks"},
};

static const struct cw_column size_columns[] = {
    {"from", CW_COLUMN_INT, "byte", "length of a message, at least"},
    {"to", CW_COLUMN_INT, "byte", "length of a message, at most"},
    {"messages", CW_COLUMN_INT, NULL, "of such a length"},
    {"bytes", CW_COLUMN_INT, "byte", "of them all"},
    {"share", CW_COLUMN_REAL, NULL, "of the bytes of all messages"},
};

static const struct cw_column matrix_columns[] = {
    {"src", CW_COLUMN_INT, NULL, "rank that sends"},
    {"dst", CW_COLUMN_INT, NULL, "rank that receives"},
    {"bytes", CW_COLUMN_INT, "byte", "of all messages between them, this way"},
    {"share", CW_COLUMN_REAL, NULL, "of the bytes of all messages"},
};

static const struct cw_column rank_columns[] = {
    {"rank", CW_COLUMN_INT, NULL, "in MPI_COMM_WORLD"},
    {"calls", CW_COLUMN_INT, NULL, "of MPI; a row of calls that found nothing counts once"},
    {"computed", CW_COLUMN_REAL, "s", "between calls"},
    {"in_mpi", CW_COLUMN_REAL, "s", "in calls"},
    {"computing", CW_COLUMN_REAL, NULL, "share of its time"},
};

static const struct cw_column event_columns[] = {
    {"begin", CW_COLUMN_REAL, "s", "of the call, since MPI_Init"},
    {"computed", CW_COLUMN_REAL, "s", "before it, since the last call"},
    {"call", CW_COLUMN_TEXT, NULL, "function of MPI"},
    {"time", CW_COLUMN_REAL, "s", "in it"},
    {"what", CW_COLUMN_TEXT, NULL, "what it did, as in the file (doc/formats/recording.md)"},
    {"end", CW_COLUMN_REAL, "s", "of the call, since MPI_Init", .detail = true},
};

static const struct cw_column action_columns[] = {
    {"action", CW_COLUMN_INT, NULL, "of the rank, from 0"},
    {"kind", CW_COLUMN_TEXT, NULL, "send, receive or compute"},
    {"peer", CW_COLUMN_INT, NULL, "the message's other rank"},
    {"bytes", CW_COLUMN_INT, "byte", "of a message"},
    {"time", CW_COLUMN_REAL, "s", "of a computation"},
    {"waits", CW_COLUMN_INT, NULL, "for so many other actions of the rank"},
};

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static int new_table(const struct program_subject *subject, const char *name, const char *title,
                     const struct cw_column *columns, size_t n, struct cw_table **out)
{
    const int rc = cw_result_new_table(subject->invocation->result, name, title, columns, n, out);
    if (!rc) cw_table_cut_text(*out, subject->top);
    return rc;
}

static int add_summary(const struct program_subject *subject)
{
    struct cw_table *table;
    const int rc =
        cw_result_new_table(subject->invocation->result, "program", "The program", CW_ITEMS(program_columns), &table);
    if (rc) return rc;
    cw_table_row(table, "%u %" PRIu64 " %" PRIu64, subject->program->n_ranks, subject->messages, subject->bytes);
    if (subject->recording)
        cw_table_row(table, "%g %g", cw_recording_seconds(subject->recording),
                     share(subject->computed, subject->computed + subject->in_mpi));
    else
        cw_table_row(table, "- -");
    cw_table_row(table, "%g", subject->computed);
    return 0;
}

/* Those that took longest first. */
static int compare_calls(const void *a, const void *b)
{
    const struct cw_recorded_calls *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int add_calls(const struct program_subject *subject)
{
    struct cw_table *table;
    size_t n;
    const struct cw_recorded_calls *calls = cw_recording_calls(subject->recording, &n);
    struct cw_recorded_calls *sorted = cw_new_array(n, sizeof *sorted, "calls");
    int rc = sorted ? new_table(subject, "calls", "What took time in MPI", CW_ITEMS(call_columns), &table) : CW_ENOMEM;
    if (!rc && n > 0) {
        memcpy(sorted, calls, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_calls);
    }
    for (size_t i = 0; !rc && i < n; i++)
        cw_table_row(table, "%s %" PRIu64 " %" PRIu64 " %g %g %g", sorted[i].name, sorted[i].n, sorted[i].bytes,
                     sorted[i].seconds, sorted[i].seconds / (double)sorted[i].n,
                     share(sorted[i].seconds, subject->computed + subject->in_mpi));
    free(sorted);
    return rc;
}

/* Of a message: 0, 1, 2 to 3, 4 to 7, … */
static unsigned size_class(uint64_t bytes)
{
    return bytes > 0 ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

static int add_sizes(const struct program_subject *subject)
{
    uint64_t messages[SIZES + 1] = {0}, bytes[SIZES + 1] = {0};
    struct cw_table *table;
    const int rc = cw_result_new_table(subject->invocation->result, "sizes", "How long messages are",
                                       CW_ITEMS(size_columns), &table);
    for (uint32_t i = 0; !rc && i < subject->program->n_actions; i++) {
        const struct cw_action *at = &subject->program->actions[i];
        if (at->kind != CW_ACTION_SEND) continue;
        messages[size_class(at->bytes)]++;
        bytes[size_class(at->bytes)] += at->bytes;
    }
    for (unsigned c = 0; !rc && c < SIZES; c++) { /* messages have less than 2^60 bytes */
        const uint64_t from = c > 0 ? UINT64_C(1) << (c - 1) : 0, to = c > 0 ? 2 * from - 1 : 0;
        if (messages[c] == 0) continue;
        cw_table_row(table, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %g", from, to, messages[c], bytes[c],
                     share((double)bytes[c], (double)subject->bytes));
    }
    return rc;
}

/* Those that carry most first. */
static int compare_flows(const void *a, const void *b)
{
    const struct cw_flow *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

static int add_matrix(struct program_subject *subject)
{
    struct cw_table *table;
    const struct cw_flows *matrix = &subject->matrix;
    const int rc = new_table(subject, "matrix", "Who sends to whom", CW_ITEMS(matrix_columns), &table);
    if (matrix->n > 0) qsort(matrix->items, matrix->n, sizeof *matrix->items, compare_flows);
    for (size_t i = 0; !rc && i < matrix->n; i++)
        cw_table_row(table, "%u %u %" PRIu64 " %g", matrix->items[i].src, matrix->items[i].dst, matrix->items[i].bytes,
                     share((double)matrix->items[i].bytes, (double)subject->bytes));
    return rc;
}

static int add_ranks(const struct program_subject *subject)
{
    struct cw_table *table;
    const int rc = new_table(subject, "ranks", "What ranks did", CW_ITEMS(rank_columns), &table);
    for (uint32_t r = 0; !rc && r < subject->program->n_ranks; r++) {
        const double computed = cw_recording_computed(subject->recording, r),
                     in_mpi = cw_recording_in_mpi(subject->recording, r);
        cw_table_row(table, "%u %zu %g %g %g", r, cw_recording_events(subject->recording, r), computed, in_mpi,
                     share(computed, computed + in_mpi));
    }
    return rc;
}

/* What one rank does. */
static int add_events(const struct program_subject *subject, uint32_t rank)
{
    struct cw_table *table;
    int rc = new_table(subject, "timeline", "What the rank did", CW_ITEMS(event_columns), &table);
    for (size_t i = 0; !rc && i < cw_recording_events(subject->recording, rank); i++) {
        struct cw_recorded_event event;
        cw_recording_event(subject->recording, rank, i, &event);
        char *words = cw_copy_text(event.words, event.words_length);
        if (!words) rc = CW_ENOMEM;
        if (!rc)
            cw_table_row(table, "%g %g %s %g %s %g", event.begin, event.computed, event.name, event.seconds, words,
                         event.begin + event.seconds);
        free(words);
    }
    if (rc) return rc;
    return cw_result_figure(subject->invocation->result, &(struct cw_figure){.kind = CW_FIGURE_TIMELINE,
                                                                             .table = "timeline",
                                                                             .who = "call",
                                                                             .from = "begin",
                                                                             .to = "end",
                                                                             .x_label = "time since MPI_Init"});
}

static int add_actions(const struct program_subject *subject, uint32_t rank)
{
    static const char *const kinds[] = {"send", "receive", "compute"};
    const struct cw_program *program = subject->program;
    struct cw_table *table;
    const int rc = new_table(subject, "timeline", "What the rank does", CW_ITEMS(action_columns), &table);
    for (uint32_t i = program->first[rank]; !rc && i < program->first[rank + 1]; i++) {
        const struct cw_action *at = &program->actions[i];
        cw_table_row(table, "%u %s", i - program->first[rank], kinds[at->kind]);
        if (at->kind == CW_ACTION_COMPUTE)
            cw_table_row(table, "- - %g", at->seconds);
        else
            cw_table_row(table, "%u %" PRIu64 " -", at->peer, at->bytes);
        cw_table_row(table, "%u", at->waits);
    }
    return rc;
}

void program_note_processors(struct cw_result *result, uint32_t crowd, uint32_t processors, double waited)
{
    struct cw_text text = {0};
    if (crowd > 0)
        cw_text_printf(&text, "%u ranks had %u processor%s of one machine when they were recorded.", crowd, processors,
                       cw_plural(processors));
    if (waited > WAITED)
        cw_text_printf(&text,
                       "%s%.0f %% of their time the ranks could have run and had no processor, which others used: "
                       "what they computed, and were in MPI, may have taken longer for that.",
                       crowd > 0 ? " For " : "For ", 100 * waited);
    else if (crowd > 0)
        cw_text_add(&text, " What they computed, and were in MPI, may have taken longer for that.");
    if (text.length > 0) cw_result_note_text(result, &text);
}

static void add_notes(const struct program_subject *subject)
{
    struct cw_result *result = subject->invocation->result;
    if (!subject->recording) return;
    const uint32_t cut = cw_recording_cut(subject->recording);
    uint32_t crowd = 0, processors = 0;
    cw_result_note(result, "Ranks computed for %.1f %% of their time, and were in MPI for %.1f %%.",
                   100 * share(subject->computed, subject->computed + subject->in_mpi),
                   100 * share(subject->in_mpi, subject->computed + subject->in_mpi));
    const bool few = cw_recording_crowded(subject->recording, &crowd, &processors);
    program_note_processors(result, few ? crowd : 0, processors, cw_recording_waited(subject->recording));
    if (cut > 0)
        cw_result_note(result,
                       "Of %u of %u ranks the recording does not reach MPI_Finalize: what came after its end is "
                       "not known.",
                       cut, subject->program->n_ranks);
    if (subject->left_out > 0)
        cw_result_note(result,
                       "%" PRIu64 " sends, receives and calls of collectives are left out: the other ranks' part "
                       "in them is not in the recording.",
                       subject->left_out);
    cw_result_note(result, "Collectives count as the messages of schedules, %s, not as what MPI sent.",
                   subject->rule ? "by the rule that was given"
                                 : "those that are usual for short messages (--collectives)");
}

/* What ranks send to each other, how long messages are, and what takes time. */
static int declare_figures(const struct program_subject *subject)
{
    static const struct cw_figure_panel of_calls[] = {{.y = "time"}, {.y = "calls"}, {.y = "mean"}},
                                        of_sizes[] = {{.y = "messages"}, {.y = "bytes"}};
    static const struct cw_figure figures[] = {
        {.kind = CW_FIGURE_HEAT_MAP,
         .table = "matrix",
         .title = "Who sends how much to whom",
         .row = "src",
         .column = "dst",
         .value = "bytes"},
        {.kind = CW_FIGURE_BARS, .table = "sizes", .rows = "from", .panels = of_sizes, .n_panels = 2},
        {.kind = CW_FIGURE_BARS, .table = "calls", .rows = "call", .panels = of_calls, .n_panels = 3}};
    int rc = 0;
    for (int i = 0; !rc && i < (subject->recording ? 3 : 2); i++)
        rc = cw_result_figure(subject->invocation->result, &figures[i]);
    return rc;
}

int program_report(struct program_subject *subject, int64_t rank)
{
    if (rank >= 0)
        return subject->recording ? add_events(subject, (uint32_t)rank) : add_actions(subject, (uint32_t)rank);
    int rc = add_summary(subject);
    if (!rc && subject->recording) rc = add_calls(subject);
    if (!rc) rc = add_sizes(subject);
    if (!rc) rc = add_matrix(subject);
    if (!rc && subject->recording) rc = add_ranks(subject);
    if (!rc) rc = declare_figures(subject);
    if (!rc) add_notes(subject);
    return rc;
}
