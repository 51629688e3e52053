/* Figure 1: three time-lines of one broadcast, one above another. */
#include "cli/reproduce/noise_drawings.h"
#include "cli/reproduce/noise_figures.h"
#include "net/network.h"
#include "report/drawing.h"

#define PROCESSES CW_TIME_LINE_PROCESSES
#define ROWS      (PROCESSES + 2) /* of a time-line, with its title and the space below */

static const char *const titles[CW_TIME_LINES] = {"(a) no noise", "(b) operating-system noise on rank 2",
                                                  "(c) network noise on the message from rank 1 to 2"};

static const struct cw_column columns[] = {
    {"noise", CW_COLUMN_TEXT, NULL, "which of the time-lines"},
    {"rank", CW_COLUMN_INT, NULL, "process, from 1 as in the paper"},
    {"source", CW_COLUMN_INT, NULL, "rank whose message it waits for"},
    {"sent", CW_COLUMN_REAL, "slice", "when that message is sent"},
    {"received", CW_COLUMN_REAL, "slice", "when it arrives"},
    {"finished", CW_COLUMN_REAL, "slice", "when the process is done"},
};

static int write_csv(const struct cw_time_line *lines, const char *directory)
{
    static const char *const names[CW_TIME_LINES] = {"none", "operating system", "network"};
    struct cw_table *table;
    const int rc = cw_table_new("noise_fig1", NULL, columns, sizeof columns / sizeof *columns, &table);
    if (rc) return rc;
    for (int noise = 0; noise < CW_TIME_LINES; noise++)
        for (uint32_t rank = 0; rank < PROCESSES; rank++) {
            const struct cw_time_line_message *message = NULL;
            for (size_t i = 0; i < PROCESSES - 1; i++)
                if (lines[noise].messages[i].dst == rank) message = &lines[noise].messages[i];
            cw_table_text(table, names[noise]);
            cw_table_int(table, rank + 1);
            if (message) {
                cw_table_int(table, message->src + 1);
                cw_table_real(table, message->sent);
                cw_table_real(table, message->arrived);
            } else {
                for (int i = 0; i < 3; i++) cw_table_none(table);
            }
            cw_table_real(table, lines[noise].finish[rank]);
        }
    return noise_figure_csv(table, directory, "noise-fig1");
}

/* Where RANK's line of the time-line NOISE is: in an order in which no message passes a rank that it is not for. */
static double row_of(int noise, uint32_t rank)
{
    static const int rows[PROCESSES] = {1, 2, 0, 3};
    return (CW_TIME_LINES - noise) * ROWS - 1.5 - rows[rank];
}

static void bar(struct cw_drawing *drawing, double row, double from, double to, enum cw_ink ink)
{
    if (to > from) cw_drawing_rectangle(drawing, from, row - 0.22, to, row + 0.22, ink, CW_INK_GREY);
}

static void draw_process(struct cw_drawing *drawing, const struct cw_time_line *line, int noise, uint32_t rank)
{
    const double row = row_of(noise, rank);
    cw_drawing_text(drawing, -0.15, row, CW_ALIGN_RIGHT, 13, CW_INK_BLACK, false, "rank %u", rank + 1);
    const bool interrupted = line->interrupted == rank;
    cw_drawing_line(drawing, line->computed, row, interrupted ? line->from : line->finish[rank], row, CW_INK_GREY, 1);
    if (interrupted) cw_drawing_line(drawing, line->to, row, line->finish[rank], row, CW_INK_GREY, 1);
    bar(drawing, row, 0, line->computed, CW_INK_GREEN);
    if (interrupted) bar(drawing, row, line->from, line->to, CW_INK_RED);
    cw_drawing_line(drawing, line->finish[rank], row - 0.25, line->finish[rank], row + 0.25, CW_INK_BLACK, 2.5);
    cw_drawing_text(drawing, line->finish[rank] + 0.08, row, CW_ALIGN_LEFT, 12, CW_INK_BLACK, false, "done at %g",
                    line->finish[rank]);
}

/* A message; the part of its way that congestion adds is red. */
static void draw_message(struct cw_drawing *drawing, const struct cw_time_line_message *message, int noise)
{
    const double from = row_of(noise, message->src), to = row_of(noise, message->dst);
    if (message->arrived > message->clean) {
        const double share = (message->clean - message->sent) / (message->arrived - message->sent);
        const double middle = from + share * (to - from);
        cw_drawing_line(drawing, message->sent, from, message->clean, middle, CW_INK_BLUE, 2);
        cw_drawing_arrow(drawing, message->clean, middle, message->arrived, to, CW_INK_RED, 2);
    } else {
        cw_drawing_arrow(drawing, message->sent, from, message->arrived, to, CW_INK_BLUE, 2);
    }
}

static void draw_legend(struct cw_drawing *drawing)
{
    static const struct {
        double x;
        enum cw_ink ink;
        const char *text;
    } items[] = {{0, CW_INK_GREEN, "computes"}, {1.6, CW_INK_BLUE, "message"}, {3.1, CW_INK_RED, "what noise adds"}};
    const double row = CW_TIME_LINES * ROWS + 0.9;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        cw_drawing_rectangle(drawing, items[i].x, row - 0.2, items[i].x + 0.3, row + 0.2, items[i].ink, CW_INK_GREY);
        cw_drawing_text(drawing, items[i].x + 0.4, row, CW_ALIGN_LEFT, 13, CW_INK_BLACK, true, "%s", items[i].text);
    }
}

int noise_draw_time_lines(const struct cw_time_line lines[CW_TIME_LINES], const char *directory)
{
    const struct cw_drawing_page page = {.title = "Figure 1: what noise does to a broadcast among four ranks",
                                         .width = 800,
                                         .height = 860,
                                         .x = {.label = "time", .unit = "slices", .min = -0.9, .max = 8.2},
                                         .y_min = 0,
                                         .y_max = CW_TIME_LINES * ROWS + 1.5};
    struct cw_drawing drawing;
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/noise-fig1.svg", directory);
    int rc = cw_text_check(&path);
    if (!rc) rc = write_csv(lines, directory);
    if (!rc) {
        cw_drawing_begin(&drawing, &page);
        draw_legend(&drawing);
        for (int noise = 0; noise < CW_TIME_LINES; noise++) {
            cw_drawing_text(&drawing, 0, row_of(noise, 2) + 0.9, CW_ALIGN_LEFT, 14, CW_INK_BLACK, true, "%s",
                            titles[noise]);
            for (uint32_t rank = 0; rank < PROCESSES; rank++) draw_process(&drawing, &lines[noise], noise, rank);
            for (size_t i = 0; i < PROCESSES - 1; i++) draw_message(&drawing, &lines[noise].messages[i], noise);
        }
        rc = cw_drawing_end(&drawing, path.data);
    }
    cw_text_free(&path);
    return rc;
}
