/*
 * JSON: documents built and read with jansson, and values written without it.
 */
#ifndef CW_BASE_JSON_H
#define CW_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* --- building ----------------------------------------------------------------------------------------------------- */

/* Without a test of each call: what fails becomes NULL and stays NULL, so that only cw_json_write has to report it. */

/* The string STRING, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_t *cw_json_string(const char *string);

/* The number VALUE; above 2^63-1, which jansson cannot write as a number, a string of its digits. */
json_t *cw_json_unsigned(uint64_t value);

/* Put VALUE, which is taken over, into *OBJECT under KEY or at the end of *ARRAY. If that fails, or VALUE is NULL, the
 * container is freed and becomes NULL; a NULL container stays NULL. */
void cw_json_set(json_t **object, const char *key, json_t *value);
void cw_json_append(json_t **array, json_t *value);

/* Appends DOCUMENT, which is taken over, with a newline: indented by 2, members in their order, reals with 10
 * significant digits. 0 or CW_ENOMEM. */
int cw_json_write(json_t *document, struct cw_text *text);

/* --- composing ---------------------------------------------------------------------------------------------------- */

/* Values appended to a text as they are: for files of which a tree would take many times the memory, and whose lines
 * people read and compare. */

/* VALUE with as few digits as give the same number when read; null where JSON has no number for it. */
void cw_json_add_real(struct cw_text *text, double value);

/* STRING in quotes, as cw_json_string has it. */
void cw_json_add_string(struct cw_text *text, const char *string);

/* As cw_json_unsigned: what JSON readers cannot hold as a number is a text of its digits. */
void cw_json_add_unsigned(struct cw_text *text, uint64_t value);

/* BEFORE, then NUMBER: as cw_text_printf with "%s%u", which is too slow for hundreds of megabytes of numbers. */
void cw_json_add_item(struct cw_text *text, const char *before, uint32_t number);

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The document in the LENGTH bytes at DATA; keys must differ. FILE is for messages. CW_EPARSE names the line and what
 * is wrong; CW_ENOMEM if memory ran out. *OUT is given back with json_decref.
 *
 * The first call gives jansson an allocator of ours, which is malloc and remembers failures, unless the process has set
 * one of its own: jansson does not tell a failed allocation from a mistake in the text. It says "invalid token", or
 * loses characters of a number or a string without a word. Only its allocator knows. */
int cw_json_read(const char *file, const char *data, size_t length, json_t **out);

/* The same of a file with one document behind another, {0} to begin with: *OUT is NULL behind the last. */
struct cw_json_place {
    size_t at;           /* bytes that have been read */
    unsigned long lines; /* and lines, whole ones */
    unsigned long line;  /* in which the document begins that was read last, from 1 */
};
int cw_json_read_next(const char *file, const char *data, size_t length, struct cw_json_place *place, json_t **out);

CW_END_DECLS

#endif
