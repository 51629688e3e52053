/*
 * Switches are divided among a fixed number of parts, each gone through in order and then put together in order, so
 * that the result does not depend on threads.
 */
#include "model/link_shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"

#define MOST_PARTS 64
#define MOST_LOADS (UINT64_C(1) << 25) /* numbers that all parts may have together */
#define MOST_WALKS (UINT64_C(1) << 33) /* of all parts: minutes */

/* What is found of some switches. */
struct part {
    double *load; /* [channels] byte/s */
    struct cw_link_sums sums;
    uint64_t walks;
    struct cw_packing rows;
    size_t room_rows, room_entries; /* of its arrays */
};

struct enumeration {
    const struct cw_batches *batches;
    const struct cw_network *net;
    uint32_t n_parts;
    struct part *parts;
    const uint32_t *column_of;
    uint32_t n_columns;
    double bandwidth;
    uint64_t most; /* entries of rows, of all parts */
};

/* What a part needs while it is gone through. */
struct bench {
    struct cw_batch batch;
    uint32_t ranks_left; /* of the part, from this batch on */
    double *use;         /* [CW_BATCH · columns] rows under construction, 0 between batches; */
    double *common;      /* [columns] their common part */
    /* Most batches use few of many columns. */
    uint64_t *is_used; /* [columns / 64 + 1] a bit for each: the batch uses it */
    uint32_t *used;    /* [n_used] these columns, ascending */
    uint32_t n_used;
};

/* --- parts -------------------------------------------------------------------------------------------------------- */

typedef int batch_task(const struct enumeration *of, struct bench *bench, struct part *part);

/* Every n_parts-th switch: neighbours in number often have about as much to do. */
static int for_batches(const struct enumeration *of, size_t part, struct bench *bench, batch_task *task)
{
    const uint32_t n_switches = cw_network_switches(of->net), *first = of->batches->first;
    int rc = 0;
    bench->ranks_left = 0;
    for (uint32_t sw = (uint32_t)part; sw < n_switches; sw += of->n_parts)
        bench->ranks_left += first[sw + 1] - first[sw];
    for (uint32_t sw = (uint32_t)part; !rc && sw < n_switches; sw += of->n_parts) {
        uint32_t at = first[sw];
        bool more = true;
        while (!rc && more) {
            rc = cw_interrupt_check();
            if (!rc) rc = cw_batch_next(of->batches, sw, &at, &bench->batch, &more);
            if (rc || !more) break;
            rc = task(of, bench, &of->parts[part]);
            bench->ranks_left -= bench->batch.n_ranks;
        }
    }
    return rc;
}

static int enumerate(struct enumeration *of, unsigned n_threads, cw_task *task)
{
    const uint32_t n_channels = of->net->n_channels, n_switches = cw_network_switches(of->net);
    const uint64_t parts = n_channels > 0 ? MOST_LOADS / n_channels : 1;
    of->n_parts = parts > MOST_PARTS ? MOST_PARTS : parts > 0 ? (uint32_t)parts : 1;
    if (of->n_parts > n_switches) of->n_parts = n_switches > 0 ? n_switches : 1;
    of->parts = cw_new_array(of->n_parts, sizeof *of->parts, "link loads");
    return of->parts ? cw_parallel_for(n_threads, of->n_parts, task, of) : CW_ENOMEM;
}

static void enumeration_free(struct enumeration *of)
{
    for (uint32_t part = 0; of->parts && part < of->n_parts; part++) {
        free(of->parts[part].load);
        cw_packing_free(&of->parts[part].rows);
    }
    free(of->parts);
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

static int count_walks(const struct enumeration *of, struct bench *bench, struct part *part)
{
    for (size_t k = 0; k < bench->batch.n_targets; k++)
        part->walks += cw_batch_choices(of->batches, &bench->batch, bench->batch.targets[k]);
    return 0;
}

/* Refuses what would take too long before the part has begun. */
static int check_walks(const struct enumeration *of, size_t part, struct bench *bench)
{
    const int rc = for_batches(of, part, bench, count_walks);
    if (rc || of->parts[part].walks <= MOST_WALKS / of->n_parts) return rc;
    return cw_fail(CW_ELIMIT, "link loads of %s under %s take more than %" PRIu64 " walks through the network",
                   cw_packet_routing_name(of->batches->routing), cw_workload_spec(of->batches->workload), MOST_WALKS);
}

static int add_loads(const struct enumeration *of, struct bench *bench, struct part *part)
{
    struct cw_batch *batch = &bench->batch;
    int rc = 0;
    for (size_t k = 0; !rc && k < batch->n_targets; k++) {
        const uint32_t dst = batch->targets[k];
        rc = cw_batch_walk(of->batches, dst, batch);
        part->sums.by_queues |= cw_batch_choices(of->batches, batch, dst) == 0;
        for (size_t i = 1; i < batch->ways.n; i++)
            part->load[batch->ways.channels[i]] += batch->towards[dst] * batch->ways.shares[i];
    }
    for (uint32_t i = 0; i < batch->n_ranks; i++) {
        const uint32_t channel = cw_batch_host_channel(of->batches, batch->ranks[i]);
        if (batch->traffic[i] <= 0) continue;
        part->load[channel] += batch->traffic[i];
        part->sums.traffic += batch->traffic[i];
        part->sums.bandwidth += of->net->capacity[channel];
    }
    return rc;
}

static int sum_part(void *context, size_t part, unsigned thread)
{
    (void)thread;
    const struct enumeration *of = context;
    struct bench bench = {0};
    int rc = cw_batch_new(of->batches, false, &bench.batch);
    if (rc) return rc;
    of->parts[part].load = cw_new_array(of->net->n_channels, sizeof(double), "link loads");
    rc = of->parts[part].load ? check_walks(of, part, &bench) : CW_ENOMEM;
    if (!rc) rc = for_batches(of, part, &bench, add_loads);
    cw_batch_free(&bench.batch);
    return rc;
}

int cw_link_shares_sum(const struct cw_batches *batches, unsigned n_threads, double *load, struct cw_link_sums *sums)
{
    struct enumeration of = {.batches = batches, .net = batches->net};
    const int rc = enumerate(&of, n_threads, sum_part);
    struct cw_link_sums all = {0};
    for (uint32_t part = 0; !rc && part < of.n_parts; part++) {
        for (uint32_t c = 0; c < of.net->n_channels; c++) load[c] += of.parts[part].load[c];
        all.bandwidth += of.parts[part].sums.bandwidth;
        all.traffic += of.parts[part].sums.traffic;
        all.by_queues |= of.parts[part].sums.by_queues;
    }
    for (uint32_t c = 0; !rc && c < of.net->n_channels; c++)
        if (!cw_network_is_closed(of.net, c)) load[c] /= of.net->capacity[c];
    enumeration_free(&of);
    if (!rc) *sums = all;
    return rc;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* The use that rank number I of the batch makes of the columns. */
static double *use_of(const struct enumeration *of, const struct bench *bench, uint32_t i)
{
    return bench->use + (size_t)i * of->n_columns;
}

static void add_use(const struct enumeration *of, struct bench *bench, uint32_t channel, double rate, double *use)
{
    const uint32_t column = of->column_of[channel];
    if (column == CW_NONE) return;
    use[column] += rate / of->net->capacity[channel];
    bench->is_used[column / 64] |= UINT64_C(1) << column % 64;
}

/* Adds what RATE towards the target at hand puts on its steps. */
static void add_steps(const struct enumeration *of, struct bench *bench, double rate, double *use)
{
    const struct cw_batch *batch = &bench->batch;
    for (size_t i = 1; rate > 0 && i < batch->ways.n; i++)
        add_use(of, bench, batch->ways.channels[i], rate * batch->ways.shares[i], use);
}

/* Makes a list of the bits, and clears them. */
static void list_used(const struct enumeration *of, struct bench *bench)
{
    bench->n_used = 0;
    for (uint32_t word = 0; word <= of->n_columns / 64; word++) {
        for (uint64_t bits = bench->is_used[word]; bits != 0; bits &= bits - 1)
            bench->used[bench->n_used++] = 64 * word + (uint32_t)__builtin_ctzll(bits);
        bench->is_used[word] = 0;
    }
}

/* Fills in the use of all ranks of the batch. What all of them send to a target is added up once, in `common`. */
static int find_use(const struct enumeration *of, struct bench *bench)
{
    struct cw_batch *batch = &bench->batch;
    int rc = 0;
    for (size_t k = 0; !rc && k < batch->n_targets; k++) {
        const double *each = batch->each + (size_t)batch->targets[k] * CW_BATCH;
        double least = each[0];
        for (uint32_t i = 1; i < batch->n_ranks; i++) least = fmin(least, each[i]);
        rc = cw_batch_walk(of->batches, batch->targets[k], batch);
        add_steps(of, bench, least, bench->common);
        for (uint32_t i = 0; i < batch->n_ranks; i++) add_steps(of, bench, each[i] - least, use_of(of, bench, i));
    }
    for (uint32_t i = 0; i < batch->n_ranks; i++)
        add_use(of, bench, cw_batch_host_channel(of->batches, batch->ranks[i]), batch->traffic[i],
                use_of(of, bench, i));
    list_used(of, bench);
    for (uint32_t i = 0; i < batch->n_ranks; i++) {
        double *use = use_of(of, bench, i);
        for (uint32_t k = 0; k < bench->n_used; k++) use[bench->used[k]] += bench->common[bench->used[k]];
    }
    return rc;
}

/* True if rank number I of the batch is not like the one before. */
static bool is_new(const struct enumeration *of, const struct bench *bench, uint32_t i)
{
    if (i == 0 || bench->batch.traffic[i] != bench->batch.traffic[i - 1]) return true;
    const double *use = use_of(of, bench, i), *before = use_of(of, bench, i - 1);
    for (uint32_t k = 0; k < bench->n_used; k++)
        if (use[bench->used[k]] != before[bench->used[k]]) return true;
    return false;
}

/* Grows the arrays for another row, with at most so many ENTRIES. */
static int make_room(struct part *part, size_t entries)
{
    struct cw_packing *rows = &part->rows;
    size_t for_first = part->room_rows, for_worth = for_first, for_count = for_first, for_column = part->room_entries,
           for_use = for_column;
    void *first = rows->first, *worth = rows->worth, *count = rows->count, *column = rows->column, *use = rows->use;
    const char *const what = "loads of ranks";
    int rc = cw_grow_array(&first, &for_first, rows->n_rows + 2, sizeof *rows->first, what);
    if (!rc) rc = cw_grow_array(&worth, &for_worth, rows->n_rows + 2, sizeof *rows->worth, what);
    if (!rc) rc = cw_grow_array(&count, &for_count, rows->n_rows + 2, sizeof *rows->count, what);
    if (!rc) rc = cw_grow_array(&column, &for_column, entries, sizeof *rows->column, what);
    if (!rc) rc = cw_grow_array(&use, &for_use, entries, sizeof *rows->use, what);
    rows->first = first;
    rows->worth = worth;
    rows->count = count;
    rows->column = column;
    rows->use = use;
    if (rc) return rc;
    part->room_rows = for_count;
    part->room_entries = for_use;
    rows->first[0] = 0;
    return 0;
}

/* Appends rank number I of the batch as a row with the first MOST of its entries. */
static int append_row(const struct enumeration *of, const struct bench *bench, uint32_t i, size_t most,
                      struct part *part)
{
    struct cw_packing *rows = &part->rows;
    const double *use = use_of(of, bench, i);
    size_t end = rows->n_rows > 0 ? rows->first[rows->n_rows] : 0;
    const size_t limit = end + (most < bench->n_used ? most : bench->n_used);
    const int rc = make_room(part, limit + 1);
    if (rc) return rc;
    for (uint32_t k = 0; k < bench->n_used && end < limit; k++) {
        const uint32_t c = bench->used[k];
        if (use[c] <= 0) continue;
        rows->column[end] = c;
        rows->use[end++] = use[c];
    }
    rows->worth[rows->n_rows] = bench->batch.traffic[i] / of->bandwidth;
    rows->count[rows->n_rows] = 1;
    rows->first[++rows->n_rows] = end;
    return 0;
}

/* A batch may have as much of the entries that are left as it has of the ranks. */
static int add_rows(const struct enumeration *of, struct bench *bench, struct part *part)
{
    const struct cw_batch *batch = &bench->batch;
    struct cw_packing *rows = &part->rows;
    const size_t used = rows->n_rows > 0 ? rows->first[rows->n_rows] : 0;
    size_t n_new = 0;
    int rc = of->n_columns > 0 ? find_use(of, bench) : 0;
    for (uint32_t i = 0; i < batch->n_ranks; i++) n_new += is_new(of, bench, i);
    const size_t most = (of->most / of->n_parts - used) * batch->n_ranks / bench->ranks_left / n_new;
    for (uint32_t i = 0; !rc && i < batch->n_ranks; i++) {
        if (batch->traffic[i] <= 0) continue;
        if (is_new(of, bench, i))
            rc = append_row(of, bench, i, most, part);
        else
            rows->count[rows->n_rows - 1]++;
    }
    for (uint32_t k = 0; k < bench->n_used; k++) {
        bench->common[bench->used[k]] = 0;
        for (uint32_t i = 0; i < batch->n_ranks; i++) use_of(of, bench, i)[bench->used[k]] = 0;
    }
    return rc;
}

static int rows_of_part(void *context, size_t part, unsigned thread)
{
    (void)thread;
    const struct enumeration *of = context;
    struct bench bench = {0};
    int rc = cw_batch_new(of->batches, true, &bench.batch);
    if (rc) return rc;
    bench.use = cw_new_array((size_t)of->n_columns * CW_BATCH, sizeof *bench.use, "loads of ranks");
    bench.common = cw_new_array(of->n_columns, sizeof *bench.common, "loads of ranks");
    bench.is_used = cw_new_array((size_t)of->n_columns / 64 + 1, sizeof *bench.is_used, "loads of ranks");
    bench.used = cw_new_array(of->n_columns, sizeof *bench.used, "loads of ranks");
    const bool made = bench.use && bench.common && bench.is_used && bench.used;
    rc = made ? for_batches(of, part, &bench, add_rows) : CW_ENOMEM;
    free(bench.use);
    free(bench.common);
    free(bench.is_used);
    free(bench.used);
    cw_batch_free(&bench.batch);
    return rc;
}

/* Appends the rows of a part to those before. */
static void append_part(const struct cw_packing *from, struct cw_packing *to)
{
    if (from->n_rows == 0) return;
    const size_t n = from->first[from->n_rows], at = to->first[to->n_rows];
    memcpy(to->column + at, from->column, n * sizeof *to->column);
    memcpy(to->use + at, from->use, n * sizeof *to->use);
    memcpy(to->worth + to->n_rows, from->worth, from->n_rows * sizeof *to->worth);
    memcpy(to->count + to->n_rows, from->count, from->n_rows * sizeof *to->count);
    for (size_t r = 1; r <= from->n_rows; r++) to->first[to->n_rows + r] = at + from->first[r];
    to->n_rows += from->n_rows;
}

static int join_parts(const struct enumeration *of, struct cw_packing *out)
{
    static const char what[] = "loads of ranks";
    size_t n_rows = 0, n_entries = 0;
    for (uint32_t part = 0; part < of->n_parts; part++) {
        const struct cw_packing *rows = &of->parts[part].rows;
        n_entries += rows->n_rows > 0 ? rows->first[rows->n_rows] : 0;
        n_rows += rows->n_rows;
    }
    struct cw_packing all = {.n_columns = of->n_columns};
    all.first = cw_new_array(n_rows + 1, sizeof *all.first, what);
    all.column = cw_new_array(n_entries, sizeof *all.column, what);
    all.use = cw_new_array(n_entries, sizeof *all.use, what);
    all.worth = cw_new_array(n_rows, sizeof *all.worth, what);
    all.count = cw_new_array(n_rows, sizeof *all.count, what);
    if (!all.first || !all.column || !all.use || !all.worth || !all.count) {
        cw_packing_free(&all);
        return CW_ENOMEM;
    }
    for (uint32_t part = 0; part < of->n_parts; part++) append_part(&of->parts[part].rows, &all);
    *out = all;
    return 0;
}

int cw_link_shares_rows(const struct cw_batches *batches, unsigned n_threads, const uint32_t *column_of,
                        uint32_t n_columns, double bandwidth, uint64_t most, struct cw_packing *out)
{
    struct enumeration of = {.batches = batches,
                             .net = batches->net,
                             .column_of = column_of,
                             .n_columns = n_columns,
                             .bandwidth = bandwidth,
                             .most = most};
    int rc = enumerate(&of, n_threads, rows_of_part);
    if (!rc) rc = join_parts(&of, out);
    enumeration_free(&of);
    return rc;
}
