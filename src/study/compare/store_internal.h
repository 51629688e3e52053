/* A store from within: what its figures (store.c) and its results (stored_results.c) share. */
#ifndef CW_STUDY_STORE_INTERNAL_H
#define CW_STUDY_STORE_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/text.h"
#include "study/compare/store.h"

CW_BEGIN_DECLS

struct cw_store {
    char *path;
    sqlite3 *database;
    sqlite3_stmt *find, *put;               /* of figures */
    sqlite3_stmt *find_result, *put_result; /* NULL: not prepared yet */
    pthread_mutex_t mutex;                  /* held by whoever uses any of it */
    struct cw_inputs hashes;                /* of files, as they were first asked for */
    bool failed;
    char *failure; /* NULL with `failed`: there was no memory even for the message */
};

/* What SQLite found wrong with STORE; RESULT is its code. */
int cw_store_fail_sqlite(const struct cw_store *store, int result);

/* *OUT gets the statement TEXT, to be finalised. */
int cw_store_prepare(struct cw_store *store, const char *text, sqlite3_stmt **out);

/* A line "HASH PATH" for each of INPUTS. */
struct cw_text cw_store_list_inputs(const struct cw_inputs *inputs);

/* Whether all files of such a LIST are as they were. If so, they are entered in INPUTS. */
int cw_store_check_inputs(struct cw_store *store, const char *list, bool *same, struct cw_inputs *inputs);

CW_END_DECLS

#endif
