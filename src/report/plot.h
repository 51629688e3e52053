/*
 * Figures: a plot is described as data and drawn by gnuplot. The script, with the numbers in it, stays beside the
 * picture so that users can adapt it.
 *
 * All text is taken literally: nothing in a title or a label is markup, a command or a quote to gnuplot or to SVG.
 * Bytes that are not UTF-8 become '?', control characters blanks. Colours are told apart by the colour-blind, too (M.
 * Okabe and K. Ito, "Color universal design"), and series differ in marker as well.
 */
#ifndef CW_REPORT_PLOT_H
#define CW_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

struct cw_plot_axis {
    const char *label;   /* NULL: none */
    const char *unit;    /* behind the label, in brackets; NULL: none */
    bool logarithmic;    /* to base 10; values that are not positive are left out. A horizontal one of less than two
                          * decades with few values is labelled at these */
    double min, max;     /* NaN, or both 0: as the data have it; around a single value, half of it on either side */
    const double *marks; /* the axis is labelled at these values alone, bytes as "1 MiB" … */
    size_t n_marks;      /* … 0: as gnuplot chooses */
};

enum cw_plot_style {
    CW_PLOT_LINES_AND_POINTS,
    CW_PLOT_LINES,
    CW_PLOT_POINTS,
    CW_PLOT_BOXES /* from the foot of the plot, as wide as their distance */
};

struct cw_plot_point {
    double x, y;      /* a point that is not finite is left out and breaks the line */
    double low, high; /* the ends of its error bar; none unless low < high */
};

/* A sample as a notched box: from quartile to quartile, a line at the median, whiskers over the whole range. The notch
 * is median ± 1.57 (q75 - q25) / √n, within the box: where those of two samples do not overlap, their medians differ
 * with 95 % confidence (McGill, Tukey and Larsen, "Variations of box plots", 1978). */
struct cw_plot_box {
    double x, min, q25, median, q75, max; /* finite; x > 0 on a logarithmic axis */
    size_t n;                             /* of the sample; fewer than CW_INTERVAL_SAMPLES have no notch */
};

struct cw_plot_series {
    const char *label; /* in the legend; NULL: not there */
    enum cw_plot_style style;
    bool dashed;
    size_t partner; /* 1 + another series, whose colour this one has, with an open marker; 0: none */
    const struct cw_plot_point *points;
    size_t n_points;
    const struct cw_plot_box *boxes; /* under the points, beside those of other series */
    size_t n_boxes;
};

/* A horizontal line across the plot: a bound, an average. */
struct cw_plot_level {
    const char *label;
    double y;
};

/* Everything is borrowed. */
struct cw_plot {
    const char *title; /* NULL: none */
    struct cw_plot_axis x, y;
    bool equal; /* x and y are of one kind, as predicted and measured: both axes have the same range and length,
                 * whatever their limits, and y = x is drawn */
    const struct cw_plot_series *series;
    size_t n_series;
    const struct cw_plot_level *levels;
    size_t n_levels;
};

/* Appends the gnuplot script, which writes SVG to its standard output. CW_EUSAGE if there is no point to draw, for axes
 * that are to be equal if one alone is logarithmic, or for
 * an axis whose limits cannot be. The same plot gives the same script. */
int cw_plot_script(const struct cw_plot *plot, struct cw_text *script);

/* Writes the script to PATH, with ".gp" for the ".svg", ".png" or ".pdf" at its end, and has gnuplot draw the picture,
 * in that form, to PATH. A script that its user has edited is kept, which a remark says (base/input.h); then it is
 * ".new.gp". CW_EIO if gnuplot is not installed or fails; the script is there all the same. */
int cw_plot_write(const struct cw_plot *plot, const char *path);

/* 0 if PATH ends as pictures do, CW_EUSAGE if not. */
int cw_plot_check_name(const char *path);

/* 0 if gnuplot can be started, CW_EIO if not: for whoever computes long before there is something to draw. */
int cw_plot_check(void);

CW_END_DECLS

#endif
