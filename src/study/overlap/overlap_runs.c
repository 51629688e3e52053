#include "study/overlap/overlap_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"

static const struct cw_column columns[] = {
    {"mpi", CW_COLUMN_TEXT, NULL, "which MPI"},
    {"processors", CW_COLUMN_INT, NULL, "of the machine of rank 0"},
    {"operation", CW_COLUMN_TEXT, NULL, "collective"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"beside", CW_COLUMN_TEXT, NULL, "cpu: ranks compute in a loop; accelerator: they sleep, as one that waits for it"},
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"method", CW_COLUMN_TEXT, NULL,
     "how the collective is carried out; native-async: MPI's own, with its progress threads"},
    {"repetition", CW_COLUMN_INT, NULL, "from 0"},
    {"pure", CW_COLUMN_REAL, "s", "the collective alone, of the slowest rank"},
    {"compute", CW_COLUMN_REAL, "s", "the computation alone"},
    {"total", CW_COLUMN_REAL, "s", "collective and computation"},
    {"init", CW_COLUMN_REAL, "s", "of the total, the call that starts the collective"},
    {"overlap_imb", CW_COLUMN_REAL, "%", "hidden share of the communication, as the Intel MPI Benchmarks define it"},
    {"overlap_osu", CW_COLUMN_REAL, "%", "the same as the OSU micro-benchmarks define it"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

int cw_overlap_runs_table(struct cw_table **out)
{
    return cw_table_new("repetitions", NULL, columns, COLUMNS, out);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* A point with the times of its repetitions. */
struct gathering {
    struct cw_overlap_point point;
    double *total, *pure, *compute; /* [capacity] */
    size_t capacity;
};

struct reading {
    struct gathering *items;
    size_t n, capacity;
};

static int check_header(const struct cw_lines *lines)
{
    const char *at = lines->line, *const end = lines->line + lines->length;
    for (int c = 0; c < COLUMNS; c++) {
        const size_t length = strlen(columns[c].name);
        if ((size_t)(end - at) < length || strncmp(at, columns[c].name, length) != 0 ||
            (c + 1 < COLUMNS ? at + length == end || at[length] != ',' : at + length != end))
            return cw_fail_at(lines->file, lines->number,
                              "no repetitions of crosswind-mpi overlap --save; expected column %d to be %s", c + 1,
                              columns[c].name);
        at += length + 1;
    }
    return 0;
}

/* LINE, which is changed, without quotes; points into it. */
static bool cut(char *line, char *fields[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) {
        fields[c] = line;
        line = line ? strchr(line, ',') : NULL;
        if (!line && c + 1 < COLUMNS) return false;
        if (line) *line++ = '\0';
    }
    return !line;
}

static bool take_name(const char *field, char name[CW_OVERLAP_NAME])
{
    return *field && snprintf(name, CW_OVERLAP_NAME, "%s", field) < CW_OVERLAP_NAME;
}

static bool take_number(const char *field, uint64_t most, uint64_t *number)
{
    char *end;
    *number = strtoull(field, &end, 10);
    return *field >= '0' && *field <= '9' && !*end && *number <= most;
}

static bool take_time(const char *field, double *time)
{
    char *end;
    *time = strtod(field, &end);
    return end != field && !*end && isfinite(*time) && *time >= 0;
}

/* FIELDS as a point; its first repetition goes to TIMES: total, pure, compute. */
static bool interpret(char *fields[COLUMNS], struct cw_overlap_point *point, double times[3])
{
    uint64_t processors, ranks, cores, repetition;
    *point = (struct cw_overlap_point){0};
    const bool right = take_name(fields[0], point->mpi) && take_number(fields[1], UINT32_MAX, &processors) &&
                       take_name(fields[2], point->operation) && take_number(fields[3], INT64_MAX, &point->bytes) &&
                       take_name(fields[4], point->beside) && take_number(fields[5], UINT32_MAX, &ranks) &&
                       take_number(fields[6], UINT32_MAX, &cores) && take_name(fields[7], point->method) &&
                       take_number(fields[8], UINT32_MAX, &repetition) && take_time(fields[9], &times[1]) &&
                       take_time(fields[10], &times[2]) && take_time(fields[11], &times[0]) && ranks >= 2;
    if (!right) return false;
    point->processors = (uint32_t)processors;
    point->ranks = (uint32_t)ranks;
    point->cores = (uint32_t)cores;
    return true;
}

static bool is_same(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return a->ranks == b->ranks && a->cores == b->cores && a->bytes == b->bytes && a->processors == b->processors &&
           strcmp(a->method, b->method) == 0 && strcmp(a->operation, b->operation) == 0 &&
           strcmp(a->mpi, b->mpi) == 0 && strcmp(a->beside, b->beside) == 0;
}

static struct gathering *place_of(struct reading *reading, const struct cw_overlap_point *point)
{
    for (size_t i = reading->n; i-- > 0;)
        if (is_same(&reading->items[i].point, point)) return &reading->items[i];
    if (reading->n == reading->capacity &&
        cw_grow_array((void **)&reading->items, &reading->capacity, reading->n + 1, sizeof *reading->items, "points"))
        return NULL;
    reading->items[reading->n] = (struct gathering){.point = *point};
    return &reading->items[reading->n++];
}

static int grow(struct gathering *gathering)
{
    size_t total = gathering->capacity, pure = total, compute = total;
    const size_t n = gathering->point.repetitions + 1;
    int rc = cw_grow_array((void **)&gathering->total, &total, n, sizeof(double), "times");
    if (!rc) rc = cw_grow_array((void **)&gathering->pure, &pure, n, sizeof(double), "times");
    if (!rc) rc = cw_grow_array((void **)&gathering->compute, &compute, n, sizeof(double), "times");
    if (!rc) gathering->capacity = total;
    return rc;
}

static int read_row(const struct cw_lines *lines, struct reading *reading)
{
    struct cw_overlap_point point;
    char *fields[COLUMNS];
    double times[3];
    char *line = cw_copy_text(lines->line, lines->length);
    if (!line) return CW_ENOMEM;
    const bool right = cut(line, fields) && interpret(fields, &point, times);
    free(line);
    if (!right)
        return cw_fail_at(lines->file, lines->number,
                          "no repetition of crosswind-mpi overlap --save; expected %d fields", COLUMNS);
    struct gathering *gathering = place_of(reading, &point);
    if (!gathering || (gathering->point.repetitions == gathering->capacity && grow(gathering))) return CW_ENOMEM;
    const size_t r = gathering->point.repetitions++;
    gathering->total[r] = times[0];
    gathering->pure[r] = times[1];
    gathering->compute[r] = times[2];
    return 0;
}

static int read_file(void *context, const char *path)
{
    struct reading *reading = context;
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    struct cw_lines lines = cw_lines_of(path, text.data, text.length);
    if (!rc && !cw_lines_next(&lines)) rc = cw_fail_at(path, 0, "is empty; expected what crosswind-mpi overlap saves");
    if (!rc) rc = check_header(&lines);
    while (!rc && cw_lines_next(&lines)) rc = read_row(&lines, reading);
    cw_text_free(&text);
    return rc;
}

static struct cw_estimate median(double *times, size_t n)
{
    cw_sort_reals(times, n);
    return cw_quantile_estimate(times, n, 0.5, 0.95);
}

static int finish(struct reading *reading, struct cw_overlap_runs *out)
{
    struct cw_overlap_point *items = cw_new_array(reading->n, sizeof *items, "medians");
    if (!items) return CW_ENOMEM;
    for (size_t i = 0; i < reading->n; i++) {
        struct gathering *gathering = &reading->items[i];
        items[i] = gathering->point;
        items[i].total = median(gathering->total, items[i].repetitions);
        items[i].pure = median(gathering->pure, items[i].repetitions);
        items[i].compute = median(gathering->compute, items[i].repetitions);
    }
    *out = (struct cw_overlap_runs){items, reading->n};
    return 0;
}

int cw_overlap_runs_read(const char *files, struct cw_overlap_runs *out)
{
    struct reading reading = {0};
    int rc = cw_list_each(files, read_file, &reading);
    if (!rc) rc = finish(&reading, out);
    for (size_t i = 0; i < reading.n; i++) {
        free(reading.items[i].total);
        free(reading.items[i].pure);
        free(reading.items[i].compute);
    }
    free(reading.items);
    return rc;
}

void cw_overlap_runs_free(struct cw_overlap_runs *runs)
{
    free(runs->items);
    *runs = (struct cw_overlap_runs){0};
}

/* --- what is hidden ----------------------------------------------------------------------------------------------- */

double cw_overlap_imb(const struct cw_overlap_times *times)
{
    const double hidden = times->pure + times->within - times->total;
    return 100 * fmax(0, fmin(1, hidden / fmin(times->pure, times->within)));
}

double cw_overlap_osu(const struct cw_overlap_times *times)
{
    return fmax(0, 100 - 100 * (times->total - times->within) / times->pure);
}
