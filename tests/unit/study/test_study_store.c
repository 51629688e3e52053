/* The store of studies: what is put into it is found again, with the files it was made of; what is no store is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/version.h"
#include "study/compare/store.h"

static int enter_folder(void **state)
{
    char place[] = "/tmp/cw_store_XXXXXX";
    *state = mkdtemp(place) ? strdup(place) : NULL;
    return *state ? chdir(*state) : -1;
}

static int leave_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    free(*state);
    return chdir("/") || system(command);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static struct cw_store *opened(const char *path)
{
    struct cw_store *store;
    if (cw_store_open(path, &store)) fail_msg("%s", cw_error_message());
    return store;
}

static const struct cw_study_case some_case = {
    .of = {[CW_STUDY_NETWORK] = "torus:4x4", [CW_STUDY_ROUTING] = "dor", [CW_STUDY_SEED] = "3"}};

static struct cw_measure *a_measure(const char *spec)
{
    struct cw_measure *measure;
    size_t n;
    assert_int_equal(cw_measures_parse(spec, &measure, &n), 0);
    return measure;
}

/* Puts FIGURE of DEFINITION, made of the file PATH (NULL: of none). */
static void put(struct cw_store *store, const char *definition, struct cw_study_figure figure, const char *path)
{
    struct cw_measure *measure = a_measure("ebb");
    const struct cw_study_figure_of of = {definition, &some_case, measure};
    struct cw_inputs inputs = {0};
    cw_inputs_record(&inputs);
    if (path) assert_int_equal(cw_inputs_enter(path), 0);
    cw_inputs_record(NULL);
    cw_store_put(store, &of, &figure, &inputs);
    cw_inputs_free(&inputs);
    cw_measures_free(measure, 1);
    if (cw_store_failure(store)) fail_msg("%s", cw_store_failure(store));
}

/* Whether DEFINITION is there; its files' number goes to *INPUTS. */
static bool find(struct cw_store *store, const char *definition, struct cw_study_figure *figure, size_t *n_inputs)
{
    struct cw_inputs inputs = {0};
    bool found;
    assert_int_equal(cw_store_find(store, definition, figure, &found, &inputs), 0);
    *n_inputs = inputs.n;
    if (found && inputs.n > 0) assert_string_equal(inputs.items[0].path, "file");
    cw_inputs_free(&inputs);
    return found;
}

/* Every bit of a figure comes back, also of one that is none. */
static void test_found_again(void **state)
{
    const struct cw_study_figure figures[] = {
        {.value = 0.1 + 0.2, .ci95 = 1e-300, .cut_off = 7, .seconds = 0.25},
        {.value = (double)NAN, .ci95 = (double)NAN, .word = "unknown"},
        {.value = (double)NAN, .ci95 = (double)NAN, .error = CW_EROUTE, .message = "a hole; 'quoted' \xc3\xa9"},
        {.value = (double)INFINITY, .ci95 = 0},
    };
    struct cw_store *store = opened("s.db");
    struct cw_study_figure found;
    size_t n;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const char definition[] = {(char)('a' + i), 0};
        assert_false(find(store, definition, &found, &n));
        put(store, definition, figures[i], NULL);
    }
    cw_store_close(store);
    store = opened("s.db");
    for (size_t i = 0; i < 4; i++) {
        const char definition[] = {(char)('a' + i), 0};
        assert_true(find(store, definition, &found, &n));
        if (isnan(figures[i].value))
            assert_true(isnan(found.value));
        else
            assert_memory_equal(&found.value, &figures[i].value, sizeof found.value);
        if (!isnan(figures[i].ci95)) assert_memory_equal(&found.ci95, &figures[i].ci95, sizeof found.ci95);
        assert_string_equal(found.word, figures[i].word);
        assert_string_equal(found.message, figures[i].message);
        assert_int_equal(found.error, figures[i].error);
        assert_int_equal(found.cut_off, figures[i].cut_off);
        assert_true(found.seconds == figures[i].seconds);
    }
    assert_false(find(store, "A", &found, &n));
    cw_store_close(store);
}

/* A figure holds for the contents that its files had, and for no others. */
static void test_files(void **state)
{
    struct cw_study_figure found;
    size_t n;
    (void)state;
    write_text("file", "one");
    struct cw_store *store = opened("s.db");
    put(store, "d", (struct cw_study_figure){.value = 1}, "file");
    assert_true(find(store, "d", &found, &n));
    assert_int_equal(n, 1);
    cw_store_close(store);
    write_text("file", "two");
    store = opened("s.db");
    assert_false(find(store, "d", &found, &n));
    assert_int_equal(n, 0);
    put(store, "d", (struct cw_study_figure){.value = 2}, "file");
    assert_true(find(store, "d", &found, &n));
    assert_true(found.value == 2);
    cw_store_close(store);
    write_text("file", "one");
    store = opened("s.db");
    assert_true(find(store, "d", &found, &n));
    assert_true(found.value == 1);
    cw_store_close(store);
    unlink("file");
    store = opened("s.db");
    assert_false(find(store, "d", &found, &n));
    assert_null(cw_store_failure(store));
    cw_store_close(store);
}

/* The first figure of a definition stays, whoever else comes to one. */
static void test_put_twice(void **state)
{
    struct cw_store *one = opened("s.db"), *other = opened("s.db");
    struct cw_study_figure found;
    size_t n;
    (void)state;
    put(one, "d", (struct cw_study_figure){.value = 1}, NULL);
    put(other, "d", (struct cw_study_figure){.value = 2}, NULL);
    assert_true(find(other, "d", &found, &n));
    assert_true(found.value == 1);
    cw_store_close(one);
    cw_store_close(other);
}

#define FIGURES 200

static int put_one(void *context, size_t index, unsigned thread)
{
    char definition[32];
    struct cw_study_figure figure = {.value = (double)index}, found;
    size_t n;
    (void)thread;
    struct cw_store *const *stores = context;
    snprintf(definition, sizeof definition, "%zu", index / 2);
    figure.value = (double)(index / 2);
    put(stores[index % 2], definition, figure, NULL);
    assert_true(find(stores[1 - index % 2], definition, &found, &n));
    assert_true(found.value == figure.value);
    return 0;
}

/* Four threads, and two connections, as two processes have: each sees what the other has stored. */
static void test_at_once(void **state)
{
    struct cw_store *stores[] = {opened("s.db"), opened("s.db")};
    (void)state;
    assert_int_equal(cw_parallel_for(4, FIGURES, put_one, stores), 0);
    cw_store_close(stores[0]);
    cw_store_close(stores[1]);
    assert_int_equal(access("s.db-wal", F_OK), -1);
}

static void execute(const char *path, const char *text)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void refuse(const char *path, const char *message)
{
    struct cw_store *store;
    const int rc[] = {cw_store_open(path, &store), cw_store_open_to_read(path, &store)};
    for (size_t i = 0; i < 2; i++) assert_int_equal(rc[i], CW_EIO);
    assert_string_equal(cw_error_message(), message);
}

static void test_refused(void **state)
{
    struct cw_store *store;
    (void)state;
    write_text("text",
               "this is no database, and long enough to be none for certain: one has a head of 100 bytes......");
    refuse("text", "text is no store; expected an SQLite database that crosswind has made");
    execute("other.db", "CREATE TABLE t (a)");
    refuse("other.db", "other.db is the database of another program; expected a store that crosswind has made");
    cw_store_close(opened("old.db"));
    execute("old.db", "PRAGMA user_version = 7");
    refuse("old.db", "old.db is a store of version 7, of another release of crosswind; expected version 2");
    assert_int_equal(mkdir("folder", 0700), 0);
    refuse("folder", "cannot open folder; expected a file in a folder where files can be made beside it");
    refuse("none/s.db", "cannot open none/s.db: No such file or directory");
    assert_int_equal(cw_store_open_to_read("none.db", &store), CW_EIO);
    assert_int_equal(access("none.db", F_OK), -1);
    write_text("empty.db", "");
    assert_int_equal(cw_store_open_to_read("empty.db", &store), CW_EIO);
    assert_string_equal(cw_error_message(), "empty.db is empty; expected a store that crosswind has made");
    assert_int_equal(cw_store_open("empty.db", &store), 0);
    cw_store_close(store);
}

/* What is found to be damaged later is told, and asked no more; whoever measures goes on. */
static void test_damaged(void **state)
{
    struct cw_store *store = opened("s.db");
    struct cw_study_figure found;
    char definition[16], rubbish[4096];
    size_t n;
    (void)state;
    for (int i = 0; i < 200; i++) {
        snprintf(definition, sizeof definition, "%d", i);
        put(store, definition, (struct cw_study_figure){.value = i}, NULL);
    }
    cw_store_close(store);
    const int file = open("s.db", O_RDWR);
    memset(rubbish, 'x', sizeof rubbish);
    for (int page = 1; page < 12; page++)
        assert_int_equal(pwrite(file, rubbish, sizeof rubbish, page * 4096), sizeof rubbish);
    close(file);
    if (cw_store_open("s.db", &store)) {
        assert_non_null(strstr(cw_error_message(), "s.db is damaged"));
        return;
    }
    assert_false(find(store, "3", &found, &n));
    assert_non_null(cw_store_failure(store));
    assert_non_null(strstr(cw_store_failure(store), "s.db is damaged"));
    struct cw_measure *measure = a_measure("ebb");
    const struct cw_study_figure_of of = {"new", &some_case, measure};
    const struct cw_inputs none = {0};
    cw_store_put(store, &of, &(struct cw_study_figure){.value = 1}, &none);
    assert_false(find(store, "new", &found, &n));
    cw_measures_free(measure, 1);
    cw_store_close(store);
}

struct seen {
    size_t n;
    struct cw_store_row last;
    char measure[32], network[32];
};

static int see(void *context, const struct cw_store_row *row)
{
    struct seen *seen = context;
    seen->n++;
    seen->last = *row;
    snprintf(seen->measure, sizeof seen->measure, "%s", row->measure);
    snprintf(seen->network, sizeof seen->network, "%s", row->network);
    assert_string_equal(row->version, cw_version());
    assert_int_equal(strlen(row->finished), strlen("2026-01-01T00:00:00Z"));
    return row->seed == 99 ? CW_ELIMIT : 0;
}

/* How many rows have VALUE in COLUMN, and OTHER_VALUE in OTHER. */
static struct seen rows_with(struct cw_store *store, const char *column, const char *value, const char *other,
                             const char *other_value)
{
    const char *columns[] = {column, other}, *values[] = {value, other_value};
    struct seen seen = {0};
    if (cw_store_each(store, columns, values, (column ? 1u : 0u) + (other ? 1u : 0u), see, &seen))
        fail_msg("%s", cw_error_message());
    return seen;
}

static void put_of(struct cw_store *store, const char *network, const char *failed, const char *seed,
                   const char *trials, const char *spec, double seconds)
{
    struct cw_study_case is = {.of = {[CW_STUDY_NETWORK] = network,
                                      [CW_STUDY_LFT] = failed ? "a.lfts" : NULL,
                                      [CW_STUDY_ROUTING] = failed ? NULL : "dor",
                                      [CW_STUDY_FAILED] = failed,
                                      [CW_STUDY_SEED] = seed,
                                      [CW_STUDY_TRIALS] = trials}};
    char definition[128];
    struct cw_measure *measure = a_measure(spec);
    const struct cw_inputs none = {0};
    snprintf(definition, sizeof definition, "%s %s %s %s", network, failed ? failed : "", seed, spec);
    const struct cw_study_figure_of of = {definition, &is, measure};
    cw_store_put(store, &of, &(struct cw_study_figure){.value = 1, .ci95 = (double)NAN, .seconds = seconds}, &none);
    cw_measures_free(measure, 1);
    assert_null(cw_store_failure(store));
}

static void test_rows(void **state)
{
    struct cw_store *store = opened("s.db");
    (void)state;
    put_of(store, "torus:4x4", "5%", "2", "20", "ebb", 3);
    put_of(store, "torus:4x4", NULL, "1", NULL, "ebb", 1);
    put_of(store, "it's", NULL, "1", NULL, "time:bcast bytes=1", 8);
    struct seen seen = rows_with(store, NULL, NULL, NULL, NULL);
    assert_int_equal(seen.n, 3);
    assert_string_equal(seen.network, "torus:4x4");
    assert_int_equal(seen.last.seed, 2);
    assert_int_equal(seen.last.trials, 20);
    assert_int_equal(rows_with(store, "network", "torus:4x4", NULL, NULL).n, 2);
    assert_int_equal(rows_with(store, "network", "it's", NULL, NULL).n, 1);
    assert_int_equal(rows_with(store, "network", "torus:4x4", "failed", "").n, 1);
    assert_int_equal(rows_with(store, "routing", "a.lfts", "failed", "5%").n, 1);
    assert_int_equal(rows_with(store, "routing", "dor", "failed", "5%").n, 0);
    assert_int_equal(rows_with(store, "trials", "", NULL, NULL).n, 2);
    assert_int_equal(rows_with(store, "seed", "2", NULL, NULL).n, 1);
    assert_int_equal(rows_with(store, "seed", "2' OR 1", NULL, NULL).n, 0);
    assert_string_equal(rows_with(store, "measure", "time:bcast bytes=1", NULL, NULL).measure, "time:bcast bytes=1");
    const char *wrong[] = {"network; DROP TABLE figures", "seeds"}, *values[] = {"", ""};
    assert_int_equal(cw_store_each(store, wrong, values, 1, see, &seen), CW_EUSAGE);
    assert_int_equal(cw_store_each(store, wrong + 1, values, 1, see, &seen), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "no column is called 'seeds'; did you mean 'seed'?");
    /* Of the same network, else of any. */
    assert_true(cw_store_seconds(store, "torus:4x4", "ebb") == 2);
    put_of(store, "torus:5x5", NULL, "4", NULL, "ebb", 11);
    assert_true(cw_store_seconds(store, "torus:4x4", "ebb") == 2);
    assert_true(cw_store_seconds(store, "torus:5x5", "ebb") == 11);
    assert_true(cw_store_seconds(store, "torus:6x6", "ebb") == 5);
    assert_true(cw_store_seconds(store, "torus:4x4", "time:bcast bytes=1") == 8);
    assert_true(isnan(cw_store_seconds(store, "torus:4x4", "hops")));
    assert_true(isnan(cw_store_seconds(NULL, "torus:4x4", "ebb")));
    put_of(store, "torus:5x5", NULL, "99", NULL, "ebb", 1);
    assert_int_equal(cw_store_each(store, NULL, NULL, 0, see, &seen), CW_ELIMIT);
    cw_store_close(store);
}

/* --- results of verbs --------------------------------------------------------------------------------------------- */

/* Puts a result of COMMAND whose forms are TEXT, made of the file PATH (NULL: of none). */
static void put_result(struct cw_store *store, const char *command, const char *text, const char *path, bool wrong)
{
    struct cw_stored_result result = {.wrong = wrong, .seconds = 0.5};
    struct cw_inputs inputs = {0};
    cw_text_printf(&result.text, "text %s", text);
    cw_text_printf(&result.csv, "csv %s", text);
    cw_text_printf(&result.json, "json %s", text);
    cw_text_printf(&result.metadata, "metadata %s", text);
    cw_inputs_record(&inputs);
    if (path) assert_int_equal(cw_inputs_enter(path), 0);
    cw_inputs_record(NULL);
    cw_store_put_result(store, command, &result, &inputs);
    assert_null(cw_store_failure(store));
    cw_inputs_free(&inputs);
    cw_stored_result_free(&result);
}

/* What COMMAND has, "" where there is nothing. */
static void check_result(struct cw_store *store, const char *command, const char *text, bool wrong)
{
    struct cw_stored_result found = {0};
    bool is_there;
    char expected[128];
    assert_int_equal(cw_store_find_result(store, command, &found, &is_there), 0);
    assert_int_equal(is_there, *text != 0);
    if (is_there) {
        const struct cw_text *const forms[] = {&found.text, &found.csv, &found.json, &found.metadata};
        const char *const names[] = {"text", "csv", "json", "metadata"};
        for (int i = 0; i < 4; i++) {
            snprintf(expected, sizeof expected, "%s %s", names[i], text);
            assert_string_equal(forms[i]->data, expected);
            assert_int_equal(forms[i]->length, strlen(expected));
        }
        assert_int_equal(found.wrong, wrong);
        assert_true(found.seconds == 0.5);
        assert_int_equal(strlen(found.finished), strlen("2026-01-01T00:00:00Z"));
    }
    cw_stored_result_free(&found);
}

static int list_result(void *context, const struct cw_stored_row *row)
{
    struct cw_text *list = context;
    cw_text_printf(list, "%s: %s; ", row->command, row->json);
    assert_string_equal(row->version, cw_version());
    assert_true(row->seconds == 0.5);
    return strcmp(row->command, "last") == 0 ? CW_ELIMIT : 0;
}

/* A result is that of its command and of the contents of its files; one of a pipe is not kept. */
static void test_results(void **state)
{
    struct cw_store *store = opened("s.db");
    struct cw_text list = {0};
    int64_t figures, results;
    (void)state;
    check_result(store, "noise", "", false);
    put_result(store, "noise", "caf\xc3\xa9", NULL, false);
    write_text("file", "one");
    put_result(store, "ebb file", "of one", "file", true);
    check_result(store, "ebb", "", false);
    cw_store_close(store);
    store = opened("s.db"); /* with the file's contents not known yet */
    write_text("file", "two");
    check_result(store, "ebb file", "", false);
    put_result(store, "ebb file", "of two", "file", false);
    check_result(store, "ebb file", "of two", false);
    check_result(store, "noise", "caf\xc3\xa9", false);
    cw_store_close(store);
    store = opened("s.db");
    write_text("file", "one");
    check_result(store, "ebb file", "of one", true);
    put_result(store, "ebb file", "again", "file", false); /* the first one stays */
    check_result(store, "ebb file", "of one", true);
    put_result(store, "cat", "once", "/dev/null", false);
    check_result(store, "cat", "", false);
    assert_int_equal(cw_store_count(store, &figures, &results), 0);
    assert_int_equal(figures, 0);
    assert_int_equal(results, 3);
    put_result(store, "last", "of all", NULL, false);
    assert_int_equal(cw_store_each_result(store, list_result, &list), CW_ELIMIT);
    assert_non_null(strstr(list.data, "ebb file: json of one; "));
    assert_non_null(strstr(list.data, "ebb file: json of two; "));
    assert_null(strstr(list.data, "noise"));
    cw_text_free(&list);
    cw_store_close(store);
    execute("s.db", "DROP TABLE results");
    store = opened("s.db");
    check_result(store, "noise", "", false);
    assert_non_null(strstr(cw_store_failure(store), "no such table"));
    cw_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_again, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_files, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_put_twice, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_at_once, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_refused, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_damaged, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_rows, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_results, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
