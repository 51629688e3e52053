/* What a result holds; for the writers of its formats only. */
#ifndef CW_BASE_RESULT_CONTENT_H
#define CW_BASE_RESULT_CONTENT_H

#include <stdbool.h>

#include "base/input.h"
#include "base/result.h"

CW_BEGIN_DECLS

struct cw_result_table {
    struct cw_table *table; /* owned */
    bool detail;            /* not in CSV */
};

/* How far the tables have been written as CSV. */
struct cw_csv_state {
    size_t table, row;
    bool begun; /* the header of this table is out */
    bool any;   /* some table is out */
};

struct cw_result {
    char *command; /* NULL: not set */
    uint64_t seed;
    char *configuration, *configured; /* the file, and the options that it has given; NULL: none */
    struct json_t *properties;        /* an object; NULL: none */
    struct cw_inputs inputs;
    struct cw_result_table *tables;
    size_t n_tables, capacity_tables;
    struct cw_figure *figures; /* with what they own: title, panels and their best */
    size_t n_figures, capacity_figures;
    char **notes;
    size_t n_notes, capacity_notes;
    char *context[CW_CONTEXTS];                              /* NULL: not set */
    char *missing;                                           /* NULL: the result is complete */
    int (*write)(void *context, const struct cw_text *text); /* of the stream; NULL: none */
    void *write_context;
    struct cw_csv_state streamed;
    int stream_error;     /* the first, */
    char *stream_message; /* and what it was */
    bool failed;          /* a command, a note or the like found no memory */
    bool late;            /* the context was changed after rows had left */
};

extern const struct cw_column cw_context_columns[CW_CONTEXTS];

/* True if WHAT is known and TABLE has no column of that name: rows of TABLE need it. */
bool cw_result_shows_context(const struct cw_result *result, const struct cw_table *table, enum cw_context what);

/* Gives finished rows to the stream. RESULT is a struct cw_result, as a table's watcher has it. */
void cw_result_flush(void *result);

/* Appends the CSV of what is finished since STATE, and advances it; with LAST everything that is left. */
void cw_result_append_csv(const struct cw_result *result, struct cw_csv_state *state, bool last, struct cw_text *text);

/* Appends TABLE as CSV, with the context of RESULT, of which it need not be a table. */
void cw_result_append_table(const struct cw_result *result, const struct cw_table *table, struct cw_text *text);

/* Frees what cw_result_figure has copied into FIGURE. */
void cw_figure_free(struct cw_figure *figure);

/* The user's file, and what of it the result has, which there must be: {"path", "options"}. */
struct json_t *cw_result_configuration_json(const struct cw_result *result);

/* The figures as an array. */
struct json_t *cw_result_figures_json(const struct cw_result *result);

int cw_result_write_json(const struct cw_result *result, struct cw_text *text);

CW_END_DECLS

#endif
