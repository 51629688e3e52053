/* What tests of published experiments share: lists of points that are planted or computed, and what is found of them.
 */
#ifndef CW_TESTS_PAPER_EXAMPLE_H
#define CW_TESTS_PAPER_EXAMPLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/papers/paper.h"

/* Claim CLAIM of FIGURE, asked of OF: its VERDICT, VALUE (infinite: any) and a part of its sentence. */
static inline void check_claim(const struct cw_paper *paper, size_t figure, size_t claim, const void *of,
                               enum cw_verdict verdict, double value, const char *found)
{
    struct cw_finding finding;
    assert_true(claim < paper->figures[figure].n_claims);
    assert_int_equal(cw_paper_find(paper, figure, claim, of, &finding), 0);
    if (finding.verdict != verdict || !strstr(finding.found, found))
        fail_msg("holds: %s: %s; expected %s, with \"%s\"", cw_verdict_names[finding.verdict], finding.found,
                 cw_verdict_names[verdict], found);
    if (isnan(value) ? !isnan(finding.value) : isfinite(value) && fabs(finding.value - value) > 1e-9)
        fail_msg("the value is %g, expected %g", finding.value, value);
}

/* A run without points yet, that nothing writes down. Ends with end_run. */
static inline struct cw_paper_run begin_run(const struct cw_paper *paper, const struct cw_paper_setup *setup)
{
    struct cw_paper_run run = {.paper = paper, .setup = setup, .points = {.size = paper->point_size}};
    if (paper->begin && paper->begin(&run)) fail_msg("%s", cw_error_message());
    return run;
}

/* Computes points FIRST to N-1. */
static inline void compute_points(struct cw_paper_run *run, size_t first, size_t n)
{
    for (size_t i = first; i < n; i++) {
        struct cw_point *point = (struct cw_point *)((char *)run->points.items + i * run->points.size);
        if (run->paper->compute(run, point)) fail_msg("%s", cw_error_message());
        point->done = true;
    }
}

static inline void end_run(struct cw_paper_run *run)
{
    if (run->paper->end) run->paper->end(run);
    free(run->points.items);
}

#endif
