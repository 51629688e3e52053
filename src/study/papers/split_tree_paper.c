#include "study/papers/split_tree_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "nbc/nbc_emulate.h"
#include "sim/split_tree_sim.h"

struct simulating {
    const struct cw_split_case *about;
    const struct cw_schedule *schedule;
    struct cw_split_point *items;
};

static int simulate_point(void *context, size_t index, unsigned thread)
{
    (void)thread;
    const struct simulating *work = context;
    const struct cw_split_case *about = work->about;
    struct cw_split_point *point = &work->items[index];
    const struct cw_split_setup setup = {.schedule = work->schedule,
                                         .n = point->n,
                                         .communication = about->model.cores - point->n,
                                         .steps = point->steps,
                                         .placement = about->placement,
                                         .executor = about->executor};
    struct cw_split_plan *plan;
    int rc = cw_split_plan_new(&setup, &plan);
    if (rc) return rc;
    const struct cw_split_run alone = {.chunks = about->chunks};
    const struct cw_split_run beside = {.chunks = about->chunks, .compute = point->times.compute};
    rc = cw_split_tree_simulate(plan, &alone, &point->simulated);
    if (!rc) rc = cw_split_tree_simulate(plan, &beside, &point->simulated_overlapped);
    cw_split_plan_free(plan);
    return rc;
}

static int simulate(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *points)
{
    struct cw_schedule *schedule;
    char spec[64]; /* what the model is of */
    snprintf(spec, sizeof spec, "%s:2", cw_collectives[about->model.collective].tree);
    int rc = cw_schedule_new(spec, &schedule);
    if (rc) return rc;
    struct simulating work = {.about = about, .schedule = schedule, .items = points->items};
    rc = cw_parallel_for(n_threads, points->n, simulate_point, &work);
    cw_schedule_free(schedule);
    return rc;
}

#define TAKES 3 /* the least counts: whatever else this machine does makes threads wake late, never early */

static int emulate(const struct cw_split_case *about, struct cw_split_points *points)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < points->n; i++) {
        struct cw_split_point *point = &points->items[i];
        if (4 * (uint64_t)point->n < 3 * (uint64_t)about->model.cores || point->steps > 3) continue;
        const struct cw_nbc_emulation setup = {.collective = about->model.collective,
                                               .n = point->n,
                                               .communication = about->model.cores - point->n,
                                               .schedule = CW_NBC_SPLIT_TREE,
                                               .steps = point->steps,
                                               .compute = point->times.compute,
                                               .unit = about->unit};
        for (int take = 0; !rc && take < TAKES; take++) {
            double time;
            rc = cw_nbc_emulate(&setup, &time);
            if (!rc) point->emulated_overlapped = fmin(point->emulated_overlapped, time); /* NaN: the other one */
            if (!rc) rc = cw_interrupt_check();
        }
    }
    return rc;
}

static void enter(const struct cw_split_model *model, struct cw_split_points *points)
{
    for (uint32_t n = 1; n < model->cores; n++) {
        const uint32_t best = cw_split_best_steps(model, n);
        for (uint32_t steps = 0; steps <= cw_split_height(n); steps++) {
            const struct cw_split_point point = {.n = n,
                                                 .steps = steps,
                                                 .times = cw_split_times_of(model, n, steps),
                                                 .simulated = NAN,
                                                 .simulated_overlapped = NAN,
                                                 .emulated_overlapped = NAN,
                                                 .best = steps == best};
            const struct cw_split_point *least = &points->items[points->least];
            if (points->n > 0 && point.times.overlapped < least->times.overlapped) points->least = points->n;
            points->items[points->n++] = point;
        }
    }
}

int cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out)
{
    struct cw_split_points points = {.about = *about};
    const size_t levels = cw_split_height(about->model.cores) + 1;
    points.items = cw_new_array((about->model.cores - 1) * levels, sizeof *points.items, "points of the model");
    if (!points.items) return CW_ENOMEM;
    enter(&about->model, &points);
    int rc = about->simulated ? simulate(about, n_threads, &points) : 0;
    if (!rc && about->unit > 0) rc = emulate(about, &points);
    if (rc)
        cw_split_points_free(&points);
    else
        *out = points;
    return rc;
}

void cw_split_points_free(struct cw_split_points *points)
{
    free(points->items);
    *points = (struct cw_split_points){0};
}

double cw_split_executed(const struct cw_split_points *points, const struct cw_split_point *point)
{
    return points->about.unit > 0 ? point->emulated_overlapped : point->simulated_overlapped;
}

const struct cw_split_point *cw_split_point_of(const struct cw_split_points *points, uint32_t n, uint32_t steps)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].n == n && points->items[i].steps == steps) return &points->items[i];
    return NULL;
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static struct cw_finding finding_of(const char *figure, const char *claim, const char *quantity, double value,
                                    enum cw_verdict verdict)
{
    return (struct cw_finding){
        .figure = figure, .claim = claim, .quantity = quantity, .value = value, .ci95 = NAN, .verdict = verdict};
}

static uint32_t most_best(const struct cw_split_points *points)
{
    uint32_t most = 0;
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].best && points->items[i].steps > most) most = points->items[i].steps;
    return most;
}

static const char *executed_how(const struct cw_split_points *points)
{
    return points->about.unit > 0 ? "emulated" : points->about.simulated ? "simulated" : "model";
}

static const struct cw_split_point *best_at(const struct cw_split_points *points, uint32_t n)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->items[i].n == n && points->items[i].best) return &points->items[i];
    return NULL;
}

int cw_find_split_cost(const struct cw_split_points *points, const char *figure, struct cw_findings *findings)
{
    const uint32_t n = points->about.model.cores - 1, most = most_best(points);
    const struct cw_split_point *none = cw_split_point_of(points, n, 0), *all = cw_split_point_of(points, n, most);
    bool falls = true;
    for (uint32_t steps = 1; steps <= most; steps++)
        falls = falls && cw_split_point_of(points, n, steps)->times.non_blocking <
                             cw_split_point_of(points, n, steps - 1)->times.non_blocking;
    const double ratio = none->times.non_blocking / none->times.blocking;
    const struct cw_finding finding =
        finding_of(figure, "with few communication cores the communication is huge for S = 0, and decreases with S",
                   "S = 0 / blocking with one communication core", ratio, falls && ratio > 2 ? CW_HOLDS : CW_HOLDS_NOT);
    return cw_findings_add(findings, &finding, "with N = %u, S = 0 takes %.0f transfers, S = %u %.0f, blocking %.0f", n,
                           none->times.non_blocking, most, all->times.non_blocking, none->times.blocking);
}

int cw_find_split_overlap_lost(const struct cw_split_points *points, const char *figure, struct cw_findings *findings)
{
    const uint32_t n = points->about.model.cores / 2, most = most_best(points);
    const double first = cw_split_point_of(points, n, 0)->times.overlapped;
    double last = first;
    bool rises = true;
    for (uint32_t steps = 1; steps <= most; steps++) {
        const double time = cw_split_point_of(points, n, steps)->times.overlapped;
        rises = rises && time > last;
        last = time;
    }
    const struct cw_finding finding =
        finding_of(figure, "increasing S increases the cost for small N, where overlap is lost",
                   "S = 0 with half of the cores", first, most > 0 && rises ? CW_HOLDS : CW_HOLDS_NOT);
    return cw_findings_add(findings, &finding, "with N = %u, from %.2f transfers for S = 0 to %.2f for S = %u", n,
                           first, last, most);
}

int cw_find_split_least(const struct cw_split_points *points, const char *figure, const char *claim, uint32_t ranks,
                        uint32_t steps, struct cw_findings *findings)
{
    const struct cw_split_point *least = &points->items[points->least];
    const uint32_t apart = least->n > ranks ? least->n - ranks : ranks - least->n;
    const enum cw_verdict verdict = least->steps != steps || apart > 1 ? CW_HOLDS_NOT
                                    : apart == 1                       ? CW_HOLDS_IN_PART
                                                                       : CW_HOLDS;
    const struct cw_finding finding =
        finding_of(figure, claim, "least overlapped time", least->times.overlapped, verdict);
    return cw_findings_add(findings, &finding, "on %u cores at N = %u and S = %u: %.3f transfers",
                           points->about.model.cores, least->n, least->steps, least->times.overlapped);
}

int cw_find_split_switches(const struct cw_split_points *points, const char *figure, const uint32_t *at, size_t n_at,
                           struct cw_findings *findings)
{
    struct cw_text found = {0};
    uint32_t steps = 0;
    bool one_by_one = true, as_claimed = true;
    for (uint32_t n = 1; n < points->about.model.cores; n++) {
        const uint32_t best = best_at(points, n)->steps;
        if (best == steps) continue;
        one_by_one = one_by_one && best == steps + 1;
        as_claimed = as_claimed && steps < n_at && at[steps] == n;
        cw_text_printf(&found, "%sS = %u from N = %u", found.length > 0 ? ", " : "", best, n);
        steps = best;
    }
    as_claimed = n_at == 0 || (as_claimed && steps == n_at);
    const enum cw_verdict verdict = steps == 0 || !one_by_one ? CW_HOLDS_NOT : as_claimed ? CW_HOLDS : CW_HOLDS_IN_PART;
    const struct cw_finding finding =
        finding_of(figure, "the fewer communication cores, the more levels on application cores are best",
                   "largest best S", steps, verdict);
    int rc = cw_text_check(&found);
    if (!rc) rc = cw_findings_add(findings, &finding, "%s", found.length > 0 ? found.data : "S = 0 everywhere");
    cw_text_free(&found);
    return rc;
}

int cw_find_split_worst_case(const struct cw_split_points *points, const char *figure, struct cw_findings *findings)
{
    const uint32_t n = points->about.model.cores - 1;
    const struct cw_split_point *point = cw_split_point_of(points, n, 3);
    static const char claim[] = "with only one communication core S = 3 is still faster than the blocking collective";
    if (!point) {
        const struct cw_finding untested = finding_of(figure, claim, NULL, NAN, CW_NOT_TESTED);
        return cw_findings_add(findings, &untested, "the tree has fewer than 3 levels");
    }
    const double time = points->about.simulated ? cw_split_executed(points, point) : point->times.overlapped;
    const double blocking = point->times.blocking + point->times.compute;
    const struct cw_finding finding =
        finding_of(figure, claim, "S = 3 / blocking", time / blocking, time < blocking ? CW_HOLDS : CW_HOLDS_NOT);
    return cw_findings_add(findings, &finding, "with N = %u %.2f transfers (%s), blocking %.2f", n, time,
                           executed_how(points), blocking);
}

/* The S whose execution takes least, the smallest of several. */
static uint32_t executed_best(const struct cw_split_points *points, uint32_t n)
{
    const struct cw_split_point *best = NULL, *point;
    for (uint32_t steps = 0; (point = cw_split_point_of(points, n, steps)); steps++)
        if (!best || cw_split_executed(points, point) < cw_split_executed(points, best) - 1e-9) best = point;
    return best->steps;
}

/* How well the model says what was executed. */
struct agreement {
    const struct cw_split_point *worst; /* where they differ most */
    double apart;                       /* by so much, relative */
    uint32_t numbers, same, costly;     /* N; with the same best S; for which the model's S costs more than 5 % */
};

static struct agreement agreement_of(const struct cw_split_points *points)
{
    struct agreement found = {.apart = -1};
    for (uint32_t n = 1; n < points->about.model.cores; n++) {
        const struct cw_split_point *best = best_at(points, n);
        const double time = cw_split_executed(points, best);
        if (isnan(time)) continue;
        const double apart = fabs(time / best->times.overlapped - 1);
        const uint32_t rival = executed_best(points, n);
        found.numbers++;
        found.same += rival == best->steps;
        found.costly += time > 1.05 * cw_split_executed(points, cw_split_point_of(points, n, rival));
        if (apart <= found.apart) continue;
        found.apart = apart;
        found.worst = best;
    }
    return found;
}

int cw_find_split_simulated(const struct cw_split_points *points, const char *figure, struct cw_findings *findings)
{
    const struct agreement of = agreement_of(points);
    const uint32_t cores = points->about.model.cores;
    const double time = cw_split_executed(points, of.worst), model = of.worst->times.overlapped;
    const struct cw_finding close = finding_of(figure, "the model is really close to the results",
                                               "executed / model, where it differs most", time / model,
                                               of.apart <= 0.1   ? CW_HOLDS
                                               : of.apart <= 0.2 ? CW_HOLDS_IN_PART
                                                                 : CW_HOLDS_NOT);
    int rc = cw_findings_add(findings, &close,
                             "%s on %u cores, with the best S for each N, %.2f instead of %.2f transfers at N = %u, "
                             "where it differs most",
                             executed_how(points), cores, time, model, of.worst->n);
    if (rc) return rc;
    const struct cw_finding switches = finding_of(figure, "the best S is the same in prediction and measurement",
                                                  "share of N with the same best S", (double)of.same / of.numbers,
                                                  of.same == of.numbers         ? CW_HOLDS
                                                  : 10 * of.costly < of.numbers ? CW_HOLDS_IN_PART
                                                                                : CW_HOLDS_NOT);
    return cw_findings_add(findings, &switches,
                           "%s on %u cores, for %u of %u N; the model's S costs more than 5 %% for %u",
                           executed_how(points), cores, of.same, of.numbers, of.costly);
}

double cw_split_emulation_apart(const struct cw_split_points *points)
{
    double apart = 0;
    for (size_t i = 0; i < points->n; i++) {
        const struct cw_split_point *point = &points->items[i];
        if (!isnan(point->emulated_overlapped))
            apart = fmax(apart, fabs(point->emulated_overlapped / point->simulated_overlapped - 1));
    }
    return apart;
}
