/*
 * Reading JSON with jansson, which does not tell a failed allocation from a mistake in the text: it says "invalid
 * token", or loses characters of a number or a string without a word. Only its allocator knows.
 */
#ifndef CW_BASE_JSON_READ_H
#define CW_BASE_JSON_READ_H

#include <jansson.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* The document in the LENGTH bytes at DATA; keys must differ. FILE is for messages. CW_EPARSE names the line and what
 * is wrong; CW_ENOMEM if memory ran out. *OUT is given back with json_decref.
 *
 * The first call gives jansson an allocator of ours, which is malloc and remembers failures, unless the process has set
 * one of its own. */
int cw_json_read(const char *file, const char *data, size_t length, json_t **out);

CW_END_DECLS

#endif
