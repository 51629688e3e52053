/*
 * Text for gnuplot scripts.
 */
#ifndef CW_REPORT_PLOT_QUOTE_H
#define CW_REPORT_PLOT_QUOTE_H

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* Appends LABEL, and UNIT in brackets unless it is NULL, as one string literal: between single quotes gnuplot takes all
 * as it is but the single quote. What SVG cannot hold (control characters, bytes that are not UTF-8) becomes a blank or
 * '?'. */
void cw_plot_quote(struct cw_text *script, const char *label, const char *unit);

CW_END_DECLS

#endif
