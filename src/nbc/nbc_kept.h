/*
 * Files that are kept for the user between programs, in one folder: text of lines "NAME VALUE" and of tables.
 */
#ifndef CW_NBC_KEPT_H
#define CW_NBC_KEPT_H

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* $XDG_CACHE_HOME/crosswind/NAME.txt, in ~/.cache without that variable. CW_EIO if there is no such folder; CW_ENOMEM.
 * The caller frees PATH. */
int cw_nbc_kept_path(const char *name, struct cw_text *path);

/* What is behind NAME and a blank in LINE, maybe nothing; NULL: it begins otherwise. */
const char *cw_nbc_kept_word(const char *line, const char *name);

/* Writes TEXT, which it frees, and makes the folder. CW_EIO, CW_ENOMEM. */
int cw_nbc_kept_write(const char *path, struct cw_text *text);

CW_END_DECLS

#endif
