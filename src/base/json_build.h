/*
 * JSON documents built with jansson, without a test of each call: what fails becomes NULL and stays NULL, so that only
 * cw_json_write has to report it.
 */
#ifndef CW_BASE_JSON_BUILD_H
#define CW_BASE_JSON_BUILD_H

#include <jansson.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

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

CW_END_DECLS

#endif
