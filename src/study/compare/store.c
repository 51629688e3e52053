#include "study/compare/store_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"

#define APPLICATION 0x43577374 /* "CWst": tells a store from other databases */
#define SCHEMA      2
#define BUSY_TIMEOUT                                                                                                   \
    60000 /* ms that another process may hold the store; a figure takes it some thousandths of a second */

#define TEXT(NUMBER) #NUMBER
#define VALUE(NAME)  TEXT(NAME)

/* Everything that a user may ask for is a column by itself. `definition` is its SHA-256, for that is what is looked
 * for; `inputs` has a line "HASH PATH" for each file that was read, and `key` is the hash of both. */
static const char schema[] =
    "CREATE TABLE figures (key TEXT PRIMARY KEY, definition TEXT NOT NULL, inputs TEXT NOT NULL, network TEXT NOT NULL,"
    " routing TEXT, endpoints TEXT, failed TEXT NOT NULL, degraded TEXT NOT NULL, seed INTEGER NOT NULL,"
    " trials INTEGER, measure TEXT NOT NULL, unit TEXT, value REAL, ci95 REAL, word TEXT, code INTEGER NOT NULL,"
    " error TEXT, cut_off INTEGER NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL, version TEXT NOT NULL);"
    "CREATE INDEX definitions ON figures (definition);"
    "CREATE INDEX measures ON figures (measure, network);"
    "CREATE TABLE results (key TEXT PRIMARY KEY, definition TEXT NOT NULL, inputs TEXT NOT NULL, command TEXT NOT NULL,"
    " wrong INTEGER NOT NULL, text TEXT NOT NULL, csv TEXT NOT NULL, metadata TEXT NOT NULL, json TEXT NOT NULL,"
    " finished TEXT NOT NULL, seconds REAL NOT NULL, version TEXT NOT NULL);"
    "CREATE INDEX commands ON results (definition);"
    "PRAGMA application_id = " VALUE(APPLICATION) "; PRAGMA user_version = " VALUE(SCHEMA) ";";

static const char find_text[] =
    "SELECT inputs, value, ci95, word, code, error, cut_off, seconds FROM figures WHERE definition = ? ORDER BY key";
static const char put_text[] = "INSERT OR IGNORE INTO figures VALUES "
                               "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,strftime('%Y-%m-%dT%H:%M:%SZ','now'),?,?)";

/* --- figures ------------------------------------------------------------------------------------------------------ */

struct cw_study_figure cw_study_figure_made(int rc, const struct cw_measured *measured)
{
    struct cw_study_figure figure = {.value = (double)NAN, .ci95 = (double)NAN, .error = rc};
    if (rc) {
        snprintf(figure.message, sizeof figure.message, "%s", cw_error_message());
        return figure;
    }
    figure.value = measured->value;
    figure.ci95 = measured->ci95;
    if (measured->word) snprintf(figure.word, sizeof figure.word, "%s", measured->word);
    return figure;
}

struct cw_measured cw_study_figure_measured(const struct cw_study_figure *figure)
{
    return (struct cw_measured){
        .value = figure->value, .ci95 = figure->ci95, .word = *figure->word ? figure->word : NULL};
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

int cw_store_fail_sqlite(const struct cw_store *store, int result)
{
    const char *path = store->path;
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return cw_fail(CW_ENOMEM, "%s: no memory for the store", path);
    case SQLITE_NOTADB:
        return cw_fail(CW_EIO, "%s is no store; expected an SQLite database that crosswind has made", path);
    case SQLITE_CORRUPT:
        return cw_fail(CW_EIO, "%s is damaged (%s); expected a store as crosswind leaves it", path,
                       sqlite3_errmsg(store->database));
    case SQLITE_FULL:
        return cw_fail(CW_EIO, "%s: the disk is full", path);
    case SQLITE_CANTOPEN:
        if (access(path, F_OK) != 0) return cw_fail(CW_EIO, "cannot open %s: %s", path, strerror(errno));
        return cw_fail(CW_EIO, "cannot open %s; expected a file in a folder where files can be made beside it", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return cw_fail(CW_EIO, "%s: another program has held the store for %d s", path, BUSY_TIMEOUT / 1000);
    default:
        return cw_fail(CW_EIO, "%s: %s", path, sqlite3_errmsg(store->database));
    }
}

void cw_store_give_up(struct cw_store *store)
{
    if (store->failed) return;
    store->failed = true;
    store->failure = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
}

const char *cw_store_failure(const struct cw_store *store)
{
    if (!store || !store->failed) return NULL;
    return store->failure ? store->failure : "no memory for the store";
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int execute(const struct cw_store *store, const char *text)
{
    const int result = sqlite3_exec(store->database, text, NULL, NULL, NULL);
    return result == SQLITE_OK ? 0 : cw_store_fail_sqlite(store, result);
}

/* The whole number that TEXT asks for. */
static int ask(const struct cw_store *store, const char *text, int64_t *out)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->database, text, -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_step(statement);
    if (result == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result == SQLITE_ROW ? 0 : cw_store_fail_sqlite(store, result);
}

/* Whether there is anything in the database; if so, it must be a store of this version's. */
static int look(const struct cw_store *store, bool *empty)
{
    int64_t things = 0, application = 0, version = 0;
    int rc = ask(store, "SELECT count(*) FROM sqlite_master", &things);
    if (!rc) rc = ask(store, "PRAGMA application_id", &application);
    if (!rc) rc = ask(store, "PRAGMA user_version", &version);
    if (rc) return rc;
    *empty = things == 0 && application == 0 && version == 0;
    if (*empty) return 0;
    if (application != APPLICATION)
        return cw_fail(CW_EIO, "%s is the database of another program; expected a store that crosswind has made",
                       store->path);
    if (version != SCHEMA)
        return cw_fail(CW_EIO, "%s is a store of version %lld, of another release of crosswind; expected version %d",
                       store->path, (long long)version, SCHEMA);
    return 0;
}

/* Writes ahead, so that nobody waits for readers, and a commit needs no more than its bytes in the system's hands: a
 * process that is killed loses nothing, a machine that falls the last figures. SQLite does not wait for others where it
 * changes to this mode. */
static int write_ahead(const struct cw_store *store)
{
    int result = SQLITE_BUSY;
    for (int waited = 0; result == SQLITE_BUSY && waited < BUSY_TIMEOUT; waited += 20) {
        result = sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (result == SQLITE_BUSY) sqlite3_sleep(20);
    }
    if (result != SQLITE_OK) return cw_store_fail_sqlite(store, result);
    return execute(store, "PRAGMA synchronous = NORMAL");
}

/* Makes the table in an empty database, once, whoever else wants to. */
static int make_table(const struct cw_store *store)
{
    bool empty;
    int rc = execute(store, "BEGIN IMMEDIATE");
    if (rc) return rc;
    rc = look(store, &empty);
    if (!rc && empty) rc = execute(store, schema);
    if (!rc) rc = execute(store, "COMMIT");
    if (rc) sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int cw_store_prepare(struct cw_store *store, const char *text, sqlite3_stmt **out)
{
    const int result = sqlite3_prepare_v3(store->database, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    return result == SQLITE_OK ? 0 : cw_store_fail_sqlite(store, result);
}

static int open_database(struct cw_store *store, bool makes)
{
    bool empty = false;
    const int flags = SQLITE_OPEN_READWRITE | (makes ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_FULLMUTEX;
    const int result = sqlite3_open_v2(store->path, &store->database, flags, NULL);
    if (result != SQLITE_OK)
        return store->database ? cw_store_fail_sqlite(store, result) : cw_fail_memory(1, store->path);
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT);
    int rc = look(store, &empty);
    if (!rc && makes) rc = write_ahead(store);
    if (!rc && makes && empty) rc = make_table(store);
    if (!rc && !makes && empty)
        rc = cw_fail(CW_EIO, "%s is empty; expected a store that crosswind has made", store->path);
    if (!rc) rc = cw_store_prepare(store, find_text, &store->find);
    if (!rc) rc = cw_store_prepare(store, put_text, &store->put);
    return rc;
}

bool cw_store_is_database(const char *path)
{
    static const char head[] = "SQLite format 3"; /* with its 0 */
    char found[sizeof head] = "";
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false; /* what is read from a pipe is gone */
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(found, 1, sizeof found, file) : 0;
    if (file) fclose(file);
    return n == sizeof found && memcmp(found, head, sizeof head) == 0;
}

static int open_store(const char *path, bool makes, struct cw_store **out)
{
    struct cw_store *store = cw_new_array(1, sizeof *store, "a store");
    if (!store) return CW_ENOMEM;
    pthread_mutex_init(&store->mutex, NULL);
    store->path = cw_copy_text(path, strlen(path));
    const int rc = store->path ? open_database(store, makes) : CW_ENOMEM;
    if (rc)
        cw_store_close(store);
    else
        *out = store;
    return rc;
}

int cw_store_open(const char *path, struct cw_store **out)
{
    return open_store(path, true, out);
}

int cw_store_open_to_read(const char *path, struct cw_store **out)
{
    return open_store(path, false, out);
}

void cw_store_close(struct cw_store *store)
{
    if (!store) return;
    sqlite3_finalize(store->find);
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->find_result);
    sqlite3_finalize(store->put_result);
    sqlite3_close(store->database);
    pthread_mutex_destroy(&store->mutex);
    cw_inputs_free(&store->hashes);
    free(store->path);
    free(store->failure);
    free(store);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The hash of file PATH; NULL: it cannot be read. */
static const char *hash_of(struct cw_store *store, const char *path)
{
    for (size_t i = 0; i < store->hashes.n; i++)
        if (strcmp(store->hashes.items[i].path, path) == 0) return store->hashes.items[i].sha256;
    const size_t n = store->hashes.n;
    struct cw_inputs *before = cw_inputs_record(&store->hashes);
    cw_inputs_enter(path);
    cw_inputs_record(before);
    return store->hashes.n > n ? store->hashes.items[n].sha256 : NULL;
}

int cw_store_check_inputs(struct cw_store *store, const char *list, bool *same, struct cw_inputs *inputs)
{
    const size_t digits = CW_SHA256_SIZE - 1;
    int rc = 0;
    *same = true;
    for (int pass = 0; pass < 2 && *same && !rc; pass++) {
        struct cw_lines lines = cw_lines_of(store->path, list, strlen(list));
        while (!rc && *same && cw_lines_next(&lines)) {
            char *path =
                lines.length > digits ? cw_copy_text(lines.line + digits + 1, lines.length - digits - 1) : NULL;
            const char *hash = path ? hash_of(store, path) : NULL;
            *same = hash && strncmp(hash, lines.line, digits) == 0;
            if (*same && pass == 1) rc = cw_inputs_add(inputs, path, hash);
            free(path);
        }
    }
    return rc;
}

struct cw_text cw_store_list_inputs(const struct cw_inputs *inputs)
{
    struct cw_text list = {0};
    cw_text_add(&list, "");
    for (size_t i = 0; i < inputs->n; i++)
        cw_text_printf(&list, "%s %s\n", inputs->items[i].sha256, inputs->items[i].path);
    return list;
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static double real_of(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(row, column);
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static void read_figure(sqlite3_stmt *row, struct cw_study_figure *out)
{
    const char *word = text_of(row, 3), *message = text_of(row, 5);
    *out = (struct cw_study_figure){.value = real_of(row, 1),
                                    .ci95 = real_of(row, 2),
                                    .error = sqlite3_column_int(row, 4),
                                    .cut_off = (uint32_t)sqlite3_column_int64(row, 6),
                                    .seconds = sqlite3_column_double(row, 7)};
    if (word) snprintf(out->word, sizeof out->word, "%s", word);
    if (message) snprintf(out->message, sizeof out->message, "%s", message);
}

static int find(struct cw_store *store, const char *hash, struct cw_study_figure *out, bool *found,
                struct cw_inputs *inputs)
{
    int rc = 0, result = sqlite3_bind_text(store->find, 1, hash, -1, SQLITE_STATIC);
    while (!rc && !*found && result != SQLITE_DONE && (result = sqlite3_step(store->find)) == SQLITE_ROW) {
        const char *list = text_of(store->find, 0);
        rc = cw_store_check_inputs(store, list ? list : "", found, inputs);
        if (!rc && *found) read_figure(store->find, out);
    }
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        cw_store_fail_sqlite(store, result);
        cw_store_give_up(store);
        *found = false;
    }
    sqlite3_reset(store->find);
    return rc;
}

int cw_store_find(struct cw_store *store, const char *definition, struct cw_study_figure *out, bool *found,
                  struct cw_inputs *inputs)
{
    char hash[CW_SHA256_SIZE];
    *found = false;
    if (!store) return 0;
    cw_sha256(definition, strlen(definition), hash);
    pthread_mutex_lock(&store->mutex);
    const int rc = store->failed ? 0 : find(store, hash, out, found, inputs);
    pthread_mutex_unlock(&store->mutex);
    return rc;
}

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

/* Gives the values of a row to the statement, as `schema` has them, but for the time. */
static int bind_row(sqlite3_stmt *put, const char *hash, const char *inputs, const char *key,
                    const struct cw_study_figure_of *of, const struct cw_study_figure *figure)
{
    const char *const *is = of->is->of;
    const char *texts[] = {key,
                           hash,
                           inputs,
                           is[CW_STUDY_NETWORK],
                           is[CW_STUDY_LFT] ? is[CW_STUDY_LFT] : is[CW_STUDY_ROUTING],
                           is[CW_STUDY_ENDPOINTS],
                           or_nothing(is[CW_STUDY_FAILED]),
                           or_nothing(is[CW_STUDY_DEGRADED])};
    int result = SQLITE_OK, at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) /* NULL: none */
        result |= sqlite3_bind_text(put, at++, texts[i], -1, SQLITE_STATIC);
    result |= sqlite3_bind_int64(put, at++, strtoll(or_nothing(is[CW_STUDY_SEED]), NULL, 10));
    result |= is[CW_STUDY_TRIALS] ? sqlite3_bind_int64(put, at++, strtoll(is[CW_STUDY_TRIALS], NULL, 10))
                                  : sqlite3_bind_null(put, at++);
    result |= sqlite3_bind_text(put, at++, of->measure->spec, -1, SQLITE_STATIC);
    result |= sqlite3_bind_text(put, at++, of->measure->kind->unit, -1, SQLITE_STATIC);
    result |= sqlite3_bind_double(put, at++, figure->value); /* NaN: none */
    result |= sqlite3_bind_double(put, at++, figure->ci95);
    result |= sqlite3_bind_text(put, at++, *figure->word ? figure->word : NULL, -1, SQLITE_STATIC);
    result |= sqlite3_bind_int(put, at++, figure->error);
    result |= sqlite3_bind_text(put, at++, *figure->message ? figure->message : NULL, -1, SQLITE_STATIC);
    result |= sqlite3_bind_int64(put, at++, figure->cut_off);
    result |= sqlite3_bind_double(put, at++, figure->seconds);
    result |= sqlite3_bind_text(put, at++, cw_version(), -1, SQLITE_STATIC);
    return result;
}

static void put(struct cw_store *store, const char *inputs, const struct cw_study_figure_of *of,
                const struct cw_study_figure *figure)
{
    char hash[CW_SHA256_SIZE], key[CW_SHA256_SIZE];
    struct cw_text both = {0};
    cw_text_printf(&both, "%s\n%s", of->definition, inputs);
    if (cw_text_check(&both)) {
        cw_store_give_up(store);
        return;
    }
    cw_sha256(of->definition, strlen(of->definition), hash);
    cw_sha256(both.data, both.length, key);
    int result = bind_row(store->put, hash, inputs, key, of, figure);
    if (result == SQLITE_OK) result = sqlite3_step(store->put);
    if (result != SQLITE_DONE) {
        cw_store_fail_sqlite(store, result);
        cw_store_give_up(store);
    }
    sqlite3_reset(store->put);
    sqlite3_clear_bindings(store->put);
    cw_text_free(&both);
}

void cw_store_put(struct cw_store *store, const struct cw_study_figure_of *of, const struct cw_study_figure *figure,
                  const struct cw_inputs *inputs)
{
    const int error = figure->error;
    if (!store || (error && error != CW_EUSAGE && error != CW_EROUTE)) return;
    struct cw_text list = cw_store_list_inputs(inputs);
    const int rc = cw_text_check(&list);
    pthread_mutex_lock(&store->mutex);
    if (rc) cw_store_give_up(store);
    if (!store->failed) put(store, list.data, of, figure);
    pthread_mutex_unlock(&store->mutex);
    cw_text_free(&list);
}

/* --- what is in it ------------------------------------------------------------------------------------------------ */

/* The mean time of those of MEASURE, and of NETWORK if it is given. */
static double mean_seconds(struct cw_store *store, const char *measure, const char *network)
{
    sqlite3_stmt *statement = NULL;
    double mean = (double)NAN;
    int result =
        sqlite3_prepare_v2(store->database,
                           network ? "SELECT avg(seconds) FROM figures WHERE measure = ? AND code = 0 AND network = ?"
                                   : "SELECT avg(seconds) FROM figures WHERE measure = ? AND code = 0",
                           -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_bind_text(statement, 1, measure, -1, SQLITE_STATIC);
    if (result == SQLITE_OK && network) result = sqlite3_bind_text(statement, 2, network, -1, SQLITE_STATIC);
    if (result == SQLITE_OK) result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        mean = real_of(statement, 0);
    } else {
        cw_store_fail_sqlite(store, result);
        cw_store_give_up(store);
    }
    sqlite3_finalize(statement);
    return mean;
}

double cw_store_seconds(struct cw_store *store, const char *network, const char *measure)
{
    double mean = (double)NAN;
    if (!store) return mean;
    pthread_mutex_lock(&store->mutex);
    if (!store->failed) mean = mean_seconds(store, measure, network);
    if (!store->failed && isnan(mean)) mean = mean_seconds(store, measure, NULL);
    pthread_mutex_unlock(&store->mutex);
    return mean;
}

int cw_store_count(const struct cw_store *store, int64_t *figures, int64_t *results)
{
    const int rc = ask(store, "SELECT count(*) FROM figures", figures);
    return rc ? rc : ask(store, "SELECT count(*) FROM results", results);
}

const char *const cw_store_columns[] = {"network", "routing", "endpoints", "failed",  "degraded", "seed",
                                        "trials",  "measure", "cut_off",   "version", NULL};

static int add_condition(const char *column, bool first, struct cw_text *text)
{
    const char *const *known = cw_store_columns;
    struct cw_text list = {0};
    const char *nearest = cw_nearest(column, cw_store_columns);
    for (; *known; known++) {
        if (strcmp(*known, column) == 0) break;
        cw_text_printf(&list, "%s%s", list.length > 0 ? ", " : "", *known);
    }
    int rc = 0;
    if (*known)
        cw_text_printf(text, " %s coalesce(CAST(%s AS TEXT), '') = ?", first ? "WHERE" : "AND", column);
    else if (nearest)
        rc = cw_fail(CW_EUSAGE, "no column is called '%s'; did you mean '%s'?", column, nearest);
    else
        rc = cw_text_check(&list)
                 ? CW_ENOMEM
                 : cw_fail(CW_EUSAGE, "no column is called '%s'; expected one of %s", column, list.data);
    cw_text_free(&list);
    return rc;
}

static struct cw_store_row read_row(sqlite3_stmt *row)
{
    return (struct cw_store_row){
        .network = text_of(row, 0),
        .routing = text_of(row, 1),
        .endpoints = text_of(row, 2),
        .failed = text_of(row, 3),
        .degraded = text_of(row, 4),
        .seed = sqlite3_column_int64(row, 5),
        .trials = sqlite3_column_int64(row, 6),
        .measure = text_of(row, 7),
        .unit = text_of(row, 8),
        .value = real_of(row, 9),
        .ci95 = real_of(row, 10),
        .word = text_of(row, 11),
        .error = text_of(row, 12),
        .cut_off = sqlite3_column_int64(row, 13),
        .finished = text_of(row, 14),
        .seconds = sqlite3_column_double(row, 15),
        .version = text_of(row, 16),
    };
}

static int each_row(struct cw_store *store, sqlite3_stmt *statement, const char *const *values, size_t n,
                    int (*use)(void *context, const struct cw_store_row *row), void *context)
{
    int rc = 0, result = SQLITE_OK;
    for (size_t i = 0; i < n && result == SQLITE_OK; i++)
        result = sqlite3_bind_text(statement, (int)i + 1, values[i], -1, SQLITE_STATIC);
    while (!rc && (result == SQLITE_OK || result == SQLITE_ROW) && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct cw_store_row row = read_row(statement);
        rc = use(context, &row);
    }
    return rc || result == SQLITE_DONE ? rc : cw_store_fail_sqlite(store, result);
}

int cw_store_each(struct cw_store *store, const char *const *columns, const char *const *values, size_t n,
                  int (*use)(void *context, const struct cw_store_row *row), void *context)
{
    struct cw_text text = {0};
    sqlite3_stmt *statement = NULL;
    int rc = 0;
    cw_text_add(&text, "SELECT network, routing, endpoints, failed, degraded, seed, trials, measure, unit, value, ci95,"
                       " word, error, cut_off, finished, seconds, version FROM figures");
    for (size_t i = 0; i < n && !rc; i++) rc = add_condition(columns[i], i == 0, &text);
    cw_text_add(&text, " ORDER BY network, endpoints, failed, degraded, routing, seed, trials, measure, version, key");
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_store_prepare(store, text.data, &statement);
    if (!rc) rc = each_row(store, statement, values, n, use, context);
    sqlite3_finalize(statement);
    cw_text_free(&text);
    return rc;
}
