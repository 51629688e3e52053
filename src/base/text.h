/*
 * Text: a growing buffer, whole files, and their lines.
 *
 * A cw_text starts zeroed ({0}), is written with the append functions and freed with cw_text_free. It remembers a
 * failed allocation: later appends do nothing and cw_text_check reports it, so that writers need not test each call.
 */
#ifndef CW_BASE_TEXT_H
#define CW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_text {
    char *data; /* always followed by a 0 once anything was appended; NULL before */
    size_t length;
    size_t capacity;
    bool failed;
};

void cw_text_append(struct cw_text *text, const char *bytes, size_t length);
void cw_text_add(struct cw_text *text, const char *string);
void cw_text_printf(struct cw_text *text, const char *format, ...) CW_PRINTF(2, 3);
/* Appends the words of STRING in lines of at most WIDTH columns, the last one without a newline. The text's current
 * line is at COLUMN; further lines are indented by INDENT. A word that is wider has a line of its own. Control
 * characters within words are made visible. */
void cw_text_wrap(struct cw_text *text, const char *string, size_t column, size_t indent, size_t width);
int cw_text_check(const struct cw_text *text); /* 0 or CW_ENOMEM */
void cw_text_free(struct cw_text *text);

/* Names and messages come from files, too, and may contain what moves a cursor or worse. Appends the LENGTH bytes of
 * STRING with every control character, line ends included, as \xNN. */
void cw_text_add_visible(struct cw_text *text, const char *string, size_t length);
/* The bytes of the control character that STRING begins with (one, or two of UTF-8), or 0. */
size_t cw_text_control(const char *string);

/* The columns STRING takes on a terminal: its UTF-8 characters, each taken as one column wide, control characters as
 * cw_text_add_visible shows them. */
size_t cw_text_width(const char *string);

/* What N things end in: "" or "s". */
static inline const char *cw_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* The whole of file PATH ("-": standard input; read and recorded by base/input.h) into TEXT, which the caller frees. A
 * file of more than CW_FILE_LIMIT, or than half of the memory there is, is CW_ELIMIT: it may never end. Else 0, CW_EIO,
 * CW_EPARSE (not text) or CW_ENOMEM. */
int cw_file_read(const char *path, struct cw_text *text);
#define CW_FILE_LIMIT ((size_t)16 << 30)                                        /* bytes */
int cw_file_read_at_most(const char *path, size_t limit, struct cw_text *text); /* the same with another limit */

/* Writes TEXT to PATH through a temporary file beside it and a rename: a reader never sees half a file, and after a
 * crash of the machine there is the old one or the new one. A symbolic link stays one. A file that this thread's record
 * has as an input (base/input.h) is CW_EUSAGE. All files are written here. */
int cw_file_write(const char *path, const struct cw_text *text);
/* The same for a file that the program keeps for itself: it may have read it before. */
int cw_file_update(const char *path, const struct cw_text *text);
/* The same for a PATH that was made from a name the user gave: a symbolic link that stands there is replaced. */
int cw_file_write_beside(const char *path, const struct cw_text *text);

/* A file that grows while the work goes on, so that what is there survives the process: begins PATH anew and gives its
 * descriptor, for the caller to close. BESIDE: PATH was made from a name the user gave; what stands there is removed.
 */
int cw_file_begin(const char *path, bool beside, int *descriptor);
/* Appends TEXT to the file PATH, or NULL for standard output, that is open as DESCRIPTOR. */
int cw_file_append(int descriptor, const char *path, const struct cw_text *text);

/* Whether both names are of one regular file (a hard or symbolic link, too), or would be if it were made. */
bool cw_file_same(const char *a, const char *b);

/* Of several processes that come to the same result, one writes it. After cw_files_mute this process writes no files:
 * cw_file_write and cw_file_check_output do nothing and succeed. Who makes files in another way asks cw_files_muted. */
void cw_files_mute(void);
bool cw_files_muted(void);

/* Before long work: CW_EIO if PATH cannot be written as things are, or is a folder. Nothing is opened or made. */
int cw_file_check_output(const char *path);

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

struct cw_lines cw_lines_of(const char *file, const char *data, size_t length);
bool cw_lines_next(struct cw_lines *lines);
/* The current line as text of its own, without a comment ('#' at the beginning or after a blank) and the blanks around
 * it. Owned by the caller; NULL without memory (said). */
char *cw_line_content(const struct cw_lines *lines);

/* Compares names as people order them: runs of digits by their value, the rest by byte. <0, 0, >0 as strcmp; equal
 * only for identical strings. */
int cw_natural_compare(const char *a, const char *b);

/* What a misspelt name was meant to be: of the candidates tried the nearest by edit distance, the first of equally near
 * ones; NULL as long as none is near enough. Upper and lower case are the same. */
struct cw_guess {
    const char *wanted, *nearest; /* borrowed */
    size_t edits;                 /* from one to the other */
};

struct cw_guess cw_guess_of(const char *wanted);
void cw_guess_try(struct cw_guess *guess, const char *candidate);

/* The same of CANDIDATES, which end with NULL. */
const char *cw_nearest(const char *name, const char *const *candidates);

CW_END_DECLS

#endif
