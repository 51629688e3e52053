/*
 * JSON values appended to a text as they are: for files of which a tree (base/json_build.h) would take many times the
 * memory, and whose lines people read and compare.
 */
#ifndef CW_BASE_JSON_TEXT_H
#define CW_BASE_JSON_TEXT_H

#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* VALUE with as few digits as give the same number when read; null where JSON has no number for it. */
void cw_json_add_real(struct cw_text *text, double value);

/* STRING in quotes, as cw_json_string has it. */
void cw_json_add_string(struct cw_text *text, const char *string);

/* As cw_json_unsigned: what JSON readers cannot hold as a number is a text of its digits. */
void cw_json_add_unsigned(struct cw_text *text, uint64_t value);

/* BEFORE, then NUMBER: as cw_text_printf with "%s%u", which is too slow for hundreds of megabytes of numbers. */
void cw_json_add_item(struct cw_text *text, const char *before, uint32_t number);

CW_END_DECLS

#endif
