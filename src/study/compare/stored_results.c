/* Results of verbs in a store. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/version.h"
#include "study/compare/store_internal.h"

static const char find_text[] = "SELECT inputs, wrong, text, csv, metadata, json, finished, seconds FROM results"
                                " WHERE definition = ? ORDER BY key";
static const char put_text[] = "INSERT OR IGNORE INTO results VALUES "
                               "(?,?,?,?,?,?,?,?,?,strftime('%Y-%m-%dT%H:%M:%SZ','now'),?,?)";
static const char each_text[] = "SELECT command, finished, version, json, seconds FROM results ORDER BY command, key";

void cw_stored_result_free(struct cw_stored_result *result)
{
    cw_text_free(&result->text);
    cw_text_free(&result->csv);
    cw_text_free(&result->metadata);
    cw_text_free(&result->json);
}

static int define(const char *command, char hash[CW_SHA256_SIZE])
{
    struct cw_text definition = {0};
    cw_text_printf(&definition, "result of %s\n%s\n", cw_version(), command);
    const int rc = cw_text_check(&definition);
    if (!rc) cw_sha256(definition.data, definition.length, hash);
    cw_text_free(&definition);
    return rc;
}

/* Whether *STATEMENT is there, prepared at the first need. */
static bool is_prepared(struct cw_store *store, const char *text, sqlite3_stmt **statement)
{
    if (!store->failed && !*statement && cw_store_prepare(store, text, statement)) cw_store_give_up(store);
    return !store->failed;
}

static void fail(struct cw_store *store, int result)
{
    cw_store_fail_sqlite(store, result);
    cw_store_give_up(store);
}

static void read_form(sqlite3_stmt *row, int column, struct cw_text *out)
{
    const char *bytes = (const char *)sqlite3_column_text(row, column);
    cw_text_append(out, bytes ? bytes : "", (size_t)sqlite3_column_bytes(row, column));
}

static int read_result(sqlite3_stmt *row, struct cw_stored_result *out)
{
    struct cw_text *const forms[] = {&out->text, &out->csv, &out->metadata, &out->json};
    int rc = 0;
    for (int i = 0; i < 4; i++) {
        read_form(row, 2 + i, forms[i]);
        if (!rc) rc = cw_text_check(forms[i]);
    }
    out->wrong = sqlite3_column_int(row, 1);
    out->seconds = sqlite3_column_double(row, 7);
    const char *finished = (const char *)sqlite3_column_text(row, 6);
    snprintf(out->finished, sizeof out->finished, "%s", finished ? finished : "");
    return rc;
}

static int find(struct cw_store *store, const char *hash, struct cw_stored_result *out, bool *found)
{
    sqlite3_stmt *rows = store->find_result;
    struct cw_inputs inputs = {0};
    int rc = 0, result = sqlite3_bind_text(rows, 1, hash, -1, SQLITE_STATIC);
    while (!rc && !*found && result != SQLITE_DONE && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *list = (const char *)sqlite3_column_text(rows, 0);
        rc = cw_store_check_inputs(store, list ? list : "", found, &inputs);
        if (!rc && *found) rc = read_result(rows, out);
    }
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(store, result);
    sqlite3_reset(rows);
    cw_inputs_free(&inputs);
    return rc;
}

int cw_store_find_result(struct cw_store *store, const char *command, struct cw_stored_result *out, bool *found)
{
    char hash[CW_SHA256_SIZE];
    *found = false;
    int rc = define(command, hash);
    pthread_mutex_lock(&store->mutex);
    if (!rc && is_prepared(store, find_text, &store->find_result)) rc = find(store, hash, out, found);
    pthread_mutex_unlock(&store->mutex);
    return rc;
}

/* What comes from a pipe comes once. */
static bool can_be_read_again(const struct cw_inputs *inputs)
{
    struct stat status;
    for (size_t i = 0; i < inputs->n; i++)
        if (stat(inputs->items[i].path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    return true;
}

static void put(struct cw_store *store, const char *command, const struct cw_stored_result *result, const char *inputs)
{
    const struct cw_text *const forms[] = {&result->text, &result->csv, &result->metadata, &result->json};
    char hash[CW_SHA256_SIZE], key[CW_SHA256_SIZE];
    struct cw_text both = {0};
    sqlite3_stmt *row = store->put_result;
    int rc = define(command, hash), at = 1;
    if (!rc) cw_text_printf(&both, "%s\n%s", hash, inputs);
    if (!rc) rc = cw_text_check(&both);
    if (rc) {
        cw_store_give_up(store);
        return;
    }
    cw_sha256(both.data, both.length, key);
    int bound = sqlite3_bind_text(row, at++, key, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(row, at++, hash, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(row, at++, inputs, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_text(row, at++, command, -1, SQLITE_STATIC);
    bound |= sqlite3_bind_int(row, at++, result->wrong);
    for (int i = 0; i < 4; i++)
        bound |= sqlite3_bind_text64(row, at++, forms[i]->data ? forms[i]->data : "", forms[i]->length, SQLITE_STATIC,
                                     SQLITE_UTF8);
    bound |= sqlite3_bind_double(row, at++, result->seconds);
    bound |= sqlite3_bind_text(row, at++, cw_version(), -1, SQLITE_STATIC);
    if (bound == SQLITE_OK) bound = sqlite3_step(row);
    if (bound != SQLITE_DONE) fail(store, bound);
    sqlite3_reset(row);
    sqlite3_clear_bindings(row);
    cw_text_free(&both);
}

void cw_store_put_result(struct cw_store *store, const char *command, const struct cw_stored_result *result,
                         const struct cw_inputs *inputs)
{
    if (!can_be_read_again(inputs)) return;
    struct cw_text list = cw_store_list_inputs(inputs);
    const int rc = cw_text_check(&list);
    pthread_mutex_lock(&store->mutex);
    if (rc) cw_store_give_up(store);
    if (is_prepared(store, put_text, &store->put_result)) put(store, command, result, list.data);
    pthread_mutex_unlock(&store->mutex);
    cw_text_free(&list);
}

int cw_store_each_result(struct cw_store *store, int (*use)(void *context, const struct cw_stored_row *row),
                         void *context)
{
    sqlite3_stmt *rows = NULL;
    int result = SQLITE_ROW, rc = cw_store_prepare(store, each_text, &rows);
    while (!rc && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const struct cw_stored_row row = {.command = (const char *)sqlite3_column_text(rows, 0),
                                          .finished = (const char *)sqlite3_column_text(rows, 1),
                                          .version = (const char *)sqlite3_column_text(rows, 2),
                                          .json = (const char *)sqlite3_column_text(rows, 3),
                                          .seconds = sqlite3_column_double(rows, 4)};
        rc = use(context, &row);
    }
    if (!rc && result != SQLITE_DONE) rc = cw_store_fail_sqlite(store, result);
    sqlite3_finalize(rows);
    return rc;
}
