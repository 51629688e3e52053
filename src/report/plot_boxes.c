#include "report/plot_boxes.h"

#include <math.h>

#include "base/statistics.h"

/* x on the page, up to a factor: what widths are measured in. */
static double place_of(const struct cw_plot *plot, double x)
{
    return plot->x.logarithmic ? log10(x) : x;
}

static double x_at(const struct cw_plot *plot, double place)
{
    return plot->x.logarithmic ? pow(10, place) : place;
}

/* How wide boxes are, and whether those of several series stand side by side. */
struct widths {
    double step; /* from one series to the next, 0: they are at different x anyway */
    double half;
};

/* Looks at the boxes of series I and J: how near their x come, and how far all lie apart. */
static void compare_series(const struct cw_plot *plot, size_t i, size_t j, double *least, double *most, bool *shared)
{
    const struct cw_plot_series *a = &plot->series[i], *b = &plot->series[j];
    for (size_t k = 0; k < a->n_boxes; k++)
        for (size_t l = 0; l < b->n_boxes; l++) {
            const double apart = fabs(place_of(plot, a->boxes[k].x) - place_of(plot, b->boxes[l].x));
            *most = fmax(*most, apart);
            if (i == j && apart > 0) *least = fmin(*least, apart);
            if (i != j && apart == 0) *shared = true;
        }
}

/* As the nearest boxes of one series leave room for, or else the axis, but not thinner than can be seen. */
static struct widths widths_of(const struct cw_plot *plot, size_t columns)
{
    double least = INFINITY, most = 0;
    bool shared = false;
    for (size_t i = 0; i < plot->n_series; i++)
        for (size_t j = 0; j < plot->n_series; j++) compare_series(plot, i, j, &least, &most, &shared);
    const double range = plot->x.logarithmic ? 0 : plot->x.max - plot->x.min;
    const double room = fmax(isfinite(least) ? 0.8 * least : range > 0 ? 0.2 * range : 0.1, most / 60);
    const double width = shared ? room / (double)columns : room;
    return (struct widths){.step = shared ? width : 0, .half = 0.4 * width};
}

static void add_point(struct cw_text *script, const struct cw_plot *plot, double place, double y)
{
    cw_text_printf(script, "%.10g %.10g\n", x_at(plot, place), y);
}

static bool has_notch(const struct cw_plot_box *box)
{
    return box->n >= CW_INTERVAL_SAMPLES;
}

/* Once round the box, in at the notch on either side. */
static void add_outline(struct cw_text *script, const struct cw_plot *plot, const struct cw_plot_box *box,
                        double middle, double half)
{
    const double notch = has_notch(box) ? 1.57 * (box->q75 - box->q25) / sqrt((double)box->n) : 0;
    const double low = fmax(box->median - notch, box->q25), high = fmin(box->median + notch, box->q75);
    const double waist = notch > 0 ? half / 2 : half;
    add_point(script, plot, middle - half, box->q25);
    add_point(script, plot, middle + half, box->q25);
    add_point(script, plot, middle + half, low);
    add_point(script, plot, middle + waist, box->median);
    add_point(script, plot, middle + half, high);
    add_point(script, plot, middle + half, box->q75);
    add_point(script, plot, middle - half, box->q75);
    add_point(script, plot, middle - half, high);
    add_point(script, plot, middle - waist, box->median);
    add_point(script, plot, middle - half, low);
    add_point(script, plot, middle - half, box->q25);
    cw_text_add(script, "\n");
}

static void add_line(struct cw_text *script, const struct cw_plot *plot, double from_x, double from_y, double to_x,
                     double to_y)
{
    add_point(script, plot, from_x, from_y);
    add_point(script, plot, to_x, to_y);
    cw_text_add(script, "\n");
}

static void add_whiskers(struct cw_text *script, const struct cw_plot *plot, const struct cw_plot_box *box,
                         double middle, double half)
{
    add_line(script, plot, middle, box->min, middle, box->q25);
    add_line(script, plot, middle, box->q75, middle, box->max);
    add_line(script, plot, middle - half / 2, box->min, middle + half / 2, box->min);
    add_line(script, plot, middle - half / 2, box->max, middle + half / 2, box->max);
    const double waist = has_notch(box) && box->q75 > box->q25 ? half / 2 : half;
    add_line(script, plot, middle - waist, box->median, middle + waist, box->median);
}

void cw_plot_add_boxes(struct cw_text *script, const struct cw_plot *plot)
{
    size_t columns = 0, column = 0;
    for (size_t i = 0; i < plot->n_series; i++) columns += plot->series[i].n_boxes > 0;
    if (columns == 0) return;
    const struct widths widths = widths_of(plot, columns);
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct cw_plot_series *series = &plot->series[i];
        if (series->n_boxes == 0) continue;
        const double aside = ((double)column++ - (double)(columns - 1) / 2) * widths.step;
        cw_text_printf(script, "\n$boxes%zu << END\n", i);
        for (size_t k = 0; k < series->n_boxes; k++)
            add_outline(script, plot, &series->boxes[k], place_of(plot, series->boxes[k].x) + aside, widths.half);
        cw_text_printf(script, "END\n$whiskers%zu << END\n", i);
        for (size_t k = 0; k < series->n_boxes; k++)
            add_whiskers(script, plot, &series->boxes[k], place_of(plot, series->boxes[k].x) + aside, widths.half);
        cw_text_add(script, "END\n");
    }
}

void cw_plot_add_boxes_command(struct cw_text *script, size_t i, const char *colour)
{
    cw_text_printf(script,
                   "$whiskers%zu using 1:2 with lines linecolor rgb '%s' linewidth 1.5 notitle, \\\n     "
                   "$boxes%zu using 1:2 with filledcurves closed fillcolor rgb '%s' fillstyle transparent solid 0.3 "
                   "border linecolor rgb '%s'",
                   i, colour, i, colour, colour);
}
