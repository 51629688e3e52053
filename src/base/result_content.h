/* What a result holds; for the writers of its formats only. */
#ifndef CW_BASE_RESULT_CONTENT_H
#define CW_BASE_RESULT_CONTENT_H

#include <stdbool.h>

#include "base/result.h"

CW_BEGIN_DECLS

#define CW_SHA256_SIZE 65 /* hexadecimal, with the 0 */

struct cw_result_input {
    char *path;
    char sha256[CW_SHA256_SIZE]; /* "": not hashed */
};

struct cw_result_table {
    struct cw_table *table; /* owned */
    bool detail;            /* not in CSV */
};

struct cw_result {
    char *command; /* NULL: not set */
    uint64_t seed;
    struct cw_result_input *inputs;
    size_t n_inputs, capacity_inputs;
    struct cw_result_table *tables;
    size_t n_tables, capacity_tables;
    char **notes;
    size_t n_notes, capacity_notes;
    bool failed; /* a command or a note found no memory */
};

/* 0, or the first error of the result or one of its tables. */
int cw_result_check(const struct cw_result *result);

int cw_result_write_json(const struct cw_result *result, struct cw_text *text);

CW_END_DECLS

#endif
