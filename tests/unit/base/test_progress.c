#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../skip.h"
#include "base/parallel.h"
#include "base/progress.h"

/* A terminal of one row: the master end collects what the program writes, the cells what a user would see. */
struct terminal {
    int master;
    FILE *stream;
    char cells[512];
    size_t column, widest;
    unsigned redraws; /* carriage returns */
};

static void open_terminal(struct terminal *terminal, unsigned short columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    int slave;
    memset(terminal, 0, sizeof *terminal);
    memset(terminal->cells, ' ', sizeof terminal->cells - 1);
    if (openpty(&terminal->master, &slave, NULL, NULL, &size) != 0)
        skip_because("this system gives no pseudo-terminal");
    fcntl(terminal->master, F_SETFL, O_NONBLOCK);
    terminal->stream = fdopen(slave, "w");
    assert_non_null(terminal->stream);
}

static void close_terminal(struct terminal *terminal)
{
    fclose(terminal->stream);
    close(terminal->master);
}

/* Shows what was written since the last look and returns the row, without the spaces at its end. */
static const char *look(struct terminal *terminal)
{
    static char row[512];
    char bytes[4096];
    ssize_t n;
    while ((n = read(terminal->master, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (bytes[i] == '\r') {
                terminal->column = 0;
                terminal->redraws++;
                continue;
            }
            assert_true(bytes[i] >= ' ' && bytes[i] < 127); /* no line feed, no control sequence */
            assert_true(terminal->column < sizeof terminal->cells - 1);
            terminal->cells[terminal->column++] = bytes[i];
            if (terminal->column > terminal->widest) terminal->widest = terminal->column;
        }
    }
    size_t length = sizeof terminal->cells - 1;
    while (length > 0 && terminal->cells[length - 1] == ' ') length--;
    memcpy(row, terminal->cells, length);
    row[length] = '\0';
    return row;
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_sec = 0, .tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

static void bar_appears_grows_and_goes(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 100);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "trials", 200);
    assert_non_null(progress);
    char expected[64];
    snprintf(expected, sizeof expected, "trials  [>%*s]    0 %%", 39, "");
    assert_string_equal(look(&terminal), expected);

    wait_ms(110);
    cw_progress_step(progress, 100);
    const char *row = look(&terminal);
    const char half[] = "trials  [====================>                   ]   50 %  ";
    assert_memory_equal(row, half, strlen(half));
    double rate;
    unsigned minutes, seconds;
    char end;
    assert_int_equal(sscanf(row + strlen(half), "%lf/s  %u:%2u lef%c", &rate, &minutes, &seconds, &end), 4);
    assert_true(end == 't');
    assert_true(rate > 10 && rate <= 1000); /* 100 steps in a tenth of a second, or slower */
    const unsigned left = 60 * minutes + seconds;
    assert_true(left <= 10);

    wait_ms(110);
    cw_progress_step(progress, 100);
    const char full[] = "trials  [========================================]  100 %  ";
    assert_memory_equal(look(&terminal), full, strlen(full));

    cw_progress_free(progress);
    assert_string_equal(look(&terminal), "");
    assert_int_equal(terminal.column, 0);
    close_terminal(&terminal);
}

/* A new label leaves the share done where it is, and nothing of a longer old one. */
static void label_changes(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 100);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "the first of two", 4);
    cw_progress_step(progress, 3);
    cw_progress_label(progress, "second");
    const char row[] = "second  [==============================>         ]   75 %";
    assert_memory_equal(look(&terminal), row, strlen(row));
    assert_null(strstr(look(&terminal), "first"));
    cw_progress_free(progress);
    cw_progress_label(NULL, "no bar");
    close_terminal(&terminal);
}

/* Shares of parts, and of parts of parts. A share that was passed before takes nothing back, and steps have no rate. */
static void shares_never_go_back(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 100);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "search", 2000);
    const struct cw_progress_part second = {progress, 1000, 2000};
    const struct cw_progress_part inner = cw_progress_within(&second, 0.2, 0.6);
    const struct {
        const struct cw_progress_part *part;
        double share;
        const char *percent;
    } said[] = {{&second, 0.1, "   55 %"}, {&inner, 0.5, "   70 %"}, {&second, 0.3, "   70 %"},
                {&inner, 1, "   80 %"},    {&inner, 7, "   80 %"},   {&inner, -1, "   80 %"},
                {&inner, NAN, "   80 %"},  {&second, 1, "  100 %"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        cw_progress_reach(said[i].part, said[i].share);
        cw_progress_label(progress, "search"); /* draws at once */
        const char *row = look(&terminal);
        assert_non_null(strstr(row, said[i].percent));
        assert_non_null(strstr(row, " left"));
        assert_null(strstr(row, "/s"));
    }
    cw_progress_free(progress);
    const struct cw_progress_part none = {0}, none_of_it = cw_progress_within(&none, 0, 0.5);
    cw_progress_reach(&none_of_it, 1);
    close_terminal(&terminal);
}

/* However soon it comes after what was drawn before. */
static void the_end_is_shown(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 80);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "work", 3);
    const struct cw_progress_part whole = {progress, 0, 3};
    cw_progress_step(progress, 2); /* not shown, unless a busy machine took a tenth of a second to come here */
    const char *row = look(&terminal);
    assert_true(strstr(row, "  0 %") || strstr(row, " 66 %"));
    cw_progress_reach(&whole, 1);
    assert_non_null(strstr(look(&terminal), "100 %"));
    const unsigned redraws = terminal.redraws;
    cw_progress_step(progress, 1); /* more than were announced */
    look(&terminal);
    assert_int_equal(terminal.redraws, redraws);
    cw_progress_free(progress);
    close_terminal(&terminal);
}

enum { REPORTS = 1024, AT_ONCE = 32 };

struct race {
    struct cw_progress_part part;
    size_t begin;
};

/* Threads get ahead of each other, and report what others have passed. */
static int report_one(void *context, size_t index, unsigned thread)
{
    (void)thread;
    const struct race *race = context;
    cw_progress_reach(&race->part, (double)(race->begin + (index ^ 7)) / REPORTS);
    cw_progress_label(race->part.progress, "race"); /* draws at once */
    return 0;
}

/* Whole bars in TEXT, with their percents. */
static size_t count_bars(const char *text)
{
    size_t n = 0;
    for (const char *at = text; (at = strchr(at, ']')) != NULL; at++) n += strchr(at, '%') != NULL;
    return n;
}

static void threads_take_nothing_back(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 80);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "race", REPORTS);
    struct race race = {.part = {progress, 0, REPORTS}};
    unsigned last = 0, drawn = 0;
    for (; race.begin < REPORTS; race.begin += AT_ONCE) { /* no more than a terminal holds */
        char bytes[16384], *at = bytes;
        size_t n = 0;
        assert_int_equal(cw_parallel_for(4, AT_ONCE, report_one, &race), 0);
        do { /* a terminal hands over what was written when it likes, and in parts */
            struct pollfd waiting = {.fd = terminal.master, .events = POLLIN};
            assert_int_equal(poll(&waiting, 1, 20000), 1);
            const ssize_t more = read(terminal.master, bytes + n, sizeof bytes - 1 - n);
            assert_true(more > 0);
            n += (size_t)more;
            bytes[n] = '\0';
        } while (count_bars(bytes) < AT_ONCE);
        for (; (at = strchr(at, ']')) != NULL; at++, drawn++) {
            unsigned percent;
            assert_int_equal(sscanf(at, "] %u %%", &percent), 1);
            assert_true(percent >= last);
            last = percent;
        }
    }
    assert_true(drawn >= REPORTS);
    assert_int_equal(last, 99);
    cw_progress_free(progress);
    close_terminal(&terminal);
}

static void redraws_are_rare(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 80);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "work", 1000000);
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < 1000; j++) cw_progress_step(progress, 1);
        wait_ms(12);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    look(&terminal);
    assert_true(terminal.redraws >= 2);
    assert_true(terminal.redraws <= 1 + 10 * seconds);
    cw_progress_free(progress);
    close_terminal(&terminal);
}

/* The bar shrinks to the terminal, gives way to the figures, and the line is cut at last; it never wraps. */
static void width_is_respected(void **state)
{
    (void)state;
    for (unsigned short columns = 4; columns < 90; columns++) {
        struct terminal terminal;
        open_terminal(&terminal, columns);
        struct cw_progress *progress = cw_progress_new(terminal.stream, "a label", 10);
        const char *row = look(&terminal);
        assert_true(terminal.widest < columns);
        const bool bar = strchr(row, '[') != NULL;
        assert_int_equal(bar, columns - 1 >= 7 + 6 + 5 + 5);
        if (columns > 18) assert_non_null(strstr(row, "0 %"));
        cw_progress_free(progress);
        assert_string_equal(look(&terminal), "");
        close_terminal(&terminal);
    }
}

static void long_labels_are_cut(void **state)
{
    (void)state;
    char label[1000];
    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    static const unsigned short columns[] = {80, 400};
    for (size_t i = 0; i < 2; i++) {
        struct terminal terminal;
        open_terminal(&terminal, columns[i]);
        struct cw_progress *progress = cw_progress_new(terminal.stream, label, 10);
        look(&terminal);
        assert_true(terminal.widest < columns[i]);
        cw_progress_free(progress);
        assert_string_equal(look(&terminal), "");
        close_terminal(&terminal);
    }
}

static int step_thousand(void *context, size_t index, unsigned thread)
{
    (void)index, (void)thread;
    for (size_t i = 0; i < 1000; i++) cw_progress_step(context, 1);
    return 0;
}

static void threads_share_a_bar(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 80);
    struct cw_progress *progress = cw_progress_new(terminal.stream, "work", 50000);
    assert_int_equal(cw_parallel_for(4, 49, step_thousand, progress), 0);
    wait_ms(110);
    cw_progress_step(progress, 0);
    assert_non_null(strstr(look(&terminal), "   98 %"));
    cw_progress_step(progress, 5000); /* more than were announced */
    wait_ms(110);
    cw_progress_step(progress, 0);
    assert_non_null(strstr(look(&terminal), "  100 %"));
    cw_progress_free(progress);
    close_terminal(&terminal);
}

static void silent_elsewhere(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    assert_non_null(stream);
    struct cw_progress *progress = cw_progress_new(stream, "work", 10);
    assert_null(progress);
    cw_progress_step(progress, 10);
    cw_progress_free(progress);
    fclose(stream);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void no_steps_no_bar(void **state)
{
    (void)state;
    struct terminal terminal;
    open_terminal(&terminal, 80);
    assert_null(cw_progress_new(terminal.stream, "work", 0));
    assert_string_equal(look(&terminal), "");
    close_terminal(&terminal);
}

/* Whoever shows progress himself asks a count: nothing is drawn, and it ends at 1 whatever is added. */
static void counts_without_drawing(void **state)
{
    (void)state;
    struct cw_progress *progress = cw_progress_count(8);
    assert_non_null(progress);
    assert_true(cw_progress_share(progress) == 0);
    cw_progress_step(progress, 2);
    cw_progress_label(progress, "nowhere");
    assert_true(cw_progress_share(progress) == 0.25);
    const struct cw_progress_part part = {progress, 4, 8};
    cw_progress_reach(&part, 0.5);
    assert_true(cw_progress_share(progress) == 0.75);
    cw_progress_step(progress, 20);
    assert_true(cw_progress_share(progress) == 1);
    cw_progress_free(progress);
    assert_null(cw_progress_count(0));
    assert_true(cw_progress_share(NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_appears_grows_and_goes),
        cmocka_unit_test(label_changes),
        cmocka_unit_test(shares_never_go_back),
        cmocka_unit_test(the_end_is_shown),
        cmocka_unit_test(threads_take_nothing_back),
        cmocka_unit_test(redraws_are_rare),
        cmocka_unit_test(width_is_respected),
        cmocka_unit_test(long_labels_are_cut),
        cmocka_unit_test(threads_share_a_bar),
        cmocka_unit_test(silent_elsewhere),
        cmocka_unit_test(no_steps_no_bar),
        cmocka_unit_test(counts_without_drawing),
    };
    return run_cases(tests);
}
