#include "report/drawing.h"

#include <stdarg.h>
#include <stdio.h>

#include "report/plot_draw.h"

static const char *const inks[] = {"#000000", "#707070", "#D9D9D9", "#0072B2", "#D55E00", "#009E73", "#FFFFFF"};

static void add_label(struct cw_text *script, const char *name, const char *label, const char *unit)
{
    cw_text_printf(script, "set %s ", name);
    cw_plot_quote(script, label, unit);
    cw_text_add(script, "\n");
}

void cw_drawing_begin(struct cw_drawing *drawing, const struct cw_drawing_page *page)
{
    *drawing = (struct cw_drawing){0};
    struct cw_text *script = &drawing->script;
    cw_plot_begin(script, page->width, page->height, 15);
    cw_text_printf(script,
                   "set style textbox opaque margins 0.5,0.2 fillcolor rgb 'white' noborder\n"
                   "unset border\nunset ytics\nunset key\n"
                   "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n",
                   page->x.min, page->x.max, page->y_min, page->y_max);
    if (page->title) add_label(script, "title", page->title, NULL);
    if (page->x.label) {
        add_label(script, "xlabel", page->x.label, page->x.unit);
        cw_text_add(script, "set xtics 1 nomirror\nset grid xtics linecolor rgb '#BBBBBB' linewidth 1 dashtype 3\n");
    } else {
        cw_text_add(script, "unset xtics\nset margins 1,1,1,2\n");
    }
}

static void add_stroke(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                       double width, const char *head)
{
    cw_text_printf(&drawing->script,
                   "set arrow from %.10g,%.10g to %.10g,%.10g %s linecolor rgb '%s' linewidth %.10g back\n", x, y, to_x,
                   to_y, head, inks[ink], width);
}

void cw_drawing_line(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                     double width)
{
    add_stroke(drawing, x, y, to_x, to_y, ink, width, "nohead");
}

void cw_drawing_arrow(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                      double width)
{
    add_stroke(drawing, x, y, to_x, to_y, ink, width, "head filled size screen 0.012,18");
}

static void add_fill(struct cw_drawing *drawing, enum cw_ink ink, enum cw_ink border)
{
    cw_text_printf(&drawing->script, " back fillcolor rgb '%s' fillstyle solid 1 border linecolor rgb '%s'\n",
                   inks[ink], inks[border]);
}

void cw_drawing_rectangle(struct cw_drawing *drawing, double x, double y, double to_x, double to_y, enum cw_ink ink,
                          enum cw_ink border)
{
    cw_text_printf(&drawing->script, "set object rectangle from %.10g,%.10g to %.10g,%.10g", x, y, to_x, to_y);
    add_fill(drawing, ink, border);
}

void cw_drawing_circle(struct cw_drawing *drawing, double x, double y, double radius, enum cw_ink ink,
                       enum cw_ink border)
{
    cw_text_printf(&drawing->script, "set object circle at %.10g,%.10g size %.10g", x, y, radius);
    add_fill(drawing, ink, border);
}

void cw_drawing_text(struct cw_drawing *drawing, double x, double y, enum cw_align align, double size, enum cw_ink ink,
                     bool opaque, const char *format, ...)
{
    static const char *const names[] = {"left", "center", "right"};
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cw_text_add(&drawing->script, "set label ");
    cw_plot_quote(&drawing->script, text, NULL);
    cw_text_printf(&drawing->script, " at %.10g,%.10g %s font ',%.10g' textcolor rgb '%s' front%s\n", x, y,
                   names[align], size, inks[ink], opaque ? " boxed" : "");
}

int cw_drawing_end(struct cw_drawing *drawing, const char *path)
{
    cw_text_add(&drawing->script, "plot NaN notitle\n");
    int rc = cw_text_check(&drawing->script);
    if (!rc) rc = cw_plot_draw(&drawing->script, path);
    cw_text_free(&drawing->script);
    return rc;
}
