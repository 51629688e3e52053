/*
 * Figures that a result declares (base/result.h), as plots, bars and maps of colours. Units of bytes and seconds get
 * the prefix that suits the greatest value. Of more lines or bars than are legible the first are drawn, and the title
 * says how many there are.
 */
#ifndef CW_REPORT_FIGURE_H
#define CW_REPORT_FIGURE_H

#include <stdbool.h>

#include "base/decls.h"
#include "base/result.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* Appends the gnuplot script of FIGURE, one of RESULT. CW_EUSAGE if there is no value to draw, or too much. The same
 * figure gives the same script. */
int cw_figure_script(const struct cw_result *result, const struct cw_figure *figure, struct cw_text *script);

/* Draws the figures of RESULT as cw_plot_write does: the first to PATH, further ones to NAME-2.svg, NAME-3.svg, … for
 * PATH "NAME.svg". One without a value is left out, and does not count. CW_EUSAGE if none has any. If there are
 * several, a note of RESULT says what is where. If RESULT has not become COMPLETE, titles say so. */
int cw_figures_draw(struct cw_result *result, bool complete, const char *path);

CW_END_DECLS

#endif
