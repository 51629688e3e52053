#include "flow/columns.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

int cw_columns_make(const struct cw_flow_problem *problem, struct cw_columns *out)
{
    const size_t n = problem->demands->n, n_channels = problem->net->n_channels;
    struct cw_columns columns = {.problem = problem};
    columns.first = cw_new_array(n, sizeof *columns.first, "paths");
    columns.amount = cw_new_array(n, sizeof *columns.amount, "paths");
    columns.inverse_capacity = cw_new_array(n_channels, sizeof *columns.inverse_capacity, "capacities");
    if (!columns.first || !columns.amount || !columns.inverse_capacity) {
        cw_columns_free(&columns);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < n; d++) {
        columns.first[d] = CW_NONE;
        columns.amount[d] = (double)problem->demands->items[d].bytes / (double)problem->unit_bytes;
    }
    for (size_t c = 0; c < n_channels; c++)
        if (problem->capacity[c] > 0) columns.inverse_capacity[c] = problem->unit_capacity / problem->capacity[c];
    *out = columns;
    return 0;
}

void cw_columns_free(struct cw_columns *columns)
{
    if (!columns) return;
    free(columns->items);
    free(columns->channels);
    free(columns->first);
    free(columns->amount);
    free(columns->inverse_capacity);
    *columns = (struct cw_columns){0};
}

int cw_columns_add(struct cw_columns *columns, uint32_t demand, const uint32_t *channels, uint32_t n, uint32_t *out)
{
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) hash = (hash ^ channels[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    for (uint32_t j = columns->first[demand]; j != CW_NONE; j = columns->items[j].next) {
        const struct cw_path_column *column = &columns->items[j];
        if (column->hash != hash || column->n != n) continue;
        if (memcmp(columns->channels + column->begin, channels, n * sizeof *channels) != 0) continue;
        *out = j;
        return 0;
    }
    int rc =
        cw_grow_array((void **)&columns->items, &columns->capacity, columns->n + 1, sizeof *columns->items, "paths");
    if (rc == 0)
        rc = cw_grow_array((void **)&columns->channels, &columns->channels_capacity, columns->n_channels + n,
                           sizeof *columns->channels, "paths");
    if (rc) return rc;
    memcpy(columns->channels + columns->n_channels, channels, n * sizeof *channels);
    columns->items[columns->n] = (struct cw_path_column){
        .demand = demand, .n = n, .begin = columns->n_channels, .hash = hash, .next = columns->first[demand]};
    columns->n_channels += n;
    *out = columns->first[demand] = (uint32_t)columns->n++;
    return 0;
}

int cw_columns_add_priced(struct cw_columns *columns, const struct cw_pricing *pricing)
{
    int rc = 0;
    for (size_t d = 0; d < columns->problem->demands->n; d++) {
        for (uint32_t i = cw_pricing_n_paths(pricing, d); i > 0 && rc == 0; i--) { /* the shortest becomes the latest */
            uint32_t n, column;
            const uint32_t *path = cw_pricing_path(pricing, d, i - 1, &n);
            rc = cw_columns_add(columns, (uint32_t)d, path, n, &column);
        }
    }
    return rc;
}

double cw_columns_load(const struct cw_columns *columns, double *load)
{
    const uint32_t n_channels = columns->problem->net->n_channels;
    memset(load, 0, n_channels * sizeof *load);
    for (size_t j = 0; j < columns->n; j++) {
        const struct cw_path_column *column = &columns->items[j];
        if (!(column->flow > 0)) continue;
        for (uint32_t i = 0; i < column->n; i++) load[columns->channels[column->begin + i]] += column->flow;
    }
    double most = 0;
    for (uint32_t c = 0; c < n_channels; c++) most = fmax(most, load[c] * columns->inverse_capacity[c]);
    return most;
}

/* The paths of demand D of the whole, as those of the one that stands for it. */
static int plan_demand(const struct cw_columns *columns, uint32_t d, struct cw_plan *plan)
{
    const struct cw_quotient *quotient = columns->problem->quotient;
    const uint32_t by = quotient->stands_for[d], src = quotient->whole->demands->items[d].src;
    int rc = 0;
    for (uint32_t j = columns->first[by]; j != CW_NONE && !rc; j = columns->items[j].next) {
        const struct cw_path_column *column = &columns->items[j];
        if (!(column->flow > 0)) continue;
        rc = cw_plan_add(plan, d, column->flow / columns->amount[by], columns->channels + column->begin, column->n);
        if (!rc) cw_quotient_unfold_path(quotient, src, plan->channels + plan->n_channels - column->n, column->n);
    }
    return rc;
}

static int plan_whole(const struct cw_columns *columns, struct cw_plan *plan)
{
    const size_t n = columns->problem->quotient->whole->demands->n;
    int rc = 0;
    for (size_t d = 0; d < n && !rc; d++) rc = plan_demand(columns, (uint32_t)d, plan);
    return rc;
}

int cw_columns_plan(const struct cw_columns *columns, struct cw_plan *plan)
{
    int rc = 0;
    if (columns->problem->quotient) return plan_whole(columns, plan);
    for (size_t j = 0; j < columns->n && rc == 0; j++) {
        const struct cw_path_column *column = &columns->items[j];
        if (!(column->flow > 0)) continue;
        rc = cw_plan_add(plan, column->demand, column->flow / columns->amount[column->demand],
                         columns->channels + column->begin, column->n);
    }
    return rc;
}

int cw_column_difference_make(const struct cw_columns *columns, struct cw_column_difference *out)
{
    const size_t n_channels = columns->problem->net->n_channels;
    *out = (struct cw_column_difference){.items = cw_new_array(n_channels, sizeof *out->items, "two paths"),
                                         .times = cw_new_array(n_channels, sizeof *out->times, "two paths")};
    return out->items && out->times ? 0 : CW_ENOMEM;
}

void cw_column_difference_free(struct cw_column_difference *difference)
{
    free(difference->items);
    free(difference->times);
    *difference = (struct cw_column_difference){0};
}

/* Lists the channels of COLUMN whose times are not 0, and makes them 0. */
static void take_times(const struct cw_columns *columns, const struct cw_path_column *column,
                       struct cw_column_difference *difference)
{
    const uint32_t *channel = columns->channels + column->begin;
    for (uint32_t i = 0; i < column->n; i++) {
        int32_t *times = &difference->times[channel[i]];
        if (*times != 0) difference->items[difference->n++] = (struct cw_channel_times){channel[i], *times};
        *times = 0;
    }
}

void cw_columns_compare(const struct cw_columns *columns, const struct cw_path_column *from,
                        const struct cw_path_column *to, struct cw_column_difference *difference)
{
    const uint32_t *from_channel = columns->channels + from->begin, *to_channel = columns->channels + to->begin;
    for (uint32_t i = 0; i < from->n; i++) difference->times[from_channel[i]]++;
    for (uint32_t i = 0; i < to->n; i++) difference->times[to_channel[i]]--;
    difference->n = 0;
    take_times(columns, from, difference);
    take_times(columns, to, difference);
}

uint32_t cw_columns_times(const struct cw_columns *columns, const struct cw_path_column *column, uint32_t i)
{
    const uint32_t *channel = columns->channels + column->begin;
    uint32_t times = 1;
    if (!columns->problem->quotient) return times;
    for (uint32_t j = 0; j < i; j++)
        if (channel[j] == channel[i]) return 0;
    for (uint32_t j = i + 1; j < column->n; j++) times += channel[j] == channel[i];
    return times;
}

#define SWEEPS 20

struct pruning {
    struct cw_columns *columns;
    double *load, most; /* [channels]; most loaded channel's load / capacity */
    struct cw_column_difference difference;
};

/* What may go from FROM to TO until a channel that only TO has is full. */
static double room(struct pruning *t, const struct cw_path_column *from, const struct cw_path_column *to)
{
    const double *inverse = t->columns->inverse_capacity;
    double most = from->flow;
    cw_columns_compare(t->columns, from, to, &t->difference);
    for (uint32_t i = 0; i < t->difference.n && most > 0; i++) {
        const struct cw_channel_times *item = &t->difference.items[i];
        if (item->times < 0 && inverse[item->channel] > 0)
            most = fmin(most, (t->most / inverse[item->channel] - t->load[item->channel]) / -item->times);
    }
    return most;
}

static void add_load(struct pruning *t, const struct cw_path_column *column, double flow)
{
    const uint32_t *channel = t->columns->channels + column->begin;
    for (uint32_t i = 0; i < column->n; i++) t->load[channel[i]] += flow;
}

/* True if something changed. */
static bool shift(struct pruning *t, struct cw_path_column *from, struct cw_path_column *to)
{
    if (to->n > from->n || (to->n == from->n && !(to->flow >= from->flow))) return false;
    const double flow = room(t, from, to);
    if (!(flow > 0) || (to->n == from->n && flow < from->flow)) return false;
    add_load(t, from, -flow);
    add_load(t, to, flow);
    from->flow = flow < from->flow ? from->flow - flow : 0;
    to->flow += flow;
    return true;
}

static bool sweep(struct pruning *t)
{
    struct cw_columns *columns = t->columns;
    bool changed = false;
    for (size_t d = 0; d < columns->problem->demands->n; d++)
        for (uint32_t i = columns->first[d]; i != CW_NONE; i = columns->items[i].next)
            for (uint32_t j = columns->first[d]; j != CW_NONE && columns->items[i].flow > 0; j = columns->items[j].next)
                if (j != i && shift(t, &columns->items[i], &columns->items[j])) changed = true;
    return changed;
}

int cw_columns_prune(struct cw_columns *columns)
{
    const size_t n_channels = columns->problem->net->n_channels;
    struct pruning t = {.columns = columns};
    t.load = cw_new_array(n_channels, sizeof *t.load, "channel loads");
    int rc = cw_column_difference_make(columns, &t.difference);
    if (!t.load) rc = CW_ENOMEM;
    if (rc == 0) {
        t.most = cw_columns_load(columns, t.load);
        for (unsigned i = 0; i < SWEEPS && sweep(&t); i++) cw_columns_load(columns, t.load);
    }
    free(t.load);
    cw_column_difference_free(&t.difference);
    return rc;
}
