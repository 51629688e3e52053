/*
 * A store: figures that studies have measured, and results of other verbs, in an SQLite database that other programs
 * may read (doc/formats/store.md).
 *
 * Either is found again by its definition, a text that says all that it depends on, and by the contents of every file
 * that was read to make it. Each is stored by itself as soon as it is there, so that whatever ends the program loses
 * none; of several processes that use one store at once, each takes what another has stored.
 *
 * A store that fails stays failed: nothing more is looked for or stored, cw_store_failure says why, and whoever
 * measures goes on without it.
 */
#ifndef CW_STUDY_STORE_H
#define CW_STUDY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/input.h"
#include "base/text.h"
#include "study/compare/measures.h"
#include "study/compare/study_file.h"

CW_BEGIN_DECLS

#define CW_STUDY_WORD_SIZE    16
#define CW_STUDY_MESSAGE_SIZE 240

/* A figure of a case, as it is measured and stored: plain data. */
struct cw_study_figure {
    double value, ci95;            /* as cw_measured */
    char word[CW_STUDY_WORD_SIZE]; /* of measures in words; else "" */
    int error;                     /* 0, or why there is none, in words: */
    char message[CW_STUDY_MESSAGE_SIZE];
    uint32_t cut_off; /* endpoints of the case that have no path to most others */
    double seconds;   /* that it took, on one thread or as many as there were */
    bool stored;      /* a store had it */
};

/* What measuring came to: RC, an error, with its message, or 0 and MEASURED. */
struct cw_study_figure cw_study_figure_made(int rc, const struct cw_measured *measured);
/* The other way; the word is borrowed. NaN: there is none. */
struct cw_measured cw_study_figure_measured(const struct cw_study_figure *figure);

/* What a figure is of. All borrowed. */
struct cw_study_figure_of {
    const char *definition;         /* all that it depends on, but for files */
    const struct cw_study_case *is; /* "" is nothing, NULL: the verb's default */
    const struct cw_measure *measure;
};

struct cw_store;

/* Whether PATH is a file that begins as SQLite's do; opening it says whether it is a store. */
bool cw_store_is_database(const char *path);

/* Opens the store PATH, which is made if it is not there. CW_EIO, with what is wrong and what was expected, for a file
 * that is none, that is damaged, or of another version's making; CW_ENOMEM. */
int cw_store_open(const char *path, struct cw_store **out);
/* The same of one that must be there, and is only read. */
int cw_store_open_to_read(const char *path, struct cw_store **out);
void cw_store_close(struct cw_store *store); /* accepts NULL */

/* Looks for the figure of DEFINITION; any thread may, and STORE may be NULL. *FOUND says whether it is there, made of
 * files with the contents that they have now, which are entered in INPUTS. 0 or CW_ENOMEM of INPUTS. */
int cw_store_find(struct cw_store *store, const char *definition, struct cw_study_figure *out, bool *found,
                  struct cw_inputs *inputs);

/* Stores FIGURE, which was made of INPUTS; not an error that may be none next time: a file that cannot be read, a limit
 * of this machine. STORE may be NULL. Any thread may. */
void cw_store_put(struct cw_store *store, const struct cw_study_figure_of *of, const struct cw_study_figure *figure,
                  const struct cw_inputs *inputs);

/* The mean time of the stored figures of MEASURE and NETWORK; of any network, if there are none; NaN: nothing is known.
 */
double cw_store_seconds(struct cw_store *store, const char *network, const char *measure);

/* Gives STORE up, after an error that has a message: also of what was to be stored. */
void cw_store_give_up(struct cw_store *store);

/* NULL, or why the store has failed. */
const char *cw_store_failure(const struct cw_store *store);

/* A row of a store; texts are borrowed, NULL: the default of the verbs. */
struct cw_store_row {
    const char *network, *routing, *endpoints, *failed, *degraded, *measure, *unit, *word, *error, *finished, *version;
    int64_t seed, trials; /* 0: as many as the verbs run */
    double value, ci95;   /* NaN: none */
    int64_t cut_off;
    double seconds;
};

/* Names of the columns by which rows can be chosen, ended by NULL. */
extern const char *const cw_store_columns[];

/* Calls USE with each row, by network, routing and so on, whose column COLUMNS[i] is VALUES[i] for all of the N
 * conditions. 0, CW_EUSAGE for a column that is none, CW_EIO, or the first error of USE. */
int cw_store_each(struct cw_store *store, const char *const *columns, const char *const *values, size_t n,
                  int (*use)(void *context, const struct cw_store_row *row), void *context);

/* How many figures and results there are. 0 or CW_EIO. */
int cw_store_count(const struct cw_store *store, int64_t *figures, int64_t *results);

/* --- results of verbs --------------------------------------------------------------------------------------------- */

/* A result as it was written, in every form. Zeroed to begin with; freed with cw_stored_result_free. */
struct cw_stored_result {
    struct cw_text text, csv, metadata, json;
    bool wrong;        /* it says that something is wrong */
    double seconds;    /* that it took */
    char finished[24]; /* when it was there; of those that are found */
};
void cw_stored_result_free(struct cw_stored_result *result);

/* Looks for the result of COMMAND, which with this release and the contents of the files it reads is all that the
 * result depends on; *FOUND says whether it is there. 0 or CW_ENOMEM. */
int cw_store_find_result(struct cw_store *store, const char *command, struct cw_stored_result *out, bool *found);

/* Stores RESULT, which was made of INPUTS; not one that was made of what cannot be read again, such as a pipe. */
void cw_store_put_result(struct cw_store *store, const char *command, const struct cw_stored_result *result,
                         const struct cw_inputs *inputs);

/* A stored result, of those whose forms take no room; borrowed. */
struct cw_stored_row {
    const char *command, *finished, *version, *json;
    double seconds;
};

/* Calls USE with each, by command. 0, CW_EIO, or the first error of USE. */
int cw_store_each_result(struct cw_store *store, int (*use)(void *context, const struct cw_stored_row *row),
                         void *context);

CW_END_DECLS

#endif
