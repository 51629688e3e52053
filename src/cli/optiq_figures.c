#include "cli/optiq_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/plot.h"

#define ANY        -1
#define MAX_CURVES 8

enum horizontal { X_NODES, X_DESTINATIONS, X_DISTANCE, X_PATTERN, X_BYTES, X_PATHS };
enum vertical { Y_Z, Y_RATE, Y_RATES, Y_SEARCH }; /* rates: of cases far apart */

static const struct {
    const char *label, *unit;
    bool logarithmic;
} horizontals[] = {{"nodes", NULL, false},   {"destinations", NULL, false}, {"mean distance", "hops", false},
                   {"pattern", NULL, false}, {"message", "KiB", true},      {"paths k", NULL, true}},
  verticals[] = {{"z", NULL, false},
                 {"predicted throughput", "GB/s", false},
                 {"predicted throughput", "GB/s", true},
                 {"search time", "s", true}};

/* Which jobs and variants a curve shows. */
struct curve {
    const char *label;
    int role, ties; /* or ANY */
    uint64_t chunk; /* or 0 */
};

static const struct curve methods[] = {{"MPI's default route", OPTIQ_DEFAULT, ANY, 0},
                                       {"heuristic, k = 16", OPTIQ_HEURISTIC, ANY, 0},
                                       {"greedy, k = 16", OPTIQ_GREEDY, ANY, 0},
                                       {"linear program, k = 16", OPTIQ_LP, ANY, 0},
                                       {"optimum", OPTIQ_OPTIMUM, ANY, 0},
                                       {NULL}};
static const struct curve chunks[] = {
    {"32 KiB", OPTIQ_GREEDY, ANY, 32 << 10},   {"64 KiB", OPTIQ_GREEDY, ANY, 64 << 10},
    {"128 KiB", OPTIQ_GREEDY, ANY, 128 << 10}, {"256 KiB", OPTIQ_GREEDY, ANY, 256 << 10},
    {"512 KiB", OPTIQ_GREEDY, ANY, 512 << 10}, {NULL}};
static const struct curve orders[] = {{"linear program, ties plain", OPTIQ_LP, CW_TIES_PLAIN, 0},
                                      {"linear program, ties disjoint", OPTIQ_LP, CW_TIES_DISJOINT, 0},
                                      {"linear program, ties penalised", OPTIQ_LP, CW_TIES_PENALISED, 0},
                                      {"heuristic, ties plain", OPTIQ_HEURISTIC, CW_TIES_PLAIN, 0},
                                      {"heuristic, ties disjoint", OPTIQ_HEURISTIC, CW_TIES_DISJOINT, 0},
                                      {"heuristic, ties penalised", OPTIQ_HEURISTIC, CW_TIES_PENALISED, 0},
                                      {NULL}};

static const struct panel {
    const char *name, *figure, *title;
    const char *pattern; /* NULL: all */
    uint32_t nodes;      /* 0: all */
    enum horizontal x;
    enum vertical y;
    const struct curve *curves;
    enum cw_plot_style style;
} panels[] = {
    {"fig4a", "fig4", "Disjoint: first p/16 to last p/2", "3", 0, X_NODES, Y_RATE, methods, CW_PLOT_LINES_AND_POINTS},
    {"fig4b", "fig4", "Overlap: first p/16 to p/2 from p/32 on", "27", 0, X_NODES, Y_RATE, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"fig4c", "fig4", "Subset: first p/2 to p/16 from p/4 on", "87", 0, X_NODES, Y_RATE, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"fig4d", "fig4", "Disjoint: first p/16 to last p/2", "3", 0, X_NODES, Y_Z, methods, CW_PLOT_LINES_AND_POINTS},
    {"fig4e", "fig4", "Overlap: first p/16 to p/2 from p/32 on", "27", 0, X_NODES, Y_Z, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"fig4f", "fig4", "Subset: first p/2 to p/16 from p/4 on", "87", 0, X_NODES, Y_Z, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"fixed", "fixed", "First 128 to last 256 of ever more nodes", NULL, 0, X_NODES, Y_RATE, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"destinations", "destinations", "First p/16 to the last n", NULL, 0, X_DESTINATIONS, Y_RATE, methods,
     CW_PLOT_LINES_AND_POINTS},
    {"distance", "distance", "First p/16 to p/8 further and further away", NULL, 0, X_DISTANCE, Y_RATE, methods,
     CW_PLOT_POINTS},
    {"fig5a", "fig5", "Chunk sizes", NULL, 0, X_PATTERN, Y_RATE, chunks, CW_PLOT_LINES_AND_POINTS},
    {"messages-a", "messages", "Message sizes, disjoint", "3", 0, X_BYTES, Y_RATE, methods, CW_PLOT_LINES_AND_POINTS},
    {"messages-b", "messages", "Message sizes, overlap", "27", 0, X_BYTES, Y_RATE, methods, CW_PLOT_LINES_AND_POINTS},
    {"messages-c", "messages", "Message sizes, subset", "87", 0, X_BYTES, Y_RATE, methods, CW_PLOT_LINES_AND_POINTS},
    {"paths-z", "paths", "Number of paths, disjoint", NULL, 0, X_PATHS, Y_Z, orders, CW_PLOT_LINES_AND_POINTS},
    {"paths-search", "paths", "Number of paths, disjoint", NULL, 0, X_PATHS, Y_SEARCH, orders,
     CW_PLOT_LINES_AND_POINTS},
    {"patterns-512-z", "patterns", "91 patterns, 512 nodes", NULL, 512, X_PATTERN, Y_Z, methods, CW_PLOT_POINTS},
    {"patterns-512", "patterns", "91 patterns, 512 nodes", NULL, 512, X_PATTERN, Y_RATES, methods, CW_PLOT_POINTS},
    {"patterns-2048-z", "patterns", "91 patterns, 2048 nodes", NULL, 2048, X_PATTERN, Y_Z, methods, CW_PLOT_POINTS},
    {"patterns-2048", "patterns", "91 patterns, 2048 nodes", NULL, 2048, X_PATTERN, Y_RATES, methods, CW_PLOT_POINTS},
    {"patterns-8192-z", "patterns", "91 patterns, 8192 nodes", NULL, 8192, X_PATTERN, Y_Z, methods, CW_PLOT_POINTS},
    {"patterns-8192", "patterns", "91 patterns, 8192 nodes", NULL, 8192, X_PATTERN, Y_RATES, methods, CW_PLOT_POINTS},
};

/* --- points ------------------------------------------------------------------------------------------------------- */

static bool shows(const struct panel *panel, const struct curve *curve, const struct optiq_job *job)
{
    return strcmp(job->figure, panel->figure) == 0 && (!panel->pattern || strcmp(job->pattern, panel->pattern) == 0) &&
           (panel->nodes == 0 || job->net->n_endpoints == panel->nodes) && (int)job->role == curve->role &&
           (curve->ties == ANY || (int)job->ties == curve->ties);
}

/* Destinations of "disjoint:MxN". */
static double destinations_of(const char *pattern)
{
    const char *x = strchr(pattern, 'x');
    return x ? strtod(x + 1, NULL) : (double)NAN;
}

static struct cw_plot_point point_of(const struct panel *panel, const struct optiq_job *job,
                                     const struct optiq_variant *variant)
{
    const double x[] = {[X_NODES] = job->net->n_endpoints,
                        [X_DESTINATIONS] = destinations_of(job->pattern),
                        [X_DISTANCE] = job->distance,
                        [X_PATTERN] = strtod(job->pattern, NULL),
                        [X_BYTES] = (double)variant->bytes / 1024,
                        [X_PATHS] = job->k};
    const double y[] = {[Y_Z] = job->z,
                        [Y_RATE] = variant->bytes_per_second * 1e-9,
                        [Y_RATES] = variant->bytes_per_second * 1e-9,
                        [Y_SEARCH] = job->search_seconds};
    return (struct cw_plot_point){x[panel->x], y[panel->y], 0};
}

/* The points of CURVE in the order of the jobs; returns their number. */
static size_t collect(const struct panel *panel, const struct curve *curve, const struct optiq_job *jobs, size_t n,
                      struct cw_plot_point *points)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; shows(panel, curve, &jobs[i]) && v < jobs[i].n_variants; v++)
            if (curve->chunk == 0 || jobs[i].variants[v].chunk == curve->chunk)
                points[count++] = point_of(panel, &jobs[i], &jobs[i].variants[v]);
    return count;
}

/* The horizontal axis of PANEL, a little longer than the points of its SERIES need: gnuplot would go on to the next
 * power of ten. */
static struct cw_plot_axis axis_of(const struct panel *panel, const struct cw_plot_series *series, size_t n_series)
{
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < n_series; i++)
        for (size_t j = 0; j < series[i].n_points; j++) {
            least = fmin(least, series[i].points[j].x);
            greatest = fmax(greatest, series[i].points[j].x);
        }
    const bool logarithmic = horizontals[panel->x].logarithmic;
    const double margin = (greatest - least) / 40;
    return (struct cw_plot_axis){.label = horizontals[panel->x].label,
                                 .unit = horizontals[panel->x].unit,
                                 .logarithmic = logarithmic,
                                 .min = logarithmic ? least / 1.25 : least - margin,
                                 .max = logarithmic ? greatest * 1.25 : greatest + margin};
}

/* --- panels ------------------------------------------------------------------------------------------------------- */

static int write_plot(const struct cw_plot *plot, const char *directory, const char *name)
{
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/optiq-%s.svg", directory, name);
    int error = cw_text_check(&path);
    if (!error) error = cw_plot_write(plot, path.data);
    cw_text_free(&path);
    return error;
}

/* The optimum that curves of k paths approach; NaN where there is none. */
static double level_of(const struct panel *panel, const struct optiq_job *jobs, size_t n)
{
    for (size_t i = 0; panel->y == Y_Z && panel->x == X_PATHS && i < n; i++)
        if (strcmp(jobs[i].figure, panel->figure) == 0 && jobs[i].role == OPTIQ_OPTIMUM) return jobs[i].z;
    return (double)NAN;
}

static int draw(const struct panel *panel, const struct optiq_job *jobs, size_t n, const char *directory)
{
    struct cw_plot_series series[MAX_CURVES];
    size_t n_series = 0, room = n * OPTIQ_VARIANTS;
    struct cw_plot_point *points = cw_new_array(room * MAX_CURVES, sizeof *points, "points");
    if (!points) return CW_ENOMEM;
    for (const struct curve *curve = panel->curves; curve->label; curve++) {
        struct cw_plot_point *own = points + n_series * room;
        const size_t count = collect(panel, curve, jobs, n, own);
        if (count > 0)
            series[n_series++] =
                (struct cw_plot_series){.label = curve->label, .style = panel->style, .points = own, .n_points = count};
    }
    const struct cw_plot_level level = {"optimum over all paths", level_of(panel, jobs, n)};
    const struct cw_plot plot = {.title = panel->title,
                                 .x = axis_of(panel, series, n_series),
                                 .y = {.label = verticals[panel->y].label,
                                       .unit = verticals[panel->y].unit,
                                       .logarithmic = verticals[panel->y].logarithmic,
                                       .min = verticals[panel->y].logarithmic ? (double)NAN : 0,
                                       .max = (double)NAN},
                                 .series = series,
                                 .n_series = n_series,
                                 .levels = &level,
                                 .n_levels = isfinite(level.y) ? 1 : 0};
    const int error = n_series > 0 ? write_plot(&plot, directory, panel->name) : 0;
    free(points);
    return error;
}

/* --- chunk sizes by kind of pattern ------------------------------------------------------------------------------- */

/* Mean over the patterns FIRST … LAST of throughput / that with the best chunk size, for each chunk size; returns their
 * number. */
static size_t mean_shares(const struct optiq_job *jobs, size_t n, double first, double last,
                          struct cw_plot_point points[OPTIQ_VARIANTS])
{
    size_t n_points = 0, patterns = 0;
    for (size_t i = 0; i < n; i++) {
        const struct optiq_job *job = &jobs[i];
        const double pattern = strtod(job->pattern, NULL);
        double best = 0;
        if (strcmp(job->figure, "fig5") != 0 || pattern < first || pattern > last) continue;
        for (size_t v = 0; v < job->n_variants; v++) best = fmax(best, job->variants[v].bytes_per_second);
        for (size_t v = 0; v < job->n_variants; v++) {
            points[v].x = (double)job->variants[v].chunk / 1024;
            points[v].y += job->variants[v].bytes_per_second / best;
        }
        n_points = job->n_variants;
        patterns++;
    }
    for (size_t v = 0; v < n_points; v++) points[v].y /= (double)patterns;
    return n_points;
}

static int draw_chunks(const struct optiq_job *jobs, size_t n, const char *directory)
{
    static const struct {
        const char *label;
        double first, last;
    } kinds[] = {{"disjoint", 0, 15}, {"overlap", 16, 63}, {"subset", 64, 90}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct cw_plot_point points[KINDS][OPTIQ_VARIANTS] = {0};
    struct cw_plot_series series[KINDS];
    for (size_t i = 0; i < KINDS; i++)
        series[i] = (struct cw_plot_series){.label = kinds[i].label,
                                            .points = points[i],
                                            .n_points = mean_shares(jobs, n, kinds[i].first, kinds[i].last, points[i])};
    const struct cw_plot plot = {.title = "Chunk sizes by kind of pattern",
                                 .x = {.label = "chunk", .unit = "KiB", .logarithmic = true, .min = 12, .max = 1365},
                                 .y = {.label = "share of the best throughput, mean"},
                                 .series = series,
                                 .n_series = KINDS};
    return write_plot(&plot, directory, "fig5b");
}

int optiq_figures_draw(const struct optiq_job *jobs, size_t n, const char *directory)
{
    int error = 0;
    for (size_t i = 0; !error && i < sizeof panels / sizeof *panels; i++) error = draw(&panels[i], jobs, n, directory);
    return error ? error : draw_chunks(jobs, n, directory);
}
