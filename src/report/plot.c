#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/statistics.h"
#include "base/units.h"
#include "report/plot_draw.h"

/* --- boxes -------------------------------------------------------------------------------------------------------- */

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

/* Appends, for each series I with boxes, their outlines as $boxesI, and whiskers and medians as $whiskersI. Series that
 * have boxes at the same x show them side by side. */
static void add_boxes(struct cw_text *script, const struct cw_plot *plot)
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

/* Appends what draws those of series I in COLOUR, after "plot"; the legend's title is to follow. */
static void add_boxes_command(struct cw_text *script, size_t i, const char *colour)
{
    cw_text_printf(script,
                   "$whiskers%zu using 1:2 with lines linecolor rgb '%s' linewidth 1.5 notitle, \\\n     "
                   "$boxes%zu using 1:2 with filledcurves closed fillcolor rgb '%s' fillstyle transparent solid 0.3 "
                   "border linecolor rgb '%s'",
                   i, colour, i, colour, colour);
}

/* Okabe and Ito's palette without its yellow, which is too light for lines on white; darkest differences first. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
static const int markers[] = {7, 5, 9, 13, 11, 15, 6, 4}; /* gnuplot's: circle, square, triangle, diamond, …, full */
static const char *const level_colour = "#595959";

#define CONTINUED ", \\\n     "
#define COLOURS   (sizeof colours / sizeof *colours)
#define MARKERS   (sizeof markers / sizeof *markers)

static bool on_axis(const struct cw_plot_axis *axis, double value)
{
    return isfinite(value) && (!axis->logarithmic || value > 0);
}

static bool is_free(const struct cw_plot_axis *axis)
{
    return axis->min == 0 && axis->max == 0;
}

static bool is_drawn(const struct cw_plot *plot, const struct cw_plot_point *point)
{
    return on_axis(&plot->x, point->x) && on_axis(&plot->y, point->y);
}

static size_t count_drawn(const struct cw_plot *plot, const struct cw_plot_series *series)
{
    size_t n = 0;
    for (size_t i = 0; i < series->n_points; i++) n += is_drawn(plot, &series->points[i]);
    return n;
}

static bool has_error_bar(const struct cw_plot *plot, const struct cw_plot_point *point)
{
    return is_drawn(plot, point) && isfinite(point->low) && isfinite(point->high) && point->low < point->high;
}

static bool has_error_bars(const struct cw_plot *plot, const struct cw_plot_series *series)
{
    for (size_t i = 0; i < series->n_points; i++)
        if (has_error_bar(plot, &series->points[i])) return true;
    return false;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static int check_axis(const struct cw_plot_axis *axis, const char *name)
{
    if (is_free(axis)) return 0;
    if (isinf(axis->min) || isinf(axis->max))
        return cw_fail(CW_EUSAGE, "the %s axis of a plot from %g to %g", name, axis->min, axis->max);
    if (axis->min >= axis->max)
        return cw_fail(CW_EUSAGE, "the %s axis of a plot from %g to %g; it must end above its beginning", name,
                       axis->min, axis->max);
    if (axis->logarithmic && (axis->min <= 0 || axis->max <= 0))
        return cw_fail(CW_EUSAGE, "the logarithmic %s axis of a plot from %g to %g; both must be positive", name,
                       axis->min, axis->max);
    return 0;
}

static int check_plot(const struct cw_plot *plot)
{
    int rc = check_axis(&plot->x, "x");
    if (!rc) rc = check_axis(&plot->y, "y");
    if (rc) return rc;
    if (plot->equal && plot->x.logarithmic != plot->y.logarithmic)
        return cw_fail(CW_EUSAGE, "equal axes of a plot, of which one is logarithmic; expected both or none");
    for (size_t i = 0; i < plot->n_series; i++)
        if (count_drawn(plot, &plot->series[i]) > 0 || plot->series[i].n_boxes > 0) return 0;
    return cw_fail(CW_EUSAGE, "a plot without a point that can be drawn");
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

struct span {
    double least, greatest;
};

static void widen(const struct cw_plot_axis *axis, double value, struct span *span)
{
    if (!on_axis(axis, value)) return;
    span->least = fmin(span->least, value);
    span->greatest = fmax(span->greatest, value);
}

/* What the x, or the y, of all that is drawn span; of points with their error bars. */
static struct span span_of(const struct cw_plot *plot, bool of_y)
{
    const struct cw_plot_axis *axis = of_y ? &plot->y : &plot->x;
    struct span span = {INFINITY, -INFINITY};
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct cw_plot_series *series = &plot->series[i];
        for (size_t k = 0; k < series->n_points; k++) {
            const struct cw_plot_point *point = &series->points[k];
            if (!is_drawn(plot, point)) continue;
            widen(axis, of_y ? point->y : point->x, &span);
            if (!of_y || !has_error_bar(plot, point)) continue;
            widen(axis, point->low, &span);
            widen(axis, point->high, &span);
        }
        for (size_t k = 0; k < series->n_boxes; k++) {
            widen(axis, of_y ? series->boxes[k].min : series->boxes[k].x, &span);
            widen(axis, of_y ? series->boxes[k].max : series->boxes[k].x, &span);
        }
    }
    for (size_t i = 0; of_y && i < plot->n_levels; i++) widen(axis, plot->levels[i].y, &span);
    return span;
}

/* gnuplot would make a per cent on either side of a single value the whole axis. */
static void fit_single(struct span span, struct cw_plot_axis *axis)
{
    if (!is_free(axis) || span.least != span.greatest) return;
    const double half = span.least == 0 ? 1 : fabs(span.least) / 2;
    axis->min = axis->logarithmic ? span.least / 3 : span.least - half;
    axis->max = axis->logarithmic ? span.least * 3 : span.least + half;
}

static const double marks_of_ratios[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
#define RATIO_MARKS (sizeof marks_of_ratios / sizeof *marks_of_ratios)

/* Both axes with the range of the two together, from 0 on if nothing is below. */
static void fit_equal(struct span x, struct span y, struct cw_plot *plot)
{
    const double least = fmin(x.least, y.least), greatest = fmax(x.greatest, y.greatest);
    const bool logarithmic = plot->x.logarithmic;
    const double room = 0.05 * (greatest - fmin(least, 0));
    plot->x.min = plot->y.min = logarithmic ? least / 1.2 : least >= 0 ? 0 : least - room;
    plot->x.max = plot->y.max = logarithmic ? greatest * 1.2 : greatest > 0 ? greatest + room : 0;
    if (plot->x.min == plot->x.max) plot->x.max = plot->y.max = 1; /* all is 0 */
    /* Of a logarithmic axis of a decade or two gnuplot would label one value or two. */
    const bool labelled = logarithmic && least >= marks_of_ratios[0] && greatest <= marks_of_ratios[RATIO_MARKS - 1];
    plot->x.marks = plot->y.marks = marks_of_ratios;
    plot->x.n_marks = plot->y.n_marks = labelled ? RATIO_MARKS : 0;
}

/* Of those of CW_PLOT_BOXES: as the nearest two of a series leave room for; 0: there are none. */
static double box_width(const struct cw_plot *plot)
{
    double least = INFINITY;
    bool any = false;
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct cw_plot_series *series = &plot->series[i];
        if (series->style != CW_PLOT_BOXES) continue;
        any = true;
        for (size_t k = 1; k < series->n_points; k++)
            if (series->points[k].x != series->points[k - 1].x)
                least = fmin(least, fabs(series->points[k].x - series->points[k - 1].x));
    }
    return !any ? 0 : isfinite(least) ? least : 1;
}

/* PLOT, with the limits of its axes. */
static struct cw_plot with_limits(const struct cw_plot *plot)
{
    struct cw_plot fitted = *plot;
    const struct span x = span_of(plot, false), y = span_of(plot, true);
    if (plot->equal)
        fit_equal(x, y, &fitted);
    else {
        const double room = box_width(plot);
        if (room > 0 && is_free(&fitted.x) && !fitted.x.logarithmic) {
            fitted.x.min = x.least - room;
            fitted.x.max = x.greatest + room;
        }
        fit_single(x, &fitted.x);
        fit_single(y, &fitted.y);
    }
    return fitted;
}

/* --- the script --------------------------------------------------------------------------------------------------- */

static void add_limit(struct cw_text *script, double limit)
{
    if (isnan(limit))
        cw_text_add(script, "*");
    else
        cw_text_printf(script, "%.10g", limit);
}

/* Bytes as people write them: 1 MiB. */
static void add_marks(struct cw_text *script, const struct cw_plot_axis *axis, char name)
{
    const bool bytes = axis->unit && strcmp(axis->unit, "byte") == 0;
    char words[32] = "";
    for (size_t i = 0; i < axis->n_marks; i++) {
        if (i == 0)
            cw_text_printf(script, "set %ctics (", name);
        else
            cw_text_add(script, ", ");
        if (bytes) cw_text_printf(script, "'%s' ", cw_format_bytes((uint64_t)axis->marks[i], words, sizeof words));
        cw_text_printf(script, "%.10g", axis->marks[i]);
    }
    if (axis->n_marks > 0) cw_text_add(script, ")\n");
}

static void add_axis(struct cw_text *script, const struct cw_plot_axis *axis, char name)
{
    if (axis->label || axis->unit) {
        cw_text_printf(script, "set %clabel ", name);
        cw_plot_quote(script, axis->label ? axis->label : "", axis->unit);
        cw_text_add(script, "\n");
    }
    if (axis->logarithmic) cw_text_printf(script, "set logscale %c 10\n", name);
    add_marks(script, axis, name);
    if (is_free(axis)) return;
    cw_text_printf(script, "set %crange [", name);
    add_limit(script, axis->min);
    cw_text_add(script, ":");
    add_limit(script, axis->max);
    cw_text_add(script, "]\n");
}

#define FEW 12 /* values with a label each */

/* Collects the different x of all points; false if they are more than FEW or span two decades. */
static bool few_values(const struct cw_plot *plot, double values[FEW], size_t *n)
{
    double least = INFINITY, greatest = 0;
    *n = 0;
    for (size_t i = 0; i < plot->n_series; i++)
        for (size_t k = 0; k < plot->series[i].n_points; k++) {
            const struct cw_plot_point *point = &plot->series[i].points[k];
            size_t at = 0;
            while (at < *n && values[at] != point->x) at++;
            if (!is_drawn(plot, point) || at < *n) continue;
            if (*n == FEW) return false;
            values[(*n)++] = point->x;
            least = fmin(least, point->x);
            greatest = fmax(greatest, point->x);
        }
    return *n > 0 && greatest < 100 * least;
}

/* gnuplot labels powers of ten, of which there may be one. */
static void add_tics(struct cw_text *script, const struct cw_plot *plot)
{
    double values[FEW];
    size_t n;
    if (!plot->x.logarithmic || plot->equal || plot->x.n_marks > 0 || !few_values(plot, values, &n)) return;
    for (size_t i = 0; i < n; i++) cw_text_printf(script, "%s%.10g", i == 0 ? "set xtics (" : ", ", values[i]);
    cw_text_add(script, ")\n");
}

static void add_box_width(struct cw_text *script, const struct cw_plot *plot)
{
    const double width = box_width(plot);
    if (width > 0) cw_text_printf(script, "set boxwidth %.10g\n", 0.9 * width);
}

static void add_header(struct cw_text *script, const struct cw_plot *plot)
{
    cw_plot_begin(script, 800, 600, 15);
    cw_text_add(script, "set key outside bottom center horizontal Left reverse samplen 3 spacing 1.2 height 1\n"
                        "set border 3 linecolor rgb '#404040'\n"
                        "set tics nomirror\n"
                        "set grid linecolor rgb '#DDDDDD' linewidth 1\n"
                        "set pointintervalbox 0.001\n" /* else error bars clear what lies under them */
                        "set offsets graph 0.02, graph 0.02, 0, 0\n");
    if (plot->title) {
        cw_text_add(script, "set ");
        cw_plot_title(script, plot->title, 18, 780);
    }
    add_axis(script, &plot->x, 'x');
    add_tics(script, plot);
    add_axis(script, &plot->y, 'y');
    add_box_width(script, plot);
    if (plot->equal) cw_text_add(script, "set size ratio 1\n");
}

/* The points of series I as $seriesI, and those that have error bars as $errorsI. */
static void add_data(struct cw_text *script, const struct cw_plot *plot, size_t i)
{
    const struct cw_plot_series *series = &plot->series[i];
    cw_text_printf(script, "\n$series%zu << END\n", i);
    for (size_t k = 0; k < series->n_points; k++) {
        const struct cw_plot_point *point = &series->points[k];
        if (is_drawn(plot, point))
            cw_text_printf(script, "%.10g %.10g\n", point->x, point->y);
        else
            cw_text_add(script, "\n"); /* breaks the line */
    }
    cw_text_add(script, "END\n");
    if (!has_error_bars(plot, series)) return;
    cw_text_printf(script, "$errors%zu << END\n", i);
    for (size_t k = 0; k < series->n_points; k++) {
        const struct cw_plot_point *point = &series->points[k];
        if (has_error_bar(plot, point))
            cw_text_printf(script, "%.10g %.10g %.10g %.10g\n", point->x, point->y, point->low, point->high);
    }
    cw_text_add(script, "END\n");
}

static void add_legend(struct cw_text *script, const char *label)
{
    if (label) {
        cw_text_add(script, " title ");
        cw_plot_quote(script, label, NULL);
    } else {
        cw_text_add(script, " notitle");
    }
}

static void add_series(struct cw_text *script, const struct cw_plot *plot, size_t i)
{
    static const char *const styles[] = {"linespoints", "lines", "points", "boxes fillstyle solid 0.6"};
    const struct cw_plot_series *series = &plot->series[i];
    const size_t look = series->partner > 0 ? series->partner - 1 : i;
    const int marker = markers[look % MARKERS] - (series->partner > 0); /* the open one is before the full one */
    const char *colour = colours[look % COLOURS];
    if (has_error_bars(plot, series))
        cw_text_printf(
            script,
            "$errors%zu using 1:2:3:4 with yerrorbars linecolor rgb '%s' linewidth 1.5 pointtype -1 notitle" CONTINUED,
            i, colour);
    cw_text_printf(script, "$series%zu using 1:2 with %s linecolor rgb '%s'", i, styles[series->style], colour);
    if (series->style < CW_PLOT_POINTS) cw_text_printf(script, " linewidth 2 dashtype %d", series->dashed ? 2 : 1);
    if (series->style != CW_PLOT_LINES && series->style != CW_PLOT_BOXES)
        cw_text_printf(script, " pointtype %d pointsize 0.8", marker);
    add_legend(script, series->label);
}

/* Levels first: series are drawn over them. */
static void add_plot_command(struct cw_text *script, const struct cw_plot *plot)
{
    const char *before = "\nplot ";
    if (plot->equal) {
        cw_text_printf(script, "%sx with lines linecolor rgb '%s' linewidth 1.5 dashtype 2 title 'y = x'", before,
                       level_colour);
        before = CONTINUED;
    }
    for (size_t i = 0; i < plot->n_levels; i++) {
        if (!on_axis(&plot->y, plot->levels[i].y)) continue;
        cw_text_printf(script, "%s%.10g with lines linecolor rgb '%s' linewidth 1.5 dashtype %zu", before,
                       plot->levels[i].y, level_colour, 2 + i % 4);
        add_legend(script, plot->levels[i].label);
        before = CONTINUED;
    }
    for (size_t i = 0; i < plot->n_series; i++) {
        const struct cw_plot_series *series = &plot->series[i];
        if (series->n_boxes > 0) {
            cw_text_add(script, before);
            before = CONTINUED;
            add_boxes_command(script, i, colours[i % COLOURS]);
            add_legend(script, count_drawn(plot, series) == 0 ? series->label : NULL);
        }
        if (count_drawn(plot, series) == 0) continue;
        cw_text_add(script, before);
        add_series(script, plot, i);
        before = CONTINUED;
    }
    cw_text_add(script, "\n");
}

int cw_plot_script(const struct cw_plot *asked, struct cw_text *script)
{
    const int rc = check_plot(asked);
    if (rc) return rc;
    const struct cw_plot fitted = with_limits(asked), *plot = &fitted;
    add_header(script, plot);
    for (size_t i = 0; i < plot->n_series; i++)
        if (count_drawn(plot, &plot->series[i]) > 0) add_data(script, plot, i);
    add_boxes(script, plot);
    add_plot_command(script, plot);
    return cw_text_check(script);
}

int cw_plot_write(const struct cw_plot *plot, const char *path)
{
    struct cw_text script = {0};
    int rc = cw_plot_script(plot, &script);
    if (!rc) rc = cw_plot_draw(&script, path);
    cw_text_free(&script);
    return rc;
}
