/*
 * The boxes of a plot: parts of its script.
 */
#ifndef CW_REPORT_PLOT_BOXES_H
#define CW_REPORT_PLOT_BOXES_H

#include "base/decls.h"
#include "report/plot.h"

CW_BEGIN_DECLS

/* Appends, for each series I with boxes, their outlines as $boxesI, and whiskers and medians as $whiskersI. Series that
 * have boxes at the same x show them side by side. */
void cw_plot_add_boxes(struct cw_text *script, const struct cw_plot *plot);

/* Appends what draws those of series I in COLOUR, after "plot"; the legend's title is to follow. */
void cw_plot_add_boxes_command(struct cw_text *script, size_t i, const char *colour);

CW_END_DECLS

#endif
