/*
 * A progress bar for long work: share done, rate and time left on a terminal; nothing at all elsewhere.
 */
#ifndef CW_BASE_PROGRESS_H
#define CW_BASE_PROGRESS_H

#include <stddef.h>
#include <stdio.h>

#include "base/decls.h"
#include "base/progress_part.h"

CW_BEGIN_DECLS

/* A bar for TOTAL steps called LABEL on STREAM, shown only where STREAM is a terminal. NULL (no bar; all functions here
 * accept it) if it is not, or if there is no memory: progress never fails the work. */
struct cw_progress *cw_progress_new(FILE *stream, const char *label, size_t total);

/* Shows LABEL from now on, e.g. which part of the work is under way. */
void cw_progress_label(struct cw_progress *progress, const char *label);

/* STEPS more are done; any thread may call it. Redraws at most ten times a second, and once all is done. */
void cw_progress_step(struct cw_progress *progress, size_t steps);

/* SHARE of PART (0 to 1) is done, and all before it; any thread may call it. A bar never goes back: what is less than
 * was said before changes nothing. */
void cw_progress_reach(const struct cw_progress_part *part, double share);

/* The part of PART from the share FROM to the share TO. */
struct cw_progress_part cw_progress_within(const struct cw_progress_part *part, double from, double to);

CW_END_DECLS

#endif
