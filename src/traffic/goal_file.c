#include "traffic/goal_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define NONE UINT32_MAX

/* Of a computation [ns], 11 days. As many ns are the same number again after they were seconds. */
#define MOST_NANOSECONDS UINT64_C(1000000000000000)
#define MOST_BYTES       UINT64_C(1000000000000000000)
#define SHORTEST_PART    8  /* bytes of "rank 0{}" */
#define SHOWN            60 /* bytes of a word in messages */

static const char what[] = "a program in GOAL";

/* --- words -------------------------------------------------------------------------------------------------------- */

/* A part of the file's content; of no length where the line ends. */
struct word {
    const char *at;
    size_t length;
};

struct label {
    struct word name;
    unsigned long line;
    uint32_t action;
    uint32_t gate; /* the action that stands for its beginning; NONE: nobody waits for that */
};

struct requirement {
    struct word later, earlier;
    unsigned long line;
    bool begun;           /* EARLIER need only have begun */
    size_t who, for_whom; /* labels */
};

struct goal {
    struct cw_lines lines;
    const char *at, *end;               /* what is left of the current line */
    unsigned long comment;              /* line in which the comment begins that AT is within; 0: none */
    size_t length;                      /* bytes of the file */
    struct cw_program_builder *builder; /* NULL before num_ranks */
    uint32_t n_ranks, rank;             /* RANK: whose part this is; NONE between parts */
    unsigned long *line_of;             /* [n_ranks] where its part begins; 0: nowhere yet */
    struct label *labels;               /* of this rank, as are the requirements */
    size_t n_labels, labels_room;
    struct requirement *requirements;
    size_t n_requirements, requirements_room;
};

static bool begins_with(const struct goal *goal, const char *text)
{
    return goal->end - goal->at >= 2 && memcmp(goal->at, text, 2) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Passes over blanks and comments. */
static void skip(struct goal *goal)
{
    while (goal->at < goal->end) {
        if (goal->comment > 0 && begins_with(goal, "*/")) {
            goal->comment = 0;
            goal->at += 2;
        } else if (goal->comment > 0 || is_blank(*goal->at)) {
            goal->at++;
        } else if (begins_with(goal, "/*")) {
            goal->comment = goal->lines.number;
            goal->at += 2;
        } else if (begins_with(goal, "//")) {
            goal->at = goal->end;
        } else {
            return;
        }
    }
}

static bool is_mark(char c)
{
    return c == ':' || c == '{' || c == '}';
}

/* The next word of the line; braces and colons are words of their own. */
static struct word take(struct goal *goal)
{
    skip(goal);
    const char *from = goal->at;
    if (goal->at < goal->end && is_mark(*goal->at))
        goal->at++;
    else
        while (goal->at < goal->end && !is_blank(*goal->at) && !is_mark(*goal->at) && !begins_with(goal, "//") &&
               !begins_with(goal, "/*"))
            goal->at++;
    return (struct word){from, (size_t)(goal->at - from)};
}

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_label(struct word word)
{
    if (word.length == 0 || !is_letter(word.at[0])) return false;
    for (size_t i = 1; i < word.length; i++)
        if (!is_letter(word.at[i]) && !is_digit(word.at[i])) return false;
    return true;
}

static int shown(struct word word)
{
    return word.length < SHOWN ? (int)word.length : SHOWN;
}

static int fail_word(const struct goal *goal, struct word word, const char *expected)
{
    if (word.length == 0)
        return cw_fail_at(goal->lines.file, goal->lines.number, "the line ends too early; expected %s", expected);
    return cw_fail_at(goal->lines.file, goal->lines.number, "'%.*s' is not understood; expected %s", shown(word),
                      word.at, expected);
}

/* A number of at most MOST, all of WORD. EXPECTED says what it is. */
static int read_number(const struct goal *goal, struct word word, const char *expected, uint64_t most, uint64_t *out)
{
    uint64_t number = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (!is_digit(word.at[i])) return fail_word(goal, word, expected);
        if (number <= most) number = 10 * number + (uint64_t)(word.at[i] - '0'); /* most is below 2^60 */
    }
    if (word.length == 0) return fail_word(goal, word, expected);
    if (number > most)
        return cw_fail_at(goal->lines.file, goal->lines.number, "'%.*s' is too large; expected %s of at most %" PRIu64,
                          shown(word), word.at, expected, most);
    *out = number;
    return 0;
}

/* --- actions ------------------------------------------------------------------------------------------------------ */

/* A rank or a tag, which GOAL may leave open. */
static int read_definite(struct goal *goal, const char *expected, uint64_t most, uint32_t *out)
{
    uint64_t number = 0;
    const struct word word = take(goal);
    if (is(word, "-1"))
        return cw_fail_at(goal->lines.file, goal->lines.number,
                          "-1 takes any message, so that nobody can say before which one it is; expected %s", expected);
    const int rc = read_number(goal, word, expected, most, &number);
    if (!rc) *out = (uint32_t)number;
    return rc;
}

static int read_processor(struct goal *goal)
{
    uint64_t number = 0;
    const int rc = read_number(goal, take(goal), "a processor", UINT32_MAX, &number);
    if (rc || number == 0) return rc;
    return cw_fail_at(goal->lines.file, goal->lines.number,
                      "processor %" PRIu64 ", but a rank has one processor here; expected cpu 0", number);
}

/* What follows an action. TAG is NULL for those that have none. */
static int read_attributes(struct goal *goal, uint32_t *tag)
{
    struct word word;
    int rc = 0;
    while (!rc && (word = take(goal)).length > 0) {
        uint64_t number;
        if (tag && is(word, "tag"))
            rc = read_definite(goal, "a tag", UINT32_MAX, tag);
        else if (is(word, "cpu"))
            rc = read_processor(goal);
        else if (is(word, "nic"))
            rc = read_number(goal, take(goal), "a NIC", UINT32_MAX, &number);
        else
            rc = fail_word(goal, word, tag ? "tag, cpu, nic or the line's end" : "cpu, nic or the line's end");
    }
    return rc;
}

static int read_message(struct goal *goal, bool send, uint32_t *action)
{
    uint64_t bytes = 0;
    uint32_t peer = 0, tag = 0;
    struct word size = take(goal);
    if (size.length < 2 || size.at[size.length - 1] != 'b') return fail_word(goal, size, "a length such as 10b");
    size.length--;
    int rc = read_number(goal, size, "a length", MOST_BYTES, &bytes);
    if (rc) return rc;
    const struct word to = take(goal);
    if (!is(to, send ? "to" : "from")) return fail_word(goal, to, send ? "'to'" : "'from'");
    rc = read_definite(goal, "a rank", goal->n_ranks - 1, &peer);
    if (!rc) rc = read_attributes(goal, &tag);
    if (!rc) *action = (send ? cw_program_send : cw_program_receive)(goal->builder, goal->rank, peer, tag, bytes);
    return rc;
}

static int read_computation(struct goal *goal, uint32_t *action)
{
    uint64_t nanoseconds = 0;
    int rc = read_number(goal, take(goal), "a time in ns", MOST_NANOSECONDS, &nanoseconds);
    if (!rc) rc = read_attributes(goal, NULL);
    if (!rc) *action = cw_program_compute(goal->builder, goal->rank, (double)nanoseconds / 1e9);
    return rc;
}

static bool is_action(struct word word)
{
    return is(word, "send") || is(word, "recv") || is(word, "calc");
}

/* The action that begins with WORD. NAME has no length if it has no label. */
static int read_action(struct goal *goal, struct word word, struct word name)
{
    uint32_t action = 0;
    if (!is_action(word)) return fail_word(goal, word, "send, recv or calc");
    int rc = is(word, "calc") ? read_computation(goal, &action) : read_message(goal, is(word, "send"), &action);
    if (rc || name.length == 0) return rc;
    rc = cw_grow_array((void **)&goal->labels, &goal->labels_room, goal->n_labels + 1, sizeof *goal->labels, what);
    if (!rc) goal->labels[goal->n_labels++] = (struct label){name, goal->lines.number, action, NONE};
    return rc;
}

static int read_requirement(struct goal *goal, struct word later, bool begun)
{
    const struct word earlier = take(goal);
    if (!is_label(earlier)) return fail_word(goal, earlier, "a label");
    const struct word rest = take(goal);
    if (rest.length > 0) return fail_word(goal, rest, "the line's end");
    const int rc = cw_grow_array((void **)&goal->requirements, &goal->requirements_room, goal->n_requirements + 1,
                                 sizeof *goal->requirements, what);
    if (!rc)
        goal->requirements[goal->n_requirements++] =
            (struct requirement){.later = later, .earlier = earlier, .line = goal->lines.number, .begun = begun};
    return rc;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static int begin_program(struct goal *goal)
{
    uint64_t n = 0;
    const struct word word = take(goal);
    if (goal->builder)
        return cw_fail_at(goal->lines.file, goal->lines.number, "num_ranks was given before; expected it once");
    int rc = read_number(goal, word, "a number of ranks", NONE - 1, &n);
    if (rc) return rc;
    if (n == 0) return fail_word(goal, word, "at least 1 rank");
    if (n > goal->length / SHORTEST_PART)
        return cw_fail_at(goal->lines.file, goal->lines.number,
                          "%" PRIu64 " ranks in a file of %zu bytes; expected a part 'rank R { … }' of each", n,
                          goal->length);
    goal->n_ranks = (uint32_t)n;
    goal->line_of = cw_new_array(n, sizeof *goal->line_of, what);
    return goal->line_of ? cw_program_begin(goal->n_ranks, &goal->builder) : CW_ENOMEM;
}

static int begin_rank(struct goal *goal)
{
    uint64_t rank = 0;
    const int rc = read_number(goal, take(goal), "a rank", goal->n_ranks - 1, &rank);
    if (rc) return rc;
    const struct word brace = take(goal);
    if (!is(brace, "{")) return fail_word(goal, brace, "'{'");
    if (goal->line_of[rank] > 0)
        return cw_fail_at(goal->lines.file, goal->lines.number,
                          "rank %" PRIu64 " was given in line %lu already; expected each rank once", rank,
                          goal->line_of[rank]);
    goal->rank = (uint32_t)rank;
    goal->line_of[rank] = goal->lines.number;
    goal->n_labels = goal->n_requirements = 0;
    return 0;
}

static int compare_names(struct word a, struct word b)
{
    const int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    if (order != 0 || a.length == b.length) return order;
    return a.length < b.length ? -1 : 1;
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const int order = compare_names(x->name, y->name);
    return order ? order : x->action < y->action ? -1 : 1;
}

static int sort_labels(struct goal *goal)
{
    const struct label *labels = goal->labels;
    if (goal->n_labels == 0) return 0;
    qsort(goal->labels, goal->n_labels, sizeof *goal->labels, compare_labels);
    for (size_t i = 1; i < goal->n_labels; i++)
        if (compare_names(labels[i - 1].name, labels[i].name) == 0)
            return cw_fail_at(goal->lines.file, labels[i].line,
                              "label '%.*s' was given in line %lu already; expected each label once in a rank",
                              shown(labels[i].name), labels[i].name.at, labels[i - 1].line);
    return 0;
}

/* Which label NAME is, in a requirement of line LINE. */
static int find_label(const struct goal *goal, struct word name, unsigned long line, size_t *out)
{
    size_t low = 0, high = goal->n_labels;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_names(goal->labels[middle].name, name);
        *out = middle;
        if (order == 0) return 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return cw_fail_at(goal->lines.file, line, "rank %u has no label '%.*s'; expected that of an action", goal->rank,
                      shown(name), name.at);
}

/* Enters who waits for whom, when all of the rank is known. */
static int end_rank(struct goal *goal)
{
    int rc = sort_labels(goal);
    for (size_t i = 0; !rc && i < goal->n_requirements; i++) {
        struct requirement *at = &goal->requirements[i];
        rc = find_label(goal, at->later, at->line, &at->who);
        if (!rc) rc = find_label(goal, at->earlier, at->line, &at->for_whom);
        if (rc || !at->begun || goal->labels[at->for_whom].gate != NONE) continue;
        struct label *begins = &goal->labels[at->for_whom];
        begins->gate = cw_program_compute(goal->builder, goal->rank, 0);
        cw_program_wait(goal->builder, begins->action, begins->gate);
    }
    for (size_t i = 0; !rc && i < goal->n_requirements; i++) {
        const struct requirement *at = &goal->requirements[i];
        const struct label *who = &goal->labels[at->who], *for_whom = &goal->labels[at->for_whom];
        cw_program_wait(goal->builder, who->gate == NONE ? who->action : who->gate,
                        at->begun ? for_whom->gate : for_whom->action);
    }
    goal->rank = NONE;
    return rc;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* What begins with WORD. */
static int read_statement(struct goal *goal, struct word word)
{
    const struct word unnamed = {word.at, 0};
    if (is(word, "num_ranks")) return begin_program(goal);
    if (!goal->builder) return fail_word(goal, word, "num_ranks N first");
    if (goal->rank == NONE) return is(word, "rank") ? begin_rank(goal) : fail_word(goal, word, "rank R {");
    if (is(word, "}")) return end_rank(goal);
    if (is_action(word)) return read_action(goal, word, unnamed);
    if (is(word, "rank") || !is_label(word)) return fail_word(goal, word, "a label, send, recv, calc or '}'");
    const struct word next = take(goal);
    if (is(next, ":")) return read_action(goal, take(goal), word);
    if (is(next, "requires") || is(next, "irequires")) return read_requirement(goal, word, is(next, "irequires"));
    return fail_word(goal, next, "':', requires or irequires");
}

/* Whether all has come that was begun. */
static int check_end(const struct goal *goal)
{
    const char *file = goal->lines.file;
    if (goal->comment > 0) return cw_fail_at(file, goal->comment, "a comment that does not end; expected '*/'");
    if (!goal->builder) return cw_fail_at(file, 0, "no program; expected num_ranks N first");
    if (goal->rank != NONE)
        return cw_fail_at(file, goal->line_of[goal->rank], "the part of rank %u does not end; expected '}'",
                          goal->rank);
    for (uint32_t r = 0; r < goal->n_ranks; r++)
        if (goal->line_of[r] == 0)
            return cw_fail_at(file, 0, "rank %u is missing; expected a part 'rank R { … }' of each of %u", r,
                              goal->n_ranks);
    return 0;
}

static int read_lines(struct goal *goal)
{
    int rc = 0;
    while (!rc && cw_lines_next(&goal->lines)) {
        goal->at = goal->lines.line;
        goal->end = goal->lines.line + goal->lines.length;
        struct word word;
        while (!rc && (word = take(goal)).length > 0) rc = read_statement(goal, word);
    }
    return rc ? rc : check_end(goal);
}

int cw_goal_parse(const char *file, const char *data, size_t length, struct cw_program **out)
{
    struct goal goal = {.lines = cw_lines_of(file, data, length), .length = length, .rank = NONE};
    int rc = read_lines(&goal);
    free(goal.line_of);
    free(goal.labels);
    free(goal.requirements);
    if (!rc)
        rc = cw_program_finish(goal.builder, out);
    else
        cw_program_abandon(goal.builder);
    return rc == CW_EUSAGE ? cw_fail_at(file, 0, "%s", cw_error_message()) : rc;
}

int cw_goal_read(const char *path, struct cw_program **out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (!rc) rc = cw_goal_parse(path, text.data ? text.data : "", text.length, out);
    cw_text_free(&text);
    return rc;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The tags of the N messages that SENT [n] (peer · 2^32 + send) has of one rank. Of one tag, messages between two ranks
 * are received in the order in which they are sent; each gets the first tag with which it is. LAST [n] is for work. */
static void tag_messages(const struct cw_program *program, const uint64_t *sent, uint32_t n, uint32_t *last,
                         uint32_t *tags)
{
    uint32_t n_tags = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t send = (uint32_t)sent[i], receive = program->actions[send].partner;
        if (i > 0 && sent[i] >> 32 != sent[i - 1] >> 32) n_tags = 0;
        uint32_t low = 0, high = n_tags;
        while (low < high) { /* what was received last falls from tag to tag */
            const uint32_t middle = low + (high - low) / 2;
            if (last[middle] < receive)
                high = middle;
            else
                low = middle + 1;
        }
        if (low == n_tags) n_tags++;
        last[low] = receive;
        tags[send] = tags[receive] = low;
    }
}

/* TAGS [n_actions] of messages. */
static int find_tags(const struct cw_program *program, uint32_t *tags)
{
    uint64_t *sent = cw_new_array(program->n_actions, sizeof *sent, what);
    uint32_t *last = cw_new_array(program->n_actions, sizeof *last, what);
    for (uint32_t r = 0; sent && last && r < program->n_ranks; r++) {
        uint32_t n = 0;
        for (uint32_t i = program->first[r]; i < program->first[r + 1]; i++)
            if (program->actions[i].kind == CW_ACTION_SEND) sent[n++] = (uint64_t)program->actions[i].peer << 32 | i;
        if (n > 0) qsort(sent, n, sizeof *sent, compare_places);
        tag_messages(program, sent, n, last, tags);
    }
    const int rc = sent && last ? 0 : CW_ENOMEM;
    free(sent);
    free(last);
    return rc;
}

static int write_action(const struct cw_action *action, uint32_t label, uint32_t tag, struct cw_text *text)
{
    if (action->kind != CW_ACTION_COMPUTE) {
        const bool send = action->kind == CW_ACTION_SEND;
        cw_text_printf(text, "l%u: %s %" PRIu64 "b %s %u tag %u\n", label, send ? "send" : "recv", action->bytes,
                       send ? "to" : "from", action->peer, tag);
        return 0;
    }
    const double nanoseconds = round(action->seconds * 1e9);
    if (nanoseconds > (double)MOST_NANOSECONDS)
        return cw_fail(CW_ELIMIT, "rank %u computes for %g s; GOAL is written with at most %g s", action->rank,
                       action->seconds, 1e-9 * (double)MOST_NANOSECONDS);
    cw_text_printf(text, "l%u: calc %.0f\n", label, nanoseconds);
    return 0;
}

int cw_goal_write(const struct cw_program *program, struct cw_text *text)
{
    if (program->n_ranks == 0) return cw_fail(CW_EUSAGE, "a program without ranks; GOAL has at least one");
    uint32_t *tags = cw_new_array(program->n_actions, sizeof *tags, what);
    int rc = tags ? find_tags(program, tags) : CW_ENOMEM;
    cw_text_printf(text, "num_ranks %u\n", program->n_ranks);
    for (uint32_t r = 0; !rc && r < program->n_ranks; r++) {
        const uint32_t first = program->first[r], end = program->first[r + 1];
        cw_text_printf(text, "rank %u {\n", r);
        for (uint32_t i = first; !rc && i < end; i++) rc = write_action(&program->actions[i], i - first, tags[i], text);
        for (uint32_t i = first; i < end; i++)
            for (size_t k = program->first_next[i]; k < program->first_next[i + 1]; k++)
                cw_text_printf(text, "l%u requires l%u\n", program->next[k] - first, i - first);
        cw_text_add(text, "}\n");
    }
    free(tags);
    return rc ? rc : cw_text_check(text);
}
