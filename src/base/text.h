/*
 * Text: what base/buffer.h has no room for, because users of the library have no use for it. Lines that are wrapped,
 * names that are shown, files that grow, and what a misspelt name was meant to be.
 */
#ifndef CW_BASE_TEXT_H
#define CW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* Appends the words of STRING in lines of at most WIDTH columns, the last one without a newline. The text's current
 * line is at COLUMN; further lines are indented by INDENT. A word that is wider has a line of its own. Control
 * characters within words are made visible. */
void cw_text_wrap(struct cw_text *text, const char *string, size_t column, size_t indent, size_t width);
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

/* Calls EACH with CONTEXT for each item of LIST, "ITEM[,ITEM…]" (NULL: none), until one gives an error, which is
 * returned; or CW_ENOMEM. Items are borrowed. */
int cw_list_each(const char *list, int (*each)(void *context, const char *item), void *context);

/* cw_file_read with another limit. */
int cw_file_read_at_most(const char *path, size_t limit, struct cw_text *text);

/* cw_file_write of a file that the program keeps for itself: it may have read it before. */
int cw_file_update(const char *path, const struct cw_text *text);
/* The same for a PATH that was made from a name the user gave: a symbolic link that stands there is replaced. */
int cw_file_write_beside(const char *path, const struct cw_text *text);

/* A file that is made piece by piece, may be read before it is there, and takes its name only when it is whole, by
 * cw_draft_commit, as cw_file_write does: the same compression, the same errors. Free it in any case: if it was not
 * committed, nothing is left of it. */
struct cw_draft;

int cw_draft_begin(const char *path, struct cw_draft **out);
int cw_draft_append(struct cw_draft *draft, const struct cw_text *text);
/* Nothing follows. *NAME (may be NULL) is where this process can read it meanwhile, the draft's. */
int cw_draft_end(struct cw_draft *draft, const char **name);
int cw_draft_commit(struct cw_draft *draft); /* after cw_draft_end */
void cw_draft_free(struct cw_draft *draft);

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

/* The current line as text of its own, without a comment ('#' at the beginning or after a blank) and the blanks around
 * it. Owned by the caller; NULL without memory (said). */
char *cw_line_content(const struct cw_lines *lines);

/* The next word of *REST, between blanks, ended by a 0 in its place; *REST is put behind it. NULL: there is none. */
char *cw_next_word(char **rest);

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
