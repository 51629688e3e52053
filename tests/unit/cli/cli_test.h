/*
 * Verbs, run as the program runs them, in a process of their own: what they print, and their result as JSON. Each test
 * defines which verbs there are. What a result should say is computed by whoever asks.
 */
#ifndef CW_TESTS_CLI_TEST_H
#define CW_TESTS_CLI_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/error.h"
#include "base/text.h"
#include "cli/program.h"
#include "cli/verb.h"

#define WORDS 40 /* of a command line, at most */

const char program_name[] = "crosswind";

struct ran {
    int status;
    char *out, *err; /* what it printed */
    json_t *json;    /* of `out`; NULL: it is none */
};

static inline char *content_of(const char *path)
{
    struct cw_text text = {0};
    if (cw_file_read(path, &text) != 0) fail_msg("%s", cw_error_message());
    char *out = text.data ? strdup(text.data) : strdup("");
    cw_text_free(&text);
    assert_non_null(out);
    return out;
}

/* LINE split at blanks, from WORDS[1] on; a word in '…' may have some. */
static inline int split_line(char *line, char *words[WORDS + 1])
{
    int n = 1;
    for (char *at = line + strspn(line, " "); *at; at += strspn(at, " ")) {
        const char end = *at == '\'' ? '\'' : ' ';
        at += end == '\'';
        assert_true(n < WORDS);
        words[n++] = at;
        at += strcspn(at, end == '\'' ? "'" : " ");
        if (*at) *at++ = '\0';
    }
    words[n] = NULL;
    return n;
}

/* Ends the process as exit does. AddressSanitizer takes longer for that than most verbs run: it forgets each global
 * variable, and looks for leaks. What one line leaks others do, too: of those that succeed it looks at the first ten,
 * and then at every tenth. */
static inline void exit_with(int status, bool leaks_unseen)
{
#ifdef __SANITIZE_ADDRESS__
    if (!leaks_unseen) __lsan_do_leak_check();
    fflush(NULL);
    _exit(status);
#else
    (void)leaks_unseen;
    exit(status);
#endif
}

/* No defaults of whoever runs the tests. */
__attribute__((constructor)) static void no_configuration(void)
{
    setenv("CROSSWIND_CONFIG", "", false);
}

/* Runs the command LINE of "crosswind"; RANKS as in program_main. */
static inline struct ran run_as(const struct program_ranks *ranks, const char *line)
{
    char out[] = "/tmp/cw_cli_XXXXXX", err[] = "/tmp/cw_cli_XXXXXX", *words[WORDS + 1], *copy = strdup(line);
    const int to[] = {mkstemp(out), mkstemp(err)};
    char name[] = "crosswind";
    struct ran ran = {0};
    static int runs;
    assert_true(to[0] >= 0 && to[1] >= 0 && copy);
    const int n = split_line(copy, words);
    words[0] = name;
    fflush(NULL);
    runs++;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(to[0], STDOUT_FILENO);
        dup2(to[1], STDERR_FILENO);
        const int status = program_main(ranks, n, words);
        exit_with(status, status == 0 && runs > 10 && runs % 10 > 0);
    }
    assert_int_equal(waitpid(child, &ran.status, 0), child);
    if (!WIFEXITED(ran.status)) fail_msg("'%s' ended by signal %d", line, WTERMSIG(ran.status));
    ran.status = WEXITSTATUS(ran.status);
    ran.out = content_of(out);
    ran.err = content_of(err);
    ran.json = json_loads(ran.out, 0, NULL);
    close(to[0]);
    close(to[1]);
    unlink(out);
    unlink(err);
    free(copy);
    return ran;
}

static inline struct ran run_line(const char *line)
{
    return run_as(NULL, line);
}

static inline void ran_free(struct ran *ran)
{
    free(ran->out);
    free(ran->err);
    json_decref(ran->json);
    *ran = (struct ran){0};
}

/* A result: the line with --format json and one thread must succeed. */
static inline struct ran result_of(const char *line)
{
    char whole[2048];
    snprintf(whole, sizeof whole, "%s --format json --threads 1", line);
    struct ran ran = run_line(whole);
    if (ran.status != 0 || !ran.json) fail_msg("'%s' gives %d: %s", whole, ran.status, ran.err);
    return ran;
}

/* It must fail with STATUS, and say PART. */
static inline void check_refused(const char *line, int status, const char *part)
{
    struct ran ran = run_line(line);
    if (ran.status != status || !strstr(ran.err, part))
        fail_msg("'%s' gives %d and says '%s' instead of %d and '%s'", line, ran.status, ran.err, status, part);
    ran_free(&ran);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static inline const json_t *table_of(const struct ran *ran, const char *table)
{
    const json_t *rows = json_object_get(json_object_get(json_object_get(ran->json, "tables"), table), "rows");
    if (!rows) fail_msg("there is no table '%s'", table);
    return rows;
}

static inline size_t rows_of(const struct ran *ran, const char *table)
{
    return json_array_size(table_of(ran, table));
}

static inline bool has_table(const struct ran *ran, const char *table)
{
    return json_object_get(json_object_get(ran->json, "tables"), table);
}

static inline const json_t *cell(const struct ran *ran, const char *table, size_t row, const char *column)
{
    const json_t *value = json_object_get(json_array_get(table_of(ran, table), row), column);
    if (!value) fail_msg("table '%s' has no %s in row %zu", table, column, row);
    return value;
}

/* NAN: none. Results have ten digits. */
static inline void check_real(const struct ran *ran, const char *table, size_t row, const char *column, double expected)
{
    const json_t *value = cell(ran, table, row, column);
    const double got = json_is_null(value) ? (double)NAN : json_number_value(value);
    assert_true(json_is_null(value) || json_is_number(value));
    if (isnan(got) != isnan(expected) || fabs(got - expected) > 1e-9 * fabs(expected))
        fail_msg("%s of row %zu in '%s' is %.10g instead of %.10g", column, row, table, got, expected);
}

static inline void check_int(const struct ran *ran, const char *table, size_t row, const char *column, int64_t expected)
{
    const json_t *value = cell(ran, table, row, column);
    if (!json_is_integer(value) || json_integer_value(value) != expected)
        fail_msg("%s of row %zu in '%s' is %lld instead of %lld", column, row, table,
                 (long long)json_integer_value(value), (long long)expected);
}

/* NULL: none. */
static inline void check_text(const struct ran *ran, const char *table, size_t row, const char *column,
                              const char *expected)
{
    const json_t *value = cell(ran, table, row, column);
    const char *got = json_string_value(value);
    if (expected ? !got || strcmp(got, expected) != 0 : !json_is_null(value))
        fail_msg("%s of row %zu in '%s' is '%s' instead of '%s'", column, row, table, got ? got : "-",
                 expected ? expected : "-");
}

static inline const char *context_of(const struct ran *ran, const char *name)
{
    return json_string_value(json_object_get(json_object_get(ran->json, "context"), name));
}

/* How many notes have PART in them. */
static inline size_t notes_with(const struct ran *ran, const char *part)
{
    const json_t *notes = json_object_get(ran->json, "notes");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(notes); i++)
        n += strstr(json_string_value(json_array_get(notes, i)), part) != NULL;
    return n;
}

static inline void check_note(const struct ran *ran, const char *part)
{
    if (notes_with(ran, part) == 1) return;
    char *notes = json_dumps(json_object_get(ran->json, "notes"), JSON_INDENT(1));
    fail_msg("%zu notes say '%s' of\n%s", notes_with(ran, part), part, notes);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* A folder for the test, where it stays. */
static inline int enter_folder(void **state)
{
    char place[] = "/tmp/cw_cli_XXXXXX";
    *state = mkdtemp(place) ? strdup(place) : NULL;
    return *state ? chdir(*state) : -1;
}

static inline int leave_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    free(*state);
    return chdir("/") || system(command);
}

static inline void write_text(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static inline size_t lines_of(const char *path)
{
    char *content = content_of(path);
    size_t n = 0;
    for (const char *c = content; *c; c++) n += *c == '\n';
    free(content);
    return n;
}

#endif
