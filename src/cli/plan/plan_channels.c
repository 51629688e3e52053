/* What a plan does over time, and to channels. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/plan/plan_report.h"
#include "net/network_internal.h"
#include "report/rows.h"

#define BUSIEST 12 /* channels that are listed */

/* --- over time ---------------------------------------------------------------------------------------------------- */

static const struct cw_column arrival_columns[] = {
    {"method", CW_COLUMN_TEXT, NULL, "how the plan was made"},
    {"time", CW_COLUMN_REAL, "s", "since all began, by the simulated transport"},
    {"arrived", CW_COLUMN_REAL, NULL, "bytes that have arrived by then / all"},
};

static void add_arrivals(struct cw_table *table, const struct cw_plan_run *run, const struct cw_arrivals *arrivals)
{
    double all = 0, arrived = 0;
    for (size_t i = 0; i < CW_ARRIVALS; i++) all += arrivals->bytes[i];
    if (!(all > 0)) return;
    cw_table_row(table, "%s %g %g", run->plan.method, 0.0, 0.0);
    for (size_t i = 0; i < CW_ARRIVALS; i++) {
        if (arrivals->bytes[i] == 0) continue;
        const double begin = (double)i * arrivals->width, end = fmin(begin + arrivals->width, run->moved.last_done);
        /* where nothing came, the curve is flat */
        if (arrived > 0 && i > 0 && arrivals->bytes[i - 1] == 0)
            cw_table_row(table, "%s %g %g", run->plan.method, begin, arrived / all);
        arrived += arrivals->bytes[i];
        cw_table_row(table, "%s %g %g", run->plan.method, end, arrived / all);
    }
}

int plan_report_arrivals(struct cw_result *result, const struct cw_plan_run *runs, const struct cw_arrivals *arrivals,
                         size_t n)
{
    struct cw_table *table;
    const int rc =
        cw_result_new_detail(result, "arrivals", "What has arrived by when", CW_ITEMS(arrival_columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, 0);
    double last = 0;
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].predicted) continue;
        add_arrivals(table, &runs[i], &arrivals[i]);
        last = fmax(last, runs[i].moved.last_done);
    }
    if (cw_table_rows(table) == 0) return 0;
    return cw_result_figure(result, &(struct cw_figure){.kind = CW_FIGURE_LINES,
                                                        .table = "arrivals",
                                                        .x = "time",
                                                        .y = "arrived",
                                                        .series = "method",
                                                        .x_to = last,
                                                        .x_label = "time",
                                                        .y_label = "bytes that have arrived / all"});
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static const struct cw_column channel_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"name", CW_COLUMN_TEXT, NULL, "TAIL/PORT>HEAD/PORT"},
    {"capacity", CW_COLUMN_REAL, "byte/s", "capacity; missing: no limit"},
    {"bytes", CW_COLUMN_INT, "byte", "that the plan sends over it"},
    {"paths", CW_COLUMN_INT, NULL, "paths of the plan that use it"},
};

struct channel_use {
    uint64_t bytes, paths;
};

static void count_uses(const struct cw_plan *plan, struct channel_use *uses)
{
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        for (uint32_t hop = 0; hop < path->n; hop++) {
            struct channel_use *use = &uses[plan->channels[path->first + hop]];
            use->bytes += path->bytes;
            use->paths += path->bytes > 0;
        }
    }
}

int plan_report_channels(const struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *run,
                         const char *path)
{
    const struct cw_network *net = made->net;
    struct channel_use *uses = cw_new_array(net->n_channels, sizeof *uses, "channels of a plan");
    struct cw_table *table = NULL;
    char name[2 * CW_NAME_SIZE];
    int rc = uses ? cw_table_new("channels", NULL, CW_ITEMS(channel_columns), &table) : CW_ENOMEM;
    if (!rc) count_uses(&run->plan, uses);
    for (uint32_t c = 0; !rc && c < net->n_channels; c++) {
        cw_table_row(table, "%u %s %g %lu %lu", c, cw_network_channel_name(net, c, name, sizeof name),
                     made->problem.capacity[c], uses[c].bytes, uses[c].paths);
    }
    if (!rc) rc = cw_result_save_csv(result, table, path);
    cw_table_free(table);
    free(uses);
    return rc;
}

static const struct cw_column busiest_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"from", CW_COLUMN_TEXT, NULL, "where it comes from"},
    {"to", CW_COLUMN_TEXT, NULL, "where it leads"},
    {"bytes", CW_COLUMN_INT, "byte", "that the plan sends over it"},
    {"paths", CW_COLUMN_INT, NULL, "paths of the plan that use it"},
    {"use", CW_COLUMN_REAL, NULL, "its bytes / its capacity, of the time that the plan takes"},
};

struct busy {
    double seconds;
    uint32_t channel;
};

static int compare_busy(const void *a, const void *b)
{
    const struct busy *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int add_busiest(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *run,
                       const struct channel_use *uses, struct busy *busy)
{
    const struct cw_network *net = made->net;
    const double all = run->predicted ? run->moved.seconds : run->bandwidth_seconds;
    struct cw_table *table;
    size_t n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (uses[c].bytes > 0 && !isinf(made->problem.capacity[c]))
            busy[n++] = (struct busy){(double)uses[c].bytes / made->problem.capacity[c], c};
    if (n > 0) qsort(busy, n, sizeof *busy, compare_busy);
    const int rc = cw_result_new_detail(result, "busiest", "The busiest channels of the best plan",
                                        CW_ITEMS(busiest_columns), &table);
    if (rc || n == 0) return rc;
    cw_table_cut_text(table, 0);
    for (size_t i = 0; i < n && i < BUSIEST; i++) {
        char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
        const uint32_t c = busy[i].channel;
        cw_table_row(table, "%u %s %s %lu %lu %g", c, cw_network_name(net, net->tail[c], from, sizeof from),
                     cw_network_name(net, net->head[c], to, sizeof to), uses[c].bytes, uses[c].paths,
                     busy[i].seconds / all);
    }
    static const struct cw_figure_panel use = {.y = "use", .label = "busy, of the time of the plan"};
    static const struct cw_figure figure = {
        .kind = CW_FIGURE_BARS, .table = "busiest", .rows = "from", .series = "to", .panels = &use, .n_panels = 1};
    return cw_result_figure(result, &figure);
}

int plan_report_busiest(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *run)
{
    struct channel_use *uses = cw_new_array(made->net->n_channels, sizeof *uses, "channels of a plan");
    struct busy *busy = cw_new_array(made->net->n_channels, sizeof *busy, "channels of a plan");
    int rc = uses && busy ? 0 : CW_ENOMEM;
    if (!rc) count_uses(&run->plan, uses);
    if (!rc) rc = add_busiest(result, made, run, uses, busy);
    free(busy);
    free(uses);
    return rc;
}
