/*
 * Text: a growing buffer, whole files, and their lines.
 *
 * A cw_text starts zeroed ({0}), is written with the append functions and freed with cw_text_free. It remembers a
 * failed allocation: later appends do nothing and cw_text_check reports it, so that writers need not test each call.
 */
#ifndef CW_BASE_BUFFER_H
#define CW_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_text {
    char *data; /* always followed by a 0 once anything was appended; NULL before */
    size_t length;
    size_t capacity;
    bool failed;
};

/* Append: LENGTH bytes, a string, what printf would write. */
CW_API void cw_text_append(struct cw_text *text, const char *bytes, size_t length);
CW_API void cw_text_add(struct cw_text *text, const char *string);
CW_API void cw_text_printf(struct cw_text *text, const char *format, ...) CW_PRINTF(2, 3);

/* 0, or CW_ENOMEM if an allocation has failed. */
CW_API int cw_text_check(const struct cw_text *text);
CW_API void cw_text_free(struct cw_text *text);

#define CW_FILE_LIMIT ((size_t)16 << 30) /* bytes */

/* The whole of file PATH ("-": standard input; read, unpacked and recorded by base/input.h) into TEXT, which the caller
 * frees. A text of more than CW_FILE_LIMIT, or than half of the memory there is, is CW_ELIMIT: it may never end. Else
 * 0, CW_EIO, CW_EPARSE (not text) or CW_ENOMEM. */
CW_API int cw_file_read(const char *path, struct cw_text *text);

/* Writes TEXT to PATH through a temporary file beside it and a rename: a reader never sees half a file, and after a
 * crash of the machine there is the old one or the new one. A symbolic link stays one. What ends in .gz, .xz, .zst
 * or .bz2 is compressed so. A file that this thread's record has as an input (base/input.h) is CW_EUSAGE. All
 * files are written here. */
CW_API int cw_file_write(const char *path, const struct cw_text *text);

/* The lines of a text, one after another, without their "\n" or "\r\n"; a byte order mark at the start is skipped.
 *     struct cw_lines lines = cw_lines_of(file, data, length);
 *     while (cw_lines_next(&lines)) use(lines.line, lines.length, lines.number);
 * A line is not terminated by a 0. */
struct cw_lines {
    const char *file;     /* for messages */
    const char *line;     /* the current line */
    size_t length;        /* its length in bytes */
    unsigned long number; /* its number, from 1 */
    const char *next, *end;
};

/* Stands before the first line of DATA, which is borrowed, as is FILE. */
CW_API struct cw_lines cw_lines_of(const char *file, const char *data, size_t length);

/* Goes on to the next line; false: there is none. */
CW_API bool cw_lines_next(struct cw_lines *lines);

CW_END_DECLS

#endif
