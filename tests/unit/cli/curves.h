/* Curves in the scripts of figures; and a program in gnuplot's place that draws nothing. */
#ifndef CW_TESTS_CURVES_H
#define CW_TESTS_CURVES_H

#include <sys/stat.h>

#include "cli_test.h"

/* The line in SCRIPT's block KIND of the curve that has this TITLE that begins with X; the block's lines in *N. */
static inline const char *point_of(const char *script, const char *kind, const char *title, double x, size_t *n)
{
    char wanted[100], number[40];
    snprintf(wanted, sizeof wanted, " title '%s'", title);
    const char *plot = strstr(script, wanted), *found = NULL, *at = plot;
    if (!plot) fail_msg("no curve is called '%s'", title);
    while (*at != '$') at--; /* "$series3 using … title '…'" */
    const unsigned index = (unsigned)strtoul(at + strcspn(at, "0123456789"), NULL, 10);
    snprintf(wanted, sizeof wanted, "$%s%u << END\n", kind, index);
    const char *line = strstr(script, wanted);
    if (!line) fail_msg("there is no %s", wanted);
    snprintf(number, sizeof number, "%.10g ", x);
    *n = 0;
    for (line = strchr(line, '\n') + 1; strncmp(line, "END", 3) != 0; line = strchr(line, '\n') + 1, ++*n)
        if (strncmp(line, number, strlen(number)) == 0) found = line;
    return found;
}

static inline void check_point(const char *script, const char *title, double x, double y)
{
    size_t n;
    double got_x, got_y;
    const char *line = point_of(script, "series", title, x, &n);
    if (!line || sscanf(line, "%lf %lf", &got_x, &got_y) != 2 || fabs(got_y - y) > 1e-9 * fabs(y))
        fail_msg("'%s' is not %.10g at %.10g but '%.40s'", title, y, x, line ? line : "-");
}

static inline size_t points_of(const char *script, const char *title)
{
    size_t n;
    point_of(script, "series", title, 0, &n);
    return n;
}

/* A folder with a gnuplot that draws at once. */
static inline int enter_without_gnuplot(void **state)
{
    char path[4096];
    if (enter_folder(state)) return -1;
    write_text("gnuplot", "#!/bin/sh\necho '<svg></svg>'\n");
    snprintf(path, sizeof path, "%s:%s", (const char *)*state, getenv("PATH"));
    return chmod("gnuplot", 0700) || setenv("PATH", path, 1);
}

#endif
