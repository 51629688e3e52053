/* How the experiments are written down and drawn, beside what was measured on the machine. */
#include "study/papers/optiq_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "report/rows.h"

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"pattern", CW_COLUMN_TEXT, NULL, "demands"},
    {"pairs", CW_COLUMN_INT, NULL, "demands over the network"},
    {"distance", CW_COLUMN_REAL, "hop", "mean hops by default routes"},
    {"method", CW_COLUMN_TEXT, NULL, "how the plan was made"},
    {"k", CW_COLUMN_INT, NULL, "paths a pair; missing: the default one or all there are"},
    {"ties", CW_COLUMN_TEXT, NULL, "which of equally long paths come first"},
    {"bytes", CW_COLUMN_INT, "byte", "of each pair"},
    {"chunk_bytes", CW_COLUMN_INT, "byte", "size of the chunks that are relayed"},
    {"z", CW_COLUMN_REAL, NULL, "fraction of all demands moved in the time a channel moves the largest"},
    {"z_bound", CW_COLUMN_REAL, NULL, "proven bound of z over the paths chosen among"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean over bytes"},
    {"predicted_seconds", CW_COLUMN_REAL, "s", "until all has arrived, by a simulated transport"},
    {"predicted_GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time"},
    {"search_seconds", CW_COLUMN_REAL, "s", "of searching", .measured = true},
};

static void rows(const struct cw_paper_run *run, struct cw_table *table, const void *of)
{
    const struct cw_optiq_point *point = of;
    const bool listed = point->method != CW_OPTIQ_DEFAULT && point->method != CW_OPTIQ_OPTIMUM;
    (void)run;
    for (size_t v = 0; v < point->n_variants; v++) {
        const struct cw_optiq_variant *variant = &point->variants[v];
        cw_table_row(table, "%s %u %s %zu %g %s", point->net->title, point->net->n_endpoints, point->pattern,
                     point->pairs, point->distance, point->solved_by);
        if (listed) {
            cw_table_int(table, point->k);
            cw_table_text(table, cw_optiq_ties[point->ties]);
        } else {
            cw_table_none(table);
            cw_table_none(table);
        }
        cw_table_row(table, "%lu %lu %g %g %g %g %g %g", variant->bytes, variant->chunk, point->z, point->bound,
                     point->hops_mean, variant->seconds, variant->bytes_per_second * 1e-9, point->search_seconds);
    }
}

static const struct cw_column gain_columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "experiment: optiq-FIGURE.csv"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"method", CW_COLUMN_TEXT, NULL, "compared with the default routes"},
    {"cases", CW_COLUMN_INT, NULL, "patterns and sizes"},
    {"z_ratio", CW_COLUMN_REAL, NULL, "z / that of the default routes, geometric mean"},
    {"speedup", CW_COLUMN_REAL, NULL, "predicted throughput / that of the default routes, geometric mean"},
    {"speedup_min", CW_COLUMN_REAL, NULL, "least of the cases"},
    {"speedup_max", CW_COLUMN_REAL, NULL, "greatest of the cases"},
    {"slower", CW_COLUMN_INT, NULL, "cases in which the default routes are faster"},
};

/* "fig4", "fixed", …: the files of FIGURE are called optiq-NAME. */
static const char *name_of(const struct cw_paper_run *run, size_t figure)
{
    return run->paper->figures[figure].file + strlen("optiq-");
}

/* A row of the result for each network and method that FIGURE compares with the default routes, of what has run. */
static void sum(struct cw_paper_run *run, size_t figure)
{
    const struct cw_optiq_networks *made = run->data;
    for (size_t i = 0; i < made->n; i++)
        for (int method = CW_OPTIQ_HEURISTIC; method < CW_OPTIQ_METHODS; method++) {
            const struct cw_optiq_gain gain =
                cw_optiq_gain_of(&run->points, figure, made->nets[i], (enum cw_optiq_method)method);
            if (gain.cases == 0) continue;
            cw_table_row(made->gains, "%s %u %s %zu %g %g %g %g %zu", name_of(run, figure), made->nets[i]->n_endpoints,
                         cw_optiq_methods[method], gain.cases, gain.z_ratio, gain.speedup, gain.speedup_min,
                         gain.speedup_max, gain.slower);
        }
}

/* Chunk sizes are compared with one another, everything else with default routes on the same network. */
static int tables(struct cw_paper_run *run)
{
    struct cw_optiq_networks *made = run->data;
    bool seen[CW_OPTIQ_FIGURES][CW_OPTIQ_PARTITIONS][CW_OPTIQ_METHODS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < run->points.n; i++) {
        const struct cw_optiq_point *point = cw_points_at(&run->points, i);
        for (size_t net = 0; net < made->n; net++) {
            bool *own = &seen[point->point.figure][net][point->method];
            if (point->net != made->nets[net] || *own) continue;
            *own = true;
            count += point->method != CW_OPTIQ_DEFAULT && point->point.figure != CW_OPTIQ_CHUNKS;
        }
    }
    return cw_paper_table(run, "optiq", "Multi-path plans against MPI's default routes", CW_ITEMS(gain_columns), count,
                          &made->gains);
}

/* --- what was measured on the machine ----------------------------------------------------------------------------- */

/* From the public record of the experiments of Bui et al.: MB/s with 8 MiB a pair, in chunks of 64 KiB (patterns 64 to
 * 90: 128 KiB). */
enum { MPI, LP, HEURISTIC, MEASURED };

/* By pattern; 0: not recorded. */
static const uint32_t on_512[][MEASURED] = {
    {75701, 61010, 53928},    {41978, 44229, 38557},    {34743, 72918, 36739},    {49658, 93486, 53291},
    {39106, 47863, 42293},    {146465, 86355, 108520},  {59904, 87252, 42122},    {58865, 114285, 75939},
    {38899, 46043, 52440},    {63407, 70426, 48903},    {217460, 128208, 183677}, {111762, 121557, 82623},
    {45208, 80680, 52551},    {77307, 92053, 66636},    {115235, 97130, 101496},  {434921, 248966, 240065},
    {44074, 38729, 43345},    {54433, 82767, 70291},    {54426, 57386, 60663},    {33510, 59576, 50458},
    {35623, 65657, 45759},    {36153, 75007, 63334},    {37642, 96576, 62362},    {38503, 97533, 50058},
    {35199, 99863, 45271},    {50241, 95340, 69595},    {51232, 100441, 76091},   {51758, 104239, 60295},
    {33062, 54294, 53629},    {33923, 62698, 48595},    {36466, 27184, 55519},    {75855, 93841, 95114},
    {70519, 66588, 90029},    {108277, 144428, 129554}, {61738, 94973, 54976},    {67664, 91062, 97831},
    {67108, 97616, 60663},    {67710, 139130, 81723},   {68904, 145671, 107298},  {84098, 142717, 80658},
    {47814, 60118, 56540},    {41987, 60065, 49373},    {43483, 53283, 45697},    {71540, 82005, 68504},
    {68209, 80642, 64801},    {63737, 70161, 93006},    {176463, 105480, 145661}, {217714, 158612, 208681},
    {217677, 140408, 198834}, {110226, 123903, 77152},  {113284, 121011, 94744},  {106042, 143106, 116908},
    {47294, 85572, 68821},    {46148, 89179, 67370},    {47796, 85790, 65636},    {80950, 82084, 102919},
    {76189, 97269, 85361},    {80408, 88892, 81554},    {117936, 125806, 119507}, {131491, 126162, 96340},
    {141522, 109612, 131097}, {301806, 176081, 228113}, {279251, 151289, 308898}, {432679, 185843, 311767},
    {8307, 20816, 21159},     {7992, 21123, 22127},     {8287, 20087, 21977},     {14422, 31492, 21535},
    {14804, 28710, 27435},    {14744, 26855, 27017},    {21319, 29332, 38516},    {21244, 29610, 52475},
    {20747, 31019, 36472},    {16482, 40193, 34142},    {16573, 39535, 32811},    {16505, 40552, 27105},
    {29565, 52260, 49214},    {28198, 47908, 46615},    {27933, 46959, 50947},    {45469, 52547, 49171},
    {45719, 54853, 67466},    {43739, 56509, 53062},    {26268, 64787, 53153},    {26222, 65491, 46970},
    {26311, 68570, 49630},    {47195, 87618, 66534},    {46634, 81906, 64789},    {47555, 85258, 68796},
    {76780, 91046, 87727},    {80451, 107472, 86963},   {80980, 101572, 89401},
};

/* Those of figure 4. */
static const struct {
    uint32_t nodes, pattern, rate[MEASURED];
} larger[] = {
    {2048, 3, {61582, 197079, 83062}}, {2048, 27, {59755, 308584, 140010}}, {2048, 87, {111160, 172296, 127102}},
    {8192, 3, {121169, 175097, 0}},    {8192, 27, {119166, 569491, 0}},
};

/* Throughput in byte/s of METHOD with PATTERN, "0" to "90", on NODES nodes, 8 MiB a pair; NaN where none is on record.
 */
static double recorded(uint32_t nodes, const char *pattern, enum cw_optiq_method method)
{
    static const int of_methods[CW_OPTIQ_METHODS] = {[CW_OPTIQ_DEFAULT] = MPI,
                                                     [CW_OPTIQ_HEURISTIC] = HEURISTIC,
                                                     [CW_OPTIQ_GREEDY] = -1,
                                                     [CW_OPTIQ_LP] = LP,
                                                     [CW_OPTIQ_OPTIMUM] = -1};
    const int column = of_methods[method];
    char *end;
    const unsigned long number = strtoul(pattern, &end, 10);
    uint32_t rate = 0;
    if (column < 0 || *end) return (double)NAN;
    if (nodes == 512 && number < sizeof on_512 / sizeof *on_512) rate = on_512[number][column];
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        if (larger[i].nodes == nodes && larger[i].pattern == number) rate = larger[i].rate[column];
    return rate > 0 ? 1e6 * rate : (double)NAN;
}

/* Medians over the 91 patterns on 1,024 nodes, as shares of what chunks of 64 KiB reach. */
static const struct {
    uint64_t chunk;
    double share;
} shares[] = {{8192, .07},   {16384, .17},  {32768, .48},   {65536, 1},     {131072, .88},
              {262144, .80}, {524288, .78}, {1048576, .79}, {4194304, .62}, {8388608, .44}};

/* What chunks of CHUNK bytes reached as a share of what those of 64 KiB did; NaN where none is on record. */
static double recorded_share(uint64_t chunk)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].chunk == chunk) return shares[i].share;
    return (double)NAN;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

#define ANY -1
#define KIB 1024

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

/* What the record has. */
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
    size_t figure;
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

/* NET may be NULL: any. */
static bool shows(const struct panel *panel, const struct curve *curve, const struct cw_network *net,
                  const struct cw_optiq_point *point)
{
    return (!panel->pattern || strcmp(point->pattern, panel->pattern) == 0) && (!net || point->net == net) &&
           (curve->ties == ANY || (int)point->ties == curve->ties);
}

static void add(struct cw_chart *chart, const struct panel *panel, const struct cw_optiq_point *point,
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
    cw_chart_point(chart, x[panel->x], y[panel->y], 0, 0);
}

/* The points of CURVE on NET (NULL: on all) in the order of the list, if there are any. */
static bool add_curve(struct cw_chart *chart, const struct panel *panel, const struct curve *curve,
                      const struct cw_network *net, const struct cw_points *points)
{
    size_t at = 0;
    cw_chart_begin(chart, "%s", curve->label)->style = panel->style;
    for (const struct cw_optiq_point *point;
         (point = cw_optiq_next(points, panel->figure, (enum cw_optiq_method)curve->method, &at));)
        for (size_t v = 0; shows(panel, curve, net, point) && v < point->n_variants; v++)
            if (curve->chunk == 0 || point->variants[v].chunk == curve->chunk)
                add(chart, panel, point, &point->variants[v]);
    return cw_chart_keep(chart);
}

/* Points that were measured with METHOD beside those that are predicted on NET (NULL: on all) for messages of 8 MiB, in
 * the colour of series PARTNER. */
static void add_measured(struct cw_chart *chart, const struct panel *panel, size_t which, size_t partner,
                         const struct cw_network *net, const struct cw_points *points)
{
    const struct curve any = {.ties = ANY};
    size_t at = 0;
    if (panel->figure != CW_OPTIQ_GROWING && panel->figure != CW_OPTIQ_PATTERNS) return;
    if (panel->y != Y_RATE && panel->y != Y_RATES) return;
    struct cw_plot_series *series = cw_chart_begin(chart, "%s", measured[which].label);
    series->style = CW_PLOT_POINTS;
    series->partner = partner;
    for (const struct cw_optiq_point *point; (point = cw_optiq_next(points, panel->figure, CW_OPTIQ_DEFAULT, &at));) {
        struct cw_optiq_variant variant = point->variants[0];
        variant.bytes_per_second = recorded(point->net->n_endpoints, point->pattern, measured[which].method);
        if (shows(panel, &any, net, point) && isfinite(variant.bytes_per_second)) add(chart, panel, point, &variant);
    }
    cw_chart_keep(chart);
}

/* The horizontal axis of PANEL, a little longer than its points need: gnuplot would go on to the next power of ten. */
static struct cw_plot_axis axis_of(const struct panel *panel, const struct cw_chart *chart)
{
    double least, greatest;
    cw_chart_range(chart, &least, &greatest);
    const bool logarithmic = horizontals[panel->x].logarithmic;
    const double margin = (greatest - least) / 40;
    return (struct cw_plot_axis){.label = horizontals[panel->x].label,
                                 .unit = horizontals[panel->x].unit,
                                 .logarithmic = logarithmic,
                                 .min = logarithmic ? least / 1.25 : least - margin,
                                 .max = logarithmic ? greatest * 1.25 : greatest + margin};
}

/* What CHART shows, of NET or of all: with the title, and the optimum that curves of k paths approach. */
static int draw_chart(const struct cw_paper_run *run, const struct panel *panel, const struct cw_network *net,
                      struct cw_chart *chart)
{
    const struct cw_optiq_networks *made = run->data;
    const bool logarithmic = verticals[panel->y].logarithmic, one = net || panel->x != X_NODES;
    char file[64], title[128], bytes[32] = "";
    size_t first = 0, at = 0;
    const struct cw_optiq_point *any = cw_points_next(&run->points, panel->figure, &first);
    const struct cw_optiq_point *optimum = cw_optiq_next(&run->points, panel->figure, CW_OPTIQ_OPTIMUM, &at);
    snprintf(file, sizeof file, net ? "optiq-%s-%u%s" : "optiq-%s", panel->name, net ? net->n_endpoints : 0,
             panel->end);
    if (panel->x != X_BYTES) cw_format_bytes(any->variants[0].bytes, bytes, sizeof bytes);
    if (one)
        snprintf(title, sizeof title, "%s, %u nodes%s%s%s", panel->title,
                 (net ? net : made->nets[made->base])->n_endpoints, *bytes ? ", " : "", bytes, *bytes ? " a pair" : "");
    else
        snprintf(title, sizeof title, "%s, %s a pair", panel->title, bytes);
    const struct cw_plot_level level = {"optimum over all paths", optimum ? optimum->z : NAN};
    const struct cw_plot plot = {.title = title,
                                 .x = axis_of(panel, chart),
                                 .y = {.label = verticals[panel->y].label,
                                       .unit = verticals[panel->y].unit,
                                       .logarithmic = logarithmic,
                                       .min = logarithmic ? (double)NAN : 0,
                                       .max = (double)NAN},
                                 .levels = &level,
                                 .n_levels = panel->x == X_PATHS && panel->y == Y_Z && optimum ? 1 : 0};
    return cw_paper_plot(run, file, chart, &plot);
}

/* NET: of these points; NULL: of all. */
static int draw_panel(const struct cw_paper_run *run, const struct panel *panel, const struct cw_network *net)
{
    struct cw_chart chart = {0};
    size_t predicted[CW_OPTIQ_METHODS] = {0}; /* 1 + the series of each method */
    for (const struct curve *curve = panel->curves; curve->label; curve++)
        if (add_curve(&chart, panel, curve, net, &run->points)) predicted[curve->method] = chart.n_series;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        add_measured(&chart, panel, i, predicted[measured[i].method], net, &run->points);
    if (chart.n_series > 0) return draw_chart(run, panel, net, &chart);
    const int rc = chart.rc;
    cw_chart_free(&chart);
    return rc;
}

/* Chunk sizes by kind of pattern: mean over the patterns of throughput / that with the best size, and what was
 * measured. */
static int draw_chunks(const struct cw_paper_run *run)
{
    static const struct {
        const char *label;
        double first, last;
    } kinds[] = {{"disjoint", 0, 15}, {"overlap", 16, 63}, {"subset", 64, 90}};
    const struct cw_optiq_networks *made = run->data;
    struct cw_chart chart = {0};
    struct cw_optiq_variant sizes[CW_OPTIQ_VARIANTS] = {0};
    size_t n = 0;
    char title[96];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double share[CW_OPTIQ_VARIANTS] = {0}, patterns = 0;
        size_t at = 0;
        for (const struct cw_optiq_point *point; (point = cw_points_next(&run->points, CW_OPTIQ_CHUNKS, &at));) {
            const double pattern = strtod(point->pattern, NULL);
            double best = 0;
            if (pattern < kinds[i].first || pattern > kinds[i].last) continue;
            for (size_t v = 0; v < point->n_variants; v++) best = fmax(best, point->variants[v].bytes_per_second);
            for (size_t v = 0; v < point->n_variants; v++) share[v] += point->variants[v].bytes_per_second / best;
            memcpy(sizes, point->variants, sizeof sizes);
            n = point->n_variants;
            patterns++;
        }
        cw_chart_begin(&chart, "%s", kinds[i].label);
        for (size_t v = 0; v < n; v++) cw_chart_point(&chart, (double)sizes[v].chunk / KIB, share[v] / patterns, 0, 0);
    }
    cw_chart_begin(&chart, "measured on 1,024 nodes, median")->style = CW_PLOT_POINTS;
    for (size_t v = 0; v < n; v++)
        cw_chart_point(&chart, (double)sizes[v].chunk / KIB, recorded_share(sizes[v].chunk), 0, 0);
    snprintf(title, sizeof title, "Figure 5b: chunk sizes by kind of pattern, %u nodes",
             made->nets[made->base]->n_endpoints);
    const struct cw_plot plot = {.title = title,
                                 .x = {.label = "chunk", .unit = "KiB", .logarithmic = true, .min = 12, .max = 1365},
                                 .y = {.label = "share of the best throughput, mean"}};
    return cw_paper_plot(run, "optiq-fig5b", &chart, &plot);
}

static int draw(struct cw_paper_run *run, size_t figure)
{
    const struct cw_optiq_networks *made = run->data;
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof panels / sizeof *panels; i++) {
        const struct panel *panel = &panels[i];
        if (panel->figure != figure) continue;
        if (!panel->each) rc = draw_panel(run, panel, NULL);
        for (size_t k = 0; panel->each && !rc && k < made->n; k++) rc = draw_panel(run, panel, made->nets[k]);
    }
    return !rc && figure == CW_OPTIQ_CHUNKS ? draw_chunks(run) : rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const char *const remarks[] = {
    "Throughput is predicted by a simulated transport with the set bgq (crosswind help transports), which was fitted "
    "to "
    "the runs on record; the guide to data movement says how well. Pictures show measured points where the record has "
    "them.",
    "z is the share of all demands that moves in the time a channel takes for the largest. It knows nothing of relays: "
    "where paths are long or messages short, a plan of greater z can be the slower one.",
    "The manuscript shows figures 4 and 5. The other experiments are those it announces; except where it says what "
    "they "
    "are to show they are held to its abstract: several times the throughput of MPI, for certain patterns.",
    "The number of ranks a node is not repeated: here a node is one endpoint.",
    "The machine has two cables in dimension E; they are taken as one, as in the manuscript's records.",
    "The heuristic, greedy and the linear program choose among 16 paths a pair. From 4,096 nodes on the optimum is an "
    "approximation within 2 %.",
    "With --sizes quick the networks are tori of 128 and 256 nodes, as no Blue Gene/Q has them, and a pair has 1 MiB, "
    "not 8: "
    "that shows how it works, not what is true of the machine.",
    NULL,
};

static const struct cw_paper_option takes[] = {{"sizes", NULL}, {"figures", NULL}, {NULL, NULL}};

const struct cw_paper cw_paper_optiq = {
    .name = "optiq",
    .help = "Multi-path data movement on Blue Gene/Q partitions against MPI's default routes, by simulation (Bui et "
            "al., figures 4 and 5 and those announced)",
    .source = "H. Bui, P. Malakar, E.-S. Jung, V. Vishwanath, T. S. Munson, S. Leyffer, A. Johnson, J. Leigh, M. "
              "E. Papka: Improving data movement throughput by balancing network load on the "
              "Blue Gene/Q supercomputer, a manuscript.",
    .remarks = remarks,
    .written = "optiq-README.txt with remarks, optiq-claims.csv, and for each figure a CSV file with every "
               "measurement, pictures and their gnuplot scripts.",
    .takes = takes,
    .figures = cw_optiq_figures,
    .begin = cw_optiq_begin,
    .end = cw_optiq_end,
    .point_size = sizeof(struct cw_optiq_point),
    .results = offsetof(struct cw_optiq_point, variants),
    .add = cw_optiq_add,
    .compute = cw_optiq_compute,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .rows = rows,
    .tables = tables,
    .sum = sum,
    .draw = draw,
};
