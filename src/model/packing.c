/*
 * One step of the method, with step sizes 1 / (sum of a row) for sources and 1 / (sum of a column) for channels:
 *
 *     x' = x + (worth - use · y) / row sum, kept in [0, limit]
 *     y' = y + (useᵀ · (2x' - x) - 1) / column sum, kept ≥ 0
 *
 * Worths are scaled to a mean of 1, so that x and y are of about the same size.
 */
#include "model/packing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#define CHUNKS       64        /* of rows, and of columns, for threads */
#define MANY_ENTRIES (1 << 16) /* for which threads pay */
#define AGREEMENT    1e-5
#define MOST_STEPS   200000
#define MOST_WORK    2e9 /* entries looked at */
#define CHECK_STEPS  40  /* from one look at the bounds to the next */
#define PROGRESS     0.3 /* a restart is due when the gap has shrunk to this share … */
#define PATIENCE     0.4 /* … or after this share of all steps */

struct search {
    const struct cw_packing *of;
    double limit, scale; /* of worths */
    unsigned n_threads;
    size_t *first; /* [n_columns + 1] the entries by column: */
    uint32_t *row;
    double *load;                       /* of all the row's sources at x = 1 */
    double *x, *ahead, *x_sum, *x_step; /* [n_rows]; `ahead` is 2x' - x */
    double *y, *y_sum, *y_step;         /* [n_columns] */
    double *x_mean, *y_mean;
    const double *x_tried, *y_tried;                                    /* of which the bounds are wanted */
    double worth[CHUNKS], rest[CHUNKS], price[CHUNKS], busiest[CHUNKS]; /* of the chunks, of those tried */
    struct cw_packing_bound best;
};

struct span {
    size_t begin, end;
};

static struct span chunk_of(size_t n, size_t chunk)
{
    return (struct span){n * chunk / CHUNKS, n * (chunk + 1) / CHUNKS};
}

/* --- products ----------------------------------------------------------------------------------------------------- */

static double priced(const struct cw_packing *of, size_t row, const double *y)
{
    double sum = 0;
    for (size_t i = of->first[row]; i < of->first[row + 1]; i++) sum += of->use[i] * y[of->column[i]];
    return sum;
}

static double loaded(const struct search *search, size_t column, const double *x)
{
    double sum = 0;
    for (size_t i = search->first[column]; i < search->first[column + 1]; i++)
        sum += search->load[i] * x[search->row[i]];
    return sum;
}

static int step_rows(void *context, size_t chunk, unsigned thread)
{
    (void)thread;
    struct search *search = context;
    const struct span span = chunk_of(search->of->n_rows, chunk);
    for (size_t r = span.begin; r < span.end; r++) {
        const double gain = search->of->worth[r] * search->scale - priced(search->of, r, search->y);
        const double x = fmin(fmax(search->x[r] + search->x_step[r] * gain, 0), search->limit);
        search->ahead[r] = 2 * x - search->x[r];
        search->x_sum[r] += x;
        search->x[r] = x;
    }
    return 0;
}

static int step_columns(void *context, size_t chunk, unsigned thread)
{
    (void)thread;
    struct search *search = context;
    const struct span span = chunk_of(search->of->n_columns, chunk);
    for (size_t c = span.begin; c < span.end; c++) {
        const double excess = loaded(search, c, search->ahead) - 1;
        search->y[c] = fmax(search->y[c] + search->y_step[c] * excess, 0);
        search->y_sum[c] += search->y[c];
    }
    return 0;
}

static int try_rows(void *context, size_t chunk, unsigned thread)
{
    (void)thread;
    struct search *search = context;
    const struct cw_packing *of = search->of;
    const struct span span = chunk_of(of->n_rows, chunk);
    double worth = 0, rest = 0;
    for (size_t r = span.begin; r < span.end; r++) {
        const double each = of->worth[r] * search->scale;
        worth += of->count[r] * each * search->x_tried[r];
        rest += of->count[r] * fmax(each - priced(of, r, search->y_tried), 0);
    }
    search->worth[chunk] = worth;
    search->rest[chunk] = rest;
    return 0;
}

static int try_columns(void *context, size_t chunk, unsigned thread)
{
    (void)thread;
    struct search *search = context;
    const struct span span = chunk_of(search->of->n_columns, chunk);
    double price = 0, busiest = 0;
    for (size_t c = span.begin; c < span.end; c++) {
        price += search->y_tried[c];
        busiest = fmax(busiest, loaded(search, c, search->x_tried));
    }
    search->price[chunk] = price;
    search->busiest[chunk] = busiest;
    return 0;
}

static int each_chunk(struct search *search, cw_task *task)
{
    return cw_parallel_for(search->n_threads, CHUNKS, task, search);
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

/* Both bounds of sources X and prices Y, the first if each source sends less in proportion until none overloads a
 * channel. Keeps the best; GAP is what is between the two. */
static int try_both(struct search *search, const double *x, const double *y, double *gap)
{
    search->x_tried = x;
    search->y_tried = y;
    int rc = each_chunk(search, try_rows);
    if (!rc) rc = each_chunk(search, try_columns);
    if (rc) return rc;
    double worth = 0, most = 0, busiest = 1;
    for (size_t i = 0; i < CHUNKS; i++) {
        worth += search->worth[i];
        most += search->limit * search->rest[i] + search->price[i];
        busiest = fmax(busiest, search->busiest[i]);
    }
    search->best.most = fmin(search->best.most, most);
    search->best.reached = fmax(search->best.reached, worth / busiest);
    *gap = most - worth / busiest;
    return 0;
}

static bool is_found(const struct search *search)
{
    return search->best.most - search->best.reached <= AGREEMENT * search->best.most;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* All sources send alike, as much as the busiest channel lets them, and only the busiest channels have a price: if all
 * sources use these alike, that is the optimum. */
static int begin(struct search *search)
{
    const struct cw_packing *of = search->of;
    double all = 0, busiest = 0, n_busiest = 0, gap;
    for (size_t r = 0; r < of->n_rows; r++) all += of->count[r] * of->worth[r] * search->scale;
    for (size_t c = 0; c < of->n_columns; c++) busiest = fmax(busiest, 1 / search->y_step[c]);
    for (size_t c = 0; c < of->n_columns; c++) n_busiest += 1 / search->y_step[c] >= busiest * (1 - 1e-9);
    for (size_t r = 0; r < of->n_rows; r++) search->x[r] = fmin(1 / busiest, search->limit);
    search->best.most = search->limit * all; /* without prices */
    int rc = try_both(search, search->x, search->y, &gap);
    for (size_t c = 0; c < of->n_columns; c++)
        search->y[c] = 1 / search->y_step[c] >= busiest * (1 - 1e-9) ? all / (n_busiest * busiest) : 0;
    if (!rc) rc = try_both(search, search->x, search->y, &gap);
    return rc;
}

static void restart(struct search *search, bool at_mean)
{
    for (size_t r = 0; r < search->of->n_rows; r++) {
        if (at_mean) search->x[r] = search->x_mean[r];
        search->x_sum[r] = 0;
    }
    for (size_t c = 0; c < search->of->n_columns; c++) {
        if (at_mean) search->y[c] = search->y_mean[c];
        search->y_sum[c] = 0;
    }
}

static void find_means(struct search *search, size_t steps)
{
    for (size_t r = 0; r < search->of->n_rows; r++) search->x_mean[r] = search->x_sum[r] / (double)steps;
    for (size_t c = 0; c < search->of->n_columns; c++) search->y_mean[c] = search->y_sum[c] / (double)steps;
}

static int improve(struct search *search)
{
    const double per_step = 2 * (double)search->of->first[search->of->n_rows] + 1;
    const size_t most_steps = (size_t)fmin(MOST_STEPS, MOST_WORK / per_step) + CHECK_STEPS;
    double gap_before = INFINITY;
    int rc = 0;
    for (size_t step = 1, since = 1; !rc && step <= most_steps && !is_found(search); step++, since++) {
        double gap_of_mean = 0, gap = 0;
        rc = each_chunk(search, step_rows);
        if (!rc) rc = each_chunk(search, step_columns);
        if (rc || step % CHECK_STEPS != 0) continue;
        find_means(search, since);
        rc = try_both(search, search->x_mean, search->y_mean, &gap_of_mean);
        if (!rc) rc = try_both(search, search->x, search->y, &gap);
        const double least = fmin(gap, gap_of_mean);
        if (least > PROGRESS * gap_before && (double)since < PATIENCE * (double)step) continue;
        restart(search, gap_of_mean < gap);
        gap_before = least;
        since = 0;
    }
    return rc;
}

/* --- around it ---------------------------------------------------------------------------------------------------- */

/* The entries by column, and the step sizes. */
static void transpose(struct search *search)
{
    const struct cw_packing *of = search->of;
    for (size_t i = 0; i < of->first[of->n_rows]; i++) search->first[of->column[i] + 2]++;
    for (size_t c = 0; c < of->n_columns; c++) search->first[c + 2] += search->first[c + 1];
    for (size_t r = 0; r < of->n_rows; r++)
        for (size_t i = of->first[r]; i < of->first[r + 1]; i++) {
            const size_t at = search->first[of->column[i] + 1]++;
            search->row[at] = (uint32_t)r;
            search->load[at] = of->count[r] * of->use[i];
        }
    for (size_t r = 0; r < of->n_rows; r++) {
        double sum = 0;
        for (size_t i = of->first[r]; i < of->first[r + 1]; i++) sum += of->use[i];
        search->x_step[r] = sum > 0 ? 1 / sum : INFINITY;
    }
    for (size_t c = 0; c < of->n_columns; c++) {
        double sum = 0;
        for (size_t i = search->first[c]; i < search->first[c + 1]; i++) sum += search->load[i];
        search->y_step[c] = sum > 0 ? 1 / sum : INFINITY;
    }
}

static int search_new(struct search *search)
{
    static const char what[] = "prices of channels";
    const size_t n_rows = search->of->n_rows, n_columns = search->of->n_columns;
    const size_t n_entries = search->of->first[n_rows];
    double **const by_row[] = {&search->x, &search->ahead, &search->x_sum, &search->x_step, &search->x_mean};
    double **const by_column[] = {&search->y, &search->y_sum, &search->y_step, &search->y_mean};
    bool complete = true;
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        complete = (*by_row[i] = cw_new_array(n_rows, sizeof(double), what)) && complete;
    for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++)
        complete = (*by_column[i] = cw_new_array(n_columns, sizeof(double), what)) && complete;
    search->first = cw_new_array(n_columns + 2, sizeof *search->first, what);
    search->row = cw_new_array(n_entries, sizeof *search->row, what);
    search->load = cw_new_array(n_entries, sizeof *search->load, what);
    return complete && search->first && search->row && search->load ? 0 : CW_ENOMEM;
}

static void search_free(struct search *search)
{
    double *const all[] = {search->x, search->ahead, search->x_sum,  search->x_step, search->x_mean,
                           search->y, search->y_sum, search->y_step, search->y_mean, search->load};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(search->first);
    free(search->row);
}

int cw_packing_bound(const struct cw_packing *packing, double limit, unsigned n_threads, struct cw_packing_bound *out)
{
    double sources = 0, worth = 0;
    for (size_t r = 0; r < packing->n_rows; r++) {
        sources += packing->count[r];
        worth += packing->count[r] * packing->worth[r];
    }
    if (packing->n_columns == 0 || packing->n_rows == 0) {
        *out = (struct cw_packing_bound){limit * worth, limit * worth};
        return 0;
    }
    struct search search = {.of = packing,
                            .limit = limit,
                            .scale = sources / worth,
                            .n_threads = packing->first[packing->n_rows] < MANY_ENTRIES ? 1 : n_threads};
    int rc = search_new(&search);
    if (!rc) {
        transpose(&search);
        rc = begin(&search);
    }
    if (!rc) rc = improve(&search);
    if (!rc) *out = (struct cw_packing_bound){search.best.most / search.scale, search.best.reached / search.scale};
    search_free(&search);
    return rc;
}

void cw_packing_free(struct cw_packing *packing)
{
    free(packing->first);
    free(packing->column);
    free(packing->use);
    free(packing->worth);
    free(packing->count);
    *packing = (struct cw_packing){0};
}
