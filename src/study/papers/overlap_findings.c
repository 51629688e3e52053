#include "study/papers/overlap_findings.h"

#include <math.h>
#include <string.h>

#define FIGURE "7"

bool cw_overlap_is_native(const struct cw_overlap_point *point)
{
    return strncmp(point->method, "native", strlen("native")) == 0 ||
           strncmp(point->method, "blocking", strlen("blocking")) == 0;
}

#define ALIKE 1.25 /* computations: the larger one over the smaller one, at most */

/* Measured alike, but for the method and what it needs, beside the same computation: progress threads are switched on
 * by a run of their own, which may have had another. */
static bool is_beside(const struct cw_overlap_point *a, const struct cw_overlap_point *b)
{
    return a->ranks == b->ranks && a->bytes == b->bytes && a->processors == b->processors &&
           strcmp(a->mpi, b->mpi) == 0 && strcmp(a->operation, b->operation) == 0 &&
           strcmp(a->beside, b->beside) == 0 &&
           fmax(a->compute.value, b->compute.value) <= ALIKE * fmin(a->compute.value, b->compute.value);
}

static bool is_of(const struct cw_overlap_point *point, const char *operation)
{
    return strcmp(point->operation, operation) == 0;
}

/* The least time of what was measured beside POINT, of MPI's own or of others; NaN: none was. */
static double least(const struct cw_overlap_runs *runs, const struct cw_overlap_point *point, bool native)
{
    double time = NAN;
    for (size_t i = 0; i < runs->n; i++)
        if (is_beside(&runs->items[i], point) && cw_overlap_is_native(&runs->items[i]) == native)
            time = fmin(time, runs->items[i].total.value);
    return time;
}

/* POINT is the first of those measured beside it: each set counts once. */
static bool is_first(const struct cw_overlap_runs *runs, const struct cw_overlap_point *point)
{
    const struct cw_overlap_point *first = runs->items;
    while (!is_beside(first, point)) first++;
    return first == point;
}

static enum cw_verdict verdict_of(size_t better, size_t n)
{
    return n == 0 ? CW_NOT_TESTED : better == n ? CW_HOLDS : better > 0 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

static int find_faster(const struct cw_overlap_runs *runs, const char *operation, struct cw_findings *findings)
{
    size_t n = 0, faster = 0;
    double most = NAN;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!is_of(point, operation) || !is_first(runs, point)) continue;
        const double ratio = least(runs, point, true) / least(runs, point, false);
        if (isnan(ratio)) continue;
        n++;
        faster += ratio > 1;
        most = fmax(most, ratio);
    }
    const struct cw_finding finding = {.figure = FIGURE,
                                       .claim = "with communication cores it is faster than the MPI libraries",
                                       .quantity = "largest ratio of the least times, MPI's own / communication cores",
                                       .value = most,
                                       .ci95 = NAN,
                                       .verdict = verdict_of(faster, n)};
    if (n == 0) return cw_findings_add(findings, &finding, "%s was not measured with both", operation);
    return cw_findings_add(
        findings, &finding,
        "measured here, %s: faster in %zu of %zu cases (MPI, ranks, size); at best %.2f times as fast", operation,
        faster, n, most);
}

static int find_async(const struct cw_overlap_runs *runs, const char *operation, struct cw_findings *findings)
{
    size_t n = 0, slower = 0;
    double worst = NAN;
    for (size_t i = 0; i < runs->n; i++) {
        const struct cw_overlap_point *async = &runs->items[i];
        if (!is_of(async, operation) || strcmp(async->method, "native-async") != 0) continue;
        for (size_t k = 0; k < runs->n; k++) {
            const struct cw_overlap_point *plain = &runs->items[k];
            if (!is_beside(plain, async) || strcmp(plain->method, "native") != 0) continue;
            n++;
            slower += async->total.value > plain->total.value;
            worst = fmax(worst, async->total.value / plain->total.value);
        }
    }
    const struct cw_finding finding = {.figure = FIGURE,
                                       .claim = "flags for asynchronous progress reduce the performance",
                                       .quantity = "largest ratio of times, with progress threads / without",
                                       .value = worst,
                                       .ci95 = NAN,
                                       .verdict = verdict_of(slower, n)};
    if (n == 0)
        return cw_findings_add(
            findings, &finding,
            "%s was not measured with progress threads of MPI (MPICH_ASYNC_PROGRESS=1) and without, beside the same "
            "--compute",
            operation);
    return cw_findings_add(findings, &finding,
                           "measured here, %s: slower with them in %zu of %zu cases, %.2f times as long at most",
                           operation, slower, n, worst);
}

/* Of OPERATION of that size, with ranks that compute: others need no cores. */
static bool is_candidate(const struct cw_overlap_point *point, const char *operation, uint64_t bytes)
{
    return is_of(point, operation) && strcmp(point->beside, "cpu") == 0 && point->bytes == bytes;
}

/* The least time of the largest message: times of different sizes say nothing of each other. NULL: there is none. */
static const struct cw_overlap_point *find_best(const struct cw_overlap_runs *runs, const char *operation)
{
    const struct cw_overlap_point *best = NULL;
    uint64_t bytes = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (runs->items[i].bytes > bytes && is_candidate(&runs->items[i], operation, runs->items[i].bytes))
            bytes = runs->items[i].bytes;
    for (size_t i = 0; i < runs->n; i++)
        if (is_candidate(&runs->items[i], operation, bytes) &&
            (!best || runs->items[i].total.value < best->total.value))
            best = &runs->items[i];
    return best;
}

static int find_trade_off(const struct cw_overlap_runs *runs, const char *operation, struct cw_findings *findings)
{
    const struct cw_overlap_point *best = find_best(runs, operation);
    uint32_t fewest = UINT32_MAX, most = 0;
    for (size_t i = 0; best && i < runs->n; i++) {
        const struct cw_overlap_point *point = &runs->items[i];
        if (!is_candidate(point, operation, best->bytes) || point->processors != best->processors) continue;
        if (point->ranks < fewest) fewest = point->ranks;
        if (point->ranks > most) most = point->ranks;
    }
    const bool tested = best && fewest < most && most >= best->processors;
    const struct cw_finding finding = {.figure = FIGURE,
                                       .claim = "the best trade-off is far from using all the available cores",
                                       .quantity = "ranks of the least time / processors",
                                       .value = best ? (double)best->ranks / best->processors : NAN,
                                       .ci95 = NAN,
                                       .verdict = !tested                           ? CW_NOT_TESTED
                                                  : best->ranks >= best->processors ? CW_HOLDS_NOT
                                                                                    : CW_HOLDS};
    if (!best) return cw_findings_add(findings, &finding, "%s was not measured with ranks that compute", operation);
    if (!tested)
        return cw_findings_add(findings, &finding, "%s was not measured from few ranks to as many as the %u processors",
                               operation, best->processors);
    return cw_findings_add(findings, &finding,
                           "measured here, %s: the least time is that of %s with %u ranks on %u processors (%s)",
                           operation, best->method, best->ranks, best->processors, best->mpi);
}

int cw_find_overlap_measured(const struct cw_overlap_runs *runs, const char *operation, struct cw_findings *findings)
{
    int rc = find_faster(runs, operation, findings);
    if (!rc) rc = find_async(runs, operation, findings);
    return rc ? rc : find_trade_off(runs, operation, findings);
}
