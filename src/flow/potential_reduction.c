#include "flow/potential_reduction.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "flow/cuts.h"
#include "net/network_internal.h"

/* --- progress ----------------------------------------------------------------------------------------------------- */

void cw_termination_report(const struct cw_termination *termination, double z, double bound)
{
    const double gap = fmax(1 - z / bound, termination->gap), budget = termination->deadline - termination->begin;
    const double closed = log(gap) / log(termination->gap);
    const double spent = isfinite(budget) ? (cw_stopwatch_now() - termination->begin) / budget : 0;
    cw_progress_reach(&termination->progress, fmax(closed, spent));
}

/* --- potential reduction ------------------------------------------------------------------------------------------ */

#define STEEPNESS 8.0  /* of the exponent at the beginning */
#define GROWTH    1.5  /* of the steepness, once the gap is what it can be expected to be: */
#define EXPECTED  2.0  /* divided by the steepness */
#define SWEEPS    10   /* after all demands were priced */
#define FEW       2    /* … after a part of them */
#define NEARER    0.25 /* by which share of what is missing z must come nearer to its bound in a turn of all parts */
#define STEP      0.5  /* largest change of an exponent in one shift: keeps Newton's step a descent */
#define PATIENCE  10   /* rounds, after which the exponent grows anyway unless the gap shrank */
#define SHRINK    0.9  /* by this factor */
#define ENOUGH    4.0  /* steepness, times log(channels) / gap, beyond which only rounding can be in the way */
#define IDLE      0.3 /* share of the wanted gap that lengths of idle channels, for short paths, may add to the bound */
#define LEAST_GAP 1e-9 /* that can be wanted */

struct reduction {
    struct cw_columns *columns;
    double *load, *length; /* [channels] length = (exp(steepness (load / capacity / most - 1)) + floor) / capacity */
    double steepness, most, floor, gap;
    double seconds; /* of the last round: the next is not begun if it would end behind the deadline */
    uint32_t part;  /* that is priced next */
    double missing; /* from z to the bound when the turn of parts began */
    bool stuck;     /* it did not become much less in a turn */
    double end; /* by which a round must end while the bound is that of a cut, which needs no pricing to be proven */
    unsigned sweeps;
    struct cw_column_difference difference;
};

static double length_at(const struct reduction *b, uint32_t c)
{
    const double inverse = b->columns->inverse_capacity[c];
    if (!(inverse > 0)) return 0;
    return (exp(b->steepness * (b->load[c] * inverse / b->most - 1)) + b->floor) * inverse;
}

/* Computes loads anew, which takes rounding errors out, and all lengths. */
static void refresh(struct reduction *b)
{
    const uint32_t n_channels = b->columns->problem->net->n_channels;
    b->most = cw_columns_load(b->columns, b->load);
    if (!(b->most > 0)) return;
    double sum = 0;
    size_t limited = 0;
    b->floor = 0;
    for (uint32_t c = 0; c < n_channels; c++) {
        const double inverse = b->columns->inverse_capacity[c];
        if (!(inverse > 0)) continue;
        b->length[c] = length_at(b, c);
        sum += b->length[c] / inverse;
        limited++;
    }
    b->floor = IDLE * b->gap * sum / (double)limited;
    for (uint32_t c = 0; c < n_channels; c++) b->length[c] += b->floor * b->columns->inverse_capacity[c];
}

static double length_of(const struct reduction *b, const struct cw_path_column *column)
{
    const uint32_t *channel = b->columns->channels + column->begin;
    double length = 0;
    for (uint32_t i = 0; i < column->n; i++) length += b->length[channel[i]];
    return length;
}

/* Shifts flow from one path to another as far as it pays, by the channels that only one of them has: what leaving those
 * gains, and how fast that changes. */
static void shift(struct reduction *b, struct cw_path_column *from, struct cw_path_column *to)
{
    struct cw_column_difference *difference = &b->difference;
    double gain = 0, curve = 0, steepest = 0;
    cw_columns_compare(b->columns, from, to, difference);
    for (uint32_t i = 0; i < difference->n; i++) {
        const uint32_t c = difference->items[i].channel;
        const double times = difference->items[i].times, inverse = b->columns->inverse_capacity[c];
        gain += times * b->length[c];
        curve += times * times * b->length[c] * inverse;
        steepest = fmax(steepest, fabs(times) * inverse);
    }
    if (!(gain > 0)) return;
    const double unit = b->most / b->steepness;
    const double step = fmin(fmin(gain / curve, STEP / steepest) * unit, from->flow);
    for (uint32_t i = 0; i < difference->n; i++) {
        const uint32_t c = difference->items[i].channel;
        b->load[c] = fmax(b->load[c] - difference->items[i].times * step, 0);
        b->length[c] = length_at(b, c);
    }
    from->flow -= step;
    to->flow += step;
}

static void sweep(struct reduction *b)
{
    struct cw_columns *columns = b->columns;
    for (size_t d = 0; d < columns->problem->demands->n; d++) {
        uint32_t shortest = columns->first[d];
        double least = INFINITY;
        for (uint32_t j = columns->first[d]; j != CW_NONE; j = columns->items[j].next) {
            const double length = length_of(b, &columns->items[j]);
            if (length >= least) continue;
            least = length;
            shortest = j;
        }
        for (uint32_t j = columns->first[d]; j != CW_NONE; j = columns->items[j].next)
            if (j != shortest && columns->items[j].flow > 0) shift(b, &columns->items[j], &columns->items[shortest]);
    }
}

/* The exponent grows if z is as near to BOUND as it can be expected to be. */
static void steepen(struct reduction *b, double z, double bound)
{
    if (1 - z / bound < EXPECTED / b->steepness) b->steepness *= GROWTH;
}

/* One pricing of all demands; takes its bound and LENGTH if it is better than the one before. */
static int price(struct reduction *b, struct cw_pricing *pricing, double *length, struct cw_potential_reduction *result)
{
    const int rc = cw_pricing_run(pricing, b->length);
    if (rc) return rc;
    const double bound = cw_pricing_bound(pricing, b->length);
    if (bound < result->bound) {
        result->bound = bound;
        memcpy(length, b->length, b->columns->problem->net->n_channels * sizeof *length);
    }
    b->sweeps = SWEEPS;
    steepen(b, result->z, bound);
    return cw_columns_add_priced(b->columns, pricing);
}

/* A turn of parts ends. True if all demands are to be priced, for a better bound: z did not come much nearer to the one
 * that there is, now or before. By that bound the exponent grew too fast for lengths to prove another one. */
static bool ends_turn(struct reduction *b, const struct cw_potential_reduction *result)
{
    const double missing = (1 - b->gap) * result->bound - result->z;
    if (!b->stuck && missing > (1 - NEARER) * b->missing) {
        b->stuck = true;
        b->steepness = STEEPNESS;
    }
    b->part = 0;
    b->missing = missing;
    return b->stuck;
}

/* Prices the next part, or all demands. */
static int price_next(struct reduction *b, struct cw_pricing *pricing, double *length,
                      struct cw_potential_reduction *result)
{
    const uint32_t parts = cw_pricing_parts(pricing);
    if (parts == 1 || (b->part == parts && ends_turn(b, result))) return price(b, pricing, length, result);
    const int rc = cw_pricing_run_part(pricing, b->length, b->part++);
    b->sweeps = FEW;
    if (!b->stuck) steepen(b, result->z, result->bound);
    return rc ? rc : cw_columns_add_priced(b->columns, pricing);
}

static bool has_time(const struct reduction *b, const struct cw_potential_reduction *result)
{
    return cw_stopwatch_now() + b->seconds <= (b->stuck ? result->deadline : b->end);
}

/* The bound of the least cut is there at once, and often the one that holds. Its shortest paths are of no use; they may
 * prove a better bound, if there is time, and the network is not so large that a round does more in it. */
static int price_cut(struct reduction *b, struct cw_pricing *pricing, double *length,
                     struct cw_potential_reduction *result)
{
    const size_t n_channels = b->columns->problem->net->n_channels;
    double bound;
    memset(b->length, 0, n_channels * sizeof *b->length);
    int rc = cw_cut_lengths(b->columns->problem, b->length, &bound);
    if (rc || !(bound < result->bound)) return rc;
    if (has_time(b, result) && cw_pricing_parts(pricing) == 1) {
        rc = cw_pricing_measure(pricing, b->length);
        if (rc) return rc;
        bound = cw_pricing_bound(pricing, b->length);
    }
    if (!(bound < result->bound)) return 0;
    result->bound = bound;
    memcpy(length, b->length, n_channels * sizeof *length);
    return 0;
}

/* Shifts flow between the paths that there are. */
static int sweep_all(struct reduction *b, struct cw_potential_reduction *result)
{
    int rc = 0;
    refresh(b);
    for (unsigned i = 0; i < b->sweeps && rc == 0; i++) {
        sweep(b);
        rc = cw_interrupt_check();
    }
    refresh(b);
    result->z = 1 / b->most;
    return rc;
}

static int begin_plan(struct reduction *b, struct cw_pricing *pricing, const struct cw_termination *termination,
                      double *length, struct cw_potential_reduction *result)
{
    struct cw_columns *columns = b->columns;
    const size_t n_channels = columns->problem->net->n_channels;
    const double begin = cw_stopwatch_now();
    memcpy(b->length, columns->inverse_capacity, n_channels * sizeof *b->length);
    cw_pricing_limit(pricing, termination->first > 0 ? termination->first : INFINITY);
    int rc = price(b, pricing, length, result);
    cw_pricing_limit(pricing, INFINITY);
    b->seconds = result->seconds = cw_stopwatch_now() - begin;
    result->deadline = termination->deadline - termination->after * b->seconds;
    b->end = cw_pricing_parts(pricing) > 1 ? termination->deadline : result->deadline;
    if (!rc) rc = price_cut(b, pricing, length, result);
    if (rc) return rc;
    for (size_t d = 0; d < columns->problem->demands->n; d++)
        columns->items[columns->first[d]].flow = columns->amount[d];
    return sweep_all(b, result);
}

static int run_rounds(struct reduction *b, struct cw_pricing *pricing, const struct cw_termination *termination,
                      double *length, struct cw_potential_reduction *result)
{
    const double steepest = ENOUGH * log(b->columns->problem->net->n_channels + M_E) / b->gap;
    int rc = begin_plan(b, pricing, termination, length, result);
    double before = 1;
    for (unsigned waiting = 0; rc == 0 && b->most > 0; waiting++) {
        const unsigned patience = b->stuck ? PATIENCE * (1 + cw_pricing_parts(pricing)) : PATIENCE;
        const double reached = 1 - result->z / result->bound;
        result->late = !has_time(b, result);
        if (reached <= b->gap || b->steepness > steepest || result->late) break;
        const double begin = cw_stopwatch_now();
        cw_termination_report(termination, result->z, result->bound);
        if (reached < SHRINK * before) {
            before = reached;
            waiting = 0;
        } else if (waiting >= patience) {
            b->steepness *= GROWTH;
            waiting = 0;
        }
        rc = price_next(b, pricing, length, result);
        if (!rc) rc = sweep_all(b, result);
        if (rc) break;
        b->seconds = cw_stopwatch_now() - begin;
    }
    return rc;
}

int cw_potential_reduction(struct cw_columns *columns, struct cw_pricing *pricing, double gap,
                           const struct cw_termination *termination, double *length, struct cw_potential_reduction *out)
{
    const size_t n_channels = columns->problem->net->n_channels;
    struct reduction b = {.columns = columns, .steepness = STEEPNESS, .gap = fmax(gap, LEAST_GAP), .missing = INFINITY};
    b.load = cw_new_array(n_channels, sizeof *b.load, "channel loads");
    b.length = cw_new_array(n_channels, sizeof *b.length, "channel lengths");
    struct cw_potential_reduction result = {.bound = INFINITY};
    int rc = cw_column_difference_make(columns, &b.difference);
    if (!rc) rc = b.load && b.length ? run_rounds(&b, pricing, termination, length, &result) : CW_ENOMEM;
    free(b.load);
    free(b.length);
    cw_column_difference_free(&b.difference);
    if (rc == 0) *out = result;
    return rc;
}
