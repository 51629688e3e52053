#include "report/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/plot_draw.h"

#define PANEL_WIDTH 300 /* pixels, as the next */
#define ROW_HEIGHT  26
#define LETTER      11 /* of a name */
#define ABOVE       70 /* the bars: titles */
#define BELOW       40 /* them: numbers */
#define NAME_LENGTH 52 /* letters; of longer names the end is shown: files differ there */
#define MARKS       4  /* on an axis, about */

static bool has_values(const struct cw_bars *bars, size_t panel)
{
    for (size_t r = 0; r < bars->rows; r++)
        if (isfinite(bars->panel[panel].bars[r].value)) return true;
    return false;
}

static size_t names_width(const struct cw_bars *bars)
{
    size_t longest = 0;
    for (size_t r = 0; r < bars->rows; r++) {
        const size_t length = strlen(bars->row_names[r]);
        if (length > longest) longest = length;
    }
    return ((longest < NAME_LENGTH ? longest : NAME_LENGTH) + 2) * LETTER;
}

static void add_header(struct cw_text *script, const struct cw_bars *bars, size_t width, size_t height)
{
    cw_plot_begin(script, width, height, 14);
    cw_text_printf(script,
                   "unset key\n"
                   "set border 3 linecolor rgb '#404040'\n"
                   "set style fill solid noborder\n"
                   "set xtics nomirror\n"
                   "set yrange [%zu.5:-0.5]\n"
                   "set tmargin at screen %.4f\n"
                   "set bmargin at screen %.4f\n",
                   bars->rows - 1, 1 - (double)ABOVE / (double)height, (double)BELOW / (double)height);
    cw_text_add(script, bars->title ? "set multiplot " : "set multiplot\n");
    if (bars->title) cw_plot_title(script, bars->title, 17, width);
}

enum block { OTHER, BEST, INTERVAL, BLOCKS };

static const char *const blocks[] = {"other", "best", "interval"};

static bool is_in(const struct cw_bar *bar, enum block block)
{
    if (!isfinite(bar->value)) return false;
    return block == INTERVAL ? bar->half_width > 0 : bar->best == (block == BEST);
}

/* A line for each bar of BLOCK: its row, value and interval. gnuplot takes no block without a line. */
static bool add_block(struct cw_text *script, const struct cw_bars *bars, size_t panel, enum block block)
{
    const struct cw_bar *bar = bars->panel[panel].bars;
    size_t n = 0;
    for (size_t r = 0; r < bars->rows; r++) n += is_in(&bar[r], block);
    if (n == 0) return false;
    cw_text_printf(script, "$%s%zu << END\n", blocks[block], panel);
    for (size_t r = 0; r < bars->rows; r++)
        if (is_in(&bar[r], block))
            cw_text_printf(script, "%zu %.10g %.10g\n", r, bar[r].value, bar[r].half_width > 0 ? bar[r].half_width : 0);
    cw_text_add(script, "END\n");
    return true;
}

/* What plots BLOCK. */
static void add_plot(struct cw_text *script, enum block block, size_t panel)
{
    if (block == INTERVAL)
        cw_text_printf(script, "$%s%zu using 2:1:3 with xerrorbars pointtype -1 linewidth 1.5 linecolor rgb '#202020'",
                       blocks[block], panel);
    else
        cw_text_printf(script, "$%s%zu using 2:1:(0):2:($1-0.36):($1+0.36) with boxxyerror linecolor rgb '%s'",
                       blocks[block], panel, block == BEST ? "#D55E00" : "#9ECAE1");
}

static void add_name(struct cw_text *script, const char *name)
{
    char end[NAME_LENGTH + 8];
    const size_t length = strlen(name);
    const char *from = name + (length > NAME_LENGTH ? length - NAME_LENGTH + 1 : 0);
    while (from > name && (*from & 0xc0) == 0x80) from++; /* not within a letter */
    snprintf(end, sizeof end, "%s%s", from > name ? "…" : "", from);
    cw_plot_quote(script, end, NULL);
}

static void add_names(struct cw_text *script, const struct cw_bars *bars, bool here)
{
    cw_text_add(script, "set ytics scale 0 nomirror (");
    for (size_t r = 0; r < bars->rows; r++) {
        cw_text_add(script, r > 0 ? ", " : "");
        add_name(script, here ? bars->row_names[r] : "");
        cw_text_printf(script, " %zu", r);
    }
    cw_text_add(script, ")\n");
}

/* The distance of marks from 0 to GREATEST: 1, 2 or 5 times a power of ten, so that there are no more than MARKS. */
static double step_of(double greatest)
{
    const double least = greatest / MARKS, power = pow(10, floor(log10(least))), digit = least / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static double greatest_of(const struct cw_bars *bars, size_t panel)
{
    double greatest = 0;
    for (size_t r = 0; r < bars->rows; r++) {
        const struct cw_bar *bar = &bars->panel[panel].bars[r];
        const double end = bar->value + (bar->half_width > 0 ? bar->half_width : 0);
        if (isfinite(bar->value) && end > greatest) greatest = end;
    }
    return greatest > 0 ? greatest : 1;
}

static void add_panel(struct cw_text *script, const struct cw_bars *bars, size_t panel, bool first, double left,
                      double right)
{
    bool has[BLOCKS], any = false;
    for (enum block block = OTHER; block < BLOCKS; block++) has[block] = add_block(script, bars, panel, block);
    add_names(script, bars, first);
    cw_text_printf(script, "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset title ", left, right);
    cw_plot_quote(script, bars->panel[panel].label, bars->panel[panel].unit);
    const double greatest = greatest_of(bars, panel);
    cw_text_printf(script, " offset 0,-0.7 font ',13'\nset xrange [0:%.10g]\nset xtics 0,%.10g\nplot ", 1.04 * greatest,
                   step_of(greatest));
    for (enum block block = OTHER; block < BLOCKS; block++) {
        if (!has[block]) continue;
        if (any) cw_text_add(script, ", \\\n     ");
        add_plot(script, block, panel);
        any = true;
    }
    cw_text_add(script, "\n");
}

int cw_bars_script(const struct cw_bars *bars, struct cw_text *script)
{
    size_t n = 0, at = 0;
    for (size_t p = 0; p < bars->panels; p++) n += has_values(bars, p);
    if (n == 0) return cw_fail(CW_EUSAGE, "there is no value to draw as a bar");
    const size_t names = names_width(bars), width = names + n * PANEL_WIDTH;
    add_header(script, bars, width, bars->rows * ROW_HEIGHT + ABOVE + BELOW);
    for (size_t p = 0; p < bars->panels; p++) {
        if (!has_values(bars, p)) continue;
        const double left = (double)(names + at * PANEL_WIDTH) / (double)width,
                     right = (double)(names + (at + 1) * PANEL_WIDTH - 30) / (double)width;
        add_panel(script, bars, p, at == 0, left, right);
        at++;
    }
    cw_text_add(script, "unset multiplot\n");
    return cw_text_check(script);
}

int cw_bars_write(const struct cw_bars *bars, const char *path)
{
    struct cw_text script = {0};
    int rc = cw_bars_script(bars, &script);
    if (!rc) rc = cw_plot_draw(&script, path);
    cw_text_free(&script);
    return rc;
}
