/*
 * Drawings: lines, arrows, boxes, circles and text on a page, drawn by gnuplot like plots (report/plot.h), with the
 * script beside the picture. Coordinates are the page's own, x to the right and y upwards. Text is taken literally.
 *
 *     struct cw_drawing drawing;
 *     cw_drawing_begin(&drawing, &page);
 *     cw_drawing_arrow(&drawing, 0, 0, 1, 1, CW_INK_BLUE);
 *     int error = cw_drawing_end(&drawing, "picture.svg");
 */
#ifndef CW_REPORT_DRAWING_H
#define CW_REPORT_DRAWING_H

#include "base/decls.h"
#include "base/text.h"
#include "report/plot.h"

CW_BEGIN_DECLS

struct cw_drawing_page {
    const char *title;      /* NULL: none */
    unsigned width, height; /* pixels */
    struct cw_plot_axis x;  /* drawn, with tics and dashed lines, if it has a label; min and max are required */
    double y_min, y_max;
};

/* Colours that the colour-blind tell apart, too (Okabe and Ito). */
enum cw_ink { CW_INK_BLACK, CW_INK_GREY, CW_INK_LIGHT, CW_INK_BLUE, CW_INK_RED, CW_INK_GREEN, CW_INK_WHITE };

enum cw_align { CW_ALIGN_LEFT, CW_ALIGN_CENTRE, CW_ALIGN_RIGHT };

struct cw_drawing {
    struct cw_text script; /* remembers a failed allocation for cw_drawing_end */
};

void cw_drawing_begin(struct cw_drawing *drawing, const struct cw_drawing_page *page);

void cw_drawing_line(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                     double width);
void cw_drawing_arrow(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                      double width);
/* From corner to corner, filled with INK and with a border of BORDER. */
void cw_drawing_rectangle(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                          enum cw_ink border);
/* RADIUS in units of x. */
void cw_drawing_circle(struct cw_drawing *drawing, double x, double y, double radius, enum cw_ink ink,
                       enum cw_ink border);
/* TEXT in SIZE points, its middle at the height Y; over what is drawn below it if OPAQUE. */
void cw_drawing_text(struct cw_drawing *drawing, double x, double y, enum cw_align align, double size, enum cw_ink ink,
                     bool opaque, const char *format, ...) CW_PRINTF(8, 9);

/* Draws it to PATH as cw_plot_write does, and frees what DRAWING holds. */
int cw_drawing_end(struct cw_drawing *drawing, const char *path);

CW_END_DECLS

#endif
