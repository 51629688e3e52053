/*
 * Text for gnuplot scripts, and from a script to a picture: gnuplot as a child process.
 */
#ifndef CW_REPORT_PLOT_DRAW_H
#define CW_REPORT_PLOT_DRAW_H

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* Begins SCRIPT for a picture of WIDTH by HEIGHT pixels with letters of FONT points: as SVG, until cw_plot_draw knows.
 */
void cw_plot_begin(struct cw_text *script, size_t width, size_t height, unsigned font);

/* Writes SCRIPT, which cw_plot_begin has begun, beside PATH ("NAME.svg", "NAME.png" or "NAME.pdf", which says the
 * form), as NAME.gp, and has gnuplot draw the picture to PATH. A NAME.gp that is not as it was written here is kept,
 * which a remark says (base/input.h), and the script is NAME.new.gp then. CW_EIO if it is not installed or fails; the
 * script is there all the same. */
int cw_plot_draw(const struct cw_text *script, const char *path);

/* Appends LABEL, and UNIT in brackets unless it is NULL, as one string literal: between single quotes gnuplot takes all
 * as it is but the single quote. What SVG cannot hold (control characters, bytes that are not UTF-8) becomes a blank or
 * '?'. */
void cw_plot_quote(struct cw_text *script, const char *label, const char *unit);

/* Appends "title 'TITLE'" and its font: of FONT points, or of fewer where it is too long for WIDTH pixels. */
void cw_plot_title(struct cw_text *script, const char *title, double font, size_t width);

CW_END_DECLS

#endif
