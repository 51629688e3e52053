#include "cli/reproduce/optiq_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/reproduce/figures.h"
#include "net/network_internal.h"
#include "study/papers/optiq_points.h"

#define ANY        -1
#define MAX_CURVES 9

enum horizontal { X_NODES, X_DESTINATIONS, X_DISTANCE, X_PATTERN, X_BYTES, X_PATHS };
enum vertical { Y_Z, Y_RATE, Y_RATES, Y_SEARCH }; /* rates: of cases far apart */

static const struct {
    const char *label, *unit;
    bool logarithmic;
} horizontals[] = {{"nodes", NULL, true},    {"destinations", NULL, true}, {"mean distance", "hops", false},
                   {"pattern", NULL, false}, {"message", "KiB", true},     {"paths k", NULL, true}},
  verticals[] = {
      {"z", NULL, false}, {"throughput", "GB/s", false}, {"throughput", "GB/s", true}, {"search time", "s", true}};

/* Which jobs and variants a curve shows. */
struct curve {
    const char *label;
    int method, ties; /* or ANY */
    uint64_t chunk;   /* or 0 */
};

static const struct curve methods[] = {{"MPI's default route", CW_OPTIQ_DEFAULT, ANY, 0},
                                       {"heuristic, k = 16", CW_OPTIQ_HEURISTIC, ANY, 0},
                                       {"greedy, k = 16", CW_OPTIQ_GREEDY, ANY, 0},
                                       {"linear program, k = 16", CW_OPTIQ_LP, ANY, 0},
                                       {"optimum", CW_OPTIQ_OPTIMUM, ANY, 0},
                                       {NULL}};
static const struct curve chunks[] = {
    {"32 KiB", CW_OPTIQ_GREEDY, ANY, 32 << 10},   {"64 KiB", CW_OPTIQ_GREEDY, ANY, 64 << 10},
    {"128 KiB", CW_OPTIQ_GREEDY, ANY, 128 << 10}, {"256 KiB", CW_OPTIQ_GREEDY, ANY, 256 << 10},
    {"512 KiB", CW_OPTIQ_GREEDY, ANY, 512 << 10}, {NULL}};
static const struct curve orders[] = {{"linear program, ties plain", CW_OPTIQ_LP, CW_TIES_PLAIN, 0},
                                      {"linear program, ties disjoint", CW_OPTIQ_LP, CW_TIES_DISJOINT, 0},
                                      {"linear program, ties penalised", CW_OPTIQ_LP, CW_TIES_PENALISED, 0},
                                      {"heuristic, ties plain", CW_OPTIQ_HEURISTIC, CW_TIES_PLAIN, 0},
                                      {"heuristic, ties disjoint", CW_OPTIQ_HEURISTIC, CW_TIES_DISJOINT, 0},
                                      {"heuristic, ties penalised", CW_OPTIQ_HEURISTIC, CW_TIES_PENALISED, 0},
                                      {NULL}};

/* What the record has (study/papers/optiq_points.h). */
static const struct {
    const char *label;
    enum cw_optiq_method method;
} measured[] = {{"MPI, measured", CW_OPTIQ_DEFAULT},
                {"heuristic, measured", CW_OPTIQ_HEURISTIC},
                {"linear program, measured", CW_OPTIQ_LP}};

#define MARKED CW_PLOT_LINES_AND_POINTS

static const struct panel {
    const char *name; /* optiq-NAME.svg; with `each` optiq-NAME-NODESEND.svg */
    const char *title;
    enum cw_optiq_figure figure;
    const char *pattern; /* NULL: all */
    enum horizontal x;
    enum vertical y;
    const struct curve *curves;
    enum cw_plot_style style;
    bool each; /* a picture for each network */
    const char *end;
} panels[] = {
    {"fig4a", "Figure 4a: disjoint, first p/16 to last p/2", CW_OPTIQ_GROWING, "3", X_NODES, Y_RATE, methods, MARKED},
    {"fig4b", "Figure 4b: overlap, first p/16 to p/2 from p/32 on", CW_OPTIQ_GROWING, "27", X_NODES, Y_RATE, methods,
     MARKED},
    {"fig4c", "Figure 4c: subset, first p/2 to p/16 from p/4 on", CW_OPTIQ_GROWING, "87", X_NODES, Y_RATE, methods,
     MARKED},
    {"fig4d", "Figure 4d: disjoint, first p/16 to last p/2", CW_OPTIQ_GROWING, "3", X_NODES, Y_Z, methods, MARKED},
    {"fig4e", "Figure 4e: overlap, first p/16 to p/2 from p/32 on", CW_OPTIQ_GROWING, "27", X_NODES, Y_Z, methods,
     MARKED},
    {"fig4f", "Figure 4f: subset, first p/2 to p/16 from p/4 on", CW_OPTIQ_GROWING, "87", X_NODES, Y_Z, methods,
     MARKED},
    {"fixed", "As many sources and destinations among ever more nodes", CW_OPTIQ_FIXED, NULL, X_NODES, Y_RATE, methods,
     MARKED},
    {"destinations", "First p/16 to the last n", CW_OPTIQ_DESTINATIONS, NULL, X_DESTINATIONS, Y_RATE, methods, MARKED},
    {"distance", "First p/16 to p/8 further and further away", CW_OPTIQ_DISTANCE, NULL, X_DISTANCE, Y_RATE, methods,
     CW_PLOT_POINTS},
    {"fig5a", "Figure 5a: chunk sizes", CW_OPTIQ_CHUNKS, NULL, X_PATTERN, Y_RATE, chunks, MARKED},
    {"messages-a", "Message sizes, disjoint", CW_OPTIQ_MESSAGES, "3", X_BYTES, Y_RATE, methods, MARKED},
    {"messages-b", "Message sizes, overlap", CW_OPTIQ_MESSAGES, "27", X_BYTES, Y_RATE, methods, MARKED},
    {"messages-c", "Message sizes, subset", CW_OPTIQ_MESSAGES, "87", X_BYTES, Y_RATE, methods, MARKED},
    {"paths-z", "Number of paths, disjoint", CW_OPTIQ_PATHS, NULL, X_PATHS, Y_Z, orders, MARKED},
    {"paths-search", "Number of paths, disjoint", CW_OPTIQ_PATHS, NULL, X_PATHS, Y_SEARCH, orders, MARKED},
    {"patterns", "91 patterns", CW_OPTIQ_PATTERNS, NULL, X_PATTERN, Y_Z, methods, CW_PLOT_POINTS, true, "-z"},
    {"patterns", "91 patterns", CW_OPTIQ_PATTERNS, NULL, X_PATTERN, Y_RATES, methods, CW_PLOT_POINTS, true, ""},
};

/* --- points ------------------------------------------------------------------------------------------------------- */

static bool shows(const struct panel *panel, const struct curve *curve, const struct cw_network *net,
                  const struct cw_optiq_point *point)
{
    return point->done && point->figure == panel->figure &&
           (!panel->pattern || strcmp(point->pattern, panel->pattern) == 0) && (!net || point->net == net) &&
           (int)point->method == curve->method && (curve->ties == ANY || (int)point->ties == curve->ties);
}

static struct cw_plot_point point_of(const struct panel *panel, const struct cw_optiq_point *point,
                                     const struct cw_optiq_variant *variant)
{
    const double x[] = {[X_NODES] = point->net->n_endpoints,
                        [X_DESTINATIONS] = point->n,
                        [X_DISTANCE] = point->distance,
                        [X_PATTERN] = strtod(point->pattern, NULL),
                        [X_BYTES] = (double)variant->bytes / 1024,
                        [X_PATHS] = point->k};
    const double y[] = {[Y_Z] = point->z,
                        [Y_RATE] = variant->bytes_per_second * 1e-9,
                        [Y_RATES] = variant->bytes_per_second * 1e-9,
                        [Y_SEARCH] = point->search_seconds};
    return (struct cw_plot_point){x[panel->x], y[panel->y], 0};
}

/* The points of CURVE on NET (NULL: on all) in the order of the list; returns their number. */
static size_t collect(const struct panel *panel, const struct curve *curve, const struct cw_network *net,
                      const struct cw_optiq_points *list, struct cw_plot_point *points)
{
    size_t count = 0;
    for (size_t i = 0; i < list->n; i++)
        for (size_t v = 0; shows(panel, curve, net, &list->items[i]) && v < list->items[i].n_variants; v++)
            if (curve->chunk == 0 || list->items[i].variants[v].chunk == curve->chunk)
                points[count++] = point_of(panel, &list->items[i], &list->items[i].variants[v]);
    return count;
}

/* Measured points beside those of METHOD that are predicted on NET (NULL: on all) for messages of 8 MiB; returns their
 * number. */
static size_t collect_measured(const struct panel *panel, enum cw_optiq_method method, const struct cw_network *net,
                               const struct cw_optiq_points *list, struct cw_plot_point *points)
{
    const struct curve of_default = {.method = CW_OPTIQ_DEFAULT, .ties = ANY};
    size_t count = 0;
    if (panel->figure != CW_OPTIQ_GROWING && panel->figure != CW_OPTIQ_PATTERNS) return 0;
    if (panel->y != Y_RATE && panel->y != Y_RATES) return 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct cw_optiq_point *point = &list->items[i];
        struct cw_optiq_variant variant = point->variants[0];
        variant.bytes_per_second = cw_optiq_recorded(point->net->n_endpoints, point->pattern, method);
        if (shows(panel, &of_default, net, point) && isfinite(variant.bytes_per_second))
            points[count++] = point_of(panel, point, &variant);
    }
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

/* The optimum that curves of k paths approach; NaN where there is none. */
static double level_of(const struct panel *panel, const struct cw_optiq_points *list)
{
    for (size_t i = 0; panel->x == X_PATHS && panel->y == Y_Z && i < list->n; i++)
        if (list->items[i].figure == panel->figure && list->items[i].method == CW_OPTIQ_OPTIMUM)
            return list->items[i].z;
    return (double)NAN;
}

/* The bytes of each pair in PANEL, whose points differ in something else. */
static uint64_t message_of(const struct panel *panel, const struct cw_optiq_points *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].figure == panel->figure) return list->items[i].variants[0].bytes;
    return 0;
}

static int draw_series(const struct panel *panel, const struct cw_plot_series *series, size_t n_series, double level,
                       const struct cw_network *net, const struct cw_optiq_points *list, const char *directory)
{
    const struct cw_network *base = list->nets[list->base];
    const uint64_t message = message_of(panel, list);
    char name[64], title[128], bytes[32] = "";
    const bool one = net || panel->x != X_NODES;
    snprintf(name, sizeof name, net ? "optiq-%s-%u%s" : "optiq-%s", panel->name, net ? net->n_endpoints : 0,
             panel->end);
    if (panel->x != X_BYTES) cw_format_bytes(message, bytes, sizeof bytes);
    if (one)
        snprintf(title, sizeof title, "%s, %u nodes%s%s%s", panel->title, (net ? net : base)->n_endpoints,
                 *bytes ? ", " : "", bytes, *bytes ? " a pair" : "");
    else
        snprintf(title, sizeof title, "%s, %s a pair", panel->title, bytes);
    const bool logarithmic = verticals[panel->y].logarithmic;
    const struct cw_plot_level optimum = {"optimum over all paths", level};
    const struct cw_plot plot = {.title = title,
                                 .x = axis_of(panel, series, n_series),
                                 .y = {.label = verticals[panel->y].label,
                                       .unit = verticals[panel->y].unit,
                                       .logarithmic = logarithmic,
                                       .min = logarithmic ? (double)NAN : 0,
                                       .max = (double)NAN},
                                 .series = series,
                                 .n_series = n_series,
                                 .levels = &optimum,
                                 .n_levels = isfinite(level) ? 1 : 0};
    return figure_draw(&plot, directory, name);
}

/* NET: of these points; NULL: of all. */
static int draw(const struct panel *panel, const struct cw_network *net, const struct cw_optiq_points *list,
                const char *directory)
{
    struct cw_plot_series series[MAX_CURVES];
    size_t n_series = 0, room = list->n * CW_OPTIQ_VARIANTS;
    struct cw_plot_point *points = cw_new_array(room * MAX_CURVES, sizeof *points, "points");
    if (!points) return CW_ENOMEM;
    size_t predicted[CW_OPTIQ_METHODS] = {0}; /* 1 + the series of each method */
    for (const struct curve *curve = panel->curves; curve->label; curve++) {
        struct cw_plot_point *own = points + n_series * room;
        const size_t count = collect(panel, curve, net, list, own);
        if (count == 0) continue;
        series[n_series++] =
            (struct cw_plot_series){.label = curve->label, .style = panel->style, .points = own, .n_points = count};
        predicted[curve->method] = n_series;
    }
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct cw_plot_point *own = points + n_series * room;
        const size_t count = collect_measured(panel, measured[i].method, net, list, own);
        if (count > 0)
            series[n_series++] = (struct cw_plot_series){.label = measured[i].label,
                                                         .style = CW_PLOT_POINTS,
                                                         .partner = predicted[measured[i].method],
                                                         .points = own,
                                                         .n_points = count};
    }
    const int rc = n_series > 0 ? draw_series(panel, series, n_series, level_of(panel, list), net, list, directory) : 0;
    free(points);
    return rc;
}

/* --- chunk sizes by kind of pattern ------------------------------------------------------------------------------- */

/* Mean over the patterns FIRST … LAST of throughput / that with the best chunk size, for each chunk size; returns their
 * number. */
static size_t mean_shares(const struct cw_optiq_points *list, double first, double last,
                          struct cw_plot_point points[CW_OPTIQ_VARIANTS])
{
    size_t n_points = 0, patterns = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct cw_optiq_point *point = &list->items[i];
        const double pattern = strtod(point->pattern, NULL);
        double best = 0;
        if (point->figure != CW_OPTIQ_CHUNKS || pattern < first || pattern > last) continue;
        for (size_t v = 0; v < point->n_variants; v++) best = fmax(best, point->variants[v].bytes_per_second);
        for (size_t v = 0; v < point->n_variants; v++) {
            points[v].x = (double)point->variants[v].chunk / 1024;
            points[v].y += point->variants[v].bytes_per_second / best;
        }
        n_points = point->n_variants;
        patterns++;
    }
    for (size_t v = 0; v < n_points; v++) points[v].y /= (double)patterns;
    return n_points;
}

static int draw_chunks(const struct cw_optiq_points *list, const char *directory)
{
    static const struct {
        const char *label;
        double first, last;
    } kinds[] = {{"disjoint", 0, 15}, {"overlap", 16, 63}, {"subset", 64, 90}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const uint32_t nodes = list->nets[list->base]->n_endpoints;
    char title[96];
    struct cw_plot_point points[KINDS][CW_OPTIQ_VARIANTS] = {0}, recorded[CW_OPTIQ_VARIANTS];
    struct cw_plot_series series[KINDS + 1];
    for (size_t i = 0; i < KINDS; i++)
        series[i] = (struct cw_plot_series){.label = kinds[i].label,
                                            .points = points[i],
                                            .n_points = mean_shares(list, kinds[i].first, kinds[i].last, points[i])};
    for (size_t v = 0; v < series[0].n_points; v++) {
        const double chunk = points[0][v].x;
        recorded[v] = (struct cw_plot_point){.x = chunk, .y = cw_optiq_recorded_share((uint64_t)(chunk * 1024))};
    }
    series[KINDS] = (struct cw_plot_series){.label = "measured on 1,024 nodes, median",
                                            .style = CW_PLOT_POINTS,
                                            .points = recorded,
                                            .n_points = series[0].n_points};
    snprintf(title, sizeof title, "Figure 5b: chunk sizes by kind of pattern, %u nodes", nodes);
    const struct cw_plot plot = {.title = title,
                                 .x = {.label = "chunk", .unit = "KiB", .logarithmic = true, .min = 12, .max = 1365},
                                 .y = {.label = "share of the best throughput, mean"},
                                 .series = series,
                                 .n_series = KINDS + 1};
    return figure_draw(&plot, directory, "optiq-fig5b");
}

int optiq_figure_draw(const struct cw_optiq_points *points, enum cw_optiq_figure figure, const char *directory)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof panels / sizeof *panels; i++) {
        const struct panel *panel = &panels[i];
        if (panel->figure != figure) continue;
        if (!panel->each) rc = draw(panel, NULL, points, directory);
        for (size_t k = 0; panel->each && !rc && k < points->n_partitions; k++)
            rc = draw(panel, points->nets[k], points, directory);
    }
    if (!rc && figure == CW_OPTIQ_CHUNKS) rc = draw_chunks(points, directory);
    return rc;
}
