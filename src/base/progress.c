#include "base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/stopwatch.h"

enum { LINE_SIZE = 256, LONGEST_BAR = 40, SHORTEST_BAR = 5 };

static const int64_t REDRAW_INTERVAL = 100000000; /* ns */

struct cw_progress {
    FILE *stream; /* NULL: steps are counted, and nothing is drawn */
    char *label;
    size_t total;
    int64_t start; /* ns, on the monotonic clock, as is: */
    _Atomic int64_t next_redraw;
    atomic_size_t done;
    atomic_bool shares; /* steps are shares of the work: their rate says nothing */

    pthread_mutex_t drawing; /* of the line on the terminal: */
    int drawn;               /* its length */
    atomic_bool full;        /* it shows that all is done */
};

static int terminal_width(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* "1,234" above ten, "1.2" or "0.034" below. */
static void write_rate(char out[32], double rate)
{
    if (rate < 9.95) {
        snprintf(out, 32, "%.2g", rate);
        return;
    }
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)(rate < 1e15 ? rate + 0.5 : 1e15));
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

/* "0:12", "59:03" or "1:00:00". */
static void write_duration(char out[32], double seconds)
{
    const uint64_t s = (uint64_t)(seconds < 1e12 ? seconds + 0.5 : 1e12);
    const uint64_t hours = s / 3600, minutes = s / 60 % 60;
    if (hours > 0)
        snprintf(out, 32, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, hours, minutes, s % 60);
    else
        snprintf(out, 32, "%" PRIu64 ":%02" PRIu64, minutes, s % 60);
}

/* What stands right of the bar. Rate and time left are unknown before the first step. */
static void write_figures(char out[LINE_SIZE], size_t done, size_t total, double elapsed, bool shares)
{
    const unsigned percent = (unsigned)(100.0 * (double)done / (double)total);
    if (done == 0 || elapsed <= 0) {
        snprintf(out, LINE_SIZE, "%3u %%", percent);
        return;
    }
    const double rate = (double)done / elapsed;
    char per_second[32], left[32];
    write_rate(per_second, rate);
    write_duration(left, (double)(total - done) / rate);
    if (shares)
        snprintf(out, LINE_SIZE, "%3u %%  %s left", percent, left);
    else
        snprintf(out, LINE_SIZE, "%3u %%  %s/s  %s left", percent, per_second, left);
}

/* "label  [=====>     ]  figures" in at most WIDTH < LINE_SIZE columns; without a bar or cut off where there is no
 * room. Returns the length. */
static int write_line(char out[LINE_SIZE], int width, const char *label, double share, const char *figures)
{
    const size_t taken = strlen(label) + strlen(figures) + strlen("  []  ");
    const int room = taken < (size_t)width ? width - (int)taken : 0, bar = room < LONGEST_BAR ? room : LONGEST_BAR;
    char cells[LONGEST_BAR];
    int length;
    if (bar >= SHORTEST_BAR) {
        const int full = (int)(share * bar);
        for (int i = 0; i < bar; i++) cells[i] = i < full ? '=' : i == full ? '>' : ' ';
        length = snprintf(out, LINE_SIZE, "%s  [%.*s]  %s", label, bar, cells, figures);
    } else {
        length = snprintf(out, LINE_SIZE, "%s  %s", label, figures);
    }
    return length < width ? length : width;
}

/* Spaces instead of control sequences hide the rest of a longer line: they work on any terminal. */
static void put_line(struct cw_progress *progress, const char *line, int length)
{
    const int rest = progress->drawn > length ? progress->drawn - length : 0;
    fprintf(progress->stream, "\r%.*s%*s", length, line, rest, "");
    if (length == 0) fputc('\r', progress->stream);
    fflush(progress->stream);
    progress->drawn = length;
}

static void draw(struct cw_progress *progress, int64_t now)
{
    size_t done = atomic_load(&progress->done);
    if (done > progress->total) done = progress->total;
    char figures[LINE_SIZE], line[LINE_SIZE];
    write_figures(figures, done, progress->total, 1e-9 * (double)(now - progress->start),
                  atomic_load(&progress->shares));

    /* The last column stays free: writing there would wrap the line on some terminals. */
    int width = terminal_width(progress->stream) - 1;
    if (width >= LINE_SIZE) width = LINE_SIZE - 1;
    const double share = (double)done / (double)progress->total;
    put_line(progress, line, write_line(line, width, progress->label, share, figures));
    atomic_store(&progress->full, done == progress->total);
    atomic_store(&progress->next_redraw, now + REDRAW_INTERVAL);
}

struct cw_progress *cw_progress_new(FILE *stream, const char *label, size_t total)
{
    if (!isatty(fileno(stream)) || total == 0) return NULL;
    struct cw_progress *progress = calloc(1, sizeof *progress);
    if (!progress) return NULL;
    progress->label = strdup(label);
    if (!progress->label) {
        free(progress);
        return NULL;
    }
    progress->stream = stream;
    progress->total = total;
    progress->start = cw_stopwatch_ns();
    pthread_mutex_init(&progress->drawing, NULL);
    draw(progress, progress->start);
    return progress;
}

struct cw_progress *cw_progress_count(size_t total)
{
    struct cw_progress *progress = total > 0 ? calloc(1, sizeof *progress) : NULL;
    if (progress) progress->total = total;
    return progress;
}

double cw_progress_share(const struct cw_progress *progress)
{
    return progress ? fmin((double)atomic_load(&progress->done) / (double)progress->total, 1) : 0;
}

void cw_progress_label(struct cw_progress *progress, const char *label)
{
    char *copy = progress && progress->stream ? strdup(label) : NULL;
    if (!copy) return;
    pthread_mutex_lock(&progress->drawing);
    free(progress->label);
    progress->label = copy;
    draw(progress, cw_stopwatch_ns());
    pthread_mutex_unlock(&progress->drawing);
}

/* What is drawn last is the end, however soon it came. */
static void draw_end(struct cw_progress *progress, int64_t now)
{
    pthread_mutex_lock(&progress->drawing);
    if (!atomic_load(&progress->full)) draw(progress, now);
    pthread_mutex_unlock(&progress->drawing);
}

/* Unless that was a moment ago. */
static void redraw(struct cw_progress *progress)
{
    if (!progress->stream) return;
    const int64_t now = cw_stopwatch_ns();
    if (atomic_load(&progress->done) >= progress->total && !atomic_load(&progress->full)) draw_end(progress, now);
    if (now < atomic_load_explicit(&progress->next_redraw, memory_order_relaxed)) return;
    if (pthread_mutex_trylock(&progress->drawing) != 0) return; /* another thread is just drawing */
    if (now >= atomic_load(&progress->next_redraw)) draw(progress, now);
    pthread_mutex_unlock(&progress->drawing);
}

void cw_progress_step(struct cw_progress *progress, size_t steps)
{
    if (!progress) return;
    atomic_fetch_add_explicit(&progress->done, steps, memory_order_relaxed);
    redraw(progress);
}

void cw_progress_reach(const struct cw_progress_part *part, double share)
{
    struct cw_progress *progress = part->progress;
    if (!progress) return;
    const double at = part->from + fmin(fmax(share, 0), 1) * (part->to - part->from);
    const size_t steps = (size_t)(at + 1e-9); /* the end is not to be missed by rounding */
    atomic_store(&progress->shares, true);
    size_t done = atomic_load(&progress->done);
    while (done < steps && !atomic_compare_exchange_weak(&progress->done, &done, steps)) continue;
    redraw(progress);
}

struct cw_progress_part cw_progress_within(const struct cw_progress_part *part, double from, double to)
{
    const double width = part->to - part->from;
    return (struct cw_progress_part){part->progress, part->from + from * width, part->from + to * width};
}

void cw_progress_free(struct cw_progress *progress)
{
    if (!progress) return;
    if (progress->stream) {
        put_line(progress, "", 0);
        pthread_mutex_destroy(&progress->drawing);
    }
    free(progress->label);
    free(progress);
}
