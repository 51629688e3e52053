/*
 * Figures of several things side by side: a panel for each figure, a horizontal bar for each thing, from 0, with its
 * interval; the best ones have a colour of their own. Drawn by gnuplot, as figures are (report/plot.h): the script
 * stays beside the picture, and all text is taken literally.
 */
#ifndef CW_REPORT_BARS_H
#define CW_REPORT_BARS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

struct cw_bar {
    double value;      /* one that is not finite is left blank */
    double half_width; /* of its interval; none unless > 0 */
    bool best;
};

struct cw_bar_panel {
    const char *label, *unit;  /* UNIT may be NULL */
    const struct cw_bar *bars; /* [rows] */
};

/* Everything is borrowed. */
struct cw_bars {
    const char *title;                /* NULL: none */
    const char *const *row_names;     /* [rows], from above */
    size_t rows, panels;              /* 1 or more */
    const struct cw_bar_panel *panel; /* [panels] */
};

/* Appends the gnuplot script, which writes SVG to its standard output. CW_EUSAGE if there is no value to draw. The same
 * bars give the same script. */
int cw_bars_script(const struct cw_bars *bars, struct cw_text *script);

/* As cw_plot_write. */
int cw_bars_write(const struct cw_bars *bars, const char *path);

CW_END_DECLS

#endif
