/*
 * Text for gnuplot scripts, and from a script to a picture: gnuplot as a child process.
 */
#ifndef CW_REPORT_PLOT_DRAW_H
#define CW_REPORT_PLOT_DRAW_H

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* Writes SCRIPT, which prints SVG, beside PATH ("NAME.svg"), as NAME.gp, and has gnuplot draw the picture to PATH.
 * A NAME.gp that is not as it was written here is kept, which a remark says (base/input.h), and the script is
 * NAME.new.gp then. CW_EIO if it is not installed or fails; the script is there all the same. */
int cw_plot_draw(const struct cw_text *script, const char *path);

/* Appends LABEL, and UNIT in brackets unless it is NULL, as one string literal: between single quotes gnuplot takes all
 * as it is but the single quote. What SVG cannot hold (control characters, bytes that are not UTF-8) becomes a blank or
 * '?'. */
void cw_plot_quote(struct cw_text *script, const char *label, const char *unit);

CW_END_DECLS

#endif
