/*
 * A result: tables, the sentences that say what they mean, and where all of it came from.
 *
 * Everything needed to compute a result again is in the result: version, command line, seed and a SHA-256 hash of each
 * input file. Text carries the tables, then the sentences, then provenance; JSON is one object {"tool", "version",
 * "command", "seed", "inputs": [{"path", "sha256"}], "tables": {name: {"columns": [{name, type, unit, help}],
 * "rows": […]}}, "notes": […]}. CSV has tables only, the header on the first line, an empty line between tables; its
 * provenance and column documentation go to FILE-metadata.json beside it, in the form of W3C "CSV on the Web".
 * The number of threads, the output and the format are left out of the command line: they do not change results.
 */
#ifndef CW_BASE_RESULT_H
#define CW_BASE_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/decls.h"
#include "base/table.h"

CW_BEGIN_DECLS

enum cw_format { CW_FORMAT_TEXT, CW_FORMAT_CSV, CW_FORMAT_JSON };

struct cw_result;

int cw_result_new(struct cw_result **out);
void cw_result_free(struct cw_result *result); /* its tables too */

void cw_result_set_command(struct cw_result *result, const char *command, uint64_t seed); /* copied */
int cw_result_add_input(struct cw_result *result, const char *path); /* hashes the file; "-" is recorded unhashed */
/* As above for content already read. */
int cw_result_add_input_data(struct cw_result *result, const char *path, const void *data, size_t length);
int cw_result_add_table(struct cw_result *result, struct cw_table *table);  /* takes it over, also on failure */
int cw_result_add_detail(struct cw_result *result, struct cw_table *table); /* the same, but left out of CSV */
void cw_result_note(struct cw_result *result, const char *format, ...) CW_PRINTF(2, 3); /* a sentence */

size_t cw_result_tables(const struct cw_result *result);
const struct cw_table *cw_result_table(const struct cw_result *result, size_t i);

/* Appends the result in FORMAT to TEXT. TERMINAL_WIDTH as in cw_table_write_text. */
int cw_result_write(const struct cw_result *result, enum cw_format format, unsigned terminal_width,
                    struct cw_text *text);
/* Appends the metadata of a CSV file called URL: {"@context": "http://www.w3.org/ns/csvw", "url": …}. */
int cw_result_write_metadata(const struct cw_result *result, const char *url, struct cw_text *text);

CW_END_DECLS

#endif
