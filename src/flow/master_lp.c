#include "flow/master_lp.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "net/network_internal.h"

#define TOLERANCE  1e-9  /* CLP's, for primal and dual */
#define NOTHING    1e-9  /* of a channel: demands that take no more of it are not counted there */
#define REDUCED    1e-9  /* a reduced cost counts from here on, relative to what the demand pays */
#define OVERLOAD   1e-10 /* a channel without a row counts as overloaded from here on, relative */
#define BUSY       0.2   /* channels loaded so much of the most loaded one have a row from the beginning */
#define ITERATIONS 500   /* for fewer hops, besides one for each path in use */

/* Rows or columns on their way to CLP. */
struct batch {
    int *start; /* [n + 1] */
    int *index;
    double *value, *lower, *upper, *cost;
    size_t n, n_values;
};

static void free_batch(struct batch *batch)
{
    free(batch->start);
    free(batch->index);
    free(batch->value);
    free(batch->lower);
    free(batch->upper);
    free(batch->cost);
}

static int make_batch(size_t n, size_t n_values, struct batch *out)
{
    if (n >= INT_MAX || n_values >= INT_MAX)
        return cw_fail(CW_ELIMIT, "the linear program would have more than 2^31 coefficients");
    struct batch batch = {.n = 0};
    batch.start = cw_new_array(n + 1, sizeof *batch.start, "linear program");
    batch.index = cw_new_array(n_values, sizeof *batch.index, "linear program");
    batch.value = cw_new_array(n_values, sizeof *batch.value, "linear program");
    batch.lower = cw_new_array(n, sizeof *batch.lower, "linear program");
    batch.upper = cw_new_array(n, sizeof *batch.upper, "linear program");
    batch.cost = cw_new_array(n, sizeof *batch.cost, "linear program");
    if (!batch.start || !batch.index || !batch.value || !batch.lower || !batch.upper || !batch.cost) {
        free_batch(&batch);
        return CW_ENOMEM;
    }
    *out = batch;
    return 0;
}

static void put_value(struct batch *batch, size_t index, double value)
{
    batch->index[batch->n_values] = (int)index;
    batch->value[batch->n_values++] = value;
}

static void close_item(struct batch *batch, double lower, double upper)
{
    batch->lower[batch->n] = lower;
    batch->upper[batch->n] = upper;
    batch->start[++batch->n] = (int)batch->n_values;
}

static struct cw_clp_items items_of(const struct batch *batch)
{
    return (struct cw_clp_items){.n = (int)batch->n,
                                 .lower = batch->lower,
                                 .upper = batch->upper,
                                 .cost = batch->cost,
                                 .start = batch->start,
                                 .index = batch->index,
                                 .value = batch->value};
}

/* Gives BATCH to CLP as rows or columns, and frees it. */
static int give_rows(struct cw_master *master, struct batch *batch)
{
    const struct cw_clp_items items = items_of(batch);
    const int rc = cw_clp_add_rows(master->model, &items);
    free_batch(batch);
    return rc;
}

static int give_columns(struct cw_master *master, struct batch *batch)
{
    const struct cw_clp_items items = items_of(batch);
    const int rc = cw_clp_add_columns(master->model, &items);
    free_batch(batch);
    return rc;
}

/* The rows of the demands, and the column of u. Its cost is the number of demands, so that what a demand pays is near 1
 * and CLP's absolute tolerance small against it. */
static int add_frame(struct cw_master *master)
{
    const size_t n_demands = master->columns->problem->demands->n;
    struct batch batch;
    int rc = make_batch(n_demands, 0, &batch);
    if (rc) return rc;
    for (size_t d = 0; d < n_demands; d++) close_item(&batch, 1, 1);
    rc = give_rows(master, &batch);
    if (rc == 0) rc = make_batch(1, 0, &batch);
    if (rc) return rc;
    close_item(&batch, 0, INFINITY);
    batch.cost[0] = (double)n_demands;
    return give_columns(master, &batch);
}

/* The coefficient of COLUMN in the row of its channel K; 0: none. What a demand of bytes takes beside one of terabytes
 * is less than what the solver takes for nothing; scaled to be seen, it would spoil what the others get. */
static double coefficient(const struct cw_master *master, const struct cw_path_column *column, uint32_t k)
{
    const struct cw_columns *columns = master->columns;
    const uint32_t c = columns->channels[column->begin + k];
    if (master->row[c] == CW_NONE) return 0;
    const double once = columns->amount[column->demand] * columns->inverse_capacity[c];
    return once > NOTHING ? cw_columns_times(columns, column, k) * once : 0;
}

/* Adds the members from FIRST on to the model. */
static int add_members(struct cw_master *master, size_t first)
{
    const struct cw_columns *columns = master->columns;
    size_t n_values = 0;
    for (size_t i = first; i < master->n_members; i++) n_values += 1 + columns->items[master->member[i]].n;
    struct batch batch;
    const int rc = make_batch(master->n_members - first, n_values, &batch);
    if (rc) return rc;
    for (size_t i = first; i < master->n_members; i++) {
        const struct cw_path_column *column = &columns->items[master->member[i]];
        put_value(&batch, column->demand, 1);
        for (uint32_t k = 0; k < column->n; k++) {
            const double value = coefficient(master, column, k);
            if (value > 0) put_value(&batch, master->row[columns->channels[column->begin + k]], value);
        }
        close_item(&batch, 0, INFINITY);
    }
    return give_columns(master, &batch);
}

/* Counts, or with AT writes, the entries of members in the rows from FIRST on. */
static void each_entry(const struct cw_master *master, size_t first, size_t *count, size_t *at, struct batch *batch)
{
    const struct cw_columns *columns = master->columns;
    const size_t base = columns->problem->demands->n + first;
    for (size_t i = 0; i < master->n_members; i++) {
        const struct cw_path_column *column = &columns->items[master->member[i]];
        for (uint32_t k = 0; k < column->n; k++) {
            const double value = coefficient(master, column, k);
            const size_t at_row = master->row[columns->channels[column->begin + k]];
            if (!(value > 0) || at_row < base) continue;
            const size_t row = at_row - base;
            if (count) {
                count[row]++;
                continue;
            }
            batch->index[at[row]] = (int)i + 1;
            batch->value[at[row]++] = value;
        }
    }
}

/* Adds the rows of the channels from FIRST on to the model. */
static int add_rows(struct cw_master *master, size_t first)
{
    const size_t n = master->n_rows - first;
    size_t *at = cw_new_array(n, sizeof *at, "linear program");
    if (!at) return CW_ENOMEM;
    each_entry(master, first, at, NULL, NULL);
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t entries = at[i] + 1; /* with that of u */
        at[i] = n_values;
        n_values += entries;
    }
    struct batch batch;
    int rc = make_batch(n, n_values, &batch);
    if (rc == 0) {
        for (size_t i = 0; i < n; i++) {
            batch.n_values = at[i];
            put_value(&batch, 0, -1);
            at[i]++;
            batch.n_values = i + 1 < n ? at[i + 1] : n_values;
            close_item(&batch, -INFINITY, 0);
        }
        each_entry(master, first, NULL, at, &batch);
        rc = give_rows(master, &batch);
    }
    free(at);
    return rc;
}

/* Gives a row to every channel without one that is loaded more than LIMIT (of its capacity). */
static int limit_channels(struct cw_master *master, double limit, bool *added)
{
    const struct cw_columns *columns = master->columns;
    const size_t first = master->n_rows;
    for (uint32_t c = 0; c < columns->problem->net->n_channels; c++) {
        if (master->row[c] != CW_NONE || !(master->load[c] * columns->inverse_capacity[c] > limit)) continue;
        master->row[c] = (uint32_t)(columns->problem->demands->n + master->n_rows);
        master->channel[master->n_rows++] = c;
    }
    *added = master->n_rows > first;
    return *added ? add_rows(master, first) : 0;
}

static int add_member(struct cw_master *master, uint32_t column)
{
    const int rc = cw_grow_array((void **)&master->member, &master->members_capacity, master->n_members + 1,
                                 sizeof *master->member, "linear program");
    if (rc) return rc;
    master->member[master->n_members++] = column;
    master->is_member[column] = true;
    return 0;
}

/* Makes room for what the pool has grown by. */
static int grow_is_member(struct cw_master *master)
{
    const size_t before = master->is_member_capacity;
    const int rc = cw_grow_array((void **)&master->is_member, &master->is_member_capacity, master->columns->n,
                                 sizeof *master->is_member, "linear program");
    if (rc == 0 && master->is_member_capacity > before)
        memset(master->is_member + before, 0, (master->is_member_capacity - before) * sizeof *master->is_member);
    return rc;
}

static int fill_master(struct cw_master *master)
{
    int rc = grow_is_member(master);
    for (size_t j = 0; j < master->columns->n && rc == 0; j++)
        if (master->columns->items[j].flow > 0) rc = add_member(master, (uint32_t)j);
    if (rc == 0) rc = add_frame(master);
    if (rc == 0) rc = add_members(master, 0);
    if (rc) return rc;
    bool added;
    const double most = cw_columns_load(master->columns, master->load);
    return limit_channels(master, BUSY * most, &added);
}

int cw_master_make(struct cw_columns *columns, struct cw_master *out)
{
    const size_t n_channels = columns->problem->net->n_channels;
    struct cw_master master = {.columns = columns};
    master.row = cw_new_array(n_channels, sizeof *master.row, "linear program");
    master.channel = cw_new_array(n_channels, sizeof *master.channel, "linear program");
    master.load = cw_new_array(n_channels, sizeof *master.load, "linear program");
    int rc = master.row && master.channel && master.load ? 0 : CW_ENOMEM;
    if (rc == 0) rc = cw_clp_new(TOLERANCE, &master.model);
    if (rc == 0) {
        for (size_t c = 0; c < n_channels; c++) master.row[c] = CW_NONE;
        rc = fill_master(&master);
    }
    if (rc == 0)
        *out = master;
    else
        cw_master_free(&master);
    return rc;
}

void cw_master_free(struct cw_master *master)
{
    if (!master) return;
    cw_clp_free(master->model);
    free(master->row);
    free(master->channel);
    free(master->member);
    free(master->is_member);
    free(master->load);
    *master = (struct cw_master){0};
}

int cw_master_add_columns(struct cw_master *master, const double *length, const double *distance, size_t *added)
{
    const struct cw_columns *columns = master->columns;
    const size_t first = master->n_members;
    int rc = grow_is_member(master);
    for (size_t j = 0; j < columns->n && rc == 0; j++) {
        if (master->is_member[j]) continue;
        const struct cw_path_column *column = &columns->items[j];
        double sum = 0;
        for (uint32_t k = 0; k < column->n; k++) sum += length[columns->channels[column->begin + k]];
        if (sum < distance[column->demand] * (1 - REDUCED)) rc = add_member(master, (uint32_t)j);
    }
    if (rc) return rc;
    *added = master->n_members - first;
    return *added > 0 ? add_members(master, first) : 0;
}

/* Makes the flows of the columns the model's solution, from which a values pass starts. */
static int start_from_flows(struct cw_master *master)
{
    const struct cw_columns *columns = master->columns;
    const size_t n_columns = master->n_members + 1, n_rows = columns->problem->demands->n + master->n_rows;
    double *solution = cw_new_array(n_columns, sizeof *solution, "linear program");
    unsigned char *status = cw_new_array(n_columns + n_rows, sizeof *status, "linear program");
    int rc = solution && status ? 0 : CW_ENOMEM;
    if (rc == 0) {
        solution[0] = cw_columns_load(columns, master->load);
        memset(status, CW_CLP_SUPERBASIC, n_columns);
        memset(status + n_columns, CW_CLP_BASIC, n_rows);
        for (size_t i = 1; i < n_columns; i++) {
            const struct cw_path_column *column = &columns->items[master->member[i - 1]];
            solution[i] = column->flow / columns->amount[column->demand];
            if (!(column->flow > 0)) status[i] = CW_CLP_AT_LOWER;
        }
        rc = cw_clp_start(master->model, solution, status);
    }
    free(solution);
    free(status);
    return rc;
}

static int run_clp(struct cw_master *master, double deadline, enum cw_clp_end *end)
{
    const double left = deadline - cw_stopwatch_now();
    *end = CW_CLP_GAVE_UP;
    return left > 0 ? cw_clp_solve(master->model, left, end) : 0;
}

/* The load of every channel, with or without a row. */
static void take_load(struct cw_master *master)
{
    const struct cw_columns *columns = master->columns;
    const double *share = cw_clp_solution(master->model);
    memset(master->load, 0, columns->problem->net->n_channels * sizeof *master->load);
    for (size_t i = 0; i < master->n_members; i++) {
        if (!(share[i + 1] > 0)) continue;
        const struct cw_path_column *column = &columns->items[master->member[i]];
        const double flow = share[i + 1] * columns->amount[column->demand];
        for (uint32_t k = 0; k < column->n; k++) master->load[columns->channels[column->begin + k]] += flow;
    }
}

int cw_master_solve(struct cw_master *master, double deadline, bool *solved)
{
    for (bool added = true; added;) {
        enum cw_clp_end end;
        int rc = start_from_flows(master);
        if (rc == 0) rc = run_clp(master, deadline, &end);
        if (rc) return rc;
        *solved = end == CW_CLP_OPTIMAL;
        if (!*solved) return 0;
        take_load(master);
        rc = limit_channels(master, cw_clp_solution(master->model)[0] * (1 + OVERLOAD), &added);
        if (rc) return rc;
    }
    return 0;
}

/* Minimises the PRICE [channels] of all flow, with u as it is. */
static int change_objective(struct cw_master *master, const double *price, double most,
                            const struct cw_progress_part *progress)
{
    const struct cw_columns *columns = master->columns;
    const size_t n = master->n_members + 1;
    size_t used = 0;
    double *cost = cw_new_array(n, sizeof *cost, "linear program");
    double *upper = cw_new_array(n, sizeof *upper, "linear program");
    int rc = cost && upper ? 0 : CW_ENOMEM;
    if (rc == 0) {
        upper[0] = most;
        for (size_t i = 1; i < n; i++) {
            const struct cw_path_column *column = &columns->items[master->member[i - 1]];
            for (uint32_t k = 0; k < column->n; k++) cost[i] += price[columns->channels[column->begin + k]];
            cost[i] *= columns->amount[column->demand];
            upper[i] = INFINITY;
            used += column->flow > 0;
        }
        rc = cw_clp_change(master->model, cost, upper, (int)used + ITERATIONS, progress);
    }
    free(cost);
    free(upper);
    return rc;
}

int cw_master_shorten(struct cw_master *master, const double *price, double most, double deadline,
                      const struct cw_progress_part *progress, enum cw_clp_end *end)
{
    for (bool added = true; added;) {
        int rc = change_objective(master, price, most, progress);
        if (rc == 0) rc = start_from_flows(master);
        if (rc == 0) rc = run_clp(master, deadline, end);
        if (rc || *end == CW_CLP_GAVE_UP) return rc;
        take_load(master);
        rc = limit_channels(master, most * (1 + OVERLOAD), &added);
        if (rc) return rc;
    }
    return 0;
}

bool cw_master_flows(const struct cw_master *master, double *flow)
{
    const struct cw_columns *columns = master->columns;
    const size_t n_demands = columns->problem->demands->n;
    const double *share = cw_clp_solution(master->model);
    memset(flow, 0, columns->n * sizeof *flow);
    for (size_t i = 0; i < master->n_members; i++) flow[master->member[i]] = fmax(share[i + 1], 0);
    for (size_t d = 0; d < n_demands; d++) {
        double sum = 0;
        for (uint32_t j = columns->first[d]; j != CW_NONE; j = columns->items[j].next) sum += flow[j];
        if (!(sum > 0.5 && sum < 2)) return false;
        for (uint32_t j = columns->first[d]; j != CW_NONE; j = columns->items[j].next)
            flow[j] *= columns->amount[d] / sum;
    }
    return true;
}

void cw_master_duals(const struct cw_master *master, double *length, double *distance)
{
    const struct cw_columns *columns = master->columns;
    const size_t n_demands = columns->problem->demands->n;
    const double *price = cw_clp_prices(master->model);
    memset(length, 0, columns->problem->net->n_channels * sizeof *length);
    for (size_t i = 0; i < master->n_rows; i++) {
        const uint32_t c = master->channel[i];
        length[c] = fmax(-price[n_demands + i], 0) * columns->inverse_capacity[c];
    }
    for (size_t d = 0; d < n_demands; d++) distance[d] = price[d] / columns->amount[d];
}
